/* Places of C#, which are values there: Index and Range (stdlib/Index.cs$).
 *
 *     Index i = ^1;     Index i = new Index(1, true);
 *     Range r = 1..^1;  Range r = new Range(1, new Index(1, true));
 *     x[^1], x[a..b]    the same in the brackets, where x has this[Index i], or this[Range r]
 *     a[i]              a[i.GetOffset(a.Length)], where it has not
 *     a[r]              a[r.Start.GetOffset(a.Length)..r.End.GetOffset(a.Length)]
 */
#include "../check/check.h"

static const Type *place_type(Sema *s, const char *name)
{
    return scope_library(s, SYM_TYPE, name) ? class_library(s, name) : NULL;
}

static Ast *make(Sema *s, Loc loc, const Type *t, Ast *first, Ast *second)
{
    Ast *n = ast_new(s->arena, AST_NEW, loc);
    n->new_.ntype = type_node(s, loc, t);
    n->new_.args = ast_list_add(s->arena, n->new_.args, first);
    n->new_.args = ast_list_add(s->arena, n->new_.args, second);
    return n;
}

/* A place as an Index; NULL: the start, or the end. */
static Ast *index_of(Sema *s, Loc loc, Ast *place, bool end)
{
    bool from_end = place ? is_from_end(place) : end;
    if (place && !from_end) return place; /* an int, or an Index */
    Ast *yes = ast_new(s->arena, AST_BOOL_LIT, loc);
    yes->bool_lit.value = from_end;
    return make(s, loc, place_type(s, "Index"), place ? place->unary.operand : tree_int(s, loc, 0),
                yes);
}

static Ast *range_of(Sema *s, Ast *n)
{
    return make(s, n->loc, place_type(s, "Range"), index_of(s, n->loc, n->range.lo, false),
                index_of(s, n->loc, n->range.hi, true));
}

bool index_value(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    bool range = n->kind == AST_RANGE;
    if (!range && !is_from_end(n)) return false;
    const Type *t = place_type(s, range ? "Range" : "Index");
    bool ends = range && ((n->range.lo && is_from_end(n->range.lo)) ||
                          (n->range.hi && is_from_end(n->range.hi)));
    if (range && !ends && (!t || hint != t)) return false; /* one of C$ */
    if (!t) {
        report(s, n->loc, MISPLACED,
               "a place from the end stands in brackets, a[^1], or is an Index: Index i = ^1;");
        n->type = s->error;
        return true;
    }
    *slot = range ? range_of(s, n) : index_of(s, n->loc, n, false);
    check_expr(s, slot, hint);
    return true;
}

/* Has the class an indexer with such a parameter in this place? */
static bool takes(Sema *s, Class *c, const Type *t, int at)
{
    Symbol *p = c && t ? member_find(s, c, intern_cstr(s->names, "this")) : NULL;
    for (; p; p = p->next) {
        const Symbol *f = p->get ? p->get : p->set;
        if (f && f->type && at < p->decl->property.params.len && f->type->params[at] == t)
            return true;
    }
    return false;
}

/* The int that an Index is in x, an unchecked tree. */
static Ast *offset(Sema *s, Ast *index, const Ast *x, const char *count)
{
    Ast *all = tree_member(s, index->loc, ast_clone(s->arena, x), count);
    return tree_call(s, index->loc, tree_member(s, index->loc, index, "GetOffset"), 1, all);
}

Ast *index_copy(Sema *s, const Ast *n)
{
    bool needed = is_slice(n) || place_type(s, "Index");
    return needed ? ast_clone(s->arena, n->index.base) : NULL;
}

/* from..^1 where `from` is an Index */
static void bound_offset(Sema *s, Ast **bound, const Ast *x, const char *count)
{
    if (!*bound || is_from_end(*bound) || peek_type(s, *bound) != place_type(s, "Index")) return;
    *bound = offset(s, *bound, x, count);
}

void index_places(Sema *s, Ast *n, const Ast *again)
{
    const Type *index = place_type(s, "Index"), *range = place_type(s, "Range");
    const Type *t = n->index.base->type;
    Class *c = class_of(t);
    if (!index || t == s->error) return;
    for (int i = 0; i < n->index.args.len; i++) {
        Ast **arg = &n->index.args.data[i];
        bool written = (*arg)->kind == AST_RANGE, end = is_from_end(*arg);
        if (end && takes(s, c, index, i)) *arg = index_of(s, (*arg)->loc, *arg, false);
        if (written && takes(s, c, range, i)) *arg = range_of(s, *arg);
        if (end || takes(s, c, index, i) || takes(s, c, range, i)) continue;
        const char *count = c ? counted_name(s, t) : "Length";
        if (written) {
            if (count) bound_offset(s, &(*arg)->range.lo, again, count);
            if (count) bound_offset(s, &(*arg)->range.hi, again, count);
            continue;
        }
        const Type *of = peek_type(s, *arg);
        if ((of != index && of != range) || !count || n->index.args.len > 1) continue;
        if (!is_repeatable(again) || (of == range && !is_repeatable(*arg))) {
            report(s, n->loc, NOT_SUPPORTED,
                   "what is indexed by a value of type '%s' is a variable, and so is a Range",
                   type_text(s->arena, of));
            continue;
        }
        if (of == index) {
            *arg = offset(s, *arg, again, count);
            continue;
        }
        Ast *r = *arg, *part = ast_new(s->arena, AST_RANGE, r->loc);
        part->range.lo = offset(s, tree_member(s, r->loc, r, "Start"), again, count);
        part->range.hi =
            offset(s, tree_member(s, r->loc, ast_clone(s->arena, r), "End"), again, count);
        *arg = part;
    }
}
