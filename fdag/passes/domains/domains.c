/* Domain inference (the language's rules for bound variables): every OPEN range becomes INFERRED or
 * FULL, and functions that one variable indexes plainly get agreements.
 *   before: %6 = let (%1 : open) %5            where %5 = u(i - 1) + u(i) + u(i + 1)
 *   after:  %6 = let (%1 : infer %7..%8) %5    with %7 = lower(u) + 1, %8 = upper(u) - 1
 * A recurrence's ranges are found from its uses of other functions, and become GIVEN.
 * Requires: uses as sema built them (nothing inlined: a function's own range counts). Keeps: GIVEN
 * ranges. Afterwards a read whose indices are affine in INFERRED variables, outside of branches or
 * in both of one `?:`, is inside by construction.
 *
 * Variables are settled one at a time, inner binders first, by what is known so far: first those
 * with an index of their own, then those that share an index with settled ones. An index in several
 * variables limits the one settled last, for all values of the others; one whose other variables
 * have no values limits nothing that has a range without it. */
#include "domains.h"

/* May the range of v depend on what `bound` depends on: only on outer and earlier variables. */
static bool in_scope(const DomVar *v, const FdNode *bound)
{
    const FdiNode *b = fdi_node(bound);
    for (uint32_t i = 0; i < b->nfree; i++) {
        bool ok = fdi_free_in(v->binder, b->free[i]);
        for (int k = 0; k < v->index; k++) ok = ok || v->binder->vars[k] == b->free[i];
        if (!ok) return false;
    }
    return true;
}

/* ---- settling one variable -------------------------------------------------------------- */

typedef enum Others { OTHERS_NONE, OTHERS_KNOWN, OTHERS_UNKNOWN, OTHERS_FULL } Others;

/* What is known of the other variables of an index. */
static Others others_of(const Domains *d, const DomUse *u, const DomVar *v)
{
    Others all = OTHERS_NONE;
    for (int i = 0; i < u->index.of.nterms; i++) {
        if (u->index.of.terms[i].atom == v->var) continue;
        const DomVar *o = domains_var(d, u->index.of.terms[i].atom);
        Others one = !o->known                    ? OTHERS_UNKNOWN
                     : o->dom.kind == FD_DOM_FULL ? OTHERS_FULL
                                                  : OTHERS_KNOWN;
        if (one > all) all = one;
    }
    return all;
}

/* Adds c * (the other variable's first or last value) to the index, whose term of that variable was
 * taken out. False if v's range cannot depend on that bound, nor is it affine. */
static bool put_extreme(Domains *d, FdiIndex *a, const DomVar *v, const DomVar *other, int64_t c,
                        bool greatest)
{
    bool last = (c > 0) == greatest;
    const FdNode *bound = fdi_to_long(d->fd, last ? other->dom.hi : other->dom.lo);
    if (last) bound = fdi_add_constant(d->fd, bound, -1);
    if (!in_scope(v, bound)) return fdi_index_add(d->fd, a, bound, c);
    bound = fdi_scale(d->fd, bound, c);
    a->rest = a->rest ? fdi_long_op(d->fd, FD_OP_ADD, a->rest, bound) : bound;
    return true;
}

/* The index with the least or the greatest values of all other variables put in: v's factor (their
 * ranges may depend on v) and the rest. Innermost first: ranges depend on variables further out. */
static bool extreme_of(Domains *d, const DomUse *u, const DomVar *v, bool greatest, int64_t *factor,
                       const FdNode **rest)
{
    FdiIndex a = u->index;
    for (;;) {
        const DomVar *inner = NULL;
        for (int i = 0; i < a.of.nterms; i++) {
            const DomVar *o = domains_var(d, a.of.terms[i].atom);
            if (!o) return false;
            if (o->var != v->var && (!inner || o < inner)) inner = o;
        }
        if (!inner) break;
        if (!inner->known || inner->dom.kind == FD_DOM_FULL) return false;
        int64_t c = fdi_index_factor(&a, inner->var);
        fdi_index_drop(&a, inner->var);
        if (!put_extreme(d, &a, v, inner, c, greatest)) return false;
    }
    *factor = fdi_index_factor(&a, v->var);
    *rest = a.rest ? fdi_add_constant(d->fd, a.rest, a.of.constant) : fd_long(d->fd, a.of.constant);
    return true;
}

/* Are there values of the other variables at all? NULL: for sure, or not known without v. */
static const FdNode *others_exist(Domains *d, const DomUse *u, const DomVar *v)
{
    const FdNode *all = NULL;
    for (int i = 0; i < u->index.of.nterms; i++) {
        const DomVar *o = domains_var(d, u->index.of.terms[i].atom);
        if (o->var == v->var) continue;
        const FdNode *ends[] = {fdi_to_long(d->fd, o->dom.lo), fdi_to_long(d->fd, o->dom.hi)};
        if (!in_scope(v, ends[0]) || !in_scope(v, ends[1])) continue;
        const FdNode *some = fd_simple_op(d->fd, FD_OP_LT, SC_BOOL, 2, ends);
        if (fd_is_const(some) && some->value.i) continue;
        const FdNode *both[] = {all, some};
        all = all ? fd_simple_op(d->fd, FD_OP_LAND, SC_BOOL, 2, both) : some;
    }
    return all;
}

/* The first value of v with c v + least >= lo or c v + greatest < hi, whichever bounds it from
 * below; `upper`: behind the last value, of that which bounds it from above. */
static const FdNode *solve(Fd *fd, FdDom dom, bool upper, int64_t c, const FdNode *least,
                           const FdNode *greatest)
{
    if (c > 0) { /* ceil((lo - least) / c) .. ceil((hi - greatest) / c) */
        const FdNode *n = upper ? fdi_long_op(fd, FD_OP_SUB, dom.hi, greatest)
                                : fdi_long_op(fd, FD_OP_SUB, dom.lo, least);
        return fdi_floor_div(fd, fdi_add_constant(fd, n, c - 1), c);
    }
    /* With m = -c: ceil((greatest - hi + 1) / m) .. floor((least - lo) / m) + 1 */
    int64_t m = -c;
    if (!upper)
        return fdi_floor_div(
            fd, fdi_add_constant(fd, fdi_long_op(fd, FD_OP_SUB, greatest, dom.hi), m), m);
    return fdi_add_constant(fd, fdi_floor_div(fd, fdi_long_op(fd, FD_OP_SUB, least, dom.lo), m), 1);
}

bool domains_is_plain(const DomUse *u)
{
    const FdiIndex *a = &u->index;
    return a->of.nterms == 1 && a->of.terms[0].factor == 1 && !a->rest && a->of.constant == 0;
}

typedef struct Limits {
    FdiNodes own;        /* of affine uses of v alone, and of plain ones that nothing can check */
    FdiNodes plain;      /* of plain uses of functions that may be defined everywhere */
    FdiNodes shared;     /* of uses with other variables, */
    FdiNodes exist;      /* that exist under this condition; NULL: always */
    const FdNode *first; /* of the first plain use of a finite function */
} Limits;

typedef struct Candidates {
    Limits lo, hi;
    bool pending; /* a use's function has no domain yet */
    bool own;     /* an index of v alone */
} Candidates;

/* Is a variable with a given range bound outside of v? Such a read is checked when it is made,
 * where v has a range of its own: an inner variable does not make room for an outer one. */
static bool given_outside(const Domains *d, const DomUse *u, const DomVar *v)
{
    for (int i = 0; i < u->index.of.nterms; i++) {
        const DomVar *o = domains_var(d, u->index.of.terms[i].atom);
        if (o->dom.kind == FD_DOM_GIVEN && fdi_free_in(v->binder, o->var)) return true;
    }
    return false;
}

/* What a use with other variables says of one end of v's range. */
static void shared_candidate(Domains *d, const DomVar *v, const DomUse *u, FdDom dom, Candidates *c)
{
    const FdNode *least, *greatest;
    int64_t low, high; /* v's factors in them */
    if (!extreme_of(d, u, v, false, &low, &least) || !extreme_of(d, u, v, true, &high, &greatest))
        return;
    for (int upper = 0; upper <= 1; upper++) {
        Limits *l = upper ? &c->hi : &c->lo;
        for (int end = 0; end <= 1; end++) { /* of the index: not below lo, below hi */
            int64_t factor = end ? high : low;
            if (factor == 0 || (factor > 0) != (upper == end)) continue;
            const FdNode *b = solve(d->fd, dom, upper, factor, least, greatest);
            if (!in_scope(v, b)) continue;
            vec_push(&l->shared, b);
            vec_push(&l->exist, others_exist(d, u, v));
        }
    }
}

static void own_candidate(Domains *d, const DomVar *v, const DomUse *u, FdDom dom, Candidates *c)
{
    const FdNode *rest = u->index.rest
                             ? fdi_add_constant(d->fd, u->index.rest, u->index.of.constant)
                             : fd_long(d->fd, u->index.of.constant);
    int64_t factor = fdi_index_factor(&u->index, v->var);
    const FdNode *lo = solve(d->fd, dom, false, factor, rest, rest);
    const FdNode *hi = solve(d->fd, dom, true, factor, rest, rest);
    if (!in_scope(v, lo) || !in_scope(v, hi)) return;
    c->own = true;
    bool sure = fdi_surely_finite(d->graph, lo) && fdi_surely_finite(d->graph, hi);
    if (!domains_is_plain(u) || !fdi_closed(lo) || !fdi_closed(hi)) {
        vec_push(&c->lo.own, lo);
        vec_push(&c->hi.own, hi);
    } else if (!sure) {
        vec_push(&c->lo.plain, lo);
        vec_push(&c->hi.plain, hi);
    } else if (!c->lo.first) { /* the others must agree with it */
        c->lo.first = lo;
        c->hi.first = hi;
    }
}

static void candidate(Domains *d, const DomVar *v, const DomUse *u, Candidates *c)
{
    FdDom dom;
    Others others = others_of(d, u, v);
    if (others >= OTHERS_UNKNOWN) return; /* settled later, or never */
    Bounds b = domains_bounds_of(d, u, &dom);
    if (b == BOUNDS_NOT_YET) c->pending = true;
    if (b != BOUNDS_YES) return;
    if (others == OTHERS_NONE)
        own_candidate(d, v, u, dom, c);
    else if (!c->own || !given_outside(d, u, v))
        shared_candidate(d, v, u, dom, c);
}

/* The end of v's range. A use with other variables counts where these have values at all, if v has
 * a range without it. */
static const FdNode *combine(Fd *fd, bool lower, const Limits *l)
{
    FdiNodes all = {0};
    if (l->first) vec_push(&all, l->first);
    for (size_t i = 0; i < l->plain.len && !l->first; i++) vec_push(&all, l->plain.data[i]);
    for (size_t i = 0; i < l->own.len; i++) vec_push(&all, l->own.data[i]);
    const FdNode *own = fdi_extreme(fd, lower, (int)all.len, all.data);
    for (size_t i = 0; i < l->shared.len; i++)
        if (!own || !l->exist.data[i]) vec_push(&all, l->shared.data[i]);
    for (size_t i = 0; own && i < l->shared.len; i++) {
        FdiNodes same = {0}; /* those under one condition, once */
        bool first = l->exist.data[i] != NULL;
        for (size_t k = 0; k < l->shared.len; k++) {
            if (l->exist.data[k] != l->exist.data[i]) continue;
            first = first && k >= i;
            vec_push(&same, l->shared.data[k]);
        }
        if (first) {
            const FdNode *limit = fdi_extreme(fd, lower, (int)same.len, same.data);
            const FdNode *args[] = {l->exist.data[i], limit, own};
            vec_push(&all, fd_simple_op(fd, FD_OP_SELECT, SC_LONG, 3, args));
        }
        vec_free(&same);
    }
    const FdNode *b = fdi_extreme(fd, lower, (int)all.len, all.data);
    vec_free(&all);
    return b;
}

static void free_limits(Limits *l)
{
    vec_free(&l->own);
    vec_free(&l->plain);
    vec_free(&l->shared);
    vec_free(&l->exist);
}

static bool settle(Domains *d, DomVar *v, bool alone)
{
    Candidates c = {0};
    /* Uses of v alone first: they decide whether shared ones with a GIVEN variable count. */
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < d->uses.len; i++) {
            const DomUse *u = &d->uses.data[i];
            if (!domains_strict(u, v) || !u->affine || fdi_index_factor(&u->index, v->var) == 0)
                continue;
            if ((u->index.of.nterms > 1) == (round == 1)) candidate(d, v, u, &c);
        }
    bool shared = c.lo.shared.len && c.hi.shared.len;
    bool ready = !c.pending && (c.own || (!alone && shared));
    if (ready) {
        v->dom =
            (FdDom){FD_DOM_INFERRED, combine(d->fd, true, &c.lo), combine(d->fd, false, &c.hi)};
        v->known = true;
    }
    free_limits(&c.lo);
    free_limits(&c.hi);
    return ready;
}

/* Does v occur in an index of a function that is, or may yet turn out, finite? */
static const DomUse *mentioned(Domains *d, const DomVar *v)
{
    FdDom dom;
    for (size_t i = 0; i < d->uses.len; i++) {
        const DomUse *u = &d->uses.data[i];
        if (fdi_free_in(u->apply->args[u->param], v->var) &&
            domains_bounds_of(d, u, &dom) != BOUNDS_NONE)
            return u;
    }
    return NULL;
}

/* Settles one more variable; false if none can be. */
static bool settle_one(Domains *d)
{
    for (int alone = 1; alone >= 0; alone--)
        for (size_t i = 0; i < d->vars.len; i++)
            if (!d->vars.data[i].known && settle(d, &d->vars.data[i], alone)) return true;
    for (size_t i = 0; i < d->vars.len; i++) {
        DomVar *v = &d->vars.data[i];
        if (v->known || v->binder->kind != FD_LET || v->binder->self || mentioned(d, v)) continue;
        v->dom = (FdDom){.kind = FD_DOM_FULL};
        v->known = true;
        return true;
    }
    return false;
}

/* ---- errors ---------------------------------------------------------------------------- */

/* `i : u`: what the variable indexes, where that has a name; `i : 0..n` where it has not. */
static const char *constraint_for(Domains *d, const DomVar *v)
{
    const DomUse *u = mentioned(d, v);
    const FdNode *fn = u ? u->apply->fn : NULL;
    const char *name = fdi_var_name(v->var);
    bool named = fn && (fn->kind == FD_VAR || (fn->kind == FD_FUNC && fn->leaf == FD_LEAF_SLOT));
    if (!named) return arena_printf(d->fd->arena, "%s : 0..n", name);
    const char *text = fdi_expr_text(d->fd, fn);
    return fn->type->nparams == 1
               ? arena_printf(d->fd->arena, "%s : %s", name, text)
               : arena_printf(d->fd->arena, "%s : %s.Domain(%d)", name, text, u->param);
}

/* Of a definition with several variables that lack a range: all of them, and the head with ranges.
 */
static bool explain_all(Domains *d, const FdNode *binder, FdError *error)
{
    Arena *a = d->fd->arena;
    const char *names = "", *head = "";
    int lacking = 0;
    for (int i = 0; i < binder->nvars; i++) {
        const DomVar *v = domains_var(d, binder->vars[i]);
        if (!v->known) {
            names = arena_printf(a, "%s%s'%s'", names, lacking ? ", " : "", fdi_var_name(v->var));
            lacking++;
        }
        head = arena_printf(a, "%s%s%s", head, *head ? ", " : "",
                            v->known ? fdi_var_name(v->var) : constraint_for(d, v));
    }
    if (lacking < 2 || binder->kind == FD_REDUCE) return false;
    error->message = arena_printf(
        a,
        "variables %s have no range (uses inside branches or with unknown functions give "
        "none); write the head with ranges: (%s)",
        names, head);
    return true;
}

static void explain(Domains *d, const DomVar *v, FdError *error)
{
    Arena *a = d->fd->arena;
    const DomUse *u = mentioned(d, v);
    const char *name = fdi_var_name(v->var);
    error->at = v->binder;
    error->loc = u && u->apply->loc.line ? u->apply->loc : v->binder->loc;
    for (size_t i = 0; i < d->uses.len; i++) { /* shares an index with another unknown variable? */
        const DomUse *s = &d->uses.data[i];
        if (!domains_strict(s, v) || !s->affine || fdi_index_factor(&s->index, v->var) == 0)
            continue;
        for (int k = 0; k < s->index.of.nterms; k++) {
            const FdNode *other = s->index.of.terms[k].atom;
            if (other == v->var || domains_var(d, other)->known) continue;
            error->message = arena_printf(
                a,
                "the index '%s' of '%s' has two variables without a range, '%s' and '%s'; "
                "add a constraint such as '%s : 0..n'",
                fdi_expr_text(d->fd, s->apply->args[s->param]), fdi_expr_text(d->fd, s->apply->fn),
                name, other->name, name);
            if (s->apply->loc.line) error->loc = s->apply->loc;
            return;
        }
    }
    if (u && u->affine && explain_all(d, v->binder, error)) return;
    const char *what = v->binder->kind == FD_REDUCE ? "the reduction's variable" : "variable";
    bool shared = u && u->affine && domains_strict(u, v) && u->index.of.nterms > 1;
    const char *why = !u          ? "it indexes no finite function"
                      : shared    ? "the range of another variable in its index depends on it"
                      : u->affine ? "its uses inside branches or with unknown functions give none"
                                  : "it occurs only in indices that do not give one";
    error->message = arena_printf(a, "%s '%s' has no range (%s); add a constraint such as '%s'",
                                  what, name, why, constraint_for(d, v));
}

/* ---- the pass -------------------------------------------------------------------------- */

static const FdNode *put_ranges(void *ctx, Fd *fd, const FdNode *n)
{
    const Domains *d = ctx;
    FdDom doms[FD_MAX_RANK];
    bool any = false;
    for (int i = 0; i < n->nvars; i++) {
        const DomVar *v = domains_var(d, n->vars[i]);
        doms[i] = n->doms[i];
        if (doms[i].kind != FD_DOM_OPEN || !v) continue;
        any = true;
        doms[i] = v->dom;
        if (n->self) doms[i].kind = FD_DOM_GIVEN; /* reads of itself can fall outside */
        /* A bound can ask for the domain of a function with open ranges of its own. */
        if (doms[i].lo) doms[i].lo = fd_rewrite(fd, doms[i].lo, put_ranges, ctx);
        if (doms[i].hi) doms[i].hi = fd_rewrite(fd, doms[i].hi, put_ranges, ctx);
    }
    if (!any) return NULL;
    return fdi_rebind(fd, n, doms, NULL);
}

static bool infer(Domains *d, FdGraph *g, FdError *error)
{
    domains_gather(d);
    while (settle_one(d)) continue;
    for (size_t i = 0; i < d->vars.len; i++)
        if (!d->vars.data[i].known) {
            explain(d, &d->vars.data[i], error);
            return false;
        }
    for (size_t i = 0; i < d->vars.len; i++)
        if (d->vars.data[i].open) domains_agree(d, &d->vars.data[i]);
    size_t n = (size_t)g->nagrees + d->agrees.len;
    FdAgree *agrees = arena_array(d->fd->arena, FdAgree, n + 1);
    for (int i = 0; i < g->nagrees; i++) agrees[i] = g->agrees[i];
    for (size_t i = 0; i < d->agrees.len; i++) agrees[(size_t)g->nagrees + i] = d->agrees.data[i];
    g->agrees = agrees;
    g->nagrees = (int)n;
    fdi_rewrite_graph(d->fd, g, put_ranges, d);
    return true;
}

bool fd_pass_domains(Fd *fd, FdGraph *g, FdError *error)
{
    Domains d = {.fd = fd, .graph = g};
    bool ok = infer(&d, g, error);
    for (size_t i = 0; i < d.vars.len; i++)
        if (d.vars.data[i].inside && d.vars.data[i].index == 0) fdi_map_free(d.vars.data[i].inside);
    vec_free(&d.nodes);
    vec_free(&d.vars);
    vec_free(&d.uses);
    vec_free(&d.agrees);
    fdi_map_free(&d.number);
    return ok;
}
