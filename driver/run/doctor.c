/* What a machine has for C$, and what is wrong with it. */
#include "doctor.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../base/mem.h"
#include "../../base/text.h"
#include "../compile/compile.h"
#include "../message.h"
#include "../write.h"
#include "child.h"
#include "mpi.h"

typedef struct Findings {
    const Options *opt;
    json_t *json; /* what is printed in the end; NULL: lines as things are found */
    int problems;
} Findings;

/* A line of what is found; then, of a problem, what to do. */
static void found(const Findings *f, const char *what, const char *value)
{
    if (!f->json) printf("%-12s%s\n", what, value);
}

static void problem(Findings *f, const char *what, const char *value, const char *advice)
{
    if (!f->json) printf("%-12s%s\n%-12s%s\n", what, value, "", advice);
    f->problems++;
    json_t *told = json_pack("{s:s, s:s, s:s}", "of", what, "problem", value, "advice", advice);
    if (told && f->json) json_array_append(json_object_get(f->json, "problems"), told);
    json_decref(told);
}

/* The member `name`, where `value` is its value. */
static void note(const Findings *f, const char *name, json_t *value)
{
    if (value && f->json) json_object_set(f->json, name, value);
    json_decref(value);
}

static void found_text(const Findings *f, const char *what, const char *value)
{
    found(f, what, value);
    note(f, what, json_string(value));
}

/* ---- files ---------------------------------------------------------------------------------- */

static char *first_line(char *text)
{
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static void look_at_linker(Findings *f)
{
    const char *cc = getenv("CC");
    Text command = {0};
    char line[256] = "";
    if (!cc || !*cc) cc = "cc";
    text_printf(&command, "%s --version 2>/dev/null", cc);
    FILE *out = popen(command.data, "r");
    if (out && !fgets(line, sizeof line, out)) line[0] = '\0';
    if (out) pclose(out);
    text_free(&command);
    if (line[0])
        found_text(f, "linker", first_line(line));
    else
        problem(f, "linker", cc, "cannot be run: install gcc, or let CC name a C compiler");
}

static void look_at_runtime(Findings *f)
{
    Text path = {0};
    if (write_shipped(&path, "csrt.o"))
        found_text(f, "runtime", path.data);
    else
        problem(f, "runtime", "csrt.o is not beside csc", "run make, or make install");
    text_free(&path);
}

/* The libraries by which programs run under launchers of MPIs. */
static void look_at_mpi(const Findings *f)
{
    int n = 0;
    json_t *all = json_array();
    for (int k = 0; mpi_family(k); k++) {
        Text path = {0}, line = {0};
        if (mpi_find(&path, mpi_family(k))) {
            text_printf(&line, "%s: %s", mpi_family(k), path.data);
            found(f, n++ ? "" : "mpi", line.data);
            json_array_append_new(
                all, json_pack("{s:s, s:s}", "family", mpi_family(k), "library", path.data));
        }
        text_free(&path);
        text_free(&line);
    }
    if (!n) found(f, "mpi", "none (csc mpi MPICC makes a library)");
    note(f, "mpi", all);
}

/* Files of OpenCL's loader, one a driver. Their libraries, a line each. */
static int drivers_in(const Findings *f, const char *folder, Text *libraries)
{
    int n = 0;
    json_t *all = json_array();
    DIR *dir = opendir(folder);
    for (struct dirent *e; dir && (e = readdir(dir));) {
        size_t len = strlen(e->d_name);
        if (len < 4 || strcmp(e->d_name + len - 4, ".icd") != 0) continue;
        Text path = {0};
        char line[256] = "";
        text_printf(&path, "%s/%s", folder, e->d_name);
        FILE *in = fopen(path.data, "r");
        if (in && !fgets(line, sizeof line, in)) line[0] = '\0';
        if (in) fclose(in);
        json_array_append_new(
            all, json_pack("{s:s, s:s}", "file", path.data, "library", first_line(line)));
        text_printf(&path, ": %s", line);
        text_printf(libraries, "%s\n", line);
        found(f, n++ ? "" : "drivers", path.data);
        text_free(&path);
    }
    if (dir) closedir(dir);
    note(f, "drivers", all);
    return n;
}

/* Why what is there may offer no device: of whose library's name in a file of the loader a part is, which
 * file has to be there and open to the user, which variable set; NULL: none. */
static const struct Hurdle {
    const char *driver, *file, *variable, *advice;
} hurdles[] = {
    {"Rusticl", NULL, "RUSTICL_ENABLE",
     "it offers no device unless RUSTICL_ENABLE names a driver of Mesa (radeonsi, iris, ..)"},
    {"libigdrcl", "/dev/dri/renderD128", NULL,
     "it needs /dev/dri/renderD128: add yourself to the group render, or give it to the container"},
    {"amdocl", "/dev/kfd", NULL,
     "it needs /dev/kfd: add yourself to the group render, or give it to the container"},
    {"nvidia-opencl", "/dev/nvidiactl", NULL,
     "it needs /dev/nvidiactl: load the kernel's module, or give the GPU to the container"}};

static bool is_in_way(const struct Hurdle *h, const char *library)
{
    const char *value = h->variable ? getenv(h->variable) : NULL;
    if (!strstr(library, h->driver)) return false;
    return (h->variable && (!value || !*value)) || (h->file && access(h->file, R_OK | W_OK) != 0);
}

/* A GPU of NVIDIA's without the file that names its driver, as in many containers. */
static void look_for_nvidia(Findings *f, const Text *libraries)
{
    if (access("/dev/nvidiactl", F_OK) != 0) return;
    if (libraries->len && strstr(libraries->data, "nvidia-opencl")) return;
    problem(f, "", "a GPU of NVIDIA's, /dev/nvidiactl, and no driver of OpenCL for it",
            "write libnvidia-opencl.so.1 into /etc/OpenCL/vendors/nvidia.icd");
}

static void look_at_drivers(Findings *f)
{
    const char *folder = getenv("OCL_ICD_VENDORS");
    if (!folder || !*folder) folder = "/etc/OpenCL/vendors";
    Text libraries = {0};
    if (access(folder, R_OK) != 0 || drivers_in(f, folder, &libraries) == 0)
        problem(f, "drivers", folder,
                "names no driver of OpenCL: install one, pocl-opencl-icd for the processor");
    for (size_t i = 0; libraries.len && i < sizeof hurdles / sizeof *hurdles; i++)
        if (is_in_way(&hurdles[i], libraries.data))
            problem(f, "", hurdles[i].driver, hurdles[i].advice);
    look_for_nvidia(f, &libraries);
    text_free(&libraries);
}

/* ---- caches --------------------------------------------------------------------------------- */

static long long cached_files, cached_bytes;

static int add_file(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)path, (void)at;
    cached_files += kind == FTW_F;
    cached_bytes += kind == FTW_F ? (long long)st->st_size : 0;
    return 0;
}

/* A folder that `variable` names, or one in the user's caches. */
static void look_at_cache(const Findings *f, const char *what, const char *variable,
                          const char *name)
{
    const char *set = getenv(variable), *home = getenv("HOME"), *caches = getenv("XDG_CACHE_HOME");
    Text path = {0};
    if (set)
        text_add(&path, set);
    else if (caches && *caches == '/')
        text_printf(&path, "%s/%s", caches, name);
    else
        text_printf(&path, "%s/.cache/%s", home ? home : "", name);
    cached_files = cached_bytes = 0;
    if (path.len) nftw(path.data, add_file, 16, FTW_PHYS);
    json_t *cache = json_pack("{s:s, s:I, s:I}", "folder", path.data ? path.data : "", "files",
                              (json_int_t)cached_files, "bytes", (json_int_t)cached_bytes);
    note(f, what, set && !*set ? json_null() : json_incref(cache));
    json_decref(cache);
    text_printf(&path, ": %lld files, %.1f MiB", cached_files, (double)cached_bytes / (1 << 20));
    found(f, what, set && !*set ? "none (turned off)" : path.data);
    text_free(&path);
}

static void look_at_environment(const Findings *f)
{
    int n = 0;
    json_t *all = json_object();
    for (char **e = environ; *e; e++) {
        if (strncmp(*e, "CS_", 3) != 0 && strncmp(*e, "POCL_", 5) != 0 &&
            strncmp(*e, "OCL_", 4) != 0)
            continue;
        found(f, n++ ? "" : "variables", *e);
        Text name = {0};
        text_addn(&name, *e, strcspn(*e, "="));
        if (strchr(*e, '=')) json_object_set_new(all, name.data, json_string(strchr(*e, '=') + 1));
        text_free(&name);
    }
    note(f, "variables", all);
}

/* ---- devices -------------------------------------------------------------------------------- */

static int make_program(void *ctx)
{
    const Options *opt = ctx;
    Options o = *opt;
    int program = -1;
    o.input = "doctor.cs$";
    o.text = doctor_program;
    o.emit = EMIT_PROGRAM;
    o.levels = 0; /* the devices are to be tried */
    o.files.len = 0;
    o.json = false;
    o.host.program = o.input;
    return compile(&o, &program) ? program : -1;
}

/* What the program says of devices as JSON, an object a line. */
static void note_devices(Findings *f, const ChildEnd *end)
{
    json_t *all = json_array();
    for (const char *at = end->out.data; at && *at;) {
        size_t n = strcspn(at, "\n");
        json_t *device = json_loadb(at, n, 0, NULL);
        if (device) json_array_append_new(all, device);
        f->problems += (int)json_array_size(json_object_get(device, "problems"));
        at += n + (at[n] == '\n');
    }
    note(f, "devices", all);
}

static void look_at_devices(Findings *f)
{
    char *argv[] = {"doctor", f->json ? "json" : NULL, NULL};
    const Child child = {.program = make_program,
                         .ctx = (void *)(uintptr_t)f->opt,
                         .argv = argv,
                         .shows = !f->json,
                         .seconds = 120};
    char room[64];
    if (!f->json) puts("devices");
    fflush(stdout);
    int before = f->problems;
    ChildEnd end = child_run(&child);
    if (f->json) note_devices(f, &end);
    const char *why = child_why(&end, room);
    if (why && f->json && f->problems == before)
        problem(f, "", why, end.err.data ? end.err.data : "the program that tries devices");
    else if (why && !f->json)
        problem(f, "", why, "of the program that tries them: what is above says why");
    child_end_free(&end);
}

static bool tell(const Findings *f)
{
    if (!f->json) {
        if (f->problems)
            printf("%d problem%s\n", f->problems, f->problems == 1 ? "" : "s");
        else
            puts("no problems");
        return fflush(stdout) == 0;
    }
    json_object_set_new(f->json, "ok", json_boolean(f->problems == 0));
    char *text = json_dumps(f->json, JSON_INDENT(2));
    bool told = text && puts(text) >= 0 && fflush(stdout) == 0;
    free(text);
    return told;
}

bool doctor(const Options *o)
{
    Findings f = {.opt = o, .json = o->json ? json_pack("{s:[]}", "problems") : NULL};
    found_text(&f, "csc", VERSION);
    look_at_linker(&f);
    look_at_runtime(&f);
    look_at_mpi(&f);
    look_at_drivers(&f);
    look_at_cache(&f, "kernels", "CS_CACHE_DIR", "cs-dollar");
    look_at_cache(&f, "POCL", "POCL_CACHE_DIR", "pocl/kcache");
    look_at_environment(&f);
    look_at_devices(&f);
    bool told = tell(&f);
    json_decref(f.json);
    return told && f.problems == 0;
}
