/* What has to be recorded: of which variables the way back reads values. Of `s = s * x` it reads s and x, of `s += x`
 * nothing; of an element that is taken or set its place alone. What nobody reads need be neither run again nor restored.
 */
#include "back.h"

static void take_out(Variables *list, const Variable *v)
{
    size_t to = 0;
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i] != v) list->data[to++] = list->data[i];
    list->len = to;
}

typedef struct Names {
    const Variables *of;
    const Variable *wanted; /* NULL: an active one */
    bool found;
} Names;

static void find_name(Ast **child, void *ctx)
{
    Names *f = ctx;
    const Ast *n = *child;
    for (size_t i = 0; n->kind == AST_NAME_REF && i < f->of->len; i++) {
        const Variable *v = f->of->data[i];
        if (v->name == n->name_ref.name) f->found |= f->wanted ? v == f->wanted : v->active;
    }
    ast_each_child(*child, find_name, ctx);
}

static bool mentions(Ast *n, const Variables *of, const Variable *wanted)
{
    Names f = {of, wanted, false};
    find_name(&n, &f);
    return f.found;
}

/* Does no derivative of the expression depend on v? */
static bool is_linear(Ast *n, const Variables *of, const Variable *v)
{
    if (!mentions(n, of, v) || n->kind == AST_NAME_REF) return true;
    if (n->kind == AST_CAST) return is_linear(n->cast.operand, of, v);
    if (n->kind == AST_UNARY)
        return n->unary.op == AST_OP_NEG && is_linear(n->unary.operand, of, v);
    if (n->kind != AST_BINARY) return false;
    Ast *a = n->binary.left, *b = n->binary.right;
    switch (n->binary.op) {
    case AST_OP_ADD:
    case AST_OP_SUB: return is_linear(a, of, v) && is_linear(b, of, v);
    case AST_OP_MUL:
        if (mentions(a, of, v))
            return is_linear(a, of, v) && !mentions(b, of, v) && !mentions(b, of, NULL);
        return is_linear(b, of, v) && !mentions(a, of, NULL);
    case AST_OP_DIV: return is_linear(a, of, v) && !mentions(b, of, v) && !mentions(b, of, NULL);
    default: return false;
    }
}

static bool is_number(const Variable *v)
{
    return v->type->kind == TY_SCALAR && scalar_is_real(v->type->scalar);
}

bool recorded_not(const Step *step, const Variables *plain, const Variable *v)
{
    return step->kind == STEP_ASSIGN && is_number(v) && is_number(step->target) && !step->written &&
           is_linear(step->value, plain, v);
}

/* Of a step whose targets nobody needs. */
static bool recorded_value(const Step *step, const Variables *plain, const Variables *functions,
                           const Variable *v)
{
    switch (step->kind) {
    case STEP_GET:
        if (tape_rows_are(step)) return step->target->active && v != step->array;
        if (step->target->type->kind != TY_SCALAR) return true;
        return step->target->active && v != step->array;
    case STEP_PUT: return step->target->active && v != step->array && v != step->target;
    case STEP_ASSIGN:
        if (tape_rows_are(step))
            return step->target->active && v != step->array && v != step->target;
        if (step->target->type->kind != TY_SCALAR) return true;
        return step->target->active && (functions->len || !recorded_not(step, plain, v));
    default: return true;
    }
}

/* The same where the step is run all the same: its places must be right. */
static bool recorded_to_run(const Step *step, const Variables *plain, const Variables *functions,
                            const Variable *v)
{
    if (step->kind == STEP_ASSIGN && !functions->len)
        return !(v->active && recorded_not(step, plain, v));
    return step->kind != STEP_PUT || (v != step->array && v != step->target);
}

bool recorded_of_value(const Step *step, Variables *out)
{
    Variables plain = {0}, functions = {0};
    normal_reads(step, &plain, &functions);
    const bool all = !functions.len;
    for (size_t i = 0; i < plain.len; i++)
        if (mentions(step->value, &plain, plain.data[i])) normal_add(out, plain.data[i]);
    vec_free(&plain);
    vec_free(&functions);
    return all;
}

static void add_needs(const Step *step, bool wanted, bool runs, Variables *out)
{
    Variables plain = {0}, functions = {0};
    normal_reads(step, &plain, &functions);
    const bool both = step->kind == STEP_IF || step->kind == STEP_LOOP;
    for (size_t i = 0; i < plain.len; i++) {
        Variable *v = plain.data[i];
        bool needed = true;
        if (both)
            needed = functions.len || mentions(step->value, &plain, v);
        else if (!wanted)
            needed = runs ? recorded_to_run(step, &plain, &functions, v)
                          : recorded_value(step, &plain, &functions, v);
        if (needed) normal_add(out, v);
    }
    vec_free(&plain);
    vec_free(&functions);
}

/* Do these steps give whole arrays, whose lengths are asked for? */
static bool gives_arrays(const Steps *steps)
{
    bool any = false;
    for (size_t i = 0; i < steps->len; i++) {
        const Step *step = &steps->data[i];
        const Variable *target = NULL;
        for (size_t k = 0; step->kind != STEP_PUT && (target = normal_target(step, k)); k++)
            any = any || target->type->kind != TY_SCALAR;
        any = any || step->kind == STEP_RUN || step->kind == STEP_LOOP ||
              gives_arrays(&step->first) || gives_arrays(&step->second);
    }
    return any;
}

/* Is a branch run, whether its results are needed or not? */
static bool runs_always(const Step *step)
{
    return gives_arrays(&step->first) || gives_arrays(&step->second);
}

static bool writes_any(const Step *step, const Variables *of)
{
    bool any = false;
    const Variable *target;
    for (size_t k = 0; (target = normal_target(step, k)); k++) any = any || normal_has(of, target);
    for (size_t k = 0; k < step->writes.len; k++) any = any || normal_has(of, step->writes.data[k]);
    return any;
}

static void branch_needs(Sema *s, const Step *step, bool runs, Variables *needs)
{
    Variables other = {0};
    runs = runs || runs_always(step);
    normal_add_all(&other, needs);
    recorded_there_and_back(s, &step->first, 0, runs, needs);
    recorded_there_and_back(s, &step->second, 0, runs, &other);
    normal_add_all(needs, &other);
    vec_free(&other);
}

/* Of any turn, where the turns behind it need `needs`. */
static void turn_needs(Sema *s, const Step *step, bool runs, Variables *needs)
{
    for (size_t before = needs->len + 1; before != needs->len;) {
        Variables turn = {0};
        before = needs->len;
        normal_add_all(&turn, needs);
        recorded_there_and_back(s, &step->first, 0, runs, &turn);
        normal_add_all(needs, &turn);
        vec_free(&turn);
    }
}

static void loop_needs(Sema *s, const Step *step, bool runs, Variables *needs)
{
    runs = runs || !stateless_is(s, step) || !stateless_turns(s, step, needs);
    turn_needs(s, step, runs, needs);
}

void recorded_there_and_back(Sema *s, const Steps *steps, size_t from, bool runs, Variables *needs)
{
    for (size_t i = steps->len; i-- > from;) {
        const Step *step = &steps->data[i];
        const bool wanted = writes_any(step, needs);
        Variable *target;
        for (size_t k = 0; (target = normal_target(step, k)); k++)
            if (step->kind == STEP_GET || step->kind == STEP_CALL ||
                (step->kind == STEP_ASSIGN && !step->rows))
                take_out(needs, target);
        if (step->kind == STEP_IF) branch_needs(s, step, runs || wanted, needs);
        if (step->kind == STEP_LOOP) loop_needs(s, step, runs, needs);
        add_needs(step, wanted, runs, needs);
    }
}

static void loop_back_needs(Sema *s, const Step *step, const Step *nest, Variables *out)
{
    const LoopWay way = stateless_way(s, step, nest != NULL);
    Variables turn = {0};
    if (way == LOOP_TAPED)
        for (size_t i = 0; i < step->first.len; i++)
            recorded_back(s, &step->first.data[i], nest ? nest : step, out);
    if (way == LOOP_TAPED && nest) return;
    turn_needs(s, step, way != LOOP_BY_NUMBER, &turn);
    for (size_t i = 0; i < turn.len; i++) /* states have what the loop keeps */
        if (way != LOOP_TAPED || !normal_has(&step->keeps, turn.data[i]))
            normal_add(out, turn.data[i]);
    vec_free(&turn);
}

void recorded_back(Sema *s, const Step *step, const Step *nest, Variables *out)
{
    if (nest && again_can(s, nest, step)) recorded_of_value(step, out);
    if (step->kind == STEP_LOOP) {
        loop_back_needs(s, step, nest, out);
    } else if (step->kind == STEP_IF) {
        Variables inside = {0};
        branch_needs(s, step, false, &inside);
        normal_add_all(out, &inside);
        vec_free(&inside);
    } else {
        add_needs(step, false, false, out);
    }
}

/* ---- what is run ------------------------------------------------------------------------------- */

static bool is_read(const Steps *steps, size_t at, const Variables *gives)
{
    bool read = false;
    for (size_t i = at + 1; i < steps->len && !read; i++) {
        Variables plain = {0}, functions = {0};
        normal_reads(&steps->data[i], &plain, &functions);
        for (size_t k = 0; k < gives->len; k++) read = read || normal_has(&plain, gives->data[k]);
        vec_free(&plain);
        vec_free(&functions);
    }
    return read;
}

bool recorded_place(const Steps *steps, size_t at)
{
    bool any = false;
    const Variable *target;
    for (size_t k = 0; steps->data[at].declares && (target = normal_target(&steps->data[at], k));
         k++)
        for (size_t i = at + 1; i < steps->len; i++)
            any = any || steps->data[i].target == target ||
                  normal_has(&steps->data[i].writes, target) ||
                  (steps->data[i].kind == STEP_IF && normal_has(&steps->data[i].reads, target));
    return any;
}

bool recorded_running(const Steps *steps, size_t at, const Variables *after)
{
    const Step *step = &steps->data[at];
    if (step->kind == STEP_RUN || step->kind == STEP_FUNCTION || step->kind == STEP_LOOP)
        return true;
    if (writes_any(step, after)) return true;
    const bool single = step->target && step->target->type->kind == TY_SCALAR;
    if (step->kind == STEP_PUT || (step->kind == STEP_ASSIGN && tape_rows_are(step)) ||
        (step->kind == STEP_IF && !runs_always(step)) ||
        (single && (step->kind == STEP_GET || step->kind == STEP_ASSIGN)))
        return false;
    if (recorded_place(steps, at)) return true;
    Variables gives = {0};
    Variable *target;
    for (size_t i = 0; (target = normal_target(step, i)); i++) vec_push(&gives, target);
    for (size_t i = 0; i < step->writes.len; i++) vec_push(&gives, step->writes.data[i]);
    bool read = is_read(steps, at, &gives);
    vec_free(&gives);
    return read;
}
