/* Tokens of the text form: words, numbers, strings, types, positions, references to nodes. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

enum { MAX_TYPE_DEPTH = 16 };

void rd_fail(Reader *r, const char *fmt, ...)
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

void rd_skip_space(Reader *r)
{
    while (*r->p == ' ' || *r->p == '\t' || *r->p == '\r') r->p++;
}

/* Is the rest of the line blank or a comment? */
bool rd_at_end(Reader *r)
{
    rd_skip_space(r);
    return *r->p == '\0' || *r->p == '\n' || *r->p == '#';
}

/* To the next line that holds something; false at the end of the text. */
bool rd_next_line(Reader *r)
{
    for (;;) {
        while (*r->p && *r->p != '\n') r->p++;
        if (*r->p == '\0') return false;
        r->p++;
        r->line++;
        if (!rd_at_end(r)) return true;
    }
}

void rd_end_line(Reader *r)
{
    if (!r->error && !rd_at_end(r)) rd_fail(r, "unexpected text at the end of the line");
}

bool rd_accept(Reader *r, const char *s)
{
    size_t n = strlen(s);
    rd_skip_space(r);
    if (r->error || strncmp(r->p, s, n) != 0) return false;
    /* A word ends where it ends. */
    if (isalpha((unsigned char)s[n - 1]) && (isalnum((unsigned char)r->p[n]) || r->p[n] == '_'))
        return false;
    r->p += n;
    return true;
}

bool rd_expect(Reader *r, const char *s)
{
    if (rd_accept(r, s)) return true;
    rd_fail(r, "expected '%s'", s);
    return false;
}

long rd_number(Reader *r, long limit)
{
    rd_skip_space(r);
    if (r->error) return 0;
    if (!isdigit((unsigned char)*r->p)) {
        rd_fail(r, "expected a number");
        return 0;
    }
    long n = 0;
    while (isdigit((unsigned char)*r->p)) {
        n = n * 10 + (*r->p++ - '0');
        if (n >= limit) {
            rd_fail(r, "the number is too large");
            return 0;
        }
    }
    return n;
}

const char *rd_word(Reader *r)
{
    size_t n = 0;
    rd_skip_space(r);
    while (isalnum((unsigned char)r->p[n]) || r->p[n] == '_') n++;
    if (n == 0) rd_fail(r, "expected a word");
    if (r->error) return "";
    const char *word = arena_strndup(r->fd->arena, r->p, n);
    r->p += n;
    return word;
}

/* A quoted string, in the arena. */
const char *rd_string(Reader *r)
{
    if (!rd_expect(r, "\"")) return "";
    Text t = {0};
    text_add(&t, "");
    while (*r->p && *r->p != '"' && *r->p != '\n') {
        char c = *r->p++;
        if (c == '\\' && *r->p == 'x' && isxdigit((unsigned char)r->p[1]) &&
            isxdigit((unsigned char)r->p[2])) {
            char hex[3] = {r->p[1], r->p[2], '\0'};
            c = (char)strtol(hex, NULL, 16);
            r->p += 3;
            if (c == '\0') rd_fail(r, "a name cannot hold a zero byte");
        } else if (c == '\\' && (*r->p == '"' || *r->p == '\\')) {
            c = *r->p++;
        } else if (c == '\\') {
            rd_fail(r, "bad escape in a string");
        }
        text_addn(&t, &c, 1);
    }
    if (*r->p == '"')
        r->p++;
    else
        rd_fail(r, "the string has no end");
    const char *s = arena_strndup(r->fd->arena, t.data, t.len);
    text_free(&t);
    return s;
}

FdLoc rd_loc(Reader *r)
{
    FdLoc l = {0};
    rd_skip_space(r);
    if (r->error || *r->p != '@' || !isdigit((unsigned char)r->p[1])) return l;
    r->p++;
    l.line = (int)rd_number(r, 1L << 30);
    if (*r->p == ':') {
        r->p++;
        l.col = (int)rd_number(r, 1L << 30);
    } else {
        rd_fail(r, "a position is @line:col");
    }
    return l;
}

const FdType *rd_type(Reader *r, int depth)
{
    ScalarKind k = SC_INT;
    const char *name = rd_word(r);
    bool scalar = r->error || scalar_from_name(name, strlen(name), &k);
    const FdType *t = scalar ? fd_type_scalar(r->fd, k) : fd_type_find(r->fd, name);
    if (!t) {
        rd_fail(r, "'%s' is not a type", name);
        t = fd_type_scalar(r->fd, k);
    }
    while (!r->error && rd_accept(r, "(")) {
        const FdType *params[FD_MAX_PARAMS];
        int count = 0;
        if (depth++ >= MAX_TYPE_DEPTH) rd_fail(r, "the type is nested too deeply");
        do {
            if (count == FD_MAX_PARAMS) rd_fail(r, "too many parameters");
            if (r->error) return t;
            params[count++] = rd_type(r, depth);
        } while (rd_accept(r, ","));
        rd_expect(r, ")");
        t = fd_type_func(r->fd, t, count, params);
    }
    return t;
}

const FdType *fd_type_read(Fd *fd, const char *text)
{
    Reader r = {.fd = fd, .p = text, .line = 1};
    const FdType *t = rd_type(&r, 0);
    rd_skip_space(&r);
    return r.error || *r.p ? NULL : t;
}

/* %number, defined before. NULL after an error. */
const FdNode *rd_ref(Reader *r)
{
    if (!rd_expect(r, "%")) return NULL;
    long n = rd_number(r, MAX_NUMBER);
    if (r->error) return NULL;
    if ((size_t)n >= r->nodes->len || !r->nodes->data[n]) {
        rd_fail(r, "%%%ld is not defined before", n);
        return NULL;
    }
    return r->nodes->data[n];
}

FdOp rd_op_name(Reader *r)
{
    if (!rd_expect(r, "@")) return FD_OP_NONE;
    const char *name = rd_word(r);
    if (r->error) return FD_OP_NONE;
    FdOp op = fd_op_from_text(name);
    if (op == FD_OP_NONE) rd_fail(r, "there is no operation @%s", name);
    return op;
}
