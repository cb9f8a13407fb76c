/* Objects of classes: counts, cycles, casts, interfaces, exceptions and their stacks. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../codegen/abi/csrt.h"
#include "../../../runtime/state.h"
#include "../suite.h"
#include "runtime_life.h"

static const CsSite site = {"top level", "test.cs$", 7, 3};

/* ---- classes -------------------------------------------------------------------------- */

typedef struct Node {
    CsObject object;
    void *next, *other;
    int64_t number;
} Node;

static void *node_text(void *self)
{
    (void)self;
    return cs_str("a node", 6);
}

static int64_t area_of(void *self)
{
    return ((Node *)self)->number * 2;
}

static const int32_t node_refs[] = {offsetof(Node, next), offsetof(Node, other)};
static const void *node_methods[1];
static const CsClass shape = {.name = "IShape"}, solid = {.name = "ISolid"};
static const CsClass *const node_interfaces[] = {&shape};
static struct CsImpl node_impls[3];
static const CsClass object_class = {.name = "object", .size = sizeof(CsObject)};
static const CsClass node = {.name = "Node",
                             .base = &object_class,
                             .size = sizeof(Node),
                             .nrefs = 2,
                             .refs = node_refs,
                             .nmethods = 1,
                             .methods = node_methods,
                             .nimpls = 3,
                             .impls = node_impls,
                             .ninterfaces = 1,
                             .interfaces = node_interfaces};
static const CsClass leaf = {
    .name = "Leaf", .base = &node, .size = sizeof(Node), .nrefs = 2, .refs = node_refs};

typedef struct Exception {
    CsObject object;
    void *message;
    int64_t code;
} Exception;

static const int32_t exception_refs[] = {offsetof(Exception, message)};
static const CsClass exception = {.name = "Exception",
                                  .base = &object_class,
                                  .size = sizeof(Exception),
                                  .nrefs = 1,
                                  .refs = exception_refs};
static const CsClass bank = {.name = "BankException",
                             .base = &exception,
                             .size = sizeof(Exception),
                             .nrefs = 1,
                             .refs = exception_refs};
static const CsClass divide = {.name = "DivideByZeroException",
                               .base = &exception,
                               .size = sizeof(Exception),
                               .nrefs = 1,
                               .refs = exception_refs};
static const CsClass *kinds[CS_NEXCEPTIONS] = {[CS_EXC_DIVIDE] = &divide};
static const CsProgram program = {.name = "test", .exceptions = kinds, .any_exception = &exception};

static void setup(void)
{
    setenv("CS_DEVICE", "ref", 1);
    void *(*text)(void *) = node_text;
    int64_t (*area)(void *) = area_of;
    memcpy(&node_methods[0], &text, sizeof text);
    for (int i = 0; i < 3; i++) {
        node_impls[i].selector = 10 * (i + 1);
        memcpy(&node_impls[i].method, &area, sizeof area);
    }
    cs_start(0, NULL, &program);
}

static Node *node_new(void *next)
{
    Node *n = cs_object_new(&node, &site);
    n->next = cs_retain(next);
    return n;
}

/* ---- counts and cycles ---------------------------------------------------------------- */

START_TEST(counts)
{
    Node *a = node_new(NULL), *b = node_new(a);
    b->other = cs_str("x", 1);
    cs_release(a);
    ck_assert_int_eq(rt.value.live, 3);
    cs_release(b);
    ck_assert_int_eq(rt.value.live, 0);
    Node *chain = NULL; /* longer than any stack */
    for (int i = 0; i < 1000000; i++) {
        Node *n = node_new(chain);
        cs_release(chain);
        chain = n;
    }
    ck_assert_int_eq(rt.value.live, 1000000);
    cs_release(chain);
    ck_assert_int_eq(rt.value.live, 0);
}
END_TEST

START_TEST(cycles)
{
    Node *a = node_new(NULL), *b = node_new(a), *kept = node_new(NULL);
    a->next = cs_retain(b);
    a->other = cs_retain(kept);
    b->other = cs_str("x", 1);
    Node *self = node_new(NULL);
    self->next = cs_retain(self);
    cs_release(self);
    ck_assert_int_eq(cs_collect(), 1);
    cs_release(a); /* b is still held */
    ck_assert_int_eq(cs_collect(), 0);
    ck_assert_int_eq(rt.value.live, 4);
    ck_assert_int_eq(b->object.head.refs, 2);
    cs_release(b);
    ck_assert_int_eq(cs_collect(), 2);
    ck_assert_int_eq(rt.value.live, 1);
    ck_assert_int_eq(kept->object.head.refs, 1);
    cs_release(kept);
}
END_TEST

/* Through arrays, and a long ring: nothing recurses. */
START_TEST(cycles_of_arrays)
{
    int64_t n = 3;
    void *array = cs_array_new(CS_ELEM_REF, 1, &n, &site);
    Node *owner = node_new(array);
    ((void **)cs_array_read(array, &site))[1] = cs_retain(owner);
    cs_release(owner);
    ck_assert_int_eq(cs_collect(), 0);
    cs_release(array);
    ck_assert_int_eq(cs_collect(), 2);
    Node *first = node_new(NULL), *last = first;
    for (int i = 0; i < 1000000; i++) {
        last->next = cs_object_new(&node, &site);
        last = last->next;
    }
    last->next = first; /* the reference is the ring's now */
    cs_retain(first);
    cs_release(first);
    ck_assert_int_eq(cs_collect(), 1000001);
}
END_TEST

/* A program that drops cycles in a loop, with and without much that lives. */
START_TEST(flat)
{
    int64_t most = 0;
    for (int i = 0; i < 300000; i++) {
        Node *a = node_new(NULL), *b = node_new(a);
        a->next = cs_retain(b);
        cs_release(a);
        cs_release(b);
        if (rt.value.live > most) most = rt.value.live;
    }
    ck_assert_int_lt(most, 20000);
    int64_t n = 1 << 18; /* few objects, much memory */
    size_t used = 0;
    for (int i = 0; i < 2000; i++) {
        Node *a = node_new(NULL);
        a->next = cs_retain(a);
        a->other = cs_array_new(SC_DOUBLE, 1, &n, &site);
        cs_release(a);
        if (rt.memory.used > used) used = rt.memory.used;
    }
    ck_assert_uint_lt(used, 256u << 20);
    cs_collect();
}
END_TEST

/* ---- classes -------------------------------------------------------------------------- */

START_TEST(classes)
{
    Node *n = cs_object_new(&leaf, &site);
    n->number = 21;
    ck_assert_int_eq(cs_is(n, &node), 1);
    ck_assert_int_eq(cs_is(n, &shape), 1);
    ck_assert_int_eq(cs_is(n, &solid), 0);
    ck_assert_int_eq(cs_is(NULL, &node), 0);
    ck_assert_ptr_eq(cs_cast(n, &shape, &site), n);
    ck_assert_ptr_null(cs_cast(NULL, &solid, &site));
    ck_assert_int_eq(cs_pending, 0);
    ck_assert_ptr_null(cs_cast(n, &solid, &site));
    ck_assert_str_eq(
        rt_pending_message(),
        "InvalidCastException: Unable to cast object of type 'Leaf' to type 'ISolid'.");
    rt_catch();
    int64_t (*method)(void *);
    const void *found = cs_find_method(n, 20);
    memcpy(&method, &found, sizeof method);
    ck_assert_int_eq(method(n), 42);
    ck_assert_ptr_null(cs_find_method(n, 25));
    Str *s = cs_object_to_string(n); /* no methods of its own */
    ck_assert_str_eq(s->bytes, "Leaf");
    cs_release(s);
    cs_release(n);
    Node *plain = node_new(NULL);
    s = cs_object_to_string(plain);
    ck_assert_str_eq(s->bytes, "a node");
    cs_release(s);
    ck_assert_int_eq(cs_hash_ref(plain), cs_hash_ref(plain));
    cs_release(plain);
    s = cs_object_to_string(NULL);
    ck_assert_int_eq(cs_hash_str(s), cs_hash_str(s));
    ck_assert_int_eq(s->len, 0);
    cs_release(s);
    ck_assert_int_eq(cs_hash_f(0.0), cs_hash_f(-0.0));
    ck_assert_int_ne(cs_hash_i(1), cs_hash_i(2));
}
END_TEST

/* ---- exceptions ----------------------------------------------------------------------- */

static const CsSite in_f = {"f", "test.cs$", 3, 5}, in_g = {"g", "test.cs$", 6, 5};

static void expect_printed(const char *text)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);
    error_print(out);
    fclose(out);
    ck_assert_str_eq(got, text);
    free(got);
}

START_TEST(caught)
{
    cs_throw_divide(&in_f);
    ck_assert_int_eq(cs_catch_is(&bank), 0);
    ck_assert_int_eq(cs_catch_is(&divide), 1);
    ck_assert_int_eq(cs_catch_is(&exception), 1);
    ck_assert_int_eq(cs_catch_is(NULL), 1);
    Exception *e = cs_catch();
    ck_assert_int_eq(cs_pending, 0);
    ck_assert_int_eq(cs_catch_is(NULL), 0);
    ck_assert_ptr_eq(e->object.cls, &divide);
    ck_assert_str_eq(((Str *)e->message)->bytes, "Attempted to divide by zero.");
    cs_release(e);

    int64_t minus = -1; /* a kind that the program has no class for */
    ck_assert_ptr_null(cs_array_new(SC_INT, 1, &minus, &site));
    e = cs_catch();
    ck_assert_str_eq(e->object.cls->name, "OverflowException");
    cs_release(e);
}
END_TEST

START_TEST(thrown)
{
    Exception *e = cs_object_new(&bank, &site);
    e->message = cs_str("no money", 8);
    cs_throw(e, &in_f);
    cs_frame(&in_g);
    cs_frame(&site);
    cs_release(e);
    expect_printed("Unhandled BankException: no money\n   at f (test.cs$:3:5)\n"
                   "   at g (test.cs$:6:5)\n   at top level (test.cs$:7:3)\n");
    e = cs_catch();
    ck_assert_str_eq(((Str *)e->message)->bytes, "no money");
    cs_release(e);
    e = cs_object_new(&bank, &site);
    cs_throw(e, NULL);
    cs_release(e);
    expect_printed("Unhandled BankException\n");
    rt_catch();
    cs_throw(NULL, &site);
    ck_assert(strncmp(rt_pending_message(), "NullReferenceException", 22) == 0);
    rt_catch();
    cs_throw_null(&site);
    ck_assert(strncmp(rt_pending_message(), "NullReferenceException", 22) == 0);
    rt_catch();
}
END_TEST

START_TEST(thrown_again)
{
    cs_throw_divide(&in_f);
    cs_frame(&in_g);
    Exception *e = cs_catch();
    cs_rethrow(e); /* in g, which is on the stack already */
    cs_release(e);
    cs_frame(&site);
    expect_printed("Unhandled DivideByZeroException: Attempted to divide by zero.\n"
                   "   at f (test.cs$:3:5)\n   at g (test.cs$:6:5)\n"
                   "   at top level (test.cs$:7:3)\n");
    void *saved = cs_save_exception(); /* a `finally` that ends well */
    ck_assert_int_eq(cs_pending, 0);
    cs_restore_exception(saved);
    ck_assert_int_eq(rt.error.nframes, 3);
    saved = cs_save_exception(); /* one that throws itself */
    cs_throw_null(&site);
    cs_restore_exception(saved);
    ck_assert(strncmp(rt_pending_message(), "NullReferenceException", 22) == 0);
    ck_assert_int_eq(rt.error.nframes, 1);
    rt_catch();
    cs_restore_exception(cs_save_exception()); /* nothing was pending */
    ck_assert_int_eq(cs_pending, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("objects");
    TCase *t = tcase_create("objects");
    tcase_add_checked_fixture(t, setup, teardown);
    tcase_add_test(t, counts);
    tcase_add_test(t, cycles);
    tcase_add_test(t, cycles_of_arrays);
    tcase_add_test(t, flat);
    tcase_add_test(t, classes);
    tcase_add_test(t, caught);
    tcase_add_test(t, thrown);
    tcase_add_test(t, thrown_again);
    suite_add_tcase(s, t);
    return run_suite(s);
}
