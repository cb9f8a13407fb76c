/* What ranks compare of an evaluation (CS_RANKS_CHECK): its key, the domains of its arrays, its scalars. */
#include "../../ranks/ranks.h"
#include "compose.h"

void note_evaluation(const Evaluation *e)
{
    ranks_note(&e->composed->key, sizeof e->composed->key);
    for (size_t i = 0; i < e->leaves.len; i++) {
        const RtLeaf *l = &e->leaves.data[i];
        if (!l->array) {
            if (!l->closure) ranks_note(&l->scalar, sizeof l->scalar);
            continue;
        }
        for (int32_t d = 0; d < l->array->head.rank; d++) {
            int64_t domain[2] = {l->array->head.dim[d].lo, l->array->head.dim[d].n};
            ranks_note(domain, sizeof domain);
        }
    }
}
