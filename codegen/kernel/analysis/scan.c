/* The algebra of scans (scan.h). */
#include "scan.h"

/* ---- the operations between the element before and the element -------------------------------- */

enum {
    HAS_ADD = 1,
    HAS_MUL = 2,
    HAS_NEG = 4, /* x - s */
    HAS_MIN = 8,
    HAS_MAX = 16,
    HAS_AND = 32,
    HAS_OR = 64,
    HAS_XOR = 128,
    HAS_CHOICE = 256
};

typedef struct Finder {
    Unit *u;
    const Interior *in;
    const FdNode *read, *self;
    ScalarKind kind;
    FdOp add, mul; /* FD_OP_NONE: the step has none */
    bool resets;
} Finder;

static bool depends(const Finder *f, const FdNode *n)
{
    return fd_uses_var(n, f->self);
}

/* NONE: not one of a step's. */
static int role_of(FdOp op, ScalarKind k)
{
    bool real = scalar_is_real(k);
    switch (op) {
    case FD_OP_ADD:
    case FD_OP_SUB: return HAS_ADD;
    case FD_OP_MUL: return HAS_MUL;
    case FD_OP_DIV: return real ? HAS_MUL : 0;
    case FD_OP_MIN: return HAS_MIN;
    case FD_OP_MAX: return HAS_MAX;
    case FD_OP_LAND:
    case FD_OP_BITAND: return HAS_AND;
    case FD_OP_LOR:
    case FD_OP_BITOR: return HAS_OR;
    case FD_OP_BITXOR: return HAS_XOR;
    case FD_OP_SELECT: return HAS_CHOICE;
    default: return 0;
    }
}

/* The roles on the way from n down to the read; 0 and *fits false if it is no step. */
static unsigned roles(const Finder *f, const FdNode *n, bool *fits, int deep)
{
    enum { DEEPEST = 64 };
    if (n == f->read || !depends(f, n)) return 0;
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    unsigned role = op == FD_OP_NONE ? 0 : (unsigned)role_of(op, f->kind), all = role;
    int on_way = 0;
    if (!role || deep == DEEPEST || n->type->record || result_kind(n) != f->kind) *fits = false;
    for (int i = 0; *fits && i < n->nargs; i++) {
        if (!depends(f, n->args[i])) continue;
        on_way++;
        if ((op == FD_OP_SELECT && i == 0) || (op == FD_OP_DIV && i == 1)) *fits = false;
        if (op == FD_OP_SUB && i == 1) all |= HAS_NEG;
        all |= roles(f, n->args[i], fits, deep + 1);
    }
    if (on_way > 1 && op != FD_OP_SELECT) *fits = false;
    return *fits ? all : 0;
}

/* What plays + and *. max and + of integers do not distribute: sums wrap. */
static bool choose_ring(Finder *f, unsigned roles)
{
    static const struct {
        unsigned roles;
        FdOp add, mul;
        bool reals;
    } rings[] = {{0, FD_OP_NONE, FD_OP_NONE, false},
                 {HAS_ADD, FD_OP_ADD, FD_OP_NONE, false},
                 {HAS_MUL, FD_OP_NONE, FD_OP_MUL, false},
                 {HAS_ADD | HAS_MUL | HAS_NEG, FD_OP_ADD, FD_OP_MUL, false},
                 {HAS_MAX, FD_OP_MAX, FD_OP_NONE, false},
                 {HAS_MIN, FD_OP_MIN, FD_OP_NONE, false},
                 {HAS_MAX | HAS_ADD, FD_OP_MAX, FD_OP_ADD, true},
                 {HAS_MIN | HAS_ADD, FD_OP_MIN, FD_OP_ADD, true},
                 {HAS_MAX | HAS_MIN, FD_OP_MAX, FD_OP_MIN, false},
                 {HAS_AND, FD_OP_BITAND, FD_OP_NONE, false},
                 {HAS_OR, FD_OP_BITOR, FD_OP_NONE, false},
                 {HAS_XOR, FD_OP_BITXOR, FD_OP_NONE, false},
                 {HAS_OR | HAS_AND, FD_OP_BITOR, FD_OP_BITAND, false},
                 {HAS_XOR | HAS_AND, FD_OP_BITXOR, FD_OP_BITAND, false}};
    unsigned asked = roles & ~(unsigned)HAS_CHOICE;
    for (size_t i = 0; i < sizeof rings / sizeof *rings; i++) {
        if (asked & ~rings[i].roles) continue;
        if (rings[i].reals && !scalar_is_real(f->kind)) continue;
        f->add = rings[i].add;
        f->mul = rings[i].mul;
        return true;
    }
    return false;
}

/* ---- steps ------------------------------------------------------------------------------------- */

typedef struct Step { /* NULL: the number that changes nothing */
    const FdNode *mul, *add, *reset;
} Step;

static const FdNode *op2(Finder *f, FdOp op, const FdNode *x, const FdNode *y)
{
    const FdNode *args[] = {x, y};
    return fd_simple_op(f->u->fd, op, f->kind, 2, args);
}

static const FdNode *choice(Finder *f, const FdNode *c, const FdNode *x, const FdNode *y)
{
    if (x == y) return x;
    const FdNode *args[] = {c, x, y};
    return fd_simple_op(f->u->fd, FD_OP_SELECT, x->type->scalar, 3, args);
}

static const FdNode *truth(Finder *f, bool v)
{
    return fd_const(f->u->fd, SC_BOOL, (ScalarValue){.i = v});
}

/* The value that x op value == x has. */
static const FdNode *neutral(Finder *f, FdOp op)
{
    ScalarValue v;
    fd_op_neutral(op, f->kind, &v);
    return fd_const(f->u->fd, f->kind, v);
}

static const FdNode *one(Finder *f)
{
    return neutral(f, f->mul);
}

static const FdNode *nothing(Finder *f)
{
    return neutral(f, f->add == FD_OP_NONE ? FD_OP_ADD : f->add);
}

static const FdNode *negated(Finder *f, const FdNode *x)
{
    return op2(f, FD_OP_SUB, fd_const(f->u->fd, f->kind, (ScalarValue){.i = 0}), x);
}

/* x + y or x * y after a step, y not of it. */
static Step then(Finder *f, Step s, FdOp op, const FdNode *y)
{
    if (op == f->mul) {
        s.mul = s.mul ? op2(f, op, s.mul, y) : y;
        if (s.add) s.add = op2(f, op, s.add, y);
    } else {
        s.add = s.add ? op2(f, op, s.add, y) : y;
    }
    return s;
}

static Step step_of(Finder *f, const FdNode *n);

static Step chosen(Finder *f, const FdNode *n)
{
    const FdNode *c = n->args[0];
    Step s[2];
    for (int i = 0; i < 2; i++) {
        const FdNode *x = n->args[i + 1];
        s[i] = depends(f, x) ? step_of(f, x) : (Step){.add = x, .reset = truth(f, true)};
    }
    Step all = {NULL, NULL, NULL};
    f->resets = f->resets || s[0].reset || s[1].reset;
    if (s[0].reset || s[1].reset)
        all.reset = choice(f, c, s[0].reset ? s[0].reset : truth(f, false),
                           s[1].reset ? s[1].reset : truth(f, false));
    if (s[0].mul || s[1].mul)
        all.mul = choice(f, c, s[0].mul ? s[0].mul : one(f), s[1].mul ? s[1].mul : one(f));
    if (s[0].add || s[1].add)
        all.add = choice(f, c, s[0].add ? s[0].add : nothing(f), s[1].add ? s[1].add : nothing(f));
    return all;
}

static FdOp as_bits(FdOp op)
{
    return op == FD_OP_LAND ? FD_OP_BITAND : op == FD_OP_LOR ? FD_OP_BITOR : op;
}

static Step step_of(Finder *f, const FdNode *n)
{
    if (n == f->read) return (Step){NULL, NULL, NULL};
    FdOp op = as_bits(fd_op_of(n));
    if (op == FD_OP_SELECT) return chosen(f, n);
    bool left = depends(f, n->args[0]);
    const FdNode *y = n->args[left];
    Step s = step_of(f, n->args[!left]);
    if (op == FD_OP_SUB && !left) { /* y - s */
        const FdNode *minus = negated(
            f, fd_const(f->u->fd, f->kind,
                        scalar_is_real(f->kind) ? (ScalarValue){.f = 1} : (ScalarValue){.i = 1}));
        return then(f, then(f, s, FD_OP_MUL, minus), FD_OP_ADD, y);
    }
    if (op == FD_OP_SUB) return then(f, s, FD_OP_ADD, negated(f, y));
    if (op == FD_OP_DIV) {
        const FdNode *whole = fd_const(f->u->fd, f->kind, (ScalarValue){.f = 1});
        return then(f, s, FD_OP_MUL, op2(f, FD_OP_DIV, whole, y));
    }
    return then(f, s, op, y);
}

/* ---- two steps after each other ---------------------------------------------------------------- */

/* (x * mul) + add, or add where it resets; NULL: not there. */
static const FdNode *applied(Finder *f, const FdNode *x, const FdNode *mul, const FdNode *add,
                             const FdNode *reset)
{
    if (mul) x = op2(f, f->mul, x, mul);
    const FdNode *sum = add && f->add != FD_OP_NONE ? op2(f, f->add, x, add) : x;
    return reset ? choice(f, reset, add, sum) : sum;
}

static void compose(Finder *f, Scan *s, const Step *step)
{
    const FdType *t = fd_type_scalar(f->u->fd, f->kind), *b = fd_type_scalar(f->u->fd, SC_BOOL);
    const FdNode *x[3] = {NULL, NULL, NULL}, *y[3] = {NULL, NULL, NULL};
    const FdNode *parts[3] = {step->mul, step->add, step->reset};
    if (f->resets && !parts[1]) parts[1] = nothing(f);
    s->before = fd_var(f->u->fd, t, "before");
    for (int i = 0; i < 3; i++) {
        if (!parts[i]) continue;
        const FdType *type = i == 2 ? b : t;
        x[i] = s->first[s->n] = fd_var(f->u->fd, type, "x");
        y[i] = s->second[s->n] = fd_var(f->u->fd, type, "y");
        s->step[s->n] = parts[i];
        s->identity[s->n++] = i == 0 ? one(f) : i == 1 ? nothing(f) : truth(f, false);
    }
    int k = 0;
    if (x[0]) s->both[k++] = op2(f, f->mul, x[0], y[0]);
    if (x[1]) s->both[k++] = applied(f, x[1], y[0], y[1], y[2]);
    if (x[2]) {
        const FdNode *args[] = {x[2], y[2]};
        s->both[k++] = fd_simple_op(f->u->fd, FD_OP_BITOR, SC_BOOL, 2, args);
    }
    s->after = applied(f, s->before, y[0], y[1], y[2]);
    s->commutes = s->n == 1;
    s->grows = x[0] && scalar_is_real(f->kind) && f->mul == FD_OP_MUL;
}

/* ---- the scan ---------------------------------------------------------------------------------- */

/* The one read, of the element before along one variable. */
static bool find_read(Finder *f, Scan *s)
{
    const Interior *in = f->in;
    if (in->nreads != 1) return false;
    const InteriorRead *r = &in->reads[0];
    s->dim = -1;
    for (int v = 0; v < in->def->nvars; v++) {
        if (!r->constant[v]) return false;
        if (r->before[v] == 0) continue;
        if (r->before[v] != 1 || s->dim >= 0) return false;
        s->dim = v;
    }
    f->read = s->read = r->node;
    return s->dim >= 0;
}

static bool has_ring(ScalarKind k)
{
    return k == SC_INT || k == SC_UINT || k == SC_LONG || k == SC_ULONG || k == SC_FLOAT ||
           k == SC_DOUBLE || k == SC_BOOL;
}

static const Scan *refuse(Interior *in, const char *why)
{
    in->not_scanned = why;
    return NULL;
}

static const Scan *find(Unit *u, Interior *in, bool exact)
{
    const FdNode *body = in->def->body;
    if (!fd_type_is_scalar(body->type) || !has_ring(result_kind(body)))
        return refuse(in, "no scans of this type");
    Finder f = {.u = u, .in = in, .self = in->def->node->self, .kind = result_kind(body)};
    Scan *s = arena_new_of(u->arena, Scan);
    bool fits = true;
    if (exact && scalar_is_real(f.kind)) return refuse(in, "--precise keeps the order of reals");
    if (!find_read(&f, s)) return refuse(in, "it reads more than the element before");
    if (fd_can_fail(body) || fd_any(body, unit_is_empty, u)) return refuse(in, "a step can fail");
    unsigned all = roles(&f, body, &fits, 0);
    if (!fits || !choose_ring(&f, all)) return refuse(in, "its step is none of s * a + b");
    Step step = step_of(&f, body);
    compose(&f, s, &step);
    if (s->n == 0) return NULL; /* the element before itself */
    const FdNode *more[3 * SCAN_NUMBERS + 1];
    int n = 0;
    for (int i = 0; i < s->n; i++) {
        more[n++] = s->step[i];
        more[n++] = s->both[i];
        more[n++] = s->identity[i];
    }
    more[n++] = s->after;
    def_count(u, in->def, n, more);
    return s;
}

const Scan *scan_of(Unit *u, Interior *in, bool exact)
{
    if (!in->scanned) in->scan = find(u, in, exact);
    in->scanned = true;
    return in->scan;
}
