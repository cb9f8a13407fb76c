/* A divided variable as two (split.h). */
#include "split.h"

#include "../internal.h"

typedef struct Splitting {
    Fd *fd;
    const FdNode *v;
    int64_t by; /* 0: not yet known; -1: several */
    const FdNode *quotient, *remainder;
} Splitting;

/* By what the node divides v, and whether it is the remainder; 0: it does not. v is not negative. */
static int64_t divides(const FdNode *n, const FdNode *v, bool *remainder)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op == FD_OP_NONE || n->nargs != 2 || n->args[0] != v || !fd_is_const(n->args[1])) return 0;
    int64_t x = n->args[1]->value.i;
    *remainder = op == FD_OP_REM || op == FD_OP_BITAND;
    if (op == FD_OP_DIV || op == FD_OP_REM) return x > 1 ? x : 0;
    if (op == FD_OP_SHR) return x > 0 && x < 31 ? (int64_t)1 << x : 0;
    if (op == FD_OP_BITAND) return x > 0 && !(x & (x + 1)) ? x + 1 : 0;
    return 0;
}

static bool find(const void *ctx, const FdNode *n)
{
    Splitting *s = *(Splitting *const *)ctx;
    bool remainder;
    int64_t by = divides(n, s->v, &remainder);
    if (by) s->by = s->by && s->by != by ? -1 : by;
    return s->by < 0;
}

static const FdNode *replace(void *ctx, Fd *fd, const FdNode *n)
{
    const Splitting *s = ctx;
    bool remainder;
    (void)fd;
    if (divides(n, s->v, &remainder) != s->by) return NULL;
    return remainder ? s->remainder : s->quotient;
}

/* Of v's type, as what is divided is. */
static const FdNode *whole(const Splitting *s)
{
    const FdNode *n = fdi_scale(s->fd, fdi_to_long(s->fd, s->quotient), s->by);
    n = fdi_long_op(s->fd, FD_OP_ADD, n, fdi_to_long(s->fd, s->remainder));
    if (s->v->type->scalar == SC_LONG) return n;
    return fd_simple_op(s->fd, FD_OP_CONVERT, s->v->type->scalar, 1, &n);
}

static const FdNode *part(const Splitting *s, const char *word)
{
    const char *name = arena_printf(fd_arena(s->fd), "%s_%s", fdi_var_name(s->v), word);
    return fd_var(s->fd, s->v->type, name);
}

static bool begins_at_0(const FdDom *d)
{
    return d->kind != FD_DOM_FULL && d->lo && d->hi && fd_is_const(d->lo) && d->lo->value.i == 0 &&
           fd_closed(d->hi) && fdi_is_word(d->hi);
}

bool fd_split(Fd *fd, int nvars, const FdNode *const *vars, const FdDom *doms, const FdNode *body,
              FdSplit *out)
{
    *out = (FdSplit){.body = body};
    for (int i = 0; i < nvars; i++) {
        Splitting s = {.fd = fd, .v = vars[i]}, *to = &s;
        if (begins_at_0(&doms[i]) && fdi_is_word(vars[i])) fd_any(out->body, find, &to);
        bool splits = s.by > 0;
        if (out->nvars + 1 + splits + (nvars - 1 - i) > FD_MAX_RANK) return false;
        if (!splits) {
            out->vars[out->nvars] = out->of[out->nvars] = vars[i];
            out->doms[out->nvars++] = doms[i];
            continue;
        }
        const FdNode *n = fdi_to_long(fd, doms[i].hi), *zero = fd_long(fd, 0),
                     *by = fd_long(fd, s.by);
        if (!out->nlengths) out->first = i;
        out->by[out->nlengths] = s.by;
        out->lengths[out->nlengths++] = n;
        s.quotient = part(&s, "by");
        s.remainder = part(&s, "in");
        out->of[out->nvars] = out->of[out->nvars + 1] = vars[i];
        out->vars[out->nvars] = s.quotient;
        out->doms[out->nvars++] =
            (FdDom){.kind = FD_DOM_GIVEN, .lo = zero, .hi = fdi_long_op(fd, FD_OP_DIV, n, by)};
        out->vars[out->nvars] = s.remainder;
        out->doms[out->nvars++] = (FdDom){.kind = FD_DOM_GIVEN, .lo = zero, .hi = by};
        const FdNode *all = whole(&s);
        out->body = fd_rewrite(fd, out->body, replace, &s);
        out->body = fdi_replace_vars(fd, out->body, 1, &s.v, &all);
    }
    return out->nlengths > 0;
}
