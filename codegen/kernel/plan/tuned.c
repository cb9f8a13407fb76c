/* Values of parameters for single evaluations: lines "cpu KEY NAME=VALUE .." (KEY: 32 digits of the graph's
 * key), of which csc tune makes a file and csc a constant of the program. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../codegen.h"

enum { DIGITS = 32 };

static bool is_key(const char *at)
{
    for (int i = 0; i < DIGITS; i++)
        if (!isxdigit((unsigned char)at[i])) return false;
    return at[DIGITS] == ' ';
}

/* The three parts of a line; false: it has none, or is wrong. */
static bool split(const char *line, CgFamily *family, FdKey *key, const char **set)
{
    char digits[DIGITS / 2 + 1] = "";
    if (strncmp(line, "cpu ", 4) != 0 && strncmp(line, "gpu ", 4) != 0) return false;
    *family = *line == 'g' ? CG_GPU : CG_CPU;
    if (!is_key(line + 4)) return false;
    memcpy(digits, line + 4, DIGITS / 2);
    key->hi = strtoull(digits, NULL, 16);
    memcpy(digits, line + 4 + DIGITS / 2, DIGITS / 2);
    key->lo = strtoull(digits, NULL, 16);
    *set = line + 4 + DIGITS + 1;
    return true;
}

void cg_tuned_add(Text *tuned, FdKey graph, CgFamily family, const char *set)
{
    text_printf(tuned, "%s %016llx%016llx %s\n", family == CG_GPU ? "gpu" : "cpu",
                (unsigned long long)graph.hi, (unsigned long long)graph.lo, set);
}

void cg_tuned_find(const char *tuned, FdKey graph, CgFamily family, Text *set)
{
    for (const char *line = tuned, *end; line && *line; line = *end ? end + 1 : end) {
        CgFamily f;
        FdKey key;
        const char *values;
        end = line + strcspn(line, "\n");
        if (!split(line, &f, &key, &values) || f != family) continue;
        if (key.hi != graph.hi || key.lo != graph.lo) continue;
        if (set->len) text_add(set, " ");
        text_addn(set, values, (size_t)(end - values));
    }
}

bool cg_tuned_read(const char *file, Text *tuned, int *line_number)
{
    *line_number = 0;
    for (const char *line = file, *end; *line; line = *end ? end + 1 : end) {
        CgFamily f;
        FdKey key;
        const char *values;
        end = line + strcspn(line, "\n");
        size_t n = strcspn(line, "#\n"), at;
        ++*line_number;
        while (n && strchr(" \t\r", line[n - 1])) n--;
        if (!n) continue;
        Text own = {0};
        text_addn(&own, line, n);
        bool good = split(own.data, &f, &key, &values) && cg_set_is_right(values, &at);
        if (good) cg_tuned_add(tuned, key, f, values);
        text_free(&own);
        if (!good) return false;
    }
    return true;
}
