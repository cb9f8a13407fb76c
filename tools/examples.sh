#!/bin/sh
# Examples in docs/language.md and docs/library.md are parts of programs that the tests run: every line of a csharp block must be a line of one.
cd "$(dirname "$0")/.." || exit 1
lines=$(mktemp)
trap 'rm -f "$lines"' EXIT
cat tests/docs/*.cs\$ samples/*.cs\$ | tr -s ' ' | sed "s| *//.*||; s/^ //; s/ $//" | sort -u >"$lines"
awk '/^ *```csharp/ { code = 1; next } /^ *```/ { code = 0 } code' docs/language.md docs/library.md | tr -s ' ' | sed "s| *//.*||; s/^ //; s/ $//" |
    grep -v '^$' | grep -vxFf "$lines" | sed 's/^/docs: in no program of tests\/docs: /' | grep . && exit 1
exit 0
