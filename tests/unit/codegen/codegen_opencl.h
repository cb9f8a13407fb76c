/* Generated texts on the first OpenCL device (codegen_run.h). */
#ifndef TESTS_CODEGEN_OPENCL_H
#define TESTS_CODEGEN_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "../suite.h"

static cl_device_id cl_device;
static cl_context cl_ctx;
static cl_command_queue cl_queue;

static void cl_open(void)
{
    cl_platform_id platform;
    if (cl_queue) return;
    ck_assert_int_eq(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
    ck_assert_int_eq(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &cl_device, NULL), CL_SUCCESS);
    cl_ctx = clCreateContext(NULL, 1, &cl_device, NULL, NULL, NULL);
    cl_queue = clCreateCommandQueue(cl_ctx, cl_device, 0, NULL);
}

/* ---- the backend ----------------------------------------------------------------------------- */

typedef struct Built {
    char *options;
    cl_program program;
} Built;

typedef struct Backend {
    Built built[2];
    int nbuilt;
} Backend;

static void backend_open(void)
{
    cl_open();
}

/* Of drawn schedules: POCL takes ten times as long for a text as native kernels do. */
enum { backend_share = 4 };

static bool backend_has(CgFamily family)
{
    (void)family;
    return true;
}

/* Native kernels are tried with every configuration, these with one in four. */
static bool backend_draws(CgFamily family, const char *text, int configuration)
{
    uint32_t hash = (uint32_t)(2 * configuration + (family == CG_GPU)) * 2654435761u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return suite_draws(hash >> 16, 4);
}

static CgDevice backend_device(CgFamily family)
{
    return (CgDevice){.family = family,
                      .units = 2,
                      .vector_bytes = 32,
                      .l1 = 32 << 10,
                      .l2 = 512 << 10,
                      .l3 = 32 << 20,
                      .max_group = 256,
                      .local_bytes = 48 << 10,
                      .has_double = true};
}

static void backend_take(void *backend, const CgCode *code)
{
    (void)backend;
    (void)code;
}

/* But that vectors wider than the machine's registers are passed otherwise elsewhere: all are inline. */
static bool warns(const char *log)
{
    for (const char *at = log; (at = strstr(at, "warning: ")); at++) {
        const char *end = strchr(at, '\n'), *known = strstr(at, "changes the ABI");
        if (!known || (end && known > end)) return true;
    }
    return false;
}

static cl_program program_of(Backend *k, const char *text, const Bound *b)
{
    char *options = cg_plan_build_options(b->plan, b->device, b->variant);
    for (int i = 0; i < k->nbuilt; i++)
        if (strcmp(k->built[i].options, options) == 0) {
            mem_free(options);
            return k->built[i].program;
        }
    cl_program p = clCreateProgramWithSource(cl_ctx, 1, &text, NULL, NULL);
    const char *more = getenv("CS_BUILD_OPTIONS"); /* as of programs */
    Text all = {0};
    text_printf(&all, "%s %s", options, more ? more : "");
    cl_int code = clBuildProgram(p, 1, &cl_device, all.data, NULL, NULL);
    text_free(&all);
    static char log[1 << 16];
    *log = '\0';
    clGetProgramBuildInfo(p, cl_device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    const char *dump = getenv("CODEGEN_TEST_DUMP"); /* a file to look at */
    if (code != CL_SUCCESS || (!warnings_allowed && warns(log)) || dump) {
        FILE *f = dump ? fopen(dump, "a") : stderr;
        fprintf(f, "==== %s\n%s\n%s\n", options, text, log);
        if (dump) fclose(f);
    }
    ck_assert_msg(code == CL_SUCCESS, "build failed: %s", log);
    ck_assert_msg(warnings_allowed || !warns(log), "warnings: %s", log);
    ck_assert_int_lt(k->nbuilt, 2);
    k->built[k->nbuilt++] = (Built){options, p};
    return p;
}

static void backend_free(Backend *k)
{
    for (int i = 0; i < k->nbuilt; i++) {
        clReleaseProgram(k->built[i].program);
        mem_free(k->built[i].options);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static cl_mem buffer(const void *data, size_t bytes)
{
    static char zeros
        [1
         << 16]; /* stand for an array without elements, whose other dimensions say where is read */
    cl_int code;
    cl_mem m = clCreateBuffer(cl_ctx, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              bytes ? bytes : sizeof zeros, bytes ? (void *)(uintptr_t)data : zeros,
                              &code);
    ck_assert_int_eq(code, CL_SUCCESS);
    return m;
}

typedef struct Buffers {
    cl_mem slots[MAX_SLOTS], temps[32], out, error;
} Buffers;

static void launch(cl_program program, const CgLaunch *l, Buffers *m)
{
    cl_int code;
    cl_kernel k = clCreateKernel(program, l->kernel, &code);
    ck_assert_msg(code == CL_SUCCESS, "no kernel %s", l->kernel);
    for (int i = 0; i < l->nargs; i++) {
        const CgArg *a = &l->args[i];
        cl_mem *mem = a->kind == CG_ARG_SLOT   ? &m->slots[a->index]
                      : a->kind == CG_ARG_TEMP ? &m->temps[a->index]
                      : a->kind == CG_ARG_OUT  ? &m->out
                                               : &m->error;
        code = a->kind == CG_ARG_BYTES ? clSetKernelArg(k, (cl_uint)i, a->size, a->bytes)
                                       : clSetKernelArg(k, (cl_uint)i, sizeof *mem, mem);
        ck_assert_msg(code == CL_SUCCESS, "argument %d of %s: %d", i, l->kernel, code);
    }
    code = clEnqueueNDRangeKernel(cl_queue, k, (cl_uint)l->dims, NULL, l->global,
                                  l->local[0] ? l->local : NULL, 0, NULL, NULL);
    ck_assert_msg(code == CL_SUCCESS, "launch of %s: %d", l->kernel, code);
    clReleaseKernel(k);
}

static void backend_run(Backend *k, const char *text, const Bound *b, const Memory *m)
{
    Buffers on = {.out = buffer(m->out.data, m->out.bytes),
                  .error = buffer(m->error.data, m->error.bytes)};
    for (int i = 0; i < MAX_SLOTS; i++)
        if (m->slots[i].data) on.slots[i] = buffer(m->slots[i].data, m->slots[i].bytes);
    for (int i = 0; i < b->schedule.ntemps; i++)
        on.temps[i] = buffer(m->temps[i].data, m->temps[i].bytes);
    cl_program p = program_of(k, text, b);
    for (int i = 0; i < b->schedule.nlaunches; i++) launch(p, &b->schedule.launches[i], &on);
    clEnqueueReadBuffer(cl_queue, on.out, CL_TRUE, 0, m->out.bytes, m->out.data, 0, NULL, NULL);
    clEnqueueReadBuffer(cl_queue, on.error, CL_TRUE, 0, m->error.bytes, m->error.data, 0, NULL,
                        NULL);
    for (int i = 0; i < MAX_SLOTS; i++)
        if (on.slots[i]) clReleaseMemObject(on.slots[i]);
    for (int i = 0; i < b->schedule.ntemps; i++) clReleaseMemObject(on.temps[i]);
    clReleaseMemObject(on.out);
    clReleaseMemObject(on.error);
}

#endif
