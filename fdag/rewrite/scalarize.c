/* Small arrays as numbers (scalarize.h).
 *   before: let (i : 0..2) sum(k : 0..2, a(i, k) * x(k))      at i = 1, with a of 2 x 2, x of 2
 *   after:  a3 * x1 + a2 * x0
 * The graph is run on expressions: bound variables have values, so each index is a number, and a read is that of one
 * element. Reals are computed as written, in order. Requires: the front passes. Keeps: meaning; what may throw stays
 * as it was. */
#include "../scalarize.h"

#include "../internal.h"

enum { MOST_VISITS = 1 << 16, MOST_VARS = 64 };

typedef struct Bound {
    const FdNode *var, *value;
} Bound;

typedef struct Scalarize {
    Fd *fd;
    const FdGraph *g;
    const FdSmall *small;
    int visits;
    int nbound;
    Bound bound[MOST_VARS];
    VEC(FdAsked) asked;
    VEC(FdSlot) slots; /* of the new graph, one for each that is asked for */
} Scalarize;

static const FdNode *value_of(Scalarize *u, const FdNode *n);

static const FdNode *folded(Scalarize *u, const FdNode *n)
{
    const FdNode *made = fdi_fold_node(NULL, u->fd, n);
    return made ? made : n;
}

static bool number_of(Scalarize *u, const FdNode *n, int64_t *out)
{
    const FdNode *v = value_of(u, n);
    if (!v || !fd_is_const(v)) return false;
    *out = v->value.i;
    return true;
}

static bool range_of(Scalarize *u, const FdDom *d, int64_t *lo, int64_t *hi)
{
    return d->lo && d->hi && number_of(u, d->lo, lo) && number_of(u, d->hi, hi);
}

/* The range of dimension d of a function: a slot's is in its box. */
static bool domain_of(Scalarize *u, const FdNode *f, int d, int64_t *lo, int64_t *hi)
{
    if (f->kind == FD_LET) return range_of(u, &f->doms[d], lo, hi);
    if (f->kind != FD_FUNC || f->leaf != FD_LEAF_SLOT || d >= u->small->boxes[f->slot].rank)
        return false;
    *lo = u->small->boxes[f->slot].dim[d].lo;
    *hi = u->small->boxes[f->slot].dim[d].hi;
    return true;
}

/* The slot of the new graph for an element, or for a scalar. */
static const FdNode *ask(Scalarize *u, FdAsked what, const FdType *type, const char *name)
{
    for (size_t i = 0; i < u->asked.len; i++)
        if (u->asked.data[i].slot == what.slot && u->asked.data[i].at == what.at)
            return fd_slot(u->fd, (int)i, type, u->slots.data[i].name);
    const bool element = u->g->slots[what.slot].type->result;
    if (element) name = arena_printf(u->fd->arena, "%s%lld", name, (long long)what.at);
    FdSlot slot = {.type = type, .name = name};
    vec_push(&u->asked, what);
    vec_push(&u->slots, slot);
    return fd_slot(u->fd, (int)u->asked.len - 1, type, name);
}

static const FdNode *read(Scalarize *u, const FdNode *n)
{
    const FdBox *box = &u->small->boxes[n->fn->slot];
    int64_t at = 0, index;
    if (box->rank != n->nargs) return NULL;
    for (int d = 0; d < n->nargs; d++) {
        if (!number_of(u, n->args[d], &index)) return NULL;
        if (index < box->dim[d].lo || index >= box->dim[d].hi) return NULL;
        at = at * fd_box_length(box, d) + index - box->dim[d].lo;
    }
    return ask(u, (FdAsked){n->fn->slot, at}, n->type, n->fn->name);
}

static bool bind(Scalarize *u, const FdNode *var, const FdNode *value)
{
    if (u->nbound == MOST_VARS) return false;
    u->bound[u->nbound++] = (Bound){var, value};
    return true;
}

static const FdNode *index_value(Scalarize *u, const FdNode *var, int64_t i)
{
    return fd_const(u->fd, var->type->scalar, (ScalarValue){.i = i});
}

/* The body of a function at a point of its domain. */
static const FdNode *call(Scalarize *u, const FdNode *let, const FdNode *const *args)
{
    const int before = u->nbound;
    bool good = !let->self;
    for (int d = 0; good && d < let->nvars; d++) {
        int64_t lo, hi, i = args[d]->value.i;
        good = bind(u, let->vars[d], args[d]);
        if (!good || let->doms[d].kind == FD_DOM_FULL) continue;
        good = fd_is_const(args[d]) && range_of(u, &let->doms[d], &lo, &hi) && i >= lo && i < hi;
    }
    const FdNode *n = good ? value_of(u, let->body) : NULL;
    u->nbound = before;
    return n;
}

static const FdNode *bound_of_domain(Scalarize *u, const FdNode *n, FdOp op)
{
    int64_t d, lo, hi;
    if (!number_of(u, n->args[1], &d) || !domain_of(u, n->args[0], (int)d, &lo, &hi)) return NULL;
    return fd_const(u->fd, n->type->scalar, (ScalarValue){.i = op == FD_OP_LOWER ? lo : hi});
}

/* The operand that a first one which is known chooses: what is not chosen is not evaluated. */
static const FdNode *chosen(Scalarize *u, const FdNode *n, FdOp op, const FdNode *test)
{
    const bool holds = test->value.i;
    if (op == FD_OP_SELECT) return value_of(u, n->args[holds ? 1 : 2]);
    return holds == (op == FD_OP_LAND) ? value_of(u, n->args[1]) : test;
}

static const FdNode *applied(Scalarize *u, const FdNode *n)
{
    const FdNode *args[FD_MAX_PARAMS];
    const FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return bound_of_domain(u, n, op);
    if (fdi_applies(n, FD_LEAF_SLOT)) return read(u, n);
    for (int i = 0; i < n->nargs; i++) {
        if (!(args[i] = value_of(u, n->args[i]))) return NULL;
        const bool chooses = op == FD_OP_SELECT || op == FD_OP_LAND || op == FD_OP_LOR;
        if (chooses && i == 0 && fd_is_const(args[0])) return chosen(u, n, op, args[0]);
    }
    if (op == FD_OP_GIVEN) return args[0];
    if (n->fn->kind == FD_LET) return call(u, n->fn, args);
    if (n->fn->kind != FD_FUNC || n->fn->leaf == FD_LEAF_USER) return NULL;
    return folded(u, fd_apply(u->fd, n->fn, n->nargs, args, n->loc));
}

/* The values at all points from variable d on, after `so_far`, which is NULL before the first. False: it cannot be. A
 * sum of reals begins with 0, so that it is not -0. */
static bool reduced(Scalarize *u, const FdNode *n, int d, const FdNode **so_far)
{
    const int before = u->nbound;
    int64_t lo, hi;
    if (d == n->nvars) {
        const FdNode *v = value_of(u, n->body);
        if (v && *so_far) {
            const FdNode *pair[] = {*so_far, v};
            v = folded(u, fd_apply(u->fd, n->fn, 2, pair, n->loc));
        }
        *so_far = v;
        return v;
    }
    if (!range_of(u, &n->doms[d], &lo, &hi)) return false;
    for (int64_t i = lo; i < hi; i++) {
        if (!bind(u, n->vars[d], index_value(u, n->vars[d], i)) || !reduced(u, n, d + 1, so_far))
            return false;
        u->nbound = before;
    }
    return true;
}

static const FdNode *reduction(Scalarize *u, const FdNode *n)
{
    const FdOp op = fd_op_of(n);
    const FdNode *so_far = n->init ? value_of(u, n->init) : NULL;
    ScalarValue identity;
    if (op == FD_OP_NONE || n->type->record || (n->init && !so_far)) return NULL;
    if (op == FD_OP_ADD && !n->init && scalar_is_real(n->type->scalar))
        so_far = fd_const(u->fd, n->type->scalar, (ScalarValue){.f = 0});
    if (!reduced(u, n, 0, &so_far)) return NULL;
    if (so_far || !fd_op_identity(op, n->type->scalar, &identity)) return so_far;
    return fd_const(u->fd, n->type->scalar, identity);
}

static const FdNode *value_of(Scalarize *u, const FdNode *n)
{
    if (++u->visits > MOST_VISITS) return NULL;
    switch (n->kind) {
    case FD_SCALAR:
        if (n->leaf == FD_LEAF_CONST) return n;
        if (n->type->record) return NULL;
        if (u->small->constants[n->slot]) return u->small->constants[n->slot];
        return ask(u, (FdAsked){n->slot, 0}, n->type, n->name);
    case FD_VAR:
        for (int i = u->nbound; i-- > 0;)
            if (u->bound[i].var == n) return u->bound[i].value;
        return NULL;
    case FD_APPLY: return applied(u, n);
    case FD_REDUCE: return reduction(u, n);
    default: return NULL;
    }
}

static bool agrees(Scalarize *u, const FdAgree *a)
{
    int64_t lo[2], hi[2];
    if (!domain_of(u, a->a, a->a_dim, &lo[0], &hi[0])) return false;
    if (!domain_of(u, a->b, a->b_dim, &lo[1], &hi[1])) return false;
    if (a->inside) return lo[0] >= lo[1] && hi[0] <= hi[1] && lo[0] <= hi[0];
    return lo[0] == lo[1] && hi[0] == hi[1];
}

static void end(Scalarize *u)
{
    vec_free(&u->asked);
    vec_free(&u->slots);
}

bool fd_scalarize_box(Fd *fd, const FdGraph *g, const FdSmall *small, FdBox *out)
{
    Scalarize u = {.fd = fd, .g = g, .small = small};
    const FdNode *root = fd_root(g);
    bool good = g->nresults == 1 && !g->results[0].part && !root->type->record;
    out->rank = root->type->nparams;
    for (int i = 0; good && i < g->nagrees; i++) good = agrees(&u, &g->agrees[i]);
    for (int d = 0; good && d < out->rank; d++) {
        out->dim[d].full = false;
        good = domain_of(&u, root, d, &out->dim[d].lo, &out->dim[d].hi);
    }
    end(&u);
    return good;
}

/* How many operations it takes, each that is shared once. */
static int operations(const FdNode *root)
{
    int count = 0;
    FdWalk w = fd_walk(root);
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        count += n->kind == FD_APPLY;
        fd_walk_below(&w, n);
    }
    fd_walk_end(&w);
    return count;
}

static bool is_call(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return fd_user_of(n) != NULL;
}

/* User functions without loops as what they compute. */
static FdGraph inlined(Fd *fd, const FdGraph *g)
{
    FdGraph all = *g;
    FdError error = {0};
    if (!fd_any(fd_root(g), is_call, NULL)) return all;
    all.results = arena_copy(fd->arena, g->results, sizeof *g->results * (size_t)g->nresults);
    fd_pass_find("inline")->run(fd, &all, &error);
    return all;
}

FdGraph *fd_scalarize(Fd *fd, const FdGraph *g, const FdSmall *small, const int64_t *index,
                      int most, FdAsked **asked)
{
    const FdGraph all = inlined(fd, g);
    Scalarize u = {.fd = fd, .g = &all, .small = small};
    const FdNode *root = fd_root(&all), *args[FD_MAX_RANK], *n = NULL;
    if (root->kind == FD_LET) {
        for (int d = 0; d < root->nvars; d++) args[d] = index_value(&u, root->vars[d], index[d]);
        n = call(&u, root, args);
    } else if (!root->type->result) {
        n = value_of(&u, root);
    }
    FdGraph *out = NULL;
    if (n && operations(n) <= most) {
        out = arena_new_of(fd->arena, FdGraph);
        fd_set_root(fd, out, n);
        out->hints = g->hints;
        out->nslots = (int)u.slots.len;
        out->slots = arena_copy(fd->arena, u.slots.data, sizeof *u.slots.data * u.slots.len);
        *asked = arena_copy(fd->arena, u.asked.data, sizeof *u.asked.data * u.asked.len);
        if (!fd_is_arithmetic(out)) out = NULL;
    }
    end(&u);
    return out;
}
