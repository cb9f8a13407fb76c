/* Variance: an object of an interface's instance stands for another instance of it, IProducer<Dog> for
 * IProducer<Animal>, where the parameter is only given, and IConsumer<Animal> for IConsumer<Dog>, where it is only
 * taken. How a parameter is used says so, not `out` and `in`, which say the same. Both arguments are classes, whose
 * objects are references, so that one method serves both; its class has it once more for the other's selector.
 */
#include <string.h>

#include "../check/check.h"

/* How a type as written has the parameter: not, as the type itself, inside of it. */
typedef enum Mention { NOT_AT_ALL, ITSELF, INSIDE } Mention;

typedef struct Search {
    const char *name;
    int found;
} Search;

static void search(Ast **slot, void *ctx)
{
    Search *f = ctx;
    if ((*slot)->kind == AST_TYPE_NAME && (*slot)->type_name.name == f->name) f->found++;
    ast_each_child(*slot, search, f);
}

static Mention mention(const Ast *type, const char *name)
{
    if (!type) return NOT_AT_ALL;
    if (type->kind == AST_TYPE_NAME && type->type_name.name == name) return ITSELF;
    Search f = {name, 0};
    Ast *root = (Ast *)(uintptr_t)type;
    search(&root, &f);
    return f.found ? INSIDE : NOT_AT_ALL;
}

/* 1: only given, -1: only taken, 0: neither. */
static int variance_of(const Symbol *of, int k)
{
    const char *name = generic_param(of, k)->type_param.name;
    const AstList *members = &of->decl->class_.members;
    bool given = false, taken = false;
    for (int i = 0; i < of->decl->class_.bases.len; i++)
        if (mention(of->decl->class_.bases.data[i], name)) return 0;
    for (int i = 0; i < members->len; i++) {
        const Ast *m = members->data[i];
        bool property = m->kind == AST_PROPERTY;
        if (!property && m->kind != AST_FUNC) continue;
        if (!property && m->func.tparams.len) return 0;
        const AstList *params = property ? &m->property.params : &m->func.params;
        Mention result = mention(property ? m->property.ptype : m->func.ret, name);
        if (result == INSIDE) return 0;
        given = given || (result == ITSELF && (!property || m->property.get));
        taken = taken || (result == ITSELF && property && m->property.set);
        for (int p = 0; p < params->len; p++) {
            const struct Ast_param *param = &params->data[p]->param;
            Mention of_param = mention(param->ptype, name);
            if (of_param == INSIDE || (of_param && param->mode != AST_OP_BY_VALUE)) return 0;
            taken = taken || of_param == ITSELF;
        }
    }
    return given == taken ? 0 : given ? 1 : -1;
}

static bool is_reference(const Class *c)
{
    return c && c->type->kind == TY_OBJECT && !class_is_final_value(c);
}

bool vary_stands(const Class *a, const Class *b)
{
    const Instance *x = a->sym->instance, *y = b->sym->instance;
    if (a == b || !x || !y || x->of != y->of || x->of->decl->kind != AST_CLASS ||
        !(x->of->decl->class_.mods & AST_MOD_INTERFACE))
        return false;
    for (int k = 0; k < x->nparams; k++) {
        const Type *s = x->params[k]->type, *t = y->params[k]->type;
        const Class *from = class_of(s), *to = class_of(t);
        if (s == t) continue;
        if (!is_reference(from) || !is_reference(to)) return false;
        int way = variance_of(x->of, k);
        if (x->of->library && way > 0) return false; /* sequences are made anew (sequence.c) */
        if (way == 0 || !class_is(way > 0 ? from : to, way > 0 ? to : from)) return false;
    }
    return true;
}

Symbol *vary_method(const Class *c, const Symbol *method)
{
    const Members *m = c->sym->members;
    for (int i = 0; m && i < m->len; i++)
        for (Symbol *f = m->data[i]; f; f = f->next)
            if (f->kind == SYM_FUNC && f->name == method->name && f->loc.begin == method->loc.begin)
                return f;
    return NULL;
}

void vary_close(Sema *s)
{
    for (size_t i = 0; i < s->classes.len; i++) {
        const Class *c = s->classes.data[i];
        if (!c->sym->instance || !class_is_interface(c)) continue;
        const Symbol *other = generic_newest(c->sym->instance->of);
        for (; other; other = other->instance->older) {
            if (!other->cls || !vary_stands(other->cls, c)) continue;
            const Members *m = other->members;
            for (int k = 0; m && k < m->len; k++)
                for (Symbol *f = m->data[k]; f; f = f->next) {
                    Symbol *called = f->kind == SYM_FUNC ? vary_method(c, f) : NULL;
                    if (called) pure_override(s, called, f);
                }
        }
    }
}
