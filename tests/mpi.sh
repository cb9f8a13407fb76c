#!/bin/bash
# Five programs under the launcher of each MPI that is there (docs/scale.md): what they print is what one process prints.
# A rank that is killed ends the job. An MPI that is missing is skipped with a word.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${CSC:=./csc}" "${BUILD:=build}"
CSC=$(realpath "$CSC") BUILD=$(realpath "$BUILD")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
total=0 failed=0
is() { # ACTUAL EXPECTED WHAT
    total=$((total + 1))
    [ "$1" = "$2" ] && return
    echo "FAIL mpi: $3: '$1' instead of '$2'"
    failed=$((failed + 1))
}
holds() { # FILE PATTERN WHAT
    total=$((total + 1))
    grep -q -e "$2" "$1" && return
    echo "FAIL mpi: $3: no '$2' in: $(head -c 600 "$1")"
    failed=$((failed + 1))
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
unset CS_MPI
cd "$work" || exit 1

cat >grid.cs\$ <<'END'
int n = 64;
int[,] u = let(i : 0..n, j : 0..n) i * 31 + j * 17;
for (int t = 0; t < 10; t++) {
    u = let(i : 0..n, j : 0..n) i > 0 && i < n - 1 ? (u(i - 1, j) + u(i + 1, j) + j) / 2 : u(i, j);
}
Console.WriteLine(sum(u));
Console.WriteLine(max(u));
END
cat >effects.cs\$ <<'END'
Console.WriteLine(Console.ReadLine());
File.WriteAllText("text", "one\ntwo\n");
File.AppendAllText("text", "three\n");
Console.WriteLine(string.Join(",", File.ReadAllLines("text")));
Console.WriteLine(Environment.Run("echo", "child"));
Console.WriteLine(Environment.GetEnvironmentVariable("GIVEN"));
int[] big = let(i : 0..100000) i * 3;
Npy.Save("big.npy", big);
int[] back = Npy.Load("big.npy");
Console.WriteLine(sum(back));
Console.Error.WriteLine("once");
END
cat >throws.cs\$ <<'END'
Console.WriteLine("before");
int[] a = {1, 2, 3}, at = {0, 1, 5};
try { int[] b = let(i : 0..3) a(at(i)); Console.WriteLine(b); } catch (IndexOutOfRangeException e) { Console.WriteLine(e.Message); }
int[] c = let(i : 0..3) a(at(i) + 1);
Console.WriteLine(c);
END
cat >ends.cs\$ <<'END'
Console.WriteLine(new Random().Next(1, 7) < 7);
Environment.Exit(3);
END
cat >words.cs\$ <<'END'
static int Main(string[] args)
{
    Console.WriteLine(string.Join("|", args));
    return args.Length;
}
END
cat >saves.cs\$ <<'END'
int n = 20000, round = 0;
double[] a = let(i : 0..n) (double)i;
while (true) {
    a = let(i : 0..n) a(i) * 0.5 + i;
    Npy.Save("saved.npy", a);
    round++;
    if (round == 3) File.WriteAllText("ready", "");
    if (sum(a) < 0) Console.WriteLine(a);
}
END
for name in grid effects throws ends words saves; do
    "$CSC" $name.cs\$ -o $name || exit 1
done
killed=mpi$$
mv saves $killed
export GIVEN=yes

for mpi in openmpi mpich; do
    if ! command -v mpirun.$mpi >start || [ ! -e "$BUILD/mpi/$mpi.so" ]; then
        echo "mpi: no $mpi here, skipped"
        continue
    fi
    for name in grid effects throws ends words; do
        echo line | timeout 30 ./$name one 'two words' '' >expected 2>expected.err
        code=$?
        echo line | CS_RANKS_CHECK=1 timeout 60 mpirun.$mpi -n 2 ./$name one 'two words' '' >out 2>err
        is $? $code "$mpi, $name: exit code"
        is "$(grep -v '^-----' out | grep -v '^Primary job\|^a non-zero exit')" "$(cat expected)" "$mpi, $name" # the rest is Open MPI's
        is "$(grep -Fx -f expected.err err)" "$(cat expected.err)" "$mpi, $name: standard error"
    done
    if command -v mpicc.$mpi >start; then # a library of the user's own
        CS_CACHE_DIR=$work/made "$CSC" mpi mpicc.$mpi >out
        is $? 0 "csc mpi mpicc.$mpi"
        holds out "^$work/made/mpi/$mpi[.]so: " "csc mpi mpicc.$mpi"
        ./grid >expected
        CS_MPI=$work/made/mpi/$mpi.so timeout 60 mpirun.$mpi -n 2 ./grid </dev/null >out 2>err
        is "$(cat out)" "$(cat expected)" "$mpi, a library that csc mpi made"
    fi
    rm -f ready
    timeout 60 mpirun.$mpi -n 2 ./$killed >out 2>err </dev/null &
    job=$!
    for _ in $(seq 800); do
        [ -e ready ] && break
        sleep 0.01
    done
    begin=$(date +%s%N)
    kill -s KILL "$(pgrep -x $killed | tail -n 1)"
    wait $job
    is $(($? != 0)) 1 "$mpi, a rank is killed: exit code"
    is $((($(date +%s%N) - begin) / 5000000000)) 0 "$mpi, a rank is killed: five seconds"
    is "$(ps -eo stat=,comm= | awk -v name=$killed '$1 !~ /^Z/ && $2 == name' | wc -l)" 0 "$mpi, a rank is killed: processes"
    is "$(find . -name '.csc*' -o -name '*.tmp')" '' "$mpi, a rank is killed: files"
    cp ends other && printf ' ' >>other # another program
    timeout 60 mpirun.$mpi -n 1 ./ends : -n 1 ./other </dev/null >out 2>err
    is $(($? != 0)) 1 "$mpi, two programs: exit code"
    holds err '^rank 1 is another program than rank 0' "$mpi, two programs"
done

CS_CACHE_DIR=$work/made "$CSC" mpi cc >out 2>err # no mpicc
is $? 1 "csc mpi cc"
holds err "'cc' has not compiled the library" "csc mpi cc"

# ---- launchers without a library ----
export OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0
CS_MPI=none timeout 20 ./grid >out 2>err </dev/null
is $? 0 "CS_MPI=none"
CS_MPI=abacus timeout 20 ./grid >out 2>err </dev/null
is $? 1 "CS_MPI=abacus"
holds err "^Open MPI's mpirun has started this program: there is no library abacus.so" "CS_MPI=abacus"
CS_MPI=/none/x.so timeout 20 ./grid >out 2>err </dev/null
is $? 1 "CS_MPI=/none/x.so"
holds err 'CS_MPI names no library' "CS_MPI=/none/x.so"

echo "mpi: $((total - failed)) passed, $failed failed"
[ "$failed" = 0 ]
