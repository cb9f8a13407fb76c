/* Expressions that read arrays of a few elements and are none:
 *
 *     y[0] + y(1)             $y$0 + $y$1
 *     y.Length                2
 *     sum(y * y)              0 + $y$0 * $y$0 + $y$1 * $y$1
 *     sum(i : 0..2, a(i))     0 + a(0) + a(1)
 *     norm(y)                 $small_norm($y$0, $y$1)
 */
#include <string.h>

#include "small.h"

/* ---- reads --------------------------------------------------------------------------------------------- */

/* The element at these indices, which csc knows; false: it does not. */
static bool place(Small *w, const AstList *args, const SmallBox *box, int *at)
{
    int64_t i;
    *at = 0;
    if (args->len != box->rank) return false;
    for (int d = 0; d < box->rank; d++) {
        if (!small_int(w, args->data[d], &i) || i < 0 || i >= box->n[d]) return false;
        *at = *at * box->n[d] + (int)i;
    }
    return true;
}

/* array[1] or array(1); false: it is none. */
static bool element(Small *w, Ast **slot)
{
    Ast *n = *slot;
    Ast *base = n->kind == AST_INDEX ? n->index.base : n->call.callee;
    const AstList *args = n->kind == AST_INDEX ? &n->index.args : &n->call.args;
    SmallBox box;
    int at;
    const SmallArray *a = base->kind == AST_NAME_REF ? small_find(w, base->name_ref.name) : NULL;
    if (a) {
        if (place(w, args, &a->box, &at)) {
            *slot = tree_name(w->s, n->loc, a->elements[at]);
            return true;
        }
        small_reject(w, a);
        return false;
    }
    if (n->kind != AST_INDEX || base->kind == AST_NAME_REF || !w->before ||
        !small_box(w, base, &box) || !place(w, args, &box, &at))
        return false;
    AstList all = small_elements(w, base, NULL);
    if (at < all.len) *slot = all.data[at];
    return true;
}

/* ---- reductions ------------------------------------------------------------------------------------------ */

typedef enum Fold { FOLD_NONE, FOLD_SUM, FOLD_PROD, FOLD_MIN, FOLD_MAX } Fold;

static Fold fold_of(Small *w, const Ast *n)
{
    if (n->kind == AST_REDUCE)
        return n->reduce.op == AST_OP_ADD   ? FOLD_SUM
               : n->reduce.op == AST_OP_MUL ? FOLD_PROD
                                            : FOLD_NONE;
    if (n->kind != AST_CALL || n->call.callee->kind != AST_NAME_REF ||
        scope_user(w->s, n->call.callee->name_ref.name) || !call_is_reduction(w->s, n))
        return FOLD_NONE;
    const char *name = n->call.callee->name_ref.name;
    return !strcmp(name, "sum")    ? FOLD_SUM
           : !strcmp(name, "prod") ? FOLD_PROD
           : !strcmp(name, "min")  ? FOLD_MIN
           : !strcmp(name, "max")  ? FOLD_MAX
                                   : FOLD_NONE;
}

static Ast *folded(Small *w, Loc loc, Fold fold, AstList items)
{
    Sema *s = w->s;
    Ast *all = items.data[0];
    if (fold == FOLD_SUM) /* which makes 0 of -0, as sums do */
        all = tree_binary(s, loc, AST_OP_ADD, tree_int(s, loc, 0), all);
    for (int i = 1; i < items.len; i++) {
        Ast *next = items.data[i];
        if (fold == FOLD_SUM || fold == FOLD_PROD)
            all = tree_binary(s, loc, fold == FOLD_SUM ? AST_OP_ADD : AST_OP_MUL, all, next);
        else
            all = tree_call(
                s, loc,
                tree_member(s, loc, tree_name(s, loc, "Math"), fold == FOLD_MIN ? "Min" : "Max"), 2,
                all, next);
    }
    return all;
}

/* A reduction over a few points that csc knows; false: it is none. */
static bool reduction(Small *w, Ast **slot)
{
    Sema *s = w->s;
    Ast *n = *slot, *operand = NULL;
    const Fold fold = fold_of(w, n);
    AstList binders = {0}, items = {0};
    SmallRanges ranges;
    SmallBox box;
    if (fold == FOLD_NONE) return false;
    if (n->kind == AST_REDUCE) {
        operand = n->reduce.operand;
        binders = n->reduce.binders;
    } else {
        for (int i = 0; i < n->call.args.len; i++) {
            Ast *arg = n->call.args.data[i];
            if (arg->kind == AST_BINDER)
                binders = ast_list_add(s->arena, binders, arg);
            else if (operand)
                return false;
            else
                operand = arg;
        }
    }
    if (!operand || (w->within && !small_mentions(w, operand))) return false; /* a kernel's */
    const Type *t = small_type(w, n);
    if (t->kind != TY_SCALAR || !scalar_is_real(t->scalar) || small_effects(n)) return false;
    if (!binders.len && small_box(w, operand, &box)) {
        items = small_elements(w, operand, t);
    } else if (small_ranges(w, &binders, operand, true, &ranges)) {
        for (int64_t i = 0; i < small_points(&ranges); i++) {
            Ast *one = small_at(w, operand, &ranges, i);
            const bool fits = small_type(w, one) == t;
            small_number(&one, w);
            items = ast_list_add(s->arena, items,
                                 fits ? one : tree_cast(s, n->loc, type_node(s, n->loc, t), one));
        }
    }
    if (!items.len) return false;
    *slot = folded(w, n->loc, fold, items);
    w->any = true;
    return true;
}

/* ---- all ---------------------------------------------------------------------------------------------------- */

static bool call(Small *w, Ast **slot)
{
    SmallResult result;
    Ast *n = *slot;
    bool any = false;
    for (int i = 0; i < n->call.args.len && !any; i++) {
        Ast *arg = n->call.args.data[i];
        const Symbol *f = arg->kind == AST_NAME_REF ? scope_user(w->s, arg->name_ref.name) : NULL;
        any = small_mentions(w, arg) || arg->kind == AST_LAMBDA || (f && f->kind == SYM_FUNC);
    }
    if (!any || !small_calls(w, n, &result) || result.n) return false;
    Ast *made = small_call(w, n, &result);
    if (made) *slot = made;
    return made;
}

static void guarded(Small *w, Ast **slot)
{
    AstList *before = w->before;
    w->before = NULL;
    small_number(slot, w);
    w->before = before;
}

/* What lambdas and functions inside read is to be a value. */
static void reject_all(Ast **child, void *ctx)
{
    Small *w = ctx;
    const Ast *n = *child;
    if (!n) return;
    const SmallArray *a = n->kind == AST_NAME_REF ? small_find(w, n->name_ref.name) : NULL;
    if (a) small_reject(w, a);
    ast_each_child(*child, reject_all, ctx);
}

static void binders(Small *w, Ast *n)
{
    AstList *before = w->before;
    w->before = NULL; /* its parts are evaluated as often as it has points */
    w->within++;
    ast_each_child(n, small_number, w);
    w->within--;
    w->before = before;
}

/* Those with ranges copy what they read. */
static bool has_ranges(const AstList *binders)
{
    bool all = binders->len > 0;
    for (int i = 0; i < binders->len; i++) all = all && binders->data[i]->binder.constraint;
    return all;
}

static bool has_binders(const Ast *n)
{
    bool any = n->kind == AST_REDUCE || n->kind == AST_LET || n->kind == AST_DEFINE;
    for (int i = 0; n->kind == AST_CALL && i < n->call.args.len; i++)
        any = any || n->call.args.data[i]->kind == AST_BINDER;
    return any;
}

void small_number(Ast **slot, void *ctx)
{
    Small *w = ctx;
    Ast *n = *slot;
    int64_t value;
    const SmallArray *a;
    bool first;
    if (!n || !w->good) return;
    w->nodes++;
    switch (n->kind) {
    case AST_NAME_REF:
        a = small_find(w, n->name_ref.name);
        if (a) small_reject(w, a);
        return;
    case AST_INDEX:
        if (element(w, slot)) return;
        break;
    case AST_MEMBER:
        if (n->member.base->kind == AST_NAME_REF && small_find(w, n->member.base->name_ref.name) &&
            small_int(w, n, &value)) {
            *slot = tree_int(w->s, n->loc, (uint64_t)value);
            return;
        }
        break;
    case AST_REDUCE:
        if (reduction(w, slot)) return;
        break;
    case AST_CALL:
        if (n->call.callee->kind == AST_MEMBER && n->call.args.len == 1 && small_mentions(w, n) &&
            small_int(w, n, &value)) {
            *slot = tree_int(w->s, n->loc, (uint64_t)value);
            return;
        }
        if (element(w, slot) || reduction(w, slot) || call(w, slot)) return;
        break;
    case AST_COND:
        if (small_mentions(w, n->cond.cond) || n->cond.cond->kind == AST_BINARY ||
            n->cond.cond->kind == AST_BOOL_LIT) {
            if (small_bool(w, n->cond.cond, &first)) {
                *slot = first ? n->cond.then : n->cond.other;
                small_number(slot, w);
                return;
            }
        }
        small_number(&n->cond.cond, w);
        guarded(w, &n->cond.then);
        guarded(w, &n->cond.other);
        return;
    case AST_BINARY:
        if (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR ||
            n->binary.op == AST_OP_COALESCE) {
            small_number(&n->binary.left, w);
            guarded(w, &n->binary.right);
            return;
        }
        break;
    case AST_LAMBDA:
        if (has_ranges(&n->lambda.binders)) {
            binders(w, n);
            return;
        }
        reject_all(slot, w);
        return;
    case AST_FUNC: reject_all(slot, w); return;
    case AST_COND_ACCESS:
    case AST_SWITCH_EXPR: binders(w, n); return;
    default: break;
    }
    if (has_binders(n))
        binders(w, n);
    else
        ast_each_child(n, small_number, w);
}
