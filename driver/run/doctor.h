/* csc --doctor. */
#ifndef CS_DRIVER_DOCTOR_H
#define CS_DRIVER_DOCTOR_H

#include <stdbool.h>

#include "../options.h"

extern const char doctor_program[]; /* doctor.cs$ */

/* Looks at all that compiling and running need (the linker, the runtime, OpenCL's drivers and devices,
 * caches), says what it finds, and of each problem what to do. True: there is none. */
bool doctor(const Options *o);

#endif
