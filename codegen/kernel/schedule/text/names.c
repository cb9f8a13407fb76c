/* The names that nests as text use (text.h). */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

const char *const nest_tails[NEST_TAILS] = {
    [NEST_CUT] = "",        [NEST_BACK] = "back",   [NEST_CLAMP] = "clamp",  [NEST_SLIDE] = "slide",
    [NEST_GUARD] = "guard", [NEST_WHOLE] = "whole", [NEST_MASKED] = "masked"};
const char *const nest_spaces[NEST_SPACES] = {[NEST_REGISTERS] = "registers",
                                              [NEST_PRIVATE] = "private",
                                              [NEST_LOCAL] = "local",
                                              [NEST_GLOBAL] = "global"};
const char *const nest_checks[GEN_NOTED + 1] = {
    [GEN_PROVED] = "", [GEN_CHECKED] = "checked", [GEN_NOTED] = "noted"};
static void add_var(NestNames *n, const FdNode *v, const FdDom *dom)
{
    for (size_t i = 0; i < n->vars.len; i++)
        if (n->vars.data[i].node == v) return;
    vec_push(&n->vars, ((NestTerm){v, dom, nest_word(v->name)}));
}

/* In the order of the text; chains can be long, so not recursive. */
NestNames nest_names(Unit *u, const Def *d)
{
    NestNames n = {.u = u};
    FdWalk w = fd_walk(d->body);
    for (int i = 0; i < d->nvars; i++) add_var(&n, d->vars[i], &d->doms[i]);
    for (const FdNode *node; (node = fd_walk_next(&w)); fd_walk_below(&w, node)) {
        vec_push(&n.terms, ((NestTerm){node, NULL, NULL}));
        for (int i = 0; node->kind == FD_REDUCE && i < node->nvars; i++)
            add_var(&n, node->vars[i], &node->doms[i]);
    }
    fd_walk_end(&w);
    return n;
}

void nest_names_free(NestNames *n)
{
    vec_free(&n->vars);
    vec_free(&n->terms);
}

static const char *numbered(Unit *u, const char *text, const char *mark, int number)
{
    return number > 1 ? arena_printf(u->arena, "%s%s%d", text, mark, number) : text;
}

/* "k#2" is the second k: its number; *len: of the text before the mark. */
static int number_in(const char *name, const char *mark, size_t *len)
{
    const char *at = NULL;
    for (const char *p = strstr(name, mark); p; p = strstr(p + 1, mark)) at = p;
    *len = at ? (size_t)(at - name) : strlen(name);
    if (!at) return 1;
    char *end;
    long number = strtol(at + strlen(mark), &end, 10);
    return *end || number < 1 || number > INT32_MAX ? 0 : (int)number;
}

static bool is_text(const char *text, const char *name, size_t len)
{
    return strncmp(text, name, len) == 0 && !text[len];
}

/* ---- variables --------------------------------------------------------------------------------- */

const char *nest_var_name(const NestNames *n, const FdNode *v)
{
    const char *text = nest_word(v->name);
    int number = 1;
    for (size_t i = 0; i < n->vars.len && n->vars.data[i].node != v; i++)
        number += strcmp(n->vars.data[i].text, text) == 0;
    return numbered(n->u, text, "#", number);
}

const NestTerm *nest_find_var(const NestNames *n, const char *name)
{
    size_t len;
    int number = number_in(name, "#", &len);
    for (size_t i = 0; i < n->vars.len; i++)
        if (is_text(n->vars.data[i].text, name, len) && --number == 0) return &n->vars.data[i];
    return NULL;
}

/* ---- expressions ------------------------------------------------------------------------------- */

static const char *expression_text(Unit *u, const FdNode *node)
{
    Text t = {0};
    fd_print_expr(&t, node);
    for (size_t k = 0; k < t.len; k++)
        if (iscntrl((unsigned char)t.data[k])) t.data[k] = ' '; /* a line is a line */
    const char *text = arena_strndup(u->arena, t.data, t.len);
    text_free(&t);
    return text;
}

static const char *text_of(NestNames *n, size_t i)
{
    NestTerm *term = &n->terms.data[i];
    if (!term->text) term->text = expression_text(n->u, term->node);
    return term->text;
}

const char *nest_term_name(NestNames *n, const FdNode *node)
{
    size_t at = 0;
    while (at < n->terms.len && n->terms.data[at].node != node) at++;
    if (at == n->terms.len) return "_"; /* of another definition: no recipe does that */
    int number = 1;
    for (size_t i = 0; i < at; i++) number += strcmp(text_of(n, i), text_of(n, at)) == 0;
    return numbered(n->u, text_of(n, at), " #", number);
}

const FdNode *nest_find_term(NestNames *n, const char *name)
{
    size_t len;
    int number = number_in(name, " #", &len);
    for (size_t i = 0; i < n->terms.len; i++)
        if (is_text(text_of(n, i), name, len) && --number == 0) return n->terms.data[i].node;
    return NULL;
}

/* ---- conditions -------------------------------------------------------------------------------- */

static const char *cond_name(Unit *u, const FdNode *const *conds, int at)
{
    const char *text = expression_text(u, conds[at]);
    int number = 1;
    for (int i = 0; i < at; i++) number += strcmp(expression_text(u, conds[i]), text) == 0;
    return numbered(u, text, " #", number);
}

const char *nest_cond_name(NestNames *n, const Def *d, const FdNode *cond)
{
    const FdNode *const *conds;
    int count = nest_conditions(n->u, d, &conds);
    for (int i = 0; i < count; i++)
        if (conds[i] == cond) return cond_name(n->u, conds, i);
    return "_";
}

/* The longest that fits: one may begin another. */
const FdNode *nest_find_cond(NestNames *n, const Def *d, const char **text)
{
    const FdNode *const *conds, *found = NULL;
    size_t longest = 0;
    int count = nest_conditions(n->u, d, &conds);
    for (int i = 0; i < count; i++) {
        const char *name = cond_name(n->u, conds, i);
        size_t len = strlen(name);
        if (len <= longest || strncmp(*text, name, len) != 0) continue;
        found = conds[i];
        longest = len;
    }
    *text += longest;
    return found;
}

/* ---- axes -------------------------------------------------------------------------------------- */

const char *nest_axis_name(const NestNames *names, const Nest *n, int axis)
{
    const NestAxis *x = &n->axes[axis];
    if (x->nvars == 1) return nest_var_name(names, x->vars[0]);
    int number = 1;
    for (size_t i = 0; i < names->vars.len; i++)
        number += strcmp(names->vars.data[i].text, x->name) == 0;
    for (int i = 0; i < axis; i++)
        number += n->axes[i].nvars != 1 && strcmp(n->axes[i].name, x->name) == 0;
    return numbered(names->u, x->name, "#", number);
}
