/* Reading what programs measured (report.h). */
#include "report.h"

#include <jansson.h>
#include <stdlib.h>
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
                          .opencl = text_of(a, o, "opencl"),
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

static int by_begin(const void *a, const void *b)
{
    const ReportSpan *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    return (x->ms < y->ms) - (x->ms > y->ms); /* what holds others first */
}

static void read_trace(Arena *a, const json_t *all, Report *r)
{
    const json_t *list = json_object_get(all, "traceEvents");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        if (!json_object_get(o, "dur")) continue; /* the name of a track */
        vec_push(&r->spans, ((ReportSpan){.name = text_of(a, o, "name"),
                                          .at = text_of(a, json_object_get(o, "args"), "at"),
                                          .track = (int)number_of(o, "tid"),
                                          .from = number_of(o, "ts") * 1e-3,
                                          .ms = number_of(o, "dur") * 1e-3}));
    }
    if (r->spans.len) qsort(r->spans.data, r->spans.len, sizeof *r->spans.data, by_begin);
}

/* What the program wrote to a child's file, which is closed. NULL: nothing. */
static json_t *read_file(int fd)
{
    Text text = {0};
    child_read(fd, &text);
    close(fd);
    json_t *all = text.len ? json_loadb(text.data, text.len, 0, NULL) : NULL;
    text_free(&text);
    return all;
}

bool report_run(const Child *c, Arena *a, bool traced, ChildEnd *end, Report *r)
{
    enum { MOST = 8 };
    char path[32], trace_path[32];
    const char *env[MOST][2] = {{"CS_PROFILE", path}, {"CS_TRACE", trace_path}};
    int fd = child_file(path), trace = traced ? child_file(trace_path) : -1, n = traced ? 2 : 1;
    *r = (Report){0};
    *end = (ChildEnd){0};
    if (fd < 0 || (traced && trace < 0)) {
        if (fd >= 0) close(fd);
        return false;
    }
    for (int i = 0; i < c->n && n < MOST; i++, n++) memcpy(env[n], c->env[i], sizeof env[n]);
    Child measured = *c;
    measured.n = n;
    measured.env = (const char *const(*)[2])env;
    *end = child_run(&measured);
    json_t *all = read_file(fd), *spans = traced ? read_file(trace) : NULL;
    const json_t *list = json_object_get(all, "evaluations");
    for (size_t i = 0; i < json_array_size(list); i++)
        read_evaluation(a, json_array_get(list, i), r);
    r->builds = number_of(all, "builds");
    r->building = number_of(all, "building");
    read_trace(a, spans, r);
    json_decref(spans);
    json_decref(all);
    return all != NULL;
}

void report_free(Report *r)
{
    for (size_t i = 0; i < r->evaluations.len; i++) vec_free(&r->evaluations.data[i].kernels);
    vec_free(&r->evaluations);
    vec_free(&r->spans);
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
