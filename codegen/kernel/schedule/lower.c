/* cg_lower: one evaluation to one text. Passes, then a schedule for each temporary and for the
 * result, then plan, prelude, functions and kernels in one string.
 */
#include "../ir/prelude.h"
#include "../math/math.h"
#include "../plan/draw.h"
#include "../unit.h"
#include "schedule.h"

/* ---- the graph ------------------------------------------------------------------------------- */

static void count_all_uses(Unit *u)
{
    /* Any node made from here on (none is) would be past the end. */
    const FdNode *newest = fd_var(u->fd, fd_type_scalar(u->fd, SC_INT), "end");
    uint32_t *uses = arena_array(u->arena, uint32_t, newest->id + 1);
    for (int k = 0; k < u->g->nresults; k++) count_uses(u->g->results[k].node, uses);
    for (int i = 0; i < u->g->nslots; i++)
        if (u->g->slots[i].def) count_uses(u->g->slots[i].def, uses);
    for (uint32_t i = 0; i <= newest->id; i++)
        if (!uses[i]) uses[i] = 1; /* nodes of user functions are counted by statement */
    u->uses = (UnitUses){uses, (size_t)newest->id + 1};
}

static bool name_record(const void *unit, const FdNode *n)
{
    Unit *u = *(Unit *const *)unit;
    if (n->kind == FD_REDUCE && n->type->record) gen_type(u, n->type);
    return false;
}

/* The types of reductions have the graph's order, whichever of them a recipe asks for first. */
static void name_records(Unit *u)
{
    for (int i = 0; i < u->g->nslots; i++)
        if (u->g->slots[i].def) fd_any(u->g->slots[i].def, name_record, &u);
    for (int k = 0; k < u->g->nresults; k++) fd_any(u->g->results[k].node, name_record, &u);
}

/* ---- the plan's head ------------------------------------------------------------------------- */

static void plan_slots(Unit *u)
{
    plan_line(u, "slots %d", u->order->nslots);
    for (int k = 0; k < u->order->nslots; k++) {
        const FdType *t = u->g->slots[u->order->slots[k]].type;
        if (t->nparams)
            plan_line(u, "slot %d array %s %d", k,
                      t->result->record ? "record" : scalar_name(t->result->scalar), t->nparams);
        else
            plan_line(u, "slot %d %s", k, scalar_name(t->scalar));
    }
}

static Num *larger(Unit *u, Num *x, Num *y)
{
    return x ? num_op(u, FD_OP_MAX, x, y) : y;
}

/* A variable is a long where its range may lie beyond 32 bits. */
static bool long_variable(const FdOrder *order)
{
    for (int i = 0; i < order->nnodes; i++) {
        const FdNode *n = order->nodes[i];
        if (n->kind != FD_LET && n->kind != FD_REDUCE) continue;
        for (int k = 0; k < n->nvars; k++)
            if (n->vars[k]->type->scalar == SC_LONG) return true;
    }
    return false;
}

/* Offsets need 64 bits when some array has 2^31 elements or more (or begins that far away), and
 * with long variables. */
static void plan_flags(Unit *u, const Def *defs, int ndefs)
{
    if (u->options->family ==
            CG_CPU || /* whose registers are as wide: no widening at each access */
        long_variable(u->order)) {
        plan_line(u, "flag CS_WIDE = 1");
        return;
    }
    Num *most = NULL;
    for (int k = 0; k < u->order->nslots; k++) {
        int slot = u->order->slots[k];
        const FdType *t = u->g->slots[slot].type;
        if (!t->nparams) continue;
        const FdNode *array = fd_slot(u->fd, slot, t, NULL);
        Num *count = NULL;
        for (int d = 0; d < t->nparams; d++) {
            Num *lo = plan_array_lo(u, array, d), *n = plan_array_n(u, array, d);
            n = num_op(u, FD_OP_MAX, n, num_op(u, FD_OP_SUB, num_int(u, 0), lo));
            count = count ? num_op(u, FD_OP_MUL, count, n) : n;
            most = larger(u, most, lo);
        }
        most = larger(u, most, count);
    }
    for (int i = 0; i < ndefs; i++)
        if (defs[i].nvars) most = larger(u, most, plan_elements(u, defs[i].nvars, defs[i].doms));
    Num *wide = num_op(u, FD_OP_GT, most ? most : num_int(u, 0), num_int(u, 2000000000));
    plan_line(u, "flag CS_WIDE = %s", num_text(u, wide));
}

static char *whole_text(Unit *u)
{
    Text t = {0};
    text_add(&t, "/* C$ plan\n");
    text_addn(&t, u->plan.data, u->plan.len);
    text_add(&t, " */\n");
    Text math = {0};
    const Text calls[] = {u->functions, u->kernels};
    math_add(&math, 2, calls, u->options->family == CG_GPU, u->options->precise);
    const Text rest[] = {math, u->types, u->functions, u->kernels};
    prelude_add(&t, 4, rest);
    for (int i = 0; i < 4; i++)
        if (rest[i].len) text_addn(&t, rest[i].data, rest[i].len);
    text_free(&math);
    return text_take(&t);
}

static Def def_of(Unit *u, const FdNode *node, int temp)
{
    DefFacts *facts = arena_new_of(u->arena, DefFacts);
    if (node->kind == FD_LET)
        return (Def){.node = node,
                     .temp = temp,
                     .facts = facts,
                     .nvars = node->nvars,
                     .vars = node->vars,
                     .doms = node->doms,
                     .body = node->body};
    return (Def){.node = node, .temp = temp, .facts = facts, .body = node};
}

/* The temporary that a result is; -1: it is none. */
static int temp_of(const Unit *u, const FdNode *result)
{
    bool is = result->kind == FD_FUNC && result->leaf == FD_LEAF_SLOT && result->slot >= u->ninputs;
    return is ? u->plan_slot[result->slot] : -1;
}

/* Which temporaries are results. Only the first one may be none. */
static void keep_temps(Unit *u)
{
    u->kept = arena_array(u->arena, int, u->ntemps + 1);
    for (int k = 0; k < u->g->nresults; k++) {
        const FdNode *n = u->g->results[k].node;
        int temp = temp_of(u, n);
        if (temp >= 0 && !u->kept[temp])
            u->kept[temp] = k + 1;
        else if (temp >= 0 || k > 0)
            unit_give_up(u, "arrays that are results twice", n);
    }
    u->nkept = u->ntemps;
}

/* read: NULL, or the schedule to take. */
static CgStatus lower_unit_text(Unit *u, CgReading *read, char **text, FdError *error)
{
    int n = 0;
    Def *defs = arena_array(u->arena, Def, u->g->nslots + 1);
    for (int i = 0; i < u->g->nslots; i++) {
        if (!u->g->slots[i].def) continue;
        u->plan_slot[i] = u->ntemps;
        defs[n++] = def_of(u, u->g->slots[i].def, u->ntemps++);
    }
    keep_temps(u);
    if (temp_of(u, fd_root(u->g)) < 0) defs[n++] = def_of(u, fd_root(u->g), -1);
    u->defs = defs;
    u->ndefs = n;
    plan_slots(u);
    plan_line(u, "options %s%s", u->options->precise ? CG_OPTION_PRECISE : "-cl-mad-enable",
              u->options->fast ? " -cl-unsafe-math-optimizations " CG_OPTION_FAST : "");
    plan_flags(u, defs, n);
    for (int i = 0; i < n; i++) {
        Num *elements = plan_elements(u, defs[i].nvars, defs[i].doms);
        const FdType *t = defs[i].body->type;
        Num *bytes = plan_bytes(u, t, elements);
        if (defs[i].temp >= 0)
            plan_line(u, "temp %d bytes %s", defs[i].temp,
                      num_text(u, unit_kept(u, defs[i].temp) ? num_int(u, 0) : bytes));
        else if (!u->nbeside)
            plan_line(u, "out %sbytes %s", u->g->nresults > 1 ? "0 " : "", num_text(u, bytes));
        for (int k = 0; defs[i].temp < 0 && k < u->nbeside; k++) {
            bytes = plan_bytes(u, t->fields[k], elements);
            plan_line(u, "out %d bytes %s", k, num_text(u, bytes));
        }
    }
    for (int k = 0; k < u->g->nresults; k++)
        for (int i = 0; i < n; i++)
            if (unit_kept(u, defs[i].temp) == k + 1)
                plan_line(u, "out %d bytes %s", k,
                          num_text(u, plan_bytes(u, defs[i].body->type,
                                                 plan_elements(u, defs[i].nvars, defs[i].doms))));
    const char *why = read ? read->reader(u, read->text, n, defs, &read->line) : NULL;
    if (why) {
        *error = (FdError){.message = why};
        return CG_USER_ERROR;
    }
    if (!read) schedule_say_functions(u);
    if (!read) schedule_all(u, n, defs);
    if (u->host_only) return CG_HOST_ONLY;
    *text = whole_text(u);
    return CG_OK;
}

/* What is asked for all kernels, and by the attributes of these. */
static CgOptions options_for(const FdGraph *g, const CgOptions *all)
{
    CgOptions own = *all;
    FdReals reals = fd_hints_reals(g->hints);
    own.precise = all->precise || reals == FD_REALS_PRECISE;
    own.fast = !own.precise && reals == FD_REALS_FAST;
    return own;
}

CgStatus cg_lower_also(const FdGraph *g, const CgOptions *options, const CgAlso *also, char **text,
                       FdError *error)
{
    Fd *fd = fd_new();
    Arena *arena = arena_new();
    FdGraph copy = *fd_graph_copy(fd, g);
    FdOrder order = {0};
    fd_key(fd, &copy, &order);
    const FdLoc *places = fd_number_places(fd, &order); /* positions are not in the key */
    const CgOptions own = options_for(g, options);
    Unit u = {.arena = arena,
              .fd = fd,
              .options = &own,
              .g = &copy,
              .order = &order,
              .places = places,
              .steps = fd_hints_have(copy.hints, FD_HINT_STEPS),
              .shares = fd_shares_work(&copy),
              .schedule = also->printed,
              .asked = also->asked,
              .ninputs = copy.nslots};
    draw_begin(&u);
    CgStatus status = CG_USER_ERROR;
    size_t before = also->printed ? also->printed->len : 0;
    const FdPass *passes = fd_back_passes_for(own.precise ? FD_REALS_PRECISE
                                              : own.fast  ? FD_REALS_FAST
                                                          : FD_REALS_USUAL);
    int nresults = copy.nresults;
    if (fd_run_passes(fd, &copy, passes, error, NULL, NULL)) {
        u.nbeside = copy.nresults < nresults ? nresults : 0;
        u.over = u.nbeside && fd_hints_have(copy.hints, FD_HINT_OVER);
        u.plan_slot = arena_array(arena, int, copy.nslots + 1);
        for (int k = 0; k < order.nslots; k++) u.plan_slot[order.slots[k]] = k;
        fd_specialise(fd, &copy);
        fd_fields_apart(fd, &copy);
        count_all_uses(&u);
        name_records(&u);
        status = lower_unit_text(&u, also->read, text, error);
        if (status == CG_OK && also->take) {
            const CgCode code = {*text, &own, (int)u.funcs.len, u.funcs.data};
            also->take(also->ctx, &code);
        }
    }
    if (status == CG_HOST_ONLY && also->printed) {
        also->printed->len = before;
        schedule_say_host(&u);
    }
    if (status == CG_USER_ERROR) {
        Text t = {0};
        text_add(&t, error->message);
        error->message = *text = text_take(&t);
        if (error->loc.line) error->loc = places[error->loc.line - 1];
        error->at = NULL; /* was in the copy */
    }
    numbers_free(u.numbers);
    text_free(&u.plan);
    text_free(&u.types);
    text_free(&u.functions);
    text_free(&u.kernels);
    vec_free(&u.funcs);
    vec_free(&u.users);
    vec_free(&u.records);
    vec_free(&u.nonempty);
    arena_free(arena);
    fd_free(fd);
    return status;
}

CgStatus cg_lower(const FdGraph *g, const CgOptions *options, char **text, FdError *error)
{
    return cg_lower_also(g, options, &(CgAlso){0}, text, error);
}
