/* Tapes: what turns of a loop leave to the way back, so that it need not run them again.
 *
 *     for (..) { double e = a[i]; s = s * e; }       while (.. && $tape.HasRoom) { $old = s; .. $tape.Add((e, i, $old)); }
 *                                                    while ($tape.Takes(0)) { (e, i, $old) = $tape.Top; .. }
 *
 * Loops inside have tapes of their own beside it, which begin for them where $mark says. Where there is no more room
 * the loop goes on as others do, whose states are kept (back.c). */
#include "back.h"

enum { MOST_LOCALS = 48, MOST_RANK = 4 };

/* ---- which loops ------------------------------------------------------------------------------- */

static bool is_plain(const Type *t)
{
    return t && (t->kind == TY_SCALAR || t->kind == TY_RECORD);
}

static bool is_array(const Type *t)
{
    return t->kind == TY_ARRAY && t->nparams <= MOST_RANK && is_plain(t->result);
}

static bool is_put(const Steps *steps, const Variable *v)
{
    bool any = false;
    for (size_t i = 0; i < steps->len; i++) {
        const Step *step = &steps->data[i];
        any = any || (step->target == v && (step->kind == STEP_PUT || step->rows)) ||
              is_put(&step->first, v) || is_put(&step->second, v);
    }
    return any;
}

/* A new array whose elements are set, or another name of one: what a tape keeps is not copied. */
static bool is_new_array(const Steps *steps, const Step *step)
{
    return is_array(step->target->type) && (normal_is_zeros(step) || change_named(step)) &&
           !(step->declares && tape_in_branch(steps, step->target));
}

/* Does every way through the steps from this one on give v a value? */
static bool sets(const Steps *steps, size_t from, const Variable *v)
{
    for (size_t i = from; i < steps->len; i++) {
        const Step *step = &steps->data[i];
        if (step->kind == STEP_ASSIGN && step->target == v) return true;
        if (step->kind == STEP_IF && sets(&step->first, 0, v) && sets(&step->second, 0, v))
            return true;
    }
    return false;
}

static bool fits(const Steps *steps, size_t at)
{
    const Step *step = &steps->data[at];
    switch (step->kind) {
    case STEP_RUN:
        return !step->declared ||
               (is_plain(step->declared->type) && sets(steps, at + 1, step->declared));
    case STEP_ASSIGN:
        return !step->rows && !step->written && step->value->kind != AST_DEFINE &&
               (is_plain(step->target->type) || is_new_array(steps, step));
    case STEP_GET: return is_plain(step->target->type);
    case STEP_PUT: return is_plain(step->array->type);
    case STEP_CALL: return is_plain(step->target->type) && !step->whole;
    case STEP_FUNCTION: return false;
    case STEP_IF: return true;
    case STEP_LOOP: return tape_can(step);
    }
    return false;
}

bool tape_can(const Step *loop)
{
    bool can = !loop->states && loop->first.len <= MOST_LOCALS / 2;
    for (size_t i = 0; i < loop->writes.len && can; i++) {
        const Variable *v = loop->writes.data[i];
        can = normal_has(&loop->keeps, v); /* others have no value before the first turn */
        if (v->type->kind == TY_ARRAY)
            can =
                can && is_array(v->type) && (log_can(&loop->first, v) || !is_put(&loop->first, v));
        else
            can = can && is_plain(v->type);
    }
    for (size_t i = 0; i < loop->first.len && can; i++) can = fits(&loop->first, i);
    return can;
}

bool tape_needs_no_log(const Step *loop)
{
    bool all = true;
    for (size_t i = 0; i < loop->writes.len; i++) all = all && is_plain(loop->writes.data[i]->type);
    return all;
}

bool tape_in_branch(const Steps *steps, const Variable *v)
{
    bool found = false;
    for (size_t i = 0; i < steps->len && !found; i++) {
        const Step *step = &steps->data[i];
        found = step->kind == STEP_IF     ? normal_has(&step->writes, v)
                : step->kind == STEP_LOOP ? tape_in_branch(&step->first, v)
                                          : false;
    }
    return found;
}

/* ---- code -------------------------------------------------------------------------------------- */

Tape *tape_new(Sema *s, Loc loc)
{
    Tape *t = arena_new_of(s->arena, Tape);
    t->loc = loc;
    t->name = code_fresh(s, "tape");
    t->made = ast_new(s->arena, AST_NEW, loc);
    return t;
}

Ast *tape_member(Sema *s, const Tape *t, const char *what)
{
    return tree_member(s, t->loc, tree_name(s, t->loc, t->name), what);
}

/* Those locals that the statements read. */
static void used_locals(Sema *s, const BackLocals *all, AstList stmts, BackLocals *used)
{
    FreeNames names = {0};
    Ast around = {.kind = AST_FUNC};
    around.func.body = code_block(s, all->len ? stmts.data[0]->loc : NOWHERE, stmts);
    free_names(s, &around, &names);
    for (size_t i = 0; i < all->len; i++)
        for (size_t k = 0; k < names.len; k++)
            if (names.data[k].name == all->data[i].name) {
                vec_push(used, all->data[i]);
                break;
            }
    vec_free(&names);
}

/* Arrays that a turn leaves are as large as the program makes them. */
static void weigh(Sema *s, Tape *t, const BackLocals *used)
{
    for (size_t i = 0; i < used->len; i++) {
        const BackLocal *l = &used->data[i];
        if (l->type->kind != TY_ARRAY) continue;
        Ast *length = tree_member(s, t->loc, tree_name(s, t->loc, l->name), "LongLength");
        Ast *call = tree_call(s, t->loc, tape_member(s, t, "Weigh"), 1, length);
        code_add(s, &t->turn->block.stmts, tree_stmt(s, call));
    }
}

void tape_take(Sema *s, Tape *t, const BackLocals *all, AstList stmts, AstList *out)
{
    const Type *types[MOST_LOCALS * 2];
    BackLocals used = {0};
    AstList items = {0};
    const Loc loc = t->loc;
    int n = 0;
    if (stmts.len) used_locals(s, all, stmts, &used);
    for (size_t i = 0; i < used.len; i++) {
        types[n++] = used.data[i].type;
        items = ast_list_add(s->arena, items, tree_name(s, loc, used.data[i].name));
    }
    if (!n) {
        types[n++] = s->integer;
        items = ast_list_add(s->arena, items, tree_int(s, loc, 0));
    }
    t->made->new_.ntype = type_node(s, loc, code_library_of(s, loc, "Tape", n, types));
    t->made->new_.args =
        ast_list_add(s->arena, t->made->new_.args, tree_int(s, loc, 8 * (uint64_t)n * t->beside));
    weigh(s, t, &used);
    Ast *add = tree_call(s, loc, tape_member(s, t, "Add"), 1, tree_tuple(s, loc, items));
    code_add(s, &t->turn->block.stmts, tree_stmt(s, add));
    const char *top = code_fresh(s, "top");
    if (used.len) code_local(s, out, loc, NULL, top, tape_member(s, t, "Top"));
    for (size_t i = 0; i < used.len; i++) {
        Ast *part = tree_name(s, loc, top);
        if (n > 1) part = tree_member(s, loc, part, arena_printf(s->arena, "Item%d", (int)i + 1));
        code_local(s, out, loc, used.data[i].type, used.data[i].name, part);
    }
    for (int i = 0; i < stmts.len; i++) code_add(s, out, stmts.data[i]);
    vec_free(&used);
}
