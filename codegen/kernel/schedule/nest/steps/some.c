/* Lowering SOME: where a branch of the definition has all of its reductions, a tile of results none of which
 * takes it needs no steps.
 *
 *   c(i, j) = j <= i ? sum(k, a(i, k) * a(j, k)) : 0      tiles above the diagonal
 *
 * The condition compares affine forms, so that it holds somewhere in a tile if it does at a corner. */
#include "../../../../../fdag/index/contraction.h"
#include "../impl.h"

/* Is the condition true at the first or last position of each axis of registers? */
static const KirExpr *at_corner(Lower *l, const FdNode *cond, int corner)
{
    Gen *g = &l->g;
    GenScope scope = gen_enter(g, g->block);
    for (int i = 0; i < l->n->nregs; i++) nest_bind_end(l, &l->n->regs[i], corner >> i & 1);
    const KirExpr *holds = gen_variable(g, "corner", gen_value(g, cond));
    gen_leave(g, scope);
    return holds;
}

void nest_some(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    FdBranch branch;
    const Def *d = l->n->def;
    fd_reductions_in(d->nvars, d->vars, d->body, reduces, &branch);
    unit_count(l->u, branch.cond);
    const KirExpr *holds = NULL;
    for (int corner = 0; corner < 1 << l->n->nregs; corner++) {
        const KirExpr *here = at_corner(l, branch.cond, corner);
        FdOp op = branch.when ? FD_OP_LOR : FD_OP_LAND;
        holds = holds ? nest_op(l, op, holds, here) : here;
    }
    KirBlock take = {0}, none = {0};
    GenScope scope = gen_enter(g, &take);
    nest_steps(l, s->first);
    gen_leave(g, scope);
    if (branch.when)
        kir_if(l->a, g->block, holds, take, NULL);
    else
        kir_if(l->a, g->block, holds, none, &take);
}
