/* Logs of elements that loops overwrite: to go back through a turn that sets a[i] takes that element, not the array.
 *
 *     while (..) a[i] = x;         var $log = new Changes<double>();  while (..) { $log.Add(a[i], i); a[i] = x; }
 *                                  and back: while ($log.Takes(count, 1)) a[$log.I] = $log.Old;
 */
#include "host.h"

enum { MAX_LOGGED = 4 }; /* dimensions that Changes knows */

static Ast *of_log(Sema *s, Loc loc, const Variable *v, const char *what)
{
    return tree_member(s, loc, tree_name(s, loc, v->log), what);
}

bool log_can(const Steps *steps, const Variable *v)
{
    bool only = true;
    for (size_t i = 0; i < steps->len; i++) {
        const Step *step = &steps->data[i];
        only = only && (step->target != v || step->kind == STEP_PUT || step->rows);
        only = only && log_can(&step->first, v) && log_can(&step->second, v);
    }
    return only;
}

static const Type *log_type(Sema *s, Loc loc, const Type *of)
{
    const Type *t = generic_with(s, scope_library(s, SYM_TYPE, "Changes"), of, loc);
    class_settle(s);
    return t;
}

void log_begin(Sema *s, AstList *out, const Step *loop, const Variables *these, Logs *logs)
{
    for (size_t i = 0; i < these->len; i++) {
        Variable *v = these->data[i];
        if (v->log || v->type->kind != TY_ARRAY || v->type->nparams > MAX_LOGGED) continue;
        if (!log_can(&loop->first, v)) continue;
        Log log = {v, code_fresh(s, "log"), code_fresh(s, "mark")};
        Ast *made = ast_new(s->arena, AST_NEW, loop->loc);
        made->new_.ntype = type_node(s, loop->loc, log_type(s, loop->loc, v->type->result));
        code_local(s, out, loop->loc, NULL, log.name, made);
        vec_push(logs, log);
    }
}

void log_use(const Logs *logs, bool on)
{
    for (size_t i = 0; i < logs->len; i++) logs->data[i].v->log = on ? logs->data[i].name : NULL;
}

Ast *log_count(Sema *s, Loc loc, const Variable *v)
{
    return of_log(s, loc, v, "Count");
}

/* From dimension d on; `element` has the places before it. */
static void log_from(Sema *s, AstList *out, const Step *put, const Ast *of, int d, Ast *element)
{
    const Loc loc = put->loc;
    if (d == of->index.args.len) {
        Ast *call = tree_call(s, loc, of_log(s, loc, put->target, "Add"), 1, element);
        for (int i = 0; i < d; i++)
            call->call.args = ast_list_add(s->arena, call->call.args,
                                           ast_clone(s->arena, element->index.args.data[i]));
        code_add(s, out, tree_stmt(s, call));
        return;
    }
    Ast *place = of->index.args.data[d], **at = &element->index.args.data[d];
    if (place->kind != AST_RANGE) {
        *at = ast_clone(s->arena, place);
        log_from(s, out, put, of, d + 1, element);
        return;
    }
    const char *i = code_fresh(s, "at");
    AstList turn = {0};
    *at = tree_name(s, loc, i);
    log_from(s, &turn, put, of, d + 1, element);
    code_set(s, &turn, loc, i,
             tree_binary(s, loc, AST_OP_ADD, tree_name(s, loc, i), tree_int(s, loc, 1)));
    code_local(s, out, loc, s->integer, i, ast_clone(s->arena, place->range.lo));
    Ast *inside =
        tree_binary(s, loc, AST_OP_LT, tree_name(s, loc, i), ast_clone(s->arena, place->range.hi));
    code_add(s, out, code_while(s, loc, inside, turn));
}

void log_put(Sema *s, AstList *out, const Step *put)
{
    const Ast *of = put->rows ? put->rows : put->value;
    AstList log = {0};
    log_from(s, &log, put, of, 0, ast_clone(s->arena, of));
    if (put->rows) /* its variables are its own */
        code_add(s, out, code_block(s, put->loc, log));
    else
        code_add(s, out, log.data[0]);
}

void log_undo(Sema *s, AstList *out, Loc loc, const Variable *v, Ast *count)
{
    static const char *const places[] = {"I", "J", "K", "L"};
    AstList body = {0};
    Ast *element = ast_new(s->arena, AST_INDEX, loc);
    element->index.base = tree_name(s, loc, v->name);
    for (int d = 0; d < v->type->nparams; d++)
        element->index.args =
            ast_list_add(s->arena, element->index.args, of_log(s, loc, v, places[d]));
    code_add(s, &body, tree_assign(s, loc, element, of_log(s, loc, v, "Old")));
    Ast *takes = tree_call(s, loc, of_log(s, loc, v, "Takes"), 2, count,
                           tree_int(s, loc, (uint64_t)v->type->nparams));
    code_add(s, out, code_while(s, loc, takes, body));
}
