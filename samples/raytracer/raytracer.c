#include "../sample.h"

typedef struct {
    float x, y, z;
} Vec;
typedef struct {
    Vec centre;
    float radius, mirror;
} Ball;
enum { BALLS = 7 };
static Ball balls[BALLS];

static Vec along(Vec a, float t, Vec b)
{
    return (Vec){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z};
}
static float dot(Vec a, Vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static float reach(const Ball *b, Vec from, Vec to)
{
    Vec away = along(from, -1, b->centre);
    float h = dot(away, to), d = h * h - dot(away, away) + b->radius * b->radius;
    float t = d < 0 ? -1 : -h - sqrtf(d);
    return t > 0.001f ? t : 1e9f;
}

static float light(Vec from, Vec to)
{
    Vec sun = {0.48f, 0.8f, -0.36f};
    float seen = 0, weight = 1;
    for (int bounce = 0; bounce < 4; bounce++) {
        float t = to.y < -0.001f ? -from.y / to.y : 1e9f;
        const Ball *hit = NULL;
        for (int k = 0; k < BALLS; k++) {
            float u = reach(balls + k, from, to);
            if (u < t) t = u, hit = balls + k;
        }
        if (t > 1e8f) return seen + weight * (0.6f + 0.4f * to.y);
        Vec place = along(from, t, to), up = {0, 1, 0};
        if (hit) {
            up = along(place, -1, hit->centre);
            up = (Vec){up.x / hit->radius, up.y / hit->radius, up.z / hit->radius};
        }
        float shade = fmaxf(dot(up, sun), 0);
        for (int k = 0; k < BALLS; k++)
            if (reach(balls + k, place, sun) < 1e8f) shade = 0;
        float floors = floorf(place.x) + floorf(place.z), mirror = hit ? hit->mirror : 0.1f;
        float colour = hit ? 0.9f : ((int)floors & 1) == 0 ? 0.8f : 0.3f;
        seen += weight * (1 - mirror) * colour * (0.15f + 0.85f * shade);
        weight *= mirror;
        from = place;
        to = along(to, -2 * dot(up, to), up);
    }
    return seen;
}

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 48);
    float *picture = malloc(sizeof *picture * 2 * (size_t)n * (size_t)n);
    for (int k = 0; k < BALLS; k++) {
        float r = 0.5f + 0.1f * (float)k;
        balls[k] =
            (Ball){{1.3f * (float)(k - 3), r, (float)(4 + k % 3)}, r, k % 2 == 0 ? 0.7f : 0.2f};
    }
#pragma omp parallel for schedule(dynamic, 8)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < 2 * n; j++) {
            Vec to = {(float)(j - n) * 1.2f / (float)n, (float)(n / 2 - i) * 1.2f / (float)n, 1.5f};
            float length = sqrtf(dot(to, to));
            to = (Vec){to.x / length, to.y / length, to.z / length};
            picture[i * 2 * n + j] = light((Vec){0.21f, 1.57f, -3.1f}, to);
        }
    for (int i = 0; i < n && n <= 48; i += 3) {
        for (int j = 0; j < 2 * n; j += 2)
            putchar(" .:-=+*#%@"[(int)(9.4f * fminf(picture[i * 2 * n + j], 1))]);
        putchar('\n');
    }
    double sum = 0;
    for (int i = 0; i < 2 * n * n; i++) sum += picture[i];
    printf("mean light %.3f\n", sum / (2.0 * n * n));
}
