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

/* ---- what is needed ------------------------------------------------------------------------------ */

static void take_out(Variables *list, const Variable *v)
{
    size_t to = 0;
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i] != v) list->data[to++] = list->data[i];
    list->len = to;
}

typedef struct Names {
    const Variables *of;
    const Variable *wanted; /* NULL: an active one */
    bool found;
} Names;

static void find_name(Ast **child, void *ctx)
{
    Names *f = ctx;
    const Ast *n = *child;
    for (size_t i = 0; n->kind == AST_NAME_REF && i < f->of->len; i++) {
        const Variable *v = f->of->data[i];
        if (v->name == n->name_ref.name) f->found |= f->wanted ? v == f->wanted : v->active;
    }
    ast_each_child(*child, find_name, ctx);
}

static bool mentions(Ast *n, const Variables *of, const Variable *wanted)
{
    Names f = {of, wanted, false};
    find_name(&n, &f);
    return f.found;
}

/* Does no derivative of the expression depend on v? */
static bool is_linear(Ast *n, const Variables *of, const Variable *v)
{
    if (!mentions(n, of, v) || n->kind == AST_NAME_REF) return true;
    if (n->kind == AST_CAST) return is_linear(n->cast.operand, of, v);
    if (n->kind == AST_UNARY)
        return n->unary.op == AST_OP_NEG && is_linear(n->unary.operand, of, v);
    if (n->kind != AST_BINARY) return false;
    Ast *a = n->binary.left, *b = n->binary.right;
    switch (n->binary.op) {
    case AST_OP_ADD:
    case AST_OP_SUB: return is_linear(a, of, v) && is_linear(b, of, v);
    case AST_OP_MUL:
        if (mentions(a, of, v))
            return is_linear(a, of, v) && !mentions(b, of, v) && !mentions(b, of, NULL);
        return is_linear(b, of, v) && !mentions(a, of, NULL);
    case AST_OP_DIV: return is_linear(a, of, v) && !mentions(b, of, v) && !mentions(b, of, NULL);
    default: return false;
    }
}

static bool is_number(const Variable *v)
{
    return v->type->kind == TY_SCALAR && scalar_is_real(v->type->scalar);
}

/* Of an assignment whose target nobody needs. */
static bool is_needless(const Step *step, const Variables *plain, const Variable *v)
{
    return v->active && is_number(v) && is_number(step->target) && !step->written &&
           is_linear(step->value, plain, v);
}

static void add_needs(const Step *step, bool wanted, Variables *out)
{
    Variables plain = {0}, functions = {0};
    normal_reads(step, &plain, &functions);
    const bool both = step->kind == STEP_IF || step->kind == STEP_LOOP;
    for (size_t i = 0; i < plain.len; i++) {
        Variable *v = plain.data[i];
        bool needed = true;
        if (both && !functions.len)
            needed = mentions(step->value, &plain, v);
        else if (step->kind == STEP_ASSIGN && !functions.len && !wanted)
            needed = !is_needless(step, &plain, v);
        else if (step->kind == STEP_PUT && v == step->array)
            needed = wanted;
        if (needed) normal_add(out, v);
    }
    vec_free(&plain);
    vec_free(&functions);
}

void stateless_needs(const Steps *steps, size_t from, Variables *needs)
{
    for (size_t i = steps->len; i-- > from;) {
        const Step *step = &steps->data[i];
        bool wanted = false;
        Variable *target;
        for (size_t k = 0; (target = normal_target(step, k)); k++) {
            wanted = wanted || normal_has(needs, target);
            if (step->kind == STEP_GET || step->kind == STEP_CALL ||
                (step->kind == STEP_ASSIGN && !step->rows))
                take_out(needs, target);
        }
        add_needs(step, wanted, needs);
        if (step->kind == STEP_IF) {
            Variables other = {0};
            normal_add_all(&other, needs);
            stateless_needs(&step->first, 0, needs);
            stateless_needs(&step->second, 0, &other);
            normal_add_all(needs, &other);
            add_needs(step, false, needs);
            vec_free(&other);
        }
        for (size_t before = needs->len + 1; step->kind == STEP_LOOP && before != needs->len;) {
            Variables turn = {0};
            before = needs->len;
            normal_add_all(&turn, needs);
            stateless_needs(&step->first, 0, &turn);
            normal_add_all(needs, &turn);
            vec_free(&turn);
        }
    }
}

/* ---- loops --------------------------------------------------------------------------------------- */

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

/* What each turn adds to an integer; 0: it is no counter. */
static int64_t added(const Sema *s, const Step *loop, const Variable *v)
{
    int64_t by = 0;
    if ((v->type != s->integer && v->type != s->longs) || times_set(&loop->first, v) != 1) return 0;
    for (size_t i = 0; i < loop->first.len; i++) {
        const Step *step = &loop->first.data[i];
        const Ast *sum = step->kind == STEP_ASSIGN && step->target == v ? bare(step->value) : NULL;
        if (!sum || sum->kind != AST_BINARY || !is_name(bare(sum->binary.left), v)) continue;
        const Ast *one = bare(sum->binary.right);
        if (one->kind != AST_INT_LIT || one->int_lit.value > INT32_MAX) continue;
        if (sum->binary.op == AST_OP_ADD) by = (int64_t)one->int_lit.value;
        if (sum->binary.op == AST_OP_SUB) by = -(int64_t)one->int_lit.value;
    }
    return by;
}

bool stateless_is(Sema *s, const Step *loop)
{
    Variables needs = {0};
    bool good = !loop->states;
    stateless_needs(&loop->first, 0, &needs);
    for (size_t i = 0; i < loop->writes.len && good; i++) {
        const Variable *v = loop->writes.data[i];
        if (normal_has(&needs, v)) good = normal_has(&loop->keeps, v) && added(s, loop, v) != 0;
    }
    vec_free(&needs);
    return good;
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

void stateless_place(Sema *s, AstList *out, const Step *loop, const char *turns,
                     const char *const *old)
{
    const Loc loc = loop->loc;
    for (size_t i = 0; i < loop->keeps.len; i++) {
        const Variable *v = loop->keeps.data[i];
        const int64_t by = added(s, loop, v);
        if (!by) continue;
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
