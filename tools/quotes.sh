#!/bin/sh
# A page of docs/ with what it quotes made anew: tools/quotes.sh PAGE. `make docs` writes the pages so,
# tests/pages compares. What stands behind
#   <!-- quote: COMMAND -->
# is a block, indented or fenced, of lines that the command prints (in the repository's root, csc being
# the compiler). A line `...` leaves lines out. Of each run of lines between these the first and the
# last are looked for, in order, whatever numbers their names end with; what lies between is made anew.
set -eu
cd "$(dirname "$0")/.."
: "${CSC:=./csc}"
page=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
csc() { "$CSC" "$@"; }
k=0
sed -n 's/^<!-- quote: \(.*\) -->$/\1/p' "$page" | while IFS= read -r command; do
    k=$((k + 1))
    eval "$command" >"$work/$k" 2>&1 </dev/null || { echo "$page: cannot be run: $command" >&2; exit 1; }
done
awk -v work="$work" '
    function key(line) { gsub(/_[0-9]+/, "_#", line); sub(/^[ *]+/, "", line); return line }
    function indent(line) { match(line, /^ */); return RLENGTH }
    function complain(text) { print FILENAME ":" FNR ": not quoted truly: " text >"/dev/stderr"; bad = 1 }
    function flush(    first, last, i, shift, line) { # a run of lines
        if (!n) return
        for (first = at; first <= lines && key(out[first]) != key(run[1]); first++);
        for (last = first + (n > 1); last <= lines && key(out[last]) != key(run[n]); last++);
        if (last > lines) {
            complain(first > lines ? run[1] : run[n])
            for (i = 1; i <= n; i++) print run[i]
        } else {
            shift = indent(run[1]) - indent(out[first])
            for (i = first; i <= last; i++) {
                line = out[i]
                if (shift > 0) line = sprintf("%*s", shift, "") line; else line = substr(line, 1 - shift)
                print line
            }
            at = last + 1
        }
        n = 0
    }
    /^<!-- quote: .* -->$/ {
        print; lines = 0; at = 1; quoting = 1; fence = 0; begun = 0; file = work "/" ++quotes
        while ((getline line < file) > 0) out[++lines] = line
        close(file); next
    }
    !quoting { print; next }
    /^```/ { flush(); print; if (fence) quoting = 0; else fence = begun = 1; next }
    /^ *[.][.][.]$/ { flush(); print; next }
    !fence && /^$/ { flush(); print; if (begun) quoting = 0; next }
    !fence && !/^    / { flush(); quoting = 0; print; next }
    { begun = 1; run[++n] = $0 }
    END { flush(); exit bad }
' "$page"
