# Benchmarks of kind forms, sourced by bench/run: values written plainly, as one sum, and beside them by hand, in steps that
# are fast whatever the compiler does (bench/forms.cs$).
# shellcheck shell=sh disable=SC2034,SC2154

forms_unit=1/s
forms_times=1 # the column that counts: its time, divided by that of the steps by hand

forms_work() {
    echo 1
}

forms_build() {
    build_csc forms forms --native=v3,v4
}

forms_list() { # FORM
    echo "csc ours $out/forms $1 plain"
    echo "hand peer $out/forms $1 hand"
}
