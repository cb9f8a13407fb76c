/* How a session prints values (show.h). Elements of an array stand in columns, as wide as the widest of
 * those that are printed; of an array of more than MOST elements the first and last EDGE of each
 * dimension are. Functions that are defined everywhere are shown as their types. */
#include "show.h"

#include <string.h>

#include "../embed/embed.h"
#include "../objects/format.h"
#include "../objects/record.h"

enum { MOST = 1000, EDGE = 3, LINE = 78 };

static const CsSite here = {"the value that is shown", "csc repl", 0, 0};

typedef struct Show {
    Text *out;
    const Array *array;
    const char *data;
    bool cut;
    size_t width; /* of a column; 0: it is being measured */
    size_t line;  /* where the line began */
} Show;

static void add_quoted(Text *out, const char *bytes, size_t len)
{
    text_add(out, "\"");
    for (size_t i = 0; i < len; i++) {
        static const char special[] = "\n\t\r\"\\", letters[] = "ntr\"\\";
        const char *at = bytes[i] ? strchr(special, bytes[i]) : NULL;
        if (at)
            text_printf(out, "\\%c", letters[at - special]);
        else
            text_addn(out, &bytes[i], 1);
    }
    text_add(out, "\"");
}

static bool add_ref(Text *out, void *ref)
{
    CsHead *h = ref;
    if (!h) {
        text_add(out, "null");
        return true;
    }
    bool string = h->kind == CS_STR;
    Str *s = string ? cs_retain(ref) : cs_format_fn(ref, NULL, &here);
    if (s && string)
        add_quoted(out, s->bytes, (size_t)s->len);
    else if (s)
        text_addn(out, s->bytes, (size_t)s->len);
    cs_release(s);
    return !cs_pending;
}

static bool add_scalar(Text *out, ScalarValue v, ScalarKind kind)
{
    if (kind != SC_CHAR) return text_add_scalar(out, v, kind, NULL, &here);
    text_add(out, "'");
    bool good = text_add_scalar(out, v, kind, NULL, &here);
    text_add(out, "'");
    return good;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static size_t characters(const char *bytes, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) n += (bytes[i] & 0xc0) != 0x80;
    return n;
}

static bool add_element(Show *s, int64_t at)
{
    Text t = {0};
    int32_t elem = s->array->head.elem;
    bool good;
    if (elem == CS_ELEM_REF) {
        good = add_ref(&t, ((void *const *)(const void *)s->data)[at]);
    } else if (elem == SC_CHAR) {
        ScalarValue v;
        elem_load(s->array, s->data, at, &v);
        good = add_scalar(&t, v, SC_CHAR);
    } else {
        good = text_add_element(&t, s->array, s->data, at, NULL, &here);
    }
    size_t n = t.data ? characters(t.data, t.len) : 0;
    if (!s->out) {
        if (n > s->width) s->width = n;
    } else {
        for (size_t i = n; i < s->width && elem != CS_ELEM_REF; i++) text_add(s->out, " ");
        if (t.data) text_addn(s->out, t.data, t.len);
    }
    text_free(&t);
    return good;
}

static void new_line(Show *s, int32_t depth)
{
    text_add(s->out, "\n");
    s->line = s->out->len;
    for (int32_t i = 0; i <= depth; i++) text_add(s->out, " ");
}

/* Between elements of the last dimension, or between rows, which are further apart the larger. */
static void separate(Show *s, int32_t dim)
{
    int32_t inner = s->array->head.rank - 1 - dim;
    text_add(s->out, inner ? "," : ", ");
    if (inner == 0 && s->out->len - s->line + s->width > LINE) {
        s->out->len--; /* the space */
        s->out->data[s->out->len] = 0;
        new_line(s, dim);
    }
    for (int32_t i = 1; i < inner; i++) text_add(s->out, "\n");
    if (inner) new_line(s, dim);
}

static bool add_dimension(Show *s, int32_t dim, int64_t at)
{
    const CsDim *d = &s->array->head.dim[dim];
    bool last = dim == s->array->head.rank - 1, good = true;
    if (s->out) text_add(s->out, "[");
    for (int64_t i = 0; good && i < d->n; i++) {
        if (i && s->out) separate(s, dim);
        if (s->cut && d->n > 2 * EDGE && i == EDGE) {
            if (s->out) text_add(s->out, "...");
            if (s->out) separate(s, dim);
            i = d->n - EDGE;
        }
        int64_t where = at + i * d->stride;
        good = last ? add_element(s, where) : add_dimension(s, dim + 1, where);
    }
    if (s->out) text_add(s->out, "]");
    return good;
}

static bool add_array(Text *out, Array *a)
{
    int64_t n = rt_array_count(a);
    if (n == 0) {
        text_add(out, "[]");
        return true;
    }
    Show s = {.array = a, .data = rt_array_data(a, &here), .cut = n > MOST};
    if (!s.data || !add_dimension(&s, 0, 0)) return false;
    s.out = out;
    s.line = out->len;
    return add_dimension(&s, 0, 0);
}

/* "int[2,3]", or with other bounds "int(1..3, 0..4)". */
static void add_extents(Text *out, const char *type, const FdBox *box, bool array)
{
    const char *end = type + strlen(type); /* the last brackets are the outermost */
    int depth = 0;
    while (end > type) {
        end--;
        depth += *end == ')' || *end == ']';
        depth -= *end == '(' || *end == '[';
        if (depth == 0) break;
    }
    for (int d = 0; d < box->rank; d++) array = array && box->dim[d].lo == 0;
    text_addn(out, type, (size_t)(end - type));
    text_add(out, array ? "[" : "(");
    for (int d = 0; d < box->rank; d++) {
        if (d) text_add(out, array ? "," : ", ");
        if (!array) text_printf(out, "%lld..", (long long)box->dim[d].lo);
        text_printf(out, "%lld", (long long)box->dim[d].hi);
    }
    text_add(out, array ? "]" : ")");
}

static bool add_function(Text *out, const CsVariable *v, void *fn)
{
    if (!cs_is_finite(fn)) {
        if (!cs_pending) text_printf(out, "a function : %s\n", v->type);
        return !cs_pending;
    }
    bool array = ((CsHead *)fn)->kind == CS_ARRAY;
    FdBox room;
    FdBox box = *rt_box_of(fn, &room);
    Array *a = cs_pending ? NULL : cs_force(fn, &here);
    bool good = a && add_array(out, a);
    cs_release(a);
    if (!good) return false;
    text_add(out, " : ");
    add_extents(out, v->type, &box, array);
    text_add(out, "\n");
    return true;
}

bool show_value(Text *out, const CsVariable *v)
{
    if (v->elem == CS_ELEM_REF) {
        void *ref = *(void **)v->at;
        int kind = ref ? ((CsHead *)ref)->kind : CS_STR;
        if (kind == CS_ARRAY || kind == CS_LAZY || kind == CS_CLOSURE)
            return add_function(out, v, ref);
        if (kind == CS_STR && ref && strcmp(v->type, "string") != 0) /* an enum's name */
            text_add(out, ((Str *)ref)->bytes);
        else if (!add_ref(out, ref))
            return false;
    } else if (elem_is_record(v->elem)) {
        CsValue values[RT_MAX_LEAVES];
        ScalarValue leaves[RT_MAX_LEAVES];
        CsValue *end = embed_unpack(v->elem, v->at, values);
        for (CsValue *at = values; at < end; at++) leaves[at - values].i = at->i;
        if (!text_add_record(out, v->elem, leaves, NULL, &here)) return false;
    } else if (!add_scalar(out, scalar_load(v->at, (ScalarKind)v->elem), (ScalarKind)v->elem)) {
        return false;
    }
    text_printf(out, " : %s\n", v->type);
    return true;
}
