/* What the first GPU (or with an argument any first device) says of itself and does: a line "NAME VALUE UNIT" for each fact. Rates are the
 * best of ten. Bytes of copies on the device count twice, read and written. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;

static void good(cl_int code, const char *what)
{
    if (code == CL_SUCCESS) return;
    printf("%s: OpenCL error %d\n", what, (int)code);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void say_number(const char *name, cl_device_info what)
{
    uint64_t v = 0;
    if (clGetDeviceInfo(device, what, sizeof v, &v, NULL) == CL_SUCCESS)
        printf("%s %llu\n", name, (unsigned long long)v);
}

static void say_text(const char *name, cl_device_info what)
{
    char text[4096] = "";
    if (clGetDeviceInfo(device, what, sizeof text, text, NULL) == CL_SUCCESS)
        printf("%s %s\n", name, text);
}

static cl_mem buffer(size_t bytes, cl_mem_flags flags)
{
    cl_int code;
    cl_mem m = clCreateBuffer(context, CL_MEM_READ_WRITE | flags, bytes, NULL, &code);
    good(code, "buffer");
    return m;
}

static cl_kernel kernel(const char *text, const char *name)
{
    cl_int code;
    cl_program p = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    good(code, "program");
    good(clBuildProgram(p, 1, &device, "", NULL, NULL), "build");
    cl_kernel k = clCreateKernel(p, name, &code);
    good(code, "kernel");
    return k;
}

/* Seconds of the least of ten launches, from enqueueing to the end. */
static double launched(cl_kernel k, cl_uint dims, const size_t *global, const size_t *local)
{
    double least = 1e30;
    for (int i = 0; i < 10; i++) {
        double from = now();
        cl_int code = clEnqueueNDRangeKernel(queue, k, dims, NULL, global, local, 0, NULL, NULL);
        if (code != CL_SUCCESS || clFinish(queue) != CL_SUCCESS) return -1;
        double took = now() - from;
        if (took < least) least = took;
    }
    return least;
}

static void launches(void)
{
    cl_kernel k = kernel(
        "__kernel void none(__global int *a) { if (get_group_id(1) == 65535) a[0] = 7; }", "none");
    cl_mem m = buffer(64, 0);
    int zero = 0, got = 0;
    good(clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL), "write");
    good(clSetKernelArg(k, 0, sizeof m, &m), "argument");
    size_t one[] = {32, 1}, many[] = {32, 65536}, group[] = {32, 1};
    printf("empty_launch %.2f us\n", launched(k, 1, one, group) * 1e6);
    double took = launched(k, 2, many, group);
    good(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL), "read");
    printf("groups_65536_in_dimension_1 %s\n", took < 0 ? "refused" : got == 7 ? "run" : "lost");
    double from = now();
    enum { LAUNCHES = 1000 };
    for (int i = 0; i < LAUNCHES; i++)
        good(clEnqueueNDRangeKernel(queue, k, 1, NULL, one, group, 0, NULL, NULL), "launch");
    good(clFinish(queue), "finish");
    printf("launch_after_launch %.2f us\n", (now() - from) / LAUNCHES * 1e6);
}

static double copied(cl_mem m, void *host, size_t bytes, int to_device)
{
    double least = 1e30;
    for (int i = 0; i < 10; i++) {
        double from = now();
        good(to_device ? clEnqueueWriteBuffer(queue, m, CL_TRUE, 0, bytes, host, 0, NULL, NULL)
                       : clEnqueueReadBuffer(queue, m, CL_TRUE, 0, bytes, host, 0, NULL, NULL),
             "copy");
        double took = now() - from;
        if (took < least) least = took;
    }
    return (double)bytes / least * 1e-9;
}

static void copies(size_t bytes)
{
    cl_int code;
    cl_mem a = buffer(bytes, 0), b = buffer(bytes, 0),
           pinned = buffer(bytes, CL_MEM_ALLOC_HOST_PTR);
    char *pageable = calloc(1, bytes);
    memset(pageable, 1, bytes);
    void *host = clEnqueueMapBuffer(queue, pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0,
                                    NULL, NULL, &code);
    good(code, "map");
    printf("to_device_pageable %.1f GB/s\n", copied(a, pageable, bytes, 1));
    printf("to_host_pageable %.1f GB/s\n", copied(a, pageable, bytes, 0));
    printf("to_device_pinned %.1f GB/s\n", copied(a, host, bytes, 1));
    printf("to_host_pinned %.1f GB/s\n", copied(a, host, bytes, 0));
    double least = 1e30;
    for (int i = 0; i < 10; i++) {
        cl_event e;
        cl_ulong from = 0, to = 0;
        good(clEnqueueCopyBuffer(queue, a, b, 0, 0, bytes, 0, NULL, &e), "copy");
        good(clFinish(queue), "finish");
        clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_START, sizeof from, &from, NULL);
        clGetEventProfilingInfo(e, CL_PROFILING_COMMAND_END, sizeof to, &to, NULL);
        clReleaseEvent(e);
        if ((double)(to - from) < least) least = (double)(to - from);
    }
    printf("copy %.1f GB/s\n", 2 * (double)bytes / least);
    free(pageable);
}

static void arithmetic(size_t units)
{
    cl_kernel k = kernel(
        "__kernel void fma8(__global float *a) {\n"
        "    float x = get_global_id(0), c = a[0], s0 = x, s1 = x + 1, s2 = x + 2, s3 = x + 3, s4 "
        "= x, s5 = x, s6 = x, s7 = x;\n"
        "    for (int i = 0; i < 4096; i++) {\n"
        "        s0 = fma(s0, c, x); s1 = fma(s1, c, x); s2 = fma(s2, c, x); s3 = fma(s3, c, x);\n"
        "        s4 = fma(s4, c, x); s5 = fma(s5, c, x); s6 = fma(s6, c, x); s7 = fma(s7, c, x);\n"
        "    }\n"
        "    a[get_global_id(0)] = s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7;\n"
        "}\n",
        "fma8");
    size_t group = 256, items = units * 16 * group;
    cl_mem m = buffer(items * sizeof(float), 0);
    good(clSetKernelArg(k, 0, sizeof m, &m), "argument");
    printf("fma_peak %.3g TFLOP/s\n",
           (double)items * 4096 * 8 * 2 / launched(k, 1, &items, &group) * 1e-12);
}

int main(int argc, char **argv)
{
    cl_platform_id platforms[8];
    cl_uint n = 0, found = 0;
    (void)argv;
    good(clGetPlatformIDs(8, platforms, &n), "platforms");
    cl_device_type type = argc > 1 ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_GPU;
    for (cl_uint i = 0; i < n && i < 8 && !found; i++)
        if (clGetDeviceIDs(platforms[i], type, 1, &device, &found) != CL_SUCCESS) found = 0;
    if (!found) return puts("no GPU"), 1;
    cl_int code;
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    good(code, "context");
    queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &code);
    good(code, "queue");
    say_text("device", CL_DEVICE_NAME);
    say_text("driver", CL_DRIVER_VERSION);
    say_text("version", CL_DEVICE_VERSION);
    say_number("units", CL_DEVICE_MAX_COMPUTE_UNITS);
    say_number("megahertz", CL_DEVICE_MAX_CLOCK_FREQUENCY);
    say_number("memory", CL_DEVICE_GLOBAL_MEM_SIZE);
    say_number("largest_buffer", CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    say_number("local_bytes", CL_DEVICE_LOCAL_MEM_SIZE);
    say_number("cache", CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    say_number("max_group", CL_DEVICE_MAX_WORK_GROUP_SIZE);
    say_number("unified", CL_DEVICE_HOST_UNIFIED_MEMORY);
    say_number("single_config", CL_DEVICE_SINGLE_FP_CONFIG);
    say_text("extensions", CL_DEVICE_EXTENSIONS);
    launches();
    copies(argc > 1 ? 1 << 20 : 256 << 20);
    uint64_t units = 0;
    clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof(cl_uint), &units, NULL);
    arithmetic(units);
    return 0;
}
