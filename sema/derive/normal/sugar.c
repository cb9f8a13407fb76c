/* Statements that others stand for, in the normal form (shape.h): foreach, switch, assignments to tuples.
 *
 *     foreach (T x in a) body      { T[] $a = a; for (int $i = 0; $i < $a.Length; $i++) { T x = $a[$i]; body } }
 *     switch (k) { case 1: .. }    { int $k = k; if ($k == 1) { .. } else .. }
 *     (x, y) = (y, x);             T $1 = y, $2 = x;  x = $1;  y = $2;
 */
#include "shape.h"

/* ---- foreach ------------------------------------------------------------------------------------------ */

static Ast *number_of(Sema *s, Loc loc, const char *array, const char *what, int dim)
{
    return tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, array), what), 1,
                     tree_int(s, loc, (uint64_t)dim));
}

/* Element number $i of an array, in the order of its places. */
static Ast *element_of(Sema *s, Loc loc, const char *array, const char *i, int rank)
{
    Ast *n = ast_new(s->arena, AST_INDEX, loc);
    n->index.base = tree_name(s, loc, array);
    for (int d = 0; d < rank; d++) {
        Ast *at = tree_name(s, loc, i);
        for (int k = d + 1; k < rank; k++)
            at = tree_binary(s, loc, AST_OP_DIV, at, number_of(s, loc, array, "GetLength", k));
        if (d) at = tree_binary(s, loc, AST_OP_REM, at, number_of(s, loc, array, "GetLength", d));
        at = tree_binary(s, loc, AST_OP_ADD, number_of(s, loc, array, "GetLowerBound", d), at);
        n->index.args = ast_list_add(s->arena, n->index.args, at);
    }
    return n;
}

/* for (int i = lo; i < hi; i++) body */
static Ast *counting(Sema *s, Loc loc, AstList attrs, const char *i, Ast *lo, Ast *hi, Ast *body)
{
    Ast *n = ast_new(s->arena, AST_FOR, loc), *step = ast_new(s->arena, AST_INCDEC, loc);
    step->incdec.op = AST_OP_ADD;
    step->incdec.postfix = true;
    step->incdec.target = tree_name(s, loc, i);
    n->for_.init = ast_list_add(s->arena, n->for_.init,
                                tree_local(s, loc, type_node(s, loc, s->integer), i, lo));
    n->for_.cond = tree_binary(s, loc, AST_OP_LT, tree_name(s, loc, i), hi);
    n->for_.step = ast_list_add(s->arena, n->for_.step, tree_stmt(s, step));
    n->for_.body = body;
    n->for_.attrs = attrs;
    return n;
}

static Ast *plain_foreach(Shape *f, Ast *n)
{
    Sema *s = f->s;
    Ast *seq = n->foreach_.seq;
    Loc loc = n->loc;
    const Fact *fact = facts_at(f->facts, seq, FACT_VALUE);
    const char *i = code_fresh(s, "at"), *a = code_fresh(s, "each");
    if (seq->kind == AST_RANGE && seq->range.lo && seq->range.hi)
        return counting(s, loc, n->foreach_.attrs, n->foreach_.name, seq->range.lo, seq->range.hi,
                        n->foreach_.body);
    const Type *t = fact ? fact->type : NULL;
    if (!t || !type_is_functional(t) || t->nparams > MAX_ARRAY_RANK) {
        shape_fail(f, loc, "foreach over what is no array", "write a for over the indices");
        return n;
    }
    const Type *of = t->result;
    bool own = n->foreach_.vtype && n->foreach_.vtype->kind != AST_TYPE_VAR;
    if (own) of = decl_type(s, n->foreach_.vtype);
    Ast *array =
        tree_local(s, loc, type_node(s, loc, type_array(s->types, t->result, t->nparams)), a, seq);
    Ast *element = tree_local(s, loc, type_node(s, loc, of), n->foreach_.name,
                              element_of(s, loc, a, i, t->nparams));
    Ast *length = tree_member(s, loc, tree_name(s, loc, a), "Length");
    Ast *loop = counting(s, loc, n->foreach_.attrs, i, tree_int(s, loc, 0), length,
                         tree_block(s, loc, 2, element, n->foreach_.body));
    return tree_block(s, loc, 2, array, loop);
}

/* ---- switch --------------------------------------------------------------------------------------------- */

static void find_break(Ast **child, void *ctx)
{
    const Ast *n = *child;
    if (ast_is_loop(n) || n->kind == AST_SWITCH || n->kind == AST_FUNC || n->kind == AST_LAMBDA)
        return;
    if (n->kind == AST_BREAK) *(const Ast **)ctx = n;
    ast_each_child(*child, find_break, ctx);
}

/* The statements of a section without the break at their end. */
static Ast *section_block(Shape *f, const Ast *section)
{
    const Ast *inner = NULL;
    Ast *block = tree_block(f->s, section->loc, 0);
    AstList stmts = section->case_.stmts;
    if (stmts.len == 1 && stmts.data[0]->kind == AST_BLOCK) stmts = stmts.data[0]->block.stmts;
    for (int i = 0; i < stmts.len; i++)
        if (i + 1 < stmts.len || stmts.data[i]->kind != AST_BREAK)
            block->block.stmts = ast_list_add(f->s->arena, block->block.stmts, stmts.data[i]);
    for (int i = 0; i < block->block.stmts.len; i++)
        find_break(&block->block.stmts.data[i], (void *)&inner);
    if (inner)
        shape_fail(f, inner->loc, "a break within a section of a switch", "write if and else");
    return block;
}

/* Is the value one that the label says? NULL after a report. */
static Ast *test_of(Shape *f, const char *value, Ast *label)
{
    Sema *s = f->s;
    Loc loc = label->loc;
    if (label->kind == AST_ARM || label->kind == AST_PATTERN_OF ||
        label->kind == AST_PATTERN_LIST || label->kind == AST_PLACEHOLDER) {
        shape_fail(f, loc, "a switch with patterns", "write if and else");
        return tree_true(s, loc);
    }
    if (label->kind != AST_PATTERN)
        return tree_binary(s, loc, AST_OP_EQ, tree_name(s, loc, value), label);
    Ast *n = ast_new(s->arena, AST_IS, loc);
    n->is_.operand = tree_name(s, loc, value);
    n->is_.target = label;
    return n;
}

static Ast *plain_switch(Shape *f, Ast *n)
{
    Sema *s = f->s;
    Loc loc = n->loc;
    const Fact *fact = facts_at(f->facts, n->switch_.value, FACT_VALUE);
    if (!fact) fact = facts_at(f->facts, n->switch_.value, FACT_DECLARED);
    if (!fact) {
        shape_fail(f, loc, "this switch", "write if and else");
        return n;
    }
    const char *value = code_fresh(s, "switch");
    Ast *chosen = NULL;
    for (int turn = 0; turn < 2; turn++) /* the default comes last */
        for (int i = n->switch_.sections.len; i-- > 0 && f->out->good;) {
            const Ast *section = n->switch_.sections.data[i];
            Ast *cond = NULL;
            bool last = false;
            for (int k = 0; k < section->case_.labels.len; k++) {
                Ast *label = section->case_.labels.data[k];
                last = last || label->kind == AST_DEFAULT_LABEL;
            }
            if (last != (turn == 0)) continue;
            if (last) {
                chosen = section_block(f, section);
                continue;
            }
            for (int k = 0; k < section->case_.labels.len; k++) {
                Ast *test = test_of(f, value, section->case_.labels.data[k]);
                cond = cond ? tree_binary(s, loc, AST_OP_LOR, cond, test) : test;
            }
            Ast *one = ast_new(s->arena, AST_IF, section->loc);
            one->if_.cond = cond;
            one->if_.then = section_block(f, section);
            one->if_.other = chosen;
            chosen = one;
        }
    Ast *local = tree_local(s, loc, type_node(s, loc, fact->type), value, n->switch_.value);
    return tree_block(s, loc, 2, local, chosen ? chosen : tree_block(s, loc, 0));
}

Ast *shape_plain(Shape *f, Ast *n)
{
    if (!f->out->good) return n;
    return n->kind == AST_FOREACH  ? plain_foreach(f, n)
           : n->kind == AST_SWITCH ? plain_switch(f, n)
                                   : n;
}

/* ---- assignments to tuples ------------------------------------------------------------------------- */

typedef struct Parts {
    Shape *f;
    int nrest;
    Ast **rest;
    Steps *out;
    VEC(Ast *) targets, values; /* what is assigned when all is evaluated */
    VEC(const Type *) types;
} Parts;

static bool declares(const Ast *target)
{
    return target->kind == AST_BINDER && target->binder.vtype && !target->binder.constraint;
}

/* The type of a place; NULL after a report. */
static const Type *type_of_place(Parts *p, Ast *target)
{
    const Ast *array = target->kind == AST_INDEX ? target->index.base : NULL;
    if (declares(target)) {
        const Ast *t = target->binder.vtype;
        if (t->kind == AST_TYPE_NAME && !t->type_name.name && t->type) return t->type; /* made */
        const Fact *fact = facts_at(p->f->facts, target->binder.names.data[0], FACT_DECLARED);
        if (fact) return fact->type;
    } else if (target->kind == AST_NAME_REF) {
        const Variable *v = shape_find(p->f, target->name_ref.name);
        if (v && v->type && !v->definition) return v->type;
    } else if (array && array->kind == AST_NAME_REF && !is_slice(target)) {
        const Variable *v = shape_find(p->f, array->name_ref.name);
        if (v && v->type && v->type->kind == TY_ARRAY) return v->type->result;
    }
    shape_fail(p->f, target->loc, "an assignment of a tuple to this",
               "write an assignment for each variable");
    return NULL;
}

static void note_part(Parts *p, Ast *target, const Type *t, Ast *value)
{
    vec_push(&p->targets, target);
    vec_push(&p->types, t);
    vec_push(&p->values, value);
}

/* The fields of a tuple that has a name. */
static void take_apart(Parts *p, const Ast *target, Ast *whole, const Type *t)
{
    Sema *s = p->f->s;
    const Class *c = class_of(t);
    const AstList *items = &target->tuple.items;
    if (!c || !class_is_final_value(c) || c->nfields != items->len) {
        shape_fail(p->f, target->loc, "taking this apart", "read its members");
        return;
    }
    for (int i = 0; i < items->len && p->f->out->good; i++) {
        Ast *item = items->data[i],
            *value = tree_member(s, item->loc, ast_clone(s->arena, whole), c->fields[i]->name);
        if (item->kind == AST_PLACEHOLDER) continue;
        if (item->kind == AST_TUPLE)
            take_apart(p, item, value, c->fields[i]->type);
        else
            note_part(p, item, declares(item) ? c->fields[i]->type : type_of_place(p, item), value);
    }
}

static void match(Parts *p, Ast *target, Ast *value)
{
    Shape *f = p->f;
    Sema *s = f->s;
    const Fact *call = value->kind == AST_CALL ? facts_at(f->facts, value, FACT_CALL) : NULL;
    if (!f->out->good) return;
    if (target->kind == AST_TUPLE && call && split_is(call->type)) shape_hoist(f, &value, p->out);
    if (!f->out->good) return;
    if (target->kind == AST_TUPLE && value->kind == AST_TUPLE &&
        target->tuple.items.len == value->tuple.items.len) {
        for (int i = 0; i < target->tuple.items.len; i++)
            match(p, target->tuple.items.data[i], tuple_value(value->tuple.items.data[i]));
    } else if (target->kind == AST_TUPLE) {
        const Fact *fact = facts_at(f->facts, value, FACT_DECLARED);
        if (!fact) {
            shape_fail(f, target->loc, "taking this apart", "give it a name, and read its members");
            return;
        }
        const Variable *whole = shape_temporary(f, "whole", fact->type, value, p->out);
        take_apart(p, target, tree_name(s, value->loc, whole->name), fact->type);
    } else if (target->kind != AST_PLACEHOLDER) {
        const Type *t = type_of_place(p, target);
        if (!t) return;
        const Variable *part = shape_temporary(f, "part", t, value, p->out);
        note_part(p, target, t, tree_name(s, value->loc, part->name));
    }
}

void shape_parts(Shape *f, Ast *assign, int nrest, Ast **rest, Steps *out)
{
    Parts p = {.f = f, .nrest = nrest, .rest = rest, .out = out};
    Sema *s = f->s;
    match(&p, assign->assign.target, assign->assign.value);
    for (size_t i = 0; i < p.targets.len && f->out->good; i++) {
        Ast *target = p.targets.data[i];
        if (declares(target)) {
            const Ast *name = target->binder.names.data[0];
            Ast *decl = tree_local(s, name->loc, type_node(s, name->loc, p.types.data[i]),
                                   name->name_ref.name, p.values.data[i]);
            shape_declare(f, decl, decl->var_decl.vars.data[0], nrest, rest, out);
        } else {
            shape_set(f, target->loc, target, AST_OP_NONE, p.values.data[i], out);
        }
    }
    vec_free(&p.targets);
    vec_free(&p.values);
    vec_free(&p.types);
}

/* ---- assignments ---------------------------------------------------------------------------------- */

/* p.x = e of a record: p gets a value with another field. */
static void set_field(Shape *f, Loc loc, Variable *v, const Ast *target, AstOp op, Ast *value,
                      Steps *out)
{
    Sema *s = f->s;
    const Class *c = class_of(v->type);
    AstList items = {0};
    Ast *with = ast_new(s->arena, AST_WITH, loc), *one = ast_new(s->arena, AST_FIELD, loc);
    const char *name = target->member.name;
    const Symbol *field = type_is_tuple(v->type) ? tuple_field(s, c, name) : NULL;
    for (int i = 0; i < c->nfields; i++) {
        const Symbol *own = c->fields[i];
        Ast *item = tree_member(s, loc, tree_name(s, loc, v->name), own->name);
        if (own == field || own->name == name) {
            if (op != AST_OP_NONE) value = tree_binary(s, loc, op, item, value);
            item =
                op == AST_OP_NONE ? value : tree_cast(s, loc, type_node(s, loc, own->type), value);
            one->field.value = item;
        }
        items = ast_list_add(s->arena, items, item);
    }
    one->field.name = name;
    with->with_.operand = tree_name(s, loc, v->name);
    with->with_.fields = ast_list_add(s->arena, with->with_.fields, one);
    shape_assign(f, loc, v, type_is_tuple(v->type) ? tree_tuple(s, loc, items) : with, false, out);
}

void shape_set(Shape *f, Loc loc, Ast *target, AstOp op, Ast *value, Steps *out)
{
    const Ast *of = target->kind == AST_MEMBER ? target->member.base : NULL;
    Variable *whole = of ? shape_named(f, of) : NULL;
    if (whole && whole->type && type_is_record(whole->type)) {
        set_field(f, loc, whole, target, op, value, out);
        return;
    }
    const Ast *base = target->kind == AST_INDEX ? target->index.base : NULL;
    Variable *v = shape_named(f, base ? base : target);
    if (!v || v->definition || !v->type || (base && v->type->kind != TY_ARRAY)) {
        shape_fail(f, loc, "an assignment to what is no variable of this function",
                   "return what it computes");
    } else if (base) {
        shape_put(f, loc, v, target, op, value, out);
    } else {
        if (op != AST_OP_NONE) value = tree_binary(f->s, loc, op, target, value);
        if (op != AST_OP_NONE && v->type->kind == TY_SCALAR) /* it converts back */
            value = tree_cast(f->s, loc, type_node(f->s, loc, v->type), value);
        shape_assign(f, loc, v, value, false, out);
    }
}

/* ---- functions inside --------------------------------------------------------------------------------- */

/* Does it read what is declared among these statements, and not by now? */
static bool reads_later(Shape *f, Ast *func, AstList list)
{
    FreeNames names = {0};
    bool later = false;
    free_names(f->s, func, &names);
    for (size_t i = 0; i < names.len && !later; i++)
        for (int k = 0; k < list.len && !later; k++) {
            const Ast *n = list.data[k];
            for (int v = 0; n->kind == AST_VAR_DECL && v < n->var_decl.vars.len; v++)
                later = later || n->var_decl.vars.data[v]->declarator.name == names.data[i].name;
            later = later || (n->kind == AST_DEFINE && n->define.name == names.data[i].name);
            later = later || (n->kind == AST_FUNC && n->func.name == names.data[i].name &&
                              !shape_find(f, n->func.name));
        }
    vec_free(&names);
    return later;
}

void shape_functions(Shape *f, AstList list, Steps *out)
{
    for (int i = 0; i < list.len && f->out->good; i++) {
        Ast *n = list.data[i];
        if (n->kind == AST_FUNC && !reads_later(f, n, list))
            shape_function(f, n->loc, n->func.name, NULL, n, out);
    }
}
