/* Functions that give nothing, combined: f + g calls f, then g; - takes the last one that is equal out.
 * The combination is a closure over both, whatever their parameters are. */
#include <string.h>

#include "closure.h"

static void call_both(const CsValue *env, const CsValue *args, CsValue *out)
{
    if (closure_call(env[0].ref, args, out, NULL)) closure_call(env[1].ref, args, out, NULL);
}

static const CsNative both = {.name = "multicast", .call = call_both};

/* The same function over the same values. */
static bool is_same(const Closure *a, const Closure *b)
{
    if (a == b) return true;
    return a && b && a->native == b->native && a->nenv == b->nenv && a->refs == b->refs &&
           memcmp(a->env, b->env, (size_t)a->nenv * sizeof *a->env) == 0;
}

int32_t cs_same_function(const void *a, const void *b)
{
    const CsHead *x = a, *y = b;
    if (a == b) return 1;
    return x && y && x->kind == CS_CLOSURE && y->kind == CS_CLOSURE && is_same(a, b);
}

void *cs_combine(void *left, void *right, const CsSite *site)
{
    (void)site;
    if (!left || !right) return cs_retain(left ? left : right);
    CsValue env[] = {{.ref = left}, {.ref = right}};
    return cs_closure(&both, 2, env, 3);
}

void *cs_uncombine(void *from, void *what, const CsSite *site)
{
    Closure *c = from;
    if (is_same(c, what)) return NULL;
    if (!c || c->native != &both) return cs_retain(from);
    void *first = c->env[0].ref, *last = c->env[1].ref;
    if (is_same(last, what)) return cs_retain(first);
    void *rest = cs_uncombine(first, what, site);
    void *out = rest == first ? cs_retain(from) : cs_combine(rest, last, site);
    cs_release(rest);
    return out;
}
