/* What an element computes of one byte alone, and is expensive, is worked out once for each byte.
 *   before: let(i, j) (byte) (255 * pow(img(i, j) / 255f, g))
 *   after:  let(i, j) t(img(i, j))               with slot t = let(k : 0..256) (byte) (255 * pow((byte) k / 255f, g))
 * Of maps only, whose reads are all at their variables: other forms want operands that lie side by side. The plan chooses,
 * since few elements are as soon computed (FdSlot.optional). Requires: compose, simplify; before hoist. Keeps: values and
 * errors; what can fail is left where it is. */
#include <string.h>

#include "../internal.h"

enum { BYTES = 256, WORTH = 20 /* operations that a read of a table is better than */, MOST = 4 };

typedef struct Tabulate {
    Fd *fd;
    FdGraph *graph;
    const FdNode *k; /* the variable of all tables: equal ones are one node; NULL: there are none */
} Tabulate;

static bool is_byte_read(const FdNode *n)
{
    return fdi_applies(n, FD_LEAF_SLOT) && fd_type_is_scalar(n->type) &&
           n->type->scalar == SC_BYTE && fdi_node(n)->nfree;
}

/* Is it anything else than a map: does it reduce, or read elsewhere than at variables and constants? */
static bool is_other(const void *ctx, const FdNode *n)
{
    (void)ctx;
    if (n->kind == FD_REDUCE || n->type->record || fd_does(n) & FD_CALLS) return true;
    for (int i = 0; fdi_applies(n, FD_LEAF_SLOT) && i < n->nargs; i++)
        if (n->args[i]->kind != FD_VAR && !fd_is_const(n->args[i])) return true;
    return false;
}

/* Of each node the byte that it is made of, itself NULL: of constants and scalars only; else `many`. */
static const FdNode many;

static const FdNode *made_of(const FdNode *n, const FdiMap *of)
{
    if (is_byte_read(n)) return n;
    if (n->kind == FD_SCALAR) return NULL;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || op == FD_OP_RANDOM || fd_does(n) & FD_MAY_FAIL) return &many;
    const FdNode *byte = NULL;
    for (int i = 0; i < n->nargs; i++) {
        uint64_t at;
        const FdNode *one = fdi_map_get(of, n->args[i], &at) ? (const FdNode *)(uintptr_t)at : NULL;
        if (byte && one && one != byte) return &many;
        byte = byte ? byte : one;
    }
    return byte;
}

static bool is_node(const void *node, const FdNode *n)
{
    return n == node;
}

static bool is_worth(const FdNode *n, const FdNode *byte)
{
    const FdiMap none = {0};
    if (!byte || byte == &many || n == byte || n->kind != FD_APPLY || n->type->nparams)
        return false;
    ScalarKind k = n->type->scalar;
    return k != SC_HALF && fdi_cost(n, &none, NULL) - fdi_cost(byte, &none, NULL) >= WORTH;
}

/* The read of a table of what n is for each byte. */
static const FdNode *table(Tabulate *t, const FdNode *n, const FdNode *byte)
{
    Fd *fd = t->fd;
    if (!t->k) t->k = fd_var(fd, fd_type_scalar(fd, SC_INT), "k");
    const FdNode *k = t->k;
    const FdNode *in = fd_simple_op(fd, FD_OP_CONVERT, SC_BYTE, 1, &k);
    FdDom dom = {FD_DOM_GIVEN, fd_const(fd, SC_LONG, (ScalarValue){.i = 0}),
                 fd_const(fd, SC_LONG, (ScalarValue){.i = BYTES})};
    const FdNode *def = fd_let(fd, 1, &k, &dom, fdi_put(fd, n, byte, in), n->loc);
    FdGraph *g = t->graph;
    int at = 0;
    while (at < g->nslots && g->slots[at].def != def) at++;
    if (at == g->nslots) {
        FdSlot slot = {.type = def->type,
                       .is_array = true,
                       .def = def,
                       .name = arena_printf(fd->arena, "t%d", at),
                       .why = "once for each byte",
                       .optional = true};
        fdi_add_slot(fd, g, slot);
    }
    const FdNode *node = fd_slot(fd, at, def->type, g->slots[at].name),
                 *index = fd_apply_op(fd, FD_OP_CONVERT, SC_INT, 1, &byte, byte->loc);
    return fd_apply(fd, node, 1, &index, n->loc);
}

static const FdNode *tabulate(void *ctx, Fd *fd, const FdNode *def)
{
    Tabulate *t = ctx;
    if (def->kind != FD_LET || def->self || fd_any(def->body, is_other, NULL)) return def;
    FdiMap at = {0}, of = {0};
    FdiNodes list = {0};
    fdi_postorder(def->body, &at, &list);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *byte = made_of(list.data[i], &of);
        if (byte) fdi_map_set(&of, list.data[i], (uint64_t)(uintptr_t)byte);
    }
    const FdNode *now = def;
    int count = 0;
    for (size_t i = list.len; i-- > 0 && count < MOST;) { /* the largest first */
        const FdNode *n = list.data[i];
        const FdNode *byte = fdi_map_node(&of, n);
        if (!is_worth(n, byte) || !fd_any(now, is_node, n)) continue; /* or part of another */
        now = fdi_put(fd, now, n, table(t, n, byte));
        count++;
    }
    fdi_map_free(&at);
    fdi_map_free(&of);
    vec_free(&list);
    return now;
}

bool fd_pass_tabulate(Fd *fd, FdGraph *g, FdError *error)
{
    Tabulate t = {fd, g, NULL};
    (void)error;
    for (int k = 0; k < g->nresults; k++)
        if (g->results[k].part) return true;
    if (g->nresults > 1 || g->turns || fd_hints_have(g->hints, FD_HINT_STEPS)) return true;
    fdi_replace_definitions(fd, g, tabulate, &t);
    return true;
}
