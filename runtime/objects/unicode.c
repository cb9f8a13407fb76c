/* Characters: their classes and simple case mappings, as the C library's UTF-8 locale has them.
 * ASCII needs no locale, and is all there is where the C library has none for UTF-8. */
#include <ctype.h>
#include <locale.h>
#include <stdbool.h>
#include <string.h>
#include <wctype.h>

#include "../state.h"

/* Is c ASCII, or are there no others? Else *locale is the one to ask. */
static bool is_plain(int32_t c, locale_t *locale)
{
    if (c < 0x80) return true;
    if (!rt.locale) rt.locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (!rt.locale) rt.locale = newlocale(LC_CTYPE_MASK, "C", (locale_t)0);
    *locale = rt.locale;
    return !rt.locale;
}

#define CLASS(name, in_ascii, in_unicode)                                                          \
    int32_t name(int32_t c)                                                                        \
    {                                                                                              \
        locale_t l;                                                                                \
        if (is_plain(c, &l)) return c >= 0 && c < 0x80 && (in_ascii);                              \
        wint_t w = (wint_t)c;                                                                      \
        return (in_unicode);                                                                       \
    }

CLASS(cs_char_is_digit, c >= '0' && c <= '9', ((void)w, 0))
CLASS(cs_char_is_letter, (c | 0x20) >= 'a' && (c | 0x20) <= 'z', iswalpha_l(w, l) != 0)
CLASS(cs_char_is_letter_or_digit, isalnum(c) != 0, iswalnum_l(w, l) != 0)
CLASS(cs_char_is_white_space, c == ' ' || (c >= '\t' && c <= '\r'),
      c == 0x85 || c == 0xA0 || iswspace_l(w, l) != 0)
CLASS(cs_char_is_upper, c >= 'A' && c <= 'Z', iswupper_l(w, l) != 0)
CLASS(cs_char_is_lower, c >= 'a' && c <= 'z', iswlower_l(w, l) != 0)
CLASS(cs_char_is_punctuation, c != 0 && strchr("!\"#%&'()*,-./:;?@[\\]_{}", c) != NULL,
      iswpunct_l(w, l) != 0)

int32_t cs_char_to_upper(int32_t c)
{
    locale_t l;
    if (is_plain(c, &l)) return c >= 'a' && c <= 'z' ? c - 0x20 : c;
    return (int32_t)towupper_l((wint_t)c, l);
}

int32_t cs_char_to_lower(int32_t c)
{
    locale_t l;
    if (is_plain(c, &l)) return c >= 'A' && c <= 'Z' ? c + 0x20 : c;
    return (int32_t)towlower_l((wint_t)c, l);
}
