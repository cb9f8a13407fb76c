/* Kernels by key (kernels.h). A text that does not parse as a plan counts as absent wherever it
 * comes from: it is lowered afresh. Those that the program embeds are built together, when the first
 * of them is needed. Device binaries are cached on disk, under text, options, device and driver. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../device/cache.h"
#include "../../native/compiler.h"
#include "../../native/native.h"
#include "../../state.h"

enum { BUCKETS = 128 };

struct Kernels {
    Kernel *buckets[BUCKETS];
    struct Joined *joined; /* NULL: not tried */
    const struct Device *joined_for;
};

static CgOptions options(CgFamily family)
{
    const CsProgram *p = rt.program;
    CgOptions o = {.family = family};
    if (p) o.tile = (CgTile)p->tile;
    if (p) o.precise = p->precise != 0;
    if (p) o.seed = (uint32_t)p->schedule_seed;
    return o;
}

/* ---- finding a text -------------------------------------------------------------------------- */

static bool use_text(Kernel *k, const char *text)
{
    const char *error;
    k->plan = cg_plan_parse(text, &error);
    k->text = k->plan ? text : NULL;
    k->status = CG_OK;
    return k->plan != NULL;
}

/* Its number among the program's; -1: it is none of them. */
static int32_t number_of(FdKey key)
{
    const CsProgram *p = rt.program;
    for (int32_t i = 0; p && i < p->nkernels; i++)
        if (p->kernels[i].key_hi == key.hi && p->kernels[i].key_lo == key.lo) return i;
    return -1;
}

static bool embedded(Kernel *k)
{
    int32_t i = number_of(k->key);
    if (i < 0 || !use_text(k, rt.program->kernels[i].text)) return false;
    k->embedded = i;
    k->form = native_form(&rt.program->kernels[i]);
    return true;
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
    mem_free(text);
    return false;
}

static void lower(Kernel *k, const FdGraph *g, const CgOptions *o)
{
    FdError error = {0};
    char *text = NULL;
    k->status = cg_lower(g, o, &text, &error);
    if (k->status == CG_USER_ERROR) {
        k->message = text;
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

/* What is given to the evaluation of a graph. */
void kernels_set(FdKey graph_key, CgFamily family, Text *set)
{
    const CsProgram *p = rt.program;
    if (p && p->set) text_add(set, p->set);
    if (p && p->tuned) cg_tuned_find(p->tuned, graph_key, family, set);
}

static FdKey key_of(FdKey graph_key, CgOptions *o, Text *set)
{
    kernels_set(graph_key, o->family, set);
    o->set = set->failed ? NULL : set->data;
    return cg_key(graph_key, o);
}

typedef struct Making {
    const FdGraph *graph;
    CgOptions options;
    FdKey key;
    Kernel *made;
} Making;

static void make(void *making)
{
    Making *m = making;
    Kernel *k = mem_alloc(sizeof *k);
    k->key = m->key;
    k->embedded = -1;
    k->family = m->options.family;
    if (!embedded(k) && !on_disk(k)) lower(k, m->graph, &m->options);
    m->made = k;
}

static Kernel *find_or_make(Making *m, const CsSite *site)
{
    if (!rt.kernels && !(rt.kernels = mem_object(sizeof *rt.kernels))) {
        rt_throw_memory(site, sizeof *rt.kernels);
        return NULL;
    }
    Kernel **bucket = &rt.kernels->buckets[m->key.lo % BUCKETS];
    for (Kernel *k = *bucket; k; k = k->next)
        if (k->key.hi == m->key.hi && k->key.lo == m->key.lo) return k;
    if (!mem_try(make, m)) {
        rt_throw_memory(site, 0);
        return NULL;
    }
    m->made->next = *bucket;
    return *bucket = m->made;
}

static Kernel *find(FdKey graph_key, const FdGraph *g, CgFamily family, const CsSite *site)
{
    Text set = {0};
    Making m = {.graph = g, .options = options(family)};
    m.key = key_of(graph_key, &m.options, &set);
    Kernel *k = find_or_make(&m, site);
    text_free(&set);
    return k;
}

Kernel *kernels_find(FdKey graph_key, const FdGraph *g, const CsSite *site)
{
    return find(graph_key, g, device_info()->family, site);
}

Kernel *kernels_native(FdKey graph_key, const FdGraph *g, bool usual, const CsSite *site)
{
    CgOptions o = options(CG_CPU);
    Text set = {0};
    int32_t i = number_of(key_of(graph_key, &o, &set));
    text_free(&set);
    bool held = i >= 0 && native_form(&rt.program->kernels[i]);
    if (!held && !(usual ? native_makes() : compiler_is_there())) return NULL;
    Kernel *k = find(graph_key, g, CG_CPU, site);
    bool good = k && (k->status == CG_HOST_ONLY || (k->status == CG_OK && (k->form || !held)));
    return good ? k : NULL;
}

bool kernels_made(Kernel *k, FdKey graph_key, const FdGraph *g, const CgSchedule *s, bool wait)
{
    CgOptions o = options(CG_CPU);
    Text set = {0};
    key_of(graph_key, &o, &set);
    const CodeOf of = {.graph = g,
                       .key = graph_key,
                       .options = &o,
                       .text = k->text,
                       .plan = k->plan,
                       .schedule = s};
    bool made = code_make(k->made, &of, wait);
    text_free(&set);
    return made;
}

/* ---- builds ------------------------------------------------------------------------- */

static void binary_name(const char *text, const char *build_options, char name[64])
{
    Text t = {0};
    text_printf(&t, "%s\n%s\n%s", device_identity(), build_options, text);
    XXH128_hash_t h = XXH3_128bits(t.data, t.len);
    text_free(&t);
    snprintf(name, 64, "%016llx%016llx.bin", (unsigned long long)h.high64,
             (unsigned long long)h.low64);
}

/* What a build needs before the device is asked. */
typedef struct Building {
    const Kernel *kernel;
    uint32_t variant;
    const char *text;
    char *options;
    char name[64]; /* of the binary */
} Building;

static void prepare(void *building)
{
    Building *b = building;
    char *o = cg_plan_build_options(b->kernel->plan, device_info(), b->variant);
    b->text = b->kernel->text;
    binary_name(b->text, o, b->name);
    b->options = o;
}

static DeviceProgram *build_text(const Building *b, const char *const *names, int count,
                                 const CsSite *site)
{
    size_t size;
    bool keep = device_wants_binaries();
    char *binary = keep ? cache_load(b->name, &size) : NULL;
    DeviceProgram *p = NULL;
    if (binary) p = device_load(binary, size, b->options, names, count);
    mem_free(binary);
    if (!p && !cs_pending && (p = device_build(b->text, b->options, names, count, site))) {
        void *made = keep && cache_is_there() ? device_binary(p, &size) : NULL;
        if (made) cache_store(b->name, made, size);
        mem_object_free(made);
    }
    return p;
}

/* ---- texts built together ------------------------------------------------------------------- */

enum { MOST_JOINED = 1 << 17 /* bytes of text, of which nobody may need most */ };

/* The texts that the program embeds, in groups that are one program for the device each: it takes
 * long to begin with a program and little for each text in it. What flags the others will want is a
 * guess: those that the first one wants. */
typedef struct Joined {
    struct {
        DeviceProgram *program; /* NULL: it is built on its own */
        int number;             /* of its text there */
        uint32_t variant;
        bool grouped, owner; /* owner: of the program */
    } of[1];                 /* each embedded kernel */
} Joined;

static bool has_word(const char *words, const char *word, size_t len)
{
    for (const char *w = words; w && *w; w += strspn(w, " ")) {
        size_t n = strcspn(w, " ");
        if (n == len && memcmp(w, word, len) == 0) return true;
        w += n;
    }
    return false;
}

/* Does a definition "-DNAME=.." (up to and with the '=') begin a word? */
static bool has_name(const char *words, const char *definition, size_t len)
{
    for (const char *w = words; w && *w; w += strspn(w, " ")) {
        if (strncmp(w, definition, len) == 0) return true;
        w += strcspn(w, " ");
    }
    return false;
}

/* Adds the build options of one more text to those of all, unless they do not go together. */
static bool add_options(Text *all, const char *options)
{
    for (int adding = all->len == 0; adding < 2; adding++)
        for (const char *w = options; *w; w += strspn(w, " ")) {
            size_t n = strcspn(w, " "), name = strcspn(w, "=") + 1;
            if (!has_word(all->data, w, n)) {
                bool defines = strncmp(w, "-D", 2) == 0 && name <= n;
                if (!adding && (!defines || has_name(all->data, w, name))) return false;
                if (adding) text_printf(all, "%s%.*s", all->len ? " " : "", (int)n, w);
            }
            w += n;
        }
    return true;
}

typedef struct Joining {
    Building building;
    Joined *joined;
    int n;
    int32_t *members; /* n of them; a block */
} Joining;

static void join(void *joining)
{
    Joining *j = joining;
    const CsProgram *p = rt.program;
    const Kernel *first = j->building.kernel;
    int32_t *members = mem_alloc((size_t)p->nkernels * sizeof *members);
    const char **texts = mem_alloc((size_t)p->nkernels * sizeof *texts);
    Text all = {0};
    size_t bytes = 0;
    int n = 0;
    for (int32_t turn = -1; turn < p->nkernels; turn++) { /* the first one first */
        int32_t i = turn < 0 ? first->embedded : turn;
        const char *error, *text = p->kernels[i].text;
        if (turn == first->embedded || j->joined->of[i].grouped) continue;
        if (n && bytes + strlen(text) > MOST_JOINED) continue;
        CgPlan *plan = cg_plan_parse(text, &error);
        if (!plan) continue;
        if (cg_plan_reals(plan) != cg_plan_reals(first->plan)) {
            cg_plan_free(plan);
            continue;
        }
        uint32_t variant = cg_plan_variant_like(plan, first->plan, j->building.variant);
        char *options = cg_plan_build_options(plan, device_info(), variant);
        if (add_options(&all, options)) {
            bytes += strlen(text);
            j->joined->of[i].variant = variant;
            texts[n] = text;
            members[n++] = i;
        }
        mem_free(options);
        cg_plan_free(plan);
    }
    CgOptions o = options(device_info()->family);
    o.precise = cg_plan_reals(first->plan) == FD_REALS_PRECISE;
    char *text = n > 1 ? cg_join(n, texts, &o) : NULL;
    mem_free(texts);
    j->building.options = text_take(&all);
    j->building.text = text;
    j->members = members;
    j->n = n;
    if (text) binary_name(text, j->building.options, j->building.name);
}

/* Builds those that go together with k and are in no group yet; where that fails each is built on
 * its own. */
static void build_group(const Kernel *k, uint32_t variant, const CsSite *site)
{
    Joined *joined = rt.kernels->joined;
    Joining j = {.building = {.kernel = k, .variant = variant}, .joined = joined};
    DeviceProgram *program = NULL;
    if (mem_try(join, &j)) {
        if (j.building.text) program = build_text(&j.building, NULL, 0, site);
        mem_free((char *)j.building.text);
        mem_free(j.building.options);
    } else {
        j.n = 0; /* what it had allocated is gone */
        j.members = NULL;
    }
    if (cs_pending) rt_catch();
    joined->of[k->embedded].grouped = true;
    joined->of[k->embedded].owner = program != NULL;
    for (int i = 0; i < j.n; i++) {
        joined->of[j.members[i]].program = program;
        joined->of[j.members[i]].number = i;
        joined->of[j.members[i]].grouped = true;
    }
    mem_free(j.members);
}

static DeviceProgram *joined_part(const Kernel *k, uint32_t variant, const CsSite *site)
{
    int32_t n = rt.program ? rt.program->nkernels : 0, i = k->embedded;
    if (i < 0 || n < 2 || rt.session) return NULL; /* a session's become more */
    if (!rt.kernels->joined) {
        Joined *made = mem_object((size_t)n * sizeof *made);
        if (!made) return NULL;
        rt.kernels->joined = made;
        rt.kernels->joined_for = rt.device;
    }
    if (rt.kernels->joined_for != rt.device) return NULL; /* they are for the first one */
    Joined *j = rt.kernels->joined;
    if (!j->of[i].grouped) build_group(k, variant, site);
    if (!j->of[i].program || j->of[i].variant != variant) return NULL;
    char suffix[32];
    snprintf(suffix, sizeof suffix, CG_JOINED, j->of[i].number);
    const char *const *names;
    int count = cg_plan_kernels(k->plan, &names);
    return device_part(j->of[i].program, suffix, names, count, site);
}

static void joined_free(struct Joined *j)
{
    for (int32_t i = 0; j && i < rt.program->nkernels; i++)
        if (j->of[i].owner) device_unload(j->of[i].program);
    mem_object_free(j);
}

static DeviceProgram *build(Kernel *k, uint32_t variant, const CsSite *site)
{
    DeviceProgram *p = joined_part(k, variant, site);
    if (p || cs_pending) return p;
    Building b = {.kernel = k, .variant = variant};
    if (!mem_try(prepare, &b)) {
        rt_throw_memory(site, 0);
        return NULL;
    }
    const char *const *names;
    int count = cg_plan_kernels(k->plan, &names);
    p = build_text(&b, names, count, site);
    mem_free(b.options);
    rt_site(site);
    return p;
}

DeviceProgram *kernels_program(Kernel *k, uint32_t variant, const CsSite *site)
{
    for (int i = 0; i < k->nbuilds; i++)
        if (k->builds[i].variant == variant && k->builds[i].device == rt.device)
            return k->builds[i].program;
    KernelBuild *room = mem_grow_quietly(k->builds, (size_t)(k->nbuilds + 1) * sizeof *k->builds);
    if (!room) {
        rt_throw_memory(site, sizeof *room);
        return NULL;
    }
    k->builds = room;
    DeviceProgram *p = build(k, variant, site);
    if (!p) return NULL;
    k->builds[k->nbuilds++] = (KernelBuild){variant, rt.device, p};
    return cs_pending ? NULL : p; /* a build that could not be kept is there next time */
}

void kernels_free(void)
{
    if (!rt.kernels) return;
    for (int i = 0; i < BUCKETS; i++)
        for (Kernel *k = rt.kernels->buckets[i], *next; k; k = next) {
            next = k->next;
            for (int b = 0; b < k->nbuilds; b++) device_unload(k->builds[b].program);
            mem_free(k->builds);
            code_free(k->made);
            cg_plan_free(k->plan);
            mem_free(k->own);
            mem_free(k->message);
            mem_free(k);
        }
    joined_free(rt.kernels->joined);
    mem_object_free(rt.kernels);
    rt.kernels = NULL;
}
