/* CS_DEVICE: cpu, gpu, #k or part of the name of a device, else of a driver such as pocl (ref never comes here). Without it, or with native or
 * opencl, the first GPU is used, else the first CPU, else whatever there is. Messages say what exists and what to do, in one
 * line. */
#include "select.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../state.h"
#include "../device.h"

static const char *const kinds[] = {
    [LISTED_GPU] = "gpu", [LISTED_CPU] = "cpu", [LISTED_OTHER] = "accelerator"};

const char *select_kind(ListedKind kind)
{
    return kinds[kind];
}

static bool contains(const char *text, const char *part)
{
    size_t n = strlen(part);
    for (; *text; text++) {
        size_t i = 0;
        while (i < n && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
        if (i == n) return true;
    }
    return false;
}

static bool says(const char *text, const char *wish)
{
    return text && contains(text, wish);
}

static int first_of(const DeviceList *list, ListedKind kind)
{
    for (int i = 0; i < list->count; i++)
        if (list->devices[i].kind == kind) return i;
    return -1;
}

/* Ranks of a machine get its GPUs in turn. */
static int own_gpu(const DeviceList *list)
{
    int n = 0;
    for (int i = 0; i < list->count; i++) n += list->devices[i].kind == LISTED_GPU;
    int before = n ? rt.ranks.here % n : 0;
    for (int i = 0; i < list->count; i++)
        if (list->devices[i].kind == LISTED_GPU && before-- == 0) return i;
    return -1;
}

int select_find(const DeviceList *list, const char *wish)
{
    bool any = !wish || !*wish || strcmp(wish, "native") == 0 || strcmp(wish, "opencl") == 0;
    if (any || strcmp(wish, "ref") == 0) {
        int gpu = own_gpu(list), cpu = first_of(list, LISTED_CPU);
        return gpu >= 0 ? gpu : cpu >= 0 ? cpu : 0;
    }
    if (strcmp(wish, "cpu") == 0) return first_of(list, LISTED_CPU);
    if (strcmp(wish, "gpu") == 0) return own_gpu(list);
    if (wish[0] == '#') {
        char *end;
        long k = strtol(wish + 1, &end, 10);
        return *end == '\0' && end != wish + 1 && k >= 0 && k < list->count ? (int)k : -1;
    }
    for (int i = 0; i < list->count; i++)
        if (says(list->devices[i].name, wish)) return i;
    for (int i = 0; i < list->count; i++)
        if (says(list->devices[i].driver, wish) || says(list->devices[i].version, wish)) return i;
    return -1;
}

void select_name_all(Text *t, const DeviceList *list)
{
    for (int i = 0; i < list->count; i++)
        text_printf(t, "%s#%d %s (%s)", i ? ", " : "", i,
                    list->devices[i].name ? list->devices[i].name : "?",
                    select_kind(list->devices[i].kind));
    if (list->trouble[0]) text_printf(t, "; %s", list->trouble);
}

int select_device(const DeviceList *list, const CsSite *site)
{
    if (list->count == 0) {
        if (list->trouble[0])
            rt_throw(list->memory ? RT_MEMORY : RT_DEVICE, site, "no OpenCL device: %s",
                     list->trouble);
        else if (list->platforms)
            rt_throw(RT_DEVICE, site,
                     "OpenCL is installed but its driver offers no device: POCL needs a cache "
                     "folder that it can write (POCL_CACHE_DIR), other drivers need their "
                     "hardware; or set CS_DEVICE=ref");
        else
            rt_throw(RT_DEVICE, site,
                     "no OpenCL device found: install pocl-opencl-icd or set CS_DEVICE=ref");
        return -1;
    }
    const char *wish = rt_device_wish();
    int found = select_find(list, wish);
    if (found >= 0) return found;
    Text t = {0};
    select_name_all(&t, list);
    rt_throw(RT_DEVICE, site,
             "CS_DEVICE=%s fits no device; there is %s; set it to cpu, gpu, #number, part of the "
             "name of a device or driver, native, or ref",
             wish, t.len ? t.data : "none");
    text_free(&t);
    return -1;
}

static size_t cache(int name, size_t otherwise)
{
    long v = sysconf(name);
    return v > 0 ? (size_t)v : otherwise;
}

void select_cpu_facts(CgDevice *d)
{
    d->l1 = cache(_SC_LEVEL1_DCACHE_SIZE, d->l1);
    d->l2 = cache(_SC_LEVEL2_CACHE_SIZE, 512 << 10);
    d->l3 = cache(_SC_LEVEL3_CACHE_SIZE, d->l3);
    if (d->l3 > CG_MOST_L3) d->l3 = CG_MOST_L3;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        d->vector_bytes = 64;
    else if (__builtin_cpu_supports("avx"))
        d->vector_bytes = 32;
    d->gathers = cg_gathers();
    d->multiplies = d->gathers || d->vector_bytes < 64 ? 2 : 1;
#endif
}
