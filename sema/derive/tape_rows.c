/* Rows of arrays of reals, back: element by element, as the host does it. A graph for them would take longer than a few
 * hundred elements, and adding it another array for all of the change.
 *
 *     x = a[i, l..h];     for (j = l; j < h; j++) $a[i, j] += $x[j - l];
 *     a[i, l..h] = x;     for (j = l; j < h; j++) { $x[j - l] += $a[i, j];  $a[i, j] = 0; }
 */
#include "back.h"

bool tape_rows_are(const Step *step)
{
    const Ast *rows = step->kind == STEP_ASSIGN ? step->rows
                      : step->kind == STEP_GET  ? step->value
                                                : NULL;
    if (!rows) return false;
    const Variable *whole = step->kind == STEP_GET ? step->array : step->target;
    const Type *of = whole->type->result,
               *t = step->kind == STEP_GET ? step->target->type : step->array->type;
    int ranges = 0;
    for (int d = 0; d < rows->index.args.len; d++)
        ranges += rows->index.args.data[d]->kind == AST_RANGE;
    return ranges == 1 && of->kind == TY_SCALAR && (t->kind == TY_ARRAY ? t->result : t) == of;
}

typedef struct Rows {
    Back *b;
    const Ast *of;         /* the rows, as they are written */
    Ast *array, *value;    /* elements of the changes, which get their places */
    const Variable *whole; /* whose rows they are */
    const Variable *part;
    bool put, more;
} Rows;

static void add(const Rows *r, AstList *out, Ast *to, Ast *from)
{
    Sema *s = r->b->s;
    code_add(s, out,
             tree_assign(s, r->of->loc, ast_clone(s->arena, to),
                         tree_binary(s, r->of->loc, AST_OP_ADD, ast_clone(s->arena, to),
                                     ast_clone(s->arena, from))));
}

static void element(const Rows *r, AstList *out)
{
    Sema *s = r->b->s;
    if (!r->put) add(r, out, r->array, r->value);
    if (r->put && r->part->active) add(r, out, r->value, r->array);
    if (!r->put || r->more) return;
    Variable of = {.type = r->whole->type->result};
    code_add(
        s, out,
        tree_assign(s, r->of->loc, ast_clone(s->arena, r->array), code_zero(s, r->of->loc, &of)));
}

static Ast *more(Sema *s, Loc loc, const char *name)
{
    return tree_binary(s, loc, AST_OP_ADD, tree_name(s, loc, name), tree_int(s, loc, 1));
}

/* From dimension d on, which is dimension `at` of the value. */
static void from(Rows *r, AstList *out, int d, int at)
{
    Sema *s = r->b->s;
    const Loc loc = r->of->loc;
    if (d == r->of->index.args.len) {
        element(r, out);
        return;
    }
    Ast *place = r->of->index.args.data[d];
    const bool many = r->value && r->value->kind == AST_INDEX;
    if (place->kind != AST_RANGE) {
        r->array->index.args = ast_list_add(s->arena, r->array->index.args, place);
        from(r, out, d + 1, at);
        return;
    }
    const char *i = code_fresh(s, "at"), *k = code_fresh(s, "of");
    AstList turn = {0};
    r->array->index.args = ast_list_add(s->arena, r->array->index.args, tree_name(s, loc, i));
    code_local(s, out, loc, s->integer, i, ast_clone(s->arena, place->range.lo));
    if (many) {
        Ast *lower =
            tree_call(s, loc, tree_member(s, loc, tree_name(s, loc, r->part->bar), "GetLowerBound"),
                      1, tree_int(s, loc, (uint64_t)at));
        r->value->index.args = ast_list_add(s->arena, r->value->index.args, tree_name(s, loc, k));
        code_local(s, out, loc, s->integer, k, lower);
    }
    from(r, &turn, d + 1, at + 1);
    code_set(s, &turn, loc, i, more(s, loc, i));
    if (many) code_set(s, &turn, loc, k, more(s, loc, k));
    Ast *inside =
        tree_binary(s, loc, AST_OP_LT, tree_name(s, loc, i), ast_clone(s->arena, place->range.hi));
    code_add(s, out, code_while(s, loc, inside, turn));
}

static Ast *index_of(Sema *s, Loc loc, const char *name)
{
    Ast *n = ast_new(s->arena, AST_INDEX, loc);
    n->index.base = tree_name(s, loc, name);
    return n;
}

void tape_rows_back(Back *b, AstList *out, const Step *step)
{
    Sema *s = b->s;
    const Loc loc = step->loc;
    const bool put = step->kind == STEP_ASSIGN;
    Variable *whole = put ? step->target : step->array, *part = put ? step->array : step->target;
    AstList code = {0};
    if (put && part->active) change_none(b, out, loc, part);
    Rows r = {b,
              put ? step->rows : step->value,
              index_of(s, loc, whole->bar),
              NULL,
              whole,
              part,
              put,
              step->more};
    if (part->active && part->type->kind == TY_ARRAY)
        r.value = index_of(s, loc, part->bar);
    else if (part->active)
        r.value = tree_name(s, loc, part->bar);
    from(&r, &code, 0, 0);
    code_add(s, out, code_block(s, loc, code)); /* its variables are its own */
}
