/* Attributes: which there are, where each may stand, what its arguments are. They stay in the tree,
 * their arguments checked; those of a reduction are Ast.attrs of it.
 */
#include <inttypes.h>
#include <string.h>

#include "../derive/host.h"

typedef enum Takes {
    TAKES_COUNTS, /* constants, 1 or more */
    TAKES_STATES, /* the same, or 0 */
    TAKES_LAYOUT, /* one of the names below */
    TAKES_TUNING, /* counts, or names of attributes */
    TAKES_VALUE,  /* the identity of the function */
    TAKES_DEVICE,
    TAKES_EXPORT,
    TAKES_FUNCTION, /* its name */
    TAKES_CASE      /* values for the function's parameters */
} Takes;

#define EVERYWHERE (ATTR_DEFINITION | ATTR_FUNCTION | ATTR_REDUCTION)

static const struct Attribute {
    const char *name;
    unsigned places;
    int min, max;
    Takes takes;
} attributes[] = {
    {"Tile", EVERYWHERE, 1, 3, TAKES_COUNTS},
    {"Block", EVERYWHERE, 1, 3, TAKES_COUNTS},
    {"Unroll", EVERYWHERE, 0, 1, TAKES_COUNTS},
    {"Local", EVERYWHERE, 0, 0, TAKES_COUNTS},
    {"Image", EVERYWHERE, 0, 0, TAKES_COUNTS},
    {"Layout", EVERYWHERE | ATTR_CLASS, 1, 1, TAKES_LAYOUT},
    {"Fast", EVERYWHERE, 0, 0, TAKES_COUNTS},
    {"Precise", EVERYWHERE, 0, 0, TAKES_COUNTS},
    {"Cached", EVERYWHERE, 0, 0, TAKES_COUNTS},
    {"Inline", EVERYWHERE, 0, 0, TAKES_COUNTS},
    {"AutoTune", EVERYWHERE, 0, FD_MAX_RANK, TAKES_TUNING},
    {"Device", EVERYWHERE, 1, 1, TAKES_DEVICE},
    {"Associative", ATTR_FUNCTION, 0, 0, TAKES_COUNTS},
    {"Commutative", ATTR_FUNCTION, 0, 0, TAKES_COUNTS},
    {"Test", ATTR_FUNCTION, 0, MAX_PARAMS, TAKES_CASE},  /* csc test */
    {"Export", ATTR_FUNCTION, 0, 0, TAKES_EXPORT},       /* csc --lib: names/export.c */
    {"Bench", ATTR_FUNCTION, 0, MAX_PARAMS, TAKES_CASE}, /* csc bench */
    {"Derivative", ATTR_FUNCTION, 1, 2, TAKES_FUNCTION},
    {"Checkpoint", ATTR_LOOP, 1, 1, TAKES_STATES}, /* of its derivative: derive/back.c */
    {"Identity", ATTR_FUNCTION, 1, 1, TAKES_VALUE},
};
enum { NATTRIBUTES = sizeof attributes / sizeof *attributes };

static const char *const layouts[] = {"SoA", "AoS", "RowMajor", "ColMajor", "Blocked"};
enum { NLAYOUTS = sizeof layouts / sizeof *layouts };

static const struct Attribute *known(const char *name)
{
    for (size_t i = 0; i < NATTRIBUTES; i++)
        if (!strcmp(attributes[i].name, name)) return &attributes[i];
    return NULL;
}

/* Which become hints of graphs: those that parameters of schedules have, and [AutoTune]. */
bool attr_steers(const Ast *attr)
{
    static const char *const steering[] = {"Tile",     "Block", "Unroll",
                                           "AutoTune", "Fast",  "Precise"};
    bool found = false;
    for (size_t i = 0; i < sizeof steering / sizeof *steering; i++)
        found = found || strcmp(steering[i], attr->attr.name) == 0;
    return found;
}

void attr_hint(Text *out, const Ast *attr)
{
    text_add(out, attr->attr.name);
    for (int i = 0; i < attr->attr.args.len && attr->attr.args.data[i]->is_const; i++)
        text_printf(out, "%s%" PRId64, i ? "," : "=", attr->attr.args.data[i]->value.i);
}

/* What arrays are without it, or what lower.c makes of it. */
static bool lays_out(const Ast *attr, AttrPlace place)
{
    const Ast *arg = attr->attr.args.data[0];
    const char *order = arg->kind == AST_NAME_REF ? arg->name_ref.name : "";
    if (strcmp(attr->attr.name, "Layout") != 0) return false;
    return !strcmp(order, "SoA") || !strcmp(order, "RowMajor") ||
           (!strcmp(order, "ColMajor") && place == ATTR_DEFINITION);
}

bool attr_turns(const AstList *attrs)
{
    const Ast *layout = attr_find(attrs, "Layout");
    return layout && !strcmp(layout->attr.args.data[0]->name_ref.name, "ColMajor");
}

const Ast *attr_find(const AstList *attrs, const char *name)
{
    for (int i = 0; attrs && i < attrs->len; i++) {
        const Ast *a = attrs->data[i];
        if (a->kind == AST_ATTR && !strcmp(a->attr.name, name)) return a;
    }
    return NULL;
}

/* ---- arguments ---------------------------------------------------------------------------- */

static void check_count(Sema *s, const Ast *attr, Ast **arg, int least)
{
    const Type *t = check_value(s, arg, s->integer);
    if (t == s->error) return;
    if (!convert_to(s, arg, s->integer, arena_printf(s->arena, "[%s]", attr->attr.name))) return;
    if (!(*arg)->is_const)
        report(s, (*arg)->loc, NOT_CONSTANT, "the arguments of [%s] are constants",
               attr->attr.name);
    else if ((*arg)->value.i < least)
        report(s, (*arg)->loc, ATTRIBUTE, "the arguments of [%s] are at least %d", attr->attr.name,
               least);
}

/* A name that stands for itself. */
static bool check_word(Sema *s, const Ast *attr, Ast *arg, const char *const *words, size_t n,
                       const char *all)
{
    const char *name = arg->kind == AST_NAME_REF ? arg->name_ref.name : "";
    arg->type = s->voids;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(words[i], name)) return true;
    report(s, arg->loc, ATTRIBUTE, "[%s] takes %s", attr->attr.name, all);
    const char *near = diag_nearest(name, words, n);
    if (near) report_suggest(s, arg->loc, name, near);
    return false;
}

static bool is_constant_value(const Ast *e)
{
    if (e->is_const || e->kind == AST_STRING_LIT) return true;
    if (e->kind == AST_CONVERT) return is_constant_value(e->convert.operand);
    if (e->kind != AST_NEW) return false;
    for (int i = 0; i < e->new_.args.len; i++)
        if (!is_constant_value(e->new_.args.data[i])) return false;
    return true;
}

static void check_identity(Sema *s, Ast *attr, Symbol *func)
{
    Ast **arg = &attr->attr.args.data[0];
    if (check_value(s, arg, func->type->result) == s->error) return;
    if (!convert_to(s, arg, func->type->result, "the identity")) return;
    if (!is_constant_value(*arg))
        report(s, (*arg)->loc, NOT_CONSTANT, "the identity of '%s' is a constant", func->name);
    func->identity = *arg;
}

/* "[Test(a, b)] gives the parameters of 'f' constants: 1 to 2 arguments, not 3" */
static void report_count(Sema *s, const Ast *attr, const Symbol *func, int least, bool any)
{
    const AstList *params = &func->decl->func.params;
    Text t = {0};
    for (int i = 0; i < params->len; i++)
        text_printf(&t, "%s%s", i ? ", " : "", params->data[i]->param.name);
    text_printf(&t, ")] gives the parameters of '%s' constants: ", func->name);
    if (params->len > least || any)
        text_printf(&t, any ? "%d or more" : "%d to %d", least, params->len);
    else
        text_printf(&t, "%d", least);
    report(s, attr->loc, ATTRIBUTE, "[%s(%s argument%s, not %d", attr->attr.name, t.data,
           params->len == 1 && least == 1 && !any ? "" : "s", attr->attr.args.len);
    text_free(&t);
}

/* As a call with these arguments, which are constants. */
static void check_case(Sema *s, const Ast *attr, const Symbol *func)
{
    const Type *t = func->type;
    int n = attr->attr.args.len, least = required_arguments(func);
    bool any = takes_rest(func);
    if (n < least || (n > t->nparams && !any)) {
        report_count(s, attr, func, least, any);
        return;
    }
    for (int i = 0; i < n; i++) {
        bool rest = any && i >= t->nparams - 1;
        const Type *param = t->params[rest ? t->nparams - 1 : i];
        Ast *arg = attr->attr.args.data[i];
        if (check_converted(s, &arg, rest ? param->result : param, NULL) == s->error) continue;
        AstBytes text;
        if (!is_constant_value(arg) && arg->kind != AST_NULL_LIT && !constant_text(s, arg, &text))
            report(s, arg->loc, NOT_CONSTANT, "the arguments of [%s] are constants",
                   attr->attr.name);
    }
}

void attr_values(Sema *s)
{
    for (size_t i = 0; i < s->attr_values.len; i++) { /* (one may add others: generic ones) */
        AttrOf of = s->attr_values.data[i];
        Context saved = context_enter(s, of.func);
        if (known(of.attr->attr.name)->takes == TAKES_CASE)
            check_case(s, of.attr, of.func);
        else if (known(of.attr->attr.name)->takes == TAKES_FUNCTION)
            given_check(s, of.func);
        else
            check_identity(s, of.attr, of.func);
        context_leave(s, &saved);
    }
    s->attr_values.len = 0;
}

static void check_args(Sema *s, Ast *attr, const struct Attribute *a, Symbol *func)
{
    AstList args = attr->attr.args;
    const char *names[NATTRIBUTES];
    for (size_t i = 0; i < NATTRIBUTES; i++) names[i] = attributes[i].name;
    for (int i = 0; i < args.len; i++) {
        Ast **arg = &args.data[i];
        switch (a->takes) {
        case TAKES_COUNTS:
        case TAKES_STATES: check_count(s, attr, arg, a->takes == TAKES_COUNTS); break;
        case TAKES_LAYOUT:
            check_word(s, attr, *arg, layouts, NLAYOUTS, "SoA, AoS, RowMajor, ColMajor or Blocked");
            break;
        case TAKES_TUNING:
            if ((*arg)->kind == AST_NAME_REF)
                check_word(s, attr, *arg, names, NATTRIBUTES, "numbers and names of attributes");
            else
                check_count(s, attr, arg, 1);
            break;
        case TAKES_VALUE: /* later: it may be of a class that is being declared */
            if (func && is_combiner(func)) vec_push(&s->attr_values, ((AttrOf){attr, func}));
            break;
        case TAKES_DEVICE: break; /* a call of the library has it (device.c) */
        case TAKES_EXPORT:
        case TAKES_FUNCTION:
        case TAKES_CASE: break;
        }
    }
}

/* A function that csc test can call. */
static bool is_test(const Symbol *f)
{
    bool fits = !f->cls || (f->mods & AST_MOD_PUBLIC && f->mods & AST_MOD_STATIC);
    fits = fits && f->decl->kind == AST_FUNC && f->decl->func.tparams.len == 0;
    for (int i = 0; fits && i < f->decl->func.params.len; i++) {
        AstOp mode = f->decl->func.params.data[i]->param.mode;
        fits = mode == AST_OP_NONE || mode == AST_OP_BY_VALUE;
    }
    return fits;
}

/* ---- a list of attributes ------------------------------------------------------------------- */

static const char *place_name(AttrPlace place)
{
    switch (place) {
    case ATTR_DEFINITION: return "a definition";
    case ATTR_FUNCTION: return "a function";
    case ATTR_REDUCTION: return "a reduction";
    case ATTR_CLASS: return "a class";
    case ATTR_LOOP: return "a loop";
    }
    return "";
}

static void check_one(Sema *s, const AstList *attrs, int at, AttrPlace place, Symbol *func)
{
    Ast *attr = attrs->data[at];
    const char *name = attr->attr.name;
    const struct Attribute *a = known(name);
    if (!a) {
        const char *names[NATTRIBUTES];
        for (size_t i = 0; i < NATTRIBUTES; i++) names[i] = attributes[i].name;
        const char *near = diag_nearest(name, names, NATTRIBUTES);
        report(s, attr->loc, UNKNOWN_ATTRIBUTE, "there is no attribute '%s'%s", name,
               near ? "" : ": leave it out");
        if (near) report_suggest(s, attr->loc, name, near);
        return;
    }
    int n = attr->attr.args.len;
    const Ast *first = attr_find(attrs, name), *fast = attr_find(attrs, "Fast");
    if (!(a->places & (unsigned)place)) {
        report(s, attr->loc, ATTRIBUTE, "[%s] cannot stand before %s", name, place_name(place));
    } else if (n < a->min || n > a->max) {
        const char *count = a->min == a->max ? arena_printf(s->arena, "%d", a->max)
                                             : arena_printf(s->arena, "%d to %d", a->min, a->max);
        report(s, attr->loc, ATTRIBUTE, "[%s] takes %s argument%s, not %d", name,
               a->max ? count : "no", a->max == 1 && a->min == 1 ? "" : "s", n);
    } else if (first != attr && a->takes != TAKES_CASE) {
        report(s, attr->loc, ATTRIBUTE, "[%s] stands here twice", name);
    } else if (!strcmp(name, "Precise") && fast) {
        report(s, attr->loc, ATTRIBUTE, "[Fast] and [Precise] exclude each other");
    } else if (a->takes == TAKES_CASE && func && !is_test(func)) {
        report(s, attr->loc, ATTRIBUTE,
               "[%s] is for functions that can be called by name alone: of the file, or public "
               "static, with parameters by value",
               name);
    } else if (a->takes == TAKES_CASE && func) { /* later: values may be of an enum below */
        vec_push(&s->attr_values, ((AttrOf){attr, func}));
    } else if (a->takes == TAKES_FUNCTION && func) { /* later: it may stand below */
        vec_push(&s->attr_values, ((AttrOf){attr, func}));
    } else if (a->takes == TAKES_EXPORT) {
        const char *why = func ? export_why_not(s, func) : NULL;
        if (why)
            report(s, attr->loc, ATTRIBUTE, "'%s' cannot be called from C: %s", func->name, why);
    } else if (a->places == ATTR_FUNCTION && func && !is_combiner(func)) {
        report(s, attr->loc, ATTRIBUTE, "[%s] is for functions that can reduce: T %s(T, T)", name,
               func->name);
    } else {
        int errors = diags_errors(s->diags);
        check_args(s, attr, a, func);
        if (attr_steers(attr))
            vec_push(&s->steering, attr); /* whether it does is known when kernels are made */
        else if (a->places != ATTR_FUNCTION && a->places != ATTR_LOOP &&
                 diags_errors(s->diags) == errors &&
                 !(a->takes == TAKES_LAYOUT && lays_out(attr, place)))
            report(s, attr->loc, NO_EFFECT, "[%s] has no effect yet; leave it out", name);
        if (func && !strcmp(name, "Associative")) func->associative = true;
        if (func && !strcmp(name, "Commutative")) func->commutative = true;
    }
}

void check_attrs(Sema *s, const AstList *attrs, AttrPlace place, Symbol *func)
{
    for (int i = 0; i < attrs->len; i++)
        if (attrs->data[i]->kind == AST_ATTR) check_one(s, attrs, i, place, func);
}

/* The reduction that stands right behind the attributes: `[Unroll] sum(a) / n`. NULL if none does.
 */
static Ast *first_reduction(Ast *n)
{
    while (n && n->kind != AST_REDUCE && n->res != AST_RES_REDUCE) {
        switch (n->kind) {
        case AST_BINARY: n = n->binary.left; break;
        case AST_COND: n = n->cond.cond; break;
        case AST_CONVERT: n = n->convert.operand; break;
        case AST_MEMBER: n = n->member.base; break;
        case AST_INDEX: n = n->index.base; break;
        case AST_CALL: n = n->call.callee; break;
        default: n = NULL; break;
        }
    }
    return n;
}

void check_attributed(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    if (device_reduction(s, slot)) return;
    AstList *attrs = arena_copy(s->arena, &n->attributed.attrs, sizeof(AstList));
    check_attrs(s, attrs, ATTR_REDUCTION, NULL);
    *slot = n->attributed.operand;
    check_expr(s, slot, NULL);
    Ast *reduction = first_reduction(*slot);
    if (reduction)
        reduction->attrs = attrs;
    else if ((*slot)->type != s->error)
        report(s, n->loc, ATTRIBUTE,
               "attributes stand before definitions, functions and reductions, not other values");
}
