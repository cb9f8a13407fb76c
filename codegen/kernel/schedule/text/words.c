/* Words of schedules as text. */
#include <ctype.h>
#include <string.h>

#include "read.h"

void reader_fail(Reader *r, const char *why)
{
    if (r->error) return;
    r->error = why;
    r->error_line = r->line;
}

static bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '#';
}

void reader_skip(Reader *r)
{
    while (*r->at == ' ') r->at++;
}

bool reader_accept(Reader *r, const char *word)
{
    size_t n = strlen(word);
    reader_skip(r);
    if (strncmp(r->at, word, n) != 0) return false;
    if (is_word_char(word[n - 1]) && is_word_char(r->at[n])) return false;
    r->at += n;
    return true;
}

/* Which of the words comes; -1: none. */
int reader_accept_any(Reader *r, const char *const *words, int n)
{
    for (int i = 0; i < n; i++)
        if (words[i] && *words[i] && reader_accept(r, words[i])) return i;
    return -1;
}

void reader_expect(Reader *r, const char *word)
{
    if (!reader_accept(r, word))
        reader_fail(r, arena_printf(r->u->arena, "'%s' should stand here", word));
}

/* "" if none comes. */
const char *reader_name(Reader *r)
{
    size_t n = 0;
    reader_skip(r);
    while (is_word_char(r->at[n])) n++;
    if (!n || isdigit((unsigned char)*r->at)) reader_fail(r, "a name should stand here");
    const char *word = arena_strndup(r->u->arena, r->at, n);
    r->at += n;
    return word;
}

/* A name of C. */
const char *reader_plain_name(Reader *r)
{
    const char *word = reader_name(r);
    if (strchr(word, '#')) reader_fail(r, "a name has letters, digits and '_' only");
    return word;
}

int reader_small_number(Reader *r, int limit)
{
    int v = 0;
    reader_skip(r);
    if (!isdigit((unsigned char)*r->at)) reader_fail(r, "a number should stand here");
    for (; isdigit((unsigned char)*r->at); r->at++) v = v < limit ? v * 10 + (*r->at - '0') : limit;
    if (v >= limit) reader_fail(r, "the number is too large");
    return v < limit ? v : 0;
}

/* Never NULL. */
Num *reader_expression(Reader *r, bool truth)
{
    const char *why = NULL;
    Num *x = r->error ? NULL : num_read(r->u, &r->at, truth, &why);
    if (!x && !r->error) reader_fail(r, why);
    return x ? x : num_int(r->u, 1);
}

Num *reader_optional(Reader *r, const char *word)
{
    return reader_accept(r, word) ? reader_expression(r, false) : NULL;
}
