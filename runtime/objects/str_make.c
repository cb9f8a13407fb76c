/* Methods of strings that make another one. */
#include <string.h>

#include "format.h"
#include "record.h"
#include "str.h"

static const char *bytes_of(const Str *s)
{
    return s ? s->bytes : "";
}

static int64_t len_of(const Str *s)
{
    return s ? s->len : 0;
}

/* ---- parts ---------------------------------------------------------------------------- */

/* Checks that characters from..from + n are some of s; what is told is what .NET says. `many`: its name for n. */
static bool is_part(Str *s, int32_t from, int64_t n, const char *many, const CsSite *site)
{
    int64_t count = str_count(s);
    if (from >= 0 && n >= 0 && from + n <= count) return true;
    if (from < 0)
        rt_throw(RT_RANGE, site, "StartIndex cannot be less than zero. (Parameter 'startIndex')");
    else if (from > count)
        rt_throw(RT_RANGE, site,
                 "startIndex cannot be larger than length of string. (Parameter 'startIndex')");
    else if (n < 0)
        rt_throw(RT_RANGE, site, "%c%s cannot be less than zero. (Parameter '%s')",
                 (char)(many[0] - 'a' + 'A'), many + 1, many);
    else
        rt_throw(RT_RANGE, site,
                 "Index and %s must refer to a location within the string. (Parameter '%s')", many,
                 many);
    return false;
}

void *cs_str_substring(void *s, int32_t from, int32_t n, const CsSite *site)
{
    if (!is_part(s, from, n, "length", site)) return NULL;
    int64_t begin = str_offset(s, from), end = str_offset(s, (int64_t)from + n);
    return rt_str_at(rt_str_new(bytes_of(s) + begin, end - begin), site);
}

void *cs_str_substring_from(void *s, int32_t from, const CsSite *site)
{
    int64_t count = str_count(s);
    return cs_str_substring(s, from, from >= 0 && from <= count ? (int32_t)(count - from) : -1,
                            site);
}

void *cs_str_slice(void *s, int64_t lo, int64_t hi, const CsSite *site)
{
    int64_t count = str_count(s);
    if (lo < 0 || hi < lo || hi > count) {
        rt_throw(RT_RANGE, site, "%lld..%lld is outside a string of %lld characters", (long long)lo,
                 (long long)hi, (long long)count);
        return NULL;
    }
    int64_t begin = str_offset(s, lo), end = str_offset(s, hi);
    return rt_str_at(rt_str_new(bytes_of(s) + begin, end - begin), site);
}

void *cs_str_remove(void *s, int32_t from, int32_t n, const CsSite *site)
{
    if (!is_part(s, from, n, "count", site)) return NULL;
    int64_t begin = str_offset(s, from), end = str_offset(s, (int64_t)from + n);
    Str *out = rt_str_at(rt_str_new(NULL, len_of(s) - (end - begin)), site);
    if (!out) return NULL;
    memcpy(out->bytes, bytes_of(s), (size_t)begin);
    memcpy(out->bytes + begin, bytes_of(s) + end, (size_t)(len_of(s) - end));
    return out;
}

void *cs_str_remove_from(void *s, int32_t from, const CsSite *site)
{
    if (from <= str_count(s)) return cs_str_substring(s, from < 0 ? from : 0, from, site);
    rt_throw(RT_RANGE, site,
             "startIndex must be less than length of string. (Parameter 'startIndex')");
    return NULL;
}

void *cs_str_insert(void *s, int32_t at, void *what, const CsSite *site)
{
    if (at < 0 || at > str_count(s)) {
        rt_throw(
            RT_RANGE, site,
            "Specified argument was out of the range of valid values. (Parameter 'startIndex')");
        return NULL;
    }
    int64_t begin = str_offset(s, at), n = len_of(what);
    Str *out = rt_str_at(rt_str_new(NULL, len_of(s) + n), site);
    if (!out) return NULL;
    memcpy(out->bytes, bytes_of(s), (size_t)begin);
    memcpy(out->bytes + begin, bytes_of(what), (size_t)n);
    memcpy(out->bytes + begin + n, bytes_of(s) + begin, (size_t)(len_of(s) - begin));
    return out;
}

/* ---- trimming ------------------------------------------------------------------------- */

enum { START = 1, END = 2 };

/* The characters that go: `count` of them, none: white space. */
typedef struct Trimmed {
    const int32_t *chars;
    int64_t count;
} Trimmed;

static bool is_trimmed(int32_t c, Trimmed which)
{
    bool found = false;
    for (int64_t i = 0; i < which.count && !found; i++) found = which.chars[i] == c;
    return which.count ? found : cs_char_is_white_space(c) != 0;
}

static void *trim(const Str *s, int ends, Trimmed which)
{
    const char *from = bytes_of(s), *end = from + len_of(s), *last;
    while ((ends & START) && from < end) {
        const char *next = from;
        if (!is_trimmed((int32_t)utf8_take(&next, end), which)) break;
        from = next;
    }
    last = ends & END ? from : end; /* behind the last one that stays */
    for (const char *at = from; (ends & END) && at < end;)
        if (!is_trimmed((int32_t)utf8_take(&at, end), which)) last = at;
    return rt_str_new(from, last - from);
}

/* char[] */
static void *trim_any(const Str *s, int ends, void *chars, const CsSite *site)
{
    int64_t count = rt_array_count(chars);
    const int32_t *data = count ? (const void *)rt_array_data(chars, site) : NULL;
    if (cs_pending) return NULL;
    return rt_str_at(trim(s, ends, (Trimmed){data, count}), site);
}

void *cs_str_trim(void *s)
{
    return trim(s, START | END, (Trimmed){0});
}

void *cs_str_trim_char(void *s, int32_t c)
{
    return trim(s, START | END, (Trimmed){&c, 1});
}

void *cs_str_trim_any(void *s, void *chars, const CsSite *site)
{
    return trim_any(s, START | END, chars, site);
}

void *cs_str_trim_start(void *s)
{
    return trim(s, START, (Trimmed){0});
}

void *cs_str_trim_start_char(void *s, int32_t c)
{
    return trim(s, START, (Trimmed){&c, 1});
}

void *cs_str_trim_start_any(void *s, void *chars, const CsSite *site)
{
    return trim_any(s, START, chars, site);
}

void *cs_str_trim_end(void *s)
{
    return trim(s, END, (Trimmed){0});
}

void *cs_str_trim_end_char(void *s, int32_t c)
{
    return trim(s, END, (Trimmed){&c, 1});
}

void *cs_str_trim_end_any(void *s, void *chars, const CsSite *site)
{
    return trim_any(s, END, chars, site);
}

/* ---- other characters ----------------------------------------------------------------- */

static void *mapped(const Str *s, int32_t map(int32_t))
{
    Text t = {0};
    for (const char *at = bytes_of(s), *end = at + len_of(s); at < end;)
        utf8_add(&t, (uint32_t)map((int32_t)utf8_take(&at, end)));
    return rt_str_of(&t);
}

void *cs_str_to_upper(void *s)
{
    return mapped(s, cs_char_to_upper);
}

void *cs_str_to_lower(void *s)
{
    return mapped(s, cs_char_to_lower);
}

void *cs_str_replace(void *s, void *old, void *with, const CsSite *site)
{
    const Str *what = old;
    if (len_of(what) == 0) {
        rt_throw(RT_ARGUMENT, site, "Replace of an empty string");
        return NULL;
    }
    Text t = {0};
    const char *at = bytes_of(s), *end = at + len_of(s);
    for (const char *found;
         (found = memmem(at, (size_t)(end - at), what->bytes, (size_t)what->len));) {
        text_addn(&t, at, (size_t)(found - at));
        text_addn(&t, bytes_of(with), (size_t)len_of(with));
        at = found + what->len;
    }
    text_addn(&t, at, (size_t)(end - at));
    return rt_str_at(rt_str_of(&t), site);
}

void *cs_str_replace_char(void *s, int32_t old, int32_t with)
{
    Text t = {0};
    for (const char *at = bytes_of(s), *end = at + len_of(s); at < end;) {
        int32_t c = (int32_t)utf8_take(&at, end);
        utf8_add(&t, (uint32_t)(c == old ? with : c));
    }
    return rt_str_of(&t);
}

/* Text with `c` on the left or right up to `width` characters. */
static void *pad(Str *s, int32_t width, int32_t c, bool left, const CsSite *site)
{
    if (width < 0) {
        rt_throw(RT_RANGE, site, "a string is padded to %d characters", (int)width);
        return NULL;
    }
    Text t = {0};
    if (!left) text_addn(&t, bytes_of(s), (size_t)len_of(s));
    for (int64_t n = width - str_count(s); n > 0; n--) utf8_add(&t, (uint32_t)c);
    if (left) text_addn(&t, bytes_of(s), (size_t)len_of(s));
    return rt_str_at(rt_str_of(&t), site);
}

void *cs_str_pad_left(void *s, int32_t width, int32_t c, const CsSite *site)
{
    return pad(s, width, c, true, site);
}

void *cs_str_pad_right(void *s, int32_t width, int32_t c, const CsSite *site)
{
    return pad(s, width, c, false, site);
}

void *cs_str_align_left(void *s, int32_t width, const CsSite *site)
{
    return pad(s, width, ' ', false, site);
}

void *cs_str_align_right(void *s, int32_t width, const CsSite *site)
{
    return pad(s, width, ' ', true, site);
}

/* ---- joining -------------------------------------------------------------------------- */

/* Characters without anything between them, as StringBuilders have many. */
static void add_chars(Text *t, const uint32_t *chars, int64_t n)
{
    enum { ROOM = 256 };
    char room[ROOM + 4];
    size_t len = 0;
    for (int64_t i = 0; i < n; i++) {
        if (chars[i] < 0x80)
            room[len++] = (char)chars[i];
        else
            len += utf8_put(room + len, chars[i]);
        if (len >= ROOM || i + 1 == n) {
            text_addn(t, room, len);
            len = 0;
        }
    }
}

void *cs_str_join(void *separator, void *fn, const CsSite *site)
{
    Array *a = fn ? cs_force(fn, site) : NULL;
    if (fn && !a) return NULL;
    Text t = {0};
    int64_t n = a ? rt_array_count(a) : 0;
    bool good = true;
    const char *data = n ? rt_array_data(a, site) : NULL;
    const bool chars = a && a->head.elem == SC_CHAR && len_of(separator) == 0;
    if (data && chars) add_chars(&t, (const uint32_t *)(const void *)data, n);
    for (int64_t i = 0; data && !chars && good && i < n; i++) {
        if (i) text_addn(&t, bytes_of(separator), (size_t)len_of(separator));
        good = text_add_element(&t, a, data, i, NULL, site);
    }
    cs_release(a);
    Str *s = good && !cs_pending ? rt_str_of(&t) : NULL;
    text_free(&t);
    return rt_str_at(s, site);
}

void *cs_str_join_char(int32_t separator, void *fn, const CsSite *site)
{
    Text t = {0};
    utf8_add(&t, (uint32_t)separator);
    Str *s = rt_str_of(&t);
    void *out = s ? cs_str_join(s, fn, site) : NULL;
    cs_release(s);
    return rt_str_at(out, site);
}
