/* csc test: functions with [Test], and programs that say what they print. */
#ifndef CS_DRIVER_TEST_H
#define CS_DRIVER_TEST_H

#include "../options.h"

/* Runs them on the default device and on the reference executor, each in a process of its own, and
 * prints a line a test and a summary. Returns the exit code: 1 if anything failed. */
int test(const Options *o);

#endif
