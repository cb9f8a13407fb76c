#!/bin/bash
# The report of csc profile --html: what is in it, that it is well-formed, and, where a browser is (tools/install-deps.sh browser), that
# its script runs and that its colours are seen. CHROME names another browser of that family.
set -u
cd "$(dirname "$0")/.."
: "${CSC:=./csc}"
CSC=$(realpath "$CSC")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work
cd "$work" || exit 1
total=0 failed=0
is() { # ACTUAL EXPECTED WHAT
    total=$((total + 1))
    [ "$1" = "$2" ] && return
    echo "FAIL page: $3: '$1' instead of '$2'"
    failed=$((failed + 1))
}
cat >'rows.cs$' <<'END'
// Rows & columns, <bold>
float[] a(i : 0..300000) = i % 7;
float[] b = {};
for (int k = 0; k < 3; k++) b = a * 2 + k;
string said = $"{sum(b) > 0}";
Console.WriteLine(said);
END
is "$(CS_DEVICE=native "$CSC" profile --html report.html 'rows.cs$' '<&>' 2>&1)" True "csc profile --html"
is "$(CS_DEVICE=native "$CSC" profile --html=/none/report.html 'rows.cs$' 2>&1 | tail -n 1)" "csc: error: cannot write '/none/report.html': No such file or directory" "a report that cannot be written"

# Every tag is closed by its own, and what is no tag has no < and no &.
cat >tags.awk <<'END'
{ text = text $0 "\n" }
function wrong(what) { print what; failed = 1; exit }
END {
    if (failed) exit
    sub(/<!DOCTYPE html>/, "", text)
    while ((from = index(text, "<![CDATA[")) > 0) text = substr(text, 1, from - 1) substr(text, from + index(substr(text, from), "]]>") + 2)
    n = split(text, part, "<")
    for (i = 2; i <= n; i++) {
        end = index(part[i], ">")
        tag = substr(part[i], 1, end)
        rest = substr(part[i], end + 1)
        if (tag !~ /^\/?[a-z0-9]+( [a-zA-Z0-9-]+="[^"]*")*\/?>$/) wrong("a wrong tag: <" substr(part[i], 1, 60))
        name = tag
        sub(/^\//, "", name)
        sub(/[ \/>].*$/, "", name)
        if (tag ~ /^\//) {
            if (open[depth--] != name) wrong("</" name "> closes <" open[depth + 1] ">")
        } else if (tag !~ /\/>$/) {
            open[++depth] = name
        }
        gsub(/&(lt|gt|amp|quot);/, "", rest)
        if (name != "style" && rest ~ /[&>]/) wrong("a wrong text: " rest)
    }
    if (depth) wrong("<" open[depth] "> is not closed")
}
END
is "$(awk -f tags.awk report.html)" '' "well-formed"
is "$(grep -c 'https*://\|src=' report.html)" 0 "nothing is loaded"
is "$(grep -o '<h1>.*</h1>' report.html)" '<h1>rows.cs$ &lt;&amp;&gt;</h1>' "the command"
is "$(grep -c '^<tr class="evaluation">' report.html)" 3 "evaluations"
is "$(grep -c 'rows.cs[$]:4:[0-9]*</a>, native</td><td>3</td>' report.html)" 1 "the one in the loop"
is "$(grep -o '<span class="comment">// Rows[^/]*/span>' report.html)" '<span class="comment">// Rows &amp; columns, &lt;bold&gt;</span>' "a comment"
is "$(grep -c '__kernel void map_vector' report.html)" 2 "kernels"
is "$(grep -c '<circle class="c[012]"' report.html)" 3 "points of the roofline"
is "$(grep -c '<rect class="c[012]".*<title>map_vector[_0-9]*, rows.cs[$]:[24]:' report.html)" 4 "spans of kernels"

: "${CHROME:=$(command -v chromium chromium-browser google-chrome | head -n 1)}"
if [ -n "$CHROME" ]; then
    browse() { timeout 60 "$CHROME" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" "$@" "file://$work/report.html" 2>log; }
    browse --dump-dom >dom
    is "$(grep -c 'id="time".*data-shown="[1-9]' dom)" 1 "the script of the time line"
    browse --window-size=1200,1600 --screenshot="$work/report.png" >out
    cat >'look.cs$' <<'END'
byte[,,] p = Image.LoadBytes(args[0]);
int[] colours = {0x2a78d6, 0xe07b1a, 0x14977c}; // of the first three evaluations
foreach (int c in colours) Console.Write($"{sum(i : p.Domain(0), j : p.Domain(1), p[i, j, 0] == c >> 16 && p[i, j, 1] == (c >> 8 & 255) && p[i, j, 2] == (c & 255) ? 1 : 0) > 150} ");
Console.WriteLine($"{p.GetLength(0)} {p.GetLength(1)}");
END
    is "$("$CSC" run 'look.cs$' report.png 2>&1)" 'True True True 1600 1200' "what is seen"
else
    echo "no browser (tools/install-deps.sh browser): the report of csc profile is not looked at"
fi
echo "$total checks of reports, $failed failed"
[ $failed = 0 ]
