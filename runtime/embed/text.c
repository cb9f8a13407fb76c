/* Strings as callers have them: UTF-8 that ends with 0. A character 0 within is C0 80, which no other
 * text has. */
#include <string.h>

#include "embed.h"

Str *embed_take_text(const char *text)
{
    if (!strstr(text, CS_TEXT_ZERO)) return rt_str_new(text, (int64_t)strlen(text));
    Text t = {0};
    for (const char *zero; (zero = strstr(text, CS_TEXT_ZERO)); text = zero + 2) {
        text_addn(&t, text, (size_t)(zero - text));
        text_addn(&t, "", 1);
    }
    text_add(&t, text);
    return rt_str_of(&t);
}

size_t embed_text_bytes(const Str *s)
{
    size_t bytes = (size_t)s->len + 1;
    for (int64_t i = 0; i < s->len; i++) bytes += !s->bytes[i];
    return bytes;
}

char *embed_put_text(char *to, const Str *s)
{
    for (int64_t i = 0; i < s->len; i++) {
        if (!s->bytes[i]) {
            memcpy(to, CS_TEXT_ZERO, 2);
            to += 2;
        } else {
            *to++ = s->bytes[i];
        }
    }
    *to = '\0';
    return to + 1;
}
