/* Expressions. */
#include "build.h"

#include <stdio.h>
#include <string.h>

Ast *build_name(Parse *p, Loc loc, const char *name)
{
    return BUILD(NAME_REF, name_ref, loc, .name = name);
}

/* 1.50m is new decimal(150ul, 0u, 2u): low, high, scale. */
static Ast *decimal_literal(Parse *p, Loc loc, TokenValue value)
{
    unsigned long scale = 0, high = 0;
    sscanf(value.text, "m%lu,%lu", &scale, &high);
    const uint64_t parts[] = {value.integer, high, scale};
    AstList args = {0};
    for (int i = 0; i < 3; i++)
        args = build_add(p, args,
                         BUILD(INT_LIT, int_lit, loc, .value = parts[i],
                               .suffix = intern_cstr(p->names, i ? "u" : "UL")));
    Ast *type = BUILD(TYPE_NAME, type_name, loc, .name = intern_cstr(p->names, "decimal"));
    return build_new(p, loc, type, args, NULL);
}

Ast *build_literal(Parse *p, Loc loc, TokenKind kind, TokenValue value)
{
    if (kind == TOK_REAL && value.text && *value.text == 'm') return decimal_literal(p, loc, value);
    switch (kind) {
    case TOK_INT: return BUILD(INT_LIT, int_lit, loc, .value = value.integer, .suffix = value.text);
    case TOK_REAL: return BUILD(REAL_LIT, real_lit, loc, .value = value.real, .suffix = value.text);
    case TOK_CHAR: return BUILD(CHAR_LIT, char_lit, loc, .value = value.integer);
    default: /* STRING, TEXT, FORMAT */
        return BUILD(STRING_LIT, string_lit, loc, .value = {value.text, value.len});
    }
}

/* What is written behind `a?.b` goes on with b. */
static bool goes_on(const Ast *base)
{
    return base->kind == AST_COND_ACCESS && !base->cond_access.closed;
}

static Ast *with_rest(Parse *p, Loc loc, Ast *access, Ast *rest)
{
    access->cond_access.rest = rest;
    access->loc = loc;
    return build_done(p, access);
}

const char *build_unnamed(Parse *p)
{
    return intern_cstr(p->names, arena_printf(p->arena, "$_%d", ++p->unnamed));
}

Ast *build_cond_access(Parse *p, Loc loc, Ast *base, const char *name, AstList index)
{
    if (goes_on(base))
        return with_rest(p, loc, base,
                         build_cond_access(p, loc, base->cond_access.rest, name, index));
    const char *it = intern_cstr(p->names, arena_printf(p->arena, "$it%d", ++p->unnamed));
    Ast *use = build_name(p, base->loc, it);
    Ast *rest = name ? build_member(p, loc, use, name) : build_index(p, loc, use, index);
    return BUILD(COND_ACCESS, cond_access, loc, .base = base, .it = it, .rest = rest);
}

Ast *build_key(Parse *p, Loc loc, AstList index, Ast *value)
{
    if (build_any_bad(index)) return build_bad(p, loc);
    Ast *object = build_name(p, loc, intern_cstr(p->names, "$object"));
    Ast *target = BUILD(INDEX, index, loc, .base = object, .args = index);
    return BUILD(ASSIGN, assign, loc, .target = target, .value = value);
}

Ast *build_member(Parse *p, Loc loc, Ast *base, const char *name)
{
    if (name[0] == '?') return build_bad(p, loc);
    if (goes_on(base))
        return with_rest(p, loc, base, build_member(p, loc, base->cond_access.rest, name));
    return BUILD(MEMBER, member, loc, .base = base, .name = name);
}

/* `f(float x) {` read as a call: what comes after the parenthesis tells. */
static bool is_function_without_type(Parse *p, const Ast *callee, AstList args)
{
    bool typed = false;
    for (int i = 0; i < args.len; i++)
        typed = typed || args.data[i]->kind == AST_PARAM ||
                (args.data[i]->kind == AST_BINDER && args.data[i]->binder.vtype);
    size_t after = p->next + 1;
    if (!typed || callee->kind != AST_NAME_REF || after >= p->tokens.list.len) return false;
    Token *t = &p->tokens.list.data[after];
    if (t->kind != TOK_LBRACE && t->kind != TOK_ARROW) return false;
    parse_error(p, callee->loc, DIAG_SYNTAX, "expected the type of the function before '%s'",
                callee->name_ref.name);
    t->flags |= TOKEN_QUIET;
    return true;
}

Ast *build_call(Parse *p, Loc loc, Ast *callee, AstList args)
{
    if (is_function_without_type(p, callee, args)) return build_bad(p, loc);
    if (goes_on(callee))
        return with_rest(p, loc, callee, build_call(p, loc, callee->cond_access.rest, args));
    args = build_exprs(p, args, true);
    if (build_any_bad(args)) return build_bad(p, loc);
    return BUILD(CALL, call, loc, .callee = callee, .args = args);
}

Ast *build_type_args(Parse *p, Ast *call, AstList targs)
{
    Ast *n = call;
    while (n->kind == AST_COND_ACCESS) n = n->cond_access.rest;
    if (n->kind == AST_CALL) n->call.targs = targs;
    return n->kind == AST_CALL ? build_done(p, call) : call;
}

Ast *build_index(Parse *p, Loc loc, Ast *base, AstList args)
{
    if (build_any_bad(args)) return build_bad(p, loc);
    if (goes_on(base))
        return with_rest(p, loc, base, build_index(p, loc, base->cond_access.rest, args));
    return BUILD(INDEX, index, loc, .base = base, .args = args);
}

Ast *build_unary(Parse *p, Loc loc, AstOp op, Ast *operand)
{
    return BUILD(UNARY, unary, loc, .op = op, .operand = operand);
}

Ast *build_binary(Parse *p, Loc loc, AstOp op, Ast *left, Ast *right)
{
    return BUILD(BINARY, binary, loc, .op = op, .left = left, .right = right);
}

Ast *build_incdec(Parse *p, Loc loc, AstOp op, bool postfix, Ast *target)
{
    return BUILD(INCDEC, incdec, loc, .op = op, .postfix = postfix, .target = target);
}

static void say_overflow(Ast **slot, void *what)
{
    Ast *n = *slot;
    if (n->overflow == AST_OVERFLOW_UNSAID) n->overflow = *(const AstOverflow *)what;
    ast_each_child(n, say_overflow, what);
}

Ast *build_overflow(Ast *tree, AstOverflow what)
{
    say_overflow(&tree, &what);
    return tree;
}

Ast *build_reduce(Parse *p, Loc loc, AstOp op, Ast *operand)
{
    AstList args = {0};
    if (operand->kind == AST_TUPLE) {
        args = operand->tuple.items;
        operand = build_plain(p, args.data[--args.len]);
    }
    AstList binders = build_binders(p, args);
    if (build_any_bad(binders)) return build_bad(p, loc);
    return BUILD(REDUCE, reduce, loc, .op = op, .binders = binders, .operand = operand);
}

Ast *build_binder(Parse *p, Loc loc, Ast *vtype, AstList names, Ast *constraint)
{
    for (int i = 0; i < names.len; i++) {
        AstKind kind = names.data[i]->kind;
        if (kind != AST_NAME_REF && kind != AST_BAD) build_want_bound(p, names.data[i]->loc);
        if (kind != AST_NAME_REF) return build_bad(p, loc);
    }
    return BUILD(BINDER, binder, loc, .vtype = vtype, .names = names, .constraint = constraint);
}

Ast *build_constraint(Parse *p, Loc loc, Ast *names, Ast *constraint)
{
    bool several = names->kind == AST_TUPLE;
    return build_binder(p, loc, NULL, several ? names->tuple.items : build_one(p, names),
                        constraint);
}

Ast *build_rest(Parse *p, Loc loc, const char *word, Ast *type, const char *name)
{
    Loc begin = {loc.file, loc.begin, loc.begin + (uint32_t)strlen(word)};
    if (!build_word(p, begin, word, "params")) return build_bad(p, loc);
    return BUILD(PARAM, param, loc, .mode = AST_OP_BY_VALUE, .ptype = type, .name = name,
                 .rest = true);
}

Ast *build_left_out(Parse *p, Loc loc)
{
    parse_error(p, loc, DIAG_MISPLACED,
                "a dimension is left out by '_' in parentheses; in brackets write '..'");
    return BUILD(RANGE, range, loc, .lo = NULL);
}

Ast *build_tuple(Parse *p, Loc loc, AstList items)
{
    for (int i = 0; i < items.len; i++)
        if (items.data[i]->kind == AST_PARAM) items.data[i] = build_plain(p, items.data[i]);
    return BUILD(TUPLE, tuple, loc, .items = items);
}

/* A functional expression throws nothing, a function may. */
static bool may_throw(const Ast *n)
{
    if (n->kind == AST_COND) return may_throw(n->cond.then) || may_throw(n->cond.other);
    return n->kind == AST_THROW ||
           (n->kind == AST_BINARY && n->binary.op == AST_OP_COALESCE && may_throw(n->binary.right));
}

Ast *build_let(Parse *p, Loc loc, AstKind kind, AstList args, Ast *body)
{
    if (kind == AST_LET && args.len == 0) build_want_bound(p, loc);
    for (int i = 0; i < args.len && kind == AST_LAMBDA; i++)
        if (args.data[i]->kind == AST_PLACEHOLDER)
            args.data[i] = build_name(p, args.data[i]->loc, build_unnamed(p));
    args = build_binders(p, args);
    if (build_any_bad(args)) return build_bad(p, loc);
    if (kind == AST_LAMBDA && may_throw(body))
        body = build_block(p, body->loc, build_one(p, build_return(p, body->loc, body)));
    return kind == AST_LET ? BUILD(LET, let, loc, .binders = args, .body = body)
                           : BUILD(LAMBDA, lambda, loc, .binders = args, .body = body);
}

/* a(i, j : 0..n), or a(i, j) for what is combined: variables in the place of each argument? */
static bool is_defined(const Ast *target, bool combined)
{
    if (target->kind != AST_CALL || target->call.targs.len || !target->call.args.len) return false;
    const Ast *callee = target->call.callee;
    bool variables = callee->kind == AST_NAME_REF || callee->kind == AST_MEMBER;
    for (int i = 0; i < target->call.args.len; i++) {
        const Ast *arg = target->call.args.data[i];
        variables =
            variables && (arg->kind == AST_NAME_REF || (arg->kind == AST_BINDER && !combined));
    }
    return variables;
}

/* a(i, j) = e   is   a = let(i, j) e; a(i, j) += e   is   a += let((i, j) : a) e */
Ast *build_assign(Parse *p, Loc loc, AstOp op, Ast *target, Ast *value)
{
    bool combined = op != AST_OP_NONE;
    if (is_defined(target, combined) && value->kind != AST_INIT_LIST) {
        AstList binders = target->call.args;
        if (combined)
            binders = build_one(p, BUILD(BINDER, binder, target->loc, .names = binders,
                                         .constraint = ast_clone(p->arena, target->call.callee)));
        value = build_let(p, target->loc, AST_LET, binders, value);
        if (value->kind == AST_LET) value->let.again = true;
        target = target->call.callee;
    }
    return BUILD(ASSIGN, assign, loc, .op = op, .target = target, .value = value);
}

Ast *build_anonymous_method(Parse *p, Loc loc, Ast *body)
{
    Ast *n = build_let(p, loc, AST_LAMBDA, (AstList){0}, body);
    if (n->kind == AST_LAMBDA) n->lambda.any = true;
    return n;
}

Ast *build_static_lambda(Parse *p, Loc word, Ast *lambda)
{
    if (lambda->kind == AST_LAMBDA || lambda->kind == AST_BAD) return lambda;
    parse_error(p, word, DIAG_SYNTAX, "only a lambda is static here");
    return build_bad(p, word);
}

Ast *build_new(Parse *p, Loc loc, Ast *ntype, AstList args, Ast *init)
{
    args = build_exprs(p, args, true);
    if (build_any_bad(args)) return build_bad(p, loc);
    return BUILD(NEW, new_, loc, .ntype = ntype, .args = args, .init = init);
}

Ast *build_new_array(Parse *p, Loc loc, Ast *base, AstList sizes, uint64_t rank, AstList ranks,
                     Ast *init)
{
    if (build_any_bad(sizes)) return build_bad(p, loc);
    return BUILD(NEW_ARRAY, new_array, loc, .elem = build_ranks(p, base->loc, base, ranks),
                 .sizes = sizes, .rank = sizes.len ? (uint64_t)sizes.len : rank, .init = init);
}

Ast *build_hole(Parse *p, Loc loc, Ast *expr, Ast *align, Ast *format)
{
    return BUILD(HOLE, hole, loc, .expr = expr, .align = align,
                 .format = format ? format->string_lit.value : (AstBytes){0});
}

/* p with { X = 1, Y = 2 } */
Ast *build_with(Parse *p, Loc loc, Ast *operand, Ast *init)
{
    AstList fields = {0};
    if (init->kind != AST_INIT_LIST) return build_bad(p, loc);
    for (int i = 0; i < init->init_list.items.len; i++) {
        const Ast *item = init->init_list.items.data[i];
        if (item->kind != AST_ASSIGN || item->assign.op != AST_OP_NONE ||
            item->assign.target->kind != AST_NAME_REF) {
            parse_error(p, item->loc, DIAG_MISPLACED, "'with' sets fields: p with { X = 1 }");
            return build_bad(p, loc);
        }
        Ast *field = BUILD(FIELD, field, item->loc, .name = item->assign.target->name_ref.name,
                           .value = item->assign.value);
        fields = build_add(p, fields, field);
    }
    return BUILD(WITH, with_, loc, .operand = operand, .fields = fields);
}
