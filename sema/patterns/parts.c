/* Patterns of parts: of what is taken apart by position, and of the elements of lists (pattern.c). */
#include "pattern.h"

/* Is the value looked at more than once? */
bool pattern_looks_again(const Ast *p)
{
    switch (p->kind) {
    case AST_PATTERN:
        return p->pattern.left ||
               (p->pattern.op == AST_OP_NOT && pattern_looks_again(p->pattern.right));
    case AST_PATTERN_OF: return p->pattern_of.positional || p->pattern_of.properties;
    case AST_PATTERN_LIST: return true;
    default: return false;
    }
}

Ast *pattern_part(Match *m, Subject part, Ast *p)
{
    Sema *s = m->s;
    bool narrows = m->narrows;
    m->narrows = false;
    if (p->kind == AST_FIELD) p = p->field.value;
    Ast *held = NULL;
    const Ast *base = part.tree->kind == AST_MEMBER ? part.tree->member.base : NULL;
    bool computed = !base || base->kind == AST_NAME_REF;
    if (computed && !s->functional && pattern_looks_again(p) &&
        pattern_type(s, &part)->kind == TY_OBJECT)
        held = pattern_hold(m, &part, p);
    Ast *cond = pattern_match(m, &part, p);
    m->narrows = narrows;
    return pattern_both(s, held, cond);
}

const Symbol *parts_method(Sema *s, Class *c, int n)
{
    const Symbol *f = c ? member_find(s, c, intern_cstr(s->names, "Deconstruct")) : NULL;
    while (f && (f->kind != SYM_FUNC || !f->type || f->type->nparams != n)) f = f->next;
    return f;
}

Ast *parts_call(Sema *s, Loc loc, const char *whole, const AstList *parts)
{
    Ast *call = tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, whole), "Deconstruct"), 0);
    for (int i = 0; i < parts->len; i++) {
        Ast *out = ast_new(s->arena, AST_UNARY, loc);
        out->unary.op = AST_OP_OUT;
        out->unary.operand = parts->data[i];
        call->call.args = ast_list_add(s->arena, call->call.args, out);
    }
    return tree_stmt(s, call);
}

Ast *parts_by_method(Sema *s, Loc loc, const Type *t, Ast *value, int n)
{
    Ast *tuple = ast_new(s->arena, AST_TUPLE, loc), *first = NULL;
    AstList parts = {0};
    for (int i = 0; i < n; i++) {
        const char *name = intern_cstr(s->names, arena_printf(s->arena, "$part%d", i));
        Ast *var = ast_new(s->arena, AST_DECL_EXPR, loc);
        var->decl_expr.vtype = ast_new(s->arena, AST_TYPE_VAR, loc);
        var->decl_expr.name = name;
        parts = ast_list_add(s->arena, parts, var);
        first = tree_name(s, loc, name);
        tuple->tuple.items = ast_list_add(s->arena, tuple->tuple.items, first);
    }
    Ast *call = parts_call(s, loc, "$value", &parts);
    Ast *block = tree_block(s, loc, 2, call, tree_return(s, n > 1 ? tuple : first));
    AstList params =
        ast_list_add(s->arena, (AstList){0}, tree_param(s, loc, type_node(s, loc, t), "$value"));
    AstList args = ast_list_add(s->arena, (AstList){0}, value);
    return local_block(s, "deconstruct", block, params, args, NULL);
}

/* What v.Deconstruct(out ..) gives, as the subject of a tuple: the condition that sets it. NULL if there
 * is no such method. */
static Ast *deconstructed(Match *m, Subject *v, Ast *p, int n)
{
    Sema *s = m->s;
    Class *c = class_of(pattern_type(s, v));
    const Symbol *any = c ? member_find(s, c, intern_cstr(s->names, "Deconstruct")) : NULL;
    const Symbol *f = parts_method(s, c, n);
    if (any && any->kind == SYM_FUNC && !f && !class_is_final_value(c)) {
        report(s, p->loc, CONVERSION, "'%s' has no Deconstruct of %d parts", c->type->name, n);
        return pattern_bad(s, p->loc);
    }
    if (n == 0 || (!f && !extension_takes_apart(s, v->type, n))) return NULL;
    Ast *parts = parts_by_method(s, p->loc, v->type, ast_clone(s->arena, v->tree), n);
    if (!parts) return pattern_bad(s, p->loc);
    *v = pattern_subject(parts);
    return pattern_hold(m, v, p);
}

Ast *pattern_positional(Match *m, const Subject *whole, Ast *p, const AstList *items)
{
    Sema *s = m->s;
    Subject v = *whole;
    const AstList *written = v.tree->kind == AST_TUPLE ? &v.tree->tuple.items : NULL;
    Ast *cond = NULL;
    if (!written || written->len != items->len) {
        const Type *t = result_of(pattern_type(s, &v));
        if (t == s->error) return pattern_bad(s, p->loc);
        written = NULL;
        cond = type_is_tuple(t) ? NULL : deconstructed(m, &v, p, items->len);
        const Class *c = class_of(t);
        bool one = cond && items->len == 1;
        if (cond && cond->type == s->error) return cond;
        if (one) return pattern_both(s, cond, pattern_part(m, v, items->data[0]));
        if (!cond && (!c || !class_is_final_value(c))) {
            report(s, p->loc, CONVERSION,
                   "a tuple, a value of a final class or what has Deconstruct has parts, not '%s'",
                   type_text(s->arena, t));
            return pattern_bad(s, p->loc);
        }
        if (!cond && c->nfields != items->len) {
            report(s, p->loc, CONVERSION, "'%s' has %d parts, not %d", type_text(s->arena, t),
                   c->nfields, items->len);
            return pattern_bad(s, p->loc);
        }
    }
    const Class *c = written ? NULL : class_of(result_of(pattern_type(s, &v)));
    for (int i = 0; i < items->len; i++) {
        Ast *item = items->data[i];
        Ast *value = written ? written->data[i] : NULL;
        if (value && value->kind == AST_BINDER && value->binder.constraint)
            value = value->binder.constraint;
        Subject part =
            value ? pattern_subject(value) : pattern_member(s, &v, item->loc, c->fields[i]->name);
        cond = pattern_both(s, cond, pattern_part(m, part, item));
    }
    return cond;
}

static Ast *index_of(Sema *s, const Subject *v, Loc loc, Ast *index)
{
    Ast *n = ast_new(s->arena, AST_INDEX, loc);
    n->index.base = ast_clone(s->arena, v->tree);
    n->index.args = ast_list_add(s->arena, (AstList){0}, index);
    return n;
}

/* ^n */
static Ast *from_end(Sema *s, Loc loc, int n)
{
    Ast *end = ast_new(s->arena, AST_UNARY, loc);
    end->unary.op = AST_OP_FROM_END;
    end->unary.operand = tree_int(s, loc, (uint64_t)n);
    return end;
}

Ast *pattern_list(Match *m, Subject *v, Ast *p)
{
    Sema *s = m->s;
    const AstList *items = &p->pattern_list.items;
    const Type *t = pattern_type(s, v);
    if (t == s->error) return pattern_bad(s, p->loc);
    Class *c = class_of(t);
    const char *count =
        c && member_find(s, c, intern_cstr(s->names, "this")) ? counted_name(s, t) : NULL;
    if (!count && t->kind != TY_STRING && !(t->kind == TY_ARRAY && t->nparams == 1)) {
        report(s, p->loc, CONVERSION,
               "the elements of arrays, strings and lists have patterns, not those of '%s'",
               type_text(s->arena, t));
        return pattern_bad(s, p->loc);
    }
    Ast *cond =
        type_is_nullable(t) ? pattern_opposite(s, p->loc, pattern_null(m, v, p->loc)) : NULL;
    int rest = -1;
    for (int i = 0; i < items->len; i++) {
        if (items->data[i]->kind != AST_PATTERN_REST) continue;
        if (rest >= 0) {
            report(s, items->data[i]->loc, SWITCH, "a list has one ..");
            return pattern_bad(s, p->loc);
        }
        rest = i;
    }
    int n = items->len - (rest >= 0);
    Subject length = pattern_member(s, v, p->loc, count ? count : "Length");
    cond = pattern_both(s, cond,
                        pattern_constant(m, &length, p, rest >= 0 ? AST_OP_GE : AST_OP_EQ,
                                         tree_int(s, p->loc, (uint64_t)n)));
    for (int i = 0; i < items->len; i++) {
        Ast *item = items->data[i];
        int left = items->len - i; /* with this one */
        if (i != rest) {
            bool behind = rest >= 0 && i > rest;
            Ast *at = behind ? from_end(s, item->loc, left) : tree_int(s, item->loc, (uint64_t)i);
            Subject part = pattern_subject(index_of(s, v, item->loc, at));
            cond = pattern_both(s, cond, pattern_part(m, part, item));
        } else if (item->pattern_rest.pattern) {
            Ast *range = ast_new(s->arena, AST_RANGE, item->loc);
            range->range.lo = tree_int(s, item->loc, (uint64_t)i);
            range->range.hi = from_end(s, item->loc, left - 1);
            Ast *slice = index_of(s, v, item->loc, range);
            if (t->kind == TY_ARRAY)
                slice = tree_cast(s, item->loc, type_node(s, item->loc, t), slice);
            cond = pattern_both(
                s, cond, pattern_part(m, pattern_subject(slice), item->pattern_rest.pattern));
        }
    }
    if (p->pattern_list.name)
        cond = pattern_both(s, cond, pattern_bind(m, v, p, p->pattern_list.name));
    return cond;
}

Ast *pattern_tuple_type(Sema *s, const Ast *p)
{
    Ast *tuple = ast_new(s->arena, AST_TYPE_TUPLE, p->loc);
    for (int i = 0; i < p->pattern_of.items.len; i++) {
        const Ast *item = p->pattern_of.items.data[i];
        const Ast *type = item->kind == AST_PATTERN_OF ? item->pattern_of.target : NULL;
        if (!type || type->kind == AST_TYPE_VAR) return NULL;
        Ast *part = ast_new(s->arena, AST_PARAM, item->loc);
        part->param.ptype = ast_clone(s->arena, type);
        tuple->type_tuple.items = ast_list_add(s->arena, tuple->type_tuple.items, part);
    }
    return p->pattern_of.items.len > 1 ? tuple : NULL;
}

Ast *pattern_nan(Sema *s, Ast *operand, AstOp op, const Ast *c)
{
    bool real = c->is_const && c->type->kind == TY_SCALAR && scalar_is_real(c->type->scalar);
    if (!real || op != AST_OP_EQ || c->value.f == c->value.f) return NULL;
    convert_wrap(s, &operand, operand->type); /* it is checked */
    Ast *is = tree_member(s, c->loc, type_node(s, c->loc, c->type), "IsNaN");
    Ast *n = tree_call(s, c->loc, is, 1, operand);
    check_expr(s, &n, NULL);
    return n;
}
