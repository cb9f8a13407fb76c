/* Attributes that change no kernel: those that are in no graph, and those for which no kernel that is
 * known now has a parameter. */
#ifndef CS_DRIVER_STEERING_H
#define CS_DRIVER_STEERING_H

#include "job.h"

typedef struct Steered {
    const char *hint; /* the attribute as graphs have it */
    bool known, used; /* an evaluation has it; a recipe asked for what it sets */
} Steered;

Steered *steering_begin(Job *j); /* one an attribute, in the arena */
/* Of the hints of a graph, of which `asked` says what its kernels asked for. */
void steering_note(Job *j, Steered *all, const char *hints, const CgAsked *asked);
void steering_warn(Job *j, const Steered *all);

#endif
