/* Temporaries that are computed anew wherever they are read, where storing them does not pay:
 *
 *   before   temp 0 = let(i, j) sum(k, a(i, k) * b(k, j)), then sum(i, j, t0(i, j) * t0(i, j))
 *   after    sum(i, j, sum(k, a(i, k) * b(k, j)) * ..)
 *
 * Stored, such a one is computed in tiles. It has as many elements as its readers have steps, though: that pays where each
 * is much work, and where there is memory. The plan chooses. (What a form keeps of it is the same, to rounding.) */
#include "../../../fdag/index/contraction.h"
#include "../../../fdag/index/inlined.h"
#include "recipes/recipe.h"
#include "schedule.h"

static const FdSlot *slot_of(const Unit *u, const Def *d)
{
    int slot = u->ninputs;
    while (!u->g->slots[slot].def || u->plan_slot[slot] != d->temp) slot++;
    return &u->g->slots[slot];
}

bool schedule_is_optional(const Unit *u, const Def *d)
{
    return d->temp >= 0 && !unit_kept(u, d->temp) && slot_of(u, d)->optional;
}

const FdNode *schedule_array(const Unit *u, const Def *d)
{
    const FdSlot *slot = slot_of(u, d);
    return fd_slot(u->fd, (int)(slot - u->g->slots), slot->type, slot->name);
}

static bool is_node(const void *node, const FdNode *n)
{
    return n == node;
}

bool schedule_reads_optional(const Unit *u, const Def *d)
{
    for (int i = 0; i < u->ndefs; i++)
        if (schedule_is_optional(u, &u->defs[i]) &&
            fd_any(d->body, is_node, schedule_array(u, &u->defs[i])))
            return true;
    return false;
}

const Def *schedule_anew(Unit *u, const Def *of)
{
    const FdNode *body = of->body;
    if (!schedule_reads_optional(u, of)) return NULL;
    for (int i = u->ndefs; i-- > 0;) { /* one may read those before it */
        const Def *t = &u->defs[i];
        if (!schedule_is_optional(u, t)) continue;
        const FdNode *array = schedule_array(u, t), *value = t->body;
        if (slot_of(u, t)->mirrored && fd_any(body, is_node, array)) { /* the whole product */
            body = body->args[1];
            value = value->args[1];
        }
        const FdNode *let = fd_let(u->fd, t->nvars, t->vars, t->doms, value, t->node->loc);
        body = fd_inline_inside(u->fd, body, array, let);
    }
    Def *d = def_form(u, of);
    d->body = body;
    d->node = of->nvars ? fd_let(u->fd, of->nvars, of->vars, of->doms, body, of->node->loc) : body;
    d->anew = true;
    unit_count_all(u, 1, &d->body);
    return d;
}

/* Elements that are computed of what a table says (fdag/passes/tabulate.c). */
static Num *readers_of(Unit *u, const Def *table)
{
    Num *all = num_int(u, 0);
    for (int i = 0; i < u->ndefs; i++)
        if (fd_any(u->defs[i].body, is_node, schedule_array(u, table)))
            all = num_op(u, FD_OP_ADD, all, plan_elements(u, u->defs[i].nvars, u->defs[i].doms));
    return all;
}

/* Many times as many elements as a table has, on a processor. */
static Num *table_pays(Unit *u, const Def *d)
{
    enum { TIMES = 16 };
    if (u->options->family == CG_GPU) return num_truth(u, false);
    Num *least =
        num_op(u, FD_OP_MUL, plan_elements(u, d->nvars, d->doms), draw_num(u, P_KEPT_TABLE, TIMES));
    return num_op(u, FD_OP_GE, readers_of(u, d), least);
}

/* As many columns as a walk over the result costs less than half of the products, on a processor. */
static Num *half_pays(Unit *u, const Def *half, Num *work)
{
    enum { COLUMNS = 64, TERMS = 160 };
    if (u->options->family == CG_GPU) return num_truth(u, false);
    Num *columns =
        num_op(u, FD_OP_GE, plan_n(u, &half->doms[1]), draw_num(u, P_KEPT_COLUMNS, COLUMNS));
    return num_and(u, columns, num_op(u, FD_OP_GE, work, num_int(u, TERMS)));
}

Num *schedule_keep(Unit *u)
{
    enum { LEAST = 4, MOST = 256 };
    Num *keep = NULL, *bytes = num_int(u, 0);
    for (int i = 0; i < u->ndefs; i++) {
        const Def *d = &u->defs[i];
        const FdNode *reduces[FD_MAX_REDUCTIONS];
        if (!schedule_is_optional(u, d)) continue;
        bool half = slot_of(u, d)->mirrored;
        int n = half ? fd_all_reductions(d->body, reduces) : fd_reductions(d->body, reduces);
        Num *work = num_int(u, 0),
            *size = num_int(u, (int64_t)kir_bytes(gen_type(u, d->body->type)));
        for (int r = 0; r < n; r++) work = num_op(u, FD_OP_ADD, work, recipe_length(u, reduces[r]));
        Num *much = half ? half_pays(u, d, work)
                    : n  ? num_op(u, FD_OP_GE, work, draw_num(u, P_KEPT_LEAST, LEAST))
                         : table_pays(u, d);
        keep = keep ? num_and(u, keep, much) : much;
        bytes = num_op(u, FD_OP_ADD, bytes,
                       num_op(u, FD_OP_MUL, plan_elements(u, d->nvars, d->doms), size));
    }
    if (!keep) return NULL;
    Num *most = num_op(u, FD_OP_MUL, draw_num(u, P_KEPT_MOST, MOST), num_int(u, 1 << 20));
    return num_let(u, "kept", num_and(u, keep, num_op(u, FD_OP_LE, bytes, most)));
}
