/* Derivatives of derivatives. With $back_f(x, s), what f changes by x times s, and $change_f(x, dx), its change along dx:
 *
 *     back of it, for u:        by x  $back_change_f(x, u, s)     by s  $change_f(x, u)
 *     along dx and ds:          $back_change_f(x, dx, s) + $back_f(x, ds)
 *
 * since the order of derivatives does not matter. What goes along is a function like others. */
#include "host.h"

typedef struct Second {
    Sema *s;
    Loc loc;
    const DerivedFrom *m; /* what $back_f is made of, or what gives the value, too */
    unsigned by;          /* the parameters of that which are differentiated by; the last is s */
    int n;                /* parameters of f */
    const char *changes[MAX_PARAMS + 1]; /* of those, as they are named here */
    AstList *out;
} Second;

static Ast *name(const Second *d, const char *text)
{
    return tree_name(d->s, d->loc, text);
}

static const char *param(const Second *d, int i)
{
    return d->m->f->decl->func.params.data[i]->param.name;
}

static const Type *type_of(const Second *d, int i)
{
    return d->m->f->type->params[i];
}

static bool is_by(unsigned mask, int i)
{
    return i < 32 && mask >> i & 1;
}

/* The parameters of f among those. */
static unsigned of_f(const Second *d)
{
    return d->n < 32 ? d->by & ((1u << d->n) - 1) : d->by;
}

static AstList add(const Second *d, AstList list, Ast *one)
{
    return ast_list_add(d->s->arena, list, one);
}

/* A variable with the value of a call over f's parameters and what comes behind; NULL after a report. */
static Ast *call(const Second *d, const Symbol *f, AstList behind, Ast *last)
{
    if (!f) return NULL;
    Ast *n = tree_call(d->s, d->loc, name(d, f->name), 0);
    for (int i = 0; i < d->n; i++) n->call.args = add(d, n->call.args, name(d, param(d, i)));
    for (int i = 0; i < behind.len; i++)
        n->call.args = add(d, n->call.args, ast_clone(d->s->arena, behind.data[i]));
    if (last) n->call.args = add(d, n->call.args, ast_clone(d->s->arena, last));
    const char *text = code_fresh(d->s, "part");
    code_local(d->s, d->out, d->loc, NULL, text, n);
    return name(d, text);
}

static const Symbol *made(const Second *d, Symbol *f, DerivedWay way, unsigned by)
{
    return f ? derived_function(d->s, f, way, by, d->loc) : NULL;
}

static const Symbol *change_of(const Second *d, unsigned by)
{
    return made(d, d->m->of, DERIVED_CHANGE, by);
}

/* Part i of a tuple of so many, of one: itself. */
static Ast *part(const Second *d, const Ast *whole, int parts, int i)
{
    Ast *n = ast_clone(d->s->arena, whole);
    if (parts == 1) return n;
    return tree_member(d->s, d->loc, n, arena_printf(d->s->arena, "Item%d", i + 1));
}

/* Of f's derivatives by `of` times s the change along these changes of `along`. */
static Ast *twice(const Second *d, unsigned along, AstList changes, unsigned of)
{
    Symbol *change = (Symbol *)(uintptr_t)change_of(d, along);
    return call(d, made(d, change, DERIVED_BACK, of), changes, name(d, param(d, d->n)));
}

/* The derivatives, where what the function gives changes the result by u. */
static bool go_back(const Second *d, const Ast *u, AstList *items)
{
    const bool both = d->m->way == DERIVED_BOTH;
    const unsigned params = of_f(d);
    const Ast *by = both ? part(d, u, 2, 1) : u;
    Ast *first = NULL, *second = NULL;
    AstList changes = {0};
    int parts = __builtin_popcount(d->m->by), count = __builtin_popcount(params);
    for (int i = 0; i < parts; i++) changes = add(d, changes, part(d, by, parts, i));
    if (params && !(first = twice(d, d->m->by, changes, params))) return false;
    if (params && both) {
        const Symbol *back = made(d, d->m->of, DERIVED_BACK, params);
        if (!(second = call(d, back, (AstList){0}, part(d, u, 2, 0)))) return false;
    }
    for (int i = 0, k = 0; i < d->n; i++) {
        if (!is_by(params, i)) continue;
        Ast *n = part(d, first, count, k);
        if (second) n = code_plus(d->s, d->loc, type_of(d, i), n, part(d, second, count, k));
        *items = add(d, *items, n);
        k++;
    }
    if (!is_by(d->by, d->n)) return true;
    Ast *seed = call(d, change_of(d, d->m->by), changes, NULL);
    if (seed) *items = add(d, *items, seed);
    return seed != NULL;
}

/* The change of what the function gives along those of its parameters. NULL after a report. */
static Ast *go_along(const Second *d)
{
    const bool both = d->m->way == DERIVED_BOTH;
    const unsigned params = of_f(d);
    Ast *first = NULL, *second = NULL;
    AstList changes = {0}, items = {0};
    int parts = __builtin_popcount(d->m->by);
    for (int i = 0; i < d->n; i++)
        if (is_by(params, i)) changes = add(d, changes, name(d, d->changes[i]));
    if (params && !(first = twice(d, params, changes, d->m->by))) return NULL;
    if (is_by(d->by, d->n)) {
        const Symbol *back = made(d, d->m->of, DERIVED_BACK, d->m->by);
        second = call(d, back, (AstList){0}, name(d, d->changes[d->n]));
        if (!second) return NULL;
    }
    for (int i = 0, k = 0; i < d->n; i++) {
        if (!is_by(d->m->by, i)) continue;
        Ast *a = first ? part(d, first, parts, k) : NULL,
            *b = second ? part(d, second, parts, k) : NULL;
        items = add(d, items, a && b ? code_plus(d->s, d->loc, type_of(d, i), a, b) : a ? a : b);
        k++;
    }
    Ast *change = tree_tuple(d->s, d->loc, items);
    if (!both) return change;
    Variable value = {.name = param(d, d->n), .type = type_of(d, d->n)};
    Ast *own =
        params ? call(d, change_of(d, params), changes, NULL) : code_zero(d->s, d->loc, &value);
    if (!own) return NULL;
    return tree_tuple(d->s, d->loc, add(d, add(d, (AstList){0}, own), change));
}

static void add_param(const Second *d, AstList *params, const Type *t, const char *text)
{
    Ast *p = tree_param(d->s, d->loc, type_node(d->s, d->loc, t), text);
    p->type = t;
    *params = add(d, *params, p);
}

/* The type of the derivatives. */
static Ast *types_of(const Second *d)
{
    const Type *types[MAX_PARAMS];
    int count = 0;
    for (int i = 0; i <= d->n; i++)
        if (is_by(d->by, i)) types[count++] = type_of(d, i);
    return code_tuple_type(d->s, d->loc, count, types);
}

bool second_function(Sema *s, const DerivedFrom *m, DerivedWay way, unsigned by, Loc loc,
                     AstList *params, AstList *stmts, Ast **result)
{
    Second d = {.s = s, .loc = loc, .m = m, .by = by, .n = m->of->type->nparams, .out = stmts};
    const Type *t = m->f->type->result;
    const bool back = way == DERIVED_BACK || way == DERIVED_BOTH;
    const char *u = code_fresh(s, "u");
    AstList items = {0}, own = {0};
    for (int i = 0; i <= d.n; i++) add_param(&d, params, type_of(&d, i), param(&d, i));
    for (int i = 0; i <= d.n && !back; i++)
        if (is_by(by, i))
            add_param(&d, params, type_of(&d, i), d.changes[i] = code_change(s, param(&d, i)));
    if (back) add_param(&d, params, t, u);
    Ast *change = back ? NULL : go_along(&d);
    if (back && go_back(&d, name(&d, u), &items)) change = tree_tuple(s, loc, items);
    if (!change) return false;
    *result = back ? types_of(&d) : type_node(s, loc, t);
    if (way == DERIVED_ALONG || way == DERIVED_BOTH) {
        Ast *both = ast_new(s->arena, AST_TYPE_TUPLE, loc);
        code_add_item(s, both, type_node(s, loc, t));
        code_add_item(s, both, *result);
        *result = both;
        own = add(&d, own, call(&d, m->f, own, name(&d, param(&d, d.n))));
        change = tree_tuple(s, loc, add(&d, own, change));
    }
    *stmts = add(&d, *stmts, tree_return(s, change));
    return true;
}
