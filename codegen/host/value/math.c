/* Functions of reals: LLVM's intrinsics where the table's operation has one, else the C library's.
 * Halves are computed as floats, as every device without half arithmetic does. What an intrinsic
 * becomes (an instruction, a call) is LLVM's choice. */
#include <string.h>

#include "value.h"

static const struct {
    FdOp op;
    const char *intrinsic; /* or NULL: the function of libm, with f for float */
    const char *libm;
} table[] = {{FD_OP_MIN, "llvm.minnum", NULL},
             {FD_OP_MAX, "llvm.maxnum", NULL},
             {FD_OP_ABS, "llvm.fabs", NULL},
             {FD_OP_SQRT, "llvm.sqrt", NULL},
             {FD_OP_CBRT, NULL, "cbrt"},
             {FD_OP_EXP, "llvm.exp", NULL},
             {FD_OP_LOG, "llvm.log", NULL},
             {FD_OP_LOG2, "llvm.log2", NULL},
             {FD_OP_LOG10, "llvm.log10", NULL},
             {FD_OP_SIN, "llvm.sin", NULL},
             {FD_OP_COS, "llvm.cos", NULL},
             {FD_OP_TAN, NULL, "tan"},
             {FD_OP_ASIN, NULL, "asin"},
             {FD_OP_ACOS, NULL, "acos"},
             {FD_OP_ATAN, NULL, "atan"},
             {FD_OP_ATAN2, NULL, "atan2"},
             {FD_OP_SINH, NULL, "sinh"},
             {FD_OP_COSH, NULL, "cosh"},
             {FD_OP_TANH, NULL, "tanh"},
             {FD_OP_ASINH, NULL, "asinh"},
             {FD_OP_ACOSH, NULL, "acosh"},
             {FD_OP_ATANH, NULL, "atanh"},
             {FD_OP_EXP2, "llvm.exp2", NULL},
             {FD_OP_EXPM1, NULL, "expm1"},
             {FD_OP_LOG1P, NULL, "log1p"},
             {FD_OP_HYPOT, NULL, "hypot"},
             {FD_OP_ERF, NULL, "erf"},
             {FD_OP_ERFC, NULL, "erfc"},
             {FD_OP_TGAMMA, NULL, "tgamma"},
             {FD_OP_LGAMMA, NULL, "lgamma"},
             {FD_OP_FMA, "llvm.fma", NULL},
             {FD_OP_COPYSIGN, "llvm.copysign", NULL},
             {FD_OP_POW, "llvm.pow", NULL},
             {FD_OP_FLOOR, "llvm.floor", NULL},
             {FD_OP_CEILING, "llvm.ceil", NULL},
             {FD_OP_ROUND, "llvm.rint", NULL},
             {FD_OP_TRUNCATE, "llvm.trunc", NULL}};

LLVMValueRef host_intrinsic(HostFunc *f, const char *name, LLVMTypeRef *types, int ntypes,
                            LLVMValueRef *args, int nargs)
{
    HostModule *m = f->m;
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    if (!id) host_bug(m, NULL, name);
    LLVMValueRef fn = LLVMGetIntrinsicDeclaration(m->mod, id, types, (size_t)ntypes);
    LLVMTypeRef type = LLVMIntrinsicGetType(m->ctx, id, types, (size_t)ntypes);
    return LLVMBuildCall2(m->b, type, fn, args, (unsigned)nargs, "");
}

static LLVMValueRef call_libm(HostFunc *f, const char *name, ScalarKind k, LLVMValueRef *args,
                              int n)
{
    HostModule *m = f->m;
    LLVMTypeRef t = LLVMTypeOf(args[0]), params[] = {t, t};
    LLVMTypeRef type = LLVMFunctionType(t, params, (unsigned)n, false);
    const char *full = k == SC_FLOAT ? arena_printf(m->arena, "%sf", name) : name;
    LLVMValueRef fn = LLVMGetNamedFunction(m->mod, full);
    if (!fn) {
        fn = LLVMAddFunction(m->mod, full, type);
        host_attribute(m, fn, "nounwind");
        host_attribute(m, fn, "willreturn");
    }
    return LLVMBuildCall2(m->b, type, fn, args, (unsigned)n, "");
}

LLVMValueRef host_math(HostFunc *f, FdOp op, ScalarKind k, LLVMValueRef const *v)
{
    size_t row = 0, nrows = sizeof table / sizeof *table;
    while (row < nrows && table[row].op != op) row++;
    if (row == nrows) host_bug(f->m, NULL, fd_op_info(op)->text);
    int n = fd_op_info(op)->arity;
    ScalarKind in = k == SC_HALF ? SC_FLOAT : k;
    LLVMValueRef args[3];
    for (int i = 0; i < n; i++) args[i] = host_convert(f, v[i], k, in);
    LLVMTypeRef t = LLVMTypeOf(args[0]);
    LLVMValueRef r = table[row].intrinsic ? host_intrinsic(f, table[row].intrinsic, &t, 1, args, n)
                                          : call_libm(f, table[row].libm, in, args, n);
    return host_convert(f, r, in, k);
}
