/* Plans: expressions, loops, and texts that are damaged (they come from caches on disk). */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/mem.h"
#include "../../../base/text.h"
#include "../../../codegen/kernel/codegen.h"
#include "../suite.h"

static const CgDevice device = {.family = CG_CPU, .units = 2, .vector_bytes = 32, .max_group = 64};

static const char sample[] =
    "/* C$ plan\n"
    " * slots 3\n"
    " * slot 0 array float 2\n"
    " * slot 1 array float 2\n"
    " * slot 2 float\n"
    " * options -cl-mad-enable\n"
    " * define VW = max(vector_bytes / 4, 2)\n"
    " * flag CS_WIDE = max(s0.n0 * s0.n1, s1.n0 * s1.n1) > 2000000000\n"
    " * out bytes s0.n0 * s1.n1 * 4\n"
    " * let m_1 = s0.n0\n"
    " * temp 0 bytes (m_1 > 4) * (ceildiv(m_1, VW) * VW * s0.n1 * 4)\n"
    " * run pack_1 when m_1 > 4 global ceildiv(m_1, VW), 1 local 1, 1 args idx m_1, slot 0, temp "
    "0\n"
    " * loop k = 0 to s0.n1 step 512\n"
    " * run step_2 global m_1, s1.n1 args idx k, value 2, temp 0, slot 1, error, out\n"
    " * end\n"
    " */\n";

#define HEAD "/* C$ plan\n * slots 1\n * slot 0 array float 1\n"

static const char *parse_error(const char *text)
{
    const char *error = NULL;
    CgPlan *p = cg_plan_parse(text, &error);
    ck_assert((p == NULL) == (error != NULL));
    cg_plan_free(p);
    return error;
}

/* Value of an expression: the size of the result of a plan that holds it. */
static int64_t plan_value(const char *expr)
{
    Text text = {0};
    const char *error = NULL;
    text_printf(&text, HEAD " * let x = 7\n * out bytes %s\n */\n", expr);
    CgPlan *p = cg_plan_parse(text.data, &error);
    text_free(&text);
    if (!p) return -1000;
    FdBox box = {.rank = 1};
    box.dim[0].lo = -3;
    box.dim[0].hi = 9;
    CgBinding b = {.slot_boxes = &box};
    CgSchedule s = {0};
    Arena *arena = arena_new();
    int64_t v = cg_plan_bind(p, &b, &device, arena, &s) ? (int64_t)s.out_bytes : -1;
    arena_free(arena);
    cg_plan_free(p);
    return v;
}

START_TEST(plan_values)
{
    static const struct {
        const char *expr;
        int64_t value;
    } cases[] = {{"1 + 2 * 3", 7},
                 {"(1 + 2) * 3 - 4 / 2 % 2", 9},
                 {"s0.n0 + s0.lo0", 9},
                 {"x > 5 && x <= 7 ? 10 : 20", 10},
                 {"x == 7 || 0", 1},
                 {"!x + 1", 1},
                 {"-x + 8", 1},
                 {"min(x, 3) + max(x, 3)", 10},
                 {"ceildiv(x, 2) * 10 + roundup(x, 4)", 48},
                 {"1 << 4", 16},
                 {"x / 0", 0},
                 {"x % 0", 0},
                 {"ceildiv(x, 0)", 0},
                 {"vector_bytes / 4", 8},
                 {"gpu", 0},
                 {"x < 3 < 1", 1},
                 /* what overflows stays at the limit: a size is then refused, never small */
                 {"4000000000 * 4000000000 * 4", INT64_MAX},
                 {"9223372036854775807 + x", INT64_MAX},
                 {"0 - 4000000000 * 4000000000", -1},
                 {"9223372036854775808", -1000},
                 {"1 +", -1000},
                 {"", -1000},
                 {"unknown", -1000},
                 {"s1.n0", -1000},
                 {"s0.n99", -1000},
                 {"s0.zz0", -1000},
                 {"min(1)", -1000},
                 {"(1", -1000},
                 {"1 ? 2", -1000},
                 {"1 2", -1000},
                 {"1 $ 2", -1000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t v = plan_value(cases[i].expr);
        ck_assert_msg(v == cases[i].value, "%s is %lld", cases[i].expr, (long long)v);
    }
    enum { DEEP = 150, TOO_DEEP = 100000 };
    char *deep = malloc(TOO_DEEP + 1);
    memset(deep, '(', DEEP);
    deep[DEEP] = '1';
    memset(deep + DEEP + 1, ')', DEEP);
    deep[2 * DEEP + 1] = '\0';
    ck_assert_int_eq(plan_value(deep), 1);
    memset(deep, '(', TOO_DEEP); /* texts come from files */
    deep[TOO_DEEP] = '\0';
    ck_assert_int_eq(plan_value(deep), -1000);
    free(deep);
}
END_TEST

/* What is said of launches by the numbers: whether they report errors, and which temporaries they take. */
START_TEST(plan_launches)
{
    static const char text[] =
        HEAD " * out bytes 4\n * temp 0 bytes 64\n * temp 1 bytes 128\n"
             " * run a when s0.n0 > 10 quiet s0.lo0 < 0 global 1 args temp 0, error\n"
             " * run b when s0.n0 <= 10 global 1 args temp 1, error, out\n"
             " */\n";
    const char *error = NULL;
    CgPlan *p = cg_plan_parse(text, &error);
    ck_assert_msg(p != NULL, "%s", error);
    for (int n = 10; n <= 11; n++) {
        FdBox box = {.rank = 1, .dim = {{.lo = -1, .hi = n - 1}}};
        CgBinding b = {.slot_boxes = &box};
        CgSchedule s;
        Arena *arena = arena_new();
        ck_assert(cg_plan_bind(p, &b, &device, arena, &s));
        ck_assert_int_eq(s.nlaunches, 1);
        ck_assert_int_eq(s.launches[0].quiet, n == 11);
        ck_assert_uint_eq(s.temp_bytes[0], n == 11 ? 64 : 0);
        ck_assert_uint_eq(s.temp_bytes[1], n == 11 ? 0 : 128);
        arena_free(arena);
    }
    cg_plan_free(p);
}
END_TEST

/* Lines, names, lists and expressions are as long as they come. */
START_TEST(plan_long)
{
    enum { MANY = 3000, LONG = 20000 };
    char *name = malloc(LONG + 1);
    memset(name, 'n', LONG);
    name[LONG] = '\0';
    Text t = {0};
    text_add(&t, HEAD " * define first = 1\n");
    for (int i = 1; i < 40; i++) text_printf(&t, " * define d%d = %d\n", i, i);
    text_printf(&t, " * let %s = 5\n * let v0 = %s\n", name, name);
    for (int i = 1; i < MANY; i++) text_printf(&t, " * let v%d = v%d + 1\n", i, i - 1);
    text_add(&t, " * out bytes 0");
    for (int i = 0; i < MANY; i++) text_printf(&t, " + v%d", i);
    for (int i = 0; i < 100; i++) text_add(&t, " + (1"); /* all are on the stack at once */
    for (int i = 0; i < 100; i++) text_add(&t, ")");
    text_add(&t, "\n */\n");
    const char *error = NULL;
    CgPlan *p = cg_plan_parse(t.data, &error);
    ck_assert_msg(p != NULL, "%s", error);
    FdBox box = {.rank = 1};
    CgBinding b = {.slot_boxes = &box};
    CgSchedule s;
    Arena *arena = arena_new();
    ck_assert(cg_plan_bind(p, &b, &device, arena, &s));
    ck_assert_uint_eq(s.out_bytes, (size_t)MANY * 5 + (size_t)MANY * (MANY - 1) / 2 + 100);
    char *options = cg_plan_build_options(p, &device, 0);
    ck_assert_ptr_nonnull(strstr(options, "-Dd39=39"));
    mem_free(options);
    arena_free(arena);
    cg_plan_free(p);
    text_free(&t);
    free(name);
}
END_TEST

/* Quotients of floats are right where the device can, but for graphs that are [Fast]. */
START_TEST(plan_divisions)
{
    static const char asked[] = "-cl-fp32-correctly-rounded-divide-sqrt";
    CgDevice rounds = device;
    rounds.rounds = true;
    for (int fast = 0; fast < 2; fast++) {
        Text t = {0};
        text_printf(&t,
                    "/* C$ plan\n * slots 0\n * options -cl-mad-enable%s\n * out bytes 1\n */\n",
                    fast ? " " CG_OPTION_FAST : "");
        const char *error = NULL;
        CgPlan *p = cg_plan_parse(t.data, &error);
        ck_assert_msg(p != NULL, "%s", error);
        char *with = cg_plan_build_options(p, &rounds, 0),
             *without = cg_plan_build_options(p, &device, 0);
        ck_assert_int_eq(strstr(with, asked) != NULL, !fast);
        ck_assert_ptr_null(strstr(without, asked));
        mem_free(with);
        mem_free(without);
        cg_plan_free(p);
        text_free(&t);
    }
}
END_TEST

START_TEST(plan_damage)
{
    static const char *const bad[] = {
        "",
        "__kernel void f() {}",
        "/* C$ plan\n",
        "/* C$ plan\n */\n",
        HEAD,
        HEAD " */\n",
        HEAD " * out bytes 1",
        HEAD "out bytes 1\n */\n",
        HEAD " * out bytes 1\n * nonsense\n */\n",
        HEAD " * out bytes 1 1\n */\n",
        "/* C$ plan\n * slots 2\n * slot 0 float\n * out bytes 1\n */\n",
        "/* C$ plan\n * slots 1\n * slot 1 float\n * out bytes 1\n */\n",
        "/* C$ plan\n * slots 99999999999\n * out bytes 1\n */\n",
        HEAD " * out bytes 1\n * run f global\n */\n",
        HEAD " * out bytes 1\n * run f global 1 local 1, 2\n */\n",
        HEAD " * out bytes 1\n * run f global 1 args slot 1\n */\n",
        HEAD " * out bytes 1\n * run f global 1 args temp 0\n */\n",
        HEAD " * out bytes 1\n * run f global 1 args float 1\n */\n",
        HEAD " * out bytes 1\n * run f global 1 args\n */\n",
        HEAD " * out bytes 1\n * temp 1 bytes 4\n */\n",
        HEAD " * out bytes 1\n * end\n */\n",
        HEAD " * out 1 bytes 1\n */\n",
        HEAD " * out 0 bytes 1\n * out 0 bytes 1\n */\n",
        HEAD " * out 0 bytes 1\n * run f global 1 args out 1\n */\n",
        HEAD " * out bytes 1\n * loop i = 0 to 4 step 1\n */\n",
        HEAD " * out bytes 1\n * loop i = 0 to 4\n * end\n */\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(parse_error(bad[i]) != NULL, "accepted: %s", bad[i]);
    ck_assert_ptr_null(
        parse_error(HEAD " * out bytes 1\n * run f global 1 args slot 0, idx 3\n */\n"));

    /* every cut and every damaged byte of a plan: an error or a plan, never a crash */
    size_t len = strlen(sample);
    for (size_t i = 0; i < len; i++) {
        char *text = strdup(sample);
        text[i] = '\0';
        ck_assert(i + 4 > len || parse_error(text) != NULL);
        for (const char *c = "0(*,\n-"; *c; c++) {
            memcpy(text, sample, len);
            text[i] = *c;
            parse_error(text);
        }
        free(text);
    }
}
END_TEST

START_TEST(plan_loops)
{
    const char *error = NULL;
    CgPlan *p = cg_plan_parse(
        HEAD " * out bytes 4\n"
             " * loop i = 0 to s0.n0 step 5 when s0.n0 > 2\n"
             " * loop j = i to i + 2 step 1\n"
             " * run f when j != 6 global j + 1, 2 local 1, 2 args long j * 2, idx i\n"
             " * end\n * end\n"
             " * run g when s0.n0 > 100 global 1\n"
             " * run h global 0\n */\n",
        &error);
    ck_assert_msg(p != NULL, "%s", error);
    Arena *arena = arena_new();
    FdBox box = {.rank = 1};
    box.dim[0].hi = 12;
    CgBinding b = {.slot_boxes = &box};
    CgSchedule s;
    const char *const *names;
    ck_assert(cg_plan_bind(p, &b, &device, arena, &s));
    ck_assert_int_eq(cg_plan_kernels(p, &names), 3);
    ck_assert_str_eq(names[2], "h");
    static const int j[] = {0, 1, 5, 10, 11};
    ck_assert_int_eq(s.nlaunches, 5);
    for (int i = 0; i < 5; i++) {
        const CgLaunch *l = &s.launches[i];
        ck_assert_uint_eq(l->global[0], (size_t)j[i] + 1);
        ck_assert_uint_eq(l->local[1], 2);
        ck_assert_uint_eq(l->args[0].size, 8);
        ck_assert_uint_eq(l->args[1].size, 4);
        ck_assert_int_eq(l->args[0].bytes[0], 2 * j[i]);
    }
    box.dim[0].hi = INT64_MAX; /* a damaged bound: given up, not run for years */
    ck_assert(!cg_plan_bind(p, &b, &device, arena, &s));
    box.dim[0].hi = 2;
    ck_assert(cg_plan_bind(p, &b, &device, arena, &s));
    ck_assert_int_eq(s.nlaunches, 0);
    arena_free(arena);
    cg_plan_free(p);
}
END_TEST

/* ---- texts joined ---------------------------------------------------------------------- */

static const char mapped[] = "%0 = var \"i\" : int\n"
                             "%1 = const 0 : int\n"
                             "%2 = const 300 : int\n"
                             "%3 = slot 0 \"a\" : array float(int)\n"
                             "%4 = apply %3 (%0) : float @3:32\n"
                             "%5 = apply @sin (%4) : float @3:23\n"
                             "%6 = let (%0 : given %1..%2) %5 : float(int) @3:1\n"
                             "result %6\n";
static const char summed[] = "%0 = var \"i\" : int\n"
                             "%1 = slot 0 \"a\" : array float(int)\n"
                             "%2 = const 0 : int\n"
                             "%3 = apply @lower (%1, %2) : long\n"
                             "%4 = apply @upper (%1, %2) : long\n"
                             "%5 = apply %1 (%0) : float @5:39\n"
                             "%6 = apply @sin (%5) : float @5:30\n"
                             "%7 = reduce @add (%0 : given %3..%4) %6 : float @5:19\n"
                             "result %7\n";

static char *lowered(const char *text, const CgOptions *options)
{
    const char *why = NULL;
    Fd *fd = fd_new();
    FdGraph *g = fd_read(fd, text, &why);
    ck_assert_msg(g != NULL, "%s", why);
    FdError error;
    char *out = NULL;
    ck_assert_int_eq(cg_lower(g, options, &out, &error), CG_OK);
    fd_free(fd);
    return out;
}

static int occurrences(const char *text, const char *of)
{
    int n = 0;
    for (const char *s = text; (s = strstr(s, of)); s++) n++;
    return n;
}

/* What texts share is there once, their kernels under names of their own. */
/* ---- which kernels may run ----------------------------------------------------------------------- */

static const char choice[] =
    "/* C$ plan\n"
    " * slots 3\n"
    " * slot 0 array float 1\n"
    " * slot 1 array float 1\n"
    " * slot 2 int\n"
    " * define V = max(vector_bytes / 4, 2)\n"
    " * out bytes 4\n"
    " * let n = max(s2, 0)\n"
    " * let unsafe = 0 < s0.lo0 || s2 - 1 >= s0.lo0 + s0.n0\n"
    " * let far = s1.n0 % 19 + min(s1.n0, n) / 2 * 3 > 20 ? s1.n0 : 0 - 1\n"
    " * run safe when !unsafe global 1\n"
    " * run unsafe when unsafe global 1\n"
    " * run shifted when s0.lo0 + s0.n0 + 2 < s2 global 1\n"
    " * run wide when s1.n0 >= V global 1\n"
    " * run narrow when s1.n0 < V global 1\n"
    " * run none global s1.n0 - 19\n"
    " * run some when far > 0 && n > V global ceildiv(n, V)\n"
    " * run other when far < 0 || roundup(n, V) == V global 1\n"
    " * run many when units > 3 global 1\n"
    " * loop k = 0 to n step 1 when s1.n0 != 19\n"
    " * run loops global 1\n"
    " * end\n"
    " */\n";

static bool is_there(const CgPlan *p, const bool *kernels, const char *name)
{
    const char *const *names;
    for (int k = 0; k < cg_plan_kernels(p, &names); k++)
        if (strcmp(names[k], name) == 0) return kernels[k];
    return false;
}

/* Of array 0 it is known that it goes from 0 to the number in slot 2, of array 1 that it has 19 elements. */
START_TEST(reach)
{
    const char *error = NULL;
    CgPlan *p = cg_plan_parse(choice, &error);
    ck_assert_ptr_nonnull(p);
    FdKnown slots[3] = {0};
    for (int i = 0; i < 2; i++) slots[i].lo[0] = (FdLinear){.known = true};
    slots[0].hi[0] = slots[2].value = (FdLinear){.known = true, .atom = 1};
    slots[1].hi[0] = (FdLinear){.known = true, .offset = 19};
    bool kernels[16], any[16];
    cg_plan_reach(p, &device, slots, kernels);
    const char *const runs[] = {"safe", "wide", "some", "other", "many"}, *const not [] = {
                                                                              "unsafe", "shifted",
                                                                              "narrow", "none",
                                                                              "loops"};
    for (int i = 0; i < 5; i++) ck_assert_msg(is_there(p, kernels, runs[i]), "%s", runs[i]);
    for (int i = 0; i < 5; i++) ck_assert_msg(!is_there(p, kernels, not [i]), "%s", not [i]);
    cg_plan_reach(p, &device, (FdKnown[3]){0}, any);
    for (int k = 0; k < 10; k++) ck_assert(any[k]);
    for (int64_t n = 0; n < 100; n++) { /* and whatever runs was said to */
        FdBox boxes[3] = {{.rank = 1}, {.rank = 1}};
        boxes[0].dim[0].hi = n;
        boxes[1].dim[0].hi = 19;
        ScalarValue scalars[3] = {{0}, {0}, {.i = n}};
        CgBinding b = {boxes, scalars, false};
        CgSchedule s = {0};
        Arena *arena = arena_new();
        ck_assert(cg_plan_bind(p, &b, &device, arena, &s));
        for (int i = 0; i < s.nlaunches; i++)
            ck_assert_msg(is_there(p, kernels, s.launches[i].kernel), "%s", s.launches[i].kernel);
        arena_free(arena);
    }
    cg_plan_free(p);
}
END_TEST

START_TEST(joined)
{
    for (int k = 0; k < 4; k++) {
        CgOptions options = {.family = k & 1 ? CG_GPU : CG_CPU, .precise = k >= 2};
        char *texts[] = {lowered(mapped, &options), lowered(summed, &options),
                         lowered(mapped, &options)};
        char *all = cg_join(3, (const char *const *)texts, &options);
        ck_assert_ptr_nonnull(all);
        ck_assert_int_eq(occurrences(all, "typedef long idx_t;"), 1);
        ck_assert_int_le(occurrences(all, "cs_sin_float(float x)\n{"), 1);
        ck_assert_int_le(occurrences(all, "FP_CONTRACT ON\n\nstatic inline"), 1);
        ck_assert_int_eq(occurrences(all, "C$ plan"), 0);
        ck_assert_int_eq(occurrences(all, "#define map_"), occurrences(all, "#undef map_"));
        for (int i = 0; i < 3; i++) {
            const char *const *names;
            CgPlan *p = cg_plan_parse(texts[i], &(const char *){NULL});
            for (int n = cg_plan_kernels(p, &names); n-- > 0;) {
                Text line = {0};
                text_printf(&line, "#define %s %s" CG_JOINED "\n", names[n], names[n], i);
                ck_assert_msg(occurrences(all, line.data) == 1, "%s", line.data);
                text_free(&line);
            }
            cg_plan_free(p);
        }
        mem_free(all);
        *strstr(texts[1], "*/") = '\0';
        ck_assert_ptr_null(cg_join(2, (const char *const *)texts, &options));
        for (int i = 0; i < 3; i++) mem_free(texts[i]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("codegen plans");
    TCase *t = tcase_create("plans");
    tcase_add_test(t, plan_values);
    tcase_add_test(t, plan_long);
    tcase_add_test(t, plan_launches);
    tcase_add_test(t, plan_divisions);
    tcase_add_test(t, plan_damage);
    tcase_add_test(t, plan_loops);
    tcase_add_test(t, reach);
    tcase_add_test(t, joined);
    suite_add_tcase(s, t);
    return run_suite(s);
}
