/* The messages of the compiler, for an editor to show. */
#include "features.h"

typedef struct Messages {
    const Document *document;
    json_t *list,
        *last; /* last: the message whose notes come, borrowed; NULL: one of another file */
} Messages;

static void add_note(const Messages *m, const DiagView *v)
{
    if (!m->last) return;
    if (v->loc.file != 0 || !v->loc.end) { /* without a place here it is part of the message */
        Text text = {0};
        text_printf(&text, "%s\n%s", json_string_value(json_object_get(m->last, "message")),
                    v->text);
        json_object_set_new(m->last, "message", json_string(text.data));
        text_free(&text);
        return;
    }
    json_t *related = json_object_get(m->last, "relatedInformation");
    if (!related) json_object_set_new(m->last, "relatedInformation", related = json_array());
    json_array_append_new(related,
                          json_pack("{s:{s:s, s:o}, s:s}", "location", "uri", m->document->uri,
                                    "range", document_range(m->document, v->loc.begin, v->loc.end),
                                    "message", v->text));
}

json_t *feature_message(const Document *d, const DiagView *v)
{
    Text code = {0};
    text_printf(&code, "CS%d", diag_number(v->code));
    json_t *message = json_pack(
        "{s:o, s:i, s:s, s:s, s:s}", "range", document_range(d, v->loc.begin, v->loc.end),
        "severity", v->warning ? 2 : 1, "code", code.data, "source", "csc", "message", v->text);
    text_free(&code);
    return message;
}

static void add(void *ctx, const DiagView *v)
{
    Messages *m = ctx;
    if (v->note) {
        add_note(m, v);
        return;
    }
    m->last = NULL;
    if (v->loc.file != 0) return;
    m->last = feature_message(m->document, v);
    if (m->last) json_array_append_new(m->list, m->last);
}

json_t *feature_diagnostics(const Document *d, const Analysis *a)
{
    Messages m = {d, json_array(), NULL};
    diags_each(a->diags, add, &m);
    return m.list;
}
