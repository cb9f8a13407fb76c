#include "../sample.h"

static int n, count, *first, *column;
static double *value;

/* The file of a symmetric matrix, of which one half is given: rows of the whole one after the other. */
static void load(const char *path)
{
    char line[256];
    int given, i, j;
    double x;
    FILE *f = fopen(path, "r");
    while (fgets(line, sizeof line, f) && *line == '%') {
    }
    sscanf(line, "%d %*d %d", &n, &given);
    long start = ftell(f);
    first = calloc((size_t)n + 2, sizeof *first);
    column = malloc(2 * (size_t)given * sizeof *column);
    value = malloc(2 * (size_t)given * sizeof *value);
    for (int k = 0; k < given && fscanf(f, "%d %d %lf", &i, &j, &x) == 3; k++) {
        first[i + 1]++;
        if (i != j) first[j + 1]++;
    }
    for (int k = 0; k < n; k++) first[k + 2] += first[k + 1];
    count = first[n + 1];
    fseek(f, start, SEEK_SET);
    for (int k = 0; k < given && fscanf(f, "%d %d %lf", &i, &j, &x) == 3; k++) {
        column[first[i]] = j - 1, value[first[i]++] = x;
        if (i != j) column[first[j]] = i - 1, value[first[j]++] = x;
    }
    fclose(f);
}

static double multiplied(const double *x, double *y)
{
    double sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        double s = 0;
        for (int k = first[i]; k < first[i + 1]; k++) s += value[k] * x[column[k]];
        y[i] = s;
        sum += s * s;
    }
    return sqrt(sum);
}

int main(int argc, char **argv)
{
    load(argc > 1 ? argv[1] : "samples/sparse/path.mtx");
    printf("%d x %d, %d elements that are not 0\n", n, n, count);
    int steps = argument(argc, argv, 2, 2000);
    double *x = calloc((size_t)n, sizeof *x), *y = malloc((size_t)n * sizeof *y), norm = 0, off = 0;
    for (int i = 0; i < n; i++) x[i] = 1 + i % 3;
    for (int step = 0; step < steps; step++) {
        norm = multiplied(x, y);
        for (int i = 0; i < n; i++) x[i] = y[i] / norm;
    }
    multiplied(x, y);
    for (int i = 0; i < n; i++) off += (y[i] - norm * x[i]) * (y[i] - norm * x[i]);
    printf("largest eigenvalue %.6f\n|a x - value x| = %.6f\n", norm, sqrt(off));
}
