/* Expressions that are arrays of a few elements, as these:
 *
 *     y + 0.5 * h * k        $y$0 + 0.5 * h * $k$0, $y$1 + 0.5 * h * $k$1
 *     Math.Sin(y)            Math.Sin($y$0), Math.Sin($y$1)
 *     (i : 0..2) => a * i    a * 0, a * 1
 *     f(y)                   $small1$0, $small1$1     behind var ($small1$0, $small1$1) = $small_f($y$0, $y$1);
 */
#include "small.h"

/* ---- which are -------------------------------------------------------------------------------------- */

static bool list_box(const AstList *items, SmallBox *box)
{
    *box = (SmallBox){1, {items->len}};
    if (!items->len || items->len > SMALL_MOST) return false;
    for (int i = 0; i < items->len; i++) {
        const Ast *item = items->data[i];
        const AstList *row = item->kind == AST_INIT_LIST    ? &item->init_list.items
                             : item->kind == AST_COLLECTION ? &item->collection.items
                                                            : NULL;
        if (item->kind == AST_SPREAD || item->kind == AST_RANGE) return false;
        if (!row && box->rank == 1) continue;
        if (!row || (i && (box->rank != 2 || box->n[1] != row->len))) return false;
        *box = (SmallBox){2, {items->len, row->len}};
        for (int k = 0; k < row->len; k++)
            if (row->data[k]->kind == AST_INIT_LIST || row->data[k]->kind == AST_COLLECTION ||
                row->data[k]->kind == AST_SPREAD)
                return false;
    }
    return small_count(box) > 0 && small_count(box) <= SMALL_MOST;
}

static bool sizes_box(Small *w, const AstList *sizes, SmallBox *box)
{
    int64_t n, count = 1;
    *box = (SmallBox){sizes->len, {0}};
    if (sizes->len < 1 || sizes->len > SMALL_RANK) return false;
    for (int i = 0; i < sizes->len; i++) {
        if (!small_int(w, sizes->data[i], &n) || n < 1 || n > SMALL_MOST) return false;
        box->n[i] = (int)n;
        count *= n;
    }
    return count <= SMALL_MOST;
}

static bool is_number(Small *w, const Ast *n)
{
    if (n->kind == AST_INT_LIT || n->kind == AST_REAL_LIT) return true;
    return small_type(w, n)->kind == TY_SCALAR;
}

/* Of operands that are arrays or numbers: the arrays' box, which they share. */
static bool operands_box(Small *w, Ast *const *operands, int n, SmallBox *box)
{
    SmallBox one;
    bool any = false, is[MAX_PARAMS];
    for (int i = 0; i < n; i++) {
        is[i] = small_box(w, operands[i], &one);
        if (!is[i]) continue;
        if (any && !small_same(box, &one)) return false;
        *box = one;
        any = true;
    }
    for (int i = 0; i < n && any; i++)
        if (!is[i] && !is_number(w, operands[i])) return false;
    return any;
}

static bool ranges_box(Small *w, const AstList *binders, Ast *body, SmallBox *box)
{
    SmallRanges ranges;
    if (!small_ranges(w, binders, body, false, &ranges) || ranges.n > SMALL_RANK) return false;
    box->rank = ranges.n;
    for (int i = 0; i < ranges.n; i++) {
        if (ranges.lo[i]) return false;
        box->n[i] = (int)ranges.hi[i];
    }
    return is_number(w, small_at(w, body, &ranges, 0));
}

/* A function of the library, or of the program, over the elements of arrays. */
static bool is_promoted(Small *w, const Ast *n)
{
    const Ast *copy = small_checked(w, n);
    return copy && copy->kind == AST_CALL && copy->res == AST_RES_PROMOTE && copy->sym &&
           (copy->sym->kind == SYM_BUILTIN || copy->sym->kind == SYM_FUNC);
}

static bool call_box(Small *w, Ast *n, SmallBox *box)
{
    SmallResult result;
    if (n->call.callee->kind == AST_NAME_REF && small_find(w, n->call.callee->name_ref.name))
        return false;
    for (int i = 0; i < n->call.args.len; i++)
        if (n->call.args.data[i]->kind == AST_BINDER ||
            n->call.args.data[i]->kind == AST_PLACEHOLDER)
            return false;
    if (n->call.args.len > MAX_PARAMS || call_is_reduction(w->s, n)) return false;
    if (operands_box(w, n->call.args.data, n->call.args.len, box) && is_promoted(w, n)) return true;
    if (!small_calls(w, n, &result) || result.n != 1) return false;
    *box = result.boxes[0];
    return true;
}

static bool is_pointwise(AstOp op)
{
    return op == AST_OP_ADD || op == AST_OP_SUB || op == AST_OP_MUL || op == AST_OP_DIV ||
           op == AST_OP_REM;
}

bool small_box(Small *w, Ast *n, SmallBox *box)
{
    const SmallArray *a;
    Ast *two[2];
    bool first;
    switch (n->kind) {
    case AST_NAME_REF:
        a = small_find(w, n->name_ref.name);
        if (a) *box = a->box;
        return a;
    case AST_INIT_LIST: return list_box(&n->init_list.items, box);
    case AST_COLLECTION: return list_box(&n->collection.items, box);
    case AST_NEW_ARRAY:
        if (n->new_array.init && n->new_array.init->kind == AST_INIT_LIST)
            return list_box(&n->new_array.init->init_list.items, box) &&
                   (uint64_t)box->rank == n->new_array.rank && small_suits(small_type(w, n));
        return !n->new_array.init && sizes_box(w, &n->new_array.sizes, box) &&
               small_suits(small_type(w, n));
    case AST_UNARY:
        return (n->unary.op == AST_OP_NEG || n->unary.op == AST_OP_ADD) &&
               small_box(w, n->unary.operand, box);
    case AST_BINARY:
        two[0] = n->binary.left;
        two[1] = n->binary.right;
        return is_pointwise(n->binary.op) && operands_box(w, two, 2, box);
    case AST_CAST:
        return n->cast.target->kind == AST_TYPE_ARRAY && small_box(w, n->cast.operand, box) &&
               small_suits(small_type(w, n));
    case AST_COND:
        if (small_bool(w, n->cond.cond, &first))
            return small_box(w, first ? n->cond.then : n->cond.other, box);
        {
            SmallBox other;
            return small_box(w, n->cond.then, box) && small_box(w, n->cond.other, &other) &&
                   small_same(box, &other) && is_number(w, n->cond.cond);
        }
    case AST_LAMBDA: return ranges_box(w, &n->lambda.binders, n->lambda.body, box);
    case AST_LET: return ranges_box(w, &n->let.binders, n->let.body, box);
    case AST_CALL: return call_box(w, n, box);
    default: return false;
    }
}

/* ---- calls of functions that have a version ----------------------------------------------------------- */

static const Symbol *version(Small *w, Ast *n, SmallArg *args, SmallResult *result)
{
    const Ast *callee = n->call.callee;
    if (callee->kind != AST_NAME_REF || n->call.targs.len) return NULL;
    const Symbol *meant = scope_user(w->s, callee->name_ref.name);
    if (!small_given_is(w->s, callee->name_ref.name) && (!meant || meant->kind != SYM_FUNC))
        return NULL;
    const Ast *copy = small_checked(w, n);
    Symbol *f = copy && copy->kind == AST_CALL ? copy->sym : NULL;
    if (!f || f->kind != SYM_FUNC || copy->res != AST_RES_NONE || copy->order ||
        f->type->nparams != n->call.args.len)
        return NULL;
    bool any = small_suits(f->type->result) || f->type->result->kind == TY_OBJECT;
    for (int i = 0; i < n->call.args.len; i++) {
        SmallBox box;
        args[i] = (SmallArg){0};
        const Type *t = f->type->params[i];
        args[i].given = small_given(w, n->call.args.data[i], t);
        any = any || args[i].given;
        if (t->kind != TY_ARRAY || !small_suits(t) || !small_box(w, n->call.args.data[i], &box) ||
            box.rank != t->nparams)
            continue;
        args[i].box = box;
        any = true;
    }
    return any ? small_function(w, f, args, n->loc, result) : NULL;
}

bool small_calls(Small *w, Ast *n, SmallResult *result)
{
    SmallArg args[MAX_PARAMS];
    return n->kind == AST_CALL && n->call.args.len <= MAX_PARAMS && version(w, n, args, result);
}

Ast *small_call(Small *w, Ast *n, SmallResult *result)
{
    Sema *s = w->s;
    SmallArg args[MAX_PARAMS];
    if (n->kind != AST_CALL || n->call.args.len > MAX_PARAMS) return NULL;
    const Symbol *f = version(w, n, args, result);
    if (!f) return NULL;
    const Ast *copy = small_checked(w, n);
    Ast *call = tree_call(s, n->loc, tree_name(s, n->loc, f->name), 0);
    for (int i = 0; i < n->call.args.len; i++) {
        Ast *arg = n->call.args.data[i];
        AstList items = {&arg, 1}, captured = {0};
        const SmallGiven *given = args[i].given;
        for (int k = 0; given && k < given->n; k++)
            captured = ast_list_add(s->arena, captured, tree_name(s, n->loc, given->captured[k]));
        if (given)
            items = captured;
        else if (args[i].box.rank)
            items = small_elements(w, arg, copy->sym->type->params[i]->result);
        else
            small_number(&arg, w);
        for (int k = 0; k < items.len; k++)
            call->call.args = ast_list_add(s->arena, call->call.args, items.data[k]);
    }
    w->any = true;
    return call;
}

/* ---- elements --------------------------------------------------------------------------------------------- */

static void find_put(Ast **child, void *ctx)
{
    struct {
        Small *w;
        const char *name;
        int64_t value;
    } *p = ctx;
    Ast *n = *child;
    if (!n) return;
    const AstList *binders = n->kind == AST_LAMBDA   ? &n->lambda.binders
                             : n->kind == AST_LET    ? &n->let.binders
                             : n->kind == AST_REDUCE ? &n->reduce.binders
                             : n->kind == AST_CALL   ? &n->call.args
                                                     : NULL;
    p->w->nodes++;
    for (int i = 0; binders && i < binders->len; i++)
        if (binders->data[i]->kind == AST_BINDER)
            for (int k = 0; k < binders->data[i]->binder.names.len; k++)
                if (binders->data[i]->binder.names.data[k]->name_ref.name == p->name)
                    p->w->good = false; /* two of one name */
    if (n->kind == AST_NAME_REF && n->name_ref.name == p->name) {
        Sema *s = p->w->s;
        *child = tree_int(s, n->loc, (uint64_t)(p->value < 0 ? -p->value : p->value));
        if (p->value < 0) {
            Ast *minus = ast_new(s->arena, AST_UNARY, n->loc);
            minus->unary.op = AST_OP_NEG;
            minus->unary.operand = *child;
            *child = minus;
        }
        return;
    }
    ast_each_child(n, find_put, ctx);
}

Ast *small_put(Small *w, const Ast *tree, const char *name, int64_t value)
{
    struct {
        Small *w;
        const char *name;
        int64_t value;
    } p = {w, name, value};
    Ast *n = ast_clone(w->s->arena, tree);
    find_put(&n, &p);
    return n;
}

typedef struct Weight {
    int nodes;
    bool heavy;
} Weight;

static void weigh(Ast **child, void *ctx)
{
    Weight *at = ctx;
    const Ast *n = *child;
    if (!n) return;
    at->nodes++;
    at->heavy = at->heavy || n->kind == AST_CALL || n->kind == AST_INDEX || n->kind == AST_REDUCE ||
                n->kind == AST_COND;
    ast_each_child(*child, weigh, ctx);
}

/* A number for each element: where it is more than a few operations it is computed once. */
static AstList repeated(Small *w, Ast *n, int count)
{
    Sema *s = w->s;
    AstList out = {0};
    Weight at = {0};
    const Type *t = small_type(w, n);
    small_number(&n, w);
    weigh(&n, &at);
    if ((at.heavy || at.nodes > 8) && w->before && t->kind == TY_SCALAR && count > 1) {
        const char *name = code_fresh(s, "each");
        code_local(s, w->before, n->loc, t, name, n);
        small_see(w, name, t);
        n = tree_name(s, n->loc, name);
    }
    for (int i = 0; i < count; i++) out = ast_list_add(s->arena, out, ast_clone(s->arena, n));
    return out;
}

static AstList operand(Small *w, Ast *n, const Type *type, int count)
{
    SmallBox box;
    return small_box(w, n, &box) ? small_elements(w, n, type) : repeated(w, n, count);
}

/* An element as a number of this type. */
static Ast *element(Small *w, Ast *n, const Type *type)
{
    const bool fits = !type || small_type(w, n) == type;
    small_number(&n, w);
    return fits ? n : tree_cast(w->s, n->loc, type_node(w->s, n->loc, type), n);
}

static AstList listed(Small *w, const AstList *items, const Type *type, AstList out)
{
    for (int i = 0; i < items->len; i++) {
        Ast *item = items->data[i];
        const AstList *row = item->kind == AST_INIT_LIST    ? &item->init_list.items
                             : item->kind == AST_COLLECTION ? &item->collection.items
                                                            : NULL;
        out = row ? listed(w, row, type, out)
                  : ast_list_add(w->s->arena, out, element(w, item, type));
    }
    return out;
}

static AstList ranged(Small *w, const AstList *binders, Ast *body, const Type *type)
{
    AstList out = {0};
    SmallRanges ranges;
    if (!small_ranges(w, binders, body, false, &ranges)) return out;
    for (int64_t i = 0; i < small_points(&ranges); i++)
        out = ast_list_add(w->s->arena, out, element(w, small_at(w, body, &ranges, i), type));
    return out;
}

/* What a call gives gets names. */
static AstList called(Small *w, Ast *n)
{
    Sema *s = w->s;
    SmallResult result;
    AstList *before = w->before, out = {0}, binders = {0};
    Ast *call = before ? small_call(w, n, &result) : NULL;
    if (!call) {
        w->good = false;
        return out;
    }
    const char *name = code_fresh(s, "small");
    const Loc loc =
        n->call.callee->loc; /* facts tell apart what is declared and its value by places */
    for (int i = 0; i < small_count(&result.boxes[0]); i++) {
        const Type *t = result.types[0]->result;
        const char *one = intern_cstr(s->names, arena_printf(s->arena, "%s$%d", name, i));
        small_see(w, one, t);
        binders = ast_list_add(s->arena, binders, tree_binder(s, loc, t, one));
        out = ast_list_add(s->arena, out, tree_name(s, n->loc, one));
    }
    if (binders.len == 1)
        code_local(s, before, n->loc, result.types[0]->result, out.data[0]->name_ref.name, call);
    else
        code_add(s, before, tree_assign(s, n->loc, tree_tuple(s, n->loc, binders), call));
    return out;
}

static AstList call_elements(Small *w, Ast *n, const SmallBox *box)
{
    Sema *s = w->s;
    AstList args[MAX_PARAMS], out = {0};
    SmallBox own;
    const int count = small_count(box);
    if (!operands_box(w, n->call.args.data, n->call.args.len, &own) || !is_promoted(w, n))
        return called(w, n);
    for (int i = 0; i < n->call.args.len; i++)
        args[i] = operand(w, n->call.args.data[i], NULL, count);
    for (int k = 0; k < count; k++) {
        Ast *call = tree_call(s, n->loc, ast_clone(s->arena, n->call.callee), 0);
        for (int i = 0; i < n->call.args.len; i++)
            call->call.args =
                ast_list_add(s->arena, call->call.args, k < args[i].len ? args[i].data[k] : n);
        out = ast_list_add(s->arena, out, call);
    }
    return out;
}

static AstList names_of(Small *w, Loc loc, const SmallArray *a)
{
    AstList out = {0};
    for (int i = 0; i < small_count(&a->box); i++)
        out = ast_list_add(w->s->arena, out, tree_name(w->s, loc, a->elements[i]));
    return out;
}

static AstList choice(Small *w, Ast *n, const Type *type, int count)
{
    Sema *s = w->s;
    AstList out = {0}, *before = w->before;
    bool first;
    if (small_bool(w, n->cond.cond, &first))
        return small_elements(w, first ? n->cond.then : n->cond.other, type);
    AstList cond = repeated(w, n->cond.cond, count);
    w->before = NULL;
    AstList then = small_elements(w, n->cond.then, type);
    AstList other = small_elements(w, n->cond.other, type);
    w->before = before;
    for (int i = 0; i < count && w->good; i++) {
        Ast *one = ast_new(s->arena, AST_COND, n->loc);
        one->cond.cond = cond.data[i];
        one->cond.then = then.data[i];
        one->cond.other = other.data[i];
        out = ast_list_add(s->arena, out, one);
    }
    return out;
}

/* Of an operator: op NONE: a cast to the type. */
static AstList operated(Small *w, Ast *n, int count)
{
    Sema *s = w->s;
    AstList out = {0}, left, right = {0};
    if (n->kind == AST_BINARY) {
        left = operand(w, n->binary.left, NULL, count);
        right = operand(w, n->binary.right, NULL, count);
    } else {
        left = operand(w, n->unary.operand, NULL, count);
    }
    for (int i = 0; i < count && w->good; i++) {
        Ast *one = arena_copy(s->arena, n, sizeof *n);
        if (n->kind == AST_BINARY) {
            one->binary.left = left.data[i];
            one->binary.right = right.data[i];
        } else {
            one->unary.operand = left.data[i];
        }
        out = ast_list_add(s->arena, out, one);
    }
    return out;
}

/* As many as there should be, of this type. */
static AstList fitted(Small *w, AstList items, const Type *type, int count)
{
    if (items.len != count) w->good = false;
    w->nodes += count;
    while (items.len < count) /* of a try that is over */
        items = ast_list_add(w->s->arena, items, tree_int(w->s, NOWHERE, 0));
    for (int i = 0; type && i < items.len; i++) {
        Ast *n = items.data[i];
        if (n->kind == AST_CAST || small_type(w, n) == type) continue;
        items.data[i] = tree_cast(w->s, n->loc, type_node(w->s, n->loc, type), n);
    }
    return items;
}

AstList small_elements(Small *w, Ast *n, const Type *type)
{
    SmallBox box;
    AstList out = {0};
    const SmallArray *a;
    const Type *own;
    if (!small_box(w, n, &box)) {
        w->good = false;
        return out;
    }
    const int count = small_count(&box);
    if (small_effects(n)) w->good = false;
    switch (n->kind) {
    case AST_NAME_REF:
        a = small_find(w, n->name_ref.name);
        out = names_of(w, n->loc, a);
        break;
    case AST_INIT_LIST: out = listed(w, &n->init_list.items, type, out); break;
    case AST_COLLECTION: out = listed(w, &n->collection.items, type, out); break;
    case AST_NEW_ARRAY:
        own = small_type(w, n)->result;
        if (n->new_array.init) {
            out = listed(w, &n->new_array.init->init_list.items, own, out);
        } else {
            for (int i = 0; i < count; i++)
                out = ast_list_add(w->s->arena, out, code_default(w->s, n->loc, own));
        }
        break;
    case AST_CAST: out = small_elements(w, n->cast.operand, small_type(w, n)->result); break;
    case AST_COND: out = choice(w, n, type, count); break;
    case AST_LAMBDA: out = ranged(w, &n->lambda.binders, n->lambda.body, type); break;
    case AST_LET: out = ranged(w, &n->let.binders, n->let.body, type); break;
    case AST_CALL: out = call_elements(w, n, &box); break;
    default: out = operated(w, n, count);
    }
    return fitted(w, out, type, count);
}
