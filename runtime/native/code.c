/* Code that is made while the program runs (code.h). */
#include "code.h"

#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../base/mem.h"
#include "../../base/text.h"
#include "../device/cache.h"
#include "../device/notice.h"
#include "../device/profile.h"
#include "../device/trace.h"
#include "../interrupt.h"
#include "../state.h"
#include "compiler.h"
#include "generator.h"
#include "native.h"

const CsCode *code_form(Made **made, const CgPlan *plan)
{
    if (*made) return (*made)->refused ? NULL : &(*made)->form;
    const char *const *names;
    int level = cg_native_best(CG_NATIVE_ALL);
    size_t n = (size_t)cg_plan_kernels(plan, &names) + 1;
    if (!native_makes() || level < 0) return NULL;
    Made *m = mem_object(sizeof *m);
    CsKernelCode **kernels = mem_object(n * (2 * sizeof *kernels + sizeof *m->names + 1));
    if (!m || !kernels) {
        mem_object_free(m);
        mem_object_free(kernels);
        return NULL;
    }
    *m =
        (Made){.kernels = kernels, .codes = kernels + n, .names = (const char **)(kernels + 2 * n)};
    m->wanted = (char *)(m->names + n);
    m->form = (CsCode){.level = level, .kernels = kernels};
    *made = m;
    return &m->form;
}

/* Of each kernel: is it to be made? How many are. */
static int wants(Made *m, const CodeOf *of)
{
    const char *const *names;
    int n = cg_plan_kernels(of->plan, &names), count = 0;
    memset(m->wanted, 0, (size_t)n);
    for (int l = 0; l < of->schedule->nlaunches; l++)
        for (int k = 0; k < n; k++)
            if (names[k] == of->schedule->launches[l].kernel && !m->kernels[k] && !m->wanted[k]) {
                m->wanted[k] = true;
                count++;
            }
    return count;
}

/* ---- answers ----------------------------------------------------------------------------------- */

typedef struct Rest {
    const char *at;
    size_t left;
} Rest;

static const char *next(Rest *r, size_t bytes)
{
    const char *at = r->at;
    if (bytes > r->left) return NULL;
    r->at += bytes;
    r->left -= bytes;
    return at;
}

static bool read_names(Made *m, Rest *r, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) {
        size_t len = strnlen(r->at, r->left);
        const char *name = next(r, len + 1);
        if (!name) return false;
        m->names[k] = *name && m->wanted[k] ? name : NULL;
    }
    return true;
}

static bool load(Made *m, Rest *r, uint32_t n)
{
    uint64_t size;
    Loaded loaded;
    memset((void *)m->codes, 0, n * sizeof *m->codes);
    const char *head = next(r, sizeof size);
    if (!head) return false;
    memcpy(&size, head, sizeof size);
    const char *object = size <= r->left ? next(r, (size_t)size) : NULL;
    if (!object || !vec_try(&m->loaded) ||
        !load_object(object, (size_t)size, (int)n, m->names, m->codes, &loaded))
        return false;
    vec_push(&m->loaded, loaded);
    for (uint32_t k = 0; k < n; k++)
        if (m->codes[k]) m->kernels[k] = m->codes[k];
    return true;
}

static bool take(Made *m, Rest r, uint32_t n)
{
    ServeMade made;
    const char *head = next(&r, sizeof made);
    if (!head) return false;
    memcpy(&made, head, sizeof made);
    if (made.nkernels != n || !read_names(m, &r, n)) return false;
    for (uint32_t i = 0; i < made.nobjects; i++)
        if (!load(m, &r, n)) return false;
    for (uint32_t k = 0; k < n; k++)
        if (m->wanted[k] && !m->kernels[k]) return false;
    return r.left == 0;
}

/* ---- requests ---------------------------------------------------------------------------------- */

typedef struct Request {
    ServeCode head;
    const char *wanted; /* of each kernel */
    char name[64];      /* that its answer is kept under */
    uint32_t number;    /* of compiler.h; 0: it is not asked */
    uint64_t from;      /* when it began, for what is said of it */
} Request;

/* What the answer depends on; the keys stand for both texts. Another csc makes other machine code of them. */
static void name_it(Request *r, const char *set)
{
    const uint32_t maker[] = {SERVE_FORMAT, CG_GENERATOR, CG_MACHINE};
    XXH3_state_t h;
    XXH3_128bits_reset(&h);
    XXH3_128bits_update(&h, maker, sizeof maker);
    XXH3_128bits_update(&h, &r->head, sizeof r->head);
    XXH3_128bits_update(&h, r->wanted, r->head.nkernels);
    if (set) XXH3_128bits_update(&h, set, strlen(set));
    XXH128_hash_t key = XXH3_128bits_digest(&h);
    snprintf(r->name, sizeof r->name, "%016llx%016llx.x", (unsigned long long)key.high64,
             (unsigned long long)key.low64);
}

/* What takes blocks, as mem_try wants it. */
typedef struct Blocks {
    const Request *request;
    const FdGraph *graph;
    char *kept; /* NULL: it is not */
    size_t size;
    Text text;
} Blocks;

static void look(void *blocks)
{
    Blocks *b = blocks;
    b->kept = cache_load(b->request->name, &b->size);
}

static void print(void *blocks)
{
    Blocks *b = blocks;
    Text t = {0};
    fd_print(&t, b->graph);
    b->text = t;
}

static bool is_kept(Made *m, const Request *r)
{
    Blocks b = {.request = r};
    bool good = mem_try(look, &b) && b.kept && take(m, (Rest){b.kept, b.size}, r->head.nkernels);
    mem_free(b.kept);
    return good;
}

static bool asks(Request *r, const CodeOf *of)
{
    Blocks b = {.graph = of->graph};
    if (!mem_try(print, &b)) return false;
    ServeCode head = r->head; /* the name is of one without */
    head.text_bytes = (uint32_t)b.text.len;
    r->number = compiler_ask(&head, r->wanted, of->options->set, b.text.data);
    text_free(&b.text);
    return r->number != 0;
}

static Request request_of(const Made *m, const CodeOf *of)
{
    const char *const *names;
    const CgOptions *o = of->options;
    XXH128_hash_t plan = XXH3_128bits(of->text, cg_plan_bytes(of->text));
    return (Request){.wanted = m->wanted,
                     .head = {.key_hi = of->key.hi,
                              .key_lo = of->key.lo,
                              .plan_hi = plan.high64,
                              .plan_lo = plan.low64,
                              .level = m->form.level,
                              .tile = o->tile,
                              .precise = o->precise,
                              .stops = rt.stops,
                              .seed = o->seed,
                              .nkernels = (uint32_t)cg_plan_kernels(of->plan, &names),
                              .set_bytes = o->set ? (uint32_t)strlen(o->set) : 0}};
}

/* How it went, and since when. */
static void say(const char *what, const Request *r, uint64_t nanos)
{
    int wanted = 0;
    if (!rt_dumping(RT_DUMP_PLAN)) return;
    for (uint32_t k = 0; k < r->head.nkernels; k++) wanted += r->wanted[k] != 0;
    fprintf(stderr, "// %s: kernels %d, %llu us\n", what, wanted, (unsigned long long)nanos / 1000);
}

/* The answer to what was asked, if it is there. */
static CompilerSays take_answer(Made *m, const Request *r, bool wait)
{
    Notice notice = {0};
    char *answer = NULL;
    size_t size = 0;
    if (wait) notice_begin(&notice, 0);
    CompilerSays says = compiler_answer(r->number, wait, &answer, &size);
    if (wait) notice_end(&notice);
    if (says == COMPILER_MADE && !take(m, (Rest){answer, size}, r->head.nkernels))
        says = COMPILER_REFUSED;
    if (says == COMPILER_MADE) cache_store(r->name, answer, size);
    mem_object_free(answer);
    return says;
}

static void drop(Made *m)
{
    if (m->asked) compiler_forget(m->asked->number);
    mem_object_free(m->asked);
    m->asked = NULL;
}

/* An answer that somebody went without, or who was interrupted, comes first: it may be what is wanted now. */
static CompilerSays take_earlier(Made *m, bool wait)
{
    CompilerSays says = take_answer(m, m->asked, wait);
    if (says == COMPILER_MAKES) return says;
    if (says == COMPILER_MADE) say("made", m->asked, native_clock() - m->asked->from);
    drop(m);
    return says;
}

/* Keeps a request whose answer is not there yet. */
static void keep(Made *m, const Request *r)
{
    m->asked = mem_object(sizeof *m->asked);
    if (m->asked)
        *m->asked = *r;
    else
        compiler_forget(r->number);
}

bool code_make(Made *m, const CodeOf *of, bool wait)
{
    uint64_t traced = trace_now();
    if (m->asked && take_earlier(m, wait) == COMPILER_MAKES) return false;
    Request r = request_of(m, of);
    r.from = native_clock();
    if (!wants(m, of)) return true;
    name_it(&r, of->options->set);
    bool kept = is_kept(m, &r);
    CompilerSays says = kept           ? COMPILER_MADE
                        : asks(&r, of) ? take_answer(m, &r, wait)
                                       : COMPILER_LOST;
    uint64_t nanos = native_clock() - r.from;
    if (says == COMPILER_MAKES) keep(m, &r);
    m->refused =
        (says == COMPILER_REFUSED || says == COMPILER_LOST) && !(rt.stops && interrupted());
    if (rt_profiling()) profile_built(nanos);
    trace_span(TRACE_HOST, "compiling", traced, trace_now());
    say(kept                     ? "kept"
        : says == COMPILER_MADE  ? "made"
        : says == COMPILER_MAKES ? "asked for"
                                 : "not made",
        &r, nanos);
    return says == COMPILER_MADE;
}

void code_free(Made *m)
{
    if (!m) return;
    drop(m);
    for (size_t i = 0; i < m->loaded.len; i++) load_free(&m->loaded.data[i]);
    vec_free(&m->loaded);
    mem_object_free(m->kernels);
    mem_object_free(m);
}
