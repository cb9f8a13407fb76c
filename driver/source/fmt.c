/* Lays files out. */
#include <stdio.h>
#include <string.h>

#include "../../base/text.h"
#include "../../format/format.h"
#include "../write.h"
#include "fmt.h"
#include "reading.h"

/* Adds to `differing` the name of a file that is laid out otherwise. */
static bool fmt_file(const Options *o, const char *path, Text *differing)
{
    Reading r = reading_begin(path);
    Text out = {0};
    bool ok = r.good && format_source(&out, r.sources, r.file, r.diags, r.names);
    reading_tell(&r, o);
    if (ok) {
        const Source *s = sources_get(r.sources, r.file);
        bool same = s->len == out.len && (!out.len || memcmp(s->text, out.data, out.len) == 0);
        bool standard = strcmp(path, "-") == 0;
        if (!same) text_printf(differing, "%s\n", s->path);
        if (o->emit != EMIT_CHECK && (standard || !same))
            ok = write_bytes(path, out.data ? out.data : "", out.len, 0666);
    }
    text_free(&out);
    reading_end(&r);
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
