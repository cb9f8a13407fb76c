/* Cells from nodes: operands resolved, dependences on variables gathered, and the choice of what is
 * worth remembering: what several cells use, and what a user depends on more variables than. One
 * cell a node, so the graph's sharing stays. */
#include <stdlib.h>
#include <string.h>

#include "cell.h"

static Cell *cell_of(Ref *r, const FdNode *n);

static RefVar *var_of(Ref *r, const FdNode *n)
{
    while (r->vars.len <= n->var) vec_push(&r->vars, NULL);
    RefVar **v = &r->vars.data[n->var];
    if (!*v) {
        *v = arena_new_of(r->arena, RefVar);
        (*v)->node = n;
        if (n->type->record) /* locals keep theirs, others get one with each value */
            (*v)->record = arena_array(r->arena, ScalarValue, fd_type_leaves(n->type));
        if (n->extent) {
            int64_t leaves = fd_type_leaves(n->type->result);
            (*v)->array = n;
            (*v)->record = arena_array(r->arena, ScalarValue, fd_extent_count(n) * leaves);
        }
    }
    return *v;
}

/* ---- dependences -------------------------------------------------------------------- */

typedef VEC(RefVar *) Deps;

static void deps_add(Deps *d, RefVar *v)
{
    size_t i = d->len;
    while (i > 0 && d->data[i - 1] > v) i--;
    if (i > 0 && d->data[i - 1] == v) return;
    vec_push(d, v);
    memmove(&d->data[i + 1], &d->data[i], (d->len - 1 - i) * sizeof *d->data);
    d->data[i] = v;
}

static void deps_of(Deps *d, const Cell *c)
{
    for (int i = 0; c && i < c->ndeps; i++) deps_add(d, c->deps[i]);
}

/* A child that depends on less than its user holds its value while the user's changes. */
static void remember(Cell *child, const Cell *user)
{
    if (!child || child->kind == CELL_CONST || child->kind == CELL_VAR || child->kind == CELL_SLOT)
        return;
    if (child->memo || child->kind == CELL_LET || child->kind == CELL_USER) return;
    child->memo = child->ndeps < user->ndeps + user->nvars;
}

/* Steps of an expression that is evaluated rather at once than later: variables, constants and a
 * few operations that never fail. 0: not such a one. */
static int steps_of(const Cell *c)
{
    enum { FEW = 8 };
    if (c->kind == CELL_CONST || c->kind == CELL_VAR || c->kind == CELL_SLOT) return 1;
    if (c->is_record || (c->kind != CELL_OP && c->kind != CELL_FIELD) || c->nargs == 0) return 0;
    if (c->kind == CELL_OP && (fd_op_info(c->op)->props & FD_THROWS) && scalar_is_integer(c->in))
        return 0;
    int steps = 1;
    for (int i = 0; i < c->nargs; i++) {
        if (c->args[i]->steps == 0) return 0;
        steps += c->args[i]->steps;
    }
    return steps <= FEW ? steps : 0;
}

static void finish(Ref *r, Cell *c)
{
    Deps d = {0};
    if (c->kind == CELL_VAR) deps_add(&d, c->var);
    deps_of(&d, c->fn);
    deps_of(&d, c->body);
    deps_of(&d, c->init);
    for (int i = 0; i < c->nargs; i++) deps_of(&d, c->args[i]);
    for (int i = 0; i < c->nvars; i++) {
        deps_of(&d, c->lo[i]);
        deps_of(&d, c->hi[i]);
    }
    size_t kept = 0; /* without those bound here */
    for (size_t i = 0; i < d.len; i++) {
        bool bound = d.data[i] == c->self && c->self;
        for (int v = 0; v < c->nvars; v++) bound |= c->vars[v] == d.data[i];
        if (!bound) d.data[kept++] = d.data[i];
    }
    c->ndeps = (int)kept;
    c->deps = kept ? arena_copy(r->arena, d.data, kept * sizeof *d.data) : NULL;
    vec_free(&d);
    c->steps = steps_of(c);
    remember(c->body, c);
    remember(c->init, c);
    for (int i = 0; i < c->nargs; i++) remember(c->args[i], c);
    for (int i = 0; i < c->nvars; i++) {
        remember(c->lo[i], c);
        remember(c->hi[i], c);
    }
}

/* ---- user functions -------------------------------------------------------------------------- */

static RefStmt *stmts(Ref *r, const FdStmt *s)
{
    RefStmt *first = NULL, **last = &first;
    for (; s; s = s->next) {
        RefStmt *t = arena_new_of(r->arena, RefStmt);
        t->kind = s->kind;
        t->loc = s->loc;
        if (s->kind == FD_STMT_PUT) t->place = cell_of(r, s->var);
        if (s->var) t->var = t->place ? t->place->fn->var : var_of(r, s->var);
        if (s->expr) t->expr = cell_of(r, s->expr);
        t->body = stmts(r, s->body);
        t->other = stmts(r, s->other);
        *last = t;
        last = &t->next;
    }
    return first;
}

static void add_locals(RefUser *u, const RefStmt *s)
{
    for (; s; s = s->next) {
        bool known = !s->var;
        for (size_t i = 0; i < u->vars.len; i++) known = known || u->vars.data[i] == s->var;
        if (!known) vec_push(&u->vars, s->var);
        add_locals(u, s->body);
        add_locals(u, s->other);
    }
}

static RefUser *user_of(Ref *r, const FdUser *u)
{
    for (size_t i = 0; i < r->users.len; i++)
        if (r->users.data[i]->user == u) return r->users.data[i];
    RefUser *x = arena_new_of(r->arena, RefUser);
    x->user = u;
    vec_push(&r->users, x);
    if (u->identity) x->identity = cell_of(r, u->identity);
    if (u->body) {
        for (int i = 0; i < u->nparams; i++) vec_push(&x->vars, var_of(r, u->params[i]));
        x->body = stmts(r, u->body);
        add_locals(x, x->body);
    }
    return x;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static Cell **cells_of(Ref *r, int n, const FdNode *const *nodes)
{
    Cell **c = arena_array(r->arena, Cell *, n ? n : 1);
    for (int i = 0; i < n; i++) {
        c[i] = cell_of(r, nodes[i]);
        c[i]->memo |= c[i]->stamp != 0; /* a second user */
        c[i]->stamp = 1;
    }
    return c;
}

/* Of the field that a function reads. */
static int first_leaf(const FdNode *field)
{
    int at = 0;
    for (int i = 0; i < field->slot; i++) at += fd_type_leaves(field->type->params[0]->fields[i]);
    return at;
}

static void apply(Ref *r, Cell *c, const FdNode *n)
{
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) {
        c->kind = CELL_BOUND;
        c->op = op;
        c->fn = cell_of(r, n->args[0]);
        c->dim = (int)n->args[1]->value.i;
        return;
    }
    c->nargs = n->nargs;
    c->args = cells_of(r, n->nargs, n->args);
    if (n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_MAKE) {
        c->kind = CELL_MAKE;
        return;
    }
    if (n->fn->kind == FD_FUNC && n->fn->leaf == FD_LEAF_FIELD) {
        c->kind = CELL_FIELD;
        c->at = first_leaf(n->fn);
        return;
    }
    if (op == FD_OP_NONE) {
        c->kind = CELL_APPLY;
        c->fn = cell_of(r, n->fn);
        return;
    }
    c->kind = CELL_OP;
    c->op = op;
    c->in = c->args[fd_op_info(op)->rule == FD_RULE_SELECT ? 1 : 0]->out;
}

static void binder(Ref *r, Cell *c, const FdNode *n)
{
    c->nvars = n->nvars;
    c->vars = arena_array(r->arena, RefVar *, n->nvars);
    c->lo = arena_array(r->arena, Cell *, n->nvars);
    c->hi = arena_array(r->arena, Cell *, n->nvars);
    for (int i = 0; i < n->nvars; i++) {
        c->vars[i] = var_of(r, n->vars[i]);
        if (n->doms[i].kind == FD_DOM_FULL || !n->doms[i].lo) continue;
        c->lo[i] = cell_of(r, n->doms[i].lo);
        c->hi[i] = cell_of(r, n->doms[i].hi);
    }
    if (n->self) {
        c->self = var_of(r, n->self);
        c->self->fn = c;
        c->table = arena_new_of(r->arena, Table);
    }
    c->body = cell_of(r, n->body);
    if (n->init) c->init = cell_of(r, n->init);
}

static Cell *cell_of(Ref *r, const FdNode *n)
{
    while (r->cells.len <= n->id) vec_push(&r->cells, NULL);
    if (r->cells.data[n->id]) return r->cells.data[n->id];
    Cell *c = arena_new_of(r->arena, Cell);
    c->node = n;
    const FdType *value = n->type;
    while (value->result) value = value->result;
    c->leaves = fd_type_leaves(value);
    c->is_record = n->type->record != NULL;
    if (c->is_record) c->record = arena_array(r->arena, ScalarValue, c->leaves);
    if (!n->type->result) c->out = n->type->scalar;
    switch (n->kind) {
    case FD_SCALAR:
    case FD_FUNC:
        c->kind = n->leaf == FD_LEAF_CONST   ? CELL_CONST
                  : n->leaf == FD_LEAF_SLOT  ? CELL_SLOT
                  : n->leaf == FD_LEAF_OP    ? CELL_OP
                  : n->leaf == FD_LEAF_MAKE  ? CELL_MAKE
                  : n->leaf == FD_LEAF_FIELD ? CELL_FIELD
                                             : CELL_USER;
        c->value = n->value;
        c->slot = n->slot;
        if (c->kind == CELL_SLOT && n->slot >= r->nslots) r->nslots = n->slot + 1;
        if (c->kind == CELL_FIELD) c->at = first_leaf(n);
        c->op = n->op;
        if (n->leaf == FD_LEAF_OP) {
            const FdType *t = n->type;
            c->out = t->result->scalar;
            c->in = t->params[fd_op_info(n->op)->rule == FD_RULE_SELECT ? 1 : 0]->scalar;
        }
        if (n->leaf == FD_LEAF_USER) c->user = user_of(r, n->user);
        break;
    case FD_VAR:
        c->kind = CELL_VAR;
        c->var = var_of(r, n);
        break;
    case FD_APPLY: apply(r, c, n); break;
    case FD_REDUCE:
        c->kind = CELL_REDUCE;
        c->fn = cell_of(r, n->fn);
        binder(r, c, n);
        break;
    case FD_LET:
        c->kind = CELL_LET;
        binder(r, c, n);
        break;
    }
    finish(r, c);
    r->cells.data[n->id] = c;
    return c;
}

/* What is known once all cells are there. */
static void look(Ref *r, Cell *c)
{
    c->stamp = 0; /* a count of users so far */
    const FdType *t = c->node->type;
    if (c->kind != CELL_SLOT) return;
    r->slot_types[c->slot] = t;
    if (t->result && t->result->record && !r->planes[c->slot])
        r->planes[c->slot] = arena_array(r->arena, int64_t, c->leaves);
}

typedef struct Compiling {
    Fd *fd;
    const FdNode *root;
    Ref *made;
} Compiling;

static void compile(void *compiling)
{
    const FdNode *root = ((Compiling *)compiling)->root;
    Fd *fd = ((Compiling *)compiling)->fd;
    Arena *arena = arena_new();
    Ref *r = arena_new_of(arena, Ref);
    r->arena = arena;
    r->fd = fd;
    r->clock = 1;
    r->root = cell_of(r, root);
    r->boxes = arena_array(arena, FdBox, r->nslots + 1);
    r->scalars = arena_array(arena, ScalarValue, r->nslots + 1);
    r->planes = arena_array(arena, int64_t *, r->nslots + 1);
    r->root_planes = arena_array(arena, int64_t, r->root->leaves);
    r->slot_types = arena_array(arena, const FdType *, r->nslots + 1);
    for (size_t i = 0; i < r->cells.len; i++)
        if (r->cells.data[i]) look(r, r->cells.data[i]);
    ((Compiling *)compiling)->made = r;
}

Ref *ref_new(Fd *fd, const FdNode *root, const CsSite *site)
{
    Compiling c = {fd, root, NULL};
    if (!mem_try(compile, &c)) rt_throw_memory(site, 0);
    return c.made;
}

void ref_free(Ref *r)
{
    if (!r) return;
    for (size_t i = 0; i < r->cells.len; i++)
        for (Table *t = r->cells.data[i] ? r->cells.data[i]->table : NULL; t; t = t->below)
            mem_object_free(t->values);
    for (Chunk *below; r->rooms; r->rooms = below) {
        below = r->rooms->below;
        mem_object_free(r->rooms);
    }
    ref_let_go(r, 0);
    vec_free(&r->held);
    vec_free(&r->cells);
    vec_free(&r->vars);
    for (size_t i = 0; i < r->users.len; i++) vec_free(&r->users.data[i]->vars);
    vec_free(&r->users);
    arena_free(r->arena);
}
