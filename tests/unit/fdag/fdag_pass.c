/* fdag_pass PASS < in > out: reads a graph, runs one pass (or the list "front" or "back", or
 * "none"; or "inside": what the root is inside of its box, and where that is), prints the graph. A user error of the pass is printed as "error LINE:COL: text". Exit
 * code 2 for a graph that cannot be read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../fdag/index/facts/facts.h"

static bool is_known(const void *ctx, const FdNode *n)
{
    (void)ctx;
    return fd_closed(n);
}

/* The conditions as comments. */
static void go_inside(Fd *fd, FdGraph *g)
{
    enum { MOST = 32 };
    const FdNode *conds[MOST], *root = fd_root(g);
    bool guessed;
    int n = fd_interior(fd, root->nvars, root->vars, root->doms, root->body, is_known, NULL, MOST,
                        conds, &guessed);
    FdFacts *f = fd_facts_new(fd, root->nvars, root->vars, root->doms, root->body);
    for (int i = 0; i < n; i++) {
        Text text = {0};
        fd_print_expr(&text, conds[i]);
        printf("# %s\n", text.data);
        text_free(&text);
        fd_assume(f, conds[i], true);
    }
    const FdNode *body = fd_under(f, fd_unroll(fd, root->body));
    fd_set_root(fd, g, fd_let(fd, root->nvars, root->vars, root->doms, body, root->loc));
    fd_facts_free(f);
}

static bool run(Fd *fd, FdGraph *g, const char *name, FdError *error)
{
    FdPass one[2] = {{0}};
    if (strcmp(name, "none") == 0) return true;
    if (strcmp(name, "inside") == 0) {
        go_inside(fd, g);
        return true;
    }
    if (strcmp(name, "front") == 0) return fd_run_passes(fd, g, fd_front_passes, error, NULL, NULL);
    if (strcmp(name, "back") == 0) return fd_run_passes(fd, g, fd_back_passes, error, NULL, NULL);
    const FdPass *p = fd_pass_find(name);
    if (!p) {
        fprintf(stderr, "fdag_pass: there is no pass '%s'\n", name);
        exit(2);
    }
    one[0] = *p;
    return fd_run_passes(fd, g, one, error, NULL, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 2) { /* also how the runner of all unit tests calls it */
        puts("usage: fdag_pass PASS < in > out");
        return argc == 1 ? 0 : 2;
    }
    Text text = {0};
    char buf[4096];
    size_t n;
    while ((n = fread(buf, 1, sizeof buf, stdin)) > 0) text_addn(&text, buf, n);
    text_add(&text, "");
    Fd *fd = fd_new();
    const char *why;
    FdGraph *g = fd_read(fd, text.data, &why);
    text_free(&text);
    int code = 0;
    if (!g) {
        printf("%s\n", why);
        code = 2;
    } else {
        FdError error = {0};
        if (run(fd, g, argv[1], &error)) {
            fd_print(&text, g);
            fputs(text.data, stdout);
        } else {
            printf("error %d:%d: %s\n", error.loc.line, error.loc.col, error.message);
        }
    }
    text_free(&text);
    fd_free(fd);
    return code;
}
