/* Running generated texts in tests: lower, read the plan, run it, compare with the evaluation of
 * codegen_eval.h. What runs them is a backend: the first OpenCL device, or with CODEGEN_NATIVE the
 * native kernels of the same texts (codegen/native). */
#ifndef TESTS_CODEGEN_RUN_H
#define TESTS_CODEGEN_RUN_H

#include <check.h>
#include <math.h>

#include "../../../base/mem.h"
#include "codegen_eval.h"

/* Random graphs compare values with themselves. */
__attribute__((unused)) static bool warnings_allowed;
static uint32_t schedule_seed; /* of their parameters (plan/draw.h) */

/* Buffers of a run, in the host's memory. */
typedef struct Block {
    void *data;
    size_t bytes;
} Block;

typedef struct Memory {
    Block slots[MAX_SLOTS], temps[32], out, error;
} Memory;

/* A plan that is bound, and what it was bound for. */
typedef struct Bound {
    const CgPlan *plan;
    const CgDevice *device;
    uint32_t variant;
    CgSchedule schedule;
} Bound;

#ifdef CODEGEN_NATIVE
#include "codegen_native.h"
#else
#include "codegen_opencl.h"
#endif

/* ---- slots ----------------------------------------------------------------------------------- */

static size_t slot_bytes(const SlotValue *s)
{
    return (size_t)fd_plane_offset(s->type, fd_type_leaves(s->type), (int64_t)s->count);
}

/* "a:float(33,127) b:long(-3+10) p:int(20)%7 x:float=2.5": lower bounds before the plus, values of
 * p below 7. */
static int slots_of(Fd *fd, const char *spec, SlotValue *slots)
{
    int count = 0;
    unsigned seed = 12345;
    while (*spec) {
        SlotValue *s = &slots[count++];
        char kind[16];
        int used = 0, below = 0;
        memset(s, 0, sizeof *s);
        ck_assert_int_eq(sscanf(spec, " %7[a-z]:%15[A-Za-z]%n", s->name, kind, &used), 2);
        spec += used;
        s->type = fd_type_read(fd, kind);
        ck_assert(s->type && fd_type_leaves(s->type) <= MAX_LEAVES);
        if (*spec == '=') {
            double v = strtod(spec + 1, (char **)(uintptr_t)&spec);
            if (scalar_is_real(s->type->scalar))
                s->scalar.f = v;
            else
                s->scalar.i = (int64_t)v;
            while (*spec == ' ') spec++;
            continue;
        }
        s->count = 1;
        do {
            long long first = strtoll(spec + 1, (char **)(uintptr_t)&spec, 10), len = first;
            bool shifted = *spec == '+';
            if (shifted) len = strtoll(spec + 1, (char **)(uintptr_t)&spec, 10);
            int d = s->rank++;
            s->box.dim[d].lo = shifted ? first : 0;
            s->box.dim[d].hi = s->box.dim[d].lo + len;
            s->count *= (size_t)len;
        } while (*spec == ',');
        ck_assert_int_eq(*spec++, ')');
        s->box.rank = s->rank;
        if (*spec == '%') below = (int)strtol(spec + 1, (char **)(uintptr_t)&spec, 10);
        while (*spec == ' ') spec++;
        s->data = calloc(slot_bytes(s) + 1, 1);
        for (int leaf = 0; leaf < fd_type_leaves(s->type); leaf++) {
            ScalarKind k = fd_type_leaf(s->type, leaf);
            unsigned char *plane = s->data + fd_plane_offset(s->type, leaf, (int64_t)s->count);
            for (size_t i = 0; i < s->count; i++) {
                seed = seed * 1664525u + 1013904223u;
                int v = (int)(seed >> 16) % 17 - 8;
                ScalarValue x = {.i = below ? (v + 8) % below : k == SC_BOOL ? v & 1 : v};
                if (scalar_is_real(k)) x.f = v / 8.0;
                if (!below && v < 0 && !scalar_is_signed(k)) x.i = -v;
                scalar_store(plane + i * scalar_bytes(k), k, x);
            }
        }
    }
    return count;
}

static void slots_free(SlotValue *slots, int n)
{
    for (int i = 0; i < n; i++) free(slots[i].data);
}

/* ---- texts ----------------------------------------------------------------------------------- */

typedef struct Lowered {
    char *text;
    CgPlan *plan;
    FdOrder order;
    CgDevice device;
    Backend backend;
} Lowered;

/* Results go past the caches only where they are larger than tests make them: here every second text
 * takes all for large. */
static void stream_small(char *text)
{
    static const char small[] = "(l2 * 8)";
    char *flag = strstr(text, "flag CS_STREAM = ");
    char *size = flag ? strstr(flag, small) : NULL;
    if (size && strlen(text) % 2) size[strlen(small) - 2] = '0';
}

static bool lower(Fd *fd, const FdGraph *g, CgFamily family, CgTile tile, bool precise, Lowered *l)
{
    CgOptions o = {.family = family, .tile = tile, .precise = precise, .seed = schedule_seed};
    FdError error = {0};
    const char *why = NULL;
    *l = (Lowered){.device = backend_device(family)};
    fd_key(fd, g, &l->order);
    const CgAlso also = {.take = backend_take, .ctx = &l->backend};
    CgStatus status = cg_lower_also(g, &o, &also, &l->text, &error);
    ck_assert_msg(status != CG_USER_ERROR, "%s", status == CG_USER_ERROR ? error.message : "");
    if (status == CG_HOST_ONLY) return false;
    stream_small(l->text);
    l->plan = cg_plan_parse(l->text, &why);
    ck_assert_msg(l->plan != NULL, "plan: %s in\n%s", why, l->text);
    return true;
}

static void lowered_free(Lowered *l)
{
    backend_free(&l->backend);
    cg_plan_free(l->plan);
    mem_free(l->text);
}

/* ---- runs ------------------------------------------------------------------------------------ */

/* Runs the plan; returns the result's bytes (malloc'ed), and the error words. */
static unsigned char *run(Lowered *l, const SlotValue *slots, size_t *bytes,
                          uint32_t error[CG_ERROR_WORDS])
{
    enum { BEHIND = 16 }; /* bytes that nobody may write */
    Arena *arena = arena_new();
    int n = l->order.nslots;
    FdBox *boxes = arena_array(arena, FdBox, n + 1);
    ScalarValue *scalars = arena_array(arena, ScalarValue, n + 1);
    Memory m = {.error = {error, CG_ERROR_WORDS * sizeof *error}};
    for (int k = 0; k < n; k++) {
        const SlotValue *s = &slots[l->order.slots[k]];
        boxes[k] = s->box;
        scalars[k] = s->scalar;
        bool ints = !s->type->record && scalar_is_integer(s->type->scalar);
        for (size_t i = 0; s->rank && s->rank < FD_MAX_RANK && ints && i < s->count; i++) {
            size_t size = scalar_bytes(s->type->scalar);
            int64_t v = scalar_load(s->data + i * size, s->type->scalar).i;
            if (i == 0) boxes[k].dim[s->rank].lo = v;
            if (v < boxes[k].dim[s->rank].lo) boxes[k].dim[s->rank].lo = v;
            if (i == 0 || v >= boxes[k].dim[s->rank].hi) boxes[k].dim[s->rank].hi = v + 1;
        }
        if (s->rank) m.slots[k] = (Block){s->data, slot_bytes(s)};
    }
    CgBinding binding = {.slot_boxes = boxes, .slot_scalars = scalars};
    Bound b = {.plan = l->plan, .device = &l->device};
    CgSchedule *s = &b.schedule;
    ck_assert(cg_plan_bind(l->plan, &binding, &l->device, arena, s));
    b.variant = s->variant;
    memset(error, 0, m.error.bytes);
    unsigned char *out = malloc(s->out_bytes + BEHIND);
    memset(out, 0xEE, s->out_bytes + BEHIND);
    m.out = (Block){out, s->out_bytes + BEHIND};
    ck_assert_int_le(s->ntemps, 32);
    for (int i = 0; i < s->ntemps; i++) {
        m.temps[i] = (Block){malloc(s->temp_bytes[i] + 1), s->temp_bytes[i]};
        memset(m.temps[i].data, 0x7F, s->temp_bytes[i] + 1);
    }
    if (s->nlaunches) backend_run(&l->backend, l->text, &b, &m);
    for (size_t i = 0; i < BEHIND; i++)
        ck_assert_msg(out[s->out_bytes + i] == 0xEE, "wrote past the end");
    *bytes = s->out_bytes;
    for (int i = 0; i < s->ntemps; i++) free(m.temps[i].data);
    arena_free(arena);
    return out;
}

static bool close_to(ScalarKind k, ScalarValue x, ScalarValue y)
{
    if (!scalar_is_real(k)) return x.i == y.i;
    if (isnan(x.f) || isnan(y.f)) return isnan(x.f) && isnan(y.f);
    if (isinf(x.f) || isinf(y.f)) return x.f == y.f;
    double unit = k == SC_DOUBLE ? 1e-11 : k == SC_FLOAT ? 2e-5 : 2e-3;
    return fabs(x.f - y.f) <= unit * (1 + fabs(y.f));
}

/* One evaluation against the reference. */
static void compare(Lowered *l, const FdGraph *g, const SlotValue *slots, const char *what)
{
    Value *want;
    uint32_t error[CG_ERROR_WORDS];
    size_t bytes;
    Eval e = {.slots = slots};
    bool let = fd_root(g)->kind == FD_LET;
    size_t count = eval_all(&e, fd_root(g), &want);
    const FdType *t = let ? fd_root(g)->body->type : fd_root(g)->type;
    unsigned char *got = run(l, slots, &bytes, error);
    ck_assert_msg(bytes == (size_t)fd_plane_offset(t, fd_type_leaves(t), (int64_t)count),
                  "%s: %zu bytes", what, bytes);
    ck_assert_msg(e.failed ? error[0] && (e.failed >> error[0] & 1) : error[0] == 0,
                  "%s: error kind %u site %u, expected bits %x", what, error[0], error[1],
                  e.failed);
    for (size_t i = 0; i < count && !e.failed; i++) {
        Value x = load_value(got, t, count, i);
        for (int leaf = 0; leaf < fd_type_leaves(t); leaf++) {
            ScalarKind k = fd_type_leaf(t, leaf);
            ScalarValue is = x.leaf[leaf], should = want[i].leaf[leaf];
            if (close_to(k, is, should)) continue;
            if (getenv("CODEGEN_TEST_TEXT")) fprintf(stderr, "%s\n", l->text);
            if (scalar_is_real(k))
                ck_abort_msg("%s: element %zu.%d is %g, not %g", what, i, leaf, is.f, should.f);
            ck_abort_msg("%s: element %zu.%d is %lld, not %lld", what, i, leaf, (long long)is.i,
                         (long long)should.i);
        }
    }
    free(want);
    free(got);
}

enum { /* configurations of a check */
       ON_CPU = 1,
       ON_GPU = 2,
       AUTO = 4,
       PLAIN = 8,
       P2 = 16,    /* 2x2 */
       P4 = 32,    /* 4x4 */
       EXACT = 64, /* precise: only */
       BOTH = ON_CPU | ON_GPU | AUTO,
       MOST = BOTH | P4,
       EVERY = BOTH | PLAIN | P2 | P4
};

/* Checks one graph under every configuration of `which` with each of the slot specifications (a
 * list ended by NULL). `users`: text of user functions, or NULL. */
__attribute__((unused)) static void check_graph(const char *users, const char *text, unsigned which,
                                                const char *const *specs)
{
    static const char *const families[] = {"cpu", "gpu"};
    SlotValue slots[MAX_SLOTS];
    Fd *fd = fd_new();
    const char *error = NULL;
    char *seen[16];
    int nseen = 0;
    backend_open();
    if (users && !fd_read(fd, users, &error)) ck_abort_msg("users: %s", error);
    int n = slots_of(fd, specs[0], slots);
    FdGraph g = graph_of(fd, text, slots, n);
    slots_free(slots, n);
    for (int c = 0; c < 16; c++) {
        CgFamily family = c & 1 ? CG_GPU : CG_CPU;
        CgTile tile = (CgTile)(c >> 1 & 3);
        bool precise = c >> 3;
        unsigned need = (family == CG_GPU ? ON_GPU : ON_CPU) |
                        (tile == CG_TILE_AUTO  ? AUTO
                         : tile == CG_TILE_1X1 ? PLAIN
                         : tile == CG_TILE_2X2 ? P2
                                               : P4) |
                        (precise ? EXACT : 0);
        Lowered l;
        if ((which & need) != need || (which & EXACT && !precise) || !backend_has(family) ||
            !backend_draws(family, text, c))
            continue;
        ck_assert(lower(fd, &g, family, tile, precise, &l));
        bool known = false;
        for (int i = 0; i < nseen; i++) known = known || strcmp(seen[i], l.text) == 0;
        for (int i = 0; !known && specs[i]; i++) {
            char what[256];
            snprintf(what, sizeof what, "%s %s %s: %s", families[family], cg_tile_text(tile),
                     specs[i], text);
            n = slots_of(fd, specs[i], slots);
            compare(&l, &g, slots, what);
            slots_free(slots, n);
        }
        if (!known) seen[nseen++] = strdup(l.text);
        lowered_free(&l);
    }
    for (int i = 0; i < nseen; i++) free(seen[i]);
    fd_free(fd);
}

#define CHECK_GRAPH(text, which, ...)                                                              \
    check_graph(NULL, text, which, (const char *const[]){__VA_ARGS__, NULL})

#endif
