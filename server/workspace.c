/* Which files there are, what they hold, and what in them names the same declaration (workspace.h). */
#include "workspace.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/arena.h"
#include "../base/mem.h"

/* ---- folders and open files --------------------------------------------------------------------- */

static void add_root(Workspace *w, const char *uri)
{
    if (uri) vec_push(&w->roots, uri_to_path(uri));
}

void workspace_begin(Workspace *w, const json_t *params)
{
    const json_t *folders = json_object_get(params, "workspaceFolders");
    for (size_t i = 0; i < json_array_size(folders); i++)
        add_root(w, json_string_value(json_object_get(json_array_get(folders, i), "uri")));
    if (!w->roots.len) add_root(w, json_string_value(json_object_get(params, "rootUri")));
    if (!w->roots.len) add_root(w, json_string_value(json_object_get(params, "rootPath")));
}

void workspace_end(Workspace *w)
{
    for (size_t i = 0; i < w->roots.len; i++) mem_free(w->roots.data[i]);
    vec_free(&w->roots);
    vec_free(&w->open);
    vec_free(&w->given);
}

Around workspace_around(Workspace *w)
{
    w->given.len = 0;
    for (size_t i = 0; i < w->open.len; i++) {
        const Document *d = w->open.data[i];
        vec_push(&w->given,
                 ((SourceGiven){d->real, d->text.data ? d->text.data : "", d->text.len}));
    }
    return (Around){w->folders, w->nfolders, w->given.data, w->given.len};
}

const Analysis *workspace_analyse(Workspace *w, Document *d)
{
    if (d->now) return d->now;
    Around around = workspace_around(w);
    return document_analyse(d, &around);
}

/* ---- files ---------------------------------------------------------------------------------------- */

enum { MOST_FILES = 2000, MOST_ENTRIES = 50000, MOST_DEPTH = 12, MOST_BYTES = 4 << 20 };

typedef struct Search {
    Workspace *w;
    Documents *out;
    const char *word, *declared; /* word NULL: every file is wanted */
    int entries;
} Search;

static bool is_found(const Documents *found, const char *real)
{
    for (size_t i = 0; i < found->len; i++)
        if (strcmp(found->data[i]->real, real) == 0) return true;
    return false;
}

static bool holds(const Text *text, const char *word)
{
    return text->len && text_mentions(text->data, text->len, word);
}

/* Can it name what is declared there? Modules are used by who says so. */
static bool may_name(const Search *s, const char *real, const Text *text)
{
    if (!s->word) return true;
    return holds(text, s->word) && (strcmp(real, s->declared) == 0 || holds(text, "using"));
}

static void look_into(Search *s, const char *path)
{
    char *real = realpath(path, NULL);
    bool known = !real || is_found(s->out, real);
    for (size_t i = 0; !known && i < s->w->open.len; i++)
        known = strcmp(s->w->open.data[i]->real, real) == 0;
    FILE *in = known ? NULL : fopen(path, "rb");
    if (!in) {
        free(real);
        return;
    }
    Text text = {0};
    text_add_stream(&text, in, MOST_BYTES);
    fclose(in);
    if (may_name(s, real, &text)) {
        json_t *uri = uri_from_path(path);
        vec_push(s->out, document_open(json_string_value(uri), text.data, text.len));
        s->out->data[s->out->len - 1]->read = true;
        json_decref(uri);
    }
    free(real);
    text_free(&text);
}

static bool is_source(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && strcmp(name + n - 4, ".cs$") == 0;
}

/* Without hidden folders, links to folders and what others have installed. */
static void look_in_folder(Search *s, const char *folder, int depth)
{
    DIR *dir = depth < MOST_DEPTH ? opendir(folder) : NULL;
    for (struct dirent *e; dir && s->entries < MOST_ENTRIES && s->out->len < MOST_FILES;) {
        if (!(e = readdir(dir))) break;
        s->entries++;
        if (e->d_name[0] == '.' || strcmp(e->d_name, "node_modules") == 0) continue;
        Text path = {0};
        struct stat st;
        text_printf(&path, "%s/%s", folder, e->d_name);
        if (lstat(path.data, &st) == 0 && S_ISDIR(st.st_mode))
            look_in_folder(s, path.data, depth + 1);
        else if (is_source(e->d_name) && stat(path.data, &st) == 0 && S_ISREG(st.st_mode))
            look_into(s, path.data);
        text_free(&path);
    }
    if (dir) closedir(dir);
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(Document *const *)a)->real, (*(Document *const *)b)->real);
}

void workspace_all(Workspace *w, Documents *out)
{
    Search s = {.w = w, .out = out};
    for (size_t i = 0; i < w->open.len; i++) vec_push(out, w->open.data[i]);
    for (size_t i = 0; i < w->roots.len; i++) look_in_folder(&s, w->roots.data[i], 0);
    qsort(out->data, out->len, sizeof *out->data, by_name);
}

void workspace_find(Workspace *w, Document *from, const Place *p, Documents *out)
{
    Search s = {w, out, p->name, p->path, 0};
    vec_push(out, from);
    for (size_t i = 0; i < w->open.len; i++)
        if (w->open.data[i] != from && may_name(&s, w->open.data[i]->real, &w->open.data[i]->text))
            vec_push(out, w->open.data[i]);
    for (size_t i = 0; i < w->roots.len; i++) look_in_folder(&s, w->roots.data[i], 0);
    for (size_t i = 0; i < w->nfolders; i++) look_in_folder(&s, w->folders[i], MOST_DEPTH - 1);
    const char *slash = strrchr(from->real, '/');
    if (slash) {
        Text own = {0};
        text_addn(&own, from->real, (size_t)(slash - from->real));
        look_in_folder(&s, own.len ? own.data : "/", MOST_DEPTH - 1); /* where its modules are */
        text_free(&own);
    }
    qsort(out->data + 1, out->len - 1, sizeof *out->data, by_name);
}

void workspace_found_free(Documents *found)
{
    for (size_t i = 0; i < found->len; i++)
        if (found->data[i]->read) document_close(found->data[i]);
    vec_free(found);
}

/* ---- declarations --------------------------------------------------------------------------------- */

/* In a's arena, NULL: it is not there. */
static const char *real_path(const Analysis *a, const char *path)
{
    char *real = realpath(path, NULL);
    const char *result = real ? arena_strndup(a->arena, real, strlen(real)) : NULL;
    free(real);
    return result;
}

/* Of a function that other files may call, with arguments by name. */
static bool is_shared_parameter(const Analysis *a, const Symbol *sym)
{
    for (int i = 0; i < a->sema->nfuncs; i++) {
        const Symbol *f = a->sema->funcs[i];
        if (f->local || !f->decl || f->decl->kind != AST_FUNC) continue;
        const AstList *params = &f->decl->func.params;
        for (int k = 0; k < params->len; k++)
            if (params->data[k]->sym == sym) return true;
    }
    return false;
}

bool place_of(const Analysis *a, const Symbol *sym, Place *out)
{
    const Source *s = sources_get(a->sources, sym->loc.file);
    bool shared = sym->kind == SYM_FUNC    ? sym->local == NULL
                  : sym->kind == SYM_CONST ? true
                  : sym->kind == SYM_PARAM ? is_shared_parameter(a, sym)
                                           : sym->kind == SYM_FIELD || sym->kind == SYM_PROPERTY ||
                                                 sym->kind == SYM_TYPE;
    if (!shared || !sym->loc.end || !s || s->library) return false;
    *out = (Place){real_path(a, s->path), sym->loc.begin, sym->kind, sym->name};
    return out->path != NULL; /* else nobody can use it as a module */
}

int place_file(const Analysis *a, const Place *p)
{
    for (uint32_t i = 0; i < sources_count(a->sources); i++) {
        const Source *s = sources_get(a->sources, i);
        const char *real = s->library ? NULL : real_path(a, s->path);
        if (real && strcmp(real, p->path) == 0) return (int)i;
    }
    return -1;
}

bool place_is(const Analysis *a, size_t token, const Place *p, int file)
{
    const Symbol *sym = a->marks[token].sym;
    return sym && sym->loc.end && (int)sym->loc.file == file && sym->loc.begin == p->begin &&
           sym->kind == p->kind && strcmp(sym->name, p->name) == 0;
}
