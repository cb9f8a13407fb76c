#!/bin/sh
# Products of every shape, type and tile against a float64 product: tests/matmul.sh [long]
set -eu
cd "$(dirname "$0")/.."
: "${CSC:=./csc}" "${BUILD:=build}"
export CS_INTERPRET=0 # also products of 1 x 1 by kernels
shapes="1,1,1 1,7,1 3,5,2 16,16,16 64,1,64 127,128,129 1,4096,1 0,3,2 3,0,2 3,2,0"
options='-O0 --native=host' # of csc
if [ "${1:-}" = long ]; then
    shapes="$shapes 512,512,512 1000,333,77 2048,2048,2048"
    options=
else
    export CS_BUILD_OPTIONS=-cl-opt-disable # what our texts mean is what matters, and POCL builds faster
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0
"$CSC" 'samples/matmul/matrices.cs$' -o "$work/float_in"
"$CSC" 'tests/matmul/matrices.cs$' -o "$work/other_in"
for tile in auto 1x1 2x2 4x4; do
    # shellcheck disable=SC2086
    "$CSC" $options --tile=$tile 'samples/matmul/matmul.cs$' -o "$work/float_$tile"
    # shellcheck disable=SC2086
    "$CSC" $options --tile=$tile 'tests/matmul/double.cs$' -o "$work/double_$tile"
    # shellcheck disable=SC2086
    "$CSC" $options --tile=$tile 'tests/matmul/int.cs$' -o "$work/int_$tile"
done
product() { # type tile tolerance
    in=$work/$1
    if "$work/$1_$2" "$in"_a.npy "$in"_b.npy "$work/c.npy" >"$work/log" 2>&1 &&
        "$BUILD/npyprod" "$in"_a.npy "$in"_b.npy "$work/c.npy" "$3" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL matmul $shape $1 --tile=$2 ${CS_FAMILY:-cpu} ${CS_DEVICE:-}: $(cat "$work/log")"
    fi
}
for shape in $shapes; do
    # shellcheck disable=SC2046
    set -- $(echo "$shape" | tr , ' ')
    "$work/float_in" "$@" "$work/float_a.npy" "$work/float_b.npy" >/dev/null
    "$work/other_in" "$@" "$work/double_a.npy" "$work/double_b.npy" "$work/int_a.npy" "$work/int_b.npy"
    for tile in auto 1x1 2x2 4x4; do
        product float $tile 1e-5
        product double $tile 1e-13
        product int $tile 0
    done
    CS_FAMILY=gpu product float auto 1e-5
    CS_DEVICE=native product float auto 1e-5
    CS_DEVICE=native product double auto 1e-13
    CS_DEVICE=native product int auto 0
    case $shape in 512,* | 2048,*) ;; *) CS_DEVICE=ref product float auto 1e-5 ;; esac # it interprets
done
echo "matmul: $passed passed, $failed failed"
[ $failed = 0 ]
