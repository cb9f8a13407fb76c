/* Statements that are made of others or choose among them: switch; try, throw and using; foreach
 * over collections, which becomes a loop over their indices.
 */
#include <string.h>

#include "../check/check.h"

/* ---- switch --------------------------------------------------------------------------------- */

static bool can_switch(const Sema *s, const Type *t)
{
    return t == s->string || t == s->boolean || type_is_enum(t) ||
           (type_is_numeric(t) && !scalar_is_real(t->scalar));
}

/* Are the labels constants of such a type? `n` is unchecked. */
static bool is_plain(Sema *s, const Ast *n)
{
    for (int i = 0; i < n->switch_.sections.len; i++) {
        const Ast *section = n->switch_.sections.data[i];
        if (section->kind != AST_CASE) continue;
        for (int k = 0; k < section->case_.labels.len; k++)
            if (!is_plain_constant(s, section->case_.labels.data[k])) return false;
    }
    return true;
}

void check_switch(Sema *s, Ast **slot)
{
    Ast *n = *slot;
    if (!is_plain(s, n)) {
        choose_statements(s, slot);
        return;
    }
    Ast *value = ast_clone(s->arena, n->switch_.value);
    const Type *t = check_value(s, &n->switch_.value, NULL);
    if (t != s->error && !can_switch(s, t)) {
        n->switch_.value = value;
        choose_statements(s, slot);
        return;
    }
    Ast *outer = s->choice;
    scope_push(s);
    label_check_all(s, n, t);
    s->breakable++;
    s->choice = n;
    for (int i = 0; i < n->switch_.sections.len; i++) {
        Ast *section = n->switch_.sections.data[i];
        if (section->kind == AST_CASE) check_block(s, &section->case_.stmts);
    }
    s->choice = outer;
    s->breakable--;
    scope_pop(s);
}

/* ---- exceptions ----------------------------------------------------------------------------- */

static bool derives(Sema *s, const Class *c, Symbol *base)
{
    if (!base || base->decl->kind != AST_CLASS || base->generic) return false;
    decl_alias(s, base);
    class_settle(s);
    return base->cls && class_is(c, base->cls);
}

/* Of the library's Exception, whose layout the runtime knows, though another may hide it. */
static bool is_exception(Sema *s, const Type *t)
{
    const Class *c = class_of(t);
    return c && derives(s, c, scope_library(s, SYM_TYPE, "Exception"));
}

static void report_no_exception(Sema *s, Loc loc, const Type *t, const char *verb)
{
    report(s, loc, CONVERSION, "'%s' is no exception: it cannot be %s", type_text(s->arena, t),
           verb);
    const Symbol *own = scope_type(s, intern_cstr(s->names, "Exception"));
    if (own && !own->library)
        report_note(s, own->loc, "this 'Exception' hides the library's, the base of exceptions");
}

/* What the runtime may throw: the program needs these classes where it catches. */
static void use_exceptions(Sema *s)
{
    for (size_t i = 0; i < s->all.len && !s->quiet; i++)
        if (s->all.data[i]->sym->library && is_exception(s, s->all.data[i]->type))
            class_use(s, s->all.data[i]);
}

/* A class that an earlier catch has taken already, or NULL. */
static const Ast *taken(const Ast *n, int index)
{
    const Ast *c = n->try_.catches.data[index];
    for (int i = 0; i < index; i++) {
        const Ast *before = n->try_.catches.data[i];
        if (before->catch_.filter) continue;
        if (!before->catch_.ctype) return before;
        const Class *a = c->catch_.ctype ? class_of(c->catch_.ctype->type) : NULL;
        const Class *b = class_of(before->catch_.ctype->type);
        if (a && b && class_is(a, b)) return before;
    }
    return NULL;
}

static void check_catch(Sema *s, Ast *n, int index)
{
    Ast *c = n->try_.catches.data[index];
    const Type *t = s->error;
    use_exceptions(s);
    scope_push(s);
    if (c->catch_.ctype) {
        t = decl_type(s, c->catch_.ctype);
        class_settle(s);
        if (t != s->error && !is_exception(s, t)) {
            report_no_exception(s, c->catch_.ctype->loc, t, "caught");
            t = s->error;
        }
    }
    const Ast *before = taken(n, index);
    if (before && t != s->error) {
        report(s, c->loc, SWITCH, "an earlier catch takes every '%s'", type_text(s->arena, t));
        report_note(s, before->loc, "this one");
    }
    if (c->catch_.name) {
        c->sym = scope_symbol(s, SYM_LOCAL, c->catch_.name, t, c->loc, c);
        scope_declare(s, c->sym);
    }
    if (c->catch_.filter) check_condition(s, &c->catch_.filter);
    s->catches++;
    check_stmt(s, &c->catch_.body);
    s->catches--;
    scope_pop(s);
}

void check_try(Sema *s, Ast *n)
{
    check_stmt(s, &n->try_.body);
    for (int i = 0; i < n->try_.catches.len; i++)
        if (n->try_.catches.data[i]->kind == AST_CATCH) check_catch(s, n, i);
    if (!n->try_.finally_) return;
    int loops = s->loops, breakable = s->breakable, catches = s->catches;
    Ast *choice = s->choice;
    s->loops = s->breakable = s->catches = 0;
    s->choice = NULL;
    s->finals++;
    check_stmt(s, &n->try_.finally_);
    s->finals--;
    s->loops = loops;
    s->breakable = breakable;
    s->choice = choice;
    s->catches = catches;
}

void check_throw(Sema *s, Ast *n)
{
    if (!n->throw_.value) {
        if (!s->catches)
            report(s, n->loc, JUMP, "throw without a value stands in a catch: it throws again");
        return;
    }
    const Type *t = check_value(s, &n->throw_.value, NULL);
    if (t == s->error || t->kind == TY_NULL || is_exception(s, t)) return;
    report_no_exception(s, n->throw_.value->loc, t, "thrown");
}

const Type *check_thrown(Sema *s, Ast *n, const Type *type)
{
    check_throw(s, n);
    n->type = type;
    if (!s->functional || type == s->error) return type;
    report(s, n->loc, IMPURE_INSIDE, "nothing can be thrown inside a functional expression");
    return s->error;
}

/* ---- using ---------------------------------------------------------------------------------- */

/* using (var x = e) body  =>  { var x = e; try body finally { x.Dispose(); } }, from the last
 * variable to the first. */
void check_using(Sema *s, Ast **slot)
{
    Ast *n = *slot, *resource = n->using_.resource, *body = n->using_.body;
    Loc loc = resource->loc;
    if (!body) body = tree_block(s, loc, 0); /* alone, where one statement stands */
    if (resource->kind == AST_EXPR_STMT) {
        const char *name = arena_printf(s->arena, "$using%d", ++s->synthetic);
        resource = tree_local(s, loc, NULL, name, resource->expr_stmt.expr);
    }
    if (resource->kind != AST_VAR_DECL) return;
    const AstList *vars = &resource->var_decl.vars;
    for (int i = vars->len - 1; i >= 0; i--) {
        if (vars->data[i]->kind != AST_DECLARATOR) continue;
        const char *name = vars->data[i]->declarator.name;
        Ast *dispose = tree_member(s, loc, tree_name(s, loc, name), "Dispose");
        Ast *try = ast_new(s->arena, AST_TRY, n->loc);
        try->try_.body = tree_block(s, body->loc, 1, body);
        try->try_.finally_ = tree_block(s, loc, 1, tree_stmt(s, tree_call(s, loc, dispose, 0)));
        body = try;
    }
    *slot = tree_block(s, n->loc, 2, resource, body);
    check_stmt(s, slot);
}

/* ---- foreach over collections --------------------------------------------------------------- */

bool is_collection(Sema *s, const Type *t)
{
    Class *c = class_of(t);
    const Symbol *count = c ? member_find(s, c, intern_cstr(s->names, "Count")) : NULL;
    const Symbol *at = c ? member_find(s, c, intern_cstr(s->names, "ElementAt")) : NULL;
    return count && (count->kind == SYM_PROPERTY || count->kind == SYM_FIELD) && at &&
           at->kind == SYM_FUNC;
}

static bool has_method(Sema *s, const Type *t, const char *name)
{
    Class *c = class_of(t);
    const Symbol *m = c ? member_find(s, c, intern_cstr(s->names, name)) : NULL;
    return m && m->kind == SYM_FUNC;
}

/* The variable of the loop, whose value is `value`, in front of its body. */
static Ast *loop_body(Sema *s, const Ast *n, Ast *value)
{
    Ast *element = tree_local(s, n->loc, n->foreach_.vtype, n->foreach_.name, value);
    element->var_decl.mods = AST_MOD_READONLY;
    return tree_block(s, n->loc, 2, element, n->foreach_.body);
}

typedef struct Disposes {
    const Sources *sources;
    bool found;
    bool lazy; /* it has sequences of its own */
} Disposes;

static void find_dispose(Ast **child, void *ctx)
{
    const Ast *n = *child;
    Disposes *d = ctx;
    if (!n || (d->found && d->lazy)) return;
    if (n->kind == AST_YIELD) d->found = d->lazy = true;
    bool own = n->kind == AST_CLASS || n->kind == AST_FUNC || n->kind == AST_PROPERTY;
    if (own && sources_get(d->sources, n->loc.file)->library) return;
    if (n->kind == AST_FUNC && n->func.body && !strcmp(n->func.name, "Dispose")) {
        const Ast *body = n->func.body;
        d->found = d->found || body->kind != AST_BLOCK || body->block.stmts.len > 0;
    }
    if (n->kind == AST_FUNC && !strcmp(n->func.name, "GetEnumerator")) d->lazy = true;
    ast_each_child(*child, find_dispose, ctx);
}

static void look_for_sequences(Sema *s)
{
    Disposes d = {.sources = s->sources};
    if (s->disposes == 0) ast_each_child(s->unit, find_dispose, &d);
    if (s->disposes == 0) s->disposes = d.found ? 1 : -1;
    if (s->lazy == 0) s->lazy = d.lazy ? 1 : -1;
}

/* May an enumerator of the program do something when the loop over it ends, as one that yields within a try?
 * Those of the library do not by themselves. */
static bool disposes(Sema *s)
{
    look_for_sequences(s);
    return s->disposes > 0;
}

bool is_for_lazy(Sema *s, const Ast *n, bool *needed)
{
    const Ast *cond = n->if_.cond, *base = cond->kind == AST_MEMBER ? cond->member.base : NULL;
    if (!base || base->kind != AST_NAME_REF || strcmp(cond->member.name, "Yields") != 0 ||
        strcmp(base->name_ref.name, "GC") != 0 || !sources_get(s->sources, n->loc.file)->library)
        return false;
    look_for_sequences(s);
    *needed = s->lazy > 0;
    return true;
}

bool only_for_lazy(Sema *s, Ast **slot)
{
    const Ast *n = *slot;
    bool needed;
    if (!is_for_lazy(s, n, &needed)) return false;
    *slot = needed ? n->if_.then : ast_new(s->arena, AST_EMPTY, n->loc);
    check_stmt(s, slot);
    return true;
}

/* { var $c = seq.GetEnumerator(); while ($c.MoveNext()) { T x = $c.Current; body } }
 * The loop stands in a try with finally { $c.Dispose(); } if that is to be seen. */
static Ast *by_enumerator(Sema *s, const Ast *n, Ast *seq)
{
    Loc loc = n->foreach_.seq->loc;
    const char *c = arena_printf(s->arena, "$c%d", ++s->synthetic);
    Ast *loop = ast_new(s->arena, AST_WHILE, n->loc);
    loop->while_.cond = tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, c), "MoveNext"), 0);
    loop->while_.body = loop_body(s, n, tree_member(s, loc, tree_name(s, loc, c), "Current"));
    Ast *enumerator = tree_call(s, loc, tree_member(s, loc, seq, "GetEnumerator"), 0);
    Ast *made = tree_local(s, loc, NULL, c, enumerator), *all = loop;
    const Type *t = disposes(s) ? peek_type(s, enumerator) : NULL;
    if (t && t != s->error && has_method(s, t, "Dispose")) {
        Ast *end = tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, c), "Dispose"), 0);
        all = ast_new(s->arena, AST_TRY, n->loc);
        all->try_.body = tree_block(s, loop->loc, 1, loop);
        all->try_.finally_ = tree_block(s, loc, 1, tree_stmt(s, end));
    }
    return tree_block(s, n->loc, 2, made, all);
}

/* { var $c = seq; for (int $i = 0; $i < $c.Count; $i++) { T x = $c.ElementAt($i); body } } where a
 * class tells whether it was changed: int $v = $c.Changes; and $c.CountSince($v). */
static Ast *by_index(Sema *s, const Ast *n, Ast *seq)
{
    Loc loc = n->foreach_.seq->loc;
    int number = ++s->synthetic;
    const char *c = arena_printf(s->arena, "$c%d", number);
    const char *i = arena_printf(s->arena, "$i%d", number);
    const char *v = arena_printf(s->arena, "$v%d", number);
    bool tells = has_method(s, n->foreach_.seq->type, "CountSince");
    Ast *count = tree_member(s, loc, tree_name(s, loc, c), tells ? "CountSince" : "Count");
    if (tells) count = tree_call(s, loc, count, 1, tree_name(s, loc, v));
    Ast *at = tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, c), "ElementAt"), 1,
                        tree_name(s, loc, i));
    Ast *step = ast_new(s->arena, AST_INCDEC, loc), *loop = ast_new(s->arena, AST_FOR, n->loc);
    step->incdec.op = AST_OP_ADD;
    step->incdec.postfix = true;
    step->incdec.target = tree_name(s, loc, i);
    loop->for_.init =
        ast_list_add(s->arena, loop->for_.init, tree_local(s, loc, NULL, i, tree_int(s, loc, 0)));
    loop->for_.cond = tree_binary(s, loc, AST_OP_LT, tree_name(s, loc, i), count);
    loop->for_.step = ast_list_add(s->arena, loop->for_.step, tree_stmt(s, step));
    loop->for_.body = loop_body(s, n, at);
    Ast *object = tree_local(s, loc, NULL, c, seq);
    if (!tells) return tree_block(s, n->loc, 2, object, loop);
    Ast *changes = tree_member(s, loc, tree_name(s, loc, c), "Changes");
    return tree_block(s, n->loc, 3, object, tree_local(s, loc, NULL, v, changes), loop);
}

/* `seq` is a copy that is not checked yet. */
bool foreach_collection(Sema *s, Ast **slot, Ast *seq)
{
    const Ast *n = *slot;
    const Type *t = n->foreach_.seq->type;
    bool indexed = is_collection(s, t);
    if (!indexed && !has_method(s, t, "GetEnumerator")) return false;
    *slot = indexed ? by_index(s, n, seq) : by_enumerator(s, n, seq);
    check_stmt(s, slot);
    return true;
}
