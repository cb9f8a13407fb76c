/* Reading schedules: nest_print's text and the lines of the plan around it (docs/kernels.md). Texts
 * come from files, so everything is asked for; what makes no sense is left to nest_verify. */
#include <string.h>

#include "../schedule.h"
#include "read.h"

/* ---- lines ------------------------------------------------------------------------------------- */

static void end_nest(Reader *r)
{
    if (!r->n || r->error) return;
    const char *why = nest_verify(r->u, r->n);
    r->line = why ? r->nest_line : r->line;
    if (why)
        reader_fail(r, why);
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
    if (r->flat) return r->flat;
    return r->bands ? r->bands->stages[r->bands->n - 1].def : &r->defs[r->done - 1];
}

static void read_inside(Reader *r)
{
    const Def *d = current(r);
    r->interior = d->node->self ? interior_of(r->u, d) : NULL;
    if (!r->interior) reader_fail(r, "the definition has no interior");
    if (r->interior) r->n = nest_inside(r->u, r->n->name, r->interior, NULL);
}

/* bands NAME [when E] by E */
static void read_bands(Reader *r)
{
    if (!r->done || r->bands) reader_fail(r, "bands come after 'definition'");
    if (r->error) return;
    r->bands = arena_new_of(r->u->arena, Bands);
    r->bands->name = reader_plain_name(r);
    if (reader_accept(r, "when")) r->bands->when = reader_expression(r, true);
    reader_expect(r, "by");
    r->bands->each = reader_expression(r, false);
    r->bands_line = r->line;
}

/* The result that a temporary is. */
static const Def *copy_of(Reader *r, const Def *d)
{
    if (!unit_kept(r->u, d->temp)) reader_fail(r, "this temporary is no result");
    return r->error ? d : def_copy(r->u, d);
}

static bool is_complete(const BandStage *s)
{
    return s->nest || s->inlined;
}

/* The last stage computes itself what is inlined in it. */
static void inline_stages(Reader *r, BandStage *s)
{
    Bands *b = r->bands;
    for (int i = b->n - 1; i-- > 0;)
        if (b->stages[i].inlined && bands_array(r->u, s->def, b->stages[i].def))
            s->def = bands_inline(r->u, s->def, b->stages[i].def);
}

/* rows temp K in temp L [inlined dim D], rows temp K as result, rows result: a stage, whose nest follows
 * unless it is inlined */
static void read_rows(Reader *r)
{
    Bands *b = r->bands;
    if (!b || b->n == BANDS_STAGES || (b->n && !is_complete(&b->stages[b->n - 1])))
        reader_fail(r, "this begins a stage of bands");
    int temp = reader_accept(r, "temp") ? reader_small_number(r, r->u->ntemps) : -1, at = 0;
    if (temp < 0) reader_expect(r, "result");
    while (at < r->done && r->defs[at].temp != temp) at++;
    if (at >= r->done) reader_fail(r, "no definition so far has this number");
    if (r->error) return;
    BandStage *s = &b->stages[b->n++];
    *s = (BandStage){.def = &r->defs[at], .temp = -1};
    if (reader_accept(r, "in")) {
        reader_expect(r, "temp");
        s->temp = reader_small_number(r, r->u->ntemps);
        s->inlined = reader_accept(r, "inlined");
        if (s->inlined) reader_expect(r, "dim");
        if (s->inlined) s->dim = reader_small_number(r, s->def->nvars);
    } else if (reader_accept(r, "as")) {
        reader_expect(r, "result");
        s->def = copy_of(r, s->def);
    } else {
        inline_stages(r, s);
    }
    if (!r->error) bands_turn_to(r->u, s->def);
}

/* Its dimension is the one that the nest's group is over. */
static void end_bands(Reader *r)
{
    Bands *b = r->bands;
    r->bands = NULL;
    if (!b) reader_fail(r, "there are no bands to end");
    for (int i = 0; !r->error && i < b->n; i++) {
        BandStage *s = &b->stages[i];
        if (s->inlined) continue;
        const NestStep *rows = s->nest ? s->nest->root.first : NULL;
        const FdNode *v = rows && rows->kind == NEST_FOR && s->nest->axes[rows->axis].nvars
                              ? s->nest->axes[rows->axis].vars[0]
                              : NULL;
        while (s->dim < s->def->nvars && s->def->vars[s->dim] != v) s->dim++;
        if (s->dim == s->def->nvars)
            reader_fail(r, "a stage is one group over its rows, one by one");
    }
    if (r->error) return;
    const char *why = bands_verify(r->u, b);
    r->line = why ? r->bands_line : r->line;
    if (why)
        reader_fail(r, why);
    else
        bands_lower(r->u, b);
}

/* nest NAME [inside] [when E] [checked|noted] [again] [stream] [lanes V8] */
static void read_nest(Reader *r)
{
    bool stage = r->bands && r->bands->n && !is_complete(&r->bands->stages[r->bands->n - 1]);
    if (!r->done || (r->bands && !stage)) {
        reader_fail(r, r->bands ? "a nest comes after 'rows'" : "a nest comes after 'definition'");
        return;
    }
    r->n = nest_new(r->u, reader_plain_name(r), current(r), NULL);
    r->nest_line = r->line;
    if (reader_accept(r, "inside")) read_inside(r);
    use_names(r, r->n->def);
    if (reader_accept(r, "when")) r->n->when = reader_expression(r, true);
    for (GenChecks c = GEN_CHECKED; c <= GEN_NOTED; c++)
        if (reader_accept(r, nest_checks[c])) r->n->checks = c;
    r->n->again = reader_accept(r, "again");
    r->n->stream = reader_accept(r, "stream");
    if (reader_accept(r, "lanes")) {
        static const char *const names[] = {"V1", "V2", "V8", "V16"};
        static const int lanes[] = {KIR_V1, KIR_V2, KIR_V8, KIR_V16};
        int i = 0;
        while (i < 4 && !reader_accept(r, names[i])) i++;
        if (i == 4) reader_expect(r, "V4");
        r->n->lanes = i < 4 ? lanes[i] : KIR_V4;
    }
    r->in[1] = &r->n->root;
    r->top = 1;
}

/* definition temp K, definition result: in the order in which they are computed. */
static void read_definition(Reader *r)
{
    int temp = reader_accept(r, "temp") ? reader_small_number(r, r->u->ntemps) : -1;
    if (temp < 0) reader_expect(r, "result");
    if (r->done == r->ndefs || r->defs[r->done].temp != temp)
        reader_fail(r, "definitions stand in the order in which they are computed");
    r->flat = NULL;
    if (r->error) return;
    use_names(r, &r->defs[r->done]);
    schedule_begin(r->u, &r->defs[r->done++]);
}

/* beside: what follows computes the result, and stores the temporaries before it that are results. */
static void read_beside(Reader *r)
{
    Num *when;
    bool last = r->done == r->ndefs && r->ndefs > 1;
    r->flat = last ? schedule_beside(r->u, r->ndefs, r->defs, &when) : NULL;
    if (!r->flat) reader_fail(r, "no results stand beside this definition");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* anew: what follows computes the last definition with what it would read of optional temporaries. */
static void read_anew(Reader *r)
{
    r->flat = r->done ? schedule_anew(r->u, &r->defs[r->done - 1]) : NULL;
    if (!r->flat) reader_fail(r, "the definition reads nothing that may be computed anew");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* slice: what follows, in a loop, computes the slice of its turn. */
static void read_slice(Reader *r)
{
    Num *turn = r->loops ? num_find(r->u, r->loop, strlen(r->loop)) : NULL;
    r->flat = r->done && turn ? schedule_slice(r->u, &r->defs[r->done - 1], turn) : NULL;
    if (!r->flat) reader_fail(r, "this is no loop over slices of a recurrence");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* closed: what follows computes the last definition with reductions over ranges that are the same for all. */
static void read_closed(Reader *r)
{
    r->flat = r->done ? schedule_closed(r->u, &r->defs[r->done - 1]) : NULL;
    if (!r->flat) reader_fail(r, "the definition has no reductions over ranges of their own");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* plain: what follows computes the last definition, or the slice or form anew before, without conditions that hold
 * for all elements. */
static void read_plain(Reader *r)
{
    bool form = r->flat && (r->flat->anew || r->flat->slice);
    const Def *d = form ? r->flat : r->done ? &r->defs[r->done - 1] : NULL;
    r->flat = d ? schedule_plain(r->u, d) : NULL;
    if (!r->flat) reader_fail(r, "the definition has no sums under conditions");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* near: what follows computes the last definition with reads at a few known last indices flat. */
static void read_near(Reader *r)
{
    r->flat = r->done ? schedule_near(r->u, &r->defs[r->done - 1], NULL) : NULL;
    if (!r->flat) reader_fail(r, "the definition reads nothing at a few known last indices");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* joined: what follows computes the last definition, a scalar, along the elements of arrays. */
static void read_joined(Reader *r)
{
    r->flat = r->done ? schedule_joined(r->u, &r->defs[r->done - 1], NULL) : NULL;
    if (!r->flat) reader_fail(r, "the definition has no reductions of whole arrays");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* split: what follows computes the last definition over quotients and remainders. */
static void read_split(Reader *r)
{
    r->flat = r->done ? schedule_split(r->u, &r->defs[r->done - 1], NULL) : NULL;
    if (!r->flat) reader_fail(r, "the definition divides no variable");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* abreast K: what follows computes the last definition with its rows of K elements side by side. */
static void read_abreast(Reader *r)
{
    int length = reader_small_number(r, 16);
    Def *d = r->done ? arena_copy(r->u->arena, &r->defs[r->done - 1], sizeof *d) : NULL;
    if (d) d->noting = reader_accept(r, "noted");
    r->flat = d ? schedule_abreast(r->u, d, length, NULL) : NULL;
    if (!r->flat) reader_fail(r, "the definition has no rows of so many elements side by side");
    if (!r->error) schedule_turn_to(r->u, r->flat);
}

/* flat: what follows computes the last definition over its last two variables as one; apart: as it is
 * written. */
static void read_flat(Reader *r, bool flat)
{
    const Def *d = r->done ? &r->defs[r->done - 1] : NULL;
    r->flat = d && flat ? schedule_flat(r->u, d, NULL) : NULL;
    if (!d || (flat && !r->flat)) reader_fail(r, "there is no definition that can be flat");
    if (r->error) return;
    schedule_turn_to(r->u, flat ? r->flat : d);
}

static void read_named(Reader *r, bool let)
{
    const char *word = reader_plain_name(r);
    reader_expect(r, "=");
    Num *x = reader_expression(r, false);
    if (r->error) return;
    if (num_find(r->u, word, strlen(word)))
        reader_fail(r, "there is something of that name");
    else if (let)
        num_name_let(r->u, word, x);
    else
        num_define(r->u, word, x);
}

static void read_guess(Reader *r, bool is)
{
    const char *word = reader_plain_name(r);
    Num *x = r->error ? NULL : num_find(r->u, word, strlen(word));
    if (x)
        num_guess(r->u, x, is);
    else if (!r->error)
        reader_fail(r, "there is nothing of that name");
}

static void read_temp(Reader *r)
{
    int temp = reader_small_number(r, 1 << 16);
    reader_expect(r, "bytes");
    Num *bytes = reader_expression(r, false);
    if (temp != r->u->ntemps) reader_fail(r, "temporaries are numbered in order");
    if (!r->error) plan_temp(r->u, bytes);
}

/* loop NAME = 0 to E step 1 [when E], and `end` */
static void read_plan_loop(Reader *r)
{
    const char *word = reader_plain_name(r);
    reader_expect(r, "=");
    reader_expect(r, "0");
    reader_expect(r, "to");
    Num *to = reader_expression(r, false);
    reader_expect(r, "step");
    reader_expect(r, "1");
    Num *when = reader_accept(r, "when") ? reader_expression(r, true) : NULL;
    if (!r->error && !num_name_loop(r->u, word, to, when))
        reader_fail(r, "there is something of that name");
    r->loop = word;
    r->loops++;
}

static void read_plan_end(Reader *r)
{
    if (reader_accept(r, "bands")) {
        end_bands(r);
        return;
    }
    if (!r->loops--) reader_fail(r, "there is no loop to end");
    if (!r->error) plan_line(r->u, "end");
}

/* Its condition is that of the definition, or of the first one that is kept. */
static void read_stream(Reader *r)
{
    int at = r->done - 1;
    if (at >= 0 && r->defs[at].temp >= 0)
        for (at = 0; at < r->done && !unit_kept(r->u, r->defs[at].temp);) at++;
    if (at < 0 || at == r->done) reader_fail(r, "results are streamed");
    if (!r->error) plan_stream(r->u, r->flat && at == r->done - 1 ? r->flat : &r->defs[at]);
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
        if (indent % 2 || indent / 2 > READER_DEEPEST + 1)
            reader_fail(r, "lines are indented by two spaces a loop");
        else
            reader_step(r, (int)(indent / 2));
    } else {
        int here = r->line;
        end_nest(r);
        r->line = r->error ? r->line : here;
        if (r->error || (strcmp(line, "end") != 0 && in_plan(r, line))) return;
        if (indent)
            reader_fail(r, "this belongs to no nest");
        else if (reader_accept(r, "nest"))
            read_nest(r);
        else if (reader_accept(r, "definition"))
            read_definition(r);
        else if (reader_accept(r, "bands"))
            read_bands(r);
        else if (reader_accept(r, "rows"))
            read_rows(r);
        else if (reader_accept(r, "beside"))
            read_beside(r);
        else if (reader_accept(r, "anew"))
            read_anew(r);
        else if (reader_accept(r, "slice"))
            read_slice(r);
        else if (reader_accept(r, "closed"))
            read_closed(r);
        else if (reader_accept(r, "plain"))
            read_plain(r);
        else if (reader_accept(r, "near"))
            read_near(r);
        else if (reader_accept(r, "joined"))
            read_joined(r);
        else if (reader_accept(r, "split"))
            read_split(r);
        else if (reader_accept(r, "abreast"))
            read_abreast(r);
        else if (reader_accept(r, "flat"))
            read_flat(r, true);
        else if (reader_accept(r, "apart"))
            read_flat(r, false);
        else if (reader_accept(r, "let") || reader_accept(r, "define"))
            read_named(r, line[1] == 'e' && line[2] == 't');
        else if (reader_accept(r, "usual") || reader_accept(r, "seldom"))
            read_guess(r, *line == 'u');
        else if (reader_accept(r, "temp"))
            read_temp(r);
        else if (reader_accept(r, "loop"))
            read_plan_loop(r);
        else if (reader_accept(r, "end"))
            read_plan_end(r);
        else if (reader_accept(r, "flag CS_STREAM"))
            read_stream(r);
        else
            reader_fail(r,
                        "this is no line of a schedule, nor one that the plan of this graph has");
    }
    reader_skip(r);
    if (*r->at) reader_fail(r, "there is more on the line than there should be");
}

const char *cg_schedule_reader(Unit *u, const char *text, int ndefs, const Def *defs,
                               int *error_line)
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
    if (r.bands) reader_fail(&r, "bands lack their end");
    if (r.loops) reader_fail(&r, "a loop lacks its end");
    if (r.done < ndefs) reader_fail(&r, "the schedule ends before all definitions are computed");
    if (r.named) nest_names_free(&r.names);
    *error_line = r.error_line;
    return r.error;
}
