# tests/plans: a program, then the lines of its CS_DUMP=plan that say what was launched.
function name_of(text)
{
    if (!match(text, /[A-Za-z_][A-Za-z_0-9]*(\([^=]*\)|\[[^=]*\])? *[-+*\/]?=/)) return "?"
    text = substr(text, RSTART, RLENGTH)
    match(text, /^[A-Za-z_0-9]+/)
    return substr(text, 1, RLENGTH)
}

function indent(text) { match(text, /^ */); return RLENGTH }

# The lines of the loop behind line n.
function end_of(n,    i)
{
    for (i = n + 1; i <= nlines; i++)
        if (indent(line[i]) == indent(line[n]) && (line[i] ~ /^ *}/ || i > n + 1)) return i
    return nlines
}

FNR == NR {
    line[++nlines] = $0
    if (match($0, /\/\/ expect plan: /)) {
        where[++nexpected] = FNR
        expected[nexpected] = substr($0, RSTART + RLENGTH)
    }
    next
}

/^\/\/ made/ { print file ": csc did not foresee a kernel: " $0; bad = 1; next }

/^\/\/ launch/ {
    text = ""
    first = 0
    turns = $4 == "turns" ? " *" $3 : ""
    for (i = turns != "" ? 7 : 4; i <= NF; i++) {
        over = sub(/!$/, "", $i) ? "!" : ""
        text = text (text == "" ? "" : " ") name_of(line[$i]) over
        if (!first) first = $i + 0
    }
    launch[++nlaunches] = text turns
    at[nlaunches] = first
}

END {
    for (e = 1; e <= nexpected; e++) {
        last = end_of(where[e])
        seen = ""
        for (i = 1; i <= nlaunches; i++)
            if (at[i] > where[e] && at[i] <= last) seen = seen " | " launch[i]
        twice = " | " expected[e] " | " expected[e] " | "
        if (index(seen " | ", twice)) continue
        print file ":" where[e] ": expected `" expected[e] "` twice in a row; there are:" substr(seen, 3, 600)
        bad = 1
    }
    if (!nexpected) { print file ": says nothing"; bad = 1 }
    exit bad
}
