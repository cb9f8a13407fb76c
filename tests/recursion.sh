#!/bin/sh
# Endless recursion of every kind ends with a StackOverflowException and C$ lines, at every level of optimisation:
# tests/errors/endless_recursion.cs$ knows the kinds.
set -u
cd "$(dirname "$0")/.."
: "${CSC:=./csc}"
name=tests/errors/endless_recursion.cs\$
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
total=0
for level in -O0 -O1 -O2 -O3; do
    "$CSC" $level "$name" -o "$work/prog" 2>"$work/err" || { cat "$work/err"; exit 1; }
    for kind in $(sed -n 's/^case "\(.*\)":.*/\1/p' "$name"); do
        total=$((total + 1))
        timeout 60 "$work/prog" "$kind" >"$work/out" 2>"$work/err" </dev/null
        status=$?
        [ $status = 1 ] && [ "$(cat "$work/out")" = before ] &&
            head -n 1 "$work/err" | grep -q '^Unhandled StackOverflowException: ' &&
            sed -n 2,3p "$work/err" | grep -c "^   at .* (.*:[0-9]*:[0-9]*)" | grep -q 2 && continue
        echo "FAIL $level $kind: exit $status"
        head -n 4 "$work/err"
        failed=$((failed + 1))
    done
done
echo "recursion: $total programs, $failed failures"
[ $failed = 0 ] && [ $total -gt 0 ]
