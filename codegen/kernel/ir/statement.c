/* Statements, records and functions of kernel IR as OpenCL C. */
#include <inttypes.h>

#include "opencl.h"

void opencl_value(Text *out, const KirExpr *e)
{
    Text t = {0};
    opencl_expr(&t, e);
    int depth = 0;
    bool whole = t.len > 1 && t.data[0] == '(';
    for (size_t i = 0; whole && i + 1 < t.len; i++) {
        depth += (t.data[i] == '(') - (t.data[i] == ')');
        whole = depth > 0;
    }
    if (whole && t.data[t.len - 1] == ')')
        text_addn(out, t.data + 1, t.len - 2);
    else
        text_addn(out, t.data, t.len);
    text_free(&t);
}

static void line(Text *out, int depth)
{
    text_printf(out, "%*s", depth * 2, "");
}

static void print_block(Text *out, const KirStmt *s, int depth);

static void print_for(Text *out, const KirStmt *s, int depth)
{
    if (s->unroll) {
        text_add(out, "#pragma unroll\n");
        line(out, depth);
    }
    if (s->rare) {
        text_add(out, "CS_RARE\n");
        line(out, depth);
    }
    text_printf(out, "for (idx_t %s = ", s->name);
    opencl_value(out, s->lo);
    text_printf(out, "; %s < ", s->name);
    opencl_value(out, s->hi);
    if (s->step->kind == KIR_CONST && s->step->value.i == 1) {
        text_printf(out, "; %s++) {\n", s->name);
    } else {
        text_printf(out, "; %s += ", s->name);
        opencl_value(out, s->step);
        text_add(out, ") {\n");
    }
    print_block(out, s->body, depth + 1);
    line(out, depth);
    text_add(out, "}\n");
}

/* Is there a `continue` of the loop around? */
static bool continues(const KirStmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == KIR_CONTINUE) return true;
        if (s->kind == KIR_IF && (continues(s->body) || continues(s->other))) return true;
    }
    return false;
}

/* for (;;) { body; continue: step }. The step is a block, so it runs at the top of every pass but
 * the first: `continue` then needs no label. */
static void print_loop(Text *out, const KirStmt *s, int depth)
{
    bool last = !continues(s->body); /* the step needs no place where `continue` goes */
    if (s->unroll) {
        text_add(out, "#pragma unroll\n");
        line(out, depth);
    }
    if (!s->other || last) {
        text_add(out, "for (;;) {\n");
    } else {
        text_add(out, "for (bool first = true;; first = false) {\n");
        line(out, depth + 1);
        text_add(out, "if (!first) {\n");
        print_block(out, s->other, depth + 2);
        line(out, depth + 1);
        text_add(out, "}\n");
    }
    print_block(out, s->body, depth + 1);
    if (last) print_block(out, s->other, depth + 1);
    line(out, depth);
    text_add(out, "}\n");
}

static void print_stmt(Text *out, const KirStmt *s, int depth)
{
    line(out, depth);
    switch (s->kind) {
    case KIR_DECL:
        if (s->local) text_add(out, "__local ");
        opencl_type(out, s->type);
        text_printf(out, " %s", s->name);
        for (int i = 0; i < s->ndims; i++) {
            text_add(out, "[");
            opencl_value(out, s->dims[i]);
            text_add(out, "]");
        }
        /* vectors of it lie in one cache line */
        if (s->ndims && s->type.lanes == 1) text_add(out, " __attribute__((aligned(64)))");
        if (s->expr) {
            text_add(out, " = ");
            opencl_value(out, s->expr);
        }
        text_add(out, ";\n");
        break;
    case KIR_PLANE: opencl_plane(out, s); break;
    case KIR_SET:
        opencl_expr(out, s->target);
        text_add(out, " = ");
        opencl_value(out, s->expr);
        text_add(out, ";\n");
        break;
    case KIR_STORE: opencl_store(out, s); break;
    case KIR_FOR: print_for(out, s, depth); break;
    case KIR_LOOP: print_loop(out, s, depth); break;
    case KIR_IF:
        if (s->expr) {
            text_add(out, "if (");
            opencl_value(out, s->expr);
            text_add(out, ") ");
        }
        text_add(out, "{\n");
        print_block(out, s->body, depth + 1);
        line(out, depth);
        if (s->other) {
            text_add(out, "} else {\n");
            print_block(out, s->other, depth + 1);
            line(out, depth);
        }
        text_add(out, "}\n");
        break;
    case KIR_BREAK: text_add(out, "break;\n"); break;
    case KIR_CONTINUE: text_add(out, "continue;\n"); break;
    case KIR_RETURN:
        text_add(out, "return");
        if (s->expr) {
            text_add(out, " ");
            opencl_value(out, s->expr);
        }
        text_add(out, ";\n");
        break;
    case KIR_EVAL:
        opencl_expr(out, s->expr);
        text_add(out, ";\n");
        break;
    case KIR_BARRIER: text_add(out, "barrier(CLK_LOCAL_MEM_FENCE);\n"); break;
    }
}

static void print_block(Text *out, const KirStmt *s, int depth)
{
    for (; s; s = s->next) print_stmt(out, s, depth);
}

static void print_param(Text *out, const KirParam *p)
{
    if (!p->buffer) {
        opencl_type(out, p->type);
        text_printf(out, " %s", p->name);
        return;
    }
    const char *stored = p->planes                    ? "uchar"
                         : p->type.kind == KIR_IDX    ? "idx_t"
                         : p->type.kind == KIR_RECORD ? p->type.record->name
                                                      : scalar_cl_name((ScalarKind)p->type.kind);
    text_printf(out, "__global %s%s *%s%s", p->writable ? "" : "const ", stored,
                p->writable && !p->alone ? "" : "restrict ", p->name);
}

void opencl_print_record(Text *out, const KirRecord *r)
{
    text_add(out, "typedef struct {");
    for (int i = 0; i < r->nfields; i++) {
        text_add(out, " ");
        opencl_type(out, r->types[i]);
        text_printf(out, " %s;", r->names[i]);
    }
    text_printf(out, " } %s;\n", r->name);
}

void opencl_print(Text *out, const KirFunc *f)
{
    text_add(out, "\n");
    if (f->kernel) {
        text_add(out, "__kernel void ");
        if (f->items[0]) /* compilers know how many registers there are */
            text_printf(out,
                        "__attribute__((reqd_work_group_size(%" PRId64 ", %" PRId64 ", %" PRId64
                        "))) ",
                        f->items[0], f->items[1], f->items[2]);
        text_printf(out, "%s(", f->name);
    } else {
        text_add(out, "static inline ");
        opencl_type(out, f->result);
        text_printf(out, " %s(", f->name);
    }
    for (int i = 0; i < f->nparams; i++) {
        if (i) text_add(out, ", ");
        print_param(out, &f->params[i]);
    }
    text_add(out, ")\n{\n");
    print_block(out, f->body, 1);
    text_add(out, "}\n");
}
