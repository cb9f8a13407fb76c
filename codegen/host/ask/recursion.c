/* Which functions may call themselves, directly or through others. Those look at the stack when
 * they begin (emitted by host_check_stack), so that running out of it is an exception with the C$
 * lines, whatever LLVM makes of the calls. A graph of calls, in which one node stands for all code
 * that calls what is not known here: through tables, functional values, the runtime. From it every
 * function is reached that can be called so. Functions that nobody in the graph calls, or that call
 * nobody in it, leave it until none does; the rest is the cycles, and what lies between two. Errs
 * on the safe side. */
#include <string.h>

#include "../value/value.h"

enum { ANYONE = -1 };

typedef struct Call {
    int from, to; /* in HostModule.funcs, or ANYONE */
} Call;

typedef struct Scan {
    const HostModule *m;
    VEC(Call) calls;
    int from;
} Scan;

static void add(Scan *s, int from, int to)
{
    Call c = {from, to};
    if (s->calls.len && memcmp(&vec_last(&s->calls), &c, sizeof c) == 0) return;
    vec_push(&s->calls, c);
}

static bool is_function(const Scan *s, const Symbol *sym)
{
    return sym && sym->kind == SYM_FUNC && host_find_func(s->m, sym);
}

static int index_of(const Scan *s, const Symbol *sym)
{
    return (int)(host_func_info(s->m, sym) - s->m->funcs);
}

static void add_call(Scan *s, const Symbol *sym)
{
    if (!is_function(s, sym)) return;
    const Symbol *target = host_target(s->m, sym, false);
    add(s, s->from, index_of(s, sym)); /* base.M() too */
    add(s, s->from, target ? index_of(s, target) : ANYONE);
}

/* Is the text of such values made by user code? */
static void visit_text(Ast **child, void *ctx)
{
    bool *found = ctx;
    const Type *t = *child ? (*child)->type : NULL;
    while (t && (t->kind == TY_ARRAY || t->kind == TY_FUNC)) t = t->result;
    *found = *found || (t && (t->kind == TY_OBJECT || type_is_record(t)));
}

/* Does n evaluate or apply functional values, or make text of values? */
static bool runs_anything(Ast *n)
{
    const Symbol *sym = n->sym;
    if (n->kind == AST_GRAPH || (n->type && n->type->kind == TY_FUNC)) return true;
    bool field = n->kind == AST_MEMBER && sym && sym->kind == SYM_FIELD;
    bool made = n->kind == AST_HOLE || (n->kind == AST_CALL && sym && sym->kind == SYM_BUILTIN) ||
                (!field && n->type && n->type->kind == TY_STRING);
    bool text = false;
    if (made) ast_each_child(n, visit_text, &text);
    return text;
}

/* What code that is not known may call. */
static void add_anyone(Scan *s, const Symbol *sym)
{
    if (is_function(s, sym)) add(s, ANYONE, index_of(s, sym));
}

static void visit(Ast **child, void *ctx)
{
    Scan *s = ctx;
    Ast *n = *child;
    if (!n) return;
    if (n->sym && n->sym->kind == SYM_PROPERTY) {
        add_call(s, n->sym->get);
        add_call(s, n->sym->set);
    }
    add_call(s, n->sym);
    bool called = n->kind == AST_CALL && n->res == AST_RES_NONE;
    const Ast *callee = called ? n->call.callee : NULL;
    if (callee && is_function(s, callee->sym)) {
        add_call(s, callee->sym);
        if (callee->kind == AST_MEMBER) visit(&n->call.callee->member.base, s);
        for (int i = 0; i < n->call.args.len; i++) visit(&n->call.args.data[i], s);
        return;
    }
    bool value = n->kind == AST_CLOSURE || n->kind == AST_NAME_REF || n->kind == AST_MEMBER;
    if (value) add_anyone(s, n->sym);
    if (runs_anything(n)) add(s, s->from, ANYONE);
    ast_each_child(n, visit, s);
}

static void scan_function(Scan *s, int i)
{
    HostFuncInfo *info = &s->m->funcs[i];
    s->from = i;
    visit(&info->sym->decl->func.body, s);
}

/* Takes out of the graph what is in no cycle. */
static void peel(const Scan *s, bool *in)
{
    int n = s->m->nfuncs; /* the place of ANYONE */
    bool *calls = arena_array(s->m->arena, bool, n + 1),
         *called = arena_array(s->m->arena, bool, n + 1);
    for (bool changed = true; changed;) {
        changed = false;
        memset(calls, 0, (size_t)n + 1);
        memset(called, 0, (size_t)n + 1);
        for (size_t i = 0; i < s->calls.len; i++) {
            int from = s->calls.data[i].from, to = s->calls.data[i].to;
            if (from == ANYONE) from = n;
            if (to == ANYONE) to = n;
            if (in[from] && in[to]) calls[from] = called[to] = true;
        }
        for (int i = 0; i <= n; i++)
            if (in[i] && !(calls[i] && called[i])) {
                in[i] = false;
                changed = true;
            }
    }
}

void host_find_recursion(HostModule *m)
{
    Scan s = {.m = m};
    bool *in = arena_array(m->arena, bool, m->nfuncs + 1);
    for (int i = 0; i < m->nfuncs; i++) scan_function(&s, i);
    for (int i = 0; i < m->sema->nhost_users; i++) add_anyone(&s, m->sema->host_users[i]);
    for (int i = 0; i < m->sema->nclasses; i++) {
        const Class *c = m->sema->classes[i];
        for (int k = 0; k < c->nslots; k++) add_anyone(&s, c->slots[k]);
        for (int k = 0; k < c->nimpls; k++)
            if (c->impls[k].with->used) add_anyone(&s, c->impls[k].with);
        add_anyone(&s, c->invoke);
        add_anyone(&s, c->lower);
        add_anyone(&s, c->upper);
        add_anyone(&s, c->block);
    }
    memset(in, true, (size_t)m->nfuncs + 1);
    peel(&s, in);
    for (int i = 0; i < m->nfuncs; i++) m->funcs[i].recurs = in[i] && m->funcs[i].body;
    vec_free(&s.calls);
}

/* The address of a variable tells how deep the stack is; that it is looked at keeps LLVM from
 * making loops of calls, which would never end. */
void host_check_stack(HostFunc *f, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef at = host_long(m, -2); /* of a coroutine, which is elsewhere: only below ^C */
    if (!f->coroutine) at = LLVMBuildPtrToInt(m->b, host_alloca(f, m->i8, "here"), m->i64, "");
    LLVMValueRef limit = LLVMBuildLoad2(m->b, m->i64, m->stack_limit, "limit");
    LLVMSetVolatile(limit, m->options->stops); /* a signal sets it */
    LLVMBasicBlockRef deep = host_block(f, "deep"), next = host_block(f, "begin");
    host_attribute_value(m, f->fn, "disable-tail-calls", "true");
    host_branch_cold(f, LLVMBuildICmp(m->b, LLVMIntULT, at, limit, ""), deep, next);
    host_enter(f, deep);
    host_call_runtime(f, ABI_cs_throw_stack, NULL, 0, loc);
    host_jump(f, host_unwind(f));
    host_enter(f, next);
}
