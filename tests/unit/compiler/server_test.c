/* csc lsp: a recorded session, what is offered, several files. */
#include <unistd.h>

#include "../../../base/mem.h"
#include "../file.h"
#include "../suite.h"
#include "server_client.h"

/* ---- a session ------------------------------------------------------------------------------ */

/* Where a text stands in the program: the first line that has it. */
static json_t *in_program(const char *text, const char *what, int behind)
{
    int line = 0;
    const char *found = strstr(text, what), *begin = text;
    ck_assert_msg(found != NULL, "%s", what);
    for (const char *c = text; c < found; c++)
        if (*c == '\n') line++, begin = c + 1;
    return at(line, (int)(found - begin) + behind);
}

/* Every request once, at places of the program; answers are compared with those kept. */
START_TEST(session)
{
    char *text = read_file(program);
    Session s = {0};
    ask(&s, "initialize", json_object());
    open_text(&s, text);
    const char *const hovers[] = {"mean(float", "Norm() =>", "c(j, k)",   "l) *",    "p.Norm",
                                  "d[0",        "Sqrt",      "WriteLine", "behind;", "list.Add"};
    for (size_t i = 0; i < sizeof hovers / sizeof *hovers; i++)
        ask(&s, "textDocument/hover", in_program(text, hovers[i], 0));
    ask(&s, "textDocument/hover", in_program(text, "foreach", 1)); /* nothing to tell */
    const char *const uses[] = {"two) +", "p.Norm", "x * x", "behind;", "inner + 1"};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        ask(&s, "textDocument/definition", in_program(text, uses[i], 0));
        ask(&s, "textDocument/references", in_program(text, uses[i], 0));
        ask(&s, "textDocument/documentHighlight", in_program(text, uses[i], 0));
        ask(&s, "textDocument/prepareRename", in_program(text, uses[i], 0));
        json_t *params = in_program(text, uses[i], 0);
        add_with(params, "newName", "other");
        ask(&s, "textDocument/rename", params);
    }
    const char *const wrong[] = {"result", "for", "two words", ""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) { /* in the way, or no names */
        json_t *params = in_program(text, "behind;", 0);
        add_with(params, "newName", wrong[i]);
        ask(&s, "textDocument/rename", params);
    }
    ask(&s, "textDocument/prepareRename", in_program(text, "Sqrt", 0));
    ask(&s, "textDocument/completion", in_program(text, "Norm() + d", 2));
    ask(&s, "textDocument/signatureHelp", in_program(text, "2);", 0));
    ask(&s, "textDocument/signatureHelp", in_program(text, "two) +", 1));
    ask(&s, "textDocument/documentSymbol", at(0, 0));
    ask(&s, "textDocument/inlayHint", at(0, 0));
    ask(&s, "textDocument/semanticTokens/full", at(0, 0));
    ask(&s, "textDocument/foldingRange", at(0, 0));
    ask(&s, "workspace/symbol", json_pack("{s:s}", "query", "nm"));
    ask(&s, "textDocument/formatting", at(0, 0));
    ask(&s, "workspace/unheardOf", json_object());
    ask(&s, "shutdown", json_null());
    ask(&s, "textDocument/hover", at(0, 0));
    tell(&s, "exit", json_null());
    run(&s);
    ck_assert_int_eq(s.code, 0);
    Text out = {0};
    size_t i;
    json_t *m;
    json_array_foreach(s.answers, i, m)
    {
        char *line = json_dumps(m, JSON_SORT_KEYS);
        text_printf(&out, "%s\n", line);
        free(line);
    }
    if (getenv("BLESS")) {
        FILE *f = fopen("tests/server/session.jsonl", "wb");
        fwrite(out.data, 1, out.len, f);
        fclose(f);
    }
    char *kept = read_file("tests/server/session.jsonl");
    for (const char *a = kept, *b = out.data; *a || *b;) {
        size_t n = strcspn(a, "\n"), k = strcspn(b, "\n");
        ck_assert_msg(n == k && memcmp(a, b, n) == 0, "kept:  %.*s\nnow:   %.*s", (int)n, a, (int)k,
                      b);
        a += n + (a[n] == '\n');
        b += k + (b[k] == '\n');
    }
    mem_free(kept);
    mem_free(text);
    text_free(&out);
    end(&s);
}
END_TEST

static bool offers(const json_t *message, const char *label)
{
    size_t i;
    json_t *item, *items = json_object_get(json_object_get(message, "result"), "items");
    json_array_foreach(items, i, item) if (strcmp(json_string_value(json_object_get(item, "label")),
                                                  label) == 0) return true;
    return false;
}

/* The answer to a request at the | of a text, or at its end. */
static const json_t *ask_at(Session *s, const char *marked, const char *method)
{
    Text text = {0};
    const char *cursor = strchrnul(marked, '|'), *begin = cursor;
    text_addn(&text, marked, (size_t)(cursor - marked));
    text_add(&text, *cursor ? cursor + 1 : "");
    int line = 0;
    for (const char *c = marked; c < cursor; c++) line += *c == '\n';
    while (begin > marked && begin[-1] != '\n') begin--;
    open_text(s, text.data ? text.data : "");
    ask(s, method, at(line, (int)(cursor - begin)));
    run(s);
    text_free(&text);
    return answer(s, 1);
}

/* What stands before the cursor is half written. */
START_TEST(completion)
{
    static const struct {
        const char *text; /* the cursor is at its end, or at the | */
        const char *yes, *no;
    } cases[] = {
        {"string s = \"a\";\ns.", "ToUpper", "Math"},
        {"string s = \"a\";\nConsole.WriteLine(s.To|);", "ToUpper", "Append"},
        {"Math.", "Sqrt", "s"},
        {"Console.WriteLine(Math.|", "PI", "while"},
        {"var list = new List<int>();\nlist.", "Add", "items"},
        {"class C { int hidden; public int Shown; }\nvar c = new C();\nc.", "Shown", "hidden"},
        {"class C { int hidden; void m() { this.| } }", "hidden", "m2"},
        {"int f(int count) {\n    int inner = 1;\n    return in|\n}\nint outer = 1;\n", "inner",
         "outer"},
        {"int f(int count) {\n    return 1;\n}\nint outer = 1;\nout|", "outer", "count"},
        {"float[] a = {1};\nvar b(i) = a(i) + ", "i", "Length"},
        {"enum E { One, Two }\nE e = E.", "Two", "e"},
        {"int.", "MaxValue", "i"},
        {"string s = \"a.|\";", NULL, "ToUpper"},
        {"// a comment. Ma|", NULL, "Math"},
        {"whi", "while", "x"},
        {"", "Console", "x"},
        {"var list = new List<string>();\nlist[0].", "ToUpper", "Add"},
        {"var list = new List<string>();\nvar y = (list[0]).|;", "ToUpper", "Add"},
        {"int[] a = {1};\nvar y = a[0..1].", "Length", "ToUpper"},
        {"Stats.", "Median", "Length"},
        {"var d = Linalg.|(m);", "Trace", "Median"},
        {"Sta", "Stats", "Median"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Session s = {0};
        const json_t *m = ask_at(&s, cases[i].text, "textDocument/completion");
        if (cases[i].yes)
            ck_assert_msg(offers(m, cases[i].yes), "%s: no %s", cases[i].text, cases[i].yes);
        ck_assert_msg(!offers(m, cases[i].no), "%s: %s", cases[i].text, cases[i].no);
        end(&s);
    }
}
END_TEST

/* The call around the cursor is half written, or its arguments do not fit. */
START_TEST(signatures)
{
    static const struct {
        const char *text;
        const char *label; /* of the signature that is shown; NULL: none is */
        int argument;
    } cases[] = {
        {"var x = Math.Max(1, ", "double Math.Max(double, double)", 1},
        {"var x = Math.Max(1, |2);", "int Math.Max(int, int)", 1},
        {"int f(int a, float b) => a;\nvar y = f(2, |\nConsole.WriteLine(y);",
         "int f(int a, float b)", 1},
        {"int f(int a) => a;\nvar y = f(Math.Min(1, |2);", "double Math.Min(double, double)", 1},
        {"int f(int a) => a;\nint f(int a, int b) => b;\nf(1, |)", "int f(int a, int b)", 1},
        {"var list = new List<int>(|", "List(int capacity)", 0},
        {"var list = new List<int>();\nif (list.Contains(|) {\n}", "bool List.Contains(int item)",
         0},
        {"string s = \"a\";\ns.Replace(\"a\", ", "string Replace(string, string)", 1},
        {"final class v(float x, float y);\nvar a = new v(1, |;", "v(float x, float y)", 1},
        {"if (|", NULL, 0},
        {"// f(|", NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Session s = {0};
        const json_t *result =
            json_object_get(ask_at(&s, cases[i].text, "textDocument/signatureHelp"), "result");
        size_t active = (size_t)json_integer_value(json_object_get(result, "activeSignature"));
        const json_t *shown = json_array_get(json_object_get(result, "signatures"), active);
        const char *label = json_string_value(json_object_get(shown, "label"));
        ck_assert_msg(!label == !cases[i].label, "%s: %s", cases[i].text, label);
        if (label) ck_assert_str_eq(label, cases[i].label);
        ck_assert_int_eq(json_integer_value(json_object_get(result, "activeParameter")),
                         cases[i].argument);
        end(&s);
    }
}
END_TEST

/* What mends a message: `new` in place of the text between two bars, or nothing is offered. */
START_TEST(quick_fixes)
{
    static const struct {
        const char *before, *wrong, *after, *new;
    } cases[] = {
        {"float[] samples = {1};\nfloat s = sum(", "sample", "(k));\n", "samples"},
        {"int n = 3", "", "\nint m = n;\n", ";"},
        {"string s = \"a\";\nint n = s.", "Lenght", ";\n", "Length"},
        {"", "flaot", "[] a = {1};\n", "float"},
        {"int n = (1 + 2", "", ";\n", ")"},
        {"int n = ", "\"a\"", ";\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Session s = {0};
        Text text = {0};
        int line = 0, column = 0;
        for (const char *c = cases[i].before; *c; c++)
            line += *c == '\n', column = *c == '\n' ? 0 : column + 1;
        text_printf(&text, "%s%s%s", cases[i].before, cases[i].wrong, cases[i].after);
        open_text(&s, text.data);
        int end_column = column + (int)strlen(cases[i].wrong);
        json_t *range =
            json_pack("{s:{s:i, s:i}, s:{s:i, s:i}}", "start", "line", line, "character", column,
                      "end", "line", line, "character", end_column);
        ask(&s, "textDocument/codeAction",
            json_pack("{s:{s:s}, s:O, s:{s:[]}}", "textDocument", "uri", uri, "range", range,
                      "context", "diagnostics"));
        run(&s);
        const json_t *action = json_array_get(json_object_get(answer(&s, 1), "result"), 0);
        const json_t *edit = json_array_get(
            json_object_get(json_object_get(json_object_get(action, "edit"), "changes"), uri), 0);
        const char *new = json_string_value(json_object_get(edit, "newText"));
        ck_assert_msg(!new == !cases[i].new, "%s: %s", text.data, new);
        if (new) ck_assert_str_eq(new, cases[i].new);
        if (new) ck_assert(json_equal(json_object_get(edit, "range"), range));
        json_decref(range);
        text_free(&text);
        end(&s);
    }
}
END_TEST

/* ---- several files -------------------------------------------------------------------------- */

static const char
    module[] =
        "class Shape {\n    public float Side;\n    public Shape(float side) { Side = side; }\n}\n"
        "float area(Shape s, float by) => s.Side * s.Side * by;\n",
    user[] = "using shapes;\nvar s = new Shape(side: 2);\n"
             "Console.WriteLine(area(by: 2, s: s) + s.Side);\n",
    stranger[] = "using other;\nfloat area(float side) => side;\nConsole.WriteLine(area(3));\n";

static char folder[] = "/tmp/server_test_XXXXXX";

static char *in_folder(const char *name, const char *text)
{
    Text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    FILE *f = text ? fopen(path.data, "w") : NULL;
    if (f) fputs(text, f), fclose(f);
    return text_take(&path);
}

/* Opens a file of the folder with that text, and puts the cursor there. */
static json_t *open_there(Session *s, const char *path, const char *text, const char *what)
{
    json_t *params = in_program(text, what, 0);
    Text there = {0};
    text_printf(&there, "file://%s", path);
    tell(s, "textDocument/didOpen",
         json_pack("{s:{s:s, s:s}}", "textDocument", "uri", there.data, "text", text));
    json_object_set_new(params, "textDocument", json_pack("{s:s}", "uri", there.data));
    text_free(&there);
    return params;
}

/* How many edits a file gets, of which the first is on that line; -1: none. */
static int edits_of(const json_t *changes, const char *path, int *line)
{
    const char *key;
    json_t *edits;
    *line = -1;
    json_object_foreach((json_t *)(uintptr_t)changes, key, edits)
    {
        if (!strstr(key, path)) continue;
        const json_t *start =
            json_object_get(json_object_get(json_array_get(edits, 0), "range"), "start");
        *line = (int)json_integer_value(json_object_get(start, "line"));
        return (int)json_array_size(edits);
    }
    return -1;
}

/* From where it is declared and from where it is used; a file that is open counts as it is there. */
START_TEST(several_files)
{
    ck_assert_ptr_nonnull(mkdtemp(folder));
    char *shapes = in_folder("shapes.cs$", module), *uses = in_folder("uses.cs$", user),
         *other = in_folder("other.cs$", "int nothing() => 0;\n"),
         *apart = in_folder("apart.cs$", stranger);
    static const struct {
        const char *what, *name;
        int declared, used, line; /* edits; of the first */
    } cases[] = {{"area(", "size", 1, 1, 4},
                 {"Side", "Edge", 4, 1, 1},
                 {"Shape", "Square", 3, 1, 0},
                 {"by", "scale", 2, 1, 4},
                 {"side", "edge", 2, 1, 2}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        Session s = {0};
        bool here = i % 2;
        Text root = {0}, typed = {0};
        text_printf(&root, "file://%s", folder);
        text_printf(&typed, "// not saved\n%s", module);
        ask(&s, "initialize", json_pack("{s:s}", "rootUri", root.data));
        json_t *params = here ? open_there(&s, shapes, typed.data, cases[i / 2].what)
                              : open_there(&s, uses, user, cases[i / 2].what);
        json_object_set_new(params, "context", json_pack("{s:b}", "includeDeclaration", 1));
        add_with(params, "newName", cases[i / 2].name);
        ask(&s, "textDocument/rename", json_incref(params));
        ask(&s, "textDocument/references", params);
        run(&s);
        int line, all = cases[i / 2].declared + cases[i / 2].used;
        const json_t *changes =
            json_object_get(json_object_get(answer(&s, 2), "result"), "changes");
        ck_assert_msg(changes != NULL, "%s: %s", cases[i / 2].what,
                      json_dumps(answer(&s, 2), JSON_COMPACT));
        ck_assert_uint_eq(json_object_size(changes), 2);
        ck_assert_int_eq(edits_of(changes, "uses.cs$", &line), cases[i / 2].used);
        ck_assert_int_eq(edits_of(changes, "shapes.cs$", &line), cases[i / 2].declared);
        ck_assert_int_eq(line - here, cases[i / 2].line);
        ck_assert_uint_eq(json_array_size(json_object_get(answer(&s, 3), "result")), (size_t)all);
        text_free(&root);
        text_free(&typed);
        end(&s);
    }

    /* Names that are in the way, or in the library. */
    Session s = {0};
    json_t *params = open_there(&s, shapes, module, "area(");
    add_with(params, "newName", "Shape");
    ask(&s, "textDocument/rename", params);
    params = open_there(&s, uses, user, "WriteLine");
    add_with(params, "newName", "Print");
    ask(&s, "textDocument/rename", params);
    /* What is typed in a module is told of those that use it. */
    params = open_there(&s, shapes, "float area(int s) => 1;\n", "area(");
    ask(&s, "textDocument/hover", params);
    run(&s);
    ck_assert_ptr_nonnull(json_object_get(answer(&s, 1), "error"));
    ck_assert_ptr_nonnull(json_object_get(answer(&s, 2), "error"));
    char *said = json_dumps(s.answers, JSON_COMPACT);
    ck_assert_ptr_nonnull(strstr(said, "Shape"));
    free(said);
    end(&s);
    char *files[] = {shapes, uses, other, apart};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        remove(files[i]);
        mem_free(files[i]);
    }
    rmdir(folder);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("server");
    TCase *t = tcase_create("server");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, session);
    tcase_add_test(t, completion);
    tcase_add_test(t, signatures);
    tcase_add_test(t, quick_fixes);
    tcase_add_test(t, several_files);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
