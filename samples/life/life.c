#include "../sample.h"

static const char *const gun[] = {
    "........................#...........", "......................#.#...........",
    "............##......##............##", "...........#...#....##............##",
    "##........#.....#...##..............", "##........#...#.##....#.#...........",
    "..........#.....#.......#...........", "...........#...#....................",
    "............##......................"};

int main(int argc, char **argv)
{
    int n = argument(argc, argv, 1, 40), steps = argument(argc, argv, 2, 60), alive = 0;
    size_t size = (size_t)n * (size_t)n;
    uint8_t *u = calloc(size, 1), *v = calloc(size, 1);
    for (int y = 0; y < 9; y++)
        for (int x = 0; gun[y][x]; x++) u[(y + 1) * n + x + 1] = gun[y][x] == '#';
    for (int t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int y = 0; y < n; y++) {
            const uint8_t *a = u + (y + n - 1) % n * n, *b = u + y * n, *c = u + (y + 1) % n * n;
            for (int x = 0; x < n; x++) {
                int l = x ? x - 1 : n - 1, r = x < n - 1 ? x + 1 : 0;
                int around = a[l] + a[x] + a[r] + b[l] + b[r] + c[l] + c[x] + c[r];
                v[y * n + x] = around == 3 || (around == 2 && b[x]);
            }
        }
        uint8_t *w = u;
        u = v;
        v = w;
    }
    for (int y = 0; y < 22; y++) {
        for (int x = 0; x < 40; x++) putchar(u[y * n + x] ? '#' : '.');
        putchar('\n');
    }
    for (size_t i = 0; i < size; i++) alive += u[i];
    printf("%d cells after %d steps\n", alive, steps);
}
