/* Writing plans: bounds of the graph as plan expressions, lines, names (see docs/kernels.md). */
#include <inttypes.h>
#include <string.h>

#include "unit.h"

void plan_line(Unit *u, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    text_add(&u->plan, " * ");
    text_vprintf(&u->plan, fmt, ap);
    text_add(&u->plan, "\n");
    va_end(ap);
}

const char *fresh_name(Unit *u, const char *stem)
{
    return arena_printf(u->arena, "%s_%d", stem, u->nnames++);
}

const char *plan_let(Unit *u, const char *stem, const char *expr)
{
    const char *name = fresh_name(u, stem);
    plan_line(u, "let %s = %s", name, expr);
    return name;
}

void plan_define(Unit *u, const char *name, const char *expr)
{
    for (size_t i = 0; i < u->defines.len; i++)
        if (strcmp(u->defines.data[i], name) == 0) return;
    vec_push(&u->defines, name);
    plan_line(u, "define %s = %s", name, expr);
}

static const FdDom *temp_dom(const Unit *u, int slot, int dim)
{
    const FdNode *def = u->g->slots[slot].def;
    return def && def->kind == FD_LET ? &def->doms[dim] : NULL;
}

/* Of array slot `slot` (an input or a temporary): */
static const char *plan_slot_lo(Unit *u, int slot, int dim)
{
    if (slot >= u->ninputs) return plan_lo(u, temp_dom(u, slot, dim));
    return arena_printf(u->arena, "s%d.lo%d", u->plan_slot[slot], dim);
}

static const char *plan_slot_n(Unit *u, int slot, int dim)
{
    if (slot >= u->ninputs) return plan_n(u, temp_dom(u, slot, dim));
    return arena_printf(u->arena, "s%d.n%d", u->plan_slot[slot], dim);
}

static const FdDom *self_dom(Unit *u, const FdNode *self, int dim)
{
    if (u->def && u->def->node->self == self) return &u->def->doms[dim];
    u->host_only = true; /* of a recurrence that was not made a definition of its own */
    return NULL;
}

const char *plan_array_lo(Unit *u, const FdNode *array, int dim)
{
    if (array->kind == FD_VAR) return plan_lo(u, self_dom(u, array, dim));
    return plan_slot_lo(u, array->slot, dim);
}

const char *plan_array_n(Unit *u, const FdNode *array, int dim)
{
    if (array->kind == FD_VAR) return plan_n(u, self_dom(u, array, dim));
    return plan_slot_n(u, array->slot, dim);
}

static const char *plan_bound(Unit *u, const FdNode *n)
{
    const FdNode *f = n->args[0];
    int dim = (int)n->args[1]->value.i;
    if (f->kind == FD_LET && f->doms[dim].lo)
        return plan_text(u, fd_op_of(n) == FD_OP_LOWER ? f->doms[dim].lo : f->doms[dim].hi);
    if (f->kind != FD_FUNC || f->leaf != FD_LEAF_SLOT) {
        u->host_only = true;
        return "0";
    }
    const char *lo = plan_slot_lo(u, f->slot, dim);
    if (fd_op_of(n) == FD_OP_LOWER) return lo;
    return arena_printf(u->arena, "(%s + %s)", lo, plan_slot_n(u, f->slot, dim));
}

const char *plan_text(Unit *u, const FdNode *n)
{
    static const struct {
        FdOp op;
        const char *text;
    } infix[] = {{FD_OP_ADD, "+"}, {FD_OP_SUB, "-"}, {FD_OP_MUL, "*"}, {FD_OP_DIV, "/"},
                 {FD_OP_REM, "%"}, {FD_OP_EQ, "=="}, {FD_OP_NE, "!="}, {FD_OP_LT, "<"},
                 {FD_OP_LE, "<="}, {FD_OP_GT, ">"},  {FD_OP_GE, ">="}, {FD_OP_LAND, "&&"},
                 {FD_OP_LOR, "||"}};
    Arena *a = u->arena;
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_CONST && !scalar_is_real(result_kind(n)))
        return arena_printf(a, n->value.i < 0 ? "(%" PRId64 ")" : "%" PRId64, n->value.i);
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT && n->slot < u->ninputs &&
        !scalar_is_real(result_kind(n)))
        return arena_printf(a, "s%d", u->plan_slot[n->slot]);
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return plan_bound(u, n);
    for (size_t i = 0; i < sizeof infix / sizeof *infix; i++)
        if (op == infix[i].op)
            return arena_printf(a, "(%s %s %s)", plan_text(u, n->args[0]), infix[i].text,
                                plan_text(u, n->args[1]));
    if (op == FD_OP_MIN || op == FD_OP_MAX)
        return arena_printf(a, "%s(%s, %s)", op == FD_OP_MIN ? "min" : "max",
                            plan_text(u, n->args[0]), plan_text(u, n->args[1]));
    if (op == FD_OP_NEG) return arena_printf(a, "(0 - %s)", plan_text(u, n->args[0]));
    if (op == FD_OP_SELECT)
        return arena_printf(a, "(%s ? %s : %s)", plan_text(u, n->args[0]), plan_text(u, n->args[1]),
                            plan_text(u, n->args[2]));
    if (op == FD_OP_CONVERT && !scalar_is_real(result_kind(n->args[0])))
        return plan_text(u, n->args[0]);
    u->host_only = true;
    return "0";
}

const char *plan_lo(Unit *u, const FdDom *d)
{
    if (d && d->lo) return plan_text(u, d->lo);
    u->host_only = true;
    return "0";
}

const char *plan_n(Unit *u, const FdDom *d)
{
    if (!d || !d->lo) {
        u->host_only = true;
        return "0";
    }
    /* the whole dimension of an array, as most ranges are */
    if (fd_op_of(d->lo) == FD_OP_LOWER && fd_op_of(d->hi) == FD_OP_UPPER &&
        d->lo->args[0] == d->hi->args[0] && d->lo->args[1] == d->hi->args[1] &&
        d->lo->args[0]->kind == FD_FUNC && d->lo->args[0]->leaf == FD_LEAF_SLOT)
        return plan_slot_n(u, d->lo->args[0]->slot, (int)d->lo->args[1]->value.i);
    const char *lo = plan_lo(u, d), *hi = plan_text(u, d->hi);
    if (strcmp(lo, "0") == 0) return arena_printf(u->arena, "max(%s, 0)", hi);
    return arena_printf(u->arena, "max(%s - %s, 0)", hi, lo);
}

const char *plan_elements(Unit *u, const Def *d, int n)
{
    const char *text = "1";
    for (int i = 0; i < n; i++) {
        const char *len = plan_n(u, &d->doms[i]);
        text = i ? arena_printf(u->arena, "%s * %s", text, len) : len;
    }
    return text;
}

/* ---- can reads fall outside? ----------------------------------------------------------------- */

typedef struct Scope { /* binders around a node */
    const struct Scope *up;
    int nvars;
    const FdNode *const *vars;
    const FdDom *doms;
} Scope;

static const FdDom *scope_dom(const Scope *s, const FdNode *v)
{
    for (; s; s = s->up)
        for (int i = 0; i < s->nvars; i++)
            if (s->vars[i] == v) return &s->doms[i];
    return NULL;
}

/* Least (or greatest) value of an index over the ranges of its variables, as plan text; NULL if it
 * is not affine over closed ranges. */
static const char *extreme(Unit *u, const FdNode *n, const Scope *s, bool greatest)
{
    Arena *a = u->arena;
    if (n->kind == FD_VAR) {
        const FdDom *d = scope_dom(s, n);
        if (!d || !d->lo || !node_is_closed(d->lo) || !node_is_closed(d->hi)) return NULL;
        return greatest ? arena_printf(a, "(%s - 1)", plan_text(u, d->hi)) : plan_text(u, d->lo);
    }
    if (n->kind == FD_APPLY && fd_op_of(n) == FD_OP_CONVERT &&
        scalar_is_integer(result_kind(n->args[0])))
        return extreme(u, n->args[0], s, greatest);
    if (n->kind == FD_SCALAR || node_is_closed(n)) {
        bool before =
            u->host_only; /* a bound that plans cannot say only means that it is checked */
        const char *t = plan_text(u, n);
        bool failed = u->host_only && !before;
        u->host_only = before;
        return failed ? NULL : t;
    }
    if (n->kind != FD_APPLY) return NULL;
    FdOp op = fd_op_of(n);
    if (op == FD_OP_ADD || op == FD_OP_SUB) {
        const char *x = extreme(u, n->args[0], s, greatest);
        const char *y = extreme(u, n->args[1], s, op == FD_OP_ADD ? greatest : !greatest);
        return x && y ? arena_printf(a, "(%s %s %s)", x, op == FD_OP_ADD ? "+" : "-", y) : NULL;
    }
    if (op == FD_OP_NEG) {
        const char *x = extreme(u, n->args[0], s, !greatest);
        return x ? arena_printf(a, "(0 - %s)", x) : NULL;
    }
    for (int i = 0; op == FD_OP_MUL && i < 2; i++) {
        const FdNode *c = n->args[i];
        if (!fd_is_const(c)) continue;
        const char *x = extreme(u, n->args[1 - i], s, c->value.i < 0 ? !greatest : greatest);
        return x ? arena_printf(a, "(%s * (%" PRId64 "))", x, c->value.i) : NULL;
    }
    return NULL;
}

static void add_condition(Unit *u, const char **all, const char *c)
{
    if (strcmp(*all, "1") == 0) return;
    *all = strcmp(c, "1") == 0 || strcmp(*all, "0") == 0
               ? c
               : arena_printf(u->arena, "%s || %s", *all, c);
}

/* Reads whose variables were all inferred are inside by construction, unless a branch hides them.
 */
static bool trusted(const FdNode *index, const Scope *s)
{
    if (index->kind == FD_VAR) {
        const FdDom *d = scope_dom(s, index);
        return d && d->kind == FD_DOM_INFERRED;
    }
    if (index->kind == FD_SCALAR) return false; /* a(5): nothing narrowed anything */
    if (index->kind != FD_APPLY || is_read(index)) return false;
    FdOp op = fd_op_of(index);
    if (op == FD_OP_MUL)
        return (fd_is_const(index->args[0]) && trusted(index->args[1], s)) ||
               (fd_is_const(index->args[1]) && trusted(index->args[0], s));
    if (op == FD_OP_CONVERT || op == FD_OP_NEG) return trusted(index->args[0], s);
    if (op != FD_OP_ADD && op != FD_OP_SUB) return false;
    bool a = trusted(index->args[0], s), b = trusted(index->args[1], s);
    return (a && b) || (a && node_is_closed(index->args[1])) ||
           (b && node_is_closed(index->args[0]));
}

/* seen: what was met outside branches, and in them, where nothing more can be found. A node that
 * two scopes share uses what both have only. */
static void unsafe_reads(Unit *u, const FdNode *n, const Scope *s, bool branch, FdSeen seen[2],
                         const char **all)
{
    if (!fd_meet(&seen[branch], n)) return;
    if (n->kind == FD_REDUCE) {
        Scope inner = {s, n->nvars, n->vars, n->doms};
        for (int i = 0; i < n->nvars; i++) {
            if (!n->doms[i].lo) continue; /* infinite: no kernel will be made */
            unsafe_reads(u, n->doms[i].lo, s, branch, seen, all);
            unsafe_reads(u, n->doms[i].hi, s, branch, seen, all);
        }
        unsafe_reads(u, n->body, &inner, branch, seen, all);
        if (n->init) unsafe_reads(u, n->init, s, branch, seen, all);
        if (n->fn->kind == FD_LET) {
            Scope lambda = {&inner, n->fn->nvars, n->fn->vars, n->fn->doms};
            unsafe_reads(u, n->fn->body, &lambda, branch, seen, all);
        }
        return;
    }
    if (n->kind != FD_APPLY) return;
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return;
    if (n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_USER && user_reads(n->fn->user))
        add_condition(u, all, "1"); /* only the body knows its indices */
    for (int i = 0; i < n->nargs; i++)
        unsafe_reads(u, n->args[i], s,
                     branch || (op != FD_OP_NONE && fd_op_info(op)->props & FD_LAZY && i > 0), seen,
                     all);
    if (!is_read(n)) return;
    for (int d = 0; d < n->nargs; d++) {
        const FdNode *index = n->args[d];
        if (!branch && n->fn->kind == FD_FUNC && trusted(index, s)) continue;
        vec_push(&u->suspects, n);
        const char *lo = extreme(u, index, s, false), *hi = extreme(u, index, s, true);
        if (!lo || !hi) {
            add_condition(u, all, "1");
            continue;
        }
        const char *from = plan_array_lo(u, n->fn, d), *len = plan_array_n(u, n->fn, d);
        add_condition(u, all,
                      arena_printf(u->arena, "%s < %s || %s >= %s + %s", lo, from, hi, from, len));
    }
}

const char *plan_unsafe(Unit *u, const Def *d)
{
    Scope outer = {NULL, d->nvars, d->vars, d->doms};
    const char *all = "0";
    FdSeen seen[2] = {{0}, {0}};
    unsafe_reads(u, d->body, &outer, false, seen, &all);
    fd_seen_free(&seen[0]);
    fd_seen_free(&seen[1]);
    return all;
}

int site_of(const FdNode *n)
{
    return n->loc.line - 1; /* fd_number_places */
}
