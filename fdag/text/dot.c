/* A graph for Graphviz: one box a node, edges from users to operands. */
#include "../internal.h"

static void add_label(Text *out, const char *s)
{
    for (; s && *s; s++) {
        if (*s == '"' || *s == '\\') text_add(out, "\\");
        text_addn(out, (unsigned char)*s < 0x20 ? "?" : s, 1);
    }
}

/* A function that stands in its user's label: not a node of its own. */
static bool is_part(const FdNode *n)
{
    return fdi_is_leaf(n, FD_LEAF_MAKE) || fdi_is_leaf(n, FD_LEAF_FIELD);
}

static void add_node(Text *out, const FdNode *n, uint64_t number)
{
    static const char *const shapes[] = {
        [FD_SCALAR] = "plaintext", [FD_FUNC] = "box",     [FD_VAR] = "circle",
        [FD_APPLY] = "ellipse",    [FD_REDUCE] = "house", [FD_LET] = "cds"};
    Text label = {0};
    FdOp op = fd_op_of(n);
    switch (n->kind) {
    case FD_SCALAR:
    case FD_FUNC:
    case FD_VAR: fd_print_expr(&label, n); break;
    case FD_APPLY:
        if (is_part(n->fn))
            fd_print_expr(&label, n->fn);
        else
            text_add(&label, op ? fd_op_info(op)->text : "apply");
        break;
    case FD_REDUCE:
        text_printf(&label, "%s %s", n->init ? "fold" : "reduce", op ? fd_op_info(op)->text : "");
        break;
    case FD_LET: text_add(&label, n->self ? "rec" : "let"); break;
    }
    text_printf(out, "  n%llu [shape=%s, label=\"", (unsigned long long)number, shapes[n->kind]);
    add_label(out, label.data);
    text_add(out, "\\n");
    fd_type_print(out, n->type);
    text_add(out, "\"];\n");
    text_free(&label);
}

static void add_edge(Text *out, const FdiMap *seen, uint64_t from, const FdNode *to,
                     const char *style)
{
    uint64_t number = 0;
    if (fdi_is_leaf(to, FD_LEAF_OP) || is_part(to)) return; /* in the user's label */
    fdi_map_get(seen, to, &number);
    text_printf(out, "  n%llu -> n%llu%s;\n", (unsigned long long)from, (unsigned long long)number,
                style);
}

void fd_print_dot(Text *out, const FdGraph *g)
{
    FdiMap seen = {0};
    FdiNodes list = {0};
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].def) fdi_postorder(g->slots[i].def, &seen, &list);
    for (int k = 0; k < g->nresults; k++) fdi_postorder(g->results[k].node, &seen, &list);
    text_add(out, "digraph fdag {\n");
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *n = list.data[i];
        if (fdi_is_leaf(n, FD_LEAF_OP) || is_part(n)) continue;
        add_node(out, n, i);
        for (int k = 0; k < fd_nbound(n); k++)
            add_edge(out, &seen, i, fd_bound_var(n, k), " [style=dotted]");
        for (int k = 0; k < n->nvars; k++) {
            if (n->doms[k].lo) add_edge(out, &seen, i, n->doms[k].lo, " [style=dashed]");
            if (n->doms[k].hi) add_edge(out, &seen, i, n->doms[k].hi, " [style=dashed]");
        }
        if (n->fn) add_edge(out, &seen, i, n->fn, " [style=bold]");
        if (n->init) add_edge(out, &seen, i, n->init, " [style=dashed]");
        for (int k = 0; k < n->nargs; k++) add_edge(out, &seen, i, n->args[k], "");
        if (n->body) add_edge(out, &seen, i, n->body, "");
        if (fdi_is_leaf(n, FD_LEAF_SLOT) && n->slot < g->nslots && g->slots[n->slot].def)
            add_edge(out, &seen, i, g->slots[n->slot].def, " [color=blue]");
    }
    text_add(out, "}\n");
    fdi_map_free(&seen);
    vec_free(&list);
}
