/* What mends a message, as edits that an editor offers (diag_fix). */
#include "features.h"

typedef struct Actions {
    const Request *r;
    uint32_t begin, end; /* of the text that is asked about */
    json_t *list;
} Actions;

static json_t *edit_of(const Actions *a, const DiagView *v)
{
    json_t *edit = json_pack("{s:o, s:s}", "range",
                             document_range(a->r->document, v->fix_at.begin, v->fix_at.end),
                             "newText", v->fix);
    return json_pack("{s:{s:[o]}}", "changes", a->r->document->uri, edit);
}

static void add(void *ctx, const DiagView *v)
{
    Actions *a = ctx;
    if (!v->fix || v->loc.file != 0 || v->fix_at.file != 0) return;
    if (v->loc.begin > a->end || v->loc.end < a->begin) return;
    Text title = {0};
    bool inserts = v->fix_at.begin == v->fix_at.end;
    text_printf(&title, inserts ? "Insert '%s'" : "Write '%s'", v->fix);
    json_t *message = feature_message(a->r->document, v);
    json_array_append_new(a->list, json_pack("{s:s, s:s, s:b, s:[o], s:o}", "title", title.data,
                                             "kind", "quickfix", "isPreferred", 1, "diagnostics",
                                             message, "edit", edit_of(a, v)));
    text_free(&title);
}

json_t *feature_actions(Request *r)
{
    const json_t *range = json_object_get(r->params, "range");
    Actions a = {.r = r,
                 .begin = document_offset(r->document, json_object_get(range, "start")),
                 .end = document_offset(r->document, json_object_get(range, "end")),
                 .list = json_array()};
    diags_each(r->analysis->diags, add, &a);
    return a.list;
}
