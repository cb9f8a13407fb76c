/* A line of a plan, read word by word (plan_read.h). */
#include "plan_read.h"

#include <stdlib.h>
#include <string.h>

#include "number.h"

void plan_read_fail(Reader *r, const char *why)
{
    if (!r->error) r->error = why;
}

bool plan_read_word(Reader *r, const char *word)
{
    while (*r->at == ' ') r->at++;
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0) return false;
    r->at += n;
    return true;
}

const char *plan_read_name(Reader *r)
{
    while (*r->at == ' ') r->at++;
    size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    if (n == 0) plan_read_fail(r, "plan lacks a name");
    const char *name = arena_strndup(r->plan->arena, r->at, n);
    r->at += n;
    return name;
}

int plan_read_number(Reader *r, int limit)
{
    while (*r->at == ' ') r->at++;
    char *end;
    long v = strtol(r->at, &end, 10);
    if (end == r->at || v < 0 || v >= limit) {
        plan_read_fail(r, "plan holds a number out of range");
        return 0;
    }
    r->at = end;
    return (int)v;
}

/* What was defined last is asked for most. */
int plan_find_named(const Names *list, const char *name, size_t len)
{
    for (size_t i = list->len; i-- > 0;)
        if (strncmp(list->data[i].name, name, len) == 0 && !list->data[i].name[len]) return (int)i;
    return -1;
}

static bool is_named(const char *word, const char *name, size_t len)
{
    return strlen(word) == len && memcmp(word, name, len) == 0;
}

static PlanSymbol symbol(SymbolClass class, int index, int dim)
{
    return (PlanSymbol){.number = (int)class << CLASS_SHIFT | index << INDEX_SHIFT | dim};
}

static PlanSymbol named(SymbolClass class, const Names *list, int i)
{
    PlanSymbol s = symbol(class, i, 0);
    s.is = list->data[i].expr;
    s.needs = s.is ? plan_expr_needs(s.is) : (PlanNeeds){.turn = true};
    return s;
}

/* s0.n1 s0.lo1 s2, device properties, defines, lets. */
static PlanSymbol resolve(void *ctx, const char *name, int len)
{
    const CgPlan *p = ((Reader *)ctx)->plan;
    size_t n = (size_t)len;
    int slot, dim;
    bool lower;
    if (plan_slot_symbol(name, n, &slot, &dim, &lower) && slot < p->nslots && dim < FD_MAX_RANK) {
        int asked = dim < 0 ? 1 : dim + 1;
        if (asked > p->asked[slot]) p->asked[slot] = (unsigned char)asked;
        SymbolClass class = dim < 0 ? SYM_SLOT_VALUE : lower ? SYM_SLOT_LO : SYM_SLOT_N;
        PlanSymbol s = symbol(class, slot, dim < 0 ? 0 : dim);
        s.needs.slots = plan_slot_bit(slot);
        return s;
    }
    for (int i = 0; i < NUM_FACTS; i++)
        if (is_named(num_fact_names[i], name, n)) return symbol(SYM_DEVICE, i, 0);
    int i = plan_find_named(&p->defines, name, n);
    if (i >= 0) return named(SYM_DEFINE, &p->defines, i);
    i = plan_find_named(&p->lets, name, n);
    return i < 0 ? (PlanSymbol){.number = -1} : named(SYM_LET, &p->lets, i);
}

const PlanExpr *plan_read_expr(Reader *r)
{
    const char *error = NULL;
    const PlanExpr *e = plan_expr_parse(r->plan->exprs, &r->at, resolve, r, &error);
    if (!e) plan_read_fail(r, error);
    return e;
}
