/* Closures: functions that only the host can run. A lambda over strings, objects or arrays becomes
 * a function of its own, whose first parameters are what it captures; so does a part of a
 * functional expression that needs such values at the points of the expression, which then applies
 * it.
 *
 *     (string s) => s.Length + n        CLOSURE (n) of  int $lambda1(int n, string s) => s.Length +
 * n let(i : 0..3) words[i].Length     let(i : 0..3) CLOSURE (words) (i)
 *
 * All of this is done on checked trees: names get other symbols, nothing is checked again.
 */
#include "../check/check.h"

typedef struct Capture {
    Symbol *outer; /* NULL: this */
    Symbol *param;
    Ast *value; /* the name outside */
} Capture;

typedef VEC(Capture) Captures;

typedef struct Closure {
    Sema *s;
    VEC(Symbol *) own; /* declared inside */
    Captures captures;
    Captures points; /* bound variables outside, when the closure is to be applied to them */
    bool applied;
} Closure;

/* ---- what is captured ---------------------------------------------------------------------- */

static void find_own(Ast **child, void *ctx)
{
    Closure *c = ctx;
    Ast *n = *child;
    if (!n) return;
    for (int i = 0; i < n->nbound; i++) vec_push(&c->own, n->bound[i]);
    if ((n->kind == AST_IS || n->kind == AST_DECL_EXPR) && n->sym) vec_push(&c->own, n->sym);
    ast_each_child(n, find_own, c);
}

static bool is_own(const Closure *c, const Symbol *sym)
{
    for (size_t i = 0; i < c->own.len; i++)
        if (c->own.data[i] == sym) return true;
    return false;
}

static Ast *param_node(Sema *s, Symbol *sym)
{
    Ast *p = ast_new(s->arena, AST_PARAM, sym->loc);
    p->param.mode = AST_OP_BY_VALUE;
    p->param.ptype = type_node(s, sym->loc, sym->type);
    p->param.name = sym->name;
    p->type = sym->type;
    p->sym = sym;
    sym->decl = p;
    return p;
}

/* The parameter that stands for what n names. */
static Symbol *parameter(Closure *c, const Ast *n, bool point)
{
    Symbol *outer = n->kind == AST_THIS ? NULL : n->sym;
    Captures *list = point ? &c->points : &c->captures;
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i].outer == outer) return list->data[i].param;
    const char *name = intern_cstr(c->s->names, outer ? outer->name : "$this");
    Capture one = {outer, scope_symbol(c->s, SYM_PARAM, name, n->type, n->loc, NULL),
                   arena_copy(c->s->arena, n, sizeof *n)};
    one.param->mode = AST_OP_BY_VALUE;
    vec_push(list, one);
    return one.param;
}

static void capture(Ast **child, void *ctx)
{
    Closure *c = ctx;
    Ast *n = *child;
    if (!n) return;
    if (n->kind == AST_BASE)
        report(c->s, n->loc, NOT_SUPPORTED, "'base' in a lambda is not supported yet");
    bool variable =
        n->kind == AST_NAME_REF && n->sym &&
        (n->sym->kind == SYM_LOCAL || n->sym->kind == SYM_PARAM || n->sym->kind == SYM_BOUND);
    if (n->kind != AST_THIS && !variable) {
        ast_each_child(n, capture, c);
        return;
    }
    if (variable && is_own(c, n->sym)) return;
    bool point = c->applied && variable && n->sym->kind == SYM_BOUND && !type_is_hosted(n->type);
    Symbol *param = parameter(c, n, point);
    n->kind = AST_NAME_REF;
    n->name_ref.name = param->name;
    n->sym = param;
}

/* ---- the function -------------------------------------------------------------------------- */

static void add_param(Sema *s, Ast *func, const Type **types, Symbol *sym)
{
    types[func->func.params.len] = sym->type;
    func->func.params = ast_list_add(s->arena, func->func.params, param_node(s, sym));
}

enum { MAX_CAPTURES = 64 }; /* scalars and references: the runtime has a bit for each */

/* A record is passed field by field. */
static int leaves(const Type *t)
{
    int n = 0;
    if (t->kind != TY_RECORD) return 1;
    for (int i = 0; i < class_of(t)->nfields; i++) n += leaves(class_of(t)->fields[i]->type);
    return n;
}

static void count_captures(const Closure *c, Loc loc)
{
    int n = 0;
    for (size_t i = 0; i < c->captures.len; i++) n += leaves(c->captures.data[i].param->type);
    if (n > MAX_CAPTURES)
        report(c->s, loc, NOT_SUPPORTED,
               "this function of the host uses %d values from outside; %d are supported", n,
               MAX_CAPTURES);
}

/* The CLOSURE of a function whose value is `body`: of its captures, then points, then bound. */
static Ast *finish(Closure *c, Loc loc, Ast *body, const Type *result, Symbol **bound, int nbound)
{
    Sema *s = c->s;
    size_t total = c->captures.len + c->points.len + (size_t)nbound;
    const Type **types = arena_array(s->arena, const Type *, total + 1);
    count_captures(c, loc);
    Ast *func = ast_new(s->arena, AST_FUNC, loc), *n = ast_new(s->arena, AST_CLOSURE, loc);
    for (size_t i = 0; i < c->captures.len; i++) {
        add_param(s, func, types, c->captures.data[i].param);
        n->closure.captures =
            ast_list_add(s->arena, n->closure.captures, c->captures.data[i].value);
    }
    for (size_t i = 0; i < c->points.len; i++) add_param(s, func, types, c->points.data[i].param);
    for (int i = 0; i < nbound; i++) {
        bound[i]->kind = SYM_PARAM;
        bound[i]->mode = AST_OP_BY_VALUE;
        add_param(s, func, types, bound[i]);
    }
    func->func.name =
        intern_cstr(s->names, arena_printf(s->arena, "$lambda%d", (int)s->closures.len + 1));
    func->func.ret = type_node(s, loc, result);
    bool gives = result != s->voids;
    func->func.body = ast_new(s->arena, gives ? AST_RETURN : AST_EXPR_STMT, loc);
    *(gives ? &func->func.body->return_.value : &func->func.body->expr_stmt.expr) = body;
    Symbol *sym = scope_symbol(s, SYM_FUNC, func->func.name, NULL, loc, func);
    sym->type = type_func(s->types, result, (int)total, types);
    sym->slot = -1;
    func->sym = sym;
    func->type = sym->type;
    vec_push(&s->closures, sym);
    n->sym = sym;
    n->type =
        type_func(s->types, result, (int)(c->points.len + (size_t)nbound), types + c->captures.len);
    vec_free(&c->own);
    return n;
}

static Ast *body_of(const Ast *n)
{
    return n->kind == AST_LET ? n->let.body : n->lambda.body;
}

void closure_lambda(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    if (s->quiet) return;
    Closure c = {.s = s};
    for (int i = 0; i < n->nbound; i++) vec_push(&c.own, n->bound[i]);
    Ast *body = body_of(n);
    find_own(&body, &c);
    capture(&body, &c);
    *slot = finish(&c, n->loc, body, n->type->result, n->bound, n->nbound);
    *n = **slot; /* who noted the lambda for its effects (purity.c) finds that this is done */
    vec_free(&c.captures);
    vec_free(&c.points);
}

void closure_function(Sema *s, Ast **slot)
{
    Ast *n = *slot, *f = ast_new(s->arena, AST_CLOSURE, n->loc);
    f->sym = n->sym;
    f->type = n->type;
    *slot = f;
    (void)s;
}

/* ---- parts of functional expressions -------------------------------------------------------- */

static void find_hosted(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Ast *n = *child;
    if (!n || !n->type || n->kind == AST_TYPE_NAME) return;
    if (type_is_hosted(n->type)) *found = true;
}

/* A call whose first operands alone are strings or objects, the same at all points: it is a
 * function of the others, which lowering captures, so that their uses of bound variables still
 * count. */
static bool closes(const Ast *n)
{
    const Ast *callee = n->call.callee;
    bool plain = false, method = callee->sym->self && callee->kind == AST_MEMBER;
    if (method && type_is_hosted(callee->member.base->type) && mentions_bound(callee->member.base))
        return false;
    plain = method && !type_is_hosted(callee->member.base->type);
    for (int i = 0; i < n->call.args.len; i++) {
        const Ast *a = n->call.args.data[i];
        bool hosted = a->type && type_is_hosted(a->type);
        if (hosted && (plain || mentions_bound(a) || a->type->kind == TY_FUNC)) return false;
        plain = plain || !hosted;
    }
    return plain;
}

/* A function of the library that only the host has: char.ToUpper(c). */
static bool is_host_call(const Ast *n)
{
    return n->kind == AST_CALL && n->sym && n->sym->kind == SYM_BUILTIN && n->sym->builtin >= 0 &&
           builtin_is_hosted(&builtins[n->sym->builtin]);
}

static void find_host_call(Ast **child, void *ctx)
{
    bool *found = ctx;
    if (!*child || *found) return;
    *found = is_host_call(*child) && mentions_bound(*child);
    if (!*found) ast_each_child(*child, find_host_call, found);
}

bool closure_calls_host(Ast *body)
{
    bool found = false;
    find_host_call(&body, &found);
    return found;
}

/* Does the operation itself take what no device holds? */
static bool takes_hosted(Ast *n)
{
    bool found = false;
    if (n->kind == AST_CLOSURE || n->kind == AST_LAMBDA || n->kind == AST_LET) return false;
    if (is_host_call(n)) return true;
    if (n->kind != AST_CALL || !n->call.callee->sym || n->call.callee->sym->kind != SYM_FUNC) {
        ast_each_child(n, find_hosted, &found);
        return found;
    }
    if (closes(n)) return false;
    for (int i = 0; i < n->call.args.len; i++) find_hosted(&n->call.args.data[i], &found);
    if (n->call.callee->kind == AST_MEMBER) find_hosted(&n->call.callee->member.base, &found);
    return found;
}

/* ---- rows: arrays that are elements ---------------------------------------------------------- */

/* A row is an array or a function of values that is made of hosted ones at a point: `rows[i]` of an
 * array of arrays. What reads it is computed on the host, too. */
static bool is_row(const Ast *n);

static void find_row(Ast **child, void *ctx)
{
    bool *found = ctx;
    if (*child && is_row(*child)) *found = true;
}

static bool takes_row(const Ast *n)
{
    bool found = false;
    Ast *root = (Ast *)(uintptr_t)n; /* the walker wants it mutable; nothing is changed */
    if (n->kind == AST_CLOSURE || n->kind == AST_LAMBDA || n->kind == AST_LET) return false;
    ast_each_child(root, find_row, &found);
    return found;
}

static bool is_row(const Ast *n)
{
    if (!n->type || !type_is_functional(n->type) || type_is_hosted(n->type)) return false;
    Ast *root = (Ast *)(uintptr_t)n;
    return (takes_hosted(root) || takes_row(n)) && mentions_bound(n);
}

/* Which variables the rows in an expression depend on: `here` are those of the binder, `beyond`
 * those bound around it. */
typedef struct Rows {
    Closure part; /* for what the expression binds itself */
    const Ast *binder;
    bool in_row, here, beyond;
} Rows;

static void find_rows(Ast **child, void *ctx)
{
    Rows *r = ctx;
    Ast *n = *child;
    if (!n) return;
    bool in_row = r->in_row, here = false;
    r->in_row = in_row || is_row(n);
    bool variable = n->kind == AST_NAME_REF && n->sym && n->sym->kind == SYM_BOUND;
    if (r->in_row && variable && !is_own(&r->part, n->sym)) {
        for (int i = 0; i < r->binder->nbound; i++) here |= r->binder->bound[i] == n->sym;
        r->here |= here;
        r->beyond |= !here;
    }
    ast_each_child(n, find_rows, r);
    r->in_row = in_row;
}

/* Is n computed on the host for its rows? A reduction is as a whole, whose rows are the same at all
 * that it reduces: so it can ask them for their ranges. Rows that depend on variables further out
 * are left to the binder of these. */
static bool reads_rows(Ast *n, const Ast *binder)
{
    if (n->res != AST_RES_REDUCE && !takes_row(n)) return false;
    Rows r = {.binder = binder};
    find_own(&n, &r.part);
    find_rows(&n, &r);
    vec_free(&r.part.own);
    return r.here && !r.beyond;
}

/* ---- what is put in their places ------------------------------------------------------------- */

typedef struct Parts {
    Sema *s;
    const Ast *binder;
    const Closure *on_host; /* what is looked at is computed there; NULL: nothing is yet */
} Parts;

/* 0..name.GetLength(dim) */
static Ast *range_of_length(Sema *s, Loc loc, const char *name, int dim)
{
    Ast *n = ast_new(s->arena, AST_RANGE, loc), *call = ast_new(s->arena, AST_CALL, loc);
    Ast *member = ast_new(s->arena, AST_MEMBER, loc), *d = ast_new(s->arena, AST_INT_LIT, loc);
    member->member.base = ast_new(s->arena, AST_NAME_REF, loc);
    member->member.base->name_ref.name = name;
    member->member.name = intern_cstr(s->names, "GetLength");
    d->int_lit.value = (uint64_t)dim;
    call->call.callee = member;
    call->call.args = ast_list_add(s->arena, call->call.args, d);
    n->range.lo = ast_new(s->arena, AST_INT_LIT, loc);
    n->range.hi = call;
    return n;
}

/* `words[i]` gives i the range of words, which no graph holds; nor does it what is read within parts
 * for the host: k of `words[order[k]].Length`. */
static void find_range(Ast **child, void *ctx)
{
    const Parts *parts = ctx;
    Sema *s = parts->s;
    Ast *n = *child;
    if (!n) return;
    const Ast *f = n->kind == AST_INDEX  ? n->index.base
                   : n->kind == AST_CALL ? n->call.callee
                                         : NULL;
    AstList args = {0};
    if (f && f->kind == AST_NAME_REF && f->type && f->type->kind == TY_ARRAY &&
        (parts->on_host || type_is_hosted(f->type)) && f->sym->kind != SYM_BOUND)
        args = n->kind == AST_INDEX ? n->index.args : n->call.args;
    for (int i = 0; i < args.len; i++) {
        Symbol *v = args.data[i]->kind == AST_NAME_REF ? args.data[i]->sym : NULL;
        if (!v || v->kind != SYM_BOUND || v->constraint || v->type != s->integer) continue;
        if (parts->on_host && is_own(parts->on_host, v)) continue;
        Ast *range = range_of_length(s, n->loc, f->name_ref.name, i);
        if (check_value(s, &range, NULL) != s->error) v->constraint = range;
    }
    ast_each_child(n, find_range, ctx);
}

static Ast *applied(const Parts *parts, Ast *part)
{
    Sema *s = parts->s;
    Closure c = {.s = s, .applied = true};
    Parts inside = {s, parts->binder, &c};
    find_own(&part, &c);
    find_range(&part, &inside);
    capture(&part, &c);
    Ast *call = ast_new(s->arena, AST_CALL, part->loc);
    call->res = AST_RES_APPLY;
    call->type = part->type;
    for (size_t i = 0; i < c.points.len; i++)
        call->call.args = ast_list_add(s->arena, call->call.args, c.points.data[i].value);
    call->call.callee = finish(&c, part->loc, part, part->type, NULL, 0);
    vec_free(&c.captures);
    vec_free(&c.points);
    return call;
}

/* A lambda that is given arrays, as by LINQ of rows: the host calls it. */
static bool takes_arrays(const Ast *binder)
{
    for (int i = 0; binder->kind == AST_LAMBDA && i < binder->nbound; i++)
        if (binder->bound[i]->type->kind == TY_ARRAY) return true;
    return false;
}

static void outline(Ast **child, void *ctx)
{
    const Parts *parts = ctx;
    Sema *s = parts->s;
    Ast *n = *child;
    if (!n) return;
    if (!type_is_value(n->type) || n->is_const || !mentions_bound(n) ||
        (!takes_hosted(n) && !reads_rows(n, parts->binder))) {
        ast_each_child(n, outline, ctx);
        return;
    }
    if (!takes_arrays(parts->binder))
        report(s, n->loc, ON_HOST,
               "this is computed on the host, element by element: a device has no "
               "strings, objects or arrays of arrays");
    *child = applied(parts, n);
}

void closure_parts(Sema *s, const Ast *binder, Ast **body)
{
    Parts parts = {s, binder, NULL};
    if (s->quiet) return;
    find_range(body, &parts);
    outline(body, &parts);
}
