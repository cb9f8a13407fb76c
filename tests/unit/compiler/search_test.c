/* The climb of csc tune, over times that are made up. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/arena.h"
#include "../../../driver/measure/search.h"
#include "../suite.h"

static int64_t value_of(const char *set, const char *name, int64_t usual)
{
    const char *at = strstr(set, name);
    return at ? strtoll(at + strlen(name) + 1, NULL, 10) : usual;
}

static Search *begin(Arena *a, ReportEvaluation *e, const char *parameters, double ns)
{
    *e = (ReportEvaluation){.parameters = parameters, .calls = 2};
    vec_push(&e->kernels, ((ReportKernel){"contract_packed_1", 2, 2 * ns, ns, 0}));
    return search_new(e, a);
}

/* Rows are best at 9, vectors at 1, the depth at 256; each as far as it is away costs a tenth. */
static double made_up(const char *set)
{
    double rows = (double)value_of(set, "contract.rows", 12),
           vectors = (double)value_of(set, "contract.vectors", 2),
           depth = log2((double)value_of(set, "contract.depth", 1024));
    return 100 * (1 + 0.1 * (fabs(rows - 9) + fabs(vectors - 1) + fabs(depth - 8)));
}

START_TEST(finds_the_best)
{
    Arena *a = arena_new();
    ReportEvaluation e;
    Search *s = begin(a, &e, "contract.rows=12 contract.vectors=2 contract.depth=1024 nobody=3",
                      made_up(""));
    const char *set;
    while ((set = search_next(s))) search_told(s, made_up(set));
    ck_assert_str_eq(search_best(s), "contract.rows=9 contract.vectors=1 contract.depth=256");
    ck_assert_double_eq(search_best_ns(s), 100);
    ck_assert_int_lt(search_tried(s), 40);
    search_free(s);
    vec_free(&e.kernels);
    arena_free(a);
}
END_TEST

START_TEST(keeps_what_is_usual)
{
    Arena *a = arena_new();
    ReportEvaluation e;
    Search *s = begin(a, &e, "contract.rows=24 form.contract=1", 100);
    const char *set;
    int refused = 0;
    while ((set = search_next(s))) {
        bool form = strstr(set, "form") != NULL; /* which fails */
        refused += form;
        ck_assert(!strstr(set, "contract.rows=25")); /* above the most */
        ck_assert(!search_told(s, form ? -1 : 98));  /* too little to be sure of */
    }
    ck_assert_int_eq(refused, 1);
    ck_assert_str_eq(search_best(s), "");
    search_free(s);
    vec_free(&e.kernels);
    arena_free(a);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("search");
    TCase *c = tcase_create("search");
    tcase_add_test(c, finds_the_best);
    tcase_add_test(c, keeps_what_is_usual);
    suite_add_tcase(s, c);
    return run_suite(s);
}
