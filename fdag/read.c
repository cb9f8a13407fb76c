/* The reader of the text form: one line a node, every rule checked before a builder is called, so
 * bad input gives a message and never an abort. Errors stick: after the first nothing is read. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum {
    MAX_NUMBER = 1 << 20, /* of a %node */
    MAX_SLOTS = 1 << 16,
    MAX_DEPTH = 100, /* of nested statements */
    MAX_TYPE_DEPTH = 16
};

typedef struct Reader {
    Fd *fd;
    const char *p; /* what is left */
    int line;
    const char *error;
    FdiNodes *nodes; /* by number; of the graph, or of the user function being read */
    FdiNodes graph_nodes;
    VEC(FdSlot) slots;
    VEC(FdAgree) agrees;
    const FdNode *root;
    bool in_user;
} Reader;

static void fail(Reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void fail(Reader *r, const char *fmt, ...)
{
    if (r->error) return;
    Text t = {0};
    va_list ap;
    va_start(ap, fmt);
    text_printf(&t, "line %d: ", r->line);
    text_vprintf(&t, fmt, ap);
    va_end(ap);
    r->error = arena_strndup(r->fd->arena, t.data, t.len);
    text_free(&t);
}

/* ---- tokens ---------------------------------------------------------------------------- */

static void skip_space(Reader *r)
{
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\r') r->p++;
}

/* Is the rest of the line blank or a comment? */
static bool at_end(Reader *r)
{
    skip_space(r);
    return *r->p == '\0' || *r->p == '\n' || *r->p == '#';
}

/* To the next line that holds something; false at the end of the text. */
static bool next_line(Reader *r)
{
    for (;;) {
        while (*r->p && *r->p != '\n') r->p++;
        if (*r->p == '\0') return false;
        r->p++;
        r->line++;
        if (!at_end(r)) return true;
    }
}

static void end_line(Reader *r)
{
    if (!r->error && !at_end(r)) fail(r, "unexpected text at the end of the line");
}

static bool accept(Reader *r, const char *s)
{
    size_t n = strlen(s);
    skip_space(r);
    if (r->error || strncmp(r->p, s, n) != 0) return false;
    /* A word ends where it ends. */
    if (isalpha((unsigned char)s[n - 1]) && (isalnum((unsigned char)r->p[n]) || r->p[n] == '_'))
        return false;
    r->p += n;
    return true;
}

static bool expect(Reader *r, const char *s)
{
    if (accept(r, s)) return true;
    fail(r, "expected '%s'", s);
    return false;
}

static long number(Reader *r, long limit)
{
    skip_space(r);
    if (r->error) return 0;
    if (!isdigit((unsigned char)*r->p)) {
        fail(r, "expected a number");
        return 0;
    }
    long n = 0;
    while (isdigit((unsigned char)*r->p)) {
        n = n * 10 + (*r->p++ - '0');
        if (n >= limit) {
            fail(r, "the number is too large");
            return 0;
        }
    }
    return n;
}

static size_t word(Reader *r, char *out, size_t size)
{
    size_t n = 0;
    skip_space(r);
    while (isalnum((unsigned char)r->p[n]) || r->p[n] == '_') n++;
    if (n == 0 || n >= size) {
        fail(r, "expected a word");
        n = 0;
    }
    memcpy(out, r->p, n);
    out[n] = '\0';
    if (!r->error) r->p += n;
    return n;
}

/* A quoted string, in the arena. */
static const char *string(Reader *r)
{
    if (!expect(r, "\"")) return "";
    Text t = {0};
    text_add(&t, "");
    while (*r->p && *r->p != '"' && *r->p != '\n') {
        char c = *r->p++;
        if (c == '\\' && *r->p == 'x' && isxdigit((unsigned char)r->p[1]) &&
            isxdigit((unsigned char)r->p[2])) {
            char hex[3] = {r->p[1], r->p[2], '\0'};
            c = (char)strtol(hex, NULL, 16);
            r->p += 3;
            if (c == '\0') fail(r, "a name cannot hold a zero byte");
        } else if (c == '\\' && (*r->p == '"' || *r->p == '\\')) {
            c = *r->p++;
        } else if (c == '\\') {
            fail(r, "bad escape in a string");
        }
        text_addn(&t, &c, 1);
    }
    if (*r->p == '"')
        r->p++;
    else
        fail(r, "the string has no end");
    const char *s = arena_strndup(r->fd->arena, t.data, t.len);
    text_free(&t);
    return s;
}

static FdLoc loc(Reader *r)
{
    FdLoc l = {0};
    skip_space(r);
    if (r->error || *r->p != '@' || !isdigit((unsigned char)r->p[1])) return l;
    r->p++;
    l.line = (int)number(r, 1L << 30);
    if (*r->p == ':') {
        r->p++;
        l.col = (int)number(r, 1L << 30);
    } else {
        fail(r, "a position is @line:col");
    }
    return l;
}

static const FdType *type(Reader *r, int depth)
{
    char name[16];
    ScalarKind k = SC_INT;
    size_t n = word(r, name, sizeof name);
    if (!r->error && !scalar_from_name(name, n, &k)) fail(r, "'%s' is not a type", name);
    const FdType *t = fd_type_scalar(r->fd, k);
    while (!r->error && accept(r, "(")) {
        const FdType *params[FD_MAX_RANK];
        int count = 0;
        if (depth++ >= MAX_TYPE_DEPTH) fail(r, "the type is nested too deeply");
        do {
            if (count == FD_MAX_RANK) fail(r, "too many parameters");
            if (r->error) return t;
            params[count++] = type(r, depth);
        } while (accept(r, ","));
        expect(r, ")");
        t = fd_type_func(r->fd, t, count, params);
    }
    return t;
}

const FdType *fd_type_read(Fd *fd, const char *text)
{
    Reader r = {.fd = fd, .p = text, .line = 1};
    const FdType *t = type(&r, 0);
    skip_space(&r);
    return r.error || *r.p ? NULL : t;
}

/* %number, defined before. NULL after an error. */
static const FdNode *ref(Reader *r)
{
    if (!expect(r, "%")) return NULL;
    long n = number(r, MAX_NUMBER);
    if (r->error) return NULL;
    if ((size_t)n >= r->nodes->len || !r->nodes->data[n]) {
        fail(r, "%%%ld is not defined before", n);
        return NULL;
    }
    return r->nodes->data[n];
}

static FdOp op_name(Reader *r)
{
    char name[16];
    if (!expect(r, "@") || !word(r, name, sizeof name)) return FD_OP_NONE;
    FdOp op = fd_op_from_text(name);
    if (op == FD_OP_NONE) fail(r, "there is no operation @%s", name);
    return op;
}

/* ---- nodes ----------------------------------------------------------------------------- */

static const FdType *typed(Reader *r)
{
    return expect(r, ":") ? type(r, 0) : NULL;
}

static const FdNode *read_const(Reader *r)
{
    char text[64];
    size_t n = 0;
    skip_space(r);
    while (r->p[n] && !strchr(" \t\r\n:", r->p[n]) && n < sizeof text - 1) n++;
    memcpy(text, r->p, n);
    text[n] = '\0';
    r->p += n;
    const FdType *t = typed(r);
    if (r->error) return NULL;
    if (t->nparams) {
        fail(r, "a constant is a scalar");
        return NULL;
    }
    ScalarKind k = t->scalar;
    ScalarValue v = {0};
    char *end = text;
    errno = 0;
    if (k == SC_BOOL) {
        v.i = strcmp(text, "true") == 0;
        if (v.i || strcmp(text, "false") == 0) end = text + n;
    } else if (scalar_is_real(k)) {
        if (strcmp(text, "NaN") == 0) {
            v.f = (double)NAN;
            end = text + n;
        } else {
            /* A float is read as one: through double it could round twice. */
            v.f = k == SC_FLOAT ? (double)strtof(text, &end) : strtod(text, &end);
            if (k == SC_HALF) v = scalar_convert(v, SC_DOUBLE, SC_HALF);
        }
        errno = 0; /* out of range gives an infinity or a denormal, as printed */
    } else if (k == SC_ULONG) {
        v.i = (int64_t)strtoull(text, &end, 10);
        if (text[0] == '-') end = text;
    } else {
        v.i = strtoll(text, &end, 10);
        if (scalar_convert(v, SC_LONG, k).i != v.i) errno = ERANGE;
    }
    if (n == 0 || *end || end == text || errno) {
        fail(r, "'%s' is not a constant of type %s", text, scalar_name(k));
        return NULL;
    }
    return fd_const(r->fd, k, v);
}

static const FdNode *read_slot(Reader *r)
{
    long slot = number(r, MAX_SLOTS);
    FdSlot s = {.name = string(r)};
    if (!expect(r, ":")) return NULL;
    s.is_array = accept(r, "array");
    s.type = type(r, 0);
    if (accept(r, "=")) s.def = ref(r);
    if (r->error) return NULL;
    if (r->in_user)
        fail(r, "a user function has no slots");
    else if (s.is_array && s.type->nparams == 0)
        fail(r, "an array is a function");
    else if (s.def && s.def->type != s.type)
        fail(r, "the definition has another type");
    while (r->slots.len <= (size_t)slot) vec_push(&r->slots, (FdSlot){0});
    if (r->slots.data[slot].type) fail(r, "slot %ld is defined twice", slot);
    if (r->error) return NULL;
    r->slots.data[slot] = s;
    return fd_slot(r->fd, (int)slot, s.type, s.name);
}

static int refs(Reader *r, const FdNode **out)
{
    int n = 0;
    expect(r, "(");
    do {
        if (n == FD_MAX_RANK) fail(r, "too many operands");
        if (r->error) return 0;
        out[n++] = ref(r);
    } while (accept(r, ","));
    expect(r, ")");
    return n;
}

static const FdNode *checked_op(Reader *r, FdOp op, const FdType *t)
{
    const char *why = t ? fdi_check_op(op, t) : "wrong number of operands";
    if (why && !r->error) fail(r, "@%s: %s", fd_op_info(op)->text, why);
    return r->error ? NULL : fd_op(r->fd, op, t);
}

static const FdNode *read_apply(Reader *r)
{
    const FdNode *fn = NULL, *args[FD_MAX_RANK];
    FdOp op = FD_OP_NONE;
    skip_space(r);
    if (*r->p == '@')
        op = op_name(r);
    else
        fn = ref(r);
    int n = refs(r, args);
    const FdType *t = typed(r);
    FdLoc at = loc(r);
    if (r->error) return NULL;
    if (!fn) fn = checked_op(r, op, fdi_op_type(r->fd, op, t->scalar, n, args));
    const char *why = r->error ? NULL : fdi_check_apply(fn, n, args);
    if (why) fail(r, "%s", why);
    if (!r->error && fn->type->result != t) fail(r, "the node's type is not the result's");
    return r->error ? NULL : fd_apply(r->fd, fn, n, args, at);
}

static const FdNode *read_binder(Reader *r, bool reduce)
{
    const FdNode *fn = NULL, *vars[FD_MAX_RANK], *body;
    FdDom doms[FD_MAX_RANK] = {0};
    FdOp op = FD_OP_NONE;
    int n = 0;
    skip_space(r);
    if (reduce && *r->p == '@')
        op = op_name(r);
    else if (reduce)
        fn = ref(r);
    expect(r, "(");
    do {
        if (n == FD_MAX_RANK) fail(r, "too many variables");
        if (r->error) return NULL;
        vars[n] = ref(r);
        expect(r, ":");
        FdDom *d = &doms[n++];
        d->kind = accept(r, "infer")   ? FD_DOM_INFERRED
                  : accept(r, "given") ? FD_DOM_GIVEN
                  : accept(r, "full")  ? FD_DOM_FULL
                                       : FD_DOM_OPEN;
        if (d->kind == FD_DOM_OPEN) expect(r, "open");
        if (d->kind == FD_DOM_OPEN || d->kind == FD_DOM_FULL) continue;
        d->lo = ref(r);
        expect(r, "..");
        d->hi = ref(r);
    } while (accept(r, ","));
    expect(r, ")");
    body = ref(r);
    const FdType *t = typed(r);
    FdLoc at = loc(r);
    if (r->error) return NULL;
    const char *why = fdi_check_binder(reduce, n, vars, doms, body);
    if (!why && reduce && !fn) {
        const FdNode *both[2] = {body, body};
        fn = checked_op(r, op, fdi_op_type(r->fd, op, body->type->scalar, 2, both));
    }
    if (!why && fn) why = fdi_check_reduce(fn, body);
    if (why) fail(r, "%s", why);
    if (r->error) return NULL;
    const FdNode *node = reduce ? fd_reduce(r->fd, fn, n, vars, doms, body, at)
                                : fd_let(r->fd, n, vars, doms, body, at);
    if (node->type != t) fail(r, "the node's type is not the result's");
    return node;
}

static const FdNode *read_var(Reader *r, bool local)
{
    const char *name = string(r);
    const FdType *t = typed(r);
    if (r->error) return NULL;
    return local ? fd_local(r->fd, t, name) : fd_var(r->fd, t, name);
}

static const FdNode *read_user_leaf(Reader *r)
{
    const char *name = string(r);
    const FdType *t = typed(r);
    if (r->error) return NULL;
    const FdUser *u = fd_user_find(r->fd, name);
    if (!u || u->type != t) {
        fail(r, "there is no user function \"%s\" of this type", name);
        return NULL;
    }
    return fd_user(r->fd, u);
}

/* "%n = ..." */
static void read_node(Reader *r)
{
    expect(r, "%");
    long n = number(r, MAX_NUMBER);
    expect(r, "=");
    if (r->error) return;
    const FdNode *node = NULL;
    if (accept(r, "const"))
        node = read_const(r);
    else if (accept(r, "slot"))
        node = read_slot(r);
    else if (accept(r, "apply"))
        node = read_apply(r);
    else if (accept(r, "reduce"))
        node = read_binder(r, true);
    else if (accept(r, "let"))
        node = read_binder(r, false);
    else if (accept(r, "var"))
        node = read_var(r, false);
    else if (accept(r, "local"))
        node = read_var(r, true);
    else if (accept(r, "user"))
        node = read_user_leaf(r);
    else if (accept(r, "op")) {
        FdOp op = op_name(r);
        const FdType *t = typed(r);
        if (!r->error) node = checked_op(r, op, t);
    } else {
        fail(r, "expected a kind of node");
    }
    loc(r);
    end_line(r);
    if (r->error) return;
    while (r->nodes->len <= (size_t)n) vec_push(r->nodes, NULL);
    if (r->nodes->data[n])
        fail(r, "%%%ld is defined twice", n);
    else
        r->nodes->data[n] = node;
}

/* ---- user functions -------------------------------------------------------------------- */

/* Statements up to the line that begins with "}", which stays current. */
static FdStmt *read_block(Reader *r, int depth)
{
    FdStmt *first = NULL, **last = &first;
    if (depth > MAX_DEPTH) fail(r, "statements are nested too deeply");
    while (!r->error) {
        if (!next_line(r)) {
            fail(r, "a block has no end");
            break;
        }
        if (*r->p == '}') break;
        FdStmt *s = arena_new_of(r->fd->arena, FdStmt);
        bool block = false;
        if (accept(r, "set")) {
            s->kind = FD_STMT_SET;
            s->var = ref(r);
            expect(r, "=");
            s->expr = ref(r);
        } else if (accept(r, "if")) {
            s->kind = FD_STMT_IF;
            s->expr = ref(r);
            block = true;
        } else if (accept(r, "loop")) {
            s->kind = FD_STMT_LOOP;
            block = true;
        } else if (accept(r, "break")) {
            s->kind = FD_STMT_BREAK;
        } else if (accept(r, "continue")) {
            s->kind = FD_STMT_CONTINUE;
        } else if (accept(r, "return")) {
            s->kind = FD_STMT_RETURN;
            s->expr = ref(r);
        } else {
            fail(r, "expected a statement");
        }
        s->loc = loc(r);
        if (block && expect(r, "{")) {
            end_line(r);
            s->body = read_block(r, depth + 1);
            expect(r, "}");
            if (accept(r, s->kind == FD_STMT_IF ? "else" : "step") && expect(r, "{")) {
                end_line(r);
                s->other = read_block(r, depth + 1);
                expect(r, "}");
            }
        }
        end_line(r);
        *last = s;
        last = &s->next;
    }
    return first;
}

/* "user "name" : type", and a body in braces if there is one. */
static void read_user(Reader *r)
{
    const char *name = string(r);
    const FdType *t = typed(r);
    if (r->error) return;
    if (t->nparams == 0) {
        fail(r, "a user function has a function type");
        return;
    }
    FdUser *u = fd_user_find(r->fd, name);
    bool known = u != NULL;
    if (known && u->type != t) {
        fail(r, "user function \"%s\" has another type elsewhere", name);
        return;
    }
    if (!accept(r, "{")) {
        end_line(r);
        if (!known && !r->error) fd_user_declare(r->fd, name, t);
        return;
    }
    end_line(r);
    FdiNodes nodes = {0};
    r->nodes = &nodes;
    r->in_user = true;
    bool more;
    while ((more = next_line(r)) && *r->p == '%' && !r->error) read_node(r);
    const FdNode *params[FD_MAX_RANK] = {0};
    int n = 0;
    if (!more) fail(r, "a user function has no end");
    if (expect(r, "params")) n = refs(r, params);
    end_line(r);
    if (!r->error && n != t->nparams) fail(r, "wrong number of parameters");
    FdStmt *body = read_block(r, 0);
    expect(r, "}");
    end_line(r);
    if (!r->error && !body) fail(r, "a user function's body is empty");
    if (!r->error && !known) {
        /* Declared only now: a body cannot name its own function. */
        u = fd_user_declare(r->fd, name, t);
        for (int i = 0; i < n; i++) u->params[i] = params[i];
        u->body = body;
        const char *why = fdi_verify_user(r->fd, u);
        if (why) fail(r, "%s", why);
    }
    vec_free(&nodes);
    r->nodes = &r->graph_nodes;
    r->in_user = false;
}

/* ---- graphs ---------------------------------------------------------------------------- */

static void read_agree(Reader *r)
{
    FdAgree a = {0};
    a.a = ref(r);
    expect(r, ".");
    a.a_dim = (int)number(r, FD_MAX_RANK);
    a.b = ref(r);
    expect(r, ".");
    a.b_dim = (int)number(r, FD_MAX_RANK);
    a.loc = loc(r);
    end_line(r);
    if (!r->error) vec_push(&r->agrees, a);
}

static void read_lines(Reader *r)
{
    bool more = !at_end(r) || next_line(r);
    int root_line = 0;
    for (; more && !r->error; more = next_line(r)) {
        if (r->root)
            fail(r, "the root is the last line");
        else if (*r->p == '%')
            read_node(r);
        else if (accept(r, "user"))
            read_user(r);
        else if (accept(r, "agree"))
            read_agree(r);
        else if (accept(r, "root")) {
            r->root = ref(r);
            root_line = r->line;
            end_line(r);
        } else
            fail(r, "expected a node, 'user', 'agree' or 'root'");
    }
    if (r->root) r->line = root_line; /* what concerns the whole graph is said there */
    if (!r->root) fail(r, "there is no root");
    for (size_t i = 0; i < r->slots.len; i++)
        if (!r->slots.data[i].type) fail(r, "slot %zu is missing", i);
}

FdGraph *fd_read(Fd *fd, const char *text, const char **error)
{
    Reader r = {.fd = fd, .p = text, .line = 1};
    r.nodes = &r.graph_nodes;
    read_lines(&r);
    FdGraph *g = NULL;
    if (!r.error) {
        g = arena_new_of(fd->arena, FdGraph);
        *g = (FdGraph){.root = r.root, .nslots = (int)r.slots.len, .nagrees = (int)r.agrees.len};
        g->slots = arena_copy(fd->arena, r.slots.data, sizeof(FdSlot) * r.slots.len);
        g->agrees = arena_copy(fd->arena, r.agrees.data, sizeof(FdAgree) * r.agrees.len);
        const char *why = fd_verify(fd, g);
        if (why) fail(&r, "%s", why);
    }
    vec_free(&r.graph_nodes);
    vec_free(&r.slots);
    vec_free(&r.agrees);
    *error = r.error;
    return r.error ? NULL : g;
}
