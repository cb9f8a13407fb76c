/* Slices that are assigned in a loop: each element is made of some of the same array, which are its own, fixed,
 * beside it or mirrored, so that some may be stored where they are and some may not. */
#include "../random.h"

#include <stdio.h>

#define ONE_OF(g, list) (list)[choose(g, (int)(sizeof(list) / sizeof *(list)))]

static const char *const vars[] = {"i", "j", "k"};

typedef struct Slice {
    Value *of;
    Span box[MAX_RANK];
    bool moved; /* its indices count from 0 */
} Slice;

/* One index: of dimension d. */
static void write_index(Gen *g, const Slice *s, int d)
{
    Span all = s->of->dom[d], box = s->box[d];
    int by = s->moved ? box.lo : 0;
    switch (choose(g, 6)) {
    case 1: text_printf(g->out, "%d", all.lo + choose(g, span_len(all))); return;
    case 2: text_printf(g->out, "%d - %s", box.lo + box.hi - 1 - by, vars[d]); return;
    case 3: by += box.hi < all.hi; break;
    case 4: by -= box.lo > all.lo; break;
    case 5: /* at times what is beside it, which may be apart from it */
        if (box.hi + span_len(box) <= all.hi)
            by += span_len(box);
        else if (box.lo - span_len(box) >= all.lo)
            by -= span_len(box);
        break;
    default: break;
    }
    text_printf(g->out, by ? "%s + %d" : "%s", vars[d], by);
}

static void write_element_of(Gen *g, const Slice *s, const char *name, bool own)
{
    text_printf(g->out, "%s(", name);
    for (int d = 0; d < s->of->rank; d++) {
        if (d) text_add(g->out, ", ");
        if (own)
            text_printf(g->out, s->moved ? "%s + %d" : "%s", vars[d], s->box[d].lo);
        else
            write_index(g, s, d);
    }
    text_add(g->out, ")");
}

static void write_slice(Gen *g, const Slice *s, const char *other)
{
    static const char *const wholes[] = {"%a + %b", "%a ^ %b", "%a * 3 - %b", "Math.Max(%a, %b)"};
    static const char *const reals[] = {"0.5f * (%a + %b)", "Math.Max(%a, %b)",
                                        "(%a < %b ? %b : %a)"};
    const Value *v = s->of;
    bool real = ty_real(v->type);
    Text a = {0}, b = {0}, *out = g->out;
    g->out = &a;
    write_element_of(g, s, v->name, choose(g, 4) > 0);
    g->out = &b;
    write_element_of(g, s, rarely(g, 4) ? other : v->name, false);
    g->out = out;
    text_printf(out, "        %s[", v->name);
    for (int d = 0; d < v->rank; d++)
        text_printf(out, "%s%d..%d", d ? ", " : "", s->box[d].lo, s->box[d].hi);
    text_add(out, "] = let(");
    for (int d = 0; d < v->rank; d++)
        text_printf(out, "%s%s : %d..%d", d ? ", " : "", vars[d], s->moved ? 0 : s->box[d].lo,
                    s->moved ? span_len(s->box[d]) : s->box[d].hi);
    text_printf(out, ") (%s) (", ty_name(v->type));
    write_form(out, real ? ONE_OF(g, reals) : ONE_OF(g, wholes), "ab",
               (const char *const[]){a.data, b.data});
    text_add(out, ");\n");
    text_free(&a);
    text_free(&b);
}

void stmt_slices(Gen *g)
{
    static const Ty types[] = {INT, FLOAT, DOUBLE, LONG, BYTE, SHORT};
    Ty t = ONE_OF(g, types);
    int rank = 1 + choose(g, 3), steps = 1 + choose(g, 3), slices = 1 + choose(g, 2);
    Span dom[MAX_RANK];
    for (int d = 0; d < rank; d++) {
        int lo = choose(g, 4) == 3 ? choose(g, 7) - 3 : 0;
        dom[d] = (Span){lo, lo + 1 + choose(g, rank == 3 ? 12 : 60)};
    }
    Value u = *base_array(g, t, (Size){3, 0}, rank, dom);
    Size s = ty_real(t) ? (Size){5, 2 * steps * slices + 1} : ty_size(t);
    Value v = *new_value(g, "y", t, s, rank, dom, true),
          old = *new_value(g, "y", t, s, rank, dom, true);
    const Value *both[] = {&v, &old};
    covered("slices that are assigned");
    for (int i = 0; i < 2; i++) {
        text_add(g->out, "    ");
        write_type(g, t, rank, true);
        text_printf(g->out, " %s = %s;\n", both[i]->name, u.name);
    }
    text_printf(g->out, "    for (int t = 0; t < %d; t++) {\n", steps);
    for (int n = 0; n < slices; n++) {
        Slice slice = {.of = &v, .moved = choose(g, 2)};
        for (int d = 0; d < rank; d++) {
            int len = span_len(dom[d]), lo = dom[d].lo + choose(g, len);
            slice.box[d] = (Span){lo, lo + 1 + choose(g, dom[d].hi - lo)};
            if (choose(g, 2)) slice.box[d] = dom[d];
        }
        write_slice(g, &slice, u.name);
        if (rarely(g, 3)) /* from now on somebody else has it, too */
            text_printf(g->out, "        if (t == %d) %s = %s;\n", choose(g, steps), old.name,
                        v.name);
    }
    text_add(g->out, "    }\n");
    show(g, &v);
    if (choose(g, 2)) show(g, &old);
}
