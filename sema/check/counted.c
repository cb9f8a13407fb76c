/* Places counted from the end, and slices, of objects: as in C#, where x has an int Count or Length,
 *
 *     x[^n]           x[x.Count - n]
 *     x[a..^b]        { var from = a; return x.Slice(from, x.Count - b - from); }
 *
 * x is evaluated once: what is no plain variable or field is the argument of a function, or in front
 * of an assignment a variable.
 */
#include "check.h"

const char *counted_name(Sema *s, const Type *t)
{
    static const char *const names[] = {"Count", "Length"};
    Class *c = class_of(t);
    for (int i = 0; c && i < 2; i++) {
        const Symbol *m = member_find(s, c, intern_cstr(s->names, names[i]));
        if (m && (m->kind == SYM_PROPERTY || m->kind == SYM_FIELD) && m->type == s->integer)
            return names[i];
    }
    return NULL;
}

static bool is_counted(Sema *s, const Ast *n, const Type *t)
{
    return is_slice(n) && n->index.args.len == 1 && counted_name(s, t);
}

/* A checked base that gives the same twice. */
static bool is_plain(const Ast *base)
{
    if (base->kind == AST_MEMBER)
        return base->sym && base->sym->kind == SYM_FIELD && is_plain(base->member.base);
    return base->kind == AST_NAME_REF || base->kind == AST_THIS || base->kind == AST_TYPE_NAME;
}

/* ^n as x.Count - n; NULL as x.Count. x: an unchecked tree, `count` its member. */
static Ast *from_start(Sema *s, Ast *place, const Ast *x, const char *count)
{
    if (place && !is_from_end(place)) return place;
    Loc loc = place ? place->loc : x->loc;
    Ast *all = tree_member(s, loc, ast_clone(s->arena, x), count);
    return place ? tree_binary(s, loc, AST_OP_SUB, all, place->unary.operand) : all;
}

static Ast *element(Sema *s, const Ast *n, const Ast *x, const char *count)
{
    Ast *at = ast_new(s->arena, AST_INDEX, n->loc);
    at->index.base = ast_clone(s->arena, x);
    at->index.args =
        ast_list_add(s->arena, (AstList){0}, from_start(s, n->index.args.data[0], x, count));
    return at;
}

static Ast *slice(Sema *s, const Ast *range, const Ast *x, const char *count)
{
    Loc loc = range->loc;
    const char *from = intern_cstr(s->names, "$from");
    Ast *lo = range->range.lo ? from_start(s, range->range.lo, x, count) : tree_int(s, loc, 0);
    Ast *hi = from_start(s, range->range.hi, x, count);
    Ast *call = tree_call(s, loc, tree_member(s, loc, ast_clone(s->arena, x), "Slice"), 2,
                          tree_name(s, loc, from),
                          tree_binary(s, loc, AST_OP_SUB, hi, tree_name(s, loc, from)));
    return tree_block(s, loc, 2, tree_local(s, loc, NULL, from, lo), tree_return(s, call));
}

bool check_counted(Sema *s, Ast **slot, const Ast *again)
{
    Ast *n = *slot, *base = n->index.base, *arg = n->index.args.data[0];
    if (base->type == s->error || !is_counted(s, n, base->type)) return false;
    const char *count = counted_name(s, base->type);
    if (arg->kind != AST_RANGE && is_plain(base)) {
        *slot = element(s, n, again, count);
    } else {
        Ast *x = tree_name(s, base->loc, "$x");
        Ast *block = arg->kind == AST_RANGE
                         ? slice(s, arg, x, count)
                         : tree_block(s, n->loc, 1, tree_return(s, element(s, n, x, count)));
        Ast *param = tree_param(s, base->loc, type_node(s, base->loc, base->type), "$x");
        AstList params = ast_list_add(s->arena, (AstList){0}, param);
        AstList args = ast_list_add(s->arena, (AstList){0}, ast_clone(s->arena, again));
        Ast *call = local_block(s, "place", block, params, args, NULL);
        n->type = s->error;
        if (!call) return true;
        *slot = call;
    }
    check_expr(s, slot, NULL);
    return true;
}

bool place_counted(Sema *s, Ast *n, const Ast *again)
{
    const Ast *base = n->index.base;
    if (base->type == s->error || !is_counted(s, n, base->type)) return false;
    Ast **arg = &n->index.args.data[0];
    if ((*arg)->kind == AST_RANGE || !is_plain(base)) {
        report(s, n->loc, NOT_ASSIGNABLE,
               (*arg)->kind == AST_RANGE
                   ? "a slice of a '%s' is not assigned: write a loop"
                   : "a place from the end of this '%s' is assigned in a statement of its own",
               type_text(s->arena, base->type));
        n->type = s->error;
        return true;
    }
    *arg = from_start(s, *arg, again, counted_name(s, base->type));
    return false;
}

/* Is *base to be a variable of its own? */
static bool needs_variable(Sema *s, const Ast *n)
{
    if (!is_slice(n)) return false;
    Ast *copy = ast_clone(s->arena, n->index.base);
    int errors = s->quiet_errors;
    s->quiet++;
    const Type *t = check_value(s, &copy, NULL);
    s->quiet--;
    s->quiet_errors = errors;
    return t != s->error && is_counted(s, n, t) && !is_plain(copy);
}

/* The innermost object of a target that is to be a variable of its own, or NULL. */
static Ast **object_of(Sema *s, Ast *target)
{
    Ast **base = target->kind == AST_MEMBER  ? &target->member.base
                 : target->kind == AST_INDEX ? &target->index.base
                                             : NULL;
    Ast **inner = base ? object_of(s, *base) : NULL;
    if (inner) return inner;
    return target->kind == AST_INDEX && needs_variable(s, target) ? base : NULL;
}

bool counted_statement(Sema *s, Ast **slot)
{
    Ast *stmt = *slot, *e = stmt->expr_stmt.expr;
    Ast *target = ast_target(e);
    Ast **object = target ? object_of(s, target) : NULL;
    if (!object) return false;
    Loc loc = (*object)->loc;
    const char *name = arena_printf(s->arena, "$x%d", ++s->synthetic);
    Ast *variable = tree_local(s, loc, NULL, intern_cstr(s->names, name), *object);
    *object = tree_name(s, loc, name);
    *slot = tree_block(s, stmt->loc, 2, variable, stmt);
    check_stmt(s, slot);
    return true;
}
