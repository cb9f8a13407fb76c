/* Conditionals inside each other, deeper than compilers read brackets, one after the other.
 *
 *   before   if (c) { int x = f; if (d) A else B; C }
 *   after    int p = c; int x; int q; if (p) { x = f; q = d; } else q = 0; if (q) A; if (p && !q)
 * B; if (p) C
 *
 * Keeps: what runs and in which order; break, continue and return leave what they left before.
 */
#include "../plan/draw.h"
#include "gen.h"

enum { DEEP = 32 }; /* from here on */

static const KirType truth = {.kind = SC_BOOL, .lanes = 1};

static bool has_condition(const KirStmt *s)
{
    for (; s; s = s->next)
        if (s->kind == KIR_IF && s->expr) return true;
    return false;
}

static const KirExpr *both(Arena *a, const KirExpr *x, const KirExpr *y)
{
    const KirExpr *args[] = {x, y};
    return kir_op(a, FD_OP_LAND, truth, 2, args);
}

static const KirExpr *zero(Arena *a)
{
    return kir_const(a, SC_BOOL, (ScalarValue){.i = 0});
}

/* A variable of the block around, set where it is declared now. */
static void declare_before(Arena *a, KirBlock *out, KirBlock *here, KirStmt *decl)
{
    const KirExpr *init = decl->expr;
    decl->expr = NULL;
    kir_append(out, decl);
    if (init) kir_set(a, here, kir_name(a, decl->type, decl->name), init);
}

/* The statements of one branch, which runs if `when` holds, to `out`. */
static void unfold(Unit *u, KirBlock *out, const KirExpr *when, KirStmt *s)
{
    Arena *a = u->arena;
    KirBlock here = {0};
    for (KirStmt *next; s; s = next) {
        next = s->next;
        if (s->kind == KIR_DECL) {
            declare_before(a, out, &here, s);
            continue;
        }
        if (s->kind != KIR_IF || !s->expr) {
            kir_append(&here, s);
            continue;
        }
        const KirExpr *taken = kir_name(a, truth, fresh_name(u, "taken"));
        kir_decl(a, out, truth, taken->name, zero(a));
        kir_set(a, &here, taken, s->expr);
        kir_if(a, out, when, here, NULL);
        here = (KirBlock){0};
        KirBlock then = {.first = s->body}, other = {.first = s->other};
        if (s->body) kir_if(a, out, taken, then, NULL);
        if (s->other)
            kir_if(a, out, both(a, when, kir_op(a, FD_OP_LNOT, truth, 1, &taken)), other, NULL);
    }
    if (here.first) kir_if(a, out, when, here, NULL);
}

static KirStmt *flatten(Unit *u, KirStmt *list, int depth, int deep)
{
    Arena *a = u->arena;
    for (KirStmt **at = &list; *at; at = &(*at)->next) {
        KirStmt *s = *at;
        while (s->kind == KIR_IF && s->expr && depth >= deep &&
               (has_condition(s->body) || has_condition(s->other))) {
            KirBlock out = {0};
            const KirExpr *taken = kir_name(a, truth, fresh_name(u, "taken"));
            kir_decl(a, &out, truth, taken->name, s->expr);
            unfold(u, &out, taken, s->body);
            if (s->other) unfold(u, &out, kir_op(a, FD_OP_LNOT, truth, 1, &taken), s->other);
            out.last->next = s->next;
            *at = s = out.first;
        }
        s->body = flatten(u, s->body, depth + 1, deep);
        s->other = flatten(u, s->other, depth + 1, deep);
    }
    return list;
}

KirStmt *flatten_branches(Unit *u, KirStmt *body)
{
    return flatten(u, body, 0, (int)draw_same(u, P_LANES_BRANCHES, DEEP));
}
