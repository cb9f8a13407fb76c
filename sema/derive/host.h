/* Derivatives of functions that the host runs: statements, loops and branches. Such a function is brought into a
 * normal form (normal.c), of which two others are made: one that goes back (back.c), one that goes along (along.c).
 * Both are trees that the user could have written; each expression in them is differentiated as a graph. */
#ifndef CS_SEMA_DERIVE_HOST_H
#define CS_SEMA_DERIVE_HOST_H

#include "../check/check.h"

/* ---- facts.c: what checking a copy tells ------------------------------------------------------ */

typedef enum FactKind {
    FACT_DECLARED, /* a variable */
    FACT_CALL,     /* a call of a function with loops */
    FACT_ELEMENT, /* an element of an array that is a variable, at a place that no bound variable tells */
    FACT_ROW,    /* rows of such an array: a slice with places, at no bound variables */
    FACT_CHOICE, /* c ? a : b, a real */
    FACT_VALUE,  /* what a slice is given, switch or foreach looks at */
    FACT_CHECK,  /* a call for which nothing changes: it may throw */
    FACT_ARRAY   /* a new array of elements that are written, which no bound variable tells */
} FactKind;

typedef struct Fact {
    FactKind kind;
    Loc loc;
    const Type *type;
    Symbol *called;   /* of a CALL */
    const char *name; /* of what is declared or called; NULL: it has none */
    bool under;       /* the call is made under bound variables, or promoted */
    bool
        value; /* of values that gives one: a graph differentiates it, too (fdag/adjoint/forward.c) */
} Fact;

typedef struct Facts {
    VEC(Fact) list;
    bool good;   /* the copy has no errors */
    bool listed; /* new arrays of so many elements that no graph makes them (lower/listed.c) */
} Facts;

/* Of a lambda: its list is the caller's. Of a function: they live as long as the unit. */
Facts *facts_of_lambda(Sema *s, const Ast *lambda);
const Facts *facts_of_function(Sema *s, Symbol *f);
const Fact *facts_at(const Facts *facts, const Ast *n, FactKind kind);
/* Can no graph hold the derivative, since what is called has loops or calls what has some? */
bool facts_calls_loops(const Facts *facts);
bool facts_all_values(const Facts *facts); /* can a graph have all these calls? */

/* ---- normal.c: the normal form ------------------------------------------------------------------ */

typedef struct Variable Variable;
typedef VEC(Variable *) Variables;
struct Variable {
    const char *name;
    const Type *type;
    Ast *definition;         /* of a function that is defined here; NULL: of others */
    Variables reads;         /* what the definition reads */
    const Variable *changed; /* of a definition: it reads this one, which has changed since */
    bool set;                /* has a value by now */
    bool differentiated;     /* a parameter: it is differentiated by */
    bool active;             /* depends on what is */
    const char *bar; /* its change, or what the result changes by it, in the code that is made */
    bool
        passed; /* the old value of an element that gets more: what that changes by stays where it is */
    bool rows;            /* it is made of rows of an array, or for them */
    bool declared, given; /* does bar have a place, a value? */
    const char *log; /* what notes elements that are overwritten, where something does; else NULL */
};

typedef enum StepKind {
    STEP_RUN,      /* `value` is a statement that assigns nothing */
    STEP_ASSIGN,   /* target = value; a declaration, or a DEFINE */
    STEP_GET,      /* target = value, an element or rows of `array` */
    STEP_PUT,      /* value, an element of the target, = `array`, which is no array here */
    STEP_CALL,     /* target = callee(args), which has loops */
    STEP_FUNCTION, /* the definition of a function: `target` */
    STEP_IF,       /* value ? first : second */
    STEP_LOOP      /* while (value) first */
} StepKind;

typedef struct Step Step;
typedef VEC(Step) Steps;
struct Step {
    StepKind kind;
    Loc loc;
    Variable *target;
    Variable *declared; /* of RUN: the variable that it declares, without a value; or NULL */
    bool declares;      /* the target */
    bool over;          /* the target had a value */
    bool more;       /* of PUT: the element is what it was and more, of which nothing else knows */
    Variable *array; /* also of ASSIGN with rows: the variable that they get */
    Ast *value;
    Ast *written;    /* of ASSIGN: what is run in place of it, a statement; or NULL */
    Ast *rows;       /* of these: rows of the target that it sets, as those of GET; or NULL */
    Variables reads; /* of IF and LOOP: also what is inside reads that is outside */
    Symbol *callee;
    Ast *object; /* whose method it is, which is a constant; NULL: it is none */
    AstList args;
    Variables
        others; /* of CALL: where the result is a value that holds arrays its fields are the target and these */
    const Type *whole; /* that value's type; or NULL */
    Variables
        given; /* of CALL: the variable that is an argument, NULL: an expression without derivative */
    Steps first, second;
    Variables writes; /* of IF and LOOP: what is outside and is assigned */
    Variables keeps;  /* of these what had a value before */
    const Ast
        *states; /* of LOOP: how many it may keep ([Checkpoint]); NULL: what memory has room for */
};

typedef struct Normal {
    Sema *s;
    Loc loc;
    Variables params, all; /* all: every variable */
    const Type *type;      /* of what it returns */
    Variables results;     /* that, or the fields of a value that holds arrays */
    Steps steps;
    bool good;   /* false: it is reported what has no derivative */
    bool leaves; /* loops return: the result has a value from the start */
} Normal;

/* Of statements over parameters with these names and types, whose result is of this type. The tree is taken to
 * pieces: give a copy. */
void normal_form(Sema *s, Normal *out, const Facts *facts, Ast *body, AstList params,
                 const Type *result);
void normal_free(Normal *n);
/* Marks what depends on the active parameters. False after a report: what does has no derivative. */
bool normal_activity(Normal *n);
bool normal_is_discrete(const Type *t); /* the derivative of such values is zero */
/* What a step's value reads at last, and the definitions of functions that it uses, in their order. */
void normal_reads(const Step *step, Variables *plain, Variables *functions);
/* Is it a new array whose lengths alone depend on something? */
bool normal_is_zeros(const Step *step);
/* Target number i of a step; NULL: it has not so many. */
Variable *normal_target(const Step *step, size_t i);
bool normal_has(const Variables *list, const Variable *v);
void normal_add(Variables *list, Variable *v);
void normal_add_all(Variables *list, const Variables *more);

/* ---- code.c: pieces of what is made ----------------------------------------------------------------- */

/* A list of statements that grows. */
typedef struct Code {
    Sema *s;
    AstList *out;
} Code;

const char *code_fresh(Sema *s, const char *what);
const char *code_change(Sema *s, const char *name); /* of the change of this variable */
void code_add(Sema *s, AstList *out, Ast *stmt);    /* to a list */
void code_local(Sema *s, AstList *out, Loc loc, const Type *t, const char *name, Ast *init);
void code_set(Sema *s, AstList *out, Loc loc, const char *name, Ast *value);
/* The step itself, as the original has it; steps inside as well. */
void code_step(Sema *s, AstList *out, const Step *step);
/* Declares a result, or its change, under this name. */
void code_result(AstList *out, const Normal *n, const Variable *result, const char *name);
/* What is returned, of the values of the results. */
Ast *code_returned(Sema *s, Loc loc, const Type *t, AstList values);
void code_steps(Sema *s, AstList *out, const Steps *steps);
/* Declares a call's targets, of its result. */
void code_results(Sema *s, AstList *out, const Step *step, Ast *value);
Ast *code_block(Sema *s, Loc loc, AstList stmts);
Ast *code_if(Sema *s, Loc loc, Ast *cond, AstList then, AstList other);
Ast *code_while(Sema *s, Loc loc, Ast *cond, AstList body);
Ast *code_tuple_type(Sema *s, Loc loc, int n, const Type *const *types);
/* NAME<(types)>, of the library. */
const Type *code_library_of(Sema *s, Loc loc, const char *name, int n, const Type *const *types);
void code_add_item(Sema *s, Ast *tuple, Ast *type);  /* to a TYPE_TUPLE */
Ast *code_default(Sema *s, Loc loc, const Type *t);  /* default(t) */
Ast *code_zero(Sema *s, Loc loc, const Variable *v); /* of its type and ranges */
/* The sum of two changes of the same type. */
Ast *code_plus(Sema *s, Loc loc, const Type *t, Ast *a, Ast *b);
/* The value of a step as a function of the variables among its reads that are active: a LAMBDA. False after a
 * report: they are too many. */
Ast *code_lambda(Sema *s, const Step *step, Variables *by);
Ast *code_derivative(Sema *s, Ast *lambda, const Type *t, int k, const Variables *by, int nmore,
                     Ast *const *more);
/* What is made in place of a function: what goes along gives (value, change), what goes back the derivatives, both
 * (value, derivatives); of the change that alone. */
typedef enum DerivedWay { DERIVED_ALONG, DERIVED_BACK, DERIVED_BOTH, DERIVED_CHANGE } DerivedWay;

/* A function, and what it is made of. */
typedef struct DerivedFrom {
    Symbol *of;
    DerivedWay way;
    unsigned by;
    Symbol *f;
} DerivedFrom;

/* A call of what is made in place of a step's callee, over the active arguments. Derivatives are `parts` parts, of
 * which one is that of each active argument (from 1 on). */
typedef struct Call {
    Ast *call; /* NULL after a report */
    Variables by;
    VEC(int) part;
    int parts;
} Call;
Call code_call(Sema *s, const Step *step, DerivedWay way);

/* ---- log.c: elements that loops overwrite -------------------------------------------------------------- */

typedef struct Log {
    Variable *v;
    const char *name, *mark; /* of the log, and of a variable for how much of it there was */
} Log;
typedef VEC(Log) Logs;

bool log_can(const Steps *steps, const Variable *v); /* do they change but elements of it? */
/* Variables of which the loop changes single elements alone, where nothing around logs them, get a log each: in front
 * of the loop it begins. Of `these`, which may be all that it keeps. */
void log_begin(Sema *s, AstList *out, const Step *loop, const Variables *these, Logs *logs);
void log_use(const Logs *logs, bool on); /* sets Variable.log of theirs */
Ast *log_count(Sema *s, Loc loc, const Variable *v);
/* Before an element, or rows, are overwritten. */
void log_put(Sema *s, AstList *out, const Step *put);
/* Puts back what was overwritten since the log had so many. */
void log_undo(Sema *s, AstList *out, Loc loc, const Variable *v, Ast *count);

/* ---- tape_rows.c ---- */

/* Is it a step of a row of one dimension, whose elements are numbers of one type? Such go back by element. */
bool tape_rows_are(const Step *step);

/* ---- split.c: values that hold arrays, as their fields --------------------------------------------------- */

typedef struct Leaf {
    const char *name; /* of a variable for it */
    const Type *type;
    Ast *value; /* of the whole; NULL: that is not known */
} Leaf;
typedef VEC(Leaf) Leaves;

/* The fields of a value of such a type, those of values in it in their place. */
void split_leaves(Sema *s, const char *name, const Type *t, const Ast *value, Loc loc, Leaves *out);
/* The value of its fields, from number *at on; as a tuple whatever it is, if it is to be taken apart. */
Ast *split_whole(Sema *s, Loc loc, const Type *t, AstList fields, int *at, bool tuple);

/* Has a function variables with such values, or calls what gets or is a method of one? Then its version with fields
 * in their place is differentiated, whose other parameters are f's. NULL after a report. */
bool split_wanted(const Facts *facts, bool results); /* results: or what gives one */
Symbol *split_version(Sema *s, Symbol *f, Loc loc);

/* ---- small_version.c: local arrays of a few elements, as these --------------------------------------------- */

/* f with variables in place of its local arrays of a few elements; f itself where it has none, or csc does not know
 * enough of them. Its parameters and its result are the same. */
Symbol *small_version(Sema *s, Symbol *f, Loc loc);
void small_free(Sema *s);

/* ---- back.c, along.c: statements of the function that is made, from the normal form whose parameters are marked
 * active; its last one returns what is asked for. */

/* (value, derivatives), or the derivatives alone; seed: the name of a parameter, NULL: 1. */
void back_statements(Sema *s, Normal *n, const char *seed, bool value, AstList *out);
/* (value, change), or the change alone; the changes of parameters have their names already. */
void along_statements(Sema *s, Normal *n, bool value, AstList *out);

/* ---- given.c: [Derivative(g)] ---------------------------------------------------------------------------- */

bool given_is(const Symbol *f);       /* does f have one? */
void given_check(Sema *s, Symbol *f); /* reports where what it names is no such function */
/* g, which takes f's arguments and a seed and gives the derivative by each real or array of reals among them, a
 * tuple if they are several; NULL after a report: there is no such function. */
Symbol *given_function(Sema *s, Symbol *f, Loc loc);
/* What goes along: its parameters, statements and type of result; false after a report. */
bool given_along(Sema *s, Symbol *f, DerivedWay way, unsigned by, Loc loc, AstList *params,
                 AstList *stmts, Ast **result);
/* How many parts g gives, and which of them (from 1 on) parameter i's is. */
int given_parts(const Symbol *f, int i, int *part);

/* ---- host.c ------------------------------------------------------------------------------------------- */

/* What is made in place of f, differentiated by the parameters whose bits are set. Its parameters are those of f, then
 * the seed or the changes. NULL after a report. Of a [Derivative] there are not both. */
const Symbol *derived_function(Sema *s, Symbol *f, DerivedWay way, unsigned by, Loc loc);
/* Gives a function that is made its declaration, whose types are found. Gives it. */
Symbol *derived_settle(Sema *s, Symbol *made, Ast *decl);
/* Of what goes back, which is no function that a program could have: what it is made of; NULL: f is another. */
const DerivedFrom *derived_from(Sema *s, const Symbol *f);
/* What f is made into before it is differentiated. NULL: it is not yet. */
typedef enum DerivedVersion {
    VERSION_SPLIT,  /* with the fields of its parameters in their place (split.c) */
    VERSION_ARRAYS, /* with arrays in place of functions of integers (arrays.c) */
    VERSION_REFS,   /* giving what it sets (refs.c) */
    VERSION_SMALL   /* with variables in place of arrays of a few elements (small_version.c) */
} DerivedVersion;
Symbol *derived_version(Sema *s, DerivedVersion kind, const Symbol *f);
/* A copy of f to be a version of it: by a name of its own, without a type and what was found out of f. */
Symbol *derived_copy(Sema *s, const Symbol *f, const char *what);
void derived_add_version(Sema *s, DerivedVersion kind, const Symbol *f, Symbol *made);
/* The same of one whose declaration is made: its types are found, too. Gives it. */
Symbol *derived_declare(Sema *s, DerivedVersion kind, const Symbol *f, Symbol *made);
/* It was none: to be told again where that is told. */
void derived_drop_version(Sema *s, DerivedVersion kind, const Symbol *f);
/* ---- arrays.c ---- */
const Type *arrays_of(Sema *s,
                      const Type *t); /* the array in place of such a function; NULL: it is none */
Symbol *arrays_version(Sema *s, Symbol *f);
/* ---- refs.c ---- */
bool refs_is(const Symbol *f); /* has it parameters by `ref` or `out`? */
/* The function that takes them by value and gives them: a tuple of its result, if it has one, and of each of them. */
Symbol *refs_version(Sema *s, Symbol *f);
/* ---- second.c: the same of what goes back: its parameters, statements and type of result; false after a report */
bool second_function(Sema *s, const DerivedFrom *m, DerivedWay way, unsigned by, Loc loc,
                     AstList *params, AstList *stmts, Ast **result);

/* ---- lift.c ---- */

/* The derivative of a lambda as a call of a function of the program; false: it reads what cannot be a parameter. */
bool lift_derivative(Sema *s, Loc loc, Ast *lambda, AstList params, const Type *result, HostWay way,
                     AstList args, Ast **out);
/* A function's tree as it is written: calls of Grad and its like, as what they became when the function was checked. */
void lift_expand(Sema *s, const Symbol *in, Ast **tree);
void lift_free(Sema *s);

/* A name for f that means it everywhere. */
const char *derived_plain(Sema *s, Symbol *f);

#endif
