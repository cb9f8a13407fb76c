# Benchmarks of kind cliff, sourced by bench/run: what a product of n by n matrices of another form costs (a result of
# another type, an epilogue, a transposed operand ..) beside the plain one of floats, in the same program.
# shellcheck shell=sh disable=SC2034,SC2154

cliff_unit=GOP/s
cliff_times=1 # the column that counts: its time, divided by that of the plain product

cliff_work() { # N FORM: operations of one product, in units of 1e9
    awk -v n="${1%% *}" 'BEGIN { printf "%.9g", 2 * n * n * n / 1e9 }'
}

cliff_build() {
    build_csc cliff cliff --native=v3,v4
}

cliff_list() { # N FORM
    echo "csc ours $out/cliff $1"
    echo "float peer $out/cliff ${1%% *} float"
}
