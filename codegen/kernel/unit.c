/* The text of one evaluation while it is made: what has been said of it, names, how often nodes are used. */
#include "unit.h"

#include <string.h>

/* Not recursive: chains can be long. */
void count_uses(const FdNode *n, uint32_t *uses)
{
    VEC(const FdNode *) stack = {0};
    vec_push(&stack, n);
    while (stack.len) {
        n = stack.data[--stack.len];
        if (uses[n->id]++) continue;
        if (n->kind == FD_REDUCE && n->fn->kind == FD_LET) vec_push(&stack, n->fn);
        for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++) vec_push(&stack, n->args[i]);
        for (int i = 0; i < n->nvars; i++) {
            if (n->doms[i].lo) vec_push(&stack, n->doms[i].lo);
            if (n->doms[i].hi) vec_push(&stack, n->doms[i].hi);
        }
        if (n->body) vec_push(&stack, n->body);
        if (n->init) vec_push(&stack, n->init);
    }
    vec_free(&stack);
}

UnitUses *unit_uses(Unit *u)
{
    return u->def && u->def->facts->uses.n ? &u->def->facts->uses : &u->uses;
}

uint32_t unit_used(const Unit *u, const FdNode *n)
{
    return unit_uses((Unit *)(uintptr_t)u)->of[n->id];
}

void unit_count(Unit *u, const FdNode *n)
{
    unit_count_all(u, 1, &n);
}

void unit_count_all(Unit *u, int n, const FdNode *const *nodes)
{
    UnitUses *uses = unit_uses(u);
    size_t all = (size_t)fd_var(u->fd, nodes[0]->type, "end")->id + 1;
    uint32_t *more = arena_array(u->arena, uint32_t, all), *now = mem_alloc(all * sizeof *now);
    memset(now, 0, all * sizeof *now);
    for (int i = 0; i < n; i++) count_uses(nodes[i], now);
    for (size_t i = 0; i < all; i++) {
        uint32_t before = i < uses->n ? uses->of[i] : 1;
        more[i] = before > now[i] ? before : now[i];
    }
    mem_free(now);
    *uses = (UnitUses){more, all};
}

bool unit_moves(const void *unit, const FdNode *n)
{
    const FdGraph *g = ((const Unit *)unit)->g;
    bool slot = n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT;
    for (int i = 0; slot && i < g->nmoving; i++)
        if (g->moving[i].slot->slot == n->slot) return true;
    return false;
}

void unit_give_up(Unit *u, const char *why, const FdNode *at)
{
    u->host_only = true;
    if (u->gave_up) return;
    u->gave_up = why;
    u->gave_up_at = at;
}

/* d, in the arena, with facts of its own. */
static Def *new_def(Unit *u, Def d)
{
    d.facts = arena_new_of(u->arena, DefFacts);
    return arena_copy(u->arena, &d, sizeof d);
}

const FdDom *def_range(const void *def, const FdNode *v)
{
    const Def *d = def;
    for (int i = 0; i < d->nvars; i++)
        if (d->vars[i] == v) return &d->doms[i];
    return NULL;
}

Def *def_form(Unit *u, const Def *of)
{
    Def *d = new_def(u, *of);
    d->of = def_given(of);
    return d;
}

void def_count(Unit *u, const Def *d, int n, const FdNode *const *more)
{
    const FdNode *newest = fd_var(u->fd, fd_type_scalar(u->fd, SC_INT), "end");
    UnitUses uses = {.n = (size_t)newest->id + 1};
    uses.of = arena_array(u->arena, uint32_t, uses.n);
    count_uses(d->body, uses.of);
    for (int i = 0; i < n; i++) count_uses(more[i], uses.of);
    for (size_t i = 0; i < uses.n; i++)
        if (!uses.of[i]) uses.of[i] = 1;
    d->facts->uses = uses;
}

const Def *def_given(const Def *d)
{
    return d->of ? d->of : d;
}

const DefWithin *def_within(const Def *d, const FdNode *reduce)
{
    for (int i = 0; i < d->nwithin; i++)
        if (d->within[i].reduce == reduce) return &d->within[i];
    return NULL;
}

bool def_is_once(const Unit *u, const Def *d)
{
    return d->temp < 0 && (u->over || u->g->results[0].part);
}

const Def *def_copy(Unit *u, const Def *d)
{
    Def copy = *d;
    int slot = u->ninputs;
    while (!u->g->slots[slot].def || u->plan_slot[slot] != d->temp) slot++;
    const FdNode *array = fd_slot(u->fd, slot, u->g->slots[slot].type, u->g->slots[slot].name);
    copy.body = fd_apply(u->fd, array, d->nvars, d->vars, d->node->loc);
    copy.node = fd_let(u->fd, d->nvars, d->vars, d->doms, copy.body, d->node->loc);
    copy.copy = true;
    unit_count(u, copy.node);
    return new_def(u, copy);
}

int unit_kept(const Unit *u, int temp)
{
    return temp >= 0 && temp < u->nkept ? u->kept[temp] : 0;
}

void unit_print(Unit *u, KirFunc f)
{
    opencl_print(f.kernel ? &u->kernels : &u->functions, &f);
    f.params = arena_copy(u->arena, f.params, sizeof *f.params * (size_t)f.nparams);
    vec_push(&u->funcs, f);
}

const char *fresh_name(Unit *u, const char *stem)
{
    return arena_printf(u->arena, "%s_%d", stem, u->nnames++);
}

int site_of(const FdNode *n)
{
    return n->loc.line - 1; /* fd_number_places */
}

bool unit_is_empty(const void *unit, const FdNode *n)
{
    const Unit *u = unit;
    bool empty = fd_does(n) & FD_EMPTY;
    for (size_t i = 0; empty && i < u->nonempty.len; i++) empty = u->nonempty.data[i] != n;
    return empty;
}
