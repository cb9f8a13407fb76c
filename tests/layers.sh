#!/bin/sh
# tools/layers.sh notices what it is there for: a copy of the tree with one wrong line each, of which the
# file that is changed is compiled.
set -eu
cd "$(dirname "$0")/.."
: "${BUILD:=build}" "${CC:=cc}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git ls-files -co --exclude-standard base lexer parser format fdag sema codegen runtime server driver tools csc.c 'tests/*.[ch]' |
    while read -r f; do [ ! -f "$f" ] || echo "$f"; done | tar -cf - -T - | tar -xf - -C "$work"
mkdir -p "$work/objects"
(cd "$BUILD" && find obj rt csc.o lexer parser driver -name '*.o' | tar -cf - -T -) | tar -xf - -C "$work/objects"
(cd "$work" && git init -q .)
failed=0
fails() { # what, file, text, what is said
    object=$work/objects/obj/${2%.c}.o
    [ -f "$object" ] || object=$work/objects/rt/${2%.c}.o
    cp "$work/$2" "$work/before.c"
    cp "$object" "$work/before.o"
    printf '%s\n' "$3" >>"$work/$2"
    $CC -std=c17 -D_GNU_SOURCE -I"$BUILD" -c -o "$object" "$work/$2"
    (cd "$work" && BUILD=objects tools/layers.sh >said 2>&1) && status=0 || status=$?
    if [ "$status" = 0 ] || ! grep -q "$4" "$work/said"; then
        echo "FAIL layers: $1"
        cat "$work/said"
        failed=1
    fi
    mv "$work/before.c" "$work/$2"
    mv "$work/before.o" "$object"
}
fails "a graph is made in sema/functional" sema/functional/free.c \
    'void *other(void) __asm__("fd_let"); void *made(void); void *made(void) { return other(); }' 'only sema/lower may make graphs, by fd_let'
fails "plan calls value" codegen/kernel/plan/write.c \
    'void *other(void) __asm__("gen_value"); void *made(void); void *made(void) { return other(); }' 'may not call gen_value'
fails "an analysis includes schedule" codegen/kernel/analysis/sized.c \
    '#include "../schedule/schedule.h"' 'may not include ../schedule/schedule.h'
fails "a function that nobody else calls" base/intern.c \
    'void intern_alone(void); void intern_alone(void) {}' 'base/intern.c: nobody else uses intern_alone'
fails "a table that nobody else reads" runtime/sort/sort.c \
    'extern const int sort_table[1]; const int sort_table[1] = {1};' 'runtime/sort/sort.c: nobody else uses sort_table'
fails "a file is too long" base/intern.c "$(yes '' | head -n 500; echo 'enum { END };')" 'base/intern.c: more than 500 lines'
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21; do : >"$work/sema/lower/user/other$i.h"; done
fails "a folder has too many files" base/intern.c '' 'sema/lower/user/: more than 20 sources'
[ $failed = 0 ] && echo "layers: what is wrong is noticed"
exit $failed
