/* Random reductions by key, against their plain evaluation: one or two keys, rows, guards in any
 * spelling, several results, operands in and out of the tables. Sizes are such that most take one
 * pass. CODEGEN_RANDOM=n and CODEGEN_SEED=first as for other random graphs. */
#include "../suite.h"
#include "codegen_random.h"

static const char declarations[] = RECORD_PAIR USER_LAST "%0 = const 0 : int\n"
                                                         "result %0\n";

/* An equality that gives key k or j. */
static void equality(Random *r, const char *key)
{
    const char *value =
        ONE_OF(r, "(w v)", "(add (w v) 3)", "(rem v 50)", "(div v 40)", "(sub 9 (w v))");
    switch (pick(r, 6)) {
    case 0: text_printf(&r->out, "(eq %s %s)", key, value); break;
    case 1: text_printf(&r->out, "(eq %s (add %s 2))", value, key); break;
    case 2: text_printf(&r->out, "(lnot (ne %s %s))", value, key); break;
    case 3: text_printf(&r->out, "(eq (conv long %s) (g v))", key); break;
    case 4: text_printf(&r->out, "(eq (sub 1 %s) (conv int (g v)))", key); break;
    default: text_printf(&r->out, "(eq %s %s)", value, key); break;
    }
}

static void guard(Random *r, bool two)
{
    const char *cond = ONE_OF(r, "(lt (a v) 2.0f)", "(ne (rem v 3) 1)", "(le m v)",
                              "(ne (div 100 (add (rem v 5) 1)) 20)");
    int more = pick(r, 4);
    if (r->around && pick(r, 2)) cond = "(ne r (rem v 3))";
    if (more == 0) text_printf(&r->out, "(land %s ", cond);
    if (more == 1) text_add(&r->out, "(land ");
    if (two) text_add(&r->out, "(land ");
    equality(r, "k");
    if (two) {
        text_add(&r->out, " ");
        equality(r, "j");
        text_add(&r->out, ")");
    }
    if (more == 1) text_printf(&r->out, " %s", cond);
    if (more < 2) text_add(&r->out, ")");
}

enum Kind { REAL, WHOLE, TRUTH, PAIR };

static void reduction(Random *r, enum Kind kind, bool two, const char *over)
{
    static const char *const ops[] = {"sum", "sum", "any", "by last"};
    const char *value =
        kind == REAL    ? ONE_OF(r, "(a v)", "1.0f", "(mul (a v) 2.0f)")
        : kind == WHOLE ? ONE_OF(r, "1", "v", "(w v)", "(add k v)", "(select (lt (a v) 1.0f) 3 0)")
                        : ONE_OF(r, "(make Pair (a v) v)", "(make Pair 1.0f (w v))");
    bool all = kind == TRUTH && pick(r, 2), other = pick(r, 3) == 0;
    text_printf(&r->out, "(%s (%s) ", all ? "all" : ops[kind], over);
    if (kind == TRUTH) {
        if (all) text_add(&r->out, "(lor (lnot ");
        guard(r, two);
        if (all) text_printf(&r->out, ") %s)", ONE_OF(r, "(lt (a v) 1.0f)", "false"));
    } else {
        const char *none = kind == REAL ? "0.0f" : kind == WHOLE ? "0" : "(make Pair 0.0f 0)";
        bool times = kind == WHOLE && pick(r, 4) == 0;
        if (times) text_add(&r->out, "(mul (w v) ");
        text_add(&r->out, other ? "(select (lnot " : "(select ");
        guard(r, two);
        text_printf(&r->out, other ? ") %s %s)" : " %s %s)", other ? none : value,
                    other ? value : none);
        if (times) text_add(&r->out, ")");
    }
    text_add(&r->out, ")");
}

static void graph(Random *r)
{
    bool two = pick(r, 4) == 0;
    r->around = pick(r, 4) == 0;
    enum Kind kind = (enum Kind)pick(r, 4);
    const char *over = ONE_OF(r, "(v (lo w 0) (hi w 0))", "(v 0 (hi w 0))", "(v (lo w 0) (hi w 0))",
                              "(u 0 3) (v (lo w 0) (hi w 0))");
    text_add(&r->out, "(let (");
    if (r->around) text_add(&r->out, "(r 0 3) ");
    text_printf(&r->out, "(k %s)", ONE_OF(r, "0 60", "-7 45", "0 m", "3 1000", "0 8"));
    if (two) text_printf(&r->out, " (j %s)", ONE_OF(r, "0 9", "-2 30"));
    text_add(&r->out, ") ");
    bool sum = kind < TRUTH && pick(r, 2);
    if (sum) text_printf(&r->out, "(%s ", ONE_OF(r, "add", "sub", "max"));
    reduction(r, kind, two, over);
    if (sum) text_add(&r->out, " ");
    if (sum) reduction(r, kind, two, over);
    text_add(&r->out, sum ? "))" : ")");
}

START_TEST(random_graphs)
{
    RandomSeeds seeds = random_seeds(8);
    for (int seed = seeds.first; seed < seeds.end; seed++) {
        Random r = random_begin(seed);
        graph(&r);
        const char *const specs[] = {seed % 4
                                         ? "a:float(233) w:int(233)%60 g:long(233)%70 m:int=40"
                                         : "a:float(1203) w:int(1203)%60 g:long(1203)%70 m:int=40",
                                     "a:float(17) w:int(17)%9 g:long(17)%9 m:int=2000",
                                     "a:float(0) w:int(0) g:long(0) m:int=0", NULL};
        random_check(&seeds, seed, &r, declarations, BOTH, specs);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("codegen, keys");
    TCase *t = tcase_create("random");
    tcase_set_timeout(t, 240);
    tcase_add_test(t, random_graphs);
    suite_add_tcase(s, t);
    return run_suite_here(s);
}
