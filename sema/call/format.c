/* Composite formats, string.Format("{0,8:F2} {1}", x, y): interpolated strings written otherwise. An
 * argument that stands there several times, or not in its order, is evaluated once and in order: by
 * a function of the arguments.
 */
#include <string.h>

#include "../check/check.h"

/* The call of string.Format, Console.Write or WriteLine with arguments behind the format? */
static bool is_composite(Sema *s, const Ast *n, bool *format)
{
    const Ast *callee = n->call.callee,
              *base = callee->kind == AST_MEMBER ? callee->member.base : NULL;
    if (!base) return false;
    const char *of = base->kind == AST_TYPE_NAME ? base->type_name.name
                     : base->kind == AST_NAME_REF && !scope_user(s, base->name_ref.name)
                         ? base->name_ref.name
                         : NULL;
    if (!of) return false;
    *format = !strcmp(of, "string") && !strcmp(callee->member.name, "Format");
    bool console = !strcmp(of, "Console") && (!strcmp(callee->member.name, "WriteLine") ||
                                              !strcmp(callee->member.name, "Write"));
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

/* A function of the arguments. */
static Ast *by_function(Sema *s, Ast *text, const AstList *args)
{
    AstList params = {0}, values = {0};
    for (int i = 1; i < args->len; i++) {
        const Type *t = peek_type(s, args->data[i]);
        if (t == s->error || t->kind == TY_GROUP || t->kind == TY_NULL) {
            check_value(s, &args->data[i], NULL);
            return NULL;
        }
        Loc loc = args->data[i]->loc;
        params = ast_list_add(s->arena, params,
                              tree_param(s, loc, type_node(s, loc, t), name_of(s, i - 1)));
        values = ast_list_add(s->arena, values, args->data[i]);
    }
    Ast *block = tree_block(s, text->loc, 1, tree_return(s, text));
    return local_block(s, "format", block, params, values, s->string);
}

bool check_composite(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    bool format = false;
    AstBytes bytes;
    if (!is_composite(s, n, &format)) return false;
    Ast *first = ast_clone(s->arena, n->call.args.data[0]);
    const Type *t = peek_type(s, first);
    if (t != s->string) return false;
    check_value(s, &first, NULL);
    if (!constant_text(s, first, &bytes)) {
        report(s, first->loc, NOT_SUPPORTED,
               "a format that is not a constant string is not supported yet");
        n->type = s->error;
        return true;
    }
    Reader r = {.s = s, .at = bytes.data, .end = bytes.data + bytes.len, .loc = first->loc};
    r.nargs = n->call.args.len - 1;
    r.in_order = true;
    r.text = ast_new(s->arena, AST_INTERP, n->loc);
    read_format(&r);
    n->type = s->error;
    if (r.failed) return true;
    bool once = r.in_order && r.next == r.nargs;
    Ast *text = r.text;
    if (once)
        place(text, &n->call.args);
    else
        text = by_function(s, text, &n->call.args);
    if (!text) return true;
    if (format)
        *slot = text;
    else
        n->call.args = ast_list_add(s->arena, (AstList){0}, text);
    check_expr(s, slot, hint);
    return true;
}
