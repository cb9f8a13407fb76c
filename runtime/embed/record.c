/* Records as C lays them out: fields in order, each at a multiple of its alignment, inner ones as
 * they would be alone. */
#include <string.h>

#include "../objects/record.h"
#include "embed.h"

static const CsRecord *record_of(int32_t elem)
{
    return &rt.program->records[elem - CS_ELEM_RECORD];
}

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

size_t embed_element(int32_t elem, size_t *alignment)
{
    if (!elem_is_record(elem)) return *alignment = scalar_bytes((ScalarKind)elem);
    const CsRecord *r = record_of(elem);
    size_t bytes = 0, most = 1;
    for (int32_t i = 0; i < r->nfields; i++) {
        size_t unit, n = embed_element(r->kinds[i], &unit);
        bytes = round_up(bytes, unit) + n;
        if (unit > most) most = unit;
    }
    *alignment = most;
    return round_up(bytes, most);
}

CsValue *embed_unpack(int32_t elem, const void *record, CsValue *leaves)
{
    if (!elem_is_record(elem)) {
        leaves->i = scalar_load(record, (ScalarKind)elem).i;
        return leaves + 1;
    }
    const CsRecord *r = record_of(elem);
    size_t at = 0;
    for (int32_t i = 0; i < r->nfields; i++) {
        size_t unit, n = embed_element(r->kinds[i], &unit);
        at = round_up(at, unit);
        leaves = embed_unpack(r->kinds[i], (const char *)record + at, leaves);
        at += n;
    }
    return leaves;
}

const CsValue *embed_pack(int32_t elem, void *record, const CsValue *leaves)
{
    if (!elem_is_record(elem)) {
        scalar_store(record, (ScalarKind)elem, (ScalarValue){.i = leaves->i});
        return leaves + 1;
    }
    const CsRecord *r = record_of(elem);
    size_t at = 0;
    for (int32_t i = 0; i < r->nfields; i++) {
        size_t unit, n = embed_element(r->kinds[i], &unit);
        at = round_up(at, unit);
        leaves = embed_pack(r->kinds[i], (char *)record + at, leaves);
        at += n;
    }
    return leaves;
}
