/* Records: structs of the text while they are values, planes of a buffer while they are elements of
 * arrays (structure of arrays). What a schedule keeps for itself is an array of structs.
 */
#include <ctype.h>

#include "gen.h"

/* ---- structs --------------------------------------------------------------------------------- */

/* A name of OpenCL C: generic classes have signs in theirs. */
static const char *clean(Unit *u, const char *name)
{
    char *c = arena_printf(u->arena, "%s", name);
    for (char *p = c; *p; p++)
        if (!isalnum((unsigned char)*p)) *p = '_';
    return isdigit((unsigned char)*c) ? "record" : c;
}

static const KirRecord *record_of(Unit *u, const FdType *t, int lanes)
{
    for (size_t i = 0; i < u->records.len; i++)
        if (u->records.data[i].type == t && u->records.data[i].lanes == lanes)
            return u->records.data[i].record;
    if (lanes != 1) record_of(u, t, 1); /* first, whichever is asked for first: numbers are names */
    int n = t->nfields;
    KirType *types = arena_array(u->arena, KirType, n + 1);
    const char **names = arena_array(u->arena, const char *, n + 1);
    for (int i = 0; i < n; i++) { /* a number keeps them apart from OpenCL's words */
        types[i] = gen_type_in(u, t->fields[i], lanes);
        names[i] = arena_printf(u->arena, "%s_%d", clean(u, t->field_names[i]), i);
    }
    KirRecord *r = arena_new_of(u->arena, KirRecord);
    /* a number of its own: no other name depends on when a type is first asked for */
    const char *name = arena_printf(u->arena, "%s_t%zu", clean(u, t->record), u->records.len);
    *r = (KirRecord){name, n, types, names};
    opencl_print_record(&u->types, r); /* after those of its fields */
    UnitRecord known = {t, lanes, r};
    vec_push(&u->records, known);
    return r;
}

KirType gen_type_in(Unit *u, const FdType *t, int lanes)
{
    if (!t->record) return kir_type((int)t->scalar, lanes);
    return (KirType){.kind = KIR_RECORD, .lanes = lanes, .record = record_of(u, t, lanes)};
}

KirType gen_type(Unit *u, const FdType *t)
{
    return gen_type_in(u, t, 1);
}

KirType gen_widen(Unit *u, KirType t, int lanes)
{
    if (t.kind != KIR_RECORD) return kir_type(t.kind, lanes);
    for (size_t i = 0; i < u->records.len; i++)
        if (u->records.data[i].record == t.record)
            return gen_type_in(u, u->records.data[i].type, lanes);
    return t;
}

const KirExpr *gen_splat(Unit *u, int lanes, const KirExpr *e)
{
    if (e->type.lanes == lanes) return e;
    if (e->type.kind != KIR_RECORD) return kir_splat(u->arena, lanes, e);
    const KirRecord *r = e->type.record;
    const KirExpr **fields = arena_array(u->arena, const KirExpr *, r->nfields);
    for (int i = 0; i < r->nfields; i++)
        fields[i] = gen_splat(u, lanes, kir_member(u->arena, e, i));
    return kir_make(u->arena, gen_widen(u, e->type, lanes), fields);
}

/* ---- planes ---------------------------------------------------------------------------------- */
