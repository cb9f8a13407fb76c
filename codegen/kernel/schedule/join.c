/* Several generated texts as one. A driver takes long to begin with a program and little for each
 * text in it, so the texts of a C$ program are better built together.
 *
 * A text is plan, prelude, functions of reals, then what is its own: types, functions, kernels. The
 * common parts are made anew for all; own names, which are numbered in each text from 0, get the
 * text's number behind them by macros around it. */
#include <ctype.h>
#include <string.h>

#include "../../../base/text.h"
#include "../codegen.h"
#include "../ir/prelude.h"
#include "../math/math.h"

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const char *next_line(const char *s)
{
    const char *end = strchr(s, '\n');
    return end ? end + 1 : s + strlen(s);
}

/* What a line at the margin declares: the name before the last '(' outside parentheses, or of a
 * typedef. NULL: nothing. */
static const char *declared(const char *line, size_t *len)
{
    const char *end = line + strcspn(line, "\n");
    if (begins(line, "typedef ")) {
        while (end > line && !is_name(end[-1])) end--;
    } else if (begins(line, "__kernel void ") || begins(line, "static inline ")) {
        int depth = 0;
        do { /* from the last ')' back to what it closes */
            if (end == line) return NULL;
            end--;
            depth += (*end == ')') - (*end == '(');
        } while (depth > 0 || *end != '(');
    } else {
        return NULL;
    }
    const char *name = end;
    while (name > line && is_name(name[-1])) name--;
    *len = (size_t)(end - name);
    return *len ? name : NULL;
}

/* The macros that give a text's own names its number, or take them back. */
static void rename_own(Text *out, const char *own, int number, bool on)
{
    for (const char *line = own; *line; line = next_line(line)) {
        size_t len;
        const char *name = declared(line, &len);
        if (name && on)
            text_printf(out, "#define %.*s %.*s" CG_JOINED "\n", (int)len, name, (int)len, name,
                        number);
        else if (name)
            text_printf(out, "#undef %.*s\n", (int)len, name);
    }
}

/* What comes behind plan, prelude and functions of reals; NULL if that is not where it should be. */
static const char *own_part(const char *text)
{
    const char *plan = strstr(text, "*/\n");
    return plan ? math_skip(prelude_skip(plan + 3)) : NULL;
}

char *cg_join(int n, const char *const *texts, const CgOptions *options)
{
    Text own = {0}, math = {0}, out = {0};
    bool good = true;
    for (int i = 0; good && i < n; i++) {
        const char *part = own_part(texts[i]);
        if (!(good = part != NULL)) break;
        rename_own(&own, part, i, true);
        text_add(&own, part);
        rename_own(&own, part, i, false);
    }
    if (good) {
        math_add(&math, 1, &own, options->family == CG_GPU, options->precise);
        const Text rest[] = {math, own};
        prelude_add(&out, 2, rest);
        if (math.len) text_addn(&out, math.data, math.len);
        text_addn(&out, own.data, own.len);
    }
    text_free(&own);
    text_free(&math);
    return good ? text_take(&out) : NULL;
}
