/* Kernels by key (kernels.h). A text that does not parse as a plan counts as absent wherever it
 * comes from: it is lowered afresh. Device binaries are cached on disk beside the texts, under
 * text, options, device and driver. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "cache.h"
#include "state.h"

enum { BUCKETS = 128 };

struct Kernels {
    Kernel *buckets[BUCKETS];
};

static void *need(void *p)
{
    if (p) return p;
    fputs("out of memory\n", stderr);
    abort();
}

static CgOptions options(void)
{
    const CsProgram *p = rt.program;
    CgOptions o = {.family = device_info()->family};
    if (p) o.tile = (CgTile)p->tile;
    if (p) o.precise = p->precise != 0;
    return o;
}

/* ---- finding a text
 * ------------------------------------------------------------------------------------------ */

static bool use_text(Kernel *k, const char *text)
{
    const char *error;
    k->plan = cg_plan_parse(text, &error);
    k->text = k->plan ? text : NULL;
    k->status = CG_OK;
    return k->plan != NULL;
}

static bool embedded(Kernel *k)
{
    const CsProgram *p = rt.program;
    for (int32_t i = 0; p && i < p->nkernels; i++)
        if (p->kernels[i].key_hi == k->key.hi && p->kernels[i].key_lo == k->key.lo)
            return use_text(k, p->kernels[i].text);
    return false;
}

static void text_name(const Kernel *k, char name[64])
{
    snprintf(name, 64, "%016llx%016llx.cl", (unsigned long long)k->key.hi,
             (unsigned long long)k->key.lo);
}

static bool on_disk(Kernel *k)
{
    char name[64];
    size_t size;
    text_name(k, name);
    char *text = cache_load(name, &size);
    if (!text) return false;
    if (strlen(text) == size && use_text(k, text)) {
        k->own = text;
        return true;
    }
    free(text);
    return false;
}

static void lower(Kernel *k, const FdGraph *g, const CgOptions *o)
{
    FdError error = {0};
    char *text = NULL;
    k->status = cg_lower(g, o, &text, &error);
    if (k->status == CG_USER_ERROR) {
        k->message = need(strdup(error.message ? error.message : "cannot be evaluated"));
        k->loc = error.loc;
    }
    if (k->status != CG_OK) return;
    k->own = text;
    if (!use_text(k, text)) {
        fputs("internal error: a generated kernel has no plan\n", stderr);
        abort();
    }
    char name[64];
    text_name(k, name);
    cache_store(name, text, strlen(text));
}

Kernel *kernels_find(FdKey graph_key, const FdGraph *g)
{
    if (!rt.kernels) rt.kernels = need(calloc(1, sizeof *rt.kernels));
    CgOptions o = options();
    FdKey key = cg_key(graph_key, &o);
    Kernel **bucket = &rt.kernels->buckets[key.lo % BUCKETS];
    for (Kernel *k = *bucket; k; k = k->next)
        if (k->key.hi == key.hi && k->key.lo == key.lo) return k;
    Kernel *k = need(calloc(1, sizeof *k));
    k->key = key;
    k->next = *bucket;
    *bucket = k;
    if (!embedded(k) && !on_disk(k)) lower(k, g, &o);
    return k;
}

/* ---- builds ------------------------------------------------------------------------- */

static void binary_name(const Kernel *k, const char *build_options, char name[64])
{
    Text t = {0};
    text_printf(&t, "%s\n%s\n%s", device_identity(), build_options, k->text);
    XXH128_hash_t h = XXH3_128bits(t.data, t.len);
    text_free(&t);
    snprintf(name, 64, "%016llx%016llx.bin", (unsigned long long)h.high64,
             (unsigned long long)h.low64);
}

static DeviceProgram *build(Kernel *k, uint32_t variant, const CsSite *site)
{
    char *build_options = cg_plan_build_options(k->plan, device_info(), variant);
    const char *const *names;
    int count = cg_plan_kernels(k->plan, &names);
    char name[64];
    binary_name(k, build_options, name);
    size_t size;
    char *binary = cache_load(name, &size);
    DeviceProgram *p = NULL;
    if (binary) p = device_load(binary, size, build_options, names, count);
    free(binary);
    if (!p && (p = device_build(k->text, build_options, names, count, site))) {
        void *made = device_binary(p, &size);
        if (made) cache_store(name, made, size);
        free(made);
    }
    free(build_options);
    return p;
}

DeviceProgram *kernels_program(Kernel *k, uint32_t variant, const CsSite *site)
{
    for (int i = 0; i < k->nbuilds; i++)
        if (k->builds[i].variant == variant) return k->builds[i].program;
    DeviceProgram *p = build(k, variant, site);
    if (!p) return NULL;
    k->builds = need(realloc(k->builds, (size_t)(k->nbuilds + 1) * sizeof *k->builds));
    k->builds[k->nbuilds++] = (KernelBuild){variant, p};
    return p;
}

void kernels_free(void)
{
    if (!rt.kernels) return;
    for (int i = 0; i < BUCKETS; i++)
        for (Kernel *k = rt.kernels->buckets[i], *next; k; k = next) {
            next = k->next;
            for (int b = 0; b < k->nbuilds; b++) device_unload(k->builds[b].program);
            free(k->builds);
            cg_plan_free(k->plan);
            free(k->own);
            free(k->message);
            free(k);
        }
    free(rt.kernels);
    rt.kernels = NULL;
}

/* ---- dumps -------------------------------------------------------------------------- */

static void dump_arg(Text *t, const CgArg *a)
{
    ScalarValue v = {0};
    switch (a->kind) {
    case CG_ARG_SLOT: text_printf(t, "slot %d", a->index); break;
    case CG_ARG_TEMP: text_printf(t, "temp %d", a->index); break;
    case CG_ARG_OUT: text_add(t, "out"); break;
    case CG_ARG_ERROR: text_add(t, "error"); break;
    case CG_ARG_BYTES:
        memcpy(&v, a->bytes, a->size);
        text_printf(t, "0x%llx:%zu", (unsigned long long)v.i, a->size);
        break;
    }
}

static void dump_dims(Text *t, const char *what, int dims, const size_t *n)
{
    text_printf(t, " %s ", what);
    for (int d = 0; d < dims; d++) text_printf(t, "%s%zu", d ? "x" : "", n[d]);
}

void kernels_dump(Kernel *k, const CgSchedule *s)
{
    unsigned dumps = rt_dumps();
    if ((dumps & RT_DUMP_OPENCL) && k->nbuilds == 0) fprintf(stderr, "%s", k->text);
    if (!(dumps & RT_DUMP_PLAN)) return;
    Text t = {0};
    text_printf(&t, "// plan %016llx%016llx: out %zu bytes\n", (unsigned long long)k->key.hi,
                (unsigned long long)k->key.lo, s->out_bytes);
    for (int i = 0; i < s->ntemps; i++)
        text_printf(&t, "temp %d: %zu bytes\n", i, s->temp_bytes[i]);
    for (int i = 0; i < s->nlaunches; i++) {
        const CgLaunch *l = &s->launches[i];
        text_printf(&t, "run %s", l->kernel);
        dump_dims(&t, "global", l->dims, l->global);
        if (l->local[0]) dump_dims(&t, "local", l->dims, l->local);
        text_add(&t, " args ");
        for (int a = 0; a < l->nargs; a++) {
            if (a) text_add(&t, ", ");
            dump_arg(&t, &l->args[a]);
        }
        text_add(&t, "\n");
    }
    fputs(t.data, stderr);
    text_free(&t);
}
