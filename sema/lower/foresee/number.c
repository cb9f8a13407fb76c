/* What csc knows of numbers (number.h). */
#include "number.h"

enum { MAX_ALIKE = 64 /* atoms that are compared */ };

bool number_is(const Value *v)
{
    return v->kind == VAL_OTHER && v->number.known;
}

bool number_is_kept(const Symbol *sym)
{
    bool integer = sym && sym->type && sym->type->kind == TY_SCALAR &&
                   (sym->type->scalar == SC_INT || sym->type->scalar == SC_LONG);
    return integer && !sym->assigned_again;
}

static Value *number(Foresee *f, FdLinear x)
{
    Value *v = arena_new_of(f->arena, Value);
    v->kind = VAL_OTHER;
    v->number = x;
    return v;
}

static FdLinear fresh(Foresee *f)
{
    return (FdLinear){true, ++f->natoms, 0};
}

static FdLinear constant(int64_t number)
{
    return (FdLinear){true, 0, number};
}

Value *number_new(Foresee *f)
{
    return number(f, fresh(f));
}

bool number_is_local(const Symbol *sym)
{
    bool local = sym && (sym->kind == SYM_LOCAL || sym->kind == SYM_PARAM);
    return local && sym->type && sym->type->kind == TY_SCALAR && !sym->assigned_again;
}

/* Is it another one in each turn of the innermost loop? */
static bool is_of_turn(const Foresee *f, const Value *v)
{
    if (number_is(v)) return v->number.atom > f->atoms;
    return v != f->other && f->loops && v->depth >= f->loops;
}

typedef struct Changing {
    Foresee *f;
    bool found;
} Changing;

static void find_changing(Ast **child, void *changing)
{
    Changing *c = changing;
    const Ast *n = *child;
    bool field = n->kind == AST_MEMBER && n->sym && n->sym->kind == SYM_FIELD;
    bool pure = n->kind == AST_CALL && n->sym && n->sym->kind == SYM_BUILTIN &&
                builtins[n->sym->builtin].pure;
    bool kept = n->is_const || n->kind == AST_UNARY || n->kind == AST_BINARY ||
                n->kind == AST_COND || n->kind == AST_CAST || n->kind == AST_CONVERT ||
                (n->kind == AST_MEMBER && !field) || n->kind == AST_THIS || pure;
    bool name = (field || n->kind == AST_NAME_REF) && n->sym && !n->sym->assigned_again;
    bool local = n->kind == AST_NAME_REF && number_is_local(n->sym);
    if ((!kept && !name) || (local && is_of_turn(c->f, known_look_up(c->f, n->sym))))
        c->found = true;
    if (!n->is_const && !(field && n->sym->mods & AST_MOD_STATIC))
        ast_each_child(*child, find_changing, c);
}

static Value *unknown(Foresee *f, Ast *n)
{
    Changing c = {.f = f};
    find_changing(&n, &c);
    if (!c.found) return f->other;
    Value *v = arena_copy(f->arena, f->other, sizeof *f->other);
    v->depth = f->loops;
    return v;
}

Value *number_value(Foresee *f, Ast *n)
{
    Value *v = foresee_value(f, n);
    return v == f->other ? unknown(f, n) : v;
}

Value *number_of(Foresee *f, int64_t x)
{
    return number(f, constant(x));
}

static FdLinear sum(Foresee *f, FdLinear a, FdLinear b, bool minus)
{
    if (minus && a.atom == b.atom) return constant(a.offset - b.offset);
    if (!b.atom) return (FdLinear){true, a.atom, minus ? a.offset - b.offset : a.offset + b.offset};
    if (!a.atom && !minus) return (FdLinear){true, b.atom, a.offset + b.offset};
    return fresh(f);
}

Value *number_sum(Foresee *f, const Value *a, const Value *b, bool minus)
{
    return number_is(a) && number_is(b) ? number(f, sum(f, a->number, b->number, minus)) : f->other;
}

/* ---- domains ----------------------------------------------------------------------------------- */

static const FdKnown *domain_of(Foresee *f, Value *v);

/* The greater or smaller one; atoms may be anything. */
static FdLinear chosen(Foresee *f, FdLinear a, FdLinear b, bool greater)
{
    if (a.atom != b.atom) return fresh(f);
    return (a.offset > b.offset) == greater ? a : b;
}

/* A bound of a range in the graph of v. */
static FdLinear linear_of(Foresee *f, const Value *v, const FdNode *n)
{
    if (fd_is_const(n)) return constant(n->value.i);
    if (n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT) {
        const Value *c = v->captures[n->slot];
        return number_is(c) ? c->number : fresh(f);
    }
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    switch (op) {
    case FD_OP_CONVERT: return linear_of(f, v, n->args[0]);
    case FD_OP_ADD:
    case FD_OP_SUB:
        return sum(f, linear_of(f, v, n->args[0]), linear_of(f, v, n->args[1]), op == FD_OP_SUB);
    case FD_OP_MIN:
    case FD_OP_MAX:
        return chosen(f, linear_of(f, v, n->args[0]), linear_of(f, v, n->args[1]), op == FD_OP_MAX);
    case FD_OP_LOWER:
    case FD_OP_UPPER: {
        const FdNode *of = n->args[0];
        if (of->kind != FD_FUNC || of->leaf != FD_LEAF_SLOT || !fd_is_const(n->args[1])) break;
        const FdKnown *k = domain_of(f, v->captures[of->slot]);
        int64_t d = n->args[1]->value.i;
        return op == FD_OP_LOWER ? k->lo[d] : k->hi[d];
    }
    default: break;
    }
    return fresh(f);
}

static void domain_of_graph(Foresee *f, Value *v, FdKnown *k)
{
    const FdNode *root = fd_root(v->graph);
    for (int d = 0; d < root->type->nparams && d < FD_MAX_RANK; d++) {
        const FdDom dom = fd_domain(f->fd, root, d);
        if (!dom.lo || !dom.hi) continue;
        k->lo[d] = linear_of(f, v, dom.lo);
        k->hi[d] = linear_of(f, v, dom.hi);
    }
}

/* Each value is asked once, so that what it does not know has one name. */
static const FdKnown *domain_of(Foresee *f, Value *v)
{
    v = known_seen(v);
    if (v->domain) return v->domain;
    FdKnown *k = v->domain = arena_new_of(f->arena, FdKnown);
    for (int d = 0; d < FD_MAX_RANK; d++) {
        k->lo[d] = constant(0);
        k->hi[d] = fresh(f);
    }
    if (v->kind == VAL_LAZY && v->depth <= KNOWN_MAX_DEPTH) domain_of_graph(f, v, k);
    return k;
}

Value *number_bound(Foresee *f, Value *v, int dim, bool upper)
{
    if (!known_is(v) || dim < 0 || dim >= FD_MAX_RANK) return number_new(f);
    const FdKnown *k = domain_of(f, v);
    return number(f, upper ? k->hi[dim] : k->lo[dim]);
}

Value *number_length(Foresee *f, Value *v, int dim)
{
    return number_sum(f, number_bound(f, v, dim, true), number_bound(f, v, dim, false), true);
}

Value *number_array(Foresee *f, int rank, Value *const *lengths)
{
    Value *v = known_array(f);
    FdKnown *k = (FdKnown *)(uintptr_t)domain_of(f, v);
    for (int d = 0; d < rank && d < FD_MAX_RANK; d++)
        if (number_is(lengths[d])) k->hi[d] = lengths[d]->number;
    return v;
}

Value *number_stored(Foresee *f, Value *v)
{
    Value *array = known_array(f);
    array->domain = arena_copy(f->arena, domain_of(f, v), sizeof *array->domain);
    return array;
}

/* ---- slots ------------------------------------------------------------------------------------- */

FdKnown number_slot(Foresee *f, bool is_array, Value *v)
{
    if (is_array) return *domain_of(f, v);
    return (FdKnown){.value = number_is(v) ? v->number : fresh(f)};
}

typedef struct Names { /* atoms of one list that stand for those of another */
    int n;
    uint32_t a[MAX_ALIKE], b[MAX_ALIKE];
} Names;

static bool same(Names *names, const FdLinear *a, const FdLinear *b)
{
    if (a->known != b->known || a->offset != b->offset || !a->atom != !b->atom) return false;
    if (!a->atom) return true;
    for (int i = 0; i < names->n; i++)
        if (names->a[i] == a->atom || names->b[i] == b->atom)
            return names->a[i] == a->atom && names->b[i] == b->atom;
    if (names->n == MAX_ALIKE) return false;
    names->a[names->n] = a->atom;
    names->b[names->n++] = b->atom;
    return true;
}

bool number_alike(int n, const FdKnown *a, const FdKnown *b)
{
    Names names = {0};
    for (int i = 0; i < n; i++) {
        if (!same(&names, &a[i].value, &b[i].value)) return false;
        for (int d = 0; d < FD_MAX_RANK; d++)
            if (!same(&names, &a[i].lo[d], &b[i].lo[d]) || !same(&names, &a[i].hi[d], &b[i].hi[d]))
                return false;
    }
    return true;
}
