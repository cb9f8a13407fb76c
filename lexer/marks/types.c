/* Which names are types. The grammar is free of conflicts because every token that names a type
 * says so, and because constructors are told from other members. Decided once the whole file is
 * scanned, so that types may be used before they are declared; each pass is linear. */
#include <stdlib.h>
#include <string.h>

#include "marks.h"

/* ---- tokens ---- */

/* `type` is a keyword only before a name. */
static bool is_type_word(const Tokens *tokens, size_t i, const char *type_word)
{
    return kind_at(tokens, i) == TOK_NAME && name_at(tokens, i) == type_word &&
           kind_before(tokens, i, 1) != TOK_DOT && is_name(kind_at(tokens, i + 1));
}

size_t marks_delegate(const Tokens *tokens, size_t i, const char *delegate_word)
{
    if (kind_at(tokens, i) != TOK_NAME || name_at(tokens, i) != delegate_word ||
        kind_before(tokens, i, 1) == TOK_DOT)
        return 0;
    size_t at = i + 1, inside = 0;
    TokenKind first = kind_at(tokens, at);
    if (!is_name(first) && first != TOK_LPAREN) return 0;
    for (; at < i + LONGEST_LIST; at++) {
        TokenKind k = kind_at(tokens, at), next = kind_at(tokens, at + 1);
        inside += k == TOK_LPAREN || k == TOK_LT || k == TOK_LBRACKET;
        inside -= (k == TOK_RPAREN || k == TOK_GT || k == TOK_RBRACKET) && inside > 0;
        bool begins = at > i + 1 && is_name(k) && inside == 0;
        if (begins && (next == TOK_LPAREN || next == TOK_LT)) return at;
        if (k == TOK_SEMI || k == TOK_LBRACE || k == TOK_END || k == TOK_ARROW) break;
    }
    return 0;
}

/* A word that stands before the name of a type that it declares; `class` may be a constraint, too. */
bool marks_declares_type(const Tokens *tokens, size_t i)
{
    switch (kind_at(tokens, i)) {
    case TOK_TYPE:
    case TOK_CLASS:
    case TOK_ENUM:
    case TOK_INTERFACE:
    case TOK_STRUCT:
    case TOK_RECORD: return is_name(kind_at(tokens, i + 1));
    default: return false;
    }
}

void lexer_declared_types(const Tokens *tokens, Interner *names, NameSet *declared)
{
    const char *type_word = intern_cstr(names, "type"),
               *delegate_word = intern_cstr(names, "delegate");
    for (size_t i = 0; i + 1 < tokens->list.len; i++) {
        size_t name = marks_delegate(tokens, i, delegate_word);
        if (name)
            names_add(declared, name_at(tokens, name));
        else if ((marks_declares_type(tokens, i) || is_type_word(tokens, i, type_word)) &&
                 kind_at(tokens, i + 1) == TOK_NAME)
            names_add(declared, name_at(tokens, i + 1));
    }
}

/* ---- brackets ---- */

/* For each token that opens a bracket, the one that closes it; 0 if there is none. A brace closes
 * what is still open inside it. The caller frees it. */
size_t *marks_partners(const Tokens *tokens)
{
    size_t *partner = mem_alloc((tokens->list.len + 1) * sizeof *partner);
    Indices open = {0};
    for (size_t i = 0; i < tokens->list.len; i++) {
        TokenKind k = kind_at(tokens, i);
        if (token_partner(k) != TOK_END) vec_push(&open, i);
        if (!token_closes(k)) continue;
        while (k == TOK_RBRACE && open.len > 0 &&
               token_partner(kind_at(tokens, vec_last(&open))) != k)
            open.len--;
        if (open.len == 0 || token_partner(kind_at(tokens, vec_last(&open))) != k) continue;
        partner[vec_last(&open)] = i;
        open.len--;
    }
    vec_free(&open);
    return partner;
}

size_t lexer_skip_type_list(const Tokens *tokens, size_t i)
{
    size_t inside = 0;
    for (size_t at = i; at < i + LONGEST_LIST; at++) {
        switch (kind_at(tokens, at)) {
        case TOK_TYPE_ARGS:
        case TOK_LT: inside++; break;
        case TOK_SHR: /* the first of two '>' */
        case TOK_GT:
            if (--inside == 0) return at + 1;
            break;
        case TOK_NAME:
        case TOK_TYPENAME:
        case TOK_COMMA:
        case TOK_TUPLE:
        case TOK_LPAREN:
        case TOK_RPAREN:
        case TOK_LBRACKET:
        case TOK_RBRACKET:
        case TOK_COND_BRACKET:
        case TOK_NULLABLE: break;
        case TOK_IN:
        case TOK_OUT: /* of a type parameter */
            if (kind_at(tokens, at - 1) != TOK_LT && kind_at(tokens, at - 1) != TOK_COMMA) return i;
            break;
        case TOK_DOT: /* Outer<int>.Inner */
            if (kind_at(tokens, at - 1) != TOK_GT) return i;
            break;
        case TOK_QUESTION: /* not looked at yet */
            if (kind_at(tokens, at + 1) != TOK_GT && kind_at(tokens, at + 1) != TOK_COMMA) return i;
            break;
        default: return i;
        }
        if (inside == 0) return i;
    }
    return i;
}

/* ---- type parameters and constructors ---- */

/* Tokens in which the names of a list of type parameters are types. */
typedef struct Extent {
    size_t begin, end, list; /* list: the token '<' */
} Extent;

typedef struct Marker {
    Tokens *tokens;
    size_t *partner;
    VEC(Extent) extents; /* by begin; at most one of a class and one of a method overlap */
    VEC(Extent) active;
    size_t function_end; /* of the last generic function */
    NameSet types;       /* those that the file declares */
    NameSet functions;   /* the same, if modules have types of their names */
    const NameSet *imported;
} Marker;

/* The end of what token i begins: a body or a ';'. */
static size_t end_of_body(const Marker *m, size_t i)
{
    for (; kind_at(m->tokens, i) != TOK_END; i++) {
        TokenKind k = kind_at(m->tokens, i);
        if (k == TOK_LBRACE) return m->partner[i] ? m->partner[i] : m->tokens->list.len;
        if (k == TOK_SEMI || k == TOK_RBRACE || marks_declares_type(m->tokens, i)) return i;
    }
    return i;
}

static bool is_type_parameter(const Marker *m, const char *name);

static bool is_declared(const Marker *m, const char *name)
{
    return names_has(&m->types, name) || names_has(m->imported, name) || is_type_parameter(m, name);
}

/* Whether the parenthesis at i behind a base of a class with parameters of its own has arguments, and not
 * the types that a functional type takes. */
static bool is_base_call(const Marker *m, size_t i)
{
    size_t end = m->partner[i];
    if (end == i + 1) return true;
    for (size_t k = i + 1; k < end; k++) {
        TokenKind kind = kind_at(m->tokens, k);
        bool value = kind == TOK_NAME && !is_declared(m, name_at(m->tokens, k));
        if (value || token_class(kind) == TOKEN_K || kind == TOK_DOT) return true;
        if (kind == TOK_INT || kind == TOK_REAL || kind == TOK_STRING || kind == TOK_CHAR)
            return true;
    }
    return false;
}

/* The names behind the ':' of a class, and what stands between it and the body, are types. */
static void mark_bases(Marker *m, size_t i)
{
    bool header = kind_at(m->tokens, i) == TOK_LPAREN ||
                  kind_at(m->tokens, lexer_skip_type_list(m->tokens, i)) == TOK_LPAREN;
    for (bool bases = false;; i++) {
        TokenKind k = kind_at(m->tokens, i);
        if (k == TOK_END || k == TOK_LBRACE || k == TOK_SEMI || k == TOK_RBRACE ||
            marks_declares_type(m->tokens, i))
            return;
        if (k == TOK_LPAREN && bases && header && m->partner[i] && is_base_call(m, i)) {
            m->tokens->list.data[i].kind = TOK_BASE_ARGS;
            i = m->partner[i];
        } else if (k == TOK_LPAREN && !bases && m->partner[i]) {
            i = m->partner[i];
        }
        bases = bases || k == TOK_COLON;
        if (bases && k == TOK_NAME && kind_before(m->tokens, i, 1) != TOK_DOT)
            m->tokens->list.data[i].kind = TOK_TYPENAME;
    }
}

/* The token behind the constraints that begin with the `where` at i. */
static size_t end_of_where(const Tokens *tokens, size_t i)
{
    TokenKind k;
    do k = kind_at(tokens, ++i);
    while (k != TOK_END && k != TOK_LBRACE && k != TOK_SEMI && k != TOK_ARROW && k != TOK_WHERE);
    return i;
}

/* `class NAME` at token i. In the body at the depth of members `NAME(..)` before a body or a ':' is
 * a constructor. */
static void mark_class(Marker *m, size_t i)
{
    const char *name = name_at(m->tokens, i + 1);
    mark_bases(m, i + 2);
    size_t end = end_of_body(m, i + 2), at = i + 2;
    if (kind_at(m->tokens, at) == TOK_LT) {
        Extent e = {i, end, at};
        vec_push(&m->extents, e);
    }
    while (at < end && kind_at(m->tokens, at) != TOK_LBRACE) at++;
    for (at++; at < end; at++) {
        TokenKind k = kind_at(m->tokens, at);
        if (k == TOK_LBRACE && !m->partner[at]) break; /* all that comes is inside it */
        if ((k == TOK_LBRACE || k == TOK_LPAREN) && m->partner[at]) at = m->partner[at];
        if (!is_name(k) || kind_at(m->tokens, at + 1) != TOK_LPAREN ||
            name_at(m->tokens, at) != name)
            continue;
        TokenKind before = kind_before(m->tokens, at, 1);
        TokenKind after = kind_at(m->tokens, m->partner[at + 1] + 1);
        bool begins = before == TOK_LBRACE || before == TOK_RBRACE || before == TOK_SEMI ||
                      before == TOK_RBRACKET || token_is_modifier(before);
        if (begins && m->partner[at + 1] &&
            (after == TOK_LBRACE || after == TOK_COLON || after == TOK_ARROW))
            m->tokens->list.data[at].kind = TOK_CTOR;
    }
}

/* `TYPE NAME<T>(..)` with a body, at NAME; inside of functions too, where all have one. */
static bool find_generic_function(Marker *m, size_t i, bool inside)
{
    const Tokens *tokens = m->tokens;
    TokenKind before = kind_before(tokens, i, 1);
    if (before == TOK_DOT && marks_is_of(tokens, i)) before = TOK_TYPENAME;
    if (i < m->function_end || (!is_name(before) && before != TOK_GT && before != TOK_RPAREN &&
                                before != TOK_RBRACKET && before != TOK_NULLABLE))
        return false;
    size_t list = i + 1, at = list;
    do at += 2;
    while (is_name(kind_at(tokens, at - 1)) && kind_at(tokens, at) == TOK_COMMA &&
           at < list + LONGEST_LIST);
    if (kind_at(tokens, at) != TOK_GT || kind_at(tokens, at + 1) != TOK_LPAREN) return false;
    size_t close = m->partner[at + 1];
    TokenKind after = kind_at(tokens, close + 1);
    if (!close || (after != TOK_LBRACE && after != TOK_ARROW && after != TOK_WHERE &&
                   (after != TOK_SEMI || inside)))
        return false;
    size_t begin = i;
    for (; begin > 0 && begin + LONGEST_LIST > i; begin--) {
        TokenKind k = kind_at(tokens, begin - 1);
        if (k == TOK_SEMI || k == TOK_LBRACE || k == TOK_RBRACE) break;
    }
    Extent e = {begin, end_of_body(m, close + 1), list};
    vec_push(&m->extents, e);
    m->function_end = e.end;
    return true;
}

/* `delegate { .. }` or `delegate (int x) { .. }`, a lambda as older C# writes it. */
static bool is_anonymous_method(const Marker *m, size_t i)
{
    size_t at = i + 1;
    if (kind_at(m->tokens, at) == TOK_LPAREN && m->partner[at]) at = m->partner[at] + 1;
    return kind_at(m->tokens, at) == TOK_LBRACE && kind_before(m->tokens, i, 1) != TOK_DOT &&
           !is_name(kind_before(m->tokens, i, 1));
}

/* `R NAME(..)` with a body, at NAME. */
static bool declares_function(const Marker *m, size_t i)
{
    TokenKind before = kind_before(m->tokens, i, 1);
    if (!is_name(before) && before != TOK_GT && before != TOK_NULLABLE && before != TOK_QUESTION &&
        before != TOK_RBRACKET && before != TOK_RPAREN)
        return false;
    TokenKind behind = m->partner[i + 1] ? kind_at(m->tokens, m->partner[i + 1] + 1) : TOK_END;
    return behind == TOK_LBRACE || behind == TOK_ARROW;
}

/* Is the name of a type at i, of a module, called: does the file have a function of that name? */
static bool is_called(const Marker *m, size_t i)
{
    const char *name = name_at(m->tokens, i);
    size_t args = i + 1;
    if (kind_at(m->tokens, args) == TOK_LT) args = lexer_skip_type_list(m->tokens, args);
    return kind_at(m->tokens, args) == TOK_LPAREN && !names_has(&m->types, name) &&
           names_has(&m->functions, name) && kind_before(m->tokens, i, 1) != TOK_NEW;
}

/* `when` is a keyword behind a catch; behind patterns patterns.c has found it. */
static bool is_when(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1);
    return kind_at(tokens, i + 1) == TOK_LPAREN && (before == TOK_CATCH || before == TOK_RPAREN);
}

static void find_declarations(Marker *m, Interner *names)
{
    const char *type_word = intern_cstr(names, "type"), *when_word = intern_cstr(names, "when"),
               *with_word = intern_cstr(names, "with"),
               *delegate_word = intern_cstr(names, "delegate"),
               *yield_word = intern_cstr(names, "yield");
    size_t depth = 0;
    for (size_t i = 0; i < m->tokens->list.len; i++) {
        Token *t = &m->tokens->list.data[i];
        TokenKind next = kind_at(m->tokens, i + 1);
        depth += token_partner((TokenKind)t->kind) == TOK_RBRACE;
        depth -= t->kind == TOK_RBRACE && depth > 0;
        size_t name = marks_delegate(m->tokens, i, delegate_word);
        if (is_type_word(m->tokens, i, type_word))
            t->kind = TOK_TYPE;
        else if (t->kind == TOK_NAME && (next == TOK_RETURN || next == TOK_BREAK) &&
                 name_at(m->tokens, i) == yield_word)
            t->kind = TOK_YIELD;
        else if (t->kind == TOK_NAME && name_at(m->tokens, i) == delegate_word &&
                 is_anonymous_method(m, i))
            t->kind = TOK_DELEGATE;
        else if (name) {
            t->kind = TOK_DELEGATE;
            m->tokens->list.data[name].flags |= TOKEN_MEMBER; /* no type here */
        } else if (t->kind == TOK_NAME && name_at(m->tokens, i) == when_word &&
                   is_when(m->tokens, i))
            t->kind = TOK_WHEN;
        else if (t->kind == TOK_NAME && name_at(m->tokens, i) == with_word &&
                 marks_with(m->tokens, i))
            t->kind = TOK_WITH;
        else if ((t->kind == TOK_CLASS || t->kind == TOK_INTERFACE || t->kind == TOK_STRUCT ||
                  t->kind == TOK_RECORD) &&
                 is_name(next))
            mark_class(m, i);
        else if (t->kind == TOK_ENUM && is_name(next))
            mark_bases(m, i + 2);
        else if (t->kind == TOK_NAME && next == TOK_LT && find_generic_function(m, i, depth > 1) &&
                 names_has(m->imported, name_at(m->tokens, i)))
            names_add(&m->functions, name_at(m->tokens, i));
        if (is_name(t->kind) && next == TOK_LPAREN &&
            names_has(m->imported, name_at(m->tokens, i)) && declares_function(m, i))
            names_add(&m->functions, name_at(m->tokens, i));
    }
}

static bool is_type_parameter(const Marker *m, const char *name)
{
    for (size_t e = 0; e < m->active.len; e++)
        for (size_t i = m->active.data[e].list + 1; is_name(kind_at(m->tokens, i)); i += 2)
            if (name_at(m->tokens, i) == name) return true;
    return false;
}

/* Before token i is looked at: which lists of type parameters are known there. */
static void enter(Marker *m, size_t i, size_t *next)
{
    while (m->active.len > 0 && vec_last(&m->active).end < i) m->active.len--;
    while (*next < m->extents.len && m->extents.data[*next].begin <= i) {
        vec_push(&m->active, m->extents.data[*next]);
        ++*next;
    }
}

/* ---- all of it ---- */

/* `{ [k] = v }`: attributes are never followed by an assignment. */
static bool is_key(const Marker *m, size_t i)
{
    TokenKind before = kind_before(m->tokens, i, 1);
    return (before == TOK_LBRACE || before == TOK_COMMA) && m->partner[i] &&
           kind_at(m->tokens, m->partner[i] + 1) == TOK_ASSIGN;
}

/* `params` before the type of a parameter. */
static bool is_params(const Tokens *tokens, size_t i)
{
    TokenKind before = kind_before(tokens, i, 1);
    return (before == TOK_LPAREN || before == TOK_COMMA) &&
           (is_name(kind_at(tokens, i + 1)) || kind_at(tokens, i + 1) == TOK_LPAREN);
}

static bool may_be_type(void *ctx, size_t i)
{
    const Marker *m = ctx;
    return kind_at(m->tokens, i) == TOK_TYPENAME || is_declared(m, name_at(m->tokens, i));
}

/* Where it is not known yet which type parameters there are, a name that begins with T may be one. */
static bool is_type_anywhere(void *ctx, size_t i)
{
    const Marker *m = ctx;
    return may_be_type(ctx, i) || name_at(m->tokens, i)[0] == 'T';
}

void lexer_mark_types(Tokens *tokens, Interner *names, const NameSet *imported)
{
    const char *params = intern_cstr(names, "params");
    Marker m = {.tokens = tokens, .partner = marks_partners(tokens), .imported = imported};
    size_t next = 0, list_end = 0; /* of type arguments: what they name are types */
    Indices open = {0};            /* brackets around the token */
    lexer_declared_types(tokens, names, &m.types);
    marks_queries(tokens, m.partner, names);
    marks_nullable(tokens, is_type_anywhere, &m);
    marks_patterns(tokens, m.partner, names);
    find_declarations(&m, names);
    for (size_t i = 0; i < tokens->list.len; i++) {
        Token *t = &tokens->list.data[i];
        enter(&m, i, &next);
        while (open.len && m.partner[vec_last(&open)] < i) open.len--;
        if (t->kind == TOK_LPAREN) {
            size_t end = marks_tuple(tokens, m.partner, i, may_be_type, &m);
            bool tuple = end > i;
            i = end;
            if (tuple) continue;
        }
        if (t->kind == TOK_LBRACKET && is_key(&m, i)) t->kind = TOK_KEY;
        if (t->kind == TOK_LBRACKET && marks_collection(tokens, m.partner, i))
            t->kind = TOK_COLLECTION;
        if (m.partner[i]) vec_push(&open, i);
        if (t->kind == TOK_TYPEOF && m.partner[i + 1]) list_end = m.partner[i + 1];
        if (t->kind == TOK_WHERE) list_end = end_of_where(tokens, i);
        if (!is_name(t->kind)) continue;
        const char *name = name_at(tokens, i);
        if (name == params && is_params(tokens, i)) continue;
        bool known = t->kind == TOK_TYPENAME;
        size_t around = open.len ? vec_last(&open) : tokens->list.len;
        bool declared = is_declared(&m, name);
        TokenKind before = kind_before(tokens, i, 1);
        if (before == TOK_DOT || before == TOK_COND_DOT || t->flags & TOKEN_MEMBER)
            t->kind = TOK_NAME;
        else if (declared && i >= list_end &&
                 (is_called(&m, i) || marks_is_name_by_place(tokens, i, around, m.partner)))
            t->kind = TOK_NAME;
        else if (known || declared || i < list_end || marks_is_type_by_place(tokens, i, m.partner))
            t->kind = TOK_TYPENAME;
        if (t->kind == TOK_NAME && !(t->flags & TOKEN_MEMBER) && kind_at(tokens, i + 1) == TOK_LT &&
            i >= list_end && marks_type_arguments(tokens, m.partner, i + 1, may_be_type, &m))
            list_end = lexer_skip_type_list(tokens, i + 1);
        if (t->kind == TOK_TYPENAME && kind_at(tokens, i + 1) == TOK_LT && i >= list_end)
            list_end = lexer_skip_type_list(tokens, i + 1);
    }
    names_free(&m.types);
    names_free(&m.functions);
    mem_free(m.partner);
    vec_free(&open);
    vec_free(&m.extents);
    vec_free(&m.active);
}
