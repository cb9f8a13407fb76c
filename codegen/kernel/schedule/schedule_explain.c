/* A schedule for people: what each definition is computed by, in words, from its text. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../base/text.h"
#include "../codegen.h"

static const struct {
    const char *nest, *recipes, *what; /* recipes: whose parameters it has */
} forms[] = {
    {"contract_direct", "contract",
     "register tiles of rows and columns, operands read where they lie"},
    {"contract_panel", "contract",
     "register tiles of rows and columns, the columns' operand in a panel"},
    {"contract_blocks", "contract",
     "the same of one of many long products, a block of the sum at a time"},
    {"pack_rows", "contract", "copies the rows' operand in the order of the tiles"},
    {"pack_columns", "contract", "copies the columns' operand in the order of the tiles"},
    {"contract_packed", "contract",
     "register tiles of the copies, in blocks that stay in the caches"},
    {"contract_tiles", "contract", "tiles in local memory"},
    {"column_bands", "columns", "long sums of columns, a band of rows for each work-item"},
    {"column_sums", "columns", "adds the bands"},
    {"thin_bands", "thin columns",
     "few rows times a large matrix, a band of its rows for each work-item"},
    {"thin_sums", "thin columns", "adds the bands"},
    {"few_bands", "few columns", "long sums of few results, a band of rows for each work-item"},
    {"few_sums", "few columns", "adds the bands"},
    {"batch", "batch", "many small ones side by side in lanes, turned as they are read"},
    {"batch_beside", "batch", "sums of a few components side by side, which share what they can"},
    {"strips", "strips", "results side by side in registers while the reduction runs"},
    {"reduce_rows", "rows strips chunks", "a reduction in lanes, one row after the other"},
    {"reduce_row", "rows strips chunks", "a reduction by a group"},
    {"reduce_parts", "rows strips chunks", "a long reduction, a part for each work-item"},
    {"reduce_combine", "rows strips chunks", "combines the parts"},
    {"reduce_final", "rows strips chunks", "combines the parts"},
    {"reduce_chunk", "rows strips chunks", "a reduction in order, a chunk for each work-item"},
    {"reduce_chunks", "rows strips chunks", "combines the chunks in order"},
    {"uneven", "", "reductions over short ranges of their own, results side by side"},
    {"ragged", "", "reductions over ranges of their own, many small shares"},
    {"ragged_masked", "", "the same, where what whole vectors leave of a range is one more"},
    {"keys", "keys", "one pass over the operands, each to the entry of its key"},
    {"keys_clear", "keys", "clears the tables of keys"},
    {"keys_combine", "keys", "combines the tables of keys"},
    {"inside", "inside", "an interior without tests in lanes, its border one by one"},
    {"turned", "turned", "squares read along their own rows and turned in registers"},
    {"abreast", "map chunk lanes", "rows of a few elements in lanes, which are stored in turn"},
    {"map_vector", "map chunk lanes", "elements in lanes"},
    {"map", "map chunk lanes",
     "elements one by one: what has no other form, or is too short for it"},
    {"map_checked", "map chunk lanes", "elements one by one, checked"},
    {"map_again", "map chunk lanes", "only if something failed: once more, to report it"},
    {"recur", "recur lanes", "elements in order, as they are written"},
    {"recur_border", "recur lanes", "the border of the recurrence, in order"},
    {"recur_inside", "recur lanes", "in order, the last elements in registers"},
    {"recur_lanes", "recur lanes", "in order, lines side by side in lanes"},
    {"scan_rows", "scan", "steps taken together, lines in lanes"},
    {"scan_parts", "scan", "what the steps of each part come to"},
    {"scan_apply", "scan", "each part, beginning after those before it"},
    {"wavefront", "wave", "tiles along a diagonal, rows in lanes"},
    {"row", "bands lanes", "a row of a stage, computed while the rows that need it are"},
};

static const char *words_for(const char *nest, size_t n)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strlen(forms[i].nest) == n && strncmp(forms[i].nest, nest, n) == 0)
            return forms[i].what;
    return NULL;
}

typedef struct Line {
    const char *at;
    size_t n;
} Line;

static Line line_at(const char *p)
{
    while (*p == ' ') p++;
    return (Line){p, strcspn(p, "\n")};
}

/* What follows a word that the line begins with; NULL: it begins otherwise. */
static const char *after(Line l, const char *word)
{
    size_t n = strlen(word);
    return l.n >= n && strncmp(l.at, word, n) == 0 ? l.at + n : NULL;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *word, size_t n)
{
    for (const char *p = text; *p;) {
        size_t m = 0;
        while (is_word(p[m])) m++;
        if (m == n && strncmp(p, word, n) == 0) return true;
        p += m ? m : 1;
    }
    return false;
}

bool cg_concerns(const char *parameter, const char *kernel)
{
    size_t n = strlen(kernel), recipe = strcspn(parameter, ".");
    while (n && isdigit((unsigned char)kernel[n - 1])) n--; /* map_vector_1 */
    n -= n && kernel[n - 1] == '_';
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strlen(forms[i].nest) == n && memcmp(forms[i].nest, kernel, n) == 0)
            return has_word(forms[i].recipes, parameter, recipe);
    return false;
}

/* The macros that the text names from `begin` on. */
static void add_macros(Text *out, size_t begin, const char *schedule)
{
    size_t end = out->len;
    for (const char *p = schedule; *p;) {
        Line l = line_at(p);
        const char *name = after(l, "define ");
        char *said = name ? out->data + begin : NULL, kept = said ? out->data[end] : 0;
        if (said) out->data[end] = 0;
        bool used = said && has_word(said, name, strcspn(name, " \n"));
        if (said) out->data[end] = kept;
        if (used) text_printf(out, "  %.*s\n", (int)(l.at + l.n - name), name);
        p = l.at + l.n + (l.at[l.n] == '\n');
    }
}

/* What the lines of one nest say of registers, lanes and copies of operands; gives where it ends. */
static const char *nest(Text *out, const char *p)
{
    Line head = line_at(p), lanes = {0}, registers = {0};
    const char *name = after(head, "nest "), *width = "V4";
    size_t n = strcspn(name, " \n");
    int holds = 0;
    bool noted = false;
    for (const char *q = name + n; q < head.at + head.n; q++) {
        if (strncmp(q, " lanes V", 8) == 0) width = q + 7;
        noted = noted || strncmp(q, " noted", 6) == 0;
    }
    for (p = head.at + head.n; *p == '\n' && p[1] == ' ';) {
        Line l = line_at(p + 1);
        if (after(l, "lanes ") && !lanes.at) lanes = l;
        if (after(l, "registers ")) registers = l;
        if (after(l, "hold ")) holds++;
        p = l.at + l.n;
    }
    const char *words = words_for(name, n);
    text_printf(out, "    %.*s: %s", (int)n, name, words ? words : "a kernel");
    if (lanes.at)
        text_printf(out, "; %.*s of %.*s", (int)strcspn(width, " \n"), width, (int)lanes.n - 6,
                    lanes.at + 6);
    if (holds) text_printf(out, "; %d operand%s kept", holds, holds == 1 ? "" : "s");
    if (noted) text_add(out, "; what may fail is noted");
    if (registers.at) text_printf(out, "\n      in %.*s", (int)registers.n, registers.at);
    text_add(out, "\n");
    return p + (*p == '\n');
}

void cg_explain(const char *schedule, Text *out)
{
    Text one = {0}, last = {0};
    size_t begin = out->len;
    text_add(out, "");
    for (const char *p = schedule; *p;) {
        Line l = line_at(p);
        const char *rest;
        if (after(l, "nest ")) {
            one.len = 0;
            p = nest(&one, p);
            bool again = last.len == one.len && memcmp(last.data, one.data, one.len) == 0;
            if (!again) text_addn(out, one.data, one.len);
            last.len = 0;
            text_addn(&last, one.data, one.len);
            continue;
        }
        if ((rest = after(l, "definition "))) {
            text_printf(out, "  %.*s\n", (int)(l.at + l.n - rest), rest);
            last.len = 0;
        } else if ((rest = after(l, "# "))) {
            bool inner = after(l, "# scalar") != NULL;
            text_printf(out, "  %s%.*s\n", inner ? "  " : "", (int)(l.at + l.n - rest), rest);
        }
        p = l.at + l.n + (l.at[l.n] == '\n');
    }
    add_macros(out, begin, schedule);
    text_free(&one);
    text_free(&last);
}
