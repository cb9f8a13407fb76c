/* Orders of recurrences: one order of the variables, each up or down, that makes every use of the
 * function by itself an earlier point.
 *   before: rec s (i : given 0..n, j : given 0..m) s(i - 1, j) + s(i, j - 1)
 *   after:  the same with order +0, +1
 * For each use and each variable the difference of index and variable is a sum of variables and of
 * closed terms; replacing variables by their bounds shows whether it is always negative, never
 * positive and so on. A variable (with a direction) can come next in the order if no use that is
 * left goes against it; uses that always move with it are earlier from there on. Taking any
 * such variable is right, since the uses left only become fewer.
 * What a condition says of variables (`j > i ? 0 : ..`) holds for the uses that it guards.
 * Requires: ranges inferred. Keeps: meaning. What depends on a function that is not known yet stays
 * without an order; the pass runs again when it is. */
#include "../internal.h"

/* ---- what conditions say ---------------------------------------------------------------- */

/* A comparison that has this value where a use is, and those around. */
typedef struct Guard {
    const FdNode *cond;
    bool truth;
    const struct Guard *up;
} Guard;

/* What holds where `c` has this value, besides `up`. */
static const Guard *guards_of(Fd *fd, const Guard *up, const FdNode *c, bool truth, int deep)
{
    FdOp op = c->kind == FD_APPLY ? fd_op_of(c) : FD_OP_NONE;
    if (deep == 0 || op == FD_OP_NONE) return up;
    if (op == FD_OP_LNOT) return guards_of(fd, up, c->args[0], !truth, deep - 1);
    if (op == (truth ? FD_OP_LAND : FD_OP_LOR)) {
        up = guards_of(fd, up, c->args[0], truth, deep - 1);
        return guards_of(fd, up, c->args[1], truth, deep - 1);
    }
    if (!fd_op_compares(op)) return up;
    Guard *g = arena_new_of(fd_arena(fd), Guard);
    *g = (Guard){c, truth, up};
    return g;
}

/* ---- uses ------------------------------------------------------------------------------ */

/* An application of a recurrence in its own body, and where each index is from the variable. */
typedef struct Use {
    const FdNode *apply;
    struct {
        bool before, not_after, after, not_before;
    } at[FD_MAX_RANK];
    bool earlier; /* by the variables ordered so far */
} Use;

typedef struct Recur {
    Fd *fd;
    const FdGraph *graph;
    FdError *error;
    const FdNode *rec; /* as it is after composition */
    FdiNodes nodes;    /* of it */
    FdFacts *facts;    /* the ranges of their variables */
    VEC(Use) uses;
} Recur;

/* Two numbers differ of which one is known not to be below the other: it is above. */
static void assume_apart(FdFacts *f, const FdNode *cond)
{
    FdAffine equal[2];
    if (fdi_comparison(cond, fd_op_of(cond) == FD_OP_EQ, equal) != 2) return;
    for (int i = 0; i < 2; i++) {
        if (!fd_shown(f, &equal[i])) continue;
        if (!__builtin_add_overflow(equal[i].constant, 1, &equal[i].constant))
            fd_fact(f, &equal[i]);
        return;
    }
}

static void assume(FdFacts *f, const Guard *guards)
{
    for (const Guard *g = guards; g; g = g->up) fd_assume(f, g->cond, g->truth);
    for (const Guard *g = guards; g; g = g->up) {
        FdOp op = fd_op_of(g->cond);
        bool exact = fdi_is_exact(f, g->cond->args[0]) && fdi_is_exact(f, g->cond->args[1]);
        if ((op == FD_OP_EQ && !g->truth) || (op == FD_OP_NE && g->truth))
            if (exact) assume_apart(f, g->cond);
    }
}

/* Is s + shift at most 0? */
static bool known(const Recur *r, const FdAffine *s, int64_t shift)
{
    FdAffine t = *s;
    return !__builtin_add_overflow(t.constant, shift, &t.constant) && fd_shown(r->facts, &t);
}

static void add_use(Recur *r, const FdNode *apply, const Guard *guards)
{
    size_t before = r->facts->forms.len;
    assume(r->facts, guards);
    Use u = {.apply = apply};
    for (int d = 0; d < apply->nargs; d++) {
        FdAffine s, t; /* index - variable, variable - index */
        const FdNode *index = apply->args[d], *var = r->rec->vars[d];
        if (!fd_affine(index, &s) || !fd_affine_add(&s, var, -1)) continue;
        if (!fd_affine(var, &t) || !fd_affine_add(&t, index, -1)) continue;
        u.at[d].before = known(r, &s, 1);
        u.at[d].not_after = u.at[d].before || known(r, &s, 0);
        u.at[d].after = known(r, &t, 1);
        u.at[d].not_before = u.at[d].after || known(r, &t, 0);
    }
    vec_push(&r->uses, u);
    r->facts->forms.len = before;
}

typedef struct Visit {
    const FdNode *node;
    const Guard *guards;
} Visit;

/* The uses below n, each under what the conditions on some way to it say. False: there are too many
 * ways. */
static bool guarded_uses(Recur *r, const FdNode *root)
{
    enum { WAYS = 4, DEEPEST = 16 };
    VEC(Visit) stack = {0}, last = {0}; /* by node id: how it was visited last */
    size_t fuel = 1000 + WAYS * r->nodes.len;
    Fd *fd = r->fd;
    vec_push(&stack, ((Visit){root, NULL}));
    for (; stack.len && fuel; fuel--) {
        Visit v = stack.data[--stack.len];
        const FdNode *n = v.node, *children[FD_MAX_CHILDREN];
        while (last.len <= n->id) vec_push(&last, ((Visit){NULL, NULL}));
        if (last.data[n->id].node && last.data[n->id].guards == v.guards) continue;
        last.data[n->id] = v;
        if (n->kind == FD_APPLY && n->fn == r->rec->self) add_use(r, n, v.guards);
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op == FD_OP_SELECT || op == FD_OP_LAND || op == FD_OP_LOR) {
            bool truth = op != FD_OP_LOR;
            const Guard *then = guards_of(fd, v.guards, n->args[0], truth, DEEPEST);
            vec_push(&stack, ((Visit){n->args[0], v.guards}));
            vec_push(&stack, ((Visit){n->args[1], then}));
            if (op != FD_OP_SELECT) continue;
            then = guards_of(fd, v.guards, n->args[0], false, DEEPEST);
            vec_push(&stack, ((Visit){n->args[2], then}));
            continue;
        }
        for (int i = fd_children(n, children); i-- > 0;)
            vec_push(&stack, ((Visit){children[i], v.guards}));
    }
    bool all = !stack.len;
    vec_free(&stack);
    vec_free(&last);
    return all;
}

/* NULL, or a node that uses the recurrence other than by applying it. */
static const FdNode *gather(Recur *r)
{
    const FdNode *self = r->rec->self;
    FdiMap seen = {0};
    fdi_postorder(r->rec, &seen, &r->nodes);
    fdi_map_free(&seen);
    fd_facts_free(r->facts);
    r->facts = fd_facts_new(r->fd, r->rec->nvars, r->rec->vars, r->rec->doms, r->rec->body);
    for (size_t i = 0; i < r->nodes.len; i++) {
        const FdNode *n = r->nodes.data[i], *children[FD_MAX_CHILDREN];
        int count = fd_children(n, children);
        for (int k = n->kind == FD_APPLY ? 1 : 0; k < count; k++)
            if (children[k] == self && n->self != self) return n;
    }
    if (guarded_uses(r, r->rec->body)) return NULL;
    r->uses.len = 0;
    for (size_t i = 0; i < r->nodes.len; i++) {
        const FdNode *n = r->nodes.data[i];
        if (n->kind == FD_APPLY && n->fn == self) add_use(r, n, NULL);
    }
    return NULL;
}

/* ---- the order ------------------------------------------------------------------------- */

static bool fits(const Recur *r, int d, bool up)
{
    for (size_t i = 0; i < r->uses.len; i++) {
        const Use *u = &r->uses.data[i];
        if (!u->earlier && !(up ? u->at[d].not_after : u->at[d].not_before)) return false;
    }
    return true;
}

static bool all_earlier(const Recur *r)
{
    for (size_t i = 0; i < r->uses.len; i++)
        if (!r->uses.data[i].earlier) return false;
    return true;
}

/* The variables that have a place in `order` are marked in `placed`. True if it is complete and
 * every use an earlier point. */
static bool find_order(Recur *r, int8_t *order, bool *placed)
{
    int n = r->rec->nvars, next = 0;
    for (int d = 0; d < n; d++) { /* after a variable was placed, from the first one again */
        bool up = fits(r, d, true);
        if (placed[d] || (!up && !fits(r, d, false))) continue;
        placed[d] = true;
        order[next++] = (int8_t)(up ? d + 1 : -(d + 1));
        for (size_t i = 0; i < r->uses.len; i++) {
            Use *u = &r->uses.data[i];
            u->earlier = u->earlier || (up ? u->at[d].before : u->at[d].after);
        }
        d = -1;
    }
    return next == n && all_earlier(r);
}

/* ---- errors ---------------------------------------------------------------------------- */

/* "u(i, j)": the point that is defined. */
static const char *point_text(const Recur *r)
{
    return fdi_expr_text(r->fd,
                         fd_apply(r->fd, r->rec->self, r->rec->nvars, r->rec->vars, (FdLoc){0}));
}

static void complain(Recur *r, const FdNode *at, const char *message)
{
    if (r->error->message) return;
    *r->error = (FdError){message, at->loc.line ? at->loc : r->rec->loc, at};
}

/* Why variable d cannot come next. *at: a use that stands against it. */
static void explain_variable(Recur *r, int d, Text *t, const FdNode **at)
{
    const Use *up = NULL, *down = NULL, *both = NULL;
    for (size_t i = 0; i < r->uses.len; i++) {
        const Use *u = &r->uses.data[i];
        if (u->earlier || (u->at[d].not_after && u->at[d].not_before)) continue;
        if (u->at[d].not_after)
            up = up ? up : u;
        else if (u->at[d].not_before)
            down = down ? down : u;
        else
            both = both ? both : u;
    }
    const char *var = fdi_var_name(r->rec->vars[d]);
    if (t->len) text_add(t, "; and ");
    if (both) {
        *at = *at ? *at : both->apply;
        text_printf(t, "'%s' can be on both sides of %s: no order of %s makes it earlier",
                    fdi_expr_text(r->fd, both->apply), point_text(r), var);
    } else if (up && down) {
        *at = *at ? *at : down->apply;
        text_printf(t, "'%s' and '%s' need each other: no order of %s makes both earlier",
                    fdi_expr_text(r->fd, down->apply), fdi_expr_text(r->fd, up->apply), var);
    }
}

static void explain(Recur *r, const bool *placed)
{
    Text t = {0};
    const FdNode *at = NULL;
    for (int d = 0; d < r->rec->nvars; d++)
        if (!placed[d]) explain_variable(r, d, &t, &at);
    for (size_t i = 0; i < r->uses.len && !at; i++) {
        if (r->uses.data[i].earlier) continue;
        at = r->uses.data[i].apply;
        text_printf(&t, "'%s' can be %s itself", fdi_expr_text(r->fd, at), point_text(r));
    }
    complain(r, at,
             arena_printf(r->fd->arena, "the recurrence '%s' has no order: %s",
                          fdi_var_name(r->rec->self), t.data));
    text_free(&t);
}

/* A function that is not known yet? */
static bool is_function(const void *graph, const FdNode *n)
{
    const FdGraph *g = graph;
    return n->kind == FD_FUNC && n->leaf == FD_LEAF_SLOT && n->slot < g->nslots &&
           !g->slots[n->slot].is_array;
}

/* Does an index of a use ask such a function? */
static bool is_unknown(const Recur *r)
{
    for (size_t i = 0; i < r->uses.len; i++)
        for (int d = 0; d < r->uses.data[i].apply->nargs; d++)
            if (fd_any(r->uses.data[i].apply->args[d], is_function, r->graph)) return true;
    return false;
}

/* ---- the pass -------------------------------------------------------------------------- */

static const FdNode *put_order(void *ctx, Fd *fd, const FdNode *n)
{
    Recur *r = ctx;
    int8_t order[FD_MAX_RANK] = {0};
    bool placed[FD_MAX_RANK] = {false};
    const FdNode *now = NULL;
    if (!n->self || n->order[0]) return NULL;
    r->rec = fd_rewrite(fd, n, fdi_compose_node, NULL);
    r->nodes.len = 0;
    r->uses.len = 0;
    const FdNode *whole = gather(r);
    if (whole)
        complain(r, whole,
                 arena_printf(fd->arena,
                              "the recurrence '%s' can use its own elements only, not itself "
                              "as a function",
                              fdi_var_name(n->self)));
    else if (find_order(r, order, placed))
        now = fd_recurrence(fd, n->self, order, n->nvars, n->vars, n->doms, n->body, n->loc);
    else if (!is_unknown(r))
        explain(r, placed);
    return now;
}

bool fd_pass_recur(Fd *fd, FdGraph *g, FdError *error)
{
    Recur r = {.fd = fd, .graph = g, .error = error};
    fdi_rewrite_graph(fd, g, put_order, &r);
    vec_free(&r.nodes);
    fd_facts_free(r.facts);
    vec_free(&r.uses);
    return error->message == NULL;
}
