/* How the main functions of the tests run their suites; CK_VERBOSITY and the like count everywhere. */
#ifndef CS_TESTS_SUITE_H
#define CS_TESTS_SUITE_H

#include <check.h>

#include <stdlib.h>

static inline int suite_result(SRunner *r)
{
    srunner_run_all(r, CK_ENV);
    int failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Each test in a process of its own. */
static inline int run_suite(Suite *s)
{
    return suite_result(srunner_create(s));
}

/* All in this one, unless CK_FORK asks for processes: opening OpenCL takes a second. */
static inline int run_suite_here(Suite *s)
{
    SRunner *r = srunner_create(s);
    if (!getenv("CK_FORK")) srunner_set_fork_status(r, CK_NOFORK);
    return suite_result(r);
}

#endif
