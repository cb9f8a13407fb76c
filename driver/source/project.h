/* Projects: folders with a csdollar.json. */
#ifndef CS_DRIVER_PROJECT_H
#define CS_DRIVER_PROJECT_H

#include "../options.h"

/* csc new: a folder of the given name with csdollar.json, main.cs$ and a test. Returns the exit code. */
int project_new(const Options *o);

/* csc build: compiles what csdollar.json of the working folder says. Returns the exit code. */
int project_build(const Options *o);

#endif
