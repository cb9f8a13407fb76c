/* Rows of two to four elements, taken side by side: pixels, points, complex numbers (fdag/index/abreast.h). Lanes are rows,
 * so their elements are vectors, which are stored in turn.
 *
 *   before   q(i, c) = sum(k : 0..3, m(c, k) * p(i, k))         one element after the other
 *   after    x = m(0, 0) * p(i.., 0) + .., y = .., z = ..       p's coordinates are known to be three apart
 *            q(i, 0).. = x0 y0 z0 x1 y1 z1 ..                    */
#include "../../../fdag/index/abreast.h"
#include "../../../fdag/index/flat.h"
#include "../../../fdag/index/inlined.h"
#include "../plan/draw.h"
#include "recipes/recipe.h"
#include "schedule.h"

static Num *is_as_long(Unit *u, const FdDom *last, int64_t length)
{
    Num *n = plan_n(u, last), *lo = plan_lo(u, last);
    if (fd_abreast_length(last)) return num_truth(u, true);
    Num *all = num_op(u, FD_OP_EQ, lo, num_int(u, 0));
    return num_and(u, all, num_op(u, FD_OP_EQ, n, num_int(u, length)));
}

/* ---- temporaries that a row computes itself ------------------------------------------------- */

typedef struct Reads {
    const FdNode *array;
    const Def *by;
} Reads;

static bool is_array(const void *array, const FdNode *n)
{
    return n == array;
}

/* Is it no read at variables of the row, each for itself? */
static bool is_elsewhere(const void *ctx, const FdNode *n)
{
    const Reads *r = ctx;
    unsigned used = 0;
    if (n == r->array) return false; /* of a read that was asked about */
    if (n->kind != FD_APPLY || n->fn != r->array) return false;
    for (int i = 0; i < n->nargs; i++) {
        int k = 0;
        while (k < r->by->nvars - 1 && r->by->vars[k] != n->args[i]) k++;
        if (k == r->by->nvars - 1 || used >> k & 1) return true;
        used |= 1u << k;
    }
    return false;
}

/* Is temporary t read by this body alone, at its row, and can it not fail? */
static bool is_of_rows(Unit *u, const Def *t, const Def *by, const FdNode *body, uint64_t inside)
{
    const FdNode *array = schedule_array(u, t);
    const Reads reads = {array, by};
    if (t->node->self || !t->nvars || t->body->type->record || fd_can_fail(t->body) ||
        num_is(plan_fails(u, t), 1) || !fd_any(body, is_array, array) ||
        fd_any(body, is_elsewhere, &reads))
        return false;
    for (int i = 0; i < u->ndefs; i++)
        if (u->defs[i].temp != by->temp && !(inside >> i & 1) &&
            fd_any(u->defs[i].body, is_array, array))
            return false;
    return true;
}

/* The body with all such in place of reads; *inside: which they are. */
static const FdNode *with_temporaries(Unit *u, const Def *d, uint64_t *inside)
{
    const FdNode *body = d->body;
    *inside = 0;
    for (int i = u->ndefs < 64 ? u->ndefs : 64; i-- > 0;) { /* one may read those before it */
        const Def *t = &u->defs[i];
        if (t->temp < 0 || unit_kept(u, t->temp) || schedule_is_optional(u, t) ||
            !is_of_rows(u, t, d, body, *inside))
            continue;
        const FdNode *let = fd_let(u->fd, t->nvars, t->vars, t->doms, t->body, t->node->loc);
        body = fd_inline_inside(u->fd, body, schedule_array(u, t), let);
        *inside |= UINT64_C(1) << i;
    }
    return body;
}

/* A row with what it computes itself, where that is no reduction that stays; NULL: there is no such form. */
static const FdNode *row_of(Unit *u, const Def *d, int64_t length, uint64_t *inside)
{
    const FdNode *body = with_temporaries(u, d, inside);
    const FdNode *row = fd_abreast(u->fd, d->nvars, d->vars, d->doms, body, length);
    if (row || !*inside) return row;
    *inside = 0;
    return fd_abreast(u->fd, d->nvars, d->vars, d->doms, d->body, length);
}

uint64_t schedule_abreast_inside(Unit *u, const Def *d)
{
    uint64_t inside = 0;
    int64_t length = d->nvars > 1 ? fd_abreast_length(&d->doms[d->nvars - 1]) : -1;
    if (!length) length = FD_ABREAST;
    return schedule_abreast(u, d, length, NULL) && row_of(u, d, length, &inside) ? inside : 0;
}

/* ---- the form ------------------------------------------------------------------------------ */

/* Is a read of these arrays, at a row as it is before they are read flat, perhaps outside? */
static bool is_suspect(Unit *u, const Def *row, const FdNear *near)
{
    const PlanSuspects *s = def_suspects(u, row);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < near->narrays; k++)
            if (s->reads[i].node->fn == near->arrays[k]) return true;
    return false;
}

static bool guards(const void *none, const FdNode *n)
{
    (void)none;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (fd_is_lazy(n, i)) return true;
    return false;
}

/* When it is one, of those lengths, and whether lanes may read all that it reads. */
static Abreast conditions_of(Unit *u, const Def *of, const Def *far, int64_t length,
                             const FdNear *near, uint64_t inside)
{
    Num *yes = num_truth(u, true), *when = is_as_long(u, &of->doms[of->nvars - 1], length);
    if (near) when = num_and(u, when, schedule_are_as_long(u, near));
    for (int i = 0; i < u->ndefs; i++)
        if (inside >> i & 1) when = num_and(u, when, num_not(u, plan_fails(u, &u->defs[i])));
    if (of->noting) return (Abreast){when, yes, false};
    when = num_and(u, when, num_not(u, plan_fails(u, of)));
    /* of reads that are flat nobody asks whether they are inside */
    Num *unsafe = def_unsafe(u, far);
    return (Abreast){when, num_not(u, unsafe), num_is(unsafe, 1) || unsafe != plan_fails(u, far)};
}

const Def *schedule_abreast(Unit *u, const Def *of, int64_t length, Abreast *out)
{
    if (of->nvars < 2 || of->node->self || of->flat || of->near || of->nbeside || of->nwithin ||
        of->plain || of->anew || of->slice || of->copy || of->abreast ||
        (of->body->type->record && (of->temp >= 0 || !u->nbeside)) || def_is_once(u, of) ||
        u->options->family != CG_CPU || u->options->tile != CG_TILE_AUTO ||
        (fd_can_fail(of->body) && !of->noting))
        return NULL;
    const FdDom *last = &of->doms[of->nvars - 1];
    if (!fd_closed(last->lo) || !fd_closed(last->hi)) return NULL;
    uint64_t inside;
    const FdNode *row = row_of(u, of, length, &inside);
    if (!row) return NULL;
    Def *far = def_form(u, of);
    far->nvars = of->nvars - 1;
    far->body = row;
    far->abreast = (int)length;
    far->node = fd_let(u->fd, far->nvars, of->vars, of->doms, row, of->node->loc);
    FdNear near;
    bool is_near = fd_near(u->fd, row, &near) && !(of->noting && is_suspect(u, far, &near));
    if (out) *out = conditions_of(u, of, far, length, is_near ? &near : NULL, inside);
    if (out && num_is(out->when, 0)) return NULL;
    Def *d = def_form(u, far);
    if (is_near) d->body = near.body;
    const FdNode *v = of->vars[of->nvars - 2], *const * conds;
    if (!lanes_possible(d->body, v, recipe_allowed(d) | LANES_FAR)) return NULL;
    d->node = fd_let(u->fd, d->nvars, of->vars, of->doms, d->body, of->node->loc);
    if (fd_any(row, guards, NULL)) { /* an inside as its reads were */
        d->facts->ninside = nest_conditions(u, far, &conds);
        d->facts->inside = far->facts->inside;
        d->facts->guessed = far->facts->guessed;
    }
    def_count(u, d, 0, NULL);
    return d;
}

/* ---- nests --------------------------------------------------------------------------------- */

enum { FORMS = FD_ABREAST + 1 };

/* The lengths that it may have; 0: it is told of none. */
static int lengths_of(const Def *d, bool is_flat, int64_t lengths[FORMS])
{
    int n = 0;
    lengths[0] = d->nvars < 2 ? -1 : fd_abreast_length(&d->doms[d->nvars - 1]);
    if (lengths[0]) return lengths[0] > 0;
    if (is_flat || !fd_abreast_told(d->nvars, d->vars, d->doms, d->body)) return 0;
    for (int64_t k = 2; k <= FD_ABREAST; k++) lengths[n++] = k;
    return n;
}

static Num *named(Unit *u, const Def *d, Num *when)
{
    when = num_let(u, "abreast", when);
    if (!fd_abreast_length(&d->doms[d->nvars - 1])) num_guess(u, when, false);
    return when;
}

Num *schedule_abreast_when(Unit *u, const Def *d)
{
    int64_t lengths[FORMS];
    Num *any = NULL;
    int n = lengths_of(d, false, lengths);
    if (!n || draw_skips(u, P_FORM_ABREAST)) return NULL;
    for (int i = 0; i < n; i++) {
        Abreast is;
        const Def *row = schedule_abreast(u, d, lengths[i], &is);
        if (!row) continue;
        Num *when = num_and(u, is.when, num_and(u, is.safe, recipe_vectors_fit(u, row)));
        when = named(u, d, when);
        any = any ? num_op(u, FD_OP_LOR, any, when) : when;
    }
    d->facts->abreast = any != NULL;
    return any;
}

/* Under `rest`, all in lanes or, where guards keep reads inside, an interior of them; returns what is left. */
static Num *abreast(Unit *u, const Def *d, int64_t length, Num *rest)
{
    Abreast is;
    const Def *row = schedule_abreast(u, d, length, &is);
    if (!row) return rest;
    Num *done = NULL, *boxed = NULL, *fit = num_and(u, is.when, recipe_vectors_fit(u, row));
    Num *when = num_and(u, rest, num_and(u, fit, is.safe));
    if (!num_is(when, 0)) {
        when = named(u, d, when);
        schedule_turn_to(u, row);
        done = recipe_vectors(u, row, when);
    }
    fit = num_and(u, is.when, recipe_vectors_fit(u, row)); /* with what has names since */
    when = num_and(u, rest, num_and(u, fit, num_not(u, is.safe)));
    if (is.guarded && row->facts->inside && !d->facts->abreast && !num_is(when, 0)) {
        when = named(u, d, when);
        schedule_turn_to(u, row);
        boxed = recipe_inside(u, row, when);
    }
    d->facts->notes |= row->facts->notes;
    schedule_turn_to(u, d);
    if (boxed) done = done ? num_op(u, FD_OP_LOR, done, boxed) : boxed;
    return done ? num_let(u, "rest", num_and(u, rest, num_not(u, done))) : rest;
}

Num *schedule_abreast_nests(Unit *u, const Def *d, Num *rest)
{
    int64_t lengths[FORMS];
    for (int i = 0, n = lengths_of(d, false, lengths); i < n; i++)
        rest = abreast(u, d, lengths[i], rest);
    return rest;
}

Num *schedule_abreast_first(Unit *u, const Def *d, bool is_flat, Num *rest)
{
    int64_t lengths[FORMS];
    if (d->facts->abreast || num_is(rest, 0) || !lengths_of(d, is_flat, lengths) ||
        draw_skips(u, P_FORM_ABREAST))
        return rest;
    return schedule_abreast_nests(u, d, rest);
}
