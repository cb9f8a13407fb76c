/* Generated kernels against a plain evaluation of the same graphs, on the OpenCL device at hand,
 * for both families and every tile. Each case is one graph with several sets of extents.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "../suite.h"
#include "codegen_run.h"

#define JK "((j (lo a 0) (hi a 0)) (k (lo b 1) (hi b 1)))"
#define L "((l (lo a 1) (hi a 1)))"

/* ---- contractions ---------------------------------------------------------------------------- */

START_TEST(matrix_product)
{
    CHECK_GRAPH("(let " JK " (sum " L " (mul (a j l) (b l k))))", EVERY,
                "a:float(1,1) b:float(1,1)", "a:float(1,7) b:float(7,1)",
                "a:float(3,5) b:float(5,2)", "a:float(16,16) b:float(16,16)",
                "a:float(127,33) b:float(33,129)", "a:float(64,1) b:float(1,64)",
                "a:float(3,0) b:float(0,4)", "a:float(0,3) b:float(3,4)",
                "a:float(20,600) b:float(600,33)", "a:float(5+30,-3+20) b:float(-3+20,7+18)");
}
END_TEST

START_TEST(precise_product)
{
    CHECK_GRAPH("(let " JK " (sum " L " (mul (a j l) (b l k))))", ON_CPU | AUTO | P2 | EXACT,
                "a:float(3,5) b:float(5,2)", "a:float(40,33) b:float(33,29)");
}
END_TEST

START_TEST(transposed)
{
    static const char *const sizes[] = {"a:float(5,3) b:float(5,2)",
                                        "a:float(33,65) b:float(33,70)", NULL};
    check_graph(NULL,
                "(let ((j (lo a 1) (hi a 1)) (k (lo b 1) (hi b 1)))"
                " (sum ((l (lo a 0) (hi a 0))) (mul (a l j) (b l k))))",
                MOST, sizes);
    static const char *const others[] = {"a:float(5,3) b:float(2,3)",
                                         "a:float(65,33) b:float(70,33)", NULL};
    check_graph(NULL,
                "(let ((j (lo a 0) (hi a 0)) (k (lo b 0) (hi b 0)))"
                " (sum " L " (mul (a j l) (b k l))))",
                BOTH, others);
    CHECK_GRAPH("(let ((j (lo a 1) (hi a 1)) (k (lo b 0) (hi b 0)))"
                " (sum ((l (lo a 0) (hi a 0))) (mul (a l j) (b k l))))",
                BOTH, "a:float(33,65) b:float(70,33)", "a:float(600,20) b:float(33,600)",
                "a:float(600,2100000000+20) b:float(33,600)");
}
END_TEST

START_TEST(epilogue)
{
    CHECK_GRAPH("(let " JK " (add (mul 2.0f (sum " L " (mul (a j l) (b l k)))) (mul x (d j k))))",
                BOTH | P2, "a:float(3,5) b:float(5,2) d:float(3,2) x:float=0.5",
                "a:float(40,17) b:float(17,35) d:float(40,35) x:float=-2",
                "a:float(40,700) b:float(700,35) d:float(40,35) x:float=-2");
    CHECK_GRAPH("(let " JK " (lt (sum " L " (mul (a j l) (b l k))) (d j k)))", ON_CPU | AUTO,
                "a:float(40,17) b:float(17,35) d:float(40,35)");
}
END_TEST

START_TEST(min_plus)
{
    CHECK_GRAPH("(let " JK " (least " L " (add (a j l) (b l k))))", BOTH,
                "a:float(3,5) b:float(5,2)", "a:float(33,17) b:float(17,70)",
                "a:float(3,0) b:float(0,4)", "a:float(3,0) b:float(0,0)");
    CHECK_GRAPH("(let " JK " (greatest " L " (min (a j l) (b l k))))", BOTH,
                "a:int(3,5) b:int(5,2)", "a:int(33,17) b:int(17,70)");
}
END_TEST

START_TEST(scalar_kinds)
{
    static const char *const kinds[] = {"int", "uint", "long", "double"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char small[64], large[64];
        snprintf(small, sizeof small, "a:%s(3,5) b:%s(5,2)", kinds[i], kinds[i]);
        snprintf(large, sizeof large, "a:%s(33,19) b:%s(19,70)", kinds[i], kinds[i]);
        CHECK_GRAPH("(let " JK " (sum " L " (mul (a j l) (b l k))))",
                    i % 2 ? ON_CPU | ON_GPU | AUTO : ON_CPU | P2 | P4, small, large);
    }
    CHECK_GRAPH("(let " JK " (sum " L " (mul (conv double (a j l)) (conv double (b l k)))))",
                ON_CPU | AUTO | P4, "a:float(33,19) b:int(19,70)");
}
END_TEST

START_TEST(batched)
{
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1)) (k (lo b 2) (hi b 2)))"
                " (sum ((l (lo a 2) (hi a 2))) (mul (a i j l) (b i l k))))",
                BOTH | P2, "a:float(2,3,5) b:float(2,5,4)",
                "a:float(-1+3,33,7) b:float(-1+3,7,20)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1)) (q (lo b 0) (hi b 0)) (k (lo b "
                "2) (hi b 2)))"
                " (sum ((l (lo a 2) (hi a 2))) (mul (a i j l) (b q l k))))",
                BOTH, "a:float(2,17,5) b:float(3,5,18)");
}
END_TEST

START_TEST(convolution)
{
    CHECK_GRAPH(
        "(let ((y 0L (add (sub (hi a 0) (hi w 0)) 1L)) (x 0L (add (sub (hi a 1) (hi w 1)) 1L)))"
        " (sum ((p (lo w 0) (hi w 0)) (q (lo w 1) (hi w 1))) (mul (a (add y p) (add x q)) (w p "
        "q))))",
        BOTH, "a:float(9,11) w:float(3,4)", "a:float(40,57) w:float(5,3)");
    /* channels: rows and columns of a product over three variables */
    CHECK_GRAPH(
        "(let ((o (lo w 0) (hi w 0)) (x 0L (add (sub (hi a 1) (hi w 2)) 1L)))"
        " (sum ((c (lo w 1) (hi w 1)) (q (lo w 2) (hi w 2))) (mul (a c (add x q)) (w o c q))))",
        BOTH | P2, "a:float(3,11) w:float(4,3,2)", "a:float(5,90) w:float(33,5,3)");
}
END_TEST

START_TEST(bodies) /* of contractions: all pairs, several operands a side, branches */
{
    CHECK_GRAPH("(let ((j (lo a 0) (hi a 0)) (k (lo b 0) (hi b 0)))"
                " (sum ((l (lo a 1) (hi a 1))) (mul (m l) (abs (sub (a j l) (b k l))))))",
                MOST, "a:float(3,5) b:float(2,5) m:float(5)",
                "a:float(33,7) b:float(70,7) m:float(7)");
    CHECK_GRAPH(
        "(let " JK " (sum " L " (select (lt (a j l) (b l k)) (exp (a j l)) (mul (b l k) s))))",
        MOST, "a:float(3,5) b:float(5,2) s:float=3", "a:float(33,7) b:float(7,70) s:float=3");
    CHECK_GRAPH("(let " JK " (sum " L
                " (select (lt (conv float (a j l)) (b l k)) 1 (sub (a j l) 3))))",
                ON_CPU | AUTO | P2, "a:int(3,5) b:float(5,2)", "a:int(33,7) b:float(7,70)");
    CHECK_GRAPH("(let ((x (lo a 0) (hi a 0)) (y (lo b 0) (hi b 0)))"
                " (sum ((t (lo a 1) (hi a 1))) (mul (mul (a x t) v) (b y t))))",
                ON_CPU | AUTO | P2, "a:double(33,7) b:double(18,7) v:double=1.5");
}
END_TEST

START_TEST(nbody)
{
    CHECK_GRAPH("(let ((i (lo p 0) (hi p 0)))"
                " (sum ((j (lo p 0) (hi p 0))) (div (mul (m j) (sub (p j) (p i)))"
                " (sqrt (add (mul (sub (p j) (p i)) (sub (p j) (p i))) 0.5f)))))",
                BOTH | PLAIN, "p:float(1) m:float(1)", "p:float(130) m:float(130)");
}
END_TEST

/* ---- maps ------------------------------------------------------------------------------------ */

START_TEST(pointwise)
{
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (add (mul (a i) s) (b i)))", BOTH | PLAIN,
                "a:float(1) b:float(1) s:float=2", "a:float(17) b:float(17) s:float=2",
                "a:float(0) b:float(0) s:float=2", "a:float(5+1000) b:float(5+1000) s:float=2",
                "a:float(-7+100) b:float(-7+100) s:float=2");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1)) (k (lo a 2) (hi a 2)) (l (lo a "
                "3) (hi a 3)))"
                " (sub (a i j k l) (conv int (add i (mul l 3)))))",
                BOTH, "a:int(2,3,4,5)", "a:int(2,-1+3,4,3+40)");
    CHECK_GRAPH("(add (mul x x) 1.0)", BOTH, "x:double=3");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (select t (a i) (conv float h)))", BOTH,
                "a:float(17) t:bool=0 h:half=0.5", "a:float(17) t:bool=1 h:half=0.5");
}
END_TEST

START_TEST(stencil)
{
    CHECK_GRAPH(
        "(let ((i (add (lo a 0) 1L) (sub (hi a 0) 1L)) (j (add (lo a 1) 1L) (sub (hi a 1) 1L)))"
        " (mul 0.25f (add (add (a (sub i 1) j) (a (add i 1) j)) (add (a i (sub j 1)) (a i (add j "
        "1))))))",
        BOTH, "a:float(3,3)", "a:float(2,5)", "a:float(33,45)", "a:float(2100000000+20,30)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (select (land (gt i 0) (lt (a i) (a (sub i 1)))) (a "
                "(sub i 1)) (a i)))",
                BOTH, "a:float(1)", "a:float(100)");
}
END_TEST

START_TEST(conversions)
{
    static const char *const kinds[] = {"int", "uint", "long", "ulong", "float", "double", "short"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[400], spec[64];
        snprintf(text, sizeof text,
                 "(let ((i (lo a 0) (hi a 0))) (add (conv double (conv int (a i)))"
                 " (add (conv double (conv float (a i))) (add (conv double (conv long (a i)))"
                 " (conv double (conv ulong (a i)))))))");
        snprintf(spec, sizeof spec, "a:%s(67)", kinds[i]);
        CHECK_GRAPH(text, i < 2 ? BOTH : ON_CPU | AUTO, spec);
    }
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (eq (lt (a i) (b i)) (c i)))", BOTH,
                "a:float(67) b:float(67) c:bool(67)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (lor (lt (a i) (b i)) (lnot (c i))))", BOTH,
                "a:double(67) b:double(67) c:bool(67)");
    CHECK_GRAPH(
        "(let ((i (lo a 0) (hi a 0))) (select (c i) (shl (a i) (conv int (b i))) (shr (a i) 3)))",
        BOTH, "a:long(67) b:long(67) c:bool(67)");
}
END_TEST

START_TEST(bounds) /* ranges that depend on outer variables, sizes given by scalars */
{
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1)))"
                " (sum ((k (conv long i) (add (conv long j) 1L))) (a i k)))",
                BOTH, "a:float(1,1)", "a:float(9,9)", "a:float(9,40)");
    CHECK_GRAPH("(let ((i 0L (conv long n))) (mul i s))", BOTH, "n:int=100 s:int=3",
                "n:int=0 s:int=3", "n:int=-4 s:int=3");
    CHECK_GRAPH("(let ((t 3000000000L (add 3000000000L n))) (sum ((k (lo a 0) (hi a 0))) (mul (a "
                "k) 2.0f)))",
                BOTH, "a:float(-3+50) n:long=10");
}
END_TEST

/* ---- reductions ------------------------------------------------------------------------------ */

START_TEST(full)
{
    static const char *const ops[] = {"sum", "prod", "least", "greatest"};
    static const char *const kinds[] = {"float", "int", "double", "long"};
    for (int o = 0; o < 4; o++)
        for (int k = 0; k < 4; k++) {
            char text[128], small[32], medium[32], large[32];
            if (o != k) continue; /* each once */
            snprintf(text, sizeof text, "(%s ((i (lo a 0) (hi a 0))) (a i))", ops[o]);
            snprintf(small, sizeof small, "a:%s(1)", kinds[k]);
            snprintf(medium, sizeof medium, "a:%s(4+77)", kinds[k]);
            snprintf(large, sizeof large, "a:%s(100003)", kinds[k]);
            CHECK_GRAPH(text, BOTH, small, medium, large);
        }
    CHECK_GRAPH("(sqrt (sum ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1))) (mul (a i j) (a i j))))",
                BOTH, "a:float(3,5)", "a:float(0,5)", "a:float(333,311)");
    CHECK_GRAPH("(least ((i (lo a 0) (hi a 0))) (a i))", BOTH | EXACT, "a:float(0)",
                "a:float(70000)");
    CHECK_GRAPH("(all ((i (lo a 0) (hi a 0))) (lt (a i) 2.0f))", BOTH, "a:float(0)",
                "a:float(50000)");
}
END_TEST

START_TEST(rows_and_columns)
{
    CHECK_GRAPH("(let ((i (lo a 1) (hi a 1))) (sum ((v 0 5)) (prod ((w v 5 given)) (a w i))))",
                BOTH, "a:int(5,70)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (sum ((j (lo a 1) (hi a 1))) (a i j)))", BOTH,
                "a:float(1,1)", "a:float(7,100)", "a:float(3,40000)", "a:float(300,90)",
                "a:float(3,0)");
    CHECK_GRAPH("(let ((j (lo a 1) (hi a 1))) (greatest ((i (lo a 0) (hi a 0))) (a i j)))", BOTH,
                "a:float(1,1)", "a:float(100,7)", "a:float(300,90)", "a:float(0,3)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (any ((j (lo a 1) (hi a 1))) (lt (a i j) x)))", BOTH,
                "a:int(70,100) x:int=-7", "a:int(70,100) x:int=-8");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (sub (sum ((j (lo a 1) (hi a 1))) (a i j)) (least "
                "((j (lo a 1) (hi a 1))) (a i j))))",
                BOTH, "a:float(70,100)", "a:float(70,0)");
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

START_TEST(temporaries) /* what the passes compute once beforehand */
{
    CHECK_GRAPH(
        "(let ((i (lo a 0) (hi a 0))) (div (exp (a i)) (sum ((j (lo a 0) (hi a 0))) (exp (a j)))))",
        BOTH, "a:float(1)", "a:float(3+2000)", "a:float(0)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1)))"
                " (sub (a i j) (greatest ((k (lo a 1) (hi a 1))) (a i k))))",
                BOTH, "a:float(3,5)", "a:float(-1+70,4+90)");
    CHECK_GRAPH("(let " JK " (sum " L
                " (mul (sum ((p (lo d 0) (hi d 0))) (mul (a p l) (d j p))) (b l k))))",
                BOTH, "a:float(4,4) b:float(4,4) d:float(4,4)",
                "a:float(20,20) b:float(20,20) d:float(20,20)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (div (a i) (sum ((j (lo a 0) (hi a 0))) (a j))))",
                BOTH, "a:int(40)%1", "a:int(40)%3");
}
END_TEST

START_TEST(gathers)
{
    CHECK_GRAPH("(let ((i (lo p 0) (hi p 0))) (a (p i)))", BOTH, "p:int(100)%17 a:float(17)",
                "p:int(100)%17 a:float(16)", "p:int(100)%17 a:float(1+16)");
    CHECK_GRAPH("(let ((i 0L (conv long n) given)) (a i))", BOTH, "a:float(17) n:int=17",
                "a:float(17) n:int=18", "a:float(1+17) n:int=4", "a:float(100) n:int=90");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (select (lt i 5) (b i) 1.0f))", BOTH,
                "a:float(40) b:float(5)", "a:float(40) b:float(4)", "a:float(40) b:float(40)");
    CHECK_GRAPH("(sum ((i (lo p 0) (hi p 0))) (mul (a (p i)) 2.0f))", BOTH,
                "p:int(100)%17 a:float(17)", "p:int(5000)%17 a:float(3)");
    CHECK_GRAPH("(let " JK " (sum ((l 0L (conv long n) given)) (mul (a j l) (b l k))))", BOTH,
                "a:float(20,17) b:float(17,30) n:int=17", "a:float(20,17) b:float(17,30) n:int=18",
                "a:float(20,17) b:float(17,30) n:int=5");
}
END_TEST

START_TEST(divisions)
{
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (div (a i) (b i)))", BOTH, "a:int(100) b:int(100)",
                "a:int(100) b:int(100)%1", "a:int(0) b:int(0)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (select (eq (b i) 0) 7 (rem (a i) (b i))))", BOTH,
                "a:int(100) b:int(100)");
    CHECK_GRAPH("(let ((i (lo a 0) (hi a 0))) (add (div (a i) 3L) (rem (a i) (neg 1L))))", BOTH,
                "a:long(100)");
    /* an operand that may fail is not computed early */
    CHECK_GRAPH("(let " JK " (sum " L " (select (lt (b l k) 0) 0 (mul (b l k) (div 6 (a j l))))))",
                BOTH, "a:int(20,5)%3 b:int(5,20)");
}
END_TEST

START_TEST(error_words)
{
    SlotValue slots[MAX_SLOTS];
    uint32_t e[CG_ERROR_WORDS];
    size_t bytes;
    for (int family = 0; family < 2; family++) {
        if (!backend_has((CgFamily)family)) continue;
        Fd *fd = fd_new();
        Lowered l;
        backend_open();
        int n = slots_of(fd, "p:long(1)%1 a:float(-5+4)", slots);
        FdGraph g =
            graph_of(fd, "(let ((i (lo p 0) (hi p 0))) (a (conv int (add (p i) 70L))))", slots, n);
        ck_assert(lower(fd, &g, (CgFamily)family, CG_TILE_AUTO, false, &l));
        free(run(&l, slots, &bytes, e));
        ck_assert_uint_eq(e[0], CG_ERR_INDEX);
        ck_assert_int_eq(l.order.nodes[e[1]]->kind, FD_APPLY);
        ck_assert(l.order.nodes[e[1]]->fn->kind == FD_FUNC);
        ck_assert_int_eq((int)e[2], 70);
        ck_assert_int_eq((int)e[3], 0);
        ck_assert_int_eq((int)e[4], -5);
        ck_assert_int_eq((int)e[5], -1);
        ck_assert_int_eq((int)e[6], 4);
        lowered_free(&l);
        slots_free(slots, n);
        fd_free(fd);
    }
}
END_TEST

static char *text_of(const char *source, const CgOptions *o, FdKey *key)
{
    Fd *fd = fd_new();
    const char *why = NULL;
    FdError error = {0};
    char *text = NULL;
    FdGraph *g = fd_read(fd, source, &why);
    ck_assert_msg(g != NULL, "%s", why);
    *key = fd_key(fd, g, NULL);
    ck_assert_int_eq(cg_lower(g, o, &text, &error), CG_OK);
    fd_free(fd);
    return text;
}

/* Graphs that differ in positions only have one key, and so must have one text. */
START_TEST(texts_leave_out_positions)
{
    static const char source[] =
        "user \"f\" : int(int) {\n"
        "  %%0 = local \"x\" : int\n"
        "  %%1 = const 10 : int\n"
        "  %%2 = apply @div (%%1, %%0) : int @%d:%d\n"
        "  params (%%0)\n"
        "  return %%2\n"
        "}\n"
        "%%0 = slot 0 \"u\" : array int(int)\n%%1 = slot 1 \"col\" : array int(int)\n"
        "%%2 = var \"i\" : int\n"
        "%%3 = const 0 : int\n"
        "%%4 = apply @lower (%%1, %%3) : long\n%%5 = apply @upper (%%1, %%3) : long\n"
        "%%6 = apply %%1 (%%2) : int @%d:%d\n%%7 = apply %%0 (%%6) : int @%d:%d\n"
        "%%8 = user \"f\" : int(int)\n%%9 = apply %%8 (%%7) : int @%d:%d\n"
        "%%10 = apply @rem (%%9, %%6) : int @%d:%d\n"
        "%%11 = let (%%2 : infer %%4 .. %%5) %%10 : int(int) @%d:%d\nresult %%11\n";
    char one[2048], two[2048], none[2048];
    snprintf(one, sizeof one, source, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6);
    snprintf(two, sizeof two, source, 7, 7, 3, 13, 3, 13, 3, 13, 3, 13, 3, 13);
    snprintf(none, sizeof none, source, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1);
    for (int family = 0; family < 2; family++) {
        CgOptions o = {.family = (CgFamily)family};
        FdKey k[3];
        char *t[3] = {text_of(one, &o, &k[0]), text_of(two, &o, &k[1]), text_of(none, &o, &k[2])};
        for (int i = 1; i < 3; i++) {
            ck_assert(k[i].hi == k[0].hi && k[i].lo == k[0].lo);
            ck_assert_int_eq(strcmp(t[i], t[0]), 0); /* too long to print */
        }
        ck_assert_ptr_nonnull(strstr(t[0], "cs_inside"));
        ck_assert_ptr_nonnull(strstr(t[0], "cs_checked_rem_int"));
        for (int i = 0; i < 3; i++) mem_free(t[i]);
    }
}
END_TEST

/* ---- user functions -------------------------------------------------------------------------- */

static const char users[] = "user \"steps\" : int(int, int) {\n"
                            "  %0 = local \"n\" : int\n"
                            "  %1 = local \"limit\" : int\n"
                            "  %2 = local \"count\" : int\n"
                            "  %3 = const 0 : int\n"
                            "  %4 = const 1 : int\n"
                            "  %5 = const 2 : int\n"
                            "  %6 = const 3 : int\n"
                            "  %7 = apply @le (%0, %4) : bool\n"
                            "  %8 = apply @ge (%2, %1) : bool\n"
                            "  %9 = apply @rem (%0, %5) : int\n"
                            "  %10 = apply @eq (%9, %3) : bool\n"
                            "  %11 = apply @div (%0, %5) : int\n"
                            "  %12 = apply @mul (%0, %6) : int\n"
                            "  %13 = apply @add (%12, %4) : int\n"
                            "  %14 = apply @add (%2, %4) : int\n"
                            "  params (%0, %1)\n"
                            "  set %2 = %3\n"
                            "  loop {\n"
                            "    if %7 {\n"
                            "      break\n"
                            "    }\n"
                            "    if %8 {\n"
                            "      return %1\n"
                            "    }\n"
                            "    if %10 {\n"
                            "      set %0 = %11\n"
                            "      continue\n"
                            "    } else {\n"
                            "      set %0 = %13\n"
                            "    }\n"
                            "  } step {\n"
                            "    set %2 = %14\n"
                            "  }\n"
                            "  return %2\n"
                            "}\n"
                            "%0 = const 0 : int\n"
                            "result %0\n";

START_TEST(user_functions)
{
    static const char *const specs[] = {"a:int(60) n:int=40", "a:int(60)%5 n:int=3", NULL};
    check_graph(users, "(let ((i (lo a 0) (hi a 0))) (add (steps (add (a i) i) n) 1))",
                BOTH | PLAIN, specs);
    check_graph(users, "(sum ((i (lo a 0) (hi a 0))) (steps (abs (a i)) n))", BOTH, specs);
}
END_TEST

int main(void)
{
    const struct {
        const char *name;
        const TTest *test;
    } tests[] = {{"matrix product", matrix_product},
                 {"precise product", precise_product},
                 {"transposed", transposed},
                 {"epilogue", epilogue},
                 {"min-plus", min_plus},
                 {"kinds", scalar_kinds},
                 {"batched", batched},
                 {"convolution", convolution},
                 {"bodies", bodies},
                 {"n-body", nbody},
                 {"pointwise", pointwise},
                 {"stencil", stencil},
                 {"conversions", conversions},
                 {"bounds", bounds},
                 {"full", full},
                 {"rows and columns", rows_and_columns},
                 {"temporaries", temporaries},
                 {"gathers", gathers},
                 {"divisions", divisions},
                 {"error words", error_words},
                 {"positions", texts_leave_out_positions},
                 {"user functions", user_functions}};
    /* Building takes the time: two processes share the cases, each with a compiler of its own. */
    pid_t child = getenv("CK_RUN_CASE") ? -1 : fork();
    Suite *s = suite_create(child == 0 ? "codegen, second half" : "codegen");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        if (child >= 0 && i % 2 == (child == 0)) continue;
        TCase *t = tcase_create(tests[i].name);
        tcase_set_timeout(t, 120);
        tcase_add_test(t, tests[i].test);
        suite_add_tcase(s, t);
    }
    int failed = run_suite_here(s), status = 0;
    if (child > 0) waitpid(child, &status, 0);
    return failed || status;
}
