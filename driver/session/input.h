/* Lines of a session: edited on a terminal, with history and completion, else as they come. */
#ifndef CS_DRIVER_INPUT_H
#define CS_DRIVER_INPUT_H

#include <stdbool.h>

#include "../../base/text.h"

typedef struct Input Input;

/* What may stand for the word that ends at `end` of the line: adds the whole words, each with a
 * newline. */
typedef void InputComplete(void *ctx, const char *line, size_t end, Text *words);

Input *input_new(InputComplete *complete, void *ctx);
void input_free(Input *in);
bool input_is_terminal(const Input *in);

typedef enum InputEnd { INPUT_LINE, INPUT_INTERRUPTED, INPUT_END } InputEnd;

/* Adds a line with its newline; more: it goes on an entry. */
InputEnd input_read(Input *in, bool more, Text *line);
bool input_interrupted(void); /* by ^C on the terminal, since the last line was begun */
void input_remember(Input *in, const char *entry);

#endif
