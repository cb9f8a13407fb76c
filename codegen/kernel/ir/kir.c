/* Kernel IR builders. Index arithmetic, operations on integers that are known and branches that they decide
 * are folded here, so that schedules can be written without caring for strides of 1 and offsets of 0. */
#include "kir.h"

#include <string.h>

KirType kir_type(int kind, int lanes)
{
    return (KirType){.kind = kind, .lanes = lanes};
}

static size_t kir_align(KirType t)
{
    if (t.kind != KIR_RECORD) return kir_bytes(t);
    size_t align = 1;
    for (int i = 0; i < t.record->nfields; i++) {
        size_t n = kir_align(t.record->types[i]);
        align = n > align ? n : align;
    }
    return align;
}

size_t kir_bytes(KirType t)
{
    if (t.kind == SC_BOOL || t.kind == SC_HALF) return 4;
    if (t.kind != KIR_RECORD) return scalar_bytes((ScalarKind)t.kind);
    size_t bytes = 0, widest = 1;
    for (int i = 0; i < t.record->nfields; i++) { /* as C lays out a struct */
        size_t n = kir_bytes(t.record->types[i]), align = kir_align(t.record->types[i]);
        bytes = (bytes + align - 1) / align * align + n;
        widest = align > widest ? align : widest;
    }
    return (bytes + widest - 1) / widest * widest;
}

static KirExpr *expr_new(Arena *a, KirExprKind kind, KirType t, int n, const KirExpr *const *args)
{
    KirExpr *e = arena_new_of(a, KirExpr);
    e->kind = kind;
    e->type = t;
    e->nargs = n;
    if (n) e->args = arena_copy(a, args, sizeof *args * (size_t)n);
    for (int i = 0; i < n; i++)
        if (args[i]->depth >= e->depth) e->depth = args[i]->depth + 1;
    return e;
}

const KirExpr *kir_const(Arena *a, ScalarKind k, ScalarValue v)
{
    KirExpr *e = expr_new(a, KIR_CONST, kir_type((int)k, 1), 0, NULL);
    e->value = v;
    return e;
}

const KirExpr *kir_int(Arena *a, int64_t v)
{
    KirExpr *e = expr_new(a, KIR_CONST, kir_type(KIR_IDX, 1), 0, NULL);
    e->value.i = v;
    return e;
}

const KirExpr *kir_name(Arena *a, KirType t, const char *name)
{
    KirExpr *e = expr_new(a, KIR_NAME, t, 0, NULL);
    e->name = name;
    return e;
}

const KirExpr *kir_elem(Arena *a, KirType t, const char *name, int n, const KirExpr *const *index)
{
    KirExpr *e = expr_new(a, KIR_ELEM, t, n, index);
    e->name = name;
    return e;
}

const KirExpr *kir_load(Arena *a, KirType t, const char *buffer, const KirExpr *offset)
{
    KirExpr *e = expr_new(a, KIR_LOAD, t, 1, &offset);
    e->name = buffer;
    return e;
}

const KirExpr *kir_gather(Arena *a, KirType t, const char *buffer, const KirExpr *offset,
                          const KirExpr *each, const KirExpr *mask)
{
    const KirExpr *args[] = {offset, each, mask};
    KirExpr *e = expr_new(a, KIR_GATHER, t, mask ? 3 : 2, args);
    e->name = buffer;
    return e;
}

const KirExpr *kir_steps(Arena *a, KirType t, const char *buffer, const KirExpr *offset, int step)
{
    KirExpr *e = expr_new(a, KIR_STEPS, t, 1, &offset);
    e->name = buffer;
    e->value.i = step;
    return e;
}

/* A number of the language's, not of indices, no real: what is written of those stays. */
static bool is_integer(const KirExpr *e)
{
    return e->kind == KIR_CONST && e->type.kind < SC_COUNT &&
           !scalar_is_real((ScalarKind)e->type.kind);
}

/* What an operation on numbers gives; NULL: one of them is none. */
static const KirExpr *folded(Arena *a, FdOp op, KirType t, int n, const KirExpr *const *args)
{
    ScalarValue values[3], v;
    if (op == FD_OP_SELECT && args[0]->kind == KIR_CONST) return args[args[0]->value.i ? 1 : 2];
    for (int i = 0; i < n; i++) {
        if (op == FD_OP_SELECT || !is_integer(args[i])) return NULL;
        values[i] = args[i]->value;
    }
    ScalarKind k = (ScalarKind)args[0]->type.kind, to = (ScalarKind)t.kind;
    return fd_op_eval(op, k, to, values, &v) == FD_EVAL_OK ? kir_const(a, to, v) : NULL;
}

const KirExpr *kir_op(Arena *a, FdOp op, KirType t, int n, const KirExpr *const *args)
{
    const KirExpr *known = folded(a, op, t, n, args);
    if (known && known->type.kind == t.kind && known->type.lanes == t.lanes) return known;
    KirExpr *e = expr_new(a, KIR_OP, t, n, args);
    e->op = op;
    return e;
}

const KirExpr *kir_convert(Arena *a, KirType t, const KirExpr *e)
{
    t.lanes = e->type.lanes;
    return e->type.kind == t.kind ? e : expr_new(a, KIR_CONVERT, t, 1, &e);
}

const KirExpr *kir_bits(Arena *a, int kind, const KirExpr *e)
{
    return expr_new(a, KIR_BITS, kir_type(kind, e->type.lanes), 1, &e);
}

const KirExpr *kir_splat(Arena *a, int lanes, const KirExpr *e)
{
    return e->type.lanes == lanes ? e
                                  : expr_new(a, KIR_SPLAT, kir_type(e->type.kind, lanes), 1, &e);
}

const KirExpr *kir_lane_count(Arena *a, int lanes)
{
    if (lanes > 0) return kir_int(a, lanes);
    return kir_name(a, kir_type(KIR_IDX, 1), arena_printf(a, "V%d", -lanes));
}

const KirExpr *kir_iota(Arena *a, KirType t)
{
    return expr_new(a, KIR_IOTA, t, 0, NULL);
}

const KirExpr *kir_swizzle(Arena *a, const KirExpr *e, const char *lanes)
{
    KirExpr *s = expr_new(a, KIR_SWIZZLE, kir_type(e->type.kind, (int)strlen(lanes)), 1, &e);
    s->name = lanes;
    return s;
}

const KirExpr *kir_make(Arena *a, KirType record, const KirExpr *const *fields)
{
    return expr_new(a, KIR_MAKE, record, record.record->nfields, fields);
}

const KirExpr *kir_member(Arena *a, const KirExpr *e, int field)
{
    if (e->kind == KIR_MAKE) return e->args[field];
    const KirRecord *r = e->type.record;
    KirExpr *m = expr_new(a, KIR_MEMBER, r->types[field], 1, &e);
    m->name = r->names[field];
    m->value.i = field;
    return m;
}

static bool is_number(const KirExpr *e, int64_t v)
{
    return e->kind == KIR_CONST && e->type.kind == KIR_IDX && e->value.i == v;
}

static bool kir_same(const KirExpr *x, const KirExpr *y)
{
    return x == y || (x->kind == KIR_NAME && y->kind == KIR_NAME && strcmp(x->name, y->name) == 0);
}

const KirExpr *kir_arith(Arena *a, FdOp op, const KirExpr *x, const KirExpr *y)
{
    bool numbers = x->kind == KIR_CONST && y->kind == KIR_CONST && x->type.kind == KIR_IDX &&
                   y->type.kind == KIR_IDX;
    int64_t p = x->value.i, q = y->value.i;
    switch (op) {
    case FD_OP_ADD:
        if (numbers) return kir_int(a, p + q);
        if (is_number(x, 0)) return y;
        if (is_number(y, 0)) return x;
        break;
    case FD_OP_SUB:
        if (numbers) return kir_int(a, p - q);
        if (is_number(y, 0)) return x;
        if (kir_same(x, y)) return kir_int(a, 0);
        break;
    case FD_OP_MUL:
        if (numbers) return kir_int(a, p * q);
        if (is_number(x, 0) || is_number(y, 1)) return x;
        if (is_number(y, 0) || is_number(x, 1)) return y;
        break;
    case FD_OP_DIV:
        if (is_number(y, 1)) return x;
        break;
    default: break;
    }
    KirExpr *e = expr_new(a, KIR_ARITH, kir_type(KIR_IDX, 1), 2, (const KirExpr *[]){x, y});
    e->op = op;
    return e;
}

bool kir_divides_plainly(const KirExpr *e)
{
    if (e->kind == KIR_SPLAT) e = e->args[0];
    return e->kind == KIR_CONST && e->value.i != 0 && e->value.i != -1;
}

const KirExpr *kir_min(Arena *a, const KirExpr *x, const KirExpr *y)
{
    if (kir_same(x, y)) return x;
    return kir_intrinsic(a, kir_type(KIR_IDX, 1), INTR_MIN, (const KirExpr *[]){x, y});
}

const KirExpr *kir_max(Arena *a, const KirExpr *x, const KirExpr *y)
{
    if (kir_same(x, y)) return x;
    return kir_intrinsic(a, kir_type(KIR_IDX, 1), INTR_MAX, (const KirExpr *[]){x, y});
}

const KirExpr *kir_call(Arena *a, KirType t, const char *name, int n, const KirExpr *const *args)
{
    KirExpr *e = expr_new(a, KIR_CALL, t, n, args);
    e->name = name;
    return e;
}

static KirExpr *intrinsic_new(Arena *a, KirType t, Intrinsic which, const KirExpr *const *args)
{
    KirExpr *e = expr_new(a, KIR_INTRINSIC, t, intrinsic_arguments(which), args);
    e->intrinsic = which;
    return e;
}

const KirExpr *kir_intrinsic(Arena *a, KirType t, Intrinsic which, const KirExpr *const *args)
{
    return intrinsic_new(a, t, which, args);
}

const KirExpr *kir_moved(Arena *a, Intrinsic how, int by, const KirExpr *x, const KirExpr *y)
{
    KirExpr *e = intrinsic_new(a, x->type, how, (const KirExpr *[]){x, y});
    e->value.i = by;
    return e;
}

static void halves(Arena *a, const KirExpr *x, const KirExpr *y, const KirExpr **out)
{
    const KirExpr *both[] = {x, y};
    out[0] = kir_intrinsic(a, x->type, INTR_LOW, both);
    out[1] = kir_intrinsic(a, x->type, INTR_HIGH, both);
}

void kir_in_turn(Arena *a, int n, const KirExpr *const *vectors, const KirExpr **out)
{
    const KirExpr *even[2], *odd[2];
    if (n == 3)
        for (int i = 0; i < 3; i++) {
            KirExpr *e = intrinsic_new(a, vectors[0]->type, INTR_THIRD, vectors);
            e->value.i = i;
            out[i] = e;
        }
    if (n == 2) halves(a, vectors[0], vectors[1], out);
    if (n != 4) return;
    halves(a, vectors[0], vectors[2], even);
    halves(a, vectors[1], vectors[3], odd);
    for (int i = 0; i < 2; i++) halves(a, even[i], odd[i], &out[2 * i]);
}

const KirExpr *kir_any(Arena *a, const KirExpr *mask)
{
    return kir_intrinsic(a, kir_type(SC_BOOL, 1), INTR_ANY, &mask);
}

bool kir_is(const KirExpr *e, Intrinsic which)
{
    return e->kind == KIR_INTRINSIC && e->intrinsic == which;
}

/* ---- statements --------------------------------------------------------------------------- */

void kir_append(KirBlock *b, KirStmt *s)
{
    s->next = NULL;
    if (b->last)
        b->last->next = s;
    else
        b->first = s;
    b->last = s;
}

static KirStmt *stmt_new(Arena *a, KirBlock *b, KirStmtKind kind)
{
    KirStmt *s = arena_new_of(a, KirStmt);
    s->kind = kind;
    kir_append(b, s);
    return s;
}

KirStmt *kir_decl(Arena *a, KirBlock *b, KirType t, const char *name, const KirExpr *init)
{
    KirStmt *s = stmt_new(a, b, KIR_DECL);
    s->type = t;
    s->name = name;
    s->expr = init;
    return s;
}

void kir_plane(Arena *a, KirBlock *b, KirType t, const char *name, const char *buffer,
               const KirExpr *offset, bool writable)
{
    KirStmt *s = stmt_new(a, b, KIR_PLANE);
    s->type = t;
    s->name = name;
    s->of = buffer;
    s->expr = offset;
    s->writable = writable;
}

KirStmt *kir_array(Arena *a, KirBlock *b, KirType t, const char *name, bool local, int ndims,
                   const KirExpr *const *dims)
{
    KirStmt *s = kir_decl(a, b, t, name, NULL);
    s->local = local;
    s->ndims = ndims;
    for (int i = 0; i < ndims; i++) s->dims[i] = dims[i];
    return s;
}

void kir_set(Arena *a, KirBlock *b, const KirExpr *target, const KirExpr *e)
{
    KirStmt *s = stmt_new(a, b, KIR_SET);
    s->target = target;
    s->expr = e;
}

void kir_store(Arena *a, KirBlock *b, const char *buffer, const KirExpr *offset, const KirExpr *e)
{
    KirStmt *s = stmt_new(a, b, KIR_STORE);
    s->name = buffer;
    s->target = offset;
    s->expr = e;
    s->type = e->type;
}

void kir_stream(Arena *a, KirBlock *b, const char *buffer, const KirExpr *offset, const KirExpr *e)
{
    kir_store(a, b, buffer, offset, e);
    b->last->stream = e->type.lanes < 0;
}

void kir_for(Arena *a, KirBlock *b, const char *var, const KirExpr *lo, const KirExpr *hi,
             const KirExpr *step, bool unroll, KirBlock body)
{
    KirStmt *s = stmt_new(a, b, KIR_FOR);
    s->name = var;
    s->lo = lo;
    s->hi = hi;
    s->step = step;
    s->unroll = unroll;
    s->body = body.first;
}

void kir_loop(Arena *a, KirBlock *b, KirBlock body, KirBlock step, bool unroll)
{
    KirStmt *s = stmt_new(a, b, KIR_LOOP);
    s->body = body.first;
    s->other = step.first;
    s->unroll = unroll;
}

/* Does nothing that follows run? */
static bool ends(const KirStmt *s)
{
    return s->kind == KIR_BREAK || s->kind == KIR_CONTINUE || s->kind == KIR_RETURN;
}

void kir_if(Arena *a, KirBlock *b, const KirExpr *cond, KirBlock then, const KirBlock *other)
{
    if (cond && cond->kind == KIR_CONST) {
        const KirBlock none = {0}, taken = cond->value.i ? then : other ? *other : none;
        if (!taken.first) return;
        if (!ends(taken.last)) { /* its variables stay in it */
            cond = NULL;
            then = taken;
            other = NULL;
        }
    }
    KirStmt *s = stmt_new(a, b, KIR_IF);
    s->expr = cond;
    s->body = then.first;
    s->other = other ? other->first : NULL;
}

void kir_simple(Arena *a, KirBlock *b, KirStmtKind kind)
{
    stmt_new(a, b, kind);
}

void kir_return(Arena *a, KirBlock *b, const KirExpr *e)
{
    stmt_new(a, b, KIR_RETURN)->expr = e;
}

void kir_eval(Arena *a, KirBlock *b, const KirExpr *call)
{
    stmt_new(a, b, KIR_EVAL)->expr = call;
}
