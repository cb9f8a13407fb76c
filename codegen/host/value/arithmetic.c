/* Graphs of scalars (fd_is_arithmetic), mostly derivatives of statements, as code of the host: an evaluation for each
 * would take a hundred times what it computes. Of c ? a : b what only a or b needs is computed where it is chosen. */
#include <stdlib.h>

#include "value.h"

enum { FEW = 8 }; /* operations that cost no more than a branch */

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
    VEC(Item) items; /* in the order of their ids */
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
    for (size_t i = 0; i < count; i++)
        if (fd_op_info(fd_op_of(items[i]->node))->props & FD_EXPENSIVE) return true;
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

static LLVMValueRef applied(Graph *g, const FdNode *n)
{
    LLVMValueRef args[3] = {NULL};
    const FdOp op = fd_op_of(n);
    const ScalarKind k = n->args[0]->type->scalar;
    if (op == FD_OP_SELECT) return chosen(g, n);
    for (int i = 0; i < n->nargs; i++) args[i] = value_of(g, n->args[i]);
    if (op == FD_OP_CONVERT) return host_convert(g->f, args[0], k, n->type->scalar);
    return host_operate(g->f, op, k, args, g->loc);
}

static LLVMValueRef value_of(Graph *g, const FdNode *n)
{
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_CONST)
        return host_const(g->f->m, n->type->scalar, n->value);
    if (n->kind == FD_SCALAR) return g->slots[n->slot];
    Item *item = item_of(g, n);
    if (!item->value) item->value = applied(g, n);
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
        if (n->kind != FD_APPLY) continue;
        vec_push(&g->items, ((Item){.node = n}));
        for (int i = 0; i < n->nargs; i++) fd_walk_add(&w, n->args[i]);
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
