/* Recurrences: definitions that use themselves at other points. The type of one is written, or
 * found: the parts of its value that do not use it say what it may be, and a check of the value
 * with that assumption whether it is. That every use is an earlier point is checked on graphs
 * (fdag/passes/recur.c).
 */
#include "../check/check.h"

typedef struct Self {
    Sema *s;
    const char *name;
    const Symbol *sym; /* once checked */
    bool found;
} Self;

static void find_self(Ast **child, void *ctx)
{
    Self *self = ctx;
    if (!*child || self->found) return;
    self->found = (*child)->kind == AST_NAME_REF && (*child)->name_ref.name == self->name;
    if (!self->found) ast_each_child(*child, find_self, self);
}

static bool mentions(Ast *n, const char *name)
{
    Self self = {.name = name};
    find_self(&n, &self);
    return self.found;
}

bool is_recurrence(Ast *define)
{
    return mentions(define->define.value, define->define.name);
}

/* ---- its type ----------------------------------------------------------------------------- */

static const Type *joined(Sema *s, const Type *a, const Type *b)
{
    if (!a || !b || a == b) return a ? a : b;
    return common_numeric(s, a, b);
}

/* The type that a part has whatever the recurrence's is, or NULL. */
static const Type *seed(Sema *s, Ast *n, const char *name)
{
    if (!mentions(n, name)) {
        const Type *t = peek_type(s, n);
        return t == s->error || type_is_functional(t) ? NULL : t;
    }
    switch (n->kind) {
    case AST_COND: return joined(s, seed(s, n->cond.then, name), seed(s, n->cond.other, name));
    case AST_UNARY: return seed(s, n->unary.operand, name);
    case AST_CAST: {
        Ast *target = ast_clone(s->arena, n->cast.target);
        s->quiet++;
        const Type *t = decl_type(s, target);
        s->quiet--;
        return t == s->error ? NULL : t;
    }
    case AST_BINARY:
        switch (n->binary.op) {
        case AST_OP_EQ:
        case AST_OP_NE:
        case AST_OP_LT:
        case AST_OP_LE:
        case AST_OP_GT:
        case AST_OP_GE:
        case AST_OP_LAND:
        case AST_OP_LOR: return s->boolean;
        case AST_OP_SHL:
        case AST_OP_SHR: return seed(s, n->binary.left, name);
        default: return joined(s, seed(s, n->binary.left, name), seed(s, n->binary.right, name));
        }
    case AST_CALL: { /* of a function, or of itself, which says nothing */
        const Ast *callee = n->call.callee;
        if (callee->kind == AST_NAME_REF && callee->name_ref.name == name) return NULL;
        const Type *t = NULL;
        for (int i = 0; i < n->call.args.len; i++)
            if (n->call.args.data[i]->kind != AST_BINDER)
                t = joined(s, t, seed(s, n->call.args.data[i], name));
        return t;
    }
    default: return NULL;
    }
}

static const Type *function_of(Sema *s, const Ast *define, const Type *result)
{
    const Type *params[MAX_PARAMS];
    for (int i = 0; i < define->nbound; i++) params[i] = define->bound[i]->type;
    return type_func(s->types, result, define->nbound, params);
}

bool recurrence_type(Sema *s, Ast *define, Symbol *sym)
{
    const Type *t = seed(s, define->define.value, define->define.name);
    for (int i = 0; i < 3 && t; i++) { /* int may become double, no more */
        sym->type = function_of(s, define, t);
        const Type *found = peek_type(s, define->define.value);
        if (found == t || found == s->error) return true; /* the check itself reports */
        t = joined(s, t, found);
    }
    sym->type = s->error;
    report(s, sym->loc, NEEDS_TYPE, "the type of '%s', which uses itself, cannot be inferred",
           sym->name);
    report_note(s, NOWHERE, "write it instead of var: float(int) %s(...) = ...", sym->name);
    return false;
}

/* ---- its uses ----------------------------------------------------------------------------- */

static void check_use(Ast **child, void *ctx)
{
    Self *self = ctx;
    Ast *n = *child;
    if (!n) return;
    const Ast *callee = n->kind == AST_CALL    ? n->call.callee
                        : n->kind == AST_INDEX ? n->index.base
                                               : NULL;
    if (callee && callee->kind == AST_NAME_REF && callee->sym == self->sym) {
        if (n->res == AST_RES_PROMOTE) {
            report(self->s, n->loc, RECURRENCE,
                   "inside its own definition '%s' is applied to numbers only", self->sym->name);
            report_note(self->s, NOWHERE, "name the point with the variables of the definition");
        }
        AstList args = n->kind == AST_CALL ? n->call.args : n->index.args;
        for (int i = 0; i < args.len; i++) check_use(&args.data[i], self);
        return;
    }
    if (n->kind == AST_NAME_REF && n->sym == self->sym)
        report(self->s, n->loc, RECURRENCE, "inside its own definition '%s' can only be applied",
               self->sym->name);
    else
        ast_each_child(n, check_use, self);
}

void recurrence_uses(Sema *s, Ast *define)
{
    Self self = {.s = s, .sym = define->sym};
    check_use(&define->define.value, &self);
}
