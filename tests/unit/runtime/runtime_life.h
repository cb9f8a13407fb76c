/* How tests of the runtime begin and end, and what they expect to go wrong in between. */
#ifndef CS_TESTS_RUNTIME_LIFE_H
#define CS_TESTS_RUNTIME_LIFE_H

#include <check.h>

#include <stdlib.h>
#include <string.h>

#include "../../../codegen/abi/csrt.h"
#include "../../../runtime/state.h"

/* Not every file uses all of them. */
#define SHARED __attribute__((unused)) static

SHARED void start(const CsProgram *program)
{
    setenv("CS_DEVICE", "ref", 1);
    setenv("CS_CACHE_DIR", "", 1);
    cs_start(0, NULL, program);
}

/* Everything made was released. */
SHARED void teardown(void)
{
    ck_assert_int_eq(cs_pending, 0);
    ck_assert_int_eq(rt.value.live, 0);
    ck_assert_int_eq(cs_finish(), 0);
}

SHARED void expect_error(const char *prefix)
{
    ck_assert_int_ne(cs_pending, 0);
    const char *m = rt_pending_message();
    ck_assert_msg(strncmp(m, prefix, strlen(prefix)) == 0, "%s", m);
    rt_catch();
}

#endif
