/* POCL keeps what it compiles in a folder of its own. Where it cannot write there (no home, a full
 * disk) it offers no device or builds no kernel, and where another user can write he decides what
 * runs. Then POCL gets one within the disk cache (cache.h); where there is none, a new one for this
 * run, which goes when the process ends: POCL reads the variable once. */
#include "driver.h"

#include <ftw.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "../../../base/mem.h"
#include "../../../base/system/process.h"
#include "../../../base/text.h"
#include "../../pool.h"
#include "../../state.h"
#include "../cache.h"

enum {
    ROOM = 16 << 20,          /* bytes of files that some kernels take at most */
    HEAP_ROOM = 192 << 20,    /* of memory that the driver's compiler takes for a program */
    HEAP_STEP = 120 << 10,    /* what malloc takes of its heap */
    HEAP_TOP_PAD = 128 << 10, /* malloc's own */
    HUGE_PAGE = 2 << 20
};

static char *own; /* the process's: its driver knows of no cs_finish */

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void remove_own(void)
{
    nftw(own, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    mem_free(own);
    own = NULL;
}

/* Can this user write there, and nobody else? */
static bool is_usable(const char *path)
{
    int fd = cache_folder(path, true);
    if (fd < 0) return false;
    struct statvfs fs;
    bool room = fstatvfs(fd, &fs) != 0 || (uint64_t)fs.f_bavail * fs.f_frsize >= ROOM;
    close(fd);
    return room && access(path, R_OK | W_OK | X_OK) == 0;
}

static bool asked; /* the process's, too */

void driver_signals(void)
{
    if (!rt.embedded) process_keep_signals();
}

/* POCL takes as many units of the processor as the pool does, if nobody has said otherwise. */
static void share_units(void)
{
    char units[12];
    if (!rt.ranks.size) return;
    snprintf(units, sizeof units, "%d", pool_units());
    setenv("POCL_MAX_PTHREAD_COUNT", units, 0); /* before version 5 */
    setenv("POCL_CPU_MAX_CU_COUNT", units, 0);
}

bool driver_was_asked(void)
{
    return asked;
}

void driver_prepare(void)
{
    asked = true;
    driver_signals();
    share_units();
    const char *set = getenv("POCL_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME"), *tmp = getenv("TMPDIR");
    if (own || (set && *set)) return;
    Text t = {0}; /* where POCL would go */
    if (xdg && *xdg)
        text_printf(&t, "%s/pocl/kcache", xdg);
    else if (home && *home)
        text_printf(&t, "%s/.cache/pocl/kcache", home);
    if (t.len == 0 || (!t.failed && !is_usable(t.data))) {
        text_free(&t);
        t = cache_path();
        if (t.len) text_add(&t, "/pocl");
        if (t.len && !t.failed && is_usable(t.data) && setenv("POCL_CACHE_DIR", t.data, 1) == 0) {
            text_free(&t);
            return;
        }
        for (int i = tmp && *tmp ? 0 : 1; i < 2 && !own; i++) {
            text_free(&t);
            text_printf(&t, "%s/cs-dollar-XXXXXX", i ? "/tmp" : tmp);
            if (!t.failed && mkdtemp(t.data)) own = text_take(&t);
        }
        if (own && setenv("POCL_CACHE_DIR", own, 1) == 0) atexit(remove_own);
    }
    text_free(&t);
}

void driver_room(void)
{
#ifdef __GLIBC__
    static bool made;
    if (made) return;
    made = true;
    mallopt(M_TRIM_THRESHOLD, 2 * HEAP_ROOM);
    mallopt(M_TOP_PAD, HEAP_ROOM);
    void *volatile first = malloc(HEAP_STEP), *volatile second = malloc(HEAP_STEP);
    mallopt(M_TOP_PAD, HEAP_TOP_PAD);
    uintptr_t end = (uintptr_t)sbrk(0), from = (uintptr_t)second;
    from = (from + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    if (second && from < end && end - from <= 2 * (uintptr_t)HEAP_ROOM)
        madvise((void *)from, end - from, MADV_HUGEPAGE);
    free(second);
    free(first);
#endif
}
