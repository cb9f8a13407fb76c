/* Statements about arrays of a few elements:
 *
 *     for (int i = 0; i < 2; i++) y[i] *= a;     { $y$0 *= a; } { $y$1 *= a; }
 *     return y;                                  return new double[] { $y$0, $y$1 };
 */
#include "small.h"

/* ---- what is in scope -------------------------------------------------------------------------------------- */

/* Declares what a statement, as it is written, declares. */
void small_see_all(Small *w, const Ast *n)
{
    Sema *s = w->s;
    AstList one = ast_list_add(s->arena, (AstList){0}, ast_clone(s->arena, n));
    check_block(s, &one);
}

static const Type *type_of(Small *w, const char *name)
{
    const Symbol *sym = scope_user(w->s, name);
    return sym && sym->type ? sym->type : w->s->error;
}

/* ---- declarations -------------------------------------------------------------------------------------------- */

static void declaration(Small *w, Ast *n, AstList *out)
{
    Sema *s = w->s;
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        Ast *d = n->var_decl.vars.data[i];
        Ast *one = arena_copy(s->arena, n, sizeof *n);
        one->var_decl.vtype = ast_clone(s->arena, n->var_decl.vtype);
        one->var_decl.vars = ast_list_add(s->arena, (AstList){0}, d);
        small_see_all(w, one);
        const Type *t = type_of(w, d->declarator.name);
        if (n->var_decl.is_const || !d->declarator.init ||
            !small_gets(w, d->loc, d->declarator.name, t, d->declarator.init, out)) {
            if (d->declarator.init)
                small_number_in(w, &d->declarator.init, small_before(out, d->declarator.init));
            code_add(s, out, one);
        }
    }
}

static void definition(Small *w, Ast *n, AstList *out)
{
    Sema *s = w->s;
    const SmallArray *again = small_find(w, n->define.name);
    if (again) {
        small_reject(w, again);
        return;
    }
    small_see_all(w, n);
    const Type *t = type_of(w, n->define.name);
    Ast *let = ast_new(s->arena, AST_LET, n->loc);
    let->let.binders = n->define.binders;
    let->let.body = n->define.value;
    if (n->define.attrs.len || !small_gets(w, n->loc, n->define.name, t, let, out)) {
        small_number_in(w, &n, NULL);
        code_add(s, out, n);
    }
}

/* ---- what is returned -------------------------------------------------------------------------------------------- */

static Ast *made_again(Small *w, Loc loc, const Type *t, const SmallBox *box, AstList items)
{
    Sema *s = w->s;
    Ast *made = ast_new(s->arena, AST_NEW_ARRAY, loc),
        *init = ast_new(s->arena, AST_INIT_LIST, loc);
    const int row = box->rank == 2 ? box->n[1] : 1;
    for (int i = 0; i < box->n[0]; i++) {
        Ast *inner = ast_new(s->arena, AST_INIT_LIST, loc);
        for (int k = 0; k < row; k++)
            inner->init_list.items =
                ast_list_add(s->arena, inner->init_list.items, items.data[i * row + k]);
        init->init_list.items =
            ast_list_add(s->arena, init->init_list.items, box->rank == 2 ? inner : items.data[i]);
    }
    made->new_array.elem = type_node(s, loc, t);
    made->new_array.rank = (uint64_t)box->rank;
    made->new_array.init = init;
    return made;
}

/* In a function whose result is what it was: arrays are made again. */
static void again(Small *w, Ast **slot)
{
    SmallBox box;
    Ast *n = *slot;
    const SmallArray *a = small_target(w, n);
    if (a) {
        box = a->box;
        const Type *t = a->type;
        *slot = made_again(w, n->loc, t, &box, small_elements_in(w, n, t, NULL));
    } else if (n->kind == AST_TUPLE) {
        for (int i = 0; i < n->tuple.items.len; i++) again(w, &n->tuple.items.data[i]);
    } else if (small_mentions(w, n) && small_box(w, n, &box) && small_type(w, n)->kind == TY_FUNC) {
        const Type *t = small_type(w, n)->result;
        *slot = made_again(w, n->loc, t, &box, small_elements(w, n, t));
    } else {
        small_number(slot, w);
    }
}

/* An item of it, of which the box is told; false: it is no such array. */
static bool give(Small *w, Ast *item, const Type *t, SmallBox *box, AstList *out)
{
    Sema *s = w->s;
    *box = (SmallBox){0};
    if (!small_suits(t)) {
        const bool fits = small_type(w, item) == t;
        small_number(&item, w);
        if (!fits) item = tree_cast(s, item->loc, type_node(s, item->loc, t), item);
        *out = ast_list_add(s->arena, *out, item);
        return true;
    }
    if (!small_box(w, item, box) || box->rank != t->nparams) return false;
    AstList items = small_elements(w, item, t->result);
    for (int k = 0; k < items.len; k++) *out = ast_list_add(s->arena, *out, items.data[k]);
    return true;
}

/* In a version: an array, or each item of a tuple, by its elements. */
static AstList given(Small *w, Ast *value)
{
    AstList out = {0};
    const bool tuple = value->kind == AST_TUPLE;
    w->good = w->good && w->result.n == (tuple ? value->tuple.items.len : 1);
    for (int i = 0; i < w->result.n && w->good; i++) {
        SmallBox box;
        w->good = give(w, tuple ? small_bare(value->tuple.items.data[i]) : value,
                       w->result.types[i], &box, &out) &&
                  (!w->returned || small_same(&box, &w->result.boxes[i])) && w->good;
        w->result.boxes[i] = box;
    }
    w->returned = true;
    return out;
}

static void returned(Small *w, Ast *n, AstList *out)
{
    Sema *s = w->s;
    Ast *value = n->return_.value;
    bool first;
    if (value->kind == AST_COND && (w->parts || small_suits(w->f->type->result)) &&
        !small_effects(value) && !small_bool(w, value->cond.cond, &first)) {
        AstList then = {0}, other = {0};
        small_number_in(w, &value->cond.cond, out);
        returned(w, tree_return(s, value->cond.then), &then);
        returned(w, tree_return(s, value->cond.other), &other);
        code_add(s, out, code_if(s, n->loc, value->cond.cond, then, other));
        return;
    }
    AstList *saved = w->before;
    w->before = small_before(out, value);
    if (w->parts)
        n->return_.value = tree_tuple(s, n->loc, given(w, value));
    else
        again(w, &n->return_.value);
    w->before = saved;
    code_add(s, out, n);
}

/* ---- lists, loops -------------------------------------------------------------------------------------------------- */

static void inside(Small *w, Ast **slot)
{
    Sema *s = w->s;
    if (!*slot) return;
    AstList stmts = (*slot)->kind == AST_BLOCK ? (*slot)->block.stmts
                                               : ast_list_add(s->arena, (AstList){0}, *slot);
    scope_push(s);
    small_list(w, &stmts);
    scope_pop(s);
    if ((*slot)->kind == AST_BLOCK)
        (*slot)->block.stmts = stmts;
    else
        *slot = code_block(s, (*slot)->loc, stmts);
}

typedef struct Turns {
    Small *w;
    const char *name;
    bool indexes, leaves, sets;
} Turns;

static void find_turn(Ast **child, void *ctx)
{
    Turns *t = ctx;
    Ast *n = *child;
    if (!n) return;
    const Ast *base = n->kind == AST_INDEX  ? n->index.base
                      : n->kind == AST_CALL ? n->call.callee
                                            : NULL;
    const AstList *args = n->kind == AST_INDEX ? &n->index.args : &n->call.args;
    if (base && base->kind == AST_NAME_REF && small_find(t->w, base->name_ref.name))
        for (int i = 0; i < args->len; i++)
            t->indexes = t->indexes || small_reads(args->data[i], t->name);
    const Ast *target = n->kind == AST_ASSIGN   ? n->assign.target
                        : n->kind == AST_INCDEC ? n->incdec.target
                                                : NULL;
    t->sets = t->sets ||
              (target && target->kind == AST_NAME_REF && target->name_ref.name == t->name) ||
              (target && target->kind == AST_TUPLE) || n->kind == AST_LAMBDA;
    t->leaves = t->leaves || n->kind == AST_BREAK || n->kind == AST_CONTINUE;
    ast_each_child(n, find_turn, ctx);
}

/* A loop over the indices of such an array: its turns, one behind the other. */
static bool unrolled(Small *w, Ast *n, AstList *out)
{
    Sema *s = w->s;
    int64_t from, to;
    const Ast *init = n->for_.init.len == 1 ? n->for_.init.data[0] : NULL;
    const Ast *cond = n->for_.cond;
    Ast *step = n->for_.step.len == 1 ? n->for_.step.data[0] : NULL;
    if (step && step->kind == AST_EXPR_STMT) step = step->expr_stmt.expr;
    if (n->for_.attrs.len || !init || init->kind != AST_VAR_DECL || init->var_decl.vars.len != 1 ||
        !cond || cond->kind != AST_BINARY || !step || step->kind != AST_INCDEC ||
        step->incdec.op != AST_OP_ADD || step->incdec.target->kind != AST_NAME_REF)
        return false;
    const Ast *d = init->var_decl.vars.data[0];
    const char *name = d->declarator.name;
    const bool to_end = cond->binary.op == AST_OP_LE;
    Turns turns = {w, name, false, false, false};
    if (step->incdec.target->name_ref.name != name || !d->declarator.init ||
        !small_int(w, d->declarator.init, &from) || (cond->binary.op != AST_OP_LT && !to_end) ||
        cond->binary.left->kind != AST_NAME_REF || cond->binary.left->name_ref.name != name ||
        !small_int(w, cond->binary.right, &to))
        return false;
    to += to_end;
    find_turn(&n->for_.body, &turns);
    if (!turns.indexes || turns.leaves || turns.sets || to - from > SMALL_MOST) return false;
    for (int64_t i = from; i < to; i++) {
        Ast *body = small_put(w, n->for_.body, name, i);
        inside(w, &body);
        code_add(s, out, body);
    }
    return true;
}

static void loop(Small *w, Ast *n)
{
    Sema *s = w->s;
    AstList *saved = w->before;
    w->before = NULL; /* what stands in its head is evaluated each turn */
    scope_push(s);
    if (n->kind == AST_FOR) {
        for (int i = 0; i < n->for_.init.len; i++) {
            const Ast *written = ast_clone(s->arena, n->for_.init.data[i]);
            Ast *init = n->for_.init.data[i];
            if (init->kind == AST_VAR_DECL)
                for (int k = 0; k < init->var_decl.vars.len; k++)
                    small_number(&init->var_decl.vars.data[k]->declarator.init, w);
            else
                small_number(&n->for_.init.data[i]->expr_stmt.expr, w);
            small_see_all(w, written);
        }
        small_number(&n->for_.cond, w);
        inside(w, &n->for_.body);
        for (int i = 0; i < n->for_.step.len; i++) {
            Ast *step = n->for_.step.data[i];
            small_number(
                step->kind == AST_EXPR_STMT ? &step->expr_stmt.expr : &n->for_.step.data[i], w);
        }
    } else if (n->kind == AST_FOREACH) {
        const Type *t = small_type(w, n->foreach_.seq);
        const bool var = !n->foreach_.vtype || n->foreach_.vtype->kind == AST_TYPE_VAR;
        small_number(&n->foreach_.seq, w);
        if (!type_is_functional(t) || t->nparams != 1) w->good = false;
        if (w->good)
            small_see(w, n->foreach_.name,
                      var ? t->result : decl_type(s, ast_clone(s->arena, n->foreach_.vtype)));
        inside(w, &n->foreach_.body);
    } else if (n->kind == AST_WHILE) {
        small_number(&n->while_.cond, w);
        inside(w, &n->while_.body);
    } else {
        inside(w, &n->do_.body);
        small_number(&n->do_.cond, w);
    }
    scope_pop(s);
    w->before = saved;
}

static void sections(Small *w, Ast *n, AstList *out)
{
    small_number_in(w, &n->switch_.value, small_before(out, n->switch_.value));
    for (int i = 0; i < n->switch_.sections.len; i++) {
        Ast *section = n->switch_.sections.data[i];
        scope_push(w->s);
        small_list(w, &section->case_.stmts);
        scope_pop(w->s);
    }
}

void small_list(Small *w, AstList *stmts)
{
    AstList out = {0};
    const size_t arrays = w->arrays.len;
    for (int i = 0; i < stmts->len && w->good; i++) {
        Ast *n = stmts->data[i];
        switch (n->kind) {
        case AST_VAR_DECL: declaration(w, n, &out); continue;
        case AST_DEFINE: definition(w, n, &out); continue;
        case AST_EXPR_STMT: small_assignment(w, n, &out); continue;
        case AST_RETURN:
            if (n->return_.value) {
                returned(w, n, &out);
                continue;
            }
            break;
        case AST_BLOCK: inside(w, &stmts->data[i]); break;
        case AST_IF:
            small_number_in(w, &n->if_.cond, small_before(&out, n->if_.cond));
            inside(w, &n->if_.then);
            inside(w, &n->if_.other);
            break;
        case AST_FOR:
            if (unrolled(w, n, &out)) continue;
            loop(w, n);
            break;
        case AST_FOREACH:
        case AST_WHILE:
        case AST_DO: loop(w, n); break;
        case AST_SWITCH: sections(w, n, &out); break;
        default: ast_each_child(n, small_number, w);
        }
        code_add(w->s, &out, stmts->data[i]);
    }
    w->arrays.len = arrays;
    *stmts = out;
}
