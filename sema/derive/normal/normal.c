/* The normal form of a function that is differentiated: assignments, calls of functions with loops, definitions of
 * functions, branches and loops; one result, at the end.
 *
 *     if (x < 0) return 0;  y = 2 * g(x) + 1;  return y;
 *     if (x < 0) $value = 0; else { $1 = g(x);  y = 2 * $1 + 1;  $value = y; }
 *
 * Every variable has a name of its own. What is no such statement has no derivative, and is told. */
#include "shape.h"

bool normal_has(const Variables *list, const Variable *v)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i] == v) return true;
    return false;
}

Variable *normal_target(const Step *step, size_t i)
{
    if (!i) return step->target;
    return i <= step->others.len ? step->others.data[i - 1] : NULL;
}

void normal_add(Variables *list, Variable *v)
{
    if (!normal_has(list, v)) vec_push(list, v);
}

void normal_add_all(Variables *list, const Variables *more)
{
    for (size_t i = 0; i < more->len; i++) normal_add(list, more->data[i]);
}

/* ---- statements -------------------------------------------------------------------------------------- */

/* A statement that is run as it is. */
static void run_check(Shape *f, Ast *n, Steps *out)
{
    Step step = {.kind = STEP_RUN, .loc = n->loc, .value = n};
    shape_reads(f, n, &step.reads);
    vec_push(out, step);
}

static void expression_statement(Shape *f, Ast *n, int nrest, Ast **rest, Steps *out)
{
    Ast *e = n->expr_stmt.expr;
    if (is_deconstruction(n))
        shape_parts(f, e, nrest, rest, out);
    else if (e->kind == AST_ASSIGN)
        shape_set(f, n->loc, e->assign.target, e->assign.op, e->assign.value, out);
    else if (e->kind == AST_INCDEC)
        shape_set(f, n->loc, e->incdec.target, e->incdec.op, tree_int(f->s, n->loc, 1), out);
    else if (facts_at(f->facts, e, FACT_CHECK))
        run_check(f, n, out);
    else if (!shape_effects(f, &e, out))
        shape_fail(f, n->loc, "a call for its effect",
                   "return what it computes, and in place of a list set elements of an array");
}

static const char *kind_of(const Ast *n)
{
    switch (n->kind) {
    case AST_TRY: return "try";
    case AST_USING: return "using";
    case AST_YIELD: return "yield";
    default: return "this statement";
    }
}

/* The results from number *at on, of a value of this type. */
static void give_results(Shape *f, Ast *value, const Type *t, size_t *at, Steps *out)
{
    if (!split_is(t)) {
        shape_assign(f, value->loc, f->out->results.data[(*at)++], value, false, out);
        return;
    }
    if (value->kind == AST_CALL) shape_hoist(f, &value, out);
    const Class *c = class_of(t);
    const bool made = value->kind == AST_NEW && !value->new_.init;
    AstList items = value->kind == AST_TUPLE ? value->tuple.items
                    : made                   ? value->new_.args
                                             : (AstList){0};
    if (items.len != c->nfields) {
        shape_fail(f, value->loc, "this value that holds arrays",
                   "return a new one, of its fields");
        return;
    }
    for (int i = 0; i < items.len && f->out->good; i++)
        give_results(f, tuple_value(items.data[i]), c->fields[i]->type, at, out);
}

static void leave(Shape *f, Ast *n, Steps *out)
{
    size_t at = 0;
    if (n->kind == AST_RETURN) {
        if (n->return_.value) give_results(f, n->return_.value, f->out->type, &at, out);
        if (!f->loops) return;
        shape_assign(f, n->loc, f->left, tree_true(f->s, n->loc), false, out);
        shape_assign(f, n->loc, f->stop, tree_true(f->s, n->loc), false, out);
    } else if (n->kind == AST_BREAK) {
        shape_assign(f, n->loc, f->stop, tree_true(f->s, n->loc), false, out);
    } else if (n->kind == AST_CONTINUE) {
        AstList turn = *f->turn, copy = {0};
        for (int i = 0; i < turn.len; i++)
            copy = ast_list_add(f->s->arena, copy, ast_clone(f->s->arena, turn.data[i]));
        shape_statements(f, copy, out);
    } else {
        shape_step(out, STEP_RUN, n->loc)->value = n;
    }
}

/* The number of [Checkpoint(c)]; NULL: there is none. */
static const Ast *states_of(Ast *loop)
{
    const Ast *attr = attr_find(ast_loop_attrs(loop), "Checkpoint");
    return attr && attr->attr.args.len == 1 ? attr->attr.args.data[0] : NULL;
}

void shape_statements(Shape *f, AstList list, Steps *out)
{
    shape_functions(f, list, out);
    for (int i = 0; i < list.len && f->out->good; i++) {
        Ast *n = list.data[i] = shape_plain(f, list.data[i]);
        AstList rest = {list.data + i + 1, list.len - i - 1};
        int nhere = list.len - i;
        f->nrest = nhere;
        f->rest = list.data + i;
        bool jumps = n->kind == AST_IF && shape_jumps(n); /* a switch in it becomes one without */
        if (ast_is_loop(n)) f->states = states_of(n);
        switch (n->kind) {
        case AST_EMPTY: break;
        case AST_BLOCK:
            if (shape_jumps(n)) { /* what follows goes into it */
                AstList all = n->block.stmts;
                for (int k = 0; k < rest.len && !shape_ends(n); k++)
                    all = ast_list_add(f->s->arena, all, rest.data[k]);
                shape_statements(f, all, out);
                return;
            }
            shape_statements(f, n->block.stmts, out);
            break;
        case AST_VAR_DECL:
            for (int k = 0; k < n->var_decl.vars.len && !n->var_decl.is_const; k++)
                shape_declare(f, n, n->var_decl.vars.data[k], nhere, list.data + i, out);
            if (n->var_decl.is_const) shape_step(out, STEP_RUN, n->loc)->value = n;
            break;
        case AST_DEFINE: shape_define(f, n, nhere, list.data + i, out); break;
        case AST_EXPR_STMT: expression_statement(f, n, nhere, list.data + i, out); break;
        case AST_IF:
            shape_if(f, n, jumps ? rest : (AstList){0}, out);
            if (jumps) return;
            break;
        case AST_FOR: shape_for(f, n, out); break;
        case AST_WHILE:
            shape_loop(f, n->loc, n->while_.cond, n->while_.body, (AstList){0}, false, out);
            break;
        case AST_DO:
            shape_loop(f, n->loc, n->do_.cond, n->do_.body, (AstList){0}, true, out);
            break;
        case AST_RETURN:
        case AST_BREAK:
        case AST_CONTINUE:
        case AST_THROW: leave(f, n, out); return;
        case AST_FUNC:
            if (!shape_find(f, n->func.name)) /* else shape_functions has had it */
                shape_function(f, n->loc, n->func.name, NULL, n, out);
            break;
        default:
            shape_fail(f, n->loc, kind_of(n), "keep it outside of what is differentiated");
            break;
        }
        if (ast_is_loop(n) && f->out->good && shape_returns(n)) {
            AstList all = ast_list_add(f->s->arena, (AstList){0}, shape_if_left(f, n->loc));
            for (int k = 0; k < rest.len; k++) all = ast_list_add(f->s->arena, all, rest.data[k]);
            shape_statements(f, all, out);
            return;
        }
    }
}

void normal_form(Sema *s, Normal *out, const Facts *facts, Ast *body, AstList params,
                 const Type *result)
{
    Shape f = {.s = s, .out = out, .facts = facts, .result = result};
    *out = (Normal){.s = s, .loc = body->loc, .type = result, .good = true};
    for (int i = 0; i < params.len; i++) {
        const Ast *p = params.data[i];
        Variable *v = shape_variable(&f, p->param.name, p->type);
        v->set = true;
        vec_push(&f.names, v->name);
        vec_push(&out->params, v);
    }
    Leaves leaves = {0};
    if (split_is(result))
        split_leaves(s, "value", result, NULL, out->loc, &leaves);
    else
        vec_push(&leaves, ((Leaf){.type = result}));
    for (size_t i = 0; i < leaves.len; i++)
        vec_push(&out->results, shape_variable(&f, code_fresh(s, "value"), leaves.data[i].type));
    vec_free(&leaves);
    shape_may_leave(&f, body, &out->steps);
    shape_statements(&f, ast_list_add(s->arena, (AstList){0}, body), &out->steps);
    vec_free(&f.visible);
    vec_free(&f.names);
    vec_free(&f.read);
}

/* ---- what depends on what --------------------------------------------------------------------------- */

void normal_reads(const Step *step, Variables *plain, Variables *functions)
{
    Variables next = {0};
    for (size_t i = 0; i < step->reads.len; i++) {
        Variable *v = step->reads.data[i];
        if (!v->definition) {
            normal_add(plain, v);
            continue;
        }
        for (size_t k = 0; k < v->reads.len; k++) { /* those before it come first */
            Variable *r = v->reads.data[k];
            normal_add(r->definition ? functions : plain, r);
        }
        normal_add(&next, v);
    }
    for (size_t i = 0; i < next.len; i++) normal_add(functions, next.data[i]);
    vec_free(&next);
}

bool normal_is_zeros(const Step *step)
{
    return step->kind == STEP_ASSIGN && step->value->kind == AST_NEW_ARRAY &&
           !step->value->new_array.init;
}

static bool reads_active(const Step *step)
{
    if (normal_is_zeros(step)) return false;
    Variables plain = {0}, functions = {0};
    bool active = false;
    normal_reads(step, &plain, &functions);
    for (size_t i = 0; i < plain.len; i++) active = active || plain.data[i]->active;
    vec_free(&plain);
    vec_free(&functions);
    return active;
}

/* Values whose derivative is zero, whatever they depend on. */
bool normal_is_discrete(const Type *t)
{
    const Type *of = type_is_functional(t) ? t->result : t;
    return of->kind == TY_STRING || (of->kind == TY_SCALAR && !scalar_is_real(of->scalar));
}

/* A step's target becomes active; true: it was not. */
static bool activate(Normal *n, const Step *step, Variable *target)
{
    if (target->active || normal_is_discrete(target->type) || !reads_active(step)) return false;
    if (!kind_is_real(target->type)) {
        report(n->s, step->loc, NOT_SUPPORTED,
               "there is no derivative yet of '%s', a '%s' in a function with loops", target->name,
               type_text(n->s->arena, target->type));
        report_note(n->s, NOWHERE, "write a variable for each real and array of reals");
        n->good = false;
    }
    return target->active = true;
}

static bool spread(Normal *n, const Steps *steps)
{
    bool changed = false;
    for (size_t i = 0; i < steps->len && n->good; i++) {
        const Step *step = &steps->data[i];
        if (step->kind == STEP_IF || step->kind == STEP_LOOP) {
            changed = spread(n, &step->first) || changed;
            changed = spread(n, &step->second) || changed;
        }
        bool gives = step->kind == STEP_ASSIGN || step->kind == STEP_CALL ||
                     step->kind == STEP_GET || step->kind == STEP_PUT;
        Variable *target;
        for (size_t k = 0; gives && n->good && (target = normal_target(step, k)); k++)
            changed = activate(n, step, target) || changed;
    }
    return changed;
}

bool normal_activity(Normal *n)
{
    while (n->good && spread(n, &n->steps))
        ;
    return n->good;
}

static void free_steps(Steps *steps)
{
    for (size_t i = 0; i < steps->len; i++) {
        Step *s = &steps->data[i];
        free_steps(&s->first);
        free_steps(&s->second);
        vec_free(&s->reads);
        vec_free(&s->writes);
        vec_free(&s->keeps);
        vec_free(&s->given);
        vec_free(&s->others);
    }
    vec_free(steps);
}

void normal_free(Normal *n)
{
    free_steps(&n->steps);
    for (size_t i = 0; i < n->all.len; i++) vec_free(&n->all.data[i]->reads);
    vec_free(&n->all);
    vec_free(&n->params);
    vec_free(&n->results);
}
