/* Plans bound to the numbers of one evaluation and what is known of a device: launches. */
#include <inttypes.h>
#include <string.h>

#include "../../../base/text.h"
#include "../../../base/vec.h"
#include "number.h"
#include "plan.h"

int64_t plan_device_value(const CgDevice *d, int i)
{
    const int64_t values[NUM_FACTS] = {[NUM_UNITS] = d->units,
                                       [NUM_VECTOR_BYTES] = d->vector_bytes,
                                       [NUM_L1] = (int64_t)d->l1,
                                       [NUM_L2] = (int64_t)d->l2,
                                       [NUM_L3] = (int64_t)d->l3,
                                       [NUM_MAX_GROUP] = (int64_t)d->max_group,
                                       [NUM_LOCAL_BYTES] = (int64_t)d->local_bytes,
                                       [NUM_GPU] = d->family == CG_GPU,
                                       [NUM_CACHE] = (int64_t)(d->cache ? d->cache : d->l2),
                                       [NUM_PLACES] = d->places > 1 ? d->places : 1,
                                       [NUM_GATHERS] = d->gathers,
                                       [NUM_MULTIPLIES] = d->multiplies};
    return values[i];
}

static int64_t lookup(void *ctx, int sym)
{
    const Values *v = ctx;
    int index = (sym & ((1 << CLASS_SHIFT) - 1)) >> INDEX_SHIFT,
        dim = sym & ((1 << INDEX_SHIFT) - 1);
    const CgBinding *b = v->binding;
    switch ((SymbolClass)(sym >> CLASS_SHIFT)) {
    case SYM_DEVICE: return plan_device_value(v->device, index);
    case SYM_LET: return v->lets[index]; /* of a loop */
    default: break;
    }
    if (!b) return 0;
    switch ((SymbolClass)(sym >> CLASS_SHIFT)) {
    case SYM_SLOT_LO: return b->slot_boxes[index].dim[dim].lo;
    case SYM_SLOT_N: return b->slot_boxes[index].dim[dim].hi - b->slot_boxes[index].dim[dim].lo;
    case SYM_SLOT_VALUE: return b->slot_scalars[index].i;
    default: return 0;
    }
}

void bind_deep(const Values *v)
{
    const CgPlan *p = v->plan;
    for (size_t i = 0; v->binding && p->deep && i < p->lets.len; i++) {
        const PlanExpr *e = p->lets.data[i].expr;
        if (e && !plan_expr_needs(e).turn) bind_number(e, v);
    }
}

/* Most of a plan is of forms that the numbers at hand do not take: what nobody asks for is not worked out. */
Values *bind_values(const CgPlan *p, const CgBinding *b, const CgDevice *d, Arena *arena)
{
    Values *v = arena_new_of(arena, Values);
    *v = (Values){.plan = p, .binding = b, .device = d};
    v->lets = arena_array(arena, int64_t, p->lets.len + 1);
    v->limits = arena_array(arena, int64_t, p->lets.len + 1);
    v->steps = arena_array(arena, int64_t, p->lets.len + 1);
    v->memo = plan_memo_new(p->exprs, lookup, v, arena);
    bind_deep(v);
    return v;
}

/* A loop's variable. */
static void set_variable(const Values *v, int let, int64_t value)
{
    v->lets[let] = value;
    plan_memo_turn(v->memo);
}

uint32_t bind_variant(Values *v)
{
    const CgPlan *p = v->plan;
    uint32_t variant = 0;
    for (size_t i = 0; i < p->flags.len; i++)
        if (bind_number(p->flags.data[i].expr, v)) variant |= 1u << i;
    v->wide = p->wide >= 0 && (variant >> p->wide & 1);
    return variant;
}

uint32_t cg_plan_variant_like(const CgPlan *p, const CgPlan *other, uint32_t variant)
{
    uint32_t out = 0;
    for (size_t i = 0; i < p->flags.len; i++) {
        const char *name = p->flags.data[i].name;
        int at = plan_find_named(&other->flags, name, strlen(name));
        if (at >= 0 && (variant >> at & 1)) out |= 1u << i;
    }
    return out;
}

char *cg_plan_build_options(const CgPlan *p, const CgDevice *d, uint32_t variant)
{
    Arena *arena = arena_new();
    const Values *v = bind_values(p, NULL, d, arena);
    Text t = {0};
    text_add(&t, p->options);
    if (d->rounds && cg_plan_reals(p) != FD_REALS_FAST)
        text_add(&t, " -cl-fp32-correctly-rounded-divide-sqrt");
    for (size_t i = 0; i < p->defines.len; i++)
        text_printf(&t, " -D%s=%" PRId64, p->defines.data[i].name,
                    bind_number(p->defines.data[i].expr, v));
    for (size_t i = 0; i < p->flags.len; i++)
        text_printf(&t, " -D%s=%d", p->flags.data[i].name, (int)(variant >> i & 1));
    arena_free(arena);
    return text_take(&t);
}

bool cg_plan_macro(const CgPlan *p, const CgDevice *d, const char *name, int64_t *value)
{
    int i = plan_find_named(&p->defines, name, strlen(name));
    if (i < 0) return false;
    Arena *arena = arena_new();
    *value = bind_number(p->defines.data[i].expr, bind_values(p, NULL, d, arena));
    arena_free(arena);
    return true;
}

FdReals cg_plan_reals(const CgPlan *p)
{
    return p->reals;
}

int cg_plan_flag(const CgPlan *p, const char *name)
{
    return plan_find_named(&p->flags, name, strlen(name));
}

void bind_value(const PlanArg *a, const Values *v, CgArg *out)
{
    ScalarValue x = {.i = 0};
    if (a->is_value)
        x = v->binding->slot_scalars[a->index];
    else
        x.i = bind_number(a->expr, v);
    scalar_store(out->bytes, out->type, x);
}

static CgArg bind_arg(const PlanArg *a, const Values *v)
{
    CgArg out = {.kind = a->kind, .index = a->index};
    if (a->kind == CG_ARG_BYTES) {
        ScalarKind type = a->is_index && v->wide ? SC_LONG : a->type;
        if (type == SC_BOOL) type = SC_INT; /* as values have it in kernels */
        if (type == SC_HALF) type = SC_FLOAT;
        out.size = scalar_bytes(type);
        out.type = type;
        out.is_value = a->is_value;
        bind_value(a, v, &out);
    }
    return out;
}

static CgWrite bind_write(const PlanWrite *w, const Values *v)
{
    CgWrite out = {
        .kind = w->kind, .index = w->index, .own = w->own, .light = w->light, .plain = w->plain};
    if (!w->segments) return out;
    out.segments = bind_number(w->segments, v);
    out.entries = bind_number(w->entries, v);
    out.bytes = bind_number(w->bytes, v);
    out.each = bind_number(w->each, v);
    return out;
}

static CgRead bind_read(const PlanRead *p, const Values *v)
{
    return (CgRead){.temp = p->temp,
                    .first = p->first,
                    .count = p->count,
                    .each = p->each,
                    .n = bind_number(p->n, v),
                    .low = bind_number(p->low, v),
                    .high = bind_number(p->high, v)};
}

static CgTurns bind_turns(const PlanCut *c, const Values *v)
{
    if (!c->turns.kind) return (CgTurns){.kind = CG_TURNS_NONE};
    return (CgTurns){.kind = c->turns.kind,
                     .down = c->turns.down,
                     .turn = bind_number(c->turns.turn, v),
                     .back = c->turns.back,
                     .first = c->turns.first,
                     .count = c->turns.count,
                     .step = bind_number(c->turns.step, v),
                     .n = bind_number(c->turns.n, v),
                     .from = bind_number(c->turns.from, v)};
}

static void bind_cuts(const Step *s, const Values *v, Arena *arena, CgLaunch *l)
{
    CgCut *cuts = arena_array(arena, CgCut, s->ncuts ? s->ncuts : 1);
    for (int i = 0; i < s->ncuts; i++) {
        const PlanCut *c = &s->cuts[i];
        CgWrite *writes = arena_array(arena, CgWrite, c->nwrites ? c->nwrites : 1);
        for (int k = 0; k < c->nwrites; k++) writes[k] = bind_write(&c->writes[k], v);
        CgRead *reads = arena_array(arena, CgRead, c->nreads ? c->nreads : 1);
        for (int k = 0; k < c->nreads; k++) reads[k] = bind_read(&c->reads[k], v);
        cuts[i] = (CgCut){.dim = c->dim,
                          .first = c->first,
                          .count = c->count,
                          .inner = c->inner,
                          .finite = c->finite,
                          .finite_bytes = c->finite_bytes,
                          .step = bind_number(c->step, v),
                          .n = bind_number(c->n, v),
                          .from = c->from ? bind_number(c->from, v) : 0,
                          .repeats = 1,
                          .each = 1,
                          .by = 1,
                          .turns = bind_turns(c, v),
                          .nwrites = c->nwrites,
                          .writes = writes,
                          .nreads = c->nreads,
                          .reads = reads};
    }
    l->ncuts = s->ncuts;
    l->cuts = cuts;
}

bool bind_items(const Step *s, const Values *v, CgLaunch *l)
{
    bool any = true;
    for (int d = 0; d < s->dims; d++) {
        int64_t global = bind_number(s->global[d], v),
                local = s->local[0] ? bind_number(s->local[d], v) : 0;
        l->global[d] = global > 0 ? (size_t)global : 0;
        l->local[d] = local > 0 ? (size_t)local : 0;
        any = any && global > 0;
    }
    return any;
}

static CgLaunch bind_run(const Step *s, const Values *v, Arena *arena)
{
    CgLaunch l = {.kernel = s->kernel,
                  .step = (int)(s - v->plan->steps),
                  .dims = s->dims,
                  .nargs = s->nargs,
                  .over = s->over,
                  .again = s->again};
    l.args = arena_array(arena, CgArg, s->nargs ? s->nargs : 1);
    for (int i = 0; i < s->nargs; i++) l.args[i] = bind_arg(&s->args[i], v);
    l.quiet = s->quiet && bind_number(s->quiet, v);
    if (v->binding->cuts) bind_cuts(s, v, arena, &l);
    return l;
}

/* The next that is to be run. NULL: there is none; or (Walk.passed) there are too many. */
const Step *bind_next(const Values *v, BindWalk *w)
{
    const CgPlan *p = v->plan;
    for (; w->at < p->nsteps && w->passed < BIND_MAX_PASSED; w->at++, w->passed++) {
        const Step *s = &p->steps[w->at];
        if (s->kind == STEP_LOOP) {
            set_variable(v, s->let, bind_number(s->from, v));
            v->limits[s->let] = bind_number(s->to, v);
            v->steps[s->let] = bind_number(s->by, v);
            bool enter = (!s->when || bind_number(s->when, v)) && v->steps[s->let] > 0 &&
                         v->lets[s->let] < v->limits[s->let];
            if (!enter) w->at = s->partner;
        } else if (s->kind == STEP_END) {
            int let = p->steps[s->partner].let;
            int64_t by = v->steps[let];
            bool more = (uint64_t)v->limits[let] - (uint64_t)v->lets[let] > (uint64_t)by;
            if (more) set_variable(v, let, v->lets[let] + by);
            if (more) w->at = s->partner;
        } else if (!s->when || bind_number(s->when, v)) {
            w->at++, w->passed++;
            return s;
        }
    }
    return NULL;
}

/* NULL if one is negative. */
static size_t *sizes_of(int n, const PlanExpr *const *exprs, const Values *v, Arena *arena)
{
    size_t *sizes = arena_array(arena, size_t, n ? n : 1);
    for (int i = 0; i < n; i++) {
        int64_t bytes = bind_number(exprs[i], v);
        if (bytes < 0) return NULL;
        sizes[i] = (size_t)bytes;
    }
    return sizes;
}

bool bind_uses(const CgSchedule *s, int temp)
{
    for (int i = 0; i < s->nlaunches; i++)
        for (int a = 0; a < s->launches[i].nargs; a++)
            if (s->launches[i].args[a].kind == CG_ARG_TEMP && s->launches[i].args[a].index == temp)
                return true;
    return false;
}

bool cg_plan_bind(const CgPlan *p, const CgBinding *b, const CgDevice *d, Arena *arena,
                  CgSchedule *out)
{
    Values *v = bind_values(p, b, d, arena);
    *out = (CgSchedule){.variant = bind_variant(v), .ntemps = p->ntemps, .nouts = p->nouts};
    out->temp_bytes = sizes_of(p->ntemps, p->temps, v, arena);
    out->outs = sizes_of(p->nouts, p->outs, v, arena);
    if (!out->temp_bytes || !out->outs) return false;
    for (int i = 0; i < p->nouts; i++) out->out_bytes += out->outs[i];
    if (out->out_bytes == 0) return true;
    VEC(CgLaunch) launches = {0};
    BindWalk w = {0};
    for (const Step *s; (s = bind_next(v, &w));) {
        CgLaunch l = bind_run(s, v, arena);
        if (bind_items(s, v, &l)) vec_push(&launches, l);
    }
    out->nlaunches = (int)launches.len;
    out->launches = arena_copy(arena, launches.data, launches.len * sizeof *launches.data);
    vec_free(&launches);
    for (int k = 0; k < out->ntemps; k++) /* kernels that keep rows of it may stand in */
        if (!bind_uses(out, k)) out->temp_bytes[k] = 0;
    return w.passed < BIND_MAX_PASSED;
}

void cg_schedule_scalars(CgSchedule *s, const CgBinding *b)
{
    for (int i = 0; i < s->nlaunches; i++)
        for (int k = 0; k < s->launches[i].nargs; k++) {
            CgArg *a = &s->launches[i].args[k];
            if (a->is_value) scalar_store(a->bytes, a->type, b->slot_scalars[a->index]);
        }
}
