/* Choices, and counts of what was chosen. */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t next(Choices *c)
{
    c->state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    uint64_t z = c->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 16);
}

void choices_seed(Choices *c, uint64_t seed)
{
    c->len = c->at = 0;
    c->state = seed * 0x2545f4914f6cdd1du;
    c->replay = false;
}

int choose(Gen *g, int n)
{
    Choices *c = g->choices;
    uint32_t x = 0;
    if (c->replay) {
        if (c->at < c->len) x = c->data[c->at];
        c->at++;
    } else {
        x = next(c) % (uint32_t)n;
        vec_push(c, x);
        c->at = c->len;
    }
    return (int)(x % (uint32_t)n);
}

bool rarely(Gen *g, int n)
{
    return choose(g, n) == n - 1;
}

enum { CONSTRUCTS = 256 };
static struct {
    const char *name;
    long count;
} counts[CONSTRUCTS];

void covered(const char *construct)
{
    int i = 0;
    while (counts[i].name && strcmp(counts[i].name, construct)) i++;
    if (i == CONSTRUCTS - 1) abort();
    counts[i].name = construct;
    counts[i].count++;
}

void covered_print(void)
{
    for (int i = 0; counts[i].name; i++)
        fprintf(stderr, "%8ld %s\n", counts[i].count, counts[i].name);
}
