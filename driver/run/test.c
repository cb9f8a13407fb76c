/* Tests of a file become a program of its declarations that calls the one that its argument names.
 * What it prints is kept, and shown of those that fail. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/arena.h"
#include "../../base/mem.h"
#include "../../base/report/diag.h"
#include "../../base/text.h"
#include "../../base/vec.h"
#include "../compile/compile.h"
#include "../message.h"
#include "../write.h"
#include "cases.h"
#include "child.h"
#include "test.h"

typedef struct Test {
    const char *name; /* "area", "Shape.Area"; NULL: the whole program */
    size_t number;    /* of the case */
} Test;

/* A file with tests. */
typedef struct TestFile {
    const Options *opt;
    const char *path;
    Arena *arena;
    Cases tests;
    Text expected; /* what // expect: lines say that the whole program prints */
    bool expects;
} TestFile;

typedef struct Outcome {
    bool ok;
    double ms;
    Text
        printed; /* both streams, or of a program that says what it prints, standard output first */
    Text why;
} Outcome;

typedef struct Totals {
    int tests, failed;
} Totals;

/* ---- what there is to test -------------------------------------------------------------------- */

/* // expect: lines, behind statements or on their own. */
static void find_expected(TestFile *f, const char *text)
{
    static const char mark[] = "// expect:";
    for (const char *at = text; (at = strstr(at, mark));) {
        at += sizeof mark - 1;
        at += *at == ' ';
        size_t n = strcspn(at, "\r\n");
        text_addn(&f->expected, at, n);
        text_add(&f->expected, "\n");
        f->expects = true;
    }
}

/* False after messages. */
static bool read_tests(TestFile *f)
{
    bool ok = cases_read(f->opt, f->path, "Test", f->arena, &f->tests);
    if (ok && f->tests.source.data) find_expected(f, f->tests.source.data);
    if (ok && f->tests.names.len > 0) cases_add_calls(&f->tests, "args[0]");
    return ok;
}

/* ---- running them ---------------------------------------------------------------------------- */

static int given(void *program)
{
    return *(int *)program;
}

/* device NULL: as the environment says. */
static Outcome run_test(const TestFile *f, int program, const Test *t, const char *device)
{
    char number[24];
    snprintf(number, sizeof number, "%zu", t->number);
    char *const argv[] = {(char *)f->path, t->name ? number : NULL, NULL};
    const char *const env[][2] = {{"CS_DEVICE", device}};
    Child child = {.program = given,
                   .ctx = &program,
                   .argv = argv,
                   .n = device != NULL,
                   .env = env,
                   .seconds = f->opt->timeout};
    ChildEnd e = child_run(&child);
    char room[64];
    const char *why = child_why(&e, room);
    bool same = t->name || (e.out.len == f->expected.len &&
                            memcmp(e.out.data, f->expected.data, f->expected.len) == 0);
    Outcome o = {.ok = !why && same, .ms = e.ms};
    if (why || !same) text_add(&o.why, why ? why : "it printed something else");
    if (e.out.len) text_addn(&o.printed, e.out.data, e.out.len);
    if (e.started && e.err.len) text_addn(&o.printed, e.err.data, e.err.len);
    child_end_free(&e);
    return o;
}

/* ---- telling ------------------------------------------------------------------------------------ */

static void tell_json(Text *out, const TestFile *f, const Test *t, const char *device,
                      const Outcome *o)
{
    text_add(out, "{\"file\": ");
    diag_add_json(out, f->path);
    text_add(out, ", \"test\": ");
    diag_add_json(out, t->name ? t->name : "");
    text_printf(out, ", \"device\": \"%s\", \"ok\": %s, \"ms\": %.1f", device,
                o->ok ? "true" : "false", o->ms);
    if (!o->ok) {
        text_add(out, ", \"why\": ");
        diag_add_json(out, o->why.data);
        text_add(out, ", \"output\": ");
        diag_add_json(out, o->printed.data ? o->printed.data : "");
    }
    text_add(out, "}\n");
}

static void add_indented(Text *out, const char *text, size_t n)
{
    for (const char *end = text + n; text < end;) {
        size_t len = strcspn(text, "\n");
        if (len > (size_t)(end - text)) len = (size_t)(end - text);
        text_printf(out, "        %.*s\n", (int)len, text);
        text += len + 1;
    }
}

static void tell_failure(Text *out, const TestFile *f, const Test *t, const char *device,
                         const Outcome *o)
{
    text_printf(out, "      on %s: %s\n", device, o->why.data);
    add_indented(out, o->printed.data ? o->printed.data : "", o->printed.len);
    if (t->name || !f->expects) return;
    text_add(out, "      expected:\n");
    add_indented(out, f->expected.data, f->expected.len);
}

/* On the default device, then on ref. */
static void run_on_devices(const TestFile *f, int program, const Test *t, Totals *totals)
{
    const char *wish = getenv("CS_DEVICE"), *const devices[] = {NULL, "ref"};
    bool only = wish && strcmp(wish, "ref") == 0, all_ok = true;
    Text line = {0}, failures = {0}, json = {0};
    double ms[2] = {0};
    int n = only ? 1 : 2;
    for (int d = 0; d < n; d++) {
        const char *shown = devices[d] ? devices[d] : wish && *wish ? wish : "default";
        Outcome o = run_test(f, program, t, devices[d]);
        ms[d] = o.ms;
        all_ok &= o.ok;
        tell_json(&json, f, t, shown, &o);
        if (!o.ok) tell_failure(&failures, f, t, shown, &o);
        text_free(&o.printed);
        text_free(&o.why);
    }
    text_printf(&line, "%s  %-40s %6.0f ms", all_ok ? "ok  " : "FAIL",
                t->name ? t->name : "the whole program", ms[0]);
    if (n == 2) text_printf(&line, ", ref %.0f ms", ms[1]);
    text_add(&line, "\n");
    if (failures.data) text_add(&line, failures.data);
    totals->tests++;
    totals->failed += !all_ok;
    const Text *shown = f->opt->json ? &json : &line;
    write_bytes(NULL, shown->data, shown->len, 0);
    text_free(&line);
    text_free(&failures);
    text_free(&json);
}

/* The file itself, or the program of its tests. False after messages. */
static bool compile_tests(const TestFile *f, bool whole, int *program)
{
    Options o = *f->opt;
    o.files.len = 0; /* each file is a program of its own */
    o.input = f->path;
    o.host.program = f->path;
    o.text = whole ? NULL : f->tests.program.data;
    return compile(&o, program);
}

static bool is_wanted(const TestFile *f, const char *name)
{
    return !f->opt->filter || strstr(name, f->opt->filter);
}

static void test_file(const Options *opt, const char *path, Totals *totals)
{
    TestFile f = {.opt = opt, .path = path, .arena = arena_new()};
    int program;
    bool ok = read_tests(&f), any = f.tests.names.len > 0 || f.expects;
    if (ok && !any) complain("'%s' has neither functions with [Test] nor // expect: lines", path);
    ok &= any;
    if (ok && f.tests.names.len > 0 && (ok = compile_tests(&f, false, &program))) {
        for (size_t i = 0; i < f.tests.names.len; i++)
            if (is_wanted(&f, f.tests.names.data[i]))
                run_on_devices(&f, program, &(Test){f.tests.names.data[i], i}, totals);
        close(program);
    }
    if (ok && f.expects && is_wanted(&f, path) && (ok = compile_tests(&f, true, &program))) {
        run_on_devices(&f, program, &(Test){NULL, 0}, totals);
        close(program);
    }
    if (!ok) totals->tests++, totals->failed++;
    cases_free(&f.tests);
    text_free(&f.expected);
    arena_free(f.arena);
}

int test(const Options *o)
{
    Totals totals = {0};
    for (size_t i = 0; i < o->files.len; i++) test_file(o, o->files.data[i], &totals);
    if (!o->json) {
        Text line = {0};
        text_printf(&line, "%d test%s, %d failed\n", totals.tests, totals.tests == 1 ? "" : "s",
                    totals.failed);
        write_bytes(NULL, line.data, line.len, 0);
        text_free(&line);
    }
    return totals.failed ? 1 : 0;
}
