/* Searches in lanes keep what they compare with. A read at a place that each lane has found for
 * itself is a gather in every turn; what is set in one turn is the same place for all lanes that set
 * it, so that the value there is cheap, and known from the comparison.
 *
 *   before   for (k = 1; k < 16; k++) if (d(k) < d(best)) best = k;
 *   after    kept = d(best);
 *            for (k = 1; k < 16; k++) if (d(k) < kept) { best = k; kept = d(k); }
 *
 * The value is computed earlier than the statement that asks for it, so only where what fails is
 * noted and computed again by a kernel that checks. */
#include "kept.h"

enum { MOST_LOCALS = 32 };

typedef struct Finder {
    Gen *g;
    const Divergence *x;
    Kept *kept;
    int nset;
    const FdNode *set[MOST_LOCALS]; /* locals that the loop sets */
    bool same[MOST_LOCALS];         /* always to what is the same in all lanes */
    FdSeen seen;
} Finder;

static void add_local(Finder *f, const FdStmt *s)
{
    int i = 0;
    while (i < f->nset && f->set[i] != s->var) i++;
    if (i == MOST_LOCALS) return;
    bool same = s->kind == FD_STMT_SET && !divergence_varies(f->x, s->expr);
    f->same[i] = same && (i == f->nset || f->same[i]);
    f->set[i] = s->var;
    if (i == f->nset) f->nset++;
}

static bool find_locals(Finder *f, const DivergenceStmt *s)
{
    for (; s; s = s->next) {
        if (s->s->kind == FD_STMT_PUT || s->s->kind == FD_STMT_CLEAR) return false;
        if (s->s->kind == FD_STMT_SET) add_local(f, s->s);
        if (!find_locals(f, s->body) || !find_locals(f, s->other)) return false;
    }
    return f->nset < MOST_LOCALS;
}

static bool is_gather(const void *v, const FdNode *n)
{
    return is_read(n) && fd_uses_var(n, v);
}

static bool is_costly(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_REDUCE || fd_op_of(n) == FD_OP_RANDOM ||
           (n->kind == FD_APPLY && fd_user_of(n));
}

/* The only local of n that the loop sets, if it is a place that lanes find; else NULL. */
static const FdNode *place_of(const Finder *f, const FdNode *n)
{
    const FdNode *place = NULL;
    for (int i = 0; i < f->nset; i++) {
        if (!fd_uses_var(n, f->set[i])) continue;
        if (place || !f->same[i] || !divergence_varies(f->x, f->set[i])) return NULL;
        place = f->set[i];
    }
    bool kept = place && fd_type_is_scalar(n->type) && n->type->scalar != SC_BOOL &&
                n->type->scalar != SC_HALF && !fd_uses_array(n) && !fd_can_fail(n) &&
                !fd_any(n, is_costly, NULL) && fd_any(n, is_gather, place);
    return kept ? place : NULL;
}

/* The largest ones that are computed in any case. */
static void find_in(Finder *f, const FdNode *n)
{
    Kept *k = f->kept;
    if (n->kind != FD_APPLY || !fd_meet(&f->seen, n) || k->n == KEPT_MOST || gen_known(f->g, n))
        return;
    const FdNode *place = place_of(f, n);
    if (place) {
        KirType t = gen_widen(f->g->u, gen_type(f->g->u, n->type), f->g->lanes);
        k->list[k->n].node = n;
        k->list[k->n].var = place;
        k->list[k->n++].value = kir_name(f->g->u->arena, t, fresh_name(f->g->u, "kept"));
        return;
    }
    for (int i = 0; i < n->nargs; i++)
        if (!fd_is_lazy(n, i)) find_in(f, n->args[i]);
}

static void find_all(Finder *f, const DivergenceStmt *s)
{
    for (; s; s = s->next) {
        if (s->s->kind == FD_STMT_IF || s->s->kind == FD_STMT_SET) find_in(f, s->s->expr);
        find_all(f, s->body);
        find_all(f, s->other);
    }
}

static bool mentions(const DivergenceStmt *s, const FdNode *var)
{
    for (; s; s = s->next) {
        if (s->s->var == var || (s->s->expr && fd_uses_var(s->s->expr, var))) return true;
        if (mentions(s->body, var) || mentions(s->other, var)) return true;
    }
    return false;
}

/* Does every turn set it before anything asks for it? A local of the loop's body has no value
 * before the loop. */
static bool is_set_first(const DivergenceStmt *s, const FdNode *var)
{
    for (; s; s = s->next) {
        if (s->s->kind == FD_STMT_SET && s->s->var == var) return !fd_uses_var(s->s->expr, var);
        DivergenceStmt one = *s;
        one.next = NULL;
        if (mentions(&one, var)) return false;
    }
    return false;
}

void kept_begin(Gen *g, const Divergence *x, const DivergenceStmt *loop, Kept *k)
{
    Finder f = {.g = g, .x = x, .kept = k};
    int before = k->n;
    if (g->checks != GEN_NOTED) return;
    if (find_locals(&f, loop->body) && find_locals(&f, loop->other)) {
        find_all(&f, loop->body);
        find_all(&f, loop->other);
    }
    fd_seen_free(&f.seen);
    for (int i = before; i < k->n; i++) {
        const KirExpr *v = k->list[i].value;
        GenScope scope = gen_enter(g, g->block);
        const KirExpr *e = is_set_first(loop->body, k->list[i].var)
                               ? gen_zero(g->u->arena, gen_type(g->u, k->list[i].node->type))
                               : gen_stmt_value(g, k->list[i].node);
        kir_decl(g->u->arena, g->block, v->type, v->name, gen_splat(g->u, v->type.lanes, e));
        gen_leave(g, scope);
    }
}

void kept_remember(Gen *g, const Kept *k)
{
    for (int i = 0; i < k->n; i++) gen_remember(g, k->list[i].node, k->list[i].value);
}

void kept_follow(Gen *g, const Kept *k, const FdNode *var, const KirExpr *value, bool blend)
{
    for (int i = 0; i < k->n; i++) {
        const KirExpr *kept = k->list[i].value, *mask = g->mask;
        if (k->list[i].var != var) continue;
        GenScope scope = gen_enter(g, g->block);
        gen_bind(g, var, value);
        gen_remember(g, k->list[i].node, NULL); /* it is not that one's any more */
        g->mask = NULL; /* as the comparison has it: compilers see that they are the same */
        const KirExpr *e = gen_splat(g->u, kept->type.lanes, gen_stmt_value(g, k->list[i].node));
        g->mask = mask;
        if (blend && g->mask) e = gen_blend(g, g->mask, e, kept);
        kir_set(g->u->arena, g->block, kept, e);
        gen_leave(g, scope);
    }
}
