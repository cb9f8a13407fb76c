/* A switch in the body of a user function (stmt.c). */
#include "body.h"

/* Does a section's statement list begin here? NULL if no label compares (default only). */
static const FdNode *chosen(Body *b, const Ast *section, const FdNode *v)
{
    const FdNode *any = NULL;
    for (int i = 0; i < section->case_.labels.len && !b->failed; i++) {
        const Ast *label = section->case_.labels.data[i];
        if (label->kind == AST_DEFAULT_LABEL) continue;
        const FdNode *args[] = {v, lower_convert(b->l, body_value(b, label), v->type, label->loc)};
        if (!args[1]) return NULL;
        const FdNode *same = lower_op(b->l, FD_OP_EQ, 2, args, label->loc);
        const FdNode *both[] = {any, same};
        any = any ? lower_op(b->l, FD_OP_LOR, 2, both, label->loc) : same;
    }
    return any;
}

static bool has_default(const Ast *section)
{
    for (int i = 0; i < section->case_.labels.len; i++)
        if (section->case_.labels.data[i]->kind == AST_DEFAULT_LABEL) return true;
    return false;
}

/* loop { if (v == 1 || v == 2) { ... } else if (...) ... else { default } break; } and, where a
 * section goes on with the loop around it: if (again) continue; */
void body_switch(Body *b, const Ast *n, Tail *out)
{
    const FdNode *given = body_value(b, n->switch_.value);
    if (!given) return;
    if (given->type->record || given->type->nparams) {
        body_fail(b, n->loc, "a device cannot run this switch");
        return;
    }
    const FdNode *v = fd_local(b->l->fd, given->type, "value"), *outer = b->again;
    const FdNode *again = fd_local(b->l->fd, fd_type_scalar(b->l->fd, SC_BOOL), "again");
    bool continued = b->continued;
    body_set(b, out, v, given, n->loc);
    FdStmt **first = out->last;
    body_set(b, out, again, body_truth(b, false), n->loc);
    b->again = again;
    b->continued = false;
    FdStmt *s = body_add(b, out, FD_STMT_LOOP, n->loc);
    Tail inner = body_tail(&s->body), at = inner;
    const Ast *otherwise = NULL;
    for (int i = 0; i < n->switch_.sections.len && !b->failed; i++) {
        const Ast *section = n->switch_.sections.data[i];
        if (has_default(section)) {
            otherwise = section; /* its other labels go there too */
            continue;
        }
        const FdNode *cond = chosen(b, section, v);
        if (!cond) break;
        FdStmt *test = body_add(b, &at, FD_STMT_IF, section->loc);
        test->expr = cond;
        Tail then = body_tail(&test->body);
        body_block(b, &section->case_.stmts, &then);
        at = body_tail(&test->other);
    }
    if (otherwise) body_block(b, &otherwise->case_.stmts, &at);
    for (inner.last = &s->body; *inner.last;) inner.last = &(*inner.last)->next;
    body_add(b, &inner, FD_STMT_BREAK, n->loc);
    b->again = outer;
    bool jumps = b->continued;
    b->continued = continued;
    if (!jumps) {
        *first = (*first)->next;
        return;
    }
    FdStmt *test = body_add(b, out, FD_STMT_IF, n->loc);
    test->expr = again;
    Tail then = body_tail(&test->body);
    body_next_round(b, &then, n->loc);
}
