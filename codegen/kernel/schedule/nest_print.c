/* Nests as text (docs/kernels.md). A line is a loop or a step, indented by the loops around it. */
#include "nest.h"

static const char *const binds[] = {[NEST_LOOP] = "loop",
                                    [NEST_GROUP] = "group",
                                    [NEST_ITEM] = "item",
                                    [NEST_UNROLL] = "unroll",
                                    [NEST_LANES] = "lanes"};
static const char *const tails[] = {[NEST_CUT] = "",
                                    [NEST_BACK] = " back",
                                    [NEST_CLAMP] = " clamp",
                                    [NEST_GUARD] = " guard",
                                    [NEST_WHOLE] = " whole"};
static const char *const spaces[] = {[NEST_REGISTERS] = "registers",
                                     [NEST_PRIVATE] = "private",
                                     [NEST_LOCAL] = "local",
                                     [NEST_GLOBAL] = "global"};
static const char *const steps[] = {
    [NEST_START] = "start", [NEST_RESUME] = "resume", [NEST_TAKE] = "take", [NEST_PARTS] = "parts",
    [NEST_JOIN] = "join",   [NEST_SAVE] = "save",     [NEST_GIVE] = "give", [NEST_SYNC] = "sync"};

static const char *axis_of(const Nest *n, int axis)
{
    return *n->axes[axis].name ? n->axes[axis].name : "_";
}

static void print_loop(Unit *u, const Nest *n, const NestStep *s, Text *out)
{
    text_printf(out, "%s %s", binds[s->bind], axis_of(n, s->axis));
    if (!num_is(s->step, 1)) text_printf(out, " by %s", num_text(u, s->step));
    if (s->count) text_printf(out, " times %s", num_text(u, s->count));
    if (s->bind == NEST_GROUP || s->bind == NEST_ITEM) text_printf(out, " dim %d", s->dim);
    if (n->axes[s->axis].down) text_add(out, " down");
    text_add(out, tails[s->tail]);
}

static void print_hold(Unit *u, const Nest *n, const NestHold *h, Text *out)
{
    text_printf(out, "hold %s = ", h->name);
    fd_print_expr(out, h->value);
    text_printf(out, " %s", spaces[h->space]);
    if (h->along >= 0)
        text_printf(out, " along %s times %s", axis_of(n, h->along), num_text(u, h->depth));
    if (h->across >= 0) text_printf(out, " across %s", axis_of(n, h->across));
    if (h->width) text_printf(out, " times %s", num_text(u, h->width));
    if (h->filled) text_add(out, " filled");
}

static void print_steps(Unit *u, const Nest *n, const NestStep *s, int depth, Text *out)
{
    for (; s; s = s->next) {
        text_printf(out, "%*s", depth * 2, "");
        if (s->kind == NEST_FOR)
            print_loop(u, n, s, out);
        else if (s->kind == NEST_HOLD)
            print_hold(u, n, &n->holds[s->hold], out);
        else if (s->kind == NEST_PLACE)
            text_printf(out, "place %s times %s", axis_of(n, s->axis), num_text(u, s->count));
        else
            text_add(out, steps[s->kind]);
        for (int r = s->begin; s->kind == NEST_TAKE && n->nreduces > 1 && r < s->end; r++)
            text_printf(out, " %d", r);
        text_add(out, "\n");
        print_steps(u, n, s->first, depth + 1, out);
    }
}

void nest_print(Unit *u, const Nest *n, Text *out)
{
    text_printf(out, "nest %s", n->name);
    if (n->when && !num_is(n->when, 1)) text_printf(out, " when %s", num_text(u, n->when));
    if (n->checked) text_add(out, " checked");
    if (n->def->temp >= 0)
        text_printf(out, " to temp %d\n", n->def->temp);
    else
        text_add(out, "\n");
    print_steps(u, n, n->root.first, 1, out);
}
