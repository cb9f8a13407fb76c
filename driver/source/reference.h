/* Pages of the library's types. */
#ifndef CS_DRIVER_REFERENCE_H
#define CS_DRIVER_REFERENCE_H

#include "../../base/text.h"
#include "../options.h"

/* Adds the page of a type or static class of the library, as Markdown; false: there is none. */
bool reference_page(const Options *o, const char *name, Text *out);

#endif
