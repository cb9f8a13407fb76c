/* Domains of graphs and the bounds of their ranges. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "fdag_graph.h"

static const FdLoc nowhere = {0, 0};

START_TEST(boxes_of_the_interior)
{
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, neighbours);
    FdError error;
    FdBox boxes[1] = {{.rank = 1}}, box;
    FdEnv env = {.boxes = boxes};
    ck_assert(fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL));
    boxes[0].dim[0].hi = 10;
    ck_assert_int_eq(fd_eval_box(fd, fd_root(g), &env, &box), FD_BOUND_OK);
    ck_assert_int_eq(box.dim[0].lo, 1);
    ck_assert_int_eq(box.dim[0].hi, 9);
    boxes[0].dim[0].hi = 1; /* too small for an interior: empty */
    ck_assert_int_eq(fd_eval_box(fd, fd_root(g), &env, &box), FD_BOUND_OK);
    ck_assert_int_eq(box.dim[0].lo, box.dim[0].hi);
    boxes[0].dim[0].full = true;
    ck_assert_int_eq(fd_eval_box(fd, fd_root(g), &env, &box), FD_BOUND_OK);
    ck_assert(box.dim[0].full);
    fd_free(fd);
}
END_TEST

/* u(c * i + d) with u over [lo, hi): every index inside is kept, and none outside. */
START_TEST(affine_ranges_are_exact)
{
    for (int64_t c = -4; c <= 4; c++)
        for (int64_t d = -3; d <= 3; d++) {
            if (c == 0) continue;
            char text[512];
            snprintf(
                text, sizeof text,
                "%%0 = slot 0 \"u\" : array int(int)\n%%1 = var \"i\" : int\n"
                "%%2 = const %d : int\n%%3 = const %d : int\n"
                "%%4 = apply @mul (%%1, %%2) : int\n%%5 = apply @add (%%4, %%3) : int\n"
                "%%6 = apply %%0 (%%5) : int\n%%7 = let (%%1 : open) %%6 : int(int)\nresult %%7\n",
                (int)c, (int)d);
            Fd *fd = fd_new();
            FdGraph *g = read_graph(fd, text);
            FdError error;
            ck_assert(fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL));
            for (int64_t lo = -5; lo < 3; lo++)
                for (int64_t hi = lo; hi < lo + 9; hi++) {
                    FdBox boxes[1] = {{.rank = 1, .dim = {{false, lo, hi}}}}, box;
                    FdEnv env = {.boxes = boxes};
                    ck_assert_int_eq(fd_eval_box(fd, fd_root(g), &env, &box), FD_BOUND_OK);
                    int wrong = 0; /* one assertion a range: each is logged */
                    for (int64_t i = -20; i < 20; i++) {
                        bool inside = c * i + d >= lo && c * i + d < hi;
                        wrong += inside != (i >= box.dim[0].lo && i < box.dim[0].hi);
                    }
                    ck_assert_int_eq(wrong, 0);
                }
            fd_free(fd);
        }
}
END_TEST

START_TEST(bounds_report_what_is_missing)
{
    Fd *fd = fd_new();
    const FdType *t = fd_type_scalar(fd, SC_INT);
    ScalarValue scalars[1] = {{.i = 0}};
    FdEnv env = {.scalars = scalars};
    int64_t out;
    const FdNode *n = fd_slot(fd, 0, t, "n"), *args[2] = {fd_int(fd, 6), n};
    const FdNode *quotient = fd_apply_op(fd, FD_OP_DIV, SC_INT, 2, args, nowhere);
    ck_assert_int_eq(fd_eval_bound(quotient, &env, &out), FD_BOUND_DIVIDE_BY_ZERO);
    scalars[0].i = 4;
    ck_assert_int_eq(fd_eval_bound(quotient, &env, &out), FD_BOUND_OK);
    ck_assert_int_eq(out, 1);
    ck_assert_int_eq(fd_eval_bound(fd_var(fd, t, "i"), &env, &out), FD_BOUND_OPEN);
    const FdNode *sin_args[2] = {fd_op(fd, FD_OP_SIN, fd_type_read(fd, "float(float)")),
                                 fd_int(fd, 0)};
    const FdNode *upper = fd_apply_op(fd, FD_OP_UPPER, SC_LONG, 2, sin_args, nowhere);
    ck_assert_int_eq(fd_eval_bound(upper, &env, &out), FD_BOUND_INFINITE);
    const FdNode *min_args[2] = {upper, fd_long(fd, 7)};
    const FdNode *min = fd_apply_op(fd, FD_OP_MIN, SC_LONG, 2, min_args, nowhere);
    ck_assert_int_eq(fd_eval_bound(min, &env, &out), FD_BOUND_OK);
    ck_assert_int_eq(out, 7);
    ck_assert_int_eq(fd_domain(fd, sin_args[0], 0).kind, FD_DOM_FULL);
    fd_free(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fdag");
    TCase *c = tcase_create("fdag");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, boxes_of_the_interior);
    tcase_add_test(c, affine_ranges_are_exact);
    tcase_add_test(c, bounds_report_what_is_missing);
    suite_add_tcase(s, c);
    return run_suite(s);
}
