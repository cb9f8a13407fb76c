#!/bin/sh
# Running out of memory: every allocation of some programs, and of the compiler, is failed once (tests/tools/allfail.c says
# what is right then). `tests/memory.sh` takes some of the points of some of the runs, others after each commit
# (tests/tools/draw), `tests/memory.sh long` all of all.
set -u
cd "$(dirname "$0")/.."
: "${CSC:=./csc}" "${BUILD:=build}" "${DRAW:=$(tests/tools/draw)}"
long=${1:-}
export CS_BUILD_OPTIONS=-cl-opt-disable # POCL builds faster; what it allocates is its own affair
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0

# what NAME EVERY [option..] -- program..: in the short form only each EVERY-th point, none for EVERY 0
check() {
    every=$1
    shift
    [ -n "$long" ] && every=1
    [ "$every" = 0 ] || "$BUILD/faults/allfail" -every "$every" -draw "$DRAW" "$@" >"$work/said" || bad=1
    [ "$every" = 0 ] || sed "s|$work/||" "$work/said"
}

for source in tests/memory/*.cs\$; do
    name=${source##*/}
    name=${name%.cs\$}
    program=$work/$name
    "$CSC" -c -o "$program.o" "$source" || exit 1
    cc -o "$program" "$program.o" "$BUILD/faults/mem.o" "$BUILD/libcsrt.a" -Wl,--gc-sections -lOpenCL -lm ${MEMORY_LINK:-} || exit 1
    export CS_DEVICE=ref CS_CACHE_DIR=
    check 3 "$program" "$work/$name.npy"
    check 29 -all "$program" "$work/$name.npy"
    export CS_DEVICE=cpu CS_CACHE_DIR="$work/cache"
    check 101 "$program" "$work/$name.npy"
    CS_PROFILE=1
    export CS_PROFILE
    check 307 "$program" "$work/$name.npy"
    unset CS_PROFILE
    CS_CACHE_DIR=
    check 0 "$program" "$work/$name.npy"
    CS_CACHE_DIR="$work/cache" CS_FAMILY=gpu
    export CS_FAMILY
    check 0 "$program" "$work/$name.npy"
    unset CS_DEVICE CS_CACHE_DIR CS_FAMILY
done

for source in tests/memory/evaluation.cs\$ samples/matmul/matmul.cs\$; do
    check 499 -tell 'csc: out of memory' -removes "$work/out" "$BUILD/faults/csc" -c -o "$work/out" "$source"
    check 701 -tell 'csc: out of memory' "$BUILD/faults/csc" --emit=opencl "$source"
done
[ -z "$(ls "$work" | grep -v -e '^cache$' -e '^said$' -e '^out$' -e '\.o$' -e '\.npy$' -e '^collections$' -e '^evaluation$' -e '^functions$')" ] || {
    echo "FAIL left behind:"
    ls "$work"
    bad=1
}
exit $bad
