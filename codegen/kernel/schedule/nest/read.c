/* Reading schedules: nest_print's text and the lines of the plan around it (docs/kernels.md). Texts
 * come from files, so everything is asked for; what makes no sense is left to nest_verify. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../schedule.h"
#include "bands.h"
#include "text.h"

enum { DEEPEST = 64 }; /* loops in each other; lowering takes fewer */

typedef struct Reader {
    Unit *u;
    const Def *defs;
    int ndefs, done; /* definitions so far */
    const char *next, *at;
    int line;
    const char *error;
    NestNames names; /* of `named` */
    const Def *named;
    Interior *interior; /* of the last nest that is inside one */
    int loops;          /* of the plan, open */
    Nest *n;            /* being read; NULL: none */
    Bands *bands;       /* the same */
    int nest_line, bands_line;
    const char *axis_names[NEST_AXES];
    NestStep *in[DEEPEST + 2]; /* where a step at that depth goes */
    int top;
} Reader;

static void fail(Reader *r, const char *why)
{
    if (!r->error) r->error = arena_printf(r->u->arena, "line %d: %s", r->line, why);
}

/* ---- words ------------------------------------------------------------------------------------- */

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '#';
}

static void skip(Reader *r)
{
    while (*r->at == ' ') r->at++;
}

static bool accept(Reader *r, const char *word)
{
    size_t n = strlen(word);
    skip(r);
    if (strncmp(r->at, word, n) != 0) return false;
    if (is_word_char(word[n - 1]) && is_word_char(r->at[n])) return false;
    r->at += n;
    return true;
}

/* Which of the words comes; -1: none. */
static int accept_any(Reader *r, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (words[i] && *words[i] && accept(r, words[i])) return i;
    return -1;
}

static void expect(Reader *r, const char *word)
{
    if (!accept(r, word)) fail(r, arena_printf(r->u->arena, "'%s' should stand here", word));
}

/* "" if none comes. */
static const char *name(Reader *r)
{
    size_t n = 0;
    skip(r);
    while (is_word_char(r->at[n])) n++;
    if (!n || isdigit((unsigned char)*r->at)) fail(r, "a name should stand here");
    const char *word = arena_strndup(r->u->arena, r->at, n);
    r->at += n;
    return word;
}

/* A name of C. */
static const char *plain_name(Reader *r)
{
    const char *word = name(r);
    if (strchr(word, '#')) fail(r, "a name has letters, digits and '_' only");
    return word;
}

static int small_number(Reader *r, int limit)
{
    int v = 0;
    skip(r);
    if (!isdigit((unsigned char)*r->at)) fail(r, "a number should stand here");
    for (; isdigit((unsigned char)*r->at); r->at++) v = v < limit ? v * 10 + (*r->at - '0') : limit;
    if (v >= limit) fail(r, "the number is too large");
    return v < limit ? v : 0;
}

/* Never NULL. */
static Num *expression(Reader *r, bool truth)
{
    const char *why = NULL;
    Num *x = r->error ? NULL : num_read(r->u, &r->at, truth, &why);
    if (!x && !r->error) fail(r, why);
    return x ? x : num_int(r->u, 1);
}

static Num *optional(Reader *r, const char *word)
{
    return accept(r, word) ? expression(r, false) : NULL;
}

/* ---- axes -------------------------------------------------------------------------------------- */

static bool has_room(Reader *r)
{
    if (r->n->naxes == NEST_AXES) fail(r, "a nest has no room for so many axes");
    return !r->error;
}

/* Number of the axis of that name, made here if it is a variable; 0 at an error. */
static int axis(Reader *r)
{
    Nest *n = r->n;
    const char *word = name(r);
    for (int i = 0; i < n->naxes; i++)
        if (strcmp(r->axis_names[i], word) == 0) return i;
    const NestTerm *v = nest_find_var(&r->names, word);
    if (!v) {
        fail(r, arena_printf(r->u->arena, "there is no axis or variable '%s'", word));
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
    const char *word = name(r);
    for (int i = 0; i < r->n->naxes; i++)
        if (strcmp(r->axis_names[i], word) == 0) fail(r, "there is an axis of that name");
    if (!has_room(r)) return;
    r->axis_names[r->n->naxes] = word;
    if (accept(r, "times")) {
        const char *plain = arena_strndup(a, word, strcspn(word, "#"));
        nest_axis_parts(r->n, plain, expression(r, false));
        return;
    }
    expect(r, "=");
    do {
        const NestTerm *v = r->error ? NULL : nest_find_var(&r->names, name(r));
        if (!v || n == FD_MAX_RANK) {
            fail(r, v ? "too many variables" : "there is no such variable");
            return;
        }
        vars[n] = v->node;
        doms[n++] = *v->dom;
    } while (accept(r, ","));
    int at = nest_axis(r->u, r->n, n, arena_copy(a, vars, (size_t)n * sizeof *vars),
                       arena_copy(a, doms, (size_t)n * sizeof *doms));
    Num *from = optional(r, "from"), *to = optional(r, "to");
    bool own = n == 1 && (r->n->def->nvars && r->n->axes[at].n);
    if ((from || to) && !own)
        fail(r, "only of one variable of the definition there are some positions");
    else if (from || to)
        nest_axis_cut(r->u, r->n, at, from, to);
    r->n->axes[at].down = accept(r, "down");
}

/* ---- what is kept ------------------------------------------------------------------------------ */

/* The rest of the line. */
static const FdNode *term(Reader *r)
{
    skip(r);
    const FdNode *node = nest_find_term(&r->names, r->at);
    if (!node) fail(r, "the definition has no such expression");
    r->at += strlen(r->at);
    return node;
}

static void read_result(Reader *r)
{
    const FdNode *node = term(r);
    if (node && node->kind != FD_REDUCE) fail(r, "a result is a reduction");
    if (r->n->nreduces == NEST_RESULTS) fail(r, "too many results");
    if (!r->error) r->n->reduces[r->n->nreduces++] = node;
}

static void read_registers(Reader *r)
{
    Nest *n = r->n;
    do {
        NestRegs regs = {.axis = axis(r)};
        expect(r, "times");
        regs.count = expression(r, false);
        regs.step = optional(r, "by");
        if (!regs.step) regs.step = num_int(r->u, 1);
        if (n->nregs == 2) fail(r, "registers lie along two axes at most");
        if (!r->error) n->regs[n->nregs++] = regs;
    } while (!r->error && accept(r, ","));
}

static int find_box(const Reader *r, const char *word)
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
        bool own = accept(r, "own");
        if (!own) expect(r, "temp");
        int temp = own ? -1 : small_number(r, r->u->ntemps);
        if (places == nest_places(r->n)) fail(r, "a part has a place for each result");
        if (!r->error) p->temps[places++] = temp;
    } while (!r->error && accept(r, ","));
    if (places < nest_places(r->n)) fail(r, "a part has a place for each result");
    expect(r, "over");
    do {
        int at = axis(r);
        if (p->naxes == NEST_AXES) fail(r, "too many axes");
        if (r->error) return;
        p->axes[p->naxes] = at;
        p->lengths[p->naxes++] = optional(r, "times");
    } while (accept(r, ","));
}

/* scan VAR, or carry VAR times N */
static void read_carry(Reader *r, bool scan)
{
    Nest *n = r->n;
    if (n->carry_axis >= 0) fail(r, "a nest carries along one axis");
    n->carry_axis = axis(r);
    n->carried = 1;
    if (!scan) {
        expect(r, "times");
        n->carried = small_number(r, NEST_CARRIED + 1);
        return;
    }
    if (r->error) return;
    if (n->inside) n->scan = scan_of(r->u, r->interior, r->u->options->precise);
    if (!n->scan) fail(r, "this is no scan");
}

/* box NAME [along AXIS] [times E] [where COND, ..] */
static void read_box(Reader *r)
{
    Nest *n = r->n;
    const FdNode *conds[NEST_CONDS];
    NestBox b = {.name = plain_name(r), .axis = -1};
    if (accept(r, "along")) b.axis = axis(r);
    b.least = optional(r, "times");
    if (accept(r, "where")) {
        do {
            skip(r);
            const FdNode *c = r->error ? NULL : nest_find_cond(&r->names, n->def, &r->at);
            if (!c || b.nconds == NEST_CONDS) {
                fail(r, c ? "too many conditions" : "the definition has no such condition");
                return;
            }
            conds[b.nconds++] = c;
        } while (accept(r, ","));
    }
    if (find_box(r, b.name) >= 0) fail(r, "there is a box of that name");
    if (n->nboxes == NEST_BOXES) fail(r, "too many boxes");
    if (r->error) return;
    if (b.nconds) b.conds = arena_copy(r->u->arena, conds, (size_t)b.nconds * sizeof *conds);
    nest_add_box(n, b);
}

/* wave ROWS by E, COLUMNS by E diagonal E */
static void read_wave(Reader *r)
{
    NestWave *w = &r->n->wave;
    for (int i = 0; i < 2; i++) {
        if (i) expect(r, ",");
        w->axes[i] = axis(r);
        expect(r, "by");
        w->steps[i] = expression(r, false);
    }
    expect(r, "diagonal");
    w->diagonal = expression(r, false);
    if (!r->error && r->n->inside) w->of = wave_of(r->u, r->interior);
    if (!w->of) fail(r, "this is no wavefront");
}

static bool read_head(Reader *r)
{
    Nest *n = r->n;
    if (accept(r, "axis")) {
        read_axis(r);
    } else if (accept(r, "result")) {
        read_result(r);
    } else if (accept(r, "registers")) {
        read_registers(r);
    } else if (accept(r, "vectors")) {
        n->lanes_axis = axis(r);
        n->scalar_give = accept(r, "apart");
    } else if (accept(r, "sums")) {
        n->sums = true;
    } else if (accept(r, "wave")) {
        read_wave(r);
    } else if (accept(r, "scan")) {
        read_carry(r, true);
    } else if (accept(r, "carry")) {
        read_carry(r, false);
    } else if (accept(r, "part")) {
        read_part(r);
    } else if (accept(r, "keys")) {
        n->keys.axis = axis(r);
        if (accept(r, "in")) n->keys.tables = axis(r);
    } else if (accept(r, "block")) {
        n->block_axis = axis(r);
        expect(r, "by");
        n->block = expression(r, false);
    } else if (accept(r, "box")) {
        read_box(r);
    } else {
        return false;
    }
    if (n->root.first) fail(r, "what a nest keeps is said before its loops");
    return true;
}

/* ---- loops and steps --------------------------------------------------------------------------- */

static NestStep *read_loop(Reader *r, NestStep *in, NestBind bind)
{
    NestStep *s = nest_step(r->u, in, NEST_FOR);
    s->bind = bind;
    s->axis = axis(r);
    s->step = optional(r, "by");
    if (!s->step) s->step = num_int(r->u, 1);
    s->count = optional(r, "times");
    if (bind == NEST_GROUP || bind == NEST_ITEM) {
        expect(r, "dim");
        s->dim = small_number(r, 3);
    }
    if (accept(r, "down") && !r->error) r->n->axes[s->axis].down = true;
    int tail = accept_any(r, nest_tails, NEST_TAILS);
    s->tail = tail < 0 ? NEST_CUT : (NestTail)tail;
    return s;
}

static void read_hold(Reader *r, NestStep *in)
{
    NestHold h = {.batch = -1, .along = -1, .across = -1};
    h.name = plain_name(r);
    int space = accept_any(r, nest_spaces, NEST_SPACES);
    if (space < 0) fail(r, "a hold is in registers, private, local or global");
    h.space = (NestSpace)(space < 0 ? 0 : space);
    if (h.space == NEST_GLOBAL) {
        expect(r, "temp");
        h.temp = small_number(r, r->u->ntemps);
    }
    h.filled = accept(r, "filled");
    if (accept(r, "batch")) h.batch = axis(r);
    if (accept(r, "along")) {
        h.along = axis(r);
        expect(r, "times");
        h.depth = expression(r, false);
        h.reach = optional(r, "of");
    }
    if (accept(r, "across")) h.across = axis(r);
    h.width = optional(r, "times");
    h.vectors = optional(r, "vectors");
    expect(r, "=");
    h.value = term(r);
    if (r->n->nholds == NEST_HOLDS) fail(r, "too many holds");
    if (!r->error) nest_hold(r->u, in, nest_add_hold(r->n, h));
}

/* ahead give, ahead HOLD by E times E or ahead HOLD over AXIS by E */
static void read_ahead(Reader *r, NestStep *in)
{
    NestStep *s = nest_ahead_give(r->u, in);
    if (accept(r, "give")) return;
    const char *word = plain_name(r);
    for (int i = 0; i < r->n->nholds; i++)
        if (strcmp(r->n->holds[i].name, word) == 0) s->hold = i;
    if (s->hold < 0) fail(r, "there is no hold of that name");
    if (accept(r, "over")) s->axis = axis(r);
    expect(r, "by");
    s->step = expression(r, false);
    if (s->axis >= 0) return;
    expect(r, "times");
    s->count = expression(r, false);
}

/* take, or take 0 1: of these results, which follow each other. */
static void read_take(Reader *r, NestStep *s)
{
    s->end = r->n->nreduces;
    skip(r);
    if (!*r->at) return;
    s->begin = s->end = small_number(r, r->n->nreduces);
    for (s->end++, skip(r); *r->at && !r->error; s->end++, skip(r))
        if (small_number(r, r->n->nreduces) != s->end) fail(r, "the results follow each other");
}

static void read_step(Reader *r, int depth)
{
    if (depth == 1 && read_head(r)) return;
    if (depth > r->top) {
        fail(r, "this stands deeper than the loop around it");
        return;
    }
    NestStep *in = r->in[depth];
    r->top = depth;
    int bind = accept_any(r, nest_binds, NEST_BINDS);
    if (bind >= 0) {
        if (depth > DEEPEST) fail(r, "too many loops in each other");
        if (!r->error) r->in[++r->top] = read_loop(r, in, (NestBind)bind);
        return;
    }
    if (accept(r, "hold")) {
        read_hold(r, in);
        return;
    }
    if (accept(r, "ahead")) {
        read_ahead(r, in);
        return;
    }
    if (accept(r, "place")) {
        NestStep *s = nest_step(r->u, in, NEST_PLACE);
        s->axis = axis(r);
        expect(r, "times");
        s->count = expression(r, false);
        return;
    }
    bool shared = accept(r, "shared");
    if (shared || accept(r, "range")) {
        nest_range(r->u, in, axis(r), shared);
        return;
    }
    int kind = accept_any(r, nest_kinds, NEST_KINDS);
    if (kind < 0) {
        fail(r, "there is no such step");
        return;
    }
    NestStep *s = nest_step(r->u, in, (NestKind)kind);
    if (kind == NEST_TAKE) read_take(r, s);
    if (kind < NEST_BEFORE) return;
    s->box = find_box(r, name(r));
    if (s->box < 0) fail(r, "there is no box of that name");
    if (depth > DEEPEST) fail(r, "too many loops in each other");
    if (!r->error) r->in[++r->top] = s;
}

/* ---- lines ------------------------------------------------------------------------------------- */

static void end_nest(Reader *r)
{
    if (!r->n || r->error) return;
    const char *why = nest_verify(r->u, r->n);
    r->line = why ? r->nest_line : r->line;
    if (why)
        fail(r, why);
    else if (r->bands)
        r->bands->stages[r->bands->n - 1].nest = r->n;
    else
        nest_lower(r->u, r->n);
    r->n = NULL;
}

/* Names are those of this definition. */
static void use_names(Reader *r, const Def *d)
{
    if (r->named == d) return;
    if (r->named) nest_names_free(&r->names);
    r->names = nest_names(r->u, d);
    r->named = d;
}

/* The definition that nests are of. */
static const Def *current(const Reader *r)
{
    return r->bands ? r->bands->stages[r->bands->n - 1].def : &r->defs[r->done - 1];
}

static void read_inside(Reader *r)
{
    const Def *d = current(r);
    r->interior = d->node->self ? interior_of(r->u, d) : NULL;
    if (!r->interior) fail(r, "the definition has no interior");
    if (r->interior) r->n = nest_inside(r->u, r->n->name, r->interior, NULL);
}

/* bands NAME [when E] by E */
static void read_bands(Reader *r)
{
    if (!r->done || r->bands) fail(r, "bands come after 'definition'");
    if (r->error) return;
    r->bands = arena_new_of(r->u->arena, Bands);
    r->bands->name = plain_name(r);
    if (accept(r, "when")) r->bands->when = expression(r, true);
    expect(r, "by");
    r->bands->each = expression(r, false);
    r->bands_line = r->line;
}

/* rows temp K in temp L, rows result: a stage, whose nest follows */
static void read_rows(Reader *r)
{
    Bands *b = r->bands;
    if (!b || b->n == BANDS_STAGES || (b->n && !b->stages[b->n - 1].nest))
        fail(r, "this begins a stage of bands");
    int temp = accept(r, "temp") ? small_number(r, r->u->ntemps) : -1, at = 0;
    if (temp < 0) expect(r, "result");
    while (at < r->done && r->defs[at].temp != temp) at++;
    if (at >= r->done) fail(r, "no definition so far has this number");
    if (r->error) return;
    BandStage *s = &b->stages[b->n++];
    *s = (BandStage){.def = &r->defs[at], .temp = -1};
    if (accept(r, "in")) {
        expect(r, "temp");
        s->temp = small_number(r, r->u->ntemps);
    }
    bands_turn_to(r->u, s->def);
}

/* Its dimension is the one that the nest's group is over. */
static void end_bands(Reader *r)
{
    Bands *b = r->bands;
    r->bands = NULL;
    if (!b) fail(r, "there are no bands to end");
    for (int i = 0; !r->error && i < b->n; i++) {
        BandStage *s = &b->stages[i];
        const NestStep *rows = s->nest ? s->nest->root.first : NULL;
        const FdNode *v = rows && rows->kind == NEST_FOR && s->nest->axes[rows->axis].nvars
                              ? s->nest->axes[rows->axis].vars[0]
                              : NULL;
        while (s->dim < s->def->nvars && s->def->vars[s->dim] != v) s->dim++;
        if (s->dim == s->def->nvars) fail(r, "a stage is one group over its rows, one by one");
    }
    if (r->error) return;
    const char *why = bands_verify(r->u, b);
    r->line = why ? r->bands_line : r->line;
    if (why)
        fail(r, why);
    else
        bands_lower(r->u, b);
}

/* nest NAME [inside] [when E] [checked|noted] [again] [stream] [lanes V8] */
static void read_nest(Reader *r)
{
    bool stage = r->bands && r->bands->n && !r->bands->stages[r->bands->n - 1].nest;
    if (!r->done || (r->bands && !stage)) {
        fail(r, r->bands ? "a nest comes after 'rows'" : "a nest comes after 'definition'");
        return;
    }
    r->n = nest_new(r->u, plain_name(r), current(r), NULL);
    r->nest_line = r->line;
    if (accept(r, "inside")) read_inside(r);
    use_names(r, r->n->def);
    if (accept(r, "when")) r->n->when = expression(r, true);
    for (GenChecks c = GEN_CHECKED; c <= GEN_NOTED; c++)
        if (accept(r, nest_checks[c])) r->n->checks = c;
    r->n->again = accept(r, "again");
    r->n->stream = accept(r, "stream");
    if (accept(r, "lanes")) {
        static const char *const names[] = {"V1", "V2", "V8"};
        static const int lanes[] = {KIR_V1, KIR_V2, KIR_V8};
        int i = 0;
        while (i < 3 && !accept(r, names[i])) i++;
        if (i == 3) expect(r, "V4");
        r->n->lanes = i < 3 ? lanes[i] : KIR_V4;
    }
    r->in[1] = &r->n->root;
    r->top = 1;
}

/* definition temp K, definition result: in the order in which they are computed. */
static void read_definition(Reader *r)
{
    int temp = accept(r, "temp") ? small_number(r, r->u->ntemps) : -1;
    if (temp < 0) expect(r, "result");
    if (r->done == r->ndefs || r->defs[r->done].temp != temp)
        fail(r, "definitions stand in the order in which they are computed");
    if (r->error) return;
    use_names(r, &r->defs[r->done]);
    schedule_begin(r->u, &r->defs[r->done++]);
}

static void read_named(Reader *r, bool let)
{
    const char *word = plain_name(r);
    expect(r, "=");
    Num *x = expression(r, false);
    if (r->error) return;
    if (num_find(r->u, word, strlen(word)))
        fail(r, "there is something of that name");
    else if (let)
        num_name_let(r->u, word, x);
    else
        num_define(r->u, word, x);
}

static void read_temp(Reader *r)
{
    int temp = small_number(r, 1 << 16);
    expect(r, "bytes");
    Num *bytes = expression(r, false);
    if (temp != r->u->ntemps) fail(r, "temporaries are numbered in order");
    if (!r->error) plan_temp(r->u, bytes);
}

/* loop NAME = 0 to E step 1 [when E], and `end` */
static void read_plan_loop(Reader *r)
{
    const char *word = plain_name(r);
    expect(r, "=");
    expect(r, "0");
    expect(r, "to");
    Num *to = expression(r, false);
    expect(r, "step");
    expect(r, "1");
    Num *when = accept(r, "when") ? expression(r, true) : NULL;
    if (!r->error && !num_name_loop(r->u, word, to, when))
        fail(r, "there is something of that name");
    r->loops++;
}

static void read_plan_end(Reader *r)
{
    if (accept(r, "bands")) {
        end_bands(r);
        return;
    }
    if (!r->loops--) fail(r, "there is no loop to end");
    if (!r->error) plan_line(r->u, "end");
}

/* Its condition is that of the definition. */
static void read_stream(Reader *r)
{
    if (!r->done || r->defs[r->done - 1].temp >= 0) fail(r, "results are streamed");
    if (!r->error) plan_stream(r->u, &r->defs[r->done - 1]);
    r->at += strlen(r->at);
}

/* The generator makes some lines itself: the head of the plan, reports of empty reductions. */
static bool in_plan(Reader *r, const char *line)
{
    return r->u->plan.data &&
           strstr(r->u->plan.data, arena_printf(r->u->arena, " * %s\n", line)) != NULL;
}

static void read_line(Reader *r, const char *line)
{
    size_t indent = strspn(line, " ");
    r->at = line + indent;
    if (!*r->at || *r->at == '#') return;
    if (indent && r->n) {
        if (indent % 2 || indent / 2 > DEEPEST + 1)
            fail(r, "lines are indented by two spaces a loop");
        else
            read_step(r, (int)(indent / 2));
    } else {
        int here = r->line;
        end_nest(r);
        r->line = r->error ? r->line : here;
        if (r->error || (strcmp(line, "end") != 0 && in_plan(r, line))) return;
        if (indent)
            fail(r, "this belongs to no nest");
        else if (accept(r, "nest"))
            read_nest(r);
        else if (accept(r, "definition"))
            read_definition(r);
        else if (accept(r, "bands"))
            read_bands(r);
        else if (accept(r, "rows"))
            read_rows(r);
        else if (accept(r, "let") || accept(r, "define"))
            read_named(r, line[1] == 'e' && line[2] == 't');
        else if (accept(r, "temp"))
            read_temp(r);
        else if (accept(r, "loop"))
            read_plan_loop(r);
        else if (accept(r, "end"))
            read_plan_end(r);
        else if (accept(r, "flag CS_STREAM"))
            read_stream(r);
        else
            fail(r, "this is no line of a schedule, nor one that the plan of this graph has");
    }
    skip(r);
    if (*r->at) fail(r, "there is more on the line than there should be");
}

const char *schedule_read(Unit *u, const char *text, int ndefs, const Def *defs)
{
    Reader r = {.u = u, .defs = defs, .ndefs = ndefs, .next = text};
    while (*r.next && !r.error && !u->host_only) {
        size_t len = strcspn(r.next, "\n");
        const char *line = arena_strndup(u->arena, r.next, len);
        r.next += len + (r.next[len] == '\n');
        r.line++;
        read_line(&r, line);
    }
    end_nest(&r);
    r.line += !r.line;
    if (r.bands) fail(&r, "bands lack their end");
    if (r.loops) fail(&r, "a loop lacks its end");
    if (r.done < ndefs) fail(&r, "the schedule ends before all definitions are computed");
    if (r.named) nest_names_free(&r.names);
    return r.error;
}
