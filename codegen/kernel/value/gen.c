/* Nodes to kernel IR at the current values of the bound variables, scalar or in lanes of one variable.
 */
#include <math.h>

#include "../../../fdag/index/flat.h"
#include "../plan/draw.h"
#include "gen.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

enum {
    DEEPEST = 16, /* operations in one expression: compilers refuse what is nested in hundreds */
    MOST_OPERATIONS = 1 << 16,
    TIMES_EACH = 64
};

static int deepest(const Gen *g)
{
    return (int)draw_same(g->u, P_LANES_DEEP, DEEPEST);
}

static const KirExpr *in_variable(Gen *g, const FdNode *n, const KirExpr *e)
{
    Arena *a = g->u->arena;
    bool field = e->kind == KIR_MEMBER && e->args[0]->kind == KIR_NAME;
    if (e->kind == KIR_NAME) gen_remember(g, n, e); /* of a call that was written out, say */
    if (e->kind == KIR_NAME || e->kind == KIR_CONST || field) return e;
    const char *name = fresh_name(g->u, "v");
    kir_decl(a, g->block, e->type, name, e);
    const KirExpr *v = kir_name(a, e->type, name);
    gen_remember(g, n, v);
    return v;
}

/* ---- operations ------------------------------------------------------------------------------ */

static const KirExpr *same_lanes(Gen *g, const KirExpr *e, int lanes)
{
    return gen_splat(g->u, lanes, e);
}

static const KirExpr *op_lanes(Gen *g, FdOp op, int kind, int n, const KirExpr **args)
{
    int lanes = 1;
    for (int i = 0; i < n; i++)
        if (args[i]->type.lanes != 1) lanes = args[i]->type.lanes;
    for (int i = 0; i < n; i++) args[i] = same_lanes(g, args[i], lanes);
    return kir_op(g->u->arena, op, kir_type(kind, lanes), n, args);
}

/* The body of a lambda, its variables bound to values. */
static const KirExpr *gen_inline(Gen *g, const FdNode *let, int n, const KirExpr *const *args)
{
    GenScope s = gen_enter(g, g->block);
    for (int i = 0; i < n; i++) gen_bind(g, let->vars[i], args[i]);
    const KirExpr *e = gen_value(g, let->body);
    gen_leave(g, s);
    return e;
}

const KirExpr *gen_combine(Gen *g, const FdNode *fn, const KirExpr *x, const KirExpr *y)
{
    const KirExpr *args[] = {x, y};
    if (fn->kind == FD_LET) return gen_inline(g, fn, 2, args);
    if (fn->leaf == FD_LEAF_OP) return op_lanes(g, fn->op, x->type.kind, 2, args);
    if (fn->user) return gen_call(g, fn->user, 2, args);
    unit_give_up(g->u, "a function from outside", fn);
    return x;
}

const KirExpr *gen_identity(Gen *g, const FdNode *reduce)
{
    ScalarValue v;
    const FdNode *identity = user_identity(reduce);
    if (identity) return gen_value(g, identity);
    return reduction_identity(reduce, &v) ? kir_const(g->u->arena, result_kind(reduce), v) : NULL;
}

/* What must not run unless its branch is chosen: it can fail, or costs a loop or a call. */
bool gen_branches_at(const Gen *g, const FdNode *n)
{
    if (n->kind == FD_REDUCE) return true;
    if (n->kind != FD_APPLY) return false;
    FdOp op = fd_op_of(n);
    if (fd_user_of(n)) return !user_is_plain(fd_user_of(n));
    if (op == FD_OP_NONE && !is_read(n) && !is_make(n) && !is_field(n)) return true;
    bool proved = g->lane_var && g->checks == GEN_PROVED;
    /* what is read flat is inside where its conditions hold; lanes have none that are left */
    if (is_read(n) && !g->lane_var && fd_is_flat(n->fn, n->nargs - 1)) return true;
    if (is_read(n) && gen_is_suspect(g, n) && !proved) return true;
    return fd_does(n) & FD_DIVIDES;
}

static bool branches_below(const Gen *g, const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return false;
    if (gen_known(g, n)) return false; /* it is there already */
    if (gen_branches_at(g, n)) return true;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (branches_below(g, n->args[i], seen)) return true;
    return false;
}

static bool needs_branch(const Gen *g, const FdNode *n)
{
    FdSeen seen = {0};
    bool needs = branches_below(g, n, &seen);
    fd_seen_free(&seen);
    return needs;
}

void gen_where(Gen *g, const FdNode *n, const KirExpr *taken, const KirExpr *result)
{
    Arena *a = g->u->arena;
    const KirExpr *outer = g->mask;
    KirBlock some = {0};
    g->mask = gen_variable(g, "lanes", gen_mask_and(g, outer, taken));
    GenScope s = gen_enter(g, &some);
    kir_set(a, &some, result, gen_blend(g, taken, gen_whole(g, n), result));
    gen_leave(g, s);
    kir_if(a, g->block, gen_any(g, g->mask), some, NULL);
    g->mask = outer;
}

static const KirExpr *masked_branches(Gen *g, const FdNode *n, const KirExpr *cond)
{
    Arena *a = g->u->arena;
    FdOp op = fd_op_of(n);
    KirType t = gen_type_in(g->u, n->type, g->lanes);
    cond = gen_variable(g, "v", cond);
    const KirExpr *result = kir_name(a, t, fresh_name(g->u, "v"));
    kir_decl(a, g->block, t, result->name, op == FD_OP_SELECT ? gen_zero(a, t) : cond);
    const KirExpr *other = gen_mask_not(g, cond);
    gen_where(g, n->args[1], op == FD_OP_LOR ? other : cond, result);
    if (op == FD_OP_SELECT) gen_where(g, n->args[2], other, result);
    gen_remember(g, n, result);
    return result;
}

/* result = cond ? x : y with real branches; y NULL keeps the result that `first` gave. */
static const KirExpr *gen_branches(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    FdOp op = fd_op_of(n);
    KirType t = gen_type_in(g->u, n->type, gen_varies(g, n) ? g->lanes : 1);
    const KirExpr *cond = gen_value(g, n->args[0]);
    if (cond->type.lanes != 1) return masked_branches(g, n, cond);
    cond = t.lanes == 1 ? cond : gen_variable(g, "v", cond);
    const KirExpr *result = kir_name(a, t, fresh_name(g->u, "v"));
    kir_decl(a, g->block, t, result->name,
             op == FD_OP_SELECT ? NULL : same_lanes(g, cond, t.lanes));
    KirBlock arms[2] = {{0}, {0}};
    for (int i = 1; i < n->nargs; i++) {
        GenScope s = gen_enter(g, &arms[i - 1]);
        const KirExpr *x = gen_whole(g, n->args[i]);
        kir_set(a, g->block, result, same_lanes(g, x, t.lanes));
        gen_leave(g, s);
    }
    const KirExpr *taken = op == FD_OP_SELECT || t.lanes != 1 ? cond : result;
    if (op == FD_OP_LOR) taken = kir_op(a, FD_OP_LNOT, taken->type, 1, &taken);
    kir_if(a, g->block, taken, arms[0], op == FD_OP_SELECT ? &arms[1] : NULL);
    gen_remember(g, n, result);
    return result;
}

/* x / 0 in lanes. */
static void note_zero(Gen *g, const FdNode *n, const KirExpr **args)
{
    Arena *a = g->u->arena;
    ScalarKind k = result_kind(n->args[1]);
    if (fd_is_const(n->args[1]) && n->args[1]->value.i != 0) return;
    args[1] = gen_variable(g, "v", args[1]);
    const KirExpr *zero = kir_const(a, k, (ScalarValue){.i = 0}),
                  *both[] = {args[1], kir_splat(a, args[1]->type.lanes, zero)};
    gen_note(g, kir_op(a, FD_OP_EQ, kir_type(SC_BOOL, args[1]->type.lanes), 2, both));
}

static const KirExpr *gen_division(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    KirType t = kir_type((int)result_kind(n), 1);
    const KirExpr *args[] = {gen_value(g, n->args[0]), gen_value(g, n->args[1]), gen_error(g),
                             kir_int(a, site_of(n))};
    Intrinsic how = fd_op_of(n) == FD_OP_DIV ? INTR_CHECKED_DIV : INTR_CHECKED_REM;
    return kir_intrinsic(a, t, how, args);
}

static const KirExpr *select_record(Gen *g, const KirExpr **args)
{
    if (args[0]->type.lanes != 1) return gen_blend(g, args[0], args[1], args[2]);
    int lanes = args[1]->type.lanes != 1 ? args[1]->type.lanes : args[2]->type.lanes;
    for (int i = 1; i < 3; i++) args[i] = same_lanes(g, args[i], lanes);
    return kir_op(g->u->arena, FD_OP_SELECT, args[1]->type, 3, args);
}

static const KirExpr *gen_op(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    FdOp op = fd_op_of(n);
    ScalarKind k = result_kind(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) {
        const FdNode *f = n->args[0];
        bool slot = f->kind == FD_FUNC && f->leaf == FD_LEAF_SLOT;
        /* no number of a node: these are others where nests have been checked */
        const char *name =
            !slot ? "bound"
                  : arena_printf(a, "%c%d_%s%d", f->slot < g->u->ninputs ? 'a' : 't',
                                 g->u->plan_slot[f->slot], op == FD_OP_LOWER ? "lo" : "hi",
                                 (int)n->args[1]->value.i);
        return kir_convert(a, kir_type((int)k, 1), gen_number(g, name, num_must(g->u, n)));
    }
    bool scalar = !gen_varies(g, n);
    if (fd_op_info(op)->props & FD_LAZY) {
        for (int i = 1; i < n->nargs; i++)
            if (needs_branch(g, n->args[i])) return gen_branches(g, n);
    }
    bool divides = fd_does(n) & FD_DIVIDES;
    if (divides && scalar) return gen_division(g, n);
    const KirExpr *args[3];
    for (int i = 0; i < n->nargs; i++) args[i] = gen_value(g, n->args[i]);
    if (divides) note_zero(g, n, args);
    if (op == FD_OP_CONVERT) {
        /* printed as isnan(x) ? 0 : .. x */
        bool twice = scalar_is_real(result_kind(n->args[0])) && !scalar_is_real(k);
        if (twice) args[0] = in_variable(g, n->args[0], args[0]);
        return kir_convert(a, kir_type((int)k, 1), args[0]);
    }
    if (n->type->record) return select_record(g, args);
    return op_lanes(g, op, (int)k, n->nargs, args);
}

static const KirExpr *gen_call_user(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    const KirExpr **args = arena_array(a, const KirExpr *, n->nargs + 1);
    int count = 0;
    if (!n->fn->user->body) unit_give_up(g->u, "a function of the host", n);
    for (int i = 0; i < n->nargs; i++) {
        if (n->args[i]->type->nparams)
            unit_give_up(g->u, "a function as an argument", n);
        else
            args[count++] = gen_value(g, n->args[i]);
    }
    return gen_call(g, n->fn->user, count, args);
}

/* ---- records --------------------------------------------------------------------------------- */

static const KirExpr *gen_make(Gen *g, const FdNode *n)
{
    const KirExpr **fields = arena_array(g->u->arena, const KirExpr *, n->nargs);
    int lanes = 1;
    for (int i = 0; i < n->nargs; i++) {
        fields[i] = gen_value(g, n->args[i]);
        if (fields[i]->type.lanes != 1) lanes = fields[i]->type.lanes;
    }
    for (int i = 0; i < n->nargs; i++) fields[i] = same_lanes(g, fields[i], lanes);
    return kir_make(g->u->arena, gen_type_in(g->u, n->type, lanes), fields);
}

/* Is what it is a field of made already, under a guard perhaps that a read of it would lack? */
static bool has_record(Gen *g, const FdNode *n)
{
    for (; is_field(n); n = n->args[0])
        if (gen_known(g, n->args[0])) return true;
    return false;
}

/* Of an array's element, only the field is read. */
static const KirExpr *gen_field(Gen *g, const FdNode *n)
{
    const KirExpr *e = field_of_read(n) && !has_record(g, n) ? gen_read_field(g, n) : NULL;
    return e ? e : kir_member(g->u->arena, gen_value(g, n->args[0]), n->fn->slot);
}

/* ---- indices --------------------------------------------------------------------------------- */

static const KirExpr *index_of(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    if (n->kind == FD_VAR && n->role == FD_VAR_BOUND) return gen_bound(g, n);
    if (fd_is_const(n)) return kir_int(a, n->value.i);
    bool word = result_kind(n) == SC_INT || result_kind(n) == SC_LONG; /* others wrap elsewhere */
    FdOp op = n->kind == FD_APPLY && word ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_ADD || op == FD_OP_SUB || op == FD_OP_MUL)
        return kir_arith(a, op, gen_index(g, n->args[0]), gen_index(g, n->args[1]));
    if (op == FD_OP_NEG) return kir_arith(a, FD_OP_SUB, kir_int(a, 0), gen_index(g, n->args[0]));
    if (op == FD_OP_GIVEN || (op == FD_OP_CONVERT && scalar_is_integer(result_kind(n->args[0]))))
        return gen_index(g, n->args[0]);
    return kir_convert(a, idx, gen_value(g, n));
}

/* Small ones are said again wherever they are used. */
const KirExpr *gen_index(Gen *g, const FdNode *n)
{
    enum { SMALL = 3 };
    const KirExpr *e = gen_known_index(g, n);
    if (e) return e;
    e = index_of(g, n);
    if (e->depth <= SMALL || (unit_used(g->u, n) <= 1 && e->depth <= deepest(g))) return e;
    e = gen_variable(g, "at", e);
    gen_remember_index(g, n, e);
    return e;
}

/* ---- reductions inside a kernel -------------------------------------------------------------- */

/* Few turns in lanes: what they read may be the same in the loops around, of which LLVM finds out once they are written out. */
static bool is_short(const Gen *g, const FdNode *reduce, int at)
{
    enum { FEW = 4 };
    const FdDom *d = &reduce->doms[at];
    return g->lanes && g->lanes != 1 && at == reduce->nvars - 1 && d->lo && d->hi &&
           fd_is_const(d->lo) && fd_is_const(d->hi) && d->hi->value.i - d->lo->value.i <= FEW &&
           !(fd_effects(reduce->body) & (FD_REDUCES | FD_CALLS));
}

/* until: NULL, or where it says after the body was made when the loops may end. */
static void gen_loops(Gen *g, const FdNode *reduce, int from, int to, GenBody *body, void *ctx,
                      const KirExpr *const *until)
{
    Arena *a = g->u->arena;
    if (from == to) {
        body(g, ctx);
        return;
    }
    const FdNode *v = reduce->vars[from];
    const KirExpr *lo, *n;
    gen_range(g, &reduce->doms[from], v, &lo, &n);
    const KirExpr *end = gen_reckoned(g, "end", kir_arith(a, FD_OP_ADD, lo, n));
    const char *name = gen_var_name(g, v);
    KirBlock inner = {0}, leave = {0};
    GenScope s = gen_enter(g, &inner);
    gen_bind(g, v, kir_name(a, idx, name));
    gen_loops(g, reduce, from + 1, to, body, ctx, until);
    gen_leave(g, s);
    if (until && *until) {
        kir_simple(a, &leave, KIR_BREAK);
        kir_if(a, &inner, *until, leave, NULL);
    }
    kir_for(a, g->block, name, lo, end, kir_int(a, 1), is_short(g, reduce, from), inner);
}

void gen_loops_to(Gen *g, const FdNode *reduce, int to, GenBody *body, void *ctx)
{
    gen_loops(g, reduce, 0, to, body, ctx, NULL);
}

typedef struct Accumulate {
    const FdNode *reduce;
    const KirExpr *acc, *first; /* first: NULL if the operation has a start value */
    const KirExpr *decided;     /* no further value changes it; NULL: this cannot be */
} Accumulate;

void gen_fail(Gen *g, CgErrorKind kind, const FdNode *at)
{
    Arena *a = g->u->arena;
    const KirExpr *zero = kir_int(a, 0);
    const KirExpr *args[] = {gen_error(g), kir_int(a, kind), kir_int(a, site_of(at)), zero, zero,
                             zero};
    kir_eval(a, g->block, kir_intrinsic(a, kir_type(SC_BOOL, 1), INTR_FAIL, args));
}

/* Can a value report an error here? */
static bool fails_at(const void *ctx, const FdNode *n)
{
    const Gen *g = ctx;
    FdEffects e = fd_does(n);
    if (e & FD_READS) return g->checks != GEN_PROVED && gen_is_suspect(g, n);
    if (e & FD_CALLS) return !fd_user_of(n) || fd_can_fail(n);
    return e & FD_FAILS || unit_is_empty(g->u, n);
}

/* What `any` or `all` has come to when no further value changes it. A value that may fail is asked
 * for all the same, unless it stands behind || or && as it is (`skips`). */
static const KirExpr *decided(const Gen *g, const Accumulate *x, bool skips)
{
    FdOp op = fd_op_of(x->reduce);
    if ((op != FD_OP_LOR && op != FD_OP_LAND) || x->acc->type.lanes != 1) return NULL;
    if (!skips && fd_any(x->reduce->body, fails_at, g)) return NULL;
    return op == FD_OP_LOR ? x->acc : kir_op(g->u->arena, FD_OP_LNOT, x->acc->type, 1, &x->acc);
}

static void accumulate(Gen *g, void *ctx)
{
    Accumulate *x = ctx;
    Arena *a = g->u->arena;
    const KirStmt *last = g->block->last;
    const KirExpr *value = same_lanes(g, gen_whole(g, x->reduce->body), x->acc->type.lanes);
    const KirExpr *next = gen_combine(g, x->reduce->fn, x->acc, value);
    if (!x->first) {
        bool skips = g->block->last == last;
        kir_set(a, g->block, x->acc, next);
        x->decided = decided(g, x, skips);
        return;
    }
    KirBlock start = {0}, go = {0};
    const char *once = fresh_name(g->u, "v"); /* the operand, computed once for both branches */
    kir_decl(a, g->block, value->type, once, value);
    const KirExpr *v = kir_name(a, value->type, once);
    kir_set(a, &start, x->acc, v);
    kir_set(a, &start, x->first, kir_const(a, SC_BOOL, (ScalarValue){.i = 0}));
    GenScope s = gen_enter(g, &go);
    kir_set(a, &go, x->acc, gen_combine(g, x->reduce->fn, x->acc, v));
    gen_leave(g, s);
    kir_if(a, g->block, x->first, start, &go);
}

static const KirExpr *gen_reduce(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    bool lanes = gen_varies(g, n->body) || (n->init && gen_varies(g, n->init));
    KirType t = gen_type_in(g->u, n->type, lanes ? g->lanes : 1), truth = kir_type(SC_BOOL, 1);
    Accumulate x = {.reduce = n, .acc = kir_name(a, t, fresh_name(g->u, "acc"))};
    const KirExpr *start = n->init ? gen_value(g, n->init) : gen_identity(g, n);
    bool known = fd_has_identity(n);
    bool check = unit_is_empty(g->u, n);
    kir_decl(a, g->block, t, x.acc->name, start ? same_lanes(g, start, t.lanes) : NULL);
    /* Others remember whether anything came: to begin with it, and to report that nothing did.
     * Infinities serve min and max as a start unless NaN must be exact. */
    if (!start || check || (!known && g->u->options->precise)) {
        x.first = kir_name(a, truth, fresh_name(g->u, "first"));
        kir_decl(a, g->block, truth, x.first->name, kir_const(a, SC_BOOL, (ScalarValue){.i = 1}));
    }
    gen_loops(g, n, 0, n->nvars, accumulate, &x, &x.decided);
    if (check) {
        KirBlock empty = {0};
        GenScope s = gen_enter(g, &empty);
        gen_fail(g, CG_ERR_EMPTY, n);
        gen_leave(g, s);
        kir_if(a, g->block, x.first, empty, NULL);
    }
    gen_remember(g, n, x.acc);
    return x.acc;
}

/* ---- values ---------------------------------------------------------------------------------- */

static const KirExpr *gen_var(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    if (n->type->record) return gen_bound(g, n); /* of a function or lambda */
    KirType t = kir_type((int)result_kind(n), 1);
    const KirExpr *e = kir_convert(a, t, gen_bound(g, n));
    if (n != g->lane_var) return e;
    t.lanes = g->lanes;
    const KirExpr *args[] = {kir_splat(a, g->lanes, e), kir_iota(a, t)};
    return kir_op(a, FD_OP_ADD, t, 2, args);
}

static const KirExpr *gen_scalar(Gen *g, const FdNode *n)
{
    Unit *u = g->u;
    ScalarKind k = result_kind(n);
    if (n->leaf == FD_LEAF_CONST) return kir_const(u->arena, k, n->value);
    if (n->slot >= u->ninputs) return gen_read(g, n);
    return gen_param(g, arena_printf(u->arena, "s%d", u->plan_slot[n->slot]), (int)k,
                     arena_printf(u->arena, "value %d", u->plan_slot[n->slot]));
}

const KirExpr *gen_value(Gen *g, const FdNode *n)
{
    const KirExpr *e = gen_known(g, n);
    if (e) return e;
    /* What several branches use is computed in each; where that multiplies, no kernel is made. */
    if (g->made++ > MOST_OPERATIONS + TIMES_EACH * unit_uses(g->u)->n) {
        unit_give_up(g->u, "operations that multiply", n);
        return gen_zero(g->u->arena, gen_type(g->u, n->type));
    }
    switch (n->kind) {
    case FD_SCALAR: return gen_scalar(g, n);
    case FD_VAR: return gen_var(g, n);
    case FD_REDUCE:
        if (gen_is_uneven(g, n)) return gen_uneven(g, n);
        e = gen_sum_in_lanes(g, n);
        return e ? e : gen_reduce(g, n);
    case FD_APPLY:
        if (is_read(n))
            e = gen_read(g, n);
        else if (fd_is_element(n))
            return gen_element(g, n); /* where it is used: it can be set */
        else if (fd_op_of(n) != FD_OP_NONE)
            e = gen_op(g, n);
        else if (is_make(n))
            e = gen_make(g, n);
        else if (is_field(n))
            e = gen_field(g, n);
        else if (fd_user_of(n))
            e = gen_call_user(g, n);
        break;
    default: break;
    }
    if (!e) { /* an application that composition left: nothing a kernel can say */
        unit_give_up(g->u, "a call that only the host can make", n);
        return gen_zero(g->u->arena, gen_type(g->u, n->type));
    }
    return unit_used(g->u, n) > 1 || e->depth > deepest(g) ? in_variable(g, n, e) : e;
}
