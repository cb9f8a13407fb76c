/* The device layer (device.h): opening a device, errors, waiting.
 * Three kinds of memory: a CPU's is the host's own, used in place; a GPU that shares the host's is
 * mapped when the host looks; any other is copied to and fro. Launches are numbered; a buffer knows
 * the last that uses it, and waiting is for that number only.
 * Waiting never throws: it finds out which launches failed, and whoever wants to see what those
 * wrote gets the exception. A call that fails for want of memory is repeated once, after everything
 * that is kept for later was given back. */
#include "device_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/text.h"
#include "../library/console.h"
#include "memory.h"
#include "open/driver.h"
#include "profile.h"
#include "trace.h"
#include "transfer.h"

/* ---- errors ------------------------------------------------------------------------- */

const char *device_error_name(cl_int code)
{
    switch (code) {
    case CL_DEVICE_NOT_AVAILABLE: return "the device is not available";
    case CL_COMPILER_NOT_AVAILABLE: return "there is no compiler for the device";
    case CL_OUT_OF_RESOURCES: return "out of resources";
    case CL_OUT_OF_HOST_MEMORY: return "out of host memory";
    case CL_MEM_OBJECT_ALLOCATION_FAILURE: return "out of device memory";
    case CL_MAP_FAILURE: return "its memory cannot be mapped";
    case CL_INVALID_BUFFER_SIZE: return "a buffer is too large";
    default: return "OpenCL error";
    }
}

bool device_is_short(cl_int code)
{
    return code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
           code == CL_OUT_OF_RESOURCES;
}

void device_relieve(void)
{
    rt_sync();
    memory_trim();
}

static bool is_memory(cl_int code)
{
    return code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
           code == CL_INVALID_BUFFER_SIZE;
}

bool device_good(cl_int code, const char *what, const CsSite *site)
{
    if (code == CL_SUCCESS) return true;
    rt_throw(is_memory(code) ? RT_MEMORY : RT_DEVICE, site, "%s: %s (%d)", what,
             device_error_name(code), (int)code);
    return false;
}

/* ---- opening ------------------------------------------------------------------------ */

size_t device_ask(cl_device_id id, cl_device_info what, cl_int *code)
{
    uint64_t v = 0;
    cl_int c = clGetDeviceInfo(id, what, sizeof v, &v, NULL);
    if (c != CL_SUCCESS && c != CL_INVALID_VALUE) *code = c;
    return c == CL_SUCCESS ? (size_t)v : 0;
}

/* CS_FAMILY, if it is set, else what suits the device. */
static bool choose_family(bool cpu, CgFamily *out, const CsSite *site)
{
    const char *wish = getenv("CS_FAMILY");
    *out = cpu ? CG_CPU : CG_GPU;
    if (!wish || !*wish || cg_family_from_text(wish, out)) return true;
    rt_throw(RT_DEVICE, site, "CS_FAMILY=%s is no family of kernels; set it to cpu or gpu", wish);
    return false;
}

static cl_int report(struct Device *d, bool cpu)
{
    CgDevice *i = &d->info;
    cl_int code = CL_SUCCESS;
    i->units = (int)device_ask(d->id, CL_DEVICE_MAX_COMPUTE_UNITS, &code);
    if (rt.ranks.size) i->units *= rt.ranks.size; /* which divide what each plans alike */
    i->places = rt.ranks.size;
    i->vector_bytes = 16;
    i->l1 = 32 << 10;
    i->l2 = i->l3 = device_ask(d->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, &code);
    if (cpu) select_cpu_facts(i);
    i->max_group = device_ask(d->id, CL_DEVICE_MAX_WORK_GROUP_SIZE, &code);
    i->local_bytes = device_ask(d->id, CL_DEVICE_LOCAL_MEM_SIZE, &code);
    i->rounds =
        device_ask(d->id, CL_DEVICE_SINGLE_FP_CONFIG, &code) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    i->has_double = device_ask(d->id, CL_DEVICE_DOUBLE_FP_CONFIG, &code) != 0;
    bool unified = device_ask(d->id, CL_DEVICE_HOST_UNIFIED_MEMORY, &code) != 0;
    bool apart = getenv("CS_DEVICE_APART") != NULL; /* for tests: it copies, whatever it is */
    d->sharing = apart ? COPIED : cpu ? IN_PLACE : unified ? MAPPED : COPIED;
    d->max_buffer = device_ask(d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &code);
    return code;
}

const char *device_build_options(void)
{
    const char *wish = getenv("CS_BUILD_OPTIONS");
    return wish ? wish : "";
}

static cl_int identify(struct Device *d)
{
    static const cl_device_info what[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION,
                                          CL_DRIVER_VERSION};
    Text t = {0};
    cl_int code = CL_SUCCESS;
    for (size_t i = 0; i < sizeof what / sizeof *what && code == CL_SUCCESS; i++) {
        char *text = NULL;
        code = device_text(d->id, what[i], &text);
        text_printf(&t, "%s;", text ? text : "");
        mem_object_free(text);
    }
    text_printf(&t, "%s%s", device_build_options(), rt.ranks.size ? ";ranks" : "");
    d->identity = text_take(&t);
    return d->identity ? code : CL_OUT_OF_HOST_MEMORY;
}

/* Asked for binaries, POCL compiles every kernel of a program for every size of groups, also those
 * that never run: half of a cold start. It has a cache of its own, from which a program comes as
 * soon as its text is preprocessed, and clang's header of all builtins with it (builtins.h). */
static cl_int know_driver(struct Device *d)
{
    const char *wish = getenv("CS_CACHE_BINARIES");
    cl_platform_id platform;
    char name[64] = "";
    cl_int code = clGetDeviceInfo(d->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (code == CL_SUCCESS) clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    name[sizeof name - 1] = '\0';
    bool pocl = strcmp(name, "Portable Computing Language") == 0;
    d->binaries = wish && *wish ? strcmp(wish, "0") != 0 : !pocl;
    d->declares = pocl;
    if (pocl && !rt.embedded) driver_room();
    return code;
}

/* Queue, facts and name. False with an exception pending. */
static bool make_ready(struct Device *d, bool cpu, const CsSite *site)
{
    cl_int code = CL_SUCCESS;
    if (!d->queue)
        d->queue = clCreateCommandQueue(d->context, d->id,
                                        d->profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    if (!device_good(code, "the device has no queue", site)) return false;
    code = report(d, cpu);
    if (code == CL_SUCCESS) code = identify(d);
    if (code == CL_SUCCESS) code = know_driver(d);
    return device_good(code, "the device does not say what it is", site);
}

struct Device *device_opened(int index)
{
    struct Device *d = rt.device;
    if (d && d->index == index) return d;
    d = rt.devices;
    while (d && d->index != index) d = d->next;
    return d;
}

static void close_one(struct Device *d)
{
    struct Device **at = &rt.devices;
    rt.device = d;
    device_wait(d->launched);
    buffer_release(d->errors);
    buffer_release(d->none);
    memory_trim();
    transfer_free(d);
    vec_free(&d->pending);
    vec_free(&d->lost);
    if (d->queue && !d->stuck && !d->leaving) clReleaseCommandQueue(d->queue);
    if (!d->stuck && !d->leaving) clReleaseContext(d->context);
    while (*at != d) at = &(*at)->next;
    *at = d->next;
    mem_free(d->identity);
    mem_object_free(d);
    rt.device = rt.devices;
}

/* Can the queue of a library's caller be used? It must be in order. */
static bool is_given(const CsSite *site)
{
    cl_context of = NULL;
    cl_command_queue_properties properties = 0;
    cl_int code = clGetCommandQueueInfo(rt.given.queue, CL_QUEUE_CONTEXT, sizeof of, &of, NULL);
    if (code == CL_SUCCESS)
        code = clGetCommandQueueInfo(rt.given.queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                     &properties, NULL);
    if (!device_good(code, "the caller's queue cannot be used", site)) return false;
    if (of == rt.given.context && !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE))
        return true;
    rt_throw(RT_ARGUMENT, site, "the caller's queue %s",
             of == rt.given.context ? "is not in order" : "is of another context");
    return false;
}

/* Of a device that the caller of a library gave, his context and queue. */
static bool make_context(struct Device *d, const CsSite *site)
{
    cl_int code = CL_SUCCESS;
    if (d->id != rt.given.device) {
        d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
        return device_good(code, "the device cannot be used", site);
    }
    if (!is_given(site)) return false;
    d->context = rt.given.context;
    d->queue = rt.given.queue;
    code = clRetainContext(d->context);
    if (code == CL_SUCCESS && (code = clRetainCommandQueue(d->queue)) != CL_SUCCESS)
        clReleaseContext(d->context);
    return device_good(code, "the caller's context and queue cannot be used", site);
}

static bool open_new(const DeviceTable *t, int index, const CsSite *site)
{
    bool cpu = t->list.devices[index].kind == LISTED_CPU;
    CgFamily family;
    size_t size;
    if (!choose_family(cpu, &family, site)) return false;
    if (memory_size_from("CS_CACHE_LIMIT", &size, site) < 0) return false;
    struct Device *d = mem_object(sizeof *d);
    if (!d) {
        rt_throw_memory(site, sizeof *d);
        return false;
    }
    d->id = t->ids[index];
    d->index = index;
    if (!make_context(d, site)) {
        mem_object_free(d);
        return false;
    }
    d->profiling = rt_profiling() || trace_now();
    d->info.family = family;
    d->next = rt.devices;
    rt.device = rt.devices = d;
    if (make_ready(d, cpu, site)) return true;
    close_one(d);
    return false;
}

bool device_open(const CsSite *site)
{
    int index = device_wanted();
    if (index >= 0 && rt.device && rt.device->index == index) return true;
    DeviceTable *t = device_table(site);
    if (t && index < 0) index = device_chosen(t, site);
    if (!t || index < 0) return rt_site(site), false;
    struct Device *d = device_opened(index);
    if (!d) return open_new(t, index, site);
    rt.device = d;
    return true;
}

void device_leave(void)
{
    for (struct Device *d = rt.devices; d; d = d->next) d->leaving = true;
}

void device_close(void)
{
    while (rt.devices) close_one(rt.devices);
    device_table_free();
}

bool device_stuck(void)
{
    for (const struct Device *d = rt.devices; d; d = d->next)
        if (d->stuck) return true;
    return false;
}

const CgDevice *device_info(void)
{
    return &rt.device->info;
}

bool device_holds(size_t bytes)
{
    return !rt.device->max_buffer || bytes <= rt.device->max_buffer;
}

bool device_is_host(void)
{
    return rt.device->sharing == IN_PLACE;
}

bool device_wants_binaries(void)
{
    return rt.device->binaries;
}

const char *device_identity(void)
{
    return rt.device->identity;
}

/* ---- waiting ------------------------------------------------------------------------ */

/* How a launch ended: CL_COMPLETE, or an error; above that it has not. */
static cl_int status_of(cl_event e)
{
    cl_int status = CL_QUEUED, code = CL_SUCCESS;
    for (int attempt = 0; attempt < 2; attempt++) {
        if (attempt) clWaitForEvents(1, &e);
        code = clGetEventInfo(e, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
        if (code == CL_SUCCESS && status <= CL_COMPLETE) return status;
    }
    return code == CL_SUCCESS ? status : code;
}

static void take_time(const Launched *l, uint64_t now)
{
    cl_ulong from = 0, to = 0;
    clGetEventProfilingInfo(l->event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
    clGetEventProfilingInfo(l->event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    profile_add(l->owner, l->kernel, to > from ? to - from : 0, l->bytes);
    rt.ranks.account.kernels += to > from ? to - from : 0;
    trace_kernel(TRACE_DEVICE, l->kernel, l->owner, from, to);
    trace_clock(to, now);
}

void device_wait(uint64_t launch)
{
    struct Device *d = rt.device;
    if (launch <= d->done) return;
    console_flush(); /* while the user waits */
    uint64_t from = trace_now();
    cl_int code = clFinish(d->queue);
    if (code != CL_SUCCESS) code = clFinish(d->queue);
    driver_signals();
    uint64_t now = trace_now();
    trace_span(TRACE_HOST, "wait for the device", from, now);
    Lost lost = {.to = d->launched};
    for (size_t i = 0; i < d->pending.len; i++) {
        Launched *l = &d->pending.data[i];
        cl_int status = status_of(l->event);
        if (status != CL_COMPLETE && lost.from == 0) {
            lost.from = l->number;
            lost.code = code != CL_SUCCESS ? code : status;
        }
        if (status > CL_COMPLETE || (status != CL_COMPLETE && code != CL_SUCCESS)) d->stuck = true;
        if (d->profiling && status == CL_COMPLETE) take_time(l, now);
        clReleaseEvent(l->event);
    }
    d->pending.len = 0;
    d->done = d->launched;
    if (lost.from) vec_push(&d->lost, lost); /* there is room (launch) */
}

void rt_sync(void)
{
    struct Device *now = rt.device;
    for (struct Device *d = rt.devices; d; d = d->next) {
        rt.device = d;
        device_wait(d->launched);
    }
    rt.device = now;
}
