/* Writing plans: bounds of the graph as plan expressions, lines, names (see docs/kernels.md). */
#include <inttypes.h>
#include <string.h>

#include "../unit.h"

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

/* ---- parts that have a name ------------------------------------------------------------------ */

enum { LONGEST = 240 };

typedef struct NodeText { /* of a node; failed: plans cannot say it */
    const char *text;
    bool failed;
} NodeText;

struct PlanTexts {
    VEC(NodeText) nodes;     /* by id */
    VEC(const char *) exprs; /* open hash table of texts */
    VEC(const char *) names; /* their lets */
    size_t used;
};

static PlanTexts *texts_of(Unit *u)
{
    if (!u->texts) u->texts = arena_new_of(u->arena, PlanTexts);
    return u->texts;
}

void plan_texts_free(Unit *u)
{
    if (!u->texts) return;
    vec_free(&u->texts->nodes);
    vec_free(&u->texts->exprs);
    vec_free(&u->texts->names);
}

static size_t find_text(const PlanTexts *t, const char *expr)
{
    size_t hash = 5381, size = t->exprs.len;
    for (const char *p = expr; *p; p++) hash = hash * 33 ^ (unsigned char)*p;
    size_t at = hash & (size - 1);
    while (t->exprs.data[at] && strcmp(t->exprs.data[at], expr) != 0) at = (at + 1) & (size - 1);
    return at;
}

static void grow_texts(PlanTexts *t)
{
    PlanTexts old = *t;
    size_t size = old.exprs.len ? old.exprs.len * 2 : 64;
    t->exprs.data = NULL, t->exprs.len = t->exprs.cap = 0;
    t->names.data = NULL, t->names.len = t->names.cap = 0;
    for (size_t i = 0; i < size; i++) {
        vec_push(&t->exprs, NULL);
        vec_push(&t->names, NULL);
    }
    for (size_t i = 0; i < old.exprs.len; i++) {
        if (!old.exprs.data[i]) continue;
        size_t at = find_text(t, old.exprs.data[i]);
        t->exprs.data[at] = old.exprs.data[i];
        t->names.data[at] = old.names.data[i];
    }
    vec_free(&old.exprs);
    vec_free(&old.names);
}

const char *plan_short(Unit *u, const char *expr)
{
    if (strlen(expr) <= LONGEST) return expr;
    PlanTexts *t = texts_of(u);
    if (t->used * 2 >= t->exprs.len) grow_texts(t);
    size_t at = find_text(t, expr);
    if (!t->exprs.data[at]) {
        const char *name = arena_printf(u->arena, "part%zu", t->used++);
        t->exprs.data[at] = expr;
        t->names.data[at] = name;
        plan_line(u, "let %s = %s", name, expr);
    }
    return t->names.data[at];
}

static NodeText *node_text(Unit *u, const FdNode *n)
{
    PlanTexts *t = texts_of(u);
    while (t->nodes.len <= n->id) vec_push(&t->nodes, (NodeText){0});
    return &t->nodes.data[n->id];
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

static const char *text_of(Unit *u, const FdNode *n)
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

const char *plan_text(Unit *u, const FdNode *n)
{
    NodeText known = *node_text(u, n);
    if (!known.text) {
        bool before = u->host_only;
        u->host_only = false;
        known.text = plan_short(u, text_of(u, n));
        known.failed = u->host_only;
        u->host_only = before;
        *node_text(u, n) = known;
    }
    u->host_only |= known.failed;
    return known.text;
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
    if (strcmp(lo, "0") == 0) return plan_short(u, arena_printf(u->arena, "max(%s, 0)", hi));
    return plan_short(u, arena_printf(u->arena, "max(%s - %s, 0)", hi, lo));
}

const char *plan_elements(Unit *u, const Def *d, int n)
{
    const char *text = "1";
    for (int i = 0; i < n; i++) {
        const char *len = plan_n(u, &d->doms[i]);
        text = i ? plan_short(u, arena_printf(u->arena, "%s * %s", text, len)) : len;
    }
    return text;
}

int site_of(const FdNode *n)
{
    return n->loc.line - 1; /* fd_number_places */
}
