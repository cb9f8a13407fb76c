/* Local arrays. An index that is the same in all lanes takes an element as it is, a vector where lanes can
 * differ; one that varies takes each lane's own, to be read:
 *
 *   w[k]        w[k]
 *   w[i]        cs_pick(w, i)             lane l of w[i of lane l]
 *
 * Indices outside are reported, or noted, as those of reads are (offset.c). */
#include "local.h"
#include "../../../base/internal.h"

static const KirType idx = {.kind = KIR_IDX, .lanes = 1}, truth = {.kind = SC_BOOL, .lanes = 1};

static const KirExpr *length_of(const Gen *g, const FdNode *array)
{
    return kir_int(g->u->arena, fd_extent_count(array));
}

void local_declare(Gen *g, const FdNode *array, int lanes)
{
    const KirExpr *length = length_of(g, array);
    const char *name = gen_var_name(g, array);
    KirType t = gen_type_in(g->u, array->type->result, lanes);
    kir_array(g->u->arena, g->block, t, name, false, 1, &length);
    gen_bind(g, array, kir_name(g->u->arena, t, name));
}

static const KirExpr *element_at(Gen *g, const FdNode *array, const KirExpr *offset)
{
    const KirExpr *all = gen_bound(g, array);
    return kir_elem(g->u->arena, all->type, all->name, 1, &offset);
}

/* ---- indices ----------------------------------------------------------------------------------- */

static const KirExpr *scalar_index(Gen *g, const FdNode *n, int d, const KirExpr *value)
{
    Arena *a = g->u->arena;
    int64_t length = n->fn->extent[d];
    if (fd_element_is_shown(n, d)) return kir_int(a, n->args[d]->value.i);
    if (g->checks == GEN_CHECKED) {
        const KirType wide = kir_type(SC_LONG, 1);
        const KirExpr *args[] = {kir_convert(a, wide, value), kir_int(a, 0), kir_int(a, length),
                                 gen_error(g), kir_int(a, site_of(n))};
        return kir_convert(a, idx, kir_intrinsic(a, wide, INTR_INSIDE, args));
    }
    const KirExpr *at = gen_variable(g, "at", kir_convert(a, idx, value));
    const KirExpr *args[] = {at, kir_int(a, length - 1)};
    gen_note(g, kir_intrinsic(a, truth, INTR_BEYOND, args));
    return kir_intrinsic(a, idx, INTR_WITHIN, args);
}

static const KirExpr *lanes_index(Gen *g, const FdNode *n, int d, const KirExpr *value)
{
    Arena *a = g->u->arena;
    ScalarKind k = (ScalarKind)value->type.kind;
    KirType t = kir_type(k == SC_INT || scalar_bytes(k) < 4 ? SC_INT : SC_LONG, g->lanes),
            mask = kir_type(SC_BOOL, g->lanes);
    const KirExpr *at = gen_variable(g, "at", kir_convert(a, t, value)),
                  *last =
                      kir_const(a, (ScalarKind)t.kind, (ScalarValue){.i = n->fn->extent[d] - 1});
    const KirExpr *args[] = {at, kir_splat(a, g->lanes, last)};
    gen_note(g, kir_intrinsic(a, mask, INTR_BEYONDS, args));
    return kir_convert(a, kir_type(SC_INT, g->lanes), kir_intrinsic(a, t, INTR_WITHINS, args));
}

/* Offset of an element: an index, or one in lanes. */
static const KirExpr *offset_of(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    KirType ints = kir_type(SC_INT, g->lanes);
    const KirExpr *offset = kir_int(a, 0), *each = NULL;
    for (int d = 0; d < n->nargs; d++) {
        int64_t length = n->fn->extent[d];
        const KirExpr *value = fd_element_is_shown(n, d) ? NULL : gen_value(g, n->args[d]);
        bool lanes = value && value->type.lanes != 1;
        offset = kir_arith(a, FD_OP_MUL, offset, kir_int(a, length));
        if (each) {
            const KirExpr *row = kir_const(a, SC_INT, (ScalarValue){.i = length});
            const KirExpr *args[] = {each, kir_splat(a, g->lanes, row)};
            each = kir_op(a, FD_OP_MUL, ints, 2, args);
        }
        if (!lanes) {
            offset = kir_arith(a, FD_OP_ADD, offset, scalar_index(g, n, d, value));
            continue;
        }
        const KirExpr *args[] = {each, lanes_index(g, n, d, value)};
        each = each ? kir_op(a, FD_OP_ADD, ints, 2, args) : args[1];
    }
    if (!each) return offset;
    offset = kir_splat(a, g->lanes, kir_convert(a, kir_type(SC_INT, 1), offset));
    const KirExpr *args[] = {each, offset};
    return gen_variable(g, "each", kir_op(a, FD_OP_ADD, ints, 2, args));
}

/* ---- elements ---------------------------------------------------------------------------------- */

static bool is_known(const Gen *g, const FdNode *array)
{
    for (size_t i = 0; i < g->vars.len; i++)
        if (g->vars.data[i].var == array) return true;
    return false;
}

const KirExpr *gen_element(Gen *g, const FdNode *n)
{
    Arena *a = g->u->arena;
    if (!is_known(g, n->fn)) { /* of a function around */
        unit_give_up(g->u, "a local array of a function around", n);
        return gen_zero(a, gen_type(g->u, n->fn->type->result));
    }
    const KirExpr *offset = offset_of(g, n), *all = gen_bound(g, n->fn);
    if (offset->type.lanes == 1) return element_at(g, n->fn, offset);
    const KirExpr *args[] = {all, offset};
    bool truths = all->type.kind == SC_BOOL && all->type.lanes == 1; /* masks, if in lanes */
    KirType t = kir_type(truths ? SC_INT : all->type.kind, g->lanes);
    return kir_convert(a, kir_type(all->type.kind, g->lanes),
                       gen_variable(g, "v", kir_intrinsic(a, t, INTR_PICK, args)));
}

static const KirExpr *blended(Gen *g, const KirExpr *v, const KirExpr *old, bool blend)
{
    v = gen_splat(g->u, old->type.lanes, v);
    return blend && g->mask && old->type.lanes != 1 ? gen_blend(g, g->mask, v, old) : v;
}

void local_put(Gen *g, const FdNode *element, const KirExpr *v, bool blend)
{
    Arena *a = g->u->arena;
    v = gen_variable(g, "v", v);
    const KirExpr *offset = offset_of(g, element), *all = gen_bound(g, element->fn);
    v = kir_convert(a, all->type, v);
    if (offset->type.lanes != 1) internal_error("local_put", "lanes_possible refuses this");
    const KirExpr *to = element_at(g, element->fn, offset);
    kir_set(a, g->block, to, blended(g, v, to, blend));
}

void local_fill(Gen *g, const FdNode *array, const FdNode *from, bool blend)
{
    Arena *a = g->u->arena;
    const KirExpr *k = kir_name(a, idx, fresh_name(g->u, "k"));
    KirBlock body = {0};
    GenScope s = gen_enter(g, &body);
    const KirExpr *to = element_at(g, array, k);
    const KirExpr *v =
        from ? element_at(g, from, k) : gen_zero(a, gen_type(g->u, array->type->result));
    kir_set(a, &body, to, blended(g, v, to, blend));
    gen_leave(g, s);
    kir_for(a, g->block, k->name, kir_int(a, 0), length_of(g, array), kir_int(a, 1), false, body);
}
