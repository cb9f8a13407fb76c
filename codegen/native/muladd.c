/* Products and sums become fused operations, which round once: the language allows it (section 8). It is done here, before
 * the passes that change loops, and LLVM's own contraction is off. That is because LLVM asks who else uses a product, and
 * takes either of two, as in 3 * x + 3 * y: rows in lanes, the elements at their borders, and turns that are taken
 * together would differ in their last bits.
 *
 *   before: %p = fmul a, b        %s = fadd %p, c             after: %s = fma(a, b, c)
 *                                 %s = fsub %p, c                    %s = fma(a, b, -c)
 *                                 %s = fsub c, %p                    %s = fma(-a, b, c)
 *
 * A product is seen through a splat, so that one that is the same for all lanes counts as in one element. Of two
 * products the first is fused: 0.9 * x(t - 1) + 0.1 * y(t) waits for x once. Where nothing is fused, since the processor cannot, nothing is. */
#include "impl.h"

#include <string.h>

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR >= 18

static bool can_fuse(LLVMValueRef fn)
{
    static const char name[] = "target-cpu";
    LLVMAttributeRef cpu = LLVMGetStringAttributeAtIndex(fn, (unsigned)LLVMAttributeFunctionIndex,
                                                         name, sizeof name - 1);
    unsigned n = 0;
    const char *text = cpu ? LLVMGetStringAttributeValue(cpu, &n) : "";
    return n && strncmp(text, "x86-64-v2", n);
}

static bool may_contract(LLVMValueRef x)
{
    return LLVMCanValueUseFastMathFlags(x) && LLVMGetFastMathFlags(x) & LLVMFastMathAllowContract;
}

typedef struct Product {
    LLVMValueRef a, b;
    unsigned lanes; /* of a splat of it; 0: it is none */
} Product;

static bool is_product(LLVMValueRef x, Product *p)
{
    LLVMValueRef one = x;
    p->lanes = 0;
    if (LLVMIsAShuffleVectorInst(x)) {
        const unsigned n = LLVMGetNumMaskElements(x);
        for (unsigned i = 0; i < n; i++)
            if (LLVMGetMaskValue(x, i)) return false;
        one = LLVMGetOperand(x, 0);
        if (!LLVMIsAInsertElementInst(one)) return false;
        LLVMValueRef at = LLVMGetOperand(one, 2);
        if (!LLVMIsAConstantInt(at) || LLVMConstIntGetZExtValue(at)) return false;
        one = LLVMGetOperand(one, 1);
        p->lanes = n;
    }
    if (!LLVMIsAInstruction(one) || LLVMGetInstructionOpcode(one) != LLVMFMul || !may_contract(one))
        return false;
    p->a = LLVMGetOperand(one, 0);
    p->b = LLVMGetOperand(one, 1);
    return true;
}

static LLVMValueRef splat(const LlvmAt *at, LLVMValueRef v, unsigned lanes)
{
    LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetModuleContext(at->mod));
    if (!lanes) return v;
    LLVMValueRef none = LLVMGetUndef(LLVMVectorType(LLVMTypeOf(v), lanes));
    LLVMValueRef one = LLVMBuildInsertElement(at->b, none, v, LLVMConstNull(i32), "");
    return LLVMBuildShuffleVector(at->b, one, none, LLVMConstNull(LLVMVectorType(i32, lanes)), "");
}

/* The operation in the place of a sum or difference: fused if there is a product in it, else as it is, but without the
 * flag, which would ask LLVM to look for one. */
static LLVMValueRef contracted(const LlvmAt *at, LLVMValueRef x, bool fuses)
{
    const bool minus = LLVMGetInstructionOpcode(x) == LLVMFSub;
    LLVMValueRef first = LLVMGetOperand(x, 0), second = LLVMGetOperand(x, 1), rest;
    Product p;
    LLVMPositionBuilderBefore(at->b, x);
    const bool leads = fuses && is_product(first, &p),
               last = !leads && fuses && is_product(second, &p);
    if (!leads && !last)
        return minus ? LLVMBuildFSub(at->b, first, second, "")
                     : LLVMBuildFAdd(at->b, first, second, "");
    LLVMValueRef a = splat(at, p.a, p.lanes), b = splat(at, p.b, p.lanes);
    rest = last ? first : second;
    if (minus && last) a = LLVMBuildFNeg(at->b, a, "");
    if (minus && !last) rest = LLVMBuildFNeg(at->b, rest, "");
    LLVMValueRef args[] = {a, b, rest};
    LLVMTypeRef type = LLVMTypeOf(x);
    return llvm_intrinsic(at, "llvm.fma", 1, &type, 3, args);
}

/* Of products that may not be regrouped, which LLVM is free to do with as it likes. */
static bool is_sum(LLVMValueRef x)
{
    const LLVMOpcode op = LLVMGetInstructionOpcode(x);
    return (op == LLVMFAdd || op == LLVMFSub) && may_contract(x) &&
           !(LLVMGetFastMathFlags(x) & LLVMFastMathAllowReassoc);
}

/* What is rounded (FD_OP_ROUNDED). */
static bool is_fence(LLVMValueRef x)
{
    static const char name[] = "llvm.arithmetic.fence";
    LLVMValueRef fn = LLVMIsACallInst(x) ? LLVMGetCalledValue(x) : NULL;
    return fn && LLVMIsAFunction(fn) &&
           LLVMGetIntrinsicID(fn) == LLVMLookupIntrinsicID(name, sizeof name - 1);
}

static void contract_function(const LlvmAt *at, LLVMValueRef fn)
{
    const bool fuses = can_fuse(fn);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef x = LLVMGetFirstInstruction(b), next; x; x = next) {
            next = LLVMGetNextInstruction(x);
            if (!is_sum(x)) continue;
            LLVMReplaceAllUsesWith(x, contracted(at, x, fuses));
            LLVMInstructionEraseFromParent(x);
        }
}

static void remove_fences(LLVMValueRef fn)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef x = LLVMGetFirstInstruction(b), next; x; x = next) {
            next = LLVMGetNextInstruction(x);
            if (!is_fence(x)) continue;
            LLVMReplaceAllUsesWith(x, LLVMGetOperand(x, 0));
            LLVMInstructionEraseFromParent(x);
        }
}

void native_muladd(LLVMModuleRef mod)
{
    const LlvmAt at = {.mod = mod, .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(mod))};
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f)) {
        contract_function(&at, f);
        remove_fences(f);
    }
    LLVMDisposeBuilder(at.b);
}

#else

/* Nothing may be contracted (op.c). */
void native_muladd(LLVMModuleRef mod)
{
    (void)mod;
}

#endif
