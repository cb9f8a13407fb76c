/* Statements: declarations, conditions, loops, jumps.
 */
#include <string.h>

#include "../../codegen/abi/session.h"
#include "../check/check.h"

/* ---- variables ----------------------------------------------------------------------------- */

const Type *check_initialiser(Sema *s, Ast **init, const Type *type, const char *name)
{
    if ((*init)->kind == AST_INIT_LIST) {
        if (!type) {
            report(s, (*init)->loc, NEEDS_TYPE, "the type of '%s' cannot be inferred from { ... }",
                   name);
            report_note(s, NOWHERE, "write it, or use new[] { ... }");
            check_init_list(s, *init, s->error, 0);
            return s->error;
        }
        check_init_list(s, *init, type, 0);
        return type;
    }
    ref_refused(s, init);
    return check_converted(s, init, type, NULL);
}

/* `var _ = e, $shown = _;`: later entries may ask for the value, not only for its text. */
static void keep_last(Sema *s, Ast *n, const Type *t)
{
    Ast *shown = n->var_decl.vars.data[0], *last = ast_new(s->arena, AST_DECLARATOR, shown->loc);
    last->declarator.name = intern_cstr(s->names, CS_LAST);
    last->declarator.init = shown->declarator.init;
    last->sym = scope_symbol(s, SYM_LOCAL, last->declarator.name, t, shown->loc, last);
    last->type = t;
    scope_bind(s, last->sym); /* the one before was declared in the same scope */
    shown->declarator.init = tree_name(s, shown->loc, CS_LAST);
    check_value(s, &shown->declarator.init, NULL);
    n->var_decl.vars = ast_list_add(s->arena, (AstList){0}, last);
    n->var_decl.vars = ast_list_add(s->arena, n->var_decl.vars, shown);
}

/* The value that an entry of a session shows. What has none is a statement; an enum is shown as its
 * name, a collection as the library says it. */
static void check_shown(Sema *s, Ast *n)
{
    Ast *v = n->var_decl.vars.data[0], **value = &v->declarator.init;
    const Type *t = check_expr(s, value, NULL);
    const Symbol *named = (*value)->kind == AST_NAME_REF ? (*value)->sym : NULL;
    if (named && (named->kind == SYM_TYPE || named->kind == SYM_SPACE))
        t = require_value(s, *value);
    if (t == s->voids || t == s->error) {
        Ast *statement = *value;
        n->kind = AST_EXPR_STMT;
        n->expr_stmt.expr = statement;
        return;
    }
    t = settle_value(s, value);
    if (s->unit->unit.forced && t->kind == TY_FUNC) {
        bool array = t->nparams <= 4;
        for (int i = 0; i < t->nparams; i++) array = array && t->params[i] == s->integer;
        if (array && convert_to(s, value, type_array(s->types, t->result, t->nparams), NULL))
            t = (*value)->type;
    } else if (t->kind != TY_NULL) {
        keep_last(s, n, t);
    }
    v->sym = scope_symbol(s, SYM_LOCAL, v->declarator.name, t, v->loc, v);
    bool by_library = is_shown_by_library(s, t);
    if (type_is_enum(t) || t->kind == TY_NULL || by_library)
        v->sym->written = type_node(s, v->loc, t);
    if (type_is_enum(t)) value_text(s, value);
    if (by_library) call_library(s, value, t->kind == TY_ARRAY ? "ShownWholeArray" : "ShownWhole");
    if (t->kind == TY_NULL) convert_to(s, value, s->string, NULL);
    v->type = v->sym->type = (*value)->type;
    scope_declare(s, v->sym);
}

static void check_var_decl(Sema *s, Ast *n)
{
    bool inferred = n->var_decl.vtype->kind == AST_TYPE_VAR;
    const Type *type = inferred ? NULL : decl_type(s, n->var_decl.vtype);
    if (type == s->voids) {
        report(s, n->var_decl.vtype->loc, UNKNOWN_TYPE, "a variable cannot be void");
        type = s->error;
    }
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        Ast *v = n->var_decl.vars.data[i];
        if (v->kind != AST_DECLARATOR) continue;
        const char *name = v->declarator.name;
        SymKind kind = n->var_decl.is_const ? SYM_CONST : SYM_LOCAL;
        Symbol *sym = scope_symbol(s, kind, name, type, v->loc, v),
               *field = program_variable(s, name);
        if (field && !field->type && kind == SYM_LOCAL) {
            sym = field;
            sym->type = type;
            sym->loc = v->loc;
        }
        if (v->declarator.init) sym->loc.end = v->loc.begin + (uint32_t)strlen(name);
        if (kind == SYM_CONST) {
            decl_const_value(s, sym, &v->declarator.init, type);
        } else if (v->declarator.init) {
            const Type *t = check_initialiser(s, &v->declarator.init, type, name);
            if (!type) sym->type = t;
            if (!type && t->kind == TY_NULL) {
                report(s, v->loc, NEEDS_TYPE, "the type of '%s' cannot be inferred from null",
                       name);
                sym->type = s->error;
            }
            sym->fresh = v->declarator.init->kind == AST_NEW;
        } else if (!type) {
            report(s, v->loc, NEEDS_TYPE, "'%s' needs a value or a type", name);
            sym->type = s->error;
        }
        sym->mods |= n->var_decl.mods;
        v->sym = sym;
        v->type = sym->type;
        scope_declare(s, sym);
        if (sym->kind == SYM_LOCAL && shared_has_typed(s->shared, name, sym->type))
            cell_variable(s, v, sym);
    }
}

void check_out_variable(Sema *s, Ast *n, const Type *wanted)
{
    const Ast *written = n->decl_expr.vtype;
    bool inferred = !written || written->kind == AST_TYPE_VAR;
    const Type *t = inferred ? wanted : decl_type(s, n->decl_expr.vtype);
    if (!t) {
        report(s, n->loc, NEEDS_TYPE, "the type of '%s' cannot be inferred: the overloads differ",
               n->decl_expr.name);
        t = s->error;
    }
    n->type = t;
    Symbol *field = program_variable(s, n->decl_expr.name);
    if (field && !field->type) {
        field->type = t;
        if (t != s->error) *n = *program_use(s, field, n->loc);
        scope_declare(s, field);
        return;
    }
    n->sym = scope_symbol(s, SYM_LOCAL, n->decl_expr.name, t, n->loc, n);
    n->sym->assigned_again = true;
    scope_declare(s, n->sym);
    cell_out(s, n, n->sym);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void check_body(Sema *s, Ast **body)
{
    scope_push(s);
    s->loops++;
    s->breakable++;
    check_stmt(s, body);
    s->breakable--;
    s->loops--;
    scope_pop(s);
}

static void check_for(Sema *s, Ast *n)
{
    scope_push(s);
    check_block(s, &n->for_.init);
    if (n->for_.cond) check_condition(s, &n->for_.cond);
    for (int i = 0; i < n->for_.step.len; i++) check_stmt(s, &n->for_.step.data[i]);
    check_body(s, &n->for_.body);
    scope_pop(s);
}

static const Type *element_type(Sema *s, const Ast *seq)
{
    const Type *t = seq->type;
    if (t == s->string) return type_scalar(s->types, SC_CHAR);
    if (!type_is_functional(t)) {
        if (t != s->error)
            report(s, seq->loc, CONVERSION,
                   "foreach visits arrays, functions and what has Count and ElementAt, not '%s'",
                   type_text(s->arena, t));
        return s->error;
    }
    for (int i = 0; i < t->nparams; i++)
        if (t->params[i] != s->integer && t->params[i] != s->longs) {
            report(s, seq->loc, CONVERSION, "a '%s' is not finite: foreach cannot visit its values",
                   type_text(s->arena, t));
            break;
        }
    return t->result;
}

static void check_foreach(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    Ast *copy = ast_clone(s->arena, n->foreach_.seq);
    bound_check_range(s, n->foreach_.seq, n->foreach_.name);
    const Type *seq = check_value(s, &n->foreach_.seq, NULL);
    if (foreach_collection(s, slot, copy)) return;
    if (class_of(seq)) object_function(s, &n->foreach_.seq);
    const Type *elem = element_type(s, n->foreach_.seq), *type = elem;
    if (n->foreach_.vtype && n->foreach_.vtype->kind != AST_TYPE_VAR) {
        type = decl_type(s, n->foreach_.vtype);
        Ast probe = {.kind = AST_BAD, .type = elem};
        if (type != s->error && convert_class(s, &probe, type) == CONV_NONE) {
            report(s, n->foreach_.vtype->loc, CONVERSION, "the elements are '%s', not '%s'",
                   type_text(s->arena, elem), type_text(s->arena, type));
            type = s->error;
        }
    }
    Ast probe = {.kind = AST_BAD, .type = elem};
    if (type != elem && convert_class(s, &probe, type) == CONV_USER) { /* T x = $e; body */
        const char *name = arena_printf(s->arena, "$e%d", ++s->synthetic);
        Ast *var = tree_local(s, n->loc, type_node(s, n->loc, type), n->foreach_.name,
                              tree_name(s, n->loc, name));
        n->foreach_.body = tree_block(s, n->loc, 2, var, n->foreach_.body);
        n->foreach_.name = intern_cstr(s->names, name);
        type = elem;
    }
    scope_push(s);
    n->sym = scope_symbol(s, SYM_LOCAL, n->foreach_.name, type, n->loc, n);
    n->sym->mods = AST_MOD_READONLY;
    scope_declare(s, n->sym);
    check_body(s, &n->foreach_.body);
    scope_pop(s);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static void check_jump(Sema *s, const Ast *n)
{
    bool out = n->kind == AST_BREAK;
    if (out ? s->breakable : s->loops) return;
    report(s, n->loc, JUMP, "there is no loop %saround this '%s'", out ? "or switch " : "",
           out ? "break" : "continue");
    if (s->finals) report_note(s, NOWHERE, "a finally block is not left by a jump");
}

static void check_return(Sema *s, Ast *n)
{
    if (s->returned) {
        local_returned(s, &n->return_.value);
        return;
    }
    if (s->finals) report(s, n->loc, JUMP, "a finally block is not left by a return");
    const Type *want = s->ret;
    bool top = !s->func;
    if (top) want = s->integer; /* an exit code, if any */
    Ast **value = &n->return_.value;
    if (!*value) {
        if (!top && want->kind != TY_VOID && want != s->error)
            report(s, n->loc, RETURN_VALUE, "'%s' must return a value of type '%s'", s->func->name,
                   type_text(s->arena, want));
        return;
    }
    ref_refused(s, value);
    const Type *t = check_expr(s, value, want);
    if (!top && want->kind == TY_VOID) {
        if (t != s->error)
            report(s, (*value)->loc, RETURN_VALUE, "'%s' is void and returns no value",
                   s->func->name);
        return;
    }
    if (t->kind != TY_GROUP && require_value(s, *value) == s->error) return;
    convert_to(s, value, want, "the returned value");
}

/* ---- all kinds -------------------------------------------------------------------------- */

/* Eval(f, g); is Eval(f); Eval(g); but that these are one evaluation if they can be. */
static bool eval_several(Sema *s, Ast **slot)
{
    Ast *n = *slot, *call = n->expr_stmt.expr;
    const char *name = intern_cstr(s->names, "Eval");
    if (call->kind != AST_CALL || call->call.callee->kind != AST_NAME_REF ||
        call->call.callee->name_ref.name != name || call->call.args.len < 2 || scope_user(s, name))
        return false;
    Ast *block = tree_block(s, n->loc, 0);
    block->block.evals = true;
    for (int i = 0; i < call->call.args.len; i++) {
        Ast *one = tree_call(s, call->loc, tree_name(s, call->call.callee->loc, name), 1,
                             call->call.args.data[i]);
        block->block.stmts = ast_list_add(s->arena, block->block.stmts, tree_stmt(s, one));
    }
    *slot = block;
    check_block(s, &block->block.stmts);
    return true;
}

static void check_expr_stmt(Sema *s, Ast *n)
{
    if (n->expr_stmt.expr->kind == AST_INCDEC) /* nobody sees the old value */
        n->expr_stmt.expr->incdec.postfix = false;
    const Type *t = check_expr(s, &n->expr_stmt.expr, NULL);
    if (t->kind == TY_GROUP) require_value(s, n->expr_stmt.expr);
    const Ast *e = n->expr_stmt.expr; /* nor what was assigned to a part (assign.c) */
    if (e->kind == AST_MEMBER && e->member.base && e->member.base->kind == AST_ASSIGN)
        n->expr_stmt.expr = e->member.base;
}

static void check_scoped(Sema *s, Ast **slot)
{
    if (!*slot) return;
    scope_push(s);
    check_stmt(s, slot);
    scope_pop(s);
}

/* A deconstruction in a list becomes several statements, whose variables belong to it; so does a ref variable. */
static void splice(Sema *s, AstList *stmts, int at)
{
    Ast **next = stmts->data + at + 1;
    AstList parts = alias_is(stmts->data[at])
                        ? alias_declared(s, stmts->data[at], next, stmts->len - at - 1)
                        : deconstruct(s, stmts->data[at]);
    AstList all = {0};
    if (!parts.len)
        parts = ast_list_add(s->arena, parts, ast_new(s->arena, AST_EMPTY, stmts->data[at]->loc));
    if (parts.len == 1) {
        stmts->data[at] = parts.data[0];
        return;
    }
    for (int i = 0; i < stmts->len; i++)
        for (int k = 0; k < (i == at ? parts.len : 1); k++)
            all = ast_list_add(s->arena, all, i == at ? parts.data[k] : stmts->data[i]);
    *stmts = all;
}

/* `using var x = e;` has all that follows for its body. */
static void fold_using(Sema *s, AstList *stmts)
{
    for (int i = 0; i < stmts->len; i++) {
        Ast *n = stmts->data[i];
        if (n->kind != AST_USING || n->using_.body) continue;
        Loc loc = n->loc;
        if (i + 1 < stmts->len) loc.end = stmts->data[stmts->len - 1]->loc.end;
        Ast *rest = tree_block(s, loc, 0);
        for (int k = i + 1; k < stmts->len; k++)
            rest->block.stmts = ast_list_add(s->arena, rest->block.stmts, stmts->data[k]);
        n->using_.body = rest;
        stmts->len = i + 1;
    }
}

void check_block(Sema *s, AstList *stmts)
{
    fold_using(s, stmts);
    Locals *outer = local_open(s, stmts);
    for (int i = 0; i < stmts->len; i++) {
        if (is_deconstruction(stmts->data[i]) || alias_is(stmts->data[i])) splice(s, stmts, i);
        check_stmt(s, &stmts->data[i]);
        program_declared(s, stmts, &i);
    }
    local_close(s, outer);
}

void check_stmt(Sema *s, Ast **slot)
{
    if (is_deconstruction(*slot) || alias_is(*slot)) *slot = tree_block(s, (*slot)->loc, 1, *slot);
    Ast *n = *slot;
    s->unbound.len = 0;
    if (ast_is_loop(n)) check_attrs(s, ast_loop_attrs(n), ATTR_LOOP, NULL);
    switch (n->kind) {
    case AST_BLOCK:
        scope_push(s);
        check_block(s, &n->block.stmts);
        scope_pop(s);
        break;
    case AST_VAR_DECL:
        if (s->unit->unit.session &&
            strcmp(n->var_decl.vars.data[0]->declarator.name, CS_SHOWN) == 0)
            check_shown(s, n);
        else
            check_var_decl(s, n);
        break;
    case AST_DEFINE:
        device_definition(s, slot);
        if (*slot == n)
            check_define(s, n);
        else
            check_stmt(s, slot);
        break;
    case AST_FUNC: /* its list has declared it */
        *slot = ast_new(s->arena, AST_EMPTY, n->loc);
        break;
    case AST_EXPR_STMT:
        if (cond_access_statement(s, slot) || eval_several(s, slot) || counted_statement(s, slot) ||
            struct_constructing(s, slot))
            break;
        check_expr_stmt(s, n);
        break;
    case AST_IF:
        if (only_for_lazy(s, slot)) break;
        check_condition(s, &n->if_.cond);
        check_scoped(s, &n->if_.then);
        check_scoped(s, &n->if_.other);
        break;
    case AST_FOR: check_for(s, n); break;
    case AST_WHILE: /* variables of the condition end with the loop */
        scope_push(s);
        check_condition(s, &n->while_.cond);
        check_body(s, &n->while_.body);
        scope_pop(s);
        break;
    case AST_DO:
        check_body(s, &n->do_.body);
        scope_push(s);
        check_condition(s, &n->do_.cond);
        scope_pop(s);
        break;
    case AST_FOREACH: check_foreach(s, slot); break;
    case AST_SWITCH: check_switch(s, slot); break;
    case AST_TRY: check_try(s, n); break;
    case AST_THROW: check_throw(s, n); break;
    case AST_USING: check_using(s, slot); break;
    case AST_BREAK:
    case AST_CONTINUE: check_jump(s, n); break;
    case AST_GOTO: label_goto(s, n); break;
    case AST_RETURN: check_return(s, n); break;
    case AST_YIELD:
        report(s, n->loc, JUMP, "yield belongs to the body of a function, not of a lambda");
        break;
    case AST_EMPTY:
    case AST_BAD:
    case AST_CLASS: /* misplaced: the parser has reported */
    case AST_ENUM:
    case AST_TYPE_ALIAS:
    case AST_USING_MODULE: break;
    default: check_unknown(s, n); break;
    }
}
