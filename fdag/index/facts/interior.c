/* The inside of a box (facts.h): conditions under which a definition has no guards. They are found
 * in rounds, since what one decides shows the next: a remainder, then the clamp of it, at last the
 * read. */
#include "../../internal.h"

typedef struct Inside {
    Fd *fd;
    int nvars;
    const FdNode *const *vars;
    FdFacts *facts;
    FdIsKnown *known;
    const void *ctx;
    int most, n;
    const FdNode **conds;
    bool guesses, guessed; /* a side that is not known to be the larger */
    FdiNodes nodes;        /* of the body as it is now, operands first */
    FdiMap costs;          /* those that a guard may guard for a reason */
    FdiMap always;         /* what every point evaluates */
} Inside;

/* ---- conditions -------------------------------------------------------------------------- */

static bool is_own(const Inside *s, const FdNode *v)
{
    for (int i = 0; i < s->nvars; i++)
        if (s->vars[i] == v) return true;
    return false;
}

/* The form as great as inner variables make it. */
static bool without_inner(const Inside *s, FdAffine *a)
{
    enum { ROUNDS = 16 };
    for (int round = 0; round < ROUNDS; round++) {
        int i = 0;
        while (i < a->nterms && (a->terms[i].atom->kind != FD_VAR || is_own(s, a->terms[i].atom)))
            i++;
        if (i == a->nterms) return true;
        const FdDom *d = fdi_dom_of(&s->facts->doms, a->terms[i].atom);
        int64_t factor = a->terms[i].factor;
        if (!d || !d->lo) return false;
        a->terms[i] = a->terms[--a->nterms];
        if (!fd_affine_add(a, factor > 0 ? d->hi : d->lo, factor)) return false;
        if (factor > 0 && __builtin_sub_overflow(a->constant, factor, &a->constant)) return false;
    }
    return false;
}

static bool demand_exact(Inside *s, const FdNode *n);

/* Is the number that a plan makes of a closed atom its value? Plans do not wrap. */
static bool is_plain(Inside *s, const FdNode *atom, int depth)
{
    enum { DEEPEST = 6 };
    FdOp op = atom->kind == FD_APPLY ? fd_op_of(atom) : FD_OP_NONE;
    if (atom->kind == FD_SCALAR)
        return fdi_is_integer(atom->type) && atom->type->scalar != SC_ULONG;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return true;
    bool divides = (op == FD_OP_DIV || op == FD_OP_REM) && fd_is_const(atom->args[1]) &&
                   atom->args[1]->value.i > 0;
    if ((op != FD_OP_MIN && op != FD_OP_MAX && !divides) || depth > DEEPEST) return false;
    for (int i = 0; i < 2; i++) {
        FdAffine a;
        if (!fdi_is_word(atom->args[i]) || !fd_affine(atom->args[i], &a)) return false;
        for (int k = 0; k < a.nterms; k++)
            if (!is_plain(s, a.terms[k].atom, depth + 1)) return false;
        if (!demand_exact(s, atom->args[i])) return false;
    }
    return true;
}

static void demand(Inside *s, const FdAffine *form);

/* Are the atoms numbers that are known before a row is, none of them an element? */
static bool is_before_row(const Inside *s, const FdAffine *a)
{
    for (int i = 0; i < a->nterms; i++) {
        const FdNode *atom = a->terms[i].atom;
        bool own = is_own(s, atom) && atom != s->vars[s->nvars - 1];
        if (!own && (atom->kind == FD_VAR || !s->known(s->ctx, atom))) return false;
    }
    return true;
}

/* Is a read that no point may make inside, or can it be a condition that it is? */
static bool demand_inside(Inside *s, const FdNode *read)
{
    for (int d = 0; d < read->nargs; d++) {
        FdAffine forms[2];
        if (!fdi_read_forms(s->facts, read, d, forms)) return false;
        for (int i = 0; i < 2; i++) {
            if (!is_before_row(s, &forms[i])) return false;
            demand(s, &forms[i]);
            if (!fd_shown(s->facts, &forms[i])) return false;
        }
    }
    return true;
}

/* An element that all points of a row read, or could read: it can as well be read before them. */
static bool is_of_row(Inside *s, const FdNode *atom)
{
    uint64_t mark;
    return !s->guesses && fdi_applies(atom, FD_LEAF_SLOT) &&
           !fdi_free_in(atom, s->vars[s->nvars - 1]) &&
           (fdi_map_get(&s->always, atom, &mark) || demand_inside(s, atom));
}

static bool is_sayable(Inside *s, const FdAffine *a)
{
    for (int i = 0; i < a->nterms; i++) {
        const FdNode *atom = a->terms[i].atom;
        if (atom->kind == FD_VAR
                ? !is_own(s, atom)
                : !is_of_row(s, atom) && (!s->known(s->ctx, atom) || !is_plain(s, atom, 0)))
            return false;
    }
    return a->nterms > 0;
}

static bool contradicted(const Inside *s, const FdAffine *a)
{
    FdAffine b = {.constant = 1}; /* a > 0, which is 1 - a <= 0 */
    for (int i = 0; i < a->nterms; i++)
        if (!fdi_affine_term(&b, a->terms[i].atom, a->terms[i].factor, -1)) return true;
    return __builtin_sub_overflow(b.constant, a->constant, &b.constant) || fd_shown(s->facts, &b);
}

/* That the form is at most 0 is a condition from here on, unless it is known or impossible. */
static void demand(Inside *s, const FdAffine *form)
{
    FdAffine a = *form;
    if (fd_shown(s->facts, &a) || !without_inner(s, &a) || !is_sayable(s, &a)) return;
    if (s->n == s->most || contradicted(s, &a)) return;
    s->conds[s->n++] = fd_condition(s->fd, &a);
    fd_fact(s->facts, &a);
}

static bool add_difference(const FdNode *x, const FdNode *y, int64_t more, FdAffine *a)
{
    *a = (FdAffine){.constant = more};
    return fd_affine_add(a, x, 1) && (!y || fd_affine_add(a, y, -1));
}

/* The affine form of n is to be its value. */
static bool demand_exact(Inside *s, const FdNode *n)
{
    enum { MOST = 4 };
    const FdNode *wrap[MOST];
    int count = fdi_inexact(s->facts, n, MOST, wrap);
    if (count > MOST) return false;
    for (int i = 0; i < count; i++) {
        FdAffine a, b = {.constant = INT32_MIN};
        if (!add_difference(wrap[i], NULL, -(int64_t)INT32_MAX, &a)) return false;
        if (!fd_affine_add(&b, wrap[i], -1)) return false;
        demand(s, &a);
        demand(s, &b);
    }
    return fdi_is_exact(s->facts, n);
}

/* x - y + more <= 0 */
static void demand_order(Inside *s, const FdNode *x, const FdNode *y, int64_t more)
{
    FdAffine a;
    if (demand_exact(s, x) && (!y || demand_exact(s, y)) && add_difference(x, y, more, &a))
        demand(s, &a);
}

/* ---- guards ------------------------------------------------------------------------------ */

/* The one of the definition's variables that the form moves with, the last that there is. */
static int variable_of(const Inside *s, const FdAffine *a, int64_t *factor)
{
    for (int v = s->nvars; v-- > 0;)
        if (fd_affine_factor(a, s->vars[v], factor) && *factor) return v;
    return -1;
}

/* How many positions of variable v, whose factor in the form is 1 or -1, are between an end of its
 * range and where the form becomes 0; -1: not known, or many. Elements are taken for small: what is
 * added to a variable is an offset. */
static int64_t from_end(const Inside *s, const FdAffine *form, int v, bool lower)
{
    enum { FEW = 64 };
    const FdDom *d = fdi_dom_of(&s->facts->doms, s->vars[v]);
    int64_t factor;
    FdAffine a = *form;
    if (!d || !d->lo || !fd_affine_factor(form, s->vars[v], &factor)) return -1;
    for (int i = a.nterms; i-- > 0;)
        if (fdi_applies(a.terms[i].atom, FD_LEAF_SLOT)) a.terms[i] = a.terms[--a.nterms];
    if (factor != 1 && factor != -1) return -1;
    if (!fd_affine_add(&a, s->vars[v], -factor)) return -1;
    if (!fd_affine_add(&a, lower ? d->lo : d->hi, factor) || a.nterms) return -1;
    int64_t away = lower == (factor > 0) ? -a.constant : a.constant;
    return away >= 0 && away <= FEW ? away : -1;
}

/* Which side of a comparison is the larger, where it is near an end of its variable's range: 1, 0,
 * -1: not known. */
static int larger_side(const Inside *s, const FdNode *n)
{
    FdAffine forms[2];
    int64_t factor;
    if (fdi_comparison(n, true, forms) != 1) return -1;
    int v = variable_of(s, &forms[0], &factor);
    if (v < 0) return -1;
    bool rises = factor > 0; /* true at the low end */
    int64_t low = from_end(s, &forms[0], v, true), high = from_end(s, &forms[0], v, false);
    if (low < 0 && high < 0) return -1;
    return low >= 0 && (high < 0 || low <= high) ? !rises : rises;
}

/* x == y is to be false: near one end of the variable's range it is so beyond. */
static void demand_unequal(Inside *s, const FdNode *n)
{
    FdAffine forms[2];
    int64_t factor;
    if (!demand_exact(s, n->args[0]) || !demand_exact(s, n->args[1])) return;
    if (!add_difference(n->args[0], n->args[1], 0, &forms[0]) ||
        !add_difference(n->args[1], n->args[0], 0, &forms[1]))
        return;
    int v = variable_of(s, &forms[0], &factor);
    if (v < 0) return;
    bool low = from_end(s, &forms[0], v, true) >= 0 || from_end(s, &forms[1], v, true) >= 0,
         high = from_end(s, &forms[0], v, false) >= 0 || from_end(s, &forms[1], v, false) >= 0;
    if (!low && !high) return;
    FdAffine *form = &forms[low == (factor > 0)]; /* above the point, or below it */
    if (!__builtin_add_overflow(form->constant, 1, &form->constant)) demand(s, form);
}

static bool is_comparison(const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    return fd_op_compares(op) && fdi_is_word(n->args[0]);
}

/* The condition is to have this value, or whichever is the larger part where that is known (truth -1:
 * only there). */
static void want(Inside *s, const FdNode *cond, int truth)
{
    enum { DEEPEST = 64 };
    struct {
        const FdNode *node;
        int truth;
    } stack[DEEPEST] = {{cond, truth}};
    for (int depth = 1; depth-- > 0;) {
        const FdNode *n = stack[depth].node;
        int t = stack[depth].truth;
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op == FD_OP_LNOT || (op == FD_OP_LAND && t != 0) || (op == FD_OP_LOR && t != 1)) {
            for (int i = n->nargs; i-- > 0 && depth < DEEPEST;) {
                stack[depth].node = n->args[i];
                stack[depth++].truth = op == FD_OP_LNOT && t >= 0 ? !t : t;
            }
            continue;
        }
        if (!is_comparison(n)) continue;
        bool unequal = op == FD_OP_EQ ? t != 1 : op == FD_OP_NE && t != 0;
        if (op == FD_OP_EQ || op == FD_OP_NE) {
            if (unequal && !s->guesses) demand_unequal(s, n);
            continue;
        }
        int larger = larger_side(s, n);
        if (s->guesses && (t < 0 || larger >= 0)) continue;
        if (larger >= 0) t = larger;
        if (t < 0) continue;
        bool less = (op == FD_OP_LT || op == FD_OP_LE) == (t == 1); /* the left is the less */
        bool strict = (op == FD_OP_LT || op == FD_OP_GT) == (t == 1);
        demand_order(s, n->args[less ? 0 : 1], n->args[less ? 1 : 0], strict);
    }
}

static bool costs(const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (n->kind == FD_REDUCE) return true;
    if (op == FD_OP_DIV || op == FD_OP_REM)
        return fdi_is_integer(n->type) && !fd_is_const(n->args[1]);
    return n->kind == FD_APPLY && op == FD_OP_NONE;
}

static void find_costs(Inside *s)
{
    for (size_t i = 0; i < s->nodes.len; i++) {
        const FdNode *n = s->nodes.data[i], *children[FD_MAX_CHILDREN];
        uint64_t mark;
        bool any = costs(n);
        for (int k = fd_children(n, children); k-- > 0 && !any;)
            any = fdi_map_get(&s->costs, children[k], &mark);
        if (any) fdi_map_set(&s->costs, n, 1);
    }
}

/* Where neither side of a choice is known to be the larger, the one that is much more work is taken for
 * it: what is computed at borders is less. */
static void guess(Inside *s, const FdNode *n)
{
    const FdiMap none = {0};
    double x = fdi_cost(n->args[1], &none, NULL), y = fdi_cost(n->args[2], &none, NULL);
    int before = s->n;
    if (x < 2 * y && y < 2 * x) return;
    s->guesses = true;
    want(s, n->args[0], x > y);
    s->guesses = false;
    s->guessed = s->guessed || s->n > before;
}

static void guard(Inside *s, const FdNode *n, FdOp op)
{
    uint64_t mark;
    bool x = fdi_map_get(&s->costs, n->args[1], &mark), y = false;
    if (op == FD_OP_SELECT) y = fdi_map_get(&s->costs, n->args[2], &mark);
    if (!x && !y) return;
    if (op == FD_OP_SELECT && fdi_reports(n)) return; /* all_reports */
    want(s, n->args[0], op == FD_OP_LOR ? 0 : x && y ? -1 : x);
    if (x && y) guess(s, n);
}

/* ---- clamps and remainders --------------------------------------------------------------- */

/* Of min(x, y): the operand that moves with a variable, upwards if both do. */
static void clamp(Inside *s, const FdNode *n)
{
    FdAffine x, y;
    int64_t fx = 0, fy = 0;
    if (!fd_affine(n->args[0], &x) || !fd_affine(n->args[1], &y)) return;
    if (!without_inner(s, &x) || !without_inner(s, &y)) return;
    int vx = variable_of(s, &x, &fx), vy = variable_of(s, &y, &fy);
    if (vx < 0 && vy < 0) return;
    bool first = vy < 0 || (vx >= 0 && fx >= fy), min = fd_op_of(n) == FD_OP_MIN;
    demand_order(s, n->args[first == min ? 0 : 1], n->args[first == min ? 1 : 0], 0);
}

/* The range of a variable at this place. */
static const FdDom *range_of(const void *inside, const FdNode *var)
{
    const Inside *s = inside;
    return fdi_dom_of(&s->facts->doms, var);
}

/* Has x / y few values, for all that is known? Parity has a row full of them. */
static bool is_few(Inside *s, const FdNode *x, const FdNode *y)
{
    if (!fd_is_const(y)) return true;
    const FdNode *least = fd_extreme(s->fd, x, false, range_of, s),
                 *most = fd_extreme(s->fd, x, true, range_of, s);
    return least && most && fd_is_const(least) && fd_is_const(most) &&
           (double)most->value.i - (double)least->value.i < 2 * (double)y->value.i;
}

/* Of x / y and x % y: that the quotient is what x suggests. */
static void remainder_of(Inside *s, const FdNode *n)
{
    const FdNode *x = n->args[0], *y = n->args[1];
    int64_t whole = fd_affine_holds(x, y);
    if (!is_few(s, x, y)) return;
    FdAffine low = {0},
             high = {.constant = 1}; /* whole * y - x <= 0 and x + 1 - (whole + 1) * y <= 0 */
    if (!demand_exact(s, x) || !demand_exact(s, y)) return;
    if (!fd_affine_add(&low, x, -1) || !fd_affine_add(&low, y, whole)) return;
    if (!fd_affine_add(&high, x, 1) || !fd_affine_add(&high, y, -whole - 1)) return;
    demand(s, &low);
    demand(s, &high);
}

/* ---- the rounds -------------------------------------------------------------------------- */

static void look_at(Inside *s, const FdNode *body)
{
    s->nodes.len = 0;
    fdi_nodes(s->fd, body, &s->nodes);
    fdi_map_free(&s->costs);
    find_costs(s);
}

/* Guards that are guarded come after what guards them, which decides some. */
static void all_guards(Inside *s)
{
    for (size_t i = s->nodes.len; i-- > 0;) {
        const FdNode *n = s->nodes.data[i];
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op == FD_OP_SELECT || op == FD_OP_LAND || op == FD_OP_LOR) guard(s, n, op);
    }
    for (size_t i = 0; i < s->nodes.len; i++) {
        const FdNode *n = s->nodes.data[i];
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if ((op == FD_OP_MIN || op == FD_OP_MAX) && fdi_is_word(n)) clamp(s, n);
        if ((op == FD_OP_REM || op == FD_OP_DIV) && fdi_is_word(n)) remainder_of(s, n);
    }
}

/* Reads that only report are not made inside. */
static void all_reports(Inside *s)
{
    for (size_t i = s->nodes.len; i-- > 0;) {
        const FdNode *n = s->nodes.data[i];
        if (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_SELECT && fdi_reports(n))
            want(s, n->args[0], 1);
    }
}

static void all_reads(Inside *s)
{
    for (size_t i = 0; i < s->nodes.len; i++) {
        const FdNode *n = s->nodes.data[i];
        FdAffine forms[2];
        bool read = n->kind == FD_APPLY && (n->fn->kind == FD_VAR || fdi_applies(n, FD_LEAF_SLOT));
        for (int d = 0; read && d < n->nargs; d++) {
            if (!fdi_read_forms(s->facts, n, d, forms)) continue;
            demand(s, &forms[0]);
            demand(s, &forms[1]);
        }
    }
}

/* Conditions that follow from the others go: a guard and the read below it say nearly the same. */
static void keep_needed(Inside *s, const FdDom *doms, const FdNode *body)
{
    FdFacts *f = fd_facts_new(s->fd, s->nvars, s->vars, doms, body);
    for (int i = s->n; i-- > 0;) {
        FdAffine form;
        f->forms.len = 0;
        for (int k = 0; k < s->n; k++)
            if (k != i && fd_condition_form(s->conds[k], &form)) fdi_fact(f, &form);
        if (fd_condition_form(s->conds[i], &form) && fd_shown(f, &form)) {
            s->n--;
            for (int k = i; k < s->n; k++) s->conds[k] = s->conds[k + 1];
        }
    }
    fd_facts_free(f);
}

/* Reads in a condition that not all points make are inside by conditions that are tested before any
 * element is read; if those have gone it goes too. */
static void drop_unread(Inside *s, const FdDom *doms, const FdNode *body)
{
    FdFacts *f = fd_facts_new(s->fd, s->nvars, s->vars, doms, body);
    FdAffine form;
    for (int i = 0; i < s->n; i++)
        if (fd_condition_form(s->conds[i], &form) && is_before_row(s, &form)) fd_fact(f, &form);
    for (int i = s->n; i-- > 0;) {
        bool inside = fd_condition_form(s->conds[i], &form);
        for (int t = 0; t < form.nterms && inside; t++) {
            const FdNode *atom = form.terms[t].atom;
            uint64_t mark;
            if (!fdi_applies(atom, FD_LEAF_SLOT) || fdi_map_get(&s->always, atom, &mark)) continue;
            for (int d = 0; d < atom->nargs; d++) inside = inside && fd_read_shown(f, atom, d);
        }
        if (inside) continue;
        s->n--;
        for (int k = i; k < s->n; k++) s->conds[k] = s->conds[k + 1];
    }
    fd_facts_free(f);
}

int fd_interior(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body,
                FdIsKnown *known, const void *ctx, int most, const FdNode **conds, bool *guessed)
{
    enum { ROUNDS = 8 };
    Inside s = {.fd = fd, .nvars = nvars, .vars = vars, .known = known, .ctx = ctx};
    fdi_gather_always(body, &s.always);
    body = fd_unroll(fd, body);
    s.facts = fd_facts_new(fd, nvars, vars, doms, body);
    s.most = most, s.conds = conds;
    for (int round = 0, before = -1; round < ROUNDS && before < s.n; round++) {
        before = s.n;
        body = fd_under(s.facts, body);
        look_at(&s, body);
        all_guards(&s);
        if (s.n == before) all_reports(&s);
        if (s.n == before) all_reads(&s);
    }
    keep_needed(&s, doms, body);
    drop_unread(&s, doms, body);
    fd_facts_free(s.facts);
    fdi_map_free(&s.costs);
    fdi_map_free(&s.always);
    vec_free(&s.nodes);
    *guessed = s.guessed;
    return s.n;
}
