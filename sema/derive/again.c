/* What a turn computes again on its way back, so that its tape (tape.c) has no place for it: integers and conditions made of
 * counters, and elements of arrays that no turn changes.
 *
 *     int p = i + 1;  bool $taken = p < n;  double $e = a[p];      and back: the same, once i is what it was
 */
#include <string.h>

#include "back.h"

/* ---- what can be ------------------------------------------------------------------------------- */

/* In these steps, is v nowhere set but where it is declared, or where it gets a constant more? */
static bool only_counts(const Sema *s, const Steps *steps, const Variable *v)
{
    bool only = true;
    for (size_t i = 0; i < steps->len && only; i++) {
        const Step *step = &steps->data[i];
        const Variable *target;
        for (size_t k = 0; (target = normal_target(step, k)); k++)
            only = only && (target != v || step->declares || stateless_adds(s, step) != 0);
        only = only && step->declared != v && only_counts(s, &step->first, v) &&
               only_counts(s, &step->second, v);
    }
    return only;
}

/* Is v set in one of these steps, but for where it is declared? */
static bool is_set(const Steps *steps, const Variable *v)
{
    bool any = false;
    for (size_t i = 0; i < steps->len && !any; i++) {
        const Step *step = &steps->data[i];
        const Variable *target;
        for (size_t k = 0; (target = normal_target(step, k)); k++)
            any = any || (target == v && !step->declares);
        any = any || is_set(&step->first, v) || is_set(&step->second, v);
    }
    return any;
}

/* A few operations on numbers, which throw nothing. */
static bool is_cheap(const Ast *n)
{
    switch (n->kind) {
    case AST_INT_LIT:
    case AST_REAL_LIT:
    case AST_BOOL_LIT:
    case AST_NAME_REF: return true;
    case AST_CAST: return is_cheap(n->cast.operand);
    case AST_UNARY:
        return (n->unary.op == AST_OP_NEG || n->unary.op == AST_OP_NOT) &&
               is_cheap(n->unary.operand);
    case AST_MEMBER:
        return n->member.base && n->member.base->kind == AST_NAME_REF &&
               !strcmp(n->member.name, "Length");
    case AST_BINARY:
        switch (n->binary.op) {
        case AST_OP_ADD:
        case AST_OP_SUB:
        case AST_OP_MUL:
        case AST_OP_LT:
        case AST_OP_LE:
        case AST_OP_GT:
        case AST_OP_GE:
        case AST_OP_EQ:
        case AST_OP_NE:
        case AST_OP_LAND:
        case AST_OP_LOR: return is_cheap(n->binary.left) && is_cheap(n->binary.right);
        default: return false;
        }
    default: return false;
    }
}

bool again_can(const Sema *s, const Step *nest, const Step *step)
{
    const bool gets = step->kind == STEP_GET, branch = step->kind == STEP_IF;
    if (!gets && !branch && step->kind != STEP_ASSIGN) return false;
    if (!branch && (!step->declares || step->target->type->kind != TY_SCALAR ||
                    is_set(&nest->first, step->target)))
        return false;
    if (step->kind == STEP_ASSIGN && (step->target->active || step->rows || step->written))
        return false;
    if (!gets && !is_cheap(step->value)) return false;
    Variables plain = {0};
    bool can = recorded_of_value(step, &plain);
    for (size_t i = 0; i < plain.len && can; i++) {
        const Variable *v = plain.data[i];
        if (v->type->kind == TY_SCALAR)
            can = only_counts(s, &nest->first, v);
        else
            can = v->type->kind == TY_ARRAY && !is_set(&nest->first, v);
    }
    vec_free(&plain);
    return can;
}

/* ---- where ------------------------------------------------------------------------------------- */

typedef struct Place {
    const char *name; /* of what is computed again; NULL: nothing */
    size_t at;        /* in front of this statement of the way back */
    bool wanted;
} Place;

static bool mentions(Sema *s, const AstList *stmts, size_t from, size_t to, const char *name)
{
    FreeNames names = {0};
    AstList part = {stmts->data + from, (int)(to - from)};
    Ast around = {.kind = AST_FUNC};
    bool found = false;
    if (from == to) return false;
    around.func.body = code_block(s, part.data[0]->loc, part);
    free_names(s, &around, &names);
    for (size_t i = 0; i < names.len; i++) found = found || names.data[i].name == name;
    vec_free(&names);
    return found;
}

/* The last of the steps behind number d that sets one of these; d: none does. */
static size_t last_set(const Steps *steps, size_t d, const Variables *of)
{
    size_t last = d;
    for (size_t i = d + 1; i < steps->len; i++) {
        const Step *step = &steps->data[i];
        bool sets = false;
        const Variable *target;
        for (size_t k = 0; (target = normal_target(step, k)); k++)
            sets = sets || normal_has(of, target);
        for (size_t k = 0; k < step->writes.len; k++)
            sets = sets || normal_has(of, step->writes.data[k]);
        if (sets) last = i;
    }
    return last;
}

static void find_place(Sema *s, const Steps *steps, size_t d, const size_t *ends,
                       const AstList *stmts, Place *places)
{
    Variables plain = {0};
    recorded_of_value(&steps->data[d], &plain);
    const size_t last = last_set(steps, d, &plain);
    size_t at = last == d ? 0 : ends[last];
    for (size_t i = 0; i < d; i++) /* what it is made of comes first */
        for (size_t k = 0; k < plain.len && places[i].name; k++)
            if (plain.data[k]->name == places[i].name && places[i].at > at) at = places[i].at;
    bool own = false; /* a branch that changes what its condition reads */
    for (size_t k = 0; k < plain.len; k++)
        own = own || normal_has(&steps->data[d].writes, plain.data[k]);
    if (own || mentions(s, stmts, 0, at, places[d].name))
        places[d].name = NULL;
    else
        places[d].at = at;
    vec_free(&plain);
}

static bool reads(const Step *step, const char *name)
{
    Variables plain = {0};
    bool any = false;
    recorded_of_value(step, &plain);
    for (size_t i = 0; i < plain.len; i++) any = any || plain.data[i]->name == name;
    vec_free(&plain);
    return any;
}

static void find_wanted(Sema *s, const Steps *steps, const AstList *stmts, Place *places)
{
    for (size_t d = steps->len; d-- > 0;) {
        if (!places[d].name) continue;
        bool wanted = mentions(s, stmts, places[d].at, (size_t)stmts->len, places[d].name);
        for (size_t k = d + 1; k < steps->len && !wanted; k++)
            wanted = places[k].wanted && reads(&steps->data[k], places[d].name);
        places[d].wanted = wanted;
    }
}

void again_insert(Back *b, const Step *loop, const Kept *kept, const size_t *ends, AstList *stmts)
{
    Sema *s = b->s;
    const Steps *steps = &loop->first;
    Place *places = arena_array(s->arena, Place, steps->len + 1);
    AstList all = {0};
    for (size_t d = 0; d < steps->len; d++) {
        const Step *step = &steps->data[d];
        const bool can = again_can(s, kept->tape->nest, step);
        places[d] = (Place){!can                    ? NULL
                            : step->kind == STEP_IF ? kept->turn[d].name
                                                    : step->target->name,
                            0, false};
        if (places[d].name) find_place(s, steps, d, ends, stmts, places);
    }
    find_wanted(s, steps, stmts, places);
    for (size_t at = 0; at <= (size_t)stmts->len; at++) {
        for (size_t d = 0; d < steps->len; d++) {
            const Step *step = &steps->data[d];
            if (!places[d].wanted || places[d].at != at) continue;
            code_local(s, &all, step->loc, step->kind == STEP_IF ? s->boolean : step->target->type,
                       places[d].name, ast_clone(s->arena, step->value));
        }
        if (at < (size_t)stmts->len) code_add(s, &all, stmts->data[at]);
    }
    *stmts = all;
}
