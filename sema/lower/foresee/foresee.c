/* Which evaluations will the program make? Host code is walked in the order in which it runs: what it
 * calls is followed with the values of its arguments, loops
 * until their variables share values as they did the time before (`before = now; now = next`). A value
 * is an array, a graph over values, or unknown (known.h). Where a known value is converted to an
 * array, or a scalar graph is evaluated, its graph is composed as the runtime does it
 * (fdag/compose/composition.h), so that it has the same key. A wrong guess costs nothing but a kernel nobody
 * asks for; a value that is not known is skipped.
 */
#include "foresee.h"

#include "../../../fdag/index/contraction.h"
#include "assign.h"
#include "follow.h"
#include "number.h"
#include "object.h"
#include "turns.h"

enum {
    MAX_TURNS = 4, /* of a loop.. */
    MOST_TURNS = 6 /* ..whose arrays may be those of turns */
};

static void eval_child(Ast **child, void *ctx);

/* ---- numbers -------------------------------------------------------------------------------- */

static bool is_integer(const Ast *n)
{
    return n->type && (type_is_scalar(n->type, SC_INT) || type_is_scalar(n->type, SC_LONG));
}

static Value *eval_binary(Foresee *f, Ast *n)
{
    Value *a = foresee_value(f, n->binary.left), *b = foresee_value(f, n->binary.right);
    bool minus = n->binary.op == AST_OP_SUB;
    return is_integer(n) && (minus || n->binary.op == AST_OP_ADD) ? number_sum(f, a, b, minus)
                                                                  : f->other;
}

/* new float[n, m], { 1, 2 } */
static Value *eval_new_array(Foresee *f, Ast *n)
{
    const AstList *sizes = n->kind == AST_NEW_ARRAY ? &n->new_array.sizes : NULL;
    Ast *level = n->kind == AST_NEW_ARRAY ? n->new_array.init : n;
    Value *lengths[FD_MAX_RANK];
    int rank = n->type->kind == TY_ARRAY ? n->type->nparams : 0;
    for (int d = 0; d < rank && d < FD_MAX_RANK; d++) {
        bool listed = level && level->kind == AST_INIT_LIST;
        lengths[d] = sizes && d < sizes->len ? foresee_value(f, sizes->data[d])
                     : listed                ? number_of(f, level->init_list.items.len)
                                             : f->other;
        level = listed && level->init_list.items.len ? level->init_list.items.data[0] : NULL;
    }
    ast_each_child(n, eval_child, f);
    return rank && rank <= FD_MAX_RANK ? number_array(f, rank, lengths) : known_any(f, n->type);
}

/* ---- statements that change variables ---------------------------------------------------------- */

static void eval_list(Foresee *f, const AstList *list)
{
    for (int i = 0; i < list->len; i++) foresee_value(f, list->data[i]);
}

static Value *eval_assign(Foresee *f, Ast *n)
{
    Ast *target = n->assign.target;
    if (type_is_functional(n->assign.value->type) && sema_is_part(target)) {
        Value *changed = assign_slice(f, n);
        bool own = target->index.base->kind != AST_INDEX; /* not an element's */
        follow_put(f, target, own ? changed : known_any(f, target->index.base->type));
        return f->other;
    }
    const bool whole = target->kind != AST_INDEX && n->assign.op == AST_OP_NONE;
    if (!whole) foresee_value(f, target);
    Value *v = foresee_value(f, n->assign.value);
    follow_put(f, target, whole ? v : known_any(f, known_place(target)->type));
    return v;
}

/* What follows a choice does not know which way it took. */
static void eval_branch(Foresee *f, Ast *n)
{
    Changed changed = {0};
    known_find_changed(n, &changed);
    if (n) foresee_value(f, n);
    known_forget(f, &changed);
    vec_free(&changed);
}

static void eval_turn(Foresee *f, Ast *n)
{
    switch (n->kind) {
    case AST_FOR:
        if (n->for_.cond) foresee_value(f, n->for_.cond);
        foresee_value(f, n->for_.body);
        eval_list(f, &n->for_.step);
        break;
    case AST_WHILE:
        foresee_value(f, n->while_.cond);
        foresee_value(f, n->while_.body);
        break;
    case AST_DO:
        foresee_value(f, n->do_.body);
        foresee_value(f, n->do_.cond);
        break;
    default: foresee_value(f, n->foreach_.body); break;
    }
}

/* A variable's array is another each time, and may be that of another variable the first times only.
 * Of functions nothing is known. */
static Value *eval_loop(Foresee *f, Ast *n)
{
    Changed changed = {0}, functions = {0};
    known_find_changed(n, &changed);
    for (size_t i = 0; i < changed.len; i++)
        if (changed.data[i]->type->kind == TY_FUNC) vec_push(&functions, changed.data[i]);
    uint64_t before, after = 0;
    size_t outside = 0;
    bool again = false, other = true; /* arrays that are evaluated twice, and alike, may be turns */
    const size_t around = f->turn, begun = f->begun, nfields = f->nfields;
    const uint32_t atoms = f->atoms;
    f->begun = f->turns.len;
    f->nfields = f->fields.len;
    f->atoms = f->natoms;
    f->loops++;
    for (int turn = 0;
         turn == 0 || ((again || after != before) && turn < (f->older ? MOST_TURNS : MAX_TURNS));
         turn++) {
        size_t arrays = f->turn = f->arrays.len;
        known_forget(f, &functions);
        before = turn ? after : known_aliases(f, &changed);
        if (!turn) outside = f->known.len;
        if (turn && f->followed++ >= MAX_FOLLOWED) break;
        eval_turn(f, n);
        f->known.len = outside;
        after = known_aliases(f, &changed);
        again = (other || f->older) && f->arrays.len > arrays;
        other = after != before;
    }
    f->loops--;
    f->turn = around;
    f->begun = begun;
    f->nfields = nfields;
    f->atoms = atoms;
    turns_end(f);
    known_forget(f, &functions);
    vec_free(&functions);
    vec_free(&changed);
    return f->other;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static void eval_child(Ast **child, void *ctx)
{
    foresee_value(ctx, *child);
}

static Value *value_of_graph(Foresee *f, Ast *n)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_LAZY;
    v->graph = v->of = f->r->graphs[n->graph.graph].graph;
    v->captures = arena_array(f->arena, Value *, v->graph->nslots + 1);
    v->depth = 1;
    v->reduces = fd_elements_reduce(v->graph);
    for (int i = 0, slot = 0; i < n->graph.captures.len; i++) {
        Ast *capture = n->graph.captures.data[i];
        Value *c = number_value(f, capture);
        for (int k = lower_leaves(capture->type); k > 0; k--) v->captures[slot++] = c;
        if (known_depth(c) >= v->depth) v->depth = known_depth(c) + 1;
        v->reduces = v->reduces || known_reduces(c);
    }
    return v;
}

static Value *eval_graph(Foresee *f, Ast *n)
{
    Value *v = value_of_graph(f, n);
    if (f->r->graphs[n->graph.graph].arithmetic) return f->other;
    if (v->depth > KNOWN_MAX_DEPTH) return known_any(f, n->type);
    if (type_is_functional(n->type)) return v;
    if (known_evaluated(f, v, NULL, n->loc) && !f->ahead) turns_looked_at(f, v, n->loc);
    turns_end(f);
    return f->other;
}

static Value *eval_together(Foresee *f, Ast *n)
{
    Value *v = value_of_graph(f, n->together.graph);
    const SemaGraph *of = &f->r->graphs[n->together.graph->graph.graph], *around = f->with;
    f->ahead = v->depth <= KNOWN_MAX_DEPTH && known_evaluated(f, v, of, n->loc);
    f->with = of;
    for (int i = 0; i < n->together.stmts.len; i++) foresee_value(f, n->together.stmts.data[i]);
    f->with = around;
    f->ahead = false;
    return f->other;
}

/* Elements that are set: a turn has their array as it is then, if it has any. */
static Value *eval_put(Foresee *f, Ast *n)
{
    Value *v = value_of_graph(f, n->put.graph);
    const bool beside = f->beside; /* if the array does not wait */
    f->beside = true;
    if (type_is_functional(n->put.stmt->expr_stmt.expr->assign.value->type))
        foresee_value(f, n->put.stmt);
    f->beside = beside;
    v->put = true;
    v->result = number_stored(f, v);
    turns_evaluated(f, v, n->loc);
    follow_put(f, n->put.graph->graph.captures.data[0], v->result);
    return f->other;
}

/* Eval of several functions: one evaluation if all have the ranges of the first, which is taken for granted
 * where it pays (runtime/evaluate/ahead/ahead.c). */
static Value *eval_evals(Foresee *f, Ast *n)
{
    AstList list = n->block.stmts;
    Value **values = arena_array(f->arena, Value *, list.len);
    const FdType *types[FD_MAX_FIELDS];
    Loc locs[FD_MAX_FIELDS];
    int count = 0;
    for (int i = 0; i < list.len; i++) {
        Ast *value = list.data[i]->expr_stmt.expr;
        bool forced = value->kind == AST_CONVERT && value->convert.operand->type->kind == TY_FUNC;
        Value *v = foresee_value(f, forced ? value->convert.operand : value);
        if (!forced || v->kind != VAL_LAZY || v->result || count == FD_MAX_FIELDS) continue;
        types[count] = fd_root(v->graph)->type;
        locs[count] = value->loc;
        values[count++] = v;
    }
    if (!known_together(f, count, values, types, n->loc))
        for (int i = 0; i < count; i++) known_forced(f, values[i], locs[i]);
    return f->other;
}

static Value *eval_convert(Foresee *f, Ast *n)
{
    Ast *operand = n->convert.operand;
    Value *v = foresee_value(f, operand);
    if (!type_is_functional(operand->type)) return is_integer(n) && number_is(v) ? v : f->other;
    if (n->type->kind == TY_FUNC || n->convert.view) return v;
    if (operand->kind == AST_GRAPH && operand->graph.over) assign_over(f, operand, v);
    return known_forced(f, v, n->loc); /* an array, or text */
}

static Value *eval_coalesce(Foresee *f, Ast *n)
{
    Value *first = foresee_value(f, n->binary.left), *second = foresee_value(f, n->binary.right);
    return known_coalesced(f, n->type, first, second);
}

/* Of several values that are returned nobody knows which. */
static void eval_return(Foresee *f, Ast *n)
{
    bool first = !f->returned;
    Value *v = foresee_value(f, n);
    f->returned = first || f->returned == v ? v : known_any(f, n->type);
}

/* The functions of a session are looked at sooner or later. */
static void define(Foresee *f, Symbol *sym, Value *v, Loc loc)
{
    known_learn(f, sym, v);
    if (!f->r->unit->unit.session || v->kind != VAL_LAZY || sym->type->kind != TY_FUNC ||
        known_full(v) != 0)
        return;
    Value *result = v->result;
    known_forced(f, v, loc);
    v->result = result; /* not yet */
}

/* The host looks at an element: those of a view are put there, all at once. */
static Value *eval_index(Foresee *f, Ast *n)
{
    Ast *base = n->index.base;
    Value *v = foresee_value(f, base);
    for (int i = 0; i < n->index.args.len; i++) foresee_value(f, n->index.args.data[i]);
    if (base->type->kind == TY_ARRAY && v->kind == VAL_LAZY) known_forced(f, v, n->loc);
    turns_end(f);
    return known_any(f, n->type);
}

Value *foresee_value(Foresee *f, Ast *n)
{
    if (n->is_const && is_integer(n)) return number_of(f, n->value.i);
    if (!is_integer(n) && known_quiet(n)) return f->other;
    switch (n->kind) {
    case AST_INDEX: return eval_index(f, n);
    case AST_GRAPH: return eval_graph(f, n);
    case AST_CONVERT: return eval_convert(f, n);
    case AST_TOGETHER: return eval_together(f, n);
    case AST_PUT: return eval_put(f, n);
    case AST_BLOCK:
        if (n->block.evals) return eval_evals(f, n);
        break;
    case AST_NAME_REF:
        if (known_keeps(n->type) && n->sym && n->sym->kind != SYM_FUNC)
            return known_look_up(f, n->sym);
        if (number_is_local(n->sym)) return known_look_up(f, n->sym);
        break;
    case AST_BINARY:
        if (!type_is_functional(n->type)) return eval_binary(f, n);
        if (n->binary.op != AST_OP_COALESCE) break;
        return eval_coalesce(f, n);
    case AST_NEW_ARRAY:
    case AST_INIT_LIST: return eval_new_array(f, n);
    case AST_CAST: {
        Value *v = foresee_value(f, n->cast.operand);
        return is_integer(n) && number_is(v) ? v : known_any(f, n->type);
    }
    case AST_THIS:
    case AST_BASE: return f->self ? f->self : known_any(f, n->type);
    case AST_NEW:
        if (n->res == AST_RES_NONE && object_is(n->type) && n->sym && n->sym->kind == SYM_FUNC)
            return follow_new(f, n);
        break;
    case AST_MEMBER: {
        if (object_has(n)) return object_field(f, n);
        Value *v =
            n->member.base && n->member.base->type ? foresee_value(f, n->member.base) : f->other;
        bool length = n->sym && n->sym->kind == SYM_BUILTIN && is_integer(n) && known_is(v) &&
                      builtins[n->sym->builtin].name == LIB_Length &&
                      n->member.base->type->nparams == 1;
        return length ? number_length(f, v, 0) : known_any(f, n->type);
    }
    case AST_ASSIGN: return eval_assign(f, n);
    case AST_UNARY:
        if (known_is_given(n) && n->unary.operand->kind != AST_DECL_EXPR) return follow_given(f, n);
        break;
    case AST_IF:
        foresee_value(f, n->if_.cond);
        eval_branch(f, n->if_.then);
        eval_branch(f, n->if_.other);
        return f->other;
    case AST_SWITCH:
        foresee_value(f, n->switch_.value);
        if (n->switch_.jumps) { /* each section may run before each */
            Changed changed = {0};
            known_find_changed(n, &changed);
            known_forget(f, &changed);
            vec_free(&changed);
        }
        eval_list(f, &n->switch_.sections);
        return f->other;
    case AST_CASE:
    case AST_CATCH: {
        Changed changed = {0};
        known_find_changed(n, &changed);
        ast_each_child(n, eval_child, f);
        known_forget(f, &changed);
        vec_free(&changed);
        return f->other;
    }
    case AST_FOR: eval_list(f, &n->for_.init); return eval_loop(f, n);
    case AST_WHILE:
    case AST_DO: return eval_loop(f, n);
    case AST_CALL:
        if (n->res == AST_RES_NONE && n->sym && n->sym->kind == SYM_FUNC) return follow_user(f, n);
        if (n->res == AST_RES_NONE && n->sym && n->sym->kind == SYM_BUILTIN)
            return follow_library(f, n);
        break;
    case AST_COND: {
        foresee_value(f, n->cond.cond);
        const Value *a = foresee_value(f, n->cond.then);
        Value *b = foresee_value(f, n->cond.other);
        return a == b ? b : known_any(f, n->type);
    }
    case AST_DECLARATOR:
        if (n->declarator.init) define(f, n->sym, number_value(f, n->declarator.init), n->loc);
        return f->other;
    case AST_DEFINE: define(f, n->sym, foresee_value(f, n->define.value), n->loc); return f->other;
    case AST_HOLE: {
        Value *v = foresee_value(f, n->hole.expr);
        if (type_is_functional(n->hole.expr->type)) known_forced(f, v, n->loc);
        return f->other;
    }
    case AST_FOREACH: {
        Value *v = foresee_value(f, n->foreach_.seq); /* a range is counted, not evaluated */
        if (v->kind == VAL_LAZY) known_forced(f, v, n->foreach_.seq->loc);
        return eval_loop(f, n);
    }
    case AST_RETURN:
        if (n->return_.value) eval_return(f, n->return_.value);
        return f->other;
    default: break;
    }
    ast_each_child(n, eval_child, f);
    return known_any(f, n->type);
}

/* Whoever calls a function of a library gives arrays, and gets one. */
static void call_export(Foresee *f, const Symbol *sym)
{
    const AstList *params = &sym->decl->func.params;
    f->known.len = f->fields.len = 0;
    if (!sym->decl->func.body) return;
    for (int i = 0; i < params->len; i++) known_learn(f, params->data[i]->sym, known_array(f));
    f->returned = NULL;
    foresee_value(f, sym->decl->func.body);
    if (type_is_functional(sym->type->result) && f->returned)
        known_forced(f, f->returned, sym->loc);
}

/* Functions that were followed wherever they are called are known; of what others are given, the type. */
void foresee(SemaResult *r, Arena *arena, Fd *fd)
{
    Foresee f = {.r = r, .arena = arena, .fd = fd};
    f.other = arena_new_of(arena, Value);
    f.unknown = arena_new_of(arena, Value);
    f.unknown->kind = VAL_UNKNOWN;
    for (int i = 0; i < r->unit->unit.stmts.len; i++)
        foresee_value(&f, r->unit->unit.stmts.data[i]);
    for (int i = 0; i < r->nexports; i++) call_export(&f, r->exports[i]);
    for (int i = 0; i < r->nfuncs; i++) {
        Ast **body = lower_func_body(r->funcs[i]);
        if (!body || !*body || (r->funcs[i]->followed && !r->funcs[i]->apart)) continue;
        f.known.len = f.fields.len = 0;
        f.returned = NULL;
        f.self = r->funcs[i]->self ? known_any(&f, r->funcs[i]->self->type) : NULL;
        const AstList *params = &r->funcs[i]->decl->func.params;
        for (int k = 0; k < params->len; k++) {
            const Symbol *sym = params->data[k]->sym;
            if (sym) known_learn(&f, sym, known_any(&f, sym->type));
        }
        foresee_value(&f, *body);
    }
    turns_found(&f);
    r->nevaluations = (int)f.found.len;
    r->evaluations = arena_copy(arena, f.found.data, sizeof *f.found.data * f.found.len);
    vec_free(&f.known);
    vec_free(&f.fields);
    vec_free(&f.found);
    vec_free(&f.keys);
    vec_free(&f.composed);
    vec_free(&f.walks);
    vec_free(&f.slots);
    vec_free(&f.arrays);
    vec_free(&f.chosen);
    vec_free(&f.turns);
}
