/* Generated kernels against a plain evaluation of the same graphs, on the OpenCL device at hand,
 * for both families and every tile.
 */
#include "codegen_run.h"

#define MATMUL                                                                                     \
    "(let ((j (lo a 0) (hi a 0)) (k (lo b 1) (hi b 1)))"                                           \
    " (sum ((l (lo a 1) (hi a 1))) (mul (a j l) (b l k))))"

START_TEST(matmul_cpu)
{
    CHECK_GRAPH(MATMUL, ON_CPU | AUTO | PLAIN | PAPER, "a:float(1,1) b:float(1,1)",
                "a:float(1,7) b:float(7,1)", "a:float(3,5) b:float(5,2)",
                "a:float(16,16) b:float(16,16)", "a:float(127,33) b:float(33,129)",
                "a:float(64,1) b:float(1,64)");
}
END_TEST

int main(void)
{
    Suite *s = suite_create("codegen");
    TCase *t = tcase_create("kernels");
    tcase_set_timeout(t, 120);
    tcase_add_test(t, matmul_cpu);
    suite_add_tcase(s, t);
    SRunner *r = srunner_create(s);
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}
