/* Lowering BATCH: what stands inside reads and makes rows in private memory, with the positions of the axis in lanes
 * (value/read/batch.c). */
#include "../../../../../base/internal.h"
#include "../impl.h"

void nest_batch(Lower *l, const NestStep *s)
{
    GenBatch b = {.def = l->n->def};
    int dim = 0;
    while (b.def->vars[dim] != l->n->axes[s->axis].vars[0]) dim++;
    if (!batch_find(b.def, dim, &b.of)) internal_error("nest", "no batch");
    nest_lane_count(l->u, KIR_V8); /* of squares */
    GenScope scope = gen_enter(&l->g, l->g.block);
    nest_bind(l, s->axis); /* copies inside bind it, too */
    gen_batch_begin(&l->g, &b, s->count);
    nest_steps(l, s->first);
    gen_batch_end(&l->g, &b);
    gen_leave(&l->g, scope);
}
