/* Graphs for the code generator's tests: a short notation for them (one expression in parentheses)
 * and their straightforward evaluation, which generated kernels must agree with.
 *
 *   (let ((j (lo a 0) (hi a 0)) (k (lo b 1) (hi b 1)))
 *     (sum ((l (lo a 1) (hi a 1))) (mul (a j l) (b l k))))
 */
#ifndef TESTS_CODEGEN_GRAPH_H
#define TESTS_CODEGEN_GRAPH_H

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../codegen/kernel/codegen.h"

enum { MAX_SLOTS = 6, MAX_VARS = 32, MAX_LEAVES = 8 };

typedef struct SlotValue { /* an array or a scalar of a test */
    char name[8];
    const FdType *type; /* of the elements, or the scalar's */
    int rank;
    FdBox box;
    size_t count;
    unsigned char *data;
    ScalarValue scalar;
} SlotValue;

typedef struct Notation {
    Fd *fd;
    const char *at;
    const SlotValue *slots;
    int nslots, nvars;
    struct {
        char name[16];
        const FdNode *node;
    } vars[MAX_VARS];
} Notation;

/* A record, and a reduction by it that is associative, not commutative. */
#define RECORD_PAIR "record Pair (float x, int n)\n"
#define USER_LAST                                                                                  \
    "user \"last\" : Pair(Pair, Pair) associative identity (0, 0) {\n"                             \
    "  %0 = local \"a\" : Pair\n"                                                                  \
    "  %1 = local \"b\" : Pair\n"                                                                  \
    "  %2 = apply @field 0 (%0) : float\n"                                                         \
    "  %3 = apply @field 0 (%1) : float\n"                                                         \
    "  %4 = apply @add (%2, %3) : float\n"                                                         \
    "  %5 = apply @field 1 (%0) : int\n"                                                           \
    "  %6 = apply @field 1 (%1) : int\n"                                                           \
    "  %7 = const 0 : int\n"                                                                       \
    "  %8 = apply @eq (%6, %7) : bool\n"                                                           \
    "  %9 = apply @select (%8, %5, %6) : int\n"                                                    \
    "  %10 = apply @make (%4, %9) : Pair\n"                                                        \
    "  params (%0, %1)\n"                                                                          \
    "  return %10\n"                                                                               \
    "}\n"

static const FdNode *notation(Notation *p);

static void notation_fail(const Notation *p, const char *why)
{
    fprintf(stderr, "notation: %s at: %.40s\n", why, p->at);
    abort();
}

static bool notation_accept(Notation *p, char c)
{
    while (isspace((unsigned char)*p->at)) p->at++;
    if (*p->at != c) return false;
    p->at++;
    return true;
}

static void notation_word(Notation *p, char word[16])
{
    size_t n = 0;
    while (isspace((unsigned char)*p->at)) p->at++;
    while (p->at[n] && !isspace((unsigned char)p->at[n]) && p->at[n] != '(' && p->at[n] != ')') n++;
    if (n == 0 || n >= 16) notation_fail(p, "no word");
    memcpy(word, p->at, n);
    word[n] = '\0';
    p->at += n;
}

static const FdType *slot_type(Fd *fd, const SlotValue *s)
{
    return s->rank ? fd_type_array_of(fd, s->type, s->rank) : s->type;
}

/* 5 is an int, 5L a long, 2.5f a float, 2.5 a double. */
static const FdNode *notation_atom(Notation *p, const char *word)
{
    char *end;
    size_t n = strlen(word);
    for (int i = p->nvars - 1; i >= 0; i--)
        if (strcmp(p->vars[i].name, word) == 0) return p->vars[i].node;
    for (int i = 0; i < p->nslots; i++)
        if (strcmp(p->slots[i].name, word) == 0)
            return fd_slot(p->fd, i, slot_type(p->fd, &p->slots[i]), word);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0)
        return fd_const(p->fd, SC_BOOL, (ScalarValue){.i = *word == 't'});
    if (strchr(word, '.')) {
        double f = strtod(word, &end);
        return word[n - 1] == 'f' ? fd_const(p->fd, SC_FLOAT, (ScalarValue){.f = (float)f})
                                  : fd_const(p->fd, SC_DOUBLE, (ScalarValue){.f = f});
    }
    long long v = strtoll(word, &end, 10);
    if (end == word) notation_fail(p, "unknown name");
    return *end == 'L' ? fd_long(p->fd, v) : fd_int(p->fd, v);
}

static const FdType *notation_type(const Notation *p, const char *word)
{
    const FdType *t = fd_type_read(p->fd, word);
    if (!t) notation_fail(p, "no type");
    return t;
}

/* What binds variables: a let; with fn or op a reduction, of init's type if that is given; a
 * recurrence with values of type `self`. */
typedef struct Binder {
    FdOp op;
    const FdUser *user;
    const FdNode *init;
    const FdType *self;
    char name[16];
    int8_t order[FD_MAX_RANK];
} Binder;

/* ((v lo hi [given]) ..) body */
static const FdNode *notation_binder(Notation *p, const Binder *b, FdLoc at)
{
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int n = 0, before = p->nvars;
    if (!notation_accept(p, '(')) notation_fail(p, "no variables");
    while (notation_accept(p, '(')) {
        char word[16];
        notation_word(p, word);
        doms[n] = (FdDom){FD_DOM_INFERRED, notation(p), NULL};
        doms[n].hi = notation(p);
        if (!notation_accept(p, ')')) {
            char given[16];
            notation_word(p, given);
            doms[n].kind = FD_DOM_GIVEN;
            notation_accept(p, ')');
        }
        vars[n] = fd_var(p->fd, fd_type_scalar(p->fd, SC_INT), word);
        strcpy(p->vars[p->nvars].name, word);
        p->vars[p->nvars++].node = vars[n++];
    }
    notation_accept(p, ')');
    const FdNode *self = NULL;
    if (b->self) {
        self = fd_var(p->fd, fd_type_array_of(p->fd, b->self, n), b->name);
        strcpy(p->vars[p->nvars].name, b->name);
        p->vars[p->nvars++].node = self;
    }
    const FdNode *body = notation(p);
    p->nvars = before;
    if (self) return fd_recurrence(p->fd, self, b->order, n, vars, doms, body, at);
    if (b->op == FD_OP_NONE && !b->user) return fd_let(p->fd, n, vars, doms, body, at);
    const FdType *two[] = {body->type, body->type};
    const FdNode *fn = b->user ? fd_user(p->fd, b->user)
                               : fd_op(p->fd, b->op, fd_type_func(p->fd, body->type, 2, two));
    return b->init ? fd_fold(p->fd, fn, b->init, n, vars, doms, body, at)
                   : fd_reduce(p->fd, fn, n, vars, doms, body, at);
}

/* by FUNCTION, fold FUNCTION init, rec NAME TYPE +0-1: then the variables. */
static bool notation_special(Notation *p, const char *word, Binder *b)
{
    char name[16];
    bool fold = strcmp(word, "fold") == 0;
    if (fold || strcmp(word, "by") == 0) {
        notation_word(p, name);
        b->user = fd_user_find(p->fd, name);
        b->op = fd_op_from_text(name);
        if (fold) b->init = notation(p);
        return true;
    }
    if (strcmp(word, "rec") != 0) return false;
    notation_word(p, b->name);
    notation_word(p, name);
    b->self = notation_type(p, name);
    notation_word(p, name);
    for (int i = 0; name[2 * i]; i++)
        b->order[i] = (int8_t)((name[2 * i] == '-' ? -1 : 1) * (name[2 * i + 1] - '0' + 1));
    return true;
}

static FdOp notation_reduction(const char *word)
{
    static const struct {
        const char *name;
        FdOp op;
    } names[] = {{"sum", FD_OP_ADD},      {"prod", FD_OP_MUL}, {"least", FD_OP_MIN},
                 {"greatest", FD_OP_MAX}, {"all", FD_OP_LAND}, {"any", FD_OP_LOR}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].name, word) == 0) return names[i].op;
    return FD_OP_NONE;
}

static const FdNode *notation(Notation *p)
{
    static int line; /* every node at a place of its own, for error sites */
    char word[16];
    FdLoc at = {++line, 1};
    if (!notation_accept(p, '(')) {
        notation_word(p, word);
        return notation_atom(p, word);
    }
    notation_word(p, word);
    Binder b = {.op = notation_reduction(word)};
    const FdNode *n, *args[FD_MAX_RANK];
    int nargs = 0;
    if (strcmp(word, "let") == 0 || b.op != FD_OP_NONE || notation_special(p, word, &b)) {
        n = notation_binder(p, &b, at);
        notation_accept(p, ')');
        return n;
    }
    if (strcmp(word, "make") == 0) {
        notation_word(p, word);
        const FdType *t = notation_type(p, word);
        while (!notation_accept(p, ')')) args[nargs++] = notation(p);
        return fd_make(p->fd, t, args, at);
    }
    if (strcmp(word, "field") == 0) {
        notation_word(p, word);
        n = fd_field(p->fd, notation(p), atoi(word), at);
        notation_accept(p, ')');
        return n;
    }
    ScalarKind to = SC_INT;
    if (strcmp(word, "conv") == 0) {
        char kind[16];
        notation_word(p, kind);
        scalar_from_name(kind, strlen(kind), &to);
        strcpy(word, "convert");
    }
    while (!notation_accept(p, ')')) args[nargs++] = notation(p);
    bool lo = strcmp(word, "lo") == 0;
    if (lo || strcmp(word, "hi") == 0)
        return fd_apply_op(p->fd, lo ? FD_OP_LOWER : FD_OP_UPPER, to, nargs, args, at);
    FdOp op = fd_op_from_text(word);
    if (op != FD_OP_NONE) return fd_apply_op(p->fd, op, to, nargs, args, at);
    FdUser *user = fd_user_find(p->fd, word);
    const FdNode *fn = user ? fd_user(p->fd, user) : notation_atom(p, word);
    return fd_apply(p->fd, fn, nargs, args, at);
}

static FdGraph graph_of(Fd *fd, const char *text, const SlotValue *slots, int n)
{
    Notation p = {.fd = fd, .at = text, .slots = slots, .nslots = n};
    FdGraph g = {.nslots = n};
    fd_set_root(fd, &g, notation(&p));
    g.slots = arena_array(fd_arena(fd), FdSlot, n + 1);
    for (int i = 0; i < n; i++)
        g.slots[i] =
            (FdSlot){slot_type(fd, &slots[i]), slots[i].rank > 0, slots[i].name, NULL, NULL, false};
    return g;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

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
