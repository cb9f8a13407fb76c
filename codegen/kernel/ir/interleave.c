/* Several copies of statements, each statement for all copies before the next: what one waits for,
 * others fill. Loops become one: a branch that asks whether any lane of a mask is active asks those
 * of all copies.
 *
 *   before   for u in 0..2 unrolled: { x = f(u); for (;;) { if (!any(m)) break; x = g(x); m &= x < 4; } }
 *   after    x_0 = f(0); x_1 = f(1);
 *            for (;;) { if (!any(m_0 | m_1)) break; x_0 = g(x_0); x_1 = g(x_1); m_0 &= ..; m_1 &= ..; }
 *
 * What is the same in all copies is done once. */
#include <string.h>

#include "../../../base/vec.h"
#include "kir.h"

typedef VEC(const char *) Names;

typedef struct Copies {
    Arena *a;
    const char *var;
    int count;
    Names own;    /* declared in the statements */
    Names differ; /* from copy to copy */
    bool changed, failed;
} Copies;

static bool has(const Names *names, const char *name)
{
    for (size_t i = 0; i < names->len; i++)
        if (strcmp(names->data[i], name) == 0) return true;
    return false;
}

static bool is_named(const KirExpr *e)
{
    return e->kind == KIR_NAME || e->kind == KIR_ELEM || e->kind == KIR_LOAD;
}

static bool differs(const Copies *c, const KirExpr *e)
{
    if (!e) return false;
    if (is_named(e) && has(&c->differ, e->name)) return true;
    for (int i = 0; i < e->nargs; i++)
        if (differs(c, e->args[i])) return true;
    return false;
}

static void mark(Copies *c, const char *name)
{
    if (has(&c->differ, name)) return;
    vec_push(&c->differ, name);
    c->changed = true;
}

static KirExpr *with_args(Copies *c, const KirExpr *e, const KirExpr **args)
{
    KirExpr *n = arena_new_of(c->a, KirExpr);
    *n = *e;
    n->args = args;
    return n;
}

/* ---- what differs ------------------------------------------------------------------------------ */

/* Is a condition the same for all copies once it asks for any lane of all of them? */
static bool is_common(const Copies *c, const KirExpr *e)
{
    if (kir_is(e, INTR_ANY) || !differs(c, e)) return true;
    if (is_named(e)) return false;
    for (int i = 0; i < e->nargs; i++)
        if (!is_common(c, e->args[i])) return false;
    return true;
}

/* Statements that each copy can run or not for itself. */
static bool is_plain(const KirStmt *s)
{
    for (; s; s = s->next) {
        bool simple = s->kind == KIR_DECL || s->kind == KIR_SET || s->kind == KIR_STORE ||
                      s->kind == KIR_EVAL;
        if (!simple && !(s->kind == KIR_IF && is_plain(s->body) && is_plain(s->other)))
            return false;
    }
    return true;
}

static bool is_apart(const Copies *c, const KirStmt *s)
{
    return s->kind == KIR_IF && s->expr && !is_common(c, s->expr);
}

/* What some copies only set differs. */
static void mark_all(Copies *c, const KirStmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == KIR_DECL) mark(c, s->name);
        if (s->kind == KIR_SET && is_named(s->target)) mark(c, s->target->name);
        mark_all(c, s->body);
        mark_all(c, s->other);
    }
}

static void look(Copies *c, const KirStmt *s)
{
    for (; s; s = s->next) {
        switch (s->kind) {
        case KIR_DECL:
            if (!has(&c->own, s->name)) vec_push(&c->own, s->name);
            if (differs(c, s->expr)) mark(c, s->name);
            break;
        case KIR_SET:
            if (!is_named(s->target))
                c->failed = true;
            else if (differs(c, s->expr) || differs(c, s->target))
                mark(c, s->target->name);
            break;
        case KIR_STORE: /* to a private array, too */
            if (has(&c->own, s->name) && (differs(c, s->expr) || differs(c, s->target)))
                mark(c, s->name);
            break;
        case KIR_FOR:
            if (differs(c, s->lo) || differs(c, s->hi) || differs(c, s->step)) c->failed = true;
            break;
        case KIR_IF:
            if (!is_apart(c, s)) break;
            if (!is_plain(s->body) || !is_plain(s->other)) c->failed = true;
            mark_all(c, s->body);
            mark_all(c, s->other);
            break;
        case KIR_EVAL:
        case KIR_LOOP:
        case KIR_BREAK:
        case KIR_CONTINUE: break;
        case KIR_PLANE:
        case KIR_RETURN:
        case KIR_BARRIER: c->failed = true; break;
        }
        look(c, s->body);
        look(c, s->other);
    }
}

/* ---- copies ------------------------------------------------------------------------------------ */

static const char *copy_name(Copies *c, const char *name, int copy)
{
    if (!has(&c->own, name) || !has(&c->differ, name)) return name;
    return arena_printf(c->a, "%s_%d", name, copy);
}

static const KirExpr *copy_of(Copies *c, const KirExpr *e, int copy)
{
    if (!e || !differs(c, e)) return e;
    if (e->kind == KIR_NAME && strcmp(e->name, c->var) == 0) return kir_int(c->a, copy);
    const KirExpr **args = arena_array(c->a, const KirExpr *, e->nargs + 1);
    for (int i = 0; i < e->nargs; i++) args[i] = copy_of(c, e->args[i], copy);
    if (e->kind == KIR_ARITH) return kir_arith(c->a, e->op, args[0], args[1]);
    KirExpr *n = with_args(c, e, args);
    if (is_named(e)) n->name = copy_name(c, e->name, copy);
    return n;
}

static const KirExpr *common(Copies *c, const KirExpr *e)
{
    if (!e || !differs(c, e)) return e;
    const KirExpr **args = arena_array(c->a, const KirExpr *, e->nargs + 1);
    if (kir_is(e, INTR_ANY)) {
        args[0] = copy_of(c, e->args[0], 0);
        for (int k = 1; k < c->count; k++) {
            const KirExpr *both[] = {args[0], copy_of(c, e->args[0], k)};
            args[0] = kir_op(c->a, FD_OP_LOR, both[1]->type, 2, both);
        }
    } else {
        for (int i = 0; i < e->nargs; i++) args[i] = common(c, e->args[i]);
    }
    return with_args(c, e, args);
}

static bool statement_differs(const Copies *c, const KirStmt *s)
{
    if (s->kind == KIR_DECL) return has(&c->differ, s->name);
    return differs(c, s->expr) || differs(c, s->target) ||
           (s->kind == KIR_STORE && has(&c->differ, s->name));
}

static KirStmt *copy_statement(Copies *c, const KirStmt *s, int copy)
{
    KirStmt *one = arena_new_of(c->a, KirStmt);
    *one = *s;
    one->expr = copy_of(c, s->expr, copy);
    one->target = copy_of(c, s->target, copy);
    if (s->name) one->name = copy_name(c, s->name, copy);
    KirBlock body = {0}, other = {0};
    for (const KirStmt *t = s->body; t; t = t->next) kir_append(&body, copy_statement(c, t, copy));
    for (const KirStmt *t = s->other; t; t = t->next)
        kir_append(&other, copy_statement(c, t, copy));
    one->body = body.first;
    one->other = other.first;
    return one;
}

static KirBlock interleaved(Copies *c, KirStmt *s)
{
    KirBlock out = {0};
    for (KirStmt *next; s; s = next) {
        next = s->next;
        bool apart = is_apart(c, s);
        if (!apart && (s->kind == KIR_IF || s->kind == KIR_LOOP || s->kind == KIR_FOR)) {
            s->expr = common(c, s->expr);
            s->body = interleaved(c, s->body).first;
            s->other = interleaved(c, s->other).first;
        } else if (apart || statement_differs(c, s)) {
            for (int k = 0; k < c->count; k++) kir_append(&out, copy_statement(c, s, k));
            continue;
        }
        kir_append(&out, s);
    }
    return out;
}

bool kir_interleave(Arena *a, KirBlock *b, const char *var, int count)
{
    Copies c = {.a = a, .var = var, .count = count};
    vec_push(&c.differ, var);
    do {
        c.changed = false;
        look(&c, b->first);
    } while (c.changed && !c.failed);
    if (!c.failed) *b = interleaved(&c, b->first);
    vec_free(&c.own);
    vec_free(&c.differ);
    return !c.failed;
}

bool kir_has_loop(const KirStmt *s)
{
    for (; s; s = s->next)
        if (s->kind == KIR_LOOP || (s->kind == KIR_FOR && !s->unroll) || kir_has_loop(s->body) ||
            kir_has_loop(s->other))
            return true;
    return false;
}
