/* Ranges that are known in the kernel only, since they depend on variables around or on elements of
 * arrays:
 *
 *   y(i) = sum(k : row(i)..row(i + 1), val(k) * x(col(k)))
 *
 * The bounds are worked out once. Where the nest notes what fails, so is whether reads that move by
 * one with the variable stay inside: of val(k) nothing is asked inside of the loop. */
#include "../../../../fdag/affine.h"
#include "impl.h"

typedef struct Hoist {
    Lower *l;
    const NestAxis *axis;
    FdSeen seen;
    const KirExpr *n, *leaves; /* leaves: some read does; NULL: none found yet */
} Hoist;

static bool stays(const void *ctx, const FdNode *n)
{
    const Hoist *h = ctx;
    const Def *d = h->l->n->def;
    if (n->kind != FD_VAR || n == h->axis->vars[0]) return true;
    for (int i = 0; i < d->nvars; i++)
        if (d->vars[i] == n) return true;
    return false;
}

static bool varies(const void *ctx, const FdNode *n)
{
    return !stays(ctx, n);
}

static void hoist_read(Hoist *h, const FdNode *read)
{
    Gen *g = &h->l->g;
    const FdNode *v = h->axis->vars[0];
    for (int d = 0; d < read->nargs; d++) {
        FdAffine index;
        int64_t factor;
        bool unit = fd_uses_var(read->args[d], v) && fd_affine(read->args[d], &index) &&
                    fd_affine_factor(&index, v, &factor) && factor == 1;
        if (!unit || fd_any(read->args[d], varies, h)) continue;
        const KirExpr *leaves = gen_variable(g, "leaves", gen_leaves(g, read, d, h->n));
        h->leaves = h->leaves ? nest_op(h->l, FD_OP_LOR, h->leaves, leaves) : leaves;
        vec_push(&g->proved, ((struct PlanSuspect){read, d}));
    }
}

/* Reads that each turn makes. */
static void hoist_reads(Hoist *h, const FdNode *n)
{
    if (n->kind != FD_APPLY || !fd_meet(&h->seen, n)) return;
    if (is_read(n) && gen_is_suspect(&h->l->g, n)) hoist_read(h, n);
    for (int i = 0; i < n->nargs; i++)
        if (!fd_is_lazy(n, i)) hoist_reads(h, n->args[i]);
}

/* Is it an error if there is nothing to reduce? */
static bool must_have_some(const Lower *l, int axis)
{
    for (int r = 0; r < l->n->nreduces; r++)
        if (nest_is_reduced(l->n, axis, r, r + 1) && !reduction_has_identity(l->n->reduces[r]))
            return true;
    return false;
}

void nest_range_here(Lower *l, int axis)
{
    Gen *g = &l->g;
    const NestAxis *x = &l->n->axes[axis];
    const KirExpr *lo = gen_variable(g, "lo", gen_index(g, x->doms->lo)),
                  *hi = gen_variable(g, "hi", gen_index(g, x->doms->hi)), *zero = kir_int(l->a, 0);
    gen_remember_index(g, x->doms->lo, lo);
    gen_remember_index(g, x->doms->hi, hi);
    const KirExpr *n = kir_name(l->a, lo->type, fresh_name(l->u, "n"));
    kir_decl(l->a, g->block, kir_type(KIR_IDX, 1), n->name, nest_op(l, FD_OP_SUB, hi, lo));
    l->places[axis].n = n;
    if (g->checks != GEN_NOTED) return;
    Hoist h = {.l = l, .axis = x, .n = n};
    GenScope scope = gen_enter(g, g->block);
    gen_bind(g, x->vars[0], lo);
    for (int r = 0; r < l->n->nreduces; r++)
        if (nest_is_reduced(l->n, axis, r, r + 1)) hoist_reads(&h, l->n->reduces[r]->body);
    scope.nproved = g->proved.len;
    gen_leave(g, scope);
    fd_seen_free(&h.seen);
    const KirExpr *fails = h.leaves;
    if (must_have_some(l, axis)) {
        const KirExpr *empty = nest_op(l, FD_OP_LE, n, zero);
        fails = fails ? nest_op(l, FD_OP_LOR, empty, fails) : empty;
    } else if (fails) {
        fails = nest_op(l, FD_OP_LAND, nest_op(l, FD_OP_GT, n, zero), fails);
    }
    if (!fails) return;
    fails = gen_variable(g, "fails", fails);
    KirBlock none = {0};
    gen_note(g, kir_convert(l->a, kir_type(SC_BOOL, 1), fails));
    kir_set(l->a, &none, n, zero);
    kir_if(l->a, g->block, fails, none, NULL);
}
