/* What names mean, where checking happens, what the program uses: the interface of this folder. */
#ifndef CS_SEMA_NAMES_H
#define CS_SEMA_NAMES_H

#include "../check/state.h"

/* ---- scope.c: names --------------------------------------------------------------------- */

void scope_init(Sema *s);
void scope_push(Sema *s);
void scope_pop(Sema *s);
/* Declares without looking at what the name meant. */
void scope_bind(Sema *s, Symbol *sym);
/* Declares a variable of a statement: reports a name that the function already uses. */
void scope_declare(Sema *s, Symbol *sym);
/* Declared names only, those of the library in C$ included; members of the class around, too. NULL
 * if there is none. */
Symbol *scope_user(Sema *s, const char *name);
Symbol *scope_type(const Sema *s, const char *name); /* the nearest type of this name, or NULL */
/* The same of those that have so many type parameters, if there is one. */
Symbol *scope_type_of(const Sema *s, const char *name, int nargs);
Symbol *scope_lookup(Sema *s, const char *name);       /* the library too */
Symbol *scope_callee(Sema *s, const char *name);       /* what a call of it means */
bool scope_is_inner(const Sema *s, const Symbol *sym); /* declared inside of a function */
Symbol *scope_symbol(Sema *s, SymKind kind, const char *name, const Type *type, Loc loc, Ast *decl);
/* The nearest declared name, or NULL. */
const char *scope_nearest(Sema *s, const char *name);
const char *scope_nearest_type(const Sema *s, const char *name);
/* The library's type or function, however hidden; NULL if there is none. */
Symbol *scope_library(Sema *s, SymKind kind, const char *name);
/* A declared name that differs by one letter, or NULL. */
const char *scope_one_letter(Sema *s, const char *name);
void report_undeclared(Sema *s, Loc loc, const char *name, bool callee);
/* Rows of builtins.def: the first from `row` on with this space and name, or -1. */
int builtin_find(const Sema *s, LibSpace space, const char *name, int row);
/* The space of this interned name, or SPACE_COUNT. */
LibSpace builtin_space(const Sema *s, const char *name);
Symbol *builtin_symbol(Sema *s, int row);
bool is_space(const Sema *s, const char *name);
/* A known part of the language or library that is not supported yet. */
bool is_future(const char *name);

/* ---- context.c: where checking happens ---------------------------------------------------- */

typedef struct Context {
    Symbol *func;
    const Type *ret;
    int loops, breakable, catches, finals, functional, index_depth, quiet;
    Ast *choice;
    const char *defining;
    int depth, func_depth, globals, floor, class_depth;
    Class *cls;
    const struct Instance *instance;
    Locals *locals;
    const Shared *shared;
    const Type **returned;
} Context;

/* Leaves the place where checking is for that of a declaration: its class, its type parameters, the
 * global names that it sees. context_leave comes back. */
Context context_enter(Sema *s, const Symbol *decl);
void context_leave(Sema *s, const Context *saved);

/* ---- decl.c: declarations and types as written ------------------------------------------ */

void decl_collect(Sema *s);                        /* names of the unit */
int decl_depth(const Sema *s, const Symbol *decl); /* of the global names that it may use */
void decl_resolve(Sema *s); /* types of functions, aliases; values of constants */
void decl_bodies(Sema *s);  /* statements of functions, then of the program */
const Type *decl_type(Sema *s, Ast *t);
/* The written type that a generic delegate with its type arguments is, a new tree; NULL: no such. */
Ast *decl_expanded(Sema *s, const Ast *t);
const Type *decl_array(Sema *s, Loc loc, const Type *elem, int rank); /* reports what cannot be */
const Type *decl_alias(Sema *s, Symbol *sym); /* the type of an alias, resolved when first needed */
void decl_const(Sema *s, Symbol *sym);        /* the same for a constant */
void decl_const_value(Sema *s, Symbol *sym, Ast **init, const Type *type);
bool decl_is_top_variable(const Sema *s, const char *name);
void decl_func(Sema *s, Symbol *func, const Symbol *first); /* its type; `first` of its overloads */
AstOp decl_mode(const Ast *param); /* how a PARAM is given: BY_VALUE, REF, OUT or IN */
Loc decl_name_loc(const Sema *s, Loc loc, uint32_t from, const char *name); /* where it stands */
const Type *check_initialiser(Sema *s, Ast **init, const Type *type, const char *name);

/* ---- program.c: variables of the statements that functions see --------------------------------- */

/* Finds them, among the names of the unit. */
void program_collect(Sema *s);
/* The field that a variable of this name is, which is declared here; NULL: it is no field. */
Symbol *program_variable(Sema *s, const char *name);
bool program_is_variable(const Sema *s, const Symbol *sym);
Ast *program_use(Sema *s, Symbol *field, Loc loc); /* a checked MEMBER */
/* The statement at *at, which is checked, may declare some: their values are set behind it. */
void program_declared(Sema *s, AstList *stmts, int *at);

/* ---- use.c: what the program needs at run time ---------------------------------------------- */

void class_use(Sema *s, Class *cls);
void type_use(Sema *s, const Type *t); /* the classes in a type */
void func_use(Sema *s, Symbol *func);  /* its body is to be checked */
void static_use(Sema *s, Symbol *field);

/* ---- functions of libraries (names/export.c) --------------------------------------------- */

/* Why a function cannot be called from outside, or NULL: its signature must be known. */
const char *export_why_not(Sema *s, const Symbol *f);
/* Those that a library exports: SemaResult.exports. */
void export_collect(Sema *s, SemaResult *r);
/* Checks the values in attributes of all functions declared so far, and fills identities; when classes are
 * declared. */
void attr_values(Sema *s);
/* device.c: [Device(d)] of a function that is declared, a definition (which may become another
 * statement) and what is in front of a reduction; true: it is checked. */
void device_function(Sema *s, Ast *f);
void device_definition(Sema *s, Ast **slot);
bool device_reduction(Sema *s, Ast **slot);
void check_attributed(Sema *s, Ast **slot); /* [Tile(4)] sum(...): becomes the reduction */

#endif
