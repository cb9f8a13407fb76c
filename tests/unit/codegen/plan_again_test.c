/* Plans that are bound again, to other numbers. */
#include <check.h>
#include <string.h>

#include "../../../base/mem.h"
#include "../../../codegen/kernel/codegen.h"
#include "../suite.h"

static const CgDevice device = {.family = CG_CPU, .units = 2, .vector_bytes = 32, .max_group = 64};

/* Does the schedule launch what `now` does, in memory that is there? */
static bool can_follow(const CgSchedule *s, const CgSchedule *now)
{
    bool can = s->variant == now->variant && s->nlaunches == now->nlaunches && now->out_bytes;
    for (int i = 0; can && i < s->nlaunches; i++)
        can = strcmp(s->launches[i].kernel, now->launches[i].kernel) == 0;
    for (int i = 0; can && i < s->ntemps; i++) can = s->temp_bytes[i] >= now->temp_bytes[i];
    return can;
}

static void assert_launches(const CgSchedule *s, const CgSchedule *now)
{
    ck_assert_uint_eq(s->out_bytes, now->out_bytes);
    ck_assert_uint_eq(s->outs[0], now->outs[0]);
    for (int i = 0; i < s->nlaunches; i++) {
        const CgLaunch *l = &s->launches[i], *m = &now->launches[i];
        ck_assert_uint_eq(l->global[0], m->global[0]);
        ck_assert_int_eq(l->quiet, m->quiet);
        for (int k = 0; k < l->nargs; k++)
            ck_assert_mem_eq(l->args[k].bytes, m->args[k].bytes, sizeof m->args[k].bytes);
    }
}

/* What is bound again is as if it were bound for the first time, or stays as it was. */
static void bind_often(const char *text)
{
    const char *error = NULL;
    CgPlan *p = cg_plan_parse(text, &error);
    ck_assert_msg(p != NULL, "%s", error);
    FdBox boxes[2] = {{.rank = 1}, {.rank = 0}};
    ScalarValue scalars[2] = {{0}, {.i = 1}};
    boxes[0].dim[0].hi = 5;
    CgBinding b = {boxes, scalars, false};
    CgSchedule s;
    Arena *arena = arena_new();
    ck_assert(cg_plan_bind(p, &b, &device, arena, &s));
    CgAgain *again = cg_plan_again(p, &b, &device, &s, arena);
    unsigned seed = 1;
    int followed = 0, others = 0;
    for (int i = 0; i < 3000; i++) {
        seed = seed * 1103515245 + 12345;
        if (seed >> 16 & 1) boxes[0].dim[0].hi = boxes[0].dim[0].lo + (seed >> 17) % 80;
        if (seed >> 24 & 1) scalars[1].i = (seed >> 25) % 14;
        if (i % 50 == 49) boxes[0].dim[0].lo++, boxes[0].dim[0].hi++;
        Arena *room = arena_new();
        CgSchedule now;
        ck_assert(cg_plan_bind(p, &b, &device, room, &now));
        bool can = can_follow(&s, &now);
        ck_assert_int_eq(cg_plan_bind_again(again, &s), can);
        if (can) assert_launches(&s, &now);
        followed += can;
        others += !can;
        if (!can && i % 7 == 0) {
            ck_assert(cg_plan_bind(p, &b, &device, arena, &s));
            again = cg_plan_again(p, &b, &device, &s, arena);
        }
        arena_free(room);
    }
    ck_assert_int_gt(followed, 100);
    ck_assert_int_gt(others, 100);
    arena_free(arena);
    cg_plan_free(p);
}

START_TEST(plan_again)
{
    static const char text[] =
        "/* C$ plan\n * slots 2\n * slot 0 array float 1\n * slot 1 int\n"
        " * flag CS_WIDE = s0.n0 > 60\n * out bytes s0.n0 * 4\n * temp 0 bytes s1 * 8\n"
        " * define V = max(vector_bytes / 4, 2)\n * let n = max(s0.n0, 0)\n"
        " * let many = n >= V && s1 > 3\n"
        " * run few when !many quiet n > 2 global n local 1 args idx n, idx s1, out\n"
        " * loop k = 0 to n step 16 when many\n"
        " * run some global min(16, n - k) local 1 args idx k, idx s1 * k, temp 0, out\n"
        " * end\n * run rest when s1 > 9 global n % 3 local 1 args idx s1, idx s0.lo0, value 1\n"
        " */\n";
    bind_often(text);
}
END_TEST

/* Its launches hang on values alone: a loop that is not entered is no way round. */
START_TEST(plan_again_straight)
{
    static const char text[] =
        "/* C$ plan\n * slots 2\n * slot 0 array float 1\n * slot 1 int\n"
        " * flag CS_WIDE = s0.n0 > 60\n * out bytes s0.n0 * 4\n * temp 0 bytes s1 * 8\n"
        " * define V = max(vector_bytes / 4, 2)\n * let n = max(s0.n0, 0)\n"
        " * let m = n\n * let many = m >= V && (s1 > 3 || s0.lo0 > 20)\n"
        " * run few when !many quiet n > 2 global n local 1 args idx n, idx s1, out\n"
        " * loop k = 0 to n step 16 when s1 > 12\n"
        " * run some global min(16, n - k) local 1 args idx k, idx s1 * k, temp 0, out\n"
        " * end\n * run rest when s1 > 9 || many global n % 3 local (s1 > 5 ? n - 20 : s1) "
        "args idx s1, idx s0.lo0, value 1\n */\n";
    bind_often(text);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("plans again");
    TCase *t = tcase_create("again");
    tcase_add_test(t, plan_again);
    tcase_add_test(t, plan_again_straight);
    suite_add_tcase(s, t);
    return run_suite(s);
}
