/* The device layer (device.h): selection, buffers, programs, launches.
 * Three kinds of memory: a CPU's is the host's own, used in place; a GPU that shares the host's is
 * mapped when the host looks; any other is copied to and fro. Launches are numbered; a buffer knows
 * the last that uses it, and waiting is for that number only.
 * Waiting never throws: it finds out which launches failed, and whoever wants to see what those
 * wrote gets the exception. A call that fails for want of memory is repeated once, after everything
 * that is kept for later was given back. */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "../base/text.h"
#include "console.h"
#include "driver.h"
#include "memory.h"
#include "profile.h"
#include "select.h"
#include "state.h"

typedef enum Sharing { IN_PLACE, MAPPED, COPIED } Sharing;

/* An OpenCL object takes more than a small buffer itself: not many have one. */
enum { SMALL = 4096, MAX_SMALL = 4096 };

typedef struct Launched { /* a launch that nobody waited for yet */
    cl_event event;
    uint64_t number, bytes;
    const char *kernel;
} Launched;

typedef struct Lost { /* launches that failed, or came after one that did */
    uint64_t from, to;
    cl_int code;
} Lost;

struct Device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    CgDevice info;
    Sharing sharing;
    size_t max_buffer;
    char *identity;
    uint64_t launched, done; /* numbers of the newest launch, and of the newest known to be over */
    Buffer *errors, *none;   /* error words; what stands for arrays without elements */
    bool profiling;
    bool
        stuck; /* launches may be running that cannot be waited for: what they use is never freed */
    VEC(Launched) pending;
    VEC(Lost) lost;
    Buffer *small[MAX_SMALL]; /* a ring of small buffers that have a device side */
    unsigned next_small;
};

struct DeviceProgram {
    cl_program program;
    int nkernels;
    cl_kernel *kernels;
    char **names;
};

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

static bool is_short(cl_int code)
{
    return code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
           code == CL_OUT_OF_RESOURCES;
}

/* Gives back what is kept for later. */
static void relieve(void)
{
    rt_sync();
    memory_trim();
}

/* code = call, repeated once if memory or something else was short. */
#define TRY(code, call)                                                                            \
    do {                                                                                           \
        (code) = (call);                                                                           \
        if (is_short(code)) {                                                                      \
            relieve();                                                                             \
            (code) = (call);                                                                       \
        }                                                                                          \
    } while (0)
/* The same of a call that stores its code itself. */
#define TRY_MAKE(object, code, call)                                                               \
    do {                                                                                           \
        (object) = (call);                                                                         \
        if (is_short(code)) {                                                                      \
            relieve();                                                                             \
            (object) = (call);                                                                     \
        }                                                                                          \
    } while (0)

static bool is_memory(cl_int code)
{
    return code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
           code == CL_INVALID_BUFFER_SIZE;
}

/* True if code is success; else an exception is pending. */
static bool good(cl_int code, const char *what, const CsSite *site)
{
    if (code == CL_SUCCESS) return true;
    rt_throw(is_memory(code) ? RT_MEMORY : RT_DEVICE, site, "%s: %s (%d)", what, error_name(code),
             (int)code);
    return false;
}

/* ---- opening ------------------------------------------------------------------------ */

enum { MAX_PENDING = 256 };
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

/* What the device says of itself; *out is malloc'ed, empty after an error. */
static cl_int device_text(cl_device_id id, cl_device_info what, char **out)
{
    size_t size = 0;
    cl_int code = clGetDeviceInfo(id, what, 0, NULL, &size);
    if (code != CL_SUCCESS) size = 0;
    *out = calloc(size + 1, 1);
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
                free(l->name);
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
        free(text);
    }
    d->identity = text_take(&t);
    return code;
}

/* Queue, facts and name. False with an exception pending. */
static bool make_ready(struct Device *d, bool cpu, const CsSite *site)
{
    cl_int code;
    d->queue = clCreateCommandQueue(d->context, d->id, d->profiling ? CL_QUEUE_PROFILING_ENABLE : 0,
                                    &code);
    if (!good(code, "the device has no queue", site)) return false;
    code = report(d, cpu);
    if (code == CL_SUCCESS) code = identify(d);
    return good(code, "the device does not say what it is", site);
}

bool device_open(const CsSite *site)
{
    if (rt.device) return true;
    DeviceList list = {0};
    cl_device_id ids[MAX_LISTED];
    driver_prepare();
    find_devices(&list, ids);
    int chosen = select_device(&list, site);
    for (int i = 0; i < list.count; i++) free(list.devices[i].name);
    if (chosen < 0) return false;
    bool cpu = list.devices[chosen].kind == LISTED_CPU;
    CgFamily family;
    size_t size;
    if (!choose_family(cpu, &family, site)) return false;
    if (memory_size_from("CS_CACHE_LIMIT", &size, site) < 0) return false;
    struct Device *d = calloc(1, sizeof *d);
    if (!d) {
        rt_throw_memory(site, sizeof *d);
        return false;
    }
    d->id = ids[chosen];
    cl_int code;
    d->context = clCreateContext(NULL, 1, &d->id, NULL, NULL, &code);
    if (!good(code, "the device cannot be used", site)) {
        free(d);
        return false;
    }
    d->profiling = rt_profiling();
    d->info.family = family;
    rt.device = d;
    if (make_ready(d, cpu, site)) return true;
    device_close();
    return false;
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
    if (d->queue && !d->stuck) clReleaseCommandQueue(d->queue);
    if (!d->stuck) clReleaseContext(d->context);
    free(d->identity);
    free(d);
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

/* Waits for a launch; of those that failed what they wrote is lost, and what later ones did. */
static void wait_for(uint64_t launch)
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
    if (lost.from) vec_push(&d->lost, lost);
}

void rt_sync(void)
{
    if (rt.device) wait_for(rt.device->launched);
}

/* ---- buffers ------------------------------------------------------------------------ */

/* Bytes of b's device side: its capacity may be a bit more than the device takes. */
static size_t side_bytes(const Buffer *b)
{
    size_t most = rt.device->max_buffer;
    return most && b->capacity > most ? most : b->capacity;
}

/* Is lost what the device wrote to b? Then that is why; else NULL. */
static const Lost *is_lost(const Buffer *b)
{
    const struct Device *d = rt.device;
    for (size_t i = d->lost.len; b->host_stale && i-- > 0;) {
        const Lost *l = &d->lost.data[i];
        if (b->written >= l->from && b->written <= l->to) return l;
    }
    return NULL;
}

static bool intact(const Buffer *b, const CsSite *site)
{
    const Lost *l = is_lost(b);
    return !l || good(l->code, "the device failed while it computed these elements", site);
}

bool device_to_host(Buffer *b, bool write, const CsSite *site)
{
    struct Device *d = rt.device;
    cl_int code = CL_SUCCESS;
    if (b->host_stale || (write && d->sharing == IN_PLACE)) wait_for(b->used);
    if (!intact(b, site)) return false;
    switch (d->sharing) {
    case IN_PLACE: break;
    case MAPPED:
        if (b->mapped) return true;
        void *at;
        TRY_MAKE(at, code,
                 clEnqueueMapBuffer(d->queue, b->device, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                    side_bytes(b), 0, NULL, NULL, &code));
        b->mapped = at && code == CL_SUCCESS;
        break;
    case COPIED:
        if (!b->host_stale) return true;
        TRY(code,
            clEnqueueReadBuffer(d->queue, b->device, CL_TRUE, 0, b->bytes, b->host, 0, NULL, NULL));
        break;
    }
    return good(code, "elements cannot be read from the device", site);
}

bool device_forget(Buffer *b)
{
    struct Device *d = rt.device;
    if (!d) return true; /* an array that outlives the program's end */
    wait_for(b->used);
    if (b->ring) d->small[b->ring - 1] = NULL;
    b->ring = 0;
    if (d->stuck) return false;
    if (b->mapped) {
        clEnqueueUnmapMemObject(d->queue, b->device, b->host, 0, NULL, NULL);
        clFinish(d->queue);
        b->mapped = false;
    }
    clReleaseMemObject(b->device);
    b->device = NULL;
    return true;
}

/* Gives up b's device side if the host has, or shares, its contents; not while b is being bound. */
static bool send_home(Buffer *b)
{
    struct Device *d = rt.device;
    if (b->used > d->launched || d->sharing == MAPPED) return false;
    if (d->sharing == IN_PLACE && b->host_stale) {
        wait_for(b->used);
        if (is_lost(b)) return false;
        b->host_stale = false;
    }
    return !b->host_stale && device_forget(b);
}

/* b has got a device side: of small buffers the one that has had its longest may lose it. */
static void enter_ring(Buffer *b)
{
    struct Device *d = rt.device;
    if (b->capacity > SMALL) return;
    unsigned at = d->next_small++ % MAX_SMALL;
    if (d->small[at] && !send_home(d->small[at])) return;
    d->small[at] = b;
    b->ring = (uint16_t)(at + 1);
}

/* The device side of b, without contents. */
static bool make_side(Buffer *b, const CsSite *site)
{
    struct Device *d = rt.device;
    cl_int code;
    if (d->sharing != COPIED && !buffer_pages(b, true, site)) return false;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (d->sharing == COPIED ? 0 : CL_MEM_USE_HOST_PTR);
    void *host = d->sharing == COPIED ? NULL : b->host;
    TRY_MAKE(b->device, code, clCreateBuffer(d->context, flags, side_bytes(b), host, &code));
    if (!good(code, "the device has no room for an array", site)) b->device = NULL;
    b->mapped = false;
    if (b->device) enter_ring(b);
    return b->device != NULL;
}

/* The device side of b, current if the launch is to read it. */
static bool to_device(Buffer *b, const CsSite *site)
{
    struct Device *d = rt.device;
    cl_int code = CL_SUCCESS;
    if (!intact(b, site)) return false;
    if (b->bytes > side_bytes(b)) {
        rt_throw(RT_MEMORY, site, "an array of %.2f GiB; the device's largest buffer is %.2f GiB",
                 (double)b->bytes / 1073741824.0, (double)d->max_buffer / 1073741824.0);
        return false;
    }
    if (!b->device && !make_side(b, site)) return false;
    if (b->mapped) {
        TRY(code, clEnqueueUnmapMemObject(d->queue, b->device, b->host, 0, NULL, NULL));
        if (code == CL_SUCCESS) b->mapped = false;
    }
    if (d->sharing == COPIED && b->device_stale && b->host && code == CL_SUCCESS)
        TRY(code, clEnqueueWriteBuffer(d->queue, b->device, CL_TRUE, 0, b->bytes, b->host, 0, NULL,
                                       NULL));
    if (!good(code, "elements cannot be given to the device", site)) return false;
    b->device_stale = b->fresh = false;
    return true;
}

/* ---- programs ----------------------------------------------------------------------- */

void device_unload(DeviceProgram *p)
{
    if (!p) return;
    for (int i = 0; i < p->nkernels; i++) {
        if (p->kernels[i]) clReleaseKernel(p->kernels[i]);
        free(p->names[i]);
    }
    free(p->kernels);
    free(p->names);
    clReleaseProgram(p->program);
    free(p);
}

/* Takes over `program`. *code says why when NULL is returned. */
static DeviceProgram *with_kernels(cl_program program, const char *const *names, int n,
                                   cl_int *code)
{
    DeviceProgram *p = calloc(1, sizeof *p);
    if (p) {
        p->program = program;
        p->kernels = calloc((size_t)n + 1, sizeof *p->kernels);
        p->names = calloc((size_t)n + 1, sizeof *p->names);
    }
    if (!p || !p->kernels || !p->names) {
        fputs("out of memory\n", stderr);
        abort();
    }
    *code = CL_SUCCESS;
    for (int i = 0; i < n && *code == CL_SUCCESS; i++) {
        p->nkernels = i + 1;
        p->names[i] = strdup(names[i]);
        TRY_MAKE(p->kernels[i], *code, clCreateKernel(program, names[i], code));
        if (*code != CL_SUCCESS) p->kernels[i] = NULL;
    }
    if (*code == CL_SUCCESS) return p;
    device_unload(p);
    return NULL;
}

static void throw_build(cl_program program, cl_int code, const CsSite *site)
{
    if (code != CL_BUILD_PROGRAM_FAILURE) {
        good(code, "the driver cannot build a kernel", site);
        return;
    }
    size_t n = 0;
    clGetProgramBuildInfo(program, rt.device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
    char *log = calloc(1, n + 1);
    if (log) clGetProgramBuildInfo(program, rt.device->id, CL_PROGRAM_BUILD_LOG, n, log, NULL);
    rt_throw(RT_DEVICE, site, "the driver cannot build a kernel (CS_DUMP=opencl shows it): %s",
             log ? log : "");
    free(log);
}

DeviceProgram *device_build(const char *text, const char *options, const char *const *kernels,
                            int nkernels, const CsSite *site)
{
    struct Device *d = rt.device;
    cl_int code;
    cl_program program;
    TRY_MAKE(program, code, clCreateProgramWithSource(d->context, 1, &text, NULL, &code));
    if (!good(code, "the device takes no program", site)) return NULL;
    Text all = {0}; /* some drivers print the warnings of kernels: `a == a` has one */
    text_printf(&all, "-w %s", options ? options : "");
    TRY(code, clBuildProgram(program, 1, &d->id, all.data, NULL, NULL));
    text_free(&all);
    if (code != CL_SUCCESS) {
        throw_build(program, code, site);
        clReleaseProgram(program);
        return NULL;
    }
    DeviceProgram *p = with_kernels(program, kernels, nkernels, &code);
    good(code, "a kernel that was built cannot be had", site);
    return p;
}

DeviceProgram *device_load(const void *binary, size_t size, const char *options,
                           const char *const *kernels, int nkernels)
{
    struct Device *d = rt.device;
    cl_int code, status = CL_SUCCESS;
    const unsigned char *bytes = binary;
    cl_program program =
        clCreateProgramWithBinary(d->context, 1, &d->id, &size, &bytes, &status, &code);
    if (code != CL_SUCCESS || status != CL_SUCCESS) {
        if (program) clReleaseProgram(program);
        return NULL;
    }
    if (clBuildProgram(program, 1, &d->id, options, NULL, NULL) != CL_SUCCESS) {
        clReleaseProgram(program);
        return NULL;
    }
    return with_kernels(program, kernels, nkernels, &code);
}

void *device_binary(const DeviceProgram *p, size_t *size)
{
    size_t n = 0;
    if (clGetProgramInfo(p->program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL) || n == 0)
        return NULL;
    unsigned char *bytes = malloc(n);
    if (bytes && clGetProgramInfo(p->program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL)) {
        free(bytes);
        return NULL;
    }
    *size = n;
    return bytes;
}

/* ---- launches ----------------------------------------------------------------------- */

static bool is_written(const CgArg *a)
{
    return a->kind == CG_ARG_OUT || a->kind == CG_ARG_TEMP || a->kind == CG_ARG_ERROR;
}

typedef struct Run {
    const DeviceProgram *program;
    Buffer *const *slots;
    Buffer **temps;
    Buffer *out;
} Run;

static Buffer *buffer_of(const Run *r, const CgArg *a)
{
    Buffer *b = a->kind == CG_ARG_SLOT   ? r->slots[a->index]
                : a->kind == CG_ARG_TEMP ? r->temps[a->index]
                : a->kind == CG_ARG_OUT  ? r->out
                                         : rt.device->errors;
    return b ? b : rt.device->none;
}

static bool launch(const Run *r, const CgLaunch *l, const CsSite *site)
{
    struct Device *d = rt.device;
    int k = 0;
    while (k < r->program->nkernels && strcmp(r->program->names[k], l->kernel) != 0) k++;
    if (k == r->program->nkernels) {
        rt_throw(RT_DEVICE, site, "kernel %s is missing in its program", l->kernel);
        return false;
    }
    cl_kernel kernel = r->program->kernels[k];
    cl_int code = CL_SUCCESS;
    uint64_t number = d->launched + 1, bytes = 0;
    for (int i = 0; i < l->nargs && code == CL_SUCCESS; i++) {
        const CgArg *a = &l->args[i];
        if (a->kind == CG_ARG_BYTES) {
            code = clSetKernelArg(kernel, (cl_uint)i, a->size, a->bytes);
            continue;
        }
        Buffer *b = buffer_of(r, a);
        if (!to_device(b, site)) return false;
        cl_mem memory = b->device;
        code = clSetKernelArg(kernel, (cl_uint)i, sizeof memory, &memory);
        if (b->used != number) bytes += b->bytes;
        b->used = number;
        if (is_written(a)) {
            b->written = number;
            b->host_stale = true;
        }
    }
    Launched launched = {.number = number, .bytes = bytes, .kernel = r->program->names[k]};
    if (code == CL_SUCCESS)
        TRY(code, clEnqueueNDRangeKernel(d->queue, kernel, (cl_uint)l->dims, NULL, l->global,
                                         l->local[0] ? l->local : NULL, 0, NULL, &launched.event));
    if (code != CL_SUCCESS) {
        char what[96];
        snprintf(what, sizeof what, "kernel %.60s cannot be launched", l->kernel);
        return good(code, what, site);
    }
    d->launched = number;
    vec_push(&d->pending, launched);
    if (d->pending.len >= MAX_PENDING) wait_for(number);
    return true;
}

static bool clear_errors(const CsSite *site)
{
    struct Device *d = rt.device;
    size_t bytes = CG_ERROR_WORDS * sizeof(uint32_t);
    if (!d->errors && !(d->errors = buffer_new(bytes, true, site))) return false;
    wait_for(d->errors->used);
    d->errors->host_stale = false; /* nobody asks what a launch wrote that failed */
    void *words = buffer_host(d->errors, true, site);
    if (!words) return false;
    memset(words, 0, bytes);
    return true;
}

bool device_run(DeviceProgram *p, const CgSchedule *s, Buffer *const *slots, Buffer *out,
                bool can_fail, const CsSite *site)
{
    struct Device *d = rt.device;
    if (d->stuck) {
        rt_throw(RT_DEVICE, site, "the device has failed and does not answer");
        return false;
    }
    if (!d->none && !(d->none = buffer_new(64, true, site))) return false;
    if (can_fail && !clear_errors(site)) return false;
    bool ok = true;
    Buffer **temps = calloc((size_t)s->ntemps + 1, sizeof *temps);
    if (!temps) {
        rt_throw_memory(site, (size_t)s->ntemps);
        return false;
    }
    for (int i = 0; ok && i < s->ntemps; i++)
        ok = s->temp_bytes[i] == 0 || (temps[i] = buffer_new(s->temp_bytes[i], false, site));
    Run r = {p, slots, temps, out};
    for (int i = 0; ok && i < s->nlaunches; i++) ok = launch(&r, &s->launches[i], site);
    clFlush(d->queue); /* where it fails, waiting does too */
    /* The queue is in order: whoever gets these blocks next on the device comes later. */
    for (int i = 0; i < s->ntemps; i++) buffer_release(temps[i]);
    free(temps);
    return ok;
}

bool device_errors(uint32_t words[CG_ERROR_WORDS], const CsSite *site)
{
    const void *p = buffer_host(rt.device->errors, false, site);
    if (p) memcpy(words, p, CG_ERROR_WORDS * sizeof *words);
    return p != NULL;
}
