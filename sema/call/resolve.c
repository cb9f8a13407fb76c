/* Overload resolution in the order of the language's section 3: C#'s rules, then promotion (an
 * argument is a function whose result fits the parameter). Reduction, the third, is reduce.c's.
 */
#include <string.h>

#include "../check/check.h"

/* ---- candidates ------------------------------------------------------------------------- */

static const Type *letter_type(Sema *s, char letter, LibSpace space)
{
    static const struct {
        char letter;
        ScalarKind kind;
    } scalars[] = {{'b', SC_BOOL},  {'c', SC_CHAR},   {'a', SC_SBYTE}, {'y', SC_BYTE},
                   {'w', SC_SHORT}, {'W', SC_USHORT}, {'i', SC_INT},   {'u', SC_UINT},
                   {'l', SC_LONG},  {'U', SC_ULONG},  {'h', SC_HALF},  {'f', SC_FLOAT},
                   {'d', SC_DOUBLE}};
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (scalars[i].letter == letter) return type_scalar(s->types, scalars[i].kind);
    switch (letter) {
    case 'v': return s->voids;
    case 's':
    case 'z': return s->string;
    case 'G': return class_library(s, "object");
    case 'S': return type_array(s->types, s->string, 1);
    case 'C': return type_array(s->types, type_scalar(s->types, SC_CHAR), 1);
    case 'B': return type_array(s->types, type_scalar(s->types, SC_BYTE), 1);
    case 'I': return type_array(s->types, s->integer, 1);
    case 'E': return type_object(s->types, s->spaces[SPACE_TextWriter], NULL);
    case '&': return space < (int)SC_COUNT ? type_scalar(s->types, (ScalarKind)space) : NULL;
    case 'O': return type_object(s->types, s->spaces[space], NULL);
    case 'R': return type_func(s->types, type_scalar(s->types, SC_FLOAT), 1, &s->longs);
    case 'L': return type_func(s->types, s->longs, 1, &s->longs);
    case 'D': return type_func(s->types, s->integer, 1, &s->integer);
    default: return NULL; /* A T F * */
    }
}

Candidates candidates_of_library(Sema *s, int row, bool instance)
{
    LibSpace space = builtins[row].space;
    const char *name = s->library[builtins[row].name];
    Candidates set = {.name = name};
    int rows = 0;
    for (int i = builtin_find(s, space, name, 0); i >= 0; i = builtin_find(s, space, name, i + 1))
        rows++;
    set.data = arena_array(s->arena, Candidate, rows ? rows : 1);
    for (int i = builtin_find(s, space, name, 0); i >= 0; i = builtin_find(s, space, name, i + 1)) {
        const char *sig = builtins[i].signature;
        sig += sig[0] == '=';
        if (instance && !sig[1]) continue;
        Candidate *c = &set.data[set.len++];
        *c = (Candidate){.sym = builtin_symbol(s, i), .result_letter = sig[0]};
        c->result = letter_type(s, sig[0], builtins[i].space);
        for (sig += instance ? 2 : 1; *sig && *sig != '.'; sig++) {
            c->letters[c->nparams] = *sig;
            c->params[c->nparams++] = letter_type(s, *sig, builtins[i].space);
        }
    }
    return set;
}

void candidates_add(Candidates *set, Symbol *f)
{
    int n = f->generic ? f->decl->func.params.len : f->type ? f->type->nparams : 0;
    if (n > MAX_PARAMS || (!f->generic && (!f->type || f->type->kind != TY_FUNC))) return;
    Candidate *c = &set->data[set->len++];
    *c = (Candidate){.sym = f, .nparams = n};
    if (f->generic) return; /* its types are those of an instance */
    c->result = f->type->result;
    for (int i = 0; i < n; i++) c->params[i] = f->type->params[i];
}

Candidates candidates_of_user(Sema *s, Symbol *first)
{
    Candidates set = {.name = first->name};
    int n = 0;
    for (const Symbol *f = first; f; f = f->next) n++;
    set.data = arena_array(s->arena, Candidate, n);
    for (Symbol *f = first; f; f = f->next) candidates_add(&set, f);
    return set;
}

static AstOp param_mode(const Candidate *c, int i)
{
    if (c->letters[i] == '&') return AST_OP_OUT;
    if (c->sym->kind != SYM_FUNC || !c->sym->decl) return AST_OP_BY_VALUE;
    if (i >= c->sym->decl->func.params.len) return AST_OP_BY_VALUE; /* params */
    return decl_mode(c->sym->decl->func.params.data[i]);
}

static AstOp arg_mode(const Ast *a)
{
    bool marked = a->kind == AST_UNARY && (a->unary.op == AST_OP_REF || a->unary.op == AST_OP_OUT);
    return marked ? a->unary.op : AST_OP_BY_VALUE;
}

/* ---- which fit -------------------------------------------------------------------------- */

static Conv fit_direct(Sema *s, const Candidate *c, int i, const Ast *a)
{
    AstOp mode = param_mode(c, i);
    if (a->type == s->error) return CONV_SAME;
    if (mode != arg_mode(a)) return CONV_NONE;
    if (mode != AST_OP_BY_VALUE) return a->type == c->params[i] ? CONV_SAME : CONV_NONE;
    if (c->letters[i] == '*')
        return a->type == s->string ? CONV_SAME : is_printable(a->type) ? CONV_WIDEN : CONV_NONE;
    if (c->letters[i] == 'F') return type_is_functional(a->type) ? CONV_SAME : CONV_NONE;
    return convert_class(s, a, c->params[i]);
}

static Conv fit_promoted(Sema *s, const Candidate *c, int i, const Ast *a)
{
    Conv direct = fit_direct(s, c, i, a);
    if (direct != CONV_NONE || !type_is_functional(a->type)) return direct;
    if (!c->params[i] || type_is_functional(c->params[i]) || param_mode(c, i) != AST_OP_BY_VALUE)
        return CONV_NONE;
    return convert_result_class(s, a, c->params[i]);
}

static Conv fit_arg(Sema *s, const Candidate *c, Fit fit, int i, const Ast *a)
{
    return fit == FIT_DIRECT ? fit_direct(s, c, i, a) : fit_promoted(s, c, i, a);
}

static bool applicable(Sema *s, const Candidate *c, Fit fit, AstList args)
{
    if (c->nparams != args.len || (c->form == FORM_REST && fit != FIT_DIRECT)) return false;
    bool some = fit == FIT_DIRECT;
    for (int i = 0; i < args.len; i++) {
        if (fit_arg(s, c, fit, i, args.data[i]) == CONV_NONE) return false;
        some = some || type_is_functional(args.data[i]->type);
    }
    bool gives = c->sym->is_ctor || (c->result && c->result->kind != TY_VOID);
    return some && (fit == FIT_DIRECT || gives);
}

/* Which of two parameter types suits the argument better: 1 the first, -1 the second, 0 neither. */
static int better_type(const Ast *a, const Type *p, const Type *q, bool library, bool real_arg)
{
    const Type *from = result_of(a->type);
    p = result_of(p);
    q = result_of(q);
    if (p != q && class_of(p) && class_of(q)) /* the more derived class */
        return class_is(class_of(p), class_of(q)) - class_is(class_of(q), class_of(p));
    if (p == q || p->kind != TY_SCALAR || q->kind != TY_SCALAR) return 0;
    if (from == p) return 1;
    if (from == q) return -1;
    bool reals = scalar_is_real(p->scalar) && scalar_is_real(q->scalar);
    bool integer = from->kind == TY_SCALAR && !scalar_is_real(from->scalar);
    if (library && reals && integer) /* the other arguments decide; else double */
        return real_arg ? 0 : p->scalar == SC_DOUBLE ? 1 : q->scalar == SC_DOUBLE ? -1 : 0;
    bool pq = scalar_widens(p->scalar, q->scalar), qp = scalar_widens(q->scalar, p->scalar);
    if (literal_adapts(a)) return p->scalar == SC_FLOAT ? 1 : q->scalar == SC_FLOAT ? -1 : 0;
    if (pq != qp) return pq ? 1 : -1;
    return scalar_is_signed(p->scalar) - scalar_is_signed(q->scalar);
}

/* Overloads see unsuffixed real literals as double: this one fits only if some are float or half.
 */
static bool narrows_literal(Sema *s, const Candidate *c, Fit fit, AstList args)
{
    for (int i = 0; i < args.len; i++)
        if (fit_arg(s, c, fit, i, args.data[i]) == CONV_LITERAL) return true;
    return false;
}

static bool better(Sema *s, const Candidate *c, const Candidate *d, Fit fit, AstList args)
{
    if (c->nearness != d->nearness) return c->nearness > d->nearness;
    bool narrow = narrows_literal(s, c, fit, args);
    if (narrow != narrows_literal(s, d, fit, args)) return !narrow;
    bool library = c->sym->kind == SYM_BUILTIN, real_arg = false, typed = false;
    bool some = false, less = false;
    for (int i = 0; i < args.len; i++) {
        const Type *t = result_of(args.data[i]->type);
        typed = typed || !args.data[i]->is_const;
        real_arg = real_arg || (t->kind == TY_SCALAR && scalar_is_real(t->scalar));
    }
    for (int i = 0; i < args.len; i++) {
        const Ast *a = args.data[i];
        Conv x = fit_arg(s, c, fit, i, a), y = fit_arg(s, d, fit, i, a);
        int order = 0;
        /* Math.Max(b, 1): what a constant fits is for the others to say */
        if (library && typed && a->is_const && a->type == s->integer) continue;
        bool same = x == CONV_SAME || y == CONV_SAME, user = x == CONV_USER || y == CONV_USER;
        bool any = c->letters[i] == 'F', other = d->letters[i] == 'F';
        if (x == y && any != other) /* what says the type, of two that take it as it is */
            order = other ? 1 : -1;
        else if (x != y && (same || user || type_is_functional(a->type)))
            order = x > y ? 1 : -1;
        else if (c->params[i] && d->params[i])
            order = better_type(a, c->params[i], d->params[i], library, real_arg);
        less = less || order < 0;
        some = some || order > 0;
    }
    if (some == less && c->form == d->form && generic_says_more(c->sym, d->sym)) return true;
    if (less) return false;
    if (some || c->form != d->form) return some || c->form < d->form;
    return !c->sym->instance && d->sym->instance; /* what is written is meant */
}

/* ---- reports ---------------------------------------------------------------------------- */

static const char *argument_types(Sema *s, AstList args)
{
    const char *text = "";
    for (int i = 0; i < args.len; i++)
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "",
                            type_text(s->arena, args.data[i]->type));
    return text;
}

static const char *signature(Sema *s, const Symbol *f)
{
    const char *text =
        arena_printf(s->arena, "%s %s(", type_text(s->arena, f->type->result), f->name);
    for (int i = 0; i < f->type->nparams - local_captured(f); i++)
        text = arena_printf(s->arena, "%s%s%s", text, i ? ", " : "",
                            type_text(s->arena, f->type->params[i]));
    return arena_printf(s->arena, "%s)", text);
}

static void note_candidates(Sema *s, Candidates set)
{
    for (int i = 0; i < set.len && i < 4; i++) {
        const Symbol *f = set.data[i].sym;
        if (f->kind == SYM_FUNC) report_note(s, f->loc, "candidate: %s", signature(s, f));
    }
}

static void report_mode(Sema *s, const Candidate *c, int i, int number, const Ast *a)
{
    AstOp want = param_mode(c, i);
    const char *word = want == AST_OP_REF ? "ref" : "out";
    if (want == AST_OP_BY_VALUE)
        report(s, a->loc, ARGUMENT_MODE, "argument %d of '%s' is passed by value, without '%s'",
               number, c->sym->name, arg_mode(a) == AST_OP_REF ? "ref" : "out");
    else if (arg_mode(a) != want)
        report(s, a->loc, ARGUMENT_MODE, "argument %d of '%s' must be passed with '%s'", number,
               c->sym->name, word);
    else
        report(s, a->loc, ARGUMENT_MODE,
               "argument %d of '%s' must be a variable of type '%s', not '%s'", number,
               c->sym->name, type_text(s->arena, c->params[i]), type_text(s->arena, a->type));
}

/* One overload has the right number of parameters: says which argument does not fit. */
static void report_argument(Sema *s, const Candidate *c, int receivers, AstList args)
{
    for (int i = 0; i < args.len; i++) {
        Ast **a = &args.data[i];
        if (fit_promoted(s, c, i, *a) != CONV_NONE) continue;
        int number = i + 1 - receivers;
        const char *what = arena_printf(s->arena, "argument %d of '%s'", number, c->sym->name);
        if (param_mode(c, i) != AST_OP_BY_VALUE || arg_mode(*a) != AST_OP_BY_VALUE)
            report_mode(s, c, i, number, *a);
        else if (c->letters[i] == 'F')
            report(s, (*a)->loc, CONVERSION, "%s: a function or array is wanted, not '%s'", what,
                   type_text(s->arena, (*a)->type));
        else if (c->letters[i] == '*')
            convert_string(s, a);
        else if (type_is_functional((*a)->type) && !type_is_functional(c->params[i]))
            convert_result(s, a, c->params[i], what);
        else
            convert_to(s, a, c->params[i], what);
        return;
    }
    report(s, args.data[0]->loc, NO_OVERLOAD, "'%s' cannot be promoted over these arguments",
           c->sym->name);
}

static void report_none(Sema *s, Ast *call, Candidates set, AstList args)
{
    const Candidate *only = NULL;
    int matching = 0, fewest = -1, most = 0;
    bool rest = false;
    int hidden = set.len == 1 ? local_captured(set.data[0].sym) : 0;
    hidden += set.receivers;
    for (int i = 0; i < set.len; i++) {
        const Candidate *c = &set.data[i];
        if (c->nparams == args.len) only = c, matching++;
        int needed = c->sym->kind == SYM_FUNC ? required_arguments(c->sym) : c->nparams;
        rest = rest || (c->sym->kind == SYM_FUNC && takes_rest(c->sym));
        if (fewest < 0 || needed < fewest) fewest = needed;
        if (c->nparams > most) most = c->nparams;
    }
    if (matching == 1 && args.len) {
        report_argument(s, only, set.receivers, args);
        if (only->sym->kind == SYM_FUNC && !(only->sym->cls && only->sym->cls->tuple))
            report_note(s, only->sym->loc, "'%s' is declared here", set.name);
    } else if (matching) {
        report(s, call->loc, NO_OVERLOAD, "no overload of '%s' takes (%s)", set.name,
               argument_types(s, args));
        note_candidates(s, set);
    } else {
        most -= hidden;
        fewest -= hidden;
        const char *range = rest             ? arena_printf(s->arena, "%d or more", fewest)
                            : most == fewest ? arena_printf(s->arena, "%d", most)
                                             : arena_printf(s->arena, "%d to %d", fewest, most);
        report(s, call->loc, ARGUMENT_COUNT, "'%s' takes %s argument%s, not %d", set.name, range,
               most == 1 && fewest == 1 ? "" : "s", args.len - hidden);
        note_candidates(s, set);
    }
}

/* ---- the choice ------------------------------------------------------------------------- */

static const Candidate *best(Sema *s, Candidates set, AstList args, Fit fit, bool *ambiguous)
{
    const Candidate *found = NULL;
    for (int i = 0; i < set.len; i++) {
        const Candidate *c = &set.data[i];
        if (!applicable(s, c, fit, args)) continue;
        bool beaten = false;
        for (int j = 0; j < set.len && !beaten; j++)
            beaten = j != i && applicable(s, &set.data[j], fit, args) &&
                     better(s, &set.data[j], c, fit, args);
        if (beaten) continue;
        if (found)
            *ambiguous = true;
        else
            found = c;
    }
    return found;
}

/* An object that no overload takes, of a class that derives from a functional type, is that
 * function. */
static void functions_of_objects(Sema *s, Candidates set, AstList args)
{
    for (int i = 0; i < args.len; i++) {
        bool taken = args.data[i]->type == s->error;
        for (int k = 0; k < set.len && !taken; k++)
            taken = set.data[k].nparams == args.len &&
                    fit_direct(s, &set.data[k], i, args.data[i]) != CONV_NONE;
        if (!taken) object_function(s, &args.data[i]);
    }
}

const Candidate *resolve(Sema *s, Ast *call, Candidates set, AstList args, Fit *fit)
{
    bool broken = false;
    for (int i = 0; i < args.len; i++) broken = broken || args.data[i]->type == s->error;
    const Fit order[] = {FIT_DIRECT, FIT_PROMOTED};
    for (int i = 0; i < 2; i++) {
        bool ambiguous = false;
        if (order[i] == FIT_PROMOTED) functions_of_objects(s, set, args);
        const Candidate *c = best(s, set, args, order[i], &ambiguous);
        *fit = order[i];
        if (c && !ambiguous) return c;
        if (broken && (c || i)) return NULL;
        if (!c) continue;
        report(s, call->loc, AMBIGUOUS, "'%s' with (%s) is ambiguous", set.name,
               argument_types(s, args));
        note_candidates(s, set);
        return NULL;
    }
    if (!broken && s->quiet)
        s->quiet_errors++; /* who asks may go on with the arguments as they are */
    else if (!broken)
        report_none(s, call, set, args);
    return NULL;
}

/* Collections of the library call what they are given for one element after the other: the host's own
 * code does that in a tenth of the time that a graph takes. Elsewhere a function may be for a kernel. */
static bool calls_for_elements(const Sema *s, const Symbol *f)
{
    if (s->functional || f->kind != SYM_FUNC || !f->library) return false;
    return f->self ? f->self->type->kind == TY_OBJECT : extension_is(f->decl);
}

static void host_argument(Sema *s, Ast **slot)
{
    const Ast *n = *slot;
    if (n->type->kind != TY_FUNC) return;
    if (n->kind == AST_LAMBDA) closure_lambda(s, slot);
    if (n->kind == AST_NAME_REF && n->sym->kind == SYM_FUNC) closure_function(s, slot);
}

void resolve_apply(Sema *s, const Candidate *c, Fit fit, AstList args, Loc loc)
{
    for (int i = 0; i < args.len; i++) {
        const char *what = arena_printf(s->arena, "argument %d of '%s'", i + 1, c->sym->name);
        if (args.data[i]->type == s->error || c->letters[i] == 'F') continue;
        if (param_mode(c, i) != AST_OP_BY_VALUE) continue;
        if (c->letters[i] == '*')
            convert_string(s, &args.data[i]);
        else if (fit == FIT_PROMOTED && !type_is_functional(c->params[i]))
            convert_result(s, &args.data[i], c->params[i], what);
        else
            convert_to(s, &args.data[i], c->params[i], what);
        if (fit == FIT_DIRECT && calls_for_elements(s, c->sym)) host_argument(s, &args.data[i]);
    }
    if (c->sym->kind != SYM_FUNC) return;
    if (!c->sym->self) pure_call(s, c->sym, loc); /* methods: pure_method, by who calls */
    if (fit == FIT_PROMOTED) pure_need(s, c->sym, loc, "is promoted over a function");
}
