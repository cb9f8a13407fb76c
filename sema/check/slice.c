/* Slices: indices with `..` or `^` in the brackets. Bounds are domain indices, or counted from the
 * end; an index drops its dimension, what remains begins at 0. The node stays an INDEX: its meaning
 * is lowering's (reading) or the host's (assignment, strings). Of objects see counted.c.
 */
#include "check.h"

bool is_from_end(const Ast *a)
{
    return a->kind == AST_UNARY && a->unary.op == AST_OP_FROM_END;
}

bool is_slice(const Ast *n)
{
    if (n->kind != AST_INDEX) return false;
    for (int i = 0; i < n->index.args.len; i++)
        if (n->index.args.data[i]->kind == AST_RANGE || is_from_end(n->index.args.data[i]))
            return true;
    return false;
}

/* Conversions change nothing of a range. */
Ast *sema_range_of(Ast *arg)
{
    while (arg->kind == AST_CONVERT) arg = arg->convert.operand;
    return arg->kind == AST_RANGE ? arg : NULL;
}

bool sema_is_part(const Ast *target)
{
    if (target->kind != AST_INDEX || target->sym) return false;
    for (int i = 0; i < target->index.args.len; i++)
        if (sema_range_of(target->index.args.data[i])) return true;
    return false;
}

/* A bound or an index: of the dimension's type, perhaps under ^. */
static bool check_place(Sema *s, Ast **slot, const Type *t)
{
    Ast *n = *slot, **value = is_from_end(n) ? &n->unary.operand : slot;
    const Type *from = check_value(s, value, t);
    if (type_is_functional(from)) {
        report(s, (*value)->loc, CONVERSION, "an index of a slice is a number, not a '%s'",
               type_text(s->arena, from));
        from = s->error;
    }
    if (is_from_end(n)) n->type = from == s->error ? from : t;
    return from != s->error && convert_index(s, value, t, "an index of the slice");
}

static bool check_places(Sema *s, Ast **arg, const Type *t)
{
    if ((*arg)->kind != AST_RANGE) return check_place(s, arg, t);
    (*arg)->type = s->voids; /* no value of its own */
    bool ok = true;
    if ((*arg)->range.lo) ok = check_place(s, &(*arg)->range.lo, t);
    if ((*arg)->range.hi) ok = check_place(s, &(*arg)->range.hi, t) && ok;
    return ok;
}

static bool is_index_type(const Sema *s, const Type *t)
{
    return t == s->integer || t == s->longs;
}

/* A slice of an array of strings or objects: by the library's SliceOf, a copy. The places are given
 * as two numbers each: where it counts from (0: as it is, 1: the end, 2: there is none). */
static void slice_by_library(Sema *s, Ast *n)
{
    Loc loc = n->loc;
    const Ast *range = n->index.args.data[0];
    Ast *places[] = {range->range.lo, range->range.hi};
    AstList args = ast_list_add(s->arena, (AstList){0}, n->index.base);
    for (int i = 0; i < 2; i++) {
        Ast *at = places[i];
        bool end = at && is_from_end(at);
        if (end) at = at->unary.operand;
        Ast *number = at ? at : tree_int(s, loc, 0), *kind = tree_int(s, loc,
                                                                      !at   ? 2
                                                                      : end ? 1
                                                                            : 0);
        if (!at) check_value(s, &number, s->integer);
        check_value(s, &kind, s->integer);
        args = ast_list_add(s->arena, args, number);
        args = ast_list_add(s->arena, args, kind);
    }
    Candidates set = candidates_of_user(s, scope_library(s, SYM_FUNC, "SliceOf"));
    set = generic_candidates(s, set, args, loc);
    if (!set.len) return;
    for (int i = 0; i < args.len; i++)
        convert_to(s, &args.data[i], set.data[0].params[i], "the slice");
    call_static(s, n, set.data[0].sym, args);
}

/* n->index.base is checked. */
void check_slice(Sema *s, Ast *n)
{
    const Type *t = n->index.base->type;
    AstList args = n->index.args;
    const Type *params[MAX_PARAMS];
    int ranges = 0;
    bool string = t == s->string, ok = true;
    n->type = s->error;
    if (t == s->error) return;
    if (!string && !type_is_functional(t)) {
        report(s, n->loc, NOT_CALLABLE, "a value of type '%s' cannot be sliced",
               type_text(s->arena, t));
        return;
    }
    if (args.len != (string ? 1 : t->nparams)) {
        report(s, n->loc, INDEX_COUNT, "'%s' has %d dimension%s, not %d", type_text(s->arena, t),
               string ? 1 : t->nparams, string || t->nparams == 1 ? "" : "s", args.len);
        return;
    }
    s->index_depth++;
    for (int i = 0; i < args.len; i++) {
        const Type *p = string ? s->integer : t->params[i];
        if (!is_index_type(s, p)) {
            report(s, n->loc, CONVERSION, "a '%s' cannot be sliced: parameter %d is no int",
                   type_text(s->arena, t), i + 1);
            ok = false;
            break;
        }
        if (args.data[i]->kind == AST_RANGE) params[ranges++] = p;
        ok = check_places(s, &args.data[i], p) && ok;
    }
    s->index_depth--;
    if (!ok) return;
    if (string) {
        n->type = ranges ? t : type_scalar(s->types, SC_CHAR);
        return;
    }
    n->type = ranges ? type_func(s->types, t->result, ranges, params) : t->result;
    if (!ranges) n->res = AST_RES_APPLY;
    if (ranges && t->kind == TY_ARRAY && t->nparams == 1 && type_is_hosted(t)) {
        slice_by_library(s, n);
    } else if (ranges && type_is_hosted(t)) {
        report(s, n->loc, NOT_SUPPORTED, "slices of a '%s' are not supported yet",
               type_text(s->arena, t));
        n->type = s->error;
    }
}
