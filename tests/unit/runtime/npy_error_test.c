/* Npy.Load and Npy.Save when something is wrong: every error with its message, and headers and
 * files mutated at random, which must never crash or load more than they hold. Run from the root of
 * the project. */
#include "../suite.h"
#include "npy_files.h"

/* ---- errors ------------------------------------------------------------------------------- */

START_TEST(unreadable)
{
    load("nowhere.npy", SC_FLOAT, 2);
    throws("IOException: cannot read nowhere.npy: there is no such file (the name is relative", "");
    load(path("no\nwhere.npy"), SC_FLOAT, 2);
    throws("IOException: cannot read /tmp/", "/no\\nwhere.npy: there is no such file");
    load("tests", SC_FLOAT, 2);
    throws("IOException: cannot read tests: it is a folder", "");
    load("", SC_FLOAT, 2);
    throws("IOException: cannot read a file: its name is empty", "");
    Str *nul = rt_str_new("a\0b", 3);
    cs_npy_load(nul, SC_FLOAT, 1, &site);
    throws("IOException: cannot read ", "NUL");
    cs_release(nul);
    put(path("e.npy"), "", 0);
    load(path("e.npy"), SC_FLOAT, 2);
    throws("IOException: cannot read ",
           "e.npy: it is empty; write it with Npy.Save or NumPy's np.save");
    put(path("e.npy"), "1,2,3\n4,5,6\n", 12);
    load(path("e.npy"), SC_FLOAT, 2);
    throws("IOException: cannot read ", "e.npy: it is no .npy file");
    put(path("e.npy"), "\x93NUMPY\x04\x00\x10\x00\x00\x00", 12);
    load(path("e.npy"), SC_FLOAT, 2);
    throws("IOException: cannot read ", "it is .npy version 4.0, and 1.0, 2.0 and 3.0 are known");
    put(path("e.npy"), "\x93NUMPY\x02\x00\xFF\xFF\xFF\xFF{", 13);
    load(path("e.npy"), SC_FLOAT, 2);
    throws("IOException: cannot read ", "truncated");
}
END_TEST

START_TEST(bad_headers)
{
    static const struct {
        const char *dict, *message;
    } bad[] = {
        {"", "ends where a Python dictionary is expected"},
        {"[1, 2]", "has '[' where a Python dictionary is expected"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)", "ends where ',' or '}'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)} x", "has 'x' where the end"},
        {"{'descr': '<f4', 'fortran_order': False}", "has no 'shape'"},
        {"{'descr': '<f4', 'shape': (2, 2)}", "has no 'fortran_order'"},
        {"{'fortran_order': False, 'shape': (2, 2)}", "has no 'descr'"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 2)}", "'0' where True or False"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2, 2)}", "negative extent"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2.0, 2)}", "has '.' where"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", "not a tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': 2}", "'2' where the shape"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2 2)}", "'2' where ',' or ')'"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "64 bits"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}",
         "any memory"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 0, 9)}",
         "any mem"},
        {"{'descr': '<q9', 'fortran_order': False, 'shape': (2, 2)}", "an unknown type ('<q9')"},
        {"{'descr': '', 'fortran_order': False, 'shape': (2, 2)}", "an unknown type ('')"},
        {"{'descr': '<f16', 'fortran_order': False, 'shape': (2, 2)}", "extended reals ('<f16')"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}", "Python objects ('|O')"},
        {"{'descr': None, 'fortran_order': False, 'shape': (2, 2)}",
         "'None' where the element type"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), 'x': ((((((((((((((((((1,),),)",
         "nested too deeply"},
        {"{'descr': '<f4", "where the element type"},
        {"{descr: '<f4'}", "'descr' where a key"},
        {"{'descr' '<f4'}", "where ':' is expected"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}", "it is truncated: (2, 2) of "
                                                                      "float32 take 16 bytes, the "
                                                                      "file has 15"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1000000, 1000000)}",
         "take 4000000000000 bytes, the file has 15"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put_npy(path("h.npy"), bad[i].dict, 15);
        load(path("h.npy"), SC_FLOAT, strstr(bad[i].dict, "shape': (1000000") ? 2 : 2);
        throws("IOException: cannot read ", bad[i].message);
    }
}
END_TEST

START_TEST(odd_headers)
{
    static const char *const good[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }",
        "{\"shape\":(2,2,),\"fortran_order\":False,\"descr\":\"f4\"}",
        "  { u'shape' : ( 2L , 2L ), u'descr' : '=f4', 'fortran_order' : False }   ",
        "{'note': [1, -2, {'a': None}], 'descr': '<f4', 'fortran_order': False, 'shape': (2, 2)}",
        "{'descr': '<f8', 'descr': '<f4', 'fortran_order': True, 'shape': (0x, ), 'shape': (2, 2)}",
    };
    for (size_t i = 0; i < 4; i++) {
        put_npy(path("h.npy"), good[i], 40); /* more than it needs */
        Array *a = load(path("h.npy"), SC_FLOAT, 2);
        ck_assert_msg(a != NULL, "%s", rt_pending_message());
        has_shape(a, 2, (int64_t[]){2, 2});
        cs_release(a);
    }
    put_npy(path("h.npy"), good[4], 40);
    load(path("h.npy"), SC_FLOAT, 2);
    throws("IOException: ", "an extent of the shape");
    put_npy(path("h.npy"), "{'descr': '|b1', 'fortran_order': False, 'shape': (5,)}", 5);
    Array *a = load(path("h.npy"), SC_BOOL, 1);
    ck_assert_mem_eq(rt_array_data(a, &site), "\0\1\1\1\1", 5);
    cs_release(a);
}
END_TEST

START_TEST(pipes)
{
    char command[256];
    ck_assert_int_eq(mkfifo(path("fifo"), 0600), 0);
    snprintf(command, sizeof command, "cat tests/npy/fortran-f8.npy > %s &", path("fifo"));
    ck_assert_int_eq(system(command), 0);
    Array *a = load(path("fifo"), SC_DOUBLE, 3);
    ck_assert(a && number(a, 23) == 23 / 8.0);
    cs_release(a);
    ck_assert_int_eq(mkfifo(path("short"), 0600), 0); /* cat may still hold the other one */
    snprintf(command, sizeof command, "head -c 300 tests/npy/fortran-f8.npy > %s &", path("short"));
    ck_assert_int_eq(system(command), 0);
    load(path("short"), SC_DOUBLE, 3);
    throws("IOException: cannot read ", "truncated");
}
END_TEST

START_TEST(unwritable)
{
    Array *a = sample(SC_FLOAT, 2, (int64_t[]){2, 2});
    save(path("none/a.npy"), a);
    throws("IOException: cannot write /tmp/",
           "none/a.npy: its folder does not exist; create it first");
    save(path(""), a);
    throws("IOException: cannot write /tmp/", "it is a folder");
    save("", a);
    throws("IOException: cannot write a file: its name is empty", "");
    save("/proc/none.npy", a);
    throws("IOException: cannot write /proc/none.npy: ", "");
    save("/dev/full", a);
    throws("IOException: cannot write /dev/full: the disk is full", "");
    save("/dev/null", a);
    ck_assert_int_eq(cs_pending, 0);
    struct stat st;
    ck_assert(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    put(path("file"), "x", 1);
    save(path("file/a.npy"), a);
    throws("IOException: cannot write /tmp/", "file");
    cs_release(a);
    a = rt_array_new(CS_ELEM_REF, 1, NULL, (int64_t[]){1}, true, &site);
    save(path("r.npy"), a);
    throws("IOException: ", "an .npy file holds numbers");
    cs_release(a);
}
END_TEST

/* Replacing keeps the rights and what a link points to; a failure keeps the old file and leaves no
 * other. */
START_TEST(replaced)
{
    struct stat st;
    Array *a = sample(SC_INT, 1, (int64_t[]){100000}), *b = sample(SC_INT, 1, (int64_t[]){3});
    save(path("r.npy"), b);
    ck_assert_int_eq(chmod(path("r.npy"), 0640), 0);
    ck_assert_int_eq(symlink("r.npy", path("link.npy")), 0);
    save(path("link.npy"), a);
    ck_assert(lstat(path("link.npy"), &st) == 0 && S_ISLNK(st.st_mode));
    ck_assert(stat(path("r.npy"), &st) == 0 && (st.st_mode & 0777) == 0640 && st.st_size > 400000);
    Array *c = load(path("r.npy"), SC_INT, 1);
    ck_assert_int_eq(rt_array_count(c), 100000);
    char command[256];
    snprintf(command, sizeof command, "[ $(ls -A %s | wc -l) = 2 ]", folder);
    ck_assert_int_eq(system(command), 0);
    cs_release(a);
    cs_release(b);
    cs_release(c);
}
END_TEST

/* ---- fuzz --------------------------------------------------------------------------------- */

static uint32_t dice(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

START_TEST(fuzz_headers)
{
    static const char *const seeds[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n",
        "{'shape': (2, 3, 4, 5), 'descr': '>i8', 'fortran_order': True}\n",
        "{'descr': [('x', '<f4'), ('y', '<i4', (2,))], 'fortran_order': False, 'shape': (7,)}\n",
        "{u'descr': \"|b1\", 'x': {1: [2, -3], 'y': None}, 'fortran_order': False, 'shape': ()}\n"};
    static const char alphabet[] = "{}[]():,'\"\\ -0123456789LTrueFalse<>|=fiub\n\0\xFF";
    uint64_t state = 1;
    for (int round = 0; round < 200000; round++) {
        char text[160];
        const char *seed = seeds[dice(&state) % 4];
        size_t len = strlen(seed);
        memcpy(text, seed, len);
        for (uint32_t n = 1 + dice(&state) % 4; n--;) {
            size_t at = dice(&state) % len;
            char c = alphabet[dice(&state) % (sizeof alphabet - 1)];
            switch (dice(&state) % 4) {
            case 0: len = at ? at : 1; break;
            case 1:
                memmove(text + at + 1, text + at, len - at);
                len++;
                text[at] = c;
                break;
            case 2:
                if (len > 1) memmove(text + at, text + at + 1, --len - at);
                break;
            default: text[at] = c; break;
            }
        }
        char *exact = malloc(len); /* so that reading past the end is seen */
        memcpy(exact, text, len);
        NpyHeader h;
        Text why = {0};
        if (npy_header_read(exact, len, &h, &why)) {
            ck_assert_int_ge(h.count, 0);
            ck_assert_int_le(h.rank, NPY_MAX_RANK);
            ck_assert_uint_eq(why.len, 0);
        } else {
            ck_assert_uint_gt(why.len, 0);
            ck_assert_ptr_null(strchr(why.data, '\n'));
        }
        text_free(&why);
        free(exact);
    }
}
END_TEST

START_TEST(fuzz_files)
{
    uint64_t state = 2;
    FILE *f = fopen("tests/npy/fortran-big-i2.npy", "rb");
    char bytes[176];
    ck_assert_uint_eq(fread(bytes, 1, sizeof bytes, f), sizeof bytes);
    fclose(f);
    for (int round = 0; round < 4000; round++) {
        char mutated[sizeof bytes];
        memcpy(mutated, bytes, sizeof bytes);
        size_t len = dice(&state) % 4 ? sizeof bytes : dice(&state) % sizeof bytes;
        for (uint32_t n = dice(&state) % 4; n--;) mutated[dice(&state) % 70] = (char)dice(&state);
        put(path("f.npy"), mutated, len);
        Array *a = load(path("f.npy"), dice(&state) % 2 ? SC_SHORT : SC_DOUBLE, 2);
        if (!a) throws("IOException: ", "f.npy");
        cs_release(a);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("npy errors");
    TCase *t = tcase_create("npy errors");
    tcase_set_timeout(t, 60);
    tcase_add_checked_fixture(t, make_folder, remove_folder);
    tcase_add_test(t, unreadable);
    tcase_add_test(t, bad_headers);
    tcase_add_test(t, odd_headers);
    tcase_add_test(t, pipes);
    tcase_add_test(t, unwritable);
    tcase_add_test(t, replaced);
    tcase_add_test(t, fuzz_headers);
    tcase_add_test(t, fuzz_files);
    suite_add_tcase(s, t);
    return run_suite(s);
}
