/* Tests of a file become a program of its declarations that calls the one that its argument names.
 * What it prints is kept, and shown of those that fail. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/arena.h"
#include "../base/diag.h"
#include "../base/intern.h"
#include "../base/mem.h"
#include "../base/source.h"
#include "../base/text.h"
#include "../base/vec.h"
#include "../parser/parser.h"
#include "compile.h"
#include "message.h"
#include "test.h"
#include "write.h"

typedef struct Test {
    const char *name; /* "area", "Shape.Area"; NULL: the whole program */
} Test;

/* A file with tests. */
typedef struct TestFile {
    const Options *opt;
    const char *path;
    Arena *arena;
    VEC(Test) tests;
    Text program;  /* declarations, and the call of the test that args[0] names */
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

static bool is_test(const Ast *d)
{
    if (d->kind != AST_FUNC) return false;
    for (int i = 0; i < d->func.attrs.len; i++)
        if (strcmp(d->func.attrs.data[i]->attr.name, "Test") == 0) return true;
    return false;
}

static void find_tests(TestFile *f, const Ast *unit)
{
    const AstList *decls = &unit->unit.decls;
    for (int i = 0; i < decls->len; i++) {
        const Ast *d = decls->data[i];
        if (is_test(d)) vec_push(&f->tests, ((Test){d->func.name}));
        for (int k = 0; d->kind == AST_CLASS && k < d->class_.members.len; k++) {
            const Ast *m = d->class_.members.data[k];
            if (is_test(m))
                vec_push(&f->tests,
                         ((Test){arena_printf(f->arena, "%s.%s", d->class_.name, m->func.name)}));
        }
    }
}

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

static bool is_constant(const Ast *s)
{
    return s->kind == AST_VAR_DECL && s->var_decl.is_const;
}

/* The file's text with its statements blanked, so that everything else keeps its line and column,
 * and a call of each test behind it. */
static void make_program(TestFile *f, const Source *source, const Ast *unit)
{
    Text *out = &f->program;
    text_addn(out, source->text, source->len);
    for (int i = 0; i < unit->unit.stmts.len; i++) {
        const Ast *s = unit->unit.stmts.data[i];
        for (uint32_t at = s->loc.begin; !is_constant(s) && at < s->loc.end; at++)
            if (out->data[at] != '\n') out->data[at] = ' ';
    }
    text_add(out, "\nswitch (args[0]) {\n");
    for (size_t i = 0; i < f->tests.len; i++)
        text_printf(out, "case \"%s\": %s(); break;\n", f->tests.data[i].name,
                    f->tests.data[i].name);
    text_add(out, "}\n");
}

/* False after messages. */
static bool read_tests(TestFile *f)
{
    const Options *o = f->opt;
    Sources *sources = sources_new();
    Diags *diags = diags_new(sources);
    Interner *names = interner_new();
    Arena *arena = arena_new();
    const char *why = NULL;
    int file = sources_load(sources, f->path, &why);
    if (file < 0) complain("cannot read '%s': %s", f->path, why);
    if (file >= 0) {
        Ast *unit = parse_program(sources, (uint32_t)file, o->include.data, o->include.len, diags,
                                  names, arena);
        const Source *source = sources_get(sources, (uint32_t)file);
        find_tests(f, unit);
        for (size_t i = 0; i < f->tests.len; i++) /* names outlive the tree */
            f->tests.data[i].name = arena_printf(f->arena, "%s", f->tests.data[i].name);
        find_expected(f, source->text);
        if (f->tests.len > 0) make_program(f, source, unit);
    }
    bool ok = file >= 0 && diags_errors(diags) == 0;
    if (!ok) (o->json ? diags_print_json : diags_print)(diags, stderr); /* else compiling says it */
    arena_free(arena);
    interner_free(names);
    diags_free(diags);
    sources_free(sources);
    return ok;
}

/* ---- running them ---------------------------------------------------------------------------- */

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void read_all(int fd, Text *out)
{
    char block[1 << 12];
    ssize_t n;
    lseek(fd, 0, SEEK_SET);
    while ((n = read(fd, block, sizeof block)) > 0) text_addn(out, block, (size_t)n);
}

/* In the child: never returns. */
static void become(int program, const char *path, const char *name, const char *device, int out,
                   int err)
{
    char *argv[] = {(char *)path, (char *)name, NULL};
    if (device) setenv("CS_DEVICE", device, 1);
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    fexecve(program, argv, environ);
    _exit(127);
}

/* device NULL: as the environment says. */
static Outcome run_test(const TestFile *f, int program, const Test *t, const char *device)
{
    Outcome o = {0};
    int status = 0, out = memfd_create("out", MFD_CLOEXEC), err = memfd_create("err", MFD_CLOEXEC);
    double start = now_ms();
    fflush(NULL);
    pid_t pid = out < 0 || err < 0 ? -1 : fork();
    if (pid == 0) become(program, f->path, t->name, device, out, err);
    if (pid < 0) text_printf(&o.why, "cannot run the test: %s", strerror(errno));
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    o.ms = now_ms() - start;
    if (pid > 0) {
        read_all(out, &o.printed);
        bool same = t->name || (o.printed.len == f->expected.len &&
                                memcmp(o.printed.data, f->expected.data, f->expected.len) == 0);
        if (WIFSIGNALED(status))
            text_printf(&o.why, "ended by signal %d (%s)", WTERMSIG(status),
                        strsignal(WTERMSIG(status)));
        else if (status != 0)
            text_printf(&o.why, "exit code %d", WEXITSTATUS(status));
        else if (!same)
            text_add(&o.why, "it printed something else");
        o.ok = status == 0 && same;
        read_all(err, &o.printed);
    }
    if (out >= 0) close(out);
    if (err >= 0) close(err);
    return o;
}

/* ---- telling ------------------------------------------------------------------------------------ */

static void tell_json(Text *out, const TestFile *f, const Test *t, const char *device,
                      const Outcome *o)
{
    text_add(out, "{\"file\": ");
    diag_add_json(out, f->path);
    text_printf(out, ", \"test\": \"%s\", \"device\": \"%s\", \"ok\": %s, \"ms\": %.1f",
                t->name ? t->name : "", device, o->ok ? "true" : "false", o->ms);
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
    o.text = whole ? NULL : f->program.data;
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
    bool ok = read_tests(&f), any = f.tests.len > 0 || f.expects;
    if (ok && !any) complain("'%s' has neither functions with [Test] nor // expect: lines", path);
    ok &= any;
    if (ok && f.tests.len > 0 && (ok = compile_tests(&f, false, &program))) {
        for (size_t i = 0; i < f.tests.len; i++)
            if (is_wanted(&f, f.tests.data[i].name))
                run_on_devices(&f, program, &f.tests.data[i], totals);
        close(program);
    }
    if (ok && f.expects && is_wanted(&f, path) && (ok = compile_tests(&f, true, &program))) {
        run_on_devices(&f, program, &(Test){NULL}, totals);
        close(program);
    }
    if (!ok) totals->tests++, totals->failed++;
    vec_free(&f.tests);
    text_free(&f.program);
    text_free(&f.expected);
    arena_free(f.arena);
}

int test(const Options *o)
{
    Totals totals = {0};
    for (size_t i = 0; i < o->files.len; i++) test_file(o, o->files.data[i], &totals);
    if (!o->json) {
        Text line = {0};
        text_printf(&line, "%d tests, %d failed\n", totals.tests, totals.failed);
        write_bytes(NULL, line.data, line.len, 0);
        text_free(&line);
    }
    return totals.failed ? 1 : 0;
}
