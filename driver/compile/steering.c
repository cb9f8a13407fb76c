/* Attributes that change no kernel (steering.h): what each was asked for, and the warning. */
#include "steering.h"

#include <string.h>

static bool asks_for(const CgAsked *asked, const char *hint)
{
    bool found = strcmp(hint, "AutoTune") == 0 || fd_hints_reals(hint) != FD_REALS_USUAL;
    for (int p = 0; p < cg_parameters(); p++) {
        const CgParameter *parameter = cg_parameter(p);
        size_t n = strlen(parameter->attribute);
        if (!asked[p].asked || !n || strncmp(hint, parameter->attribute, n) != 0) continue;
        int count = 0; /* of arguments */
        for (const char *c = hint + n; *c; c++) count += *c == '=' || *c == ',';
        found = found || parameter->argument < count;
    }
    return found;
}

void steering_note(Job *j, Steered *all, const char *hints, const CgAsked *asked)
{
    for (int i = 0; i < j->sema->nsteering; i++) {
        if (!fd_hints_have(hints, all[i].hint)) continue;
        all[i].known = true;
        all[i].used = all[i].used || asks_for(asked, all[i].hint);
    }
}

Steered *steering_begin(Job *j)
{
    Steered *all = arena_array(j->arena, Steered, j->sema->nsteering + 1);
    for (int i = 0; i < j->sema->nsteering; i++) {
        Text hint = {0};
        attr_hint(&hint, j->sema->steering[i]);
        all[i] = (Steered){.hint = arena_strndup(j->arena, hint.data, hint.len)};
        text_free(&hint);
    }
    return all;
}

void steering_warn(Job *j, const Steered *all)
{
    for (int i = 0; i < j->sema->nsteering; i++) {
        bool there = false;
        for (int k = 0; k < j->sema->ngraphs && !there; k++)
            there = fd_hints_have(j->sema->graphs[k].graph->hints, all[i].hint);
        if (there && (!all[i].known || all[i].used)) continue;
        const Ast *a = j->sema->steering[i];
        diag(j->diags, a->loc, DIAG_NO_EFFECT, "[%s] has no effect here; leave it out",
             a->attr.name);
    }
}
