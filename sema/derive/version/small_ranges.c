/* Ranges of bound variables, where csc knows them: by constants, or by the arrays that they are indices of.
 *
 *     double[,] c(i, j) = sum(a(i, k) * b(k, j));      i, j: 0..2 by a and b; k: 0..2
 */
#include "small.h"

/* ---- by the arrays that a variable is an index of ------------------------------------------------ */

typedef struct Uses {
    Small *w;
    const char *name;
    int64_t extent; /* 0: no use tells */
    bool good;
    bool branch;
} Uses;

/* Does a call take its arguments as values, not as indices? */
static bool takes_values(Small *w, const Ast *callee)
{
    if (callee->kind == AST_MEMBER)
        return callee->member.base->kind == AST_NAME_REF &&
               is_space(w->s, callee->member.base->name_ref.name);
    if (callee->kind != AST_NAME_REF || small_find(w, callee->name_ref.name)) return false;
    const Symbol *f = scope_callee(w->s, callee->name_ref.name);
    return f && (f->kind == SYM_FUNC || f->kind == SYM_BUILTIN);
}

static void find_uses(Ast **child, void *ctx)
{
    Uses *u = ctx;
    Ast *n = *child;
    if (!n || !u->good || !small_reads(n, u->name)) return;
    if (n->kind == AST_BINDER && n->binder.constraint) {
        u->good = false; /* a range by it */
        return;
    }
    const bool logical =
        n->kind == AST_BINARY && (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR ||
                                  n->binary.op == AST_OP_COALESCE);
    if (!u->branch && (n->kind == AST_COND || logical)) { /* what branches read may tell nothing */
        u->branch = true;
        ast_each_child(n, find_uses, ctx);
        u->branch = false;
        return;
    }
    const bool applied = n->kind == AST_INDEX || n->kind == AST_CALL;
    Ast *callee = n->kind == AST_INDEX ? n->index.base : applied ? n->call.callee : NULL;
    if (!applied || (n->kind == AST_CALL && takes_values(u->w, callee))) {
        ast_each_child(n, find_uses, ctx);
        return;
    }
    if (u->branch) {
        u->good = false;
        return;
    }
    const AstList *args = n->kind == AST_INDEX ? &n->index.args : &n->call.args;
    const SmallArray *a =
        callee->kind == AST_NAME_REF ? small_find(u->w, callee->name_ref.name) : NULL;
    for (int i = 0; i < args->len && u->good; i++) {
        const Ast *arg = args->data[i];
        if (!small_reads(args->data[i], u->name)) continue;
        const bool plain = arg->kind == AST_NAME_REF && a && a->box.rank == args->len;
        u->good = plain && (!u->extent || u->extent == a->box.n[i]);
        if (plain) u->extent = a->box.n[i];
    }
}

static bool by_uses(Small *w, Ast *body, const char *name, int64_t *hi)
{
    Uses u = {.w = w, .name = name, .good = true};
    find_uses(&body, &u);
    *hi = u.extent;
    return u.good && u.extent > 0;
}

/* ---- names that nobody declares ------------------------------------------------------------------ */

typedef struct Implicit {
    Small *w;
    SmallRanges *out;
    bool good;
} Implicit;

static bool is_reduction(Small *w, const Ast *n)
{
    return n->kind == AST_REDUCE || (n->kind == AST_CALL && call_is_reduction(w->s, n));
}

static void find_names(Ast **child, void *ctx)
{
    Implicit *f = ctx;
    Ast *n = *child;
    if (!n || is_reduction(f->w, n)) return;
    if (n->kind == AST_LAMBDA || n->kind == AST_LET) {
        f->good = false;
        return;
    }
    if (n->kind == AST_NAME_REF && n->name_ref.name[0] != '$' &&
        !scope_lookup(f->w->s, n->name_ref.name) && !is_space(f->w->s, n->name_ref.name)) {
        bool known = false;
        for (int i = 0; i < f->out->n; i++) known = known || f->out->names[i] == n->name_ref.name;
        if (!known && f->out->n == SMALL_PARTS)
            f->good = false;
        else if (!known)
            f->out->names[f->out->n++] = n->name_ref.name;
    }
    ast_each_child(n, find_names, ctx);
}

/* ---- both ------------------------------------------------------------------------------------------- */

static bool by_constraint(Small *w, Ast *range, int64_t *lo, int64_t *hi)
{
    SmallBox box;
    if (range->kind == AST_RANGE)
        return range->range.lo && range->range.hi && small_int(w, range->range.lo, lo) &&
               small_int(w, range->range.hi, hi);
    if (range->kind != AST_NAME_REF || !small_box(w, range, &box) || box.rank != 1) return false;
    *lo = 0;
    *hi = box.n[0];
    return true;
}

bool small_ranges(Small *w, const AstList *binders, Ast *body, bool implicit, SmallRanges *out)
{
    Implicit names = {w, out, true};
    out->n = 0;
    for (int i = 0; i < binders->len; i++) {
        const Ast *b = binders->data[i];
        if (b->kind != AST_BINDER || b->binder.names.len != 1 || out->n == SMALL_PARTS)
            return false;
        const int at = out->n++;
        if (b->binder.vtype && b->binder.vtype->kind != AST_TYPE_VAR) return false;
        out->names[at] = b->binder.names.data[0]->name_ref.name;
        out->lo[at] = out->hi[at] = 0;
        if (b->binder.constraint &&
            !by_constraint(w, b->binder.constraint, &out->lo[at], &out->hi[at]))
            return false;
        if (!b->binder.constraint && !by_uses(w, body, out->names[at], &out->hi[at])) return false;
    }
    if (!implicit) return out->n > 0 && small_points(out) > 0;
    const int first = out->n;
    find_names(&body, &names);
    for (int i = first; i < out->n && names.good; i++) {
        out->lo[i] = 0;
        names.good = by_uses(w, body, out->names[i], &out->hi[i]);
    }
    return names.good && out->n > 0 && small_points(out) > 0;
}

int64_t small_points(const SmallRanges *ranges)
{
    int64_t n = 1;
    for (int i = 0; i < ranges->n; i++) {
        const int64_t extent = ranges->hi[i] - ranges->lo[i];
        if (extent < 1 || extent > SMALL_MOST) return 0;
        n *= extent;
    }
    return n <= SMALL_MOST ? n : 0;
}

Ast *small_at(Small *w, const Ast *body, const SmallRanges *ranges, int64_t at)
{
    Ast *n = ast_clone(w->s->arena, body);
    for (int i = ranges->n; i-- > 0;) {
        const int64_t extent = ranges->hi[i] - ranges->lo[i];
        n = small_put(w, n, ranges->names[i], ranges->lo[i] + at % extent);
        at /= extent;
    }
    return n;
}
