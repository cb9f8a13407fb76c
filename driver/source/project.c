/* csc new and csc build: csdollar.json names the files of a program, the folders of its packages and
 * its options. */
#include "project.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../base/report/source.h"
#include "../command.h"
#include "../message.h"
#include "../write.h"

static const char file_name[] = "csdollar.json";

/* ---- csc new ---------------------------------------------------------------------------------- */

static bool write_text(const char *folder, const char *name, const char *text)
{
    Text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    bool ok = write_bytes(path.data, text, strlen(text), 0666);
    text_free(&path);
    return ok;
}

static bool write_project(const char *folder, const char *name)
{
    json_t *project = json_pack("{s:s, s:s, s:[], s:[]}", "name", name, "main", "main.cs$",
                                "packages", "options");
    char *text = project ? json_dumps(project, JSON_INDENT(2)) : NULL;
    Text line = {0};
    text_printf(&line, "%s\n", text ? text : "");
    bool ok = text && write_text(folder, file_name, line.data);
    if (!text) complain("'%s' is no name: it is to be UTF-8", name);
    text_free(&line);
    free(text);
    json_decref(project);
    return ok;
}

int project_new(const Options *o)
{
    static const char functions[] = "int Twice(int n) => 2 * n;\n",
                      program[] = "using functions;\n\nConsole.WriteLine(Twice(21));\n",
                      test[] = "using functions;\n\n[Test]\nvoid TwiceDoubles() {\n"
                               "    Assert.Equal(42, Twice(21));\n}\n";
    if (o->files.len != 1) {
        complain("csc new takes one name");
        return 1;
    }
    const char *slash = strrchr(o->input, '/'), *name = slash ? slash + 1 : o->input;
    if (!*name) {
        complain("'%s' ends with a slash: leave it out", o->input);
        return 1;
    }
    if (mkdir(o->input, 0777) != 0) {
        complain("cannot make '%s': %s", o->input, strerror(errno));
        return 1;
    }
    bool ok = write_project(o->input, name) && write_text(o->input, "functions.cs$", functions) &&
              write_text(o->input, "main.cs$", program) && write_text(o->input, "test.cs$", test);
    return ok ? 0 : 1;
}

/* ---- csc build -------------------------------------------------------------------------------- */

typedef VEC(char *) Words;

/* One text or several, each with `before` in front as a word of its own. */
static bool add_words(Words *out, const json_t *from, const char *key, const char *before)
{
    json_t *value = json_object_get(from, key), *one;
    bool several = json_is_array(value);
    size_t n = several ? json_array_size(value) : value != NULL;
    for (size_t i = 0; i < n; i++) {
        one = several ? json_array_get(value, i) : value;
        if (!json_is_string(one)) {
            complain("%s: \"%s\" is to be a text or a list of texts", file_name, key);
            return false;
        }
        if (before) vec_push(out, (char *)before);
        vec_push(out, (char *)json_string_value(one));
    }
    return true;
}

static bool is_known(const char *key)
{
    static const char *const known[] = {"name", "main", "sources", "packages", "options"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], key) == 0) return true;
    return false;
}

/* csc options -I package .. -o name -- main source .. */
static bool add_command(Words *out, json_t *project)
{
    const char *key;
    json_t *value;
    json_object_foreach(project, key, value) if (!is_known(key))
    {
        complain("%s: there is no \"%s\"; it has name, main, sources, packages, options", file_name,
                 key);
        return false;
    }
    vec_push(out, (char *)"csc");
    bool ok = add_words(out, project, "options", NULL) &&
              add_words(out, project, "packages", "-I") && add_words(out, project, "name", "-o");
    vec_push(out, (char *)"--");
    size_t before = out->len;
    ok = ok && add_words(out, project, "main", NULL) && add_words(out, project, "sources", NULL);
    if (ok && out->len == before) complain("%s: it names no \"main\"", file_name);
    return ok && out->len > before;
}

int project_build(const Options *o)
{
    (void)o;
    json_error_t error;
    FILE *file = source_open_regular(file_name);
    if (!file) {
        complain("cannot read '%s': %s", file_name,
                 errno == ENOENT ? "there is none; csc new makes one" : source_not_opened());
        return 1;
    }
    json_t *project = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    Words words = {0};
    int code = 1;
    if (!project)
        complain("%s:%d:%d: %s", file_name, error.line, error.column, error.text);
    else if (!json_is_object(project))
        complain("%s: it is to be an object, {\"name\": .., \"main\": ..}", file_name);
    else if (add_command(&words, project))
        code = command_compile((int)words.len, words.data);
    vec_free(&words);
    json_decref(project);
    return code;
}
