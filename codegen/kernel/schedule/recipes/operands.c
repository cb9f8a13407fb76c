/* What recipes ask of a definition: how long its reductions are, how work is shared out, contractions. */
#include "recipe.h"

static bool is_long(const void *ctx, const FdNode *n)
{
    (void)ctx;
    const FdUser *user = n->kind == FD_APPLY ? fd_user_of(n) : NULL;
    return n->kind == FD_REDUCE || (user && user->body && !user_is_plain(user));
}

bool recipe_is_long(const FdNode *n)
{
    return fd_any(n, is_long, NULL);
}

static bool is_dear(const void *ctx, const FdNode *n)
{
    (void)ctx;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    return op != FD_OP_NONE && fd_op_info(op)->props & FD_EXPENSIVE;
}

bool recipe_is_dear(const FdNode *n)
{
    return fd_any(n, is_dear, NULL);
}

static bool count_work(const void *sum, const FdNode *n)
{
    enum { DEAR = 16 };
    **(int64_t *const *)sum += is_dear(NULL, n) ? DEAR : 1;
    return false;
}

int64_t recipe_work(const FdNode *n)
{
    int64_t work = 0, *to = &work;
    fd_any(n, count_work, &to);
    return work;
}

bool recipe_decides(const FdNode *reduce)
{
    FdOp op = fd_op_of(reduce);
    return (op == FD_OP_LAND || op == FD_OP_LOR) && !fd_can_fail(reduce->body);
}

Num *recipe_length(Unit *u, const FdNode *reduce)
{
    return plan_elements(u, reduce->nvars, reduce->doms);
}

Num *recipe_lines_each(Unit *u, Num *lines, Num *length, int64_t least)
{
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 8));
    Num *few = num_ceildiv(u, num_int(u, least), num_op(u, FD_OP_MAX, length, num_int(u, 1)));
    return num_let(u, "chunk", num_op(u, FD_OP_MAX, num_ceildiv(u, lines, units), few));
}

Num *recipe_each_unit(Unit *u, int each, Num *rows)
{
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, each));
    return num_ceildiv(u, units, num_op(u, FD_OP_MAX, rows, num_int(u, 1)));
}

Num *recipe_few_lines(Unit *u, Num *lines, Num *length)
{
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 4)), *one = num_int(u, 1);
    Num *few = num_ceildiv(u, draw_num(u, P_CHUNK_LINES, 16384), num_op(u, FD_OP_MAX, length, one));
    few = num_op(u, FD_OP_MIN, few, num_op(u, FD_OP_DIV, lines, units));
    return num_let(u, "lines", num_op(u, FD_OP_MAX, few, one));
}

static bool count_operation(const void *n, const FdNode *at)
{
    **(int *const *)n += at->kind == FD_APPLY && fd_op_of(at) != FD_OP_NONE;
    return false;
}

/* The value that a reduction converts as its last step, if it is computed: its lanes are worth more than those of
 * the sum. Of rows, which may be short, if that is most of the work. */
static const FdNode *before_convert(const Def *d, const FdNode *reduce)
{
    enum { MOST_WORK = 8 };
    const FdNode *last = reduce->body;
    int operations = 0, *to = &operations;
    if (last->kind != FD_APPLY || fd_op_of(last) != FD_OP_CONVERT) return NULL;
    fd_any(last->args[0], count_operation, &to);
    return operations >= (d->nvars ? MOST_WORK : 1) ? last->args[0] : NULL;
}

size_t recipe_widest(int n, const FdNode *const *reduces)
{
    size_t widest = 1;
    for (int r = 0; r < n; r++) {
        size_t w = widest_bytes(reduces[r]);
        widest = w > widest ? w : widest;
    }
    return widest;
}

int recipe_sum_lanes(const Def *d, int n, const FdNode *const *reduces)
{
    size_t widest = 1;
    for (int r = 0; r < n; r++) {
        const FdNode *before = before_convert(d, reduces[r]);
        size_t w = widest_bytes(before ? before : reduces[r]);
        widest = w > widest ? w : widest;
    }
    return nest_lanes_for(widest);
}

void recipe_use(Nest *n, int nreduces, const FdNode *const *reduces)
{
    n->nreduces = nreduces;
    for (int i = 0; i < nreduces; i++) n->reduces[i] = reduces[i];
}

bool recipe_epilogue_lanes(const Def *d, int n, const FdNode *const *reduces, const FdNode *v,
                           unsigned allowed)
{
    return !lanes_refused(d->body, v, allowed, n, reduces, NULL);
}

unsigned recipe_allowed(const Def *d)
{
    return d->noting ? LANES_NOTED : 0;
}

typedef struct Reader {
    Unit *u;
    const Def *d;
} Reader;

static bool falls_outside(const void *ctx, const FdNode *n)
{
    const Reader *r = ctx;
    return def_is_suspect(r->u, r->d, n);
}

bool contraction_find(Unit *u, const Def *d, FdContraction *out)
{
    const Reader r = {u, d};
    bool found = fd_contraction(d->nvars, d->vars, d->doms, d->body, falls_outside, &r, out);
    for (int i = 0; found && i < out->nreduces; i++) found = reduction_is_closed(out->reduces[i]);
    return found;
}

bool contraction_turned(Unit *u, const Def *d, const FdContraction *of, FdContraction *out)
{
    const Reader r = {u, d};
    return fd_contraction_turned(d->nvars, d->vars, d->doms, falls_outside, &r, of, out);
}
