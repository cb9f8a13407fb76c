/* User functions in kernels: statement bodies to kernel IR. Locals are declared at the top, since a
 * branch may be the first to set one.
 */
#include <string.h>

#include "../unit.h"

static bool user_can_fail(const FdUser *user);

/* ---- can it fail? ---------------------------------------------------------------------------- */

static bool can_fail(const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return false;
    if (n->kind != FD_APPLY) return false;
    if (fd_is_element(n)) return true;
    FdOp op = fd_op_of(n);
    if ((op == FD_OP_DIV || op == FD_OP_REM) && !scalar_is_real(result_kind(n)) &&
        !(fd_is_const(n->args[1]) && n->args[1]->value.i != 0))
        return true;
    if (fd_user_of(n) && user_can_fail(fd_user_of(n))) return true;
    for (int i = 0; i < n->nargs; i++)
        if (can_fail(n->args[i], seen)) return true;
    return false;
}

bool node_can_fail(const FdNode *n)
{
    FdSeen seen = {0};
    bool fails = can_fail(n, &seen);
    fd_seen_free(&seen);
    return fails;
}

static bool stmt_can_fail(const FdStmt *s)
{
    for (; s; s = s->next)
        if ((s->expr && node_can_fail(s->expr)) || s->kind == FD_STMT_PUT ||
            stmt_can_fail(s->body) || stmt_can_fail(s->other))
            return true;
    return false;
}

/* ---- does it read arrays? -------------------------------------------------------------------- */

typedef struct Reads {
    bool found;
    FdSeen seen;
} Reads;

static void body_reads(Reads *r, const FdStmt *s);

static void node_reads(Reads *r, const FdNode *n)
{
    const FdNode *children[FD_MAX_CHILDREN];
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (r->found || op == FD_OP_LOWER || op == FD_OP_UPPER || !fd_meet(&r->seen, n)) return;
    if (n->user) body_reads(r, n->user->body);
    if (is_read(n)) r->found = true;
    for (int i = fd_children(n, children); i-- > 0;) node_reads(r, children[i]);
}

static void body_reads(Reads *r, const FdStmt *s)
{
    for (; s; s = s->next) {
        if (s->expr) node_reads(r, s->expr);
        if (s->kind == FD_STMT_PUT) node_reads(r, s->var);
        body_reads(r, s->body);
        body_reads(r, s->other);
    }
}

bool user_reads(const FdUser *user)
{
    Reads r = {0};
    body_reads(&r, user->body);
    fd_seen_free(&r.seen);
    return r.found;
}

static bool user_can_fail(const FdUser *user)
{
    return stmt_can_fail(user->body) || user_reads(user);
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

static const KirExpr *local_value(const Gen *g, const FdNode *var)
{
    for (size_t i = 0; i < g->vars.len; i++)
        if (g->vars.data[i].var == var) return g->vars.data[i].value;
    return NULL;
}

/* ---- local arrays ---------------------------------------------------------------------------- */

/* The local array that a statement changes; NULL: none. */
static const FdNode *array_of(const FdStmt *s)
{
    const FdNode *v = s->kind == FD_STMT_PUT ? s->var->fn : s->var;
    return v && v->extent ? v : NULL;
}

static KirType element_type(const Gen *g, const FdNode *array)
{
    return gen_type(g->u, array->type->result);
}

static const KirExpr *array_length(const Gen *g, const FdNode *array)
{
    return kir_int(g->u->arena, fd_extent_count(array));
}

/* In one piece, row by row; as values lie, not as buffers do. */
static void declare_array(Gen *g, const FdNode *array)
{
    const KirExpr *length = array_length(g, array);
    const char *name = gen_var_name(g, array);
    KirType t = element_type(g, array);
    kir_array(g->u->arena, g->block, t, name, false, 1, &length);
    gen_bind(g, array, kir_name(g->u->arena, t, name));
}

static const KirExpr *element_at(const Gen *g, const FdNode *array, const KirExpr *offset)
{
    return kir_elem(g->u->arena, element_type(g, array), local_value(g, array)->name, 1, &offset);
}

const KirExpr *gen_element(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    const FdNode *array = n->fn;
    const KirType idx = kir_type(KIR_IDX, 1), wide = kir_type(SC_LONG, 1);
    const KirExpr *offset = kir_int(a, 0);
    if (!is_bound(g, array)) { /* of a function around */
        unit_give_up(g->u, "a local array of a function around", n);
        return gen_zero(a, element_type(g, array));
    }
    for (int d = 0; d < n->nargs; d++) {
        const FdNode *index = n->args[d];
        const KirExpr *at = kir_int(a, index->value.i);
        if (!fd_is_const(index) || index->value.i < 0 || index->value.i >= array->extent[d]) {
            const KirExpr *args[] = {kir_convert(a, wide, gen_value(g, index)), kir_int(a, 0),
                                     kir_int(a, array->extent[d]), gen_error(g),
                                     kir_int(a, site_of(n))};
            at = kir_convert(a, idx, kir_call(a, wide, "cs_inside", 5, args));
        }
        offset = kir_arith(a, FD_OP_ADD,
                           kir_arith(a, FD_OP_MUL, offset, kir_int(a, array->extent[d])), at);
    }
    return element_at(g, array, offset);
}

/* array = from, or zeros where that is NULL. */
static void gen_fill(Gen *g, const FdNode *array, const FdNode *from)
{
    Arena *a = g->u->arena;
    const KirExpr *k = kir_name(a, kir_type(KIR_IDX, 1), fresh_name(g->u, "k"));
    KirBlock body = {0};
    kir_set(a, &body, element_at(g, array, k),
            from ? element_at(g, from, k) : gen_zero(a, element_type(g, array)));
    kir_for(a, g->block, k->name, kir_int(a, 0), array_length(g, array), kir_int(a, 1), false,
            body);
}

static void declare_locals(Gen *g, const FdStmt *s)
{
    for (; s; s = s->next) {
        const FdNode *array = array_of(s);
        if (array && !is_bound(g, array)) {
            declare_array(g, array);
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
    uint32_t *uses = g->u->uses;
    VEC(const FdNode *) stack = {0}, nodes = {0};
    VEC(uint32_t) before = {0};
    FdSeen seen = {0};
    vec_push(&stack, expr);
    while (stack.len) {
        const FdNode *n = stack.data[--stack.len];
        if (!fd_meet(&seen, n)) continue;
        vec_push(&nodes, n);
        vec_push(&before, uses[n->id]);
        uses[n->id] = 0;
        for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++) vec_push(&stack, n->args[i]);
    }
    count_uses(expr, uses);
    const KirExpr *e = gen_whole(g, expr);
    for (size_t i = 0; i < nodes.len; i++) uses[nodes.data[i]->id] = before.data[i];
    vec_free(&stack);
    vec_free(&nodes);
    vec_free(&before);
    fd_seen_free(&seen);
    return e;
}

static void gen_stmt(Gen *g, const FdStmt *s)
{
    Arena *a = g->u->arena;
    switch (s->kind) {
    case FD_STMT_CLEAR: gen_fill(g, s->var, NULL); break;
    case FD_STMT_PUT: {
        const KirExpr *v = gen_variable(g, "v", gen_stmt_value(g, s->expr));
        kir_set(a, g->block, gen_stmt_value(g, s->var), v);
        break;
    }
    case FD_STMT_SET: {
        if (s->var->extent) {
            gen_fill(g, s->var, s->expr);
            break;
        }
        const KirExpr *v = local_value(g, s->var);
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
    if (user_can_fail(user)) gen_error(&g);
    declare_locals(&g, user->body);
    gen_stmts(&g, user->body);
    out.nmore = (int)(g.params.len - own);
    out.more = arena_copy(u->arena, g.params.data + own, sizeof *out.more * (size_t)out.nmore);
    out.more_args =
        arena_copy(u->arena, g.args.data + own, sizeof *out.more_args * (size_t)out.nmore);
    KirFunc f = {.name = name,
                 .result = gen_type(u, user->type->result),
                 .nparams = (int)g.params.len,
                 .params = g.params.data,
                 .body = gen_with_head(&g, &body)};
    opencl_print(&u->functions,
                 &f); /* after its callees, which were printed while its body was made */
    gen_free(&g);
    return out;
}

const KirExpr *gen_call(Gen *g, const FdUser *user, int n, const KirExpr *const *args)
{
    Unit *u = g->u;
    for (int i = 0; i < n; i++)
        if (args[i]->type.lanes != 1) return gen_expand(g, user, args);
    const char *name = arena_printf(u->arena, "f_%s", user->name);
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
