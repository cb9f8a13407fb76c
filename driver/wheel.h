/* Packages that pip installs without a network: the module of csc --python and its library in one file. */
#ifndef CS_DRIVER_WHEEL_H
#define CS_DRIVER_WHEEL_H

#include <stdbool.h>

#include "../base/arena.h"
#include "../base/text.h"

/* What the name of its file says: vectors-1.0-py3-none-linux_x86_64.whl. */
typedef struct WheelName {
    const char *name, *version, *tags;
} WheelName;

/* NULL after a message: of no wheel. */
const WheelName *wheel_name(Arena *a, const char *file);
/* The bytes of one: the module, and the library of that name beside it. */
void wheel_make(Text *out, const WheelName *w, const char *module_name, const Text *module,
                const char *library_name, const Text *library);

#endif
