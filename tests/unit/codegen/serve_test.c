/* Machine code of a graph is one, byte for byte, whoever makes it: csc --emit=native (its LLVM IR, with the passes run
 * on it), csc where it embeds kernels, and csc --serve for a program that runs. */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../../base/mem.h"
#include "../../../codegen/abi/serve.h"
#include "../../../codegen/llvm/machine.h"
#include "../../../codegen/native/native.h"
#include "../../../codegen/serve/serve.h"
#include "../file.h"
#include "../suite.h"

enum { OPTIMISED = 2, MODULES = 64 };

typedef struct Code { /* the objects of a text, in the order of its modules */
    Text objects[MODULES];
    int n;
} Code;

static CgNativeLevel level_here(void)
{
    CgNativeLevel level = CG_NATIVE_LEVELS - 1;
    while (level > 0 && !cg_native_level_runs(level)) level--;
    return level;
}

static void add_object(Code *c, const char *bytes, size_t size)
{
    ck_assert_int_lt(c->n, MODULES);
    text_addn(&c->objects[c->n++], bytes, size);
}

static void free_code(Code *c)
{
    for (int i = 0; i < c->n; i++) text_free(&c->objects[i]);
}

/* ---- the three ways ---------------------------------------------------------------------------- */

typedef struct Ways {
    Code printed, embedded, served;
    int nkernels;
} Ways;

static void make_object(Code *c, const char *ir, size_t size)
{
    LLVMContextRef ctx = LLVMContextCreate();
    LLVMModuleRef mod;
    char *error = NULL, *text = mem_alloc(size + 1);
    memcpy(text, ir, size);
    text[size] = '\0';
    LLVMMemoryBufferRef in = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, size, "kernels");
    ck_assert_msg(!LLVMParseIRInContext(ctx, in, &mod, &error), "%s", error);
    LLVMTargetMachineRef machine = llvm_machine(OPTIMISED);
    native_optimise(mod, machine);
    llvm_machine_module(machine, mod);
    LLVMMemoryBufferRef object = llvm_machine_code(machine, mod, LLVMObjectFile);
    add_object(c, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(mod);
    LLVMContextDispose(ctx);
    mem_free(text);
}

/* Of each module that the text has. */
static void from_text(Code *c, const char *text)
{
    static const char begin[] = "; ModuleID";
    for (const char *at = strstr(text, begin), *next; at; at = next) {
        next = strstr(at + 1, begin);
        make_object(c, at, next ? (size_t)(next - at) : strlen(at));
    }
}

static void take(void *ways, const CgCode *code)
{
    Ways *w = ways;
    const char *error, *const *names;
    CgPlan *plan = cg_plan_parse(code->text, &error);
    NativeObjects objects = {.objects = objects_new(OPTIMISED, OBJECTS_FILES, NULL),
                             .arena = arena_new()};
    const NativeOptions options = {
        .level = level_here(), .find = native_objects_find, .ctx = &objects};
    Native *n = native_new(code, plan, NULL, &options);
    ck_assert(n != NULL);
    Text ir = {0};
    native_print(&ir, n);
    from_text(&w->printed, ir.data);
    text_free(&ir);
    native_objects_add(&objects, n);
    for (size_t i = 0; i < objects_count(objects.objects); i++) {
        size_t size;
        const char *bytes = objects_bytes(objects.objects, i, &size);
        add_object(&w->embedded, bytes, size);
    }
    w->nkernels = cg_plan_kernels(plan, &names);
    native_free(n);
    cg_plan_free(plan);
    objects_free(objects.objects);
    vec_free(&objects.functions);
    arena_free(objects.arena);
}

static void put(int socket, const void *bytes, size_t n)
{
    ck_assert_int_eq(write(socket, bytes, n), (ssize_t)n);
}

static const char *get(int socket, void *bytes, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t done = read(socket, (char *)bytes + at, n - at);
        ck_assert_int_gt(done, 0);
        at += (size_t)done;
    }
    return bytes;
}

static void ask(Code *c, int socket, const ServeCode *asked, const char *graph)
{
    ServeHead head = {SERVE_CODE, 1, sizeof *asked + asked->nkernels + asked->text_bytes};
    ServeMade made;
    char *wanted = mem_alloc(asked->nkernels + 1);
    memset(wanted, 1, asked->nkernels);
    put(socket, &head, sizeof head);
    put(socket, asked, sizeof *asked);
    put(socket, wanted, asked->nkernels);
    mem_free(wanted);
    put(socket, graph, asked->text_bytes);
    get(socket, &head, sizeof head);
    ck_assert_int_eq(head.kind, SERVE_CODE);
    char *body = mem_alloc((size_t)head.bytes), *at = body;
    get(socket, body, (size_t)head.bytes);
    memcpy(&made, at, sizeof made);
    at += sizeof made;
    for (uint32_t k = 0; k < made.nkernels; k++) at += strlen(at) + 1;
    for (uint32_t i = 0; i < made.nobjects; i++) {
        uint64_t size;
        memcpy(&size, at, sizeof size);
        add_object(c, at + sizeof size, (size_t)size);
        at += sizeof size + size;
    }
    mem_free(body);
}

static void same(const char *file, const Code *a, const Code *b, const char *who)
{
    ck_assert_msg(a->n == b->n, "%s: %d modules, %s %d", file, a->n, who, b->n);
    for (int i = 0; i < a->n; i++)
        ck_assert_msg(a->objects[i].len == b->objects[i].len &&
                          memcmp(a->objects[i].data, b->objects[i].data, a->objects[i].len) == 0,
                      "%s: module %d differs, %s", file, i, who);
}

static void compare(int socket, const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "tests/fdag/%s.fdag", name);
    char *source = read_file(path), *text = NULL;
    const char *why = NULL;
    FdError error = {0};
    Fd *fd = fd_new();
    FdGraph *g = fd_read(fd, source, &why);
    ck_assert_msg(g != NULL, "%s", why);
    ck_assert(fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL));
    Ways w = {0};
    const CgOptions options = {.family = CG_CPU};
    const CgAlso also = {.take = take, .ctx = &w};
    ck_assert_int_eq(cg_lower_also(g, &options, &also, &text, &error), CG_OK);
    FdKey key = fd_key(fd, g, NULL);
    XXH128_hash_t hash = XXH3_128bits(text, cg_plan_bytes(text));
    Text graph = {0};
    fd_print(&graph, g);
    const ServeCode asked = {.key_hi = key.hi,
                             .key_lo = key.lo,
                             .plan_hi = hash.high64,
                             .plan_lo = hash.low64,
                             .level = level_here(),
                             .nkernels = (uint32_t)w.nkernels,
                             .text_bytes = (uint32_t)graph.len};
    ask(&w.served, socket, &asked, graph.data);
    ck_assert_int_gt(w.embedded.n, 0);
    same(name, &w.embedded, &w.printed, "--emit=native");
    same(name, &w.embedded, &w.served, "csc --serve");
    free_code(&w.printed);
    free_code(&w.embedded);
    free_code(&w.served);
    text_free(&graph);
    mem_free(text);
    mem_free(source);
    fd_free(fd);
}

START_TEST(one_object)
{
    static const char *const graphs[] = {"matmul",   "stencil",     "softmax", "rec_rows",
                                         "convolve", "complex",     "csr",     "sweep",
                                         "scan",     "network_ints"};
    int pair[2];
    setenv("CS_CACHE_DIR", "", 1); /* nothing is kept: all are made */
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    pid_t csc = fork();
    if (csc == 0) {
        close(pair[0]);
        serve(pair[1], NULL);
        _exit(0);
    }
    close(pair[1]);
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++) compare(pair[0], graphs[i]);
    close(pair[0]);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("serve");
    TCase *t = tcase_create("objects");
    tcase_add_test(t, one_object);
    suite_add_tcase(s, t);
    return run_suite(s);
}
