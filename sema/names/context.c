/* Declarations are looked at when they are first needed, which may be in the middle of a function:
 * checking leaves that place, sees only what the declaration sees, and comes back. */
#include "../check/check.h"

static Context context_save(const Sema *s)
{
    return (Context){.func = s->func,
                     .ret = s->ret,
                     .loops = s->loops,
                     .breakable = s->breakable,
                     .choice = s->choice,
                     .catches = s->catches,
                     .finals = s->finals,
                     .functional = s->functional,
                     .index_depth = s->index_depth,
                     .quiet = s->quiet,
                     .defining = s->defining,
                     .depth = s->depth,
                     .func_depth = s->func_depth,
                     .globals = s->globals,
                     .floor = s->floor,
                     .class_depth = s->class_depth,
                     .cls = s->cls,
                     .instance = s->instance,
                     .locals = s->locals,
                     .shared = s->shared,
                     .returned = s->returned};
}

static void bind_params(Sema *s, const Instance *instance)
{
    if (!instance) return;
    s->instance = instance;
    for (int i = 0; i < instance->nparams; i++) scope_bind(s, instance->params[i]);
}

Context context_enter(Sema *s, const Symbol *decl)
{
    Context saved = context_save(s);
    s->func = NULL;
    s->ret = NULL;
    s->locals = NULL;
    s->shared = NULL;
    s->returned = NULL;
    s->choice = NULL;
    s->loops = s->breakable = s->catches = s->finals = s->functional = s->index_depth = 0;
    s->quiet = 0;
    s->defining = NULL;
    s->globals = decl_depth(s, decl);
    s->floor = s->depth > s->globals ? s->depth : s->globals;
    s->cls = decl->cls;
    s->instance = NULL;
    scope_push(s);
    if (decl->cls) bind_params(s, decl->cls->sym->instance);
    if (decl->kind != SYM_TYPE || !decl->cls) bind_params(s, decl->instance);
    s->class_depth = s->func_depth = s->depth;
    return saved;
}

void context_leave(Sema *s, const Context *saved)
{
    while (s->depth > saved->depth) scope_pop(s);
    s->func = saved->func;
    s->ret = saved->ret;
    s->loops = saved->loops;
    s->breakable = saved->breakable;
    s->choice = saved->choice;
    s->catches = saved->catches;
    s->finals = saved->finals;
    s->functional = saved->functional;
    s->index_depth = saved->index_depth;
    s->quiet = saved->quiet;
    s->defining = saved->defining;
    s->func_depth = saved->func_depth;
    s->globals = saved->globals;
    s->floor = saved->floor;
    s->class_depth = saved->class_depth;
    s->cls = saved->cls;
    s->instance = saved->instance;
    s->locals = saved->locals;
    s->shared = saved->shared;
    s->returned = saved->returned;
}
