/* Shares of jobs among threads (runtime/pool.h): each item is done once, whatever the job before was. */
#include <check.h>
#include <stdatomic.h>
#include <string.h>

#include "../../../runtime/pool.h"
#include "../../../runtime/state.h"
#include "../suite.h"

enum { MOST = 700, JOBS = 60000 };

typedef struct Marks {
    _Atomic uint32_t of[MOST];
    uint32_t job;
    int busy; /* turns of an item, so that threads are late */
} Marks;

static void mark(const void *job, int64_t from, int64_t to)
{
    Marks *m = *(Marks *const *)job;
    for (int64_t i = from; i < to; i++) {
        for (volatile int k = 0; k < m->busy; k++) {
        }
        atomic_fetch_add(&m->of[i], 1);
    }
}

/* Many small jobs of all sizes behind each other, on more threads than there are processors. */
START_TEST(test_jobs)
{
    static Marks marks;
    rt.units = _i;
    for (uint32_t j = 0; j < JOBS / (uint32_t)_i; j++) {
        int64_t items = 1 + j * 37 % (j % 11 == 0 ? MOST : 40);
        marks.busy = j % 5 == 0 ? 200 : 0;
        memset((void *)&marks.of, 0, sizeof marks.of);
        Marks *job = &marks; /* dead when the job is over */
        pool_run(mark, &job, items);
        bool once = true; /* Check writes a message for each assertion */
        for (int64_t i = 0; i < MOST; i++) once = once && marks.of[i] == (i < items);
        ck_assert(once);
    }
    pool_end();
}
END_TEST

int main(void)
{
    Suite *s = suite_create("pool");
    TCase *jobs = tcase_create("jobs");
    tcase_set_timeout(jobs, 60);
    tcase_add_loop_test(jobs, test_jobs, 2, 10);
    suite_add_tcase(s, jobs);
    return run_suite(s);
}
