/* What the runtime asks of divisions (divide.h): for the numbers of an evaluation, and what ranks have of its arrays. */
#include "divide.h"

#include <stdio.h>

#include "../../ranks/parts.h"
#include "../../ranks/ranks.h"
#include "../../state.h"
#include "kernels.h"
#include "measure.h"

int divide_shares(const Evaluation *e, const Numbers *n)
{
    int shares = rt.ranks.size ? rt.ranks.size : rt.ranks.blocks;
    if (shares < 2 || e->nclosures) return 1;
    return !rt.ranks.size || n->work >= rt.ranks.least ? shares : 1;
}

/* How it is divided; in mem_try. */
typedef struct Dividing {
    const Evaluation *e;
    Numbers *numbers;
    FdBox into;
    DivideInput in;
} Dividing;

static const Part *part_of(const Dividing *d, int k)
{
    const Array *a = d->e->leaves.data[d->e->composed->order.slots[k]].array;
    return a && a->head.buffer ? a->head.buffer->part : NULL;
}

/* FdValuesOf: values may have changed the next time. */
static bool looked_values(const void *dividing, int slot, const FdBox *box, FdSpans *out)
{
    const Dividing *d = dividing;
    bool known = numbers_values(d->e, slot, box, out);
    d->numbers->by_values = d->numbers->by_values || known;
    d->numbers->divided_by_values = d->numbers->divided_by_values || known;
    if (known) numbers_valued(d->numbers, slot);
    return known;
}

static double missing(const void *dividing, const Division *division)
{
    const Dividing *d = dividing;
    double bytes = 0;
    for (int k = 0; k < division->nslots; k++) {
        const Part *p = part_of(d, k);
        if (!p) continue;
        Rows *rows = arena_array(d->numbers->arena, Rows, division->n);
        division_rows(division, k, p->layout, rows);
        bytes += (double)part_missing(p, rows);
    }
    return bytes;
}

static bool has_parts(const void *dividing, int slot)
{
    return part_of(dividing, slot) != NULL;
}

static void take_input(Dividing *d, int shares)
{
    const Composed *c = d->e->composed;
    Numbers *n = d->numbers;
    d->in = (DivideInput){.fd = rt_fd(),
                          .arena = n->arena,
                          .graph = &c->graph,
                          .order = &c->order,
                          .env = &n->env,
                          .schedule = &n->schedule,
                          .work = n->work,
                          .shares = shares,
                          .blocks = !rt.ranks.size,
                          .values = looked_values,
                          .ctx = d,
                          .missing = rt.ranks.size ? missing : NULL,
                          .seed = c->key.lo ^ n->variant,
                          .room = n->division};
    if (d->e->into) d->into = rt_array_box(d->e->into);
    if (d->e->into) d->in.into = &d->into;
}

static void find_division(void *dividing)
{
    Dividing *d = dividing;
    Numbers *n = d->numbers;
    n->division = divide(&d->in);
    n->divides = n->division != NULL;
    n->values_hash = numbers_hash(d->e, n->valued);
}

const Division *divide_evaluation(const Evaluation *e, Numbers *n, int shares, const CsSite *site)
{
    Dividing d = {.e = e, .numbers = n};
    if (shares < 2) return NULL;
    if (!n->divides) {
        take_input(&d, shares);
        if (!mem_try(find_division, &d)) rt_throw_memory(site, 0);
        if (cs_pending) return NULL;
    }
    return n->divides && n->division->hash ? n->division : NULL;
}

void divide_dump(const Division *d, const CgSchedule *s)
{
    if (!d || !rt_dumping(RT_DUMP_PLAN)) return;
    for (int i = 0; i < d->nlaunches; i++) {
        const DividedLaunch *l = &d->launches[i];
        if (!l->cut) continue;
        fprintf(stderr, "%s is divided along %d, items", s->launches[i].kernel, l->cut->dim);
        for (int k = 0; k < d->n; k++)
            fprintf(stderr, "%s %lld..%lld", k ? "," : "", (long long)l->from[k],
                    (long long)l->to[k]);
        fputc('\n', stderr);
    }
}

bool divide_alone(const Evaluation *e, const Numbers *n)
{
    uint64_t plan = 0;
    return !rt.ranks.size || divide_shares(e, n) < 2 || ranks_meet(&plan, NULL);
}

void divide_tell(const Evaluation *e, Numbers *n, const Division *d, bool device,
                 const CsSite *site)
{
    Composed *c = e->composed;
    Dividing of = {.e = e, .numbers = n};
    bool large = rt.ranks.size ? n->work >= rt.ranks.least : rt.ranks.blocks > 1;
    uint64_t way = d ? d->hash : device ? 3 : 1;
    if (!rt_dumping(RT_DUMP_RANKS) || !large || c->explained == way) return;
    CsSite at = measured_site(e, site);
    Text t = {0};
    c->explained = way;
    take_input(&of, d ? d->n : 0);
    text_printf(&t, "// ranks: %s:%d:%d: ", at.file, (int)at.line, (int)at.col);
    if (d) text_add(&t, "divided\n");
    if (d) divide_explain(&of.in, d, has_parts, &t);
    if (!d)
        text_printf(&t, "each rank all of it: %s\n",
                    device         ? "it runs on a device"
                    : e->nclosures ? "it calls functions of the host"
                                   : divide_why_not(&of.in));
    fputs(t.data ? t.data : "", stderr);
    text_free(&t);
}
