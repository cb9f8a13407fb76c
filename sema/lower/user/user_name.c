/* What functions are called in graphs and kernels. */
#include <ctype.h>
#include <string.h>

#include "../../check/check.h"
#include "../build.h"

/* A name of letters, digits and _ that kernels can use: "Complex_operator_plus". */
static const char *plain_name(Lower *l, const Symbol *sym)
{
    static const struct {
        char c;
        const char *word;
    } words[] = {{'+', "plus"}, {'-', "minus"}, {'*', "times"}, {'/', "over"}, {'%', "rem"},
                 {'=', "eq"},   {'!', "not"},   {'<', "lt"},    {'>', "gt"},   {'&', "and"},
                 {'|', "or"},   {'^', "xor"},   {'~', "inv"}};
    const char *base = sym->is_ctor ? "new" : sym->name;
    if (sym->cls) base = arena_printf(l->arena, "%s_%s", sym->cls->mangled, base);
    Text t = {0};
    for (const char *p = base; *p; p++) {
        const char *word = NULL;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            if (words[i].c == *p) word = words[i].word;
        if (word)
            text_printf(&t, "_%s", word);
        else
            text_printf(&t, "%c", *p);
    }
    const char *name = arena_strndup(l->arena, t.data ? t.data : "", t.len);
    text_free(&t);
    return name;
}

/* Entries of a session are to call each function the same, and no two alike: "f.3_120_int", of which
 * messages show what is before the dot. */
static const char *session_name(Lower *l, const Symbol *sym)
{
    Text t = {0};
    const char *plain = plain_name(l, sym);
    text_printf(&t, "%s %s %u", plain, sources_get(l->sources, sym->loc.file)->path,
                (unsigned)sym->loc.begin);
    if (sym->instance) text_printf(&t, " %s", sym->instance->name);
    for (int i = 0; i < sym->type->nparams; i++)
        text_printf(&t, " %s", type_text(l->arena, sym->type->params[i]));
    char *name = arena_strndup(l->arena, t.data, t.len);
    for (char *p = name; *p; p++)
        if (!isalnum((unsigned char)*p)) *p = '_';
    name[strlen(plain)] = '.';
    text_free(&t);
    return name;
}

/* Overloads share a name in C$, users do not. */
const char *lower_user_name(Lower *l, const Symbol *sym)
{
    bool session = l->r->unit->unit.session;
    const char *name = session ? session_name(l, sym) : plain_name(l, sym), *unique = name;
    for (int i = 2; fd_user_find(l->fd, unique); i++)
        unique = arena_printf(l->arena, "%s_%d", name, i);
    return unique;
}
