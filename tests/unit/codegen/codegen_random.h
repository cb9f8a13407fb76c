/* What the writers of random graphs share: choices from a seed, and the seeds asked for. */
#ifndef TESTS_CODEGEN_RANDOM_H
#define TESTS_CODEGEN_RANDOM_H

#include "codegen_run.h"

typedef struct Random {
    uint32_t state;
    int around; /* variables around what is written, besides the first */
    Text out;
} Random;

static int pick(Random *r, int n)
{
    r->state = r->state * 1664525u + 1013904223u;
    return (int)((r->state >> 8) % (uint32_t)n);
}

__attribute__((unused)) static const char *one_of(Random *r, int n, const char *const *texts)
{
    return texts[pick(r, n)];
}

#define ONE_OF(r, ...)                                                                             \
    one_of(r, sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *), (const char *[]){__VA_ARGS__})

/* CODEGEN_RANDOM=n and CODEGEN_SEED=first ask for more graphs, which are told as they come. Every
 * fourth is scheduled as programs are, the others with parameters drawn; of these a backend may do
 * a share only, unless they are asked for. */
typedef struct RandomSeeds {
    int first, end;
    bool tell;
} RandomSeeds;

static RandomSeeds random_seeds(int usual)
{
    const char *count = getenv("CODEGEN_RANDOM"), *first = getenv("CODEGEN_SEED");
    RandomSeeds s = {.first = first ? atoi(first) : 1, .tell = first != NULL};
    s.end = s.first + (count ? atoi(count) : usual);
    warnings_allowed = true;
    return s;
}

static Random random_begin(int seed)
{
    return (Random){.state = (uint32_t)seed * 2654435761u};
}

static void random_check(const RandomSeeds *s, int seed, Random *r, const char *users,
                         unsigned which, const char *const *specs)
{
    bool drawn = seed % 4 != 0;
    if (s->tell) fprintf(stderr, "%d %s\n", seed, r->out.data);
    schedule_seed = drawn ? (uint32_t)seed : 0;
    if (!drawn || s->tell || seed / 4 % backend_share == 0)
        check_graph(users, r->out.data, which, specs);
    schedule_seed = 0;
    text_free(&r->out);
}

#endif
