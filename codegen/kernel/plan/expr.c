/* Integer expressions of plans: precedence climbing into a graph, and its evaluation. Operands of a choice, && and || are
 * worked out as in C; division by zero is 0. */
#include "expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/vec.h"

enum { MAX_NESTED = 256 /* parentheses: texts come from files */ };

struct PlanExpr {
    PlanCode code;
    int id;
    PlanNeeds needs;
    int64_t value;           /* PUSH and SYMBOL */
    const PlanExpr *x[3];    /* operands; what a symbol stands for */
    const PlanExpr *another; /* of the same hash */
};

enum { BUCKETS = 512 };

struct PlanExprs {
    Arena *arena;
    int n;
    const PlanExpr **buckets;    /* NULL: they are done */
    VEC(const PlanExpr *) made;  /* operands before what is made of them.. */
    const PlanExpr *const *list; /* ..once they are done */
};

typedef struct Parser {
    PlanExprs *all;
    const char *at;
    PlanResolve *resolve;
    void *ctx;
    const char *error;
    int nested;
    VEC(const PlanExpr *) stack;
} Parser;

static int operands_of(PlanCode code)
{
    switch (code) {
    case PLAN_PUSH:
    case PLAN_SYMBOL: return 0;
    case PLAN_NOT:
    case PLAN_NEG: return 1;
    case PLAN_CHOOSE: return 3;
    default: return 2;
    }
}

static size_t bucket_of(const PlanExpr *e)
{
    uint64_t hash = (uint64_t)e->code * 31 + (uint64_t)e->value;
    for (int i = 0; i < 3 && e->x[i]; i++)
        hash = (hash ^ (uint64_t)e->x[i]->id) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(hash * UINT64_C(0x9E3779B97F4A7C15) >> 32) % BUCKETS;
}

static const PlanExpr *unique(PlanExprs *all, PlanExpr e)
{
    const PlanExpr **at = &all->buckets[bucket_of(&e)];
    for (const PlanExpr *o = *at; o; o = o->another)
        if (o->code == e.code && o->value == e.value && memcmp(o->x, e.x, sizeof e.x) == 0)
            return o;
    for (int i = 0; i < 3 && e.x[i]; i++) {
        e.needs.turn |= e.x[i]->needs.turn;
        e.needs.slots |= e.x[i]->needs.slots;
    }
    e.id = all->n++;
    e.another = *at;
    *at = arena_copy(all->arena, &e, sizeof e);
    vec_push(&all->made, *at);
    return *at;
}

/* Of the last operands, whose place it takes. */
static void emit(Parser *p, PlanCode code, int64_t value)
{
    PlanExpr e = {.code = code, .value = value};
    const int n = operands_of(code);
    if (p->error || p->stack.len < (size_t)n) return;
    p->stack.len -= (size_t)n;
    for (int i = 0; i < n; i++) e.x[i] = p->stack.data[p->stack.len + (size_t)i];
    vec_push(&p->stack, unique(p->all, e));
}

static void emit_symbol(Parser *p, const PlanSymbol *s)
{
    PlanExpr e = {.code = PLAN_SYMBOL, .value = s->number, .needs = s->needs, .x = {s->is}};
    if (!p->error) vec_push(&p->stack, unique(p->all, e));
}

static void skip(Parser *p)
{
    while (*p->at == ' ') p->at++;
}

static bool accept(Parser *p, const char *token)
{
    skip(p);
    size_t n = strlen(token);
    if (strncmp(p->at, token, n) != 0) return false;
    p->at += n;
    return true;
}

static void expect(Parser *p, const char *token)
{
    if (!accept(p, token) && !p->error) p->error = "expression lacks a parenthesis, ',' or ':'";
}

static void conditional(Parser *p);

static void call(Parser *p, PlanCode code)
{
    conditional(p);
    expect(p, ",");
    conditional(p);
    expect(p, ")");
    emit(p, code, 0);
}

static void name(Parser *p)
{
    static const struct {
        const char *name;
        PlanCode code;
    } functions[] = {
        {"min", PLAN_MIN}, {"max", PLAN_MAX}, {"ceildiv", PLAN_CEILDIV}, {"roundup", PLAN_ROUNDUP}};
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '.') p->at++;
    size_t len = (size_t)(p->at - start);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (*p->at == '(' && strlen(functions[i].name) == len &&
            memcmp(functions[i].name, start, len) == 0) {
            p->at++;
            call(p, functions[i].code);
            return;
        }
    PlanSymbol s = p->resolve(p->ctx, start, (int)len);
    if (s.number < 0 && !p->error) p->error = "expression names an unknown symbol";
    emit_symbol(p, &s);
}

static void primary(Parser *p)
{
    skip(p);
    if (p->nested++ == MAX_NESTED && !p->error) p->error = "expression is nested too deeply";
    if (p->error) return;
    if (accept(p, "(")) {
        conditional(p);
        expect(p, ")");
    } else if (accept(p, "-")) {
        primary(p);
        emit(p, PLAN_NEG, 0);
    } else if (accept(p, "!")) {
        primary(p);
        emit(p, PLAN_NOT, 0);
    } else if (isdigit((unsigned char)*p->at)) {
        int64_t v = 0;
        for (; isdigit((unsigned char)*p->at); p->at++) {
            if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p->at - '0', &v))
                p->error = "expression holds a number out of range";
        }
        emit(p, PLAN_PUSH, v);
    } else if (isalpha((unsigned char)*p->at)) {
        name(p);
    } else {
        p->error = "expression lacks an operand";
    }
    p->nested--;
}

/* Longer spellings first, so that `<=` is not read as `<`. */
static const struct {
    const char *text;
    int precedence;
    PlanCode code;
} operators[] = {{"||", 1, PLAN_OR}, {"&&", 2, PLAN_AND}, {"==", 3, PLAN_EQ},  {"!=", 3, PLAN_NE},
                 {"<=", 4, PLAN_LE}, {">=", 4, PLAN_GE},  {"<<", 5, PLAN_SHL}, {"<", 4, PLAN_LT},
                 {">", 4, PLAN_GT},  {"+", 6, PLAN_ADD},  {"-", 6, PLAN_SUB},  {"*", 7, PLAN_MUL},
                 {"/", 7, PLAN_DIV}, {"%", 7, PLAN_REM}};

static void binary(Parser *p, int precedence)
{
    primary(p);
    for (size_t i = 0; !p->error && i < sizeof operators / sizeof *operators;) {
        if (operators[i].precedence < precedence || !accept(p, operators[i].text)) {
            i++;
            continue;
        }
        binary(p, operators[i].precedence + 1);
        emit(p, operators[i].code, 0);
        i = 0;
    }
}

static void conditional(Parser *p)
{
    if (p->error) return;
    binary(p, 1);
    if (!p->error && accept(p, "?")) {
        if (p->nested++ == MAX_NESTED) p->error = "expression is nested too deeply";
        conditional(p);
        expect(p, ":");
        conditional(p);
        p->nested--;
        emit(p, PLAN_CHOOSE, 0);
    }
}

static bool take_digits(const char **at, const char *end, int *out)
{
    const char *p = *at;
    int v = 0;
    for (; p < end && *p >= '0' && *p <= '9' && v < 1 << 20; p++) v = v * 10 + (*p - '0');
    bool any = p > *at;
    *at = p;
    *out = v;
    return any;
}

bool plan_slot_symbol(const char *name, size_t len, int *slot, int *dim, bool *lower)
{
    const char *at = name + 1, *end = name + len;
    *dim = -1;
    *lower = false;
    if (len == 0 || *name != 's' || !take_digits(&at, end, slot)) return false;
    if (at == end) return true;
    *lower = end - at > 3 && memcmp(at, ".lo", 3) == 0;
    if (!*lower && (end - at < 3 || memcmp(at, ".n", 2) != 0)) return false;
    at += *lower ? 3 : 2;
    return take_digits(&at, end, dim) && at == end;
}

PlanExprs *plan_exprs_new(Arena *arena)
{
    PlanExprs *all = arena_new_of(arena, PlanExprs);
    all->arena = arena;
    all->buckets = mem_alloc(BUCKETS * sizeof(PlanExpr *));
    return all;
}

void plan_exprs_done(PlanExprs *all)
{
    mem_free(all->buckets);
    all->buckets = NULL;
    all->list = arena_copy(all->arena, all->made.data, all->made.len * sizeof *all->made.data);
    vec_free(&all->made);
}

const PlanExpr *plan_expr_parse(PlanExprs *all, const char **text, PlanResolve *resolve, void *ctx,
                                const char **error)
{
    Parser p = {.all = all, .at = *text, .resolve = resolve, .ctx = ctx};
    conditional(&p);
    *text = p.at;
    const PlanExpr *e = p.error ? NULL : p.stack.data[0];
    if (p.error) *error = p.error;
    vec_free(&p.stack);
    return e;
}

PlanNeeds plan_expr_needs(const PlanExpr *e)
{
    return e->needs;
}

static int64_t limit(bool negative)
{
    return negative ? INT64_MIN : INT64_MAX;
}

static inline int64_t times(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? limit((a < 0) != (b < 0)) : r;
}

/* What overflows stays at the limit, so that the size of an array too large is never small. */
static inline __attribute__((always_inline)) int64_t apply(PlanCode code, int64_t a, int64_t b)
{
    int64_t r;
    bool divides = b != 0 && !(b == -1 && a == INT64_MIN);
    switch (code) {
    case PLAN_ADD: return __builtin_add_overflow(a, b, &r) ? limit(a < 0) : r;
    case PLAN_SUB: return __builtin_sub_overflow(a, b, &r) ? limit(a < 0) : r;
    case PLAN_MUL: return times(a, b);
    case PLAN_DIV: return divides ? a / b : 0;
    case PLAN_REM: return divides ? a % b : 0;
    case PLAN_SHL: return times(a, b < 0 || b > 62 ? INT64_MAX : (int64_t)1 << b);
    case PLAN_LT: return a < b;
    case PLAN_LE: return a <= b;
    case PLAN_GT: return a > b;
    case PLAN_GE: return a >= b;
    case PLAN_EQ: return a == b;
    case PLAN_NE: return a != b;
    case PLAN_MIN: return a < b ? a : b;
    case PLAN_MAX: return a > b ? a : b;
    case PLAN_CEILDIV: return divides ? plan_quotient_up(a, b) : 0;
    case PLAN_ROUNDUP: return divides ? times(plan_quotient_up(a, b), b) : 0;
    default: return 0;
    }
}

/* One of those that are worked out again. */
typedef struct Again {
    PlanCode code;
    int id, x[3];
    uint64_t slots;
    const PlanExpr *of;
} Again;

struct PlanMemo {
    PlanLookup *lookup;
    void *ctx;
    const PlanExprs *all;
    int64_t *values;
    uint32_t *turns; /* in which they were worked out; 0: not yet */
    uint32_t turn;   /* from 1 on */
    int asked;       /* of all that hang on slots, and on no loop */
    Again *again;    /* so many of them, in order.. */
    int nagain;
    Again *few; /* ..and those of these that hang on some of.. */
    int nfew;
    uint64_t slots; /* ..these slots; 0: nobody knows */
};

PlanMemo *plan_memo_new(const PlanExprs *all, PlanLookup *lookup, void *ctx, Arena *arena)
{
    PlanMemo *m = arena_new_of(arena, PlanMemo);
    *m = (PlanMemo){.lookup = lookup, .ctx = ctx, .all = all, .turn = 1};
    m->values = arena_array(arena, int64_t, all->n + 1);
    m->turns = arena_array(arena, uint32_t, all->n + 1);
    m->again = arena_array(arena, Again, all->n + 1);
    m->few = arena_array(arena, Again, all->n + 1);
    return m;
}

void plan_memo_turn(PlanMemo *m)
{
    m->turn++;
}

/* What a symbol stands for. */
static inline const PlanExpr *meant(const PlanExpr *e)
{
    while (e->code == PLAN_SYMBOL && e->x[0]) e = e->x[0];
    return e;
}

static int64_t work_out(const PlanExpr *e, PlanMemo *m)
{
    switch (e->code) {
    case PLAN_SYMBOL: return m->lookup(m->ctx, (int)e->value);
    case PLAN_NOT: return !plan_expr_eval(e->x[0], m);
    case PLAN_NEG: return apply(PLAN_SUB, 0, plan_expr_eval(e->x[0], m));
    case PLAN_AND: return plan_expr_eval(e->x[0], m) && plan_expr_eval(e->x[1], m);
    case PLAN_OR: return plan_expr_eval(e->x[0], m) || plan_expr_eval(e->x[1], m);
    case PLAN_CHOOSE: return plan_expr_eval(e->x[plan_expr_eval(e->x[0], m) ? 1 : 2], m);
    default: break;
    }
    const int64_t a = plan_expr_eval(e->x[0], m), b = plan_expr_eval(e->x[1], m);
    return apply(e->code, a, b);
}

int64_t plan_expr_eval(const PlanExpr *e, PlanMemo *m)
{
    e = meant(e);
    if (e->code == PLAN_PUSH) return e->value;
    const uint32_t turn = m->turns[e->id];
    if (e->needs.turn ? turn != m->turn : !turn) {
        m->values[e->id] = work_out(e, m);
        m->turns[e->id] = m->turn;
        m->asked += !turn && e->needs.slots && !e->needs.turn;
    }
    return m->values[e->id];
}

const int64_t *plan_memo_place(PlanMemo *m, const PlanExpr *e)
{
    e = meant(e);
    if (e->needs.turn) return NULL;
    m->values[e->id] = plan_expr_eval(e, m);
    return &m->values[e->id];
}

static int id_of(const PlanExpr *e)
{
    return e ? meant(e)->id : 0;
}

static void list_again(PlanMemo *m)
{
    m->nagain = 0;
    for (int i = 0; i < m->all->n; i++) {
        const PlanExpr *e = m->all->list[i];
        if (e->code == PLAN_PUSH) m->values[i] = e->value;
        if (e->code == PLAN_PUSH) m->turns[i] = 1;
        if (!m->turns[i] || !e->needs.slots || e->needs.turn) continue;
        m->again[m->nagain++] = (Again){
            e->code, i, {id_of(e->x[0]), id_of(e->x[1]), id_of(e->x[2])}, e->needs.slots, e};
    }
    m->asked = m->nagain;
    m->slots = 0;
}

static void list_few(PlanMemo *m, uint64_t slots)
{
    m->nfew = 0;
    m->slots = slots;
    for (int i = 0; i < m->nagain; i++)
        if (m->again[i].slots & slots) m->few[m->nfew++] = m->again[i];
}

/* Operand k of what is worked out again; another choice may ask for one for the first time. */
static inline int64_t operand(const Again *a, int k, PlanMemo *m)
{
    return m->turns[a->x[k]] ? m->values[a->x[k]] : plan_expr_eval(a->of->x[k], m);
}

void plan_memo_again(PlanMemo *m, uint64_t slots)
{
    int64_t *values = m->values;
    plan_memo_turn(m);
    if (m->asked != m->nagain) list_again(m);
    if (m->slots != slots || !slots)
        list_few(m, slots); /* a loop changes the same ones in each turn */
    for (const Again *a = m->few, *end = a + m->nfew; a < end; a++) {
        const int64_t x = values[a->x[0]], y = values[a->x[1]];
        int64_t r;
        switch (a->code) { /* the most usual ones, without a way round */
        case PLAN_SYMBOL: r = m->lookup(m->ctx, (int)a->of->value); break;
        case PLAN_NOT: r = !x; break;
        case PLAN_NEG: r = apply(PLAN_SUB, 0, x); break;
        case PLAN_AND: r = x && operand(a, 1, m); break;
        case PLAN_OR: r = x || operand(a, 1, m); break;
        case PLAN_CHOOSE: r = operand(a, x ? 1 : 2, m); break;
        case PLAN_ADD: r = apply(PLAN_ADD, x, y); break;
        case PLAN_SUB: r = apply(PLAN_SUB, x, y); break;
        case PLAN_MUL: r = apply(PLAN_MUL, x, y); break;
        case PLAN_LT: r = x < y; break;
        case PLAN_LE: r = x <= y; break;
        case PLAN_GT: r = x > y; break;
        case PLAN_GE: r = x >= y; break;
        case PLAN_MIN: r = x < y ? x : y; break;
        case PLAN_MAX: r = x > y ? x : y; break;
        default: r = apply(a->code, x, y);
        }
        values[a->id] = r;
    }
}

const void *plan_expr_build(const PlanExpr *e, PlanBuild *build, void *ctx)
{
    const void *x[3];
    for (int i = 0; i < operands_of(e->code); i++)
        if (!(x[i] = plan_expr_build(e->x[i], build, ctx))) return NULL;
    return build(ctx, e->code, e->value, x);
}
