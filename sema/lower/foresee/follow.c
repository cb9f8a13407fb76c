/* Calls of host code, followed (follow.h). */
#include "follow.h"

#include "number.h"
#include "object.h"

enum { MAX_AGAIN = 4 /* calls of one function inside of each other: two in its body are 2^n */ };

void follow_put(Foresee *f, const Ast *place, Value *v)
{
    place = known_place(place);
    const Symbol *sym = known_changed(place);
    if (sym)
        known_assign(f, sym, v);
    else if (object_has(place))
        object_set(f, place, v);
}

/* How long an array is, or where it begins or ends; NULL: it is asked for something else. */
static Value *question(Foresee *f, LibName name, Value *v, const Value *dim)
{
    if (name != LIB_GetLength && name != LIB_GetLowerBound && name != LIB_GetUpperBound)
        return NULL;
    if (!known_is(v) || !number_is(dim) || dim->number.atom) return NULL;
    int d = (int)dim->number.offset;
    if (name == LIB_GetLength) return number_length(f, v, d);
    Value *one = number_of(f, 1), *end = number_bound(f, v, d, name == LIB_GetUpperBound);
    return name == LIB_GetLowerBound ? end : number_sum(f, end, one, true);
}

/* ref x, out x, out var x: the variable gets what the parameter has in the end. */
static void give_back(Foresee *f, const Ast *arg, Value *v)
{
    if (!known_is_given(arg)) return;
    const Ast *to = arg->unary.operand;
    if (to->kind != AST_DECL_EXPR)
        follow_put(f, to, v);
    else if (to->sym && known_keeps(to->sym->type))
        known_assign(f, to->sym, v);
}

/* What a variable is before the call; behind it nobody knows, unless the call is followed. */
Value *follow_given(Foresee *f, Ast *n)
{
    Ast *of = n->unary.operand;
    Value *v = n->unary.op == AST_OP_REF ? foresee_value(f, of) : known_any(f, of->type);
    follow_put(f, of, known_any(f, of->type));
    return v;
}

/* The body of a function with these arguments, and `this`; functions of a class that others may override are not
 * known. What it returns; NULL: it is not followed. */
static Value *body(Foresee *f, const Symbol *sym, const AstList *given, Value **args, Value *self)
{
    Ast *func = sym->decl;
    const AstList *params = &func->func.params;
    Value *before = f->returned, *self_before = f->self;
    const size_t known = f->known.len;
    for (int i = 0; i < given->len; i++) known_learn(f, params->data[i]->sym, args[i]);
    f->within[f->calls++] = sym;
    f->followed++;
    f->returned = NULL;
    f->self = self;
    foresee_value(f, func->func.body);
    Value *v = f->returned;
    f->returned = before;
    f->self = self_before;
    f->calls--;
    for (int i = 0; i < given->len; i++) {
        const Symbol *param = params->data[i]->sym;
        args[i] = param && known_keeps(param->type) ? known_look_up(f, param) : f->other;
    }
    f->known.len = known;
    for (int i = 0; i < given->len; i++) give_back(f, given->data[i], args[i]);
    return v ? v : f->other;
}

static bool is_followed(const Foresee *f, const Symbol *sym, int nargs)
{
    const Ast *func = sym->decl;
    bool is_virtual = sym->slot >= 0 && sym->cls;
    int again = 0;
    for (int i = 0; i < f->calls; i++) again += f->within[i] == sym;
    return func && !is_virtual && again < MAX_AGAIN && nargs <= FD_MAX_PARAMS &&
           nargs == func->func.params.len && f->calls < KNOWN_MAX_CALLS &&
           f->followed < MAX_FOLLOWED && func->func.body;
}

static Value *argument(Foresee *f, Ast *n)
{
    return known_is_given(n) ? foresee_value(f, n) : number_value(f, n);
}

static Value *call(Foresee *f, Symbol *sym, const AstList *given, Value *self)
{
    Value *args[FD_MAX_PARAMS];
    for (int i = 0; i < given->len; i++) {
        Value *v = argument(f, given->data[i]);
        if (i < FD_MAX_PARAMS) args[i] = v;
    }
    const bool followed = is_followed(f, sym, given->len);
    *(followed ? &sym->followed : &sym->apart) = true;
    return followed ? body(f, sym, given, args, self) : NULL;
}

Value *follow_user(Foresee *f, Ast *n)
{
    Ast *callee = n->call.callee;
    Value *self = f->self; /* of THIS, BASE */
    if (callee->kind == AST_MEMBER && callee->member.base)
        self = foresee_value(f, callee->member.base);
    Value *v = call(f, n->sym, &n->call.args, self);
    return v && known_keeps(n->type) ? v : known_any(f, n->type);
}

Value *follow_new(Foresee *f, Ast *n)
{
    Value *made = object_new(f);
    const Class *c = n->type->decl->cls;
    if (n->sym->is_plain && n->new_.args.len == c->nfields)
        for (int i = 0; i < c->nfields; i++)
            object_set_field(f, made, c->fields[i], foresee_value(f, n->new_.args.data[i]));
    else
        call(f, n->sym, &n->new_.args, made);
    if (n->new_.init) foresee_value(f, n->new_.init);
    return made;
}

/* Library functions that take any functional value evaluate it, except for questions about its
 * domain. */
Value *follow_library(Foresee *f, Ast *n)
{
    const Builtin *b = &builtins[n->sym->builtin];
    bool forces =
        !b->pure || (b->runtime != ABI_NONE && b->space != SPACE_func && b->name != LIB_Waits);
    Ast *callee = n->call.callee;
    Value *of = NULL, *answer;
    if (callee->kind == AST_MEMBER && callee->member.base->type)
        of = foresee_value(f, callee->member.base);
    for (int i = 0; i < n->call.args.len; i++) {
        Ast *a = n->call.args.data[i];
        Value *v = foresee_value(f, a);
        bool asks = of && b->space == SPACE_func && i == 0;
        if (asks && (answer = question(f, b->name, of, v))) return answer;
        if (forces && type_is_functional(a->type)) known_forced(f, v, a->loc);
    }
    return known_any(f, n->type);
}
