# Benchmarks of kind stream, sourced by bench/run: passes over vectors of n floats, and 20 sweeps of Jacobi over an n by n
# matrix, beside STREAM (McCalpin) measured in the same run: the time that its fastest kernel takes for the same bytes. A
# sweep counts as one read and one write of the matrix. stream: as a compiler makes its loops; nontemporal: with stores
# past the caches.
# shellcheck shell=sh disable=SC2034,SC2154

stream_unit=GB/s

stream_work() { # N NAME: bytes, in units of 1e9
    awk -v n="${1%% *}" -v name="${1#* }" 'BEGIN {
        bytes["sum"] = bytes["max"] = 4; bytes["dot"] = bytes["map"] = 8; bytes["saxpy"] = 12
        printf "%.9g", (name in bytes ? bytes[name] * n : 20 * 8 * n * n) / 1e9
    }'
}

stream_build() {
    build_loops stream
    build_csc stream stream-csc
}

stream_list() { # N NAME
    echo "csc ours $out/stream-csc $1"
    echo "stream peer $out/stream plain $(stream_work "$1")"
    echo "nontemporal other $out/stream nontemporal $(stream_work "$1")"
}
