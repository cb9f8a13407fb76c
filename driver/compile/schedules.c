/* Reading the file of --schedule: parts that begin with "evaluation LINE:COLUMN" (schedules.h). */
#include "schedules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../base/report/source.h"
#include "../../base/vec.h"
#include "../message.h"

typedef struct Part {
    int at;        /* line of the file */
    int line, col; /* of the program */
    bool taken;
    CgReading schedule;
    const char *name;
} Part;

struct Schedules {
    const char *path;
    int nparts;
    Part *parts;
};

typedef VEC(Part) Parts;

/* Ends the text of the last part in front of `end`. */
static void end_part(Parts *parts, Arena *a, const char *end)
{
    if (!parts->len) return;
    Part *p = &parts->data[parts->len - 1];
    size_t n = (size_t)(end - p->schedule.text);
    p->schedule.text = arena_strndup(a, p->schedule.text, n);
    p->name = arena_printf(a, "schedule=%016" PRIx64, (uint64_t)XXH3_64bits(p->schedule.text, n));
}

/* False at a line in front of the first part that is no comment; *at is its number. */
static bool split(const char *text, Arena *a, Parts *parts, int *at)
{
    *at = 0;
    for (const char *line = text, *end; *line; line = end) {
        Part p = {.at = ++*at};
        size_t n = strcspn(line, "\n");
        end = line + n + (line[n] == '\n');
        if (sscanf(line, "evaluation %d:%d\n", &p.line, &p.col) == 2) {
            end_part(parts, a, line);
            p.schedule = (CgReading){.reader = cg_schedule_reader, .text = end};
            vec_push(parts, p);
        } else if (!parts->len && n && *line != '#') {
            return false;
        }
    }
    end_part(parts, a, text + strlen(text));
    return true;
}

bool schedules_load(const Options *o, Arena *a, Schedules **all)
{
    *all = NULL;
    if (!o->schedule) return true;
    Text text = {0};
    const char *why;
    if (!source_read_regular(o->schedule, &text, &why)) {
        complain("cannot read '%s': %s", o->schedule, why);
        return false;
    }
    Parts parts = {0};
    int at;
    bool good = split(text.data ? text.data : "", a, &parts, &at);
    text_free(&text);
    if (good) {
        *all = arena_array(a, Schedules, 1);
        **all = (Schedules){o->schedule, (int)parts.len, NULL};
        (*all)->parts = arena_copy(a, parts.data, parts.len * sizeof *parts.data);
    } else {
        complain(
            "%s:%d: a schedule begins with 'evaluation LINE:COLUMN', as --emit=schedule prints it",
            o->schedule, at);
    }
    vec_free(&parts);
    return good;
}

CgReading *schedules_take(Schedules *all, int line, int col, const char **name)
{
    for (int i = 0; all && i < all->nparts; i++) {
        Part *p = &all->parts[i];
        if (p->taken || p->line != line || p->col != col) continue;
        p->taken = true;
        *name = p->name;
        return &p->schedule;
    }
    return NULL;
}

void schedules_refused(const Schedules *all, const CgReading *taken, const char *why)
{
    int i = 0;
    while (&all->parts[i].schedule != taken) i++;
    complain("%s:%d: %s", all->path, all->parts[i].at + taken->line, why);
}

bool schedules_used(const Schedules *all)
{
    for (int i = 0; all && i < all->nparts; i++) {
        const Part *p = &all->parts[i];
        if (p->taken) continue;
        complain("%s:%d: the program has no evaluation at %d:%d; --emit=schedule prints those that "
                 "it has",
                 all->path, p->at, p->line, p->col);
        return false;
    }
    return true;
}
