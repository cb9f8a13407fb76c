/* Graphs of scalars (fd_is_arithmetic), mostly derivatives of statements, as code of the host: an evaluation for each
 * would take a hundred times what it computes. Of c ? a : b what only a or b needs is computed where it is chosen.
 *
 * Reductions over a few elements (fd_single_reduction), as loops of the host:
 *
 *     x = sum(j : 0..i, l(i, j) * x(j))      if (i is from 1 to cs_short, l and x are at hand, and the first and the last
 *                                                elements that are read are inside)
 *                                                for (j = 0; j < i; j++) acc = acc + l[i, j] * x[j];
 *                                            else the evaluation */
#include <stdlib.h>

#include "../../../fdag/index/affine.h"
#include "value.h"

enum {
    FEW = 8,   /* operations that cost no more than a branch */
    COPIES = 4 /* parts of a sum of reals */
};

typedef struct Item { /* an application in the graph */
    const FdNode *node;
    LLVMValueRef value; /* NULL: not yet */
    int uses;           /* by others of the graph */
    int found;          /* of these, by `alone` */
} Item;

typedef struct Graph {
    HostFunc *f;
    Loc loc;
    const LLVMValueRef *slots;
    const Type *const *types;        /* of slots */
    const FdNode *reduce;            /* NULL: there is none */
    LLVMValueRef at[FD_SINGLE_VARS]; /* of its variables */
    bool in_order;                   /* it is [Precise] */
    VEC(Item) items;                 /* in the order of their ids */
} Graph;

static LLVMValueRef value_of(Graph *g, const FdNode *n);

static Item *item_of(Graph *g, const FdNode *n)
{
    size_t lo = 0, hi = g->items.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (g->items.data[mid].node->id < n->id)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < g->items.len && g->items.data[lo].node == n ? &g->items.data[lo] : NULL;
}

/* What is needed for an operand alone, which comes first; the number. */
static size_t alone(Graph *g, const FdNode *n, Item **out)
{
    Item *item = item_of(g, n);
    size_t count = 0;
    if (!item || item->uses > 1 || item->value) return 0;
    out[count++] = item;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < out[i]->node->nargs; k++) {
            item = item_of(g, out[i]->node->args[k]);
            if (item && !item->value && ++item->found == item->uses) out[count++] = item;
        }
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < out[i]->node->nargs; k++)
            if ((item = item_of(g, out[i]->node->args[k]))) item->found = 0;
    return count;
}

static bool is_costly(Item *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const FdOp op = fd_op_of(items[i]->node);
        if (op != FD_OP_NONE && fd_op_info(op)->props & FD_EXPENSIVE) return true;
    }
    return count > FEW;
}

/* What others need, too, is there before the branch. */
static void make_shared(Graph *g, Item *const *items, size_t count)
{
    for (size_t i = 0; i < count; i++) items[i]->found = 1;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < items[i]->node->nargs; k++) {
            const Item *item = item_of(g, items[i]->node->args[k]);
            if (item && !item->found) value_of(g, item->node);
        }
    for (size_t i = 0; i < count; i++) items[i]->found = 0;
}

static LLVMValueRef chosen(Graph *g, const FdNode *n)
{
    HostFunc *f = g->f;
    LLVMBuilderRef b = f->m->b;
    LLVMValueRef test = value_of(g, n->args[0]), values[2];
    LLVMBasicBlockRef blocks[2], from[2], end;
    Item **items = arena_array(f->m->arena, Item *, g->items.len + 1);
    bool branches = false;
    for (int i = 1; i <= 2; i++) {
        size_t count = alone(g, n->args[i], items);
        bool costly = is_costly(items, count);
        if (costly)
            make_shared(g, items, count);
        else
            value_of(g, n->args[i]);
        branches = branches || costly;
    }
    if (!branches)
        return LLVMBuildSelect(b, test, value_of(g, n->args[1]), value_of(g, n->args[2]), "");
    blocks[0] = host_block(f, "then");
    blocks[1] = host_block(f, "else");
    end = host_block(f, "end");
    LLVMBuildCondBr(b, test, blocks[0], blocks[1]);
    for (int i = 0; i < 2; i++) {
        host_enter(f, blocks[i]);
        values[i] = value_of(g, n->args[1 + i]);
        from[i] = LLVMGetInsertBlock(b);
        LLVMBuildBr(b, end);
    }
    host_enter(f, end);
    LLVMValueRef phi = LLVMBuildPhi(b, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

/* ---- arrays --------------------------------------------------------------------------------------- */

/* An integer as an i64. */
static LLVMValueRef wide(Graph *g, const FdNode *n)
{
    return host_convert(g->f, value_of(g, n), n->type->scalar, SC_LONG);
}

/* From where to where a dimension of an array in a slot goes. */
static LLVMValueRef bound(Graph *g, const FdNode *array, int dim, bool upper)
{
    LLVMValueRef a = g->slots[array->slot];
    return upper ? host_array_end(g->f, a, dim) : host_array_dim(g->f, a, DIM_LO, dim);
}

/* An element that is inside, of an array at hand. */
static LLVMValueRef element(Graph *g, const FdNode *n)
{
    LLVMBuilderRef b = g->f->m->b;
    LLVMValueRef array = g->slots[n->fn->slot], offset = NULL;
    for (int d = 0; d < n->nargs; d++) {
        LLVMValueRef part = LLVMBuildSub(b, wide(g, n->args[d]), bound(g, n->fn, d, false), "");
        if (d < n->nargs - 1)
            part = LLVMBuildMul(b, part, host_array_dim(g->f, array, DIM_STRIDE, d), "");
        offset = offset ? LLVMBuildAdd(b, offset, part, "") : part;
    }
    const HostElement e = {g->types[n->fn->slot]->result,
                           host_array_field(g->f, array, ARRAY_DATA, g->f->m->ptr), offset, NULL};
    return host_element_load(g->f, &e);
}

/* ---- values --------------------------------------------------------------------------------------- */

static LLVMValueRef applied(Graph *g, const FdNode *n)
{
    LLVMValueRef args[3] = {NULL};
    const FdOp op = fd_op_of(n);
    if (op == FD_OP_NONE) return element(g, n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER)
        return host_convert(g->f, bound(g, n->args[0], (int)n->args[1]->value.i, op == FD_OP_UPPER),
                            SC_LONG, n->type->scalar);
    const ScalarKind k = n->args[0]->type->scalar;
    if (op == FD_OP_SELECT) return chosen(g, n);
    for (int i = 0; i < n->nargs; i++) args[i] = value_of(g, n->args[i]);
    if (op == FD_OP_CONVERT) return host_convert(g->f, args[0], k, n->type->scalar);
    return host_operate(g->f, op, k, args, g->loc);
}

/* One more value of the reduction. What is computed for it is of this place alone. */
static void take(Graph *g, const FdNode *n, LLVMValueRef *acc)
{
    HostFunc *f = g->f;
    const ScalarKind k = n->type->scalar;
    LLVMValueRef *before = arena_array(f->m->arena, LLVMValueRef, g->items.len + 1);
    for (size_t at = 0; at < g->items.len; at++) before[at] = g->items.data[at].value;
    LLVMValueRef pair[] = {*acc, value_of(g, n->body)};
    *acc = host_operate(f, fd_op_of(n), k, pair, g->loc);
    for (size_t at = 0; at < g->items.len; at++) g->items.data[at].value = before[at];
}

static void go_through(Graph *g, const FdNode *n, int var, LLVMValueRef i, int copies, int nparts,
                       LLVMValueRef *parts, LLVMValueRef *past);

/* All turns of variables from `var` on. Of the last one as many at a time as there are parts. */
static void walk(Graph *g, const FdNode *n, int var, int nparts, LLVMValueRef *parts)
{
    LLVMValueRef i = wide(g, n->doms[var].lo);
    if (var == n->nvars - 1 && nparts > 1) go_through(g, n, var, i, nparts, nparts, parts, &i);
    go_through(g, n, var, i, 1, nparts, parts, &i);
}

/* while (end - i >= copies): so many turns of a variable; past: where it ends. */
static void go_through(Graph *g, const FdNode *n, int var, LLVMValueRef i, int copies, int nparts,
                       LLVMValueRef *parts, LLVMValueRef *past)
{
    HostFunc *f = g->f;
    HostModule *m = f->m;
    LLVMValueRef end = wide(g, n->doms[var].hi), phis[COPIES], next[COPIES];
    LLVMBasicBlockRef before = LLVMGetInsertBlock(m->b), test = host_block(f, "reduce"),
                      body = host_block(f, "step"), after = host_block(f, "reduced");
    LLVMBuildBr(m->b, test);
    host_enter(f, test);
    LLVMValueRef at = LLVMBuildPhi(m->b, m->i64, "");
    for (int c = 0; c < nparts; c++)
        next[c] = phis[c] = LLVMBuildPhi(m->b, LLVMTypeOf(parts[c]), "");
    LLVMValueRef left = LLVMBuildSub(m->b, end, at, ""), some = host_long(m, copies);
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntSGE, left, some, ""), body, after);
    host_enter(f, body);
    for (int c = 0; c < copies; c++) {
        LLVMValueRef place = LLVMBuildAdd(m->b, at, host_long(m, c), "");
        g->at[var] = host_convert(f, place, SC_LONG, n->vars[var]->type->scalar);
        if (var == n->nvars - 1)
            take(g, n, &next[c]);
        else
            walk(g, n, var + 1, nparts, next);
    }
    LLVMBasicBlockRef from = LLVMGetInsertBlock(m->b);
    LLVMValueRef last = LLVMBuildAdd(m->b, at, some, "");
    LLVMBuildBr(m->b, test);
    LLVMAddIncoming(at, &i, &before, 1);
    LLVMAddIncoming(at, &last, &from, 1);
    for (int c = 0; c < nparts; c++) {
        LLVMAddIncoming(phis[c], &parts[c], &before, 1);
        LLVMAddIncoming(phis[c], &next[c], &from, 1);
        parts[c] = phis[c];
    }
    *past = at;
    host_enter(f, after);
}

/* Sums of reals are made of parts: each addition would wait for the one before it. */
static LLVMValueRef reduced(Graph *g, const FdNode *n)
{
    const FdOp op = fd_op_of(n);
    const ScalarKind k = n->type->scalar;
    const int nparts = op == FD_OP_ADD && scalar_is_real(k) && !g->in_order ? COPIES : 1;
    LLVMValueRef parts[COPIES];
    ScalarValue neutral;
    fd_op_neutral(op, k, &neutral);
    for (int c = 0; c < nparts; c++) parts[c] = host_const(g->f->m, k, neutral);
    walk(g, n, 0, nparts, parts);
    for (int half = nparts / 2; half; half /= 2)
        for (int c = 0; c < half; c++) {
            LLVMValueRef pair[] = {parts[c], parts[c + half]};
            parts[c] = host_operate(g->f, op, k, pair, g->loc);
        }
    return parts[0];
}

static LLVMValueRef variable(const Graph *g, const FdNode *v)
{
    int i = 0;
    while (g->reduce->vars[i] != v) i++;
    return g->at[i];
}

static LLVMValueRef value_of(Graph *g, const FdNode *n)
{
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_CONST)
        return host_const(g->f->m, n->type->scalar, n->value);
    if (n->kind == FD_SCALAR) return g->slots[n->slot];
    if (n->kind == FD_VAR) return variable(g, n);
    Item *item = item_of(g, n);
    if (!item->value) item->value = n->kind == FD_REDUCE ? reduced(g, n) : applied(g, n);
    return item->value;
}

static int by_id(const void *a, const void *b)
{
    const Item *x = a, *y = b;
    return x->node->id < y->node->id ? -1 : x->node->id > y->node->id;
}

static void find_items(Graph *g, const FdNode *root)
{
    FdWalk w = fd_walk(root);
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        if (n->kind != FD_APPLY && n->kind != FD_REDUCE) continue;
        vec_push(&g->items, ((Item){.node = n}));
        for (int i = 0; i < n->nargs; i++) fd_walk_add(&w, n->args[i]);
        if (n->kind == FD_APPLY) continue;
        for (int i = 0; i < n->nvars; i++) {
            fd_walk_add(&w, n->doms[i].lo);
            fd_walk_add(&w, n->doms[i].hi);
        }
        fd_walk_add(&w, n->body);
    }
    fd_walk_end(&w);
    qsort(g->items.data, g->items.len, sizeof *g->items.data, by_id);
    for (size_t i = 0; i < g->items.len; i++)
        for (int k = 0; k < g->items.data[i].node->nargs; k++) {
            Item *item = item_of(g, g->items.data[i].node->args[k]);
            if (item) item->uses++;
        }
}

/* The scalars of a record that is made of them. */
static LLVMValueRef *leaves_of(Graph *g, const FdNode *n, LLVMValueRef *out)
{
    if (!n->type->record) {
        *out = value_of(g, n);
        return out + 1;
    }
    for (int i = 0; i < n->nargs; i++) out = leaves_of(g, n->args[i], out);
    return out;
}

LLVMValueRef host_arithmetic(HostFunc *f, const FdNode *root, const LLVMValueRef *slots,
                             const Type *type, Loc loc)
{
    Graph g = {.f = f, .loc = loc, .slots = slots};
    LLVMValueRef *leaves = arena_array(f->m->arena, LLVMValueRef, host_leaves(type) + 1);
    find_items(&g, root);
    leaves_of(&g, root, leaves);
    vec_free(&g.items);
    return host_gather(f, type, leaves);
}

/* ---- short reductions ------------------------------------------------------------------------------ */

static LLVMValueRef either(Graph *g, LLVMValueRef x, LLVMValueRef y)
{
    return x ? LLVMBuildOr(g->f->m->b, x, y, "") : y;
}

/* The ends of the ranges of the reduction's variables. */
typedef struct Ends {
    LLVMValueRef first[FD_SINGLE_VARS], last[FD_SINGLE_VARS];
} Ends;

/* The least or the greatest value of an index, as if integers had no ends. */
static LLVMValueRef index_at(Graph *g, const FdNode *index, const Ends *ends, bool greatest)
{
    HostModule *m = g->f->m;
    FdAffine form;
    fd_affine(index, &form);
    LLVMValueRef sum = host_long(m, form.constant);
    for (int i = 0; i < form.nterms; i++) {
        const FdNode *atom = form.terms[i].atom;
        const int64_t factor = form.terms[i].factor;
        LLVMValueRef x = NULL;
        for (int v = 0; v < g->reduce->nvars; v++)
            if (g->reduce->vars[v] == atom)
                x = greatest == (factor > 0) ? ends->last[v] : ends->first[v];
        x = LLVMBuildMul(m->b, x ? x : wide(g, atom), host_long(m, factor), "");
        sum = LLVMBuildAdd(m->b, sum, x, "");
    }
    return sum;
}

/* Is an element outside anywhere? */
static LLVMValueRef outside(Graph *g, const FdNode *read, const Ends *ends)
{
    HostModule *m = g->f->m;
    LLVMValueRef array = g->slots[read->fn->slot], any = NULL;
    for (int d = 0; d < read->nargs; d++)
        for (int greatest = 0; greatest <= !fd_closed(read->args[d]); greatest++) {
            LLVMValueRef at = index_at(g, read->args[d], ends, greatest),
                         n = host_array_dim(g->f, array, DIM_N, d);
            at = LLVMBuildSub(m->b, at, bound(g, read->fn, d, false), "");
            any = either(g, any, LLVMBuildICmp(m->b, LLVMIntUGE, at, n, ""));
        }
    return any;
}

/* Ranges that have to agree do not. */
static LLVMValueRef differ(Graph *g, const FdAgree *a)
{
    LLVMValueRef any = NULL;
    for (int upper = 0; upper < 2; upper++) {
        LLVMValueRef x = bound(g, a->a, a->a_dim, upper), y = bound(g, a->b, a->b_dim, upper);
        any = either(g, any, LLVMBuildICmp(g->f->m->b, LLVMIntNE, x, y, ""));
    }
    return any;
}

/* Leaves for `evaluate` where the array's elements are not to be had at once. */
static void look_near(Graph *g, LLVMValueRef array, LLVMBasicBlockRef evaluate)
{
    HostFunc *f = g->f;
    LLVMBasicBlockRef ask = host_block(f, "ask"), near = host_block(f, "near");
    host_branch_cold(f, host_array_not_at_hand(f, array, false), ask, near);
    host_enter(f, ask);
    LLVMValueRef is = host_call_runtime(f, ABI_cs_array_near, &array, 1, g->loc);
    LLVMBuildCondBr(f->m->b, LLVMBuildICmp(f->m->b, LLVMIntNE, is, host_int(f->m, 0), ""), near,
                    evaluate);
    host_enter(f, near);
}

/* Is it one that an evaluation has to make: of no elements, of more than cs_short, or outside somewhere? */
static LLVMValueRef is_no_loop(Graph *g, const FdGraph *of)
{
    HostModule *m = g->f->m;
    LLVMValueRef most = LLVMBuildLoad2(m->b, m->i64, m->most_short, ""), any = NULL;
    LLVMValueRef one = host_long(m, 1), all = one;
    Ends ends;
    for (int v = 0; v < g->reduce->nvars; v++) {
        const FdDom *d = &g->reduce->doms[v];
        LLVMValueRef lo = wide(g, d->lo), hi = wide(g, d->hi);
        ends.first[v] = lo;
        ends.last[v] = LLVMBuildSub(m->b, hi, one, "");
        LLVMValueRef n = LLVMBuildSub(m->b, hi, lo, ""); /* unsigned, where there are some */
        any = either(g, any, LLVMBuildICmp(m->b, LLVMIntSLE, hi, lo, ""));
        any = either(g, any, LLVMBuildICmp(m->b, LLVMIntUGT, n, most, ""));
        all = LLVMBuildMul(m->b, all, n, "");
    }
    any = either(g, any, LLVMBuildICmp(m->b, LLVMIntUGT, all, most, ""));
    for (int i = 0; i < of->nagrees; i++) any = either(g, any, differ(g, &of->agrees[i]));
    for (size_t i = 0; i < g->items.len; i++) {
        const FdNode *read = g->items.data[i].node;
        if (read->kind == FD_APPLY && fd_op_of(read) == FD_OP_NONE)
            any = either(g, any, outside(g, read, &ends));
    }
    return any;
}

LLVMValueRef host_reduction(HostFunc *f, const SemaGraph *graph, const LLVMValueRef *slots,
                            const Type *const *types, LLVMBasicBlockRef evaluate, const Type *type,
                            Loc loc)
{
    Graph g = {.f = f, .loc = loc, .slots = slots, .types = types};
    g.reduce = graph->reduction;
    g.in_order = fd_hints_reals(graph->graph->hints) == FD_REALS_PRECISE;
    const FdNode *root = fd_root(graph->graph);
    LLVMBasicBlockRef loop = host_block(f, "short");
    find_items(&g, root);
    for (int i = 0; i < graph->graph->nslots; i++)
        if (graph->graph->slots[i].type->result) look_near(&g, slots[i], evaluate);
    LLVMBuildCondBr(f->m->b, is_no_loop(&g, graph->graph), evaluate, loop);
    host_enter(f, loop);
    LLVMValueRef value = value_of(&g, root);
    vec_free(&g.items);
    return host_gather(f, type, &value);
}
