/* Meaning: names, types, overloads, promotion, bound variables, purity; then lowering of functional
 * expressions to graphs. One entry point. */
#ifndef CS_SEMA_SEMA_H
#define CS_SEMA_SEMA_H

#include "../base/diag.h"
#include "../base/intern.h"
#include "../fdag/fdag.h"
#include "../parser/ast.h"
#include "builtins.h"
#include "symbol.h"
#include "types.h"

/* A graph that the program embeds: AST_GRAPH nodes name it by index. The captures of the node are the values
 * of the graph's slots, in order: functional values, or scalars. */
typedef struct SemaGraph {
    FdGraph *graph;   /* after fd_front_passes */
    const char *text; /* fd_print of it: what the program embeds */
    Loc loc;
} SemaGraph;

/* An evaluation that is statically known (sema/foresee.c): its composed graph, to be lowered to kernels and
 * embedded. */
typedef struct SemaEvaluation {
    FdGraph *graph;
    Loc loc;
} SemaEvaluation;

typedef struct SemaResult {
    Ast *unit;
    Symbol **funcs; /* user functions in source order; bodies annotated */
    int nfuncs;
    Symbol **host_users; /* user functions that graphs call on the host (FdUser without body) */
    int nhost_users;
    SemaGraph *graphs;
    int ngraphs;
    SemaEvaluation *evaluations;
    int nevaluations;
    Types *types;
} SemaResult;

/* Analyses and lowers a unit. Errors go to diags (the result is then only good for --emit=ast). All results live in
 * arena, graphs in fd. */
SemaResult *sema_unit(Ast *unit, const Sources *sources, Diags *diags, Interner *names,
                      Arena *arena, Fd *fd);

/* --emit=types: each declaration with its inferred type (and domain), in source order. */
void sema_print_types(Text *out, const SemaResult *r, const Sources *sources);

#endif
