#!/bin/sh
# Makes build/csdollar_VERSION_ARCH.deb of what `make install` puts in place. Two builds of one commit give the same bytes.
set -eu
cd "$(dirname "$0")/.."
version=$(sed -n 's/#define VERSION "\(.*\)"/\1/p' driver/message.h)
arch=$(dpkg --print-architecture)
# The time of the commit, or of the newest file where there is no repository.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y README.md)}
export SOURCE_DATE_EPOCH
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
umask 022
"${MAKE:-make}" --no-print-directory -s install DESTDIR="$root" PREFIX=/usr ZSHDIR=zsh/vendor-completions
share=$root/usr/share doc=$root/usr/share/doc/csdollar
strip -R .note.gnu.build-id "$root/usr/bin/csc" # a hash of paths too
gzip -9n "$share/man/man1/csc.1"
mkdir "$root/DEBIAN"
{
    echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
    echo
    echo 'Files: *'
    echo 'Copyright: 2026 the C$ authors'
    echo 'License: Expat'
    sed -n '5,$ { s/^$/./; s/^/ /; p }' LICENSE
    printf '\nFiles: usr/bin/csc\nCopyright: the C$ authors, the LLVM authors\nLicense: Expat and Apache-2.0 with LLVM-exception\n'
    printf ' It holds parts of LLVM; see /usr/share/common-licenses/Apache-2.0\n .\n https://llvm.org/LICENSE.txt has the exceptions.\n'
} >"$doc/copyright"
printf 'csdollar (%s) stable; urgency=low\n\n  * See the history of the repository.\n\n -- the C$ authors <none@localhost>  %s\n' \
    "$version" "$(date -uRd "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"

# Libraries that csc is linked with, by the packages that own them. Programs are linked by cc, with libOpenCL.
libraries=$(objdump -p "$root/usr/bin/csc" | sed -n 's/ *NEEDED *//p' | while read -r name; do
    path=$(ldd csc | sed -n "s|^[[:space:]]*$name => \([^ ]*\) .*|\1|p")
    [ -z "$path" ] || dpkg-query -S "$(realpath "$path")" 2>/dev/null || dpkg-query -S "$path" 2>/dev/null || dpkg-query -S "/usr$path"
done | sed 's/:.*//' | sort -u | paste -sd, | sed 's/,/, /g')
cat >"$root/DEBIAN/control" <<END
Package: csdollar
Version: $version
Architecture: $arch
Maintainer: the C\$ authors <none@localhost>
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: $libraries, gcc, libc6-dev, ocl-icd-opencl-dev, pocl-opencl-icd
Section: devel
Priority: optional
Description: compiler for C\$, a functional array language
 Arrays are functions, kernels one line of mathematics; programs run them on
 any OpenCL device, the processor included.
END
# What Python makes of the module when root imports it.
printf '#!/bin/sh\nset -e\nrm -f /usr/lib/python3/dist-packages/__pycache__/csdollar.*\nrmdir --ignore-fail-on-non-empty /usr/lib/python3/dist-packages/__pycache__ 2>/dev/null || true\n' >"$root/DEBIAN/prerm"
chmod 755 "$root/DEBIAN/prerm"
(cd "$root" && find usr -type f -print0 | LC_ALL=C sort -z | xargs -0 md5sum >DEBIAN/md5sums)
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -hd "@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group --build "$root" "build/csdollar_${version}_$arch.deb"
