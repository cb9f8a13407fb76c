/* The console. Standard output goes through a buffer of our own, for two reasons: a handler of a
 * signal can write out what it holds, so nothing is lost by a program that is ended; and it is
 * written when the program has been silent for a moment, so a reader sees lines as they come, while
 * a million of them take a few hundred system calls. To a terminal every call writes at once.
 *
 * Invariant for the handler: bytes[done .. len) is what was written and not yet read. Between a
 * call of write and the change of `done` signals are held back; they come where the flush waits for
 * the reader.
 *
 * A failure is told once, and makes the exit code 1 without stopping the program: what it still has
 * to save is saved. */
#include "console.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../base/system/process.h"
#include "../objects/str.h"
#include "../ranks/ranks.h"

enum {
    ROOM = 1 << 16,
    SILENCE = 10000000, /* ns after which the next call writes at once */
    PATIENCE = 1000     /* ms in which a reader must take something from a program that ends */
};

typedef enum Reader { READER_UNKNOWN, READER_FILE, READER_TERMINAL, READER_OTHER } Reader;

static struct {
    char bytes[ROOM];
    volatile size_t len, done;
    Reader reader;
    bool failed;
    int64_t flushed; /* when; ns */
} out;

/* What Console.Out and Console.Error are: one of these, for ever. */
static CsHead writers[2] = {{.refs = -1, .kind = CS_WRITER}, {.refs = -1, .kind = CS_WRITER}};

/* ---- flushing ------------------------------------------------------------------------------ */

/* One call of write that does not block, for a reader that has room. Returns an errno. */
static int write_some(void)
{
    size_t n = out.len - out.done;
    if (out.reader != READER_FILE && n > PIPE_BUF) n = PIPE_BUF;
    ssize_t w = write(STDOUT_FILENO, out.bytes + out.done, n);
    if (w > 0) out.done += (size_t)w;
    return w >= 0 || errno == EINTR || errno == EAGAIN ? 0 : errno;
}

static void fail(int err)
{
    out.failed = true;
    out.done = out.len = 0;
    fprintf(stderr, "cannot write to standard output: %s\n",
            err == EBADF ? "it is closed" : strerror(err));
}

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void console_flush(void)
{
    if (out.len == 0) return;
    int err = 0;
    sigset_t before = process_hold();
    while (!err && out.done < out.len) {
        struct pollfd ready = {.fd = STDOUT_FILENO, .events = POLLOUT};
        if (out.reader == READER_FILE || ppoll(&ready, 1, NULL, &before) >= 0)
            err = write_some();
        else if (errno != EINTR)
            err = errno;
    }
    if (err) fail(err);
    out.len = out.done = 0;
    process_release(before);
    out.flushed = now();
}

void console_last(void)
{
    while (out.done < out.len) {
        struct pollfd ready = {.fd = STDOUT_FILENO, .events = POLLOUT};
        if (out.reader != READER_FILE && poll(&ready, 1, PATIENCE) <= 0) return;
        if (write_some()) return;
    }
}

bool console_end(void)
{
    console_flush();
    bool good = !out.failed;
    out.failed = false;
    out.reader = READER_UNKNOWN;
    return good;
}

/* ---- writing --------------------------------------------------------------------------------- */

static Reader reader_of(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? READER_FILE
           : isatty(fd)                               ? READER_TERMINAL
                                                      : READER_OTHER;
}

static void put(const char *bytes, size_t n)
{
    while (n > 0) {
        if (out.len == ROOM) console_flush();
        if (out.failed) return;
        size_t some = n < ROOM - out.len ? n : ROOM - out.len;
        memcpy(out.bytes + out.len, bytes, some);
        atomic_signal_fence(memory_order_release);
        out.len += some;
        bytes += some;
        n -= some;
    }
}

/* Is it another rank that writes it? */
static bool is_written(const Str *s)
{
    if (s) ranks_note(s->bytes, (size_t)s->len);
    return !ranks_first();
}

static void write_out(const Str *str, bool newline)
{
    if (is_written(str) || out.failed) return;
    if (out.reader == READER_UNKNOWN) out.reader = reader_of(STDOUT_FILENO);
    if (str) put(str->bytes, (size_t)str->len);
    if (newline) put("\n", 1);
    if (out.reader == READER_TERMINAL || now() - out.flushed >= SILENCE) console_flush();
}

void cs_console_write(void *s)
{
    write_out(s, false);
}

void cs_console_write_line(void *s)
{
    write_out(s, true);
}

int32_t cs_console_out_redirected(void)
{
    return (int32_t)ranks_tell_number(RANKS_ASKS, !isatty(STDOUT_FILENO), NULL);
}

int32_t cs_console_error_redirected(void)
{
    return (int32_t)ranks_tell_number(RANKS_ASKS, !isatty(STDERR_FILENO), NULL);
}

void *cs_console_out(void)
{
    return &writers[0];
}

void *cs_console_error(void)
{
    return &writers[1];
}

static void write_to(const void *writer, const Str *s, bool newline)
{
    if (writer == &writers[0]) {
        write_out(s, newline);
        return;
    }
    if (is_written(s)) return;
    console_flush(); /* in the order in which it was written */
    if (s) fwrite(s->bytes, 1, (size_t)s->len, stderr);
    if (newline) fputc('\n', stderr);
}

void cs_writer_write(void *writer, void *s)
{
    write_to(writer, s, false);
}

void cs_writer_write_line(void *writer, void *s)
{
    write_to(writer, s, true);
}

/* ---- reading --------------------------------------------------------------------------------- */

static Str *read_line(void)
{
    char *line = NULL;
    size_t room = 0;
    console_flush(); /* a prompt */
    ssize_t len = getline(&line, &room, stdin);
    Str *s = NULL;
    if (len >= 0) {
        if (len > 0 && line[len - 1] == '\n') len--;
        if (len > 0 && line[len - 1] == '\r') len--;
        s = rt_str_new(line, len);
    } else if (!feof(stdin) && !ferror(stdin))
        rt_throw_memory(NULL, room);
    free(line); /* of the C library */
    return s;
}

/* The next line without its end; NULL after the last. */
void *cs_console_read_line(void)
{
    return ranks_tell_str(RANKS_READS, ranks_first() ? read_line() : NULL, NULL);
}
