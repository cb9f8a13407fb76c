/* Final classes: arrays of them, their operators, members and reductions. */
#include "../random.h"

void stmt_record(Gen *g)
{
    static const Ty types[] = {INT, LONG, FLOAT, BYTE, DOUBLE, SHORT, UINT, HALF, BOOL};
    const Value *a = any_value(g);
    if (!a) return;
    Value dom = *a;
    int n = 2 + choose(g, 2), form = choose(g, 5);
    Ty f[3];
    char name[16];
    new_name(g, name, "R");
    Text sum = {0}, most = {0}, params = {0};
    covered("record");
    for (int i = 0; i < n; i++) {
        f[i] = i == 0 ? (choose(g, 2) ? LONG : INT) : types[choose(g, 9)];
        text_printf(&params, "%s%s %c", i ? ", " : "", ty_name(f[i]), 'x' + i);
        bool add = f[i] == INT || f[i] == LONG || f[i] == UINT;
        text_printf(&sum, add ? "%sa.%c + b.%c" : "%sb.%c", i ? ", " : "", 'x' + i, 'x' + i);
    }
    text_printf(&g->decls,
                "final class %s_%d(%s) {\n    static %s_%d operator+(%s_%d a, %s_%d b) => new "
                "%s_%d(%s);\n    int Twice => 2 * (int) x;\n}\n",
                name, g->number, params.data, name, g->number, name, g->number, name, g->number,
                name, g->number, sum.data);
    text_printf(&g->decls,
                "[Associative] %s_%d %s_most_%d(%s_%d a, %s_%d b) => b.x > a.x ? b : a;\n", name,
                g->number, name, g->number, name, g->number, name, g->number);
    char v[16];
    new_name(g, v, "z");
    text_printf(g->out, "    %s_%d", name, g->number);
    text_add(g->out, dom.rank == 1 ? "[]" : dom.rank == 2 ? "[,]" : "[,,]");
    if (choose(g, 2)) { /* made by promotion */
        text_printf(g->out, " %s = new %s_%d(", v, name, g->number);
        for (int i = 0; i < n; i++) {
            if (i) text_add(g->out, ", ");
            if (i && choose(g, 3) == 0)
                write_literal(g, f[i], ty_size(f[i]));
            else
                write_function(g, f[i], ty_size(f[i]), &dom, 2);
        }
    } else { /* or by a definition */
        text_printf(g->out, " %s(", v);
        for (int d = 0; d < dom.rank; d++) {
            const Var *w = open_var(g, true, dom.dom[d]);
            text_printf(g->out, "%s%s : %d..%d", d ? ", " : "", w->name, dom.dom[d].lo,
                        dom.dom[d].hi);
            g->work *= span_len(dom.dom[d]);
        }
        text_printf(g->out, ") = new %s_%d(", name, g->number);
        for (int i = 0; i < n; i++) {
            if (i) text_add(g->out, ", ");
            write_expr(g, f[i], ty_size(f[i]), 2);
        }
        g->nvars = 0;
        g->work = 1;
    }
    text_add(g->out, ");\n");
    Value field = *new_value(g, "z", f[0], ty_size(f[0]), dom.rank, dom.dom, true);
    switch (form) {
    case 0:
        text_printf(g->out, "    Console.WriteLine(\"%s \" + text(%s_most_%d(%s)));\n", v, name,
                    g->number, v);
        break;
    case 1: text_printf(g->out, "    show%d(\"%s\", %s);\n", dom.rank, v, v); break;
    case 2:
        covered("promoted operator of a class");
        text_printf(g->out, "    %s_%d[%s] t%s = %s + %s;\n    show%d(\"%s\", t%s);\n", name,
                    g->number,
                    dom.rank == 1   ? ""
                    : dom.rank == 2 ? ","
                                    : ",,",
                    v, v, v, dom.rank, v, v);
        break;
    case 3:
        text_printf(g->out, "    Console.WriteLine(\"%s \" + text(sum(%s.Twice)));\n", v, v);
        break;
    default: break;
    }
    text_add(g->out, "    ");
    write_type(g, f[0], dom.rank, true);
    text_printf(g->out, " %s = %s.x;\n", field.name, v);
    if (form > 2) show(g, &field);
    text_free(&sum);
    text_free(&most);
    text_free(&params);
}
