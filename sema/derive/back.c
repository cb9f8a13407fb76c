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

/* What the way back needs of a step that was run forth. */
typedef struct Kept {
    bool ran;
    bool stateless; /* a loop: `name` is the number of its turns */
    bool both;      /* a call that gives its value when it goes back */
    const char *
        name; /* of the value that an assignment overwrote, the condition, or what keeps a loop's states */
    VEC(const char *) old; /* of a branch or a stateless loop, beside step->keeps */
    Logs logs;             /* of a loop */
} Kept;

static void there_and_back(Back *b, const Steps *steps, const Variables *wanted, AstList *out);

/* It has no value before a branch or loop, and nobody reads it behind: it is one of what is inside. */
static bool is_inner(const Step *step, const Variable *v)
{
    return normal_has(&step->writes, v) && !normal_has(&step->keeps, v) && !v->given;
}

/* What is active, outside of a branch or loop and comes up in it has a place before it; `inner`: other such. */
static void give_all(Back *b, AstList *out, const Step *step, Variables *inner)
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
    give_all(b, out, step, &inner);
    for (size_t i = 0; i < b->n->all.len; i++) vec_push(&given, b->n->all.data[i]->given);
    there_and_back(b, &step->first, NULL, &first);
    level(b, &first, step);
    end_inner(&inner);
    for (size_t i = 0; i < b->n->all.len; i++) b->n->all.data[i]->given = given.data[i];
    there_and_back(b, &step->second, NULL, &second);
    level(b, &second, step);
    end_inner(&inner);
    vec_free(&inner);
    vec_free(&given);
    for (size_t i = 0; i < step->writes.len; i++) /* what had no value before has no change now */
        if (!normal_has(&step->keeps, step->writes.data[i])) step->writes.data[i]->given = false;
    code_add(b->s, out,
             code_if(b->s, step->loc, tree_name(b->s, step->loc, kept->name), first, second));
}

/* The state of a loop: a tuple of what it keeps, or the variables that get it: `marks` in place of arrays with logs. */
static Ast *state_of(Back *b, const Step *step, const char *const *marks)
{
    AstList items = {0};
    for (size_t i = 0; i < step->keeps.len; i++) {
        const Variable *v = step->keeps.data[i];
        Ast *item = !v->log ? tree_name(b->s, step->loc, v->name)
                    : marks ? tree_name(b->s, step->loc, marks[i])
                            : log_count(b->s, step->loc, v);
        items = ast_list_add(b->s->arena, items, item);
    }
    if (!items.len) items = ast_list_add(b->s->arena, items, tree_int(b->s, step->loc, 0));
    return tree_tuple(b->s, step->loc, items);
}

static Ast *method(Back *b, const Step *step, const Kept *kept, const char *what)
{
    return tree_call(b->s, step->loc,
                     tree_member(b->s, step->loc, tree_name(b->s, step->loc, kept->name), what), 0);
}

/* Do arrays of the loop's state wait? */
static Ast *waits(Back *b, const Step *step)
{
    Sema *s = b->s;
    Ast *any = NULL;
    for (size_t i = 0; i < step->keeps.len; i++) {
        const Variable *v = step->keeps.data[i];
        if (v->type->kind != TY_ARRAY || v->type->nparams < 2 || v->log) continue;
        Ast *gc = tree_name(s, step->loc, intern_cstr(s->names, "GC"));
        Ast *one = tree_call(s, step->loc, tree_member(s, step->loc, gc, "Waits"), 1,
                             tree_name(b->s, step->loc, v->name));
        any = any ? tree_binary(s, step->loc, AST_OP_LOR, any, one) : one;
    }
    return any ? any : ast_new(s->arena, AST_BOOL_LIT, step->loc);
}

/* if ($k.Wants(whether arrays wait)) $k.Keep(state); */
static void keep_state(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    AstList then = {0};
    Ast *keep = method(b, step, kept, "Keep");
    keep->call.args = ast_list_add(b->s->arena, keep->call.args, state_of(b, step, NULL));
    code_add(b->s, &then, tree_stmt(b->s, keep));
    Ast *wants = method(b, step, kept, "Wants");
    wants->call.args = ast_list_add(b->s->arena, wants->call.args, waits(b, step));
    code_add(b->s, out, code_if(b->s, step->loc, wants, then, (AstList){0}));
}

/* The nearest state that is kept. */
static void take_state(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    VEC(const char *) marks = {0};
    Loc loc = step->loc;
    for (size_t i = 0; i < step->keeps.len; i++) {
        const char *mark = NULL;
        if (step->keeps.data[i]->log) {
            mark = code_fresh(b->s, "mark");
            code_local(b->s, out, loc, b->s->integer, mark, tree_int(b->s, loc, 0));
        }
        vec_push(&marks, mark);
    }
    if (step->keeps.len) {
        Ast *to = state_of(b, step, marks.data);
        if (step->keeps.len == 1 && to->kind == AST_TUPLE) to = to->tuple.items.data[0];
        code_add(b->s, out, tree_assign(b->s, loc, to, method(b, step, kept, "Nearest")));
    }
    for (size_t i = 0; i < step->keeps.len; i++)
        if (marks.data[i])
            log_undo(b->s, out, loc, step->keeps.data[i], tree_name(b->s, loc, marks.data[i]));
    vec_free(&marks);
}

static const char *keep_old(Back *b, AstList *out, Loc loc, const Variable *v);
static void put_old(Back *b, AstList *out, Loc loc, const Variable *v, const char *old);

/* What the turns share: what is outside has its change before them, what is inside is theirs and ends with them. */
static void turn_back(Back *b, AstList *out, const Step *step, Variables *inner)
{
    there_and_back(b, &step->first, NULL, out);
    level(b, out, step);
    for (size_t i = 0; i < step->writes.len; i++) { /* the turn before may give it another value */
        Variable *v = step->writes.data[i];
        if (v->active && v->declared && !normal_has(&step->keeps, v) && !normal_has(inner, v))
            change_none(b, out, step->loc, v);
    }
    end_inner(inner);
    vec_free(inner);
}

/* By the number of the turn (stateless.c). */
static void back_by_number(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    Sema *s = b->s;
    AstList turn = {0}, inside = {0};
    Loc loc = step->loc;
    Variables inner = {0};
    log_use(&kept->logs, true);
    give_all(b, out, step, &inner);
    code_set(s, &turn, loc, kept->name,
             tree_binary(s, loc, AST_OP_SUB, tree_name(s, loc, kept->name), tree_int(s, loc, 1)));
    stateless_place(s, &turn, step, kept->name, kept->old.data);
    turn_back(b, &inside, step, &inner);
    code_add(s, &turn, code_block(s, loc, inside));
    Ast *more = tree_binary(s, loc, AST_OP_GT, tree_name(s, loc, kept->name), tree_int(s, loc, 0));
    code_add(s, out, code_while(s, loc, more, turn));
    for (size_t i = 0; i < kept->old.len; i++)
        put_old(b, out, loc, step->keeps.data[i], kept->old.data[i]);
    log_use(&kept->logs, false);
}

static void loop_back(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    log_use(&kept->logs, true);
    AstList turn = {0}, again = {0}, inside = {0};
    Loc loc = step->loc;
    Variables inner = {0};
    give_all(b, out, step, &inner);
    take_state(b, &turn, step, kept);
    keep_state(b, &again, step, kept);
    code_steps(b->s, &again, &step->first);
    code_add(b->s, &turn, code_while(b->s, loc, method(b, step, kept, "Replays"), again));
    turn_back(b, &inside, step, &inner);
    code_add(b->s, &turn, code_block(b->s, loc, inside));
    code_add(b->s, out, code_while(b->s, loc, method(b, step, kept, "Back"), turn));
    log_use(&kept->logs, false);
}

/* ---- forth ---------------------------------------------------------------------------------------------- */

/* The bytes of a state, which lengths tell: 64, and those of arrays. */
static Ast *bytes_of(Back *b, const Step *step)
{
    Loc loc = step->loc;
    Ast *sum = tree_cast(b->s, loc, type_node(b->s, loc, b->s->longs), tree_int(b->s, loc, 64));
    for (size_t i = 0; i < step->keeps.len; i++) {
        const Variable *v = step->keeps.data[i];
        if (v->type->kind != TY_ARRAY || v->log) continue;
        uint64_t size =
            v->type->result->kind == TY_SCALAR ? scalar_bytes(v->type->result->scalar) : 16;
        Ast *length = tree_member(b->s, loc, tree_name(b->s, loc, v->name), "LongLength");
        sum = tree_binary(b->s, loc, AST_OP_ADD, sum,
                          tree_binary(b->s, loc, AST_OP_MUL, length, tree_int(b->s, loc, size)));
    }
    return sum;
}

/* The library's Kept of the loop's state. */
static const Type *kept_type(Back *b, const Step *step)
{
    const Type *types[MAX_PARAMS];
    int n = 0;
    Symbol *g = scope_library(b->s, SYM_TYPE, "Kept");
    for (size_t i = 0; i < step->keeps.len && n < MAX_PARAMS; i++)
        types[n++] = step->keeps.data[i]->log ? b->s->integer : step->keeps.data[i]->type;
    if (!n) types[n++] = b->s->integer;
    Ast *written = ast_new(b->s->arena, AST_TYPE_NAME, step->loc);
    written->type_name.name = g->name;
    written->type_name.args =
        ast_list_add(b->s->arena, (AstList){0}, code_tuple_type(b->s, step->loc, n, types));
    const Type *t = generic_class(b->s, g, written);
    class_settle(b->s);
    return t;
}

/* Counts the turns; needs: what they have to give. */
static void forth_by_number(Back *b, AstList *out, const Step *step, Kept *kept,
                            const Variables *needs)
{
    Sema *s = b->s;
    const Loc loc = step->loc;
    Ast *turns = stateless_turns(s, step, needs);
    AstList body = {0};
    kept->name = code_fresh(s, "turns");
    if (!turns) log_begin(s, out, step, &kept->logs);
    log_use(&kept->logs, true);
    for (size_t i = 0; i < step->keeps.len; i++)
        vec_push(&kept->old, keep_old(b, out, loc, step->keeps.data[i]));
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

static void loop_forth(Back *b, AstList *out, const Step *step, Kept *kept)
{
    Sema *s = b->s;
    AstList body = {0};
    Ast *made = ast_new(s->arena, AST_NEW, step->loc);
    kept->name = code_fresh(s, "kept");
    log_begin(s, out, step, &kept->logs);
    log_use(&kept->logs, true);
    made->new_.ntype = type_node(s, step->loc, kept_type(b, step));
    made->new_.args = ast_list_add(s->arena, made->new_.args, bytes_of(b, step));
    if (step->states)
        made->new_.args =
            ast_list_add(s->arena, made->new_.args, ast_clone(s->arena, step->states));
    code_local(s, out, step->loc, NULL, kept->name, made);
    keep_state(b, &body, step, kept);
    code_steps(s, &body, &step->first);
    code_add(b->s, out, code_while(s, step->loc, ast_clone(s->arena, step->value), body));
    log_use(&kept->logs, false);
}

/* Do later steps read what this one gives, or write what it declares, or is it wanted in the end? */
static bool is_read(const Steps *steps, size_t at, const Variables *wanted)
{
    const Step *step = &steps->data[at];
    Variables gives = {0};
    bool read = step->kind == STEP_RUN || step->kind == STEP_FUNCTION || step->kind == STEP_LOOP;
    Variable *target;
    for (size_t i = 0; (target = normal_target(step, i)); i++) vec_push(&gives, target);
    for (size_t i = 0; i < step->writes.len; i++) vec_push(&gives, step->writes.data[i]);
    for (size_t i = 0; wanted && i < gives.len; i++)
        read = read || normal_has(wanted, gives.data[i]);
    for (size_t i = at + 1; i < steps->len && !read; i++) {
        Variables plain = {0}, functions = {0};
        normal_reads(&steps->data[i], &plain, &functions);
        for (size_t k = 0; k < gives.len; k++)
            read = read || normal_has(&plain, gives.data[k]) ||
                   (step->declares && normal_has(&steps->data[i].writes, gives.data[k]));
        vec_free(&plain);
        vec_free(&functions);
    }
    vec_free(&gives);
    return read;
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
    if (v->log)
        log_undo(b->s, out, loc, v, tree_name(b->s, loc, old));
    else
        code_set(b->s, out, loc, v->name, tree_name(b->s, loc, old));
}

/* needs: of a loop, what the steps behind it need. */
static void forth(Back *b, AstList *out, const Step *step, Kept *kept, const Variables *needs)
{
    if (step->kind == STEP_IF) {
        kept->name = code_fresh(b->s, "taken");
        code_local(b->s, out, step->loc, b->s->boolean, kept->name,
                   ast_clone(b->s->arena, step->value));
        if (!kept->ran) return;
        for (size_t i = 0; i < step->keeps.len; i++)
            vec_push(&kept->old, keep_old(b, out, step->loc, step->keeps.data[i]));
        Step as = *step;
        as.value = tree_name(b->s, step->loc, kept->name);
        code_step(b->s, out, &as);
        return;
    }
    if (!kept->ran) return;
    if (step->kind == STEP_LOOP) {
        kept->stateless = stateless_is(b->s, step);
        if (kept->stateless)
            forth_by_number(b, out, step, kept, needs);
        else
            loop_forth(b, out, step, kept);
        return;
    }
    if (step->kind == STEP_PUT && !step->target->log) {
        kept->name = code_fresh(b->s, "old");
        code_local(b->s, out, step->loc, step->array->type, kept->name,
                   ast_clone(b->s->arena, step->value));
    } else if ((step->kind == STEP_ASSIGN && step->over) || step->kind == STEP_PUT) {
        kept->name = keep_old(b, out, step->loc, step->target);
    }
    code_step(b->s, out, step);
}

static bool is_given(const Step *step)
{
    bool any = false;
    Variable *target;
    for (size_t i = 0; (target = normal_target(step, i)); i++) any = any || target->given;
    return any;
}

static void back(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    if (step->kind == STEP_PUT && kept->name && !step->target->log)
        code_add(b->s, out,
                 tree_assign(b->s, step->loc, ast_clone(b->s->arena, step->value),
                             tree_name(b->s, step->loc, kept->name)));
    else if ((step->kind == STEP_ASSIGN || step->kind == STEP_PUT) && kept->name)
        put_old(b, out, step->loc, step->target, kept->name);
    for (size_t i = 0; i < kept->old.len && step->kind == STEP_IF; i++)
        put_old(b, out, step->loc, step->keeps.data[i], kept->old.data[i]);
    if (step->kind == STEP_IF)
        branch_back(b, out, step, kept);
    else if (step->kind == STEP_LOOP && kept->stateless)
        back_by_number(b, out, step, kept);
    else if (step->kind == STEP_LOOP)
        loop_back(b, out, step, kept);
    else if (step->kind == STEP_ASSIGN && step->target->given)
        change_assignment(b, out, step);
    else if (step->kind == STEP_GET && step->target->given)
        change_get(b, out, step);
    else if (step->kind == STEP_PUT && step->target->given)
        change_put(b, out, step);
    else if (step->kind == STEP_CALL && is_given(step))
        change_call(b, out, step, kept->both);
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
    for (size_t i = 0; i < steps->len; i++) {
        Kept k = {.ran = i < forth_to && is_read(steps, i, wanted)};
        if (i == forth_to) k.both = wanted && normal_has(wanted, vec_last(steps).target);
        Variables needs = {0};
        if (steps->data[i].kind == STEP_LOOP) {
            if (wanted) normal_add_all(&needs, wanted);
            stateless_needs(steps, i + 1, &needs);
        }
        forth(b, out, &steps->data[i], &k, &needs);
        vec_free(&needs);
        vec_push(&kept, k);
    }
    for (size_t i = 0; b->kept && steps == &b->n->steps && i < b->n->results.len; i++)
        code_local(b->s, out, b->n->loc, NULL, b->kept[i],
                   tree_name(b->s, b->n->loc, b->n->results.data[i]->name));
    for (size_t i = steps->len; i-- > 0 && b->good;) {
        back(b, out, &steps->data[i], &kept.data[i]);
        if (kept.data[i].both) code_step(b->s, out, &vec_last(steps));
    }
    for (size_t i = 0; i < steps->len; i++) {
        vec_free(&kept.data[i].old);
        vec_free(&kept.data[i].logs);
    }
    Variable *v;
    for (size_t i = 0; i < steps->len; i++)
        for (size_t k = 0; steps->data[i].declares && (v = normal_target(&steps->data[i], k)); k++)
            v->declared = v->given = false;
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
    there_and_back(&b, &n->steps, value ? &n->results : NULL, out);
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
