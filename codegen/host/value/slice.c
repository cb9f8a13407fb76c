/* Slices on the host: assignment to a[lo..hi, i, ..], and parts of strings. Reading a slice of a
 * function is a graph. */
#include "value.h"

static bool is_from_end(const Ast *n)
{
    return n && n->kind == AST_UNARY && n->unary.op == AST_OP_FROM_END;
}

/* An index as an i64: n, or `end` - n for ^n; NULL gives `missing`. */
static LLVMValueRef bound(HostFunc *f, Ast *n, LLVMValueRef end, LLVMValueRef missing)
{
    if (!n) return missing;
    Ast *tree = host_index_tree(n);
    LLVMValueRef v = host_convert(f, host_value(f, tree), tree->type->scalar, SC_LONG);
    return is_from_end(n) ? LLVMBuildSub(f->m->b, end, v, "") : v;
}

typedef struct Box { /* what is assigned */
    LLVMValueRef lo, hi;
    uint64_t fixed;
} Box;

static Box evaluate(HostFunc *f, HostPlace *array, AstList args)
{
    HostModule *m = f->m;
    Box box = {0};
    LLVMTypeRef t = LLVMArrayType(m->i64, (unsigned)args.len);
    box.lo = host_alloca(f, t, "lo");
    box.hi = host_alloca(f, t, "hi");
    for (int d = 0; d < args.len; d++) {
        LLVMValueRef a = LLVMBuildLoad2(m->b, m->ptr, host_place_address(f, array), "");
        LLVMValueRef begin = host_array_dim(f, a, DIM_LO, d), end = host_array_end(f, a, d);
        Ast *range = sema_range_of(args.data[d]);
        LLVMValueRef lo, hi, one = host_long(m, 1), at = host_int(m, d);
        if (range) {
            lo = bound(f, range->range.lo, end, begin);
            hi = bound(f, range->range.hi, end, end);
        } else {
            lo = bound(f, args.data[d], end, begin);
            hi = LLVMBuildAdd(m->b, lo, one, "");
            box.fixed |= UINT64_C(1) << d;
        }
        LLVMBuildStore(m->b, lo, LLVMBuildInBoundsGEP2(m->b, m->i64, box.lo, &at, 1, ""));
        LLVMBuildStore(m->b, hi, LLVMBuildInBoundsGEP2(m->b, m->i64, box.hi, &at, 1, ""));
    }
    return box;
}

LLVMValueRef host_assign_slice(HostFunc *f, Ast *n, bool used)
{
    HostModule *m = f->m;
    Ast *target = n->assign.target, *value = n->assign.value;
    HostPlace *array = host_place(f, target->index.base);
    LLVMValueRef first = host_place_address(f, array);
    if (array->kind != PLACE_SLOT || array->sym) host_fill_empty(f, first, array->type, n->loc);
    Box box = evaluate(f, array, target->index.args);
    HostRef r = host_ref(f, value);
    LLVMValueRef v = host_keep(f, r, value->type, false), what = v;
    if (r.owned && !used) box.fixed |= CS_SLICE_LAST;
    bool fill = !type_is_functional(value->type);
    if (fill) {
        what = host_alloca(f, LLVMArrayType(m->i64, (unsigned)host_leaves(value->type)), "value");
        host_put(f, what, 0, v, value->type);
    }
    if (r.owned && !used && !fill) host_last_read(f, n, target->index.base->sym);
    LLVMValueRef slot = host_place_address(f, array);
    LLVMValueRef set[] = {slot, box.lo, box.hi, host_int(m, (int64_t)box.fixed), what};
    host_call_on_slot(f, fill ? ABI_cs_slice_fill : ABI_cs_slice_set, set, 5, n->loc);
    host_place_changed(f, array);
    return v;
}

/* s[a..b] */
HostRef host_string_slice(HostFunc *f, Ast *n)
{
    HostModule *m = f->m;
    Ast *range = sema_range_of(n->index.args.data[0]);
    if (!range) host_bug(m, n, "a slice without a range");
    LLVMValueRef s = host_value(f, n->index.base);
    host_check_null(f, s, n->index.base, n->loc);
    LLVMValueRef length = host_call_runtime(f, ABI_cs_str_length, &s, 1, n->loc);
    LLVMValueRef end = LLVMBuildSExt(m->b, length, m->i64, "");
    LLVMValueRef lo = bound(f, range->range.lo, end, host_long(m, 0));
    LLVMValueRef hi = bound(f, range->range.hi, end, end);
    LLVMValueRef args[] = {s, lo, hi};
    return (HostRef){host_call_runtime(f, ABI_cs_str_slice, args, 3, n->loc), true, false};
}
