/* The reference executor's functions: bodies of statements, host functions, closures in slots. Host
 * functions see a record as one value a scalar field. */
#include <string.h>

#include "closure.h"
#include "ref_cell.h"

typedef enum Flow { GO_ON, BREAK, CONTINUE, RETURN } Flow;

static void assign(Ref *r, const RefStmt *s)
{
    if (!s->expr->is_record) {
        ref_set(r, s->var, ref_eval(r, s->expr));
        return;
    }
    Mark mark = ref_mark(r);
    ScalarValue *now = ref_room(r, s->expr->leaves); /* the old value may be read for it */
    ref_eval_all(r, s->expr, now);
    memcpy(s->var->record, now, sizeof *now * (size_t)s->expr->leaves);
    s->var->lazy = NULL;
    s->var->epoch = ++r->clock;
    ref_release(r, mark);
}

static Flow run(Ref *r, const RefStmt *s, ScalarValue *result)
{
    for (; s && !r->failed; s = s->next) {
        Flow flow = GO_ON;
        switch (s->kind) {
        case FD_STMT_SET: assign(r, s); break;
        case FD_STMT_IF: flow = run(r, ref_eval(r, s->expr).i ? s->body : s->other, result); break;
        case FD_STMT_LOOP:
            do {
                flow = run(r, s->body, result);
                if (flow == GO_ON || flow == CONTINUE) flow = run(r, s->other, result);
            } while (flow == GO_ON && !r->failed);
            if (flow == BREAK) flow = GO_ON;
            break;
        case FD_STMT_BREAK: return BREAK;
        case FD_STMT_CONTINUE: return CONTINUE;
        case FD_STMT_RETURN: ref_eval_all(r, s->expr, result); return RETURN;
        }
        if (flow != GO_ON) return flow;
    }
    return GO_ON;
}

/* ---- host functions -------------------------------------------------------------------- */

static int leaves_of(const FdType *t)
{
    return t->result ? 1 : fd_type_leaves(t);
}

/* Values that a call passes, flattened: out in front, then the arguments. */
typedef struct Passed {
    CsValue *out, *in;
    VEC(CsValue) room;
} Passed;

static bool pass(Ref *r, Passed *p, const FdType *type, const RefVar *args, const FdNode *node)
{
    int results = leaves_of(type->result);
    for (int i = 0; i < results; i++) vec_push(&p->room, (CsValue){0});
    for (int i = 0; i < type->nparams && !r->failed; i++) {
        const FdType *t = type->params[i];
        const Cell *f = args[i].fn;
        if (t->result && (!f || f->kind != CELL_SLOT)) {
            ref_fail(r, RT_DOMAIN, node,
                     "a host function can be given arrays only, no expressions");
        } else if (t->result) {
            const RtLeaf *leaf = &r->leaves[f->slot];
            void *fn = leaf->array ? (void *)leaf->array : leaf->closure;
            vec_push(&p->room, (CsValue){.ref = fn});
        } else {
            const ScalarValue *from = t->record ? args[i].record : &args[i].value;
            for (int k = 0; k < leaves_of(t); k++) vec_push(&p->room, (CsValue){.i = from[k].i});
        }
    }
    p->out = p->room.data;
    p->in = p->room.data + results;
    return !r->failed;
}

/* Takes over what a call gave; `good`: it threw nothing. */
static void take(Ref *r, Passed *p, const FdType *type, bool good, ScalarValue *out)
{
    r->failed |= !good;
    for (int k = 0; k < leaves_of(type->result) && !r->failed; k++) out[k].i = p->out[k].i;
    vec_free(&p->room);
}

void ref_call_closure(Ref *r, const Cell *f, const RefVar *args, const FdNode *node,
                      ScalarValue *out)
{
    Passed p = {0};
    const FdType *type = f->node->type;
    bool good = pass(r, &p, type, args, node) &&
                closure_call(r->leaves[f->slot].closure, p.in, p.out, r->site);
    take(r, &p, type, good, out);
}

static void call_native(Ref *r, const RefUser *u, const RefVar *args, const FdNode *node,
                        ScalarValue *out)
{
    Passed p = {0};
    const FdType *type = u->user->type;
    bool good = pass(r, &p, type, args, node);
    if (good) u->native->call(NULL, p.in, p.out);
    if (good && cs_pending) {
        if (r->site) cs_frame(r->site);
        good = false;
    }
    take(r, &p, type, good, out);
}

void ref_call_user(Ref *r, RefUser *u, int n, RefVar *args, const FdNode *node, ScalarValue *out)
{
    if (!u->body) {
        if (!u->native) u->native = rt_native_find(u->user->name);
        if (u->native)
            call_native(r, u, args, node, out);
        else
            ref_fail(r, RT_DOMAIN, node, "a host function is missing in this program");
        return;
    }
    Scope scope;
    ref_enter(r, &scope, n, u->params, args);
    run(r, u->body, out);
    ref_leave(r);
}
