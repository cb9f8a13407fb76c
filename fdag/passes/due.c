/* What must be evaluated still after a function is replaced by its body: what fails is to fail. */
#include "../internal.h"

bool fdi_may_fail(const FdNode *n, FdIs *fails, const void *ctx)
{
    if (n->type->nparams) return false; /* a function: its elements may, where it is applied */
    return fd_any(n, fails, ctx);
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

bool fdi_evaluates_all(const FdNode *n, const FdNode *const *due, size_t count, FdIs *fails,
                       const void *ctx)
{
    bool all = true;
    for (size_t i = 0; i < count && all; i++) {
        FdiMap known = {0};
        all = !fdi_may_fail(due[i], fails, ctx) || evaluates(n, due[i], &known);
        fdi_map_free(&known);
        if (!all && fdi_applies(due[i], FD_LEAF_MAKE)) /* fields are taken out of it */
            all = fdi_evaluates_all(n, due[i]->args, (size_t)due[i]->nargs, fails, ctx);
    }
    return all;
}
