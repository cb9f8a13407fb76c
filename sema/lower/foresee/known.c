/* What csc knows of values (known.h): which there are, what composing them gives, which variable has
 * which. */
#include "number.h"
#include "object.h"
#include "turns.h"

#include <string.h>

#include "../../../fdag/repeat.h"

/* ---- values --------------------------------------------------------------------------------- */

Value *known_array(Foresee *f)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_ARRAY;
    return v;
}

Value *known_any(Foresee *f, const Type *t)
{
    if (t && t->kind == TY_ARRAY) return known_array(f);
    if (t && t->kind == TY_FUNC) return f->unknown;
    return object_is(t) ? object_new(f) : f->other;
}

bool known_keeps(const Type *t)
{
    return t && (type_is_functional(t) || object_is(t));
}

/* ---- composing ---------------------------------------------------------------------------- */

Value *known_seen(Value *v)
{
    return v->kind == VAL_LAZY && v->result ? v->result : v;
}

static Value *captured(const void *captures, int slot)
{
    return known_seen(((Value *const *)captures)[slot]);
}

static FdCapture look(void *ctx, const void *captures, int slot)
{
    (void)ctx;
    Value *v = captured(captures, slot);
    FdCapture c = {.kind = FD_CAPTURE_UNKNOWN, .object = v, .visit = &v->visit, .index = &v->index};
    if (v->kind == VAL_ARRAY) c.kind = FD_CAPTURE_ARRAY;
    if (v->kind != VAL_LAZY) return c;
    c.kind = FD_CAPTURE_GRAPH;
    c.graph = v->graph;
    c.captures = v->captures;
    return c;
}

/* An array needs bounds in every dimension. */
static bool is_finite(const FdNode *root)
{
    for (int i = 0; root->kind == FD_LET && i < root->nvars; i++)
        if (root->doms[i].kind == FD_DOM_FULL) return false;
    return true;
}

static void meet(void *ctx, const FdCapture *c, const void *captures, int slot, bool again)
{
    Foresee *f = ctx;
    vec_push(&f->walks, (uint64_t)c->kind << 1 | again);
    if (c->kind != FD_CAPTURE_SCALAR) vec_push(&f->walks, *c->index);
    if (c->kind == FD_CAPTURE_GRAPH) vec_push(&f->walks, (uint64_t)(uintptr_t)c->graph);
    if (again || c->kind == FD_CAPTURE_GRAPH) return;
    FdKnown k = number_slot(f, c->kind == FD_CAPTURE_ARRAY, captured(captures, slot));
    vec_push(&f->slots, k);
}

/* The composition of v, if it has been made before, or a new one; NULL: something is unknown. */
static Composed *composed(Foresee *f, const Value *v, bool may_pay, bool *found)
{
    FdComposing walk = {.ctx = f, .visit = ++f->visit, .look = look, .meet = meet};
    Composed c = {.at = f->walks.len};
    *found = true;
    vec_push(&f->walks, (uint64_t)(uintptr_t)v->graph);
    vec_push(&f->walks, may_pay);
    if (!fd_compose_walk(&walk, v->graph, v->captures)) {
        f->walks.len = c.at;
        return NULL;
    }
    c.len = f->walks.len - c.at;
    const uint64_t *words = f->walks.data + c.at;
    for (size_t i = 0; i < c.len; i++) c.hash = (c.hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
    for (size_t i = 0; i < f->composed.len; i++) {
        Composed *old = &f->composed.data[i];
        if (old->hash != c.hash || old->len != c.len ||
            memcmp(f->walks.data + old->at, words, c.len * sizeof *words))
            continue;
        f->walks.len = c.at;
        return old;
    }
    *found = false;
    vec_push(&f->composed, c);
    return &vec_last(&f->composed);
}

/* One more evaluation of a graph, of whose slots f->slots is known. */
static void note_slots(Foresee *f, SemaEvaluation *e)
{
    size_t n = f->slots.len;
    if (e->nknown == KNOWN_MAX_WAYS || (size_t)e->graph->nslots != n) {
        e->nknown = 0;
        e->known = NULL;
    }
    for (int i = 0; i < e->nknown; i++)
        if (number_alike((int)n, e->known[i], f->slots.data)) return;
    if (e->known)
        e->known[e->nknown++] = arena_copy(f->arena, f->slots.data, n * sizeof *f->slots.data);
}

/* Composes v and says whether that is an evaluation, which is noted if it is a new one; its number. */
static bool compose(Foresee *f, const Value *v, bool may_pay, Loc loc, int *number)
{
    const FdGraph *graph = v->graph;
    FdComposing composing = {.visit = ++f->visit, .look = look};
    FdGraph *g = arena_new_of(fd_arena(f->fd), FdGraph);
    FdKey key;
    if (!fd_compose(f->fd, &composing, graph, fd_root(graph), v->captures, g, &key, NULL))
        return false;
    FdPays pays = may_pay ? fd_several_pays(g) : FD_PAYS;
    if (!is_finite(fd_root(g)) || pays == FD_PAYS_NOT) return false;
    for (size_t i = 0; i < f->keys.len; i++)
        if (f->keys.data[i].hi == key.hi && f->keys.data[i].lo == key.lo) {
            *number = (int)i;
            return pays == FD_PAYS;
        }
    *number = (int)f->found.len;
    vec_push(&f->keys, key);
    SemaEvaluation e = {.graph = g, .loc = loc};
    e.known = arena_array(f->arena, const FdKnown *, KNOWN_MAX_WAYS);
    vec_push(&f->found, e);
    return pays == FD_PAYS;
}

/* g over arrays and numbers of which nothing is known; NULL: it has functions. */
static Value *over_any(Foresee *f, const FdGraph *g)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_LAZY;
    v->depth = 1;
    v->graph = g;
    v->captures = arena_array(f->arena, Value *, g->nslots + 1);
    for (int i = 0; i < g->nslots; i++) {
        bool function = g->slots[i].type->nparams > 0;
        if (function && !g->slots[i].is_array) return NULL;
        v->captures[i] = function ? known_array(f) : f->other;
    }
    return v;
}

/* Of one slice of a recurrence its slices may be evaluated one by one (runtime/evaluate/repeat.c). */
static void slices_evaluated(Foresee *f, const FdGraph *g, Loc loc)
{
    FdRepeat r;
    if (!fd_repeat(f->fd, g, &r)) return;
    FdGraph *const made[] = {r.step, r.later, r.rest};
    for (int i = 0; i < 3; i++) {
        Value *v = over_any(f, made[i]);
        if (v) known_evaluated(f, v, NULL, loc);
    }
}

bool known_evaluated(Foresee *f, Value *v, const SemaGraph *of, Loc loc)
{
    if (f->ahead) return true;
    bool may_pay = of && of->nparts && !of->chained, found;
    f->slots.len = 0;
    Composed *c = composed(f, v, may_pay, &found);
    if (c && !found) {
        c->number = -1;
        c->evaluated = compose(f, v, may_pay, loc, &c->number);
    }
    int number = c ? c->number : -1;
    bool evaluated = c && c->evaluated;
    if (number < 0) return evaluated;
    note_slots(f, &f->found.data[number]);
    if (!found) slices_evaluated(f, f->found.data[number].graph, loc);
    return evaluated;
}

Value *known_forced(Foresee *f, Value *v, Loc loc)
{
    if (v->kind == VAL_ARRAY) return v;
    if (v->kind != VAL_LAZY) return known_array(f);
    if (!v->result) {
        known_evaluated(f, v, NULL, loc);
        v->result = number_stored(f, v);
        if (fd_root(v->graph)->type->nparams > 1 && !f->beside) turns_evaluated(f, v, loc);
    }
    return v->result;
}

bool known_together(Foresee *f, int n, Value *const *values, const FdType *const *types, Loc loc)
{
    const SemaGraph parts = {.nparts = n};
    Value v = {.kind = VAL_LAZY, .captures = (Value **)(uintptr_t)values};
    if (n < 2) return false;
    for (int i = 1; i < n; i++) {
        if (types[i]->nparams != types[0]->nparams) return false;
        for (int d = 0; d < types[0]->nparams; d++)
            if (types[i]->params[d] != types[0]->params[d]) return false;
    }
    v.graph = fd_results(f->fd, n, types);
    if (!known_evaluated(f, &v, &parts, loc)) return false;
    for (int i = 0; i < n; i++) values[i]->result = number_stored(f, values[i]);
    return true;
}

/* ---- functions made of others by their domains ------------------------------------------------ */

uint32_t known_full(const Value *v)
{
    uint32_t full = 0;
    if (v->kind != VAL_LAZY || v->result) return 0;
    const FdNode *root = fd_root(v->graph);
    for (int d = 0; root->kind == FD_LET && d < root->nvars; d++)
        full |= (uint32_t)(root->doms[d].kind == FD_DOM_FULL) << d;
    return full;
}

int known_depth(const Value *v)
{
    return v->kind == VAL_LAZY && !v->result ? v->depth : 0;
}

bool known_reduces(const Value *v)
{
    return v->kind == VAL_LAZY && !v->result && v->reduces;
}

static const FdGraph *graph_for(Foresee *f, const FdChosen *what, const FdGraph *of)
{
    for (size_t i = 0; i < f->chosen.len; i++)
        if (f->chosen.data[i].of == of && fd_same_chosen(&f->chosen.data[i].what, what))
            return f->chosen.data[i].graph;
    Chosen made = {*what, of, fd_chosen(f->fd, what)};
    vec_push(&f->chosen, made);
    return made.graph;
}

Value *known_chosen(Foresee *f, const FdChosen *what, Value *first, Value *second)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_LAZY;
    v->of = first->kind == VAL_LAZY && !first->result ? first->of : NULL;
    v->graph = graph_for(f, what, v->of);
    v->captures = arena_array(f->arena, Value *, v->graph->nslots + 1);
    for (int i = 0; i < v->graph->nslots; i++) v->captures[i] = f->other;
    v->captures[0] = first;
    if (second) v->captures[1] = second;
    v->depth = 1 + known_depth(first);
    v->reduces = known_reduces(first) || (second && known_reduces(second));
    if (second && known_depth(second) >= v->depth) v->depth = 1 + known_depth(second);
    return v->depth > KNOWN_MAX_DEPTH ? f->unknown : v;
}

bool known_is(const Value *v)
{
    return v->kind == VAL_ARRAY || v->kind == VAL_LAZY;
}

/* f ?? g. What their ranges are is not known: it is taken for granted that neither holds the other
 * unless it is infinite, and that their union is as finite as g. */
Value *known_coalesced(Foresee *f, const Type *t, Value *first, Value *second)
{
    const FdType *type = lower_type_in(f->fd, t);
    if (!type || !known_is(first) || !known_is(second)) return known_any(f, t);
    uint32_t all = (UINT32_C(1) << type->nparams) - 1;
    FdChosen what = {
        .type = type, .full = known_full(second), .full_first = known_full(first), .choice = true};
    if (first == second || what.full_first == all) return first;
    what.full |= what.full_first;
    return known_chosen(f, &what, first, second);
}

/* ---- variables ------------------------------------------------------------------------------ */

static Known *find(Foresee *f, const Symbol *sym)
{
    for (size_t i = f->known.len; i-- > 0;)
        if (f->known.data[i].sym == sym) return &f->known.data[i];
    return NULL;
}

void known_learn(Foresee *f, const Symbol *sym, Value *v)
{
    bool number = number_is_kept(sym);
    if (!number && !number_is_local(sym) && (!sym || !known_keeps(sym->type))) return;
    Known k = {sym, number && !number_is(v) ? number_new(f) : v};
    vec_push(&f->known, k);
}

Value *known_look_up(Foresee *f, const Symbol *sym)
{
    Known *k = find(f, sym);
    if (k) return k->value;
    const size_t before = f->known.len;
    Value *any = known_any(f, sym->type);
    known_learn(f, sym, any);
    return f->known.len > before ? vec_last(&f->known).value : any;
}

void known_assign(Foresee *f, const Symbol *sym, Value *v)
{
    Known *k = find(f, sym);
    if (k)
        k->value = v;
    else
        known_learn(f, sym, v);
}

const Ast *known_place(const Ast *target)
{
    while (target->kind == AST_INDEX) target = target->index.base;
    return target;
}

/* The variable that is changed by assigning to target; NULL: none that is known of. */
const Symbol *known_changed(const Ast *target)
{
    target = known_place(target);
    bool variable = target->kind == AST_NAME_REF && target->sym && target->sym->kind != SYM_FUNC;
    return variable && known_keeps(target->sym->type) ? target->sym : NULL;
}

static void look_below(Ast **child, void *quiet)
{
    bool *all = quiet;
    *all = known_quiet(*child) && *all;
}

bool known_quiet(Ast *n)
{
    if (n->looked_at) return n->quiet;
    bool followed = n->kind == AST_GRAPH || n->kind == AST_TOGETHER || n->kind == AST_PUT ||
                    n->kind == AST_RETURN ||
                    (n->kind == AST_CALL && (!n->sym || n->sym->kind != SYM_BUILTIN));
    bool functional = known_keeps(n->type) || (n->sym && known_keeps(n->sym->type));
    bool number = n->kind == AST_DECLARATOR && (number_is_kept(n->sym) || number_is_local(n->sym));
    bool quiet = !followed && !functional && !number;
    ast_each_child(n, look_below, &quiet);
    n->looked_at = true;
    return n->quiet = quiet;
}

static void find_changed(Ast **child, void *changed)
{
    Ast *n = *child;
    if (known_quiet(n)) return;
    const Ast *target = n->kind == AST_ASSIGN ? n->assign.target
                        : known_is_given(n)   ? n->unary.operand
                                              : NULL;
    Changed *c = changed;
    const Symbol *sym = target ? known_changed(target) : NULL;
    for (size_t i = 0; sym && i < c->len; i++)
        if (c->data[i] == sym) sym = NULL;
    if (sym) vec_push(c, sym);
    ast_each_child(n, find_changed, c);
}

void known_find_changed(Ast *n, Changed *out)
{
    if (n) find_changed(&n, out);
}

bool known_is_given(const Ast *n)
{
    return n->kind == AST_UNARY && (n->unary.op == AST_OP_REF || n->unary.op == AST_OP_OUT);
}

void known_forget(Foresee *f, const Changed *changed)
{
    for (size_t i = 0; i < changed->len; i++)
        known_assign(f, changed->data[i], known_any(f, changed->data[i]->type));
}

uint64_t known_aliases(Foresee *f, const Changed *changed)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < changed->len; i++) {
        const Value *v = known_look_up(f, changed->data[i]);
        size_t first = 0;
        while (f->known.data[first].value != v) first++;
        hash = hash * 1000003 + (v->kind == VAL_UNKNOWN ? 0 : first + 1);
    }
    return object_aliases(f, hash);
}
