/* Values as a session prints them. */
#ifndef CS_RUNTIME_SHOW_H
#define CS_RUNTIME_SHOW_H

#include "../../base/text.h"
#include "../../codegen/abi/session.h"

/* Adds "[1, 2, 3] : int[3]" and a newline: the value of a variable, an array's rows in lines of their
 * own, long ones shortened, then its type with the extents. False with an exception pending. */
bool show_value(Text *out, const CsVariable *v);

#endif
