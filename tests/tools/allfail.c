/* allfail [-every N [-draw K]] [-all] [-tell TEXT] [-removes FILE] program args..
 * Runs a program whose allocator was built with CS_FAULTS once for each of its allocations, each
 * time failing that one (-all: and all behind it); -every N: one in N, which ones says K. Right is either the output of the undisturbed
 * run with its exit code, or exit code 1 with TEXT, or "out of memory" before main, in front of a
 * line of stderr, and then what went to stdout is the beginning of that output. Nothing may leak,
 * and FILE is gone after a failure. Says what is wrong, and how many points there were; exit code 1
 * if any is wrong. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, TOLD = 20 };

typedef struct Output {
    char *data;
    size_t len;
} Output;

typedef struct Result {
    int status;
    Output out, err;
} Result;

static Output take(int fd)
{
    Output o = {.len = (size_t)lseek(fd, 0, SEEK_END)};
    o.data = calloc(1, o.len + 1);
    if (!o.data || pread(fd, o.data, o.len, 0) != (ssize_t)o.len) abort();
    close(fd);
    return o;
}

static Result run(char **argv, const char *fault)
{
    int out = memfd_create("out", 0), err = memfd_create("err", 0);
    pid_t pid = fork();
    if (pid == 0) {
        int in = open("/dev/null", O_RDONLY);
        dup2(in, 0);
        dup2(out, 1);
        dup2(err, 2);
        setenv("CS_FAULT", fault, 1);
        alarm(SECONDS);
        execvp(argv[0], argv);
        _exit(127);
    }
    Result r = {0};
    while (waitpid(pid, &r.status, 0) < 0 && errno == EINTR) continue;
    r.out = take(out);
    r.err = take(err);
    return r;
}

static bool starts_line(const char *text, const char *what)
{
    for (const char *p = text; p; p = (p = strchr(p, '\n')) ? p + 1 : NULL)
        if (strncmp(p, what, strlen(what)) == 0) return true;
    return false;
}

static const char *wrong(const Result *r, const Result *good, const char *tell, const char *removes,
                         bool all)
{
    if (WIFSIGNALED(r->status))
        return WTERMSIG(r->status) == SIGALRM ? "it hangs" : "it was killed";
    if ((!all && strstr(r->err.data, "leaked:")) || strstr(r->err.data, "LeakSanitizer"))
        return "it leaks";
    if (strstr(r->err.data, "Sanitizer") || strstr(r->err.data, "runtime error"))
        return "sanitizer";
    bool whole = r->out.len == good->out.len, begins = r->out.len <= good->out.len;
    begins = begins && memcmp(r->out.data, good->out.data, r->out.len) == 0;
    if (r->status == good->status && whole && begins) return NULL;
    if (WEXITSTATUS(r->status) != 1) return "its exit code is wrong";
    if (!starts_line(r->err.data, tell) && !starts_line(r->err.data, "out of memory"))
        return "it does not say that memory is out";
    if (!begins) return "its output is wrong";
    if (removes && access(removes, F_OK) == 0) return "it leaves a file";
    return NULL;
}

int main(int argc, char **argv)
{
    long every = 1, draw = 0;
    bool all = false;
    const char *tell = "Unhandled OutOfMemoryException", *removes = NULL;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "-every") == 0)
            every = atol(argv[++i]);
        else if (strcmp(argv[i], "-draw") == 0)
            draw = atol(argv[++i]);
        else if (strcmp(argv[i], "-tell") == 0)
            tell = argv[++i];
        else if (strcmp(argv[i], "-removes") == 0)
            removes = argv[++i];
        else
            all = true;
    }
    Result good = run(argv + i, "alloc:0");
    const char *count = strstr(good.err.data, "allocations: ");
    if (!count || strstr(good.err.data, "leaked:")) {
        printf("%s: %s\n", argv[i], count ? good.err.data : "counts no allocations");
        return 1;
    }
    if (good.status != 0) { /* the program itself is wrong: nothing would be learnt from it */
        printf("%s: the undisturbed run fails\n%.600s", argv[i], good.err.data);
        return 1;
    }
    long n = atol(count + strlen("allocations: ")), points = 0, bad = 0, ended = 0;
    for (long at = 1 + draw % every; at <= n; at += every, points++) {
        char fault[64];
        snprintf(fault, sizeof fault, "alloc:%ld%s", at, all ? "+" : "");
        if (removes) unlink(removes);
        Result r = run(argv + i, fault);
        const char *why = wrong(&r, &good, tell, removes, all);
        if (r.status != good.status) ended++;
        if (why && bad++ < TOLD)
            printf("%s: CS_FAULT=%s: %s\n%.600s", argv[i], fault, why, r.err.data);
        free(r.out.data);
        free(r.err.data);
    }
    printf("%s: %ld of %ld allocations failed, %ld ended it, %ld wrong\n", argv[i], points, n,
           ended, bad);
    return bad != 0;
}
