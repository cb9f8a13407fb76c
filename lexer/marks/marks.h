/* What the files that mark types share: tokens by index, and types of tuples. */
#ifndef CS_LEXER_MARKS_H
#define CS_LEXER_MARKS_H

#include "../lexer.h"

enum { LONGEST_LIST = 256 }; /* tokens of type arguments or parameters that are looked at */

typedef VEC(size_t) Indices;

/* The kind of token i, END past both ends. */
static inline TokenKind kind_at(const Tokens *tokens, size_t i)
{
    return i < tokens->list.len ? tokens->list.data[i].kind : TOK_END;
}

static inline TokenKind kind_before(const Tokens *tokens, size_t i, size_t back)
{
    return i >= back ? kind_at(tokens, i - back) : TOK_END;
}

static inline const char *name_at(const Tokens *tokens, size_t i)
{
    return tokens->values.data[tokens->list.data[i].value].text;
}

static inline bool is_name(TokenKind k)
{
    return k == TOK_NAME || k == TOK_TYPENAME;
}

/* Takes out the tokens that are dropped: a flag for each. */
void tokens_drop(Tokens *tokens, const bool *dropped);

/* types.c. For each bracket that opens the token that closes it, 0 where none does; a block of its own. */
size_t *marks_partners(const Tokens *tokens);

/* types.c. `delegate R Name(..);` at token i: the place of the name; 0: it is none. */
size_t marks_delegate(const Tokens *tokens, size_t i, const char *delegate_word);

/* types.c. Is token i the word that declares a type? */
bool marks_declares_type(const Tokens *tokens, size_t i);

/* place.c. Whether the brackets that open at token i hold commas only: `T[,]` is a type. */
bool marks_is_rank(const Tokens *tokens, size_t i);
/* Is the name at i, behind a dot, that of a member of an interface: `U I<T>.f<U>(..)`, `T I.this`? */
bool marks_is_of(const Tokens *tokens, size_t i);

/* Whether the NAME at i is a type though nobody declares it: so a type of a module that is missing,
 * or one that nobody declared, is a matter of names and not of syntax. */
bool marks_is_type_by_place(const Tokens *tokens, size_t i, const size_t *partner);

/* Whether the name of a type at i is meant as something else, as in `Color Color;` and then
 * `Color = other;`. `open` is the bracket around it. */
bool marks_is_name_by_place(const Tokens *tokens, size_t i, size_t open, const size_t *partner);

/* tuples.c. If the parenthesis at token i begins the type of a tuple, marks it and the types in it,
 * and gives the token that closes it; else i. `is_type`: can the name at a token be a type? */
size_t marks_tuple(Tokens *tokens, const size_t *partner, size_t i,
                   bool (*is_type)(void *ctx, size_t token), void *ctx);

/* The same of the type arguments of a call, `f<int>(x)`, whose '<' is token i: true if they are. */
bool marks_type_arguments(Tokens *tokens, const size_t *partner, size_t i,
                          bool (*is_type)(void *ctx, size_t token), void *ctx);

/* operands.c. Does the bracket at token i begin a collection, as in `[1, 2]`? */
bool marks_collection(const Tokens *tokens, const size_t *partner, size_t i);

/* patterns.c. Marks the patterns of the file: their words, their brackets, and the types that more
 * follows. */
void marks_patterns(Tokens *tokens, const size_t *partner, Interner *names);

/* queries.c. Marks the words of queries. */
void marks_queries(Tokens *tokens, const size_t *partner, Interner *names);

/* nullable.c. Marks the `?` that ends a type. */
void marks_nullable(Tokens *tokens, bool (*is_type)(void *ctx, size_t token), void *ctx);

/* Is the name `with` at token i the operator, as in `p with { X = 1 }`? */
bool marks_with(const Tokens *tokens, size_t i);

#endif
