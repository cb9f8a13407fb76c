/* One Sema per unit: where checking is and what it has found. Everything lives in the arena of the
 * result; a Sema is used by one thread for one unit. */
#ifndef CS_SEMA_STATE_H
#define CS_SEMA_STATE_H

#include "../../base/vec.h"
#include "../sema.h"

enum { MAX_PARAMS = FD_MAX_FIELDS, MAX_ARRAY_RANK = 4 };

typedef struct Binding Binding; /* scope.c */
typedef struct Members Members;
typedef struct Instance Instance;

/* A use of a function that must turn out to be pure. */
typedef struct PureUse {
    Symbol *func;
    Loc loc;
    const char *why; /* "is promoted", "is used under bound variables", ... */
    Ast *node;       /* what need not be: a lambda or name that the host can call; NULL: none */
} PureUse;

/* A LAMBDA or the name of a function that is kept, for kernels so far (kept/late.c). */
typedef struct KeptFunction {
    Ast *node;
    Symbol *func; /* where it is made */
} KeptFunction;

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

typedef struct Shared Shared; /* kept/shared.c */
typedef struct Keeps Keeps;   /* kept/keeps.c */
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
    Ast *choice;           /* the innermost switch, or NULL */
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
    VEC(KeptFunction) kept;
    Keeps *keeps;
    /* May ending a foreach be seen? Are there sequences of the program's own? 1, -1: no, 0: not asked yet */
    int disposes, lazy;
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
    VEC(struct Lifted *) lifted;   /* sema/derive/version/lift.c */
    struct Hosted *hosted;         /* sema/derive/host.c */
    struct SmallVersions *smalls;  /* sema/derive/version/small_version.c */
    struct SmallGivens *givens;    /* sema/derive/version/small_given.c */
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

#endif
