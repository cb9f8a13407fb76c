#!/bin/sh
# The inner loop: builds csc and runs the tests that a change can touch, in a minute on two cores once
# kernels and objects are cached. What is changed: files that differ from BASE (HEAD), and new ones.
#   make quick            BASE=origin/main make quick
# The table says for each folder which unit tests and which goldens look at it first; make check has all.
set -eu
cd "$(dirname "$0")/.."
: "${BUILD:=build}" "${CSC:=./csc}" "${BASE:=HEAD}"

table='lexer|parser_test|^tests/parse/ ^tests/format/
parser|parser_test|^tests/parse/ ^tests/check/
format|format_test|^tests/format/
sema/lower|lower_test|^tests/lower/ ^tests/lang/evaluation/
sema/functional|sema_test|^tests/check/ ^tests/lang/functions/ ^tests/lang/bound/
sema|sema_test|^tests/check/ ^tests/lang/host/ ^tests/lang/types/
fdag|fdag_test fdag_domain_test affine_test|^tests/fdag/ ^tests/lower/
codegen/kernel/schedule|schedule_text_test|^tests/schedule/ ^tests/kernels/.*opencl ^tests/explain/
codegen/kernel|codegen_plan_test|^tests/kernels/.*opencl ^tests/explain/
codegen/native|native_codegen_test|^tests/kernels/steps
codegen/host|sema_test|^tests/host/ ^tests/docs/
runtime|runtime_value_test objects_test|^tests/host/ ^tests/docs/
stdlib||^tests/lang/library/ ^tests/docs/
server|server_test server_text_test|
driver||^tests/explain/
docs||
samples||^samples/tutorial/'

changed=$({ git diff --name-only "$BASE"; git ls-files -o --exclude-standard; } | sort -u)
[ -n "$changed" ] || { echo "nothing differs from $BASE"; exit 0; }

units='' goldens='' layers='' made=
for f in $changed; do
    case $f in *.c | *.h | *.def) layers=yes ;; esac
    case $f in stdlib/* | base/*/*.def) made=yes ;; esac # pages are made of these
    case $f in tests/*.out) goldens="$goldens ^$f\$" ;; tests/*.cs\$) goldens="$goldens ^${f%.cs\$}[.]" ;; esac
    row=$(printf '%s\n' "$table" | while IFS='|' read -r folder unit golden; do
        case $f in "$folder"/*) echo "$unit|$golden"; break ;; esac
    done)
    [ -n "$row" ] || continue
    units="$units ${row%%|*}" goldens="$goldens ${row#*|}"
done
unique() { printf '%s\n' "$@" | sort -u | tr '\n' ' '; }
# shellcheck disable=SC2086
units=$(unique $units) goldens=$(unique $goldens)

programs=
for t in $units; do programs="$programs $BUILD/unit/$t"; done
helpers=
case $goldens in *tests/fdag* | *tests/schedule/*) helpers="$BUILD/unit/fdag_pass $BUILD/unit/nest_tool" ;; esac
# shellcheck disable=SC2086
${MAKE:-make} --no-print-directory -j2 all $programs $helpers
failed=0
if [ -n "$layers" ]; then ${MAKE:-make} --no-print-directory layers || failed=1; fi
# shellcheck disable=SC2086
[ -z "${programs# }" ] || CSC=$CSC tests/run-unit $programs || failed=1
# shellcheck disable=SC2086
[ -z "${goldens# }" ] || CSC=$CSC BUILD=$BUILD tests/run $goldens || failed=1
tools/examples.sh || failed=1
CSC=$CSC tests/pages || failed=1
[ -z "$made" ] || { tests/numpy/covered && CSC=$CSC tests/explain; } || failed=1
exit $failed
