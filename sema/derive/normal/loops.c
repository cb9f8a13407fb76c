/* Branches and loops in the normal form (shape.h): a jump ends the steps of its branch, and what follows goes into the
 * other one. A loop is one of `while`, whose condition knows of jumps out of it.
 *
 *     for (..; c; t) { if (a) break; b }    bool $stop = false; while (!$stop && c) { if (a) $stop = true; else { b; t } }
 *     .. if (a) return x; ..                .. if (a) { $value = x; $left = true; $stop = true; } ..; then if ($left) leave
 */
#include "shape.h"

static void find_jump(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    *found = *found || n->kind == AST_RETURN || n->kind == AST_BREAK || n->kind == AST_CONTINUE;
    ast_each_child(*child, find_jump, ctx);
}

bool shape_jumps(Ast *n)
{
    bool found = false;
    if (n) find_jump(&n, &found);
    return found;
}

static void find_return(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    *found = *found || n->kind == AST_RETURN;
    ast_each_child(*child, find_return, ctx);
}

static void find_left(Ast **child, void *ctx)
{
    bool *found = ctx;
    if ((*child)->kind == AST_LAMBDA || (*child)->kind == AST_FUNC) return;
    *found = *found || shape_returns(*child);
    ast_each_child(*child, find_left, ctx);
}

bool shape_returns(Ast *n)
{
    bool found = false;
    if (ast_is_loop(n)) find_return(&n, &found);
    return found;
}

void shape_may_leave(Shape *f, Ast *body, Steps *out)
{
    bool found = false;
    find_left(&body, &found);
    if (!found) return;
    Loc loc = body->loc;
    f->left = shape_variable(f, code_fresh(f->s, "left"), f->s->boolean);
    shape_assign(f, loc, f->left, ast_new(f->s->arena, AST_BOOL_LIT, loc), true, out);
    f->out->leaves = true; /* turns that do not return leave the results as they are */
    for (size_t i = 0; i < f->out->results.len; i++) f->out->results.data[i]->set = true;
}

Ast *shape_if_left(Shape *f, Loc loc)
{
    Ast *n = ast_new(f->s->arena, AST_IF, loc);
    n->if_.cond = tree_name(f->s, loc, f->left->name);
    n->if_.then = ast_new(f->s->arena, f->loops ? AST_BREAK : AST_RETURN, loc);
    return n;
}

/* Does control never come to the end of this statement? */
bool shape_ends(const Ast *n)
{
    if (!n) return false;
    if (n->kind == AST_BLOCK) return n->block.stmts.len && shape_ends(vec_last(&n->block.stmts));
    if (n->kind == AST_IF) return shape_ends(n->if_.then) && shape_ends(n->if_.other);
    return n->kind == AST_RETURN || n->kind == AST_BREAK || n->kind == AST_CONTINUE ||
           n->kind == AST_THROW;
}

/* A branch, and what follows the statement, unless the branch leaves. */
static AstList followed(Shape *f, Ast *branch, AstList rest)
{
    AstList all = {0};
    if (branch) all = ast_list_add(f->s->arena, all, branch);
    for (int i = 0; i < rest.len && !shape_ends(branch); i++)
        all = ast_list_add(f->s->arena, all, ast_clone(f->s->arena, rest.data[i]));
    return all;
}

static void note_inside(Shape *f, Step *step, const Steps *inside, size_t outside);

static void branch(Shape *f, AstList list, Steps *out)
{
    size_t visible = f->visible.len;
    shape_statements(f, list, out);
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

void shape_if(Shape *f, Ast *n, AstList rest, Steps *out)
{
    Step step = {.kind = STEP_IF, .loc = n->loc, .value = n->if_.cond};
    shape_effects(f, &step.value, out);
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
    f->read.len = 0; /* what a branch read is not there behind it */
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
        bool fixed = m->definition && m->definition->kind != AST_FUNC;
        for (size_t k = 0; fixed && k < loop->writes.len; k++)
            if (normal_has(&m->reads, loop->writes.data[k]))
                shape_fail(f, loop->loc,
                           arena_printf(f->s->arena,
                                        "'%s' in a loop that changes '%s', which it reads", m->name,
                                        loop->writes.data[k]->name),
                           "define it inside of the loop");
    }
}

/* A loop whose condition assigns asks for it at the beginning of each turn: if (!(cond)) break; body */
static Ast *asked_inside(Sema *s, Loc loc, Ast *cond, Ast *body, const char *first)
{
    Ast *n = ast_new(s->arena, AST_IF, loc), *not = ast_new(s->arena, AST_UNARY, loc);
    not ->unary.op = AST_OP_NOT;
    not ->unary.operand = cond;
    n->if_.cond = not ;
    n->if_.then = ast_new(s->arena, AST_BREAK, loc);
    if (first) { /* of do .. while */
        Ast *later = ast_new(s->arena, AST_IF, loc), *name = tree_name(s, loc, first);
        later->if_.cond = ast_new(s->arena, AST_UNARY, loc);
        later->if_.cond->unary.op = AST_OP_NOT;
        later->if_.cond->unary.operand = name;
        later->if_.then = n;
        n = later;
    }
    return tree_block(s, loc, 2, n, body);
}

/* while (cond) { body; turn }, with all that follows a turn in its place. */
void shape_loop(Shape *f, Loc loc, Ast *cond, Ast *body, AstList turn, bool first, Steps *out)
{
    Sema *s = f->s;
    Variable *stop = NULL, *outer_stop = f->stop;
    const AstList *outer_turn = f->turn;
    Step step = {.kind = STEP_LOOP, .loc = loc, .states = f->states};
    f->states = NULL;
    Ast *yes = tree_true(s, loc), *no = ast_new(s->arena, AST_BOOL_LIT, loc);
    if (first) { /* do .. while (cond) */
        const char *name = code_fresh(s, "first");
        shape_assign(f, loc, shape_variable(f, name, s->boolean), yes, true, out);
        body = tree_block(s, loc, 2, tree_assign(s, loc, tree_name(s, loc, name), no), body);
        if (shape_effect(cond)) {
            body = asked_inside(s, loc, cond, body, name);
            cond = NULL;
        } else {
            cond = tree_binary(s, loc, AST_OP_LOR, tree_name(s, loc, name), cond);
        }
    } else if (shape_effect(cond)) {
        body = asked_inside(s, loc, cond, body, NULL);
        cond = NULL;
    }
    if (shape_jumps(body)) {
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

void shape_for(Shape *f, Ast *n, Steps *out)
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
            shape_statements(f, ast_list_add(f->s->arena, (AstList){0}, init), out);
    }
    for (int i = 0; i < n->for_.step.len; i++) {
        Ast *step = n->for_.step.data[i];
        turn = ast_list_add(f->s->arena, turn,
                            step->kind == AST_EXPR_STMT ? step : tree_stmt(f->s, step));
    }
    if (f->out->good) shape_loop(f, n->loc, n->for_.cond, n->for_.body, turn, false, out);
}
