/* The reference executor's functions with bodies of statements. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../evaluate/lazy/lazy.h"
#include "cell.h"

typedef enum Flow { GO_ON, BREAK, CONTINUE, RETURN } Flow;

/* What depends on the array is to be evaluated anew. */
static void changed(Ref *r, RefVar *array)
{
    array->epoch = ++r->clock;
}

static void put(Ref *r, const RefStmt *s)
{
    Mark mark = ref_mark(r);
    ScalarValue *now = ref_room(r, s->expr->leaves);
    ref_eval_all(r, s->expr, now);
    ScalarValue *to = r->failed ? NULL : ref_element(r, s->place);
    if (to) memcpy(to, now, sizeof *now * (size_t)s->expr->leaves);
    changed(r, s->var);
    ref_release(r, mark);
}

static int array_values(const RefVar *v)
{
    return (int)fd_extent_count(v->array) * fd_type_leaves(v->array->type->result);
}

static size_t array_bytes(const RefVar *v)
{
    return (size_t)array_values(v) * sizeof(ScalarValue);
}

static void assign(Ref *r, const RefStmt *s)
{
    if (s->var->array) {
        memmove(s->var->record, s->expr->var->record, array_bytes(s->var));
        changed(r, s->var);
        return;
    }
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
        case FD_STMT_PUT: put(r, s); break;
        case FD_STMT_CLEAR:
            memset(s->var->record, 0, array_bytes(s->var));
            changed(r, s->var);
            break;
        case FD_STMT_IF: flow = run(r, ref_eval(r, s->expr).i ? s->body : s->other, result); break;
        case FD_STMT_LOOP:
            do {
                flow = run(r, s->body, result);
                if (flow == GO_ON || flow == CONTINUE) flow = run(r, s->other, result);
                ref_look_for_interrupt(r);
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

/* ---- calls ------------------------------------------------------------------------------ */

enum { FEW = 24 };

void ref_call_user(Ref *r, RefUser *u, int n, RefVar *args, const FdNode *node, ScalarValue *out)
{
    if (!u->body) {
        if (!u->native) u->native = rt_native_find(u->user->name);
        if (u->native)
            ref_call_native(r, u, args, out);
        else
            ref_fail(r, RT_DOMAIN, node, "a host function is missing in this program");
        return;
    }
    /* A function that it is given may call it again: locals are each call's own. */
    Scope scope;
    int nvars = (int)u->vars.len;
    RefVar few[FEW], *hidden = nvars > FEW ? mem_alloc((size_t)nvars * sizeof *hidden) : few;
    Mark mark = ref_mark(r);
    ref_enter(r, &scope, nvars, u->vars.data, hidden, n, args);
    for (int i = n; i < nvars; i++) {
        RefVar *v = u->vars.data[i];
        if (v->record)
            v->record = ref_room(r, v->array ? array_values(v) : fd_type_leaves(v->node->type));
    }
    run(r, u->body, out);
    ref_leave(r);
    ref_release(r, mark);
    if (hidden != few) mem_free(hidden);
}
