/* What ranks would do, before anything runs (explain_ranks.h): a division is found as the runtime finds it (codegen/kernel/divide), of
 * the evaluation with lengths that csc knows, or a sample of them, and arrays cut along their first dimension. */
#include "explain_ranks.h"

#include <string.h>

#include "../../codegen/kernel/divide/divide.h"

enum { RANKS = 4 };

typedef struct Sample {
    int64_t length; /* of what nobody knows */
    bool used;
    FdBox *boxes; /* by slot */
    ScalarValue *scalars;
    Arena *arena;
} Sample;

/* Some 2^22 elements, of arrays of this rank. */
static int64_t length_for(int rank)
{
    static const int64_t lengths[] = {1 << 22, 1 << 22, 2048, 160};
    return rank < 4 ? lengths[rank] : 32;
}

static int most_dims(const FdGraph *g)
{
    int most = 0;
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].type->nparams > most) most = g->slots[i].type->nparams;
    for (int k = 0; k < g->nresults; k++)
        if (g->results[k].node->type->nparams > most) most = g->results[k].node->type->nparams;
    return most;
}

/* As long as the longest that is known, else large. */
static int64_t length_of(const SemaEvaluation *e)
{
    const FdGraph *g = e->graph;
    int64_t longest = 0;
    for (int i = 0; i < g->nslots && e->nknown; i++)
        for (int d = 0; g->slots[i].type->result && d < g->slots[i].type->nparams; d++) {
            const FdLinear *hi = &e->known[0][i].hi[d];
            if (hi->known && !hi->atom && hi->offset > longest) longest = hi->offset;
        }
    enum { LONG = 64 };
    return longest >= LONG ? longest : length_for(most_dims(g));
}

/* One that is a number more than something is as much more than the sample. */
static int64_t value_of(Sample *s, const FdLinear *x, int64_t otherwise)
{
    s->used = s->used || ((!x->known || x->atom) && otherwise);
    return !x->known ? otherwise : x->atom ? otherwise + x->offset : x->offset;
}

static bool is_slot(const FdNode *n, int slot)
{
    return n && n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT && n->slot == slot;
}

/* What a range begins with, or indices are at least, if nobody knows it: the first element. */
static bool begins(const FdOrder *o, int slot)
{
    for (int k = 0; k < o->nranges; k++)
        if (is_slot(o->range_binder[k]->doms[o->range_index[k]].lo, slot)) return true;
    for (int k = 0; k < o->nnodes; k++)
        if (o->nodes[k]->kind == FD_APPLY && fd_op_of(o->nodes[k]) == FD_OP_GE &&
            is_slot(o->nodes[k]->args[1], slot))
            return true;
    return false;
}

static Sample sample_of(const SemaEvaluation *e, const FdOrder *order, Arena *arena)
{
    const FdGraph *g = e->graph;
    Sample s = {.length = length_of(e),
                .boxes = arena_array(arena, FdBox, g->nslots + 1),
                .scalars = arena_array(arena, ScalarValue, g->nslots + 1),
                .arena = arena};
    for (int i = 0; i < g->nslots; i++) {
        const FdKnown none = {0}, *k = e->nknown ? &e->known[0][i] : &none;
        const FdType *t = g->slots[i].type;
        if (!t->result && scalar_is_integer(t->scalar))
            s.scalars[i].i = value_of(&s, &k->value, begins(order, i) ? 0 : s.length);
        else if (!t->result)
            s.scalars[i].f = 1;
        s.boxes[i].rank = t->result ? t->nparams : 0;
        for (int d = 0; d < s.boxes[i].rank && d < FD_MAX_RANK; d++) {
            s.boxes[i].dim[d].lo = k->lo[d].atom ? 0 : value_of(&s, &k->lo[d], 0);
            s.boxes[i].dim[d].hi = value_of(&s, &k->hi[d], s.length);
        }
    }
    return s;
}

/* Of arrays of which each rank has its rows: those of others, by whoever gets most. */
static double missing(const void *sample, const Division *d)
{
    const Sample *s = sample;
    double bytes = 0;
    for (int k = 0; k < d->nslots; k++) {
        const FdBox *box = &d->boxes[k];
        RowsLayout *l = d->elements[k] && box->rank ? rows_layout(d->elements[k], box, 0, 1) : NULL;
        if (!l) continue;
        Rows *rows = arena_array(s->arena, Rows, d->n);
        int64_t most = 0;
        division_rows(d, k, l, rows);
        for (int r = 0; r < d->n; r++) {
            Rows own = {0};
            rows_add(&own, l->rows * r / d->n, l->rows * (r + 1) / d->n);
            Rows others = rows_without(&rows[r], &own);
            int64_t n = rows_count(&others);
            most = n > most ? n : most;
        }
        bytes +=
            (double)most * (double)l->inner * (double)scalar_bytes(fd_type_leaf(d->elements[k], 0));
        mem_object_free(l);
    }
    return bytes;
}

static void explain(const SemaEvaluation *e, const FdOrder *order, CgPlan *plan, Fd *fd,
                    Arena *arena, Text *out)
{
    Sample s = sample_of(e, order, arena);
    FdEnv env = {s.boxes, s.scalars};
    FdBox *boxes = arena_array(arena, FdBox, order->nslots + 1);
    ScalarValue *scalars = arena_array(arena, ScalarValue, order->nslots + 1);
    for (int k = 0; k < order->nslots; k++) {
        boxes[k] = s.boxes[order->slots[k]];
        scalars[k] = s.scalars[order->slots[k]];
    }
    CgDevice device = cg_native_device(CG_NATIVE_V3, RANKS);
    device.places = RANKS;
    CgBinding binding = {boxes, scalars, true};
    CgSchedule schedule;
    if (!cg_plan_bind(plan, &binding, &device, arena, &schedule)) {
        text_add(out, "  too large, with lengths as they are taken here\n");
        return;
    }
    double elements = fd_elements(e->graph, &env);
    DivideInput in = {.fd = fd,
                      .arena = arena,
                      .graph = e->graph,
                      .order = order,
                      .env = &env,
                      .schedule = &schedule,
                      .work = elements * fd_work(e->graph, &env),
                      .shares = RANKS,
                      .ctx = &s,
                      .missing = missing};
    bool small = !s.used && in.work < DIVIDE_LEAST;
    Division *d = small ? NULL : divide(&in);
    if (small)
        text_add(out, "  each rank all of it: it is small\n");
    else if (d && d->hash)
        divide_explain(&in, d, NULL, out);
    else
        text_printf(out, "  each rank all of it: %s\n", divide_why_not(&in));
    if (s.used)
        text_printf(out, "  (%lld for each length that csc does not know)\n", (long long)s.length);
}

void explain_place(const Sources *sources, const SemaEvaluation *e, Text *out)
{
    int line, col;
    sources_position(sources, e->loc.file, e->loc.begin, &line, &col);
    const Source *s = sources_get(sources, e->loc.file);
    const char *text = s->text + e->loc.begin;
    text_printf(out, "%s:%d:%d: %.*s\n", s->path, line, col, (int)strcspn(text, "\r\n"), text);
}

void explain_ranks(const SemaResult *sema, const Sources *sources, const SemaEvaluation *e,
                   const FdOrder *order, const char *text, Text *out)
{
    const char *error;
    CgPlan *plan = text ? cg_plan_parse(text, &error) : NULL;
    Arena *arena = arena_new();
    explain_place(sources, e, out);
    if (plan)
        explain(e, order, plan, sema->fd, arena, out);
    else
        text_add(out, "  each rank all of it: it calls functions of the host\n");
    arena_free(arena);
    if (plan) cg_plan_free(plan);
}
