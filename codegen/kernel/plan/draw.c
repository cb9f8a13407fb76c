/* Parameters of schedules: their table, what is given, what is drawn (draw.h). */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

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
    if (most > 2 * usual && usual > 0) most = 2 * usual; /* so that texts stay small */
    uint64_t range = (uint64_t)(most - least) + 1;
    if (bits % 3 == 0) return usual;
    int magnitude = 0;
    while (range >> magnitude) magnitude++;
    uint64_t below =
        (uint64_t)1 << ((bits >> 8) % (unsigned)(magnitude + 1)); /* any size as likely */
    return least + (int64_t)((bits >> 16) % (below < range ? below : range));
}

/* ---- the table ---------------------------------------------------------------------------------- */

static const CgParameter table[PARAMETERS] = {
#define PARAMETER(id, name, least, most, steps, attribute, argument, meaning)                      \
    {name, meaning, attribute, argument, least, most, CG_STEP_##steps},
#include "parameters.def"
#undef PARAMETER
};

int cg_parameters(void)
{
    return PARAMETERS;
}

const CgParameter *cg_parameter(int k)
{
    return &table[k];
}

int cg_find_parameter(const char *name, size_t len)
{
    for (int p = 0; p < PARAMETERS; p++)
        if (strlen(table[p].name) == len && memcmp(table[p].name, name, len) == 0) return p;
    return -1;
}

/* ---- what is given ------------------------------------------------------------------------------ */

static int64_t within(Parameter p, int64_t v)
{
    return v < table[p].least ? table[p].least : v > table[p].most ? table[p].most : v;
}

/* The next NAME=VALUE of *text, which moves behind it; false: there is none. *p: -1 if it is no such
 * thing. */
static bool next_given(const char **text, int *p, int64_t *value)
{
    *text += strspn(*text, " ,");
    if (!**text) return false;
    size_t name = strcspn(*text, "= ,"), len = strcspn(*text, " ,");
    char *end = NULL;
    *p = cg_find_parameter(*text, name);
    if (name < len) *value = strtoll(*text + name + 1, &end, 10);
    if (!end || end != *text + len || len == name + 1) *p = -1;
    *text += len;
    return true;
}

bool cg_set_is_right(const char *set, size_t *at)
{
    int p;
    int64_t v;
    for (const char *t = set, *before = set; next_given(&t, &p, &v); before = t) {
        *at = (size_t)(before - set) + strspn(before, " ,");
        if (p < 0 || within((Parameter)p, v) != v) return false;
    }
    return true;
}

/* From "Tile=4,2 Unroll=2": what the nearest function or reduction says comes first. */
static void take_hints(int64_t *given, const char *hints)
{
    for (const char *word = hints, *end; *word; word = *end ? end + 1 : end) {
        end = word + strcspn(word, " ");
        size_t name = strcspn(word, "= ");
        const char *at = word + name;
        for (int argument = 0; at < end && *at; argument++) {
            char *behind;
            int64_t v = strtoll(at + 1, &behind, 10);
            for (int p = 0; p < PARAMETERS; p++) {
                const CgParameter *t = &table[p];
                if (t->argument != argument || strlen(t->attribute) != name) continue;
                if (memcmp(t->attribute, word, name) == 0 && given[p] == INT64_MIN)
                    given[p] = within((Parameter)p, v);
            }
            at = behind;
        }
    }
}

void draw_begin(Unit *u)
{
    const char *set = u->options->set;
    int p;
    int64_t v;
    int64_t *given = arena_array(u->arena, int64_t, PARAMETERS);
    for (p = 0; p < PARAMETERS; p++) given[p] = INT64_MIN;
    if (u->g->hints) take_hints(given, u->g->hints);
    while (set && next_given(&set, &p, &v))
        if (p >= 0 && given[p] == INT64_MIN) given[p] = within((Parameter)p, v);
    u->given = given;
}

/* ---- what recipes ask --------------------------------------------------------------------------- */

static bool is_given(const Unit *u, Parameter p, int64_t wide, int64_t narrow)
{
    if (u->asked) u->asked[p] = (CgAsked){true, wide, narrow};
    return u->given[p] != INT64_MIN;
}

int64_t draw(Unit *u, Parameter p, int64_t usual)
{
    if (is_given(u, p, usual, usual)) return u->given[p];
    return u->options->seed ? drawn(next(u), usual, table[p].least, table[p].most) : usual;
}

Num *draw_num(Unit *u, Parameter p, int64_t usual)
{
    return num_int(u, draw(u, p, usual));
}

void draw_widths(Unit *u, Parameter p, int64_t *wide, int64_t *narrow)
{
    int64_t large = draw(u, p, *wide), small = *wide == *narrow ? large : draw(u, p, *narrow);
    is_given(u, p, *wide, *narrow);
    *wide = large;
    *narrow = small;
}

Num *draw_is_wide(Unit *u)
{
    return num_op(u, FD_OP_GE, num_fact(u, NUM_VECTOR_BYTES), num_int(u, 64));
}

bool draw_bool(Unit *u, Parameter p, bool usual)
{
    if (is_given(u, p, usual, usual)) return u->given[p] != 0;
    return u->options->seed && next(u) % 3 == 0 ? !usual : usual;
}

bool draw_skips(Unit *u, Parameter form)
{
    if (is_given(u, form, 1, 1)) return u->given[form] == 0;
    return u->options->seed && next(u) % 6 == 0;
}

/* Of what is no parameter of a recipe. */
static uint64_t bits_of(const Unit *u, uint64_t what)
{
    return mixed(mixed(u->options->seed) ^ mixed(what + 1));
}

int64_t draw_same(const Unit *u, Parameter p, int64_t usual)
{
    if (is_given(u, p, usual, usual)) return u->given[p];
    if (!u->options->seed) return usual;
    return drawn(bits_of(u, (uint64_t)NUM_FACTS + p), usual, table[p].least, table[p].most);
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
                          [NUM_MAX_GROUP] = {"MAX_GROUP", 4, {256, 4, 64, 16}},
                          [NUM_CACHE] = {"CACHE", 3, {512 << 10, 64, 16 << 10}},
                          [NUM_PLACES] = {"PLACES", 4, {1, 2, 3, 7}},
                          [NUM_GATHERS] = {"GATHERS", 2, {0, 1}},
                          [NUM_MULTIPLIES] = {"MULTIPLIES", 2, {2, 1}}};
    if (!u->options->seed || !facts[f].n) return NULL;
    uint64_t bits = bits_of(u, (uint64_t)f);
    return num_define(u, facts[f].name, num_int(u, facts[f].values[bits % (unsigned)facts[f].n]));
}
