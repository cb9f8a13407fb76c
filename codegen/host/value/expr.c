/* Expressions: one function for every kind, which says whether the caller owns the reference that
 * it gives. Requires: functional operations were lowered to GRAPH nodes, conversions are explicit.
 * A node that sema cannot leave here aborts (host_bug). */
#include "value.h"

/* ---- values and references ------------------------------------------------------------------- */

LLVMValueRef host_keep(HostFunc *f, HostRef r, const Type *type, bool hazard)
{
    if (!r.v || !type_is_ref(type)) return r.v;
    if (!r.owned && (hazard || r.weak))
        return host_temp(f, host_call_runtime(f, ABI_cs_retain, &r.v, 1, (Loc){0, 0, 0}));
    return r.owned ? host_temp(f, r.v) : r.v;
}

LLVMValueRef host_value(HostFunc *f, Ast *n)
{
    return host_keep(f, host_ref(f, n), n->type, false);
}

LLVMValueRef host_owned(HostFunc *f, Ast *n)
{
    HostRef r = host_ref(f, n);
    return r.owned ? r.v : host_call_runtime(f, ABI_cs_retain, &r.v, 1, n->loc);
}

void host_effect(HostFunc *f, Ast *n)
{
    if (n->kind == AST_ASSIGN || n->kind == AST_INCDEC)
        host_assign(f, n, false);
    else
        host_value(f, n);
}

LLVMValueRef host_peek(HostFunc *f, Ast *n)
{
    HostRef r = host_ref(f, n);
    r.weak = false;
    return host_keep(f, r, n->type, false);
}

void host_peeks(HostFunc *f, Ast *const *list, int n, LLVMValueRef *out)
{
    bool hazard = false, plain = true;
    for (int i = 1; i < n; i++) {
        plain = plain && host_is_plain(list[i]);
        hazard = hazard || host_may_assign(list[i]);
    }
    for (int i = 0; i < n; i++) {
        HostRef r = host_ref(f, list[i]);
        if (plain) r.weak = false;
        out[i] = host_keep(f, r, list[i]->type, hazard);
    }
}

void host_keep_values(HostFunc *f, Ast *const *list, int n, LLVMValueRef *out, bool *kept)
{
    bool hazard = false;
    for (int i = 1; i < n; i++) hazard = hazard || host_may_assign(list[i]);
    for (int i = 0; i < n; i++) {
        HostRef r = host_ref(f, list[i]);
        size_t before = f->temps.len;
        out[i] = host_keep(f, r, list[i]->type, hazard);
        kept[i] = f->temps.len > before;
    }
}

void host_values(HostFunc *f, Ast *const *list, int n, LLVMValueRef *out)
{
    host_keep_values(f, list, n, out, arena_array(f->m->arena, bool, n + 1));
}

static LLVMValueRef value_at(HostFunc *f, LLVMValueRef buffer, int i)
{
    LLVMValueRef index = host_long(f->m, i);
    return LLVMBuildInBoundsGEP2(f->m->b, f->m->i64, buffer, &index, 1, "");
}

static ScalarKind widest(ScalarKind k)
{
    return scalar_is_real(k) ? SC_DOUBLE : SC_LONG;
}

int host_put(HostFunc *f, LLVMValueRef buffer, int i, LLVMValueRef v, const Type *type)
{
    int n = host_leaves(type);
    LLVMValueRef *leaves = host_scatter(f, v, type);
    for (int k = 0; k < n; k++) {
        const Type *t = host_leaf_type(type, k);
        if (t->kind == TY_SCALAR)
            leaves[k] = host_convert(f, leaves[k], t->scalar, widest(t->scalar));
        LLVMBuildStore(f->m->b, leaves[k], value_at(f, buffer, i + k));
    }
    return i + n;
}

LLVMValueRef host_take(HostFunc *f, LLVMValueRef buffer, int i, const Type *type)
{
    HostModule *m = f->m;
    int n = host_leaves(type);
    LLVMValueRef *leaves = arena_array(m->arena, LLVMValueRef, n + 1);
    for (int k = 0; k < n; k++) {
        const Type *t = host_leaf_type(type, k);
        bool scalar = t->kind == TY_SCALAR, real = scalar && scalar_is_real(t->scalar);
        LLVMTypeRef stored = !scalar ? m->ptr : real ? m->f64 : m->i64;
        leaves[k] = LLVMBuildLoad2(m->b, stored, value_at(f, buffer, i + k), "");
        if (scalar) leaves[k] = host_convert(f, leaves[k], widest(t->scalar), t->scalar);
    }
    return host_gather(f, type, leaves);
}

HostRef host_from_abi(HostFunc *f, LLVMValueRef v, char letter, const Type *type, const Ast *n)
{
    if (letter == 'v') return (HostRef){v, false, false};
    if (letter == 'p') return (HostRef){v, type_is_ref(type), false};
    if (type->kind != TY_SCALAR) host_bug(f->m, n, "a scalar from the runtime where none can be");
    ScalarKind k = letter == 'l'   ? SC_LONG
                   : letter == 'i' ? SC_INT
                   : letter == 'f' ? SC_FLOAT
                                   : SC_DOUBLE;
    return (HostRef){host_convert(f, v, k, type->scalar), false, false};
}

LLVMValueRef host_to_abi(HostFunc *f, LLVMValueRef v, const Type *type, char letter)
{
    if (type->kind != TY_SCALAR) return v;
    ScalarKind k = letter == 'l'   ? SC_LONG
                   : letter == 'i' ? SC_INT
                   : letter == 'f' ? SC_FLOAT
                                   : SC_DOUBLE;
    return host_convert(f, v, type->scalar, k);
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static LLVMValueRef literal(HostFunc *f, const Ast *n)
{
    ScalarKind k = n->type->scalar;
    ScalarValue v = n->value;
    switch (n->kind) {
    case AST_INT_LIT:
        v = scalar_convert((ScalarValue){.i = (int64_t)n->int_lit.value}, SC_ULONG, k);
        break;
    case AST_REAL_LIT:
        v = scalar_convert((ScalarValue){.f = n->real_lit.value}, SC_DOUBLE, k);
        break;
    case AST_BOOL_LIT: v.i = n->bool_lit.value; break;
    default: v.i = (int64_t)n->char_lit.value; break;
    }
    return host_const(f->m, k, n->is_const ? n->value : v);
}

LLVMValueRef host_constant_text(HostFunc *f, const Symbol *constant)
{
    if (!constant->text.data) return LLVMConstNull(f->m->ptr);
    return host_string(f, constant->text);
}

/* Has the caller the variable, which others may change meanwhile? */
static bool is_given(const Symbol *sym)
{
    return sym->kind == SYM_PARAM && (sym->mode == AST_OP_REF || sym->mode == AST_OP_OUT) &&
           type_is_ref(sym->type);
}

static HostRef name(HostFunc *f, Ast *n)
{
    const Symbol *sym = n->sym;
    if (!sym) host_bug(f->m, n, "a name without a meaning");
    switch (sym->kind) {
    case SYM_LOCAL:
    case SYM_PARAM:
        if (!sym->host) host_bug(f->m, n, "a variable without a place");
        return (HostRef){host_load(f, sym->host, sym->type), false, is_given(sym)};
    case SYM_CONST:
        if (type_is_ref(sym->type)) return (HostRef){host_constant_text(f, sym), false, false};
        return (HostRef){host_const(f->m, sym->type->scalar, sym->value), false, false};
    case SYM_FUNC: return host_closure(f, n);
    default: host_bug(f->m, n, "a name that is no value");
    }
}

/* default(T) */
static HostRef default_value(HostFunc *f, const Ast *n)
{
    HostModule *m = f->m;
    const Type *t = n->type;
    LLVMValueRef zero = host_zero_struct(f, t);
    if (zero) return (HostRef){zero, false, false};
    if (t->kind != TY_ARRAY) return (HostRef){LLVMConstNull(host_type(m, t)), false, false};
    LLVMValueRef args[] = {host_int(m, host_elem(t)), host_int(m, t->nparams)};
    return (HostRef){host_call_runtime(f, ABI_cs_array_empty, args, 2, n->loc), true, false};
}

/* ---- operators ------------------------------------------------------------------------------- */

/* left && right, left || right: right is evaluated only if it counts. */
static LLVMValueRef short_circuit(HostFunc *f, const Ast *n)
{
    LLVMBuilderRef b = f->m->b;
    bool is_and = n->binary.op == AST_OP_LAND;
    LLVMValueRef left = host_value(f, n->binary.left);
    LLVMBasicBlockRef from = LLVMGetInsertBlock(b);
    LLVMBasicBlockRef more = host_block(f, is_and ? "and" : "or"), end = host_block(f, "end");
    LLVMBuildCondBr(b, left, is_and ? more : end, is_and ? end : more);
    host_enter(f, more);
    LLVMValueRef right = host_value(f, n->binary.right);
    LLVMBasicBlockRef last = LLVMGetInsertBlock(b);
    host_jump(f, end);
    host_enter(f, end);
    LLVMValueRef phi = LLVMBuildPhi(b, f->m->i1, "");
    LLVMValueRef values[] = {LLVMConstInt(f->m->i1, !is_and, false), right};
    LLVMBasicBlockRef blocks[] = {from, last};
    LLVMAddIncoming(phi, values, blocks, 2);
    return phi;
}

static LLVMValueRef compare_strings(HostFunc *f, const Ast *n)
{
    HostModule *m = f->m;
    Ast *list[] = {n->binary.left, n->binary.right};
    LLVMValueRef values[2];
    host_peeks(f, list, 2, values);
    LLVMValueRef order = host_call_runtime(f, ABI_cs_str_compare, values, 2, n->loc);
    LLVMValueRef args[] = {order, host_int(m, 0)};
    return host_operate(f, sema_op(n->binary.op), SC_INT, args, n->loc);
}

static LLVMValueRef same_object(HostFunc *f, const Ast *n)
{
    Ast *list[] = {n->binary.left, n->binary.right};
    LLVMValueRef values[2];
    host_peeks(f, list, 2, values);
    LLVMIntPredicate p = n->binary.op == AST_OP_EQ ? LLVMIntEQ : LLVMIntNE;
    if (list[0]->type->kind == TY_FUNC &&
        list[1]->type->kind == TY_FUNC) { /* both may be made anew */
        values[0] = host_call_runtime(f, ABI_cs_same_function, values, 2, n->loc);
        values[1] = LLVMConstInt(f->m->i32, 1, false);
    }
    return LLVMBuildICmp(f->m->b, p, values[0], values[1], "");
}

/* left ?? right: of references, right is evaluated if left is null; of functions, the union. */
static HostRef coalesce(HostFunc *f, const Ast *n)
{
    HostModule *m = f->m;
    Ast *list[] = {n->binary.left, n->binary.right};
    bool whole = list[1]->kind == AST_THROW || type_is_hosted(n->type); /* there or not */
    if (type_is_functional(n->type) &&
        !whole) { /* where the one has no values, those of the other */
        LLVMValueRef args[2];
        host_values(f, list, 2, args);
        return (HostRef){host_call_runtime(f, ABI_cs_coalesce, args, 2, n->loc), true, false};
    }
    LLVMBasicBlockRef other = host_block(f, "null"), end = host_block(f, "end"), blocks[2];
    LLVMValueRef values[2];
    values[0] = host_owned(f, list[0]);
    blocks[0] = LLVMGetInsertBlock(m->b);
    LLVMBuildCondBr(m->b, host_is_null(f, values[0], list[0]->type), other, end);
    host_enter(f, other);
    values[1] = host_owned(f, list[1]);
    blocks[1] = LLVMGetInsertBlock(m->b);
    host_jump(f, end);
    host_enter(f, end);
    LLVMValueRef phi = LLVMBuildPhi(m->b, m->ptr, "");
    LLVMAddIncoming(phi, values, blocks, 2);
    return (HostRef){phi, true, false};
}

/* Functions that give nothing: + adds one that is called, - takes it out. */
static HostRef combine(HostFunc *f, const Ast *n)
{
    Ast *list[] = {n->binary.left, n->binary.right};
    LLVMValueRef args[2];
    host_values(f, list, 2, args);
    AbiId id = n->binary.op == AST_OP_ADD ? ABI_cs_combine : ABI_cs_uncombine;
    return (HostRef){host_call_runtime(f, id, args, 2, n->loc), true, false};
}

static HostRef binary(HostFunc *f, Ast *n)
{
    AstOp op = n->binary.op;
    Ast *left = n->binary.left, *right = n->binary.right;
    if (op == AST_OP_LAND || op == AST_OP_LOR) return (HostRef){short_circuit(f, n), false, false};
    if (op == AST_OP_COALESCE) return coalesce(f, n);
    if (n->type->kind == TY_STRING) return host_concat(f, n);
    if (n->type->kind == TY_FUNC) return combine(f, n);
    if (left->type->kind == TY_STRING && right->type->kind == TY_STRING)
        return (HostRef){compare_strings(f, n), false, false};
    if (type_is_ref(left->type) && (op == AST_OP_EQ || op == AST_OP_NE))
        return (HostRef){same_object(f, n), false, false};
    if (left->type->kind != TY_SCALAR || right->type->kind != TY_SCALAR)
        host_bug(f->m, n, "an operator on operands that are no scalars");
    FdOp fd = sema_op(op);
    ScalarKind kl = left->type->scalar, kr = right->type->scalar;
    LLVMValueRef v = host_value(f, left), w = host_value(f, right);
    bool is_shift = fd_op_info(fd)->rule == FD_RULE_SHIFT;
    ScalarKind k = is_shift ? host_promote(kl, kl) : host_promote(kl, kr);
    LLVMValueRef args[] = {host_convert(f, v, kl, k), is_shift ? w : host_convert(f, w, kr, k)};
    v = host_operate(f, fd, k, args, n->loc);
    return (HostRef){host_convert(f, v, fd_op_result(fd, k), n->type->scalar), false, false};
}

static LLVMValueRef unary(HostFunc *f, const Ast *n)
{
    const Ast *operand = n->unary.operand;
    if (operand->type->kind != TY_SCALAR || n->type->kind != TY_SCALAR)
        host_bug(f->m, n, "an operator on an operand that is no scalar");
    ScalarKind k = n->type->scalar;
    LLVMValueRef x = host_convert(f, host_value(f, n->unary.operand), operand->type->scalar, k);
    return host_operate(f, sema_op(n->unary.op), k, &x, n->loc);
}

/* cond ? then : other; references come out owned. */
static HostRef conditional(HostFunc *f, const Ast *n)
{
    LLVMBuilderRef b = f->m->b;
    bool ref = type_is_ref(n->type);
    LLVMValueRef test = host_value(f, n->cond.cond), values[2];
    LLVMBasicBlockRef then = host_block(f, "then"), other = host_block(f, "else"), blocks[2];
    LLVMBasicBlockRef end = host_block(f, "end");
    LLVMBuildCondBr(b, test, then, other);
    host_enter(f, then);
    values[0] = ref ? host_owned(f, n->cond.then) : host_value(f, n->cond.then);
    blocks[0] = LLVMGetInsertBlock(b);
    host_jump(f, end);
    host_enter(f, other);
    values[1] = ref ? host_owned(f, n->cond.other) : host_value(f, n->cond.other);
    blocks[1] = LLVMGetInsertBlock(b);
    host_jump(f, end);
    host_enter(f, end);
    LLVMValueRef phi = LLVMBuildPhi(b, host_type(f->m, n->type), "");
    LLVMAddIncoming(phi, values, blocks, 2);
    return (HostRef){phi, ref, false};
}

/* ---- conversions ----------------------------------------------------------------------------- */

static HostRef convert(HostFunc *f, const Ast *n, Ast *operand)
{
    const Type *from = operand->type, *to = n->type;
    if (from->kind == TY_NULL) return (HostRef){host_null(f->m), false, false};
    if (to->kind == TY_STRING) return host_text(f, operand);
    if (from->kind == TY_SCALAR && to->kind == TY_SCALAR) {
        LLVMValueRef v = host_value(f, operand);
        return (HostRef){host_convert(f, v, from->scalar, to->scalar), false, false};
    }
    if (from == to) return host_ref(f, operand);
    if (from->kind == TY_OBJECT && to->kind == TY_FUNC) return host_object_function(f, n, operand);
    if (from->kind == TY_OBJECT && to->kind == TY_OBJECT) {
        bool up = n->kind == AST_CONVERT || class_is(from->decl->cls, to->decl->cls);
        return up ? host_ref(f, operand) : host_class_cast(f, (Ast *)n);
    }
    if (!type_is_functional(from) || !type_is_functional(to) ||
        !type_same_value(from->result, to->result))
        host_bug(f->m, n, "a conversion that was not lowered");
    if (to->kind != TY_ARRAY || from->kind == TY_ARRAY) return host_ref(f, operand);
    if (n->kind == AST_CONVERT && n->convert.view) {
        LLVMValueRef lazy = host_value(f, operand);
        host_check_null(f, lazy, operand, n->loc);
        return (HostRef){host_call_runtime(f, ABI_cs_view, &lazy, 1, n->loc), true, false};
    }
    if (operand->kind == AST_GRAPH) return host_graph_value(f, operand, to);
    LLVMValueRef fn = host_value(f, operand);
    host_check_null(f, fn, operand, n->loc);
    return (HostRef){host_call_runtime(f, ABI_cs_force, &fn, 1, n->loc), true, false};
}

/* ---- functional values ----------------------------------------------------------------------- */

HostRef host_apply(HostFunc *f, Ast *n, Ast *fn, AstList args)
{
    HostModule *m = f->m;
    const Type *t = n->type;
    if (fn->type->kind == TY_ARRAY) return host_read_element(f, fn, args, t, n->loc);
    Ast **all = arena_array(m->arena, Ast *, args.len + 1);
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, args.len + 1);
    all[0] = fn;
    for (int i = 0; i < args.len; i++) all[i + 1] = args.data[i];
    host_values(f, all, args.len + 1, values);
    host_check_null(f, values[0], fn, n->loc);
    LLVMValueRef buffer = host_pack(f, args.data, values + 1, args.len);
    if (t->kind != TY_SCALAR) {
        int n_out = t->kind == TY_VOID ? 1 : host_leaves(t);
        LLVMValueRef out = host_alloca(f, LLVMArrayType(m->i64, (unsigned)n_out), "");
        LLVMValueRef list[] = {values[0], buffer, out};
        host_call_runtime(f, ABI_cs_apply, list, 3, n->loc);
        if (t->kind == TY_VOID) return (HostRef){NULL, false, false};
        return (HostRef){host_take(f, out, 0, t), type_is_ref(t), false};
    }
    AbiId id = scalar_is_real(t->scalar) ? ABI_cs_apply_f : ABI_cs_apply_i;
    LLVMValueRef list[] = {values[0], buffer};
    LLVMValueRef v = host_call_runtime(f, id, list, 2, n->loc);
    return host_from_abi(f, v, host_abi_signature(f->m, id)[0], t, n);
}

static HostRef subscript(HostFunc *f, Ast *n)
{
    Ast *base = n->index.base;
    if (base->type->kind != TY_STRING) return host_apply(f, n, base, n->index.args);
    if (n->type->kind == TY_STRING) return host_string_slice(f, n);
    Ast *list[] = {base, host_index_tree(n->index.args.data[0])};
    LLVMValueRef values[2];
    host_peeks(f, list, 2, values);
    host_check_null(f, values[0], base, n->loc);
    values[1] = host_to_abi(f, values[1], list[1]->type, 'i');
    if (list[1] != n->index.args.data[0]) {
        LLVMValueRef end = host_call_runtime(f, ABI_cs_str_length, values, 1, n->loc);
        values[1] = LLVMBuildSub(f->m->b, end, values[1], "");
    }
    return (HostRef){host_call_runtime(f, ABI_cs_str_char, values, 2, n->loc), false, false};
}

static HostRef assigned(HostFunc *f, Ast *n)
{
    LLVMValueRef v = host_assign(f, n, true);
    if (!type_is_ref(n->type)) return (HostRef){v, false, false};
    return (HostRef){host_call_runtime(f, ABI_cs_retain, &v, 1, n->loc), true, false};
}

/* What comes behind is not reached. */
static HostRef thrown(HostFunc *f, Ast *n)
{
    host_raise(f, n);
    host_enter(f, host_block(f, "never"));
    return (HostRef){LLVMGetUndef(host_type(f->m, n->type)), true, false};
}

HostRef host_ref(HostFunc *f, Ast *n)
{
    if (!n->type) host_bug(f->m, n, "an expression without a type");
    if (n->is_const && n->type->kind == TY_SCALAR)
        return (HostRef){host_const(f->m, n->type->scalar, n->value), false, false};
    switch (n->kind) {
    case AST_INT_LIT:
    case AST_REAL_LIT:
    case AST_BOOL_LIT:
    case AST_CHAR_LIT: return (HostRef){literal(f, n), false, false};
    case AST_STRING_LIT: return (HostRef){host_string(f, n->string_lit.value), false, false};
    case AST_NULL_LIT: return (HostRef){host_null(f->m), false, false};
    case AST_DEFAULT: return default_value(f, n);
    case AST_INTERP: return host_interpolate(f, n);
    case AST_THIS:
    case AST_BASE: return (HostRef){host_load(f, n->sym->host, n->sym->type), false, false};
    case AST_NAME_REF: return name(f, n);
    case AST_UNARY: return (HostRef){unary(f, n), false, false};
    case AST_BINARY: return binary(f, n);
    case AST_ASSIGN:
    case AST_INCDEC: return assigned(f, n);
    case AST_COND: return conditional(f, n);
    case AST_THROW: return thrown(f, n);
    case AST_CAST: return convert(f, n, n->cast.operand);
    case AST_IS:
    case AST_AS: return host_is(f, n);
    case AST_CLOSURE: return host_closure(f, n);
    case AST_CONVERT: return convert(f, n, n->convert.operand);
    case AST_CALL:
    case AST_MEMBER:
    case AST_NEW: return host_call(f, n);
    case AST_INDEX: return subscript(f, n);
    case AST_NEW_ARRAY:
    case AST_INIT_LIST: return host_new_array(f, n);
    case AST_GRAPH: return host_graph_value(f, n, n->type);
    default: host_bug(f->m, n, "an expression that was not lowered");
    }
}
