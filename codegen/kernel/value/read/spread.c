/* Which locals and conditions of a user function differ from lane to lane. What parts lanes makes
 * locals vary and the other way round: rounds until nothing changes. */
#include "spread.h"

typedef struct Walk {
    Spread *x;
    bool changed;
} Walk;

/* ---- regions ----------------------------------------------------------------------------------- */

static SpreadRegion *region_new(Arena *a, SpreadRegion *up, SpreadStmt *of)
{
    SpreadRegion *r = arena_new_of(a, SpreadRegion);
    *r = (SpreadRegion){up, of, up ? up->depth + 1 : 0};
    return r;
}

static SpreadRegion *common(SpreadRegion *a, SpreadRegion *b)
{
    while (a != b) {
        if (a->depth >= b->depth)
            a = a->up;
        else
            b = b->up;
    }
    return a;
}

static SpreadLocal *find(const Spread *x, const FdNode *var)
{
    for (int i = 0; i < x->nlocals; i++)
        if (x->locals[i].var == var) return &x->locals[i];
    return NULL;
}

static void occurs(Spread *x, const FdNode *var, SpreadRegion *in)
{
    SpreadLocal *known = find(x, var);
    if (known) {
        known->region = common(known->region, in);
        return;
    }
    if (x->nlocals == x->room) {
        int room = 2 * x->room + 16;
        SpreadLocal *more = arena_array(x->arena, SpreadLocal, room);
        for (int i = 0; i < x->nlocals; i++) more[i] = x->locals[i];
        x->locals = more, x->room = room;
    }
    x->locals[x->nlocals++] = (SpreadLocal){var, in, false};
}

typedef struct Occurrences {
    Spread *x;
    SpreadRegion *in;
} Occurrences;

static bool note(const void *ctx, const FdNode *n)
{
    const Occurrences *o = ctx;
    if (n->kind == FD_VAR && n->role == FD_VAR_LOCAL) occurs(o->x, n, o->in);
    return false;
}

static SpreadStmt *copy(Spread *x, const FdStmt *s, SpreadRegion *in, bool step)
{
    SpreadStmt *first = NULL, **end = &first;
    for (; s; s = s->next) {
        SpreadStmt *y = arena_new_of(x->arena, SpreadStmt);
        *y = (SpreadStmt){.s = s, .in = in, .step = step};
        Occurrences o = {x, in};
        if (s->expr) fd_any(s->expr, note, &o);
        if (s->var) fd_any(s->var, note, &o);
        SpreadRegion *body = s->body || s->other ? region_new(x->arena, in, y) : NULL;
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
    const SpreadLocal *l = n->kind == FD_VAR ? find(ctx, n) : NULL;
    return l && l->varies;
}

bool spread_varies(const Spread *x, const FdNode *n)
{
    return fd_any(n, is_varying, x);
}

static void set(Walk *w, bool *flag, bool value)
{
    w->changed = w->changed || (value && !*flag);
    *flag = *flag || value;
}

/* Are lanes missing at s that read the local of this region later? */
static bool some_missing(const SpreadStmt *s, const SpreadRegion *region)
{
    bool step = s->step;
    for (const SpreadRegion *r = s->in; r != region; r = r->up) {
        const SpreadStmt *of = r->of;
        if (of->s->kind == FD_STMT_IF ? of->varies : of->leaves || (of->skips && !step))
            return true;
        step = of->step;
    }
    return false;
}

static SpreadStmt *loop_around(const SpreadStmt *s)
{
    for (const SpreadRegion *r = s->in; r; r = r->up)
        if (r->of && r->of->s->kind == FD_STMT_LOOP) return r->of;
    return NULL;
}

/* Does a condition inside of its loop part the lanes that come to s? */
static bool is_parted(const SpreadStmt *s)
{
    for (const SpreadRegion *r = s->in; r->of && r->of->s->kind == FD_STMT_IF; r = r->up)
        if (r->of->varies) return true;
    return false;
}

/* In the order of statements: 1 if some lanes go on with the next turn of the loop before s, -1 if s comes
 * first, 0 if neither is here. */
static int skips_before(const SpreadStmt *body, const SpreadStmt *s)
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
static void returns(Walk *w, const SpreadStmt *s)
{
    for (const SpreadRegion *r = s->in; r; r = r->up)
        if (r->of && r->of->s->kind == FD_STMT_LOOP) set(w, &r->of->returns, true);
}

static void visit(Walk *w, SpreadStmt *s)
{
    for (; s; s = s->next) {
        const FdNode *var = s->s->var;
        SpreadStmt *loop = loop_around(s);
        SpreadLocal *l;
        switch (s->s->kind) {
        case FD_STMT_SET:
        case FD_STMT_CLEAR:
        case FD_STMT_PUT:
            l = find(w->x, s->s->kind == FD_STMT_PUT ? var->fn : var);
            set(w, &s->blends, some_missing(s, l->region));
            set(w, &l->varies, s->blends || (s->s->expr && spread_varies(w->x, s->s->expr)));
            if (s->s->kind == FD_STMT_PUT) set(w, &l->varies, spread_varies(w->x, var));
            break;
        case FD_STMT_IF: set(w, &s->varies, spread_varies(w->x, s->s->expr)); break;
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

Spread *spread_user(Arena *a, const FdUser *user, const bool *varying)
{
    Spread *x = arena_new_of(a, Spread);
    *x = (Spread){.arena = a};
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

static bool is_set(const SpreadStmt *s, const FdNode *var)
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

int spread_turns(const SpreadStmt *before, const SpreadStmt *loop, int most)
{
    const SpreadStmt *test = loop->body, *step = loop->other;
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
