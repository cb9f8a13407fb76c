/* Peer: the product of two n by n float matrices by the hand-written kernels of sgemm.cl.
 * `sgemm_opencl N SGEMM.CL` tries the schedules that suit the size, as an author tuning for the
 * machine would, and times the best one: packing, launches and the wait for the end included. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <string.h>

#include "bench.h"

typedef struct Device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_uint width; /* floats in a vector register */
} Device;

typedef struct Plan {
    const char *name;
    bool packed;
    int k;     /* steps of a block; at least n where B's panel is packed by the work-item */
    int tiles; /* row tiles (and column tiles) of a work-item; negative: that many parts of all */
} Plan;

typedef struct Product {
    Device *d;
    size_t n, rows, columns; /* rows and columns of tiles */
    size_t blocks, tiles;
    bool packed;
    cl_mem a, b, c, pa, pb;
    cl_kernel multiply, pack_a, pack_b;
} Product;

static void check(cl_int e, const char *what)
{
    if (e == CL_SUCCESS) return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, (int)e);
    exit(1);
}

/* The first CPU device, else the first device at all. */
static Device open_device(void)
{
    cl_platform_id platforms[16];
    cl_uint n = 0;
    cl_int e;
    Device d = {0};
    if (clGetPlatformIDs(16, platforms, &n) != CL_SUCCESS || n == 0) {
        fputs("no OpenCL platform: install pocl-opencl-icd\n", stderr);
        exit(1);
    }
    for (int pass = 0; pass < 2 && !d.id; pass++)
        for (cl_uint i = 0; i < n && !d.id; i++)
            if (clGetDeviceIDs(platforms[i], pass ? CL_DEVICE_TYPE_ALL : CL_DEVICE_TYPE_CPU, 1,
                               &d.id, NULL) != CL_SUCCESS)
                d.id = NULL;
    if (!d.id) check(CL_DEVICE_NOT_FOUND, "device");
    d.context = clCreateContext(NULL, 1, &d.id, NULL, NULL, &e);
    check(e, "context");
    d.queue = clCreateCommandQueue(d.context, d.id, 0, &e);
    check(e, "queue");
    check(
        clGetDeviceInfo(d.id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof d.width, &d.width, NULL),
        "vector width");
    if (d.width < 4) d.width = 4;
    if (d.width > 16) d.width = 16;
    return d;
}

static cl_mem wrap(const Device *d, float *p, size_t n)
{
    cl_int e;
    cl_mem m = clCreateBuffer(d->context, p ? CL_MEM_USE_HOST_PTR : 0, n * sizeof *p, p, &e);
    check(e, "buffer");
    return m;
}

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = calloc(1, 1 << 16);
    if (!f || !text || fread(text, 1, (1 << 16) - 1, f) == 0) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(f);
    return text;
}

static cl_program build(const Device *d, const char *text, int mr, int k)
{
    char options[200], log[10000] = "";
    cl_int e;
    snprintf(options, sizeof options,
             "-cl-fast-relaxed-math -cl-mad-enable -DMR=%d -DNV=2 -DVW=%u -DK=%d", mr,
             (unsigned)d->width, k);
    cl_program p = clCreateProgramWithSource(d->context, 1, &text, NULL, &e);
    check(e, "program");
    e = clBuildProgram(p, 1, &d->id, options, NULL, NULL);
    if (e != CL_SUCCESS) {
        clGetProgramBuildInfo(p, d->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        fputs(log, stderr);
    }
    check(e, "build");
    return p;
}

/* A kernel of up to three buffers and two numbers. */
static cl_kernel kernel(cl_program p, const char *name, const cl_mem *buffers, cl_uint nbuffers,
                        const cl_int *numbers, cl_uint nnumbers)
{
    cl_int e;
    cl_kernel k = clCreateKernel(p, name, &e);
    check(e, name);
    for (cl_uint i = 0; i < nbuffers; i++)
        check(clSetKernelArg(k, i, sizeof *buffers, &buffers[i]), name);
    for (cl_uint i = 0; i < nnumbers; i++)
        check(clSetKernelArg(k, nbuffers + i, sizeof *numbers, &numbers[i]), name);
    return k;
}

static void launch(const Product *p, cl_kernel k, size_t x, size_t y)
{
    check(clEnqueueNDRangeKernel(p->d->queue, k, 2, NULL, (size_t[]){x, y}, (size_t[]){1, 1}, 0,
                                 NULL, NULL),
          "launch");
}

static void multiply(void *ctx)
{
    Product *p = ctx;
    size_t x = (p->rows + p->tiles - 1) / p->tiles, y = p->columns;
    if (p->packed) {
        launch(p, p->pack_a, p->rows, p->blocks);
        launch(p, p->pack_b, p->columns, p->blocks);
        y = (p->columns + p->tiles - 1) / p->tiles;
    }
    launch(p, p->multiply, x, y);
    check(clFinish(p->d->queue), "finish");
}

static Product prepare(Device *d, const char *text, const Plan *plan, size_t n, const cl_mem abc[3])
{
    size_t mr = d->width == 16 ? 12 : 6, nr = 2 * d->width, k = plan->k ? (size_t)plan->k : n;
    Product p = {.d = d, .n = n, .packed = plan->packed, .a = abc[0], .b = abc[1], .c = abc[2]};
    p.rows = (n + mr - 1) / mr;
    p.columns = (n + nr - 1) / nr;
    p.blocks = (n + k - 1) / k;
    size_t parts = (size_t)(plan->tiles < 0 ? -plan->tiles : 1);
    p.tiles = plan->tiles > 0 ? (size_t)plan->tiles : (p.rows + parts - 1) / parts;
    cl_program program = build(d, text, (int)mr, (int)k);
    cl_int numbers[2] = {(cl_int)n, (cl_int)p.tiles};
    if (plan->packed) {
        p.pa = wrap(d, NULL, p.blocks * k * p.rows * mr);
        p.pb = wrap(d, NULL, p.blocks * k * p.columns * nr);
        p.pack_a = kernel(program, "pack_a", (cl_mem[]){p.a, p.pa}, 2, numbers, 1);
        p.pack_b = kernel(program, "pack_b", (cl_mem[]){p.b, p.pb}, 2, numbers, 1);
        p.multiply = kernel(program, "packed", (cl_mem[]){p.pa, p.pb, p.c}, 3, numbers, 2);
    } else {
        p.multiply = kernel(program, "panel", abc, 3, numbers, 2);
    }
    multiply(&p); /* compiles */
    return p;
}

int main(int argc, char **argv)
{
    static const Plan plans[] = {
        {"panel/1", false, 0, -1},        {"panel/2", false, 0, -2},
        {"panel/4", false, 0, -4},        {"packed 384/16", true, 384, 16},
        {"packed 512/16", true, 512, 16},
    };
    size_t n = argc > 2 ? (size_t)atoi(argv[1]) : 0;
    if (n < 12) {
        fputs("usage: sgemm_opencl N SGEMM.CL (N at least 12)\n", stderr);
        return 2;
    }
    Device d = open_device();
    char *text = read_file(argv[2]);
    float *a = bench_floats(n * n, 1), *b = bench_floats(n * n, 2), *c = bench_floats(n * n, 0);
    cl_mem abc[3] = {wrap(&d, a, n * n), wrap(&d, b, n * n), wrap(&d, c, n * n)};
    Product best = {0};
    double time = 1e30;
    const char *name = "";
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        if (plans[i].packed ? n < 512 : n > 1536) continue;
        Product p = prepare(&d, text, &plans[i], n, abc);
        double t = bench_best(multiply, &p, 0.1);
        if (t >= time) continue;
        time = t;
        best = p;
        name = plans[i].name;
    }
    double again = bench_best(multiply, &best, 0.4);
    void *shown = clEnqueueMapBuffer(d.queue, abc[2], CL_TRUE, CL_MAP_READ, 0, n * n * sizeof *c, 0,
                                     NULL, NULL, NULL);
    if (!shown) check(CL_MAP_FAILURE, "map");
    bench_check_product(n, a, b, c);
    printf("%.9f %s\n", again < time ? again : time, name);
    return 0;
}
