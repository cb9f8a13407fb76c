/* Namespaces. A file is a module and needs none: `namespace N;` and `namespace N { }` are taken and say
 * nothing, `using` of one or of .NET's is left out, and `N.` before a name of it. `using A = T;` is
 * another name for a type. */
#include <string.h>

#include "marks.h"

typedef struct Walk {
    Tokens *tokens;
    size_t *partner; /* marks_partners */
    Interner *names;
    NameSet known;     /* with dots */
    VEC(bool) dropped; /* of each token */
} Walk;

static const char *const net[] = {"System",
                                  "System.Collections",
                                  "System.Collections.Generic",
                                  "System.Diagnostics",
                                  "System.Globalization",
                                  "System.IO",
                                  "System.Linq",
                                  "System.Numerics",
                                  "System.Text",
                                  "System.Threading",
                                  "System.Threading.Tasks"};

static bool is_word(const Walk *w, size_t i, const char *word)
{
    return kind_at(w->tokens, i) == TOK_NAME && strcmp(name_at(w->tokens, i), word) == 0;
}

/* Is the name at token i before `.` and a name? */
static bool goes_on(const Walk *w, size_t i)
{
    return kind_at(w->tokens, i + 1) == TOK_DOT && is_name(kind_at(w->tokens, i + 2));
}

/* The token behind the path A.B.C that begins at i; i if there is none. */
static size_t end_of_path(const Walk *w, size_t i)
{
    if (!is_name(kind_at(w->tokens, i))) return i;
    while (goes_on(w, i)) i += 2;
    return i + 1;
}

static void add_path(Text *out, const Walk *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        text_add(out, is_name(kind_at(w->tokens, i)) ? name_at(w->tokens, i) : ".");
}

static bool is_namespace(const Walk *w, size_t i)
{
    TokenKind before = kind_before(w->tokens, i, 1);
    return is_word(w, i, "namespace") && is_name(kind_at(w->tokens, i + 1)) &&
           (before == TOK_END || before == TOK_SEMI || before == TOK_LBRACE ||
            before == TOK_RBRACE || before == TOK_RBRACKET);
}

/* A.B is known, and so is A. */
static void know(Walk *w, size_t from, size_t to)
{
    for (size_t end = from + 1; end <= to; end += 2) {
        Text t = {0};
        add_path(&t, w, from, end);
        names_add(&w->known, intern_cstr(w->names, t.data));
        text_free(&t);
    }
}

static bool is_known(const Walk *w, size_t from, size_t to)
{
    Text t = {0};
    add_path(&t, w, from, to);
    bool known = strncmp(t.data, "Microsoft", 9) == 0 || strncmp(t.data, "System.", 7) == 0;
    for (size_t i = 0; i < sizeof net / sizeof *net; i++) known |= strcmp(net[i], t.data) == 0;
    known |= names_has(&w->known, intern_cstr(w->names, t.data));
    text_free(&t);
    return known;
}

static void drop(Walk *w, size_t from, size_t to)
{
    for (; from < to; from++) w->dropped.data[from] = true;
}

static void skip_declaration(Walk *w, size_t i)
{
    size_t end = end_of_path(w, i + 1);
    know(w, i + 1, end);
    if (kind_at(w->tokens, end) == TOK_LBRACE && w->partner[end])
        w->dropped.data[w->partner[end]] = true;
    else if (kind_at(w->tokens, end) != TOK_SEMI)
        return;
    drop(w, i, end + 1);
}

static void skip_using(Walk *w, size_t i)
{
    size_t end = end_of_path(w, i + 1);
    if (i && is_word(w, i - 1, "global")) w->dropped.data[i - 1] = true;
    if (end == i + 2 && kind_at(w->tokens, end) == TOK_ASSIGN)
        w->tokens->list.data[i].kind = TOK_TYPE;
    else if (end > i + 1 && kind_at(w->tokens, end) == TOK_SEMI && is_known(w, i + 1, end))
        drop(w, i, end + 1);
}

/* Can the name at token i begin that of a namespace? */
static bool begins(const Walk *w, size_t i)
{
    TokenKind before = kind_before(w->tokens, i, 1);
    if (before == TOK_DOT || before == TOK_COND_DOT || before == TOK_USING) return false;
    const char *name = name_at(w->tokens, i);
    return strcmp(name, "System") == 0 || names_has(&w->known, name);
}

static bool is_net(const char *name)
{
    for (size_t k = 0; k < sizeof net / sizeof *net; k++)
        if (strcmp(net[k], name) == 0) return true;
    return false;
}

/* How many tokens from the name i on name a known namespace before a dot. What a known one lies in is known. */
static size_t prefix(const Walk *w, size_t i)
{
    size_t found = 0;
    if (!begins(w, i)) return 0;
    Text t = {0};
    for (size_t at = i; goes_on(w, at); at += 2) {
        text_add(&t, name_at(w->tokens, at));
        if (!is_net(t.data) && !names_has(&w->known, intern_cstr(w->names, t.data))) break;
        found = at + 2 - i;
        text_add(&t, ".");
    }
    text_free(&t);
    return found;
}

void lexer_skip_namespaces(Tokens *tokens, Interner *names)
{
    Walk w = {.tokens = tokens, .partner = marks_partners(tokens), .names = names};
    for (size_t i = 0; i < tokens->list.len; i++) vec_push(&w.dropped, false);
    for (size_t i = 0; i < tokens->list.len; i++)
        if (is_namespace(&w, i)) skip_declaration(&w, i);
    for (size_t i = 0; i < tokens->list.len; i++) {
        if (w.dropped.data[i]) continue;
        if (kind_at(tokens, i) == TOK_USING) skip_using(&w, i);
        if (is_name(kind_at(tokens, i))) drop(&w, i, i + prefix(&w, i));
    }
    tokens_drop(tokens, w.dropped.data);
    mem_free(w.partner);
    names_free(&w.known);
    vec_free(&w.dropped);
}
