/* Squares, as many vectors as they have lanes, that are turned: element l of vector r and element r of
 * vector l change places. And the first elements of a vector, which such vectors are stored as.
 *
 * Registers are parts of 128 bits, and what moves lanes inside parts takes a third of the time of what
 * moves them across, in LLVM too. So a square is turned by bits: with p lanes a part, the low bits of r
 * and l, log2 p of them, change places by rounds that interleave the halves of parts, after which the
 * squares of p x p are turned; then the others by rounds of whole parts, the even and the odd ones. Each
 * round is a permutation that is one instruction. */
#include <string.h>

#include "impl.h"

enum { PART_BYTES = 16 };

/* Lanes of the first or last halves of each part of x and y in turn. */
static void halves_of_parts(int *lanes, unsigned n, unsigned part, bool last)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned in = i % part;
        lanes[i] = (int)(i - in + (last ? part / 2 : 0) + in / 2 + in % 2 * n);
    }
}

/* The even or odd parts of x, then those of y. */
static void every_other_part(int *lanes, unsigned n, unsigned part, bool odd)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned at = i / part * 2 + odd; /* of the parts of both */
        lanes[i] = (int)(at * part + i % part);
    }
}

/* One round: vectors whose numbers differ in a bit are taken together; `first` and `second` of both
 * take their places. */
static void take_round(Fn *f, LLVMValueRef *x, unsigned n, unsigned bit, const int *first,
                       const int *second)
{
    for (unsigned r = 0; r < n; r++) {
        if (r & bit) continue;
        LLVMValueRef a = x[r], b = x[r + bit];
        x[r] = fn_shuffle(f, a, b, n, first);
        x[r + bit] = fn_shuffle(f, a, b, n, second);
    }
}

LLVMValueRef fn_square(Fn *f, const KirExpr *e)
{
    Var *v = fn_find(f, e->args[0]->name);
    if (!v || v->kind != VAR_ARRAY) native_bug("no square is", e->args[0]->name);
    LLVMTypeRef t = native_type(f->n, v->type);
    unsigned n = native_lanes(f->n, v->type.lanes), bytes = native_bytes(f->n, v->type.kind);
    unsigned part = PART_BYTES / bytes < n ? PART_BYTES / bytes : n;
    LLVMValueRef x[MAX_LANES], place[MAX_LANES];
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef index = llvm_int(f->n->i64, i);
        place[i] = LLVMBuildGEP2(f->b, t, v->at, &index, 1, "");
        x[i] = LLVMBuildLoad2(f->b, t, place[i], "");
    }
    int first[MAX_LANES], second[MAX_LANES];
    halves_of_parts(first, n, part, false);
    halves_of_parts(second, n, part, true);
    /* The bit of r goes to the bottom of the lane's and the top one comes out: from the top down. */
    for (unsigned bit = part / 2; bit; bit /= 2) take_round(f, x, n, bit, first, second);
    every_other_part(first, n, part, false);
    every_other_part(second, n, part, true);
    /* The bit of r goes to the top and the bottom one of the part's comes out. */
    for (unsigned bit = part; bit < n; bit *= 2) take_round(f, x, n, bit, first, second);
    for (unsigned i = 0; i < n; i++) LLVMBuildStore(f->b, x[i], place[i]);
    return llvm_int(f->n->i32, 0);
}

/* The first elements of a vector into memory, in as few pieces as there are powers of two. */
LLVMValueRef fn_put(Fn *f, const KirExpr *e)
{
    Native *n = f->n;
    Var *v = fn_find(f, e->args[0]->name);
    LLVMValueRef count = fn_value_as(f, e->args[3], kir_type(KIR_IDX, 1));
    if (!v || (v->kind != VAR_POINTER && v->kind != VAR_ARRAY) || !LLVMIsAConstantInt(count))
        native_bug("cannot put", e->args[0]->name);
    LLVMTypeRef t = native_scalar_type(n, v->type.kind);
    LLVMValueRef at = fn_value_as(f, e->args[1], kir_type(KIR_IDX, 1)), x = fn_value(f, e->args[2]);
    unsigned left = (unsigned)LLVMConstIntGetZExtValue(count), from = 0;
    for (unsigned size = LLVMGetVectorSize(LLVMTypeOf(x)); size; size /= 2) {
        if (left < size) continue;
        int lanes[MAX_LANES];
        for (unsigned i = 0; i < size; i++) lanes[i] = (int)(from + i);
        LLVMValueRef place = LLVMBuildNSWAdd(f->b, at, llvm_int(n->i64, from), "");
        place = LLVMBuildGEP2(f->b, t, v->at, &place, 1, "");
        LLVMValueRef store = LLVMBuildStore(f->b, fn_shuffle(f, x, NULL, size, lanes), place);
        LLVMSetAlignment(store, native_bytes(n, v->type.kind));
        fn_writes(f, store, v);
        from += size, left -= size;
    }
    return llvm_int(n->i32, 0);
}
