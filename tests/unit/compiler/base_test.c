/* The leaf utilities: numbers as C# prints them, conversions at their edges, diagnostics on hostile
 * sources, tables and arenas under load. */
#include <check.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/arena.h"
#include "../../../base/intern.h"
#include "../../../base/numeral.h"
#include "../../../base/report/diag.h"
#include "../../../base/scalar.h"
#include "../../../base/text.h"
#include "../../../base/vec.h"
#include "../suite.h"

/* ---- text ------------------------------------------------------------------------------- */

START_TEST(doubles_print_like_csharp)
{
    static const struct {
        double x;
        const char *text;
    } rows[] = {
        {0, "0"},
        {-0.0, "-0"},
        {1, "1"},
        {-60, "-60"},
        {0.1, "0.1"},
        {0.0001, "0.0001"},
        {0.00001, "1E-05"},
        {100000000000000, "100000000000000"},
        {1e15, "1E+15"},
        {1e20, "1E+20"},
        {1234567890123456.7, "1234567890123456.8"},
        {123456789012345680, "1.2345678901234568E+17"},
        {5e-324, "5E-324"},
        {1.7976931348623157e308, "1.7976931348623157E+308"},
        {(double)INFINITY, "Infinity"},
        {-(double)INFINITY, "-Infinity"},
        {(double)NAN, "NaN"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Text t = {0};
        text_add_double(&t, rows[i].x);
        ck_assert_str_eq(t.data, rows[i].text);
        text_free(&t);
    }
}
END_TEST

START_TEST(floats_print_like_csharp)
{
    static const struct {
        float x;
        const char *text;
    } rows[] = {
        {0.1f, "0.1"},
        {1e7f, "1E+07"},
        {9999999, "9999999"},
        {16777216, "16777216"},
        {3.4028235e38f, "3.4028235E+38"},
        {1.5e-5f, "1.5E-05"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Text t = {0};
        text_add_float(&t, rows[i].x);
        ck_assert_str_eq(t.data, rows[i].text);
        text_free(&t);
    }
}
END_TEST

START_TEST(numbers_read_back)
{
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = bits * 6364136223846793005u + 1442695040888963407u;
        double x;
        float f;
        uint32_t low = (uint32_t)(bits >> 32);
        memcpy(&x, &bits, sizeof x);
        memcpy(&f, &low, sizeof f);
        Text t = {0}, u = {0};
        text_add_double(&t, x);
        text_add_float(&u, f);
        if (!isnan(x) && strtod(t.data, NULL) != x) ck_abort_msg("%s", t.data);
        if (!isnan(f) && strtof(u.data, NULL) != f) ck_abort_msg("%s", u.data);
        text_free(&t);
        text_free(&u);
    }
}
END_TEST

static uint64_t drawn(void)
{
    static uint64_t bits = 88172645463325252u;
    bits ^= bits << 13;
    bits ^= bits >> 7;
    return bits ^= bits << 17;
}

/* The first of printf's that reads back. */
static void check_shortest(double x, ScalarKind kind)
{
    char printed[48], digits[NUMERAL_SHORTEST], other[48];
    int point, m = 0, n = numeral_shortest(x, kind, digits, &point);
    for (int more = 0; more < 17; more++) {
        snprintf(printed, sizeof printed, "%.*e", more, x);
        ScalarValue back = {.f = kind == SC_DOUBLE ? strtod(printed, NULL)
                                                   : (double)strtof(printed, NULL)};
        if (kind == SC_HALF) back = scalar_convert(back, SC_DOUBLE, SC_HALF);
        if (back.f == x) break;
    }
    const char *at = printed;
    for (; *at != 'e'; at++)
        if (*at != '.') other[m++] = *at;
    while (m > 1 && other[m - 1] == '0') m--;
    if (n != m || point != atoi(at + 1) + 1 || memcmp(digits, other, (size_t)n) != 0)
        ck_abort_msg("%s: %.*s * 10^%d", printed, n, digits, point);
}

START_TEST(shortest_are_the_first_that_read_back)
{
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = drawn() >> 1;
        uint32_t low = (uint32_t)(drawn() >> 33);
        double x;
        float f;
        memcpy(&x, &bits, sizeof x);
        memcpy(&f, &low, sizeof f);
        if (isfinite(x) && x > 0) check_shortest(x, SC_DOUBLE);
        if (isfinite(f) && f > 0) check_shortest((double)f, SC_FLOAT);
        check_shortest((double)(1 + drawn() % 1000000007) / pow(10, (double)(drawn() % 20)),
                       SC_DOUBLE);
        f = (float)(1 + drawn() % 100003) / (float)pow(10, (double)(drawn() % 12));
        check_shortest((double)f, SC_FLOAT);
    }
    for (uint16_t h = 1; h < 0x7c00; h++) check_shortest(scalar_load(&h, SC_HALF).f, SC_HALF);
}
END_TEST

/* By all digits of x, which printf has. */
static void check_fixed(double x, int decimals)
{
    enum { ALL = 1100 };
    char digits[NUMERAL_FIXED], all[ALL + 320] = "0";
    int n = numeral_fixed(x, decimals, digits);
    if (!n) return;
    snprintf(all + 1, sizeof all - 1, "%.*f", ALL, x);
    char *point = strchr(all, '.'), *last = point + decimals;
    memmove(point, point + 1, ALL);
    bool up = *last >= '5';
    for (last--; up && *last == '9'; last--) *last = '0';
    *last = (char)(*last + up);
    const char *from = all, *end = point + decimals;
    while (from + 1 < end && *from == '0') from++;
    if (end - from != n || memcmp(from, digits, (size_t)n) != 0)
        ck_abort_msg("%.17g to %d: %.*s", x, decimals, n, digits);
}

START_TEST(fixed_are_rounded_from_all_digits)
{
    for (int i = 0; i < 20000; i++) {
        const int decimals = (int)(drawn() % 20);
        check_fixed(ldexp((double)(drawn() >> 11), (int)(drawn() % 120) - 90), decimals);
        check_fixed((double)(drawn() % 100000) * 0.125, (int)(drawn() % 4));
        check_fixed((double)(drawn() % 1000000007) / pow(10, (double)(drawn() % 20)), decimals);
    }
    for (int i = 0; i < 20; i++) {
        check_fixed(0, i);
        check_fixed(0.5, i);
        check_fixed(9.9999999999999e18, i);
    }
}
END_TEST

START_TEST(text_grows_and_is_taken)
{
    Text t = {0};
    for (int i = 0; i < 1000; i++) text_printf(&t, "%d,", i);
    ck_assert_uint_eq(t.len, 3890);
    text_printf(&t, "%0500d", 1);
    ck_assert_uint_eq(t.len, 4390);
    char *s = text_take(&t);
    ck_assert_ptr_null(t.data);
    ck_assert_uint_eq(strlen(s), 4390);
    mem_free(s);
    s = text_take(&t); /* of nothing: an empty string */
    ck_assert_str_eq(s, "");
    mem_free(s);
}
END_TEST

START_TEST(formats_are_those_of_printf)
{
    Text t = {0};
    const char *none = NULL;
    text_printf(&t, "%s = %d%%, %c|%d|%d", "x", -7, 'y', INT_MAX, INT_MIN);
    ck_assert_str_eq(t.data, "x = -7%, y|2147483647|-2147483648");
    t.len = 0;
    text_printf(&t, "%s%d %5d %s %g %zu", "a", 1, 2, "b", 0.5, (size_t)3); /* begins simple */
    ck_assert_str_eq(t.data, "a1     2 b 0.5 3");
    t.len = 0;
    text_printf(&t, "(%.*s) %s%s", 2, "abc", "", none ? none : "(null)");
    ck_assert_str_eq(t.data, "(ab) (null)");
    text_free(&t);
}
END_TEST

/* ---- scalars ---------------------------------------------------------------------------- */

static int64_t to_int(double x, ScalarKind k)
{
    return scalar_convert((ScalarValue){.f = x}, SC_DOUBLE, k).i;
}

START_TEST(reals_truncate_and_saturate)
{
    ck_assert_int_eq(to_int(2.9, SC_INT), 2);
    ck_assert_int_eq(to_int(-2.9, SC_INT), -2);
    ck_assert_int_eq(to_int(1e10, SC_INT), INT32_MAX);
    ck_assert_int_eq(to_int(-1e10, SC_INT), INT32_MIN);
    ck_assert_int_eq(to_int((double)NAN, SC_INT), 0);
    ck_assert_int_eq(to_int(-1, SC_BYTE), 0);
    ck_assert_int_eq(to_int(255.9, SC_BYTE), 255);
    ck_assert_int_eq(to_int(-128.9, SC_SBYTE), -128);
    ck_assert_int_eq(to_int(9.3e18, SC_LONG), INT64_MAX);
    ck_assert_int_eq(to_int(-9.3e18, SC_LONG), INT64_MIN);
    ck_assert_uint_eq((uint64_t)to_int(1e19, SC_ULONG), 10000000000000000000u);
    ck_assert_uint_eq((uint64_t)to_int(1e20, SC_ULONG), UINT64_MAX);
}
END_TEST

START_TEST(integers_wrap)
{
    ScalarValue v = {.i = 0x1FF};
    ck_assert_int_eq(scalar_convert(v, SC_INT, SC_SBYTE).i, -1);
    ck_assert_int_eq(scalar_convert(v, SC_INT, SC_BYTE).i, 255);
    v.i = -1;
    ck_assert_int_eq(scalar_convert(v, SC_INT, SC_UINT).i, UINT32_MAX);
    ck_assert_double_eq(scalar_convert(v, SC_ULONG, SC_DOUBLE).f, 18446744073709551616.0);
    v.i = 9007199791611905; /* through double it would round twice, to 9007199254740992 */
    ck_assert_double_eq(scalar_convert(v, SC_LONG, SC_FLOAT).f, 9007200328482816.0);
    ck_assert_int_eq(scalar_convert((ScalarValue){.f = 0.5}, SC_FLOAT, SC_BOOL).i, 1);
}
END_TEST

START_TEST(ranges_of_values)
{
    const int32_t ints[] = {5, -7, 3};
    const uint8_t bytes[] = {5, 250, 3};
    int64_t lo, hi;
    scalar_range(ints, SC_INT, 3, &lo, &hi);
    ck_assert(lo == -7 && hi == 5);
    scalar_range(bytes, SC_BYTE, 3, &lo, &hi);
    ck_assert(lo == 3 && hi == 250);
    scalar_range(bytes, SC_SBYTE, 2, &lo, &hi);
    ck_assert(lo == -6 && hi == 5);
}
END_TEST

START_TEST(halves_survive)
{
    int changed = 0;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        uint16_t in = (uint16_t)bits, out;
        ScalarValue v = scalar_load(&in, SC_HALF);
        scalar_store(&out, SC_HALF, v);
        changed += !isnan(v.f) && in != out;
    }
    ck_assert_int_eq(changed, 0);
    ScalarValue v = {.f = 65519.99};
    ck_assert_double_eq(scalar_convert(v, SC_DOUBLE, SC_HALF).f, 65504);
    v.f = 65520;
    ck_assert(isinf(scalar_convert(v, SC_DOUBLE, SC_HALF).f));
    v.f = 1 + 0x1p-11; /* a tie goes to even */
    ck_assert_double_eq(scalar_convert(v, SC_DOUBLE, SC_HALF).f, 1);
    v.f = 1 + 0x1p-11 + 0x1p-40; /* which rounding through float would miss */
    ck_assert_double_eq(scalar_convert(v, SC_DOUBLE, SC_HALF).f, 1 + 0x1p-10);
    v.f = 0x1p-25;
    ck_assert_double_eq(scalar_convert(v, SC_DOUBLE, SC_HALF).f, 0);
}
END_TEST

START_TEST(conversions_are_csharps)
{
    ck_assert(scalar_widens(SC_INT, SC_LONG) && scalar_widens(SC_INT, SC_FLOAT));
    ck_assert(scalar_widens(SC_BYTE, SC_SHORT) && scalar_widens(SC_UINT, SC_LONG));
    ck_assert(scalar_widens(SC_CHAR, SC_INT) && scalar_widens(SC_HALF, SC_DOUBLE));
    ck_assert(scalar_widens(SC_ULONG, SC_FLOAT) && scalar_widens(SC_SBYTE, SC_HALF));
    ck_assert(!scalar_widens(SC_LONG, SC_INT) && !scalar_widens(SC_SBYTE, SC_BYTE));
    ck_assert(!scalar_widens(SC_INT, SC_UINT) && !scalar_widens(SC_LONG, SC_ULONG));
    ck_assert(!scalar_widens(SC_DOUBLE, SC_FLOAT) && !scalar_widens(SC_FLOAT, SC_LONG));
    ck_assert(!scalar_widens(SC_INT, SC_CHAR) && !scalar_widens(SC_BOOL, SC_INT));
    ck_assert(!scalar_widens(SC_SHORT, SC_HALF) && scalar_widens(SC_BOOL, SC_BOOL));
}
END_TEST

/* ---- tables ----------------------------------------------------------------------------- */

START_TEST(equal_strings_are_one)
{
    Interner *in = interner_new();
    VEC(const char *) first = {0};
    char name[32];
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "name%d", i);
        vec_push(&first, intern_cstr(in, name));
    }
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof name, "name%d", i);
        ck_assert_ptr_eq(intern_cstr(in, name), first.data[i]);
    }
    ck_assert_ptr_ne(intern(in, "a\0b", 3), intern(in, "a\0c", 3));
    ck_assert_ptr_eq(intern(in, "", 0), intern_cstr(in, ""));
    vec_free(&first);
    interner_free(in);
}
END_TEST

START_TEST(arenas_give_zeroed_aligned_memory)
{
    Arena *a = arena_new();
    for (size_t i = 0; i < 3000; i++) {
        size_t n = i % 7 == 0 ? i * 50 : i % 100;
        unsigned char *p = arena_alloc(a, n);
        ck_assert_uint_eq((uintptr_t)p % 16, 0);
        size_t zeros = 0; /* one assertion a block: each is logged */
        for (size_t k = 0; k < n; k++) zeros += p[k] == 0;
        ck_assert_uint_eq(zeros, n);
        memset(p, 0xAA, n);
    }
    ck_assert_str_eq(arena_printf(a, "%s-%d", "x", 12), "x-12");
    ck_assert_str_eq(arena_strndup(a, "abcdef", 3), "abc");
    arena_free(a);
}
END_TEST

/* ---- sources and diagnostics ------------------------------------------------------------ */

static char *printed(const Diags *d)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    diags_print(d, f);
    fclose(f);
    return text;
}

START_TEST(positions_count_characters)
{
    Sources *s = sources_new();
    static const char text[] = "a\n\xC3\xA9x\n";
    int line, col;
    int file = sources_add(s, "f", text, sizeof text - 1);
    sources_position(s, (uint32_t)file, 4, &line, &col);
    ck_assert_int_eq(line, 2);
    ck_assert_int_eq(col, 2);
    sources_position(s, (uint32_t)file, 1000, &line, &col); /* past the end */
    ck_assert_int_eq(line, 3);
    ck_assert_int_eq(col, 1);
    const char *why = NULL;
    ck_assert_int_eq(sources_load(s, "/no/such/file", &why), -1);
    ck_assert_ptr_nonnull(why);
    ck_assert_int_eq(sources_load(s, "/", &why), -1);
    ck_assert_ptr_null(sources_get(s, 7));
    sources_free(s);
}
END_TEST

START_TEST(messages_are_sorted_with_carets)
{
    Sources *s = sources_new();
    static const char text[] = "int x = 1;\nvar y = foo + 2;\r\n";
    sources_add(s, "f.cs$", text, sizeof text - 1);
    Diags *d = diags_new(s);
    diag(d, (Loc){0, 19, 22}, DIAG_SYNTAX, "unknown '%s'", "foo");
    diag_note(d, (Loc){0}, "did you mean '%s'?", "for");
    diag_note(d, (Loc){0, 4, 5}, "declared here");
    diag(d, (Loc){0, 0, 3}, DIAG_BAD_CHARACTER, "first");
    ck_assert_int_eq(diags_errors(d), 2);
    ck_assert_int_eq(diags_warnings(d), 0);
    char *t = printed(d);
    ck_assert_str_eq(t, "f.cs$:1:1: error: first [CS1001]\n"
                        "int x = 1;\n"
                        "^~~\n"
                        "f.cs$:2:9: error: unknown 'foo' [CS1002]\n"
                        "var y = foo + 2;\n"
                        "        ^~~\n"
                        "note: did you mean 'for'?\n"
                        "f.cs$:1:5: note: declared here\n"
                        "int x = 1;\n"
                        "    ^\n");
    free(t);
    diags_free(d);
    sources_free(s);
}
END_TEST

START_TEST(hostile_sources_print_safely)
{
    Sources *s = sources_new();
    static const char bytes[] = "a\0b\x1B[31m\xFF\xC3\xE2\x82 \xED\xA0\x80\xF4\x90\x80\x80 end";
    char *big = malloc(100000);
    memset(big, 'x', 100000);
    sources_add(s, "b", bytes, sizeof bytes - 1);
    sources_add(s, "big", big, 100000);
    sources_add(s, "empty", "", 0);
    Diags *d = diags_new(s);
    diag(d, (Loc){0, 2, 9}, DIAG_SYNTAX, "bad %s", "\x1B\xFF\n");
    diag(d, (Loc){1, 50000, 99999}, DIAG_SYNTAX, "long");
    diag(d, (Loc){2, 0, 0}, DIAG_SYNTAX, "nothing");
    diag(d, (Loc){9, 5, 6}, DIAG_SYNTAX, "no file");
    char *t = printed(d);
    for (const char *p = t; *p; p++)
        ck_assert_msg(*p == '\n' || (unsigned char)*p >= 0x20, "%s", t);
    ck_assert_uint_lt(strlen(t), 1200);
    ck_assert_ptr_nonnull(strstr(t, "...xxxx"));
    free(t);
    free(big);
    diags_free(d);
    sources_free(s);
}
END_TEST

START_TEST(suggestions_are_near)
{
    static const char *const names[] = {"length", "Matrix", "for", "matrices"};
    ck_assert_str_eq(diag_nearest("lenght", names, 4), "length");
    ck_assert_str_eq(diag_nearest("matrix", names, 4), "Matrix");
    ck_assert_str_eq(diag_nearest("fro", names, 4), "for");
    ck_assert_ptr_null(diag_nearest("q", names, 4));
    ck_assert_ptr_null(diag_nearest("something", names, 4));
    ck_assert_ptr_null(diag_nearest("x", NULL, 0));
}
END_TEST

int main(void)
{
    Suite *s = suite_create("base");
    TCase *c = tcase_create("base");
    tcase_add_test(c, doubles_print_like_csharp);
    tcase_add_test(c, floats_print_like_csharp);
    tcase_add_test(c, numbers_read_back);
    tcase_add_test(c, shortest_are_the_first_that_read_back);
    tcase_add_test(c, fixed_are_rounded_from_all_digits);
    tcase_add_test(c, text_grows_and_is_taken);
    tcase_add_test(c, formats_are_those_of_printf);
    tcase_add_test(c, reals_truncate_and_saturate);
    tcase_add_test(c, integers_wrap);
    tcase_add_test(c, ranges_of_values);
    tcase_add_test(c, halves_survive);
    tcase_add_test(c, conversions_are_csharps);
    tcase_add_test(c, equal_strings_are_one);
    tcase_add_test(c, arenas_give_zeroed_aligned_memory);
    tcase_add_test(c, positions_count_characters);
    tcase_add_test(c, messages_are_sorted_with_carets);
    tcase_add_test(c, hostile_sources_print_safely);
    tcase_add_test(c, suggestions_are_near);
    suite_add_tcase(s, c);
    return run_suite(s);
}
