# Benchmarks of kind sgemm, sourced by bench/run: products of N by N matrices: of floats, each as it is or transposed (nn,
# nt, tn, tt), of doubles (double), 1000 at once (batched); attention over N positions of 64 numbers (attention).
# shellcheck shell=sh disable=SC2034,SC2154

sgemm_unit=GFLOP/s

sgemm_work() { # N FORM: operations, in units of 1e9
    echo "$1" | awk '{ n = $1; print ($2 == "attention" ? 256 * n * n : $2 == "batched" ? 2000 * n * n * n : 2 * n * n * n) / 1e9 }'
}

sgemm_tiles="1x1 2x2 4x4 auto"

sgemm_build() {
    need_header cblas.h
    need_header CL/cl.h
    build_c sgemm_blas -ffast-math -fopenmp -lopenblas
    # where it is installed; its library is a link that the system's alternatives set
    echo 'int main(void) { return 0; }' >"$tmp/blis.c"
    sgemm_blis=
    $CC "$tmp/blis.c" -o "$tmp/blis" -lblis 2>/dev/null && sgemm_blis=1
    [ -z "$sgemm_blis" ] || $CC -std=c17 -D_GNU_SOURCE -O3 -march=native -ffast-math -fopenmp \
        -o "$out/sgemm_blis" bench/sgemm_blas.c -lblis -lm || exit 1
    build_c sgemm_opencl -lOpenCL
    for tile in $sgemm_tiles; do
        build_csc sgemm "sgemm-$tile" "--tile=$tile" --native=v3,v4 # peers have -march=native
    done
}

# OpenBLAS 0.3.21 picks AVX2 kernels on CPUs newer than it, so every core type that the CPU can run is tried.
sgemm_cores() {
    flags=" $(sed -n 's/^flags[^:]*://p' /proc/cpuinfo 2>/dev/null | head -n 1) "
    echo default
    case $flags in *" avx2 "*) echo Haswell; echo Zen ;; esac
    case $flags in *" avx512f "*) echo SkylakeX ;; esac
    case $flags in *" avx512_bf16 "*) echo Cooperlake ;; esac
    case $flags in *" amx_bf16 "*) echo SapphireRapids ;; esac
}

# A line an implementation: label, role, command. A label's best time counts. Roles: ours and peer make the
# row's ratio; also is shown only.
sgemm_list() { # N FORM
    n=${1%% *} form=${1#* }
    if [ "$form" = nn ] && [ "$n" -le 2048 ]; then # the others would take minutes
        for tile in $sgemm_tiles; do
            [ "$tile" = auto ] || echo "$tile also $out/sgemm-$tile $1"
        done
    fi
    echo "auto ours $out/sgemm-auto $1"
    [ "$form" != nn ] || echo "opencl peer $out/sgemm_opencl $n bench/sgemm.cl"
    for core in $(sgemm_cores); do
        if [ "$core" = default ]; then
            echo "openblas peer $out/sgemm_blas $1"
        else
            echo "openblas peer env OPENBLAS_CORETYPE=$core $out/sgemm_blas $1"
        fi
    done
    [ -z "$sgemm_blis" ] || echo "blis peer $out/sgemm_blis $1"
}
