/* Integer expressions of plans: precedence climbing into postfix code, and its evaluation.
 * Every operand is evaluated, so division by zero is defined as 0 (a guarded `a / b` may run
 * unguarded).
 */
#include "expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/vec.h"

enum {
    FEW = 32,        /* numbers that need no memory */
    MAX_NESTED = 256 /* parentheses: texts come from files */
};

typedef struct Instr {
    PlanCode code;
    int64_t value; /* PUSH and SYMBOL */
} Instr;

struct PlanExpr {
    int len;
    int depth; /* of the evaluation stack */
    const Instr *code;
};

typedef struct Parser {
    const char *at;
    PlanResolve *resolve;
    void *ctx;
    const char *error;
    int depth, deepest; /* of the evaluation stack */
    int nested;
    VEC(Instr) code;
} Parser;

static void emit(Parser *p, PlanCode code, int64_t value, int pops)
{
    Instr in = {code, value};
    vec_push(&p->code, in);
    p->depth += 1 - pops;
    if (p->depth > p->deepest) p->deepest = p->depth;
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
    emit(p, code, 0, 2);
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
    int sym = p->resolve(p->ctx, start, (int)len);
    if (sym < 0 && !p->error) p->error = "expression names an unknown symbol";
    emit(p, PLAN_SYMBOL, sym, 0);
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
        emit(p, PLAN_NEG, 0, 1);
    } else if (accept(p, "!")) {
        primary(p);
        emit(p, PLAN_NOT, 0, 1);
    } else if (isdigit((unsigned char)*p->at)) {
        int64_t v = 0;
        for (; isdigit((unsigned char)*p->at); p->at++) {
            if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *p->at - '0', &v))
                p->error = "expression holds a number out of range";
        }
        emit(p, PLAN_PUSH, v, 0);
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
        emit(p, operators[i].code, 0, 2);
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
        emit(p, PLAN_CHOOSE, 0, 3);
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

const PlanExpr *plan_expr_parse(Arena *arena, const char **text, PlanResolve *resolve, void *ctx,
                                const char **error)
{
    Parser p = {.at = *text, .resolve = resolve, .ctx = ctx};
    conditional(&p);
    *text = p.at;
    PlanExpr *e = NULL;
    if (p.error) {
        *error = p.error;
    } else {
        e = arena_new_of(arena, PlanExpr);
        e->len = (int)p.code.len;
        e->depth = p.deepest;
        e->code = arena_copy(arena, p.code.data, p.code.len * sizeof *p.code.data);
    }
    vec_free(&p.code);
    return e;
}

static int64_t limit(bool negative)
{
    return negative ? INT64_MIN : INT64_MAX;
}

static inline int64_t apply(PlanCode code, int64_t a, int64_t b)
{
    /* What overflows stays at the limit, so that the size of an array too large is never small. */
    int64_t r;
    bool divides = b != 0 && !(b == -1 && a == INT64_MIN);
    switch (code) {
    case PLAN_ADD: return __builtin_add_overflow(a, b, &r) ? limit(a < 0) : r;
    case PLAN_SUB: return __builtin_sub_overflow(a, b, &r) ? limit(a < 0) : r;
    case PLAN_MUL: return __builtin_mul_overflow(a, b, &r) ? limit((a < 0) != (b < 0)) : r;
    case PLAN_DIV: return divides ? a / b : 0;
    case PLAN_REM: return divides ? a % b : 0;
    case PLAN_SHL: return apply(PLAN_MUL, a, b < 0 || b > 62 ? INT64_MAX : (int64_t)1 << b);
    case PLAN_LT: return a < b;
    case PLAN_LE: return a <= b;
    case PLAN_GT: return a > b;
    case PLAN_GE: return a >= b;
    case PLAN_EQ: return a == b;
    case PLAN_NE: return a != b;
    case PLAN_AND: return a && b;
    case PLAN_OR: return a || b;
    case PLAN_MIN: return a < b ? a : b;
    case PLAN_MAX: return a > b ? a : b;
    case PLAN_CEILDIV: return divides ? a / b + (a % b > 0) : 0;
    case PLAN_ROUNDUP: return apply(PLAN_MUL, apply(PLAN_CEILDIV, a, b), b);
    default: return 0;
    }
}

int64_t plan_expr_eval(const PlanExpr *e, PlanLookup *lookup, const void *ctx)
{
    if (e->len == 1) /* most arguments are a number that is known */
        return e->code->code == PLAN_PUSH ? e->code->value : lookup(ctx, (int)e->code->value);
    int64_t few[FEW], *stack = few;
    few[0] = 0;
    if (e->depth > FEW && !(stack = mem_alloc((size_t)e->depth * sizeof *stack))) return 0;
    int top = -1;
    for (int i = 0; i < e->len; i++) {
        const Instr *in = &e->code[i];
        switch (in->code) {
        case PLAN_PUSH: stack[++top] = in->value; break;
        case PLAN_SYMBOL: stack[++top] = lookup(ctx, (int)in->value); break;
        case PLAN_NOT: stack[top] = !stack[top]; break;
        case PLAN_NEG: stack[top] = apply(PLAN_SUB, 0, stack[top]); break;
        case PLAN_CHOOSE:
            top -= 2;
            stack[top] = stack[top] ? stack[top + 1] : stack[top + 2];
            break;
        default: top--; stack[top] = apply(in->code, stack[top], stack[top + 1]);
        }
    }
    int64_t result = stack[0];
    if (stack != few) mem_free(stack);
    return result;
}

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

const void *plan_expr_build(const PlanExpr *e, PlanBuild *build, void *ctx)
{
    VEC(const void *) stack = {0};
    const void *last = NULL;
    for (int i = 0; i < e->len; i++) {
        const Instr *in = &e->code[i];
        stack.len -= (size_t)operands_of(in->code);
        last = build(ctx, in->code, in->value, stack.data ? stack.data + stack.len : NULL);
        if (!last) break;
        vec_push(&stack, last);
    }
    vec_free(&stack);
    return last;
}
