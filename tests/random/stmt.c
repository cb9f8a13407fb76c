/* Statements of a case: what builds functions, evaluates them, changes arrays and prints. */
#include "random.h"

#include <stdio.h>

void line(Gen *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_add(&g->body, "    ");
    text_vprintf(&g->body, fmt, ap);
    text_add(&g->body, "\n");
    va_end(ap);
}

static bool domain_small(int rank, const Span *dom)
{
    long n = 1;
    for (int d = 0; d < rank; d++) n *= span_len(dom[d]);
    return n <= 4400;
}

Value *new_value(Gen *g, const char *prefix, Ty t, Size s, int rank, const Span *dom, bool array)
{
    if (g->nvalues == MAX_NAMES - 4) g->nvalues--;
    Value *v = &g->values[g->nvalues++];
    *v = (Value){.type = t, .size = s, .rank = rank, .array = array, .work = 1};
    for (int d = 0; d < rank; d++) v->dom[d] = dom[d];
    new_name(g, v->name, prefix);
    return v;
}

void write_type(Gen *g, Ty t, int rank, bool array)
{
    text_printf(g->out, "%s%s", ty_name(t), array ? "[" : "(int");
    for (int d = 1; d < rank; d++) text_add(g->out, array ? "," : ", int");
    text_add(g->out, array ? "]" : ")");
}

void show(Gen *g, const Value *v)
{
    text_printf(g->out, "    show%d(\"%s\", ", v->rank, v->name);
    if (!v->array) {
        text_add(g->out, "(");
        write_type(g, v->type, v->rank, true);
        text_add(g->out, ") ");
    }
    text_printf(g->out, "%s);\n", v->name);
}

Span choose_span(Gen *g, int limit)
{
    static const int lengths[] = {3, 2, 7, 1, 16, 17, 33, 64, 65, 0};
    int n = lengths[choose(g, 10)];
    while (n > limit) n = lengths[choose(g, 5)] % (limit + 1);
    int lo = choose(g, 4) == 3 ? choose(g, 9) - 4 : 0;
    return (Span){lo, lo + n};
}

/* A new array with contents from the host: no kernel. Its domain begins at 0, or a definition moves
 * it. */
Value *base_array(Gen *g, Ty t, Size s, int rank, const Span *dom)
{
    bool moved = false;
    for (int d = 0; d < rank; d++) moved |= dom[d].lo != 0;
    bool wild = size_any(t, s) && t != BOOL && choose(g, 3) == 2;
    int bits = wild        ? 0
               : s.mag < 3 ? s.mag
                           : 3,
        frac = ty_real(t) ? choose(g, (s.frac > 2 ? 2 : s.frac) + 1) : 0;
    Size has = wild ? s : (Size){bits, frac};
    if (t == BOOL) has = ty_size(BOOL);
    char plain[16];
    new_name(g, plain, "b");
    text_printf(g->out, "    ");
    write_type(g, t, rank, true);
    text_printf(g->out, " %s = %s%d(", plain, ty_name(t), rank);
    for (int d = 0; d < rank; d++) text_printf(g->out, "%d, ", span_len(dom[d]));
    text_printf(g->out, "%d, %d, %d);\n", choose(g, 1000), wild ? -1 : bits, frac);
    covered(ty_name(t));
    Value *v = new_value(g, "a", t, has, rank, dom, true);
    if (!moved) {
        snprintf(v->name, sizeof v->name, "%s", plain);
        return v;
    }
    covered("lower bound");
    text_add(g->out, "    ");
    write_type(g, t, rank, true);
    text_printf(g->out, " %s(", v->name);
    for (int d = 0; d < rank; d++)
        text_printf(g->out, "%si%d : %d..%d", d ? ", " : "", d, dom[d].lo, dom[d].hi);
    text_printf(g->out, ") = %s(", plain);
    for (int d = 0; d < rank; d++) text_printf(g->out, "%si%d - (%d)", d ? ", " : "", d, dom[d].lo);
    text_add(g->out, ");\n");
    return v;
}

Value *base_any(Gen *g)
{
    Ty t = choose_type(g);
    int rank = 1 + (choose(g, 5) + 1) / 3;
    if (rank == 3 && choose(g, 2)) rank = 2;
    Span dom[MAX_RANK];
    do {
        for (int d = 0; d < rank; d++) dom[d] = choose_span(g, rank == 3 ? 17 : 65);
    } while (!domain_small(rank, dom));
    return base_array(g, t, ty_size(t), rank, dom);
}

/* Begins a definition of rank n; returns the place where its head is to be written. */
static void write_definition(Gen *g, bool given)
{
    Ty t = choose_type(g);
    Size s = ty_size(t);
    int rank = 1 + choose(g, 3);
    Span dom[MAX_RANK];
    Text text = {0}, *out = g->out;
    Var saved[MAX_RANK];
    const Value *anchor = NULL;
    if (!given) {
        anchor = any_value(g);
        if (!anchor) return;
        if (rank > anchor->rank) rank = anchor->rank;
    } else {
        do {
            for (int d = 0; d < rank; d++) dom[d] = choose_span(g, rank == 3 ? 17 : 65);
        } while (!domain_small(rank, dom));
    }
    g->out = &text;
    for (int d = 0; d < rank; d++) open_var(g, given, given ? dom[d] : (Span){0, 0});
    g->work = 1;
    for (int d = 0; d < rank; d++) g->work *= span_len(given ? dom[d] : anchor->dom[d]) + 1;
    long often = g->work, reads = g->reads;
    bool ok = true;
    Size rest = s;
    if (anchor) {
        if (!size_any(t, s)) rest.mag--;
        text_add(&text, t == BOOL || ty_bits(t) >= 31 || ty_real(t) ? "(" : "(");
        bool narrow = !ty_real(t) && t != BOOL && ty_bits(t) < 31;
        if (narrow) text_printf(&text, "(%s) (", ty_name(t));
        Ty u = narrow ? INT : t;
        limit_begin(g, anchor->type, anchor->size, u, rest);
        ok = write_anchor(g, anchor, rank);
        limit_end(g, anchor->type, anchor->size, u, rest);
        text_add(&text, t == BOOL ? " ^ " : " + ");
        write_expr(g, u, narrow ? ty_size(INT) : rest, 3);
        text_add(&text, narrow ? "))" : ")");
    } else
        write_expr(g, t, s, 4);
    for (int d = rank; d-- > 0;) {
        saved[d] = g->vars[g->nvars - 1];
        Span range;
        bool closed = close_var(g, &range);
        if (!given && !closed) ok = false;
        if (!given) dom[d] = range;
    }
    g->work = 1;
    g->out = out;
    if (!ok) {
        text_free(&text);
        return;
    }
    bool array = choose(g, 2) == 0;
    covered(given ? "definition with given ranges" : "definition with inferred ranges");
    int form = given && array ? choose(g, 4) : 0; /* a definition, or a let that is converted */
    Value *v = new_value(g, "d", t, s, rank, dom, array);
    if (!array) v->work += (g->reads - reads) / often;
    text_add(g->out, "    ");
    if (array || choose(g, 3) == 2)
        write_type(g, t, rank, array);
    else
        text_add(g->out, "var");
    text_printf(g->out, form == 3 ? " %s = let(" : " %s(", v->name);
    for (int d = 0; d < rank; d++) {
        text_printf(g->out, "%s%s", d ? ", " : "", saved[d].name);
        if (given) text_printf(g->out, " : %d..%d", dom[d].lo, dom[d].hi);
    }
    text_printf(g->out, form == 3 ? ") %s;\n" : ") = %s;\n", text.data);
    text_free(&text);
    if (array || choose(g, 2)) show(g, v);
}

static void stmt_given(Gen *g)
{
    write_definition(g, true);
}

static void stmt_inferred(Gen *g)
{
    write_definition(g, false);
}

static void stmt_promotion(Gen *g)
{
    const Value *d = any_value(g);
    if (!d) return;
    Value domain = *d;
    Ty t = choose_type(g);
    bool array = choose(g, 2) == 0;
    covered("promotion");
    Text text = {0}, *out = g->out;
    g->out = &text;
    long reads = g->reads;
    write_function(g, t, ty_size(t), &domain, 3);
    g->out = out;
    Value *v = new_value(g, "f", t, ty_size(t), domain.rank, domain.dom, array);
    if (!array) v->work += (g->reads - reads) / value_len(&domain);
    text_add(g->out, "    ");
    if (array || choose(g, 2))
        write_type(g, t, domain.rank, array);
    else
        text_add(g->out, "var");
    text_printf(g->out, " %s = %s;\n", v->name, text.data);
    text_free(&text);
    if (array || choose(g, 2)) show(g, v);
}

static void stmt_scalar(Gen *g)
{
    Ty t = choose_type(g);
    Size s = ty_size(t);
    Scalar x = {.type = t, .size = s};
    new_name(g, x.name, "s");
    text_printf(g->out, "    %s %s = ", ty_name(t), x.name);
    const Value *v = any_value(g);
    bool whole = v && choose(g, 2) &&
                 (t == INT || t == LONG || t == UINT || t == ULONG || t == FLOAT || t == DOUBLE);
    if (whole) {
        static const char *const names[] = {"sum", "max", "min", "+ "};
        int op = choose(g, 4);
        Value domain = *v;
        covered("reduction of a function");
        text_printf(g->out, "%s(", names[op]);
        if (!size_any(t, s)) s.mag -= op == 0 || op == 3 ? 13 : 0;
        write_function(g, t, s, &domain, 2);
        text_add(g->out, ")");
    } else
        write_expr(g, t, s, 3);
    text_printf(g->out, ";\n    Console.WriteLine(\"%s \" + text(%s));\n", x.name, x.name);
    g->scalars[g->nscalars++] = x;
}

static const Value *some_array(Gen *g)
{
    if (!g->nvalues) return NULL;
    int first = choose(g, g->nvalues);
    for (int i = 0; i < g->nvalues; i++) {
        const Value *v = &g->values[(first + i) % g->nvalues];
        bool empty = false;
        for (int d = 0; d < v->rank; d++) empty |= !span_len(v->dom[d]);
        if (v->array && !empty) return v;
    }
    return NULL;
}

/* A pending expression over an array must not see later writes; nor a copy of it. */
static void stmt_write(Gen *g)
{
    const Value *a = some_array(g);
    if (!a) return;
    Value old = *a;
    covered("copy on write");
    Value *pending = new_value(g, "p", old.type, old.size, old.rank, old.dom, false);
    pending->work = 2;
    Value lazy = *pending;
    text_printf(g->out, "    var %s = (", lazy.name);
    if (old.type == BOOL)
        text_printf(g->out, "!%s);\n", old.name);
    else
        text_printf(g->out, old.type == HALF ? "%s > 0.0h ? %s : %s);\n" : "%s > 0 ? %s : %s);\n",
                    old.name, old.name, old.name);
    Value copy = *new_value(g, "c", old.type, old.size, old.rank, old.dom, true);
    text_add(g->out, "    ");
    write_type(g, old.type, old.rank, true);
    text_printf(g->out, " %s = %s;\n", copy.name, old.name);
    int writes = 1 + choose(g, 2);
    for (int i = 0; i < writes; i++) {
        text_printf(g->out, "    %s[", choose(g, 2) ? copy.name : old.name);
        for (int d = 0; d < old.rank; d++)
            text_printf(g->out, "%s%d", d ? ", " : "",
                        old.dom[d].lo + choose(g, span_len(old.dom[d])));
        text_add(g->out, "] = ");
        write_literal(g, old.type, old.size);
        text_add(g->out, ";\n");
    }
    show(g, &lazy);
    if (choose(g, 2)) show(g, &copy);
    if (choose(g, 2)) show(g, &old);
}

static Span write_slice_bounds(Gen *g, Span d)
{
    int n = span_len(d), from = choose(g, n), to = from + 1 + choose(g, n - from);
    switch (choose(g, 4)) {
    case 0: text_printf(g->out, "%d..%d", d.lo + from, d.lo + to); break;
    case 1: text_printf(g->out, "%d..", d.lo + from), to = n; break;
    case 2: text_printf(g->out, "..%d", d.lo + to), from = 0; break;
    default: text_printf(g->out, "^%d..^%d", n - from, n - to); break;
    }
    return (Span){0, to - from};
}

static void stmt_slice(Gen *g)
{
    const Value *a = any_value(g);
    if (!a) return;
    Value of = *a;
    Span dom[MAX_RANK];
    int rank = 0;
    Text text = {0}, *out = g->out;
    g->out = &text;
    covered("slice");
    text_printf(g->out, "%s[", of.name);
    for (int d = 0; d < of.rank; d++) {
        if (d) text_add(g->out, ", ");
        if ((d < of.rank - 1 || rank) && choose(g, 3) == 2)
            text_printf(g->out, "%d", of.dom[d].lo + choose(g, span_len(of.dom[d])));
        else
            dom[rank++] = write_slice_bounds(g, of.dom[d]);
    }
    text_add(g->out, "]");
    g->out = out;
    bool array = choose(g, 2) == 0;
    Value *v = new_value(g, "e", of.type, of.size, rank, dom, array);
    text_add(g->out, "    ");
    write_type(g, of.type, rank, array);
    text_printf(g->out, " %s = %s;\n", v->name, text.data);
    text_free(&text);
    if (array || choose(g, 2)) show(g, v);
}

static void stmt_slice_assign(Gen *g)
{
    const Value *a = some_array(g);
    if (!a) return;
    Value to = *a;
    Span dom[MAX_RANK];
    covered("assignment to a slice");
    text_printf(g->out, "    %s[", to.name);
    for (int d = 0; d < to.rank; d++) {
        if (d) text_add(g->out, ", ");
        dom[d] = write_slice_bounds(g, to.dom[d]);
    }
    text_add(g->out, "] = ");
    if (choose(g, 2)) {
        text_add(g->out, "let(");
        for (int d = 0; d < to.rank; d++) {
            const Var *w = open_var(g, true, dom[d]);
            text_printf(g->out, "%s%s : 0..%d", d ? ", " : "", w->name, dom[d].hi);
            g->work *= dom[d].hi + 1;
        }
        text_add(g->out, ") ");
        write_expr(g, to.type, to.size, 2);
        g->nvars = 0;
        g->work = 1;
    } else
        write_literal(g, to.type, to.size);
    text_add(g->out, ";\n");
    show(g, &to);
}

/* inside ?? whole */
static void stmt_otherwise(Gen *g)
{
    const Value *a = any_value(g);
    if (!a || a->type == BOOL) return;
    Value whole = *a;
    char name[16];
    new_name(g, name, "o");
    covered("??");
    text_printf(g->out, "    var %s(", name);
    for (int d = 0; d < whole.rank; d++) text_printf(g->out, "%si%d", d ? ", " : "", d);
    text_printf(g->out, ") = Math.Max(");
    for (int side = -1; side <= 1; side += 2) {
        text_printf(g->out,
                    ty_bits(whole.type) < 31 && !ty_real(whole.type) ? "%s(int) %s(" : "%s%s(",
                    side > 0 ? ", " : "", whole.name);
        for (int d = 0; d < whole.rank; d++)
            text_printf(g->out, d == 0 ? "%si%d + %d" : "%si%d", d ? ", " : "", d, side);
        text_add(g->out, ")");
    }
    text_add(g->out, ");\n");
    bool small = ty_bits(whole.type) < 31 && !ty_real(whole.type);
    Ty t = small ? INT : whole.type;
    if (span_len(whole.dom[0]) < 3) return;
    Value *v = new_value(g, "w", t, small ? (Size){whole.size.mag, 0} : whole.size, whole.rank,
                         whole.dom, choose(g, 2) == 0);
    if (!v->array) v->work = 3 * whole.work;
    text_add(g->out, "    ");
    write_type(g, t, v->rank, v->array);
    text_printf(g->out, small ? " %s = %s ?? ((int) %s);\n" : " %s = %s ?? %s;\n", v->name, name,
                whole.name);
    show(g, v);
}

void write_statement(Gen *g)
{
    static void (*const all[])(Gen *) = {
        stmt_given,         stmt_inferred,       stmt_promotion,
        stmt_scalar,        stmt_given,          stmt_inferred,
        stmt_promotion,     stmt_write,          stmt_slice,
        stmt_otherwise,     stmt_contraction,    stmt_recurrence,
        stmt_key,           stmt_chain,          stmt_ragged,
        stmt_window,        stmt_user_reduction, stmt_fold,
        stmt_record,        stmt_slice_assign,   stmt_partial,
        stmt_restriction,   stmt_range,          stmt_functional,
        stmt_local_array,   stmt_solve,          stmt_given_window,
        stmt_product,       stmt_together,       stmt_border,
        stmt_narrow,        stmt_gather,         stmt_lane_function,
        stmt_shift,         stmt_turned,         stmt_scan,
        stmt_wave,          stmt_table,          stmt_best,
        stmt_results,       stmt_border,         stmt_gather,
        stmt_lane_function, stmt_table,          stmt_guarded,
        stmt_steps,         stmt_stride,         stmt_few,
        stmt_operation,     stmt_user_scan,      stmt_steps,
        stmt_stride,        stmt_wrong,          stmt_wrong,
        stmt_special,       stmt_special,        stmt_slices,
        stmt_slices,        stmt_pixels,         stmt_pixels,
        stmt_pixels,        stmt_network,        stmt_network,
        stmt_network,       stmt_by_slices,      stmt_by_slices};
    g->out = &g->body;
    g->guarded = g->nvars = g->reductions = 0;
    g->work = 1;
    all[choose(g, sizeof all / sizeof *all)](g);
}
