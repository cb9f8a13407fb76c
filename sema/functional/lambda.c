/* Lambdas that the compiler writes: `operator+` as a value is (x, y) => x + y, and f(a, _) is
 * y => f(a, y). Both are checked like any other.
 */
#include <string.h>

#include "../check/check.h"

Ast *type_node(Sema *s, Loc loc, const Type *t)
{
    Ast *n = ast_new(s->arena, AST_TYPE_NAME, loc); /* without a name: see decl_type */
    n->type = t;
    return n;
}

static Ast *name_node(Sema *s, Loc loc, const char *name)
{
    Ast *n = ast_new(s->arena, AST_NAME_REF, loc);
    n->name_ref.name = name;
    return n;
}

/* A parameter of a lambda: with a type (all values), or bound as in let. */
static Ast *parameter(Sema *s, Loc loc, const char *name, const Type *t)
{
    Ast *b = ast_new(s->arena, AST_BINDER, loc);
    if (t) b->binder.vtype = type_node(s, loc, t);
    b->binder.names = ast_list_add(s->arena, b->binder.names, name_node(s, loc, name));
    return b;
}

/* ---- operators as values ------------------------------------------------------------------ */

bool is_operator_name(const Ast *n)
{
    return n->kind == AST_NAME_REF && !strncmp(n->name_ref.name, "operator", 8) &&
           !n->name_ref.name[strspn(n->name_ref.name, "operator+-*/%&|^!~=<>")];
}

static AstOp operator_of(const Ast *n, int operands)
{
    const char *text = n->name_ref.name + strlen("operator");
    for (int op = operands == 1 ? AST_OP_NEG : AST_OP_ADD;
         op <= (operands == 1 ? (int)AST_OP_BITNOT : (int)AST_OP_LOR); op++)
        if (!strcmp(ast_op_text((AstOp)op), text)) return (AstOp)op;
    return AST_OP_NONE;
}

/* The operation on these operands, or NULL if the operator does not take as many. */
static Ast *operation(Sema *s, const Ast *name, Loc loc, AstList operands)
{
    AstOp op =
        operands.len == 1 || operands.len == 2 ? operator_of(name, operands.len) : AST_OP_NONE;
    if (op == AST_OP_NONE) return NULL;
    Ast *n = ast_new(s->arena, operands.len == 1 ? AST_UNARY : AST_BINARY, loc);
    if (operands.len == 1) {
        n->unary.op = op;
        n->unary.operand = operands.data[0];
    } else {
        n->binary.op = op;
        n->binary.left = operands.data[0];
        n->binary.right = operands.data[1];
    }
    return n;
}

static Ast *operator_lambda(Sema *s, const Ast *e, const Type *to)
{
    static const char *const names[] = {"x", "y"};
    Ast *n = ast_new(s->arena, AST_LAMBDA, e->loc);
    AstList operands = {0};
    for (int i = 0; i < to->nparams && i < 2; i++) {
        const char *name = intern_cstr(s->names, names[i]);
        n->lambda.binders =
            ast_list_add(s->arena, n->lambda.binders, parameter(s, e->loc, name, to->params[i]));
        operands = ast_list_add(s->arena, operands, name_node(s, e->loc, name));
    }
    if (to->nparams <= 2) n->lambda.body = operation(s, e, e->loc, operands);
    return n->lambda.body ? n : NULL;
}

bool operator_fits(Sema *s, const Ast *e, const Type *to)
{
    Ast *lambda = operator_lambda(s, e, to), like = {.kind = AST_LAMBDA};
    if (!lambda) return false;
    like.type = peek_type(s, lambda);
    return like.type != s->error && convert_class(s, &like, to) != CONV_NONE;
}

bool operator_value(Sema *s, Ast **slot, const Type *to)
{
    *slot = operator_lambda(s, *slot, to);
    check_expr(s, slot, NULL);
    return convert_to(s, slot, to, NULL);
}

bool operator_call(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot, *op;
    if (!is_operator_name(n->call.callee)) return false;
    op = operation(s, n->call.callee, n->loc, n->call.args);
    if (op) {
        *slot = op;
        check_expr(s, slot, hint);
        return true;
    }
    report(s, n->loc, ARGUMENT_COUNT, "'%s' does not take %d operands",
           n->call.callee->name_ref.name, n->call.args.len);
    n->type = n->call.callee->type = s->error;
    return true;
}

/* ---- calls as values ------------------------------------------------------------------------ */

Ast *call_lambda(Sema *s, Ast *callee, const Type *to)
{
    Ast *n = ast_new(s->arena, AST_LAMBDA, callee->loc);
    Ast *call = ast_new(s->arena, AST_CALL, callee->loc);
    call->call.callee = callee;
    for (int i = 0; i < to->nparams; i++) {
        const char *name = intern_cstr(s->names, arena_printf(s->arena, "$%d", i + 1));
        n->lambda.binders = ast_list_add(s->arena, n->lambda.binders,
                                         parameter(s, callee->loc, name, to->params[i]));
        call->call.args = ast_list_add(s->arena, call->call.args, name_node(s, callee->loc, name));
    }
    n->lambda.body = call;
    return n;
}

void lambda_take_any(Sema *s, Ast *n, const Type *to)
{
    n->lambda.any = false;
    for (int i = 0; i < to->nparams; i++) {
        const char *name = intern_cstr(s->names, arena_printf(s->arena, "$%d", i + 1));
        n->lambda.binders =
            ast_list_add(s->arena, n->lambda.binders, parameter(s, n->loc, name, to->params[i]));
    }
}

/* Equal values have the same function: so -= finds what += added. */
static void same_value(Symbol *method, Ast *closure)
{
    Symbol *known = method->bound_value;
    if (known && known->type == closure->sym->type) closure->sym = known;
    method->bound_value = closure->sym;
}

/* `obj.M` is x => obj.M(x) with what stands before the dot evaluated once: where that is an object,
 * the closure captures it. A struct that M changes is kept as an object of its own, as C# does. */
bool method_value(Sema *s, Ast **slot, Symbol *method, const Type *to)
{
    Ast *n = *slot, *base = n->member.base;
    bool is_static = method->mods & AST_MOD_STATIC;
    Ast *callee = ast_new(s->arena, AST_MEMBER, n->loc);
    callee->member.name = n->member.name;
    callee->member.base = is_static ? type_node(s, base->loc, method->cls->type) : base;
    bool keeps = !is_static && struct_changes(s, class_of(base->type), n->member.name);
    if (keeps) {
        base = tree_call(s, base->loc, tree_name(s, base->loc, "KeepStruct"), 1,
                         ast_clone(s->arena, base));
        if (check_expr(s, &base, NULL) == s->error) return false;
    }
    if (is_static || base->type->kind != TY_OBJECT) {
        if (!is_static) callee->member.base = ast_clone(s->arena, base);
        *slot = call_lambda(s, callee, to);
        check_expr(s, slot, to);
        if (is_static && (*slot)->kind == AST_CLOSURE) same_value(method, *slot);
        return convert_to(s, slot, to, NULL);
    }
    const char *self = intern_cstr(s->names, "$self");
    callee->member.base = name_node(s, base->loc, self);
    if (keeps) callee->member.base = tree_member(s, base->loc, callee->member.base, "Value");
    *slot = call_lambda(s, callee, to);
    AstList binders =
        ast_list_add(s->arena, (AstList){0}, parameter(s, base->loc, self, base->type));
    for (int i = 0; i < to->nparams; i++)
        binders = ast_list_add(s->arena, binders, (*slot)->lambda.binders.data[i]);
    (*slot)->lambda.binders = binders;
    check_expr(s, slot, NULL);
    Ast *closure = *slot;
    if (closure->kind != AST_CLOSURE)
        return closure->type != s->error; /* a copy that is peeked at */
    same_value(method, closure);
    closure->closure.captures = ast_list_add(s->arena, closure->closure.captures, base);
    const Type *t = closure->type;
    closure->type = type_func(s->types, t->result, t->nparams - 1, t->params + 1);
    return convert_to(s, slot, to, NULL);
}

/* ---- partial application ------------------------------------------------------------------ */

/* Does the overload take the arguments that are given? */
static bool takes(Sema *s, const Candidate *c, AstList args, bool exactly)
{
    if (c->nparams != args.len) return false;
    for (int i = 0; i < args.len; i++) {
        if (args.data[i]->kind == AST_PLACEHOLDER || !c->params[i]) continue;
        Ast like = *args.data[i];
        like.type = peek_type(s, args.data[i]);
        if (exactly ? result_of(like.type) != c->params[i]
                    : convert_class(s, &like, c->params[i]) == CONV_NONE &&
                          convert_result_class(s, &like, c->params[i]) == CONV_NONE)
            return false;
    }
    return true;
}

void note_last(Sema *s)
{
    if (s->unit->unit.session)
        report_note(s, NOWHERE, "the last value, among several, is written (_)");
}

/* The overload that is meant; NULL after a report. */
static const Candidate *open_overload(Sema *s, const Ast *n, Candidates set, const Type *hint)
{
    const Candidate *found = NULL;
    for (int exactly = 0; exactly < 2; exactly++) {
        int fits = 0;
        for (int i = 0; i < set.len; i++) {
            const Candidate *c = &set.data[i];
            if (!takes(s, c, n->call.args, exactly)) continue;
            bool wanted = !type_is_functional(hint) || c->result == hint->result;
            for (int a = 0, k = 0; a < c->nparams && type_is_functional(hint); a++)
                if (n->call.args.data[a]->kind == AST_PLACEHOLDER)
                    wanted = wanted && k < hint->nparams && c->params[a] == hint->params[k++];
            if (type_is_functional(hint) && !wanted) continue;
            found = c;
            fits++;
        }
        if (fits == 1) return found;
        if (!fits && !exactly) break;
    }
    bool count = false;
    for (int i = 0; i < set.len; i++) count = count || set.data[i].nparams == n->call.args.len;
    if (!count) {
        report(s, n->loc, ARGUMENT_COUNT, "'%s' does not take %d arguments", set.name,
               n->call.args.len);
    } else {
        report(s, n->loc, AMBIGUOUS, "which overload of '%s' leaves its argument open is not clear",
               set.name);
        report_note(s, NOWHERE, "a lambda says the type: (float x) => %s(...)", set.name);
    }
    note_last(s);
    return NULL;
}

/* The overloads of a callee that is a function; none for a functional value. */
static Candidates overloads(Sema *s, Ast **callee)
{
    Candidates set = {0};
    const Symbol *sym = NULL;
    if ((*callee)->kind == AST_NAME_REF) {
        sym = scope_callee(s, (*callee)->name_ref.name);
    } else if ((*callee)->kind == AST_MEMBER) {
        const Ast *group = peek_group(s, *callee);
        if (group) sym = group->sym;
        if (sym && sym->kind == SYM_BUILTIN)
            return candidates_of_library(s, sym->builtin, group->member.base->type != s->error);
    }
    if (sym && sym->kind == SYM_FUNC) set = candidates_of_user(s, (Symbol *)(uintptr_t)sym);
    if (sym && sym->kind == SYM_BUILTIN) set = candidates_of_library(s, sym->builtin, false);
    return set;
}

static const char *fresh_name(Sema *s, int *number)
{
    for (;;) {
        const char *name = intern_cstr(s->names, arena_printf(s->arena, "_%d", ++*number));
        if (!scope_lookup(s, name)) return name;
    }
}

bool partial_application(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    Loc open = NOWHERE;
    for (int i = 0; i < n->call.args.len && !open.end; i++)
        if (n->call.args.data[i]->kind == AST_PLACEHOLDER) open = n->call.args.data[i]->loc;
    if (!open.end) return false;
    n->type = s->error;
    if (call_is_reduction(s, n)) {
        report(s, open, BINDER, "a reduction takes a function: its operand cannot be left open");
        return true;
    }
    Candidates set = overloads(s, &n->call.callee);
    const Candidate *c = set.len ? open_overload(s, n, set, hint) : NULL;
    if (set.len && !c) return true;
    Ast *lambda = ast_new(s->arena, AST_LAMBDA, n->loc);
    for (int i = 0, number = 0; i < n->call.args.len; i++) {
        Ast *a = n->call.args.data[i];
        if (a->kind != AST_PLACEHOLDER) continue;
        const char *name = fresh_name(s, &number);
        n->call.args.data[i] = name_node(s, a->loc, name);
        lambda->lambda.binders = ast_list_add(s->arena, lambda->lambda.binders,
                                              parameter(s, a->loc, name, c ? c->params[i] : NULL));
    }
    lambda->lambda.body = n;
    lambda->lambda.partial = true;
    *slot = lambda;
    check_expr(s, slot, hint);
    return true;
}
