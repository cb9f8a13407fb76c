/* Graphs for the code generator's tests: a short notation for them, one expression in parentheses.
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

#include "../../../codegen/kernel/codegen.h"

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
        g.slots[i] = (FdSlot){
            slot_type(fd, &slots[i]), slots[i].rank > 0, slots[i].name, NULL, NULL, false, false};
    return g;
}

#endif
