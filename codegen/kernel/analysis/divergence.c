/* Which locals and conditions of a user function differ from lane to lane. What parts lanes makes
 * locals vary and the other way round: rounds until nothing changes. */
#include "divergence.h"

typedef struct Walk {
    Divergence *x;
    bool changed;
} Walk;

/* ---- regions ----------------------------------------------------------------------------------- */

static DivergenceRegion *region_new(Arena *a, DivergenceRegion *up, DivergenceStmt *of)
{
    DivergenceRegion *r = arena_new_of(a, DivergenceRegion);
    *r = (DivergenceRegion){up, of, up ? up->depth + 1 : 0};
    return r;
}

static DivergenceRegion *common(DivergenceRegion *a, DivergenceRegion *b)
{
    while (a != b) {
        if (a->depth >= b->depth)
            a = a->up;
        else
            b = b->up;
    }
    return a;
}

static DivergenceLocal *find(const Divergence *x, const FdNode *var)
{
    for (int i = 0; i < x->nlocals; i++)
        if (x->locals[i].var == var) return &x->locals[i];
    return NULL;
}

static void occurs(Divergence *x, const FdNode *var, DivergenceRegion *in)
{
    DivergenceLocal *known = find(x, var);
    if (known) {
        known->region = common(known->region, in);
        return;
    }
    if (x->nlocals == x->room) {
        int room = 2 * x->room + 16;
        DivergenceLocal *more = arena_array(x->arena, DivergenceLocal, room);
        for (int i = 0; i < x->nlocals; i++) more[i] = x->locals[i];
        x->locals = more, x->room = room;
    }
    x->locals[x->nlocals++] = (DivergenceLocal){var, in, false};
}

typedef struct Occurrences {
    Divergence *x;
    DivergenceRegion *in;
} Occurrences;

static bool note(const void *ctx, const FdNode *n)
{
    const Occurrences *o = ctx;
    if (n->kind == FD_VAR && n->role == FD_VAR_LOCAL) occurs(o->x, n, o->in);
    return false;
}

static DivergenceStmt *copy(Divergence *x, const FdStmt *s, DivergenceRegion *in, bool step)
{
    DivergenceStmt *first = NULL, **end = &first;
    for (; s; s = s->next) {
        DivergenceStmt *y = arena_new_of(x->arena, DivergenceStmt);
        *y = (DivergenceStmt){.s = s, .in = in, .step = step};
        Occurrences o = {x, in};
        if (s->expr) fd_any(s->expr, note, &o);
        if (s->var) fd_any(s->var, note, &o);
        DivergenceRegion *body = s->body || s->other ? region_new(x->arena, in, y) : NULL;
        bool loop = s->kind == FD_STMT_LOOP;
        y->body = copy(x, s->body, body, false);
        y->other = copy(x, s->other, loop ? body : region_new(x->arena, in, y), loop);
        if (s->kind == FD_STMT_RETURN && (in->up || s->next)) x->early = true;
        *end = y;
        end = &y->next;
        /* what follows is never reached */
        if (s->kind == FD_STMT_BREAK || s->kind == FD_STMT_CONTINUE || s->kind == FD_STMT_RETURN)
            break;
    }
    return first;
}

/* ---- what varies ------------------------------------------------------------------------------- */

static bool is_varying(const void *ctx, const FdNode *n)
{
    const DivergenceLocal *l = n->kind == FD_VAR ? find(ctx, n) : NULL;
    return l && l->varies;
}

bool divergence_varies(const Divergence *x, const FdNode *n)
{
    return fd_any(n, is_varying, x);
}

static void set(Walk *w, bool *flag, bool value)
{
    w->changed = w->changed || (value && !*flag);
    *flag = *flag || value;
}

/* Are lanes missing at s that read the local of this region later? */
static bool some_missing(const DivergenceStmt *s, const DivergenceRegion *region)
{
    bool step = s->step;
    for (const DivergenceRegion *r = s->in; r != region; r = r->up) {
        const DivergenceStmt *of = r->of;
        if (of->s->kind == FD_STMT_IF ? of->varies : of->leaves || (of->skips && !step))
            return true;
        step = of->step;
    }
    return false;
}

static DivergenceStmt *loop_around(const DivergenceStmt *s)
{
    for (const DivergenceRegion *r = s->in; r; r = r->up)
        if (r->of && r->of->s->kind == FD_STMT_LOOP) return r->of;
    return NULL;
}

/* Does a condition inside of its loop part the lanes that come to s? */
static bool is_parted(const DivergenceStmt *s)
{
    for (const DivergenceRegion *r = s->in; r->of && r->of->s->kind == FD_STMT_IF; r = r->up)
        if (r->of->varies) return true;
    return false;
}

/* In the order of statements: 1 if some lanes go on with the next turn of the loop before s, -1 if s comes
 * first, 0 if neither is here. */
static int skips_before(const DivergenceStmt *body, const DivergenceStmt *s)
{
    for (; body; body = body->next) {
        if (body == s) return -1;
        if (body->s->kind == FD_STMT_CONTINUE && body->varies) return 1;
        if (body->s->kind != FD_STMT_IF) continue;
        int found = skips_before(body->body, s);
        if (!found) found = skips_before(body->other, s);
        if (found) return found;
    }
    return 0;
}

/* Lanes return from the loops around; where all do, the loops end. */
static void returns(Walk *w, const DivergenceStmt *s)
{
    for (const DivergenceRegion *r = s->in; r; r = r->up)
        if (r->of && r->of->s->kind == FD_STMT_LOOP) set(w, &r->of->returns, true);
}

static void visit(Walk *w, DivergenceStmt *s)
{
    for (; s; s = s->next) {
        const FdNode *var = s->s->var;
        DivergenceStmt *loop = loop_around(s);
        DivergenceLocal *l;
        switch (s->s->kind) {
        case FD_STMT_SET:
        case FD_STMT_CLEAR:
        case FD_STMT_PUT:
            l = find(w->x, s->s->kind == FD_STMT_PUT ? var->fn : var);
            set(w, &s->blends, some_missing(s, l->region));
            set(w, &l->varies, s->blends || (s->s->expr && divergence_varies(w->x, s->s->expr)));
            if (s->s->kind == FD_STMT_PUT) set(w, &l->varies, divergence_varies(w->x, var));
            break;
        case FD_STMT_IF: set(w, &s->varies, divergence_varies(w->x, s->s->expr)); break;
        case FD_STMT_BREAK:
            set(w, &s->varies, is_parted(s) || skips_before(loop->body, s) > 0);
            set(w, &loop->leaves, s->varies);
            break;
        case FD_STMT_CONTINUE:
            set(w, &s->varies, is_parted(s));
            set(w, &loop->skips, s->varies);
            break;
        case FD_STMT_RETURN: returns(w, s); break;
        case FD_STMT_LOOP: break;
        }
        visit(w, s->body);
        visit(w, s->other);
    }
}

Divergence *divergence_user(Arena *a, const FdUser *user, const bool *varying)
{
    Divergence *x = arena_new_of(a, Divergence);
    *x = (Divergence){.arena = a};
    x->root = region_new(a, NULL, NULL);
    for (int i = 0; i < user->nparams; i++) {
        occurs(x, user->params[i], x->root);
        find(x, user->params[i])->varies = !varying || varying[i];
    }
    x->first = copy(x, user->body, x->root, false);
    Walk w = {x, true};
    while (w.changed) {
        w.changed = false;
        visit(&w, x->first);
    }
    return x;
}

/* ---- counters ---------------------------------------------------------------------------------- */

static bool is_set(const DivergenceStmt *s, const FdNode *var)
{
    for (; s; s = s->next)
        if ((s->s->kind == FD_STMT_SET && s->s->var == var) || is_set(s->body, var) ||
            is_set(s->other, var))
            return true;
    return false;
}

/* The value of an operation on the counter and a number. */
static bool value_at(const FdNode *n, const FdNode *var, int64_t i, int64_t *out)
{
    if (n->kind != FD_APPLY || n->nargs != 2 || n->args[0] != var || !fd_is_const(n->args[1]))
        return false;
    int64_t y = n->args[1]->value.i;
    switch (fd_op_of(n)) {
    case FD_OP_ADD: *out = i + y; return true;
    case FD_OP_SUB: *out = i - y; return true;
    case FD_OP_LT: *out = i < y; return true;
    case FD_OP_LE: *out = i <= y; return true;
    case FD_OP_GT: *out = i > y; return true;
    case FD_OP_GE: *out = i >= y; return true;
    case FD_OP_NE: *out = i != y; return true;
    default: return false;
    }
}

int divergence_turns(const DivergenceStmt *before, const DivergenceStmt *loop, int most)
{
    const DivergenceStmt *test = loop->body, *step = loop->other;
    if (!before || before->s->kind != FD_STMT_SET || !fd_is_const(before->s->expr) || !test ||
        !step || step->next || step->s->kind != FD_STMT_SET || step->s->var != before->s->var)
        return 0;
    const FdNode *var = step->s->var, *cond = test->s->expr;
    bool leaves = test->s->kind == FD_STMT_IF && test->body && !test->body->next && !test->other &&
                  test->body->s->kind == FD_STMT_BREAK;
    if (!leaves || fd_op_of(cond) != FD_OP_LNOT || is_set(test->next, var) ||
        !fd_type_is_scalar(var->type) || var->type->scalar != SC_INT)
        return 0;
    int64_t i = before->s->expr->value.i, more = 1;
    int turns = 0;
    for (; turns <= most && INT32_MIN < i && i < INT32_MAX; turns++) {
        if (!value_at(cond->args[0], var, i, &more)) return 0;
        if (!more) return turns;
        if (!value_at(step->s->expr, var, i, &i)) return 0;
    }
    return 0;
}
