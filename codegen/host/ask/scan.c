/* Questions about annotated trees that are asked before code is made for them: what throws, what is
 * assigned, which loops touch their arrays by element only. Answers err on the safe side. Recursion
 * follows the tree, whose depth the parser bounds. */
#include <string.h>

#include "../value/value.h"

Ast *host_strip_mode(Ast *n)
{
    bool mode = n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT);
    return mode ? n->unary.operand : n;
}

static bool has_mode(const Ast *n)
{
    return n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT);
}

static const Symbol *callee_of(const Ast *n)
{
    if (n->sym) return n->sym;
    return n->kind == AST_CALL ? n->call.callee->sym : NULL;
}

/* The variable whose value an assignment to n changes: not that of an object. */
static const Symbol *root(const Ast *n)
{
    for (;;) {
        if (n->sym && n->sym->kind == SYM_PROPERTY) return NULL;
        const Ast *base = n->kind == AST_INDEX    ? n->index.base
                          : n->kind == AST_MEMBER ? n->member.base
                                                  : NULL;
        if (!base) return n->kind == AST_NAME_REF ? n->sym : NULL;
        if (!base->type || base->type->kind == TY_OBJECT) return NULL;
        n = base;
    }
}

static bool is_bound(const FdNode *n)
{
    return n->kind == FD_SCALAR && (n->leaf == FD_LEAF_CONST || n->leaf == FD_LEAF_SLOT);
}

bool host_is_range(const HostModule *m, const Ast *n)
{
    if (n->kind != AST_GRAPH || n->type->kind != TY_FUNC || n->type->nparams != 1) return false;
    const FdNode *root = fd_root(m->sema->graphs[n->graph.graph].graph);
    return root->kind == FD_LET && root->nvars == 1 && root->body == root->vars[0] &&
           root->doms[0].kind == FD_DOM_GIVEN && is_bound(root->doms[0].lo) &&
           is_bound(root->doms[0].hi);
}

/* ---- what throws ----------------------------------------------------------------------------- */

typedef struct Throws {
    const HostModule *m;
    bool found;
} Throws;

static bool divides(const Ast *n, AstOp op, const Ast *right)
{
    if (op != AST_OP_DIV && op != AST_OP_REM) return false;
    const Type *t = n->type;
    if (t && t->kind == TY_SCALAR && scalar_is_real(t->scalar)) return false;
    return !right->is_const || right->value.i == 0;
}

static bool row_throws(const Ast *n, const Symbol *sym)
{
    const Builtin *row = &builtins[sym->builtin];
    if (strpbrk(row->signature + 1, "sz")) return true; /* of null */
    if (row->runtime == ABI_NONE) return row->op == FD_OP_NONE && !n->is_const;
    if (strchr(row->signature, '*')) return true; /* makes a text */
    return host_abi_throws(row->runtime);
}

bool host_may_be_null(const Ast *n)
{
    if (!n || !n->type) return false;
    if (n->type->kind == TY_STRING)
        return n->kind != AST_STRING_LIT && n->kind != AST_INTERP &&
               (n->kind != AST_BINARY || n->binary.op != AST_OP_ADD);
    if (n->type->kind == TY_FUNC) return n->kind != AST_CLOSURE && n->kind != AST_GRAPH;
    return n->type->kind == TY_OBJECT && n->kind != AST_THIS && n->kind != AST_BASE &&
           n->kind != AST_NEW;
}

bool host_call_throws(const HostModule *m, const Symbol *sym, bool direct)
{
    const Symbol *target = host_target(m, sym, direct);
    return !target || host_func_info(m, target)->throws;
}

static bool call_throws(const HostModule *m, const Ast *n, const Symbol *sym)
{
    if (n->kind == AST_NEW && !type_is_record(n->type)) return true;
    const Ast *callee = n->kind == AST_CALL ? n->call.callee : NULL,
              *base = callee && callee->kind == AST_MEMBER ? callee->member.base : NULL;
    if (base && sym->self && host_may_be_null(base)) return true;
    return host_call_throws(m, sym, base && base->kind == AST_BASE);
}

static bool field_throws(const Ast *n, const Symbol *field)
{
    /* an array is made when it is first looked at */
    if (field->type->kind == TY_ARRAY) return true;
    return !(field->mods & AST_MOD_STATIC) && host_may_be_null(n->member.base);
}

static bool throws_itself(const HostModule *m, const Ast *n)
{
    const Symbol *sym = callee_of(n);
    switch (n->kind) {
    case AST_NAME_REF: return sym && sym->kind == SYM_FIELD && sym->type->kind == TY_ARRAY;
    case AST_DEFAULT: return n->type->kind == TY_ARRAY;
    case AST_GRAPH: return !m->sema->graphs[n->graph.graph].arithmetic;
    case AST_INDEX:
    case AST_NEW_ARRAY:
    case AST_INIT_LIST:
    case AST_CLOSURE:
    case AST_THROW:
    case AST_INTERP: return true;
    case AST_CALL:
    case AST_NEW:
    case AST_MEMBER:
        if (n->res != AST_RES_NONE) return true;
        if (sym && sym->kind == SYM_FIELD) return field_throws(n, sym);
        if (sym && sym->kind == SYM_FUNC) return call_throws(m, n, sym);
        if (sym && sym->kind == SYM_BUILTIN) return row_throws(n, sym);
        return n->kind != AST_MEMBER || (sym && sym->kind == SYM_PROPERTY);
    case AST_BINARY:
        return divides(n, n->binary.op, n->binary.right) || n->type->kind == TY_STRING ||
               type_is_functional(n->type); /* f + g, f ?? g */
    case AST_ASSIGN:
        return divides(n, n->assign.op, n->assign.value) || sym ||
               (n->assign.op != AST_OP_NONE && n->type && n->type->kind == TY_STRING);
    case AST_INCDEC: return sym && sym->kind == SYM_FUNC;
    case AST_CONVERT:
        return n->type->kind != TY_SCALAR && n->convert.operand->type->kind != TY_NULL &&
               !(n->type->kind == TY_OBJECT);
    case AST_CAST: return n->type->kind != TY_SCALAR;
    case AST_FOREACH:
        return !host_is_range(m, n->foreach_.seq); /* elements may come from a device */
    default: return false;
    }
}

static void visit_throws(Ast **child, void *ctx)
{
    Throws *t = ctx;
    Ast *n = *child;
    if (!n || t->found || n->is_const) return;
    if (n->kind == AST_FOREACH && host_is_range(t->m, n->foreach_.seq)) {
        ast_each_child(n->foreach_.seq, visit_throws, ctx); /* the graph itself is not built */
        visit_throws(&n->foreach_.body, ctx);
        return;
    }
    t->found = throws_itself(t->m, n);
    if (!t->found) ast_each_child(n, visit_throws, ctx);
}

/* ---- what is assigned ------------------------------------------------------------------------ */

/* A call of $Begin or $Yield? */
static bool is_library(const Ast *n, LibName name)
{
    const Symbol *sym = n->kind == AST_CALL ? callee_of(n) : NULL;
    return sym && sym->kind == SYM_BUILTIN &&
           builtin_is(&builtins[sym->builtin], SPACE_global, name);
}

static void add_written(HostFuncInfo *info, const Ast *target)
{
    const Symbol *sym = root(target);
    if (!sym || sym->kind != SYM_PARAM || !type_is_ref(sym->type)) return;
    for (size_t i = 0; i < info->written.len; i++)
        if (info->written.data[i] == sym) return;
    vec_push(&info->written, sym);
}

static void visit_written(Ast **child, void *ctx)
{
    Ast *n = *child;
    if (!n) return;
    if (n->kind == AST_ASSIGN) add_written(ctx, n->assign.target);
    if (n->kind == AST_INCDEC) add_written(ctx, n->incdec.target);
    if (has_mode(n)) add_written(ctx, n->unary.operand);
    if (is_library(n, LIB_Begin)) ((HostFuncInfo *)ctx)->yields = true;
    ast_each_child(n, visit_written, ctx);
}

void host_scan_functions(HostModule *m)
{
    for (int i = 0; i < m->nfuncs; i++) {
        visit_written(&m->funcs[i].sym->decl->func.body, &m->funcs[i]);
        m->funcs[i].throws = m->funcs[i].recurs || m->options->stops; /* loops look for ^C */
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < m->nfuncs; i++) {
            Throws t = {m, false};
            if (!m->funcs[i].throws) visit_throws(&m->funcs[i].sym->decl->func.body, &t);
            if (t.found) m->funcs[i].throws = changed = true;
        }
    }
}

static void visit_args(Ast **child, void *ctx)
{
    Symbol **found = ctx;
    Ast *n = *child;
    if (!n || *found) return;
    if (n->kind == AST_NAME_REF && n->sym && !n->sym->decl && n->sym->type &&
        (n->sym->kind == SYM_LOCAL || n->sym->kind == SYM_PARAM))
        *found = n->sym;
    ast_each_child(n, visit_args, ctx);
}

Symbol *host_scan_args(AstList stmts)
{
    Symbol *found = NULL;
    for (int i = 0; i < stmts.len; i++) visit_args(&stmts.data[i], &found);
    return found;
}

static void visit_assign(Ast **child, void *ctx)
{
    bool *found = ctx;
    Ast *n = *child;
    if (!n || *found) return;
    if (n->kind == AST_ASSIGN) {
        const Ast *t = n->assign.target;
        *found = t->kind != AST_NAME_REF || type_is_ref(t->type);
    }
    if (n->kind == AST_INCDEC) *found = n->incdec.target->kind != AST_NAME_REF;
    if (has_mode(n) || (n->kind == AST_IS && n->sym)) *found = true;
    ast_each_child(n, visit_assign, ctx);
}

bool host_may_assign(const Ast *n)
{
    bool found = false;
    Ast *tree = (Ast *)n;
    visit_assign(&tree, &found);
    return found;
}

bool host_is_chain(const Ast *n)
{
    while (n->kind == AST_MEMBER && n->sym && n->sym->kind == SYM_FIELD) {
        if (n->res != AST_RES_NONE) return false;
        if (n->sym->mods & AST_MOD_STATIC) return true;
        n = n->member.base;
    }
    return n->kind == AST_NAME_REF || n->kind == AST_THIS;
}

static void visit_plain(Ast **child, void *ctx)
{
    bool *plain = ctx;
    Ast *n = *child;
    if (!n || !*plain || n->is_const) return;
    switch (n->kind) {
    case AST_INT_LIT:
    case AST_REAL_LIT:
    case AST_BOOL_LIT:
    case AST_CHAR_LIT:
    case AST_THIS:
    case AST_NAME_REF: return;
    case AST_UNARY:
    case AST_BINARY:
    case AST_COND:
    case AST_CAST:
    case AST_CONVERT: *plain = n->type->kind == TY_SCALAR && !has_mode(n); break;
    case AST_INDEX:
        *plain = host_is_chain(n->index.base) && !n->sym && type_is_value(n->type);
        break;
    case AST_MEMBER: *plain = host_is_chain(n) && type_is_value(n->type); return;
    case AST_CALL: {
        const Symbol *sym = callee_of(n);
        *plain = n->res == AST_RES_NONE && sym && sym->kind == SYM_BUILTIN &&
                 builtins[sym->builtin].op != FD_OP_NONE && n->type->kind == TY_SCALAR;
        break;
    }
    default: *plain = false; break;
    }
    if (*plain) ast_each_child(n, visit_plain, ctx);
}

bool host_is_plain(const Ast *n)
{
    bool plain = true;
    Ast *tree = (Ast *)n;
    visit_plain(&tree, &plain);
    return plain;
}

/* ---- loops ----------------------------------------------------------------------------------- */

enum { MAX_FACTS = 8, MAX_NODES = 400 };

typedef struct LoopScan {
    const HostModule *m;
    HostFacts *facts;
    bool ok;
    bool calls; /* it runs user code, or changes fields */
    int nodes;
    bool binds; /* it sets variables in ways that are not looked at */
    VEC(const Symbol *) set;
} LoopScan;

static void visit_loop(Ast **child, void *ctx);

static void use(LoopScan *s, const Symbol *sym, bool write)
{
    for (size_t i = 0; i < s->facts->len; i++)
        if (s->facts->data[i].sym == sym) {
            s->facts->data[i].write |= write;
            return;
        }
    if (s->facts->len == MAX_FACTS) {
        s->ok = false;
        return;
    }
    HostFact fact = {.sym = sym, .write = write};
    vec_push(s->facts, fact);
}

/* Such a variable is an index: it may be one for the whole loop. */
static void note_index(LoopScan *s, const Symbol *array, int d, const Ast *n)
{
    if (n->kind != AST_NAME_REF || !n->sym || !n->type || n->type->kind != TY_SCALAR ||
        n->type->scalar != SC_INT || (n->sym->kind != SYM_LOCAL && n->sym->kind != SYM_PARAM))
        return;
    for (size_t i = 0; i < s->facts->len; i++) {
        HostFact *fact = &s->facts->data[i];
        for (int k = 0; fact->sym == array && k < HOST_MAX_KNOWN; k++) {
            if (fact->known[d][k] && fact->known[d][k] != n->sym) continue;
            fact->known[d][k] = n->sym;
            break;
        }
    }
}

/* What the loop sets. */
static void note_set(LoopScan *s, const Ast *n)
{
    const Ast *target = n->kind == AST_ASSIGN   ? n->assign.target
                        : n->kind == AST_INCDEC ? n->incdec.target
                                                : NULL;
    if (target && target->kind == AST_NAME_REF)
        vec_push(&s->set, target->sym);
    else if (n->kind == AST_DECLARATOR)
        vec_push(&s->set, n->sym);
    else if (target && target->kind != AST_INDEX && target->kind != AST_MEMBER)
        s->binds = true;
    if (n->kind == AST_FOREACH || n->kind == AST_IS || n->kind == AST_SWITCH ||
        n->kind == AST_TRY || n->kind == AST_CLOSURE || has_mode(n))
        s->binds = true;
}

/* Only those stay known that the loop leaves alone. */
static void drop_set(LoopScan *s)
{
    for (size_t i = 0; i < s->facts->len; i++)
        for (int d = 0; d < CS_MAX_RANK; d++)
            for (int k = 0; k < HOST_MAX_KNOWN; k++) {
                const Symbol **known = &s->facts->data[i].known[d][k];
                bool set = s->binds || s->calls;
                for (size_t j = 0; j < s->set.len; j++) set = set || s->set.data[j] == *known;
                if (set) *known = NULL;
            }
}

static bool is_array_variable(const Ast *n)
{
    return n->kind == AST_NAME_REF && n->sym && n->type && n->type->kind == TY_ARRAY &&
           type_is_value(n->type->result) &&
           (n->sym->kind == SYM_LOCAL || n->sym->kind == SYM_PARAM);
}

/* An access to an element of a variable: notes it and visits the indices only. */
static bool element(LoopScan *s, Ast *n, bool write)
{
    Ast *base = n->kind == AST_INDEX ? n->index.base : n->kind == AST_CALL ? n->call.callee : NULL;
    if (!base || !is_array_variable(base) || (n->kind == AST_CALL && n->res != AST_RES_APPLY))
        return false;
    if (type_is_functional(n->type)) { /* a slice */
        s->ok = false;
        return true;
    }
    use(s, base->sym, write);
    AstList args = n->kind == AST_INDEX ? n->index.args : n->call.args;
    for (int i = 0; i < args.len; i++) {
        note_index(s, base->sym, i, args.data[i]);
        visit_loop(&args.data[i], s);
    }
    return true;
}

/* a.Length, a.GetLength(d): what a loop asks of an array without taking it. */
static bool size_query(LoopScan *s, Ast *n)
{
    Ast *member = n->kind == AST_CALL ? n->call.callee : n;
    const Symbol *sym = callee_of(n);
    if (member->kind != AST_MEMBER || !sym || sym->kind != SYM_BUILTIN) return false;
    if (!is_array_variable(member->member.base)) return false;
    if (builtins[sym->builtin].name == LIB_Domain) return false;
    if (n->kind == AST_CALL)
        for (int i = 0; i < n->call.args.len; i++) visit_loop(&n->call.args.data[i], s);
    return true;
}

static void visit_loop(Ast **child, void *ctx)
{
    LoopScan *s = ctx;
    Ast *n = *child;
    if (!n || !s->ok) return;
    if (++s->nodes > MAX_NODES) {
        s->ok = false;
        return;
    }
    if (n->is_const) return;
    note_set(s, n);
    bool call = n->kind == AST_CALL || n->kind == AST_NEW || n->kind == AST_MEMBER;
    if (call && n->sym && n->sym->kind != SYM_BUILTIN && n->sym->kind != SYM_CONST) s->calls = true;
    if (is_library(n, LIB_Yield)) s->calls = true;
    if (n->kind == AST_ASSIGN && element(s, n->assign.target, true)) {
        visit_loop(&n->assign.value, s);
        return;
    }
    if (n->kind == AST_INCDEC && element(s, n->incdec.target, true)) return;
    if (element(s, n, false) || size_query(s, n)) return;
    if (n->kind == AST_CALL && n->res == AST_RES_NONE && callee_of(n)) { /* its name is no value */
        Ast *callee = n->call.callee;
        if (callee->kind == AST_MEMBER) visit_loop(&callee->member.base, s);
        for (int i = 0; i < n->call.args.len; i++) visit_loop(&n->call.args.data[i], s);
        if (n->type && type_is_functional(n->type)) s->ok = false;
        return;
    }
    if (n->kind == AST_FOREACH && host_is_range(s->m, n->foreach_.seq)) {
        AstList captures = n->foreach_.seq->graph.captures;
        for (int i = 0; i < captures.len; i++) visit_loop(&captures.data[i], s);
        visit_loop(&n->foreach_.body, s);
        return;
    }
    if (n->kind == AST_MEMBER && n->sym && n->sym->kind == SYM_FIELD) { /* not one of the arrays */
        visit_loop(&n->member.base, s);
        return;
    }
    bool is_expr = n->kind >= AST_INT_LIT && n->kind <= AST_GRAPH;
    if (n->kind == AST_DEFINE || (is_expr && n->type && type_is_functional(n->type))) {
        s->ok = false; /* arrays and functions as values */
        return;
    }
    ast_each_child(n, visit_loop, ctx);
}

bool host_scan_loop(const HostModule *m, Ast *const *parts, int nparts, const Symbol *hidden,
                    HostFacts *facts)
{
    LoopScan s = {.m = m, .facts = facts, .ok = true};
    if (hidden) use(&s, hidden, false);
    for (int i = 0; i < nparts; i++) {
        Ast *part = parts[i];
        visit_loop(&part, &s);
    }
    for (size_t i = 0; i < facts->len; i++) /* a caller's variable may be known to others */
        if (facts->data[i].sym->mode != AST_OP_NONE && facts->data[i].sym->mode != AST_OP_BY_VALUE)
            s.ok = s.ok && !s.calls;
    drop_set(&s);
    vec_free(&s.set);
    return s.ok && facts->len > 0;
}
