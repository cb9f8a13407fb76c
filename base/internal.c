#include "internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "mem.h"

static void (*told)(const char *where, const char *what);

void internal_on_error(void (*note)(const char *where, const char *what))
{
    told = note;
}

void internal_error(const char *where, const char *what)
{
    if (told && mem_trying()) {
        told(where, what);
        mem_fail(0);
    }
    fprintf(stderr, "internal error: %s: %s\n", where, what);
    abort();
}
