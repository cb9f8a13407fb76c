/* Arrays that share memory (same.h). An index is a sum of digits of the variables, times * ((var / p) % q). Where those
 * of an element's offset add up to its place in the new array, both arrays lie alike. */
#include "same.h"

#include <string.h>

#include "../device/memory.h"
#include "../objects/record.h"
#include "../state.h"

enum { MOST = 12, DEEPEST = 24, NO_END = INT32_MAX, LARGE = INT32_MAX };

typedef struct Digit {
    int var;
    int64_t p, q, times; /* q: NO_END, there is no remainder */
} Digit;

typedef struct Sum {
    int64_t c;
    int n;
    Digit digits[MOST];
} Sum;

/* ---- indices ----------------------------------------------------------------------------------- */

/* A sum of one digit and nothing else; NULL: it is more. */
static Digit *single(Sum *s)
{
    return s->c == 0 && s->n == 1 && s->digits[0].times == 1 ? s->digits : NULL;
}

static bool divide(Sum *s, int64_t by)
{
    Digit *d = single(s);
    if (!d || by <= 0 || d->p > LARGE / by || (d->q != NO_END && d->q % by != 0)) return false;
    d->p *= by;
    if (d->q != NO_END) d->q /= by;
    return true;
}

static bool take_rest(Sum *s, int64_t by)
{
    Digit *d = single(s);
    if (!d || by <= 0 || (d->q != NO_END && d->q % by != 0)) return false;
    d->q = by;
    return true;
}

static bool multiply(Sum *s, int64_t by)
{
    if (by < 0 || by > LARGE) return false;
    s->c *= by;
    for (int i = 0; i < s->n; i++) s->digits[i].times *= by;
    return true;
}

static bool add(Sum *s, const Sum *x)
{
    if (s->n + x->n > MOST) return false;
    s->c += x->c;
    memcpy(s->digits + s->n, x->digits, (size_t)x->n * sizeof *x->digits);
    s->n += x->n;
    return true;
}

/* Indices are ints: larger numbers are left alone, so that nothing here overflows. */
static bool is_moderate(const Sum *s)
{
    bool moderate = s->c >= -LARGE && s->c <= LARGE;
    for (int i = 0; i < s->n; i++) moderate = moderate && s->digits[i].times <= LARGE;
    return moderate;
}

static bool sum_of(const Lazy *l, const FdNode *n, int depth, Sum *s);

static bool operation_of(const Lazy *l, const FdNode *n, int depth, Sum *s)
{
    FdOp op = fd_op_of(n);
    Sum y = {0};
    if (!sum_of(l, n->args[0], depth, s)) return false;
    if (op == FD_OP_CONVERT) return true;
    if (n->nargs != 2 || !sum_of(l, n->args[1], depth, &y)) return false;
    if (op == FD_OP_ADD) return add(s, &y);
    if (op == FD_OP_MUL && s->n == 0) {
        Sum x = *s;
        *s = y;
        y = x;
    }
    if (y.n > 0) return false;
    if (op == FD_OP_SUB) s->c -= y.c;
    return op == FD_OP_SUB || (op == FD_OP_MUL   ? multiply(s, y.c)
                               : op == FD_OP_DIV ? divide(s, y.c)
                                                 : op == FD_OP_REM && take_rest(s, y.c));
}

static bool sum_of(const Lazy *l, const FdNode *n, int depth, Sum *s)
{
    const FdNode *root = fd_root(l->graph->fd);
    *s = (Sum){0};
    if (!fd_type_is_scalar(n->type) || depth == DEEPEST ||
        (n->type->scalar != SC_INT && n->type->scalar != SC_LONG))
        return false;
    if (n->kind == FD_VAR) {
        int d = 0;
        while (d < root->nvars && root->vars[d] != n) d++;
        s->digits[s->n++] = (Digit){d, 1, NO_END, 1};
        return d < root->nvars;
    }
    if (fd_is_const(n)) {
        s->c = n->value.i;
        return is_moderate(s);
    }
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT) {
        s->c = l->captures[n->slot].i;
        return is_moderate(s);
    }
    return n->kind == FD_APPLY && fd_op_of(n) != FD_OP_NONE && operation_of(l, n, depth + 1, s) &&
           is_moderate(s);
}

/* ---- places ------------------------------------------------------------------------------------ */

/* The most that it comes to, without its factor. */
static int64_t most_of(const Digit *d, const FdBox *box)
{
    int64_t n = (fd_box_length(box, d->var) + d->p - 1) / d->p;
    return (n < d->q ? n : d->q) - 1;
}

/* Adds what dimension `dim` has of the offset. False: the index may be outside, or does not begin at its bound. */
static bool add_dimension(const Array *a, int dim, const FdBox *box, const Sum *index, Sum *offset)
{
    const CsDim *at = &a->head.dim[dim];
    int64_t most = 0;
    if (index->c != at->lo) return false;
    for (int i = 0; i < index->n; i++) {
        Digit d = index->digits[i];
        int64_t n = most_of(&d, box);
        if (n == 0 || d.times == 0) continue;
        most += d.times * n;
        d.times *= at->stride;
        if (offset->n == MOST || d.times > LARGE) return false;
        offset->digits[offset->n++] = d;
    }
    return most < at->n;
}

static const Digit *find(const Sum *s, int var, int64_t p)
{
    for (int i = 0; i < s->n; i++)
        if (s->digits[i].var == var && s->digits[i].p == p) return &s->digits[i];
    return NULL;
}

/* Do the digits of each variable add up to it, times its stride in the new array? */
static bool is_in_order(const Sum *offset, const FdBox *box)
{
    int64_t stride = 1;
    int used = 0;
    for (int var = box->rank - 1; var >= 0; var--) {
        int64_t n = fd_box_length(box, var);
        for (int64_t p = 1; p < n; used++) {
            const Digit *d = find(offset, var, p);
            if (!d || d->times != stride * p) return false;
            p = d->q == NO_END ? n : p * d->q;
        }
        stride *= n;
    }
    return used == offset->n;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

static bool lie_alike(const Lazy *l, const FdNode *read, const Array *a)
{
    Sum offset = {0}, index;
    for (int d = 0; d < read->nargs; d++)
        if (!sum_of(l, read->args[d], 0, &index) || !add_dimension(a, d, &l->box, &index, &offset))
            return false;
    return is_in_order(&offset, &l->box);
}

Array *same_array(const Lazy *l)
{
    const FdNode *root = fd_root(l->graph->fd), *read = root->body;
    int64_t count, n[CS_MAX_RANK];
    if (root->kind != FD_LET || root->self || read->kind != FD_APPLY || read->fn->kind != FD_FUNC ||
        read->fn->leaf != FD_LEAF_SLOT || fd_op_of(read) != FD_OP_NONE)
        return NULL;
    Array *a = lazy_array(l->captures[read->fn->slot].ref);
    Buffer *b = a ? a->head.buffer : NULL;
    bool plain = b && !b->held && !b->lent && !b->borrowed && !b->foreign && !b->ring &&
                 a->head.rank == read->nargs;
    if (!plain || !rt_box_count(&l->box, &count) || count != rt_array_count(a) || count > LARGE)
        return NULL;
    for (int d = 0; d < l->box.rank; d++) {
        if (l->box.dim[d].lo != 0) return NULL;
        n[d] = l->box.dim[d].hi;
    }
    if (!lie_alike(l, read, a)) return NULL;
    b->refs++;
    a->head.host_state &= ~CS_HOST_WRITE;
    return rt_array_on(b, a->head.elem, l->box.rank, n);
}
