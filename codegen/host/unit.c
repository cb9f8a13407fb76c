/* Units: modules beside the program's, each of one large function of the library with copies of the small
 * ones that it calls. What is in a unit depends on nothing else of the program, so that its object is found
 * where another program, or whoever built csc, has made it (codegen/llvm/objects.h); others are made on
 * other threads.
 *
 * A large function is seldom inlined: that it is elsewhere costs nothing. Units refer to each other, and to
 * descriptors of classes and static fields, which stay in the program's module, by the names that these
 * have there; all that is referred to becomes visible to the linker, as hidden symbols. */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>

#include "../llvm/machine.h"
#include "value/value.h"

/* Nodes of the tree. What has none of its own loops and is called in one of the caller's gains from being
 * inlined: Random.Next. */
enum { UNIT_WITH_LOOPS = 40, UNIT_WITHOUT = 60 };

static bool has_units(const HostOptions *o)
{
    return o->objects && objects_are_for(o->objects) != OBJECTS_LINKED && !o->session &&
           !o->library && !o->debug && (o->opt_level == 1 || o->opt_level == 2);
}

bool host_is_unit(const HostModule *m, const Symbol *sym, int nodes, int loops)
{
    return sym && !sym->special && nodes >= (loops ? UNIT_WITH_LOOPS : UNIT_WITHOUT) &&
           has_units(m->options) && sym->decl->func.body &&
           sources_get(m->sources, sym->decl->loc.file)->library;
}

void host_show(LLVMValueRef v)
{
    LLVMSetLinkage(v, LLVMExternalLinkage);
    LLVMSetVisibility(v, LLVMHiddenVisibility);
}

/* Variables of a function that an earlier module has made code for. */
static void visit_locals(Ast **child, void *ctx)
{
    Ast *n = *child;
    if (!n) return;
    if (n->sym && n->sym->kind == SYM_LOCAL) n->sym->host = NULL;
    ast_each_child(n, visit_locals, ctx);
}

void host_forget_locals(Ast *body)
{
    visit_locals(&body, NULL);
}

/* ---- in an order that does not depend on the rest of the program ---- */

static int by_class(const void *a, const void *b)
{
    return strcmp((*(Class *const *)a)->mangled, (*(Class *const *)b)->mangled);
}

static const char *name_of(const HostFuncInfo *info)
{
    size_t len;
    return LLVMGetValueName2(info->fn, &len);
}

static int by_function(const void *a, const void *b)
{
    return strcmp(name_of(*(const HostFuncInfo *const *)a),
                  name_of(*(const HostFuncInfo *const *)b));
}

typedef struct Order {
    Class **classes;
    const HostFuncInfo **funcs; /* of the program's module, those with code */
    int nfuncs;
} Order;

static Order sort(const HostModule *m)
{
    const SemaResult *sema = m->sema;
    Order o = {.classes = arena_array(m->arena, Class *, sema->nclasses + 1),
               .funcs = arena_array(m->arena, const HostFuncInfo *, m->nfuncs + 1)};
    for (int i = 0; i < sema->nclasses; i++) o.classes[i] = sema->classes[i];
    for (int i = 0; i < m->nfuncs; i++)
        if (m->funcs[i].body) o.funcs[o.nfuncs++] = &m->funcs[i];
    qsort(o.classes, (size_t)sema->nclasses, sizeof *o.classes, by_class);
    qsort(o.funcs, (size_t)o.nfuncs, sizeof *o.funcs, by_function);
    return o;
}

/* ---- one unit -------------------------------------------------------------------------------- */

/* Its functions are at the same places as the program's. */
static HostFuncInfo *counterpart(const HostModule *u, const HostFuncInfo *info)
{
    return &u->funcs[info - u->unit_of->funcs];
}

static void declare_functions(HostModule *u, const Order *o)
{
    const HostModule *m = u->unit_of;
    u->nfuncs = m->nfuncs;
    u->funcs = arena_array(u->arena, HostFuncInfo, m->nfuncs + 1);
    for (int i = 0; i < m->nfuncs; i++) {
        u->funcs[i] = m->funcs[i];
        u->funcs[i].type = host_func_type(u, m->funcs[i].sym, m->funcs[i].params);
        u->funcs[i].fn = host_null(u);
    }
    for (int i = 0; i < o->nfuncs; i++) {
        HostFuncInfo *info = counterpart(u, o->funcs[i]);
        info->fn = LLVMAddFunction(u->mod, name_of(o->funcs[i]), info->type);
        LLVMSetLinkage(info->fn, LLVMInternalLinkage);
        if (info->unit) host_show(info->fn);
        host_attribute(u, info->fn, "nounwind");
    }
}

static HostModule *begin(HostModule *m, const Order *o)
{
    Arena *arena = arena_new();
    HostModule *u = arena_new_of(arena, HostModule);
    u->unit_of = m;
    u->arena = arena;
    u->sema = m->sema;
    u->sources = m->sources;
    u->options = m->options;
    u->target = m->target;
    u->efforts = m->efforts;
    u->nefforts = m->nefforts;
    u->classes = o->classes;
    host_open(u, "unit");
    host_declare_classes(u);
    declare_functions(u, o);
    return u;
}

static bool is_used(LLVMValueRef v)
{
    return LLVMGetFirstUse(v) != NULL;
}

/* The functions that code so far calls, other units' apart. False: it has all of them. */
static bool copy_called(HostModule *u, const Order *o)
{
    bool any = false;
    for (int i = 0; i < o->nfuncs; i++) {
        const HostFuncInfo *info = counterpart(u, o->funcs[i]);
        if (info->unit || !is_used(info->fn) || LLVMCountBasicBlocks(info->fn)) continue;
        host_emit_function(u, info);
        any = true;
    }
    return any;
}

/* Takes out what is not used. Of the rest, the program's module has what it is to show. */
static void settle(HostModule *u)
{
    const SemaResult *sema = u->sema;
    for (int i = 0; i < u->nfuncs; i++) {
        LLVMValueRef fn = u->funcs[i].fn;
        if (u->funcs[i].body && !LLVMCountBasicBlocks(fn) && !is_used(fn)) LLVMDeleteFunction(fn);
    }
    for (int i = 0; i < sema->nclasses; i++) {
        Class *c = sema->classes[i];
        HostClass *h = c->host;
        c->host = h->program;
        if (h->descriptor && is_used(h->descriptor))
            host_show(h->program->descriptor);
        else if (h->descriptor)
            LLVMDeleteGlobal(h->descriptor);
    }
    for (int i = 0; i < sema->nstatics; i++) {
        Symbol *field = sema->statics[i];
        LLVMValueRef g = field->host;
        field->host = u->statics[i];
        if (is_used(g))
            host_show(field->host);
        else
            LLVMDeleteGlobal(g);
    }
    LLVMValueRef words[] = {u->pending, u->stack_limit};
    for (int i = 0; i < 2; i++)
        if (!is_used(words[i])) LLVMDeleteGlobal(words[i]);
}

static void make(HostModule *m, const HostFuncInfo *of, const Order *o)
{
    HostModule *u = begin(m, o);
    host_emit_function(u, counterpart(u, of));
    while (copy_called(u, o)) continue;
    settle(u);
    host_verify(u);
    objects_add(m->options->objects,
                &(ObjectsModule){.mod = u->mod, .context = u->ctx, .optimise = host_optimise_unit});
    host_close(u);
}

void host_make_units(HostModule *m)
{
    Order o = sort(m);
    for (int i = 0; i < o.nfuncs; i++) {
        if (!o.funcs[i]->unit) continue;
        host_show(o.funcs[i]->fn);
        make(m, o.funcs[i], &o);
    }
}
