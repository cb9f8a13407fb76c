/* The border of a graph: which expressions are functional machinery, and which the host computes
 * before the graph is built. A captured variable is one slot however often it is used; so is an
 * equal expression without calls. Other captures are evaluated once each, in source order.
 */
#include <ctype.h>
#include <string.h>

#include "build.h"

enum { LONGEST_NAME = 24 };

const Builtin *lower_builtin(const Ast *n)
{
    const Symbol *s = n->sym;
    return s && s->kind == SYM_BUILTIN && s->builtin >= 0 ? &builtins[s->builtin] : NULL;
}

Ast **lower_callee(Ast *n)
{
    return n->kind == AST_CALL ? &n->call.callee : &n->index.base;
}

/* A function or operation used as a value. */
static bool is_group_value(const Ast *n)
{
    return (n->kind == AST_NAME_REF || n->kind == AST_MEMBER) && n->sym &&
           (n->sym->kind == SYM_FUNC || n->sym->kind == SYM_BUILTIN) && n->type &&
           n->type->kind == TY_FUNC && n->res == AST_RES_NONE &&
           !(n->kind == AST_MEMBER && type_is_functional(n->member.base->type));
}

bool lower_is_method_call(const Ast *n)
{
    return n->kind == AST_CALL && n->sym && n->sym->kind == SYM_FUNC && n->sym->self &&
           n->call.callee->kind == AST_MEMBER &&
           !(n->call.callee->member.base->kind == AST_THIS && !n->sym->overridden &&
             n->call.callee->member.base->type->kind == TY_OBJECT);
}

bool lower_is_machinery(const Lower *l, const Ast *n)
{
    if (n->res == AST_RES_PROMOTE || n->res == AST_RES_REDUCE) return true;
    if (lower_is_slice(n) && !type_is_hosted(n->index.base->type)) return true;
    if (lower_is_extension(n) || lower_is_fold(n) || lower_is_derivative(n)) return true;
    switch (n->kind) {
    case AST_REDUCE:
    case AST_LET:
    case AST_LAMBDA: return true;
    case AST_RANGE: return type_is_functional(n->type); /* not in a slice */
    case AST_NAME_REF:
    case AST_MEMBER: return is_group_value(n);
    case AST_CONVERT:
    case AST_CAST: {
        const Ast *operand = n->kind == AST_CONVERT ? n->convert.operand : n->cast.operand;
        if (!n->type || n->type->kind != TY_FUNC || type_is_hosted(n->type)) return false;
        if (!type_is_functional(operand->type)) return lower_is_invoked(l, n);
        return !type_same_value(n->type->result, operand->type->result) ||
               lower_is_machinery(l, operand);
    }
    case AST_CALL: {
        const Builtin *b = lower_builtin(n);
        return b && b->op == FD_OP_RANDOM;
    }
    default: return false;
    }
}

void lower_each_value(Ast *n, void (*visit)(Ast **child, void *ctx), void *ctx)
{
    Ast *name = n->kind == AST_CALL ? n->call.callee : NULL;
    const Symbol *sym =
        name && (name->kind == AST_NAME_REF || name->kind == AST_MEMBER) ? name->sym : NULL;
    if (!sym || (sym->kind != SYM_FUNC && sym->kind != SYM_BUILTIN)) {
        ast_each_child(n, visit, ctx);
        return;
    }
    if (name->kind == AST_MEMBER && name->member.base && name->member.base->type)
        visit(&name->member.base, ctx);
    for (int i = 0; i < n->call.args.len; i++) visit(&n->call.args.data[i], ctx);
}

typedef struct Search {
    bool (*is)(const Ast *n);
    bool found;
} Search;

static void search(Ast **child, void *ctx)
{
    Search *s = ctx;
    if (s->found) return;
    if (s->is(*child))
        s->found = true;
    else
        ast_each_child(*child, search, s);
}

static bool any_below(const Ast *n, bool (*is)(const Ast *n))
{
    Search s = {.is = is};
    Ast *root = (Ast *)(uintptr_t)n; /* the walker wants it mutable; nothing is changed */
    search(&root, &s);
    return s.found;
}

static bool is_free_name(const Ast *n)
{
    const Symbol *s = n->kind == AST_NAME_REF || n->kind == AST_THIS ? n->sym : NULL;
    return s && s->fdag && (s->kind == SYM_BOUND || s->kind == SYM_LOCAL || s->kind == SYM_PARAM);
}

bool lower_is_free(const Ast *n)
{
    return any_below(n, is_free_name);
}

/* Division by an integer that may be zero throws: it must wait until the value is needed. */
static bool can_divide_by_zero(const Ast *n)
{
    if (n->kind != AST_BINARY || (n->binary.op != AST_OP_DIV && n->binary.op != AST_OP_REM))
        return false;
    const Ast *d = n->binary.right;
    return d->type->kind == TY_SCALAR && !scalar_is_real(d->type->scalar) &&
           !(d->is_const && d->value.i != 0);
}

/* A record made of constants: graphs know it, as they know other constants. */
static bool is_constant_record(const Ast *n)
{
    if (n->kind != AST_NEW || !n->sym || !n->sym->is_plain || n->type->kind != TY_RECORD)
        return false;
    for (int i = 0; i < n->new_.args.len; i++) {
        const Ast *arg = n->new_.args.data[i];
        while (arg->kind == AST_CONVERT && !arg->is_const) arg = arg->convert.operand;
        if (!arg->is_const && !is_constant_record(arg)) return false;
    }
    return true;
}

/* Scalars that are computed in the graph though they use no bound variable: reductions, elements of
 * functions, what may throw. Calls that the host makes are a border: nothing below them counts. */
static bool stays_inside(Lower *l, const Ast *n)
{
    if (lower_is_machinery(l, n) || can_divide_by_zero(n) || is_constant_record(n)) return true;
    const Ast *operands[LOWER_MAX_OPERANDS];
    switch (n->kind) {
    case AST_INDEX:
    case AST_CALL:
        if (n->res == AST_RES_APPLY)
            return lower_type(l, (*lower_callee((Ast *)(uintptr_t)n))->type) != NULL;
        if (!lower_builtin(n) || lower_builtin(n)->op == FD_OP_NONE) return false;
        break;
    case AST_UNARY:
    case AST_BINARY:
    case AST_COND:
    case AST_CAST:
    case AST_CONVERT:
    case AST_MEMBER: break;
    default: return false;
    }
    int count = lower_operands(n, operands);
    for (int i = 0; i < count; i++)
        if (stays_inside(l, operands[i])) return true;
    return false;
}

/* What only the host computes, and what may throw or tell there: an object that may be null, a call. */
static bool is_hosts_own(const Ast *n)
{
    if (n->overflow == AST_OVERFLOW_THROWS) return true;
    switch (n->kind) {
    case AST_CALL:
        if (n->res != AST_RES_NONE) return false;
        return !lower_builtin(n) || !lower_builtin(n)->pure;
    case AST_MEMBER: {
        const Ast *base = n->member.base;
        const bool reference =
            base->type && (base->type->kind == TY_OBJECT || base->type->kind == TY_STRING);
        return reference && base->kind != AST_THIS && !lower_is_static(n);
    }
    case AST_INDEX: return n->res == AST_RES_NONE;
    case AST_CAST: return type_is_ref(n->type);
    case AST_ASSIGN:
    case AST_INCDEC:
    case AST_THROW: return true;
    default: return false;
    }
}

/* Does it evaluate something of the host's own only where a condition says so? Captures are all evaluated. */
static bool guards(const Ast *n)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    const bool chooses =
        n->kind == AST_COND ||
        (n->kind == AST_BINARY && (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR ||
                                   n->binary.op == AST_OP_COALESCE));
    if (!chooses || n->res != AST_RES_NONE) return false;
    int count = lower_operands(n, operands);
    for (int i = 1; i < count; i++)
        if (any_below(operands[i], is_hosts_own)) return true;
    return false;
}

bool lower_is_captured(Lower *l, const Ast *n)
{
    if (l->in->sealed || lower_is_free(n)) return false;
    if (!type_is_functional(n->type)) return guards(n) || !stays_inside(l, n);
    if (lower_is_machinery(l, n)) return false;
    if (n->res == AST_RES_APPLY) return !lower_is_machinery(l, *lower_callee((Ast *)(uintptr_t)n));
    if (n->kind != AST_CONVERT && n->kind != AST_CAST) return true;
    /* an array as a function is the array; an object as one is made by the host */
    const Ast *operand = n->kind == AST_CONVERT ? n->convert.operand : n->cast.operand;
    return n->type->kind != TY_FUNC || !type_is_functional(operand->type);
}

/* ---- slots -------------------------------------------------------------------------------- */

bool lower_same_value(const Ast *a, const Ast *b)
{
    if (a->kind != b->kind || a->type != b->type || a->sym != b->sym || a->is_const != b->is_const)
        return false;
    if (a->is_const) return a->value.i == b->value.i;
    const Ast *x[LOWER_MAX_OPERANDS], *y[LOWER_MAX_OPERANDS];
    switch (a->kind) {
    case AST_NAME_REF: return true;
    case AST_UNARY:
        if (a->unary.op != b->unary.op) return false;
        break;
    case AST_BINARY:
        if (a->binary.op != b->binary.op) return false;
        break;
    case AST_MEMBER:
        if (lower_is_static(a)) return true;
        return (lower_builtin(a) || a->sym->kind == SYM_FIELD) &&
               lower_same_value(a->member.base, b->member.base);
    case AST_THIS: return true;
    case AST_CALL: /* a.GetLength(0) */
        if (!lower_builtin(a) || !lower_builtin(a)->pure || a->call.args.len != b->call.args.len ||
            a->call.callee->kind != AST_MEMBER || b->call.callee->kind != AST_MEMBER ||
            !a->call.callee->member.base->type ||
            !type_is_functional(a->call.callee->member.base->type) ||
            !lower_same_value(a->call.callee->member.base, b->call.callee->member.base))
            return false;
        break;
    case AST_COND:
    case AST_CAST:
    case AST_CONVERT: break;
    default: return false;
    }
    int count = lower_operands(a, x);
    if (lower_operands(b, y) != count) return false;
    for (int i = 0; i < count; i++)
        if (!lower_same_value(x[i], y[i])) return false;
    return true;
}

/* A readable name: the variable, or the source text where it is short. */
static const char *slot_name(Lower *l, const Ast *n)
{
    while (n->kind == AST_CONVERT) n = n->convert.operand;
    if (n->kind == AST_NAME_REF && n->sym) return n->sym->name;
    const Source *src = sources_get(l->sources, n->loc.file);
    if (n->loc.end <= n->loc.begin || n->loc.end > src->len) return "value";
    char text[LONGEST_NAME + 4];
    size_t len = 0;
    bool space = false;
    for (uint32_t i = n->loc.begin; i < n->loc.end; i++) {
        char c = src->text[i];
        if (isspace((unsigned char)c)) {
            space = len > 0;
            continue;
        }
        if (len + 2 > LONGEST_NAME || (c == '/' && i + 1 < n->loc.end &&
                                       (src->text[i + 1] == '/' || src->text[i + 1] == '*'))) {
            while (len && ((unsigned char)text[len - 1] & 0xC0) == 0x80)
                len--; /* whole characters */
            if (len && (unsigned char)text[len - 1] >= 0xC0) len--;
            memcpy(text + len, "...", 3);
            return arena_strndup(l->arena, text, len + 3);
        }
        if (space) text[len++] = ' ';
        space = false;
        text[len++] = c;
    }
    return arena_strndup(l->arena, text, len);
}

const FdNode *lower_no_type(Lower *l, const Ast *n)
{
    return lower_fail(l, n->loc, "a value of type '%s' cannot be part of a functional expression",
                      type_text(l->arena, n->type));
}

/* Does it read a variable that is a node of the graph? */
static void find_node(Ast **child, void *ctx)
{
    const Ast *n = *child;
    const Symbol *sym = n->kind == AST_NAME_REF ? n->sym : NULL;
    bool variable =
        sym && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM || sym->kind == SYM_BOUND);
    if (variable && sym->fdag) *(bool *)ctx = true;
    ast_each_child(*child, find_node, ctx);
}

const FdNode *lower_capture(Lower *l, const Ast *n)
{
    const FdType *type = lower_type(l, n->type);
    if (!type) return lower_no_type(l, n);
    bool varies = false; /* no silent zeros */
    Ast *tree = (Ast *)(uintptr_t)n;
    if (l->derived.len > 0) find_node(&tree, &varies);
    if (varies)
        return lower_fail(
            l, n->loc,
            "there is no derivative yet of this, which the host computes: write it as "
            "definitions, or as statements of the function");
    for (size_t i = l->captures.len; i-- > 0;) { /* m + m++ + m */
        if (lower_same_value(l->captures.data[i].value, n))
            return lower_slots(l, type, l->captures.data[i].slot);
        if (lower_changes(l->captures.data[i].value)) break;
    }
    LowerCapture c = {(Ast *)(uintptr_t)n, (int)l->slots.len};
    vec_push(&l->captures, c);
    lower_add_slots(l, type, slot_name(l, n), n->type->kind == TY_ARRAY);
    return lower_slots(l, type, c.slot);
}
