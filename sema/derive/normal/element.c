/* Elements and slices of arrays in the normal form (shape.h). A number that reads an element, or an element that gets
 * one, is a step of its own, so that its derivative is one of that element alone.
 *
 *     s += a[i] * b;               $1 = a[i];  s = s + $1 * b;
 *     a[i] += x;                   $1 = a[i];  $2 = $1 + x;  a[i] = $2;
 *     s += a[i, ..] * b;           $1 = a[i, ..];  s = s + $1 * b;
 *     a[l..h] = e;                 $1 = e;  a = (i : a) => l <= i && i < h ? $1(i - l) : a(i);
 */
#include <string.h>

#include "shape.h"

static Variable *array_of(const Shape *f, const Ast *n)
{
    const Ast *base = n->kind == AST_INDEX  ? n->index.base
                      : n->kind == AST_CALL ? n->call.callee
                                            : NULL;
    return base && base->kind == AST_NAME_REF ? shape_find(f, base->name_ref.name) : NULL;
}

static Ast *bound(Sema *s, Loc loc, const Variable *array, const char *what, int dim)
{
    return tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, array->name), what), 1,
                     tree_int(s, loc, (uint64_t)dim));
}

/* A place: as it is, or so far from the end. */
static Ast *place_of(Sema *s, const Variable *array, Ast *at, int dim)
{
    if (!is_from_end(at)) return at;
    Loc loc = at->loc;
    Ast *end = tree_binary(s, loc, AST_OP_ADD, bound(s, loc, array, "GetUpperBound", dim),
                           tree_int(s, loc, 1));
    return tree_binary(s, loc, AST_OP_SUB, end, at->unary.operand);
}

/* The place of an element, in variables that nobody changes where it is no number or name; `kept`: nor is one. */
static AstList places_of(Shape *f, const Ast *n, const Variable *array, bool kept, Steps *out)
{
    AstList at = {0}, args = n->kind == AST_INDEX ? n->index.args : n->call.args;
    Sema *s = f->s;
    bool elements = f->elements;
    f->elements = false;
    for (int i = 0; i < args.len && f->out->good; i++) {
        Ast *place = place_of(s, array, args.data[i], i);
        Loc loc = args.data[i]->loc;
        const Variable *own =
            place->kind == AST_NAME_REF ? shape_find(f, place->name_ref.name) : NULL;
        if ((!own || kept) && place->kind != AST_INT_LIT) {
            own = shape_temporary(f, "place", s->integer, place, out);
            place = tree_name(s, loc, own->name);
        }
        at = ast_list_add(s->arena, at, place);
    }
    f->elements = elements;
    return at;
}

static Ast *element_at(Shape *f, Loc loc, const Variable *array, AstList at)
{
    Ast *n = ast_new(f->s->arena, AST_INDEX, loc);
    n->index.base = tree_name(f->s, loc, array->name);
    for (int i = 0; i < at.len; i++)
        n->index.args =
            ast_list_add(f->s->arena, n->index.args, ast_clone(f->s->arena, at.data[i]));
    return n;
}

/* A variable with the element's value. */
static Variable *get(Shape *f, Variable *array, Ast *element, Steps *out)
{
    Step step = {.kind = STEP_GET, .loc = element->loc, .array = array, .value = element};
    Variable *v = shape_variable(f, code_fresh(f->s, "element"), array->type->result);
    shape_reads(f, element, &step.reads);
    shape_target(f, &step, v, true);
    vec_push(out, step);
    return v;
}

/* The variable of an element that is written alike in the same statement; NULL: there is none. */
static const Variable *read_before(const Shape *f, const Ast *n)
{
    for (size_t i = 0; !f->apart && i < f->read.len; i++)
        if (ast_alike(f->read.data[i].tree, n)) return f->read.data[i].value;
    return NULL;
}

static bool is_made(const Variable *array) /* of a foreach */
{
    return !strncmp(array->name, "$each", 5);
}

bool shape_is_element(const Shape *f, const Ast *n)
{
    const Variable *array = array_of(f, n);
    if (!array || array->definition || !array->type || array->type->kind != TY_ARRAY ||
        !kind_is_real(array->type))
        return false;
    return is_made(array) || facts_at(f->facts, n, FACT_ELEMENT);
}

bool shape_get(Shape *f, Ast **slot, Steps *out)
{
    Ast *n = *slot;
    if (!shape_is_element(f, n)) return false;
    Variable *array = array_of(f, n);
    bool made = is_made(array);
    const Variable *value = made ? NULL : read_before(f, n);
    if (!value) {
        const Ast *tree = ast_clone(f->s->arena, n);
        AstList at = places_of(f, n, array, false, out);
        if (!f->out->good) return true;
        value = get(f, array, element_at(f, n->loc, array, at), out);
        if (!made) vec_push(&f->read, ((Read){tree, value}));
    }
    *slot = tree_name(f->s, n->loc, value->name);
    return true;
}

static void put(Shape *f, Loc loc, Variable *array, AstList at, Variable *value, bool more,
                Steps *out)
{
    Step step = {.kind = STEP_PUT, .loc = loc, .value = element_at(f, loc, array, at)};
    step.array = value;
    step.more = more;
    shape_reads(f, step.value, &step.reads);
    normal_add(&step.reads, value);
    shape_target(f, &step, array, false);
    vec_push(out, step);
}

/* Do the steps from number `from` on leave the array as it is? */
static bool leaves(const Steps *steps, size_t from, const Variable *array)
{
    bool all = true;
    for (size_t i = from; i < steps->len; i++) {
        const Step *step = &steps->data[i];
        const Variable *target;
        for (size_t k = 0; (target = normal_target(step, k)); k++) all = all && target != array;
        all = all && !normal_has(&step->writes, array);
    }
    return all;
}

static void put_element(Shape *f, Loc loc, Variable *array, Ast *target, AstOp op, Ast *value,
                        Steps *out)
{
    Sema *s = f->s;
    const Type *t = array->type->result;
    AstList at = places_of(f, target, array, shape_effect(value) != NULL, out);
    Variable *was = NULL;
    if (op != AST_OP_NONE && f->out->good) {
        Ast *old = element_at(f, target->loc, array, at);
        if (kind_is_real(t)) {
            was = get(f, array, old, out);
            old = tree_name(s, loc, was->name);
        }
        value = tree_cast(s, loc, type_node(s, loc, t), tree_binary(s, loc, op, old, value));
    }
    if (!f->out->good) return;
    const size_t from = out->len;
    Variable *now = shape_temporary(f, "put", t, value, out);
    if (was && t->kind == TY_SCALAR && (op == AST_OP_ADD || op == AST_OP_SUB))
        was->passed = leaves(out, from, array);
    put(f, loc, array, at, now, was && was->passed, out);
}

/* ---- elements that are written ------------------------------------------------------------------------ */

static const AstList *items_of(const Ast *n)
{
    if (n->kind == AST_NEW_ARRAY) n = n->new_array.init;
    return !n                          ? NULL
           : n->kind == AST_INIT_LIST  ? &n->init_list.items
           : n->kind == AST_COLLECTION ? &n->collection.items
                                       : NULL;
}

const Fact *shape_listed(const Shape *f, const Ast *n)
{
    if ((n->kind != AST_NEW_ARRAY || !n->new_array.init) && n->kind != AST_COLLECTION) return NULL;
    return facts_at(f->facts, n, FACT_ARRAY);
}

/* What is put where; false: rows are not lists. */
typedef struct List {
    VEC(Variable *) values;
    VEC(AstList) places;
    int sizes[MAX_ARRAY_RANK];
} List;

static bool take_list(Shape *f, List *l, const Type *t, const Ast *n, int dim, AstList at,
                      Steps *out)
{
    const AstList *items = items_of(n);
    if (!items) return false;
    l->sizes[dim] = items->len;
    for (int i = 0; i < items->len && f->out->good; i++) {
        Ast *item = items->data[i];
        AstList here = {0};
        if (item->kind == AST_SPREAD) return false;
        for (int k = 0; k < at.len; k++) here = ast_list_add(f->s->arena, here, at.data[k]);
        here = ast_list_add(f->s->arena, here, tree_int(f->s, item->loc, (uint64_t)i));
        if (dim + 1 < t->nparams) {
            if (!take_list(f, l, t, item, dim + 1, here, out)) return false;
            continue;
        }
        vec_push(&l->values, shape_temporary(f, "item", t->result, item, out));
        vec_push(&l->places, here);
    }
    return true;
}

bool shape_list(Shape *f, Loc loc, Variable *v, Ast *value, bool declares, Steps *out)
{
    Sema *s = f->s;
    const Type *t = v->type;
    Variables reads = {0};
    if (!t || t->kind != TY_ARRAY || !kind_is_real(t) || !items_of(value)) return false;
    shape_reads(f, value, &reads);
    const bool any = reads.len > 0;
    vec_free(&reads);
    List l = {0};
    if (!any || !take_list(f, &l, t, value, 0, (AstList){0}, out)) return false;
    Ast *made = ast_new(s->arena, AST_NEW_ARRAY, loc);
    made->new_array.elem = type_node(s, loc, t->result);
    made->new_array.rank = (uint64_t)t->nparams;
    for (int d = 0; d < t->nparams; d++)
        made->new_array.sizes =
            ast_list_add(s->arena, made->new_array.sizes, tree_int(s, loc, (uint64_t)l.sizes[d]));
    Step step = {.kind = STEP_ASSIGN, .loc = loc, .value = made};
    shape_target(f, &step, v, declares);
    vec_push(out, step);
    for (size_t i = 0; i < l.values.len && f->out->good; i++)
        put(f, loc, v, l.places.data[i], l.values.data[i], false, out);
    vec_free(&l.values);
    vec_free(&l.places);
    return true;
}

/* ---- slices -------------------------------------------------------------------------------------------- */

static const char *placed(Shape *f, Ast *place, Steps *out)
{
    return shape_temporary(f, "place", f->s->integer, place, out)->name;
}

/* Rows of an array of reals, at places in variables; NULL: some dimension has no place, or none a range. */
static Ast *tape_rows_of(Shape *f, const Variable *array, const Ast *n, Steps *out)
{
    Sema *s = f->s;
    const AstList args = n->index.args;
    Ast *rows = ast_new(s->arena, AST_INDEX, n->loc);
    int ranges = 0;
    for (int d = 0; d < args.len; d++) ranges += args.data[d]->kind == AST_RANGE;
    if (!ranges || ranges == args.len || !kind_is_real(array->type)) return NULL;
    rows->index.base = tree_name(s, n->loc, array->name);
    for (int d = 0; d < args.len; d++) {
        Ast *arg = args.data[d], *place;
        const Loc loc = arg->loc;
        if (arg->kind == AST_RANGE) {
            Ast *lo = arg->range.lo ? place_of(s, array, arg->range.lo, d)
                                    : bound(s, loc, array, "GetLowerBound", d);
            Ast *hi = arg->range.hi ? place_of(s, array, arg->range.hi, d)
                                    : tree_binary(s, loc, AST_OP_ADD,
                                                  bound(s, loc, array, "GetUpperBound", d),
                                                  tree_int(s, loc, 1));
            place = ast_new(s->arena, AST_RANGE, loc);
            place->range.lo = tree_name(s, loc, placed(f, ast_clone(s->arena, lo), out));
            place->range.hi = tree_name(s, loc, placed(f, ast_clone(s->arena, hi), out));
        } else {
            Ast *at = place_of(s, array, ast_clone(s->arena, arg), d);
            place = tree_name(s, loc, placed(f, at, out));
        }
        rows->index.args = ast_list_add(s->arena, rows->index.args, place);
    }
    return rows;
}

static bool is_rows(const Shape *f, const Ast *n)
{
    const Variable *array = n->kind == AST_INDEX ? array_of(f, n) : NULL;
    return array && !array->definition && array->type && array->type->kind == TY_ARRAY &&
           kind_is_real(array->type) && facts_at(f->facts, n, FACT_ROW);
}

static void find_rows(Ast **child, void *ctx)
{
    void **to = ctx;
    bool *found = to[1];
    *found = *found || is_rows(to[0], *child);
    if (!*found) ast_each_child(*child, find_rows, ctx);
}

bool shape_has_rows(Shape *f, Ast *n)
{
    bool found = false;
    void *ctx[] = {f, &found};
    if (f->loops) find_rows(&n, ctx);
    return found;
}

bool shape_get_rows(Shape *f, Ast **slot, Steps *out)
{
    Ast *n = *slot;
    Variable *array = f->loops && is_rows(f, n) ? array_of(f, n) : NULL;
    Ast *rows = array ? tape_rows_of(f, array, n, out) : NULL;
    if (!rows) return false;
    int ranges = 0;
    for (int d = 0; d < rows->index.args.len; d++)
        ranges += rows->index.args.data[d]->kind == AST_RANGE;
    Step step = {.kind = STEP_GET, .loc = n->loc, .array = array, .value = rows};
    Variable *v = shape_variable(f, code_fresh(f->s, "rows"),
                                 type_array(f->s->types, array->type->result, ranges));
    v->rows = true;
    shape_reads(f, rows, &step.reads);
    shape_target(f, &step, v, true);
    vec_push(out, step);
    *slot = tree_name(f->s, n->loc, v->name);
    return true;
}

/* value: a variable, of numbers or arrays. */
static void put_slice(Shape *f, Loc loc, Variable *array, Ast *target, Variable *value,
                      Ast *written, Steps *out)
{
    Sema *s = f->s;
    Ast *lambda = ast_new(s->arena, AST_LAMBDA, loc), *inside = NULL;
    Ast *old = ast_new(s->arena, AST_CALL, loc), *now = tree_name(s, loc, value->name);
    bool many = type_is_functional(value->type);
    int rank = 0;
    if (many) now = tree_call(s, loc, now, 0);
    old->call.callee = tree_name(s, loc, array->name);
    for (int d = 0; d < target->index.args.len && f->out->good; d++) {
        Ast *arg = target->index.args.data[d], *range = ast_new(s->arena, AST_RANGE, loc);
        const char *i = code_fresh(s, "i");
        range->range.lo = bound(s, loc, array, "GetLowerBound", d);
        range->range.hi = tree_binary(s, loc, AST_OP_ADD, bound(s, loc, array, "GetUpperBound", d),
                                      tree_int(s, loc, 1));
        Ast *b = tree_binder(s, loc, s->integer, i), *cond;
        b->binder.vtype = NULL;
        b->binder.constraint = range;
        lambda->lambda.binders = ast_list_add(s->arena, lambda->lambda.binders, b);
        old->call.args = ast_list_add(s->arena, old->call.args, tree_name(s, loc, i));
        if (arg->kind != AST_RANGE) {
            const char *at = placed(f, place_of(s, array, arg, d), out);
            cond = tree_binary(s, loc, AST_OP_EQ, tree_name(s, loc, i), tree_name(s, loc, at));
        } else {
            Ast *first = arg->range.lo ? place_of(s, array, arg->range.lo, d)
                                       : bound(s, loc, array, "GetLowerBound", d);
            const char *lo = placed(f, first, out), *hi = NULL;
            if (arg->range.hi) hi = placed(f, place_of(s, array, arg->range.hi, d), out);
            cond = arg->range.lo
                       ? tree_binary(s, loc, AST_OP_LE, tree_name(s, loc, lo), tree_name(s, loc, i))
                       : NULL;
            Ast *below =
                hi ? tree_binary(s, loc, AST_OP_LT, tree_name(s, loc, i), tree_name(s, loc, hi))
                   : NULL;
            cond = cond && below ? tree_binary(s, loc, AST_OP_LAND, cond, below)
                   : cond        ? cond
                                 : below;
            Ast *at = tree_binary(s, loc, AST_OP_SUB, tree_name(s, loc, i), tree_name(s, loc, lo));
            if (many)
                now->call.args =
                    ast_list_add(s->arena, now->call.args,
                                 tree_binary(s, loc, AST_OP_ADD, at,
                                             bound(s, loc, value, "GetLowerBound", rank++)));
        }
        if (cond) inside = inside ? tree_binary(s, loc, AST_OP_LAND, inside, cond) : cond;
    }
    lambda->lambda.body = now;
    if (inside) {
        Ast *n = ast_new(s->arena, AST_COND, loc);
        n->cond.cond = inside;
        n->cond.then = now;
        n->cond.other = old;
        lambda->lambda.body = n;
    }
    if (!f->out->good) return;
    Step step = {.kind = STEP_ASSIGN, .loc = loc, .value = lambda, .written = written};
    step.array = value;
    step.rows = tape_rows_of(f, array, target, out);
    if (!f->out->good) return;
    shape_reads(f, lambda, &step.reads);
    normal_add(&step.reads, array);
    if (step.rows) shape_reads(f, step.rows, &step.reads);
    shape_target(f, &step, array, false);
    vec_push(out, step);
}

static void slice(Shape *f, Loc loc, Variable *array, Ast *target, AstOp op, Ast *value, Steps *out)
{
    Sema *s = f->s;
    const Fact *fact = facts_at(f->facts, value, FACT_VALUE);
    const Type *t = fact ? fact->type : NULL;
    int ranges = 0;
    for (int i = 0; i < target->index.args.len; i++)
        ranges += target->index.args.data[i]->kind == AST_RANGE;
    bool fits = op != AST_OP_NONE || (t && (!type_is_functional(t) || t->nparams == ranges));
    if (!fits) {
        shape_fail(f, loc, "this assignment to a slice",
                   "make the array at once: a = (i : 0..n) => ..");
        return;
    }
    const Type *of = array->type->result;
    Variable *was = NULL;
    if (op != AST_OP_NONE) {
        Ast *old = ast_clone(s->arena, target);
        if (shape_get_rows(f, &old, out)) was = shape_find(f, old->name_ref.name);
        value = tree_binary(s, loc, op, old, value);
    }
    const size_t from = out->len;
    if (op != AST_OP_NONE || type_is_functional(t)) of = type_array(s->types, of, ranges);
    Variable *v = op == AST_OP_NONE && f->loops ? shape_named(f, value) : NULL;
    if (!v || v->definition || v->type != of || v == array) {
        v = shape_temporary(f, "slice", of, value, out);
        v->rows = true;
    }
    if (was && (op == AST_OP_ADD || op == AST_OP_SUB)) was->passed = leaves(out, from, array);
    Ast *written = tree_assign(s, loc, ast_clone(s->arena, target), tree_name(s, loc, v->name));
    put_slice(f, loc, array, target, v, written, out);
    if (was && was->passed && f->out->good && !tape_rows_are(&vec_last(out))) was->passed = false;
    if (was && was->passed && f->out->good) vec_last(out).more = true;
}

void shape_put(Shape *f, Loc loc, Variable *array, Ast *target, AstOp op, Ast *value, Steps *out)
{
    bool ranges = false;
    for (int i = 0; i < target->index.args.len; i++)
        ranges = ranges || target->index.args.data[i]->kind == AST_RANGE;
    if (ranges)
        slice(f, loc, array, target, op, value, out);
    else
        put_element(f, loc, array, target, op, value, out);
}
