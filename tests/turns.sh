#!/bin/sh
# Random loops: tests/turns.sh FROM TO [LOOPS], of tests/turns.py or, where LOOPS_BY says so, of tests/ranges.py, small.py or shorts.py (with CS_SHORT=60);
# planned in each way between guarded pages, and as usual without them, as on the reference executor with all arrays as
# arrays (-g). The number that is printed gives the program again. AGAINST: what they are compared with, instead of that executor
# (tests/reals.py: AGAINST=CS_PLAN=0). OPTIONS are csc's: kernels are the same at
# every level.
set -u
cd "$(dirname "$0")/.."
: "${CSC:=./csc}" "${OPTIONS=-O0 --native=host}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
seed=$1
while [ "$seed" -lt "$2" ]; do
    python3 "tests/${LOOPS_BY:-turns}.py" "$seed" "${3:-10}" >"$work/case.cs$"
    # shellcheck disable=SC2086
    if ! "$CSC" $OPTIONS -g "$work/case.cs$" -o "$work/whole" 2>"$work/error" ||
        ! "$CSC" $OPTIONS "$work/case.cs$" -o "$work/case" 2>"$work/error"; then
        echo "FAIL turns $seed: csc"
        head -n 5 "$work/error"
        failed=1
    else
        env ${AGAINST:-CS_DEVICE=ref} "$work/whole" >"$work/ref" 2>&1
        for plan in ${PLANS:-0 1 greedy 1/0}; do
            case $plan in */0) guard=0 ;; *) guard=1 ;; esac
            CS_PLAN=${plan%/0} CS_INTERPRET=0 CS_GUARD=$guard CS_DEVICE=${DEVICE:-native} "$work/case" >"$work/held" 2>&1
            cmp -s "$work/ref" "$work/held" && continue
            echo "FAIL turns $seed, CS_PLAN=$plan"
            diff "$work/ref" "$work/held" | head -n 4
            failed=1
        done
    fi
    seed=$((seed + 1))
done
exit $failed
