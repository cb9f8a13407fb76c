/* A client of csc lsp: what it asks and tells is one text, which the server reads as a whole. */
#ifndef TEST_SERVER_CLIENT_H
#define TEST_SERVER_CLIENT_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/text.h"
#include "../../../server/server.h"
#include "../../../server/transport.h"

static const char program[] = "tests/server/program.cs$";
static const char uri[] = "file:///tmp/a%20program.cs$";

/* ---- a client ------------------------------------------------------------------------------- */

typedef struct Session {
    Text in;
    json_t *answers; /* of server_run: all messages */
    int id, code;
} Session;

static void say(Session *s, json_t *message)
{
    ck_assert_ptr_nonnull(message);
    char *body = json_dumps(message, JSON_COMPACT);
    text_printf(&s->in, "Content-Length: %zu\r\n\r\n%s", strlen(body), body);
    free(body);
    json_decref(message);
}

static void ask(Session *s, const char *method, json_t *params)
{
    say(s, json_pack("{s:i, s:s, s:o}", "id", ++s->id, "method", method, "params", params));
}

static void tell(Session *s, const char *method, json_t *params)
{
    say(s, json_pack("{s:s, s:o}", "method", method, "params", params));
}

static void open_text(Session *s, const char *text)
{
    tell(s, "textDocument/didOpen",
         json_pack("{s:{s:s, s:s}}", "textDocument", "uri", uri, "text", text));
}

static json_t *at(int line, int character)
{
    return json_pack("{s:{s:s}, s:{s:i, s:i}, s:{s:b}}", "textDocument", "uri", uri, "position",
                     "line", line, "character", character, "context", "includeDeclaration", 1);
}

static void run(Session *s)
{
    char *out = NULL;
    size_t len = 0;
    FILE *in = fmemopen(s->in.data, s->in.len, "r"), *to = open_memstream(&out, &len);
    s->code = server_run(in, to, NULL, 0);
    fclose(in);
    fclose(to);
    s->answers = json_array();
    FILE *from = len ? fmemopen(out, len, "r") : NULL;
    json_t *message;
    while (from && transport_read(from, &message) == TRANSPORT_MESSAGE)
        json_array_append_new(s->answers, message);
    if (from) fclose(from);
    free(out);
}

static json_t *answer(const Session *s, int id)
{
    size_t i;
    json_t *m;
    json_array_foreach(s->answers, i, m) if (json_integer_value(json_object_get(m, "id")) == id &&
                                             json_object_get(m, "id")) return m;
    ck_abort_msg("no answer to request %d", id);
    return NULL;
}

static void end(Session *s)
{
    text_free(&s->in);
    json_decref(s->answers);
}

static void add_with(json_t *params, const char *key, const char *value)
{
    json_object_set_new(params, key, json_string(value));
}

#endif
