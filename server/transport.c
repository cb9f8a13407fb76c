/* Reading and writing whole messages. */
#include "transport.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST = 1 << 28 }; /* bytes of a message; more is no editor's */

/* The headers up to the empty line: the length of what follows, or -1. */
static long read_headers(FILE *in)
{
    static const char name[] = "Content-Length:";
    long length = -1;
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, in) > 0) {
        if (line[strspn(line, "\r\n")] == '\0') {
            free(line);
            return length;
        }
        if (strncasecmp(line, name, sizeof name - 1) == 0)
            length = strtol(line + sizeof name - 1, NULL, 10);
    }
    free(line);
    return -1;
}

TransportRead transport_read(FILE *in, json_t **message)
{
    long length = read_headers(in);
    *message = NULL;
    if (length < 0 || length > LONGEST) return TRANSPORT_END;
    char *body = malloc((size_t)length + 1);
    if (!body || fread(body, 1, (size_t)length, in) != (size_t)length) {
        free(body);
        return TRANSPORT_END;
    }
    *message = json_loadb(body, (size_t)length, JSON_ALLOW_NUL, NULL);
    free(body);
    return *message ? TRANSPORT_MESSAGE : TRANSPORT_NO_JSON;
}

bool transport_write(FILE *out, json_t *message)
{
    char *body = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    if (!body) return false;
    size_t length = strlen(body);
    fprintf(out, "Content-Length: %zu\r\n\r\n", length);
    fwrite(body, 1, length, out);
    free(body);
    return fflush(out) == 0;
}
