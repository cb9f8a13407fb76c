/* Programs and launches (device.h). */
#include "device_impl.h"
#include "open/driver.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../../base/text.h"
#include "../interrupt.h"
#include "../library/console.h"
#include "memory.h"
#include "open/builtins.h"
#include "profile.h"
#include "trace.h"

struct DeviceProgram {
    cl_program program;
    int nkernels;
    cl_kernel *kernels;
    char **names;
};

/* ---- programs ----------------------------------------------------------------------- */

void device_unload(DeviceProgram *p)
{
    if (!p) return;
    bool whole = !rt.device->leaving;
    for (int i = 0; i < p->nkernels; i++) {
        if (p->kernels[i] && whole) clReleaseKernel(p->kernels[i]);
        mem_object_free(p->names[i]);
    }
    mem_object_free(p->kernels);
    mem_object_free(p->names);
    if (whole) clReleaseProgram(p->program);
    mem_object_free(p);
}

static cl_kernel make_kernel(cl_program program, const char *name, const char *suffix, cl_int *code)
{
    Text whole = {0};
    text_printf(&whole, "%s%s", name, suffix);
    cl_kernel kernel = NULL;
    *code = CL_OUT_OF_HOST_MEMORY;
    if (!whole.failed) TRY_MAKE(kernel, *code, clCreateKernel(program, whole.data, code));
    text_free(&whole);
    return *code == CL_SUCCESS ? kernel : NULL;
}

/* Takes over `program`. *code says why when NULL is returned. */
static DeviceProgram *with_kernels(cl_program program, const char *const *names, int n,
                                   const char *suffix, cl_int *code)
{
    size_t room = (size_t)n + 1;
    DeviceProgram *p = mem_object(sizeof *p);
    *code = CL_SUCCESS;
    if (!p) {
        clReleaseProgram(program);
        rt_throw_memory(NULL, sizeof *p);
        return NULL;
    }
    p->program = program;
    if (!(p->kernels = mem_object(room * sizeof *p->kernels)) ||
        !(p->names = mem_object(room * sizeof *p->names))) {
        rt_throw_memory(NULL, room * sizeof *p->kernels);
        device_unload(p);
        return NULL;
    }
    for (int i = 0; i < n && *code == CL_SUCCESS; i++) {
        p->nkernels = i + 1;
        p->names[i] = mem_object(strlen(names[i]) + 1);
        if (!p->names[i]) {
            rt_throw_memory(NULL, strlen(names[i]));
            break;
        }
        memcpy(p->names[i], names[i], strlen(names[i]));
        p->kernels[i] = make_kernel(program, names[i], suffix, code);
    }
    if (*code == CL_SUCCESS && !cs_pending) return p;
    device_unload(p);
    return NULL;
}

static void throw_build(cl_program program, cl_int code, const CsSite *site)
{
    if (code == CL_INVALID_BUILD_OPTIONS && *device_build_options()) {
        rt_throw(RT_DEVICE, site, "the driver does not know the options CS_BUILD_OPTIONS=%s",
                 device_build_options());
        return;
    }
    if (code != CL_BUILD_PROGRAM_FAILURE) {
        device_good(code, "the driver cannot build a kernel", site);
        return;
    }
    size_t n = 0;
    clGetProgramBuildInfo(program, rt.device->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &n);
    char *log = mem_object(n + 1);
    if (log) clGetProgramBuildInfo(program, rt.device->id, CL_PROGRAM_BUILD_LOG, n, log, NULL);
    rt_throw(RT_DEVICE, site, "the driver cannot build a kernel (CS_DUMP=opencl shows it): %s",
             log ? log : "");
    mem_object_free(log);
}

static int64_t nanoseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* While the user waits: kernels are built once for a device. */
static cl_int build(cl_program program, const char *options)
{
    struct Device *d = rt.device;
    cl_int code;
    int64_t from = nanoseconds();
    console_flush();
    notice_begin(&d->notice, d->building);
    TRY(code, clBuildProgram(program, 1, &d->id, options, NULL, NULL));
    driver_signals();
    notice_end(&d->notice);
    int64_t took = nanoseconds() - from;
    trace_span(TRACE_HOST, "build kernels", trace_now() ? (uint64_t)from : 0,
               (uint64_t)(from + took));
    d->building += took;
    if (d->profiling) profile_built((uint64_t)took);
    return code;
}

/* Ranks launch some groups of a kernel, which have the numbers that they have among all. */
static bool count_groups(Text *out, const char *text)
{
    if (!rt.ranks.size || !strstr(text, "get_group_id")) return false;
    text_printf(out,
                "#define get_group_id(d) (get_group_id(d) + get_global_offset(d) / "
                "get_local_size(d))\n%s",
                text);
    return true;
}

/* A program made of a text, with our declarations of builtins or the driver's. NULL with *code, or
 * an exception pending. */
static cl_program compile(const char *text, const char *options, bool declares, cl_int *code,
                          const CsSite *site)
{
    struct Device *d = rt.device;
    cl_program program = NULL;
    Text all = {0}, declared = {0}, counted = {0};
    /* some drivers print the warnings of kernels: `a == a` has one */
    text_printf(&all, "-w %s %s%s%s", options ? options : "", device_build_options(),
                declares ? " " : "", declares ? BUILTINS_NONE : "");
    if (count_groups(&counted, text) && !counted.failed) text = counted.data;
    if (declares) builtins_declare(&declared, text, d->info.has_double);
    const char *parts[] = {text, text};
    if (declared.len) parts[0] = declared.data;
    bool good = !all.failed && !declared.failed && !counted.failed;
    if (!good) rt_site(site);
    if (good) {
        TRY_MAKE(program, *code,
                 clCreateProgramWithSource(d->context, declared.len ? 2 : 1, parts, NULL, code));
        good = device_good(*code, "the device takes no program", site);
    }
    if (good) *code = build(program, all.data);
    text_free(&all);
    text_free(&declared);
    text_free(&counted);
    return good ? program : NULL;
}

DeviceProgram *device_build(const char *text, const char *options, const char *const *kernels,
                            int nkernels, const CsSite *site)
{
    struct Device *d = rt.device;
    cl_int code = CL_SUCCESS;
    Text checked = {0}; /* a binary of it would come to programs that are no sessions */
    bool stops = rt.session && d->sharing == IN_PLACE && !d->binaries;
    if (stops && interrupt_text(&checked, text)) text = checked.data;
    cl_program program = compile(text, options, d->declares, &code, site);
    if (program && code == CL_BUILD_PROGRAM_FAILURE && d->declares) {
        clReleaseProgram(program); /* another version of the driver? */
        program = compile(text, options, d->declares = false, &code, site);
    }
    text_free(&checked);
    if (!program) return NULL;
    if (code != CL_SUCCESS) {
        throw_build(program, code, site);
        clReleaseProgram(program);
        return NULL;
    }
    DeviceProgram *p = with_kernels(program, kernels, nkernels, "", &code);
    device_good(code, "a kernel that was built cannot be had", site);
    rt_site(site);
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
    return with_kernels(program, kernels, nkernels, "", &code);
}

DeviceProgram *device_part(const DeviceProgram *whole, const char *suffix,
                           const char *const *kernels, int nkernels, const CsSite *site)
{
    cl_int code = clRetainProgram(whole->program);
    if (!device_good(code, "a program cannot be shared", site)) return NULL;
    DeviceProgram *p = with_kernels(whole->program, kernels, nkernels, suffix, &code);
    device_good(code, "a kernel that was built cannot be had", site);
    rt_site(site);
    return p;
}

void *device_binary(const DeviceProgram *p, size_t *size)
{
    size_t n = 0;
    if (clGetProgramInfo(p->program, CL_PROGRAM_BINARY_SIZES, sizeof n, &n, NULL) || n == 0)
        return NULL;
    unsigned char *bytes = mem_object(n);
    if (bytes && clGetProgramInfo(p->program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL)) {
        mem_object_free(bytes);
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

static Buffer *buffer_of(const DeviceRun *r, const CgArg *a)
{
    Buffer *b = a->kind == CG_ARG_SLOT   ? r->slots[a->index]
                : a->kind == CG_ARG_TEMP ? r->temps[a->index]
                : a->kind == CG_ARG_OUT  ? r->outs[a->index]
                                         : rt.device->errors;
    return b ? b : rt.device->none;
}

/* These items; items NULL: all. In work-groups where there are such. */
static cl_int enqueue(cl_kernel kernel, const CgLaunch *l, const DivisionRange *items,
                      cl_event *event)
{
    cl_int code;
    size_t from[3] = {0}, n[3] = {l->global[0], l->global[1], l->global[2]};
    if (items) {
        size_t each = l->local[0] ? l->local[items->dim] : 1;
        from[items->dim] = (size_t)items->from * each;
        n[items->dim] = (size_t)(items->to - items->from) * each;
    }
    TRY(code,
        clEnqueueNDRangeKernel(rt.device->queue, kernel, (cl_uint)l->dims, items ? from : NULL, n,
                               l->local[0] ? l->local : NULL, 0, NULL, event));
    return code;
}

/* The last launch that could fail did not, and was waited for. */
static bool are_clear(const Buffer *errors)
{
    static const uint32_t none[CG_ERROR_WORDS];
    return !errors->host_stale && errors->host && memcmp(errors->host, none, sizeof none) == 0;
}

static bool clear_errors(const CsSite *site)
{
    struct Device *d = rt.device;
    size_t bytes = CG_ERROR_WORDS * sizeof(uint32_t);
    if (!d->errors && !(d->errors = buffer_new(bytes, true, site))) return false;
    if (are_clear(d->errors)) return true;
    device_wait(d->errors->used);
    d->errors->host_stale = false; /* nobody asks what a launch wrote that failed */
    void *words = buffer_host(d->errors, true, site);
    if (!words) return false;
    memset(words, 0, bytes);
    return true;
}

/* In place any address of it can be read; elsewhere it has the bytes. */
bool device_nothing(size_t bytes, const CsSite *site)
{
    enum { FEW = 64 };
    struct Device *d = rt.device;
    bool place = d->sharing == IN_PLACE;
    if (d->none && (place || d->none->bytes >= bytes)) return true;
    buffer_release(d->none);
    d->none = place ? buffer_borrow(memory_nothing(), FEW, site)
                    : buffer_new(bytes < FEW ? FEW : bytes, true, site);
    return d->none != NULL;
}

bool device_begin(DeviceRun *r, bool can_fail, const CsSite *site)
{
    struct Device *d = rt.device;
    const CgSchedule *s = r->schedule;
    if (d->stuck) {
        rt_throw(RT_DEVICE, site, "the device has failed and does not answer");
        return false;
    }
    if (!d->none && !device_nothing(0, site)) return false;
    if (can_fail && !clear_errors(site)) return false;
    bool ok = true;
    r->temps = mem_object(((size_t)s->ntemps + 1) * sizeof *r->temps);
    if (!r->temps) rt_throw_memory(site, (size_t)s->ntemps);
    for (int i = 0; r->temps && ok && i < s->ntemps; i++)
        ok = s->temp_bytes[i] == 0 || (r->temps[i] = buffer_new(s->temp_bytes[i], false, site));
    return ok && r->temps;
}

bool device_launch(const DeviceRun *r, const CgLaunch *l, const DivisionRange *items,
                   const CsSite *site)
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
    bool none =
        items &&
        items->from >= items->to; /* others write: the buffers' states are alike on all ranks */
    uint64_t number = none ? d->launched : d->launched + 1, bytes = 0;
    for (int i = 0; i < l->nargs && code == CL_SUCCESS; i++) {
        const CgArg *a = &l->args[i];
        if (a->kind == CG_ARG_BYTES) {
            code = clSetKernelArg(kernel, (cl_uint)i, a->size, a->bytes);
            continue;
        }
        Buffer *b = buffer_of(r, a);
        if (!device_take(b, site)) return false;
        cl_mem memory = b->device;
        code = clSetKernelArg(kernel, (cl_uint)i, sizeof memory, &memory);
        if (b->used != number) bytes += b->bytes;
        b->used = number;
        if (is_written(a)) {
            b->written = number;
            b->host_stale = true;
        }
    }
    if (none && d->profiling) profile_add(profile_now(), l->kernel, 0, 0);
    if (none && code == CL_SUCCESS) return true;
    if (!vec_try(&d->pending) || !vec_try(&d->lost)) { /* waiting may have to tell a failure */
        rt_throw_memory(site, sizeof(Launched));
        return false;
    }
    Launched launched = {
        .number = number, .bytes = bytes, .kernel = r->program->names[k], .owner = profile_now()};
    if (code == CL_SUCCESS) code = enqueue(kernel, l, items, &launched.event);
    if (code != CL_SUCCESS) {
        char what[96];
        snprintf(what, sizeof what, "kernel %.60s cannot be launched", l->kernel);
        return device_good(code, what, site);
    }
    d->launched = number;
    vec_push(&d->pending, launched);
    if (d->pending.len >= MAX_PENDING) device_wait(number);
    return true;
}

void device_end(DeviceRun *r)
{
    clFlush(rt.device->queue); /* where it fails, waiting does too */
    /* The queue is in order: whoever gets these blocks next on the device comes later. */
    for (int i = 0; r->temps && i < r->schedule->ntemps; i++) buffer_release(r->temps[i]);
    mem_object_free(r->temps);
}

bool device_run(DeviceRun *r, bool can_fail, const CsSite *site)
{
    bool ok = device_begin(r, can_fail, site);
    for (int i = 0; ok && i < r->schedule->nlaunches; i++)
        ok = device_launch(r, &r->schedule->launches[i], NULL, site);
    device_end(r);
    return ok;
}

bool device_errors(uint32_t words[CG_ERROR_WORDS], const CsSite *site)
{
    const void *p = buffer_host(rt.device->errors, false, site);
    if (p) memcpy(words, p, CG_ERROR_WORDS * sizeof *words);
    return p != NULL;
}

bool device_set_errors(const uint32_t words[CG_ERROR_WORDS], const CsSite *site)
{
    void *p = buffer_host(rt.device->errors, true, site);
    if (p) memcpy(p, words, CG_ERROR_WORDS * sizeof *words);
    return p != NULL;
}
