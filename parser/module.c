/* Modules: `using name;` takes in the declarations of name.cs$, and the name of a type of the standard library the
 * module that declares it. Modules are read before the file that uses them, because their types decide how its
 * tokens are read; each is read once. */
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embedded.h"
#include "foreign.h"
#include "parse.h"
#include "parser.h"

static const char suffix[] = ".cs$";

typedef VEC(const char *) Names;

/* A file that is being read, or has been. */
typedef struct Module Module;
struct Module {
    const char *identity; /* interned: the same file, the same pointer */
    const char *folder;   /* NULL: embedded */
    uint32_t file;
    bool done;
    NameSet types; /* that it declares, or that modules used by it do */
    Module *user;  /* while it is read: who uses it */
};

/* A type or an extension method of the standard library. */
typedef struct Export {
    const char *name; /* interned */
    const EmbeddedModule *module;
} Export;

typedef struct Loader {
    const ParseProgram *program;
    Sources *sources;
    Diags *diags;
    Interner *names;
    Arena *arena;
    VEC(Module *) modules;
    VEC(Export) exports;
    NameSet exported, methods; /* the names of types, of extension methods */
    AstList library, imported; /* the library first: it sees nothing of the program */
    AstList carried;           /* ParseProgram.variables */
} Loader;

/* ---- finding ---- */

static const char *folder_of(Loader *l, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) return ".";
    return slash == path ? "/" : arena_strndup(l->arena, path, (size_t)(slash - path));
}

/* The i-th folder in which modules used by m are looked up, NULL past the last. */
static const char *folder_at(const Loader *l, const Module *m, size_t i)
{
    if (m->folder && i-- == 0) return m->folder;
    return i < l->program->nfolders ? l->program->folders[i] : NULL;
}

static const EmbeddedModule *find_embedded(const char *name)
{
    for (const EmbeddedModule *e = embedded_modules; e->name; e++)
        if (strcmp(e->name, name) == 0) return e;
    return NULL;
}

/* The module of this identity; *fresh if it is met for the first time. */
static Module *module_of(Loader *l, const char *identity, bool *fresh)
{
    identity = intern_cstr(l->names, identity);
    for (size_t i = 0; i < l->modules.len; i++)
        if (l->modules.data[i]->identity == identity) return l->modules.data[i];
    Module *m = arena_new_of(l->arena, Module);
    m->identity = identity;
    vec_push(&l->modules, m);
    *fresh = true;
    return m;
}

static Module *module_of_path(Loader *l, const char *path, bool *fresh)
{
    char real[PATH_MAX];
    Module *m = module_of(l, realpath(path, real) ? real : path, fresh);
    if (*fresh) m->folder = folder_of(l, path);
    return m;
}

/* The names of the modules in a folder, without suffix. */
static void add_names(Loader *l, const char *folder, Names *out)
{
    DIR *dir = opendir(folder);
    if (!dir) return;
    for (struct dirent *e; (e = readdir(dir));) {
        size_t len = strlen(e->d_name), end = sizeof suffix - 1;
        if (len > end && strcmp(e->d_name + len - end, suffix) == 0)
            vec_push(out, arena_strndup(l->arena, e->d_name, len - end));
    }
    closedir(dir);
}

static void report_missing(Loader *l, const Module *user, Loc loc, const char *name)
{
    Text places = {0};
    Names known = {0};
    for (size_t i = 0; folder_at(l, user, i); i++) {
        text_printf(&places, "%s'%s'", i ? ", " : "", folder_at(l, user, i));
        add_names(l, folder_at(l, user, i), &known);
    }
    for (const EmbeddedModule *e = embedded_modules; e->name; e++) vec_push(&known, e->name);
    diag(l->diags, loc, DIAG_NO_MODULE, "there is no module '%s'", name);
    diag_note(l->diags, (Loc){0}, "looked for %s%s in %s%sthe standard library", name, suffix,
              places.len ? places.data : "", places.len ? " and " : "");
    const char *near = diag_nearest(name, known.data, known.len);
    if (near) diag_note(l->diags, (Loc){0}, "did you mean '%s'?", near);
    text_free(&places);
    vec_free(&known);
}

static Module *module_embedded(Loader *l, const EmbeddedModule *e, bool *fresh)
{
    const char *path = arena_printf(l->arena, "stdlib/%s%s", e->name, suffix);
    Module *m = module_of(l, arena_printf(l->arena, "<%s>", e->name), fresh);
    if (*fresh) m->file = (uint32_t)sources_add_library(l->sources, path, e->text, e->len);
    return m;
}

/* The module in a file, read as a source; NULL after a report. */
static Module *load_module(Loader *l, Loc loc, const char *path, bool *fresh)
{
    Module *m = module_of_path(l, path, fresh);
    if (!*fresh) return m;
    const char *why = NULL;
    int file = sources_load(l->sources, path, &why);
    if (file >= 0) {
        m->file = (uint32_t)file;
        return m;
    }
    diag(l->diags, loc, DIAG_NO_MODULE, "cannot read '%s': %s", path, why);
    m->done = true;
    return NULL;
}

/* A pipe or a device, which could hold up the compilation. */
static bool is_other(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

/* The module that `name` means to its user; NULL after a report. */
static Module *find_module(Loader *l, const Module *user, Loc loc, const char *name, bool *fresh)
{
    for (size_t i = 0; folder_at(l, user, i); i++) {
        const char *folder = folder_at(l, user, i);
        const char *path = strcmp(folder, ".") == 0
                               ? arena_printf(l->arena, "%s%s", name, suffix)
                               : arena_printf(l->arena, "%s/%s%s", folder, name, suffix);
        if (is_other(path)) {
            diag(l->diags, loc, DIAG_NO_MODULE, "cannot read '%s': it is no regular file", path);
            return NULL;
        }
        if (access(path, F_OK) == 0) return load_module(l, loc, path, fresh);
    }
    const EmbeddedModule *e = find_embedded(name);
    if (!e) {
        report_missing(l, user, loc, name);
        return NULL;
    }
    return module_embedded(l, e, fresh);
}

/* ---- reading ---- */

static void report_cycle(Loader *l, const Module *from, const Module *to, Loc loc)
{
    Text chain = {0};
    VEC(const Module *) users = {0};
    for (const Module *m = from; m != to; m = m->user) vec_push(&users, m);
    text_add(&chain, sources_get(l->sources, to->file)->path);
    while (users.len > 0)
        text_printf(&chain, " uses %s",
                    sources_get(l->sources, users.data[--users.len]->file)->path);
    diag(l->diags, loc, DIAG_MODULE_CYCLE, "%s uses %s", chain.data,
         sources_get(l->sources, to->file)->path);
    text_free(&chain);
    vec_free(&users);
}

/* An entry of a session, this one or an earlier one. */
static bool is_entry(const Loader *l, const Module *m)
{
    bool earlier = !m->user;
    for (size_t i = 0; i < l->program->nearlier; i++)
        earlier = earlier || l->program->earlier[i] == m->file;
    return l->program->session && m->folder && earlier;
}

static Ast *read_module(Loader *l, Module *m);

static bool holds_variables(const Loader *l, const Module *m)
{
    const ParseProgram *p = l->program;
    return p->variables && m->file == p->earlier[p->nearlier - 1];
}

static void take_in(Loader *l, Module *user, Loc loc, Module *m, bool fresh)
{
    if (fresh) {
        m->user = user;
        Ast *unit = read_module(l, m);
        if (holds_variables(l, m)) {
            l->carried = unit->unit.stmts;
            unit->unit.stmts.len = 0;
        }
        AstList *list = m->folder ? &l->imported : &l->library;
        for (int i = 0; i < unit->unit.decls.len; i++)
            *list = ast_list_add(l->arena, *list, unit->unit.decls.data[i]);
        for (int i = 0; i < unit->unit.stmts.len; i++) {
            const Ast *stmt = unit->unit.stmts.data[i];
            if (stmt->kind == AST_BAD || stmt->kind == AST_EMPTY) continue;
            diag(l->diags, stmt->loc, DIAG_MODULE_STATEMENT,
                 "a module holds declarations, no statements");
            diag_note(l->diags, loc, "it is used as a module here");
            break;
        }
    } else if (!m->done) {
        report_cycle(l, user, m, loc);
    }
    for (size_t i = 0; i < m->types.size; i++)
        if (m->types.slots[i]) names_add(&user->types, m->types.slots[i]);
}

static void use(Loader *l, Module *user, Loc loc, const char *name)
{
    bool fresh = false;
    Module *m = find_module(l, user, loc, name, &fresh);
    if (m) take_in(l, user, loc, m, fresh);
}

static void use_export(Loader *l, Module *m, const Token *t, const char *name)
{
    for (size_t k = 0; k < l->exports.len; k++) {
        if (l->exports.data[k].name != name) continue;
        bool fresh = false;
        Module *of = module_embedded(l, l->exports.data[k].module, &fresh);
        take_in(l, m, (Loc){m->file, t->begin, t->end}, of, fresh);
    }
}

/* Takes in the modules of the standard library that declare types which the tokens name, but for
 * names of types of the file or of what it uses. NAME( that is no `new NAME(` is a function; behind
 * a dot it may be an extension method, which modules of the library take in by using. */
static void use_named(Loader *l, Module *m, const Tokens *tokens)
{
    NameSet own = {0};
    lexer_declared_types(tokens, l->names, &own);
    const Token *t = tokens->list.data;
    for (size_t i = 0; i + 1 < tokens->list.len; i++) {
        bool decimal = t[i].kind == TOK_REAL && tokens->values.data[t[i].value].text &&
                       *tokens->values.data[t[i].value].text == 'm';
        if (t[i].kind != TOK_NAME && !decimal) continue;
        const char *name = tokens->values.data[t[i].value].text;
        if (decimal) name = intern_cstr(l->names, "decimal");
        bool called = t[i + 1].kind == TOK_LPAREN || t[i + 1].kind == TOK_LT;
        if (i && (t[i - 1].kind == TOK_DOT || t[i - 1].kind == TOK_COND_DOT)) {
            if (m->folder && called && names_has(&l->methods, name)) use_export(l, m, &t[i], name);
            continue;
        }
        bool made = i && t[i - 1].kind == TOK_NEW, attribute = i && t[i - 1].kind == TOK_LBRACKET;
        if (t[i + 1].kind == TOK_LPAREN && !made && !attribute) continue;
        if (!names_has(&l->exported, name) || names_has(&own, name) || names_has(&m->types, name))
            continue;
        use_export(l, m, &t[i], name);
    }
    names_free(&own);
}

/* The files beside the first. */
static void use_others(Loader *l, Module *first)
{
    for (size_t i = 0; i < l->program->nothers; i++) {
        bool fresh = false;
        Module *m = load_module(l, (Loc){0}, l->program->others[i], &fresh);
        if (m && m != first) take_in(l, first, (Loc){0}, m, fresh);
    }
}

static void use_show(Loader *l, Module *entry)
{
    bool fresh = false;
    Module *m = module_embedded(l, find_embedded("Show"), &fresh);
    take_in(l, entry, (Loc){0}, m, fresh);
}

/* Each entry before this one sees those before it. */
static void use_earlier(Loader *l, Module *entry)
{
    for (size_t i = 0; i < l->program->nearlier; i++) {
        bool fresh = false;
        uint32_t file = l->program->earlier[i];
        Module *m = module_of(l, sources_get(l->sources, file)->path, &fresh);
        m->folder = entry->folder;
        m->file = file;
        for (size_t k = 0; k < entry->types.size; k++)
            if (entry->types.slots[k]) names_add(&m->types, entry->types.slots[k]);
        take_in(l, entry, (Loc){0}, m, fresh);
    }
}

/* What every file has, each with those before it. */
static void use_always(Loader *l, Module *m)
{
    static const char *const always[] = {"core", "Basics"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        const EmbeddedModule *e = find_embedded(always[i]);
        bool fresh = false;
        if (strcmp(m->identity, arena_printf(l->arena, "<%s>", always[i])) == 0) return;
        Module *of = module_embedded(l, e, &fresh);
        take_in(l, m, (Loc){0}, of, fresh);
    }
}

static Ast *read_module(Loader *l, Module *m)
{
    Tokens tokens = {0};
    lexer_scan(&tokens, l->sources, m->file, l->diags, l->names, l->arena);
    lexer_skip_namespaces(&tokens, l->names);
    lexer_skip_ignored(&tokens);
    lexer_nested_types(&tokens, l->names, NULL);
    const Token *t = tokens.list.data;
    use_always(l, m);
    for (size_t i = 0, depth = 0; i + 2 < tokens.list.len; i++) {
        depth += t[i].kind == TOK_LBRACE;
        depth -= t[i].kind == TOK_RBRACE && depth > 0;
        if (depth == 0 && t[i].kind == TOK_USING && t[i + 1].kind == TOK_NAME &&
            t[i + 2].kind == TOK_SEMI)
            use(l, m, (Loc){m->file, t[i + 1].begin, t[i + 1].end},
                tokens.values.data[t[i + 1].value].text);
    }
    if (!m->user && m->folder) use_others(l, m);
    if (!m->user && m->folder && l->program->session) use_show(l, m);
    if (!m->user && m->folder) use_earlier(l, m);
    if (strcmp(m->identity, "<core>") != 0) use_named(l, m, &tokens);
    lexer_nested_types(&tokens, l->names, &m->types);
    lexer_declared_types(&tokens, l->names, &m->types);
    lexer_mark_types(&tokens, l->names, &m->types);
    if (is_entry(l, m)) lexer_mark_last(&tokens, l->names);
    m->done = true;
    tokens.shows = l->program->shows && !m->user;
    return parse_tokens(&tokens, l->sources, m->file, l->diags, l->names, l->arena);
}

static void know_library(Loader *l)
{
    for (const EmbeddedModule *e = embedded_modules; e->name; e++) {
        if (strcmp(e->name, "core") == 0 || strcmp(e->name, "Basics") == 0) continue;
        for (const char *const *type = e->types; *type; type++) {
            Export x = {intern_cstr(l->names, *type), e};
            vec_push(&l->exports, x);
            names_add(&l->exported, x.name);
        }
        for (const char *const *method = e->methods; *method; method++) {
            Export x = {intern_cstr(l->names, *method), e};
            vec_push(&l->exports, x);
            names_add(&l->methods, x.name);
        }
    }
}

/* The variables of a session, before the entry's own statements. */
static void put_carried(Loader *l, Ast *unit)
{
    AstList all = l->carried;
    for (int i = 0; i < all.len; i++)
        if (all.data[i]->kind == AST_VAR_DECL) all.data[i]->var_decl.carried = true;
    for (int i = 0; all.len && i < unit->unit.stmts.len; i++)
        all = ast_list_add(l->arena, all, unit->unit.stmts.data[i]);
    if (all.len) unit->unit.stmts = all;
}

Ast *parse_program(Sources *sources, uint32_t file, const ParseProgram *program, Diags *diags,
                   Interner *names, Arena *arena)
{
    Loader l = {
        .program = program, .sources = sources, .diags = diags, .names = names, .arena = arena};
    bool fresh = false;
    know_library(&l);
    Module *m = module_of_path(&l, sources_get(sources, file)->path, &fresh);
    m->file = file;
    Ast *unit = read_module(&l, m);
    put_carried(&l, unit);
    unit->unit.imported = l.library;
    for (int i = 0; i < l.imported.len; i++)
        unit->unit.imported = ast_list_add(arena, unit->unit.imported, l.imported.data[i]);
    for (size_t i = 0; i < l.modules.len; i++) names_free(&l.modules.data[i]->types);
    vec_free(&l.modules);
    vec_free(&l.exports);
    names_free(&l.exported);
    names_free(&l.methods);
    return unit;
}
