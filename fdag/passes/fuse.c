/* Fuse or materialise: a function that is applied stays (compose inlines it) unless that would
 * recompute too much; then it becomes a temporary, an array over the function's domain.
 *   before: root = let(i, j) sum(k, m(i, k) * b(k, j))     where m = let(p, q) sum(..)
 *   after:  root = let(i, j) sum(k, t(i, k) * b(k, j))     with slot t = m
 * An application recomputes when a loop around it does not move its arguments (j above; not one over
 * siblings, index/siblings.h), when an
 * index is not affine (a gather), or when there are several with different arguments (stencils of
 * stencils; the cost of what is inlined adds up, so long chains stay linear). One that is given to
 * a user function may be applied there any number of times.
 * Always becomes one what has to be an array (FD_DOM_ARRAY), so that reads of it are checked, and
 * a recurrence: its values are kept as they come. One that depends on variables
 * around it gets them as parameters of its own:
 *   before: let(i, j) (rec s(k) s(k - 1) + a(i, k))(j)
 *   after:  let(i, j) t(i, j)      with slot t = rec s(i, k) s(i, k - 1) + a(i, k)
 * Requires: ranges inferred; runs before compose, which ends sharing. Keeps: meaning; temporaries
 * only use earlier slots. A function that is not closed, or not surely finite, stays. */
#include "../index/siblings.h"
#include "../internal.h"

enum { WORTH_A_TRIP = 32 }; /* operations a element that pay for writing and reading it back */

typedef struct Fuse {
    Fd *fd;
    FdGraph *graph;
    FdiNodes nodes;
    FdiMap at; /* node -> position in nodes */
    FdiLoops *loops;
    FdiMap doms;   /* of all variables */
    FdiMap lets;   /* applied let -> position in costs */
    double *costs; /* of one application, inner decisions included */
    FdiMap stored; /* lets that become temporaries -> why, a number of `whys` */
    FdiMap inner;  /* functions that such a let is of (fd_array) */
    FdiMap beside; /* variables of siblings, and those that their sums are over */
    bool lost;     /* one of these cannot be stored */
    VEC(const char *) whys;
    VEC(FdFused) fused;
} Fuse;

/* What an index moves with: one that is clamped is at few elements more than once, unless between numbers known now. */
static const FdNode *moves_with(const FdNode *index)
{
    bool known = true;
    for (const FdNode *n = index;;) {
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op != FD_OP_CLAMP && op != FD_OP_MIN && op != FD_OP_MAX) return known ? index : n;
        int at = op == FD_OP_CLAMP || fdi_closed(n->args[1]) ? 0 : 1;
        for (int i = 0; i < n->nargs; i++)
            if (i != at && !fdi_closed(n->args[i])) return known ? index : n;
        for (int i = 0; i < n->nargs; i++) known = known && (i == at || fd_is_const(n->args[i]));
        n = n->args[at];
    }
}

/* Does each loop around the application move its arguments to other elements? */
static bool covers(Fuse *f, const FdNode *apply, FdiLoops loops)
{
    const FdNode *covered[FD_MAX_RANK];
    int n = 0;
    /* Indices in one variable first; one in several then stands for one that is left. */
    for (int several = 0; several < 2; several++)
        for (int i = 0; i < apply->nargs; i++) {
            FdiIndex a;
            if (!fdi_is_integer(apply->args[i]->type) ||
                !fdi_index(f->fd, moves_with(apply->args[i]), &a))
                continue;
            if (a.of.nterms == 0 || (a.of.nterms > 1) != several) continue;
            for (int t = 0; t < a.of.nterms; t++) {
                bool old = false;
                for (int k = 0; k < n; k++) old = old || covered[k] == a.of.terms[t].atom;
                if (old) continue;
                covered[n++] = a.of.terms[t].atom;
                break;
            }
        }
    bool summed = fdi_shared_beside(&f->beside, n, covered);
    for (int i = 0; i < loops.n; i++) {
        bool found = summed && fdi_is_sibling(&f->beside, loops.vars[i]);
        for (int k = 0; k < n; k++) found = found || covered[k] == loops.vars[i];
        if (!found) return false;
    }
    return true;
}

static bool storable(const Fuse *f, const FdNode *let)
{
    if (!fdi_closed(let) || let->body->type->nparams) return false;
    for (int i = 0; i < let->nvars; i++)
        if (!fdi_storable(f->graph, let->vars[i], &let->doms[i])) return false;
    return true;
}

/* ---- recurrences that depend on variables around them ------------------------------------ */

typedef struct Lift {
    const Fuse *fuse;
    FdiMap doms;   /* the ranges of those variables */
    FdiMap lifted; /* recurrence -> itself with them as parameters */
} Lift;

typedef struct Uses { /* of `self`, which becomes `now` with more arguments in front */
    const FdNode *self, *now;
    int n;
    const FdNode *const *vars;
} Uses;

/* Applies f to the variables and then to what n has as arguments. */
static const FdNode *apply_to_more(Fd *fd, const FdNode *f, int n, const FdNode *const *vars,
                                   const FdNode *apply)
{
    const FdNode *args[2 * FD_MAX_RANK];
    for (int i = 0; i < n; i++) args[i] = vars[i];
    for (int i = 0; i < apply->nargs; i++) args[n + i] = apply->args[i];
    return fd_apply(fd, f, n + apply->nargs, args, apply->loc);
}

static const FdNode *replace_use(void *ctx, Fd *fd, const FdNode *n)
{
    const Uses *u = ctx;
    if (n->kind != FD_APPLY || n->fn != u->self) return NULL;
    return apply_to_more(fd, u->now, u->n, u->vars, n);
}

/* NULL: it cannot have its free variables as parameters. */
static const FdNode *lift(Lift *l, const FdNode *rec)
{
    Fd *fd = l->fuse->fd;
    const FdiNode *b = fdi_node(rec);
    const FdNode *old[FD_MAX_RANK], *vars[FD_MAX_RANK];
    const FdType *params[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int8_t order[FD_MAX_RANK];
    int n = (int)b->nfree, all = n + rec->nvars;
    if (all > FD_MAX_RANK || b->nfree > FD_MAX_RANK) return NULL;
    for (int i = 0; i < n; i++) {
        const FdDom *dom = fdi_dom_of(&l->doms, b->free[i]);
        if (!dom || !fdi_storable(l->fuse->graph, b->free[i], dom)) return NULL;
        old[i] = b->free[i];
        doms[i] = (FdDom){FD_DOM_GIVEN, dom->lo, dom->hi};
        order[i] = (int8_t)(i + 1);
    }
    for (int i = 0; i < rec->nvars; i++) {
        int k = rec->order[i];
        if (!fdi_storable(l->fuse->graph, rec->vars[i], &rec->doms[i])) return NULL;
        old[n + i] = rec->vars[i];
        doms[n + i] = rec->doms[i];
        order[n + i] = (int8_t)(k > 0 ? k + n : k - n);
    }
    for (int i = 0; i < all; i++) { /* fresh ones, numbered in their order */
        vars[i] = fd_var(fd, old[i]->type, old[i]->name);
        params[i] = vars[i]->type;
    }
    const FdType *type = fd_type_func(fd, rec->type->result, all, params);
    Uses uses = {rec->self, fd_var(fd, type, rec->self->name), n, vars};
    const FdNode *body = fdi_replace_vars(fd, rec->body, all, old, vars);
    body = fd_rewrite(fd, body, replace_use, &uses);
    if (fdi_free_in(body, rec->self)) return NULL;
    return fd_recurrence(fd, uses.now, rec->order[0] ? order : NULL, all, vars, doms, body,
                         rec->loc);
}

static const FdNode *lift_applied(void *ctx, Fd *fd, const FdNode *n)
{
    Lift *l = ctx;
    if (n->kind != FD_APPLY || !n->fn->self || fdi_closed(n->fn)) return NULL;
    const FdNode *now = fdi_map_node(&l->lifted, n->fn);
    if (!now && (now = lift(l, n->fn))) fdi_map_set_node(&l->lifted, n->fn, now);
    if (!now) return NULL;
    const FdiNode *b = fdi_node(n->fn);
    return apply_to_more(fd, now, (int)b->nfree, b->free, n);
}

static void lift_recurrences(Fuse *f)
{
    Lift l = {.fuse = f};
    FdiNodes nodes = {0};
    for (int k = 0; k < f->graph->nresults; k++)
        fdi_nodes(f->fd, f->graph->results[k].node, &nodes);
    fdi_gather_doms(&nodes, &l.doms);
    for (int k = 0; k < f->graph->nresults; k++) {
        FdResult *r = &f->graph->results[k];
        r->node = fd_rewrite(f->fd, r->node, lift_applied, &l);
    }
    fdi_map_free(&l.doms);
    fdi_map_free(&l.lifted);
    vec_free(&nodes);
}

/* ---- decisions ------------------------------------------------------------------------- */

static bool count_division(const void *n, const FdNode *at)
{
    FdOp op = at->kind == FD_APPLY ? fd_op_of(at) : FD_OP_NONE;
    **(int *const *)n += op == FD_OP_DIV && scalar_is_real(at->type->scalar);
    return false;
}

/* What it costs if a division counts as one of ints does. */
static double without_divisions(const FdNode *let, double cost)
{
    int divisions = 0, *to = &divisions;
    fd_any(let->body, count_division, &to);
    return cost - divisions * (FDI_COST_EXPENSIVE - FDI_COST_DIVISION);
}

/* Does an application ask for all of the range? */
static bool takes_whole(const Fuse *f, const FdNode *apply)
{
    bool whole = true;
    for (int d = 0; whole && d < apply->nargs; d++) {
        const FdDom *own = &apply->fn->doms[d], *asked = fdi_dom_of(&f->doms, apply->args[d]);
        whole = asked && asked->lo == own->lo && asked->hi == own->hi;
    }
    return whole;
}

/* How often each element is evaluated if the function is inlined everywhere. What is dear by its divisions alone (`plain` is the
 * cost without them) counts where all of it is asked for: elements that nobody asks for may have no value. */
static double evaluations(Fuse *f, const FdNode *let, double cost, double plain)
{
    double all = 0;
    for (size_t i = 0; i < f->nodes.len; i++) {
        const FdNode *n = f->nodes.data[i];
        if (n->kind != FD_APPLY || n->fn != let) continue;
        bool again = cost >= FDI_COST_EXPENSIVE && !covers(f, n, f->loops[i]) &&
                     (plain >= FDI_COST_EXPENSIVE || takes_whole(f, n));
        all += again ? FDI_COST_TRIPS : 1;
    }
    return all;
}

static void keep(Fuse *f, const FdNode *let, const char *why)
{
    fdi_map_set(&f->stored, let, f->whys.len);
    vec_push(&f->whys, why);
}

/* Inner functions come first in postorder, so an outer one's cost knows what was decided. */
static void decide(Fuse *f)
{
    FdiNodes applied = {0};
    const FdiMap none = {0};
    for (size_t i = 0; i < f->nodes.len; i++) {
        const FdNode *n = f->nodes.data[i];
        uint64_t dummy;
        if (fdi_array_of(n)) {
            f->lost = f->lost || !storable(f, n);
            fdi_map_set(&f->inner, fdi_array_of(n), 1);
            keep(f, n, "an array, reads of which are checked");
        }
        if (n->kind == FD_LET && n->self && !fd_is_result(f->graph, n) && storable(f, n))
            keep(f, n, "a recurrence, whose values are kept as they come");
        for (int k = 0; fdi_applies(n, FD_LEAF_USER) && k < n->nargs; k++)
            if (n->args[k]->kind == FD_LET && !n->args[k]->self && storable(f, n->args[k]) &&
                fdi_cost(n->args[k]->body, &none, NULL) >= FDI_COST_EXPENSIVE)
                keep(f, n->args[k], "given to a function, which may apply it any number of times");
        if (n->kind != FD_APPLY || n->fn->kind != FD_LET) continue;
        if (fdi_map_get(&f->lets, n->fn, &dummy)) continue;
        fdi_map_set(&f->lets, n->fn, applied.len);
        vec_push(&applied, n->fn);
    }
    fdi_map_free(&f->lets);
    f->costs = arena_array(f->fd->arena, double, applied.len + 1);
    /* An application comes after the function it applies, but the first application of an inner
     * function may come after one of an outer: by position of the functions. */
    size_t next = 0;
    for (size_t i = 0; i < f->nodes.len; i++) {
        const FdNode *let = f->nodes.data[i];
        bool used = false;
        if (let->kind != FD_LET) continue;
        for (size_t k = 0; k < applied.len && !used; k++) used = applied.data[k] == let;
        if (!used) continue;
        double cost = fdi_cost(let->body, &f->lets, f->costs);
        double plain = without_divisions(let, cost), times = evaluations(f, let, cost, plain);
        uint64_t dummy;
        bool again = !let->self && !fdi_array_of(let) && (times - 1) * plain > WORTH_A_TRIP &&
                     storable(f, let);
        if (again) {
            Arena *a = f->fd->arena;
            keep(f, let,
                 arena_printf(a, "%g operations, which each element would repeat %g times", cost,
                              times));
        }
        if (fdi_map_get(&f->stored, let, &dummy))
            cost = FDI_COST_READ;
        else if (!fdi_map_get(&f->inner, let, &dummy))
            vec_push(&f->fused, ((FdFused){let, cost, times}));
        f->costs[next] = cost;
        fdi_map_set(&f->lets, let, next++);
    }
    vec_free(&applied);
}

static const FdNode *temporary(Fuse *f, const FdNode *let, const char *why)
{
    const FdNode *of = fdi_array_of(let);
    FdSlot slot = {.type = let->type, .is_array = true, .def = of ? of : let, .why = why};
    slot.name = arena_printf(f->fd->arena, "t%d", f->graph->nslots);
    return fd_slot(f->fd, fdi_add_slot(f->fd, f->graph, slot), slot.type, slot.name);
}

/* Rebuilds the results, of which some are temporaries. These are made as their functions are met, so inner ones come first. */
static void store(Fuse *f)
{
    FdiMap done = {0}, slots = {0};
    for (size_t i = 0; i < f->nodes.len; i++) {
        const FdNode *old = f->nodes.data[i], *children[FD_MAX_CHILDREN];
        int count = fd_children(old, children);
        for (int k = fd_nbound(old); k < count; k++) {
            bool applied = old->kind == FD_APPLY && (k == 0 || fdi_applies(old, FD_LEAF_USER));
            const FdNode *slot =
                applied || children[k]->self ? fdi_map_node(&slots, children[k]) : NULL;
            children[k] = slot ? slot : fdi_map_node(&done, children[k]);
        }
        const FdNode *now = fdi_rebuild(f->fd, old, children);
        uint64_t why;
        fdi_map_set_node(&done, old, now);
        if (!fdi_map_get(&f->stored, old, &why)) continue;
        const FdNode *of = fdi_array_of(old), *there = of ? fdi_map_node(&slots, of) : NULL;
        fdi_map_set_node(&slots, old, /* an array of a recurrence is this one */
                         there ? there : temporary(f, now, f->whys.data[why]));
    }
    for (int k = 0; k < f->graph->nresults; k++) {
        FdResult *r = &f->graph->results[k];
        const FdNode *slot = fdi_map_node(&slots, r->node);
        r->node = slot ? slot : fdi_map_node(&done, r->node);
    }
    fdi_map_free(&done);
    fdi_map_free(&slots);
}

bool fd_pass_fuse(Fd *fd, FdGraph *g, FdError *error)
{
    Fuse f = {.fd = fd, .graph = g};
    fdi_rewrite_graph(fd, g, fdi_known_bound, NULL);
    lift_recurrences(&f);
    for (int k = 0; k < g->nresults; k++) fdi_postorder(g->results[k].node, &f.at, &f.nodes);
    f.loops = fdi_loops(fd, &f.nodes, &f.at, true);
    fdi_gather_doms(&f.nodes, &f.doms);
    fdi_gather_siblings(&f.nodes, &f.beside);
    decide(&f);
    if (f.lost) *error = (FdError){.message = "an array that is read here has no bounds"};
    if (f.stored.used && !f.lost) store(&f);
    g->nfused = (int)f.fused.len;
    g->fused = f.fused.len ? arena_copy(fd->arena, f.fused.data, f.fused.len * sizeof *f.fused.data)
                           : NULL;
    vec_free(&f.fused);
    vec_free(&f.whys);
    vec_free(&f.nodes);
    fdi_map_free(&f.at);
    fdi_map_free(&f.doms);
    fdi_map_free(&f.lets);
    fdi_map_free(&f.stored);
    fdi_map_free(&f.inner);
    fdi_map_free(&f.beside);
    return !f.lost;
}
