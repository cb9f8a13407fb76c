/* Expressions: constants, names, records, arithmetic of indices, and how C converts between them. */
#include <string.h>

#include "impl.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1};

/* ---- what expressions share -------------------------------------------------------------------- */

LlvmAt fn_llvm(const Fn *f)
{
    const CgOptions *o = f->n->code->options;
    LlvmAt at = {.mod = f->n->mod, .b = f->b, .precise = o->precise, .closed = true};
#if LLVM_VERSION_MAJOR >= 18
    if (!f->exact && !o->precise) at.flags = LLVMFastMathAllowContract;
    if (at.flags && o->fast)
        at.flags |= LLVMFastMathNoSignedZeros | LLVMFastMathAllowReassoc |
                    LLVMFastMathAllowReciprocal | LLVMFastMathApproxFunc;
#endif
    return at;
}

LLVMValueRef fn_intrinsic(Fn *f, const char *name, LLVMTypeRef t, unsigned nargs,
                          const LLVMValueRef *args)
{
    LlvmAt at = fn_llvm(f);
    return llvm_intrinsic(&at, name, 1, &t, nargs, args);
}

LLVMValueRef fn_shuffle(Fn *f, LLVMValueRef x, LLVMValueRef y, unsigned n, const int *lanes)
{
    LLVMValueRef which[64];
    for (unsigned i = 0; i < n; i++) which[i] = llvm_int(f->n->i32, lanes[i]);
    return LLVMBuildShuffleVector(f->b, x, y ? y : LLVMGetUndef(LLVMTypeOf(x)),
                                  LLVMConstVector(which, n), "");
}

LLVMValueRef fn_splat(Fn *f, LLVMValueRef v, unsigned lanes)
{
    static const int none[64] = {0};
    if (lanes == 1) return v;
    LLVMValueRef one = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(v), lanes));
    one = LLVMBuildInsertElement(f->b, one, v, llvm_int(f->n->i32, 0), "");
    return fn_shuffle(f, one, NULL, lanes, none);
}

/* Of vectors the sign: AVX2 blends by it without a comparison. */
LLVMValueRef fn_bits_of_mask(Fn *f, LLVMValueRef mask)
{
    LLVMTypeRef t = LLVMTypeOf(mask);
    bool lanes = LLVMGetTypeKind(t) == LLVMVectorTypeKind;
    return LLVMBuildICmp(f->b, lanes ? LLVMIntSLT : LLVMIntNE, mask, LLVMConstNull(t), "");
}

LLVMValueRef fn_mask_of_bits(Fn *f, LLVMValueRef bits)
{
    LLVMTypeRef t = LLVMTypeOf(bits);
    if (LLVMGetTypeKind(t) != LLVMVectorTypeKind) return LLVMBuildZExt(f->b, bits, f->n->i32, "");
    return LLVMBuildSExt(f->b, bits, LLVMVectorType(f->n->i32, LLVMGetVectorSize(t)), "");
}

static LLVMValueRef coerce_scalar(Fn *f, LLVMValueRef v, int from, int to)
{
    if (native_is_real(from) && !native_is_real(to))
        native_bug("a real where an integer is meant", "");
    LlvmAt at = fn_llvm(f);
    return llvm_convert(&at, v, native_is_signed(from), native_scalar_type(f->n, to), false);
}

static LLVMValueRef coerce(Fn *f, LLVMValueRef v, KirType from, KirType to)
{
    if (from.kind == KIR_RECORD || to.kind == KIR_RECORD) return v;
    unsigned have = native_lanes(f->n, from.lanes), want = native_lanes(f->n, to.lanes);
    if (have == want && have > 1) {
        if (LLVMTypeOf(v) != native_type(f->n, to)) native_bug("vectors of different types", "");
        return v;
    }
    if (have != 1) native_bug("a vector where a scalar is meant", "");
    return fn_splat(f, coerce_scalar(f, v, from.kind, to.kind), want);
}

LLVMValueRef fn_value_as(Fn *f, const KirExpr *e, KirType t)
{
    return coerce(f, fn_value(f, e), e->type, t);
}

/* ---- numbers ----------------------------------------------------------------------------------- */

bool fn_number(Fn *f, const KirExpr *e, int64_t *v)
{
    int64_t x, y;
    bool found = false;
    if (e->kind == KIR_CONST && !native_is_real(e->type.kind)) {
        *v = e->value.i;
        return true;
    }
    if (e->kind == KIR_NAME) {
        Var *var = fn_find(f, e->name);
        if (var) return var->kind == VAR_NUMBER && (*v = var->number, true);
        *v = native_macro(f->n, e->name, &found);
        return found;
    }
    FdOp op = kir_is(e, INTR_MIN)    ? FD_OP_MIN
              : kir_is(e, INTR_MAX)  ? FD_OP_MAX
              : e->kind == KIR_ARITH ? e->op
                                     : FD_OP_NONE;
    if (op == FD_OP_NONE || !fn_number(f, e->args[0], &x) || !fn_number(f, e->args[1], &y))
        return false;
    ScalarValue args[] = {{.i = x}, {.i = y}}, r;
    if (fd_op_eval(op, SC_LONG, SC_LONG, args, &r) != FD_EVAL_OK) return false;
    *v = r.i;
    return true;
}

static LLVMValueRef constant(Fn *f, const KirExpr *e)
{
    LLVMTypeRef t = native_scalar_type(f->n, e->type.kind);
    return native_is_real(e->type.kind) ? llvm_real(t, e->value.f) : llvm_int(t, e->value.i);
}

static LLVMValueRef name(Fn *f, const KirExpr *e)
{
    Var *v = fn_find(f, e->name);
    if (!v) { /* a macro */
        bool found;
        int64_t number = native_macro(f->n, e->name, &found);
        if (!found) native_bug("nothing is called", e->name);
        return llvm_int(native_scalar_type(f->n, e->type.kind), number);
    }
    if (v->kind == VAR_NUMBER) return llvm_int(native_scalar_type(f->n, e->type.kind), v->number);
    if (v->kind == VAR_LET) return coerce(f, v->at, v->type, e->type);
    if (v->kind != VAR_VALUE) return v->at; /* a buffer as an argument */
    LLVMValueRef value = LLVMBuildLoad2(f->b, native_type(f->n, v->type), v->at, "");
    return coerce(f, value, v->type, e->type);
}

/* ---- conditions -------------------------------------------------------------------------------- */

/* Can it be computed where C would not, without harm and without much work? */
static bool harmless(const KirExpr *e)
{
    switch (e->kind) {
    case KIR_LOAD:
    case KIR_GATHER:
    case KIR_STEPS:
    case KIR_ELEM:
    case KIR_INTRINSIC:
    case KIR_CALL: return false;
    case KIR_OP:
        if (fd_op_info(e->op)->props & FD_EXPENSIVE) return false;
        if ((e->op == FD_OP_DIV || e->op == FD_OP_REM) && e->type.lanes == 1 &&
            !native_is_real(e->type.kind))
            return false;
        break;
    case KIR_ARITH:
        if (e->op == FD_OP_DIV || e->op == FD_OP_REM) return false;
        break;
    default: break;
    }
    for (int i = 0; i < e->nargs; i++)
        if (!harmless(e->args[i])) return false;
    return e->depth < 8;
}

/* x && y, x || y of scalars: an i1. */
static LLVMValueRef logical(Fn *f, FdOp op, const KirExpr *x, const KirExpr *y)
{
    bool both = op == FD_OP_LAND;
    LLVMValueRef first = fn_truth(f, x);
    if (harmless(y)) {
        LLVMValueRef second = fn_truth(f, y);
        return both ? LLVMBuildAnd(f->b, first, second, "") : LLVMBuildOr(f->b, first, second, "");
    }
    LLVMBasicBlockRef from = LLVMGetInsertBlock(f->b), more = fn_block(f), after = fn_block(f);
    LLVMBuildCondBr(f->b, first, both ? more : after, both ? after : more);
    fn_at(f, more);
    LLVMValueRef second = fn_truth(f, y);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(f->b);
    fn_go(f, after);
    fn_at(f, after);
    LLVMValueRef phi = LLVMBuildPhi(f->b, f->n->i1, ""),
                 values[] = {LLVMConstInt(f->n->i1, !both, false), second};
    LLVMBasicBlockRef blocks[] = {from, last};
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

/* The type in which operands of two types are compared: the wider one. */
static KirType common(Fn *f, KirType x, KirType y)
{
    KirType t = x;
    if (native_is_real(y.kind) && !native_is_real(x.kind))
        t.kind = y.kind;
    else if (native_is_real(y.kind) == native_is_real(x.kind) &&
             native_bytes(f->n, y.kind) > native_bytes(f->n, x.kind))
        t.kind = y.kind;
    if (t.lanes == 1) t.lanes = y.lanes;
    return t;
}

/* An i1, or a vector of them. */
static LLVMValueRef comparison(Fn *f, FdOp op, const KirExpr *x, const KirExpr *y, KirType t)
{
    LlvmAt at = fn_llvm(f);
    LLVMValueRef args[] = {fn_value_as(f, x, t), fn_value_as(f, y, t)};
    return llvm_operate(&at, op, native_is_signed(t.kind), args);
}

LLVMValueRef fn_truth(Fn *f, const KirExpr *e)
{
    bool op = (e->kind == KIR_OP || e->kind == KIR_ARITH) && e->type.lanes == 1;
    if (op && e->op == FD_OP_LNOT) return LLVMBuildNot(f->b, fn_truth(f, e->args[0]), "");
    if (op && (e->op == FD_OP_LAND || e->op == FD_OP_LOR))
        return logical(f, e->op, e->args[0], e->args[1]);
    if (op && fd_op_compares(e->op)) {
        KirType t = e->kind == KIR_ARITH ? idx : common(f, e->args[0]->type, e->args[1]->type);
        return comparison(f, e->op, e->args[0], e->args[1], t);
    }
    return fn_bits_of_mask(f, fn_value(f, e));
}

static LLVMValueRef arithmetic(Fn *f, const KirExpr *e)
{
    if (fd_op_compares(e->op) || e->op == FD_OP_LAND || e->op == FD_OP_LOR)
        return LLVMBuildZExt(f->b, fn_truth(f, e), f->n->i64, "");
    LLVMValueRef x = fn_value_as(f, e->args[0], idx), y = fn_value_as(f, e->args[1], idx);
    switch (e->op) {
    case FD_OP_ADD: return LLVMBuildNSWAdd(f->b, x, y, "");
    case FD_OP_SUB: return LLVMBuildNSWSub(f->b, x, y, "");
    case FD_OP_MUL: return LLVMBuildNSWMul(f->b, x, y, "");
    case FD_OP_DIV: return LLVMBuildSDiv(f->b, x, y, "");
    case FD_OP_REM: return LLVMBuildSRem(f->b, x, y, "");
    case FD_OP_SHL: return LLVMBuildShl(f->b, x, y, "");
    case FD_OP_SHR: return LLVMBuildAShr(f->b, x, y, "");
    case FD_OP_BITAND: return LLVMBuildAnd(f->b, x, y, "");
    case FD_OP_BITOR: return LLVMBuildOr(f->b, x, y, "");
    default: native_bug("index arithmetic with", fd_op_info(e->op)->text);
    }
}

/* c ? x : y, of which C evaluates one. */
static LLVMValueRef choice(Fn *f, const KirExpr *e)
{
    const KirExpr *x = e->args[1], *y = e->args[2];
    if (e->args[0]->type.lanes != 1) {
        LLVMValueRef bits = fn_bits_of_mask(f, fn_value(f, e->args[0]));
        LLVMValueRef a = fn_value_as(f, x, e->type), b = fn_value_as(f, y, e->type);
        return LLVMBuildSelect(f->b, bits, a, b, "");
    }
    LLVMValueRef cond = fn_truth(f, e->args[0]);
    if (harmless(x) && harmless(y)) {
        LLVMValueRef a = fn_value_as(f, x, e->type), b = fn_value_as(f, y, e->type);
        return LLVMBuildSelect(f->b, cond, a, b, "");
    }
    LLVMBasicBlockRef then = fn_block(f), other = fn_block(f), after = fn_block(f), blocks[2];
    LLVMValueRef values[2];
    LLVMBuildCondBr(f->b, cond, then, other);
    fn_at(f, then);
    values[0] = fn_value_as(f, x, e->type);
    blocks[0] = LLVMGetInsertBlock(f->b);
    fn_go(f, after);
    fn_at(f, other);
    values[1] = fn_value_as(f, y, e->type);
    blocks[1] = LLVMGetInsertBlock(f->b);
    fn_go(f, after);
    fn_at(f, after);
    LLVMValueRef phi = LLVMBuildPhi(f->b, LLVMTypeOf(values[0]), "");
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

/* ---- the rest ---------------------------------------------------------------------------------- */

static LLVMValueRef bits(Fn *f, const KirExpr *e)
{
    return LLVMBuildBitCast(f->b, fn_value(f, e->args[0]), native_type(f->n, e->type), "");
}

static LLVMValueRef splat(Fn *f, const KirExpr *e)
{
    LLVMValueRef v = fn_value(f, e->args[0]);
    if (e->type.kind == SC_BOOL) v = LLVMBuildNeg(f->b, v, ""); /* a mask */
    return fn_splat(f, v, native_lanes(f->n, e->type.lanes));
}

static LLVMValueRef iota(Fn *f, const KirExpr *e)
{
    LLVMValueRef each[64];
    unsigned lanes = native_lanes(f->n, e->type.lanes);
    LLVMTypeRef t = native_scalar_type(f->n, e->type.kind);
    for (unsigned i = 0; i < lanes; i++)
        each[i] = native_is_real(e->type.kind) ? llvm_real(t, i) : llvm_int(t, i);
    return lanes == 1 ? each[0] : LLVMConstVector(each, lanes);
}

static LLVMValueRef swizzle(Fn *f, const KirExpr *e)
{
    static const char letters[] = "xyzw";
    LLVMValueRef v = fn_value(f, e->args[0]);
    int lanes[16];
    unsigned n = 0;
    for (const char *p = e->name; *p && n < 16; p++)
        lanes[n++] = (int)(strchr(letters, *p) - letters);
    if (n == 1) return LLVMBuildExtractElement(f->b, v, llvm_int(f->n->i32, lanes[0]), "");
    return fn_shuffle(f, v, NULL, n, lanes);
}

static LLVMValueRef make(Fn *f, const KirExpr *e)
{
    LLVMValueRef v = LLVMGetUndef(native_type(f->n, e->type));
    for (int i = 0; i < e->nargs; i++)
        v = LLVMBuildInsertValue(f->b, v, fn_value_as(f, e->args[i], e->type.record->types[i]),
                                 (unsigned)i, "");
    return v;
}

static LLVMValueRef member(Fn *f, const KirExpr *e)
{
    return LLVMBuildExtractValue(f->b, fn_value(f, e->args[0]), (unsigned)e->value.i, "");
}

LLVMValueRef fn_value(Fn *f, const KirExpr *e)
{
    f->n->size++;
    switch (e->kind) {
    case KIR_CONST: return constant(f, e);
    case KIR_NAME: return name(f, e);
    case KIR_ELEM: {
        KirType t;
        LLVMValueRef place = fn_element(f, e, &t);
        LLVMValueRef v = LLVMBuildLoad2(f->b, native_type(f->n, t), place, "");
        return coerce(f, v, t, e->type);
    }
    case KIR_LOAD: return fn_load(f, e);
    case KIR_GATHER: return fn_gather(f, e);
    case KIR_STEPS: return fn_steps(f, e);
    case KIR_OP:
        if (e->op == FD_OP_SELECT) return choice(f, e);
        if (e->type.lanes == 1 && (e->op == FD_OP_LAND || e->op == FD_OP_LOR ||
                                   e->op == FD_OP_LNOT || fd_op_compares(e->op)))
            return LLVMBuildZExt(f->b, fn_truth(f, e), f->n->i32, "");
        if (fd_op_compares(e->op)) {
            KirType t = common(f, e->args[0]->type, e->args[1]->type);
            return fn_mask_of_bits(f, comparison(f, e->op, e->args[0], e->args[1], t));
        }
        return fn_op(f, e);
    case KIR_CONVERT: return fn_convert(f, e);
    case KIR_BITS: return bits(f, e);
    case KIR_SPLAT: return splat(f, e);
    case KIR_IOTA: return iota(f, e);
    case KIR_SWIZZLE: return swizzle(f, e);
    case KIR_MAKE: return make(f, e);
    case KIR_MEMBER: return member(f, e);
    case KIR_ARITH: return arithmetic(f, e);
    case KIR_INTRINSIC:
    case KIR_CALL: return fn_call(f, e);
    }
    native_bug("an unknown expression", "");
}
