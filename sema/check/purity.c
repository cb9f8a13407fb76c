/* Purity: a function is impure if it does input or output, writes to a static field or to an object
 * that it did not make, or calls an impure function. A method that only writes to its own object
 * (writes_self) is impure for those who call it on an object of others. One that writes to ref and
 * out parameters (writes_params) does no more than its caller, who gives what it may write to; it is
 * impure where it is called by a functional expression. Virtual methods are as impure as the worst
 * of their overrides. Inferred over the call graph once all bodies are checked, then every use that
 * needs a pure function is judged.
 */
#include "check.h"

/* The object of a call that runs a method on the caller's own object. */
static const Ast self = {.kind = AST_THIS};

/* Its only effect so far is on its own object. */
static void writes_self(Symbol *f, const char *what, Loc loc)
{
    if (f->writes_self || f->impure) return;
    f->writes_self = true;
    f->writes = what;
    f->impure_loc = loc;
}

void pure_param(Sema *s, const char *name, Loc loc)
{
    const char *what = arena_printf(s->arena, "writes to its parameter '%s'", name);
    if (s->quiet) return;
    if (s->functional || !s->func) {
        pure_impure(s, what, loc);
        return;
    }
    Symbol *f = s->func;
    if (f->writes_params || f->impure) return;
    f->writes_params = true;
    if (f->writes_self) return;
    f->writes = what;
    f->impure_loc = loc;
}

/* May the host call what is below, as a delegate? Not a lambda with ranges, which is an array of what it gives. */
static Ast *acting(const Sema *s)
{
    Ast *n = s->functional == 1 ? s->lambda : NULL;
    for (int i = 0; n && i < n->nbound; i++)
        if (n->bound[i]->constraint) return NULL;
    return n;
}

void pure_impure(Sema *s, const char *what, Loc loc)
{
    if (s->quiet) return;
    if (acting(s)) {
        vec_push(&s->acting, s->lambda);
    } else if (s->functional) {
        report(s, loc, IMPURE, "a functional expression is pure, but this %s", what);
        return;
    }
    if (!s->func || s->func->impure) return;
    s->func->impure = what;
    s->func->impure_loc = loc;
}

void pure_call(Sema *s, Symbol *callee, Loc loc)
{
    if (s->quiet || !s->func) return;
    CallEdge edge = {s->func, callee, NULL, loc};
    vec_push(&s->calls, edge);
}

void pure_method(Sema *s, Symbol *callee, const Ast *object, Loc loc)
{
    if (s->quiet || !s->func) return;
    CallEdge edge = {s->func, callee, object, loc};
    vec_push(&s->calls, edge);
}

/* Going over a sequence is trusted to change nothing but what goes over it. */
static bool is_enumeration(const Sema *s, const Symbol *method)
{
    static const char *const interfaces[] = {"IEnumerable", "IEnumerator", "IStored"};
    const Class *c = method->cls;
    if (!c || !c->sym->library || !c->sym->instance) return false;
    for (int i = 0; i < 3; i++)
        if (c->sym->instance->of->name == intern_cstr(s->names, interfaces[i])) return true;
    return false;
}

void pure_override(Sema *s, Symbol *base, Symbol *with)
{
    if (is_enumeration(s, base)) return;
    CallEdge edge = {base, with, &self, with->loc};
    vec_push(&s->calls, edge);
}

/* A variable of the function itself whose value is a struct: nobody else has it. */
static bool is_copy(const Symbol *func, const Ast *object)
{
    const Symbol *v = object->kind == AST_NAME_REF ? object->sym : NULL;
    const Class *c = v && v->type ? class_of(v->type) : NULL;
    bool own = v && (v->kind == SYM_LOCAL || (v->kind == SYM_PARAM && v->mode == AST_OP_BY_VALUE));
    return own && c && class_is_struct(c) && func && !func->local && !v->cell;
}

void pure_write(Sema *s, const Ast *object, const char *member, Loc loc)
{
    if (s->quiet) return;
    const char *what =
        arena_printf(s->arena, "writes the %sfield '%s'", object ? "" : "static ", member);
    if (!object || s->functional) {
        pure_impure(s, what, loc);
    } else if (object->kind == AST_THIS || object->kind == AST_BASE) {
        if (s->func && !s->func->is_ctor) writes_self(s->func, what, loc);
    } else if (is_copy(s->func, object)) {
        return;
    } else if (s->func && object->kind == AST_NAME_REF && object->sym && object->sym->fresh) {
        ObjectWrite w = {s->func, object->sym, loc};
        vec_push(&s->writes, w);
    } else {
        pure_impure(s, arena_printf(s->arena, "%s of an object that it did not make", what), loc);
    }
}

void pure_need(Sema *s, Symbol *func, Loc loc, const char *why)
{
    if (s->quiet || func->kind != SYM_FUNC) return;
    PureUse use = {func, loc, why, acting(s)};
    vec_push(&s->pure_uses, use);
}

void pure_value(Sema *s, Symbol *func, Ast *name, const Type *type)
{
    if (s->quiet || func->kind != SYM_FUNC || (!s->functional && type_is_hosted(type))) return;
    if (!s->functional && shared_is_kept(s->shared, name)) late_note(s, name);
    PureUse use = {func, name->loc, "is used as a functional value", s->functional ? NULL : name};
    vec_push(&s->pure_uses, use);
}

/* Lambdas and names whose functions have effects are called by the host. */
static void make_closures(Sema *s)
{
    for (size_t i = 0; i < s->acting.len; i++) {
        Ast *node = s->acting.data[i], *made = arena_copy(s->arena, node, sizeof *node);
        if (node->kind == AST_LAMBDA && node->type && node->type->kind == TY_FUNC)
            closure_lambda(s, &made);
        else if (node->kind == AST_NAME_REF)
            closure_function(s, &made);
        *node = *made;
    }
}

/* The statement at the end of the chain of calls. */
static const Symbol *origin(const Sema *s, const Symbol *f)
{
    for (size_t depth = 0; depth < s->calls.len; depth++) {
        const Symbol *next = NULL;
        for (size_t i = 0; i < s->calls.len && !next; i++) {
            const CallEdge *e = &s->calls.data[i];
            bool here = e->caller == f && e->loc.begin == f->impure_loc.begin &&
                        e->loc.end == f->impure_loc.end && e->loc.file == f->impure_loc.file;
            if (here && (e->callee->impure || e->callee->writes_self) && e->callee != f)
                next = e->callee;
        }
        if (!next) return f;
        f = next;
    }
    return f;
}

/* Writes to an object that a function made itself are nobody else's business. */
static bool is_own(const Ast *object)
{
    if (object->kind == AST_NEW) return true;
    if (object->kind == AST_CONVERT && !object->convert.operand)
        return true; /* of an initialiser */
    return object->kind == AST_NAME_REF && object->sym && object->sym->fresh &&
           !object->sym->assigned_again;
}

/* What a call does to its caller; true if that is news. */
static bool infer_call(Sema *s, const CallEdge *e)
{
    Symbol *f = e->caller;
    if (f->impure || (!e->callee->impure && !e->callee->writes_self)) return false;
    if (e->callee->derived) return false; /* what it is made of was asked for */
    if (!e->callee->impure) {
        bool own_object = e->object && (e->object->kind == AST_THIS || e->object->kind == AST_BASE);
        if (e->object && (is_own(e->object) || is_copy(f, e->object))) return false;
        if (own_object && (f->is_ctor || f->writes_self)) return false;
        if (own_object) {
            writes_self(
                f, arena_printf(s->arena, "calls '%s', which changes its object", e->callee->name),
                e->loc);
            return true;
        }
    }
    f->impure = arena_printf(s->arena, "calls '%s', which %s", e->callee->name,
                             e->callee->impure ? "is impure" : "changes its object");
    f->impure_loc = e->loc;
    return true;
}

void pure_infer(Sema *s)
{
    for (size_t i = 0; i < s->writes.len; i++) {
        const ObjectWrite *w = &s->writes.data[i];
        if (!w->local->assigned_again || w->func->impure) continue;
        w->func->impure = "writes a field of an object that it did not make";
        w->func->impure_loc = w->loc;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < s->calls.len; i++) changed |= infer_call(s, &s->calls.data[i]);
    }
    for (size_t i = 0; i < s->pure_uses.len; i++) { /* these are effects for others */
        Symbol *f = s->pure_uses.data[i].func;
        if ((f->writes_self || f->writes_params) && !f->impure) f->impure = f->writes;
    }
    for (size_t i = 0; i < s->pure_uses.len; i++) {
        const PureUse *u = &s->pure_uses.data[i];
        if (!u->func->impure) continue;
        if (u->node) {
            vec_push(&s->acting, u->node);
            continue;
        }
        report(s, u->loc, IMPURE, "'%s' %s, but it is not pure", u->func->name, u->why);
        const Symbol *end = origin(s, u->func);
        if (end != u->func)
            report_note(s, u->func->impure_loc, "'%s' %s", u->func->name, u->func->impure);
        report_note(s, end->impure_loc, "'%s' %s", end->name,
                    end->impure ? end->impure : end->writes);
    }
    make_closures(s);
}
