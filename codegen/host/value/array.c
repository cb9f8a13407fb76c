/* Arrays in compiled code: header fields, the test that elements are at hand, bounds, new arrays.
 * An access costs a test of host_state, the bounds and the address; within a loop entered with
 * facts (loop.c) only bounds and address, in 32 bits where the index is an int. */
#include <string.h>

#include "value.h"

const HostFact *host_fact_of(const HostFunc *f, const Symbol *sym, bool write)
{
    for (size_t i = f->facts.len; i-- > 0;) {
        const HostFact *fact = &f->facts.data[i];
        if (fact->sym == sym && (fact->write || !write)) return fact;
    }
    return NULL;
}

const HostFact *host_fact(const HostFunc *f, const Ast *base, bool write)
{
    return base->kind == AST_NAME_REF ? host_fact_of(f, base->sym, write) : NULL;
}

/* ---- the header ------------------------------------------------------------------------------ */

LLVMValueRef host_array_field(HostFunc *f, LLVMValueRef array, unsigned field, LLVMTypeRef type)
{
    HostModule *m = f->m;
    LLVMValueRef at = LLVMBuildStructGEP2(m->b, m->structs[HOST_ARRAY], array, field, "");
    return LLVMBuildLoad2(m->b, type, at, "");
}

LLVMValueRef host_array_dim(HostFunc *f, LLVMValueRef array, int member, int dim)
{
    HostModule *m = f->m;
    LLVMValueRef path[] = {host_int(m, 0), host_int(m, ARRAY_DIM), host_int(m, dim),
                           host_int(m, member)};
    LLVMValueRef at = LLVMBuildInBoundsGEP2(m->b, m->structs[HOST_ARRAY], array, path, 4, "");
    return LLVMBuildLoad2(m->b, m->i64, at, "");
}

LLVMValueRef host_array_count(HostFunc *f, LLVMValueRef array, int rank)
{
    LLVMValueRef n = host_array_dim(f, array, DIM_N, 0);
    for (int d = 1; d < rank; d++)
        n = LLVMBuildMul(f->m->b, n, host_array_dim(f, array, DIM_N, d), "");
    return n;
}

LLVMValueRef host_array_not_at_hand(HostFunc *f, LLVMValueRef array, bool write)
{
    HostModule *m = f->m;
    LLVMValueRef state = host_array_field(f, array, ARRAY_STATE, m->i32);
    LLVMValueRef bit =
        LLVMBuildAnd(m->b, state, host_int(m, write ? CS_HOST_WRITE : CS_HOST_READ), "");
    LLVMValueRef no = LLVMBuildICmp(m->b, LLVMIntEQ, bit, host_int(m, 0), "");
    if (!write) return no;
    LLVMValueRef refs = host_array_field(f, array, ARRAY_REFS, m->i32);
    LLVMValueRef shared = LLVMBuildICmp(m->b, LLVMIntNE, refs, host_int(m, 1), "shared");
    return LLVMBuildOr(m->b, no, shared, "");
}

LLVMValueRef host_is_null(HostFunc *f, LLVMValueRef v, const Type *type)
{
    HostModule *m = f->m;
    if (type->kind != TY_ARRAY) return LLVMBuildIsNull(m->b, v, "");
    LLVMValueRef state = host_array_field(f, v, ARRAY_STATE, m->i32);
    LLVMValueRef bit = LLVMBuildAnd(m->b, state, host_int(m, CS_HOST_NULL), "");
    return LLVMBuildICmp(m->b, LLVMIntNE, bit, host_int(m, 0), "");
}

/* Makes the array of a slot writable; returns it. */
static LLVMValueRef writable(HostFunc *f, LLVMValueRef slot, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef at = slot, array = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    LLVMBasicBlockRef call = host_block(f, "own"), next = host_block(f, "write");
    host_branch_cold(f, host_array_not_at_hand(f, array, true), call, next);
    host_enter(f, call);
    host_call_on_slot(f, ABI_cs_array_write, &at, 1, loc);
    host_jump(f, next);
    host_enter(f, next);
    return LLVMBuildLoad2(m->b, m->ptr, slot, "");
}

LLVMValueRef host_array_read_at(HostFunc *f, LLVMValueRef array, LLVMValueRef offset, Loc loc)
{
    LLVMBasicBlockRef call = host_block(f, "fetch"), next = host_block(f, "read");
    host_branch_cold(f, host_array_not_at_hand(f, array, false), call, next);
    host_enter(f, call);
    LLVMValueRef args[] = {array, offset};
    host_call_runtime(f, ABI_cs_element_read, args, 2, loc);
    host_jump(f, next);
    host_enter(f, next);
    return host_array_field(f, array, ARRAY_DATA, f->m->ptr);
}

/* The data, for writing the element at the offset. */
static LLVMValueRef write_at(HostFunc *f, LLVMValueRef slot, LLVMValueRef offset, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef args[] = {slot, offset}, array = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    LLVMBasicBlockRef call = host_block(f, "own"), next = host_block(f, "write");
    host_branch_cold(f, host_array_not_at_hand(f, array, true), call, next);
    host_enter(f, call);
    host_call_on_slot(f, ABI_cs_element_write, args, 2, loc);
    host_jump(f, next);
    host_enter(f, next);
    array = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    return host_array_field(f, array, ARRAY_DATA, m->ptr);
}

/* ---- indices --------------------------------------------------------------------------------- */

static LLVMValueRef wide(HostFunc *f, const HostIndex *x, int d)
{
    HostModule *m = f->m;
    if (LLVMTypeOf(x->i[d]) == m->i64) return x->i[d];
    return x->is_signed[d] ? LLVMBuildSExt(m->b, x->i[d], m->i64, "")
                           : LLVMBuildZExt(m->b, x->i[d], m->i64, "");
}

static bool is_from_end(const Ast *n)
{
    return n->kind == AST_UNARY && n->unary.op == AST_OP_FROM_END;
}

Ast *host_index_tree(Ast *n)
{
    return is_from_end(n) ? n->unary.operand : n;
}

/* Of values, those of the trees of host_index_tree; `array` is read for indices from the end. */
static void index_from(HostFunc *f, Ast *const *args, LLVMValueRef *values, int n,
                       LLVMValueRef array, HostIndex *out)
{
    HostModule *m = f->m;
    out->rank = n;
    for (int d = 0; d < n; d++) {
        ScalarKind k = host_index_tree(args[d])->type->scalar;
        out->is_signed[d] = scalar_is_signed(k);
        bool is_long = scalar_bytes(k) == 8;
        ScalarKind to = is_long ? k : out->is_signed[d] ? SC_INT : SC_UINT;
        out->i[d] = host_convert(f, values[d], k, to);
        if (!is_from_end(args[d])) continue;
        LLVMValueRef end = host_array_end(f, array, d);
        out->i[d] = LLVMBuildSub(m->b, end, wide(f, out, d), "");
        out->is_signed[d] = true;
    }
}

LLVMValueRef host_array_end(HostFunc *f, LLVMValueRef array, int dim)
{
    return LLVMBuildAdd(f->m->b, host_array_dim(f, array, DIM_LO, dim),
                        host_array_dim(f, array, DIM_N, dim), "");
}

void host_index(HostFunc *f, AstList args, LLVMValueRef slot, HostIndex *out)
{
    LLVMValueRef values[CS_MAX_RANK], array = NULL;
    Ast *trees[CS_MAX_RANK] = {NULL};
    bool from_end = false;
    if (args.len > CS_MAX_RANK) host_bug(f->m, args.data[0], "too many indices");
    for (int d = 0; d < args.len; d++) {
        trees[d] = host_index_tree(args.data[d]);
        from_end = from_end || trees[d] != args.data[d];
    }
    host_values(f, trees, args.len, values);
    if (from_end) array = LLVMBuildLoad2(f->m->b, f->m->ptr, slot, "");
    index_from(f, args.data, values, args.len, array, out);
}

/* Leaves with IndexOutOfRangeException unless `inside`. */
static void check(HostFunc *f, LLVMValueRef outside, LLVMValueRef array, const HostIndex *x,
                  Loc loc)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef bad = host_block(f, "outside"), next = host_block(f, "inside");
    host_branch_cold(f, outside, bad, next);
    host_enter(f, bad);
    LLVMValueRef buffer = host_buffer(f, x->rank);
    for (int d = 0; d < x->rank; d++)
        host_put(f, buffer, d, wide(f, x, d), host_type_of_kind(m, SC_LONG));
    LLVMValueRef args[] = {array, host_int(m, x->rank), buffer};
    host_call_runtime(f, ABI_cs_throw_index, args, 3, loc);
    host_jump(f, host_unwind(f));
    host_enter(f, next);
}

static LLVMValueRef dims_count(HostFunc *f, LLVMValueRef array, const Type *type)
{
    return type_is_record(type->result) ? host_array_count(f, array, type->nparams) : NULL;
}

/* The offset of an element that is inside. */
static LLVMValueRef offset_of(HostFunc *f, LLVMValueRef array, const HostIndex *x, Loc loc)
{
    LLVMBuilderRef b = f->m->b;
    LLVMValueRef outside = NULL, rel[CS_MAX_RANK];
    for (int d = 0; d < x->rank; d++) {
        rel[d] = LLVMBuildSub(b, wide(f, x, d), host_array_dim(f, array, DIM_LO, d), "");
        LLVMValueRef n = host_array_dim(f, array, DIM_N, d);
        LLVMValueRef no = LLVMBuildICmp(b, LLVMIntUGE, rel[d], n, "");
        outside = outside ? LLVMBuildOr(b, outside, no, "") : no;
    }
    check(f, outside, array, x, loc);
    LLVMValueRef offset = rel[x->rank - 1];
    for (int d = 0; d < x->rank - 1; d++) {
        LLVMValueRef stride = host_array_dim(f, array, DIM_STRIDE, d);
        offset = LLVMBuildAdd(b, LLVMBuildMul(b, rel[d], stride, ""), offset, "");
    }
    return offset;
}

HostElement host_element_read(HostFunc *f, LLVMValueRef array, const Type *type, const HostIndex *x,
                              Loc loc)
{
    LLVMValueRef offset = offset_of(f, array, x, loc);
    LLVMValueRef data = host_array_read_at(f, array, offset, loc);
    return (HostElement){type->result, data, offset, dims_count(f, array, type)};
}

HostElement host_element_write(HostFunc *f, LLVMValueRef slot, const Type *type, const HostIndex *x,
                               Loc loc)
{
    LLVMValueRef array = LLVMBuildLoad2(f->m->b, f->m->ptr, slot, "");
    LLVMValueRef offset = offset_of(f, array, x, loc), count = dims_count(f, array, type);
    return (HostElement){type->result, write_at(f, slot, offset, loc), offset, count};
}

/* Is an index the value of a variable that is known to be inside? */
static bool is_known(const HostFact *fact, int d, LLVMValueRef i)
{
    if (!LLVMIsALoadInst(i)) return false;
    for (int k = 0; k < HOST_MAX_KNOWN; k++) {
        const Symbol *v = fact->known[d][k];
        if (v && LLVMGetOperand(i, 0) == v->host) return true;
    }
    return false;
}

HostElement host_element_by_fact(HostFunc *f, const HostFact *fact, LLVMValueRef array,
                                 const Type *type, const HostIndex *x, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef outside = NULL, offset = NULL;
    for (int d = 0; d < x->rank; d++) {
        LLVMValueRef n = fact->n[d];
        if (is_known(fact, d, x->i[d])) continue;
        if (LLVMTypeOf(x->i[d]) == m->i64) n = LLVMBuildZExt(m->b, n, m->i64, "");
        LLVMValueRef no = LLVMBuildICmp(m->b, LLVMIntUGE, x->i[d], n, "");
        outside = outside ? LLVMBuildOr(m->b, outside, no, "") : no;
    }
    if (outside) check(f, outside, array, x, loc);
    for (int d = 0; d < x->rank; d++) {
        LLVMValueRef part = wide(f, x, d);
        if (d < x->rank - 1) part = LLVMBuildMul(m->b, part, fact->stride[d], "");
        offset = offset ? LLVMBuildAdd(m->b, offset, part, "") : part;
    }
    return (HostElement){type->result, fact->data, offset, fact->count};
}

HostElement host_find_element(HostFunc *f, Ast *base, AstList args, Loc loc)
{
    const HostFact *fact = host_fact(f, base, false);
    HostIndex x;
    if (fact) {
        host_index(f, args, fact->sym->host, &x);
        LLVMValueRef array = LLVMBuildLoad2(f->m->b, f->m->ptr, fact->sym->host, "");
        return host_element_by_fact(f, fact, array, base->type, &x, loc);
    }
    Ast *all[CS_MAX_RANK + 1] = {base};
    LLVMValueRef values[CS_MAX_RANK + 1];
    if (args.len > CS_MAX_RANK) host_bug(f->m, base, "too many indices");
    for (int d = 0; d < args.len; d++) all[d + 1] = host_index_tree(args.data[d]);
    host_peeks(f, all, args.len + 1, values);
    index_from(f, args.data, values + 1, args.len, values[0], &x);
    return host_element_read(f, values[0], base->type, &x, loc);
}

HostRef host_read_element(HostFunc *f, Ast *base, AstList args, const Type *elem, Loc loc)
{
    HostElement e = host_find_element(f, base, args, loc);
    if (!type_is_ref(elem)) return (HostRef){host_element_load(f, &e), false, false};
    return host_load_ref(f, host_element_address(f, &e, 0), elem, loc);
}

/* ---- members --------------------------------------------------------------------------------- */

LLVMValueRef host_narrow(HostFunc *f, LLVMValueRef v, Loc loc)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef bad = host_block(f, "overflow"), next = host_block(f, "narrow");
    LLVMValueRef narrow = LLVMBuildTrunc(m->b, v, m->i32, "");
    LLVMValueRef back = LLVMBuildSExt(m->b, narrow, m->i64, "");
    host_branch_cold(f, LLVMBuildICmp(m->b, LLVMIntNE, back, v, ""), bad, next);
    host_enter(f, bad);
    host_call_runtime(f, ABI_cs_throw_overflow, &v, 1, loc);
    host_jump(f, host_unwind(f));
    host_enter(f, next);
    return narrow;
}

LLVMValueRef host_array_member(HostFunc *f, LibName name, Ast *base, AstList args, Loc loc)
{
    HostModule *m = f->m;
    int rank = base->type->nparams;
    const HostFact *fact = host_fact(f, base, false);
    if (name == LIB_Rank) {
        host_value(f, base);
        return host_int(m, rank);
    }
    bool is_long = name == LIB_LongLength;
    if (is_long || name == LIB_Length) {
        if (fact && rank == 1)
            return is_long ? LLVMBuildZExt(m->b, fact->n[0], m->i64, "") : fact->n[0];
        LLVMValueRef n = host_array_count(f, host_peek(f, base), rank);
        return is_long ? n : host_narrow(f, n, loc);
    }
    if (args.len != 1 || !args.data[0]->is_const) return NULL;
    int64_t d = args.data[0]->value.i;
    if (d < 0 || d >= rank) return NULL; /* throws */
    bool upper = name == LIB_GetUpperBound, lower = name == LIB_GetLowerBound;
    if (!upper && !lower && name != LIB_GetLength) return NULL;
    if (fact && lower) return host_int(m, 0);
    if (fact) return upper ? LLVMBuildSub(m->b, fact->n[d], host_int(m, 1), "") : fact->n[d];
    LLVMValueRef array = host_peek(f, base), v = host_long(m, -1);
    if (upper || lower) {
        LLVMValueRef lo = host_array_dim(f, array, DIM_LO, (int)d);
        v = upper ? LLVMBuildAdd(m->b, v, lo, "") : lo;
    }
    if (upper) v = LLVMBuildAdd(m->b, v, host_array_dim(f, array, DIM_N, (int)d), "");
    if (!upper && !lower) v = host_array_dim(f, array, DIM_N, (int)d);
    return host_narrow(f, v, loc);
}

/* ---- new arrays ------------------------------------------------------------------------------ */

/* Stores the items in order; returns the number of the next element. */
static int64_t fill(HostFunc *f, const Ast *list, LLVMValueRef data, const Type *elem, int64_t at,
                    int64_t total)
{
    HostModule *m = f->m;
    for (int i = 0; i < list->init_list.items.len; i++) {
        Ast *item = list->init_list.items.data[i];
        if (item->kind == AST_INIT_LIST && item->type != elem) {
            at = fill(f, item, data, elem, at, total);
            continue;
        }
        LLVMValueRef v = type_is_ref(elem) ? host_owned(f, item) : host_value(f, item);
        HostElement e = {elem, data, host_long(m, at++), host_long(m, total)};
        if (type_is_ref(elem))
            host_store(f, host_element_address(f, &e, 0), v, elem);
        else
            host_element_store(f, &e, v);
    }
    return at;
}

static LLVMValueRef allocate(HostFunc *f, const Type *type, const LLVMValueRef *lengths, Loc loc)
{
    HostModule *m = f->m;
    int rank = type->nparams;
    LLVMValueRef buffer = host_buffer(f, rank);
    for (int d = 0; d < rank; d++)
        host_put(f, buffer, d, lengths[d], host_type_of_kind(m, SC_LONG));
    LLVMValueRef args[] = {host_int(m, host_elem(type)), host_int(m, rank), buffer};
    return host_call_runtime(f, ABI_cs_array_new, args, 3, loc);
}

/* { a, b } or new T[] { a, b }: the array is a temporary until all items are stored. */
static HostRef filled(HostFunc *f, const Ast *init, const Type *type)
{
    HostModule *m = f->m;
    LLVMValueRef lengths[CS_MAX_RANK] = {NULL};
    const Ast *level = init;
    int64_t total = 1;
    for (int d = 0; d < type->nparams; d++) {
        int n = level ? level->init_list.items.len : 0;
        lengths[d] = host_long(m, n);
        total *= n;
        level = n ? level->init_list.items.data[0] : NULL;
    }
    host_temp(f, allocate(f, type, lengths, init->loc));
    LLVMValueRef slot = vec_last(&f->temps);
    if (total) {
        LLVMValueRef array = writable(f, slot, init->loc);
        LLVMValueRef data = host_array_field(f, array, ARRAY_DATA, m->ptr);
        fill(f, init, data, type->result, 0, total);
    }
    LLVMValueRef array = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    host_untemp(f, slot);
    return (HostRef){array, true, false};
}

HostRef host_new_array(HostFunc *f, Ast *n)
{
    if (n->kind == AST_INIT_LIST) return filled(f, n, n->type);
    if (n->new_array.init) return filled(f, n->new_array.init, n->type);
    HostIndex x;
    host_index(f, n->new_array.sizes, NULL, &x);
    LLVMValueRef lengths[CS_MAX_RANK];
    for (int d = 0; d < x.rank; d++) lengths[d] = wide(f, &x, d);
    return (HostRef){allocate(f, n->type, lengths, n->loc), true, false};
}
