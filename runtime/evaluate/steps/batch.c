/* How much of what waits is taken at once (batch.h): as many as there is a kernel for, whose rows fit a cache,
 * turns of a loop by one text before all. */
#include "batch.h"

#include "../../device/device.h"
#include "../../native/native.h"
#include "../../pool.h"
#include "../../state.h"
#include "../plan.h"

enum {
    MOST = 8,    /* steps at a time */
    ROWS = 4,    /* that a kernel keeps of each step */
    BESIDE = 32, /* rows of a unit for one that the next one computes, too */
    ODD = 4,     /* batches in a row that are no turns: then the loop is none of turns */
    L2 = 1 << 20 /* where nobody says */
};

static size_t l2_bytes(void)
{
    size_t l2 = rt.device ? device_info()->l2 : native_l2();
    return l2 ? l2 : L2;
}

/* Rows of its array: of the longest dimension, as bands choose. */
static size_t rows_of(const Lazy *l)
{
    size_t rows = 1;
    for (int d = 0; d + 1 < l->box.rank; d++) {
        size_t n = (size_t)(l->box.dim[d].hi - l->box.dim[d].lo);
        if (n > rows) rows = n;
    }
    return rows;
}

/* How many steps: the rows that are kept of all of them are to fit a cache. */
int batch_most(const Lazy *l, size_t bytes)
{
    size_t row = bytes / rows_of(l), l2 = l2_bytes();
    int most = MOST;
    while (most > 1 && row * ROWS * (size_t)most > l2) most /= 2;
    return most;
}

/* How many turns of so many, number `from` being the first, one text is to take. More than three only where few
 * rows are computed by two units. (Where rows do not fit a cache the text says so itself.) */
static int turns_of(const Waiting *w, int from, int period)
{
    const Lazy *first = w->held[from]->lazy;
    int most = first->graph->turns;
    size_t alone = rows_of(first) / ((size_t)pool_units() * BESIDE);
    if (!most || most > MOST) most = MOST;
    if (most > BATCH_TURNS && (size_t)most > alone)
        most = alone > BATCH_TURNS ? (int)alone : BATCH_TURNS;
    const int room = WAITING_MOST - BATCH_TURNS * period; /* of the next ones some wait already */
    return most * period > room ? room / period : most;
}

/* At most so many of a loop with `graphs` arrays a step: whole steps, and one at least. */
static int whole_steps(int most, int graphs)
{
    return most > graphs ? most / graphs * graphs : graphs;
}

/* Bytes that loops go through while a kernel of so many nodes is made: about 1 ms a node by csc. Those that are
 * made take no longer than the loops have taken so far. */
double batch_work(double nodes)
{
    return nodes * (native_makes() ? 2e7 : 1e8);
}

bool batch_is_within_turn(const Lazy *l)
{
    return batch_is_foreseen(l) && l->graph->period > 1 && !l->graph->ends_turn;
}

/* Has the program a kernel of turns of its loop, as far as is known? */
bool batch_is_foreseen(const Lazy *l)
{
    return l->foreseen && l->graph->turns != 1 && native_makes();
}

/* Have loops gone on for as long as the kernel of the first n, and those before it, take to be made? Or is it
 * there, of turns? */
static bool is_worth(const Waiting *w, int n, bool turns)
{
    const Lazy *oldest = w->held[0]->lazy;
    Graph *first = oldest->graph;
    double nodes = rt.hold.made;
    for (int i = 0; i < n; i++) nodes += w->held[i]->lazy->nodes;
    if (plan_joins() == PLAN_GREEDY || (turns && batch_is_foreseen(oldest)) ||
        (first->sizes >> n & 1))
        return true;
    if (rt.hold.work <= batch_work(nodes)) return false;
    first->sizes |= UINT64_C(1) << n;
    rt.hold.made = nodes;
    return true;
}

/* Is none of the first n, from `from` on, asked for by somebody else but those of the last turn? */
static bool are_for_last(const Waiting *w, int from, int n, int period)
{
    int kept[WAITING_MOST];
    for (int k = waiting_kept(w, from + n, kept); k-- > 0;)
        if (kept[k] >= from && kept[k] < from + n - period) return false;
    return true;
}

/* How many from `from` on are turns of a loop that one text takes, so many a turn; 0: none. All that somebody
 * else refers to has to be of the last one, so the newest may be left for later. Where too few would be left for
 * another text, both take half of them. */
static int turns_of_period(const Waiting *w, int from, int period, int most)
{
    Turning turning;
    int n = (w->n - from) / period, all = (w->asked - from) / period;
    while (all > most && !waiting_turns(w, from, all * period, period, &turning)) all--;
    if (all > most && all - most < BATCH_TURNS && all / 2 >= BATCH_TURNS) most = all - all / 2;
    for (n = (n < most ? n : most) * period; n >= BATCH_TURNS * period; n -= period)
        if (are_for_last(w, from, n, period) && waiting_turns(w, from, n, period, &turning))
            return n;
    return 0;
}

/* Are all from `from` to before `end` of the graphs of those so many before them? The first so many are. */
static bool come_again(const Waiting *w, int from, int end, int period)
{
    int i = from + period;
    while (i < end && i < w->n && w->held[i]->lazy->graph == w->held[i - period]->lazy->graph) i++;
    return i >= end;
}

/* How many from `from` on are turns that one text takes, of the fewest evaluations a turn: it may have a graph more than
 * once, and where a step reads what was two steps before, two are a turn. What failed lowers turns_of, so the longest
 * that is tried next is shorter in any case. */
static int turns_at_once(const Waiting *w, int from, int graphs, int *period)
{
    const int turns = turns_of(w, from, graphs);
    int n = 0;
    *period = 0;
    while (!n && turns >= BATCH_TURNS && ++*period * BATCH_TURNS <= w->n - from)
        if (come_again(w, from, from + BATCH_TURNS * *period, *period)) {
            int most = *period > graphs ? turns * graphs / *period : turns;
            n = turns_of_period(w, from, *period, most > BATCH_TURNS ? most : BATCH_TURNS);
        }
    return n;
}

/* Loops that are no turns do not wait for many. */
static void count_odd(const Waiting *w, int graphs, bool turns)
{
    Graph *g = w->held[0]->lazy->graph;
    if (w->n < 2 * BATCH_TURNS * graphs || g->turns) return;
    g->odd = turns ? 0 : (uint8_t)(g->odd + 1);
    if (g->odd == ODD) g->turns = 1;
}

/* How many up to the last array of a turn, if csc says which that is; 0: none. */
static int until_end(const Waiting *w)
{
    int n = 0;
    while (n < w->n && !w->held[n]->lazy->graph->ends_turn) n++;
    return n < w->n ? n + 1 : 0;
}

/* How many are a turn: as csc says, if it knows which array is the last. */
static int turn_of(const Waiting *w, int graphs)
{
    const Graph *first = w->held[0]->lazy->graph;
    return first->foreseen && first->period ? first->period : graphs;
}

/* What is left of turns that are foreseen, so many each: csc has a kernel of a whole one. */
static Batch rest_of(const Waiting *w, int n)
{
    int kept[WAITING_MOST];
    bool turn = n > 1 && w->n >= n;
    if (turn && w->held[0]->lazy->graph->period)
        turn = until_end(w) == n;
    else
        turn = turn && w->n % n == 0 && come_again(w, 0, w->n, n) && waiting_kept(w, n, kept) == 1;
    return (Batch){.n = turn ? n : 1, .plain = turn};
}

/* Steps of one graph, then others that go back through them (the derivative of a loop, which makes states again): none
 * but the last is asked for. */
static bool is_both_ways(const Waiting *w, int graphs)
{
    const Graph *first = w->held[0]->lazy->graph;
    int kept[WAITING_MOST], steps = 0;
    while (steps < w->n && w->held[steps]->lazy->graph == first) steps++;
    return graphs > 1 && steps >= BATCH_TURNS - 1 && w->n > steps + 1 &&
           waiting_kept(w, w->n, kept) == 1 && kept[0] == w->n - 1;
}

/* Do they begin within a turn, of those that the program has a kernel for? */
static bool is_within(const Waiting *w, int graphs)
{
    bool ends = false, before = false;
    for (int i = 0; i < graphs && i < w->n; i++) {
        ends = w->held[i]->lazy->graph->ends_turn;
        before = before || (ends && i < graphs - 1);
    }
    return before && !ends;
}

static int graphs_of(const Waiting *w)
{
    return waiting_graphs(w, w->held[0]->lazy->graph);
}

/* As many of them as there may be a kernel for: few are built. */
Batch batch_of(const Waiting *w)
{
    const Batch alone = {.n = 1}, later = {.n = 0};
    const struct Held *first = w->held[0];
    const bool foreseen = batch_is_foreseen(first->lazy);
    int graphs = turn_of(w, graphs_of(w)), most = first->lazy->graph->most;
    if (foreseen && is_within(w, graphs)) return alone;
    if (is_both_ways(w, graphs)) {
        if (first->lazy->graph->one_way) return alone;
        return is_worth(w, w->n, false) ? (Batch){.n = w->n, .both = true} : later;
    }
    int period, later_period, turns = turns_at_once(w, 0, graphs, &period);
    count_odd(w, graphs, turns > 0);
    if (turns && is_worth(w, BATCH_TURNS * period, true))
        return (Batch){.n = turns, .period = period};
    if (first->lazy->foreseen && !foreseen) { /* no text keeps rows of so many turns */
        const Batch turn = rest_of(w, graphs);
        if (turn.n > 1) return turn;
    }
    int others = 1; /* what they begin with, or what is left of another loop */
    while (others < w->n && w->held[others]->lazy->graph == first->lazy->graph) others++;
    if (graphs_of(w) > 1 && (turns_at_once(w, 1, graphs - 1, &later_period) ||
                             turns_at_once(w, others, graphs_of(w) - 1, &later_period)))
        return alone;
    if (foreseen && w->n < BATCH_TURNS * graphs) return rest_of(w, graphs);
    if (!most || most > first->most) most = first->most;
    if (first->lazy->graph->most && most < graphs) return alone; /* there is no kernel for that */
    most = whole_steps(most, graphs);
    const int sizes[] = {most, whole_steps(most / 2, graphs), graphs};
    bool some = false;
    for (int i = 0; i < 3; i++) {
        if (sizes[i] < 2 || w->n < sizes[i]) continue;
        if (is_worth(w, sizes[i], false)) return (Batch){.n = sizes[i]};
        some = true;
    }
    return some ? later : alone;
}

bool batch_is_over(const Waiting *w, const Lazy *l)
{
    const int graphs = w->n ? graphs_of(w) : 0;
    return w->n >= BATCH_TURNS * graphs && waiting_graphs(w, l->graph) > graphs;
}

/* So many are evaluated, of which l would be one more. */
int batch_enough(const Waiting *w, const Lazy *l, int most, int *more)
{
    int graphs = turn_of(w, waiting_graphs(w, l->graph)), steps = whole_steps(most, graphs);
    int turns = turns_of(w, 0, graphs);
    *more = turns < BATCH_TURNS ? 0 : (BATCH_TURNS - 1) * graphs;
    return turns < BATCH_TURNS ? steps : turns * graphs;
}
