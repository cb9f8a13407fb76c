/* Finding wavefronts (wave.h). */
#include "wave.h"

#include <stdlib.h>

#include "../../../fdag/index/affine.h"

typedef struct Skewing {
    const FdNode *from[2], *to[2]; /* variables of the definition */
} Skewing;

static const FdNode *replace(void *ctx, Fd *fd, const FdNode *n)
{
    const Skewing *s = ctx;
    (void)fd;
    for (int i = 0; i < 2; i++)
        if (n == s->from[i]) return s->to[i];
    return NULL;
}

static const FdNode *as(Unit *u, const FdNode *n, ScalarKind k)
{
    return result_kind(n) == k ? n : fd_simple_op(u->fd, FD_OP_CONVERT, k, 1, &n);
}

static const FdNode *op2(Unit *u, FdOp op, const FdNode *x, const FdNode *y)
{
    const FdNode *args[] = {x, as(u, y, result_kind(x))};
    return fd_simple_op(u->fd, op, result_kind(x), 2, args);
}

/* The value that a variable has at this position. */
static const FdNode *value_at(Unit *u, const Interior *in, int v, const FdNode *position)
{
    ScalarKind k = result_kind(in->def->vars[v]);
    const FdDom *d = &in->def->doms[v];
    position = as(u, position, k);
    if (!in->down[v]) return op2(u, FD_OP_ADD, position, d->lo);
    const FdNode *last = op2(u, FD_OP_SUB, as(u, d->hi, k), fd_int(u->fd, 1));
    return op2(u, FD_OP_SUB, last, position);
}

/* ---- distances --------------------------------------------------------------------------------- */

static bool find_skew(const Interior *in, Wave *w)
{
    int64_t nearest = WAVE_DEPTH; /* column of the row before that is needed last */
    bool any = false;
    for (int i = 0; i < in->nreads; i++) {
        const InteriorRead *r = &in->reads[i];
        for (int v = 0; v < in->def->nvars; v++)
            if (!r->constant[v] || (v != w->row && v != w->column && r->before[v])) return false;
        int64_t rows = r->before[w->row], columns = r->before[w->column];
        bool fits = rows == 0 ? columns >= 1 : rows == 1 && columns >= -1;
        if (!fits || columns > WAVE_DEPTH) return false;
        if (rows && columns < nearest) nearest = columns;
        any = any || rows;
    }
    w->skew = nearest < 1 ? (int)(1 - nearest) : 0;
    return any;
}

static void find_ages(const Interior *in, Wave *w, Skewing *s, Unit *u)
{
    for (int i = 0; i < in->nreads; i++) {
        const InteriorRead *r = &in->reads[i];
        WaveRead *out = &w->reads[w->nreads++];
        out->node = fd_rewrite(u->fd, r->node, replace, s);
        out->above = r->before[w->row] != 0;
        out->age = (int)r->before[w->column] - (out->above ? 1 - w->skew : 0);
        int *most = out->above ? &w->above : &w->own;
        if (out->age > *most) *most = out->age;
    }
}

/* ---- lanes ------------------------------------------------------------------------------------- */

/* Reads that are taken lane by lane; false: there is one inside a reduction, or too many. */
static bool find_far(Wave *w, const FdNode *n, bool inner, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return true;
    for (int i = 0; i < w->nreads; i++)
        if (w->reads[i].node == n) return true;
    if (is_read(n) && fd_movement(n, w->at) == FD_MOVES_FAR) {
        if (inner || n->type->record || w->nfar == WAVE_FAR) return false;
        w->far[w->nfar++] = n;
        return true;
    }
    for (int i = 0; n->kind == FD_APPLY && i < n->nargs; i++)
        if (!find_far(w, n->args[i], inner, seen)) return false;
    return n->kind != FD_REDUCE || find_far(w, n->body, true, seen);
}

static bool in_lanes(const Wave *w, const FdNode *n, FdSeen *seen)
{
    if (!fd_meet(seen, n)) return true;
    for (int i = 0; i < w->nreads; i++)
        if (w->reads[i].node == n) return true;
    for (int i = 0; i < w->nfar; i++)
        if (w->far[i] == n) return true;
    if (n->kind != FD_APPLY || is_read(n) || fd_op_of(n) == FD_OP_NONE)
        return lanes_possible(n, w->at, 0);
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return true;
    if (op == FD_OP_RANDOM || op == FD_OP_DIV || op == FD_OP_REM || result_kind(n) == SC_HALF)
        return lanes_possible(n, w->at, 0);
    for (int i = 0; i < n->nargs; i++)
        if (!in_lanes(w, n->args[i], seen)) return false;
    return true;
}

static bool all_in_lanes(Wave *w)
{
    FdSeen seen[2] = {{0}, {0}};
    bool fits = find_far(w, w->body, false, &seen[0]) && in_lanes(w, w->body, &seen[1]);
    for (int i = 0; i < 2; i++) fd_seen_free(&seen[i]);
    return fits;
}

/* ---- the wavefront ----------------------------------------------------------------------------- */

static bool find_variables(const Interior *in, Wave *w)
{
    int found[2] = {-1, -1}, n = 0;
    for (int k = 0; k < in->def->nvars; k++) {
        int v = abs(in->def->node->order[k]) - 1;
        if (in->stays[v]) continue;
        if (n == 2) return false;
        found[n++] = v;
    }
    w->row = found[0];
    w->column = found[1];
    return n == 2;
}

const Wave *wave_of(Unit *u, Interior *in)
{
    if (in->waved) return in->wave;
    in->waved = true;
    Wave *w = arena_new_of(u->arena, Wave);
    const FdNode *body = in->def->body;
    if (in->nreads < 0 || !in->forward || !fd_type_is_scalar(body->type) ||
        result_kind(body) == SC_HALF || fd_can_fail(body) || !find_variables(in, w) ||
        !find_skew(in, w))
        return NULL;
    bool wide = false;
    for (int i = 0; i < 2; i++)
        wide = wide || result_kind(in->def->vars[i ? w->column : w->row]) == SC_LONG;
    const FdType *t = fd_type_scalar(u->fd, wide ? SC_LONG : SC_INT);
    w->at = fd_var(u->fd, t, "row");
    w->step = fd_var(u->fd, t, "step");
    const FdNode *behind = op2(u, FD_OP_MUL, w->at, fd_int(u->fd, w->skew));
    const FdNode *column = w->skew ? op2(u, FD_OP_SUB, w->step, behind) : w->step;
    Skewing s = {{in->def->vars[w->row], in->def->vars[w->column]},
                 {value_at(u, in, w->row, w->at), value_at(u, in, w->column, column)}};
    w->body = fd_rewrite(u->fd, body, replace, &s);
    find_ages(in, w, &s, u);
    if (!all_in_lanes(w)) return NULL;
    def_count(u, in->def, 1, &w->body);
    return in->wave = w;
}
