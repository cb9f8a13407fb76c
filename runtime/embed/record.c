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

/* Where a field of that type lies behind what ends at *end, which moves behind it. */
static size_t place_field(int32_t kind, size_t *end, size_t *alignment)
{
    size_t n = embed_element(kind, alignment), at = round_up(*end, *alignment);
    *end = at + n;
    return at;
}

size_t embed_element(int32_t elem, size_t *alignment)
{
    if (elem == CS_ELEM_REF) return *alignment = sizeof(char *); /* of a string */
    if (!elem_is_record(elem)) return *alignment = scalar_bytes((ScalarKind)elem);
    const CsRecord *r = record_of(elem);
    size_t bytes = 0, most = 1;
    for (int32_t i = 0; i < r->nfields; i++) {
        size_t unit;
        place_field(r->kinds[i], &bytes, &unit);
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
    size_t end = 0, unit;
    for (int32_t i = 0; i < r->nfields; i++) {
        size_t at = place_field(r->kinds[i], &end, &unit);
        leaves = embed_unpack(r->kinds[i], (const char *)record + at, leaves);
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
    size_t end = 0, unit;
    for (int32_t i = 0; i < r->nfields; i++) {
        size_t at = place_field(r->kinds[i], &end, &unit);
        leaves = embed_pack(r->kinds[i], (char *)record + at, leaves);
    }
    return leaves;
}
