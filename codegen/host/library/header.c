/* The C header of a library: codegen/abi/embed.h, the records, the functions. */
#include <ctype.h>
#include <string.h>

#include "library.h"
#include "texts.h"

/* The name of a parameter or field in C: no word of its own, no type, no extent. */
static const char *c_word(const HostModule *m, const char *name)
{
    static const char *const words[] = {
        "auto",    "bool",     "break",  "case",     "char",   "const",    "context",  "continue",
        "default", "do",       "double", "else",     "enum",   "extern",   "float",    "for",
        "goto",    "if",       "inline", "int",      "long",   "register", "restrict", "result",
        "return",  "short",    "signed", "sizeof",   "static", "struct",   "switch",   "typedef",
        "union",   "unsigned", "void",   "volatile", "while"};
    size_t n = strlen(name);
    bool taken =
        n > 2 && (!strcmp(name + n - 2, "_t") || (n > 3 && !strncmp(name + n - 3, "_n", 2) &&
                                                  isdigit((unsigned char)name[n - 1])));
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) taken |= !strcmp(words[k], name);
    return taken ? arena_printf(m->arena, "%s_", name) : name;
}

static void print_record(const HostModule *m, const Class *c, void *ctx)
{
    Text *out = ctx;
    const char *name = host_c_element(m, c->type);
    text_printf(out, "typedef struct %s {\n", name);
    for (int i = 0; i < c->nfields; i++)
        text_printf(out, "    %s %s;\n", host_c_element(m, c->fields[i]->type),
                    c_word(m, c->fields[i]->name));
    text_printf(out, "} %s;\nenum { %s_type = CS_RECORD + %d };\n\n", name, name,
                host_class(c->type)->record);
}

static void print_param(Text *out, const HostModule *m, const Symbol *sym, int i, bool handles)
{
    const Type *t = sym->type->params[i];
    CsBorder b = host_param_border(sym, i);
    const char *name = c_word(m, sym->decl->func.params.data[i]->param.name), *element;
    if (b.mode) {
        element = b.rank ? "cs_array *" : b.elem == CS_ELEM_REF ? "char *" : host_c_element(m, t);
        text_printf(out, ", %s%s*%s", element, b.rank || b.elem == CS_ELEM_REF ? "" : " ", name);
        return;
    }
    if (b.rank && handles) {
        text_printf(out, ", cs_array *%s", name);
        return;
    }
    if (b.elem == CS_ELEM_REF && !b.rank) {
        text_printf(out, ", const char *%s", name);
        return;
    }
    element = host_c_element(m, t);
    if (!b.rank && b.elem < CS_ELEM_RECORD) {
        text_printf(out, ", %s %s", element, name);
        return;
    }
    text_printf(out, ", const %s *%s", element, name);
    for (int d = 0; d < b.rank; d++) text_printf(out, ", int64_t %s_n%d", name, d);
}

static void print_function(Text *out, const HostModule *m, const Symbol *sym, const char *name,
                           bool handles)
{
    text_printf(out, "cs_error *%s(cs_context *context",
                host_c_name(m, name, handles ? "_on" : ""));
    for (int i = 0; i < sym->type->nparams; i++) print_param(out, m, sym, i, handles);
    const Type *t = sym->type->result;
    CsBorder b = host_border(t);
    if (b.rank)
        text_add(out, ", cs_array **result");
    else if (b.elem == CS_ELEM_REF)
        text_add(out, ", char **result");
    else if (b.elem != CS_ELEM_NONE)
        text_printf(out, ", %s *result", host_c_element(m, t));
    text_add(out, ");\n");
}

/* Text within a comment of C: neither its end nor its beginning. */
static void print_comment(Text *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        text_addn(out, c, 1);
        if (*c == '\n') text_add(out, " * ");
        if ((*c == '*' && c[1] == '/') || (*c == '/' && c[1] == '*')) text_add(out, " ");
    }
}

static void print_export(Text *out, const HostModule *m, int i)
{
    const Symbol *sym = m->sema->exports[i];
    const char *comment = host_comment(m, sym), *name = host_export_name(m, i);
    Text declaration = {0};
    host_print_declaration(&declaration, sym);
    text_add(out, "/* ");
    print_comment(out, declaration.data);
    if (*comment) text_add(out, "\n * ");
    print_comment(out, comment);
    text_add(out, " */\n");
    text_free(&declaration);
    bool arrays = false;
    for (int k = 0; k < sym->type->nparams; k++)
        arrays |= host_param_border(sym, k).rank && !host_param_border(sym, k).mode;
    print_function(out, m, sym, name, false);
    if (arrays) print_function(out, m, sym, name, true);
    text_add(out, "\n");
}

/* The declaration with the library's name in the place of NAME. */
static void print_interface(Text *out, const HostModule *m, const char *declaration,
                            const char *help)
{
    const char *at = strstr(declaration, "NAME_");
    text_printf(out, "/* %s */\n%.*s%s_%s;\n", help, (int)(at - declaration), declaration,
                m->options->library, at + strlen("NAME_"));
}

void host_print_header(Text *out, const HostModule *m)
{
    const char *name = m->options->library;
    text_printf(out,
                "/* Made by csc --lib of %s. */\n#ifndef CS_LIBRARY_%s_H\n#define "
                "CS_LIBRARY_%s_H\n\n%s\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n",
                m->options->program, name, name, library_embed_h);
    text_add(out, "struct _cl_context;\nstruct _cl_device_id;\nstruct _cl_command_queue;\n"
                  "struct _cl_mem;\n\n");
    host_each_record(m, print_record, out);
    for (int i = 0; i < m->sema->nexports; i++) print_export(out, m, i);
#define INTERFACE(suffix, function, signature, library, declaration, help)                         \
    print_interface(out, m, declaration, help);
#include "../../abi/library.def"
#undef INTERFACE
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}
