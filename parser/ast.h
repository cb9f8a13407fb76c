/* The abstract syntax tree. The parser only builds it; sema annotates it in place (type, sym, res,
 * value) and inserts CONVERT and GRAPH nodes. Everything lives in the arena it was built in. */
#ifndef CS_PARSER_AST_H
#define CS_PARSER_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/arena.h"
#include "../base/report/source.h"
#include "../base/scalar.h"
#include "../base/text.h"

typedef enum AstKind {
#define NODE(KIND, name, fields) AST_##KIND,
#include "ast.def"
#undef NODE
    AST_COUNT
} AstKind;

/* No tree is deeper than this: whoever walks one may recurse. */
enum { AST_MAX_DEPTH = 1000 };

/* clang-format off */
typedef enum AstOp {
    AST_OP_NONE,
    AST_OP_ADD, AST_OP_SUB, AST_OP_MUL, AST_OP_DIV, AST_OP_REM,
    AST_OP_AND, AST_OP_OR, AST_OP_XOR, AST_OP_SHL, AST_OP_SHR,
    AST_OP_USHR, /* >>> */
    AST_OP_EQ, AST_OP_NE, AST_OP_LT, AST_OP_LE, AST_OP_GT, AST_OP_GE,
    AST_OP_LAND, AST_OP_LOR,
    AST_OP_COALESCE,
    AST_OP_NEG, AST_OP_NOT, AST_OP_BITNOT,
    AST_OP_FROM_END, /* ^1 in the brackets of an index */
    AST_OP_BY_VALUE, AST_OP_REF, AST_OP_OUT /* parameter modes */
} AstOp;
/* clang-format on */
const char *ast_op_text(AstOp op); /* "+", "==", ... */

/* Modifiers as written, a set. */
typedef enum AstMod {
    AST_MOD_PUBLIC = 1,
    AST_MOD_PRIVATE = 2,
    AST_MOD_PROTECTED = 4,
    AST_MOD_ACCESS = 7, /* any of these */
    AST_MOD_STATIC = 8,
    AST_MOD_FINAL = 16,
    AST_MOD_MUTABLE = 32,
    AST_MOD_ABSTRACT = 64,
    AST_MOD_VIRTUAL = 128,
    AST_MOD_OVERRIDE = 256,
    AST_MOD_READONLY = 512,
    AST_MOD_INTERFACE = 1024,
    AST_MOD_SEALED = 2048,   /* nobody derives from it, or overrides it */
    AST_MOD_STRUCT = 4096,   /* with FINAL: its fields may be assigned */
    AST_MOD_RECORD = 8192,   /* compared and printed by its members */
    AST_MOD_PARTIAL = 16384, /* other parts follow */
    AST_MOD_REQUIRED = 32768,
    AST_MOD_HIDING = 65536,    /* `new` of a member */
    AST_MOD_INTERNAL = 131072, /* as public */
    AST_MOD_INIT = 262144,     /* read-only, but for initialisers */
    AST_MOD_EVENT = 524288,    /* a field of functional type: handlers come and go */
    AST_MOD_REF = 1048576      /* stands for another place, or gives one (build_ref.c) */
} AstMod;
/* The static constructor of a class, and the static field whose value runs it. */
#define AST_STATIC_CTOR "@Static"
#define AST_STATIC_READY "@ready"
/* The parameter of what sets the place that a function or property gives by ref. */
#define AST_REF_VALUE "$value"
const char *ast_mod_text(uint64_t mods); /* the first of them; there is one */

typedef struct Ast Ast;
typedef struct AstList {
    Ast **data;
    int len;
} AstList;
typedef struct AstBytes {
    const char *data; /* UTF-8, may hold NULs */
    size_t len;
} AstBytes;

struct Type;   /* sema/names/types.h */
struct Symbol; /* sema/names/symbol.h */

/* What integers do that do not fit: said by the innermost checked or unchecked around. */
typedef enum AstOverflow {
    AST_OVERFLOW_UNSAID,
    AST_OVERFLOW_THROWS,
    AST_OVERFLOW_WRAPS
} AstOverflow;

/* How sema resolved an operation (language section 3), in BINARY, UNARY, COND, CAST, CALL, INDEX,
 * MEMBER. */
typedef enum AstRes {
    AST_RES_NONE,    /* by C#'s rules: ordinary operation or call of `sym` */
    AST_RES_APPLY,   /* CALL or INDEX of a functional value: application to scalars */
    AST_RES_PROMOTE, /* at least one argument is a function: pointwise */
    AST_RES_REDUCE /* a T(T,T) applied to one function argument: reduction over all its parameters,
                      or over its bound variables */
} AstRes;

enum { AST_ORDER_END = 255 };

struct Ast {
    AstKind kind;
    AstRes res;
    uint32_t depth; /* of the tree below, 1 for a leaf; set and bounded by the parser */
    Loc loc;
    const struct Type *type; /* expressions and type nodes: set by sema, NULL before */
    struct Symbol *sym;      /* what a name, call, binder or declaration means */
    bool is_const;           /* `value` is this expression's constant value */
    bool settled;            /* an expression that sema has checked before its turn */
    bool looked_at, quiet;   /* sema/lower/foresee/known.h */
    AstOverflow overflow;    /* of an operation, as what encloses it says */
    ScalarValue value;
    /* REDUCE and CALL with AST_RES_REDUCE, LET, LAMBDA, DEFINE: the bound variables, in order,
     * implicit ones included (Symbols of kind SYM_BOUND) */
    struct Symbol **bound;
    int nbound;
    const AstList *attrs; /* of a reduction: ATTRs, checked; NULL: none */
    /* CALL, NEW: which argument is evaluated when, up to AST_ORDER_END, before those that are not
     * there; NULL: as they stand */
    const unsigned char *order;
    union {
#define CHILD(f) Ast *f;
#define LIST(f) AstList f;
#define NAME(f) const char *f;
#define FLAG(f) bool f;
#define OPER(f) AstOp f;
#define MODS(f) uint64_t f;
#define INTEGER(f) uint64_t f;
#define REAL(f) double f;
#define BYTES(f) AstBytes f;
#define NODE(KIND, name, fields)                                                                   \
    struct Ast_##name {                                                                            \
        fields char end_; /* C has no empty structs */                                             \
    } name;
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
    };
};

Ast *ast_new(Arena *a, AstKind kind, Loc loc);
AstList ast_list_add(Arena *a, AstList list, Ast *item); /* amortised growth in the arena */

Ast *ast_clone(Arena *a,
               const Ast *n); /* the whole tree; names and annotations are shared; NULL of NULL */
AstList ast_list_clone(Arena *a, AstList list); /* of each item */
bool ast_alike(const Ast *a, const Ast *b);     /* the same tree, wherever it stands */

/* Indented text, one node a line: `(binary 3:5-3:10 + : float` ...; types appear once sema ran
 * and only when ast_type_printer is set (sema's type_print; the parser knows no types). */
void ast_print(Text *out, const Ast *n, const Sources *sources);
extern void (*ast_type_printer)(Text *out, const struct Type *type);
const char *ast_kind_name(AstKind kind); /* "binary" */

/* What an ASSIGN or INCDEC sets; NULL: n is neither. */
static inline Ast *ast_target(const Ast *n)
{
    return n->kind == AST_ASSIGN   ? n->assign.target
           : n->kind == AST_INCDEC ? n->incdec.target
                                   : NULL;
}

static inline bool ast_is_loop(const Ast *n)
{
    return n->kind == AST_FOR || n->kind == AST_WHILE || n->kind == AST_DO ||
           n->kind == AST_FOREACH;
}

/* Those before a loop. */
static inline AstList *ast_loop_attrs(Ast *n)
{
    return n->kind == AST_FOR     ? &n->for_.attrs
           : n->kind == AST_WHILE ? &n->while_.attrs
           : n->kind == AST_DO    ? &n->do_.attrs
                                  : &n->foreach_.attrs;
}

/* Calls visit on each child in source order. */
void ast_each_child(Ast *n, void (*visit)(Ast **child, void *ctx), void *ctx);

#endif
