/* The evaluator of cells: values on demand, so that only the chosen operand of select, && and || is
 * evaluated, also where lets stand between it and the operation: their arguments are by need. */
#include <string.h>

#include "../evaluate/lazy/lazy.h"
#include "cell.h"

static void eval_leaves(Ref *r, Cell *c, int from, int n, ScalarValue *out);

static const ScalarValue nothing;

/* ---- variables ---------------------------------------------------------------------- */

void ref_enter(Ref *r, Scope *s, int n, RefVar **vars, RefVar *hidden, int nargs,
               const RefVar *args)
{
    *s = (Scope){r->scope, n, vars, hidden};
    for (int i = 0; i < n; i++) hidden[i] = *vars[i];
    for (int i = 0; i < nargs; i++) {
        *vars[i] = args[i];
        vars[i]->epoch = ++r->clock;
    }
    r->scope = s;
}

void ref_leave(Ref *r)
{
    Scope *s = r->scope;
    for (int i = s->n; i-- > 0;) *s->vars[i] = s->hidden[i];
    r->scope = s->outer;
}

static void exchange(Scope *s)
{
    for (int i = 0; i < s->n; i++) {
        RefVar v = *s->vars[i];
        *s->vars[i] = s->hidden[i];
        s->hidden[i] = v;
    }
}

/* Evaluates a cell in `to`, an outer scope of s, with s the innermost. */
static void eval_outside(Ref *r, Scope *s, Scope *to, Cell *c, ScalarValue *out)
{
    if (s == to) {
        r->scope = s;
        ref_eval_all(r, c, out);
        return;
    }
    exchange(s);
    eval_outside(r, s->outer, to, c, out);
    exchange(s);
}

ScalarValue ref_force(Ref *r, RefVar *v)
{
    if (!v->lazy) return v->value;
    Scope *s = r->scope;
    ScalarValue value = nothing;
    /* (Where v is hidden meanwhile, its room is still its room.) */
    eval_outside(r, s, v->scope, v->lazy, v->lazy->is_record ? v->record : &value);
    r->scope = s;
    v->value = value;
    v->lazy = NULL;
    return value;
}

Cell *ref_function_of(Cell *f)
{
    while (f && f->kind == CELL_VAR) f = f->var->fn;
    return f;
}

/* ---- operations --------------------------------------------------------------------- */

ScalarValue ref_operate(Ref *r, FdOp op, ScalarKind in, ScalarKind out, const ScalarValue *a,
                        const FdNode *node)
{
    ScalarValue v = nothing;
    if (in == SC_FLOAT || in == SC_DOUBLE) { /* double arithmetic rounded to float is exact */
        double x;
        switch (op) {
        case FD_OP_ADD: x = a[0].f + a[1].f; break;
        case FD_OP_SUB: x = a[0].f - a[1].f; break;
        case FD_OP_MUL: x = a[0].f * a[1].f; break;
        case FD_OP_DIV: x = a[0].f / a[1].f; break;
        default: goto general;
        }
        v.f = in == SC_FLOAT ? (double)(float)x : x;
        return v;
    }
    if (in == SC_INT) {
        uint32_t x = (uint32_t)a[0].i, y = (uint32_t)a[1].i;
        switch (op) {
        case FD_OP_ADD: v.i = (int32_t)(x + y); return v;
        case FD_OP_SUB: v.i = (int32_t)(x - y); return v;
        case FD_OP_MUL: v.i = (int32_t)(x * y); return v;
        case FD_OP_LT: v.i = a[0].i < a[1].i; return v;
        case FD_OP_EQ: v.i = a[0].i == a[1].i; return v;
        default: break;
        }
    }
general:
    if (fd_op_eval(op, in, out, a, &v) == FD_EVAL_DIVIDE_BY_ZERO)
        ref_fail(r, RT_DIVIDE, node, "Attempted to divide by zero.");
    return v;
}

static ScalarValue eval_op(Ref *r, Cell *c)
{
    ScalarValue v[3];
    v[0] = ref_eval(r, c->args[0]);
    switch (c->op) {
    case FD_OP_SELECT: return r->failed ? nothing : ref_eval(r, c->args[v[0].i ? 1 : 2]);
    case FD_OP_LAND: return v[0].i && !r->failed ? ref_eval(r, c->args[1]) : nothing;
    case FD_OP_LOR: return v[0].i || r->failed ? v[0] : ref_eval(r, c->args[1]);
    default: break;
    }
    for (int i = 1; i < c->nargs; i++) v[i] = ref_eval(r, c->args[i]);
    if (r->failed) return nothing;
    return ref_operate(r, c->op, c->in, c->out, v, c->node);
}

/* ---- domains ------------------------------------------------------------------------ */

/* Closed ones are fd_eval_bound's, which knows what infinite domains mean; the others depend on
 * variables or on values of arrays. Each call of a function asks for its closed ones. */
bool ref_range_bound(Ref *r, Cell *c, int64_t *out)
{
    if (c->ndeps == 0 && c->kind != CELL_CONST) {
        if (c->bounded != r->start) {
            FdEnv env = {r->boxes, r->scalars};
            c->status = fd_eval_bound(c->node, &env, &c->bound);
            c->bounded = r->start;
        }
        *out = c->bound;
        if (c->status == FD_BOUND_OK) return true;
        if (c->status == FD_BOUND_INFINITE) return false;
    }
    *out = ref_eval(r, c).i;
    return true;
}

/* LOWER or UPPER of a function; an error if it is infinite. */
static int64_t bound(Ref *r, const Cell *c)
{
    Cell *f = ref_function_of(c->fn);
    bool upper = c->op == FD_OP_UPPER;
    int64_t v = 0;
    if (f && f->kind == CELL_SLOT) {
        const FdBox *box = &r->boxes[f->slot];
        if (!box->dim[c->dim].full) return upper ? box->dim[c->dim].hi : box->dim[c->dim].lo;
    } else if (f && f->kind == CELL_LET && f->lo[c->dim] &&
               ref_range_bound(r, upper ? f->hi[c->dim] : f->lo[c->dim], &v)) {
        return v;
    }
    void *fn = f && f->kind == CELL_APPLY ? ref_value(r, f) : NULL;
    if (fn) {
        FdBox room = *rt_box_of(fn, &room);
        cs_release(fn);
        if (!room.dim[c->dim].full) return upper ? room.dim[c->dim].hi : room.dim[c->dim].lo;
    }
    if (r->failed) return 0;
    ref_fail(r, RT_DOMAIN, c->node, "a function with an infinite domain has no bounds");
    return 0;
}

/* ---- applications ---------------------------------------------------------------------------- */

static ScalarValue load(const void *data, int64_t at, ScalarKind k)
{
    ScalarValue v = nothing;
    switch (k) {
    case SC_FLOAT: v.f = (double)((const float *)data)[at]; return v;
    case SC_DOUBLE: v.f = ((const double *)data)[at]; return v;
    case SC_INT: v.i = ((const int32_t *)data)[at]; return v;
    case SC_LONG: v.i = ((const int64_t *)data)[at]; return v;
    default: return scalar_load((const char *)data + (size_t)at * scalar_bytes(k), k);
    }
}

/* Leaves from..from + n of an element. */
static void read_array(Ref *r, const Cell *f, int rank, const ScalarValue *index,
                       const FdNode *node, int from, int n, ScalarValue *out)
{
    const Array *array = r->leaves[f->slot].array;
    const CsArray *a = &array->head;
    const FdType *t = f->node->type->result;
    int64_t at = 0;
    bool inside = true;
    for (int d = 0; d < rank; d++) {
        int64_t x = index[d].i - a->dim[d].lo;
        inside &= (uint64_t)x < (uint64_t)a->dim[d].n;
        at += inside ? x * a->dim[d].stride : 0;
    }
    if (inside && !t->record) {
        *out = load(a->data, at, t->scalar);
    } else if (inside) {
        for (int i = 0; i < n; i++)
            out[i] = load((const char *)a->data + r->planes[f->slot][from + i], at,
                          fd_type_leaf(t, from + i));
    } else {
        int64_t plain[FD_MAX_RANK];
        for (int d = 0; d < rank; d++) plain[d] = index[d].i;
        FdBox box = rt_array_box(array);
        ref_fail_index(r, f, &box, plain, node);
    }
}

static bool is_settled(const Cell *c)
{
    for (int i = 0; i < c->ndeps; i++)
        if (c->deps[i]->lazy) return false;
    return true;
}

RefVar ref_argument(Ref *r, Cell *c)
{
    RefVar v = {.epoch = 0};
    if (c->node->type->result) {
        v.fn = ref_function_of(c);
        return v;
    }
    if (c->is_record) v.record = ref_room(r, c->leaves);
    if (c->steps && is_settled(c)) {
        ref_eval_all(r, c, c->is_record ? v.record : &v.value);
    } else {
        v.lazy = c;
        v.scope = r->scope;
    }
    return v;
}

/* Arguments in a dimension with a range are evaluated first, to be checked. */
static void call_let(Ref *r, Cell *f, Args *a, ScalarValue *out)
{
    for (int d = 0; d < a->n; d++)
        if (f->lo[d]) ref_force(r, &a->args[d]);
    if (r->failed) return;
    if (f->self) {
        ref_call_recurrence(r, f, a->args, a->node, out);
        return;
    }
    Scope scope;
    RefVar hidden[FD_MAX_RANK];
    ref_enter(r, &scope, a->n, f->vars, hidden, a->n, a->args);
    FdBox box = {.rank = a->n};
    bool inside = true;
    for (int d = 0; d < a->n && !r->failed; d++) {
        box.dim[d].full = !f->lo[d] || !ref_range_bound(r, f->lo[d], &box.dim[d].lo) ||
                          !ref_range_bound(r, f->hi[d], &box.dim[d].hi);
        if (box.dim[d].full) continue;
        int64_t i = a->args[d].value.i;
        inside &= i >= box.dim[d].lo && i < box.dim[d].hi;
    }
    if (!r->failed && inside) {
        if (a->next)
            ref_call(r, f->body, a->next, out);
        else
            ref_eval_all(r, f->body, out);
    } else if (!r->failed) {
        int64_t index[FD_MAX_RANK];
        for (int d = 0; d < a->n; d++) index[d] = ref_force(r, f->vars[d]).i;
        if (!r->failed) ref_fail_index(r, f, &box, index, a->node);
    }
    ref_leave(r);
}

static void copy(ScalarValue *to, const ScalarValue *from, int n)
{
    memcpy(to, from, sizeof *to * (size_t)n);
}

/* An evaluated argument's leaves. */
static const ScalarValue *leaves_of(const RefVar *v, const FdType *t)
{
    return t->record ? v->record : &v->value;
}

/* An operation as a function value. */
static void call_op(Ref *r, Cell *f, RefVar *args, const FdNode *node, ScalarValue *out)
{
    ScalarValue v[FD_MAX_RANK];
    const FdType *t = f->node->type;
    v[0] = ref_force(r, &args[0]);
    switch (f->op) {
    case FD_OP_SELECT: {
        int chosen = v[0].i ? 1 : 2;
        if (r->failed) return;
        ref_force(r, &args[chosen]);
        copy(out, leaves_of(&args[chosen], t->result), f->leaves);
        return;
    }
    case FD_OP_LAND:
    case FD_OP_LOR:
        *out = (v[0].i != 0) == (f->op == FD_OP_LOR) || r->failed ? v[0] : ref_force(r, &args[1]);
        return;
    default: break;
    }
    for (int i = 1; i < t->nparams; i++) v[i] = ref_force(r, &args[i]);
    if (!r->failed) *out = ref_operate(r, f->op, f->in, f->out, v, node);
}

/* A function that has its arguments evaluated. */
static void call_strict(Ref *r, Cell *f, Args *a, ScalarValue *out)
{
    const FdType *const *params = f->node->type->params;
    for (int i = 0; i < a->n; i++) ref_force(r, &a->args[i]);
    if (r->failed) return;
    switch (f->kind) {
    case CELL_USER: ref_call_user(r, f->user, a->n, a->args, a->node, out); return;
    case CELL_MAKE:
        for (int i = 0; i < a->n; i++) {
            int n = fd_type_leaves(params[i]);
            copy(out, leaves_of(&a->args[i], params[i]), n);
            out += n;
        }
        return;
    case CELL_FIELD: copy(out, a->args[0].record + f->at, f->leaves); return;
    default: break;
    }
    if (!r->leaves[f->slot].array) {
        ref_call_closure(r, f, a->args, out);
        return;
    }
    ScalarValue index[FD_MAX_RANK];
    for (int i = 0; i < a->n; i++) index[i] = a->args[i].value;
    read_array(r, f, a->n, index, a->node, 0, f->leaves, out);
}

/* Lets take their arguments by need, operations as their operands. */
void ref_call(Ref *r, Cell *f, Args *a, ScalarValue *out)
{
    f = ref_function_of(f);
    if (!f) {
        ref_fail(r, RT_DOMAIN, a->node, "a function has no value");
    } else if (f->kind == CELL_LET) {
        call_let(r, f, a, out);
    } else if (f->kind == CELL_APPLY) { /* f(x)(y) */
        Mark mark = ref_mark(r);
        RefVar few[FD_MAX_RANK], *inner = ref_vars(r, f->nargs, few);
        for (int i = 0; i < f->nargs; i++) inner[i] = ref_argument(r, f->args[i]);
        Args first = {f->nargs, inner, f->node, a};
        ref_call(r, f->fn, &first, out);
        ref_release(r, mark);
    } else if (a->next) { /* of the host, like all that give functions in other ways */
        ScalarValue given = nothing;
        Args first = {a->n, a->args, a->node, NULL};
        call_strict(r, f, &first, &given);
        if (!r->failed)
            ref_call_value(r, (void *)(uintptr_t)given.i, f->node->type->result, a->next, out);
    } else if (f->kind == CELL_OP) {
        call_op(r, f, a->args, a->node, out);
    } else {
        call_strict(r, f, a, out);
    }
}

ScalarValue *ref_element(Ref *r, Cell *c)
{
    const RefVar *v = c->fn->var;
    int64_t at = 0, index[FD_MAX_RANK];
    FdBox box = {.rank = c->nargs};
    bool inside = true;
    for (int d = 0; d < c->nargs; d++) {
        index[d] = ref_eval(r, c->args[d]).i;
        box.dim[d].hi = v->array->extent[d];
        inside &= index[d] >= 0 && index[d] < box.dim[d].hi;
        at = inside ? at * box.dim[d].hi + index[d] : 0;
    }
    if (!inside && !r->failed) ref_fail_index(r, c->fn, &box, index, c->node);
    return r->failed ? NULL : v->record + at * c->leaves;
}

/* Leaves from..from + n of what an application gives. */
static void eval_apply(Ref *r, Cell *c, int from, int n, ScalarValue *out)
{
    if (c->fn->kind == CELL_VAR && c->fn->var->array) {
        const ScalarValue *e = ref_element(r, c);
        if (e) copy(out, e + from, n);
        return;
    }
    Cell *f = ref_function_of(c->fn);
    if (f && f->kind == CELL_SLOT && r->leaves[f->slot].array) {
        ScalarValue index[FD_MAX_RANK];
        for (int i = 0; i < c->nargs; i++) index[i] = ref_eval(r, c->args[i]);
        if (!r->failed) read_array(r, f, c->nargs, index, c->node, from, n, out);
        return;
    }
    Mark mark = ref_mark(r);
    RefVar few[FD_MAX_RANK], *args = ref_vars(r, c->nargs, few);
    Args a = {c->nargs, args, c->node, NULL};
    ScalarValue *all = n == c->leaves ? out : ref_room(r, c->leaves);
    for (int i = 0; i < c->nargs; i++) args[i] = ref_argument(r, c->args[i]);
    ref_call(r, f, &a, all);
    if (all != out) copy(out, all + from, n);
    ref_release(r, mark);
}

/* ---- values ---------------------------------------------------------------------------- */

ScalarValue ref_eval_more(Ref *r, Cell *c)
{
    if (c->kind == CELL_VAR) return ref_force(r, c->var);
    if (c->kind == CELL_SLOT) return r->leaves[c->slot].scalar;
    uint64_t newest = 0;
    if (c->memo) {
        newest = ref_newest(r, c);
        if (c->stamp == newest) return c->value;
    }
    if (r->failed) return nothing;
    ScalarValue v = nothing;
    switch (c->kind) {
    case CELL_OP: v = eval_op(r, c); break;
    case CELL_APPLY: eval_apply(r, c, 0, 1, &v); break;
    case CELL_REDUCE: ref_reduce(r, c, &v); break;
    case CELL_BOUND: v.i = bound(r, c); break;
    case CELL_FIELD: eval_leaves(r, c->args[0], c->at, 1, &v); break;
    default: break;
    }
    if (r->failed) return nothing;
    if (c->memo) {
        c->value = v;
        c->stamp = newest;
    }
    return v;
}

/* A record's leaves from..from + n, only what they need of it. */
static void eval_part(Ref *r, Cell *c, int from, int n, ScalarValue *out)
{
    switch (c->kind) {
    case CELL_OP: /* select */
        eval_leaves(r, c->args[ref_eval(r, c->args[0]).i ? 1 : 2], from, n, out);
        return;
    case CELL_FIELD: eval_leaves(r, c->args[0], c->at + from, n, out); return;
    case CELL_MAKE:
        for (int i = 0, at = 0; i < c->nargs; i++) {
            int lo = from > at ? from : at, end = at + c->args[i]->leaves;
            int hi = from + n < end ? from + n : end;
            if (lo < hi) eval_leaves(r, c->args[i], lo - at, hi - lo, out + (lo - from));
            at = end;
        }
        return;
    case CELL_APPLY: eval_apply(r, c, from, n, out); return;
    default: break;
    }
    Mark mark = ref_mark(r);
    ScalarValue *all = n == c->leaves ? out : ref_room(r, c->leaves);
    ref_reduce(r, c, all);
    if (all != out) copy(out, all + from, n);
    ref_release(r, mark);
}

static void eval_leaves(Ref *r, Cell *c, int from, int n, ScalarValue *out)
{
    if (!c->is_record) {
        *out = ref_eval(r, c);
        return;
    }
    if (c->kind == CELL_VAR) {
        ref_force(r, c->var);
        copy(out, c->var->record + from, n);
        return;
    }
    if (r->failed) return;
    if (!c->memo) {
        eval_part(r, c, from, n, out);
        return;
    }
    uint64_t newest = ref_newest(r, c);
    if (c->stamp != newest) {
        /* Not into c->record: a variable may go back to where c is evaluated for another scope. */
        Mark mark = ref_mark(r);
        ScalarValue *all = ref_room(r, c->leaves);
        eval_part(r, c, 0, c->leaves, all);
        copy(c->record, all, c->leaves);
        ref_release(r, mark);
        if (!r->failed) c->stamp = newest;
    }
    copy(out, c->record + from, n);
}

void ref_eval_all(Ref *r, Cell *c, ScalarValue *out)
{
    eval_leaves(r, c, 0, c->leaves, out);
}
