/* A request at a time: its graph is read and lowered, kernels that are wanted become objects, as they do where
 * csc embeds them (codegen/llvm/objects.h): kept ones are found, the others made on all cores. */
#include "serve.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../base/arena.h"
#include "../../base/mem.h"
#include "../../base/system/output.h"
#include "../../base/text.h"
#include "../abi/serve.h"
#include "../kernel/codegen.h"
#include "../native/native.h"
#include "generator.h"

enum { OPTIMISED = 2 /* objects_new: as csc's usual */ };

static bool receive(int socket, void *bytes, size_t n)
{
    for (char *p = bytes; n > 0;) {
        ssize_t done = read(socket, p, n);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return false;
        p += done;
        n -= (size_t)done;
    }
    return true;
}

static bool answer(int socket, const ServeHead *to, ServeKind kind, Text *body)
{
    ServeHead head = {.kind = kind, .number = to->number, .bytes = body->len};
    return output_to(socket, &head, sizeof head) == 0 &&
           output_to(socket, body->data, body->len) == 0;
}

/* ---- code -------------------------------------------------------------------------------------- */

typedef struct Making {
    const ServeCode *asked;
    const char *wanted; /* of each kernel */
    NativeObjects objects;
    Text *out;
    bool made;
} Making;

static void add_answer(Making *m, const Native *n)
{
    const char *const *names = native_functions(n);
    ServeMade made = {m->asked->nkernels, (uint32_t)objects_count(m->objects.objects)};
    text_addn(m->out, (const char *)&made, sizeof made);
    for (uint32_t k = 0; k < made.nkernels; k++) {
        const char *name = names[k] ? names[k] : "";
        text_addn(m->out, name, strlen(name) + 1);
    }
    for (uint32_t i = 0; i < made.nobjects; i++) {
        size_t size;
        const char *bytes = objects_bytes(m->objects.objects, i, &size);
        const uint64_t count = size;
        text_addn(m->out, (const char *)&count, sizeof count);
        text_addn(m->out, bytes, size);
    }
}

static void take(void *making, const CgCode *code)
{
    Making *m = making;
    const char *error, *const *names;
    XXH128_hash_t text = XXH3_128bits(code->text, cg_plan_bytes(code->text));
    bool same = text.high64 == m->asked->plan_hi && text.low64 == m->asked->plan_lo;
    CgPlan *plan = same ? cg_plan_parse(code->text, &error) : NULL;
    if (plan && (uint32_t)cg_plan_kernels(plan, &names) == m->asked->nkernels) {
        bool *runs = arena_array(m->objects.arena, bool, m->asked->nkernels + 1);
        for (uint32_t k = 0; k < m->asked->nkernels; k++) runs[k] = m->wanted[k] != 0;
        const NativeOptions options = {.level = (CgNativeLevel)m->asked->level,
                                       .stops = m->asked->stops != 0,
                                       .find = native_objects_find,
                                       .ctx = &m->objects};
        Native *n = native_new(code, plan, runs, &options);
        if (n) native_objects_add(&m->objects, n);
        if (n) add_answer(m, n);
        m->made = n != NULL;
        native_free(n);
    }
    cg_plan_free(plan);
}

static bool make_code(const ServeCode *asked, const char *wanted, const char *set,
                      const char *graph, const char *shipped, Text *out)
{
    Fd *fd = fd_new();
    FdError error = {0};
    const char *why;
    char *text = NULL;
    const FdGraph *g = fd_read(fd, graph, &why);
    FdKey key = g ? fd_key(fd, g, NULL) : (FdKey){0};
    Making m = {.asked = asked, .wanted = wanted, .out = out};
    if (g && key.hi == asked->key_hi && key.lo == asked->key_lo) {
        const CgOptions options = {.family = CG_CPU,
                                   .tile = (CgTile)asked->tile,
                                   .precise = asked->precise != 0,
                                   .seed = asked->seed,
                                   .set = set};
        const CgAlso also = {.take = take, .ctx = &m};
        Store *store = shipped ? store_open(shipped) : NULL;
        m.objects = (NativeObjects){.objects = objects_new(OPTIMISED, OBJECTS_FILES, store),
                                    .arena = arena_new()};
        cg_lower_also(g, &options, &also, &text, &error);
        mem_free(text);
        objects_free(m.objects.objects);
        vec_free(&m.objects.functions);
        arena_free(m.objects.arena);
    }
    fd_free(fd);
    return m.made;
}

/* What the body says; false: it says nothing. */
static bool meet(const char *body, uint64_t bytes, const char *shipped, Text *out)
{
    ServeCode asked;
    if (bytes < sizeof asked) return false;
    memcpy(&asked, body, sizeof asked);
    uint64_t rest = bytes - sizeof asked;
    if (asked.level < 0 || asked.level >= CG_NATIVE_LEVELS ||
        rest != (uint64_t)asked.nkernels + asked.set_bytes + asked.text_bytes)
        return false;
    const char *wanted = body + sizeof asked, *set = wanted + asked.nkernels;
    char *given = asked.set_bytes ? mem_alloc(asked.set_bytes + 1) : NULL;
    char *graph = mem_alloc((size_t)asked.text_bytes + 1);
    if (given) memcpy(given, set, asked.set_bytes);
    if (given) given[asked.set_bytes] = '\0';
    memcpy(graph, set + asked.set_bytes, asked.text_bytes);
    graph[asked.text_bytes] = '\0';
    bool made = make_code(&asked, wanted, given, graph, shipped, out);
    mem_free(given);
    mem_free(graph);
    return made;
}

void serve(int socket, const char *shipped)
{
    for (ServeHead head; receive(socket, &head, sizeof head);) {
        if (head.bytes > SERVE_MOST) return;
        char *body = mem_alloc((size_t)head.bytes + 1);
        Text out = {0};
        ServeKind kind = SERVE_REFUSED;
        bool good = receive(socket, body, (size_t)head.bytes);
        alarm(SERVE_SECONDS);
        if (good && head.kind == SERVE_HELLO) {
            const ServeHello hello = {SERVE_FORMAT, CG_GENERATOR};
            text_addn(&out, (const char *)&hello, sizeof hello);
            kind = SERVE_HELLO;
        } else if (good && head.kind == SERVE_CODE && meet(body, head.bytes, shipped, &out) &&
                   out.len <= SERVE_MOST) {
            kind = SERVE_CODE;
        }
        if (kind == SERVE_REFUSED) text_free(&out);
        alarm(0);
        good = good && answer(socket, &head, kind, &out);
        text_free(&out);
        mem_free(body);
        if (!good) return;
    }
}
