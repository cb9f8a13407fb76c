/* Messages of the base protocol of language servers: a header with their length, then JSON (Language
 * Server Protocol 3.17, "Base Protocol"). */
#ifndef CS_SERVER_TRANSPORT_H
#define CS_SERVER_TRANSPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

typedef enum TransportRead {
    TRANSPORT_MESSAGE, /* *message is the caller's */
    TRANSPORT_NO_JSON, /* a message that is none; the next one may be */
    TRANSPORT_END      /* the end of the input, or no header where one belongs */
} TransportRead;

TransportRead transport_read(FILE *in, json_t **message);
/* Takes the reference. False: it could not be written. */
bool transport_write(FILE *out, json_t *message);

#endif
