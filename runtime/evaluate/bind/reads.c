/* Arrays in parts that are read by each rank alone (reads.h). */
#include "reads.h"

#include "../../../fdag/index/footprint/footprint.h"
#include "../../device/memory.h"
#include "../../ranks/parts.h"
#include "../../state.h"
#include "numbers.h"

typedef struct Reads {
    const Evaluation *e;
    const FdBox *box;
    FdFootprint *of; /* by slot */
} Reads;

static Buffer *buffer_of(const Evaluation *e, int slot)
{
    const Array *a = e->leaves.data[slot].array;
    return a ? a->head.buffer : NULL;
}

/* Is there one in parts? What is held back is evaluated first. */
static bool has_parts(const Evaluation *e, bool *any, const CsSite *site)
{
    *any = false;
    for (int i = 0; i < (int)e->leaves.len; i++) {
        Buffer *b = buffer_of(e, i);
        if (b && b->held && !rt_fill(b, site)) return false;
        *any |= b && b->part;
    }
    return true;
}

static void find(void *reads)
{
    Reads *r = reads;
    int n = r->e->composed->graph.nslots;
    Arena *arena = arena_new();
    FdBox *boxes = arena_array(arena, FdBox, n);
    ScalarValue *scalars = arena_array(arena, ScalarValue, n);
    numbers_leaves(r->e, boxes, scalars);
    FdEnv env = {boxes, scalars};
    r->of = mem_alloc((size_t)n * sizeof *r->of);
    fd_footprints(&r->e->composed->graph, &env, r->box, NULL, NULL, r->of);
    arena_free(arena);
}

static bool complete(const Evaluation *e, const CsSite *site)
{
    for (int i = 0; i < (int)e->leaves.len; i++) {
        Buffer *b = buffer_of(e, i);
        if (b && !part_complete(b, site)) return false;
    }
    return true;
}

/* Values of arrays do not count here: what is at hand may differ. */
bool reads_bring(const Evaluation *e, const FdBox *box, const CsSite *site)
{
    Reads r = {e, box, NULL};
    bool any;
    if (!rt.ranks.size || !has_parts(e, &any, site) || !any) return !cs_pending;
    if (e->nclosures) return complete(e, site);
    if (!mem_try(find, &r)) {
        rt_throw_memory(site, 0);
        return false;
    }
    bool good = true;
    for (int i = 0; good && i < e->composed->graph.nslots; i++) {
        Buffer *b = buffer_of(e, i);
        const FdFootprint *f = &r.of[i];
        if (!b || !b->part) continue;
        FdBox own = rt_array_box(e->leaves.data[i].array);
        Rows rows = {0};
        for (int k = 0; k < f->nboxes; k++) {
            FdBox of = fd_reads_box(&f->boxes[k], f->rank);
            rows_of_box(b->part->layout, &own, &of, &rows);
        }
        good = part_bring(b, &rows, site);
    }
    mem_free(r.of);
    return good;
}
