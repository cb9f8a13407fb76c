/* Lowering CHANGES: before values are taken, a few vectors at a time, it is asked whether any of them
 * can change the results (../../value/change.c). */
#include "impl.h"

void nest_ask(Lower *l, int r, const KirExpr *value)
{
    Gen *g = &l->g;
    const FdNode *reduce = l->n->reduces[r];
    const KirExpr *acc = nest_result_here(l, r);
    KirBlock ask = {0}, all = {0};
    bool identity = gen_identity(g, reduce) != NULL;
    GenScope scope = gen_enter(g, identity ? g->block : &ask);
    value = gen_splat(l->u, acc->type.lanes, value);
    const KirExpr *may = gen_changes(g, reduce, acc, value), *both[] = {l->change, may};
    kir_set(l->a, g->block, l->change, kir_op(l->a, FD_OP_LOR, l->change->type, 2, both));
    gen_leave(g, scope);
    if (identity) return;
    kir_set(l->a, &all, l->change, gen_all_lanes(g));
    kir_if(l->a, g->block, nest_first_here(l, r), all, &ask);
}

void nest_changes(Lower *l, const NestStep *s)
{
    Gen *g = &l->g;
    KirBlock take = {0};
    const KirExpr *none = gen_mask_not(g, gen_all_lanes(g));
    l->change = kir_name(l->a, none->type, fresh_name(l->u, "change"));
    kir_decl(l->a, g->block, none->type, l->change->name, none);
    nest_steps(l, s->first);
    const KirExpr *some = gen_any(g, l->change);
    l->change = NULL;
    GenScope scope = gen_enter(g, &take);
    nest_steps(l, s->first);
    gen_leave(g, scope);
    kir_if(l->a, g->block, some, take, NULL);
}
