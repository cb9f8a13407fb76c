/* How a launch may be divided: along each loop over groups, which part of the results, or of the reduction, a group is for, and
 * which memory it writes. Whoever runs the plan leaves some groups to others, and needs what they wrote (docs/kernels.md). */
#include "../../../../fdag/index/split.h"
#include "impl.h"

/* A loop over groups. */
typedef struct Cut {
    const NestStep *group;
    const NestAxis *axis;
    int first,
        count; /* variables of the definition that it is over; count 0: of the reduction, from first */
    Text *out;
    bool known; /* so far it is known what is written */
    int nwrites;
} Cut;

static void add_write(Cut *c, const char *text)
{
    text_printf(c->out, "%s%s", c->nwrites++ ? ", " : " writes ", text);
}

/* Segments of so many entries of so many bytes; an entry is for a group of `each` positions, or (0) for one. */
static void add_temp(Unit *u, Cut *c, int temp, Num *segments, Num *entries, Num *bytes, Num *each)
{
    Text t = {0};
    text_printf(&t, "temp %d segments %s", temp, num_text(u, segments));
    text_printf(&t, " of %s", num_text(u, entries));
    text_printf(&t, " bytes %s", num_text(u, bytes));
    text_printf(&t, " each %s", num_text(u, each));
    add_write(c, t.data);
    text_free(&t);
}

/* Several results have numbers. */
static void add_results(Unit *u, Cut *c)
{
    for (int i = 0; i < (u->nbeside ? u->nbeside : 1); i++)
        add_write(c, arena_printf(u->arena, "out %d", i));
}

static bool is_call(const void *none, const FdNode *n)
{
    (void)none;
    return n->kind == FD_APPLY && fd_user_of(n);
}

/* Does an index, a range or a function that may loop depend on what is read? */
static bool goes_by_values(const void *none, const FdNode *n)
{
    bool by = false;
    for (int i = 0; n->kind == FD_APPLY && fd_op_of(n) == FD_OP_NONE && i < n->nargs; i++)
        by = by || fd_effects(n->args[i]) & FD_READS;
    for (int i = 0; n->kind == FD_REDUCE && i < n->nvars; i++)
        by = by || !node_is_closed(n->doms[i].lo) || !node_is_closed(n->doms[i].hi);
    return by || calls_reader(none, n);
}

/* Whatever it reads, it comes to some value. */
static bool is_plain(const FdNode *body)
{
    return !fd_can_fail(body) && !fd_any(body, goes_by_values, NULL);
}

/* A temporary lies as its variables do, the last fastest. One that costs little (`light`) is made by everybody sooner
 * than it is sent. */
static void of_temporary(Unit *u, const Nest *n, Cut *c)
{
    const Def *d = n->def;
    const FdType *t = d->body->type;
    Num *before = num_int(u, 1), *entries = before, *after = before;
    bool costs = n->nreduces > 0 || fd_any(d->body, is_call, NULL);
    if (d->abreast) after = num_int(u, d->abreast), t = t->fields[0];
    c->known = !u->nbeside && fd_type_is_scalar(t) && !unit_kept(u, d->temp);
    for (int i = 0; i < d->nvars && c->known; i++) {
        Num *length = plan_n(u, &d->doms[i]);
        if (i < c->first) before = num_op(u, FD_OP_MUL, before, length);
        if (i >= c->first + c->count) after = num_op(u, FD_OP_MUL, after, length);
        if (i >= c->first && i < c->first + c->count)
            entries = num_op(u, FD_OP_MUL, entries, length);
    }
    Num *bytes = num_op(u, FD_OP_MUL, after, num_int(u, (int64_t)scalar_bytes(t->scalar)));
    if (c->known) add_temp(u, c, d->temp, before, entries, bytes, num_int(u, 0));
    if (c->known && !costs) text_add(c->out, " light");
    if (c->known && is_plain(d->body)) text_add(c->out, " plain");
}

static void of_give(Unit *u, const Nest *n, Cut *c)
{
    const Def *d = n->def;
    c->known = c->count && !d->copy;
    if (c->known && d->temp >= 0)
        of_temporary(u, n, c);
    else if (c->known)
        add_results(u, c);
}

static Num *part_length(const Nest *n, int i)
{
    return n->part.lengths[i] ? n->part.lengths[i] : n->axes[n->part.axes[i]].n;
}

/* Of an element of a part, as memory has it. */
static size_t part_bytes(Unit *u, const Nest *n, int r)
{
    if (n->scan) return scalar_bytes(result_kind(n->scan->step[r]));
    const FdType *t = n->reduces[r]->type;
    return t->record ? kir_bytes(gen_type(u, t)) : scalar_bytes(t->scalar);
}

static void of_save(Unit *u, const Nest *n, Cut *c)
{
    const NestPart *p = &n->part;
    Num *before = num_int(u, 1), *after = before, *one = before;
    Num *step = c->group->step ? c->group->step : one;
    int at = 0;
    while (at < p->naxes && p->axes[at] != c->group->axis) at++;
    c->known = c->known && at < p->naxes;
    if (!c->known) return;
    bool groups = !c->count || n->def->nbeside > 0 || (n->scan && c->group->axis == n->carry_axis);
    for (int i = 0; i < p->naxes && c->known; i++) {
        Num *length = i == at && groups ? num_ceildiv(u, c->axis->n, step) : part_length(n, i);
        if (!length) c->known = false;
        if (length && i < at) before = num_op(u, FD_OP_MUL, before, length);
        if (length && i > at) after = num_op(u, FD_OP_MUL, after, length);
    }
    if (!c->known) return;
    Num *entries = p->lengths[at] ? p->lengths[at]
                   : groups       ? num_ceildiv(u, c->axis->n, step)
                                  : c->axis->n;
    for (int r = 0; r < nest_places(n); r++) {
        size_t bytes = part_bytes(u, n, r);
        if (p->temps[r] < 0)
            c->known = false;
        else
            add_temp(u, c, p->temps[r], before, entries,
                     num_op(u, FD_OP_MUL, after, num_int(u, (int64_t)bytes)),
                     groups ? step : num_int(u, 0));
    }
}

/* Panels that later nests take at the same positions. */
static void of_holds(Unit *u, const Nest *n, Cut *c)
{
    for (int i = 0; i < n->nholds; i++) {
        const NestHold *h = &n->holds[i];
        if (h->space != NEST_GLOBAL || h->filled) continue;
        c->known = c->known && c->count && h->across == c->group->axis;
        add_write(c, arena_printf(u->arena, "temp %d own", h->temp));
    }
}

/* Arrays beside the reductions lie as its variables do. */
static void of_beside(Unit *u, const Def *d, Cut *c)
{
    for (int i = 0; i < d->nbeside; i++) {
        int kept = unit_kept(u, d->beside[i]->temp);
        c->known = c->known && kept && c->count;
        if (c->known) add_write(c, arena_printf(u->arena, "out %d", kept - 1));
    }
}

/* Which variables of the definition it is over, one after the other; false: it is over others. */
static bool find_variables(const Nest *n, Cut *c)
{
    const Def *d = n->def->nbeside ? n->def->beside[0] : n->def;
    const NestAxis *x = c->axis;
    for (c->first = 0; c->first < d->nvars && d->vars[c->first] != x->vars[0];) c->first++;
    c->count = c->first < d->nvars ? x->nvars : 0;
    for (int i = 0; i < c->count; i++)
        if (c->first + i >= d->nvars || d->vars[c->first + i] != x->vars[i]) return false;
    if (c->count) return true;
    if (!n->nreduces || !nest_is_reduced(n, c->group->axis, 0, n->nreduces)) return false;
    const FdNode *r = n->reduces[0];
    for (c->first = 0; c->first < r->nvars && r->vars[c->first] != x->vars[0];) c->first++;
    if (c->first == r->nvars) c->first = 0; /* of another reduction, whose first it is */
    return true;
}

/* A definition whose last two variables are one has one dimension more. */
static int dims_of(const Def *d, const Cut *c)
{
    return c->count + (d->apart && c->first + c->count == d->nvars);
}

/* Are its variables dimensions of the array? */
static bool are_dims(const Def *d, const Cut *c)
{
    return !d->split || (c->count && c->first + c->count <= d->split->first);
}

/* ---- what of temporaries is read ------------------------------------------------------------------ */

/* Who reads: rows are combinations of these variables' values. */
typedef struct Reader {
    const FdNode *body;
    int nvars;
    const FdNode *const *vars;
    const FdDom *doms;
} Reader;

static Reader reader_of(const Nest *n, const Cut *c)
{
    const Def *d = n->def->nbeside ? n->def->beside[0] : n->def;
    const FdNode *body = n->def->body;
    if (!c->count) return (Reader){body, c->axis->nvars, c->axis->vars, c->axis->doms};
    if (d->apart && !d->nbeside) d = d->apart, body = d->body;
    return (Reader){body, dims_of(n->def, c), d->vars + c->first, d->doms + c->first};
}

/* Does it read, of dimensions `first` on of p, those of its own row and some around? These lie from *low to *high
 * beside it, counted from p's first. Where rows are of several variables: its own alone, of equal ranges. */
static bool reads_rows(Unit *u, const Reader *r, const Def *p, int first, Num **low, Num **high)
{
    for (int k = 0; k < r->nvars; k++) {
        NestReach reach;
        const FdDom *own = &r->doms[k], *dom = &p->doms[first + k];
        bool rows = own->lo && dom->lo && node_is_closed(own->lo) && node_is_closed(own->hi);
        if (!rows || !nest_reach(u, r->body, r->vars[k], NULL, p, first + k, &reach)) return false;
        if (!reach.reads || reach.nfixed || reach.round) return false;
        Num *way = num_op(u, FD_OP_SUB, plan_lo(u, own), plan_lo(u, dom));
        *low = num_op(u, FD_OP_ADD, reach.low, way);
        *high = num_op(u, FD_OP_ADD, reach.high, way);
        if (r->nvars > 1 &&
            (!num_is(*low, 0) || !num_is(*high, 0) || plan_n(u, own) != plan_n(u, dom)))
            return false;
    }
    return r->nvars > 0;
}

static bool binds(const FdNode *n, const Reader *r)
{
    bool any = false;
    for (int i = 0; i < n->nvars; i++)
        for (int k = 0; k < r->nvars; k++) any = any || n->vars[i] == r->vars[k];
    return any;
}

/* Different reads of p in a body; all false: only those that are made in any case. */
static int count_reads(const FdNode *body, const Def *p, const Unit *u, const Reader *r, bool all)
{
    FdWalk w = fd_walk(body);
    int count = 0;
    for (const FdNode *n; (n = fd_walk_next(&w));) {
        count += n->kind == FD_APPLY && nest_is_of(u, n->fn, p);
        bool inside = all || (n->kind == FD_REDUCE && binds(n, r));
        (inside ? fd_walk_below : fd_walk_always)(&w, n);
    }
    fd_walk_end(&w);
    return count;
}

/* Is each of its reads of p made for each of its rows, so that it needs each element of p's rows if they have no others? */
static bool reads_each(const Unit *u, const Reader *r, const Def *p)
{
    return p->nvars == r->nvars &&
           count_reads(r->body, p, u, r, false) == count_reads(r->body, p, u, r, true);
}

/* Of temporaries of which the items of a cut read rows beside their own. */
static void add_reads(Unit *u, const Nest *n, const Cut *c)
{
    const Reader r = reader_of(n, c);
    int nreads = 0;
    for (int i = 0; i < u->ndefs; i++) {
        const Def *p = &u->defs[i];
        if (p->temp < 0 || p->temp == n->def->temp || unit_kept(u, p->temp)) continue;
        for (int first = 0; first + r.nvars <= p->nvars; first++) {
            Num *low, *high, *length = num_int(u, 1);
            if (!reads_rows(u, &r, p, first, &low, &high)) continue;
            for (int k = 0; k < r.nvars; k++)
                length = num_op(u, FD_OP_MUL, length, plan_n(u, &p->doms[first + k]));
            text_printf(c->out, "%s temp %d rows %d %d", nreads++ ? "," : " reads", p->temp, first,
                        r.nvars);
            text_printf(c->out, " of %s", num_text(u, length));
            text_printf(c->out, " from %s", num_text(u, low));
            text_printf(c->out, " to %s%s", num_text(u, high), reads_each(u, &r, p) ? " each" : "");
            break;
        }
    }
}

/* Does it begin with what factors of all parts before it come to? */
static bool of_parts(const Nest *n, const NestStep *group)
{
    return n->scan && n->scan->grows && n->part.naxes && group->axis == n->carry_axis &&
           nest_find(n->root.first, NEST_GIVE);
}

static void add_cut(Unit *u, const Nest *n, const NestStep *group, Text *out)
{
    Text t = {0};
    Cut c = {.group = group, .axis = &n->axes[group->axis], .out = &t, .known = true};
    bool border = group->bind == NEST_LOOP, down = c.axis->down;
    if (!c.axis->nvars || !c.axis->n || (down && !border) || !find_variables(n, &c)) return;
    if (!are_dims(n->def, &c)) return;
    Num *step = border ? c.axis->n : group->step, *from = c.axis->from;
    if (down) { /* counted from the last */
        Num *past = from ? num_op(u, FD_OP_ADD, from, c.axis->n) : c.axis->n;
        from = num_op(u, FD_OP_SUB, plan_n(u, &c.axis->doms[0]), past);
    }
    text_printf(&t, " cut %d by %s", group->dim, step ? num_text(u, step) : "1");
    text_printf(&t, " of %s", num_text(u, c.axis->n));
    if (from) text_printf(&t, " from %s", num_text(u, from));
    if (n->def->temp >= 0)
        text_printf(&t, " inner %d %d", c.count ? c.first : 0, c.count ? dims_of(n->def, &c) : 0);
    else if (c.count)
        text_printf(&t, " rows %d %d", c.first, dims_of(n->def, &c));
    else
        text_printf(&t, c.first ? " sum %d" : " sum", c.first);
    if (of_parts(n, group)) /* whose product has overflowed is walked through anew */
        text_printf(&t, " finite %d %zu", n->part.temps[0], part_bytes(u, n, 0));
    if (n->def->nbeside) c.known = !nest_find(n->root.first, NEST_GIVE);
    if (nest_find(n->root.first, NEST_GIVE) && c.known) of_give(u, n, &c);
    of_beside(u, n->def, &c);
    if (c.known && nest_find(n->root.first, NEST_SAVE)) of_save(u, n, &c);
    if (c.known) of_holds(u, n, &c);
    if (c.known && c.nwrites) add_reads(u, n, &c);
    if (c.known && c.nwrites) text_addn(out, t.data, t.len);
    text_free(&t);
}

/* ---- turns ---------------------------------------------------------------------------------------- */

static NestTurns turns_of(Unit *u, const Nest *n)
{
    const NestWave *w = &n->wave;
    if (!w->of) return n->turns;
    const NestAxis *rows = &n->axes[w->axes[0]];
    bool beside = w->of->skew < 2 && !rows->down && !n->axes[w->axes[1]].down;
    return (NestTurns){.axis = beside ? w->axes[0] : -1,
                       .turn = w->diagonal,
                       .step = w->steps[0],
                       .skip = rows->from ? rows->from : num_int(u, 0),
                       .back = 1,
                       .across = w->axes[1]};
}

/* Which columns items are of; false: these are not neighbours among the dimensions. */
static bool add_columns(Unit *u, const Nest *n, const NestTurns *t, int across,
                        const NestStep *group, Text *out)
{
    static const char *const words[] = {"diagonal", "columns", "rows"};
    const NestAxis *x = &n->axes[across];
    Cut c = {.axis = x};
    Num *zero = num_int(u, 0), *step = n->wave.of ? n->wave.steps[1] : group ? group->step : x->n;
    if (!x->nvars || !x->n || !find_variables(n, &c) || x->down) return false;
    text_printf(out, " turn %s", num_text(u, t->turn));
    text_printf(out, " %s %d %d", words[n->wave.of ? 0 : group ? 1 : 2], c.first, c.count);
    text_printf(out, " by %s", step ? num_text(u, step) : "1");
    text_printf(out, " of %s", num_text(u, x->n));
    text_printf(out, " from %s", num_text(u, x->from ? x->from : zero));
    text_printf(out, " back %d%s", t->back, n->axes[t->axis].down ? " down" : "");
    return true;
}

/* A launch that is one of several turns is for some rows of them all. group NULL: along no loop over groups. */
static void add_turns(Unit *u, const Nest *n, const NestTurns *turns, int across,
                      const NestStep *group, Text *out)
{
    Text t = {0};
    const NestAxis *x = &n->axes[turns->axis];
    Cut c = {.axis = x, .out = &t, .known = true};
    bool plain = n->def->temp < 0 && !n->def->copy && !n->def->nbeside && !n->def->apart;
    if (!plain || x->nvars != 1 || !find_variables(n, &c)) return;
    Num *zero = num_int(u, 0), *all = plan_n(u, &x->doms[0]);
    all = num_op(u, FD_OP_MAX, num_op(u, FD_OP_SUB, all, turns->skip), zero);
    text_printf(&t, " cut %d by %s", group ? group->dim : 0, num_text(u, turns->step));
    text_printf(&t, " of %s", num_text(u, all));
    if (!x->down && !num_is(turns->skip, 0)) text_printf(&t, " from %s", num_text(u, turns->skip));
    text_printf(&t, " rows %d 1", c.first);
    if (add_columns(u, n, turns, across, group, &t)) {
        add_results(u, &c);
        add_reads(u, n, &c);
        text_addn(out, t.data, t.len);
    }
    text_free(&t);
}

static bool is_group(const NestStep *s)
{
    return s && s->kind == NEST_FOR && (s->bind == NEST_GROUP || s->bind == NEST_ITEM);
}

const char *nest_cuts(Unit *u, const Nest *n)
{
    Text t = {0};
    const NestTurns turns = turns_of(u, n);
    bool plain = !n->def->slice && /* a slice reads others of the one before it */ !n->scan_items &&
                 !n->keys.entries && !n->keys.ordered;
    if (plain && turns.axis >= 0 && turns.across >= 0)
        add_turns(u, n, &turns, turns.across, NULL, &t);
    const NestStep *s = plain ? n->root.first : NULL;
    for (; is_group(s); s = s->first) {
        if (s->bind == NEST_GROUP && turns.axis >= 0 && turns.across < 0)
            add_turns(u, n, &turns, s->axis, s, &t);
        if (s->bind == NEST_GROUP) add_cut(u, n, s, &t);
    }
    bool border = s && s->kind == NEST_FOR && s->bind == NEST_LOOP && n->axes[s->axis].to;
    if (border && turns.axis < 0) add_cut(u, n, s, &t); /* it is all for these positions */
    const char *text = t.len ? arena_strndup(u->arena, t.data, t.len) : NULL;
    text_free(&t);
    return text;
}
