#!/bin/bash
# Libraries that csc --lib makes: a program in C uses one, shared and as an archive, under the address sanitizer and,
# where Valgrind is, under Helgrind.
set -u
cd "$(dirname "$0")/.."
: "${CSC:=./csc}" "${CC:=cc}"
CSC=$(realpath "$CSC")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work CS_CACHE_DIR=
failed=0 total=0
check() { # WHAT COMMAND..: it succeeds, and prints "ok" alone
    total=$((total + 1))
    what=$1
    shift
    out=$("$@" 2>&1)
    status=$?
    [ $status = 0 ] && [ "$out" = ok ] && return
    echo "FAIL library: $what (exit $status)"
    echo "$out" | head -n 30
    failed=$((failed + 1))
}
made() { # COMMAND..: it succeeds without a word
    total=$((total + 1))
    out=$("$@" 2>&1) && [ -z "$out" ] && return
    echo "FAIL library: $*: $out"
    failed=$((failed + 1))
}
# What only has to be there comes from objects that csc made before; what is compared is made anew.
kept="env CS_CACHE_DIR=$work/kept $CSC"
flags="-std=c17 -g -Wall -Wextra -Wno-deprecated-declarations -I$work"
# shellcheck disable=SC2086
{
    made $kept --lib 'tests/library/shapes.cs$' -o "$work/libshapes.so"
    made "$CC" $flags tests/library/use.c -o "$work/use" -L"$work" -lshapes -lOpenCL -lpthread "-Wl,-rpath,$work"
    check "shared" "$work/use"
    made $kept --lib -MD 'tests/library/shapes.cs$' -o "$work/libshapes.so"
    made grep -q "^$work/libshapes.so: tests/library/shapes.cs" "$work/libshapes.so.d"
    "$CSC" run --lib 'tests/library/shapes.cs$' >"$work/said" 2>&1
    made grep -q 'a library is no program' "$work/said"
    echo 'Console.WriteLine(1);' | "$CSC" --lib - -o "$work/none.so" >"$work/said" 2>&1
    made grep -q 'no functions that can be called' "$work/said"
    echo '[Export] void f(ref float(int) x) { }' | "$CSC" --lib - -o "$work/none.so" >"$work/said" 2>&1
    made grep -q "'f' cannot be called from C: 'x' is no parameter by value" "$work/said"
    check "on ref" env CS_DEVICE=ref "$work/use"
    [ "$(nm -D --defined-only "$work/libshapes.so" | grep -vc ' T shapes_')" = 0 ] || {
        echo "FAIL library: it shows more than its own functions"
        failed=$((failed + 1))
    }
    made $kept --lib 'tests/library/shapes.cs$' -o "$work/libshapes.a"
    made "$CC" $flags tests/library/use.c -o "$work/static" "$work/libshapes.a" -lOpenCL -lm -lpthread
    check "archive" "$work/static"
    if echo 'int main(void) { return 0; }' | "$CC" -fsanitize=address -x c - -o "$work/try" 2>/dev/null; then
        made "$CC" $flags -fsanitize=address,undefined tests/library/use.c -o "$work/asan" "$work/libshapes.a" -lOpenCL -lm
        check "address sanitizer" env "LSAN_OPTIONS=suppressions=$PWD/tests/lsan.supp:print_suppressions=0" "$work/asan"
    fi
    made "$CSC" --python 'tests/library/shapes.cs$' -o "$work/shapes.py"
    cp "$work/libshapes.so" "$work/before.so"
    made "$CSC" --python 'tests/library/shapes.cs$' -o "$work/shapes.py"
    made cmp "$work/libshapes.so" "$work/before.so"
    pythons=$(for p in python3 /usr/bin/python3; do "$p" -c 'import sys; print(sys.executable)'; done 2>/dev/null | sort -u)
    for p in $pythons; do
        check "Python: $p" env CSC="$CSC" PYTHONDONTWRITEBYTECODE=1 "$p" tests/library/use.py "$work"
    done
    wheel=shapes-1.0-py3-none-linux_$(uname -m).whl
    made $kept --python 'tests/library/shapes.cs$' -o "$work/$wheel"
    cp "$work/$wheel" "$work/again"
    made "$CSC" --python 'tests/library/shapes.cs$' -o "$work/$wheel"
    made cmp "$work/$wheel" "$work/again"
    "$CSC" --python 'tests/library/shapes.cs$' -o "$work/shapes.whl" >"$work/said" 2>&1
    made grep -q 'a wheel is called NAME-VERSION-py3-none-PLATFORM.whl' "$work/said"
    mkdir "$work/installed"
    for p in $pythons; do # the first that has pip
        "$p" -m pip install -q --no-index --no-deps --upgrade --target "$work/installed" "$work/$wheel" >"$work/log" 2>&1 || continue
        made env CSC="$CSC" PYTHONDONTWRITEBYTECODE=1 "$p" -c "import sys; sys.path.insert(0, '$work/installed'); import shapes; assert shapes.exchange(1, 2) == (2, 1)"
        break
    done
    [ -n "$pythons" ] || echo "no python3: modules of csc --python are not tested"
    made env -u MAKEFLAGS make -s --no-print-directory install PREFIX="$work/usr"
    made test "$(PKG_CONFIG_PATH=$work/usr/lib/pkgconfig pkg-config --libs csdollar)" = '-lOpenCL -lm -lpthread '
    made test -s "$work/usr/share/doc/csdollar/samples/life/life.cs\$" -a -s "$work/usr/share/doc/csdollar/editors/vscode/package.json"
    if command -v cmake >/dev/null; then
        mkdir "$work/cmake"
        cat >"$work/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.10)
project(use C)
find_package(csdollar REQUIRED)
csdollar_add_library(shapes "$PWD/tests/library/shapes.cs$")
add_executable(use "$PWD/tests/library/use.c")
target_link_libraries(use shapes)
END
        cmake -S "$work/cmake" -B "$work/cmake/build" -DCMAKE_PREFIX_PATH="$work/usr" >"$work/log" 2>&1 &&
            cmake --build "$work/cmake/build" >>"$work/log" 2>&1 || cat "$work/log"
        check "CMake" "$work/cmake/build/use"
    fi
    env -u MAKEFLAGS make -s --no-print-directory uninstall PREFIX="$work/usr" >/dev/null
    made test -z "$(find "$work/usr" -type f)"
    if command -v valgrind >/dev/null; then
        check "Helgrind" env CS_DEVICE=ref valgrind -q --tool=helgrind --error-exitcode=1 "$work/use" threads
    fi
}
echo "$total checks of libraries, $failed failed"
[ $failed = 0 ]
