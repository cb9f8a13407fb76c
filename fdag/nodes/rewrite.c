/* Rebuilding: rewriting by a map, substitution of slots and of variables, copies into another Fd.
 * All are loops over nodes in postorder, so depth does not matter and sharing is kept. */
#include <string.h>

#include "../internal.h"

static const FdUser *import_user(Fd *fd, const FdUser *u);

/* A node as n, with these operands, in fd (n may belong to another Fd: operands are fd's). */
static const FdNode *build(Fd *fd, const FdNode *n, const FdNode *const *children)
{
    if (n->kind == FD_APPLY) {
        if (fdi_is_leaf(n->fn, FD_LEAF_FIELD))
            return fd_field(fd, children[1], n->fn->slot, n->loc);
        return fd_apply(fd, children[0], n->nargs, children + 1, n->loc);
    }
    if (n->kind != FD_REDUCE && n->kind != FD_LET) return n;
    FdDom doms[FD_MAX_RANK];
    int k = n->nvars;
    const FdNode *self = n->self ? children[k++] : NULL;
    for (int i = 0; i < n->nvars; i++) {
        doms[i] = n->doms[i];
        if (doms[i].lo) doms[i].lo = children[k++];
        if (doms[i].hi) doms[i].hi = children[k++];
    }
    if (n->kind == FD_LET)
        return fd_recurrence(fd, self, n->order, n->nvars, children, doms, children[k], n->loc);
    const FdNode *fn = children[k++], *init = n->init ? children[k++] : NULL;
    return fd_fold(fd, fn, init, n->nvars, children, doms, children[k], n->loc);
}

const FdNode *fdi_rebuild(Fd *fd, const FdNode *n, const FdNode *const *children)
{
    const FdNode *old[FD_MAX_CHILDREN];
    int count = fd_children(n, old);
    if (memcmp(old, children, sizeof old[0] * (size_t)count) == 0) return n;
    return build(fd, n, children);
}

const FdNode *fdi_rebind(Fd *fd, const FdNode *n, const FdDom *doms, const FdNode *body)
{
    if (!doms) doms = n->doms;
    if (!body) body = n->body;
    if (n->kind == FD_LET)
        return fd_recurrence(fd, n->self, n->order, n->nvars, n->vars, doms, body, n->loc);
    return fd_fold(fd, n->fn, n->init, n->nvars, n->vars, doms, body, n->loc);
}

/* n rebuilt from what `done` holds for its operands (absent: kept). */
static const FdNode *rebuild_from(Fd *fd, const FdNode *n, const FdiMap *done)
{
    const FdNode *children[FD_MAX_CHILDREN];
    int count = fd_children(n, children);
    for (int i = fd_nbound(n); i < count; i++) { /* what is bound stays bound */
        const FdNode *to = fdi_map_node(done, children[i]);
        if (to) children[i] = to;
    }
    return fdi_rebuild(fd, n, children);
}

const FdNode *fd_rewrite(Fd *fd, const FdNode *n, FdMap *map, void *ctx)
{
    FdiMap done = {0};
    FdiNodes list = {0};
    fdi_nodes(fd, n, &list);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *old = list.data[i], *now = rebuild_from(fd, old, &done);
        const FdNode *mapped = map(ctx, fd, now);
        if (mapped) now = mapped;
        if (now != old) fdi_map_set_node(&done, old, now);
    }
    const FdNode *result = fdi_map_node(&done, n);
    fdi_map_free(&done);
    vec_free(&list);
    return result ? result : n;
}

/* ---- one node for another --------------------------------------------------------------- */

typedef struct Put {
    const FdNode *old, *now;
} Put;

static const FdNode *put(void *ctx, Fd *fd, const FdNode *n)
{
    const Put *p = ctx;
    (void)fd;
    return n == p->old ? p->now : NULL;
}

const FdNode *fdi_put(Fd *fd, const FdNode *n, const FdNode *old, const FdNode *now)
{
    Put p = {old, now};
    return n ? fd_rewrite(fd, n, put, &p) : NULL;
}

/* ---- substitution of variables --------------------------------------------------------- */

typedef struct Subst {
    Fd *fd;
    FdiMap to;         /* variable -> its replacement */
    FdiNodes affected; /* the variables in `to` */
} Subst;

static bool meets(const FdNode *n, const FdiNodes *vars)
{
    const FdiNode *b = fdi_node(n);
    for (uint32_t i = 0; i < b->nfree; i++)
        for (size_t k = 0; k < vars->len; k++)
            if (b->free[i] == vars->data[k]) return true;
    return false;
}

/* Appends the nodes below n in which an affected variable is free, operands first. */
static void gather(const Subst *s, const FdNode *n, FdiMap *seen, FdiNodes *out)
{
    typedef struct Frame {
        const FdNode *node;
        bool done;
    } Frame;
    VEC(Frame) stack = {0};
    vec_push(&stack, ((Frame){n, false}));
    while (stack.len > 0) {
        Frame f = vec_last(&stack);
        stack.len--;
        if (f.done) {
            vec_push(out, f.node);
            continue;
        }
        uint64_t at;
        if (!meets(f.node, &s->affected) || fdi_map_get(seen, f.node, &at)) continue;
        fdi_map_set(seen, f.node, 1);
        vec_push(&stack, ((Frame){f.node, true}));
        const FdNode *children[FD_MAX_CHILDREN];
        int count = fd_children(f.node, children);
        for (int i = count - 1; i >= fd_nbound(f.node); i--)
            vec_push(&stack, ((Frame){children[i], false}));
    }
    vec_free(&stack);
}

/* Is v free or bound in one of the values? A false yes costs a needless renaming only. */
static bool occurs(const FdNode *v, int n, const FdNode *const *values)
{
    for (int i = 0; i < n; i++) {
        const FdiNode *b = fdi_node(values[i]);
        if ((v->var >= b->bound_min && v->var <= b->bound_max) || fdi_free_in(values[i], v))
            return true;
    }
    return false;
}

const FdNode *fdi_replace_vars(Fd *fd, const FdNode *n, int nvars, const FdNode *const *vars,
                               const FdNode *const *values)
{
    Subst s = {.fd = fd};
    FdiMap seen = {0}, done = {0};
    FdiNodes list = {0};
    for (int i = 0; i < nvars; i++) {
        vec_push(&s.affected, vars[i]);
        fdi_map_set_node(&s.to, vars[i], values[i]);
    }
    /* Binders that a value would be moved under, and that bind one of its variables, are renamed.
     */
    gather(&s, n, &seen, &list);
    for (size_t i = 0; i < list.len; i++)
        for (int k = 0; k < fd_nbound(list.data[i]); k++) {
            const FdNode *v = fd_bound_var(list.data[i], k);
            if (fdi_map_node(&s.to, v) || !occurs(v, nvars, values)) continue;
            vec_push(&s.affected, v);
            fdi_map_set_node(&s.to, v, fd_var(fd, v->type, v->name));
        }
    if (s.affected.len > (size_t)nvars) {
        fdi_map_free(&seen);
        list.len = 0;
        gather(&s, n, &seen, &list);
    }
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *old = list.data[i], *now = fdi_map_node(&s.to, old);
        if (!now) {
            const FdNode *children[FD_MAX_CHILDREN];
            int count = fd_children(old, children);
            for (int k = 0; k < count; k++) {
                const FdNode *to = fdi_map_node(k < fd_nbound(old) ? &s.to : &done, children[k]);
                if (to) children[k] = to;
            }
            now = fdi_rebuild(fd, old, children);
        }
        if (now != old) fdi_map_set_node(&done, old, now);
    }
    const FdNode *result = fdi_map_node(&done, n);
    fdi_map_free(&s.to);
    vec_free(&s.affected);
    fdi_map_free(&seen);
    fdi_map_free(&done);
    vec_free(&list);
    return result ? result : n;
}

const FdNode *fdi_rename_bound(Fd *fd, const FdNode *n, int nvars, const FdNode *const *old,
                               const FdNode *const *now)
{
    const FdNode *children[FD_MAX_CHILDREN];
    int count = fd_children(n, children), nbound = fd_nbound(n);
    for (int k = 0; k < nbound; k++)
        for (int i = 0; i < nvars; i++)
            if (children[k] == old[i]) children[k] = now[i];
    for (int k = nbound; k < count; k++)
        if (children[k] != n->fn && children[k] != n->init)
            children[k] = fdi_replace_vars(fd, children[k], nvars, old, now);
    return build(fd, n, children);
}

const FdNode *fdi_fresh(Fd *fd, const FdNode *n)
{
    const FdNode *vars[FD_MAX_RANK];
    for (int i = 0; i < n->nvars; i++) vars[i] = fd_var(fd, n->vars[i]->type, n->vars[i]->name);
    return fdi_rename_bound(fd, n, n->nvars, n->vars, vars);
}

/* ---- copies and substitution of slots -------------------------------------------------- */

typedef struct Copy {
    Fd *fd;
    const FdNode *const *values;
    int nvalues;
    FdiMap done; /* old node -> new node, also variables that are renamed */
} Copy;

static const FdNode *copy_leaf(Copy *c, const FdNode *n)
{
    Fd *fd = c->fd;
    if (fdi_is_leaf(n, FD_LEAF_SLOT)) {
        const FdType *type = fdi_import_type(fd, n->type);
        const FdNode *v = n->slot < c->nvalues ? c->values[n->slot] : NULL;
        if (!v) return fd_slot(fd, n->slot, type, n->name);
        if (v->type != type) internal_error("fd_substitute", "a value has the wrong type");
        return v;
    }
    if (fdi_node(n)->fd == fd) return n;
    switch (n->kind) {
    case FD_SCALAR: return fd_const(fd, n->type->scalar, n->value);
    case FD_FUNC:
        if (n->leaf == FD_LEAF_OP) return fd_op(fd, n->op, fdi_import_type(fd, n->type));
        if (n->leaf == FD_LEAF_MAKE) return fdi_make(fd, fdi_import_type(fd, n->type->result));
        if (n->leaf == FD_LEAF_FIELD)
            return fdi_field(fd, fdi_import_type(fd, n->type->params[0]), n->slot);
        return fd_user(fd, import_user(fd, n->user));
    default: break;
    }
    const FdType *type = fdi_import_type(fd, n->type);
    if (n->extent) return fd_local_array(fd, type, n->extent, n->name);
    return n->role == FD_VAR_LOCAL ? fd_local(fd, type, n->name) : fd_var(fd, type, n->name);
}

static const FdNode *copy_inner(Copy *c, const FdNode *n)
{
    Fd *fd = c->fd;
    const FdNode *children[FD_MAX_CHILDREN];
    int count = fd_children(n, children);
    for (int i = 0; i < count; i++) children[i] = fdi_map_node(&c->done, children[i]);
    return fdi_node(n)->fd == fd ? fdi_rebuild(fd, n, children) : build(fd, n, children);
}

/* n with its slots replaced, in c->fd; c->done is kept between calls. */
static const FdNode *copy(Copy *c, const FdNode *n)
{
    FdiMap seen = {0};
    FdiNodes list = {0};
    fdi_postorder(n, &seen, &list);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *old = list.data[i];
        if (fdi_map_node(&c->done, old)) continue;
        bool leaf = old->kind == FD_SCALAR || old->kind == FD_FUNC || old->kind == FD_VAR;
        fdi_map_set_node(&c->done, old, leaf ? copy_leaf(c, old) : copy_inner(c, old));
    }
    fdi_map_free(&seen);
    vec_free(&list);
    return fdi_map_node(&c->done, n);
}

/* Variables that n binds and that a value binds or uses would be bound twice on one path: n's,
 * which are rebuilt anyway, get fresh ones, so the values stay shared with other graphs. */
static void rename_apart(Copy *c, const FdNode *n)
{
    FdiMap seen = {0};
    FdiNodes list = {0};
    bool any = false;
    for (int i = 0; i < c->nvalues; i++) any = any || c->values[i];
    if (any && fdi_node(n)->fd == c->fd) fdi_postorder(n, &seen, &list);
    for (size_t i = 0; i < list.len; i++)
        for (int k = 0; k < fd_nbound(list.data[i]); k++) {
            const FdNode *v = fd_bound_var(list.data[i], k);
            bool clash = false;
            for (int j = 0; j < c->nvalues && !clash; j++)
                clash = c->values[j] && occurs(v, 1, &c->values[j]);
            if (clash && !fdi_map_node(&c->done, v))
                fdi_map_set_node(&c->done, v, fd_var(c->fd, v->type, v->name));
        }
    fdi_map_free(&seen);
    vec_free(&list);
}

void fd_substitute_all(Fd *fd, int n, const FdResult *results, const FdNode *const *values,
                       int nvalues, FdResult *out)
{
    Copy c = {.fd = fd, .nvalues = nvalues};
    Copy import = {.fd = fd};
    const FdNode **local = arena_array(fd->arena, const FdNode *, nvalues + 1);
    for (int i = 0; i < nvalues; i++)
        local[i] =
            values[i] && fdi_node(values[i])->fd != fd ? copy(&import, values[i]) : values[i];
    c.values = local;
    for (int k = 0; k < n; k++) rename_apart(&c, results[k].node);
    for (int k = 0; k < n; k++) {
        const FdNode *part = results[k].part;
        out[k] = (FdResult){copy(&c, results[k].node), part ? copy(&c, part) : NULL};
    }
    fdi_map_free(&c.done);
    fdi_map_free(&import.done);
}

const FdNode *fd_substitute(Fd *fd, const FdNode *n, const FdNode *const *values, int nvalues)
{
    const FdResult from = {.node = n};
    FdResult to;
    fd_substitute_all(fd, 1, &from, values, nvalues, &to);
    return to.node;
}

static FdStmt *copy_stmts(Copy *c, const FdStmt *s)
{
    FdStmt *first = NULL, **last = &first;
    for (; s; s = s->next) {
        FdStmt *t = arena_new_of(c->fd->arena, FdStmt);
        t->kind = s->kind;
        t->loc = s->loc;
        if (s->var) t->var = copy(c, s->var);
        if (s->expr) t->expr = copy(c, s->expr);
        t->body = copy_stmts(c, s->body);
        t->other = copy_stmts(c, s->other);
        *last = t;
        last = &t->next;
    }
    return first;
}

static const FdUser *import_user(Fd *fd, const FdUser *u)
{
    FdUser *mine = fd_user_find(fd, u->name);
    if (mine) return mine;
    mine = fd_user_declare(fd, u->name, fdi_import_type(fd, u->type));
    Copy c = {.fd = fd};
    mine->associative = u->associative;
    mine->commutative = u->commutative;
    if (u->identity) mine->identity = copy(&c, u->identity);
    for (int i = 0; u->body && i < u->nparams; i++) mine->params[i] = copy(&c, u->params[i]);
    mine->body = copy_stmts(&c, u->body);
    fdi_map_free(&c.done);
    return mine;
}

FdGraph *fd_graph_copy(Fd *fd, const FdGraph *g)
{
    Copy c = {.fd = fd};
    FdGraph *mine = arena_new_of(fd->arena, FdGraph);
    mine->nslots = g->nslots;
    mine->slots = arena_array(fd->arena, FdSlot, g->nslots);
    for (int i = 0; i < g->nslots; i++) {
        const FdSlot *s = &g->slots[i];
        mine->slots[i] = (FdSlot){
            .type = fdi_import_type(fd, s->type),
            .is_array = s->is_array,
            .name = s->name ? arena_strndup(fd->arena, s->name, strlen(s->name)) : NULL,
            .def = s->def ? copy(&c, s->def) : NULL,
            .optional = s->optional,
            .mirrored = s->mirrored,
        };
    }
    mine->nagrees = g->nagrees;
    mine->agrees = arena_array(fd->arena, FdAgree, g->nagrees);
    for (int i = 0; i < g->nagrees; i++) {
        mine->agrees[i] = g->agrees[i];
        mine->agrees[i].a = copy(&c, g->agrees[i].a);
        mine->agrees[i].b = copy(&c, g->agrees[i].b);
    }
    mine->nresults = g->nresults;
    mine->results = arena_array(fd->arena, FdResult, g->nresults);
    for (int k = 0; k < g->nresults; k++) {
        mine->results[k].node = copy(&c, g->results[k].node);
        if (g->results[k].part) mine->results[k].part = copy(&c, g->results[k].part);
    }
    mine->hints = fd_hints_join(fd, NULL, g->hints);
    if (g->turns) mine->turns = copy(&c, g->turns);
    mine->nmoving = g->nmoving;
    mine->moving = arena_array(fd->arena, FdMoving, g->nmoving);
    for (int i = 0; i < g->nmoving; i++)
        mine->moving[i] = (FdMoving){copy(&c, g->moving[i].slot), copy(&c, g->moving[i].values)};
    fdi_map_free(&c.done);
    return mine;
}

/* ---- graphs ---------------------------------------------------------------------------- */

bool fd_is_result(const FdGraph *g, const FdNode *n)
{
    bool is = false;
    for (int k = 0; k < g->nresults; k++) is = is || n == g->results[k].node;
    return is;
}

size_t fd_ids(const FdGraph *g)
{
    size_t most = 0;
    for (int k = 0; k < g->nresults; k++)
        if (g->results[k].node->id >= most) most = (size_t)g->results[k].node->id + 1;
    return most;
}

void fd_set_root(Fd *fd, FdGraph *g, const FdNode *node)
{
    const FdResult only = {.node = node};
    g->nresults = 1;
    g->results = arena_copy(fd->arena, &only, sizeof only);
}

void fdi_rewrite_graph(Fd *fd, FdGraph *g, FdMap *map, void *ctx)
{
    for (int k = 0; k < g->nresults; k++) {
        FdResult *r = &g->results[k];
        r->node = fd_rewrite(fd, r->node, map, ctx);
        if (r->part) r->part = fd_rewrite(fd, r->part, map, ctx);
    }
    if (g->turns) g->turns = fd_rewrite(fd, g->turns, map, ctx);
    for (int i = 0; i < g->nmoving; i++) {
        g->moving[i].slot = fd_rewrite(fd, g->moving[i].slot, map, ctx);
        g->moving[i].values = fd_rewrite(fd, g->moving[i].values, map, ctx);
    }
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].def) g->slots[i].def = fd_rewrite(fd, g->slots[i].def, map, ctx);
    for (int i = 0; i < g->nagrees; i++) {
        g->agrees[i].a = fd_rewrite(fd, g->agrees[i].a, map, ctx);
        g->agrees[i].b = fd_rewrite(fd, g->agrees[i].b, map, ctx);
    }
}

int fdi_add_slot(Fd *fd, FdGraph *g, FdSlot slot)
{
    FdSlot *bigger = arena_array(fd->arena, FdSlot, g->nslots + 1);
    if (g->nslots) memcpy(bigger, g->slots, sizeof *bigger * (size_t)g->nslots);
    bigger[g->nslots] = slot;
    g->slots = bigger;
    return g->nslots++;
}

const FdNode *fdi_renumber(void *to_slots, Fd *fd, const FdNode *n)
{
    const int *to = to_slots;
    if (!fdi_is_leaf(n, FD_LEAF_SLOT) || to[n->slot] == n->slot) return NULL;
    return fd_slot(fd, to[n->slot], n->type, n->name);
}

void fdi_replace_definitions(Fd *fd, FdGraph *g, FdMap *map, void *ctx)
{
    int n = g->nslots, given = 0;
    FdSlot *old = g->slots;
    int *to = arena_array(fd->arena, int, n + 1);
    while (given < n && !old[given].def) to[given] = given, given++;
    for (int i = given; i < n; i++)
        if (!old[i].def) return; /* given slots after temporaries: not of the back passes */
    g->nslots = given;
    for (int i = given; i < n; i++) {
        FdSlot slot = old[i];
        slot.def = map(ctx, fd, fd_rewrite(fd, slot.def, fdi_renumber, to));
        to[i] = fdi_add_slot(fd, g, slot);
    }
    for (int k = 0; k < g->nresults; k++)
        g->results[k].node = map(ctx, fd, fd_rewrite(fd, g->results[k].node, fdi_renumber, to));
    for (int i = 0; i < g->nagrees; i++) {
        g->agrees[i].a = fd_rewrite(fd, g->agrees[i].a, fdi_renumber, to);
        g->agrees[i].b = fd_rewrite(fd, g->agrees[i].b, fdi_renumber, to);
    }
}
