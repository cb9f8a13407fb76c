/* The reader of the text form: one line a node, every rule checked before a builder is called, so
 * bad input gives a message and never an abort. Errors stick: after the first nothing is read. */
#include <stdlib.h>
#include <string.h>

#include "reader.h"

enum { MAX_SLOTS = 1 << 16, MAX_ELEMENTS = 1 << 20 };

/* ---- nodes ----------------------------------------------------------------------------- */

static const FdNode *read_slot(Reader *r)
{
    long slot = rd_number(r, MAX_SLOTS);
    FdSlot s = {.name = rd_string(r)};
    if (!rd_expect(r, ":")) return NULL;
    s.is_array = rd_accept(r, "array");
    s.type = rd_type(r, 0);
    if (rd_accept(r, "=")) s.def = rd_ref(r);
    if (r->error) return NULL;
    if (r->in_user)
        rd_fail(r, "a user function has no slots");
    else if (s.is_array && s.type->nparams == 0)
        rd_fail(r, "an array is a function");
    else if (s.def && s.def->type != s.type)
        rd_fail(r, "the definition has another type");
    while (r->slots.len <= (size_t)slot) vec_push(&r->slots, (FdSlot){0});
    if (r->slots.data[slot].type) rd_fail(r, "slot %ld is defined twice", slot);
    if (r->error) return NULL;
    r->slots.data[slot] = s;
    return fd_slot(r->fd, (int)slot, s.type, s.name);
}

/* References in parentheses: at most `room`. */
static int refs(Reader *r, const FdNode **out, int room)
{
    int n = 0;
    rd_expect(r, "(");
    do {
        if (n == room) rd_fail(r, "too many operands");
        if (r->error) return 0;
        out[n++] = rd_ref(r);
    } while (rd_accept(r, ","));
    rd_expect(r, ")");
    return n;
}

/* A function as it is written where it is used: @add, @make, @field 1, %3. */
typedef struct Fn {
    const FdNode *node; /* a reference; else: */
    FdLeaf leaf;
    FdOp op;
    int field;
} Fn;

static Fn read_fn(Reader *r)
{
    Fn f = {.leaf = FD_LEAF_OP};
    rd_skip_space(r);
    if (*r->p != '@') {
        f.node = rd_ref(r);
    } else if (rd_accept(r, "@make")) {
        f.leaf = FD_LEAF_MAKE;
    } else if (rd_accept(r, "@field")) {
        f.leaf = FD_LEAF_FIELD;
        f.field = (int)rd_number(r, FD_MAX_FIELDS);
    } else {
        f.op = rd_op_name(r);
    }
    return f;
}

static const FdNode *checked_op(Reader *r, FdOp op, const FdType *t)
{
    const char *why = t ? fdi_check_op(op, t) : "wrong number of operands";
    if (why && !r->error) rd_fail(r, "@%s: %s", fd_op_info(op)->text, why);
    return r->error ? NULL : fd_op(r->fd, op, t);
}

/* The node of a function that is applied to n operands, giving `to`. */
static const FdNode *fn_node(Reader *r, Fn f, int n, const FdNode *const *args, const FdType *to)
{
    if (r->error || f.node) return f.node;
    if (f.leaf == FD_LEAF_MAKE) {
        if (!to->record) rd_fail(r, "@make makes records");
        return r->error ? NULL : fdi_make(r->fd, to);
    }
    if (f.leaf == FD_LEAF_FIELD) {
        if (f.field >= args[0]->type->nfields) rd_fail(r, "@field: there is no such field");
        return r->error ? NULL : fdi_field(r->fd, args[0]->type, f.field);
    }
    return checked_op(r, f.op, fdi_op_type(r->fd, f.op, to->scalar, n, args));
}

static const FdNode *read_apply(Reader *r)
{
    const FdNode *args[FD_MAX_PARAMS];
    Fn f = read_fn(r);
    int n = refs(r, args, FD_MAX_PARAMS);
    const FdType *t = rd_typed(r);
    FdLoc at = rd_loc(r);
    const FdNode *fn = fn_node(r, f, n, args, t);
    if (r->error) return NULL;
    const char *why = fdi_check_apply(fn, n, args);
    if (why) rd_fail(r, "%s", why);
    if (!r->error && fn->type->result != t) rd_fail(r, "the node's type is not the result's");
    if (r->error) return NULL;
    return fdi_is_leaf(fn, FD_LEAF_FIELD) ? fd_field(r->fd, args[0], fn->slot, at)
                                          : fd_apply(r->fd, fn, n, args, at);
}

static const FdNode *read_op(Reader *r)
{
    Fn f = read_fn(r);
    const FdType *t = rd_typed(r);
    if (r->error) return NULL;
    if (f.node) rd_fail(r, "expected '@'");
    if (f.leaf == FD_LEAF_OP) return checked_op(r, f.op, t);
    if (f.leaf == FD_LEAF_MAKE) return fn_node(r, f, 0, NULL, t);
    const FdType *record = t->nparams == 1 ? t->params[0] : t;
    if (f.field >= record->nfields || record->fields[f.field] != t->result)
        rd_fail(r, "@field: there is no such field");
    return r->error ? NULL : fdi_field(r->fd, record, f.field);
}

/* ---- binders --------------------------------------------------------------------------- */

static int read_ranges(Reader *r, const FdNode **vars, FdDom *doms)
{
    int n = 0;
    rd_expect(r, "(");
    do {
        if (n == FD_MAX_RANK) rd_fail(r, "too many variables");
        if (r->error) return 0;
        vars[n] = rd_ref(r);
        rd_expect(r, ":");
        FdDom *d = &doms[n++];
        d->kind = rd_accept(r, "infer")   ? FD_DOM_INFERRED
                  : rd_accept(r, "given") ? FD_DOM_GIVEN
                  : rd_accept(r, "array") ? FD_DOM_ARRAY
                  : rd_accept(r, "full")  ? FD_DOM_FULL
                                          : FD_DOM_OPEN;
        if (d->kind == FD_DOM_OPEN) rd_expect(r, "open");
        if (d->kind == FD_DOM_OPEN || d->kind == FD_DOM_FULL) continue;
        d->lo = rd_ref(r);
        rd_expect(r, "..");
        d->hi = rd_ref(r);
    } while (rd_accept(r, ","));
    rd_expect(r, ")");
    return n;
}

/* "order +0, -1" */
static void read_order(Reader *r, int8_t *order)
{
    int n = 0;
    if (!rd_accept(r, "order")) return;
    do {
        bool down = rd_accept(r, "-");
        if (!down) rd_expect(r, "+");
        if (n == FD_MAX_RANK) rd_fail(r, "too many variables");
        if (r->error) return;
        int d = (int)rd_number(r, FD_MAX_RANK) + 1;
        order[n++] = (int8_t)(down ? -d : d);
    } while (rd_accept(r, ","));
}

static const FdNode *read_binder(Reader *r, FdKind kind, bool rec)
{
    const FdNode *vars[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK] = {0};
    FdNode n = {.kind = kind, .vars = vars, .doms = doms};
    Fn f = {0};
    if (rec) n.self = rd_ref(r);
    if (rec) read_order(r, n.order);
    if (kind == FD_REDUCE) f = read_fn(r);
    n.nvars = read_ranges(r, vars, doms);
    n.body = rd_ref(r);
    if (kind == FD_REDUCE && rd_accept(r, "from")) n.init = rd_ref(r);
    const FdType *t = rd_typed(r);
    n.loc = rd_loc(r);
    if (r->error) return NULL;
    if (kind == FD_REDUCE) {
        const FdNode *both[2] = {n.init ? n.init : n.body, n.body};
        n.fn = fn_node(r, f, 2, both, t);
    }
    const char *why = r->error ? NULL : fdi_check_binder(&n);
    if (why) rd_fail(r, "%s", why);
    if (r->error) return NULL;
    const FdNode *node =
        kind == FD_REDUCE
            ? fd_fold(r->fd, n.fn, n.init, n.nvars, vars, doms, n.body, n.loc)
            : fd_recurrence(r->fd, n.self, n.order, n.nvars, vars, doms, n.body, n.loc);
    if (node->type != t) rd_fail(r, "the node's type is not the result's");
    return node;
}

/* "8, 8]" */
static const FdNode *read_array(Reader *r, const FdType *t, const char *name)
{
    int64_t extent[FD_MAX_RANK];
    int n = 0;
    do {
        if (n == t->nparams) rd_fail(r, "an array has as many lengths as parameters");
        if (r->error) return NULL;
        extent[n++] = rd_number(r, MAX_ELEMENTS);
        if (extent[n - 1] == 0) rd_fail(r, "a local array has elements");
    } while (rd_accept(r, ","));
    rd_expect(r, "]");
    if (n != t->nparams || t->result->result) rd_fail(r, "not the type of an array");
    return r->error ? NULL : fd_local_array(r->fd, t, extent, name);
}

static const FdNode *read_var(Reader *r, bool local)
{
    const char *name = rd_string(r);
    const FdType *t = rd_typed(r);
    if (r->error) return NULL;
    if (local && rd_accept(r, "[")) return read_array(r, t, name);
    return local ? fd_local(r->fd, t, name) : fd_var(r->fd, t, name);
}

static const FdNode *read_user_leaf(Reader *r)
{
    const char *name = rd_string(r);
    const FdType *t = rd_typed(r);
    if (r->error) return NULL;
    const FdUser *u = fd_user_find(r->fd, name);
    if (!u || u->type != t) {
        rd_fail(r, "there is no user function \"%s\" of this type", name);
        return NULL;
    }
    return fd_user(r->fd, u);
}

/* "%n = ..." */
static void read_node(Reader *r)
{
    rd_expect(r, "%");
    long n = rd_number(r, MAX_NUMBER);
    rd_expect(r, "=");
    if (r->error) return;
    const FdNode *node = NULL;
    if (rd_accept(r, "const"))
        node = rd_const(r);
    else if (rd_accept(r, "slot"))
        node = read_slot(r);
    else if (rd_accept(r, "apply"))
        node = read_apply(r);
    else if (rd_accept(r, "reduce"))
        node = read_binder(r, FD_REDUCE, false);
    else if (rd_accept(r, "let"))
        node = read_binder(r, FD_LET, false);
    else if (rd_accept(r, "rec"))
        node = read_binder(r, FD_LET, true);
    else if (rd_accept(r, "var"))
        node = read_var(r, false);
    else if (rd_accept(r, "local"))
        node = read_var(r, true);
    else if (rd_accept(r, "user"))
        node = read_user_leaf(r);
    else if (rd_accept(r, "op"))
        node = read_op(r);
    else
        rd_fail(r, "expected a kind of node");
    rd_loc(r);
    rd_end_line(r);
    if (r->error) return;
    while (r->nodes->len <= (size_t)n) vec_push(r->nodes, NULL);
    if (r->nodes->data[n])
        rd_fail(r, "%%%ld is defined twice", n);
    else
        r->nodes->data[n] = node;
}

/* ---- user functions -------------------------------------------------------------------- */

/* "user "name" : type", what is known of it for reductions, and a body in braces if there is one.
 */
static void read_user(Reader *r)
{
    const char *name = rd_string(r);
    const FdType *t = rd_typed(r);
    if (r->error) return;
    if (t->nparams == 0) {
        rd_fail(r, "a user function has a function type");
        return;
    }
    FdUser *u = fd_user_find(r->fd, name);
    bool known = u != NULL;
    if (known && u->type != t) {
        rd_fail(r, "user function \"%s\" has another type elsewhere", name);
        return;
    }
    bool associative = rd_accept(r, "associative"), commutative = rd_accept(r, "commutative");
    const FdNode *identity = rd_accept(r, "identity") ? rd_value(r, t->result) : NULL;
    bool has_body = rd_accept(r, "{");
    if (!has_body) {
        rd_end_line(r);
        if (known || r->error) return;
        u = fd_user_declare(r->fd, name, t);
        u->associative = associative;
        u->commutative = commutative;
        u->identity = identity;
        return;
    }
    rd_end_line(r);
    FdiNodes nodes = {0};
    r->nodes = &nodes;
    r->in_user = true;
    bool more;
    while ((more = rd_next_line(r)) && *r->p == '%' && !r->error) read_node(r);
    const FdNode *params[FD_MAX_PARAMS] = {0};
    int n = 0;
    if (!more) rd_fail(r, "a user function has no end");
    if (rd_expect(r, "params")) n = refs(r, params, FD_MAX_PARAMS);
    rd_end_line(r);
    if (!r->error && n != t->nparams) rd_fail(r, "wrong number of parameters");
    FdStmt *body = rd_block(r, 0);
    rd_expect(r, "}");
    rd_end_line(r);
    if (!r->error && !body) rd_fail(r, "a user function's body is empty");
    if (!r->error && !known) {
        /* Declared only now: a body cannot name its own function. */
        u = fd_user_declare(r->fd, name, t);
        for (int i = 0; i < n; i++) u->params[i] = params[i];
        u->body = body;
        u->associative = associative;
        u->commutative = commutative;
        u->identity = identity;
        const char *why = fdi_verify_user(r->fd, u);
        if (why) rd_fail(r, "%s", why);
    }
    vec_free(&nodes);
    r->nodes = &r->graph_nodes;
    r->in_user = false;
}

/* ---- records --------------------------------------------------------------------------- */

/* "record name (float re, float im)" */
static void read_record(Reader *r)
{
    const FdType *fields[FD_MAX_FIELDS];
    const char *names[FD_MAX_FIELDS];
    int n = 0;
    ScalarKind k;
    const char *name = rd_word(r);
    if (!r->error && scalar_from_name(name, strlen(name), &k))
        rd_fail(r, "'%s' is a scalar type", name);
    rd_expect(r, "(");
    do {
        if (n == FD_MAX_FIELDS) rd_fail(r, "too many fields");
        fields[n] = rd_type(r, 0);
        if (fields[n]->result) rd_fail(r, "a field is a scalar or a record");
        const char *field = rd_word(r);
        if (r->error) return;
        names[n++] = field;
    } while (rd_accept(r, ","));
    rd_expect(r, ")");
    rd_end_line(r);
    if (!r->error && !fd_type_record(r->fd, name, n, fields, names))
        rd_fail(r, "record %s has other fields elsewhere", name);
}

/* ---- graphs ---------------------------------------------------------------------------- */

static void read_agree(Reader *r, bool inside)
{
    FdAgree a = {.inside = inside};
    a.a = rd_ref(r);
    rd_expect(r, ".");
    a.a_dim = (int)rd_number(r, FD_MAX_RANK);
    a.b = rd_ref(r);
    rd_expect(r, ".");
    a.b_dim = (int)rd_number(r, FD_MAX_RANK);
    a.loc = rd_loc(r);
    rd_end_line(r);
    if (!r->error) vec_push(&r->agrees, a);
}

static void read_result(Reader *r)
{
    FdResult is = {.node = rd_ref(r)};
    if (rd_accept(r, "part")) is.part = rd_ref(r);
    rd_end_line(r);
    if (!r->error) vec_push(&r->results, is);
}

static void read_moving(Reader *r)
{
    FdMoving m = {.slot = rd_ref(r)};
    rd_expect(r, "in");
    m.values = rd_ref(r);
    rd_end_line(r);
    if (!r->error) vec_push(&r->moving, m);
}

static void read_lines(Reader *r)
{
    bool more = !rd_at_end(r) || rd_next_line(r);
    int last_line = 0;
    for (; more && !r->error; more = rd_next_line(r)) {
        if (rd_accept(r, "result")) {
            last_line = r->line;
            read_result(r);
        } else if (r->results.len)
            rd_fail(r, "the results are the last lines");
        else if (*r->p == '%')
            read_node(r);
        else if (rd_accept(r, "record"))
            read_record(r);
        else if (rd_accept(r, "user"))
            read_user(r);
        else if (rd_accept(r, "agree"))
            read_agree(r, false);
        else if (rd_accept(r, "inside"))
            read_agree(r, true);
        else if (rd_accept(r, "hints")) {
            r->hints = rd_string(r);
            rd_end_line(r);
        } else if (rd_accept(r, "turns")) {
            r->turns = rd_ref(r);
            rd_end_line(r);
        } else if (rd_accept(r, "moving")) {
            read_moving(r);
        } else
            rd_fail(r, "expected a node, 'record', 'user', 'agree', 'inside', 'hints', 'turns', "
                       "'moving' or 'result'");
    }
    if (r->results.len) r->line = last_line; /* what concerns the whole graph is said there */
    if (!r->results.len) rd_fail(r, "there is no result");
    for (size_t i = 0; i < r->slots.len; i++)
        if (!r->slots.data[i].type) rd_fail(r, "slot %zu is missing", i);
}

FdGraph *fd_read(Fd *fd, const char *text, const char **error)
{
    Reader r = {.fd = fd, .p = text, .line = 1};
    r.nodes = &r.graph_nodes;
    read_lines(&r);
    FdGraph *g = NULL;
    if (!r.error) {
        g = arena_new_of(fd->arena, FdGraph);
        *g = (FdGraph){.nresults = (int)r.results.len,
                       .hints = r.hints,
                       .turns = r.turns,
                       .nmoving = (int)r.moving.len,
                       .nslots = (int)r.slots.len,
                       .nagrees = (int)r.agrees.len};
        g->results = arena_copy(fd->arena, r.results.data, sizeof(FdResult) * r.results.len);
        g->moving = arena_copy(fd->arena, r.moving.data, sizeof(FdMoving) * r.moving.len);
        g->slots = arena_copy(fd->arena, r.slots.data, sizeof(FdSlot) * r.slots.len);
        g->agrees = arena_copy(fd->arena, r.agrees.data, sizeof(FdAgree) * r.agrees.len);
        const char *why = fd_verify(fd, g);
        if (why) rd_fail(&r, "%s", why);
    }
    vec_free(&r.graph_nodes);
    vec_free(&r.slots);
    vec_free(&r.results);
    vec_free(&r.agrees);
    vec_free(&r.moving);
    *error = r.error;
    return r.error ? NULL : g;
}
