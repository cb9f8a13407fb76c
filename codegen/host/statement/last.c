/* The last use of a variable that holds a function: behind the statement that has it, its reference is given
 * back, where a later one of the block may put its result into an array that the function reads:
 *
 *   var u = Constant(p, 0);
 *   q = .. u(i - 1, j) ..;      the last use of u, and with it of that reference to p's array
 *   p = r + beta * p;           into p's array, if nobody else has it
 *
 *   u = w;                      the last use of w
 *   u[k] = 0;                   as well
 *
 * So is that of a variable which a statement `a[..] = value` mentions last, once the value is there, before it goes into a:
 *
 *   var rest = a[k.., k..];
 *   a[k.., k..] = rest - x;     in place
 *
 * No program can tell: arrays have no finalizers. Not for debuggers, which show variables till the block ends. */
#include "../value/value.h"

typedef struct Variable {
    Symbol *sym;
    int last; /* the statement that mentions it last */
} Variable;

struct HostLast {
    VEC(Variable) vars;
    int over; /* the last statement that may write into an array; -1: none does */
    int at;   /* the statement that is looked at, or made */
    AstList list;
};

static void declare(HostLast *l, Symbol *sym)
{
    Variable v = {sym, l->at};
    bool local = sym && sym->kind == SYM_LOCAL && !sym->cell && type_is_functional(sym->type);
    if (local) vec_push(&l->vars, v);
}

/* May it write into an array, if nobody else has that? */
static bool is_over(const Ast *n)
{
    const Ast *target = ast_target(n);
    return (n->kind == AST_GRAPH && n->graph.over) || (target && target->kind == AST_INDEX);
}

static void look(Ast **child, void *ctx)
{
    HostLast *l = ctx;
    Ast *n = *child;
    if (is_over(n)) l->over = l->at;
    for (size_t i = 0; n->sym && i < l->vars.len; i++)
        if (l->vars.data[i].sym == n->sym) l->vars.data[i].last = l->at;
    ast_each_child(n, look, l);
}

/* Those that the block itself declares. */
static void look_declared(HostLast *l, const Ast *n)
{
    if (n->kind == AST_DEFINE) declare(l, n->sym);
    for (int i = 0; n->kind == AST_VAR_DECL && i < n->var_decl.vars.len; i++)
        declare(l, n->var_decl.vars.data[i]->sym);
    for (int i = 0; n->kind == AST_TOGETHER && i < n->together.stmts.len; i++)
        look_declared(l, n->together.stmts.data[i]);
}

HostLast *host_last_uses(HostFunc *f, AstList list)
{
    HostLast *l = arena_new_of(f->m->arena, HostLast);
    l->over = -1;
    l->list = list;
    for (l->at = 0; l->at < list.len; l->at++) {
        look_declared(l, list.data[l->at]);
        look(&list.data[l->at], l);
    }
    return l;
}

static void release(HostFunc *f, const HostLast *l, const Symbol *but)
{
    if (f->m->options->debug || host_ended(f)) return;
    for (size_t i = 0; i < l->vars.len; i++) {
        const Symbol *sym = l->vars.data[i].sym;
        if (l->vars.data[i].last == l->at && sym != but && sym->host && host_in_scope(f, sym->host))
            host_release_slot(f, sym->host);
    }
}

HostLast *host_last_begin(HostFunc *f, HostLast *l, int statement)
{
    HostLast *around = f->last;
    l->at = statement;
    f->last = l;
    return around;
}

void host_last_end(HostFunc *f, HostLast *around)
{
    const HostLast *l = f->last;
    f->last = around;
    if (l->at < l->over) release(f, l, NULL);
}

void host_last_read(HostFunc *f, const Ast *n, const Symbol *written)
{
    const HostLast *l = f->last;
    const Ast *now = l ? l->list.data[l->at] : NULL;
    if (now && now->kind == AST_EXPR_STMT && now->expr_stmt.expr == n) release(f, l, written);
}

void host_last_free(HostLast *l)
{
    vec_free(&l->vars);
}
