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

/* Is v given new arrays of zeros and nothing else? Its elements are set one by one then. */
static bool is_made_new(const Steps *steps, const Variable *v, bool *some)
{
    bool all = true;
    for (size_t i = 0; i < steps->len && all; i++) {
        const Step *step = &steps->data[i];
        Variable *target;
        for (size_t k = 0; step->kind != STEP_PUT && (target = normal_target(step, k)); k++)
            all = all && (target != v || normal_is_zeros(step));
        *some = *some || (step->target == v && normal_is_zeros(step));
        all = all && step->declared != v && is_made_new(&step->first, v, some) &&
              is_made_new(&step->second, v, some);
    }
    return all;
}

/* new double[v.GetLength(0)]: no evaluation, which takes longer than a few elements. NULL: it is another array. */
static Ast *new_zeros(Back *b, Loc loc, const Variable *v)
{
    Sema *s = b->s;
    bool some = false;
    if (v->type->kind != TY_ARRAY || v->type->result->kind != TY_SCALAR ||
        !is_made_new(&b->n->steps, v, &some) || !some)
        return NULL;
    Ast *made = ast_new(s->arena, AST_NEW_ARRAY, loc);
    made->new_array.elem = type_node(s, loc, v->type->result);
    made->new_array.rank = (uint64_t)v->type->nparams;
    for (int d = 0; d < v->type->nparams; d++) {
        Ast *length =
            tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, v->name), "GetLength"), 1,
                      tree_int(s, loc, (uint64_t)d));
        made->new_array.sizes = ast_list_add(s->arena, made->new_array.sizes, length);
    }
    return made;
}

void change_none(Back *b, AstList *out, Loc loc, Variable *v)
{
    if (v->given) return;
    Ast *zeros = new_zeros(b, loc, v);
    change_set(b, out, loc, v, zeros ? zeros : code_zero(b->s, loc, v));
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

/* What a derivative is taken of: by which variables, with a 0 in place of each value that no derivative reads. */
typedef struct Taken {
    Ast *lambda;
    Variables by;
    Ast *args[MAX_PARAMS];
} Taken;

typedef struct Blank {
    Sema *s;
    const Variable *v;
} Blank;

static void blank(Ast **child, void *ctx)
{
    const Blank *of = ctx;
    if ((*child)->kind == AST_NAME_REF && (*child)->name_ref.name == of->v->name)
        *child = code_zero(of->s, (*child)->loc, of->v);
    ast_each_child(*child, blank, ctx);
}

static Taken take(Back *b, const Step *step)
{
    Taken t = {0};
    Variables plain = {0}, functions = {0};
    t.lambda = code_lambda(b->s, step, &t.by);
    normal_reads(step, &plain, &functions);
    const bool alone = t.lambda && !functions.len;
    for (size_t i = 0; t.lambda && i < t.by.len; i++) {
        Variable *v = t.by.data[i];
        t.args[i] = alone && recorded_not(step, &plain, v) ? code_zero(b->s, step->loc, v)
                                                           : tree_name(b->s, step->loc, v->name);
    }
    for (size_t i = 0; alone && i < plain.len; i++) {
        Blank of = {b->s, plain.data[i]};
        if (!of.v->active && recorded_not(step, &plain, of.v)) blank(&t.lambda->lambda.body, &of);
    }
    vec_free(&plain);
    vec_free(&functions);
    return t;
}

static Ast *by_part(Back *b, const Taken *t, size_t i, Ast *seed)
{
    return derivative_node(b->s, t->lambda, t->by.data[i]->type, (int)i, (int)t->by.len, t->args, 1,
                           &seed);
}

void change_assignment(Back *b, AstList *out, const Step *step)
{
    Variable *target = step->target, *named = change_named(step);
    Loc loc = step->loc;
    if (named && named != target && named->active) {
        target->given = false;
        give(b, out, loc, named, tree_name(b->s, loc, target->bar));
        return;
    }
    if (tape_rows_are(step)) {
        tape_rows_back(b, out, step);
        return;
    }
    const Taken t = take(b, step);
    Variables by = t.by;
    Ast *seed = target->bar ? tree_name(b->s, loc, target->bar) : NULL;
    b->good = b->good && t.lambda;
    if (!t.lambda || !by.len) { /* it is given a constant */
        target->given = false;
    } else {
        size_t own =
            by.len; /* its own part comes last: the others are made of the change as it is */
        for (size_t i = 0; i < by.len; i++) {
            Variable *v = by.data[i];
            if (v == target)
                own = i;
            else if (!v->passed)
                give(b, out, loc, v, by_part(b, &t, i, seed));
        }
        target->given = false;
        if (own < by.len && step->rows) { /* what was there before is gone, the rest is as it was */
            Ast *rows = ast_clone(b->s->arena, step->rows);
            Variable element = {.type = target->type->result};
            rows->index.base = tree_name(b->s, loc, target->bar);
            code_add(b->s, out, tree_assign(b->s, loc, rows, code_zero(b->s, loc, &element)));
            target->given = true;
        } else if (own < by.len)
            change_set(b, out, loc, target, by_part(b, &t, own, seed));
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
    if (step->array->active && tape_rows_are(step)) {
        change_none(b, out, loc, step->array);
        tape_rows_back(b, out, step);
    } else if (step->array->active) {
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
    if (step->more) return;
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
