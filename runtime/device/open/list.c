/* Which devices there are (select.h chooses among them), parts of them, and what programs ask of all
 * this: the class Device of the library. A device has a number: its place in the table, or one of two
 * that are always there. The table is made when it is first needed, and kept if there is a device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../ranks/ranks.h"
#include "../device_impl.h"
#include "../memory.h"
#include "driver.h"

enum { NATIVE = MAX_LISTED, REFERENCE }; /* numbers: the program's machine code, the interpreter */

/* ---- the table ---------------------------------------------------------------------- */

enum { MAX_PLATFORMS = 16, NO_PLATFORM = -1001 /* of the ICD loader: CL_PLATFORM_NOT_FOUND_KHR */ };

/* Was there something to list? Notes why there was not, if that is an error. */
static bool listed(DeviceList *list, cl_int code, const char *what)
{
    if (code != CL_SUCCESS && code != CL_DEVICE_NOT_FOUND && code != NO_PLATFORM) {
        snprintf(list->trouble, sizeof list->trouble, "%s cannot be listed: %s (%d)", what,
                 device_error_name(code), (int)code);
        list->memory = (code == CL_OUT_OF_HOST_MEMORY);
    }
    return code == CL_SUCCESS;
}

/* What the device says of itself; *out is for mem_object_free, empty after an error. */
cl_int device_text(cl_device_id id, cl_device_info what, char **out)
{
    size_t size = 0;
    cl_int code = clGetDeviceInfo(id, what, 0, NULL, &size);
    if (code != CL_SUCCESS) size = 0;
    *out = mem_object(size + 1);
    if (!*out) return CL_OUT_OF_HOST_MEMORY;
    return size ? clGetDeviceInfo(id, what, size, *out, NULL) : code;
}

/* Empty if it does not say so. */
static void platform_text(cl_platform_id id, cl_platform_info what, char **out)
{
    size_t size = 0;
    if (clGetPlatformInfo(id, what, 0, NULL, &size) != CL_SUCCESS) return;
    *out = mem_object(size + 1);
    if (*out && clGetPlatformInfo(id, what, size, *out, NULL) != CL_SUCCESS) **out = '\0';
}

static void forget(Listed *l)
{
    mem_object_free(l->name);
    mem_object_free(l->driver);
    mem_object_free(l->version);
    *l = (Listed){0};
}

static void find_devices(DeviceList *list, cl_device_id ids[MAX_LISTED])
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_uint nplatforms = 0;
    if (!listed(list, clGetPlatformIDs(MAX_PLATFORMS, platforms, &nplatforms), "platforms")) return;
    for (cl_uint p = 0; p < nplatforms && p < MAX_PLATFORMS; p++) {
        cl_device_id here[MAX_LISTED];
        cl_uint n = 0;
        list->platforms++;
        cl_int code = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_LISTED, here, &n);
        if (!listed(list, code, "the devices of a platform")) continue;
        for (cl_uint d = 0; d < n && d < MAX_LISTED && list->count < MAX_LISTED; d++) {
            Listed *l = &list->devices[list->count];
            cl_device_type type = 0;
            code = clGetDeviceInfo(here[d], CL_DEVICE_TYPE, sizeof type, &type, NULL);
            if (code == CL_SUCCESS) code = device_text(here[d], CL_DEVICE_NAME, &l->name);
            if (!listed(list, code, "what a device is")) {
                forget(l);
                continue;
            }
            platform_text(platforms[p], CL_PLATFORM_NAME, &l->driver);
            platform_text(platforms[p], CL_PLATFORM_VERSION, &l->version);
            ids[list->count++] = here[d];
            l->kind = type & CL_DEVICE_TYPE_GPU   ? LISTED_GPU
                      : type & CL_DEVICE_TYPE_CPU ? LISTED_CPU
                                                  : LISTED_OTHER;
        }
    }
}

/* The caller's of a library, which is the chosen one. It may be one that is not listed, a part. */
static void add_given(DeviceTable *t)
{
    int i = 0;
    while (i < t->list.count && t->ids[i] != rt.given.device) i++;
    if (i == MAX_LISTED) forget(&t->list.devices[--i]);
    if (i == t->list.count || t->ids[i] != rt.given.device) {
        cl_device_type type = 0;
        clGetDeviceInfo(rt.given.device, CL_DEVICE_TYPE, sizeof type, &type, NULL);
        t->list.devices[i] = (Listed){.kind = type & CL_DEVICE_TYPE_GPU   ? LISTED_GPU
                                              : type & CL_DEVICE_TYPE_CPU ? LISTED_CPU
                                                                          : LISTED_OTHER};
        t->ids[i] = rt.given.device;
        if (i == t->list.count) t->list.count++;
    }
    t->chosen = i;
}

DeviceTable *device_table(const CsSite *site)
{
    if (rt.table) return rt.table;
    DeviceTable *t = mem_object(sizeof *t);
    if (!t) {
        rt_throw_memory(site, sizeof *t);
        return NULL;
    }
    t->chosen = -1;
    rt.table = t;
    driver_prepare();
    find_devices(&t->list, t->ids);
    driver_signals();
    if (rt.given.device) add_given(t);
    t->whole = t->list.count;
    if (!cs_pending) return t;
    device_table_free();
    return NULL;
}

void device_table_free(void)
{
    DeviceTable *t = rt.table;
    if (!t) return;
    for (int i = 0; i < t->list.count; i++) forget(&t->list.devices[i]);
    mem_object_free(t);
    rt.table = NULL;
}

int device_chosen(DeviceTable *t, const CsSite *site)
{
    if (t->chosen < 0) t->chosen = select_device(&t->list, site);
    int chosen = t->chosen;
    if (chosen < 0) device_table_free(); /* asked anew, there may be one */
    return chosen;
}

bool device_wish_fits(void)
{
    static const char *const no_devices[] = {"", "native", "opencl", "ref"};
    const char *wish = rt_device_wish();
    if (!wish) return true;
    for (size_t i = 0; i < sizeof no_devices / sizeof *no_devices; i++)
        if (strcmp(wish, no_devices[i]) == 0) return true;
    DeviceTable *t = device_table(NULL);
    return t && device_chosen(t, NULL) >= 0;
}

/* ---- the one in use ----------------------------------------------------------------- */

static bool environment_is(const char *word)
{
    const char *wish = rt_device_wish();
    return wish && strcmp(wish, word) == 0;
}

bool device_is_ref(void)
{
    if (!rt.ref_read) rt.ref_read = environment_is("ref") ? 2 : 1; /* each evaluation asks */
    return rt.where ? rt.where - 1 == REFERENCE : rt.ref_read == 2;
}

bool device_is_used(void)
{
    return rt.where != 0;
}

bool device_is_native(void)
{
    return rt.where - 1 == NATIVE;
}

int device_wanted(void)
{
    int used = rt.where - 1;
    if (used >= 0 && used < MAX_LISTED) return used;
    return rt.table ? rt.table->chosen : -1;
}

/* What drivers of other devices talk to. */
bool device_is_processor(void)
{
    static const char *const nodes[] = {
        "/dev/dri/renderD128", "/dev/nvidiactl", "/dev/kfd",  "/dev/dxg",
        "/dev/mali0",          "/dev/kgsl-3d0",  "/dev/accel"};
    const char *wish = rt_device_wish();
    if (rt.device || rt.given.device || (wish && *wish)) return false;
    if (!rt.nodes) { /* asked before each evaluation */
        rt.nodes = RT_NODES_NONE;
        for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++)
            if (access(nodes[i], F_OK) == 0) rt.nodes = RT_NODES_SOME;
    }
    return rt.nodes == RT_NODES_NONE;
}

/* ---- what programs ask -------------------------------------------------------------- */

/* The environment's; -1 with an exception pending. */
static int default_number(const CsSite *site)
{
    if (environment_is("ref")) return REFERENCE;
    if (environment_is("native")) return NATIVE;
    DeviceTable *t = device_table(site);
    return t ? device_chosen(t, site) : -1;
}

/* Those that are no parts. Without a driver there are none. */
int32_t cs_device_count(const CsSite *site)
{
    DeviceTable *t = device_table(site);
    return t ? (int32_t)ranks_tell_number(RANKS_ASKS, t->whole, site) : 0;
}

/* Of a number that the program has from here. NULL with an exception pending. */
static const Listed *listed_device(int32_t number, const CsSite *site)
{
    DeviceTable *t = device_table(site);
    if (t && number >= 0 && number < t->list.count) return &t->list.devices[number];
    rt_throw(RT_DEVICE, site, "there is no such device");
    return NULL;
}

void *cs_device_name(int32_t number, const CsSite *site)
{
    const char *name = number == NATIVE ? "native" : number == REFERENCE ? "ref" : NULL;
    if (!name) {
        const Listed *l = listed_device(number, site);
        if (!l) return NULL;
        name = l->name ? l->name : "?";
    }
    return ranks_tell_str(RANKS_ASKS, rt_str_new(name, (int64_t)strlen(name)), site);
}

void *cs_device_kind(int32_t number, const CsSite *site)
{
    const char *kind = number == NATIVE ? "native" : number == REFERENCE ? "reference" : NULL;
    if (!kind) {
        const Listed *l = listed_device(number, site);
        if (!l) return NULL;
        kind = select_kind(l->kind);
    }
    return ranks_tell_str(RANKS_ASKS, rt_str_new(kind, (int64_t)strlen(kind)), site);
}

/* "Portable Computing Language 3.1": its platform and its version. What it does not say is left out. */
void *cs_device_driver(int32_t number, const CsSite *site)
{
    enum { MOST = 200 };
    char text[2 * MOST + 2] = "", version[MOST] = "";
    if (number >= MAX_LISTED) return rt_str_new("", 0);
    if (!listed_device(number, site)) return NULL;
    cl_device_id id = rt.table->ids[number];
    cl_platform_id platform = NULL;
    clGetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL);
    if (!platform || clGetPlatformInfo(platform, CL_PLATFORM_NAME, MOST, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    if (clGetDeviceInfo(id, CL_DRIVER_VERSION, MOST, version, NULL) != CL_SUCCESS)
        version[0] = '\0';
    size_t n = strlen(text);
    snprintf(text + n, sizeof text - n, "%s%s", n && *version ? " " : "", version);
    return ranks_tell_str(RANKS_ASKS, rt_str_new(text, (int64_t)strlen(text)), site);
}

static int64_t host_fact(bool interpreted, int32_t what)
{
    if (what == 0) return (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    return what == 1 && !interpreted ? cs_env_processor_count() : 1;
}

/* 0: bytes of memory, 1: units, 2: are there doubles? */
int64_t cs_device_fact(int32_t number, int32_t what, const CsSite *site)
{
    static const cl_device_info asked[] = {CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_MAX_COMPUTE_UNITS,
                                           CL_DEVICE_DOUBLE_FP_CONFIG};
    if (number >= MAX_LISTED) return host_fact(number == REFERENCE, what);
    if (!listed_device(number, site)) return 0;
    cl_int code = CL_SUCCESS;
    size_t v = device_ask(rt.table->ids[number], asked[what], &code);
    if (!device_good(code, "the device does not say what it is", site)) return 0;
    return ranks_tell_number(RANKS_ASKS, what == 2 ? v != 0 : (int64_t)v, site);
}

int32_t cs_device_default(const CsSite *site)
{
    return default_number(site);
}

/* Where evaluations are now. */
int32_t cs_device_current(const CsSite *site)
{
    return rt.where ? rt.where - 1 : default_number(site);
}

int32_t cs_device_find(void *wish, const CsSite *site)
{
    const Str *s = wish;
    if (strcmp(s->bytes, "ref") == 0) return REFERENCE;
    if (strcmp(s->bytes, "native") == 0) return NATIVE;
    DeviceTable *t = device_table(site);
    if (!t) return -1;
    DeviceList whole = t->list;
    whole.count = t->whole;
    int found = *s->bytes && whole.count ? select_find(&whole, s->bytes) : -1;
    if (found >= 0) return found;
    Text all = {0};
    select_name_all(&all, &whole);
    rt_throw(RT_DEVICE, site, "no device is \"%s\"; there is %s%snative and ref", s->bytes,
             all.len ? all.data : "", all.len ? ", " : "");
    text_free(&all);
    return -1;
}

/* From now on evaluations are there; gives what brings back what was. What is held back belongs to
 * before. */
int32_t cs_device_use(int32_t where, const CsSite *site)
{
    int32_t before = rt.where;
    if (where > 0 && where - 1 < MAX_LISTED && !listed_device(where - 1, site)) return 0;
    rt_fill_all();
    rt.where = where;
    if (where && where - 1 == default_number(site)) rt.where = 0;
    if (cs_pending) rt_catch(); /* there is no default */
    return before;
}

/* Parts of so many units each: gives the first one's number, and how many there are in *count. */
static int split(DeviceTable *t, int number, int units, cl_uint *count, const CsSite *site)
{
    const cl_device_partition_property how[] = {CL_DEVICE_PARTITION_EQUALLY, units, 0};
    int first = t->list.count, room = MAX_LISTED - first;
    cl_int code = clCreateSubDevices(t->ids[number], how, 0, NULL, count);
    if (code == CL_SUCCESS && *count > (cl_uint)room) {
        rt_throw(RT_DEVICE, site, "there are too many parts of devices: %d are left", room);
        return -1;
    }
    if (code == CL_SUCCESS)
        code = clCreateSubDevices(t->ids[number], how, *count, &t->ids[first], NULL);
    if (code != CL_SUCCESS || *count == 0) {
        rt_throw(RT_DEVICE, site, "the device cannot be split into parts of %d units: %s (%d)",
                 units, device_error_name(code), (int)code);
        return -1;
    }
    for (cl_uint i = 0; i < *count; i++) {
        Listed *l = &t->list.devices[first + (int)i];
        l->kind = t->list.devices[number].kind;
        if (device_text(t->ids[first + (int)i], CL_DEVICE_NAME, &l->name) != CL_SUCCESS) {
            mem_object_free(l->name);
            l->name = NULL;
        }
    }
    t->list.count += (int)*count;
    return first;
}

/* The first one's number, and above 16 bits how many they are. */
int32_t cs_device_split(int32_t number, int32_t units, const CsSite *site)
{
    if (number >= MAX_LISTED) {
        rt_throw(RT_DEVICE, site, "only devices of OpenCL can be split");
        return 0;
    }
    if (units < 1) {
        rt_throw(RT_DEVICE, site, "a part of a device has at least one unit, not %d", (int)units);
        return 0;
    }
    if (!listed_device(number, site)) return 0;
    cl_uint count = 0;
    int first = split(rt.table, number, units, &count, site);
    return first < 0 ? 0 : (int32_t)(count << 16) | first;
}
