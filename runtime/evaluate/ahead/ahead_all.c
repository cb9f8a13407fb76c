/* Eval(f, g): functions that are there, evaluated as one, or what they share once. */
#include "../../device/device.h"
#include "../../ranks/ranks.h"
#include "../../state.h"
#include "../steps/join.h"
#include "ahead_group.h"

/* Have all the ranges of the first? */
static bool are_alike(int n, Lazy *const *functions)
{
    const FdType *first = fd_root(functions[0]->graph->fd)->type;
    const FdBox *box = &functions[0]->box;
    bool alike = true;
    for (int i = 0; i < n && alike; i++) {
        const FdType *type = fd_root(functions[i]->graph->fd)->type;
        alike = lazy_finite(functions[i]) && functions[i]->box.rank == box->rank &&
                box->rank <= CS_MAX_RANK && !type->result->result;
        for (int d = 0; d < box->rank && alike; d++)
            alike = type->params[d] == first->params[d] &&
                    functions[i]->box.dim[d].lo == box->dim[d].lo &&
                    functions[i]->box.dim[d].hi == box->dim[d].hi;
    }
    return alike;
}

/* One evaluation of them; if that is none, they are as they were. */
static void force_together(int n, Lazy *const *functions)
{
    CsValue captures[FD_MAX_FIELDS];
    Array *arrays[FD_MAX_FIELDS] = {0};
    CsAhead group = {.n = n};
    PlanLines told = {0}; /* by what it is made of */
    Ahead a = {.group = &group, .captures = captures, .arrays = arrays, .lines = &told};
    for (int i = 0; i < n; i++) captures[i].ref = functions[i];
    a.graph = join_graph(n, functions, true, &nowhere);
    bool good =
        a.graph && !ahead_calls_host(a.graph, captures, ++rt.visit) && ahead_make_arrays(&a);
    if (cs_pending) rt_catch();
    for (int i = 0; i < n; i++) {
        if (!good || functions[i]->result) {
            cs_release(arrays[i]);
            continue;
        }
        arrays[i]->head.buffer->maker = functions[i]->graph->serial;
        rt_lazy_drop(functions[i]);
        functions[i]->result = arrays[i];
    }
}

/* What several of them are made of is evaluated by itself, as if it had been used before. */
static void share(int n, Lazy *const *functions)
{
    VEC(Lazy *) stack = {0};
    uint32_t first = rt.visit + 1;
    bool room = true;
    for (int k = 0; k < n && room; k++) {
        uint32_t visit = ++rt.visit;
        const Lazy *l = functions[k];
        while (l && room) {
            for (int i = 0; i < l->graph->fd->nslots; i++) {
                Lazy *below = l->captures[i].ref;
                if (!l->graph->fd->slots[i].type->result || below->head.kind != CS_LAZY ||
                    below->result || below->visit == visit)
                    continue;
                bool shared = below->visit >= first && below->visit < visit;
                below->visit = visit;
                if (shared && !below->composed) below->composed = 1;
                room = room && vec_try(&stack);
                if (!shared && room) vec_push(&stack, below);
            }
            l = stack.len ? stack.data[--stack.len] : NULL;
        }
    }
    vec_free(&stack);
}

void cs_force_all(int32_t n, const CsValue *functions, const CsSite *site)
{
    Lazy *lazies[FD_MAX_FIELDS];
    int count = 0;
    ranks_enter();
    for (int i = 0; i < n && count < FD_MAX_FIELDS; i++) {
        Lazy *l = functions[i].ref;
        bool pending = l->head.kind == CS_LAZY && !l->result;
        for (int k = 0; k < count && pending; k++) pending = lazies[k] != l;
        if (pending) lazies[count++] = l;
    }
    if (count > 1 && !device_is_ref() && are_alike(count, lazies)) force_together(count, lazies);
    if (count > 1) share(count, lazies);
    for (int i = 0; i < n && !cs_pending; i++) cs_release(cs_force(functions[i].ref, site));
    ranks_leave(NULL, site);
}
