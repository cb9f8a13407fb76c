/* Asking for what reads will need soon (nest/ahead.c): where the body is long few turns are under way
 * at a time, so that each waits for memory, unless the processor foresees it. */
#include "../../../../fdag/index/affine.h"
#include "access.h"

enum { MOST = 6 };

typedef struct Reads {
    int n;
    const FdNode *reads[MOST];
} Reads;

/* Reads of scalars that move by one, inside, of an array that is read in one place only. */
static void collect(const Gen *g, const FdNode *body, Reads *out)
{
    VEC(const FdNode *) arrays = {0};
    FdWalk w = fd_walk(body);
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
        if (op == FD_OP_LOWER || op == FD_OP_UPPER || n->nvars) continue;
        fd_walk_below(&w, n);
        if (!is_read(n)) continue;
        vec_push(&arrays, n->fn);
        bool asks = g->checks != GEN_PROVED && gen_is_suspect(g, n);
        if (out->n == MOST || n->fn->kind != FD_FUNC || n->type->record || asks ||
            fd_movement(n, g->lane_var) != FD_MOVES_UNIT)
            continue;
        out->reads[out->n++] = n;
    }
    int kept = 0;
    for (int i = 0; i < out->n; i++) {
        int places = 0;
        for (size_t k = 0; k < arrays.len; k++) places += arrays.data[k] == out->reads[i]->fn;
        if (places == 1) out->reads[kept++] = out->reads[i];
    }
    out->n = kept;
    fd_walk_end(&w);
    vec_free(&arrays);
}

/* How far one position of v is in memory; NULL: it has no place of its own there, or is kept by rows. */
static const KirExpr *stride_of(Gen *g, const FdNode *read, const FdNode *v)
{
    const KirExpr *stride = NULL;
    if (access_is_ring(g, read->fn)) return NULL;
    for (int d = 0; d < read->nargs; d++) {
        FdAffine index;
        int64_t c;
        if (!fd_uses_var(read->args[d], v)) continue;
        if (stride || !fd_affine(read->args[d], &index) || !fd_affine_factor(&index, v, &c) ||
            c != 1)
            return NULL;
        stride = access_stride(g, read->fn, d);
    }
    return stride;
}

void gen_ahead(Gen *g, const FdNode *body, const FdNode *v, const KirExpr *by)
{
    Arena *a = g->u->arena;
    Reads r = {0};
    if (!g->lane_var) return;
    collect(g, body, &r);
    for (int i = 0; i < r.n; i++) {
        const FdNode *read = r.reads[i];
        const KirExpr *stride = v ? stride_of(g, read, v) : kir_int(a, 1);
        if (!stride) continue;
        KirType t = kir_type((int)result_kind(read), 1);
        Where w = offset_of_read(g, read);
        if (w.each || w.whole || w.step) continue;
        const KirExpr *args[] = {
            kir_name(a, t, access_buffer(g, read->fn)),
            kir_arith(a, FD_OP_ADD, w.offset, kir_arith(a, FD_OP_MUL, by, stride))};
        kir_eval(a, g->block, kir_intrinsic(a, t, v ? INTR_AHEAD_FAR : INTR_AHEAD, args));
    }
}
