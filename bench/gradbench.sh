# Benchmarks of kind gradbench, sourced by bench/run: the problems of GradBench (github.com/gradbench/gradbench), written
# anew in C$ and for JAX (bench/gradbench), where python3, or $PYTHON, has that. Derivatives must be JAX's.
# shellcheck shell=sh disable=SC2034,SC2154

gradbench_unit=runs/s
gradbench_best=1

gradbench_work() { # NAME SIZES..
    echo 1
}

gradbench_build() {
    gradbench_python=${PYTHON:-python3}
    gradbench_jax=1
    "$gradbench_python" -c 'import jax' 2>/dev/null || {
        gradbench_jax=
        echo "bench: $gradbench_python has no jax: left out. Set PYTHON to one that has" >&2
    }
    mkdir -p "$out/gradbench"
    export PYTHONDONTWRITEBYTECODE=1 JAX_PLATFORMS=cpu
}

gradbench_ours() { # NAME SIZES..
    name=$1
    shift
    rm -f "$tmp"/ours.*
    "$out/gradbench/$name" "$tmp/ours" "$@" >"$tmp/printed" || { cat "$tmp/printed"; return 1; }
    [ -z "$gradbench_jax" ] || "$gradbench_python" bench/npbench/peers.py check "$tmp/expected" "$tmp/ours" || return 1
    cut -d' ' -f1 "$tmp/printed"
}

gradbench_list() { # NAME SIZES..; builds what the row needs, and JAX's results
    # shellcheck disable=SC2086
    set -- $1
    build_csc "gradbench/$1" "gradbench/$1" -I bench/workloads -I bench/npbench
    echo "csc ours gradbench_ours $*"
    [ -n "$gradbench_jax" ] || return
    name=$1
    shift
    rm -f "$tmp"/expected.*
    "$gradbench_python" bench/npbench/peers.py expected-jax ../gradbench "$name" "$tmp/expected" "$@" || status=1
    echo "jax peer $gradbench_python bench/npbench/peers.py jax ../gradbench $name $tmp/expected $*"
}
