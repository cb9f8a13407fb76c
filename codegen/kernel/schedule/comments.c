/* Comments of schedules (docs/kernels.md): what became of the program's functions, and why a
 * definition is not computed in lanes: one for each variable whose values could have stood side by
 * side. On a CPU; a GPU has no vectors. */
#include <string.h>

#include "../analysis/interior.h"
#include "recipes/recipe.h"
#include "schedule.h"

typedef struct Report {
    Unit *u;
    size_t begin; /* of the definition's comments */
} Report;

/* `what` [along V] [at L:C]: why */
static void say(Report *r, const char *what, const FdNode *along, const FdNode *at, const char *why)
{
    const Unit *u = r->u;
    Text line = {0}, *out = u->schedule;
    text_printf(&line, "# %s", what);
    if (along) text_printf(&line, " along %s", nest_word(along->name));
    if (at && at->loc.line > 0 && at->loc.line <= u->order->nplaces) {
        FdLoc loc = u->places[at->loc.line - 1];
        if (loc.line) text_printf(&line, " at %d:%d", loc.line, loc.col);
    }
    text_printf(&line, ": %s\n", why);
    text_add(out, "");
    if (!strstr(out->data + r->begin, line.data)) text_addn(out, line.data, line.len);
    text_free(&line);
}

/* Where lanes of v are refused, says so. */
static bool say_refused(Report *r, const FdNode *n, const FdNode *v, unsigned allowed)
{
    const FdNode *at = n;
    const char *why = lanes_refused(n, v, allowed, 0, NULL, &at);
    if (why) say(r, "scalar", v, at, why);
    return why != NULL;
}

/* ---- reductions -------------------------------------------------------------------------------- */

/* What keeps its operands from being taken in any order; NULL: nothing. */
static const char *why_in_order(const Unit *u, const FdNode *n)
{
    bool one = !n->type->record;
    if (n->init) return "a fold, which goes in order";
    if (!fd_reorders(n)) return "a reduction by a function that is not associative and commutative";
    if (one && result_kind(n) == SC_HALF) return "a reduction of halves";
    if (u->options->precise && one && scalar_is_real(result_kind(n)))
        return "a reduction of reals, whose order --precise keeps";
    return NULL;
}

static void say_reduction(Report *r, const FdNode *n)
{
    const char *why = why_in_order(r->u, n);
    if (why) say(r, "scalar", n->vars[n->nvars - 1], n, why);
    for (int i = n->nvars - 1; !why && i >= 0; i--)
        if (!say_refused(r, n->body, n->vars[i], LANES_NOTED) &&
            !say_refused(r, n->body, n->vars[i], 0) && fd_user_of(n))
            say_refused(r, n, n->vars[i], 0);
}

/* ---- recurrences ------------------------------------------------------------------------------- */

static const char *why_one_by_one(const Interior *in)
{
    bool constant = true;
    if (in->nreads < 0) return "it reads itself in too many places";
    if (num_is(in->safe, 0)) return "what it reads may lie outside";
    for (int i = 0; i < in->nreads; i++)
        for (int v = 0; v < in->def->nvars; v++) constant = constant && in->reads[i].constant[v];
    if (!constant) return "it reads itself at distances that vary";
    return in->not_scanned ? in->not_scanned : "it is short, or can fail at its borders";
}

static bool is_reduction(const void *ctx, const FdNode *n)
{
    Report *r = *(Report *const *)ctx;
    if (n->kind == FD_REDUCE) say_reduction(r, n);
    return false;
}

static void say_recurrence(Report *r, const Def *d)
{
    Interior *in = interior_of(r->u, d);
    if (!in) return;
    say(r, "scalar", NULL, d->node,
        arena_printf(r->u->arena, "one element after the other: %s", why_one_by_one(in)));
    for (int v = d->nvars - 1; v >= 0; v--)
        if (in->stays[v] && say_refused(r, in->def->body, d->vars[v], 0)) break;
    fd_any(d->body, is_reduction, &r);
}

/* ---- functions --------------------------------------------------------------------------------- */

static const char *parameters(Unit *u, const FdNode *let)
{
    Text t = {0};
    for (int i = 0; i < let->nvars; i++)
        text_printf(&t, "%s%s", i ? ", " : "(", nest_word(let->vars[i]->name));
    text_add(&t, ")");
    const char *text = arena_printf(u->arena, "%s", t.data);
    text_free(&t);
    return text;
}

static bool has_stmt(const FdStmt *s, FdStmtKind kind)
{
    for (; s; s = s->next)
        if (s->kind == kind || has_stmt(s->body, kind) || has_stmt(s->other, kind)) return true;
    return false;
}

typedef struct Calls {
    VEC(const FdUser *) left;    /* functions that the graph calls after the passes */
    VEC(const FdUser *) combine; /* those of them that reductions combine with */
} Calls;

static bool find_call(const void *ctx, const FdNode *n)
{
    Calls *c = *(Calls *const *)ctx;
    if (n->user) vec_push(&c->left, n->user);
    if (n->kind == FD_REDUCE && n->fn->user) vec_push(&c->combine, n->fn->user);
    return false;
}

/* Is this function, or one that was made of it, among them? */
static bool is_among(size_t count, const FdUser *const *users, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < count; i++) {
        const char *other = users[i]->name;
        if (strncmp(other, name, n) == 0 && (!other[n] || other[n] == '_')) return true;
    }
    return false;
}

static void say_functions(Report *r)
{
    Unit *u = r->u;
    Calls calls = {{0}, {0}}, *to = &calls;
    for (int k = 0; k < u->g->nresults; k++) fd_any(u->g->results[k].node, find_call, &to);
    for (int i = 0; i < u->g->nslots; i++)
        if (u->g->slots[i].def) fd_any(u->g->slots[i].def, find_call, &to);
    for (int i = 0; i < u->order->nplaces; i++) {
        const FdUser *user = u->order->nodes[i]->user;
        if (!user) continue;
        bool left = is_among(calls.left.len, calls.left.data, user->name);
        bool combines = is_among(calls.combine.len, calls.combine.data, user->name);
        const char *why = !left                                ? "it is an expression"
                          : !user->body                        ? "a function of the host"
                          : combines                           ? "a reduction combines with it"
                          : has_stmt(user->body, FD_STMT_LOOP) ? "it has a loop"
                          : has_stmt(user->body, FD_STMT_PUT)  ? "it has a local array"
                                                               : "it is long, or can fail";
        say(r, arena_printf(u->arena, "%s %s", left ? "called" : "inlined", user->name), NULL, NULL,
            why);
    }
    vec_free(&calls.left);
    vec_free(&calls.combine);
}

void schedule_say_functions(Unit *u)
{
    if (!u->schedule) return;
    Report r = {u, u->schedule->len};
    say_functions(&r);
    for (int i = 0; i < u->g->nfused; i++) {
        const FdFused *f = &u->g->fused[i];
        const char *times = arena_printf(u->arena, "%g times", f->times);
        say(&r, arena_printf(u->arena, "fused %s", parameters(u, f->let)), NULL, f->let,
            arena_printf(u->arena, "%g operations, %s an element", f->cost,
                         f->times == 1 ? "once" : times));
    }
    for (int i = 0; i < u->g->nslots; i++) {
        const FdSlot *s = &u->g->slots[i];
        if (s->def && s->why)
            say(&r, arena_printf(u->arena, "stored as temp %d", u->plan_slot[i]), NULL, s->def,
                s->why);
    }
}

/* ---- definitions ------------------------------------------------------------------------------- */

void schedule_say_scalar(Unit *u, const Def *d)
{
    if (!u->schedule || u->host_only || d->facts->in_lanes || u->options->family == CG_GPU) return;
    if (u->options->tile == CG_TILE_1X1) return; /* asked for */
    const FdNode *reduces[NEST_RESULTS];
    Report r = {u, u->schedule->len};
    if (d->node->self) {
        say_recurrence(&r, d);
        return;
    }
    int n = fd_all_reductions(d->body, reduces);
    if (d->nvars) say_refused(&r, d->body, d->vars[d->nvars - 1], LANES_NOTED | LANES_FAR);
    for (int i = 0; i < n; i++) say_reduction(&r, reduces[i]);
    if (u->schedule->len > r.begin || (!n && !d->nvars)) return;
    bool closed = true;
    for (int i = 0; i < n; i++) closed = closed && reduction_is_closed(reduces[i]);
    say(&r, "scalar", NULL, n ? reduces[0] : d->body,
        closed ? "no form in lanes fits" : "ranges that depend on each other");
}

void schedule_say_host(Unit *u)
{
    if (!u->schedule) return;
    Report r = {u, u->schedule->len};
    say(&r, "no kernel", NULL, u->gave_up_at, u->gave_up);
}
