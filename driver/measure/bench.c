/* A file's benchmarks become a program of its declarations that calls the one that its argument names: once
 * to warm up (kernels are built), then as often in a row as takes a few milliseconds, again and again until
 * the mean is known to a hundredth. It writes the times to a file, of which we make a row each. */
#include "bench.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/report/diag.h"
#include "../compile/compile.h"
#include "../message.h"
#include "../run/cases.h"
#include "../run/child.h"
#include "../write.h"

typedef struct Times { /* of a call, ns */
    double mean, half; /* half: of the interval in which the mean lies with 95 % */
    int runs;
} Times;

typedef struct Bench {
    const Options *opt;
    json_t *old; /* lines of --against, an array; NULL: none */
    Text json;
    int rows, failed;
} Bench;

/* Behind the declarations and the function csc__call, which has the calls. */
static const char runner[] =
    "csc__call(args[0]);\n"
    "long csc__each = 1;\n"
    "while (csc__each < 1048576) {\n"
    "    long csc__from = Environment.Nanoseconds;\n"
    "    for (long k = 0; k < csc__each; k++) csc__call(args[0]);\n"
    "    if (Environment.Nanoseconds - csc__from >= 5000000) break;\n"
    "    csc__each *= 2;\n"
    "}\n"
    "string csc__text = \"\";\n"
    "double csc__sum = 0.0, csc__squares = 0.0;\n"
    "int csc__n = 0;\n"
    "bool csc__more = true;\n"
    "long csc__begin = Environment.Nanoseconds;\n"
    "while (csc__more) {\n"
    "    long csc__from = Environment.Nanoseconds;\n"
    "    for (long k = 0; k < csc__each; k++) csc__call(args[0]);\n"
    "    double csc__took = (double) (Environment.Nanoseconds - csc__from) / csc__each;\n"
    "    csc__text += csc__took + \" \";\n"
    "    csc__sum += csc__took;\n"
    "    csc__squares += csc__took * csc__took;\n"
    "    csc__n++;\n"
    "    double csc__mean = csc__sum / csc__n;\n"
    "    double csc__error = Math.Sqrt(Math.Max(csc__squares / csc__n - csc__mean * csc__mean, "
    "0.0) / Math.Max(csc__n - 1, 1));\n"
    "    csc__more = csc__n < 5 || csc__n < 1000 && 2 * csc__error > 0.01 * csc__mean && "
    "(Environment.Nanoseconds - csc__begin) / 1000000000 < int.Parse(args[2]);\n"
    "}\n"
    "File.WriteAllText(args[1], csc__text);\n";

/* ---- one function -------------------------------------------------------------------------------- */

static int given(void *program)
{
    return *(int *)program;
}

static Times times_of(const char *text)
{
    /* Student's t for 95 %, of n - 1 degrees of freedom; about 2 further on */
    static const double t95[] = {0, 0, 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26};
    double sum = 0, squares = 0, v;
    Times t = {0};
    for (char *end; (v = strtod(text, &end), end != text); text = end) {
        sum += v;
        squares += v * v;
        t.runs++;
    }
    if (!t.runs) return t;
    t.mean = sum / t.runs;
    double variance = fmax(squares / t.runs - t.mean * t.mean, 0);
    double factor = t.runs < (int)(sizeof t95 / sizeof *t95) ? t95[t.runs] : 2;
    t.half = t.runs > 1 ? factor * sqrt(variance / (t.runs - 1)) : t.mean;
    return t;
}

static bool run_case(const Bench *b, const char *path, int program, const Cases *cases, size_t at,
                     Times *t)
{
    const char *name = cases->names.data[at];
    char file[32], seconds[16], number[24], room[64];
    snprintf(number, sizeof number, "%zu", at);
    int fd = child_file(file);
    snprintf(seconds, sizeof seconds, "%d", b->opt->seconds < 0 ? 3 : b->opt->seconds);
    char *const argv[] = {(char *)path, number, file, seconds, NULL};
    if (isatty(STDERR_FILENO)) fprintf(stderr, "%s ..\r", name);
    Child c = {.program = given, .ctx = &program, .argv = argv};
    ChildEnd e = child_run(&c);
    const char *why = child_why(&e, room);
    Text text = {0};
    child_read(fd, &text);
    close(fd);
    *t = times_of(text.data ? text.data : "");
    if (isatty(STDERR_FILENO)) fprintf(stderr, "%*s\r", (int)strlen(name) + 3, "");
    if (why && e.err.data) fputs(e.err.data, stderr);
    if (why) complain("%s: %s", name, why);
    text_free(&text);
    child_end_free(&e);
    return !why && t->runs > 0;
}

/* ---- telling ------------------------------------------------------------------------------------- */

static void add_time(Text *out, double ns)
{
    static const struct {
        double ns;
        const char *name;
    } units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
    int k = 0;
    while (k < 3 && ns < units[k].ns) k++;
    text_printf(out, "%10.3f %-2s", ns / units[k].ns, units[k].name);
}

static const json_t *old_of(const Bench *b, const char *path, const char *name)
{
    for (size_t i = 0; i < json_array_size(b->old); i++) {
        const json_t *o = json_array_get(b->old, i);
        const char *file = json_string_value(json_object_get(o, "file")),
                   *own = json_string_value(json_object_get(o, "bench"));
        if (file && own && strcmp(file, path) == 0 && strcmp(own, name) == 0) return o;
    }
    return NULL;
}

/* Different only where the intervals of both do not meet. */
static void add_comparison(Text *out, Text *json, const json_t *old, Times t)
{
    double mean = json_number_value(json_object_get(old, "ns")),
           half = json_number_value(json_object_get(old, "half"));
    bool same = fabs(mean - t.mean) <= half + t.half;
    if (!old)
        text_add(out, "  new");
    else if (same)
        text_add(out, "  as before");
    else
        text_printf(out, "  %.2f times as fast", mean / t.mean);
    if (old)
        text_printf(json, ", \"before\": {\"ns\": %.3f, \"half\": %.3f, \"differs\": %s}", mean,
                    half, same ? "false" : "true");
}

static void tell(Bench *b, const char *path, const char *name, Times t)
{
    Text line = {0}, json = {0};
    text_printf(&line, "%-40s ", name);
    add_time(&line, t.mean);
    text_printf(&line, " +-%5.1f %%  %4d runs", t.mean > 0 ? 100 * t.half / t.mean : 0, t.runs);
    text_add(&json, "{\"file\": ");
    diag_add_json(&json, path);
    text_add(&json, ", \"bench\": ");
    diag_add_json(&json, name);
    text_printf(&json, ", \"ns\": %.3f, \"half\": %.3f, \"runs\": %d", t.mean, t.half, t.runs);
    if (b->old) add_comparison(&line, &json, old_of(b, path, name), t);
    text_add(&line, "\n");
    text_add(&json, "}\n");
    text_addn(&b->json, json.data, json.len);
    const Text *shown = b->opt->json ? &json : &line;
    write_bytes(NULL, shown->data, shown->len, 0);
    text_free(&line);
    text_free(&json);
}

/* ---- all ----------------------------------------------------------------------------------------- */

static bool read_old(Bench *b)
{
    json_error_t error;
    FILE *file = fopen(b->opt->against, "re");
    b->old = json_array();
    for (json_t *o; file && (o = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error));)
        json_array_append_new(b->old, o);
    bool good = file && feof(file);
    if (!good) complain("'%s' is no output of csc bench", b->opt->against);
    if (file) fclose(file);
    return good;
}

static bool compile_cases(const Options *o, const char *path, Cases *c, int *program)
{
    Options own = *o;
    text_add(&c->program, "\nvoid csc__call(string csc__name) {");
    cases_add_calls(c, "csc__name");
    text_add(&c->program, "}\n");
    text_add(&c->program, runner);
    own.input = path;
    own.host.program = path;
    own.text = c->program.data;
    own.output = NULL;
    own.files.len = 0; /* each file is a program of its own */
    return compile(&own, program);
}

static void bench_file(Bench *b, const char *path)
{
    Arena *a = arena_new();
    Cases c;
    int program;
    bool ok = cases_read(b->opt, path, "Bench", a, &c);
    if (ok && !c.names.len) complain("'%s' has no functions with [Bench]", path);
    ok = ok && c.names.len > 0 && compile_cases(b->opt, path, &c, &program);
    for (size_t i = 0; ok && i < c.names.len; i++) {
        Times t;
        if (b->opt->filter && !strstr(c.names.data[i], b->opt->filter)) continue;
        bool good = run_case(b, path, program, &c, i, &t);
        b->rows++;
        b->failed += !good;
        if (good) tell(b, path, c.names.data[i], t);
    }
    if (ok) close(program);
    b->failed += !ok;
    cases_free(&c);
    arena_free(a);
}

int bench(const Options *o)
{
    Bench b = {.opt = o};
    bool ok = !o->against || read_old(&b);
    for (size_t i = 0; ok && i < o->files.len; i++) bench_file(&b, o->files.data[i]);
    if (ok && o->output && b.json.len) ok = write_bytes(o->output, b.json.data, b.json.len, 0666);
    json_decref(b.old);
    text_free(&b.json);
    return ok && !b.failed ? 0 : 1;
}
