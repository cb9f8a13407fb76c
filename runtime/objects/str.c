/* Strings: counting and taking characters of UTF-8, concatenation, ordinal comparison, alignment.
 * A character is a code point. Comparison of UTF-8 bytes is comparison of code points. */
#include "str.h"

#include <string.h>

static const char *bytes_of(const void *s, size_t *len)
{
    const Str *str = s;
    *len = str ? (size_t)str->len : 0;
    return str ? str->bytes : "";
}

uint32_t utf8_take(const char **at, const char *end)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *p = (const unsigned char *)*at;
    size_t room = (size_t)(end - *at);
    size_t n = p[0] < 0x80   ? 1
               : p[0] < 0xC2 ? 0
               : p[0] < 0xE0 ? 2
               : p[0] < 0xF0 ? 3
               : p[0] < 0xF5 ? 4
                             : 0;
    uint32_t c = n <= 1 ? p[0] : p[0] & (0x7Fu >> n);
    bool good = n != 0 && n <= room;
    for (size_t i = 1; good && i < n; i++) {
        good = (p[i] & 0xC0) == 0x80;
        c = c << 6 | (p[i] & 0x3F);
    }
    good = good && c >= least[n] && c <= 0x10FFFF && (c < 0xD800 || c > 0xDFFF);
    *at += good ? n : 1;
    return good ? c : 0xFFFD;
}

size_t utf8_put(char b[4], uint32_t c)
{
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = 0xFFFD;
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6) b[i] = (char)(0x80 | (c & 0x3F));
    b[0] = (char)(n == 1 ? c : (0xF00u >> n & 0xF0) | c);
    return n;
}

void utf8_add(Text *t, uint32_t c)
{
    char b[4];
    text_addn(t, b, utf8_put(b, c));
}

Str *rt_str_of(Text *t)
{
    Str *s = t->failed ? NULL : rt_str_new(t->data, (int64_t)t->len);
    text_free(t);
    return s;
}

Str *rt_str_at(void *s, const CsSite *site)
{
    if (!s) rt_site(site);
    return s;
}

void *cs_str(const char *bytes, int64_t len)
{
    return rt_str_new(bytes, len);
}

void *cs_str_concat(int32_t n, void *const *strs)
{
    int64_t total = 0;
    size_t len;
    for (int32_t i = 0; i < n; i++) {
        bytes_of(strs[i], &len);
        total += (int64_t)len;
    }
    Str *out = rt_str_new(NULL, total);
    if (!out) return NULL;
    char *to = out->bytes;
    for (int32_t i = 0; i < n; i++) {
        const char *from = bytes_of(strs[i], &len);
        memcpy(to, from, len);
        to += len;
    }
    *to = '\0';
    return out;
}

int32_t cs_str_compare(void *a, void *b)
{
    if (!a || !b) return (a != NULL) - (b != NULL);
    size_t na, nb;
    const char *pa = bytes_of(a, &na), *pb = bytes_of(b, &nb);
    int c = memcmp(pa, pb, na < nb ? na : nb);
    if (c != 0) return c < 0 ? -1 : 1;
    return (na > nb) - (na < nb);
}

/* Characters from `at` to `end`. */
static int64_t count(const char *at, const char *end)
{
    int64_t n = 0;
    for (; at < end; n++)
        if ((unsigned char)*at < 0x80)
            at++;
        else
            utf8_take(&at, end);
    return n;
}

int64_t str_count(Str *s)
{
    if (!s) return 0;
    if (s->count == 0) s->count = count(s->bytes, s->bytes + s->len) + 1;
    return s->count - 1;
}

/* Where the character before `at` begins: at the byte of three before it that is no continuation, if that takes what is
 * between, else it is a byte alone. */
static const char *before(const Str *s, const char *at)
{
    enum { LONGEST = 4 };
    const char *from = at - 1, *to;
    while (from > s->bytes && at - from < LONGEST && ((unsigned char)*from & 0xc0) == 0x80) from--;
    to = from;
    utf8_take(&to, s->bytes + s->len);
    return to == at ? from : at - 1;
}

/* A string of one byte a character needs no search; in others who goes on from character to character, or back, finds
 * the next where the last one was. */
int64_t str_offset(Str *s, int64_t index)
{
    if (!s || index <= 0) return 0;
    const int64_t n = str_count(s);
    if (n == s->len) return index;
    const int64_t far = index < s->at_char ? s->at_char - index : index - s->at_char;
    if (index < far) s->at_char = s->at_byte = 0;
    if (n - index < far) s->at_char = n, s->at_byte = s->len;
    const char *at = s->bytes + s->at_byte, *end = s->bytes + s->len;
    for (; s->at_char < index && at < end; s->at_char++) utf8_take(&at, end);
    for (; s->at_char > index; s->at_char--) at = before(s, at);
    return s->at_byte = at - s->bytes;
}

int64_t str_index(Str *s, int64_t offset)
{
    return str_count(s) == s->len ? offset : count(s->bytes, s->bytes + offset);
}

int32_t cs_str_length(void *s)
{
    return (int32_t)str_count(s);
}

int32_t cs_str_char(void *s, int32_t index, const CsSite *site)
{
    Str *str = s;
    if (str && str->count == str->len + 1 && index >= 0 && index < str->len) {
        const unsigned char byte = (unsigned char)str->bytes[index];
        if (byte < 0x80) return byte;
    }
    if (index >= 0 && index < str_count(str)) {
        const char *at = str->bytes + str_offset(str, index);
        return (int32_t)utf8_take(&at, str->bytes + str->len);
    }
    rt_throw(RT_INDEX, site, "index %d is outside a string of %d characters", (int)index,
             (int)cs_str_length(s));
    return 0;
}

void *cs_str_pad(void *s, int32_t width)
{
    size_t len;
    const char *p = bytes_of(s, &len);
    int64_t want = width < 0 ? -(int64_t)width : width, have = count(p, p + len);
    size_t pad = want > have ? (size_t)(want - have) : 0;
    Str *out = rt_str_new(NULL, (int64_t)(len + pad));
    if (!out) return NULL;
    char *to = out->bytes;
    if (width > 0) {
        memset(to, ' ', pad);
        to += pad;
    }
    memcpy(to, p, len);
    if (width < 0) memset(to + len, ' ', pad);
    out->bytes[len + pad] = '\0';
    return out;
}

/* Adds at most `longest` characters, control characters escaped, so that a message stays one line.
 */
static void add_escaped(Text *t, const char *bytes, int64_t len, int64_t longest)
{
    const char *at = bytes, *end = bytes + len;
    for (int64_t n = 0; at < end; n++) {
        if (n == longest) {
            text_add(t, "...");
            break;
        }
        uint32_t c = utf8_take(&at, end);
        if (c == '\n')
            text_add(t, "\\n");
        else if (c == '\t')
            text_add(t, "\\t");
        else if (c < 0x20 || (c >= 0x7F && c < 0xA0))
            text_printf(t, "\\u%04X", (unsigned)c);
        else
            utf8_add(t, c);
    }
}

void text_add_quoted(Text *t, const char *bytes, int64_t len)
{
    text_add(t, "'");
    add_escaped(t, bytes, len, 60);
    text_add(t, "'");
}

void text_add_path(Text *t, const char *path)
{
    add_escaped(t, path, (int64_t)strlen(path), INT64_MAX);
}

void text_add_type(Text *t, const FdType *type)
{
    if (type->nparams == 0) {
        text_add(t, type->record ? type->record : scalar_name(type->scalar));
        return;
    }
    text_add_type(t, type->result);
    text_add(t, "(");
    for (int i = 0; i < type->nparams; i++) {
        if (i) text_add(t, ", ");
        text_add_type(t, type->params[i]);
    }
    text_add(t, ")");
}
