/* Rows that the host reads, or what each rank evaluates by itself: they come to all ranks, whatever each has (parts.h). */
#include "parts.h"
#include "ranks.h"

enum {
    PAGE = 64 << 10, /* bytes that come with an element */
    EIGHTH = 8       /* of an array that was asked for in pages: it comes whole */
};

typedef struct Bringing {
    const Buffer *b;
    Rows lacks;
    RankBlocks blocks;
} Bringing;

static void list(void *bringing)
{
    Bringing *x = bringing;
    part_add_owned(&x->blocks, x->b, &x->lacks);
}

bool part_bring(Buffer *b, const Rows *rows, const CsSite *site)
{
    uint64_t plan = 1;
    if (!b->part) return true;
    Bringing x = {.b = b, .lacks = rows_without(rows, &b->part->all)};
    if (x.lacks.n == 0) return true;
    bool ok = rt_blocks_room(b, site);
    if (ok && !(ok = mem_try(list, &x))) {
        rt_throw_memory(site, 0);
        x.blocks = (RankBlocks){0};
    }
    ok = ok && rt_blocks_out(b, x.blocks.data, x.blocks.len, site);
    ok = ranks_meet(&plan, NULL) && ok;
    if (ok) {
        ranks_exchange(x.blocks.data, (int)x.blocks.len);
        rt_blocks_in(b, x.blocks.data, x.blocks.len, site);
        for (int r = 0; r < rt.ranks.size; r++) part_gain(&b->part->has[r], &x.lacks);
        part_gain(&b->part->all, &x.lacks);
    }
    vec_free(&x.blocks);
    return ok && !cs_pending;
}

/* Was an eighth of it asked for, now that some more is? */
static bool asks_much(Part *p, int64_t bytes)
{
    p->asked += bytes;
    return p->asked * EIGHTH >= p->layout->rows * part_row_bytes(p->layout);
}

bool part_bring_element(Buffer *b, int64_t offset, const CsSite *site)
{
    Part *p = b->part;
    if (!p) return true;
    const RowsLayout *l = p->layout;
    int64_t row = offset / l->inner % l->rows, bytes = part_row_bytes(l);
    for (int i = 0; i < p->all.n; i++)
        if (row >= p->all.at[i].lo && row < p->all.at[i].hi) return true;
    int64_t page = bytes < PAGE ? PAGE / bytes : 1, lo = row / page * page;
    Rows rows = {0};
    if (asks_much(p, page * bytes)) return part_complete(b, site);
    rows_add(&rows, lo, lo + page < l->rows ? lo + page : l->rows);
    return part_bring(b, &rows, site);
}

bool part_is_slow(Part *p)
{
    return !asks_much(p, PAGE);
}
