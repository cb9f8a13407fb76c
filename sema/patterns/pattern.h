/* What the files of patterns share: a value that is asked, and the conditions that are made of it. All
 * trees are checked unless said otherwise, and live in the arena of the result. */
#ifndef CS_SEMA_PATTERN_H
#define CS_SEMA_PATTERN_H

#include "../check/check.h"

/* What a pattern is asked of. */
typedef struct Subject {
    Ast *tree;        /* unchecked, may be evaluated again; NULL: `checked` is all there is */
    Ast *checked;     /* the same, checked, to be used once; or NULL */
    const Type *type; /* NULL: not asked for yet */
} Subject;

typedef struct Match {
    Sema *s;
    int choices;      /* `or` and inner `not` around: they declare no variables */
    bool narrows;     /* an `and` goes on with what this pattern finds */
    const Ast *first; /* the whole pattern */
    AstList named;    /* patterns with variables, so far */
} Match;

/* The condition under which the value fits; NULL: it always does. */
Ast *pattern_match(Match *m, Subject *v, Ast *p);
/* parts.c: by position, whatever gives the parts; of elements from the begin and from the end. */
Ast *pattern_positional(Match *m, const Subject *whole, Ast *p, const AstList *items);
/* `operand is double.NaN`, whose pattern fits though NaN equals nothing; NULL: c is another constant. */
Ast *pattern_nan(Sema *s, Ast *operand, AstOp op, const Ast *c);
/* Of an object `(int a, string b)` asks for a tuple of these types: its tree; NULL: some part says none. */
Ast *pattern_tuple_type(Sema *s, const Ast *p);
Ast *pattern_list(Match *m, Subject *v, Ast *p);
/* Of a member or element: it is computed once, if the pattern looks at it more than once. */
Ast *pattern_part(Match *m, Subject part, Ast *p);
bool pattern_looks_again(const Ast *p);

/* Conditions; NULL stands for what is always true. */
Ast *pattern_both(Sema *s, Ast *a, Ast *b);
Ast *pattern_opposite(Sema *s, Loc loc, Ast *a);
Ast *pattern_bad(Sema *s, Loc loc); /* after a report */
Ast *pattern_null(Match *m, Subject *v, Loc loc);
Ast *pattern_constant(Match *m, Subject *v, Ast *p, AstOp op, Ast *value);

Subject pattern_subject(Ast *tree); /* unchecked */
Subject pattern_member(Sema *s, const Subject *v, Loc loc, const char *name);
const Type *pattern_type(Sema *s, Subject *v);
/* Declares the variable that a pattern names, or holds the value in one of ours: the condition that sets
 * it, which is true. */
Ast *pattern_bind(Match *m, Subject *v, Ast *p, const char *name);
Ast *pattern_hold(Match *m, Subject *v, Ast *p);

#endif
