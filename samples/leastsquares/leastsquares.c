#include "../sample.h"

/* Least squares by the normal equations of three columns, which is enough for them. */
int main(int argc, char **argv)
{
    static double v[100000], d[100000];
    double m[3][4] = {{0}}, c[3], mean = 0, spread = 0, all = 0;
    int n = 0;
    char line[256];
    FILE *f = fopen(argc > 1 ? argv[1] : "samples/leastsquares/cars.csv", "r");
    for (int header = 1; fgets(line, sizeof line, f); header = 0)
        if (!header && sscanf(line, "%lf,%lf", &v[n], &d[n]) == 2) n++;
    fclose(f);
    for (int i = 0; i < n; i++) {
        double a[4] = {1, v[i], v[i] * v[i], d[i]};
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++) m[j][k] += a[j] * a[k];
        mean += d[i] / n;
    }
    for (int j = 0; j < 3; j++)
        for (int r = j + 1; r < 3; r++) {
            double by = m[r][j] / m[j][j];
            for (int k = j; k < 4; k++) m[r][k] -= by * m[j][k];
        }
    for (int j = 2; j >= 0; j--) {
        c[j] = m[j][3];
        for (int k = j + 1; k < 3; k++) c[j] -= m[j][k] * c[k];
        c[j] /= m[j][j];
    }
    for (int i = 0; i < n; i++) {
        double r = d[i] - (c[0] + c[1] * v[i] + c[2] * v[i] * v[i]);
        spread += r * r;
        all += (d[i] - mean) * (d[i] - mean);
    }
    printf("distance = %.4f + %.4f speed + %.5f speed^2\n", c[0], c[1], c[2]);
    printf("%d cars, R^2 = %.4f, residual standard error %.3f\n", n, 1 - spread / all,
           sqrt(spread / (n - 3)));
}
