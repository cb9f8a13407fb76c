/* Calls the library that csc --lib makes of shapes.cs$; says what is wrong. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libshapes.h"

static int failed;

#define CHECK(what)                                                                                \
    do {                                                                                           \
        if (!(what)) printf("%s:%d: not %s\n", __FILE__, __LINE__, #what), failed = 1;             \
    } while (0)

static void ok_at(cs_error *e, int line)
{
    if (!e) return;
    printf("%s:%d: %s: %s\n%s", __FILE__, line, e->type, e->message, e->stack);
    failed = 1;
    shapes_free_error(e);
}
#define OK(call) ok_at(call, __LINE__)

/* The error that is expected. */
static void fails_at(cs_error *e, cs_code code, const char *type, const char *message,
                     const char *stack, int line)
{
    if (!e || e->code != (int32_t)code || strcmp(e->type, type) || !strstr(e->message, message) ||
        !strstr(e->stack, stack)) {
        printf("%s:%d: %d %s: %s\n%s", __FILE__, line, e ? e->code : 0, e ? e->type : "no error",
               e ? e->message : "", e ? e->stack : "");
        failed = 1;
    }
    shapes_free_error(e);
}
#define FAILS(call, code, type, message, stack) fails_at(call, code, type, message, stack, __LINE__)

static void check_floats(cs_array *a, int64_t n, const float *expected)
{
    const void *data = NULL;
    int64_t count = a ? 1 : 0;
    for (int d = 0; a && d < a->rank; d++) count *= a->n[d];
    CHECK(count == n && a && a->type == CS_FLOAT);
    OK(shapes_read(a, &data));
    for (int64_t i = 0; i < n && i < count; i++) CHECK(((const float *)data)[i] == expected[i]);
    shapes_release(a);
}

static void strings(cs_context *c)
{
    char one[] = "one";
    const char *words[] = {one, NULL, "\u00e4"}, *const * texts;
    const void *data;
    cs_array *upper = NULL, *again = NULL, *none = NULL, *table = NULL, *made = NULL;
    OK(shapes_upper(c, words, 3, &upper));
    one[0] = 'x'; /* it was copied */
    OK(shapes_upper_on(c, upper, &again));
    OK(shapes_read(again, &data));
    texts = data;
    CHECK(again->type == CS_STRING && again->n[0] == 3 && !strcmp(texts[0], "ONE") && !texts[1] &&
          !strcmp(texts[2], "\u00c4"));
    OK(shapes_upper(c, NULL, 0, &none));
    CHECK(none->n[0] == 0);
    OK(shapes_table(c, 2, "t", &table));
    const char *cells[4];
    OK(shapes_copy(table, cells, sizeof cells));
    CHECK(table->rank == 2 && !strcmp(cells[2], "t") && !strcmp(cells[3], "1"));
    int64_t n = 2;
    OK(shapes_array(c, CS_STRING, 1, &n, words, &made));
    shapes_release(none);
    OK(shapes_noted_on(c, made, &none));
    shapes_release(made);
    FAILS(shapes_wrap(c, CS_STRING, 1, &n, NULL, &made), CS_ARGUMENT_NULL, "ArgumentNullException",
          "2 elements is NULL", "");
    FAILS(shapes_buffer(c, CS_STRING, 1, &n, (struct _cl_mem *)one, &made), CS_ARGUMENT,
          "ArgumentException", "strings in a buffer", "");
    OK(shapes_read(none, &data));
    CHECK(!strcmp(*(const char *const *)data, "xne"));
    cs_array *all[] = {upper, again, none, table};
    for (int i = 0; i < 4; i++) shapes_release(all[i]);
}

static void places(cs_context *c)
{
    int32_t a = 1, b = 2, count = 0;
    OK(shapes_exchange(c, &a, &b));
    CHECK(a == 2 && b == 1);
    FAILS(shapes_exchange(c, &a, NULL), CS_ARGUMENT_NULL, "ArgumentNullException", "the place of",
          "");
    char *head = NULL, *tail = NULL, text[] = "abc", *s = text;
    bool is;
    OK(shapes_split(c, "one two", &head, &tail, &is));
    CHECK(is && !strcmp(head, "one") && !strcmp(tail, "two"));
    shapes_free_text(head);
    shapes_free_text(tail);
    OK(shapes_split(c, "one", &head, &tail, &is));
    CHECK(!is && !strcmp(head, "one") && !tail);
    shapes_free_text(head);
    uint32_t last = '!';
    OK(shapes_shout(c, &is, &s, &last));
    CHECK(is && last == '"' && s != text && !strcmp(s, "abc!"));
    char *longer = s;
    FAILS(shapes_shout(c, &is, &(char *){"12345"}, &last), CS_ARGUMENT, "OddException", "too long",
          "at shout (");
    CHECK(longer == s);
    shapes_free_text(s);
    float data[] = {1, 2}, expected[] = {7.5f, 2.5f, 0.5f};
    int64_t n = 2;
    cs_array *before = NULL, *now = NULL, *none = NULL;
    OK(shapes_array(c, CS_FLOAT, 1, &n, data, &before));
    now = before;
    OK(shapes_grow(c, &now, 0.5f, &count));
    CHECK(count == 2 && now != before);
    check_floats(now, 3, expected);
    check_floats(before, 2, data);
    FAILS(shapes_grow(c, &none, 0.5f, &count), CS_ARGUMENT, "ArgumentException", "no array of this",
          "");
    CHECK(!none);
    shapes_Pair pair = {{1, 2}, true, 1}, first = {{5, 6}, false, 7};
    shapes_Vec vec = {0, 0};
    cs_array *pairs = NULL, *given;
    const void *seen;
    n = 1;
    OK(shapes_array(c, shapes_Pair_type, 1, &n, &first, &pairs));
    given = pairs;
    OK(shapes_settle(c, &pair, &vec, &pairs));
    CHECK(pair.v.x == -1 && pair.v.y == 3 && !pair.on && pair.n == 0 && vec.x == 1 && vec.y == 2);
    OK(shapes_read(pairs, &seen));
    const shapes_Pair *two = seen;
    CHECK(pairs != given && pairs->n[0] == 2 && two[1].v.y == 2 && two[1].on && two[1].n == 8);
    shapes_release(given);
    given = pairs;
    FAILS(shapes_settle(c, &pair, &vec, &given), CS_ARGUMENT, "OddException", "below 0",
          "at settle");
    FAILS(shapes_settle(c, NULL, &vec, &given), CS_ARGUMENT_NULL, "ArgumentNullException",
          "the place of", "");
    CHECK(given == pairs);
    shapes_release(pairs);
}

static void values(cs_context *c)
{
    int32_t i;
    bool b;
    uint16_t h;
    uint32_t ch;
    uint64_t most;
    int8_t s;
    double d, many[] = {1, 2.5, 4};
    char *text = NULL;
    OK(shapes_quotient(c, 7, -2, &i));
    CHECK(i == -3);
    OK(shapes_not(c, true, &b));
    CHECK(!b);
    OK(shapes_twice(c, 0x3c00, &h));
    CHECK(h == 0x4000);
    OK(shapes_next(c, 0x1f600, &ch));
    CHECK(ch == 0x1f601);
    OK(shapes_most(c, &most));
    CHECK(most == UINT64_MAX);
    OK(shapes_negative(c, 5, &s));
    CHECK(s == -5);
    OK(shapes_total(c, many, 3, &d));
    CHECK(d == 7.5);
    OK(shapes_total(c, NULL, 0, &d));
    CHECK(d == 0);
    OK(shapes_hello(c, "you", &text));
    CHECK(text && !strcmp(text, "hello you"));
    shapes_free_text(text);
    OK(shapes_open_2(c, 4, 5, &i));
    CHECK(i == 4);
    OK(shapes_open_3(c, 4, &i));
    CHECK(i == 5);
    OK(shapes_parts(c, 9, 2, &i));
    CHECK(i == 7);
}

static void records(cs_context *c)
{
    shapes_Vec v = {1, 2}, w[3] = {{1, 2}, {3, 4}, {5, 6}};
    shapes_Pair p[2] = {{{1, 2}, true, 3}, {{4, 5}, false, -6}}, q;
    cs_array *a = NULL;
    const void *data;
    OK(shapes_turn(c, &v, &v));
    CHECK(v.x == -2 && v.y == 1);
    OK(shapes_swap(c, p, &q));
    CHECK(q.v.x == -2 && q.v.y == 1 && !q.on && q.n == 4);
    OK(shapes_turned(c, w, 3, &a));
    CHECK(a->type == shapes_Vec_type && a->rank == 1 && a->n[0] == 3);
    OK(shapes_read(a, &data));
    const shapes_Vec *t = data;
    CHECK(t[2].x == -6 && t[2].y == 5 && t[0].x == -2);
    shapes_release(a);
    OK(shapes_pairs(c, p, 2, &a));
    OK(shapes_copy(a, p, sizeof p));
    CHECK(p[1].v.y == 5 && !p[1].on && p[1].n == -6 && p[0].on);
    shapes_release(a);
    FAILS(shapes_turn(c, NULL, &v), CS_ARGUMENT_NULL, "ArgumentNullException", "turn", "");
}

static void arrays(cs_context *c)
{
    float x[] = {1, 2, 3}, y[] = {10, 20, 30};
    float m[] = {1, 2, 3, 4, 5, 6};
    int32_t k[] = {1, 2, 3, 4};
    cs_array *a = NULL, *b = NULL, *r = NULL, *s = NULL;
    const void *data;
    OK(shapes_axpy(c, 2, x, 3, y, 3, &r));
    check_floats(r, 3, (float[]){12, 24, 36});
    OK(shapes_mul(c, m, 2, 3, m, 3, 2, &r));
    CHECK(r->rank == 2 && r->n[0] == 2 && r->n[1] == 2);
    check_floats(r, 4, (float[]){22, 28, 49, 64});
    OK(shapes_above(c, k, 2, 2, 2, &r));
    OK(shapes_read(r, &data));
    CHECK(r->type == CS_BOOL && !((const bool *)data)[0] && ((const bool *)data)[1]);
    shapes_release(r);
    OK(shapes_shifted(c, x, 3, &r));
    CHECK(r->lo[0] == 5);
    check_floats(r, 3, x);
    OK(shapes_axpy(c, 2, NULL, 0, NULL, 0, &r));
    CHECK(r->n[0] == 0);
    check_floats(r, 0, NULL);
    OK(shapes_counts(c, k, 4, 5, &r));
    CHECK(r->type == CS_LONG);
    shapes_release(r);
    /* what is given stays as it is, and may go when the call is over */
    OK(shapes_first(c, x, 3, &r));
    CHECK(x[0] == 1);
    check_floats(r, 3, (float[]){7, 2, 3});
    OK(shapes_same(c, x, 3, &r));
    OK(shapes_keep(c, x, 3));
    x[1] = 99;
    check_floats(r, 3, (float[]){1, 2, 3});
    OK(shapes_kept(c, &r));
    check_floats(r, 3, (float[]){1, 2, 3});
    x[1] = 2;
    /* handles */
    OK(shapes_array(c, CS_FLOAT, 1, (int64_t[]){3}, y, &a));
    OK(shapes_wrap(c, CS_FLOAT, 1, (int64_t[]){3}, x, &b));
    OK(shapes_axpy_on(c, 3, b, a, &r));
    shapes_retain(r);
    check_floats(r, 3, (float[]){13, 26, 39});
    OK(shapes_axpy_on(c, 1, r, r, &s));
    check_floats(s, 3, (float[]){26, 52, 78});
    shapes_release(r);
    shapes_release(b);
    OK(shapes_keep_on(c, a));
    shapes_release(a);
    OK(shapes_wrap(c, CS_FLOAT, 1, (int64_t[]){3}, x, &b));
    OK(shapes_same_on(c, b, &r));
    shapes_release(b);
    x[0] = 50;
    check_floats(r, 3, (float[]){1, 2, 3});
    OK(shapes_array(c, CS_FLOAT, 1, (int64_t[]){4}, NULL, &a));
    check_floats(a, 4, (float[]){0, 0, 0, 0});
    /* what is wrong with them */
    FAILS(shapes_at(c, x, -1, 0, x), CS_RANGE, "ArgumentOutOfRangeException", "is -1", "");
    FAILS(shapes_at(c, NULL, 5, 0, x), CS_ARGUMENT_NULL, "ArgumentNullException", "5 elements", "");
    FAILS(shapes_array(c, 77, 1, (int64_t[]){1}, x, &a), CS_ARGUMENT, "ArgumentException",
          "type 77", "");
    FAILS(shapes_array(c, CS_INT, 5, (int64_t[]){1}, x, &a), CS_ARGUMENT, "ArgumentException",
          "rank 5", "");
    FAILS(shapes_array(c, CS_INT, 2, (int64_t[]){INT64_MAX, 4}, NULL, &a), CS_MEMORY,
          "OutOfMemoryException", "does not fit", "");
    OK(shapes_array(c, CS_INT, 1, (int64_t[]){4}, k, &a));
    FAILS(shapes_at_on(c, a, 0, x), CS_ARGUMENT, "ArgumentException", "another type or rank", "");
    FAILS(shapes_at_on(c, NULL, 0, x), CS_ARGUMENT, "ArgumentException", "no array", "");
    FAILS(shapes_copy(a, k, 15), CS_ARGUMENT, "ArgumentException", "16 bytes, not 15", "");
    shapes_release(a);
}

static void errors(cs_context *c)
{
    int32_t i;
    float x[] = {1, 2, 3}, y;
    cs_array *r = NULL;
    FAILS(shapes_quotient(c, 1, 0, &i), CS_DIVIDE, "DivideByZeroException", "divide by zero",
          "at quotient (");
    FAILS(shapes_at(c, x, 3, 3, &y), CS_INDEX, "IndexOutOfRangeException", "3", "at at (");
    FAILS(shapes_axpy(c, 1, x, 3, x, 2, &r), CS_DOMAIN, "DomainException", "", "at axpy (");
    FAILS(shapes_deep(c, 0, &i), CS_STACK, "StackOverflowException", "", "at deep (");
    FAILS(shapes_refuse(c, "a reason"), CS_ARGUMENT, "OddException", "a reason", "at refuse (");
    FAILS(shapes_quit(c), CS_ARGUMENT, "ArgumentException", "Environment.Exit(3)", "at quit (");
    FAILS(shapes_count(NULL, &i), CS_ARGUMENT_NULL, "ArgumentNullException", "count", "");
    CHECK(r == NULL);
}

/* Each context has its static fields, arrays and device. */
static void contexts(void)
{
    cs_context *one = NULL, *two = NULL, *none = NULL;
    cs_array *a = NULL, *r = NULL;
    int32_t i, k;
    float x[] = {1, 2, 3, 4};
    OK(shapes_open(NULL, &one));
    OK(shapes_open("ref", &two));
    for (int round = 1; round <= 3; round++) {
        OK(shapes_count(one, &i));
        OK(shapes_count(two, &k));
        CHECK(i == round && k == round);
        OK(shapes_count(two, &k));
        OK(shapes_mul(round % 2 ? one : two, x, 2, 2, x, 2, 2, &r));
        check_floats(r, 4, (float[]){7, 10, 15, 22});
        OK(shapes_kept(two, &r));
        check_floats(r, 3, x);
        CHECK(k == round + 1);
        for (; k > round; k--) { /* so that both count alike */
            shapes_close(two);
            OK(shapes_open("ref", &two));
            for (i = 0; i < round; i++) OK(shapes_count(two, &k));
        }
    }
    OK(shapes_keep(one, x, 4));
    OK(shapes_kept(two, &r));
    check_floats(r, 3, x);
    OK(shapes_array(one, CS_FLOAT, 1, (int64_t[]){4}, x, &a));
    FAILS(shapes_keep_on(two, a), CS_ARGUMENT, "ArgumentException", "no array of this context", "");
    shapes_close(one); /* its array lives on */
    check_floats(a, 4, x);
    shapes_close(two);
    shapes_close(NULL);
    cs_error *e = shapes_open("no such device", &none);
    if (e && e->code == CS_DEVICE)
        shapes_free_error(e);
    else
        CHECK(!"a device that is not there");
}

static void *work(void *context)
{
    float x[] = {1, 2, 3, 4};
    for (int i = 0; i < 200; i++) {
        cs_array *r = NULL;
        int32_t n;
        OK(shapes_mul(context, x, 2, 2, x, 2, 2, &r));
        check_floats(r, 4, (float[]){7, 10, 15, 22});
        FAILS(shapes_quotient(context, 1, 0, &n), CS_DIVIDE, "DivideByZeroException", "",
              "quotient");
        if (i % 50 == 0)
            FAILS(shapes_deep(context, 0, &n), CS_STACK, "StackOverflowException", "", "at deep (");
    }
    return NULL;
}

static void threads(void)
{
    enum { N = 4 };
    pthread_t t[N];
    cs_context *c[2] = {NULL, NULL};
    OK(shapes_open(NULL, &c[0]));
    OK(shapes_open(NULL, &c[1]));
    for (int i = 0; i < N; i++) pthread_create(&t[i], NULL, work, c[i % 2]);
    for (int i = 0; i < N; i++) pthread_join(t[i], NULL);
    shapes_close(c[0]);
    shapes_close(c[1]);
}

static void opencl(void)
{
    enum { N = 200 };
    static float x[N * N], expected[N * N];
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    cs_context *c = NULL, *other = NULL;
    cs_array *a = NULL, *r = NULL, *none = NULL;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL)) {
        printf("no OpenCL device\n");
        return;
    }
    for (int i = 0; i < N * N; i++) x[i] = (float)(i % 7);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++) expected[i * N + j] += x[i * N + k] * x[k * N + j];
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueue(cl, device, 0, &code);
    cl_mem memory = clCreateBuffer(cl, CL_MEM_READ_WRITE, sizeof x, NULL, &code);
    clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL);
    OK(shapes_open_opencl(cl, device, queue, &c));
    OK(shapes_buffer(c, CS_FLOAT, 2, (int64_t[]){N, N}, memory, &a));
    OK(shapes_mul_on(c, a, a, &r));
    check_floats(r, N * N, expected);
    OK(shapes_mul(c, x, N, N, x, N, N, &r));
    check_floats(r, N * N, expected);
    FAILS(shapes_buffer(c, CS_FLOAT, 2, (int64_t[]){N, N + 1}, memory, &none), CS_ARGUMENT,
          "ArgumentException", "bytes", "");
    shapes_retain(a);
    check_floats(a, N * N, x);
    shapes_release(a);
    shapes_close(c);
    clReleaseMemObject(memory);
    queue = (clReleaseCommandQueue(queue),
             clCreateCommandQueue(cl, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code));
    if (queue && code == CL_SUCCESS) {
        FAILS(shapes_open_opencl(cl, device, queue, &other), CS_ARGUMENT, "ArgumentException",
              "in order", "");
        clReleaseCommandQueue(queue);
    }
    FAILS(shapes_open_opencl(NULL, device, NULL, &other), CS_ARGUMENT_NULL, "ArgumentNullException",
          "", "");
    clReleaseContext(cl);
}

/* With the argument `threads` these alone. */
int main(int argc, char **argv)
{
    cs_context *c = NULL;
    if (argc > 1 && !strcmp(argv[1], "threads")) {
        threads();
        if (!failed) printf("ok\n");
        return failed;
    }
    OK(shapes_open(NULL, &c));
    values(c);
    strings(c);
    places(c);
    records(c);
    arrays(c);
    errors(c);
    values(c); /* as good as before */
    shapes_close(c);
    contexts();
    threads();
    opencl();
    if (!failed) printf("ok\n");
    return failed;
}
