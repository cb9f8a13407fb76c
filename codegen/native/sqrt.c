/* Square roots of whole vectors of AVX-512, rounded as the processor's own instruction rounds them. That takes some 20
 * cycles for 8 doubles, of the unit that divides. An estimate of 14 bits and multiply-adds take a third of that, and
 * leave the divider to quotients.
 *
 * With y near 1 / sqrt(x), g = x y and h = y / 2, each turn has r = 1/2 - g h, g += g r, h += h r, which squares
 * the error. In the end g is within one unit u, x - g^2 is exact, and g + (x - g^2) h is rounded right unless sqrt(x)
 * lies too near to the middle of two numbers (Markstein, IA-64 and Elementary Functions, 2000). With m of p bits that
 * middle is m + u/2, and x - (m + u/2)^2 is -u^2/4 or several times that. What h and g are wrong by comes to 2.7
 * u^2 at most, which leaves multiples that p bits have for few x only: 1 + u, 1 + 3 u, 4 - 4 u, 4 - 6 u, and two more of
 * doubles. All floats are right whatever the estimate; of doubles 1 + u may not be, the others are. */
#include "impl.h"

enum { VECTOR_BYTES = 64 };

/* ---- where ------------------------------------------------------------------------------------- */

typedef struct Divider {
    bool quotients, functions;
    int divided, multiplied, roots; /* vectors */
} Divider;

static void look_at_value(Divider *d, const KirExpr *e)
{
    if (!e) return;
    if (e->kind == KIR_OP && native_is_real(e->type.kind)) {
        bool vector = e->type.lanes != 1;
        d->quotients = d->quotients || e->op == FD_OP_DIV;
        d->divided += vector && e->op == FD_OP_DIV;
        d->multiplied += vector && e->op == FD_OP_MUL;
        d->roots += vector && e->op == FD_OP_SQRT;
        d->functions = d->functions || fd_op_info(e->op)->own;
    }
    for (int i = 0; i < e->nargs; i++) look_at_value(d, e->args[i]);
}

static void look_at(Divider *d, const KirStmt *s)
{
    for (; s; s = s->next) {
        const KirExpr *const values[] = {s->target, s->expr, s->lo, s->hi, s->step};
        for (int i = 0; i < 5; i++) look_at_value(d, values[i]);
        look_at(d, s->body);
        look_at(d, s->other);
    }
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

/* Where it is known what each unit takes: which is done first? */
static bool are_sooner(const Divider *d, const CgDivider *t)
{
    int quotients = d->divided * t->quotient;
    return !d->functions && most(quotients, d->multiplied + d->roots * t->estimate) <
                                most(quotients + d->roots * t->root, d->multiplied);
}

/* Of doubles the instruction is slow anywhere. Of floats it is slow where it waits for quotients; beside an exp or a log,
 * which keep the other units busy, it is free. */
bool fn_makes_sqrt(const Fn *f, KirType t)
{
    const LlvmAt at = fn_llvm(f);
    const bool wide = t.kind == SC_DOUBLE, estimated = at.flags & (unsigned)LLVMFastMathApproxFunc;
    const unsigned bytes = native_bytes(f->n, t.kind), lanes = native_lanes(f->n, t.lanes);
    if (f->n->device.vector_bytes < VECTOR_BYTES || lanes * bytes < VECTOR_BYTES) return false;
    const CgDivider *known = &f->n->device.divider[wide];
    Divider d = {0};
    look_at(&d, f->of->body);
    if (known->root) return (wide || !estimated) && are_sooner(&d, known);
    return wide || (!estimated && d.quotients && !d.functions);
}

/* ---- how ---------------------------------------------------------------------------------------- */

/* Can the steps take all lanes of x? Where x - g^2 could underflow they cannot, nor what has no estimate: 0, less than 0,
 * infinite, NaN. As integers: less than 0 is far above. */
static LLVMValueRef are_usual(Fn *f, LLVMValueRef x, bool wide)
{
    enum { DOUBLE_BITS = 52, FLOAT_BITS = 23, DOUBLE_LEAST = 0x3ff - 512, FLOAT_LEAST = 0x7f - 64 };
    const int bits = wide ? DOUBLE_BITS : FLOAT_BITS;
    const int64_t least = (int64_t)(wide ? DOUBLE_LEAST : FLOAT_LEAST) << bits,
                  end = (int64_t)(wide ? 0x7ff : 0xff) << bits;
    unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(x));
    LLVMTypeRef t = native_vector(wide ? f->n->i64 : f->n->i32, lanes),
                mask = LLVMIntTypeInContext(f->n->ctx, lanes);
    x = LLVMBuildBitCast(f->b, x, t, "");
    LLVMValueRef above = LLVMBuildSub(f->b, x, llvm_int(t, least), "");
    LLVMValueRef other = LLVMBuildICmp(f->b, LLVMIntUGE, above, llvm_int(t, end - least), "");
    if (wide) { /* 1 + u, whatever the power of 4 */
        const int64_t one = INT64_C(1) << bits;
        x = LLVMBuildAnd(f->b, x, llvm_int(t, 2 * one - 1), "");
        LLVMValueRef hard = LLVMBuildICmp(f->b, LLVMIntEQ, x, llvm_int(t, one + 1), "");
        other = LLVMBuildOr(f->b, other, hard, "");
    }
    other = LLVMBuildBitCast(f->b, other, mask, "");
    return LLVMBuildICmp(f->b, LLVMIntEQ, other, llvm_int(mask, 0), "");
}

/* About 1 / sqrt(x), to 14 bits. */
static LLVMValueRef estimate(Fn *f, LLVMValueRef x, bool wide)
{
    Native *n = f->n;
    LLVMTypeRef t = LLVMTypeOf(x), mask = wide ? n->i8 : n->i16, params[] = {t, t, mask};
    LLVMValueRef args[] = {x, LLVMConstNull(t), LLVMConstAllOnes(mask)};
    LLVMTypeRef type = LLVMFunctionType(t, params, 3, false);
    LLVMValueRef fn = native_extern(
        n, wide ? "llvm.x86.avx512.rsqrt14.pd.512" : "llvm.x86.avx512.rsqrt14.ps.512", type);
    return LLVMBuildCall2(f->b, type, fn, args, 3, "");
}

/* x y + z as it is written, also where the graph is [Fast]. */
static LLVMValueRef fma_of(Fn *f, LLVMValueRef x, LLVMValueRef y, LLVMValueRef z)
{
    const LlvmAt at = {.mod = f->n->mod, .b = f->b};
    LLVMTypeRef t = LLVMTypeOf(x);
    return llvm_intrinsic(&at, "llvm.fma", 1, &t, 3, (LLVMValueRef[]){x, y, z});
}

/* sqrt(x) of one register of usual numbers. */
static LLVMValueRef root_of(Fn *f, LLVMValueRef x, bool wide)
{
    const int turns = wide ? 2 : 1;
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef half = llvm_real(t, .5), y = estimate(f, x, wide);
    LLVMValueRef g = LLVMBuildFMul(f->b, x, y, ""), h = LLVMBuildFMul(f->b, y, half, "");
    for (int turn = 0; turn < turns; turn++) {
        LLVMValueRef r = fma_of(f, LLVMBuildFNeg(f->b, g, ""), h, half);
        g = fma_of(f, g, r, g);
        h = fma_of(f, h, r, h);
    }
    LLVMValueRef rest = fma_of(f, LLVMBuildFNeg(f->b, g, ""), g, x);
    return fma_of(f, rest, h, g);
}

/* The same of as many registers as x has. */
static LLVMValueRef roots_of(Fn *f, LLVMValueRef x, bool wide)
{
    const unsigned n = LLVMGetVectorSize(LLVMTypeOf(x)),
                   each = wide ? VECTOR_BYTES / 8 : VECTOR_BYTES / 4;
    if (n == each) return root_of(f, x, wide);
    int low[MAX_LANES], high[MAX_LANES], all[MAX_LANES];
    for (unsigned i = 0; i < n; i++) {
        low[i % (n / 2)] = (int)(i % (n / 2));
        high[i % (n / 2)] = (int)(i % (n / 2) + n / 2);
        all[i] = (int)i;
    }
    LLVMValueRef first = roots_of(f, fn_shuffle(f, x, x, n / 2, low), wide),
                 second = roots_of(f, fn_shuffle(f, x, x, n / 2, high), wide);
    return fn_shuffle(f, first, second, n, all);
}

LLVMValueRef fn_sqrt(Fn *f, KirType t, LLVMValueRef x)
{
    const bool wide = t.kind == SC_DOUBLE;
    LLVMBasicBlockRef usual = fn_block(f), other = fn_block(f), after = fn_block(f), blocks[2];
    LLVMValueRef values[2];
    LLVMBuildCondBr(f->b, are_usual(f, x, wide), usual, other);
    fn_at(f, usual);
    values[0] = roots_of(f, x, wide);
    blocks[0] = LLVMGetInsertBlock(f->b);
    fn_go(f, after);
    fn_at(f, other);
    values[1] = fn_intrinsic(f, "llvm.sqrt", LLVMTypeOf(x), 1, &x);
    blocks[1] = LLVMGetInsertBlock(f->b);
    fn_go(f, after);
    fn_at(f, after);
    LLVMValueRef root = LLVMBuildPhi(f->b, LLVMTypeOf(x), "");
    LLVMAddIncoming(root, values, blocks, 2);
    return root;
}
