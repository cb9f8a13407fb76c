/* Reading what programs measured (report.h). */
#include "report.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

static const char *text_of(Arena *a, const json_t *o, const char *name)
{
    const char *s = json_string_value(json_object_get(o, name));
    return s ? arena_strndup(a, s, strlen(s)) : "";
}

static double number_of(const json_t *o, const char *name)
{
    return json_number_value(json_object_get(o, name));
}

static void read_kernel(Arena *a, const json_t *o, ReportEvaluation *e)
{
    vec_push(&e->kernels, ((ReportKernel){.name = text_of(a, o, "kernel"),
                                          .calls = number_of(o, "calls"),
                                          .ns = number_of(o, "ns"),
                                          .least = number_of(o, "least"),
                                          .bytes = number_of(o, "bytes")}));
}

static void read_evaluation(Arena *a, const json_t *o, Report *r)
{
    ReportEvaluation e = {.key = text_of(a, o, "key"),
                          .family = text_of(a, o, "family"),
                          .file = text_of(a, o, "file"),
                          .hints = text_of(a, o, "hints"),
                          .set = text_of(a, o, "set"),
                          .parameters = text_of(a, o, "parameters"),
                          .line = (int)number_of(o, "line"),
                          .column = (int)number_of(o, "column"),
                          .native = json_is_true(json_object_get(o, "native")),
                          .calls = number_of(o, "calls"),
                          .ns = number_of(o, "ns"),
                          .bytes = number_of(o, "bytes"),
                          .operations = number_of(o, "operations")};
    const json_t *kernels = json_object_get(o, "kernels");
    for (size_t i = 0; i < json_array_size(kernels); i++)
        read_kernel(a, json_array_get(kernels, i), &e);
    vec_push(&r->evaluations, e);
    r->ns += e.ns;
}

bool report_run(const Child *c, Arena *a, ChildEnd *end, Report *r)
{
    enum { MOST = 8 };
    char path[32];
    const char *env[MOST][2] = {{"CS_PROFILE", path}};
    int fd = child_file(path), n = 1;
    *r = (Report){0};
    *end = (ChildEnd){0};
    if (fd < 0) return false;
    for (int i = 0; i < c->n && n < MOST; i++, n++) memcpy(env[n], c->env[i], sizeof env[n]);
    Child measured = *c;
    measured.n = n;
    measured.env = (const char *const(*)[2])env;
    *end = child_run(&measured);
    Text text = {0};
    child_read(fd, &text);
    close(fd);
    json_t *all = text.len ? json_loadb(text.data, text.len, 0, NULL) : NULL;
    text_free(&text);
    const json_t *list = json_object_get(all, "evaluations");
    for (size_t i = 0; i < json_array_size(list); i++)
        read_evaluation(a, json_array_get(list, i), r);
    r->builds = number_of(all, "builds");
    r->building = number_of(all, "building");
    json_decref(all);
    return all != NULL;
}

void report_free(Report *r)
{
    for (size_t i = 0; i < r->evaluations.len; i++) vec_free(&r->evaluations.data[i].kernels);
    vec_free(&r->evaluations);
}

double report_least(const ReportEvaluation *e)
{
    double ns = 0;
    for (size_t i = 0; i < e->kernels.len; i++) {
        const ReportKernel *k = &e->kernels.data[i];
        ns += k->least * k->calls;
    }
    return e->calls > 0 ? ns / e->calls : ns;
}
