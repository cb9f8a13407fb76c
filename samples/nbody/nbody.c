#include "../sample.h"

static int place(float x, int size)
{
    int at = (int)((x + 1) * (float)size / 2);
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 256), steps = argument(argc, argv, 2, 10);
    size_t size = (size_t)n * sizeof(float);
    float *x = malloc(size), *y = malloc(size), *z = malloc(size);
    float *vx = malloc(size), *vy = malloc(size), *vz = calloc((size_t)n, sizeof *vz), dt = 0.01f;
    for (int i = 0; i < n; i++) {
        x[i] = uniform(7, (uint64_t)i) - 0.5f;
        y[i] = uniform(7, (uint64_t)(i + n)) - 0.5f;
        z[i] = uniform(7, (uint64_t)(i + 2 * n)) - 0.5f;
        vx[i] = -0.5f * y[i];
        vy[i] = 0.5f * x[i];
    }
    for (int step = 0; step < steps; step++) {
#pragma omp parallel for
        for (int i = 0; i < n; i++) {
            float ax = 0, ay = 0, az = 0;
            for (int j = 0; j < n; j++) {
                float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
                float d = dx * dx + dy * dy + dz * dz + 0.01f, w = 1 / (d * sqrtf(d));
                ax += dx * w;
                ay += dy * w;
                az += dz * w;
            }
            vx[i] += ax / (float)n * dt;
            vy[i] += ay / (float)n * dt;
            vz[i] += az / (float)n * dt;
        }
        for (int i = 0; i < n; i++) {
            x[i] += vx[i] * dt;
            y[i] += vy[i] * dt;
            z[i] += vz[i] * dt;
        }
    }
    double energy = 0;
    int counts[64] = {0}, most = 0;
    for (int i = 0; i < n; i++) {
        energy += vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i];
        counts[place(y[i], 8) * 8 + place(x[i], 8)]++;
    }
    for (int k = 0; k < 64; k++) most = counts[k] > most ? counts[k] : most;
    printf("kinetic energy after %d steps: %.5f a body, %d bodies in the fullest square\n", steps,
           energy / 2 / n, most);
}
