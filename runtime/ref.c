/* The evaluator of cells: values on demand, so that only the chosen operand of select, && and || is
 * evaluated, also where lets stand between it and the operation: their arguments are by need. An
 * error sets `failed` and every loop ends; values are zero from there on. Reductions start from the
 * identity where there is one and run with the last index fastest. */
#include "ref.h"

#include "closure.h"
#include "ref_cell.h"

static ScalarValue eval(Ref *r, Cell *c);
static ScalarValue call(Ref *r, Cell *f, int n, RefVar *args, const FdNode *node);

static const ScalarValue nothing;

/* ---- errors ------------------------------------------------------------------------- */

static const char *name_of(const Cell *f)
{
    if (f->kind == CELL_USER) return f->user->user->name;
    return f->node->name; /* NULL: it has none */
}

static ScalarValue fail_index(Ref *r, const Cell *f, const FdBox *box, const int64_t *index,
                              const FdNode *node)
{
    CsSite s = rt_site_of(r->site, r->root->node, node);
    rt_throw_outside(&s, name_of(f), box, index);
    rt_frame_around(&s, r->site);
    r->failed = true;
    return nothing;
}

static ScalarValue fail(Ref *r, RtError kind, const FdNode *node, const char *message)
{
    CsSite s = rt_site_of(r->site, r->root->node, node);
    rt_throw(kind, &s, "%s", message);
    rt_frame_around(&s, r->site);
    r->failed = true;
    return nothing;
}

/* ---- variables ---------------------------------------------------------------------- */

static inline void set(Ref *r, RefVar *v, ScalarValue value)
{
    v->value = value;
    v->lazy = NULL;
    v->epoch = ++r->clock;
}

/* Opens a scope in which the variables have the values and functions of `args`; NULL: those that
 * they have. */
static void enter(Ref *r, Scope *s, int n, RefVar **vars, const RefVar *args)
{
    s->outer = r->scope;
    s->n = n;
    s->vars = vars;
    for (int i = 0; i < n; i++) s->hidden[i] = *vars[i];
    for (int i = 0; args && i < n; i++) {
        *vars[i] = args[i];
        vars[i]->epoch = ++r->clock;
    }
    r->scope = s;
}

static void leave(Ref *r)
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

/* The value of a cell in `to`, an outer scope of s, with s the innermost. */
static ScalarValue eval_outside(Ref *r, Scope *s, Scope *to, Cell *c)
{
    if (s == to) {
        r->scope = s;
        return eval(r, c);
    }
    exchange(s);
    ScalarValue v = eval_outside(r, s->outer, to, c);
    exchange(s);
    return v;
}

static ScalarValue force(Ref *r, RefVar *v)
{
    if (!v->lazy) return v->value;
    Scope *s = r->scope;
    ScalarValue value = eval_outside(r, s, v->scope, v->lazy);
    r->scope = s;
    v->value = value;
    v->lazy = NULL;
    return value;
}

/* The function that a cell stands for, variables of function type followed. */
static Cell *function_of(Cell *f)
{
    while (f && f->kind == CELL_VAR) f = f->var->fn;
    return f;
}

/* ---- operations --------------------------------------------------------------------- */

static inline ScalarValue operate(Ref *r, FdOp op, ScalarKind in, ScalarKind out,
                                  const ScalarValue *a, const FdNode *node)
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
        return fail(r, RT_DIVIDE, node, "integer division by zero");
    return v;
}

static ScalarValue eval_op(Ref *r, Cell *c)
{
    ScalarValue v[3];
    v[0] = eval(r, c->args[0]);
    switch (c->op) {
    case FD_OP_SELECT: return r->failed ? nothing : eval(r, c->args[v[0].i ? 1 : 2]);
    case FD_OP_LAND: return v[0].i && !r->failed ? eval(r, c->args[1]) : nothing;
    case FD_OP_LOR: return v[0].i || r->failed ? v[0] : eval(r, c->args[1]);
    default: break;
    }
    for (int i = 1; i < c->nargs; i++) v[i] = eval(r, c->args[i]);
    if (r->failed) return nothing;
    return operate(r, c->op, c->in, c->out, v, c->node);
}

/* ---- domains ------------------------------------------------------------------------ */

/* One bound of a range; false if it is infinite. Closed ones are fd_eval_bound's, which knows what
 * infinite domains mean; the others depend on variables or on values of arrays. */
static bool range_bound(Ref *r, Cell *c, int64_t *out)
{
    if (c->ndeps == 0 && c->kind != CELL_CONST) {
        FdEnv env = {r->boxes, r->scalars};
        FdBoundStatus s = fd_eval_bound(c->node, &env, out);
        if (s == FD_BOUND_OK) return true;
        if (s == FD_BOUND_INFINITE) return false;
    }
    *out = eval(r, c).i;
    return true;
}

/* LOWER or UPPER of a function; an error if it is infinite. */
static int64_t bound(Ref *r, const Cell *c)
{
    const Cell *f = function_of(c->fn);
    bool upper = c->op == FD_OP_UPPER;
    int64_t v = 0;
    if (f && f->kind == CELL_SLOT) {
        const FdBox *box = &r->boxes[f->slot];
        if (!box->dim[c->dim].full) return upper ? box->dim[c->dim].hi : box->dim[c->dim].lo;
    }
    if (f && f->kind == CELL_LET && f->lo[c->dim] &&
        range_bound(r, upper ? f->hi[c->dim] : f->lo[c->dim], &v))
        return v;
    fail(r, RT_DOMAIN, c->node, "a function with an infinite domain has no bounds");
    return 0;
}

/* ---- applications ------------------------------------------------------------------------------
 */

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

/* A slot that is a function of the host. */
static ScalarValue call_closure(Ref *r, const Cell *f, int n, const ScalarValue *args)
{
    CsValue in[FD_MAX_RANK], out = {0};
    for (int i = 0; i < n; i++) in[i].i = args[i].i;
    r->failed |= !closure_call(r->leaves[f->slot].closure, in, &out, r->site);
    return (ScalarValue){.i = out.i};
}

static ScalarValue read_array(Ref *r, const Cell *f, int n, const ScalarValue *index,
                              const FdNode *node)
{
    const Array *array = r->leaves[f->slot].array;
    if (!array) return call_closure(r, f, n, index);
    const CsArray *a = &array->head;
    int64_t at = 0;
    bool inside = true;
    for (int d = 0; d < n; d++) {
        int64_t x = index[d].i - a->lo[d];
        inside &= (uint64_t)x < (uint64_t)a->n[d];
        at += inside ? x * a->stride[d] : 0;
    }
    if (inside) return load(a->data, at, (ScalarKind)a->elem);
    int64_t plain[FD_MAX_RANK];
    for (int d = 0; d < n; d++) plain[d] = index[d].i;
    FdBox box = rt_array_box(array);
    return fail_index(r, f, &box, plain, node);
}

static bool is_settled(const Cell *c)
{
    for (int i = 0; i < c->ndeps; i++)
        if (c->deps[i]->lazy) return false;
    return true;
}

/* An argument: a function, a value where that is simple to have, else a value by need. */
static RefVar argument(Ref *r, Cell *c)
{
    RefVar v = {.epoch = 0};
    if (c->node->type->result) {
        v.fn = function_of(c);
    } else if (c->steps && is_settled(c)) {
        v.value = eval(r, c);
    } else {
        v.lazy = c;
        v.scope = r->scope;
    }
    return v;
}

static void values_to_args(int n, const ScalarValue *values, RefVar *args)
{
    for (int i = 0; i < n; i++) args[i] = (RefVar){.value = values[i]};
}

/* Arguments in a dimension with a range are evaluated first, to be checked. Where the let gives a
 * function, that is applied to args2. */
static ScalarValue call_let(Ref *r, Cell *f, int n, RefVar *args, const FdNode *node, int n2,
                            RefVar *args2)
{
    for (int d = 0; d < n; d++)
        if (f->lo[d]) force(r, &args[d]);
    if (r->failed) return nothing;
    Scope scope;
    enter(r, &scope, n, f->vars, args);
    FdBox box = {.rank = n};
    bool inside = true;
    for (int d = 0; d < n && !r->failed; d++) {
        box.dim[d].full = !f->lo[d] || !range_bound(r, f->lo[d], &box.dim[d].lo) ||
                          !range_bound(r, f->hi[d], &box.dim[d].hi);
        if (box.dim[d].full) continue;
        int64_t i = args[d].value.i;
        inside &= i >= box.dim[d].lo && i < box.dim[d].hi;
    }
    ScalarValue v = nothing;
    if (!r->failed && inside) {
        v = args2 ? call(r, f->body, n2, args2, node) : eval(r, f->body);
    } else if (!r->failed) {
        int64_t index[FD_MAX_RANK];
        for (int d = 0; d < n; d++) index[d] = force(r, f->vars[d]).i;
        if (!r->failed) fail_index(r, f, &box, index, node);
    }
    leave(r);
    return v;
}

/* ---- user functions -----------------------------------------------------------------------------
 */

typedef enum Flow { GO_ON, BREAK, CONTINUE, RETURN } Flow;

static Flow run(Ref *r, const RefStmt *s, ScalarValue *result)
{
    for (; s && !r->failed; s = s->next) {
        Flow flow = GO_ON;
        switch (s->kind) {
        case FD_STMT_SET: set(r, s->var, eval(r, s->expr)); break;
        case FD_STMT_IF: flow = run(r, eval(r, s->expr).i ? s->body : s->other, result); break;
        case FD_STMT_LOOP:
            do {
                flow = run(r, s->body, result);
                if (flow == GO_ON || flow == CONTINUE) flow = run(r, s->other, result);
            } while (flow == GO_ON && !r->failed);
            if (flow == BREAK) flow = GO_ON;
            break;
        case FD_STMT_BREAK: return BREAK;
        case FD_STMT_CONTINUE: return CONTINUE;
        case FD_STMT_RETURN: *result = eval(r, s->expr); return RETURN;
        }
        if (flow != GO_ON) return flow;
    }
    return GO_ON;
}

static ScalarValue call_native(Ref *r, RefUser *u, int n, const RefVar *args, const FdNode *node)
{
    if (!u->native) u->native = rt_native_find(u->user->name);
    if (!u->native) return fail(r, RT_DOMAIN, node, "a host function is missing in this program");
    CsValue in[FD_MAX_RANK], out = {0};
    for (int i = 0; i < n; i++) {
        in[i].i = args[i].value.i;
        if (!u->user->type->params[i]->result) continue;
        Cell *f = args[i].fn;
        if (!f || f->kind != CELL_SLOT)
            return fail(r, RT_DOMAIN, node,
                        "a host function can be given arrays only, no expressions");
        const RtLeaf *leaf = &r->leaves[f->slot];
        in[i].ref = leaf->array ? (void *)leaf->array : leaf->closure;
    }
    u->native->call(NULL, in, &out);
    if (cs_pending) {
        if (r->site) cs_frame(r->site);
        r->failed = true;
    }
    return (ScalarValue){.i = out.i};
}

static ScalarValue call_user(Ref *r, RefUser *u, int n, const RefVar *args, const FdNode *node)
{
    if (!u->body) return call_native(r, u, n, args, node);
    Scope scope;
    ScalarValue v = nothing;
    enter(r, &scope, n, u->params, args);
    run(r, u->body, &v);
    leave(r);
    return v;
}

static ScalarValue call_op(Ref *r, Cell *f, int n, RefVar *args, const FdNode *node)
{
    ScalarValue v[FD_MAX_RANK];
    v[0] = force(r, &args[0]);
    switch (f->op) {
    case FD_OP_SELECT: return r->failed ? nothing : force(r, &args[v[0].i ? 1 : 2]);
    case FD_OP_LAND: return v[0].i && !r->failed ? force(r, &args[1]) : nothing;
    case FD_OP_LOR: return v[0].i || r->failed ? v[0] : force(r, &args[1]);
    default: break;
    }
    for (int i = 1; i < n; i++) v[i] = force(r, &args[i]);
    return r->failed ? nothing : operate(r, f->op, f->in, f->out, v, node);
}

/* Calls function f. Lets take their arguments by need, operations as their operands; everything
 * else has them evaluated. */
static ScalarValue call(Ref *r, Cell *f, int n, RefVar *args, const FdNode *node)
{
    f = function_of(f);
    if (!f) return fail(r, RT_DOMAIN, node, "a function has no value");
    if (f->kind == CELL_LET) return call_let(r, f, n, args, node, 0, NULL);
    if (f->kind == CELL_OP) return call_op(r, f, n, args, node);
    if (f->kind == CELL_APPLY) { /* f(x)(y): the let behind f gives a function */
        Cell *g = function_of(f->fn);
        if (g && g->kind == CELL_LET) {
            RefVar inner[FD_MAX_RANK];
            for (int i = 0; i < f->nargs; i++) inner[i] = argument(r, f->args[i]);
            return call_let(r, g, f->nargs, inner, f->node, n, args);
        }
    }
    ScalarValue values[FD_MAX_RANK];
    for (int i = 0; i < n; i++) values[i] = force(r, &args[i]);
    if (r->failed) return nothing;
    if (f->kind == CELL_SLOT) return read_array(r, f, n, values, node);
    if (f->kind == CELL_USER) return call_user(r, f->user, n, args, node);
    return fail(r, RT_DOMAIN, node, "a function is made in a way that cannot be evaluated");
}

static ScalarValue eval_apply(Ref *r, Cell *c)
{
    Cell *f = function_of(c->fn);
    if (f && f->kind == CELL_SLOT) {
        ScalarValue index[FD_MAX_RANK];
        for (int i = 0; i < c->nargs; i++) index[i] = eval(r, c->args[i]);
        return r->failed ? nothing : read_array(r, f, c->nargs, index, c->node);
    }
    RefVar args[FD_MAX_RANK];
    for (int i = 0; i < c->nargs; i++) args[i] = argument(r, c->args[i]);
    return call(r, f, c->nargs, args, c->node);
}

/* ---- reductions ---------------------------------------------------------------------------------
 */

typedef struct Fold {
    Cell *cell;
    FdOp op; /* of an elementary combiner */
    ScalarValue sum;
    bool any;
} Fold;

static ScalarValue combine(Ref *r, Cell *c, const ScalarValue *values)
{
    RefVar args[2];
    values_to_args(2, values, args);
    return call(r, c->fn, 2, args, c->node);
}

static void fold(Ref *r, Fold *f, int d)
{
    Cell *c = f->cell;
    if (d == c->nvars) {
        ScalarValue v[2] = {f->sum, eval(r, c->body)};
        if (r->failed) return;
        if (!f->any)
            f->sum = v[1];
        else if (f->op != FD_OP_NONE)
            f->sum = operate(r, f->op, c->body->out, c->out, v, c->node);
        else
            f->sum = combine(r, c, v);
        f->any = true;
        return;
    }
    int64_t lo, hi;
    if (!c->lo[d] || !range_bound(r, c->lo[d], &lo) || !range_bound(r, c->hi[d], &hi)) {
        fail(r, RT_DOMAIN, c->node, "a reduction over an infinite domain");
        return;
    }
    for (int64_t i = lo; i < hi && !r->failed; i++) {
        set(r, c->vars[d], (ScalarValue){.i = i});
        fold(r, f, d + 1);
    }
}

static ScalarValue eval_reduce(Ref *r, Cell *c)
{
    Fold f = {.cell = c, .op = c->fn->kind == CELL_OP ? c->fn->op : FD_OP_NONE};
    if (f.op != FD_OP_NONE) f.any = fd_op_identity(f.op, c->out, &f.sum);
    Scope scope;
    enter(r, &scope, c->nvars, c->vars, NULL);
    fold(r, &f, 0);
    leave(r);
    if (!f.any && !r->failed)
        return fail(r, RT_DOMAIN, c->node,
                    f.op == FD_OP_MIN   ? "min of an empty domain"
                    : f.op == FD_OP_MAX ? "max of an empty domain"
                                        : "a reduction without identity over an empty domain");
    return r->failed ? nothing : f.sum;
}

/* ---- values
 * -------------------------------------------------------------------------------------- */

static ScalarValue eval(Ref *r, Cell *c)
{
    switch (c->kind) {
    case CELL_CONST: return c->value;
    case CELL_VAR: return force(r, c->var);
    case CELL_SLOT: return r->leaves[c->slot].scalar;
    default: break;
    }
    uint64_t newest = r->start;
    if (c->memo) {
        for (int i = 0; i < c->ndeps; i++)
            if (c->deps[i]->epoch > newest) newest = c->deps[i]->epoch;
        if (c->stamp == newest) return c->value;
    }
    if (r->failed) return nothing;
    ScalarValue v = nothing;
    switch (c->kind) {
    case CELL_OP: v = eval_op(r, c); break;
    case CELL_APPLY: v = eval_apply(r, c); break;
    case CELL_REDUCE: v = eval_reduce(r, c); break;
    case CELL_BOUND: v.i = bound(r, c); break;
    default: break;
    }
    if (c->memo && !r->failed) {
        c->value = v;
        c->stamp = newest;
    }
    return v;
}

/* ---- entries
 * ---------------------------------------------------------------------------------------- */

static void start(Ref *r, const RtLeaf *leaves, const CsSite *site)
{
    r->leaves = leaves;
    r->site = site;
    r->failed = false;
    r->scope = NULL;
    r->start = ++r->clock;
    for (int i = 0; i < r->nslots; i++)
        if (leaves[i].array)
            r->boxes[i] = rt_array_box(leaves[i].array);
        else if (leaves[i].closure)
            r->boxes[i] = *closure_box(leaves[i].closure);
        else
            r->scalars[i] = leaves[i].scalar;
}

bool ref_scalar(Ref *r, const RtLeaf *leaves, const CsSite *site, ScalarValue *out)
{
    start(r, leaves, site);
    *out = eval(r, r->root);
    return !r->failed;
}

bool ref_point(Ref *r, const RtLeaf *leaves, const CsSite *site, const ScalarValue *args,
               ScalarValue *out)
{
    start(r, leaves, site);
    int n = r->root->node->type->nparams;
    RefVar given[FD_MAX_RANK];
    values_to_args(n, args, given);
    *out = call(r, r->root, n, given, NULL);
    return !r->failed;
}

typedef struct Filler {
    const FdBox *box;
    char *out;
    size_t bytes;
    ScalarKind kind;
    ScalarValue index[FD_MAX_RANK];
} Filler;

static void fill(Ref *r, Filler *f, int d)
{
    Cell *root = r->root;
    bool let = root->kind == CELL_LET;
    if (d == f->box->rank) {
        RefVar args[FD_MAX_RANK];
        if (!let) values_to_args(d, f->index, args);
        ScalarValue v = let ? eval(r, root->body) : call(r, root, d, args, NULL);
        scalar_store(f->out, f->kind, v);
        f->out += f->bytes;
        return;
    }
    for (int64_t i = f->box->dim[d].lo; i < f->box->dim[d].hi && !r->failed; i++) {
        f->index[d].i = i;
        if (let) set(r, root->vars[d], f->index[d]);
        fill(r, f, d + 1);
    }
}

bool ref_fill(Ref *r, const RtLeaf *leaves, const CsSite *site, const FdBox *box, void *out)
{
    start(r, leaves, site);
    ScalarKind k = r->root->node->type->result->scalar;
    Filler f = {.box = box, .out = out, .bytes = scalar_bytes(k), .kind = k};
    fill(r, &f, 0);
    return !r->failed;
}
