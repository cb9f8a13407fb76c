/* Lines of a session (input.h), by libedit. The history is kept in ~/.csc_history. */
#include "input.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <histedit.h>

#include "../../base/mem.h"
#include "../../base/report/source.h"

enum { MOST_REMEMBERED = 1000 };

struct Input {
    EditLine *edit; /* NULL: no terminal */
    History *history;
    Text file; /* where the history is kept; empty: nowhere */
    bool more;
    InputComplete *complete;
    void *ctx;
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static char *prompt(EditLine *edit)
{
    Input *in;
    el_get(edit, EL_CLIENTDATA, &in);
    return in->more ? ". " : "> ";
}

/* ---- completion ----------------------------------------------------------------------------- */

static size_t common(const char *a, size_t na, const char *b, size_t nb)
{
    size_t n = 0;
    while (n < na && n < nb && a[n] == b[n]) n++;
    return n;
}

static void list_words(const char *words)
{
    size_t column = 0;
    fputc('\n', stdout);
    for (const char *w = words; *w; w += strcspn(w, "\n") + 1) {
        int n = (int)strcspn(w, "\n");
        int width = n < 18 ? 18 : n;
        if (column + (size_t)width + 2 > 78 && column) {
            fputc('\n', stdout);
            column = 0;
        }
        printf("%-*.*s  ", width, n, w);
        column += (size_t)width + 2;
    }
    fputc('\n', stdout);
}

static unsigned char complete(EditLine *edit, int key)
{
    (void)key;
    Input *in;
    el_get(edit, EL_CLIENTDATA, &in);
    const LineInfo *l = el_line(edit);
    Text line = {0}, words = {0};
    text_addn(&line, l->buffer, (size_t)(l->lastchar - l->buffer));
    size_t end = (size_t)(l->cursor - l->buffer), begin = end;
    while (begin && text_is_letter(l->buffer[begin - 1])) begin--;
    if (!line.data) text_add(&line, "");
    in->complete(in->ctx, line.data ? line.data : "", end, &words);
    unsigned char result = CC_ERROR;
    if (words.data) {
        size_t n = strcspn(words.data, "\n"), count = 0;
        for (const char *w = words.data; *w; w += strcspn(w, "\n") + 1, count++)
            n = common(words.data, n, w, strcspn(w, "\n"));
        if (n > end - begin) {
            words.data[n] = 0;
            el_insertstr(edit, words.data + (end - begin));
            result = CC_REFRESH;
        } else if (count > 1) {
            list_words(words.data);
            result = CC_REDISPLAY;
        }
    }
    text_free(&line);
    text_free(&words);
    return result;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Nothing where that is no regular file: a pipe would be waited for. */
static void find_history(Text *path)
{
    const char *home = getenv("HOME");
    if (!home || !*home) return;
    text_printf(path, "%s/.csc_history", home);
    FILE *file = source_open_regular(path->data);
    if (file) fclose(file);
    if (!file && errno == EINVAL) text_free(path);
}

static void open_terminal(Input *in)
{
    HistEvent event;
    struct sigaction action = {.sa_handler = on_interrupt}; /* reading ends */
    sigaction(SIGINT, &action, NULL);
    in->edit = el_init("csc", stdin, stdout, stderr);
    if (!in->edit) return;
    in->history = history_init();
    history(in->history, &event, H_SETSIZE, MOST_REMEMBERED);
    history(in->history, &event, H_SETUNIQUE, 1);
    find_history(&in->file);
    if (in->file.len) history(in->history, &event, H_LOAD, in->file.data);
    el_set(in->edit, EL_CLIENTDATA, in);
    el_set(in->edit, EL_PROMPT, prompt);
    el_set(in->edit, EL_EDITOR, "emacs");
    el_set(in->edit, EL_HIST, history, in->history);
    el_set(in->edit, EL_ADDFN, "csc-complete", "complete a name", complete);
    el_set(in->edit, EL_BIND, "^I", "csc-complete", NULL);
    el_set(in->edit, EL_BIND, "^R", "em-inc-search-prev", NULL);
    el_source(in->edit, NULL);
}

Input *input_new(InputComplete *words, void *ctx)
{
    Input *in = mem_alloc(sizeof *in);
    in->complete = words;
    in->ctx = ctx;
    if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) open_terminal(in);
    return in;
}

void input_free(Input *in)
{
    if (in->history) history_end(in->history);
    if (in->edit) el_end(in->edit);
    text_free(&in->file);
    mem_free(in);
}

bool input_is_terminal(const Input *in)
{
    return in->edit;
}

static InputEnd read_plain(Text *line)
{
    char *bytes = NULL;
    size_t room = 0;
    ssize_t n = getline(&bytes, &room, stdin);
    if (n > 0) text_addn(line, bytes, (size_t)n);
    free(bytes);
    return n > 0 ? INPUT_LINE : INPUT_END;
}

bool input_interrupted(void)
{
    return interrupted;
}

InputEnd input_read(Input *in, bool more, Text *line)
{
    if (!in->edit) return read_plain(line);
    int n;
    in->more = more;
    interrupted = 0;
    const char *bytes = el_gets(in->edit, &n);
    if (interrupted) {
        fputc('\n', stdout);
        el_reset(in->edit);
        return INPUT_INTERRUPTED;
    }
    if (!bytes || n <= 0) {
        fputc('\n', stdout);
        return INPUT_END;
    }
    text_addn(line, bytes, (size_t)n);
    return INPUT_LINE;
}

void input_remember(Input *in, const char *entry)
{
    HistEvent event;
    if (!in->history) return;
    history(in->history, &event, H_ENTER, entry);
    if (!in->file.len) return;
    Text part = {0}; /* a window may be closed at any time */
    text_printf(&part, "%s.%d", in->file.data, (int)getpid());
    if (history(in->history, &event, H_SAVE, part.data) >= 0) rename(part.data, in->file.data);
    text_free(&part);
}
