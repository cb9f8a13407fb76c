/* Lowering reductions by key whose tables a group has in local memory.
 *
 *   START     tables := identities
 *   SCATTER   integers: an atomic operation on the entry of the key, in copy id % copies.
 *             Others: the value is noted, and a bit of the word that 32 work-items have for each key
 *   JOIN      of others: a work-item for each key takes the noted values in the order of the bits
 *   SAVE      copies are combined, each key's to its part
 *
 *   noted[id / 32][key] |= 1 << id % 32;  value[id] = v;          all meet here
 *   for (bits of noted[w][key], from the lowest) table[key] += value[w * 32 + bit]
 *
 * The order of atomic operations does not show: they are of integers, or set bits. So equal runs give
 * equal bits, of reals, records and user functions too. */
#include "../../../../../base/internal.h"
#include "../../../analysis/keys.h"
#include "../impl.h"

enum { WORD = 32 };

static const KirType idx = {.kind = KIR_IDX, .lanes = 1}, word = {.kind = SC_UINT, .lanes = 1};

static int atomic_of(FdOp op)
{
    switch (op) {
    case FD_OP_ADD: return INTR_ATOMIC_ADD;
    case FD_OP_MIN: return INTR_ATOMIC_MIN;
    case FD_OP_MAX: return INTR_ATOMIC_MAX;
    case FD_OP_LAND:
    case FD_OP_BITAND: return INTR_ATOMIC_AND;
    case FD_OP_LOR:
    case FD_OP_BITOR: return INTR_ATOMIC_OR;
    case FD_OP_BITXOR: return INTR_ATOMIC_XOR;
    default: return -1;
    }
}

bool nest_is_atomic(const FdNode *reduce)
{
    if (fd_op_of(reduce) == FD_OP_NONE || reduce->type->record) return false;
    ScalarKind k = result_kind(reduce);
    return (k == SC_INT || k == SC_UINT || k == SC_BOOL) && atomic_of(fd_op_of(reduce)) >= 0;
}

/* ---- where things are -------------------------------------------------------------------------- */

static const KirExpr *items(Lower *l)
{
    return nest_number(l, "items", nest_items(l->n->root.first, 0));
}

static const KirExpr *copies(Lower *l)
{
    return nest_number(l, "copies", l->n->keys.copies);
}

static const KirExpr *keys(Lower *l)
{
    return nest_length(l, l->n->keys.axis);
}

static const KirExpr *words(Lower *l)
{
    return nest_op(l, FD_OP_DIV, nest_add(l, items(l), kir_int(l->a, WORD - 1)),
                   kir_int(l->a, WORD));
}

/* Of a key and a copy. Copies of what is taken by atomic operations lie side by side: banks differ. */
static const KirExpr *entry(Lower *l, int r, const KirExpr *key, const KirExpr *copy)
{
    bool beside = !l->n->keys.ordered;
    const KirExpr *at = beside ? nest_add(l, nest_mul(l, key, copies(l)), copy)
                               : nest_add(l, nest_mul(l, copy, keys(l)), key);
    return kir_elem(l->a, nest_scalar_type(l, r), nest_named(l, "table", r), 1, &at);
}

/* Results that the same guards let through share their bits: those of the first of them. */
static int bits_of(Lower *l, int r)
{
    KeyForm mine, other;
    unsigned vars = nest_key_variables(l->n);
    keys_form(l->u, l->n->def, l->n->reduces[r], vars, &mine);
    for (int k = 0; k < r; k++) {
        keys_form(l->u, l->n->def, l->n->reduces[k], vars, &other);
        bool same = mine.n == other.n;
        for (int i = 0; same && i < mine.n; i++)
            same = mine.guards[i].cond == other.guards[i].cond &&
                   mine.guards[i].wanted == other.guards[i].wanted;
        if (same) return k;
    }
    return r;
}

static const KirExpr *bits(Lower *l, int r, const KirExpr *at)
{
    return kir_elem(l->a, word, nest_named(l, "noted", r), 1, &at);
}

static const KirExpr *value_at(Lower *l, int r, const KirExpr *at)
{
    return kir_elem(l->a, nest_scalar_type(l, r), nest_named(l, "value", r), 1, &at);
}

/* A loop of the group's work-items over so many positions. */
static const KirExpr *begin_shared(Lower *l, KirBlock *body, GenScope *scope)
{
    *scope = gen_enter(&l->g, body);
    return kir_name(l->a, idx, fresh_name(l->u, "e"));
}

static void end_shared(Lower *l, const KirExpr *at, const KirExpr *count, KirBlock body,
                       GenScope scope)
{
    gen_leave(&l->g, scope);
    kir_for(l->a, l->g.block, at->name, nest_local_id(l, 0), count, items(l), false, body);
}

/* ---- steps ------------------------------------------------------------------------------------- */

static void start(Lower *l)
{
    Gen *g = &l->g;
    const Nest *n = l->n;
    const KirExpr *entries = nest_number(l, "entries", n->keys.entries), *group = items(l);
    GenScope scope;
    KirBlock tables = {0}, noted = {0};
    const KirExpr *at = begin_shared(l, &tables, &scope);
    for (int r = 0; r < n->nreduces; r++) {
        KirType t = nest_scalar_type(l, r);
        kir_array(l->a, &g->head, t, nest_named(l, "table", r), true, 1, &entries);
        kir_set(l->a, g->block, kir_elem(l->a, t, nest_named(l, "table", r), 1, &at),
                gen_identity(g, n->reduces[r]));
    }
    end_shared(l, at, nest_mul(l, keys(l), copies(l)), tables, scope);
    if (n->keys.ordered) {
        const KirExpr *all = nest_mul(l, entries, words(l));
        at = begin_shared(l, &noted, &scope);
        for (int r = 0; r < n->nreduces; r++) {
            kir_array(l->a, &g->head, nest_scalar_type(l, r), nest_named(l, "value", r), true, 1,
                      &group);
            if (bits_of(l, r) != r) continue;
            kir_array(l->a, &g->head, word, nest_named(l, "noted", r), true, 1, &all);
            kir_set(l->a, g->block, bits(l, r, at),
                    kir_const(l->a, SC_UINT, (ScalarValue){.i = 0}));
        }
        end_shared(l, at, nest_mul(l, keys(l), words(l)), noted, scope);
    }
    nest_barrier(l);
}

void nest_table_take(Lower *l, int r, const KirExpr *value)
{
    Gen *g = &l->g;
    const FdNode *reduce = l->n->reduces[r];
    const KirExpr *key = l->places[l->n->keys.axis].at, *id = nest_local_id(l, 0);
    if (!l->n->keys.ordered) {
        const KirExpr *copy = nest_op(l, FD_OP_REM, id, copies(l));
        const KirExpr *args[] = {entry(l, r, key, copy), value};
        Intrinsic how = (Intrinsic)atomic_of(fd_op_of(reduce));
        kir_eval(l->a, g->block, kir_intrinsic(l->a, value->type, how, args));
        return;
    }
    kir_set(l->a, g->block, value_at(l, r, id), value);
    if (bits_of(l, r) != r) return;
    const KirExpr *row = nest_op(l, FD_OP_DIV, id, kir_int(l->a, WORD));
    const KirExpr *args[] = {bits(l, r, nest_add(l, nest_mul(l, row, keys(l)), key)),
                             kir_intrinsic(l->a, word, INTR_BIT, &id)};
    kir_eval(l->a, g->block, kir_intrinsic(l->a, word, INTR_ATOMIC_OR, args));
}

/* The values of results with the bits of result r that one word tells of, in order. */
static void take_word(Lower *l, int r, const KirExpr *key, const KirExpr *copy, const KirExpr *row)
{
    Gen *g = &l->g;
    Arena *a = l->a;
    const KirExpr *acc[NEST_RESULTS] = {NULL};
    const KirExpr *from = bits(l, r, nest_add(l, nest_mul(l, row, keys(l)), key));
    const KirExpr *left = kir_name(a, word, fresh_name(l->u, "left"));
    kir_decl(a, g->block, word, left->name, from);
    const KirExpr *count =
        gen_variable(g, "count", kir_convert(a, idx, kir_intrinsic(a, word, INTR_BITS, &left)));
    KirBlock some = {0}, each = {0};
    GenScope scope = gen_enter(g, &some);
    kir_set(a, g->block, from, kir_const(a, SC_UINT, (ScalarValue){.i = 0}));
    for (int k = r; k < l->n->nreduces; k++) {
        if (bits_of(l, k) != r) continue;
        acc[k] = kir_name(a, nest_scalar_type(l, k), fresh_name(l->u, "acc"));
        kir_decl(a, g->block, acc[k]->type, acc[k]->name, entry(l, k, key, copy));
    }
    GenScope inner = gen_enter(g, &each);
    const KirExpr *bit = kir_convert(a, idx, kir_intrinsic(a, word, INTR_LOWEST, &left));
    const KirExpr *at = gen_variable(g, "at", nest_add(l, nest_mul(l, row, kir_int(a, WORD)), bit));
    kir_set(a, g->block, left, kir_intrinsic(a, word, INTR_HIGHER, &left));
    for (int k = r; k < l->n->nreduces; k++)
        if (acc[k])
            kir_set(a, g->block, acc[k],
                    gen_combine(g, l->n->reduces[k]->fn, acc[k], value_at(l, k, at)));
    gen_leave(g, inner);
    kir_for(a, g->block, fresh_name(l->u, "b"), kir_int(a, 0), count, kir_int(a, 1), false, each);
    for (int k = r; k < l->n->nreduces; k++)
        if (acc[k]) kir_set(a, g->block, entry(l, k, key, copy), acc[k]);
    gen_leave(g, scope);
    kir_if(a, g->block, nest_op(l, FD_OP_GT, count, kir_int(a, 0)), some, NULL);
}

static void join(Lower *l)
{
    Gen *g = &l->g;
    KirBlock owners = {0}, rows = {0};
    GenScope scope, inner;
    nest_barrier(l);
    const KirExpr *owner = begin_shared(l, &owners, &scope);
    const KirExpr *key = gen_variable(g, "key", nest_op(l, FD_OP_REM, owner, keys(l)));
    const KirExpr *copy = gen_variable(g, "copy", nest_op(l, FD_OP_DIV, owner, keys(l)));
    const KirExpr *row = kir_name(l->a, idx, fresh_name(l->u, "w"));
    inner = gen_enter(g, &rows);
    for (int r = 0; r < l->n->nreduces; r++)
        if (bits_of(l, r) == r) take_word(l, r, key, copy, row);
    gen_leave(g, inner);
    kir_for(l->a, g->block, row->name, copy, words(l), copies(l), false, rows);
    end_shared(l, owner, nest_mul(l, keys(l), copies(l)), owners, scope);
    nest_barrier(l);
}

static void save(Lower *l)
{
    Gen *g = &l->g;
    KirBlock body = {0};
    GenScope scope;
    NestPlace *p = &l->places[l->n->keys.axis], before = *p;
    nest_barrier(l);
    const KirExpr *key = begin_shared(l, &body, &scope);
    p->at = key;
    const KirExpr *to = gen_variable(g, "part", nest_part_offset(l));
    for (int r = 0; r < l->n->nreduces; r++) {
        KirBlock each = {0};
        KirType t = nest_scalar_type(l, r);
        const KirExpr *acc = kir_name(l->a, t, fresh_name(l->u, "acc"));
        const KirExpr *copy = kir_name(l->a, idx, fresh_name(l->u, "c"));
        kir_decl(l->a, g->block, t, acc->name, entry(l, r, key, kir_int(l->a, 0)));
        GenScope inner = gen_enter(g, &each);
        kir_set(l->a, g->block, acc,
                gen_combine(g, l->n->reduces[r]->fn, acc, entry(l, r, key, copy)));
        gen_leave(g, inner);
        kir_for(l->a, g->block, copy->name, kir_int(l->a, 1), copies(l), kir_int(l->a, 1), false,
                each);
        kir_store(l->a, g->block, gen_temp(g, l->n->part.temps[r], t, true), to, acc);
    }
    end_shared(l, key, keys(l), body, scope);
    *p = before;
}

void nest_table(Lower *l, const NestStep *s)
{
    switch (s->kind) {
    case NEST_START: start(l); break;
    case NEST_JOIN: join(l); break;
    case NEST_SAVE: save(l); break;
    default: internal_error("table", "a step of no form");
    }
}
