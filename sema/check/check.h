/* The checker's private interface: one Sema per unit, and what its files offer each other.
 * Everything lives in the arena of the result; a Sema is used by one thread for one unit.
 */
#ifndef CS_SEMA_CHECK_H
#define CS_SEMA_CHECK_H

#include "../../base/vec.h"
#include "../sema.h"

enum { MAX_PARAMS = FD_MAX_FIELDS, MAX_ARRAY_RANK = 4 };

typedef struct Binding Binding; /* scope.c */

/* A use of a function that must turn out to be pure. */
typedef struct PureUse {
    Symbol *func;
    Loc loc;
    const char *why; /* "is promoted", "is used under bound variables", ... */
    Ast *node;       /* what need not be: a lambda or name that the host can call; NULL: none */
} PureUse;

typedef struct CallEdge {
    Symbol *caller, *callee;
    const Ast *object; /* whose method it is, a NEW for constructors; NULL for others */
    Loc loc;
} CallEdge;

/* A write to an object that a local variable of the function holds. */
typedef struct ObjectWrite {
    Symbol *func, *local;
    Loc loc;
} ObjectWrite;

/* An attribute whose argument is yet to be checked. */
typedef struct AttrOf {
    Ast *attr;
    Symbol *func;
} AttrOf;

typedef struct Shared Shared; /* shared.c */
typedef struct Local Local;   /* local.c */
typedef struct Locals Locals;

typedef struct Sema {
    Diags *diags;
    const Sources *sources;
    Interner *names;
    Arena *arena;
    Types *types;
    Ast *unit;
    const Type *error, *voids, *boolean, *integer, *longs, *real, *string;

    Binding **table;               /* scope.c: what each name means now */
    size_t table_size, table_used; /* a power of two; names in the table */
    Binding *newest;
    int depth;           /* scopes open: up to unit_depth they hold global names, one a file */
    int unit_depth;      /* of the names of the unit itself; 0: not reached yet */
    VEC(uint32_t) files; /* imported ones: the library, then modules; the index is the depth */
    int func_depth;      /* the depth of the scope of the function's parameters */
    int globals, floor; /* names of a depth above `globals` and up to `floor` are not visible: those
                           of a place that was left to look at a declaration (context.c) */
    Class *cls;         /* the class whose member is being checked, or NULL */
    int class_depth;    /* depths above it are inside that member */
    const struct Instance *instance; /* the instance of a generic being checked, or NULL */
    const char **spaces, **library;  /* interned: library_spaces, library_names */
    Symbol **space_syms;             /* by LibSpace: NULL for members of values */
    Symbol **bsym;                   /* symbols of the rows of builtins.def, made on demand */

    VEC(Local *) local_funcs; /* all of them */
    VEC(Locals *) local_lists;
    Locals *locals;        /* functions declared inside the one being checked, those in scope */
    const Shared *shared;  /* variables of the function, or of the program, that lambdas change */
    const Type **returned; /* in the body of a lambda without a type: what it returns so far */
    Symbol *func;          /* the function being checked, NULL for the top level */
    const Type *ret;       /* its result; NULL: the top level */
    int loops;             /* loops around the statement */
    int breakable;         /* loops and switches */
    int catches;           /* catch blocks around the statement */
    int finals;            /* finally blocks: jumps do not leave them */
    int functional;        /* functional expressions around the expression: only pure operations */
    int index_depth;       /* arguments of applications around the expression */
    int quiet;             /* > 0: checking a copy to learn its type, nothing is reported */
    int quiet_errors;      /* what was not reported */
    const char *defining;  /* the name of the definition whose value is checked */
    Ast *lambda;           /* checked where statements are; NULL: none */
    Symbol *resolving;     /* constants and aliases being resolved, linked by `next` */

    VEC(const char *) unbound; /* names reported in this statement */
    VEC(AttrOf) attr_values;   /* of functions, not checked yet */
    VEC(const Ast *) steering; /* SemaResult.steering */
    VEC(Ast *) totals;         /* sums and products of ints (totals.c) */
    VEC(PureUse) pure_uses;
    VEC(Ast *)
    acting; /* lambdas and names of functions that the host is to call: they have effects */
    VEC(CallEdge) calls;
    VEC(ObjectWrite) writes;
    VEC(Symbol *) declared;     /* functions of the unit and its modules */
    Class *program;             /* whose static fields the variables are that functions use; NULL */
    int program_depth;          /* of the scope of the program's statements */
    VEC(Symbol *) globals_used; /* these variables */
    VEC(Symbol *) extending;    /* extension methods, and the classes that have some */
    VEC(Symbol *) funcs;        /* those in use, in the order found: their bodies are checked */
    VEC(Symbol *) closures;     /* functions made of lambdas: checked already */
    VEC(Class *) classes;       /* those in use, bases before derived ones */
    VEC(Class *) all;           /* all that exist, instances of generic ones included */
    VEC(Symbol *) statics;      /* static fields in use */
    bool bodies;                /* declarations are done: what is met now is used */
    int laying;                 /* classes being laid out */
    int signatures;             /* functions whose types are being resolved */
    int selectors;              /* methods of interfaces so far */
    VEC(Symbol *) selected;     /* instances of virtual generic methods in use */
    int synthetic;              /* names that sema made */
    bool derives; /* the program differentiates: functions keep their trees as written */
    VEC(struct Derived *) derived; /* sema/derive/facts.c */
    struct Hosted *hosted;         /* sema/derive/host.c */
    bool changing;                 /* some struct has methods that change it */
    VEC(SemaNamed) named;          /* arguments */
} Sema;

enum { DEPTH_LIBRARY };

void generic_note(Sema *s); /* generic.c; to a report: in which instance */

/* Reports unless a copy is being checked, whose errors are counted; `id` without DIAG_. */
#define report(s, loc, id, ...)                                                                    \
    ((s)->quiet ? (void)((s)->quiet_errors += !diag_is_warning(DIAG_##id))                         \
                : (diag((s)->diags, (loc), DIAG_##id, __VA_ARGS__), generic_note(s)))
#define report_note(s, loc, ...) ((s)->quiet ? (void)0 : diag_note((s)->diags, (loc), __VA_ARGS__))
#define NOWHERE ((Loc){0, 0, 0})
/* "did you mean 'near'?", in place of the name at loc, which begins (ends) there. */
#define report_suggest(s, loc, name, near)                                                         \
    ((s)->quiet ? (void)0 : diag_suggest((s)->diags, loc_first((loc), (name)), (near)))
#define report_suggest_last(s, loc, name, near)                                                    \
    ((s)->quiet ? (void)0 : diag_suggest((s)->diags, loc_last((loc), (name)), (near)))

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

/* ---- reflect.c ------------------------------------------------------------------------------ */

void check_nameof(Sema *s, Ast **slot); /* leaves a string */
void check_typeof(Sema *s, Ast **slot); /* and an object of the library's Type */
/* `Enum.GetNames(typeof(T))` becomes `Enum.GetNames<T>()`; other calls stay as they are. */
void reflect_enum_call(Sema *s, Ast *n);

/* ---- tree.c: unchecked trees made by sema --------------------------------------------------- */

Ast *tree_name(Sema *s, Loc loc, const char *name);
Ast *tree_member(Sema *s, Loc loc, Ast *base, const char *name);
Ast *tree_call(Sema *s, Loc loc, Ast *callee, int n, ...);
Ast *tree_binary(Sema *s, Loc loc, AstOp op, Ast *left, Ast *right);
Ast *tree_cast(Sema *s, Loc loc, Ast *type, Ast *operand);
Ast *tree_is(Sema *s, Loc loc, Ast *operand, const Type *t, const char *name); /* e is T name */
Ast *tree_int(Sema *s, Loc loc, uint64_t value);
Ast *tree_true(Sema *s, Loc loc);
Ast *tree_text(Sema *s, Loc loc, const char *text);
Ast *tree_stmt(Sema *s, Ast *expr);
Ast *tree_assign(Sema *s, Loc loc, Ast *target, Ast *value); /* a statement */
Ast *tree_return(Sema *s, Ast *value);                       /* of a THROW that itself */
/* type NULL: var; init may be NULL */
Ast *tree_local(Sema *s, Loc loc, Ast *type, const char *name, Ast *init);
Ast *tree_block(Sema *s, Loc loc, int n, ...);
Ast *tree_param(Sema *s, Loc loc, Ast *type, const char *name);
Ast *tree_binder(Sema *s, Loc loc, const Type *t, const char *name); /* of one variable */
Ast *tree_tuple(Sema *s, Loc loc, AstList items);                    /* of one item that */
Ast *tree_func(Sema *s, Loc loc, uint64_t mods, Ast *ret, const char *name, AstList params,
               Ast *body); /* ret NULL: void */

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

typedef struct Members Members;
typedef struct Instance Instance;

/* ---- class.c: classes and their layout ------------------------------------------------------ */

/* The type of a class; makes its Class when first asked. Its members may not be known yet. */
const Type *class_type(Sema *s, Symbol *sym);
Class *class_outer(Sema *s, const Class *c);          /* the class that c stands in, or NULL */
const Type *class_library(Sema *s, const char *name); /* a class of the library */
void class_ready(Sema *s, Class *cls); /* bases, members, slots: laid out when first needed */
bool class_is_object(const Class *c);  /* the library's `object`, which every class is */
void class_settle(Sema *s);     /* lays out all that exist: outside of a layout, all always are */
Class *class_of(const Type *t); /* of an object or record; NULL for others, a TextWriter too */

/* ---- use.c: what the program needs at run time ---------------------------------------------- */

void class_use(Sema *s, Class *cls);
void type_use(Sema *s, const Type *t); /* the classes in a type */
void func_use(Sema *s, Symbol *func);  /* its body is to be checked */
void static_use(Sema *s, Symbol *field);

/* ---- stmt.c, flow.c --------------------------------------------------------------------- */

void check_stmt(Sema *s, Ast **slot);
void check_block(Sema *s, AstList *stmts); /* without a scope of its own */
/* out T x, out var x: `wanted` is the parameter's type, or NULL. */
void check_out_variable(Sema *s, Ast *n, const Type *wanted);
/* branch.c: switch, try, throw, using, foreach over collections */
void check_switch(Sema *s, Ast **slot);
void check_cond_access(Sema *s, Ast **slot, const Type *hint);
/* base?.rest ?? otherwise */
void check_cond_access_or(Sema *s, Ast **slot, const Type *hint);
bool cond_access_statement(Sema *s, Ast **slot); /* base?.f(); false: no such statement */
/* patterns/choose.c; a switch statement by patterns becomes others. */
void check_switch_expr(Sema *s, Ast **slot, const Type *hint);
void choose_statements(Sema *s, Ast **slot);
void check_try(Sema *s, Ast *n);
void check_throw(Sema *s, Ast *n);
/* A THROW in place of a value of this type, which nobody gets. */
const Type *check_thrown(Sema *s, Ast *n, const Type *type);
void check_using(Sema *s, Ast **slot);
bool is_collection(Sema *s, const Type *t); /* has Count and ElementAt */
/* Over an object with Count and ElementAt: becomes a loop over indices; with GetEnumerator: one over
 * what that gives. False if it is none. `seq`: an unchecked copy of what is visited. */
bool foreach_collection(Sema *s, Ast **slot, Ast *seq);
/* Definite assignment, and the missing return of a function. `body` was checked without errors. */
void flow_check(Sema *s, Ast *owner, const AstList *params, AstList *stmts, const Type *ret,
                const char *name);

/* ---- expr.c, operator.c, array.c, call.c -------------------------------------------- */

void check_unknown(Sema *s, const Ast *n); /* a construct that is not supported yet */
/* Gives *slot its type, in the light of the type that is wanted (a hint, or NULL). */
const Type *check_expr(Sema *s, Ast **slot, const Type *hint);
/* The same, but a type or group name is an error. */
const Type *check_value(Sema *s, Ast **slot, const Type *hint);
/* The value of a place of this type (NULL: of any): checked in its light and converted, names of
 * functions to functional values. Gives the type of the place, or the error type. */
const Type *check_converted(Sema *s, Ast **slot, const Type *type, const char *what);
const Type *require_value(Sema *s, Ast *n);    /* after check_expr */
const Type *settle_value(Sema *s, Ast **slot); /* the same; a method with one overload is one */
void check_unary(Sema *s, Ast *n, const Type *hint);
void check_binary(Sema *s, Ast *n, const Type *hint);
void binary_checked(Sema *s, Ast *n); /* once its operands are */
void check_cond(Sema *s, Ast *n, const Type *hint);
void check_cast(Sema *s, Ast *n);
void check_call(Sema *s, Ast **slot, const Type *hint);
void check_user_call(Sema *s, Ast *n, Symbol *first);
void check_member_call(Sema *s, Ast **slot, const Type *hint);
void check_member_own(Sema *s, Ast **slot); /* the same without extension methods and hint */
void check_index(Sema *s, Ast **slot);
/* Converts an index of any integer type: a long range may index an array. */
bool convert_index(Sema *s, Ast **slot, const Type *param, const char *what);
void check_indexed(Sema *s, Ast *n); /* once its base is checked */
/* The type of *slot, which becomes a function if its class derives from one. */
const Type *object_function(Sema *s, Ast **slot);
void check_target(Sema *s, Ast **slot, const char *verb); /* something that can be assigned */
/* A condition of a statement or of ?: in host code: reports a function. */
void check_condition(Sema *s, Ast **slot);
void check_collection(Sema *s, Ast **slot, const Type *hint); /* collection.c */
void check_with(Sema *s, Ast **slot, const Type *hint);       /* with.c */
void check_new_array(Sema *s, Ast *n, const Type *hint);
void check_init_list(Sema *s, Ast *n, const Type *type, int dim);

/* ---- reduce.c: reductions, definitions, let, lambda, ranges ----------------------------- */

void check_reduce(Sema *s, Ast *n);
/* totals.c: makes an int that sums or products of ints give a long, accumulated in one; false: it
 * is none. Notes one that may be known to overflow; tells of those that stayed ints and do. */
bool total_widens(Sema *s, Ast *n);
void totals_note(Sema *s, Ast *n);
void totals_check(Sema *s);
void check_call_reduce(Sema *s, Ast *n);
/* By its form: the callee's name and the arguments. */
bool call_is_reduction(Sema *s, const Ast *n);
bool is_combiner(const Symbol *f); /* a T(T, T): it can reduce */
/* Binds, checks the operand; its type after the checks that all reductions share, or the error
 * type. */
const Type *reduce_operand(Sema *s, Ast *n, const AstList *binders, Ast **operand,
                           const char *name);
void check_function_expr(Sema *s, Ast **slot, const Type *hint); /* LET, LAMBDA */
void check_define(Sema *s, Ast *n);
void check_range(Sema *s, Ast *n);

/* ---- recurrence.c: definitions that use themselves ---------------------------------------- */

bool is_recurrence(Ast *define); /* by its form */
/* Infers sym->type, whose parameters are bound; false after a report. */
bool recurrence_type(Sema *s, Ast *define, Symbol *sym);
void recurrence_uses(Sema *s, Ast *define); /* once checked: only applications to scalars */

/* ---- attribute.c --------------------------------------------------------------------------- */

typedef enum AttrPlace {
    ATTR_DEFINITION = 1,
    ATTR_FUNCTION = 2,
    ATTR_REDUCTION = 4,
    ATTR_CLASS = 8
} AttrPlace;

/* Checks a list; `func`: whose attributes they are, typed already, or NULL. Fills its associative,
 * commutative. */
void check_attrs(Sema *s, const AstList *attrs, AttrPlace place, Symbol *func);

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

/* ---- free.c, local.c: functions inside functions ------------------------------------------- */

typedef struct FreeName {
    const char *name;
    /* FREE_PARTS: members, which only those of structs and tuples are a part of the variable */
    enum { FREE_NOTHING, FREE_PARTS, FREE_ELEMENTS, FREE_ITSELF } writes;
    Loc written; /* where it writes */
} FreeName;

typedef VEC(FreeName) FreeNames;

/* Is it a value whose fields may be assigned, or an array of such? (class.c) */
bool class_has_parts(const Type *t);
/* The names that the unchecked tree of a function uses and does not declare. */
void free_names(Sema *s, Ast *func, FreeNames *out);

/* Declares the functions among the statements of a list, whose scope is open; local_close takes
 * what it gives. */
Locals *local_open(Sema *s, const AstList *stmts);
void local_close(Sema *s, Locals *outer);
/* The body of a function is checked: what it sees around itself, if it is a local one. */
void local_enter(Sema *s, const Symbol *func);
int local_captured(const Symbol *f); /* parameters that nobody wrote, the last ones */
/* Of a call whose callee names one; of such a name as a value. */
void local_call(Sema *s, Ast **slot, const Type *hint);
void local_value(Sema *s, Ast **slot);
/* The function of such a name if it captures nothing, or NULL. */
Symbol *local_plain(Sema *s, Symbol *name);
/* A call with these arguments of a function that is made of a block and named so: unchecked.
 * `result`: its type, or NULL: that of what it returns. NULL after a report. */
Ast *local_block(Sema *s, const char *name, Ast *block, AstList params, AstList args,
                 const Type *result);
/* A LAMBDA whose body is a BLOCK: becomes a call of a function with these statements, or BAD after
 * a report. `hint`: its type, or NULL. */
void lambda_statements(Sema *s, Ast *n, const Type *hint);
/* By its form: does it change what is outside, or call the variable that it is assigned to? */
bool lambda_acts(Sema *s, Ast *n);
void local_returned(Sema *s, Ast **value);
void local_free(Sema *s);

/* ---- yield.c ------------------------------------------------------------------------------- */

/* The body of a function with yield becomes one that fills a list; it is not checked yet. */
void yield_expand(Sema *s, Ast *func, const Type *result);

/* ---- shared.c: variables that lambdas change -------------------------------------------------- */

/* The names of the variables of a body that are to be shared with its lambdas; NULL: none. params: those of its
 * function, or NULL. */
const Shared *shared_collect(Sema *s, const AstList *params, const AstList *stmts);
bool shared_has(const Shared *shared, const char *name);
/* Also whether its parts are, where the variable is a struct or a tuple. */
bool shared_has_typed(const Shared *shared, const char *name, const Type *type);
bool shared_is_recursive(const Shared *shared, const char *name);
/* Does the lambda see such a variable as it is when it is called? */
bool shared_is_seen_by(const Shared *shared, const Ast *lambda);
/* Such a variable, whose declarator is checked, becomes one that holds a cell. */
void shared_variable(Sema *s, Ast *declarator, Symbol *sym);
/* The same of a parameter: gives the statement that declares it, checked; NULL: it is none. */
Ast *shared_parameter(Sema *s, Symbol *param);

/* ---- called.c: functions that are only called ------------------------------------------- */

/* Is it the name of this symbol? */
bool called_is_name(const Ast *n, const Symbol *sym);
/* A function with a body that runs whatever the object. */
bool called_has_body(const Symbol *f);
/* The one that a call names, which is given its arguments in order; NULL: there is none. */
Symbol *called_function(const Ast *n);
/* Is all that f does with its i-th parameter to call it, or to hand it on to a function that does no more with it?
 * depth: 0, of calls that were followed. */
bool called_only(const Symbol *f, int i, int depth);
/* Lambdas and names of functions that statements give to such parameters become CLOSUREs. When all is checked. */
void called_close(Sema *s);

/* ---- closure.c: functions that only the host can run -------------------------------------- */

/* Both on checked trees. A LAMBDA becomes a CLOSURE of a function made of it; */
void closure_lambda(Sema *s, Ast **slot);
void closure_function(Sema *s, Ast **slot); /* so does the name of a function; */
/* and parts that take strings, objects or rows of arrays of arrays at the points of a functional
 * expression are applied as such. To be called while binder's variables are in scope: they get
 * ranges here too. */
void closure_parts(Sema *s, const Ast *binder, Ast **body);
/* Does it call a function of the library that only the host has, with what bound variables make? */
bool closure_calls_host(Ast *body);

/* ---- library.c: functions of the library that take functions ------------------------------ */

bool is_fold(Sema *s, const Ast *n); /* Fold(f, init, step), Fold(i : r, e, init, step) */
void check_fold(Sema *s, Ast *n);
/* Clamp(f), Constant(f, v) and so on, whose arguments are checked; false for other rows. */
bool check_extension(Sema *s, Ast *n, Symbol *sym);

/* ---- derive.c: Grad, WithGrad, Vjp, Jvp ------------------------------------------------------ */

/* A call of one of them, or of what one gives: becomes functional expressions, and is checked. */
bool derivative_call(Sema *s, Ast **slot, const Type *hint);
/* What Grad(f)(x, ..) and its like are as expressions, unchecked: a TUPLE if they are several. NULL: n is no
 * such call, or an error, which is told. */
Ast *derivative_parts(Sema *s, const Ast *n);

/* $Derivative(lambda, k, args, more) as a value of type t: by the lambda's parameter k with the seed behind its
 * arguments, with k -1 the change along the directions there. The lambda's parameters have types. */
Ast *derivative_node(Sema *s, const Ast *lambda, const Type *t, int k, int n, Ast *const *args,
                     int nmore, Ast *const *more);
/* Does the program name one of them? */
bool derivative_asked(Sema *s);

/* ---- derive/: functions with loops, which the host runs --------------------------------------- */

typedef enum HostWay {
    HOST_BACK,       /* the derivatives by the parameters: one, or a tuple */
    HOST_BACK_SEED,  /* the same; the seed is behind the arguments */
    HOST_BACK_VALUE, /* (value, these) */
    HOST_ALONG       /* (value, change); the directions are behind the arguments */
} HostWay;

/* Does a lambda with typed parameters call functions with loops, which no graph can hold? Then *out is its derivative
 * at these arguments, an unchecked call; NULL after a report. `types`: of its parameters. */
bool derived_derivative(Sema *s, Ast *lambda, const Type *const *types, const Type *result,
                        HostWay way, AstList args, Ast **out);
/* A call of a function by a name that derived_derivative made: checks it. False: it is none. */
bool derived_call(Sema *s, Ast *n);
void derived_free(Sema *s);
void facts_free(Sema *s);

/* ---- slice.c ------------------------------------------------------------------------------ */

bool is_slice(const Ast *n); /* an INDEX with `..` or `^` in the brackets */
void check_slice(Sema *s, Ast *n);
bool is_from_end(const Ast *a); /* ^a */

/* ---- counted.c: x[^n] and x[a..b] of objects with Count or Length --------------------------- */

/* An INDEX whose base is checked; `again` is an unchecked copy of that. False: none of these. */
bool check_counted(Sema *s, Ast **slot, const Ast *again);
const char *counted_name(Sema *s, const Type *t); /* "Count", "Length"; NULL: it has neither */
/* The same as a target: true if it is done, with a report; else its index is counted from 0. */
bool place_counted(Sema *s, Ast *n, const Ast *again);
/* An assignment to a place of an object that is no variable: has one in front. */
bool counted_statement(Sema *s, Ast **slot);

/* ---- bound.c: bound variables ----------------------------------------------------------- */

/* Opens a scope with the variables of `binders` (BINDER nodes), then the implicit ones of *body if
 * asked; owner->bound lists them. `given`, if not NULL, are their types where not written.
 * scope_pop closes it. */
void bound_open(Sema *s, Ast *owner, Ast **binders, int nbinders, Ast **body, bool implicit,
                const Type *given);
bool mentions_bound(const Ast *n);
/* Reports the integer variables of a definition, let or lambda that nothing can give a range: those
 * without a constraint that no argument of an application in its body uses. False if there are.
 * `wanted`: of a lambda whose parameters are those of a type that the place wants; such a variable
 * has all values. */
bool bound_ranges(Sema *s, Ast *owner, Ast **body, bool wanted);
/* The type that a copy of *n has, without any report; the error type if it has none. */
const Type *peek_type(Sema *s, const Ast *n);
/* ---- overflow.c ---- */
/* An operation that is checked already, where what does not fit throws: it becomes a call of the library. */
void overflow_check(Sema *s, Ast **slot);
/* `a op= b`, ++ and --, unchecked, where what does not fit throws, and >>>=: written out. The node is BAD
 * after a report. */
void overflow_expand(Sema *s, Ast **slot);

/* ---- lambda.c: lambdas that the compiler writes ------------------------------------------ */

Ast *type_node(Sema *s, Loc loc, const Type *t); /* a written type that means t */
bool is_operator_name(const Ast *n);             /* `operator+` as a value */
/* Is there an operation of that name with these parameters, whose result converts? Then
 * operator_value makes the lambda of it. */
bool operator_fits(Sema *s, const Ast *e, const Type *to);
bool operator_value(Sema *s, Ast **slot, const Type *to);
/* A method as a value of the functional type. */
bool method_value(Sema *s, Ast **slot, Symbol *method, const Type *to);
/* (x, y) => callee(x, y) with the parameters of `to`, unchecked. */
Ast *call_lambda(Sema *s, Ast *callee, const Type *to);
/* `operator+(a, b)` becomes a + b, f(a, _) a lambda: checked, true. False for other calls. */
bool operator_call(Sema *s, Ast **slot, const Type *hint);
bool partial_application(Sema *s, Ast **slot, const Type *hint);
/* Behind a report of a `_`, in a session: how the last value is written there. */
void note_last(Sema *s);

/* ---- resolve.c: overloads, promotion ---------------------------------------------------- */

typedef enum Fit { FIT_NONE, FIT_PROMOTED, FIT_DIRECT } Fit;

typedef enum Form {                /* of a call: */
                    FORM_NONE,     /* an argument a parameter */
                    FORM_DEFAULTS, /* constants stand for the last ones */
                    FORM_REST      /* the last parameter is an array of those that are left */
} Form;

typedef struct Candidate {
    Symbol *sym;
    int nearness; /* of extension methods: nearer ones win */
    Form form;    /* nparams and params are those of the call */
    int nparams;
    const Type *params[MAX_PARAMS + 1]; /* NULL: anything printable (letter *) */
    char letters[MAX_PARAMS + 1];       /* of a library function, 0 for users' */
    const Type *result;                 /* NULL: depends on the arguments (letters A, T) */
    char result_letter;
} Candidate;

typedef struct Candidates {
    const AstList *targs; /* type arguments that are written, or NULL */
    Candidate *data;
    int len;
    int receivers; /* 1: the first argument stands before the dot (extension.c) */
    const char *name;
} Candidates;

/* Checks arguments in the light of what all overloads of that length want. */
void check_arguments(Sema *s, AstList args, const Candidates *set);
/* Checks the arguments of a user function's or method's call; gives the candidates, with the
 * instances of generic ones that fit. Empty after a report. */
Candidates call_candidates(Sema *s, Ast *call, Candidates set);
/* Adds an overload; a generic one has no types yet (generic_candidates). There is room for it. */
void candidates_add(Candidates *set, Symbol *f);
Candidates candidates_of_user(Sema *s, Symbol *first);
/* The overloads of the function of this row; `instance`: as a member of a value. */
Candidates candidates_of_library(Sema *s, int row, bool instance);
/* The best overload for the arguments by section 3's first two rules; NULL after a report. */
const Candidate *resolve(Sema *s, Ast *call, Candidates set, AstList args, Fit *fit);
/* Converts the arguments to what the overload takes. */
void resolve_apply(Sema *s, const Candidate *c, Fit fit, AstList args, Loc loc);

/* ---- extension.c: methods declared outside of the type --------------------------------------- */

bool extension_is(const Ast *decl);                            /* f(this T x): of any declaration */
void extension_collect(Sema *s, Symbol *sym, const Ast *decl); /* a function or class */
/* x.f(..), which the type of x does not have, and an extension method is: checked, true. */
bool extension_call(Sema *s, Ast **slot);

/* ---- beside.c: what the table's spaces have in C$ -------------------------------------------- */

Class *beside_class(Sema *s, LibSpace space);                     /* NULL: nothing */
Symbol *beside_member(Sema *s, LibSpace space, const char *name); /* NULL: none */
/* The rows of this one's name with the functions of that name. */
Candidates beside_candidates(Sema *s, int row, Candidates rows);
/* The call of such a function, which fits. */
void beside_call(Sema *s, Ast *n, const Candidate *c, Fit fit);

/* ---- format.c ------------------------------------------------------------------------------- */

/* string.Format("{0}", x), Console.WriteLine("{0}", x): becomes an interpolated string, and is
 * checked. False for other calls. */
bool check_composite(Sema *s, Ast **slot, const Type *hint);
/* Leaves out what stands for a culture, of checked arguments: the library has one, the invariant. */
void drop_culture(Sema *s, AstList *args);

/* ---- hole.c: {x,8:F2} ------------------------------------------------------------------------ */

void check_hole(Sema *s, Ast *hole);
/* The value and the format, if there is one, are checked: the value becomes its text, unless the
 * runtime formats it. */
void hole_text(Sema *s, Ast *hole);

/* ---- defaults.c: calls with fewer or more arguments than parameters -------------------------- */

/* The overloads, with those that take nargs arguments by defaults or params. */
Candidates candidates_for(Sema *s, Candidates set, int nargs);
void candidate_reshape(Candidate *c, int nargs); /* an instance of a generic one */
Form call_form(const Symbol *f, int nargs);
int required_arguments(const Symbol *f);
bool takes_rest(const Symbol *f);
/* Adds what the call left out, and makes the array of the rest; arguments are converted. */
void complete_arguments(Sema *s, const Candidate *c, AstList *args, Loc loc);
void check_defaults(Sema *s, const Symbol *f); /* as they are declared */

/* The default value of parameter i as an argument that is written, for a call by names. */
Ast *default_argument(Sema *s, const Symbol *f, int i, Loc loc);

/* ---- named.c: arguments by name ---------------------------------------------------------------- */

bool names_arguments(const AstList *args);
/* Puts them in their places and keeps the overloads that have such parameters. False after a
 * report: then the set is empty and args are checked. */
bool named_arguments(Sema *s, Ast *call, AstList *args, Candidates *set);

/* ---- promote.c: parameters of promoted operations ----------------------------------------- */

/* result(merged parameters of the functional ones among args). */
const Type *promoted_type(Sema *s, Loc loc, const Type *result, Ast *const *args, int n);

/* The same of a promoted call: of its instance, if it has one, and the arguments, but for those
 * that the overload takes as functions. */
const Type *promoted_call(Sema *s, Loc loc, const Type *result, const Candidate *c, Ast *instance,
                          AstList args);

/* ---- convert.c: conversions ------------------------------------------------------------- */

typedef enum Conv { /* worst first */
                    CONV_NONE,
                    CONV_USER,    /* of a class */
                    CONV_LITERAL, /* an unsuffixed real literal to float or half */
                    CONV_EVAL,    /* function to array, perhaps converting the elements */
                    CONV_WIDEN,   /* C#'s implicit numeric conversion, of results of functions too;
                                     constants */
                    CONV_GROUP,   /* one overload of a group */
                    CONV_FUNC,    /* array to function of the same type */
                    CONV_SAME
} Conv;

Conv convert_class(Sema *s, const Ast *e, const Type *to);
/* Converts *slot, reporting what cannot be. `what` names the place: "argument 2 of 'f'" or NULL. */
bool convert_to(Sema *s, Ast **slot, const Type *to, const char *what);
void convert_wrap(Sema *s, Ast **slot, const Type *to); /* a CONVERT node, no questions */
/* The text of a record, an enum or a function of enums: a call. False for other types. */
bool value_text(Sema *s, Ast **slot);
void convert_string(Sema *s, Ast **slot); /* anything printable */
/* Makes the result of *slot (the value itself if scalar) of type `to`. */
bool convert_result(Sema *s, Ast **slot, const Type *to, const char *what);
Conv convert_result_class(Sema *s, const Ast *e, const Type *to);
const Type *result_of(const Type *t); /* result of a functional type; the type itself otherwise */
bool literal_adapts(const Ast *e);    /* an unsuffixed real literal, perhaps under operators */
void literal_retype(Sema *s, Ast *e, const Type *to);
bool is_printable(const Type *t);
/* Of a type without text: reports, but in an instance of a generic its name is the text. */
bool unprintable(Sema *s, Ast **slot);
/* What arithmetic gives for operands of these types (C#'s promotion); NULL if nothing. */
const Type *common_numeric(Sema *s, const Type *a, const Type *b);

/* ---- constant.c: constant expressions --------------------------------------------------- */

void constant_fold(Ast *n); /* sets is_const and value if the operands are constant */
void constant_literal(Sema *s, Ast *n, bool negated);
bool constant_text(Sema *s, const Ast *n, AstBytes *out);
bool constant_builtin(int row, ScalarValue *out);
bool constant_fits(const Ast *e, ScalarKind to); /* an integer constant in the range of `to` */

/* ---- member.c: members of types ------------------------------------------------------------- */

/* What a class or enum declares, one entry a name: overloads are linked by `next`. */
struct Members {
    Symbol **data;
    int len, cap;
};

/* Reports what cannot share a name. */
void member_add(Sema *s, Symbol *owner, Symbol *member);
Symbol *member_own(const Symbol *owner, const char *name); /* that it declares itself, or NULL */
/* The nearest declaration in the class and its bases, or NULL. */
Symbol *member_find(Sema *s, Class *cls, const char *name);
/* Is n, a name or member, of the type that is named like it (Color Color)? */
bool member_is_named_like_type(Sema *s, const Ast *n);
bool member_accessible(Sema *s, const Symbol *member);
void member_check_access(Sema *s, const Symbol *member, Loc loc); /* reports */
/* x.f, as a value or as the callee of a call. A name of a member gets its base: true if it did. */
void check_member(Sema *s, Ast **slot);
bool member_unqualified(Sema *s, Ast **slot);
/* The type of the value before the dot, which is checked once and for all; NULL: it is no value, or
 * not a good one. */
const Type *member_receiver(Sema *s, Ast *n);
/* A variable, field, property, element: something that may be assigned. A property or indexer stays
 * one; place_value makes a call of its getter. */
void place_check(Sema *s, Ast **slot);
void place_value(Sema *s, Ast *n); /* method.c */
void check_this(Sema *s, Ast *n);  /* THIS, BASE */
/* The methods of that name, nearest first; overridden ones once. */
Candidates candidates_of_methods(Sema *s, Class *cls, const char *name);

/* ---- method.c: calls of methods ------------------------------------------------------------- */

/* The callee is a MEMBER or NAME_REF whose sym is a method. */
void check_method_call(Sema *s, Ast *n);
void check_chain(Sema *s, Ast *n); /* this(...), base(...) */
/* obj[i] of a class with an indexer: a place. False if it has none. */
bool check_indexer(Sema *s, Ast *n);
/* *n becomes a checked call of f with these arguments, which have its parameter types. */
void call_static(Sema *s, Ast *n, Symbol *f, AstList args);
/* *slot becomes the library's function of it, a generic one; false if that takes no such value. */
bool call_library(Sema *s, Ast **slot, const char *name);
void call_method(Sema *s, Ast *n, Symbol *f, Ast *base, AstList args);

/* ---- patterns/pattern.c ------------------------------------------------------------------------------ */

/* value is pattern: becomes a condition. */
void check_is(Sema *s, Ast **slot);
bool is_plain_constant(Sema *s, const Ast *pattern); /* it is a value, and so can be a label */
bool pattern_declares(const Ast *pattern);           /* a variable */
/* Is it asked of a value of this type, and not of what that has as a function at each point? */
bool pattern_takes_whole(const Ast *pattern, const Type *t);

/* ---- struct.c: methods and setters that change a struct ---------------------------------------- */

Symbol *struct_self(Sema *s); /* the parameter that is `this` in one; or NULL */
/* A call of one, an assignment to what has such a setter: done; false if it is none. */
bool struct_call(Sema *s, Ast **slot, const Type *hint);
bool struct_set(Sema *s, Ast **slot, Ast *target, AstOp op, Ast *value);

/* ---- object.c: new, null, as, default --------------------------------------------------- */

void check_new(Sema *s, Ast **slot, const Type *hint);
void check_made(Sema *s, Ast *n, Class *cls); /* once its arguments are checked */
void check_null(Sema *s, Ast *n);
void check_default(Sema *s, Ast *n, const Type *hint);
bool type_is_nullable(const Type *t);
bool object_cast_exists(const Type *from, const Type *to); /* between classes */
void check_as(Sema *s, Ast *n);

/* ---- nullable.c: values that may be null ------------------------------------------------------ */

const Type *nullable_of(const Type *t); /* T of a T?; NULL: it is none */
const Type *nullable_type(Sema *s, const Type *t,
                          Loc loc);                  /* T? of a value; others stay as they are */
const Type *nullable_written(Sema *s, const Ast *n); /* of a TYPE_NULLABLE */
bool nullable_converts(Sema *s, const Ast *e, const Type *to); /* to a T? */
bool nullable_convert(Sema *s, Ast **slot, const Type *to);
bool nullable_cast(Sema *s, Ast *n, const Type *from, const Type *to); /* false: no such cast */
Symbol *nullable_box(Sema *s, const Type *from, Loc loc);              /* T? to object */
/* Of checked operands: *n becomes the lifted operation; false if no operand may be null. */
bool nullable_binary(Sema *s, Ast *n);
bool nullable_unary(Sema *s, Ast *n);
bool nullable_coalesce(Sema *s, Ast *n); /* the right one may be a THROW, unchecked */
/* target op= value becomes target = again op value, where `again` is an unchecked copy of it. */
bool nullable_assign(Sema *s, Ast *n, Ast *again);
Ast *nullable_checked(Sema *s, Ast *e); /* as part of a tree that is to be checked */

/* ---- tuple.c: tuples, final classes without a name ------------------------------------------- */

const Type *tuple_written(Sema *s, Ast *t); /* of a TYPE_TUPLE */
void check_tuple(Sema *s, Ast **slot, const Type *hint);
bool type_is_tuple(const Type *t);
Symbol *tuple_field(Sema *s, const Class *c, const char *name); /* Item1 .., or NULL */
/* The function that makes one tuple of another whose elements convert to its own, or NULL. */
Symbol *tuple_conversion(Sema *s, const Type *from, const Type *to);
/* Of two tuples the type that both convert to, or NULL: names are those of what is no literal. */
const Type *tuple_common(Sema *s, const Ast *a, const Ast *b);

/* ---- box.c: values as objects ----------------------------------------------------------------- */

/* The function that puts a value into an object, or takes it out if asked explicitly; or NULL. */
bool box_takes(const Type *t); /* does it convert to object by being put into one? */
Symbol *box_conversion(Sema *s, const Type *from, const Type *to, bool explicitly);
/* Is there a value of this type in the object, which is checked? Then a new variable has it. */
Ast *box_test(Sema *s, Loc loc, Ast *operand, const Type *t, const char *name);
/* `o as string`: done, as *n; false where no value is asked for. */
bool box_as(Sema *s, Ast *n);

/* ---- sequence.c: arrays, functions and strings as IEnumerable<T> ------------------------------- */

/* Of an array, a function of an int or a string; NULL of others. */
const Type *sequence_element(Sema *s, const Type *t);
bool sequence_is_interface(const Symbol *generic); /* may it be one of those? */
/* Is it written IEnumerable or IEnumerator, without type arguments? */
bool sequence_is_untyped(Sema *s, const Ast *written);
const Type *sequence_of_object(Sema *s, const Type *t); /* T of an IEnumerable<T>, or NULL */
bool sequence_fits(Sema *s, const Type *from, const Type *to);
bool sequence_convert(Sema *s, Ast **slot, const Type *to, const char *what); /* where it fits */
/* An array whose elements convert to those of `to` by a function: a new one. */
bool sequence_convert_elements(Sema *s, Ast **slot, const Type *to);

/* ---- deconstruct.c: (a, b) = e; and var (a, b) = e; ------------------------------------------- */

bool is_deconstruction(const Ast *stmt);
/* The statements that do it, unchecked: declarations of variables, and one block. */
AstList deconstruct(Sema *s, Ast *stmt);

/* ---- userop.c: user operators and conversions ----------------------------------------------- */

/* An operator of a class or of null: true if *n is done, reported or not. Operands are checked. */
bool user_binary(Sema *s, Ast *n);
bool user_unary(Sema *s, Ast *n);
bool user_truth(Sema *s, Ast **slot); /* of a condition: becomes a call of its operator true */
bool user_compound(Sema *s, Ast *n);  /* of an ASSIGN; false if there is no operator */
/* Of an INCDEC whose target is checked; `again` is an unchecked copy of it. */
bool user_step(Sema *s, Ast *n, Ast *again);
bool is_repeatable(const Ast *n); /* can it be evaluated twice? */
/* The implicit (or explicit) conversion that a class of one of both declares, or NULL. */
Symbol *user_conversion(Sema *s, const Type *from, const Type *to, bool explicitly);
void user_convert(Sema *s, Ast **slot, Symbol *conversion);

/* ---- show.c: what a session shows ------------------------------------------------------------- */

/* Has it a text of its own in a session, or has what it is made of? */
bool is_shown_by_library(Sema *s, const Type *t);
/* A call of the library's ShownOf becomes what shows a value of that type. */
bool show_call(Sema *s, Ast **slot, const Symbol *f);

/* ---- intrinsic.c: what values of every type have --------------------------------------------- */

/* A call of a row of space "any": true if it is done, reported or not. */
bool intrinsic_call(Sema *s, Ast *n);

/* ---- enum.c --------------------------------------------------------------------------------- */

const Type *enum_type(Sema *s, Symbol *sym);
/* E.EnumValues and E.EnumNames, arrays by the unsigned values: done, as *n. False for other members. */
bool enum_list(Sema *s, Ast *n, const Type *t);
Symbol *enum_text(Sema *s, const Type *t); /* the function that names its values */
/* A function or array of enums becomes an array of names; false if it cannot be an array. */
bool enum_array_text(Sema *s, Ast **slot);

/* ---- generic.c: instances of generic functions and classes ---------------------------------- */

/* What a generic function or class was made for. */
struct Instance {
    const Symbol *of; /* the generic */
    Symbol **params;  /* its type parameters: SYM_TYPEs with their types */
    int nparams;
    const char *name; /* "List<int>", "max3<float>" */
    Loc loc;          /* where it was first wanted */
    int depth;        /* instances around */
    Symbol *older;    /* the instance of the same generic made before */
};

enum { MAX_TYPE_PARAMS = 8 };

void generic_declare(Sema *s, Symbol *sym, const AstList *tparams); /* it is generic */
const Symbol *generic_newest(const Symbol *g); /* an instance; Instance.older: the others */
int generic_nparams(const Symbol *g);
const Ast *generic_param(const Symbol *g, int i); /* a TYPE_PARAM */
/* The instance of a generic function for these type arguments, or NULL after a report. */
Symbol *generic_instance(Sema *s, Symbol *g, const Type *const *args, Loc loc);
/* The class for these type arguments; the error type after a report. */
const Type *generic_class(Sema *s, Symbol *generic, Ast *written);
/* Of the generic class `outer` the instance whose type arguments a class inside it has; NULL after a report. */
Symbol *generic_around(Sema *s, Symbol *outer, const Instance *inner);
/* untyped.c: checks the arguments of a call some overload of which is generic and takes functions:
 * untyped lambdas last, with the parameters that the other arguments tell. False: no such call. */
bool untyped_arguments(Sema *s, const Candidates *set, AstList args);

/* ---- infer.c: type arguments of calls -------------------------------------------------------- */

/* The type of the first parameter of a generic function for an argument like this one, by it and the
 * type arguments that are written; NULL: they do not tell, or it does not fit. */
const Type *generic_receiver(Sema *s, const Symbol *g, const AstList *targs, const Ast *arg);

/* The type of parameter i of a generic function for these type arguments; NULL: they are not all. */
const Type *generic_parameter(Sema *s, const Symbol *g, const AstList *targs, int i);
/* The instance of a function with one type parameter. */
Symbol *generic_of(Sema *s, Symbol *g, const Type *t, Loc loc);
/* The instance of a generic function that has the parameters of the functional type `to`; NULL. */
Symbol *generic_value(Sema *s, Symbol *g, const Type *to, Loc loc);
/* The instance that combines two values of type t to one, or NULL: it can reduce. */
Symbol *generic_combiner(Sema *s, Symbol *generic, const Type *t, Loc loc);
bool generic_combines(const Symbol *generic); /* by its form: T f<T>(T a, T b) */
/* The overloads that these arguments fit: type arguments of generic ones are inferred from them. */
Candidates generic_candidates(Sema *s, Candidates set, AstList args, Loc loc);
/* As they are written: a is T[] f<T>(T[] x) and b T f<T>(T x); no parameter of b says more. */
bool generic_says_more(const Symbol *a, const Symbol *b);

/* ---- purity.c --------------------------------------------------------------------------- */

void pure_call(Sema *s, Symbol *callee, Loc loc); /* the current function calls it */
/* The same of a method or constructor; object: what the caller calls it on, or the NEW. */
void pure_method(Sema *s, Symbol *callee, const Ast *object, Loc loc);
void pure_write(Sema *s, const Ast *object, const char *member, Loc loc); /* writes its field */
void pure_override(Sema *s, Symbol *base, Symbol *with); /* a call of base may run it */
void pure_need(Sema *s, Symbol *func, Loc loc, const char *why);
/* The same of a name as a value: where statements are the host may call it, pure or not. */
void pure_value(Sema *s, Symbol *func, Ast *name, const Type *type);
void pure_impure(Sema *s, const char *what, Loc loc); /* the current function does this */
void pure_infer(Sema *s); /* over the call graph, then checks what was needed */

#endif
