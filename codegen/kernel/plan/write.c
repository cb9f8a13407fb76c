/* Writing plans: lines, fresh names, and where the fields of elements lie: planes of a buffer, one behind the other
 * (structure of arrays). See docs/kernels.md. */
#include "../unit.h"
#include "draw.h"

void plan_line(Unit *u, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_add(&u->plan, " * ");
    size_t begin = u->plan.len;
    text_vprintf(&u->plan, fmt, ap);
    text_add(&u->plan, "\n");
    va_end(ap);
    if (u->schedule) text_addn(u->schedule, u->plan.data + begin, u->plan.len - begin);
}

static Num *plane_bytes(Unit *u, const FdType *t, int leaf, Num *count)
{
    return num_op(u, FD_OP_MUL, count, num_int(u, (int64_t)scalar_bytes(fd_type_leaf(t, leaf))));
}

Num *plan_plane(Unit *u, const FdType *t, int leaf, Num *count)
{
    Num *sum = num_int(u, 0);
    for (int i = 0; i < leaf; i++) {
        Num *plane = num_roundup(u, plane_bytes(u, t, i, count), num_int(u, FD_PLANE_ALIGN));
        sum = num_op(u, FD_OP_ADD, sum, plane);
    }
    return sum;
}

Num *plan_bytes(Unit *u, const FdType *t, Num *count)
{
    int last = fd_type_leaves(t) - 1;
    if (last < 0) {
        unit_give_up(u, "a record without fields", NULL);
        return num_int(u, 0);
    }
    return num_op(u, FD_OP_ADD, plan_plane(u, t, last, count), plane_bytes(u, t, last, count));
}

enum { LONG_ROW = 8192, LINE = 64 }; /* bytes */
enum { AROUND_READS = 16 };

typedef struct Around {
    const FdNode *reads[AROUND_READS];
    int n;
} Around;

/* A read of an array that is read elsewhere, too. */
static bool is_around(const void *around, const FdNode *n)
{
    Around *a = *(Around *const *)around;
    if (!is_read(n) || n->fn->kind != FD_FUNC) return false;
    for (int i = 0; i < a->n; i++)
        if (a->reads[i]->fn == n->fn && a->reads[i] != n) return true;
    if (a->n < AROUND_READS) a->reads[a->n++] = n;
    return false;
}

/* Lines of several results that are stored in halves, while others of a stencil are read, go to memory in halves:
 * ten times slower than through the cache (AMD, vectors of 32 bytes). */
static bool is_mixed(const Def *d)
{
    Around a = {0}, *to = &a;
    return fd_type_leaves(d->body->type) > 1 && fd_any(d->body, is_around, &to);
}

void plan_stream(Unit *u, const Def *d)
{
    if (u->streams) return;
    Num *bytes = plan_bytes(u, d->body->type, plan_elements(u, d->nvars, d->doms));
    Num *times = num_int(u, draw_same(u, P_MAP_LARGE, 8));
    Num *large = num_op(u, FD_OP_MUL, num_fact(u, NUM_L2), times);
    Num *streams = num_op(u, FD_OP_GT, bytes, large);
    if (d->nvars >
        1) { /* a line that is stored in part first is written twice: at both ends of rows */
        int64_t long_row = draw_same(u, P_MAP_LONG_ROW, LONG_ROW);
        Num *row = plan_bytes(u, d->body->type, plan_n(u, &d->doms[d->nvars - 1]));
        streams = num_and(u, streams, num_op(u, FD_OP_GE, row, num_int(u, long_row)));
    }
    if (d->temp < 0 && is_mixed(d)) /* temporaries that are results are copied */
        streams = num_and(u, streams,
                          num_op(u, FD_OP_GE, num_fact(u, NUM_VECTOR_BYTES), num_int(u, LINE)));
    plan_line(u, "flag CS_STREAM = %s", num_text(u, streams));
    u->streams = true;
}

int plan_temp(Unit *u, Num *bytes)
{
    plan_line(u, "temp %d bytes %s", u->ntemps, num_text(u, bytes));
    return u->ntemps++;
}
