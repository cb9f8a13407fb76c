#include "../sample.h"

typedef struct Block {
    uint32_t w[4];
} Block;

static uint32_t box[256], table[256], key[44];

static uint32_t rotated(uint32_t x, int bits)
{
    return bits ? x >> bits | x << (32 - bits) : x;
}

static uint32_t doubled(uint32_t x)
{
    return x << 1 ^ (x > 127 ? 0x11b : 0);
}

static uint32_t word(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return box[a >> 24] << 24 | box[b >> 16 & 255] << 16 | box[c >> 8 & 255] << 8 | box[d & 255];
}

static uint32_t column(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return table[a >> 24] ^ rotated(table[b >> 16 & 255], 8) ^ rotated(table[c >> 8 & 255], 16) ^
           rotated(table[d & 255], 24);
}

static void make_tables(void)
{
    uint32_t power[256], log[256] = {0}, x = 1;
    for (uint32_t i = 0; i < 255; i++) {
        power[i] = x;
        log[x] = i;
        x ^= doubled(x);
    }
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t y = b ? power[(255 - log[b]) % 255] * 0x101 : 0;
        uint32_t s = (y ^ y >> 4 ^ y >> 5 ^ y >> 6 ^ y >> 7 ^ 0x63) & 255;
        box[b] = s;
        table[b] = doubled(s) << 24 | s << 16 | s << 8 | (s ^ doubled(s));
    }
}

static void words(const char *hex, uint32_t *to)
{
    for (; *hex; hex += 8) sscanf(hex, "%8x", to++);
}

static void set_key(const char *hex)
{
    uint32_t constant = 1;
    words(hex, key);
    for (int i = 4; i < 44; i++) {
        uint32_t x = key[i - 1];
        if (i % 4 == 0) {
            x = rotated(x, 24);
            x = word(x, x, x, x) ^ constant << 24;
            constant = doubled(constant);
        }
        key[i] = key[i - 4] ^ x;
    }
}

static Block encrypted(Block x)
{
    uint32_t a = x.w[0] ^ key[0], b = x.w[1] ^ key[1], c = x.w[2] ^ key[2], d = x.w[3] ^ key[3];
    for (const uint32_t *k = key + 4; k < key + 40; k += 4) {
        uint32_t e = column(a, b, c, d) ^ k[0], f = column(b, c, d, a) ^ k[1];
        uint32_t g = column(c, d, a, b) ^ k[2], h = column(d, a, b, c) ^ k[3];
        a = e, b = f, c = g, d = h;
    }
    return (Block){{word(a, b, c, d) ^ key[40], word(b, c, d, a) ^ key[41],
                    word(c, d, a, b) ^ key[42], word(d, a, b, c) ^ key[43]}};
}

static void count(uint8_t *data, int n, Block start)
{
#pragma omp parallel for
    for (int k = 0; k < (n + 15) / 16; k++) {
        Block b = start;
        b.w[3] += (uint32_t)k;
        b = encrypted(b);
        for (int i = 0; i < 16 && 16 * k + i < n; i++)
            data[16 * k + i] ^= (uint8_t)(b.w[i / 4] >> (24 - i % 4 * 8));
    }
}

static void print(Block b)
{
    printf(" %08x%08x%08x%08x", b.w[0], b.w[1], b.w[2], b.w[3]);
}

int main(int argc, char **argv)
{
    Block p, q[2];
    make_tables();
    words("00112233445566778899aabbccddeeff", p.w);
    set_key("000102030405060708090a0b0c0d0e0f");
    printf("FIPS-197, C.1     ");
    print(encrypted(p));
    set_key("2b7e151628aed2a6abf7158809cf4f3c");
    words("6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51", q[0].w);
    printf("\nSP 800-38A, ECB   ");
    print(encrypted(q[0]));
    print(encrypted(q[1]));
    uint8_t message[32];
    for (int i = 0; i < 32; i++) message[i] = (uint8_t)(q[i / 16].w[i / 4 % 4] >> (24 - i % 4 * 8));
    count(message, 32, (Block){{0xf0f1f2f3, 0xf4f5f6f7, 0xf8f9fafb, 0xfcfdfeff}});
    printf("\nSP 800-38A, CTR    ");
    for (int i = 0; i < 32; i++) printf("%02x", message[i]);
    int n = argument(argc, argv, 1, 4096);
    long long sum = 0;
    uint8_t *zeros = calloc((size_t)n, 1);
    count(zeros, n, (Block){{0, 0, 0, 0}});
    for (int i = 0; i < n; i++) sum += zeros[i];
    printf("\nsum of %d bytes of key stream: %lld\n", n, sum);
}
