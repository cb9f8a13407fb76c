/* Reference counts and cycles. Who counts a reference calls cs_retain and cs_release; what no count
 * finds, values that refer to each other in a circle, the collector does (cycles.c). */
#ifndef CS_RUNTIME_COUNT_H
#define CS_RUNTIME_COUNT_H

#include "../value.h"

/* CsHead.colour. Green objects can be in no cycle, because of what they refer to; the others are
 * black, except while the collector works: gray ones are being tried, white ones found dead. */
enum { RT_GREEN, RT_BLACK, RT_GRAY, RT_WHITE };

/* Calls visit(ctx, child) for each counted reference that h owns. NULL ones are left out. */
typedef void RtVisit(void *ctx, CsHead *child);
void count_children(CsHead *h, RtVisit *visit, void *ctx);
/* Gives up what h owns besides counted references: buffers, traces. */
void count_drop_rest(CsHead *h);

/* The same of a coroutine (coroutine.c), and where count.c links the dead ones. */
void coroutine_children(CsHead *h, RtVisit *visit, void *ctx);
void coroutine_drop_rest(CsHead *h);
void **coroutine_link(CsHead *h);

/* A count fell, and not to zero: h may be part of a cycle that nobody else refers to. */
void cycles_candidate(CsHead *h);
/* Collects if that is due: enough candidates, or much memory since the last time. */
void cycles_step(void);
void cycles_end(void); /* collects, and frees the lists */

#endif
