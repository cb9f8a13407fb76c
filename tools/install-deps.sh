#!/bin/sh
# Installs what building, testing and running C$ needs and this machine lacks. Silent and instant when
# nothing is missing. `install-deps.sh bench` adds the peers that `make bench` compares with, `install-deps.sh oclgrind` the
# interpreter of kernels that `make check-oclgrind` and `make check-long` use where it is there, `install-deps.sh python` Python with
# NumPy, for whose modules (csc --python) there are tests where it is there, `install-deps.sh browser` one that looks at the report of
# csc profile --html, `install-deps.sh aarch64` what runs programs of that processor.
set -eu

packages="gcc libc6-dev make flex bison pkg-config ocl-icd-opencl-dev opencl-headers pocl-opencl-icd check libmpfr-dev libxxhash-dev uthash-dev libjansson-dev libcmark-dev libedit-dev"
[ "${1:-}" = bench ] && packages="$packages libopenblas-dev libblis-openmp-dev clang libomp-dev gnuplot-nox python3 python3-numpy"
[ "${1:-}" = python ] && packages="$packages python3 python3-numpy"
[ "${1:-}" = browser ] && packages="$packages chromium"
[ "${1:-}" = oclgrind ] && packages="$packages oclgrind"
[ "${1:-}" = aarch64 ] && packages="$packages qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross"

have_llvm() {
    for v in 21 20 19 18 17 16 15; do
        command -v "llvm-config-$v" >/dev/null 2>&1 && return 0
    done
    command -v llvm-config >/dev/null 2>&1 && [ "$(llvm-config --version | cut -d. -f1)" -ge 15 ]
}

if ! command -v dpkg-query >/dev/null 2>&1; then
    # Not Debian: say what is needed, once, and let the build go on with what is there.
    have_llvm && command -v flex >/dev/null && command -v bison >/dev/null && exit 0
    echo "C\$ needs: a C17 compiler, make, flex, bison 3.8, LLVM 15 or later (C API), OpenCL headers and" >&2
    echo "ICD loader, POCL, check, MPFR, xxhash, uthash, jansson, cmark, libedit. Install them with this system's package manager." >&2
    exit 1
fi

missing=
for p in $packages; do
    # A package of another name can provide it (gcc-12 without gcc, say), so ask for the installed state only.
    case "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null || true)" in
    installed) ;;
    *) missing="$missing $p" ;;
    esac
done
have_llvm || missing="$missing llvm-19-dev"
[ -z "$missing" ] && exit 0

sudo=
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
        echo "install-deps: as root, run: apt-get install$missing" >&2
        exit 1
    }
    sudo=sudo
fi
echo "installing:$missing"
# A fresh machine has no package lists, an old one stale ones: try, then update and try again.
# shellcheck disable=SC2086
install() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >"$log" 2>&1; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install || { $sudo apt-get update -qq >"$log" 2>&1 && install; } || {
    cat "$log" >&2
    exit 1
}
