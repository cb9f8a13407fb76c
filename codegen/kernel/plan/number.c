/* Numbers of plans (number.h): building, simplifying, naming and printing them. */
#include "number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/internal.h"
#include "../../../fdag/index/affine.h"
#include "../unit.h"
#include "draw.h"

enum { LONGEST = 240 }; /* of a text without a name of its own */

const char *const num_fact_names[NUM_FACTS] = {[NUM_UNITS] = "units",
                                               [NUM_VECTOR_BYTES] = "vector_bytes",
                                               [NUM_L1] = "l1",
                                               [NUM_L2] = "l2",
                                               [NUM_L3] = "l3",
                                               [NUM_MAX_GROUP] = "max_group",
                                               [NUM_LOCAL_BYTES] = "local_bytes",
                                               [NUM_GPU] = "gpu",
                                               [NUM_CACHE] = "cache",
                                               [NUM_PLACES] = "places",
                                               [NUM_GATHERS] = "gathers",
                                               [NUM_MULTIPLIES] = "multiplies"};

typedef struct NumText { /* of a number */
    const char *text;
    Num *name;    /* the symbol of its let */
    Num *meaning; /* of a symbol: what it names */
    bool guessed; /* of a symbol: num_guess */
} NumText;

typedef struct NumOf { /* of a node of the graph */
    bool asked;
    Num *number; /* NULL: plans cannot say it */
} NumOf;

typedef struct NumNamed { /* by a line of the plan */
    const char *name;
    Num *number;
} NumNamed;

struct Numbers {
    Num *facts[NUM_FACTS];
    VEC(Num *) macros;
    VEC(Num *) bounds;  /* 2 * (slot * FD_MAX_RANK + dimension): lower bound and length */
    VEC(NumText) texts; /* by node id */
    VEC(NumOf) numbers; /* by node id */
    VEC(NumNamed) named;
    int nparts; /* names of long texts */
};

static Numbers *numbers_of(Unit *u)
{
    if (!u->numbers) u->numbers = arena_new_of(u->arena, Numbers);
    return u->numbers;
}

void numbers_free(Numbers *n)
{
    if (!n) return;
    vec_free(&n->macros);
    vec_free(&n->bounds);
    vec_free(&n->texts);
    vec_free(&n->numbers);
    vec_free(&n->named);
}

/* ---- building ---------------------------------------------------------------------------------- */

static NumText *text_entry(Unit *u, Num *x)
{
    Numbers *all = numbers_of(u);
    while (all->texts.len <= x->id) vec_push(&all->texts, (NumText){0});
    return &all->texts.data[x->id];
}

static Num *symbol(Unit *u, const char *name)
{
    return fd_local(u->fd, fd_type_scalar(u->fd, SC_LONG), name);
}

Num *num_int(Unit *u, int64_t v)
{
    return fd_long(u->fd, v);
}

Num *num_truth(Unit *u, bool v)
{
    return fd_const(u->fd, SC_BOOL, (ScalarValue){.i = v});
}

Num *num_fact(Unit *u, NumFact f)
{
    Numbers *n = numbers_of(u);
    if (!n->facts[f]) n->facts[f] = draw_fact(u, f);
    if (!n->facts[f]) n->facts[f] = symbol(u, num_fact_names[f]);
    return n->facts[f];
}

bool num_is(Num *x, int64_t v)
{
    return fd_is_const(x) && x->value.i == v;
}

static bool is_commutative(FdOp op)
{
    return fd_op_info(op)->props & FD_COMMUTATIVE;
}

/* x op y where the two differ by a constant. */
static Num *decided(Unit *u, FdOp op, Num *x, Num *y)
{
    FdAffine d;
    if (!fd_op_compares(op) || !fd_affine(x, &d) || !fd_affine_add(&d, y, -1) || d.nterms)
        return NULL;
    Num *args[] = {num_int(u, d.constant), num_int(u, 0)};
    return fd_simple_op(u->fd, op, SC_BOOL, 2, args);
}

/* What has a name is used by it: equal texts are then equal nodes. */
static Num *by_name(Unit *u, Num *x)
{
    Num *name = text_entry(u, x)->name;
    return name ? name : x;
}

Num *num_op(Unit *u, FdOp op, Num *x, Num *y)
{
    Num *known = decided(u, op, x, y);
    if (known) return known;
    x = by_name(u, x), y = by_name(u, y);
    if (is_commutative(op) && fd_is_const(x)) { /* the constant last, where simplifying looks */
        Num *z = x;
        x = y, y = z;
    }
    switch (op) {
    case FD_OP_ADD:
        if (num_is(y, 0)) return x;
        break;
    case FD_OP_SUB:
        if (x == y) return num_int(u, 0);
        break;
    case FD_OP_MUL:
        if (num_is(y, 0)) return y;
        break;
    case FD_OP_LAND:
    case FD_OP_LOR: return num_joined(u, op == FD_OP_LAND, x, y);
    default: break;
    }
    Num *args[] = {x, y};
    return fd_simple_op(u->fd, op, SC_LONG, 2, args);
}

Num *num_and(Unit *u, Num *x, Num *y)
{
    return num_op(u, FD_OP_LAND, x, y);
}

Num *num_not(Unit *u, Num *x)
{
    Num *arg = by_name(u, x);
    return fd_simple_op(u->fd, FD_OP_LNOT, SC_BOOL, 1, &arg);
}

Num *num_select(Unit *u, Num *cond, Num *x, Num *y)
{
    if (fd_is_const(cond)) return cond->value.i ? x : y;
    if (x == y) return x;
    Num *args[] = {by_name(u, cond), by_name(u, x), by_name(u, y)};
    return fd_simple_op(u->fd, FD_OP_SELECT, SC_LONG, 3, args);
}

Num *num_ceildiv(Unit *u, Num *x, Num *y)
{
    if (num_is(y, 1)) return x;
    Num *last = num_op(u, FD_OP_SUB, y, num_int(u, 1));
    return num_op(u, FD_OP_DIV, num_op(u, FD_OP_ADD, x, last), y);
}

Num *num_roundup(Unit *u, Num *x, Num *y)
{
    return num_op(u, FD_OP_MUL, num_ceildiv(u, x, y), y);
}

/* ---- names ------------------------------------------------------------------------------------- */

static Num *number_of(Unit *u, const FdNode *n);
static const char *fresh_text(Unit *u, Num *x);

static bool is_symbol(Num *x)
{
    return x->kind == FD_VAR && x->role == FD_VAR_LOCAL;
}

const char *num_name(Unit *u, Num *x)
{
    x = by_name(u, x);
    return is_symbol(x) && !strchr(x->name, '.') ? x->name : NULL;
}

static void remember_name(Unit *u, const char *name, Num *x, Num *meaning)
{
    vec_push(&numbers_of(u)->named, ((NumNamed){name, x}));
    if (is_symbol(x)) text_entry(u, x)->meaning = meaning;
}

/* From here on the text of x is this name. */
static Num *name_it(Unit *u, const char *name, Num *x)
{
    Num *named = fd_local(u->fd, x->type, name);
    NumText *entry = text_entry(u, x);
    entry->text = name;
    entry->name = named;
    remember_name(u, name, named, x); /* the table of entries may grow */
    return named;
}

Num *num_let(Unit *u, const char *stem, Num *x)
{
    if (fd_is_const(x) || is_symbol(x)) return x;
    const char *text = num_text(u, x);
    Num *known = text_entry(u, x)->name;
    if (known) return known;
    const char *name = fresh_name(u, stem);
    plan_line(u, "let %s = %s", name, text);
    return name_it(u, name, x);
}

void num_guess(Unit *u, Num *x, bool is)
{
    x = by_name(u, x);
    if (!num_name(u, x) || text_entry(u, x)->guessed) return;
    plan_line(u, "%s %s", is ? "usual" : "seldom", x->name);
    text_entry(u, x)->guessed = true;
}

/* Fresh names are others than this one. */
static void avoid(Unit *u, const char *name)
{
    int len = 0, number = 0;
    const char *last = strrchr(name, '_');
    if (last && sscanf(last, "_%9d%n", &number, &len) == 1 && !last[len] && number >= u->nnames)
        u->nnames = number + 1;
}

bool num_name_let(Unit *u, const char *name, Num *x)
{
    int len = 0, number = 0;
    if (num_find(u, name, strlen(name))) return false;
    avoid(u, name);
    const char *known = text_entry(u, x)->text;
    plan_line(u, "let %s = %s", name, known ? known : fresh_text(u, x));
    if (sscanf(name, "part%9d%n", &number, &len) == 1 && !name[len]) { /* as num_text makes them */
        if (number >= numbers_of(u)->nparts) numbers_of(u)->nparts = number + 1;
        text_entry(u, x)->text = name;
        remember_name(u, name, x, x);
    } else if (fd_is_const(x) || is_symbol(x) || text_entry(u, x)->name) { /* it keeps its own */
        remember_name(u, name, fd_local(u->fd, x->type, name), x);
    } else {
        name_it(u, name, x);
    }
    return true;
}

Num *num_name_loop(Unit *u, const char *name, Num *to, Num *when)
{
    if (num_find(u, name, strlen(name))) return NULL;
    avoid(u, name);
    const char *end = num_text(u, to), *if_so = when && !num_is(when, 1) ? num_text(u, when) : NULL;
    plan_line(u, "loop %s = 0 to %s step 1%s%s", name, end, if_so ? " when " : "",
              if_so ? if_so : "");
    Num *x = symbol(u, name);
    remember_name(u, name, x, x);
    return x;
}

Num *num_loop(Unit *u, const char *stem, Num *to, Num *when)
{
    return num_name_loop(u, fresh_name(u, stem), to, when);
}

Num *num_find(Unit *u, const char *name, size_t len)
{
    const Numbers *n = numbers_of(u);
    for (size_t i = n->named.len; i-- > 0;)
        if (strncmp(n->named.data[i].name, name, len) == 0 && !n->named.data[i].name[len])
            return n->named.data[i].number;
    for (int f = 0; f < NUM_FACTS; f++)
        if (strlen(num_fact_names[f]) == len && memcmp(num_fact_names[f], name, len) == 0)
            return num_fact(u, (NumFact)f);
    return NULL;
}

Num *num_meaning(Unit *u, Num *x)
{
    Num *meaning = is_symbol(x) ? text_entry(u, x)->meaning : NULL;
    return meaning ? meaning : x;
}

static bool has_elements(const FdType *t)
{
    const FdType *e = t->nparams && t->nparams < FD_MAX_RANK ? t->result : NULL;
    return e && !e->nparams && !e->record && e->scalar != SC_BOOL && scalar_is_integer(e->scalar) &&
           scalar_bytes(e->scalar) <= 4;
}

Num *num_elements(Unit *u, const FdNode *read, bool greatest)
{
    if (!is_read(read) || !plan_is_input(u, read->fn) || !has_elements(read->fn->type)) return NULL;
    int rank = read->fn->type->nparams;
    Num *lo = num_slot_bound(u, read->fn->slot, rank, true),
        *n = num_slot_bound(u, read->fn->slot, rank, false), *one = num_int(u, 1);
    Num *end = greatest ? num_op(u, FD_OP_SUB, num_op(u, FD_OP_ADD, lo, n), one) : lo;
    Num *beyond = num_int(u, greatest ? (int64_t)1 << 32 : -((int64_t)1 << 32));
    return num_select(u, num_op(u, FD_OP_GT, n, num_int(u, 0)), end, beyond);
}

Num *num_slot(Unit *u, int number, int dim, bool lower)
{
    if (number < 0 || number >= u->order->nslots) return NULL;
    int slot = u->order->slots[number];
    const FdType *t = u->g->slots[slot].type;
    if (dim < 0 && !t->nparams)
        return number_of(u, fd_slot(u->fd, slot, t, u->g->slots[slot].name));
    bool elements = dim == t->nparams && has_elements(t);
    return elements || (dim >= 0 && dim < t->nparams) ? num_slot_bound(u, slot, dim, lower) : NULL;
}

Num *num_define(Unit *u, const char *name, Num *x)
{
    Numbers *n = numbers_of(u);
    for (size_t i = 0; i < n->macros.len; i++)
        if (strcmp(n->macros.data[i]->name, name) == 0) return n->macros.data[i];
    avoid(u, name);
    plan_line(u, "define %s = %s", name, num_text(u, x));
    Num *macro = symbol(u, name);
    vec_push(&n->macros, macro);
    remember_name(u, name, macro, x);
    return macro;
}

bool num_is_macro(Unit *u, Num *x)
{
    Numbers *n = numbers_of(u);
    for (size_t i = 0; i < n->macros.len; i++)
        if (n->macros.data[i] == x) return true;
    return false;
}

/* ---- of nodes of the graph ------------------------------------------------------------------- */

Num *num_slot_bound(Unit *u, int slot, int dim, bool lower)
{
    Numbers *n = numbers_of(u);
    size_t at = 2 * ((size_t)slot * FD_MAX_RANK + (size_t)dim) + lower;
    while (n->bounds.len <= at) vec_push(&n->bounds, NULL);
    const char *what = lower ? "lo" : "n";
    if (!n->bounds.data[at])
        n->bounds.data[at] =
            symbol(u, arena_printf(u->arena, "s%d.%s%d", u->plan_slot[slot], what, dim));
    return n->bounds.data[at];
}

static Num *bound_of(Unit *u, const FdNode *n)
{
    bool lower = fd_op_of(n) == FD_OP_LOWER;
    const FdNode *f = n->args[0];
    int dim = (int)n->args[1]->value.i;
    const FdDom *d = f->kind == FD_LET ? &f->doms[dim] : plan_known_range(u, f, dim);
    if (d && d->lo) return number_of(u, lower ? d->lo : d->hi);
    if (!plan_is_input(u, f)) return NULL;
    Num *lo = num_slot_bound(u, f->slot, dim, true);
    return lower ? lo : num_op(u, FD_OP_ADD, lo, num_slot_bound(u, f->slot, dim, false));
}

Num *num_long(Unit *u, Num *x)
{
    return result_kind(x) == SC_LONG ? x : fd_simple_op(u->fd, FD_OP_CONVERT, SC_LONG, 1, &x);
}

static Num *operation_of(Unit *u, const FdNode *n)
{
    Num *x[3] = {NULL, NULL, NULL};
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return bound_of(u, n);
    if (n->nargs > 3) return NULL;
    for (int i = 0; i < n->nargs; i++)
        if (!(x[i] = number_of(u, n->args[i]))) return NULL;
    if (fd_op_infix(op) || op == FD_OP_MIN || op == FD_OP_MAX) return num_op(u, op, x[0], x[1]);
    switch (op) {
    case FD_OP_NEG: return num_op(u, FD_OP_SUB, num_int(u, 0), x[0]);
    case FD_OP_LNOT: return num_not(u, x[0]);
    case FD_OP_GIVEN: return num_long(u, x[0]);
    case FD_OP_SELECT: return num_select(u, x[0], x[1], x[2]);
    case FD_OP_CONVERT: return result_kind(n) == SC_BOOL ? x[0] : num_long(u, x[0]);
    default: return NULL;
    }
}

static Num *fresh_number(Unit *u, const FdNode *n)
{
    if (!fd_type_is_scalar(n->type) || scalar_is_real(result_kind(n))) return NULL;
    bool truth = result_kind(n) == SC_BOOL;
    if (is_symbol(n)) return n;
    if (fd_is_const(n)) return truth ? n : num_int(u, n->value.i);
    if (n->kind == FD_SCALAR) return n->slot >= u->ninputs ? NULL : truth ? n : num_long(u, n);
    return n->kind == FD_APPLY && fd_op_of(n) != FD_OP_NONE ? operation_of(u, n) : NULL;
}

/* Each node is asked once: a graph has many paths to it. */
static Num *number_of(Unit *u, const FdNode *n)
{
    Numbers *all = numbers_of(u);
    while (all->numbers.len <= n->id) vec_push(&all->numbers, (NumOf){0});
    if (!all->numbers.data[n->id].asked) {
        Num *x = fresh_number(u, n);
        all->numbers.data[n->id] = (NumOf){true, x};
    }
    return all->numbers.data[n->id].number;
}

Num *num_of(Unit *u, const FdNode *n)
{
    Num *x = number_of(u, n);
    return x ? num_long(u, x) : NULL;
}

Num *num_must(Unit *u, const FdNode *n)
{
    Num *x = num_of(u, n);
    return x ? x : num_unsayable(u);
}

/* ---- text -------------------------------------------------------------------------------------- */

static const char *operation_text(Unit *u, Num *n)
{
    Arena *a = u->arena;
    FdOp op = fd_op_of(n);
    const char *x[3] = {NULL, NULL, NULL};
    for (int i = 0; i < n->nargs; i++) x[i] = num_text(u, n->args[i]);
    if (fd_op_infix(op)) return arena_printf(a, "(%s %s %s)", x[0], fd_op_infix(op), x[1]);
    switch (op) {
    case FD_OP_MIN: return arena_printf(a, "min(%s, %s)", x[0], x[1]);
    case FD_OP_MAX: return arena_printf(a, "max(%s, %s)", x[0], x[1]);
    case FD_OP_NEG: return arena_printf(a, "(0 - %s)", x[0]);
    case FD_OP_LNOT: return arena_printf(a, "!%s", x[0]);
    case FD_OP_SELECT: return arena_printf(a, "(%s ? %s : %s)", x[0], x[1], x[2]);
    case FD_OP_CONVERT: return x[0]; /* an int is a long here, a condition 0 or 1 */
    default: internal_error("number", fd_op_info(op)->text);
    }
}

static const char *fresh_text(Unit *u, Num *x)
{
    Arena *a = u->arena;
    if (is_symbol(x)) return x->name;
    if (fd_is_const(x))
        return arena_printf(a, x->value.i < 0 ? "(%" PRId64 ")" : "%" PRId64, x->value.i);
    if (x->kind == FD_SCALAR) return arena_printf(a, "s%d", u->plan_slot[x->slot]);
    return operation_text(u, x);
}

/* x over what has got a name since it was made, as its text is read again; parts are what they are. */
static Num *renamed(Unit *u, Num *x)
{
    const char *known = text_entry(u, x)->text;
    if (x->kind != FD_APPLY || (known && strncmp(known, "part", 4) == 0)) return x;
    Num *args[3];
    bool same = true;
    for (int i = 0; i < x->nargs; i++) {
        args[i] = by_name(u, renamed(u, x->args[i]));
        same = same && args[i] == x->args[i];
    }
    return same ? x : fd_simple_op(u->fd, fd_op_of(x), x->type->scalar, x->nargs, args);
}

const char *num_text(Unit *u, Num *x)
{
    const char *known = text_entry(u, x)->text;
    if (known) return known;
    const char *text = fresh_text(u, x);
    Num *now = strlen(text) > LONGEST ? renamed(u, x) : x;
    if (now != x) {
        text = num_text(u, now);
    } else if (strlen(text) > LONGEST) {
        const char *name = arena_printf(u->arena, "part%d", numbers_of(u)->nparts++);
        plan_line(u, "let %s = %s", name, text);
        remember_name(u, name, x, x);
        text = name;
    }
    return text_entry(u, x)->text = text;
}
