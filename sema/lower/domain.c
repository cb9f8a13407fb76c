/* Functions made of functions by changing their domain: slices, boundary extensions, Range, f ?? g.
 * All of them are lets over new variables whose bodies apply the function at other indices.
 */
#include <string.h>

#include "build.h"

/* ---- arithmetic on indices ------------------------------------------------------------------ */

static const FdNode *op(Lower *l, FdOp o, const FdNode *a, const FdNode *b)
{
    const FdNode *args[] = {a, b};
    return fd_apply_op(l->fd, o, a->type->scalar, 2, args, (FdLoc){0});
}

static const FdNode *as(Lower *l, const FdNode *n, const FdType *t)
{
    return lower_convert(l, n, t, (Loc){0});
}

static const FdNode *number(Lower *l, const FdType *t, int64_t v)
{
    return fd_const(l->fd, t->scalar, scalar_convert((ScalarValue){.i = v}, SC_LONG, t->scalar));
}

/* The first index of a dimension, and the one after its last. */
static const FdNode *first_of(Lower *l, const FdNode *f, int d)
{
    return as(l, lower_query(l, FD_OP_LOWER, f, d), f->type->params[d]);
}

static const FdNode *end_of(Lower *l, const FdNode *f, int d)
{
    return as(l, lower_query(l, FD_OP_UPPER, f, d), f->type->params[d]);
}

/* New variables for the parameters of a function type. */
static void new_vars(Lower *l, const FdType *t, const FdNode **vars, FdDom *doms)
{
    static const char *const names[FD_MAX_RANK] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    for (int d = 0; d < t->nparams; d++) {
        vars[d] = fd_var(l->fd, t->params[d], names[d]);
        doms[d] = (FdDom){.kind = FD_DOM_FULL};
    }
}

/* ---- slices --------------------------------------------------------------------------------- */

bool lower_is_slice(const Ast *n)
{
    if (n->kind != AST_INDEX || !type_is_functional(n->index.base->type)) return false;
    for (int i = 0; i < n->index.args.len; i++) {
        const Ast *a = n->index.args.data[i];
        if (a->kind == AST_RANGE || (a->kind == AST_UNARY && a->unary.op == AST_OP_FROM_END))
            return true;
    }
    return false;
}

/* An index in the brackets; ^1 is the last one. */
static const FdNode *position(Lower *l, const FdNode *f, int d, const Ast *n)
{
    bool from_end = n->kind == AST_UNARY && n->unary.op == AST_OP_FROM_END;
    const FdNode *v = lower_index(l, from_end ? n->unary.operand : n);
    if (!v) return NULL;
    v = as(l, v, f->type->params[d]);
    return from_end ? op(l, FD_OP_SUB, end_of(l, f, d), v) : v;
}

/* The bounds of a range in the brackets. False: they cannot be lowered. */
static bool bounds(Lower *l, const FdNode *f, int d, const Ast *range, const FdNode **lo,
                   const FdNode **hi)
{
    *lo = range->range.lo ? position(l, f, d, range->range.lo) : first_of(l, f, d);
    *hi = range->range.hi ? position(l, f, d, range->range.hi) : end_of(l, f, d);
    return *lo && *hi;
}

/* The slice lo..hi of f is checked when the graph is built: if it is known then, and needed. */
static void add_slice(Lower *l, const FdNode *f, int d, const FdNode *lo, const FdNode *hi, Loc loc)
{
    FdDom dom = {FD_DOM_GIVEN, lo, hi};
    if (l->in->sealed || l->nbranches || !fd_closed(f) || !fd_range_closed(&dom)) return;
    const FdNode *i = fd_var(l->fd, f->type->params[d], "i");
    FdLoc at = lower_loc(l, loc);
    FdAgree a = {fd_let(l->fd, 1, &i, &dom, i, at), f, 0, d, true, at};
    vec_push(&l->slices, a);
}

const FdNode *lower_slice(Lower *l, const Ast *n)
{
    static const char *const names[FD_MAX_RANK] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    const FdNode *f = lower_expr(l, n->index.base), *vars[FD_MAX_RANK], *at[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int rank = 0;
    if (!f) return NULL;
    for (int d = 0; d < f->type->nparams; d++) {
        const Ast *a = n->index.args.data[d];
        if (a->kind != AST_RANGE) {
            if (!(at[d] = position(l, f, d, a))) return NULL;
            continue;
        }
        const FdType *t = f->type->params[d];
        const FdNode *lo, *hi;
        if (!bounds(l, f, d, a, &lo, &hi)) return NULL;
        if (a->range.lo || a->range.hi) add_slice(l, f, d, lo, hi, n->loc);
        doms[rank] = (FdDom){FD_DOM_GIVEN, number(l, t, 0), op(l, FD_OP_SUB, hi, lo)};
        vars[rank] = fd_var(l->fd, t, names[rank]);
        at[d] = op(l, FD_OP_ADD, vars[rank++], lo);
    }
    FdLoc loc = lower_loc(l, n->loc);
    const FdNode *body = lower_place(l, fd_apply(l->fd, f, f->type->nparams, at, loc), n->loc);
    return rank ? lower_place(l, fd_let(l->fd, rank, vars, doms, body, loc), n->loc) : body;
}

const FdNode *lower_moved(Lower *l, const FdNode *value, const FdNode *f, const Ast *part,
                          const FdNode *const *vars)
{
    const FdNode *at[FD_MAX_RANK];
    int rank = 0;
    for (int d = 0; d < f->type->nparams; d++) {
        const Ast *range = sema_range_of(part->index.args.data[d]);
        const FdType *t = f->type->params[d];
        const FdNode *lo, *hi;
        if (!range) continue;
        if (!bounds(l, f, d, range, &lo, &hi) || value->type->params[rank] != t) return NULL;
        const FdNode *i = fd_var(l->fd, t, "i");
        const FdDom dom = {FD_DOM_GIVEN, number(l, t, 0), op(l, FD_OP_SUB, hi, lo)};
        const FdLoc loc = lower_loc(l, part->loc);
        FdAgree as_long = {fd_let(l->fd, 1, &i, &dom, i, loc), value, 0, rank, false, loc};
        vec_push(&l->slices, as_long);
        at[rank++] = op(l, FD_OP_SUB, vars[d], lo);
    }
    return fd_apply(l->fd, value, rank, at, lower_loc(l, part->loc));
}

/* a && b; a may be NULL. */
static const FdNode *both(Lower *l, const FdNode *a, const FdNode *b)
{
    return a ? op(l, FD_OP_LAND, a, b) : b;
}

const FdNode *lower_is_within(Lower *l, const FdNode *f, const Ast *part, const FdNode *const *vars)
{
    const FdNode *within = NULL;
    for (int d = 0; d < f->type->nparams; d++) {
        Ast *a = part->index.args.data[d], *range = sema_range_of(a);
        const FdNode *lo, *hi;
        if (!range) {
            if (!(lo = position(l, f, d, a))) return NULL;
            add_slice(l, f, d, lo, op(l, FD_OP_ADD, lo, number(l, f->type->params[d], 1)),
                      part->loc);
            within = both(l, within, op(l, FD_OP_EQ, vars[d], lo));
            continue;
        }
        if (!range->range.lo && !range->range.hi) continue;
        if (!bounds(l, f, d, range, &lo, &hi)) return NULL;
        add_slice(l, f, d, lo, hi, part->loc);
        if (range->range.lo) within = both(l, within, op(l, FD_OP_GE, vars[d], lo));
        if (range->range.hi) within = both(l, within, op(l, FD_OP_LT, vars[d], hi));
    }
    return within;
}

/* ---- boundary extensions --------------------------------------------------------------------- */

typedef const FdNode *IndexMap(Lower *l, const FdNode *i, const FdNode *lo, const FdNode *n);

/* lo <= index < lo + n, for all but empty functions: reading those fails. */
static const FdNode *clamped(Lower *l, const FdNode *i, const FdNode *lo, const FdNode *n)
{
    const FdNode *last = op(l, FD_OP_ADD, lo, op(l, FD_OP_SUB, n, number(l, n->type, 1)));
    return op(l, FD_OP_MIN, op(l, FD_OP_MAX, i, lo), last);
}

/* i modulo n, which is positive, in [0, n) */
static const FdNode *modulo(Lower *l, const FdNode *i, const FdNode *n)
{
    const FdNode *r = op(l, FD_OP_REM, i, n), *zero = number(l, n->type, 0);
    const FdNode *values[] = {op(l, FD_OP_LT, r, zero), op(l, FD_OP_ADD, r, n), r};
    return lower_select(l, values, (Loc){0});
}

static const FdNode *periodic(Lower *l, const FdNode *i, const FdNode *lo, const FdNode *n)
{
    const FdNode *period = op(l, FD_OP_MAX, n, number(l, n->type, 1));
    return op(l, FD_OP_ADD, lo, modulo(l, op(l, FD_OP_SUB, i, lo), period));
}

/* .. 2 1 0 1 2 .. n-2 n-1 n-2 ..: the first and the last element are not repeated. */
static const FdNode *mirrored(Lower *l, const FdNode *i, const FdNode *lo, const FdNode *n)
{
    const FdNode *one = number(l, n->type, 1);
    const FdNode *last = op(l, FD_OP_SUB, n, one);
    const FdNode *period = op(l, FD_OP_MAX, op(l, FD_OP_ADD, last, last), one);
    const FdNode *m = modulo(l, op(l, FD_OP_SUB, i, lo), period);
    return op(l, FD_OP_ADD, lo, op(l, FD_OP_MIN, m, op(l, FD_OP_SUB, period, m)));
}

static const FdNode *extend(Lower *l, const Ast *n, const FdNode *f, IndexMap *map)
{
    const FdNode *vars[FD_MAX_RANK], *at[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int count = f->type->nparams;
    FdLoc loc = lower_loc(l, n->loc);
    new_vars(l, f->type, vars, doms);
    for (int d = 0; d < count; d++) {
        at[d] = vars[d];
        if (fd_domain(l->fd, f, d).kind == FD_DOM_FULL) continue;
        const FdNode *lo = first_of(l, f, d);
        at[d] = map(l, vars[d], lo, op(l, FD_OP_SUB, end_of(l, f, d), lo));
    }
    const FdNode *body = lower_place(l, fd_apply(l->fd, f, count, at, loc), n->loc);
    return fd_let(l->fd, count, vars, doms, body, loc);
}

/* Is the point inside f's domain? NULL: f is defined everywhere. */
static const FdNode *inside(Lower *l, const FdNode *f, const FdNode *const *vars)
{
    const FdNode *all = NULL;
    for (int d = 0; d < f->type->nparams; d++) {
        if (fd_domain(l->fd, f, d).kind == FD_DOM_FULL) continue;
        const FdNode *in = op(l, FD_OP_LAND, op(l, FD_OP_GE, vars[d], first_of(l, f, d)),
                              op(l, FD_OP_LT, vars[d], end_of(l, f, d)));
        all = all ? op(l, FD_OP_LAND, all, in) : in;
    }
    return all;
}

/* f inside its domain, else `other` (of the point, if it is a function). */
static const FdNode *otherwise(Lower *l, const Ast *n, const FdNode *f, const FdNode *other,
                               const FdNode *const *vars)
{
    FdLoc loc = lower_loc(l, n->loc);
    int count = f->type->nparams;
    const FdNode *in = inside(l, f, vars), *v = fd_apply(l->fd, f, count, vars, loc);
    if (other->type->nparams) other = fd_apply(l->fd, other, count, vars, loc);
    const FdNode *values[] = {in, v, other};
    return in ? lower_select(l, values, n->loc) : v;
}

static const FdNode *constant(Lower *l, const Ast *n, const FdNode *f)
{
    const FdNode *vars[FD_MAX_RANK], *v = lower_expr(l, n->call.args.data[1]);
    FdDom doms[FD_MAX_RANK];
    if (!v) return NULL;
    new_vars(l, f->type, vars, doms);
    v = lower_convert(l, v, f->type->result, n->loc);
    return fd_let(l->fd, f->type->nparams, vars, doms, otherwise(l, n, f, v, vars),
                  lower_loc(l, n->loc));
}

/* Range(a, b, step): [0, ceil((b - a) / step)) to a + i * step, up or down. Their number can be
 * more than an int. */
static const FdNode *progression(Lower *l, const Ast *n)
{
    const FdNode *ends[3], *wide[3], *i;
    const FdType *longs = fd_type_scalar(l->fd, SC_LONG);
    const FdType *t = lower_type(l, n->type->result), *index = lower_type(l, n->type->params[0]);
    if (!t || !scalar_is_integer(t->scalar))
        return lower_fail(l, n->loc, "a range goes over integers");
    for (int k = 0; k < 3; k++) {
        if (!(ends[k] = lower_index(l, n->call.args.data[k]))) return NULL;
        ends[k] = as(l, ends[k], t);
        wide[k] = as(l, ends[k], longs);
    }
    const FdNode *one = number(l, longs, 1), *step = wide[2];
    const FdNode *sign = op(l, FD_OP_MAX, op(l, FD_OP_MIN, step, one), number(l, longs, -1));
    const FdNode *span =
        op(l, FD_OP_SUB, op(l, FD_OP_ADD, op(l, FD_OP_SUB, wide[1], wide[0]), step), sign);
    const FdNode *count = op(l, FD_OP_MAX, op(l, FD_OP_DIV, span, step), number(l, longs, 0));
    FdDom dom = {FD_DOM_GIVEN, number(l, longs, 0), count};
    i = fd_var(l->fd, index, "i");
    const FdNode *body = op(l, FD_OP_ADD, ends[0], op(l, FD_OP_MUL, as(l, i, t), ends[2]));
    return fd_let(l->fd, 1, &i, &dom, body, lower_loc(l, n->loc));
}

/* Clamp, Periodic, Mirror, Constant or Range; LIB_COUNT: none. */
static LibName extension(const Ast *n)
{
    const Builtin *b = n->kind == AST_CALL && n->res == AST_RES_NONE ? lower_builtin(n) : NULL;
    if (!b || b->space != SPACE_global) return LIB_COUNT;
    switch (b->name) {
    case LIB_Clamp:
    case LIB_Periodic:
    case LIB_Mirror:
    case LIB_Constant:
    case LIB_Range: return b->name;
    default: return LIB_COUNT;
    }
}

bool lower_is_extension(const Ast *n)
{
    return extension(n) != LIB_COUNT;
}

bool lower_is_progression(const Ast *n)
{
    return extension(n) == LIB_Range;
}

const FdNode *lower_extension(Lower *l, const Ast *n)
{
    LibName which = extension(n);
    const FdNode *f = NULL, *v = NULL;
    if (which != LIB_Range && !(f = lower_expr(l, n->call.args.data[0]))) return NULL;
    switch (which) {
    case LIB_Clamp: v = extend(l, n, f, clamped); break;
    case LIB_Periodic: v = extend(l, n, f, periodic); break;
    case LIB_Mirror: v = extend(l, n, f, mirrored); break;
    case LIB_Constant: v = constant(l, n, f); break;
    default: v = progression(l, n); break;
    }
    return v ? lower_place(l, v, n->loc) : NULL;
}

/* ---- f ?? g ---------------------------------------------------------------------------------- */

/* Inside a graph the union is taken to be a box: over [min lo, max hi) of each dimension. */
const FdNode *lower_coalesce(Lower *l, const Ast *n)
{
    const FdNode *f = lower_expr(l, n->binary.left), *g = f ? lower_expr(l, n->binary.right) : NULL;
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    if (!g) return NULL;
    new_vars(l, f->type, vars, doms);
    for (int d = 0; d < f->type->nparams; d++) {
        if (fd_domain(l->fd, f, d).kind == FD_DOM_FULL ||
            fd_domain(l->fd, g, d).kind == FD_DOM_FULL)
            continue;
        doms[d] = (FdDom){FD_DOM_GIVEN, op(l, FD_OP_MIN, first_of(l, f, d), first_of(l, g, d)),
                          op(l, FD_OP_MAX, end_of(l, f, d), end_of(l, g, d))};
    }
    const FdNode *body = otherwise(l, n, f, g, vars);
    return lower_place(l, fd_let(l->fd, f->type->nparams, vars, doms, body, lower_loc(l, n->loc)),
                       n->loc);
}
