/* What --emit=fdag and --emit=dot print: the evaluations that are known at compile time, each as
 * the expression of one element and as nodes; then the graphs that the program embeds, by number.
 * The text of a graph can be read back; lines that begin with # are comments.
 */
#include "lower.h"

static void heading(Text *out, const char *mark, const char *what, int number, Loc loc,
                    const Sources *sources)
{
    int line, col;
    sources_position(sources, loc.file, loc.begin, &line, &col);
    text_printf(out, "%s%s", mark, what);
    if (number >= 0) text_printf(out, " %d", number);
    text_printf(out, ", %s:%d:%d", sources_get(sources, loc.file)->path, line, col);
}

/* The graph as text, headed by the expression of one element. Nodes can be shared with graphs whose
 * slots have other names, so the expression is that of the text read back. */
static void graph(Text *out, const FdGraph *g)
{
    Text text = {0};
    fd_print(&text, g);
    Fd *own = fd_new();
    const char *why = NULL;
    const FdGraph *copy = fd_read(own, text.data, &why);
    if (copy) {
        text_add(out, "# ");
        fd_print_expr(out, fd_root(copy));
        text_add(out, "\n");
    }
    text_add(out, text.data);
    text_free(&text);
    fd_free(own);
}

void lower_print_graphs(Text *out, const SemaResult *r, const Sources *sources)
{
    for (int i = 0; i < r->nevaluations; i++) {
        if (i) text_add(out, "\n");
        heading(out, "# ", "evaluation", -1, r->evaluations[i].loc, sources);
        text_add(out, "\n");
        graph(out, r->evaluations[i].graph);
    }
    for (int i = 0; i < r->ngraphs; i++) {
        if (i || r->nevaluations) text_add(out, "\n");
        heading(out, "# ", "graph", i, r->graphs[i].loc, sources);
        text_add(out, "\n");
        graph(out, r->graphs[i].graph);
    }
}

bool lower_print_passes(Text *out, const SemaResult *r, const Sources *sources,
                        const FdPass *passes, const char *after, FdError *error, Loc *loc)
{
    bool ok = true;
    for (int i = 0; i < r->nevaluations && ok; i++) {
        Fd *fd = fd_new();
        FdGraph copy = *fd_graph_copy(fd, r->evaluations[i].graph);
        Text dump = {0};
        *loc = r->evaluations[i].loc;
        const FdPass *own =
            passes == fd_back_passes ? fd_back_passes_for(fd_hints_reals(copy.hints)) : passes;
        ok = fd_run_passes(fd, &copy, own, error, after, &dump);
        if (i) text_add(out, "\n");
        heading(out, "# ", "evaluation", -1, *loc, sources);
        text_add(out, "\n");
        if (ok && after) text_addn(out, dump.data ? dump.data : "", dump.len);
        if (ok && !after) graph(out, &copy);
        text_free(&dump);
        fd_free(fd);
    }
    return ok;
}

void lower_print_dot(Text *out, const SemaResult *r, const Sources *sources)
{
    for (int i = 0; i < r->nevaluations; i++) {
        heading(out, "// ", "evaluation", -1, r->evaluations[i].loc, sources);
        text_add(out, "\n");
        fd_print_dot(out, r->evaluations[i].graph);
    }
    for (int i = 0; i < r->ngraphs; i++) {
        heading(out, "// ", "graph", i, r->graphs[i].loc, sources);
        text_add(out, "\n");
        fd_print_dot(out, r->graphs[i].graph);
    }
}
