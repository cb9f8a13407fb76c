/* Outputs of the driver. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../base/mem.h"
#include "../base/system/output.h"
#include "../base/text.h"
#include "message.h"
#include "write.h"

bool write_bytes(const char *path, const void *data, size_t bytes, mode_t mode)
{
    bool standard = !path || strcmp(path, "-") == 0;
    Output o = {.fd = standard ? dup(STDOUT_FILENO) : -1};
    int err = standard ? (o.fd < 0 ? errno : 0) : output_open(&o, path, mode);
    if (!err) err = output_write(&o, data, bytes);
    if (!err) err = output_finish(&o, false);
    output_end(&o);
    const char *why = err == EBADF ? "it is closed" : strerror(err);
    if (err && standard) complain("cannot write to standard output: %s", why);
    if (err && !standard) complain("cannot write '%s': %s", path, why);
    return !err;
}

const char *write_default(Arena *a, const char *input, const char *suffix)
{
    const char *base = strrchr(input, '/');
    base = base ? base + 1 : input;
    if (strcmp(base, "-") == 0) return *suffix ? arena_printf(a, "a%s", suffix) : "a.out";
    const char *dot = strrchr(base, '.');
    return arena_printf(a, "%.*s%s", dot ? (int)(dot - base) : (int)strlen(base), base, suffix);
}

bool write_self(Text *path)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    text_free(path);
    if (n > 0) text_addn(path, self, (size_t)n);
    return n > 0 && (size_t)n < sizeof self - 1;
}

bool write_shipped(Text *path, const char *name)
{
    Text self = {0};
    char *slash = write_self(&self) ? strrchr(self.data, '/') : NULL;
    bool found = false;
    if (slash) *slash = '\0';
    const char *places[] = {"build", ".", "../lib/csc"};
    for (size_t i = 0; slash && !found && i < sizeof places / sizeof *places; i++) {
        text_free(path);
        text_printf(path, "%s/%s/%s", self.data, places[i], name);
        found = access(path->data, R_OK) == 0;
    }
    text_free(&self);
    return found;
}

int write_linked(HostModule *module, HostLinked kind, bool verbose)
{
    Text library = {0};
    char *error = NULL;
    int program = -1;
    if (!write_shipped(&library, "csrt.o"))
        complain("csrt.o is not beside csc: run make, or make install");
    else if ((program = host_link(module, kind, library.data, verbose, &error)) < 0)
        complain("%s", error);
    mem_free(error);
    text_free(&library);
    return program;
}

bool write_program(int program, const char *path, mode_t mode)
{
    char block[1 << 16];
    ssize_t n;
    Text bytes = {0};
    while ((n = read(program, block, sizeof block)) > 0) text_addn(&bytes, block, (size_t)n);
    if (n < 0) complain("cannot read the program: %s", strerror(errno));
    bool ok = n == 0 && write_bytes(path, bytes.data, bytes.len, mode);
    text_free(&bytes);
    return ok;
}
