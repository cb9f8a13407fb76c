/* Arrays of a few elements get values:
 *
 *     double[] y = { 1, 0.5 };            double $y$0 = 1, $y$1 = 0.5;
 *     y = y + h * k;                      double $next0 = $y$0 + h * $k$0; ..  $y$0 = $next0; ..
 *     y = c ? f(y) : z;                   if (c) ($y$0, $y$1) = $small_f($y$0, $y$1); else ..
 *     var (a, p) = step(y, q);            var ($a$0, $a$1, $p$0, ..) = $small_step($y$0, $y$1, $q$0, ..);
 */
#include "small.h"

/* Statements can stand before this expression, if what it assigns is all in its root. */
AstList *small_before(AstList *out, Ast *n)
{
    return n && small_effects(n) ? NULL : out;
}

void small_number_in(Small *w, Ast **slot, AstList *before)
{
    AstList *saved = w->before;
    w->before = before;
    small_number(slot, w);
    w->before = saved;
}

AstList small_elements_in(Small *w, Ast *value, const Type *t, AstList *before)
{
    AstList *saved = w->before;
    w->before = before;
    AstList items = small_elements(w, value, t);
    w->before = saved;
    return items;
}

/* ---- arrays get values ------------------------------------------------------------------------------------ */

typedef struct Reads {
    const char *name;
    bool found;
} Reads;

static void find_read(Ast **child, void *ctx)
{
    Reads *r = ctx;
    const Ast *n = *child;
    if (!n || r->found) return;
    r->found = n->kind == AST_NAME_REF && n->name_ref.name == r->name;
    ast_each_child(*child, find_read, ctx);
}

bool small_reads(Ast *n, const char *name)
{
    Reads r = {name, false};
    find_read(&n, &r);
    return r.found;
}

/* All are computed before one is set that another reads. */
static void set_elements(Small *w, Loc loc, const SmallArray *a, AstList values, AstList *out)
{
    Sema *s = w->s;
    bool crossed = false;
    const int n = small_count(&a->box);
    for (int i = 0; i < n && i < values.len; i++)
        for (int k = i + 1; k < values.len; k++)
            crossed = crossed || small_reads(values.data[k], a->elements[i]);
    for (int i = 0; crossed && i < values.len; i++) {
        const char *name = code_fresh(s, "next");
        code_local(s, out, loc, a->type, name, values.data[i]);
        values.data[i] = tree_name(s, loc, name);
    }
    for (int i = 0; i < n && i < values.len; i++)
        code_set(s, out, loc, a->elements[i], values.data[i]);
}

static Ast *names_of(Small *w, Loc loc, const SmallArray *a, bool declares)
{
    Sema *s = w->s;
    AstList items = {0};
    for (int i = 0; i < small_count(&a->box); i++)
        items = ast_list_add(s->arena, items,
                             declares ? tree_binder(s, loc, a->type, a->elements[i])
                                      : tree_name(s, loc, a->elements[i]));
    return tree_tuple(s, loc, items);
}

/* Is it a call whose value is these elements, and nothing else? */
static bool is_call(Small *w, Ast *value, const SmallBox *box)
{
    SmallResult result;
    return value->kind == AST_CALL && small_calls(w, value, &result) && result.n == 1 &&
           small_same(&result.boxes[0], box) && small_count(box) > 1;
}

static void set_call(Small *w, Loc loc, const SmallArray *a, Ast *value, bool declares,
                     AstList *out)
{
    SmallResult result;
    AstList *saved = w->before;
    const SmallArray to = *a; /* arrays may be made meanwhile */
    w->before = out;
    Ast *call = small_call(w, value, &result);
    w->before = saved;
    if (call && result.types[0]->result == to.type)
        code_add(w->s, out, tree_assign(w->s, loc, names_of(w, loc, &to, declares), call));
    else
        w->good = false;
}

static void set(Small *w, Loc loc, const SmallArray *a, Ast *value, AstList *out)
{
    SmallBox box;
    bool first;
    const SmallArray to = *a;
    if (!small_box(w, value, &box) || !small_same(&box, &to.box) || small_effects(value)) {
        small_reject(w, a);
        return;
    }
    if (value->kind == AST_COND && !small_bool(w, value->cond.cond, &first)) {
        AstList then = {0}, other = {0};
        small_number_in(w, &value->cond.cond, out);
        set(w, loc, &to, value->cond.then, &then);
        set(w, loc, &to, value->cond.other, &other);
        code_add(w->s, out, code_if(w->s, loc, value->cond.cond, then, other));
    } else if (is_call(w, value, &box)) {
        set_call(w, loc, &to, value, false, out);
    } else {
        set_elements(w, loc, &to, small_elements_in(w, value, to.type, out), out);
    }
}

static void declare_elements(Small *w, Loc loc, const SmallArray *a, const AstList *values,
                             AstList *out)
{
    for (int i = 0; i < small_count(&a->box); i++)
        code_local(w->s, out, loc, a->type, a->elements[i],
                   values && i < values->len ? values->data[i] : NULL);
}

/* A new array with this value; false: it is to be an array. */
bool small_gets(Small *w, Loc loc, const char *name, const Type *t, Ast *value, AstList *out)
{
    SmallBox box;
    bool first;
    if (!small_suits(t) || !small_may(w, name, loc) || small_effects(value) ||
        !small_box(w, value, &box) || box.rank != t->nparams)
        return false;
    if (value->kind == AST_COND && !small_bool(w, value->cond.cond, &first)) {
        const SmallArray *a = small_declare(w, name, loc, t, &box);
        if (!a) return false;
        declare_elements(w, loc, a, NULL, out);
        set(w, loc, a, value, out);
        return true;
    }
    if (is_call(w, value, &box)) {
        const size_t last = w->arrays.len;
        if (!small_declare(w, name, loc, t, &box)) return false;
        const SmallArray a = w->arrays.data[last];
        w->arrays.len = last; /* its value does not see it */
        set_call(w, loc, &a, value, true, out);
        vec_push(&w->arrays, a);
        return true;
    }
    AstList values = small_elements_in(w, value, t->result, out);
    const SmallArray *a = small_declare(w, name, loc, t, &box);
    if (!a) {
        w->good = false;
        return true;
    }
    declare_elements(w, loc, a, &values, out);
    return true;
}

/* ---- several at once ------------------------------------------------------------------------------------------- */

const SmallArray *small_target(Small *w, const Ast *n)
{
    return n->kind == AST_NAME_REF ? small_find(w, n->name_ref.name) : NULL;
}

static bool declares(const Ast *n)
{
    return n->kind == AST_BINDER && n->binder.vtype && !n->binder.constraint &&
           n->binder.names.len == 1;
}

Ast *small_bare(Ast *n)
{
    return n->kind == AST_BINDER && n->binder.constraint && !n->binder.vtype ? n->binder.constraint
                                                                             : n;
}

/* One place of several, which gets elements: those are added. False: it gets no such. */
static bool part(Small *w, Ast *target, const SmallBox *box, const Type *t, AstList *targets)
{
    Sema *s = w->s;
    const SmallArray *a = small_target(w, target);
    if (declares(target)) {
        const Ast *name = target->binder.names.data[0];
        a = small_declare(w, name->name_ref.name, name->loc, t, box);
    }
    if (!a || !small_same(&a->box, box)) return false;
    for (int i = 0; i < small_count(box); i++)
        *targets =
            ast_list_add(s->arena, *targets,
                         declares(target) ? tree_binder(s, target->loc, a->type, a->elements[i])
                                          : tree_name(s, target->loc, a->elements[i]));
    return true;
}

/* (a, b) = f(c), of a version that gives both by elements. */
static bool call_parts(Small *w, Ast *assign, AstList *out)
{
    Sema *s = w->s;
    SmallResult result;
    Ast *target = assign->assign.target;
    AstList targets = {0};
    if (!small_calls(w, assign->assign.value, &result) || result.n != target->tuple.items.len)
        return false;
    for (int i = 0; i < result.n; i++) { /* before anything is made */
        const Ast *item = target->tuple.items.data[i];
        const SmallArray *a = small_target(w, item);
        if (!result.boxes[i].rank && a) return false;
        if (!result.boxes[i].rank) continue;
        if (declares(item) ? !small_may(w, item->binder.names.data[0]->name_ref.name,
                                        item->binder.names.data[0]->loc)
                           : !a || !small_same(&a->box, &result.boxes[i]))
            return false;
    }
    AstList *saved = w->before;
    w->before = small_before(out, assign->assign.value);
    Ast *call = small_call(w, assign->assign.value, &result);
    w->before = saved;
    if (!call) return false;
    for (int i = 0; i < result.n; i++) {
        Ast *item = target->tuple.items.data[i];
        if (result.boxes[i].rank) {
            if (!part(w, item, &result.boxes[i], result.types[i], &targets)) w->good = false;
            continue;
        }
        if (!declares(item)) small_number(&item, w);
        targets = ast_list_add(s->arena, targets, item);
    }
    code_add(s, out, tree_assign(s, assign->loc, tree_tuple(s, assign->loc, targets), call));
    return true;
}

/* (a, b) = (c, d) */
static void pairs(Small *w, Ast *assign, AstList *out)
{
    Sema *s = w->s;
    AstList targets = {0}, values = {0};
    AstList *to = &assign->assign.target->tuple.items, *of = &assign->assign.value->tuple.items;
    AstList *saved = w->before;
    w->before = small_before(out, assign->assign.value);
    for (int i = 0; i < to->len; i++) {
        Ast *target = to->data[i], *value = small_bare(of->data[i]);
        SmallBox box;
        const SmallArray *a = small_target(w, target);
        const bool known = small_box(w, value, &box);
        const Type *t = known ? small_type(w, value) : s->error;
        if (known && declares(target) && target->binder.vtype->kind == AST_TYPE_VAR &&
            small_suits(t) &&
            small_may(w, target->binder.names.data[0]->name_ref.name,
                      target->binder.names.data[0]->loc)) {
            AstList items = small_elements(w, value, t->result);
            if (!part(w, target, &box, t, &targets)) w->good = false;
            for (int k = 0; k < items.len; k++)
                values = ast_list_add(s->arena, values, items.data[k]);
        } else if (known && a && small_same(&a->box, &box)) {
            AstList items = small_elements(w, value, a->type);
            part(w, target, &box, t, &targets);
            for (int k = 0; k < items.len; k++)
                values = ast_list_add(s->arena, values, items.data[k]);
        } else {
            if (!declares(target)) small_number(&target, w);
            small_number(&value, w);
            targets = ast_list_add(s->arena, targets, target);
            values = ast_list_add(s->arena, values, value);
        }
    }
    w->before = saved;
    code_add(s, out,
             tree_assign(s, assign->loc, tree_tuple(s, assign->loc, targets),
                         tree_tuple(s, assign->loc, values)));
}

void small_assignment(Small *w, Ast *n, AstList *out)
{
    Sema *s = w->s;
    Ast *e = n->expr_stmt.expr;
    const Ast *written = ast_clone(s->arena, n);
    const SmallArray *a = e->kind == AST_ASSIGN ? small_target(w, e->assign.target) : NULL;
    const bool several =
        e->kind == AST_ASSIGN && e->assign.op == AST_OP_NONE && e->assign.target->kind == AST_TUPLE;
    if (a) {
        Ast *value = e->assign.value;
        if (e->assign.op != AST_OP_NONE)
            value =
                tree_binary(s, e->loc, e->assign.op, ast_clone(s->arena, e->assign.target), value);
        set(w, n->loc, a, value, out);
    } else if (several && e->assign.value->kind == AST_TUPLE &&
               e->assign.value->tuple.items.len == e->assign.target->tuple.items.len) {
        pairs(w, e, out);
    } else if (!several || !call_parts(w, e, out)) {
        const bool inner = e->kind == AST_ASSIGN &&
                           (small_effects(e->assign.value) || small_effects(e->assign.target));
        small_number_in(w, &n->expr_stmt.expr,
                        e->kind == AST_ASSIGN ? (inner ? NULL : out) : small_before(out, e));
        code_add(s, out, n);
    }
    small_see_all(w, written);
}
