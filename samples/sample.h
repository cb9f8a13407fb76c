/* What the samples in C share: the numbers of C$'s Random.Uniform, and arguments. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Element i of Random.Uniform(seed): Philox 4x32-10 (Salmon et al., SC11), 24 bits in [0, 1). */
static inline float uniform(uint64_t seed, uint64_t i)
{
    uint32_t x = (uint32_t)i, y = (uint32_t)(i >> 32), z = 0, w = 0;
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)x * 0xD2511F53, q = (uint64_t)z * 0xCD9E8D57;
        x = (uint32_t)(q >> 32) ^ y ^ k0;
        y = (uint32_t)q;
        z = (uint32_t)(p >> 32) ^ w ^ k1;
        w = (uint32_t)p;
        k0 += 0x9E3779B9;
        k1 += 0xBB67AE85;
    }
    return (float)(x >> 8) * 0x1p-24f;
}

static inline int argument(int argc, char **argv, int k, int otherwise)
{
    return argc > k ? atoi(argv[k]) : otherwise;
}
