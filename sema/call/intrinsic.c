/* What values of every type have: GetHashCode, Equals and CompareTo. Calls become a row of space
 * "any" for the kind of value, or a comparison. Classes that declare them are not seen here; what
 * `object` calls base.ToString(), base.GetHashCode() and base.MemberwiseClone() is what the runtime
 * knows of any object.
 */
#include <string.h>

#include "../check/check.h"

/* The row for the kind of value, to which *slot is converted; -1 if there is none. */
static int row_for(Sema *s, Ast **slot, LibName name)
{
    const Type *t = (*slot)->type, *to = t;
    char letter = t->kind == TY_STRING ? 's' : t->kind == TY_OBJECT ? 'O' : 0;
    if (t->kind == TY_SCALAR) {
        letter = scalar_is_real(t->scalar) ? 'd' : 'l';
        to = letter == 'd' ? s->real : s->longs;
    }
    for (int row = 0; row < nbuiltins; row++) {
        if (!builtin_is(&builtins[row], SPACE_any, name) || builtins[row].signature[1] != letter)
            continue;
        if (to != t) convert_wrap(s, slot, to);
        return row;
    }
    return -1;
}

static void report_none(Sema *s, const Ast *n, const Type *t, const char *name)
{
    report(s, n->loc, NO_MEMBER, "'%s' has no member '%s'", type_text(s->arena, t), name);
}

/* The other value, of the type of the first; false after a report. */
static bool check_other(Sema *s, Ast *n, const Type *t, const char *name)
{
    Ast **other = &n->call.args.data[0];
    const char *what = arena_printf(s->arena, "argument 1 of '%s'", name);
    return check_value(s, other, t) != s->error && convert_to(s, other, t, what);
}

static void equals(Sema *s, Ast *n, Ast *value)
{
    Ast *other = n->call.args.data[0];
    if (value->type->kind == TY_SCALAR && scalar_is_real(value->type->scalar)) {
        AstList args = ast_list_add(s->arena, (AstList){0}, value);
        args = ast_list_add(s->arena, args, other);
        for (int i = 0; i < 2; i++) convert_to(s, &args.data[i], s->real, NULL);
        call_static(s, n, scope_library(s, SYM_FUNC, "SameReal"), args);
        return;
    }
    Class *tuple = type_is_tuple(value->type) ? class_of(value->type) : NULL;
    if (tuple && implied_has(tuple, s, SAME_METHOD)) {
        AstList args = ast_list_add(s->arena, (AstList){0}, value);
        call_static(s, n, member_own(tuple->sym, intern_cstr(s->names, SAME_METHOD)),
                    ast_list_add(s->arena, args, other));
        return;
    }
    n->kind = AST_BINARY;
    n->binary.op = AST_OP_EQ;
    n->binary.left = value;
    n->binary.right = other;
    n->type = s->boolean;
    n->sym = NULL;
    if (class_of(value->type) && !user_binary(s, n)) {
        report(s, n->loc, OPERANDS, "operator '==' does not exist for '%s'", value->type->name);
        n->type = s->error;
    }
}

/* string.Join of a sequence is that of its elements, of enums that of their names. */
static void join_elements(Sema *s, Ast *n)
{
    if (n->call.args.len != 2) return;
    Ast **joined = &n->call.args.data[1];
    Loc loc = (*joined)->loc;
    const Type *t = peek_type(s, *joined), *element = sequence_of_object(s, t);
    if (element) *joined = tree_call(s, loc, tree_name(s, loc, "ElementsOf"), 1, *joined);
    if (type_is_enum(element ? element : type_is_functional(t) ? t->result : NULL))
        *joined = tree_call(s, loc, tree_name(s, loc, "EnumNames"), 1, *joined);
}

bool intrinsic_no_order(Sema *s, Ast *n)
{
    const Ast *callee = n->call.callee;
    if (!s->instance || callee->kind != AST_MEMBER || strcmp(callee->member.name, "CompareTo") != 0)
        return false;
    const Symbol *f = s->instance->of;
    if (!f->library || strcmp(f->name, "OrderIfAny") != 0) return false;
    const Type *t = s->instance->params[0]->type;
    if (implied_is_ordered(s, t)) return false;
    call_static(s, n, scope_library(s, SYM_FUNC, "NoOrder"), (AstList){0});
    return true;
}

bool intrinsic_call(Sema *s, Ast *n)
{
    Ast *callee = n->call.callee;
    if (callee->sym->kind != SYM_BUILTIN) return false;
    if (builtin_is(&builtins[callee->sym->builtin], SPACE_string, LIB_Join)) join_elements(s, n);
    if (builtins[callee->sym->builtin].space != SPACE_any) return false;
    LibName what = builtins[callee->sym->builtin].name;
    const char *name = library_names[what];
    Ast **value = &callee->member.base;
    const Type *t = (*value)->type;
    bool text = what == LIB_ToString, copy = what == LIB_MemberwiseClone,
         hash = what == LIB_GetHashCode || copy;
    if (text && (*value)->kind != AST_BASE) return false; /* a conversion */
    n->type = s->error;
    if (copy && (*value)->kind != AST_BASE) {
        report_none(s, n, t, name);
        return true;
    }
    if (n->call.args.len != !(text || hash)) {
        report(s, n->loc, ARGUMENT_COUNT, "'%s' takes %s, not %d", name,
               text || hash ? "no arguments" : "1 argument", n->call.args.len);
        return true;
    }
    if (type_is_functional(t) && what == LIB_Equals && s->instance && s->unit->unit.session) {
        n->kind = AST_BOOL_LIT; /* lists of arrays have Contains there, which nobody may ask for */
        n->bool_lit.value = false;
        n->type = s->boolean;
        n->is_const = true;
        n->value = (ScalarValue){.i = 0};
        return true;
    }
    if (type_is_functional(t) && !(what == LIB_Equals && t->kind == TY_FUNC)) {
        report_none(s, n, t, name);
        return true;
    }
    if (!(text || hash) && !check_other(s, n, t, name)) return true;
    if (what == LIB_Equals) {
        equals(s, n, *value);
        return true;
    }
    if ((*value)->kind == AST_BASE) (*value)->kind = AST_THIS;
    int row = row_for(s, value, text ? LIB_ClassName : what);
    if (row < 0) {
        report_none(s, n, t, name);
        return true;
    }
    if (n->call.args.len) row_for(s, &n->call.args.data[0], what);
    n->sym = callee->sym = builtin_symbol(s, row);
    n->type = text ? s->string : copy ? class_library(s, "object") : s->integer;
    return true;
}
