/* Types of bound variables: int if some use is an index of a functional value, else the type of the
 * first use, else int. What is applied is learned by checking a copy of it quietly (peek_type). */
#include <string.h>

#include "../check/check.h"

typedef struct Typing {
    Sema *s;
    BoundNames names;  /* the ones asked for */
    BoundNames hidden; /* bound by let and lambda in between */
    const Type *want;  /* what the place wants, or NULL */
    VEC(const Type *) types;
    VEC(bool) sure;
} Typing;

static void use(Typing *w, const char *name, const Type *t, bool index)
{
    if (!t || t->kind != TY_SCALAR || bound_has(&w->hidden, name)) return;
    for (size_t i = 0; i < w->names.len; i++) {
        if (w->names.data[i] != name || w->sure.data[i]) continue;
        if (index && type_is_scalar(t, SC_INT)) w->sure.data[i] = true;
        if (!w->types.data[i] || w->sure.data[i]) w->types.data[i] = t;
    }
}

static void typing(Ast **child, void *ctx);

static void typing_as(Typing *w, Ast **child, const Type *want)
{
    const Type *outer = w->want;
    w->want = want;
    typing(child, w);
    w->want = outer;
}

/* The parameter types of what is applied; NULL where several overloads could be meant. */
static const Type *callee_type(Typing *w, const Ast *callee, int nargs, bool *index)
{
    Sema *s = w->s;
    *index = false;
    if (callee->kind == AST_NAME_REF) {
        Symbol *sym = scope_callee(s, callee->name_ref.name);
        if (!sym || sym->kind == SYM_BUILTIN || sym->kind == SYM_TYPE || sym->kind == SYM_SPACE)
            return NULL;
        if (sym->kind == SYM_FUNC) {
            const Type *found = NULL;
            for (; sym; sym = sym->next)
                if (sym->type && sym->type->nparams == nargs) {
                    if (found) return NULL;
                    found = sym->type;
                }
            return found;
        }
        *index = true;
        return type_is_functional(sym->type) ? sym->type : NULL;
    }
    const Type *t = peek_type(s, callee);
    *index = callee->kind != AST_MEMBER;
    return type_is_functional(t) && t->nparams == nargs ? t : NULL;
}

/* Is it a function of Math that is an int of ints: Math.Min? */
static bool is_of_ints(const char *name, int nargs)
{
    for (int i = 0; i < nbuiltins; i++) {
        const char *form = builtins[i].signature;
        if (builtins[i].space == SPACE_Math && strspn(form, "i") == (size_t)nargs + 1 &&
            !form[nargs + 1] && strcmp(library_names[builtins[i].name], name) == 0)
            return true;
    }
    return false;
}

/* What a function of Math wants of each operand where a call of it is wanted as w->want; NULL: callee is none. */
static const Type *wanted_by_math(const Typing *w, const Ast *callee, int nargs)
{
    const Ast *space = callee->kind == AST_MEMBER ? callee->member.base : NULL;
    if (!space || space->kind != AST_NAME_REF ||
        builtin_space(w->s, space->name_ref.name) != SPACE_Math)
        return NULL;
    bool ints =
        w->want && type_is_scalar(w->want, SC_INT) && is_of_ints(callee->member.name, nargs);
    return ints ? w->want : w->s->real;
}

static void typing_call(Typing *w, Ast *n)
{
    Ast **callee = n->kind == AST_CALL ? &n->call.callee : &n->index.base;
    const AstList *args = n->kind == AST_CALL ? &n->call.args : &n->index.args;
    bool index;
    const Type *t = callee_type(w, *callee, args->len, &index);
    if ((*callee)->kind != AST_NAME_REF) typing_as(w, callee, NULL);
    const Type *math = wanted_by_math(w, *callee, args->len);
    index = index || (math && math == w->want);
    for (int i = 0; i < args->len; i++) {
        const Type *want = t && i < t->nparams ? t->params[i] : math;
        if (args->data[i]->kind == AST_NAME_REF)
            use(w, args->data[i]->name_ref.name, want, index);
        else
            typing_as(w, &args->data[i], index || !want ? want : NULL);
    }
}

static bool passes_on(AstOp op)
{
    return op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL || op == AST_OP_DIV ||
           op == AST_OP_REM || op == AST_OP_NEG;
}

static void typing_binary(Typing *w, Ast *n)
{
    Ast *l = n->binary.left, *r = n->binary.right;
    const Type *want = passes_on(n->binary.op) ? w->want : NULL;
    typing_as(w, &n->binary.left, want);
    typing_as(w, &n->binary.right, want);
    /* a bare name beside something: a weak hint */
    if (l->kind == AST_NAME_REF && bound_has(&w->names, l->name_ref.name) &&
        r->kind != AST_NAME_REF)
        use(w, l->name_ref.name, result_of(peek_type(w->s, r)), false);
    if (r->kind == AST_NAME_REF && bound_has(&w->names, r->name_ref.name) &&
        l->kind != AST_NAME_REF)
        use(w, r->name_ref.name, result_of(peek_type(w->s, l)), false);
}

static void typing(Ast **child, void *ctx)
{
    Typing *w = ctx;
    Ast *n = *child;
    if (!n) return;
    size_t hidden = w->hidden.len;
    switch (n->kind) {
    case AST_NAME_REF: use(w, n->name_ref.name, w->want, w->want != NULL); break;
    case AST_CALL:
        if (!call_is_reduction(w->s, n)) {
            typing_call(w, n);
            break;
        }
        bound_hide(&w->hidden, &n->call.args);
        for (int i = 0; i < n->call.args.len; i++) typing_as(w, &n->call.args.data[i], NULL);
        break;
    case AST_INDEX: typing_call(w, n); break;
    case AST_BINARY: typing_binary(w, n); break;
    case AST_UNARY: typing_as(w, &n->unary.operand, passes_on(n->unary.op) ? w->want : NULL); break;
    case AST_COND:
        typing_as(w, &n->cond.cond, NULL);
        typing_as(w, &n->cond.then, w->want);
        typing_as(w, &n->cond.other, w->want);
        break;
    case AST_BINDER: /* an argument by name, or what a reduction around it has hidden */
        typing_as(w, &n->binder.constraint, NULL);
        break;
    case AST_BLOCK: break; /* of a lambda: a function of its own */
    default: {
        const Type *outer = w->want;
        w->want = NULL;
        if (n->kind == AST_LET) bound_hide(&w->hidden, &n->let.binders);
        if (n->kind == AST_LAMBDA) bound_hide(&w->hidden, &n->lambda.binders);
        if (n->kind == AST_REDUCE) bound_hide(&w->hidden, &n->reduce.binders);
        ast_each_child(n, typing, w);
        w->want = outer;
        break;
    }
    }
    w->hidden.len = hidden;
}

void bound_types(Sema *s, Symbol **syms, int n, Ast **body)
{
    Typing w = {.s = s};
    for (int i = 0; i < n; i++) {
        if (syms[i]->type) continue;
        vec_push(&w.names, syms[i]->name);
        vec_push(&w.types, NULL);
        vec_push(&w.sure, false);
    }
    if (w.names.len) typing(body, &w);
    for (int i = 0, k = 0; i < n; i++)
        if (!syms[i]->type) syms[i]->type = w.types.data[k] ? w.types.data[k] : s->integer, k++;
    vec_free(&w.names);
    vec_free(&w.types);
    vec_free(&w.sure);
    vec_free(&w.hidden);
}
