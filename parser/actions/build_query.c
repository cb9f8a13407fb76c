/* Queries, translated as they are read (C# language specification, Query expression translation). Of several
 * variables each element of what a clause gives is a tuple:
 *
 *   from x in xs where c select v         xs.Where(x => c).Select(x => v)
 *   from x in xs let y = e where c ..     xs.Select(x => (x: x, y: e)).Where(q => c of q.x, q.y) ..
 *   from x in xs from y in ys ..          xs.SelectMany(x => ys, (x, y) => (x: x, y: y)) ..
 *   join y in ys on k equals l            .Join(ys, x => k, y => l, (x, y) => (x: x, y: y))
 *   group v by k                          .GroupBy(x => k, x => v) */
#include <string.h>

#include "build.h"

static const char *fresh(Parse *p)
{
    return intern_cstr(p->names, arena_printf(p->arena, "$q%d", ++p->unnamed));
}

static Ast *call(Parse *p, Loc loc, Ast *source, const char *method, AstList args)
{
    Ast *callee = build_member(p, loc, source, intern_cstr(p->names, method));
    return build_call(p, loc, callee, args);
}

static Ast *call_with(Parse *p, Loc loc, const Ast *query, const char *method, Ast *arg)
{
    return call(p, loc, query->query.source, method, build_one(p, arg));
}

static Ast *lambda_of(Parse *p, Loc loc, AstList names, Ast *body)
{
    return build_let(p, loc, AST_LAMBDA, names, body);
}

/* ---- the variables of a query in an expression ------------------------------------------------ */

typedef struct Use {
    Parse *p;
    const AstList *names;
    const char *element;
} Use;

static bool is_variable(const AstList *names, const char *name)
{
    for (int i = 0; i < names->len; i++)
        if (names->data[i]->name_ref.name == name) return true;
    return false;
}

static void use_element(Ast **slot, void *ctx)
{
    const Use *u = ctx;
    Ast *n = *slot;
    if (!n) return;
    if (n->kind == AST_NAME_REF && is_variable(u->names, n->name_ref.name)) {
        Ast *element = build_name(u->p, n->loc, u->element);
        *slot = build_member(u->p, n->loc, element, n->name_ref.name);
        return;
    }
    if (n->kind == AST_BINDER) { /* its names are new ones */
        use_element(&n->binder.constraint, ctx);
        return;
    }
    ast_each_child(n, use_element, ctx);
}

/* e over an element: its one variable, or a tuple of all. *name is that of the element. */
static Ast *over(Parse *p, const Ast *query, Ast *e, const char **name)
{
    const AstList *names = &query->query.names;
    *name = names->len == 1 ? names->data[0]->name_ref.name : fresh(p);
    Use u = {p, names, *name};
    if (names->len > 1) use_element(&e, &u);
    return e;
}

static Ast *lambda(Parse *p, const Ast *query, Ast *e)
{
    const char *name;
    Loc loc = e->loc;
    e = over(p, query, e, &name);
    return lambda_of(p, loc, build_one(p, build_name(p, loc, name)), e);
}

/* (x: x, y: y, .., more: value), over an element of that name. */
static Ast *element_with(Parse *p, Loc loc, const Ast *query, const char *element, const char *more,
                         Ast *value)
{
    const AstList *names = &query->query.names;
    AstList items = {0};
    for (int i = 0; i < names->len; i++) {
        const char *name = names->data[i]->name_ref.name;
        Ast *of = build_name(p, loc, element);
        if (names->len > 1) of = build_member(p, loc, of, name);
        items = build_add(p, items, build_constraint(p, loc, build_name(p, loc, name), of));
    }
    items = build_add(p, items, build_constraint(p, loc, build_name(p, loc, more), value));
    return build_tuple(p, loc, items);
}

static Ast *with_variable(Parse *p, Loc loc, const Ast *query, const char *name, Ast *source)
{
    AstList names = build_join(p, query->query.names, build_one(p, build_name(p, loc, name)));
    return BUILD(QUERY, query, loc, .source = source, .names = names);
}

static Ast *same_variables(Parse *p, Loc loc, const Ast *query, Ast *source)
{
    return BUILD(QUERY, query, loc, .source = source, .names = query->query.names);
}

/* from T x: what is no T is an exception. */
static Ast *typed(Parse *p, Ast *type, Ast *source)
{
    if (!type) return source;
    return build_type_args(p, call(p, source->loc, source, "Cast", (AstList){0}),
                           build_one(p, type));
}

/* ---- clauses ---------------------------------------------------------------------------------- */

Ast *build_query(Parse *p, Loc loc, const char *name, Ast *type, Ast *source)
{
    return BUILD(QUERY, query, loc, .source = typed(p, type, source),
                 .names = build_one(p, build_name(p, loc, name)));
}

Ast *build_query_from(Parse *p, Loc loc, Ast *query, const char *name, Ast *type, Ast *source)
{
    const char *element;
    source = over(p, query, typed(p, type, source), &element);
    AstList one = build_one(p, build_name(p, loc, element)), two;
    two = build_add(p, build_one(p, build_name(p, loc, element)), build_name(p, loc, name));
    Ast *both = element_with(p, loc, query, element, name, build_name(p, loc, name));
    AstList args = build_one(p, lambda_of(p, loc, one, source));
    args = build_add(p, args, lambda_of(p, loc, two, both));
    return with_variable(p, loc, query, name,
                         call(p, loc, query->query.source, "SelectMany", args));
}

Ast *build_query_let(Parse *p, Loc loc, Ast *query, const char *name, Ast *value)
{
    const char *element;
    value = over(p, query, value, &element);
    Ast *both = element_with(p, loc, query, element, name, value);
    AstList one = build_one(p, build_name(p, loc, element));
    return with_variable(p, loc, query, name,
                         call_with(p, loc, query, "Select", lambda_of(p, loc, one, both)));
}

Ast *build_query_where(Parse *p, Loc loc, Ast *query, Ast *cond)
{
    return same_variables(p, loc, query, call_with(p, loc, query, "Where", lambda(p, query, cond)));
}

Ast *build_query_join(Parse *p, Loc loc, Ast *query, const char *name, Ast *source, Ast *key,
                      Ast *other_key, const char *into)
{
    const char *found = into ? into : name, *element;
    key = over(p, query, key, &element);
    AstList left = build_one(p, build_name(p, loc, element)),
            right = build_one(p, build_name(p, loc, name)),
            both = build_one(p, build_name(p, loc, element));
    both = build_add(p, both, build_name(p, loc, found));
    AstList args = build_one(p, source);
    args = build_add(p, args, lambda_of(p, loc, left, key));
    args = build_add(p, args, lambda_of(p, loc, right, other_key));
    Ast *result = element_with(p, loc, query, element, found, build_name(p, loc, found));
    args = build_add(p, args, lambda_of(p, loc, both, result));
    const char *method = into ? "GroupJoin" : "Join";
    return with_variable(p, loc, query, found, call(p, loc, query->query.source, method, args));
}

Ast *build_query_order(Parse *p, Loc loc, Ast *query, const char *method, Ast *key)
{
    return same_variables(p, loc, query, call_with(p, loc, query, method, lambda(p, query, key)));
}

Ast *build_query_select(Parse *p, Loc loc, Ast *query, Ast *value)
{
    return call_with(p, loc, query, "Select", lambda(p, query, value));
}

Ast *build_query_group(Parse *p, Loc loc, Ast *query, Ast *value, Ast *key)
{
    const AstList *names = &query->query.names;
    bool whole = names->len == 1 && value->kind == AST_NAME_REF &&
                 value->name_ref.name == names->data[0]->name_ref.name;
    AstList args = build_one(p, lambda(p, query, key));
    if (!whole) args = build_add(p, args, lambda(p, query, value));
    return call(p, loc, query->query.source, "GroupBy", args);
}
