# Benchmarks of kind gradients, sourced by bench/run: values and their gradients by WithGrad, and beside them both written
# by hand, and the value alone (bench/gradients.cs$).
# shellcheck shell=sh disable=SC2034,SC2154

gradients_unit=1/s
gradients_times=1 # the column that counts: its time, divided by that of what is written by hand

gradients_work() {
    echo 1
}

gradients_build() {
    build_csc gradients gradients --native=v3,v4
}

gradients_list() { # FORM
    echo "csc ours $out/gradients $1 derived"
    echo "hand peer $out/gradients $1 hand"
    echo "value other $out/gradients $1 value"
}
