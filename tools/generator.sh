#!/bin/sh
# The version of the kernel generator: a checksum of every source that can shape a generated text, which is every
# source that the runtime shares with the compiler; and that of what makes machine code of LLVM IR. Prints the header that
# cache keys are made with.
#   tools/generator.sh            the header
#   tools/generator.sh --list     the files
set -eu
cd "$(dirname "$0")/.."
list() { find base fdag codegen/kernel \( -name '*.[ch]' -o -name '*.def' \) | LC_ALL=C sort; }
if [ "${1:-}" = --list ]; then
    list
    exit 0
fi
echo '/* Made by tools/generator.sh. */'
# The tables' numbers are part of what functions are known by (kernel/ir/content.c).
machine() {
    find codegen/host codegen/llvm codegen/native fdag/ops.def codegen/kernel/ir/intrinsics.def \
        \( -name '*.[ch]' -o -name '*.def' \) | LC_ALL=C sort
}
echo "#define CG_MACHINE $(machine | xargs cat | cksum | cut -d' ' -f1)u"
echo "#define CG_GENERATOR $(list | xargs cat | cksum | cut -d' ' -f1)u"
