/* Forward mode of the host's statements: each variable that depends on the parameters has its change beside it.
 *
 *     for (..) u = step(u);          for (..) { double[] $1 = change of step at u along $u;  u = step(u);  $u = $1; }
 */
#include "host.h"

typedef struct Along {
    Sema *s;
    bool good;
} Along;

static void steps_along(Along *a, const Steps *steps, AstList *out);

static const char *bar_of(Along *a, Variable *v)
{
    if (!v->bar) v->bar = code_change(a->s, v->name);
    return v->bar;
}

/* The change of a step's target, once it has its value. */
static void set_change(Along *a, AstList *out, const Step *step, Variable *target, Ast *change)
{
    const char *bar = bar_of(a, target);
    if (step->declares)
        code_local(a->s, out, step->loc, target->type, bar, change);
    else
        code_set(a->s, out, step->loc, bar, change);
}

static void assignment_along(Along *a, AstList *out, const Step *step)
{
    Sema *s = a->s;
    Variables by = {0};
    Ast *directions[MAX_PARAMS], *lambda = code_lambda(s, step, &by);
    const char *change = code_fresh(s, "change");
    a->good = a->good && lambda;
    for (size_t i = 0; lambda && i < by.len; i++)
        directions[i] = tree_name(s, step->loc, bar_of(a, by.data[i]));
    if (lambda && by.len)
        code_local(
            s, out, step->loc, step->target->type, change,
            code_derivative(s, lambda, step->target->type, -1, &by, (int)by.len, directions));
    code_step(s, out, step);
    set_change(a, out, step, step->target,
               by.len ? tree_name(s, step->loc, change) : code_zero(s, step->loc, step->target));
    vec_free(&by);
}

static void call_along(Along *a, AstList *out, const Step *step)
{
    Sema *s = a->s;
    Call c = code_call(s, step, DERIVED_ALONG);
    Ast *call = c.call;
    const Variables by = c.by;
    const char *whole = code_fresh(s, "both");
    a->good = a->good && call;
    for (size_t i = 0; call && i < by.len; i++)
        call->call.args =
            ast_list_add(s->arena, call->call.args, tree_name(s, step->loc, bar_of(a, by.data[i])));
    if (call) {
        code_local(s, out, step->loc, NULL, whole, call);
        code_results(s, out, step,
                     tree_member(s, step->loc, tree_name(s, step->loc, whole), "Item1"));
        Ast *change = tree_member(s, step->loc, tree_name(s, step->loc, whole), "Item2");
        Leaves leaves = {0};
        Variable *target;
        if (step->whole)
            split_leaves(s, "", step->whole, change, step->loc, &leaves);
        else
            vec_push(&leaves, ((Leaf){.value = change}));
        for (size_t i = 0; (target = normal_target(step, i)); i++)
            if (target->active) set_change(a, out, step, target, leaves.data[i].value);
        vec_free(&leaves);
    }
    vec_free(&c.by);
    vec_free(&c.part);
}

/* The element of a step in another array. */
static Ast *element_of(Sema *s, const Step *step, const char *array)
{
    Ast *n = ast_clone(s->arena, step->value);
    n->index.base = tree_name(s, step->loc, array);
    return n;
}

static void step_along(Along *a, AstList *out, const Step *step)
{
    Sema *s = a->s;
    AstList first = {0}, second = {0};
    bool active = false;
    Variable *target;
    for (size_t i = 0; (target = normal_target(step, i)); i++) active = active || target->active;
    if (step->kind == STEP_IF) {
        steps_along(a, &step->first, &first);
        steps_along(a, &step->second, &second);
        *out = ast_list_add(s->arena, *out,
                            code_if(s, step->loc, ast_clone(s->arena, step->value), first, second));
    } else if (step->kind == STEP_LOOP) {
        steps_along(a, &step->first, &first);
        *out = ast_list_add(s->arena, *out,
                            code_while(s, step->loc, ast_clone(s->arena, step->value), first));
    } else if (step->kind == STEP_ASSIGN && active) {
        assignment_along(a, out, step);
    } else if (step->kind == STEP_CALL && active) {
        call_along(a, out, step);
    } else if (step->kind == STEP_GET && active) {
        code_step(s, out, step);
        set_change(a, out, step, step->target, element_of(s, step, bar_of(a, step->array)));
    } else if (step->kind == STEP_PUT && active) {
        code_step(s, out, step);
        const Variable *from = step->array;
        *out =
            ast_list_add(s->arena, *out,
                         tree_assign(s, step->loc, element_of(s, step, bar_of(a, step->target)),
                                     from->active ? tree_name(s, step->loc, bar_of(a, step->array))
                                                  : code_zero(s, step->loc, from)));
    } else {
        code_step(s, out, step);
        if (step->kind == STEP_RUN && step->declared && step->declared->active)
            code_local(s, out, step->loc, step->declared->type, bar_of(a, step->declared),
                       code_default(s, step->loc, step->declared->type));
    }
}

static void steps_along(Along *a, const Steps *steps, AstList *out)
{
    for (size_t i = 0; i < steps->len && a->good; i++) step_along(a, out, &steps->data[i]);
}

void along_statements(Sema *s, Normal *n, bool value, AstList *out)
{
    Along a = {s, true};
    AstList both = {0}, values = {0}, changes = {0};
    for (size_t i = 0; i < n->results.len; i++) {
        Variable *result = n->results.data[i];
        code_result(out, n, result, result->name);
        if (result->active) code_result(out, n, result, bar_of(&a, result));
    }
    for (size_t i = 0; i < n->params.len; i++) {
        Variable *v = n->params.data[i];
        if (v->active && !v->differentiated) /* it becomes so */
            code_local(s, out, n->loc, v->type, bar_of(&a, v), code_zero(s, n->loc, v));
    }
    steps_along(&a, &n->steps, out);
    n->good = n->good && a.good;
    for (size_t i = 0; i < n->results.len; i++) {
        const Variable *result = n->results.data[i];
        Ast *change = code_default(s, n->loc, result->type);
        if (result->active)
            change = tree_name(s, n->loc, result->bar);
        else if (kind_is_real(result->type))
            change = code_zero(s, n->loc, result);
        values = ast_list_add(s->arena, values, tree_name(s, n->loc, result->name));
        changes = ast_list_add(s->arena, changes, change);
    }
    if (value) both = ast_list_add(s->arena, both, code_returned(s, n->loc, n->type, values));
    both = ast_list_add(s->arena, both, code_returned(s, n->loc, n->type, changes));
    *out = ast_list_add(s->arena, *out, tree_return(s, tree_tuple(s, n->loc, both)));
}
