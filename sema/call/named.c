/* Arguments by name, f(b: 2, a: 1): put where their parameters are, before overloads are compared.
 * Named ones come last, so that `max(i : a, b(i))` binds a variable and f(1, b: 2) does not; before others
 * only a name that stands where its parameter does. They are evaluated in the order in which they are
 * written.
 */
#include "../check/check.h"

static bool is_named(const Ast *a)
{
    return a->kind == AST_BINDER && !a->binder.vtype && a->binder.constraint &&
           a->binder.names.len == 1 && a->binder.names.data[0]->kind == AST_NAME_REF;
}

bool names_arguments(const AstList *args)
{
    return args->len > 0 && is_named(args->data[args->len - 1]);
}

static const char *name_at(const AstList *args, int i)
{
    return args->data[i]->binder.names.data[0]->name_ref.name;
}

/* Which argument each parameter gets; -1: none. */
typedef struct Placed {
    int from[MAX_PARAMS];
    int len; /* up to the last one that gets one */
} Placed;

typedef enum Misfit { FITS, NO_NAME, TWICE, MISSING, NO_PARAMETERS } Misfit;

static int find_param(const AstList *params, const char *name)
{
    for (int i = 0; i < params->len; i++) {
        const Ast *p = params->data[i];
        if (p->kind == AST_PARAM && p->param.name == name) return i;
    }
    return -1;
}

static Misfit place(const Symbol *f, const AstList *args, int first, Placed *out, int *at)
{
    if (f->kind != SYM_FUNC || !f->decl || f->decl->kind != AST_FUNC) return NO_PARAMETERS;
    const AstList *params = &f->decl->func.params;
    if (params->len > MAX_PARAMS) return NO_PARAMETERS;
    out->len = first;
    for (int i = 0; i < MAX_PARAMS; i++) out->from[i] = i < first ? i : -1;
    for (int i = first; i < args->len; i++) {
        int k = find_param(params, name_at(args, i));
        *at = i;
        if (k < 0) return NO_NAME;
        if (out->from[k] >= 0) return TWICE;
        out->from[k] = i;
        if (out->len <= k) out->len = k + 1;
    }
    int needed = required_arguments(f);
    for (int k = 0; k < out->len || k < needed; k++) {
        *at = k;
        if (k < params->len && out->from[k] >= 0) continue;
        if (k >= params->len || !params->data[k]->param.init) return MISSING;
    }
    return FITS;
}

/* Why none of the overloads fits: of the one that came furthest. */
static void report_misfit(Sema *s, const AstList *args, int first, const Candidates *set)
{
    const Symbol *f = NULL;
    Misfit why = NO_PARAMETERS;
    int at = first;
    for (int i = 0; i < set->len; i++) {
        Placed placed;
        int here = first;
        Misfit m = place(set->data[i].sym, args, first, &placed, &here);
        if (f && (m == NO_PARAMETERS || (why != NO_PARAMETERS && here <= at))) continue;
        f = set->data[i].sym;
        why = m;
        at = here;
    }
    Loc loc = why == MISSING ? args->data[args->len - 1]->loc : args->data[at]->loc;
    const char *name = why == NO_NAME || why == TWICE ? name_at(args, at) : "";
    switch (why) {
    case NO_NAME: report(s, loc, NAMED, "'%s' has no parameter '%s'", set->name, name); break;
    case TWICE: report(s, loc, NAMED, "'%s' is given twice", name); break;
    case MISSING:
        report(s, loc, NAMED, "the parameter '%s' of '%s' is given nowhere",
               at < f->decl->func.params.len ? f->decl->func.params.data[at]->param.name : "?",
               set->name);
        break;
    default:
        report(s, loc, NAMED,
               "the parameters of '%s' have no names: arguments are written in their order",
               set->name);
    }
    if (f && f->kind == SYM_FUNC && f->decl)
        report_note(s, f->loc, "'%s' is declared here", set->name);
}

static bool same_places(const Placed *a, const Placed *b)
{
    if (a->len != b->len) return false;
    for (int i = 0; i < a->len; i++)
        if (a->from[i] != b->from[i]) return false;
    return true;
}

/* The places as they are written, in the order of evaluation; NULL if that is theirs. */
static const unsigned char *written_order(Sema *s, const Placed *p, int nargs)
{
    unsigned char *order = arena_array(s->arena, unsigned char, nargs + 1);
    bool moved = false;
    for (int k = 0; k < p->len; k++)
        if (p->from[k] >= 0) order[p->from[k]] = (unsigned char)k;
    for (int i = 1; i < nargs; i++) moved = moved || order[i] < order[i - 1];
    order[nargs] = AST_ORDER_END;
    return moved ? order : NULL;
}

/* Keeps the overloads with these places only. */
static bool choose(const AstList *args, int first, Candidates *set, Placed *places, bool *differ)
{
    Candidates kept = *set;
    kept.len = 0;
    for (int i = 0; i < set->len; i++) {
        Placed here;
        int at = 0;
        if (place(set->data[i].sym, args, first, &here, &at) != FITS) continue;
        if (kept.len && !same_places(places, &here)) {
            *differ = true;
            continue;
        }
        *places = here;
        if (kept.len != i) set->data[kept.len] = set->data[i];
        kept.len++;
    }
    if (kept.len) *set = kept;
    return kept.len > 0;
}

static bool has_param_at(const Symbol *f, int i, const char *name)
{
    bool known = f->kind == SYM_FUNC && f->decl && f->decl->kind == AST_FUNC;
    return known && find_param(&f->decl->func.params, name) == i;
}

/* f(a: 1, 2): a name before an argument without one is left out where some overload has that parameter
 * there. Overloads that have not are no candidates any more. */
static void leave_out_names(Sema *s, Ast *call, AstList *args, Candidates *set)
{
    int last = args->len;
    while (last > 0 && is_named(args->data[last - 1])) last--;
    for (int i = 0; i < last; i++) {
        Ast *a = args->data[i];
        int kept = 0;
        if (!is_named(a)) continue;
        for (int k = 0; k < set->len; k++)
            kept += has_param_at(set->data[k].sym, i, name_at(args, i));
        if (!kept) continue;
        int n = set->len;
        set->len = 0;
        for (int k = 0; k < n; k++)
            if (has_param_at(set->data[k].sym, i, name_at(args, i)))
                set->data[set->len++] = set->data[k];
        vec_push(&s->named, ((SemaNamed){call, a->binder.names.data[0]->loc, i}));
        args->data[i] = a->binder.constraint;
    }
}

bool named_arguments(Sema *s, Ast *call, AstList *args, Candidates *set)
{
    Placed places = {0};
    bool differ = false;
    leave_out_names(s, call, args, set);
    int first = args->len;
    if (!names_arguments(args) || !set->len) return true;
    while (first > 0 && is_named(args->data[first - 1])) first--;
    bool fits = first <= MAX_PARAMS && choose(args, first, set, &places, &differ);
    if (fits && !differ) {
        AstList all = {0};
        call->order = written_order(s, &places, args->len);
        for (int k = 0; k < places.len; k++) {
            int i = places.from[k];
            Ast *value = i < 0        ? default_argument(s, set->data[0].sym, k, call->loc)
                         : i >= first ? args->data[i]->binder.constraint
                                      : args->data[i];
            all = ast_list_add(s->arena, all, value);
            if (i < first) continue;
            vec_push(&s->named, ((SemaNamed){call, args->data[i]->binder.names.data[0]->loc, k}));
        }
        *args = all;
        return true;
    }
    if (fits)
        report(s, call->loc, AMBIGUOUS,
               "overloads of '%s' have these names in different orders: write the arguments in "
               "their order",
               set->name);
    else
        report_misfit(s, args, first, set);
    int errors = s->quiet_errors;
    s->quiet++;
    for (int i = 0; i < args->len; i++) {
        Ast **value = i >= first ? &args->data[i]->binder.constraint : &args->data[i];
        check_expr(s, value, NULL);
        args->data[i]->type = s->error;
    }
    s->quiet--;
    s->quiet_errors = errors;
    set->len = 0;
    return false;
}
