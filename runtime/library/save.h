/* Saving a file whole or not at all (base/output.h), with exceptions for what goes wrong. */
#ifndef CS_RUNTIME_SAVE_H
#define CS_RUNTIME_SAVE_H

#include "../../base/system/output.h"
#include "../value.h"

typedef struct Save {
    const char *path; /* as the user gave it */
    const CsSite *site;
    Output output;
} Save;

/* Of several ranks the first does it; the others have done nothing wrong until save_end, where all
 * have its exception. Between save_open and save_end ranks go different ways: nothing that all do. */
/* Each returns false with an IOException pending; save_end follows in any case, and takes back what
 * save_finish has not made good. */
bool save_open(Save *s, const Str *path, const CsSite *site);
bool save_write(Save *s, const void *data, size_t bytes);
bool save_finish(Save *s);
bool save_end(Save *s); /* is all well? */

/* Throws "cannot write PATH: why" for an errno; true if that is 0. */
bool save_check(const Save *s, int err);
/* Why a file cannot be written, in words. */
const char *save_reason(int err);

#endif
