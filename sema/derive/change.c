/* Backward mode of one step (back.c): what the result changes by the value that it gives goes on to what that was made
 * of. Changes are variables beside the original's. */
#include "back.h"

/* ---- changes --------------------------------------------------------------------------------- */

void change_set(Back *b, AstList *out, Loc loc, Variable *v, Ast *value)
{
    if (!v->bar)
        v->bar = code_fresh(
            b->s, arena_printf(b->s->arena, "by_%s", v->name[0] == '$' ? v->name + 1 : v->name));
    if (v->declared)
        code_set(b->s, out, loc, v->bar, value);
    else
        code_local(b->s, out, loc, v->type, v->bar, value);
    v->declared = v->given = true;
}

/* v gets a part more. */
static void give(Back *b, AstList *out, Loc loc, Variable *v, Ast *value)
{
    if (v->given) value = code_plus(b->s, loc, v->type, tree_name(b->s, loc, v->bar), value);
    change_set(b, out, loc, v, value);
}

void change_none(Back *b, AstList *out, Loc loc, Variable *v)
{
    if (!v->given) change_set(b, out, loc, v, code_zero(b->s, loc, v));
}

/* ---- assignments ------------------------------------------------------------------------------- */

/* The changes of a call's targets, as a value of its result's type. */
static Ast *seed_of(Back *b, AstList *out, const Step *step)
{
    AstList values = {0};
    Variable *target;
    for (size_t i = 0; (target = normal_target(step, i)); i++) {
        Ast *value = code_default(b->s, step->loc, target->type);
        if (target->active) {
            change_none(b, out, step->loc, target);
            value = tree_name(b->s, step->loc, target->bar);
        }
        values = ast_list_add(b->s->arena, values, value);
    }
    return code_returned(b->s, step->loc, step->whole ? step->whole : step->target->type, values);
}

/* The variable of the same type that an assignment gives another name; NULL: it computes something. */
Variable *change_named(const Step *step)
{
    const Ast *value = step->value;
    for (size_t i = 0; value->kind == AST_NAME_REF && i < step->reads.len; i++) {
        Variable *v = step->reads.data[i];
        if (v->name == value->name_ref.name && v->type == step->target->type && !v->definition)
            return v;
    }
    return NULL;
}

void change_assignment(Back *b, AstList *out, const Step *step)
{
    Variable *target = step->target, *named = change_named(step);
    Variables by = {0};
    Loc loc = step->loc;
    if (named && named != target && named->active) {
        target->given = false;
        give(b, out, loc, named, tree_name(b->s, loc, target->bar));
        return;
    }
    Ast *lambda = code_lambda(b->s, step, &by),
        *seed = target->bar ? tree_name(b->s, loc, target->bar) : NULL;
    b->good = b->good && lambda;
    if (!lambda || !by.len) { /* it is given a constant */
        target->given = false;
    } else {
        size_t own =
            by.len; /* its own part comes last: the others are made of the change as it is */
        for (size_t i = 0; i < by.len; i++) {
            Variable *v = by.data[i];
            if (v == target)
                own = i;
            else
                give(b, out, loc, v, code_derivative(b->s, lambda, v->type, (int)i, &by, 1, &seed));
        }
        target->given = false;
        if (own < by.len && step->rows) { /* what was there before is gone, the rest is as it was */
            Ast *rows = ast_clone(b->s->arena, step->rows);
            Variable element = {.type = target->type->result};
            rows->index.base = tree_name(b->s, loc, target->bar);
            code_add(b->s, out, tree_assign(b->s, loc, rows, code_zero(b->s, loc, &element)));
            target->given = true;
        } else if (own < by.len)
            change_set(b, out, loc, target,
                       code_derivative(b->s, lambda, target->type, (int)own, &by, 1, &seed));
    }
    vec_free(&by);
}

/* The element of a step, or rows, in the changes of an array. */
static Ast *element_of(Back *b, const Step *step, const Variable *array)
{
    Ast *n = ast_clone(b->s->arena, step->value);
    n->index.base = tree_name(b->s, step->loc, array->bar);
    return n;
}

void change_get(Back *b, AstList *out, const Step *step)
{
    Loc loc = step->loc;
    if (step->array->active) {
        change_none(b, out, loc, step->array);
        Ast *sum = code_plus(b->s, loc, step->target->type, element_of(b, step, step->array),
                             tree_name(b->s, loc, step->target->bar));
        code_add(b->s, out, tree_assign(b->s, loc, element_of(b, step, step->array), sum));
    }
    step->target->given = false;
}

void change_put(Back *b, AstList *out, const Step *step)
{
    Loc loc = step->loc;
    if (step->array->active) give(b, out, loc, step->array, element_of(b, step, step->target));
    code_add(b->s, out,
             tree_assign(b->s, loc, element_of(b, step, step->target),
                         code_zero(b->s, loc, step->array)));
}

/* Goes back through a call, which gives its value, too, if `both`. */
void change_call(Back *b, AstList *out, const Step *step, bool both)
{
    VEC(const char *) parts = {0};
    Loc loc = step->loc;
    Call c = code_call(b->s, step, both ? DERIVED_BOTH : DERIVED_BACK);
    b->good = b->good && c.call;
    if (c.call && c.by.len) {
        c.call->call.args = ast_list_add(b->s->arena, c.call->call.args, seed_of(b, out, step));
        const char *whole = code_fresh(b->s, "parts");
        code_local(b->s, out, loc, NULL, whole, c.call);
        if (both)
            code_local(b->s, out, loc, step->target->type, step->target->name,
                       tree_member(b->s, loc, tree_name(b->s, loc, whole), "Item1"));
        for (size_t i = 0; i < c.by.len; i++) {
            Ast *part = tree_name(b->s, loc, whole);
            if (both) part = tree_member(b->s, loc, part, "Item2");
            if (c.parts > 1)
                part = tree_member(b->s, loc, part,
                                   arena_printf(b->s->arena, "Item%d", c.part.data[i]));
            vec_push(&parts, code_fresh(b->s, "part"));
            code_local(b->s, out, loc, c.by.data[i]->type, parts.data[i], part);
        }
        for (size_t i = 0; i < c.by.len; i++)
            give(b, out, loc, c.by.data[i], tree_name(b->s, loc, parts.data[i]));
    }
    Variable *target;
    for (size_t i = 0; (target = normal_target(step, i)); i++) target->given = false;
    vec_free(&parts);
    vec_free(&c.by);
    vec_free(&c.part);
}
