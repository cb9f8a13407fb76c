/* Questions about lowered trees: how often they name a variable, whether they change one; names as nodes (build.h). */
#include "build.h"

typedef struct Count {
    const Symbol *sym;
    int n;
} Count;

static void count(Ast **child, void *ctx)
{
    Count *c = ctx;
    bool names = (*child)->kind == AST_NAME_REF || (*child)->kind == AST_MEMBER;
    c->n += names && (*child)->sym == c->sym;
    ast_each_child(*child, count, ctx);
}

int lower_uses(Ast *n, const Symbol *sym)
{
    Count c = {.sym = sym};
    count(&n, &c);
    return c.n;
}

static bool is_pure_call(const Ast *n)
{
    const Builtin *b = lower_builtin(n);
    const Symbol *f = n->sym;
    if (n->res == AST_RES_APPLY) return !type_is_hosted((*lower_callee((Ast *)(uintptr_t)n))->type);
    return b ? b->pure
             : f && f->kind == SYM_FUNC && !f->impure && !f->writes_self && !f->writes_params;
}

static void find_change(Ast **child, void *found)
{
    const Ast *n = *child;
    const bool refers =
        n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT);
    if (n->kind == AST_ASSIGN || n->kind == AST_INCDEC || refers || n->kind == AST_DECL_EXPR ||
        n->kind == AST_NEW || (n->kind == AST_CALL && !is_pure_call(n)))
        *(bool *)found = true;
    if (!*(bool *)found) ast_each_child(*child, find_change, found);
}

bool lower_changes(Ast *n)
{
    bool found = false;
    find_change(&n, &found);
    return found;
}

Ast *lower_name(Arena *arena, Loc loc, Symbol *sym)
{
    Ast *n = ast_new(arena, AST_NAME_REF, loc);
    n->name_ref.name = sym->name;
    n->sym = sym;
    n->type = sym->type;
    return n;
}
