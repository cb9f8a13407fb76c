#!/bin/sh
# Checks the include rules of docs/architecture.md: FOLDER: folders it may include.
set -eu
cd "$(dirname "$0")/.."

rules='base: base
lexer: base lexer
parser: base lexer parser
fdag: base fdag
sema: base parser fdag sema
codegen: base fdag codegen
host: base parser fdag sema codegen
runtime: base fdag codegen runtime
csc.c: base lexer parser fdag sema codegen'

bad=0
for file in $(git ls-files -co --exclude-standard '*.c' '*.h' '*.l' '*.y' '*.def'); do
    case $file in
    tests/* | bench/*) continue ;;
    codegen/host*) layer=host ;;
    */*) layer=${file%%/*} ;;
    *) layer=$file ;;
    esac
    allowed=$(printf '%s\n' "$rules" | sed -n "s/^$layer: //p")
    [ -n "$allowed" ] || { echo "$file: no layer rule for '$layer'"; bad=1; continue; }
    for inc in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
        case $inc in
        ../../*) to=${inc#../../}; to=${to%%/*} ;;
        ../*) to=${inc#../}; case $file in fdag/passes/*) to=fdag ;; *) to=${to%%/*} ;; esac ;;
        */*) to=${inc%%/*} ;;
        *) to=${file%%/*} ;;
        esac
        case $to in passes) to=fdag ;; esac
        case " $allowed " in
        *" $to "*) ;;
        *) echo "$file: $layer may not include $inc"; bad=1 ;;
        esac
        # Only the host back end may be seen by the driver, never by the shared kernel generator or the runtime.
        case $layer:$inc in
        codegen:host* | runtime:*codegen/host*) echo "$file: $layer may not include $inc"; bad=1 ;;
        esac
    done
done
# The AST and the FDAG meet in lowering alone.
for file in $(git ls-files -co --exclude-standard 'sema/*.c'); do
    case $file in sema/lower* | sema/foresee* | sema/sema.c) continue ;; esac
    if grep -q '#include "../fdag/fdag.h"' "$file"; then echo "$file: only sema/lower* may see the FDAG"; bad=1; fi
done
for file in $(git ls-files -co --exclude-standard '*.c' '*.h'); do
    case $file in runtime/device_impl.h | tests/* | bench/*) continue ;; esac
    if grep -q 'include <CL/' "$file"; then echo "$file: only runtime/device*.c calls OpenCL, through device_impl.h"; bad=1; fi
done
exit $bad
