/* Which variables lambdas share with what is around them, as in C#. A lambda that is kept (not used up where
 * it stands) shares each variable that may be assigned while somebody can still call it; then that variable
 * has a cell (cell.c). So does one that a lambda assigns. All else is copied, which nobody sees. Found by
 * names, before the body is checked.
 *
 *     Func<int, int> f = x => k * x;  k = 3;  f(1)           f shares k
 *     k = 3;  Func<int, int> f = x => k * x;  f(1)           f copies it: nothing changes k any more
 *     list.Where(x => x > k)                                 copies: Where is done when it ends
 *
 * Functions inside functions count as the lambdas that call them. What stands in a definition, or in what
 * else makes a graph, copies: it is a value of that moment.
 */
#include "look.h"

struct Shared {
    const SharedName *names;
    size_t count;
    const Loc *used_up; /* lambdas that nobody keeps */
    size_t nused_up;
};

SharedName *shared_name(Look *l, const char *name, int how)
{
    for (size_t i = 0; i < l->all.len; i++) {
        if (l->all.data[i].name != name) continue;
        if (l->all.data[i].how < how) l->all.data[i].how = how;
        return &l->all.data[i];
    }
    SharedName one = {.name = name, .how = how};
    vec_push(&l->all, one);
    return &vec_last(&l->all);
}

/* ---- what a lambda uses ---------------------------------------------------------------------- */

Ast *shared_function(const Look *l, const char *name)
{
    for (size_t i = 0; i < l->functions.len; i++)
        if (l->functions.data[i]->func.name == name) return l->functions.data[i];
    return NULL;
}

/* With what the functions inside this one use that it calls. */
static void all_names(const Look *l, Ast *function, FreeNames *out)
{
    if (function->kind == AST_NAME_REF)
        places_put(out, function->name_ref.name);
    else
        free_names(l->s, function, out);
    for (size_t i = 0; i < out->len; i++) {
        FreeNames more = {0};
        Ast *called = shared_function(l, out->data[i].name);
        if (called) free_names(l->s, called, &more);
        for (size_t k = 0; k < more.len; k++) places_put(out, more.data[k].name);
        vec_free(&more);
    }
}

/* What it assigns outside of itself. */
void shared_written(Look *l, Ast *function)
{
    FreeNames names = {0};
    free_names(l->s, function, &names);
    for (size_t i = 0; i < names.len; i++) {
        const FreeName *n = &names.data[i];
        if (n->writes >= FREE_PARTS)
            shared_name(l, n->name, n->writes == FREE_PARTS ? FREE_PARTS : FREE_ITSELF)->written =
                true;
        if (function->kind == AST_LAMBDA) places_put(&l->values, n->name);
    }
    vec_free(&names);
}

/* What is captured by lambdas that are kept and changes under them. */
static void share_changing(Look *l)
{
    for (size_t i = 0; i < l->stored.len; i++) {
        const Stored *f = &l->stored.data[i];
        FreeNames names = {0}, reached = {0};
        if (!f->call && f->function->kind == AST_NAME_REF &&
            !shared_function(l, f->function->name_ref.name))
            continue;
        all_names(l, f->function, &names);
        if (f->call) all_names(l, (Ast *)f->call, &reached);
        bool some = f->call && keeps_assigned(l->s, f->call, f->function);
        for (size_t k = 0; k < l->places.changes.len; k++) {
            const Place *change = &l->places.changes.data[k];
            if (!places_has(&names, change->name)) continue;
            if (f->call ? !places_called_during(&l->places, f, change, &reached)
                        : !places_called_after(&l->places, f, change))
                continue;
            shared_name(l, change->name, change->how);
            some = true;
        }
        if (f->call && !some) vec_push(&l->used_up, f->function->loc);
        vec_free(&names);
        vec_free(&reached);
    }
}

static const Shared *result(Look *l)
{
    Sema *s = l->s;
    if (!l->all.len && !l->used_up.len) return NULL;
    Shared *out = arena_new_of(s->arena, Shared);
    out->count = l->all.len;
    out->names = arena_copy(s->arena, l->all.data, sizeof *l->all.data * l->all.len);
    out->nused_up = l->used_up.len;
    out->used_up = arena_copy(s->arena, l->used_up.data, sizeof(Loc) * l->used_up.len);
    return out;
}

const Shared *shared_collect(Sema *s, const AstList *params, const AstList *stmts)
{
    Look l = {.s = s, .places.s = s, .places.top = !params && !s->func};
    look_body(&l, params, stmts);
    for (size_t i = 0; i < l.functions.len; i++)
        if (places_has(&l.values, l.functions.data[i]->func.name))
            shared_written(&l, l.functions.data[i]);
    share_changing(&l);
    const Shared *out = result(&l);
    vec_free(&l.all);
    vec_free(&l.values);
    vec_free(&l.empty);
    vec_free(&l.stored);
    places_free(&l.places);
    vec_free(&l.used_up);
    vec_free(&l.functions);
    return out;
}

/* ---- what was found -------------------------------------------------------------------------- */

static const SharedName *find(const Shared *shared, const char *name)
{
    for (size_t i = 0; shared && i < shared->count; i++)
        if (shared->names[i].name == name) return &shared->names[i];
    return NULL;
}

bool shared_has(const Shared *shared, const char *name)
{
    const SharedName *n = find(shared, name);
    return n && n->how == FREE_ITSELF;
}

bool shared_has_typed(const Shared *shared, const char *name, const Type *type)
{
    const SharedName *n = find(shared, name);
    bool array = type && type->kind == TY_ARRAY, parts = class_has_parts(type);
    return n && (n->how == FREE_ITSELF || parts || (array && n->how == FREE_ELEMENTS));
}

bool shared_is_recursive(const Shared *shared, const char *name)
{
    const SharedName *n = find(shared, name);
    return n && n->recursive;
}

bool shared_is_written(const Shared *shared, const char *name)
{
    const SharedName *n = find(shared, name);
    return n && n->written;
}

bool shared_is_kept(const Shared *shared, const Ast *function)
{
    for (size_t i = 0; shared && i < shared->nused_up; i++)
        if (shared->used_up[i].begin == function->loc.begin &&
            shared->used_up[i].end == function->loc.end &&
            shared->used_up[i].file == function->loc.file)
            return false;
    return true;
}
