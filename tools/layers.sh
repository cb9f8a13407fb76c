#!/bin/sh
# Checks the include rules of docs/architecture.md. FOLDER: the folders that it may include, with what is in them;
# FOLDER/. is the folder's own files only. The longest folder that fits a file decides.
set -eu
cd "$(dirname "$0")/.."

rules='base: base
lexer: base lexer
parser: base lexer parser
format: base lexer format
fdag: base fdag
sema: base parser fdag sema codegen/abi
codegen/abi: codegen/abi
codegen/kernel: base fdag codegen/kernel
codegen/kernel/ir: base fdag codegen/kernel/ir
codegen/kernel/math: base fdag codegen/kernel/ir codegen/kernel/math
codegen/kernel/schedule/nest: base fdag codegen/kernel/. codegen/kernel/ir codegen/kernel/plan codegen/kernel/value codegen/kernel/schedule/. codegen/kernel/schedule/nest
codegen/llvm: base fdag codegen/llvm
codegen/native: base fdag codegen/kernel codegen/llvm codegen/native
codegen/host: base parser fdag sema codegen
runtime: base fdag codegen/kernel codegen/abi runtime
runtime/device: base codegen/kernel runtime/. runtime/device runtime/library
runtime/library: base runtime/. runtime/objects runtime/library
runtime/reference: base fdag runtime/. runtime/evaluate runtime/reference
server: base lexer parser format sema server
driver: base lexer parser format fdag sema codegen server driver
csc.c: base driver'

bad=0
complain() {
    echo "$1"
    bad=1
}
folder() { # of a path without . and ..: csc.c itself at the top
    case $1 in */*) echo "${1%/*}" ;; *) echo "$1" ;; esac
}
allowed_in() { # a folder's rule
    d=$1
    while :; do
        rule=$(printf '%s\n' "$rules" | sed -n "s|^$d: ||p")
        [ -n "$rule" ] && { echo "$rule"; return; }
        case $d in */*) d=${d%/*} ;; *) return ;; esac
    done
}
is_allowed() { # folder, rule
    case " $2 " in *" $1/. "*) return 0 ;; esac
    d=$1
    while :; do
        case " $2 " in *" $d "*) return 0 ;; esac
        case $d in */*) d=${d%/*} ;; *) return 1 ;; esac
    done
}
for file in $(git ls-files -co --exclude-standard '*.c' '*.h' '*.l' '*.y' '*.def'); do
    case $file in tests/* | bench/* | samples/*) continue ;; esac
    [ -f "$file" ] || continue
    allowed=$(allowed_in "$(folder "$file")")
    [ -n "$allowed" ] || { complain "$file: no rule for its folder"; continue; }
    for inc in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
        to=$(realpath -m --relative-to=. "$(dirname "$file")/$inc")
        [ -f "$to" ] || continue # generated
        is_allowed "$(folder "$to")" "$allowed" || complain "$file: may not include $inc"
        # Graphs are made in lowering alone; sema.h hands them over.
        case $file:$to in
        sema/lower/*:fdag/* | sema/sema.h:fdag/fdag.h | sema/*:fdag/ops.h) ;;
        sema/*:fdag/*) complain "$file: only sema/lower may see graphs" ;;
        esac
    done
    case $file in runtime/device/device_impl.h) continue ;; esac
    if grep -q 'include <CL/' "$file"; then complain "$file: only runtime/device calls OpenCL, through device_impl.h"; fi
done
exit $bad
