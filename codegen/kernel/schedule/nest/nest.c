/* Building nests (nest.h). */
#include <ctype.h>

#include "nest.h"

Nest *nest_new(Unit *u, const char *name, const Def *d, Num *when)
{
    Nest *n = arena_new_of(u->arena, Nest);
    n->name = name;
    n->def = d;
    n->when = when;
    n->checks = d->noting ? GEN_NOTED : GEN_PROVED;
    n->lanes = KIR_V4;
    n->bodies = arena_new_of(u->arena, NestBody *);
    n->lanes_axis = n->block_axis = n->keys.axis = n->keys.tables = n->carry_axis = -1;
    n->turns.axis = n->turns.across = -1;
    return n;
}

const char *nest_word(const char *name)
{
    bool word = name && *name && !isdigit((unsigned char)*name);
    for (const char *p = name; word && *p; p++) word = isalnum((unsigned char)*p) || *p == '_';
    return word ? name : "_";
}

static const char *axis_name(Unit *u, int nvars, const FdNode *const *vars)
{
    const char *name = "";
    for (int i = 0; i < nvars; i++)
        name = arena_printf(u->arena, "%s%s", name, nest_word(vars[i]->name));
    return name;
}

int nest_axis(Unit *u, Nest *n, int nvars, const FdNode *const *vars, const FdDom *doms)
{
    bool closed = true;
    for (int i = 0; i < nvars; i++)
        closed = closed && doms[i].lo && node_is_closed(doms[i].lo) && node_is_closed(doms[i].hi);
    n->axes[n->naxes] = (NestAxis){.name = axis_name(u, nvars, vars),
                                   .nvars = nvars,
                                   .vars = vars,
                                   .doms = doms,
                                   .n = closed ? plan_elements(u, nvars, doms) : NULL};
    return n->naxes++;
}

int nest_axis_of(Unit *u, Nest *n, const Def *d, int from, int to)
{
    return nest_axis(u, n, to - from, d->vars + from, d->doms + from);
}

int nest_axis_some(Unit *u, Nest *n, unsigned which)
{
    const Def *d = n->def;
    const FdNode **vars = arena_array(u->arena, const FdNode *, d->nvars + 1);
    FdDom *doms = arena_array(u->arena, FdDom, d->nvars + 1);
    int count = 0;
    for (int v = 0; v < d->nvars; v++) {
        if (!(which >> v & 1)) continue;
        vars[count] = d->vars[v];
        doms[count++] = d->doms[v];
    }
    return count ? nest_axis(u, n, count, vars, doms) : -1;
}

int nest_axis_parts(Nest *n, const char *name, Num *count)
{
    n->axes[n->naxes] = (NestAxis){.name = name, .n = count};
    return n->naxes++;
}

void nest_axis_cut(Unit *u, Nest *n, int axis, Num *from, Num *to)
{
    NestAxis *x = &n->axes[axis];
    Num *zero = num_int(u, 0), *end = to ? num_op(u, FD_OP_MIN, to, x->n) : x->n;
    x->from = from && !num_is(from, 0) ? from : NULL;
    x->to = to;
    x->n = x->from ? num_op(u, FD_OP_MAX, num_op(u, FD_OP_SUB, end, from), zero) : end;
}

Nest *nest_inside(Unit *u, const char *name, const Interior *in, Num *when)
{
    Nest *n = nest_new(u, name, in->def, when);
    n->inside = in;
    return n;
}

int nest_places(const Nest *n)
{
    return n->scan ? n->scan->n : n->nreduces;
}

int nest_carry_dim(const Nest *n)
{
    int dim = 0;
    while (n->def->vars[dim] != n->axes[n->carry_axis].vars[0]) dim++;
    return dim;
}

int64_t nest_carries(const Nest *n, const InteriorRead *read, int dim)
{
    for (int i = 0; i < n->def->nvars; i++)
        if (!read->constant[i] || (i != dim && read->before[i])) return 0;
    return read->before[dim] <= n->carried ? read->before[dim] : 0;
}

static NestStep *add(Unit *u, NestStep *in, NestStep step)
{
    NestStep *s = arena_copy(u->arena, &step, sizeof step);
    if (in->last)
        in->last->next = s;
    else
        in->first = s;
    return in->last = s;
}

NestStep *nest_step(Unit *u, NestStep *in, NestKind kind)
{
    return add(u, in, (NestStep){.kind = kind});
}

NestStep *nest_take(Unit *u, NestStep *in, int begin, int end)
{
    return add(u, in, (NestStep){.kind = NEST_TAKE, .begin = begin, .end = end});
}

static NestStep *loop(Unit *u, NestStep *in, NestStep how)
{
    if (!how.step) how.step = num_int(u, 1);
    return add(u, in, how);
}

NestStep *nest_loop(Unit *u, NestStep *in, int axis, Num *step, NestTail tail)
{
    return loop(u, in, (NestStep){.axis = axis, .step = step, .tail = tail});
}

NestStep *nest_group(Unit *u, NestStep *in, int axis, int dim, Num *step, NestTail tail)
{
    return loop(
        u, in,
        (NestStep){.bind = NEST_GROUP, .axis = axis, .dim = dim, .step = step, .tail = tail});
}

NestStep *nest_item(Unit *u, NestStep *in, int axis, int dim, Num *step, Num *count, NestTail tail)
{
    NestStep how = {.bind = NEST_ITEM, .axis = axis, .dim = dim, .count = count, .tail = tail};
    how.step = step;
    return loop(u, in, how);
}

NestStep *nest_unroll(Unit *u, NestStep *in, int axis, Num *step, Num *count)
{
    return nest_unroll_runs(u, in, axis, step, count, NULL);
}

NestStep *nest_unroll_runs(Unit *u, NestStep *in, int axis, Num *step, Num *count, Num *run)
{
    NestStep how = {.bind = NEST_UNROLL, .axis = axis, .step = step, .count = count, .run = run};
    return loop(u, in, how);
}

NestStep *nest_staged(Unit *u, NestStep *in, int axis, Num *step)
{
    return loop(u, in, (NestStep){.axis = axis, .step = step, .staged = true});
}

NestStep *nest_lanes(Unit *u, NestStep *in, int axis)
{
    return loop(u, in, (NestStep){.bind = NEST_LANES, .axis = axis});
}

NestStep *nest_ahead_give(Unit *u, NestStep *in)
{
    return nest_ahead(u, in, -1, NULL, NULL);
}

static NestStep *ahead(Unit *u, NestStep *in, int hold, int axis, Num *step, Num *count)
{
    NestStep how = {.kind = NEST_AHEAD, .hold = hold, .axis = axis, .step = step, .count = count};
    return add(u, in, how);
}

NestStep *nest_ahead_reads(Unit *u, NestStep *in, int axis, Num *positions)
{
    return ahead(u, in, NEST_READS, axis, positions, NULL);
}

NestStep *nest_ahead(Unit *u, NestStep *in, int hold, Num *steps, Num *lines)
{
    return ahead(u, in, hold, -1, steps, lines);
}

NestStep *nest_ahead_next(Unit *u, NestStep *in, int hold, int axis, Num *elements)
{
    return ahead(u, in, hold, axis, elements, NULL);
}

NestStep *nest_place(Unit *u, NestStep *in, int axis, Num *count)
{
    return add(u, in, (NestStep){.kind = NEST_PLACE, .axis = axis, .count = count});
}

NestStep *nest_range(Unit *u, NestStep *in, int axis, bool shared)
{
    return add(u, in, (NestStep){.kind = shared ? NEST_SHARED : NEST_RANGE, .axis = axis});
}

int nest_add_hold(Nest *n, NestHold h)
{
    n->holds[n->nholds] = h;
    return n->nholds++;
}

int nest_add_box(Nest *n, NestBox b)
{
    n->boxes[n->nboxes] = b;
    return n->nboxes++;
}

NestStep *nest_part(Unit *u, NestStep *in, NestKind kind, int box)
{
    return add(u, in, (NestStep){.kind = kind, .box = box});
}

NestStep *nest_hold(Unit *u, NestStep *in, int hold)
{
    return add(u, in, (NestStep){.kind = NEST_HOLD, .hold = hold});
}

bool nest_is_reduced(const Nest *n, int axis, int begin, int end)
{
    for (int r = begin; axis >= 0 && r < end; r++)
        for (int i = 0; i < n->reduces[r]->nvars; i++)
            for (int k = 0; k < n->axes[axis].nvars; k++)
                if (n->axes[axis].vars[k] == n->reduces[r]->vars[i]) return true;
    return false;
}

unsigned nest_key_variables(const Nest *n)
{
    unsigned vars = 0;
    const NestAxis *keys = &n->axes[n->keys.axis];
    for (int i = 0; i < n->def->nvars; i++)
        for (int k = 0; k < keys->nvars; k++)
            if (keys->vars[k] == n->def->vars[i]) vars |= 1u << i;
    return vars;
}

bool nest_loops_over(const NestStep *s, int axis)
{
    for (; s; s = s->next) {
        if ((s->kind == NEST_FOR || s->kind == NEST_PLACE) && s->axis == axis &&
            s->bind != NEST_LANES)
            return true;
        if (nest_loops_over(s->first, axis)) return true;
    }
    return false;
}

const NestStep *nest_find(const NestStep *s, NestKind kind)
{
    const NestStep *found = NULL;
    for (; s && !found; s = s->next) found = s->kind == kind ? s : nest_find(s->first, kind);
    return found;
}

const NestStep *nest_find_loop(const NestStep *s, NestBind bind)
{
    const NestStep *found = NULL;
    for (; s && !found; s = s->next)
        found = s->kind == NEST_FOR && s->bind == bind ? s : nest_find_loop(s->first, bind);
    return found;
}

Num *nest_items(const NestStep *s, int dim)
{
    Num *count = NULL;
    for (; s && !count; s = s->next)
        count = s->kind == NEST_FOR && s->bind == NEST_ITEM && s->dim == dim
                    ? s->count
                    : nest_items(s->first, dim);
    return count;
}

/* ---- lanes ------------------------------------------------------------------------------------- */

int nest_lanes_for(size_t bytes)
{
    return bytes > 4 ? KIR_V8 : KIR_V4; /* indices are ints */
}

Num *nest_lane_count(Unit *u, int lanes)
{
    Num *each = num_op(u, FD_OP_DIV, num_fact(u, NUM_VECTOR_BYTES), num_int(u, -lanes));
    int most = lanes == KIR_V1 ? 64 : lanes == KIR_V2 ? 32 : 0; /* the prelude has these */
    if (most) each = num_op(u, FD_OP_MIN, each, num_int(u, most));
    return num_define(u, arena_printf(u->arena, "V%d", -lanes),
                      num_op(u, FD_OP_MAX, each, num_int(u, 2)));
}
