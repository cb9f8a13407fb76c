/* csc doc. */
#ifndef CS_DRIVER_DOC_H
#define CS_DRIVER_DOC_H

#include "../options.h"

/* What the files declare, with their comments that begin with ///: Markdown, or HTML if the output's
 * name ends so. What is no file, but a type of the library, has its page. The tags of C#'s comments (<summary>, <param>, <returns>, <c>, <see>) become text.
 * Returns the exit code. */
int doc(const Options *o);

#endif
