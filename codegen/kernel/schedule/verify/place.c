/* What is known of a place in a nest: the loops around it and what is bound, covered and possible
 * there. */
#include "../recipes/recipe.h"
#include "verify.h"

const char *verify_axis_name(const Verify *v, int axis)
{
    return v->n->axes[axis].name;
}

bool verify_is_open(const Verify *v, int axis)
{
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->axis == axis) return true;
    return false;
}

bool verify_has(const Verify *v, int axis, NestBind bind)
{
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->axis == axis && v->path[i]->bind == bind) return true;
    return false;
}

bool verify_is_clamped(const Verify *v, int axis)
{
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->axis == axis &&
            (v->path[i]->tail == NEST_CLAMP || v->path[i]->tail == NEST_SLIDE))
            return true;
    return false;
}

int verify_lanes(const Verify *v)
{
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->bind == NEST_LANES) return v->path[i]->axis;
    return -1;
}

const NestRegs *verify_registers(const Verify *v, int axis)
{
    for (int i = 0; i < v->n->nregs; i++)
        if (v->n->regs[i].axis == axis) return &v->n->regs[i];
    return NULL;
}

static bool has_steps(const NestStep *s, int axis)
{
    for (; s; s = s->next) {
        bool over = s->kind == NEST_FOR && s->axis == axis && s->bind == NEST_LOOP && !s->count;
        if (over || has_steps(s->first, axis)) return true;
    }
    return false;
}

bool verify_is_share(const NestStep *s)
{
    return s->bind == NEST_ITEM && has_steps(s->first, s->axis);
}

bool verify_is_copy(const NestStep *s)
{
    bool blocks = (s->bind == NEST_LOOP && !num_is(s->step, 1)) || verify_is_share(s);
    return s->bind == NEST_LANES || (s->count && !blocks);
}

Num *verify_lane_count(const Verify *v)
{
    const char name[] = {'V', (char)('0' - v->n->lanes), 0};
    Num *known = num_find(v->u, name, 2);
    return known ? known : num_int(v->u, 0);
}

Num *verify_span(const Verify *v, int axis)
{
    Num *span = v->n->axes[axis].n;
    for (int i = 0; i < v->npath; i++)
        if (v->path[i]->axis == axis && !verify_is_copy(v->path[i])) span = v->path[i]->step;
    return span;
}

/* Some loop's steps are as wide as what has been covered: it covers `count` as much. */
static bool widen(Verify *v, Num **cover, Num *step, Num *count)
{
    if (!verify_same(v->u, *cover, step)) return false;
    *cover = num_op(v->u, FD_OP_MUL, *cover, count);
    return true;
}

void verify_cover(Verify *v, int axis, bool registers)
{
    Unit *u = v->u;
    Num *cover = num_int(u, 1), *span = verify_span(v, axis);
    const NestRegs *regs = registers ? verify_registers(v, axis) : NULL;
    bool lanes = registers && regs && v->n->lanes_axis == axis, used[VERIFY_DEEPEST] = {false},
         runs[VERIFY_DEEPEST] = {false}, run = false;
    if (!v->n->axes[axis].n && !(v->ranged >> axis & 1)) return; /* one by one */
    for (bool more = true; more;) {
        more = false;
        for (int i = 0; i < v->npath; i++) {
            const NestStep *s = v->path[i];
            if (used[i] || s->axis != axis || !verify_is_copy(s)) continue;
            Num *count = s->count ? s->count : verify_lane_count(v);
            if (s->run && !runs[i]) {
                more = more || (runs[i] = widen(v, &cover, num_int(u, 1), s->run));
                continue;
            }
            if (s->run) count = num_op(u, FD_OP_DIV, count, s->run);
            used[i] = widen(v, &cover, s->step, count);
            more = more || used[i];
        }
        if (lanes) lanes = false, more = widen(v, &cover, cover, verify_lane_count(v));
        if (regs && regs->run && !run) {
            more = more || (run = widen(v, &cover, num_int(u, 1), regs->run));
            continue;
        }
        Num *steps = regs && regs->run ? num_op(u, FD_OP_DIV, regs->count, regs->run)
                     : regs            ? regs->count
                                       : NULL;
        if (regs && widen(v, &cover, regs->step, steps)) regs = NULL, more = true;
    }
    bool all = !regs && verify_same(u, cover, span);
    for (int i = 0; i < v->npath; i++)
        all = all && (used[i] || v->path[i]->axis != axis || !verify_is_copy(v->path[i]));
    if (!all)
        verify_fail(v, "what is inside the loops over %s does not cover %s positions",
                    verify_axis_name(v, axis), num_text(u, span));
}

/* Is the variable bound: has the last loop over its axis opened? */
static bool is_bound(const Verify *v, const FdNode *var, bool kept)
{
    for (int a = 0; a < v->n->naxes; a++)
        for (int i = 0; i < v->n->axes[a].nvars; i++) {
            if (v->n->axes[a].vars[i] != var) continue;
            if (kept && verify_registers(v, a)) return true;
            for (int k = v->npath; k-- > 0;)
                if (v->path[k]->axis == a && v->path[k]->bind != NEST_LANES)
                    return !nest_loops_over(v->path[k]->first, a);
        }
    return false;
}

void verify_bound(Verify *v, const FdNode *n, bool kept)
{
    const Def *d = v->n->def;
    for (int i = 0; i < d->nvars; i++)
        if (fd_uses_var(n, d->vars[i]) && !is_bound(v, d->vars[i], kept))
            verify_fail(v, "variable %s is not bound where it is used",
                        nest_word(d->vars[i]->name));
    for (int a = 0; a < v->n->naxes; a++)
        for (int i = 0; i < v->n->axes[a].nvars; i++) {
            const FdNode *var = v->n->axes[a].vars[i];
            if (fd_uses_var(n, var) && !is_bound(v, var, kept))
                verify_fail(v, "variable %s is not bound where it is used", nest_word(var->name));
        }
}

/* ---- lanes ------------------------------------------------------------------------------------- */

static bool reaches(const FdNode *n, const FdNode *var, int nstops, const FdNode *const *stops,
                    FdSeen *seen)
{
    const FdNode *children[FD_MAX_CHILDREN];
    if (!fd_meet(seen, n)) return false;
    for (int i = 0; i < nstops; i++)
        if (n == stops[i]) return false;
    if (n == var) return true;
    for (int i = fd_children(n, children); i-- > 0;)
        if (reaches(children[i], var, nstops, stops, seen)) return true;
    return false;
}

unsigned verify_allowed(const Verify *v)
{
    return LANES_FAR | (v->n->checks == GEN_NOTED ? LANES_NOTED | LANES_UNEVEN : 0);
}

void verify_in_lanes(Verify *v, const FdNode *n, int axis, bool results)
{
    const Nest *nest = v->n;
    const FdNode *stops[NEST_HOLDS + NEST_RESULTS];
    int count = 0;
    for (int r = 0; results && r < nest->nreduces; r++) stops[count++] = nest->reduces[r];
    for (int h = 0; (!results || !nest->nreduces) && h < nest->nholds; h++)
        if (v->held >> h & 1) stops[count++] = nest->holds[h].value;
    const FdNode *var = nest->axes[axis].vars[0];
    Def body = {.body = n};
    FdSeen seen = {0};
    if (!recipe_epilogue_lanes(&body, count, stops, var, verify_allowed(v)))
        verify_fail(v, "what is computed cannot be in lanes of %s", verify_axis_name(v, axis));
    else if (!results && verify_is_clamped(v, axis) && reaches(n, var, count, stops, &seen))
        verify_fail(v, "lanes of %s may read beyond its end", verify_axis_name(v, axis));
    fd_seen_free(&seen);
}
