/* Loops whose turns are left on tapes (tape.c), forth and back: such a loop, and those in its turns. */
#include <string.h>

#include "back.h"

/* While turns are on tapes arrays need no logs, but for what branches change: they run again. Sets logs, or puts back
 * those that are in `saved`. */
static void hide_logs(const Step *step, const char **saved, bool hide)
{
    for (size_t i = 0; i < step->keeps.len; i++) {
        Variable *v = step->keeps.data[i];
        if (hide) saved[i] = v->log;
        if (!hide)
            v->log = saved[i];
        else if (!tape_in_branch(&step->first, v))
            v->log = NULL;
    }
}

static void taped_forth(Back *b, AstList *out, const Step *step, Kept *kept)
{
    AstList turn = {0};
    const Variables before = back_enter(b, &kept->needed);
    kept->tape = tape_new(b->s, step);
    kept->tape->nest = b->nest;
    kept->turn = arena_array(b->s->arena, Kept, step->first.len + 1);
    memset(kept->turn, 0, sizeof *kept->turn * step->first.len);
    vec_push(&b->tapes, kept->tape);
    for (size_t i = 0; i < step->first.len; i++) {
        kept->turn[i].ran = true;
        back_forth(b, &turn, &step->first.data[i], &kept->turn[i], &step->first.data[i].writes);
    }
    back_leave(b, before);
    Ast *loop = code_while(b->s, step->loc, ast_clone(b->s->arena, step->value), turn);
    kept->tape->turn = loop->while_.body;
    code_add(b->s, out, loop);
}

void taped_inner(Back *b, AstList *out, const Step *step, Kept *kept)
{
    AstList loop = {0};
    const char *mark = code_fresh(b->s, "mark");
    taped_forth(b, &loop, step, kept);
    kept->tape->mark = mark;
    code_local(b->s, out, step->loc, b->s->longs, mark, tape_count(b->s, kept->tape));
    code_add(b->s, out, kept->tape->ahead);
    code_add(b->s, out, loop.data[0]);
}

/* $count == 0 || $count * each < $room */
static Ast *has_room(Back *b, const Tape *t)
{
    Sema *s = b->s;
    Ast *bytes = tree_binary(s, t->loc, AST_OP_MUL, tape_count(s, t), t->each);
    Ast *fits = tree_binary(s, t->loc, AST_OP_LT, bytes, tree_name(s, t->loc, b->room));
    Ast *none = tree_binary(s, t->loc, AST_OP_EQ, tape_count(s, t), tree_int(s, t->loc, 0));
    return tree_binary(s, t->loc, AST_OP_LOR, none, fits);
}

/* Of the turns of the outermost loop those that have room, and one that is made again from a state. */
static Ast *most_that_fit(Back *b, const Tape *t)
{
    Sema *s = b->s;
    const Loc loc = t->loc;
    const char *most = code_fresh(s, "most"), *fit = code_fresh(s, "fit");
    Ast *room = tree_binary(s, loc, AST_OP_DIV, tree_name(s, loc, b->room), t->each);
    code_local(s, &t->ahead->block.stmts, loc, s->longs, most, t->most);
    code_local(s, &t->ahead->block.stmts, loc, s->longs, fit,
               tree_binary(s, loc, AST_OP_ADD, room, tree_int(s, loc, 1)));
    Ast *n = ast_new(s->arena, AST_COND, loc);
    n->cond.cond = tree_binary(s, loc, AST_OP_LT, tree_name(s, loc, most), tree_name(s, loc, fit));
    n->cond.then = tree_name(s, loc, most);
    n->cond.other = tree_name(s, loc, fit);
    return tree_binary(s, loc, AST_OP_ADD, n, tree_int(s, loc, 1));
}

void taped_nest(Back *b, AstList *out, const Step *step, Kept *kept)
{
    Sema *s = b->s;
    AstList loop = {0};
    Variables logged = {0};
    const char **saved = arena_array(s->arena, const char *, step->keeps.len + 1);
    for (size_t i = 0; i < step->keeps.len; i++)
        if (tape_in_branch(&step->first, step->keeps.data[i]) && back_needs(b, step->keeps.data[i]))
            vec_push(&logged, step->keeps.data[i]);
    hide_logs(step, saved, true);
    log_begin(s, out, step, &logged, &kept->taped);
    log_use(&kept->taped, true);
    b->nest = step;
    taped_forth(b, &loop, step, kept);
    b->nest = NULL;
    log_use(&kept->taped, false);
    hide_logs(step, saved, false);
    Ast *nest = loop.data[0];
    const Loc loc = step->loc;
    Ast *gc = tree_name(s, loc, intern_cstr(s->names, "GC"));
    if (!b->room) {
        b->room = code_fresh(s, "room");
        code_local(s, &b->tapes_made, loc, s->longs, b->room, tree_int(s, loc, 0));
    }
    code_set(s, out, loc, b->room, tree_member(s, loc, gc, "KeptBytes"));
    for (size_t i = 0; i < b->tapes.len; i++) {
        Tape *t = b->tapes.data[i];
        t->beside = b->tapes.len;
        t->each = tree_int(s, loc, 1);
        nest->while_.cond = tree_binary(s, loc, AST_OP_LAND, has_room(b, t), nest->while_.cond);
    }
    if (kept->tape->most) kept->tape->most = most_that_fit(b, kept->tape);
    code_add(s, out, kept->tape->ahead);
    code_add(s, out, nest);
    b->tapes.len = 0;
    vec_free(&logged);
}

static void add_local(BackLocals *all, const char *name, const Type *t)
{
    if (name) vec_push(all, ((BackLocal){name, t}));
}

/* What a step declares when it goes forth. */
static void locals_of(const Back *b, const Step *step, const Kept *kept, BackLocals *all)
{
    const Type *number = b->s->integer, *longs = b->s->longs;
    Variable *v;
    for (size_t k = 0; step->declares && (v = normal_target(step, k)); k++)
        add_local(all, v->name, v->type);
    if (step->kind == STEP_RUN && step->declared)
        add_local(all, step->declared->name, step->declared->type);
    if (step->kind == STEP_LOOP)
        add_local(all, kept->stateless ? kept->name : kept->tape->mark, longs);
    else if (step->kind == STEP_IF)
        add_local(all, kept->name, b->s->boolean);
    else if (step->target && step->target->log)
        add_local(all, kept->name, number);
    else
        add_local(all, kept->name, back_old_type(b->s, step));
    for (size_t i = 0; i < kept->old.len; i++) {
        v = step->keeps.data[i];
        add_local(all, kept->old.data[i], v->log ? number : v->type);
    }
}

/* What goes back through the turn that is on top of the tape. */
static void turn_back(Back *b, AstList *turn, const Step *step, const Kept *kept)
{
    AstList inside = {0};
    Variables inner = {0};
    BackLocals all = {0};
    for (size_t i = 0; i < step->first.len; i++)
        locals_of(b, &step->first.data[i], &kept->turn[i], &all);
    back_give_all(b, &kept->tape->before, step, &inner);
    size_t *ends = arena_array(b->s->arena, size_t, step->first.len + 1);
    for (size_t i = step->first.len; i-- > 0 && b->good;) {
        back_step(b, &inside, &step->first.data[i], &kept->turn[i]);
        ends[i] = (size_t)inside.len;
    }
    back_end_declared(&step->first);
    back_level_turn(b, &inside, step, &inner);
    if (b->good) again_insert(b, step, kept, ends, &inside);
    if (b->good) tape_take(b, kept->tape, &all, inside, turn);
    for (size_t i = 0; i < step->first.len; i++) back_free(&kept->turn[i]);
    vec_free(&all);
}

static void add_before(Back *b, AstList *out, const Tape *t)
{
    for (int i = 0; i < t->before.len; i++) code_add(b->s, out, t->before.data[i]);
}

void taped_back(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    AstList turn = {0};
    turn_back(b, &turn, step, kept);
    add_before(b, out, kept->tape);
    code_add(b->s, out,
             tape_while(b->s, kept->tape, tree_name(b->s, step->loc, kept->tape->mark), turn));
}

/* The rest of the turns has states, of which each gives a turn once more: that goes on the tape, and back from there.
 *
 *     bool $rest = true;
 *     while ($rest) {
 *         int $least = 0;
 *         $rest = $kept.Back();
 *         if ($rest) { $least = $count; (s, i) = $kept.Nearest(); while ($kept.Replays()) ..; .. $count++; }
 *         while ($count > $least) { $count--; .. }
 *     }
 */
void taped_nest_back(Back *b, AstList *out, const Step *step, const Kept *kept)
{
    Sema *s = b->s;
    const Loc loc = step->loc;
    const char **saved = arena_array(s->arena, const char *, step->keeps.len + 1);
    const char *rest = code_fresh(s, "rest"), *least = code_fresh(s, "least");
    AstList turn = {0}, again = {0}, all = {0};
    hide_logs(step, saved, true);
    log_use(&kept->taped, true);
    turn_back(b, &turn, step, kept);
    log_use(&kept->taped, false);
    hide_logs(step, saved, false);
    add_before(b, out, kept->tape);
    code_set(s, &again, loc, least, tape_count(s, kept->tape));
    states_take(b, &again, step, kept);
    code_add(s, &again, ast_clone(s->arena, kept->tape->turn));
    code_local(s, out, loc, s->boolean, rest, tree_true(s, loc));
    code_local(s, &all, loc, s->longs, least, tree_int(s, loc, 0));
    code_set(s, &all, loc, rest, states_more(b, step, kept));
    code_add(s, &all, code_if(s, loc, tree_name(s, loc, rest), again, (AstList){0}));
    code_add(s, &all, tape_while(s, kept->tape, tree_name(s, loc, least), turn));
    code_add(s, out, code_while(s, loc, tree_name(s, loc, rest), all));
}
