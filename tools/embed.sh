#!/bin/sh
# embed.sh FILE..: the modules of the standard library as C data (parser/embedded.h), on standard output. The types
# that a module declares begin its lines; an extension method is on one line up to `(this`.
set -eu
echo '#include "embedded.h"'
for file in "$@"; do
    name=${file##*/}
    echo "static const unsigned char ${name%.*}_text[] = {"
    od -An -v -tu1 "$file" | sed 's/[0-9][0-9]*/&,/g'
    echo '0};'
    echo "static const char *const ${name%.*}_types[] = {"
    sed -nE 's/^((static|abstract|mutable|final) )*(class|interface|enum|type) ([A-Za-z0-9_]+).*/    "\4",/p' "$file"
    echo '    NULL};'
    echo "static const char *const ${name%.*}_methods[] = {"
    sed -nE 's/^[^(]* ([A-Za-z0-9_]+)(<[^(]*>)?\(this .*/    "\1",/p' "$file" | sort -u
    echo '    NULL};'
done
echo 'const EmbeddedModule embedded_modules[] = {'
for file in "$@"; do
    name=${file##*/}
    echo "    {\"${name%.*}\", (const char *)${name%.*}_text, sizeof ${name%.*}_text - 1, ${name%.*}_types, ${name%.*}_methods},"
done
echo '    {0}};'
