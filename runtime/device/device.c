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
#include "driver.h"
#include "memory.h"
#include "profile.h"
#include "select.h"

/* ---- errors ------------------------------------------------------------------------- */

static const char *error_name(cl_int code)
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
    rt_throw(is_memory(code) ? RT_MEMORY : RT_DEVICE, site, "%s: %s (%d)", what, error_name(code),
             (int)code);
    return false;
}

/* ---- opening ------------------------------------------------------------------------ */

enum { MAX_PLATFORMS = 16, NO_PLATFORM = -1001 /* of the ICD loader: CL_PLATFORM_NOT_FOUND_KHR */ };

/* Was there something to list? Notes why there was not, if that is an error. */
static bool listed(DeviceList *list, cl_int code, const char *what)
{
    if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND && code != NO_PLATFORM) {
        snprintf(list->trouble, sizeof list->trouble, "%s cannot be listed: %s (%d)", what,
                 error_name(code), (int)code);
        list->memory = is_memory(code);
    }
    return code == CL_SUCCESS;
}

/* What the device says of itself; *out is for mem_object_free, empty after an error. */
static cl_int device_text(cl_device_id id, cl_device_info what, char **out)
{
    size_t size = 0;
    cl_int code = clGetDeviceInfo(id, what, 0, NULL, &size);
    if (code != CL_SUCCESS) size = 0;
    *out = mem_object(size + 1);
    if (!*out) return CL_OUT_OF_HOST_MEMORY;
    return size ? clGetDeviceInfo(id, what, size, *out, NULL) : code;
}

static void find_devices(DeviceList *list, cl_device_id ids[MAX_LISTED])
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint nplatforms = 0;
    if (!listed(list, clGetPlatformIDs(MAX_PLATFORMS, platforms, &nplatforms), "platforms")) return;
    for (cl_uint p = 0; p < nplatforms && p < MAX_PLATFORMS; p++) {
        cl_device_id here[MAX_LISTED];
        cl_uint n = 0;
        list->platforms++;
        cl_int code = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_LISTED, here, &n);
        if (!listed(list, code, "the devices of a platform")) continue;
        for (cl_uint d = 0; d < n && d < MAX_LISTED && list->count < MAX_LISTED; d++) {
            Listed *l = &list->devices[list->count];
            cl_device_type type = 0;
            code = clGetDeviceInfo(here[d], CL_DEVICE_TYPE, sizeof type, &type, NULL);
            if (code == CL_SUCCESS) code = device_text(here[d], CL_DEVICE_NAME, &l->name);
            if (!listed(list, code, "what a device is")) {
                mem_object_free(l->name);
                l->name = NULL;
                continue;
            }
            ids[list->count++] = here[d];
            l->kind = type & CL_DEVICE_TYPE_GPU   ? LISTED_GPU
                      : type & CL_DEVICE_TYPE_CPU ? LISTED_CPU
                                                  : LISTED_OTHER;
        }
    }
}

/* A property of 4 or 8 bytes; 0 if the device does not know it. (Hosts are little-endian.) Any
 * other error stays in *code. */
static size_t ask(const struct Device *d, cl_device_info what, cl_int *code)
{
    uint64_t v = 0;
    cl_int c = clGetDeviceInfo(d->id, what, sizeof v, &v, NULL);
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
    i->units = (int)ask(d, CL_DEVICE_MAX_COMPUTE_UNITS, &code);
    i->vector_bytes = 16;
    i->l1 = 32 << 10;
    i->l2 = i->l3 = ask(d, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, &code);
    if (cpu) select_cpu_facts(i);
    i->max_group = ask(d, CL_DEVICE_MAX_WORK_GROUP_SIZE, &code);
    i->local_bytes = ask(d, CL_DEVICE_LOCAL_MEM_SIZE, &code);
    i->has_double = ask(d, CL_DEVICE_DOUBLE_FP_CONFIG, &code) != 0;
    bool unified = ask(d, CL_DEVICE_HOST_UNIFIED_MEMORY, &code) != 0;
    d->sharing = cpu ? IN_PLACE : unified ? MAPPED : COPIED;
    d->max_buffer = ask(d, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &code);
    return code;
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
    d->identity = text_take(&t);
    return d->identity ? code : CL_OUT_OF_HOST_MEMORY;
}

/* Asked for binaries, POCL compiles every kernel of a program for every size of groups, also those
 * that never run: half of a cold start. It has a cache of its own, from which a program comes as
 * soon as its text is preprocessed. */
static cl_int choose_binaries(struct Device *d)
{
    const char *wish = getenv("CS_CACHE_BINARIES");
    cl_platform_id platform;
    char name[64] = "";
    cl_int code = clGetDeviceInfo(d->id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (code == CL_SUCCESS) clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    name[sizeof name - 1] = '\0';
    d->binaries =
        wish && *wish ? strcmp(wish, "0") != 0 : strcmp(name, "Portable Computing Language") != 0;
    return code;
}

/* Queue, facts and name. False with an exception pending. */
static bool make_ready(struct Device *d, bool cpu, const CsSite *site)
{
    cl_int code;
    d->queue = clCreateCommandQueue(d->context, d->id, d->profiling ? CL_QUEUE_PROFILING_ENABLE : 0,
                                    &code);
    if (!device_good(code, "the device has no queue", site)) return false;
    code = report(d, cpu);
    if (code == CL_SUCCESS) code = identify(d);
    if (code == CL_SUCCESS) code = choose_binaries(d);
    return device_good(code, "the device does not say what it is", site);
}

bool device_open(const CsSite *site)
{
    if (rt.device) return true;
    DeviceList list = {0};
    cl_device_id ids[MAX_LISTED];
    driver_prepare();
    find_devices(&list, ids);
    int chosen = cs_pending ? -1 : select_device(&list, site);
    for (int i = 0; i < list.count; i++) mem_object_free(list.devices[i].name);
    if (chosen < 0) return rt_site(site), false;
    bool cpu = list.devices[chosen].kind == LISTED_CPU;
    CgFamily family;
    size_t size;
    if (!choose_family(cpu, &family, site)) return false;
    if (memory_size_from("CS_CACHE_LIMIT", &size, site) < 0) return false;
    struct Device *d = mem_object(sizeof *d);
    if (!d) {
        rt_throw_memory(site, sizeof *d);
        return false;
    }
    d->id = ids[chosen];
    cl_int code;
    d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
    if (!device_good(code, "the device cannot be used", site)) {
        mem_object_free(d);
        return false;
    }
    d->profiling = rt_profiling();
    d->info.family = family;
    rt.device = d;
    if (make_ready(d, cpu, site)) return true;
    device_close();
    return false;
}

void device_leave(void)
{
    if (rt.device) rt.device->leaving = true;
}

void device_close(void)
{
    struct Device *d = rt.device;
    if (!d) return;
    rt_sync();
    buffer_release(d->errors);
    buffer_release(d->none);
    memory_trim();
    vec_free(&d->pending);
    vec_free(&d->lost);
    if (d->queue && !d->stuck && !d->leaving) clReleaseCommandQueue(d->queue);
    if (!d->stuck && !d->leaving) clReleaseContext(d->context);
    mem_free(d->identity);
    mem_object_free(d);
    rt.device = NULL;
}

bool device_stuck(void)
{
    return rt.device && rt.device->stuck;
}

const CgDevice *device_info(void)
{
    return &rt.device->info;
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

static void take_time(const Launched *l)
{
    cl_ulong from = 0, to = 0;
    clGetEventProfilingInfo(l->event, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
    clGetEventProfilingInfo(l->event, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
    profile_add(l->kernel, to > from ? to - from : 0, l->bytes);
}

void device_wait(uint64_t launch)
{
    struct Device *d = rt.device;
    if (launch <= d->done) return;
    console_flush(); /* while the user waits */
    cl_int code = clFinish(d->queue);
    if (code != CL_SUCCESS) code = clFinish(d->queue);
    Lost lost = {.to = d->launched};
    for (size_t i = 0; i < d->pending.len; i++) {
        Launched *l = &d->pending.data[i];
        cl_int status = status_of(l->event);
        if (status != CL_COMPLETE && lost.from == 0) {
            lost.from = l->number;
            lost.code = code != CL_SUCCESS ? code : status;
        }
        if (status > CL_COMPLETE || (status != CL_COMPLETE && code != CL_SUCCESS)) d->stuck = true;
        if (d->profiling && status == CL_COMPLETE) take_time(l);
        clReleaseEvent(l->event);
    }
    d->pending.len = 0;
    d->done = d->launched;
    if (lost.from) vec_push(&d->lost, lost); /* there is room (launch) */
}

void rt_sync(void)
{
    if (rt.device) device_wait(rt.device->launched);
}
