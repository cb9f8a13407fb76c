/* How csc is called, from the tables of commands and options: for --help, as a manual page and as
 * what shells complete. */
#ifndef CS_DRIVER_HELP_H
#define CS_DRIVER_HELP_H

#include "../base/text.h"

/* form: text (or NULL), man, bash, fish, zsh, parameters */
void help_print(Text *out, const char *form);
/* Of one command, by its name: how it is called, and the options of its own. */
void help_command(Text *out, const char *name);

#endif
