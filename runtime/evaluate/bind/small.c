/* Which evaluations are small (small.h): no functions of reals, whose last bits differ from the
 * device's, nor of the program, whose effort nobody knows; and operations enough for a few
 * microseconds, which a launch takes. */
#include "small.h"

#include <stdlib.h>
#include <string.h>

#include "../../device/device.h"
#include "../../state.h"

enum { FEW = 256 /* operations and reads: 3 us */ };

void small_look(Composed *c)
{
    c->simple = !c->infinite;
    for (int i = 0; i < c->order.nnodes; i++) {
        const FdNode *n = c->order.nodes[i];
        FdOp op = fd_op_of(n);
        if (op != FD_OP_NONE && (fd_op_info(op)->props & FD_EXPENSIVE)) c->simple = false;
        if ((n->kind == FD_FUNC && n->leaf == FD_LEAF_USER) || n->self) c->simple = false;
        if (n->kind == FD_REDUCE && op == FD_OP_NONE) c->simple = false;
    }
}

typedef struct Effort {
    const FdEnv *env;
    int64_t left;
} Effort;

/* Takes what `times` evaluations of n cost at most; it ends as soon as nothing is left. */
static void spend(Effort *e, const FdNode *n, int64_t times)
{
    if (e->left < 0 || times == 0) return;
    if (n->kind == FD_APPLY) {
        FdOp op = fd_op_of(n);
        e->left -= times;
        if (op == FD_OP_LOWER || op == FD_OP_UPPER) return;
        for (int i = 0; i < n->nargs; i++) spend(e, n->args[i], times);
        if (op == FD_OP_NONE) spend(e, n->fn, times);
    } else if (n->kind == FD_LET) { /* applied, or given to a function */
        spend(e, n->body, times);
    } else if (n->kind == FD_REDUCE) {
        e->left -= times;
        for (int d = 0; d < n->nvars; d++) {
            int64_t lo, hi;
            if (n->doms[d].kind == FD_DOM_FULL ||
                fd_eval_bound(n->doms[d].lo, e->env, &lo) != FD_BOUND_OK ||
                fd_eval_bound(n->doms[d].hi, e->env, &hi) != FD_BOUND_OK ||
                (hi > lo && (uint64_t)hi - (uint64_t)lo > FEW)) {
                e->left = -1;
                return;
            }
            times *= hi > lo ? hi - lo : 0;
            if (times > FEW) e->left = -1;
            if (times > FEW) return;
        }
        spend(e, n->body, times);
        if (n->init) spend(e, n->init, 1);
    }
}

/* CS_INTERPRET=0: never; nor where somebody wants to see kernels of a device. */
static bool is_on(void)
{
    if (!rt.interpret) {
        const char *wish = getenv("CS_INTERPRET");
        bool off = (wish && *wish == '0' && !wish[1]) || (rt_dumps() & RT_DUMP_OPENCL);
        rt.interpret = off ? RT_INTERPRET_NONE : RT_INTERPRET_SMALL;
    }
    return rt.interpret == RT_INTERPRET_SMALL;
}

int64_t small_reductions(void)
{
    enum { SHORT = 512 }; /* a launch in lanes is sooner from there on */
    const char *wish = getenv("CS_SHORT"), *device = getenv("CS_DEVICE"),
               *guard = getenv("CS_GUARD");
    if (wish && *wish) return strtoll(wish, NULL, 10);
    bool shows = rt_profiling() || rt_dumps() != RT_DUMP_READ || (guard && *guard == '1');
    bool reference = device && strcmp(device, "ref") == 0;
    return is_on() && !shows && !reference ? SHORT : 0;
}

bool small_at_hand(const Evaluation *e)
{
    if (!is_on()) return false;
    for (size_t i = 0; i < e->leaves.len; i++) { /* what a device has is not fetched from afar */
        const Array *a = e->leaves.data[i].array;
        if (a && a->head.buffer && a->head.buffer->host_stale && !device_is_host()) return false;
    }
    return true;
}

bool small_is(const Evaluation *e, const FdEnv *env, int64_t count)
{
    const Composed *c = e->composed;
    /* profiles and dumps know kernels, native ones too */
    if (rt_profiling() || (rt_dumps() & RT_DUMP_PLAN)) return false;
    if (!c->simple || count > FEW || !small_at_hand(e)) return false;
    Effort effort = {env, FEW};
    for (int k = 0; k < c->graph.nresults; k++) {
        const FdNode *n = c->graph.results[k].node;
        spend(&effort, n->kind == FD_LET ? n->body : n, count);
    }
    return effort.left >= 0;
}
