/* What a definition computes at a place in a nest: its body under the conditions of the boxes around
 * (nest.h). Each is worked out once. */
#include "../../../../fdag/index/facts/facts.h"
#include "../../../../fdag/index/flat.h"
#include "nest.h"

enum { PLACE_BITS = 3 };

unsigned nest_at(unsigned place, NestKind kind, int box)
{
    return place | (unsigned)(kind - NEST_IN + 1) << box * PLACE_BITS;
}

/* 0: none. */
static unsigned part_of(unsigned place, int box)
{
    return place >> box * PLACE_BITS & ((1u << PLACE_BITS) - 1);
}

bool nest_is_at(unsigned place, NestKind kind, int box)
{
    return part_of(place, box) == nest_at(0, kind, 0);
}

static bool is_known(const void *ctx, const FdNode *n)
{
    const Unit *u = ctx;
    return num_of((Unit *)(uintptr_t)u, n) != NULL;
}

int nest_conditions(Unit *u, const Def *d, const FdNode *const **out)
{
    DefFacts *f = d->facts;
    if (!f->inside) {
        const Def *of = d->apart ? d->apart : d;
        f->inside = arena_array(u->arena, const FdNode *, NEST_CONDS);
        f->ninside = fd_interior(u->fd, of->nvars, of->vars, of->doms, of->body, is_known, u,
                                 NEST_CONDS, f->inside, &f->guessed);
        if (d->apart) f->ninside = fd_flat_conditions(u->fd, d->flat, f->ninside, f->inside);
    }
    *out = f->inside;
    return f->ninside;
}

bool nest_is_turn(const Nest *n, int box, const FdNode *cond)
{
    const NestBox *b = &n->boxes[box];
    return b->axis < 0 || !(fd_closed(cond) || fd_uses_var(cond, n->axes[b->axis].vars[0]));
}

static void assume_box(FdFacts *f, const NestBox *b, NestKind kind)
{
    if (kind == NEST_IN || kind == NEST_WHEN)
        for (int i = 0; i < b->nconds; i++) fd_assume(f, b->conds[i], true);
    if (kind == NEST_UNLESS && b->nconds == 1) fd_assume(f, b->conds[0], false);
}

PlanSuspects nest_condition(Unit *u, const Nest *n, unsigned place, int box, const FdNode *cond)
{
    const Def *d = n->def;
    FdFacts *f = fd_facts_new(u->fd, d->nvars, d->vars, d->doms, cond);
    for (int i = 0; i < n->nboxes; i++)
        if (nest_is_at(place, NEST_WHEN, i)) assume_box(f, &n->boxes[i], NEST_WHEN);
    bool turn = nest_is_turn(n, box, cond);
    for (int i = 0; i < n->boxes[box].nconds; i++) {
        const FdNode *c = n->boxes[box].conds[i];
        if (nest_is_turn(n, box, c) && !(turn && fd_effects(c) & FD_READS)) fd_assume(f, c, true);
    }
    PlanSuspects s = plan_suspects(u, d, cond, f);
    fd_facts_free(f);
    return s;
}

bool nest_condition_reads(Unit *u, const Nest *n, unsigned place, int box, const FdNode *cond)
{
    if (!(fd_effects(cond) & FD_READS)) return true;
    PlanSuspects s = nest_condition(u, n, place, box, cond);
    for (int i = 0; i < s.n; i++)
        if (!fd_always(n->def->body, s.reads[i].node)) return false;
    return true;
}

bool nest_is_narrow(const Nest *n)
{
    return n->lanes == KIR_V1 || n->lanes == KIR_V2;
}

static NestBody *make_body(Unit *u, const Nest *n, unsigned place)
{
    const Def *d = n->def;
    NestBody *b = arena_new_of(u->arena, NestBody);
    b->place = place;
    b->node = d->body;
    bool narrow = !place && nest_is_narrow(n);
    if (!place && !narrow) return b;
    bool inside = false;
    for (int i = 0; i < n->nboxes; i++) inside |= nest_is_at(place, NEST_IN, i);
    if (inside) b->node = fd_unroll(u->fd, b->node);
    FdFacts *f = fd_facts_new(u->fd, d->nvars, d->vars, d->doms, b->node);
    for (int i = 0; i < n->nboxes; i++) {
        unsigned here = part_of(place, i);
        if (here) assume_box(f, &n->boxes[i], (NestKind)(NEST_IN + here - 1));
    }
    if (place) b->node = fd_under(f, b->node);
    if (inside || narrow) b->node = fd_narrow(u->fd, b->node);
    b->suspects = plan_suspects(u, d, b->node, f);
    fd_facts_free(f);
    return b;
}

static NestBody *find_body(Unit *u, const Nest *n, unsigned place)
{
    for (NestBody *b = *n->bodies; b; b = b->next)
        if (b->place == place) return b;
    NestBody *b = make_body(u, n, place);
    b->next = *n->bodies;
    return *n->bodies = b;
}

const NestBody *nest_body(Unit *u, const Nest *n, unsigned place)
{
    return find_body(u, n, place);
}

const NestBody *nest_body_lowered(Unit *u, const Nest *n, unsigned place)
{
    NestBody *b = find_body(u, n, place);
    if (!b->counted && b->node != n->def->body) unit_count(u, b->node);
    b->counted = true;
    return b;
}

bool nest_body_fails(const NestBody *b, const FdNode *v)
{
    const PlanSuspects *s = &b->suspects;
    for (int i = 0; i < s->n; i++)
        if (fd_uses_var(s->reads[i].node->args[s->reads[i].dim], v)) return true;
    return s->calls;
}
