/* User functions in lanes: the statements are written out where the function is called, under masks
 * of the lanes that are active.
 *
 *   before   for (..; n < 256; ..) { .. if (a > 4) return n; }
 *   after    live = -1;
 *            for (;;) { if (!any(live)) break; .. m = live & (a > 4); r = m ? n : r; live &= ~m; n++; }
 *
 * A condition that is the same in all lanes stays a branch. A loop runs while one of its lanes is
 * active; what may fail or loops is skipped where none is. */
#include "../../../base/internal.h"
#include "../plan/draw.h"
#include "local.h"
#include "read/kept.h"

/* The mask of a region: a variable, which loses lanes as they break, continue and return. */
typedef struct Scope {
    struct Scope *up;
    const DivergenceStmt *of; /* NULL: the function */
    bool turn;                /* of one turn of a loop, not of the loop */
    const KirExpr *mask;      /* NULL: all lanes */
} Scope;

typedef struct Masked {
    Gen *g;
    const Divergence *x;
    Scope *scope;
    const KirExpr *result; /* NULL: the last statement gives it */
    const KirExpr *value;
    Kept kept;
} Masked;

static const KirType truth = {.kind = SC_BOOL, .lanes = 1};

/* ---- masks ------------------------------------------------------------------------------------- */

const KirExpr *gen_all_lanes(const Gen *g)
{
    return kir_splat(g->u->arena, g->lanes, kir_const(g->u->arena, SC_BOOL, (ScalarValue){.i = 1}));
}

const KirExpr *gen_any(const Gen *g, const KirExpr *mask)
{
    return kir_any(g->u->arena, mask);
}

const KirExpr *gen_mask_and(const Gen *g, const KirExpr *x, const KirExpr *y)
{
    const KirExpr *args[] = {x, y};
    return x ? kir_op(g->u->arena, FD_OP_LAND, x->type, 2, args) : y;
}

const KirExpr *gen_mask_not(const Gen *g, const KirExpr *x)
{
    return kir_op(g->u->arena, FD_OP_LNOT, x->type, 1, &x);
}

/* x where the mask holds, else y. */
const KirExpr *gen_blend(Gen *g, const KirExpr *mask, const KirExpr *x, const KirExpr *y)
{
    Arena *a = g->u->arena;
    int lanes = mask->type.lanes;
    if (x->type.kind != KIR_RECORD) {
        const KirExpr *args[] = {mask, kir_splat(a, lanes, x), kir_splat(a, lanes, y)};
        return kir_op(a, FD_OP_SELECT, args[1]->type, 3, args);
    }
    const KirRecord *r = x->type.record;
    const KirExpr **fields = arena_array(a, const KirExpr *, r->nfields);
    mask = gen_variable(g, "v", mask);
    if (x->kind != KIR_MAKE) x = gen_variable(g, "v", x);
    if (y->kind != KIR_MAKE) y = gen_variable(g, "v", y);
    for (int i = 0; i < r->nfields; i++)
        fields[i] = gen_blend(g, mask, kir_member(a, x, i), kir_member(a, y, i));
    return kir_make(a, gen_widen(g->u, x->type, lanes), fields);
}

static const KirExpr *mask_variable(Masked *m, const KirExpr *e)
{
    const KirExpr *v = kir_name(m->g->u->arena, e->type, fresh_name(m->g->u, "lanes"));
    kir_decl(m->g->u->arena, m->g->block, v->type, v->name, e);
    return v;
}

static void open_scope(Masked *m, Scope *s, const DivergenceStmt *of, bool turn,
                       const KirExpr *mask)
{
    *s = (Scope){m->scope, of, turn, mask};
    m->scope = s;
    m->g->mask = mask;
}

static void close_scope(Masked *m)
{
    m->scope = m->scope->up;
    m->g->mask = m->scope ? m->scope->mask : NULL;
}

/* The active lanes leave all scopes up to the one of this statement (NULL: the function), of a loop
 * only its turn if `turn`. */
static void leave(Masked *m, const DivergenceStmt *to, bool turn)
{
    Gen *g = m->g;
    Arena *a = g->u->arena;
    const KirExpr *gone = m->scope->mask, *done = NULL;
    for (const Scope *s = m->scope; s; s = s->up) {
        bool last = s->of == to && (!to || s->turn == turn);
        if (s->mask != gone && s->mask != done)
            kir_set(a, g->block, s->mask, gen_mask_and(g, s->mask, gen_mask_not(g, gone)));
        done = s->mask;
        if (last) break;
    }
    const KirExpr *none = kir_const(a, SC_BOOL, (ScalarValue){.i = 0});
    kir_set(a, g->block, gone, kir_splat(a, g->lanes, none));
}

/* ---- values ------------------------------------------------------------------------------------ */

static const KirExpr *value_of(Masked *m, const FdNode *n)
{
    Gen *g = m->g;
    Arena *a = g->u->arena;
    if (!g->mask || !fd_can_fail(n)) return gen_stmt_value(g, n);
    KirType t = gen_type(g->u, n->type);
    if (divergence_varies(m->x, n)) t = gen_widen(g->u, t, g->lanes);
    const KirExpr *v = kir_name(a, t, fresh_name(g->u, "v"));
    kir_decl(a, g->block, t, v->name, gen_zero(a, t));
    KirBlock some = {0};
    GenScope s = gen_enter(g, &some);
    kir_set(a, &some, v, gen_splat(g->u, t.lanes, gen_stmt_value(g, n)));
    gen_leave(g, s);
    kir_if(a, g->block, gen_any(g, g->mask), some, NULL);
    return v;
}

static void assign(Masked *m, const KirExpr *to, const KirExpr *e, bool blend)
{
    Gen *g = m->g;
    if (to->type.lanes == 1 && e->type.lanes != 1)
        internal_error("assign", "divergence.c has taken it for the same in all lanes");
    e = gen_splat(g->u, to->type.lanes, kir_convert(g->u->arena, to->type, e));
    if (blend && g->mask) e = gen_blend(g, g->mask, e, to);
    kir_set(g->u->arena, g->block, to, e);
}

/* ---- statements -------------------------------------------------------------------------------- */

static void statements(Masked *m, const DivergenceStmt *s);

static bool has_loop_in(const DivergenceStmt *s)
{
    for (; s; s = s->next)
        if (s->s->kind == FD_STMT_LOOP || has_loop_in(s->body) || has_loop_in(s->other))
            return true;
    return false;
}

static bool is_call(const void *ctx, const FdNode *n)
{
    (void)ctx;
    const FdUser *user = n->kind == FD_APPLY ? fd_user_of(n) : NULL;
    return n->kind == FD_REDUCE || (user && !user_is_plain(user));
}

static bool calls(const FdNode *n)
{
    return fd_any(n, is_call, NULL);
}

/* Statements at once, or only if some lane is here: which pays where they are many. */
static bool is_long(const DivergenceStmt *s, int *left)
{
    for (; s; s = s->next)
        if (--*left < 0 || (s->s->expr && calls(s->s->expr)) || is_long(s->body, left) ||
            is_long(s->other, left))
            return true;
    return false;
}

/* Do all lanes go on with the next turn somewhere? */
static bool continues(const DivergenceStmt *s)
{
    for (; s; s = s->next)
        if ((s->s->kind == FD_STMT_CONTINUE && !s->varies) ||
            (s->s->kind == FD_STMT_IF && (continues(s->body) || continues(s->other))))
            return true;
    return false;
}

static void side(Masked *m, const DivergenceStmt *of, const DivergenceStmt *first,
                 const KirExpr *mask)
{
    enum { FEW = 8 };
    Gen *g = m->g;
    if (!first) return;
    Scope here;
    int left = (int)draw_same(g->u, P_LANES_SIDE, FEW);
    KirBlock body = {0};
    bool skip = has_loop_in(first) || is_long(first, &left);
    GenScope s = gen_enter(g, skip ? &body : g->block);
    open_scope(m, &here, of, false, mask);
    statements(m, first);
    close_scope(m);
    gen_leave(g, s);
    if (skip) kir_if(g->u->arena, g->block, gen_any(g, mask), body, NULL);
}

static KirBlock shared_side(Masked *m, const DivergenceStmt *of, const DivergenceStmt *first)
{
    KirBlock body = {0};
    Scope here;
    GenScope s = gen_enter(m->g, &body);
    open_scope(m, &here, of, false, m->scope->mask);
    statements(m, first);
    close_scope(m);
    gen_leave(m->g, s);
    return body;
}

static void gen_if(Masked *m, const DivergenceStmt *s)
{
    Gen *g = m->g;
    GenScope test = gen_enter(g, g->block); /* what it made may change in the branches */
    const KirExpr *cond = value_of(m, s->s->expr);
    gen_leave(g, test);
    if (cond->type.lanes == 1) {
        KirBlock then = shared_side(m, s, s->body), other = shared_side(m, s, s->other);
        kir_if(g->u->arena, g->block, cond, then, other.first ? &other : NULL);
        return;
    }
    cond = gen_variable(g, "v", cond);
    if (s->body) side(m, s, s->body, mask_variable(m, gen_mask_and(g, g->mask, cond)));
    if (s->other)
        side(m, s, s->other, mask_variable(m, gen_mask_and(g, g->mask, gen_mask_not(g, cond))));
}

/* One turn of a loop, its step included. */
static void gen_turn(Masked *m, const DivergenceStmt *s, const KirExpr *mask, KirBlock *step)
{
    Gen *g = m->g;
    Scope turn;
    const KirExpr *here = mask;
    if (s->skips) here = mask_variable(m, mask ? mask : gen_all_lanes(g));
    open_scope(m, &turn, s, true, here);
    statements(m, s->body);
    close_scope(m);
    GenScope in = gen_enter(g, step);
    statements(m, s->other);
    gen_leave(g, in);
}

/* How many turns follow each other before the question is whether a lane is left. Those that none
 * needed change nothing: the masks of all lanes are empty. Two or three copies stand side by side where
 * registers are few (lanes_copies): they share the question, and more turns would spill. */
static int turns_a_test(const Gen *g, const DivergenceStmt *s)
{
    enum { SHORT = 10, TURNS = 4 };
    const Unit *u = g->u;
    int usual = g->beside == 2 || g->beside == 3 ? 1 : TURNS;
    int left = (int)draw_same(u, P_LANES_SHORT, SHORT);
    bool simple = !has_loop_in(s->body) && !is_long(s->body, &left) && !is_long(s->other, &left);
    return simple && !continues(s->body) ? (int)draw_same(u, P_LANES_TURNS, usual) : 1;
}

static void gen_turns(Masked *m, const DivergenceStmt *before, const DivergenceStmt *s)
{
    enum { MOST_TURNS = 64, MOST_STATEMENTS = 2048 };
    Gen *g = m->g;
    Arena *a = g->u->arena;
    const KirExpr *outer = g->mask;
    bool ends = s->leaves || s->returns;
    bool own = s->leaves || (ends && !outer); /* lanes that return are gone afterwards, too */
    const KirExpr *mask = own ? mask_variable(m, outer ? outer : gen_all_lanes(g)) : outer;
    Scope loop;
    KirBlock body = {0}, step = {0};
    open_scope(m, &loop, s, false, mask);
    GenScope in = gen_enter(g, &body);
    int most = (int)draw_same(g->u, P_LANES_UNROLLED, MOST_TURNS);
    int turns = divergence_turns(before, s, most), left = turns ? MOST_STATEMENTS / turns : 0;
    bool unroll = turns && !has_loop_in(s->body) && !is_long(s->body, &left);
    if (ends) {
        KirBlock end = {0};
        kir_simple(a, &end, KIR_BREAK);
        const KirExpr *some = gen_any(g, mask);
        kir_if(a, &body, kir_op(a, FD_OP_LNOT, truth, 1, &some), end, NULL);
        if (!unroll)
            for (int more = turns_a_test(g, s); more > 1; more--) gen_turn(m, s, mask, &body);
    }
    gen_turn(m, s, mask, &step);
    gen_leave(g, in);
    close_scope(m);
    kir_loop(a, g->block, body, step, unroll);
}

static void gen_loop(Masked *m, const DivergenceStmt *before, const DivergenceStmt *s)
{
    Gen *g = m->g;
    if (!g->mask || s->leaves || s->returns) {
        gen_turns(m, before, s);
        return;
    }
    KirBlock some = {0};
    GenScope in = gen_enter(g, &some);
    gen_turns(m, before, s);
    gen_leave(g, in);
    kir_if(g->u->arena, g->block, gen_any(g, g->mask), some, NULL);
}

static const DivergenceStmt *loop_of(const Masked *m)
{
    const Scope *s = m->scope;
    while (!s->turn) s = s->up;
    return s->of;
}

static void gen_return(Masked *m, const DivergenceStmt *s)
{
    const KirExpr *e = value_of(m, s->s->expr);
    if (!m->result) {
        m->value = e;
        return;
    }
    assign(m, m->result, e, true);
    if (s->in->up || s->next) leave(m, NULL, false);
}

static void gen_one(Masked *m, const DivergenceStmt *before, const DivergenceStmt *s)
{
    Gen *g = m->g;
    switch (s->s->kind) {
    case FD_STMT_CLEAR: local_fill(g, s->s->var, NULL, s->blends); break;
    case FD_STMT_PUT: local_put(g, s->s->var, value_of(m, s->s->expr), s->blends); break;
    case FD_STMT_SET: {
        if (s->s->var->extent) {
            local_fill(g, s->s->var, s->s->expr, s->blends);
            break;
        }
        const KirExpr *e = value_of(m, s->s->expr);
        if (e->type.lanes == 1 && m->kept.n) e = gen_variable(g, "v", e);
        assign(m, gen_bound(g, s->s->var), e, s->blends);
        kept_follow(g, &m->kept, s->s->var, e, s->blends);
        break;
    }
    case FD_STMT_IF: gen_if(m, s); break;
    case FD_STMT_LOOP: {
        int kept = m->kept.n;
        kept_begin(g, m->x, s, &m->kept);
        gen_loop(m, before, s);
        m->kept.n = kept;
        break;
    }
    case FD_STMT_BREAK:
        if (s->varies)
            leave(m, loop_of(m), false);
        else
            kir_simple(g->u->arena, g->block, KIR_BREAK);
        break;
    case FD_STMT_CONTINUE:
        if (s->varies)
            leave(m, loop_of(m), true);
        else
            kir_simple(g->u->arena, g->block, KIR_CONTINUE);
        break;
    case FD_STMT_RETURN: gen_return(m, s); break;
    }
}

static void statements(Masked *m, const DivergenceStmt *s)
{
    for (const DivergenceStmt *before = NULL; s; before = s, s = s->next) {
        GenScope scope = gen_enter(m->g, m->g->block);
        kept_remember(m->g, &m->kept);
        gen_one(m, before, s);
        gen_leave(m->g, scope);
    }
}

/* ---- calls ------------------------------------------------------------------------------------- */

const KirExpr *gen_expand(Gen *g, const FdUser *user, const KirExpr *const *args)
{
    Arena *a = g->u->arena;
    bool varies[FD_MAX_PARAMS];
    for (int i = 0; i < user->nparams; i++) varies[i] = args[i]->type.lanes != 1;
    Masked m = {.g = g, .x = divergence_user(a, user, varies)};
    const KirExpr *outer = g->mask;
    bool body = g->body;
    g->body = true;
    GenScope scope = gen_enter(g, g->block);
    for (int i = 0; i < m.x->nlocals; i++) {
        const DivergenceLocal *l = &m.x->locals[i];
        if (l->var->extent) {
            local_declare(g, l->var, l->varies ? g->lanes : 1);
            continue;
        }
        KirType t = gen_type(g->u, l->var->type);
        if (l->varies) t = gen_widen(g->u, t, g->lanes);
        const KirExpr *v = kir_name(a, t, gen_var_name(g, l->var));
        int param = 0;
        while (param < user->nparams && user->params[param] != l->var) param++;
        const KirExpr *init = NULL;
        if (param < user->nparams) init = gen_splat(g->u, t.lanes, kir_convert(a, t, args[param]));
        kir_decl(a, g->block, t, v->name, init);
        gen_bind(g, l->var, v);
    }
    Scope all;
    const KirExpr *mask = outer;
    if (m.x->early) {
        KirType t = gen_type_in(g->u, user->type->result, g->lanes);
        m.result = kir_name(a, t, fresh_name(g->u, "result"));
        kir_decl(a, g->block, t, m.result->name, gen_zero(a, t));
        mask = mask_variable(&m, outer ? outer : gen_all_lanes(g));
    }
    open_scope(&m, &all, NULL, false, mask);
    statements(&m, m.x->first);
    m.scope = NULL;
    g->mask = outer;
    g->body = body;
    const KirExpr *value = m.result ? m.result : gen_variable(g, "result", m.value);
    gen_leave(g, scope);
    return value;
}
