/* Domain inference (the language's rules for bound variables): every OPEN range becomes INFERRED or
 * FULL, and functions that one variable indexes plainly get agreements.
 *   before: %6 = let (%1 : open) %5            where %5 = u(i - 1) + u(i) + u(i + 1)
 *   after:  %6 = let (%1 : infer %7..%8) %5    with %7 = lower(u) + 1, %8 = upper(u) - 1
 * A recurrence's ranges are found from its uses of other functions, and become GIVEN.
 * Requires: uses as sema built them (nothing inlined: a function's own range counts). Keeps: GIVEN
 * ranges. Afterwards a read whose indices are affine in INFERRED variables, outside of branches, is
 * inside by construction.
 *
 * Variables are settled one at a time, inner binders first, by what is known so far: first those
 * with an index of their own, then those that share an index with settled ones. An index in several
 * variables limits the one settled last, for all values of the others. */
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

typedef enum Others {
    OTHERS_NONE,
    OTHERS_INFERRED,
    OTHERS_GIVEN,
    OTHERS_UNKNOWN,
    OTHERS_FULL
} Others;

/* What is known of the other variables of an index. */
static Others others_of(const Domains *d, const DomUse *u, const DomVar *v)
{
    Others all = OTHERS_NONE;
    for (int i = 0; i < u->index.nterms; i++) {
        if (u->index.terms[i].var == v->var) continue;
        const DomVar *o = domains_var(d, u->index.terms[i].var);
        Others one = !o->known                     ? OTHERS_UNKNOWN
                     : o->dom.kind == FD_DOM_FULL  ? OTHERS_FULL
                     : o->dom.kind == FD_DOM_GIVEN ? OTHERS_GIVEN
                                                   : OTHERS_INFERRED;
        if (one > all) all = one;
    }
    return all;
}

/* The least and the greatest value of the index without v's term. */
static void rest_of(Domains *d, const DomUse *u, const DomVar *v, const FdNode **least,
                    const FdNode **greatest)
{
    Fd *fd = d->fd;
    const FdiIndex *a = &u->index;
    const FdNode *base =
        a->rest ? fdi_add_constant(fd, a->rest, a->constant) : fd_long(fd, a->constant);
    *least = *greatest = base;
    for (int i = 0; i < a->nterms; i++) {
        if (a->terms[i].var == v->var) continue;
        const DomVar *o = domains_var(d, a->terms[i].var);
        int64_t c = a->terms[i].factor;
        const FdNode *first = fdi_scale(fd, fdi_to_long(fd, o->dom.lo), c);
        const FdNode *last = fdi_scale(fd, fdi_add_constant(fd, fdi_to_long(fd, o->dom.hi), -1), c);
        *least = fdi_long_op(fd, FD_OP_ADD, *least, c > 0 ? first : last);
        *greatest = fdi_long_op(fd, FD_OP_ADD, *greatest, c > 0 ? last : first);
    }
}

/* The values of v for which c v + rest is in [dom.lo, dom.hi) whatever the rest. */
static FdDom solve(Fd *fd, FdDom dom, int64_t c, const FdNode *least, const FdNode *greatest)
{
    FdDom out = {.kind = FD_DOM_INFERRED};
    if (c > 0) { /* ceil((lo - least) / c) .. ceil((hi - greatest) / c) */
        const FdNode *lo = fdi_long_op(fd, FD_OP_SUB, dom.lo, least);
        const FdNode *hi = fdi_long_op(fd, FD_OP_SUB, dom.hi, greatest);
        out.lo = fdi_floor_div(fd, fdi_add_constant(fd, lo, c - 1), c);
        out.hi = fdi_floor_div(fd, fdi_add_constant(fd, hi, c - 1), c);
        return out;
    }
    /* With m = -c: ceil((greatest - hi + 1) / m) .. floor((least - lo) / m) + 1 */
    int64_t m = -c;
    const FdNode *lo = fdi_long_op(fd, FD_OP_SUB, greatest, dom.hi);
    const FdNode *hi = fdi_long_op(fd, FD_OP_SUB, least, dom.lo);
    out.lo = fdi_floor_div(fd, fdi_add_constant(fd, lo, m), m);
    out.hi = fdi_add_constant(fd, fdi_floor_div(fd, hi, m), 1);
    return out;
}

static bool is_plain(const DomUse *u)
{
    const FdiIndex *a = &u->index;
    return a->nterms == 1 && a->terms[0].factor == 1 && !a->rest && a->constant == 0;
}

typedef struct Candidates {
    FdiNodes lo, hi;             /* of affine uses, and of plain ones that nothing can check */
    FdiNodes plain_lo, plain_hi; /* of plain uses of functions that may be defined everywhere */
    FdDom first;                 /* of the first plain use of a finite function */
    bool pending;                /* a use's function has no domain yet */
    bool own;                    /* an index of v alone */
    bool shared;                 /* an index with other variables, all settled */
} Candidates;

static void candidate(Domains *d, const DomVar *v, const DomUse *u, Candidates *c)
{
    FdDom dom;
    const FdNode *least, *greatest;
    Others others = others_of(d, u, v);
    if (others >= OTHERS_UNKNOWN) return; /* settled later, or never */
    Bounds b = domains_bounds_of(d, u, &dom);
    if (b == BOUNDS_NOT_YET) c->pending = true;
    if (b != BOUNDS_YES) return;
    rest_of(d, u, v, &least, &greatest);
    FdDom range = solve(d->fd, dom, fdi_index_factor(&u->index, v->var), least, greatest);
    if (!in_scope(v, range.lo) || !in_scope(v, range.hi)) return;
    if (others == OTHERS_GIVEN && c->own) return; /* such a read is checked when it is made */
    if (others != OTHERS_NONE) c->shared = true;
    if (others == OTHERS_NONE) c->own = true;
    bool sure = fdi_surely_finite(d->graph, range.lo) && fdi_surely_finite(d->graph, range.hi);
    bool closed = fdi_closed(range.lo) && fdi_closed(range.hi);
    if (!is_plain(u) || !closed) {
        vec_push(&c->lo, range.lo);
        vec_push(&c->hi, range.hi);
    } else if (!sure) {
        vec_push(&c->plain_lo, range.lo);
        vec_push(&c->plain_hi, range.hi);
    } else if (!c->first.lo) { /* the others must agree with it */
        c->first = range;
    }
}

static const FdNode *combine(Domains *d, bool lower, const Candidates *c)
{
    FdiNodes all = {0};
    const FdiNodes *affine = lower ? &c->lo : &c->hi, *plain = lower ? &c->plain_lo : &c->plain_hi;
    if (c->first.lo) vec_push(&all, lower ? c->first.lo : c->first.hi);
    for (size_t i = 0; i < plain->len && !c->first.lo; i++) vec_push(&all, plain->data[i]);
    for (size_t i = 0; i < affine->len; i++) vec_push(&all, affine->data[i]);
    const FdNode *b = fdi_extreme(d->fd, lower, (int)all.len, all.data);
    vec_free(&all);
    return b;
}

static bool settle(Domains *d, DomVar *v, bool alone)
{
    Candidates c = {0};
    /* Uses of v alone first: they decide whether shared ones with a GIVEN variable count. */
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < d->uses.len; i++) {
            const DomUse *u = &d->uses.data[i];
            if (!u->strict || !u->affine || fdi_index_factor(&u->index, v->var) == 0) continue;
            if ((u->index.nterms > 1) == (round == 1)) candidate(d, v, u, &c);
        }
    bool ready = !c.pending && (c.own || (!alone && c.shared));
    if (ready) {
        v->dom = (FdDom){FD_DOM_INFERRED, combine(d, true, &c), combine(d, false, &c)};
        v->known = true;
    }
    vec_free(&c.lo);
    vec_free(&c.hi);
    vec_free(&c.plain_lo);
    vec_free(&c.plain_hi);
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

static void explain(Domains *d, const DomVar *v, FdError *error)
{
    Arena *a = d->fd->arena;
    const DomUse *u = mentioned(d, v);
    const char *name = fdi_var_name(v->var);
    error->at = v->binder;
    error->loc = u && u->apply->loc.line ? u->apply->loc : v->binder->loc;
    for (size_t i = 0; i < d->uses.len; i++) { /* shares an index with another unknown variable? */
        const DomUse *s = &d->uses.data[i];
        if (!s->strict || !s->affine || fdi_index_factor(&s->index, v->var) == 0) continue;
        for (int k = 0; k < s->index.nterms; k++) {
            const FdNode *other = s->index.terms[k].var;
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
    const char *what = v->binder->kind == FD_REDUCE ? "the reduction's variable" : "variable";
    const char *why = !u          ? "it indexes no finite function"
                      : u->affine ? "its uses inside branches or with unknown functions give none"
                                  : "it occurs only in indices that do not give one";
    error->message =
        arena_printf(a, "%s '%s' has no range (%s); add a constraint such as '%s : 0..n'", what,
                     name, why, name);
}

/* ---- agreements ------------------------------------------------------------------------ */

static bool same_agree(const FdAgree *a, const FdAgree *b)
{
    return (a->a == b->a && a->a_dim == b->a_dim && a->b == b->b && a->b_dim == b->b_dim) ||
           (a->a == b->b && a->a_dim == b->b_dim && a->b == b->a && a->b_dim == b->a_dim);
}

static void agree(Domains *d, const DomUse *a, const DomUse *b)
{
    FdAgree g = {a->apply->fn, b->apply->fn, a->param, b->param, b->apply->loc};
    if (g.a == g.b && g.a_dim == g.b_dim) return;
    for (size_t i = 0; i < d->agrees.len; i++)
        if (same_agree(&d->agrees.data[i], &g)) return;
    vec_push(&d->agrees, g);
}

/* Functions that v indexes plainly have equal domains: each with the first, a finite one if any. */
static void add_agreements(Domains *d, const DomVar *v)
{
    const DomUse *first = NULL;
    for (int finite = 1; finite >= 0 && !first; finite--)
        for (size_t i = 0; i < d->uses.len && !first; i++) {
            const DomUse *u = &d->uses.data[i];
            FdDom dom;
            if (!u->strict || !u->affine || !is_plain(u) || u->index.terms[0].var != v->var)
                continue;
            if (!fdi_closed(u->apply->fn) || domains_bounds_of(d, u, &dom) != BOUNDS_YES) continue;
            if (!fdi_closed(dom.lo) || !fdi_closed(dom.hi)) continue;
            if (!finite ||
                (fdi_surely_finite(d->graph, dom.lo) && fdi_surely_finite(d->graph, dom.hi)))
                first = u;
        }
    for (size_t i = 0; i < d->uses.len && first; i++) {
        const DomUse *u = &d->uses.data[i];
        FdDom dom;
        if (u == first || !u->strict || !u->affine || !is_plain(u)) continue;
        if (u->index.terms[0].var != v->var || !fdi_closed(u->apply->fn)) continue;
        if (domains_bounds_of(d, u, &dom) == BOUNDS_YES) agree(d, first, u);
    }
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
        if (d->vars.data[i].open) add_agreements(d, &d->vars.data[i]);
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
    vec_free(&d.nodes);
    vec_free(&d.vars);
    vec_free(&d.uses);
    vec_free(&d.agrees);
    fdi_map_free(&d.number);
    return ok;
}
