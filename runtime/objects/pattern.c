/* Custom number patterns of C#, as in "#,##0.00;(#,##0.00);zero": placeholders 0 and #, the point,
 * grouping and scaling commas, percent and per mille, exponents, quoted and escaped text, up to
 * three sections. A section is read twice: once for what it asks of the number, once to write it.
 */
#include <limits.h>
#include <string.h>

#include "format.h"

typedef struct Section {
    const char *at, *end;
    int integers, fractions; /* placeholders in front of the point and behind it */
    int least_integers;      /* digits that are always written there, zeros if need be */
    int least_fractions;
    int shift; /* powers of ten that % and scaling commas multiply by */
    bool grouped, scientific;
} Section;

typedef struct Cursor {
    const char *at, *end;
} Cursor;

typedef enum Item {
    ITEM_END,
    ITEM_ZERO,
    ITEM_DIGIT,
    ITEM_POINT,
    ITEM_COMMA,
    ITEM_PERCENT,
    ITEM_PER_MILLE,
    ITEM_EXPONENT,  /* E+00 and its like */
    ITEM_SEPARATOR, /* of sections */
    ITEM_TEXT
} Item;

/* E0, E+0, E-0 with any number of zeros: its length, else 0. */
static size_t exponent_length(const Cursor *c)
{
    const char *p = c->at + 1;
    if (p < c->end && (*p == '+' || *p == '-')) p++;
    const char *zeros = p;
    while (p < c->end && *p == '0') p++;
    return p > zeros ? (size_t)(p - c->at) : 0;
}

/* The next item, and the text it stands for in *text, *len. */
static Item next(Cursor *c, const char **text, size_t *len)
{
    static const char per_mille[] = "\xE2\x80\xB0";
    if (c->at == c->end) return ITEM_END;
    *text = c->at;
    *len = 1;
    Item item = ITEM_TEXT;
    switch (*c->at) {
    case '0': item = ITEM_ZERO; break;
    case '#': item = ITEM_DIGIT; break;
    case '.': item = ITEM_POINT; break;
    case ',': item = ITEM_COMMA; break;
    case '%': item = ITEM_PERCENT; break;
    case ';': item = ITEM_SEPARATOR; break;
    case 'E':
    case 'e':
        if (exponent_length(c)) {
            *len = exponent_length(c);
            item = ITEM_EXPONENT;
        }
        break;
    case '\\':
        *text = c->at + 1;
        *len = c->at + 1 < c->end;
        c->at = *text + *len;
        return ITEM_TEXT;
    case '\'':
    case '"': {
        const char *close = memchr(c->at + 1, *c->at, (size_t)(c->end - c->at - 1));
        *text = c->at + 1;
        *len = (size_t)((close ? close : c->end) - *text);
        c->at = close ? close + 1 : c->end;
        return ITEM_TEXT;
    }
    default:
        if (c->end - c->at >= 3 && memcmp(c->at, per_mille, 3) == 0) {
            *len = 3;
            item = ITEM_PER_MILLE;
        }
        break;
    }
    c->at += *len;
    return item;
}

/* Section number k of the pattern; false if it is missing or empty. */
static bool find_section(const char *pattern, size_t len, int k, Section *out)
{
    Cursor c = {pattern, pattern + len};
    const char *text, *begin = pattern;
    size_t n;
    for (Item i; (i = next(&c, &text, &n)) != ITEM_END;) {
        if (i != ITEM_SEPARATOR) continue;
        if (k-- == 0) {
            *out = (Section){.at = begin, .end = text};
            return text > begin;
        }
        begin = c.at;
    }
    *out = (Section){.at = begin, .end = c.end};
    return k == 0 && c.end > begin;
}

static void measure(Section *s)
{
    Cursor c = {s->at, s->end};
    const char *text;
    size_t n;
    bool point = false;
    int placeholders = 0, first_zero = INT_MAX, last_zero = 0;
    int comma_at = -1, commas = 0; /* the newest run of commas: placeholders before it, length */
    for (Item i; (i = next(&c, &text, &n)) != ITEM_END;) {
        switch (i) {
        case ITEM_ZERO:
            if (first_zero == INT_MAX) first_zero = placeholders;
            last_zero = placeholders + 1;
            placeholders++;
            break;
        case ITEM_DIGIT: placeholders++; break;
        case ITEM_POINT:
            if (!point) s->integers = placeholders;
            point = true;
            break;
        case ITEM_COMMA:
            if (point || placeholders == 0) break;
            if (comma_at == placeholders) {
                commas++;
            } else { /* an earlier run stands between placeholders, so it groups */
                s->grouped = s->grouped || comma_at >= 0;
                comma_at = placeholders;
                commas = 1;
            }
            break;
        case ITEM_PERCENT: s->shift += 2; break;
        case ITEM_PER_MILLE: s->shift += 3; break;
        case ITEM_EXPONENT: s->scientific = true; break;
        default: break;
        }
    }
    if (!point) s->integers = placeholders;
    s->fractions = placeholders - s->integers;
    if (comma_at == s->integers)
        s->shift -= 3 * commas;
    else if (comma_at >= 0)
        s->grouped = true;
    s->least_integers = first_zero < s->integers ? s->integers - first_zero : 0;
    s->least_fractions = last_zero > s->integers ? last_zero - s->integers : 0;
}

/* Writes the digit at `place` (0: units, -1: tenths) if it is among those to be written. */
static void add_place(Text *t, const Decimal *d, const Section *s, int point, int place)
{
    int at = point - 1 - place;
    bool there = at >= 0 && at < d->n;
    if (place >= 0) {
        int count = point > s->least_integers ? point : s->least_integers;
        if (place >= count) return;
    } else if (-place > s->least_fractions && -place > d->n - point) {
        return;
    }
    text_addn(t, there ? &d->digits[at] : "0", 1);
    if (s->grouped && place > 0 && place % 3 == 0) text_add(t, ",");
}

static void add_section(Text *t, const Decimal *d, Section *s)
{
    /* With an exponent the first digit goes to the first placeholder. */
    int point = s->scientific ? s->integers : d->point;
    int place = s->integers; /* of the placeholder before the next one */
    bool exponent_done = !s->scientific, overflow_done = false, point_done = false;
    Cursor c = {s->at, s->end};
    const char *text;
    size_t n;
    for (Item i; (i = next(&c, &text, &n)) != ITEM_END;) {
        if (!overflow_done && (i == ITEM_ZERO || i == ITEM_DIGIT || i == ITEM_POINT)) {
            for (int p = point - 1; p >= s->integers; p--) add_place(t, d, s, point, p);
            overflow_done = true;
        }
        switch (i) {
        case ITEM_ZERO:
        case ITEM_DIGIT: add_place(t, d, s, point, --place); break;
        case ITEM_POINT:
            if (!point_done && (s->least_fractions > 0 || (s->fractions > 0 && d->n > point)))
                text_add(t, ".");
            point_done = true;
            break;
        case ITEM_COMMA: break;
        case ITEM_EXPONENT:
            if (exponent_done) {
                text_addn(t, text, n);
            } else {
                bool sign = text[1] == '+' || text[1] == '-';
                int zeros = (int)(n < 12 ? n : 12) - 1 - sign;
                decimal_add_exponent(t, d->n ? d->point - s->integers : 0, text[0], text[1] == '+',
                                     zeros < 10 ? zeros : 10);
                exponent_done = true;
            }
            break;
        default: text_addn(t, text, n); break;
        }
    }
}

void decimal_add_pattern(Text *t, Decimal *d, const char *pattern, size_t len)
{
    Section s;
    int section = d->n == 0 ? 2 : d->negative ? 1 : 0;
    if (!find_section(pattern, len, section, &s)) {
        section = 0;
        find_section(pattern, len, 0, &s);
    }
    measure(&s);
    if (d->n) {
        d->point += s.shift;
        decimal_round(d, s.scientific ? s.integers + s.fractions : (int64_t)d->point + s.fractions);
        Section zero;
        if (d->n == 0 && find_section(pattern, len, 2, &zero)) {
            s = zero;
            section = 2;
            measure(&s);
        } else if (d->n == 0 && section == 1) {
            section = 0;
            find_section(pattern, len, 0, &s);
            measure(&s);
        }
    }
    Text body = {0};
    add_section(&body, d, &s);
    if (d->negative && section == 0 && (body.len || d->point)) text_add(t, "-");
    text_addn(t, body.data, body.len);
    text_free(&body);
}
