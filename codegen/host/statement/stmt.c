/* Statements. Keeps: between statements no temporary is owned; a scope's references are released
 * wherever it is left. The loops' own code is in loop.c. */
#include "../value/value.h"

void host_stmts(HostFunc *f, AstList list)
{
    for (int i = 0; i < list.len; i++) host_stmt(f, list.data[i]);
}

static void emit_block(HostFunc *f, AstList list)
{
    size_t mark = f->scope.len;
    HostLast *last = host_last_uses(f, list);
    for (int i = 0; i < list.len; i++) {
        HostLast *around = host_last_begin(f, last, i);
        host_stmt(f, list.data[i]);
        host_last_end(f, around);
    }
    host_last_free(last);
    host_leave_scope(f, mark);
}

static void emit_effect(HostFunc *f, Ast *n)
{
    size_t mark = f->temps.len;
    host_effect(f, n);
    host_release_temps(f, mark);
}

/* Eval of several values: what is an array already is evaluated for its effects. */
static void emit_evals(HostFunc *f, Ast *n)
{
    AstList list = n->block.stmts;
    Ast **functions = arena_array(f->m->arena, Ast *, list.len);
    LLVMValueRef *values = arena_array(f->m->arena, LLVMValueRef, list.len);
    size_t mark = f->temps.len;
    int count = 0;
    for (int i = 0; i < list.len; i++) {
        Ast *value = list.data[i]->expr_stmt.expr;
        bool forced = value->kind == AST_CONVERT && value->convert.operand->type->kind == TY_FUNC;
        if (forced)
            functions[count++] = value->convert.operand;
        else
            emit_effect(f, value);
    }
    host_values(f, functions, count, values);
    LLVMValueRef args[] = {host_int(f->m, count), host_pack(f, functions, values, count)};
    host_call_runtime(f, ABI_cs_force_all, args, 2, n->loc);
    host_release_temps(f, mark);
}

static LLVMValueRef condition(HostFunc *f, Ast *n)
{
    size_t mark = f->temps.len;
    host_debug_at(f, n->loc);
    LLVMValueRef v = host_value(f, n);
    host_release_temps(f, mark);
    return v;
}

/* A new variable with its first value (NULL: none). */
static void declare(HostFunc *f, Symbol *sym, Ast *init)
{
    size_t mark = f->temps.len;
    LLVMValueRef slot = host_session_variable(f, sym), v = NULL;
    if (!slot) slot = host_variable(f, sym->type, sym->name);
    if (init) v = type_is_ref(sym->type) ? host_owned(f, init) : host_value(f, init);
    sym->host = slot;
    if (v) host_store(f, slot, v, sym->type);
    host_debug_variable(f, slot, sym, 0);
    host_release_temps(f, mark);
}

static void emit_var_decl(HostFunc *f, Ast *n)
{
    if (n->var_decl.carried) return; /* it is there */
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        Ast *d = n->var_decl.vars.data[i];
        bool kept = d->sym->kind == SYM_FIELD; /* the statement behind it sets it */
        if (d->sym->kind != SYM_CONST && !kept) declare(f, d->sym, d->declarator.init);
    }
}

static void emit_if(HostFunc *f, Ast *n)
{
    LLVMBasicBlockRef then = host_block(f, "then"), end = host_block(f, "end");
    LLVMBasicBlockRef other = n->if_.other ? host_block(f, "else") : end;
    LLVMBuildCondBr(f->m->b, condition(f, n->if_.cond), then, other);
    host_enter(f, then);
    host_stmt(f, n->if_.then);
    host_jump(f, end);
    if (n->if_.other) {
        host_enter(f, other);
        host_stmt(f, n->if_.other);
        host_jump(f, end);
    }
    host_enter(f, end);
}

/* ---- while, do, for -------------------------------------------------------------------------- */

static LLVMValueRef test_tree(HostFunc *f, void *ctx)
{
    return condition(f, ctx);
}

static LLVMValueRef test_for(HostFunc *f, void *ctx)
{
    return condition(f, ((Ast *)ctx)->for_.cond);
}

static void step_for(HostFunc *f, void *ctx)
{
    AstList list = ((Ast *)ctx)->for_.step;
    for (int i = 0; i < list.len; i++) {
        host_debug_at(f, list.data[i]->loc);
        if (list.data[i]->kind == AST_EXPR_STMT || list.data[i]->kind == AST_BLOCK)
            host_stmt(f, list.data[i]);
        else
            emit_effect(f, list.data[i]);
    }
}

static void emit_while(HostFunc *f, Ast *cond, Ast *body, bool test_last)
{
    Ast *parts[] = {cond, body};
    HostLoopCode l = {.cond = test_tree, .body = body, .ctx = cond, .test_last = test_last};
    l.parts = parts;
    l.nparts = 2;
    host_emit_loop(f, &l);
}

static void emit_for(HostFunc *f, Ast *n)
{
    size_t mark = f->scope.len;
    host_stmts(f, n->for_.init);
    int nparts = 0;
    Ast **parts = arena_array(f->m->arena, Ast *, n->for_.step.len + 2);
    parts[nparts++] = n->for_.body;
    if (n->for_.cond) parts[nparts++] = n->for_.cond;
    for (int i = 0; i < n->for_.step.len; i++) parts[nparts++] = n->for_.step.data[i];
    HostLoopCode l = {.body = n->for_.body, .ctx = n, .parts = parts, .nparts = nparts};
    if (n->for_.cond) l.cond = test_for;
    if (n->for_.step.len) l.step = step_for;
    host_emit_loop(f, &l);
    host_leave_scope(f, mark);
}

/* ---- foreach --------------------------------------------------------------------------------- */

typedef struct Each {
    Ast *n;
    LLVMTypeRef type; /* of the counter */
    LLVMValueRef counter, end;
    Symbol *array;    /* NULL: a range, whose values are the counter */
    LLVMValueRef str; /* or the characters of a string */
} Each;

static LLVMValueRef count(HostFunc *f, const Each *e)
{
    return LLVMBuildLoad2(f->m->b, e->type, e->counter, "");
}

static LLVMValueRef test_each(HostFunc *f, void *ctx)
{
    const Each *e = ctx;
    return LLVMBuildICmp(f->m->b, LLVMIntSLT, count(f, e), e->end, "");
}

static void step_each(HostFunc *f, void *ctx)
{
    const Each *e = ctx;
    LLVMValueRef next = LLVMBuildAdd(f->m->b, count(f, e), LLVMConstInt(e->type, 1, false), "");
    LLVMBuildStore(f->m->b, next, e->counter);
}

static LLVMValueRef array_item(HostFunc *f, const Each *e)
{
    HostModule *m = f->m;
    const Type *elem = e->array->type->result;
    const HostFact *fact = host_fact_of(f, e->array, false);
    LLVMValueRef data, all = NULL, array = LLVMBuildLoad2(m->b, m->ptr, e->array->host, "");
    if (fact)
        data = fact->data;
    else
        data = host_array_read_at(f, array, count(f, e), e->n->loc);
    if (type_is_record(elem)) all = e->end;
    HostElement at = {elem, data, count(f, e), all};
    if (!type_is_ref(elem)) return host_element_load(f, &at);
    LLVMValueRef v = host_load_ref(f, host_element_address(f, &at, 0), elem, e->n->loc).v;
    return host_call_runtime(f, ABI_cs_retain, &v, 1, e->n->loc);
}

static void before_each(HostFunc *f, void *ctx)
{
    Each *e = ctx;
    HostModule *m = f->m;
    Symbol *sym = e->n->sym;
    const Type *from;
    LLVMValueRef v;
    LLVMValueRef slot = host_variable(f, sym->type, sym->name);
    if (e->array) {
        from = e->array->type->result;
        v = array_item(f, e);
    } else if (e->str) {
        LLVMValueRef args[] = {e->str, count(f, e)};
        from = host_type_of_kind(m, SC_CHAR);
        v = host_call_runtime(f, ABI_cs_str_char, args, 2, e->n->loc);
    } else {
        from = host_type_of_kind(m, e->type == m->i64 ? SC_LONG : SC_INT);
        v = count(f, e);
    }
    if (from->kind == TY_SCALAR && sym->type->kind == TY_SCALAR)
        v = host_convert(f, v, from->scalar, sym->type->scalar);
    sym->host = slot;
    host_store(f, slot, v, sym->type);
    host_debug_variable(f, slot, sym, 0);
}

static void emit_each(HostFunc *f, Each *e, LLVMValueRef from)
{
    e->counter = host_alloca(f, e->type, "counter");
    LLVMBuildStore(f->m->b, from, e->counter);
    Ast *parts[] = {e->n->foreach_.body};
    HostLoopCode l = {.cond = test_each, .before = before_each, .body = e->n->foreach_.body};
    l.step = step_each;
    l.ctx = e;
    l.hidden = e->array && !type_is_ref(e->array->type->result) ? e->array : NULL;
    l.parts = parts;
    l.nparts = 1;
    host_emit_loop(f, &l);
}

static void each_range(HostFunc *f, Each *e, Ast *range)
{
    LLVMValueRef ends[2];
    size_t mark = f->temps.len;
    Ast *list[] = {range->range.lo, range->range.hi};
    host_values(f, list, 2, ends);
    const Type *t =
        range->type && type_is_functional(range->type) ? range->type->result : list[0]->type;
    for (int i = 0; i < 2; i++)
        ends[i] = host_convert(f, ends[i], list[i]->type->scalar, t->scalar);
    host_release_temps(f, mark);
    e->type = host_scalar_type(f->m, t->scalar);
    e->end = ends[1];
    emit_each(f, e, ends[0]);
}

/* The bound of a range graph: a constant or the value of a capture. */
static LLVMValueRef range_bound(HostFunc *f, const FdNode *n, LLVMValueRef *captures, ScalarKind to)
{
    ScalarKind k = n->type->scalar;
    if (n->leaf == FD_LEAF_CONST) return host_const(f->m, to, scalar_convert(n->value, k, to));
    return host_convert(f, captures[n->slot], k, to);
}

/* a..b, lowered: its bounds are at hand, so no functional value is built. */
static void each_range_graph(HostFunc *f, Each *e, Ast *seq)
{
    HostModule *m = f->m;
    const FdNode *root = fd_root(m->sema->graphs[seq->graph.graph].graph);
    AstList list = seq->graph.captures;
    LLVMValueRef *captures = arena_array(m->arena, LLVMValueRef, list.len + 1);
    size_t mark = f->temps.len;
    host_values(f, list.data, list.len, captures);
    ScalarKind k = seq->type->result->scalar;
    LLVMValueRef lo = range_bound(f, root->doms[0].lo, captures, k);
    e->end = range_bound(f, root->doms[0].hi, captures, k);
    e->type = host_scalar_type(m, k);
    host_release_temps(f, mark);
    emit_each(f, e, lo);
}

static void each_string(HostFunc *f, Each *e, Ast *seq)
{
    HostModule *m = f->m;
    LLVMValueRef slot = host_variable(f, seq->type, "seq"), s = host_owned(f, seq);
    LLVMBuildStore(m->b, s, slot);
    host_release_temps(f, 0);
    host_check_null(f, s, seq, seq->loc);
    e->str = s;
    e->type = m->i32;
    e->end = host_call_runtime(f, ABI_cs_str_length, &s, 1, seq->loc);
    emit_each(f, e, host_int(m, 0));
}

/* The array is held, so what the body assigns to its variable does not change what is iterated. */
static void each_array(HostFunc *f, Each *e, Ast *seq)
{
    HostModule *m = f->m;
    LLVMValueRef slot = host_variable(f, seq->type, "seq"), a;
    const Type *type = seq->type;
    if (type->kind == TY_ARRAY) {
        a = host_owned(f, seq);
    } else {
        LLVMValueRef fn = host_value(f, seq);
        host_check_null(f, fn, seq, seq->loc);
        a = host_call_runtime(f, ABI_cs_force, &fn, 1, seq->loc);
        type = type_array(m->sema->types, type->result, type->nparams);
    }
    LLVMBuildStore(m->b, a, slot);
    host_release_temps(f, 0);
    e->array = arena_new_of(m->arena, Symbol);
    *e->array = (Symbol){.kind = SYM_LOCAL, .name = "seq", .type = type, .host = slot};
    e->type = m->i64;
    e->end = host_array_count(f, a, type->nparams);
    emit_each(f, e, host_long(m, 0));
}

static void emit_foreach(HostFunc *f, Ast *n)
{
    Ast *seq = n->foreach_.seq;
    size_t mark = f->scope.len;
    Each e = {.n = n};
    while (seq->kind == AST_CONVERT && seq->type->kind == TY_FUNC) seq = seq->convert.operand;
    if (seq->kind == AST_RANGE)
        each_range(f, &e, seq);
    else if (host_is_range(f->m, seq))
        each_range_graph(f, &e, seq);
    else if (seq->type->kind == TY_STRING)
        each_string(f, &e, seq);
    else
        each_array(f, &e, seq);
    host_leave_scope(f, mark);
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static void emit_jump(HostFunc *f, const Ast *n)
{
    const HostLoop *l = f->loop;
    while (l && n->kind == AST_CONTINUE && !l->on_continue) l = l->outer;
    if (!l) host_bug(f->m, n, "a jump outside a loop");
    host_jump_out(f, n->kind == AST_BREAK ? l->on_break : l->on_continue, l->region, l->scope);
}

static void emit_goto(HostFunc *f, const Ast *n)
{
    const HostLoop *l = f->loop;
    while (l && !l->sections) l = l->outer;
    if (!l) host_bug(f->m, n, "a goto outside a switch");
    host_jump_out(f, l->sections[n->goto_.section], l->region, l->scope);
}

void host_stmt(HostFunc *f, Ast *n)
{
    if (host_ended(f)) return; /* cannot be reached */
    host_debug_at(f, n->loc);
    switch (n->kind) {
    case AST_BLOCK:
        if (n->block.evals)
            emit_evals(f, n);
        else
            emit_block(f, n->block.stmts);
        break;
    case AST_VAR_DECL: emit_var_decl(f, n); break;
    case AST_DEFINE: declare(f, n->sym, n->define.value); break;
    case AST_EXPR_STMT: emit_effect(f, n->expr_stmt.expr); break;
    case AST_IF: emit_if(f, n); break;
    case AST_FOR: emit_for(f, n); break;
    case AST_WHILE: emit_while(f, n->while_.cond, n->while_.body, false); break;
    case AST_DO: emit_while(f, n->do_.cond, n->do_.body, true); break;
    case AST_FOREACH: emit_foreach(f, n); break;
    case AST_BREAK:
    case AST_CONTINUE: emit_jump(f, n); break;
    case AST_GOTO: emit_goto(f, n); break;
    case AST_RETURN: host_return(f, n); break;
    case AST_SWITCH: host_switch(f, n); break;
    case AST_TRY: host_try(f, n); break;
    case AST_THROW: host_throw(f, n); break;
    case AST_TOGETHER: host_together(f, n); break;
    case AST_PUT: host_put_stmt(f, n); break;
    case AST_EMPTY: break;
    default: host_bug(f->m, n, "not a statement");
    }
}
