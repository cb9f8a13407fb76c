/* Reduces a failing case: shorter sequences of choices and smaller choices, as long as it fails.
 * What is left out of a sequence is a statement, an operand or an argument; what becomes 0 is a
 * leaf, a small size, the first type. */
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reduction {
    Choices now;
    const char *command; /* succeeds if the program in its last argument still fails */
    const char *file;
    int tries;
} Reduction;

static void write_program(const Choices *c, Text *out)
{
    Choices copy = *c;
    copy.at = 0;
    copy.replay = true;
    write_prelude(out);
    write_case(out, 1, &copy);
    write_main(out, (int[]){1}, 1);
}

static bool fails(Reduction *r, const Choices *c)
{
    Text text = {0}, command = {0};
    write_program(c, &text);
    FILE *f = fopen(r->file, "w");
    if (!f || fputs(text.data, f) < 0 || fclose(f) != 0) {
        perror(r->file);
        exit(2);
    }
    text_printf(&command, "%s '%s'", r->command, r->file);
    r->tries++;
    int status = system(command.data);
    text_free(&text);
    text_free(&command);
    return status == 0;
}

/* Takes the changed sequence if it fails, too; frees the other one. */
static bool accept(Reduction *r, Choices changed)
{
    bool ok = fails(r, &changed);
    vec_free(ok ? &r->now : &changed);
    if (ok) r->now = changed;
    return ok;
}

static Choices copy_of(const Choices *c)
{
    Choices copy = {.len = c->len};
    vec_reserve(&copy, c->len + 1);
    memcpy(copy.data, c->data, c->len * sizeof *copy.data);
    return copy;
}

/* Leaves out, or sets to 0, runs of `size` choices, the last ones first. */
static bool pass_of_runs(Reduction *r, size_t size, bool leave_out)
{
    bool any = false;
    for (size_t end = r->now.len; end > 0; end = end > size ? end - size : 0) {
        if (end > r->now.len) end = r->now.len;
        size_t from = end > size ? end - size : 0;
        Choices c = copy_of(&r->now);
        bool zeros = true;
        for (size_t i = from; i < end; i++) zeros &= c.data[i] == 0;
        if (leave_out) {
            memmove(c.data + from, c.data + end, (c.len - end) * sizeof *c.data);
            c.len -= end - from;
        } else {
            memset(c.data + from, 0, (end - from) * sizeof *c.data);
        }
        if (zeros && !leave_out)
            vec_free(&c);
        else
            any |= accept(r, c);
    }
    return any;
}

static bool pass_of_values(Reduction *r)
{
    bool any = false;
    for (size_t i = 0; i < r->now.len; i++)
        for (uint32_t less = 0; less < 2; less++) {
            uint32_t x = r->now.data[i], y = less ? x - 1 : x / 2;
            if (x < 2 || (less && x == 2)) continue;
            Choices c = copy_of(&r->now);
            c.data[i] = y;
            any |= accept(r, c);
        }
    return any;
}

int reduce_case(uint64_t seed, const char *command, const char *file, Text *out)
{
    Reduction r = {.command = command, .file = file};
    Text text = {0};
    choices_seed(&r.now, seed);
    write_case(&text, 1, &r.now);
    text_free(&text);
    if (!fails(&r, &r.now)) {
        fprintf(stderr, "case %llu does not fail\n", (unsigned long long)seed);
        return 1;
    }
    bool any = true;
    while (any) {
        any = false;
        for (size_t size = r.now.len / 2 + 1; size > 0; size /= 2) {
            any |= pass_of_runs(&r, size, true);
            any |= pass_of_runs(&r, size, false);
        }
        any |= pass_of_values(&r);
    }
    write_program(&r.now, out);
    fprintf(stderr, "%zu choices left, %d programs tried\n", r.now.len, r.tries);
    vec_free(&r.now);
    return 0;
}
