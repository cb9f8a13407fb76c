/* The console: writing through stdio's buffer, reading lines. A reader that went away ends the
 * program's output quietly; any other failure is told once, and makes the exit code 1 without
 * stopping the program: what it still has to save is saved. */
#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "str.h"

static bool failed;

static void fail_at_exit(void)
{
    fflush(NULL);
    _exit(1);
}

/* What Console.Out and Console.Error are: one of these, for ever. */
static CsHead writers[2] = {{.refs = -1, .kind = CS_WRITER}, {.refs = -1, .kind = CS_WRITER}};

static void write_out(const Str *str, bool newline)
{
    if (failed || ferror(stdout)) return;
    bool ok = !str || fwrite(str->bytes, 1, (size_t)str->len, stdout) == (size_t)str->len;
    if (newline) ok = ok && putchar('\n') != EOF;
    if (ok || errno == EPIPE) return;
    failed = true;
    __fpurge(stdout); /* or its end would fail again */
    fprintf(stderr, "cannot write to standard output: %s\n", strerror(errno));
    atexit(fail_at_exit);
}

void cs_console_write(void *s)
{
    write_out(s, false);
}

void cs_console_write_line(void *s)
{
    write_out(s, true);
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
    fflush(stdout); /* in the order in which it was written */
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

/* The next line without its end; NULL after the last. */
void *cs_console_read_line(void)
{
    char *line = NULL;
    size_t room = 0;
    fflush(stdout); /* a prompt */
    ssize_t len = getline(&line, &room, stdin);
    Str *s = NULL;
    if (len >= 0) {
        if (len > 0 && line[len - 1] == '\n') len--;
        if (len > 0 && line[len - 1] == '\r') len--;
        s = rt_str_new(line, len);
    }
    free(line);
    return s;
}
