#include "../sample.h"

static uint32_t K[64];
static const int S[16] = {7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21};
static const uint32_t start[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};

static inline void block(uint32_t digest[4], const uint32_t words[16])
{
    uint32_t a = digest[0], b = digest[1], c = digest[2], d = digest[3];
    for (int i = 0; i < 64; i++) {
        uint32_t f;
        int g, s = S[i / 16 * 4 + i % 4];
        if (i < 16)
            f = (b & c) | (~b & d), g = i;
        else if (i < 32)
            f = (d & b) | (~d & c), g = (5 * i + 1) % 16;
        else if (i < 48)
            f = b ^ c ^ d, g = (3 * i + 5) % 16;
        else
            f = c ^ (b | ~d), g = 7 * i % 16;
        f += a + K[i] + words[g];
        a = d, d = c, c = b;
        b += f << s | f >> (32 - s);
    }
    digest[0] += a, digest[1] += b, digest[2] += c, digest[3] += d;
}

static void md5(const char *text, uint32_t digest[4])
{
    size_t n = strlen(text), blocks = (n + 8) / 64 + 1;
    uint8_t *bytes = calloc(blocks, 64);
    memcpy(bytes, text, n);
    bytes[n] = 128;
    for (int i = 0; i < 8; i++) bytes[64 * blocks - 8 + (size_t)i] = (uint8_t)(8 * n >> 8 * i);
    memcpy(digest, start, sizeof start);
    for (size_t k = 0; k < blocks; k++) block(digest, (const uint32_t *)(bytes + 64 * k));
    free(bytes);
}

static uint32_t letter(int i, int place)
{
    return (uint32_t)('a' + i / place % 26);
}

int main(int argc, char **argv)
{
    static const char *const texts[] = {
        "",
        "a",
        "abc",
        "message digest",
        "abcdefghijklmnopqrstuvwxyz",
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890"};
    uint32_t target[4];
    for (int i = 0; i < 64; i++) K[i] = (uint32_t)(fabs(sin(i + 1.0)) * 4294967296);
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        md5(texts[t], target);
        for (int i = 0; i < 16; i++) printf("%02x", target[i / 4] >> i % 4 * 8 & 255);
        printf(" \"%s\"\n", texts[t]);
    }
    int count = argument(argc, argv, 1, 20000), found = count;
    md5("idea", target);
#pragma omp parallel for reduction(min : found)
    for (int i = 0; i < count; i++) {
        uint32_t words[16] = {letter(i, 1) | letter(i, 26) << 8 | letter(i, 676) << 16 |
                                  letter(i, 17576) << 24,
                              0x80},
                 digest[4];
        words[14] = 32;
        memcpy(digest, start, sizeof start);
        block(digest, words);
        if (memcmp(digest, target, sizeof target) == 0 && i < found) found = i;
    }
    if (found == count)
        puts("no word");
    else
        printf("word %d: %c%c%c%c\n", found, letter(found, 1), letter(found, 26),
               letter(found, 676), letter(found, 17576));
}
