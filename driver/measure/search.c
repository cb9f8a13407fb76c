/* The climb (search.h). */
#include "search.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/mem.h"
#include "../../codegen/kernel/codegen.h"

typedef struct Choice {
    int parameter;
    int64_t usual, value;
    int rank; /* the least first */
} Choice;

struct Search {
    Arena *arena;
    VEC(Choice) choices;
    VEC(const char *) seen; /* sets that were tried */
    size_t at;              /* the choice that is being changed.. */
    int direction;          /* ..up or down */
    bool gained;            /* in this round */
    bool over;
    int64_t trying;
    const char *best;
    double best_ns;
};

static const double gain = 0.97; /* less than this times the best is better */

/* ---- the parameters ----------------------------------------------------------------------------- */

/* What its kernels have is tried first, then what takes one try. */
static int rank_of(const CgParameter *p, const ReportEvaluation *e)
{
    for (size_t i = 0; i < e->kernels.len; i++)
        if (cg_concerns(p->name, e->kernels.data[i].name)) return 0;
    return p->steps == CG_STEP_YES_NO ? 1 : 2;
}

static int by_rank(const void *a, const void *b)
{
    const Choice *x = a, *y = b;
    return x->rank != y->rank ? x->rank - y->rank : x->parameter - y->parameter;
}

static void add_choice(Search *s, const ReportEvaluation *e, const char *word)
{
    size_t n = strcspn(word, "=");
    int p = word[n] ? cg_find_parameter(word, n) : -1;
    if (p < 0) return;
    int64_t usual = strtoll(word + n + 1, NULL, 10);
    vec_push(&s->choices, ((Choice){p, usual, usual, rank_of(cg_parameter(p), e)}));
}

Search *search_new(const ReportEvaluation *e, Arena *a)
{
    Search *s = arena_new_of(a, Search);
    *s = (Search){.arena = a, .direction = 1, .best = "", .best_ns = report_least(e)};
    for (const char *word = e->parameters; *word; word += strspn(word, " ")) {
        add_choice(s, e, word);
        word += strcspn(word, " ");
    }
    if (s->choices.len) qsort(s->choices.data, s->choices.len, sizeof(Choice), by_rank);
    vec_push(&s->seen, "");
    s->over = s->choices.len == 0;
    return s;
}

void search_free(Search *s)
{
    vec_free(&s->choices);
    vec_free(&s->seen);
}

/* ---- steps -------------------------------------------------------------------------------------- */

static bool stepped(const Choice *c, int direction, int64_t *value)
{
    const CgParameter *p = cg_parameter(c->parameter);
    int64_t v = c->value;
    switch (p->steps) {
    case CG_STEP_EACH: v += direction; break;
    case CG_STEP_DOUBLE: v = direction < 0 ? v / 2 : v ? 2 * v : 1; break;
    case CG_STEP_YES_NO: v = direction > 0 ? !v : v; break;
    }
    if (v < p->least) v = p->least;
    if (v > p->most) v = p->most;
    *value = v;
    return v != c->value;
}

/* The values that differ from what is usual, with one more. */
static const char *set_of(const Search *s, int64_t value)
{
    Text t = {0};
    for (size_t i = 0; i < s->choices.len; i++) {
        const Choice *c = &s->choices.data[i];
        int64_t v = i == s->at ? value : c->value;
        if (v != c->usual)
            text_printf(&t, "%s%s=%" PRId64, t.len ? " " : "", cg_parameter(c->parameter)->name, v);
    }
    const char *set = arena_strndup(s->arena, t.data ? t.data : "", t.len);
    text_free(&t);
    return set;
}

static bool is_seen(const Search *s, const char *set)
{
    for (size_t i = 0; i < s->seen.len; i++)
        if (strcmp(s->seen.data[i], set) == 0) return true;
    return false;
}

/* The other direction, the next parameter, the next round. */
static void turn(Search *s)
{
    if (s->direction > 0) {
        s->direction = -1;
        return;
    }
    s->direction = 1;
    if (++s->at < s->choices.len) return;
    s->at = 0;
    s->over = !s->gained;
    s->gained = false;
}

const char *search_next(Search *s)
{
    for (; !s->over; turn(s)) {
        if (!stepped(&s->choices.data[s->at], s->direction, &s->trying)) continue;
        const char *set = set_of(s, s->trying);
        if (is_seen(s, set)) continue;
        vec_push(&s->seen, set);
        return set;
    }
    return NULL;
}

bool search_told(Search *s, double ns)
{
    bool better = ns >= 0 && ns < gain * s->best_ns;
    if (!better) {
        turn(s);
        return false;
    }
    s->choices.data[s->at].value = s->trying;
    s->best = vec_last(&s->seen);
    s->best_ns = ns;
    s->gained = true;
    return true;
}

const char *search_best(const Search *s)
{
    return s->best;
}

double search_best_ns(const Search *s)
{
    return s->best_ns;
}

int search_tried(const Search *s)
{
    return (int)s->seen.len - 1;
}
