/* Where the fields of elements lie: planes of a buffer, one behind the other (structure of arrays). */
#include "../unit.h"

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
