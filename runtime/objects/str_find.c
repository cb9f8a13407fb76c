/* Methods of strings that look for something. Indices count characters. */
#include <string.h>

#include "record.h"
#include "str.h"

static Str empty = {.head = {.refs = -1, .kind = CS_STR}, .count = 1};

static Str *given(void *s)
{
    return s ? s : &empty;
}

/* A string of one character, in the caller's room. */
typedef struct One {
    _Alignas(Str) char room[sizeof(Str) + 8];
} One;

static Str *one(int32_t c, One *room)
{
    Str *s = (Str *)(void *)room->room;
    *room = (One){0};
    s->head = (CsHead){.refs = -1, .kind = CS_STR};
    s->len = (int64_t)utf8_put(s->bytes, (uint32_t)c);
    return s;
}

/* What f says of a string of one character. */
static int32_t with_char(int32_t f(void *, void *), void *s, int32_t c)
{
    One room;
    return f(s, one(c, &room));
}

/* Byte offset of the first `what` at or behind `from`; -1: there is none. */
static int64_t find(const Str *s, const Str *what, int64_t from)
{
    if (what->len == 0) return from;
    const char *p =
        memmem(s->bytes + from, (size_t)(s->len - from), what->bytes, (size_t)what->len);
    return p ? p - s->bytes : -1;
}

static int64_t find_last(const Str *s, const Str *what)
{
    for (int64_t at = s->len - what->len; at >= 0; at--)
        if (memcmp(s->bytes + at, what->bytes, (size_t)what->len) == 0) return at;
    return -1;
}

static int32_t index_of(Str *s, const Str *what, int32_t from, const CsSite *site)
{
    if (from < 0 || from > str_count(s)) {
        rt_throw(RT_RANGE, site, "IndexOf from %d in a string of %d characters", (int)from,
                 (int)str_count(s));
        return 0;
    }
    int64_t at = find(s, what, str_offset(s, from));
    return at < 0 ? -1 : (int32_t)str_index(s, at);
}

int32_t cs_str_index_of(void *s, void *what, int32_t from, const CsSite *site)
{
    return index_of(given(s), given(what), from, site);
}

int32_t cs_str_index_of_char(void *s, int32_t c, int32_t from, const CsSite *site)
{
    One room;
    return index_of(given(s), one(c, &room), from, site);
}

int32_t cs_str_find(void *s, void *what)
{
    return index_of(given(s), given(what), 0, NULL);
}

int32_t cs_str_find_char(void *s, int32_t c)
{
    return with_char(cs_str_find, s, c);
}

int32_t cs_str_last_index_of(void *s, void *what)
{
    int64_t at = find_last(given(s), given(what));
    return at < 0 ? -1 : (int32_t)str_index(given(s), at);
}

int32_t cs_str_last_index_of_char(void *s, int32_t c)
{
    return with_char(cs_str_last_index_of, s, c);
}

int32_t cs_str_contains(void *s, void *what)
{
    return find(given(s), given(what), 0) >= 0;
}

int32_t cs_str_contains_char(void *s, int32_t c)
{
    return with_char(cs_str_contains, s, c);
}

int32_t cs_str_starts_with(void *s, void *what)
{
    const Str *a = given(s), *b = given(what);
    return b->len <= a->len && memcmp(a->bytes, b->bytes, (size_t)b->len) == 0;
}

int32_t cs_str_starts_with_char(void *s, int32_t c)
{
    return with_char(cs_str_starts_with, s, c);
}

int32_t cs_str_ends_with(void *s, void *what)
{
    const Str *a = given(s), *b = given(what);
    return b->len <= a->len && memcmp(a->bytes + a->len - b->len, b->bytes, (size_t)b->len) == 0;
}

int32_t cs_str_ends_with_char(void *s, int32_t c)
{
    return with_char(cs_str_ends_with, s, c);
}

int32_t cs_str_equals(void *a, void *b)
{
    return cs_str_compare(a, b) == 0;
}

int32_t cs_str_is_empty(void *s)
{
    return given(s)->len == 0;
}

int32_t cs_str_is_blank(void *s)
{
    const char *at = given(s)->bytes, *end = at + given(s)->len;
    while (at < end)
        if (!cs_char_is_white_space((int32_t)utf8_take(&at, end))) return 0;
    return 1;
}

/* ---- parts ---------------------------------------------------------------------------- */

/* The pieces of s between what `next` finds: it moves *at behind the next separator from *at on and
 * returns where that begins, -1 if there is none. */
typedef int64_t NextSeparator(const Str *s, const void *what, int64_t *at);

static void *split(const Str *s, NextSeparator *next, const void *what)
{
    int64_t n = 1;
    for (int64_t at = 0; next(s, what, &at) >= 0;) n++;
    void *parts = cs_array_new(CS_ELEM_REF, 1, &n, NULL);
    void **to = parts ? cs_array_write(&parts, NULL) : NULL;
    int64_t from = 0;
    for (int64_t i = 0; to && i < n; i++) {
        int64_t behind = from, end = next(s, what, &behind);
        if (end < 0) end = s->len;
        to[i] = rt_str_new(s->bytes + from, end - from);
        if (!to[i]) {
            cs_release(parts);
            return NULL;
        }
        from = behind;
    }
    return parts;
}

static int64_t next_string(const Str *s, const void *what, int64_t *at)
{
    const Str *separator = what;
    int64_t found = separator->len ? find(s, separator, *at) : -1;
    if (found >= 0) *at = found + separator->len;
    return found;
}

static int64_t next_space(const Str *s, const void *what, int64_t *at)
{
    (void)what;
    const char *p = s->bytes + *at, *end = s->bytes + s->len;
    while (p < end) {
        const char *begin = p;
        if (!cs_char_is_white_space((int32_t)utf8_take(&p, end))) continue;
        *at = p - s->bytes;
        return begin - s->bytes;
    }
    return -1;
}

typedef struct CharSet {
    const Array *chars;
    const void *data;
} CharSet;

static int64_t next_of_set(const Str *s, const void *what, int64_t *at)
{
    const CharSet *set = what;
    const char *p = s->bytes + *at, *end = s->bytes + s->len;
    while (p < end) {
        const char *begin = p;
        int64_t c = (int64_t)utf8_take(&p, end);
        for (int64_t i = 0, n = rt_array_count(set->chars); i < n; i++) {
            ScalarValue one_of_them;
            elem_load(set->chars, set->data, i, &one_of_them);
            if (one_of_them.i != c) continue;
            *at = p - s->bytes;
            return begin - s->bytes;
        }
    }
    return -1;
}

void *cs_str_split_any(void *s, void *chars, const CsSite *site)
{
    CharSet set = {chars, rt_array_data(chars, site)};
    if (cs_pending) return NULL;
    return rt_array_count(chars) ? split(given(s), next_of_set, &set) : cs_str_split_space(s);
}

void *cs_str_split(void *s, void *separator)
{
    if (!separator) return cs_str_split_space(s);
    return split(given(s), next_string, given(separator));
}

void *cs_str_split_char(void *s, int32_t c)
{
    One room;
    return split(given(s), next_string, one(c, &room));
}

void *cs_str_split_space(void *s)
{
    return split(given(s), next_space, NULL);
}
