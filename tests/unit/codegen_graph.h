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

#include "../../codegen/codegen.h"

enum { MAX_SLOTS = 6, MAX_VARS = 32 };

typedef struct SlotValue { /* an array or a scalar of a test */
    char name[8];
    ScalarKind kind;
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
    return s->rank ? fd_type_array(fd, s->kind, s->rank) : fd_type_scalar(fd, s->kind);
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

/* ((v lo hi [given]) ..) body */
static const FdNode *notation_binder(Notation *p, FdOp op, FdLoc at)
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
    const FdNode *body = notation(p);
    p->nvars = before;
    if (op == FD_OP_NONE) return fd_let(p->fd, n, vars, doms, body, at);
    const FdType *two[] = {body->type, body->type};
    const FdNode *fn = fd_op(p->fd, op, fd_type_func(p->fd, body->type, 2, two));
    return fd_reduce(p->fd, fn, n, vars, doms, body, at);
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
    FdOp reduction = notation_reduction(word);
    const FdNode *n, *args[FD_MAX_RANK];
    int nargs = 0;
    if (strcmp(word, "let") == 0 || reduction != FD_OP_NONE) {
        n = notation_binder(p, reduction, at);
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
    FdGraph g = {.root = notation(&p), .nslots = n};
    g.slots = arena_array(fd_arena(fd), FdSlot, n + 1);
    for (int i = 0; i < n; i++)
        g.slots[i] = (FdSlot){slot_type(fd, &slots[i]), slots[i].rank > 0, slots[i].name, NULL};
    return g;
}

/* ---- evaluation ------------------------------------------------------------------------------ */

typedef struct Eval {
    const SlotValue *slots;
    unsigned failed; /* bits of CgErrorKind */
    int nvars;
    struct {
        const FdNode *var;
        int64_t value;
    } vars[MAX_VARS];
} Eval;

static ScalarValue eval(Eval *e, const FdNode *n);

static ScalarValue eval_read(Eval *e, const FdNode *n)
{
    const SlotValue *s = &e->slots[n->fn->slot];
    size_t at = 0;
    for (int d = 0; d < s->rank; d++) {
        int64_t i = eval(e, n->args[d]).i, lo = s->box.dim[d].lo, len = s->box.dim[d].hi - lo;
        if (i < lo || i - lo >= len) {
            e->failed |= 1u << CG_ERR_INDEX;
            return (ScalarValue){.i = 0};
        }
        at = at * (size_t)len + (size_t)(i - lo);
    }
    return scalar_load(s->data + at * scalar_bytes(s->kind), s->kind);
}

typedef struct Folded {
    bool any;
    ScalarValue value;
} Folded;

static void eval_fold(Eval *e, const FdNode *n, int from, Folded *f)
{
    if (from == n->nvars) {
        ScalarValue args[2] = {f->value, eval(e, n->body)};
        ScalarKind k = n->type->scalar;
        if (!f->any)
            f->value = args[1];
        else
            fd_op_eval(fd_op_of(n), k, k, args, &f->value);
        f->any = true;
        return;
    }
    int64_t lo = eval(e, n->doms[from].lo).i, hi = eval(e, n->doms[from].hi).i;
    int slot = e->nvars++;
    for (int64_t i = lo; i < hi; i++) {
        e->vars[slot].var = n->vars[from];
        e->vars[slot].value = i;
        eval_fold(e, n, from + 1, f);
    }
    e->nvars--;
}

static ScalarValue eval_op(Eval *e, const FdNode *n)
{
    FdOp op = fd_op_of(n);
    ScalarValue args[3], out;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) {
        const FdBox *box = &e->slots[n->args[0]->slot].box;
        int64_t d = n->args[1]->value.i;
        return (ScalarValue){.i = op == FD_OP_LOWER ? box->dim[d].lo : box->dim[d].hi};
    }
    args[0] = eval(e, n->args[0]);
    if (op == FD_OP_SELECT) return eval(e, n->args[args[0].i ? 1 : 2]);
    if ((op == FD_OP_LAND && !args[0].i) || (op == FD_OP_LOR && args[0].i)) return args[0];
    for (int i = 1; i < n->nargs; i++) args[i] = eval(e, n->args[i]);
    if (fd_op_eval(op, n->args[0]->type->scalar, n->type->scalar, args, &out) ==
        FD_EVAL_DIVIDE_BY_ZERO) {
        e->failed |= 1u << CG_ERR_DIVIDE;
        out.i = 0;
    }
    return out;
}

/* Runs statements; 1: break, 2: continue, 3: return with *out. */
static int eval_stmts(Eval *e, const FdStmt *s, int base, ScalarValue *out)
{
    for (; s; s = s->next) {
        int how = 0;
        switch (s->kind) {
        case FD_STMT_SET: {
            int64_t v = eval(e, s->expr).i;
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
        case FD_STMT_BREAK: return 1;
        case FD_STMT_CONTINUE: return 2;
        case FD_STMT_RETURN: *out = eval(e, s->expr); return 3;
        }
        if (how) return how;
    }
    return 0;
}

static ScalarValue eval_user(Eval *e, const FdNode *n)
{
    const FdUser *user = n->fn->user;
    ScalarValue out = {.i = 0}, args[FD_MAX_RANK];
    int base = e->nvars;
    for (int i = 0; i < n->nargs; i++) args[i] = eval(e, n->args[i]);
    for (int i = 0; i < n->nargs; i++) {
        e->vars[e->nvars].var = user->params[i];
        e->vars[e->nvars++].value = args[i].i;
    }
    eval_stmts(e, user->body, base, &out);
    e->nvars = base;
    return out;
}

static ScalarValue eval(Eval *e, const FdNode *n)
{
    Folded f = {0};
    ScalarValue identity;
    switch (n->kind) {
    case FD_SCALAR: return n->leaf == FD_LEAF_CONST ? n->value : e->slots[n->slot].scalar;
    case FD_VAR:
        for (int i = e->nvars - 1; i >= 0; i--)
            if (e->vars[i].var == n) return (ScalarValue){.i = e->vars[i].value};
        abort();
    case FD_REDUCE:
        eval_fold(e, n, 0, &f);
        if (f.any) return f.value;
        if (fd_op_identity(fd_op_of(n), n->type->scalar, &identity)) return identity;
        e->failed |= 1u << CG_ERR_EMPTY;
        return (ScalarValue){.i = 0};
    case FD_APPLY:
        if (n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_SLOT) return eval_read(e, n);
        if (n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_USER) return eval_user(e, n);
        return eval_op(e, n);
    default: abort();
    }
}

/* All elements of a graph's result, row by row; returns their number. */
static size_t eval_all(Eval *e, const FdNode *root, ScalarValue **out)
{
    int64_t lo[FD_MAX_RANK], n[FD_MAX_RANK];
    int rank = root->kind == FD_LET ? root->nvars : 0;
    size_t count = 1;
    for (int d = 0; d < rank; d++) {
        lo[d] = eval(e, root->doms[d].lo).i;
        n[d] = eval(e, root->doms[d].hi).i - lo[d];
        if (n[d] < 0) n[d] = 0;
        count *= (size_t)n[d];
    }
    *out = calloc(count + 1, sizeof **out);
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        for (int d = rank - 1; d >= 0; d--) {
            e->vars[d].var = root->vars[d];
            e->vars[d].value = lo[d] + (int64_t)(rest % (size_t)n[d]);
            rest /= (size_t)n[d];
        }
        e->nvars = rank;
        (*out)[i] = eval(e, rank ? root->body : root);
    }
    return count;
}

#endif
