/* Diagnostics. Messages are formatted when they are reported and printed once, sorted by position.
 * Whatever bytes a source holds, what is printed is valid UTF-8 without control characters. */
#include "diag.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../arena.h"
#include "../text.h"
#include "../vec.h"

enum {
    MAX_MESSAGES = 5000, /* more are counted, but not kept */
    LINE_WIDTH = 100,    /* a longer line is clipped, the caret near CARET_AT */
    CARET_AT = 40,
    WINDOW =
        4 * LINE_WIDTH + 8, /* bytes around the caret that are looked at: enough to fill a line */
    PLACES = 1024           /* lists of messages by place */
};

typedef struct Note {
    struct Note *next;
    Loc loc;
    const char *text;
} Note;

typedef struct Message {
    Loc loc;
    DiagCode code;
    bool warning;
    const char *text;
    size_t order;
    struct Message *beside; /* in the list of its place */
    Note *notes, **last_note;
    const char *fix; /* in place of fix_at; NULL: none is known */
    Loc fix_at;
} Message;

struct Diags {
    Arena *arena;
    const Sources *sources;
    VEC(Message *) messages;
    Message *by_place[PLACES];
    int errors, warnings;
    const DiagLevel *levels; /* NULL: every warning warns */
    bool ignoring;           /* the newest message: its notes too */
};

Diags *diags_new(const Sources *sources)
{
    Arena *arena = arena_new();
    Diags *d = arena_new_of(arena, Diags);
    d->arena = arena;
    d->sources = sources;
    return d;
}

void diags_free(Diags *d)
{
    if (!d) return;
    vec_free(&d->messages);
    arena_free(d->arena);
}

/* Bytes of the UTF-8 character at s, 0 if it is not one (overlong, surrogate, cut short). */
static size_t utf8_length(const unsigned char *s, size_t len)
{
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xC2 && s[0] < 0xE0   ? 2
               : s[0] >= 0xE0 && s[0] < 0xF0 ? 3
               : s[0] >= 0xF0 && s[0] < 0xF5 ? 4
                                             : 0;
    if (n == 0 || n > len) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] >= 0xA0) ||
        (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] >= 0x90))
        return 0;
    return n;
}

/* Adds the character at s to out, made printable; gives its length in bytes. */
static size_t add_safe(Text *out, const char *s, size_t len)
{
    const unsigned char *u = (const unsigned char *)s;
    size_t n = utf8_length(u, len);
    if (n == 0) {
        text_add(out, "\xEF\xBF\xBD"); /* U+FFFD, the replacement character */
        return 1;
    }
    if (n == 1 && (u[0] < 0x20 || u[0] == 0x7F))
        text_addn(out, u[0] == '\t' ? " " : "?", 1);
    else if (n == 2 && u[0] == 0xC2 && u[1] < 0xA0)
        text_addn(out, "?", 1); /* C1 control characters */
    else
        text_addn(out, s, n);
    return n;
}

static const char *format(Diags *d, const char *fmt, va_list ap)
{
    Text raw = {0}, safe = {0};
    text_vprintf(&raw, fmt, ap);
    for (size_t i = 0; i < raw.len;) i += add_safe(&safe, raw.data + i, raw.len - i);
    const char *s = arena_strndup(d->arena, safe.data ? safe.data : "", safe.len);
    text_free(&raw);
    text_free(&safe);
    return s;
}

void diags_set_levels(Diags *d, const DiagLevel *levels)
{
    d->levels = levels;
}

/* The same at the same place says nothing new: instances of a generic are checked each. */
static bool is_told(const Message *m, Loc loc, DiagCode code, const char *text)
{
    for (; m; m = m->beside)
        if (m->code == code && m->loc.file == loc.file && m->loc.begin == loc.begin &&
            m->loc.end == loc.end && strcmp(m->text, text) == 0)
            return true;
    return false;
}

void diag(Diags *d, Loc loc, DiagCode code, const char *fmt, ...)
{
    bool warning = diag_is_warning(code);
    DiagLevel level = warning && d->levels ? d->levels[code] : DIAG_WARN;
    d->ignoring = level == DIAG_IGNORE;
    if (d->ignoring) return;
    warning = warning && level == DIAG_WARN;
    if (d->messages.len == MAX_MESSAGES && code != DIAG_TOO_MANY_ERRORS) {
        d->ignoring = true;
        d->errors += !warning;
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    const char *text = format(d, fmt, ap);
    va_end(ap);
    Message **place = &d->by_place[loc.begin % PLACES];
    d->ignoring = is_told(*place, loc, code, text);
    if (d->ignoring) return;
    Message *m = arena_new_of(d->arena, Message);
    *m = (Message){.loc = loc, .code = code, .warning = warning, .order = d->messages.len};
    m->beside = *place;
    *place = m;
    m->text = text;
    m->last_note = &m->notes;
    vec_push(&d->messages, m);
    if (warning)
        d->warnings++;
    else
        d->errors++;
}

void diag_note(Diags *d, Loc loc, const char *fmt, ...)
{
    if (d->messages.len == 0 || d->ignoring) return;
    Message *m = vec_last(&d->messages);
    Note *n = arena_new_of(d->arena, Note);
    va_list ap;
    va_start(ap, fmt);
    n->loc = loc;
    n->text = format(d, fmt, ap);
    va_end(ap);
    *m->last_note = n;
    m->last_note = &n->next;
}

void diag_fix(Diags *d, Loc where, const char *text)
{
    if (d->messages.len == 0 || d->ignoring) return;
    Message *m = vec_last(&d->messages);
    m->fix = arena_strndup(d->arena, text, strlen(text));
    m->fix_at = where;
}

void diag_suggest(Diags *d, Loc where, const char *name)
{
    diag_note(d, (Loc){0}, "did you mean '%s'?", name);
    diag_fix(d, where, name);
}

int diags_errors(const Diags *d)
{
    return d->errors;
}

bool diags_has(const Diags *d, DiagCode code)
{
    for (size_t i = 0; i < d->messages.len; i++)
        if (d->messages.data[i]->code == code) return true;
    return false;
}

int diags_warnings(const Diags *d)
{
    return d->warnings;
}

static int by_position(const void *pa, const void *pb)
{
    const Message *a = *(Message *const *)pa, *b = *(Message *const *)pb;
    if (a->loc.file != b->loc.file) return a->loc.file < b->loc.file ? -1 : 1;
    if (a->loc.begin != b->loc.begin) return a->loc.begin < b->loc.begin ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* The source line of loc and the caret range below it. */
static void add_line(Text *out, const Source *src, Loc loc)
{
    size_t begin = loc.begin < src->len ? loc.begin : src->len;
    size_t first = begin, last = begin;
    while (first > 0 && src->text[first - 1] != '\n' && begin - first < WINDOW) first--;
    while (last < src->len && src->text[last] != '\n' && last - begin < WINDOW) last++;
    while (begin - first > WINDOW - 4 && ((unsigned char)src->text[first] & 0xC0) == 0x80)
        first++; /* in the middle of a character */
    if (last > begin && src->text[last - 1] == '\r') last--;

    /* In characters: where the carets begin and end, and how long the line is. */
    size_t cells = 0, caret = 0, caret_end = 0;
    Text skip = {0};
    for (size_t i = first; i < last; cells++) {
        size_t n = add_safe(&skip, src->text + i, last - i);
        skip.len = 0;
        if (i < begin) caret = cells + 1;
        if (i < loc.end) caret_end = cells + 1;
        i += n;
    }
    text_free(&skip);
    if (caret_end <= caret) caret_end = caret + 1;

    size_t from = 0, to = cells;
    if (cells > LINE_WIDTH) {
        from = caret > CARET_AT ? caret - CARET_AT : 0;
        to = from + LINE_WIDTH < cells ? from + LINE_WIDTH : cells;
    }
    const char *cut = "...";
    if (from > 0) text_add(out, cut);
    size_t cell = 0;
    for (size_t i = first; i < last; cell++) {
        size_t kept = out->len;
        i += add_safe(out, src->text + i, last - i);
        if (cell < from || cell >= to) {
            out->len = kept;
            out->data[kept] = '\0';
        }
    }
    if (to < cells) text_add(out, cut);
    text_add(out, "\n");
    for (size_t i = from > 0 ? 0 : 3; i < 3; i++) text_add(out, " ");
    for (size_t i = from; i < caret; i++) text_add(out, " ");
    text_add(out, "^");
    for (size_t i = caret + 1; i < caret_end && i < to; i++) text_add(out, "~");
    text_add(out, "\n");
}

/* Where the last message was: the column of a later one in the same line is counted from there. */
typedef struct Place {
    Loc loc;
    int line, col; /* 0: none yet */
} Place;

static void find_place(const Diags *d, const Source *src, Loc loc, Place *at)
{
    size_t from = at->loc.begin, to = loc.begin < src->len ? loc.begin : src->len;
    bool same_line = at->line > 0 && at->loc.file == loc.file && from <= to &&
                     !memchr(src->text + from, '\n', to - from);
    if (same_line)
        for (size_t i = from; i < to; i++) at->col += ((unsigned char)src->text[i] & 0xC0) != 0x80;
    else
        sources_position(d->sources, loc.file, loc.begin, &at->line, &at->col);
    at->loc = (Loc){loc.file, (uint32_t)to, (uint32_t)to};
}

static void add_place(Text *out, const Diags *d, Loc loc, Place *at)
{
    const Source *src = sources_get(d->sources, loc.file);
    if (!src) return;
    find_place(d, src, loc, at);
    for (size_t i = 0, n = strlen(src->path); i < n;) i += add_safe(out, src->path + i, n - i);
    text_printf(out, ":%d:%d: ", at->line, at->col);
}

/* The messages by position, in the arena. */
static Message **sorted_messages(const Diags *d)
{
    size_t n = d->messages.len;
    Message **sorted = arena_copy(d->arena, d->messages.data, n * sizeof *sorted);
    if (n > 0) qsort(sorted, n, sizeof *sorted, by_position);
    return sorted;
}

void diags_print(const Diags *d, FILE *out)
{
    size_t n = d->messages.len;
    if (n == 0) return;
    Message **sorted = sorted_messages(d);
    Text t = {0};
    Place at = {0}, note_at = {0};
    for (size_t i = 0; i < n; i++) {
        const Message *m = sorted[i];
        const Source *src = sources_get(d->sources, m->loc.file);
        add_place(&t, d, m->loc, &at);
        text_printf(&t, "%s: %s [CS%d]\n", m->warning ? "warning" : "error", m->text,
                    diag_number(m->code));
        if (src) add_line(&t, src, m->loc);
        for (const Note *note = m->notes; note; note = note->next) {
            src = sources_get(d->sources, note->loc.file);
            bool placed = src && (note->loc.begin || note->loc.end);
            if (placed) add_place(&t, d, note->loc, &note_at);
            text_printf(&t, "note: %s\n", note->text);
            if (placed) add_line(&t, src, note->loc);
        }
    }
    fwrite(t.data, 1, t.len, out);
    text_free(&t);
}

/* ---- for machines ---- */

void diag_add_json(Text *out, const char *s)
{
    size_t len = strlen(s);
    text_add(out, "\"");
    for (size_t i = 0; i < len;) {
        if (s[i] == '"' || s[i] == '\\') {
            text_printf(out, "\\%c", s[i++]);
        } else if (s[i] == '\n') { /* a message of several lines */
            text_add(out, "\\n");
            i++;
        } else {
            i += add_safe(out, s + i, len - i);
        }
    }
    text_add(out, "\"");
}

/* "file": .. , "begin": .. : nothing without a place */
static void add_json_place(Text *out, const Diags *d, Loc loc, Place *at)
{
    const Source *src = sources_get(d->sources, loc.file);
    if (!src) return;
    find_place(d, src, loc, at);
    text_add(out, "\"file\": ");
    diag_add_json(out, src->path);
    text_printf(out, ", \"begin\": %u, \"end\": %u, \"line\": %d, \"column\": %d, ", loc.begin,
                loc.end, at->line, at->col);
}

void diags_print_json(const Diags *d, FILE *out)
{
    Message **sorted = sorted_messages(d);
    Text t = {0};
    Place at = {0}, note_at = {0};
    for (size_t i = 0; i < d->messages.len; i++) {
        const Message *m = sorted[i];
        text_add(&t, "{");
        add_json_place(&t, d, m->loc, &at);
        text_printf(&t,
                    "\"code\": \"CS%d\", \"severity\": \"%s\", \"message\": ", diag_number(m->code),
                    m->warning ? "warning" : "error");
        diag_add_json(&t, m->text);
        text_add(&t, ", \"notes\": [");
        for (const Note *note = m->notes; note; note = note->next) {
            text_add(&t, "{");
            if (note->loc.begin || note->loc.end) add_json_place(&t, d, note->loc, &note_at);
            text_add(&t, "\"message\": ");
            diag_add_json(&t, note->text);
            text_add(&t, note->next ? "}, " : "}");
        }
        text_add(&t, "]}\n");
    }
    if (t.len > 0) fwrite(t.data, 1, t.len, out);
    text_free(&t);
}

void diags_each(const Diags *d, void (*visit)(void *ctx, const DiagView *view), void *ctx)
{
    Message **sorted = sorted_messages(d);
    for (size_t i = 0; i < d->messages.len; i++) {
        const Message *m = sorted[i];
        visit(ctx, &(DiagView){.loc = m->loc,
                               .text = m->text,
                               .code = m->code,
                               .warning = m->warning,
                               .fix = m->fix,
                               .fix_at = m->fix_at});
        for (const Note *n = m->notes; n; n = n->next)
            visit(ctx, &(DiagView){.loc = n->loc,
                                   .text = n->text,
                                   .code = m->code,
                                   .warning = m->warning,
                                   .note = true});
    }
}

/* Edit distance with transpositions, not more than limit + 1; rows of at most 63 letters. */
static size_t distance(const char *a, size_t la, const char *b, size_t lb, size_t limit)
{
    enum { LONGEST = 63 };
    size_t row[3][LONGEST + 1];
    if (la > LONGEST || lb > LONGEST || la > lb + limit || lb > la + limit) return limit + 1;
    for (size_t j = 0; j <= lb; j++) row[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = row[i % 3];
        const size_t *up = row[(i + 2) % 3], *upup = row[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < best) best = up[j] + 1;
            if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                upup[j - 2] + 1 < best)
                best = upup[j - 2] + 1;
            now[j] = best;
        }
    }
    return row[la % 3][lb];
}

static bool same_but_for_case(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) a++, b++;
    return *a == *b;
}

const char *diag_nearest(const char *name, const char *const *candidates, size_t n)
{
    size_t len = strlen(name), best = len / 3 + 1;
    const char *found = NULL;
    for (size_t i = 0; i < n; i++) {
        const char *c = candidates[i];
        if (!c || strcmp(c, name) == 0) continue;
        size_t far = same_but_for_case(name, c) ? 0 : distance(name, len, c, strlen(c), len / 3);
        if (far < best) {
            best = far;
            found = c;
        }
    }
    return found;
}
