/* Entries of a session (entry.h). The text of an entry is read a first time to see whether it is
 * complete, as it is and with a semicolon behind it; then compile() reads it again. */
#include "entry.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "../../codegen/abi/session.h"
#include "../../lexer/lexer.h"
#include "../../parser/parser.h"

typedef struct Earlier {
    char *name, *text; /* declarations alone */
} Earlier;

struct Session {
    HostSession *host;
    VEC(Earlier) earlier;
    VEC(Earlier) modules; /* files that entries use */
    bool changed;         /* one of them, since the process began */
    int entries;
};

Session *session_new(void)
{
    Session *s = mem_alloc(sizeof *s);
    s->host = host_session_new();
    return s;
}

static char *copy_text(const char *text)
{
    Text t = {0};
    text_add(&t, text);
    return text_take(&t);
}

static void free_texts(Earlier *all, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        mem_free(all[i].name);
        mem_free(all[i].text);
    }
}

void session_free(Session *s)
{
    free_texts(s->earlier.data, s->earlier.len);
    free_texts(s->modules.data, s->modules.len);
    vec_free(&s->modules);
    vec_free(&s->earlier);
    host_session_free(s->host);
    mem_free(s);
}

HostSession *session_host(Session *s)
{
    return s->host;
}

int session_variables(const Session *s, const HostVariable **out)
{
    return host_session_variables(s->host, out);
}

/* ---- reading -------------------------------------------------------------------------------- */

static Ast *read_text(const Session *s, const Options *o, Sources *sources, uint32_t file,
                      bool shows, const Text *variables, Diags *diags, Interner *names,
                      Arena *arena)
{
    size_t n = s->earlier.len;
    uint32_t *earlier = arena_array(arena, uint32_t, n + 1);
    for (size_t i = 0; i < s->earlier.len; i++) {
        const Earlier *e = &s->earlier.data[i];
        earlier[i] = (uint32_t)sources_add(sources, e->name, e->text, strlen(e->text));
    }
    bool some = variables && variables->len;
    if (some)
        earlier[n++] =
            (uint32_t)sources_add(sources, "<variables>", variables->data, variables->len);
    ParseProgram program = {.folders = o->include.data,
                            .nfolders = o->include.len,
                            .session = true,
                            .earlier = earlier,
                            .nearlier = n,
                            .variables = some,
                            .shows = shows};
    return parse_program(sources, file, &program, diags, names, arena);
}

typedef struct Trial { /* of a text */
    int errors;
    bool at_end;  /* what is wrong is that it ends */
    AstKind last; /* of the last statement, if it is the last of all; else AST_BAD */
    bool empty;
    const char *text;
    uint32_t length; /* without blanks at its end */
} Trial;

/* Blanks and comments alone. */
static bool is_empty(const char *text)
{
    for (;;) {
        text += strspn(text, " \t\r\n");
        const char *end = text[0] != '/' ? NULL : text[1] == '/' ? strchr(text, '\n') : NULL;
        if (text[0] == '/' && text[1] == '/' && !end) return true;
        if (text[0] == '/' && text[1] == '*' && (end = strstr(text, "*/"))) end += 2;
        if (!end) return !*text;
        text = end;
    }
}

static void look_for_end(void *ctx, const DiagView *v)
{
    Trial *t = ctx;
    if (v->note || v->warning || v->loc.file != 0) return;
    const char *at = t->text + v->loc.begin;
    bool end = v->loc.begin >= t->length || is_empty(at);
    bool open = !end && (strncmp(at, "/*", 2) == 0 || strncmp(at, "@\"", 2) == 0);
    if (t->errors++ == 0) t->at_end = end || open;
}

static Ast *last_statement(const Ast *unit)
{
    const AstList *stmts = &unit->unit.stmts, *decls = &unit->unit.decls;
    Ast *last = stmts->len ? stmts->data[stmts->len - 1] : NULL;
    if (last && decls->len && decls->data[decls->len - 1]->loc.begin > last->loc.begin) return NULL;
    return last;
}

static Trial try_text(const Session *s, const Options *o, const char *text, size_t len, bool shows)
{
    Trial t = {.text = text, .length = (uint32_t)len, .last = AST_BAD};
    Arena *arena = arena_new();
    Interner *names = interner_new();
    Sources *sources = sources_new();
    Diags *diags = diags_new(sources);
    uint32_t file = (uint32_t)sources_add(sources, "entry", text, len);
    Ast *unit = read_text(s, o, sources, file, shows, NULL, diags, names, arena);
    const Ast *last = last_statement(unit);
    if (last) t.last = last->kind;
    t.empty = unit->unit.stmts.len + unit->unit.decls.len + unit->unit.usings.len == 0;
    diags_each(diags, look_for_end, &t);
    diags_free(diags);
    sources_free(sources);
    interner_free(names);
    arena_free(arena);
    return t;
}

EntryState entry_begin(Entry *e, Session *s, const char *text, const Options *o)
{
    *e = (Entry){.session = s};
    snprintf(e->name, sizeof e->name, "[%d]", s->entries + 1);
    size_t len = strlen(text);
    while (len && isspace((unsigned char)text[len - 1])) len--;
    text_addn(&e->text, text, len);
    if (!len) return ENTRY_EMPTY;
    Trial as_it_is = try_text(s, o, e->text.data, e->text.len, false);
    if (!as_it_is.errors && as_it_is.empty) return ENTRY_EMPTY;
    s->entries++; /* again for each line of a longer one: names are to differ, that is all */
    if (!as_it_is.errors) return ENTRY_COMPLETE;
    text_add(&e->text, ";");
    Trial ended = try_text(s, o, e->text.data, e->text.len, true);
    bool statement = ended.last == AST_EXPR_STMT || ended.last == AST_VAR_DECL ||
                     ended.last == AST_DEFINE || ended.last == AST_THROW;
    if (!ended.errors && statement) {
        e->shows = ended.last == AST_EXPR_STMT;
        return ENTRY_COMPLETE;
    }
    e->text.len--;
    e->text.data[e->text.len] = 0;
    return as_it_is.at_end ? ENTRY_OPEN : ENTRY_COMPLETE;
}

void entry_end(Entry *e)
{
    text_free(&e->text);
    text_free(&e->type);
    text_free(&e->declarations);
    for (size_t i = 0; i < e->names.len; i++) mem_free(e->names.data[i]);
    vec_free(&e->names);
}

/* ---- what it declares ----------------------------------------------------------------------- */

static const char *declared_name(const Ast *d)
{
    return d->kind == AST_CLASS        ? d->class_.name
           : d->kind == AST_ENUM       ? d->enum_.name
           : d->kind == AST_TYPE_ALIAS ? d->type_alias.name
           : d->kind == AST_FUNC       ? d->func.name
                                       : NULL;
}

static void blank(Text *t, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end && i < t->len; i++)
        if (t->data[i] != '\n') t->data[i] = ' ';
}

static uint32_t begin_of(const Ast *n)
{
    const AstList *attrs = n->kind == AST_FUNC    ? &n->func.attrs
                           : n->kind == AST_CLASS ? &n->class_.attrs
                                                  : NULL;
    uint32_t begin = n->loc.begin;
    if (attrs && attrs->len && attrs->data[0]->loc.begin < begin) begin = attrs->data[0]->loc.begin;
    return begin;
}

/* The classes of `new { .. }` stand in the statements. */
static AstList written_declarations(const Ast *unit, Arena *arena)
{
    AstList written = {0};
    for (int i = 0; i < unit->unit.decls.len; i++) {
        const char *name = declared_name(unit->unit.decls.data[i]);
        if (!name || name[0] != '$')
            written = ast_list_add(arena, written, unit->unit.decls.data[i]);
    }
    return written;
}

/* The text of what is declared, where it stands: a statement ends where the next thing begins. */
static void find_declarations(Entry *e, const Ast *unit, Arena *arena)
{
    text_free(&e->declarations);
    for (size_t i = 0; i < e->names.len; i++) mem_free(e->names.data[i]);
    e->names.len = 0;
    AstList written = written_declarations(unit, arena);
    const AstList *kept[] = {&unit->unit.usings, &written};
    if (kept[0]->len + kept[1]->len == 0) return;
    text_add(&e->declarations, e->text.data);
    for (int i = 0; i < unit->unit.stmts.len; i++) {
        uint32_t begin = unit->unit.stmts.data[i]->loc.begin, end = (uint32_t)e->text.len;
        for (int k = 0; k < 2; k++)
            for (int d = 0; d < kept[k]->len; d++) {
                uint32_t next = begin_of(kept[k]->data[d]);
                if (next > begin && next < end) end = next;
            }
        blank(&e->declarations, begin, end);
    }
    for (int d = 0; d < written.len; d++) {
        const char *name = declared_name(written.data[d]);
        if (name) vec_push(&e->names, copy_text(name));
    }
}

/* ---- variables of earlier entries ----------------------------------------------------------- */

static bool one_declares(const Ast *n, const char *name)
{
    const char *own = n->kind == AST_DEFINE ? n->define.name : declared_name(n);
    if (own && strcmp(own, name) == 0) return true;
    for (int i = 0; n->kind == AST_VAR_DECL && i < n->var_decl.vars.len; i++) {
        const Ast *v = n->var_decl.vars.data[i];
        if (v->kind == AST_DECLARATOR && strcmp(v->declarator.name, name) == 0) return true;
    }
    return false;
}

static bool declares(const Ast *unit, const char *name)
{
    const AstList *all[] = {&unit->unit.stmts, &unit->unit.decls};
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < all[k]->len; i++)
            if (one_declares(all[k]->data[i], name)) return true;
    return false;
}

/* The name of its type may mean another one now. */
bool entry_hides(const Entry *e, const HostVariable *v)
{
    for (size_t i = 0; i < e->names.len; i++)
        if (text_mentions(v->type, strlen(v->type), e->names.data[i])) return true;
    return false;
}

/* By the entry, or by functions of earlier ones, which it may call. */
static bool is_mentioned(const Entry *e, const char *name)
{
    if (text_mentions(e->text.data, e->text.len, name)) return true;
    for (size_t i = 0; i < e->session->earlier.len; i++) {
        const char *text = e->session->earlier.data[i].text;
        if (text_mentions(text, strlen(text), name)) return true;
    }
    return false;
}

/* "float[,] a;\n" for each that is mentioned. */
static void add_carried(const Entry *e, Text *out)
{
    const HostVariable *all;
    int n = host_session_variables(e->session->host, &all);
    for (int i = 0; i < n; i++)
        if (is_mentioned(e, all[i].name)) text_printf(out, "%s %s;\n", all[i].type, all[i].name);
}

static bool is_hidden(const Entry *e, const Ast *unit, const char *name)
{
    const HostVariable *all;
    int n = host_session_variables(e->session->host, &all);
    for (int i = 0; i < n; i++)
        if (strcmp(all[i].name, name) == 0 && entry_hides(e, &all[i])) return true;
    return declares(unit, name);
}

/* The unit's own statements alone, with the variables in front taken off. */
static AstList take_carried(Ast *unit)
{
    AstList *stmts = &unit->unit.stmts, carried = *stmts;
    int n = 0;
    while (n < stmts->len && stmts->data[n]->kind == AST_VAR_DECL &&
           stmts->data[n]->var_decl.carried)
        n++;
    carried.len = n;
    stmts->data += n;
    stmts->len -= n;
    return carried;
}

/* ---- modules in files ----------------------------------------------------------------------- */

static void look_at_module(Session *s, const Source *file)
{
    Earlier *m = NULL;
    for (size_t i = 0; i < s->modules.len && !m; i++)
        if (strcmp(s->modules.data[i].name, file->path) == 0) m = &s->modules.data[i];
    if (m && strcmp(m->text, file->text) == 0) return;
    if (!m) {
        Earlier fresh = {copy_text(file->path), copy_text(file->text)};
        vec_push(&s->modules, fresh);
        return;
    }
    s->changed = true;
    mem_free(m->text);
    m->text = copy_text(file->text);
}

bool session_take_change(Session *s)
{
    bool changed = s->changed;
    s->changed = false;
    return changed;
}

/* ---- within compile() ----------------------------------------------------------------------- */

/* var $shown = e; for e; */
static void show_last(Ast *unit, Interner *names, Arena *arena)
{
    Ast *n = last_statement(unit), *e = n ? n->expr_stmt.expr : NULL;
    if (!e || n->kind != AST_EXPR_STMT || e->kind == AST_ASSIGN || e->kind == AST_INCDEC) return;
    Ast *v = ast_new(arena, AST_DECLARATOR, e->loc), *d = ast_new(arena, AST_VAR_DECL, n->loc);
    v->declarator.name = intern_cstr(names, CS_SHOWN);
    v->declarator.init = e;
    d->var_decl.vtype = ast_new(arena, AST_TYPE_VAR, n->loc);
    d->var_decl.vars = ast_list_add(arena, d->var_decl.vars, v);
    unit->unit.stmts.data[unit->unit.stmts.len - 1] = d;
}

/* A later entry may read what this one declares: `int[] d;` is `int[] d = default;`. */
static void begin_variables(const Ast *n, Arena *arena)
{
    if (n->kind != AST_VAR_DECL || n->var_decl.is_const) return;
    if (!n->var_decl.vtype || n->var_decl.vtype->kind == AST_TYPE_VAR) return;
    for (int i = 0; i < n->var_decl.vars.len; i++) {
        Ast *v = n->var_decl.vars.data[i];
        if (v->kind == AST_DECLARATOR && !v->declarator.init)
            v->declarator.init = ast_new(arena, AST_DEFAULT, v->loc);
    }
}

Ast *entry_parse(Entry *e, const Options *o, Sources *sources, uint32_t file, Diags *diags,
                 Interner *names, Arena *arena)
{
    Text variables = {0};
    add_carried(e, &variables);
    Ast *unit = read_text(e->session, o, sources, file, e->shows, &variables, diags, names, arena);
    text_free(&variables);
    for (uint32_t i = 0; i < sources_count(sources); i++)
        if (sources_was_loaded(sources, i)) look_at_module(e->session, sources_get(sources, i));
    unit->unit.session = true;
    unit->unit.forced = e->forced;
    AstList carried = take_carried(unit), all = {0};
    find_declarations(e, unit, arena);
    for (int i = 0; i < carried.len; i++)
        if (!is_hidden(e, unit, carried.data[i]->var_decl.vars.data[0]->declarator.name))
            all = ast_list_add(arena, all, carried.data[i]);
    for (int i = 0; i < unit->unit.stmts.len; i++) {
        begin_variables(unit->unit.stmts.data[i], arena);
        all = ast_list_add(arena, all, unit->unit.stmts.data[i]);
    }
    unit->unit.stmts = all;
    if (e->shows) show_last(unit, names, arena);
    return unit;
}

void entry_checked(Entry *e, const SemaResult *r)
{
    const AstList *stmts = &r->unit->unit.stmts;
    const Ast *n = stmts->len ? stmts->data[stmts->len - 1] : NULL;
    text_free(&e->type);
    if (!n || n->kind != AST_VAR_DECL || !n->var_decl.vars.len) return;
    const Symbol *sym = n->var_decl.vars.data[n->var_decl.vars.len - 1]->sym;
    if (!sym || strcmp(sym->name, CS_SHOWN) != 0) return;
    type_print(&e->type, sym->written ? sym->written->type : sym->type);
}

/* ---- afterwards ----------------------------------------------------------------------------- */

void entry_keep(Entry *e)
{
    Session *s = e->session;
    for (size_t i = 0; i < e->names.len; i++) host_session_drop(s->host, e->names.data[i]);
    host_session_keep(s->host);
    if (!e->declarations.len) return;
    Earlier earlier = {copy_text(e->name), text_take(&e->declarations)};
    vec_push(&s->earlier, earlier);
}

void session_text(const Session *s, Text *out)
{
    const HostVariable *all;
    for (size_t i = 0; i < s->earlier.len; i++) text_printf(out, "%s\n", s->earlier.data[i].text);
    int n = host_session_variables(s->host, &all);
    for (int i = 0; i < n; i++) /* programs have no variable of the name `_` */
        if (strcmp(all[i].name, CS_LAST) != 0)
            text_printf(out, "%s %s;\n", all[i].type, all[i].name);
}
