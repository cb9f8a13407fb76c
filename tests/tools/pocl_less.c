/* What POCL reads anew in every process, less what no kernel of ours calls: its header of 18,000
 * lines for each build, and its library of 22,000 functions once. tests/tools/pocl uses it.
 *
 *   pocl_less --path LIBRARY          where dlopen finds it
 *   pocl_less --probe                 builds a kernel on the first device, runs it, prints its result
 *   pocl_less LIBRARY IN OUT <WORDS   OUT is IN, a header (.h) or LLVM's bitcode (.bc), without the
 *                                     built-in functions that are made of none of the words. The
 *                                     LLVM that LIBRARY is linked with reads and writes bitcode.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 256, EXTERNAL = 0, INTERNAL = 8 /* LLVMLinkage */ };

static void fail(const char *what)
{
    fprintf(stderr, "pocl_less: %s\n", what);
    exit(1);
}

/* ---- what is needed -------------------------------------------------------------------------- */

static void *words; /* of tsearch */

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool is_word(const char *name, size_t length)
{
    char word[MAX_NAME];
    if (length >= sizeof word) return false;
    memcpy(word, name, length);
    word[length] = '\0';
    return tfind(word, &words, compare);
}

static size_t without_digits(const char *name, size_t length)
{
    while (length && isdigit((unsigned char)name[length - 1])) length--;
    return length;
}

/* Texts name functions whole, or put a type, lanes and a suffix together: convert_ int 4 _sat_rtz.
 * They have no vectors of three lanes. */
static bool needed(const char *name, size_t length)
{
    static const char start[] = "convert_";
    size_t head = sizeof start - 1;
    if (length > 4 && strncmp(name, "_cl_", 4) == 0) name += 4, length -= 4;
    if (is_word(name, length)) return true;
    if (name[length - 1] == '3') return false;
    if (is_word(name, without_digits(name, length))) return true;
    if (length <= head || strncmp(name, start, head) != 0) return false;
    const char *suffix = memchr(name + head, '_', length - head);
    if (!suffix) return name[length - 1] != '3';
    return suffix[-1] != '3' && is_word(suffix, (size_t)(name + length - suffix));
}

/* ---- headers --------------------------------------------------------------------------------- */

/* A declaration is one line of several: `float4 __ovld __cnfn sqrt(float4);`. */
static void less_header(FILE *in, FILE *out)
{
    char line[1024];
    bool skips = false;
    while (fgets(line, sizeof line, in)) {
        const char *mark = strstr(line, " __ovld"), *open = mark ? strchr(mark, '(') : NULL;
        if (mark && open && !isspace((unsigned char)*line) && *line != '#') {
            const char *name = open;
            while (isalnum((unsigned char)name[-1]) || name[-1] == '_') name--;
            skips = strncmp(name, "__attribute", 11) != 0 && !needed(name, (size_t)(open - name));
        }
        if (!skips) fputs(line, out);
        if (strchr(line, ';')) skips = false;
    }
}

/* ---- bitcode --------------------------------------------------------------------------------- */

static void *library;

/* A function of LLVM's C interface. */
static void *llvm(const char *name)
{
    void *f = dlsym(library, name);
    if (!f) fail(name);
    return f;
}

#define LLVM(name, result, ...) ((result(*)(__VA_ARGS__))(uintptr_t)llvm(#name))

/* _Z4sqrtDv4_f is sqrt; what is not mangled is POCL's own, or for other functions of the library. */
static bool is_root(const char *mangled)
{
    if (strncmp(mangled, "_Z", 2) != 0) return strncmp(mangled, "Sleef_", 6) != 0;
    char *name;
    size_t length = strtoul(mangled + 2, &name, 10);
    return length > 0 && length <= strlen(name) && needed(name, length) &&
           !strstr(name + length, "Dv3_");
}

static void less_bitcode(const char *in, const char *out)
{
    void *buffer, *module;
    char *message;
    if (LLVM(LLVMCreateMemoryBufferWithContentsOfFile, int, const char *, void **,
             char **)(in, &buffer, &message) ||
        LLVM(LLVMParseBitcode2, int, void *, void **)(buffer, &module))
        fail("cannot read the bitcode");
    void *(*next)(void *) = LLVM(LLVMGetNextFunction, void *, void *);
    const char *(*name)(void *, size_t *) = LLVM(LLVMGetValueName2, const char *, void *, size_t *);
    int (*linkage)(void *) = LLVM(LLVMGetLinkage, int, void *);
    int (*declared)(void *) = LLVM(LLVMIsDeclaration, int, void *);
    void (*set)(void *, int) = LLVM(LLVMSetLinkage, void, void *, int);
    void *first = LLVM(LLVMGetFirstFunction, void *, void *)(module), *hidden = NULL;
    size_t length;
    for (void *f = first; f; f = next(f))
        if (linkage(f) == EXTERNAL && !declared(f) && !is_root(name(f, &length))) {
            set(f, INTERNAL);
            tsearch(strdup(name(f, &length)), &hidden, compare);
        }
    void *options = LLVM(LLVMCreatePassBuilderOptions, void *, void)();
    if (LLVM(LLVMRunPasses, void *, void *, const char *, void *, void *)(module, "globaldce", NULL,
                                                                          options))
        fail("globaldce failed");
    for (void *f = LLVM(LLVMGetFirstFunction, void *, void *)(module); f; f = next(f))
        if (tfind(name(f, &length), &hidden, compare)) set(f, EXTERNAL); /* called by others */
    if (LLVM(LLVMWriteBitcodeToFile, int, void *, const char *)(module, out))
        fail("cannot write the bitcode");
}

/* ---- the driver ------------------------------------------------------------------------------ */

static int probe(void)
{
    static const char *text = "__kernel void f(__global float *a) { a[0] = sqrt(a[0]) + 2; }";
    float a = 16;
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        fail("no device");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, NULL);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    if (clBuildProgram(program, 1, &device, "", NULL, NULL)) fail("a build fails");
    cl_kernel kernel = clCreateKernel(program, "f", NULL);
    cl_mem memory =
        clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof a, &a, NULL);
    size_t one = 1;
    clSetKernelArg(kernel, 0, sizeof memory, &memory);
    clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof a, &a, 0, NULL, NULL);
    printf("%g\n", (double)a);
    return a == 6 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--probe") == 0) return probe();
    if (argc < 3) fail("see its head");
    const char *path = argv[argc == 3 ? 2 : 1];
    library = dlopen(path, RTLD_NOW);
    if (!library) fail(dlerror());
    if (argc == 3) {
        struct link_map *map;
        if (dlinfo(library, RTLD_DI_LINKMAP, &map)) fail(dlerror());
        puts(map->l_name);
        return 0;
    }
    char word[MAX_NAME];
    while (scanf("%255s", word) == 1) tsearch(strdup(word), &words, compare);
    const char *in = argv[2], *out = argv[3];
    if (strcmp(strrchr(in, '.'), ".bc") == 0) {
        less_bitcode(in, out);
        return 0;
    }
    FILE *from = fopen(in, "r"), *to = fopen(out, "w");
    if (!from || !to) fail("cannot open the header");
    less_header(from, to);
    return fclose(to) ? 1 : 0;
}
