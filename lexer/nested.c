/* Classes inside classes. What C# calls Outer.Inner is a class of that name, dot included: wherever
 * it is meant, inside Outer by its own name and elsewhere behind that of Outer, one token says so.
 * The rest of the compiler knows classes side by side only.
 */
#include <string.h>

#include "marks.h"

/* Names grow with the depth; a class deeper than this is taken for one of its own, and the parser refuses
 * such depths. */
enum { MAX_OPEN = 30 };

typedef struct Nested {
    const char *outer, *inner, *full;
} Nested;

typedef struct Body { /* of a class, that is open */
    const char *name;
    size_t depth;
} Body;

typedef struct Walk {
    Tokens *tokens;
    Interner *names;
    VEC(Nested) nested;
    VEC(Body) open;
    const char *pending; /* a class whose body comes next */
    size_t depth;
} Walk;

static const char *find(const Walk *w, const char *outer, const char *inner)
{
    for (size_t i = 0; i < w->nested.len; i++)
        if (w->nested.data[i].outer == outer && w->nested.data[i].inner == inner)
            return w->nested.data[i].full;
    return NULL;
}

static const char *joined(Walk *w, const char *outer, const char *inner)
{
    Text t = {0};
    text_printf(&t, "%s.%s", outer, inner);
    const char *name = intern_cstr(w->names, t.data);
    text_free(&t);
    return name;
}

static bool begins_class(TokenKind k)
{
    return k == TOK_CLASS || k == TOK_INTERFACE || k == TOK_STRUCT || k == TOK_RECORD;
}

/* Whether token i declares a class or an enum right inside the innermost class. */
static bool is_inside(const Walk *w, size_t i)
{
    TokenKind k = kind_at(w->tokens, i);
    return (begins_class(k) || k == TOK_ENUM) && kind_at(w->tokens, i + 1) == TOK_NAME &&
           w->open.len > 0 && w->open.len < MAX_OPEN && vec_last(&w->open).depth == w->depth;
}

/* Follows braces and bodies over token i. */
static void follow(Walk *w, size_t i)
{
    switch (kind_at(w->tokens, i)) {
    case TOK_CLASS:
    case TOK_INTERFACE:
    case TOK_STRUCT:
    case TOK_RECORD:
        if (kind_at(w->tokens, i + 1) != TOK_NAME) break;
        w->pending = name_at(w->tokens, i + 1);
        if (is_inside(w, i)) w->pending = joined(w, vec_last(&w->open).name, w->pending);
        break;
    case TOK_SEMI: w->pending = NULL; break;
    case TOK_LBRACE: {
        w->depth++;
        Body body = {w->pending, w->depth};
        if (w->pending) vec_push(&w->open, body);
        w->pending = NULL;
        break;
    }
    case TOK_RBRACE:
        if (w->open.len > 0 && vec_last(&w->open).depth == w->depth) w->open.len--;
        w->depth -= w->depth > 0;
        break;
    default: break;
    }
}

static void collect(Walk *w)
{
    for (size_t i = 0; i < w->tokens->list.len; i++) {
        if (is_inside(w, i)) {
            const char *outer = vec_last(&w->open).name, *inner = name_at(w->tokens, i + 1);
            Nested n = {outer, inner, joined(w, outer, inner)};
            if (!find(w, outer, inner)) vec_push(&w->nested, n);
        }
        follow(w, i);
    }
    w->open.len = 0;
    w->depth = 0;
    w->pending = NULL;
}

/* A member or variable that is named like the class: `Node Node;`, `List<Node> Node = ..`. */
static bool is_declared(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1), next = kind_at(tokens, i + 1);
    return (is_name(before) || before == TOK_GT || before == TOK_RBRACKET) && !is_name(next) &&
           next != TOK_LT && next != TOK_LBRACKET && next != TOK_DOT;
}

/* A member that is set or asked for by its name: { Kind = Kind.A }, { Kind: Kind.A }. */
static bool is_item(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1), next = kind_at(tokens, i + 1);
    bool first = before == TOK_LBRACE || before == TOK_COMMA;
    return (first && (next == TOK_ASSIGN || next == TOK_COLON)) ||
           (before == TOK_LPAREN && next == TOK_COLON);
}

/* The class that the name at token i means, and how many tokens do; NULL: no inner one. */
static const char *meant(const Walk *w, size_t i, size_t *count)
{
    const Tokens *tokens = w->tokens;
    TokenKind before = kind_before(tokens, i, 1);
    const char *found = NULL, *name = name_at(tokens, i);
    if (before == TOK_DOT || before == TOK_COND_DOT || is_declared(tokens, i) || is_item(tokens, i))
        return NULL;
    for (size_t k = w->open.len; k-- > 0 && !found;) found = find(w, w->open.data[k].name, name);
    *count = 1;
    for (const char *outer = found ? found : name;;) {
        bool member =
            kind_at(tokens, i + *count) == TOK_DOT && kind_at(tokens, i + *count + 1) == TOK_NAME;
        const char *inner = member ? find(w, outer, name_at(tokens, i + *count + 1)) : NULL;
        if (!inner) return found;
        found = outer = inner;
        *count += 2;
    }
}

void lexer_nested_types(Tokens *tokens, Interner *names)
{
    Walk w = {.tokens = tokens, .names = names};
    collect(&w);
    size_t to = 0;
    for (size_t i = 0; w.nested.len > 0 && i < tokens->list.len;) {
        size_t count = 1;
        const char *name = kind_at(tokens, i) == TOK_NAME ? meant(&w, i, &count) : NULL;
        Token t = tokens->list.data[i];
        follow(&w, i); /* looks at what comes, which is still there */
        if (name) {
            TokenValue v = {.text = name};
            t.value = (uint32_t)tokens->values.len;
            t.end = tokens->list.data[i + count - 1].end;
            vec_push(&tokens->values, v);
        }
        tokens->list.data[to++] = t;
        i += count;
    }
    if (w.nested.len > 0) tokens->list.len = to;
    vec_free(&w.nested);
    vec_free(&w.open);
}
