/* csc lsp: texts as they change, what is no message, edits at random, a long text. */
#include <time.h>

#include "../../../base/mem.h"
#include "../file.h"
#include "../suite.h"
#include "server_client.h"

static json_t *diagnostics(const Session *s)
{
    size_t i;
    json_t *m, *last = NULL;
    json_array_foreach(s->answers, i, m)
    {
        const char *method = json_string_value(json_object_get(m, "method"));
        if (method && strcmp(method, "textDocument/publishDiagnostics") == 0)
            last = json_object_get(json_object_get(m, "params"), "diagnostics");
    }
    ck_assert_ptr_nonnull(last);
    return last;
}

static json_t *change(int line, int from, int to, const char *text)
{
    return json_pack("{s:{s:s}, s:[{s:{s:{s:i, s:i}, s:{s:i, s:i}}, s:s}]}", "textDocument", "uri",
                     uri, "contentChanges", "range", "start", "line", line, "character", from,
                     "end", "line", line, "character", to, "text", text);
}

/* Positions are UTF-16 units: a letter of four bytes is two. */
START_TEST(changes)
{
    Session s = {0};
    open_text(&s, "string s = \"\xF0\x9D\x9B\xBC\"; int n = s;\n");
    tell(&s, "textDocument/didChange", change(0, 25, 26, "1 + wrong"));
    tell(&s, "textDocument/didChange", change(0, 29, 34, "1"));
    ask(&s, "textDocument/hover", at(0, 21));
    run(&s);
    ck_assert_uint_eq(json_array_size(diagnostics(&s)), 0);
    const char *hover = json_string_value(json_object_get(
        json_object_get(json_object_get(answer(&s, 1), "result"), "contents"), "value"));
    ck_assert_msg(hover && strstr(hover, "int n"), "%s", hover);
    end(&s);
}
END_TEST

START_TEST(messages_of_errors)
{
    Session s = {0};
    open_text(&s, "int n = unknown;\nint n = 2;\n");
    run(&s);
    const json_t *list = diagnostics(&s), *first = json_array_get(list, 0),
                 *second = json_array_get(list, 1);
    ck_assert_uint_eq(json_array_size(list), 2);
    ck_assert_str_eq(json_string_value(json_object_get(first, "code")), "CS2001");
    ck_assert_uint_eq(json_array_size(json_object_get(second, "relatedInformation")), 1);
    ck_assert_int_eq(s.code, 1); /* it ended without being asked to */
    end(&s);
}
END_TEST

/* Whatever comes in, the server answers or ends. */
START_TEST(no_messages)
{
    static const char *const inputs[] = {"",
                                         "Content-Length: 5\r\n\r\n{",
                                         "Content-Length: -5\r\n\r\n{}",
                                         "Content-Length: 99999999999999999999\r\n\r\n",
                                         "\r\n\r\n",
                                         "Content-Length: 2\r\n\r\n[]Content-Length: 4\r\n\r\nnull",
                                         "Content-Length: 3\r\n\r\n{{{Content-Length: 2\r\n\r\n{}"};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        Session s = {0};
        text_add(&s.in, inputs[i]);
        if (!s.in.len) text_add(&s.in, "\n");
        run(&s);
        ck_assert_int_eq(s.code, 1);
        end(&s);
    }
    static const char *const wrong[] = {
        "{\"id\": 1, \"method\": 5}",
        "{\"id\": 1, \"method\": \"textDocument/hover\"}",
        "{\"id\": \"x\", \"method\": \"textDocument/hover\", \"params\": {\"textDocument\": "
        "{\"uri\": 3}}}",
        "{\"method\": \"textDocument/didChange\", \"params\": []}",
        "{\"method\": \"textDocument/didOpen\", \"params\": {\"textDocument\": {\"uri\": \"a\"}}}",
        "{\"method\": \"textDocument/didClose\"}"};
    Session s = {0};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        text_printf(&s.in, "Content-Length: %zu\r\n\r\n%s", strlen(wrong[i]), wrong[i]);
    open_text(&s, "int n = 1;");
    for (int line = -1; line < 3; line++)
        ask(&s, "textDocument/completion", at(line, line * 1000000));
    ask(&s, "shutdown", json_null());
    run(&s);
    ck_assert_int_eq(s.code, 0);
    end(&s);
}
END_TEST

/* ---- edits at random ------------------------------------------------------------------------ */

static uint32_t state;

static uint32_t below(uint32_t n)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(state >> 4) * n) >> 28);
}

/* SERVER_EDITS edits, a request behind each: a text that is typed, cut and pasted. */
START_TEST(random_edits)
{
    static const char *const pieces[] = {
        "(",  ")", "{",    "}",    ";",   ".",       ",",        "\"",   "a",
        "x ", " ", "\n",   "// ",  "/*",  "= ",      "+ ",       "var ", "int ",
        "[",  "]", "p.",   "new ", "=> ", "class C", "\xCE\xB1", "$\"{", "1",
        "<",  ">", "sum(", "if (", "??",  "..",      "return "};
    static const char *const methods[] = {
        "hover",     "definition", "references",   "documentHighlight", "prepareRename",
        "rename",    "completion", "completion",   "signatureHelp",     "documentSymbol",
        "inlayHint", "formatting", "foldingRange", "codeAction",        "semanticTokens/full"};
    const char *wanted = getenv("SERVER_EDITS");
    int edits = wanted ? atoi(wanted) : 300;
    char *text = read_file(program);
    int lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    state = 2026;
    for (int done = 0; done < edits;) { /* from the program anew now and then */
        Session s = {0};
        open_text(&s, text);
        for (int i = 0; i < 100 && done < edits; i++, done++) {
            int line = (int)below((uint32_t)lines), from = (int)below(60),
                to = below(3) ? from : from + (int)below(12);
            tell(&s, "textDocument/didChange",
                 change(line, from, to, pieces[below(sizeof pieces / sizeof *pieces)]));
            Text method = {0};
            text_printf(&method, "textDocument/%s",
                        methods[below(sizeof methods / sizeof *methods)]);
            json_t *params = at((int)below((uint32_t)lines), (int)below(60));
            add_with(params, "newName", "other");
            ask(&s, method.data, params);
            text_free(&method);
        }
        run(&s);
        for (int id = 1; id <= s.id; id++) answer(&s, id);
        end(&s);
    }
    mem_free(text);
}
END_TEST

/* A hover on 2,000 lines, in milliseconds. */
START_TEST(hover_of_a_long_text)
{
    Session s = {0};
    Text text = {0};
    for (int i = 0; i < 400; i++)
        text_printf(&text,
                    "float f%d(float x, int n) {\n    float s = 0;\n    for (int i = 0; i < n; "
                    "i++) s += x;\n"
                    "    return s;\n}\n",
                    i);
    open_text(&s, text.data);
    ask(&s, "textDocument/hover", at(1001, 10));
    run(&s);
    size_t parts = json_array_size(s.answers);
    ck_assert_uint_ge(parts, 2);
    ck_assert(json_is_object(json_object_get(answer(&s, 1), "result")));
    text_free(&text);
    end(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server texts");
    TCase *t = tcase_create("texts");
    tcase_set_timeout(t, getenv("SERVER_EDITS") ? 0 : 120);
    tcase_add_test(t, changes);
    tcase_add_test(t, messages_of_errors);
    tcase_add_test(t, no_messages);
    tcase_add_test(t, random_edits);
    tcase_add_test(t, hover_of_a_long_text);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
