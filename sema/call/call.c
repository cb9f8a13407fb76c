/* Calls of user functions, of the library and of what is a function otherwise. */
#include <string.h>

#include "../check/check.h"

/* ---- the library ------------------------------------------------------------------------ */

static const Type *array_of(Sema *s, const Type *f)
{
    return f == s->error ? f : type_array(s->types, f->result, f->nparams);
}

static const Type *ints_of(Sema *s, const Type *f)
{
    return f == s->error ? f : type_array(s->types, s->integer, f->nparams);
}

/* Eval(f): the conversion to the array type. */
static void check_eval(Sema *s, Ast **slot)
{
    Ast *n = *slot, *f = n->call.args.data[0];
    const Type *t = f->type;
    n->type = s->error;
    if (t == s->error) return;
    bool array = type_is_value(t->result) && t->nparams <= MAX_ARRAY_RANK;
    for (int i = 0; i < t->nparams; i++) array = array && t->params[i] == s->integer;
    if (t->kind == TY_ARRAY) array = true;
    if (!array) {
        report(s, f->loc, CONVERSION, "a '%s' is not an array when evaluated",
               type_text(s->arena, t));
        return;
    }
    *slot = n->call.args.data[0];
    convert_to(s, slot, array_of(s, t), NULL);
}

/* x.ToString() is the conversion to string, x.ToString("F2") an interpolated string. */
static void check_to_string(Sema *s, Ast **slot)
{
    Ast *n = *slot, *value = n->call.callee->member.base;
    if (!n->call.args.len) {
        *slot = value;
        convert_string(s, slot);
        return;
    }
    AstBytes format = {0};
    bool constant = constant_text(s, n->call.args.data[0], &format);
    Ast *interp = ast_new(s->arena, AST_INTERP, n->loc),
        *hole = ast_new(s->arena, AST_HOLE, n->loc);
    hole->hole.expr = value;
    hole->hole.format = format;
    if (!constant) hole->hole.style = n->call.args.data[0];
    hole_text(s, hole);
    hole->type = interp->type = s->string;
    interp->interp.parts = ast_list_add(s->arena, interp->interp.parts, hole);
    *slot = interp;
}

/* The type comes from the target. */
static const Type *load_type(Sema *s, const Ast *n, const Type *hint)
{
    bool array = type_is_functional(hint) && hint->result->kind == TY_SCALAR && hint->nparams > 0 &&
                 hint->nparams <= MAX_ARRAY_RANK;
    for (int i = 0; array && i < hint->nparams; i++) array = hint->params[i] == s->integer;
    if (array) return type_array(s->types, hint->result, hint->nparams);
    report(s, n->loc, NEEDS_TYPE,
           "the type of what is loaded comes from its target, an array type");
    report_note(s, NOWHERE, "write the type: float[,] a = Npy.Load(...)");
    return s->error;
}

static void check_library_purity(Sema *s, const Ast *n, const Builtin *b)
{
    bool member = b->space == SPACE_global || b->space == SPACE_func || b->space == SPACE_any;
    const char *name = library_names[b->name];
    if (!member) name = arena_printf(s->arena, "%s.%s", library_spaces[b->space], name);
    if (!b->pure) pure_impure(s, arena_printf(s->arena, "calls %s", name), n->loc);
}

static bool is_text_span(Sema *s, const Type *t)
{
    const Class *c = class_of(t);
    const Instance *i = c ? c->sym->instance : NULL;
    return i && i->of->library && i->nparams == 1 && i->params[0]->type->kind == TY_SCALAR &&
           i->params[0]->type->scalar == SC_CHAR &&
           member_own(c->sym, intern_cstr(s->names, "SequenceEqual"));
}

/* int.Parse(span) reads the text of it. */
static void text_of_span(Sema *s, Ast *n)
{
    const char *name = n->call.callee->kind == AST_MEMBER ? n->call.callee->member.name : "";
    if (!n->call.args.len || (strcmp(name, "Parse") && strcmp(name, "TryParse"))) return;
    Ast **arg = &n->call.args.data[0];
    if (is_text_span(s, peek_type(s, *arg)))
        *arg = tree_call(s, (*arg)->loc, tree_member(s, (*arg)->loc, *arg, "ToString"), 0);
}

static void check_library_call(Sema *s, Ast **slot, Candidates set, const Type *hint)
{
    Ast *n = *slot;
    Fit fit;
    set = candidates_for(s, set, n->call.args.len);
    text_of_span(s, n);
    check_arguments(s, n->call.args, &set);
    n->type = s->error;
    set.targs = n->call.targs.len ? &n->call.targs : NULL;
    if (set.len && check_extension(s, n, set.data[0].sym)) return;
    drop_culture(s, &n->call.args);
    set = generic_candidates(s, set, n->call.args, n->loc);
    if (n->call.targs.len && !set.len) return; /* it is said */
    const Candidate *c = resolve(s, n, set, n->call.args, &fit);
    if (!c) return;
    if (c->sym->kind == SYM_FUNC) {
        beside_call(s, n, c, fit);
        return;
    }
    const Builtin *b = &builtins[c->sym->builtin];
    if (builtin_is(b, SPACE_any, LIB_ToString)) {
        check_to_string(s, slot);
        return;
    }
    resolve_apply(s, c, fit, n->call.args, n->loc);
    n->sym = n->call.callee->sym = c->sym;
    check_library_purity(s, n, b);
    if (c->result_letter == 'A' && b->runtime == ABI_NONE) {
        check_eval(s, slot);
        return;
    }
    n->type = c->result_letter == 'T'   ? load_type(s, n, hint)
              : c->result_letter == 'A' ? array_of(s, n->call.args.data[0]->type)
              : c->result_letter == 'P' ? ints_of(s, n->call.args.data[0]->type)
                                        : c->result;
    const Type *wanted = n->type;
    bool same = b->op != FD_OP_NONE && fd_op_info(b->op)->rule == FD_RULE_SAME;
    if (same && c->nparams) n->type = c->params[0]; /* Sign gives what it takes */
    if (fit == FIT_PROMOTED) {
        n->res = AST_RES_PROMOTE;
        n->type = promoted_call(s, n->loc, n->type, c, NULL, n->call.args);
    }
    if (n->type == s->error) return;
    if (result_of(n->type) == result_of(wanted)) return;
    convert_wrap(s, slot,
                 type_is_functional(n->type)
                     ? type_func(s->types, wanted, n->type->nparams, n->type->params)
                     : wanted);
}

/* ---- calls ------------------------------------------------------------------------------ */

void check_user_call(Sema *s, Ast *n, Symbol *first)
{
    Candidates set = call_candidates(s, n, candidates_of_user(s, first));
    Fit fit;
    n->type = s->error;
    if (!set.len) return;
    const Candidate *c = NULL;
    if (n->call.args.len == 1 && type_is_functional(n->call.args.data[0]->type)) {
        bool fits = false; /* the third rule: a reduction, when the first two fail */
        for (int i = 0; i < set.len; i++) fits = fits || set.data[i].nparams == 1;
        if (!fits && set.len) {
            check_call_reduce(s, n);
            return;
        }
    }
    c = resolve(s, n, set, n->call.args, &fit);
    if (!c) { /* one overload: its type is known all the same */
        if (set.len == 1 && set.data[0].result->kind != TY_VOID) n->type = s->error;
        return;
    }
    resolve_apply(s, c, fit, n->call.args, n->loc);
    complete_arguments(s, c, &n->call.args, n->loc);
    n->sym = n->call.callee->sym = c->sym;
    n->call.callee->type = c->sym->type;
    func_use(s, c->sym);
    if (s->functional) pure_need(s, c->sym, n->loc, "is used in a functional expression");
    n->type = c->result;
    if (fit != FIT_PROMOTED) return;
    n->res = AST_RES_PROMOTE;
    n->type = promoted_call(s, n->loc, c->result, c, NULL, n->call.args);
}

/* Is this a static method of object, which every class inherits? */
static bool object_static(Sema *s, const char *name)
{
    Symbol *object = scope_library(s, SYM_TYPE, "object");
    if (!object || !class_type(s, object)) return false;
    class_ready(s, object->cls);
    for (const Symbol *m = member_own(object, name); m; m = m->next)
        if (m->kind == SYM_FUNC && (m->mods & AST_MOD_STATIC)) return true;
    return false;
}

static void check_name_call(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot, *callee = n->call.callee;
    Symbol *sym = scope_callee(s, callee->name_ref.name);
    callee->sym = sym;
    callee->type = n->type = s->error;
    Ast *named = sym ? NULL : static_member(s, callee);
    if (named) {
        n->call.callee = named;
        check_member_call(s, slot, hint);
        return;
    }
    if (!sym && object_static(s, callee->name_ref.name)) { /* Equals(a, b) is object's */
        Ast *object = ast_new(s->arena, AST_TYPE_NAME, callee->loc);
        object->type_name.name = intern_cstr(s->names, "object");
        n->call.callee = tree_member(s, callee->loc, object, callee->name_ref.name);
        check_member_call(s, slot, hint);
        return;
    }
    if (!sym) {
        report_undeclared(s, callee->loc, callee->name_ref.name, true);
        check_arguments(s, n->call.args, NULL);
        return;
    }
    if (sym->kind == SYM_FUNC && sym->local) {
        local_call(s, slot, hint);
    } else if (sym->kind == SYM_FUNC && sym->cls) {
        check_method_call(s, n);
    } else if (sym->kind == SYM_FUNC) {
        if (!show_call(s, slot, sym)) check_user_call(s, n, sym);
    } else if (sym->kind == SYM_BUILTIN) {
        Candidates set = candidates_of_library(s, sym->builtin, false);
        check_library_call(s, slot, set, hint);
    } else {
        const Type *f = check_value(s, &n->call.callee, NULL);
        if (f != s->error) f = object_function(s, &n->call.callee);
        if (type_is_functional(f)) {
            apply_function(s, n, f, callee->name_ref.name, n->call.args);
            return;
        }
        if (f != s->error)
            report(s, n->loc, NOT_CALLABLE, "'%s' is of type '%s' and cannot be called",
                   callee->name_ref.name, type_text(s->arena, f));
        check_arguments(s, n->call.args, NULL);
    }
}

/* f.Invoke(x) of a function is f(x): then the callee is f. */
static bool is_invoke(Sema *s, Ast *n)
{
    Ast *callee = n->call.callee;
    if (callee->kind != AST_MEMBER || strcmp(callee->member.name, "Invoke") != 0) return false;
    const Type *t = member_receiver(s, callee);
    if (!t || t->kind != TY_FUNC) return false;
    n->call.callee = callee->member.base;
    return true;
}

static void check_member_of(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    const Ast *written = n->call.callee;
    const char *name = written->kind == AST_MEMBER ? written->member.name : "this";
    if (is_invoke(s, n)) {
        const Type *f = n->call.callee->type;
        apply_function(s, n, f, NULL, n->call.args);
        return;
    }
    const Type *t = check_expr(s, &n->call.callee, NULL);
    Ast *callee = n->call.callee;
    n->type = s->error;
    if (t->kind == TY_GROUP && callee->kind == AST_MEMBER && callee->sym &&
        callee->sym->kind == SYM_FUNC) {
        check_method_call(s, n);
        return;
    }
    if (t->kind != TY_GROUP && t != s->error) t = object_function(s, &n->call.callee);
    if (t->kind != TY_GROUP || !callee->sym || callee->kind != AST_MEMBER) {
        if (t != s->error && type_is_functional(t)) {
            apply_function(s, n, t, NULL, n->call.args);
            return;
        }
        if (t != s->error) {
            report(s, n->loc, NOT_CALLABLE, "'%s' is a property, not a method", name);
            report_note(s, NOWHERE, "leave out the parentheses");
        }
        check_arguments(s, n->call.args, NULL);
        return;
    }
    if (intrinsic_call(s, n)) return;
    bool instance = callee->member.base->type != s->error;
    int row = callee->sym->builtin;
    Candidates set = candidates_of_library(s, row, instance);
    if (!instance) set = beside_candidates(s, row, set);
    check_library_call(s, slot, set, hint);
}

void check_member_own(Sema *s, Ast **slot)
{
    check_member_of(s, slot, NULL);
}

void check_member_call(Sema *s, Ast **slot, const Type *hint)
{
    reflect_enum_call(s, *slot);
    if (!extension_call(s, slot)) check_member_of(s, slot, hint);
}

void check_call(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    if (intrinsic_no_order(s, n)) return;
    if (derivative_call(s, slot, hint) || struct_call(s, slot, hint) ||
        partial_application(s, slot, hint) || operator_call(s, slot, hint))
        return;
    if (check_composite(s, slot, hint)) return;
    if (call_is_reduction(s, n)) {
        check_call_reduce(s, n);
        return;
    }
    if (n->call.callee->kind == AST_NAME_REF) {
        check_name_call(s, slot, hint);
        return;
    }
    if (n->call.callee->kind == AST_MEMBER) {
        check_member_call(s, slot, hint);
        return;
    }
    if (n->call.callee->kind == AST_THIS || n->call.callee->kind == AST_BASE) {
        check_chain(s, n);
        return;
    }
    const Type *f = check_value(s, &n->call.callee, NULL);
    if (f != s->error) f = object_function(s, &n->call.callee);
    n->type = s->error;
    if (type_is_functional(f)) {
        apply_function(s, n, f, NULL, n->call.args);
        return;
    }
    if (f != s->error)
        report(s, n->loc, NOT_CALLABLE, "a value of type '%s' cannot be called",
               type_text(s->arena, f));
    check_arguments(s, n->call.args, NULL);
}
