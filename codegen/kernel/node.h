/* Questions about single nodes, and about reductions as nodes, that all of code generation asks (node.c). */
#ifndef CS_CODEGEN_NODE_H
#define CS_CODEGEN_NODE_H

#include "../../fdag/fdag.h"

bool reduction_is_closed(const FdNode *reduce); /* ranges known beforehand */
/* What combines with any operand to that operand, of an elementary operation: also of min and max. */
bool reduction_identity(const FdNode *reduce, ScalarValue *v);
bool node_is_closed(const FdNode *n);    /* uses no bound variable */
ScalarKind result_kind(const FdNode *n); /* of a scalar node */
size_t widest_bytes(const FdNode *n);    /* the widest scalar type among a node's values */
/* Is n the read of an array: slot(index..), or of the recurrence itself? */
bool is_read(const FdNode *n);
/* Does n call a function that reads arrays, or is it one? Only its body knows the indices. For fd_any. */
bool calls_reader(const void *ctx, const FdNode *n);
bool is_make(const FdNode *n);
bool is_field(const FdNode *n);
/* The read whose element n is a field of, or a field of a field; NULL if it is no such thing. */
const FdNode *field_of_read(const FdNode *n);
/* The identity of the user function that reduces; NULL: it has none, or it is none. */
const FdNode *user_identity(const FdNode *reduce);
/* The local array that a statement changes; NULL: none. */
const FdNode *local_array_of(const FdStmt *s);

#endif
