# Benchmarks of kind workload, sourced by bench/run: whole small programs of bench/workloads/KIND against the same in C by clang -O3
# -march=native -ffast-math -fopenmp with -fveclib=libmvec where it knows that, or by gcc where there is no clang. NAME-FORM is
# another form of NAME in C$: it is timed against NAME.c unless there is a NAME-FORM.c. Checksums must agree.
# shellcheck shell=sh disable=SC2034,SC2154

workload_unit=runs/s

workload_work() { # NAME SIZE
    echo 1
}

workload_build() {
    find_loops_cc
}

# Runs a program, prints its time and the note, and fails unless its checksum is that of those before it.
workload_time() { # NOTE PROGRAM SIZE
    note=$1
    shift
    "$@" >"$tmp/printed" || { cat "$tmp/printed"; return 1; }
    read -r seconds check first <"$tmp/printed" # first: of ours (bench/first)
    [ -s "$tmp/check" ] || echo "$check" >"$tmp/check"
    awk -v a="$check" -v b="$(cat "$tmp/check")" 'BEGIN {
        a = a + 0; b = b + 0
        most = a * a > b * b ? a * a : b * b
        exit !((a - b) * (a - b) <= 1e-6 * most)
    }' || { echo "the checksum is $check, not $(cat "$tmp/check")" >&2; return 1; }
    [ "$note" = - ] && echo "$seconds" || echo "$seconds $note"
}

workload_list() { # NAME SIZE; builds what the row needs
    name=${1%% *} size=${1#* }
    rm -f "$tmp/check"
    mkdir -p "$out/workloads/${name%/*}"
    peer=$name
    [ -f "bench/workloads/$peer.c" ] || peer=${name%%-*}
    # shellcheck disable=SC2086
    (CC=$loops_cc && build_c "workloads/$peer" -ffast-math -fopenmp $veclib) || exit 1
    build_csc "workloads/$name" "workloads/$name-csc" -I bench/workloads
    echo "csc ours workload_time - $out/workloads/$name-csc $size"
    echo "c peer workload_time $loops_cc $out/workloads/$peer $size"
}
