/* Assignments, ++ and --: what may be a target, and what else an assignment becomes. */
#include <string.h>

#include "check.h"

/* The variable, field or property that a chain of elements belongs to. */
static Ast *root(Ast *n)
{
    while (n->kind == AST_INDEX && !(n->sym && n->sym->kind == SYM_PROPERTY)) n = n->index.base;
    return n;
}

static void note_written(Sema *s, const Ast *n)
{
    if (!n->sym) return;
    if (n->kind != AST_NAME_REF) { /* a field, property or indexer */
        bool index = n->kind == AST_INDEX, is_static = n->sym->mods & AST_MOD_STATIC;
        Symbol *set = n->sym->kind == SYM_PROPERTY ? n->sym->set : NULL;
        const Ast *object = index ? n->index.base : n->member.base;
        if (n->sym->kind == SYM_FIELD && !(s->func && s->func->is_ctor))
            n->sym->assigned_again = true;
        if (set) func_use(s, set);
        if (set && n->sym->get) func_use(s, n->sym->get); /* op=, ++, elements */
        if (set && is_static)
            pure_call(s, set, n->loc);
        else if (set)
            pure_method(s, set, object, n->loc);
        else
            pure_write(s, is_static ? NULL : object, n->sym->name, n->loc);
        return;
    }
    n->sym->assigned_again = true;
    if (n->sym->kind == SYM_PARAM && (n->sym->mode == AST_OP_REF || n->sym->mode == AST_OP_OUT))
        pure_param(s, n->sym->name, n->loc);
}

/* Why a name cannot be assigned, or NULL. */
static const char *fixed_name(const Ast *n, bool element)
{
    SymKind k = n->sym ? n->sym->kind : SYM_LOCAL;
    if (k == SYM_CONST) return "a constant";
    if (k == SYM_BOUND) return "a bound variable";
    if (k == SYM_FUNC) return "a function";
    if (!n->sym || !(n->sym->mods & AST_MOD_READONLY)) return NULL;
    return element ? "an element of a foreach variable" : "a foreach variable";
}

/* The object of an initialiser, or the copy that `with` changes. */
static bool is_made_here(const Ast *base)
{
    return base && base->kind == AST_NAME_REF && strcmp(base->name_ref.name, "$object") == 0;
}

/* Fields that are read-only are set by the constructors of their class, through this. */
static const char *fixed_member(Sema *s, Ast *n, bool element)
{
    Symbol *m = n->sym;
    if (!m || m->kind == SYM_CONST) return "a constant";
    const Ast *base = n->kind == AST_MEMBER ? n->member.base : NULL;
    bool sets = s->func && (s->func->is_ctor || (s->func->mods & AST_MOD_INIT));
    bool own = sets && s->func->cls == m->cls && base && base->kind == AST_THIS;
    if (m->mods & AST_MOD_STATIC)
        own = s->func && s->func->cls == m->cls && strcmp(s->func->name, AST_STATIC_CTOR) == 0;
    if (m->kind == SYM_PROPERTY && n->kind == AST_MEMBER && m->storage &&
        (!m->set || m->set->slot < 0)) {
        bool open = m->set && member_accessible(s, m->set);
        if (m->set && !open) member_check_access(s, m->set, n->loc);
        m = n->sym = m->storage;
        if (m->mods & AST_MOD_STATIC) static_use(s, m);
    }
    if (m->kind == SYM_FIELD) {
        bool made = (m->mods & AST_MOD_INIT) && is_made_here(base);
        if (!(m->mods & AST_MOD_READONLY) || own || made) return NULL;
        /* as in C#, readonly is said of the array of an object, not of its elements */
        if (element && n->type->kind == TY_ARRAY && !class_is_final_value(m->cls)) return NULL;
        if (m->mods & AST_MOD_INIT) return "what is set where the object is made, by init,";
        return m->decl->sym == m && n->res == AST_RES_NONE ? "a read-only field"
                                                           : "a field of a value";
    }
    if (m->kind != SYM_PROPERTY) return "a method";
    if (!m->set)
        return n->kind == AST_INDEX ? "an element without a setter" : "a property without a setter";
    member_check_access(s, m->set, n->loc);
    bool inside =
        base && base->kind == AST_THIS && s->func && (s->func->is_ctor || s->func == m->set);
    if ((m->set->mods & AST_MOD_INIT) && !inside && !is_made_here(base))
        return "what is set where the object is made, by init,";
    return NULL;
}

static const char *fixed_element(const Ast *n, const Ast *base)
{
    if (n->index.base->type && n->index.base->type->kind == TY_STRING)
        return "a character of a string";
    if (n->index.base->type->kind == TY_FUNC) return "a value of a function";
    if (base->kind != AST_NAME_REF && base->kind != AST_MEMBER && base->kind != AST_INDEX)
        return "an element of a temporary array";
    return n->res != AST_RES_APPLY && !is_slice(n) ? "a gather" : NULL;
}

/* Something that can be assigned; gives it its type. */
void check_target(Sema *s, Ast **slot, const char *verb)
{
    place_check(s, slot);
    Ast *n = *slot;
    ref_place(s, n, strcmp(verb, "assigned") != 0);
    const Type *t = require_value(s, n);
    if (s->functional)
        report(s, n->loc, IMPURE_INSIDE, "nothing can be %s inside a functional expression", verb);
    if (t == s->error) return;
    Ast *base = root(n);
    bool lent = strcmp(verb, "lent") == 0, element = base != n;
    if (lent) verb = "passed by reference";
    const char *why = base == n ? NULL : fixed_element(n, base);
    if (why)
        ;
    else if (base->kind == AST_NAME_REF)
        why = fixed_name(base, element);
    else if (base->kind == AST_MEMBER || base->kind == AST_INDEX)
        why = fixed_member(s, base, element || lent);
    else
        why = n->kind == AST_CALL ? "a call" : "this expression";
    if (why) {
        report(s, n->loc, NOT_ASSIGNABLE, "%s cannot be %s", why, verb);
        if (n->kind == AST_CALL && n->res == AST_RES_APPLY)
            report_note(s, NOWHERE, "an element of an array is assigned with brackets: a[i] = ...");
        else if (base != n && base->sym && base->sym->kind == SYM_FIELD &&
                 base->type->kind == TY_ARRAY && class_is_final_value(base->sym->cls))
            report_note(s, NOWHERE,
                        "arrays are values, so a value has its elements: write class, or struct "
                        "and field without readonly");
        else if (n->kind == AST_INDEX && n->index.base->type->kind == TY_FUNC)
            report_note(s, NOWHERE, "functions are immutable; declare it with an array type");
        n->type = s->error;
        return;
    }
    Symbol *property = base->sym && base->sym->kind == SYM_PROPERTY ? base->sym : NULL;
    if (property && !property->get && (base != n || strcmp(verb, "assigned") != 0))
        report(s, n->loc, ACCESSOR, "'%s' can be set, but not read", property->name);
    note_written(s, base);
}

/* `f op= e` of functions and slices: f = f op e. */
static void expand_compound(Sema *s, Ast *n, Ast *target)
{
    Ast *sum = ast_new(s->arena, AST_BINARY, n->loc);
    sum->binary.op = n->assign.op;
    sum->binary.left = target;
    sum->binary.right = n->assign.value;
    n->assign.op = AST_OP_NONE;
    n->assign.value = sum;
}

static const Ast *unconverted(const Ast *n)
{
    while (n->kind == AST_CONVERT && !n->is_const) n = n->convert.operand;
    return n;
}

/* Does each element of f = f op e convert back to f's: would e be assigned to one? As in C#. */
static bool converts_back(Sema *s, const Ast *sum, const Type *elem)
{
    if (sum->kind != AST_BINARY || !type_is_numeric(elem)) return false;
    AstOp op = sum->binary.op;
    if (op == AST_OP_SHL || op == AST_OP_SHR) return true;
    const Ast *e = unconverted(sum->binary.right);
    if (e->kind == AST_LET) e = unconverted(e->let.body);
    Ast like = {.kind = AST_BAD, .type = result_of(e->type)};
    return constant_fits(e, elem->scalar) || convert_class(s, &like, elem) != CONV_NONE;
}

static void convert_back(Sema *s, Ast **sum, const Type *t)
{
    const Type *v = (*sum)->type;
    if (!type_is_functional(v) || v->result == t->result || !type_is_numeric(v->result)) return;
    Ast like = {.kind = AST_BAD, .type = v->result};
    if (convert_class(s, &like, t->result) != CONV_NONE || !converts_back(s, *sum, t->result))
        return;
    Ast *cast = ast_new(s->arena, AST_CAST, (*sum)->loc);
    convert_wrap(s, sum, v); /* it is checked */
    cast->cast.target = type_node(s, cast->loc, t->result);
    cast->cast.operand = *sum;
    *sum = cast;
    check_value(s, sum, NULL);
}

/* f += g, where they give nothing: a function that calls both; f -= g takes g out. */
static bool expand_combination(Sema *s, Ast *n, Ast *target)
{
    const Type *t = n->assign.target->type;
    bool sum = n->assign.op == AST_OP_ADD || n->assign.op == AST_OP_SUB;
    if (t->kind != TY_FUNC || !sum) return false;
    if (t->result != s->voids && type_is_hosted(t)) {
        report(s, n->loc, NOT_SUPPORTED,
               "functions that give values are not combined: keep them in a list and call each");
        n->type = s->error;
        return true;
    }
    if (t->result != s->voids) return false;
    expand_compound(s, n, target);
    struct Ast_binary *pair = &n->assign.value->binary;
    check_expr(s, &pair->left, NULL);
    if (check_expr(s, &pair->right, t) != s->error) convert_to(s, &pair->right, t, NULL);
    n->type = n->assign.value->type = t;
    return true;
}

/* A slice takes a function of its dimensions; a scalar fills it. */
static void assign_slice(Sema *s, Ast *n, const Type *t)
{
    const Type *v = n->assign.value->type;
    bool fills = v != s->error && v->kind != TY_GROUP && !type_is_functional(v);
    convert_to(s, &n->assign.value, fills ? t->result : t, NULL);
}

static void check_compound(Sema *s, Ast *n, const Type *t)
{
    AstOp op = n->assign.op;
    Ast **value = &n->assign.value;
    if (t == s->string && op == AST_OP_ADD) {
        convert_string(s, value);
        return;
    }
    if (user_compound(s, n)) return;
    const Type *v = (*value)->type;
    bool shift = op == AST_OP_SHL || op == AST_OP_SHR;
    bool bits = shift || op == AST_OP_AND || op == AST_OP_OR || op == AST_OP_XOR;
    if (t == s->boolean && v == s->boolean && bits && !shift) return;
    if (type_is_enum(t) && bits && !shift && convert_class(s, *value, t) != CONV_NONE) {
        convert_to(s, value, t, NULL);
        return;
    }
    bool sum = op == AST_OP_ADD || op == AST_OP_SUB;
    const Type *number = type_is_enum(t) ? type_scalar(s->types, t->scalar) : NULL;
    if (number && sum && convert_class(s, *value, number) != CONV_NONE) t = number;
    const Type *common = common_numeric(s, t, v);
    if (!type_is_numeric(t) || !type_is_numeric(v) ||
        (bits && (scalar_is_real(t->scalar) || scalar_is_real(v->scalar)))) {
        report(s, n->loc, OPERANDS, "operator '%s=' does not exist for '%s' and '%s'",
               ast_op_text(op), type_text(s->arena, t), type_text(s->arena, v));
        return;
    }
    if (shift) {
        convert_to(s, value, s->integer, "the shift count");
        return;
    }
    /* the value converts to the target's type; the operation is done in the common one */
    if (convert_class(s, *value, t) == CONV_NONE || literal_adapts(*value)) {
        if (!convert_to(s, value, t, NULL)) return;
    }
    bool fits = constant_fits(*value, t->scalar);
    const Type *wide = common_numeric(s, t, t);
    if (fits || !common) common = wide;
    if (convert_class(s, *value, common) != CONV_NONE) convert_to(s, value, common, NULL);
}

/* Is the target a field of a struct that cannot be changed where it is: of an element, or of one that is kept as an
 * object, which other variables have, too? */
static bool is_inside_struct(Sema *s, const Ast *target)
{
    const Ast *base = target->kind == AST_MEMBER ? target->member.base : NULL;
    bool place = base && (base->kind == AST_NAME_REF || base->kind == AST_MEMBER ||
                          base->kind == AST_INDEX || base->kind == AST_TYPE_NAME ||
                          ref_is_place(s, base) || (base->kind == AST_THIS && struct_self(s)));
    return place && struct_or_tuple(peek_type(s, target->member.base)) && struct_is_shared(s, base);
}

/* a[i].X op= v   is   (a[i] = a[i] with { X = a[i].X op v }).X; of a[i].X++ it is the value before. */
static bool assign_inside(Sema *s, Ast **slot, Ast *target, AstOp op, Ast *value)
{
    Loc loc = (*slot)->loc;
    bool before = (*slot)->kind == AST_INCDEC && (*slot)->incdec.postfix;
    if (struct_self(s) && member_unqualified(s, &target) && (*slot)->kind == AST_ASSIGN)
        (*slot)->assign.target = target;
    if (ref_assign(s, slot, target, op, value) || struct_set(s, slot, target, op, value))
        return true;
    if (!is_inside_struct(s, target)) return false;
    Ast *element = target->member.base;
    if (!ref_repeatable(element)) {
        report(s, loc, NOT_ASSIGNABLE,
               "a part of this element cannot be assigned: put what is in its "
               "brackets into a variable first");
        (*slot)->type = s->error;
        return true;
    }
    const Type *t = op != AST_OP_NONE ? peek_type(s, target) : s->error;
    Ast *one = value;
    if (op != AST_OP_NONE) value = tree_binary(s, loc, op, ast_clone(s->arena, target), value);
    const Type *v = type_is_numeric(t) ? peek_type(s, one) : s->error;
    if (type_is_numeric(v) && scalar_is_real(t->scalar) >= scalar_is_real(v->scalar))
        value = tree_cast(s, loc, type_node(s, loc, t), value);
    Ast *field = ast_new(s->arena, AST_FIELD, loc), *copy = ast_new(s->arena, AST_WITH, loc);
    field->field.name = target->member.name;
    field->field.value = value;
    copy->with_.operand = ast_clone(s->arena, element);
    copy->with_.fields = ast_list_add(s->arena, (AstList){0}, field);
    *slot =
        tree_member(s, loc, tree_assign(s, loc, element, copy)->expr_stmt.expr, field->field.name);
    if (before && t != s->error) {
        AstOp back = op == AST_OP_ADD ? AST_OP_SUB : AST_OP_ADD;
        *slot = tree_binary(s, loc, back, *slot, ast_clone(s->arena, one));
        *slot = tree_cast(s, loc, type_node(s, loc, t), *slot);
    }
    check_expr(s, slot, NULL);
    return true;
}

/* `a(i, j) = e`: variables of its own, not those of loops, and a is a function. */
static bool is_definition(Sema *s, const Ast *n)
{
    const Ast *let = n->assign.value;
    if (let->kind != AST_LET || !let->let.again) return true;
    const Type *t = peek_type(s, n->assign.target);
    bool functional = type_is_functional(t), own = functional;
    for (int i = 0; i < let->let.binders.len; i++) {
        const struct Ast_binder *b = &let->let.binders.data[i]->binder;
        for (int k = 0; k < b->names.len; k++)
            own = own && !scope_lookup(s, b->names.data[k]->name_ref.name);
    }
    if (own) return true;
    report(s, let->loc, NOT_ASSIGNABLE, "a call cannot be assigned");
    if (functional)
        report_note(s, NOWHERE, "an element of an array is assigned with brackets: a[i] = ...");
    return false;
}

/* x.E += h of an event with accessors is x.add_E(h); checked then. */
static bool event_call(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    AstOp op = n->kind == AST_ASSIGN ? n->assign.op : AST_OP_NONE;
    if (op != AST_OP_ADD && op != AST_OP_SUB) return false;
    Ast *target = n->assign.target;
    bool member = target->kind == AST_MEMBER;
    if (!member && target->kind != AST_NAME_REF) return false;
    const char *event = member ? target->member.name : target->name_ref.name;
    const char *name = intern_cstr(
        s->names, arena_printf(s->arena, "%s_%s", op == AST_OP_ADD ? "add" : "remove", event));
    Class *c = s->cls;
    if (member && target->member.base->kind == AST_TYPE_NAME)
        c = class_of(decl_type(s, ast_clone(s->arena, target->member.base)));
    else if (member)
        c = class_of(peek_type(s, target->member.base));
    else if (scope_user(s, event))
        return false;
    if (!c) return false;
    class_ready(s, c);
    if (member_find(s, c, event) || !member_find(s, c, name)) return false;
    Ast *callee = member ? tree_member(s, target->loc, target->member.base, name)
                         : tree_name(s, target->loc, name);
    *slot = tree_call(s, n->loc, callee, 1, n->assign.value);
    check_expr(s, slot, NULL);
    return true;
}

void check_assign(Sema *s, Ast **slot)
{
    if (event_call(s, slot)) return;
    overflow_expand(s, slot);
    Ast *n = *slot;
    if (n->kind == AST_ASSIGN) ref_no_definition(s, n);
    if (n->kind == AST_ASSIGN && !is_definition(s, n)) {
        n->type = s->error;
        return;
    }
    if (n->kind != AST_ASSIGN) {
        check_expr(s, slot, NULL);
        return;
    }
    if (assign_inside(s, slot, n->assign.target, n->assign.op, n->assign.value)) return;
    if (n->assign.target->kind == AST_TUPLE) {
        report(s, n->loc, NOT_ASSIGNABLE,
               "an assignment to a tuple is a statement of its own, with =");
        n->type = s->error;
        return;
    }
    Ast *again = n->assign.op != AST_OP_NONE ? ast_clone(s->arena, n->assign.target) : NULL;
    check_target(s, &n->assign.target, n->assign.op == AST_OP_NONE ? "assigned" : "changed");
    const Type *t = n->assign.target->type;
    bool slice = is_slice(n->assign.target) && type_is_functional(t);
    if (again && expand_combination(s, n, again)) return;
    bool unset = n->assign.op == AST_OP_COALESCE && t->kind == TY_ARRAY && !slice;
    if (again && type_is_functional(t) && !unset) expand_compound(s, n, again);
    const Type *v;
    if (n->assign.value->kind == AST_INIT_LIST) {
        check_init_list(s, n->assign.value, slice ? type_array(s->types, t->result, t->nparams) : t,
                        0);
        v = n->assign.value->type;
    } else {
        v = check_expr(s, &n->assign.value, t);
        if (v->kind != TY_GROUP) v = require_value(s, n->assign.value);
        if (again && type_is_functional(t) && !unset) convert_back(s, &n->assign.value, t);
    }
    n->type = t;
    if (t == s->error || v == s->error) return;
    if (nullable_assign(s, n, again)) return;
    if (slice)
        assign_slice(s, n, t);
    else if (n->assign.op == AST_OP_NONE || n->assign.op == AST_OP_COALESCE)
        convert_to(s, &n->assign.value, t, NULL);
    else if (v->kind == TY_GROUP)
        require_value(s, n->assign.value);
    else
        check_compound(s, n, t);
}

void check_incdec(Sema *s, Ast **slot)
{
    overflow_expand(s, slot);
    Ast *n = *slot;
    if (n->kind != AST_INCDEC) {
        check_expr(s, slot, NULL);
        return;
    }
    Ast *one = tree_int(s, n->loc, 1);
    if (assign_inside(s, slot, n->incdec.target, n->incdec.op, one)) return;
    Ast *again = ast_clone(s->arena, n->incdec.target);
    check_target(s, &n->incdec.target, "changed");
    n->type = n->incdec.target->type;
    if (n->type == s->error || user_step(s, n, again) || type_is_numeric(n->type) ||
        type_is_enum(n->type))
        return;
    report(s, n->loc, OPERANDS, "operator '%s' does not exist for '%s'",
           n->incdec.op == AST_OP_ADD ? "++" : "--", type_text(s->arena, n->type));
    n->type = s->error;
}
