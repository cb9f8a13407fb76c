/* The affine form: which indices domain inference vouches for, and what follows from facts. Ranges. */
#include <check.h>
#include <stdlib.h>

#include "../../../fdag/index/facts/facts.h"
#include "../../../fdag/index/facts/range.h"
#include "../suite.h"

static const FdLoc nowhere = {0, 0};
static Fd *fd;
static const FdNode *i, *j, *n; /* i inferred, j given, n a slot */
static FdDom inferred, given;

static void setup(void)
{
    const FdType *t;
    fd = fd_new();
    t = fd_type_scalar(fd, SC_INT);
    i = fd_var(fd, t, "i");
    j = fd_var(fd, t, "j");
    n = fd_slot(fd, 0, t, "n");
    inferred = (FdDom){FD_DOM_INFERRED, fd_int(fd, 0), n};
    given = (FdDom){FD_DOM_GIVEN, fd_int(fd, 0), n};
}

static void teardown(void)
{
    fd_free(fd);
}

static const FdNode *op(FdOp o, const FdNode *a, const FdNode *b)
{
    const FdNode *args[] = {a, b};
    return fd_apply_op(fd, o, fd_op_compares(o) ? SC_BOOL : SC_INT, b ? 2 : 1, args, nowhere);
}

static const FdDom *range_of(const void *ctx, const FdNode *var)
{
    (void)ctx;
    return var == i ? &inferred : var == j ? &given : NULL;
}

static bool nothing_known(const void *ctx, const FdNode *atom)
{
    (void)ctx;
    (void)atom;
    return false;
}

static bool is_inferred(const FdNode *index)
{
    return fd_index_inferred(index, range_of, NULL, NULL);
}

START_TEST(inferred_indices)
{
    ck_assert(is_inferred(i));
    ck_assert(is_inferred(op(FD_OP_ADD, op(FD_OP_MUL, fd_int(fd, 3), i), n)));
    ck_assert(is_inferred(op(FD_OP_SUB, fd_int(fd, 7), i)));
    ck_assert(!is_inferred(fd_int(fd, 5))); /* nothing narrowed anything */
    ck_assert(!is_inferred(n));
    ck_assert(!is_inferred(op(FD_OP_SUB, i, i)));
    ck_assert(!is_inferred(j));
    ck_assert(!is_inferred(op(FD_OP_ADD, i, j)));
    ck_assert(!is_inferred(op(FD_OP_MUL, i, i)));
    ck_assert(!is_inferred(op(FD_OP_GIVEN, i, NULL)));
    ck_assert(!is_inferred(op(FD_OP_ADD, op(FD_OP_GIVEN, i, NULL), n)));
    const FdNode *a = fd_slot(fd, 1, fd_type_array(fd, SC_INT, 1), "a");
    ck_assert(!is_inferred(op(FD_OP_ADD, i, fd_apply(fd, a, 1, &n, nowhere))));
    const FdNode *free = fd_var(fd, i->type, "k");
    ck_assert(!is_inferred(op(FD_OP_ADD, i, free)));
}
END_TEST

START_TEST(who_asks_says_what_is_known)
{
    const FdNode *moved = op(FD_OP_ADD, i, n);
    ck_assert(fd_index_inferred(moved, range_of, NULL, NULL));
    ck_assert(!fd_index_inferred(moved, range_of, nothing_known, NULL));
    ck_assert(fd_index_inferred(i, range_of, nothing_known, NULL));
}
END_TEST

/* i in 0..n - k, k in 0..3 */
static const FdNode *lag;
static FdDom shorter, lags;

static const FdDom *lagged(const void *ctx, const FdNode *var)
{
    (void)ctx;
    return var == i ? &shorter : var == lag ? &lags : NULL;
}

START_TEST(ends_that_cancel)
{
    lag = fd_var(fd, i->type, "lag");
    shorter = (FdDom){FD_DOM_GIVEN, fd_int(fd, 0), op(FD_OP_SUB, n, lag)};
    lags = (FdDom){FD_DOM_GIVEN, fd_int(fd, 0), fd_int(fd, 3)};
    const FdNode *x = fd_extreme(fd, op(FD_OP_ADD, i, lag), true, lagged, NULL);
    Text t = {0};
    fd_print_expr(&t, x);
    ck_assert_str_eq(t.data, "(long) n - 1");
    text_free(&t);
    x = fd_extreme(fd, op(FD_OP_ADD, i, lag), false, lagged, NULL);
    ck_assert(fd_is_const(x) && x->value.i == 0);
    x = fd_extreme(fd, i, true, lagged, NULL); /* no other term to cancel */
    t = (Text){0};
    fd_print_expr(&t, x);
    ck_assert_str_eq(t.data, "(long) n - 1");
    text_free(&t);
}
END_TEST

/* Is i + 2 an int where the range is this one, and `fact` (NULL: nothing) is at most 0? */
static bool plus_2_fits(const FdDom *dom, const FdAffine *fact)
{
    FdAffine form;
    FdFacts *f = fd_facts_new(fd, 1, &i, dom, i);
    ck_assert(fd_affine(op(FD_OP_ADD, i, fd_int(fd, 2)), &form));
    form.constant -= INT32_MAX;
    if (fact) fd_fact(f, fact);
    bool fits = fd_shown(f, &form);
    fd_facts_free(f);
    return fits;
}

START_TEST(answers_are_of_what_was_known)
{
    FdDom dom = inferred, narrow = dom;
    FdExact exact;
    FdAffine small;
    const FdNode *cond = op(FD_OP_LT, op(FD_OP_ADD, i, fd_int(fd, 2)), fd_int(fd, 5));
    fd_where(fd, cond, true, 1, &i, &narrow, &exact); /* asks it where i + 2 < 5 */
    ck_assert_int_eq(exact.n, 0);
    ck_assert(narrow.hi != dom.hi && plus_2_fits(&narrow, NULL));
    ck_assert(!plus_2_fits(&dom, NULL));
    ck_assert(fd_affine(op(FD_OP_SUB, i, fd_int(fd, 7)), &small));
    ck_assert(plus_2_fits(&dom, &small));
    ck_assert(!plus_2_fits(&dom, NULL));
    ck_assert(plus_2_fits(&dom, &small));
}
END_TEST

START_TEST(unequal_cuts_an_end)
{
    const FdNode *first = op(FD_OP_EQ, i, fd_int(fd, 0)), *inner = op(FD_OP_EQ, i, fd_int(fd, 3));
    FdDom dom = {FD_DOM_GIVEN, fd_long(fd, 0), fd_long(fd, 10)}, cut = dom;
    FdExact exact;
    fd_where(fd, first, false, 1, &i, &cut, &exact);
    ck_assert(cut.lo == fd_long(fd, 1) && cut.hi == dom.hi);
    fd_where(fd, op(FD_OP_NE, i, fd_int(fd, 9)), true, 1, &i, &cut, &exact);
    ck_assert(cut.lo == fd_long(fd, 1) && cut.hi == fd_long(fd, 9));
    fd_where(fd, inner, false, 1, &i, &cut, &exact);
    ck_assert(cut.lo == fd_long(fd, 1) && cut.hi == fd_long(fd, 9));
    fd_where(fd, inner, true, 1, &i, &cut, &exact);
    ck_assert(cut.lo == fd_long(fd, 3) && cut.hi == fd_long(fd, 4));
}
END_TEST

/* ---- ranges ------------------------------------------------------------------------------ */

static const FdSpan bases[2] = {{0, 3}, {2, 4}};
static int64_t at_bases[2]; /* where they are */

static int64_t below(int64_t most)
{
    return rand() % most;
}

static FdRange random_range(void)
{
    int64_t lo = below(9) - 5, hi = lo + below(4), above = hi + below(4), from = below(5) - 2;
    FdSpans first = fd_spans(lo, hi), second = fd_spans(above, above + below(3));
    FdRange r = fd_range(fd_spans_join(&first, &second));
    r.base = (uint32_t)below(3);
    r.from = r.base && below(4) ? from : INT64_MIN;
    r.to = r.base && below(4) ? from + below(4) : INT64_MAX;
    return r;
}

static bool is_in(const FdRange *r, int64_t x)
{
    FdSpans one = fd_spans(x, x);
    if (r->base && r->from > INT64_MIN && x < at_bases[r->base - 1] + r->from) return false;
    if (r->base && r->to < INT64_MAX && x > at_bases[r->base - 1] + r->to) return false;
    return fd_spans_meet(&one, &r->is).n > 0;
}

/* Whatever two numbers and bases are, what an operation gives lies where its range says. */
static void expect_sound(FdOp o, const FdRange *a, const FdRange *b)
{
    enum { FAR = 13 };
    FdRange made[] = {fd_range_op(o, SC_COUNT, a, b, NULL), fd_range_op(o, SC_COUNT, a, b, bases),
                      fd_range_op(o, SC_INT, a, b, bases)};
    int is = fd_range_compare(o, a, b);
    for (at_bases[0] = bases[0].lo; at_bases[0] <= bases[0].hi; at_bases[0]++)
        for (at_bases[1] = bases[1].lo; at_bases[1] <= bases[1].hi; at_bases[1]++)
            for (int64_t x = -FAR; x <= FAR; x++)
                for (int64_t y = -FAR; is_in(a, x) && y <= FAR; y++) {
                    ScalarValue args[] = {{.i = x}, {.i = y}}, out;
                    if (!is_in(b, y)) continue;
                    if (fd_op_eval(o, SC_LONG, SC_LONG, args, &out) != FD_EVAL_OK) continue;
                    if (fd_op_compares(o)) ck_assert(is < 0 || is == out.i);
                    for (int k = 0; !fd_op_compares(o) && k < 3; k++)
                        ck_assert_msg(is_in(&made[k], out.i), "%s of %ld, %ld is %ld (%d)",
                                      fd_op_info(o)->text, (long)x, (long)y, (long)out.i, k);
                }
}

START_TEST(ranges_hold_what_comes)
{
    static const FdOp ops[] = {FD_OP_ADD, FD_OP_SUB, FD_OP_MUL, FD_OP_DIV, FD_OP_REM,
                               FD_OP_MIN, FD_OP_MAX, FD_OP_LT,  FD_OP_LE,  FD_OP_GT,
                               FD_OP_GE,  FD_OP_EQ,  FD_OP_NE};
    srand(25);
    for (int k = 0; k < 20; k++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++) {
            FdRange a = random_range(), b = random_range();
            expect_sound(ops[o], &a, &b);
        }
}
END_TEST

static void expect_hull(const FdRange *r, int64_t lo, int64_t hi)
{
    FdSpan is = fd_spans_hull(&r->is);
    ck_assert_int_eq(is.lo, lo);
    ck_assert_int_eq(is.hi, hi);
}

/* What is known of them is not lost: bases cancel, and what has no end keeps the other. */
START_TEST(ranges_say_enough)
{
    FdRange x = fd_range_near(7, 3), y = fd_range_near(7, -1), z = fd_range_near(8, 0),
            many = fd_range(fd_spans(0, INT64_MAX)), c = fd_range(fd_spans(2, 5)), r;
    r = fd_range_op(FD_OP_SUB, SC_COUNT, &x, &y, NULL);
    expect_hull(&r, 4, 4);
    ck_assert_int_eq(fd_range_compare(FD_OP_GT, &x, &y), 1);
    ck_assert_int_eq(fd_range_compare(FD_OP_EQ, &x, &y), 0);
    ck_assert_int_eq(fd_range_compare(FD_OP_EQ, &x, &x), 1);
    ck_assert_int_eq(fd_range_compare(FD_OP_LT, &x, &z), -1);
    r = fd_range_op(FD_OP_MIN, SC_COUNT, &x, &c, NULL);
    ck_assert(r.base == 7 && r.from == INT64_MIN && r.to == 3);
    expect_hull(&r, INT64_MIN, 5);
    r = fd_range_op(FD_OP_MAX, SC_COUNT, &z, &c, NULL);
    ck_assert(r.base == 8 && r.from == 0 && r.to == INT64_MAX);
    r = fd_range_op(FD_OP_MUL, SC_COUNT, &many, &c, NULL);
    expect_hull(&r, 0, INT64_MAX);
    r = fd_range_op(FD_OP_ADD, SC_COUNT, &many, &c, NULL);
    expect_hull(&r, 2, INT64_MAX);
    r = fd_range_op(FD_OP_ADD, SC_INT, &many, &c, NULL); /* wraps */
    expect_hull(&r, INT32_MIN, INT32_MAX);
    r = fd_range_join(&x, &y);
    ck_assert(r.base == 7 && r.from == -1 && r.to == 3);
    ck_assert(fd_range_join(&x, &z).base == 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("affine");
    TCase *c = tcase_create("affine");
    tcase_add_checked_fixture(c, setup, teardown);
    tcase_add_test(c, inferred_indices);
    tcase_add_test(c, unequal_cuts_an_end);
    tcase_add_test(c, who_asks_says_what_is_known);
    tcase_add_test(c, ends_that_cancel);
    tcase_add_test(c, answers_are_of_what_was_known);
    tcase_add_test(c, ranges_hold_what_comes);
    tcase_add_test(c, ranges_say_enough);
    suite_add_tcase(s, c);
    return run_suite(s);
}
