/* How often variables are named (build.h). */
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

Ast *lower_name(Arena *arena, Loc loc, Symbol *sym)
{
    Ast *n = ast_new(arena, AST_NAME_REF, loc);
    n->name_ref.name = sym->name;
    n->sym = sym;
    n->type = sym->type;
    return n;
}
