/* The order in which a block's values are made. What a conditional guards is made in its branch;
 * what the block needs in any case, though only through branches that share it, is made before
 * them.
 *
 *   before   c ? g(x) : h(x)   with x = f(y) used by both
 *   after    v = f(y); if (c) r = g(v); else r = h(v);
 */
#include <stdlib.h>
#include <string.h>

#include "gen.h"

typedef struct Order {
    Gen *g;
    VEC(const FdNode *) nodes; /* operands first */
    VEC(int) at;               /* by node id: its place in `nodes`, counted from 1 */
    VEC(int) bit;              /* of each node: its number among the shared ones, or -1 */
    VEC(bool) guarded;         /* of each: reached through a branch */
    int nshared;
    size_t words;               /* of a set */
    uint64_t *sets;             /* of each: the shared nodes that it needs in any case */
    uint64_t *reached;          /* of each: all shared nodes below */
    VEC(const FdNode *) lazies; /* conditionals that run in any case.. */
    VEC(bool) demanded; /* of each: made where some of them ask for it alone; empty: none is */
} Order;

enum { MOST_WORDS = 1 << 22 };

static int place(const Order *o, const FdNode *n)
{
    return n->id < o->at.len ? o->at.data[n->id] - 1 : -1;
}

/* The place of operand k of the node at place i; -1: it is made already, or none (of a query of a
 * domain). */
static int operand_place(const Order *o, size_t i, int k)
{
    const FdNode *n = o->nodes.data[i];
    int at = place(o, n->args[k]);
    return at < (int)i ? at : -1;
}

static bool is_lazy(const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    return op != FD_OP_NONE && fd_op_info(op)->props & FD_LAZY;
}

/* What is evaluated in n's own block: a reduction's body is in another. */
static int operands(const FdNode *n, const FdNode **out)
{
    int count = 0;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return 0;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (!n->args[i]->type->nparams) out[count++] = n->args[i];
    if (n->kind == FD_REDUCE && n->init) out[count++] = n->init;
    return count;
}

static int most_operands(const FdNode *n)
{
    return n->nargs + 1;
}

/* Operands first; not recursive: chains can be long. */
static void put_in_order(Order *o, const FdNode *root)
{
    typedef struct Step {
        const FdNode *node;
        bool done;
    } Step;
    VEC(Step) stack = {0};
    FdSeen seen = {0};
    vec_push(&stack, ((Step){root, false}));
    while (stack.len) {
        Step s = stack.data[--stack.len];
        if (s.done) {
            while (o->at.len <= s.node->id) vec_push(&o->at, 0);
            vec_push(&o->nodes, s.node);
            o->at.data[s.node->id] = (int)o->nodes.len;
            continue;
        }
        if (gen_known(o->g, s.node) || !fd_meet(&seen, s.node)) continue;
        vec_push(&stack, ((Step){s.node, true}));
        if (o->g->lane_var && is_read(s.node)) continue; /* an index is no value in lanes */
        const FdNode **below = mem_alloc(sizeof *below * (size_t)most_operands(s.node));
        for (int i = operands(s.node, below); i-- > 0;) vec_push(&stack, ((Step){below[i], false}));
        mem_free(below);
    }
    fd_seen_free(&seen);
    vec_free(&stack);
}

/* Is there a conditional with something in its branches that must not run before? */
static bool any_branch(const Order *o)
{
    VEC(bool) fails = {0};
    bool any = false;
    for (size_t i = 0; i < o->nodes.len && !any; i++) {
        const FdNode *n = o->nodes.data[i];
        bool below = false;
        for (int k = 0; n->kind == FD_APPLY && k < n->nargs; k++) {
            int at = operand_place(o, i, k);
            below |= at >= 0 && fails.data[at];
            any |= k > 0 && is_lazy(n) && at >= 0 && fails.data[at];
        }
        vec_push(&fails, below || gen_branches_at(o->g, n));
    }
    vec_free(&fails);
    return any;
}

static void number_shared(Order *o)
{
    for (size_t i = 0; i < o->nodes.len; i++) {
        const FdNode *n = o->nodes.data[i];
        bool shared = unit_used(o->g->u, n) > 1 && (n->kind == FD_APPLY || n->kind == FD_REDUCE);
        vec_push(&o->bit, shared ? o->nshared++ : -1);
        vec_push(&o->guarded, false);
    }
    for (size_t i = o->nodes.len; i-- > 0;) { /* users first */
        const FdNode *n = o->nodes.data[i];
        for (int k = 0; n->kind == FD_APPLY && k < n->nargs; k++) {
            int at = operand_place(o, i, k);
            if (at >= 0 && (o->guarded.data[i] || (k > 0 && is_lazy(n))))
                o->guarded.data[at] = true;
        }
    }
}

static uint64_t *set_of(const Order *o, uint64_t *sets, const FdNode *n)
{
    int at = place(o, n);
    return at < 0 ? NULL : sets + (size_t)at * o->words;
}

static void add_set(const Order *o, uint64_t *to, const uint64_t *from)
{
    for (size_t w = 0; from && w < o->words; w++) to[w] |= from[w];
}

static bool in_set(const uint64_t *set, int bit)
{
    return set[bit / 64] >> bit % 64 & 1;
}

/* Adds the shared nodes that a reduction's body or ranges read: where it runs is up to it. */
static void add_inside(const Order *o, uint64_t *set, const FdNode *reduce)
{
    FdWalk w = fd_walk(reduce);
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        const FdNode *below[FD_MAX_CHILDREN];
        int at = n == reduce ? -1 : place(o, n), bit = at < 0 ? -1 : o->bit.data[at];
        if (bit >= 0) set[bit / 64] |= (uint64_t)1 << bit % 64;
        for (int i = fd_children(n, below); i-- > 0;)
            if (n != reduce || below[i] != n->init) fd_walk_add(&w, below[i]);
    }
    fd_walk_end(&w);
}

static void find_needed(Order *o)
{
    for (size_t i = 0; i < o->nodes.len; i++) {
        const FdNode *n = o->nodes.data[i];
        uint64_t *set = o->sets + i * o->words, *all = o->reached + i * o->words;
        bool lazy = is_lazy(n);
        for (int k = 0; n->kind == FD_APPLY && k < n->nargs; k++) {
            if (k == 0 || !lazy) add_set(o, set, set_of(o, o->sets, n->args[k]));
            add_set(o, all, set_of(o, o->reached, n->args[k]));
        }
        if (n->kind == FD_REDUCE) add_inside(o, all, n);
        if (n->kind == FD_REDUCE && n->init) {
            add_set(o, set, set_of(o, o->sets, n->init));
            add_set(o, all, set_of(o, o->reached, n->init));
        }
        if (lazy && n->nargs == 3) {
            const uint64_t *x = set_of(o, o->sets, n->args[1]), *y = set_of(o, o->sets, n->args[2]);
            for (size_t w = 0; x && y && w < o->words; w++) set[w] |= x[w] & y[w];
        }
        int bit = o->bit.data[i];
        if (bit < 0) continue;
        set[bit / 64] |= (uint64_t)1 << bit % 64;
        all[bit / 64] |= (uint64_t)1 << bit % 64;
    }
}

static void make_needed(Order *o)
{
    const uint64_t *needed = o->sets + (o->nodes.len - 1) * o->words;
    for (size_t i = 0; i + 1 < o->nodes.len; i++) {
        int bit = o->bit.data[i];
        if (bit < 0 || !o->guarded.data[i] || !in_set(needed, bit)) continue;
        gen_value(o->g, o->nodes.data[i]);
    }
}

/* ---- what several branches need ----------------------------------------------------------------
 *
 *   before   (c ? g(x) : 0) + (d ? h(x) : 0)
 *   after    if (c || d) v = x; ..
 *
 * of conditionals that run in any case, where each branch that x lies below needs it, and no
 * reduction reads it: x is not made where only that asks for it. */

typedef struct Shared {
    Order *o;
    uint64_t *once, *often, *bad;
} Shared;

static void find_lazies(Shared *s)
{
    Order *o = s->o;
    FdWalk w = fd_walk(vec_last(&o->nodes));
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        if (place(o, n) < 0) continue;
        if (is_lazy(n)) vec_push(&o->lazies, n);
        for (int k = 0; n->kind == FD_APPLY && k < (is_lazy(n) ? 1 : n->nargs); k++)
            fd_walk_add(&w, n->args[k]);
        if (n->kind == FD_REDUCE) add_inside(o, s->bad, n);
        if (n->kind == FD_REDUCE && n->init) fd_walk_add(&w, n->init);
    }
    fd_walk_end(&w);
}

static void look_at_branches(Shared *s)
{
    Order *o = s->o;
    for (size_t i = 0; i < o->lazies.len; i++) {
        const FdNode *n = o->lazies.data[i];
        add_set(o, s->bad, set_of(o, o->reached, n->args[0]));
        for (int k = 1; k < n->nargs; k++) {
            const uint64_t *all = set_of(o, o->reached, n->args[k]),
                           *needed = set_of(o, o->sets, n->args[k]);
            for (size_t w = 0; all && w < o->words; w++) {
                s->often[w] |= s->once[w] & all[w];
                s->once[w] |= all[w];
                s->bad[w] |= all[w] & ~needed[w];
            }
        }
    }
}

static const KirExpr *either(Gen *g, const KirExpr *x, const KirExpr *y)
{
    int lanes = x->type.lanes == 1 ? y->type.lanes : x->type.lanes;
    const KirExpr *both[] = {kir_splat(g->u->arena, lanes, x), kir_splat(g->u->arena, lanes, y)};
    return gen_variable(g, "v", kir_op(g->u->arena, FD_OP_LOR, both[0]->type, 2, both));
}

/* Whether some branch is taken that needs the shared node `bit`; in lanes which lanes take one. */
static const KirExpr *demand(Shared *s, int bit)
{
    Gen *g = s->o->g;
    Arena *a = g->u->arena;
    const KirExpr *any = NULL;
    for (size_t i = 0; i < s->o->lazies.len; i++) {
        const FdNode *n = s->o->lazies.data[i], *cond = n->args[0];
        for (int k = 1; k < n->nargs; k++) {
            const uint64_t *all = set_of(s->o, s->o->reached, n->args[k]);
            if (!all || !in_set(all, bit)) continue;
            if (!gen_known(g, cond)) {
                const KirExpr *v = gen_variable(g, "v", gen_value(g, cond));
                if (!gen_known(g, cond)) gen_remember(g, cond, v);
            }
            const KirExpr *c = gen_value(g, cond);
            bool negated = fd_op_of(n) == FD_OP_LOR || k == 2;
            if (negated) c = kir_op(a, FD_OP_LNOT, c->type, 1, &c);
            any = any ? either(g, any, c) : c;
        }
    }
    return any;
}

/* Some arithmetic of integers, which takes less than to ask whether it is needed. */
static bool is_cheap(const FdNode *n, int depth)
{
    enum { DEEPEST = 2 };
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (n->kind != FD_APPLY) return n->kind == FD_VAR || fd_is_const(n);
    if (depth == DEEPEST || n->type->nparams || !scalar_is_integer(n->type->scalar)) return false;
    if (op != FD_OP_ADD && op != FD_OP_SUB && op != FD_OP_CONVERT && op != FD_OP_GIVEN)
        return false;
    for (int i = 0; i < (op == FD_OP_GIVEN ? 1 : n->nargs); i++)
        if (!scalar_is_integer(n->args[i]->type->scalar) || !is_cheap(n->args[i], depth + 1))
            return false;
    return true;
}

static void make_shared(Shared *s)
{
    Order *o = s->o;
    Gen *g = o->g;
    Arena *a = g->u->arena;
    const uint64_t *needed = o->sets + (o->nodes.len - 1) * o->words;
    for (size_t i = 0; i + 1 < o->nodes.len; i++) {
        const FdNode *n = o->nodes.data[i];
        int bit = o->bit.data[i];
        if (bit < 0 || gen_known(g, n) || !in_set(s->often, bit) || in_set(s->bad, bit)) continue;
        if (in_set(needed, bit) ||
            is_cheap(n, 0)) { /* by something besides these branches, perhaps */
            const KirExpr *always = gen_variable(g, "v", gen_value(g, n));
            if (!gen_known(g, n)) gen_remember(g, n, always);
            continue;
        }
        while (o->demanded.len < o->nodes.len) vec_push(&o->demanded, false);
        o->demanded.data[i] = true;
        const KirExpr *when = demand(s, bit);
        bool varies = gen_varies(g, n);
        KirType t = gen_type_in(g->u, n->type, varies ? g->lanes : 1);
        const KirExpr *v = kir_name(a, t, fresh_name(g->u, "v")), *outer = g->mask;
        kir_decl(a, g->block, v->type, v->name, gen_zero(a, t)); /* also read where not needed */
        if (when->type.lanes != 1 && varies) {
            gen_where(g, n, when, v);
            gen_remember(g, n, v);
            continue;
        }
        if (when->type.lanes != 1) {
            g->mask = gen_variable(g, "lanes", gen_mask_and(g, outer, when));
            when = gen_any(g, g->mask);
        }
        KirBlock then = {0};
        GenScope scope = gen_enter(g, &then);
        kir_set(a, &then, v, gen_splat(g->u, t.lanes, gen_whole(g, n)));
        gen_leave(g, scope);
        g->mask = outer;
        kir_if(a, g->block, when, then, NULL);
        gen_remember(g, n, v);
    }
}

static void share_among_branches(Order *o)
{
    Shared s = {.o = o};
    uint64_t *sets = mem_alloc(3 * o->words * sizeof *sets);
    s.once = sets, s.often = sets + o->words, s.bad = sets + 2 * o->words;
    find_lazies(&s);
    look_at_branches(&s);
    make_shared(&s);
    mem_free(sets);
}

static bool is_demanded(const void *order, const FdNode *n)
{
    const Order *o = order;
    int at = place(o, n);
    return at >= 0 && o->demanded.data[at];
}

/* Other values of the block have conditions of their own. What was made where this one's ask for it is not theirs, nor
 * what is made of that; but for the conditionals themselves. */
static void forget_demanded(const Order *o, GenMemos *made, size_t before)
{
    for (size_t i = before, end = made->list.len; i < end; i++) {
        const FdNode *n = made->list.data[i].node;
        bool whole = false;
        for (size_t k = 0; k < o->lazies.len; k++) whole = whole || o->lazies.data[k] == n;
        if (!whole && fd_any(n, is_demanded, o)) gen_forget(made, n);
    }
}

const KirExpr *gen_whole(Gen *g, const FdNode *n)
{
    if (n->kind != FD_APPLY) return gen_value(g, n);
    const size_t values = g->memo.list.len, indices = g->indices.list.len;
    Order o = {.g = g};
    put_in_order(&o, n);
    if (o.nodes.len > 1 && any_branch(&o)) {
        number_shared(&o);
        o.words = (size_t)(o.nshared + 63) / 64;
        if (o.nshared > 0 && o.words * o.nodes.len <= MOST_WORDS) {
            o.sets = mem_alloc(2 * o.words * o.nodes.len * sizeof *o.sets);
            o.reached = o.sets + o.words * o.nodes.len;
            find_needed(&o);
            make_needed(&o);
            share_among_branches(&o);
            mem_free(o.sets);
        }
    }
    const KirExpr *whole = gen_value(g, n);
    if (o.demanded.len) {
        forget_demanded(&o, &g->memo, values);
        forget_demanded(&o, &g->indices, indices);
    }
    vec_free(&o.nodes);
    vec_free(&o.at);
    vec_free(&o.bit);
    vec_free(&o.guarded);
    vec_free(&o.lazies);
    vec_free(&o.demanded);
    return whole;
}
