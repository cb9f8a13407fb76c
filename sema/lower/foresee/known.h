/* What foresee.c knows while it follows host code: values, as far as they matter for graphs, and the
 * variables that have them. */
#ifndef CS_SEMA_KNOWN_H
#define CS_SEMA_KNOWN_H

#include "../../../base/vec.h"
#include "../../../fdag/compose/composition.h"
#include "../build.h"

typedef enum ValueKind { VAL_OTHER, VAL_UNKNOWN, VAL_ARRAY, VAL_LAZY, VAL_OBJECT } ValueKind;

/* Values are compared by identity: one object of the runtime is one Value. */
typedef struct Value Value;
struct Value {
    ValueKind kind;
    const FdGraph *graph; /* LAZY */
    const FdGraph *of; /* LAZY: the program's: that, or what it is a part of; NULL: there is none */
    Value **captures;  /* one a slot */
    int depth;         /* LAZY: of what is composed in it; OTHER: loops around where it was made */
    bool
        reduces; /* LAZY: its elements, or those of what it is composed of, do (fd_elements_reduce) */
    bool put;    /* LAZY: elements are set, so it is no evaluation but in turns */
    Value *result;         /* LAZY: the array, once it was evaluated */
    const SemaGraph *with; /* LAZY: of the TOGETHER in which it was; NULL: in none */
    Value *through;        /* ARRAY: the value in whose place it is, while turns are composed */
    FdLinear number;       /* OTHER: an integer */
    FdKnown *domain;       /* ARRAY, LAZY: once asked for */
    uint32_t visit, index; /* composing: the composition that saw it, its number there */
};

/* A variable, of functional type or an integer; the last one of a symbol counts. */
typedef struct Known {
    const Symbol *sym;
    Value *value;
} Known;

/* A field of an object that holds arrays or functions; object NULL: a static one. */
typedef struct KnownField {
    const Value *object;
    const Symbol *sym;
    Value *value;
} KnownField;

/* A composition that was made: the same graphs with the same captures make the same one. */
typedef struct Composed {
    uint64_t hash;
    size_t at, len; /* in Foresee.walks: the graph, and what its walk met */
    bool evaluated; /* what known_evaluated said */
    int number;     /* of the evaluation in Foresee.found; -1: none */
} Composed;

typedef struct Chosen { /* a graph of fdag/choice.c: each is one, as for the runtime */
    FdChosen what;
    const FdGraph *of; /* the program's, of whose function it gives a part; NULL: of an array */
    const FdGraph *graph;
} Chosen;

typedef struct KnownTurns {
    int period, loops; /* around them */
    FdKey key;
    SemaEvaluation evaluation;
    SemaTurns turns; /* n 0: it is of no turns */
} KnownTurns;

enum {
    KNOWN_MAX_DEPTH = 64, /* of graphs; the runtime composes no deeper either */
    KNOWN_MAX_CALLS = 16, /* that are followed, one inside the other */
    KNOWN_MAX_WAYS = 16   /* in which a graph is evaluated; of more, nothing is known */
};

typedef struct Foresee {
    SemaResult *r;
    Arena *arena;
    Fd *fd;
    VEC(Known) known;
    VEC(KnownField) fields;
    VEC(SemaEvaluation) found;
    VEC(FdKey) keys;
    VEC(Composed) composed;
    VEC(uint64_t) walks;
    VEC(Chosen) chosen;
    VEC(Value *) arrays;   /* values of which these were evaluated (turns.c) */
    size_t nfields;        /* how many were known before the innermost loop */
    size_t begun;          /* how many turns were found before the innermost loop */
    size_t turn;           /* how many these were when the turn of the innermost loop began */
    bool older;            /* the last arrays may be turns, of which more have to be seen */
    VEC(KnownTurns) turns; /* of loops: evaluations behind all others */
    VEC(FdKnown) slots;    /* what is known of those of the last walk, in their order */
    uint32_t visit;
    uint32_t natoms, atoms;     /* numbers that nobody knows, so far; before the innermost loop */
    int calls, loops, followed; /* that we are in; calls so far */
    const Symbol *within[KNOWN_MAX_CALLS]; /* the calls */
    bool ahead;                            /* what is evaluated has been evaluated together */
    bool beside;                           /* it may not be evaluated, so it is of no turn */
    const SemaGraph *with;                 /* of the TOGETHER that we are in */
    Value *other, *unknown, *returned;
    Value *self; /* `this`; NULL: there is none */
} Foresee;

/* ---- values --------------------------------------------------------------------------------- */

Value *known_array(Foresee *f);              /* a new one */
Value *known_any(Foresee *f, const Type *t); /* what is known by the type alone */
bool known_keeps(const Type *t);     /* functional types, and objects that hold values of such */
Value *known_seen(Value *v);         /* as what it is captured: its array, once there is one */
bool known_is(const Value *v);       /* an array or a graph */
int known_depth(const Value *v);     /* of graphs that are composed in it */
bool known_reduces(const Value *v);  /* does each element take a reduction? */
uint32_t known_full(const Value *v); /* infinite dimensions, as far as its graph says */
/* It is evaluated here. False: it is not known, or only some of what it gives is evaluated by it. `of`:
 * the graph of a TOGETHER, whose value it is; else NULL. */
bool known_evaluated(Foresee *f, Value *v, const SemaGraph *of, Loc loc);
Value *known_forced(Foresee *f, Value *v, Loc loc); /* all of a functional value, as an array */
/* The same of several, by one evaluation; false: they are not better together. */
bool known_together(Foresee *f, int n, Value *const *values, const FdType *const *types, Loc loc);
/* The value of a graph that the runtime makes (fdag/choice.c); second: NULL, g of f ?? g, or the array. */
Value *known_chosen(Foresee *f, const FdChosen *what, Value *first, Value *second);
Value *known_coalesced(Foresee *f, const Type *t, Value *first, Value *second); /* f ?? g */

/* What an expression gives, or a statement does (foresee.c). */
Value *foresee_value(Foresee *f, Ast *n);

/* ---- variables ------------------------------------------------------------------------------ */

typedef VEC(const Symbol *) Changed;

void known_learn(Foresee *f, const Symbol *sym, Value *v); /* it is declared */
void known_assign(Foresee *f, const Symbol *sym, Value *v);
Value *known_look_up(Foresee *f, const Symbol *sym);
/* Nothing below n has a functional value, declares a number that is kept, is called or returns: following it
 * finds out nothing. */
bool known_quiet(Ast *n);
bool known_is_given(const Ast *n);         /* ref x, out x: who is called may change it */
const Ast *known_place(const Ast *target); /* a variable or field; of x[i], x */
/* The variable that is changed where this is assigned to. NULL: none that is known of. */
const Symbol *known_changed(const Ast *target);
void known_find_changed(Ast *n, Changed *out);         /* by n, which may be NULL */
void known_forget(Foresee *f, const Changed *changed); /* they may have any value of their types */
/* Which of these variables, and fields of objects that were there before the loop, have the same value as others: equal
 * numbers if that is so. */
uint64_t known_aliases(Foresee *f, const Changed *changed);

#endif
