/* Bound variables: which names a reduction binds though nobody declared them.
 *
 * A name that is declared nowhere and stands in an argument of an application belongs to the
 * outermost reduction that uses it outside nested reductions. Because reductions are checked from
 * the outside in, a name that an outer one binds is declared when the inner one looks.
 */
#include <string.h>

#include "../check/check.h"

enum { MAX_PEEK = 3 };

const Type *peek_type(Sema *s, const Ast *n)
{
    if (s->quiet >= MAX_PEEK) return s->error; /* nested looks would multiply */
    Ast *copy = ast_clone(s->arena, n);
    int errors = s->quiet_errors;
    s->quiet++;
    scope_push(s); /* what it declares */
    const Type *t = check_expr(s, &copy, NULL);
    scope_pop(s);
    s->quiet--;
    if (s->quiet_errors != errors) t = s->error;
    s->quiet_errors = errors;
    return t;
}

const Ast *peek_group(Sema *s, const Ast *n)
{
    Ast *copy = ast_clone(s->arena, n);
    int errors = s->quiet_errors;
    s->quiet++;
    const Type *t = check_expr(s, &copy, NULL);
    s->quiet--;
    s->quiet_errors = errors;
    return t->kind == TY_GROUP ? copy : NULL;
}

static void find_bound(Ast **child, void *ctx)
{
    bool *found = ctx;
    if (!*child || *found) return;
    const Symbol *sym = (*child)->sym;
    if ((*child)->kind == AST_NAME_REF && sym && sym->kind == SYM_BOUND)
        *found = true;
    else
        ast_each_child(*child, find_bound, found);
}

bool mentions_bound(const Ast *n)
{
    bool found = false;
    Ast *root = (Ast *)(uintptr_t)n; /* the walker wants it mutable; nothing is changed */
    find_bound(&root, &found);
    return found;
}

/* ---- which names ------------------------------------------------------------------------ */

typedef struct Walk {
    Sema *s;
    BoundNames names;  /* found so far, in order */
    BoundNames hidden; /* bound by let and lambda in between */
    bool in_index;     /* inside an argument of an application */
    VEC(Ast *) at;     /* first use of each name */
} Walk;

bool bound_has(const BoundNames *v, const char *name)
{
    for (size_t i = 0; i < v->len; i++)
        if (v->data[i] == name) return true;
    return false;
}

static bool is_reduction(Sema *s, const Ast *n)
{
    return n->kind == AST_REDUCE || (n->kind == AST_CALL && call_is_reduction(s, n));
}

/* Does the callee take its arguments as indices? Library functions do not. */
static bool applies(Sema *s, const Ast *callee)
{
    if (callee->kind == AST_MEMBER) {
        const Ast *base = callee->member.base;
        bool lib = base->kind == AST_TYPE_NAME ||
                   (base->kind == AST_NAME_REF && !scope_user(s, base->name_ref.name) &&
                    is_space(s, base->name_ref.name));
        return !lib;
    }
    if (callee->kind != AST_NAME_REF) return true;
    const Symbol *sym = scope_callee(s, callee->name_ref.name);
    if (!sym && static_member(s, callee)) return false;
    return !sym || sym->kind != SYM_BUILTIN;
}

void bound_hide(BoundNames *hidden, const AstList *binders)
{
    for (int i = 0; i < binders->len; i++) {
        const Ast *b = binders->data[i];
        if (b->kind != AST_BINDER) continue;
        for (int j = 0; j < b->binder.names.len; j++)
            vec_push(hidden, b->binder.names.data[j]->name_ref.name);
    }
}

static void collect(Ast **child, void *ctx);

static void collect_all(Walk *w, const AstList *list)
{
    for (int i = 0; i < list->len; i++) collect(&list->data[i], w);
}

static void collect_constraints(Walk *w, const AstList *binders)
{
    for (int i = 0; i < binders->len; i++)
        if (binders->data[i]->kind == AST_BINDER) collect(&binders->data[i]->binder.constraint, w);
}

static void collect(Ast **child, void *ctx)
{
    Walk *w = ctx;
    Ast *n = *child;
    if (!n) return;
    bool outer = w->in_index;
    size_t hidden = w->hidden.len;
    if (is_reduction(w->s, n)) { /* its operand is its own; its ranges are ours */
        collect_constraints(w, n->kind == AST_REDUCE ? &n->reduce.binders : &n->call.args);
        return;
    }
    switch (n->kind) {
    case AST_NAME_REF:
        if (w->in_index && !bound_has(&w->names, n->name_ref.name) &&
            !bound_has(&w->hidden, n->name_ref.name) && !scope_lookup(w->s, n->name_ref.name) &&
            !static_member(w->s, n) && n->name_ref.name != w->s->defining &&
            !is_future(n->name_ref.name) &&
            !(w->s->func && decl_is_top_variable(w->s, n->name_ref.name))) {
            vec_push(&w->names, n->name_ref.name);
            vec_push(&w->at, n);
        }
        break;
    case AST_CALL:
    case AST_INDEX: {
        Ast **callee = n->kind == AST_CALL ? &n->call.callee : &n->index.base;
        if ((*callee)->kind != AST_NAME_REF) collect(callee, w);
        w->in_index = outer || applies(w->s, *callee);
        collect_all(w, n->kind == AST_CALL ? &n->call.args : &n->index.args);
        break;
    }
    case AST_BINDER: collect(&n->binder.constraint, w); break; /* an argument by name */
    case AST_TUPLE:                                            /* names of elements are no uses */
        for (int i = 0; i < n->tuple.items.len; i++) {
            Ast **item = &n->tuple.items.data[i];
            collect((*item)->kind == AST_BINDER ? &(*item)->binder.constraint : item, w);
        }
        break;
    case AST_LET:
    case AST_LAMBDA: {
        if (n->kind == AST_LAMBDA && n->lambda.body->kind == AST_BLOCK) break; /* a function */
        const AstList *binders = n->kind == AST_LET ? &n->let.binders : &n->lambda.binders;
        collect_constraints(w, binders);
        bound_hide(&w->hidden, binders);
        collect(n->kind == AST_LET ? &n->let.body : &n->lambda.body, w);
        break;
    }
    default: ast_each_child(n, collect, w); break;
    }
    w->in_index = outer;
    w->hidden.len = hidden;
}

/* ---- opening ---------------------------------------------------------------------------- */

static Symbol *bound_symbol(Sema *s, Ast *owner, Ast *name, bool implicit)
{
    Symbol *sym = scope_symbol(s, SYM_BOUND, name->name_ref.name, NULL, name->loc, owner);
    sym->implicit = implicit;
    if (!implicit) name->sym = sym;
    return sym;
}

/* `i : words` of strings, `i : list`, `i : text`: no graph holds these, only how many there are. */
static void count_hosted(Sema *s, Ast **slot, const Type **t)
{
    const Type *of = *t;
    const char *count = of->kind == TY_STRING                                            ? "Length"
                        : of->kind == TY_ARRAY && of->nparams == 1 && type_is_hosted(of) ? "Length"
                        : of->kind == TY_OBJECT && is_collection(s, of)                  ? "Count"
                                                                                         : NULL;
    if (!count) return;
    Ast *range = ast_new(s->arena, AST_RANGE, (*slot)->loc);
    range->range.lo = tree_int(s, range->loc, 0);
    range->range.hi = tree_member(s, range->loc, *slot, count);
    *slot = range;
    *t = check_value(s, slot, NULL);
}

/* The range that stands first in n, which binds more tightly than ?:, comparisons, shifts and bits. NULL: none, or it is
 * in parentheses. */
static const Ast *first_range(const Ast *n)
{
    const Ast *first = n;
    for (;;)
        if (first->kind == AST_COND)
            first = first->cond.cond;
        else if (first->kind == AST_BINARY && first->binary.op >= AST_OP_AND &&
                 first->binary.op <= AST_OP_LOR)
            first = first->binary.left;
        else
            break;
    return first != n && first->kind == AST_RANGE && first->loc.begin == n->loc.begin ? first
                                                                                      : NULL;
}

void bound_check_range(Sema *s, const Ast *n, const char *name)
{
    const Ast *range = first_range(n);
    if (!range) return;
    report(s, range->loc, BINDER,
           "what follows the range is done with all of it, not with its end");
    report_note(s, NOWHERE, "write the end in parentheses: %s : 0..(a == b ? c : d)", name);
}

/* The constraint of a binder: a function with as many parameters as there are names. */
static void check_constraint(Sema *s, Ast *b, Symbol **syms)
{
    bound_check_range(s, b->binder.constraint, b->binder.names.data[0]->name_ref.name);
    const Type *t = check_value(s, &b->binder.constraint, NULL);
    int n = b->binder.names.len;
    if (n == 1) count_hosted(s, &b->binder.constraint, &t);
    const Ast *c = b->binder.constraint;
    if (t == s->error) {
        for (int i = 0; i < n; i++)
            if (!syms[i]->type) syms[i]->type = s->integer;
        return;
    }
    bool domain = type_is_functional(t) && t->nparams == n;
    const char *name = b->binder.names.data[0]->name_ref.name;
    if (!type_is_functional(t)) {
        report(s, c->loc, BINDER, "a constraint is a function or a range, not '%s'",
               type_text(s->arena, t));
        if (type_is_scalar(t, SC_INT))
            report_note(s, NOWHERE, "so many values from 0 on: %s : 0..n", name);
    } else if (!domain) {
        report(s, b->loc, BINDER, "'%s' has %d parameter%s, but %d variable%s %s it",
               type_text(s->arena, t), t->nparams, t->nparams == 1 ? "" : "s", n, n == 1 ? "" : "s",
               n == 1 ? "takes" : "take");
        if (n == 1 && t->nparams == 2)
            report_note(s, NOWHERE,
                        "(%s, j) : f gives both their ranges, %s : f.Domain(0) one of them", name,
                        name);
    }
    for (int i = 0; i < n; i++) {
        const Type *p = domain ? t->params[i] : s->integer;
        if (syms[i]->type && syms[i]->type != p && domain)
            report(s, syms[i]->loc, BOUND_TYPE,
                   "'%s' is declared '%s', but its range is one of '%s'", syms[i]->name,
                   type_text(s->arena, syms[i]->type), type_text(s->arena, p));
        syms[i]->type = p;
        syms[i]->constraint = domain ? b->binder.constraint : NULL;
        syms[i]->constraint_dim = i;
    }
}

static void warn_typo(Sema *s, const Symbol *sym)
{
    const char *near = scope_one_letter(s, sym->name);
    if (!near) return;
    report(s, sym->loc, TYPO, "'%s' is declared nowhere, so it is a bound variable here",
           sym->name);
    report_note(s, NOWHERE, "did you mean '%s'? Otherwise declare the variable: `%s : range`", near,
                sym->name);
}

/* Names before the types of their uses are known: a copy that is peeked at finds them without a
 * type. */
static int declare_names(Sema *s, Ast *owner, Ast **binders, int n, Symbol **syms,
                         const Type *given)
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        Ast *b = binders[i];
        if (b->kind != AST_BINDER) continue;
        const Type *t = b->binder.vtype && b->binder.vtype->kind != AST_TYPE_VAR
                            ? decl_type(s, b->binder.vtype)
                            : NULL;
        bool lambda = owner->kind == AST_LAMBDA;
        if (t && (lambda ? t == s->voids : t->kind != TY_SCALAR && t != s->error)) {
            report(s, b->binder.vtype->loc, BOUND_TYPE,
                   lambda ? "a parameter cannot be '%s'" : "a bound variable is a scalar, not '%s'",
                   type_text(s->arena, t));
            t = s->error;
        }
        for (int j = 0; j < b->binder.names.len; j++) {
            Symbol *sym = bound_symbol(s, owner, b->binder.names.data[j], false);
            const Type *want = given && count < given->nparams ? given->params[count] : NULL;
            sym->type = t ? t : want;
            for (int k = 0; k < count; k++)
                if (syms[k]->name == sym->name)
                    report(s, sym->loc, REDECLARED, "'%s' is bound twice here", sym->name);
            syms[count++] = sym;
        }
    }
    return count;
}

void bound_open(Sema *s, Ast *owner, Ast **binders, int nbinders, Ast **body, bool implicit,
                const Type *given)
{
    scope_push(s);
    int max = 0;
    for (int i = 0; i < nbinders; i++)
        if (binders[i]->kind == AST_BINDER) max += binders[i]->binder.names.len;
    Walk w = {.s = s, .in_index = false};
    Symbol **syms = arena_array(s->arena, Symbol *, max ? max : 1);
    int explicits = declare_names(s, owner, binders, nbinders, syms, given), n = explicits;
    for (int i = 0; i < n; i++) vec_push(&w.hidden, syms[i]->name);
    if (implicit) collect(body, &w);
    if (w.names.len) {
        Symbol **all = arena_array(s->arena, Symbol *, (size_t)n + w.names.len);
        for (int i = 0; i < n; i++) all[i] = syms[i];
        syms = all;
        for (size_t i = 0; i < w.at.len; i++) {
            syms[n++] = bound_symbol(s, owner, w.at.data[i], true);
            warn_typo(s, syms[n - 1]);
        }
    }
    vec_free(&w.names);
    vec_free(&w.hidden);
    vec_free(&w.at);
    if (n > FD_MAX_RANK && !(owner->kind == AST_LAMBDA && owner->lambda.wide)) {
        report(s, owner->loc, BINDER, "more than %d bound variables in one place", FD_MAX_RANK);
        n = FD_MAX_RANK;
        if (explicits > n) explicits = n;
    }

    /* ranges may use the variables before them */
    scope_push(s);
    for (int i = 0; i < n; i++) scope_bind(s, syms[i]);
    for (int i = 0, k = 0; i < nbinders; i++) { /* those with a range get its type */
        if (binders[i]->kind != AST_BINDER) continue;
        if (binders[i]->binder.constraint && k < n) {
            const Type *t = peek_type(s, binders[i]->binder.constraint);
            int names = binders[i]->binder.names.len;
            for (int j = 0; j < names && k + j < n; j++)
                if (!syms[k + j]->type && type_is_functional(t) && t->nparams == names)
                    syms[k + j]->type = t->params[j];
        }
        k += binders[i]->binder.names.len;
    }
    bound_types(s, syms, n, body);
    scope_pop(s);

    s->functional++;
    for (int i = 0, k = 0; i < nbinders; i++) {
        if (binders[i]->kind != AST_BINDER) continue;
        int names = binders[i]->binder.names.len;
        if (k + names > n) break;
        if (binders[i]->binder.constraint) check_constraint(s, binders[i], syms + k);
        for (int j = 0; j < names; j++) {
            binders[i]->binder.names.data[j]->type = syms[k + j]->type;
            scope_bind(s, syms[k + j]);
        }
        k += names;
    }
    for (int i = explicits; i < n; i++) scope_bind(s, syms[i]);
    s->functional--;
    owner->bound = syms;
    owner->nbound = n;
}
