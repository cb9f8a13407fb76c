/* What names mean. */
#ifndef CS_SEMA_SYMBOL_H
#define CS_SEMA_SYMBOL_H

#include "../parser/ast.h"
#include "types.h"

typedef enum SymKind {
    SYM_LOCAL, /* a variable of a function, or of the top-level statements */
    SYM_PARAM,
    SYM_BOUND,   /* a bound variable */
    SYM_CONST,   /* a constant: its value is in `value` */
    SYM_FUNC,    /* a user function */
    SYM_BUILTIN, /* a library function or property: a row of builtins.def */
    SYM_TYPE,    /* an alias or class */
    SYM_SPACE    /* a library namespace or static class: Math, Console, Npy */
} SymKind;

typedef struct Symbol Symbol;
struct Symbol {
    SymKind kind;
    const char *name;
    const Type *type; /* variable: its type; function: TY_FUNC */
    Loc loc;
    Ast *decl;          /* declaring node, NULL for the library's */
    Symbol *next;       /* next overload of the same name */
    ScalarValue value;  /* SYM_CONST */
    AstBytes text;      /* SYM_CONST of type string */
    int builtin;        /* SYM_BUILTIN: row */
    const char *impure; /* SYM_FUNC: NULL if pure, else what makes it impure, at impure_loc */
    Loc impure_loc;
    AstOp mode;          /* SYM_PARAM: AST_OP_BY_VALUE, REF, OUT */
    bool assigned_again; /* a variable written after its declaration */
    Ast *constraint;     /* SYM_BOUND: explicit range, or NULL */
    int constraint_dim;  /* SYM_BOUND: which dimension of the constraint */
    bool implicit;       /* SYM_BOUND: not declared by the user */
    void *host;          /* owned by codegen/host_*: an LLVMValueRef */
    void *fdag;          /* owned by sema/lower.c while it builds: an FdNode or FdUser */
};

#endif
