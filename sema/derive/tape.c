/* Tapes: what turns of a loop leave to the way back, so that it need not run them again.
 *
 *     for (..) { double e = a[i]; s = s * e; }    while (.. && there is room) { $old = s; .. $tape[$count] = (e, $old);
 *                                                                               $count++; }
 *                                                 while ($count > 0) { $count--; (e, $old) = $tape[$count]; .. }
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
        if (step->rows) return tape_rows_are(step);
        if (step->target->rows && is_array(step->target->type))
            return step->declares && step->value->kind != AST_DEFINE;
        return !step->written && step->value->kind != AST_DEFINE &&
               (is_plain(step->target->type) || is_new_array(steps, step));
    case STEP_GET:
        return is_plain(step->target->type) ||
               (is_array(step->target->type) && tape_rows_are(step));
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

Tape *tape_new(Sema *s, const Step *loop)
{
    Tape *t = arena_new_of(s->arena, Tape);
    t->loc = loop->loc;
    t->name = code_fresh(s, "tape");
    t->count = code_fresh(s, "count");
    t->most = stateless_most(s, loop);
    t->ahead = code_block(s, loop->loc, (AstList){0});
    return t;
}

Ast *tape_count(Sema *s, const Tape *t)
{
    return tree_name(s, t->loc, t->count);
}

/* $count = $count + by; */
static void add_count(Sema *s, const Tape *t, AstOp op, AstList *out)
{
    Ast *now = tree_binary(s, t->loc, op, tape_count(s, t), tree_int(s, t->loc, 1));
    code_set(s, out, t->loc, t->count, now);
}

Ast *tape_while(Sema *s, const Tape *t, Ast *least, AstList body)
{
    AstList all = {0};
    add_count(s, t, AST_OP_SUB, &all);
    for (int i = 0; i < body.len; i++) code_add(s, &all, body.data[i]);
    return code_while(s, t->loc, tree_binary(s, t->loc, AST_OP_GT, tape_count(s, t), least), all);
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
static void weigh(Back *b, Tape *t, const BackLocals *used)
{
    Sema *s = b->s;
    for (size_t i = 0; i < used->len; i++) {
        const BackLocal *l = &used->data[i];
        if (l->type->kind != TY_ARRAY) continue;
        Ast *length = tree_member(s, t->loc, tree_name(s, t->loc, l->name), "LongLength");
        length = tree_binary(s, t->loc, AST_OP_MUL, length, tree_int(s, t->loc, 8));
        code_set(s, &t->turn->block.stmts, t->loc, b->room,
                 tree_binary(s, t->loc, AST_OP_SUB, tree_name(s, t->loc, b->room), length));
    }
}

/* if ($tape.Length < wanted) $tape = Tape<T>.Longer($tape, wanted); */
static void make_room(Sema *s, const Tape *t, const Type *tape, Ast *wanted, AstList *out)
{
    AstList then = {0};
    Symbol *longer = member_find(s, class_of(tape), intern_cstr(s->names, "Longer"));
    Ast *call = tree_call(s, t->loc, tree_name(s, t->loc, derived_plain(s, longer)), 2,
                          tree_name(s, t->loc, t->name), ast_clone(s->arena, wanted));
    code_set(s, &then, t->loc, t->name, call);
    Ast *length = tree_member(s, t->loc, tree_name(s, t->loc, t->name), "LongLength");
    Ast *lacks = tree_binary(s, t->loc, AST_OP_LT, length, wanted);
    code_add(s, out, code_if(s, t->loc, lacks, then, (AstList){0}));
}

static Ast *sum(Sema *s, const Tape *t, Ast *more)
{
    return tree_binary(s, t->loc, AST_OP_ADD, tape_count(s, t), more);
}

static Ast *top(Sema *s, const Tape *t)
{
    Ast *n = ast_new(s->arena, AST_INDEX, t->loc);
    n->index.base = tree_name(s, t->loc, t->name);
    n->index.args = ast_list_add(s->arena, n->index.args, tape_count(s, t));
    return n;
}

/* A turn forth puts the value there. */
static void put(Back *b, Tape *t, int n, const Type *const *types, Ast *value)
{
    Sema *s = b->s;
    const Loc loc = t->loc;
    const Type *tape = code_library_of(s, loc, "Tape", n, types);
    const Type *of = decl_type(s, code_tuple_type(s, loc, n, types));
    Ast *none = ast_new(s->arena, AST_NEW_ARRAY, loc);
    none->new_array.elem = type_node(s, loc, of);
    none->new_array.rank = 1;
    none->new_array.sizes = ast_list_add(s->arena, (AstList){0}, tree_int(s, loc, 0));
    code_local(s, &b->tapes_made, loc, type_array(s->types, of, 1), t->name, none);
    if (t->most)
        make_room(s, t, tape, sum(s, t, t->most), &t->ahead->block.stmts);
    else
        make_room(s, t, tape, sum(s, t, tree_int(s, loc, 1)), &t->turn->block.stmts);
    code_add(s, &t->turn->block.stmts, tree_assign(s, loc, top(s, t), value));
}

void tape_take(Back *b, Tape *t, const BackLocals *all, AstList stmts, AstList *out)
{
    Sema *s = b->s;
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
    code_local(s, &b->tapes_made, loc, s->longs, t->count, tree_int(s, loc, 0));
    if (t->each) t->each->int_lit.value = 8 * (uint64_t)(n ? n : 1) * t->beside;
    weigh(b, t, &used);
    if (n) put(b, t, n, types, n == 1 ? items.data[0] : tree_tuple(s, loc, items));
    add_count(s, t, AST_OP_ADD, &t->turn->block.stmts);
    const char *name = n > 1 ? code_fresh(s, "top") : NULL;
    if (name) code_local(s, out, loc, NULL, name, top(s, t));
    for (size_t i = 0; i < used.len; i++) {
        Ast *part = name ? tree_member(s, loc, tree_name(s, loc, name),
                                       arena_printf(s->arena, "Item%d", (int)i + 1))
                         : top(s, t);
        code_local(s, out, loc, used.data[i].type, used.data[i].name, part);
    }
    for (int i = 0; i < stmts.len; i++) code_add(s, out, stmts.data[i]);
    vec_free(&used);
}
