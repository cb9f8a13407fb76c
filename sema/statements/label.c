/* Labels of switch statements that are constants, and goto to them. In a switch whose labels are patterns
 * (sema/patterns/choose.c) the sections that some goto names become those of a switch over numbers.
 */
#include <string.h>

#include "../check/check.h"

/* Two constants of the switch's type. */
static bool same_label(Sema *s, const Ast *a, const Ast *b)
{
    AstBytes x, y;
    if (a->type != b->type) return false;
    if (a->kind == AST_NULL_LIT || b->kind == AST_NULL_LIT) return a->kind == b->kind;
    if (a->type != s->string) return a->is_const && b->is_const && a->value.i == b->value.i;
    if (!constant_text(s, a, &x) || !constant_text(s, b, &y)) return false;
    return x.len == y.len && (!x.len || !memcmp(x.data, y.data, x.len));
}

static void check_duplicate(Sema *s, const Ast *n, const Ast *label)
{
    for (int i = 0; i < n->switch_.sections.len; i++) {
        const AstList *labels = &n->switch_.sections.data[i]->case_.labels;
        for (int k = 0; k < labels->len; k++) {
            const Ast *other = labels->data[k];
            if (other == label) return;
            bool same = label->kind == AST_DEFAULT_LABEL
                            ? other->kind == AST_DEFAULT_LABEL
                            : other->kind != AST_DEFAULT_LABEL && same_label(s, other, label);
            if (!same) continue;
            report(s, label->loc, SWITCH, "this label is there twice");
            report_note(s, other->loc, "the other one");
            return;
        }
    }
}

/* t NULL: of any type */
static void check_label(Sema *s, Ast **slot, const Type *t)
{
    if ((*slot)->kind == AST_DEFAULT_LABEL) return;
    if ((*slot)->kind == AST_NULL_LIT && (!t || t == s->string)) {
        (*slot)->type = type_null(s->types);
        return;
    }
    if (check_value(s, slot, t) == s->error || t == s->error) return;
    if (t && !convert_to(s, slot, t, "the label")) return;
    AstBytes text;
    bool constant = (*slot)->type == s->string ? constant_text(s, *slot, &text) : (*slot)->is_const;
    if (!constant) report(s, (*slot)->loc, NOT_CONSTANT, "the label of a case is a constant");
}

void label_check_all(Sema *s, const Ast *n, const Type *t)
{
    for (int i = 0; i < n->switch_.sections.len; i++) {
        Ast *section = n->switch_.sections.data[i];
        for (int k = 0; section->kind == AST_CASE && k < section->case_.labels.len; k++) {
            check_label(s, &section->case_.labels.data[k], t);
            if (section->case_.labels.data[k]->type != s->error)
                check_duplicate(s, n, section->case_.labels.data[k]);
        }
    }
}

/* ---- goto ------------------------------------------------------------------------------------ */

/* The section that has the label `value` (NULL: default), which is checked; -1: none has. `plain`:
 * the labels are checked, too. */
static int section_of(Sema *s, const Ast *n, const Ast *value, const Type *t, bool plain)
{
    for (int i = 0; i < n->switch_.sections.len; i++) {
        const Ast *section = n->switch_.sections.data[i];
        for (int k = 0; section->kind == AST_CASE && k < section->case_.labels.len; k++) {
            Ast *label = section->case_.labels.data[k];
            bool other = label->kind == AST_DEFAULT_LABEL;
            if (!value && other) return i;
            if (!value || other || (!plain && !is_plain_constant(s, label))) continue;
            if (!plain) {
                label = ast_clone(s->arena, label);
                int errors = s->quiet_errors;
                s->quiet++;
                check_label(s, &label, t);
                s->quiet--;
                s->quiet_errors = errors;
            }
            if (same_label(s, label, value)) return i;
        }
    }
    return -1;
}

static int find_section(Sema *s, const Ast *n, Ast *jump, const Type *t, bool plain)
{
    Ast **value = &jump->goto_.value;
    if (*value) check_label(s, value, t);
    if (*value && ((*value)->type == s->error || t == s->error)) return -1;
    int at = section_of(s, n, *value, t, plain);
    if (at < 0) report(s, jump->loc, JUMP, "the switch around this goto has no such label");
    return at;
}

void label_goto(Sema *s, Ast *n)
{
    if (!s->choice) {
        report(s, n->loc, JUMP, "there is no switch around this 'goto'");
        if (s->finals) report_note(s, NOWHERE, "a finally block is not left by a jump");
        return;
    }
    int at = find_section(s, s->choice, n, s->choice->switch_.value->type, true);
    if (at < 0) return;
    n->goto_.section = (uint64_t)at;
    s->choice->switch_.jumps = true;
}

typedef struct Targets {
    Sema *s;
    const Ast *n;
    const Type *t;
    bool *found;
} Targets;

static void find_targets(Ast **child, void *ctx)
{
    Targets *f = ctx;
    Ast *n = *child;
    if (n->kind == AST_SWITCH || n->kind == AST_FUNC || n->kind == AST_LAMBDA) return;
    ast_each_child(n, find_targets, f);
    if (n->kind != AST_GOTO) return;
    int at = find_section(f->s, f->n, n, f->t, false);
    if (at >= 0) f->found[at] = true;
    n->goto_.value = tree_int(f->s, n->loc, (uint64_t)(at + 1));
}

bool *label_targets(Sema *s, const Ast *n)
{
    Targets f = {.s = s, .n = n};
    f.found = arena_array(s->arena, bool, n->switch_.sections.len + 1);
    f.t = peek_type(s, n->switch_.value);
    if (f.t->kind != TY_SCALAR && f.t != s->string) f.t = NULL; /* of objects, each by its own */
    for (int i = 0; i < n->switch_.sections.len; i++) {
        const Ast *section = n->switch_.sections.data[i];
        for (int k = 0; section->kind == AST_CASE && k < section->case_.stmts.len; k++)
            find_targets(&section->case_.stmts.data[k], &f);
    }
    return f.found;
}
