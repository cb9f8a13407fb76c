/* Records, folds and recurrences in kernels, against their plain evaluation: chosen graphs, then
 * random ones. These compute with small multiples of 1/8, so that the order of operations does not
 * matter.
 */
#include "../suite.h"
#include "codegen_random.h"

/* best: the larger of two, the first of equals. count: a fold
 * over another type. nest, turn: made of and taken apart. spin: a loop over a record. */
static const char declarations[] = RECORD_PAIR "record Nest (Pair p, double d, bool b)\n"
                                               "record Small (bool b, char c, half h, byte k)\n"
                                               "user \"best\" : Pair(Pair, Pair) associative {\n"
                                               "  %0 = local \"a\" : Pair\n"
                                               "  %1 = local \"b\" : Pair\n"
                                               "  %2 = apply @field 0 (%0) : float\n"
                                               "  %3 = apply @field 0 (%1) : float\n"
                                               "  %4 = apply @lt (%2, %3) : bool\n"
                                               "  params (%0, %1)\n"
                                               "  if %4 {\n"
                                               "    return %1\n"
                                               "  }\n"
                                               "  return %0\n"
                                               "}\n" USER_LAST "user \"first\" : int(int, int) {\n"
                                               "  %0 = local \"a\" : int\n"
                                               "  %1 = local \"b\" : int\n"
                                               "  %2 = const 3 : int\n"
                                               "  %3 = apply @mul (%0, %2) : int\n"
                                               "  %4 = apply @sub (%3, %1) : int\n"
                                               "  params (%0, %1)\n"
                                               "  return %4\n"
                                               "}\n"
                                               "user \"count\" : int(int, Pair) {\n"
                                               "  %0 = local \"a\" : int\n"
                                               "  %1 = local \"b\" : Pair\n"
                                               "  %2 = apply @field 1 (%1) : int\n"
                                               "  %3 = const 3 : int\n"
                                               "  %4 = apply @mul (%0, %3) : int\n"
                                               "  %5 = apply @add (%4, %2) : int\n"
                                               "  params (%0, %1)\n"
                                               "  return %5\n"
                                               "}\n"
                                               "user \"gather\" : Pair(Pair, float) {\n"
                                               "  %0 = local \"a\" : Pair\n"
                                               "  %1 = local \"b\" : float\n"
                                               "  %2 = apply @field 0 (%0) : float\n"
                                               "  %3 = apply @field 1 (%0) : int\n"
                                               "  %4 = apply @min (%2, %1) : float\n"
                                               "  %5 = const 1 : int\n"
                                               "  %6 = apply @add (%3, %5) : int\n"
                                               "  %7 = apply @make (%4, %6) : Pair\n"
                                               "  params (%0, %1)\n"
                                               "  return %7\n"
                                               "}\n"
                                               "user \"nest\" : Nest(Pair, Pair) {\n"
                                               "  %0 = local \"a\" : Pair\n"
                                               "  %1 = local \"b\" : Pair\n"
                                               "  %2 = apply @field 0 (%0) : float\n"
                                               "  %3 = apply @field 0 (%1) : float\n"
                                               "  %4 = apply @lt (%2, %3) : bool\n"
                                               "  %5 = apply @convert (%2) : double\n"
                                               "  %6 = apply @make (%1, %5, %4) : Nest\n"
                                               "  params (%0, %1)\n"
                                               "  return %6\n"
                                               "}\n"
                                               "user \"spin\" : Pair(Pair, int) {\n"
                                               "  %0 = local \"a\" : Pair\n"
                                               "  %1 = local \"n\" : int\n"
                                               "  %2 = local \"i\" : int\n"
                                               "  %3 = const 0 : int\n"
                                               "  %4 = const 1 : int\n"
                                               "  %5 = apply @ge (%2, %1) : bool\n"
                                               "  %6 = apply @field 0 (%0) : float\n"
                                               "  %7 = apply @field 1 (%0) : int\n"
                                               "  %8 = apply @neg (%6) : float\n"
                                               "  %9 = apply @add (%7, %2) : int\n"
                                               "  %10 = apply @make (%8, %9) : Pair\n"
                                               "  %11 = apply @add (%2, %4) : int\n"
                                               "  params (%0, %1)\n"
                                               "  set %2 = %3\n"
                                               "  loop {\n"
                                               "    if %5 {\n"
                                               "      break\n"
                                               "    }\n"
                                               "    set %0 = %10\n"
                                               "  } step {\n"
                                               "    set %2 = %11\n"
                                               "  }\n"
                                               "  return %0\n"
                                               "}\n"
                                               "%0 = const 0 : int\n"
                                               "result %0\n";

#define CHECK_RECORDS(text, which, ...)                                                            \
    check_graph(declarations, text, which, (const char *const[]){__VA_ARGS__, NULL})

#define I "((i (lo a 0) (hi a 0)))"
#define IJ "((i (lo a 0) (hi a 0)) (j (lo a 1) (hi a 1)))"
#define K "((k (lo a 1) (hi a 1)))"

START_TEST(arrays) /* read, made and stored, whole and by field */
{
    CHECK_RECORDS("(let " I " (a i))", MOST | PLAIN, "a:Pair(1)", "a:Pair(5+33)", "a:Pair(0)");
    CHECK_RECORDS("(let " I " (field 1 (a i)))", BOTH, "a:Pair(1)", "a:Pair(-3+50)");
    CHECK_RECORDS("(let " IJ " (make Pair (mul (field 0 (a i j)) s) (add i j)))", BOTH | PLAIN,
                  "a:Pair(3,5) s:float=2", "a:Pair(17,40) s:float=2", "a:Pair(0,4) s:float=2");
    CHECK_RECORDS("(let " I " (make Nest (a i) (conv double (field 0 (a i))) (lt (field 1 (a i)) "
                  "0)))",
                  BOTH, "a:Pair(3)", "a:Pair(77)");
    CHECK_RECORDS("(let " I
                  " (select (field 2 (a i)) (field 0 (a i)) (make Pair (conv float (field "
                  "1 (a i))) i)))",
                  BOTH, "a:Nest(3)", "a:Nest(77)");
    CHECK_RECORDS(
        "(let ((i (lo s 0) (hi s 0))) (eq (mul (field 1 (field 0 (a i))) (select (lt i 4) i "
        "(field 1 (field 0 (a i))))) (div (select (field 2 (a i)) 2 (field 1 (field 0 (a i)))) "
        "(select (lt i 4) (field 1 (b i)) (field 1 (b i))))))",
        ON_CPU | AUTO, "s:float(13) b:Pair(13) a:Nest(13)"); /* shared by branches, needed */
    CHECK_RECORDS("(let " I " (make Small (lnot (field 0 (a i))) (field 1 (a i)) (field 2 (a i)) "
                  "(field 3 (a i))))",
                  BOTH, "a:Small(3)", "a:Small(131)");
    CHECK_RECORDS("(let " I " (field 0 (a (p i))))", BOTH, "a:Pair(9) p:int(9)%9",
                  "a:Pair(9) p:int(9)%12");
    CHECK_RECORDS("(make Pair (sum " I " (field 0 (a i))) 3)", BOTH, "a:Pair(9)", "a:Pair(40000)");
}
END_TEST

#define JK "((j (lo a 0) (hi a 0)) (k (lo b 1) (hi b 1)))"
#define L "((l (lo a 1) (hi a 1)))"

START_TEST(products) /* of fields: contractions whose operands are planes */
{
    CHECK_RECORDS("(let " JK " (sum " L " (mul (field 0 (a j l)) (field 0 (b l k)))))", EVERY,
                  "a:Pair(3,5) b:Pair(5,2)", "a:Pair(40,33) b:Pair(33,50)");
    CHECK_RECORDS("(let " JK " (add (field 0 (c j k)) (sum " L
                  " (sub (mul (field 0 (a j l)) (field 0 (b l k))) (conv float (field 1 (a j "
                  "l)))))))",
                  MOST, "a:Pair(3,5) b:Pair(5,2) c:Pair(3,2)",
                  "a:Pair(40,33) b:Pair(33,50) c:Pair(40,50)");
    CHECK_RECORDS("(let " JK " (make Pair (sum " L
                  " (mul (field 0 (a j l)) (field 0 (b l k)))) (add "
                  "j k)))",
                  MOST, "a:Pair(3,5) b:Pair(5,2)", "a:Pair(40,33) b:Pair(33,50)");
    CHECK_RECORDS("(let ((i (lo a 0) (hi a 0))) (make Pair (sum " L
                  " (field 0 (a i l))) (field 1 (a "
                  "i 0))))",
                  BOTH, "a:Pair(3,5)", "a:Pair(4,3000)");
}
END_TEST

START_TEST(functions)
{
    CHECK_RECORDS("(let " I " (spin (best (a i) (b i)) 3))", BOTH | PLAIN, "a:Pair(40) b:Pair(40)");
    CHECK_RECORDS("(let " I " (field 0 (nest (a i) (b i))))", BOTH, "a:Pair(40) b:Pair(40)");
    CHECK_RECORDS("(let " I " (nest (field 0 (a i)) (last (b i) (field 0 (a i)))))", BOTH,
                  "a:Nest(40) b:Pair(40)");
}
END_TEST

START_TEST(reductions)
{
    CHECK_RECORDS("(by best " I " (a i))", BOTH | PLAIN | EXACT, "a:Pair(1)", "a:Pair(3)");
    CHECK_RECORDS("(by best " I " (a i))", BOTH | PLAIN, "a:Pair(1)", "a:Pair(511)",
                  "a:Pair(5+100003)", "a:Pair(0)");
    CHECK_RECORDS("(by last " I " (a i))", BOTH, "a:Pair(0)", "a:Pair(7)", "a:Pair(5000)");
    CHECK_RECORDS("(by first " I " (a i))", BOTH, "a:int(0)", "a:int(7)", "a:int(5000)");
    CHECK_RECORDS("(field 1 (by best " I " (make Pair (a i) i)))", BOTH, "a:float(40)",
                  "a:float(100+3000)");
    CHECK_RECORDS("(let ((i (lo a 0) (hi a 0))) (by last " K " (a i k)))", BOTH, "a:Pair(3,5)",
                  "a:Pair(7,2000)", "a:Pair(3,0)", "a:Pair(0,3)");
    CHECK_RECORDS("(let ((i (lo a 0) (hi a 0))) (by best ((k (lo p 0) (hi p 0))) (a i (p k))))",
                  BOTH, "a:Pair(3,5) p:int(1000)%5", "a:Pair(3,5) p:int(1000)%6",
                  "a:Pair(3,5) p:int(0)");
    CHECK_RECORDS("(let " IJ " (by best ((k i (hi a 1))) (make Pair (field 0 (a i k)) j)))", BOTH,
                  "a:Pair(6,6)", "a:Pair(6,5)");
}
END_TEST

START_TEST(folds)
{
    CHECK_RECORDS("(fold count 1 " I " (a i))", BOTH | PLAIN, "a:Pair(0)", "a:Pair(7)",
                  "a:Pair(900)");
    CHECK_RECORDS("(let ((i (lo a 0) (hi a 0))) (fold gather (make Pair 0.5f i) " K " (a i k)))",
                  BOTH, "a:float(3,5)", "a:float(33,200)", "a:float(3,0)");
    CHECK_RECORDS("(let ((i (lo a 0) (hi a 0))) (fold sub 4 " K " (a i k)))", BOTH | P2,
                  "a:int(3,5)", "a:int(33,200)", "a:int(3,0)");
    CHECK_RECORDS("(let ((j (lo a 1) (hi a 1))) (fold sub (a (conv int (lo a 0)) j) ((i (lo a 0) "
                  "(hi a 0))) (a i "
                  "j)))",
                  BOTH, "a:int(3,5)", "a:int(33,200)");
    CHECK_RECORDS("(fold add 4.5f " I " (a i))", BOTH, "a:float(3)", "a:float(3333)");
}
END_TEST

#define S(body) "(rec s float +0 ((i (lo a 0) (hi a 0) given)) " body ")"

START_TEST(recurrences)
{
    CHECK_RECORDS(S("(select (eq (sub i (conv int (lo a 0))) 0) (a i) (add (s (sub i 1)) (a i)))"),
                  BOTH | PLAIN | P2, "a:float(1)", "a:float(5+300)", "a:float(0)");
    CHECK_RECORDS(S("(add (s (sub i 1)) (a i))"), BOTH, "a:float(4)");
    CHECK_RECORDS("(rec s float -0 ((i (lo a 0) (hi a 0) given)) (select (ge (add i 1) n) (a i) "
                  "(sub (a i) (s (add i 1)))))",
                  BOTH, "a:float(40) n:int=40", "a:float(40) n:int=41");
    /* independent along j: a line each */
    CHECK_RECORDS("(rec s float +0+1 ((i (lo a 0) (hi a 0) given) (j (lo a 1) (hi a 1) given)) "
                  "(select (le i (conv int (lo a 0))) (a i j) (add (s (sub i 1) j) (a i j))))",
                  BOTH, "a:float(4,1)", "a:float(-2+30,7+70)");
    /* edit distance */
    CHECK_RECORDS("(rec s int +0+1 ((i 0 (hi a 0) given) (j 0 (hi b 0) given)) (select (eq i 0) j "
                  "(select (eq j 0) i (min (add 1 (min (s (sub i 1) j) (s i (sub j 1)))) (add (s "
                  "(sub i 1) (sub j 1)) (select (eq (a i) (b j)) 0 1))))))",
                  BOTH, "a:int(1) b:int(1)", "a:int(30)%3 b:int(41)%3");
    /* inner reductions: forward substitution, sums of all before */
    CHECK_RECORDS(
        "(rec s int +0 ((i 0 (hi b 0) given)) (sub (b i) (sum ((j 0 i given)) (mul (a i j) "
        "(s j)))))",
        BOTH, "a:int(1,1) b:int(1)", "a:int(9,9)%2 b:int(9)%3");
    /* one up, one down, the second outermost */
    CHECK_RECORDS(
        "(rec s int -1+0 ((i 0 (hi a 0) given) (j 0 (hi a 1) given)) (add (a i j) (select "
        "(lt (add j 1) (conv int (hi a 1))) (select (eq i 0) 1 (s (sub i 1) (add j 1))) "
        "(select (eq i 0) 2 (mul 2 (s (sub i 1) j))))))",
        BOTH, "a:int(3,4)", "a:int(7,5)");
    /* of records */
    CHECK_RECORDS(
        "(rec s Pair +0 ((i 0 (hi a 0) given)) (select (lt i 2) (a i) (make Pair (field 0 "
        "(s (sub i 2))) (add (field 1 (s (sub i 1))) (field 1 (a i))))))",
        BOTH, "a:Pair(1)", "a:Pair(100)");
    CHECK_RECORDS(
        "(rec s Pair +0 ((i 0 (hi a 0) given)) (select (eq i 0) (a i) (best (a i) (s (sub i "
        "1)))))",
        BOTH, "a:Pair(100)");
}
END_TEST

#define V(type, body)                                                                              \
    "(rec s " type                                                                                 \
    " +0 ((i (lo a 0) (hi a 0) given)) (select (le i (conv int (lo a 0))) (a i) " body "))"

START_TEST(scans) /* steps taken together: in lanes, in parts, along lines */
{
    CHECK_RECORDS(V("int", "(add (s (sub i 1)) (a i))"), BOTH | PLAIN, "a:int(-3+2000)",
                  "a:int(7+40001)");
    CHECK_RECORDS(V("int", "(s (sub i 1))"), BOTH, "a:int(3000)"); /* a step without numbers */
    CHECK_RECORDS(V("int", "(sub (a i) (mul (s (sub i 1)) (sub i m)))"), BOTH,
                  "a:int(-3+2000) m:int=7", "a:int(40001) m:int=0");
    CHECK_RECORDS(V("long", "(select (eq (rem i 5) 0) (a i) (max (s (sub i 1)) (a i)))"), BOTH,
                  "a:long(1500)", "a:long(2+40001)");
    CHECK_RECORDS(V("double", "(add (mul (s (sub i 1)) x) (a i))"), BOTH,
                  "a:double(2000) x:double=0", "a:double(40001) x:double=1");
    CHECK_RECORDS(V("float", "(mul (s (sub i 1)) x)"), BOTH, "a:float(2000) x:float=0",
                  "a:float(40001) x:float=1");
    CHECK_RECORDS("(rec s int -0+1 ((i (lo a 0) (hi a 0) given) (j (lo a 1) (hi a 1) given)) "
                  "(select (ge i m) (a i j) (add (s (add i 1) j) (a i j))))",
                  BOTH, "a:int(4,700) m:int=3", "a:int(-2+200,7+70) m:int=190",
                  "a:int(40,3) m:int=39");
    CHECK_RECORDS("(rec s int +0-1 ((i (lo a 0) (hi a 0) given) (j (lo a 1) (hi a 1) given)) "
                  "(select (ge j m) (a i j) (add (s i (add j 1)) (a i j))))",
                  BOTH, "a:int(4,700) m:int=650", "a:int(-2+3,20000) m:int=19999",
                  "a:int(40,30) m:int=-1");
    /* more than one element back, and no scan */
    CHECK_RECORDS("(rec s int +0 ((i (lo a 0) (hi a 0) given)) (select (lt i 3) (a i) (add (mul (s "
                  "(sub i 1)) (s (sub i 3))) (a i))))",
                  BOTH, "a:int(2000)", "a:int(2+2000)");
}
END_TEST

START_TEST(waves) /* rows in lanes, tiles */
{
    CHECK_RECORDS("(rec s int +0+1 ((i 0 (hi a 0) given) (j 0 (hi b 0) given)) (select (eq i 0) j "
                  "(select (eq j 0) i (min (add 1 (min (s (sub i 1) j) (s i (sub j 1)))) (add (s "
                  "(sub i 1) (sub j 1)) (select (eq (a i) (b j)) 0 1))))))",
                  BOTH, "a:int(60)%3 b:int(61)%3", "a:int(9)%3 b:int(1100)%3");
    CHECK_RECORDS("(rec s int -0+1 ((i (lo a 0) (hi a 0) given) (j (lo a 1) (hi a 1) given)) "
                  "(select (lor (ge i m) (lt j 2)) (a i j) (add (mul 3 (s (add i 1) (sub j 2))) "
                  "(sub (s i (sub j 1)) (a i j)))))",
                  BOTH, "a:int(60,61) m:int=59", "a:int(-5+40,-1+700) m:int=34");
}
END_TEST

/* ---- random graphs --------------------------------------------------------------------------- */

enum Kind { REAL, WHOLE, TRUTH, PAIR, NEST };

static void random_expr(Random *r, enum Kind kind, int depth);

static void apply(Random *r, const char *fn, int depth, int n, const enum Kind *args)
{
    text_printf(&r->out, "(%s", fn);
    for (int i = 0; i < n; i++) {
        text_add(&r->out, " ");
        random_expr(r, args[i], depth - 1);
    }
    text_add(&r->out, ")");
}

/* A range with a variable v, then the operand. */
static void over(Random *r, const char *fn, enum Kind operand, int depth)
{
    static const char *const ranges[] = {"0 3", "(lo a 0) (hi a 0)", "0 (add i 1)", "0 m"};
    int which = pick(r, 4);
    text_printf(&r->out, "(%s ((v %s)) ", fn, ranges[which]);
    r->around++;
    random_expr(r, operand, depth - 2);
    r->around--;
    text_add(&r->out, ")");
}

static void random_leaf(Random *r, enum Kind kind)
{
    static const char *const leaves[][4] = {
        [REAL] = {"0.5f", "x", "(a i)", "(field 0 (p i))"},
        [WHOLE] = {"2", "i", "(field 1 (p i))", "(field 1 (field 0 (q i)))"},
        [TRUTH] = {"(le m i)", "(lt i 4)", "(field 2 (q i))", "(lt (a i) x)"},
        [PAIR] = {"(p i)", "(make Pair x i)", "(field 0 (q i))", "(p (rem i 3))"},
        [NEST] = {"(q i)", "(q i)", "(nest (p i) (p 0))", "(make Nest (p i) 0.25 false)"}};
    int which = pick(r, 4);
    text_add(&r->out, r->around && kind == WHOLE && which == 1 ? "v" : leaves[kind][which]);
}

static void random_expr(Random *r, enum Kind kind, int depth)
{
    typedef struct Form {
        enum Kind kind;
        const char *fn;
        int n;
        enum Kind args[3];
    } Form;
    static const Form forms[] = {{REAL, "add", 2, {REAL, REAL}},
                                 {REAL, "sub", 2, {REAL, REAL}},
                                 {REAL, "min", 2, {REAL, REAL}},
                                 {REAL, "field 0", 1, {PAIR}},
                                 {REAL, "conv float", 1, {WHOLE}},
                                 {REAL, "select", 3, {TRUTH, REAL, REAL}},
                                 {WHOLE, "add", 2, {WHOLE, WHOLE}},
                                 {WHOLE, "mul", 2, {WHOLE, WHOLE}},
                                 {WHOLE, "div", 2, {WHOLE, WHOLE}},
                                 {WHOLE, "field 1", 1, {PAIR}},
                                 {WHOLE, "select", 3, {TRUTH, WHOLE, WHOLE}},
                                 {WHOLE, "count", 2, {WHOLE, PAIR}},
                                 {TRUTH, "lt", 2, {REAL, REAL}},
                                 {TRUTH, "eq", 2, {WHOLE, WHOLE}},
                                 {TRUTH, "land", 2, {TRUTH, TRUTH}},
                                 {TRUTH, "lor", 2, {TRUTH, TRUTH}},
                                 {TRUTH, "field 2", 1, {NEST}},
                                 {PAIR, "make Pair", 2, {REAL, WHOLE}},
                                 {PAIR, "select", 3, {TRUTH, PAIR, PAIR}},
                                 {PAIR, "best", 2, {PAIR, PAIR}},
                                 {PAIR, "field 0", 1, {NEST}},
                                 {PAIR, "gather", 2, {PAIR, REAL}},
                                 {NEST, "nest", 2, {PAIR, PAIR}},
                                 {NEST, "select", 3, {TRUTH, NEST, NEST}}};
    enum { COUNT = sizeof forms / sizeof *forms };
    if (depth <= 0) {
        random_leaf(r, kind);
        return;
    }
    if (depth > 1 && !r->around && pick(r, 4) == 0) {
        if (kind == REAL) over(r, pick(r, 2) ? "sum" : "least", REAL, depth);
        if (kind == WHOLE)
            pick(r, 2) ? over(r, "fold count 3", PAIR, depth) : over(r, "by first", WHOLE, depth);
        if (kind == PAIR)
            over(r,
                 pick(r, 2)   ? "by best"
                 : pick(r, 2) ? "by last"
                              : "fold best (p 0)",
                 PAIR, depth);
        if (kind == TRUTH) over(r, "any", TRUTH, depth);
        if (kind != NEST) return;
    }
    for (;;) {
        const Form *f = &forms[pick(r, COUNT)];
        if (f->kind != kind) continue;
        apply(r, f->fn, depth, f->n, f->args);
        return;
    }
}

START_TEST(random_graphs)
{
    RandomSeeds seeds = random_seeds(24);
    for (int seed = seeds.first; seed < seeds.end; seed++) {
        Random r = random_begin(seed);
        enum Kind kind = (enum Kind)pick(&r, 5);
        static const char *const types[] = {"float", "int", "bool", "Pair", "Nest"};
        bool recurrence = pick(&r, 4) == 0;
        if (recurrence)
            text_printf(&r.out, "(rec s %s +0 ((i 0 (hi a 0) given)) (select (lt i 2) ",
                        types[kind]);
        else
            text_add(&r.out, "(let ((i (lo a 0) (hi a 0))) ");
        random_expr(&r, kind, 1 + pick(&r, 4));
        if (recurrence)
            text_printf(&r.out, " (s (sub i %d))))", 1 + pick(&r, 5) / 2);
        else
            text_add(&r.out, ")");
        static const char *const specs[] = {
            "a:float(13) p:Pair(13) q:Nest(13) x:float=0.5 m:int=2",
            "a:float(1) p:Pair(1) q:Nest(1) x:float=-1 m:int=0",
            "a:float(40) p:Pair(40) q:Nest(40) x:float=0.125 m:int=5", NULL};
        random_check(&seeds, seed, &r, declarations, BOTH, specs);
    }
}
END_TEST

int main(void)
{
    const struct {
        const char *name;
        const TTest *test;
    } tests[] = {{"arrays", arrays},         {"products", products}, {"functions", functions},
                 {"reductions", reductions}, {"folds", folds},       {"recurrences", recurrences},
                 {"scans", scans},           {"waves", waves},       {"random", random_graphs}};
    Suite *s = suite_create("codegen, records");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        TCase *t = tcase_create(tests[i].name);
        tcase_set_timeout(t, 240);
        tcase_add_test(t, tests[i].test);
        suite_add_tcase(s, t);
    }
    return run_suite_here(s);
}
