/* Temporaries of which shares read what lies around their own positions (impl.h): each makes that. Items at the ends
 * are done by two shares if these are few, else by one that sends the others what they read. */
#include "impl.h"

/* How a cut reads what cut c writes by w; false: not by positions. */
static bool reads_positions(const CgCut *by, const CgCut *c, const CgWrite *w, CgRead *out)
{
    *out = (CgRead){.n = c->n, .each = true};
    if (w->own) return by->inner == c->inner && by->first == c->first && by->count == c->count;
    if (!c->inner || w->each || w->entries <= 0) return false;
    for (int i = 0; i < by->nreads; i++) {
        const CgRead *r = &by->reads[i];
        if (r->temp != w->index || r->first != c->first || r->n <= 0) continue;
        *out = *r;
        return w->plain || r->each;
    }
    return false;
}

/* Combinations of more dimensions, or of fewer, as those that the cut of the writer counts; both divide each other. */
static int64_t entries_of(const CgCut *c, const CgWrite *w)
{
    return w->own ? c->n : w->entries;
}

static bool scales(int64_t entries, int64_t n)
{
    return entries >= n ? entries % n == 0 : n % entries == 0;
}

/* lo..hi-1 of n, as those of m around them. */
static void scale(int64_t n, int64_t m, int64_t *lo, int64_t *hi)
{
    int64_t up = m / n, down = n / m;
    *lo = m >= n ? *lo * up : *lo / down;
    *hi = m >= n ? *hi * up : (*hi + down - 1) / down;
}

/* Does a launch write the temporary, rather than read it? */
static bool only_writes(const CgLaunch *l, int temp)
{
    bool all = l->ncuts > 0;
    for (int i = 0; i < l->ncuts; i++) {
        bool writes = false;
        for (int k = 0; k < l->cuts[i].nwrites; k++)
            writes |=
                l->cuts[i].writes[k].kind == CG_ARG_TEMP && l->cuts[i].writes[k].index == temp;
        all = all && writes;
    }
    return all;
}

static bool reads_temp(const Divide *v, int k, const CgWrite *w)
{
    const CgLaunch *l = &v->in->schedule->launches[k];
    return launch_takes(l, CG_ARG_TEMP, w->index) && !only_writes(l, w->index);
}

/* The positions that share s of a launch does; false: none. */
static bool share_positions(const DividedLaunch *l, int s, int64_t *lo, int64_t *hi)
{
    cut_positions(l->cut, l->from[s], l->to[s], lo, hi);
    *lo += l->cut->from;
    *hi += l->cut->from;
    return l->from[s] < l->to[s];
}

static int64_t within(int64_t x, int64_t n)
{
    return x < 0 ? 0 : x > n ? n : x;
}

/* Adds what share s of launch k reads of what cut c writes by w. */
static bool add_wanted(const Divide *v, const CgCut *c, const CgWrite *w, int k, int s, int64_t *lo,
                       int64_t *hi)
{
    const DividedLaunch *of = &v->d->launches[k];
    int64_t entries = entries_of(c, w), from, to;
    CgRead r;
    if (!of->cut || of->cut->repeats > 1 || !reads_positions(of->cut, c, w, &r)) return false;
    if (!scales(entries, r.n)) return false;
    if (!share_positions(of, s, &from, &to)) return true;
    if (!w->plain && !w->own && to - from < r.high - r.low) return false; /* some are not read */
    from = within(from + r.low, r.n);
    to = within(to + r.high, r.n);
    scale(r.n, entries, &from, &to);
    if (from >= to) return true;
    *lo = from < *lo ? from : *lo;
    *hi = to > *hi ? to : *hi;
    return true;
}

/* The positions of a cut of launch i that share s reads, and their items. False: nobody knows, or nobody reads it. */
static bool find_wanted(const Divide *v, int i, const CgCut *c, int s)
{
    DividedLaunch *l = &v->d->launches[i];
    int64_t lo = INT64_MAX, hi = INT64_MIN;
    bool any = false;
    for (int x = 0; x < c->nwrites; x++)
        for (int k = i + 1; k < v->d->nlaunches; k++) {
            if (!reads_temp(v, k, &c->writes[x])) continue;
            if (!add_wanted(v, c, &c->writes[x], k, s, &lo, &hi)) return false;
            any = true;
        }
    l->from[s] = l->to[s] = l->lo[s] = l->hi[s] = 0;
    if (lo >= hi) return any;
    lo = within(lo - c->from, c->n);
    hi = within(hi - c->from, c->n);
    if (lo >= hi) return any;
    l->from[s] = lo / c->step;
    l->to[s] = (hi + c->step - 1) / c->step;
    l->lo[s] = lo + c->from;
    l->hi[s] = hi + c->from;
    return any;
}

/* Items that shares do beyond all that there are; negative: some are done by nobody. */
static int64_t twice(const Divide *v, const DividedLaunch *l, const CgCut *c)
{
    int64_t done = 0, sum = 0;
    for (int s = 0; s < v->d->n; s++) {
        sum += l->to[s] - l->from[s];
        if (l->from[s] <= done && l->to[s] > done) done = l->to[s];
    }
    return done == cut_groups(c) ? sum - done : -1;
}

/* Has no share more than half as much again as is fair? */
static bool is_fair(const Divide *v, const DividedLaunch *l, const CgCut *c)
{
    for (int s = 0; s < v->d->n; s++)
        if ((l->to[s] - l->from[s]) * v->d->n * 2 > cut_groups(c) * 3) return false;
    return true;
}

/* Each item once, near whoever reads it; shares are sent what they lack. */
static void part_items(const Divide *v, DividedLaunch *l, const CgCut *c)
{
    int n = v->d->n;
    int64_t groups = cut_groups(c), last = 0;
    for (int s = 0; s < n; s++) {
        int64_t at = groups * (s + 1) / n, low = s + 1 < n ? l->from[s + 1] : groups;
        if (low <= l->to[s] && at < low) at = low;
        if (low <= l->to[s] && at > l->to[s]) at = l->to[s];
        if (at < last || s + 1 == n) at = s + 1 == n ? groups : last;
        l->from[s] = last;
        l->to[s] = last = at;
    }
}

/* Bytes that whoever gets most gets; -1: nobody knows where they are, or they are in many pieces. */
static double bytes_sent(const Divide *v, const DividedLaunch *l)
{
    enum { PIECES = 64 };
    double most = 0;
    for (int to = 0; to < v->d->n; to++) {
        double bytes = 0;
        for (int i = 0; i < l->cut->nwrites; i++) {
            const CgWrite *w = &l->cut->writes[i];
            if (w->own || w->segments > PIECES) return -1;
            for (int s = 0; s < v->d->n; s++) {
                int64_t lo, hi;
                if (division_sent(l, w, s, to, &lo, &hi))
                    bytes += (double)(hi - lo) * (double)w->segments * (double)w->bytes;
            }
        }
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Does it pay to do each item once? */
static bool is_sent(const Divide *v, DividedLaunch *l)
{
    part_items(v, l, l->cut);
    double bytes = bytes_sent(v, l);
    return bytes >= 0 && is_fair(v, l, l->cut) &&
           (v->in->blocks || bytes * v->d->n * INNER_WORK <= v->in->work);
}

typedef enum Others { ANY, GATHERED, OWN } Others;

/* Does some other launch, divided so, write one of its temporaries, too? What writes all of it once more does not count. */
static bool has_others(const Divide *v, int i, const CgCut *c, Others which)
{
    bool any = false;
    for (int x = 0; x < c->nwrites; x++)
        for (int k = 0; k < v->d->nlaunches; k++) {
            const CgLaunch *l = &v->in->schedule->launches[k];
            const DividedLaunch *d = &v->d->launches[k];
            if (k == i || l->again || !launch_takes(l, CG_ARG_TEMP, c->writes[x].index) ||
                !only_writes(l, c->writes[x].index))
                continue;
            any = any || which == ANY || (which == GATHERED ? d->gathered : d->own);
        }
    return any;
}

bool own_conflicts(const Divide *v, int i, const CgCut *c)
{
    return !v->in->schedule->launches[i].again && has_others(v, i, c, OWN);
}

static bool is_own(const Divide *v, int i, const CgCut *c)
{
    enum { PART = 16 }; /* of all items: so many are sooner done twice than sent */
    DividedLaunch *l = &v->d->launches[i];
    if (cut_groups(c) < 2 || !c->nwrites || !c->count) return false;
    for (int k = 0; k < c->nwrites; k++)
        if (c->writes[k].kind != CG_ARG_TEMP) return false;
    bool again = v->in->schedule->launches[i].again;
    if (!again && has_others(v, i, c, GATHERED)) return false;
    for (int s = 0; s < v->d->n; s++)
        if (!find_wanted(v, i, c, s)) return false;
    l->cut = c;
    l->own = true;
    int64_t more = twice(v, l, c);
    bool fair = is_fair(v, l, c) && (more >= 0 || !launch_tells(&v->in->schedule->launches[i]));
    if (fair && more * PART <= cut_groups(c)) return true;
    l->gathered = (again || !has_others(v, i, c, ANY)) && is_sent(v, l);
    for (int s = 0; !l->gathered && s < v->d->n; s++) find_wanted(v, i, c, s);
    return l->gathered || fair;
}

bool own_cut(Divide *v, int i)
{
    const CgLaunch *l = &v->in->schedule->launches[i];
    DividedLaunch *d = &v->d->launches[i];
    for (int k = 0; k < l->ncuts; k++) {
        if (is_own(v, i, &l->cuts[k])) return true;
        d->cut = NULL;
        d->own = d->gathered = false;
    }
    return false;
}

/* What launch l needs for share s of launch i doing positions lo..hi-1: what those who read it need for it, as far as they
 * read all of that. */
static void add_needs(Divide *v, const CgLaunch *l, int i, int s, int64_t lo, int64_t hi,
                      Need *needs)
{
    const DividedLaunch *by = &v->d->launches[i];
    const CgCut *c = by->cut;
    if (!by->own && c->inner) needs_all(v, l, needs);
    if (!by->own && !c->inner) needs_of_positions(v, l, c, lo - c->from, hi - c->from, needs);
    for (int x = 0; by->own && x < c->nwrites; x++)
        for (int k = i + 1; k < v->d->nlaunches; k++) {
            const DividedLaunch *of = &v->d->launches[k];
            CgRead r;
            int64_t from, to, first = lo, past = hi;
            if (!reads_temp(v, k, &c->writes[x]) || !of->cut) continue;
            if (!reads_positions(of->cut, c, &c->writes[x], &r)) continue;
            scale(entries_of(c, &c->writes[x]), r.n, &first, &past);
            if (!share_positions(of, s, &from, &to)) { /* it makes them for others alone */
                from = first - r.low;
                to = from + 1;
            }
            from = first - r.low < from ? first - r.low : from;
            to = past - r.high > to ? past - r.high : to;
            if (from < of->cut->from || to > of->cut->from + of->cut->n)
                needs_all(v, l, needs);
            else
                add_needs(v, l, k, s, from, to, needs);
        }
}

void own_needs(Divide *v, int i, int s, Need *needs)
{
    int64_t lo, hi;
    if (share_positions(&v->d->launches[i], s, &lo, &hi))
        add_needs(v, &v->in->schedule->launches[i], i, s, lo, hi, needs);
}
