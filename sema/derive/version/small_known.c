/* What csc knows of an expression: its type, its value as an index, whether it reads arrays of a few elements. */
#include <string.h>

#include "small.h"

/* ---- what is known of an expression ------------------------------------------------------------------ */

const Ast *small_checked(Small *w, const Ast *n)
{
    Sema *s = w->s;
    Ast *copy = ast_clone(s->arena, n);
    const int errors = s->quiet_errors;
    s->quiet_errors = 0;
    s->quiet++;
    scope_push(s);
    check_expr(s, &copy, NULL);
    scope_pop(s);
    s->quiet--;
    const bool good = s->quiet_errors == 0;
    s->quiet_errors = errors;
    return good ? copy : NULL;
}

const Type *small_type(Small *w, const Ast *n)
{
    const Ast *copy = small_checked(w, n);
    return copy && copy->type ? copy->type : w->s->error;
}

static bool int_of_binary(AstOp op, int64_t a, int64_t b, int64_t *value)
{
    const int64_t most = 1 << 20;
    if (a < -most || a > most || b < -most || b > most) return false;
    switch (op) {
    case AST_OP_ADD: *value = a + b; return true;
    case AST_OP_SUB: *value = a - b; return true;
    case AST_OP_MUL: *value = a * b; return *value >= -most && *value <= most;
    case AST_OP_DIV: return b && (*value = a / b, true);
    case AST_OP_REM: return b && (*value = a % b, true);
    default: return false;
    }
}

bool small_int(Small *w, Ast *n, int64_t *value)
{
    int64_t a, b;
    switch (n->kind) {
    case AST_INT_LIT:
        *value = (int64_t)n->int_lit.value;
        return n->int_lit.value <= INT32_MAX && !n->int_lit.suffix;
    case AST_UNARY:
        if (n->unary.op != AST_OP_NEG || !small_int(w, n->unary.operand, &a)) return false;
        *value = -a;
        return true;
    case AST_BINARY:
        return small_int(w, n->binary.left, &a) && small_int(w, n->binary.right, &b) &&
               int_of_binary(n->binary.op, a, b, value);
    case AST_MEMBER:
        if (n->member.base->kind == AST_NAME_REF) {
            const SmallArray *array = small_find(w, n->member.base->name_ref.name);
            if (array && !strcmp(n->member.name, "Length")) {
                *value = small_count(&array->box);
                return true;
            }
        }
        break;
    case AST_CALL:
        if (n->call.callee->kind == AST_MEMBER && n->call.args.len == 1 &&
            n->call.callee->member.base->kind == AST_NAME_REF) {
            const SmallArray *array = small_find(w, n->call.callee->member.base->name_ref.name);
            if (!array || strcmp(n->call.callee->member.name, "GetLength") != 0) return false;
            if (!small_int(w, n->call.args.data[0], &a) || a < 0 || a >= array->box.rank)
                return false;
            *value = array->box.n[a];
            return true;
        }
        return false;
    case AST_NAME_REF:
        for (size_t i = 0; i < w->counts.len; i++)
            if (w->counts.data[i].name == n->name_ref.name) {
                *value = w->counts.data[i].value;
                return true;
            }
        break;
    default: return false;
    }
    const Ast *copy = small_checked(w, n);
    if (!copy || !copy->is_const || !type_is_scalar(copy->type, SC_INT)) return false;
    *value = copy->value.i;
    return true;
}

bool small_bool(Small *w, Ast *n, bool *value)
{
    int64_t a, b;
    bool x, y;
    if (n->kind == AST_BOOL_LIT) {
        *value = n->bool_lit.value;
        return true;
    }
    if (n->kind == AST_UNARY && n->unary.op == AST_OP_NOT) {
        if (!small_bool(w, n->unary.operand, &x)) return false;
        *value = !x;
        return true;
    }
    if (n->kind != AST_BINARY) return false;
    const AstOp op = n->binary.op;
    if (op == AST_OP_LAND || op == AST_OP_LOR) {
        if (!small_bool(w, n->binary.left, &x)) return false;
        *value = x;
        if (x == (op == AST_OP_LOR)) return true;
        return small_bool(w, n->binary.right, value);
    }
    y = op == AST_OP_EQ || op == AST_OP_NE || op == AST_OP_LT || op == AST_OP_LE ||
        op == AST_OP_GT || op == AST_OP_GE;
    if (!y || !small_int(w, n->binary.left, &a) || !small_int(w, n->binary.right, &b)) return false;
    *value = op == AST_OP_EQ   ? a == b
             : op == AST_OP_NE ? a != b
             : op == AST_OP_LT ? a < b
             : op == AST_OP_LE ? a <= b
             : op == AST_OP_GT ? a > b
                               : a >= b;
    return true;
}

typedef struct Look {
    const Small *w;
    bool found;
} Look;

static void find_small(Ast **child, void *ctx)
{
    Look *l = ctx;
    const Ast *n = *child;
    if (!n || l->found) return;
    l->found = n->kind == AST_NAME_REF && small_find(l->w, n->name_ref.name);
    ast_each_child(*child, find_small, ctx);
}

bool small_mentions(const Small *w, Ast *n)
{
    Look l = {w, false};
    find_small(&n, &l);
    return l.found;
}

static void find_effect(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Ast *n = *child;
    if (!n || *found) return;
    *found = n->kind == AST_ASSIGN || n->kind == AST_INCDEC;
    ast_each_child(*child, find_effect, ctx);
}

bool small_effects(Ast *n)
{
    bool found = false;
    find_effect(&n, &found);
    return found;
}
