/* Reads of elements. The generator keeps the ranges of bound variables as the compiler infers them.
 */
#include "random.h"

#include <string.h>

static Span meet(Span a, Span b)
{
    return (Span){a.lo > b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi};
}

static bool narrows(const Gen *g, const Var *w)
{
    return !w->given && g->guarded == w->guards;
}

/* A use of an inferred variable that keeps its range not empty. */
static bool use_affine(Var *w, Span within)
{
    Span s = w->affine ? meet(w->within, within) : within;
    if (s.lo >= s.hi || (w->plain && span_len(meet(s, w->use)) == 0)) return false;
    w->affine = true;
    w->within = s;
    return true;
}

static bool use_plain(Var *w, Span d)
{
    if (w->plain) return w->use.lo == d.lo && w->use.hi == d.hi;
    if (w->affine && span_len(meet(w->within, d)) == 0) return false;
    w->plain = true;
    w->use = d;
    return true;
}

static void write_modulo(Gen *g, Span d, const Var *w, int depth)
{
    int n = d.hi - d.lo, c = n * choose(g, 3) + choose(g, 5) - 2;
    if (d.lo) text_printf(g->out, "%d + ", d.lo);
    if (w && w->given && w->range.lo + c >= 0 && !rarely(g, 3)) {
        covered("index that goes round");
        text_printf(g->out, "(%s + %d) %% %d", w->name, c, n);
        return;
    }
    text_add(g->out, "((");
    if (w && !rarely(g, 3)) {
        text_printf(g->out, "(%s * %d + %d)", w->name, 1 + choose(g, 5), choose(g, 9));
    } else {
        covered("gather");
        write_expr(g, INT, ty_size(INT), depth - 1);
    }
    text_printf(g->out, ") %% %d + %d) %% %d", n, n, n);
}

/* An index inside of d, which is not empty (a plain use of an inferred variable may be of an empty
 * one). */
static void write_index(Gen *g, Span d, int depth)
{
    int n = d.hi - d.lo;
    if (!g->nvars) {
        text_printf(g->out, "%d", d.lo + choose(g, n));
        return;
    }
    Var *w = &g->vars[g->nvars - 1 - choose(g, g->nvars)];
    int kind = choose(g, depth > 0 ? 8 : 5), c = choose(g, 5) - 2;
    if (narrows(g, w)) {
        if (kind < 3 && use_plain(w, d)) {
            text_add(g->out, w->name);
            return;
        }
        if (kind < 5) {
            if (!c) c = 1; /* v + 0 is plain */
            if (use_affine(w, (Span){d.lo - c, d.hi - c})) {
                covered("stencil");
                text_printf(g->out, c < 0 ? "%s - %d" : "%s + %d", w->name, c < 0 ? -c : c);
                return;
            }
        } else if (kind == 5) {
            c += d.lo + d.hi;
            if (use_affine(w, (Span){c - d.hi + 1, c - d.lo + 1})) {
                covered("reversed index");
                text_printf(g->out, "%d - %s", c, w->name);
                return;
            }
        } else if (kind == 6 && n > 3) {
            c += d.lo;
            int below = d.lo - c, above = d.hi - c; /* below <= 2 w < above */
            if (use_affine(w, (Span){below >= 0 ? (below + 1) / 2 : -(-below / 2),
                                     above >= 0 ? (above + 1) / 2 : -(-above / 2)})) {
                covered("strided index");
                text_printf(g->out, c < 0 ? "2 * %s - %d" : "2 * %s + %d", w->name, c < 0 ? -c : c);
                return;
            }
        }
    } else if (w->given && w->range.lo < w->range.hi) {
        int first = d.lo - w->range.lo, last = d.hi - w->range.hi; /* first <= shift <= last */
        if (kind < 3 && first <= 0 && last >= 0) {
            text_add(g->out, w->name);
            return;
        }
        if (kind < 5 && first <= last) {
            int shift = first + choose(g, last - first + 1);
            covered("shift of a given range");
            text_printf(g->out, shift < 0 ? "%s - %d" : "%s + %d", w->name,
                        shift < 0 ? -shift : shift);
            return;
        }
        if (kind == 5 && d.hi - d.lo >= w->range.hi - w->range.lo) {
            covered("reversed given range");
            text_printf(g->out, "%d - %s", d.lo + w->range.hi - 1, w->name);
            return;
        }
    }
    if (choose(g, 2)) {
        covered("modulo index");
        write_modulo(g, d, w, depth);
    } else {
        covered("clamped index");
        text_printf(g->out, "Math.Min(Math.Max(%s + %d, %d), %d)", w->name, c + 2, d.lo, d.hi - 1);
    }
}

static bool value_empty(const Value *v)
{
    for (int d = 0; d < v->rank; d++)
        if (!span_len(v->dom[d])) return true;
    return false;
}

long value_len(const Value *v)
{
    long n = 1;
    for (int d = 0; d < v->rank; d++) n *= span_len(v->dom[d]);
    return n;
}

bool affordable(const Gen *g, const Value *v)
{
    return v->work == 1 || g->work * v->work <= WORK;
}

void count_read(Gen *g, const Value *v, long times)
{
    g->reads += g->work * times * v->work;
}

const Value *any_value(Gen *g)
{
    if (!g->nvalues) return NULL;
    int first = choose(g, g->nvalues);
    for (int i = 0; i < g->nvalues; i++) {
        const Value *v = &g->values[g->nvalues - 1 - (first + i) % g->nvalues];
        if (!value_empty(v) && affordable(g, v)) return v;
    }
    return NULL;
}

void write_element(Gen *g, const Value *v, int depth)
{
    bool bracket = choose(g, 4) == 3;
    count_read(g, v, 1);
    text_printf(g->out, "%s%c", v->name, bracket ? '[' : '(');
    for (int d = 0; d < v->rank; d++) {
        if (d) text_add(g->out, ", ");
        write_index(g, v->dom[d], depth);
    }
    text_add(g->out, bracket ? "]" : ")");
}

/* (i + 1 >= 0 && i + 1 < 7 ? u(i + 1) : e), or a boundary function: no use narrows. */
static void write_guarded(Gen *g, const Value *v, Ty t, Size s, int depth)
{
    Text index = {0};
    bool test = value_empty(v) || !choose(g, 2);
    int boundary = choose(g, 4);
    count_read(g, v, 1);
    g->guarded++;
    text_add(g->out, "(");
    for (int d = 0; d < v->rank; d++) {
        const Var *w = g->nvars ? &g->vars[g->nvars - 1 - choose(g, g->nvars)] : NULL;
        int c = choose(g, 7) - 3;
        Text one = {0};
        if (!w)
            text_printf(&one, "%d", v->dom[d].lo + c);
        else if (c)
            text_printf(&one, c < 0 ? "%s - %d" : "%s + %d", w->name, c < 0 ? -c : c);
        else
            text_add(&one, w->name);
        text_printf(&index, "%s%s", d ? ", " : "", one.data);
        if (test)
            text_printf(g->out, "%s%s >= %d && %s < %d", d ? " && " : "", one.data, v->dom[d].lo,
                        one.data, v->dom[d].hi);
        text_free(&one);
    }
    if (test) {
        covered("guarded read");
        text_printf(g->out, " ? ");
        limit_begin(g, v->type, v->size, t, s);
        text_printf(g->out, "%s(%s)", v->name, index.data);
        limit_end(g, v->type, v->size, t, s);
        text_add(g->out, " : ");
        write_expr(g, t, s, depth - 1);
    } else {
        static const char *const names[] = {"Clamp", "Periodic", "Mirror", "Constant"};
        covered(names[boundary]);
        limit_begin(g, v->type, v->size, t, s);
        text_printf(g->out, "%s(%s", names[boundary], v->name);
        if (boundary == 3) {
            text_add(g->out, ", ");
            write_literal(g, v->type, v->size);
        }
        text_printf(g->out, ")(%s)", index.data);
        limit_end(g, v->type, v->size, t, s);
    }
    text_add(g->out, ")");
    g->guarded--;
    text_free(&index);
}

static const char *suffix(Ty t)
{
    return t == UINT ? "u" : t == LONG ? "L" : t == ULONG ? "UL" : "";
}

static int mask(Size s)
{
    return s.mag < 1 ? 1 : (1 << (s.mag > 6 ? 6 : s.mag)) - 1;
}

void limit_begin(Gen *g, Ty from, Size has, Ty t, Size s)
{
    if (from == t && (t == BOOL || size_fits(has, s))) return;
    if (from == BOOL)
        text_add(g->out, "(");
    else if (t == BOOL)
        text_add(g->out, "((");
    else if (ty_signed(t) && ty_signed(from) && has.mag <= s.mag &&
             (!ty_real(t) || has.frac <= s.frac))
        text_printf(g->out, "((%s) ", ty_name(t));
    else
        text_printf(g->out, ty_real(from) ? "((%s) ((int) " : "((%s) (", ty_name(t));
}

void limit_end(Gen *g, Ty from, Size has, Ty t, Size s)
{
    if (from == t && (t == BOOL || size_fits(has, s))) return;
    if (from == BOOL) {
        text_add(g->out, " ? ");
        write_literal(g, t, s);
        text_add(g->out, " : ");
        write_literal(g, t, s);
        text_add(g->out, ")");
    } else if (t == BOOL) {
        if (ty_real(from))
            text_add(g->out, from == HALF ? ") > 0.0h)" : ") > 0)");
        else
            text_printf(g->out, " & 1%s) != 0)", suffix(from));
    } else if (ty_signed(t) && ty_signed(from) && has.mag <= s.mag &&
               (!ty_real(t) || has.frac <= s.frac))
        text_add(g->out, ")");
    else
        text_printf(g->out, " & %d%s))", mask(s), ty_real(from) ? "" : suffix(from));
}

void write_limited_read(Gen *g, const Value *v, Ty t, Size s, int depth)
{
    limit_begin(g, v->type, v->size, t, s);
    write_element(g, v, depth);
    limit_end(g, v->type, v->size, t, s);
}

bool write_read(Gen *g, Ty t, Size s, int depth)
{
    if (g->in_func || !g->nvalues) return false;
    int first = choose(g, g->nvalues);
    if (g->nvars && depth > 0 && rarely(g, 5) && affordable(g, &g->values[first])) {
        write_guarded(g, &g->values[first], t, s, depth);
        return true;
    }
    const Value *found = NULL;
    for (int i = 0; i < g->nvalues && !found; i++) {
        const Value *v = &g->values[(first + i) % g->nvalues];
        if (v->type == t && size_fits(v->size, s) && !value_empty(v) && affordable(g, v)) found = v;
    }
    if (!found || rarely(g, 4)) found = any_value(g);
    if (!found) return false;
    write_limited_read(g, found, t, s, depth);
    return true;
}

bool write_anchor(Gen *g, const Value *v, int n)
{
    count_read(g, v, 1);
    text_printf(g->out, "%s(", v->name);
    for (int d = 0; d < v->rank; d++) {
        if (d) text_add(g->out, ", ");
        if (d >= n) {
            write_index(g, v->dom[d], 0);
            continue;
        }
        Var *w = &g->vars[g->nvars - n + d];
        int c = choose(g, 4) == 3 ? choose(g, 5) - 2 : 0;
        if (c && use_affine(w, (Span){v->dom[d].lo - c, v->dom[d].hi - c})) {
            covered("stencil");
            text_printf(g->out, c < 0 ? "%s - %d" : "%s + %d", w->name, c < 0 ? -c : c);
        } else if (use_plain(w, v->dom[d]))
            text_add(g->out, w->name);
        else
            return false;
    }
    text_add(g->out, ")");
    return true;
}
