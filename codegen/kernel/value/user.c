/* User functions in kernels: statement bodies to kernel IR. Locals are declared at the top, since a
 * branch may be the first to set one.
 */
#include <string.h>

#include "local.h"

/* ---- does it cost much? ---------------------------------------------------------------------- */

static bool is_cheap(const FdStmt *s, int *left);

static bool costs(const void *ctx, const FdNode *n)
{
    int *left = *(int *const *)ctx;
    if (n->kind == FD_REDUCE) return true;
    if (n->kind != FD_APPLY || !fd_user_of(n)) return false;
    return !fd_user_of(n)->body || !is_cheap(fd_user_of(n)->body, left);
}

static bool is_cheap(const FdStmt *s, int *left)
{
    for (; s; s = s->next) {
        if (--*left < 0 || s->kind == FD_STMT_LOOP || s->kind == FD_STMT_CLEAR) return false;
        if (s->expr && fd_any(s->expr, costs, &left)) return false;
        if (!is_cheap(s->body, left) || !is_cheap(s->other, left)) return false;
    }
    return true;
}

bool user_is_plain(const FdUser *user)
{
    enum { STATEMENTS = 6 };
    int left = STATEMENTS;
    return user->body && is_cheap(user->body, &left) && !(fd_user_effects(user) & FD_FAILS);
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static bool is_bound(const Gen *g, const FdNode *var)
{
    for (size_t i = 0; i < g->vars.len; i++)
        if (g->vars.data[i].var == var) return true;
    return false;
}

static KirType var_type(const Gen *g, const FdNode *v)
{
    return gen_type(g->u, v->type);
}

static void declare_locals(Gen *g, const FdStmt *s)
{
    for (; s; s = s->next) {
        const FdNode *array = local_array_of(s);
        if (array && !is_bound(g, array)) {
            local_declare(g, array, 1);
        } else if (s->kind == FD_STMT_SET && !is_bound(g, s->var)) {
            const KirExpr *v = kir_name(g->u->arena, var_type(g, s->var), gen_var_name(g, s->var));
            kir_decl(g->u->arena, g->block, v->type, v->name, NULL);
            gen_bind(g, s->var, v);
        }
        declare_locals(g, s->body);
        declare_locals(g, s->other);
    }
}

static void gen_stmts(Gen *g, const FdStmt *s);

static KirBlock gen_block(Gen *g, const FdStmt *s)
{
    KirBlock b = {0};
    GenScope scope = gen_enter(g, &b);
    gen_stmts(g, s);
    gen_leave(g, scope);
    return b;
}

/* The value of a statement's expression: its own uses of a node count, not those of others. */
const KirExpr *gen_stmt_value(Gen *g, const FdNode *expr)
{
    uint32_t *uses = unit_uses(g->u)->of;
    VEC(const FdNode *) nodes = {0};
    VEC(uint32_t) before = {0};
    FdWalk w = fd_walk(expr);
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        vec_push(&nodes, n);
        vec_push(&before, uses[n->id]);
        uses[n->id] = 0;
        for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++) fd_walk_add(&w, n->args[i]);
    }
    count_uses(expr, uses);
    const KirExpr *e = gen_whole(g, expr);
    for (size_t i = 0; i < nodes.len; i++) uses[nodes.data[i]->id] = before.data[i];
    vec_free(&nodes);
    vec_free(&before);
    fd_walk_end(&w);
    return e;
}

static void gen_stmt(Gen *g, const FdStmt *s)
{
    Arena *a = g->u->arena;
    switch (s->kind) {
    case FD_STMT_CLEAR: local_fill(g, s->var, NULL, false); break;
    case FD_STMT_PUT: local_put(g, s->var, gen_stmt_value(g, s->expr), false); break;
    case FD_STMT_SET: {
        if (s->var->extent) {
            local_fill(g, s->var, s->expr, false);
            break;
        }
        const KirExpr *v = gen_bound(g, s->var);
        kir_set(a, g->block, v, kir_convert(a, v->type, gen_stmt_value(g, s->expr)));
        break;
    }
    case FD_STMT_IF: {
        GenScope test = gen_enter(g, g->block); /* what it made may change in the branches */
        const KirExpr *cond = gen_stmt_value(g, s->expr);
        gen_leave(g, test);
        KirBlock then = gen_block(g, s->body), other = gen_block(g, s->other);
        kir_if(a, g->block, cond, then, other.first ? &other : NULL);
        break;
    }
    case FD_STMT_LOOP: {
        KirBlock body = gen_block(g, s->body), step = gen_block(g, s->other);
        kir_loop(a, g->block, body, step, false);
        break;
    }
    case FD_STMT_BREAK: kir_simple(a, g->block, KIR_BREAK); break;
    case FD_STMT_CONTINUE: kir_simple(a, g->block, KIR_CONTINUE); break;
    case FD_STMT_RETURN: kir_return(a, g->block, gen_stmt_value(g, s->expr)); break;
    }
}

static void gen_stmts(Gen *g, const FdStmt *s)
{
    for (; s; s = s->next) {
        /* A local may change between statements, so no value is remembered from one to the next. */
        GenScope scope = gen_enter(g, g->block);
        gen_stmt(g, s);
        gen_leave(g, scope);
    }
}

/* Prints the function; its own parameters come first. */
static UnitUser print_user(Unit *u, const FdUser *user, const char *name)
{
    UnitUser out = {.user = user};
    KirBlock body = {0};
    Gen g = {.u = u, .name = name, .block = &body, .user = true, .checks = GEN_CHECKED};
    bool possible = user->body != NULL;
    for (int i = 0; possible && i < user->nparams; i++)
        possible = user->params[i]->type->nparams == 0; /* OpenCL C has no functions as values */
    if (!possible) {
        unit_give_up(u, user->body ? "a function as an argument" : "a function of the host", NULL);
        return out;
    }
    for (int i = 0; i < user->nparams; i++) {
        const char *param = gen_var_name(&g, user->params[i]);
        KirParam p = {.name = param, .type = var_type(&g, user->params[i])};
        vec_push(&g.params, p);
        vec_push(&g.args, "");
        gen_bind(&g, user->params[i], kir_name(u->arena, p.type, param));
    }
    size_t own = g.params.len;
    if (fd_user_effects(user) & FD_FAILS) gen_error(&g);
    declare_locals(&g, user->body);
    gen_stmts(&g, user->body);
    out.nmore = (int)(g.params.len - own);
    out.more = arena_copy(u->arena, g.params.data + own, sizeof *out.more * (size_t)out.nmore);
    out.more_args =
        arena_copy(u->arena, g.args.data + own, sizeof *out.more_args * (size_t)out.nmore);
    /* after its callees, which were printed while its body was made */
    unit_print(u, (KirFunc){.name = name,
                            .result = gen_type(u, user->type->result),
                            .nparams = (int)g.params.len,
                            .params = g.params.data,
                            .body = gen_with_head(&g, &body)});
    gen_free(&g);
    return out;
}

const KirExpr *gen_call(Gen *g, const FdUser *user, int n, const KirExpr *const *args)
{
    Unit *u = g->u;
    for (int i = 0; i < n; i++)
        if (args[i]->type.lanes != 1) return gen_expand(g, user, args);
    char *name = arena_printf(u->arena, "f_%s", user->name);
    for (char *dot = name; (dot = strchr(dot, '.'));) *dot = '_';
    UnitUser known = {0};
    for (size_t i = 0; i < u->users.len; i++)
        if (u->users.data[i].user == user) known = u->users.data[i];
    if (!known.user) {
        known = print_user(u, user, name);
        vec_push(&u->users, known);
    }
    const KirExpr **all = arena_array(u->arena, const KirExpr *, n + known.nmore + 1);
    for (int i = 0; i < n; i++) all[i] = args[i];
    for (int i = 0; i < known.nmore; i++) {
        const KirParam *p = &known.more[i];
        gen_add_param(g, *p, known.more_args[i]);
        all[n + i] = kir_name(u->arena, p->type, p->name);
    }
    return kir_call(u->arena, gen_type(u, user->type->result), name, n + known.nmore, all);
}
