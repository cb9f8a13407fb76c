/* What is known at a place (facts.h): facts, and questions about values, reads and conditions that
 * proof.c answers. */
#include "facts.h"

#include "../../internal.h"
#include "../flat.h"

/* ---- making them ------------------------------------------------------------------------- */

FdFacts *fd_facts_new(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                      const FdNode *body)
{
    FdFacts *f = mem_alloc(sizeof *f);
    FdiNodes nodes = {0};
    *f = (FdFacts){.fd = fd, .nvars = nvars, .own = doms};
    fdi_nodes(fd, body, &nodes);
    fdi_gather_doms(&nodes, &f->doms);
    for (int i = 0; i < nvars; i++) fdi_map_set(&f->doms, vars[i], (uint64_t)(uintptr_t)&doms[i]);
    fdi_ranges_changed(f);
    vec_free(&nodes);
    return f;
}

void fdi_ranges_changed(FdFacts *f)
{
    f->ranges = fdi_known_ranges(f->fd, &f->doms);
}

void fd_facts_free(FdFacts *f)
{
    if (!f) return;
    fdi_map_free(&f->doms);
    fdi_map_free(&f->said);
    vec_free(&f->forms);
    mem_free(f);
}

static void say(FdFacts *f, const FdAffine *form)
{
    for (int i = 0; i < form->nterms; i++) fdi_map_set(&f->said, form->terms[i].atom, 1);
}

static void index_terms(FdFacts *f, size_t fact, const FdAffine *form)
{
    uint64_t bit = (uint64_t)1 << fact % 64;
    if (fact >= FDI_INDEXED) return;
    for (int k = 0; k < FDI_TERM_KINDS; k++) f->having[k][fact / 64] &= ~bit; /* of one that was */
    for (int i = 0; i < form->nterms; i++) f->having[fdi_term_kind(form, i)][fact / 64] |= bit;
}

void fdi_fact(FdFacts *f, const FdAffine *form)
{
    FdiFact fact = {.form = *form};
    say(f, form);
    index_terms(f, f->forms.len, form);
    fact.known = fdi_known_with(f->fd, fdi_known(f), form);
    vec_push(&f->forms, fact);
}

void fd_fact(FdFacts *f, const FdAffine *form)
{
    enum { MOST = 128 };
    if (f->forms.len < MOST && !fd_shown(f, form))
        fdi_fact(f, form);
    else
        say(f, form);
}

/* x - y + more */
static bool difference(const FdNode *x, const FdNode *y, int64_t more, FdAffine *out)
{
    return fd_affine(x, out) && fd_affine_add(out, y, -1) &&
           !__builtin_add_overflow(out->constant, more, &out->constant);
}

int fdi_comparison(const FdNode *n, bool truth, FdAffine forms[2])
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (!fd_op_compares(op) || !fdi_is_word(n->args[0])) return 0;
    const FdNode *x = n->args[0], *y = n->args[1];
    if (!truth) op = fd_op_negated(op);
    switch (op) {
    case FD_OP_LT: return difference(x, y, 1, &forms[0]);
    case FD_OP_LE: return difference(x, y, 0, &forms[0]);
    case FD_OP_GT: return difference(y, x, 1, &forms[0]);
    case FD_OP_GE: return difference(y, x, 0, &forms[0]);
    case FD_OP_EQ: return difference(x, y, 0, &forms[0]) && difference(y, x, 0, &forms[1]) ? 2 : 0;
    default: return 0;
    }
}

void fd_assume(FdFacts *f, const FdNode *cond, bool truth)
{
    VEC(const FdNode *) stack = {0};
    VEC(bool) truths = {0};
    vec_push(&stack, cond);
    vec_push(&truths, truth);
    while (stack.len) {
        const FdNode *n = stack.data[--stack.len];
        bool t = truths.data[--truths.len];
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        FdAffine forms[2];
        if (op == FD_OP_LNOT || (op == FD_OP_LAND && t) || (op == FD_OP_LOR && !t)) {
            for (int i = n->nargs; i-- > 0;) {
                vec_push(&stack, n->args[i]);
                vec_push(&truths, op == FD_OP_LNOT ? !t : t);
            }
            continue;
        }
        for (int i = fdi_comparison(n, t, forms); i-- > 0;)
            if (fdi_is_exact(f, n->args[0]) && fdi_is_exact(f, n->args[1])) fd_fact(f, &forms[i]);
    }
    vec_free(&stack);
    vec_free(&truths);
}

/* ---- values that do not wrap ------------------------------------------------------------- */

static bool shown_between(const FdFacts *f, const FdNode *n, int64_t lo, int64_t hi)
{
    FdAffine a, b = {0};
    return fd_affine(n, &a) && !__builtin_sub_overflow(a.constant, hi, &a.constant) &&
           fd_affine_add(&b, n, -1) && !__builtin_add_overflow(b.constant, lo, &b.constant) &&
           fd_shown(f, &a) && fd_shown(f, &b);
}

/* What the affine form looks into. */
static bool is_arithmetic(const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY && fdi_is_word(n) ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_MUL) return fd_is_const(n->args[0]) || fd_is_const(n->args[1]);
    if (op == FD_OP_CONVERT) return fdi_is_integer(n->args[0]->type);
    return op == FD_OP_ADD || op == FD_OP_SUB || op == FD_OP_NEG || op == FD_OP_GIVEN;
}

int fdi_inexact(const FdFacts *f, const FdNode *n, int most, const FdNode **out)
{
    enum { DEEPEST = 40 };
    struct {
        const FdNode *node;
        bool used; /* its own value matters: sums wrap as a whole */
    } stack[DEEPEST] = {{n, true}};
    int count = 0;
    for (int depth = 1; depth-- > 0;) {
        bool used = stack[depth].used;
        n = stack[depth].node;
        if (!is_arithmetic(n)) continue;
        FdOp op = fd_op_of(n);
        bool narrow = n->type->scalar == SC_INT,
             widens = op == FD_OP_CONVERT && n->args[0]->type->scalar != SC_LONG,
             same = widens || op == FD_OP_GIVEN;
        if (narrow && used && !same && !shown_between(f, n, INT32_MIN, INT32_MAX)) {
            if (count == most) return most + 1;
            out[count++] = n;
        }
        for (int i = 0; i < n->nargs; i++) {
            if (depth == DEEPEST) return most + 1;
            stack[depth].node = n->args[i];
            stack[depth++].used = widens || (same && used);
        }
    }
    return count;
}

bool fdi_is_exact(const FdFacts *f, const FdNode *n)
{
    const FdNode *none[1];
    return fdi_inexact(f, n, 0, none) == 0;
}

/* ---- reads ------------------------------------------------------------------------------- */

/* How far the index is below the first element, and beyond the last: at most 0 both if it is inside.
 */
bool fdi_read_forms(const FdFacts *f, const FdNode *read, int dim, FdAffine out[2])
{
    const FdNode *index = read->args[dim], *array = read->fn, *lo, *hi;
    const FdDom *d = NULL;
    if (fd_is_flat(array, dim)) {
        out[0] = out[1] = (FdAffine){0};
        return true;
    }
    if (array->kind == FD_VAR) { /* a recurrence reads itself: its ranges are its variables' */
        if (dim >= f->nvars) return false;
        d = &f->own[dim];
    }
    FdDom asked = d ? *d : fd_domain(f->fd, array, dim);
    lo = asked.lo, hi = asked.hi;
    return lo && hi && fdi_is_word(index) && difference(lo, index, 0, &out[0]) &&
           difference(index, hi, 1, &out[1]);
}

bool fd_read_shown(FdFacts *f, const FdNode *read, int dim)
{
    FdAffine forms[2];
    return fdi_read_forms(f, read, dim, forms) && fd_shown(f, &forms[0]) && fd_shown(f, &forms[1]);
}

/* ---- conditions as nodes ----------------------------------------------------------------- */

static const FdNode *plus(Fd *fd, const FdNode *sum, const FdNode *atom, int64_t factor)
{
    const FdNode *x = fdi_scale(fd, fdi_to_long(fd, atom), factor);
    return sum ? fdi_long_op(fd, FD_OP_ADD, sum, x) : x;
}

/* The terms of one sign, without it, plus a constant. */
static const FdNode *sum_of(Fd *fd, const FdAffine *a, bool positive, int64_t more,
                            const FdNode *without)
{
    const FdNode *sum = NULL;
    for (int i = 0; i < a->nterms; i++) {
        int64_t k = a->terms[i].factor;
        if ((k > 0) == positive && a->terms[i].atom != without)
            sum = plus(fd, sum, a->terms[i].atom, positive ? k : -k);
    }
    return sum ? fdi_add_constant(fd, sum, more) : fd_long(fd, more);
}

const FdNode *fd_condition(Fd *fd, const FdAffine *form)
{
    int64_t c = form->constant;
    const FdNode *both[] = {sum_of(fd, form, true, c > 0 ? c : 0, NULL),
                            sum_of(fd, form, false, c < 0 ? -c : 0, NULL)};
    return fd_apply_op(fd, FD_OP_LE, SC_BOOL, 2, both, (FdLoc){0});
}

bool fd_condition_form(const FdNode *cond, FdAffine *form)
{
    FdAffine forms[2];
    if (fdi_comparison(cond, true, forms) != 1) return false;
    *form = forms[0];
    return true;
}

/* The only term that v, two variables as one, is in, if it is v / n. */
static const FdNode *quotient_term(const FdAffine *a, const FdNode *v)
{
    const FdNode *term = NULL;
    for (int i = 0; fd_is_flat_var(v) && i < a->nterms; i++) {
        const FdNode *atom = a->terms[i].atom;
        if (!fdi_free_in(atom, v)) continue;
        if (term || atom->kind != FD_APPLY || fd_op_of(atom) != FD_OP_DIV || atom->args[0] != v ||
            fdi_free_in(atom->args[1], v))
            return NULL;
        term = atom;
    }
    return term;
}

const FdNode *fd_solve(Fd *fd, const FdNode *cond, const FdNode *v, bool *lower)
{
    FdAffine a;
    int64_t factor;
    if (!fd_condition_form(cond, &a)) return NULL;
    const FdNode *quotient = quotient_term(&a, v);
    if (quotient) { /* v / n >= e: v >= e * n, and v / n < e: v < e * n */
        const FdNode *e = fd_solve(fd, cond, quotient, lower);
        return e ? fdi_long_op(fd, FD_OP_MUL, e, quotient->args[1]) : NULL;
    }
    if (!fd_affine_factor(&a, v, &factor) || !factor) return NULL;
    const FdNode *plus = sum_of(fd, &a, true, 0, v), *minus = sum_of(fd, &a, false, 0, v);
    *lower = factor < 0;
    if (factor > 0) { /* factor v <= minus - plus - c: v < floor(that / factor) + 1 */
        const FdNode *rest = fdi_long_op(fd, FD_OP_SUB, minus, plus);
        rest = fdi_add_constant(fd, rest, -a.constant);
        return fdi_add_constant(fd, fdi_floor_div(fd, rest, factor), 1);
    } /* -factor v >= plus - minus + c */
    const FdNode *rest = fdi_long_op(fd, FD_OP_SUB, plus, minus);
    rest = fdi_add_constant(fd, rest, a.constant);
    if (factor == -1) return rest;
    rest = fdi_add_constant(fd, rest, -factor - 1);
    return fdi_floor_div(fd, rest, -factor);
}
