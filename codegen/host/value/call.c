/* Calls of user functions, with ref and out arguments, and of the library by its rows: operations,
 * functions of the runtime by their letters, and what needs no call. Arguments are evaluated in
 * order; by-value references are borrowed, and kept alive where an argument may change a variable.
 */
#include <math.h>
#include <string.h>

#include "value.h"

/* ---- user functions -------------------------------------------------------------------------- */

typedef struct Argument {
    LLVMValueRef v;
    HostPlace *back; /* an element passed by reference: copied back from `copy` after the call */
    LLVMValueRef copy;
    HostPlace *part; /* of the copy, if that alone goes back; or NULL */
} Argument;

/* The address that a ref or out parameter gets. Elements may move while the function runs, so it
 * works on a copy; what is a part of a record in an array is that part of the record's copy. */
static Argument by_reference(HostFunc *f, Ast *n)
{
    HostPlace *p = host_place_alone(f, host_strip_mode(n)), **whole = &p;
    if (p->kind == PLACE_SLOT || p->kind == PLACE_FIELD)
        return (Argument){.v = host_place_address(f, p)}; /* which stays where it is */
    while ((*whole)->kind == PLACE_PART) whole = &(*whole)->of;
    if ((*whole)->kind != PLACE_ELEMENT) whole = &p;
    HostPlace *back = *whole, *copy = arena_new_of(f->m->arena, HostPlace);
    *copy = (HostPlace){.kind = PLACE_SLOT, .type = back->type, .loc = back->loc};
    LLVMValueRef v = host_place_load(f, back);
    if (type_is_ref(back->type)) {
        host_temp(f, host_call_runtime(f, ABI_cs_retain, &v, 1, n->loc));
        copy->slot = vec_last(&f->temps);
    } else {
        copy->slot = host_alloca(f, host_stored_type(f->m, back->type), "copy");
        host_store(f, copy->slot, v, back->type);
    }
    *whole = copy;
    return (Argument){host_place_address(f, p), back, copy->slot, p != copy ? p : NULL};
}

static LLVMValueRef part_of(HostFunc *f, LLVMValueRef record, const HostPlace *p)
{
    if (p->of->kind == PLACE_PART) record = part_of(f, record, p->of);
    return LLVMBuildExtractValue(f->m->b, record, (unsigned)p->sym->field, "");
}

/* The record with part p set: other parts of it may have been given to the same function. */
static LLVMValueRef with_part(HostFunc *f, LLVMValueRef record, const HostPlace *p, LLVMValueRef v)
{
    HostModule *m = f->m;
    unsigned field = (unsigned)p->sym->field;
    if (p->of->kind == PLACE_PART) {
        const HostPlace *of = p->of;
        LLVMValueRef outer = part_of(f, record, of);
        return with_part(f, record, of, LLVMBuildInsertValue(m->b, outer, v, field, ""));
    }
    return LLVMBuildInsertValue(m->b, record, v, field, "");
}

/* What goes back: of a part, into what the element is now. */
static LLVMValueRef given_back(HostFunc *f, const Argument *a)
{
    if (!a->part) return host_load(f, a->copy, a->back->type);
    LLVMValueRef at = host_place_address(f, a->part),
                 v = LLVMBuildLoad2(f->m->b, host_stored_type(f->m, a->part->type), at, "");
    return with_part(f, host_place_load(f, a->back), a->part, v);
}

static void copy_back(HostFunc *f, const Argument *a)
{
    LLVMValueRef v = given_back(f, a);
    if (type_is_ref(a->back->type)) host_untemp(f, a->copy);
    host_place_store(f, a->back, v);
}

/* The function has thrown, and set what it was given all the same. An exception in here takes the
 * place of its own. */
static void copy_back_thrown(HostFunc *f, const Argument *list, int n, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef thrown = host_call_runtime(f, ABI_cs_save_exception, NULL, 0, loc);
    host_temp(f, thrown);
    LLVMValueRef slot = vec_last(&f->temps);
    for (int i = 0; i < n; i++) {
        const HostPlace *to = list[i].back;
        if (!to) continue;
        LLVMValueRef v = given_back(f, &list[i]);
        /* its temporary stays one, of the other way */
        if (type_is_ref(to->type)) LLVMBuildStore(m->b, host_null(m), list[i].copy);
        host_place_store(f, list[i].back, v);
    }
    host_untemp(f, slot);
    host_call_runtime(f, ABI_cs_restore_exception, &thrown, 1, loc);
    host_jump(f, host_unwind(f));
}

/* Calls a user function with all its arguments, of a method `this` first: through the object's
 * table unless it is known which function runs. Every call of user code goes through here.
 * list: n arguments to be copied back if it throws, or NULL. */
static LLVMValueRef run(HostFunc *f, const Symbol *sym, bool direct, LLVMValueRef *args,
                        unsigned count, const Argument *list, int n, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef fn = host_dispatch(f, sym, count ? args[0] : NULL, direct);
    LLVMValueRef v = LLVMBuildCall2(m->b, host_func_info(m, sym)->type, fn, args, count, "");
    if (!host_call_throws(m, sym, direct)) return v;
    if (!list) {
        host_check_pending(f, loc, true);
        return v;
    }
    LLVMBasicBlockRef next = host_if_pending(f, loc);
    copy_back_thrown(f, list, n, loc);
    host_enter(f, next);
    return v;
}

/* What is called on: a tree, or a value that is there already; v is NULL for static functions. */
typedef struct Self {
    Ast *tree;
    LLVMValueRef v;
} Self;

/* The k-th argument that is evaluated. */
static int evaluated(const Ast *n, int k)
{
    int named = 0;
    while (n->order && n->order[named] != AST_ORDER_END) named++;
    if (k < named) return n->order[k];
    for (int i = 0, others = k - named;; i++) {
        bool is_named = false;
        for (int j = 0; j < named; j++) is_named = is_named || n->order[j] == i;
        if (!is_named && others-- == 0) return i;
    }
}

static HostRef call_user(HostFunc *f, Ast *n, const Symbol *sym, Self self, AstList args)
{
    HostModule *m = f->m;
    const HostFuncInfo *info = host_func_info(m, sym);
    AstList params = info->params;
    if (args.len != params.len) host_bug(m, n, "a call with the wrong number of arguments");
    Argument *list = arena_array(m->arena, Argument, args.len + 1);
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, args.len + 2);
    unsigned count = 0;
    bool hazard = false, copies = false;
    for (int i = 0; i < args.len; i++) hazard = hazard || host_may_assign(args.data[i]);
    if (self.tree) self.v = host_keep(f, host_ref(f, self.tree), self.tree->type, hazard);
    if (self.v) values[count++] = self.v;
    for (int k = 0; k < args.len; k++) {
        int i = evaluated(n, k);
        AstOp mode = params.data[i]->param.mode;
        Ast *arg = args.data[i];
        if (mode == AST_OP_REF || mode == AST_OP_OUT)
            list[i] = by_reference(f, arg);
        else
            list[i].v = host_keep(f, host_ref(f, arg), arg->type, hazard);
        values[count + (unsigned)i] = list[i].v;
        copies = copies || list[i].back;
    }
    count += (unsigned)args.len;
    host_debug_at(f, n->loc);
    bool zero = self.v && host_is_value_class(sym->cls); /* null is a value of it */
    bool object = self.v && !zero && !type_is_record(sym->cls->type);
    if (object) host_check_null(f, self.v, self.tree, n->loc);
    bool direct = self.tree && self.tree->kind == AST_BASE;
    LLVMValueRef v = run(f, sym, direct, values, count, copies ? list : NULL, args.len, n->loc);
    const Type *type = sym->is_ctor ? sym->cls->type : sym->type->result;
    HostRef r = {v, !sym->is_ctor && type_is_ref(type), false};
    if (!copies) return r;
    if (r.owned) r = (HostRef){host_temp(f, v), false, false}; /* copying back may throw */
    for (int i = 0; i < args.len; i++)
        if (list[i].back) copy_back(f, &list[i]);
    return r;
}

HostRef host_call_on(HostFunc *f, Ast *n, const Symbol *sym, LLVMValueRef self, AstList args)
{
    return call_user(f, n, sym, (Self){NULL, self}, args);
}

HostRef host_call_static(HostFunc *f, const Symbol *sym, LLVMValueRef *args, int n, Loc loc)
{
    LLVMValueRef v = run(f, sym, false, args, (unsigned)n, NULL, 0, loc);
    return (HostRef){v, type_is_ref(sym->type->result), false};
}

HostRef host_call_accessor(HostFunc *f, const HostPlace *p, const Symbol *accessor,
                           LLVMValueRef value)
{
    HostModule *m = f->m;
    if (!accessor) host_bug(m, p->base, "a property without this accessor");
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, p->nargs + 3);
    unsigned count = 0;
    if (p->object) {
        values[count++] = p->object;
        host_check_null(f, p->object, p->base, p->loc);
    }
    for (int i = 0; i < p->nargs; i++) values[count++] = p->values[i];
    if (value) values[count++] = value;
    bool direct = p->object && p->base->kind == AST_BASE;
    LLVMValueRef v = run(f, accessor, direct, values, count, NULL, 0, p->loc);
    return (HostRef){v, !value && type_is_ref(p->type), false};
}

/* `: this(..)` and `: base(..)` at the head of a constructor. */
static HostRef call_chained(HostFunc *f, Ast *n, const Symbol *ctor)
{
    Symbol *self = (Symbol *)f->self;
    if (!f->makes) {
        LLVMValueRef v = host_load(f, self->host, self->type);
        return host_call_on(f, n, ctor, v, n->call.args);
    }
    HostRef r = host_call_on(f, n, ctor, NULL, n->call.args);
    host_store(f, self->host, r.v, self->type);
    return (HostRef){NULL, false, false};
}

/* ---- the library ----------------------------------------------------------------------------- */

/* An elementary operation on scalars: Math.Sqrt(x), min(a, b). */
static HostRef operation(HostFunc *f, const Ast *n, FdOp op, Ast *const *args, int count)
{
    LLVMValueRef v[3] = {NULL, NULL, NULL};
    if (count != fd_op_info(op)->arity || count > 3 || n->type->kind != TY_SCALAR)
        host_bug(f->m, n, "an operation that was not lowered");
    host_values(f, args, count, v);
    ScalarKind k = args[0]->type->scalar;
    for (int i = 1; i < count; i++) v[i] = host_convert(f, v[i], args[i]->type->scalar, k);
    if (op == FD_OP_CLAMP) {
        v[0] = host_operate(f, FD_OP_MAX, k, v, n->loc);
        v[1] = v[2];
        op = FD_OP_MIN;
    }
    LLVMValueRef r = host_operate(f, op, k, v, n->loc);
    return (HostRef){host_convert(f, r, fd_op_result(op, k), n->type->scalar), false, false};
}

/* What the runtime wants beyond the arguments: the kind of number to parse, the type of array to
 * load. */
static int extra_arguments(HostFunc *f, AbiId id, const Ast *n, LLVMValueRef *out)
{
    HostModule *m = f->m;
    if (id == ABI_cs_parse_i || id == ABI_cs_parse_f) {
        out[0] = host_int(m, (int64_t)n->type->scalar);
        return 1;
    }
    if (id == ABI_cs_try_parse) {
        AstList args = n->call.args;
        out[0] = host_int(m, (int64_t)args.data[args.len - 1]->type->scalar);
        return 1;
    }
    if (id == ABI_cs_npy_load) {
        if (n->type->kind != TY_ARRAY) host_bug(m, n, "a load without an array type");
        out[0] = host_int(m, host_elem(n->type));
        out[1] = host_int(m, n->type->nparams);
        return 2;
    }
    return 0;
}

/* Of scalars and strings alone: it runs no user code. */
static bool quiet(Ast *const *args, int n)
{
    for (int i = 0; i < n; i++)
        if (args[i]->type->kind != TY_SCALAR && args[i]->type->kind != TY_STRING) return false;
    return true;
}

/* What .NET calls the text that a function of the library is given. */
static const char *parameter_of(const char *function)
{
    static const char *const names[][2] = {{"Parse", "s"},           {"Replace", "oldValue"},
                                           {"ReadAllText", "path"},  {"ReadAllLines", "path"},
                                           {"WriteAllText", "path"}, {"Exists", "path"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(function, names[i][0])) return names[i][1];
    return "value";
}

/* ArgumentNullException if v, the value of tree n, is null. */
static void check_argument(HostFunc *f, LLVMValueRef v, const Ast *n, const char *function, Loc loc)
{
    HostModule *m = f->m;
    if (!host_may_be_null(n)) return;
    LLVMBasicBlockRef null = host_block(f, "null"), next = host_block(f, "argument");
    host_branch_cold(f, LLVMBuildIsNull(m->b, v, ""), null, next);
    host_enter(f, null);
    LLVMValueRef name = host_c_string(m, parameter_of(function));
    host_call_runtime(f, ABI_cs_throw_null_argument, &name, 1, loc);
    host_jump(f, host_unwind(f));
    host_enter(f, next);
}

/* Which strings must not be null says the row; that of a member never may, nor a function. */
static void check_nulls(HostFunc *f, const Ast *n, const Builtin *row, const char *params,
                        Ast *const *args, const LLVMValueRef *v, int count, const Ast *self)
{
    for (int i = 0; i < count; i++)
        if (args[i]->type->kind == TY_FUNC || (args[i] == self && args[i]->type->kind == TY_STRING))
            host_check_null(f, v[i], args[i], n->loc);
        else if (params[i] == 's')
            check_argument(f, v[i], args[i], library_names[row->name], n->loc);
}

/* A value above all longs, converted to one? */
static bool was_ulong(const Ast *n)
{
    const Type *t = n->kind == AST_CONVERT ? n->convert.operand->type : n->type;
    return t->kind == TY_SCALAR && t->scalar == SC_ULONG;
}

/* What cs_compare_i and cs_compare_f give: LLVM is to see through it, in loops that sort. */
static LLVMValueRef three_way(HostFunc *f, bool real, bool sign, LLVMValueRef a, LLVMValueRef b)
{
    HostModule *m = f->m;
    LLVMValueRef more = real ? LLVMBuildFCmp(m->b, LLVMRealOGT, a, b, "")
                             : LLVMBuildICmp(m->b, sign ? LLVMIntSGT : LLVMIntUGT, a, b, ""),
                 less = real ? LLVMBuildFCmp(m->b, LLVMRealOLT, a, b, "")
                             : LLVMBuildICmp(m->b, sign ? LLVMIntSLT : LLVMIntULT, a, b, "");
    more = LLVMBuildZExt(m->b, more, m->i32, "");
    less = LLVMBuildZExt(m->b, less, m->i32, "");
    LLVMValueRef order = LLVMBuildSub(m->b, more, less, "");
    if (!real) return order;
    LLVMValueRef above = LLVMBuildFCmp(m->b, LLVMRealUNO, b, b, ""), /* NaN is below all */
        below = LLVMBuildFCmp(m->b, LLVMRealUNO, a, a, "");
    above = LLVMBuildZExt(m->b, above, m->i32, "");
    below = LLVMBuildZExt(m->b, below, m->i32, "");
    return LLVMBuildAdd(m->b, order, LLVMBuildSub(m->b, above, below, ""), "");
}

static LLVMValueRef test_real(HostFunc *f, const BuiltinTest *test, LLVMValueRef x)
{
    HostModule *m = f->m;
    LLVMTypeRef t = LLVMTypeOf(x);
    LLVMValueRef r = LLVMConstInt(m->i1, 0, 0);
    if (test->nan) r = LLVMBuildFCmp(m->b, LLVMRealUNO, x, x, "");
    for (int side = 0; side < 2; side++) {
        if (!(side ? test->above : test->below)) continue;
        LLVMValueRef end = LLVMConstReal(t, side ? (double)INFINITY : -(double)INFINITY);
        r = LLVMBuildOr(m->b, r, LLVMBuildFCmp(m->b, LLVMRealOEQ, x, end, ""), "");
    }
    return test->negated ? LLVMBuildNot(m->b, r, "") : r;
}

static HostRef runtime_function(HostFunc *f, const Ast *n, const Builtin *row, Ast *const *args,
                                int count, const Ast *self)
{
    HostModule *m = f->m;
    AbiId id = row->runtime;
    const char *letters = host_abi_signature(f->m, id);
    const char *params = row->signature + (row->signature[0] == '=' ? 2 : 1);
    LLVMValueRef v[16];
    Argument out = {0};
    if (strchr(params, '&')) { /* the last one is set */
        host_values(f, args, count - 1, v);
        out = by_reference(f, args[count - 1]);
        v[count - 1] = out.v;
    } else if (strchr(params, '*'))
        for (int i = 0; i < count; i++) {
            HostRef r = params[i] == '*' ? host_text(f, args[i]) : host_ref(f, args[i]);
            v[i] = host_keep(f, r, type_string(m->sema->types), false);
        }
    else if (quiet(args, count))
        host_peeks(f, args, count, v);
    else
        host_values(f, args, count, v);
    check_nulls(f, n, row, params, args, v, count, self);
    for (int i = 0; i < count; i++)
        if (letters[i + 1] != 'p') v[i] = host_to_abi(f, v[i], args[i]->type, letters[i + 1]);
    count += extra_arguments(f, id, n, v + count);
    int wanted = (int)strlen(letters) - 1 - host_abi_takes_site(id);
    while (count < wanted) v[count++] = host_null(m); /* Console.WriteLine() */
    bool compares = id == ABI_cs_compare_i || id == ABI_cs_compare_f;
    LLVMValueRef r;
    if (compares) {
        bool sign = !was_ulong(args[0]) && !was_ulong(args[1]);
        r = three_way(f, id == ABI_cs_compare_f, sign, v[0], v[1]);
    } else {
        r = host_call_runtime(f, id, v, count, n->loc);
    }
    if (out.back) copy_back(f, &out);
    if (letters[0] == 'l' && row->signature[0] == 'i' && row->space == SPACE_func)
        return (HostRef){host_narrow(f, r, n->loc), false, false};
    return host_from_abi(f, r, letters[0], n->type, n);
}

static HostRef call_library(HostFunc *f, const Ast *n, const Symbol *sym, Ast *self, AstList list)
{
    HostModule *m = f->m;
    const Builtin *row = &builtins[sym->builtin];
    Ast *args[12];
    int count = 0;
    if (list.len > 10) host_bug(m, n, "too many arguments");
    const char *params = row->signature + (row->signature[0] == '=' ? 2 : 1);
    int letters = (int)strcspn(params, ".");
    if (self && letters == list.len + 1) args[count++] = self;
    for (int i = 0; i < list.len; i++) args[count++] = list.data[i];
    if (row->op != FD_OP_NONE) return operation(f, n, row->op, args, count);
    if (count && args[0] == self && self->type->kind == TY_ARRAY) {
        LLVMValueRef v = host_array_member(f, row->name, self, list, n->loc);
        if (v) return (HostRef){v, false, false};
    }
    if (row->runtime != ABI_NONE) return runtime_function(f, n, row, args, count, self);
    if (builtin_is(row, SPACE_global, LIB_Eval) && count == 1) {
        if (args[0]->type->kind == TY_ARRAY) return host_ref(f, args[0]);
        LLVMValueRef fn = host_value(f, args[0]);
        return (HostRef){host_call_runtime(f, ABI_cs_force, &fn, 1, n->loc), true, false};
    }
    if (builtin_is(row, SPACE_global, LIB_Begin))
        return (HostRef){host_coroutine_object(f), true, false};
    if (builtin_is(row, SPACE_global, LIB_Yield)) {
        host_yield(f);
        return (HostRef){NULL, false, false};
    }
    BuiltinTest test;
    if (count == 1 && builtin_tests(row, &test))
        return (HostRef){test_real(f, &test, host_value(f, args[0])), false, false};
    host_bug(m, n, library_names[row->name]);
}

/* ---- dispatch -------------------------------------------------------------------------------- */

HostRef host_call(HostFunc *f, Ast *n)
{
    const Symbol *sym = n->sym;
    Ast *self = NULL;
    AstList args = {0};
    if (n->kind == AST_MEMBER) {
        self = n->member.base;
    } else if (n->kind == AST_NEW) {
        args = n->new_.args;
    } else {
        Ast *callee = n->call.callee;
        args = n->call.args;
        if (n->res == AST_RES_APPLY) return host_apply(f, n, callee, args);
        if (!sym) sym = callee->sym;
        bool chain = callee->kind == AST_THIS || callee->kind == AST_BASE;
        if (chain && sym && sym->is_ctor) return call_chained(f, n, sym);
        if (callee->kind == AST_MEMBER) self = callee->member.base;
    }
    if (n->res != AST_RES_NONE) host_bug(f->m, n, "a call that was not lowered");
    if (sym && sym->kind == SYM_FIELD && n->kind == AST_MEMBER) return host_field(f, n);
    if (sym && sym->kind == SYM_FUNC && n->kind == AST_NEW) return host_new(f, n);
    if (sym && sym->kind == SYM_FUNC && n->kind == AST_CALL) {
        if (!host_takes_self(sym)) self = NULL;
        return call_user(f, n, sym, (Self){self, NULL}, args);
    }
    if (sym && sym->kind == SYM_BUILTIN) return call_library(f, n, sym, self, args);
    if (sym && sym->kind == SYM_CONST && sym->type->kind == TY_SCALAR)
        return (HostRef){host_const(f->m, sym->type->scalar, sym->value), false, false};
    if (sym && sym->kind == SYM_CONST) return (HostRef){host_constant_text(f, sym), false, false};
    host_bug(f->m, n, "a call of nothing that can be called");
}
