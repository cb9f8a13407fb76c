# Benchmarks of kind maps, sourced by bench/run: functions of reals over vectors against loops of C by clang -O3
# -march=native -ffast-math -fopenmp with -fveclib=libmvec where it knows that, or by gcc (which takes libmvec by itself);
# the notes say which.
# shellcheck shell=sh disable=SC2034,SC2154

maps_unit=G/s

maps_work() { # N NAME: elements, in units of 1e9
    awk -v n="${1%% *}" 'BEGIN { printf "%.9g", n * n / 1e9 }'
}

maps_build() {
    build_loops maps
    build_csc maps maps-csc
}

maps_list() { # N NAME
    echo "csc ours $out/maps-csc $1"
    echo "c peer $out/maps $1"
}
