/* Nests as text (docs/kernels.md): what they keep, then a line a loop or step, indented by the loops
 * around it. */
#include "tables.h"
#include "text.h"

typedef struct Printer {
    Unit *u;
    const Nest *n;
    NestNames names;
    Text *out;
} Printer;

static const char *axis(const Printer *p, int i)
{
    return nest_axis_name(&p->names, p->n, i);
}

/* word E, nothing if there is none. */
static void number(Printer *p, const char *word, Num *x)
{
    if (x) text_printf(p->out, " %s %s", word, num_text(p->u, x));
}

/* ---- fields ------------------------------------------------------------------------------------ */

static void print_fields(Printer *p, const NestField *f, const void *of);

/* Is it said? */
static bool is_said(const Printer *p, const NestField *f, const void *of)
{
    const void *at = (const char *)of + f->at;
    const NestStep *s = of;
    switch (f->kind) {
    case FIELD_AXIS: return *(const int *)at >= 0;
    case FIELD_NUM: return *(Num *const *)at != NULL;
    case FIELD_ONE: return *(Num *const *)at && !num_is(*(Num *const *)at, 1);
    case FIELD_FLAG: return *(const bool *)at;
    case FIELD_DOWN: return p->n->axes[s->axis].down;
    case FIELD_TAIL: return s->tail != NEST_CUT;
    case FIELD_RESULTS: return p->n->nreduces > 1;
    case FIELD_STEPS: return false;
    default: return true;
    }
}

static void print_space(Printer *p, const NestHold *h)
{
    text_printf(p->out, " %s", nest_spaces[h->space]);
    if (h->space == NEST_GLOBAL) text_printf(p->out, " temp %d", h->temp);
}

static const char *soon(const Printer *p, const NestStep *s)
{
    if (s->hold == NEST_READS) return "reads";
    return s->hold < 0 ? "give" : p->n->holds[s->hold].name;
}

static void print_value(Printer *p, const NestField *f, const void *of)
{
    const void *at = (const char *)of + f->at;
    const NestStep *s = of;
    Text *out = p->out;
    switch (f->kind) {
    case FIELD_AXIS: text_printf(out, " %s", axis(p, *(const int *)at)); break;
    case FIELD_NUM:
    case FIELD_ONE: text_printf(out, " %s", num_text(p->u, *(Num *const *)at)); break;
    case FIELD_SMALL: text_printf(out, " %d", *(const int *)at); break;
    case FIELD_NAME: text_printf(out, " %s", *(const char *const *)at); break;
    case FIELD_TERM:
        text_printf(out, " %s", nest_term_name(&p->names, *(const FdNode *const *)at));
        break;
    case FIELD_SPACE: print_space(p, of); break;
    case FIELD_TAIL: text_printf(out, " %s", nest_tails[s->tail]); break;
    case FIELD_HELD: print_fields(p, nest_hold_fields, &p->n->holds[s->hold]); break;
    case FIELD_SOON: text_printf(out, " %s", soon(p, s)); break;
    case FIELD_BOX: text_printf(out, " %s", p->n->boxes[s->box].name); break;
    case FIELD_RESULTS:
        for (int r = s->begin; r < s->end; r++) text_printf(out, " %d", r);
        break;
    case FIELD_FLAG:
    case FIELD_DOWN:
    case FIELD_STEPS:
    case FIELD_END: break;
    }
}

static void print_fields(Printer *p, const NestField *f, const void *of)
{
    for (; f->kind != FIELD_END; f++) {
        if (!is_said(p, f, of)) {
            f += f->more;
            continue;
        }
        if (f->word) text_printf(p->out, "%s%s", *f->word == ',' ? "" : " ", f->word);
        print_value(p, f, of);
    }
}

/* ---- what is kept ------------------------------------------------------------------------------ */

static void print_axis(Printer *p, int i)
{
    const NestAxis *x = &p->n->axes[i];
    bool down = x->down && p->n->wave.of; /* else a loop says it */
    if (x->nvars == 1 && !x->from && !x->to && !down) return;
    text_printf(p->out, "  axis %s", axis(p, i));
    for (int k = 0; k < x->nvars; k++)
        text_printf(p->out, "%s %s", k ? "," : " =", nest_var_name(&p->names, x->vars[k]));
    if (!x->nvars) number(p, "times", x->n);
    number(p, "from", x->from);
    number(p, "to", x->to);
    if (down) text_add(p->out, " down");
    text_add(p->out, "\n");
}

static void print_registers(Printer *p)
{
    const Nest *n = p->n;
    for (int i = 0; i < n->nregs; i++) {
        text_add(p->out, i ? "," : "  registers");
        print_fields(p, nest_regs_fields, &n->regs[i]);
    }
    if (n->nregs) text_add(p->out, "\n");
}

static void print_part(Printer *p)
{
    const NestPart *part = &p->n->part;
    if (!part->naxes) return;
    for (int r = 0; r < nest_places(p->n); r++) {
        text_add(p->out, r ? ", " : "  part ");
        if (part->temps[r] < 0)
            text_add(p->out, "own");
        else
            text_printf(p->out, "temp %d", part->temps[r]);
    }
    for (int i = 0; i < part->naxes; i++) {
        text_printf(p->out, "%s %s", i ? "," : " over", axis(p, part->axes[i]));
        number(p, "times", part->lengths[i]);
    }
    text_add(p->out, "\n");
}

static void print_box(Printer *p, const NestBox *b)
{
    text_add(p->out, "  box");
    print_fields(p, nest_box_fields, b);
    for (int i = 0; i < b->nconds; i++)
        text_printf(p->out, "%s %s", i ? "," : " where",
                    nest_cond_name(&p->names, p->n->def, b->conds[i]));
    text_add(p->out, "\n");
}

static void print_head(Printer *p)
{
    const Nest *n = p->n;
    for (int i = 0; i < n->naxes; i++) print_axis(p, i);
    for (int r = 0; r < n->nreduces; r++)
        text_printf(p->out, "  result %s\n", nest_term_name(&p->names, n->reduces[r]));
    print_registers(p);
    for (NestHeadKind i = 0; i <= HEAD_BLOCK; i++) {
        if (i == HEAD_KEYS) print_part(p);
        if (!nest_has_head(n, i)) continue;
        text_printf(p->out, "  %s", nest_heads[i].word);
        print_fields(p, nest_heads[i].fields, n);
        text_add(p->out, "\n");
    }
    for (int i = 0; i < n->nboxes; i++) print_box(p, &n->boxes[i]);
}

/* ---- loops and steps --------------------------------------------------------------------------- */

static void print_steps(Printer *p, const NestStep *s, int depth)
{
    for (; s; s = s->next) {
        const NestRow *row = nest_row(s);
        text_printf(p->out, "%*s%s", depth * 2, "", row->word);
        print_fields(p, row->fields, s);
        text_add(p->out, "\n");
        print_steps(p, s->first, depth + 1);
    }
}

void nest_print(Unit *u, const Nest *n, Text *out)
{
    Printer p = {.u = u, .n = n, .names = nest_names(u, n->def), .out = out};
    text_printf(out, "nest %s", n->name);
    if (n->inside) text_add(out, " inside");
    if (n->when && !num_is(n->when, 1)) number(&p, "when", n->when);
    if (n->checks != GEN_PROVED) text_printf(out, " %s", nest_checks[n->checks]);
    if (n->again) text_add(out, " again");
    if (n->stream) text_add(out, " stream");
    if (n->lanes != KIR_V4) text_printf(out, " lanes V%d", -n->lanes);
    text_add(out, "\n");
    print_head(&p);
    print_steps(&p, n->root.first, 1);
    nest_names_free(&p.names);
}
