#!/bin/sh
# csc makes kernels for programs that run (CS_JIT): right results, whatever becomes of it, and no process is left:
# tests/serve.sh [long]. tests/tools/badserve.c is a csc with faults.
set -u
cd "$(dirname "$0")/.."
: "${CSC:=./csc}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0 total=0
is() { # got, wanted, label
    total=$((total + 1))
    [ "$1" = "$2" ] && return
    echo "FAIL $3: $1, not $2"
    failed=$((failed + 1))
}
cat >"$work/p.cs\$" <<'EOF'
int n = int.Parse(args[0]);
float[] x(i : 0..n) = i % 17 + 0.5f;
float[] y(i : 0..n) = x(i) * x(n - 1 - i) + i % 3;
Console.WriteLine($"{sum(y):F2} {max(x):F4}");
EOF
"$CSC" --native=off "$work/p.cs\$" -o "$work/p" || exit 1
${CC:-cc} -std=c17 -D_GNU_SOURCE -O1 -o "$work/badserve" tests/tools/badserve.c || exit 1
export CS_DEVICE=native CS_INTERPRET=0 CS_CACHE_DIR= OCL_ICD_VENDORS=/nonexistent # what is not made is interpreted
right=$(CS_DEVICE=ref "$work/p" 1000)
# runs with these settings: its output, and how many evaluations had kernels made
run() { env "$@" CS_DUMP=plan timeout 60 "$work/p" 1000 2>"$work/err"; grep -c '^// made' "$work/err"; }
is "$(run CS_JIT="$(realpath "$CSC")")" "$right
4" "made kernels"
none="$right
0"
is "$(run CS_JIT=)" "$none" "no compiler"
is "$(run CS_JIT="$work/missing")" "$none" "a compiler that is not there"
is "$(run CS_JIT="$work")" "$none" "a folder"
mkfifo "$work/fifo" && is "$(run CS_JIT="$work/fifo")" "$none" "a FIFO"
is "$(run CS_JIT=/dev/null)" "$none" "a device"
is "$(run CS_JIT=/bin/true)" "$none" "another program"
cp "$CSC" "$work/csc" && chmod 775 "$work/csc" && is "$(run CS_JIT="$work/csc")" "$none" "a csc that a group can write"
chmod 757 "$work/csc" && is "$(run CS_JIT="$work/csc")" "$none" "a csc that others can write"
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$work/csc" && chown 12345 "$work/csc" && is "$(run CS_JIT="$work/csc")" "$none" "a csc of another user"
fi
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then # a program with rights of its file
    chmod 755 "$work" && cp "$work/p" "$work/secure" && chmod 4755 "$work/secure"
    cp "$CSC" "$work/csc" && chown 0 "$work/csc" && chmod 755 "$work/csc"
    as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups env CS_JIT="$work/csc" CS_DUMP=plan "$1" 1000 2>&1 | grep -c '^// made'; }
    is "$(as_nobody "$work/p") $(as_nobody "$work/secure")" "4 0" "a program that gained rights"
    setpriv --reuid nobody --regid nogroup --clear-groups env -u XDG_CACHE_HOME -u POCL_CACHE_DIR HOME=/nonexistent CS_DEVICE=opencl CS_CACHE_DIR="$work/rights" "$work/secure" 1000 >"$work/out" 2>&1
    is "$(ls -d "$work/rights" 2>"$work/out")" "" "no cache of a program that gained rights"
fi
if command -v python3 >/dev/null; then # in a process of somebody else, which forks
    cat >"$work/host.cs\$" <<'EOF'
int[] squares(int n) { int[] a(i : 0..n) = i * i; return a; }
int[] cubes(int n) { int[] a(i : 0..n) = i * i * i; return a; }
EOF
    "$CSC" --python --native=off "$work/host.cs\$" -o "$work/host.py" || exit 1
    cat >"$work/use.py" <<'EOF'
import os, signal, host
ended = []
signal.signal(signal.SIGCHLD, lambda *a: ended.append(a))
assert host.squares(100).tolist() == [i * i for i in range(100)]
child = os.fork()
if child == 0:
    os._exit(0 if host.cubes(100).tolist() == [i ** 3 for i in range(100)] else 1)
assert os.waitpid(child, 0)[1] == 0, "the child"
assert host.cubes(100).tolist() == [i ** 3 for i in range(100)]
assert len(ended) == 1, ended
try:
    print(os.waitpid(-1, os.WNOHANG))
except ChildProcessError:
    print("no child")
EOF
    is "$(cd "$work" && CS_JIT="$(realpath "$CSC")" CS_DUMP=plan timeout 60 python3 use.py 2>"$work/err"; grep -c '^// made' "$work/err")" "no child
3" "a process that forks"
fi
BADSERVE_CSC=$(realpath "$CSC") && export BADSERVE_CSC
if command -v python3 >/dev/null; then # ^C ends the wait for a request; the same csc answers it next time
    cat >"$work/stop.py" <<'EOF'
import host, os, signal, threading, time
def stop():
    while not os.path.exists("asked"): time.sleep(.01)
    time.sleep(.3)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=stop).start()
begin = time.monotonic()
try:
    host.squares(100)
    print("not stopped")
except KeyboardInterrupt:
    print("stopped" if time.monotonic() - begin < 1.8 else "stopped late")
print(host.squares(100).tolist() == [i * i for i in range(100)], host.cubes(100).tolist() == [i ** 3 for i in range(100)])
EOF
    is "$(cd "$work" && CS_JIT="$work/badserve" BADSERVE=slow1 BADSERVE_STARTED="$work/asked" CS_DUMP=plan timeout 60 python3 stop.py 2>"$work/err"
        grep -c '^// made' "$work/err"; wc -l <"$work/asked")" "stopped
True True
2
1" "a request that ^C ends"
fi
# One text for evaluations that differ in the names of variables: csc lowers the graph that comes first, too.
cat >"$work/names.cs\$" <<'EOF'
int n = int.Parse(args[0]);
float[] x(i : 0..n) = i % 17 + 0.5f;
float[] y(row : 0..n) = row % 17 + 0.5f;
float[] z(k : 0..3) = k % 17 + 0.5f;
Console.WriteLine($"{sum(x):F2} {sum(y):F2} {sum(z)}");
EOF
"$CSC" --native=off "$work/names.cs\$" -o "$work/names" || exit 1
is "$(CS_JIT="$(realpath "$CSC")" CS_DUMP=plan "$work/names" 1000 2>"$work/err"; grep -c '^// not made' "$work/err")" \
    "$(CS_DEVICE=ref "$work/names" 1000)
0" "names of variables"
"$CSC" "$work/p.cs$" -o "$work/foreseen" || exit 1
CS_JIT="$work/badserve" BADSERVE=none0 BADSERVE_STARTED="$work/started" "$work/foreseen" 1000 >"$work/out"
is "$(cat "$work/out")" "$right" "what the program has"
[ ! -e "$work/started" ] || is started "not started" "what the program has"
CS_JIT="$work/badserve" BADSERVE=none0 BADSERVE_STARTED="$work/started" "$work/p" 1000 >"$work/out"
[ -e "$work/started" ] || is "not started" started "what the program has not"
# Turns of a loop, of several arrays and a number that moves; an array with a scalar that each turn asks for.
cat >"$work/loops.cs\$" <<'EOF'
int n = int.Parse(args[0]);
float[,] e(i : 0..n, j : 0..n) = (i * 7 + j * 3) % 11;
float[,] h = e, u = e;
for (int t = 0; t < 9; t++) {
    e = let((i, j) : e) i == 0 ? t : e(i, j) + 0.5f * (h(i - 1, j) - h(i, j));
    h = let((i, j) : h) h(i, j) + (i < n - 1 ? 0.5f * (e(i, j) - e(i + 1, j)) : 0);
}
double change = 0.0;
for (int t = 0; t < 9; t++) {
    var inside(i, j) = (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)) / 4;
    float[,] next = inside ?? u;
    change = sum((double) ((next - u) * (next - u)));
    u = next;
}
Console.WriteLine($"{e[3, 3]} {h[n - 1, 3]} {u[3, 3]} {change:F3}");
EOF
"$CSC" "$work/loops.cs\$" -o "$work/loops" || exit 1
held() { env -u CS_INTERPRET CS_PLAN=greedy CS_DUMP=plan CS_JIT="$(realpath "$CSC")" "$work/loops" 200 2>"$work/err"; }
is "$(held; grep -c '^// made' "$work/err"; grep -c '^// launch: [0-9]* turns' "$work/err")" "$(CS_DEVICE=ref "$work/loops" 200)
0
3" "loops that csc foresees"
# A text of more kernels than were once taken: each product of the chain has seven, of which one is launched.
cat >"$work/chain.cs\$" <<'EOF'
float(int, int) mul(float(int, int) a, float[,] b) {
    var c(j, k) = + (a(j, l) * b(l, k));
    return c;
}
float[,] a(i : 0..24, j : 0..24) = (i * 7 + j * 3) % 4 == 0 ? 0.125f : 0;
float(int, int) f = a;
for (int t = 0; t < 40; t++) f = mul(f, a);
float[,] chain = f, each = a;
for (int t = 0; t < 40; t++) each = mul(each, a);
Console.WriteLine(Math.Abs(sum(chain) / sum(each) - 1) < 1e-4);
EOF
"$CSC" --native=off "$work/chain.cs\$" -o "$work/chain" || exit 1
is "$(CS_JIT="$(realpath "$CSC")" CS_DUMP=plan timeout 60 "$work/chain" 2>"$work/err"; sed -n 's/^\/\/ made: kernels \(..*\),.*/\1/p' "$work/err" | sort -n | tail -n 1)" "True
40" "a chain of products"
for fault in die0 die1 die2 cut0 cut1 cut2 long0 long1 ${1:+stop1}; do # stop1: the 20 s that are waited for an answer
    is "$(run CS_JIT="$work/badserve" BADSERVE=$fault | head -n 1)" "$right" "$fault"
done

# An entry of a session has no kernels where a text has several: a product needs one of five. What was made for this
# processor alone needs no compiler.
printf '%s\n' 'float[,] m(i : 0..64, j : 0..64) = i - j;' 'float[,] q(i, k) = + (m(i, j) * m(j, k));' 'q[3, 5]' >"$work/entries"
is "$(CS_DUMP=plan "$CSC" repl <"$work/entries" 2>"$work/err"; grep -o '^// made: kernels [0-9]*' "$work/err")" "-70176 : float
// made: kernels 1" "kernels of a session"
"$CSC" --native=host "$work/p.cs\$" -o "$work/here" || exit 1
is "$(CS_JIT='' CS_DUMP=plan "$work/here" 1000 2>"$work/err"; grep -c '^// launch' "$work/err")" "$right
4" "--native=host"
# Quick code is all that there is without a compiler; with one it is for what is small.
if grep -q avx2 /proc/cpuinfo; then
    "$CSC" --native=quick "$work/p.cs\$" -o "$work/quick" || exit 1
    quick() { env CS_JIT="$1" CS_DUMP=plan timeout 60 "$work/quick" "$2" 2>"$work/err"; grep -c '^// made' "$work/err"; }
    is "$(quick '' 1000)" "$none" "quick code"
    is "$(quick "$(realpath "$CSC")" 1000)" "$none" "quick code of what is small, beside a compiler"
    is "$(quick '' 300000 | tail -n 1)" 0 "quick code of what is large" # sums of other bits than those of ref
    is "$(quick "$(realpath "$CSC")" 300000 | tail -n 1)" 4 "better code of what is large"
fi
# What needs no kernel starts no process and looks for no driver; what csc has foreseen neither.
if command -v strace >/dev/null && strace -o "$work/trace" true 2>/dev/null; then
    echo 'Console.WriteLine(args.Length);' >"$work/none.cs\$"
    echo 'int[] a(i : 0..args.Length + 5) = i * 3; Console.WriteLine(a);' >"$work/small.cs\$"
    cat >"$work/host.cs\$" <<'EOF'
int large(int x) { int[] t = new int[x + 1]; t[x] = x; return t[x] + t.Length; }
int n = int.Parse(args[0]);
int[] a(i : 0..n) = large(i % 7);
Console.WriteLine(sum(a));
EOF
    for program in none small host p; do
        "$CSC" -Wno-in-order "$work/$program.cs$" -o "$work/traced" 2>"$work/err" || exit 1
        env -u CS_INTERPRET -u OCL_ICD_VENDORS CS_DEVICE= CS_JIT="$(realpath "$CSC")" strace -f -qq -e trace=execve,execveat,openat -o "$work/trace" "$work/traced" 1000 >"$work/out"
        is "$(grep -c -e 'execve' -e 'OpenCL/vendors' "$work/trace")" 1 "$program starts nothing"
    done
fi

# Without reals the program's code runs while a better one is made, which is taken once it is there.
if grep -q avx2 /proc/cpuinfo; then
    cat >"$work/exact.cs\$" <<'EOF'
int n = int.Parse(args[0]), times = int.Parse(args[1]);
int[] x(i : 0..n) = i % 1013;
for (int t = 0; t < times; t++) {
    int[] y(i : 0..n) = (x(i) * 31 ^ x(n - 1 - i) >> 3) + (i & t) % 7;
    x = y;
}
Console.WriteLine(sum(i : 0..n, x(i)));
EOF
    "$CSC" --native=v2 "$work/exact.cs$" -o "$work/exact" || exit 1
    run3() { env -u CS_INTERPRET CS_DEVICE= CS_DUMP=plan "$@" 2>"$work/err"; }
    exact=$(run3 CS_DEVICE=native "$work/exact" 3000000 8) many=$(run3 CS_DEVICE=native "$work/exact" 3000000 300)
    begin=$(date +%s)
    is "$(run3 CS_JIT="$work/badserve" BADSERVE=stop1 timeout 60 "$work/exact" 3000000 8)" "$exact" "no answer, and no wait"
    [ $(($(date +%s) - begin)) -lt 15 ] || is waited "not waited" "no answer, and no wait"
    is "$(grep -c '^// asked for' "$work/err") $(grep -c '^// made' "$work/err")" "3 0" "no answer, and no wait: requests"
    cp "$CSC" "$work/last"
    is "$(run3 CS_JIT="$work/last" timeout 60 "$work/exact" 3000000 300)" "$many" "an answer later"
    grep -q '^// made' "$work/err" || is "not made" made "an answer later"
    for _ in $(seq 100); do readlink /proc/*/exe | grep -qx "$work/last" || break; sleep .1; done
    is "$(readlink /proc/*/exe | grep -cx "$work/last")" 0 "no csc is left"
fi

# In a thread of a library with a small stack.
cat >"$work/deep.cs\$" <<'EOF'
float total(int n) { float[] a(i : 0..n) = (i + 0.5f) * 0.01f; float[] b(i : 0..n) = a(i) * a(n - 1 - i); return sum(b); }
EOF
cat >"$work/thread.c" <<'EOF'
#include <pthread.h>
#include <stdio.h>
#include "libdeep.h"
static void *call(void *unused)
{
    cs_context *c = NULL;
    float value = 0;
    cs_error *e = deep_open(NULL, &c);
    if (!e) e = deep_total(c, 1000, &value);
    printf("%s%.0f\n", e ? e->message : "", value);
    return unused;
}
int main(void)
{
    pthread_attr_t small;
    pthread_t thread;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 << 10);
    return pthread_create(&thread, &small, call, NULL) || pthread_join(thread, NULL);
}
EOF
"$CSC" --lib --native=off "$work/deep.cs$" -o "$work/libdeep.so" &&
    ${CC:-cc} -I"$work" -o "$work/thread" "$work/thread.c" -L"$work" -ldeep -lpthread "-Wl,-rpath,$work" || exit 1
is "$(CS_JIT="$(realpath "$CSC")" CS_DUMP=plan "$work/thread" 2>"$work/err"; grep -c '^// made' "$work/err")" "16667
3" "a stack of 64 KB"

# Processes that make the same at once, in one cache.
mkdir "$work/cache"
many() { for i in 1 2 3 4 5 6; do CS_JIT="$(realpath "$CSC")" CS_CACHE_DIR="$work/cache" timeout 60 "$work/p" 1000 & done; wait; }
is "$(many | sort -u)" "$right" "six processes"
is "$(run CS_JIT="$(realpath "$CSC")" CS_CACHE_DIR="$work/cache" | head -n 1; grep -c '^// kept' "$work/err")" "$right
4" "what six processes kept"
is "$(find "$work/cache" -type f | sed 's/.*\.//' | sort -u | tr '\n' ' ')" "o x " "files of six processes"

# Whatever the clock says, reals have the same bits.
cat >"$work/clock.c" <<'EOF'
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
static long long at; /* only goes on, by up to an hour a call */
int clock_gettime(clockid_t which, struct timespec *t)
{
    (void)which;
    at += rand() % 4 ? rand() % 100000 : rand() % 3600000000000;
    *t = (struct timespec){at / 1000000000, at % 1000000000};
    return 0;
}
__attribute__((constructor)) static void begin(void)
{
    const char *seed = getenv("CLOCK_SEED");
    srand(seed ? (unsigned)atoi(seed) : 1);
}
EOF
cat >"$work/reals.cs\$" <<'EOF'
int n = int.Parse(args[0]);
float[] x(i : 0..n) = (i % 1013) * 0.001f;
for (int t = 0; t < 6; t++) {
    float[] y(i : 0..n) = 0.3f * x(max(i - 1, 0)) + 0.4f * x(i) + 0.3f * x(min(i + 1, n - 1)) + 0.001f * t;
    x = y;
    Console.WriteLine($"{sum(x)} {sum(i : 0..n, x(i) * x(n - 1 - i))}");
}
EOF
${CC:-cc} -O1 -shared -fPIC -o "$work/clock.so" "$work/clock.c" || exit 1
"$CSC" "$work/reals.cs$" -o "$work/reals" && "$CSC" --native=off "$work/reals.cs$" -o "$work/unforeseen" || exit 1
for program in reals unforeseen; do
    bits() { env -u CS_INTERPRET "$@" CS_DEVICE= CS_JIT="$(realpath "$CSC")" timeout 60 "$work/$program" 3000000; }
    same=$(bits)
    is "$(echo "$same" | wc -l)" 6 "$program prints"
    for seed in 1 2 3; do is "$(bits LD_PRELOAD="$work/clock.so" CLOCK_SEED=$seed)" "$same" "$program by clock $seed"; done
done
echo "serve: $((total - failed)) of $total"
[ "$failed" = 0 ]
