/* cg_lower: one evaluation to one text. Passes, then a schedule for each temporary and for the
 * result, then plan, prelude, functions and kernels in one string.
 */
#include <string.h>

#include "../ir/prelude.h"
#include "../unit.h"

/* ---- the graph ------------------------------------------------------------------------------- */

/* Not recursive: chains can be long. */
void count_uses(const FdNode *n, uint32_t *uses)
{
    VEC(const FdNode *) stack = {0};
    vec_push(&stack, n);
    while (stack.len) {
        n = stack.data[--stack.len];
        if (uses[n->id]++) continue;
        if (n->kind == FD_REDUCE && n->fn->kind == FD_LET) vec_push(&stack, n->fn);
        for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++) vec_push(&stack, n->args[i]);
        for (int i = 0; i < n->nvars; i++) {
            if (n->doms[i].lo) vec_push(&stack, n->doms[i].lo);
            if (n->doms[i].hi) vec_push(&stack, n->doms[i].hi);
        }
        if (n->body) vec_push(&stack, n->body);
        if (n->init) vec_push(&stack, n->init);
    }
    vec_free(&stack);
}

static void count_all_uses(Unit *u)
{
    /* Any node made from here on (none is) would be past the end. */
    const FdNode *newest = fd_var(u->fd, fd_type_scalar(u->fd, SC_INT), "end");
    uint32_t *uses = arena_array(u->arena, uint32_t, newest->id + 1);
    count_uses(u->g->root, uses);
    for (int i = 0; i < u->g->nslots; i++)
        if (u->g->slots[i].def) count_uses(u->g->slots[i].def, uses);
    for (uint32_t i = 0; i <= newest->id; i++)
        if (!uses[i]) uses[i] = 1; /* nodes of user functions are counted by statement */
    u->uses = uses;
    u->nnodes = (size_t)newest->id + 1;
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

static const char *larger(Unit *u, const char *x, const char *y)
{
    return x ? plan_short(u, arena_printf(u->arena, "max(%s, %s)", x, y)) : y;
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
    const char *most = NULL;
    for (int k = 0; k < u->order->nslots; k++) {
        int slot = u->order->slots[k];
        const char *count = NULL;
        for (int d = 0; d < u->g->slots[slot].type->nparams; d++) {
            const char *n = arena_printf(u->arena, "max(s%d.n%d, 0 - s%d.lo%d)", k, d, k, d);
            count = count ? arena_printf(u->arena, "%s * %s", count, n) : n;
            most = larger(u, most, arena_printf(u->arena, "s%d.lo%d", k, d));
        }
        if (count) most = larger(u, most, count);
    }
    for (int i = 0; i < ndefs; i++)
        if (defs[i].nvars) most = larger(u, most, plan_elements(u, &defs[i], defs[i].nvars));
    plan_line(u, "flag CS_WIDE = %s > 2000000000", most ? most : "0");
}

/* ---- schedules ------------------------------------------------------------------------------- */

/* A kernel that does nothing but report: run by the plan when `reduce` has nothing to combine. */
static void report_empty(Unit *u, const Def *d, const FdNode *reduce)
{
    Arena *a = u->arena;
    Def all = {.nvars = reduce->nvars, .doms = reduce->doms};
    const char *when = arena_printf(a, "%s == 0 && %s > 0", plan_elements(u, &all, all.nvars),
                                    plan_elements(u, d, d->nvars));
    KirBlock body = {0};
    Gen g = gen_begin(u, "empty", &body);
    gen_fail(&g, CG_ERR_EMPTY, reduce);
    gen_run(&g, when, "1", "1");
    gen_end(&g, &body);
    vec_push(&u->nonempty, reduce);
}

/* Reductions that always run, over ranges known beforehand, need no check where they are computed.
 */
static void report_empties(Unit *u, const Def *d, const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return;
    if (n->kind == FD_REDUCE) {
        bool identity = n->init || reduction_has_identity(n);
        if (!identity && reduction_is_closed(n)) report_empty(u, d, n);
        return;
    }
    if (n->kind != FD_APPLY) return;
    for (int i = 0; i < n->nargs && !fd_is_lazy(n, i); i++) report_empties(u, d, n->args[i], seen);
}

/* The forms that exploit reuse or split a reduction; false if none applies. */
static bool schedule_reuse(Unit *u, const Def *d)
{
    CgTile tile = u->options->tile;
    if ((tile == CG_TILE_2X2 || tile == CG_TILE_4X4) && schedule_paper(u, d)) return true;
    if (tile == CG_TILE_AUTO && schedule_contract(u, d)) return true;
    return tile != CG_TILE_1X1 && schedule_reduce(u, d);
}

static void schedule(Unit *u, const Def *d)
{
    u->def = d;
    u->suspects.len = 0;
    FdSeen seen = {0};
    report_empties(u, d, d->body, &seen);
    fd_seen_free(&seen);
    if (schedule_recur(u, d)) return;
    const char *unsafe = plan_unsafe(u, d);
    const char *chunks = schedule_chunks(u, d, strcmp(unsafe, "0") != 0);
    if (chunks) u->guard = arena_printf(u->arena, "!%s", chunks);
    if (u->options->family == CG_GPU || chunks) {
        if (u->options->family == CG_GPU)
            schedule_gpu(u, d);
        else
            schedule_map(u, d);
        u->guard = NULL;
        return;
    }
    if (strcmp(unsafe, "0") == 0) {
        if (!schedule_reuse(u, d)) schedule_map(u, d);
        return;
    }
    /* The fast forms do not check: they run where the numbers prove every read inside. */
    const char *safe = strcmp(unsafe, "1") == 0
                           ? NULL
                           : plan_let(u, "safe", arena_printf(u->arena, "!(%s)", unsafe));
    u->guard = safe;
    bool reused = safe && schedule_reuse(u, d);
    u->guard = reused ? arena_printf(u->arena, "!%s", safe) : NULL;
    schedule_map(u, d);
    u->guard = NULL;
}

static char *whole_text(Unit *u)
{
    Text t = {0};
    text_add(&t, "/* C$ plan\n");
    text_addn(&t, u->plan.data, u->plan.len);
    text_add(&t, " */\n");
    const Text rest[] = {u->types, u->functions, u->kernels};
    prelude_add(&t, 3, rest);
    for (int i = 0; i < 3; i++)
        if (rest[i].len) text_addn(&t, rest[i].data, rest[i].len);
    return text_take(&t);
}

static CgStatus lower_unit_text(Unit *u, char **text)
{
    int n = 0;
    Def *defs = arena_array(u->arena, Def, u->g->nslots + 1);
    for (int i = 0; i < u->g->nslots; i++) {
        if (!u->g->slots[i].def) continue;
        u->plan_slot[i] = u->ntemps;
        defs[n++] = def_of(u->g->slots[i].def, u->ntemps++);
    }
    defs[n++] = def_of(u->g->root, -1);
    size_t widest = 1;
    for (int i = 0; i < n; i++) {
        size_t w = widest_bytes(defs[i].body);
        if (w > widest) widest = w;
    }
    if (widest < 4) widest = 4; /* masks and indices are ints */
    plan_slots(u);
    plan_line(u, "options %s",
              u->options->precise ? "-DCS_PRECISE"
                                  : "-cl-mad-enable -cl-unsafe-math-optimizations");
    plan_line(u, "define VW = max(vector_bytes / %zu, 2)", widest);
    plan_flags(u, defs, n);
    for (int i = 0; i < n; i++) {
        const char *elements = plan_elements(u, &defs[i], defs[i].nvars);
        const FdType *t = defs[i].body->type;
        if (defs[i].temp >= 0)
            plan_line(u, "temp %d bytes %s", defs[i].temp, plan_bytes(u, t, elements));
        else if (!u->g->several)
            plan_line(u, "out bytes %s", plan_bytes(u, t, elements));
        for (int k = 0; defs[i].temp < 0 && u->g->several && k < t->nfields; k++)
            plan_line(u, "out %d bytes %s", k, plan_bytes(u, t->fields[k], elements));
    }
    for (int i = 0; i < n && !u->host_only; i++) schedule(u, &defs[i]);
    if (u->host_only) return CG_HOST_ONLY;
    *text = whole_text(u);
    return CG_OK;
}

CgStatus cg_lower(const FdGraph *g, const CgOptions *options, char **text, FdError *error)
{
    Fd *fd = fd_new();
    Arena *arena = arena_new();
    FdGraph copy = *fd_graph_copy(fd, g);
    FdOrder order = {0};
    fd_key(fd, &copy, &order);
    const FdLoc *places = fd_number_places(fd, &order); /* positions are not in the key */
    Unit u = {.arena = arena,
              .fd = fd,
              .options = options,
              .g = &copy,
              .order = &order,
              .ninputs = copy.nslots};
    CgStatus status = CG_USER_ERROR;
    const FdPass *passes = options->precise ? fd_precise_passes : fd_back_passes;
    if (fd_run_passes(fd, &copy, passes, error, NULL, NULL)) {
        u.plan_slot = arena_array(arena, int, copy.nslots + 1);
        for (int k = 0; k < order.nslots; k++) u.plan_slot[order.slots[k]] = k;
        fd_specialise(fd, &copy);
        count_all_uses(&u);
        status = lower_unit_text(&u, text);
    }
    if (status == CG_USER_ERROR) {
        Text t = {0};
        text_add(&t, error->message);
        error->message = *text = text_take(&t);
        if (error->loc.line) error->loc = places[error->loc.line - 1];
        error->at = NULL; /* was in the copy */
    }
    plan_texts_free(&u);
    text_free(&u.plan);
    text_free(&u.types);
    text_free(&u.functions);
    text_free(&u.kernels);
    vec_free(&u.defines);
    vec_free(&u.users);
    vec_free(&u.records);
    vec_free(&u.suspects);
    vec_free(&u.nonempty);
    arena_free(arena);
    fd_free(fd);
    return status;
}
