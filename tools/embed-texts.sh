#!/bin/sh
# embed-texts.sh: the texts of codegen/host/library/texts.h as C data, on standard output.
set -eu
cd "$(dirname "$0")/.."
bytes() {
    echo "static const unsigned char $1[] = {"
    od -An -v -tu1 "$2" | sed 's/[0-9][0-9]*/&,/g'
    echo '0};'
}
echo '#include "texts.h"'
bytes embed_h codegen/abi/embed.h
bytes module_py codegen/host/library/module.py
echo 'const LibraryTexts library_texts = {(const char *)embed_h, (const char *)module_py};'
