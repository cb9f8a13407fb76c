/* Reductions: by operators, functions of the library and of users. */
#include "../check/check.h"

static bool reduces(FdOp op)
{
    return op != FD_OP_NONE && fd_op_reduces(op);
}

/* sum and prod of byte, short and char are int, the sum of bools counts; min and max keep the type;
 * any and all take bool. */
static const Type *reduce_type(Sema *s, FdOp op, const Type *t)
{
    if (!t || t->kind != TY_SCALAR) return NULL;
    if (op == FD_OP_ADD && t == s->boolean) return s->integer;
    if (op == FD_OP_LAND || op == FD_OP_LOR) return t == s->boolean ? t : NULL;
    if (!type_is_numeric(t)) return NULL;
    return op == FD_OP_MIN || op == FD_OP_MAX ? t : common_numeric(s, t, t);
}

/* The library's reduction that a callee names, or -1: a row of builtins.def. */
static int library_reduction(Sema *s, const Ast *callee, bool alone)
{
    LibSpace space = SPACE_global;
    const char *name = NULL;
    if (callee->kind == AST_NAME_REF) {
        const Symbol *meant = scope_callee(s, callee->name_ref.name);
        if (!meant || meant->kind != SYM_BUILTIN) return -1;
        name = callee->name_ref.name;
    } else if (callee->kind == AST_MEMBER && callee->member.base->kind == AST_NAME_REF) {
        const char *base = callee->member.base->name_ref.name;
        space = builtin_space(s, base);
        name = callee->member.name;
        if (scope_user(s, base) || space != SPACE_Math) return -1;
    }
    if (!name) return -1;
    int row = builtin_find(s, space, name, 0);
    if (row < 0 || !reduces(builtins[row].op)) return -1;
    LibName which = builtins[row].name;
    bool binary = which == LIB_min || which == LIB_max || space != SPACE_global;
    return alone || !binary ? row : -1; /* min(a, b) is pointwise */
}

bool is_combiner(const Symbol *f)
{
    const Type *t = f->type;
    return t && t->kind == TY_FUNC && t->nparams == 2 && t->params[0] == t->result &&
           t->params[1] == t->result && type_is_value(t->result);
}

/* The functions that a callee names: by their name, or static methods behind that of a class. */
static Symbol *named_functions(Sema *s, const Ast *callee)
{
    Symbol *f = NULL;
    if (callee->kind == AST_NAME_REF) f = scope_callee(s, callee->name_ref.name);
    if (callee->kind == AST_MEMBER && callee->member.base->kind == AST_TYPE_NAME) {
        const char *name = callee->member.base->type_name.name;
        Symbol *type = name ? scope_type(s, name) : NULL;
        bool instance = callee->member.base->type_name.args.len > 0;
        Class *cls = NULL;
        if (type && instance) cls = class_of(decl_type(s, callee->member.base));
        if (type && !instance && !type->generic) cls = class_of(decl_alias(s, type));
        f = cls ? member_find(s, cls, callee->member.name) : NULL;
    }
    return f && f->kind == SYM_FUNC ? f : NULL;
}

bool call_is_reduction(Sema *s, const Ast *n)
{
    int operands = 0, binders = 0;
    for (int i = 0; i < n->call.args.len; i++) {
        if (n->call.args.data[i]->kind == AST_BINDER)
            binders++;
        else
            operands++;
    }
    if (library_reduction(s, n->call.callee, operands == 1) >= 0) return true;
    if (is_fold(s, n)) return true;
    if (names_arguments(&n->call.args)) return false;
    const Symbol *f = operands == 1 ? named_functions(s, n->call.callee) : NULL;
    if (!f) return false;
    bool two = false, one = false;
    for (; f; f = f->next) {
        two = two || (f->generic ? generic_combines(f) : is_combiner(f));
        one = one || (f->type && f->type->nparams == 1) || call_form(f, 1) != FORM_NONE;
    }
    return two && (binders || !one);
}

/* A variable of the program that is used as an index: it was to be bound, maybe. */
typedef struct Captor {
    const Ast *use;
    bool in_argument;
} Captor;

static void find_captor(Ast **child, void *data)
{
    Captor *c = data;
    const Ast *n = *child;
    if (!n || c->use) return;
    const Symbol *sym = n->kind == AST_NAME_REF ? n->sym : NULL;
    if (c->in_argument && sym && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM) && sym->type &&
        sym->type->kind == TY_SCALAR && scalar_is_integer(sym->type->scalar))
        c->use = n;
    bool outer = c->in_argument;
    if ((n->kind == AST_CALL && n->res != AST_RES_REDUCE) || n->kind == AST_INDEX)
        c->in_argument = true;
    ast_each_child(*child, find_captor, c);
    c->in_argument = outer;
}

/* `a ** b`, which is read as a * (*b). */
static bool is_power(const Sema *s, const Ast *n)
{
    const char *text = sources_get(s->sources, n->loc.file)->text;
    uint32_t at = n->loc.begin;
    return at > 0 && text[at] == '*' && text[at - 1] == '*';
}

static void report_nothing_bound(Sema *s, const Ast *n, Ast **operand, const char *name,
                                 const Type *t)
{
    Captor c = {0};
    find_captor(operand, &c);
    if (is_power(s, n)) {
        report(s, n->loc, FOREIGN, "a ** b: C$ has none; write Math.Pow(a, b), or a * a");
        return;
    }
    if (!c.use) {
        report(s, n->loc, REDUCE_SCALAR,
               "%s reduces a function, but the type is '%s' and nothing is bound", name,
               type_text(s->arena, t));
        return;
    }
    const char *captor = c.use->name_ref.name;
    report(s, n->loc, REDUCE_SCALAR,
           "%s has nothing to bind: '%s' is a variable of the program; give the bound variable "
           "another name",
           name, captor);
    report_note(s, c.use->sym->loc, "'%s' is declared here", captor);
}

const Type *reduce_operand(Sema *s, Ast *n, const AstList *binders, Ast **operand, const char *name)
{
    bound_open(s, n, binders->data, binders->len, operand, true, NULL);
    s->functional += n->nbound > 0;
    const Type *t = check_value(s, operand, NULL);
    if (!n->nbound && t != s->error) t = object_function(s, operand);
    s->functional -= n->nbound > 0;
    if (t != s->error && n->nbound) closure_parts(s, n, operand);
    scope_pop(s);
    n->res = AST_RES_REDUCE;
    n->type = s->error;
    if (t == s->error) return t;
    if (n->nbound && type_is_functional(t)) {
        report(s, (*operand)->loc, NOT_SUPPORTED,
               "a reduction of functions over bound variables is not supported yet");
        report_note(s, NOWHERE, "apply the operand to all its parameters");
        return s->error;
    }
    if (!n->nbound && !type_is_functional(t)) {
        report_nothing_bound(s, n, operand, name, t);
        return s->error;
    }
    return result_of(t);
}

static void report_element(Sema *s, const Ast *n, const char *name, FdOp op, const Type *t)
{
    const char *text = type_text(s->arena, t);
    report(s, n->loc, OPERANDS, "%s does not exist for values of type '%s'", name, text);
    if (type_is_record(t) && (op == FD_OP_ADD || op == FD_OP_MUL))
        report_note(s, NOWHERE, "it does where '%s' has a static %s operator%s(%s a, %s b)", text,
                    text, op == FD_OP_ADD ? "+" : "*", text, text);
    else if (type_is_record(t))
        report_note(s, NOWHERE, "a function that takes two '%s' and gives one reduces them", text);
    else if (type_is_numeric(t) && (op == FD_OP_LAND || op == FD_OP_LOR))
        report_note(s, NOWHERE, "compare the numbers: %s(... != 0)", name);
    else if (t->kind == TY_OBJECT || t->kind == TY_STRING)
        report_note(s, NOWHERE, "only numbers, bools and final classes of such can be reduced");
}

/* n reduces by this function. */
static void reduce_with(Sema *s, Ast *n, Symbol *found)
{
    attr_values(s);
    if (found->local && !local_plain(s, found)) {
        report(s, n->loc, NOT_SUPPORTED,
               "'%s' uses variables around it: a function that reduces takes all it needs",
               found->name);
        return;
    }
    if (found->local) found = local_plain(s, found);
    n->sym = found;
    n->type = found->type->result;
    func_use(s, found);
    pure_call(s, found, n->loc);
    pure_need(s, found, n->loc, "is used as a reduction");
    if (n->kind == AST_CALL) {
        n->call.callee->sym = found;
        n->call.callee->type = found->type;
    }
    if (found->associative) return;
    report(s, n->loc, IN_ORDER, "'%s' is not marked [Associative], so this reduction runs in order",
           found->name);
    report_note(s, NOWHERE, "if its order does not matter, mark '%s' [Associative] [Commutative]",
                found->name);
}

/* The operator T(T, T) of the class T that a sum or a product of T uses; NULL: none. */
static Symbol *own_operator(Sema *s, FdOp op, const Type *t)
{
    if ((op != FD_OP_ADD && op != FD_OP_MUL) || !type_is_record(t)) return NULL;
    const char *name = intern_cstr(s->names, op == FD_OP_ADD ? "operator+" : "operator*");
    Candidates set = candidates_of_methods(s, class_of(t), name);
    for (int i = 0; i < set.len; i++)
        if (set.data[i].result == t && is_combiner(set.data[i].sym)) return set.data[i].sym;
    return NULL;
}

/* A reduction of values of type t by an operation of the language, or by t's own. */
static void reduce_by(Sema *s, Ast *n, const char *name, FdOp op, Ast **operand, const Type *t)
{
    const Type *whole = (*operand)->type, *to = reduce_type(s, op, t);
    Symbol *own = own_operator(s, op, t);
    if (own) {
        reduce_with(s, n, own);
        return;
    }
    if (!to) {
        report_element(s, n, name, op, t);
        return;
    }
    if (t == s->boolean && to != t) /* counted: no implicit conversion */
        convert_wrap(s, operand,
                     type_is_functional(whole)
                         ? type_func(s->types, to, whole->nparams, whole->params)
                         : to);
    convert_result(s, operand, to, NULL);
    n->type = to;
    totals_note(s, n);
}

void check_reduce(Sema *s, Ast *n)
{
    const char *name = n->reduce.op == AST_OP_ADD ? "unary +" : "unary *";
    FdOp op = n->reduce.op == AST_OP_ADD ? FD_OP_ADD : FD_OP_MUL;
    if (!n->reduce.operand) { /* reported by the parser */
        n->type = s->error;
        return;
    }
    const Type *t = reduce_operand(s, n, &n->reduce.binders, &n->reduce.operand, name);
    if (t != s->error) reduce_by(s, n, name, op, &n->reduce.operand, t);
}

static void reduce_by_user(Sema *s, Ast *n, Ast **operand, const Type *t)
{
    Symbol *first = named_functions(s, n->call.callee), *found = NULL;
    for (Symbol *f = first; f; f = f->next)
        if (is_combiner(f) && (f->type->result == t || (!found && !first->next))) found = f;
    for (Symbol *f = first; f && !found; f = f->next)
        if (f->generic) found = generic_combiner(s, f, t, n->loc);
    if (!found || !convert_result(s, operand, found->type->result, NULL)) {
        if (!found)
            report(s, n->loc, NO_OVERLOAD, "no '%s' takes two '%s' and gives one: it cannot reduce",
                   first->name, type_text(s->arena, t));
        return;
    }
    if (n->call.callee->kind == AST_MEMBER)
        n->call.callee->member.base = type_node(s, n->call.callee->loc, found->cls->type);
    reduce_with(s, n, found);
}

/* A name that nothing declares: the variable of sum(i, e), which wants a range. */
static bool is_new_name(Sema *s, const Ast *arg)
{
    return arg->kind == AST_NAME_REF && !scope_lookup(s, arg->name_ref.name);
}

/* sum(i, j, value): names that nothing declares before it? */
static bool names_come_first(Sema *s, const Ast *n)
{
    int last = n->call.args.len - 1;
    for (int i = 0; i < last; i++)
        if (!is_new_name(s, n->call.args.data[i])) return false;
    return last > 0;
}

void check_call_reduce(Sema *s, Ast *n)
{
    Ast *callee = n->call.callee;
    const char *name = callee->kind == AST_MEMBER ? callee->member.name : callee->name_ref.name;
    Ast **operand = NULL;
    int operands = 0;
    n->type = callee->type = s->error;
    if (is_fold(s, n)) {
        check_fold(s, n);
        return;
    }
    for (int i = 0; i < n->call.args.len; i++) {
        if (n->call.args.data[i]->kind == AST_BINDER) continue;
        operand = &n->call.args.data[i];
        operands++;
    }
    if (operands != 1) {
        if (operands == 0 && n->call.args.len)
            report(
                s, n->loc, ARGUMENT_COUNT,
                "'%s' has a range but nothing to reduce: write %s(i : range, value), or %s(value) "
                "with variables that only its reads bind",
                name, name, name);
        else if (names_come_first(s, n))
            report(
                s, n->loc, ARGUMENT_COUNT,
                "'%s' needs a range for '%s': write %s(%s : range, value), or the value alone if "
                "its reads bind it",
                name, n->call.args.data[0]->name_ref.name, name,
                n->call.args.data[0]->name_ref.name);
        else if (operands == 2 && n->call.args.data[0]->kind == AST_TUPLE)
            report(s, n->loc, ARGUMENT_COUNT,
                   "variables with ranges of their own stand without parentheses: "
                   "%s(i : 0..n, j : 0..m, value); those of one function as %s((i, j) : f, value)",
                   name, name);
        else
            report(s, n->loc, ARGUMENT_COUNT,
                   "'%s' reduces one function, not %d; for columns name what stays: "
                   "var v(j) = %s(m(i, j));",
                   name, operands, name);
        return;
    }
    const Type *t = reduce_operand(s, n, &n->call.args, operand, name);
    if (t == s->error) return;
    int row = library_reduction(s, callee, true);
    if (row < 0) {
        reduce_by_user(s, n, operand, t);
        return;
    }
    n->sym = callee->sym = builtin_symbol(s, row);
    reduce_by(s, n, name, builtins[row].op, operand, t);
}
