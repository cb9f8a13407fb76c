/* Values that hold arrays as their fields: what split.c does to expressions, wholes.c to statements. */
#ifndef CS_SEMA_DERIVE_SPLIT_H
#define CS_SEMA_DERIVE_SPLIT_H

#include "../host.h"

/* A value that is known by its fields, each of which is a variable. */
typedef struct Whole {
    const char *name;
    const Type *type;
} Whole;

typedef struct Split {
    Sema *s;
    VEC(Whole) wholes;
    const Class *self;       /* in a method: of `this`, a whole named "this" */
    FreeNames own;           /* in a method: names that are not declared in it */
    VEC(const char *) bound; /* names of variables that expressions bind */
    const Facts *facts;
    AstList *before; /* statements in front of the one that is rewritten; NULL: there can be none */
    bool good;
} Split;

/* A field of a whole, or itself: of one that is known by its fields the name of a variable, of one outside, which is a
 * constant, NULL. */
typedef struct Path {
    const char *name;
    const Type *type;
    Ast *value;
} Path;

bool split_path(Split *w, const Ast *n, Path *path);       /* false: n is none */
AstList split_values(Split *w, Loc loc, const Path *path); /* of a whole: those of its fields */
void split_rewrite(Ast **slot, void *split);
void split_fail(Split *w, Loc loc, const char *what, const char *instead);

/* ---- wholes.c ---- */

bool wholes_alike(const Type *a, const Type *b); /* the same, but for names of elements */
/* Is its every field an expression by itself? */
bool wholes_known(Split *w, const Ast *value, const Type *t);
AstList wholes_parts(Split *w, Ast *value, const Type *t); /* these, rewritten */
/* A whole of this name gets a value: declares: for the first time. */
void wholes_set(Split *w, Loc loc, const char *name, const Type *t, Ast *value, bool declares,
                AstList *out);
bool wholes_statement(Split *w, Ast **slot); /* false: it is none that wholes ask for */

#endif
