/* csc tune. Each run of the program, which is compiled anew for it, tries other values in all evaluations
 * that take long; what a program gains in the end is measured once more, turn by turn with the usual
 * values, and kept beside the source. A run whose compilation or program fails refuses its values. */
#include "tune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../compile/compile.h"
#include "../compile/tuned.h"
#include "../message.h"
#include "../write.h"
#include "search.h"

typedef struct Tuned { /* an evaluation that is searched */
    const char *key, *family, *place;
    bool native;
    Search *search;
    const char *trying;
    double usual_ns, best_ns; /* at the end */
} Tuned;

typedef struct Tune {
    const Options *opt;
    Arena *arena;
    VEC(Tuned) all;
    double until, took; /* ms of the clock; of a run */
    bool cold;          /* some are called so seldom that first calls count: runs are repeated */
    unsigned seconds;   /* that a run may take */
} Tune;

/* Evaluations of less than a 20th of all kernel time are left alone; of less than a quarter, if they are
 * called once or twice: their time is largely what drivers do at a first launch. */
enum { SHARE = 20, SELDOM = 3, SHARE_SELDOM = 4 };

/* ---- runs --------------------------------------------------------------------------------------- */

typedef struct Trial {
    const Options *opt;
    const char *tuned;
} Trial;

/* In a process of its own, which a wrong schedule ends. */
static int compile_trial(void *ctx)
{
    const Trial *t = ctx;
    Options o = *t->opt;
    int program;
    o.host.tuned = t->tuned;
    return compile(&o, &program) ? program : -1;
}

static bool run(Tune *t, const char *tuned, Report *r, ChildEnd *end)
{
    Trial trial = {t->opt, tuned};
    Child c = {
        .program = compile_trial, .ctx = &trial, .argv = t->opt->arguments, .seconds = t->seconds};
    char room[64];
    bool good = report_run(&c, t->arena, false, end, r) && !child_why(end, room);
    t->took = end->ms;
    return good;
}

typedef enum Which { USUAL, BEST, TRYING } Which;

static const char *values_of(const Tuned *e, Which which)
{
    if (which == USUAL) return "";
    return which == TRYING && e->trying ? e->trying : search_best(e->search);
}

static const char *lines(Tune *t, Which which)
{
    Text text = {0};
    for (size_t i = 0; i < t->all.len; i++) {
        const Tuned *e = &t->all.data[i];
        const char *set = values_of(e, which);
        if (*set) text_printf(&text, "%s %s %s\n", e->family, e->key, set);
    }
    const char *all = arena_strndup(t->arena, text.data ? text.data : "", text.len);
    text_free(&text);
    return all;
}

/* How long a call took, -1: it is not there. */
static double time_of(const Report *r, const Tuned *e)
{
    for (size_t i = 0; i < r->evaluations.len; i++) {
        const ReportEvaluation *m = &r->evaluations.data[i];
        if (strcmp(m->key, e->key) == 0 && m->native == e->native) return report_least(m);
    }
    return -1;
}

/* ---- the search ---------------------------------------------------------------------------------- */

static bool is_asked_for(const Report *r, const ReportEvaluation *e)
{
    bool some = false;
    for (size_t i = 0; i < r->evaluations.len; i++)
        some = some || fd_hints_have(r->evaluations.data[i].hints, "AutoTune");
    return some ? fd_hints_have(e->hints, "AutoTune")
                : e->ns * (e->calls < SELDOM ? SHARE_SELDOM : SHARE) >= r->ns;
}

static void choose(Tune *t, const Report *r)
{
    for (size_t i = 0; i < r->evaluations.len; i++) {
        const ReportEvaluation *e = &r->evaluations.data[i];
        if (!is_asked_for(r, e)) continue;
        Tuned made = {.key = e->key,
                      .family = e->family,
                      .native = e->native,
                      .place = arena_printf(t->arena, "%s:%d:%d", e->file, e->line, e->column),
                      .search = search_new(e, t->arena)};
        t->cold |= e->calls < SELDOM;
        vec_push(&t->all, made);
        printf("%s: %.3f ms a call%s\n", made.place, report_least(e) * 1e-6,
               e->native ? ", native" : "");
    }
    fflush(stdout);
}

/* Once more, if it seems better: the lesser gain of the two counts. */
static bool try_values(Tune *t)
{
    bool any = false, better = false;
    for (size_t i = 0; i < t->all.len; i++)
        any |= (t->all.data[i].trying = search_next(t->all.data[i].search)) != NULL;
    if (!any) return false;
    const char *tuned = lines(t, TRYING);
    Report r, again = {0};
    ChildEnd end, other = {0};
    bool good = run(t, tuned, &r, &end), repeated = false;
    if (good && t->cold) { /* what was built for it is in caches then */
        report_free(&r);
        child_end_free(&end);
        good = run(t, tuned, &r, &end);
    }
    for (size_t i = 0; good && i < t->all.len; i++) {
        const Tuned *e = &t->all.data[i];
        better |= e->trying && time_of(&r, e) < search_best_ns(e->search);
    }
    if (good && better) repeated = run(t, tuned, &again, &other);
    for (size_t i = 0; i < t->all.len; i++) {
        Tuned *e = &t->all.data[i];
        if (!e->trying) continue;
        double ns = good ? time_of(&r, e) : -1;
        if (repeated && time_of(&again, e) > ns) ns = time_of(&again, e);
        const char *word = search_told(e->search, ns) ? "  better" : "";
        if (ns < 0)
            printf("  %-60s refused\n", e->trying);
        else
            printf("  %-60s %10.3f ms%s\n", e->trying, ns * 1e-6, word);
    }
    fflush(stdout);
    report_free(&r);
    report_free(&again);
    child_end_free(&end);
    child_end_free(&other);
    return true;
}

/* ---- what came of it ----------------------------------------------------------------------------- */

static void least(double *ns, double other)
{
    if (other >= 0 && (*ns <= 0 || other < *ns)) *ns = other;
}

/* Turn by turn, so that what else the machine does is the same for both. */
static void compare(Tune *t)
{
    enum { TURNS = 3 };
    const char *const tuned[] = {lines(t, USUAL), lines(t, BEST)};
    for (int k = 0; k < 2 * TURNS; k++) {
        if (k >= 2 && k % 2 == 0 && child_now_ms() > t->until) break;
        Report r;
        ChildEnd end;
        if (run(t, tuned[k % 2], &r, &end))
            for (size_t i = 0; i < t->all.len; i++) {
                Tuned *e = &t->all.data[i];
                least(k % 2 ? &e->best_ns : &e->usual_ns, time_of(&r, e));
            }
        report_free(&r);
        child_end_free(&end);
    }
}

static bool gains(const Tuned *e)
{
    return *search_best(e->search) && e->best_ns > 0 && e->best_ns < 0.98 * e->usual_ns;
}

static bool keep(Tune *t)
{
    const char *path = tuned_path(t->opt, t->arena);
    char day[32];
    time_t now = time(NULL);
    struct tm local;
    Text file = {0};
    int tried = 0, kept = 0;
    strftime(day, sizeof day, "%Y-%m-%d", localtime_r(&now, &local));
    text_printf(&file, "# csc tune %s, %s: values of parameters (csc --help=parameters)\n",
                t->opt->input, day);
    for (size_t i = 0; i < t->all.len; i++) tried += search_tried(t->all.data[i].search);
    printf("%d values tried\n", tried);
    for (size_t i = 0; i < t->all.len; i++) {
        const Tuned *e = &t->all.data[i];
        if (!gains(e)) {
            printf("%s: nothing better than the usual values\n", e->place);
            continue;
        }
        kept++;
        printf("%s: %.3f ms a call, %.3f with %s\n", e->place, e->usual_ns * 1e-6,
               e->best_ns * 1e-6, search_best(e->search));
        text_printf(&file, "%s %s %s # %s, %.3f -> %.3f ms\n", e->family, e->key,
                    search_best(e->search), e->place, e->usual_ns * 1e-6, e->best_ns * 1e-6);
    }
    bool ok = true;
    if (kept)
        ok = write_bytes(path, file.data, file.len, 0666);
    else if (unlink(path) == 0)
        printf("%s is removed\n", path);
    if (kept && ok) printf("kept in %s, which csc reads\n", path);
    text_free(&file);
    return ok;
}

int tune(const Options *o)
{
    Tune t = {.opt = o,
              .arena = arena_new(),
              .until = child_now_ms() + (o->seconds < 0 ? 60 : o->seconds) * 1e3};
    Report first;
    ChildEnd end;
    char room[64];
    bool ok = strcmp(o->input, "-") != 0;
    if (!ok) complain("csc tune takes a file: what it finds is kept beside it");
    if (!ok) return 1;
    /* twice: the first run builds what caches keep */
    for (int k = 0; k < 2 && ok; k++) {
        ok = run(&t, "", &first, &end);
        const char *why = child_why(&end, room);
        if (!ok && end.err.data) fputs(end.err.data, stderr);
        if (!ok && why) complain("the program cannot be measured: %s", why);
        if (ok && k == 1) choose(&t, &first);
        if (!ok || k == 0) report_free(&first);
        t.seconds = 10 + (unsigned)(end.ms * 0.01);
        child_end_free(&end);
    }
    if (ok && t.all.len == 0) printf("no kernel of it takes long\n");
    if (ok) report_free(&first);
    /* the comparison in the end is to have some runs */
    while (ok && t.all.len && child_now_ms() + 4 * t.took < t.until && try_values(&t)) continue;
    if (ok && t.all.len) compare(&t);
    if (ok && t.all.len) ok = keep(&t);
    for (size_t i = 0; i < t.all.len; i++) search_free(t.all.data[i].search);
    vec_free(&t.all);
    arena_free(t.arena);
    return ok ? 0 : 1;
}
