/* Reads and writes of buffers as OpenCL C: in memory bools are bytes and halves 2 bytes; vectors go by
 * functions of the prelude. */
#include "opencl.h"

/* name + offset */
static void print_place(Text *out, const char *name, const KirExpr *offset,
                        void (*print)(Text *out, const KirExpr *e))
{
    text_add(out, name);
    if (offset->kind == KIR_CONST && offset->value.i == 0) return;
    text_add(out, " + ");
    print(out, offset);
}

void opencl_load(Text *out, const KirExpr *e)
{
    bool vector = e->type.lanes != 1;
    if (!vector) {
        text_printf(out,
                    e->type.kind == SC_HALF   ? "vload_half("
                    : e->type.kind == SC_BOOL ? "(%s["
                                              : "%s[",
                    e->name);
        opencl_expr(out, e->args[0]);
        if (e->type.kind == SC_HALF)
            text_printf(out, ", %s)", e->name);
        else
            text_add(out, e->type.kind == SC_BOOL ? "] != 0)" : "]");
        return;
    }
    if (e->type.kind == SC_BOOL) {
        text_add(out, "(");
        opencl_conversion(out, "int", e->type.lanes, "");
        text_add(out, "(");
    }
    const char *half = e->type.kind == SC_HALF ? "vload_half" : "vload";
    if (e->type.lanes < 0)
        text_printf(out, "CAT(cs_load_%s, V%d)(", scalar_cl_name((ScalarKind)e->type.kind),
                    -e->type.lanes);
    else
        text_printf(out, "%s%d(0, ", half, e->type.lanes);
    print_place(out, e->name, e->args[0], opencl_expr);
    text_add(out, e->type.kind == SC_BOOL ? ")) != 0)" : ")");
}

/* Lanes that lie apart: by their distances from the first, or by even steps. */
void opencl_gather(Text *out, const KirExpr *e)
{
    bool truth = e->type.kind == SC_BOOL, gathers = e->kind == KIR_GATHER;
    const char *how = gathers ? "cs_gather_" : "cs_back_";
    if (truth) {
        text_add(out, "(");
        opencl_conversion(out, "int", e->type.lanes, "");
        text_add(out, "(");
    }
    if (!gathers && e->value.i == 2) how = "cs_step2_";
    if (!gathers && e->value.i == 3) how = "cs_step3_";
    if (!gathers && e->value.i == 4) how = "cs_step4_";
    opencl_typed(out, how, scalar_cl_name((ScalarKind)e->type.kind), e->type.lanes, "");
    text_add(out, "(");
    print_place(out, e->name, e->args[0], opencl_expr);
    if (gathers) {
        text_add(out, ", ");
        opencl_expr(out, e->args[1]);
    }
    text_add(out, truth ? ")) != 0)" : ")");
}

void opencl_store(Text *out, const KirStmt *s)
{
    const KirExpr *e = s->expr;
    int lanes = e->type.lanes;
    bool half = e->type.kind == SC_HALF;
    if (lanes == 1 && !half) {
        text_printf(out, "%s[", s->name);
        opencl_value(out, s->target);
        text_add(out, "] = ");
        opencl_value(out, e);
        text_add(out, ";\n");
        return;
    }
    if (lanes < 0)
        text_printf(out, "CAT(cs_%s_%s, V%d)(", s->stream && !half ? "stream" : "store",
                    scalar_cl_name((ScalarKind)e->type.kind), -lanes);
    else if (lanes == 1)
        text_add(out, "vstore_half(");
    else
        text_printf(out, half ? "vstore_half%d(" : "vstore%d(", lanes);
    if (e->type.kind == SC_BOOL) { /* a mask to 0 and 1 */
        opencl_conversion(out, "uchar", lanes, "");
        text_add(out, "(");
        opencl_expr(out, e);
        text_add(out, " & 1)");
    } else {
        opencl_value(out, e);
    }
    text_add(out, lanes < 0 ? ", " : ", 0, ");
    print_place(out, s->name, s->target, opencl_value);
    text_add(out, ");\n");
}

void opencl_plane(Text *out, const KirStmt *s)
{
    const char *space = s->writable ? "__global" : "const __global";
    const char *type = scalar_cl_name((ScalarKind)s->type.kind);
    text_printf(out, "%s %s *%s = (%s %s *)(", space, type, s->name, space, type);
    print_place(out, s->of, s->expr, opencl_expr);
    text_add(out, ");\n");
}
