/* What a function that is declared inside another uses of it: the names in its tree that it does not
 * declare itself, by their form alone. Scopes are those of statements, binders and lambdas.
 */
#include "../check/check.h"

typedef struct Free {
    Sema *s;
    FreeNames *out;
    VEC(const char *) declared;
} Free;

static void walk(Ast **child, void *ctx);

static void visit(Free *f, Ast *n)
{
    if (n) walk(&n, f);
}

static FreeName *note(Free *f, const char *name)
{
    for (size_t i = f->declared.len; i-- > 0;)
        if (f->declared.data[i] == name) return NULL;
    for (size_t i = 0; i < f->out->len; i++)
        if (f->out->data[i].name == name) return &f->out->data[i];
    FreeName one = {.name = name};
    vec_push(f->out, one);
    return &vec_last(f->out);
}

/* target = ..: a name, an element or a member of one, or a tuple of such. */
static void written(Free *f, Ast *target)
{
    Ast *root = target;
    bool member = false;
    for (; root->kind == AST_INDEX || root->kind == AST_MEMBER;
         root = root->kind == AST_INDEX ? root->index.base : root->member.base)
        member = member || root->kind == AST_MEMBER;
    for (int i = 0; root->kind == AST_TUPLE && i < root->tuple.items.len; i++)
        written(f, root->tuple.items.data[i]);
    FreeName *name = root->kind == AST_NAME_REF ? note(f, root->name_ref.name) : NULL;
    int how = member ? FREE_PARTS : root == target ? FREE_ITSELF : FREE_ELEMENTS;
    if (!name || (int)name->writes >= how) return;
    name->writes = how;
    name->written = target->loc;
}

static void declare_functions(Free *f, const AstList *stmts)
{
    for (int i = 0; i < stmts->len; i++)
        if (stmts->data[i]->kind == AST_FUNC) vec_push(&f->declared, stmts->data[i]->func.name);
}

/* Ranges see what is outside, and the variables before them. */
static void bind(Free *f, const AstList *binders)
{
    for (int i = 0; i < binders->len; i++) {
        const Ast *b = binders->data[i];
        if (b->kind != AST_BINDER) continue;
        visit(f, b->binder.constraint);
        for (int k = 0; k < b->binder.names.len; k++)
            vec_push(&f->declared, b->binder.names.data[k]->name_ref.name);
    }
}

/* Of arguments by name the values. */
static void visit_named(Free *f, const AstList *args)
{
    for (int i = 0; i < args->len; i++)
        if (args->data[i]->kind == AST_BINDER) visit(f, args->data[i]->binder.constraint);
}

static void visit_tuple(Free *f, const Ast *n)
{
    for (int i = 0; i < n->tuple.items.len; i++) {
        Ast *item = n->tuple.items.data[i];
        if (item->kind != AST_BINDER)
            visit(f, item);
        else if (item->binder.constraint) /* x : value, where x is the name of an element */
            visit(f, item->binder.constraint);
        else
            vec_push(&f->declared, item->binder.names.data[0]->name_ref.name);
    }
}

static void visit_function(Free *f, const Ast *n)
{
    for (int i = 0; i < n->func.params.len; i++)
        if (n->func.params.data[i]->kind == AST_PARAM)
            vec_push(&f->declared, n->func.params.data[i]->param.name);
    visit(f, n->func.body);
}

/* { P = 1, Q = { X = 2 } } names members. */
static void visit_items(Free *f, Ast *init)
{
    if (!init || init->kind != AST_INIT_LIST) {
        visit(f, init);
        return;
    }
    for (int i = 0; i < init->init_list.items.len; i++) {
        Ast *item = init->init_list.items.data[i];
        bool member = item->kind == AST_ASSIGN && item->assign.target->kind == AST_NAME_REF;
        visit_items(f, member ? item->assign.value : item);
    }
}

static void visit_new(Free *f, const Ast *n)
{
    visit_named(f, &n->new_.args);
    for (int i = 0; i < n->new_.args.len; i++) visit(f, n->new_.args.data[i]);
    visit_items(f, n->new_.init);
}

/* What opens a scope; false for others. */
static bool scoped(Free *f, Ast *n)
{
    AstList *stmts = n->kind == AST_BLOCK  ? &n->block.stmts
                     : n->kind == AST_CASE ? &n->case_.stmts
                                           : NULL;
    switch (n->kind) {
    case AST_BLOCK:
    case AST_CASE: declare_functions(f, stmts); break;
    case AST_FUNC: visit_function(f, n); return true;
    case AST_FOREACH:
        visit(f, n->foreach_.seq);
        vec_push(&f->declared, n->foreach_.name);
        visit(f, n->foreach_.body);
        return true;
    case AST_CATCH:
        if (n->catch_.name) vec_push(&f->declared, n->catch_.name);
        break;
    case AST_LET: bind(f, &n->let.binders); break;
    case AST_LAMBDA: bind(f, &n->lambda.binders); break;
    case AST_REDUCE: bind(f, &n->reduce.binders); break;
    case AST_CALL:
        for (int i = 0; i < n->call.args.len; i++)
            if (keeps_changes(f->s, n, i)) written(f, n->call.args.data[i]);
        if (names_arguments(&n->call.args))
            visit_named(f, &n->call.args);
        else
            bind(f, &n->call.args);
        break;
    case AST_DEFINE:
        bind(f, &n->define.binders);
        visit(f, n->define.value);
        return true;
    case AST_USING:
        if (!n->using_.body) return false; /* its variable goes on */
        break;
    case AST_FOR:
    case AST_ARM:
    case AST_SWITCH: break;
    default: return false;
    }
    ast_each_child(n, walk, f);
    return true;
}

static void walk(Ast **child, void *ctx)
{
    Free *f = ctx;
    Ast *n = *child;
    size_t outer = f->declared.len;
    if (n->kind == AST_DEFINE) outer++;
    if (n->kind == AST_DEFINE) vec_push(&f->declared, n->define.name);
    if (scoped(f, n)) {
        f->declared.len = outer;
        return;
    }
    switch (n->kind) {
    case AST_NAME_REF: note(f, n->name_ref.name); break;
    case AST_THIS: note(f, intern_cstr(f->s->names, "this")); break; /* of a struct (struct.c) */
    case AST_NEW: visit_new(f, n); break;
    case AST_BINDER: break; /* done by what it belongs to */
    case AST_TUPLE: visit_tuple(f, n); break;
    case AST_DECLARATOR:
        visit(f, n->declarator.init);
        vec_push(&f->declared, n->declarator.name);
        break;
    case AST_ASSIGN:
        written(f, n->assign.target);
        ast_each_child(n, walk, f);
        break;
    case AST_INCDEC:
        written(f, n->incdec.target);
        ast_each_child(n, walk, f);
        break;
    case AST_UNARY:
        if (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT) written(f, n->unary.operand);
        visit(f, n->unary.operand);
        break;
    case AST_PATTERN_OF:
        ast_each_child(n, walk, f);
        if (n->pattern_of.name) vec_push(&f->declared, n->pattern_of.name);
        break;
    case AST_PATTERN_LIST:
        ast_each_child(n, walk, f);
        if (n->pattern_list.name) vec_push(&f->declared, n->pattern_list.name);
        break;
    case AST_DECL_EXPR: vec_push(&f->declared, n->decl_expr.name); break;
    default: ast_each_child(n, walk, f); break;
    }
}

void free_names(Sema *s, Ast *func, FreeNames *out)
{
    Free f = {.s = s, .out = out};
    visit(&f, func);
    vec_free(&f.declared);
}
