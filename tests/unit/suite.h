/* How the main functions of the tests run their suites; CK_VERBOSITY and the like count everywhere. */
#ifndef CS_TESTS_SUITE_H
#define CS_TESTS_SUITE_H

#include <check.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Is number `which` among the one in `of` that this run has? DRAW is the number of the commit (tests/tools/draw), so that
 * commits in a row have all of them; DRAW=all: every one. */
static inline bool suite_draws(uint32_t which, uint32_t of)
{
    const char *draw = getenv("DRAW");
    if (draw && strcmp(draw, "all") == 0) return true;
    return (which + (draw ? (uint32_t)strtoul(draw, NULL, 10) : 0)) % of == 0;
}

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
