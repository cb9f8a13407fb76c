/* The files for editors know every word of the language, and are well-formed where JSON is asked for. */
#include <check.h>
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "../../../base/mem.h"
#include "../../../base/scalar.h"
#include "../../../base/text.h"
#include "../../../lexer/lexer.h"
#include "../file.h"
#include "../suite.h"

static const char *const files[] = {"editors/vim/syntax/csdollar.vim",
                                    "editors/emacs/csdollar-mode.el",
                                    "editors/vscode/syntaxes/csdollar.tmLanguage.json"};

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if ((at == text || !is_part(at[-1]) || at[-2] == '\\') && !is_part(at[n])) return true;
    return false;
}

START_TEST(words)
{
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = read_file(files[i]);
        for (int k = 0; k < TOK_COUNT; k++) {
            TokenClass class = token_class((TokenKind)k);
            const char *word = token_text((TokenKind)k);
            if (class != TOKEN_K && class != TOKEN_M) continue;
            ck_assert_msg(has_word(text, word), "%s lacks '%s'", files[i], word);
        }
        for (int k = 0; k < SC_COUNT; k++)
            ck_assert_msg(has_word(text, scalar_name((ScalarKind)k)), "%s lacks '%s'", files[i],
                          scalar_name((ScalarKind)k));
        mem_free(text);
    }
}
END_TEST

/* What a grammar includes is there. */
static void check_includes(const json_t *n, const json_t *repository)
{
    const char *key;
    json_t *value;
    size_t i;
    json_object_foreach((json_t *)n, key, value)
    {
        const char *name = strcmp(key, "include") == 0 ? json_string_value(value) : NULL;
        if (name && name[0] == '#')
            ck_assert_msg(json_object_get(repository, name + 1) != NULL, "%s", name);
        check_includes(value, repository);
    }
    json_array_foreach(n, i, value) check_includes(value, repository);
}

START_TEST(json)
{
    static const char *const all[] = {"editors/vscode/package.json",
                                      "editors/vscode/language-configuration.json",
                                      "editors/vscode/syntaxes/csdollar.tmLanguage.json"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        json_error_t error;
        json_t *root = json_load_file(all[i], JSON_REJECT_DUPLICATES, &error);
        ck_assert_msg(root != NULL, "%s:%d: %s", all[i], error.line, error.text);
        check_includes(root, json_object_get(root, "repository"));
        json_decref(root);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("editors");
    TCase *t = tcase_create("editors");
    tcase_add_test(t, words);
    tcase_add_test(t, json);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
