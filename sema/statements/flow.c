/* Control flow: a variable has a value before it is read on every path (C#'s definite assignment),
 * and a function with a result does not reach its end. A state is the set of assigned variables;
 * `dead` code has them all.
 */
#include <string.h>

#include "../check/check.h"

typedef struct State {
    uint64_t *bits;
    bool dead;
} State;

typedef struct Loop {
    State after, next; /* what break and continue bring; dead while there is none */
    struct Loop *outer;
} Loop;

typedef struct Flow {
    Sema *s;
    VEC(Symbol *) vars; /* declared without a value, and out parameters */
    size_t words, nout;
    State now;
    Loop *loop;
} Flow;

/* ---- states ----------------------------------------------------------------------------- */

static State copy(const Flow *f, State a)
{
    State c = {arena_copy(f->s->arena, a.bits, f->words * sizeof *a.bits), a.dead};
    return c;
}

static State dead(const Flow *f)
{
    State c = {arena_array(f->s->arena, uint64_t, f->words), true};
    memset(c.bits, 0xff, f->words * sizeof *c.bits);
    return c;
}

static State join(const Flow *f, State a, State b)
{
    State c = copy(f, a);
    for (size_t i = 0; i < f->words; i++) c.bits[i] &= b.bits[i];
    c.dead = a.dead && b.dead;
    return c;
}

static int index_of(const Flow *f, const Symbol *sym)
{
    for (size_t i = 0; i < f->vars.len; i++)
        if (f->vars.data[i] == sym) return (int)i;
    return -1;
}

static void set_in(const Flow *f, State *state, const Symbol *sym)
{
    int i = index_of(f, sym);
    if (i >= 0) state->bits[i / 64] |= (uint64_t)1 << (i % 64);
}

static void set(Flow *f, const Symbol *sym, bool assigned)
{
    int i = index_of(f, sym);
    if (i < 0) return;
    uint64_t bit = (uint64_t)1 << (i % 64);
    if (assigned)
        f->now.bits[i / 64] |= bit;
    else if (!f->now.dead)
        f->now.bits[i / 64] &= ~bit;
}

static bool is_set(const Flow *f, int i)
{
    return f->now.bits[i / 64] >> (i % 64) & 1;
}

static void read(Flow *f, const Ast *n)
{
    int i = index_of(f, n->sym);
    if (i < 0 || is_set(f, i)) return;
    report(f->s, n->loc, UNASSIGNED, "'%s' may be read before it has a value", n->sym->name);
    report_note(f->s, n->sym->loc, "'%s' is declared without a value here", n->sym->name);
    set(f, n->sym, true);
}

/* ---- expressions ------------------------------------------------------------------------ */

static void expr(Flow *f, Ast *n);

static void child(Ast **n, void *f)
{
    if (*n) expr(f, *n);
}

/* Splits the state by the outcome of a condition. */
static void condition(Flow *f, Ast *n, State *yes, State *no)
{
    if (n->is_const && n->type == f->s->boolean) {
        State live = copy(f, f->now);
        *yes = n->value.i ? live : dead(f);
        *no = n->value.i ? dead(f) : live;
    } else if (n->kind == AST_UNARY && n->unary.op == AST_OP_NOT && n->res == AST_RES_NONE) {
        condition(f, n->unary.operand, no, yes);
    } else if (n->kind == AST_BINARY && n->res == AST_RES_NONE &&
               (n->binary.op == AST_OP_LAND || n->binary.op == AST_OP_LOR)) {
        bool both = n->binary.op == AST_OP_LAND;
        State yes1, no1, yes2, no2;
        condition(f, n->binary.left, &yes1, &no1);
        f->now = both ? yes1 : no1;
        condition(f, n->binary.right, &yes2, &no2);
        *yes = both ? yes2 : join(f, yes1, yes2);
        *no = both ? join(f, no1, no2) : no2;
    } else {
        expr(f, n);
        *yes = copy(f, f->now);
        *no = copy(f, f->now);
        if (n->kind == AST_IS && n->sym) set_in(f, yes, n->sym);
        if (n->kind == AST_IS && n->is_.target->kind == AST_TYPE_VAR) *no = dead(f);
    }
}

static void assign(Flow *f, Ast *n)
{
    Ast *target = n->assign.target;
    bool plain = target->kind == AST_NAME_REF || target->kind == AST_DECL_EXPR;
    if (!plain || n->assign.op != AST_OP_NONE) expr(f, target);
    expr(f, n->assign.value);
    if (plain) set(f, target->sym, true);
}

static void expr(Flow *f, Ast *n)
{
    State yes, no;
    switch (n->kind) {
    case AST_NAME_REF:
        if (n->sym) read(f, n);
        break;
    case AST_ASSIGN: assign(f, n); break;
    case AST_UNARY:
        if (n->unary.op == AST_OP_OUT &&
            (n->unary.operand->kind == AST_NAME_REF || n->unary.operand->kind == AST_DECL_EXPR))
            set(f, n->unary.operand->sym, true);
        else
            expr(f, n->unary.operand);
        break;
    case AST_THROW:
        expr(f, n->throw_.value);
        f->now = dead(f);
        break;
    case AST_BINARY:
        if (n->binary.op == AST_OP_COALESCE) {
            expr(f, n->binary.left);
            State left = copy(f, f->now);
            expr(f, n->binary.right);
            f->now = join(f, left, f->now);
            break;
        }
        if (n->res != AST_RES_NONE || (n->binary.op != AST_OP_LAND && n->binary.op != AST_OP_LOR)) {
            ast_each_child(n, child, f);
            break;
        }
        condition(f, n, &yes, &no);
        f->now = join(f, yes, no);
        break;
    case AST_COND: {
        condition(f, n->cond.cond, &yes, &no);
        f->now = yes;
        expr(f, n->cond.then);
        State then = f->now;
        f->now = no;
        expr(f, n->cond.other);
        f->now = join(f, then, f->now);
        break;
    }
    default: ast_each_child(n, child, f); break;
    }
}

/* ---- statements ------------------------------------------------------------------------- */

static void stmt(Flow *f, Ast *n);

static void stmts(Flow *f, const AstList *list)
{
    for (int i = 0; i < list->len; i++) stmt(f, list->data[i]);
}

static void body(Flow *f, Ast *n, Loop *loop)
{
    *loop = (Loop){dead(f), dead(f), f->loop};
    f->loop = loop;
    stmt(f, n);
    f->loop = loop->outer;
}

static void loop_while(Flow *f, Ast *cond, Ast *inner, const AstList *step)
{
    State yes = f->now, no = dead(f);
    Loop loop;
    if (cond) condition(f, cond, &yes, &no);
    f->now = yes;
    body(f, inner, &loop);
    f->now = join(f, f->now, loop.next);
    if (step) stmts(f, step);
    f->now = join(f, no, loop.after);
}

static void loop_do(Flow *f, Ast *n)
{
    State yes, no;
    Loop loop;
    body(f, n->do_.body, &loop);
    f->now = join(f, f->now, loop.next);
    condition(f, n->do_.cond, &yes, &no);
    f->now = join(f, no, loop.after);
}

/* Sections begin where the value is known; their end is not reached. */
static void end_section(Flow *f, Loc loc)
{
    if (f->now.dead) return;
    report(f->s, loc, SWITCH,
           "a case ends with break, return, throw or continue: it does "
           "not run into the next one");
    f->now = dead(f);
}

static void flow_switch(Flow *f, Ast *n)
{
    Loop sw = {dead(f), dead(f), f->loop};
    bool all = false;
    expr(f, n->switch_.value);
    State before = copy(f, f->now);
    f->loop = &sw;
    for (int i = 0; i < n->switch_.sections.len; i++) {
        Ast *section = n->switch_.sections.data[i];
        if (section->kind != AST_CASE) continue;
        for (int k = 0; k < section->case_.labels.len; k++)
            all = all || section->case_.labels.data[k]->kind == AST_DEFAULT_LABEL;
        f->now = copy(f, before);
        stmts(f, &section->case_.stmts);
        end_section(f, section->loc);
    }
    f->loop = sw.outer;
    if (f->loop) f->loop->next = join(f, f->loop->next, sw.next); /* continue is the loop's */
    f->now = all ? sw.after : join(f, sw.after, before);
}

/* A catch may begin after any part of the try; finally runs on all paths. */
static void flow_try(Flow *f, Ast *n)
{
    State before = copy(f, f->now);
    stmt(f, n->try_.body);
    State after = f->now;
    for (int i = 0; i < n->try_.catches.len; i++) {
        Ast *c = n->try_.catches.data[i];
        if (c->kind != AST_CATCH) continue;
        f->now = copy(f, before);
        if (c->catch_.filter) {
            State yes, no; /* what the filter's patterns declare has a value in the body */
            condition(f, c->catch_.filter, &yes, &no);
            f->now = yes;
        }
        stmt(f, c->catch_.body);
        after = join(f, after, f->now);
    }
    if (n->try_.finally_) {
        f->now = copy(f, before);
        stmt(f, n->try_.finally_);
        for (size_t i = 0; i < f->words; i++) after.bits[i] |= f->now.bits[i];
        after.dead = after.dead || f->now.dead;
    }
    f->now = after;
}

static void leave_function(Flow *f, Loc loc)
{
    for (size_t i = 0; i < f->nout; i++) {
        if (is_set(f, (int)i)) continue;
        report(f->s, loc, UNASSIGNED,
               "the out parameter '%s' has no value when the function returns",
               f->vars.data[i]->name);
        set(f, f->vars.data[i], true);
    }
}

static void declare(Flow *f, Ast *n)
{
    if (n->var_decl.carried) return; /* it has its value */
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        Ast *v = n->var_decl.vars.data[i];
        if (v->kind != AST_DECLARATOR) continue;
        if (v->declarator.init)
            expr(f, v->declarator.init);
        else
            set(f, v->sym, false);
    }
}

static void stmt(Flow *f, Ast *n)
{
    State yes, no;
    switch (n->kind) {
    case AST_BLOCK:
        stmts(f, &n->block.stmts);
        if (n->block.section) end_section(f, n->loc);
        break;
    case AST_VAR_DECL: declare(f, n); break;
    case AST_IF:
        condition(f, n->if_.cond, &yes, &no);
        f->now = yes;
        stmt(f, n->if_.then);
        yes = f->now;
        f->now = no;
        if (n->if_.other) stmt(f, n->if_.other);
        f->now = join(f, yes, f->now);
        break;
    case AST_FOR:
        stmts(f, &n->for_.init);
        loop_while(f, n->for_.cond, n->for_.body, &n->for_.step);
        break;
    case AST_WHILE: loop_while(f, n->while_.cond, n->while_.body, NULL); break;
    case AST_DO: loop_do(f, n); break;
    case AST_FOREACH: {
        Loop loop;
        expr(f, n->foreach_.seq);
        State before = copy(f, f->now);
        body(f, n->foreach_.body, &loop);
        f->now = before;
        break;
    }
    case AST_SWITCH: flow_switch(f, n); break;
    case AST_TRY: flow_try(f, n); break;
    case AST_THROW:
        if (n->throw_.value) expr(f, n->throw_.value);
        f->now = dead(f);
        break;
    case AST_BREAK:
        f->loop->after = join(f, f->loop->after, f->now);
        f->now = dead(f);
        break;
    case AST_CONTINUE:
        f->loop->next = join(f, f->loop->next, f->now);
        f->now = dead(f);
        break;
    case AST_GOTO: f->now = dead(f); break; /* what is set there is so before the switch */
    case AST_RETURN:
        if (n->return_.value) expr(f, n->return_.value);
        leave_function(f, n->loc);
        f->now = dead(f);
        break;
    default: ast_each_child(n, child, f); break;
    }
}

/* ---- writes into copies ----------------------------------------------------------------- */

typedef struct Writes {
    const Symbol *param;
    const Ast *first; /* the first element written */
    bool read;
} Writes;

static bool is_element(const Writes *w, const Ast *n)
{
    return n->kind == AST_INDEX && n->index.base->sym == w->param;
}

static void find_writes(Ast **slot, void *ctx)
{
    Writes *w = ctx;
    Ast *n = *slot;
    if (n->kind == AST_NAME_REF && n->sym == w->param) w->read = true;
    if (n->kind == AST_MEMBER && n->member.base->sym == w->param) return; /* a.Length */
    AstList several = {0};
    if (n->kind == AST_ASSIGN && n->assign.target->kind == AST_TUPLE)
        several = n->assign.target->tuple.items;
    for (int i = 0; i < several.len && !w->first; i++)
        if (is_element(w, several.data[i])) w->first = several.data[i];
    if (n->kind == AST_INCDEC && !w->first && is_element(w, n->incdec.target))
        w->first = n->incdec.target;
    if (n->kind != AST_ASSIGN || !is_element(w, n->assign.target)) {
        ast_each_child(n, find_writes, w);
        return;
    }
    Ast *target = n->assign.target;
    if (!w->first) w->first = target;
    for (int i = 0; i < target->index.args.len; i++) find_writes(&target->index.args.data[i], w);
    find_writes(&n->assign.value, w);
}

/* An array that came by value, is written and never read, or is written by a function that gives nothing, as C# programs
 * do that change the caller's (`void Swap(int[] a, int i, int j)`): the caller sees nothing of it. */
static void warn_lost_writes(Sema *s, const Ast *param, const AstList *list, const Type *ret)
{
    Writes w = {.param = param->sym};
    if (!w.param || !w.param->assigned_again || w.param->mode != AST_OP_BY_VALUE ||
        w.param->type->kind != TY_ARRAY)
        return;
    for (int i = 0; i < list->len; i++) find_writes(&list->data[i], &w);
    if (!w.first || (w.read && ret->kind != TY_VOID)) return;
    report(s, w.first->loc, UNUSED_WRITE, "'%s' is a copy: what is written here is %s",
           w.param->name, w.read ? "the function's own" : "lost");
    report_note(s, w.param->loc, "pass it by reference to change the caller's array: ref %s",
                w.param->name);
}

/* ---- one function ----------------------------------------------------------------------- */

static void find_vars(Ast **slot, void *ctx)
{
    Flow *f = ctx;
    Ast *n = *slot;
    if (!n || (n->kind == AST_VAR_DECL && n->var_decl.carried)) return;
    bool later = (n->kind == AST_DECLARATOR && !n->declarator.init) || n->kind == AST_IS ||
                 n->kind == AST_DECL_EXPR;
    if (later && n->sym) vec_push(&f->vars, n->sym);
    ast_each_child(n, find_vars, f);
}

void flow_check(Sema *s, Ast *owner, const AstList *params, AstList *list, const Type *ret,
                const char *name)
{
    Flow f = {.s = s};
    for (int i = 0; params && i < params->len; i++)
        if (params->data[i]->sym && params->data[i]->sym->mode == AST_OP_OUT)
            vec_push(&f.vars, params->data[i]->sym);
    f.nout = f.vars.len;
    for (int i = 0; i < list->len; i++) find_vars(&list->data[i], &f);
    f.words = f.vars.len / 64 + 1;
    f.now.bits = arena_array(s->arena, uint64_t, f.words);
    stmts(&f, list);
    if (!f.now.dead && name) {
        Loc end = owner->func.body->loc;
        end.begin = end.end - 1;
        if (ret->kind != TY_VOID)
            report(s, end, MISSING_RETURN, "not every path of '%s' returns a value", name);
        else
            leave_function(&f, end);
    }
    vec_free(&f.vars);
    for (int i = 0; params && i < params->len; i++) warn_lost_writes(s, params->data[i], list, ret);
}
