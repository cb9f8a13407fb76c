/* Functions that do the same under other names (kir.h): both are walked side by side, with the list of the
 * names that stand for each other. */
#include <string.h>

#include "../../../base/vec.h"
#include "kir.h"

typedef struct Pair {
    const char *a, *b;
} Pair;

typedef struct Alike {
    VEC(Pair) names; /* of variables, those declared last at the end */
} Alike;

static bool same_type(KirType a, KirType b)
{
    return a.kind == b.kind && a.lanes == b.lanes && a.record == b.record;
}

/* Names of what is not declared here (macros, functions, fields) are the same. */
static bool same_name(const Alike *x, const char *a, const char *b)
{
    if (!a || !b) return a == b;
    for (size_t i = x->names.len; i-- > 0;) {
        bool is_a = strcmp(x->names.data[i].a, a) == 0, is_b = strcmp(x->names.data[i].b, b) == 0;
        if (is_a || is_b) return is_a && is_b;
    }
    return strcmp(a, b) == 0;
}

static void declare(Alike *x, const char *a, const char *b)
{
    vec_push(&x->names, ((Pair){a, b}));
}

static bool same_expr(const Alike *x, const KirExpr *a, const KirExpr *b)
{
    if (!a || !b) return a == b;
    if (a->kind != b->kind || !same_type(a->type, b->type) || a->op != b->op ||
        a->nargs != b->nargs || a->value.i != b->value.i || !same_name(x, a->name, b->name))
        return false;
    for (int i = 0; i < a->nargs; i++)
        if (!same_expr(x, a->args[i], b->args[i])) return false;
    return true;
}

static bool same_statement(Alike *x, const KirStmt *a, const KirStmt *b);

static bool same_block(Alike *x, const KirStmt *a, const KirStmt *b)
{
    size_t outside = x->names.len;
    for (; a && b; a = a->next, b = b->next)
        if (!same_statement(x, a, b)) return false;
    x->names.len = outside;
    return a == b;
}

static bool same_statement(Alike *x, const KirStmt *a, const KirStmt *b)
{
    if (a->kind != b->kind || !same_type(a->type, b->type) || a->local != b->local ||
        a->unroll != b->unroll || a->writable != b->writable || a->stream != b->stream ||
        a->rare != b->rare || a->ndims != b->ndims || !same_name(x, a->of, b->of))
        return false;
    for (int i = 0; i < a->ndims; i++)
        if (!same_expr(x, a->dims[i], b->dims[i])) return false;
    if (!same_expr(x, a->target, b->target) || !same_expr(x, a->expr, b->expr) ||
        !same_expr(x, a->lo, b->lo) || !same_expr(x, a->hi, b->hi) ||
        !same_expr(x, a->step, b->step))
        return false;
    size_t outside = x->names.len;
    bool declares = a->kind == KIR_DECL || a->kind == KIR_PLANE || a->kind == KIR_FOR;
    if (declares)
        declare(x, a->name, b->name);
    else if (!same_name(x, a->name, b->name))
        return false;
    bool same = same_block(x, a->body, b->body) && same_block(x, a->other, b->other);
    if (a->kind == KIR_FOR) x->names.len = outside;
    return same;
}

static bool same_params(Alike *x, const KirFunc *a, const KirFunc *b)
{
    for (int i = 0; i < a->nparams; i++) {
        const KirParam *p = &a->params[i], *q = &b->params[i];
        if (!same_type(p->type, q->type) || p->buffer != q->buffer || p->planes != q->planes ||
            p->writable != q->writable)
            return false;
        declare(x, p->name, q->name);
    }
    return true;
}

bool kir_alike(const KirFunc *a, const KirFunc *b)
{
    Alike x = {0};
    bool same = a->kernel == b->kernel && a->nparams == b->nparams &&
                same_type(a->result, b->result) && same_params(&x, a, b) &&
                same_block(&x, a->body, b->body);
    vec_free(&x.names);
    return same;
}
