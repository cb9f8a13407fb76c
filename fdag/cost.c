/* What fusing decides by: the loops around a node, and how much work it is. The numbers are coarse
 * on purpose; only the difference between a few operations and a reduction matters. */
#include "internal.h"

/* ---- loops ----------------------------------------------------------------------------- */

static FdiLoops merge(Fd *fd, FdiLoops a, int n, const FdNode *const *vars)
{
    int missing = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < a.n && a.vars[k] != vars[i]) k++;
        missing += k == a.n;
    }
    if (missing == 0) return a;
    const FdNode **all = arena_array(fd->arena, const FdNode *, a.n + missing);
    int count = 0;
    for (int i = 0; i < a.n; i++) all[count++] = a.vars[i];
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < count && all[k] != vars[i]) k++;
        if (k < count) continue;
        for (k = count++; k > 0 && all[k - 1]->var > vars[i]->var; k--) all[k] = all[k - 1];
        all[k] = vars[i];
    }
    return (FdiLoops){count, all};
}

FdiLoops *fdi_loops(Fd *fd, const FdiNodes *list, const FdiMap *at, bool per_let)
{
    FdiLoops *loops = arena_array(fd->arena, FdiLoops, list->len + 1);
    for (size_t i = list->len; i-- > 0;) {
        const FdNode *n = list->data[i], *children[FD_MAX_CHILDREN];
        int count = fd_children(n, children);
        FdiLoops inside = n->kind == FD_LET && per_let ? (FdiLoops){0} : loops[i];
        if (n->nvars) inside = merge(fd, inside, n->nvars, n->vars);
        for (int k = fd_nbound(n); k < count; k++) {
            uint64_t c;
            bool body = children[k] == n->body || (n->kind == FD_REDUCE && children[k] == n->fn);
            FdiLoops here = body ? inside : loops[i];
            if (fdi_map_get(at, children[k], &c)) loops[c] = merge(fd, loops[c], here.n, here.vars);
        }
    }
    return loops;
}

/* ---- work ------------------------------------------------------------------------------ */

bool fd_has_loop(const FdStmt *s)
{
    for (; s; s = s->next)
        if (s->kind == FD_STMT_LOOP || fd_has_loop(s->body) || fd_has_loop(s->other)) return true;
    return false;
}

static double cost_of_user(const FdUser *u)
{
    if (!u->body) return 1000; /* a call on the host */
    return fd_has_loop(u->body) ? FDI_COST_TRIPS * FDI_COST_EXPENSIVE : FDI_COST_EXPENSIVE / 2;
}

static double cost_of_apply(const FdNode *n, const FdiMap *lets, const double *let_costs)
{
    uint64_t at;
    FdOp op = fd_op_of(n);
    switch (op) {
    case FD_OP_NONE: break;
    case FD_OP_LOWER:
    case FD_OP_UPPER: return 0;
    case FD_OP_DIV:
    case FD_OP_REM: return scalar_is_real(n->type->scalar) ? FDI_COST_EXPENSIVE : FDI_COST_DIVISION;
    default: return fd_op_info(op)->props & FD_EXPENSIVE ? FDI_COST_EXPENSIVE : 1;
    }
    if (n->fn->kind == FD_LET) return fdi_map_get(lets, n->fn, &at) ? let_costs[at] : 0;
    if (n->fn->kind == FD_VAR) return FDI_COST_READ; /* of a recurrence by itself */
    if (n->fn->kind != FD_FUNC) return FDI_COST_EXPENSIVE;
    if (n->fn->leaf == FD_LEAF_MAKE || n->fn->leaf == FD_LEAF_FIELD) return 0;
    return n->fn->leaf == FD_LEAF_USER ? cost_of_user(n->fn->user) : FDI_COST_READ;
}

/* How often the body of a reduction, or of the root, is evaluated; env NULL: nobody knows. */
static double trips(const FdNode *n, const FdEnv *env)
{
    double times = 1;
    for (int i = 0; env && i < n->nvars; i++) {
        int64_t lo = 0, hi = 0;
        bool known = n->doms[i].lo && n->doms[i].hi &&
                     fd_eval_bound(n->doms[i].lo, env, &lo) == FD_BOUND_OK &&
                     fd_eval_bound(n->doms[i].hi, env, &hi) == FD_BOUND_OK;
        times *= !known ? FDI_COST_TRIPS : hi > lo ? (double)hi - (double)lo : 0;
    }
    return env ? times : FDI_COST_TRIPS;
}

/* What a reader of the program would count: arithmetic, comparisons and functions, not how operands are had. */
static double plain_cost(const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (fd_user_of(n)) return cost_of_user(fd_user_of(n));
    return op != FD_OP_NONE && op != FD_OP_CONVERT && op != FD_OP_SELECT && op != FD_OP_LOWER &&
           op != FD_OP_UPPER;
}

static bool is_element(const FdNode *n)
{
    return n->kind == FD_APPLY && n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_SLOT;
}

/* How often the body of a function is evaluated that is applied so many times for each of so many elements: if its own
 * elements are fewer, it is stored. */
static double times_stored(const FdNode *let, const FdEnv *env, double times, double elements)
{
    double own = 1;
    for (int i = 0; i < let->nvars; i++) {
        int64_t lo, hi;
        const FdDom *dom = &let->doms[i];
        if (!dom->lo || !dom->hi || fd_eval_bound(dom->lo, env, &lo) != FD_BOUND_OK ||
            fd_eval_bound(dom->hi, env, &hi) != FD_BOUND_OK)
            return times;
        own *= hi > lo ? (double)hi - (double)lo : 0;
    }
    return own < times * elements ? own / elements : times;
}

/* plain: as above, and nothing of indices. elements: of the root, for each of which it is. */
static double work(const FdNode *n, const FdiMap *lets, const double *let_costs, const FdEnv *env,
                   bool plain, double elements)
{
    typedef struct Work {
        const FdNode *node;
        double times;
    } Work;
    VEC(Work) stack = {0};
    FdiMap seen = {0};
    double cost = 0;
    vec_push(&stack, ((Work){n, 1}));
    while (stack.len > 0) {
        Work w = vec_last(&stack);
        uint64_t dummy;
        stack.len--;
        if (fdi_map_get(&seen, w.node, &dummy)) continue;
        fdi_map_set(&seen, w.node, 1);
        const FdNode *children[FD_MAX_CHILDREN];
        int count = fd_children(w.node, children);
        double times = w.times;
        if (plain && is_element(w.node)) continue;
        if (w.node->kind == FD_APPLY)
            cost += times * (plain ? plain_cost(w.node) : cost_of_apply(w.node, lets, let_costs));
        if (w.node->kind == FD_LET && w.node != n && env && !plain && elements > 0 &&
            fd_closed(w.node))
            times = times_stored(w.node, env, times, elements);
        if (w.node->kind == FD_REDUCE) {
            times *= trips(w.node, env);
            cost += times;
        }
        for (int i = fd_nbound(w.node); i < count; i++) {
            bool known = children[i] == w.node->fn && w.node->kind == FD_APPLY &&
                         fdi_map_get(lets, children[i], &dummy);
            if (!known) vec_push(&stack, ((Work){children[i], times}));
        }
    }
    vec_free(&stack);
    fdi_map_free(&seen);
    return cost;
}

double fdi_cost(const FdNode *n, const FdiMap *lets, const double *let_costs)
{
    return work(n, lets, let_costs, NULL, false, 1);
}

double fd_elements(const FdGraph *g, const FdEnv *env)
{
    return fd_root(g)->kind == FD_LET ? trips(fd_root(g), env) : 1;
}

static double work_of_all(const FdGraph *g, const FdEnv *env, bool arithmetic)
{
    const FdiMap none = {0};
    const double elements = env ? fd_elements(g, env) : 1;
    double all = 0;
    for (int k = 0; k < g->nresults; k++)
        all += work(g->results[k].node, &none, NULL, env, arithmetic, elements);
    return all;
}

double fd_work(const FdGraph *g, const FdEnv *env)
{
    return 1 + work_of_all(g, env, false);
}

double fd_operations(const FdGraph *g, const FdEnv *env)
{
    return fd_elements(g, env) * work_of_all(g, env, true);
}

/* ---- what can be stored ---------------------------------------------------------------- */

/* A bound of what may be no array? */
static bool asks_function(const void *graph, const FdNode *n)
{
    const FdGraph *g = graph;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op != FD_OP_LOWER && op != FD_OP_UPPER) return false;
    const FdNode *f = n->args[0];
    return f->kind != FD_FUNC || f->leaf != FD_LEAF_SLOT || f->slot >= g->nslots ||
           !g->slots[f->slot].is_array;
}

bool fdi_surely_finite(const FdGraph *g, const FdNode *bound)
{
    return !fd_any(bound, asks_function, g);
}

void fdi_gather_doms(const FdiNodes *list, FdiMap *doms)
{
    for (size_t i = 0; i < list->len; i++)
        for (int k = 0; k < list->data[i]->nvars; k++) {
            const FdDom *d = &list->data[i]->doms[k], *other;
            const FdNode *var = list->data[i]->vars[k];
            uint64_t found;
            if (fdi_map_get(doms, var, &found)) {
                other = (const FdDom *)(uintptr_t)found;
                if (other && (other->kind != d->kind || other->lo != d->lo || other->hi != d->hi))
                    fdi_map_set(doms, var, 0);
            } else {
                fdi_map_set(doms, var, (uint64_t)(uintptr_t)d);
            }
        }
}

const FdDom *fdi_dom_of(const FdiMap *doms, const FdNode *var)
{
    uint64_t found;
    return fdi_map_get(doms, var, &found) ? (const FdDom *)(uintptr_t)found : NULL;
}

const FdNode *fdi_array_of(const FdNode *let)
{
    bool applies = fd_is_stored(let) && let->body->kind == FD_APPLY;
    return applies && let->body->fn->kind == FD_LET ? let->body->fn : NULL;
}

bool fdi_storable(const FdGraph *g, const FdNode *var, const FdDom *dom)
{
    return fdi_is_integer(var->type) && fd_range_closed(dom) && fdi_surely_finite(g, dom->lo) &&
           fdi_surely_finite(g, dom->hi);
}
