/* Definitions whose last two variables go as one (schedule/flat.c), and rows side by side (schedule_abreast.c), against their plain evaluation:
 * borders in every spelling, arrays that have other lengths, and what keeps the two apart. Sizes are
 * below a vector and above it. CODEGEN_RANDOM=n and CODEGEN_SEED=first as for other random graphs. */
#include "../suite.h"
#include "codegen_random.h"

#define IJC "((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1)) (c (lo a 2) (hi a 2)))"
#define CLAMPED(index, dim)                                                                        \
    "(min (max " index " (conv int (lo a " dim "))) (conv int (sub (hi a " dim ") 1L)))"
#define SIZES                                                                                      \
    "a:float(5,40,3) b:float(5,40,3) w:float(-2+5) m:float(5,40) v:float(3)",                      \
        "a:float(2+3,-3+21,1+4) b:float(2+3,-3+21,1+4) w:float(-9+17) m:float(2+3,-3+21) "         \
        "v:float(1+4)",                                                                            \
        "a:float(3,1,3) b:float(3,1,4) w:float(2+1) m:float(3,1) v:float(3)",                      \
        "a:float(2,300,2) b:float(2,300,2) w:float(-1+3) m:float(2,300) v:float(2)",               \
        "a:float(3,7,70) b:float(3,7,70) w:float(-1+3) m:float(3,7) v:float(70)",                  \
        "a:float(0,7,3) b:float(0,7,3) w:float(-1+3) m:float(0,7) v:float(3)",                     \
        "a:float(3,7,0) b:float(3,7,0) w:float(-1+3) m:float(3,7) v:float(0)",                     \
        "a:float(3,0,3) b:float(3,0,3) w:float(0) m:float(3,0) v:float(3)"

START_TEST(windows)
{
    CHECK_GRAPH("(let " IJC " (sum ((d (lo w 0) (hi w 0)))"
                " (mul (w d) (a i " CLAMPED("(add j d)", "1") " c))))",
                BOTH, SIZES);
    CHECK_GRAPH("(let " IJC " (sum ((d (lo w 0) (hi w 0)))"
                " (mul (w d) (a " CLAMPED("(add i d)", "0") " j " CLAMPED("c", "2") "))))",
                BOTH, SIZES);
}
END_TEST

START_TEST(bytes)
{
    CHECK_GRAPH("(let " IJC " (conv byte (div (add (conv int (a i j c)) (conv int (b i " CLAMPED(
                    "(add j 1)", "1") " c))) 2)))",
                BOTH, "a:byte(5,60,3) b:byte(5,60,3)", "a:byte(2,900,4) b:byte(2,900,4)",
                "a:byte(3,2,3) b:byte(3,2,3)");
}
END_TEST

/* Rows of two to four elements, which are stored in turn: of each type, of lengths that are known now and that are not. */
#define ROWS(last) "((i (lo a 0) (hi a 0)) (c " last "))"
#define POINTS(t, k) "a:" t "(7," k ") b:" t "(7," k ")", "a:" t "(90," k ") b:" t "(90," k ")"
#define CHANGED(t, k)                                                                              \
    CHECK_GRAPH("(let " ROWS("0 " k) " (a i (sub (sub " k " 1) c)))", BOTH, POINTS(t, k))

START_TEST(abreast)
{
    static const char complex[] =
        "(let " ROWS("0 2") " (select (eq c 0) (sub (mul (a i 0) (b i 0)) (mul (a i 1) (b i 1)))"
                            " (add (mul (a i 0) (b i 1)) (mul (a i 1) (b i 0)))))";
    CHECK_GRAPH(complex, BOTH, POINTS("double", "2"));
    CHECK_GRAPH(complex, BOTH, POINTS("float", "2"));
    CHECK_GRAPH(complex, BOTH, POINTS("int", "2"));
    CHANGED("byte", "3");
    CHANGED("half", "3");
    CHANGED("short", "3");
    CHANGED("bool", "3");
    CHANGED("float", "3");
    CHANGED("double", "3");
    CHANGED("byte", "4");
    CHANGED("long", "2");
    CHECK_GRAPH("(let " ROWS("0 4") " (add (mul (a i 3) (a i c)) (mul (b i 3) (b i c))))", BOTH,
                POINTS("float", "4"));
    CHECK_GRAPH("(let " ROWS("1 3") " (add (conv float c) (sum ((k 0 3)) (mul (b c k) (a i k)))))",
                BOTH, POINTS("float", "3"), "a:float(40,3) b:float(3,5)");
}
END_TEST

START_TEST(abreast_unknown)
{
    CHECK_GRAPH(
        "(let " ROWS("(lo a 1) (hi a 1)") " (div (a i c) (sum ((k (lo a 1) (hi a 1))) (a i k))))",
        BOTH, POINTS("float", "2"), POINTS("float", "3"), POINTS("float", "4"),
        POINTS("float", "9"), "a:float(1+40,1+3)");
    CHECK_GRAPH("(let " ROWS("(lo a 1) (hi a 1)") " (lt (a i 1) (a i c)))", BOTH,
                POINTS("double", "2"), POINTS("double", "3"), POINTS("double", "4"));
    CHECK_GRAPH("(let " ROWS("(lo a 1) (hi a 1)") " (mul (a i c) (v i)))", BOTH,
                "a:float(90,3) v:float(90)", "a:float(90,2) v:float(90)",
                "a:float(3,90) v:float(3)");
    CHECK_GRAPH("(let ((i (lo b 0) (hi b 0)) (c (lo b 1) (hi b 1))) (add (a (p i 0) c) (mul (a (p "
                "i 1) c) (b i c))))",
                BOTH, "a:float(9,3) b:float(70,3) p:int(70,2)%9",
                "a:float(9,2) b:float(20,2) p:int(20,2)%9",
                "a:float(9,4) b:float(70,4) p:int(70,2)%9",
                "a:float(9,5) b:float(5,5) p:int(5,2)%9");
    CHECK_GRAPH(
        "(let ((i (lo a 1) (hi a 1)) (j (lo a 2) (hi a 2)) (c (lo a 0) (hi a 0))) (a c i j))", BOTH,
        "a:byte(3,5,40)", "a:byte(2+2,5,1+40)", "a:byte(4,1,70)", "a:byte(9,5,7)");
}
END_TEST

/* Known last indices: of short sums, and behind a guard, whose other side lies outside. */
START_TEST(near_guarded)
{
    CHECK_GRAPH(
        "(let ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1))) (sum ((k 0 3)) (mul (v k) (a i j k))))",
        BOTH, "a:float(3,40,3) v:float(3)", "a:float(3,5,3) v:float(3)",
        "a:float(2,33,4) v:float(4)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0)) (j (lo b 0) (hi b 0))) (sum ((k 0 2)) (mul (sub (a i "
                "k) (b j k))"
                " (sub (a i k) (b j k)))))",
                BOTH, "a:double(9,2) b:double(40,2)", "a:double(70,2) b:double(3,2)",
                "a:double(7,3) b:double(20,2)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1))) (select (lt (add j 1) (conv "
                "int (hi a 1)))"
                " (mul (a i (add j 1) 0) (sub (a i (add j 1) 2) (a i (add j 1) 1))) 1.0f))",
                BOTH, "a:float(5,64,3)", "a:float(1,40,3)", "a:float(3,7,3)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0)) (c 0 2)) (select (gt i 0) (mul (a (sub i 1) 1) (a "
                "(sub i 1) c))"
                " (a i c)))",
                BOTH, "a:float(64,2)", "a:float(33,2)");
}
END_TEST

static const char *condition(Random *r)
{
    return ONE_OF(r, "(gt j (conv int (lo a 1)))", "(lt (add j 1) (conv int (hi a 1)))",
                  "(lt (a i j c) 1.0f)", "(gt i 2)", "(ne j 3)", "(gt c (conv int (lo a 2)))",
                  "(lt (m i j) 1.0f)", "(le (sub j 2) 4)");
}

static void expr(Random *r, int depth)
{
    static const char *const rows[] = {"j", CLAMPED("(add j 1)", "1"), CLAMPED("(sub j 3)", "1"),
                                       "j", CLAMPED("(mul j 2)", "1"), CLAMPED("(sub 4 j)", "1")};
    static const char *const planes[] = {"i", "i", CLAMPED("(add i 1)", "0"),
                                         CLAMPED("(sub 2 i)", "0")};
    static const char *const last[] = {"c", "c", "c", CLAMPED("c", "2"), CLAMPED("(add c 1)", "2")};
    int kind = pick(r, depth > 0 ? 12 : 5);
    if (kind < 3) {
        text_printf(&r->out, "(a %s %s %s)", one_of(r, 4, planes), one_of(r, 6, rows),
                    one_of(r, pick(r, 4) ? 4 : 5, last));
    } else if (kind < 5) {
        text_add(&r->out, ONE_OF(r, "(b i j c)", "(b i j c)", "1.5f", "(b i j c)", "s", "(m i j)",
                                 "(v c)", "(conv float j)"));
    } else if (kind < 7) {
        text_printf(&r->out, "(sum ((d (lo w 0) (hi w 0))) (mul (w d) (a %s %s c)))",
                    pick(r, 2) ? "i" : CLAMPED("(add i d)", "0"),
                    pick(r, 3) ? CLAMPED("(add j d)", "1") : "j");
    } else if (kind < 9) {
        const char *cond = condition(r);
        text_printf(&r->out, "(select %s ", cond);
        if (strcmp(cond, "(gt j (conv int (lo a 1)))") == 0)
            text_add(&r->out, "(a i (sub j 1) c)");
        else if (strcmp(cond, "(lt (add j 1) (conv int (hi a 1)))") == 0)
            text_add(&r->out, "(a i (add j 1) c)");
        else
            expr(r, depth - 1);
        text_add(&r->out, " ");
        expr(r, depth - 1);
        text_add(&r->out, ")");
    } else {
        text_printf(&r->out, "(%s ", ONE_OF(r, "add", "sub", "max", "mul"));
        expr(r, depth - 1);
        text_add(&r->out, " ");
        expr(r, depth - 1);
        text_add(&r->out, ")");
    }
}

START_TEST(random_graphs)
{
    RandomSeeds seeds = random_seeds(16);
    for (int seed = seeds.first; seed < seeds.end; seed++) {
        Random r = random_begin(seed);
        bool known = pick(&r, 3) == 0; /* now how short rows are */
        text_printf(&r.out, "(let ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1)) (c %s)) ",
                    known ? "0 3" : "(lo a 2) (hi a 2)");
        expr(&r, 3);
        text_add(&r.out, ")");
        const char *const any[] = {SIZES, NULL};
        char three[200];
        snprintf(three, sizeof three,
                 "a:float(3,%d,3) b:float(3,%d,3) w:float(-2+5) m:float(3,%d) v:float(3) s:float=2",
                 5 + seed % 40, 5 + seed % 40, 5 + seed % 40);
        char specs[8][200];
        const char *list[9] = {three};
        for (int i = 0; !known && any[i]; i++) {
            bool other = strstr(any[i], "b:float(3,1,4)") != NULL;
            snprintf(specs[i], sizeof specs[i], "%s s:float=2", any[i]);
            list[i] = other ? three : specs[i];
        }
        random_check(&seeds, seed, &r, NULL, BOTH, list);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("codegen, flat");
    TCase *t = tcase_create("flat");
    tcase_set_timeout(t, 240);
    tcase_add_test(t, windows);
    tcase_add_test(t, bytes);
    tcase_add_test(t, abreast);
    tcase_add_test(t, abreast_unknown);
    tcase_add_test(t, near_guarded);
    tcase_add_test(t, random_graphs);
    suite_add_tcase(s, t);
    return run_suite_here(s);
}
