/* What CS_PROFILE asks for (profile.h). Bytes are those of the buffers that a launch touches, each
 * counted once: GB/s is the rate at which they would have streamed, above the memory's where caches
 * serve reads again. Operations are those of the graph, as written; rows are by total time. "building":
 * what the driver took for programs (POCL compiles their kernels when they are first launched). */
#include "profile.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../state.h"

typedef struct Row {
    char *kernel;
    uint64_t calls, nanoseconds, least, bytes;
} Row;

typedef struct Called {
    FdKey key;
    CgFamily family;
    bool native;
    CsSite at; /* what the program has, or the interner of errors */
    char *hints, *set, *parameters, *text;
    uint64_t calls;
    double work;
    VEC(Row) rows;
} Called;

struct Profile {
    VEC(Called) all;
    uint64_t builds, building; /* programs, ns */
    int now;
};

static struct Profile *profile(void)
{
    if (!rt.profile && (rt.profile = mem_object(sizeof *rt.profile))) rt.profile->now = -1;
    return rt.profile;
}

bool profile_is_file(void)
{
    const char *s = getenv("CS_PROFILE");
    return rt_profiling() && strcmp(s, "1") != 0;
}

/* ---- counting ----------------------------------------------------------------------------------- */

static char *copy(const char *s)
{
    size_t n = s ? strlen(s) : 0;
    char *mine = n ? mem_object(n + 1) : NULL;
    if (mine) memcpy(mine, s, n);
    return mine;
}

int profile_find(FdKey key, bool native)
{
    for (size_t i = 0; rt.profile && i < rt.profile->all.len; i++) {
        const Called *c = &rt.profile->all.data[i];
        if (c->key.hi == key.hi && c->key.lo == key.lo && c->native == native) return (int)i;
    }
    return -1;
}

int profile_new(const Profiled *p)
{
    if (!profile() || !vec_try(&rt.profile->all)) return -1;
    Called c = {.key = p->key, .family = p->family, .native = p->native, .at = p->at};
    c.hints = copy(p->hints);
    c.set = copy(p->set);
    c.parameters = copy(p->parameters);
    c.text = copy(p->text);
    vec_push(&rt.profile->all, c);
    return (int)rt.profile->all.len - 1;
}

void profile_turn(int evaluation, double work)
{
    if (!profile()) return;
    rt.profile->now = evaluation;
    if (evaluation < 0) return;
    rt.profile->all.data[evaluation].calls++;
    rt.profile->all.data[evaluation].work += work;
}

int profile_now(void)
{
    return rt.profile ? rt.profile->now : -1;
}

bool profile_place(int evaluation, char *room, size_t size)
{
    if (!rt.profile || evaluation < 0 || (size_t)evaluation >= rt.profile->all.len) return false;
    CsSite at = rt.profile->all.data[evaluation].at;
    snprintf(room, size, "%s:%d:%d", at.file ? at.file : "", at.line, at.col);
    return true;
}

void profile_add(int evaluation, const char *kernel, uint64_t nanoseconds, uint64_t bytes)
{
    if (evaluation < 0 || !rt.profile) return;
    Called *c = &rt.profile->all.data[evaluation];
    size_t i = 0;
    while (i < c->rows.len && strcmp(c->rows.data[i].kernel, kernel) != 0) i++;
    if (i == c->rows.len) {
        Row row = {.least = UINT64_MAX};
        if (!vec_try(&c->rows) || !(row.kernel = copy(kernel))) return;
        vec_push(&c->rows, row);
    }
    Row *row = &c->rows.data[i];
    row->calls++;
    row->nanoseconds += nanoseconds;
    row->bytes += bytes;
    if (nanoseconds < row->least) row->least = nanoseconds;
}

void profile_built(uint64_t nanoseconds)
{
    if (!profile()) return;
    rt.profile->builds++;
    rt.profile->building += nanoseconds;
}

/* ---- telling ------------------------------------------------------------------------------------ */

static Row total(const Called *c)
{
    Row all = {0};
    for (size_t i = 0; i < c->rows.len; i++) {
        all.nanoseconds += c->rows.data[i].nanoseconds;
        all.bytes += c->rows.data[i].bytes;
    }
    return all;
}

static int by_total(const void *a, const void *b)
{
    uint64_t x = total(a).nanoseconds, y = total(b).nanoseconds;
    return (x < y) - (x > y);
}

static int by_time(const void *a, const void *b)
{
    const Row *x = a, *y = b;
    return (x->nanoseconds < y->nanoseconds) - (x->nanoseconds > y->nanoseconds);
}

static double rate(double count, uint64_t nanoseconds)
{
    return nanoseconds ? count / (double)nanoseconds : 0.0;
}

static void print_table(FILE *out)
{
    fprintf(out, "%-40s %8s %12s %9s %9s\n", "kernel", "calls", "ms", "GFLOP/s", "GB/s");
    for (size_t i = 0; i < rt.profile->all.len; i++) {
        const Called *c = &rt.profile->all.data[i];
        Row all = total(c);
        char place[256];
        snprintf(place, sizeof place, "%s:%d:%d%s", c->at.file ? c->at.file : "", c->at.line,
                 c->at.col, c->native ? ", native" : "");
        fprintf(out, "%-40s %8" PRIu64 " %12.3f %9.2f %9.2f\n", place, c->calls,
                (double)all.nanoseconds * 1e-6, rate(c->work, all.nanoseconds),
                rate((double)all.bytes, all.nanoseconds));
        for (size_t k = 0; k < c->rows.len; k++) {
            const Row *r = &c->rows.data[k];
            fprintf(out, "  %-38s %8" PRIu64 " %12.3f %9s %9.2f\n", r->kernel, r->calls,
                    (double)r->nanoseconds * 1e-6, "", rate((double)r->bytes, r->nanoseconds));
        }
    }
    fprintf(out, "%-40s %8" PRIu64 " %12.3f\n", "building", rt.profile->builds,
            (double)rt.profile->building * 1e-6);
}

static void json_string(FILE *out, const char *name, const char *s)
{
    fprintf(out, "\"%s\": \"", name);
    for (const unsigned char *c = (const unsigned char *)(s ? s : ""); *c; c++)
        fprintf(out, *c < ' ' ? "\\u%04x" : *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    fputc('"', out);
}

static void json_called(FILE *out, const Called *c)
{
    Row all = total(c);
    fprintf(out, "{\"key\": \"%016llx%016llx\", \"family\": \"%s\", \"native\": %s, ",
            (unsigned long long)c->key.hi, (unsigned long long)c->key.lo,
            c->family == CG_GPU ? "gpu" : "cpu", c->native ? "true" : "false");
    json_string(out, "file", c->at.file);
    fprintf(out, ", \"line\": %d, \"column\": %d, ", c->at.line, c->at.col);
    json_string(out, "hints", c->hints);
    fputs(", ", out);
    json_string(out, "set", c->set);
    fputs(", ", out);
    json_string(out, "parameters", c->parameters);
    fprintf(out,
            ",\n  \"calls\": %" PRIu64 ", \"ns\": %" PRIu64 ", \"bytes\": %" PRIu64
            ", \"operations\": %.0f, \"kernels\": [",
            c->calls, all.nanoseconds, all.bytes, c->work);
    for (size_t k = 0; k < c->rows.len; k++) {
        const Row *r = &c->rows.data[k];
        fputs(k ? ",\n    {" : "\n    {", out);
        json_string(out, "kernel", r->kernel);
        fprintf(out,
                ", \"calls\": %" PRIu64 ", \"ns\": %" PRIu64 ", \"least\": %" PRIu64
                ", \"bytes\": %" PRIu64 "}",
                r->calls, r->nanoseconds, r->least, r->bytes);
    }
    fputs("],\n  ", out);
    json_string(out, "opencl", c->text);
    fputc('}', out);
}

static void print_json(FILE *out)
{
    fputs("{\"evaluations\": [", out);
    for (size_t i = 0; i < rt.profile->all.len; i++) {
        fputs(i ? ",\n  " : "\n  ", out);
        json_called(out, &rt.profile->all.data[i]);
    }
    fprintf(out, "],\n \"builds\": %" PRIu64 ", \"building\": %" PRIu64 "}\n", rt.profile->builds,
            rt.profile->building);
}

void profile_print(void)
{
    if (!rt_profiling() || !profile()) return;
    struct Profile *p = rt.profile;
    qsort(p->all.data, p->all.len, sizeof(Called), by_total);
    for (size_t i = 0; i < p->all.len; i++)
        qsort(p->all.data[i].rows.data, p->all.data[i].rows.len, sizeof(Row), by_time);
    const char *path = getenv("CS_PROFILE");
    FILE *out = profile_is_file() ? fopen(path, "we") : stderr;
    if (!out) {
        fprintf(stderr, "CS_PROFILE: cannot write '%s'\n", path);
        return;
    }
    (out == stderr ? print_table : print_json)(out);
    if (out != stderr) fclose(out);
}

void profile_free(void)
{
    if (!rt.profile) return;
    for (size_t i = 0; i < rt.profile->all.len; i++) {
        Called *c = &rt.profile->all.data[i];
        for (size_t k = 0; k < c->rows.len; k++) mem_object_free(c->rows.data[k].kernel);
        vec_free(&c->rows);
        mem_object_free(c->hints);
        mem_object_free(c->set);
        mem_object_free(c->parameters);
        mem_object_free(c->text);
    }
    vec_free(&rt.profile->all);
    mem_object_free(rt.profile);
    rt.profile = NULL;
}
