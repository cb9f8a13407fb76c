/* Lowering: every functional expression of an annotated unit becomes a graph, and evaluations that
 * are known at compile time are composed (foresee.c). The only place where AST and FDAG meet.
 *
 * After lower_unit each maximal piece of functional machinery (promotion, reduction, let, lambda,
 * the value of a DEFINE, range, a function or operation used as a value, an element-wise
 * conversion, slices, boundary functions, Random.Uniform) is an AST_GRAPH node of the same type, a
 * scalar, a record or functional. Its captures are host expressions in the order of the slots; the
 * host evaluates them in that order. A capture is one slot, or if it is a record as many
 * consecutive slots as lower_leaves says: its scalars, those of inner records in their places. What
 * the host sees besides:
 *   - a DEFINE is a variable declaration: `sym` and `value`, whose type is the symbol's;
 *   - a CONVERT of functional type over an array of the same element type hands the array on; a
 * CONVERT to an array type evaluates its operand (cs_eval of a GRAPH, else cs_force);
 *   - a GRAPH of scalar type is evaluated (cs_scalar_i, cs_scalar_f, cs_scalar_record), unless it is
 * of scalars alone (SemaGraph.arithmetic: host code); of functional type it is built (cs_lazy);
 *   - COALESCE of functional values that depend on no bound variable (cs_coalesce), application of
 * a functional value that gives a functional value (cs_apply), CLOSUREs, and conversions of objects
 * to functional types whose Invoke no device can run;
 *   - CALL and INDEX with AST_RES_APPLY read one element;
 *   - a TOGETHER statement has the statements that follow each other, and a graph whose results are theirs
 *     (cs_ahead);
 *   - functions that graphs call on the host are r->host_users; Symbol.fdag of each is its FdUser,
 * whose name and type the program's CsNative carries.
 */
#ifndef CS_SEMA_LOWER_H
#define CS_SEMA_LOWER_H

#include "../sema.h"

/* How many slots a capture of this type takes. */
int lower_leaves(const Type *t);
/* Where a function, method, constructor or accessor keeps its body; NULL if it has none. */
Ast **lower_func_body(const Symbol *func);
/* Of each function that has one, then the program's statements. */
void lower_each_body(const SemaResult *r, void visit(Ast **child, void *ctx), void *ctx);

/* Called by sema_unit when the unit is checked and free of errors. Fills in graphs, evaluations and
 * host_users of r; graphs live in fd, all else in arena. */
void lower_unit(SemaResult *r, const Sources *sources, Diags *diags, Arena *arena, Fd *fd);

/* --emit=fdag: the statically known evaluations, then the graphs of the unit, each after a comment
 * with its place in the source. */
void lower_print_graphs(Text *out, const SemaResult *r, const Sources *sources);
/* The same evaluations after passes: what the list makes of each, or, with `after`, each graph that
 * this pass of the list leaves. False: *error says what the program does wrong, at *loc. */
bool lower_print_passes(Text *out, const SemaResult *r, const Sources *sources,
                        const FdPass *passes, const char *after, FdError *error, Loc *loc);
/* --emit=dot: the same for Graphviz, one digraph a graph. */
void lower_print_dot(Text *out, const SemaResult *r, const Sources *sources);

/* Is it a checked new array of so few elements that are written that graphs make it? */
bool lower_is_listed(const Ast *n);

#endif
