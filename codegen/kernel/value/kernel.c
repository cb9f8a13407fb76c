/* One kernel under construction: its parameters, the variables that are bound, the values that are in variables already.
 */
#include <ctype.h>
#include <string.h>

#include "../../../fdag/index/split.h"
#include "gen.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

Gen gen_begin(Unit *u, const char *stem, KirBlock *body)
{
    return (Gen){.u = u, .name = fresh_name(u, stem), .block = body, .lanes = KIR_V4};
}

static bool has_param(const Gen *g, const char *name)
{
    for (size_t i = 0; i < g->params.len; i++)
        if (strcmp(g->params.data[i].name, name) == 0) return true;
    return false;
}

void gen_run(Gen *g, Num *when, int dims, Num *const global[3], Num *const local[3])
{
    Unit *u = g->u;
    Text t = {0}; /* apart: numbers may add lines of their own to the plan */
    text_printf(&t, "run %s", g->name);
    if (when && !num_is(when, 1)) text_printf(&t, " when %s", num_text(u, when));
    if (!g->quiet) g->quiet = def_quiet(u, def_given(u->def));
    if (has_param(g, "error") && !num_is(g->quiet, 0))
        text_printf(&t, " quiet %s", num_text(u, g->quiet));
    if (g->over) text_add(&t, " over");
    if (g->again) text_add(&t, " again");
    for (int i = 0; i < dims; i++)
        text_printf(&t, "%s%s", i ? ", " : " global ", num_text(u, global[i]));
    for (int i = 0; i < dims; i++)
        text_printf(&t, "%s%s", i ? ", " : " local ", num_text(u, local[i]));
    for (size_t i = 0; i < g->args.len; i++)
        text_printf(&t, "%s%s", i ? ", " : " args ", g->args.data[i]);
    if (g->cuts) text_add(&t, g->cuts);
    plan_line(u, "%s", t.data);
    text_free(&t);
}

void gen_only_again(Gen *g)
{
    Arena *a = g->u->arena;
    KirBlock leave = {0};
    g->again = true;
    const KirExpr *error = gen_error(g),
                  *noted = kir_intrinsic(a, kir_type(SC_BOOL, 1), INTR_NOTED, &error);
    kir_return(a, &leave, NULL);
    kir_if(a, &g->head, kir_op(a, FD_OP_LNOT, noted->type, 1, &noted), leave, NULL);
}

KirStmt *gen_with_head(Gen *g, const KirBlock *body)
{
    KirStmt *statements = flatten_branches(g->u, body->first);
    if (!g->head.first) return statements;
    g->head.last->next = statements;
    return g->head.first;
}

void gen_end(Gen *g, KirBlock *body)
{
    unit_print(g->u, (KirFunc){.name = g->name,
                               .kernel = true,
                               .items = {g->items[0], g->items[1], g->items[2]},
                               .nparams = (int)g->params.len,
                               .params = g->params.data,
                               .body = gen_with_head(g, body)});
    gen_free(g);
}

static void memos_free(GenMemos *m)
{
    vec_free(&m->list);
    vec_free(&m->at);
}

void gen_free(Gen *g)
{
    vec_free(&g->params);
    vec_free(&g->args);
    vec_free(&g->vars);
    vec_free(&g->proved);
    vec_free(&g->ranges);
    memos_free(&g->memo);
    memos_free(&g->indices);
}

/* ---- parameters ------------------------------------------------------------------------------ */

void gen_add_param(Gen *g, KirParam p, const char *plan_arg)
{
    if (has_param(g, p.name)) return;
    vec_push(&g->params, p);
    vec_push(&g->args, plan_arg);
}

const KirExpr *gen_param(Gen *g, const char *name, int kind, const char *plan_arg)
{
    KirType t = kir_type(kind, 1);
    if (kind == KIR_IDX) plan_arg = arena_printf(g->u->arena, "idx %s", plan_arg);
    gen_add_param(g, (KirParam){.name = name, .type = t}, plan_arg);
    return kir_name(g->u->arena, t, name);
}

/* What is known when the kernel is built, so that steps are constants there; NULL: it is not. */
static const KirExpr *built_number(Gen *g, Num *x)
{
    Arena *a = g->u->arena;
    if (fd_is_const(x)) return kir_int(a, x->value.i);
    if (num_is_macro(g->u, x)) return kir_name(a, idx, num_name(g->u, x));
    FdOp op = x->nargs == 2 ? fd_op_of(x) : FD_OP_NONE;
    if (op != FD_OP_ADD && op != FD_OP_SUB && op != FD_OP_MUL) return NULL;
    const KirExpr *left = built_number(g, x->args[0]),
                  *right = left ? built_number(g, x->args[1]) : NULL;
    return right ? kir_arith(a, op, left, right) : NULL;
}

/* A number of what moves, in this turn. */
static const KirExpr *moving_number(Gen *g, const char *name, Num *x)
{
    Unit *u = g->u;
    const KirExpr *args[3];
    x = num_meaning(u, x);
    if (unit_moves(u, x)) return kir_convert(u->arena, idx, gen_value(g, x));
    if (!num_moves(u, x)) return gen_number(g, name, x);
    const FdOp op = fd_op_of(x);
    for (int i = 0; i < x->nargs; i++) args[i] = moving_number(g, name, x->args[i]);
    if (op == FD_OP_CONVERT) return kir_convert(u->arena, idx, args[0]);
    const KirType t = kir_type(result_kind(x) == SC_BOOL ? SC_BOOL : KIR_IDX, 1);
    return kir_op(u->arena, op, t, x->nargs, args);
}

const KirExpr *gen_number(Gen *g, const char *name, Num *x)
{
    Arena *a = g->u->arena;
    const KirExpr *built = built_number(g, x);
    if (built) return built;
    if (num_moves(g->u, x)) return gen_variable(g, name, moving_number(g, name, x));
    const char *arg = arena_printf(a, "idx %s", num_text(g->u, x));
    for (size_t i = 0; i < g->params.len; i++) /* another number may have the name */
        if (strcmp(g->params.data[i].name, name) == 0 && strcmp(g->args.data[i], arg) != 0) {
            name = fresh_name(g->u, name);
            break;
        }
    return gen_param(g, name, KIR_IDX, num_text(g->u, x));
}

const KirExpr *gen_named(Gen *g, const char *name, Num *x)
{
    const char *own = num_name(g->u, x);
    return gen_number(g, own ? own : name, x);
}

const KirExpr *gen_error(Gen *g)
{
    KirParam p = {.name = "error", .type = kir_type(SC_INT, 1), .buffer = true, .writable = true};
    gen_add_param(g, p, "error");
    return kir_name(g->u->arena, kir_type(SC_INT, 1), "error");
}

/* Names of parameters and loops follow C$ variables; what is added keeps them apart from OpenCL's
 * words and from the names of schedules. */
static const char *var_stem(const FdNode *v)
{
    const char *name = v->name && *v->name ? v->name : "i";
    for (const char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p) && *p != '_') return "i";
    return isdigit((unsigned char)*name) ? "i" : name;
}

const char *gen_var_name(Gen *g, const FdNode *v)
{
    return fresh_name(g->u, var_stem(v));
}

void gen_give_range(Gen *g, const FdNode *var, const KirExpr *lo, const KirExpr *n)
{
    vec_push(&g->ranges, ((GenRange){var, lo, n}));
}

/* A variable's, the same whoever made the schedule: how many variables forms made before is not. So the one that two
 * became has the last one's, and what came of one has that one's. */
static unsigned number_of(const Unit *u, const FdNode *var)
{
    const Def *d = u->def;
    if (d && d->flat && var == d->vars[d->nvars - 1]) return d->apart->vars[d->nvars]->var;
    for (int i = 0; d && i < d->njoined; i++)
        if (var == d->joined[i].var) return d->joined[i].of->var;
    for (int i = 0; d && d->split && i < d->split->nvars; i++)
        if (var == d->split->vars[i]) return d->split->of[i]->var;
    return var->var;
}

void gen_range(Gen *g, const FdDom *d, const FdNode *var, const KirExpr **lo, const KirExpr **n)
{
    Unit *u = g->u;
    Arena *a = u->arena;
    for (size_t i = g->ranges.len; i-- > 0;)
        if (g->ranges.data[i].var == var) {
            *lo = g->ranges.data[i].lo;
            *n = g->ranges.data[i].n;
            return;
        }
    if (!d->lo) {
        unit_give_up(u, "a range without ends", var);
        *lo = *n = kir_int(a, 0);
        return;
    }
    /* Numbered by the variable, so that every kernel of a text uses the same name for a range. */
    if (!g->user && node_is_closed(d->lo) && node_is_closed(d->hi)) {
        const char *stem = arena_printf(a, "%s_%u", var_stem(var), number_of(u, var));
        *lo = gen_number(g, arena_printf(a, "%s_lo", stem), plan_lo(u, d));
        *n = gen_number(g, arena_printf(a, "%s_n", stem), plan_n(u, d));
        return;
    }
    *lo = gen_reckoned(g, "from", gen_index(g, d->lo));
    *n = kir_arith(a, FD_OP_SUB, gen_index(g, d->hi), *lo);
}

/* ---- variables and values already made ------------------------------------------------------- */

void gen_bind(Gen *g, const FdNode *var, const KirExpr *value)
{
    GenBinding b = {var, value, NULL};
    vec_push(&g->vars, b);
}

void gen_bind_at(Gen *g, const FdDom *d, const FdNode *var, const KirExpr *at)
{
    const KirExpr *lo, *n;
    gen_range(g, d, var, &lo, &n);
    GenBinding b = {var, kir_arith(g->u->arena, FD_OP_ADD, lo, at), at};
    vec_push(&g->vars, b);
}

void gen_moving(Gen *g, const KirExpr *level)
{
    Unit *u = g->u;
    for (int i = 0; i < u->g->nmoving; i++) {
        const FdMoving *m = &u->g->moving[i];
        const FdNode *turn = fd_var(u->fd, fd_type_scalar(u->fd, SC_INT), "turn");
        gen_bind(g, turn, level);
        const FdNode *read = fd_apply(u->fd, m->values, 1, &turn, m->slot->loc);
        gen_remember(g, m->slot, gen_variable(g, "moving", gen_read(g, read)));
    }
}

static void memos_add(GenMemos *m, const FdNode *n, const KirExpr *value)
{
    while (m->at.len <= n->id) vec_push(&m->at, 0);
    GenMemo memo = {n, value, m->at.data[n->id]};
    vec_push(&m->list, memo);
    m->at.data[n->id] = (int)m->list.len;
}

static const KirExpr *memos_find(const GenMemos *m, const FdNode *n)
{
    int at = n->id < m->at.len ? m->at.data[n->id] : 0;
    return at ? m->list.data[at - 1].value : NULL;
}

static void memos_shrink(GenMemos *m, size_t len)
{
    while (m->list.len > len) {
        GenMemo memo = m->list.data[--m->list.len];
        m->at.data[memo.node->id] = memo.before;
    }
}

void gen_remember(Gen *g, const FdNode *n, const KirExpr *value)
{
    memos_add(&g->memo, n, value);
}

void gen_forget(GenMemos *made, const FdNode *n)
{
    memos_add(made, n, NULL);
}

const KirExpr *gen_known(const Gen *g, const FdNode *n)
{
    return memos_find(&g->memo, n);
}

void gen_remember_index(Gen *g, const FdNode *n, const KirExpr *index)
{
    memos_add(&g->indices, n, index);
}

const KirExpr *gen_known_index(const Gen *g, const FdNode *n)
{
    return memos_find(&g->indices, n);
}

const KirExpr *gen_bound(Gen *g, const FdNode *v)
{
    for (size_t i = g->vars.len; i > 0; i--)
        if (g->vars.data[i - 1].var == v) return g->vars.data[i - 1].value;
    unit_give_up(g->u, "a local of a function that was not inlined whole", v);
    return kir_int(g->u->arena, 0);
}

static bool in_lanes(const void *ctx, const FdNode *n)
{
    const Gen *g = ctx;
    if (n->kind != FD_VAR) return false;
    if (n == g->lane_var) return true;
    for (size_t i = g->vars.len; i > 0; i--)
        if (g->vars.data[i - 1].var == n) return g->vars.data[i - 1].value->type.lanes != 1;
    return false;
}

bool gen_varies(const Gen *g, const FdNode *n)
{
    return g->lane_var && fd_any(n, in_lanes, g);
}

GenScope gen_enter(Gen *g, KirBlock *block)
{
    GenScope s = {g->block,      g->vars.len,  g->memo.list.len, g->indices.list.len,
                  g->proved.len, g->ranges.len};
    g->block = block;
    return s;
}

void gen_leave(Gen *g, GenScope s)
{
    g->block = s.block;
    g->vars.len = s.nvars;
    g->proved.len = s.nproved;
    g->ranges.len = s.nranges;
    memos_shrink(&g->memo, s.nmemo);
    memos_shrink(&g->indices, s.nindices);
}

const KirExpr *gen_variable(Gen *g, const char *stem, const KirExpr *e)
{
    if (e->kind == KIR_NAME || e->kind == KIR_CONST) return e;
    const char *name = fresh_name(g->u, stem);
    kir_decl(g->u->arena, g->block, e->type, name, e);
    return kir_name(g->u->arena, e->type, name);
}

/* Compilers move sums of names out of loops by themselves; reads they leave where stores may change
 * what is read. */
static bool is_sum_of_names(const KirExpr *e)
{
    if (e->kind == KIR_NAME || e->kind == KIR_CONST) return true;
    if (e->kind != KIR_ARITH && e->kind != KIR_CONVERT) return false;
    for (int i = 0; i < e->nargs; i++)
        if (!is_sum_of_names(e->args[i])) return false;
    return true;
}

const KirExpr *gen_reckoned(Gen *g, const char *stem, const KirExpr *e)
{
    return is_sum_of_names(e) ? e : gen_variable(g, stem, e);
}

const KirExpr *gen_global_id(Gen *g, int dim)
{
    const KirExpr *d = kir_int(g->u->arena, dim);
    return kir_intrinsic(g->u->arena, idx, INTR_GLOBAL_ID, &d);
}

const KirExpr *gen_zero(Arena *a, KirType t)
{
    if (t.kind != KIR_RECORD)
        return kir_splat(a, t.lanes, kir_const(a, (ScalarKind)t.kind, (ScalarValue){.i = 0}));
    const KirExpr **fields = arena_array(a, const KirExpr *, t.record->nfields + 1);
    for (int i = 0; i < t.record->nfields; i++) fields[i] = gen_zero(a, t.record->types[i]);
    return kir_make(a, t, fields);
}
