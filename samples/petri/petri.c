#include "../sample.h"

enum { STEPS = 200 };

static int run(uint64_t seed, int producers, int room, int consumers, int *goods)
{
    int marks[6] = {producers, 0, room, 0, consumers, 0}, consumed = 0;
    for (int step = 0; step < STEPS; step++) {
        int can[4] = {marks[0] > 0, marks[1] && marks[2], marks[3] && marks[4], marks[5] > 0};
        int chosen =
            (int)(uniform(seed, (uint64_t)step) * (float)(can[0] + can[1] + can[2] + can[3]));
        if (can[0] && chosen-- == 0)
            marks[0]--, marks[1]++;
        else if (can[1] && chosen-- == 0)
            marks[1]--, marks[2]--, marks[0]++, marks[3]++;
        else if (can[2] && chosen-- == 0)
            marks[3]--, marks[4]--, marks[2]++, marks[5]++;
        else if (can[3])
            marks[5]--, marks[4]++, consumed++;
    }
    *goods = marks[3];
    return consumed;
}

int main(int argc, char **argv)
{
    int runs = argument(argc, argv, 1, 500);
    for (int room = 1; room <= 8; room *= 2) {
        double consumed = 0, left = 0;
#pragma omp parallel for reduction(+ : consumed, left)
        for (int k = 0; k < runs; k++) {
            int goods;
            consumed += run((uint64_t)k, 3, room, 2, &goods);
            left += goods;
        }
        printf("room for %d: %.3f consumed in %d steps, %.3f in the buffer\n", room,
               consumed / runs, STEPS, left / runs);
    }
}
