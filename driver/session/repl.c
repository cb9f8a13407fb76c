/* csc repl: the loop over entries, and the commands that begin with a colon. */
#include "repl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../codegen/abi/session.h"
#include "../../server/features/features.h"
#include "../compile/compile.h"
#include "../message.h"
#include "../source/reference.h"
#include "entry.h"
#include "input.h"
#include "process.h"

typedef struct Repl {
    const Options *options;
    Session *session;
    Process *process;
    Input *input;
    Text open;            /* the lines of the entry that is not complete */
    int failures, marked; /* entries and commands that failed, those before the last :mark */
    bool loading, ended;
} Repl;

typedef enum Wish { WISH_RUN, WISH_TIME, WISH_TYPE, WISH_GRAPH, WISH_KERNEL } Wish;

/* ---- entries -------------------------------------------------------------------------------- */

/* The process and its variables are gone. */
static void lose(Repl *r, const char *why)
{
    const HostVariable *all;
    int n = session_variables(r->session, &all);
    process_reset(r->process);
    if (n) fprintf(stderr, "%s", why);
    for (int i = 0; i < n; i++) fprintf(stderr, "%s %s", i ? "," : "", all[i].name);
    if (n) fputc('\n', stderr);
    host_session_drop(session_host(r->session), NULL);
}

static Options options_of(Repl *r, Entry *e)
{
    Options o = *r->options; /* those of kernels and code; the others are for programs */
    o.emit = EMIT_PROGRAM;
    o.library = o.python = o.dependencies = false;
    o.output = NULL;
    o.input = e->name;
    o.text = e->text.data;
    o.entry = e;
    e->made = process_makes(r->process);
    o.host.program = e->name;
    o.host.session = session_host(r->session);
    return o;
}

/* Variables whose type is another one from now on. */
static void tell_hidden(Repl *r, const Entry *e)
{
    const HostVariable *all;
    int n = session_variables(r->session, &all);
    for (int i = 0; i < n; i++)
        if (entry_hides(e, &all[i]))
            fprintf(stderr, "'%s' is gone: %s is another type now\n", all[i].name, all[i].type);
}

/* Variables that later entries could not declare: the type of new { .. } has no name. */
static void drop_unnamed(Repl *r)
{
    const HostVariable *all;
    int n = session_variables(r->session, &all);
    for (int i = 0; i < n; i++) {
        if (!strchr(all[i].type, '$')) continue;
        if (strcmp(all[i].name, CS_LAST) != 0)
            fprintf(stderr, "'%s' is gone: its type has no name; write a tuple, (A: 1)\n",
                    all[i].name);
        host_session_drop(session_host(r->session), all[i].type);
        n = session_variables(r->session, &all);
        i = -1;
    }
}

static void run(Repl *r, Entry *e, bool timed)
{
    Options o = options_of(r, e);
    int object;
    const bool compiled = compile(&o, &object);
    if (compiled && session_take_change(r->session))
        lose(r, "a file that entries use has changed; these variables are gone:");
    const bool stopped = compiled && input_interrupted(); /* once it runs its process heeds that */
    if (stopped) {
        fputs("interrupted\n", stderr);
        close(object);
    }
    if (!compiled || stopped) {
        r->failures++;
        host_session_forget(session_host(r->session));
        return;
    }
    ProcessEnd end = process_run_entry(r->process, object, timed);
    close(object);
    if (end == PROCESS_DONE) {
        tell_hidden(r, e);
        entry_keep(e);
        drop_unnamed(r);
        return;
    }
    host_session_forget(session_host(r->session));
    r->failures++;
    r->ended = end == PROCESS_ENDED;
    /* restored: variables are as they were before this entry */
    if (end == PROCESS_LOST) lose(r, "its variables are gone:");
}

static void look(Repl *r, Entry *e, Wish wish)
{
    Options o = options_of(r, e);
    o.emit = wish == WISH_TYPE ? EMIT_CHECK : wish == WISH_GRAPH ? EMIT_FDAG : EMIT_OPENCL;
    e->forced = wish == WISH_KERNEL;
    fflush(stdout);
    if (!compile(&o, NULL))
        r->failures++;
    else if (wish == WISH_TYPE)
        puts(e->type.len ? e->type.data : "void");
    host_session_forget(session_host(r->session));
}

/* Takes text that may be an entry; false: it goes on in the next line. */
static bool take(Repl *r, const char *text, Wish wish, bool closed)
{
    Entry e;
    EntryState state = entry_begin(&e, r->session, text, r->options);
    bool done = state != ENTRY_OPEN || closed;
    if (done && state != ENTRY_EMPTY) {
        if (wish == WISH_RUN || wish == WISH_TIME)
            run(r, &e, wish == WISH_TIME);
        else
            look(r, &e, wish);
    }
    entry_end(&e);
    return done;
}

/* ---- commands ------------------------------------------------------------------------------- */

static bool read_file(Repl *r, const char *path, Text *text)
{
    const char *why;
    if (!source_read_regular(path, text, &why)) {
        complain("cannot read '%s': %s", path, why);
        r->failures++;
        return false;
    }
    return text->len > 0;
}

static bool take_all(Repl *r, const char *text, bool closed);

static void load_file(Repl *r, const char *path)
{
    Text text = {0};
    if (r->loading) {
        complain("a file that is loaded loads no other");
        r->failures++;
        return;
    }
    r->loading = true;
    if (read_file(r, path, &text)) take_all(r, text.data, true);
    r->loading = false;
    text_free(&text);
}

static void complete(void *ctx, const char *line, size_t end, Text *words);

static void complete_file(Repl *r, const char *path)
{
    Text text = {0}, words = {0};
    if (read_file(r, path, &text)) complete(r, text.data, text.len, &words);
    if (words.len) fputs(words.data, stdout);
    text_free(&words);
    text_free(&text);
}

/* For programs that drive a session: where what an entry wrote ends, and whether it failed. */
static void mark(Repl *r, const char *text)
{
    const char *end = r->failures > r->marked ? "failed" : "ok";
    r->marked = r->failures;
    printf("%s %s\n", text, end);
    fprintf(stderr, "%s %s\n", text, end);
}

static void list_variables(Repl *r, const char *rest)
{
    (void)rest;
    const HostVariable *all;
    int n = session_variables(r->session, &all);
    for (int i = 0; i < n; i++) printf("%s %s\n", all[i].type, all[i].name);
}

static void begin_anew(Repl *r, const char *rest)
{
    (void)rest;
    process_reset(r->process);
    process_free(r->process);
    session_free(r->session);
    r->session = session_new();
    r->process = process_new(r->options, session_host(r->session));
}

/* What a hover says of a name: its text between the marks of code, then its comment. */
static void print_hover(const json_t *found)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(found, "contents"), "value"));
    for (size_t n; text && *text; text += n + (text[n] != 0)) {
        n = strcspn(text, "\n");
        if (n && strncmp(text, "```", 3) != 0) printf("%.*s\n", (int)n, text);
    }
}

/* Of `Type.Member` the rows of the type's page that declare it; false: there are none. */
static bool print_member(const Repl *r, const char *name)
{
    const char *dot = strrchr(name, '.');
    Text type = {0}, page = {0};
    bool some = false, within = false;
    if (dot) text_addn(&type, name, (size_t)(dot - name));
    if (dot && reference_page(r->options, type.data, &page)) {
        int n;
        for (const char *line = page.data; *line; line += n + (line[n] == '\n')) {
            n = (int)strcspn(line, "\n");
            if (strncmp(line, "- `", 3) == 0)
                within = text_mentions(line, strcspn(line, "({\n"), dot + 1);
            else
                within = within && line[0] == ' ';
            if (within) printf("%.*s\n", n, line);
            some |= within;
        }
    }
    text_free(&type);
    text_free(&page);
    return some;
}

/* The page of a type of the library, the rows of a member; of other names what the session
 * declares. */
static void document(Repl *r, const char *name)
{
    Text page = {0};
    if (print_member(r, name)) return;
    if (!reference_page(r->options, name, &page)) {
        const char *dot = strrchr(name, '.');
        session_text(r->session, &page);
        size_t at = page.len + (dot ? (size_t)(dot + 1 - name) : 0);
        text_printf(&page, "%s;\n", name);
        Document *d = document_open("entry", page.data, page.len);
        Workspace alone = {.folders = r->options->include.data,
                           .nfolders = r->options->include.len};
        Request request = {.document = d,
                           .offset = (uint32_t)at,
                           .workspace = &alone,
                           .analysis = workspace_analyse(&alone, d)};
        json_t *found = feature_hover(&request);
        if (!json_is_object(found)) {
            complain("there is nothing of the name '%s'", name);
            r->failures++;
        }
        print_hover(found);
        json_decref(found);
        document_close(d);
        workspace_end(&alone);
    } else {
        fputs(page.data, stdout);
    }
    text_free(&page);
}

static void quit(Repl *r, const char *rest)
{
    (void)rest;
    r->ended = true;
}

static void help(Repl *r, const char *rest);

/* With `wish` the rest is an entry, else it is for `run`. */
static const struct {
    const char *name, *value, *help;
    Wish wish;
    void (*run)(Repl *r, const char *rest);
} commands[] = {
    {":type", "EXPRESSION", "its type", WISH_TYPE, NULL},
    {":fdag", "ENTRY", "its functional graphs", WISH_GRAPH, NULL},
    {":kernel", "ENTRY", "kernels, as OpenCL C, of the evaluations that are known before it runs",
     WISH_KERNEL, NULL},
    {":doc", "NAME",
     "the page of a type of the library, the rows of Type.Member, the comment of a declaration",
     WISH_RUN, document},
    {":time", "ENTRY", "runs it and says how long it took", WISH_TIME, NULL},
    {":load", "FILE", "runs a file as an entry", WISH_RUN, load_file},
    {":complete", "FILE", "words that may end a file", WISH_RUN, complete_file},
    {":mark", "TEXT", "writes it to both outputs, with ok or failed of the entry before", WISH_RUN,
     mark},
    {":vars", "", "the variables", WISH_RUN, list_variables},
    {":reset", "", "forgets all entries", WISH_RUN, begin_anew},
    {":help", "", "this list", WISH_RUN, help},
    {":quit", "", "ends the session, as the end of the input does", WISH_RUN, quit},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void help(Repl *r, const char *rest)
{
    (void)r;
    (void)rest;
    puts("Statements and declarations as in a program; the value of an expression without a "
         "semicolon\n"
         "is shown. Later entries see what earlier ones declare, and may declare it anew. _ is the "
         "last\n"
         "value; among several arguments, where it leaves one open, write (_).");
    for (int i = 0; i < COMMANDS; i++) {
        int n = printf("  %s %s", commands[i].name, commands[i].value);
        printf("%*s%s\n", n < 22 ? 22 - n : 1, "", commands[i].help);
    }
}

/* False: its entry goes on in the next line. */
static bool command(Repl *r, const char *text, bool closed)
{
    size_t n = strcspn(text, " \t\n");
    const char *rest = text + n + strspn(text + n, " \t\n");
    for (int i = 0; i < COMMANDS; i++) {
        if (strlen(commands[i].name) != n || strncmp(commands[i].name, text, n) != 0) continue;
        if (!commands[i].run) return take(r, rest, commands[i].wish, closed);
        Text argument = {0};
        text_add(&argument, rest);
        while (argument.len && isspace((unsigned char)argument.data[argument.len - 1]))
            argument.data[--argument.len] = 0;
        commands[i].run(r, argument.data ? argument.data : "");
        text_free(&argument);
        return true;
    }
    complain("there is no command %.*s; :help lists them", (int)n, text);
    r->failures++;
    return true;
}

/* ---- completion ----------------------------------------------------------------------------- */

static void add_words(const json_t *items, const char *begin, size_t n, Text *words)
{
    size_t i;
    const json_t *item;
    json_array_foreach(items, i, item)
    {
        const char *label = json_string_value(json_object_get(item, "label"));
        if (label && strncmp(label, begin, n) == 0) text_printf(words, "%s\n", label);
    }
}

/* A program of all that was declared, and the entry behind it. */
static void complete_name(Repl *r, const char *line, size_t end, size_t begin, Text *words)
{
    Text text = {0};
    session_text(r->session, &text);
    if (r->open.data) text_addn(&text, r->open.data, r->open.len);
    size_t at = text.len + end;
    text_add(&text, line);
    text_add(&text, "\n");
    Document *d = document_open("entry", text.data, text.len);
    Workspace alone = {.folders = r->options->include.data, .nfolders = r->options->include.len};
    Request request = {.document = d, .offset = (uint32_t)at, .workspace = &alone};
    json_t *found = feature_complete(&request);
    add_words(json_object_get(found, "items"), line + begin, end - begin, words);
    json_decref(found);
    document_close(d);
    workspace_end(&alone);
    text_free(&text);
}

static void complete(void *ctx, const char *line, size_t end, Text *words)
{
    Repl *r = ctx;
    size_t begin = end;
    while (begin && text_is_letter(line[begin - 1])) begin--;
    if (line[0] == ':' && begin <= 1) {
        for (int i = 0; i < COMMANDS; i++)
            if (strncmp(commands[i].name + 1, line + begin, end - begin) == 0)
                text_printf(words, "%s\n", commands[i].name + 1);
        return;
    }
    Text blanked = {0}; /* a command before an entry is none of its text */
    text_add(&blanked, line);
    for (size_t i = 0; line[0] == ':' && i < blanked.len && !isspace((unsigned char)line[i]); i++)
        blanked.data[i] = ' ';
    complete_name(r, blanked.data ? blanked.data : "", end, begin, words);
    text_free(&blanked);
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* An entry or a command. */
static bool take_all(Repl *r, const char *text, bool closed)
{
    text += strspn(text, " \t\n");
    return *text == ':' ? command(r, text, closed) : take(r, text, WISH_RUN, closed);
}

/* The lines so far; an empty one ends what goes on, whatever it lacks. */
static bool take_lines(Repl *r, bool closed)
{
    const char *text = r->open.data + strspn(r->open.data, " \t\n");
    bool done = take_all(r, text, closed);
    if (done && *text) {
        while (r->open.len && isspace((unsigned char)r->open.data[r->open.len - 1]))
            r->open.data[--r->open.len] = 0;
        input_remember(r->input, text);
    }
    return done;
}

int repl(const Options *o)
{
    Repl r = {.options = o, .session = session_new()};
    r.process = process_new(o, session_host(r.session));
    r.input = input_new(complete, &r);
    bool terminal = input_is_terminal(r.input);
    if (terminal) puts("C$; :help says what can be typed, ^D ends.");
    InputEnd end = INPUT_LINE;
    while (!r.ended && end != INPUT_END) {
        size_t before = r.open.len;
        end = input_read(r.input, before > 0, &r.open);
        if (end == INPUT_INTERRUPTED) text_free(&r.open);
        if (!r.open.len) continue;
        const char *line = r.open.data + before;
        bool empty = line[strspn(line, " \t\n")] == 0;
        if (take_lines(&r, end == INPUT_END || (terminal && empty))) text_free(&r.open);
        fflush(stdout);
    }
    text_free(&r.open);
    input_free(r.input);
    process_free(r.process);
    session_free(r.session);
    return r.failures && !terminal;
}
