/* Reductions in expressions. */
#include "random.h"

#include <string.h>

Var *open_var(Gen *g, bool given, Span range)
{
    Var *w = &g->vars[g->nvars++];
    *w = (Var){.given = given, .range = range, .guards = g->guarded};
    new_name(g, w->name, "v");
    return w;
}

bool close_var(Gen *g, Span *range)
{
    const Var *w = &g->vars[--g->nvars];
    Span r = w->range;
    if (!w->given) {
        if (!w->plain && !w->affine) return false;
        r = w->plain ? w->use : w->within;
        if (w->plain && w->affine) {
            if (w->within.lo > r.lo) r.lo = w->within.lo;
            if (w->within.hi < r.hi) r.hi = w->within.hi;
        }
    }
    if (range) *range = r;
    return r.lo < r.hi && r.lo > -200 && r.hi < 200;
}

typedef struct Operation {
    const char *name;
    bool sum, prod;
} Operation;

/* What the n variables of a reduction get their ranges from. */
static const Value *choose_anchor(Gen *g, int n)
{
    int first = g->nvalues ? choose(g, g->nvalues) : 0;
    for (int i = 0; i < g->nvalues; i++) {
        const Value *v = &g->values[(first + i) % g->nvalues];
        long often = g->work * v->work;
        for (int d = 0; d < n && d < v->rank; d++) often *= span_len(v->dom[d]);
        if (v->rank >= n && value_len(v) && often <= WORK) return v;
    }
    return NULL;
}

static void write_operand(Gen *g, Operation op, Ty t, Size s, int n, const Value *anchor, int depth,
                          bool *failed)
{
    Size rest = s;
    if (op.sum && !size_any(t, s)) rest.mag -= 7 * n;
    if (op.prod && !size_any(t, s)) {
        text_add(g->out, "(");
        write_bool(g, depth - 1);
        text_add(g->out, " ? ");
        text_add(g->out, t == INT      ? "-2 : 1)"
                         : t == FLOAT  ? "-2f : 1f)"
                         : t == DOUBLE ? "-2d : 1d)"
                                       : "2 : 1)");
        return;
    }
    if (!anchor) {
        write_expr(g, t, rest, depth - 1);
        return;
    }
    if (!size_any(t, rest)) rest.mag--;
    text_add(g->out, "(");
    limit_begin(g, anchor->type, anchor->size, t, rest);
    if (!write_anchor(g, anchor, n)) *failed = true;
    limit_end(g, anchor->type, anchor->size, t, rest);
    text_add(g->out, t == BOOL                  ? (choose(g, 2) ? " & " : " | ")
                     : op.prod || !choose(g, 2) ? " + "
                                                : " - ");
    write_expr(g, t, rest, depth - 1);
    text_add(g->out, ")");
}

static bool write_once(Gen *g, Operation op, Ty t, Size s, int n, bool given, int depth)
{
    static const int lengths[] = {3, 1, 2, 7, 16, 17, 33};
    bool failed = false;
    const Value *anchor = given ? NULL : choose_anchor(g, n);
    if (!given && !anchor) return false;
    long work = g->work;
    text_printf(g->out, "%s(", op.name);
    for (int i = 0; i < n; i++) {
        int len = lengths[choose(g, op.prod ? 4 : 7)], lo = choose(g, 3) ? 0 : choose(g, 5) - 2;
        while (given && work * len > WORK && len > 1) len /= 2;
        const Var *w = open_var(g, given, (Span){lo, lo + len});
        if (given)
            text_printf(g->out,
                        n == 1   ? "%s : %d..%d, "
                        : i == 0 ? "%s : %d..%d, "
                                 : "%s : %d..%d, ",
                        w->name, lo, lo + len);
        work *= given ? len : span_len(anchor->dom[i]);
    }
    long outer = g->work;
    g->work = work;
    g->reductions++;
    write_operand(g, op, t, s, n, anchor, depth, &failed);
    g->reductions--;
    g->work = outer;
    text_add(g->out, ")");
    for (int i = 0; i < n; i++)
        if (!close_var(g, NULL)) failed = true;
    return !failed;
}

bool write_reduction(Gen *g, Ty t, Size s, int depth)
{
    static const Operation real[] = {{"sum", true, false},  {"min", false, false},
                                     {"max", false, false}, {"+ ", true, false},
                                     {"prod", false, true}, {"* ", false, true}};
    static const Operation truth[] = {{"any", false, false}, {"all", false, false}};
    if (g->in_func || g->reductions >= 2 || g->work * 3 > WORK) return false;
    if (t == SBYTE || t == BYTE || t == SHORT || t == USHORT) return false;
    Operation op = t == BOOL   ? truth[choose(g, 2)]
                   : t == HALF ? real[1 + choose(g, 2)]
                               : real[choose(g, 6)];
    int n = 1 + (choose(g, 4) == 3);
    if (op.sum && !size_any(t, s) && s.mag < 7 * n + 2) op = real[1];
    if (op.prod && !size_any(t, s) && (n > 1 || s.mag < 8 || !ty_signed(t))) op = real[2];
    bool given = !g->nvalues || choose(g, 2) == 0 || (op.prod && !size_any(t, s));
    if (op.prod) n = 1;
    covered(op.name);
    if (!given) {
        size_t mark = g->out->len;
        int guarded = g->guarded, nvars = g->nvars;
        Var before[MAX_NAMES];
        memcpy(before, g->vars, sizeof before);
        if (write_once(g, op, t, s, n, false, depth)) {
            covered("inferred reduction");
            return true;
        }
        memcpy(g->vars, before, sizeof before);
        g->nvars = nvars;
        g->guarded = guarded;
        g->out->len = mark;
        if (g->out->data) g->out->data[mark] = 0;
    }
    covered("given reduction");
    return write_once(g, op, t, s, n, true, depth);
}
