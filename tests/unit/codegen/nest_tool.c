/* nest_tool KIND FILE > out: schedules as text. The first line of FILE is
 *   # graph NAME [gpu] [precise] [1x1]
 * and names the graph, NAME.fdag beside it. KIND:
 *   recipes   the schedule that the recipes make (FILE needs no more lines)
 *   kernel    plan and kernels that the file's schedule becomes; and the schedule printed again, if it
 *             is not the same
 *   refused   what is said of each of several schedules; a line "== TITLE" comes before each
 * Exit code 2 for files that cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/mem.h"
#include "../../../codegen/kernel/codegen.h"

static char *file_text(const char *path)
{
    Text t = {0};
    char buf[4096];
    size_t n;
    FILE *f = fopen(path, "rb");
    if (!f) {
        printf("nest_tool: cannot read %s\n", path);
        exit(2);
    }
    while ((n = fread(buf, 1, sizeof buf, f)) > 0) text_addn(&t, buf, n);
    fclose(f);
    text_add(&t, "");
    return text_take(&t);
}

/* The word after *at, "" at the end of the line. */
static const char *word(Arena *a, const char **at)
{
    *at += strspn(*at, " ");
    size_t n = strcspn(*at, " \n");
    const char *w = arena_strndup(a, *at, n);
    *at += n;
    return w;
}

static FdGraph *read_graph(Fd *fd, const char *path, const char *head, CgOptions *o)
{
    Arena *a = fd_arena(fd);
    const char *why, *slash = strrchr(path, '/');
    if (strncmp(head, "# graph ", 8) != 0) {
        puts("nest_tool: the first line is '# graph NAME'");
        exit(2);
    }
    head += 8;
    const char *name = word(a, &head);
    const char *file =
        arena_printf(a, "%.*s%s.fdag", slash ? (int)(slash - path) + 1 : 0, path, name);
    for (const char *w = word(a, &head); *w; w = word(a, &head)) {
        if (strcmp(w, "gpu") == 0) o->family = CG_GPU;
        if (strcmp(w, "precise") == 0) o->precise = true;
        if (strcmp(w, "1x1") == 0) o->tile = CG_TILE_1X1;
    }
    char *text = file_text(file);
    FdGraph *g = fd_read(fd, text, &why);
    mem_free(text);
    FdError error = {0};
    if (g && fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL)) return g;
    printf("%s: %s\n", file, g ? error.message : why);
    exit(2);
}

/* Lowers by a schedule (NULL: by recipes); prints why not, if it cannot. */
static char *lower(const FdGraph *g, const CgOptions *o, const char *read, Text *printed)
{
    FdError error = {0};
    char *text = NULL;
    CgReading given = {cg_schedule_reader, read, 0};
    CgStatus status = cg_lower_also(
        g, o, &(CgAlso){.read = read ? &given : NULL, .printed = printed}, &text, &error);
    if (status == CG_OK) return text;
    if (status == CG_USER_ERROR && given.line) printf("line %d: ", given.line);
    puts(status == CG_HOST_ONLY ? "no kernel can do this" : text);
    mem_free(text);
    return NULL;
}

/* The first line is a comment for the reader. */
static void print_kernel(const FdGraph *g, const CgOptions *o, const char *read)
{
    Text printed = {0};
    char *text = lower(g, o, read, &printed);
    const char *rest =
        text ? strstr(text, " */\n") : NULL; /* the plan, and from the first kernel on */
    if (rest) printf("%.*s", (int)(rest - text) + 4, text);
    if (rest && (rest = strstr(rest, "\n__kernel"))) fputs(rest, stdout);
    if (text && strcmp(read + strcspn(read, "\n") + 1, printed.data) != 0)
        printf("printed again:\n%s", printed.data);
    mem_free(text);
    text_free(&printed);
}

static void print_refusals(const FdGraph *g, const CgOptions *o, const char *all, Arena *a)
{
    for (const char *at = strstr(all, "== "); at;) {
        const char *next = strstr(at + 1, "\n== "), *line = strchr(at, '\n');
        if (!line) break;
        printf("%.*s\n", (int)(line - at), at);
        const char *read = line + 1;
        char *text = lower(g, o, next ? arena_strndup(a, read, (size_t)(next - line)) : read, NULL);
        if (text) puts("taken");
        mem_free(text);
        at = next ? next + 1 : NULL;
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) { /* also how the runner of all unit tests calls it */
        puts("usage: nest_tool recipes|kernel|refused FILE > out");
        return argc == 1 ? 0 : 2;
    }
    char *file = file_text(argv[2]);
    Fd *fd = fd_new();
    CgOptions o = {.family = CG_CPU};
    FdGraph *g = read_graph(fd, argv[2], file, &o);
    if (strcmp(argv[1], "recipes") == 0) {
        Text printed = {0};
        mem_free(lower(g, &o, NULL, &printed));
        if (printed.data) fputs(printed.data, stdout);
        text_free(&printed);
    } else if (strcmp(argv[1], "refused") == 0) {
        print_refusals(g, &o, file, fd_arena(fd));
    } else {
        print_kernel(g, &o, file);
    }
    mem_free(file);
    fd_free(fd);
    return 0;
}
