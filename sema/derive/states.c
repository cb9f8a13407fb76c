/* Loops that keep states: of the beginnings of their turns, from which a turn is run again on the way back.
 *
 *     var $k = new Kept<(double[], int)>(bytes);
 *     while (t < n) { if ($k.Wants(..)) $k.Keep((u, t)); u = step(u); t = t + 1; }
 *     while ($k.Back()) {
 *         (u, t) = $k.Nearest();
 *         while ($k.Replays()) { if ($k.Wants(..)) $k.Keep((u, t)); u = step(u); t = t + 1; }
 *         ..
 *     }
 */
#include "back.h"

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

void states_take(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    AstList again = {0};
    log_use(&kept->logs, true);
    take_state(b, out, step, kept);
    keep_state(b, &again, step, kept);
    code_steps(b->s, &again, &step->first);
    code_add(b->s, out, code_while(b->s, step->loc, method(b, step, kept, "Replays"), again));
    log_use(&kept->logs, false);
}

Ast *states_more(Back *b, const Step *step, const Kept *kept)
{
    return method(b, step, kept, "Back");
}

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
    for (size_t i = 0; i < step->keeps.len && n < MAX_PARAMS; i++)
        types[n++] = step->keeps.data[i]->log ? b->s->integer : step->keeps.data[i]->type;
    if (!n) types[n++] = b->s->integer;
    return code_library_of(b->s, step->loc, "Kept", n, types);
}

void states_forth(Back *b, AstList *out, const Step *step, Kept *kept)
{
    Sema *s = b->s;
    AstList body = {0};
    Ast *made = ast_new(s->arena, AST_NEW, step->loc);
    kept->name = code_fresh(s, "kept");
    if (kept->tape) /* it goes back without them (taped.c) */
        back_log(b, out, step, &kept->logs);
    else
        log_begin(s, out, step, &step->keeps, &kept->logs);
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
