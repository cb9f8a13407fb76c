/* Promotion: expressions whose operands are functions over one domain. */
#include "random.h"

static bool same_domain(const Value *a, const Value *b)
{
    if (a->rank != b->rank) return false;
    for (int d = 0; d < a->rank; d++)
        if (a->dom[d].lo != b->dom[d].lo || a->dom[d].hi != b->dom[d].hi) return false;
    return true;
}

static void write_leaf(Gen *g, Ty t, Size s, const Value *v)
{
    const Value *leaf = v;
    int first = choose(g, g->nvalues);
    for (int i = 0; i < g->nvalues; i++) {
        const Value *w = &g->values[(first + i) % g->nvalues];
        if (!same_domain(v, w) || !affordable(g, w)) continue;
        leaf = w;
        if (w->type == t && size_fits(w->size, s)) break;
    }
    count_read(g, leaf, value_len(leaf));
    limit_begin(g, leaf->type, leaf->size, t, s);
    text_add(g->out, leaf->name);
    limit_end(g, leaf->type, leaf->size, t, s);
}

/* (let(i : 0..3) e): a function of its own */
static void write_let(Gen *g, Ty t, Size s, const Value *v, int depth)
{
    covered("let");
    text_add(g->out, "(let(");
    int vars = g->nvars;
    long work = g->work;
    for (int d = 0; d < v->rank; d++) {
        const Var *w = open_var(g, true, v->dom[d]);
        text_printf(g->out, "%s%s : %d..%d", d ? ", " : "", w->name, v->dom[d].lo, v->dom[d].hi);
        g->work *= span_len(v->dom[d]) + 1;
    }
    text_add(g->out, ") ");
    write_expr(g, t, s, depth - 1);
    text_add(g->out, ")");
    g->nvars = vars;
    g->work = work;
}

/* Both operands, one of them a scalar now and then. */
static void write_pair(Gen *g, const char *open, const char *middle, Ty t, Size a, Size b,
                       const Value *v, int depth)
{
    int scalar = choose(g, 4);
    text_add(g->out, open);
    if (scalar == 1)
        write_literal(g, t, a);
    else
        write_function(g, t, a, v, depth - 1);
    text_add(g->out, middle);
    if (scalar == 2)
        write_literal(g, t, b);
    else
        write_function(g, t, b, v, depth - 1);
    text_add(g->out, ")");
}

static void write_call_of_functions(Gen *g, Ty t, Size s, const Value *v, int depth)
{
    const Func *f = NULL;
    for (int i = 0; i < g->nfuncs && !f; i++)
        if (g->funcs[i].ret == t && !g->funcs[i].array && size_fits(g->funcs[i].ret_size, s))
            f = &g->funcs[i];
    if (!f && g->nfuncs < 3) f = need_func(g, t, s);
    if (!f || f->array) {
        write_leaf(g, t, s, v);
        return;
    }
    Func call = *f;
    covered("promoted call");
    text_printf(g->out, "%s_%d(", call.name, g->number);
    for (int i = 0; i < call.nparams; i++) {
        if (i) text_add(g->out, ", ");
        if (i && choose(g, 2))
            write_literal(g, call.params[i], call.sizes[i]);
        else
            write_function(g, call.params[i], call.sizes[i], v, depth - 2);
    }
    text_add(g->out, ")");
}

/* a(idx): idx gives indices inside of a. */
static void write_gather(Gen *g, Ty t, Size s, const Value *v, int depth)
{
    const Value *a = any_value(g);
    if (!a || a->rank != 1) {
        write_leaf(g, t, s, v);
        return;
    }
    int n = span_len(a->dom[0]);
    covered("promoted gather");
    count_read(g, a, value_len(v));
    limit_begin(g, a->type, a->size, t, s);
    text_printf(g->out, "%s(((", a->name);
    write_function(g, INT, ty_size(INT), v, depth - 1);
    text_printf(g->out, " %% %d) + %d) %% %d", n, n, n);
    if (a->dom[0].lo) text_printf(g->out, " + (%d)", a->dom[0].lo);
    text_add(g->out, ")");
    limit_end(g, a->type, a->size, t, s);
}

void write_function(Gen *g, Ty t, Size s, const Value *v, int depth)
{
    static const char *const signs[] = {" + ", " - "},
                             *const compare[] = {" < ", " == ", " >= ", " != "},
                             *const logic[] = {" & ", " | ", " && ", " || "};
    if (depth <= 0) {
        write_leaf(g, t, s, v);
        return;
    }
    bool arithmetic = t != BOOL && (ty_real(t) || ty_bits(t) >= 31), any = size_any(t, s);
    Size half_size = {s.mag / 2, s.frac / 2}, other = {s.mag - s.mag / 2, s.frac - s.frac / 2},
         less = {s.mag - 1, s.frac};
    switch (choose(g, 9)) {
    case 0: write_leaf(g, t, s, v); return;
    case 1:
    case 2:
        covered("promoted operator");
        if (t == BOOL) {
            Ty u = choose(g, 2) ? INT : DOUBLE;
            if (choose(g, 2))
                write_pair(g, "(", compare[choose(g, 4)], u, ty_size(u), ty_size(u), v, depth);
            else
                write_pair(g, "(", logic[choose(g, 4)], BOOL, s, s, v, depth);
        } else if (!arithmetic || (!any && !ty_signed(t)) || s.mag < 1)
            write_leaf(g, t, s, v);
        else
            write_pair(g, "(", signs[choose(g, 2)], t, any ? s : less, any ? s : less, v, depth);
        return;
    case 3:
        if (!arithmetic || (!any && !ty_real(t))) break;
        covered("promoted operator");
        write_pair(g, "(", " * ", t, any ? s : half_size, any ? s : other, v, depth);
        return;
    case 4:
        covered("promoted ?:");
        text_add(g->out, "(");
        write_function(g, BOOL, ty_size(BOOL), v, depth - 1);
        text_add(g->out, " ? ");
        g->guarded++;
        write_function(g, t, s, v, depth - 1);
        text_add(g->out, " : ");
        if (choose(g, 2))
            write_function(g, t, s, v, depth - 1);
        else
            write_literal(g, t, s);
        g->guarded--;
        text_add(g->out, ")");
        return;
    case 5: write_let(g, t, s, v, depth); return;
    case 6: write_call_of_functions(g, t, s, v, depth); return;
    case 7: write_gather(g, t, s, v, depth); return;
    default:
        if (!arithmetic) break;
        covered("promoted Math");
        write_pair(g, choose(g, 2) ? "Math.Min(" : "Math.Max(", ", ", t, s, s, v, depth);
        return;
    }
    write_leaf(g, t, s, v);
}
