/* Members of classes and enums: their table, and who may see them. A member is found in one way
 * (member_find), its access judged in one place (member_check_access). */
#include <string.h>

#include "../check/check.h"

/* ---- tables --------------------------------------------------------------------------------- */

Symbol *member_own(const Symbol *owner, const char *name)
{
    const Members *m = owner->members;
    for (int i = 0; m && i < m->len; i++)
        if (m->data[i]->name == name) return m->data[i];
    return NULL;
}

void member_add(Sema *s, Symbol *owner, Symbol *member)
{
    Members *m = owner->members;
    Symbol *old = member_own(owner, member->name);
    bool overloads = old && old->kind == member->kind && old->kind != SYM_CONST &&
                     (old->kind == SYM_FUNC || !strcmp(old->name, "this"));
    if (old && !overloads) {
        report(s, member->loc, REDECLARED, "'%s' already has a member '%s'", owner->name,
               member->name);
        report_note(s, old->loc, "the other declaration of '%s'", member->name);
        return;
    }
    if (old) {
        while (old->next) old = old->next;
        old->next = member;
        return;
    }
    if (m->len == m->cap) {
        m->cap = m->cap ? 2 * m->cap : 8;
        size_t more = (size_t)(m->cap - m->len);
        m->data =
            arena_grow(s->arena, m->data, sizeof member * (size_t)m->len, sizeof member * more);
    }
    m->data[m->len++] = member;
}

/* "$P" is the storage of the automatic property P. */
static Symbol *find_storage(Sema *s, const Class *cls, const char *name)
{
    Symbol *p = member_own(cls->sym, intern_cstr(s->names, name + 1));
    return p && p->kind == SYM_PROPERTY ? p->storage : NULL;
}

/* Where members of a class are looked for: in itself, its bases, its interfaces, and for an
 * interface in object. */
typedef struct Owners {
    Class **data;
    int len;
} Owners;

static Owners owners_of(Sema *s, Class *cls)
{
    class_ready(s, cls);
    int n = cls->ninterfaces + 1;
    for (const Class *c = cls; c; c = c->base) n++;
    Owners o = {.data = arena_array(s->arena, Class *, n)};
    for (Class *c = cls; c; c = c->base) o.data[o.len++] = c;
    for (int i = 0; i < cls->ninterfaces; i++) o.data[o.len++] = cls->interfaces[i];
    Class *object = class_is_interface(cls) ? class_object(s) : NULL;
    if (object) {
        class_ready(s, object);
        o.data[o.len++] = object;
    }
    return o;
}

Symbol *member_find(Sema *s, Class *cls, const char *name)
{
    Owners owners = owners_of(s, cls);
    if (name[0] == '$') return find_storage(s, cls, name);
    for (int i = 0; i < owners.len; i++) {
        Symbol *m = member_own(owners.data[i]->sym, name);
        if (m) return m;
    }
    return tuple_field(s, cls, name);
}

/* Is it what a generic method before it implements? */
static bool is_implemented(const Candidates *set, const Symbol *f)
{
    const AstList params = f->decl->func.params;
    for (int i = 0; f->generic && i < set->len; i++) {
        const Symbol *g = set->data[i].sym;
        if (g->generic && g->decl->func.params.len == params.len &&
            generic_nparams(g) == generic_nparams(f))
            return true;
    }
    return false;
}

static void add_overloads(Candidates *set, Symbol *first, bool implemented)
{
    for (Symbol *f = first; f; f = f->next) {
        if (f->kind != SYM_FUNC || (!f->generic && !f->type)) continue;
        if (f->generic && (f->mods & AST_MOD_OVERRIDE))
            continue; /* it runs for what it overrides */
        int n = f->generic ? f->decl->func.params.len : f->type->nparams;
        bool hidden = n > MAX_PARAMS || (implemented && is_implemented(set, f));
        for (int i = 0; i < set->len && !hidden && !f->generic; i++) {
            const Candidate *c = &set->data[i];
            hidden = c->nparams == n && !c->sym->generic;
            for (int p = 0; p < n && hidden; p++) hidden = c->params[p] == f->type->params[p];
        }
        if (!hidden) candidates_add(set, f);
    }
}

int count_overloads(const Symbol *first)
{
    int n = 0;
    for (const Symbol *f = first; f; f = f->next) n++;
    return n;
}

Candidates candidates_of_methods(Sema *s, Class *cls, const char *name)
{
    Owners owners = owners_of(s, cls);
    int n = 0;
    for (int i = 0; i < owners.len; i++)
        n += count_overloads(member_own(owners.data[i]->sym, name));
    Candidates set = {.name = name, .data = arena_array(s->arena, Candidate, n ? n : 1)};
    for (int i = 0; i < owners.len; i++) {
        bool implemented = !class_is_interface(cls) && class_is_interface(owners.data[i]);
        add_overloads(&set, member_own(owners.data[i]->sym, name), implemented);
    }
    return set;
}

/* ---- access --------------------------------------------------------------------------------- */

static const Symbol *origin(const Class *c)
{
    return c->sym->instance ? c->sym->instance->of : c->sym;
}

bool member_accessible(Sema *s, const Symbol *m)
{
    if (!m->cls || !(m->mods & (AST_MOD_PRIVATE | AST_MOD_PROTECTED))) return true;
    if (m->mods & AST_MOD_INTERNAL) return true; /* protected internal */
    if (!s->cls) return false;
    for (const Class *c = s->cls; c; c = class_outer(s, c)) /* what is inside may, too */
        if (origin(c) == origin(m->cls)) return true;
    return (m->mods & AST_MOD_PROTECTED) && class_is(s->cls, m->cls);
}

void member_check_access(Sema *s, const Symbol *m, Loc loc)
{
    if (member_accessible(s, m)) return;
    const char *access = m->mods & AST_MOD_PRIVATE ? "private" : "protected";
    if (m->is_ctor)
        report(s, loc, ACCESS, "this constructor of '%s' is %s", m->cls->sym->name, access);
    else
        report(s, loc, ACCESS, "'%s' is %s in '%s'", m->name, access, m->cls->sym->name);
    report_note(s, m->loc, "'%s' is declared here%s", m->name,
                m->decl && (m->mods & AST_MOD_PRIVATE)
                    ? "; members of a class are private unless marked public"
                    : "");
}
