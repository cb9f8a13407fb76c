/* Elements: arrays of values inside a kernel, and buffers, whose elements are in storage form: bools
 * are bytes, halves are halves. Vectors are aligned as their elements are. */
#include "impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

static Var *find(Fn *f, const char *name)
{
    Var *v = fn_find(f, name);
    if (!v || (v->kind != VAR_POINTER && v->kind != VAR_ARRAY)) native_bug("no memory is", name);
    return v;
}

/* Arrays hold what they are declared as; bools in storage form are declared as bytes. */
static bool holds_values(const Var *v, KirType t)
{
    return t.kind == KIR_RECORD || (v->kind == VAR_ARRAY && v->type.kind == t.kind);
}

/* Of an element of that type there. */
static LLVMTypeRef stored(Fn *f, const Var *v, KirType t)
{
    if (t.kind == KIR_RECORD) return native_type(f->n, t);
    return holds_values(v, t) ? native_scalar_type(f->n, t.kind)
                              : native_storage_type(f->n, t.kind);
}

static unsigned alignment(LLVMTypeRef t)
{
    switch (LLVMGetTypeKind(t)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(t) / 8;
    case LLVMHalfTypeKind: return 2;
    case LLVMFloatTypeKind: return 4;
    case LLVMDoubleTypeKind: return 8;
    default: return 0; /* a record's own */
    }
}

static LLVMValueRef place_of(Fn *f, const Var *v, const KirExpr *offset, KirType t)
{
    LLVMValueRef at = fn_value_as(f, offset, idx);
    return LLVMBuildGEP2(f->b, stored(f, v, t), v->at, &at, 1, "");
}

LLVMValueRef fn_element(Fn *f, const KirExpr *e, KirType *t)
{
    Var *v = find(f, e->name);
    LLVMTypeRef elem = native_type(f->n, v->type);
    *t = v->type;
    LLVMValueRef at = llvm_int(f->n->i64, 0);
    for (int i = 0; i < e->nargs; i++) {
        LLVMValueRef index = fn_value_as(f, e->args[i], idx);
        int64_t size = i < v->ndims ? v->dims[i] : 1;
        at = i ? LLVMBuildNSWMul(f->b, at, llvm_int(f->n->i64, size), "") : at;
        at = i ? LLVMBuildNSWAdd(f->b, at, index, "") : index;
    }
    return LLVMBuildGEP2(f->b, elem, v->at, &at, 1, "");
}

static LLVMValueRef is_set(Fn *f, LLVMValueRef v)
{
    return LLVMBuildICmp(f->b, LLVMIntNE, v, LLVMConstNull(LLVMTypeOf(v)), "");
}

/* From storage form to a value. */
static LLVMValueRef arrived(Fn *f, LLVMValueRef v, const Var *from, KirType t)
{
    if (holds_values(from, t)) return v;
    if (t.kind == SC_HALF) return LLVMBuildFPExt(f->b, v, native_type(f->n, t), "");
    if (t.kind == SC_BOOL) return fn_mask_of_bits(f, is_set(f, v));
    return v;
}

/* The scope of what reads memory; a variable without one: of anybody. */
static void reads(Fn *f, LLVMValueRef inst, const Var *v)
{
    LLVMMetadataRef scope = v->scope;
    if (!scope) return;
    LLVMMetadataRef list = LLVMMDNodeInContext2(f->n->ctx, &scope, 1);
    LLVMSetMetadata(inst, f->n->alias_scope, LLVMMetadataAsValue(f->n->ctx, list));
}

void fn_writes(Fn *f, LLVMValueRef inst, const Var *v)
{
    VEC(LLVMMetadataRef) others = {0};
    vec_push(&others, f->n->fixed);
    for (size_t i = 0; v && i < f->alone.len; i++)
        if (f->alone.data[i] != v->scope) vec_push(&others, f->alone.data[i]);
    LLVMMetadataRef list = LLVMMDNodeInContext2(f->n->ctx, others.data, others.len);
    LLVMSetMetadata(inst, f->n->noalias, LLVMMetadataAsValue(f->n->ctx, list));
    vec_free(&others);
}

LLVMValueRef fn_load(Fn *f, const KirExpr *e)
{
    Var *v = find(f, e->name);
    LLVMTypeRef one = stored(f, v, e->type);
    LLVMValueRef place = place_of(f, v, e->args[0], e->type);
    unsigned lanes = e->type.kind == KIR_RECORD ? 1 : native_lanes(f->n, e->type.lanes);
    LLVMValueRef x = LLVMBuildLoad2(f->b, native_vector(one, lanes), place, "");
    if (alignment(one)) LLVMSetAlignment(x, alignment(one));
    reads(f, x, v);
    return arrived(f, x, v, e->type);
}

/* Is there an instruction for it that is worth it, of 4 or 8 bytes? AMD's takes what so many loads take, and more from L1:
 * it is for few lanes some of which are left alone. */
static bool gathers(const Fn *f, const Var *v, const KirExpr *e, unsigned bytes)
{
    const CgDevice *d = &f->n->device;
    unsigned lanes = native_lanes(f->n, e->type.lanes);
    bool some = e->nargs > 2 && d->vector_bytes >= 64 && lanes <= 8;
    if ((!d->gathers && !some) || !bytes || (bytes == 2 && v->plane)) return false;
    return lanes * (bytes < 4 ? 4 : bytes) >= 32;
}

/* mask: lanes that are read, of the others are 0; NULL: all are. */
static LLVMValueRef gather_words(Fn *f, const Var *v, LLVMTypeRef one, LLVMValueRef places,
                                 LLVMValueRef mask)
{
    LLVMTypeRef of[] = {LLVMVectorType(one, LLVMGetVectorSize(LLVMTypeOf(places))),
                        LLVMTypeOf(places)};
    LLVMTypeRef bits = LLVMVectorType(f->n->i1, LLVMGetVectorSize(of[0]));
    LLVMValueRef args[] = {places, llvm_int(f->n->i32, alignment(one)),
                           mask ? fn_bits_of_mask(f, mask) : LLVMConstAllOnes(bits),
                           mask ? LLVMConstNull(of[0]) : LLVMGetUndef(of[0])};
    LlvmAt at = fn_llvm(f);
    LLVMValueRef x = llvm_intrinsic(&at, "llvm.masked.gather", 2, of, 4, args);
    reads(f, x, v);
    return x;
}

/* Bytes and shorts out of the aligned words that they are in, which lie on no other page. */
static LLVMValueRef gather_parts(Fn *f, const Var *v, LLVMTypeRef one, LLVMValueRef base,
                                 LLVMValueRef each, LLVMValueRef mask)
{
    Native *n = f->n;
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(each)), size = alignment(one), word = 4 / size;
    LLVMTypeRef ints = LLVMTypeOf(each), bits = LLVMIntTypeInContext(n->ctx, size * 8);
    LLVMValueRef from = LLVMBuildPtrToInt(f->b, base, n->i64, ""), three = llvm_int(n->i64, 3);
    LLVMValueRef rest = LLVMBuildTrunc(f->b, LLVMBuildAnd(f->b, from, three, ""), n->i32, "");
    LLVMValueRef words = LLVMBuildAnd(f->b, from, llvm_int(n->i64, ~3), "");
    words = LLVMBuildIntToPtr(f->b, words, n->ptr, "");
    LLVMValueRef by = LLVMBuildAnd(f->b, each, llvm_int(ints, word - 1), "");
    by = LLVMBuildMul(f->b, by, llvm_int(ints, size), "");
    by = LLVMBuildAdd(f->b, by, fn_splat(f, rest, lanes), "");
    LLVMValueRef at = LLVMBuildAShr(f->b, each, llvm_int(ints, word / 2), "");
    at = LLVMBuildAdd(f->b, at, LLVMBuildLShr(f->b, by, llvm_int(ints, 2), ""), "");
    at = LLVMBuildGEP2(f->b, n->i32, words, &at, 1, "");
    LLVMValueRef x = gather_words(f, v, n->i32, at, mask);
    by = LLVMBuildShl(f->b, LLVMBuildAnd(f->b, by, llvm_int(ints, 3), ""), llvm_int(ints, 3), "");
    x = LLVMBuildLShr(f->b, x, by, "");
    x = LLVMBuildTrunc(f->b, x, LLVMVectorType(bits, lanes), "");
    return LLVMBuildBitCast(f->b, x, LLVMVectorType(one, lanes), "");
}

/* A lane of ints as an offset. Of whole vectors two ints leave as one word, which takes as many operations as one. */
static LLVMValueRef lane_offset(Fn *f, LLVMValueRef each, LLVMValueRef words, unsigned i)
{
    Native *n = f->n;
    if (!words)
        return LLVMBuildSExt(f->b, LLVMBuildExtractElement(f->b, each, llvm_int(n->i32, i), ""),
                             n->i64, "");
    LLVMValueRef word = LLVMBuildExtractElement(f->b, words, llvm_int(n->i32, i / 2), "");
    if (i % 2) return LLVMBuildAShr(f->b, word, llvm_int(n->i64, 32), "");
    return LLVMBuildSExt(f->b, LLVMBuildTrunc(f->b, word, n->i32, ""), n->i64, "");
}

LLVMValueRef fn_gather(Fn *f, const KirExpr *e)
{
    Var *v = find(f, e->name);
    LLVMTypeRef one = stored(f, v, e->type);
    LLVMValueRef base = place_of(f, v, e->args[0], e->type), each = fn_value(f, e->args[1]);
    unsigned lanes = native_lanes(f->n, e->type.lanes);
    LLVMValueRef x = LLVMGetUndef(LLVMVectorType(one, lanes));
    if (gathers(f, v, e, alignment(one))) {
        LLVMValueRef mask = e->nargs > 2 ? fn_value(f, e->args[2]) : NULL;
        x = alignment(one) < 4
                ? gather_parts(f, v, one, base, each, mask)
                : gather_words(f, v, one, LLVMBuildGEP2(f->b, one, base, &each, 1, ""), mask);
        return arrived(f, x, v, e->type);
    }
    LLVMValueRef words = NULL;
    if (f->n->device.vector_bytes >= 64 && !f->n->device.gathers && lanes >= 8) {
        LLVMTypeRef pairs = LLVMVectorType(f->n->i64, lanes / 2);
        words = LLVMBuildBitCast(f->b, each, pairs, "");
    }
    for (unsigned i = 0; i < lanes; i++) {
        LLVMValueRef lane = llvm_int(f->n->i32, i), at = lane_offset(f, each, words, i);
        LLVMValueRef place = LLVMBuildGEP2(f->b, one, base, &at, 1, "");
        LLVMValueRef element = LLVMBuildLoad2(f->b, one, place, "");
        reads(f, element, v);
        x = LLVMBuildInsertElement(f->b, x, element, lane, "");
    }
    return arrived(f, x, v, e->type);
}

/* Vectors of all that lies between the first and the last element, and their lanes: cs_step2_.. of
 * OpenCL's prelude. */
LLVMValueRef fn_steps(Fn *f, const KirExpr *e)
{
    enum { MOST = 64 };
    Var *v = find(f, e->name);
    LLVMTypeRef one = stored(f, v, e->type);
    LLVMValueRef base = place_of(f, v, e->args[0], e->type);
    int lanes = (int)native_lanes(f->n, e->type.lanes), step = (int)e->value.i;
    int last = step > 0 ? step * (lanes - 1) : 0, loads = step > 0 ? step : 1;
    LLVMTypeRef vector = LLVMVectorType(one, (unsigned)lanes);
    LLVMValueRef x = LLVMGetUndef(vector), mask[MOST];
    for (int k = 0, done = 0; k < loads; k++) {
        int least = last + 1 - lanes; /* with two lanes several vectors would go beyond */
        int from = step < 0 ? 1 - lanes : k * lanes < least ? k * lanes : least;
        LLVMValueRef at = llvm_int(f->n->i64, (uint64_t)(int64_t)from);
        LLVMValueRef part =
            LLVMBuildLoad2(f->b, vector, LLVMBuildGEP2(f->b, one, base, &at, 1, ""), "");
        LLVMSetAlignment(part, alignment(one));
        reads(f, part, v);
        int end = done;
        for (int i = 0; i < lanes; i++) {
            int inside = i * step - from; /* its lane here */
            bool here = i >= done && inside < lanes;
            mask[i] = llvm_int(f->n->i32, (uint64_t)(here ? lanes + inside : i));
            if (here) end = i + 1;
        }
        done = end;
        x = LLVMBuildShuffleVector(f->b, x, part, LLVMConstVector(mask, (unsigned)lanes), "");
    }
    return arrived(f, x, v, e->type);
}

/* From a value to storage form. */
static LLVMValueRef leaving(Fn *f, LLVMValueRef x, const Var *to, KirType t, unsigned lanes)
{
    if (holds_values(to, t)) return x;
    LLVMTypeRef type = native_vector(native_storage_type(f->n, t.kind), lanes);
    if (t.kind == SC_HALF) return LLVMBuildFPTrunc(f->b, x, type, "");
    if (t.kind != SC_BOOL) return x;
    x = LLVMBuildTrunc(f->b, x, type, "");
    return lanes == 1 ? x : LLVMBuildAnd(f->b, x, llvm_int(type, 1), "");
}

/* Past the caches, where the run asks for it and the vector is aligned. */
static void stream(Fn *f, const Var *v, LLVMValueRef x, LLVMValueRef place, unsigned align)
{
    Native *n = f->n;
    LLVMTypeRef t = LLVMTypeOf(x);
    unsigned bytes = LLVMGetVectorSize(t) * align;
    LLVMValueRef low = LLVMBuildAnd(f->b, LLVMBuildPtrToInt(f->b, place, n->i64, ""),
                                    llvm_int(n->i64, bytes - 1), "");
    LLVMValueRef aligned = LLVMBuildICmp(f->b, LLVMIntEQ, low, llvm_int(n->i64, 0), "");
    LLVMBasicBlockRef past = fn_block(f), plain = fn_block(f), after = fn_block(f);
    LLVMBuildCondBr(f->b, LLVMBuildAnd(f->b, f->stream, aligned, ""), past, plain);
    fn_at(f, past);
    LLVMValueRef store = LLVMBuildStore(f->b, x, place);
    LLVMSetAlignment(store, bytes);
    fn_writes(f, store, v);
    LLVMMetadataRef one = LLVMValueAsMetadata(llvm_int(n->i32, 1));
    LLVMSetMetadata(store, n->nontemporal,
                    LLVMMetadataAsValue(n->ctx, LLVMMDNodeInContext2(n->ctx, &one, 1)));
    fn_go(f, after);
    fn_at(f, plain);
    store = LLVMBuildStore(f->b, x, place);
    LLVMSetAlignment(store, align);
    fn_writes(f, store, v);
    fn_go(f, after);
    fn_at(f, after);
}

void fn_store(Fn *f, const KirStmt *s)
{
    Var *v = find(f, s->name);
    /* a scalar is stored as what the elements are */
    KirType t = s->expr->type;
    if (t.lanes == 1 && t.kind != KIR_RECORD && t.kind != SC_HALF) t.kind = v->type.kind;
    unsigned lanes = t.kind == KIR_RECORD ? 1 : native_lanes(f->n, t.lanes);
    LLVMTypeRef one = stored(f, v, t);
    LLVMValueRef place = place_of(f, v, s->target, t);
    LLVMValueRef x = leaving(f, fn_value_as(f, s->expr, t), v, t, lanes);
    if (s->stream && f->stream && lanes > 1 && t.kind != SC_HALF) {
        stream(f, v, x, place, alignment(one));
        return;
    }
    LLVMValueRef store = LLVMBuildStore(f->b, x, place);
    if (alignment(one)) LLVMSetAlignment(store, alignment(one));
    if (v->kind == VAR_POINTER) fn_writes(f, store, v);
}
