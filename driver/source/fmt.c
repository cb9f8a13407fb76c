/* Lays files out. */
#include <stdio.h>
#include <string.h>

#include "../../base/diag.h"
#include "../../base/intern.h"
#include "../../base/source.h"
#include "../../base/text.h"
#include "../../format/format.h"
#include "../message.h"
#include "../write.h"
#include "fmt.h"

/* Adds to `differing` the name of a file that is laid out otherwise. */
static bool fmt_file(const Options *o, const char *path, Text *differing)
{
    Sources *sources = sources_new();
    Diags *diags = diags_new(sources);
    Interner *names = interner_new();
    Text out = {0};
    const char *why = NULL;
    int file = sources_load(sources, path, &why);
    bool ok = file >= 0 && format_source(&out, sources, (uint32_t)file, diags, names);
    if (file < 0) complain("cannot read '%s': %s", path, why);
    (o->json ? diags_print_json : diags_print)(diags, stderr);
    if (ok) {
        const Source *s = sources_get(sources, (uint32_t)file);
        bool same = s->len == out.len && (!out.len || memcmp(s->text, out.data, out.len) == 0);
        bool standard = strcmp(path, "-") == 0;
        if (!same) text_printf(differing, "%s\n", s->path);
        if (o->emit != EMIT_CHECK && (standard || !same))
            ok = write_bytes(path, out.data ? out.data : "", out.len, 0666);
    }
    text_free(&out);
    interner_free(names);
    diags_free(diags);
    sources_free(sources);
    return ok;
}

int fmt(const Options *o)
{
    Text differing = {0};
    bool ok = true;
    for (size_t i = 0; i < o->files.len; i++) ok &= fmt_file(o, o->files.data[i], &differing);
    if (o->emit == EMIT_CHECK && differing.len > 0)
        ok = write_bytes(NULL, differing.data, differing.len, 0) && false;
    text_free(&differing);
    return ok ? 0 : 1;
}
