/* Reading what a nest says before its loops: axes, results, and what is kept. */
#include <string.h>

#include "read.h"

/* ---- axes -------------------------------------------------------------------------------------- */

static bool has_room(Reader *r)
{
    if (r->n->naxes == NEST_AXES) reader_fail(r, "a nest has no room for so many axes");
    return !r->error;
}

/* Number of the axis of that name, made here if it is a variable; 0 at an error. */
int reader_axis(Reader *r)
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

/* ---- what is kept ------------------------------------------------------------------------------ */

/* The rest of the line. */
const FdNode *reader_term(Reader *r)
{
    reader_skip(r);
    const FdNode *node = nest_find_term(&r->names, r->at);
    if (!node) reader_fail(r, "the definition has no such expression");
    r->at += strlen(r->at);
    return node;
}

static void read_result(Reader *r)
{
    const FdNode *node = reader_term(r);
    if (node && node->kind != FD_REDUCE) reader_fail(r, "a result is a reduction");
    if (r->n->nreduces == NEST_RESULTS) reader_fail(r, "too many results");
    if (!r->error) r->n->reduces[r->n->nreduces++] = node;
}

static void read_registers(Reader *r)
{
    Nest *n = r->n;
    do {
        NestRegs regs = {.axis = reader_axis(r)};
        reader_expect(r, "times");
        regs.count = reader_expression(r, false);
        regs.step = reader_optional(r, "by");
        if (!regs.step) regs.step = num_int(r->u, 1);
        regs.run = reader_optional(r, "run");
        if (n->nregs == 2) reader_fail(r, "registers lie along two axes at most");
        if (!r->error) n->regs[n->nregs++] = regs;
    } while (!r->error && reader_accept(r, ","));
}

int reader_find_box(const Reader *r, const char *word)
{
    for (int i = 0; i < r->n->nboxes; i++)
        if (strcmp(r->n->boxes[i].name, word) == 0) return i;
    return -1;
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
        int at = reader_axis(r);
        if (p->naxes == NEST_AXES) reader_fail(r, "too many axes");
        if (r->error) return;
        p->axes[p->naxes] = at;
        p->lengths[p->naxes++] = reader_optional(r, "times");
    } while (reader_accept(r, ","));
}

/* scan VAR, or carry VAR times N */
static void read_carry(Reader *r, bool scan)
{
    Nest *n = r->n;
    if (n->carry_axis >= 0) reader_fail(r, "a nest carries along one axis");
    n->carry_axis = reader_axis(r);
    n->carried = 1;
    if (!scan) {
        reader_expect(r, "times");
        n->carried = reader_small_number(r, NEST_CARRIED + 1);
        return;
    }
    if (r->error) return;
    if (n->inside) n->scan = scan_of(r->u, r->interior, r->u->options->precise);
    if (!n->scan) reader_fail(r, "this is no scan");
    if (!reader_accept(r, "items")) return;
    n->scan_items = reader_expression(r, false);
    reader_expect(r, "by");
    n->scan_each = reader_expression(r, false);
}

/* box NAME [along AXIS] [times E] [where COND, ..] */
static void read_box(Reader *r)
{
    Nest *n = r->n;
    const FdNode *conds[NEST_CONDS];
    NestBox b = {.name = reader_plain_name(r), .axis = -1};
    if (reader_accept(r, "along")) b.axis = reader_axis(r);
    b.least = reader_optional(r, "times");
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
    if (reader_find_box(r, b.name) >= 0) reader_fail(r, "there is a box of that name");
    if (n->nboxes == NEST_BOXES) reader_fail(r, "too many boxes");
    if (r->error) return;
    if (b.nconds) b.conds = arena_copy(r->u->arena, conds, (size_t)b.nconds * sizeof *conds);
    nest_add_box(n, b);
}

/* wave ROWS by E, COLUMNS by E diagonal E */
static void read_wave(Reader *r)
{
    NestWave *w = &r->n->wave;
    for (int i = 0; i < 2; i++) {
        if (i) reader_expect(r, ",");
        w->axes[i] = reader_axis(r);
        reader_expect(r, "by");
        w->steps[i] = reader_expression(r, false);
    }
    reader_expect(r, "diagonal");
    w->diagonal = reader_expression(r, false);
    if (!r->error && r->n->inside) w->of = wave_of(r->u, r->interior);
    if (!w->of) reader_fail(r, "this is no wavefront");
}

bool reader_head(Reader *r)
{
    Nest *n = r->n;
    if (reader_accept(r, "axis")) {
        read_axis(r);
    } else if (reader_accept(r, "result")) {
        read_result(r);
    } else if (reader_accept(r, "registers")) {
        read_registers(r);
    } else if (reader_accept(r, "vectors")) {
        n->lanes_axis = reader_axis(r);
        n->scalar_give = reader_accept(r, "apart");
    } else if (reader_accept(r, "patch")) {
        n->patch[0] = reader_small_number(r, 65);
        reader_expect(r, "by");
        n->patch[1] = reader_small_number(r, 65);
    } else if (reader_accept(r, "sums")) {
        n->sums = true;
    } else if (reader_accept(r, "wave")) {
        read_wave(r);
    } else if (reader_accept(r, "scan")) {
        read_carry(r, true);
    } else if (reader_accept(r, "carry")) {
        read_carry(r, false);
    } else if (reader_accept(r, "part")) {
        read_part(r);
    } else if (reader_accept(r, "keys")) {
        n->keys.axis = reader_axis(r);
        if (reader_accept(r, "in")) n->keys.tables = reader_axis(r);
        if (reader_accept(r, "local")) {
            n->keys.entries = reader_expression(r, false);
            reader_expect(r, "times");
            n->keys.copies = reader_expression(r, false);
            n->keys.ordered = reader_accept(r, "ordered");
        }
    } else if (reader_accept(r, "block")) {
        n->block_axis = reader_axis(r);
        reader_expect(r, "by");
        n->block = reader_expression(r, false);
    } else if (reader_accept(r, "box")) {
        read_box(r);
    } else {
        return false;
    }
    if (n->root.first) reader_fail(r, "what a nest keeps is said before its loops");
    return true;
}
