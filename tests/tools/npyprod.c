/* npyprod a.npy b.npy c.npy TOLERANCE: is c the matrix product a b? Computes it in float64
 * (exactly, for integers) and prints the relative Frobenius norm of the difference. Reads only what
 * numpy writes by default: C order, little endian, float32, float64, int32.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Matrix {
    long rows, cols;
    double *at;
} Matrix;

static void fail(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    exit(2);
}

static Matrix load(const char *path)
{
    FILE *f = fopen(path, "rb");
    unsigned char head[10];
    if (!f || fread(head, 1, 10, f) != 10 || memcmp(head, "\x93NUMPY\x01", 7) != 0)
        fail(path, "not a version 1 .npy file");
    size_t len = (size_t)head[8] | (size_t)head[9] << 8;
    char *text = calloc(1, len + 1);
    if (!text || fread(text, 1, len, f) != len) fail(path, "header is cut off");
    Matrix m = {0};
    const char *shape = strstr(text, "'shape': ("), *descr = strstr(text, "'descr': '<");
    if (!descr || !strstr(text, "False") || !shape ||
        sscanf(shape + 10, "%ld, %ld", &m.rows, &m.cols) != 2)
        fail(path, "unexpected header");
    const char *type = descr + strlen("'descr': '<");
    size_t n = (size_t)(m.rows * m.cols), bytes = type[1] == '8' ? 8 : 4;
    unsigned char *raw = malloc(n * bytes + 1);
    m.at = malloc(n * sizeof *m.at + 1);
    if (!raw || !m.at || fread(raw, bytes, n, f) != n) fail(path, "data is cut off");
    for (size_t i = 0; i < n; i++) {
        float s;
        int k;
        memcpy(&s, raw + i * bytes, sizeof s);
        memcpy(&k, raw + i * bytes, sizeof k);
        if (bytes == 8)
            memcpy(&m.at[i], raw + i * 8, 8);
        else
            m.at[i] = type[0] == 'f' ? (double)s : (double)k;
    }
    free(raw);
    free(text);
    fclose(f);
    return m;
}

int main(int argc, char **argv)
{
    if (argc != 5) return 2;
    Matrix a = load(argv[1]), b = load(argv[2]), c = load(argv[3]);
    if (a.cols != b.rows || c.rows != a.rows || c.cols != b.cols) fail(argv[3], "wrong shape");
    double *row = malloc((size_t)(b.cols + 1) * sizeof *row), difference = 0, size = 0;
    if (!row) return 2;
    for (long i = 0; i < a.rows; i++) {
        memset(row, 0, (size_t)b.cols * sizeof *row);
        for (long l = 0; l < a.cols; l++)
            for (long j = 0; j < b.cols; j++) row[j] += a.at[i * a.cols + l] * b.at[l * b.cols + j];
        for (long j = 0; j < b.cols; j++) {
            double d = row[j] - c.at[i * b.cols + j];
            difference += d * d;
            size += row[j] * row[j];
        }
    }
    double error = size > 0 ? sqrt(difference / size) : sqrt(difference);
    printf("%ld x %ld x %ld: relative error %.2e\n", a.rows, a.cols, b.cols, error);
    int bad = !(error <= atof(argv[4]));
    free(a.at);
    free(b.at);
    free(c.at);
    free(row);
    return bad;
}
