/* Functions of a file that have an attribute ([Test], [Bench]), and the program of the file's declarations that
 * can call each of them: its statements are left out. */
#ifndef CS_DRIVER_CASES_H
#define CS_DRIVER_CASES_H

#include "../../base/arena.h"
#include "../../base/text.h"
#include "../../base/vec.h"
#include "../options.h"

typedef struct Cases {
    VEC(const char *) names; /* "area", "Shape.Area"; of [Test(1, 2)] "area(1, 2)" */
    VEC(const char *) calls; /* "area()", "area(1, 2)" */
    Text source;             /* the file's */
    Text program;            /* the declarations, each where it was */
} Cases;

/* Names are in the arena. False after messages. */
bool cases_read(const Options *o, const char *path, const char *attribute, Arena *a, Cases *c);
/* `switch (CHOICE) { .. }` behind the program: the call of the one whose number CHOICE is, as text. */
void cases_add_calls(Cases *c, const char *choice);
void cases_free(Cases *c);

#endif
