#!/bin/sh
# Checks the rules of docs/architecture.md: which folder includes which, from the sources; which calls
# which, from the objects of BUILD (nm): a declaration alone can be written anywhere; that what a file
# offers the others is used by one of them, else it is static; and that files and folders stay small.
set -eu
cd "$(dirname "$0")/.."
: "${BUILD:=build}"

# FOLDER: the folders that it may include, with what is in them; FOLDER/. is the folder's own files only.
# The longest folder that fits a file decides.
includes='base: base
lexer: base lexer
parser: base lexer parser
format: base lexer format
fdag: base fdag
sema: base parser fdag sema codegen/abi
codegen/abi: codegen/abi
codegen/kernel: base fdag codegen/kernel
codegen/kernel/ir: base fdag codegen/kernel/ir
codegen/kernel/math: base fdag codegen/kernel/ir codegen/kernel/math
codegen/kernel/plan: base fdag codegen/kernel/. codegen/kernel/ir codegen/kernel/plan
codegen/kernel/analysis: base fdag codegen/kernel/. codegen/kernel/analysis
codegen/kernel/divide: base fdag codegen/kernel/. codegen/kernel/divide
codegen/kernel/value: base fdag codegen/kernel/. codegen/kernel/ir codegen/kernel/plan codegen/kernel/analysis codegen/kernel/value
codegen/kernel/schedule/nest: base fdag codegen/kernel/. codegen/kernel/ir codegen/kernel/plan codegen/kernel/analysis codegen/kernel/value codegen/kernel/schedule/. codegen/kernel/schedule/nest
codegen/llvm: base fdag codegen/llvm
codegen/native: base fdag codegen/kernel codegen/llvm codegen/native
codegen/serve: base fdag codegen
codegen/host: base parser fdag sema codegen
runtime: base fdag codegen/kernel codegen/abi runtime
runtime/device: base codegen/kernel runtime/. runtime/device runtime/library runtime/ranks
runtime/library: base runtime/. runtime/objects runtime/library runtime/ranks
runtime/ranks: base codegen/abi codegen/kernel/divide runtime/. runtime/objects runtime/library runtime/ranks
runtime/reference: base fdag runtime/. runtime/evaluate runtime/reference
server: base lexer parser format sema server
driver: base lexer parser format fdag sema codegen server driver
csc.c: base driver'

# Each calls itself and those before it.
calls='base fdag codegen/kernel/ir codegen/kernel/math codegen/kernel/. codegen/kernel/plan codegen/kernel/analysis codegen/kernel/value codegen/kernel/schedule codegen/kernel/divide'

sources=$(git ls-files -co --exclude-standard '*.c' '*.h' '*.l' '*.y' '*.def' | grep -vE '^(tests|bench|samples)/' | while read -r f; do [ -f "$f" ] && echo "$f"; done)

# shellcheck disable=SC2086
grep -HoE '^[[:space:]]*#[[:space:]]*include[[:space:]]+["<][^">]*' $sources | awk -v rules="$includes" -v sources="$sources" '
function folder(path) { if (path !~ /\//) return path; sub(/\/[^\/]*$/, "", path); return path }
function up(path) { if (path !~ /\//) return ""; sub(/\/[^\/]*$/, "", path); return path }
function normal(path,    n, i, part, out, k) { # without . and ..
    n = split(path, part, "/"); k = 0
    for (i = 1; i <= n; i++) if (part[i] == "..") k--; else if (part[i] != ".") out[++k] = part[i]
    path = out[1]
    for (i = 2; i <= k; i++) path = path "/" out[i]
    return path
}
function allowed(d, list) {
    if (index(" " list " ", " " d "/. ")) return 1
    for (; d != ""; d = up(d)) if (index(" " list " ", " " d " ")) return 1
    return 0
}
function complain(text) { print text; bad = 1 }
BEGIN {
    n = split(rules, lines, "\n")
    for (i = 1; i <= n; i++) { at = index(lines[i], ":"); rule[substr(lines[i], 1, at - 1)] = substr(lines[i], at + 2) }
    n = split(sources, lines, "\n")
    for (i = 1; i <= n; i++) there[lines[i]] = 1
    for (f in there) {
        for (d = folder(f); d != "" && !(d in rule); d = up(d));
        if (d == "") complain(f ": no rule for its folder"); else of[f] = rule[d]
    }
}
{
    at = index($0, ":"); file = substr($0, 1, at - 1); what = substr($0, at + 1); sub(/^.*include[ \t]+/, "", what)
    sign = substr(what, 1, 1); what = substr(what, 2)
    if (sign == "<") {
        if (what ~ /^CL\// && file != "runtime/device/device_impl.h") complain(file ": only runtime/device calls OpenCL, through device_impl.h")
        next
    }
    to = normal(file ~ /\// ? folder(file) "/" what : what)
    if ((to in there) && !allowed(folder(to), of[file])) complain(file ": may not include " what)
    # Graphs are made in lowering alone; sema.h hands them over.
    if ((to in there) && file ~ /^sema\// && file !~ /^sema\/lower\// && to ~ /^fdag\// && to != "fdag/ops.h" && !(file == "sema/sema.h" && to == "fdag/fdag.h"))
        complain(file ": only sema/lower may see graphs")
}
END { exit bad }' || bad=1

objects=$(for f in $sources; do case $f in *.c) o=$BUILD/obj/${f%.c}.o; [ -f "$o" ] && echo "$o" ;; esac; done)
[ -n "$objects" ] || { echo "no objects in $BUILD: make first"; exit 1; }
# shellcheck disable=SC2086
nm -A $objects | awk -v build="$BUILD/obj/" -v chain="$calls" '
function room(file,    d) { # its place in the chain, 0: none
    d = file; sub(/\/[^\/]*$/, "", d)
    if ((d "/.") in place) return place[d "/."]
    for (; d != ""; ) { if (d in place) return place[d]; if (!sub(/\/[^\/]*$/, "", d)) return 0 }
    return 0
}
BEGIN { n = split(chain, rooms, " "); for (i = 1; i <= n; i++) place[rooms[i]] = i }
{
    at = index($0, ":"); file = substr($0, length(build) + 1, at - length(build) - 1); sub(/\.o$/, ".c", file)
    kind = $(NF - 1); name = $NF
    if (kind ~ /^[TDRBC]$/) home[name] = file
    if (kind == "U") calls[file, name] = 1
}
END {
    for (call in calls) {
        split(call, of, SUBSEP); file = of[1]; name = of[2]
        if (!(name in home)) continue
        to = home[name]
        if (room(file) && room(to) > room(file)) { print file ": may not call " name " of " to; bad = 1 }
        # What makes or changes graphs is called in lowering alone.
        if (file ~ /^sema\// && file !~ /^sema\/lower\// && to ~ /^fdag\/(passes\.c|nodes\/(node|build|array|rewrite)\.c|compose\/|text\/read|passes\/|rewrite\/)/) { print file ": only sema/lower may make graphs, by " name; bad = 1 }
    }
    exit bad
}' || bad=1

# Grammars and tables are as long as they are.
# shellcheck disable=SC2086
wc -l $sources | awk '
$2 == "total" || $2 ~ /[.](y|l|def)$/ { next }
{ folder = $2; sub(/[^\/]*$/, "", folder); files[folder]++ }
$1 > 500 { print $2 ": more than 500 lines"; bad = 1 }
END {
    for (folder in files) if (files[folder] > 20) { print folder ": more than 20 sources"; bad = 1 }
    exit bad
}' || bad=1

# Used besides by others: what tests call, what rows of tables name, and what programs call by its name.
words=$(git ls-files -co --exclude-standard 'tests/*.c' 'tests/*.h' '*.def' | while read -r f; do [ ! -f "$f" ] || cat "$f"; done |
    grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u; grep -rhoE '"cs_[a-z0-9_]+"' codegen | tr -d '"')
objects=$(for f in $sources; do for d in obj rt; do case $f in *.c) o=$BUILD/$d/${f%.c}.o; [ ! -f "$o" ] || echo "$o" ;; esac; done; done)
[ -f "$BUILD/rt/runtime/start.o" ] || { echo "no objects of the runtime in $BUILD: make first"; exit 1; }
# shellcheck disable=SC2086
{ printf '%s\n' "$words"; nm -A $objects "$BUILD"/csc.o "$BUILD"/*er/*.o; } | awk -v build="$BUILD/" '
NF == 1 { used[$1] = 1; next }
{
    at = index($0, ":"); file = substr($0, length(build) + 1, at - length(build) - 1); sub(/\.o$/, ".c", file)
    ours = sub(/^(obj|rt)\//, "", file); kind = $(NF - 1); name = $NF
    if (ours && kind ~ /^[TDRBC]$/) home[name] = file
    if (kind == "U") used[name] = 1
}
END {
    for (name in home) if (!(name in used)) { print home[name] ": nobody else uses " name ": static"; bad = 1 }
    exit bad
}' || bad=1
exit ${bad:-0}
