/* What every node kind has in common, generated from ast.def: making, printing and walking.
 * Nodes and lists live in the caller's arena. */
#include "ast.h"

#include <string.h>

void (*ast_type_printer)(Text *out, const struct Type *type);

const char *ast_op_text(AstOp op)
{
    static const char *const text[] = {
        [AST_OP_NONE] = "",    [AST_OP_ADD] = "+",       [AST_OP_SUB] = "-",
        [AST_OP_MUL] = "*",    [AST_OP_DIV] = "/",       [AST_OP_REM] = "%",
        [AST_OP_AND] = "&",    [AST_OP_OR] = "|",        [AST_OP_XOR] = "^",
        [AST_OP_SHL] = "<<",   [AST_OP_SHR] = ">>",      [AST_OP_EQ] = "==",
        [AST_OP_NE] = "!=",    [AST_OP_LT] = "<",        [AST_OP_LE] = "<=",
        [AST_OP_GT] = ">",     [AST_OP_GE] = ">=",       [AST_OP_LAND] = "&&",
        [AST_OP_LOR] = "||",   [AST_OP_NEG] = "-",       [AST_OP_NOT] = "!",
        [AST_OP_BITNOT] = "~", [AST_OP_BY_VALUE] = "",   [AST_OP_REF] = "ref",
        [AST_OP_OUT] = "out",  [AST_OP_COALESCE] = "??", [AST_OP_FROM_END] = "^",
    };
    return text[op];
}

static void print_mods(Text *out, uint64_t mods)
{
    static const char *const words[] = {"public",   "private",  "protected", "static",
                                        "final",    "mutable",  "abstract",  "virtual",
                                        "override", "readonly", "interface"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (mods >> i & 1) text_printf(out, " %s", words[i]);
}

const char *ast_kind_name(AstKind kind)
{
    static const char *const names[] = {
#define NODE(KIND, name, fields) #name,
#include "ast.def"
#undef NODE
    };
    return names[kind];
}

Ast *ast_new(Arena *a, AstKind kind, Loc loc)
{
    Ast *n = arena_new_of(a, Ast);
    n->kind = kind;
    n->loc = loc;
    n->depth = 1;
    return n;
}

/* A list keeps no capacity: it is full at 0, 4, 8, 16... items. */
AstList ast_list_add(Arena *a, AstList list, Ast *item)
{
    enum { FIRST = 4 };
    if (list.len == 0 || (list.len >= FIRST && (list.len & (list.len - 1)) == 0)) {
        Ast **grown = arena_array(a, Ast *, list.len ? 2 * (size_t)list.len : FIRST);
        if (list.len) memcpy(grown, list.data, sizeof *grown * (size_t)list.len);
        list.data = grown;
    }
    list.data[list.len++] = item;
    return list;
}

void ast_each_child(Ast *n, void (*visit)(Ast **child, void *ctx), void *ctx)
{
    switch (n->kind) {
#define CHILD(f)                                                                                   \
    if (s->f) visit(&s->f, ctx);
#define LIST(f)                                                                                    \
    for (int i = 0; i < s->f.len; i++)                                                             \
        if (s->f.data[i]) visit(&s->f.data[i], ctx);
#define NAME(f)
#define FLAG(f)
#define OPER(f)
#define MODS(f)
#define INTEGER(f)
#define REAL(f)
#define BYTES(f)
#define NODE(KIND, name, fields)                                                                   \
    case AST_##KIND: {                                                                             \
        struct Ast_##name *s = &n->name;                                                           \
        (void)s;                                                                                   \
        fields break;                                                                              \
    }
#include "ast.def"
#undef NODE
#undef CHILD
#undef LIST
#undef NAME
#undef FLAG
#undef OPER
#undef MODS
#undef INTEGER
#undef REAL
#undef BYTES
    case AST_COUNT: break;
    }
}

static void print_bytes(Text *out, AstBytes b)
{
    text_add(out, "\"");
    for (size_t i = 0; i < b.len; i++) {
        unsigned char c = (unsigned char)b.data[i];
        if (c == '"' || c == '\\')
            text_printf(out, "\\%c", c);
        else if (c == '\n')
            text_add(out, "\\n");
        else if (c < 0x20 || c == 0x7F)
            text_printf(out, "\\x%02x", c);
        else
            text_addn(out, b.data + i, 1);
    }
    text_add(out, "\"");
}

typedef struct Printer {
    Text *out;
    const Sources *sources;
    int indent;
} Printer;

static void print_node(Printer *p, const Ast *n);

static void print_child(Printer *p, const char *field, const Ast *child)
{
    if (!child) return;
    text_printf(p->out, "\n%*s%s: ", p->indent, "", field);
    print_node(p, child);
}

/* Positions and scalar fields, as many as say something. */
static void print_head(Printer *p, const Ast *n)
{
    Text *out = p->out;
    int line, col, end_line, end_col;
    sources_position(p->sources, n->loc.file, n->loc.begin, &line, &col);
    sources_position(p->sources, n->loc.file, n->loc.end, &end_line, &end_col);
    text_printf(out, "(%s %d:%d-%d:%d", ast_kind_name(n->kind), line, col, end_line, end_col);
    switch (n->kind) {
#define CHILD(f)
#define LIST(f)
#define NAME(f)                                                                                    \
    if (s->f) text_printf(out, " %s", s->f);
#define FLAG(f)                                                                                    \
    if (s->f) text_printf(out, " %s", #f);
#define OPER(f)                                                                                    \
    if (ast_op_text(s->f)[0]) text_printf(out, " %s", ast_op_text(s->f));
#define MODS(f) print_mods(out, s->f);
#define INTEGER(f) text_printf(out, " %llu", (unsigned long long)s->f);
#define REAL(f)                                                                                    \
    text_add(out, " ");                                                                            \
    text_add_double(out, s->f);
#define BYTES(f)                                                                                   \
    if (s->f.data) {                                                                               \
        text_add(out, " ");                                                                        \
        print_bytes(out, s->f);                                                                    \
    }
#define NODE(KIND, name, fields)                                                                   \
    case AST_##KIND: {                                                                             \
        const struct Ast_##name *s = &n->name;                                                     \
        (void)s;                                                                                   \
        fields break;                                                                              \
    }
#include "ast.def"
#undef NODE
#undef CHILD
#undef LIST
#undef NAME
#undef FLAG
#undef OPER
#undef MODS
#undef INTEGER
#undef REAL
#undef BYTES
    case AST_COUNT: break;
    }
    if (n->type && ast_type_printer) {
        text_add(out, " : ");
        ast_type_printer(out, n->type);
    }
}

static void print_node(Printer *p, const Ast *n)
{
    print_head(p, n);
    p->indent += 2;
    switch (n->kind) {
#define CHILD(f) print_child(p, #f, s->f);
#define LIST(f)                                                                                    \
    for (int i = 0; i < s->f.len; i++) print_child(p, #f, s->f.data[i]);
#define NAME(f)
#define FLAG(f)
#define OPER(f)
#define MODS(f)
#define INTEGER(f)
#define REAL(f)
#define BYTES(f)
#define NODE(KIND, name, fields)                                                                   \
    case AST_##KIND: {                                                                             \
        const struct Ast_##name *s = &n->name;                                                     \
        (void)s;                                                                                   \
        fields break;                                                                              \
    }
#include "ast.def"
#undef NODE
#undef CHILD
#undef LIST
#undef NAME
#undef FLAG
#undef OPER
#undef MODS
#undef INTEGER
#undef REAL
#undef BYTES
    case AST_COUNT: break;
    }
    p->indent -= 2;
    text_add(p->out, ")");
}

void ast_print(Text *out, const Ast *n, const Sources *sources)
{
    Printer p = {out, sources, 0};
    print_node(&p, n);
    text_add(out, "\n");
}
