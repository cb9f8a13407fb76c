#!/bin/sh
# embed-texts.sh HEADER NAME=FILE..: files as C strings, `const char NAME[]`, on standard output.
set -eu
echo "#include \"$1\""
shift
for text in "$@"; do
    echo "const char ${text%%=*}[] = {"
    od -An -v -td1 "${text#*=}" | sed 's/-\{0,1\}[0-9][0-9]*/&,/g'
    echo '0};'
done
