/* Sums of products over several variables, which have an order (fdag/passes/network.c): 2 to 5 factors that share variables,
 * flat or nested, with guards, keys and borders, and their minima of sums, and or and and. Elements are so small that every order is exact. */
#include "../random.h"

enum { VARS = 5, FACTORS = 5 };

typedef struct Form {
    Ty type;
    int op; /* of `operations` */
    int nvars, stays, nfactors;
    int inner; /* variables from here on are summed over inside; nvars: none */
    Span range[VARS];
    unsigned uses[FACTORS];
    Value array[FACTORS];
    int order[FACTORS][MAX_RANK], rank[FACTORS];
    Value key; /* of the last variable */
} Form;

static const struct {
    const char *reduce, *with, *nothing;
} operations[] = {
    {"sum", " * ", "0"}, {"min", " + ", "1"}, {"max", " + ", "-1"}, {"any", " && ", "false"}};

static int count(unsigned set)
{
    int n = 0;
    for (; set; set &= set - 1) n++;
    return n;
}

static unsigned used(const Form *f, int without)
{
    unsigned all = 0;
    for (int i = 0; i < f->nfactors; i++)
        if (i != without) all |= f->uses[i];
    return all;
}

/* Gives a factor a variable that none has: one with room, else one in place of what others use, too. */
static void use(Form *f, int v)
{
    for (int i = 0; i < f->nfactors; i++) {
        int at = (v + i) % f->nfactors;
        unsigned twice = f->uses[at] & used(f, at);
        if (count(f->uses[at]) == MAX_RANK && !twice) continue;
        if (count(f->uses[at]) == MAX_RANK) f->uses[at] &= ~(twice & -twice);
        f->uses[at] |= 1u << v;
        return;
    }
}

/* Each variable is in some factor, each factor has one. */
static void choose_uses(Gen *g, Form *f)
{
    for (int i = 0; i < f->nfactors; i++) {
        int rank = 1 + choose(g, 3);
        f->uses[i] = 1u << (choose(g, 2) ? choose(g, f->nvars) : i % f->nvars);
        while (rank-- > 1) f->uses[i] |= 1u << choose(g, f->nvars);
    }
    for (int v = 0; v < f->nvars; v++)
        if (!(used(f, -1) >> v & 1)) use(f, v);
}

static void make_arrays(Gen *g, Form *f)
{
    Size s = f->op == 3         ? ty_size(BOOL)
             : ty_real(f->type) ? (Size){1, f->type == DOUBLE}
                                : ty_size(f->type);
    if (f->op == 1 || f->op == 2) s = (Size){2, 0}; /* sums that wrap have no order */
    for (int i = 0; i < f->nfactors; i++) {
        Span dom[MAX_RANK];
        bool back = choose(g, 2);
        for (int k = 0; k < VARS; k++) {
            int v = back ? VARS - 1 - k : k;
            if (!(f->uses[i] >> v & 1)) continue;
            dom[f->rank[i]] = f->range[v];
            f->order[i][f->rank[i]++] = v;
        }
        f->array[i] = *base_array(g, f->op == 3 ? BOOL : f->type, s, f->rank[i], dom);
    }
    f->key = *base_array(g, INT, (Size){2, 0}, 1, &f->range[f->nvars - 1]);
}

/* At the difference of two variables, with a border of what changes nothing. */
static void write_bordered(Gen *g, const Form *f, int i, int other)
{
    text_printf(g->out, "Constant(%s, %s)(v%d %s v%d", f->array[i].name, operations[f->op].nothing,
                f->order[i][0], choose(g, 2) ? "-" : "+", other);
    for (int k = 1; k < f->rank[i]; k++) text_printf(g->out, ", v%d", f->order[i][k]);
    text_add(g->out, ")");
}

static void write_factor(Gen *g, const Form *f, int i)
{
    int guard = choose(g, 8), v = f->order[i][0], other = choose(g, f->nvars);
    const Span *r = &f->range[v];
    if (guard == 7 && other < f->inner && other != v) {
        write_bordered(g, f, i, other);
        return;
    }
    bool keyed = guard == 6 && f->uses[i] >> (f->nvars - 1) & 1;
    if (keyed) text_printf(g->out, "(%s(v%d) == v0 ? ", f->key.name, f->nvars - 1);
    if (guard == 5) text_printf(g->out, "(v%d < %d ? ", v, r->lo + span_len(*r) / 2);
    if (guard == 4 && f->op == 0) text_add(g->out, "(1 - ");
    text_printf(g->out, "%s(", f->array[i].name);
    for (int k = 0; k < f->rank[i]; k++) text_printf(g->out, k ? ", v%d" : "v%d", f->order[i][k]);
    text_add(g->out, ")");
    if (guard == 5 || keyed) text_printf(g->out, " : %s)", operations[f->op].nothing);
    if (guard == 4 && f->op == 0) text_add(g->out, ")");
}

static void begin_sum(Gen *g, const Form *f, int from, int to)
{
    text_printf(g->out, "%s(", operations[f->op].reduce);
    for (int v = from; v < to; v++)
        text_printf(g->out, "v%d : %d..%d, ", v, f->range[v].lo, f->range[v].hi);
}

/* The factors that use one of the variables, or none of them. */
static bool write_factors(Gen *g, const Form *f, unsigned vars, bool use)
{
    bool any = false;
    for (int i = 0; i < f->nfactors; i++) {
        if (((f->uses[i] & vars) != 0) != use) continue;
        if (any) text_add(g->out, operations[f->op].with);
        write_factor(g, f, i);
        any = true;
    }
    return any;
}

static void write_sum(Gen *g, const Form *f)
{
    unsigned all = (1u << f->nvars) - 1, inside = all & ~((1u << f->inner) - 1);
    if (f->stays == f->inner) inside = all; /* in one */
    begin_sum(g, f, f->stays, inside == all ? f->nvars : f->inner);
    if (inside != all) {
        if (write_factors(g, f, inside, false)) text_add(g->out, operations[f->op].with);
        begin_sum(g, f, f->inner, f->nvars);
    }
    write_factors(g, f, inside, true);
    text_add(g->out, inside == all ? ")" : "))");
}

void stmt_network(Gen *g)
{
    static const Ty types[] = {INT, FLOAT, DOUBLE, LONG, UINT};
    static const int lengths[] = {3, 2, 1, 4, 7, 9, 16, 17};
    Form f = {.type = types[choose(g, 5)], .op = choose(g, 6)};
    if (f.op > 3) f.op = 0;
    if ((f.op == 1 || f.op == 2) && f.type == UINT) f.type = INT;
    f.nvars = 2 + choose(g, 4);
    f.nfactors = 2 + choose(g, 4);
    f.stays = choose(g, f.nvars < 4 ? f.nvars : 4);
    f.inner = choose(g, 2) ? f.stays + choose(g, f.nvars - f.stays) : f.stays;
    long all = 1;
    for (int v = 0; v < f.nvars; v++) {
        int n = lengths[choose(g, 8)];
        while (all * n > 20000 && n > 1) n /= 2;
        int lo = choose(g, 5) == 4 ? choose(g, 7) - 3 : 0;
        f.range[v] = (Span){lo, lo + n};
        all *= n;
    }
    choose_uses(g, &f);
    make_arrays(g, &f);
    covered("network");
    Ty t = f.op == 3 ? BOOL : f.type;
    Size s = f.op == 3 ? ty_size(BOOL) : ty_real(t) ? (Size){20, t == DOUBLE ? 5 : 0} : ty_size(t);
    if (!f.stays) { /* a total, as an array of one */
        Span one = {0, 1};
        Value v = *new_value(g, "n", t, s, 1, &one, true);
        text_printf(g->out, "    %s[] %s(i : 0..1) = ", ty_name(t), v.name);
        write_sum(g, &f);
        text_add(g->out, ";\n");
        show(g, &v);
        return;
    }
    Value v = *new_value(g, "n", t, s, f.stays, f.range, true);
    text_add(g->out, "    ");
    write_type(g, t, f.stays, true);
    text_printf(g->out, " %s(", v.name);
    for (int d = 0; d < f.stays; d++)
        text_printf(g->out, "%sv%d : %d..%d", d ? ", " : "", d, f.range[d].lo, f.range[d].hi);
    text_add(g->out, ") = ");
    write_sum(g, &f);
    if (f.op < 3 && choose(g, 3) == 2) text_add(g->out, " + 1");
    text_add(g->out, ";\n");
    show(g, &v);
}
