/* The verifier: what every graph between two passes must satisfy. It trusts the builders with the
 * types of single nodes as they are made, and checks them again all the same, since a pass can
 * combine nodes in ways that no builder sees (scopes, slots, temporaries). */
#include "internal.h"

static const char *complain(Fd *fd, const char *why, const FdNode *n)
{
    Text t = {0};
    fd_print_expr(&t, n);
    const char *s = arena_printf(fd->arena, "%s: %s", why, t.data);
    text_free(&t);
    return s;
}

static bool binds_itself(const void *v, const FdNode *n)
{
    for (int i = 0; i < fd_nbound(n); i++)
        if (fd_bound_var(n, i) == v) return true;
    return false;
}

/* Does a binder below n (n included) bind v? */
static bool binds(const FdNode *n, const FdNode *v)
{
    const FdiNode *b = fdi_node(n);
    return v->var >= b->bound_min && v->var <= b->bound_max && fd_any(n, binds_itself, v);
}

static const char *check_types(Fd *fd, const FdNode *n)
{
    const char *why = NULL;
    switch (n->kind) {
    case FD_SCALAR:
        if (n->type->nparams) why = "a scalar leaf has a function type";
        break;
    case FD_FUNC:
        if (n->type->nparams == 0)
            why = "a function leaf has a scalar type";
        else if (n->leaf == FD_LEAF_OP)
            why = fdi_check_op(n->op, n->type);
        else if (n->leaf == FD_LEAF_MAKE && n->type != fdi_type_make(fd, n->type->result))
            why = "a record is made of something else than its fields";
        else if (n->leaf == FD_LEAF_FIELD &&
                 (n->slot < 0 || n->slot >= n->type->params[0]->nfields ||
                  n->type->result != n->type->params[0]->fields[n->slot]))
            why = "a field has the wrong type";
        break;
    case FD_VAR: break;
    case FD_APPLY:
        why = fdi_check_apply(n->fn, n->nargs, n->args);
        if (!why && n->type != n->fn->type->result) why = "an application's type is wrong";
        break;
    case FD_REDUCE:
    case FD_LET:
        why = fdi_check_binder(n);
        if (!why && n->kind == FD_REDUCE && n->type != n->fn->type->result)
            why = "a reduction's type is wrong";
        if (!why && n->kind == FD_LET && n->type->result != n->body->type)
            why = "a function's type is wrong";
        for (int i = 0; !why && i < fd_nbound(n); i++) {
            const FdNode *v = fd_bound_var(n, i);
            bool again = binds(n->body, v) || (n->fn && binds(n->fn, v));
            for (int k = 0; k < n->nvars; k++)
                again = again || (n->doms[k].lo && binds(n->doms[k].lo, v)) ||
                        (n->doms[k].hi && binds(n->doms[k].hi, v));
            if (again) why = "a variable is bound again in its own scope";
        }
        break;
    }
    return why ? complain(fd, why, n) : NULL;
}

/* Nodes of one expression. nslots < 0: of a user function, without slots. */
static const char *check_nodes(Fd *fd, const FdGraph *g, int nslots, const FdNode *root,
                               FdiMap *seen)
{
    FdiNodes list = {0};
    const char *why = NULL;
    fdi_postorder(root, seen, &list);
    for (size_t i = 0; i < list.len && !why; i++) {
        const FdNode *n = list.data[i];
        if (fdi_node(n)->fd != fd) {
            why = complain(fd, "a node of another Fd", n);
            break;
        }
        why = check_types(fd, n);
        if (!why && fdi_is_leaf(n, FD_LEAF_SLOT)) {
            if (n->slot >= nslots)
                why = complain(fd, "a slot that is not there (yet)", n);
            else if (g->slots[n->slot].type != n->type)
                why = complain(fd, "a slot's type is not the graph's", n);
        }
    }
    vec_free(&list);
    return why;
}

/* ---- user functions -------------------------------------------------------------------- */

typedef struct UserCheck {
    Fd *fd;
    const FdUser *user;
    FdiMap seen;
} UserCheck;

static const char *check_user_expr(UserCheck *c, const FdNode *n)
{
    if (!n) return "a statement lacks its expression";
    const FdiNode *b = fdi_node(n);
    for (uint32_t i = 0; i < b->nfree; i++)
        if (b->free[i]->role != FD_VAR_LOCAL)
            return complain(c->fd, "a bound variable is free in a user function", n);
    return check_nodes(c->fd, NULL, 0, n, &c->seen);
}

static const char *check_stmts(UserCheck *c, const FdStmt *s, int loops)
{
    const char *why = NULL;
    for (; s && !why; s = s->next) {
        bool has_expr = s->kind == FD_STMT_SET || s->kind == FD_STMT_IF ||
                        s->kind == FD_STMT_RETURN || s->kind == FD_STMT_PUT;
        if (has_expr) why = check_user_expr(c, s->expr);
        if (why) break;
        switch (s->kind) {
        case FD_STMT_SET:
            if (!s->var || s->var->kind != FD_VAR || s->var->role != FD_VAR_LOCAL)
                why = "only a local can be set";
            else if (s->var->type != s->expr->type)
                why = complain(c->fd, "a local is set to a value of another type", s->expr);
            else if (s->var->extent && !fd_same_extent(s->var, s->expr))
                why = complain(c->fd, "a local array is set to no array of its lengths", s->expr);
            break;
        case FD_STMT_PUT:
            why = s->var ? check_user_expr(c, s->var) : "a statement lacks its element";
            if (!why && (!fd_is_element(s->var) || s->var->type != s->expr->type))
                why = complain(c->fd, "only an element of a local array can be put", s->expr);
            break;
        case FD_STMT_CLEAR:
            if (!s->var || !s->var->extent) why = "only a local array can be cleared";
            break;
        case FD_STMT_IF:
            if (s->expr->type != fd_type_scalar(c->fd, SC_BOOL))
                why = complain(c->fd, "a condition must be bool", s->expr);
            break;
        case FD_STMT_RETURN:
            if (s->expr->type != c->user->type->result)
                why = complain(c->fd, "a result has the wrong type", s->expr);
            break;
        case FD_STMT_BREAK:
        case FD_STMT_CONTINUE:
            if (loops == 0) why = "break or continue outside a loop";
            break;
        case FD_STMT_LOOP: break;
        }
        bool loop = s->kind == FD_STMT_LOOP;
        if (!why) why = check_stmts(c, s->body, loops + loop);
        if (!why) why = check_stmts(c, s->other, loops);
    }
    return why;
}

const char *fdi_verify_user(Fd *fd, const FdUser *u)
{
    UserCheck c = {.fd = fd, .user = u};
    const char *why = NULL;
    for (int i = 0; u->body && i < u->nparams && !why; i++) {
        const FdNode *p = u->params[i];
        if (!p || p->kind != FD_VAR || p->role != FD_VAR_LOCAL)
            why = "a parameter must be a local";
        else if (p->type != u->type->params[i])
            why = "a parameter has the wrong type";
    }
    if (!why) why = check_stmts(&c, u->body, 0);
    if (!why && u->identity && (u->identity->type != u->type->result || !fdi_is_value(u->identity)))
        why = "its identity is no constant of its type";
    fdi_map_free(&c.seen);
    return why ? arena_printf(fd->arena, "user function \"%s\": %s", u->name, why) : NULL;
}

/* ---- graphs ---------------------------------------------------------------------------- */

static const char *check_users(Fd *fd)
{
    const char *why = NULL;
    for (const FdiUser *u = fd->users; u && !why; u = u->next) why = fdi_verify_user(fd, &u->user);
    return why;
}

static const char *check_slots(Fd *fd, const FdGraph *g, FdiMap *seen)
{
    const char *why = NULL;
    for (int i = 0; i < g->nslots && !why; i++) {
        const FdSlot *s = &g->slots[i];
        if (!s->type) return "a slot has no type";
        if (!s->def && s->type->record) return "a given slot is a record";
        if (s->is_array && s->type->nparams == 0) return "a scalar slot is called an array";
        if (!s->def) continue;
        if (s->def->type != s->type) return "a temporary's type is not its definition's";
        if (!fdi_closed(s->def)) return complain(fd, "a temporary uses a bound variable", s->def);
        why = check_nodes(fd, g, i, s->def, seen); /* only earlier slots */
    }
    return why;
}

bool fdi_can_agree(const FdNode *root, const FdNode *f)
{
    for (int i = 0; root->kind == FD_LET && i < root->nvars; i++)
        if (root->vars[i] == f) return true;
    return fdi_closed(f);
}

static const char *check_result(Fd *fd, const FdGraph *g, const FdResult *r, FdiMap *seen)
{
    const FdNode *n = r->node, *part = r->part;
    if (!n) return "a result is missing";
    if (!fdi_closed(n)) return complain(fd, "a variable is free in a result", n);
    const char *why = check_nodes(fd, g, g->nslots, n, seen);
    if (!why && part &&
        (!fdi_is_leaf(part, FD_LEAF_SLOT) || n->kind != FD_LET || n->self || part->type != n->type))
        why = "a part of a slot's array is a let of its type";
    return why;
}

static const char *check_turns(Fd *fd, const FdGraph *g, FdiMap *seen)
{
    const FdNode *n = g->turns;
    bool integer = n->kind == FD_SCALAR && n->leaf == FD_LEAF_SLOT && n->type->scalar == SC_LONG;
    if (!integer || !fd_hints_have(g->hints, FD_HINT_STEPS))
        return "turns are a slot of type long, of steps";
    const char *why = check_nodes(fd, g, g->nslots, n, seen);
    for (int i = 0; i < g->nmoving && !why; i++) {
        const FdNode *slot = g->moving[i].slot, *values = g->moving[i].values;
        if (slot->kind != FD_SCALAR || slot->leaf != FD_LEAF_SLOT ||
            !fdi_is_leaf(values, FD_LEAF_SLOT) || values->type->nparams != 1 ||
            values->type->result != slot->type)
            return "what moves is a scalar slot in an array of its type";
        why = check_nodes(fd, g, g->nslots, slot, seen);
        if (!why) why = check_nodes(fd, g, g->nslots, values, seen);
    }
    return why;
}

const char *fd_verify(Fd *fd, const FdGraph *g)
{
    if (g->nresults < 1) return "no result";
    FdiMap seen = {0};
    const char *why = check_users(fd);
    if (!why) why = check_slots(fd, g, &seen);
    for (int k = 0; k < g->nresults && !why; k++) why = check_result(fd, g, &g->results[k], &seen);
    if (g->nmoving && !g->turns) why = "what moves does so in turns";
    if (g->turns && !why) why = check_turns(fd, g, &seen);
    for (int i = 0; i < g->nagrees && !why; i++) {
        const FdAgree *a = &g->agrees[i];
        if (a->a_dim < 0 || a->a_dim >= a->a->type->nparams || a->b_dim < 0 ||
            a->b_dim >= a->b->type->nparams)
            why = "an agreement names a parameter that is not there";
        else if (!fdi_can_agree(fd_root(g), a->a) || !fdi_can_agree(fd_root(g), a->b))
            why = "an agreement uses a bound variable";
        if (!why) why = check_nodes(fd, g, g->nslots, a->a, &seen);
        if (!why) why = check_nodes(fd, g, g->nslots, a->b, &seen);
    }
    fdi_map_free(&seen);
    return why;
}
