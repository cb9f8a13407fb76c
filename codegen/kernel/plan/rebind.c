/* Plans bound once more, to other numbers (codegen.h). Each way through the steps says which values its launches hang on:
 * as long as they lead the same way they are worked out in order and looked at. Plans whose ways lead through
 * loops are gone through each time. */
#include <string.h>

#include "plan.h"

/* What a value is for. */
typedef enum What {
    MOVE_IS,    /* true or false, as it was */
    MOVE_FITS,  /* not negative, nor beyond `most` */
    MOVE_ITEMS, /* size_t, at least one.. */
    MOVE_LOCAL, /* ..or none */
    MOVE_BYTES, /* of a result */
    MOVE_INT,
    MOVE_LONG,
    MOVE_QUIET
} What;

typedef struct Move {
    What what;
    const int64_t *from;
    void *to;
    int64_t most;   /* IS: what it was */
    uint64_t slots; /* that it hangs on */
} Move;

struct CgAgain {
    Values *values;
    CgDevice device;
    FdBox *boxes; /* numbers of slots that `values` are of */
    ScalarValue *scalars;
    Move *moves; /* room for all */
    int nmoves;  /* 0: not known */
    bool winds;  /* they have led through a loop: there are none */
    Move *few;   /* those that hang on some of.. */
    int nfew;
    uint64_t slots;   /* ..these slots; 0: nobody knows */
    uint64_t unmoved; /* slots that have had other numbers since the moves were made */
};

static size_t moves_of(const CgPlan *p, const CgSchedule *s)
{
    size_t n = p->flags.len + (size_t)(p->nouts + p->ntemps + p->nsteps);
    for (int i = 0; i < s->nlaunches; i++) n += 7 + (size_t)s->launches[i].nargs;
    return n;
}

CgAgain *cg_plan_again(const CgPlan *p, const CgBinding *b, const CgDevice *d, const CgSchedule *s,
                       Arena *arena)
{
    CgAgain *a = arena_new_of(arena, CgAgain);
    *a = (CgAgain){.device = *d};
    const size_t slots = (size_t)p->nslots;
    a->boxes = arena_copy(arena, b->slot_boxes, slots * sizeof *a->boxes);
    a->scalars = arena_copy(arena, b->slot_scalars, slots * sizeof *a->scalars);
    a->values = bind_values(p, b, &a->device, arena);
    a->moves = arena_array(arena, Move, moves_of(p, s));
    a->few = arena_array(arena, Move, moves_of(p, s));
    return a;
}

/* Takes the numbers of slots that the plan asks for; gives the bits of slots where they are others. */
static uint64_t take_numbers(CgAgain *a)
{
    const CgPlan *p = a->values->plan;
    const CgBinding *b = a->values->binding;
    uint64_t others = 0;
    for (int k = 0; k < p->nslots; k++) {
        bool other = p->asked[k] && a->scalars[k].i != b->slot_scalars[k].i;
        for (int d = 0; d < p->asked[k]; d++) {
            const FdBox *now = &b->slot_boxes[k];
            FdBox *before = &a->boxes[k];
            other =
                other || now->dim[d].lo != before->dim[d].lo || now->dim[d].hi != before->dim[d].hi;
            before->dim[d] = now->dim[d];
        }
        a->scalars[k] = b->slot_scalars[k];
        if (other) others |= plan_slot_bit(k);
    }
    return others;
}

/* Would the same be launched as before, in memory that is there? */
static bool is_launched_again(Values *v, const CgSchedule *s)
{
    const CgPlan *p = v->plan;
    int64_t bytes = 0;
    BindWalk w = {0};
    int k = 0;
    if (s->variant != bind_variant(v)) return false;
    for (int i = 0; i < s->nouts; i++) {
        int64_t out = bind_number(p->outs[i], v);
        if (out < 0) return false;
        bytes |= out;
    }
    for (const Step *step; (step = bind_next(v, &w));) {
        CgLaunch items;
        if (!bind_items(step, v, &items)) continue;
        const CgLaunch *l = k < s->nlaunches ? &s->launches[k++] : NULL;
        if (!l || l->step != (int)(step - p->steps) || l->ncuts) return false;
    }
    for (int i = 0; i < s->ntemps; i++) {
        int64_t temp = bind_number(p->temps[i], v);
        if (temp < 0 || ((size_t)temp > s->temp_bytes[i] && bind_uses(s, i))) return false;
    }
    return bytes && k == s->nlaunches && w.passed < BIND_MAX_PASSED;
}

/* ---- the short way --------------------------------------------------------------------------- */

static void add(CgAgain *a, What what, const PlanExpr *e, void *to, int64_t most)
{
    const int64_t *from = plan_memo_place(a->values->memo, e);
    if (!from) a->winds = true;
    if (from) a->moves[a->nmoves++] = (Move){what, from, to, most, plan_expr_needs(e).slots};
}

static void add_launch(CgAgain *a, const Step *step, CgLaunch *l)
{
    for (int d = 0; d < step->dims; d++) {
        add(a, MOVE_ITEMS, step->global[d], &l->global[d], 0);
        if (step->local[0]) add(a, MOVE_LOCAL, step->local[d], &l->local[d], 0);
    }
    for (int i = 0; i < step->nargs; i++) {
        const PlanArg *arg = &step->args[i];
        CgArg *to = &l->args[i];
        if (arg->kind != CG_ARG_BYTES || arg->is_value) continue;
        if (to->type != SC_INT && to->type != SC_LONG) a->winds = true;
        add(a, to->type == SC_INT ? MOVE_INT : MOVE_LONG, arg->expr, to->bytes, 0);
    }
    if (step->quiet) add(a, MOVE_QUIET, step->quiet, &l->quiet, 0);
}

/* s is bound to the numbers at hand. */
static void learn(CgAgain *a, CgSchedule *s)
{
    const Values *v = a->values;
    const CgPlan *p = v->plan;
    CgLaunch *l = s->launches;
    a->nmoves = 0;
    a->slots = 0;
    for (size_t i = 0; i < p->flags.len; i++)
        add(a, MOVE_IS, p->flags.data[i].expr, NULL, s->variant >> i & 1);
    for (int i = 0; i < s->ntemps; i++)
        if (bind_uses(s, i)) add(a, MOVE_FITS, p->temps[i], NULL, (int64_t)s->temp_bytes[i]);
    for (int i = 0; i < s->nouts; i++) add(a, MOVE_BYTES, p->outs[i], &s->outs[i], 0);
    for (int i = 0; i < p->nsteps && !a->winds; i++) {
        const Step *step = &p->steps[i];
        const bool is = !step->when || bind_number(step->when, v);
        if (step->when) add(a, MOVE_IS, step->when, NULL, is);
        if (!is && step->kind == STEP_LOOP) i = step->partner;
        if (!is) continue;
        a->winds = a->winds || step->kind != STEP_RUN;
        if (a->winds) break;
        CgLaunch items;
        a->winds = !bind_items(step, v, &items) || l == s->launches + s->nlaunches || l->step != i;
        if (!a->winds) add_launch(a, step, l++);
    }
    if (a->winds) a->nmoves = 0;
}

/* Those that hang on these slots: others are as they were. A loop changes the same ones in each turn. */
static void choose_moves(CgAgain *a, uint64_t slots)
{
    if (slots && a->slots == slots) return;
    a->slots = slots;
    a->nfew = 0;
    for (int i = 0; i < a->nmoves; i++)
        if (a->moves[i].slots & slots) a->few[a->nfew++] = a->moves[i];
}

static bool follows(const CgAgain *a, const CgSchedule *s)
{
    size_t bytes = s->out_bytes;
    bool good = true;
    for (const Move *m = a->few, *end = m + a->nfew; m < end && good; m++) {
        const int64_t value = *m->from;
        switch (m->what) {
        case MOVE_IS: good = (value != 0) == m->most; break;
        case MOVE_FITS: good = 0 <= value && value <= m->most; break;
        case MOVE_ITEMS: good = value > 0; break;
        case MOVE_BYTES:
            good = value >= 0;
            bytes += (size_t)value - *(const size_t *)m->to;
            break;
        default: break;
        }
    }
    return good && bytes;
}

static void move(const CgAgain *a, CgSchedule *s)
{
    for (const Move *m = a->few, *end = m + a->nfew; m < end; m++) {
        const int64_t value = *m->from;
        switch (m->what) {
        case MOVE_ITEMS: *(size_t *)m->to = (size_t)value; break;
        case MOVE_LOCAL: *(size_t *)m->to = value > 0 ? (size_t)value : 0; break;
        case MOVE_BYTES:
            s->out_bytes += (size_t)value - *(size_t *)m->to;
            *(size_t *)m->to = (size_t)value;
            break;
        case MOVE_INT: memcpy(m->to, &(int32_t){(int32_t)value}, sizeof(int32_t)); break;
        case MOVE_LONG: memcpy(m->to, &value, sizeof value); break;
        case MOVE_QUIET: *(bool *)m->to = value != 0; break;
        default: break;
        }
    }
    cg_schedule_scalars(s, a->values->binding);
}

/* ---- binding --------------------------------------------------------------------------------- */

bool cg_plan_bind_again(CgAgain *a, CgSchedule *s)
{
    Values *v = a->values;
    BindWalk w = {0};
    const uint64_t others = take_numbers(a);
    a->unmoved |= others;
    plan_memo_again(v->memo, others);
    bind_deep(v);
    if (a->nmoves) choose_moves(a, a->unmoved);
    if (a->nmoves && follows(a, s)) {
        move(a, s);
        a->unmoved = 0;
        return true;
    }
    if (!is_launched_again(v, s)) return false;
    s->out_bytes = 0;
    for (int i = 0; i < s->nouts; i++)
        s->out_bytes += s->outs[i] = (size_t)bind_number(v->plan->outs[i], v);
    CgLaunch *l = s->launches;
    for (const Step *step; (step = bind_next(v, &w));) {
        CgLaunch items;
        if (!bind_items(step, v, &items)) continue;
        memcpy(l->global, items.global, sizeof l->global);
        memcpy(l->local, items.local, sizeof l->local);
        for (int i = 0; i < step->nargs; i++)
            if (step->args[i].kind == CG_ARG_BYTES) bind_value(&step->args[i], v, &l->args[i]);
        l->quiet = step->quiet && bind_number(step->quiet, v);
        l++;
    }
    a->unmoved = 0;
    if (!a->winds) learn(a, s);
    return true;
}
