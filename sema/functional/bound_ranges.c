/* Which bound variables nothing gives a range: the uses that could are looked for. */
#include "../check/check.h"

typedef struct Uses {
    const Symbol *sym;
    bool in_argument, found;
    const Ast *owner; /* what binds it; a function that it binds besides gives no range */
} Uses;

static bool binds(const Ast *owner, const Symbol *sym)
{
    bool found = false;
    for (int i = 0; i < owner->nbound; i++) found = found || owner->bound[i] == sym;
    return found;
}

static void find_use(Ast **child, void *ctx)
{
    Uses *u = ctx;
    Ast *n = *child;
    if (!n || u->found) return;
    bool outer = u->in_argument;
    if (n->kind == AST_NAME_REF) u->found = outer && n->sym == u->sym;
    const Ast *callee = n->kind == AST_CALL    ? n->call.callee
                        : n->kind == AST_INDEX ? n->index.base
                                               : NULL;
    if (callee && callee->sym && callee->sym->recurrent && callee->sym == u->sym->decl->sym) return;
    bool unknown = callee && callee->kind == AST_NAME_REF && binds(u->owner, callee->sym);
    if (((n->kind == AST_CALL && n->res != AST_RES_REDUCE) || n->kind == AST_INDEX) && !unknown)
        u->in_argument = true;
    ast_each_child(n, find_use, u);
    u->in_argument = outer;
}

/* `(float x) => ...`: a parameter of a lambda with a type ranges over all its values. */
static bool is_parameter(const Ast *owner, const Ast *binder)
{
    const Ast *t = binder->binder.vtype;
    return owner->kind == AST_LAMBDA && t && t->kind != AST_TYPE_VAR;
}

bool bound_ranges(Sema *s, Ast *owner, Ast **body, bool wanted)
{
    const AstList *binders = owner->kind == AST_LET      ? &owner->let.binders
                             : owner->kind == AST_LAMBDA ? &owner->lambda.binders
                                                         : &owner->define.binders;
    bool all = true;
    for (int i = 0, k = 0; i < binders->len; i++) {
        const Ast *b = binders->data[i];
        if (b->kind != AST_BINDER) continue;
        for (int j = 0; j < b->binder.names.len && k < owner->nbound; j++, k++) {
            Uses u = {.sym = owner->bound[k], .owner = owner};
            const Type *t = u.sym->type;
            bool open = !b->binder.constraint && !is_parameter(owner, b) && t &&
                        t->kind == TY_SCALAR && scalar_is_integer(t->scalar);
            for (int o = 0; o < owner->nbound; o++) /* bound twice: reported */
                open = open && (o == k || owner->bound[o]->name != u.sym->name);
            if (!open) continue;
            find_use(body, &u);
            if (u.found) continue;
            if (wanted && owner->kind == AST_LAMBDA && b->binder.names.len == 1) {
                owner->lambda.binders.data[i]->binder.vtype = type_node(s, u.sym->loc, t);
                continue; /* the target's parameter: all values */
            }
            all = false;
            report(s, u.sym->loc, DOMAIN,
                   "variable '%s' has no range (it indexes nothing); add a constraint such as "
                   "'%s : 0..n'",
                   u.sym->name, u.sym->name);
            if (owner->kind == AST_LAMBDA)
                report_note(s, NOWHERE, "a parameter with a type has all values: (%s %s) => ...",
                            type_text(s->arena, t), u.sym->name);
        }
    }
    return all;
}
