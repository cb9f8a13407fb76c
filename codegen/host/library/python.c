/* The Python module of a library: module.py of this folder, then the records and functions. */
#include <math.h>
#include <string.h>

#include "library.h"
#include "texts.h"

/* A name in Python: no word of its own, none that the module has. */
static const char *py_word(const HostModule *m, const char *name)
{
    static const char *const words[] = {
        "False",  "None",     "True",    "and",    "as",   "assert", "async",  "await",    "break",
        "class",  "continue", "def",     "del",    "elif", "else",   "except", "finally",  "for",
        "from",   "global",   "if",      "import", "in",   "is",     "lambda", "nonlocal", "not",
        "or",     "pass",     "raise",   "return", "try",  "while",  "with",   "yield",    "use",
        "arrays", "Array",    "CsError", "typing", "numpy"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0) return arena_printf(m->arena, "%s_", name);
    return name;
}

static const char *record_name(const HostModule *m, const Type *t)
{
    return py_word(m, t->decl->cls->mangled);
}

/* What module.py calls the type of a value or element. */
static const char *type_name(const HostModule *m, const Type *t)
{
    if (type_is_functional(t)) t = t->result;
    if (t->kind == TY_STRING) return "string";
    return type_is_record(t) ? record_name(m, t) : scalar_name(t->scalar);
}

static void print_record(const HostModule *m, const Class *c, void *ctx)
{
    Text *out = ctx;
    const char *name = record_name(m, c->type);
    text_printf(out, "\n\nclass %s(_Record):\n    _fields_ = [\n", name);
    for (int i = 0; i < c->nfields; i++) {
        const Type *t = c->fields[i]->type;
        text_printf(out, "        (\"%s\", _ctype(\"%s\")),\n", c->fields[i]->name,
                    type_name(m, t));
    }
    text_add(out, "    ]\n    _kinds_ = {");
    for (int i = 0; i < c->nfields; i++)
        text_printf(out, "%s\"%s\": \"%s\"", i ? ", " : "", c->fields[i]->name,
                    type_name(m, c->fields[i]->type));
    text_printf(
        out,
        "}\n\n    def __repr__(self):\n        return \"%s(\" + \", \".join(_b.repr(_b.getattr("
        "self, f)) for f, _ in self._fields_) + \")\"\n\n    def __eq__(self, other):\n"
        "        return _b.type(other) is %s and _b.all(_b.getattr(self, f) == _b.getattr(other, "
        "f) "
        "for f, _ in self._fields_)\n\n\n_RECORDS[\"%s\"] = (%d, %s)\n",
        name, name, name, CS_ELEM_RECORD + host_class(c->type)->record, name);
}

static void print_hint(Text *out, const HostModule *m, const Type *t)
{
    static const char *const numpy[] = {
        [SC_BOOL] = "bool_",    [SC_SBYTE] = "int8",    [SC_BYTE] = "uint8",
        [SC_SHORT] = "int16",   [SC_USHORT] = "uint16", [SC_CHAR] = "uint32",
        [SC_INT] = "int32",     [SC_UINT] = "uint32",   [SC_LONG] = "int64",
        [SC_ULONG] = "uint64",  [SC_HALF] = "float16",  [SC_FLOAT] = "float32",
        [SC_DOUBLE] = "float64"};
    const Type *e = type_is_functional(t) ? t->result : t;
    if (t->kind == TY_VOID)
        text_add(out, "None");
    else if (t->kind == TY_STRING)
        text_add(out, "str");
    else if (e != t && e->kind == TY_STRING)
        text_printf(out, "%.*sstr | None%.*s", 5 * t->nparams, "list[list[list[list[", t->nparams,
                    "]]]]");
    else if (e != t)
        text_printf(out, "numpy.typing.NDArray[numpy.%s]",
                    type_is_record(e) ? "void" : numpy[e->scalar]);
    else if (type_is_record(t))
        text_add(out, record_name(m, t));
    else
        text_add(out, t->scalar == SC_BOOL        ? "bool"
                      : t->scalar == SC_CHAR      ? "str"
                      : scalar_is_real(t->scalar) ? "float"
                                                  : "int");
}

/* Within a string of three quotes. */
static void print_quoted(Text *out, const char *text, const char *indent)
{
    for (const char *c = text; *c; c++) {
        if (*c == '\\' || *c == '"') text_add(out, "\\");
        text_addn(out, c, 1);
        if (*c == '\n' && c[1] != '\n') text_add(out, indent);
    }
}

/* UTF-8 as a literal; the file is UTF-8, too. */
static void print_text(Text *out, AstBytes text)
{
    text_add(out, "\"");
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c < ' ' || c == '"' || c == '\\')
            text_printf(out, "\\x%02x", c);
        else
            text_addn(out, text.data + i, 1);
    }
    text_add(out, "\"");
}

static void print_number(Text *out, ScalarValue v, ScalarKind kind)
{
    if (kind == SC_BOOL)
        text_add(out, v.i ? "True" : "False");
    else if (kind == SC_CHAR)
        text_printf(out, "\"\\U%08x\"", (unsigned)v.i);
    else if (scalar_is_real(kind) && (isnan(v.f) || isinf(v.f)))
        text_printf(out, "float(\"%s\")", isnan(v.f) ? "nan" : v.f < 0 ? "-inf" : "inf");
    else if (scalar_is_real(kind))
        text_printf(out, "%.17g", v.f);
    else if (kind == SC_ULONG)
        text_printf(out, "%llu", (unsigned long long)v.i);
    else
        text_printf(out, "%lld", (long long)v.i);
}

/* The value of a parameter that is left out; of `params` no elements. */
static void print_default(Text *out, const HostModule *m, const Ast *p, const Type *t)
{
    if (!p->param.init && !p->param.rest) return;
    text_add(out, "=");
    if (type_is_functional(t))
        text_printf(out, "%.*s%.*s", t->nparams, "[[[[", t->nparams, "]]]]");
    else if (p->is_const)
        print_number(out, p->value, t->scalar);
    else if (p->param.init->kind == AST_STRING_LIT)
        print_text(out, p->param.init->string_lit.value);
    else if (type_is_record(t))
        text_printf(out, "%s()", record_name(m, t));
    else
        text_add(out, "None");
}

/* Parameters by `out` are results only. */
static void print_params(Text *out, const HostModule *m, const Symbol *sym, bool declares)
{
    bool some = false;
    for (int i = 0; i < sym->type->nparams; i++) {
        if (host_param_border(sym, i).mode == CS_BY_OUT) continue;
        const Ast *p = sym->decl->func.params.data[i];
        text_printf(out, "%s%s", some ? ", " : "", py_word(m, p->param.name));
        some = true;
        if (!declares) continue;
        text_add(out, ": ");
        print_hint(out, m, sym->type->params[i]);
        print_default(out, m, p, sym->type->params[i]);
    }
}

/* The result and then what parameters by reference are: a tuple if that is more than one. */
static void print_result_hint(Text *out, const HostModule *m, const Symbol *sym)
{
    Text all = {0};
    bool is_void = sym->type->result->kind == TY_VOID;
    int n = !is_void;
    if (!is_void) print_hint(&all, m, sym->type->result);
    for (int i = 0; i < sym->type->nparams; i++) {
        if (!host_param_border(sym, i).mode) continue;
        if (n++) text_add(&all, ", ");
        print_hint(&all, m, sym->type->params[i]);
    }
    if (n == 0) text_add(&all, "None");
    text_printf(out, n > 1 ? "tuple[%s]" : "%s", all.data);
    text_free(&all);
}

static void print_function(Text *out, const HostModule *m, int i)
{
    const Symbol *sym = m->sema->exports[i];
    const char *name = host_export_name(m, i), *comment = host_comment(m, sym);
    const Type *t = sym->type;
    Text declaration = {0};
    host_print_declaration(&declaration, sym);
    text_printf(out, "\n\n_call_%s = _bind(\n    \"%s\",\n    [", name, name);
    for (int k = 0; k < t->nparams; k++)
        text_printf(out, "%s(\"%s\", \"%s\", %d, %d)", k ? ", " : "",
                    sym->decl->func.params.data[k]->param.name, type_name(m, t->params[k]),
                    host_param_border(sym, k).rank, host_param_border(sym, k).mode);
    if (t->result->kind == TY_VOID)
        text_add(out, "],\n    None,\n)\n");
    else
        text_printf(out, "],\n    (\"%s\", %d),\n)\n", type_name(m, t->result),
                    host_border(t->result).rank);
    text_printf(out, "\n\ndef %s(", py_word(m, name));
    print_params(out, m, sym, true);
    text_add(out, ") -> ");
    print_result_hint(out, m, sym);
    text_add(out, ":\n    \"\"\"");
    print_quoted(out, declaration.data, "    ");
    if (*comment) text_add(out, "\n\n    ");
    print_quoted(out, comment, "    ");
    text_printf(out, "\"\"\"\n    return _call_%s(", name);
    print_params(out, m, sym, false);
    text_add(out, ")\n");
    text_free(&declaration);
}

void host_print_python(Text *out, const HostModule *m, const char *file)
{
    text_add(out, "\"\"\"Made by csc --python of ");
    print_quoted(out, m->options->program, "");
    text_add(out, ".\"\"\"\nfrom __future__ import annotations\n\n_FILE, _NAME = \"");
    print_quoted(out, file, "");
    text_printf(out, "\", \"%s\"\n%s", m->options->library, library_module_py);
    host_each_record(m, print_record, out);
    for (int i = 0; i < m->sema->nexports; i++) print_function(out, m, i);
}
