/* Where the variables of a body are declared, assigned and used, and which of its loops and lambdas are around:
 * the text tells what runs after what, but for loops, and for what stands in lambdas and functions, which run
 * whenever they are called.
 */
#include "places.h"

void places_put(FreeNames *list, const char *name)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].name == name) return;
    FreeName one = {.name = name};
    vec_push(list, one);
}

bool places_has(const FreeNames *list, const char *name)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].name == name) return true;
    return false;
}

static Place here(const Places *p, const Ast *name, uint32_t at)
{
    return (Place){name->name_ref.name, at, name->loc.begin, p->owner, FREE_ITSELF};
}

void places_assigned(Places *p, const Ast *target, uint32_t at)
{
    int how = FREE_ITSELF;
    for (int i = 0; target->kind == AST_TUPLE && i < target->tuple.items.len; i++)
        places_assigned(p, target->tuple.items.data[i], at);
    while (target->kind == AST_MEMBER || target->kind == AST_INDEX) {
        if (how > FREE_PARTS) how = target->kind == AST_MEMBER ? FREE_PARTS : FREE_ELEMENTS;
        target = target->kind == AST_MEMBER ? target->member.base : target->index.base;
    }
    if (!target || target->kind != AST_NAME_REF) return;
    Place change = here(p, target, at);
    change.how = how;
    vec_push(&p->changes, change);
}

void places_used(Places *p, const Ast *name, const Ast *call)
{
    Place use = here(p, name, call ? call->loc.end : name->loc.begin);
    vec_push(&p->uses, use);
}

void places_loop(Places *p, const Ast *loop, const Ast *body)
{
    Turn t = {loop->loc, body->loc};
    vec_push(&p->turns, t);
}

void places_declared(Places *p, const char *name, uint32_t at)
{
    Declared one = {.name = name, .at = at, .owner = p->owner, .scope = p->scope};
    if (name) vec_push(&p->declared, one);
}

int places_enter(Places *p, const Ast *function)
{
    int outer = p->owner;
    if (!p->functions.len) vec_push(&p->functions, NULL);
    p->owner = (int)p->functions.len;
    vec_push(&p->functions, function->kind == AST_FUNC ? function : NULL);
    return outer;
}

static bool is_in(Loc loc, uint32_t at)
{
    return loc.begin <= at && at < loc.end;
}

int places_which(const Places *p, const char *name, uint32_t where)
{
    int found = -1;
    uint32_t size = 0;
    for (size_t i = 0; i < p->declared.len; i++) {
        const Declared *d = &p->declared.data[i];
        uint32_t now = d->scope.end - d->scope.begin;
        if (d->name != name || !is_in(d->scope, where) || (found >= 0 && now >= size)) continue;
        found = (int)i;
        size = now;
    }
    return found;
}

/* May they be one variable? */
static bool is_same(const Places *p, const char *name, uint32_t a, uint32_t b)
{
    int x = places_which(p, name, a), y = places_which(p, name, b);
    return x == y || x < 0 || y < 0;
}

/* Is what the name means there declared in the body? */
static bool is_own(const Places *p, Loc body, const char *name, uint32_t where)
{
    int d = places_which(p, name, where);
    return d >= 0 && is_in(body, p->declared.data[d].at);
}

/* Is the lambda's variable one of the body, which nobody has who is outside? */
static bool stays_in(const Places *p, Loc body, const Stored *f)
{
    return f->name && is_own(p, body, f->name, f->function->loc.begin) &&
           !places_has(&p->handed, f->name);
}

/* Does a loop come from the lambda back to the change, with lambda and variable of a turn before? */
static bool comes_again(const Places *p, const Stored *f, const Place *change)
{
    for (size_t i = 0; i < p->turns.len && !f->returned.end; i++) {
        const Turn *t = &p->turns.data[i];
        if (is_in(t->loop, change->at) && is_in(t->body, f->function->loc.begin) &&
            !is_own(p, t->body, change->name, change->where) && !stays_in(p, t->body, f))
            return true;
    }
    return false;
}

/* Are the lambda and the change in one run of one function, so that the text tells which is first? */
static bool in_order(const Places *p, const Stored *f, const Place *change)
{
    int d = places_which(p, change->name, change->where);
    bool own = !f->owner || (d >= 0 && p->declared.data[d].owner == f->owner);
    return own && f->owner == change->owner;
}

/* Is it no variable of the body, or one of the program, which its functions see? */
static bool is_for_others(const Places *p, const char *name, uint32_t where)
{
    int d = places_which(p, name, where);
    bool own = d >= 0 && !p->declared.data[d].outside;
    for (size_t i = 0; p->top && i < p->s->globals_used.len && own; i++)
        own = p->s->globals_used.data[i]->name != name;
    return !own;
}

/* It stands in a return: is the change behind it, outside of the finally blocks that run then? */
static bool comes_no_more(const Places *p, const Stored *f, const Place *change)
{
    if (!f->returned.end || change->at <= f->returned.end) return false;
    for (size_t i = 0; i < p->finals.len; i++) {
        const Turn *t = &p->finals.data[i];
        if (is_in(t->body, change->where) && is_in(t->loop, f->function->loc.begin) &&
            !is_in(t->body, f->function->loc.begin))
            return false;
    }
    return true;
}

/* Does the use stand further up in a loop, where the lambda, or that of the turn before, is called after the change? */
static bool comes_round(const Places *p, const Stored *f, const Place *use, const Place *change)
{
    for (size_t i = 0; i < p->turns.len; i++) {
        const Turn *t = &p->turns.data[i];
        if (is_in(t->loop, use->at) && is_in(t->loop, change->at) && !stays_in(p, t->body, f))
            return true;
    }
    return false;
}

bool places_called_after(const Places *p, const Stored *f, const Place *change)
{
    uint32_t here = f->function->loc.begin;
    if (!is_same(p, change->name, change->where, here)) return false;
    if (!in_order(p, f, change) || comes_again(p, f, change)) return true;
    if (change->at < f->function->loc.end || comes_no_more(p, f, change)) return false;
    if (!f->name || places_has(&p->handed, f->name) || is_for_others(p, f->name, here)) return true;
    for (size_t i = 0; i < p->uses.len; i++) {
        const Place *use = &p->uses.data[i];
        if (use->name == f->name && is_same(p, f->name, use->where, here) &&
            (use->at > change->at || use->owner != f->owner || comes_round(p, f, use, change)))
            return true;
    }
    return false;
}

bool places_called_during(const Places *p, const Stored *f, const Place *change,
                          const FreeNames *reached)
{
    if (!is_same(p, change->name, change->where, f->function->loc.begin)) return false;
    if (change->owner == f->owner && change->at >= f->function->loc.end &&
        change->at < f->call->loc.end)
        return true;
    const Ast *by = change->owner ? p->functions.data[change->owner] : NULL;
    return by && places_has(reached, by->func.name);
}

void places_free(Places *p)
{
    vec_free(&p->changes);
    vec_free(&p->uses);
    vec_free(&p->declared);
    vec_free(&p->turns);
    vec_free(&p->finals);
    vec_free(&p->functions);
    vec_free(&p->handed);
}
