/* The library half of the runtime: strings, formats, parsing, console.
 * Expected texts are those of .NET in the invariant culture. Run from the root of the project. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../base/scalar.h"
#include "../../../runtime/library/console.h"
#include "../../../runtime/value.h"
#include "../suite.h"

static const CsSite site = {"test", "test.cs$", 7, 3};

static Str *str(const char *s)
{
    return rt_str_new(s, (int64_t)strlen(s));
}

/* Compares and releases. */
static void is(void *s, const char *expected)
{
    ck_assert_msg(s != NULL, "no string, expected \"%s\": %s", expected, rt_pending_message());
    ck_assert_str_eq(((Str *)s)->bytes, expected);
    ck_assert_int_eq(((Str *)s)->len, (int64_t)strlen(expected));
    cs_release(s);
}

/* The pending exception's text begins so; it is forgotten. */
static void throws(const char *expected)
{
    const char *m = rt_pending_message();
    ck_assert_msg(m != NULL, "no exception, expected \"%s\"", expected);
    ck_assert_msg(strncmp(m, expected, strlen(expected)) == 0, "\"%s\" is not \"%s\"", m, expected);
    ck_assert_ptr_null(strchr(m, '\n'));
    rt_catch();
}

static void real(double x, ScalarKind kind, const char *format, const char *expected)
{
    Str *f = format ? str(format) : NULL;
    is(cs_format_f(x, kind, f, &site), expected);
    cs_release(f);
}

static void whole(int64_t x, ScalarKind kind, const char *format, const char *expected)
{
    Str *f = format ? str(format) : NULL;
    is(cs_format_i(x, kind, f, &site), expected);
    cs_release(f);
}

/* ---- strings ------------------------------------------------------------------------------ */

START_TEST(strings)
{
    Str *a = str("na\xC3\xAFve \xE6\xBC\xA2\xF0\x9F\x98\x80"), *b = str("!");
    ck_assert_int_eq(cs_str_length(a), 8);
    ck_assert_int_eq(cs_str_length(NULL), 0);
    ck_assert_int_eq(cs_str_char(a, 2, &site), 0xEF);
    ck_assert_int_eq(cs_str_char(a, 6, &site), 0x6F22);
    ck_assert_int_eq(cs_str_char(a, 7, &site), 0x1F600);
    cs_str_char(a, 8, &site);
    throws("IndexOutOfRangeException: index 8 is outside a string of 8 characters");
    cs_str_char(a, -1, &site);
    throws("IndexOutOfRangeException: index -1");
    is(cs_str_concat(3, (void *[]){a, NULL, b}), "na\xC3\xAFve \xE6\xBC\xA2\xF0\x9F\x98\x80!");
    is(cs_str_concat(0, NULL), "");
    ck_assert_int_lt(cs_str_compare(b, a), 0);
    ck_assert_int_gt(cs_str_compare(a, b), 0);
    ck_assert_int_eq(cs_str_compare(a, a), 0);
    ck_assert_int_gt(cs_str_compare(a, NULL), 0);
    is(cs_str_pad(b, 3), "  !");
    is(cs_str_pad(b, -3), "!  ");
    is(cs_str_pad(a, 9), " na\xC3\xAFve \xE6\xBC\xA2\xF0\x9F\x98\x80");
    is(cs_str_pad(a, -2), "na\xC3\xAFve \xE6\xBC\xA2\xF0\x9F\x98\x80");
    is(cs_str_pad(NULL, 2), "  ");
    cs_release(a);
    cs_release(b);
}
END_TEST

START_TEST(malformed_utf8)
{
    /* A stray continuation, a cut sequence, an overlong one, a surrogate: a character each byte. */
    Str *s = str("a\x80\xE6\xBC"
                 "b\xC0\xAF\xED\xA0\x80");
    ck_assert_int_eq(cs_str_length(s), 10);
    ck_assert_int_eq(cs_str_char(s, 1, &site), 0xFFFD);
    ck_assert_int_eq(cs_str_char(s, 4, &site), 'b');
    cs_release(s);
}
END_TEST

/* ---- formats ------------------------------------------------------------------------------ */

START_TEST(defaults)
{
    real(1, SC_DOUBLE, NULL, "1");
    real(0.1, SC_DOUBLE, NULL, "0.1");
    real(0.1f, SC_FLOAT, NULL, "0.1");
    real(1e20, SC_DOUBLE, NULL, "1E+20");
    real(1.5e-7, SC_FLOAT, NULL, "1.5E-07");
    real(-0.0, SC_DOUBLE, NULL, "-0");
    real(NAN, SC_DOUBLE, NULL, "NaN");
    real(-INFINITY, SC_FLOAT, NULL, "-Infinity");
    real(1.0 / 3, SC_DOUBLE, NULL, "0.3333333333333333");
    real(1.0f / 3, SC_FLOAT, "", "0.33333334");
    real(65504, SC_HALF, NULL, "65500");
    real(0.0999755859375, SC_HALF, NULL, "0.1");
    whole(1, SC_BOOL, NULL, "True");
    whole(0, SC_BOOL, "F2", "False");
    whole(0xE9, SC_CHAR, NULL, "\xC3\xA9");
    whole(-7, SC_INT, NULL, "-7");
    whole(INT64_MIN, SC_LONG, NULL, "-9223372036854775808");
    whole(-1, SC_ULONG, NULL, "18446744073709551615");
}
END_TEST

START_TEST(standard_reals)
{
    real(12345.6789, SC_DOUBLE, "F", "12345.68");
    real(12345.6789, SC_DOUBLE, "F0", "12346");
    real(12345.6789, SC_DOUBLE, "N1", "12,345.7");
    real(-1234567, SC_DOUBLE, "N0", "-1,234,567");
    real(12345.6789, SC_DOUBLE, "E", "1.234568E+004");
    real(12345.6789, SC_DOUBLE, "e10", "1.2345678900e+004");
    real(0, SC_DOUBLE, "E0", "0E+000");
    real(12345.6789, SC_DOUBLE, "G7", "12345.68");
    real(123456789, SC_DOUBLE, "G7", "1.234568E+08");
    real(0.00012, SC_DOUBLE, "G3", "0.00012");
    real(0.000012, SC_DOUBLE, "G3", "1.2E-05");
    real(0.25, SC_DOUBLE, "P0", "25 %");
    real(0.12345, SC_DOUBLE, "P", "12.35 %");
    real(-1234.5, SC_DOUBLE, "C",
         "(\xC2\xA4"
         "1,234.50)");
    real(0.1, SC_DOUBLE, "F20", "0.10000000000000000555");
    real(0.1f, SC_FLOAT, "F10", "0.1000000015");
    real(2.5, SC_DOUBLE, "F0", "3"); /* exact ties away from zero */
    real(3.5, SC_DOUBLE, "F0", "4");
    real(0.125, SC_DOUBLE, "F2", "0.13");
    real(-0.001, SC_DOUBLE, "F2", "-0.00");
    real(1e300, SC_DOUBLE, "F0",
         "1000000000000000052504760255204420248704468581108159154915854115511802457988908195786"
         "3713750804478640437044438328838781769425232353604305756447921847867069828483872009265"
         "7580373783023379478809005936895323497079994508111903896764088007465274278014249457925"
         "8788820056842838115669472196386865459400540160");
    real(INFINITY, SC_DOUBLE, "F2", "Infinity");
    real(1.5, SC_DOUBLE, "R", "1.5");
    real(1e20, SC_DOUBLE, "g", "1e+20");
}
END_TEST

START_TEST(standard_integers)
{
    whole(42, SC_INT, "D5", "00042");
    whole(-42, SC_INT, "D5", "-00042");
    whole(255, SC_INT, "X", "FF");
    whole(255, SC_INT, "x4", "00ff");
    whole(-1, SC_SBYTE, "X", "FF");
    whole(-1, SC_INT, "X", "FFFFFFFF");
    whole(5, SC_INT, "B8", "00000101");
    whole(1234567, SC_INT, "N0", "1,234,567");
    whole(-1234567, SC_LONG, "N", "-1,234,567.00");
    whole(123456, SC_INT, "G3", "1.23E+05");
    whole(25, SC_INT, "E0", "3E+001"); /* integers round half away from zero */
    whole(42, SC_INT, "F1", "42.0");
    whole(1, SC_INT, "P0", "100 %");
    whole(0, SC_INT, "E2", "0.00E+000");
    whole(42, SC_BYTE, "G", "42");
}
END_TEST

START_TEST(patterns)
{
    real(1234.5, SC_DOUBLE, "0.00", "1234.50");
    real(1234.567, SC_DOUBLE, "#,##0.0", "1,234.6");
    real(0.5, SC_DOUBLE, "#.##", ".5");
    real(0, SC_DOUBLE, "#.##", "");
    real(0, SC_DOUBLE, "0.##", "0");
    real(5, SC_DOUBLE, "000", "005");
    real(0.005, SC_DOUBLE, "#.###", ".005");
    real(0.126, SC_DOUBLE, "0.0%", "12.6%");
    real(0.126, SC_DOUBLE, "0\xE2\x80\xB0", "126\xE2\x80\xB0");
    real(123456789, SC_DOUBLE, "0,,.0", "123.5");
    real(123456789, SC_DOUBLE, "#,##0,", "123,457");
    real(12345.6789, SC_DOUBLE, "0.###E+0", "1.235E+4");
    real(12345.6789, SC_DOUBLE, "00.0e-00", "12.3e03");
    real(0.00012, SC_DOUBLE, "0.0E0", "1.2E-4");
    real(-1.5, SC_DOUBLE, "0.0", "-1.5");
    real(-1.5, SC_DOUBLE, "0.0;(0.0)", "(1.5)");
    real(0, SC_DOUBLE, "0.0;(0.0);nil", "nil");
    real(0.001, SC_DOUBLE, "0.0;(0.0);nil", "nil");
    real(-0.001, SC_DOUBLE, "0.0;(0.0)", "-0.0");
    real(2.5, SC_DOUBLE, "0", "3"); /* half away from zero */
    real(7, SC_DOUBLE, "'x;'0\\;\"#\"", "x;7;#");
    real(7, SC_DOUBLE, "0 m", "7 m");
    whole(1234567, SC_INT, "(###) ###-####", "() 123-4567");
    whole(-5, SC_INT, "+0;-0", "-5");
    whole(5, SC_INT, "abc", "abc");
    real(0.1 + 0.2, SC_DOUBLE, "0.00000000000000000000", "0.30000000000000000000");
    real(9.9, SC_DOUBLE, "0,000", "0,010");
    real(NAN, SC_FLOAT, "0.00", "NaN");
}
END_TEST

START_TEST(bad_formats)
{
    static const char *const reals[] = {"D", "X4", "Q", "Z3", "B"}, *const ints[] = {"R", "Q",
                                                                                     "y2"};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        Str *f = str(reals[i]);
        ck_assert_ptr_null(cs_format_f(1, SC_FLOAT, f, &site));
        throws("FormatException: '");
        cs_release(f);
    }
    for (size_t i = 0; i < sizeof ints / sizeof *ints; i++) {
        Str *f = str(ints[i]);
        ck_assert_ptr_null(cs_format_i(1, SC_INT, f, &site));
        throws("FormatException: '");
        cs_release(f);
    }
}
END_TEST

static Array *counting(ScalarKind kind, int32_t rank, const int64_t *n)
{
    Array *a = rt_array_new(kind, rank, NULL, n, true, &site);
    char *p = rt_array_data(a, &site);
    for (int64_t i = 0; i < rt_array_count(a); i++) {
        ScalarValue v = scalar_convert((ScalarValue){.i = i}, SC_LONG, kind);
        scalar_store(p + (size_t)i * scalar_bytes(kind), kind, v);
    }
    return a;
}

static void array(ScalarKind kind, int32_t rank, const int64_t *n, const char *format,
                  const char *expected)
{
    Array *a = counting(kind, rank, n);
    Str *f = format ? str(format) : NULL;
    is(cs_format_fn(a, f, &site), expected);
    cs_release(a);
    cs_release(f);
}

START_TEST(arrays)
{
    array(SC_INT, 2, (int64_t[]){2, 2}, NULL, "[[0, 1], [2, 3]]");
    array(SC_FLOAT, 1, (int64_t[]){3}, "F1", "[0.0, 1.0, 2.0]");
    array(SC_DOUBLE, 4, (int64_t[]){1, 2, 1, 2}, NULL, "[[[[0, 1]], [[2, 3]]]]");
    array(SC_BOOL, 1, (int64_t[]){2}, NULL, "[False, True]");
    array(SC_INT, 1, (int64_t[]){0}, NULL, "[]");
    array(SC_INT, 2, (int64_t[]){3, 0}, NULL, "[]");
    array(SC_INT, 1, (int64_t[]){1001}, NULL, "[0, 1, 2, ..., 998, 999, 1000]");
    array(SC_INT, 2, (int64_t[]){500, 3}, NULL,
          "[[0, 1, 2], [3, 4, 5], [6, 7, 8], ..., [1491, 1492, 1493], [1494, 1495, 1496], [1497, "
          "1498, 1499]]");
    array(SC_INT, 2, (int64_t[]){2, 501}, "D3",
          "[[000, 001, 002, ..., 498, 499, 500], [501, 502, 503, ..., 999, 1000, 1001]]");
    Array *a = counting(SC_INT, 1, (int64_t[]){1000});
    Str *s = cs_format_fn(a, NULL, &site), *bad = str("Q");
    ck_assert_ptr_null(strstr(s->bytes, "..."));
    ck_assert_ptr_null(cs_format_fn(a, bad, &site));
    throws("FormatException: 'Q' is not a format of int");
    cs_release(s);
    cs_release(bad);
    cs_release(a);
}
END_TEST

START_TEST(nested_and_infinite)
{
    Array *a = rt_array_new(CS_ELEM_REF, 1, NULL, (int64_t[]){3}, true, &site);
    void **refs = rt_array_data(a, &site);
    refs[0] = str("one");
    refs[1] = counting(SC_INT, 1, (int64_t[]){2});
    is(cs_format_fn(a, NULL, &site), "[one, [0, 1], ]");
    cs_release(a);
    static const CsNative native = {"f", "float(float, int)", NULL, 2, 0, NULL, NULL, NULL};
    void *f = cs_native(&native);
    is(cs_format_fn(f, NULL, &site), "float(float, int)");
    cs_release(f);
}
END_TEST

/* ---- parsing ------------------------------------------------------------------------------ */

static int64_t parsed(const char *s, ScalarKind kind)
{
    Str *text = str(s);
    int64_t v = cs_parse_i(text, kind, &site);
    cs_release(text);
    return v;
}

static double parsed_real(const char *s, ScalarKind kind)
{
    Str *text = str(s);
    double v = cs_parse_f(text, kind, &site);
    cs_release(text);
    return v;
}

START_TEST(parse_integers)
{
    ck_assert_int_eq(parsed(" \t42\n", SC_INT), 42);
    ck_assert_int_eq(parsed("-2147483648", SC_INT), INT32_MIN);
    ck_assert_int_eq(parsed("+7", SC_BYTE), 7);
    ck_assert_int_eq(parsed("-0", SC_UINT), 0);
    ck_assert_int_eq(parsed("18446744073709551615", SC_ULONG), -1);
    ck_assert_int_eq(parsed("-9223372036854775808", SC_LONG), INT64_MIN);
    ck_assert_int_eq(parsed(" TRUE ", SC_BOOL), 1);
    ck_assert_int_eq(parsed("False", SC_BOOL), 0);
    ck_assert_int_eq(parsed("\xC3\xA9", SC_CHAR), 0xE9);
    ck_assert_int_eq(cs_pending, 0);
    static const struct {
        const char *text;
        ScalarKind kind;
        const char *message;
    } bad[] = {
        {"", SC_INT, "FormatException: The input string '' was not in a correct format."},
        {"12x", SC_INT, "FormatException: The input string '12x' was"},
        {"1 2", SC_INT, "FormatException: The input string '1 2' was"},
        {"1.0", SC_LONG, "FormatException: The input string '1.0' was"},
        {"--1", SC_LONG, "FormatException: The input string '--1' was"},
        {"-", SC_SHORT, "FormatException: The input string '-' was"},
        {"a\nb", SC_INT, "FormatException: The input string 'a\\nb' was"},
        {"2147483648", SC_INT,
         "OverflowException: Value was either too large or too small for an Int32."},
        {"-1", SC_UINT, "OverflowException: Value was either too large or too small for a UInt32."},
        {"256", SC_BYTE, "OverflowException: Value was either too large"},
        {"99999999999999999999999", SC_LONG, "OverflowException: Value was either too large"},
        {"18446744073709551616", SC_ULONG, "OverflowException: Value was either too large"},
        {"yes", SC_BOOL, "FormatException: String 'yes' was not recognized as a valid Boolean."},
        {"ab", SC_CHAR, "FormatException: String must be exactly one character long."},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ck_assert_int_eq(parsed(bad[i].text, bad[i].kind), 0);
        throws(bad[i].message);
    }
    ck_assert_int_eq(cs_parse_i(NULL, SC_INT, &site), 0);
    throws("FormatException: The input string '' was");
}
END_TEST

START_TEST(parse_reals)
{
    ck_assert(parsed_real(" 1.5 ", SC_DOUBLE) == 1.5);
    ck_assert(parsed_real("-.5e+2", SC_DOUBLE) == -50);
    ck_assert(parsed_real("5.", SC_DOUBLE) == 5);
    ck_assert(parsed_real("1,234.5", SC_DOUBLE) == 1234.5);
    ck_assert(parsed_real("0.1", SC_FLOAT) == (double)0.1f);
    ck_assert(parsed_real("0.1", SC_HALF) == 0.0999755859375);
    ck_assert(parsed_real("1e400", SC_DOUBLE) == (double)INFINITY);
    ck_assert(parsed_real("-1e40", SC_FLOAT) == -(double)INFINITY);
    ck_assert(isnan(parsed_real("nan", SC_DOUBLE)));
    ck_assert(parsed_real("-Infinity", SC_DOUBLE) == -(double)INFINITY);
    ck_assert_int_eq(cs_pending, 0);
    static const char *const bad[] = {"",    "x",     "1.5f", "1e",       "1e+", ".",    "0x10",
                                      "1 2", "1.5.2", ",1",   "infinite", "+",   "1.2,3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        parsed_real(bad[i], SC_DOUBLE);
        throws("FormatException: The input string '");
    }
}
END_TEST

/* ---- console ------------------------------------------------------------------------------ */

START_TEST(console)
{
    char name[] = "/tmp/cs-console-XXXXXX", buffer[64] = "";
    int fd = mkstemp(name), old = dup(1);
    fflush(stdout);
    ck_assert_int_eq(dup2(fd, 1), 1);
    Str *s = str("one ");
    cs_console_write(s);
    cs_console_write(NULL);
    cs_console_write_line(s);
    cs_console_write_line(NULL);
    console_flush();
    dup2(old, 1);
    ck_assert_int_eq(pread(fd, buffer, sizeof buffer - 1, 0), 10);
    ck_assert_str_eq(buffer, "one one \n\n");
    cs_release(s);

    ck_assert_int_eq(pwrite(fd, "a\r\n\nlast", 8, 0), 8);
    ck_assert_int_eq(ftruncate(fd, 8), 0);
    ck_assert_ptr_nonnull(freopen(name, "r", stdin));
    is(cs_console_read_line(), "a");
    is(cs_console_read_line(), "");
    is(cs_console_read_line(), "last");
    ck_assert_ptr_null(cs_console_read_line());
    close(fd);
    close(old);
    unlink(name);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rtlib");
    TCase *t = tcase_create("rtlib");
    tcase_add_test(t, strings);
    tcase_add_test(t, malformed_utf8);
    tcase_add_test(t, defaults);
    tcase_add_test(t, standard_reals);
    tcase_add_test(t, standard_integers);
    tcase_add_test(t, patterns);
    tcase_add_test(t, bad_formats);
    tcase_add_test(t, arrays);
    tcase_add_test(t, nested_and_infinite);
    tcase_add_test(t, parse_integers);
    tcase_add_test(t, parse_reals);
    tcase_add_test(t, console);
    suite_add_tcase(s, t);
    return run_suite(s);
}
