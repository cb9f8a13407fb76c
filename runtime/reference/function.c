/* Functions of the reference executor as values of the runtime: what host functions are given, and
 * what they give. A function expression becomes a lazy value: its graph has the slots of the
 * evaluation and one more for each variable around it, whose values it captures. */
#include <string.h>

#include "../evaluate/compose/compose.h"
#include "../evaluate/lazy/closure.h"
#include "../state.h"
#include "cell.h"

/* ---- the graph of a function ----------------------------------------------------------------- */

/* Operations and user functions get parameters: roots are lets. */
static const FdNode *expanded(Fd *fd, const FdNode *n)
{
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    if (n->kind != FD_FUNC) return n;
    for (int i = 0; i < n->type->nparams; i++) {
        vars[i] = fd_var(fd, n->type->params[i], "x");
        doms[i] = (FdDom){.kind = FD_DOM_FULL};
    }
    const FdNode *body = fd_apply(fd, n, n->type->nparams, vars, n->loc);
    return fd_let(fd, n->type->nparams, vars, doms, body, n->loc);
}

/* Variables around a function, which may be locals that no let binds, become others. */
typedef struct Locals {
    int n;
    const FdNode **from, **to;
} Locals;

static const FdNode *replace_local(void *ctx, Fd *fd, const FdNode *n)
{
    const Locals *l = ctx;
    (void)fd;
    for (int i = 0; i < l->n; i++)
        if (n == l->from[i]) return l->to[i];
    return NULL;
}

/* Slots of the evaluation, as far as the function knows them. */
static void evaluation_slots(const Ref *r, FdGraph *g)
{
    Fd *fd = rt_fd();
    for (int i = 0; i < r->nslots; i++) {
        const FdType *t = r->slot_types[i];
        const FdNode *slot = t ? fd_slot(r->fd, i, t, "f") : NULL;
        g->slots[i] = (FdSlot){.type = slot ? fd_substitute(fd, slot, NULL, 0)->type
                                            : fd_type_scalar(fd, SC_INT),
                               .is_array = r->leaves[i].array != NULL,
                               .name = slot ? slot->name : "x"};
    }
    g->nslots = r->nslots;
}

/* As a function of the variables around it, applied to slots for them. */
static Graph *graph_of_cell(Ref *r, const Cell *c)
{
    Fd *fd = rt_fd();
    Arena *arena = fd_arena(fd);
    int n = c->ndeps, count = r->nslots;
    Locals l = {n, arena_array(arena, const FdNode *, n + 1),
                arena_array(arena, const FdNode *, n + 1)};
    for (int i = 0; i < n; i++) {
        l.from[i] = c->deps[i]->node;
        l.to[i] = fd_var(r->fd, l.from[i]->type, l.from[i]->name);
        count += fd_type_leaves(l.from[i]->type);
    }
    FdGraph *g = arena_new_of(arena, FdGraph);
    g->slots = arena_array(arena, FdSlot, count + 1);
    evaluation_slots(r, g);
    const FdDom full = {.kind = FD_DOM_FULL};
    const FdNode *root = fd_rewrite(r->fd, expanded(r->fd, c->node), replace_local, &l);
    for (int i = n; i-- > 0;) root = fd_let(r->fd, 1, &l.to[i], &full, root, root->loc);
    root = fd_substitute(fd, root, NULL, 0);
    for (int i = 0; i < n; i++) {
        const FdNode *slots = graph_add_slots(g, root->type->params[0], l.from[i]->name);
        root = fd_apply(fd, root, 1, &slots, root->loc);
    }
    fd_set_root(fd, g, root);
    FdError error;
    fd_pass_find("compose")->run(fd, g, &error);
    return graph_adopt(g);
}

/* ---- references -------------------------------------------------------------------------- */

/* Takes a reference over (NULL is fine) and gives it back. */
static void *hold(Ref *r, void *ref)
{
    if (ref && !vec_try(&r->held)) {
        cs_release(ref);
        mem_fail(sizeof ref);
    }
    if (ref) vec_push(&r->held, ref);
    return ref;
}

void ref_let_go(Ref *r, size_t from)
{
    while (r->held.len > from) cs_release(r->held.data[--r->held.len]);
}

/* ---- functions as values --------------------------------------------------------------------- */

static bool capture(Ref *r, RefVar *v, CsValue *out)
{
    const FdType *t = v->node->type;
    if (t->result) {
        Cell *f = ref_function_of(v->fn);
        return f && (out->ref = hold(r, ref_value(r, f))) != NULL;
    }
    ScalarValue value = ref_force(r, v);
    for (int i = 0, n = fd_type_leaves(t); i < n; i++)
        out[i].i = t->record ? v->record[i].i : value.i;
    return !r->failed;
}

static void *lazy_of(Ref *r, Cell *c)
{
    if (!c->made) c->made = graph_of_cell(r, c);
    const FdGraph *g = c->made->fd;
    CsValue *captures = arena_array(r->arena, CsValue, g->nslots + 1);
    bool good = true;
    size_t held = r->held.len;
    for (int i = 0; i < r->nslots; i++) {
        const RtLeaf *leaf = &r->leaves[i];
        captures[i].i = leaf->scalar.i;
        if (leaf->array || leaf->closure)
            captures[i].ref = leaf->array ? (void *)leaf->array : (void *)leaf->closure;
    }
    int at = r->nslots;
    for (int i = 0; i < c->ndeps && good; i++) {
        good = capture(r, c->deps[i], &captures[at]);
        at += good ? fd_type_leaves(c->deps[i]->node->type) : 0;
    }
    void *made = good ? lazy_new(c->made, captures, r->site) : NULL;
    ref_let_go(r, held);
    if (!made) r->failed = true;
    return made;
}

/* f(x) where f is a function of the host: it gives the value. */
static void *given_by_host(Ref *r, Cell *c)
{
    Cell *f = ref_function_of(c->fn);
    bool host = f && ((f->kind == CELL_SLOT && r->leaves[f->slot].closure) ||
                      (f->kind == CELL_USER && !f->user->user->body));
    if (!host) return NULL;
    ScalarValue out = {0};
    Mark mark = ref_mark(r);
    RefVar few[FD_MAX_RANK], *args = ref_vars(r, c->nargs, few);
    Args a = {c->nargs, args, c->node, NULL};
    for (int i = 0; i < c->nargs; i++) args[i] = ref_argument(r, c->args[i]);
    ref_call(r, f, &a, &out);
    ref_release(r, mark);
    return r->failed ? NULL : (void *)(uintptr_t)out.i;
}

void *ref_value(Ref *r, Cell *f)
{
    f = ref_function_of(f);
    if (!f) {
        ref_fail(r, RT_DOMAIN, r->root->node, "a function has no value");
        return NULL;
    }
    if (f->kind == CELL_SLOT) {
        const RtLeaf *leaf = &r->leaves[f->slot];
        return cs_retain(leaf->array ? (void *)leaf->array : (void *)leaf->closure);
    }
    void *given = f->kind == CELL_APPLY ? given_by_host(r, f) : NULL;
    return given || r->failed ? given : lazy_of(r, f);
}

/* ---- calls ------------------------------------------------------------------------------ */

/* Values that a call passes, flattened: room for results in front, then the arguments. */
typedef struct Passed {
    CsValue *out, *in;
    VEC(CsValue) room;
    size_t held; /* from where on functions made for the call are held */
} Passed;

static int leaves_of(const FdType *t)
{
    return t->result ? 1 : fd_type_leaves(t);
}

static bool pass(Ref *r, Passed *p, const FdType *type, RefVar *args)
{
    int results = leaves_of(type->result);
    p->held = r->held.len;
    for (int i = 0; i < results; i++) vec_push(&p->room, (CsValue){0});
    for (int i = 0; i < type->nparams && !r->failed; i++) {
        const FdType *t = type->params[i];
        if (t->result) {
            void *fn = hold(r, ref_value(r, args[i].fn));
            if (!fn) break;
            vec_push(&p->room, (CsValue){.ref = fn});
            continue;
        }
        ref_force(r, &args[i]);
        const ScalarValue *from = t->record ? args[i].record : &args[i].value;
        for (int k = 0; k < leaves_of(t); k++) vec_push(&p->room, (CsValue){.i = from[k].i});
    }
    p->out = p->room.data;
    p->in = p->room.data + results;
    return !r->failed;
}

/* Takes over what a call gave; `good`: it threw nothing. */
static void take(Ref *r, Passed *p, const FdType *type, bool good, ScalarValue *out)
{
    r->failed |= !good;
    for (int k = 0; k < leaves_of(type->result) && !r->failed; k++) out[k].i = p->out[k].i;
    ref_let_go(r, p->held);
    vec_free(&p->room);
}

void ref_call_closure(Ref *r, const Cell *f, RefVar *args, ScalarValue *out)
{
    Passed p = {0};
    const FdType *type = f->node->type;
    bool good =
        pass(r, &p, type, args) && closure_call(r->leaves[f->slot].closure, p.in, p.out, r->site);
    take(r, &p, type, good, out);
}

void ref_call_native(Ref *r, const RefUser *u, RefVar *args, ScalarValue *out)
{
    Passed p = {0};
    const FdType *type = u->user->type;
    bool good = pass(r, &p, type, args);
    MemTry *t = mem_suspend(); /* the program returns, whatever happens */
    if (good) u->native->call(NULL, p.in, p.out);
    mem_resume(t);
    if (good && cs_pending) {
        if (r->site) cs_frame(r->site);
        good = false;
    }
    take(r, &p, type, good, out);
}

void ref_call_value(Ref *r, void *fn, const FdType *type, Args *a, ScalarValue *out)
{
    while (a && fn) {
        Passed p = {0};
        ScalarValue given = {0};
        size_t held = r->held.len;
        hold(r, fn);
        bool good = pass(r, &p, type, a->args);
        MemTry *t = mem_suspend();
        if (good) cs_apply(fn, p.in, p.out, r->site);
        mem_resume(t);
        take(r, &p, type, good && !cs_pending, a->next ? &given : out);
        ref_let_go(r, held);
        fn = a->next && !r->failed ? (void *)(uintptr_t)given.i : NULL;
        type = type->result;
        a = a->next;
    }
}
