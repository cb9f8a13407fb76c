/* Parameters of schedules, drawn (draw.h). */
#include "draw.h"

#include "../unit.h"

/* splitmix64 */
static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* Nothing of the graph: a failure stays one while its program is reduced. */
static uint64_t next(Unit *u)
{
    return mixed(mixed(u->options->seed) + 0x9E3779B97F4A7C15u * (uint64_t)++u->ndrawn);
}

static int64_t drawn(uint64_t bits, int64_t usual, int64_t least, int64_t most)
{
    uint64_t range = (uint64_t)(most - least) + 1;
    if (bits % 3 == 0) return usual;
    int magnitude = 0;
    while (range >> magnitude) magnitude++;
    uint64_t below =
        (uint64_t)1 << ((bits >> 8) % (unsigned)(magnitude + 1)); /* any size as likely */
    return least + (int64_t)((bits >> 16) % (below < range ? below : range));
}

int64_t draw(Unit *u, int64_t usual, int64_t least, int64_t most)
{
    return u->options->seed ? drawn(next(u), usual, least, most) : usual;
}

Num *draw_num(Unit *u, int64_t usual, int64_t least, int64_t most)
{
    return num_int(u, draw(u, usual, least, most));
}

bool draw_bool(Unit *u, bool usual)
{
    return u->options->seed && next(u) % 3 == 0 ? !usual : usual;
}

bool draw_skips(Unit *u)
{
    return u->options->seed && next(u) % 6 == 0;
}

/* Of what is no parameter of a recipe. */
static uint64_t bits_of(const Unit *u, uint64_t what)
{
    return mixed(mixed(u->options->seed) ^ mixed(what + 1));
}

int64_t draw_named(const Unit *u, const char *name, int64_t usual, int64_t least, int64_t most)
{
    uint64_t what = NUM_FACTS;
    if (!u->options->seed) return usual;
    for (; *name; name++) what = what * 31 + (unsigned char)*name;
    return drawn(bits_of(u, what), usual, least, most);
}

Num *draw_fact(Unit *u, NumFact f)
{
    /* Work-groups have at most as many items as every device allows. */
    static const struct {
        const char *name;
        int n;
        int64_t values[6];
    } facts[NUM_FACTS] = {[NUM_UNITS] = {"UNITS", 6, {2, 1, 3, 5, 16, 64}},
                          [NUM_VECTOR_BYTES] = {"VECTOR_BYTES", 4, {32, 16, 8, 64}},
                          [NUM_L1] = {"L1", 3, {32 << 10, 64, 2 << 10}},
                          [NUM_L2] = {"L2", 4, {512 << 10, 64, 1 << 10, 16 << 10}},
                          [NUM_L3] = {"L3", 3, {32 << 20, 1 << 10, 64 << 10}},
                          [NUM_MAX_GROUP] = {"MAX_GROUP", 4, {256, 4, 64, 16}}};
    if (!u->options->seed || !facts[f].n) return NULL;
    uint64_t bits = bits_of(u, (uint64_t)f);
    return num_define(u, facts[f].name, num_int(u, facts[f].values[bits % (unsigned)facts[f].n]));
}
