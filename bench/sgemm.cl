/* c = a b for n by n float matrices, written by hand for CPU devices: one work-item keeps a register tile of
 * MR rows by NV vectors of VW floats. Set by -D: MR, NV, VW, K (rows of B that a panel holds). */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
#define VECTOR JOIN(float, VW)
#define LOAD JOIN(vload, VW)
#define STORE JOIN(vstore, VW)
#define NR (NV * VW)
#define UNROLL _Pragma("unroll")
#define EACH_TILE UNROLL for (int r = 0; r < MR; r++) UNROLL for (int v = 0; v < NV; v++)

/* Adds the products of `count` steps: A's step is MR floats, `rows` apart, steps `as` apart; B's is NR floats. */
#define ACCUMULATE(c, a, rows, as, b, count)                                                       \
    for (int l = 0; l < (count); l++) {                                                            \
        VECTOR y[NV];                                                                              \
        UNROLL for (int v = 0; v < NV; v++) y[v] = LOAD(v, b);                                     \
        UNROLL for (int r = 0; r < MR; r++) {                                                      \
            const VECTOR x = a[r * (rows)];                                                        \
            UNROLL for (int v = 0; v < NV; v++) c[r][v] = fma(x, y[v], c[r][v]);                   \
        }                                                                                          \
        a += (as);                                                                                 \
        b += NR;                                                                                   \
    }

/* Writes or adds the part of a tile that lies inside C. */
#define FINISH(c, o, n, rows, columns, add)                                                        \
    if ((rows) >= MR && (columns) >= NR) {                                                         \
        if (add) EACH_TILE c[r][v] += LOAD(v, (o) + (long)r * (n));                                \
        EACH_TILE STORE(c[r][v], v, (o) + (long)r * (n));                                          \
    } else {                                                                                       \
        float t[MR * NR];                                                                          \
        EACH_TILE STORE(c[r][v], r * NV + v, t);                                                   \
        for (int r = 0; r < min(MR, rows); r++)                                                    \
            for (int s = 0; s < min(NR, columns); s++)                                             \
                (o)[(long)r * (n) + s] = t[r * NR + s] + ((add) ? (o)[(long)r * (n) + s] : 0);     \
    }

/* Small and middle sizes: a work-item packs its panel of B (all rows: K >= n) for itself, and runs over `tiles`
 * row tiles of A as it lies. The last row tile overlaps the one before: n >= MR. */
__kernel void panel(__global const float *restrict A, __global const float *restrict B,
                    __global float *restrict C, int n, int tiles)
{
    float packed[K * NR] __attribute__((aligned(64)));
    const int j = (int)get_global_id(1) * NR, width = min(NR, n - j);
    const int first = (int)get_global_id(0) * tiles, last = min(first + tiles, (n + MR - 1) / MR);
    for (int l = 0; l < n; l++) {
        __global const float *b = B + (long)l * n + j;
        if (width == NR)
            UNROLL for (int v = 0; v < NV; v++) STORE(LOAD(v, b), l * NV + v, packed);
        else
            for (int s = 0; s < NR; s++) packed[l * NR + s] = s < width ? b[s] : 0;
    }
    for (int t = first; t < last; t++) {
        const int i = min(t * MR, n - MR);
        VECTOR c[MR][NV];
        EACH_TILE c[r][v] = 0;
        __global const float *a = A + (long)i * n;
        const float *b = packed;
        ACCUMULATE(c, a, (long)n, 1, b, n)
        FINISH(c, C + (long)i * n + j, n, MR, width, 0)
    }
}

/* Large sizes: both operands in panels, zero-padded, one block of K steps after the other. */
__kernel void pack_a(__global const float *restrict A, __global float *restrict P, int n)
{
    const int ip = get_global_id(0), kb = get_global_id(1), i = ip * MR, steps = min(K, n - kb * K);
    __global float *o = P + ((long)kb * get_global_size(0) + ip) * (K * MR);
    for (int r = 0; r < MR; r++)
        for (int l = 0; l < steps; l++)
            o[l * MR + r] = i + r < n ? A[(long)(i + r) * n + kb * K + l] : 0;
}

__kernel void pack_b(__global const float *restrict B, __global float *restrict P, int n)
{
    const int jp = get_global_id(0), kb = get_global_id(1), j = jp * NR, steps = min(K, n - kb * K);
    __global float *o = P + ((long)kb * get_global_size(0) + jp) * (K * NR);
    for (int l = 0; l < steps; l++) {
        __global const float *b = B + (long)(kb * K + l) * n + j;
        if (j + NR <= n)
            UNROLL for (int v = 0; v < NV; v++) STORE(LOAD(v, b), l * NV + v, o);
        else
            for (int s = 0; s < NR; s++) o[l * NR + s] = j + s < n ? b[s] : 0;
    }
}

/* A work-item: `tiles` by `tiles` tiles of C, all blocks of K. */
__kernel void packed(__global const float *restrict PA, __global const float *restrict PB,
                     __global float *restrict C, int n, int tiles)
{
    const int nip = (n + MR - 1) / MR, njp = (n + NR - 1) / NR;
    const int i0 = (int)get_global_id(0) * tiles, i1 = min(i0 + tiles, nip);
    const int j0 = (int)get_global_id(1) * tiles, j1 = min(j0 + tiles, njp);
    for (int l0 = 0, kb = 0; l0 < n; l0 += K, kb++)
        for (int jp = j0; jp < j1; jp++)
            for (int ip = i0; ip < i1; ip++) {
                __global const float *a = PA + ((long)kb * nip + ip) * (K * MR);
                __global const float *b = PB + ((long)kb * njp + jp) * (K * NR);
                const int i = ip * MR, j = jp * NR;
                VECTOR c[MR][NV];
                EACH_TILE c[r][v] = 0;
                ACCUMULATE(c, a, 1, MR, b, min(K, n - l0))
                FINISH(c, C + (long)i * n + j, n, n - i, n - j, l0)
            }
}
