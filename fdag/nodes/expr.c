/* Nodes as C$ expressions, for messages: "a(j, l) * b(l, k)". Deep expressions end in "...", so a
 * message stays a line. */
#include "../internal.h"

enum { DEEPEST = 10, LONGEST = 300 };

typedef enum Level { /* binding strength, weakest first */
                     LEVEL_ANY,
                     LEVEL_SELECT,
                     LEVEL_OR,
                     LEVEL_AND,
                     LEVEL_BITS,
                     LEVEL_COMPARE,
                     LEVEL_SHIFT,
                     LEVEL_ADD,
                     LEVEL_MUL,
                     LEVEL_UNARY,
                     LEVEL_CALL
} Level;

static const struct {
    const char *text;
    Level level;
} infix[FD_OP_COUNT] = {
    [FD_OP_ADD] = {" + ", LEVEL_ADD},     [FD_OP_SUB] = {" - ", LEVEL_ADD},
    [FD_OP_MUL] = {" * ", LEVEL_MUL},     [FD_OP_DIV] = {" / ", LEVEL_MUL},
    [FD_OP_REM] = {" % ", LEVEL_MUL},     [FD_OP_BITAND] = {" & ", LEVEL_BITS},
    [FD_OP_BITOR] = {" | ", LEVEL_BITS},  [FD_OP_BITXOR] = {" ^ ", LEVEL_BITS},
    [FD_OP_SHL] = {" << ", LEVEL_SHIFT},  [FD_OP_SHR] = {" >> ", LEVEL_SHIFT},
    [FD_OP_EQ] = {" == ", LEVEL_COMPARE}, [FD_OP_NE] = {" != ", LEVEL_COMPARE},
    [FD_OP_LT] = {" < ", LEVEL_COMPARE},  [FD_OP_LE] = {" <= ", LEVEL_COMPARE},
    [FD_OP_GT] = {" > ", LEVEL_COMPARE},  [FD_OP_GE] = {" >= ", LEVEL_COMPARE},
    [FD_OP_LAND] = {" && ", LEVEL_AND},   [FD_OP_LOR] = {" || ", LEVEL_OR},
};

static const char *prefix_of(FdOp op)
{
    return op == FD_OP_NEG ? "-" : op == FD_OP_BITNOT ? "~" : op == FD_OP_LNOT ? "!" : NULL;
}

static void add(Text *out, const FdNode *n, Level level, int depth);

static void add_name(Text *out, const char *name, const char *otherwise)
{
    text_add(out, name && *name ? name : otherwise);
}

static void add_list(Text *out, int n, const FdNode *const *list, int depth)
{
    for (int i = 0; i < n; i++) {
        text_add(out, i ? ", " : "(");
        add(out, list[i], LEVEL_ANY, depth);
    }
    text_add(out, ")");
}

static void add_apply_op(Text *out, const FdNode *n, FdOp op, Level level, int depth)
{
    const FdNode *const *a = n->args;
    Level own = infix[op].text          ? infix[op].level
                : op == FD_OP_SELECT    ? LEVEL_SELECT
                : prefix_of(op) != NULL ? LEVEL_UNARY
                : op == FD_OP_CONVERT   ? LEVEL_UNARY
                                        : LEVEL_CALL;
    if (own < level) text_add(out, "(");
    if (infix[op].text) {
        add(out, a[0], own, depth);
        text_add(out, infix[op].text);
        add(out, a[1], own + 1, depth);
    } else if (op == FD_OP_SELECT) {
        add(out, a[0], own + 1, depth);
        text_add(out, " ? ");
        add(out, a[1], own, depth);
        text_add(out, " : ");
        add(out, a[2], own, depth);
    } else if (prefix_of(op)) {
        text_add(out, prefix_of(op));
        add(out, a[0], own, depth);
    } else if (op == FD_OP_CONVERT) {
        text_printf(out, "(%s) ", scalar_name(n->type->scalar));
        add(out, a[0], own, depth);
    } else {
        text_add(out, fd_op_info(op)->text);
        add_list(out, n->nargs, a, depth);
    }
    if (own < level) text_add(out, ")");
}

static void add_leaf(Text *out, const FdNode *n)
{
    switch (n->leaf) {
    case FD_LEAF_CONST: fdi_print_value(out, n->type->scalar, n->value); break;
    case FD_LEAF_SLOT: add_name(out, n->name, "_"); break;
    case FD_LEAF_OP: text_printf(out, "operator %s", fd_op_info(n->op)->text); break;
    case FD_LEAF_MAKE: text_add(out, n->type->result->record); break;
    case FD_LEAF_FIELD: text_add(out, n->type->params[0]->field_names[n->slot]); break;
    case FD_LEAF_USER: text_add(out, n->user->name); break;
    }
}

static void add(Text *out, const FdNode *n, Level level, int depth)
{
    if (depth > DEEPEST || out->len > LONGEST) {
        text_add(out, "...");
        return;
    }
    FdOp op = fd_op_of(n);
    switch (n->kind) {
    case FD_SCALAR:
    case FD_FUNC: add_leaf(out, n); break;
    case FD_VAR: add_name(out, n->name, "_"); break;
    case FD_APPLY:
        if (op != FD_OP_NONE) {
            add_apply_op(out, n, op, level, depth + 1);
        } else if (fdi_applies(n, FD_LEAF_FIELD)) {
            add(out, n->args[0], LEVEL_CALL, depth + 1);
            text_printf(out, ".%s", n->args[0]->type->field_names[n->fn->slot]);
        } else {
            add(out, n->fn, LEVEL_CALL, depth + 1);
            add_list(out, n->nargs, n->args, depth + 1);
        }
        break;
    case FD_REDUCE:
        if (n->init) {
            text_add(out, "Fold(");
            add(out, n->body, LEVEL_ANY, depth + 1);
            text_add(out, ", ");
            add(out, n->init, LEVEL_ANY, depth + 1);
            text_add(out, ")");
            break;
        }
        if (op == FD_OP_ADD || op == FD_OP_MUL)
            text_add(out, op == FD_OP_ADD ? "+ " : "* ");
        else if (op != FD_OP_NONE)
            text_add(out, fd_op_info(op)->text);
        else
            add(out, n->fn, LEVEL_CALL, depth + 1);
        text_add(out, "(");
        add(out, n->body, LEVEL_ANY, depth + 1);
        text_add(out, ")");
        break;
    case FD_LET:
        if (level > LEVEL_ANY) text_add(out, "(");
        add_list(out, n->nvars, n->vars, depth);
        text_add(out, " => ");
        add(out, n->body, LEVEL_ANY, depth + 1);
        if (level > LEVEL_ANY) text_add(out, ")");
        break;
    }
}

void fd_print_expr(Text *out, const FdNode *n)
{
    Text t = {0}; /* its own, as the limit counts from its start */
    add(&t, n, LEVEL_ANY, 0);
    text_addn(out, t.data, t.len);
    text_free(&t);
}

const char *fdi_expr_text(Fd *fd, const FdNode *n)
{
    Text t = {0};
    fd_print_expr(&t, n);
    const char *s = arena_strndup(fd->arena, t.data, t.len);
    text_free(&t);
    return s;
}

const char *fdi_var_name(const FdNode *var)
{
    return var->name && *var->name ? var->name : "_";
}
