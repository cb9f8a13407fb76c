/* What every node kind has in common: making, copying, printing and walking. All of it works on one
 * table of the kinds' fields, made from ast.def. Nodes and lists live in the caller's arena. */
#include "ast.h"

#include <stddef.h>
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
        [AST_OP_USHR] = ">>>",
    };
    return text[op];
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

/* ---- the fields of a kind ---- */

typedef enum FieldType {
    FIELD_END,
    FIELD_CHILD,
    FIELD_LIST,
    FIELD_NAME,
    FIELD_FLAG,
    FIELD_OPER,
    FIELD_MODS,
    FIELD_INTEGER,
    FIELD_REAL,
    FIELD_BYTES
} FieldType;

typedef struct Field {
    FieldType type;
    const char *name;
    size_t offset; /* in the Ast */
} Field;

/* The fields in the order of ast.def, up to a FIELD_END. */
static const Field *fields_of(AstKind kind)
{
    switch (kind) {
#define FIELD(type, f) {type, #f, UNION + offsetof(Node, f)},
#define CHILD(f) FIELD(FIELD_CHILD, f)
#define LIST(f) FIELD(FIELD_LIST, f)
#define NAME(f) FIELD(FIELD_NAME, f)
#define FLAG(f) FIELD(FIELD_FLAG, f)
#define OPER(f) FIELD(FIELD_OPER, f)
#define MODS(f) FIELD(FIELD_MODS, f)
#define INTEGER(f) FIELD(FIELD_INTEGER, f)
#define REAL(f) FIELD(FIELD_REAL, f)
#define BYTES(f) FIELD(FIELD_BYTES, f)
#define NODE(KIND, name, fields)                                                                   \
    case AST_##KIND: {                                                                             \
        typedef struct Ast_##name Node;                                                            \
        enum { UNION = offsetof(Ast, name) };                                                      \
        static const Field list[] = {fields{FIELD_END, NULL, UNION + offsetof(Node, end_)}};       \
        return list;                                                                               \
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
#undef FIELD
    case AST_COUNT: break;
    }
    static const Field none[] = {{FIELD_END, NULL, 0}};
    return none;
}

/* The field itself: an Ast **, AstList *, const char **.. */
static void *field_of(const Ast *n, const Field *f)
{
    return (char *)(uintptr_t)n + f->offset;
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

/* ---- copying and walking ---- */

AstList ast_list_clone(Arena *a, AstList list)
{
    AstList copy = {0};
    for (int i = 0; i < list.len; i++) copy = ast_list_add(a, copy, ast_clone(a, list.data[i]));
    return copy;
}

Ast *ast_clone(Arena *a, const Ast *n)
{
    if (!n) return NULL;
    Ast *copy = arena_copy(a, n, sizeof *n);
    for (const Field *f = fields_of(n->kind); f->type != FIELD_END; f++) {
        void *field = field_of(copy, f);
        if (f->type == FIELD_CHILD)
            *(Ast **)field = ast_clone(a, *(Ast **)field);
        else if (f->type == FIELD_LIST)
            *(AstList *)field = ast_list_clone(a, *(AstList *)field);
    }
    return copy;
}

static bool lists_alike(const AstList *a, const AstList *b)
{
    bool alike = a->len == b->len;
    for (int i = 0; alike && i < a->len; i++) alike = ast_alike(a->data[i], b->data[i]);
    return alike;
}

static bool fields_alike(FieldType type, const void *a, const void *b)
{
    switch (type) {
    case FIELD_END: return true;
    case FIELD_CHILD: return ast_alike(*(Ast *const *)a, *(Ast *const *)b);
    case FIELD_LIST: return lists_alike(a, b);
    case FIELD_NAME: return *(const char *const *)a == *(const char *const *)b;
    case FIELD_FLAG: return *(const bool *)a == *(const bool *)b;
    case FIELD_OPER: return *(const AstOp *)a == *(const AstOp *)b;
    case FIELD_MODS:
    case FIELD_INTEGER: return *(const uint64_t *)a == *(const uint64_t *)b;
    case FIELD_REAL: return !memcmp(a, b, sizeof(double));
    case FIELD_BYTES: break;
    }
    const AstBytes *x = a, *y = b;
    return x->len == y->len && (!x->len || !memcmp(x->data, y->data, x->len));
}

bool ast_alike(const Ast *a, const Ast *b)
{
    bool alike = a == b || (a && b && a->kind == b->kind);
    if (a == b || !alike) return alike;
    for (const Field *f = fields_of(a->kind); alike && f->type != FIELD_END; f++)
        alike = fields_alike(f->type, field_of(a, f), field_of(b, f));
    return alike;
}

void ast_each_child(Ast *n, void (*visit)(Ast **child, void *ctx), void *ctx)
{
    for (const Field *f = fields_of(n->kind); f->type != FIELD_END; f++) {
        if (f->type == FIELD_CHILD) {
            Ast **child = field_of(n, f);
            if (*child) visit(child, ctx);
        } else if (f->type == FIELD_LIST) {
            AstList *list = field_of(n, f);
            for (int i = 0; i < list->len; i++)
                if (list->data[i]) visit(&list->data[i], ctx);
        }
    }
}

/* ---- printing ---- */

const char *ast_mod_text(uint64_t mods)
{
    static const char *const words[] = {
        "public",  "private",  "protected", "static",    "final",  "mutable", "abstract",
        "virtual", "override", "readonly",  "interface", "sealed", "struct",  "record",
        "partial", "required", "new",       "internal",  "init",   "event",   "ref"};
    size_t i = 0;
    while (!(mods >> i & 1)) i++;
    return words[i];
}

static void print_mods(Text *out, uint64_t mods)
{
    for (; mods; mods &= mods - 1) text_printf(out, " %s", ast_mod_text(mods));
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

/* A field that is no node, if it says something. */
static void print_field(Text *out, FieldType type, const void *field)
{
    switch (type) {
    case FIELD_NAME: {
        const char *name = *(const char *const *)field;
        if (name) text_printf(out, " %s", name);
        break;
    }
    case FIELD_OPER: {
        const char *op = ast_op_text(*(const AstOp *)field);
        if (op[0]) text_printf(out, " %s", op);
        break;
    }
    case FIELD_MODS: print_mods(out, *(const uint64_t *)field); break;
    case FIELD_INTEGER:
        text_printf(out, " %llu", (unsigned long long)*(const uint64_t *)field);
        break;
    case FIELD_REAL:
        text_add(out, " ");
        text_add_double(out, *(const double *)field);
        break;
    case FIELD_BYTES:
        if (!((const AstBytes *)field)->data) break;
        text_add(out, " ");
        print_bytes(out, *(const AstBytes *)field);
        break;
    default: break;
    }
}

static void print_node(Printer *p, const Ast *n);

static void print_child(Printer *p, const char *field, const Ast *child)
{
    if (!child) return;
    text_printf(p->out, "\n%*s%s: ", p->indent, "", field);
    print_node(p, child);
}

static void print_node(Printer *p, const Ast *n)
{
    const Field *fields = fields_of(n->kind);
    int line, col, end_line, end_col;
    sources_position(p->sources, n->loc.file, n->loc.begin, &line, &col);
    sources_position(p->sources, n->loc.file, n->loc.end, &end_line, &end_col);
    text_printf(p->out, "(%s %d:%d-%d:%d", ast_kind_name(n->kind), line, col, end_line, end_col);
    for (const Field *f = fields; f->type != FIELD_END; f++) {
        if (f->type == FIELD_FLAG && *(const bool *)field_of(n, f))
            text_printf(p->out, " %s", f->name);
        print_field(p->out, f->type, field_of(n, f));
    }
    if (n->type && ast_type_printer) {
        text_add(p->out, " : ");
        ast_type_printer(p->out, n->type);
    }
    p->indent += 2;
    for (const Field *f = fields; f->type != FIELD_END; f++) {
        if (f->type == FIELD_CHILD) {
            print_child(p, f->name, *(Ast **)field_of(n, f));
        } else if (f->type == FIELD_LIST) {
            const AstList *list = field_of(n, f);
            for (int i = 0; i < list->len; i++) print_child(p, f->name, list->data[i]);
        }
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
