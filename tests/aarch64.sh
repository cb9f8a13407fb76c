#!/bin/sh
# Golden programs on another processor: for aarch64, run by qemu-user, with kernels as machine code (vectors of 16
# bytes). tests/aarch64.sh [FILE.cs$..]. The runtime and a csc for that machine, whose LLVM is the shared one with all
# targets, are built into $BUILD/aarch64. Without qemu or a cross compiler nothing is run (tools/install-deps.sh aarch64).
set -u
cd "$(dirname "$0")/.." || exit 1
: "${BUILD:=build}" "${CC:=cc}"
triple=aarch64-linux-gnu
for tool in qemu-aarch64 $triple-gcc; do
    command -v $tool >/dev/null && continue
    echo "aarch64: $tool is missing (tools/install-deps.sh aarch64), no program is run"
    exit 0
done
into=$BUILD/aarch64
make -s BUILD="$into" CC="$triple-gcc" CFLAGS="-O1 -idirafter /usr/include" "$into/csrt.o" || exit 1
for v in -21 -20 -19 -18 -17 -16 -15 ''; do
    config=llvm-config$v
    command -v "$config" >/dev/null && break
done
llvm=$("$config" --cflags --ldflags --libs) || exit 1
objects=
for file in codegen/llvm/machine codegen/native/func; do # the two that know of CSC_TARGET; they come before those of libcsc.a
    object=$into/${file##*/}.o
    # shellcheck disable=SC2086
    $CC -std=c17 -D_GNU_SOURCE -O1 "-DCSC_TARGET=\"$triple\"" $llvm -I"$BUILD" -c -o "$object" $file.c || exit 1
    objects="$objects $object"
done
# shellcheck disable=SC2086
$CC -o "$into/csc" "$BUILD/csc.o" $objects "$BUILD/libcsc.a" $llvm -ljansson -lcmark -ledit -lm || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# No driver: what has no code is interpreted.
$triple-nm -u "$into/csrt.o" | awk '$2 ~ /^cl[A-Z]/ { print "int " $2 "(void) { return -1001; }" }' >"$work/none.c"
$triple-gcc -shared -fPIC -o "$work/libOpenCL.so" "$work/none.c" || exit 1
[ $# -gt 0 ] || set -- samples/jacobi/jacobi.cs$ samples/kmeans/kmeans.cs$ samples/mandelbrot/mandelbrot.cs$ \
    samples/nbody/nbody.cs$ samples/histogram/histogram.cs$ samples/sweep/sweep.cs$ samples/wave/wave.cs$ samples/blackscholes/blackscholes.cs$ \
    tests/kernels/forms.cs$ tests/kernels/turns.cs$ tests/kernels/turned.cs$ samples/aes/aes.cs$
ulimit -c 0 2>"$work/err" # qemu writes large ones
export CS_DEVICE=native CS_JIT='' CS_CACHE_DIR='' CS_INTERPRET=0
passed=0 failed=0 launches=0
for file; do
    if "$into/csc" --native=v2 --emit=obj "$file" -o "$work/program.o" 2>"$work/err" &&
        $triple-gcc -o "$work/program" "$work/program.o" "$into/csrt.o" -L"$work" -lOpenCL -lm "-Wl,-rpath,$work" 2>"$work/err" &&
        CS_DUMP=plan timeout 300 qemu-aarch64 -L /usr/$triple "$work/program" <&- >"$work/out" 2>"$work/err" &&
        cmp -s "$work/out" "${file%.cs\$}.run.out"; then
        passed=$((passed + 1)) launches=$((launches + $(grep -c '^run ' "$work/err")))
    else
        echo "FAIL aarch64 $file"
        [ -e "$work/out" ] && diff "$work/out" "${file%.cs\$}.run.out" | head -n 5
        tail -n 3 "$work/err"
        failed=$((failed + 1))
    fi
    rm -f "$work/program" "$work/program.o" "$work/out"
done
echo "aarch64: $passed passed, $failed failed, $launches launches"
[ $failed = 0 ] && [ $launches -gt 0 ]
