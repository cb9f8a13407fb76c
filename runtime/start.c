/* Start and end of a program, and the environment variables that are no part's own.
 * Starting reads and opens nothing but what CS_DEVICE names: a program that evaluates nothing costs
 * nothing.
 * Ending prints an uncaught exception, flushes, and gives everything back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/internal.h"
#include "../base/system/process.h"
#include "device/device.h"
#include "device/memory.h"
#include "device/profile.h"
#include "device/trace.h"
#include "evaluate/ahead/ahead.h"
#include "evaluate/bind/kernels.h"
#include "evaluate/bind/small.h"
#include "evaluate/compose/compose.h"
#include "evaluate/lazy/lazy.h"
#include "evaluate/plan.h"
#include "library/console.h"
#include "native/compiler.h"
#include "native/guard.h"
#include "objects/count.h"
#include "objects/number.h"
#include "objects/record.h"
#include "pool.h"
#include "ranks/ranks.h"
#include "ranks/transport.h"
#include "stack.h"
#include "state.h"

RtState rt;

static void make_fd(void *out)
{
    Fd *fd = fd_new();
    records_declare(fd);
    *(Fd **)out = fd;
}

int64_t cs_short;

bool rt_begin(const CsProgram *program)
{
    rt.program = program;
    cs_short = small_reductions();
    mem_on_failure(rt_out_of_memory);
    internal_on_error(rt_internal);
    memory_start();
    return error_start() && mem_try(make_fd, &rt.fd);
}

/* A signal ends the process. */
static void leave(void)
{
    console_last();
    if (rt.ranks.by) rt.ranks.by->leave();
}

/* Before main there is nobody to throw to: says that memory is out, and ends the process. */
__attribute__((noreturn)) static void no_start(void)
{
    fputs("out of memory\n", stderr);
    _exit(1);
}

void cs_start(int32_t argc, char **argv, const CsProgram *program)
{
    rt.argc = argc;
    rt.argv = argv;
    rt.program = program;
    if (!rt.session) ranks_start(device_places);
    if (!rt_begin(program)) no_start();
    process_begin(leave);
    stack_guard();
    if (!device_wish_fits()) exit(cs_finish());
}

void *cs_args(void)
{
    int64_t n = rt.argc > 1 ? rt.argc - 1 : 0;
    void *args = cs_array_new(CS_ELEM_REF, 1, &n, NULL);
    void **strs = args ? cs_array_write(&args, NULL) : NULL;
    for (int64_t i = 0; strs && i < n; i++)
        if (!(strs[i] = rt_str_new(rt.argv[i + 1], (int64_t)strlen(rt.argv[i + 1])))) {
            cs_release(args);
            return NULL;
        }
    return args;
}

Fd *rt_fd(void)
{
    if (!rt.fd && !mem_try(make_fd, &rt.fd)) no_start();
    return rt.fd;
}

unsigned rt_dumps(void)
{
    if (rt.dumps) return rt.dumps;
    static const char *const words[] = {"fdag", "opencl", "plan",
                                        "ranks"}; /* in the order of the bits */
    rt.dumps = RT_DUMP_READ;
    for (const char *s = getenv("CS_DUMP"); s && *s;) {
        size_t n = strcspn(s, ",");
        unsigned bit = n ? RT_DUMP_UNKNOWN : 0;
        for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
            if (strlen(words[i]) == n && strncmp(s, words[i], n) == 0) bit = 1u << i;
        rt.dumps |= bit;
        s += n + (s[n] == ',');
    }
    return rt.dumps;
}

bool rt_dumping(unsigned what)
{
    return rt_dumps() & what && ranks_first();
}

bool rt_check_variables(const CsSite *site)
{
    if (!plan_check(site)) return false;
    if (!(rt_dumps() & RT_DUMP_UNKNOWN)) return true;
    rt_throw(RT_DEVICE, site,
             "CS_DUMP=%s asks for something unknown; set it to any of fdag, opencl, plan, ranks, "
             "separated by commas",
             getenv("CS_DUMP"));
    return false;
}

bool rt_profiling(void)
{
    if (!rt.profile_read) { /* each evaluation asks */
        const char *s = getenv("CS_PROFILE");
        rt.profiling = s && *s && strcmp(s, "0") != 0;
        rt.profile_read = true;
    }
    return rt.profiling;
}

bool rt_read_calm(void)
{
    rt.calm = !rt.ranks.size && !rt.ranks.blocks && rt_dumps() == RT_DUMP_READ && !rt_profiling() &&
              !trace_now() && !guard_wanted();
    rt.calm_read = true;
    return rt.calm;
}

const char *rt_device_wish(void)
{
    return rt.device_wish ? rt.device_wish : getenv("CS_DEVICE");
}

void rt_end(bool leaving)
{
    error_end();
    cycles_end();
    if (ranks_first()) { /* says what the run did */
        trace_write();   /* before profile_print, which sorts evaluations */
        profile_print();
        ranks_print_accounts();
    }
    ahead_end();
    evals_free();
    if (leaving) device_leave();
    kernels_free();
    compiler_end();
    pool_end();
    device_close();
    memory_trim();
    profile_free();
    trace_free();
    graphs_free();
    if (rt.fd) fd_free(rt.fd);
    if (rt.locale) freelocale(rt.locale);
    numbers_end();
    vec_free(&rt.natives);
    vec_free(&rt.written);
    vec_free(&rt.joined);
    vec_free(&rt.records);
    stack_unguard();
    int64_t live = rt.value.live;
    rt = (RtState){.value.live = live};
}

int32_t cs_finish(void)
{
    int32_t code = 0;
    rt_sync();
    ranks_finish();
    const struct Transport *ranks = rt.ranks.by;
    if (!console_end()) code = 1;
    if (cs_pending) {
        if (ranks_first()) error_print(stderr);
        code = 1;
    }
    rt_end(true);
    if (ranks && !ranks->end()) code = 1;
    return code;
}
