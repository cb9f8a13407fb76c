/* Constants from their text (reader.h). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

const FdType *rd_typed(Reader *r)
{
    return rd_expect(r, ":") ? rd_type(r, 0) : NULL;
}

/* The spelling of a constant of kind k. */
static const FdNode *value_of(Reader *r, ScalarKind k)
{
    size_t n = 0;
    rd_skip_space(r);
    while (r->p[n] && !strchr(" \t\r\n:,(){}", r->p[n])) n++;
    char *text = arena_strndup(r->fd->arena, r->p, n), *end = text;
    r->p += n;
    ScalarValue v = {0};
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
        rd_fail(r, "'%s' is not a constant of type %s", text, scalar_name(k));
        return NULL;
    }
    return r->error ? NULL : fd_const(r->fd, k, v);
}

const FdNode *rd_const(Reader *r)
{
    const char *spelling = r->p; /* the type says how to read it, and comes behind */
    while (*r->p && !strchr("\n:", *r->p)) r->p++;
    const FdType *t = rd_typed(r);
    const char *behind = r->p;
    if (!r->error && !fd_type_is_scalar(t)) rd_fail(r, "a constant is a scalar");
    if (r->error) return NULL;
    r->p = spelling;
    const FdNode *n = value_of(r, t->scalar);
    rd_expect(r, ":");
    r->p = behind;
    return n;
}

const FdNode *rd_value(Reader *r, const FdType *t)
{
    const FdNode *fields[FD_MAX_FIELDS];
    if (t->result) rd_fail(r, "a function is no constant");
    if (r->error) return NULL;
    if (!t->record) return value_of(r, t->scalar);
    for (int i = 0; i < t->nfields; i++) {
        rd_expect(r, i ? "," : "(");
        fields[i] = rd_value(r, t->fields[i]);
    }
    rd_expect(r, ")");
    return r->error ? NULL : fd_make(r->fd, t, fields, (FdLoc){0});
}
