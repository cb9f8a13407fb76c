/* Local arrays of a few elements as a variable for each element, so that a loop over them leaves numbers on a tape
 * (tape.c), and no arrays. After lowering such arrays are variables anyway (lower/scalars), which is too late here.
 *
 *     double[] f(double[] y, double a) => .. ;     (double, double) $small_f(double $y$0, double $y$1, double a) => .. ;
 *     double[] k = f(y + 0.5 * h * k1, a);         var ($k$0, $k$1) = $small_f($y$0 + 0.5 * h * $k1$0, .., a);
 *     y = y + h * k;                               $y$0 = $y$0 + h * $k$0; $y$1 = ..;
 *     return y;                                    return new double[] { $y$0, $y$1 };
 *
 * An array stays one where something is not known: an index, a number of elements, who else gets it. Then the function
 * is tried again without it. What is made is checked; where that finds an error, or anything else is unclear, the function
 * is what it was. Keeps: the result, and what is thrown, but for reads that no derivative needs. */
#include "small.h"

typedef struct SmallVersion {
    const Symbol *of;
    SmallArg args[MAX_PARAMS]; /* for its parameters */
    bool parts;                /* of a call: the result is given by elements */
    Symbol *f;                 /* NULL: there is none, or it is being made */
    SmallResult result;
} SmallVersion;

struct SmallVersions {
    VEC(SmallVersion *) all;
};

void small_free(Sema *s)
{
    if (s->smalls) vec_free(&s->smalls->all);
    small_given_free(s);
}

/* ---- boxes ----------------------------------------------------------------------------------------- */

bool small_same(const SmallBox *a, const SmallBox *b)
{
    bool same = a->rank == b->rank;
    for (int i = 0; same && i < a->rank; i++) same = a->n[i] == b->n[i];
    return same;
}

int small_count(const SmallBox *box)
{
    int n = box->rank ? 1 : 0;
    for (int i = 0; i < box->rank; i++) n *= box->n[i];
    return n;
}

bool small_suits(const Type *t)
{
    if (!type_is_functional(t) || t->nparams > SMALL_RANK || t->result->kind != TY_SCALAR)
        return false;
    for (int i = 0; t->kind == TY_FUNC && i < t->nparams; i++)
        if (!type_is_scalar(t->params[i], SC_INT)) return false;
    return t->result->scalar != SC_HALF && !type_is_enum(t->result);
}

/* ---- arrays ------------------------------------------------------------------------------------------ */

const SmallArray *small_find(const Small *w, const char *name)
{
    for (size_t i = w->arrays.len; i-- > 0;)
        if (w->arrays.data[i].name == name) return &w->arrays.data[i];
    return NULL;
}

void small_reject(Small *w, const SmallArray *a)
{
    if (!a->loc.end) w->good = false; /* a parameter */
    if (!small_may(w, a->name, a->loc)) return;
    vec_push(&w->stay, ((SmallStay){a->name, a->loc}));
    w->again = true;
}

bool small_may(const Small *w, const char *name, Loc loc)
{
    for (size_t i = 0; i < w->bound.len; i++)
        if (w->bound.data[i] == name) return false;
    for (size_t i = 0; i < w->stay.len; i++) {
        const SmallStay *stay = &w->stay.data[i];
        if (stay->name == name && stay->loc.begin == loc.begin && stay->loc.file == loc.file)
            return false;
    }
    return true;
}

void small_see(Small *w, const char *name, const Type *t)
{
    scope_bind(w->s, scope_symbol(w->s, SYM_LOCAL, name, t, NOWHERE, NULL));
}

static const char *element_name(Sema *s, const char *array, int i)
{
    const char *name = array[0] == '$' ? array + 1 : array;
    return intern_cstr(s->names, arena_printf(s->arena, "$%s$%d", name, i));
}

const SmallArray *small_declare(Small *w, const char *name, Loc loc, const Type *t,
                                const SmallBox *box)
{
    Sema *s = w->s;
    SmallArray a = {.name = name, .loc = loc, .type = t->result, .box = *box};
    if (!small_suits(t) || !small_may(w, name, loc) || small_count(box) > SMALL_MOST) return NULL;
    for (int i = 0; i < small_count(box); i++) {
        a.elements[i] = element_name(s, name, i);
        small_see(w, a.elements[i], a.type);
    }
    vec_push(&w->arrays, a);
    w->any = true;
    return &vec_last(&w->arrays);
}

/* ---- functions --------------------------------------------------------------------------------------- */

typedef struct Scan {
    Small *w;
    bool local; /* has functions of its own, or what this file does not know */
    VEC(const char *) set;
    VEC(const char *) declared;
} Scan;

static void scan(Ast **child, void *ctx)
{
    Scan *f = ctx;
    Ast *n = *child;
    if (!n) return;
    const Ast *target =
        n->kind == AST_ASSIGN   ? n->assign.target
        : n->kind == AST_INCDEC ? n->incdec.target
        : n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT)
            ? n->unary.operand
            : NULL;
    f->local = f->local || n->kind == AST_FUNC || n->kind == AST_TRY || n->kind == AST_YIELD ||
               n->kind == AST_USING || n->kind == AST_GOTO;
    if (n->kind == AST_BINDER && (n->binder.constraint || !n->binder.vtype))
        for (int i = 0; i < n->binder.names.len; i++)
            vec_push(&f->w->bound, n->binder.names.data[i]->name_ref.name);
    if (target && target->kind == AST_NAME_REF) vec_push(&f->set, target->name_ref.name);
    if (target && target->kind == AST_TUPLE)
        for (int i = 0; i < target->tuple.items.len; i++)
            if (target->tuple.items.data[i]->kind == AST_NAME_REF)
                vec_push(&f->set, target->tuple.items.data[i]->name_ref.name);
    if (n->kind == AST_BINDER)
        for (int i = 0; i < n->binder.names.len; i++)
            vec_push(&f->declared, n->binder.names.data[i]->name_ref.name);
    const char *other = n->kind == AST_FOREACH      ? n->foreach_.name
                        : n->kind == AST_DECL_EXPR  ? n->decl_expr.name
                        : n->kind == AST_PATTERN_OF ? n->pattern_of.name
                        : n->kind == AST_IS         ? n->is_.name
                                                    : NULL;
    if (other) vec_push(&f->declared, other);
    if (n->kind == AST_DECLARATOR) {
        const Ast *init = n->declarator.init;
        vec_push(&f->declared, n->declarator.name);
        if (init && init->kind == AST_INT_LIT && init->int_lit.value < 1 << 20)
            vec_push(&f->w->counts,
                     ((SmallCount){n->declarator.name, (int64_t)init->int_lit.value}));
    }
    ast_each_child(n, scan, ctx);
}

static int times(const char *name, const char *const *names, size_t n)
{
    int count = 0;
    for (size_t i = 0; i < n; i++) count += names[i] == name;
    return count;
}

/* Looks at a body: which names are bound in it, and which ints have one value. False: it has what is not known here. */
static bool look(Small *w, Ast *body, const SmallArg *args)
{
    Scan f = {.w = w};
    size_t kept = 0;
    scan(&body, &f);
    for (size_t i = 0; i < w->counts.len; i++) {
        const SmallCount c = w->counts.data[i];
        if (times(c.name, f.declared.data, f.declared.len) == 1 &&
            !times(c.name, f.set.data, f.set.len) && !times(c.name, w->bound.data, w->bound.len))
            w->counts.data[kept++] = c;
    }
    w->counts.len = kept;
    for (int i = 0; i < w->f->type->nparams; i++) { /* what is given has one name, and its own */
        if (!args[i].given) continue;
        const char *names[] = {w->f->decl->func.params.data[i]->param.name, args[i].given->f->name};
        for (int k = 0; k < 2; k++)
            f.local = f.local || times(names[k], f.set.data, f.set.len) ||
                      times(names[k], f.declared.data, f.declared.len) ||
                      times(names[k], w->bound.data, w->bound.len);
    }
    vec_free(&f.set);
    vec_free(&f.declared);
    return !f.local;
}

/* One try: the body, rewritten, or NULL. */
static Ast *try_body(Small *w, const Ast *written, const SmallArg *args)
{
    Sema *s = w->s;
    Symbol *f = w->f;
    AstList stmts = {0};
    Ast *body = ast_clone(s->arena, written);
    Context saved = context_enter(s, f);
    const int errors = s->quiet_errors;
    s->quiet = 1;
    s->func = f;
    s->ret = f->type->result;
    local_enter(s, f);
    scope_push(s);
    s->func_depth = s->depth;
    w->arrays.len = 0;
    w->again = w->any = w->returned = false;
    w->nodes = w->within = 0;
    for (int i = 0; i < f->type->nparams; i++) {
        Ast *p = f->decl->func.params.data[i];
        const SmallGiven *given = args[i].given;
        for (int k = 0; given && k < given->n; k++)
            small_see(w, small_given_name(s, i, given->captured[k]), given->types[k]);
        if (given) {
            const Symbol *meant = scope_user(s, given->f->name);
            w->good = w->good && (given->in || meant == given->f);
            continue;
        }
        Symbol *param = scope_symbol(s, SYM_PARAM, p->param.name, f->type->params[i], p->loc, p);
        param->mode = decl_mode(p);
        scope_bind(s, param);
        if (args[i].box.rank &&
            !small_declare(w, p->param.name, (Loc){0}, f->type->params[i], &args[i].box))
            w->good = false;
    }
    if (body->kind == AST_BLOCK)
        stmts = body->block.stmts;
    else
        stmts = ast_list_add(s->arena, stmts, body);
    small_list(w, &stmts);
    s->quiet_errors = errors;
    context_leave(s, &saved);
    return code_block(s, body->loc, stmts);
}

static Ast *body_of(Small *w, const SmallArg *args)
{
    Sema *s = w->s;
    Symbol *f = w->f;
    Ast *written = ast_clone(s->arena, f->as_written ? f->as_written : f->decl->func.body), *body;
    lift_expand(s, f, &written);
    if (!look(w, written, args)) return NULL;
    for (int i = 0; i < f->type->nparams; i++)
        if (args[i].given && !small_given_put(s, &written, f->decl->func.params.data[i]->param.name,
                                              i, args[i].given))
            return NULL;
    do {
        body = try_body(w, written, args);
    } while (w->good && w->again);
    return w->good && w->nodes < SMALL_NODES ? body : NULL;
}

static void free_small(Small *w)
{
    vec_free(&w->arrays);
    vec_free(&w->stay);
    vec_free(&w->counts);
    vec_free(&w->bound);
}

/* The function with this body and these parameters; NULL: it has errors. */
static Symbol *settled(Small *w, const SmallArg *args, Ast *body)
{
    Sema *s = w->s;
    Symbol *f = w->f, *made = derived_copy(s, f, "small");
    Loc loc = f->decl->loc;
    AstList params = {0};
    Ast *ret = type_node(s, loc, f->type->result);
    for (int i = 0; i < f->type->nparams; i++) {
        const Ast *p = f->decl->func.params.data[i];
        const Type *t = f->type->params[i];
        const SmallGiven *given = args[i].given;
        for (int k = 0; given && k < given->n; k++)
            params = ast_list_add(s->arena, params,
                                  tree_param(s, p->loc, type_node(s, p->loc, given->types[k]),
                                             small_given_name(s, i, given->captured[k])));
        if (given) continue;
        if (!args[i].box.rank) {
            params = ast_list_add(s->arena, params,
                                  tree_param(s, p->loc, type_node(s, p->loc, t), p->param.name));
            continue;
        }
        for (int k = 0; k < small_count(&args[i].box); k++) {
            params = ast_list_add(s->arena, params,
                                  tree_param(s, p->loc, type_node(s, p->loc, t->result),
                                             element_name(s, p->param.name, k)));
        }
    }
    if (w->parts) {
        const Type *types[SMALL_PARTS * SMALL_MOST];
        int n = 0;
        for (int i = 0; i < w->result.n; i++)
            for (int k = w->result.boxes[i].rank ? small_count(&w->result.boxes[i]) : 1; k-- > 0;)
                types[n++] =
                    w->result.boxes[i].rank ? w->result.types[i]->result : w->result.types[i];
        ret = code_tuple_type(s, loc, n, types);
    }
    if (params.len > MAX_PARAMS) return NULL;
    made->mods &= ~(uint64_t)(AST_MOD_VIRTUAL | AST_MOD_OVERRIDE);
    derived_add_version(s, VERSION_SMALL, f, made);
    derived_settle(s, made, tree_func(s, loc, made->mods, ret, made->name, params, body));
    return made->type && facts_of_function(s, made)->good ? made : NULL;
}

static SmallVersion *version_of(Sema *s, const Symbol *f, const SmallArg *args, bool parts)
{
    if (!s->smalls) s->smalls = arena_new_of(s->arena, struct SmallVersions);
    for (size_t i = 0; i < s->smalls->all.len; i++) {
        SmallVersion *v = s->smalls->all.data[i];
        bool same = v->of == f && v->parts == parts;
        for (int k = 0; same && k < f->type->nparams; k++)
            same = small_same(&v->args[k].box, &args[k].box) && v->args[k].given == args[k].given;
        if (same) return v;
    }
    return NULL;
}

static SmallVersion *new_version(Sema *s, const Symbol *f, const SmallArg *args, bool parts)
{
    SmallVersion *v = arena_new_of(s->arena, SmallVersion);
    v->of = f;
    v->parts = parts;
    for (int k = 0; k < f->type->nparams; k++) v->args[k] = args[k];
    vec_push(&s->smalls->all, v);
    return v;
}

/* Is its body known, and all that it does of the kind that this file takes? */
static bool is_open(Sema *s, const Symbol *f)
{
    return f->decl && f->decl->kind == AST_FUNC && f->decl->func.body && f->type && !f->generic &&
           !f->instance && !f->local && !refs_is(f) && !given_is(f) && !derived_from(s, f) &&
           !f->derived && f->type->nparams <= MAX_PARAMS;
}

Symbol *small_version(Sema *s, Symbol *f, Loc loc)
{
    SmallArg none[MAX_PARAMS] = {0};
    if (!is_open(s, f)) return f;
    SmallVersion *known = version_of(s, f, none, false);
    if (known) return known->f ? known->f : f;
    Small w = {.s = s, .f = f, .good = true};
    SmallVersion *v = new_version(s, f, none, false);
    Ast *body = body_of(&w, none);
    if (body && w.any) v->f = settled(&w, none, body);
    free_small(&w);
    if (!v->f) return f;
    if (f->name[0] != '$') pure_need(s, f, loc, "is differentiated");
    new_version(s, v->f, none, false)->f = v->f;
    return v->f;
}

/* What it gives as parts: an array, or a tuple of such and of numbers. */
static bool gives(const Type *t, SmallResult *out)
{
    const Class *c = t->kind == TY_OBJECT ? class_of(t) : NULL;
    out->n = 1;
    out->types[0] = t;
    if (small_suits(t)) return true;
    if (!c || !c->tuple || c->nfields > SMALL_PARTS) return false;
    bool any = false;
    out->n = c->nfields;
    for (int i = 0; i < c->nfields; i++) {
        out->types[i] = c->fields[i]->type;
        any = any || small_suits(out->types[i]);
        if (out->types[i]->kind != TY_SCALAR && !small_suits(out->types[i])) return false;
    }
    return any;
}

const Symbol *small_function(Small *w, Symbol *f, const SmallArg *args, Loc loc,
                             SmallResult *result)
{
    Sema *s = w->s;
    if (!is_open(s, f) || f->self) return NULL;
    Small inner = {.s = s, .f = f, .good = true};
    inner.parts = gives(f->type->result, &inner.result);
    if (!inner.parts && f->type->result->kind != TY_SCALAR) return NULL;
    SmallVersion *v = version_of(s, f, args, true);
    if (!v) {
        v = new_version(s, f, args, true);
        Ast *body = body_of(&inner, args);
        if (body) v->f = settled(&inner, args, body);
        v->result = inner.result;
        if (!inner.parts) v->result.n = 0;
        if (v->f && f->name[0] != '$') {
            const int quiet = s->quiet;
            s->quiet = 0;
            pure_need(s, f, loc, "is differentiated");
            s->quiet = quiet;
        }
        if (v->f) new_version(s, v->f, (SmallArg[MAX_PARAMS]){0}, false)->f = v->f;
    }
    free_small(&inner);
    *result = v->result;
    return v->f;
}
