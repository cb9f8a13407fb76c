# Benchmarks of kind library, sourced by bench/run: functions of bench/library.cs$ on NumPy arrays (csc --python), against the same
# called by a program in C$, and NumPy's own. Of a call of 16 elements, also from C (csc --lib), against a mark of 20 us.
# shellcheck shell=sh disable=SC2034,SC2154

library_unit=calls/s

library_work() { # WHAT SIZE CALLS
    echo 1
}

library_build() {
    library_python=
    for p in python3 /usr/bin/python3; do
        [ -z "$library_python" ] && "$p" -c 'import numpy' 2>/dev/null && library_python=$p
    done
    [ -n "$library_python" ] || { echo "bench: Python's NumPy is missing: run tools/install-deps.sh python" >&2; exit 1; }
    build_csc library library-program
    build_csc library liblibrary_csc.so --lib && build_csc library library_csc.py --python
    # shellcheck disable=SC2086
    $CC -std=c17 -D_GNU_SOURCE -O2 -I"$out" -o "$out/library-c" bench/library.c -L"$out" -llibrary_csc -lOpenCL "-Wl,-rpath,$PWD/$out" || exit 1
}

library_mark() {
    echo 0.00002
}

library_list() { # WHAT SIZE CALLS
    call="env PYTHONDONTWRITEBYTECODE=1 $library_python bench/library.py $out"
    # shellcheck disable=SC2086
    set -- $1
    echo "python ours $call csc $*"
    if [ "$1" = call ]; then
        echo "20us peer library_mark"
        echo "c other $out/library-c $2 $3"
    fi
    echo "program $([ "$1" = call ] && echo other || echo peer) $out/library-program $*"
    echo "numpy other $call numpy $*"
}
