/* What our kernels call of OpenCL C's builtins (builtins.h). clang's header of all of them is 900 KB, which
 * POCL preprocesses and then parses for each program. Overloads and attributes are as they are there: only
 * what a text names is declared, but all of it, so that a call means the same. */
#include "builtins.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *sign, *without; /* the integers of the same size */
    bool real, is_signed;
} types[] = {
    {"char", "char", "uchar", false, true},    {"uchar", "char", "uchar", false, false},
    {"short", "short", "ushort", false, true}, {"ushort", "short", "ushort", false, false},
    {"int", "int", "uint", false, true},       {"uint", "int", "uint", false, false},
    {"long", "long", "ulong", false, true},    {"ulong", "long", "ulong", false, false},
    {"float", "int", "uint", true, true},      {"double", "long", "ulong", true, true},
};
static const int lanes_of[] = {1, 2, 4, 8, 16};
static const char *const spaces[] = {"__constant", "__global", "__local", "__private"};
static const char *const suffixes[] = {"", "_rte", "_rtz", "_sat", "_sat_rte", "_sat_rtz"};

enum { FLOAT = 8, DOUBLE }; /* rows of types */
enum { SATURATED = 3 };     /* from here on suffixes of conversions to integers alone */
enum { NTYPES = sizeof types / sizeof *types, NLANES = sizeof lanes_of / sizeof *lanes_of };
enum { NSPACES = sizeof spaces / sizeof *spaces, NSUFFIXES = sizeof suffixes / sizeof *suffixes };

typedef enum For { ONCE, REALS, INTEGERS, SIGNED, ANY } For; /* the types that take T's place */

/* A signature is the result, then the parameters: T the type, S its scalar, I and U the signed and
 * unsigned integers of its size with its lanes, B what comparisons give, i int, u uint, z size_t, v void;
 * g and l a pointer to volatile ints of the global and the local memory, h and k the same to uints. */
typedef struct Builtin {
    const char *name;
    For of;
    const char *signatures, *attribute;
} Builtin;

/* Sorted by name. */
static const Builtin builtins[] = {
    {"abs", INTEGERS, "UT", "const"},
    {"acos", REALS, "TT", "const"},
    {"acosh", REALS, "TT", "const"},
    {"all", SIGNED, "iT", "const"},
    {"any", SIGNED, "iT", "const"},
    {"asin", REALS, "TT", "const"},
    {"asinh", REALS, "TT", "const"},
    {"atan", REALS, "TT", "const"},
    {"atan2", REALS, "TTT", "const"},
    {"atanh", REALS, "TT", "const"},
    {"atomic_add", ONCE, "igi uhu ili uku", NULL},
    {"atomic_and", ONCE, "igi uhu ili uku", NULL},
    {"atomic_cmpxchg", ONCE, "igii uhuu ilii ukuu", NULL},
    {"atomic_max", ONCE, "igi uhu ili uku", NULL},
    {"atomic_min", ONCE, "igi uhu ili uku", NULL},
    {"atomic_or", ONCE, "igi uhu ili uku", NULL},
    {"atomic_xor", ONCE, "igi uhu ili uku", NULL},
    {"barrier", ONCE, "vf", "convergent"},
    {"cbrt", REALS, "TT", "const"},
    {"ceil", REALS, "TT", "const"},
    {"clamp", ANY, "TTTT TTSS", "const"},
    {"clz", INTEGERS, "TT", "const"},
    {"copysign", REALS, "TTT", "const"},
    {"cos", REALS, "TT", "const"},
    {"cosh", REALS, "TT", "const"},
    {"erf", REALS, "TT", "const"},
    {"erfc", REALS, "TT", "const"},
    {"exp", REALS, "TT", "const"},
    {"exp2", REALS, "TT", "const"},
    {"expm1", REALS, "TT", "const"},
    {"fabs", REALS, "TT", "const"},
    {"floor", REALS, "TT", "const"},
    {"fma", REALS, "TTTT", "const"},
    {"fmax", REALS, "TTT TTS", "const"},
    {"fmin", REALS, "TTT TTS", "const"},
    {"fmod", REALS, "TTT", "const"},
    {"get_global_id", ONCE, "zu", "const"},
    {"get_global_offset", ONCE, "zu", "const"},
    {"get_global_size", ONCE, "zu", "const"},
    {"get_group_id", ONCE, "zu", "const"},
    {"get_local_id", ONCE, "zu", "const"},
    {"get_local_size", ONCE, "zu", "const"},
    {"hypot", REALS, "TTT", "const"},
    {"isfinite", REALS, "BT", "const"},
    {"isnan", REALS, "BT", "const"},
    {"lgamma", REALS, "TT", "const"},
    {"log", REALS, "TT", "const"},
    {"log10", REALS, "TT", "const"},
    {"log1p", REALS, "TT", "const"},
    {"log2", REALS, "TT", "const"},
    {"max", ANY, "TTT TTS", "const"},
    {"min", ANY, "TTT TTS", "const"},
    {"mul_hi", INTEGERS, "TTT", "const"},
    {"nan", REALS, "TU", "const"},
    {"popcount", INTEGERS, "TT", "const"},
    {"pow", REALS, "TTT", "const"},
    {"rint", REALS, "TT", "const"},
    {"select", ANY, "TTTI TTTU", "const"},
    {"sign", REALS, "TT", "const"},
    {"sin", REALS, "TT", "const"},
    {"sinh", REALS, "TT", "const"},
    {"sqrt", REALS, "TT", "const"},
    {"tan", REALS, "TT", "const"},
    {"tanh", REALS, "TT", "const"},
    {"tgamma", REALS, "TT", "const"},
    {"trunc", REALS, "TT", "const"},
};
enum { NBUILTINS = sizeof builtins / sizeof *builtins };

/* What a text names. */
typedef struct Named {
    bool builtin[NBUILTINS], convert[NTYPES], suffix[NSUFFIXES];
    bool load, store, load_half, store_half;
} Named;

/* ---- what a text names ----------------------------------------------------------------------- */

typedef struct Word {
    const char *at;
    size_t len;
} Word;

static bool is_word(Word w, const char *name)
{
    return strlen(name) == w.len && memcmp(w.at, name, w.len) == 0;
}

/* Takes a beginning off the word. */
static bool take(Word *w, const char *beginning)
{
    size_t n = strlen(beginning);
    if (w->len < n || memcmp(w->at, beginning, n) != 0) return false;
    w->at += n;
    w->len -= n;
    return true;
}

static int compare(const void *word, const void *builtin)
{
    const Word *w = word;
    const char *name = ((const Builtin *)builtin)->name;
    int order = strncmp(w->at, name, w->len);
    return order ? order : -(int)(name[w->len] != '\0');
}

static void take_digits(Word *w)
{
    while (w->len && isdigit((unsigned char)*w->at)) w->at++, w->len--;
}

static void note_suffix(Named *named, Word w)
{
    for (int i = 0; i < NSUFFIXES; i++)
        if (is_word(w, suffixes[i])) named->suffix[i] = true;
}

/* Of "convert_short4_sat_rtz", or as much of it as macros do not add: what follows "convert_". */
static void note_conversion(Named *named, Word w)
{
    for (int i = 0; i < NTYPES; i++) {
        Word rest = w;
        if (!take(&rest, types[i].name)) continue;
        named->convert[i] = true;
        take_digits(&rest);
        note_suffix(named, rest);
    }
}

static void note(Named *named, Word w)
{
    const Builtin *b = bsearch(&w, builtins, NBUILTINS, sizeof *builtins, compare);
    if (b) {
        named->builtin[b - builtins] = true;
    } else if (*w.at == '_') {
        note_suffix(named, w);
    } else if (take(&w, "convert_")) {
        note_conversion(named, w);
    } else if (*w.at == 'v') {
        named->load_half = named->load_half || take(&w, "vload_half");
        named->store_half = named->store_half || take(&w, "vstore_half");
        named->load = named->load || take(&w, "vload");
        named->store = named->store || take(&w, "vstore");
    }
}

static bool is_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void note_all(Named *named, const char *text)
{
    for (const char *p = text; *p;) {
        const char *from = p;
        while (is_part(*p)) p++;
        if (p == from)
            p++;
        else if (!isdigit((unsigned char)*from))
            note(named, (Word){from, (size_t)(p - from)});
    }
}

/* ---- declarations ---------------------------------------------------------------------------- */

static void add_lanes(Text *out, int lanes)
{
    if (lanes > 1) text_printf(out, "%d", lanes);
}

/* One letter of a signature. */
static void add_part(Text *out, char what, int type, int lanes)
{
    switch (what) {
    case 'T': text_add(out, types[type].name); break;
    case 'S': text_add(out, types[type].name); return;
    case 'I': text_add(out, types[type].sign); break;
    case 'U': text_add(out, types[type].without); break;
    case 'B': text_add(out, lanes > 1 ? types[type].sign : "int"); break;
    case 'i': text_add(out, "int"); return;
    case 'u': text_add(out, "uint"); return;
    case 'z': text_add(out, "size_t"); return;
    case 'f': text_add(out, "cl_mem_fence_flags"); return;
    case 'g': text_add(out, "volatile __global int *"); return;
    case 'h': text_add(out, "volatile __global uint *"); return;
    case 'l': text_add(out, "volatile __local int *"); return;
    case 'k': text_add(out, "volatile __local uint *"); return;
    default: text_add(out, "void"); return;
    }
    add_lanes(out, lanes);
}

static void add_attributes(Text *out, const char *attribute)
{
    text_printf(out, " __attribute__((overloadable%s%s)) ", attribute ? ", " : "",
                attribute ? attribute : "");
}

/* All signatures of a function for one type; a vector's alone if they have a scalar for it. */
static void add_signatures(Text *out, const Builtin *b, int type, int lanes)
{
    for (const char *s = b->signatures; *s; s += strspn(s, " ")) {
        size_t n = strcspn(s, " ");
        if (lanes > 1 || !memchr(s, 'S', n)) {
            add_part(out, *s, type, lanes);
            add_attributes(out, b->attribute);
            text_add(out, b->name);
            for (size_t i = 1; i < n; i++) {
                text_add(out, i == 1 ? "(" : ", ");
                add_part(out, s[i], type, lanes);
            }
            text_add(out, ");\n");
        }
        s += n;
    }
}

static bool is_of(For of, int type)
{
    if (of == ANY) return true;
    if (of == REALS) return types[type].real;
    return !types[type].real && (of == INTEGERS || types[type].is_signed);
}

static void add_memory(Text *out, const Named *named, int type, int lanes)
{
    const char *name = types[type].name;
    for (int s = 0; s < NSPACES; s++) {
        if (named->load && lanes > 1)
            text_printf(
                out, "%s%d __attribute__((overloadable, pure)) vload%d(size_t, const %s %s *);\n",
                name, lanes, lanes, spaces[s], name);
        if (named->store && lanes > 1 && s > 0)
            text_printf(out,
                        "void __attribute__((overloadable)) vstore%d(%s%d, size_t, %s %s *);\n",
                        lanes, name, lanes, spaces[s], name);
        if (named->load_half && type == FLOAT) {
            text_add(out, "float");
            add_lanes(out, lanes);
            text_add(out, " __attribute__((overloadable, pure)) vload_half");
            add_lanes(out, lanes);
            text_printf(out, "(size_t, const %s half *);\n", spaces[s]);
        }
        if (named->store_half && types[type].real && s > 0) {
            text_add(out, "void __attribute__((overloadable)) vstore_half");
            add_lanes(out, lanes);
            text_printf(out, "(%s", name);
            add_lanes(out, lanes);
            text_printf(out, ", size_t, %s half *);\n", spaces[s]);
        }
    }
}

static void add_conversions(Text *out, const Named *named, int type, int lanes)
{
    for (int to = 0; to < NTYPES; to++)
        for (int s = 0; named->convert[to] && s < NSUFFIXES; s++) {
            if (s > 0 && (!named->suffix[s] || (types[to].real && s >= SATURATED))) continue;
            text_add(out, types[to].name);
            add_lanes(out, lanes);
            add_attributes(out, "const");
            text_printf(out, "convert_%s", types[to].name);
            add_lanes(out, lanes);
            text_printf(out, "%s(%s", suffixes[s], types[type].name);
            add_lanes(out, lanes);
            text_add(out, ");\n");
        }
}

void builtins_declare(Text *out, const char *text, bool has_double)
{
    Named named = {0};
    note_all(&named, text);
    if (!has_double) named.convert[DOUBLE] = false;
    for (int i = 0; i < NBUILTINS; i++)
        if (named.builtin[i] && builtins[i].of == ONCE) add_signatures(out, &builtins[i], 0, 1);
    for (int type = 0; type < NTYPES; type++) {
        for (int l = 0; l < NLANES && (type != DOUBLE || has_double); l++) {
            for (int i = 0; i < NBUILTINS; i++)
                if (named.builtin[i] && builtins[i].of != ONCE && is_of(builtins[i].of, type))
                    add_signatures(out, &builtins[i], type, lanes_of[l]);
            add_memory(out, &named, type, lanes_of[l]);
            add_conversions(out, &named, type, lanes_of[l]);
        }
    }
}
