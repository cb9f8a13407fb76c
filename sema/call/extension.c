/* Extension methods: functions whose first parameter is written `this T x`, at the top level or
 * static in a class. A call x.f(..) that the type of x has no method for is a call f(x, ..).
 */
#include "../check/check.h"

bool extension_is(const Ast *decl)
{
    if (decl->kind != AST_FUNC || !decl->func.params.len) return false;
    const Ast *first = decl->func.params.data[0];
    return first->kind == AST_PARAM && first->param.extends;
}

void extension_collect(Sema *s, Symbol *sym, const Ast *decl)
{
    bool some = extension_is(decl);
    for (int i = 0; decl->kind == AST_CLASS && i < decl->class_.members.len && !some; i++)
        some = extension_is(decl->class_.members.data[i]);
    if (some && !(sym->generic && sym->kind == SYM_TYPE)) vec_push(&s->extending, sym);
}

/* ---- which are meant ------------------------------------------------------------------------ */

/* Those of the file itself win over those of modules, and these over the library's. */
static int nearness(const Sema *s, const Symbol *f)
{
    int depth = decl_depth(s, f);
    if (f->library || (f->cls && f->cls->sym->library)) return 1;
    return depth < s->unit_depth && !s->unit->unit.session ? 2 : 3 + depth;
}

/* The first overload of the name that is declared here, or NULL. */
static Symbol *named(Sema *s, Symbol *owner, const char *name)
{
    if (owner->kind == SYM_FUNC) return owner->name == name ? owner : NULL;
    const Type *t = class_type(s, owner);
    Class *cls = class_of(t);
    if (!cls) return NULL;
    class_ready(s, cls);
    return member_own(cls->sym, name);
}

/* Is the function an extension method that may be called here on such a value? */
static bool extends(Sema *s, Symbol *f, const AstList *targs, const Ast *receiver)
{
    if (f->kind != SYM_FUNC || !extension_is(f->decl) || !member_accessible(s, f)) return false;
    const Type *t = receiver->type, *to = f->generic ? generic_receiver(s, f, targs, receiver)
                                          : f->type && f->type->nparams ? f->type->params[0]
                                                                        : NULL;
    if (!to || to == s->error) return false;
    if (type_is_functional(t) && !type_is_functional(to)) { /* of each of its values */
        if (t->result == to) return true;
    } else if (type_is_functional(t) && t->result != to->result) {
        return false;
    }
    Ast like = {.kind = AST_BAD, .type = t};
    Class *cls = class_of(to);
    switch (convert_class(s, &like, to)) {
    case CONV_NONE:
    case CONV_LITERAL: return false;
    case CONV_USER:
        return cls && (class_is_object(cls) || cls->decl->class_.mods & AST_MOD_INTERFACE);
    case CONV_WIDEN: return t->kind != TY_SCALAR;
    default: return true;
    }
}

static void add(Sema *s, Candidates *set, Symbol *f)
{
    Candidates one = {.data = arena_array(s->arena, Candidate, set->len + 1)};
    for (int i = 0; i < set->len; i++) {
        if (set->data[i].sym == f) return;
        one.data[i] = set->data[i];
    }
    one.len = set->len;
    candidates_add(&one, f);
    if (one.len == set->len) return;
    one.data[set->len].nearness = nearness(s, f);
    set->data = one.data;
    set->len = one.len;
}

static Candidates candidates(Sema *s, const char *name, const AstList *targs, const Ast *receiver)
{
    Candidates set = {.name = name, .receivers = 1};
    for (size_t i = 0; i < s->extending.len; i++) {
        Symbol *owner = s->extending.data[i];
        if (decl_depth(s, owner) > s->globals) continue; /* of a file that this one does not see */
        for (Symbol *f = named(s, owner, name); f; f = f->next) {
            if (extends(s, f, targs, receiver)) add(s, &set, f);
            if (owner->kind == SYM_FUNC) break; /* each overload is in the list */
        }
    }
    return set;
}

static bool is_declared(Sema *s, const char *name)
{
    for (size_t i = 0; i < s->extending.len; i++) {
        const Symbol *owner = s->extending.data[i];
        if (owner->kind == SYM_FUNC && owner->name == name) return true;
        if (owner->kind == SYM_FUNC) continue;
        const AstList *members = &owner->decl->class_.members;
        for (int k = 0; k < members->len; k++)
            if (extension_is(members->data[k]) && members->data[k]->func.name == name) return true;
    }
    return false;
}

/* ---- the call ------------------------------------------------------------------------------- */

/* Has the type a method that takes the call, or a function as a member? Looked at in a copy. */
static bool is_taken(Sema *s, const Ast *n)
{
    Ast *copy = ast_clone(s->arena, n);
    int errors = s->quiet_errors, functional = s->functional;
    s->quiet++;
    s->functional = 0; /* purity is another matter */
    const Type *t = check_expr(s, &copy->call.callee, NULL);
    bool taken = t != s->error && (t->kind == TY_GROUP || type_is_functional(t) ||
                                   (class_of(t) && class_of(t)->function));
    if (taken && t->kind == TY_GROUP) {
        copy = ast_clone(s->arena, n);
        s->quiet_errors = 0;
        check_member_own(s, &copy);
        taken = s->quiet_errors == 0;
    }
    s->functional = functional;
    s->quiet--;
    s->quiet_errors = errors;
    return taken;
}

static void call(Sema *s, Ast *n, Candidates set)
{
    Ast *callee = n->call.callee;
    AstList args = ast_list_add(s->arena, (AstList){0}, callee->member.base);
    for (int i = 0; i < n->call.args.len; i++)
        args = ast_list_add(s->arena, args, n->call.args.data[i]);
    n->call.args = args;
    n->type = callee->type = s->error;
    set = call_candidates(s, n, set);
    Fit fit;
    const Candidate *c = set.len ? resolve(s, n, set, n->call.args, &fit) : NULL;
    if (!c) return;
    resolve_apply(s, c, fit, n->call.args, n->loc);
    complete_arguments(s, c, &n->call.args, n->loc);
    const unsigned char *order = n->order;
    call_static(s, n, c->sym, n->call.args);
    n->order = order;
    n->call.callee->loc = callee->loc;
    if (fit != FIT_PROMOTED) return;
    n->res = AST_RES_PROMOTE;
    n->type = promoted_call(s, n->loc, c->result, c, NULL, n->call.args);
}

bool extension_call(Sema *s, Ast **slot)
{
    Ast *n = *slot, *callee = n->call.callee;
    if (callee->kind != AST_MEMBER || !is_declared(s, callee->member.name)) return false;
    if (!member_receiver(s, callee)) return false;
    const AstList *targs = n->call.targs.len ? &n->call.targs : NULL;
    Candidates set = candidates(s, callee->member.name, targs, callee->member.base);
    if (!set.len || is_taken(s, n)) return false;
    call(s, n, set);
    return true;
}

bool extension_takes_apart(Sema *s, const Type *t, int n)
{
    const char *name = intern_cstr(s->names, "Deconstruct");
    Ast value = {.kind = AST_BAD, .type = t};
    Candidates set = is_declared(s, name) ? candidates(s, name, NULL, &value) : (Candidates){0};
    for (int i = 0; i < set.len; i++)
        if (set.data[i].nparams == n + 1 && !set.data[i].sym->generic) return true;
    return false;
}
