# Benchmarks of kind sgemm, sourced by bench/run: the product of two N by N float matrices.
# shellcheck shell=sh disable=SC2034,SC2154

sgemm_unit=GFLOP/s

sgemm_work() { # N: operations, in units of 1e9
    awk -v n="$1" 'BEGIN { printf "%.9g", 2 * n * n * n / 1e9 }'
}

sgemm_tiles="1x1 2x2 4x4 auto"

sgemm_build() {
    need_header cblas.h
    need_header CL/cl.h
    build_c sgemm_blas -lopenblas
    build_c sgemm_opencl -lOpenCL
    for tile in $sgemm_tiles; do
        build_csc sgemm "sgemm-$tile" "--tile=$tile"
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
sgemm_list() { # N
    for tile in $sgemm_tiles; do
        role=also
        [ "$tile" = auto ] && role=ours
        echo "$tile $role $out/sgemm-$tile $1"
    done
    echo "opencl also $out/sgemm_opencl $1 bench/sgemm.cl"
    for core in $(sgemm_cores); do
        if [ "$core" = default ]; then
            echo "openblas peer $out/sgemm_blas $1"
        else
            echo "openblas peer env OPENBLAS_CORETYPE=$core $out/sgemm_blas $1"
        fi
    done
}
