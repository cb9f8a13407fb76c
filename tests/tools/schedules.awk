# Compares the comments of a program with its schedules (standard input) and kernels: see tests/schedules.
# family: whose they are; of gpu only what is expected once. file: the program, kernels: what --emit=opencl says of it, a text for each evaluation that has one.

function expected(what) {
    if (family == "gpu" && what != "once") return
    if (!sub(".*// expect " what ": *", "", text)) return
    kind[++comments] = what
    at[comments] = line
    wanted[comments] = text
}
function fail(k, why) {
    printf "FAIL %s:%d: %s\n", file, at[k], why
    bad = 1
}
function indent(s) {
    match(s, /^ */)
    return RLENGTH
}
# The first innermost loop in lanes of each kernel of each text.
function read_kernel() {
    if (text ~ /^\/\* C\$ plan/) texts++
    if (text ~ /^__kernel/) {
        kernel = text
        sub(/\(.*/, "", kernel)
        sub(/.* /, "", kernel)
        sub(/_[0-9]+$/, "", kernel)
    }
    if (text ~ /^ *for \(/) {
        inner = 1
        depth = indent(text)
        body = ""
    } else if (inner && text ~ /^ *}/ && indent(text) == depth) {
        if (body ~ /VEC\(|CAT\(cs_/ && !((texts, kernel) in loop)) loop[texts, kernel] = body
        inner = 0
    } else if (inner) {
        body = body text "\n"
    }
}
# The first evaluation on the first line after this one that has some.
function after(line, i, best) {
    for (i = 1; i <= evaluations; i++)
        if (place[i] > line && (!best || place[i] < place[best])) best = i
    return best
}
# Of all evaluations on a line.
function nests_at(line, i, all) {
    for (i = 1; i <= evaluations; i++)
        if (place[i] == line && nests[i] != "") all = all (all == "" ? "" : " ") nests[i]
    return all
}
function check_loops(k, of, what, pattern, i, n, names, body) {
    n = split(wanted[k], names, " ")
    for (i = 1; i <= n; i++) {
        body = loop[number[of], names[i]]
        if (body == "") fail(k, "no loop in lanes: " names[i])
        if (match(body, pattern)) fail(k, names[i] " has a " what ": " substr(body, RSTART, 40))
    }
}

# How many definitions, and stages of bands aside, have this line?
function times(of, what, i, n) {
    for (i = 1; i <= definitions[of]; i++) n += index(defines[of, i], "\n" what "\n") > 0
    return n + 0
}

BEGIN {
    while ((getline text < file) > 0) {
        line++
        expected("schedule")
        expected("step")
        expected("no test")
        expected("no gather")
        expected("once")
    }
    while ((getline text < kernels) > 0) read_kernel()
}
$1 == "evaluation" {
    split($2, position, ":")
    place[++evaluations] = position[1] + 0
    number[evaluations] = evaluations - hosts
}
/^# no kernel/ { hosts++ }
$1 == "nest" || $1 == "bands" { nests[evaluations] = nests[evaluations] (nests[evaluations] == "" ? "" : " ") $2 }
$1 == "definition" { definitions[evaluations]++ }
$1 == "definition" || $1 == "end" { staged = 0 }
$1 == "bands" { staged = 1 }
{
    sub(/^ */, "")
    if (!staged) defines[evaluations, definitions[evaluations]] = defines[evaluations, definitions[evaluations]] "\n" $0 "\n"
    steps[evaluations] = steps[evaluations] "\n" $0 "\n"
}
END {
    for (k = 1; k <= comments; k++) {
        of = after(at[k])
        if (kind[k] == "schedule" && nests_at(place[of]) != wanted[k])
            fail(k, "expected schedule: " wanted[k] "\n     but " place[of] " has: " nests_at(place[of]))
        if (kind[k] == "step" && !index(steps[of], "\n" wanted[k] "\n")) fail(k, "no step: " wanted[k])
        if (kind[k] == "once" && times(of, wanted[k]) != 1)
            fail(k, times(of, wanted[k]) " definitions for " family "s have: " wanted[k])
        if (kind[k] == "no test")
            check_loops(k, of, "test", "if \\(|&& |cs_inside|cs_beyond|cs_within|cs_checked|error")
        if (kind[k] == "no gather") check_loops(k, of, "gather", "cs_gather_")
    }
    exit bad
}
