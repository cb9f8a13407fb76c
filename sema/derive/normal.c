/* The normal form of a function that is differentiated: assignments, calls of functions with loops, definitions of
 * functions, branches and loops; one result, at the end.
 *
 *     if (x < 0) return 0;  y = 2 * g(x) + 1;  return y;
 *     if (x < 0) $value = 0; else { $1 = g(x);  y = 2 * $1 + 1;  $value = y; }
 *
 * Every variable has a name of its own. What is no such statement has no derivative, and is told. */
#include <string.h>

#include "host.h"

typedef struct Shape {
    Sema *s;
    Normal *out;
    const Facts *facts;
    Variables visible;
    VEC(const char *) names; /* used so far */
    int loops;               /* around */
    Variable *stop;          /* of the innermost loop, where it has a break */
    const AstList *turn;     /* what its turns end with */
    const Type *result;
} Shape;

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

static void fail(Shape *f, Loc loc, const char *what, const char *instead)
{
    if (!f->out->good) return;
    f->out->good = false;
    report(f->s, loc, NOT_SUPPORTED, "there is no derivative yet of %s", what);
    report_note(f->s, NOWHERE, "%s", instead);
}

/* ---- names ------------------------------------------------------------------------------------ */

typedef struct Rename {
    const char *old, *now;
} Rename;

static void rename_node(Ast **child, void *ctx)
{
    const Rename *r = ctx;
    Ast *n = *child;
    if (n->kind == AST_NAME_REF && n->name_ref.name == r->old) n->name_ref.name = r->now;
    if (n->kind == AST_DECLARATOR && n->declarator.name == r->old) n->declarator.name = r->now;
    if (n->kind == AST_DEFINE && n->define.name == r->old) n->define.name = r->now;
    ast_each_child(n, rename_node, ctx);
}

/* Where the function has used the name before, the variable that is declared in the trees gets another. */
static const char *own_name(Shape *f, const char *name, int ntrees, Ast **trees)
{
    bool used = false;
    for (size_t i = 0; i < f->names.len; i++) used = used || f->names.data[i] == name;
    if (used) {
        Rename r = {name, code_fresh(f->s, name)};
        for (int i = 0; i < ntrees; i++)
            if (trees[i]) rename_node(&trees[i], &r);
        name = r.now;
    }
    vec_push(&f->names, name);
    return name;
}

static Variable *new_variable(Shape *f, const char *name, const Type *t)
{
    Variable *v = arena_new_of(f->s->arena, Variable);
    v->name = name;
    v->type = t;
    vec_push(&f->out->all, v);
    vec_push(&f->visible, v);
    return v;
}

static Variable *find_variable(const Shape *f, const char *name)
{
    for (size_t i = f->visible.len; i-- > 0;)
        if (f->visible.data[i]->name == name) return f->visible.data[i];
    return NULL;
}

/* The variables that a tree reads. */
static void reads_of(Shape *f, Ast *tree, Variables *out)
{
    FreeNames names = {0};
    if (!tree) return;
    Ast around = {.kind = AST_FUNC};
    around.func.body = tree;
    free_names(f->s, &around, &names);
    for (size_t i = 0; i < names.len; i++) {
        Variable *v = find_variable(f, names.data[i].name);
        if (v) normal_add(out, v);
    }
    vec_free(&names);
}

/* ---- values ------------------------------------------------------------------------------------- */

static Step *add_step(Steps *out, StepKind kind, Loc loc)
{
    Step step = {.kind = kind, .loc = loc};
    vec_push(out, step);
    return &vec_last(out);
}

/* Definitions that read a variable which changes are those of what it was. */
static void note_change(Shape *f, const Variable *v)
{
    for (size_t i = 0; i < f->visible.len; i++) {
        Variable *m = f->visible.data[i];
        if (m->definition && (normal_has(&m->reads, v))) m->changed = v;
    }
}

static void check_reads(Shape *f, const Step *step)
{
    Variables plain = {0}, functions = {0};
    normal_reads(step, &plain, &functions);
    for (size_t i = 0; i < functions.len; i++)
        if (functions.data[i]->changed)
            fail(f, step->loc,
                 arena_printf(f->s->arena, "'%s', a function of '%s', which has changed since",
                              functions.data[i]->name, functions.data[i]->changed->name),
                 "make it an array, or define it where it is used");
    vec_free(&plain);
    vec_free(&functions);
}

static void set_target(Shape *f, Step *step, Variable *v, bool declares)
{
    step->target = v;
    step->declares = declares;
    step->over = v->set;
    check_reads(f, step);
    note_change(f, v);
    v->set = true;
}

static void hoist(Shape *f, Ast **slot, Steps *out);

static void find_call(Ast **child, void *ctx)
{
    const Fact **found = ((void **)ctx)[1];
    const Shape *f = ((void **)ctx)[0];
    const Fact *fact = (*child)->kind == AST_CALL ? facts_at(f->facts, *child) : NULL;
    if (fact && !*found) *found = fact;
    ast_each_child(*child, find_call, ctx);
}

static const Fact *call_inside(Shape *f, Ast *tree)
{
    const Fact *found = NULL;
    void *ctx[] = {f, &found};
    if (tree) find_call(&tree, ctx);
    return found;
}

static const char *what_is(const Symbol *called)
{
    return given_is(called) ? "which has [Derivative]" : "a function with loops";
}

static void refuse_inside(Shape *f, Ast *tree, const char *where)
{
    const Fact *fact = call_inside(f, tree);
    if (fact)
        fail(f, fact->loc,
             arena_printf(f->s->arena, "'%s', %s, %s", fact->called->name, what_is(fact->called),
                          where),
             "call it in a statement of its own");
}

static Variable *variable_of(const Shape *f, const Ast *n)
{
    return n->kind == AST_NAME_REF ? find_variable(f, n->name_ref.name) : NULL;
}

/* An argument that may have a derivative becomes a variable. */
static Variable *argument(Shape *f, Ast **slot, const Type *t, Steps *out)
{
    Variable *v = variable_of(f, *slot);
    Variables reads = {0};
    reads_of(f, *slot, &reads);
    bool any = reads.len > 0;
    vec_free(&reads);
    if (v && v->type == t) return v;
    if (!any || !normal_is_real(t)) return NULL;
    Step step = {.kind = STEP_ASSIGN, .loc = (*slot)->loc, .value = *slot};
    reads_of(f, *slot, &step.reads);
    Variable *made = new_variable(f, code_fresh(f->s, "argument"), t);
    set_target(f, &step, made, true);
    vec_push(out, step);
    *slot = tree_name(f->s, (*slot)->loc, made->name);
    return made;
}

/* A call of a function with loops: a step of its own, whose result is a variable. */
static void hoist_call(Shape *f, Ast **slot, const Fact *fact, Steps *out)
{
    Ast *call = *slot;
    const Ast *decl = fact->called->decl;
    Step step = {.kind = STEP_CALL, .loc = call->loc, .callee = fact->called};
    bool plain = !fact->under && !fact->called->self && !fact->called->local &&
                 call->call.args.len == decl->func.params.len;
    for (int i = 0; i < decl->func.params.len; i++) {
        AstOp mode = decl->func.params.data[i]->param.mode;
        plain = plain && (mode == AST_OP_NONE || mode == AST_OP_BY_VALUE);
    }
    for (int i = 0; i < call->call.args.len; i++)
        plain = plain && call->call.args.data[i]->kind != AST_BINDER;
    if (!plain || !normal_is_real(fact->type)) {
        fail(f, call->loc,
             arena_printf(f->s->arena, "'%s', %s%s", fact->called->name, what_is(fact->called),
                          fact->under           ? ", under bound variables"
                          : fact->called->local ? " that is declared inside of another"
                          : fact->called->self  ? " that is a method of an object"
                          : !normal_is_real(fact->type)
                              ? ", whose result is no real or array of reals"
                              : ", whose arguments are not as they are declared"),
             fact->under
                 ? "call it in a statement of its own, or write it as definitions"
                 : "make it a function of reals and arrays, outside of functions and objects");
        return;
    }
    for (int i = 0; i < call->call.args.len && f->out->good; i++) {
        Ast *arg = call->call.args.data[i];
        hoist(f, &arg, out);
        Variable *v = argument(f, &arg, fact->called->type->params[i], out);
        vec_push(&step.given, v);
        step.args = ast_list_add(f->s->arena, step.args, arg);
        reads_of(f, arg, &step.reads);
    }
    Variable *made = new_variable(f, code_fresh(f->s, "result"), fact->type);
    set_target(f, &step, made, true);
    vec_push(out, step);
    *slot = tree_name(f->s, call->loc, made->name);
}

static void hoist_list(Shape *f, AstList list, Steps *out)
{
    for (int i = 0; i < list.len; i++) hoist(f, &list.data[i], out);
}

/* Takes calls of functions with loops out of an expression, in the order in which it is evaluated. */
static void hoist(Shape *f, Ast **slot, Steps *out)
{
    Ast *n = *slot;
    if (!n || !f->out->good || !call_inside(f, n)) return;
    const Fact *fact = n->kind == AST_CALL ? facts_at(f->facts, n) : NULL;
    if (fact) {
        hoist_call(f, slot, fact, out);
        return;
    }
    bool lazy =
        n->kind == AST_BINARY && (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR ||
                                  n->binary.op == AST_OP_COALESCE);
    if (n->kind == AST_BINARY && !lazy) {
        hoist(f, &n->binary.left, out);
        hoist(f, &n->binary.right, out);
    } else if (n->kind == AST_UNARY) {
        hoist(f, &n->unary.operand, out);
    } else if (n->kind == AST_CAST) {
        hoist(f, &n->cast.operand, out);
    } else if (n->kind == AST_MEMBER) {
        hoist(f, &n->member.base, out);
    } else if (n->kind == AST_INDEX) {
        hoist(f, &n->index.base, out);
        hoist_list(f, n->index.args, out);
    } else if (n->kind == AST_CALL) {
        hoist(f, &n->call.callee, out);
        hoist_list(f, n->call.args, out);
    } else if (n->kind == AST_BINDER) {
        hoist(f, &n->binder.constraint, out);
    } else if (n->kind == AST_COND) {
        hoist(f, &n->cond.cond, out);
        refuse_inside(f, n->cond.then, "in a branch of an expression");
        refuse_inside(f, n->cond.other, "in a branch of an expression");
    } else {
        refuse_inside(f, n, "in this place");
    }
}

/* ---- assignments --------------------------------------------------------------------------------- */

static void assign(Shape *f, Loc loc, Variable *v, Ast *value, bool declares, Steps *out)
{
    Step step = {.kind = STEP_ASSIGN, .loc = loc, .value = value};
    if (value->kind == AST_DEFINE)
        refuse_inside(f, value->define.value, "under bound variables");
    else
        hoist(f, &step.value, out);
    reads_of(f, step.value, &step.reads);
    set_target(f, &step, v, declares);
    vec_push(out, step);
}

/* A function, whose definition goes where it is used. */
static void define_function(Shape *f, Loc loc, const char *name, const Type *t, Ast *definition,
                            Steps *out)
{
    Step step = {.kind = STEP_FUNCTION, .loc = loc, .value = definition};
    refuse_inside(f, definition, "in the definition of a function");
    Variable *v = new_variable(f, name, t);
    reads_of(f, definition, &step.reads);
    for (size_t i = 0; i < step.reads.len; i++) { /* what it reads at last changes it */
        normal_add(&v->reads, step.reads.data[i]);
        for (size_t k = 0; k < step.reads.data[i]->reads.len; k++)
            normal_add(&v->reads, step.reads.data[i]->reads.data[k]);
    }
    check_reads(f, &step);
    v->definition = definition;
    v->set = true;
    step.target = v;
    vec_push(out, step);
}

static bool known_type(Shape *f, const Ast *decl, const char *name, const Type **t)
{
    const Fact *fact = facts_at(f->facts, decl);
    *t = fact ? fact->type : NULL;
    if (!fact)
        fail(f, decl->loc, arena_printf(f->s->arena, "what declares '%s'", name),
             "declare it with its type, in a statement of its own");
    return fact != NULL;
}

/* The variable `decl` of a VAR_DECL; rest: the statements of its scope, where it may get another name. */
static void declarator(Shape *f, const Ast *n, Ast *decl, int nrest, Ast **rest, Steps *out)
{
    const Type *t;
    Ast *init = decl->declarator.init;
    if (!known_type(f, decl, decl->declarator.name, &t)) return;
    const char *name = own_name(f, decl->declarator.name, nrest, rest);
    if (t->kind == TY_FUNC) {
        if (!init) {
            fail(f, decl->loc, "a variable that holds a function", "define the function at once");
            return;
        }
        Ast *alone = ast_new(f->s->arena, AST_VAR_DECL, n->loc);
        alone->var_decl.vtype = n->var_decl.vtype->kind == AST_TYPE_VAR
                                    ? n->var_decl.vtype
                                    : type_node(f->s, n->loc, t);
        alone->var_decl.vars = ast_list_add(f->s->arena, (AstList){0}, decl);
        define_function(f, n->loc, name, t, alone, out);
        return;
    }
    if (init) hoist(f, &init, out);
    Variable *v = new_variable(f, name, t);
    if (init) {
        assign(f, decl->loc, v, init, true, out);
        return;
    }
    Step *step = add_step(out, STEP_RUN, decl->loc);
    step->declared = v;
    step->value = tree_local(f->s, decl->loc, type_node(f->s, decl->loc, t), name, NULL);
}

static void definition(Shape *f, Ast *n, int nrest, Ast **rest, Steps *out)
{
    const Type *t;
    if (!known_type(f, n, n->define.name, &t)) return;
    const char *name = own_name(f, n->define.name, nrest, rest);
    if (t->kind == TY_ARRAY)
        assign(f, n->loc, new_variable(f, name, t), n, true, out);
    else
        define_function(f, n->loc, name, t, n, out);
}

static void assignment(Shape *f, Loc loc, Ast *target, AstOp op, Ast *value, Steps *out)
{
    Variable *v = variable_of(f, target);
    if (!v && target->kind == AST_INDEX) {
        fail(f, loc, "an assignment to an element or a slice of an array",
             "make the array at once: a = (i : 0..n) => ..");
    } else if (!v || v->definition || !v->type) {
        fail(f, loc, "an assignment to what is no variable of this function",
             "return what it computes");
    } else {
        if (op != AST_OP_NONE) value = tree_binary(f->s, loc, op, target, value);
        assign(f, loc, v, value, false, out);
    }
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

static void if_statement(Shape *f, Ast *n, AstList rest, Steps *out)
{
    Step step = {.kind = STEP_IF, .loc = n->loc, .value = n->if_.cond};
    size_t visible = f->visible.len;
    hoist(f, &step.value, out);
    visible = f->visible.len;
    reads_of(f, step.value, &step.reads);
    VEC(bool) set = {0};
    for (size_t i = 0; i < visible; i++) vec_push(&set, f->visible.data[i]->set);
    branch(f, followed(f, n->if_.then, rest), &step.first);
    VEC(bool) after = {0};
    for (size_t i = 0; i < visible; i++) {
        vec_push(&after, f->visible.data[i]->set);
        f->visible.data[i]->set = set.data[i];
    }
    branch(f, followed(f, n->if_.other, rest), &step.second);
    for (size_t i = 0; i < visible; i++) {
        bool then = after.data[i], now = f->visible.data[i]->set;
        f->visible.data[i]->set = set.data[i];
        set.data[i] = then || now;
    }
    note_inside(f, &step, &step.first, visible);
    note_inside(f, &step, &step.second, visible);
    for (size_t i = 0; i < visible; i++) f->visible.data[i]->set = set.data[i];
    vec_free(&set);
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
                fail(f, loop->loc,
                     arena_printf(f->s->arena, "'%s' in a loop that changes '%s', which it reads",
                                  m->name, loop->writes.data[k]->name),
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
        assign(f, loc, new_variable(f, name, s->boolean), yes, true, out);
        body = tree_block(s, loc, 2, tree_assign(s, loc, tree_name(s, loc, name), no), body);
        cond = tree_binary(s, loc, AST_OP_LOR, tree_name(s, loc, name), cond);
    }
    if (jumps(body)) {
        stop = new_variable(f, code_fresh(s, "stop"), s->boolean);
        assign(f, loc, stop, ast_new(s->arena, AST_BOOL_LIT, loc), true, out);
        Ast *on = ast_new(s->arena, AST_UNARY, loc);
        on->unary.op = AST_OP_NOT;
        on->unary.operand = tree_name(s, loc, stop->name);
        cond = cond ? tree_binary(s, loc, AST_OP_LAND, on, cond) : on;
    }
    step.value = cond ? cond : yes;
    size_t visible = f->visible.len;
    VEC(bool) set = {0};
    for (size_t i = 0; i < visible; i++) vec_push(&set, f->visible.data[i]->set);
    reads_of(f, step.value, &step.reads);
    f->stop = stop;
    f->turn = &turn;
    f->loops++;
    AstList list = ast_list_add(s->arena, (AstList){0}, body);
    list = ast_list_add(s->arena, list, ast_new(s->arena, AST_CONTINUE, loc));
    branch(f, list, &step.first);
    f->loops--;
    f->stop = outer_stop;
    f->turn = outer_turn;
    for (size_t i = 0; i < visible; i++) f->visible.data[i]->set = set.data[i];
    note_inside(f, &step, &step.first, visible);
    for (size_t i = 0; i < step.writes.len; i++) step.writes.data[i]->set = true;
    check_loop(f, &step);
    vec_free(&set);
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
            declarator(f, init, init->var_decl.vars.data[k], (int)rest.len, rest.data, out);
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
        assignment(f, n->loc, e->assign.target, e->assign.op, e->assign.value, out);
    else if (e->kind == AST_INCDEC)
        assignment(f, n->loc, e->incdec.target, e->incdec.op, tree_int(f->s, n->loc, 1), out);
    else if (e->kind == AST_ASSIGN)
        fail(f, n->loc, "an assignment to a tuple", "write an assignment for each variable");
    else
        fail(f, n->loc, "a call for its effect", "return what it computes");
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
        fail(f, n->loc, "a return inside of a loop",
             "leave the loop with break, and return behind it");
    } else if (n->kind == AST_RETURN) {
        if (n->return_.value) assign(f, n->loc, f->out->result, n->return_.value, false, out);
    } else if (n->kind == AST_BREAK) {
        assign(f, n->loc, f->stop, tree_true(f->s, n->loc), false, out);
    } else if (n->kind == AST_CONTINUE) {
        AstList turn = *f->turn, copy = {0};
        for (int i = 0; i < turn.len; i++)
            copy = ast_list_add(f->s->arena, copy, ast_clone(f->s->arena, turn.data[i]));
        statements(f, copy, out);
    } else {
        add_step(out, STEP_RUN, n->loc)->value = n;
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
                declarator(f, n, n->var_decl.vars.data[k], nhere, list.data + i, out);
            if (n->var_decl.is_const) add_step(out, STEP_RUN, n->loc)->value = n;
            break;
        case AST_DEFINE: definition(f, n, nhere, list.data + i, out); break;
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
        default: fail(f, n->loc, kind_of(n), instead_of(n)); break;
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
        Variable *v = new_variable(&f, p->param.name, p->type);
        v->set = true;
        vec_push(&f.names, v->name);
        vec_push(&out->params, v);
    }
    out->result = new_variable(&f, code_fresh(s, "value"), result);
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
