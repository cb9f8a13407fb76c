/* Backward mode of the host's statements: forth, keeping what the way back reads, then back.
 *
 *     for (int t = 0; t < n; t++) u = step(u);             var $k = new Kept<(double[], int)>(bytes);
 *     return sum(u * u);                                   int t = 0;
 *                                                          while (t < n) { if ($k.Wants(..)) $k.Keep((u, t)); u = step(u); t = t + 1; }
 *                                                          $u = derivative of sum(u * u) at u;
 *                                                          while ($k.Back()) {
 *                                                              (u, t) = $k.Nearest();
 *                                                              while ($k.Replays()) { if ($k.Wants(..)) ..; u = step(u); t = t + 1; }
 *                                                              $u = derivative of step at u, seed $u;
 *                                                          }
 *
 * A branch or the turn of a loop goes back from the state in which it begins: it is run again, its own steps
 * keeping what they overwrite. What nobody reads afterwards is not run. Assigning to a variable, then, is: what
 * the result changes by the new value goes on to what the value was made of. */
#include "back.h"

static void there_and_back(Back *b, const Steps *steps, const Variables *wanted, AstList *out);

/* ---- what is needed -------------------------------------------------------------------------------- */

bool back_needs(const Back *b, const Variable *v)
{
    return v->log || normal_has(&b->needed, v);
}

void back_log(Back *b, AstList *out, const Step *loop, Logs *logs)
{
    Variables these = {0};
    for (size_t i = 0; i < loop->keeps.len; i++)
        if (back_needs(b, loop->keeps.data[i])) vec_push(&these, loop->keeps.data[i]);
    log_begin(b->s, out, loop, &these, logs);
    vec_free(&these);
}

Variables back_enter(Back *b, const Variables *needed)
{
    Variables before = b->needed;
    b->needed = (Variables){0};
    normal_add_all(&b->needed, needed);
    return before;
}

void back_leave(Back *b, Variables before)
{
    vec_free(&b->needed);
    b->needed = before;
}

/* What a step gives its value is no longer what it was, unless that is found from what it is now. */
static void no_longer(Back *b, const Step *step, const Kept *kept)
{
    Variables left = {0};
    const bool whole = step->kind == STEP_GET || step->kind == STEP_CALL ||
                       (step->kind == STEP_ASSIGN && !step->rows && !kept->adds);
    for (size_t i = 0; i < b->needed.len; i++) {
        const Variable *target;
        bool given = false;
        for (size_t k = 0; whole && (target = normal_target(step, k)); k++)
            given = given || target == b->needed.data[i];
        if (!given) vec_push(&left, b->needed.data[i]);
    }
    back_leave(b, left);
}

/* It has no value before a branch or loop, and nobody reads it behind: it is one of what is inside. */
static bool is_inner(const Step *step, const Variable *v)
{
    return normal_has(&step->writes, v) && !normal_has(&step->keeps, v) && !v->given;
}

void back_give_all(Back *b, AstList *out, const Step *step, Variables *inner)
{
    Variables plain = {0}, functions = {0};
    normal_reads(step, &plain, &functions);
    for (size_t i = 0; i < step->writes.len; i++) normal_add(&plain, step->writes.data[i]);
    for (size_t i = 0; i < plain.len; i++) {
        Variable *v = plain.data[i];
        if (is_inner(step, v))
            vec_push(inner, v);
        else if (v->active)
            change_none(b, out, step->loc, v);
    }
    vec_free(&plain);
    vec_free(&functions);
}

static void end_inner(Variables *inner)
{
    for (size_t i = 0; i < inner->len; i++)
        inner->data[i]->declared = inner->data[i]->given = false;
}

/* ---- branches and loops ---------------------------------------------------------------------------- */

/* The change of what is outside, in a state that all branches and turns share: there. */
static void level(Back *b, AstList *out, const Step *step)
{
    for (size_t i = 0; i < step->writes.len; i++) {
        Variable *v = step->writes.data[i];
        if (v->active && v->declared && normal_has(&step->keeps, v))
            change_none(b, out, step->loc, v);
    }
}

static void branch_back(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    AstList first = {0}, second = {0};
    Variables inner = {0};
    VEC(bool) given = {0};
    const Variables before = back_enter(b, &kept->needed);
    back_give_all(b, out, step, &inner);
    for (size_t i = 0; i < b->n->all.len; i++) vec_push(&given, b->n->all.data[i]->given);
    there_and_back(b, &step->first, NULL, &first);
    level(b, &first, step);
    end_inner(&inner);
    for (size_t i = 0; i < b->n->all.len; i++) b->n->all.data[i]->given = given.data[i];
    there_and_back(b, &step->second, NULL, &second);
    level(b, &second, step);
    end_inner(&inner);
    back_leave(b, before);
    vec_free(&inner);
    vec_free(&given);
    for (size_t i = 0; i < step->writes.len; i++) /* what had no value before has no change now */
        if (!normal_has(&step->keeps, step->writes.data[i])) step->writes.data[i]->given = false;
    code_add(b->s, out,
             code_if(b->s, step->loc, tree_name(b->s, step->loc, kept->name), first, second));
}

static const char *keep_old(Back *b, AstList *out, Loc loc, const Variable *v);
static void put_old(Back *b, AstList *out, Loc loc, const Variable *v, const char *old);
static void keep_needed(Back *b, AstList *out, const Step *step, Kept *kept);

void back_level_turn(Back *b, AstList *out, const Step *step, Variables *inner)
{
    level(b, out, step);
    for (size_t i = 0; i < step->writes.len; i++) { /* the turn before may give it another value */
        Variable *v = step->writes.data[i];
        if (v->active && v->declared && !normal_has(&step->keeps, v) && !normal_has(inner, v))
            change_none(b, out, step->loc, v);
    }
    end_inner(inner);
    vec_free(inner);
}

static void turn_back(Back *b, AstList *out, const Step *step, const Kept *kept, Variables *inner)
{
    const Variables before = back_enter(b, &kept->needed);
    there_and_back(b, &step->first, NULL, out);
    back_leave(b, before);
    back_level_turn(b, out, step, inner);
}

/* By the number of the turn (stateless.c). */
static void back_by_number(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    Sema *s = b->s;
    AstList turn = {0}, inside = {0};
    Loc loc = step->loc;
    Variables inner = {0};
    log_use(&kept->logs, true);
    back_give_all(b, out, step, &inner);
    code_set(s, &turn, loc, kept->name,
             tree_binary(s, loc, AST_OP_SUB, tree_name(s, loc, kept->name), tree_int(s, loc, 1)));
    stateless_place(s, &turn, step, kept->name, kept->old.data);
    turn_back(b, &inside, step, kept, &inner);
    code_add(s, &turn, code_block(s, loc, inside));
    Ast *more = tree_binary(s, loc, AST_OP_GT, tree_name(s, loc, kept->name), tree_int(s, loc, 0));
    code_add(s, out, code_while(s, loc, more, turn));
    for (size_t i = 0; i < kept->old.len; i++)
        put_old(b, out, loc, step->keeps.data[i], kept->old.data[i]);
    log_use(&kept->logs, false);
}

static void back_by_states(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    AstList turn = {0}, inside = {0};
    Variables inner = {0};
    back_give_all(b, out, step, &inner);
    states_take(b, &turn, step, kept);
    log_use(&kept->logs, true);
    turn_back(b, &inside, step, kept, &inner);
    log_use(&kept->logs, false);
    code_add(b->s, &turn, code_block(b->s, step->loc, inside));
    code_add(b->s, out, code_while(b->s, step->loc, states_more(b, step, kept), turn));
}

/* ---- forth ---------------------------------------------------------------------------------------------- */

/* Counts the turns; needs: what they have to give. */
static void forth_by_number(Back *b, AstList *out, const Step *step, Kept *kept,
                            const Variables *needs)
{
    Sema *s = b->s;
    const Loc loc = step->loc;
    Ast *turns = stateless_turns(s, step, needs);
    AstList body = {0};
    kept->name = code_fresh(s, "turns");
    if (!turns) back_log(b, out, step, &kept->logs);
    log_use(&kept->logs, true);
    keep_needed(b, out, step, kept);
    code_local(s, out, loc, s->longs, kept->name, turns ? turns : tree_int(s, loc, 0));
    if (!turns) {
        code_steps(s, &body, &step->first);
        code_set(
            s, &body, loc, kept->name,
            tree_binary(s, loc, AST_OP_ADD, tree_name(s, loc, kept->name), tree_int(s, loc, 1)));
        code_add(s, out, code_while(s, loc, ast_clone(s->arena, step->value), body));
    }
    log_use(&kept->logs, false);
}

static void loop_forth(Back *b, AstList *out, const Step *step, Kept *kept, const Variables *needs)
{
    const LoopWay way = stateless_way(b->s, step, b->nest != NULL);
    kept->stateless = way == LOOP_BY_NUMBER;
    if (kept->stateless) {
        forth_by_number(b, out, step, kept, needs);
    } else if (b->nest) {
        taped_inner(b, out, step, kept);
    } else {
        if (way == LOOP_TAPED) taped_nest(b, out, step, kept);
        states_forth(b, out, step, kept);
    }
}

static const char *keep_old(Back *b, AstList *out, Loc loc, const Variable *v)
{
    const char *old = code_fresh(b->s, "old");
    if (v->log)
        code_local(b->s, out, loc, b->s->integer, old, log_count(b->s, loc, v));
    else
        code_local(b->s, out, loc, v->type, old, tree_name(b->s, loc, v->name));
    return old;
}

static void put_old(Back *b, AstList *out, Loc loc, const Variable *v, const char *old)
{
    if (!old) return;
    if (v->log)
        log_undo(b->s, out, loc, v, tree_name(b->s, loc, old));
    else
        code_set(b->s, out, loc, v->name, tree_name(b->s, loc, old));
}

/* Of a branch or loop: what it changes and somebody reads. */
static void keep_needed(Back *b, AstList *out, const Step *step, Kept *kept)
{
    for (size_t i = 0; i < step->keeps.len; i++) {
        Variable *v = step->keeps.data[i];
        vec_push(&kept->old, back_needs(b, v) ? keep_old(b, out, step->loc, v) : NULL);
    }
}

/* A value that the step overwrites. Of whole arrays always: their lengths are asked for. */
static bool keeps_old(const Back *b, const Step *step)
{
    if (step->kind == STEP_PUT) return back_needs(b, step->target);
    return step->kind == STEP_ASSIGN && step->over &&
           (back_needs(b, step->target) || (step->target->type->kind == TY_ARRAY && !step->rows));
}

/* What of its target a step overwrites, an element or a row; NULL: all of it, or what a log has. */
static const Ast *place_of(const Step *step)
{
    if (!step->target || step->target->log) return NULL;
    if (step->kind == STEP_PUT) return step->value;
    return step->kind == STEP_ASSIGN && tape_rows_are(step) ? step->rows : NULL;
}

const Type *back_old_type(Sema *s, const Step *step)
{
    if (step->target && step->target->log) return s->integer;
    if (step->kind == STEP_PUT) return step->array->type;
    if (step->kind == STEP_ASSIGN && tape_rows_are(step))
        return type_array(s->types, step->target->type->result, 1);
    return step->target ? step->target->type : NULL;
}

static void step_forth(Back *b, AstList *out, const Step *step, Kept *kept, const Variables *needs)
{
    if (step->kind == STEP_IF) {
        kept->name = code_fresh(b->s, "taken");
        code_local(b->s, out, step->loc, b->s->boolean, kept->name,
                   ast_clone(b->s->arena, step->value));
        if (!kept->ran) return;
        keep_needed(b, out, step, kept);
        Step as = *step;
        as.value = tree_name(b->s, step->loc, kept->name);
        code_step(b->s, out, &as);
        return;
    }
    if (!kept->ran) return;
    if (step->kind == STEP_LOOP) {
        loop_forth(b, out, step, kept, needs);
        return;
    }
    if (!keeps_old(b, step)) {
        code_step(b->s, out, step);
        return;
    }
    kept->adds = stateless_adds(b->s, step);
    const Ast *place = place_of(step);
    if (place) {
        kept->name = code_fresh(b->s, "old");
        code_local(b->s, out, step->loc, back_old_type(b->s, step), kept->name,
                   ast_clone(b->s->arena, place));
    } else if (!kept->adds) {
        kept->name = keep_old(b, out, step->loc, step->target);
    }
    code_step(b->s, out, step);
}

void back_forth(Back *b, AstList *out, const Step *step, Kept *kept, const Variables *needs)
{
    Variables before = {0};
    normal_add_all(&before, &b->needed);
    recorded_back(b->s, step, b->nest, &b->needed);
    const LoopWay way =
        step->kind == STEP_LOOP ? stateless_way(b->s, step, b->nest != NULL) : LOOP_BY_STATES;
    if (step->kind == STEP_IF || step->kind == STEP_LOOP)
        normal_add_all(&kept->needed, way == LOOP_BY_STATES ? &before : &b->needed);
    step_forth(b, out, step, kept, needs);
    if (way == LOOP_BY_STATES) /* their logs have all that changes */
        for (size_t i = 0; i < kept->logs.len; i++) normal_add(&kept->needed, kept->logs.data[i].v);
    if (kept->ran) no_longer(b, step, kept); /* else it is what it was */
    vec_free(&before);
}

void back_free(Kept *kept)
{
    vec_free(&kept->old);
    vec_free(&kept->logs);
    vec_free(&kept->taped);
    vec_free(&kept->needed);
}

static bool is_given(const Step *step)
{
    bool any = false;
    Variable *target;
    for (size_t i = 0; (target = normal_target(step, i)); i++) any = any || target->given;
    return any;
}

/* Integers go round, so it comes to what it was. */
static void undo_added(Back *b, AstList *out, const Step *step, int64_t by)
{
    Sema *s = b->s;
    const Variable *v = step->target;
    Ast *sum = tree_binary(s, step->loc, by < 0 ? AST_OP_ADD : AST_OP_SUB,
                           tree_name(s, step->loc, v->name),
                           tree_int(s, step->loc, (uint64_t)(by < 0 ? -by : by)));
    code_set(s, out, step->loc, v->name, sum);
}

void back_step(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    if (kept->name && place_of(step))
        code_add(b->s, out,
                 tree_assign(b->s, step->loc, ast_clone(b->s->arena, place_of(step)),
                             tree_name(b->s, step->loc, kept->name)));
    else if ((step->kind == STEP_ASSIGN || step->kind == STEP_PUT) && kept->name)
        put_old(b, out, step->loc, step->target, kept->name);
    if (kept->adds) undo_added(b, out, step, kept->adds);
    for (size_t i = 0; i < kept->old.len && step->kind == STEP_IF; i++)
        put_old(b, out, step->loc, step->keeps.data[i], kept->old.data[i]);
    if (step->kind == STEP_IF)
        branch_back(b, out, step, kept);
    else if (step->kind == STEP_LOOP && kept->stateless)
        back_by_number(b, out, step, kept);
    else if (step->kind == STEP_LOOP && kept->tape && kept->tape->mark)
        taped_back(b, out, step, kept);
    else if (step->kind == STEP_LOOP && kept->tape)
        taped_nest_back(b, out, step, kept);
    else if (step->kind == STEP_LOOP)
        back_by_states(b, out, step, kept);
    else if (step->kind == STEP_ASSIGN && step->target->given)
        change_assignment(b, out, step);
    else if (step->kind == STEP_GET && step->target->given)
        change_get(b, out, step);
    else if (step->kind == STEP_PUT && step->target->given)
        change_put(b, out, step);
    else if (step->kind == STEP_CALL && is_given(step))
        change_call(b, out, step, kept->both);
}

void back_end_declared(const Steps *steps)
{
    for (size_t i = 0; i < steps->len; i++) {
        Variable *v = steps->data[i].declared;
        if (v) v->declared = v->given = false;
        for (size_t k = 0; steps->data[i].declares && (v = normal_target(&steps->data[i], k)); k++)
            v->declared = v->given = false;
    }
}

/* Are the last two steps a call and what gives its result the name that is wanted? What goes back through the call
 * goes forth first, so it can give the value. */
static bool ends_in_call(const Steps *steps)
{
    if (steps->len < 2) return false;
    const Step *call = &steps->data[steps->len - 2], *last = &vec_last(steps);
    return call->kind == STEP_CALL && !call->whole && last->kind == STEP_ASSIGN &&
           call->target->active && change_named(last) == call->target && !last->over &&
           !given_is(call->callee);
}

/* Variables that are declared here end with it. */
static void there_and_back(Back *b, const Steps *steps, const Variables *wanted, AstList *out)
{
    VEC(Kept) kept = {0};
    size_t forth_to = steps->len - (ends_in_call(steps) ? 2 : 0);
    const Variables here = b->needed, before = back_enter(b, &here);
    for (size_t i = 0; i < steps->len; i++) {
        Variables needs = {0};
        if (wanted) normal_add_all(&needs, wanted);
        recorded_there_and_back(b->s, steps, i + 1, false, &needs);
        Kept k = {.ran = i < forth_to && recorded_running(steps, i, &needs)};
        if (i < forth_to && !k.ran && recorded_place(steps, i))
            code_local(b->s, out, steps->data[i].loc, steps->data[i].target->type,
                       steps->data[i].target->name,
                       code_default(b->s, steps->data[i].loc, steps->data[i].target->type));
        if (i == forth_to) k.both = wanted && normal_has(wanted, vec_last(steps).target);
        back_forth(b, out, &steps->data[i], &k, &needs);
        vec_free(&needs);
        vec_push(&kept, k);
    }
    back_leave(b, before);
    for (size_t i = 0; b->kept && steps == &b->n->steps && i < b->n->results.len; i++)
        code_local(b->s, out, b->n->loc, NULL, b->kept[i],
                   tree_name(b->s, b->n->loc, b->n->results.data[i]->name));
    for (size_t i = steps->len; i-- > 0 && b->good;) {
        back_step(b, out, &steps->data[i], &kept.data[i]);
        if (kept.data[i].both) code_step(b->s, out, &vec_last(steps));
    }
    for (size_t i = 0; i < steps->len; i++) back_free(&kept.data[i]);
    back_end_declared(steps);
    vec_free(&kept);
}

void back_statements(Sema *s, Normal *n, const char *seed, bool value, AstList *out)
{
    Back b = {.s = s, .n = n, .good = true};
    Loc loc = n->loc;
    if (value && n->leaves) b.kept = arena_array(s->arena, const char *, n->results.len);
    AstList all = {0}, by = {0}, values = {0};
    Leaves leaves = {0};
    if (split_is(n->type))
        split_leaves(s, "", n->type, tree_name(s, loc, seed), loc, &leaves);
    else
        vec_push(&leaves, ((Leaf){.value = seed ? tree_name(s, loc, seed)
                                                : tree_cast(s, loc, type_node(s, loc, n->type),
                                                            tree_int(s, loc, 1))}));
    for (size_t i = 0; i < n->results.len; i++) {
        Variable *result = n->results.data[i];
        code_result(out, n, result, result->name);
        if (result->active) change_set(&b, out, loc, result, leaves.data[i].value);
        if (b.kept) b.kept[i] = code_fresh(s, "returned");
        values =
            ast_list_add(s->arena, values, tree_name(s, loc, b.kept ? b.kept[i] : result->name));
    }
    vec_free(&leaves);
    AstList steps = {0};
    there_and_back(&b, &n->steps, value ? &n->results : NULL, &steps);
    for (int i = 0; i < b.tapes_made.len; i++) code_add(s, out, b.tapes_made.data[i]);
    for (int i = 0; i < steps.len; i++) code_add(s, out, steps.data[i]);
    vec_free(&b.tapes);
    for (size_t i = 0; i < n->params.len && b.good; i++) {
        Variable *v = n->params.data[i];
        if (!v->differentiated) continue;
        change_none(&b, out, loc, v);
        by = ast_list_add(s->arena, by, tree_name(s, loc, v->bar));
    }
    n->good = n->good && b.good;
    if (!n->good) return;
    if (value) all = ast_list_add(s->arena, all, code_returned(s, loc, n->type, values));
    all = ast_list_add(s->arena, all, tree_tuple(s, loc, by));
    code_add(s, out, tree_return(s, tree_tuple(s, loc, all)));
}
