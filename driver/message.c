/* Messages of the driver. */
#include <stdarg.h>
#include <stdio.h>

#include "message.h"

void complain(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("csc: error: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}
