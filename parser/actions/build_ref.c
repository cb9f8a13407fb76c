/* `ref` of C#. What gives a place is two functions, of which one sets it:
 *
 *     ref T At(int i) { ..; return ref a[i]; }    T At(int i) { ..; return a[i]; }
 *                                                 void At=(int i, T $value) { ..; { a[i] = $value; return; } }
 *     ref T this[int i] => ref a[i];              T this[int i] { get => a[i]; set => a[i] = $value; }
 *
 * Sema finds the second where a call of the first is set (sema/statements/alias.c). Arrays are values: one that
 * such a function is given goes by ref. What is `ref readonly` gives a value.
 */
#include <string.h>

#include "build.h"

Ast *build_ref(Parse *p, Loc loc, Ast *place)
{
    return BUILD(UNARY, unary, loc, .op = AST_OP_REF, .operand = place);
}

static Ast **returned(Ast *n)
{
    Ast *value = n && n->kind == AST_RETURN ? n->return_.value : NULL;
    return value && value->kind == AST_UNARY && value->unary.op == AST_OP_REF ? &n->return_.value
                                                                              : NULL;
}

/* What is inside returns for itself. */
static bool is_other(const Ast *n)
{
    return !n || n->kind == AST_LAMBDA || n->kind == AST_FUNC;
}

/* return ref e;   return e; */
static void get(Ast **slot, void *ctx)
{
    if (is_other(*slot)) return;
    Ast **value = returned(*slot);
    if (value) *value = (*value)->unary.operand;
    if (!value) ast_each_child(*slot, get, ctx);
}

/* return ref e;   { e = $value; return; } */
static void set(Ast **slot, void *ctx)
{
    Parse *p = ctx;
    if (is_other(*slot)) return;
    Ast **value = returned(*slot);
    Loc loc = (*slot)->loc;
    if (!value) {
        if ((*slot)->kind == AST_RETURN && (*slot)->return_.value)
            parse_error(p, loc, DIAG_NOT_ASSIGNABLE,
                        "what gives a place returns it by ref: return ref a[i];");
        ast_each_child(*slot, set, ctx);
        return;
    }
    Ast *name = build_name(p, loc, intern_cstr(p->names, AST_REF_VALUE));
    Ast *assign = BUILD(ASSIGN, assign, loc, .op = AST_OP_NONE, .target = (*value)->unary.operand,
                        .value = name);
    AstList both = build_one(p, build_expr_stmt(p, loc, assign));
    *slot = build_block(p, loc, build_add(p, both, BUILD(RETURN, return_, loc, .value = NULL)));
}

static Ast *setter_body(Parse *p, const Ast *body)
{
    Ast *copy = ast_clone(p->arena, body);
    set(&copy, p);
    return copy;
}

static Ast *setter(Parse *p, const Ast *n)
{
    const struct Ast_func *f = &n->func;
    Ast *value =
        BUILD(PARAM, param, n->loc, .mode = AST_OP_BY_VALUE, .ptype = ast_clone(p->arena, f->ret),
              .name = intern_cstr(p->names, AST_REF_VALUE));
    AstList params = {0};
    for (int i = 0; i < f->params.len; i++)
        params = build_add(p, params, ast_clone(p->arena, f->params.data[i]));
    const char *name = arena_printf(p->arena, "%s=", f->name);
    Ast *nothing = BUILD(TYPE_NAME, type_name, n->loc, .name = intern_cstr(p->names, "void"));
    return BUILD(FUNC, func, n->loc, .mods = f->mods, .ret = nothing, .of = f->of,
                 .name = intern_cstr(p->names, name), .tparams = f->tparams, .wheres = f->wheres,
                 .params = build_add(p, params, value),
                 .body = f->body ? setter_body(p, f->body) : NULL);
}

static void lend_arrays(AstList params)
{
    for (int i = 0; i < params.len; i++) {
        Ast *param = params.data[i];
        if (param->kind == AST_PARAM && param->param.mode == AST_OP_BY_VALUE &&
            param->param.ptype->kind == AST_TYPE_ARRAY && !param->param.rest)
            param->param.mode = AST_OP_REF;
    }
}

AstList build_ref_setters(Parse *p, AstList list)
{
    AstList all = {0};
    bool some = false;
    for (int i = 0; i < list.len; i++) {
        Ast *n = list.data[i];
        bool func = n->kind == AST_FUNC, property = n->kind == AST_PROPERTY;
        uint64_t *mods = func ? &n->func.mods : property ? &n->property.mods : NULL;
        bool by_ref = mods && (*mods & AST_MOD_REF) != 0, sets = by_ref;
        if (by_ref && (*mods & AST_MOD_READONLY)) {
            *mods &= ~(uint64_t)(AST_MOD_REF | AST_MOD_READONLY);
            sets = false;
        }
        if (sets && func) lend_arrays(n->func.params);
        Ast *second = sets && func ? setter(p, n) : NULL;
        if (sets && property && n->property.get)
            n->property.set = BUILD(ACCESSOR, accessor, n->property.get->loc,
                                    .body = setter_body(p, n->property.get->accessor.body));
        if (by_ref && func && n->func.body) get(&n->func.body, p);
        if (by_ref && property && n->property.get) get(&n->property.get, p);
        all = build_add(p, all, n);
        if (second) all = build_add(p, all, second);
        some = some || second;
    }
    return some ? all : list;
}

/* a.AsSpan(): the array, whose elements are meant. */
Ast *build_without_span(Ast *seq)
{
    bool call =
        seq->kind == AST_CALL && seq->call.callee->kind == AST_MEMBER && !seq->call.args.len;
    if (!call || strcmp(seq->call.callee->member.name, "AsSpan") != 0) return seq;
    return seq->call.callee->member.base;
}

/* foreach (ref T x in e) body
 * {  ref var $in = ref e;   or  var $in = e;
 *    for (int $at = 0; $at < $in.Length; $at++) { ref T x = ref $in[$at]; body }  } */
Ast *build_foreach_ref(Parse *p, Loc loc, Ast *vtype, const char *name, Ast *seq, Ast *body)
{
    seq = build_without_span(seq);
    const char *in = intern_cstr(p->names, arena_printf(p->arena, "$in%d", ++p->unnamed)),
               *at = intern_cstr(p->names, arena_printf(p->arena, "$at%d", p->unnamed));
    bool place = seq->kind == AST_NAME_REF || seq->kind == AST_MEMBER;
    Ast *init = place ? build_ref(p, seq->loc, seq) : seq;
    Ast *whole = build_var(p, loc, false, build_leaf(p, AST_TYPE_VAR, loc),
                           build_one(p, build_declarator(p, loc, in, init)));
    if (place) whole->var_decl.mods = AST_MOD_REF;
    Ast *integer = build_type_name(p, loc, intern_cstr(p->names, "int"), (AstList){0});
    Ast *zero = BUILD(INT_LIT, int_lit, loc, .value = 0);
    Ast *first =
        build_var(p, loc, false, integer, build_one(p, build_declarator(p, loc, at, zero)));
    Ast *length = build_member(p, loc, build_name(p, loc, in), intern_cstr(p->names, "Length"));
    Ast *more = build_binary(p, loc, AST_OP_LT, build_name(p, loc, at), length);
    Ast *next = build_incdec(p, loc, AST_OP_ADD, false, build_name(p, loc, at));
    Ast *element =
        build_index(p, loc, build_name(p, loc, in), build_one(p, build_name(p, loc, at)));
    Ast *var = build_var(p, loc, false, vtype,
                         build_one(p, build_declarator(p, loc, name, build_ref(p, loc, element))));
    var->var_decl.mods = AST_MOD_REF;
    Ast *inner = build_block(p, body->loc, build_add(p, build_one(p, var), body));
    Ast *loop = BUILD(FOR, for_, loc, .init = build_one(p, first), .cond = more,
                      .step = build_expr_stmts(p, build_one(p, next)), .body = inner);
    return build_block(p, loc, build_add(p, build_one(p, whole), loop));
}
