/* Calls, overloads and the library: what this folder offers the others. */
#ifndef CS_SEMA_CALL_H
#define CS_SEMA_CALL_H

#include "../check/state.h"

/* ---- library.c: functions of the library that take functions ------------------------------ */

bool is_fold(Sema *s, const Ast *n); /* Fold(f, init, step), Fold(i : r, e, init, step) */
void check_fold(Sema *s, Ast *n);
/* Clamp(f), Constant(f, v) and so on, whose arguments are checked; false for other rows. */
bool check_extension(Sema *s, Ast *n, Symbol *sym);

/* ---- derive/grad.c: Grad, WithGrad, Vjp, Jvp ------------------------------------------------- */

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

/* ---- derive/kinds.c -------------------------------------------------------------------------- */

/* Has it derivatives: a real, a record with some whose fields may have any values, or an array of these? */
bool kind_is_real(const Type *t);
bool kind_is_free(const Type *t);   /* may the fields of its records have any values? */
bool kind_has_reals(const Type *t); /* are there some in it, or in the values of this function? */

/* ---- derive/: functions with loops, which the host runs --------------------------------------- */

typedef enum HostWay {
    HOST_BACK,       /* the derivatives by the parameters: one, or a tuple */
    HOST_BACK_SEED,  /* the same; the seed is behind the arguments */
    HOST_BACK_VALUE, /* (value, these) */
    HOST_ALONG       /* (value, change); the directions are behind the arguments */
} HostWay;

/* Does a lambda with typed parameters call functions with loops, which no graph can hold? Then *out is its derivative
 * at these arguments, an unchecked call; NULL after a report. `types`: of its parameters. */
bool derived_derivative(Sema *s, Loc loc, Ast *lambda, const Type *const *types, const Type *result,
                        HostWay way, AstList args, Ast **out);
/* A final class or tuple that holds arrays of reals: what is differentiated by is its fields (derive/split.c). */
bool split_is(const Type *t);
/* The derivative by n parameters some of which are such: an unchecked call of a block that has `grad`, the name of Grad
 * or its like, of the fields. NULL after a report. */
Ast *split_derivative(Sema *s, const char *grad, Ast *lambda, const Type *const *types, int n,
                      const Type *result, HostWay way, AstList args);
/* A call of a function by a name that derived_derivative made: checks it. False: it is none. */
bool derived_call(Sema *s, Ast *n);
void derived_free(Sema *s);
void facts_free(Sema *s);

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

/* arguments.c. False after a report: a binder is no argument. */
bool argument_form(Sema *s, const AstList *args, int i);
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
/* Is there void Deconstruct(this T x, out ..), not generic, with n parts of values of this type? */
bool extension_takes_apart(Sema *s, const Type *t, int n);

/* ---- beside.c: what the table's spaces have in C$ -------------------------------------------- */

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

/* ---- show.c: what a session shows ------------------------------------------------------------- */

/* Has it a text of its own in a session, or has what it is made of? */
bool is_shown_by_library(Sema *s, const Type *t);
/* A call of the library's ShownOf becomes what shows a value of that type. */
bool show_call(Sema *s, Ast **slot, const Symbol *f);

/* ---- intrinsic.c: what values of every type have --------------------------------------------- */

/* A call of a row of space "any": true if it is done, reported or not. */
bool intrinsic_call(Sema *s, Ast *n);
/* In the library's OrderIfAny: x.CompareTo(y) of a type that has none becomes NoOrder(), which throws. */
bool intrinsic_no_order(Sema *s, Ast *n);

/* ---- infer.c: type arguments of calls -------------------------------------------------------- */

/* The type of the first parameter of a generic function for an argument like this one, by it and the
 * type arguments that are written; NULL: they do not tell, or it does not fit. */
const Type *generic_receiver(Sema *s, const Symbol *g, const AstList *targs, const Ast *arg);

/* The type of parameter i of a generic function for these type arguments, or, where none are written,
 * for those that the other arguments tell; NULL: they are not all. */
const Type *generic_parameter(Sema *s, const Symbol *g, const AstList *targs, int i, AstList args);
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

#endif
