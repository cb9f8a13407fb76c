/* What is asked of footprints (footprint.h): the box around one, and whether reads are of the root's own element. */
#include "../../internal.h"
#include "reads.h"

#include "../affine.h"

static bool is_slot(const FdNode *f)
{
    return f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT;
}

FdBox fd_footprint_hull(const FdFootprint *f)
{
    FdReads r = f->nboxes ? f->boxes[0] : (FdReads){0};
    for (int i = 1; i < f->nboxes; i++) r = fdi_reads_around(&r, &f->boxes[i], f->rank);
    return fd_reads_box(&r, f->rank);
}

static bool is_own(const FdExtent *e, int d, const FdBox *box)
{
    if (e->near == 1 + d && e->from == 0 && e->to == 0) return true;
    int64_t lo = box->dim[d].lo;
    return !e->full && !box->dim[d].full && box->dim[d].hi == lo + 1 && e->lo == lo &&
           e->hi == lo + 1;
}

bool fd_footprint_apart(const FdFootprint *f, const FdBox *box)
{
    for (int i = 0; i < f->nboxes; i++) {
        bool own = true, outside = false;
        for (int d = 0; d < f->rank; d++) {
            const FdExtent *e = &f->boxes[i].dim[d];
            own = own && is_own(e, d, box);
            outside = outside || (!e->full && !box->dim[d].full &&
                                  (e->hi <= box->dim[d].lo || e->lo >= box->dim[d].hi));
        }
        if (!own && !outside) return false;
    }
    return true;
}

/* ---- reads one by one ------------------------------------------------------------------------------ */

typedef struct Apart {
    const FdNode *let;
    int64_t shift[FD_MAX_RANK]; /* its variables are so much more than those of the root.. */
    int slot;
    const FdEnv *env;
    const FdBox *box; /* ..which go over this */
} Apart;

/* What an index is more than a variable of the let (dim: which; -1: it has none). False: it is no such index. */
static bool index_of(const Apart *a, const FdNode *index, int *dim, int64_t *more)
{
    FdAffine form;
    *dim = -1;
    if (!fd_affine(index, &form)) return false;
    *more = form.constant;
    for (int i = 0; i < form.nterms; i++) {
        const FdNode *atom = form.terms[i].atom;
        int64_t value;
        int d = 0;
        while (d < a->let->nvars && a->let->vars[d] != atom) d++;
        if (d < a->let->nvars) {
            if (*dim >= 0 || form.terms[i].factor != 1) return false;
            *dim = d;
        } else if (!fdi_closed(atom) || fd_eval_bound(atom, a->env, &value) != FD_BOUND_OK ||
                   __builtin_mul_overflow(value, form.terms[i].factor, &value) ||
                   __builtin_add_overflow(*more, value, more)) {
            return false;
        }
    }
    return true;
}

static bool is_apart(const Apart *a, const FdNode *read)
{
    bool own = read->nargs == a->let->nvars;
    for (int d = 0; d < read->nargs; d++) {
        const int64_t lo = a->box->dim[d].lo, hi = a->box->dim[d].hi;
        int64_t more;
        int dim;
        bool known = index_of(a, read->args[d], &dim, &more);
        if (known && dim < 0 && (more < lo || more >= hi)) return true;
        own = own && known && dim == d && more + a->shift[d] == 0;
    }
    return own;
}

/* Has it the slot for anything but its domain and reads at the root's own place or outside of the box? */
static bool is_in_the_way(const void *apart, const FdNode *n)
{
    const Apart *a = apart;
    const FdNode *children[FD_MAX_CHILDREN];
    const FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return false;
    for (int i = fd_children(n, children); i-- > 0;) {
        if (!is_slot(children[i]) || children[i]->slot != a->slot) continue;
        if (n->kind != FD_APPLY || children[i] != n->fn || !is_apart(a, n)) return true;
    }
    return false;
}

/* A function of which the root gives a part, f(i - lo): the let is f. False: it is no such root. */
static bool go_below(Apart *a)
{
    const FdNode *n = a->let->body, *f = n->kind == FD_APPLY ? n->fn : NULL;
    bool part = f && f->kind == FD_LET && !f->self && f->nvars == a->let->nvars;
    for (int d = 0; part && d < f->nvars; d++) {
        int dim;
        part = index_of(a, n->args[d], &dim, &a->shift[d]) && dim == d;
    }
    if (part) a->let = f;
    return part;
}

bool fd_reads_apart(const FdGraph *g, int slot, const FdEnv *env, const FdBox *box)
{
    Apart a = {.let = fd_root(g), .slot = slot, .env = env, .box = box};
    bool plain = a.let->kind == FD_LET && !a.let->self && box->rank == a.let->nvars;
    for (int d = 0; d < box->rank && plain; d++) plain = !box->dim[d].full;
    if (plain && a.let->body->kind == FD_APPLY && a.let->body->fn->kind == FD_LET)
        plain = go_below(&a);
    return plain && !fd_any(a.let->body, is_in_the_way, &a);
}

typedef struct Own {
    const FdNode *root;
    int slot;
} Own;

static bool is_own_read(const Own *own, const FdNode *n)
{
    bool same = n->nargs == own->root->nvars;
    for (int d = 0; same && d < n->nargs; d++) same = n->args[d] == own->root->vars[d];
    return same;
}

/* Is it a reduction, or has it the slot for anything but an own read or its domain? */
static bool is_other_use(const void *ctx, const FdNode *n)
{
    const Own *own = ctx;
    const FdNode *children[FD_MAX_CHILDREN];
    if (n->kind == FD_REDUCE) return true;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    for (int i = fd_children(n, children); i-- > 0;) {
        const FdNode *c = children[i];
        if (!is_slot(c) || c->slot != own->slot) continue;
        bool good = op == FD_OP_LOWER || op == FD_OP_UPPER ||
                    (n->kind == FD_APPLY && n->fn == c && is_own_read(own, n));
        if (!good) return true;
    }
    return false;
}

bool fd_reads_own_only(const FdGraph *g, int slot)
{
    bool only = true;
    for (int k = 0; only && k < g->nresults; k++) {
        const FdNode *n = g->results[k].node;
        Own own = {n, slot};
        only = n->kind == FD_LET && !n->self && !fd_can_fail(n->body) &&
               !fd_any(n, is_other_use, &own);
    }
    return only;
}

bool fd_is_surely_good(const FdGraph *g)
{
    const FdNode *n = fd_root(g);
    bool good = g->nresults == 1 && n->kind == FD_LET;
    for (int d = 0; good && d < n->nvars; d++) good = n->doms[d].kind == FD_DOM_INFERRED;
    for (int i = 0; good && i < g->nslots; i++)
        good = !g->slots[i].type->result || (g->slots[i].is_array && fd_reads_own_only(g, i));
    return good;
}

/* ---- all of a slot -------------------------------------------------------------------------------- */

enum { WHOLE_VARS = 2 * FD_MAX_RANK, WHOLE_NODES = 1000 /* that are looked at */ };

typedef struct Whole {
    const FdEnv *env;
    int slot, n, nodes;
    struct {
        const FdNode *var;
        int64_t lo, hi;
    } vars[WHOLE_VARS]; /* of the binders around, none empty */
} Whole;

static int place_of(const Whole *w, const FdNode *var)
{
    int i = w->n - 1;
    while (i >= 0 && w->vars[i].var != var) i--;
    return i;
}

static bool is_whole_read(const Whole *w, const FdNode *n)
{
    const FdBox *of = &w->env->boxes[w->slot];
    unsigned met = 0;
    bool whole = n->nargs == of->rank;
    for (int d = 0; d < n->nargs && whole; d++) {
        const int at = place_of(w, n->args[d]);
        whole = at >= 0 && !(met >> at & 1) && !of->dim[d].full &&
                w->vars[at].lo <= of->dim[d].lo && w->vars[at].hi >= of->dim[d].hi;
        if (whole) met |= 1u << at;
    }
    return whole;
}

/* False: it may be empty, or there are too many. */
static bool add_var(Whole *w, const FdNode *var, int64_t lo, int64_t hi)
{
    if (hi <= lo || w->n == WHOLE_VARS) return false;
    w->vars[w->n].var = var;
    w->vars[w->n].lo = lo;
    w->vars[w->n].hi = hi;
    w->n++;
    return true;
}

static bool is_certain(Whole *w, const FdNode *n)
{
    const FdOp op = fd_op_of(n);
    const int around = w->n;
    bool certain = false;
    if (++w->nodes > WHOLE_NODES) return false;
    if (n->kind == FD_APPLY && is_slot(n->fn) && n->fn->slot == w->slot) return is_whole_read(w, n);
    if (n->kind == FD_APPLY &&
        (op != FD_OP_NONE || n->fn->leaf == FD_LEAF_MAKE || n->fn->leaf == FD_LEAF_FIELD))
        for (int i = 0; i < n->nargs && !certain; i++)
            certain = !fd_is_lazy(n, i) && is_certain(w, n->args[i]);
    if (n->kind != FD_REDUCE || op == FD_OP_LAND || op == FD_OP_LOR)
        return certain; /* these may end early */
    for (int i = 0; i < n->nvars; i++) {
        int64_t lo, hi;
        if (fd_eval_bound(n->doms[i].lo, w->env, &lo) != FD_BOUND_OK ||
            fd_eval_bound(n->doms[i].hi, w->env, &hi) != FD_BOUND_OK ||
            !add_var(w, n->vars[i], lo, hi)) {
            w->n = around;
            return false;
        }
    }
    certain = is_certain(w, n->body);
    w->n = around;
    return certain;
}

bool fd_reads_whole(const FdGraph *g, int slot, const FdBox *box, const FdEnv *env)
{
    const FdNode *root = fd_root(g);
    Whole w = {.env = env, .slot = slot};
    bool map = root->kind == FD_LET;
    if (root->self || (!map && root->type->result)) return false;
    for (int d = 0; map && d < root->nvars; d++)
        if (box->dim[d].full || !add_var(&w, root->vars[d], box->dim[d].lo, box->dim[d].hi))
            return false;
    return is_certain(&w, map ? root->body : root);
}
