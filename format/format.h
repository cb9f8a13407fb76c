/* One layout for source texts, as gofmt has it: where lines break is the author's, everything else
 * (indentation, spaces, blank lines, the end of the file) is decided here. Comments stay where they
 * are. Works on tokens, so a text that does not parse is laid out too. */
#ifndef CS_FORMAT_FORMAT_H
#define CS_FORMAT_FORMAT_H

#include <stdbool.h>

#include "../base/intern.h"
#include "../base/report/diag.h"
#include "../base/report/source.h"
#include "../base/text.h"

/* Appends the file, laid out. Formatting what comes out changes nothing. False after errors of the
 * scanner, which are in diags; then nothing is appended. */
bool format_source(Text *out, Sources *sources, uint32_t file, Diags *diags, Interner *names);

#endif
