/* A climb through the parameters of one evaluation: from the usual values, one parameter at a time and one
 * step up or down, on in that direction as long as it gains; until a round of all parameters gains nothing. */
#ifndef CS_DRIVER_SEARCH_H
#define CS_DRIVER_SEARCH_H

#include <stdint.h>

#include "report.h"

typedef struct Search Search;

Search *search_new(const ReportEvaluation *e, Arena *a);
void search_free(Search *s);
/* The next values to try, as CgOptions.set; NULL: there are none. */
const char *search_next(Search *s);
/* How long a call took with them, negative: they failed. Was that better? */
bool search_told(Search *s, double ns);

const char *search_best(const Search *s); /* a CgOptions.set; "": the usual values */
double search_best_ns(const Search *s);
int search_tried(const Search *s);

#endif
