# Benchmarks of kind loops, sourced by bench/run: passes over memory against loops of C by clang -O3 -march=native
# -ffast-math -fopenmp, or by gcc where there is no clang that can; the notes say which.
# shellcheck shell=sh disable=SC2034,SC2154

loops_unit=GB/s

loops_work() { # N NAME: bytes that must be moved, in units of 1e9
    awk -v n="${1%% *}" -v name="${1#* }" 'BEGIN {
        passes = name == "dot" || name == "norm-rows" ? 2 : 1
        printf "%.9g", 4 * n * n * passes / 1e9
    }'
}

loops_build() {
    build_loops loops
    build_csc loops loops-csc
}

loops_list() { # N NAME
    echo "csc ours $out/loops-csc $1"
    echo "c peer $out/loops $1"
}
