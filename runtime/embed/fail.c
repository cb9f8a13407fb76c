/* Errors that callers get. Each is one block of the C library's, freed without the lock; when there
 * is none to be had it is one that is always there. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../interrupt.h"
#include "embed.h"

static const cs_error no_memory = {CS_MEMORY, "OutOfMemoryException", "there is no memory left",
                                   ""};

#define EXCEPTION(id, name)                                                                        \
    _Static_assert(CS_##id == CS_EXC_##id + 1, "embed.h counts as exceptions.def does");
#include "../../codegen/abi/exceptions.def"
#undef EXCEPTION
_Static_assert(CS_EXCEPTION == CS_NEXCEPTIONS + 1, "the last is the general one");

/* A block for the error and so much text behind it. */
static cs_error *new_error(int32_t code, const char *type, size_t message, size_t stack,
                           char **text)
{
    size_t n = strlen(type) + 1;
    cs_error *e = malloc(sizeof *e + n + message + 1 + stack + 1);
    if (!e) return NULL;
    char *at = (char *)(e + 1);
    *e = (cs_error){code, at, at + n, at + n + message + 1};
    memcpy(at, type, n);
    *text = at + n;
    return e;
}

cs_error *embed_fail(cs_code code, const char *type, const char *fmt, ...)
{
    char message[256], *text;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof message) n = sizeof message - 1;
    cs_error *e = new_error((int32_t)code, type, (size_t)n, 0, &text);
    if (!e) return (cs_error *)(uintptr_t)&no_memory;
    memcpy(text, message, (size_t)n);
    text[n] = text[n + 1] = '\0';
    return e;
}

/* A line of the stack; returns its length. */
static size_t frame(const CsSite *s, char line[512])
{
    int n =
        snprintf(line, 512, "at %s (%s:%d:%d)\n", s->function, s->file, (int)s->line, (int)s->col);
    return n < 0 ? 0 : n < 512 ? (size_t)n : 511;
}

cs_error *embed_take_error(void)
{
    const char *type, *message;
    char room[64], *text, line[512];
    int code = error_told(&type, &message, room) + 1;
    if (code == CS_STACK && !rt.error.object && interrupted()) {
        code = CS_INTERRUPTED;
        type = "Interrupted";
        message = "the call was interrupted";
    }
    size_t stack = 0, n = strlen(message);
    for (int i = 0; i < rt.error.nframes; i++) stack += frame(&rt.error.frames[i], line);
    cs_error *e = new_error(code, type, n, stack, &text);
    if (e) {
        memcpy(text, message, n + 1);
        text += n + 1;
        for (int i = 0; i < rt.error.nframes; i++) {
            size_t k = frame(&rt.error.frames[i], line);
            memcpy(text, line, k);
            text += k;
        }
        *text = '\0';
    }
    rt_catch();
    return e ? e : (cs_error *)(uintptr_t)&no_memory;
}

void cs_embed_free_error(cs_error *error)
{
    if (error != &no_memory) free(error);
}

void cs_embed_free_text(char *text)
{
    free(text);
}
