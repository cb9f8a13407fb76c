#!/bin/sh
# A debugger sees C$ lines, calls and variables (csc -g). Skipped where there is no gdb.
set -u
cd "$(dirname "$0")/.."
command -v gdb >/dev/null || { echo "gdb: skipped"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/debug.cs$" <<'END'
final class P(float x, int k) { }
int work(int n) {
    P p = new P(1.5f, n);
    int twice = n * 2;
    return twice + p.k;
}
int r = work(4);
Console.WriteLine(r);
END
"${CSC:-./csc}" -g -O0 "$work/debug.cs$" -o "$work/debug" || exit 1
gdb -batch -nx -ex 'break debug.cs$:5' -ex run -ex bt -ex 'print twice' -ex 'print p' -ex 'print n' \
    "$work/debug" >"$work/out" 2>&1
for want in '^#0  work (n=4) at .*debug.cs\$:5' '^#1 .* in top level () at .*debug.cs\$:7' '^\$1 = 8' \
    '^\$2 = {x = 1.5, k = 4}' '^\$3 = 4'; do
    grep -q "$want" "$work/out" || { echo "FAIL gdb: no line like $want"; cat "$work/out"; exit 1; }
done
echo "gdb: ok"
