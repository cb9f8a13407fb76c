/* The parameters of the call around the cursor, however far it is written: what is called is asked of the
 * names that may stand there (names.h). */
#include <string.h>

#include "names.h"

typedef struct Call {
    int name, open;  /* tokens: what is called, the parenthesis */
    int argument;    /* that the cursor is in */
    uint32_t end;    /* behind the call, as far as it is written */
    bool constructs; /* new NAME( */
} Call;

static TokenKind kind_of(const Analysis *a, int t)
{
    return t >= 0 && t < (int)a->tokens.list.len ? (TokenKind)a->tokens.list.data[t].kind : TOK_END;
}

static bool ends_statement(TokenKind k)
{
    return k == TOK_SEMI || k == TOK_LBRACE || k == TOK_RBRACE || k == TOK_END;
}

/* The innermost parenthesis that is open at the offset, and the commas since. */
static int open_before(const Analysis *a, uint32_t offset, int *argument)
{
    int depth = 0;
    *argument = 0;
    for (int t = analysis_token_before(a, offset); t > 0; t--) {
        TokenKind k = kind_of(a, t);
        if (ends_statement(k)) return -1;
        if (token_closes(k)) depth++;
        if (k == TOK_COMMA && depth == 0) ++*argument;
        if (token_partner(k) != TOK_RPAREN && token_partner(k) != TOK_RBRACKET) continue;
        if (depth-- > 0) continue;
        return k == TOK_LPAREN ? t : -1;
    }
    return -1;
}

/* The < of type arguments that end before token t; else t. */
static int before_types(const Analysis *a, int t)
{
    int depth = 0, at = t;
    if (kind_of(a, t - 1) != TOK_GT && kind_of(a, t - 1) != TOK_SHR) return t;
    do {
        TokenKind k = kind_of(a, --at);
        if (at <= 0 || ends_statement(k)) return t;
        depth += k == TOK_GT ? 1 : k == TOK_SHR ? 2 : 0;
        depth -= k == TOK_LT || k == TOK_TYPE_ARGS;
    } while (depth > 0);
    return at;
}

/* Behind its parenthesis; where there is none, at the end of the line or of the statement. */
static uint32_t end_of(const Request *r, uint32_t offset)
{
    const Analysis *a = r->analysis;
    const Text *text = &r->document->text;
    int depth = 1;
    for (int t = analysis_token_before(a, offset) + 1; t < (int)a->tokens.list.len; t++) {
        const Token *k = &a->tokens.list.data[t];
        if (ends_statement((TokenKind)k->kind)) break;
        depth += token_partner((TokenKind)k->kind) != TOK_END;
        depth -= token_closes((TokenKind)k->kind);
        if (depth == 0) return k->end;
    }
    uint32_t end = offset;
    while (end < text->len && !strchr("\r\n;{}", text->data[end])) end++;
    return end;
}

static bool find_call(const Request *r, Call *c)
{
    const Analysis *a = r->analysis;
    c->open = open_before(a, r->offset, &c->argument);
    c->name = before_types(a, c->open) - 1;
    if (c->open <= 0 || c->name < 0 || !analysis_name(a, (size_t)c->name)) return false;
    c->constructs = kind_of(a, c->name - 1) == TOK_NEW;
    c->end = end_of(r, r->offset);
    return true;
}

/* ---- what is called -------------------------------------------------------------------------- */

typedef struct Signatures {
    const Analysis *a; /* of the text as it is */
    const Call *call;
    const char *name;
    json_t *list;
    int first;  /* that has so many parameters, or -1 */
    int chosen; /* by the compiler, or -1 */
} Signatures;

/* Is it what the call, which may be whole, was found to mean? */
static bool is_chosen(const Signatures *s, const Symbol *sym)
{
    const Symbol *c = s->a->marks[s->call->name].sym;
    if (!c || c->kind != sym->kind) return false;
    return c->kind == SYM_BUILTIN ? c->builtin == sym->builtin : analysis_same(c, sym);
}

static void add_symbol(Signatures *s, const Symbol *sym)
{
    Text label = {0}, comment = {0};
    json_t *params = json_array();
    size_t begin, end;
    sema_describe(&label, sym);
    sema_describe_comment(&comment, s->a->sources, sym, "//");
    for (int i = 0; sema_describe_param(sym, i, &begin, &end); i++)
        json_array_append_new(params,
                              json_pack("{s:[I, I]}", "label", (json_int_t)begin, (json_int_t)end));
    int at = (int)json_array_size(s->list);
    if (s->first < 0 && json_array_size(params) > (size_t)s->call->argument) s->first = at;
    if (s->chosen < 0 && is_chosen(s, sym)) s->chosen = at;
    json_t *result = json_pack("{s:s, s:o, s:i}", "label", label.data ? label.data : "",
                               "parameters", params, "activeParameter", s->call->argument);
    if (result && comment.len)
        json_object_set_new(result, "documentation", json_string(comment.data));
    json_array_append_new(s->list, result);
    text_free(&label);
    text_free(&comment);
}

static void add_overloads(Signatures *s, const Symbol *sym)
{
    for (; sym; sym = sym->kind == SYM_FUNC ? sym->next : NULL)
        if (sym->kind == SYM_FUNC || sym->kind == SYM_BUILTIN) add_symbol(s, sym);
}

static void add_if_called(void *ctx, const SemaName *n)
{
    Signatures *s = ctx;
    if (json_array_size(s->list) || strcmp(n->name, s->name) != 0) return;
    if (n->sym) add_overloads(s, n->sym);
    int first = n->row >= 0 ? sema_first_row(n->row) : 0;
    for (int row = n->row; row >= first; row--) /* the widest types first */
        add_symbol(s, &(Symbol){.kind = SYM_BUILTIN, .name = n->name, .builtin = row});
}

/* Of `new C<..>(`: of the class that stands there once the arguments are gone. */
static void add_constructors(Signatures *s, const Request *r, const Call *c)
{
    const Token *open = &r->analysis->tokens.list.data[c->open];
    Analysis *a = names_analyse(r, open->begin, c->end, "()");
    const Symbol *sym = a->marks[c->name].sym;
    if (sym && sym->kind == SYM_TYPE && sym->cls) add_overloads(s, sym->cls->ctors);
    analysis_free(a);
}

json_t *feature_signature(Request *r)
{
    Call c;
    if (!find_call(r, &c)) return json_null();
    const Token *name = &r->analysis->tokens.list.data[c.name];
    Signatures s = {r->analysis,  &c, analysis_name(r->analysis, (size_t)c.name),
                    json_array(), -1, -1};
    if (c.constructs)
        add_constructors(&s, r, &c);
    else
        names_at(r, name->begin, c.end, add_if_called, &s);
    if (json_array_size(s.list) == 0) {
        json_decref(s.list);
        return json_null();
    }
    int active = s.chosen >= 0 ? s.chosen : s.first >= 0 ? s.first : 0;
    return json_pack("{s:o, s:i, s:i}", "signatures", s.list, "activeSignature", active,
                     "activeParameter", c.argument);
}
