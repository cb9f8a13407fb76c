/* Purity: a function is impure if it does input or output, writes to a ref or out parameter or
 * calls an impure function. Inferred over the call graph once all bodies are checked, then every
 * use that needs a pure function is judged.
 */
#include "check.h"

void pure_impure(Sema *s, const char *what, Loc loc)
{
    if (s->quiet) return;
    if (s->functional) {
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
    CallEdge edge = {s->func, callee, loc};
    vec_push(&s->calls, edge);
}

void pure_need(Sema *s, Symbol *func, Loc loc, const char *why)
{
    if (s->quiet || func->kind != SYM_FUNC) return;
    PureUse use = {func, loc, why};
    vec_push(&s->pure_uses, use);
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
            if (here && e->callee->impure && e->callee != f) next = e->callee;
        }
        if (!next) return f;
        f = next;
    }
    return f;
}

void pure_infer(Sema *s)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < s->calls.len; i++) {
            const CallEdge *e = &s->calls.data[i];
            if (e->caller->impure || !e->callee->impure) continue;
            e->caller->impure =
                arena_printf(s->arena, "calls '%s', which is impure", e->callee->name);
            e->caller->impure_loc = e->loc;
            changed = true;
        }
    }
    for (size_t i = 0; i < s->pure_uses.len; i++) {
        const PureUse *u = &s->pure_uses.data[i];
        if (!u->func->impure) continue;
        report(s, u->loc, IMPURE, "'%s' %s, but it is not pure", u->func->name, u->why);
        const Symbol *end = origin(s, u->func);
        if (end != u->func)
            report_note(s, u->func->impure_loc, "'%s' %s", u->func->name, u->func->impure);
        report_note(s, end->impure_loc, "'%s' %s", end->name, end->impure);
    }
}
