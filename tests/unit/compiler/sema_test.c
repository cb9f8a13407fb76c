/* Sema: interned types, and what the checker leaves in the tree (the contract of sema/sema.h).
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/arena.h"
#include "../../../base/report/diag.h"
#include "../../../parser/parser.h"
#include "../../../sema/sema.h"
#include "../suite.h"

static Arena *arena;
static Interner *names;
static Sources *sources;
static Diags *diags;
static Fd *fd;

static void setup(void)
{
    arena = arena_new();
    names = interner_new();
    sources = sources_new();
    diags = diags_new(sources);
    fd = fd_new();
}

static void teardown(void)
{
    fd_free(fd);
    diags_free(diags);
    sources_free(sources);
    interner_free(names);
    arena_free(arena);
}

/* Checks without lowering: the tree is as the contract says. */
static Ast *check_text(const char *text)
{
    int file = sources_add(sources, "test.cs$", text, strlen(text));
    Ast *unit = parse_unit(sources, (uint32_t)file, diags, names, arena);
    sema_check(unit, sources, diags, names, arena);
    return unit;
}

static Ast *value_of(const Ast *unit, int stmt)
{
    const Ast *n = unit->unit.stmts.data[stmt];
    if (n->kind == AST_DEFINE) return n->define.value;
    if (n->kind == AST_EXPR_STMT) return n->expr_stmt.expr;
    return n->var_decl.vars.data[0]->declarator.init;
}

static const char *text_of(const Type *t)
{
    return type_text(arena, t);
}

static char *messages(void)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    diags_print(diags, f);
    fclose(f);
    return text;
}

static void expect_clean(void)
{
    if (diags_errors(diags) == 0) return;
    char *text = messages();
    ck_abort_msg("unexpected: %s", text);
}

START_TEST(types_are_interned)
{
    Types *t = types_new(arena);
    const Type *f = type_scalar(t, SC_FLOAT), *i = type_scalar(t, SC_INT);
    const Type *params[] = {i, i};
    ck_assert_ptr_eq(type_array(t, f, 2), type_array(t, f, 2));
    ck_assert_ptr_ne(type_array(t, f, 2), type_array(t, f, 1));
    ck_assert_ptr_eq(type_func(t, f, 2, params), type_func(t, f, 2, params));
    ck_assert_ptr_ne(type_func(t, f, 1, params), type_func(t, f, 2, params));
    ck_assert_str_eq(text_of(type_array(t, f, 3)), "float[,,]");
    ck_assert_str_eq(text_of(type_func(t, f, 2, params)), "float(int, int)");
    ck_assert_str_eq(text_of(type_func(t, type_func(t, f, 1, params), 1, &f)), "float(int)(float)");
    ck_assert(type_is_functional(type_array(t, f, 1)) && !type_is_functional(f));
    ck_assert(type_is_numeric(i) && !type_is_numeric(type_scalar(t, SC_BOOL)));
    ck_assert(type_is_ref(type_string(t)) && !type_is_ref(i));
    ck_assert_ptr_eq(type_array(t, f, 2)->params[1], i);
}
END_TEST

START_TEST(every_builtin_has_known_letters)
{
    for (int b = 0; b < nbuiltins; b++) {
        const char *sig = builtins[b].signature;
        if (*sig == '=') sig++;
        for (; *sig; sig++)
            ck_assert_msg(strchr("vbcaywWiulUhfdszFAPO*TRDLSCBIEG&.", *sig), "%s.%s",
                          library_spaces[builtins[b].space], library_names[builtins[b].name]);
    }
}
END_TEST

/* Each name and space of the table is there for a row; the spaces of scalar types are their kinds. */
START_TEST(every_library_name_is_used)
{
    for (int name = 0; name < LIB_COUNT; name++) {
        bool used = false;
        for (int b = 0; b < nbuiltins; b++) used = used || (int)builtins[b].name == name;
        ck_assert_msg(used, "%s", library_names[name]);
        for (int other = 0; other < name; other++)
            ck_assert_str_ne(library_names[other], library_names[name]);
    }
    for (int space = 0; space < SPACE_COUNT; space++) {
        bool used = false;
        for (int b = 0; b < nbuiltins; b++) used = used || (int)builtins[b].space == space;
        ck_assert_msg(used, "%s", library_spaces[space]);
        if (space < (int)SC_COUNT)
            ck_assert_str_eq(library_spaces[space], scalar_name((ScalarKind)space));
    }
    ck_assert(!builtin_is(NULL, SPACE_Math, LIB_Sqrt));
    ck_assert(builtin_is(&builtins[0], SPACE_global, LIB_min));
    ck_assert(!builtin_is(&builtins[0], SPACE_Math, LIB_min));
}
END_TEST

START_TEST(conversions_are_nodes)
{
    Ast *u = check_text("int i = 1; double d = i + 2.5; float f = i * 0.5; long l = i;"
                        "float[] a = new float[i]; double(int) g = a; float[] e = a + 1;"
                        "string s = \"x\" + i;");
    expect_clean();
    Ast *sum = value_of(u, 1);
    ck_assert_int_eq(sum->kind, AST_BINARY);
    ck_assert_int_eq(sum->binary.left->kind, AST_CONVERT);
    ck_assert_ptr_eq(sum->binary.left->type, sum->binary.right->type);
    Ast *product = value_of(u, 2); /* the literal takes the target's type */
    ck_assert_str_eq(text_of(product->type), "float");
    ck_assert_str_eq(text_of(product->binary.right->type), "float");
    ck_assert_int_eq(value_of(u, 3)->kind, AST_CONVERT);
    Ast *g = value_of(u, 5);
    ck_assert_int_eq(g->kind, AST_CONVERT);
    ck_assert_str_eq(text_of(g->type), "double(int)");
    Ast *e = value_of(u, 6); /* evaluation of a promoted sum */
    ck_assert_int_eq(e->kind, AST_CONVERT);
    ck_assert_str_eq(text_of(e->type), "float[]");
    ck_assert_int_eq(e->convert.operand->res, AST_RES_PROMOTE);
    ck_assert_str_eq(text_of(e->convert.operand->type), "float(int)");
    Ast *s = value_of(u, 7);
    ck_assert_int_eq(s->binary.right->kind, AST_CONVERT);
}
END_TEST

START_TEST(constants_fold)
{
    Ast *u = check_text("const int N = 1 << 4; const float F = 0.1;"
                        "int a = N * 2 + 1; float b = F; int c = -2147483648; bool d = N > 3;"
                        "byte e = 200; double p = Math.PI; int m = int.MaxValue;");
    expect_clean();
    ck_assert(value_of(u, 0)->is_const);
    ck_assert_int_eq(value_of(u, 0)->value.i, 33);
    ck_assert(value_of(u, 1)->value.f == (double)0.1f);
    ck_assert_int_eq(value_of(u, 2)->value.i, INT32_MIN);
    ck_assert_int_eq(value_of(u, 3)->value.i, 1);
    ck_assert_int_eq(value_of(u, 4)->value.i, 200);
    ck_assert_str_eq(text_of(value_of(u, 4)->type), "byte");
    ck_assert(value_of(u, 5)->value.f > 3.14159);
    ck_assert_int_eq(value_of(u, 6)->value.i, INT32_MAX);
}
END_TEST

START_TEST(reductions_bind_in_order)
{
    Ast *u = check_text("float[,] a = new float[2, 2], b = a;"
                        "var c(j, k) = + (a(j, l) * b(l, k));"
                        "var s = sum(i : 0..2, a(i, q) * b(q, r));"
                        "var n = sum(a(i, i) * sum(b(i, m)));"
                        "var w = sum(a);");
    expect_clean();
    const Ast *define = u->unit.stmts.data[1];
    ck_assert_int_eq(define->nbound, 2);
    ck_assert_str_eq(define->bound[1]->name, "k");
    const Ast *c = value_of(u, 1);
    ck_assert_int_eq(c->kind, AST_REDUCE);
    ck_assert_int_eq(c->nbound, 1);
    ck_assert_str_eq(c->bound[0]->name, "l");
    ck_assert(c->bound[0]->implicit && !define->bound[0]->implicit);
    const Ast *s = value_of(u, 2);
    ck_assert_int_eq(s->res, AST_RES_REDUCE);
    ck_assert_int_eq(s->nbound, 3);
    ck_assert_str_eq(s->bound[0]->name, "i");
    ck_assert_str_eq(s->bound[1]->name, "q");
    ck_assert_str_eq(s->bound[2]->name, "r");
    ck_assert_ptr_nonnull(s->bound[0]->constraint);
    ck_assert_ptr_null(s->bound[1]->constraint);
    const Ast *n = value_of(u, 3);
    ck_assert_int_eq(n->nbound, 1);
    const Ast *inner = n->call.args.data[0]->binary.right;
    ck_assert_int_eq(inner->nbound, 1);
    ck_assert_str_eq(inner->bound[0]->name, "m");
    ck_assert_int_eq(value_of(u, 4)->nbound, 0);
    ck_assert_int_eq(value_of(u, 4)->res, AST_RES_REDUCE);
}
END_TEST

START_TEST(variables_take_the_type_of_their_use)
{
    Ast *u = check_text("float[] a = new float[3]; long n = 3; float(float) f = (float x) => x;"
                        "var r = Random.Uniform(1);"
                        "var p(i) = i * a(i) + r(i);"
                        "var q(i : 0..n) = a(i);"
                        "var s = let(x) f(x) * 2;"
                        "var t(i : a) = r(i);");
    expect_clean();
    const char *types[] = {"int", "long", "float", "int"};
    for (int k = 0; k < 4; k++) {
        const Ast *n = u->unit.stmts.data[4 + k];
        const Ast *owner = n->kind == AST_DEFINE ? n : value_of(u, 4 + k);
        ck_assert_str_eq(text_of(owner->bound[0]->type), types[k]);
    }
}
END_TEST

START_TEST(overloads_resolve_in_order)
{
    Ast *u = check_text("float f(float x) => x; double f(double x) => x;"
                        "int g(float(int) h) => 1; float g(float x) => x;"
                        "float[] a = new float[3]; int[] k = new int[3];"
                        "var v0 = f(1.5); var v1 = f(1.5f); var v2 = f(1); var v3 = f(a);"
                        "var v4 = g(a); var v5 = Math.Sqrt(k); var v6 = Math.Sqrt(a);"
                        "var v7 = Math.Max(a, 1); var v8 = Math.Max(a); var v9 = a(k);"
                        "var va = a + Math.Sin; var vb = k + a; var vc = (int) a;");
    expect_clean();
    const char *types[] = {"double",
                           "float",
                           "float",
                           "float(int)",
                           "int",
                           "double(int)",
                           "float(int)",
                           "float(int)",
                           "float",
                           "float(int)",
                           "float(int, float)",
                           "float(int)",
                           "int(int)"};
    for (int k = 0; k < 13; k++) {
        const Ast *n = u->unit.stmts.data[2 + k];
        ck_assert_msg(!strcmp(text_of(n->var_decl.vars.data[0]->type), types[k]), "%s: %s",
                      n->var_decl.vars.data[0]->declarator.name,
                      text_of(n->var_decl.vars.data[0]->type));
    }
}
END_TEST

START_TEST(promoted_arguments_have_the_parameters_type)
{
    Ast *u = check_text("int[] k = new int[3]; float[] a = new float[3]; var v = k * a;"
                        "var w = Math.Sqrt(k);");
    expect_clean();
    const Ast *v = value_of(u, 2);
    ck_assert_int_eq(v->res, AST_RES_PROMOTE);
    ck_assert_int_eq(v->binary.left->kind, AST_CONVERT);
    ck_assert_str_eq(text_of(v->binary.left->type), "float(int)");
    ck_assert_str_eq(text_of(v->binary.right->type), "float[]");
    const Ast *w = value_of(u, 3);
    ck_assert_str_eq(text_of(w->call.args.data[0]->type), "double(int)");
    ck_assert_int_eq(builtins[w->sym->builtin].op, FD_OP_SQRT);
}
END_TEST

START_TEST(purity_follows_calls)
{
    check_text("float p(float x) { Console.WriteLine(x); return x; }"
               "float q(float x) => p(x);"
               "float[] a = new float[3]; var v = q(a);");
    char *text = messages();
    ck_assert_int_eq(diags_errors(diags), 1);
    ck_assert_ptr_nonnull(strstr(text, "'q' is promoted over a function, but it is not pure"));
    ck_assert_ptr_nonnull(strstr(text, "'p' calls Console.WriteLine"));
    free(text);
}
END_TEST

START_TEST(one_mistake_is_one_error)
{
    check_text(
        "var a = nothing + 1; var b = a * 2; float[] c = a; b.Foo(c); Console.WriteLine(a);");
    ck_assert_int_eq(diags_errors(diags), 1);
}
END_TEST

/* Looking at copies must not multiply: nested reductions with bare names. */
START_TEST(deep_nesting_is_quick)
{
    Text text = {0};
    text_add(&text, "float[] a = new float[3]; var s = ");
    for (int i = 0; i < 40; i++) text_printf(&text, "sum(i%d * a(i%d) * ", i, i);
    text_add(&text, "1");
    for (int i = 0; i < 40; i++) text_add(&text, ")");
    text_add(&text, ";");
    check_text(text.data);
    expect_clean();
    text_free(&text);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sema");
    TCase *t = tcase_create("sema");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, types_are_interned);
    tcase_add_test(t, every_builtin_has_known_letters);
    tcase_add_test(t, every_library_name_is_used);
    tcase_add_test(t, conversions_are_nodes);
    tcase_add_test(t, constants_fold);
    tcase_add_test(t, reductions_bind_in_order);
    tcase_add_test(t, variables_take_the_type_of_their_use);
    tcase_add_test(t, overloads_resolve_in_order);
    tcase_add_test(t, promoted_arguments_have_the_parameters_type);
    tcase_add_test(t, purity_follows_calls);
    tcase_add_test(t, one_mistake_is_one_error);
    tcase_add_test(t, deep_nesting_is_quick);
    suite_add_tcase(suite, t);
    return run_suite(suite);
}
