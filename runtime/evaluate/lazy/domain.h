/* The domain of a lazy value, and whether the domains that it is made of agree. */
#ifndef CS_RUNTIME_DOMAIN_H
#define CS_RUNTIME_DOMAIN_H

#include "lazy.h"

/* The ranges of all parameters of g with these captures (none of a scalar), agreements checked. False with an
 * exception pending. */
bool domain_find(Graph *g, const CsValue *captures, const CsSite *site, FdBox *box);
/* The same if they are those of one of the last times; else NULL, and nothing is pending. Until it is asked again. */
const FdBox *domain_again(Graph *g, const CsValue *captures);
/* Do they depend on the value of this scalar, as far as g was asked for them? */
bool domain_asks(const Graph *g, int slot);

#endif
