/* Reading the lines of a nest: axes, results and what is kept, then loops and steps. What makes no sense
 * is left to nest_verify. */
#include <string.h>

#include "read.h"
#include "tables.h"

static void read_fields(Reader *r, const NestField *f, void *of);

/* ---- axes -------------------------------------------------------------------------------------- */

static bool has_room(Reader *r)
{
    if (r->n->naxes == NEST_AXES) reader_fail(r, "a nest has no room for so many axes");
    return !r->error;
}

/* Number of the axis of that name, made here if it is a variable; 0 at an error. */
static int read_axis_name(Reader *r)
{
    Nest *n = r->n;
    const char *word = reader_name(r);
    for (int i = 0; i < n->naxes; i++)
        if (strcmp(r->axis_names[i], word) == 0) return i;
    const NestTerm *v = nest_find_var(&r->names, word);
    if (!v) {
        reader_fail(r, arena_printf(r->u->arena, "there is no axis or variable '%s'", word));
    } else if (has_room(r)) {
        r->axis_names[n->naxes] = word;
        return nest_axis(r->u, n, 1, arena_copy(r->u->arena, &v->node, sizeof v->node), v->dom);
    }
    return 0;
}

/* axis NAME = VAR, .. or axis NAME times E */
static void read_axis(Reader *r)
{
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int n = 0;
    Arena *a = r->u->arena;
    const char *word = reader_name(r);
    for (int i = 0; i < r->n->naxes; i++)
        if (strcmp(r->axis_names[i], word) == 0) reader_fail(r, "there is an axis of that name");
    if (!has_room(r)) return;
    r->axis_names[r->n->naxes] = word;
    if (reader_accept(r, "times")) {
        const char *plain = arena_strndup(a, word, strcspn(word, "#"));
        nest_axis_parts(r->n, plain, reader_expression(r, false));
        return;
    }
    reader_expect(r, "=");
    do {
        const NestTerm *v = r->error ? NULL : nest_find_var(&r->names, reader_name(r));
        if (!v || n == FD_MAX_RANK) {
            reader_fail(r, v ? "too many variables" : "there is no such variable");
            return;
        }
        vars[n] = v->node;
        doms[n++] = *v->dom;
    } while (reader_accept(r, ","));
    int at = nest_axis(r->u, r->n, n, arena_copy(a, vars, (size_t)n * sizeof *vars),
                       arena_copy(a, doms, (size_t)n * sizeof *doms));
    Num *from = reader_optional(r, "from"), *to = reader_optional(r, "to");
    bool own = n == 1 && (r->n->def->nvars && r->n->axes[at].n);
    if ((from || to) && !own)
        reader_fail(r, "only of one variable of the definition there are some positions");
    else if (from || to)
        nest_axis_cut(r->u, r->n, at, from, to);
    r->n->axes[at].down = reader_accept(r, "down");
}

/* ---- fields ------------------------------------------------------------------------------------ */

/* The rest of the line. */
static const FdNode *read_term(Reader *r)
{
    reader_skip(r);
    const FdNode *node = nest_find_term(&r->names, r->at);
    if (!node) reader_fail(r, "the definition has no such expression");
    r->at += strlen(r->at);
    return node;
}

static void read_space(Reader *r, NestHold *h)
{
    int space = reader_accept_any(r, nest_spaces, NEST_SPACES);
    if (space < 0) reader_fail(r, "a hold is in registers, private, local or global");
    h->space = (NestSpace)(space < 0 ? 0 : space);
    if (h->space != NEST_GLOBAL) return;
    reader_expect(r, "temp");
    h->temp = reader_small_number(r, r->u->ntemps);
}

static void read_held(Reader *r, NestStep *s)
{
    NestHold h = {.batch = -1, .along = -1, .across = -1};
    read_fields(r, nest_hold_fields, &h);
    if (r->n->nholds == NEST_HOLDS) reader_fail(r, "too many holds");
    if (!r->error) s->hold = nest_add_hold(r->n, h);
}

static void read_soon(Reader *r, NestStep *s)
{
    s->hold = -1;
    if (reader_accept(r, "give")) return;
    if (reader_accept(r, "reads")) {
        s->hold = NEST_READS;
        return;
    }
    const char *word = reader_plain_name(r);
    for (int i = 0; i < r->n->nholds; i++)
        if (strcmp(r->n->holds[i].name, word) == 0) s->hold = i;
    if (s->hold < 0) reader_fail(r, "there is no hold of that name");
}

static int find_box(const Reader *r, const char *word)
{
    for (int i = 0; i < r->n->nboxes; i++)
        if (strcmp(r->n->boxes[i].name, word) == 0) return i;
    return -1;
}

/* All of them, or 0 1: of these, which follow each other. */
static void read_results(Reader *r, NestStep *s)
{
    s->end = r->n->nreduces;
    reader_skip(r);
    if (!*r->at) return;
    s->begin = s->end = reader_small_number(r, r->n->nreduces);
    for (s->end++, reader_skip(r); *r->at && !r->error; s->end++, reader_skip(r))
        if (reader_small_number(r, r->n->nreduces) != s->end)
            reader_fail(r, "the results follow each other");
}

static void read_value(Reader *r, const NestField *f, void *of)
{
    void *at = (char *)of + f->at;
    NestStep *s = of;
    int tail;
    switch (f->kind) {
    case FIELD_AXIS: *(int *)at = read_axis_name(r); break;
    case FIELD_NUM:
    case FIELD_ONE: *(Num **)at = reader_expression(r, false); break;
    case FIELD_FLAG: *(bool *)at = true; break;
    case FIELD_SMALL: *(int *)at = reader_small_number(r, f->limit); break;
    case FIELD_NAME: *(const char **)at = reader_plain_name(r); break;
    case FIELD_TERM: *(const FdNode **)at = read_term(r); break;
    case FIELD_SPACE: read_space(r, of); break;
    case FIELD_DOWN: r->n->axes[s->axis].down = true; break;
    case FIELD_TAIL:
        tail = reader_accept_any(r, nest_tails, NEST_TAILS);
        s->tail = tail < 0 ? NEST_CUT : (NestTail)tail;
        break;
    case FIELD_HELD: read_held(r, s); break;
    case FIELD_SOON: read_soon(r, s); break;
    case FIELD_BOX:
        s->box = find_box(r, reader_name(r));
        if (s->box < 0) reader_fail(r, "there is no box of that name");
        break;
    case FIELD_RESULTS: read_results(r, s); break;
    case FIELD_STEPS:
    case FIELD_END: break;
    }
}

static void read_fields(Reader *r, const NestField *f, void *of)
{
    for (; f->kind != FIELD_END && !r->error; f++) {
        void *at = (char *)of + f->at;
        if (f->word && f->maybe && !reader_accept(r, f->word)) {
            if (f->kind == FIELD_AXIS) *(int *)at = -1;
            if (f->kind == FIELD_ONE) *(Num **)at = num_int(r->u, 1);
            f += f->more;
            continue;
        }
        if (f->word && !f->maybe) reader_expect(r, f->word);
        if (!r->error) read_value(r, f, of);
    }
}

/* ---- what is kept ------------------------------------------------------------------------------ */

static void read_result(Reader *r)
{
    const FdNode *node = read_term(r);
    if (node && node->kind != FD_REDUCE) reader_fail(r, "a result is a reduction");
    if (r->n->nreduces == NEST_RESULTS) reader_fail(r, "too many results");
    if (!r->error) r->n->reduces[r->n->nreduces++] = node;
}

static void read_registers(Reader *r)
{
    Nest *n = r->n;
    do {
        NestRegs regs = {0};
        read_fields(r, nest_regs_fields, &regs);
        if (n->nregs == 2) reader_fail(r, "registers lie along two axes at most");
        if (!r->error) n->regs[n->nregs++] = regs;
    } while (!r->error && reader_accept(r, ","));
}

static void read_part(Reader *r)
{
    NestPart *p = &r->n->part;
    int places = 0;
    do {
        bool own = reader_accept(r, "own");
        if (!own) reader_expect(r, "temp");
        int temp = own ? -1 : reader_small_number(r, r->u->ntemps);
        if (places == nest_places(r->n)) reader_fail(r, "a part has a place for each result");
        if (!r->error) p->temps[places++] = temp;
    } while (!r->error && reader_accept(r, ","));
    if (places < nest_places(r->n)) reader_fail(r, "a part has a place for each result");
    reader_expect(r, "over");
    do {
        int at = read_axis_name(r);
        if (p->naxes == NEST_AXES) reader_fail(r, "too many axes");
        if (r->error) return;
        p->axes[p->naxes] = at;
        p->lengths[p->naxes++] = reader_optional(r, "times");
    } while (reader_accept(r, ","));
}

/* box NAME [along AXIS] [times E] [where COND, ..] */
static void read_box(Reader *r)
{
    Nest *n = r->n;
    const FdNode *conds[NEST_CONDS];
    NestBox b = {.axis = -1};
    read_fields(r, nest_box_fields, &b);
    if (reader_accept(r, "where")) {
        do {
            reader_skip(r);
            const FdNode *c = r->error ? NULL : nest_find_cond(&r->names, n->def, &r->at);
            if (!c || b.nconds == NEST_CONDS) {
                reader_fail(r, c ? "too many conditions" : "the definition has no such condition");
                return;
            }
            conds[b.nconds++] = c;
        } while (reader_accept(r, ","));
    }
    if (find_box(r, b.name) >= 0) reader_fail(r, "there is a box of that name");
    if (n->nboxes == NEST_BOXES) reader_fail(r, "too many boxes");
    if (r->error) return;
    if (b.nconds) b.conds = arena_copy(r->u->arena, conds, (size_t)b.nconds * sizeof *conds);
    nest_add_box(n, b);
}

/* What the line says is a fact of the interior. */
static void find_form(Reader *r, NestHeadKind kind)
{
    Nest *n = r->n;
    if (r->error) return;
    if (kind == HEAD_SCAN) {
        n->carried = 1;
        if (n->inside) n->scan = scan_of(r->u, r->interior, r->u->options->precise);
        if (!n->scan) reader_fail(r, "this is no scan");
    } else if (kind == HEAD_WAVE) {
        if (n->inside) n->wave.of = wave_of(r->u, r->interior);
        if (!n->wave.of) reader_fail(r, "this is no wavefront");
    }
}

static bool read_listed(Reader *r)
{
    static const struct {
        const char *word;
        void (*read)(Reader *r);
    } lists[] = {{"axis", read_axis},
                 {"result", read_result},
                 {"registers", read_registers},
                 {"part", read_part},
                 {"box", read_box}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!reader_accept(r, lists[i].word)) continue;
        lists[i].read(r);
        return true;
    }
    return false;
}

static bool read_head(Reader *r)
{
    bool found = read_listed(r);
    for (NestHeadKind k = 0; k <= HEAD_BLOCK && !found; k++) {
        if (!reader_accept(r, nest_heads[k].word)) continue;
        found = true;
        if ((k == HEAD_SCAN || k == HEAD_CARRY) && r->n->carry_axis >= 0)
            reader_fail(r, "a nest carries along one axis");
        read_fields(r, nest_heads[k].fields, r->n);
        find_form(r, k);
    }
    if (found && r->n->root.first) reader_fail(r, "what a nest keeps is said before its loops");
    return found;
}

/* ---- loops and steps --------------------------------------------------------------------------- */

void reader_step(Reader *r, int depth)
{
    if (depth == 1 && read_head(r)) return;
    if (depth > r->top) {
        reader_fail(r, "this stands deeper than the loop around it");
        return;
    }
    const NestRow *row = nest_rows, *end = nest_rows + NEST_BINDS + NEST_KINDS;
    while (row < end && !(row->word && reader_accept(r, row->word))) row++;
    r->top = depth;
    if (row == end) {
        reader_fail(r, "there is no such step");
        return;
    }
    bool holds = nest_row_holds_steps(row);
    if (holds && depth > READER_DEEPEST) reader_fail(r, "too many loops in each other");
    if (r->error) return;
    NestStep *s = nest_step(r->u, r->in[depth], row->kind);
    s->bind = row->bind;
    read_fields(r, row->fields, s);
    if (holds && !r->error) r->in[++r->top] = s;
}
