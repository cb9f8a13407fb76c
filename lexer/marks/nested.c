/* Classes inside classes, and enums and delegates. What C# calls Outer.Inner is a class of that name, dot
 * included: wherever it is meant, inside Outer by its own name and elsewhere behind that of Outer, one
 * token says so. Type arguments of Outer come first among its own: Outer<int>.Inner<char> is
 * Outer.Inner<int, char>. The rest of the compiler knows classes side by side only.
 */
#include <string.h>

#include "marks.h"

/* Names grow with the depth; a class deeper than this is taken for one of its own, and the parser refuses
 * such depths. */
enum { MAX_OPEN = 30 };

typedef struct Nested {
    const char *outer, *inner, *full;
} Nested;

/* What the names from token `begin` up to `end` mean together, with the type arguments between them. */
typedef struct Meaning {
    const char *name;
    size_t begin, end;
    size_t lists[MAX_OPEN][2]; /* of each the tokens '<' and '>' */
    size_t nlists;
} Meaning;

typedef struct Body { /* of a class, that is open */
    const char *name;
    size_t depth;
} Body;

typedef struct Walk {
    Tokens *tokens;
    Interner *names;
    const NameSet *imported; /* types of other files; NULL: those of this one */
    VEC(Nested) nested;
    VEC(Body) open;
    const char *pending; /* a class whose body comes next */
    size_t depth;
    const char *delegate_word;
    size_t delegate_name; /* of the delegate that is being declared */
    VEC(bool) dropped;    /* of each token */
} Walk;

static const char *joined(const Walk *w, const char *outer, const char *inner)
{
    Text t = {0};
    text_printf(&t, "%s.%s", outer, inner);
    const char *name = intern_cstr(w->names, t.data);
    text_free(&t);
    return name;
}

/* The full name of the class inside another one; NULL: there is none. */
static const char *find(const Walk *w, const char *outer, const char *inner)
{
    for (size_t i = 0; i < w->nested.len; i++)
        if (w->nested.data[i].outer == outer && w->nested.data[i].inner == inner)
            return w->nested.data[i].full;
    const char *name = w->imported ? joined(w, outer, inner) : NULL;
    return name && names_has(w->imported, name) ? name : NULL;
}

static bool begins_class(TokenKind k)
{
    return k == TOK_CLASS || k == TOK_INTERFACE || k == TOK_STRUCT || k == TOK_RECORD;
}

/* The name of the class, enum or delegate that token i declares right inside the innermost class; 0. */
static size_t is_inside(const Walk *w, size_t i)
{
    TokenKind k = kind_at(w->tokens, i);
    bool inside = w->open.len > 0 && w->open.len < MAX_OPEN && vec_last(&w->open).depth == w->depth;
    if (!inside) return 0;
    if (begins_class(k) || k == TOK_ENUM) return kind_at(w->tokens, i + 1) == TOK_NAME ? i + 1 : 0;
    size_t name = marks_delegate(w->tokens, i, w->delegate_word);
    return kind_at(w->tokens, name) == TOK_NAME ? name : 0;
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
        size_t name = is_inside(w, i);
        if (name) {
            const char *outer = vec_last(&w->open).name, *inner = name_at(w->tokens, name);
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

/* What the name at token i means, with those behind dots; false: no inner class. */
static bool meant(const Walk *w, size_t i, Meaning *m)
{
    const Tokens *tokens = w->tokens;
    TokenKind before = kind_before(tokens, i, 1);
    const char *name = name_at(tokens, i);
    *m = (Meaning){.begin = i, .end = i + 1};
    if (before == TOK_DOT || before == TOK_COND_DOT || is_item(tokens, i)) return false;
    if (i != w->delegate_name && is_declared(tokens, i)) return false;
    for (size_t k = w->open.len; k-- > 0 && !m->name;)
        m->name = find(w, w->open.data[k].name, name);
    for (const char *outer = m->name ? m->name : name; m->nlists < MAX_OPEN;) {
        size_t dot = m->end;
        if (kind_at(tokens, dot) == TOK_LT) dot = lexer_skip_type_list(tokens, dot);
        bool member = kind_at(tokens, dot) == TOK_DOT && kind_at(tokens, dot + 1) == TOK_NAME;
        const char *inner = member ? find(w, outer, name_at(tokens, dot + 1)) : NULL;
        if (!inner) break;
        if (dot > m->end) {
            m->lists[m->nlists][0] = m->end;
            m->lists[m->nlists++][1] = dot - 1;
        }
        m->name = outer = inner;
        m->end = dot + 2;
    }
    return m->name != NULL;
}

static void drop(Walk *w, size_t from, size_t to)
{
    for (; from < to; from++) w->dropped.data[from] = true;
}

/* `> <` between two lists of type arguments becomes a comma. */
static void join_lists(Walk *w, size_t last, size_t first)
{
    Token *t = w->tokens->list.data;
    if (t[last - 1].kind == TOK_SHR) t[last - 1].kind = TOK_GT; /* the first of two */
    t[last].kind = TOK_COMMA;
    drop(w, first, first + 1);
}

/* One token for the names; the lists of type arguments behind it, as one. */
static void put(Walk *w, const Meaning *m)
{
    Token *t = &w->tokens->list.data[m->begin];
    TokenValue v = {.text = m->name};
    t->value = (uint32_t)w->tokens->values.len;
    vec_push(&w->tokens->values, v);
    if (!m->nlists) t->end = w->tokens->list.data[m->end - 1].end;
    size_t at = m->begin + 1;
    for (size_t k = 0; k < m->nlists; k++) {
        drop(w, at, m->lists[k][0]);
        if (k) join_lists(w, m->lists[k - 1][1], m->lists[k][0]);
        at = m->lists[k][1] + 1;
    }
    drop(w, at, m->end);
    size_t own = m->end;
    if (m->nlists && kind_at(w->tokens, own) == TOK_LT &&
        lexer_skip_type_list(w->tokens, own) > own)
        join_lists(w, at - 1, own);
}

static bool has_inner(const NameSet *imported)
{
    for (size_t i = 0; i < imported->size; i++)
        if (imported->slots[i] && strchr(imported->slots[i], '.')) return true;
    return false;
}

void lexer_nested_types(Tokens *tokens, Interner *names, const NameSet *imported)
{
    Walk w = {.tokens = tokens,
              .names = names,
              .imported = imported,
              .delegate_word = intern_cstr(names, "delegate")};
    Meaning m;
    if (!imported) collect(&w);
    bool some = imported ? has_inner(imported) : w.nested.len > 0;
    for (size_t i = 0; some && i < tokens->list.len; i++) vec_push(&w.dropped, false);
    for (size_t i = 0; some && i < tokens->list.len; i++) {
        if (w.dropped.data[i]) continue;
        size_t delegate = marks_delegate(tokens, i, w.delegate_word);
        if (delegate) w.delegate_name = delegate;
        bool inner = kind_at(tokens, i) == TOK_NAME && meant(&w, i, &m);
        follow(&w, i);
        if (inner) put(&w, &m);
    }
    if (some) tokens_drop(tokens, w.dropped.data);
    vec_free(&w.dropped);
    vec_free(&w.nested);
    vec_free(&w.open);
}
