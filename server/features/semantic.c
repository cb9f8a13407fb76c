/* What each name is, for editors to colour (semantic tokens of the protocol). */
#include <string.h>

#include "features.h"

/* In the order in which tokens name them by number. */
static const char *const kinds[] = {"type",      "class",     "enum",       "interface",
                                    "parameter", "variable",  "property",   "function",
                                    "method",    "namespace", "enumMember", NULL};
static const char *const modifiers[] = {"declaration", "readonly", "static", "defaultLibrary",
                                        NULL};

enum Kind {
    KIND_TYPE,
    KIND_CLASS,
    KIND_ENUM,
    KIND_INTERFACE,
    KIND_PARAMETER,
    KIND_VARIABLE,
    KIND_PROPERTY,
    KIND_FUNCTION,
    KIND_METHOD,
    KIND_NAMESPACE,
    KIND_MEMBER_OF_ENUM
};
enum { IS_DECLARATION = 1, IS_READONLY = 2, IS_STATIC = 4, IS_LIBRARY = 8 };

static json_t *names_of(const char *const *all)
{
    json_t *list = json_array();
    for (; *all; all++) json_array_append_new(list, json_string(*all));
    return list;
}

json_t *feature_semantic_legend(void)
{
    return json_pack("{s:{s:o, s:o}, s:b}", "legend", "tokenTypes", names_of(kinds),
                     "tokenModifiers", names_of(modifiers), "full", 1);
}

static enum Kind kind_of_type(const Symbol *sym)
{
    const Ast *d = sym->decl;
    if (!d) return KIND_TYPE;
    if (d->kind == AST_ENUM) return KIND_ENUM;
    if (d->kind != AST_CLASS) return KIND_TYPE;
    return d->class_.mods & AST_MOD_INTERFACE ? KIND_INTERFACE : KIND_CLASS;
}

static enum Kind kind_of(const Symbol *sym)
{
    switch (sym->kind) {
    case SYM_TYPE: return kind_of_type(sym);
    case SYM_SPACE: return KIND_NAMESPACE;
    case SYM_FUNC:
    case SYM_BUILTIN: return sym->cls || sym->kind == SYM_BUILTIN ? KIND_METHOD : KIND_FUNCTION;
    case SYM_PARAM:
    case SYM_BOUND: return KIND_PARAMETER;
    case SYM_FIELD:
    case SYM_PROPERTY: return KIND_PROPERTY;
    case SYM_CONST:
        return sym->decl && sym->decl->kind == AST_ENUM_MEMBER ? KIND_MEMBER_OF_ENUM
                                                               : KIND_VARIABLE;
    default: return KIND_VARIABLE;
    }
}

static unsigned modifiers_of(const Request *r, const Symbol *sym, const Token *t)
{
    const Source *s = sym->loc.end ? sources_get(r->analysis->sources, sym->loc.file) : NULL;
    unsigned bits = 0;
    if (sym->loc.file == 0 && sym->loc.end && t->begin >= sym->loc.begin && t->end <= sym->loc.end)
        bits |= IS_DECLARATION;
    if (sym->kind == SYM_CONST || sym->kind == SYM_BOUND || sym->mods & AST_MOD_READONLY)
        bits |= IS_READONLY;
    if (sym->mods & AST_MOD_STATIC) bits |= IS_STATIC;
    if (sym->kind == SYM_BUILTIN || sym->kind == SYM_SPACE || (s && s->library)) bits |= IS_LIBRARY;
    return bits;
}

typedef struct Encoder {
    const Document *document;
    json_t *data;
    json_int_t line, column; /* of the token before */
} Encoder;

static void encode(Encoder *e, const Token *t, enum Kind kind, unsigned bits)
{
    json_t *from = document_position(e->document, t->begin),
           *to = document_position(e->document, t->end);
    json_int_t line = json_integer_value(json_object_get(from, "line")),
               column = json_integer_value(json_object_get(from, "character")),
               end = json_integer_value(json_object_get(to, "character"));
    json_int_t numbers[] = {line - e->line, line == e->line ? column - e->column : column,
                            end - column, kind, bits};
    for (int i = 0; i < 5; i++) json_array_append_new(e->data, json_integer(numbers[i]));
    e->line = line;
    e->column = column;
    json_decref(from);
    json_decref(to);
}

json_t *feature_semantic(Request *r)
{
    const Analysis *a = r->analysis;
    Encoder e = {.document = r->document, .data = json_array()};
    for (size_t t = 0; t < a->tokens.list.len; t++) {
        const Token *token = &a->tokens.list.data[t];
        const Symbol *sym = a->marks[t].sym;
        if (token->begin == token->end || !analysis_name(a, t)) continue;
        if (sym && sym->name)
            encode(&e, token, kind_of(sym), modifiers_of(r, sym, token));
        else if (token->kind == TOK_TYPENAME)
            encode(&e, token, KIND_TYPE, IS_LIBRARY);
    }
    return json_pack("{s:o}", "data", e.data);
}
