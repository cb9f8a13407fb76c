/* Counted values: references, arrays with copy on write, memory and its limit, frames. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../base/internal.h"
#include "../../../runtime/native/guard.h"
#include "runtime_test.h"

START_TEST(counts)
{
    void *s = cs_str("abc", 3);
    ck_assert_ptr_eq(cs_retain(s), s);
    cs_release(s);
    ck_assert_int_eq(rt.value.live, 1);
    cs_release(s);
    ck_assert_int_eq(rt.value.live, 0);
    cs_release(NULL);
    ck_assert_ptr_null(cs_retain(NULL));

    int64_t two = 2; /* an array owns its elements */
    void *strs = cs_array_new(CS_ELEM_REF, 1, &two, &site);
    void **p = cs_array_write(&strs, &site);
    p[0] = cs_str("x", 1);
    void *kept = cs_retain(p[0]);
    void *copy = cs_retain(strs);
    void **q = cs_array_write(&copy, &site);
    ck_assert_ptr_ne(p, q);
    ck_assert_ptr_eq(q[0], kept);
    cs_release(strs);
    cs_release(copy);
    ck_assert_int_eq(rt.value.live, 1);
    cs_release(kept);
}
END_TEST

/* What is beside a guarded copy cannot be touched; the copy is written back. */
START_TEST(guarded)
{
    for (int before = 0; before < 2; before++)
        for (int at = -1; at <= 5000; at += 5001) {
            char bytes[5000] = "abc";
            Guarded *all = NULL;
            volatile char *copy = guard_put(&all, bytes, sizeof bytes, before);
            ck_assert_ptr_eq(guard_put(&all, bytes, sizeof bytes, before), (char *)copy);
            ck_assert_ptr_ne(guard_put(&all, NULL, 1, before), (char *)copy);
            ck_assert_int_eq(copy[2], 'c');
            copy[4999] = 'z';
            pid_t child = fork();
            if (child == 0) {
                signal(SIGSEGV, SIG_DFL);
                copy[at] = 1;
                _exit(0);
            }
            int status;
            ck_assert_int_eq(waitpid(child, &status, 0), child);
            bool dies = before == (at < 0);
            ck_assert(dies ? WIFSIGNALED(status) : WIFEXITED(status));
            guard_end(all);
            ck_assert_int_eq(bytes[4999], 'z');
        }
}
END_TEST

/* A fault of our own is told with the line of what was evaluated, and ends the process as ever. */
START_TEST(faults)
{
    int both[2], status;
    char told[200] = "";
    ck_assert_int_eq(pipe(both), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(both[1], STDERR_FILENO);
        rt.at = &site;
        raise(SIGSEGV);
        _exit(0);
    }
    close(both[1]);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    ck_assert_int_gt(read(both[0], told, sizeof told - 1), 0);
    close(both[0]);
    char expected[200];
    snprintf(expected, sizeof expected, "internal error: segmentation fault at %s:%d\n", site.file,
             (int)site.line);
    ck_assert_str_eq(told, expected);
}
END_TEST

static void break_down(void *ctx)
{
    (void)ctx;
    internal_error("here", "this cannot be");
}

START_TEST(internal)
{
    ck_assert(!mem_try(break_down, NULL));
    rt_throw_memory(&site, 0);
    ck_assert_str_eq(rt_pending_message(), "InvalidProgramException: here: this cannot be");
    expect_error("InvalidProgramException");
    rt_throw_memory(&site, 8); /* the next one is what it is */
    expect_error("OutOfMemoryException");
}
END_TEST

START_TEST(arguments)
{
    static char name[] = "prog", one[] = "x y", two[] = "";
    char *argv[] = {name, one, two, NULL};
    void *none = cs_args();
    ck_assert_int_eq(cs_length(none, &site), 0);
    cs_release(none);
    cs_finish(); /* a program starts once */
    cs_start(3, argv, &program);
    void *args = cs_args();
    ck_assert_int_eq(cs_length(args, &site), 2);
    Str **p = cs_array_read(args, &site);
    ck_assert_str_eq(p[0]->bytes, "x y");
    ck_assert_int_eq(p[1]->len, 0);
    cs_release(args);
}
END_TEST

START_TEST(copy_on_write)
{
    int64_t n[2] = {3, 4};
    void *a = floats(2, n, 0, 1), *b = cs_retain(a);
    float *pa = cs_array_read(a, &site);
    float *pb = cs_array_write(&b, &site);
    ck_assert_ptr_ne(a, b);
    pb[5] = 100;
    ck_assert(pa[5] == 5 && pb[4] == 4);
    ck_assert_int_eq(((CsArray *)b)->host_state, CS_HOST_READ | CS_HOST_WRITE);
    ck_assert_ptr_eq(cs_array_write(&b, &site), pb); /* unshared now */
    ck_assert_int_eq(cs_array_ready(&a, 1), 1);
    ck_assert_ptr_eq(((CsArray *)a)->data, pa);
    ck_assert_int_eq(((CsArray *)b)->dim[0].stride, 4);
    cs_release(a);
    cs_release(b);
    void *e = cs_array_empty(SC_DOUBLE, 3);
    ck_assert_ptr_null(cs_array_read(e, &site));
    ck_assert_int_eq(cs_length(e, &site), 0);
    cs_release(e);
}
END_TEST

START_TEST(memory)
{
    int64_t huge[3] = {INT64_C(1) << 30, INT64_C(1) << 30, 16}, much = INT64_C(1) << 50, less = -1;
    ck_assert_ptr_null(cs_array_new(SC_FLOAT, 3, huge, &site));
    expect_error("OutOfMemoryException");
    ck_assert_ptr_null(cs_array_new(SC_FLOAT, 1, &much, &site));
    expect_error("OutOfMemoryException: no room");
    ck_assert_ptr_null(cs_array_new(SC_FLOAT, 1, &less, &site));
    expect_error("OverflowException");
    huge[2] = 0; /* no elements, whatever the rest */
    void *none = cs_array_new(SC_FLOAT, 3, huge, &site);
    ck_assert_int_eq(cs_length(none, &site), 0);
    cs_release(none);

    int64_t n = 100000; /* blocks are used again, and are zero again */
    for (int i = 0; i < 50; i++) {
        void *a = cs_array_new(SC_INT, 1, &n, &site);
        int32_t *p = cs_array_read(a, &site);
        for (int64_t k = 0; k < n; k += 997) ck_assert_int_eq(p[k], 0);
        memset(p, 0xFF, (size_t)n * 4);
        cs_release(a);
    }
    ck_assert_uint_le(rt.memory.blocks, 2);
    ck_assert_uint_eq(rt.memory.used, 0);
}
END_TEST

START_TEST(memory_limit)
{
    setenv("CS_MEM_LIMIT", "1M", 1);
    int64_t n = 200000, more = 300000;
    void *a = cs_array_new(SC_FLOAT, 1, &n, &site);
    ck_assert_ptr_nonnull(a);
    ck_assert_ptr_null(cs_array_new(SC_FLOAT, 1, &more, &site));
    expect_error("OutOfMemoryException");
    cs_release(a);
    unsetenv("CS_MEM_LIMIT");
}
END_TEST

/* At most 200 bytes beside the elements, and nothing on a device. */
START_TEST(small_arrays)
{
    enum { N = 100000, ELEMENTS = 3 };
    static void *all[N];
    int64_t n = ELEMENTS;
    size_t before = mallinfo2().uordblks;
    for (int i = 0; i < N; i++) {
        all[i] = cs_array_new(SC_INT, 1, &n, &site);
        int32_t *p = cs_array_write(&all[i], &site);
        p[0] = p[2] = i;
    }
    size_t each = (mallinfo2().uordblks - before) / N;
#ifndef __SANITIZE_ADDRESS__ /* whose blocks are larger, and not counted */
    ck_assert_uint_ge(each, ELEMENTS * sizeof(int32_t));
#endif
    ck_assert_uint_le(each, 200 + ELEMENTS * sizeof(int32_t));
    for (int i = 0; i < N; i++) {
        ck_assert_int_eq(((int32_t *)cs_array_read(all[i], &site))[2], i);
        ck_assert_ptr_null(((Array *)all[i])->head.buffer->device);
        cs_release(all[i]);
    }
    ck_assert_uint_eq(rt.memory.used, 0);
    ck_assert_uint_le(rt.memory.pooled, 64 * 16); /* a few blocks stay at hand */
    memory_trim();
    ck_assert_uint_eq(rt.memory.pooled, 0);
}
END_TEST

/* A small array that died comes back with its memory for the next of its rank and size, and is as a new one. */
START_TEST(resting)
{
    const FdBox line = {.rank = 1, .dim = {{.lo = 2, .hi = 5}}},
                square = {.rank = 2, .dim = {{.hi = 3}, {.hi = 1}}};
    Array *a = rt_array_over(SC_INT, &line, &site);
    void *slot = a;
    memset(cs_array_write(&slot, &site), 1, 12);
    a->head.visit = 7;
    a->head.buffer->maker = 3;
    const int64_t live = rt.value.live;
    cs_release(a);
    ck_assert_int_eq(rt.value.live, live - 1);
    ck_assert_uint_eq(rt.memory.used, 0);
    ck_assert_uint_eq(rt.memory.pooled, 16);
    Array *other = rt_array_over(SC_INT, &square, &site);
    ck_assert_ptr_ne(other, a);
    Array *b = rt_array_over(SC_FLOAT, &line, &site);
    ck_assert_ptr_eq(b, a);
    ck_assert_int_eq(b->head.elem, SC_FLOAT);
    ck_assert_int_eq(b->head.head.refs, 1);
    ck_assert_int_eq(b->head.host_state, 0);
    ck_assert_uint_eq(b->head.visit, 0);
    ck_assert_ptr_null(b->head.data);
    ck_assert(b->head.buffer->fresh && b->head.buffer->maker == 0 && b->head.buffer->refs == 1);
    ck_assert(b->head.dim[0].lo == 2 && b->head.dim[0].n == 3 && b->head.dim[0].stride == 1);
    ck_assert_uint_eq(rt.memory.used, 32);
    Buffer *shared = b->head.buffer; /* another one has its memory: it goes alone */
    shared->refs++;
    cs_release(b);
    ck_assert_uint_eq(rt.memory.pooled, 0);
    buffer_release(shared);
    cs_release(other);
    ck_assert_uint_eq(rt.memory.used, 0);
    memory_trim();
    ck_assert_uint_eq(rt.memory.pooled, 0);
}
END_TEST

/* What rests is no reason to be out of memory. */
START_TEST(resting_limit)
{
    setenv("CS_MEM_LIMIT", "1M", 1);
    for (int64_t n = 1000; n < 16000; n += 1000) {
        const FdBox box = {.rank = 1, .dim = {{.hi = n}}};
        Array *all[6];
        for (int i = 0; i < 6; i++)
            ck_assert_ptr_nonnull(all[i] = rt_array_over(SC_INT, &box, &site));
        for (int i = 0; i < 6; i++) ck_assert_ptr_nonnull(rt_array_part(all[i], true, &site));
        for (int i = 0; i < 6; i++) cs_release(all[i]);
    }
    int64_t n = 200000;
    void *a = cs_array_new(SC_FLOAT, 1, &n, &site);
    ck_assert_ptr_nonnull(a);
    cs_release(a);
    unsetenv("CS_MEM_LIMIT");
}
END_TEST

START_TEST(frames)
{
    CsSite inner = {"f", "test.cs$", 3, 5}, outer = {"top level", "test.cs$", 9, 1};
    int64_t index[2] = {5, -1}, n[2] = {3, 4};
    void *a = cs_array_new(SC_INT, 2, n, &site);
    cs_throw_index(a, 2, index, &inner);
    cs_throw_divide(&inner); /* the first stays */
    cs_frame(&outer);
    ck_assert_int_eq(rt.error.nframes, 2);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    error_print(out);
    fclose(out);
    ck_assert_str_eq(text,
                     "Unhandled IndexOutOfRangeException: index (5, -1) is outside 0..3, 0..4\n"
                     "   at f (test.cs$:3:5)\n   at top level (test.cs$:9:1)\n");
    free(text);
    rt_catch();
    cs_release(a);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {counts,       guarded,       faults,        internal,
                                  arguments,    copy_on_write, memory,        memory_limit,
                                  small_arrays, resting,       resting_limit, frames};
    return run_tests("runtime value", tests, (int)(sizeof tests / sizeof *tests));
}
