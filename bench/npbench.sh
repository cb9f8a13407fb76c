# Benchmarks of kind npbench, sourced by bench/run: programs of NPBench (github.com/spcl/npbench), written anew in C$ and in
# Python (bench/npbench/FAMILY), against NumPy, numba and JAX where python3, or $PYTHON, has them. Results must be NumPy's.
# shellcheck shell=sh disable=SC2034,SC2154

npbench_unit=runs/s
npbench_best=1 # one ratio: the best peer's

npbench_work() { # FAMILY/NAME SIZES..
    echo 1
}

npbench_build() {
    npbench_python=${PYTHON:-python3}
    "$npbench_python" -c 'import numpy' 2>/dev/null \
        || { echo "bench: $npbench_python has no NumPy: run tools/install-deps.sh python, or set PYTHON" >&2; exit 1; }
    npbench_peers=numpy
    for peer in numba jax; do
        if "$npbench_python" -c "import $peer" 2>/dev/null; then
            npbench_peers="$npbench_peers $peer"
        else
            echo "bench: $npbench_python has no $peer: left out" >&2
        fi
    done
    mkdir -p "$out/npbench"
    export NUMBA_NUM_THREADS="$threads" PYTHONDONTWRITEBYTECODE=1 JAX_PLATFORMS=cpu
}

npbench_ours() { # NAME SIZES..
    name=$1
    shift
    rm -f "$tmp"/ours.*
    "$out/npbench/$name-csc" "$tmp/ours" "$@" >"$tmp/printed" || { cat "$tmp/printed"; return 1; }
    "$npbench_python" bench/npbench/peers.py check "$tmp/expected" "$tmp/ours" || return 1
    cut -d' ' -f1 "$tmp/printed"
}

npbench_list() { # FAMILY/NAME SIZES..; builds what the row needs, and NumPy's results
    # shellcheck disable=SC2086
    set -- $1
    family=${1%/*} name=${1#*/}
    shift
    build_csc "npbench/$family/$name" "npbench/$name-csc" -I bench/workloads -I bench/npbench
    rm -f "$tmp"/expected.*
    "$npbench_python" bench/npbench/peers.py expected "$family" "$name" "$tmp/expected" "$@" || status=1
    echo "csc ours npbench_ours $name $*"
    for peer in $npbench_peers; do
        echo "$peer peer $npbench_python bench/npbench/peers.py $peer $family $name $tmp/expected $*"
    done
}
