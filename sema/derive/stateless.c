/* Loops that go back without their states: what a turn needs from the turns before are counters, which follow from its
 * number.
 *
 *     for (int i = 0; i < n; i++) s += x[i] * y[i];      long $turns = 0;  while (i < n) { s += ..; $turns++; }
 *                                                        while ($turns > 0) { $turns--; i = $old + $turns; .. }
 *
 * s is not needed: no derivative here depends on it. Where nobody needs what such a loop gives, the way forth only
 * counts the turns. */
#include <string.h>

#include "back.h"

static int times_set(const Steps *steps, const Variable *v)
{
    int n = 0;
    Variable *target;
    for (size_t i = 0; i < steps->len; i++) {
        const Step *step = &steps->data[i];
        for (size_t k = 0; (target = normal_target(step, k)); k++) n += target == v;
        n += times_set(&step->first, v) + times_set(&step->second, v);
    }
    return n;
}

static Ast *bare(Ast *n)
{
    while (n->kind == AST_CAST) n = n->cast.operand;
    return n;
}

static bool is_name(const Ast *n, const Variable *v)
{
    return n->kind == AST_NAME_REF && n->name_ref.name == v->name;
}

int64_t stateless_adds(const Sema *s, const Step *step)
{
    const Variable *v = step->kind == STEP_ASSIGN && !step->written ? step->target : NULL;
    if (!v || (v->type != s->integer && v->type != s->longs)) return 0;
    const Ast *sum = bare(step->value);
    if (sum->kind != AST_BINARY || !is_name(bare(sum->binary.left), v)) return 0;
    const Ast *one = bare(sum->binary.right);
    if (one->kind != AST_INT_LIT || one->int_lit.value > INT32_MAX) return 0;
    if (sum->binary.op == AST_OP_ADD) return (int64_t)one->int_lit.value;
    return sum->binary.op == AST_OP_SUB ? -(int64_t)one->int_lit.value : 0;
}

/* What each turn adds to an integer; 0: it is no counter. */
static int64_t added(const Sema *s, const Step *loop, const Variable *v)
{
    int64_t by = 0;
    if (times_set(&loop->first, v) != 1) return 0;
    for (size_t i = 0; i < loop->first.len; i++)
        if (loop->first.data[i].target == v) by = stateless_adds(s, &loop->first.data[i]);
    return by;
}

bool stateless_is(Sema *s, const Step *loop)
{
    Variables needs = {0};
    bool good = !loop->states;
    recorded_there_and_back(s, &loop->first, 0, false, &needs);
    for (size_t i = 0; i < loop->writes.len && good; i++) {
        const Variable *v = loop->writes.data[i];
        if (normal_has(&needs, v)) good = normal_has(&loop->keeps, v) && added(s, loop, v) != 0;
    }
    vec_free(&needs);
    return good;
}

LoopWay stateless_way(Sema *s, const Step *loop, bool taping)
{
    if (stateless_is(s, loop) && (!taping || tape_needs_no_log(loop))) return LOOP_BY_NUMBER;
    return taping || tape_can(loop) ? LOOP_TAPED : LOOP_BY_STATES;
}

static bool has_run(const Steps *steps)
{
    bool any = false;
    for (size_t i = 0; i < steps->len; i++)
        any = any || steps->data[i].kind == STEP_RUN || has_run(&steps->data[i].first) ||
              has_run(&steps->data[i].second);
    return any;
}

/* An integer that the loop does not change. */
static bool is_end(const Sema *s, Ast *n, const Step *loop)
{
    if (n->kind == AST_INT_LIT) return true;
    if (n->kind == AST_BINARY)
        return (n->binary.op == AST_OP_ADD || n->binary.op == AST_OP_SUB ||
                n->binary.op == AST_OP_MUL) &&
               is_end(s, n->binary.left, loop) && is_end(s, n->binary.right, loop);
    const Ast *of = n->kind == AST_NAME_REF ? n : n->kind == AST_MEMBER ? n->member.base : NULL;
    if (!of || of->kind != AST_NAME_REF) return false;
    for (size_t i = 0; i < loop->reads.len; i++) {
        const Variable *v = loop->reads.data[i];
        if (v->definition || v->name != of->name_ref.name || normal_has(&loop->writes, v)) continue;
        if (of == n) return v->type == s->integer;
        return v->type->kind == TY_ARRAY && !strcmp(n->member.name, "Length");
    }
    return false;
}

Ast *stateless_turns(Sema *s, const Step *loop, const Variables *needs)
{
    Ast *cond = loop->value;
    const Loc loc = loop->loc;
    bool can = cond->kind == AST_BINARY && cond->binary.op == AST_OP_LT && !has_run(&loop->first) &&
               is_end(s, cond->binary.right, loop);
    Variable *counter = NULL;
    for (size_t i = 0; i < loop->writes.len && can; i++) {
        Variable *v = loop->writes.data[i];
        can = normal_has(&loop->keeps, v) && !normal_has(needs, v);
        if (is_name(cond->binary.left, v)) counter = v;
    }
    if (!can || !counter || added(s, loop, counter) != 1) return NULL;
    Ast *n = ast_new(s->arena, AST_COND, loc), *longs = type_node(s, loc, s->longs);
    n->cond.cond = ast_clone(s->arena, cond);
    n->cond.then = tree_binary(
        s, loc, AST_OP_SUB, tree_cast(s, loc, longs, ast_clone(s->arena, cond->binary.right)),
        tree_cast(s, loc, ast_clone(s->arena, longs), tree_name(s, loc, counter->name)));
    n->cond.other = tree_cast(s, loc, ast_clone(s->arena, longs), tree_int(s, loc, 0));
    return n;
}

static Ast *longs_of(Sema *s, Ast *n)
{
    return tree_cast(s, n->loc, type_node(s, n->loc, s->longs), ast_clone(s->arena, n));
}

Ast *stateless_most(Sema *s, const Step *loop)
{
    const Ast *cond = loop->value;
    if (cond->kind != AST_BINARY || !is_end(s, cond->binary.right, loop)) return NULL;
    const AstOp op = cond->binary.op;
    const bool up = op == AST_OP_LT || op == AST_OP_LE, down = op == AST_OP_GT || op == AST_OP_GE;
    for (size_t i = 0; i < loop->keeps.len; i++) {
        const Variable *v = loop->keeps.data[i];
        if (!is_name(cond->binary.left, v)) continue;
        const int64_t by = added(s, loop, v);
        if (!(up && by > 0) && !(down && by < 0)) return NULL;
        Ast *to = longs_of(s, up ? cond->binary.right : cond->binary.left);
        Ast *from = longs_of(s, up ? cond->binary.left : cond->binary.right);
        Ast *n = tree_binary(s, loop->loc, AST_OP_SUB, to, from);
        if (by != 1 && by != -1)
            n = tree_binary(s, loop->loc, AST_OP_DIV, n,
                            tree_int(s, loop->loc, (uint64_t)(by < 0 ? -by : by)));
        return tree_binary(s, loop->loc, AST_OP_ADD, n, tree_int(s, loop->loc, 1));
    }
    return NULL;
}

void stateless_place(Sema *s, AstList *out, const Step *loop, const char *turns,
                     const char *const *old)
{
    const Loc loc = loop->loc;
    for (size_t i = 0; i < loop->keeps.len; i++) {
        const Variable *v = loop->keeps.data[i];
        const int64_t by = added(s, loop, v);
        if (!by || !old[i]) continue;
        Ast *number = tree_name(s, loc, turns);
        if (by != 1 && by != -1)
            number = tree_binary(s, loc, AST_OP_MUL, number,
                                 tree_int(s, loc, (uint64_t)(by < 0 ? -by : by)));
        if (v->type != s->longs) number = tree_cast(s, loc, type_node(s, loc, v->type), number);
        code_set(s, out, loc, v->name,
                 tree_binary(s, loc, by < 0 ? AST_OP_SUB : AST_OP_ADD, tree_name(s, loc, old[i]),
                             number));
    }
}
