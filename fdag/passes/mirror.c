/* A product that is its own transpose is computed on one side of its diagonal, and turned over.
 *   before: let(j, k) sum(i, a(i, j) * a(i, k)) / n
 *   after:  let(j, k) k <= j ? t(j, k) : t(k, j)     with slot t = let(j, k) k <= j ? sum(..) / n : 0
 * Tiles of t on the other side take nothing (../index/contraction.h). An element and the one across add
 * the same products in the same order. Whether it is so the plan decides (FdSlot.mirrored), since few columns are as
 * soon computed twice. Requires: hoist, which finds what the product is of. Keeps: values, but not under --precise,
 * where products have no tiles. */
#include "../index/contraction.h"
#include "../internal.h"

enum { MOST_PAIRS = 500 };

typedef struct Mirror {
    const FdNode *v, *w; /* the variables that change places */
    int left;            /* pairs of nodes that may still be compared */
} Mirror;

static bool same(Mirror *m, const FdNode *x, const FdNode *y);

static bool all_same(Mirror *m, int n, const FdNode *const *x, const FdNode *const *y)
{
    for (int i = 0; i < n; i++)
        if (!same(m, x[i], y[i])) return false;
    return true;
}

static bool commutes(const FdNode *n)
{
    FdOp op = fd_op_of(n);
    return op != FD_OP_NONE && n->nargs == 2 && fd_op_info(op)->props & FD_COMMUTATIVE;
}

/* Is x with v and w in each other's place y? */
static bool same(Mirror *m, const FdNode *x, const FdNode *y)
{
    if (--m->left < 0) return false;
    if (x == m->v || x == m->w) return y == (x == m->v ? m->w : m->v);
    if (!fd_uses_var(x, m->v) && !fd_uses_var(x, m->w)) return x == y;
    if (x->kind != y->kind || x->fn != y->fn || x->type != y->type) return false;
    if (x->kind == FD_REDUCE) {
        if (x != y || x->init) return false; /* others have variables of their own */
        for (int i = 0; i < x->nvars; i++)
            if (!fd_range_closed(&x->doms[i])) return false;
        return same(m, x->body, y->body);
    }
    if (x->kind != FD_APPLY || x->nargs != y->nargs) return false;
    if (all_same(m, x->nargs, x->args, y->args)) return true;
    return commutes(x) && same(m, x->args[0], y->args[1]) && same(m, x->args[1], y->args[0]);
}

static bool is_square(const FdNode *root)
{
    const FdDom *d = root->doms;
    return root->nvars == 2 && d[0].lo && d[0].lo == d[1].lo && d[0].hi == d[1].hi &&
           fd_range_closed(&d[0]);
}

static bool is_long(const FdContraction *c)
{
    for (int i = 0; i < c->nreduces; i++)
        for (int k = 0; k < c->reduces[i]->nvars; k++)
            if (!fd_is_short(&c->reduces[i]->doms[k])) return true;
    return false;
}

/* Only products are worth a second walk over the result. */
static bool is_mirrored(const FdNode *root)
{
    FdContraction c;
    Mirror m = {.left = MOST_PAIRS};
    if (root->kind != FD_LET || root->self || !is_square(root) ||
        !fd_type_is_scalar(root->body->type) || fd_can_fail(root->body))
        return false;
    m.v = root->vars[0];
    m.w = root->vars[1];
    return same(&m, root->body, root->body) &&
           fd_contraction(root->nvars, root->vars, root->doms, root->body, NULL, NULL, &c) &&
           !c.branch.cond && is_long(&c);
}

/* x where k <= j, else y, of the variables j and k. */
static const FdNode *below(Fd *fd, const FdNode *const *vars, const FdNode *x, const FdNode *y)
{
    const FdNode *const order[] = {vars[1], vars[0]};
    const FdNode *const args[] = {fd_simple_op(fd, FD_OP_LE, SC_BOOL, 2, order), x, y};
    return fd_simple_op(fd, FD_OP_SELECT, x->type->scalar, 3, args);
}

static const FdNode *mirror(void *ctx, Fd *fd, const FdNode *def)
{
    FdGraph *g = ctx;
    if (!is_mirrored(def)) return def;
    const FdNode *vars[2], *zero = fd_const(fd, def->body->type->scalar, (ScalarValue){.i = 0});
    for (int i = 0; i < 2; i++) vars[i] = fd_var(fd, def->vars[i]->type, def->vars[i]->name);
    const FdNode *half = fdi_replace_vars(fd, def->body, 2, def->vars, vars);
    half = fd_let(fd, 2, vars, def->doms, below(fd, vars, half, zero), def->loc);
    FdSlot slot = {.type = half->type,
                   .is_array = true,
                   .def = half,
                   .why = "half of a product that is its own transpose",
                   .optional = true,
                   .mirrored = true};
    slot.name = arena_printf(fd->arena, "t%d", g->nslots);
    const FdNode *t = fd_slot(fd, fdi_add_slot(fd, g, slot), slot.type, slot.name),
                 *const turned[] = {def->vars[1], def->vars[0]};
    const FdNode *here = fd_apply(fd, t, 2, def->vars, def->loc),
                 *across = fd_apply(fd, t, 2, turned, def->loc);
    return fd_let(fd, 2, def->vars, def->doms, below(fd, def->vars, here, across), def->loc);
}

bool fd_pass_mirror(Fd *fd, FdGraph *g, FdError *error)
{
    (void)error;
    if (g->nresults > 1 || g->results[0].part || g->turns) return true;
    if (fd_hints_have(g->hints, FD_HINT_STEPS)) return true;
    for (int i = 0; i < g->nslots; i++) /* the plan decides of all optional ones together */
        if (g->slots[i].optional) return true;
    fdi_replace_definitions(fd, g, mirror, g);
    return true;
}
