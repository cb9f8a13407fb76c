#!/bin/sh
# Cache folders that are missing, strange, full or somebody else's: programs compute the same, say nothing, leave nothing
# behind. As this user, and as nobody when this is root.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${CSC:=./csc}"
unset XDG_CACHE_HOME CS_CACHE_DIR POCL_CACHE_DIR # each case says what it sets

if [ "${1:-}" = --as ]; then # folder for this user, the program
    home=$2
    program=$3
    who=$(id -un)
    cd "$home" || exit 1
    check() { # label, settings..: runs and compares
        label=$1
        shift
        got=$(timeout 60 env "$@" "$program" 2>&1)
        status=$?
        [ "$status" = 0 ] && [ "$got" = "[2, 5, 8]" ] && echo ok && return
        echo "FAIL cache as $who, $label: exit $status"
        echo "$got" | head -n 5
    }
    says() { # label, what stderr has, settings..
        label=$1
        want=$2
        shift 2
        got=$(timeout 60 env "$@" "$program" 2>&1)
        echo "$got" | grep -qF -e "$want" && echo ok && return
        echo "FAIL cache as $who, $label:"
        echo "$got" | head -n 5
    }
    must() { # label, condition..
        label=$1
        shift
        "$@" && echo ok || echo "FAIL cache as $who, $label: $*"
    }
    export CS_INTERPRET=0      # three elements are to reach the device
    export CS_CACHE_BINARIES=1 # whatever the driver does itself
    entries() { find "$1" -name '*.bin' | wc -l; }
    check "default" HOME="$home"
    must "default" [ "$(stat -c %a .cache/cs-dollar)" = 700 ]
    must "default" [ "$(entries .cache/cs-dollar)" -gt 0 ]
    check "again" HOME="$home"
    check "XDG_CACHE_HOME" XDG_CACHE_HOME="$home/xdg"
    must "XDG_CACHE_HOME" [ "$(entries xdg/cs-dollar)" -gt 0 ]
    check "no HOME" -u HOME -u XDG_CACHE_HOME
    check "empty HOME" -u XDG_CACHE_HOME HOME=
    check "HOME that cannot be" -u XDG_CACHE_HOME HOME=/proc/none
    check "HOME that is a file" -u XDG_CACHE_HOME HOME=/dev/null
    check "XDG_CACHE_HOME that cannot be" XDG_CACHE_HOME=/proc/none
    check "relative CS_CACHE_DIR" HOME="$home" CS_CACHE_DIR=near/by
    must "relative CS_CACHE_DIR" [ "$(entries near/by)" -gt 0 ]
    check "CS_CACHE_DIR that cannot be" HOME="$home" CS_CACHE_DIR=/proc/none
    check "CS_CACHE_DIR that is a file" HOME="$home" CS_CACHE_DIR=/dev/null/x
    mkfifo pipe
    check "CS_CACHE_DIR that is a pipe" HOME="$home" CS_CACHE_DIR="$home/pipe"
    mkdir real
    ln -s real link
    check "CS_CACHE_DIR that is a link" HOME="$home" CS_CACHE_DIR="$home/link"
    must "CS_CACHE_DIR that is a link" [ "$(entries real)" -gt 0 ]
    for e in real/*.bin; do # pipes in the entries' places
        rm "$e"
        mkfifo "$e"
    done
    check "entries that are pipes" HOME="$home" CS_CACHE_DIR="$home/real"
    mkdir open
    chmod 777 open
    check "a folder that all can write" HOME="$home" CS_CACHE_DIR="$home/open"
    must "a folder that all can write" [ "$(entries open)" = 0 ]
    mkdir -p loose/.cache/pocl/kcache
    chmod 777 loose/.cache/pocl/kcache
    check "a driver's folder that all can write" -u XDG_CACHE_HOME HOME="$home/loose"
    must "a driver's folder that all can write" [ "$(find loose/.cache/pocl/kcache | wc -l)" = 1 ]
    mkdir sealed
    chmod 500 sealed
    check "CS_CACHE_DIR in a folder without rights" HOME="$home" CS_CACHE_DIR="$home/sealed/x"
    check "HOME without rights" -u XDG_CACHE_HOME HOME="$home/sealed"
    [ ! -d full ] || check "a full disk" HOME="$home" CS_CACHE_DIR="$home/full"
    [ ! -d full ] || must "a full disk" [ "$(find full -type f | grep -cv fill)" = 0 ]
    [ ! -d full ] || check "HOME on a full disk" -u XDG_CACHE_HOME HOME="$home/full"
    check "HOME that cannot be, a cache that can" -u XDG_CACHE_HOME -u CS_CACHE_BINARIES HOME=/proc/none CS_CACHE_DIR="$home/mine"
    must "HOME that cannot be, a cache that can" [ -d mine/pocl ]
    # machine code that was made for an earlier run (.x): ours whole, or none
    code() { # label, made or kept, folder: where the kernels of a run were from
        env CS_DUMP=plan CS_DEVICE=native CS_JIT="$home/../csc" CS_CACHE_DIR="$3" "$program" 2>plan >out
        must "$1" [ "$(cat out) $(grep -o '^// [a-z]*' plan | grep -v plan)" = "[2, 5, 8] // $2" ]
    }
    mkdir code other
    code "machine code" made "$home/code"
    code "machine code" kept "$home/code"
    for damage in flip cut longer empty; do
        for e in code/*.x; do
            size=$(stat -c %s "$e")
            case $damage in
            flip) printf '\377' | dd of="$e" bs=1 seek=$((size * 2 / 3)) conv=notrunc status=none ;;
            cut) truncate -s $((size - 1)) "$e" ;;
            longer) echo >>"$e" ;;
            empty) : >"$e" ;;
            esac
        done
        code "machine code, $damage" made "$home/code"
    done
    chmod g+w code/*.x
    code "machine code that a group can write" made "$home/code"
    for e in code/*.x; do
        rm -f "$e"
        mkfifo "$e"
    done
    code "machine code that is a pipe" made "$home/code"
    for e in code/*.x; do
        mv "$e" other
        ln -s "$home/other/${e#code/}" "$e"
    done
    code "machine code behind a link" made "$home/code"
    if [ "$who" = root ]; then
        chown nobody code/*.x
        code "machine code of somebody else" made "$home/code"
    fi
    code "no cache" made ""
    mkdir tmp
    check "TMPDIR" -u XDG_CACHE_HOME HOME=/proc/none TMPDIR="$home/tmp"
    must "TMPDIR is empty again" [ "$(find tmp | wc -l)" = 1 ]
    says "a driver that cannot write" "OpenCL is installed but its driver offers no device" HOME="$home" POCL_CACHE_DIR=/proc/none
    says "no driver" "no OpenCL device found: install" HOME="$home" OCL_ICD_VENDORS=/nonexistent
    says "no such device" "CS_DEVICE=abacus fits no device; there is #0 " HOME="$home" CS_DEVICE=abacus
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cat >"$work/prog.cs$" <<'END'
float[] a = {1, 2, 3};
var f(i) = a(i) * 2.0f + i;
float[] b = f;
Console.WriteLine(b);
END
"$CSC" --native=off -o "$work/prog" "$work/prog.cs$" || exit 1
cp "$CSC" "$work/csc"
chmod 755 "$work/csc"
cp "$0" "$work/cache.sh"
mkdir "$work/self"
if [ "$(id -u)" != 0 ]; then
    "$work/cache.sh" --as "$work/self" "$work/prog" >"$work/result"
else # a full disk, where there may be mounts
    mkdir "$work/nobody"
    chown nobody "$work/nobody"
    # shellcheck disable=SC2016
    full='mkdir full && mount -t tmpfs -o size=64k none full && { chmod 777 full; head -c 65536 /dev/zero >full/fill; }'
    for user in self nobody; do
        be=
        [ $user = self ] || be="setpriv --reuid nobody --regid nogroup --clear-groups"
        if unshare -m true 2>/dev/null; then
            unshare -m sh -c "cd '$work/$user' && { { $full; } 2>/dev/null || rmdir full; chown $([ $user = self ] && echo root || echo nobody) full && chmod 755 full; $be '$work/cache.sh' --as '$work/$user' '$work/prog'; }"
        else
            $be "$work/cache.sh" --as "$work/$user" "$work/prog"
        fi
    done >"$work/result" 2>&1
fi
grep -vx ok "$work/result"
failed=$(grep -c '^FAIL' "$work/result")
echo "cache: $(grep -cx ok "$work/result") passed, $failed failed"
! grep -qvx ok "$work/result" && [ -s "$work/result" ]
