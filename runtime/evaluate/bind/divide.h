/* How an evaluation is divided over ranks, or over blocks (codegen/kernel/divide). */
#ifndef CS_RUNTIME_DIVIDE_H
#define CS_RUNTIME_DIVIDE_H

#include "../../../codegen/kernel/divide/divide.h"
#include "numbers.h"

/* Into how many shares, if it is worth it: alike on all ranks. 1: it is not. */
int divide_shares(const Evaluation *e, const Numbers *n);
/* The division of n's schedule, in its arena; NULL: nothing of it is divided, or an exception is pending. */
const Division *divide_evaluation(const Evaluation *e, Numbers *n, int shares, const CsSite *site);
/* CS_DUMP=plan: who does what. */
void divide_dump(const Division *d, const CgSchedule *s);
/* Ranks that would do an evaluation together hear that this one does it alone. False with an exception pending. */
bool divide_alone(const Evaluation *e, const Numbers *n);
/* CS_DUMP=ranks, once for each way in which it is done. d NULL: it is not divided; device: since it runs there. */
void divide_tell(const Evaluation *e, Numbers *n, const Division *d, bool device,
                 const CsSite *site);

#endif
