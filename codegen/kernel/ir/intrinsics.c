/* The table of intrinsics (intrinsics.def): how many arguments they take, how OpenCL spells them. */
#include <inttypes.h>
#include <stdlib.h>

#include "opencl.h"

static const struct {
    int nargs;
    const char *spelling;
} table[] = {
#define INTRINSIC(name, nargs, spelling, builder) {nargs, spelling},
#define OPENCL_ONLY(name, nargs, spelling) {nargs, spelling},
#include "intrinsics.def"
};

int intrinsic_arguments(Intrinsic which)
{
    return table[which].nargs;
}

static void print_placeholder(Text *out, char what, const KirExpr *e)
{
    switch (what) {
    case 'k': text_add(out, scalar_cl_name((ScalarKind)e->type.kind)); break;
    case 'l': text_printf(out, "%d", abs(e->type.lanes)); break;
    case 'n': text_printf(out, "%" PRId64, e->value.i); break;
    default: text_add(out, e->args[0]->type.lanes == KIR_V8 ? "wide_" : ""); break;
    }
}

void opencl_intrinsic(Text *out, const KirExpr *e)
{
    for (const char *p = table[e->intrinsic].spelling; *p; p++) {
        if (*p == '$')
            print_placeholder(out, *++p, e);
        else
            text_addn(out, p, 1);
    }
}
