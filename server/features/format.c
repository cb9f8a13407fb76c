/* The whole text in its one layout, as one edit. */
#include <string.h>

#include "../../base/arena.h"
#include "../../format/format.h"
#include "features.h"

json_t *feature_format(Request *r)
{
    const Text *text = &r->document->text;
    Sources *sources = sources_new();
    Diags *diags = diags_new(sources);
    Interner *names = interner_new();
    Text out = {0};
    sources_add(sources, r->document->path, text->data ? text->data : "", text->len);
    bool ok = format_source(&out, sources, 0, diags, names);
    bool same =
        ok && out.len == text->len && (!out.len || memcmp(out.data, text->data, out.len) == 0);
    json_t *edits = ok ? json_array() : NULL;
    if (!ok) r->error = "the text has words that do not end";
    if (ok && !same)
        json_array_append_new(edits, json_pack("{s:o, s:s#}", "range",
                                               document_range(r->document, 0, (uint32_t)text->len),
                                               "newText", out.data ? out.data : "", (int)out.len));
    text_free(&out);
    interner_free(names);
    diags_free(diags);
    sources_free(sources);
    return edits;
}
