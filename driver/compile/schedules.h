/* Schedules that somebody wrote (--schedule=FILE): what --emit=schedule prints, changed by hand. */
#ifndef CS_DRIVER_SCHEDULES_H
#define CS_DRIVER_SCHEDULES_H

#include "../../base/arena.h"
#include "../../codegen/kernel/codegen.h"
#include "../options.h"

typedef struct Schedules Schedules; /* in the arena that it was read into */

/* *all: NULL if none are given. False after a message. */
bool schedules_load(const Options *o, Arena *a, Schedules **all);
/* That of the evaluation at a place of the program, the next one of those that stand there; NULL: recipes
 * choose. *name: "schedule=HASH", which is a part of the kernel's key (CgOptions.set). */
CgReading *schedules_take(Schedules *all, int line, int col, const char **name);
/* Says that the one taken is wrong: where in its file, and why. */
void schedules_refused(const Schedules *all, const CgReading *taken, const char *why);
/* Whether all were taken; else a message names one that no evaluation has. */
bool schedules_used(const Schedules *all);

#endif
