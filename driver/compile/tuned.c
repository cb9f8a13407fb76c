/* The file that csc tune writes and every compilation reads (tuned.h). */
#include "tuned.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../../base/report/source.h"
#include "../message.h"
#include "../write.h"

const char *tuned_path(const Options *o, Arena *a)
{
    const char *suffix = ".cs$", *end = o->input + strlen(o->input);
    size_t n = strlen(o->input);
    if (n > 4 && strcmp(end - 4, suffix) == 0) n -= 4;
    return arena_printf(a, "%.*s.tune", (int)n, o->input);
}

bool tuned_load(const Options *o, Arena *a, const char **tuned)
{
    *tuned = o->host.tuned;
    bool none = o->tuned && strcmp(o->tuned, "none") == 0;
    bool standard = strcmp(o->input, "-") == 0 || o->text;
    if (*tuned || none || (!o->tuned && standard)) return true;
    const char *path = o->tuned ? o->tuned : tuned_path(o, a);
    FILE *file = o->tuned ? fopen(path, "re") : source_open_regular(path);
    if (!file && !o->tuned && errno == ENOENT) return true;
    if (!file) {
        complain("cannot read '%s': %s; --tuned=none does without", path, source_not_opened());
        return false;
    }
    Text text = {0}, lines = {0};
    int line;
    text_add_stream(&text, file, SIZE_MAX);
    fclose(file);
    bool good = !text.data || cg_tuned_read(text.data, &lines, &line);
    if (good)
        *tuned = arena_strndup(a, lines.data ? lines.data : "", lines.len);
    else
        complain("%s:%d: this is no line of csc tune; --tuned=none does without", path, line);
    text_free(&text);
    text_free(&lines);
    return good;
}

CgOptions tuned_options(const Options *o, const char *tuned, FdKey graph, Arena *a)
{
    CgOptions cg = o->host.cg;
    Text set = {0};
    if (cg.set) text_add(&set, cg.set);
    cg_tuned_find(tuned, graph, cg.family, &set);
    cg.set = set.len ? arena_strndup(a, set.data, set.len) : NULL;
    text_free(&set);
    return cg;
}
