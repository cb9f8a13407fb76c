/* What must be evaluated still after a function is replaced by its body: what fails is to fail. */
#include "../internal.h"

bool fdi_fails(const void *fails, const FdNode *n)
{
    const FdiFails *f = fails;
    FdEffects e = fd_does(n) & FD_MAY_FAIL;
    return e && !(e == FD_READS && f->safe && f->safe(f->ctx, n));
}

bool fdi_may_fail(const FdNode *n, const FdiFails *f)
{
    if (n->type->nparams || !(fd_effects(n) & FD_MAY_FAIL)) return false;
    return !f->safe || fd_any(n, fdi_fails, f);
}

/* Is `due` evaluated whenever n is? known: node -> answer. */
static bool evaluates(const FdNode *n, const FdNode *due, FdiMap *known)
{
    uint64_t answer;
    if (n == due) return true;
    if (due->id > n->id) return false; /* operands are older */
    if (fdi_map_get(known, n, &answer)) return answer;
    bool found = false;
    if (fd_op_of(n) == FD_OP_SELECT && n->kind == FD_APPLY) {
        found = evaluates(n->args[0], due, known) ||
                (evaluates(n->args[1], due, known) && evaluates(n->args[2], due, known));
    } else if (n->kind == FD_APPLY) {
        for (int i = 0; i < n->nargs && !found && !fd_is_lazy(n, i); i++)
            found = evaluates(n->args[i], due, known);
    }
    fdi_map_set(known, n, found);
    return found;
}

bool fdi_evaluates_all(const FdNode *n, const FdNode *const *due, size_t count,
                       const FdiFails *fails)
{
    bool all = true;
    for (size_t i = 0; i < count && all; i++) {
        FdiMap known = {0};
        all = !fdi_may_fail(due[i], fails) || evaluates(n, due[i], &known);
        fdi_map_free(&known);
        if (!all && fdi_applies(due[i], FD_LEAF_MAKE)) /* fields are taken out of it */
            all = fdi_evaluates_all(n, due[i]->args, (size_t)due[i]->nargs, fails);
    }
    return all;
}

/* What the fields of a record made are, records in it taken apart. */
static void add_leaves(const FdNode *n, FdiNodes *leaves)
{
    if (!fdi_applies(n, FD_LEAF_MAKE)) {
        vec_push(leaves, n);
        return;
    }
    for (int i = 0; i < n->nargs; i++) add_leaves(n->args[i], leaves);
}

static bool evaluates_one(const FdNode *n, const FdNode *due)
{
    FdiMap known = {0};
    bool does = evaluates(n, due, &known);
    fdi_map_free(&known);
    return does;
}

static bool is_choice(const FdNode *n)
{
    return n->kind == FD_APPLY && fd_op_of(n) == FD_OP_SELECT;
}

/* Does n evaluate what can fail of `other`? Choices by one condition are compared side by side. */
static bool fails_with(const FdNode *n, const FdNode *other, const FdiFails *fails)
{
    enum { MOST = 400 }; /* looked at: n is walked for each */
    if (is_choice(n) && is_choice(other) && n->args[0] == other->args[0])
        return fails_with(n->args[1], other->args[1], fails) &&
               fails_with(n->args[2], other->args[2], fails);
    FdiMap seen = {0};
    FdiNodes stack = {0};
    bool all = true;
    int fuel = MOST;
    vec_push(&stack, other);
    while (stack.len > 0 && all) {
        const FdNode *o = vec_last(&stack), *children[FD_MAX_CHILDREN];
        uint64_t mark;
        stack.len--;
        if (fdi_map_get(&seen, o, &mark)) continue;
        fdi_map_set(&seen, o, 1);
        if (!fdi_may_fail(o, fails) || evaluates_one(n, o)) continue;
        all = !fdi_fails(fails, o) && fuel-- > 0;
        for (int i = fd_children(o, children); i-- > 0;) vec_push(&stack, children[i]);
    }
    fdi_map_free(&seen);
    vec_free(&stack);
    return all;
}

bool fdi_fields_fail_alike(const FdNode *n, const FdiFails *fails)
{
    FdiNodes leaves = {0};
    bool alike = true;
    add_leaves(n, &leaves);
    for (size_t i = 0; i < leaves.len && alike; i++) {
        if (leaves.len == 1 || !fdi_may_fail(leaves.data[i], fails)) continue;
        for (size_t k = 0; k < leaves.len && alike; k++)
            alike = k == i || fails_with(leaves.data[k], leaves.data[i], fails);
    }
    vec_free(&leaves);
    return alike;
}
