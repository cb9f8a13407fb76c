/* Backward mode: of each definition what the result changes by its elements, without a tape.
 *   before: sum(i, e(i) * e(i)) with e(i) = sum(j, a(i, j) * v(j))
 *   after:  e'(m) = 2 * e(m), v'(m) = sum(i, a(i, m) * e'(i))
 * From the root back, each definition's body is swept with its adjoint as the seed; what it reads is noted with
 * its weight, and is part of what is read there (invert.c). All is linear in the seed, so a definition that comes
 * up again later is swept again with what came later. Requires: the passes that derive.c runs. */
#include <string.h>

#include "derive.h"

typedef VEC(FdiRead) Reads;

typedef struct Adjoint {
    FdiDerive d; /* first */
    Reads reads; /* not accounted for yet */
} Adjoint;

/* The adjoint of a node within one body. */
typedef struct Weight {
    const FdNode *value, *guard; /* NULL: none yet; no guard: always evaluated */
} Weight;

typedef struct Sweep {
    Adjoint *a;
    const FdiScope *scope;
    FdiMap at;
    FdiNodes order; /* operands first */
    VEC(Weight) weights;
} Sweep;

static void sweep(Adjoint *a, const FdiScope *scope, const FdNode *root, const FdNode *seed,
                  const FdNode *guard);

/* ---- one body ---------------------------------------------------------------------------- */

/* Nodes of a body whose values the result depends on; bodies of reductions are swept by themselves. */
static void collect(Sweep *s, const FdNode *n)
{
    uint64_t known;
    FdiDerive *d = &s->a->d;
    if (fdi_map_get(&s->at, n, &known) || !fdi_active(d, n)) return;
    const FdNode *through = fdi_seen_through(d, n, true);
    if (through) {
        collect(s, through);
    } else if (n->kind == FD_APPLY &&
               (fdi_is_leaf(n->fn, FD_LEAF_OP) || fdi_is_leaf(n->fn, FD_LEAF_MAKE) ||
                fdi_is_leaf(n->fn, FD_LEAF_FIELD) || fdi_is_leaf(n->fn, FD_LEAF_USER))) {
        for (int i = 0; i < n->nargs; i++) collect(s, n->args[i]);
    }
    fdi_map_set(&s->at, n, s->order.len);
    vec_push(&s->order, n);
    vec_push(&s->weights, (Weight){0});
}

/* Adds to a node's adjoint. Where it is reached in several branches it is evaluated in any of them. */
static void give(Sweep *s, const FdNode *n, const FdNode *value, const FdNode *guard)
{
    uint64_t at;
    Fd *fd = s->a->d.fd;
    if (!value || !fdi_map_get(&s->at, n, &at)) return;
    Weight *w = &s->weights.data[at];
    if (!w->value) {
        *w = (Weight){value, guard};
    } else if (w->guard == guard) {
        w->value = fdi_plus(fd, w->value, value);
    } else {
        w->value = fdi_plus(fd, fdi_guarded(fd, w->guard, w->value), fdi_guarded(fd, guard, value));
        w->guard = w->guard && guard ? fdi_op2(fd, FD_OP_LOR, w->guard, guard) : NULL;
    }
}

static const FdNode *negated(Fd *fd, const FdNode *condition)
{
    return fd_simple_op(fd, FD_OP_LNOT, SC_BOOL, 1, &condition);
}

static void operation(Sweep *s, const FdNode *n, Weight w)
{
    FdiDerive *d = &s->a->d;
    Fd *fd = d->fd;
    if (fd_op_of(n) == FD_OP_SELECT) {
        give(s, n->args[1], w.value, fdi_and(fd, w.guard, n->args[0]));
        give(s, n->args[2], w.value, fdi_and(fd, w.guard, negated(fd, n->args[0])));
        return;
    }
    for (int i = 0; i < n->nargs; i++) {
        const FdNode *arg = n->args[i];
        if (!fdi_active(d, arg)) continue;
        if (fd_op_of(n) == FD_OP_CONVERT)
            give(s, arg, fd_simple_op(fd, FD_OP_CONVERT, arg->type->scalar, 1, &w.value), w.guard);
        else
            give(s, arg, fdi_chain(d, n, i, w.value), w.guard);
    }
}

/* A record whose field is the value, the others zeros. */
static const FdNode *only_field(Fd *fd, const FdType *record, int field, const FdNode *value)
{
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < record->nfields; i++)
        fields[i] = i == field ? value : fdi_zero(fd, record->fields[i]);
    return fd_make(fd, record, fields, (FdLoc){0});
}

static void note_read(Sweep *s, const FdNode *n, Weight w)
{
    Adjoint *a = s->a;
    FdiRead r = {n->kind == FD_APPLY ? n->fn : n, s->scope, w.guard, w.value, n->args};
    vec_push(&a->reads, r);
}

static void application(Sweep *s, const FdNode *n, Weight w)
{
    FdiDerive *d = &s->a->d;
    const FdNode *f = n->fn, *through = fdi_seen_through(d, n, true);
    if (through) {
        give(s, through, w.value, w.guard);
    } else if (fdi_is_leaf(f, FD_LEAF_OP)) {
        operation(s, n, w);
    } else if (fdi_is_leaf(f, FD_LEAF_MAKE)) {
        for (int i = 0; i < n->nargs; i++)
            if (fdi_is_real(n->args[i]->type))
                give(s, n->args[i], fd_field(d->fd, w.value, i, n->loc), w.guard);
    } else if (fdi_is_leaf(f, FD_LEAF_FIELD)) {
        give(s, n->args[0], only_field(d->fd, n->args[0]->type, f->slot, w.value), w.guard);
    } else if (fdi_is_leaf(f, FD_LEAF_USER) && fdi_user_can(f->user)) {
        for (int i = 0; i < n->nargs && !d->error->message; i++)
            if (fdi_active(d, n->args[i]))
                give(s, n->args[i], fdi_user_part(d, n, i, w.value), w.guard);
    } else if (fdi_can_call(d, n)) {
        note_read(s, n, w);
    }
}

static const FdiScope *inner_scope(Sweep *s, const FdNode *n)
{
    FdiScope *scope = arena_new_of(s->a->d.fd->arena, FdiScope);
    *scope = *s->scope;
    if (scope->n + n->nvars > FDI_SCOPE) {
        fdi_fail(&s->a->d, n, "reductions nested so deeply: write definitions in between");
        return scope;
    }
    for (int i = 0; i < n->nvars; i++) {
        scope->vars[scope->n] = n->vars[i];
        scope->doms[scope->n++] = n->doms[i];
    }
    return scope;
}

static void reduction(Sweep *s, const FdNode *n, Weight w)
{
    FdiDerive *d = &s->a->d;
    Fd *fd = d->fd;
    const FdNode *place = fdi_fresh(fd, n), *factor, *when; /* the weight may hold n itself */
    if (!fdi_term(d, n, place, &factor, &when)) return;
    if (factor) w.value = fdi_op2(fd, FD_OP_MUL, w.value, factor);
    const FdiScope *scope = inner_scope(s, place);
    if (d->error->message) return;
    sweep(s->a, scope, place->body, w.value, fdi_and(fd, w.guard, when));
}

static void sweep(Adjoint *a, const FdiScope *scope, const FdNode *root, const FdNode *seed,
                  const FdNode *guard)
{
    Sweep s = {.a = a, .scope = scope};
    collect(&s, root);
    give(&s, root, seed, guard);
    for (size_t i = s.order.len; i-- > 0 && !a->d.error->message;) {
        const FdNode *n = s.order.data[i];
        Weight w = s.weights.data[i];
        if (!w.value) continue;
        if (n->kind == FD_APPLY)
            application(&s, n, w);
        else if (n->kind == FD_REDUCE)
            reduction(&s, n, w);
        else if (fdi_derive_var(&a->d, n) >= 0)
            note_read(&s, n, w);
        else
            fdi_fail(&a->d, n, "this: write it with operations of reals");
    }
    fdi_map_free(&s.at);
    vec_free(&s.order);
    vec_free(&s.weights);
}

/* ---- definitions ------------------------------------------------------------------------- */

/* A sum with the variables of an earlier one over the same ranges: what is equal in them is one node then. */
static const FdNode *alike(Fd *fd, const FdiNodes *before, const FdNode *n)
{
    for (size_t i = 0; n->kind == FD_REDUCE && i < before->len; i++) {
        const FdNode *other = before->data[i];
        bool same = other->kind == FD_REDUCE && other->nvars == n->nvars;
        for (int v = 0; same && v < n->nvars; v++)
            same =
                other->vars[v]->type == n->vars[v]->type && other->doms[v].kind == n->doms[v].kind;
        const FdNode *now = same ? fdi_rename_bound(fd, n, n->nvars, n->vars, other->vars) : NULL;
        if (now && fd_same_ranges(now, other)) return now;
    }
    return n;
}

/* Is it an element of a function with these ranges, each at its own place? */
static bool is_all_of(const FdNode *n, int rank, const FdNode *const *m, const FdDom *doms)
{
    bool all = rank > 0 && n->kind == FD_APPLY && n->fn->kind == FD_LET && n->nargs == rank &&
               fdi_closed(n->fn);
    for (int i = 0; all && i < rank; i++)
        all = n->args[i] == m[i] && n->fn->doms[i].lo == doms[i].lo &&
              n->fn->doms[i].hi == doms[i].hi;
    return all;
}

/* What a read gives to the places m of what it reads: one term more, or more to one of those before. */
static void add_term(Adjoint *a, FdiNodes *terms, const FdiRead *r, int rank,
                     const FdNode *const *m, const FdDom *doms)
{
    Fd *fd = a->d.fd;
    int few = fdi_few(r, rank);
    if (few >= 0) {
        const FdDom *dom = &r->scope->doms[few];
        for (int64_t v = dom->lo->value.i; v < dom->hi->value.i; v++) {
            FdiRead one = fdi_at_value(fd, r, rank, few, v);
            add_term(a, terms, &one, rank, m, doms);
        }
        return;
    }
    const FdNode *term = fdi_invert(&a->d, r, rank, m, doms);
    if (!term) return;
    term = alike(fd, terms, fdi_cancelled(&a->d, term, rank, m));
    for (size_t i = 0; i < terms->len; i++) {
        const FdNode *both = fdi_one_pass(fd, terms->data[i], term);
        if (!both) continue;
        terms->data[i] = both;
        return;
    }
    vec_push(terms, term);
}

/* Is a weight zeros? */
static bool is_nothing(const FdNode *n)
{
    return fd_is_const(n) && scalar_is_real(n->type->scalar) && n->value.f == 0;
}

/* What elements of a definition are read from on, one leaf of them at a time. */
typedef struct Reading {
    const FdNode *of, *const *m;
    const FdDom *doms;
    FdiNodes terms;
} Reading;

/* The sum over reads from number `first` on, which stay noted; NULL: there are none, or it is no real. */
static const FdNode *leaf_sum(Adjoint *a, Reading *of, size_t first, const int *path, int depth)
{
    Fd *fd = a->d.fd;
    const FdNode *sum = NULL;
    of->terms.len = 0;
    for (size_t i = first; i < a->reads.len; i++) {
        FdiRead r = a->reads.data[i];
        if (r.of != of->of) continue;
        for (int k = 0; k < depth; k++) r.weight = fd_field(fd, r.weight, path[k], r.weight->loc);
        if (depth && is_nothing(r.weight)) continue;
        add_term(a, &of->terms, &r, of->of->type->nparams, of->m, of->doms);
    }
    fdi_cancel(&a->d, &of->terms);
    for (size_t i = 0; i < of->terms.len; i++) sum = fdi_plus(fd, sum, of->terms.data[i]);
    return fdi_one_form(&a->d, sum);
}

/* Of records leaf by leaf: a sum is one of reals. NULL: nothing reads it. */
static const FdNode *sum_of(Adjoint *a, Reading *of, size_t first, const FdType *t, int *path,
                            int depth)
{
    const FdNode *fields[FD_MAX_FIELDS];
    bool any = false;
    if (!t->record) return scalar_is_real(t->scalar) ? leaf_sum(a, of, first, path, depth) : NULL;
    if (depth == FDI_DEPTH) return fdi_fail(&a->d, of->of, "records in records so deeply");
    for (int i = 0; i < t->nfields; i++) {
        path[depth] = i;
        const FdNode *field = sum_of(a, of, first, t->fields[i], path, depth + 1);
        any = any || field;
        fields[i] = field ? field : fdi_zero(a->d.fd, t->fields[i]);
    }
    return any ? fd_make(a->d.fd, t, fields, of->of->loc) : NULL;
}

/* The sum at m of what reads from number `first` on take of a definition; they are accounted for then. */
static const FdNode *account(Adjoint *a, const FdNode *of, size_t first, const FdNode *const *m,
                             const FdDom *doms)
{
    Reading reading = {of, m, doms, {0}};
    int path[FDI_DEPTH];
    size_t kept = first;
    const FdNode *sum =
        sum_of(a, &reading, first, of->type->nparams ? of->type->result : of->type, path, 0);
    for (size_t i = first; i < a->reads.len; i++)
        if (a->reads.data[i].of != of) a->reads.data[kept++] = a->reads.data[i];
    a->reads.len = kept;
    vec_free(&reading.terms);
    return sum;
}

/* The sum of all that is read of a definition, which is then accounted for: a value, or a function over the
 * definition's ranges. NULL: it is not read. */
static const FdNode *adjoint_of(Adjoint *a, const FdNode *of)
{
    Fd *fd = a->d.fd;
    const FdNode *m[FD_MAX_RANK] = {NULL};
    FdDom doms[FD_MAX_RANK] = {{0}};
    int rank = of->type->nparams;
    for (int i = 0; i < rank; i++) {
        const FdNode *v = of->kind == FD_LET ? of->vars[i] : NULL;
        m[i] = fd_var(fd, of->type->params[i], v ? v->name : "m");
    }
    for (int i = 0; i < rank; i++) {
        doms[i] = fd_domain(fd, of, i);
        doms[i].kind = FD_DOM_GIVEN;
        if (of->kind != FD_LET) continue;
        doms[i].lo = fdi_replace_vars(fd, doms[i].lo, rank, of->vars, m);
        doms[i].hi = fdi_replace_vars(fd, doms[i].hi, rank, of->vars, m);
    }
    const FdNode *sum = account(a, of, 0, m, doms);
    if (sum && is_all_of(sum, rank, m, doms)) return sum->fn;
    return sum && rank ? fd_let(fd, rank, m, doms, sum, of->loc) : sum;
}

/* The definition to sweep next: the one made last, whose readers are all swept; NULL: none is left. */
static const FdNode *next(const Adjoint *a)
{
    const FdNode *last = NULL;
    for (size_t i = 0; i < a->reads.len; i++) {
        const FdNode *of = a->reads.data[i].of;
        if (of->kind == FD_LET && (!last || of->id > last->id)) last = of;
    }
    return last;
}

static void sweep_let(Adjoint *a, const FdNode *of, const FdNode *seed)
{
    Fd *fd = a->d.fd;
    FdiScope *scope = arena_new_of(fd->arena, FdiScope);
    const FdNode *let = fdi_fresh(fd, of);
    scope->n = let->nvars;
    for (int i = 0; i < let->nvars; i++) {
        scope->vars[i] = let->vars[i];
        scope->doms[i] = let->doms[i];
        if (!let->doms[i].lo || !let->doms[i].hi) {
            fdi_fail(&a->d, let, "a function over an infinite range: give it a range");
            return;
        }
    }
    size_t first = a->reads.len;
    sweep(a, scope, let->body, fd_apply(fd, seed, let->nvars, let->vars, let->loc), NULL);
    const FdiMap none = {0};
    bool varies = false; /* what is the same everywhere may be in the definition itself, too */
    for (int i = 0; i < let->nvars; i++) varies = varies || fdi_free_in(let->body, let->vars[i]);
    if (!varies || fdi_cost(let->body, &none, NULL) < FDI_COST_EXPENSIVE) return;
    const FdNode *value = fd_apply(fd, of->self ? of->self : of, let->nvars, let->vars, let->loc);
    for (size_t i = first; i < a->reads.len; i++) { /* what it comes to is an element of it */
        FdiRead *r = &a->reads.data[i];
        r->weight = fdi_put(fd, r->weight, let->body, value);
        r->guard = fdi_put(fd, r->guard, let->body, value);
    }
}

/* The recurrence's adjoint is one that runs the other way: what is read of an element from outside (seed), and
 * what later elements read of it. Reads of others see that one, and the values as they were. */
static void sweep_recurrence(Adjoint *a, const FdNode *rec, const FdNode *seed)
{
    Fd *fd = a->d.fd;
    const FdNode *self = fd_var(fd, rec->type, rec->self->name), *old = rec->self;
    const FdNode *from = fdi_fresh(fd, rec);
    size_t first = a->reads.len;
    sweep_let(a, rec, self);
    if (a->d.error->message) return;
    const FdNode *m[FD_MAX_RANK];
    memcpy(m, from->vars, sizeof *m * (size_t)rec->nvars);
    const FdNode *reads = account(a, old, first, m, from->doms);
    const FdNode *body = fdi_plus(fd, fd_apply(fd, seed, rec->nvars, m, rec->loc), reads);
    body = fdi_replace_vars(fd, body, 1, &old, &rec);
    FdDom doms[FD_MAX_RANK];
    for (int i = 0; i < rec->nvars; i++)
        doms[i] = (FdDom){FD_DOM_GIVEN, from->doms[i].lo, from->doms[i].hi};
    const FdNode *back = fd_recurrence(fd, self, NULL, rec->nvars, m, doms, body, rec->loc);
    const FdNode *vars[] = {self, old}, *values[] = {back, rec};
    for (size_t i = first; i < a->reads.len; i++) {
        FdiRead *r = &a->reads.data[i];
        r->weight = fdi_replace_vars(fd, r->weight, 2, vars, values);
        if (r->guard) r->guard = fdi_replace_vars(fd, r->guard, 2, vars, values);
    }
}

static void sweep_definition(Adjoint *a, const FdNode *let, const FdNode *seed)
{
    if (let->self)
        sweep_recurrence(a, let, seed);
    else
        sweep_let(a, let, seed);
}

/* Zeros of a variable's type, over its ranges. */
static const FdNode *nothing(Adjoint *a, const FdNode *slot)
{
    Fd *fd = a->d.fd;
    const FdNode *m[FD_MAX_RANK];
    FdDom doms[FD_MAX_RANK];
    int rank = slot->type->nparams;
    if (!rank) return fdi_zero(fd, slot->type);
    for (int i = 0; i < rank; i++) {
        m[i] = fd_var(fd, slot->type->params[i], "m");
        doms[i] = fd_domain(fd, slot, i);
        doms[i].kind = FD_DOM_GIVEN;
    }
    return fd_let(fd, rank, m, doms, fdi_zero(fd, slot->type->result), slot->loc);
}

bool fd_adjoint(Fd *fd, FdFunction *f, const FdNode *seed, const FdNode **out, FdError *error)
{
    Adjoint a = {0};
    if (fdi_derive_begin(&a.d, fd, f, error)) {
        const FdNode *root = fd_root(&a.d.graph);
        seed = fdi_outer_slots(&a.d, seed);
        if (!fdi_active(&a.d, root))
            ;
        else if (root->kind == FD_LET)
            sweep_definition(&a, root, seed);
        else
            sweep(&a, arena_new_of(fd->arena, FdiScope), root, seed, NULL);
        for (const FdNode *let; !error->message && (let = next(&a));) {
            const FdNode *by = adjoint_of(&a, let);
            if (by) sweep_definition(&a, let, by);
        }
        for (size_t i = 0; i < a.reads.len && !error->message; i++) /* no silent zeros */
            if (fdi_derive_var(&a.d, a.reads.data[i].of) < 0)
                fdi_fail(&a.d, a.reads.data[i].of,
                         "this function: write its values as an expression");
        for (int i = 0; i < f->nvars && !error->message; i++) {
            const FdNode *slot = fd_slot(fd, f->nslots + i, f->vars[i]->type, f->vars[i]->name);
            const FdNode *n = adjoint_of(&a, slot);
            out[i] = fdi_derive_at(&a.d, n ? n : nothing(&a, slot));
        }
    }
    vec_free(&a.reads);
    fdi_derive_end(&a.d);
    return !error->message;
}
