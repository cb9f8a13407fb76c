/* csc --explain=ranks: how an evaluation is divided over ranks. */
#ifndef CS_DRIVER_EXPLAIN_RANKS_H
#define CS_DRIVER_EXPLAIN_RANKS_H

#include "../../base/report/source.h"
#include "../../codegen/kernel/codegen.h"
#include "../../sema/sema.h"

/* Its place and its line of the source, before what is said of it. */
void explain_place(const Sources *sources, const SemaEvaluation *e, Text *out);
/* Appends lines: what is cut, what ranks read, what all get and why, or why it is not divided. By the analysis of the run, for
 * four ranks and for lengths that are taken to be large where csc does not know them. text: of its kernels, NULL: it has none. */
void explain_ranks(const SemaResult *sema, const Sources *sources, const SemaEvaluation *e,
                   const FdOrder *order, const char *text, Text *out);

#endif
