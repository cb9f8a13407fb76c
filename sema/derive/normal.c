/* The normal form of a function that is differentiated: assignments, calls of functions with loops, definitions of
 * functions, branches and loops; one result, at the end.
 *
 *     if (x < 0) return 0;  y = 2 * g(x) + 1;  return y;
 *     if (x < 0) $value = 0; else { $1 = g(x);  y = 2 * $1 + 1;  $value = y; }
 *
 * Every variable has a name of its own. What is no such statement has no derivative, and is told. */
#include "shape.h"

static void statements(Shape *f, AstList list, Steps *out);

bool normal_is_real(const Type *t)
{
    return t->kind == TY_SCALAR ? scalar_is_real(t->scalar)
                                : t->kind == TY_ARRAY && t->result->kind == TY_SCALAR &&
                                      scalar_is_real(t->result->scalar);
}

bool normal_has(const Variables *list, const Variable *v)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i] == v) return true;
    return false;
}

void normal_add(Variables *list, Variable *v)
{
    if (!normal_has(list, v)) vec_push(list, v);
}

/* ---- branches and loops --------------------------------------------------------------------------- */

static void find_jump(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    *found = *found || n->kind == AST_RETURN || n->kind == AST_BREAK || n->kind == AST_CONTINUE;
    ast_each_child(*child, find_jump, ctx);
}

static bool jumps(Ast *n)
{
    bool found = false;
    if (n) find_jump(&n, &found);
    return found;
}

/* Does control never come to the end of this statement? */
static bool ends(const Ast *n)
{
    if (!n) return false;
    if (n->kind == AST_BLOCK) return n->block.stmts.len && ends(vec_last(&n->block.stmts));
    if (n->kind == AST_IF) return ends(n->if_.then) && ends(n->if_.other);
    return n->kind == AST_RETURN || n->kind == AST_BREAK || n->kind == AST_CONTINUE ||
           n->kind == AST_THROW;
}

/* A branch, and what follows the statement, unless the branch leaves. */
static AstList followed(Shape *f, Ast *branch, AstList rest)
{
    AstList all = {0};
    if (branch) all = ast_list_add(f->s->arena, all, branch);
    for (int i = 0; i < rest.len && !ends(branch); i++)
        all = ast_list_add(f->s->arena, all, ast_clone(f->s->arena, rest.data[i]));
    return all;
}

static void note_inside(Shape *f, Step *step, const Steps *inside, size_t outside);

static void branch(Shape *f, AstList list, Steps *out)
{
    size_t visible = f->visible.len;
    statements(f, list, out);
    f->visible.len = visible;
}

/* Which of the first variables that are visible have a value. */
typedef VEC(bool) Marks;

static Marks marks_of(const Shape *f, size_t visible)
{
    Marks m = {0};
    for (size_t i = 0; i < visible; i++) vec_push(&m, f->visible.data[i]->set);
    return m;
}

static void set_marks(Shape *f, const Marks *m)
{
    for (size_t i = 0; i < m->len; i++) f->visible.data[i]->set = m->data[i];
}

static void if_statement(Shape *f, Ast *n, AstList rest, Steps *out)
{
    Step step = {.kind = STEP_IF, .loc = n->loc, .value = n->if_.cond};
    shape_hoist(f, &step.value, out);
    size_t visible = f->visible.len;
    shape_reads(f, step.value, &step.reads);
    Marks before = marks_of(f, visible);
    branch(f, followed(f, n->if_.then, rest), &step.first);
    Marks after = marks_of(f, visible);
    set_marks(f, &before);
    branch(f, followed(f, n->if_.other, rest), &step.second);
    for (size_t i = 0; i < visible; i++) after.data[i] = after.data[i] || f->visible.data[i]->set;
    set_marks(f, &before);
    note_inside(f, &step, &step.first, visible);
    note_inside(f, &step, &step.second, visible);
    set_marks(f, &after);
    vec_free(&before);
    vec_free(&after);
    vec_push(out, step);
}

/* What is outside and inside of these steps read or assigned. */
static void note_inside(Shape *f, Step *step, const Steps *inside, size_t outside)
{
    for (size_t i = 0; i < inside->len; i++) {
        const Step *in = &inside->data[i];
        const Variables *lists[] = {&in->reads, &in->writes};
        for (int k = 0; k < 2; k++)
            for (size_t j = 0; j < lists[k]->len; j++) {
                Variable *v = lists[k]->data[j];
                for (size_t o = 0; o < outside; o++) {
                    if (f->visible.data[o] != v) continue;
                    normal_add(k ? &step->writes : &step->reads, v);
                }
            }
        for (size_t o = 0; in->target && o < outside; o++)
            if (f->visible.data[o] == in->target && in->kind != STEP_FUNCTION)
                normal_add(&step->writes, in->target);
    }
    for (size_t i = 0; i < step->writes.len; i++)
        if (step->writes.data[i]->set) normal_add(&step->keeps, step->writes.data[i]);
}

/* Functions that are defined outside of a loop are not those of what changes in it. */
static void check_loop(Shape *f, const Step *loop)
{
    for (size_t i = 0; i < loop->reads.len; i++) {
        const Variable *m = loop->reads.data[i];
        for (size_t k = 0; m->definition && k < loop->writes.len; k++)
            if (normal_has(&m->reads, loop->writes.data[k]))
                shape_fail(f, loop->loc,
                           arena_printf(f->s->arena,
                                        "'%s' in a loop that changes '%s', which it reads", m->name,
                                        loop->writes.data[k]->name),
                           "define it inside of the loop");
    }
}

/* while (cond) { body; turn }, with all that follows a turn in its place. */
static void loop(Shape *f, Loc loc, Ast *cond, Ast *body, AstList turn, bool first, Steps *out)
{
    Sema *s = f->s;
    Variable *stop = NULL, *outer_stop = f->stop;
    const AstList *outer_turn = f->turn;
    Step step = {.kind = STEP_LOOP, .loc = loc};
    Ast *yes = tree_true(s, loc), *no = ast_new(s->arena, AST_BOOL_LIT, loc);
    if (first) { /* do .. while (cond) */
        const char *name = code_fresh(s, "first");
        shape_assign(f, loc, shape_variable(f, name, s->boolean), yes, true, out);
        body = tree_block(s, loc, 2, tree_assign(s, loc, tree_name(s, loc, name), no), body);
        cond = tree_binary(s, loc, AST_OP_LOR, tree_name(s, loc, name), cond);
    }
    if (jumps(body)) {
        stop = shape_variable(f, code_fresh(s, "stop"), s->boolean);
        shape_assign(f, loc, stop, ast_new(s->arena, AST_BOOL_LIT, loc), true, out);
        Ast *on = ast_new(s->arena, AST_UNARY, loc);
        on->unary.op = AST_OP_NOT;
        on->unary.operand = tree_name(s, loc, stop->name);
        cond = cond ? tree_binary(s, loc, AST_OP_LAND, on, cond) : on;
    }
    step.value = cond ? cond : yes;
    size_t visible = f->visible.len;
    Marks before = marks_of(f, visible);
    shape_reads(f, step.value, &step.reads);
    f->stop = stop;
    f->turn = &turn;
    f->loops++;
    AstList list = ast_list_add(s->arena, (AstList){0}, body);
    list = ast_list_add(s->arena, list, ast_new(s->arena, AST_CONTINUE, loc));
    branch(f, list, &step.first);
    f->loops--;
    f->stop = outer_stop;
    f->turn = outer_turn;
    set_marks(f, &before);
    note_inside(f, &step, &step.first, visible);
    for (size_t i = 0; i < step.writes.len; i++) step.writes.data[i]->set = true;
    check_loop(f, &step);
    vec_free(&before);
    vec_push(out, step);
}

static void for_statement(Shape *f, Ast *n, Steps *out)
{
    AstList turn = {0};
    for (int i = 0; i < n->for_.init.len; i++) {
        Ast *init = n->for_.init.data[i];
        VEC(Ast *) rest = {0};
        for (int k = i; k < n->for_.init.len; k++) vec_push(&rest, n->for_.init.data[k]);
        for (int k = 0; k < n->for_.step.len; k++) vec_push(&rest, n->for_.step.data[k]);
        vec_push(&rest, n->for_.body);
        if (n->for_.cond) vec_push(&rest, n->for_.cond);
        for (int k = 0; init->kind == AST_VAR_DECL && k < init->var_decl.vars.len; k++)
            shape_declare(f, init, init->var_decl.vars.data[k], (int)rest.len, rest.data, out);
        vec_free(&rest);
        if (init->kind != AST_VAR_DECL)
            statements(f, ast_list_add(f->s->arena, (AstList){0}, init), out);
    }
    for (int i = 0; i < n->for_.step.len; i++) {
        Ast *step = n->for_.step.data[i];
        turn = ast_list_add(f->s->arena, turn,
                            step->kind == AST_EXPR_STMT ? step : tree_stmt(f->s, step));
    }
    if (f->out->good) loop(f, n->loc, n->for_.cond, n->for_.body, turn, false, out);
}

/* ---- statements -------------------------------------------------------------------------------------- */

static void expression_statement(Shape *f, Ast *n, Steps *out)
{
    Ast *e = n->expr_stmt.expr;
    if (e->kind == AST_ASSIGN && e->assign.target->kind != AST_TUPLE)
        shape_set(f, n->loc, e->assign.target, e->assign.op, e->assign.value, out);
    else if (e->kind == AST_INCDEC)
        shape_set(f, n->loc, e->incdec.target, e->incdec.op, tree_int(f->s, n->loc, 1), out);
    else if (e->kind == AST_ASSIGN)
        shape_fail(f, n->loc, "an assignment to a tuple", "write an assignment for each variable");
    else
        shape_fail(f, n->loc, "a call for its effect", "return what it computes");
}

static const char *kind_of(const Ast *n)
{
    switch (n->kind) {
    case AST_FOREACH: return "foreach";
    case AST_SWITCH: return "switch";
    case AST_TRY: return "try";
    case AST_USING: return "using";
    case AST_YIELD: return "yield";
    case AST_FUNC: return "a function that is declared inside of a function with loops";
    default: return "this statement";
    }
}

static const char *instead_of(const Ast *n)
{
    switch (n->kind) {
    case AST_FOREACH: return "write a for over the indices";
    case AST_SWITCH: return "write if and else";
    case AST_FUNC: return "declare it outside, and give it what it reads";
    default: return "keep it outside of what is differentiated";
    }
}

static void leave(Shape *f, Ast *n, Steps *out)
{
    if (n->kind == AST_RETURN && f->loops) {
        shape_fail(f, n->loc, "a return inside of a loop",
                   "leave the loop with break, and return behind it");
    } else if (n->kind == AST_RETURN) {
        if (n->return_.value) shape_assign(f, n->loc, f->out->result, n->return_.value, false, out);
    } else if (n->kind == AST_BREAK) {
        shape_assign(f, n->loc, f->stop, tree_true(f->s, n->loc), false, out);
    } else if (n->kind == AST_CONTINUE) {
        AstList turn = *f->turn, copy = {0};
        for (int i = 0; i < turn.len; i++)
            copy = ast_list_add(f->s->arena, copy, ast_clone(f->s->arena, turn.data[i]));
        statements(f, copy, out);
    } else {
        shape_step(out, STEP_RUN, n->loc)->value = n;
    }
}

static void statements(Shape *f, AstList list, Steps *out)
{
    for (int i = 0; i < list.len && f->out->good; i++) {
        Ast *n = list.data[i];
        AstList rest = {list.data + i + 1, list.len - i - 1};
        int nhere = list.len - i;
        switch (n->kind) {
        case AST_EMPTY: break;
        case AST_BLOCK:
            if (jumps(n)) { /* what follows goes into it */
                AstList all = n->block.stmts;
                for (int k = 0; k < rest.len && !ends(n); k++)
                    all = ast_list_add(f->s->arena, all, rest.data[k]);
                statements(f, all, out);
                return;
            }
            statements(f, n->block.stmts, out);
            break;
        case AST_VAR_DECL:
            for (int k = 0; k < n->var_decl.vars.len && !n->var_decl.is_const; k++)
                shape_declare(f, n, n->var_decl.vars.data[k], nhere, list.data + i, out);
            if (n->var_decl.is_const) shape_step(out, STEP_RUN, n->loc)->value = n;
            break;
        case AST_DEFINE: shape_define(f, n, nhere, list.data + i, out); break;
        case AST_EXPR_STMT: expression_statement(f, n, out); break;
        case AST_IF:
            if_statement(f, n, jumps(n) ? rest : (AstList){0}, out);
            if (jumps(n)) return;
            break;
        case AST_FOR: for_statement(f, n, out); break;
        case AST_WHILE:
            loop(f, n->loc, n->while_.cond, n->while_.body, (AstList){0}, false, out);
            break;
        case AST_DO: loop(f, n->loc, n->do_.cond, n->do_.body, (AstList){0}, true, out); break;
        case AST_RETURN:
        case AST_BREAK:
        case AST_CONTINUE:
        case AST_THROW: leave(f, n, out); return;
        default: shape_fail(f, n->loc, kind_of(n), instead_of(n)); break;
        }
    }
}

void normal_form(Sema *s, Normal *out, const Facts *facts, Ast *body, AstList params,
                 const Type *result)
{
    Shape f = {.s = s, .out = out, .facts = facts, .result = result};
    *out = (Normal){.s = s, .loc = body->loc, .good = true};
    for (int i = 0; i < params.len; i++) {
        const Ast *p = params.data[i];
        Variable *v = shape_variable(&f, p->param.name, p->type);
        v->set = true;
        vec_push(&f.names, v->name);
        vec_push(&out->params, v);
    }
    out->result = shape_variable(&f, code_fresh(s, "value"), result);
    statements(&f, ast_list_add(s->arena, (AstList){0}, body), &out->steps);
    vec_free(&f.visible);
    vec_free(&f.names);
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

static bool reads_active(const Step *step)
{
    Variables plain = {0}, functions = {0};
    bool active = false;
    normal_reads(step, &plain, &functions);
    for (size_t i = 0; i < plain.len; i++) active = active || plain.data[i]->active;
    vec_free(&plain);
    vec_free(&functions);
    return active;
}

/* Values whose derivative is zero, whatever they depend on. */
static bool is_discrete(const Type *t)
{
    const Type *of = type_is_functional(t) ? t->result : t;
    return of->kind == TY_STRING || (of->kind == TY_SCALAR && !scalar_is_real(of->scalar));
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
        bool gives = step->kind == STEP_ASSIGN || step->kind == STEP_CALL;
        if (!gives || step->target->active || is_discrete(step->target->type) ||
            !reads_active(step))
            continue;
        if (!normal_is_real(step->target->type)) {
            report(n->s, step->loc, NOT_SUPPORTED,
                   "there is no derivative yet of '%s', a '%s' in a function with loops",
                   step->target->name, type_text(n->s->arena, step->target->type));
            report_note(n->s, NOWHERE, "write a variable for each real and array of reals");
            n->good = false;
        }
        step->target->active = changed = true;
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
    }
    vec_free(steps);
}

void normal_free(Normal *n)
{
    free_steps(&n->steps);
    for (size_t i = 0; i < n->all.len; i++) vec_free(&n->all.data[i]->reads);
    vec_free(&n->all);
    vec_free(&n->params);
}
