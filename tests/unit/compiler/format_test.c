/* csc fmt on every program of the tree: what comes out has the same tokens and comments, and is laid
 * out already. */
#include <check.h>
#include <ftw.h>
#include <string.h>

#include "../../../base/arena.h"
#include "../../../base/intern.h"
#include "../../../base/report/diag.h"
#include "../../../base/report/source.h"
#include "../../../base/text.h"
#include "../../../format/format.h"
#include "../../../lexer/lexer.h"
#include "../suite.h"

typedef struct Run {
    Sources *sources;
    Diags *diags;
    Interner *names;
} Run;

static int formatted;

/* False: the scanner finds errors. */
static bool format(Run *r, const char *text, size_t len, Text *out)
{
    int file = sources_add(r->sources, "x", text, len);
    return format_source(out, r->sources, (uint32_t)file, r->diags, r->names);
}

/* The tokens as words, and what else the text holds but spaces. */
static void add_words(Text *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!strchr(" \t\r\n", text[i]) || !text[i]) text_addn(out, text + i, 1);
}

static void check_text(const char *name, const char *text, size_t len)
{
    Run r = {.sources = sources_new(), .names = interner_new()};
    r.diags = diags_new(r.sources);
    Text once = {0}, twice = {0}, before = {0}, after = {0};
    if (format(&r, text, len, &once)) {
        formatted++;
        ck_assert_msg(format(&r, once.data ? once.data : "", once.len, &twice), "%s", name);
        ck_assert_msg(once.len == twice.len &&
                          (!once.len || !memcmp(once.data, twice.data, once.len)),
                      "%s changes when it is laid out again", name);
        Arena *arena = arena_new();
        Tokens a = {0}, b = {0};
        lexer_scan(&a, r.sources, 0, r.diags, r.names, arena);
        lexer_scan(&b, r.sources, 1, r.diags, r.names, arena);
        ck_assert_msg(a.list.len == b.list.len, "%s has other tokens", name);
        for (size_t i = 0; i < a.list.len; i++)
            ck_assert_msg(a.list.data[i].kind == b.list.data[i].kind, "%s: token %zu", name, i);
        tokens_free(&a);
        tokens_free(&b);
        arena_free(arena);
        add_words(&before, text, len);
        add_words(&after, once.data ? once.data : "", once.len);
        ck_assert_msg(before.len == after.len &&
                          (!after.len || !memcmp(before.data, after.data, after.len)),
                      "%s: a comment or a letter is lost", name);
    }
    text_free(&once);
    text_free(&twice);
    text_free(&before);
    text_free(&after);
    diags_free(r.diags);
    interner_free(r.names);
    sources_free(r.sources);
}

static int check_file(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)where;
    size_t n = strlen(path);
    if (kind != FTW_F || n < 4 || strcmp(path + n - 4, ".cs$") != 0) return 0;
    Sources *s = sources_new();
    const char *why;
    int file = sources_load(s, path, &why);
    ck_assert_msg(file >= 0, "%s: %s", path, why);
    const Source *source = sources_get(s, (uint32_t)file);
    check_text(path, source->text, source->len);
    /* with line ends of Windows, and cut in the middle */
    Text windows = {0};
    for (size_t i = 0; i < source->len; i++) {
        if (source->text[i] == '\n') text_add(&windows, "\r");
        text_addn(&windows, source->text + i, 1);
    }
    check_text(path, windows.data ? windows.data : "", windows.len);
    check_text(path, source->text, source->len / 2);
    text_free(&windows);
    sources_free(s);
    return 0;
}

START_TEST(every_program)
{
    static const char *const folders[] = {"samples", "stdlib", "tests"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        ck_assert_int_eq(nftw(folders[i], check_file, 16, FTW_PHYS), 0);
    ck_assert_int_gt(formatted, 800);
}
END_TEST

START_TEST(odd_texts)
{
    static const char *const texts[] = {"",
                                        "\n\n",
                                        "}",
                                        ")",
                                        "else",
                                        "// only",
                                        "/* only */",
                                        "{",
                                        "x /**/ ; // y",
                                        "if (a) if (b) c(); else",
                                        "case",
                                        "@class",
                                        "$\"{(1)}",
                                        "a<b>",
                                        ">>"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        check_text(texts[i], texts[i], strlen(texts[i]));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("format");
    TCase *c = tcase_create("format");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, every_program);
    tcase_add_test(c, odd_texts);
    suite_add_tcase(s, c);
    return run_suite_here(s);
}
