/* Sums and products of ints. Where a long is wanted they are accumulated in one, as a real literal
 * becomes a float where a float is wanted; where they stay ints and are known to overflow, that is
 * told.
 */
#include <stdint.h>

#include "../check/check.h"

/* ---- a long where a long is wanted ----------------------------------------------------------- */

static Ast **total_operand(Ast *n)
{
    if (n->kind == AST_REDUCE) return &n->reduce.operand;
    for (int i = 0; n->kind == AST_CALL && i < n->call.args.len; i++)
        if (n->call.args.data[i]->kind != AST_BINDER) return &n->call.args.data[i];
    return NULL;
}

/* FD_OP_ADD or FD_OP_MUL of a reduction by these; else FD_OP_NONE. */
static FdOp total_op(const Ast *n)
{
    FdOp op = FD_OP_NONE;
    if (n->kind == AST_REDUCE && !n->sym) op = n->reduce.op == AST_OP_MUL ? FD_OP_MUL : FD_OP_ADD;
    if (n->kind == AST_CALL && n->res == AST_RES_REDUCE && n->sym->kind == SYM_BUILTIN)
        op = builtins[n->sym->builtin].op;
    return op == FD_OP_ADD || op == FD_OP_MUL ? op : FD_OP_NONE;
}

static bool is_arithmetic(const Ast *n)
{
    AstOp op = n->binary.op;
    return n->res == AST_RES_NONE && (op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL ||
                                      op == AST_OP_DIV || op == AST_OP_REM);
}

/* A sum or product, or operators over such and ints. */
static bool has_total(const Ast *n)
{
    if (!type_is_scalar(n->type, SC_INT) || n->is_const) return false;
    if (total_op(n) != FD_OP_NONE) return true;
    switch (n->kind) {
    case AST_UNARY: return n->unary.op == AST_OP_NEG && has_total(n->unary.operand);
    case AST_BINARY:
        return is_arithmetic(n) && (has_total(n->binary.left) || has_total(n->binary.right));
    case AST_COND:
        return n->res == AST_RES_NONE && (has_total(n->cond.then) || has_total(n->cond.other));
    default: return false;
    }
}

static void retype(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    if (!has_total(n)) {
        convert_wrap(s, slot, s->longs);
        return;
    }
    Ast **operand = total_operand(n);
    if (operand) {
        convert_result(s, operand, s->longs, NULL);
    } else if (n->kind == AST_UNARY) {
        retype(s, &n->unary.operand);
    } else if (n->kind == AST_BINARY) {
        retype(s, &n->binary.left);
        retype(s, &n->binary.right);
    } else {
        retype(s, &n->cond.then);
        retype(s, &n->cond.other);
    }
    n->type = s->longs;
}

bool total_widens(Sema *s, Ast *n)
{
    if (!has_total(n)) return false;
    retype(s, &n);
    return true;
}

/* ---- sums that overflow ---------------------------------------------------------------------- */

enum { MOST_VARIABLES = 4, MOST_POINTS = 1 << 20 };

/* The operand over a box of constant ranges. */
typedef struct Points {
    int n;
    const Symbol *vars[MOST_VARIABLES];
    int64_t lo[MOST_VARIABLES], hi[MOST_VARIABLES]; /* hi excluded */
    int64_t at[MOST_VARIABLES];
    bool wraps; /* a value did not fit its type */
} Points;

static bool constant_range(const Ast *c, int64_t *lo, int64_t *hi)
{
    while (c && c->kind == AST_CONVERT) c = c->convert.operand;
    if (!c || c->kind != AST_RANGE || !c->range.lo || !c->range.hi) return false;
    *lo = c->range.lo->value.i;
    *hi = c->range.hi->value.i;
    return c->range.lo->is_const && c->range.hi->is_const && *lo >= INT32_MIN && *hi <= INT32_MAX;
}

static bool is_int(const Type *t)
{
    return t->kind == TY_SCALAR && !t->decl && scalar_is_integer(t->scalar) &&
           t->scalar != SC_ULONG;
}

/* The operation on exact numbers; false if it has no value. */
static bool operate(AstOp op, int64_t a, int64_t b, int64_t *out)
{
    switch (op) {
    case AST_OP_ADD: return !__builtin_add_overflow(a, b, out);
    case AST_OP_SUB: return !__builtin_sub_overflow(a, b, out);
    case AST_OP_MUL: return !__builtin_mul_overflow(a, b, out);
    case AST_OP_DIV:
    case AST_OP_REM:
        if (b == 0 || b == -1) return false;
        *out = op == AST_OP_DIV ? a / b : a % b;
        return true;
    default: return false;
    }
}

/* The operand's value at a point; false if it is not known. */
static bool value_at(Points *p, const Ast *n, int64_t *out)
{
    int64_t a, b;
    if (!is_int(n->type)) return false;
    *out = n->value.i;
    if (n->is_const) return true;
    switch (n->kind) {
    case AST_NAME_REF:
        for (int i = 0; i < p->n; i++)
            if (p->vars[i] == n->sym) {
                *out = p->at[i];
                return true;
            }
        return false;
    case AST_CONVERT:
        if (!value_at(p, n->convert.operand, &a)) return false;
        break;
    case AST_UNARY:
        if (n->unary.op != AST_OP_NEG || !value_at(p, n->unary.operand, &a) || a == INT64_MIN)
            return false;
        a = -a;
        break;
    case AST_BINARY:
        if (!value_at(p, n->binary.left, &a) || !value_at(p, n->binary.right, &b) ||
            !operate(n->binary.op, a, b, &a))
            return false;
        break;
    default: return false;
    }
    *out = scalar_convert((ScalarValue){.i = a}, SC_LONG, n->type->scalar).i;
    p->wraps = p->wraps || *out != a;
    return true;
}

/* The variables of a reduction and their ranges; false if one is not constant. */
static bool points_of(const Ast *n, Ast *operand, Points *p)
{
    *p = (Points){.n = n->nbound};
    if (p->n > MOST_VARIABLES) return false;
    for (int i = 0; i < p->n; i++) {
        p->vars[i] = n->bound[i];
        if (!constant_range(n->bound[i]->constraint, &p->lo[i], &p->hi[i])) return false;
    }
    if (p->n) return true;
    p->n = 1; /* the range is the operand */
    return constant_range(operand, &p->lo[0], &p->hi[0]);
}

static bool next_point(Points *p)
{
    for (int i = p->n; i-- > 0; p->at[i] = p->lo[i])
        if (++p->at[i] < p->hi[i]) return true;
    return false;
}

/* The exact sum or product, if the points are few and it fits a long. */
static bool exact_total(const Ast *n, Ast *operand, int64_t *out)
{
    Points p;
    int64_t count = 1;
    FdOp op = total_op(n);
    *out = op == FD_OP_MUL;
    if (!points_of(n, operand, &p)) return false;
    for (int i = 0; i < p.n; i++) {
        p.at[i] = p.lo[i];
        if (p.hi[i] <= p.lo[i] || p.hi[i] - p.lo[i] > MOST_POINTS) return false;
        count *= p.hi[i] - p.lo[i];
        if (count > MOST_POINTS) return false;
    }
    do {
        int64_t v = p.at[0];
        if (n->nbound && (!value_at(&p, operand, &v) || p.wraps)) return false;
        if (v == 0 && op == FD_OP_MUL) {
            *out = 0;
            return true;
        }
        if (!operate(op == FD_OP_MUL ? AST_OP_MUL : AST_OP_ADD, *out, v, out)) {
            *out = INT64_MAX;
            return op == FD_OP_MUL && p.lo[0] > 0;
        }
    } while (next_point(&p));
    return true;
}

void totals_note(Sema *s, Ast *n)
{
    if (!s->quiet && total_op(n) != FD_OP_NONE && type_is_scalar(n->type, SC_INT))
        vec_push(&s->totals, n);
}

void totals_check(Sema *s)
{
    for (size_t i = 0; i < s->totals.len; i++) {
        Ast *n = s->totals.data[i];
        int64_t exact;
        if (!type_is_scalar(n->type, SC_INT) || !exact_total(n, *total_operand(n), &exact))
            continue;
        if (exact >= INT32_MIN && exact <= INT32_MAX) continue;
        const char *what = total_op(n) == FD_OP_MUL ? "product" : "sum";
        const char *value = exact == INT64_MAX ? "more than a long holds"
                                               : arena_printf(s->arena, "%lld", (long long)exact);
        report(s, n->loc, INT_OVERFLOW, "the %s is %s, which is no int; %s", what, value,
               exact == INT64_MAX ? "make its operand a double"
                                  : "make its target or its operand a long");
    }
    vec_free(&s->totals);
}
