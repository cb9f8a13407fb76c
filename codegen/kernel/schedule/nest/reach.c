/* How a definition reads the rows of another (nest_reach). */
#include "../../../../fdag/index/affine.h"
#include "../../../../fdag/index/inlined.h"
#include "impl.h"

typedef struct Walk {
    Unit *u;
    const Def *read;
    const FdNode *row;
    const FdDom *rows; /* its range; NULL: not known */
    int dim;
    VEC(const FdNode *) binders;
    NestReach *out;
} Walk;

static const FdDom *range_of(const Walk *w, const FdNode *v)
{
    const FdDom *found = NULL;
    for (size_t i = 0; i < w->binders.len; i++)
        for (int k = 0; k < w->binders.data[i]->nvars; k++) {
            const FdDom *d = &w->binders.data[i]->doms[k];
            if (w->binders.data[i]->vars[k] != v) continue;
            if (found && (found->lo != d->lo || found->hi != d->hi)) return NULL;
            found = d;
        }
    return found;
}

static Num *scaled(Unit *u, Num *x, int64_t factor)
{
    return num_op(u, FD_OP_MUL, x, num_int(u, factor));
}

static bool is_element(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return is_read(n);
}

/* Adds factor * atom to both ends. */
static bool add_atom(Walk *w, const FdNode *atom, int64_t factor, Num **low, Num **high)
{
    Unit *u = w->u;
    Num *first = NULL, *last = NULL;
    if (atom->kind == FD_VAR) {
        const FdDom *d = range_of(w, atom);
        if (!d || !d->lo || !node_is_closed(d->lo) || !node_is_closed(d->hi)) return false;
        first = plan_lo(u, d);
        last = num_op(u, FD_OP_ADD, first, num_op(u, FD_OP_SUB, plan_n(u, d), num_int(u, 1)));
    } else if (is_read(atom)) {
        first = num_elements(u, atom, false);
        last = num_elements(u, atom, true);
    } else {
        first = last = num_of(u, atom);
    }
    if (!first) return false;
    *low = num_op(u, FD_OP_ADD, *low, scaled(u, factor > 0 ? first : last, factor));
    *high = num_op(u, FD_OP_ADD, *high, scaled(u, factor > 0 ? last : first, factor));
    return true;
}

/* A row that is the same for all of the reader's. */
static bool add_fixed(Walk *w, const FdNode *index)
{
    NestReach *r = w->out;
    if (!node_is_closed(index) || fd_any(index, is_element, NULL)) return false;
    Num *row = num_of(w->u, index);
    for (int i = 0; i < r->nfixed; i++)
        if (r->fixed[i] == row) return true;
    if (!row || r->nfixed == NEST_FIXED) return false;
    r->fixed[r->nfixed++] = row;
    return true;
}

/* The index before it goes round, which has to be by the rows that there are. */
static const FdNode *before_round(Walk *w, const FdNode *index)
{
    Unit *u = w->u;
    const FdDom *rows = &w->read->doms[w->dim];
    FdRound round;
    if (!fd_goes_round(u->fd, index, &round)) return index;
    Num *n = node_is_closed(round.n) ? num_of(u, round.n) : NULL;
    Num *lo = !round.lo ? num_int(u, 0) : node_is_closed(round.lo) ? num_of(u, round.lo) : NULL;
    if (!n || !lo || !rows->lo) return index;
    Num *same = num_and(u, num_op(u, FD_OP_EQ, n, plan_n(u, rows)),
                        num_op(u, FD_OP_EQ, lo, plan_lo(u, rows)));
    w->out->round = w->out->round ? num_and(u, w->out->round, same) : same;
    return round.of;
}

static bool is_op(const FdNode *n, FdOp op)
{
    return n->kind == FD_APPLY && fd_op_of(n) == op;
}

static void note_when(Walk *w, Num *cond)
{
    w->out->when = w->out->when ? num_and(w->u, w->out->when, cond) : cond;
}

/* The index before it is clamped to an end beyond which the reader has no rows: what it becomes is between its row and
 * where it would be. */
static const FdNode *before_clamp(Walk *w, const FdNode *index, bool *clamped)
{
    Unit *u = w->u;
    *clamped = false;
    while (w->rows && w->rows->lo && node_is_closed(w->rows->lo) && node_is_closed(w->rows->hi) &&
           (is_op(index, FD_OP_MIN) || is_op(index, FD_OP_MAX))) {
        int end = node_is_closed(index->args[0]) ? 0 : 1;
        Num *at = node_is_closed(index->args[end]) && !fd_any(index->args[end], is_element, NULL)
                      ? num_of(u, index->args[end])
                      : NULL;
        if (!at) break;
        Num *first = plan_lo(u, w->rows),
            *last = num_op(u, FD_OP_SUB, num_op(u, FD_OP_ADD, first, plan_n(u, w->rows)),
                           num_int(u, 1));
        note_when(w, is_op(index, FD_OP_MAX) ? num_op(u, FD_OP_LE, at, first)
                                             : num_op(u, FD_OP_LE, last, at));
        index = index->args[1 - end];
        *clamped = true;
    }
    return index;
}

static bool add_read(Walk *w, const FdNode *read)
{
    Unit *u = w->u;
    FdAffine form;
    int64_t factor;
    bool clamped;
    const FdNode *row = w->row, *index = before_round(w, read->args[w->dim]);
    if (!row) return false; /* a scalar: there are no rows */
    if (fd_uses_var(index, row))
        index = before_clamp(w, index, &clamped);
    else
        clamped = false;
    if (!fd_affine(index, &form) || !fd_affine_factor(&form, row, &factor)) return false;
    if (factor == 0) return add_fixed(w, read->args[w->dim]);
    if (factor != 1) return false;
    Num *low = num_int(u, form.constant), *high = low;
    for (int i = 0; i < form.nterms; i++)
        if (form.terms[i].atom != row &&
            !add_atom(w, form.terms[i].atom, form.terms[i].factor, &low, &high))
            return false;
    if (clamped) {
        low = num_op(u, FD_OP_MIN, low, num_int(u, 0));
        high = num_op(u, FD_OP_MAX, high, num_int(u, 0));
    }
    NestReach *r = w->out;
    r->low = r->reads ? num_op(u, FD_OP_MIN, r->low, low) : low;
    r->high = r->reads ? num_op(u, FD_OP_MAX, r->high, high) : high;
    r->reads++;
    return true;
}

bool nest_is_of(const Unit *u, const FdNode *array, const Def *d)
{
    return (array->kind == FD_FUNC || array->kind == FD_SCALAR) && array->leaf == FD_LEAF_SLOT &&
           array->slot >= u->ninputs && u->plan_slot[array->slot] == d->temp;
}

bool nest_reach(Unit *u, const FdNode *body, const FdNode *row, const FdDom *rows, const Def *read,
                int dim, NestReach *out)
{
    Walk w = {.u = u, .read = read, .row = row, .rows = rows, .dim = dim, .out = out};
    VEC(const FdNode *) reads = {0};
    FdWalk walk = fd_walk(body);
    bool good = true;
    *out = (NestReach){0};
    for (const FdNode *n; good && (n = fd_walk_next(&walk));) {
        const FdNode *children[FD_MAX_CHILDREN];
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op == FD_OP_LOWER || op == FD_OP_UPPER) continue;
        if (n->nvars) vec_push(&w.binders, n);
        bool applies = n->kind == FD_APPLY && nest_is_of(u, n->fn, read);
        if (applies) vec_push(&reads, n);
        for (int i = fd_children(n, children); i-- > 0;) {
            if (applies && children[i] == n->fn) continue;
            good = good && !nest_is_of(u, children[i], read); /* given whole */
            fd_walk_add(&walk, children[i]);
        }
    }
    for (size_t i = 0; good && i < reads.len; i++) good = add_read(&w, reads.data[i]);
    fd_walk_end(&walk);
    vec_free(&reads);
    vec_free(&w.binders);
    return good;
}
