/* What binds variables: let, lambda and definitions, reductions, ranges, and the variables of
 * promoted operations. A constraint gives a range (GIVEN); integer variables without one are left
 * to domain inference (OPEN); all others, and typed parameters of lambdas, range over everything
 * (FULL).
 */
#include <string.h>

#include "build.h"

typedef struct Scope {
    int n;
    Symbol **syms;
    void *outer[FD_MAX_RANK]; /* what Symbol.fdag was */
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
} Scope;

/* ---- ranges --------------------------------------------------------------------------------- */

/* Domains are known when the expression is built. */
const FdNode *lower_index(Lower *l, const Ast *n)
{
    const FdNode *b =
        n->is_const || l->in->sealed || lower_is_free(n) ? lower_expr(l, n) : lower_capture(l, n);
    if (!b || b->type->scalar == SC_INT || b->type->scalar == SC_LONG) return b;
    return lower_convert(l, b, fd_type_scalar(l->fd, SC_LONG), n->loc);
}

static bool given(Lower *l, const Ast *range, FdDom *out)
{
    *out = (FdDom){FD_DOM_GIVEN, lower_index(l, range->range.lo), NULL};
    if (out->lo) out->hi = lower_index(l, range->range.hi);
    return out->hi != NULL;
}

/* f.Domain(d) with a constant d. */
static bool is_domain_call(const Ast *n)
{
    const Builtin *b = n->kind == AST_CALL ? lower_builtin(n) : NULL;
    return builtin_is(b, SPACE_func, LIB_Domain) && n->call.callee->kind == AST_MEMBER &&
           n->call.args.len == 1 && n->call.args.data[0]->is_const;
}

static bool domain_of(Lower *l, const FdNode *f, int d, Loc loc, FdDom *out)
{
    *out = (FdDom){.kind = FD_DOM_FULL};
    if (d < 0 || d >= f->type->nparams) {
        lower_fail(l, loc, "the function has no dimension %d", d);
        return false;
    }
    if (fd_domain(l->fd, f, d).kind == FD_DOM_FULL) return true;
    *out =
        (FdDom){FD_DOM_GIVEN, lower_query(l, FD_OP_LOWER, f, d), lower_query(l, FD_OP_UPPER, f, d)};
    return true;
}

/* The range of a variable with a constraint; *last is the function of the previous one, for groups.
 */
static bool constrained(Lower *l, const Symbol *sym, const Ast **last, const FdNode **f, FdDom *out)
{
    const Ast *c = sym->constraint;
    while ((c->kind == AST_CONVERT || c->kind == AST_CAST) && c->res == AST_RES_NONE)
        c = c->kind == AST_CONVERT ? c->convert.operand : c->cast.operand;
    if (c->kind == AST_RANGE) return given(l, c, out);
    int dim = sym->constraint_dim;
    if (is_domain_call(c)) {
        dim = (int)c->call.args.data[0]->value.i;
        c = c->call.callee->member.base;
    }
    if (*last != c) *f = lower_expr(l, c);
    *last = c;
    return *f && domain_of(l, *f, dim, c->loc, out);
}

/* ---- scopes ---------------------------------------------------------------------------------- */

static bool takes_range(const FdType *t)
{
    return t->nparams == 0 && !t->record && scalar_is_integer(t->scalar);
}

static bool open_scope(Lower *l, const Ast *owner, Scope *s)
{
    *s = (Scope){.syms = owner->bound};
    const Ast *last = NULL;
    const FdNode *f = NULL;
    for (int i = 0; i < owner->nbound; i++) {
        Symbol *sym = owner->bound[i];
        const FdType *type = lower_type(l, sym->type);
        FdDom dom = {.kind = type && takes_range(type) ? FD_DOM_OPEN : FD_DOM_FULL};
        if (!type || (sym->constraint && !constrained(l, sym, &last, &f, &dom))) return false;
        if (sym->constraint && !takes_range(type)) dom = (FdDom){.kind = FD_DOM_FULL};
        const FdNode *var = fd_var(l->fd, type, sym->name);
        lower_place(l, var, sym->loc);
        s->outer[i] = sym->fdag;
        s->vars[i] = var;
        s->doms[i] = dom;
        s->n = i + 1;
        sym->fdag = (void *)(uintptr_t)var;
    }
    return true;
}

static void close_scope(Lower *l, Scope *s)
{
    for (int i = s->n; i-- > 0;) {
        s->syms[i]->fdag = s->outer[i];
        l->nopen += s->doms[i].kind == FD_DOM_OPEN;
    }
}

/* `(float x) => ...`: a parameter with a type is no bound variable; all values are its domain. */
static void widen_typed(const Ast *lambda, Scope *s)
{
    int at = 0;
    for (int i = 0; i < lambda->lambda.binders.len; i++) {
        const struct Ast_binder *b = &lambda->lambda.binders.data[i]->binder;
        for (int k = 0; k < b->names.len && at < s->n; k++, at++)
            if (b->vtype && b->vtype->kind != AST_TYPE_VAR && !b->constraint)
                s->doms[at] = (FdDom){.kind = FD_DOM_FULL};
    }
}

/* A definition that uses itself: inside, its name is a variable of its type. */
static const FdNode *recurrence(Lower *l, const Ast *n)
{
    Symbol *sym = n->sym;
    const FdType *type = lower_type(l, sym->type);
    if (!type) return lower_fail(l, n->loc, "its parameters or values are no scalars");
    Scope s;
    const FdNode *self = fd_var(l->fd, type, sym->name), *value = NULL;
    void *outer = sym->fdag;
    if (open_scope(l, n, &s)) {
        sym->fdag = (void *)(uintptr_t)self;
        value = lower_expr(l, n->define.value);
        sym->fdag = outer;
    }
    close_scope(l, &s);
    if (!value) return NULL;
    return lower_place(
        l, fd_recurrence(l->fd, self, NULL, s.n, s.vars, s.doms, value, lower_loc(l, n->loc)),
        n->loc);
}

const FdNode *lower_let(Lower *l, const Ast *n)
{
    const Ast *body = n->kind == AST_LET      ? n->let.body
                      : n->kind == AST_LAMBDA ? n->lambda.body
                                              : n->define.value;
    if (n->kind == AST_DEFINE && n->sym->recurrent) return recurrence(l, n);
    Scope s;
    const FdNode *value = open_scope(l, n, &s) ? lower_expr(l, body) : NULL;
    if (n->kind == AST_DEFINE) lower_hints(l, &n->define.attrs);
    if (n->kind == AST_LAMBDA) widen_typed(n, &s);
    close_scope(l, &s);
    if (!value) return NULL;
    return lower_place(l, fd_let(l->fd, s.n, s.vars, s.doms, value, lower_loc(l, n->loc)), n->loc);
}

const FdNode *lower_range(Lower *l, const Ast *n)
{
    FdDom dom;
    const FdType *type = lower_type(l, n->type->params[0]);
    if (!given(l, n, &dom)) return NULL;
    const FdNode *i = fd_var(l->fd, type, "i");
    return lower_place(l, fd_let(l->fd, 1, &i, &dom, i, lower_loc(l, n->loc)), n->loc);
}

/* ---- variables that nobody names ------------------------------------------------------------- */

static bool is_full(const Lower *l, const Ast *n, int param);

/* Every operand that has parameter `param` of the promoted list is defined everywhere. */
static bool operands_full(const Lower *l, const Ast *n, int param)
{
    const Ast *operands[LOWER_MAX_OPERANDS];
    int count = lower_operands(n, operands), next = 0, first[LOWER_MAX_OPERANDS];
    for (int i = 0; i < count; i++) {
        const Type *t = operands[i]->type;
        if (!type_is_functional(t) || lower_is_passed(n, i)) continue;
        first[i] = next;
        for (int j = 0; j < i; j++) {
            const Type *o = operands[j]->type;
            if (type_is_functional(o) && !lower_is_passed(n, j) && o->nparams == t->nparams &&
                !memcmp(o->params, t->params, sizeof *t->params * (size_t)t->nparams)) {
                first[i] = first[j];
                break;
            }
        }
        if (first[i] == next) next += t->nparams;
        int at = param - first[i];
        if (at >= 0 && at < t->nparams && !is_full(l, operands[i], at)) return false;
    }
    return true;
}

/* Is parameter `param` of a functional expression free of any range, whatever the program does? */
static bool is_full(const Lower *l, const Ast *n, int param)
{
    if (n->res == AST_RES_PROMOTE) return operands_full(l, n, param);
    if (!lower_is_machinery(l, n) || lower_is_slice(n) || lower_is_progression(n)) return false;
    switch (n->kind) {
    case AST_NAME_REF:
    case AST_MEMBER:
    case AST_CALL: return true; /* functions, operations, random numbers */
    case AST_CONVERT:
    case AST_CAST: return !lower_is_invoked(l, n) && operands_full(l, n, param);
    case AST_LAMBDA:
        for (int i = 0, at = 0; i < n->lambda.binders.len; i++) {
            const struct Ast_binder *b = &n->lambda.binders.data[i]->binder;
            at += b->names.len;
            if (param < at) return b->vtype && b->vtype->kind != AST_TYPE_VAR && !b->constraint;
        }
        return false;
    default: return false;
    }
}

/* Readable names for the parameters of a promoted expression: i, j, .. for integers, x, y, .. else.
 */
static void fresh_vars(Lower *l, const Ast *n, Scope *s)
{
    static const char *const integers[] = {"i", "j", "k", "l", "m", "n", "o", "p"};
    static const char *const others[] = {"x", "y", "z", "w", "x4", "x5", "x6", "x7"};
    int ints = 0, rest = 0;
    *s = (Scope){.n = n->type->nparams};
    for (int i = 0; i < s->n; i++) {
        const FdType *type = lower_type(l, n->type->params[i]);
        bool range = takes_range(type);
        s->vars[i] = fd_var(l->fd, type, range ? integers[ints++] : others[rest++]);
        lower_place(l, s->vars[i], n->loc);
        s->doms[i].kind = range && !is_full(l, n, i) ? FD_DOM_OPEN : FD_DOM_FULL;
        l->nopen += s->doms[i].kind == FD_DOM_OPEN;
    }
}

const FdNode *lower_pointwise(Lower *l, const Ast *n)
{
    if (!lower_type(l, n->type))
        return lower_fail(l, n->loc, "its parameters or values are no scalars");
    Scope s;
    fresh_vars(l, n, &s);
    const FdNode *value = lower_at(l, n, s.vars);
    if (!value) return NULL;
    value = lower_convert(l, value, lower_type(l, n->type->result), n->loc);
    return lower_place(l, fd_let(l->fd, s.n, s.vars, s.doms, value, lower_loc(l, n->loc)), n->loc);
}

/* ---- reductions ------------------------------------------------------------------------------ */

static const FdNode *combiner(Lower *l, const Ast *n, const FdType *t)
{
    FdOp op = FD_OP_NONE;
    if (n->kind == AST_REDUCE && !n->sym)
        op = n->reduce.op == AST_OP_MUL ? FD_OP_MUL : FD_OP_ADD;
    else if (lower_builtin(n))
        op = lower_builtin(n)->op;
    if (op == FD_OP_NONE) return lower_user(l, n->sym, n->loc);
    const FdType *params[] = {t, t};
    return fd_op(l->fd, op, fd_type_func(l->fd, t, 2, params));
}

/* The operand of a reduction at a point of its variables. */
static const FdNode *operand_of(Lower *l, const Ast *n, const Ast *operand, Scope *s)
{
    const FdNode *value = NULL;
    if (n->nbound) {
        if (open_scope(l, n, s)) value = lower_expr(l, operand);
        close_scope(l, s);
    } else if (lower_type(l, operand->type)) {
        fresh_vars(l, operand, s);
        value = lower_at(l, operand, s->vars);
    }
    return value ? value : lower_fail(l, operand->loc, "this cannot be reduced");
}

/* A reduction goes over integers with a range. */
static bool countable(Lower *l, const Ast *n, const Scope *s)
{
    for (int i = 0; i < s->n; i++) {
        if (s->doms[i].kind != FD_DOM_FULL) continue;
        if (n->nbound)
            lower_fail(l, s->syms[i]->loc, "the reduction over '%s' is infinite: it has no range",
                       s->syms[i]->name);
        else
            lower_fail(l, n->loc, "the reduction is infinite: its operand is defined everywhere");
        return false;
    }
    return true;
}

/* ---- folds ----------------------------------------------------------------------------------- */

bool lower_is_fold(const Ast *n)
{
    return n->kind == AST_CALL && builtin_is(lower_builtin(n), SPACE_global, LIB_Fold);
}

/* The step as a function node: a function of the program by its name, else any functional value. */
static const FdNode *step_of(Lower *l, const Ast *n)
{
    while (n->kind == AST_CONVERT) n = n->convert.operand;
    if (n->kind == AST_NAME_REF && n->sym && n->sym->kind == SYM_FUNC)
        return lower_user(l, n->sym, n->loc);
    return lower_expr(l, n);
}

/* The arguments that are no binders: the operand, init, step. */
const FdNode *lower_fold(Lower *l, const Ast *n)
{
    const Ast *args[3] = {0};
    for (int i = 0, k = 0; i < n->call.args.len; i++)
        if (n->call.args.data[i]->kind != AST_BINDER && k < 3) args[k++] = n->call.args.data[i];
    const FdNode *init = lower_expr(l, args[1]), *fn = init ? step_of(l, args[2]) : NULL;
    if (!fn) return NULL;
    Scope s;
    const FdNode *value = operand_of(l, n, args[0], &s);
    if (!value || !countable(l, n, &s)) return NULL;
    if (fn->type->nparams != 2) return lower_fail(l, n->loc, "the step takes two values");
    value = lower_convert(l, value, fn->type->params[1], n->loc);
    init = lower_convert(l, init, fn->type->params[0], n->loc);
    FdLoc loc = lower_loc(l, n->loc);
    return lower_place(l, fd_fold(l->fd, fn, init, s.n, s.vars, s.doms, value, loc), n->loc);
}

const FdNode *lower_reduce(Lower *l, const Ast *n)
{
    const Ast *operand = n->kind == AST_REDUCE ? n->reduce.operand : NULL;
    for (int i = 0; !operand && i < n->call.args.len; i++)
        if (n->call.args.data[i]->kind != AST_BINDER) operand = n->call.args.data[i];
    Scope s;
    const FdNode *value = operand_of(l, n, operand, &s);
    lower_hints(l, n->attrs);
    if (!value || !countable(l, n, &s)) return NULL;
    const FdType *result = lower_type(l, n->type);
    const FdType *t =
        !result->record && result->scalar == SC_CHAR ? fd_type_scalar(l->fd, SC_INT) : result;
    value = lower_convert(l, value, t, n->loc);
    const FdNode *fn = combiner(l, n, t);
    if (!fn) return NULL;
    value = fd_reduce(l->fd, fn, s.n, s.vars, s.doms, value, lower_loc(l, n->loc));
    return lower_convert(l, lower_place(l, value, n->loc), result, n->loc);
}
