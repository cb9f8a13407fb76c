/* What names mean. */
#ifndef CS_SEMA_SYMBOL_H
#define CS_SEMA_SYMBOL_H

#include "../../parser/ast.h"
#include "types.h"

typedef enum SymKind {
    SYM_LOCAL, /* a variable of a function, or of the top-level statements */
    SYM_PARAM,
    SYM_BOUND,    /* a bound variable */
    SYM_CONST,    /* a constant: its value is in `value` */
    SYM_FUNC,     /* a user function, method, operator, accessor or constructor */
    SYM_FIELD,    /* of a class: of each object (its index in Class.fields), or static */
    SYM_PROPERTY, /* get, set */
    SYM_BUILTIN,  /* a library function or property: a row of builtins.def */
    SYM_TYPE,     /* an alias, enum or class (cls) */
    SYM_SPACE     /* a library namespace or static class: Math, Console, Npy */
} SymKind;

typedef struct Symbol Symbol;
struct Symbol {
    SymKind kind;
    const char *name;
    const Type *type; /* variable: its type; function: TY_FUNC */
    Loc loc;
    Ast *decl;          /* declaring node, NULL for the library's */
    Symbol *next;       /* next overload of the same name */
    Symbol *other;      /* SYM_TYPE: the type of this name with more or fewer type parameters */
    ScalarValue value;  /* SYM_CONST */
    AstBytes text;      /* SYM_CONST of type string; no data: null */
    Ast *made;          /* SYM_CONST of type decimal: its value, checked */
    int builtin;        /* SYM_BUILTIN: row */
    const char *impure; /* SYM_FUNC: NULL if pure, else what makes it impure, at impure_loc */
    Loc impure_loc;
    bool writes_self;   /* SYM_FUNC: it changes its own object (purity.c); `writes` says how */
    bool writes_params; /* SYM_FUNC: it sets what it is given by reference; the same */
    const char *writes;
    bool fresh;     /* SYM_LOCAL: initialised with a new object */
    bool used;      /* SYM_FUNC: in SemaResult.funcs */
    int order;      /* the how many-th that came to be used */
    bool implied;   /* SYM_FUNC of a final class that is not written: checked if used */
    bool imported;  /* declared in the library or a module */
    bool library;   /* declared in stdlib/ */
    AstOp mode;     /* SYM_PARAM: AST_OP_BY_VALUE, REF, OUT */
    bool recurrent; /* the variable of a DEFINE that uses itself */
    bool
        assigned_again; /* a variable written after its declaration, a field written outside of constructors */
    /* A function, in lower/foresee/foresee.c: some calls were followed into its body; some could not be. */
    bool followed, apart;
    int special; /* SYM_FUNC: a copy for known functions (lower/special.c): 1 and how often one of them is such */
    Ast *constraint;    /* SYM_BOUND: explicit range, or NULL */
    int constraint_dim; /* SYM_BOUND: which dimension of the constraint */
    bool implicit;      /* SYM_BOUND: not declared by the user */

    bool split;   /* SYM_FUNC: with fields in place of values that hold arrays (derive/split.c) */
    bool derived; /* SYM_FUNC: made of others, and as pure as they are (derive/host.c) */
    Ast *
        as_written; /* SYM_FUNC: a copy of its body before it was checked, where the program differentiates */

    struct Class *cls; /* SYM_TYPE: the class; SYM_FUNC, FIELD, PROPERTY: the class that declares
                          it, or NULL */
    uint64_t mods;     /* AstMod, as written or implied */
    Symbol
        *self; /* SYM_FUNC: the parameter `this` of an instance method or constructor; else NULL */
    bool is_ctor;
    bool is_plain; /* a constructor that only sets the fields, in order, to its parameters */
    int slot; /* SYM_FUNC: in Class.slots, -1 if not virtual; of an interface, or `selected`: its selector */
    bool selected;     /* SYM_FUNC: an instance of a virtual generic method (dispatch.c) */
    bool overridden;   /* SYM_FUNC: by a method of a class that derives from its own */
    int field;         /* SYM_FIELD, not static: index in Class.fields */
    Symbol *get, *set; /* SYM_PROPERTY: SYM_FUNC, NULL if there is none; */
    Symbol *storage;   /* of an automatic property: its SYM_FIELD, then accessors are used only
                          virtually */
    Ast *identity;     /* SYM_FUNC: the constant of [Identity(e)], or NULL */
    bool associative, commutative;
    Ast *written; /* CONST, FIELD, PROPERTY: the type as written; NULL or VAR: inferred */
    struct Members *members; /* SYM_TYPE: of a class or an enum (member.c) */
    struct Generic
        *generic; /* a generic function or class: its instances (generic.c); not itself usable */
    Symbol *bound_value;       /* a method: the function of its values */
    Symbol *cell;              /* a variable shared with lambdas: the one that holds its cell */
    struct Local *local;       /* SYM_FUNC: declared inside of another (local.c) */
    struct Instance *instance; /* what is made of a generic one: its type arguments (generic.c) */
    void *host;                /* owned by codegen/host: an LLVMValueRef */
    void *fdag;                /* owned by sema/lower while it builds: an FdNode or FdUser */
};

/* A class or interface (one instance of a generic one). */
typedef struct Class {
    Symbol *sym;
    const Type *type; /* TY_OBJECT or TY_RECORD */
    const char
        *mangled; /* unique, letters, digits and _ only: the name of its record type in graphs */
    Ast *decl;
    struct Class *base;        /* NULL: `object` itself, an interface or a record */
    struct Class **interfaces; /* all, inherited ones included */
    int ninterfaces;
    Symbol *ctors;   /* overloads, linked by next */
    Symbol *plain;   /* of a struct: a constructor of all fields that nobody can write; or NULL */
    Symbol **fields; /* of each object, inherited ones first */
    int nfields;
    bool tuple;        /* its fields are Item1, Item2 .. too */
    int scalars;       /* of a record: its fields, those of inner records in their places */
    Symbol **virtuals; /* who declares or overrides each slot last, abstract ones too */
    Symbol **slots; /* the virtual functions: SYM_FUNC that runs, NULL if abstract. 0 is ToString,
                       also of a record (NULL if some field has no text) */
    int nslots;
    struct ClassImpl {
        Symbol *method, *with; /* of an interface, and the function that runs */
    } * impls;
    int nimpls;
    const Type *function; /* the functional type that it derives from, inherited too; or NULL */
    Symbol *invoke, *block, *lower,
        *upper; /* its Invoke, Invoke of arrays, GetLowerBound, GetUpperBound; or NULL */
    int state;  /* sema/classes/class.c: how far it is laid out */
    bool used;  /* in SemaResult.classes, at `id` */
    int id;
    void *host; /* owned by codegen/host */
    void *fdag; /* owned by sema/lower/lower.c: the FdType of a record */
} Class;

bool class_is(const Class *c, const Class *base); /* the same, derived from it or implementing it */
/* The same, or instances of one generic class whose type arguments differ in names of tuples only:
 * their objects have the same layout, slots and selectors, and one stands for the other. */
bool class_alike(const Class *a, const Class *b);
bool class_is_asked(const Class *c); /* something in use asks for it, or for one alike */
/* Is an object of instance a of an interface one of its instance b, too (vary.c)? */
bool vary_stands(const Class *a, const Class *b);
Symbol *vary_method(const Class *c, const Symbol *method); /* that of instance c; NULL: none */
/* Of the instances alike one that is always the same; c itself if there is no other. */
const Class *class_first_alike(const Class *c);

#endif
