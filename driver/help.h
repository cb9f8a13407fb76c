/* How csc is called, from the tables of commands and options: for --help, as a manual page and as
 * what shells complete. */
#ifndef CS_DRIVER_HELP_H
#define CS_DRIVER_HELP_H

#include "../base/text.h"

/* form: text (or NULL), man, bash, fish, zsh */
void help_print(Text *out, const char *form);

#endif
