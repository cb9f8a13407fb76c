/* Composite formats, string.Format("{0,8:F2} {1}", x, y): interpolated strings written otherwise. An
 * argument that stands there several times, or not in its order, is evaluated once and in order: by
 * a function of the arguments.
 */
#include <string.h>

#include "../check/check.h"

/* Console.Error, or a variable that holds such a one? */
static bool is_writer(Sema *s, const Ast *base)
{
    if (base->kind != AST_MEMBER && base->kind != AST_NAME_REF) return false;
    const Type *t = peek_type(s, base);
    return t->kind == TY_OBJECT && !strcmp(t->name, library_spaces[SPACE_TextWriter]);
}

/* The call of string.Format, Console.Write or WriteLine with arguments behind the format? */
static bool is_composite(Sema *s, const Ast *n, bool *format)
{
    const Ast *callee = n->call.callee,
              *base = callee->kind == AST_MEMBER ? callee->member.base : NULL;
    if (!base) return false;
    bool writes =
        !strcmp(callee->member.name, "WriteLine") || !strcmp(callee->member.name, "Write");
    if (writes && n->call.args.len >= 2 && is_writer(s, base)) return true;
    const char *of = base->kind == AST_TYPE_NAME ? base->type_name.name
                     : base->kind == AST_NAME_REF && !scope_user(s, base->name_ref.name)
                         ? base->name_ref.name
                         : NULL;
    if (!of) return false;
    *format = !strcmp(of, "string") && !strcmp(callee->member.name, "Format");
    bool console = !strcmp(of, "Console") && writes;
    return *format ? n->call.args.len >= 1 : console && n->call.args.len >= 2;
}

typedef struct Reader {
    Sema *s;
    const char *at, *end;
    Loc loc;
    Ast *text; /* INTERP */
    int nargs, next;
    bool in_order, failed;
    int uses[MAX_PARAMS];
} Reader;

static void fail(Reader *r, const char *why)
{
    if (!r->failed) report(r->s, r->loc, CONSTANT_VALUE, "the format is wrong: %s", why);
    r->failed = true;
}

static void add_text(Reader *r, const char *text, size_t len)
{
    Ast *n = ast_new(r->s->arena, AST_STRING_LIT, r->loc);
    n->string_lit.value = (AstBytes){arena_strndup(r->s->arena, text, len), len};
    if (len) r->text->interp.parts = ast_list_add(r->s->arena, r->text->interp.parts, n);
}

static int read_number(Reader *r)
{
    int n = -1;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9' && n < 1000000)
        n = 10 * (n < 0 ? 0 : n) + (*r->at++ - '0');
    return n;
}

static const char *name_of(Sema *s, int i)
{
    return arena_printf(s->arena, "$argument%d", i);
}

/* {0,-8:F2}, behind the brace */
static void read_hole(Reader *r)
{
    Sema *s = r->s;
    Ast *hole = ast_new(s->arena, AST_HOLE, r->loc);
    int i = read_number(r);
    if (i < 0) {
        fail(r, "a number stands behind '{'");
        return;
    }
    if (i >= r->nargs || i >= MAX_PARAMS) {
        fail(r, arena_printf(s->arena, "there is no argument {%d}", i));
        return;
    }
    r->in_order = r->in_order && i == r->next;
    r->next = i + 1;
    r->uses[i]++;
    hole->hole.expr = tree_name(s, r->loc, name_of(s, i));
    if (r->at < r->end && *r->at == ',') {
        r->at++;
        while (r->at < r->end && *r->at == ' ') r->at++;
        bool left = r->at < r->end && *r->at == '-';
        r->at += left;
        int width = read_number(r);
        if (width < 0) fail(r, "a number stands behind ','");
        Ast *n = tree_int(s, r->loc, (uint64_t)(width < 0 ? 0 : width));
        if (left) {
            Ast *minus = ast_new(s->arena, AST_UNARY, r->loc);
            minus->unary.op = AST_OP_NEG;
            minus->unary.operand = n;
            n = minus;
        }
        hole->hole.align = n;
    }
    if (r->at < r->end && *r->at == ':') {
        const char *close = memchr(r->at, '}', (size_t)(r->end - r->at));
        if (close) {
            size_t len = (size_t)(close - r->at - 1);
            hole->hole.format = (AstBytes){arena_strndup(s->arena, r->at + 1, len), len};
            r->at = close;
        }
    }
    if (r->at >= r->end || *r->at++ != '}') fail(r, "'}' is missing");
    r->text->interp.parts = ast_list_add(s->arena, r->text->interp.parts, hole);
}

static void read_format(Reader *r)
{
    const char *begin = r->at;
    while (r->at < r->end && !r->failed) {
        char c = *r->at;
        if (c != '{' && c != '}') {
            r->at++;
            continue;
        }
        bool twice = r->at + 1 < r->end && r->at[1] == c;
        add_text(r, begin, (size_t)(r->at - begin) + twice);
        r->at += twice ? 2 : 1;
        if (!twice && c == '}') fail(r, "a '}' is written twice");
        if (!twice && c == '{') read_hole(r);
        begin = r->at;
    }
    add_text(r, begin, (size_t)(r->at - begin));
}

/* Each argument in its place. */
static void place(Ast *text, const AstList *args)
{
    for (int i = 0, k = 1; i < text->interp.parts.len; i++) {
        Ast *part = text->interp.parts.data[i];
        if (part->kind == AST_HOLE) part->hole.expr = args->data[k++];
    }
}

/* A function of the arguments, the format with them if `first` is 0. */
static Ast *by_function(Sema *s, Ast *block, const AstList *args, int first)
{
    AstList params = {0}, values = {0};
    for (int i = first; i < args->len; i++) {
        const Type *t = peek_type(s, args->data[i]);
        if (t == s->error || t->kind == TY_GROUP || t->kind == TY_NULL) {
            check_value(s, &args->data[i], NULL);
            return NULL;
        }
        Loc loc = args->data[i]->loc;
        params = ast_list_add(
            s->arena, params,
            tree_param(s, loc, type_node(s, loc, t), i ? name_of(s, i - 1) : "$format"));
        values = ast_list_add(s->arena, values, args->data[i]);
    }
    return local_block(s, "format", block, params, values, s->string);
}

/* A format that is no constant is read as the program runs, by the library's CompositeFormat:
 *     var $holes = new CompositeFormat(format, nargs);
 *     while ($holes.Next()) { if ($holes.Index == 0) $holes.Add($"{argument0:$holes.Style}"); .. }
 *     return $holes.ToString();
 */
static Ast *read_later(Sema *s, Loc loc, int nargs)
{
    Ast *make = ast_new(s->arena, AST_NEW, loc), *loop = ast_new(s->arena, AST_WHILE, loc);
    make->new_.ntype = type_node(s, loc, class_library(s, "CompositeFormat"));
    make->new_.args = ast_list_add(s->arena, (AstList){0}, tree_name(s, loc, "$format"));
    make->new_.args = ast_list_add(s->arena, make->new_.args, tree_int(s, loc, (uint64_t)nargs));
    Ast *body = tree_block(s, loc, 0);
    for (int i = 0; i < nargs; i++) {
        Ast *hole = ast_new(s->arena, AST_HOLE, loc), *text = ast_new(s->arena, AST_INTERP, loc),
            *test = ast_new(s->arena, AST_IF, loc);
        hole->hole.expr = tree_name(s, loc, name_of(s, i));
        hole->hole.style = tree_member(s, loc, tree_name(s, loc, "$holes"), "Style");
        text->interp.parts = ast_list_add(s->arena, text->interp.parts, hole);
        test->if_.cond = tree_binary(s, loc, AST_OP_EQ,
                                     tree_member(s, loc, tree_name(s, loc, "$holes"), "Index"),
                                     tree_int(s, loc, (uint64_t)i));
        test->if_.then = tree_stmt(
            s, tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, "$holes"), "Add"), 1, text));
        body->block.stmts = ast_list_add(s->arena, body->block.stmts, test);
    }
    loop->while_.cond =
        tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, "$holes"), "Next"), 0);
    loop->while_.body = body;
    Ast *whole = tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, "$holes"), "ToString"), 0);
    return tree_block(s, loc, 3, tree_local(s, loc, NULL, "$holes", make), loop,
                      tree_return(s, whole));
}

static bool is_culture(Sema *s, const Type *t)
{
    Class *c = class_of(t);
    return c && class_is(c, class_of(class_library(s, "IFormatProvider")));
}

void drop_culture(Sema *s, AstList *args)
{
    AstList left = {0};
    for (int i = 0; i < args->len; i++)
        if (!is_culture(s, args->data[i]->type)) left = ast_list_add(s->arena, left, args->data[i]);
    *args = left;
}

/* In front of a format it is left out, too. */
static void skip_culture(Sema *s, AstList *args)
{
    if (args->len < 2 || !is_culture(s, peek_type(s, args->data[0]))) return;
    *args = (AstList){args->data + 1, args->len - 1};
}

/* An object[] has the values: then the library formats them as the program runs. */
static bool is_of_array(Sema *s, const AstList *args)
{
    if (args->len != 2) return false;
    const Type *t = peek_type(s, args->data[1]);
    Class *c = t->kind == TY_ARRAY && t->nparams == 1 ? class_of(t->result) : NULL;
    return c && class_is_object(c);
}

bool check_composite(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    bool format = false;
    AstBytes bytes;
    if (!is_composite(s, n, &format)) return false;
    skip_culture(s, &n->call.args);
    if (is_of_array(s, &n->call.args)) {
        Ast *all = tree_call(s, n->loc, tree_name(s, n->loc, "FormatOf"), 2, n->call.args.data[0],
                             n->call.args.data[1]);
        if (format)
            *slot = all;
        else
            n->call.args = ast_list_add(s->arena, (AstList){0}, all);
        check_expr(s, slot, hint);
        return true;
    }
    Ast *first = ast_clone(s->arena, n->call.args.data[0]);
    const Type *t = peek_type(s, first);
    if (t != s->string) return false;
    check_value(s, &first, NULL);
    n->type = s->error;
    bool constant = constant_text(s, first, &bytes);
    Reader r = {.s = s, .loc = first->loc};
    if (constant) r.at = bytes.data, r.end = bytes.data + bytes.len;
    r.nargs = n->call.args.len - 1;
    r.in_order = true;
    Ast *text = r.text = ast_new(s->arena, AST_INTERP, n->loc);
    if (constant) read_format(&r);
    if (r.failed) return true;
    if (!constant)
        text = by_function(s, read_later(s, first->loc, r.nargs), &n->call.args, 0);
    else if (r.in_order && r.next == r.nargs)
        place(text, &n->call.args);
    else
        text = by_function(s, tree_block(s, text->loc, 1, tree_return(s, text)), &n->call.args, 1);
    if (!text) return true;
    if (format)
        *slot = text;
    else
        n->call.args = ast_list_add(s->arena, (AstList){0}, text);
    check_expr(s, slot, hint);
    return true;
}
