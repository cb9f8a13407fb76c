/* Which functions there are, and their printing (math.h). */
#include "math.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../ir/prelude.h"
#include "functions.h"

/* Each function is made of the operation's operands; builtin is the driver's name for it. widen:
 * with --precise those of floats are rounded from doubles, for which less care does. */
static const struct {
    FdOp op;
    const char *builtin;
    MathFunction *make;
    bool widen;
} table[] = {
    {FD_OP_EXP, "exp", math_exp, false},          {FD_OP_LOG, "log", math_log, false},
    {FD_OP_LOG2, "log2", math_log2, true},        {FD_OP_LOG10, "log10", math_log10, true},
    {FD_OP_SIN, "sin", math_sin, true},           {FD_OP_COS, "cos", math_cos, true},
    {FD_OP_TAN, "tan", math_tan, true},           {FD_OP_REM, "fmod", math_fmod, false},
    {FD_OP_POW, "pow", math_pow, false},          {FD_OP_EXP2, "exp2", math_exp2, false},
    {FD_OP_EXPM1, "expm1", math_expm1, true},     {FD_OP_LOG1P, "log1p", math_log1p, false},
    {FD_OP_ASIN, "asin", math_asin, true},        {FD_OP_ACOS, "acos", math_acos, true},
    {FD_OP_ATAN, "atan", math_atan, true},        {FD_OP_ATAN2, "atan2", math_atan2, true},
    {FD_OP_SINH, "sinh", math_sinh, true},        {FD_OP_COSH, "cosh", math_cosh, true},
    {FD_OP_TANH, "tanh", math_tanh, true},        {FD_OP_ASINH, "asinh", math_asinh, true},
    {FD_OP_ACOSH, "acosh", math_acosh, true},     {FD_OP_ATANH, "atanh", math_atanh, true},
    {FD_OP_ERF, "erf", math_erf, true},           {FD_OP_ERFC, "erfc", math_erfc, true},
    {FD_OP_TGAMMA, "tgamma", math_tgamma, false}, {FD_OP_LGAMMA, "lgamma", math_lgamma, false},
    {FD_OP_CBRT, "cbrt", math_cbrt, false},       {FD_OP_HYPOT, "hypot", math_hypot, false},
};

enum { ROWS = sizeof table / sizeof *table };

static const int widths[] = {1, 2, 4, 8, 16, KIR_V4, KIR_V8};
enum { WIDTHS = sizeof widths / sizeof *widths };

typedef struct Instances {
    Arena *arena;
    Text *out;
    bool builtin_scalars, precise, bodies; /* bodies: there are any */
    bool done[ROWS][2][WIDTHS];
} Instances;

static void add_calls(Instances *x, const char *text, size_t len);

static KirFunc make_function(Arena *a, int row, const char *name, KirType t, bool precise)
{
    static const char *const names[] = {"x", "y", "z"};
    KirBlock block = {0};
    bool widen = precise && t.kind == SC_FLOAT && table[row].widen;
    Math m = {.arena = a, .block = &block, .precise = precise && !widen};
    int n = fd_op_info(table[row].op)->arity;
    KirParam *params = arena_array(a, KirParam, n);
    V args[3];
    for (int i = 0; i < n; i++) {
        params[i] = (KirParam){.name = names[i], .type = t};
        args[i] = (V){&m, kir_name(a, t, names[i])};
        if (widen) args[i] = v_keep(v_widen(args[i]));
    }
    V r = table[row].make(args);
    kir_return(a, &block, widen ? v_narrow(r).e : r.e);
    return (KirFunc){
        .name = name, .result = t, .nparams = n, .params = params, .body = block.first};
}

bool math_function(Arena *a, FdOp op, KirType t, bool precise, KirFunc *out)
{
    for (int row = 0; row < ROWS; row++) {
        if (table[row].op != op) continue;
        *out = make_function(a, row, fd_op_info(op)->own, t, precise);
        return true;
    }
    return false;
}

static void add_function(Instances *x, int row, ScalarKind k, int width)
{
    bool *done = &x->done[row][k == SC_DOUBLE][width];
    KirType t = kir_type((int)k, widths[width]);
    if (*done) return;
    *done = true;
    Text name = {0}, body = {0};
    opencl_own(&name, table[row].op, t);
    if (x->builtin_scalars && t.lanes == 1) {
        text_printf(x->out, "#define %s %s\n", name.data, table[row].builtin);
        text_free(&name);
        return;
    }
    x->bodies = true;
    KirFunc f = make_function(x->arena, row, name.data, t, x->precise);
    opencl_print(&body, &f);
    add_calls(x, body.data, body.len);
    text_addn(x->out, body.data, body.len);
    text_free(&body);
    text_free(&name);
}

/* A row whose name, less the type, a word begins with; -1: none. *rest: after it. */
static int row_of(const char *word, size_t len, size_t *rest)
{
    for (int row = 0; row < ROWS; row++) {
        const char *own = fd_op_info(table[row].op)->own;
        size_t n = strlen(own);
        if (len > n && word[n] == '_' && memcmp(word, own, n) == 0) {
            *rest = n;
            return row;
        }
    }
    return -1;
}

static void add_word(Instances *x, const char *word, size_t len)
{
    size_t rest;
    int row = row_of(word, len, &rest);
    for (ScalarKind k = SC_FLOAT; row >= 0 && k <= SC_DOUBLE; k++)
        for (int width = 0; width < WIDTHS; width++) {
            Text name = {0};
            opencl_own(&name, table[row].op, kir_type((int)k, widths[width]));
            if (name.len == len && memcmp(name.data, word, len) == 0)
                add_function(x, row, k, width);
            text_free(&name);
        }
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void add_calls(Instances *x, const char *text, size_t len)
{
    for (size_t i = 0, end; i < len; i = end) {
        for (end = i; end < len && is_name(text[end]); end++) continue;
        if (end > i + 3 && memcmp(text + i, "cs_", 3) == 0) add_word(x, text + i, end - i);
        if (end == i) end++;
    }
}

/* Compilers that are told to reorder reals do so outside only; others do not know these pragmas. */
static const char head[] = "#ifdef __clang__\n"
                           "#pragma float_control(precise, on, push)\n"
                           "#endif\n"
                           "#pragma OPENCL FP_CONTRACT ON\n";
static const char tail[] = "#ifdef __clang__\n"
                           "#pragma float_control(pop)\n"
                           "#endif\n"
                           "#ifdef CS_PRECISE\n"
                           "#pragma OPENCL FP_CONTRACT OFF\n" PRELUDE_CONTRACT "#endif\n";

void math_add(Text *out, int count, const Text *texts, bool builtin_scalars, bool precise)
{
    Text functions = {0};
    Instances x = {.arena = arena_new(),
                   .out = &functions,
                   .builtin_scalars = builtin_scalars,
                   .precise = precise};
    for (int i = 0; i < count; i++)
        if (texts[i].len) add_calls(&x, texts[i].data, texts[i].len);
    if (functions.len) {
        text_printf(out, "%s%s%s", x.bodies ? head : "", functions.data, x.bodies ? tail : "");
        text_free(&functions);
    }
    arena_free(x.arena);
}

const char *math_skip(const char *text)
{
    if (strncmp(text, head, sizeof head - 1) == 0) {
        const char *end = strstr(text, tail);
        return end ? end + sizeof tail - 1 : NULL;
    }
    while (strncmp(text, "#define cs_", 11) == 0) { /* a driver's own */
        text += strcspn(text, "\n");
        text += *text != '\0';
    }
    return text;
}
