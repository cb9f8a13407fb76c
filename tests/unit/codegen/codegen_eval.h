/* Graphs evaluated straightforwardly, which generated kernels must agree with. */
#ifndef TESTS_CODEGEN_EVAL_H
#define TESTS_CODEGEN_EVAL_H

#include "codegen_graph.h"

typedef struct Value { /* a scalar has one leaf */
    ScalarValue leaf[MAX_LEAVES];
} Value;

typedef struct Eval {
    const SlotValue *slots;
    unsigned failed; /* bits of CgErrorKind */
    int nvars;
    struct {
        const FdNode *var;
        Value value;
    } vars[MAX_VARS];
    /* The result's domain and, for a recurrence, its elements so far. */
    FdBox box;
    Value *values;
} Eval;

static Value eval_value(Eval *e, const FdNode *n);

static ScalarValue eval(Eval *e, const FdNode *n)
{
    return eval_value(e, n).leaf[0];
}

static Value scalar_value(ScalarValue v)
{
    Value r = {{v}};
    return r;
}

static Value load_value(const unsigned char *data, const FdType *t, size_t count, size_t at)
{
    Value v = {0};
    for (int i = 0; i < fd_type_leaves(t); i++) {
        ScalarKind k = fd_type_leaf(t, i);
        const unsigned char *plane = data + fd_plane_offset(t, i, (int64_t)count);
        v.leaf[i] = scalar_load(plane + at * scalar_bytes(k), k);
    }
    return v;
}

static Value eval_read(Eval *e, const FdNode *n)
{
    bool self = n->fn->kind == FD_VAR;
    const SlotValue *s = self ? NULL : &e->slots[n->fn->slot];
    const FdBox *box = self ? &e->box : &s->box;
    size_t at = 0;
    for (int d = 0; d < n->nargs; d++) {
        int64_t i = eval(e, n->args[d]).i, lo = box->dim[d].lo, len = box->dim[d].hi - lo;
        if (i < lo || i - lo >= len) {
            e->failed |= 1u << CG_ERR_INDEX;
            return scalar_value((ScalarValue){.i = 0});
        }
        at = at * (size_t)len + (size_t)(i - lo);
    }
    return self ? e->values[at] : load_value(s->data, s->type, s->count, at);
}

static Value eval_body(Eval *e, const FdUser *user, int n, const Value *args);

typedef struct Folded {
    bool any;
    Value value;
} Folded;

static void eval_fold(Eval *e, const FdNode *n, int from, Folded *f)
{
    if (from == n->nvars) {
        Value v = eval_value(e, n->body);
        if (!f->any) {
            f->value = v;
        } else if (n->fn->leaf == FD_LEAF_USER) {
            Value args[2] = {f->value, v};
            f->value = eval_body(e, n->fn->user, 2, args);
        } else {
            ScalarValue args[2] = {f->value.leaf[0], v.leaf[0]};
            ScalarKind k = n->type->scalar;
            fd_op_eval(n->fn->op, k, k, args, &f->value.leaf[0]);
        }
        f->any = true;
        return;
    }
    int64_t lo = eval(e, n->doms[from].lo).i, hi = eval(e, n->doms[from].hi).i;
    int slot = e->nvars++;
    for (int64_t i = lo; i < hi; i++) {
        e->vars[slot].var = n->vars[from];
        e->vars[slot].value.leaf[0].i = i;
        eval_fold(e, n, from + 1, f);
    }
    e->nvars--;
}

static Value eval_reduce(Eval *e, const FdNode *n)
{
    Folded f = {0};
    ScalarValue identity;
    if (n->init) {
        f.any = true;
        f.value = eval_value(e, n->init);
    }
    eval_fold(e, n, 0, &f);
    if (f.any) return f.value;
    if (n->fn->leaf == FD_LEAF_USER && n->fn->user->identity)
        return eval_value(e, n->fn->user->identity);
    if (fd_op_of(n) != FD_OP_NONE && fd_op_identity(fd_op_of(n), n->type->scalar, &identity))
        return scalar_value(identity);
    e->failed |= 1u << CG_ERR_EMPTY;
    return f.value;
}

static Value eval_op(Eval *e, const FdNode *n)
{
    FdOp op = fd_op_of(n);
    ScalarValue args[3], out;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) {
        const FdBox *box = &e->slots[n->args[0]->slot].box;
        int64_t d = n->args[1]->value.i;
        out.i = op == FD_OP_LOWER ? box->dim[d].lo : box->dim[d].hi;
        return scalar_value(out);
    }
    args[0] = eval(e, n->args[0]);
    if (op == FD_OP_SELECT) return eval_value(e, n->args[args[0].i ? 1 : 2]);
    if ((op == FD_OP_LAND && !args[0].i) || (op == FD_OP_LOR && args[0].i))
        return scalar_value(args[0]);
    for (int i = 1; i < n->nargs; i++) args[i] = eval(e, n->args[i]);
    if (fd_op_eval(op, n->args[0]->type->scalar, n->type->scalar, args, &out) ==
        FD_EVAL_DIVIDE_BY_ZERO) {
        e->failed |= 1u << CG_ERR_DIVIDE;
        out.i = 0;
    }
    return scalar_value(out);
}

/* Runs statements; 1: break, 2: continue, 3: return with *out. */
static int eval_stmts(Eval *e, const FdStmt *s, int base, Value *out)
{
    for (; s; s = s->next) {
        int how = 0;
        switch (s->kind) {
        case FD_STMT_SET: {
            Value v = eval_value(e, s->expr);
            int i = base;
            while (i < e->nvars && e->vars[i].var != s->var) i++;
            if (i == e->nvars) e->nvars++;
            e->vars[i].var = s->var;
            e->vars[i].value = v;
            break;
        }
        case FD_STMT_IF:
            how = eval_stmts(e, eval(e, s->expr).i ? s->body : s->other, base, out);
            break;
        case FD_STMT_LOOP:
            while ((how = eval_stmts(e, s->body, base, out)) != 1 && how != 3)
                eval_stmts(e, s->other, base, out);
            how = how == 3 ? 3 : 0;
            break;
        case FD_STMT_PUT:
        case FD_STMT_CLEAR: break; /* of local arrays: programs test those */
        case FD_STMT_BREAK: return 1;
        case FD_STMT_CONTINUE: return 2;
        case FD_STMT_RETURN: *out = eval_value(e, s->expr); return 3;
        }
        if (how) return how;
    }
    return 0;
}

static Value eval_body(Eval *e, const FdUser *user, int n, const Value *args)
{
    Value out = {0};
    int base = e->nvars;
    for (int i = 0; i < n; i++) {
        e->vars[e->nvars].var = user->params[i];
        e->vars[e->nvars++].value = args[i];
    }
    eval_stmts(e, user->body, base, &out);
    e->nvars = base;
    return out;
}

/* The application of a user function, or of what makes and reads records. */
static Value eval_call(Eval *e, const FdNode *n)
{
    Value args[FD_MAX_RANK], out = {0};
    for (int i = 0; i < n->nargs; i++) args[i] = eval_value(e, n->args[i]);
    if (n->fn->leaf == FD_LEAF_USER) return eval_body(e, n->fn->user, n->nargs, args);
    int to = 0, from = 0;
    if (n->fn->leaf == FD_LEAF_MAKE) {
        for (int i = 0; i < n->nargs; i++)
            for (int k = 0; k < fd_type_leaves(n->args[i]->type); k++)
                out.leaf[to++] = args[i].leaf[k];
        return out;
    }
    for (int i = 0; i < n->fn->slot; i++) from += fd_type_leaves(n->args[0]->type->fields[i]);
    for (; to < fd_type_leaves(n->type); to++) out.leaf[to] = args[0].leaf[from + to];
    return out;
}

static Value eval_value(Eval *e, const FdNode *n)
{
    switch (n->kind) {
    case FD_SCALAR:
        return scalar_value(n->leaf == FD_LEAF_CONST ? n->value : e->slots[n->slot].scalar);
    case FD_VAR:
        for (int i = e->nvars - 1; i >= 0; i--)
            if (e->vars[i].var == n) return e->vars[i].value;
        abort();
    case FD_REDUCE: return eval_reduce(e, n);
    case FD_APPLY:
        if (n->fn->kind == FD_VAR || n->fn->leaf == FD_LEAF_SLOT) return eval_read(e, n);
        return n->fn->leaf == FD_LEAF_OP ? eval_op(e, n) : eval_call(e, n);
    default: abort();
    }
}

/* All elements of a graph's result, row by row; returns their number. */
static size_t eval_all(Eval *e, const FdNode *root, Value **out)
{
    int64_t n[FD_MAX_RANK];
    int rank = root->kind == FD_LET ? root->nvars : 0;
    size_t count = 1;
    e->box.rank = rank;
    for (int d = 0; d < rank; d++) {
        int64_t lo = eval(e, root->doms[d].lo).i;
        n[d] = eval(e, root->doms[d].hi).i - lo;
        if (n[d] < 0) n[d] = 0;
        e->box.dim[d].lo = lo;
        e->box.dim[d].hi = lo + n[d];
        count *= (size_t)n[d];
    }
    *out = e->values = calloc(count + 1, sizeof **out);
    for (size_t i = 0; i < count; i++) {
        size_t rest = i, at = 0;
        for (int k = rank - 1; k >= 0; k--) { /* in the order of a recurrence, or row by row */
            int order = rank && root->self ? root->order[k] : k + 1, d = abs(order) - 1;
            int64_t x = (int64_t)(rest % (size_t)n[d]);
            e->vars[d].var = root->vars[d];
            e->vars[d].value.leaf[0].i = e->box.dim[d].lo + (order > 0 ? x : n[d] - 1 - x);
            rest /= (size_t)n[d];
        }
        for (int d = 0; d < rank; d++)
            at = at * (size_t)n[d] + (size_t)(e->vars[d].value.leaf[0].i - e->box.dim[d].lo);
        e->nvars = rank;
        (*out)[at] = eval_value(e, rank ? root->body : root);
    }
    return count;
}

#endif
