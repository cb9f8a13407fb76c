/* User functions: parameters, locals, loops, branches. Their bodies see nothing else. */
#include "random.h"

#include <stdio.h>

/* What is assigned to the result: at most 3 statements add at most 7 times each. */
static Size part(Ty t, Size s, int bits)
{
    if (size_any(t, s) || t == BOOL) return s;
    return (Size){s.mag > bits ? s.mag - bits : 0, s.frac};
}

static void add_scalar(Gen *g, const char *name, Ty t, Size s)
{
    Scalar *x = &g->scalars[g->nscalars++];
    snprintf(x->name, sizeof x->name, "%s", name);
    x->type = t;
    x->size = s;
}

static void write_update(Gen *g, Ty t, Size s, bool add)
{
    text_add(g->out, "r = ");
    if (add && t != BOOL && (ty_real(t) || ty_bits(t) >= 31)) text_add(g->out, "r + ");
    write_expr(g, t, part(t, s, add ? 6 : 3), 2);
    text_add(g->out, "; ");
}

static void write_body_statement(Gen *g, Ty t, Size s)
{
    int scalars = g->nscalars, n = 1 + choose(g, 7);
    char k[16];
    switch (choose(g, 6)) {
    case 0:
        text_add(g->out, "    ");
        write_update(g, t, s, false);
        break;
    case 1:
        covered("if in a function");
        text_add(g->out, "    if (");
        write_bool(g, 2);
        text_add(g->out, ") ");
        write_update(g, t, s, false);
        if (!choose(g, 2)) break;
        text_add(g->out, "\n    else return ");
        write_expr(g, t, s, 2);
        text_add(g->out, ";");
        break;
    case 2:
        covered("for in a function");
        new_name(g, k, "k");
        text_printf(g->out, "    for (int %s = 0; %s < %d; %s++) { ", k, k, n, k);
        add_scalar(g, k, INT, (Size){3, 0});
        if (choose(g, 2)) {
            text_add(g->out, "if (");
            write_bool(g, 2);
            text_printf(g->out, ") %s; ", choose(g, 2) ? "continue" : "break");
            covered("break, continue");
        }
        write_update(g, t, s, true);
        text_add(g->out, "}");
        break;
    case 3:
        covered("while in a function");
        new_name(g, k, "k");
        text_printf(g->out, "    int %s = %d; ", k, n);
        add_scalar(g, k, INT, (Size){3, 0});
        if (choose(g, 2)) {
            text_printf(g->out, "while (%s > 0) { ", k);
            write_update(g, t, s, true);
            text_printf(g->out, "%s = %s - 1; }", k, k);
        } else {
            text_add(g->out, "do { ");
            write_update(g, t, s, true);
            text_printf(g->out, "%s--; } while (%s > 0);", k, k);
        }
        break;
    case 4:
        covered("switch in a function");
        text_add(g->out, "    switch (");
        write_expr(g, INT, ty_size(INT), 1);
        text_add(g->out, " & 3) { case 0: ");
        write_update(g, t, s, false);
        text_add(g->out, "break; case 1: case 2: return ");
        write_expr(g, t, s, 1);
        text_add(g->out, "; default: ");
        write_update(g, t, s, false);
        text_add(g->out, "break; }");
        break;
    default: {
        Ty l = choose_type(g);
        Size size = ty_size(l);
        new_name(g, k, "l");
        text_printf(g->out, "    %s %s = ", ty_name(l), k);
        write_expr(g, l, size, 2);
        text_add(g->out, ";\n");
        add_scalar(g, k, l, size);
        return;
    }
    }
    g->nscalars = scalars;
    text_add(g->out, "\n");
}

static void write_params(Gen *g, Func *f)
{
    for (int i = 0; i < f->nparams; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c", "pqst"[i]);
        if (f->array && i == 0) {
            text_printf(g->out, "%s[] %s", ty_name(f->params[0]), name);
            continue;
        }
        text_printf(g->out, "%s%s %s", i ? ", " : "", ty_name(f->params[i]), name);
        add_scalar(g, name, f->params[i], f->sizes[i]);
    }
}

const Func *need_func(Gen *g, Ty ret, Size s)
{
    Gen saved = *g;
    Text text = {0};
    Func f = {.ret = ret, .ret_size = s};
    new_name(g, f.name, "f");
    text_printf(&text, "%s %s_%d(", ty_name(ret), f.name, g->number);
    f.nparams = 1 + choose(g, 3);
    f.array = rarely(g, 4);
    if (f.array) f.nparams = 2;
    for (int i = 0; i < f.nparams; i++) {
        f.params[i] = f.array && i == 1 ? INT : choose_type(g);
        f.sizes[i] = ty_size(f.params[i]);
    }
    if (f.array)
        f.params[0] = ret == BOOL || ret == HALF ? INT : ret,
        f.sizes[0] = part(f.params[0], f.params[0] == ret ? s : ty_size(INT), 6);
    g->out = &text;
    g->nvars = g->nscalars = 0;
    g->in_func = true;
    g->guarded++;
    write_params(g, &f);
    text_add(g->out, ") {\n");
    text_printf(g->out, "    %s r = ", ty_name(ret));
    if (f.array && ret == f.params[0]) {
        covered("array parameter");
        text_add(g->out, "p[p.GetLowerBound(0) + (q % p.Length + p.Length) % p.Length];\n");
    } else {
        write_expr(g, ret, part(ret, s, 3), 2);
        text_add(g->out, ";\n");
    }
    if (size_any(ret, s) || ret == BOOL) add_scalar(g, "r", ret, s);
    int n = choose(g, 4);
    for (int i = 0; i < n; i++) write_body_statement(g, ret, s);
    if (f.array && ret == f.params[0] && ty_bits(ret) >= 31 && choose(g, 2)) {
        covered("loop over an array parameter");
        text_add(g->out, "    for (int k = p.GetLowerBound(0); k <= p.GetUpperBound(0); k++) r = r "
                         "* 3 + p[k];\n");
        if (!size_any(ret, s))
            text_printf(g->out, "    r = r %% %d;\n", 1 << (s.mag > 6 ? 6 : s.mag));
    }
    text_add(g->out, "    return r;\n}\n");
    /* What the body made stays: choices, names, and the functions that it needs itself. */
    int ids = g->ids, nfuncs = g->nfuncs;
    Func funcs[MAX_NAMES];
    for (int i = 0; i < nfuncs; i++) funcs[i] = g->funcs[i];
    Text decls = g->decls;
    *g = saved;
    g->ids = ids;
    g->decls = decls;
    g->nfuncs = nfuncs;
    for (int i = 0; i < nfuncs; i++) g->funcs[i] = funcs[i];
    text_add(&g->decls, text.data);
    text_free(&text);
    if (g->out == &saved.decls) g->out = &g->decls;
    g->funcs[g->nfuncs] = f;
    covered("user function");
    return &g->funcs[g->nfuncs++];
}

bool write_call(Gen *g, Ty t, Size s, int depth)
{
    if (depth < 1) return false;
    const Func *f = NULL;
    for (int i = 0; i < g->nfuncs && !f; i++)
        if (g->funcs[i].ret == t && size_fits(g->funcs[i].ret_size, s)) f = &g->funcs[i];
    if (!f && (g->nfuncs >= 3 || g->in_func)) return false;
    if (!f) f = need_func(g, t, s);
    Func call = *f;
    if (call.array) {
        const Value *a = NULL;
        for (int i = 0; i < g->nvalues && !g->in_func; i++) {
            const Value *v = &g->values[i];
            if (v->array && v->rank == 1 && v->type == call.params[0] &&
                size_fits(v->size, call.sizes[0]) && span_len(v->dom[0]))
                a = v;
        }
        if (!a) return false;
        covered("call with an array");
        text_printf(g->out, "%s_%d(%s, ", call.name, g->number, a->name);
        write_expr(g, INT, ty_size(INT), depth - 1);
        text_add(g->out, ")");
        return true;
    }
    covered("call");
    text_printf(g->out, "%s_%d(", call.name, g->number);
    for (int i = 0; i < call.nparams; i++) {
        if (i) text_add(g->out, ", ");
        write_expr(g, call.params[i], call.sizes[i], depth - 2);
    }
    text_add(g->out, ")");
    return true;
}
