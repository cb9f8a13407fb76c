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

static Place here(const Places *p, const char *name, uint32_t at)
{
    return (Place){name, at, p->owner, FREE_ITSELF};
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
    Place change = here(p, target->name_ref.name, at);
    change.how = how;
    vec_push(&p->changes, change);
}

void places_used(Places *p, const Ast *name)
{
    Place use = here(p, name->name_ref.name, name->loc.begin);
    vec_push(&p->uses, use);
}

void places_loop(Places *p, const Ast *loop, const Ast *body)
{
    Turn t = {loop->loc, body->loc};
    vec_push(&p->turns, t);
}

void places_declared(Places *p, const char *name, uint32_t at)
{
    Place place = here(p, name, at);
    if (name) vec_push(&p->declared, place);
}

static bool is_in(Loc loc, uint32_t at)
{
    return loc.begin <= at && at < loc.end;
}

/* Is a variable of the name declared in the body? */
static bool is_own(const Places *p, Loc body, const char *name)
{
    for (size_t i = 0; i < p->declared.len; i++)
        if (p->declared.data[i].name == name && is_in(body, p->declared.data[i].at)) return true;
    return false;
}

/* .. which nobody has who is outside? */
static bool stays_in(const Places *p, Loc body, const char *name)
{
    return is_own(p, body, name) && !places_has(&p->handed, name);
}

/* Does a loop come from the lambda back to the change, with lambda and variable of a turn before? */
static bool comes_again(const Places *p, const Stored *f, const Place *change)
{
    for (size_t i = 0; i < p->turns.len && !f->returned; i++) {
        const Turn *t = &p->turns.data[i];
        if (is_in(t->loop, change->at) && is_in(t->body, f->function->loc.begin) &&
            !is_own(p, t->body, change->name) && !(f->name && stays_in(p, t->body, f->name)))
            return true;
    }
    return false;
}

/* Are the lambda and the change in one run of one function, so that the text tells which is first? */
static bool in_order(const Places *p, const Stored *f, const Place *change)
{
    bool own = !f->owner;
    for (size_t i = 0; i < p->declared.len && !own; i++)
        own = p->declared.data[i].name == change->name && p->declared.data[i].owner == f->owner;
    return own && f->owner == change->owner;
}

/* Is it no variable of the body, or one of the program, which its functions see? */
static bool is_for_others(const Places *p, const char *name)
{
    bool own = false;
    for (size_t i = 0; i < p->declared.len && !own; i++) own = p->declared.data[i].name == name;
    for (size_t i = 0; p->top && i < p->s->globals_used.len && own; i++)
        own = p->s->globals_used.data[i]->name != name;
    return !own;
}

bool places_called_after(const Places *p, const Stored *f, const Place *change)
{
    if (!in_order(p, f, change) || comes_again(p, f, change)) return true;
    if (change->at < f->function->loc.end || f->returned) return false;
    if (!f->name || places_has(&p->handed, f->name) || is_for_others(p, f->name)) return true;
    for (size_t i = 0; i < p->uses.len; i++)
        if (p->uses.data[i].name == f->name &&
            (p->uses.data[i].at > change->at || p->uses.data[i].owner != f->owner))
            return true;
    return false;
}

void places_free(Places *p)
{
    vec_free(&p->changes);
    vec_free(&p->uses);
    vec_free(&p->declared);
    vec_free(&p->turns);
    vec_free(&p->handed);
}
