/* Lowering: what becomes a graph, what is captured, and that the evaluations foreseen at compile
 * time have the keys that the runtime's composition will have.
 */
#include <check.h>
#include <string.h>

#include "../../../parser/parser.h"
#include "../../../sema/lower/lower.h"
#include "../suite.h"

static Sources *sources;
static Diags *diags;
static Interner *names;
static Arena *arena;
static Fd *fd;
static SemaResult *result;

static void setup(void)
{
    sources = sources_new();
    diags = diags_new(sources);
    names = interner_new();
    arena = arena_new();
    fd = fd_new();
}

static void teardown(void)
{
    fd_free(fd);
    arena_free(arena);
    interner_free(names);
    diags_free(diags);
    sources_free(sources);
}

/* Compiles a unit without errors. */
static void lower_text(const char *text)
{
    int file = sources_add(sources, "test.cs$", text, strlen(text));
    Ast *unit = parse_unit(sources, (uint32_t)file, diags, names, arena);
    ck_assert_int_eq(diags_errors(diags), 0);
    result = sema_unit(unit, sources, diags, names, arena, fd);
    if (diags_errors(diags)) diags_print(diags, stderr);
    ck_assert_int_eq(diags_errors(diags), 0);
}

static Ast *last_statement(void)
{
    AstList *stmts = &result->unit->unit.stmts;
    return stmts->data[stmts->len - 1];
}

static Ast *last_value(void)
{
    Ast *s = last_statement();
    return s->kind == AST_DEFINE ? s->define.value : s->var_decl.vars.data[0]->declarator.init;
}

static const FdGraph *graph_of(const Ast *n)
{
    ck_assert_int_eq((int)n->kind, AST_GRAPH);
    ck_assert(n->graph.graph < (uint64_t)result->ngraphs);
    return result->graphs[n->graph.graph].graph;
}

static void check_same_key(Fd *x, const FdGraph *a, Fd *y, const FdGraph *b)
{
    FdKey k = fd_key(x, a, NULL), m = fd_key(y, b, NULL);
    ck_assert_uint_eq(k.hi, m.hi);
    ck_assert_uint_eq(k.lo, m.lo);
}

/* ---- captures ------------------------------------------------------------------------------ */

START_TEST(test_variable_is_one_slot)
{
    lower_text("float[] a = { 1 }; float[] b = { 2 }; var c = a + b * a;");
    const Ast *n = last_value();
    const FdGraph *g = graph_of(n);
    ck_assert_int_eq(g->nslots, 2);
    ck_assert_str_eq(g->slots[0].name, "a");
    ck_assert_str_eq(g->slots[1].name, "b");
    ck_assert(g->slots[0].is_array && g->slots[1].is_array);
    ck_assert_int_eq(n->graph.captures.len, 2);
    ck_assert_str_eq(n->graph.captures.data[0]->sym->name, "a");
    ck_assert_int_eq(fd_root(g)->nvars, 1);
    ck_assert_int_eq((int)fd_root(g)->doms[0].kind, FD_DOM_INFERRED);
}
END_TEST

START_TEST(test_scalar_expressions_are_captured_whole)
{
    lower_text("float[] a = { 1 }; int n = 3; var c = a * (n * 2) + (n * 2) + 4;");
    const FdGraph *g = graph_of(last_value());
    ck_assert_int_eq(g->nslots, 2); /* 4 is a constant of the graph */
    ck_assert_str_eq(g->slots[1].name, "n * 2");
    ck_assert_int_eq(g->slots[1].type->nparams, 0);
}
END_TEST

START_TEST(test_calls_are_captured_each)
{
    lower_text("double f() { return int.Parse(\"3\"); } double[] a = { 1 };"
               "var c = a * f() + f();");
    ck_assert_int_eq(graph_of(last_value())->nslots, 3);
}
END_TEST

START_TEST(test_what_may_throw_stays_inside)
{
    lower_text("int[] a = { 1 }; int n = 0; var c = a + a[5] + 7 / n;");
    const FdGraph *g = graph_of(last_value());
    ck_assert_int_eq(g->nslots, 2); /* a and n: neither a[5] nor 7 / n is computed here */
}
END_TEST

START_TEST(test_captured_calls_hold_graphs)
{
    lower_text("type vec = float(int); vec id(vec v) { return v; }"
               "float[] a = { 1 }; var c = id(a + a) * 2;");
    const Ast *n = last_value();
    ck_assert_int_eq(n->graph.captures.len, 1);
    const Ast *call = n->graph.captures.data[0];
    ck_assert_int_eq((int)call->kind, AST_CALL);
    ck_assert_int_eq(graph_of(call->call.args.data[0])->nslots, 1);
}
END_TEST

/* ---- places ------------------------------------------------------------------------------- */

START_TEST(test_array_definition_evaluates)
{
    lower_text("float[] a = { 1 }; float[] c(i) = a(i) * 2;");
    const Ast *n = last_value();
    ck_assert_int_eq((int)n->kind, AST_CONVERT);
    ck_assert_int_eq((int)n->type->kind, TY_ARRAY);
    ck_assert_int_eq((int)n->convert.operand->type->kind, TY_FUNC);
    graph_of(n->convert.operand);
}
END_TEST

START_TEST(test_scalar_graph)
{
    lower_text("float[] a = { 1 }; float s = sum(a(i) * a(i));");
    const FdGraph *g = graph_of(last_value());
    ck_assert_int_eq((int)fd_root(g)->kind, FD_REDUCE);
    ck_assert_int_eq(g->nslots, 1);
}
END_TEST

START_TEST(test_host_operations_stay)
{
    lower_text("float[] a = { 1, 2 }; float s = a[0] + a(1);");
    ck_assert_int_eq((int)last_value()->kind, AST_BINARY);
    ck_assert_int_eq(result->ngraphs, 0);
}
END_TEST

START_TEST(test_loop_range_is_no_graph)
{
    lower_text("int n = 3; int s = 0; foreach (int i in 0..n) s += i;");
    ck_assert_int_eq(result->ngraphs, 0);
    ck_assert_int_eq((int)last_statement()->foreach_.seq->kind, AST_RANGE);
}
END_TEST

START_TEST(test_functions_as_values)
{
    lower_text("float sq(float x) => x * x; float(float) f = sq;");
    const FdGraph *g = graph_of(last_value());
    ck_assert_int_eq((int)fd_root(g)->kind, FD_LET);
    ck_assert_int_eq((int)fd_root(g)->doms[0].kind, FD_DOM_FULL);
    ck_assert_ptr_nonnull(fd_user_find(fd, "sq")->body);
}
END_TEST

START_TEST(test_overloads_are_different_users)
{
    lower_text("float h(float x) => x + 1; int h(int x) => x + 2; int[] a = { 1 };"
               "float[] b = { 1 }; var c = h(a); var d = h(b);");
    const FdUser *one = fd_user_find(fd, "h"), *two = fd_user_find(fd, "h_2");
    ck_assert(one && two && one->type != two->type);
}
END_TEST

START_TEST(test_recursion_runs_on_the_host)
{
    lower_text("int fib(int n) => n < 2 ? n : fib(n - 1) + fib(n - 2); var f = fib(0..5);");
    ck_assert_int_eq(diags_warnings(diags), 1);
    ck_assert_int_eq(result->nhost_users, 1);
    const FdUser *u = result->host_users[0]->fdag;
    ck_assert_str_eq(u->name, "fib");
    ck_assert_ptr_null(u->body);
}
END_TEST

/* ---- keys ----------------------------------------------------------------------------------- */

START_TEST(test_text_reads_back)
{
    lower_text("float[,] a = new float[2, 3]; int n = 2;"
               "var c(j, k) = + (a(j, l) * a(k, l)) + n; float m = max(a);");
    for (int i = 0; i < result->ngraphs; i++) {
        Fd *other = fd_new();
        const char *why = NULL;
        FdGraph *g = fd_read(other, result->graphs[i].text, &why);
        ck_assert_msg(g != NULL, "%s", why);
        ck_assert_int_eq(g->nslots, result->graphs[i].graph->nslots);
        check_same_key(fd, result->graphs[i].graph, other, g);
        fd_free(other);
    }
}
END_TEST

/* The graph of a text with its function slots given. */
static const FdNode *composed(Fd *own, int graph, const FdNode *const *values)
{
    const char *why = NULL;
    FdGraph *g = fd_read(own, result->graphs[graph].text, &why);
    ck_assert_msg(g != NULL, "%s", why);
    return fd_substitute(own, fd_root(g), values, g->nslots);
}

static void check_evaluation(int evaluation, Fd *own, const FdNode *root, int nslots)
{
    FdSlot slots[4];
    for (int i = 0; i < 4; i++)
        slots[i] = (FdSlot){.type = fd_type_array(own, SC_FLOAT, 2), .is_array = true};
    FdGraph g = {.nslots = nslots, .slots = slots};
    fd_set_root(own, &g, root);
    ck_assert(evaluation < result->nevaluations);
    check_same_key(fd, result->evaluations[evaluation].graph, own, &g);
}

/* Bounds of the second array are those of the first's other dimension, in this dimension and before it. */
static const FdNode *agreed(void *last, Fd *of_fd, const FdNode *n)
{
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    if (op != FD_OP_LOWER && op != FD_OP_UPPER) return NULL;
    const FdNode *of = n->args[0];
    int64_t dim = n->args[1]->value.i;
    if (of->kind != FD_FUNC || of->slot != 1 || dim > *(const int *)last) return NULL;
    const FdNode *args[] = {fd_slot(of_fd, 0, of->type, "c"), fd_int(of_fd, 1 - dim)};
    return fd_apply_op(of_fd, op, SC_LONG, 2, args, n->loc);
}

START_TEST(test_evaluation_through_a_call)
{
    int inner = 0, both = 1;
    lower_text("type matrix = float(int, int);"
               "matrix mul(matrix a, matrix b) { var c(j, k) = + (a(j, l) * b(l, k)); return c; }"
               "float[,] a = new float[2, 3]; float[,] b = new float[3, 2];"
               "float[,] c = mul(a, b); float[,] d = mul(a, b); float[,] e = mul(mul(c, d), c);");
    ck_assert_int_eq(result->nevaluations, 2); /* c and d are the same evaluation */
    Fd *own = fd_new();
    const FdType *t = fd_type_array(own, SC_FLOAT, 2);
    const FdNode *c = fd_slot(own, 0, t, "c"), *d = fd_slot(own, 1, t, "d");
    const FdNode *args[] = {c, d};
    const FdNode *product = composed(own, 0, args);
    check_evaluation(0, own, fd_rewrite(own, product, agreed, &inner), 2);
    const FdNode *outer[] = {product, c};
    check_evaluation(1, own, fd_rewrite(own, composed(own, 0, outer), agreed, &both), 2);
    fd_free(own);
}
END_TEST

START_TEST(test_unknown_values_are_skipped)
{
    lower_text("float[] a = { 1 }; var f = a + 1; if (a.Length > 3) f = a * 2; float[] b = f;");
    ck_assert_int_eq(result->nevaluations, 0);
    lower_text("float[] a = { 1 }; var f = a + 1; f = a * 2; float[] b = f;");
    ck_assert_int_eq(result->nevaluations, 1);
}
END_TEST

START_TEST(test_evaluated_values_are_arrays)
{
    lower_text("float[] a = { 1 }; var f = a * 2; float[] b = f; float[] c = f + b;");
    ck_assert_int_eq(result->nevaluations, 2);
    ck_assert_int_eq(result->evaluations[1].graph->nslots, 1); /* f's array is b */
}
END_TEST

/* ---- functions that are given functions ------------------------------------------------------ */

/* The copies of a function; the last one in *found. */
static int copies_of(const char *name, const Symbol **found)
{
    int n = 0;
    for (int i = 0; i < result->nfuncs; i++) {
        const Symbol *f = result->funcs[i];
        if (!f->special || strcmp(f->name, name) != 0) continue;
        *found = f;
        n++;
    }
    return n;
}

static void count_closures(Ast **child, void *ctx)
{
    if (!*child) return;
    if ((*child)->kind == AST_CLOSURE) ++*(int *)ctx;
    ast_each_child(*child, count_closures, ctx);
}

static int closures_in(const Symbol *f)
{
    int n = 0;
    count_closures(&f->decl->func.body, &n);
    return n;
}

#define EACH                                                                                       \
    "int each(int n, int(int) f) { int s = 0; for (int i = 0; i < n; i++) s += f(i); return s; } "

START_TEST(test_given_function_is_called_directly)
{
    lower_text(EACH "int twice(int(int) f, int n) => each(n, f) + each(n, f);"
                    "int k = int.Parse(\"3\"), m = 4; int x = twice(i => i * k + m, 5);"
                    "int y = twice(i => i * k + m, 6);");
    const Symbol *twice = NULL, *each = NULL;
    ck_assert_int_eq(copies_of("twice", &twice), 2); /* each lambda is a function of its own */
    ck_assert_int_eq(copies_of("each", &each), 2);
    ck_assert_int_eq(twice->type->nparams, 3); /* k, m, n */
    ck_assert_int_eq(each->type->nparams, 3);
    ck_assert_int_eq(closures_in(twice), 0);
    ck_assert_int_eq(closures_in(each), 0);
    const Ast *call = last_value();
    ck_assert_int_eq((int)call->kind, AST_CALL);
    ck_assert(call->sym->special);
    ck_assert_int_eq(call->call.args.len, 3);
}
END_TEST

START_TEST(test_function_that_calls_itself_calls_its_copy)
{
    lower_text("int tree(int n, int(int) f) { if (n == 0) return f(0);"
               "return f(n) + tree(n - 1, f); } int x = tree(5, i => i * i);");
    const Symbol *tree = NULL;
    ck_assert_int_eq(copies_of("tree", &tree), 1);
    ck_assert_int_eq(tree->type->nparams, 1);
    ck_assert_int_eq(closures_in(tree), 0);
}
END_TEST

/* Kept, assigned, read in a graph, or of a function that may be another one. */
START_TEST(test_functions_that_stay_values)
{
    lower_text("class Kept { public static int(int) held; } void keep(int(int) f) { Kept.held = f; "
               "int y = f(1); }"
               "int other(int(int) f) { int x = f(1); f = i => x; return f(2); }"
               "int total(int(int) f) { int x = f(1); return x + sum(i : 0..9, f(i)); }"
               "class A { public virtual int Of(int(int) f) => f(1); }"
               "class B : A { public override int Of(int(int) f) => f(2); }"
               "keep(i => i); int k = 3; A a = k > 2 ? new A() : new B();"
               "int x = other(i => i + k) + total(i => i + k) + a.Of(i => i + k);");
    for (int i = 0; i < result->nfuncs; i++) ck_assert(!result->funcs[i]->special);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("lower");
    TCase *t = tcase_create("lower");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, test_variable_is_one_slot);
    tcase_add_test(t, test_scalar_expressions_are_captured_whole);
    tcase_add_test(t, test_calls_are_captured_each);
    tcase_add_test(t, test_what_may_throw_stays_inside);
    tcase_add_test(t, test_captured_calls_hold_graphs);
    tcase_add_test(t, test_array_definition_evaluates);
    tcase_add_test(t, test_scalar_graph);
    tcase_add_test(t, test_host_operations_stay);
    tcase_add_test(t, test_loop_range_is_no_graph);
    tcase_add_test(t, test_functions_as_values);
    tcase_add_test(t, test_overloads_are_different_users);
    tcase_add_test(t, test_recursion_runs_on_the_host);
    tcase_add_test(t, test_text_reads_back);
    tcase_add_test(t, test_evaluation_through_a_call);
    tcase_add_test(t, test_unknown_values_are_skipped);
    tcase_add_test(t, test_evaluated_values_are_arrays);
    tcase_add_test(t, test_given_function_is_called_directly);
    tcase_add_test(t, test_function_that_calls_itself_calls_its_copy);
    tcase_add_test(t, test_functions_that_stay_values);
    suite_add_tcase(s, t);
    return run_suite(s);
}
