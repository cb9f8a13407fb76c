/* Which recipes a definition takes. A text holds all forms that can apply; the plan chooses by the
 * numbers of a run. */
#include "schedule.h"

#include <string.h>

#include "recipes/recipe.h"

/* A kernel that does nothing but report: run by the plan when `reduce` has nothing to combine. */
static void report_empty(Unit *u, const Def *d, const FdNode *reduce)
{
    Num *none = num_op(u, FD_OP_EQ, recipe_length(u, reduce), num_int(u, 0));
    Num *asked = num_op(u, FD_OP_GT, plan_elements(u, d->nvars, d->doms), num_int(u, 0));
    Num *one[] = {num_int(u, 1), NULL, NULL}, *when = num_and(u, none, asked);
    KirBlock body = {0};
    vec_push(&u->nonempty, reduce);
    if (num_is(when, 0)) return;
    Gen g = gen_begin(u, "empty", &body);
    g.quiet = num_truth(u, false);
    gen_fail(&g, CG_ERR_EMPTY, reduce);
    gen_run(&g, when, 1, one, one);
    gen_end(&g, &body);
}

/* Reductions that always run, over ranges known beforehand, need no check where they are computed.
 */
static void report_empties(Unit *u, const Def *d, const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return;
    if (n->kind == FD_REDUCE) {
        if (fd_does(n) & FD_EMPTY && reduction_is_closed(n)) report_empty(u, d, n);
        return;
    }
    if (n->kind != FD_APPLY) return;
    for (int i = 0; i < n->nargs && !fd_is_lazy(n, i); i++) report_empties(u, d, n->args[i], seen);
}

typedef Num *Recipe(Unit *u, const Def *d, Num *when);

/* Runs a recipe for what is left; returns what is left then. */
static Num *try(Unit *u, const Def *d, Recipe *recipe, Parameter form, Num *rest)
{
    if (num_is(rest, 0) || draw_skips(u, form)) return rest;
    Num *done = recipe(u, d, rest);
    if (!done) return rest;
    if (done == rest) return num_truth(u, false);
    return num_let(u, "rest", num_and(u, rest, num_not(u, done)));
}

static bool is_open(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return n->kind == FD_REDUCE && !reduction_is_closed(n);
}

static bool closes(const Unit *u)
{
    return u->options->tile == CG_TILE_AUTO && !u->options->precise && u->options->family != CG_GPU;
}

/* The forms that exploit reuse or split a reduction. They do not check, so they run where the numbers
 * prove every read inside. */
static Num *reuse(Unit *u, const Def *d, Num *rest)
{
    CgTile tile = u->options->tile;
    if (tile == CG_TILE_1X1) return rest;
#define PARAMETER(...)
#define RECIPE(id, name, asked, meaning)                                                           \
    if (asked) rest = try(u, d, recipe_##name, P_FORM_##id, rest);
#include "../plan/parameters.def"
#undef PARAMETER
    return rest;
}

/* The line that says how what follows computes the definition. */
static const char *form_line(const Unit *u, const Def *d)
{
    const char *noted = d->noting ? " noted" : ""; /* what may fail is read so */
    return d->flat      ? "flat\n"
           : d->njoined ? "joined\n"
           : d->near    ? "near\n"
           : d->abreast ? arena_printf(u->arena, "abreast %d%s\n", d->abreast, noted)
           : d->split   ? "split\n"
           : d->plain   ? "plain\n"
           : d->nbeside ? "beside\n"
           : d->anew    ? "anew\n"
           : d->slice   ? "slice\n"
           : d->nwithin ? "closed\n"
                        : "apart\n";
}

Num *schedule_turn_to(Unit *u, const Def *d)
{
    if (u->schedule) {
        const char *form = form_line(u, d);
        if (strcmp(form, form_line(u, u->def)) != 0) text_add(u->schedule, form);
    }
    u->def = d;
    return def_unsafe(u, d);
}

Num *schedule_begin(Unit *u, const Def *d)
{
    u->def = d;
    if (u->schedule && d->temp >= 0) text_printf(u->schedule, "definition temp %d\n", d->temp);
    if (u->schedule && d->temp < 0) text_add(u->schedule, "definition result\n");
    FdSeen seen = {0};
    report_empties(u, d, d->body, &seen);
    fd_seen_free(&seen);
    def_quiet(u, d); /* before its numbers have names */
    return schedule_turn_to(u, d);
}

/* Returns what is left. */
static Num *chunks(Unit *u, const Def *d, Num *rest, bool checked)
{
    if (u->options->tile == CG_TILE_1X1 || num_is(rest, 0) || draw_skips(u, P_FORM_CHUNKS))
        return rest;
    Num *done = recipe_chunks(u, d, rest, checked);
    return done ? num_and(u, rest, num_not(u, done)) : rest;
}

/* Only the device can tell whether something fails, which is seldom so. All forms, which note that it
 * did; if one did, a nest that says what does the work again. */
static void noted(Unit *u, const Def *d, Num *rest)
{
    const FdNode *last = d->nvars ? d->vars[d->nvars - 1] : NULL;
    Num *sized = plan_sized(u, d, last), *all = num_let(u, "sized", num_and(u, rest, sized));
    Def *notes = arena_copy(u->arena, d, sizeof *d);
    notes->noting = true;
    Num *left = reuse(u, notes, all);
    if (left != all) rest = num_and(u, rest, num_op(u, FD_OP_LOR, num_not(u, all), left));
    rest = try(u, notes, recipe_inside, P_FORM_INSIDE, rest);
    rest = chunks(u, notes, rest, true);
    if (!num_is(rest, 0)) recipe_pointwise(u, notes, rest, num_truth(u, true));
    if (d->facts->notes) recipe_again(u, d, all);
}

/* Rows side by side that note what fails; returns what is left. */
static Num *noted_rows(Unit *u, const Def *d, Num *rest)
{
    Def *notes = arena_copy(u->arena, d, sizeof *d);
    notes->noting = true;
    Num *left = schedule_abreast_first(u, notes, false, rest);
    if (left == rest) return rest;
    if (d->facts->notes) recipe_again(u, d, num_let(u, "rows", num_and(u, rest, num_not(u, left))));
    return left;
}

/* Short rows that follow each other in memory as one, in lanes; returns what is left. */
static Num *flattened(Unit *u, const Def *d, Num *rest)
{
    Num *when = NULL;
    if (num_is(rest, 0) || d->anew || d->slice || draw_skips(u, P_FORM_FLAT)) return rest;
    const Def *f = schedule_flat(u, d, &when);
    if (!f) return rest;
    when = num_let(u, "flat", num_and(u, rest, when));
    Num *unsafe = schedule_turn_to(u, f), *done;
    if (schedule_flat_has_inside(f)) {
        done = recipe_inside(u, f, when);
    } else {
        Num *safe = num_let(u, "safe", num_and(u, when, num_not(u, unsafe))),
            *left = try(u, f, recipe_strips, P_FORM_STRIPS, safe);
        done = num_is(left, 0) ? NULL : recipe_vectors(u, f, left);
        if (left != safe) /* and what these computed */
            done = num_and(
                u, safe, num_op(u, FD_OP_LOR, num_not(u, left), done ? done : num_truth(u, false)));
    }
    schedule_turn_to(u, d);
    return done ? num_let(u, "rest", num_and(u, rest, num_not(u, done))) : rest;
}

/* Channels of pixels and coordinates of points, whose distances are known; returns what is left. */
static Num *near_first(Unit *u, const Def *d, Num *rest)
{
    Num *when = NULL;
    if (num_is(rest, 0) || draw_skips(u, P_FORM_NEAR)) return rest;
    const Def *near = schedule_near(u, d, &when);
    if (!near) return rest;
    when = num_let(u, "near", num_and(u, rest, when));
    Num *safe = num_let(u, "safe", num_and(u, when, num_not(u, schedule_turn_to(u, near)))),
        *left = reuse(u, near, safe);
    if (d->nvars && !num_is(left, 0)) {
        Num *done = recipe_vectors(u, near, left);
        if (done) left = num_and(u, left, num_not(u, done));
    }
    schedule_turn_to(u, d);
    if (left == safe) return rest;
    Num *done = num_and(u, safe, num_not(u, left));
    return num_let(u, "rest", num_and(u, rest, num_not(u, done)));
}

/* The forms that exploit reuse, of another form of the definition, which may be taken under `when`; returns what is left. */
static Num *reuse_of(Unit *u, const Def *d, const Def *form, const char *name, Num *when, Num *rest)
{
    when = num_let(u, name, num_and(u, rest, when));
    Num *safe = num_let(u, "safe", num_and(u, when, num_not(u, schedule_turn_to(u, form)))),
        *left = reuse(u, form, safe);
    schedule_turn_to(u, d);
    if (left == safe) return rest;
    Num *done = num_and(u, safe, num_not(u, left));
    return num_let(u, "rest", num_and(u, rest, num_not(u, done)));
}

/* Reductions of whole arrays along their elements, however short rows are; returns what is left. */
static Num *joined_first(Unit *u, const Def *d, Num *rest)
{
    Num *when = NULL;
    if (num_is(rest, 0) || draw_skips(u, P_FORM_JOINED)) return rest;
    const Def *joined = schedule_joined(u, d, &when);
    return joined ? reuse_of(u, d, joined, "joined", when, rest) : rest;
}

/* Blocks of divided variables; returns what is left. */
static Num *split_first(Unit *u, const Def *d, Num *rest)
{
    Num *when = NULL;
    if (num_is(rest, 0) || draw_skips(u, P_FORM_SPLIT)) return rest;
    const Def *split = schedule_split(u, d, &when);
    return split ? reuse_of(u, d, split, "split", when, rest) : rest;
}

/* Sums without conditions around them, where these hold for all elements; returns what is left. */
static Num *plain_first(Unit *u, const Def *d, Num *rest)
{
    if (u->options->tile != CG_TILE_AUTO || num_is(rest, 0) || draw_skips(u, P_FORM_PLAIN))
        return rest;
    const Def *p = schedule_plain(u, d);
    if (!p || num_is(def_unsafe(u, p), 1)) return rest;
    Num *safe = num_and(u, num_and(u, rest, p->plain), num_not(u, schedule_turn_to(u, p)));
    safe = num_let(u, "plain", safe);
    Num *left = num_is(safe, 0) ? safe : reuse(u, p, safe);
    schedule_turn_to(u, d);
    if (left == safe) return rest;
    Num *done = num_and(u, safe, num_not(u, left));
    return num_let(u, "rest", num_and(u, rest, num_not(u, done)));
}

/* May some of what is below be left out? */
static bool chooses(const void *ctx, const FdNode *n)
{
    (void)ctx;
    if (fd_user_of(n)) return true;
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (fd_is_lazy(n, i)) return true;
    return false;
}

/* Where a definition has guards, or reads that may lie outside, an interior without them; gives what is left. */
static Num *inside_first(Unit *u, const Def *d, Num *rest, Num *unsafe)
{
    bool guarded = d->nvars && !lanes_possible(d->body, d->vars[d->nvars - 1], 0);
    if (!d->nvars || (num_is(unsafe, 0) && !guarded) || draw_skips(u, P_FORM_INSIDE)) return rest;
    Num *inside = recipe_inside(u, d, guarded ? rest : num_and(u, rest, unsafe));
    return inside ? num_let(u, "rest", num_and(u, rest, num_not(u, inside))) : rest;
}

/* Small triangles: before they are taken for squares. */
static Num *batch_first(Unit *u, const Def *d, Num *rest, Num *unsafe)
{
    if (num_is(unsafe, 1)) return rest;
    Num *safe = num_let(u, "safe", num_and(u, rest, num_not(u, unsafe)));
    Num *left = try(u, d, recipe_batch, P_FORM_BATCH, safe);
    if (left == safe) return rest;
    return num_let(u, "rest", num_and(u, rest, num_op(u, FD_OP_LOR, unsafe, left)));
}

static void unordered(Unit *u, const Def *d, Num *rest, Num *unsafe)
{
    unsafe = num_let(u, "unsafe", unsafe);
    if (!fd_any(d->body, chooses, NULL))
        num_guess(u, unsafe, false); /* every read is made: it would fail */
    bool plain = u->options->tile == CG_TILE_1X1;
    if (def_is_once(u, d)) {
        recipe_pointwise(u, d, inside_first(u, d, rest, unsafe), unsafe);
        return;
    }
    Num *keys = plain || draw_skips(u, P_FORM_KEYS) ? NULL : recipe_keys(u, d, rest, unsafe);
    if (keys) { /* what is left is small */
        if (keys != rest) recipe_pointwise(u, d, num_and(u, rest, num_not(u, keys)), unsafe);
        return;
    }
    rest = split_first(u, d, rest);
    Num *before = rest;
    rest = flattened(u, d, rest);
    rest = schedule_abreast_first(u, d, rest != before, rest);
    rest = joined_first(u, d, rest);
    rest = near_first(u, d, rest);
    if (num_is(rest, 0)) return;
    bool notes = num_is(unsafe, 1) || fd_can_fail(d->body);
    if (closes(u) && fd_any(d->body, is_open, NULL)) {
        rest = batch_first(u, d, rest, unsafe);
        rest = try(u, d, recipe_closed, P_FORM_CLOSED, rest);
    }
    if (num_is(rest, 0)) return;
    rest = plain_first(u, d, rest);
    if (num_is(rest, 0)) return;
    notes = notes && u->options->family == CG_CPU && u->options->tile == CG_TILE_AUTO;
    if (notes) rest = noted_rows(u, d, rest);
    rest = inside_first(u, d, rest, unsafe);
    if (notes && !num_is(rest, 0)) {
        noted(u, d, rest);
        return;
    }
    if (num_is(unsafe, 0)) {
        rest = reuse(u, d, rest);
    } else if (!num_is(unsafe, 1)) {
        Num *safe = num_let(u, "safe", num_and(u, rest, num_not(u, unsafe)));
        Num *left = reuse(u, d, safe);
        if (left != safe) /* the rest of what is safe, and what is not */
            rest = num_and(u, rest, num_op(u, FD_OP_LOR, unsafe, left));
    }
    rest = chunks(u, d, rest, !num_is(unsafe, 0));
    if (!num_is(rest, 0)) recipe_pointwise(u, d, rest, unsafe);
}

void schedule_unordered(Unit *u, const Def *d, Num *when)
{
    unordered(u, d, when, def_unsafe(u, d));
}

static void chosen(Unit *u, const Def *d, Num *rest)
{
    Num *unsafe = def_unsafe(u, d);
    if (!recipe_ordered(u, d, !num_is(unsafe, 0))) unordered(u, d, rest, unsafe);
}

/* Under `rest`, and where its rows compute what they would read (schedule_abreast.c), which is `rows` or NULL; the others
 * are computed elsewhere. */
static void schedule_def(Unit *u, const Def *d, Num *rest, Num *rows)
{
    schedule_begin(u, d);
    if (rows) schedule_abreast_nests(u, d, rows);
    if (!num_is(rest, 0)) chosen(u, d, rest);
    if (rows || !num_is(rest, 0)) schedule_say_scalar(u, d);
}

/* Under `keep` it reads what is stored, elsewhere it computes that. */
static void schedule_reader(Unit *u, const Def *d, Num *keep)
{
    schedule_def(u, d, keep, NULL);
    Num *rest = num_not(u, keep);
    if (num_is(rest, 0)) return;
    const Def *anew = schedule_anew(u, d);
    schedule_turn_to(u, anew);
    chosen(u, anew, rest);
    schedule_turn_to(u, d);
}

/* The result with arrays beside it in one pass, and where that is not so one after the other. False: it has no
 * such form. */
static bool beside(Unit *u, int n, const Def *defs)
{
    Num *when = NULL;
    const Def *d = schedule_beside(u, n, defs, &when);
    if (!d || !recipe_rows_beside(u, d) || draw_skips(u, P_FORM_BESIDE)) return false;
    when = num_let(u, "beside", when);
    for (int i = 0; i < n - 1 && !u->host_only; i++)
        schedule_def(u, &defs[i], num_not(u, when), NULL);
    if (u->host_only) return true;
    schedule_begin(u, &defs[n - 1]);
    schedule_turn_to(u, d);
    recipe_rows(u, d, when);
    schedule_turn_to(u, &defs[n - 1]);
    Num *rest = num_not(u, when);
    if (!num_is(rest, 0)) chosen(u, &defs[n - 1], rest);
    return true;
}

/* What steps share and is small beside them: it is made before. */
static bool is_table(const Unit *u, const Def *d, const Def *last)
{
    return d->temp >= 0 && d->nvars < last->nvars && !unit_kept(u, d->temp);
}

static bool ends(const Bands *b, const Def *d)
{
    return def_given(b->stages[b->n - 1].def) == d;
}

void schedule_all(Unit *u, int n, const Def *defs)
{
    Bands **of = arena_array(u->arena, Bands *, n); /* whose stage a definition is */
    Num *always = num_truth(u, true);
    if (beside(u, n, defs)) return;
    bool skips = draw_skips(u, P_FORM_BANDS);
    for (int i = n; !skips && i-- > 0;) {
        Bands *b = of[i] ? NULL : recipe_bands(u, n, defs, i);
        for (int k = 0; b && k < b->n; k++)
            if (!b->stages[k].def->copy) of[def_given(b->stages[k].def) - defs] = b;
    }
    /* Bands, or nothing is launched: others are better evaluated one by one. */
    bool only = u->steps && n > 1;
    for (int i = 0; only && i < n; i++) {
        bool table = !of[i] && of[n - 1] && is_table(u, &defs[i], &defs[n - 1]);
        if (!table && (!of[i] || of[i] != of[n - 1]))
            unit_give_up(u, "steps that cannot be kept by rows", defs[i].node);
    }
    if (u->g->turns && (!of[n - 1] || !of[n - 1]->turns.count))
        unit_give_up(u, "turns that cannot be kept by rows", defs[n - 1].node);
    for (int i = 0; i < n; i++) /* then they are better evaluated before what is made of them */
        if (unit_kept(u, defs[i].temp) && !of[i] && defs[n - 1].temp < 0 && !u->shares)
            unit_give_up(u, "an array and a scalar that are not made by rows", defs[i].node);
    uint64_t inside = only || u->g->turns ? 0 : schedule_abreast_inside(u, &defs[n - 1]);
    Num *rows = inside ? schedule_abreast_when(u, &defs[n - 1]) : NULL;
    Num *others = rows ? num_not(u, rows) : always;
    for (int i = 0; rows && i < n; i++) /* which are too short to be kept */
        if ((i == n - 1 || inside >> i & 1) && of[i] && ends(of[i], &defs[i]))
            of[i]->when = num_let(u, "bands", num_and(u, of[i]->when, others));
    bool apart = !only; /* what bands read is stored */
    for (int i = 0; i < n; i++) apart = apart && !(of[i] && schedule_reads_optional(u, &defs[i]));
    Num *keep = apart ? schedule_keep(u) : NULL;
    for (int i = 0; i < n && !u->host_only; i++) {
        Bands *b = of[i];
        if (keep && !b && schedule_is_optional(u, &defs[i])) {
            schedule_def(u, &defs[i], keep, NULL);
            continue;
        }
        if (keep && !b && schedule_reads_optional(u, &defs[i])) {
            schedule_reader(u, &defs[i], keep);
            continue;
        }
        if (only && b) schedule_begin(u, &defs[i]);
        if (only && i == n - 1) recipe_lower_bands(u, b);
        if (only && b) continue;
        bool last = i == n - 1;
        Num *here = last || inside >> i & 1 ? others : only ? of[n - 1]->when : always;
        if (b) here = num_and(u, here, num_not(u, b->when));
        schedule_def(u, &defs[i], here, last ? rows : NULL);
        if (b && ends(b, &defs[i]) && !u->host_only) recipe_lower_bands(u, b);
    }
}
