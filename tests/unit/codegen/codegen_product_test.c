/* Random reductions over one or two variables whose operands are read by some of the result's
 * variables and some of their own, against their plain evaluation: products of matrices of all
 * shapes and kinds, convolutions, distances, triangles, with what else a definition may hold, under
 * every tile. Extents are drawn, too. Values are small multiples of 1/8, so that the order of
 * operations does not matter. */
#include "../suite.h"
#include "codegen_random.h"

/* larger: what user reductions side by side are made of. */
static const char declarations[] = RECORD_PAIR USER_LAST
    "user \"larger\" : float(float, float) associative commutative identity -1000 {\n"
    "  %0 = local \"a\" : float\n"
    "  %1 = local \"b\" : float\n"
    "  %2 = apply @max (%0, %1) : float\n"
    "  params (%0, %1)\n"
    "  return %2\n"
    "}\n"
    "%0 = const 0 : int\n"
    "result %0\n";

enum { ROWS, COLS, BATCH, DEEP, WIDE, AXES, SETS = 3, ARRAYS = 3 };

/* Axes: three of the result, two of reductions. An array's dimension goes along one, or along the
 * sum of one of the result and one of a reduction, by steps of more than one or backwards, or is some elements longer
 * than its axis. */
typedef struct Axis {
    const char *name;
    bool used;
    char range[32];
    int lo, len[SETS];
} Axis;

typedef struct Dim {
    int axis, with; /* with: -1, the other axis of a sum */
    int more, by;
} Dim;

typedef struct Product {
    Random *r;
    Axis axes[AXES];
    struct {
        const char *kind; /* of elements */
        int rank;
        Dim dims[4];
    } arrays[ARRAYS];
    const char *type; /* of the sums */
    bool triangle;
    int64_t most; /* terms of all sums */
} Product;

static bool chance(Product *p, int n)
{
    return pick(p->r, n) == 0;
}

static void draw_axes(Product *p)
{
    static const char *const names[] = {"j", "k", "h", "l", "m"};
    static const int most[SETS] = {4, 9, 70};
    static const int odd[] = {8, 16, 17, 31, 33, 48, 64, 65};
    for (int a = 0; a < AXES; a++) {
        Axis *x = &p->axes[a];
        x->name = names[a];
        x->used = a == DEEP || (a == ROWS && !chance(p, 8)) || (a == COLS && !chance(p, 5)) ||
                  (a == BATCH && chance(p, 6)) || (a == WIDE && chance(p, 4));
        x->lo = chance(p, 5) ? pick(p->r, 9) - 4 : 0;
        for (int s = 0; s < SETS; s++) x->len[s] = pick(p->r, most[s]) + (s > 0);
        if (chance(p, 2)) x->len[2] = odd[pick(p->r, 8)];
        if (a == BATCH || a == WIDE) x->len[1] = 1 + pick(p->r, 3), x->len[2] = 1 + pick(p->r, 5);
    }
    if (chance(p, 4)) { /* deep or long, and narrow */
        static const int far[] = {150, 257, 600, 1100};
        int a = chance(p, 2) ? DEEP : chance(p, 2) ? ROWS : COLS;
        p->axes[a].len[2] = far[pick(p->r, 4)];
        for (int b = 0; b < AXES; b++)
            if (b != a && p->axes[b].len[2] > 9) p->axes[b].len[2] = 1 + pick(p->r, 9);
    }
    p->triangle = chance(p, 8) && p->axes[ROWS].used;
    if (p->triangle) p->axes[ROWS].lo = p->axes[DEEP].lo = 0; /* l goes from 0 to j */
}

/* Any of the result; DEEP if it is a scalar. */
static int result_axis(const Product *p)
{
    for (int a = 0; a < DEEP; a++)
        if (p->axes[a].used) return a;
    return DEEP;
}

/* Which axes an array goes along: both operands of a product have that of the reduction. */
static void draw_array(Product *p, int at)
{
    bool extra = at == ARRAYS - 1; /* read by the result's variables only */
    int axes[AXES], n = 0;
    for (int a = 0; a < AXES; a++) {
        bool own = a >= DEEP, main = a == (at == 0 ? ROWS : COLS);
        if (!p->axes[a].used || (extra && own)) continue;
        if (extra || own ? chance(p, extra ? 4 : 10) : !main && a != BATCH && !chance(p, 8))
            continue;
        if (a == BATCH && !extra && chance(p, 4)) continue;
        axes[n++] = a;
    }
    if (n == 0) axes[n++] = extra ? result_axis(p) : DEEP;
    for (int d = n - 1; d > 0; d--) { /* in any order */
        int e = pick(p->r, d + 1), t = axes[d];
        axes[d] = axes[e];
        axes[e] = t;
    }
    p->arrays[at].rank = n > 4 ? 4 : n;
    for (int d = 0; d < p->arrays[at].rank; d++) {
        Dim *x = &p->arrays[at].dims[d];
        *x = (Dim){axes[d], -1, chance(p, 10) ? 1 + pick(p->r, 3) : 0, 1};
        if (chance(p, 10)) x->by = chance(p, 3) ? -1 : 2 + pick(p->r, 3);
        if (axes[d] < DEEP && !extra && chance(p, 10)) x->with = DEEP;
    }
}

static int extent(const Product *p, int array, int d, int set)
{
    const Dim *x = &p->arrays[array].dims[d];
    int with = x->with >= 0 ? p->axes[x->with].len[set] - !p->triangle : 0;
    int len = p->axes[x->axis].len[set], n = (len - 1) * abs(x->by) + 1 + with + x->more;
    return n < 0 || !len ? 0 : n;
}

/* Where it begins. */
static int first_of(const Product *p, int array, int d, int set)
{
    const Dim *x = &p->arrays[array].dims[d];
    const Axis *a = &p->axes[x->axis];
    int lo = x->by < 0 ? 1 - a->lo - a->len[set] : x->by * a->lo;
    return lo + (x->with >= 0 ? p->axes[x->with].lo : 0);
}

/* Devices that interpret are slow: the longest axes are halved until there is not too much to do. */
static void shrink(Product *p)
{
    int64_t terms, elements;
    do {
        Axis *most = &p->axes[DEEP];
        for (int s = 0; s < SETS && p->triangle; s++) most->len[s] = p->axes[ROWS].len[s];
        terms = elements = 1;
        for (int a = 0; a < AXES; a++) {
            Axis *x = &p->axes[a];
            if (!x->used) continue;
            terms *= x->len[2];
            if (x->len[2] > most->len[2] || (p->triangle && a == ROWS)) most = x;
        }
        for (int i = 0; i < ARRAYS; i++) {
            int64_t n = 1;
            for (int d = 0; d < p->arrays[i].rank; d++) n *= extent(p, i, d, 2);
            if (n > elements) elements = n;
        }
        if (terms > p->most || elements > 40 * p->most) most->len[2] /= 2;
    } while (terms > p->most || elements > 40 * p->most);
}

/* Extents of one set as check_graph reads them. */
static char *spec_of(const Product *p, int set)
{
    Text out = {0};
    for (int i = 0; i < ARRAYS; i++) {
        text_printf(&out, "%c:%s(", 'a' + i, p->arrays[i].kind);
        for (int d = 0; d < p->arrays[i].rank; d++)
            text_printf(&out, "%s%d+%d", d ? "," : "", first_of(p, i, d, set),
                        extent(p, i, d, set));
        text_add(&out, ") ");
    }
    text_add(&out, "x:float=0.5");
    return out.data;
}

/* The range of each axis, from a dimension that is along it, or else as numbers. */
static void draw_ranges(Product *p)
{
    for (int a = 0; a < AXES; a++) {
        Axis *x = &p->axes[a];
        for (int i = 0; i < ARRAYS; i++)
            for (int d = 0; d < p->arrays[i].rank; d++) {
                const Dim *dim = &p->arrays[i].dims[d];
                if (dim->axis == a && dim->with < 0 && !dim->more && dim->by == 1 &&
                    (*x->range == 0 || chance(p, 2)))
                    snprintf(x->range, sizeof x->range, "(lo %c %d) (hi %c %d)", 'a' + i, d,
                             'a' + i, d);
            }
        if (*x->range) continue;
        snprintf(x->range, sizeof x->range, "%d 7", x->lo);
        for (int s = 0; s < SETS; s++) x->len[s] = 7 - x->lo;
    }
    if (p->triangle) snprintf(p->axes[DEEP].range, sizeof p->axes[DEEP].range, "0 (add j 1)");
}

static void read_of(Product *p, int at)
{
    Text *out = &p->r->out;
    const char *kind = p->arrays[at].kind;
    bool same = strcmp(kind, p->type) == 0;
    if (!same) text_printf(out, "(conv %s ", p->type);
    text_printf(out, "(%c", 'a' + at);
    for (int d = 0; d < p->arrays[at].rank; d++) {
        const Dim *x = &p->arrays[at].dims[d];
        char index[32];
        const char *name = p->axes[x->axis].name;
        if (x->by > 1)
            snprintf(index, sizeof index, "(mul %d %s)", x->by, name);
        else
            snprintf(index, sizeof index, x->by < 0 ? "(neg %s)" : "%s", name);
        if (x->with >= 0)
            text_printf(out, " (add %s %s)", index, p->axes[x->with].name);
        else if (x->more)
            text_printf(out, " (add %s %d)", index, pick(p->r, x->more + 1));
        else
            text_printf(out, " %s", index);
    }
    text_add(out, same ? ")" : "))");
}

static void operands(Product *p, const char *before, const char *between, const char *after)
{
    Text *out = &p->r->out;
    text_add(out, before);
    read_of(p, 0);
    text_add(out, between);
    read_of(p, 1);
    text_add(out, after);
}

static void body(Product *p)
{
    Text *out = &p->r->out;
    switch (pick(p->r, 10)) {
    case 0: operands(p, "(abs (sub ", " ", "))"); break;
    case 1: operands(p, "(add ", " ", ")"); break;
    case 2:
        text_add(out, "(mul ");
        operands(p, "(sub ", " ", ") ");
        operands(p, "(sub ", " ", "))");
        break;
    case 3: operands(p, "(max ", " ", ")"); break;
    case 4:
        text_add(out, "(select ");
        operands(p, "(lt ", " ", ") ");
        operands(p, "", " ", ")");
        break;
    case 5: read_of(p, pick(p->r, 2)); break;
    default: operands(p, "(mul ", " ", ")"); break;
    }
}

static void reduction(Product *p)
{
    Text *out = &p->r->out;
    bool real = strcmp(p->type, "float") == 0;
    const char *op = chance(p, 2) ? "sum" : ONE_OF(p->r, "sum", "least", "greatest", "by larger");
    text_printf(out, "(%s (", op[0] == 'b' && !real ? "sum" : op);
    for (int a = DEEP; a < AXES; a++)
        if (p->axes[a].used)
            text_printf(out, "(%s %s%s)", p->axes[a].name, p->axes[a].range,
                        p->triangle && a == DEEP ? " given" : "");
    text_add(out, ") ");
    body(p);
    text_add(out, ")");
}

/* The definition around reductions; d is the third array. */
static void value(Product *p)
{
    Text *out = &p->r->out;
    switch (pick(p->r, result_axis(p) < DEEP ? 6 : 3)) {
    case 0:
        text_printf(out, "(%s ", ONE_OF(p->r, "add", "sub", "max"));
        reduction(p);
        text_add(out, " ");
        reduction(p);
        text_add(out, ")");
        break;
    case 1:
        text_printf(out, "(%s (mul ", ONE_OF(p->r, "add", "sub"));
        reduction(p);
        text_printf(out, " (conv %s 2)) (conv %s x))", p->type, p->type);
        break;
    case 3:
        text_printf(out, "(%s ", ONE_OF(p->r, "add", "min", "lt"));
        reduction(p);
        text_add(out, " ");
        read_of(p, 2);
        text_add(out, ")");
        break;
    case 4: /* four side by side */
        text_add(out, "(add ");
        for (int i = 0; i < 2; i++) {
            text_printf(out, " (%s ", ONE_OF(p->r, "add", "max"));
            reduction(p);
            text_add(out, " ");
            reduction(p);
            text_add(out, ")");
        }
        text_add(out, ")");
        break;
    default: reduction(p); break;
    }
}

static void graph(Product *p)
{
    static const char *const kinds[] = {"float", "float", "float", "int", "double", "long"};
    p->type = kinds[pick(p->r, 6)];
    draw_axes(p);
    for (int i = 0; i < ARRAYS; i++) {
        draw_array(p, i);
        bool other = chance(p, 8);
        p->arrays[i].kind = !other                           ? p->type
                            : strcmp(p->type, "float") == 0  ? ONE_OF(p->r, "int", "half", "byte")
                            : strcmp(p->type, "double") == 0 ? "float"
                                                             : "short";
    }
    shrink(p);
    draw_ranges(p);
    int n = 0;
    for (int a = 0; a < DEEP; a++) {
        if (!p->axes[a].used) continue;
        text_printf(&p->r->out, "%s(%s %s)", n++ ? " " : "(let (", p->axes[a].name,
                    p->axes[a].range);
    }
    if (n) text_add(&p->r->out, ") ");
    value(p);
    if (n) text_add(&p->r->out, ")");
}

START_TEST(random_products)
{
    RandomSeeds seeds = random_seeds(4);
    for (int seed = seeds.first; seed < seeds.end; seed++) {
        Random r = random_begin(seed);
        Product p = {.r = &r, .most = seed % 4 ? 1200 : 8000}; /* drawn blocks are small */
        char *specs[SETS + 1] = {0};
        graph(&p);
        for (int s = 0; s < SETS; s++) specs[s] = spec_of(&p, s);
        unsigned which = seed % 3 == 0 ? EVERY : seed % 3 == 1 ? BOTH : ON_CPU | AUTO | P4 | EXACT;
        random_check(&seeds, seed, &r, declarations, which, (const char *const *)specs);
        for (int s = 0; s < SETS; s++) mem_free(specs[s]);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("codegen, products");
    TCase *t = tcase_create("random");
    tcase_set_timeout(t, 240);
    tcase_add_test(t, random_products);
    suite_add_tcase(s, t);
    return run_suite_here(s);
}
