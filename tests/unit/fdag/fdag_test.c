/* Graphs: hash-consing, operations at their edges, substitution, domains with infinities, the
 * reader's messages, deep graphs. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../suite.h"
#include "fdag_graph.h"

static const FdLoc nowhere = {0, 0};

/* ---- nodes ------------------------------------------------------------------------------ */

START_TEST(equal_structure_is_one_node)
{
    Fd *fd = fd_new();
    const FdNode *args[2] = {fd_int(fd, 1), fd_int(fd, 2)};
    const FdNode *sum = fd_apply_op(fd, FD_OP_ADD, SC_INT, 2, args, (FdLoc){3, 4});
    ck_assert_ptr_eq(sum, fd_apply_op(fd, FD_OP_ADD, SC_INT, 2, args, (FdLoc){9, 9}));
    ck_assert_int_eq(sum->loc.line, 3); /* the first stays */
    ck_assert_ptr_ne(fd_int(fd, 1), fd_long(fd, 1));
    ck_assert_ptr_ne(fd_const(fd, SC_FLOAT, (ScalarValue){.f = 0.0}),
                     fd_const(fd, SC_FLOAT, (ScalarValue){.f = -0.0}));
    ck_assert_ptr_eq(fd_const(fd, SC_FLOAT, (ScalarValue){.f = (double)NAN}),
                     fd_const(fd, SC_FLOAT, (ScalarValue){.f = -(double)NAN}));
    const FdType *t = fd_type_scalar(fd, SC_INT);
    ck_assert_ptr_ne(fd_var(fd, t, "i"), fd_var(fd, t, "i"));
    ck_assert_ptr_eq(fd_type_array(fd, SC_INT, 2), fd_type_read(fd, "int(int, int)"));
    ck_assert_int_gt(sum->id, args[0]->id);
    fd_free(fd);
}
END_TEST

START_TEST(types_read_and_print)
{
    static const char *const good[] = {"float", "float(int)(float)", "bool(float(int, int), long)"};
    static const char *const bad[] = {"",          "flaot", "float(", "float()",
                                      "float(int", "int)",  "int x"};
    Fd *fd = fd_new();
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const FdType *t = fd_type_read(fd, good[i]);
        Text text = {0};
        ck_assert_ptr_nonnull(t);
        fd_type_print(&text, t);
        ck_assert_str_eq(text.data, good[i]);
        text_free(&text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!fd_type_read(fd, bad[i]), "%s", bad[i]);
    const FdType *curried = fd_type_read(fd, "float(int)(float)");
    ck_assert_ptr_eq(curried->result, fd_type_read(fd, "float(int)"));
    fd_free(fd);
}
END_TEST

/* ---- operations ------------------------------------------------------------------------- */

static int64_t eval2(FdOp op, ScalarKind k, int64_t a, int64_t b)
{
    ScalarValue args[2] = {{.i = a}, {.i = b}}, out;
    ck_assert_int_eq(fd_op_eval(op, k, k, args, &out), FD_EVAL_OK);
    return out.i;
}

START_TEST(integers_are_defined_everywhere)
{
    ck_assert_int_eq(eval2(FD_OP_ADD, SC_INT, INT32_MAX, 1), INT32_MIN);
    ck_assert_int_eq(eval2(FD_OP_MUL, SC_LONG, INT64_MAX, 2), -2);
    ck_assert_int_eq(eval2(FD_OP_DIV, SC_INT, INT32_MIN, -1), INT32_MIN);
    ck_assert_int_eq(eval2(FD_OP_DIV, SC_LONG, INT64_MIN, -1), INT64_MIN);
    ck_assert_int_eq(eval2(FD_OP_REM, SC_LONG, INT64_MIN, -1), 0);
    ck_assert_int_eq(eval2(FD_OP_DIV, SC_INT, -7, 2), -3);
    ck_assert_int_eq(eval2(FD_OP_REM, SC_INT, -7, 2), -1);
    ck_assert_uint_eq((uint64_t)eval2(FD_OP_DIV, SC_ULONG, -1, 2), UINT64_MAX / 2);
    ck_assert_int_eq(eval2(FD_OP_SHL, SC_INT, 1, 33), 2);
    ck_assert_int_eq(eval2(FD_OP_SHL, SC_INT, 1, 31), INT32_MIN);
    ck_assert_int_eq(eval2(FD_OP_SHR, SC_INT, -8, 1), -4);
    ck_assert_int_eq(eval2(FD_OP_SHR, SC_UINT, 0xFFFFFFF8, 1), 0x7FFFFFFC);
    ck_assert_int_eq(eval2(FD_OP_SHR, SC_LONG, -8, 65), -4);
    ck_assert_int_eq(eval2(FD_OP_ABS, SC_INT, INT32_MIN, 0), INT32_MIN);
    ck_assert_int_eq(eval2(FD_OP_NEG, SC_BYTE, 1, 0), 255);
    ck_assert_int_eq(eval2(FD_OP_BITNOT, SC_BOOL, 1, 0), 0);
    ck_assert_int_eq(eval2(FD_OP_MAX, SC_ULONG, -1, 1), -1);
    ck_assert_int_eq(eval2(FD_OP_LT, SC_ULONG, 1, -1), 1);
    ScalarValue args[2] = {{.i = 1}, {.i = 0}}, out;
    ck_assert_int_eq(fd_op_eval(FD_OP_DIV, SC_INT, SC_INT, args, &out), FD_EVAL_DIVIDE_BY_ZERO);
    ck_assert_int_eq(fd_op_eval(FD_OP_REM, SC_ULONG, SC_INT, args, &out), FD_EVAL_DIVIDE_BY_ZERO);
}
END_TEST

START_TEST(reals_round_once)
{
    ScalarValue args[2] = {{.f = 16777216}, {.f = 1}}, out;
    fd_op_eval(FD_OP_ADD, SC_FLOAT, SC_FLOAT, args, &out);
    ck_assert_double_eq(out.f, 16777216);
    args[0].f = (double)NAN;
    fd_op_eval(FD_OP_MIN, SC_FLOAT, SC_FLOAT, args, &out);
    ck_assert_double_eq(out.f, 1);
    fd_op_eval(FD_OP_EQ, SC_FLOAT, SC_BOOL, args, &out);
    ck_assert_int_eq(out.i, 0);
    args[0].f = 2.5;
    fd_op_eval(FD_OP_ROUND, SC_DOUBLE, SC_DOUBLE, args, &out);
    ck_assert_double_eq(out.f, 2);
    ck_assert(fd_op_identity(FD_OP_MUL, SC_FLOAT, &out) && out.f == 1);
    ck_assert(fd_op_identity(FD_OP_LAND, SC_BOOL, &out) && out.i == 1);
    ck_assert(!fd_op_identity(FD_OP_MIN, SC_INT, &out));
}
END_TEST

START_TEST(random_is_philox)
{
    /* Known answers of Philox4x32-10: counter 0, key 0 gives 6627e8d5 first. */
    ck_assert_float_eq(fd_random_uniform(0, 0), (float)(0x6627e8d5u >> 8) * 0x1p-24f);
    double sum = 0;
    for (int64_t i = 0; i < 10000; i++) {
        float x = fd_random_uniform(-5, i);
        if (!(x >= 0 && x < 1)) ck_abort_msg("%g", (double)x);
        sum += (double)x;
    }
    ck_assert_double_eq_tol(sum / 10000, 0.5, 0.02);
    ck_assert_float_ne(fd_random_uniform(1, 0), fd_random_uniform(2, 0));
}
END_TEST

/* ---- substitution ----------------------------------------------------------------------- */

START_TEST(substitution_between_graphs)
{
    Fd *program = fd_new(), *fd = fd_new();
    FdGraph *g = read_graph(program, matmul);
    FdError error;
    ck_assert(fd_run_passes(program, g, fd_front_passes, &error, NULL, NULL));
    const FdType *t = fd_type_array(fd, SC_FLOAT, 2);
    const FdNode *leaves[3] = {fd_slot(fd, 0, t, "x"), fd_slot(fd, 1, t, "y"),
                               fd_slot(fd, 2, t, "z")};
    const FdNode *first = fd_substitute(fd, fd_root(g), leaves, 2);
    const FdNode *values[2] = {first, leaves[2]};
    FdSlot slots[3] = {{.type = t, .is_array = true, .name = "x"},
                       {.type = t, .is_array = true, .name = "y"},
                       {.type = t, .is_array = true, .name = "z"}};
    FdGraph both = {.nslots = 3, .slots = slots};
    fd_set_root(fd, &both, fd_substitute(fd, fd_root(g), values, 2));
    ck_assert_ptr_null(fd_verify(fd, &both));
    /* The same graph composed within one Fd, many times over itself, stays well formed. */
    const FdNode *chain = first;
    for (int i = 0; i < 20; i++) {
        const FdNode *again[2] = {chain, leaves[2]};
        chain = fd_substitute(fd, fd_substitute(fd, first, leaves, 2), again, 2);
    }
    fd_set_root(fd, &both, chain);
    ck_assert_ptr_null(fd_verify(fd, &both));
    ck_assert(fd_run_passes(fd, &both, fd_back_passes, &error, NULL, NULL));
    ck_assert_int_gt(both.nslots, 20); /* each product is a temporary */
    ck_assert_ptr_eq(fd_substitute(fd, first, NULL, 0), first);
    fd_free(program);
    fd_free(fd);
}
END_TEST

START_TEST(functions_as_arguments_compose)
{
    /* twice = let(f) let(i) f(f(i)); twice(let(p) a(p) + 1)(j) */
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, "%0 = slot 0 \"a\" : array int(int)\n"
                                "%1 = var \"f\" : int(int)\n%2 = var \"i\" : int\n"
                                "%3 = apply %1 (%2) : int\n%4 = apply %1 (%3) : int\n"
                                "%5 = let (%2 : full) %4 : int(int)\n"
                                "%6 = let (%1 : full) %5 : int(int)(int(int))\n"
                                "%7 = var \"p\" : int\n%8 = apply %0 (%7) : int\n"
                                "%9 = const 1 : int\n%10 = apply @add (%8, %9) : int\n"
                                "%11 = let (%7 : full) %10 : int(int)\n"
                                "%12 = apply %6 (%11) : int(int)\n%13 = var \"j\" : int\n"
                                "%14 = apply %12 (%13) : int\n"
                                "%15 = let (%13 : full) %14 : int(int)\nresult %15\n");
    FdError error;
    Text t = {0};
    ck_assert(fd_run_passes(fd, g, fd_back_passes, &error, NULL, NULL));
    fd_print_expr(&t, fd_root(g));
    ck_assert_str_eq(t.data, "(j) => a(given(a(given(j)) + 1)) + 1");
    text_free(&t);
    fd_free(fd);
}
END_TEST

/* ---- text ------------------------------------------------------------------------------- */

START_TEST(user_functions_read_back)
{
    static const char text[] = "user \"host\" : float(float)\n"
                               "user \"collatz\" : int(int) {\n"
                               "  %0 = local \"n\" : int\n"
                               "  %1 = local \"steps\" : int\n"
                               "  %2 = const 0 : int\n"
                               "  %3 = const 1 : int\n"
                               "  %4 = apply @eq (%0, %3) : bool\n"
                               "  %5 = const 2 : int\n"
                               "  %6 = apply @div (%0, %5) : int\n"
                               "  %7 = apply @add (%1, %3) : int\n"
                               "  params (%0)\n"
                               "  set %1 = %2 @1:2\n"
                               "  loop {\n"
                               "    if %4 @3:4 {\n"
                               "      break\n"
                               "    } else {\n"
                               "      set %0 = %6\n"
                               "    }\n"
                               "  } step {\n"
                               "    set %1 = %7\n"
                               "  }\n"
                               "  return %1\n"
                               "}\n"
                               "%0 = user \"collatz\" : int(int)\n"
                               "%1 = const 27 : int\n"
                               "%2 = apply %0 (%1) : int @9:9\n"
                               "%3 = apply @convert (%2) : float\n"
                               "%4 = user \"host\" : float(float)\n"
                               "%5 = apply %4 (%3) : float\n"
                               "result %5\n";
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, text);
    Text t = {0}, dot = {0};
    fd_print(&t, g);
    ck_assert_ptr_nonnull(
        strstr(t.data, "  loop {\n    if %4 @3:4 {\n      break\n    } else {\n"));
    ck_assert_ptr_nonnull(strstr(t.data, "  } step {\n    set %1 = %7\n  }\n  return %1\n}\n"));
    FdKey k = fd_key(fd, g, NULL);
    ck_assert(same_key(k, key_of(t.data)));
    fd_print_dot(&dot, g);
    ck_assert_ptr_nonnull(strstr(dot.data, "digraph"));
    text_free(&t);
    text_free(&dot);
    fd_free(fd);
}
END_TEST

START_TEST(bad_text_is_explained)
{
    static const struct {
        const char *text, *why;
    } rows[] = {
        {"", "line 1: there is no result"},
        {"result %0\n", "line 1: %0 is not defined before"},
        {"%0 = const 1 : int\n%0 = const 2 : int\nresult %0\n", "line 2: %0 is defined twice"},
        {"%0 = const 300 : byte\nresult %0\n", "line 1: '300' is not a constant of type byte"},
        {"%0 = const x : int\nresult %0\n", "line 1: 'x' is not a constant of type int"},
        {"%0 = cosnt 1 : int\n", "line 1: expected a kind of node"},
        {"%0 = const 1 : int\n%1 = apply @mull (%0, %0) : int\n",
         "line 2: there is no operation @mull"},
        {"%0 = const 1 : int\n%1 = apply @sin (%0) : int\n",
         "line 2: @sin: operands must be reals"},
        {"%0 = const 1 : int\n%1 = apply %0 (%0) : int\n", "line 2: a scalar cannot be applied"},
        {"%0 = const 1 : int\n%1 = apply @add (%0, %0) : float\n",
         "line 2: the node's type is not the result's"},
        {"%0 = var \"i\" : int\nresult %0\n", "line 2: a variable is free in a result: i"},
        {"%0 = slot 1 \"x\" : int\nresult %0\n", "line 2: slot 0 is missing"},
        {"%0 = slot 99999999 \"x\" : int\n", "line 1: the number is too large"},
        {"%0 = slot 0 \"x : int\n", "line 1: the string has no end"},
        {"%0 = const 1 : int @3\nresult %0\n", "line 1: a position is @line:col"},
        {"%0 = const 1 : int garbage\n", "line 1: unexpected text at the end of the line"},
        {"user \"f\" : int(int) {\n", "line 2: a user function has no end"},
        {"user \"f\" : int(int) {\n%0 = local \"x\" : int\nparams (%0)\nbreak\n}\n",
         "line 5: user function \"f\": break or continue outside a loop"},
        {"%0 = var \"i\" : int\n%1 = const 1 : int\n%2 = reduce @sub (%0 : open) %1 : int\n",
         "line 3: the operation is not a reduction"},
        {"%0 = var \"i\" : int\n%1 = const 1 : int\n%2 = reduce @add (%0 : full) %1 : int\n",
         "line 3: a reduction's range must be finite"},
        {"%0 = var \"i\" : int\n%1 = let (%0 : given %0..%0) %0 : int(int)\n",
         "line 2: a range may use only outer and earlier variables"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        Fd *fd = fd_new();
        const char *why = NULL;
        ck_assert_ptr_null(fd_read(fd, rows[i].text, &why));
        ck_assert_str_eq(why, rows[i].why);
        fd_free(fd);
    }
}
END_TEST

static bool is_counted(const void *ctx, const FdNode *n)
{
    int *count = *(int *const *)ctx;
    (void)n;
    ++*count;
    return false;
}

static bool is_same(const void *ctx, const FdNode *n)
{
    return n == ctx;
}

/* Each child is there, what is bound first; fd_any asks each node once, however it is shared. */
START_TEST(children_are_all)
{
    Fd *fd = fd_new();
    const FdType *t = fd_type_scalar(fd, SC_INT), *params[] = {t, t};
    const FdNode *i = fd_var(fd, t, "i"), *x = fd_slot(fd, 0, t, "x"), *n = fd_slot(fd, 1, t, "n");
    const FdNode *add = fd_op(fd, FD_OP_ADD, fd_type_func(fd, t, 2, params)), *zero = fd_int(fd, 0);
    FdDom dom = {FD_DOM_GIVEN, zero, n};
    const FdNode *args[] = {x, i}, *body = fd_apply(fd, add, 2, args, nowhere);
    const FdNode *fold = fd_fold(fd, add, x, 1, &i, &dom, body, nowhere);
    const FdNode *children[FD_MAX_CHILDREN];
    const FdNode *expected[] = {i, zero, n, add, x, body};
    ck_assert_int_eq(fd_children(fold, children), 6);
    for (int k = 0; k < 6; k++) ck_assert_ptr_eq(children[k], expected[k]);
    ck_assert_int_eq(fd_nbound(fold), 1);
    ck_assert_ptr_eq(fd_bound_var(fold, 0), i);
    ck_assert_int_eq(fd_children(body, children), 3);
    ck_assert_int_eq(fd_children(x, children), 0);

    int count = 0, *counter = &count;
    ck_assert(!fd_any(fold, is_counted, &counter));
    ck_assert_int_eq(count, 7);
    const FdNode *sum = x;
    for (int k = 0; k < 60; k++) { /* 2^60 paths */
        const FdNode *both[] = {sum, sum};
        sum = fd_apply(fd, add, 2, both, nowhere);
    }
    count = 0;
    ck_assert(!fd_any(sum, is_counted, &counter));
    ck_assert_int_eq(count, 62);
    ck_assert(fd_any(sum, is_same, x));
    ck_assert(!fd_any(sum, is_same, i));
    fd_free(fd);
}
END_TEST

START_TEST(deep_graphs_do_not_overflow)
{
    enum { DEPTH = 200000 };
    Fd *fd = fd_new();
    const FdNode *n = fd_slot(fd, 0, fd_type_scalar(fd, SC_INT), "x");
    FdSlot slot = {.type = n->type, .name = "x"};
    for (int i = 0; i < DEPTH; i++) {
        const FdNode *args[2] = {n, fd_int(fd, 2 + i % 2)};
        n = fd_apply_op(fd, FD_OP_MUL, SC_INT, 2, args, nowhere);
    }
    FdGraph g = {.nslots = 1, .slots = &slot};
    fd_set_root(fd, &g, n);
    FdError error;
    Text t = {0};
    ck_assert_ptr_null(fd_verify(fd, &g));
    FdKey k = fd_key(fd, &g, NULL);
    ck_assert(fd_run_passes(fd, &g, fd_back_passes, &error, NULL, NULL));
    fd_print(&t, &g);
    Fd *other = fd_new();
    FdGraph *read = read_graph(other, t.data);
    ck_assert(same_key(k, fd_key(other, read, NULL)));
    text_free(&t);
    fd_print_expr(&t, fd_root(&g));
    ck_assert_uint_lt(t.len, 1000);
    text_free(&t);
    fd_free(other);
    fd_free(fd);
}
END_TEST

/* ---- passes ----------------------------------------------------------------------------- */

/* A long chain of stencils stays linear: some links are stored. */
START_TEST(chains_stay_linear)
{
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, neighbours);
    FdError error;
    ck_assert(fd_run_passes(fd, g, fd_front_passes, &error, NULL, NULL));
    const FdNode *step = fd_root(g), *u = step;
    for (int i = 0; i < 100; i++) u = fd_substitute(fd, step, &u, 1);
    fd_set_root(fd, g, u);
    ck_assert_ptr_null(fd_verify(fd, g));
    uint32_t before = fd_int(fd, 123456)->id;
    ck_assert(fd_run_passes(fd, g, fd_back_passes, &error, NULL, NULL));
    ck_assert_int_gt(g->nslots, 20);
    ck_assert_uint_lt(fd_int(fd, 123457)->id - before, 100000);
    fd_free(fd);
}
END_TEST

START_TEST(dumps_follow_a_pass)
{
    Fd *fd = fd_new();
    FdGraph *g = read_graph(fd, matmul);
    FdError error;
    Text t = {0};
    ck_assert(fd_run_passes(fd, g, fd_front_passes, &error, "domains", &t));
    ck_assert_ptr_nonnull(strstr(t.data, "infer"));
    ck_assert_ptr_nonnull(strstr(t.data, "agree %"));
    ck_assert_ptr_null(fd_pass_find("nonsense"));
    text_free(&t);
    fd_print_expr(&t, fd_root(g));
    ck_assert_str_eq(t.data, "(j, k) => + (a(j, l) * b(l, k))");
    text_free(&t);
    fd_free(fd);
}
END_TEST

/* ---- records ---------------------------------------------------------------------------- */

START_TEST(records_are_planes_of_leaves)
{
    Fd *fd = fd_new();
    const char *names[3] = {"a", "b", "c"};
    const FdType *f = fd_type_scalar(fd, SC_FLOAT), *b = fd_type_scalar(fd, SC_BOOL);
    const FdType *inner[2] = {f, b}, *pair = fd_type_record(fd, "pair", 2, inner, names);
    const FdType *outer[3] = {fd_type_scalar(fd, SC_DOUBLE), pair, f};
    const FdType *t = fd_type_record(fd, "outer", 3, outer, names);
    ck_assert_ptr_eq(t, fd_type_record(fd, "outer", 3, outer, names));
    ck_assert_ptr_null(fd_type_record(fd, "outer", 2, outer, names));
    ck_assert_ptr_eq(t, fd_type_find(fd, "outer"));
    ck_assert_int_eq(fd_type_leaves(t), 4);
    ck_assert_int_eq(fd_type_leaf(t, 0), SC_DOUBLE);
    ck_assert_int_eq(fd_type_leaf(t, 2), SC_BOOL);
    ck_assert_int_eq(fd_type_leaf(t, 3), SC_FLOAT);
    ck_assert_int_eq(fd_plane_offset(t, 0, 10), 0);
    ck_assert_int_eq(fd_plane_offset(t, 1, 10), 128);
    ck_assert_int_eq(fd_plane_offset(t, 2, 10), 192);
    ck_assert_int_eq(fd_plane_offset(t, 3, 10), 256);
    ck_assert_int_eq(fd_plane_offset(t, 4, 10), 296);
    ck_assert_int_eq(fd_plane_offset(f, 1, 10), 40);
    ck_assert_int_eq(fd_plane_offset(t, 4, INT64_MAX / 8), -1);
    ck_assert_ptr_eq(fd_type_read(fd, "outer(pair, int)(float)")->result->result, t);
    ck_assert_ptr_null(fd_type_read(fd, "nobody(int)"));
    fd_free(fd);
}
END_TEST

START_TEST(fields_of_what_was_made)
{
    Fd *fd = fd_new();
    const char *names[FD_MAX_FIELDS];
    const FdType *types[FD_MAX_FIELDS];
    const FdNode *fields[FD_MAX_FIELDS];
    for (int i = 0; i < FD_MAX_FIELDS; i++) {
        names[i] = "x";
        types[i] = fd_type_scalar(fd, SC_INT);
        fields[i] = fd_int(fd, i);
    }
    const FdType *t = fd_type_record(fd, "wide", FD_MAX_FIELDS, types, names);
    const FdNode *made = fd_make(fd, t, fields, nowhere);
    ck_assert_ptr_eq(fd_field(fd, made, 9, nowhere), fields[9]);
    FdGraph g = {0};
    fd_set_root(fd, &g, made);
    ck_assert_ptr_null(fd_verify(fd, &g));
    Text text = {0};
    fd_print(&text, &g);
    ck_assert(same_key(key_of(text.data), fd_key(fd, &g, NULL)));
    text_free(&text);
    fd_free(fd);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("fdag");
    TCase *c = tcase_create("fdag");
    tcase_set_timeout(c, 60);
    tcase_add_test(c, equal_structure_is_one_node);
    tcase_add_test(c, types_read_and_print);
    tcase_add_test(c, integers_are_defined_everywhere);
    tcase_add_test(c, reals_round_once);
    tcase_add_test(c, random_is_philox);
    tcase_add_test(c, substitution_between_graphs);
    tcase_add_test(c, functions_as_arguments_compose);
    tcase_add_test(c, user_functions_read_back);
    tcase_add_test(c, bad_text_is_explained);
    tcase_add_test(c, children_are_all);
    tcase_add_test(c, deep_graphs_do_not_overflow);
    tcase_add_test(c, chains_stay_linear);
    tcase_add_test(c, dumps_follow_a_pass);
    tcase_add_test(c, records_are_planes_of_leaves);
    tcase_add_test(c, fields_of_what_was_made);
    suite_add_tcase(s, c);
    return run_suite(s);
}
