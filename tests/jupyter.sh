#!/bin/bash
# The kernel of Jupyter (python/csdollar_kernel.py): a notebook runs without anybody looking, and shows
# what its cells write. JUPYTER names the python3 that has it; without one there is nothing to test.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${CSC:=./csc}"
CSC=$(realpath "$CSC")
top=$PWD
python=${JUPYTER:-python3}
if ! "$python" -c 'import ipykernel, nbclient' 2>/dev/null; then
    echo "jupyter: skipped, python3 has no ipykernel and nbclient"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CSC
PYTHONPATH="$top/python" "$python" -m csdollar_kernel install --prefix "$work" >/dev/null || exit 1
JUPYTER_PATH="$work/share/jupyter" PYTHONPATH="$top/python" "$python" "$top/tests/tools/notebook.py" "$work" || exit 1
echo "jupyter: passed"
