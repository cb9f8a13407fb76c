/* The affine form (affine.h): making it, and what is known of it over the ranges of its variables.
 */
#include "affine.h"

#include "../internal.h"

/* ---- the form -------------------------------------------------------------------------- */

bool fdi_is_word(const FdNode *n)
{
    return fd_type_is_scalar(n->type) && (n->type->scalar == SC_INT || n->type->scalar == SC_LONG);
}

static bool add_term(FdAffine *a, const FdNode *atom, int64_t factor)
{
    int i = 0;
    if (factor == 0) return true;
    while (i < a->nterms && a->terms[i].atom != atom) i++;
    if (i == a->nterms) {
        if (i == FD_AFFINE_TERMS) return false;
        a->terms[a->nterms].atom = atom;
        a->terms[a->nterms++].factor = 0;
    }
    if (__builtin_add_overflow(a->terms[i].factor, factor, &a->terms[i].factor)) return false;
    if (a->terms[i].factor == 0) a->terms[i] = a->terms[--a->nterms];
    return true;
}

bool fdi_affine_term(FdAffine *a, const FdNode *atom, int64_t factor, int64_t times)
{
    return !__builtin_mul_overflow(factor, times, &factor) && add_term(a, atom, factor);
}

/* fuel: operations left to look into. A sum that shares its parts in every step has exponentially
 * many paths; what is too large for an index is no form. */
static bool add(FdAffine *a, const FdNode *n, int64_t factor, int *fuel)
{
    int64_t k;
    if (fd_is_const(n) && fdi_is_integer(n->type))
        return !__builtin_mul_overflow(n->value.i, factor, &k) &&
               !__builtin_add_overflow(a->constant, k, &a->constant);
    if (n->kind != FD_APPLY || !fdi_is_word(n)) return add_term(a, n, factor);
    if ((*fuel)-- <= 0) return false;
    const FdNode *const *x = n->args;
    switch (fd_op_of(n)) {
    case FD_OP_ADD: return add(a, x[0], factor, fuel) && add(a, x[1], factor, fuel);
    case FD_OP_SUB:
        return add(a, x[0], factor, fuel) && !__builtin_mul_overflow(factor, -1, &k) &&
               add(a, x[1], k, fuel);
    case FD_OP_NEG: return !__builtin_mul_overflow(factor, -1, &k) && add(a, x[0], k, fuel);
    case FD_OP_GIVEN: return add(a, x[0], factor, fuel);
    case FD_OP_MUL:
        for (int i = 0; i < 2; i++)
            if (fd_is_const(x[i]))
                return !__builtin_mul_overflow(factor, x[i]->value.i, &k) &&
                       add(a, x[1 - i], k, fuel);
        return add_term(a, n, factor);
    case FD_OP_CONVERT:
        if (fdi_is_integer(x[0]->type)) return add(a, x[0], factor, fuel);
        return add_term(a, n, factor);
    default: return add_term(a, n, factor);
    }
}

bool fd_affine_add(FdAffine *a, const FdNode *n, int64_t factor)
{
    int fuel = 200;
    return add(a, n, factor, &fuel);
}

bool fd_affine(const FdNode *n, FdAffine *out)
{
    *out = (FdAffine){0};
    return fd_affine_add(out, n, 1);
}

bool fd_affine_factor(const FdAffine *a, const FdNode *v, int64_t *factor)
{
    *factor = 0;
    for (int i = 0; i < a->nterms; i++)
        if (a->terms[i].atom == v)
            *factor = a->terms[i].factor;
        else if (fdi_free_in(a->terms[i].atom, v))
            return false;
    return true;
}

int64_t fd_affine_holds(const FdNode *x, const FdNode *y)
{
    FdAffine sum, part;
    if (!fd_affine(x, &sum) || !fd_affine(y, &part)) return 0;
    if (part.nterms == 0 && part.constant > 0)
        return sum.constant > part.constant / 2
                   ? (sum.constant - part.constant / 2) / part.constant + 1
                   : 0;
    for (int i = 0; part.nterms && i < sum.nterms; i++)
        if (sum.terms[i].atom == part.terms[0].atom &&
            sum.terms[i].factor % part.terms[0].factor == 0)
            return sum.terms[i].factor / part.terms[0].factor;
    return 0;
}

/* ---- its values over ranges ------------------------------------------------------------- */

/* What a choice says of an atom on one of its sides. */
typedef struct Said {
    const struct Said *up;
    const FdNode *atom;
    bool above; /* at least `end`; else at most */
    int64_t end;
} Said;

typedef struct Extreme {
    Fd *fd;
    FdRangeOf *range;
    const void *ctx;
    int fuel;
    bool typed; /* a byte is below 256 */
    const Said *said;
} Extreme;

static const FdNode *extreme(Extreme *e, const FdNode *n, bool greatest);

/* One side of a choice, under what its condition says of an atom: r < 0 ? r + n : r. */
static const FdNode *extreme_of_side(Extreme *e, const FdNode *choice, bool side, bool greatest)
{
    FdAffine forms[2];
    Said said = {.up = e->said};
    if (fdi_comparison(choice->args[0], side, forms) == 1 && forms[0].nterms == 1 &&
        (forms[0].terms[0].factor == 1 || forms[0].terms[0].factor == -1)) {
        said.atom = forms[0].terms[0].atom;
        said.above = forms[0].terms[0].factor < 0;
        said.end = said.above ? forms[0].constant : -forms[0].constant;
        e->said = &said;
    }
    const FdNode *x = extreme(e, choice->args[side ? 1 : 2], greatest);
    e->said = said.up;
    return x;
}

/* 0 if a number is not negative, whatever it is, and does not wrap; else -1. NULL: it is not known. */
static const FdNode *sign_of(Extreme *e, const FdNode *n)
{
    Fd *fd = e->fd;
    const FdNode *lo = extreme(e, n, false), *hi = lo ? extreme(e, n, true) : NULL;
    if (!hi) return NULL;
    const FdNode *room = fdi_add_constant(fd, fdi_scale(fd, hi, -1), INT32_MAX);
    const FdNode *least = fdi_long_op(fd, FD_OP_MIN, lo, room);
    least = fdi_long_op(fd, FD_OP_MIN, least, fd_long(fd, 0));
    return fdi_long_op(fd, FD_OP_MAX, least, fd_long(fd, -1));
}

/* A remainder is less than what is divided by, whatever their signs are, and has the sign of its operand. */
static const FdNode *extreme_of_rest(Extreme *e, const FdNode *n, bool greatest)
{
    const FdNode *by = n->args[1];
    if (!fdi_is_word(by) || !fdi_node(by)->evaluable) return NULL;
    by = fdi_to_long(e->fd, by);
    by = fdi_long_op(e->fd, FD_OP_MAX, by, fdi_scale(e->fd, by, -1));
    if (greatest) return fdi_add_constant(e->fd, by, -1);
    const FdNode *sign = sign_of(e, n->args[0]);
    if (sign) return fdi_long_op(e->fd, FD_OP_MUL, sign, fdi_add_constant(e->fd, by, -1));
    return fdi_add_constant(e->fd, fdi_scale(e->fd, by, -1), 1);
}

static const FdNode *extreme_unsaid(Extreme *e, const FdNode *n, bool greatest);

static const FdNode *extreme_of_atom(Extreme *e, const FdNode *n, bool greatest)
{
    const FdNode *x = extreme_unsaid(e, n, greatest);
    for (const Said *s = e->said; s && x; s = s->up)
        if (s->atom == n && s->above != greatest)
            x = fdi_long_op(e->fd, greatest ? FD_OP_MIN : FD_OP_MAX, x, fd_long(e->fd, s->end));
    return x;
}

/* All that a byte or short can be, whatever it is; NULL: other types say too little. */
static const FdNode *extreme_of_type(Extreme *e, const FdNode *n, bool greatest)
{
    ScalarValue end;
    if (!e->typed) return NULL;
    while (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_CONVERT && fdi_is_word(n)) n = n->args[0];
    if (!fdi_is_integer(n->type) || scalar_bytes(n->type->scalar) > 2) return NULL;
    fd_op_neutral(greatest ? FD_OP_MIN : FD_OP_MAX, n->type->scalar, &end);
    return fd_long(e->fd, end.i);
}

/* Of what is masked, shifted or divided by a constant. */
static const FdNode *extreme_of_part(Extreme *e, FdOp op, const FdNode *n, bool greatest)
{
    const FdNode *by = n->args[1], *least;
    if (!fd_is_const(by) || by->value.i < 0) return NULL;
    if (op == FD_OP_BITAND) return fd_long(e->fd, greatest ? by->value.i : 0);
    if (op == FD_OP_DIV ? by->value.i < 1 : by->value.i > 30) return NULL;
    least = extreme(e, n->args[0], false);
    if (!least || !fd_is_const(least) || least->value.i < 0) return NULL;
    const FdNode *x = greatest ? extreme(e, n->args[0], true) : least;
    int64_t parts = op == FD_OP_DIV ? by->value.i : INT64_C(1) << by->value.i;
    return x ? fdi_long_op(e->fd, FD_OP_DIV, x, fd_long(e->fd, parts)) : NULL;
}

static const FdNode *extreme_unsaid(Extreme *e, const FdNode *n, bool greatest)
{
    if (n->kind == FD_VAR) {
        const FdDom *d = e->range(e->ctx, n);
        if (!d || !d->lo) return NULL;
        if (!greatest) return extreme(e, d->lo, false);
        const FdNode *end = extreme(e, d->hi, true);
        return end ? fdi_add_constant(e->fd, end, -1) : NULL;
    }
    if (fdi_node(n)->evaluable) return fdi_is_integer(n->type) ? fdi_to_long(e->fd, n) : NULL;
    const FdNode *all = extreme_of_type(e, n, greatest);
    if (all) return all;
    FdOp op = n->kind == FD_APPLY && fdi_is_word(n) ? fd_op_of(n) : FD_OP_NONE;
    if (e->typed && (op == FD_OP_BITAND || op == FD_OP_SHR || op == FD_OP_DIV))
        return extreme_of_part(e, op, n, greatest);
    if (op == FD_OP_REM) return extreme_of_rest(e, n, greatest);
    if (op == FD_OP_SELECT) {
        const FdNode *x = extreme_of_side(e, n, true, greatest),
                     *y = x ? extreme_of_side(e, n, false, greatest) : NULL;
        return y ? fdi_long_op(e->fd, greatest ? FD_OP_MAX : FD_OP_MIN, x, y) : NULL;
    }
    if (op != FD_OP_MIN && op != FD_OP_MAX) return NULL;
    const FdNode *x = extreme(e, n->args[0], greatest), *y = extreme(e, n->args[1], greatest);
    if (x && y) return fdi_long_op(e->fd, op, x, y);
    return (op == FD_OP_MIN) == greatest ? (x ? x : y) : NULL; /* one of the two bounds it too */
}

/* Does the range of another term's variable use v? */
static bool is_around(const Extreme *e, const FdAffine *a, const FdNode *v)
{
    for (int i = 0; i < a->nterms; i++) {
        const FdNode *w = a->terms[i].atom;
        const FdDom *d = w->kind == FD_VAR && w != v ? e->range(e->ctx, w) : NULL;
        if (d && d->lo && (fdi_free_in(d->lo, v) || fdi_free_in(d->hi, v))) return true;
    }
    return false;
}

static bool uses_term(const FdAffine *a, const FdNode *bound)
{
    for (int i = 0; i < a->nterms; i++)
        if (a->terms[i].atom->kind == FD_VAR && fdi_free_in(bound, a->terms[i].atom)) return true;
    return false;
}

/* Where the end of a variable's range is another term's, they may cancel: of i + k with i in 0..n - k
 * the greatest is n - 1. Innermost variables go first. */
static void put_ends(Extreme *e, FdAffine *a, bool greatest)
{
    enum { ROUNDS = 16 };
    for (int round = 0; round < ROUNDS; round++) {
        int i = 0;
        const FdNode *end = NULL;
        bool last = false;
        for (; i < a->nterms; i++) {
            const FdNode *v = a->terms[i].atom;
            const FdDom *d = v->kind == FD_VAR ? e->range(e->ctx, v) : NULL;
            if (!d || !d->lo || is_around(e, a, v)) continue;
            last = (a->terms[i].factor > 0) == greatest;
            end = last ? d->hi : d->lo;
            if (uses_term(a, end)) break;
        }
        if (i == a->nterms) return;
        FdAffine b = *a;
        int64_t factor = b.terms[i].factor;
        b.terms[i] = b.terms[--b.nterms];
        if (!fd_affine_add(&b, end, factor)) return;
        if (last && __builtin_sub_overflow(b.constant, factor, &b.constant)) return;
        *a = b;
    }
}

static const FdNode *extreme(Extreme *e, const FdNode *n, bool greatest)
{
    FdAffine a;
    if (e->fuel-- <= 0 || !fd_affine(n, &a)) return NULL;
    put_ends(e, &a, greatest);
    const FdNode *sum = NULL;
    for (int i = 0; i < a.nterms; i++) {
        int64_t k = a.terms[i].factor;
        const FdNode *x = extreme_of_atom(e, a.terms[i].atom, (k > 0) == greatest);
        int64_t value;
        if (!x || (fd_is_const(x) && __builtin_mul_overflow(x->value.i, k, &value))) return NULL;
        x = fdi_scale(e->fd, x, k);
        sum = sum ? fdi_long_op(e->fd, FD_OP_ADD, sum, x) : x;
    }
    return sum ? fdi_add_constant(e->fd, sum, a.constant) : fd_long(e->fd, a.constant);
}

static const FdNode *extreme_under(Extreme e, const FdNode *n, bool greatest)
{
    e.fuel = 100;
    return fdi_is_integer(n->type) ? extreme(&e, n, greatest) : NULL;
}

const FdNode *fd_extreme(Fd *fd, const FdNode *n, bool greatest, FdRangeOf *range, const void *ctx)
{
    return extreme_under((Extreme){.fd = fd, .range = range, .ctx = ctx}, n, greatest);
}

const FdNode *fd_extreme_typed(Fd *fd, const FdNode *n, bool greatest, FdRangeOf *range,
                               const void *ctx)
{
    Extreme e = {.fd = fd, .range = range, .ctx = ctx, .typed = true};
    return extreme_under(e, n, greatest);
}

/* ---- what inference has seen ------------------------------------------------------------- */

static bool is_given(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_APPLY && fd_op_of(n) == FD_OP_GIVEN;
}

bool fd_index_inferred(const FdNode *index, FdRangeOf *range, FdIsKnown *known, const void *ctx)
{
    FdAffine a;
    bool moves = false; /* a(5): nothing narrowed anything */
    if (!fd_affine(index, &a)) return false;
    for (int i = 0; i < a.nterms; i++) {
        const FdNode *atom = a.terms[i].atom;
        const FdDom *d = atom->kind == FD_VAR ? range(ctx, atom) : NULL;
        if (d && d->kind != FD_DOM_INFERRED) return false;
        if (!d && !(known ? known(ctx, atom) : fdi_node(atom)->evaluable)) return false;
        moves = moves || d;
    }
    return moves && !fd_any(index, is_given, NULL);
}

/* ---- indices of domain inference --------------------------------------------------------- */

bool fdi_index_add(Fd *fd, FdiIndex *a, const FdNode *n, int64_t factor)
{
    FdAffine f = {0};
    if (!fdi_is_integer(n->type) || !fd_affine_add(&f, n, factor)) return false;
    if (__builtin_add_overflow(a->of.constant, f.constant, &a->of.constant)) return false;
    for (int i = 0; i < f.nterms; i++) {
        const FdNode *atom = f.terms[i].atom;
        if (atom->kind == FD_VAR && atom->role == FD_VAR_BOUND) {
            if (!add_term(&a->of, atom, f.terms[i].factor)) return false;
        } else if (fdi_node(atom)->evaluable) {
            const FdNode *x = fdi_scale(fd, fdi_to_long(fd, atom), f.terms[i].factor);
            a->rest = a->rest ? fdi_long_op(fd, FD_OP_ADD, a->rest, x) : x;
        } else {
            return false;
        }
    }
    return true;
}

bool fdi_index(Fd *fd, const FdNode *n, FdiIndex *out)
{
    *out = (FdiIndex){0};
    return fdi_index_add(fd, out, n, 1);
}

void fdi_index_drop(FdiIndex *a, const FdNode *var)
{
    for (int i = 0; i < a->of.nterms; i++)
        if (a->of.terms[i].atom == var) {
            a->of.terms[i] = a->of.terms[--a->of.nterms];
            return;
        }
}

int64_t fdi_index_factor(const FdiIndex *a, const FdNode *var)
{
    for (int i = 0; i < a->of.nterms; i++)
        if (a->of.terms[i].atom == var) return a->of.terms[i].factor;
    return 0;
}

const FdNode *fdi_rest(Fd *fd, const FdNode *rem, int64_t whole)
{
    ScalarKind k = rem->type->scalar;
    const FdNode *times[] = {fd_const(fd, k, (ScalarValue){.i = whole}), rem->args[1]};
    const FdNode *less[] = {rem->args[0], fd_simple_op(fd, FD_OP_MUL, k, 2, times)};
    return fd_simple_op(fd, FD_OP_SUB, k, 2, less);
}

/* ---- indices that go round ---------------------------------------------------------------------- */

/* r < 0 ? r + n : r, where r = y % n; its y, or NULL. */
static const FdNode *modulo_of(const FdNode *m, const FdNode **n)
{
    if (!fdi_is_op(m, FD_OP_SELECT) || !fdi_is_op(m->args[2], FD_OP_REM)) return NULL;
    const FdNode *below = m->args[0], *more = m->args[1], *r = m->args[2];
    *n = r->args[1];
    bool zero = fdi_is_op(below, FD_OP_LT) && below->args[0] == r && fd_is_const(below->args[1]) &&
                below->args[1]->value.i == 0;
    bool sum = fdi_is_op(more, FD_OP_ADD) && ((more->args[0] == r && more->args[1] == *n) ||
                                              (more->args[1] == r && more->args[0] == *n));
    return zero && sum ? r->args[0] : NULL;
}

/* x % n of an x that is not negative, else it would be outside: as far around 0 as it suggests. */
static const FdNode *remainder_of(Fd *fd, const FdNode *rem, const FdNode **n)
{
    if (!fdi_is_op(rem, FD_OP_REM) || !fdi_is_word(rem)) return NULL;
    *n = rem->args[1];
    int64_t whole = fd_affine_holds(rem->args[0], *n);
    return whole <= 0 ? rem->args[0] : fdi_rest(fd, rem, whole);
}

bool fd_goes_round(Fd *fd, const FdNode *index, FdRound *out)
{
    *out = (FdRound){0};
    out->of = modulo_of(index, &out->n);
    if (!out->of) out->of = remainder_of(fd, index, &out->n);
    for (int k = 0; k < 2 && !out->of && fdi_is_op(index, FD_OP_ADD); k++) {
        const FdNode *y = modulo_of(index->args[k], &out->n), *lo = index->args[1 - k];
        if (!y || !fdi_is_op(y, FD_OP_SUB) || y->args[1] != lo) continue;
        out->of = y->args[0];
        out->lo = lo;
    }
    return out->of != NULL;
}

/* ---- how reads move --------------------------------------------------------------------- */

FdMovement fd_movement(const FdNode *read, const FdNode *v)
{
    FdMovement m = FD_MOVES_NOT;
    for (int d = 0; d < read->nargs; d++) {
        FdAffine index;
        int64_t c;
        if (!fd_uses_var(read->args[d], v)) continue;
        if (!fd_affine(read->args[d], &index) || !fd_affine_factor(&index, v, &c))
            return FD_MOVES_FAR;
        if (c == 0) continue;
        m = c == 1 && d == read->nargs - 1 ? FD_MOVES_UNIT : FD_MOVES_FAR;
        if (m == FD_MOVES_FAR) return m;
    }
    return m;
}

int fd_stride(const FdNode *read, const FdNode *v)
{
    FdAffine index;
    int64_t c;
    int last = read->nargs - 1;
    for (int d = 0; d < last; d++)
        if (fd_uses_var(read->args[d], v)) return 0;
    if (last < 0 || !fd_affine(read->args[last], &index) || !fd_affine_factor(&index, v, &c))
        return 0;
    return c == -1 || (c >= 2 && c <= 4) ? (int)c : 0;
}
