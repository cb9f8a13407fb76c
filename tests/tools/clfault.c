/* An OpenCL that fails when it is told to; to be preloaded. Only what runtime/device*.c call.
 *
 * CL_FAULT=FUNCTION:N:CODE: the N-th call of FUNCTION fails with CODE.
 * CL_FAULT=FUNCTION:N+:CODE: so do all later ones.
 * CL_FAULT=launch:N:CODE: the N-th launch is accepted, never runs, its event ends with CODE.
 * CL_FAULT=status:N:CODE: clCreateProgramWithBinary succeeds, the binary's status is CODE.
 * CL_FAULT=A,B: both.
 * CL_COUNT=FILE: at the end, appends lines of a function and the number of its calls.
 * CL_LIE=mapped, copied: the CPU says that it is a GPU, with or without the host's memory.
 * CL_SLOW=MS: clBuildProgram takes longer by as many milliseconds.
 * CL_LIE=small: the largest buffer is 1 MiB.
 * CL_DRIVER=NAME: what the platform and, as its version, the driver are called.
 *
 * A call that fails does nothing, but for releases, which release. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Call {
    const char *name;
    long count;
    struct Call *next;
} Call;

static Call *calls;
static cl_event doomed[1024]; /* events of launches that never ran */
static int ndoomed;

static void write_counts(void)
{
    const char *path = getenv("CL_COUNT");
    FILE *f = path ? fopen(path, "a") : NULL;
    if (!f) return;
    for (Call *c = calls; c; c = c->next) fprintf(f, "%s %ld\n", c->name, c->count);
    fclose(f);
}

/* Counts a call; the code with which it is to fail, or 0. */
static cl_int fault(Call *c)
{
    if (c->count++ == 0) {
        if (!calls) atexit(write_counts);
        c->next = calls;
        calls = c;
    }
    const char *slow = strcmp(c->name, "clBuildProgram") == 0 ? getenv("CL_SLOW") : NULL;
    if (slow) usleep((useconds_t)(atoi(slow) * 1000));
    size_t n = strlen(c->name);
    for (const char *wish = getenv("CL_FAULT"); wish && *wish;) {
        if (strncmp(wish, c->name, n) == 0 && wish[n] == ':') {
            char *end;
            long at = strtol(wish + n + 1, &end, 10);
            bool later = *end == '+';
            if (later) end++;
            if (*end == ':' && (c->count == at || (later && c->count > at)))
                return (cl_int)strtol(end + 1, NULL, 10);
        }
        wish += strcspn(wish, ",");
        wish += *wish == ',';
    }
    return 0;
}

static void *real(const char *name)
{
    void *f = dlsym(RTLD_NEXT, name);
    if (f) return f;
    fprintf(stderr, "clfault: no %s\n", name);
    abort();
}

static bool lies(const char *how)
{
    const char *lie = getenv("CL_LIE");
    return lie && strcmp(lie, how) == 0;
}

/* A function that returns a code. */
#define CODE(name, params, args)                                                                   \
    cl_int name params                                                                             \
    {                                                                                              \
        static Call call = {#name, 0, NULL};                                                       \
        cl_int code = fault(&call);                                                                \
        static cl_int(*f) params;                                                                  \
        if (!f) *(void **)&f = real(#name);                                                        \
        return code ? code : f args;                                                               \
    }
/* A release: done in any case. */
#define RELEASE(name, type)                                                                        \
    cl_int name(type x)                                                                            \
    {                                                                                              \
        static Call call = {#name, 0, NULL};                                                       \
        cl_int code = fault(&call);                                                                \
        static cl_int (*f)(type);                                                                  \
        if (!f) *(void **)&f = real(#name);                                                        \
        cl_int done = f(x);                                                                        \
        return code ? code : done;                                                                 \
    }
/* One that returns an object and the code behind a pointer. */
#define OBJECT(type, name, params, args)                                                           \
    type name params                                                                               \
    {                                                                                              \
        static Call call = {#name, 0, NULL};                                                       \
        cl_int bad = fault(&call);                                                                 \
        static type(*f) params;                                                                    \
        if (!f) *(void **)&f = real(#name);                                                        \
        if (!bad) return f args;                                                                   \
        if (code) *code = bad;                                                                     \
        return NULL;                                                                               \
    }

typedef void CL_CALLBACK ContextNotify(const char *, const void *, size_t, void *);
typedef void CL_CALLBACK BuildNotify(cl_program, void *);

CODE(clGetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *out), (n, p, out))
CODE(clGetDeviceIDs, (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *out),
     (p, t, n, d, out))
OBJECT(cl_context, clCreateContext,
       (const cl_context_properties *p, cl_uint n, const cl_device_id *d, ContextNotify *notify,
        void *u, cl_int *code),
       (p, n, d, notify, u, code))
OBJECT(cl_command_queue, clCreateCommandQueue,
       (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *code), (c, d, p, code))
OBJECT(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags m, size_t n, void *h, cl_int *code),
       (c, m, n, h, code))
OBJECT(cl_program, clCreateProgramWithSource,
       (cl_context c, cl_uint n, const char **s, const size_t *l, cl_int *code), (c, n, s, l, code))
OBJECT(cl_kernel, clCreateKernel, (cl_program p, const char *n, cl_int *code), (p, n, code))
OBJECT(void *, clEnqueueMapBuffer,
       (cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f0, size_t o, size_t n, cl_uint w,
        const cl_event *e, cl_event *out, cl_int *code),
       (q, m, b, f0, o, n, w, e, out, code))
CODE(clBuildProgram,
     (cl_program p, cl_uint n, const cl_device_id *d, const char *o, BuildNotify *notify, void *u),
     (p, n, d, o, notify, u))
CODE(clGetProgramBuildInfo,
     (cl_program p, cl_device_id d, cl_program_build_info w, size_t n, void *v, size_t *out),
     (p, d, w, n, v, out))
CODE(clRetainProgram, (cl_program p), (p))
CODE(clGetProgramInfo, (cl_program p, cl_program_info w, size_t n, void *v, size_t *out),
     (p, w, n, v, out))
CODE(clSetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v))
CODE(clEnqueueReadBuffer,
     (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, void *p, cl_uint w,
      const cl_event *e, cl_event *out),
     (q, m, b, o, n, p, w, e, out))
CODE(clEnqueueWriteBuffer,
     (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, const void *p, cl_uint w,
      const cl_event *e, cl_event *out),
     (q, m, b, o, n, p, w, e, out))
CODE(clEnqueueUnmapMemObject,
     (cl_command_queue q, cl_mem m, void *p, cl_uint w, const cl_event *e, cl_event *out),
     (q, m, p, w, e, out))
CODE(clFinish, (cl_command_queue q), (q))
CODE(clFlush, (cl_command_queue q), (q))
CODE(clWaitForEvents, (cl_uint n, const cl_event *e), (n, e))
CODE(clGetEventProfilingInfo, (cl_event e, cl_profiling_info w, size_t n, void *v, size_t *out),
     (e, w, n, v, out))
RELEASE(clReleaseEvent, cl_event)
RELEASE(clReleaseKernel, cl_kernel)
RELEASE(clReleaseProgram, cl_program)
RELEASE(clReleaseMemObject, cl_mem)
RELEASE(clReleaseCommandQueue, cl_command_queue)
RELEASE(clReleaseContext, cl_context)

cl_program clCreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *d,
                                     const size_t *l, const unsigned char **b, cl_int *status,
                                     cl_int *code)
{
    static Call call = {"clCreateProgramWithBinary", 0, NULL}, odd = {"status", 0, NULL};
    static cl_program (*f)(cl_context, cl_uint, const cl_device_id *, const size_t *,
                           const unsigned char **, cl_int *, cl_int *);
    if (!f) *(void **)&f = real("clCreateProgramWithBinary");
    cl_int bad = fault(&call), binary = fault(&odd);
    if (bad && code) *code = bad;
    if (bad) return NULL;
    cl_program p = f(c, n, d, l, b, status, code);
    if (binary && status) *status = binary;
    return p;
}

static void rename_driver(size_t n, char *v)
{
    const char *name = getenv("CL_DRIVER");
    if (name) snprintf(v, n, "%s", name);
}

cl_int clGetPlatformInfo(cl_platform_id p, cl_platform_info what, size_t n, void *v, size_t *out)
{
    static cl_int (*f)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
    if (!f) *(void **)&f = real("clGetPlatformInfo");
    cl_int code = f(p, what, n, v, out);
    if (!code && v && what == CL_PLATFORM_NAME) rename_driver(n, v);
    return code;
}

cl_int clGetDeviceInfo(cl_device_id d, cl_device_info what, size_t n, void *v, size_t *out)
{
    static Call call = {"clGetDeviceInfo", 0, NULL};
    static cl_int (*f)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    if (!f) *(void **)&f = real("clGetDeviceInfo");
    cl_int code = fault(&call);
    if (!code) code = f(d, what, n, v, out);
    if (code || !v) return code;
    if (what == CL_DRIVER_VERSION) rename_driver(n, v);
    bool mapped = lies("mapped"), copied = lies("copied");
    if (what == CL_DEVICE_TYPE && (mapped || copied)) *(cl_device_type *)v = CL_DEVICE_TYPE_GPU;
    if (what == CL_DEVICE_HOST_UNIFIED_MEMORY && copied) *(cl_bool *)v = CL_FALSE;
    if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && lies("small")) *(cl_ulong *)v = 1 << 20;
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset,
                              const size_t *global, const size_t *local, cl_uint nwait,
                              const cl_event *wait, cl_event *event)
{
    static Call call = {"clEnqueueNDRangeKernel", 0, NULL}, launch = {"launch", 0, NULL};
    static cl_int (*f)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *,
                       const size_t *, cl_uint, const cl_event *, cl_event *);
    static cl_int (*marker)(cl_command_queue, cl_uint, const cl_event *, cl_event *);
    if (!f) *(void **)&f = real("clEnqueueNDRangeKernel");
    if (!marker) *(void **)&marker = real("clEnqueueMarkerWithWaitList");
    cl_int code = fault(&call);
    if (code) return code;
    if (!fault(&launch)) return f(q, k, dims, offset, global, local, nwait, wait, event);
    cl_event own;
    code = marker(q, nwait, wait, event ? event : &own);
    if (event && !code && ndoomed < 1024) doomed[ndoomed++] = *event;
    return code;
}

cl_int clGetEventInfo(cl_event e, cl_event_info what, size_t n, void *v, size_t *out)
{
    static Call call = {"clGetEventInfo", 0, NULL};
    static cl_int (*f)(cl_event, cl_event_info, size_t, void *, size_t *);
    if (!f) *(void **)&f = real("clGetEventInfo");
    cl_int code = fault(&call);
    if (code) return code;
    code = f(e, what, n, v, out);
    if (what != CL_EVENT_COMMAND_EXECUTION_STATUS || code || !v) return code;
    for (int i = 0; i < ndoomed; i++)
        if (doomed[i] == e) {
            const char *wish = strrchr(getenv("CL_FAULT"), ':');
            *(cl_int *)v = (cl_int)strtol(wish + 1, NULL, 10);
            doomed[i] = NULL;
        }
    return code;
}
