/* The text form of a graph (docs/fdag.md): records, user functions, then nodes numbered in order of
 * visit, so the text does not depend on how the graph was made. */
#include <stdlib.h>
#include <string.h>

#include "../internal.h"

typedef VEC(const FdType *) Types;

typedef struct Printer {
    Text *out;
    Types *records; /* met so far, those of fields first */
    const FdGraph *graph;
    const char *indent;
    FdiMap seen;   /* nodes in list */
    FdiMap number; /* node -> its %number, once printed */
    FdiNodes list;
    size_t printed; /* of the list */
    uint64_t next;
} Printer;

static void add_string(Text *out, const char *s)
{
    text_add(out, "\"");
    for (; s && *s; s++) {
        unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            text_printf(out, "\\%c", c);
        else if (c < 0x20 || c == 0x7F)
            text_printf(out, "\\x%02x", c);
        else
            text_addn(out, s, 1);
    }
    text_add(out, "\"");
}

static void add_loc(Text *out, FdLoc loc)
{
    if (loc.line > 0) text_printf(out, " @%d:%d", loc.line, loc.col);
}

void fdi_print_value(Text *out, ScalarKind k, ScalarValue v)
{
    if (k == SC_BOOL)
        text_add(out, v.i ? "true" : "false");
    else if (k == SC_DOUBLE)
        text_add_double(out, v.f);
    else if (scalar_is_real(k))
        text_add_float(out, (float)v.f);
    else if (k == SC_ULONG)
        text_printf(out, "%llu", (unsigned long long)v.i);
    else
        text_printf(out, "%lld", (long long)v.i);
}

/* A constant; "(1, 2)": a record of such, records in it too. */
static void print_node_value(Text *out, const FdNode *n)
{
    if (fd_is_const(n)) {
        fdi_print_value(out, n->type->scalar, n->value);
        return;
    }
    for (int i = 0; i < n->nargs; i++) {
        text_add(out, i ? ", " : "(");
        print_node_value(out, n->args[i]);
    }
    text_add(out, ")");
}

static void meet_records(Types *met, const FdType *t)
{
    if (t->result) meet_records(met, t->result);
    for (int i = 0; i < t->nparams; i++) meet_records(met, t->params[i]);
    if (!t->record) return;
    for (size_t i = 0; i < met->len; i++)
        if (met->data[i] == t) return;
    for (int i = 0; i < t->nfields; i++) meet_records(met, t->fields[i]);
    vec_push(met, t);
}

static void add_type(Printer *p, const FdType *t)
{
    meet_records(p->records, t);
    fd_type_print(p->out, t);
}

/* Is it written with "@", and in its user's line where it is applied? */
static bool is_op(const FdNode *n)
{
    return n->kind == FD_FUNC &&
           (n->leaf == FD_LEAF_OP || n->leaf == FD_LEAF_MAKE || n->leaf == FD_LEAF_FIELD);
}

static void add_op(Printer *p, const FdNode *n)
{
    if (n->leaf == FD_LEAF_OP)
        text_printf(p->out, "@%s", fd_op_info(n->op)->text);
    else if (n->leaf == FD_LEAF_MAKE)
        text_add(p->out, "@make");
    else
        text_printf(p->out, "@field %d", n->slot);
}

static void add_ref(Printer *p, const FdNode *n)
{
    uint64_t number = 0;
    if (!fdi_map_get(&p->number, n, &number)) internal_error("fd_print", "operand not printed");
    text_printf(p->out, "%%%llu", (unsigned long long)number);
}

static void add_fn(Printer *p, const FdNode *fn)
{
    if (is_op(fn))
        add_op(p, fn);
    else
        add_ref(p, fn);
}

static void add_binder(Printer *p, const FdNode *n)
{
    static const char *const kinds[] = {"open", "infer", "given", "full", "array"};
    text_add(p->out, " (");
    for (int i = 0; i < n->nvars; i++) {
        const FdDom *d = &n->doms[i];
        if (i) text_add(p->out, ", ");
        add_ref(p, n->vars[i]);
        text_printf(p->out, " : %s", kinds[d->kind]);
        if (!d->lo) continue;
        text_add(p->out, " ");
        add_ref(p, d->lo);
        text_add(p->out, "..");
        add_ref(p, d->hi);
    }
    text_add(p->out, ") ");
    add_ref(p, n->body);
    if (!n->init) return;
    text_add(p->out, " from ");
    add_ref(p, n->init);
}

static void add_self(Printer *p, const FdNode *n)
{
    text_add(p->out, "rec ");
    add_ref(p, n->self);
    for (int i = 0; n->order[0] && i < n->nvars; i++) {
        int k = n->order[i];
        text_printf(p->out, "%s%c%d", i ? ", " : " order ", k > 0 ? '+' : '-', abs(k) - 1);
    }
}

static void add_leaf(Printer *p, const FdNode *n)
{
    Text *out = p->out;
    switch (n->leaf) {
    case FD_LEAF_CONST:
        text_add(out, "const ");
        fdi_print_value(out, n->type->scalar, n->value);
        break;
    case FD_LEAF_SLOT:
        text_printf(out, "slot %d ", n->slot);
        add_string(out, p->graph && n->slot < p->graph->nslots ? p->graph->slots[n->slot].name
                                                               : n->name);
        break;
    case FD_LEAF_OP:
    case FD_LEAF_MAKE:
    case FD_LEAF_FIELD:
        text_add(out, "op ");
        add_op(p, n);
        break;
    case FD_LEAF_USER:
        text_add(out, "user ");
        add_string(out, n->user->name);
        break;
    }
}

static void add_line(Printer *p, const FdNode *n)
{
    Text *out = p->out;
    const FdSlot *slot = n->kind != FD_VAR && n->leaf == FD_LEAF_SLOT && !n->fn && !n->body &&
                                 p->graph && n->slot < p->graph->nslots
                             ? &p->graph->slots[n->slot]
                             : NULL;
    text_printf(out, "%s%%%llu = ", p->indent, (unsigned long long)p->next);
    switch (n->kind) {
    case FD_SCALAR:
    case FD_FUNC: add_leaf(p, n); break;
    case FD_VAR:
        text_add(out, n->role == FD_VAR_LOCAL ? "local " : "var ");
        add_string(out, n->name);
        break;
    case FD_APPLY:
        text_add(out, "apply ");
        add_fn(p, n->fn);
        for (int i = 0; i < n->nargs; i++) {
            text_add(out, i ? ", " : " (");
            add_ref(p, n->args[i]);
        }
        text_add(out, ")");
        break;
    case FD_REDUCE:
        text_add(out, "reduce ");
        add_fn(p, n->fn);
        add_binder(p, n);
        break;
    case FD_LET:
        if (n->self)
            add_self(p, n);
        else
            text_add(out, "let");
        add_binder(p, n);
        break;
    }
    text_add(out, slot && slot->is_array ? " : array " : " : ");
    /* A record can have more fields than a function type parameters. */
    add_type(p, fdi_is_leaf(n, FD_LEAF_MAKE) ? n->type->result : n->type);
    if (slot && slot->def) {
        text_add(out, " = ");
        add_ref(p, slot->def);
    }
    for (int d = 0; n->extent && d < n->type->nparams; d++)
        text_printf(out, d ? ", %lld" : " [%lld", (long long)n->extent[d]);
    if (n->extent) text_add(out, "]");
    add_loc(out, n->loc);
    text_add(out, "\n");
    fdi_map_set(&p->number, n, p->next++);
}

/* Prints the nodes gathered so far. Operations that are only applied have no line of their own. */
static void add_nodes(Printer *p)
{
    for (; p->printed < p->list.len; p->printed++) {
        const FdNode *n = p->list.data[p->printed];
        uint64_t number;
        if (is_op(n) || fdi_map_get(&p->number, n, &number)) continue;
        const FdNode *children[FD_MAX_CHILDREN];
        int count = fd_children(n, children);
        for (int i = 0; i < count; i++)
            if (is_op(children[i]) && children[i] != n->fn &&
                !fdi_map_get(&p->number, children[i], &number))
                add_line(p, children[i]);
        add_line(p, n);
    }
}

/* Prints n and what it needs; n gets a number even if it is an operation. */
static void add_value(Printer *p, const FdNode *n)
{
    uint64_t number;
    fdi_postorder(n, &p->seen, &p->list);
    add_nodes(p);
    if (!fdi_map_get(&p->number, n, &number)) add_line(p, n);
}

static void printer_free(Printer *p)
{
    fdi_map_free(&p->seen);
    fdi_map_free(&p->number);
    vec_free(&p->list);
}

/* ---- user functions -------------------------------------------------------------------- */

typedef VEC(const FdUser *) Users;

static void add_stmt_nodes(Printer *p, const FdStmt *s)
{
    for (; s; s = s->next) {
        if (s->var) add_value(p, s->var);
        if (s->expr) add_value(p, s->expr);
        add_stmt_nodes(p, s->body);
        add_stmt_nodes(p, s->other);
    }
}

static void add_indent(Text *out, int depth)
{
    enum { DEEPEST = 32 }; /* deeper ones stand below each other: text grows as statements do */
    for (int i = 0; i < depth && i < DEEPEST; i++) text_add(out, "  ");
}

static void add_stmts(Printer *p, const FdStmt *s, int depth)
{
    Text *out = p->out;
    for (; s; s = s->next) {
        add_indent(out, depth);
        switch (s->kind) {
        case FD_STMT_SET:
        case FD_STMT_PUT:
            text_add(out, s->kind == FD_STMT_SET ? "set " : "put ");
            add_ref(p, s->var);
            text_add(out, " = ");
            add_ref(p, s->expr);
            break;
        case FD_STMT_CLEAR:
            text_add(out, "clear ");
            add_ref(p, s->var);
            break;
        case FD_STMT_IF:
            text_add(out, "if ");
            add_ref(p, s->expr);
            break;
        case FD_STMT_LOOP: text_add(out, "loop"); break;
        case FD_STMT_BREAK: text_add(out, "break"); break;
        case FD_STMT_CONTINUE: text_add(out, "continue"); break;
        case FD_STMT_RETURN:
            text_add(out, "return ");
            add_ref(p, s->expr);
            break;
        }
        add_loc(out, s->loc);
        if (s->kind == FD_STMT_IF || s->kind == FD_STMT_LOOP) {
            text_add(out, " {\n");
            add_stmts(p, s->body, depth + 1);
            add_indent(out, depth);
            text_add(out, "}");
            if (s->other) {
                text_add(out, s->kind == FD_STMT_IF ? " else {\n" : " step {\n");
                add_stmts(p, s->other, depth + 1);
                add_indent(out, depth);
                text_add(out, "}");
            }
        }
        text_add(out, "\n");
    }
}

static void add_users_of(Text *out, const FdiNodes *list, Users *users, Types *records);

static void add_user(Text *out, const FdUser *u, Users *users, Types *records)
{
    for (size_t i = 0; i < users->len; i++)
        if (users->data[i] == u) return;
    vec_push(users, u);
    /* The body's nodes go to a text of their own, since the users they need come first. */
    Text body = {0};
    Printer p = {.out = &body, .records = records, .indent = "  "};
    for (int i = 0; u->body && i < u->nparams; i++) add_value(&p, u->params[i]);
    add_stmt_nodes(&p, u->body);
    add_users_of(out, &p.list, users, records);
    text_add(out, "user ");
    add_string(out, u->name);
    text_add(out, " : ");
    meet_records(records, u->type);
    fd_type_print(out, u->type);
    if (u->associative) text_add(out, " associative");
    if (u->commutative) text_add(out, " commutative");
    if (u->identity) {
        text_add(out, " identity ");
        print_node_value(out, u->identity);
    }
    if (u->body) {
        text_add(out, " {\n");
        if (body.data) text_add(out, body.data);
        text_add(out, "  params");
        body.len = 0;
        for (int i = 0; i < u->nparams; i++) {
            text_add(&body, i ? ", " : " (");
            add_ref(&p, u->params[i]);
        }
        text_add(&body, ")\n");
        add_stmts(&p, u->body, 1);
        text_addn(out, body.data, body.len);
        text_add(out, "}");
    }
    text_add(out, "\n");
    text_free(&body);
    printer_free(&p);
}

static void add_users_of(Text *out, const FdiNodes *list, Users *users, Types *records)
{
    for (size_t i = 0; i < list->len; i++)
        if (list->data[i]->user) add_user(out, list->data[i]->user, users, records);
}

/* ---- graphs ---------------------------------------------------------------------------- */

/* The graph's own line for a slot that no node names. */
static void add_unused_slots(Printer *p, const bool *used)
{
    for (int i = 0; i < p->graph->nslots; i++) {
        const FdSlot *s = &p->graph->slots[i];
        if (used[i]) continue;
        text_printf(p->out, "%%%llu = slot %d ", (unsigned long long)p->next++, i);
        add_string(p->out, s->name);
        text_add(p->out, s->is_array ? " : array " : " : ");
        add_type(p, s->type);
        if (s->def) {
            text_add(p->out, " = ");
            add_ref(p, s->def);
        }
        text_add(p->out, "\n");
    }
}

static void add_records(Text *out, const Types *records)
{
    for (size_t i = 0; i < records->len; i++) {
        const FdType *t = records->data[i];
        text_printf(out, "record %s", t->record);
        for (int k = 0; k < t->nfields; k++) {
            text_add(out, k ? ", " : " (");
            fd_type_print(out, t->fields[k]);
            text_printf(out, " %s", t->field_names[k]);
        }
        text_add(out, ")\n");
    }
}

/* What its text names, in that order. A definition may use earlier slots only, so it is printed before
 * its slot's line. */
static void add_named(const FdGraph *g, FdiNodes *named)
{
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].def) vec_push(named, g->slots[i].def);
    for (int k = 0; k < g->nresults; k++) {
        vec_push(named, g->results[k].node);
        if (g->results[k].part) vec_push(named, g->results[k].part);
    }
    if (g->turns) vec_push(named, g->turns);
    for (int i = 0; i < g->nmoving; i++) {
        vec_push(named, g->moving[i].slot);
        vec_push(named, g->moving[i].values);
    }
    for (int i = 0; i < g->nagrees; i++) {
        vec_push(named, g->agrees[i].a);
        vec_push(named, g->agrees[i].b);
    }
}

static void print(Text *out, const FdGraph *g, Types *records)
{
    Printer all = {.out = out, .records = records, .graph = g, .indent = ""};
    FdiMap seen = {0};
    FdiNodes named = {0}, list = {0};
    Users users = {0};
    VEC(bool) used = {0};
    for (int i = 0; i < g->nslots; i++) vec_push(&used, false);
    add_named(g, &named);
    for (size_t i = 0; i < named.len; i++) fdi_postorder(named.data[i], &seen, &list);
    add_users_of(out, &list, &users, records);
    for (size_t i = 0; i < list.len; i++) {
        const FdNode *n = list.data[i];
        if (fdi_is_leaf(n, FD_LEAF_SLOT) && n->slot < g->nslots) used.data[n->slot] = true;
    }
    for (size_t i = 0; i < named.len; i++) add_value(&all, named.data[i]);
    add_unused_slots(&all, used.data);
    for (int i = 0; i < g->nagrees; i++) {
        const FdAgree *a = &g->agrees[i];
        text_add(out, a->inside ? "inside " : "agree ");
        add_ref(&all, a->a);
        text_printf(out, ".%d ", a->a_dim);
        add_ref(&all, a->b);
        text_printf(out, ".%d", a->b_dim);
        add_loc(out, a->loc);
        text_add(out, "\n");
    }
    if (g->hints) text_printf(out, "hints \"%s\"\n", g->hints);
    if (g->turns) {
        text_add(out, "turns ");
        add_ref(&all, g->turns);
        text_add(out, "\n");
    }
    for (int i = 0; i < g->nmoving; i++) {
        text_add(out, "moving ");
        add_ref(&all, g->moving[i].slot);
        text_add(out, " in ");
        add_ref(&all, g->moving[i].values);
        text_add(out, "\n");
    }
    for (int k = 0; k < g->nresults; k++) {
        text_add(out, "result ");
        add_ref(&all, g->results[k].node);
        if (g->results[k].part) {
            text_add(out, " part ");
            add_ref(&all, g->results[k].part);
        }
        text_add(out, "\n");
    }
    printer_free(&all);
    fdi_map_free(&seen);
    vec_free(&named);
    vec_free(&list);
    vec_free(&users);
    vec_free(&used);
}

void fd_print(Text *out, const FdGraph *g)
{
    Text body = {0}; /* the records that it needs come first */
    Types records = {0};
    print(&body, g, &records);
    add_records(out, &records);
    text_addn(out, body.data, body.len);
    text_free(&body);
    vec_free(&records);
}
