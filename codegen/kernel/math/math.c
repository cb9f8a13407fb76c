/* Which functions there are, and their printing (math.h). */
#include "math.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../ir/prelude.h"
#include "functions.h"

#define NONE NULL
#define OWN(name) math_##name
#define WIDE(name) math_##name, true
/* Those that fdag/ops.def names, each made of the operation's operands. */
static const struct {
    MathFunction *make;
    bool widen;
} table[FD_OP_COUNT] = {
#define OP(id, text, arity, rule, props, neutral, cl, own, partials) [FD_OP_##id] = {own},
#include "../../../fdag/ops.def"
#undef OP
};

static const int widths[] = {1, 2, 4, 8, 16, KIR_V4, KIR_V8};
enum { WIDTHS = sizeof widths / sizeof *widths };

typedef struct Instances {
    Arena *arena;
    Text *out;
    bool builtin_scalars, precise, bodies; /* bodies: there are any */
    bool done[FD_OP_COUNT][2][WIDTHS];
} Instances;

static void add_calls(Instances *x, const char *text, size_t len);

static KirFunc make_function(Arena *a, FdOp op, const char *name, KirType t, bool precise)
{
    static const char *const names[] = {"x", "y", "z"};
    KirBlock block = {0};
    bool widen = precise && t.kind == SC_FLOAT && table[op].widen;
    Math m = {.arena = a, .block = &block, .precise = precise && !widen};
    int n = fd_op_info(op)->arity;
    KirParam *params = arena_array(a, KirParam, n);
    V args[3];
    for (int i = 0; i < n; i++) {
        params[i] = (KirParam){.name = names[i], .type = t};
        args[i] = (V){&m, kir_name(a, t, names[i])};
        if (widen) args[i] = v_keep(v_widen(args[i]));
    }
    V r = table[op].make(args);
    kir_return(a, &block, widen ? v_narrow(r).e : r.e);
    return (KirFunc){
        .name = name, .result = t, .nparams = n, .params = params, .body = block.first};
}

bool math_function(Arena *a, FdOp op, KirType t, bool precise, KirFunc *out)
{
    if (!table[op].make) return false;
    *out = make_function(a, op, fd_op_info(op)->own, t, precise);
    return true;
}

static void add_function(Instances *x, FdOp op, ScalarKind k, int width)
{
    bool *done = &x->done[op][k == SC_DOUBLE][width];
    KirType t = kir_type((int)k, widths[width]);
    if (*done) return;
    *done = true;
    Text name = {0}, body = {0};
    opencl_own(&name, op, t);
    if (x->builtin_scalars && t.lanes == 1) {
        text_printf(x->out, "#define %s %s\n", name.data, fd_op_info(op)->own + strlen("cs_"));
        text_free(&name);
        return;
    }
    x->bodies = true;
    KirFunc f = make_function(x->arena, op, name.data, t, x->precise);
    opencl_print(&body, &f);
    add_calls(x, body.data, body.len);
    text_addn(x->out, body.data, body.len);
    text_free(&body);
    text_free(&name);
}

/* The operation with whose function's name, less the type, a word begins. */
static FdOp operation_of(const char *word, size_t len)
{
    for (FdOp op = FD_OP_NONE; op < FD_OP_COUNT; op++) {
        const char *own = fd_op_info(op)->own;
        size_t n = own ? strlen(own) : len;
        if (len > n && word[n] == '_' && memcmp(word, own, n) == 0) return op;
    }
    return FD_OP_NONE;
}

static void add_word(Instances *x, const char *word, size_t len)
{
    FdOp op = operation_of(word, len);
    for (ScalarKind k = SC_FLOAT; op && k <= SC_DOUBLE; k++)
        for (int width = 0; width < WIDTHS; width++) {
            Text name = {0};
            opencl_own(&name, op, kir_type((int)k, widths[width]));
            if (name.len == len && memcmp(name.data, word, len) == 0) add_function(x, op, k, width);
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
