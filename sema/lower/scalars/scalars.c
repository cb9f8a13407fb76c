/* Scalar replacement of arrays: local arrays of a few elements, whose number csc knows, become a variable for each
 * element (scalar replacement of aggregates, Muchnick 12.2). An evaluation of three numbers would take a hundred times
 * what it computes.
 *
 *   double[] v = {1, 0};                             double v0 = 1, v1 = 0;
 *   for (..) {                                       for (..) {
 *       double[] a(i : 0..2) = -w(i) * v(i);   ->        double a0 = -w0 * v0, a1 = -w1 * v1;
 *       v = v + h * a;                                   v0' = v0 + h * a0 ..
 *   }                                                }
 *   Console.WriteLine(v);                            Console.WriteLine(new[] {v0, v1});
 *
 * Graphs are scalarized (fdag/scalarize.h), functions that compute such arrays run in place of their calls. A variable stays
 * an array if an element is chosen by a number that csc does not know, if somebody else sets it, if it gets a value that
 * is not known element by element, or if arrays are made of its elements as often as evaluations are spared. Each
 * body is tried on a copy until nothing is left that does not hold; then it is done. Requires: graphs are in place.
 * Keeps: meaning; exceptions, since what may throw is not scalarized. */
#include "scalars.h"

#include <math.h>

int scalars_find(const Scalars *s, const Symbol *sym)
{
    for (size_t i = s->stands.len; sym && i-- > 0;)
        if (s->stands.data[i].sym == sym) return (int)i;
    return -1;
}

Ast *scalars_bare(Ast *n)
{
    while (n->kind == AST_CONVERT && !n->convert.view && type_is_functional(n->type) &&
           type_is_functional(n->convert.operand->type) &&
           n->type->result == n->convert.operand->type->result)
        n = n->convert.operand;
    return n;
}

int scalars_named(const Scalars *s, Ast *n)
{
    n = scalars_bare(n);
    int i = n->kind == AST_NAME_REF ? scalars_find(s, n->sym) : -1;
    return i >= 0 && scalars_is_array(&s->stands.data[i]) ? i : -1;
}

bool scalars_suits(const Type *t)
{
    if (!type_is_functional(t) || t->nparams > FD_MAX_RANK || t->result->kind != TY_SCALAR)
        return false;
    for (int i = 0; t->kind == TY_FUNC && i < t->nparams; i++)
        if (!type_is_scalar(t->params[i], SC_INT)) return false;
    return t->result->scalar != SC_HALF && !type_is_enum(t->result);
}

bool scalars_constant(const Scalars *s, const Ast *n, int64_t *out)
{
    int64_t a, b;
    const bool integer = type_is_scalar(n->type, SC_INT) || type_is_scalar(n->type, SC_LONG);
    if (!integer || n->overflow == AST_OVERFLOW_THROWS) return false;
    if (n->is_const) {
        *out = n->value.i;
        return true;
    }
    if (n->kind == AST_CONVERT) return scalars_constant(s, n->convert.operand, out);
    if (n->kind == AST_NAME_REF) {
        int i = scalars_find(s, n->sym);
        const Symbol *sym = i >= 0 && s->stands.data[i].as ? s->stands.data[i].as : n->sym;
        if (i >= 0 && s->stands.data[i].value)
            return scalars_constant(s, s->stands.data[i].value, out);
        const Ast *d = sym && sym->kind == SYM_LOCAL && !sym->assigned_again ? sym->decl : NULL;
        return d && d->kind == AST_DECLARATOR && d->declarator.init &&
               scalars_constant(s, d->declarator.init, out);
    }
    if (n->kind != AST_BINARY || n->res != AST_RES_NONE) return false;
    if (!scalars_constant(s, n->binary.left, &a) || !scalars_constant(s, n->binary.right, &b))
        return false;
    const int64_t most = 1 << 20;
    if (a < -most || a > most || b < -most || b > most) return false;
    *out = n->binary.op == AST_OP_ADD ? a + b : n->binary.op == AST_OP_SUB ? a - b : a * b;
    if (n->type->scalar == SC_INT && (*out < INT32_MIN || *out > INT32_MAX)) return false;
    return n->binary.op == AST_OP_ADD || n->binary.op == AST_OP_SUB || n->binary.op == AST_OP_MUL;
}

double scalars_weight(const Scalars *s)
{
    return s->top && !s->loops ? 0 : pow(8, s->loops);
}

int64_t scalars_count(const FdBox *box)
{
    int64_t count = 1;
    for (int d = 0; d < box->rank && count <= SCALARS_MOST; d++)
        count *= fd_box_length(box, d) > 0 ? fd_box_length(box, d) : 0;
    return count;
}

void scalars_reject(Scalars *s, int stand)
{
    if (s->nwithin && stand >= (int)s->nbody)
        s->fails = true;
    else
        vec_push(&s->stay, s->stands.data[stand].sym);
}

/* ---- variables -------------------------------------------------------------------------------- */

static void add(Scalars *s, Ast *stmt)
{
    *s->out = ast_list_add(s->l->arena, *s->out, stmt);
}

Symbol *scalars_declare(Scalars *s, const char *name, const Type *type, Ast *init, Loc loc)
{
    Arena *arena = s->l->arena;
    Symbol *sym = arena_new_of(arena, Symbol);
    Ast *d = ast_new(arena, AST_DECLARATOR, loc), *stmt = ast_new(arena, AST_VAR_DECL, loc);
    *sym = (Symbol){.kind = SYM_LOCAL, .name = name, .type = type, .loc = loc, .decl = d};
    sym->assigned_again = true;
    d->sym = sym;
    d->declarator.name = name;
    d->declarator.init = init;
    stmt->var_decl.vars = ast_list_add(arena, (AstList){0}, d);
    add(s, stmt);
    return sym;
}

void scalars_declare_all(Scalars *s, const Symbol *sym, const Type *type, const FdBox *box,
                         Ast *const *values, Loc loc)
{
    Stand stand = {.sym = sym, .box = *box};
    for (int i = 0, n = (int)scalars_count(box); i < n; i++) {
        const char *name = arena_printf(s->l->arena, "%s%d", sym ? sym->name : "$", i);
        stand.elements[i] = scalars_declare(s, name, type->result, values[i], loc);
    }
    vec_push(&s->stands, stand);
}

static bool stays(const Scalars *s, const Symbol *sym)
{
    for (size_t i = 0; i < s->stay.len; i++)
        if (s->stay.data[i] == sym) return true;
    return false;
}

/* ---- statements ------------------------------------------------------------------------------- */

static bool is_candidate(const Scalars *s, const Symbol *sym)
{
    return sym && sym->kind == SYM_LOCAL && !sym->cell && !sym->recurrent && sym->type &&
           scalars_suits(sym->type) && !stays(s, sym);
}

/* What an array would cost that gets this value. */
static double effort(const Scalars *s, Ast *value)
{
    const Ast *n = scalars_bare(value);
    return n->kind == AST_GRAPH || n->kind == AST_CALL ? scalars_weight(s) : 0;
}

/* A variable with its value; false: it is what it was. */
static bool declare(Scalars *s, const Symbol *sym, Ast *value, Loc loc)
{
    FdBox box;
    Ast *values[SCALARS_MOST];
    AstList before = *s->out;
    const size_t nstands = s->stands.len;
    if (!value || !is_candidate(s, sym)) return false;
    s->spared = 0;
    if (!scalars_elements(s, value, &box, values)) {
        *s->out = before;
        s->stands.len = nstands;
        return false;
    }
    scalars_declare_all(s, sym, sym->type, &box, values, loc);
    vec_last(&s->stands).gain = effort(s, value) + s->spared;
    return true;
}

/* In a function in place each variable is one of its own. */
static void declare_another(Scalars *s, const Symbol *sym, Ast *init, Loc loc)
{
    if (init) scalars_call_before(s, &init);
    if (init) scalars_uses(&init, s);
    if (!sym || sym->kind != SYM_LOCAL || sym->cell || !type_is_value(sym->type)) s->fails = true;
    Stand stand = {.sym = sym};
    stand.as = scalars_declare(s, sym->name, sym->type, init, loc);
    stand.as->assigned_again = sym->assigned_again;
    vec_push(&s->stands, stand);
}

static void declaration(Scalars *s, Ast *n)
{
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        Ast *d = n->var_decl.vars.data[i];
        if (declare(s, d->sym, d->declarator.init, d->loc)) continue;
        if (s->nwithin) {
            declare_another(s, d->sym, d->declarator.init, d->loc);
            continue;
        }
        scalars_call_before(s, &d->declarator.init);
        if (d->declarator.init) scalars_uses(&d->declarator.init, s);
        Ast *one = arena_copy(s->l->arena, n, sizeof *n);
        one->var_decl.vars = ast_list_add(s->l->arena, (AstList){0}, d);
        add(s, one);
    }
}

/* x = value; of a variable with elements: all are computed before one is set. */
static void assignment(Scalars *s, int stand, Ast *value, Loc loc)
{
    Arena *arena = s->l->arena;
    FdBox box;
    Ast *values[SCALARS_MOST];
    s->spared = 0;
    bool good = scalars_elements(s, value, &box, values);
    const FdBox *own = &s->stands.data[stand].box;
    for (int d = 0; good && d < box.rank; d++)
        good = box.dim[d].lo == own->dim[d].lo && box.dim[d].hi == own->dim[d].hi;
    if (!good) {
        scalars_reject(s, stand);
        return;
    }
    s->stands.data[stand].gain += effort(s, value) + s->spared;
    const Type *type = s->stands.data[stand].elements[0]->type;
    const int n = (int)scalars_count(&box);
    Symbol *news[SCALARS_MOST];
    for (int i = 0; i < n; i++) news[i] = scalars_declare(s, "$", type, values[i], loc);
    for (int i = 0; i < n; i++) {
        Ast *set = ast_new(arena, AST_ASSIGN, loc), *stmt = ast_new(arena, AST_EXPR_STMT, loc);
        set->type = type;
        set->assign.target = lower_name(arena, loc, s->stands.data[stand].elements[i]);
        set->assign.value = lower_name(arena, loc, news[i]);
        stmt->expr_stmt.expr = set;
        add(s, stmt);
    }
}

void scalars_statement(Scalars *s, Ast *n)
{
    Ast *e = n->kind == AST_EXPR_STMT ? n->expr_stmt.expr : NULL;
    if (n->kind == AST_VAR_DECL && !n->var_decl.is_const && !n->var_decl.carried) {
        declaration(s, n);
        return;
    }
    if (n->kind == AST_DEFINE) {
        if (declare(s, n->sym, n->define.value, n->loc)) return;
        if (s->nwithin) s->fails = true;
    }
    if (e && e->kind == AST_ASSIGN && e->assign.op == AST_OP_NONE && !e->sym) {
        int stand = scalars_named(s, e->assign.target);
        if (stand >= 0) {
            assignment(s, stand, e->assign.value, e->loc);
            return;
        }
    }
    if (e && e->kind == AST_ASSIGN && e->assign.target->kind == AST_NAME_REF &&
        (e->assign.op == AST_OP_NONE || !lower_changes(e->assign.value)))
        scalars_call_before(s, &e->assign.value);
    if (n->kind == AST_RETURN) scalars_call_before(s, &n->return_.value);
    if (n->kind == AST_EXPR_STMT)
        scalars_uses(&n->expr_stmt.expr, s);
    else
        scalars_uses(&n, s);
    add(s, n);
}

void scalars_statements(Scalars *s, AstList *list)
{
    AstList out = {0}, *around = s->out;
    s->out = &out;
    for (int i = 0; i < list->len; i++) scalars_statement(s, list->data[i]);
    *list = out;
    s->out = around;
}

/* ---- bodies ----------------------------------------------------------------------------------- */

static void run(Scalars *s, AstList *list)
{
    s->stands.len = 0;
    s->loops = s->nwithin = 0;
    s->fails = false;
    scalars_statements(s, list);
}

/* Those for which it does not pay. True: there are some that stay and did not before. */
static bool reject_others(Scalars *s, size_t before)
{
    for (size_t i = 0; i < s->stands.len; i++) {
        const Stand *x = &s->stands.data[i];
        if (x->sym && x->gain <= x->cost && !stays(s, x->sym)) vec_push(&s->stay, x->sym);
    }
    return s->stay.len > before;
}

static void body(Scalars *s, AstList *list)
{
    const size_t ngraphs = s->l->graphs.len;
    size_t before;
    s->stay.len = 0;
    do {
        AstList copy = ast_list_clone(s->l->arena, *list);
        before = s->stay.len;
        run(s, &copy);
        s->l->graphs.len = ngraphs;
    } while (reject_others(s, before));
    if (s->stands.len) run(s, list);
}

static void find_graph(Ast **child, void *found)
{
    const Ast *n = *child;
    const bool gives = n->kind == AST_CALL && n->type && scalars_suits(n->type);
    if (n->kind == AST_GRAPH || gives) *(bool *)found = true;
    if (!*(bool *)found) ast_each_child(*child, find_graph, found);
}

/* Most bodies evaluate nothing. */
static bool evaluates(const AstList *list)
{
    bool found = false;
    for (int i = 0; i < list->len; i++) find_graph(&list->data[i], &found);
    return found;
}

void lower_scalars(Lower *l)
{
    Scalars s = {.l = l};
    if (l->r->unit->unit.debug) return;
    for (int i = 0; i < l->r->nfuncs; i++) {
        Ast **child = lower_func_body(l->r->funcs[i]);
        Ast *block = child ? *child : NULL;
        if (block && block->kind == AST_BLOCK && evaluates(&block->block.stmts))
            body(&s, &block->block.stmts);
    }
    s.top = true;
    AstList *stmts = &l->r->unit->unit.stmts;
    if (evaluates(stmts)) body(&s, stmts);
    vec_free(&s.stands);
    vec_free(&s.stay);
}
