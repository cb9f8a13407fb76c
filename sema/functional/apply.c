/* Functional values applied: f(x), a[i], and composition with other functions; what else can stand
 * before brackets. */
#include "../check/check.h"

bool convert_index(Sema *s, Ast **slot, const Type *param, const char *what)
{
    const Type *t = result_of((*slot)->type);
    bool wide = type_is_scalar(t, SC_LONG) || type_is_scalar(t, SC_UINT);
    if (!type_is_scalar(param, SC_INT) || !wide) return convert_result(s, slot, param, what);
    const Type *from = (*slot)->type;
    convert_wrap(s, slot,
                 type_is_functional(from) ? type_func(s->types, param, from->nparams, from->params)
                                          : param);
    return true;
}

static bool is_mask(const Ast *index)
{
    const Type *t = index->type;
    return type_is_functional(t) && type_is_scalar(result_of(t), SC_BOOL);
}

/* An argument that is itself the function that a parameter asks for: nothing is promoted. */
static bool is_passed(Sema *s, const Ast *arg, const Type *param)
{
    return param && type_is_functional(param) && convert_class(s, arg, param) != CONV_NONE;
}

void apply_function(Sema *s, Ast *n, const Type *f, const char *name, AstList args)
{
    n->type = s->error;
    bool broken = false;
    Ast *promoted[MAX_PARAMS];
    int npromoted = 0;
    s->index_depth++;
    for (int i = 0; i < args.len; i++) {
        if (!argument_form(s, &args, i)) {
            broken = true;
            continue;
        }
        const Type *hint = i < f->nparams ? f->params[i] : NULL;
        broken = check_value(s, &args.data[i], hint) == s->error || broken;
    }
    s->index_depth--;
    if (args.len != f->nparams) {
        report(s, n->loc, INDEX_COUNT, "'%s' has %d parameter%s, not %d%s", type_text(s->arena, f),
               f->nparams, f->nparams == 1 ? "" : "s", args.len,
               n->kind == AST_INDEX && args.len == 1 && f->nparams == 2
                   ? "; a row is m[i, ..], a column m[.., j]"
                   : "");
        return;
    }
    if (n->kind == AST_INDEX && args.len == 1 && !broken && is_mask(args.data[0])) {
        report(s, args.data[0]->loc, FOREIGN,
               "mask as an index: C$ has none; write Array.Where(a, a > 0)");
        return;
    }
    for (int i = 0; i < args.len && !broken; i++) {
        const char *what = name ? arena_printf(s->arena, "index %d of '%s'", i + 1, name)
                                : arena_printf(s->arena, "index %d", i + 1);
        if (is_passed(s, args.data[i], f->params[i])) {
            broken = !convert_to(s, &args.data[i], f->params[i], what);
            continue;
        }
        if (type_is_functional(args.data[i]->type)) promoted[npromoted++] = args.data[i];
        broken = !convert_index(s, &args.data[i], f->params[i], what);
    }
    if (f->result == s->voids) pure_impure(s, "calls a function that gives nothing", n->loc);
    n->res = npromoted ? AST_RES_PROMOTE : AST_RES_APPLY;
    n->type =
        broken || !npromoted ? f->result : promoted_type(s, n->loc, f->result, promoted, npromoted);
}

void check_index(Sema *s, Ast **slot)
{
    Ast *n = *slot, *again = index_copy(s, n);
    check_value(s, &n->index.base, NULL);
    if (again) index_places(s, n, again);
    if (again && check_counted(s, slot, again)) return;
    check_indexed(s, n);
    place_value(s, n);
}

void check_indexed(Sema *s, Ast *n)
{
    Ast **base = &n->index.base;
    const Type *t = require_value(s, *base);
    n->type = s->error;
    if (check_indexer(s, n)) return;
    t = object_function(s, base);
    if (is_slice(n)) {
        check_slice(s, n);
        return;
    }
    if (t == s->string && n->index.args.len == 1) {
        if (check_value(s, &n->index.args.data[0], s->integer) == s->error) return;
        if (convert_to(s, &n->index.args.data[0], s->integer, "the index"))
            n->type = type_scalar(s->types, SC_CHAR);
        return;
    }
    if (type_is_functional(t)) {
        const char *name = (*base)->kind == AST_NAME_REF ? (*base)->name_ref.name : NULL;
        apply_function(s, n, t, name, n->index.args);
        return;
    }
    int errors = s->quiet_errors;
    s->quiet++; /* the indices of what cannot be indexed */
    for (int i = 0; i < n->index.args.len; i++) check_value(s, &n->index.args.data[i], NULL);
    s->quiet--;
    s->quiet_errors = errors;
    if (t != s->error)
        report(s, n->loc, NOT_CALLABLE, "a value of type '%s' cannot be indexed",
               type_text(s->arena, t));
}

/* An object of a class that derives from a functional type stands for that function. */
const Type *object_function(Sema *s, Ast **slot)
{
    const Class *c = class_of((*slot)->type);
    if (!c || !c->function) return (*slot)->type;
    convert_wrap(s, slot, c->function);
    return c->function;
}
