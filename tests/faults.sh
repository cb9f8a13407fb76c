#!/bin/sh
# OpenCL calls that fail: runs tests/faults/steps.cs$ with one call after the other failing with one code after the other
# (tests/tools/clfault.c), once or from then on. Whatever fails, the program gets exceptions of the right class, goes on,
# computes nothing wrong and ends; nobody catching them, they name the line. `tests/faults.sh long`: every call x every code
# where kernels come from cached binaries, else every call with one code and some with every; without `long` a sample.
set -u
cd "$(dirname "$0")/.." || exit 1
: "${CSC:=./csc}"
export CS_INTERPRET=0 # small arrays are to reach the device
export CS_BUILD_OPTIONS=-cl-opt-disable
[ -z "${CSC_SANITIZE:-}" ] || export ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0"

# What each function may return; the first is the one that a sample takes.
codes() {
    case $1 in
    clGetPlatformIDs) echo -6 -30 -1001 ;;
    clGetDeviceIDs) echo -6 -1 -5 -30 -31 -32 ;;
    clGetDeviceInfo) echo -6 -5 -30 -33 ;;
    clCreateContext) echo -6 -2 -5 -30 -32 -33 ;;
    clCreateCommandQueue) echo -6 -5 -30 -33 -34 -35 ;;
    clCreateBuffer) echo -4 -5 -6 -30 -34 -37 -61 ;;
    clCreateProgramWithSource) echo -6 -5 -30 -34 ;;
    clCreateProgramWithBinary) echo -42 -5 -6 -30 -33 -34 ;;
    status) echo -42 -30 ;;
    clBuildProgram) echo -11 -3 -5 -6 -30 -33 -42 -43 -44 -59 ;;
    clCreateKernel) echo -46 -5 -6 -30 -44 -45 -47 ;;
    clRetainProgram) echo -6 -5 -44 ;;
    clGetProgramInfo) echo -5 -6 -30 -44 -45 ;;
    clSetKernelArg) echo -48 -5 -6 -38 -41 -49 -50 -51 ;;
    clEnqueueNDRangeKernel) echo -5 -4 -6 -13 -34 -36 -45 -48 -52 -53 -54 -55 -56 -57 -63 ;;
    launch) echo -14 -2 -4 -5 -6 -36 -9999 ;;
    clEnqueueMapBuffer) echo -12 -4 -5 -6 -13 -30 -34 -36 -38 -57 -59 ;;
    clEnqueueUnmapMemObject) echo -5 -6 -30 -34 -36 -38 -57 ;;
    clEnqueueReadBuffer | clEnqueueWriteBuffer) echo -5 -4 -6 -13 -14 -30 -34 -36 -38 -57 -59 ;;
    clFinish | clFlush) echo -5 -6 -36 ;;
    clGetEventInfo | clWaitForEvents) echo -6 -5 -14 -30 -58 ;;
    clGetEventProfilingInfo) echo -7 -5 -6 -30 -58 ;;
    clRelease*) echo -5 -6 -30 ;;
    *) echo "tests/faults.sh: no codes of $1" >&2 ;;
    esac
}

# Without the lines of CS_PROFILE's table.
plain() { sed -E '/^ *[^ ]+(, native)? +[0-9]+ +[0-9.]+( +[0-9.]+)* *$/d; /^kernel +calls +ms +GFLOP.s +GB.s$/d'; }

# A program that catches nothing.
if [ "${1:-}" = --line ]; then # work folder, settings, fault
    # shellcheck disable=SC2046
    got=$(timeout 60 env $(echo "$3" | tr , ' ') CL_FAULT="$4" LD_PRELOAD="$2/clfault.so" "$2/line" 2>&1)
    status=$?
    got=$(echo "$got" | plain)
    case $status:$got in
    "0:[2, 5, 8]") echo survived ;;
    "1:Unhandled DeviceException: "*"   at top level ("*"line.cs$:"[23]":"* | "1:Unhandled OutOfMemoryException: "*"   at top level ("*"line.cs$:"[23]":"*) echo thrown ;;
    *) echo "FAIL uncaught, $3 CL_FAULT=$4: $got" ;;
    esac
    exit 0
fi

if [ "${1:-}" = --one ]; then # work folder, settings with commas between them, fault
    set -f
    # shellcheck disable=SC2046
    got=$(timeout 60 env $(echo "$3" | tr , ' ') CL_FAULT="$4" LD_PRELOAD="$2/clfault.so" "$2/steps" 2>&1)
    status=$?
    got=$(echo "$got" | plain)
    code=${4##*:}
    case $code in -4 | -6 | -61) class=memory ;; *) class=device ;; esac
    verdict=survived
    last=
    while read -r line; do
        last=$line
        case $line in
        [0-9]" right" | "unfinished "[0-9]) ;;
        [0-9]" $class") verdict=thrown ;;
        *) status="$status, $line" ;;
        esac
    done <<END
$got
END
    case $4:$last in # one failure is over by the second try
    *:"unfinished 0" | *+:*:"unfinished "[0-9]) ;;
    *) status="$status, not over" ;;
    esac
    if [ "$status" = 0 ]; then
        echo $verdict
    else
        echo "FAIL $3 CL_FAULT=$4: exit $status"
        echo "$got" | head -n 20
    fi
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CC:-cc} -std=c17 -D_GNU_SOURCE -Wall -Wextra -O1 -fPIC -shared -o "$work/clfault.so" tests/tools/clfault.c -ldl || exit 1
"$CSC" -o "$work/steps" 'tests/faults/steps.cs$' || exit 1
"$CSC" -o "$work/line" 'tests/faults/line.cs$' || exit 1
"$CSC" -o "$work/large" 'tests/faults/large.cs$' || exit 1
"$CSC" -o "$work/copied" 'tests/faults/copied.cs$' || exit 1
"$CSC" -o "$work/many" 'tests/faults/many.cs$' || exit 1
same() { # program, settings..
    program=$1
    shift
    env "$@" LD_PRELOAD="$work/clfault.so" "$work/$program" >"$work/out" 2>&1
    cmp "$work/out" "tests/faults/$program.expected" || { echo "FAIL $program, $*"; exit 1; }
}
same large CL_LIE=small
same large CL_LIE=small CS_FAMILY=gpu
"$CSC" --native=off -o "$work/exceeding" 'tests/faults/large.cs$' || exit 1
same exceeding CL_LIE=small CS_DEVICE=cpu CS_JIT= # without a csc
for settings in CS_DEVICE=ref CS_FAMILY=cpu CL_LIE=mapped CL_LIE=copied; do same many $settings; done
for settings in CS_DEVICE=native CL_LIE=copied; do same copied $settings; done
"$CSC" -o "$work/alone" 'tests/faults/alone.cs$' || exit 1
CS_PROFILE=1 CL_LIE=copied LD_PRELOAD=$work/clfault.so "$work/alone" >"$work/out" 2>"$work/profile"
echo '0.20338413 1.5552821 0.2' | cmp - "$work/out" || { echo "FAIL alone"; exit 1; }
[ "$(grep -c '[$]:5:1, native ' "$work/profile") $(grep -c ', native ' "$work/profile")" = "1 1" ] ||
    { echo "FAIL alone: where evaluations were"; cat "$work/profile"; exit 1; }

kept=CS_CACHE_BINARIES=1,CS_CACHE_DIR=$work/cpu # kernels from binaries of our own
gpu=CS_CACHE_BINARIES=1,CS_CACHE_DIR=$work/gpu
built=CL_LIE=copied,CS_CACHE_DIR= # from their texts: six times as long, whether POCL remembers them or not
# A word about slow builds, at a terminal only.
said() { grep -c 'building kernels for this device (once)' "$work/out"; }
slow="env CL_SLOW=1200 CS_CACHE_DIR= LD_PRELOAD=$work/clfault.so $work/line"
script -qec "$slow" /dev/null >"$work/out" 2>&1
[ "$(said)" = 1 ] || { echo "FAIL slow builds at a terminal"; cat "$work/out"; exit 1; }
$slow >"$work/out" 2>&1
[ "$(said)" = 0 ] || { echo "FAIL slow builds elsewhere"; cat "$work/out"; exit 1; }

if [ "${1:-}" = long ]; then
    all="$kept CS_CACHE_DIR= CS_FAMILY=gpu,CS_CACHE_DIR=$work/gpu CL_LIE=mapped,CS_CACHE_DIR=$work/gpu CL_LIE=copied,CS_CACHE_DIR=$work/gpu CS_PROFILE=1,CS_CACHE_DIR=$work/cpu"
else
    all="$kept CL_LIE=mapped,$gpu CL_LIE=copied,$gpu $built"
fi
set -f
for settings in $all; do
    words=$(echo "$settings" | tr , ' ')
    # shellcheck disable=SC2086
    for _ in 1 2; do # the second finds what the first cached
        rm -f "$work/counts"
        env $words CL_COUNT="$work/counts" LD_PRELOAD="$work/clfault.so" "$work/steps" >"$work/out" 2>"$work/err" ||
            { echo "FAIL faults: $words"; cat "$work/out" "$work/err"; exit 1; }
    done
    while read -r function count; do
        case ${1:-}$settings:$function in # where a kernel came from is forgotten once there is one
        "$built":*Program* | "$built":*Kernel | "$built":launch) ;;
        "$built":*) continue ;;
        esac
        list=$(codes "$function")
        echo "$settings $function:1+:${list%% *}" >>"$work/lines"
        if [ "${1:-}" = long ]; then
            some="1 $((count / 2 + 1)) $count 1+ $((count / 2 + 1))+"
            [ "$settings" = "$kept" ] && some="$some $(seq "$count")"
            for code in $list; do
                for at in $some; do echo "$settings $function:$at:$code"; done
            done
            for at in $(seq "$count"); do echo "$settings $function:$at:${list%% *}"; done
        else
            code=${list%% *}
            for at in 1 $((count / 2 + 1)) 1+; do echo "$settings $function:$at:$code"; done
        fi
    done <"$work/counts"
done | sort -u >"$work/list"
xargs -r -P "$(nproc)" -n 2 tests/faults.sh --one "$work" <"$work/list" >"$work/result"
xargs -r -P "$(nproc)" -n 2 tests/faults.sh --line "$work" <"$work/lines" >>"$work/result"
for wait in clFinish:1+:-5,clGetEventInfo:1+:-5 clFinish:3+:-36,clGetEventInfo:4+:-5,clWaitForEvents:1+:-5; do
    echo "CS_CACHE_DIR=$work/cpu,CS_MEM_LIMIT=1G $wait" # nobody can tell whether launches are over
done >"$work/stuck"
xargs -r -n 2 tests/faults.sh --one "$work" <"$work/stuck" >>"$work/result"
cat "$work/lines" "$work/stuck" >>"$work/list"
grep -vxE 'thrown|survived' "$work/result"
failed=$(grep -c '^FAIL' "$work/result")
echo "faults: $(wc -l <"$work/list") failing calls, $(grep -cx thrown "$work/result") thrown, $(grep -cx survived "$work/result") survived, $failed failed"
[ "$failed" = 0 ] && [ -s "$work/list" ] && [ "$(grep -cxE 'thrown|survived' "$work/result")" = "$(wc -l <"$work/list")" ]
