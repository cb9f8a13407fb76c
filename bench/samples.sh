# Benchmarks of kind samples, sourced by bench/run: programs of samples/ as processes, from start to end, at the sizes of their rows, against
# the C beside them (clang -O3 -march=native -ffast-math -fopenmp, or gcc). Words that both print agree, numbers within a hundredth. Kernels are
# on disk after the first round. The note has the lines of code of both.
# shellcheck shell=sh disable=SC2034,SC2154

samples_unit=runs/s

samples_work() { # NAME ARGUMENTS
    echo 1
}

samples_build() {
    mkdir -p "$out/samples"
    find_loops_cc
}

samples_lines() { # FILE: neither empty nor a comment
    grep -cvE '^ *(//.*|/\*.*| \*.*)?$' "$1"
}

# Runs a program, prints its time and the lines of its source.
samples_time() { # SOURCE PROGRAM ARGUMENTS..
    lines=$(samples_lines "$1")
    shift
    begin=$(date +%s%N)
    "$@" >"$tmp/printed" || return 1
    end=$(date +%s%N)
    [ -s "$tmp/check" ] || cp "$tmp/printed" "$tmp/check"
    awk 'function number(x) { return x ~ /^-?[0-9.]+([eE][-+]?[0-9]+)?$/ }
        NR == FNR { for (i = 1; i <= NF; i++) word[n++] = $i; next }
        { for (i = 1; i <= NF; i++) {
            a = word[m++]; b = $i
            gsub(/[][,:%()]/, "", a); gsub(/[][,:%()]/, "", b)
            d = a - b; if (d < 0) d = -d
            if (number(a) && number(b)) bad += d > 0.01 * (a < 0 ? -a : a) + 0.001; else bad += a != b
        } }
        END { exit bad > 0 || n != m }' "$tmp/check" "$tmp/printed" || { diff "$tmp/check" "$tmp/printed" >&2; return 1; }
    awk -v ns=$((end - begin)) -v lines="$lines" 'BEGIN { printf "%.4f %d lines\n", ns / 1e9, lines }'
}

samples_list() { # NAME ARGUMENTS; builds what the row needs
    name=${1%% *}
    arguments=${1#"$name"}
    rm -f "$tmp/check"
    # shellcheck disable=SC2086
    $loops_cc -std=c17 -D_GNU_SOURCE -O3 -march=native -ffast-math -fopenmp $veclib -o "$out/samples/$name-c" "samples/$name/$name.c" -lm || exit 1
    "$CSC" "samples/$name/$name.cs\$" -o "$out/samples/$name" || exit 1
    echo "csc ours samples_time samples/$name/$name.cs\$ $out/samples/$name $arguments"
    echo "c peer samples_time samples/$name/$name.c $out/samples/$name-c $arguments"
}
