/* Variables and values of the normal form (shape.h): each variable gets a name of its own, and each call of a function
 * with loops becomes a step. */
#include "shape.h"

void shape_fail(Shape *f, Loc loc, const char *what, const char *instead)
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

Variable *shape_variable(Shape *f, const char *name, const Type *t)
{
    Variable *v = arena_new_of(f->s->arena, Variable);
    v->name = name;
    v->type = t;
    vec_push(&f->out->all, v);
    vec_push(&f->visible, v);
    return v;
}

Variable *shape_find(const Shape *f, const char *name)
{
    for (size_t i = f->visible.len; i-- > 0;)
        if (f->visible.data[i]->name == name) return f->visible.data[i];
    return NULL;
}

void shape_reads(Shape *f, Ast *tree, Variables *out)
{
    FreeNames names = {0};
    if (!tree) return;
    Ast around = {.kind = AST_FUNC};
    around.func.body = tree;
    free_names(f->s, &around, &names);
    for (size_t i = 0; i < names.len; i++) {
        Variable *v = shape_find(f, names.data[i].name);
        if (v) normal_add(out, v);
    }
    vec_free(&names);
}

/* ---- values ------------------------------------------------------------------------------------- */

Step *shape_step(Steps *out, StepKind kind, Loc loc)
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
        bool now = m->definition && m->definition->kind == AST_FUNC; /* it reads what there is */
        if (m->definition && !now && normal_has(&m->reads, v)) m->changed = v;
    }
}

static void check_reads(Shape *f, const Step *step)
{
    Variables plain = {0}, functions = {0};
    normal_reads(step, &plain, &functions);
    for (size_t i = 0; i < functions.len; i++)
        if (functions.data[i]->changed)
            shape_fail(f, step->loc,
                       arena_printf(f->s->arena,
                                    "'%s', a function of '%s', which has changed since",
                                    functions.data[i]->name, functions.data[i]->changed->name),
                       "make it an array, or define it where it is used");
    vec_free(&plain);
    vec_free(&functions);
}

void shape_target(Shape *f, Step *step, Variable *v, bool declares)
{
    step->target = v;
    step->declares = declares;
    step->over = v->set;
    check_reads(f, step);
    note_change(f, v);
    v->set = true;
}

static void find_call(Ast **child, void *ctx)
{
    const Fact **found = ((void **)ctx)[1];
    const Shape *f = ((void **)ctx)[0];
    const Fact *fact = (*child)->kind == AST_CALL ? facts_at(f->facts, *child, FACT_CALL) : NULL;
    if (fact && !*found && !(fact->under && fact->value)) *found = fact;
    if (!*found) *found = shape_listed(f, *child);
    ast_each_child(*child, find_call, ctx);
}

/* A call, or an array of elements that are written: what is taken out of an expression. NULL: there is none. */
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

/* Calls that no graph can have. */
static void refuse_inside(Shape *f, Ast *tree, const char *where)
{
    const Fact *fact = call_inside(f, tree);
    if (fact && fact->kind == FACT_ARRAY)
        shape_fail(f, fact->loc, arena_printf(f->s->arena, "a new array %s", where),
                   "put it into a variable in a statement of its own");
    else if (fact && !fact->value)
        shape_fail(f, fact->loc,
                   arena_printf(f->s->arena, "'%s', %s, %s", fact->called->name,
                                what_is(fact->called), where),
                   "call it in a statement of its own");
}

Variable *shape_named(const Shape *f, const Ast *n)
{
    return n->kind == AST_NAME_REF ? shape_find(f, n->name_ref.name) : NULL;
}

/* An argument that may have a derivative becomes a variable. */
static Variable *argument(Shape *f, Ast **slot, const Type *t, Steps *out)
{
    Variable *v = shape_named(f, *slot);
    Variables reads = {0};
    shape_reads(f, *slot, &reads);
    bool any = reads.len > 0;
    vec_free(&reads);
    if (v && v->type == t) return v;
    if (!any || !kind_is_real(t)) return NULL;
    Step step = {.kind = STEP_ASSIGN, .loc = (*slot)->loc, .value = *slot};
    shape_reads(f, *slot, &step.reads);
    Variable *made = shape_variable(f, code_fresh(f->s, "argument"), t);
    shape_target(f, &step, made, true);
    vec_push(out, step);
    *slot = tree_name(f->s, (*slot)->loc, made->name);
    return made;
}

/* The function that a call calls: one with arrays, where functions that it is given read variables. */
static Symbol *callee_of(Shape *f, const Fact *fact, const Ast *call)
{
    Symbol *called = fact->called;
    const Type *t = called->type;
    for (int i = 0; !given_is(called) && i < t->nparams && i < call->call.args.len; i++) {
        Variables reads = {0};
        if (arrays_of(f->s, t->params[i])) shape_reads(f, call->call.args.data[i], &reads);
        bool any = reads.len > 0;
        vec_free(&reads);
        if (any) return arrays_version(f->s, called);
    }
    return called;
}

/* The object of a call of a method, which is no value and no other's by what it is; NULL: it is none such. */
static Ast *object_of(Shape *f, const Symbol *called, const Ast *call)
{
    const Ast *callee = call->call.callee;
    if (!called->self || called->overridden || called->cls->type->kind != TY_OBJECT ||
        class_is_final_value(called->cls) || class_is_struct(called->cls))
        return NULL;
    if (callee->kind == AST_NAME_REF) return ast_new(f->s->arena, AST_THIS, call->loc);
    return callee->kind == AST_MEMBER && callee->member.base->kind != AST_BASE ? callee->member.base
                                                                               : NULL;
}

/* Is it `this`, a variable, or a field of such? It may be read more than once, and has no derivative. */
static bool is_place(const Ast *n)
{
    while (n->kind == AST_MEMBER && n->member.base) n = n->member.base;
    return n->kind == AST_THIS || n->kind == AST_NAME_REF;
}

/* A call of a function with loops: a step of its own, whose result is a variable. */
void shape_call(Shape *f, Ast **slot, const Fact *fact, Steps *out)
{
    Ast *call = *slot;
    const Ast *decl = fact->called->decl;
    if (!fact->under && normal_is_discrete(fact->type)) { /* it has no derivative */
        Variable *v = shape_variable(f, code_fresh(f->s, "result"), fact->type);
        Step step = {.kind = STEP_ASSIGN, .loc = call->loc, .value = call};
        shape_reads(f, call, &step.reads);
        shape_target(f, &step, v, true);
        vec_push(out, step);
        *slot = tree_name(f->s, call->loc, v->name);
        return;
    }
    Step step = {.kind = STEP_CALL, .loc = call->loc, .callee = fact->called};
    step.object = object_of(f, fact->called, call);
    bool plain = !fact->under && (!fact->called->self || step.object) && !fact->called->local &&
                 call->call.args.len == decl->func.params.len;
    for (int i = 0; i < decl->func.params.len; i++)
        plain = plain && decl_mode(decl->func.params.data[i]) == AST_OP_BY_VALUE;
    for (int i = 0; i < call->call.args.len; i++)
        plain = plain && call->call.args.data[i]->kind != AST_BINDER;
    const bool whole = split_is(fact->type);
    if (!plain || (!kind_is_real(fact->type) && !whole)) {
        shape_fail(
            f, call->loc,
            arena_printf(
                f->s->arena, "'%s', %s%s", fact->called->name, what_is(fact->called),
                fact->under                 ? ", under bound variables"
                : fact->called->local       ? " that is declared inside of another"
                : fact->called->self        ? " that is a method others may override, or of a value"
                : !kind_is_real(fact->type) ? ", whose result is no real or array of reals"
                                            : ", whose arguments are not as they are declared"),
            fact->under ? "call it in a statement of its own, or write it as definitions"
            : call->call.args.len != decl->func.params.len && !fact->called->self
                ? "give each argument in its place, `params` as an array; LINQ as sum(i : x, ..)"
                : "make it a function of reals and arrays, outside of functions and objects");
        return;
    }
    if (step.object && !is_place(step.object)) {
        shape_fail(f, step.object->loc, "a method of an object that an expression gives",
                   "put the object into a variable");
        return;
    }
    step.callee = callee_of(f, fact, call);
    if (!step.callee->type) return;
    if (step.object) shape_reads(f, step.object, &step.reads);
    for (int i = 0; i < call->call.args.len && f->out->good; i++) {
        Ast *arg = call->call.args.data[i];
        shape_hoist(f, &arg, out);
        Variable *v = argument(f, &arg, step.callee->type->params[i], out);
        vec_push(&step.given, v);
        step.args = ast_list_add(f->s->arena, step.args, arg);
        shape_reads(f, arg, &step.reads);
    }
    Leaves leaves = {0};
    AstList names = {0};
    if (whole)
        split_leaves(f->s, "", fact->type, NULL, call->loc, &leaves);
    else
        vec_push(&leaves, ((Leaf){.type = fact->type}));
    for (size_t i = 0; i < leaves.len; i++) {
        Variable *made = shape_variable(f, code_fresh(f->s, "result"), leaves.data[i].type);
        if (!i)
            shape_target(f, &step, made, true);
        else
            vec_push(&step.others, made);
        made->set = true;
        names = ast_list_add(f->s->arena, names, tree_name(f->s, call->loc, made->name));
    }
    step.whole = whole ? fact->type : NULL;
    vec_free(&leaves);
    vec_push(out, step);
    int at = 0;
    *slot = split_whole(f->s, call->loc, fact->type, names, &at, true);
}

static void find_element(Ast **child, void *ctx)
{
    void **to = ctx;
    bool *found = to[1];
    if ((*child)->kind == AST_LAMBDA || *found) return;
    *found = shape_is_element(to[0], *child);
    ast_each_child(*child, find_element, ctx);
}

/* Has a branch of c ? a : b what is a step of its own? */
static bool recorded_branch(Shape *f, Ast *n)
{
    bool found = false;
    void *ctx[] = {f, &found};
    Ast *branches[] = {n->cond.then, n->cond.other};
    for (int i = 0; i < 2; i++) {
        if (call_inside(f, branches[i]) || shape_effect(branches[i])) return true;
        find_element(&branches[i], ctx);
    }
    return found;
}

static void hoist_list(Shape *f, AstList list, Steps *out)
{
    for (int i = 0; i < list.len; i++) shape_hoist(f, &list.data[i], out);
}

void shape_hoist(Shape *f, Ast **slot, Steps *out)
{
    Ast *n = *slot;
    if (!n || !f->out->good || (!f->elements && !call_inside(f, n) && !shape_has_rows(f, n)))
        return;
    const Fact *fact = n->kind == AST_CALL ? facts_at(f->facts, n, FACT_CALL) : NULL;
    if (fact && !(fact->under && fact->value)) {
        shape_call(f, slot, fact, out);
        return;
    }
    const Fact *listed = shape_listed(f, n);
    if (listed) {
        *slot = tree_name(f->s, n->loc, shape_temporary(f, "array", listed->type, n, out)->name);
        return;
    }
    if (f->elements && shape_get(f, slot, out)) return;
    if (shape_get_rows(f, slot, out)) return;
    const Fact *choice = n->kind == AST_COND ? facts_at(f->facts, n, FACT_CHOICE) : NULL;
    if (choice && recorded_branch(f, n)) {
        *slot = tree_name(f->s, n->loc, shape_temporary(f, "choice", choice->type, n, out)->name);
        return;
    }
    bool lazy =
        n->kind == AST_BINARY && (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR ||
                                  n->binary.op == AST_OP_COALESCE);
    if (n->kind == AST_BINARY && !lazy) {
        shape_hoist(f, &n->binary.left, out);
        shape_hoist(f, &n->binary.right, out);
    } else if (n->kind == AST_UNARY) {
        shape_hoist(f, &n->unary.operand, out);
    } else if (n->kind == AST_CAST) {
        shape_hoist(f, &n->cast.operand, out);
    } else if (n->kind == AST_MEMBER) {
        shape_hoist(f, &n->member.base, out);
    } else if (n->kind == AST_INDEX) {
        shape_hoist(f, &n->index.base, out);
        hoist_list(f, n->index.args, out);
    } else if (n->kind == AST_CALL) {
        shape_hoist(f, &n->call.callee, out);
        hoist_list(f, n->call.args, out);
    } else if (n->kind == AST_TUPLE) {
        hoist_list(f, n->tuple.items, out);
    } else if (n->kind == AST_NEW && !n->new_.init) {
        hoist_list(f, n->new_.args, out);
    } else if (n->kind == AST_BINDER) {
        shape_hoist(f, &n->binder.constraint, out);
    } else if (n->kind == AST_COND) {
        shape_hoist(f, &n->cond.cond, out);
        refuse_inside(f, n->cond.then, "in a branch of an expression");
        refuse_inside(f, n->cond.other, "in a branch of an expression");
    } else {
        refuse_inside(f, n, "in this place");
    }
}

/* ---- assignments --------------------------------------------------------------------------------- */

/* v = c ? a : b, where the branches are arrays, have elements or call functions with loops: a branch of statements. */
static bool assign_choice(Shape *f, Loc loc, Variable *v, Ast *value, bool declares, Steps *out)
{
    Sema *s = f->s;
    if (value->kind != AST_COND || (v->type->kind != TY_ARRAY && !recorded_branch(f, value)))
        return false;
    if (declares) {
        Step *step = shape_step(out, STEP_RUN, loc);
        step->declared = v;
        step->value = tree_local(s, loc, type_node(s, loc, v->type), v->name, NULL);
    }
    Ast *n = ast_new(s->arena, AST_IF, loc);
    n->if_.cond = value->cond.cond;
    n->if_.then = tree_assign(s, loc, tree_name(s, loc, v->name), value->cond.then);
    n->if_.other = tree_assign(s, loc, tree_name(s, loc, v->name), value->cond.other);
    shape_if(f, n, (AstList){0}, out);
    return true;
}

void shape_assign(Shape *f, Loc loc, Variable *v, Ast *value, bool declares, Steps *out)
{
    if (assign_choice(f, loc, v, value, declares, out)) return;
    if (shape_list(f, loc, v, value, declares, out)) return;
    bool elements = f->elements, apart = f->apart;
    f->apart = shape_effects(f, &value, out) || apart;
    Step step = {.kind = STEP_ASSIGN, .loc = loc, .value = value};
    f->elements = v->type && type_is_value(v->type) && kind_is_real(v->type);
    if (f->elements) f->read.len = 0;
    if (value->kind == AST_DEFINE)
        refuse_inside(f, value->define.value, "under bound variables");
    else if (!shape_listed(f, value)) /* of constants: as it is */
        shape_hoist(f, &step.value, out);
    f->elements = elements;
    f->apart = apart;
    shape_reads(f, step.value, &step.reads);
    shape_target(f, &step, v, declares);
    vec_push(out, step);
}

void shape_function(Shape *f, Loc loc, const char *name, const Type *t, Ast *definition, Steps *out)
{
    Step step = {.kind = STEP_FUNCTION, .loc = loc, .value = definition};
    refuse_inside(f, definition, "in the definition of a function");
    Variable *v = shape_variable(f, name, t);
    shape_reads(f, definition, &step.reads);
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

/* `written`: as in a declaration, perhaps one that names a type by itself. */
static bool known_type(Shape *f, const Ast *decl, const Ast *written, const char *name,
                       const Type **t)
{
    const Fact *fact = facts_at(f->facts, decl, FACT_DECLARED);
    bool named = written && written->kind == AST_TYPE_NAME && !written->type_name.name;
    *t = named ? written->type : fact ? fact->type : NULL;
    if (!*t)
        shape_fail(f, decl->loc, arena_printf(f->s->arena, "what declares '%s'", name),
                   "declare it with its type, in a statement of its own");
    return *t != NULL;
}

void shape_declare(Shape *f, const Ast *n, Ast *decl, int nrest, Ast **rest, Steps *out)
{
    const Type *t;
    Ast *init = decl->declarator.init;
    if (!known_type(f, decl, n->var_decl.vtype, decl->declarator.name, &t)) return;
    const char *name = own_name(f, decl->declarator.name, nrest, rest);
    if (t->kind == TY_FUNC) {
        if (!init) {
            shape_fail(f, decl->loc, "a variable that holds a function",
                       "define the function at once");
            return;
        }
        Ast *alone = ast_new(f->s->arena, AST_VAR_DECL, n->loc);
        alone->var_decl.vtype = n->var_decl.vtype->kind == AST_TYPE_VAR
                                    ? n->var_decl.vtype
                                    : type_node(f->s, n->loc, t);
        alone->var_decl.vars = ast_list_add(f->s->arena, (AstList){0}, decl);
        shape_function(f, n->loc, name, t, alone, out);
        return;
    }
    const bool apart = f->apart;
    if (init && init->kind != AST_COND) {
        f->apart = shape_effects(f, &init, out) || apart;
        shape_hoist(f, &init, out);
    }
    Variable *v = shape_variable(f, name, t);
    if (init) {
        shape_assign(f, decl->loc, v, init, true, out);
        f->apart = apart;
        return;
    }
    Step *step = shape_step(out, STEP_RUN, decl->loc);
    step->declared = v;
    /* where the first turn of a loop gives it one, that is no longer seen */
    step->value = tree_local(f->s, decl->loc, type_node(f->s, decl->loc, t), name,
                             code_default(f->s, decl->loc, t));
}

void shape_define(Shape *f, Ast *n, int nrest, Ast **rest, Steps *out)
{
    const Type *t;
    if (!known_type(f, n, NULL, n->define.name, &t)) return;
    const char *name = own_name(f, n->define.name, nrest, rest);
    if (t->kind == TY_ARRAY)
        shape_assign(f, n->loc, shape_variable(f, name, t), n, true, out);
    else
        shape_function(f, n->loc, name, t, n, out);
}

Variable *shape_temporary(Shape *f, const char *what, const Type *t, Ast *value, Steps *out)
{
    Variable *v = shape_variable(f, code_fresh(f->s, what), t);
    shape_assign(f, value->loc, v, value, true, out);
    return v;
}
