/* Schedules as text: what the recipes make of all graphs that the tests have, printed, read and
 * printed again, is the same text and gives the same kernels; of programs one in six has its turn (suite_draws).
 * SCHEDULE_TEXT=pattern: the files whose path holds it. SCHEDULE_SEED=n: other parameters are drawn. */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/mem.h"
#include "../../../codegen/kernel/codegen.h"
#include "../../../parser/parser.h"
#include "../../../sema/sema.h"
#include "../suite.h"

static int nschedules;
static uint32_t turn; /* goes up with each schedule; a file begins with a number of its own */

/* The first line in which two texts differ. */
static void show_difference(const char *a, const char *b)
{
    for (int line = 1; *a || *b; line++) {
        size_t n = strcspn(a, "\n"), m = strcspn(b, "\n");
        if (n != m || memcmp(a, b, n) != 0) {
            fprintf(stderr, "line %d:\n  %.*s\n  %.*s\n", line, (int)n, a, (int)m, b);
            return;
        }
        a += n + (a[n] != 0);
        b += m + (b[m] != 0);
    }
}

static bool same(const char *what, const char *a, const char *b)
{
    if (strcmp(a, b) == 0) return true;
    fprintf(stderr, "%s:\n", what);
    show_difference(a, b);
    return false;
}

/* Comments are not read, and not all are made of what is. */
static void drop_comments(Text *t)
{
    char *to = t->data;
    for (const char *line = t->data, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        next = next ? next + 1 : line + strlen(line);
        if (*line == '#') continue;
        memmove(to, line, (size_t)(next - line));
        to += next - line;
    }
    if (t->data) *to = 0;
}

/* Two places may read the same element; whose line is told depends on which form was tried first. */
static void drop_lines(char *kernels)
{
    static const char before[] = ", error, ";
    char *to = kernels;
    for (const char *c = kernels; *c;) {
        *to++ = *c++;
        if (to - kernels >= 9 && strncmp(to - 9, before, 9) == 0) c += strspn(c, "0123456789");
    }
    *to = 0;
}

static bool comes_back(const FdGraph *g, const CgOptions *o)
{
    FdError error = {0}, plain_error = {0}, read_error = {0};
    Text printed = {0}, again = {0};
    char *text = NULL, *plain = NULL, *read = NULL;
    bool ok = true;
    if (cg_lower_also(g, o, &(CgAlso){.printed = &printed}, &text, &error) == CG_OK) {
        nschedules++;
        turn++;
        cg_lower(g, o, &plain, &plain_error);
        ok = same("kernels while the schedule is printed", plain, text);
        CgReading given = {cg_schedule_reader, printed.data, 0};
        const CgAlso also = {.read = &given, .printed = &again};
        if (cg_lower_also(g, o, &also, &read, &read_error) != CG_OK) {
            fprintf(stderr, "line %d not read: %s\n", given.line, read ? read : "host only");
            ok = false;
        } else {
            drop_comments(&printed);
            drop_comments(&again);
            drop_lines(text);
            drop_lines(read);
            ok = same("schedule", printed.data, again.data) && same("kernels", text, read) && ok;
        }
        if (!ok && getenv("SCHEDULE_TEXT")) fputs(printed.data, stderr);
    }
    text_free(&printed);
    text_free(&again);
    mem_free(text);
    mem_free(plain);
    mem_free(read);
    return ok;
}

/* The options that recipes look at, and with parameters drawn; the paper's tiles are no nests. Graphs of
 * programs go with one of the eight in turn, both families and those drawn. */
static bool check_graph(const char *path, const FdGraph *g)
{
    bool all = true, every = strstr(path, ".fdag") != NULL;
    const int other = turn & 7;
    for (int i = 0; i < 9; i++) {
        if (!every && i > 1 && i < 8 && i != other) continue;
        bool drawn = i == 8, gpu = drawn ? turn & 1 : i & 1;
        CgOptions o = {.family = gpu ? CG_GPU : CG_CPU,
                       .tile = i & 2 ? CG_TILE_1X1 : CG_TILE_AUTO,
                       .precise = i & 4,
                       .seed = drawn ? turn + 1 : 0};
        if (comes_back(g, &o)) continue;
        fprintf(stderr, "... of %s, family %s, tile %s%s, seed %u\n", path, gpu ? "gpu" : "cpu",
                cg_tile_text(o.tile), o.precise ? ", precise" : "", o.seed);
        all = false;
    }
    return all;
}

/* Has this file its turn? */
static bool begin(const char *path)
{
    const char *pattern = getenv("SCHEDULE_TEXT"), *seed = getenv("SCHEDULE_SEED");
    uint32_t hash = 0;
    for (const char *c = path; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
    hash >>= 16;
    turn = hash + (seed ? (uint32_t)strtoul(seed, NULL, 0) : 0);
    if (pattern) return strstr(path, pattern);
    return strstr(path, ".fdag") || suite_draws(hash, 6);
}

static bool check_program(const char *path)
{
    Sources *sources = sources_new();
    Diags *diags = diags_new(sources);
    Interner *names = interner_new();
    Arena *arena = arena_new();
    Fd *fd = fd_new();
    const ParseProgram program = {0};
    const char *why;
    bool all = true;
    int file = sources_load(sources, path, &why);
    Ast *unit =
        file < 0 ? NULL : parse_program(sources, (uint32_t)file, &program, diags, names, arena);
    if (unit && !diags_errors(diags)) {
        SemaResult *r = sema_unit(unit, sources, diags, names, arena, fd);
        for (int i = 0; !diags_errors(diags) && i < r->nevaluations; i++)
            all = check_graph(path, r->evaluations[i].graph) && all;
    }
    fd_free(fd);
    arena_free(arena);
    interner_free(names);
    diags_free(diags);
    sources_free(sources);
    return all;
}

static char *file_text(const char *path)
{
    Text t = {0};
    char buf[4096];
    size_t n;
    FILE *f = fopen(path, "rb");
    while (f && (n = fread(buf, 1, sizeof buf, f)) > 0) text_addn(&t, buf, n);
    if (f) fclose(f);
    text_add(&t, "");
    return text_take(&t);
}

/* Arrays and scalars only, as evaluations have them? */
static bool is_evaluation(const FdGraph *g)
{
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].def || (g->slots[i].type->nparams && !g->slots[i].is_array)) return false;
    return true;
}

static bool check_fdag(const char *path)
{
    char *text = file_text(path);
    Fd *fd = fd_new();
    FdError error = {0};
    const char *why;
    FdGraph *g = fd_read(fd, text, &why);
    bool ok = !g || !is_evaluation(g) ||
              !fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL) || check_graph(path, g);
    fd_free(fd);
    mem_free(text);
    return ok;
}

static void check_all(const char *const *patterns, bool check(const char *path))
{
    bool all = true;
    for (; *patterns; patterns++) {
        glob_t found;
        if (glob(*patterns, 0, NULL, &found) != 0) continue;
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (begin(found.gl_pathv[i])) all = check(found.gl_pathv[i]) && all;
        globfree(&found);
    }
    ck_assert(all);
}

START_TEST(graphs)
{
    static const char *const patterns[] = {"tests/fdag/*.fdag", "tests/schedule/*.fdag", NULL};
    check_all(patterns, check_fdag);
    ck_assert(nschedules > 0 || getenv("SCHEDULE_TEXT"));
}
END_TEST

START_TEST(programs)
{
    static const char *const patterns[] = {"samples/*/*.cs$", "tests/programs/*.cs$",
                                           "tests/kernels/*.cs$", "tests/lang/*/*.cs$", NULL};
    check_all(patterns, check_program);
    ck_assert(nschedules > 50 || getenv("SCHEDULE_TEXT"));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("schedules as text");
    TCase *t = tcase_create("round trip");
    tcase_set_timeout(t, 600);
    tcase_add_test(t, graphs);
    tcase_add_test(t, programs);
    suite_add_tcase(s, t);
    return run_suite(s);
}
