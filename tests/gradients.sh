#!/bin/sh
# Derivatives of random functions (tests/gradients.py): tests/gradients.sh FROM TO, natively and on the reference executor.
# What went wrong is printed; its number tells which function it is. OPTIONS are csc's: kernels are the same at every level.
set -u
cd "$(dirname "$0")/.."
: "${CSC:=./csc}" "${DEVICES:=native ref}" "${OPTIONS=-O0 --native=host}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
# a loop that is held back, forth and back
# shellcheck disable=SC2086
"$CSC" $OPTIONS 'tests/programs/gradients_steps.cs$' -o "$work/case" || failed=1
CS_PLAN=greedy CS_GUARD=1 CS_DEVICE=native "$work/case" | cmp - tests/programs/gradients_steps.run.out || failed=1
# tapes that have no more room: the other turns have states
# shellcheck disable=SC2086
"$CSC" $OPTIONS 'tests/programs/gradients_recorded.cs$' -o "$work/case" || failed=1
for keep in 8 100 1000; do
    CS_KEEP=$keep "$work/case" | cmp - tests/programs/gradients_recorded.run.out || failed=1
done
from=$1
while [ "$from" -lt "$2" ]; do
    to=$((from + 10 < $2 ? from + 10 : $2))
    python3 tests/gradients.py "$from" "$to" >"$work/case.cs$"
    # shellcheck disable=SC2086
    if ! "$CSC" $OPTIONS "$work/case.cs$" -o "$work/case" 2>"$work/out"; then
        echo "FAIL gradients $from to $to: csc"
        head -n 5 "$work/out"
        failed=1
    else
        for device in $DEVICES; do
            CS_DEVICE=$device "$work/case" >"$work/out" 2>&1
            [ "$(cat "$work/out")" = "$((to - from)) functions" ] && continue
            echo "FAIL gradients $from to $to on $device"
            cat "$work/out"
            failed=1
        done
    fi
    from=$to
done
exit $failed
