/* What --explain says of a code, and the settings of warnings. Explanations are those of diag.def,
 * examples those of examples.def; both are Markdown, from which docs/diagnostics.md is made. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

static const struct {
    const char *id;
    int number;
    bool warning;
    const char *explanation;
} table[DIAG_COUNT] = {
#define SEVERITY_E false
#define SEVERITY_W true
#define DIAG(id, number, severity, explanation) {#id, number, SEVERITY_##severity, explanation},
#include "diag.def"
#undef DIAG
#undef SEVERITY_E
#undef SEVERITY_W
};

static const struct {
    const char *wrong, *right;
} examples[DIAG_COUNT] = {
#define EXAMPLE(id, wrong, right) [DIAG_##id] = {wrong, right},
#include "examples.def"
#undef EXAMPLE
};

int diag_number(DiagCode code)
{
    return table[code].number;
}

bool diag_is_warning(DiagCode code)
{
    return table[code].warning;
}

enum { NAME_SIZE = 40 };

/* UNUSED_WRITE: "unused-write" */
static void dashed(DiagCode code, char name[NAME_SIZE])
{
    size_t i = 0;
    for (const char *id = table[code].id; *id && i + 1 < NAME_SIZE; id++)
        name[i++] = *id == '_' ? '-' : (char)tolower((unsigned char)*id);
    name[i] = '\0';
}

static void add_example(Text *out, const char *title, const char *code)
{
    text_printf(out, "\n%s:\n\n", title);
    while (*code) {
        int len = (int)strcspn(code, "\n");
        text_printf(out, "    %.*s\n", len, code);
        code += len + (code[len] == '\n');
    }
}

void diag_explain(Text *out, DiagCode code)
{
    text_printf(out, "## CS%d, %s", table[code].number,
                table[code].warning ? "a warning" : "an error");
    if (table[code].warning) {
        char name[NAME_SIZE];
        dashed(code, name);
        text_printf(out, " (`-Wno-%s`)", name);
    }
    text_printf(out, "\n\n%s\n", table[code].explanation);
    if (examples[code].wrong) add_example(out, "Wrong", examples[code].wrong);
    if (examples[code].right) add_example(out, "Right", examples[code].right);
}

static void add_member(Text *out, const char *name, const char *text)
{
    if (!text) return;
    text_printf(out, ", \"%s\": ", name);
    diag_add_json(out, text);
}

static void explain_json(Text *out, DiagCode code)
{
    char name[NAME_SIZE];
    dashed(code, name);
    text_printf(out, "{\"code\": \"CS%d\", \"severity\": \"%s\"", table[code].number,
                table[code].warning ? "warning" : "error");
    add_member(out, "warning", table[code].warning ? name : NULL);
    add_member(out, "explanation", table[code].explanation);
    add_member(out, "wrong", examples[code].wrong);
    add_member(out, "right", examples[code].right);
    text_add(out, "}\n");
}

static int by_number(const void *a, const void *b)
{
    return table[*(const DiagCode *)a].number - table[*(const DiagCode *)b].number;
}

static void sort_codes(DiagCode codes[DIAG_COUNT])
{
    for (DiagCode c = 0; c < DIAG_COUNT; c++) codes[c] = c;
    qsort(codes, DIAG_COUNT, sizeof *codes, by_number);
}

void diag_explain_json(Text *out, const DiagCode *code)
{
    DiagCode codes[DIAG_COUNT];
    sort_codes(codes);
    for (size_t i = 0; i < DIAG_COUNT; i++)
        if (!code || codes[i] == *code) explain_json(out, codes[i]);
}

void diag_explain_all(Text *out)
{
    DiagCode codes[DIAG_COUNT];
    sort_codes(codes);
    for (size_t i = 0; i < DIAG_COUNT; i++) {
        if (i > 0) text_add(out, "\n");
        diag_explain(out, codes[i]);
    }
}

bool diag_from_text(const char *text, DiagCode *code)
{
    int number = 0;
    if ((text[0] == 'C' || text[0] == 'c') && (text[1] == 'S' || text[1] == 's')) text += 2;
    for (; isdigit((unsigned char)*text) && number < 100000; text++)
        number = 10 * number + (*text - '0');
    for (*code = 0; *code < DIAG_COUNT && !*text; ++*code)
        if (table[*code].number == number) return true;
    return false;
}

/* The warning of this name; DIAG_COUNT if there is none. */
static DiagCode warning_named(const char *text)
{
    for (DiagCode c = 0; c < DIAG_COUNT; c++) {
        char name[NAME_SIZE];
        dashed(c, name);
        if (table[c].warning && strcmp(name, text) == 0) return c;
    }
    return DIAG_COUNT;
}

bool diag_set_warning(DiagLevel levels[DIAG_COUNT], const char *text)
{
    DiagLevel level = DIAG_WARN;
    if (strcmp(text, "error") == 0) {
        for (DiagCode c = 0; c < DIAG_COUNT; c++)
            if (levels[c] == DIAG_WARN) levels[c] = DIAG_FAIL;
        return true;
    }
    if (strncmp(text, "no-", 3) == 0) {
        level = DIAG_IGNORE;
        text += 3;
    } else if (strncmp(text, "error=", 6) == 0) {
        level = DIAG_FAIL;
        text += 6;
    }
    DiagCode code = warning_named(text);
    if (code < DIAG_COUNT) levels[code] = level;
    return code < DIAG_COUNT;
}

const char *diag_nearest_warning(Arena *a, const char *text)
{
    const char *names[DIAG_COUNT];
    size_t n = 0;
    if (strncmp(text, "no-", 3) == 0)
        text += 3;
    else if (strncmp(text, "error=", 6) == 0)
        text += 6;
    for (DiagCode c = 0; c < DIAG_COUNT; c++) {
        if (!table[c].warning) continue;
        char name[NAME_SIZE];
        dashed(c, name);
        names[n++] = arena_strndup(a, name, strlen(name));
    }
    return diag_nearest(text, names, n);
}
