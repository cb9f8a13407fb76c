#!/bin/sh
# The programs of tests/programs give one output at -O0 and -O3, exactly under --precise: tests/levels.sh [PATTERN]. The
# levels are those of host code, so kernels run once, at -O3, and the reference executor at -O0. tests/run has
# compared -O0 and -O2 in all families. Without PATTERN one program in three (tests/tools/draw), at -O3 only, with kernels
# for this processor; all in tests/long.
set -u
cd "$(dirname "$0")/.."
: "${CSC:=./csc}" "${DRAW:=$(tests/tools/draw)}"
export DRAW
# csc finds objects that it made before, as in tests/run
: "${KEPT=${CS_CACHE_DIR-${XDG_CACHE_HOME:-${HOME:-}/.cache}/cs-dollar}}"
csc() { CS_CACHE_DIR=$KEPT "$CSC" "$@"; }
export CSC KEPT
export CS_CACHE_DIR= # as in tests/run
if [ "${1:-}" = --one ]; then
    name=$2
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for level in "-O0 --native=off" -O3; do
        case $DRAW$level in
        all*) ;;
        *-O0*) continue ;;
        *) level="$level --native=host" ;;
        esac
        # shellcheck disable=SC2086
        csc $level --precise "$name.cs\$" -o "$work/prog" 2>"$work/err" || { echo "FAIL $name $level does not compile"; exit 0; }
        case $level in -O0*) device=ref ;; *) device= ;; esac
        CS_DEVICE=$device timeout 120 "$work/prog" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        [ ! -f "$name.stderr" ] || cat "$work/err" >>"$work/out"
        [ $status = 0 ] || echo "exit $status" >>"$work/out"
        cmp -s "$work/out" "$name.run.out" && continue
        echo "FAIL $name $level --precise CS_DEVICE=$device"
        diff -u "$name.run.out" "$work/out" | head -n 20
    done
    exit 0
fi
[ $# = 0 ] || DRAW=all
list=$(find tests/programs -name '*.run.out' | sed 's/\.run\.out$//' | grep -e "${1:-.}" | sort)
[ "$DRAW" = all ] || list=$(echo "$list" | awk -v draw="$DRAW" 'NR % 3 == draw % 3')
out=$(echo "$list" | xargs -r -P 2 -n 1 tests/levels.sh --one)
[ -z "$out" ] || echo "$out"
failed=$(echo "$out" | grep -c '^FAIL')
echo "levels: $(echo "$list" | wc -l) programs, $failed failures"
[ "$failed" = 0 ]
