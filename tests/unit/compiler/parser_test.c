/* The scanner and the parser through their interfaces: values of literals, shapes of trees, and
 * what happens to broken, deep, huge and random text. Goldens of both are in tests/parse. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../../lexer/lexer.h"
#include "../../../parser/parser.h"
#include "../suite.h"

typedef struct Fixture {
    Sources *sources;
    Diags *diags;
    Interner *names;
    Arena *arena;
} Fixture;

static Fixture fixture(const char *text, size_t len)
{
    Fixture f = {sources_new(), NULL, interner_new(), arena_new()};
    sources_add(f.sources, "test.cs$", text, len);
    f.diags = diags_new(f.sources);
    return f;
}

static void end(Fixture *f)
{
    diags_free(f->diags);
    sources_free(f->sources);
    interner_free(f->names);
    arena_free(f->arena);
}

static Ast *parse(Fixture *f)
{
    Ast *unit = parse_unit(f->sources, 0, f->diags, f->names, f->arena);
    ck_assert_ptr_nonnull(unit);
    ck_assert_int_eq(unit->kind, AST_UNIT);
    return unit;
}

static int errors_of(const char *text, size_t len)
{
    Fixture f = fixture(text, len);
    parse(&f);
    int errors = diags_errors(f.diags);
    end(&f);
    return errors;
}

/* ---- the scanner ---- */

static Token scan_one(Fixture *f, const char *text, Tokens *tokens)
{
    *f = fixture(text, strlen(text));
    lexer_scan(tokens, f->sources, 0, f->diags, f->names, f->arena);
    ck_assert_uint_eq(tokens->list.len, 2);
    ck_assert_int_eq(diags_errors(f->diags), 0);
    return tokens->list.data[0];
}

START_TEST(numbers_have_values)
{
    static const struct {
        const char *text, *suffix;
        TokenKind kind;
        uint64_t integer;
        double real;
    } rows[] = {
        {"0", NULL, TOK_INT, 0, 0},
        {"1_000", NULL, TOK_INT, 1000, 0},
        {"0xFF_ff", NULL, TOK_INT, 65535, 0},
        {"0b1010", NULL, TOK_INT, 10, 0},
        {"18446744073709551615", NULL, TOK_INT, UINT64_MAX, 0},
        {"7l", "L", TOK_INT, 7, 0},
        {"7U", "u", TOK_INT, 7, 0},
        {"7Lu", "UL", TOK_INT, 7, 0},
        {"0x1d", NULL, TOK_INT, 29, 0},
        {"1.5", NULL, TOK_REAL, 0, 1.5},
        {".5", NULL, TOK_REAL, 0, 0.5},
        {"1e3", NULL, TOK_REAL, 0, 1000},
        {"1_0.2_5E-1d", "d", TOK_REAL, 0, 1.025},
        {"2h", "h", TOK_REAL, 0, 2},
        {"0.1f", "f", TOK_REAL, 0, (double)0.1f},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Fixture f;
        Tokens tokens = {0};
        Token t = scan_one(&f, rows[i].text, &tokens);
        TokenValue v = tokens.values.data[t.value];
        ck_assert_int_eq(t.kind, rows[i].kind);
        ck_assert_pstr_eq(v.text, rows[i].suffix);
        if (rows[i].kind == TOK_INT)
            ck_assert_uint_eq(v.integer, rows[i].integer);
        else
            ck_assert_double_eq(v.real, rows[i].real);
        tokens_free(&tokens);
        end(&f);
    }
}
END_TEST

START_TEST(strings_are_decoded)
{
    static const struct {
        const char *text, *value;
        size_t len;
    } rows[] = {
        {"\"\"", "", 0},
        {"\"a\\tb\\0c\"", "a\tb\0c", 5},
        {"\"\\u00e9\\U0001F600\\x41\"",
         "\xC3\xA9\xF0\x9F\x98\x80"
         "A",
         7},
        {"\"\\uD83D\\uDE00\"", "\xF0\x9F\x98\x80", 4},
        {"@\"a\\n\"\"b\"\"\nc\"", "a\\n\"b\"\nc", 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Fixture f;
        Tokens tokens = {0};
        Token t = scan_one(&f, rows[i].text, &tokens);
        TokenValue v = tokens.values.data[t.value];
        ck_assert_int_eq(t.kind, TOK_STRING);
        ck_assert_uint_eq(v.len, rows[i].len);
        ck_assert_mem_eq(v.text, rows[i].value, v.len);
        tokens_free(&tokens);
        end(&f);
    }
}
END_TEST

/* ---- trees ---- */

START_TEST(lists_grow)
{
    Arena *arena = arena_new();
    AstList list = {0};
    Ast *items[1000];
    for (int i = 0; i < 1000; i++) {
        items[i] = ast_new(arena, AST_EMPTY, (Loc){0});
        list = ast_list_add(arena, list, items[i]);
    }
    ck_assert_int_eq(list.len, 1000);
    for (int i = 0; i < 1000; i++) ck_assert_ptr_eq(list.data[i], items[i]);
    arena_free(arena);
}
END_TEST

typedef struct Walk {
    uint32_t at;
    int nodes;
} Walk;

/* Children lie inside their parent, in source order, and their depth is less. */
static void check_child(Ast **child, void *ctx)
{
    Walk *w = ctx, inside = {(*child)->loc.begin, 0};
    ck_assert_uint_ge((*child)->loc.begin, w->at);
    ck_assert_uint_ge((*child)->loc.end, (*child)->loc.begin);
    w->at = (*child)->loc.begin;
    ast_each_child(*child, check_child, &inside);
    w->nodes += inside.nodes + 1;
}

START_TEST(children_come_in_source_order)
{
    static const char text[] = "float f(float x, ref int n) { return x; }\n"
                               "var c(i, (j, k) : m) = + (l : 0..n, a(i, l) * b[l]) + (int) x;\n"
                               "for (int i = 0; i < n; i++) { do ; while (a ? b : c); }\n"
                               "foreach (var e in xs) if (e) x = $\"{e,3:F2} b\"; else break;\n"
                               "int[,] d = new int[,] {{1, 2}}, e = new int[n];\n"
                               "var g = let(i) (a, b) => -a(i).b(_);\n";
    Fixture f = fixture(text, sizeof text - 1);
    Ast *unit = parse(&f);
    ck_assert_int_eq(diags_errors(f.diags), 0);
    Walk w = {0, 0};
    for (int i = 0; i < unit->unit.stmts.len; i++) {
        Walk inside = {0, 0};
        ast_each_child(unit->unit.stmts.data[i], check_child, &inside);
        w.nodes += inside.nodes;
    }
    ck_assert_int_gt(w.nodes, 50);
    end(&f);
}
END_TEST

/* The keywords that the scanner takes for modifiers are those that trees can hold. */
START_TEST(modifiers_are_known_to_both)
{
    /* what a declaration begins with, or an accessor is called, instead */
    const uint64_t others = AST_MOD_INTERFACE | AST_MOD_STRUCT | AST_MOD_RECORD | AST_MOD_INIT;
    uint64_t all = 0;
    for (int k = 0; k < TOK_COUNT; k++) {
        bool found = false;
        if (!token_is_modifier((TokenKind)k)) continue; /* a word may be another token, too */
        for (uint64_t mod = AST_MOD_PUBLIC; mod <= AST_MOD_EVENT; mod *= 2) {
            if (strcmp(ast_mod_text(mod), token_text((TokenKind)k)) != 0) continue;
            found = true;
            all |= mod;
        }
        ck_assert_msg(found, "%s", token_text((TokenKind)k));
    }
    ck_assert_uint_eq(all, (2 * AST_MOD_EVENT - 1) & ~others);
    ck_assert_str_eq(ast_mod_text(AST_MOD_STATIC | AST_MOD_READONLY), "static");
}
END_TEST

START_TEST(precedence)
{
    static const struct {
        const char *text, *shape;
    } rows[] = {
        {"x = a + b * c;", "(a+(b*c))"},
        {"x = a - b - c;", "((a-b)-c)"},
        {"x = a << b .. c + d;", "(a<<(b..(c+d)))"},
        {"x = a >> b < c;", "((a>>b)<c)"},
        {"x = a & b == c;", "(a&(b==c))"},
        {"x = a || b && c | d ^ e;", "(a||(b&&(c|(d^e))))"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Fixture f = fixture(rows[i].text, strlen(rows[i].text));
        Ast *unit = parse(&f);
        Ast *todo[64] = {unit->unit.stmts.data[0]->expr_stmt.expr->assign.value};
        Text shape = {0};
        const char *marks[64] = {NULL};
        for (int n = 1; n > 0;) { /* a stack of nodes and of texts */
            Ast *e = todo[--n];
            if (!e) {
                text_add(&shape, marks[n]);
            } else if (e->kind == AST_NAME_REF) {
                text_add(&shape, e->name_ref.name);
            } else {
                bool range = e->kind == AST_RANGE;
                Ast *parts[] = {NULL, range ? e->range.hi : e->binary.right, NULL,
                                range ? e->range.lo : e->binary.left, NULL};
                const char *texts[] = {")", NULL, range ? ".." : ast_op_text(e->binary.op), NULL,
                                       "("};
                for (int k = 0; k < 5; k++, n++) todo[n] = parts[k], marks[n] = texts[k];
            }
        }
        ck_assert_str_eq(shape.data, rows[i].shape);
        text_free(&shape);
        end(&f);
    }
}
END_TEST

/* ---- broken text ---- */

static const char sample[] = "type matrix = float(int, int);\n"
                             "float norm(float[] a, int n) {\n"
                             "    float s = 0;\n"
                             "    for (int i = 0; i < n; i++) {\n"
                             "        if (a[i] > 0) s += a[i] * a[i];\n"
                             "        else {\n"
                             "            s -= 1;\n"
                             "        }\n"
                             "    }\n"
                             "    while (s > 3) { s = s / 2; }\n"
                             "    return Math.Sqrt(s);\n"
                             "}\n"
                             "var c(j, k) = + (a(j, l) * b(l, k));\n"
                             "var t = sum(l : 0..n, a(l) * b(l, k));\n"
                             "int[] v = {1, 2, 3};\n"
                             "Console.WriteLine($\"{t:F3} {c(1, 2)}\");\n";

/* One token less is at most a few errors, nearly always one. */
START_TEST(one_mistake_is_one_error)
{
    Fixture f = fixture(sample, sizeof sample - 1);
    Tokens tokens = {0};
    lexer_scan(&tokens, f.sources, 0, f.diags, f.names, f.arena);
    ck_assert_int_eq(errors_of(sample, sizeof sample - 1), 0);
    int many = 0, total = 0;
    for (size_t i = 0; i + 1 < tokens.list.len; i++, total++) {
        Token t = tokens.list.data[i];
        char text[sizeof sample];
        memcpy(text, sample, sizeof sample);
        memset(text + t.begin, ' ', t.end - t.begin);
        int errors = errors_of(text, sizeof sample - 1);
        ck_assert_int_le(errors, 4);
        many += errors > 1;
    }
    ck_assert_int_gt(total, 150);
    ck_assert_int_lt(many * 20, total);
    tokens_free(&tokens);
    end(&f);
}
END_TEST

START_TEST(every_mistake_is_reported)
{
    Text t = {0};
    for (int i = 0; i < 200; i++) text_printf(&t, "int a%d = %d +;\nf(%d;\n", i, i, i);
    ck_assert_int_eq(errors_of(t.data, t.len), 400);
    text_free(&t);
}
END_TEST

START_TEST(random_text_does_no_harm)
{
    static const char *const words[] = {
        "(",   ")",        "{",   "}",       "[",     "]",    ";",    ",",    ":",  "=>",
        "let", "..",       "$\"", "\"",      "class", "type", "new",  "\xFF", "/*", "'",
        "int", "x",        "3",   "=",       "if",    "for",  "else", "??",   ">>", "_",
        "ref", "operator", "\n",  "foreach", "in",    "var",  "."};
    srand(1);
    for (int round = 0; round < 3000; round++) {
        Text t = {0};
        for (int n = rand() % 40; n >= 0; n--) {
            text_add(&t, words[(size_t)rand() % (sizeof words / sizeof *words)]);
            text_add(&t, rand() % 4 ? " " : "");
        }
        errors_of(t.data, t.len);
        text_free(&t);
    }
}
END_TEST

/* ---- deep and long text ---- */

static char *repeat(const char *before, const char *s, size_t n, const char *after, size_t *len)
{
    Text t = {0};
    text_add(&t, before);
    for (size_t i = 0; i < n; i++) text_add(&t, s);
    text_add(&t, after);
    *len = t.len;
    return text_take(&t);
}

START_TEST(deep_text_is_one_error)
{
    static const char *const rows[][3] = {
        {"x = ", "(", ""},       {"x = ", "-", "1;"},         {"x = 1", " + 1", ";"},
        {"", "{", ""},           {"", "if (a) ", ";"},        {"", "if (a) ; else ", ";"},
        {"x = ", "a => ", "1;"}, {"x = ", "(int) ", "1;"},    {"x = a", ".b", "();"},
        {"x = a", "(1)", ";"},   {"x = ", "a ? b : ", "c;"},  {"type t = ", "float(", ""},
        {"float", "[]", " x;"},  {"x = ", "new int[] {", ""}, {"x = ", "$\"{", ""},
        {"x = ", "f(", ""},      {"float x = ", "{", ""},     {"x = ", "a = ", "1;"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len;
        char *text = repeat(rows[i][0], rows[i][1], 200000, rows[i][2], &len);
        Fixture f = fixture(text, len);
        parse(&f);
        ck_assert_int_ge(diags_errors(f.diags), 1);
        ck_assert_int_le(diags_errors(f.diags), 2); /* an open string is another */
        end(&f);
        mem_free(text);
    }
}
END_TEST

START_TEST(trees_are_shallow_enough)
{
    size_t len;
    char *text = repeat("x = 1", " + 1", AST_MAX_DEPTH - 5, ";", &len);
    Fixture f = fixture(text, len);
    Ast *unit = parse(&f);
    ck_assert_int_eq(diags_errors(f.diags), 0);
    ck_assert_uint_le(unit->depth, AST_MAX_DEPTH);
    Text out = {0};
    ast_print(&out, unit, f.sources);
    ck_assert_uint_gt(out.len, len);
    text_free(&out);
    end(&f);
    mem_free(text);
}
END_TEST

/* Runs of anything are read in linear time: quadratic time would run into Check's limit. */
START_TEST(long_lines_are_fast)
{
    enum { N = 2000000 };
    static const struct {
        const char *before, *unit, *after;
        bool valid;
    } rows[] = {
        {"x = \"", "abcdefgh", "\";", true},
        {"x = \"", "abcdefgh", "", false},
        {"int ", "abcdefgh", ";", true},
        {"x = 1.", "12345678", ";", true},
        {"/*", "********", "*/", true},
        {"/*", "********", "", false},
        {"x = @\"", "a\"\"", "\";", true},
        {"f(", "a,", "a);", true},
        {"x = $\"", "{a}", "\";", true},
        {"",
         "\xE2\x80\x94"
         "a",
         "", false},
        {"", "\xE2\x80\x94", "", false},
        {"", "\xFF", "", false},
        {"float[", ",", "] x;", true},
        {"'", "\\'", "", false},
        {"", "a# ", "", false},
        {"x = ", "f(a b c; ", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len, n = N / strlen(rows[i].unit);
        char *text = repeat(rows[i].before, rows[i].unit, n, rows[i].after, &len);
        ck_assert_int_eq(errors_of(text, len) == 0, rows[i].valid);
        mem_free(text);
    }
    char *nuls = calloc(N, 1);
    ck_assert_ptr_nonnull(nuls);
    ck_assert_int_eq(errors_of(nuls, N), 1);
    nuls[0] = '"';
    ck_assert_int_eq(errors_of(nuls, N), 1);
    free(nuls);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("parser");
    TCase *c = tcase_create("parser");
    tcase_set_timeout(c, 120);
    tcase_add_test(c, numbers_have_values);
    tcase_add_test(c, strings_are_decoded);
    tcase_add_test(c, lists_grow);
    tcase_add_test(c, children_come_in_source_order);
    tcase_add_test(c, modifiers_are_known_to_both);
    tcase_add_test(c, precedence);
    tcase_add_test(c, one_mistake_is_one_error);
    tcase_add_test(c, every_mistake_is_reported);
    tcase_add_test(c, random_text_does_no_harm);
    tcase_add_test(c, deep_text_is_one_error);
    tcase_add_test(c, trees_are_shallow_enough);
    tcase_add_test(c, long_lines_are_fast);
    suite_add_tcase(s, c);
    return run_suite(s);
}
