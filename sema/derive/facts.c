/* What is known of a function before it is differentiated: the types of its variables, and which calls are of
 * functions with loops. A copy is checked for it, of which nothing remains; trees as they are written are found
 * in it by their places. */
#include "../lower/lower.h"
#include "host.h"

/* What is known of one function. */
typedef struct Derived {
    const Symbol *f;
    Facts facts;
    bool loops;
    bool given; /* it has a [Derivative], calls what has, or itself: no graph knows of it */
    bool busy;  /* it is looked into: who calls it is called by it */
} Derived;

static Derived *derived(Sema *s, Symbol *f);

typedef struct Find {
    Sema *s;
    Facts *facts;
    const Ast *around; /* the lambda whose parameters are no bound variables here; or NULL */
    VEC(const Symbol *) inside;   /* variables bound in a call */
    bool free;                    /* it reads others */
    bool loops, steps, functions; /* what is seen: steps of scalars; functional expressions */
    bool wholes;                  /* variables whose values hold arrays */
} Find;

static void find_bound(Ast **child, void *ctx)
{
    Find *f = ctx;
    const Ast *n = *child;
    if (n->kind == AST_NAME_REF && n->sym && n->sym->kind == SYM_BOUND) {
        bool own = false;
        for (size_t i = 0; i < f->inside.len; i++) own = own || f->inside.data[i] == n->sym;
        f->free = f->free || !own;
    }
    for (int i = 0; i < n->nbound; i++) vec_push(&f->inside, n->bound[i]);
    ast_each_child(*child, find_bound, ctx);
}

/* Does a checked call or element stand under bound variables? */
static bool is_under(const Find *find, const Ast *n)
{
    Find f = {.s = find->s};
    const AstList *args = n->kind == AST_INDEX ? &n->index.args : &n->call.args;
    for (int i = 0; find->around && i < find->around->nbound; i++)
        vec_push(&f.inside, find->around->bound[i]);
    for (int i = 0; i < args->len; i++) {
        Ast *arg = args->data[i];
        find_bound(&arg, &f);
    }
    vec_free(&f.inside);
    return f.free || n->res == AST_RES_PROMOTE || n->res == AST_RES_REDUCE;
}

/* Is it an element of an array that is a variable, at a place that is no bound variable's? */
static bool is_element(const Find *find, const Ast *n)
{
    const Ast *array = n->kind == AST_INDEX  ? n->index.base
                       : n->kind == AST_CALL ? n->call.callee
                                             : NULL;
    return array && array->kind == AST_NAME_REF && array->type && array->type->kind == TY_ARRAY &&
           n->type == array->type->result && !is_under(find, n);
}

/* Does an expression read no bound variables but its own? */
static bool is_outside(const Find *find, Ast *n)
{
    Find f = {.s = find->s};
    for (int i = 0; find->around && i < find->around->nbound; i++)
        vec_push(&f.inside, find->around->bound[i]);
    find_bound(&n, &f);
    vec_free(&f.inside);
    return !f.free;
}

/* An array of elements that are written. */
static bool is_listed(const Find *find, Ast *n)
{
    return n->kind == AST_NEW_ARRAY && n->new_array.init && n->type && n->type->kind == TY_ARRAY &&
           is_outside(find, n);
}

static bool is_row(const Find *find, const Ast *n)
{
    const Ast *array = is_slice(n) ? n->index.base : NULL;
    int ranges = 0;
    for (int i = 0; array && i < n->index.args.len; i++)
        ranges += n->index.args.data[i]->kind == AST_RANGE;
    return ranges && ranges < n->index.args.len && array->kind == AST_NAME_REF && array->type &&
           array->type->kind == TY_ARRAY && !is_under(find, n);
}

static bool is_choice(const Find *find, Ast *n)
{
    return n->kind == AST_COND && n->type && n->type->kind == TY_SCALAR &&
           scalar_is_real(n->type->scalar) && is_outside(find, n);
}

/* What a node declares or calls; NULL: it has no name. */
static const char *name_of(const Ast *n)
{
    if (n->kind == AST_DECLARATOR) return n->declarator.name;
    if (n->kind == AST_DEFINE) return n->define.name;
    const Ast *callee = n->kind == AST_CALL ? n->call.callee : NULL;
    if (callee && callee->kind == AST_MEMBER && callee->member.name[0] == '$')
        return callee->member.name; /* host.c made it */
    return callee && callee->kind == AST_NAME_REF ? callee->name_ref.name : NULL;
}

static void note_type(Find *f, Loc loc, FactKind kind, const Type *t, const char *name)
{
    Fact fact = {.kind = kind, .loc = loc, .type = t, .name = name};
    if (t) vec_push(&f->facts->list, fact);
}

static bool is_of_values(const Symbol *f)
{
    bool values = !given_is(f) && !f->self && type_is_value(f->type->result);
    for (int i = 0; i < f->type->nparams; i++) values = values && type_is_value(f->type->params[i]);
    return values;
}

/* A call that can change nothing that it is given. */
static bool is_check(const Ast *n)
{
    const Symbol *f = n->kind == AST_CALL ? n->sym : NULL;
    if (!f || f->kind != SYM_FUNC || !f->type || f->self || f->local || refs_is(f)) return false;
    bool check = true;
    for (int i = 0; check && i < f->type->nparams; i++) {
        const Type *t = f->type->params[i];
        check = type_is_value(t) || (t->kind == TY_ARRAY && type_is_value(t->result)) ||
                t->kind == TY_STRING;
    }
    return check;
}

/* Does a call of it have to be one of the host's? */
static bool is_hosted(Sema *s, Symbol *f)
{
    Derived *d = derived(s, f);
    if (d->busy) d->loops = d->given = true;
    return d->loops;
}

static void note(Ast **child, void *ctx)
{
    Find *f = ctx;
    const Ast *n = *child;
    if ((n->kind == AST_DECLARATOR || n->kind == AST_DEFINE) && n->sym && n->sym->type) {
        note_type(f, n->loc, FACT_DECLARED, n->sym->type, name_of(n));
        f->functions = f->functions || type_is_functional(n->sym->type);
        f->wholes = f->wholes || split_is(n->sym->type);
    } else if (n->kind == AST_CALL && n->sym && n->sym->kind == SYM_FUNC &&
               is_hosted(f->s, n->sym)) {
        Fact fact = {.kind = FACT_CALL,
                     .loc = n->loc,
                     .type = n->sym->type->result,
                     .called = n->sym,
                     .name = name_of(n),
                     .under = is_under(f, n) || n->res != AST_RES_NONE,
                     .value = is_of_values(n->sym) && !derived(f->s, n->sym)->given};
        vec_push(&f->facts->list, fact);
    } else if (is_element(f, n)) {
        note_type(f, n->loc, FACT_ELEMENT, n->type, NULL);
    } else if (is_listed(f, *child)) {
        note_type(f, n->loc, FACT_ARRAY, n->type, NULL);
    } else if (n->kind == AST_ASSIGN && is_slice(n->assign.target)) {
        note_type(f, n->assign.value->loc, FACT_VALUE, n->assign.value->type, NULL);
    } else if (is_row(f, n)) {
        note_type(f, n->loc, FACT_ROW, n->type, NULL);
    } else if (is_choice(f, *child)) {
        note_type(f, n->loc, FACT_CHOICE, n->type, NULL);
    } else if (n->kind == AST_SWITCH) {
        note_type(f, n->switch_.value->loc, FACT_VALUE, n->switch_.value->type, NULL);
    } else if (n->kind == AST_FOREACH) {
        note_type(f, n->foreach_.seq->loc, FACT_VALUE, n->foreach_.seq->type, NULL);
    }
    const Ast *made = n->kind == AST_NEW_ARRAY && n->new_array.init ? n
                      : n->kind == AST_DECLARATOR                   ? n->declarator.init
                                                                    : NULL;
    if (made && (made->kind == AST_NEW_ARRAY || made->kind == AST_INIT_LIST))
        f->facts->listed = f->facts->listed || !lower_is_listed(made);
    const Ast *alone = n->kind == AST_EXPR_STMT ? n->expr_stmt.expr : NULL;
    if (alone && is_check(alone)) note_type(f, alone->loc, FACT_CHECK, alone->type, NULL);
    f->steps = f->steps || n->kind == AST_IF || n->kind == AST_ASSIGN || n->kind == AST_INCDEC;
    f->functions = f->functions || n->nbound > 0 || n->kind == AST_REDUCE ||
                   n->kind == AST_LAMBDA || n->res == AST_RES_PROMOTE || n->res == AST_RES_REDUCE;
    if (n->kind == AST_ASSIGN && n->assign.target->type && n->assign.target->type->kind == TY_ARRAY)
        f->loops = true; /* a graph has one value for each array */
    ast_each_child(*child, note, ctx);
}

static void find_loops(Ast **child, void *ctx)
{
    Find *f = ctx;
    const Ast *n = *child;
    if (n->kind == AST_LAMBDA || n->kind == AST_FUNC) return;
    f->loops = f->loops || ast_is_loop(n) || n->kind == AST_SWITCH;
    ast_each_child(*child, find_loops, ctx);
}

Facts *facts_of_lambda(Sema *s, const Ast *lambda)
{
    Facts *facts = arena_new_of(s->arena, Facts);
    Ast *copy = ast_clone(s->arena, lambda);
    Find f = {.s = s, .facts = facts};
    int errors = s->quiet_errors;
    s->quiet++;
    s->functional++;
    s->quiet_errors = 0;
    check_expr(s, &copy, NULL);
    facts->good = s->quiet_errors == 0;
    s->quiet_errors = errors;
    s->functional--;
    s->quiet--;
    f.around = copy;
    if (facts->good) note(&copy, &f);
    return facts;
}

/* Checks a copy of its body, as names/decl.c checks the body. */
static void look_into(Sema *s, Symbol *sym, Derived *d)
{
    Ast *f = sym->decl,
        *body = ast_clone(s->arena, sym->as_written ? sym->as_written : f->func.body);
    Find find = {.s = s, .facts = &d->facts};
    Context saved = context_enter(s, sym);
    int errors = s->quiet_errors;
    s->quiet = 1;
    s->quiet_errors = 0;
    s->func = sym;
    s->ret = sym->type->result;
    local_enter(s, sym);
    scope_push(s);
    s->func_depth = s->depth;
    for (int i = 0; i < f->func.params.len; i++) {
        const Ast *p = f->func.params.data[i];
        Symbol *param = scope_symbol(s, SYM_PARAM, p->param.name, sym->type->params[i], p->loc,
                                     f->func.params.data[i]);
        param->mode = decl_mode(p);
        scope_bind(s, param);
    }
    find_loops(&body, &find);
    AstList whole = {&body, 1};
    check_block(s, body->kind == AST_BLOCK ? &body->block.stmts : &whole);
    d->facts.good = s->quiet_errors == 0;
    s->quiet_errors = errors;
    context_leave(s, &saved);
    if (!d->facts.good) return;
    note(&body, &find);
    for (size_t i = 0; i < d->facts.list.len; i++) {
        Symbol *called = d->facts.list.data[i].called;
        d->given = d->given || (called && derived(s, called)->given);
    }
    d->loops = d->loops || find.loops || facts_calls_loops(&d->facts) ||
               (find.steps && find.functions) || find.wholes || split_is(sym->type->result) ||
               (d->facts.listed && !is_of_values(sym));
}

static Derived *derived(Sema *s, Symbol *f)
{
    for (size_t i = 0; i < s->derived.len; i++)
        if (s->derived.data[i]->f == f) return s->derived.data[i];
    Derived *d = arena_new_of(s->arena, Derived);
    d->f = f;
    vec_push(&s->derived, d); /* first: it may call itself */
    d->given = given_is(f);
    d->busy = true;
    bool known =
        f->decl && f->decl->kind == AST_FUNC && f->decl->func.body && f->type && !f->generic;
    bool written = known && (f->as_written || !f->used || f->decl->func.body->type == NULL);
    if (known && (given_is(f) || refs_is(f) || derived_from(s, f)))
        d->loops = true;
    else if (written)
        look_into(s, f, d);
    d->busy = false;
    return d;
}

const Facts *facts_of_function(Sema *s, Symbol *f)
{
    return &derived(s, f)->facts;
}

/* Much of what is made has one place: names that programs cannot have tell it apart. */
static bool is_other(const char *a, const char *b)
{
    return a && b && a != b && (a[0] == '$' || b[0] == '$');
}

const Fact *facts_at(const Facts *facts, const Ast *n, FactKind kind)
{
    const bool calls =
        n->kind == AST_CALL; /* the value of an assignment to several is declared, too */
    const char *name = calls == (kind == FACT_CALL) ? name_of(n) : NULL;
    for (size_t i = 0; i < facts->list.len; i++) {
        const Fact *f = &facts->list.data[i];
        if (f->loc.begin == n->loc.begin && f->loc.end == n->loc.end && kind == f->kind &&
            !is_other(name, f->name))
            return f;
    }
    return NULL;
}

bool facts_calls_loops(const Facts *facts)
{
    for (size_t i = 0; i < facts->list.len; i++) {
        const Fact *f = &facts->list.data[i];
        if (f->called && !(f->under && f->value)) return true;
    }
    return facts->listed;
}

bool facts_all_values(const Facts *facts)
{
    bool all = !facts->listed;
    for (size_t i = 0; i < facts->list.len; i++)
        all = all && (!facts->list.data[i].called || facts->list.data[i].value);
    return all;
}

void facts_free(Sema *s)
{
    for (size_t i = 0; i < s->derived.len; i++) vec_free(&s->derived.data[i]->facts.list);
    vec_free(&s->derived);
}
