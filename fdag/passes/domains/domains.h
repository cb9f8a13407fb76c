/* Shared by the files of domain inference, and by nothing else. */
#ifndef CS_FDAG_DOMAINS_H
#define CS_FDAG_DOMAINS_H

#include "../../internal.h"

typedef struct DomVar {
    const FdNode *var, *binder;
    int index;      /* of the variable in its binder */
    FdDom dom;      /* once known */
    bool known;     /* settled */
    bool open;      /* was to be inferred */
    FdiMap *inside; /* of a binder in a branch: what is evaluated whenever it is; else NULL */
} DomVar;

/* An index with variables in it: argument `param` of an application. */
typedef struct DomUse {
    const FdNode *apply;
    int param;
    bool strict; /* evaluated whenever the graph is: not in one branch alone */
    bool affine; /* then `index` says how */
    FdiIndex index;
} DomUse;

typedef struct Domains {
    Fd *fd;
    FdGraph *graph;
    FdiNodes nodes; /* operands first, so inner binders first */
    VEC(DomVar) vars;
    FdiMap number; /* variable -> its place in vars */
    VEC(DomUse) uses;
    VEC(FdAgree) agrees; /* found */
} Domains;

/* Fills nodes, vars and uses from the graph, after giving each binder variables of its own. */
void domains_gather(Domains *d);
DomVar *domains_var(const Domains *d, const FdNode *var); /* NULL if the graph does not bind it */
/* Is the use evaluated whenever v has a value: not in a branch inside of v's binder? */
bool domains_strict(const DomUse *u, const DomVar *v);

/* Is the index one variable and a constant, its factor 1? */
bool domains_is_plain(const DomUse *u);
/* domains_agree.c. Of the functions that v indexes plainly: each with the first, a finite one if any. */
void domains_agree(Domains *d, const DomVar *v);

/* The domain of the function of a use, at its arguments; not yet: a let whose own range is not
 * settled; none: it is full. */
typedef enum Bounds { BOUNDS_YES, BOUNDS_NOT_YET, BOUNDS_NONE } Bounds;
Bounds domains_bounds_of(Domains *d, const DomUse *u, FdDom *out);

#endif
