/* Orders of recurrences: one order of the variables, each up or down, that makes every use of the
 * function by itself an earlier point.
 *   before: rec s (i : given 0..n, j : given 0..m) s(i - 1, j) + s(i, j - 1)
 *   after:  the same with order +0, +1
 * For each use and each variable the difference of index and variable is a sum of variables and of
 * closed terms; replacing variables by their bounds shows whether it is always negative, never
 * positive and so on. A variable (with a direction) can come next in the order if no use that is
 * left goes against it; uses that always move with it are earlier from there on. Taking any
 * such variable is right, since the uses left only become fewer.
 * Requires: ranges inferred. Keeps: meaning. What depends on a function that is not known yet stays
 * without an order; the pass runs again when it is. */
#include "../internal.h"

/* ---- sums ------------------------------------------------------------------------------ */

enum { MAX_TERMS = 16 };

/* factor * atom + ... + constant. Atoms are variables and whatever else is no sum. */
typedef struct Sum {
    int n;
    struct {
        const FdNode *atom;
        int64_t factor; /* not 0 */
    } terms[MAX_TERMS];
    int64_t constant;
} Sum;

static bool add_term(Sum *s, const FdNode *atom, int64_t factor)
{
    int i = 0;
    while (i < s->n && s->terms[i].atom != atom) i++;
    if (i == s->n) {
        if (i == MAX_TERMS) return false;
        s->terms[s->n].atom = atom;
        s->terms[s->n++].factor = 0;
    }
    if (__builtin_add_overflow(s->terms[i].factor, factor, &s->terms[i].factor)) return false;
    if (s->terms[i].factor == 0) s->terms[i] = s->terms[--s->n];
    return true;
}

/* Adds factor * n. int and long are one here: an index fits. */
static bool add(Sum *s, const FdNode *n, int64_t factor, int depth)
{
    enum { DEEPEST = 100 };
    int64_t k;
    if (fd_is_const(n))
        return !__builtin_mul_overflow(n->value.i, factor, &k) &&
               !__builtin_add_overflow(s->constant, k, &s->constant);
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    bool word = n->type->scalar == SC_INT || n->type->scalar == SC_LONG;
    if (!word || depth > DEEPEST) return add_term(s, n, factor);
    const FdNode *const *a = n->args;
    switch (op) {
    case FD_OP_ADD: return add(s, a[0], factor, depth + 1) && add(s, a[1], factor, depth + 1);
    case FD_OP_SUB:
        return add(s, a[0], factor, depth + 1) && !__builtin_mul_overflow(factor, -1, &k) &&
               add(s, a[1], k, depth + 1);
    case FD_OP_NEG: return !__builtin_mul_overflow(factor, -1, &k) && add(s, a[0], k, depth + 1);
    case FD_OP_MUL:
        for (int i = 0; i < 2; i++)
            if (fd_is_const(a[i]))
                return !__builtin_mul_overflow(factor, a[i]->value.i, &k) &&
                       add(s, a[1 - i], k, depth + 1);
        return add_term(s, n, factor);
    case FD_OP_CONVERT:
        if (fdi_is_integer(a[0]->type)) return add(s, a[0], factor, depth + 1);
        return add_term(s, n, factor);
    default: return add_term(s, n, factor);
    }
}

/* ---- what is known of a sum ------------------------------------------------------------ */

typedef struct Proof {
    const FdiNodes *nodes; /* whose binders give the ranges */
    int fuel;
} Proof;

static bool at_most_zero(Proof *p, const Sum *s);

/* The sum with one term's atom replaced by `by`, plus `more`. */
static bool with_bound(Proof *p, const Sum *s, int term, const FdNode *by, int64_t more)
{
    Sum t = *s;
    int64_t factor = t.terms[term].factor;
    t.terms[term] = t.terms[--t.n];
    return !__builtin_add_overflow(t.constant, more, &t.constant) && add(&t, by, factor, 0) &&
           at_most_zero(p, &t);
}

/* Is the sum at most 0 if this term is as great as its bounds allow? */
static bool bounded(Proof *p, const Sum *s, int term)
{
    const FdNode *atom = s->terms[term].atom;
    int64_t factor = s->terms[term].factor;
    if (atom->kind == FD_VAR) {
        const FdDom *d = fdi_dom_of(p->nodes, atom);
        if (!d || !d->lo) return false;
        return factor > 0 ? with_bound(p, s, term, d->hi, -factor)
                          : with_bound(p, s, term, d->lo, 0);
    }
    FdOp op = atom->kind == FD_APPLY ? fd_op_of(atom) : FD_OP_NONE;
    if (op != FD_OP_MIN && op != FD_OP_MAX) return false;
    bool first = with_bound(p, s, term, atom->args[0], 0);
    if ((op == FD_OP_MIN) == (factor > 0)) /* not above either: one is enough */
        return first || with_bound(p, s, term, atom->args[1], 0);
    return first && with_bound(p, s, term, atom->args[1], 0);
}

static bool at_most_zero(Proof *p, const Sum *s)
{
    if (s->n == 0) return s->constant <= 0;
    for (int i = 0; i < s->n && p->fuel > 0; i++) {
        p->fuel--;
        if (bounded(p, s, i)) return true;
    }
    return false;
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
    VEC(Use) uses;
} Recur;

/* Is s + shift at most 0? */
static bool known(const Recur *r, const Sum *s, int64_t shift)
{
    enum { FUEL = 500 };
    Proof p = {.nodes = &r->nodes, .fuel = FUEL};
    Sum t = *s;
    return !__builtin_add_overflow(t.constant, shift, &t.constant) && at_most_zero(&p, &t);
}

static void add_use(Recur *r, const FdNode *apply)
{
    Use u = {.apply = apply};
    for (int d = 0; d < apply->nargs; d++) {
        Sum s = {0}, t = {0}; /* index - variable, variable - index */
        const FdNode *index = apply->args[d], *var = r->rec->vars[d];
        if (!add(&s, index, 1, 0) || !add(&s, var, -1, 0)) continue;
        if (!add(&t, var, 1, 0) || !add(&t, index, -1, 0)) continue;
        u.at[d].before = known(r, &s, 1);
        u.at[d].not_after = u.at[d].before || known(r, &s, 0);
        u.at[d].after = known(r, &t, 1);
        u.at[d].not_before = u.at[d].after || known(r, &t, 0);
    }
    vec_push(&r->uses, u);
}

/* NULL, or a node that uses the recurrence other than by applying it. */
static const FdNode *gather(Recur *r)
{
    const FdNode *self = r->rec->self;
    FdiMap seen = {0};
    fdi_postorder(r->rec, &seen, &r->nodes);
    fdi_map_free(&seen);
    for (size_t i = 0; i < r->nodes.len; i++) {
        const FdNode *n = r->nodes.data[i], *children[FDI_MAX_CHILDREN];
        int count = fdi_children(n, children);
        if (n->kind == FD_APPLY && n->fn == self) add_use(r, n);
        for (int k = n->kind == FD_APPLY ? 1 : 0; k < count; k++)
            if (children[k] == self && n->self != self) return n;
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

/* Does an index of a use ask a function that is not known yet? */
static bool is_unknown(const Recur *r)
{
    bool unknown = false;
    FdiMap seen = {0};
    FdiNodes list = {0};
    for (size_t i = 0; i < r->uses.len; i++)
        for (int d = 0; d < r->uses.data[i].apply->nargs; d++)
            fdi_postorder(r->uses.data[i].apply->args[d], &seen, &list);
    for (size_t i = 0; i < list.len && !unknown; i++) {
        const FdNode *n = list.data[i];
        unknown = n->kind == FD_FUNC && n->leaf == FD_LEAF_SLOT && n->slot < r->graph->nslots &&
                  !r->graph->slots[n->slot].is_array;
    }
    fdi_map_free(&seen);
    vec_free(&list);
    return unknown;
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
    vec_free(&r.uses);
    return error->message == NULL;
}
