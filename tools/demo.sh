#!/bin/sh
# make demo: two 1000 x 1000 matrices made by one C$ program, multiplied by another.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
run() { echo "\$ $*"; "$@"; }
run ./csc 'samples/matmul/matrices.cs$' -o "$work/matrices"
run "$work/matrices" 1000 1000 1000 "$work/a.npy" "$work/b.npy"
run ./csc 'samples/matmul/matmul.cs$' -o "$work/matmul"
run "$work/matmul" "$work/a.npy" "$work/b.npy" "$work/c.npy"
