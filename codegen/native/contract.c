/* Products and sums become fused operations, which round once: the language allows it (section 8). It is done here, before
 * the passes that change loops, and LLVM's own contraction is off. That is because LLVM asks who else uses a product, and
 * takes either of two, as in 3 * x + 3 * y: rows in lanes, the elements at their borders, and turns that are taken
 * together would differ in their last bits.
 *
 *   before: %p = fmul a, b        %s = fadd c, %p             after: %s = fma(a, b, c)
 *                                 %s = fsub c, %p                    %s = fma(-a, b, c)
 *                                 %s = fsub %p, c                    %s = fma(a, b, -c)
 *
 * A product is seen through a splat, so that one that is the same for all lanes counts as in one element. Of two
 * products the second is fused. Where nothing is fused, since the processor cannot, nothing is. */
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

/* The fused operation in the place of a sum or difference; NULL: there is no product in it. */
static LLVMValueRef fused(const LlvmAt *at, LLVMValueRef x)
{
    const bool minus = LLVMGetInstructionOpcode(x) == LLVMFSub;
    LLVMValueRef first = LLVMGetOperand(x, 0), second = LLVMGetOperand(x, 1), rest;
    Product p;
    LLVMPositionBuilderBefore(at->b, x);
    const bool last = is_product(second, &p);
    if (!last && !is_product(first, &p)) return NULL;
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

static void contract_block(const LlvmAt *at, LLVMBasicBlockRef block)
{
    for (LLVMValueRef x = LLVMGetFirstInstruction(block), next; x; x = next) {
        next = LLVMGetNextInstruction(x);
        LLVMValueRef y = is_sum(x) ? fused(at, x) : NULL;
        if (!y) continue;
        LLVMReplaceAllUsesWith(x, y);
        LLVMInstructionEraseFromParent(x);
    }
}

static void end_block(LLVMBasicBlockRef block)
{
    for (LLVMValueRef x = LLVMGetFirstInstruction(block); x; x = LLVMGetNextInstruction(x))
        if (may_contract(x) && !(LLVMGetFastMathFlags(x) & LLVMFastMathAllowReassoc))
            LLVMSetFastMathFlags(x, LLVMGetFastMathFlags(x) & ~(unsigned)LLVMFastMathAllowContract);
}

void native_contract(LLVMModuleRef mod)
{
    const LlvmAt at = {.mod = mod, .b = LLVMCreateBuilderInContext(LLVMGetModuleContext(mod))};
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f)) {
        LLVMBasicBlockRef b;
        for (b = LLVMGetFirstBasicBlock(f); b && can_fuse(f); b = LLVMGetNextBasicBlock(b))
            contract_block(&at, b);
        for (b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b)) end_block(b);
    }
    LLVMDisposeBuilder(at.b);
}

#else

/* Nothing may be contracted (op.c). */
void native_contract(LLVMModuleRef mod)
{
    (void)mod;
}

#endif
