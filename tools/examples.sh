#!/bin/sh
# Examples in docs/language.md, library.md, tutorial.md and gallery.md, and in the pages of samples, are parts of programs that the tests run: every line of a csharp block must be a line of one.
cd "$(dirname "$0")/.." || exit 1
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
cat tests/docs/*.cs\$ samples/*/*.cs\$ | tr -s ' ' | sed "s| *//.*||; s/^ //; s/ $//" | sort -u >"$lines"
awk '/^ *```csharp/ { code = 1; next } /^ *```/ { code = 0 } code' docs/language.md docs/library.md docs/tutorial.md docs/gallery.md samples/*/README.md | tr -s ' ' | sed "s| *//.*||; s/^ //; s/ $//" |
    grep -v '^$' | grep -vxFf "$lines" | sed 's/^/docs: in no program of tests\/docs: /' | grep . && exit 1

# In the tables of docs/from-*.md the code of the last column is a part of a line of one.
code=$(cat tests/docs/*.cs\$)
awk -F' \\| ' '/^\| `/ { print $NF }' docs/from-*.md | grep -o '`[^`]*`' | tr -d '`' | sed 's/\\|/|/g' | while IFS= read -r line; do
    case $code in *"$line"*) ;; *) echo "docs: in no program of tests/docs: $line" ;; esac
done | grep . && exit 1
exit 0
