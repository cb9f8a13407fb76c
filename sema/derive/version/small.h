/* Local arrays of a few elements: what small_version.c does to functions, small_elements.c to expressions that are such arrays,
 * small_numbers.c to other ones, small_statements.c to statements. */
#ifndef CS_SEMA_DERIVE_SMALL_H
#define CS_SEMA_DERIVE_SMALL_H

#include "../host.h"

enum { SMALL_MOST = 16, SMALL_RANK = 2, SMALL_PARTS = 8, SMALL_NODES = 40000 };

/* How many elements an array has; rank 0: it is none. */
typedef struct SmallBox {
    int rank, n[SMALL_RANK];
} SmallBox;

/* An array that is known by its elements, each of which is a variable. */
typedef struct SmallArray {
    const char *name;
    Loc loc;          /* of its declaration, by which it is known from one try to the next */
    const Type *type; /* of its elements */
    SmallBox box;
    const char *elements[SMALL_MOST];
} SmallArray;

/* What a version gives: arrays as their elements, other values as they are. */
typedef struct SmallResult {
    int n;
    const Type *types[SMALL_PARTS];
    SmallBox boxes[SMALL_PARTS];
} SmallResult;

typedef struct SmallStay {
    const char *name;
    Loc loc;
} SmallStay;

typedef struct SmallCount { /* an int that has one value */
    const char *name;
    int64_t value;
} SmallCount;

/* A function that is given to another. */
typedef struct SmallGiven {
    Symbol *f;
    const Ast *written; /* the lambda.. */
    const Symbol *in;   /* ..and where it stands; NULL: it is a name */
    int n;
    const char *captured[SMALL_PARTS]; /* what it reads there: f's last parameters */
    const Type *types[SMALL_PARTS];
} SmallGiven;

/* An argument of a call, as its version takes it: by elements, not at all, or as it is. */
typedef struct SmallArg {
    SmallBox box;
    const SmallGiven *given;
} SmallArg;

typedef struct Small {
    Sema *s;
    Symbol *f;
    VEC(SmallArray) arrays; /* that are seen here */
    VEC(SmallStay) stay;    /* those that stay arrays */
    VEC(SmallCount) counts;
    VEC(const char *) bound; /* names of variables that expressions bind */
    AstList *before; /* statements in front of the one that is rewritten; NULL: there can be none */
    SmallResult result;
    bool parts;    /* the result is given by elements */
    bool returned; /* and these are known */
    bool any, again, good;
    int within; /* bound variables */
    int nodes;
} Small;

/* ---- small_version.c ---- */

/* A version that takes the elements of those arguments that have a box, and gives those of what it gives. NULL: there
 * is none. */
const Symbol *small_function(Small *w, Symbol *f, const SmallArg *args, Loc loc,
                             SmallResult *result);
const SmallArray *small_find(const Small *w, const char *name);
void small_reject(Small *w, const SmallArray *a); /* it stays an array: to be tried again */
bool small_same(const SmallBox *a, const SmallBox *b);
int small_count(const SmallBox *box);
bool small_suits(const Type *t); /* arrays and functions of few indices, of numbers */
/* A new array: its elements get names, which are in scope from now on. NULL: it is to stay one. */
const SmallArray *small_declare(Small *w, const char *name, Loc loc, const Type *t,
                                const SmallBox *box);
bool small_may(const Small *w, const char *name, Loc loc);
void small_see(Small *w, const char *name, const Type *t); /* a variable is in scope */

/* ---- small_known.c ---- */

bool small_int(Small *w, Ast *n, int64_t *value); /* an expression's value, if csc knows it */
bool small_bool(Small *w, Ast *n, bool *value);
/* A checked copy; NULL: it has errors. */
const Ast *small_checked(Small *w, const Ast *n);
const Type *small_type(Small *w, const Ast *n);
bool small_mentions(const Small *w, Ast *n); /* does a tree have the name of one? */
bool small_effects(Ast *n);                  /* does it assign? */

/* ---- small_elements.c ---- */

/* Is it an array whose elements are known? How many? */
bool small_box(Small *w, Ast *n, SmallBox *box);
/* Those of such an expression, rewritten, of this type. */
AstList small_elements(Small *w, Ast *n, const Type *type);
/* A tree with a number in place of a name. */
Ast *small_put(Small *w, const Ast *tree, const char *name, int64_t value);
/* The call of a version, where n calls what has one: NULL: it has none. */
Ast *small_call(Small *w, Ast *n, SmallResult *result);
/* The same, without making it: is there one? */
bool small_calls(Small *w, Ast *n, SmallResult *result);

/* ---- small_given.c ---- */

/* The function that an argument for a parameter of type t is; NULL: it is none that csc knows. */
const SmallGiven *small_given(Small *w, Ast *n, const Type *t);
bool small_given_is(Sema *s, const char *name); /* is a function of this name one? */
/* A parameter for what a function reads that is given for parameter number `param`. */
const char *small_given_name(Sema *s, int param, const char *captured);
/* The callee's body, where the parameter `name` is called; false: it is not only called. */
bool small_given_put(Sema *s, Ast **body, const char *name, int at, const SmallGiven *given);
void small_given_free(Sema *s);

/* ---- small_ranges.c ---- */

typedef struct SmallRanges {
    int n;
    const char *names[SMALL_PARTS];
    int64_t lo[SMALL_PARTS], hi[SMALL_PARTS];
} SmallRanges;

/* Of these binders, and of the names in the body that nobody declares if `implicit`; false: they are not known. */
bool small_ranges(Small *w, const AstList *binders, Ast *body, bool implicit, SmallRanges *out);
int64_t small_points(const SmallRanges *ranges);
/* The body at point number `at`, in the order of memory. */
Ast *small_at(Small *w, const Ast *body, const SmallRanges *ranges, int64_t at);

/* ---- small_numbers.c ---- */

void small_number(Ast **slot, void *small); /* rewrites an expression that is no such array */

/* ---- small_values.c ---- */

/* A declaration: its array gets this value, by elements; false: it is to be an array. */
bool small_gets(Small *w, Loc loc, const char *name, const Type *t, Ast *value, AstList *out);
void small_assignment(Small *w, Ast *n, AstList *out);  /* an EXPR_STMT */
const SmallArray *small_target(Small *w, const Ast *n); /* the array that is named; NULL: none is */
Ast *small_bare(Ast *n);                                /* an item of a tuple without its name */
bool small_reads(Ast *n, const char *name);
/* Where statements can stand before what is evaluated: none, if it assigns. */
AstList *small_before(AstList *out, Ast *n);
/* small_number, small_elements with statements in front there. */
void small_number_in(Small *w, Ast **slot, AstList *before);
AstList small_elements_in(Small *w, Ast *value, const Type *t, AstList *before);

/* ---- small_statements.c ---- */

void small_see_all(Small *w, const Ast *n); /* what a statement, as it is written, declares */
void small_list(Small *w, AstList *stmts);

#endif
