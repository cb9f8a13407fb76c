/* Rows of a few elements side by side (abreast.h). */
#include "abreast.h"

#include "../internal.h"
#include "facts/facts.h"

enum { MOST_NODES = 600 }; /* of all elements of a row */

int64_t fd_abreast_length(const FdDom *last)
{
    int64_t n;
    if (!last->lo || !last->hi || !fd_is_const(last->lo) || !fd_is_const(last->hi)) return 0;
    return __builtin_sub_overflow(last->hi->value.i, last->lo->value.i, &n) ? -1 : n;
}

/* ---- ranges that are not known ------------------------------------------------------------- */

typedef struct Ends {
    const FdDom *last;
    int64_t length;
} Ends;

static const FdNode *known_end(void *ctx, Fd *fd, const FdNode *n)
{
    const Ends *e = ctx;
    bool lo = n == e->last->lo;
    if (fd_is_const(n) || (!lo && n != e->last->hi)) return NULL;
    return fd_const(fd, n->type->scalar, (ScalarValue){.i = lo ? 0 : e->length});
}

typedef struct Told {
    int nvars;
    const FdNode *const *vars, *v; /* v: the last */
    const FdDom *last;
} Told;

static bool is_last_index(const void *var, const FdNode *n)
{
    return fdi_applies(n, FD_LEAF_SLOT) && n->nargs >= 2 && n->args[n->nargs - 1] == var;
}

/* A sum over the row, whatever its element, or over a few last indices. */
static bool is_of_row(const Told *t, const FdNode *sum)
{
    const FdDom *d = &sum->doms[0];
    int64_t n = fd_abreast_length(d);
    if (sum->nvars != 1) return false;
    if (d->lo == t->last->lo && d->hi == t->last->hi) return !fdi_free_in(sum, t->v);
    return n > 1 && n <= FD_ABREAST && fd_any(sum->body, is_last_index, sum->vars[0]);
}

/* What all elements of a row share. */
static bool is_at_row(const Told *t, const FdNode *read)
{
    bool all = read->nargs == t->nvars - 1;
    for (int i = 0; all && i < read->nargs; i++) all = read->args[i] == t->vars[i];
    return all;
}

static bool tells(const void *ctx, const FdNode *n)
{
    const Told *t = ctx;
    if (n->kind == FD_REDUCE) return is_of_row(t, n);
    if (!fdi_applies(n, FD_LEAF_SLOT)) return false;
    const FdNode *index = n->args[n->nargs - 1];
    if (fdi_free_in(n, t->v)) /* a factor of each, planes */
        return t->nvars > 2 && (n->nargs == 1 ? index == t->v : !fdi_free_in(index, t->v));
    if (is_at_row(t, n)) return true;
    return n->nargs >= 2 && fd_is_const(index) && index->value.i > 0 &&
           index->value.i < FD_ABREAST && !fd_is_const(n->args[n->nargs - 2]);
}

/* A read whose last index goes by v: others have no such rows in memory. */
static bool goes_along(const void *v, const FdNode *n)
{
    return fdi_applies(n, FD_LEAF_SLOT) && n->nargs >= 2 && fdi_free_in(n->args[n->nargs - 1], v);
}

bool fd_abreast_told(int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body)
{
    const Told t = {nvars, vars, vars[nvars - 1], &doms[nvars - 1]};
    return fd_any(body, tells, &t) && (nvars > 2 || fd_any(body, goes_along, t.v));
}

/* ---- rows ---------------------------------------------------------------------------------- */

static size_t size_of(Fd *fd, const FdNode *n)
{
    FdiNodes list = {0};
    fdi_nodes(fd, n, &list);
    size_t size = list.len;
    vec_free(&list);
    return size;
}

static bool reduces(const void *none, const FdNode *n)
{
    (void)none;
    return n->kind == FD_REDUCE;
}

static const FdNode *made_of(Fd *fd, const char *what, int n, const FdNode *const *elements)
{
    const FdType *fields[FD_MAX_FIELDS];
    const char *names[FD_MAX_FIELDS];
    Text name = {0};
    text_printf(&name, "%s_%d", what, n);
    for (int i = 0; i < n; i++) {
        fields[i] = elements[i]->type;
        names[i] = what;
        text_add(&name, "_");
        fd_type_print(&name, fields[i]);
    }
    const FdType *t = fd_type_record(fd, name.data, n, fields, names);
    text_free(&name);
    return fd_make(fd, t, elements, elements[0]->loc);
}

/* Element i of a row; NULL: it has reductions left. */
static const FdNode *element(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                             const FdNode *body, int64_t i)
{
    const FdNode *last = vars[nvars - 1];
    const FdNode *c = fd_const(fd, last->type->scalar, (ScalarValue){.i = i});
    const FdNode *n = fd_unroll(fd, fdi_replace_vars(fd, body, 1, &last, &c));
    FdFacts *facts = fd_facts_new(fd, nvars - 1, vars, doms, n);
    n = fd_under(facts, n);
    fd_facts_free(facts);
    return fd_any(n, reduces, NULL) ? NULL : n;
}

const FdNode *fd_abreast(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms,
                         const FdNode *body, int64_t length)
{
    const FdDom *range = &doms[nvars - 1];
    const FdNode *rows[FD_MAX_FIELDS];
    if (length < 2 || length > FD_ABREAST) return NULL;
    bool known = fd_abreast_length(range) == length, several = fdi_applies(body, FD_LEAF_MAKE);
    Ends ends = {range, length};
    if (!known) body = fd_rewrite(fd, body, known_end, &ends);
    int count = several ? body->nargs : 1;
    for (int k = 0; k < count; k++) {
        const FdNode *elements[FD_ABREAST], *of = several ? body->args[k] : body;
        if (!fd_type_is_scalar(of->type)) return NULL;
        for (int64_t i = 0; i < length; i++) {
            int64_t at = (known ? range->lo->value.i : 0) + i;
            elements[i] = element(fd, nvars, vars, doms, of, at);
            if (!elements[i]) return NULL;
        }
        rows[k] = made_of(fd, "row", (int)length, elements);
    }
    const FdNode *row = several ? made_of(fd, "rows", count, rows) : rows[0];
    return size_of(fd, row) > MOST_NODES ? NULL : row;
}
