/* Collections, [1, 2, ..others]: what the place asks for says what they become, an array or an object
 * of a class with Add; where it asks for nothing, an array of what all elements fit. With spread
 * sequences they are made by a function of statements, as a user would write it.
 */
#include "check.h"

/* [1, 2] as the { 1, 2 } of a new array of `rank` dimensions: rows are collections, too. */
static Ast *braces(Sema *s, const Ast *n, int rank)
{
    Ast *list = ast_new(s->arena, AST_INIT_LIST, n->loc);
    for (int i = 0; i < n->collection.items.len; i++) {
        Ast *item = n->collection.items.data[i];
        if (rank > 1 && item->kind == AST_COLLECTION) item = braces(s, item, rank - 1);
        list->init_list.items = ast_list_add(s->arena, list->init_list.items, item);
    }
    return list;
}

/* Of [[1, 2], [3, 4]] two. */
static int depth_of(const Ast *n)
{
    int depth = 0;
    while (n && n->kind == AST_COLLECTION) {
        depth++;
        n = n->collection.items.len ? n->collection.items.data[0] : NULL;
    }
    return depth;
}

/* Without spread sequences; elem NULL: of the elements. */
static Ast *new_array(Sema *s, const Ast *n, const Type *elem, int rank)
{
    Ast *a = ast_new(s->arena, AST_NEW_ARRAY, n->loc);
    a->new_array.elem = elem ? type_node(s, n->loc, elem) : ast_new(s->arena, AST_TYPE_VAR, n->loc);
    a->new_array.rank = (uint64_t)rank;
    a->new_array.init = braces(s, n, rank);
    return a;
}

/* What `..seq` gives one after the other; NULL where that is not known. */
static const Type *spread_element(Sema *s, const Ast *seq)
{
    const Type *t = peek_type(s, seq);
    if (type_is_functional(t)) return t->result;
    if (t == s->string) return sequence_element(s, t);
    if (!class_of(t)) return NULL;
    Loc loc = seq->loc;
    Ast *of = ast_clone(s->arena, seq), *at;
    if (is_collection(s, t))
        at = tree_call(s, loc, tree_member(s, loc, of, "ElementAt"), 1, tree_int(s, loc, 0));
    else
        at = tree_member(s, loc, tree_call(s, loc, tree_member(s, loc, of, "GetEnumerator"), 0),
                         "Current");
    const Type *found = peek_type(s, at);
    return found == s->error ? NULL : found;
}

static const Type *common_element(Sema *s, const Ast *n)
{
    const Type *best = NULL;
    for (int i = 0; i < n->collection.items.len; i++) {
        const Ast *item = n->collection.items.data[i];
        const Type *t =
            item->kind == AST_SPREAD ? spread_element(s, item->spread.operand) : peek_type(s, item);
        if (!t || t == s->error || t->kind == TY_NULL) continue;
        const Type *common = best ? common_numeric(s, best, t) : t;
        best = common ? common : best;
    }
    return best;
}

static Ast *list_of(Sema *s, Loc loc, const Type *elem)
{
    Ast *type = ast_new(s->arena, AST_TYPE_NAME, loc);
    type->type_name.name = intern_cstr(s->names, "List");
    type->type_name.args = ast_list_add(s->arena, type->type_name.args, type_node(s, loc, elem));
    return type;
}

/* `new List<T>()` for an array, which is made of the list in the end; else `new C()`. */
static Ast *empty_collection(Sema *s, Loc loc, const Type *elem, const Type *cls)
{
    Ast *make = ast_new(s->arena, AST_NEW, loc);
    make->new_.ntype = cls ? type_node(s, loc, cls) : list_of(s, loc, elem);
    return make;
}

/* What is made where an object of class `t` is asked for: a List<T> for an IEnumerable<T>, an
 * IReadOnlyList<T> and what else a list is. */
static const Type *collection_class(Sema *s, Loc loc, const Type *t)
{
    const Instance *i = class_of(t)->sym->instance;
    if (!class_is_interface(class_of(t)) || !i || i->nparams != 1) return t;
    const Type *list = decl_type(s, list_of(s, loc, i->params[0]->type));
    return class_of(list) && class_is(class_of(list), class_of(t)) ? list : t;
}

static Ast *add_stmt(Sema *s, Ast *value)
{
    Ast *add = tree_member(s, value->loc, tree_name(s, value->loc, "$all"), "Add");
    return tree_stmt(s, tree_call(s, value->loc, add, 1, value));
}

/* { var $all = new List<T>(); $all.Add(x); foreach (var $x in seq) $all.Add($x); return .. } */
static Ast *statements(Sema *s, const Ast *n, const Type *elem, const Type *cls)
{
    Loc loc = n->loc;
    Ast *made = empty_collection(s, loc, elem, cls);
    Ast *block = tree_block(s, loc, 1, tree_local(s, loc, NULL, "$all", made));
    for (int i = 0; i < n->collection.items.len; i++) {
        Ast *item = n->collection.items.data[i], *stmt;
        if (item->kind == AST_SPREAD) {
            stmt = ast_new(s->arena, AST_FOREACH, item->loc);
            stmt->foreach_.vtype = ast_new(s->arena, AST_TYPE_VAR, item->loc);
            stmt->foreach_.name = intern_cstr(s->names, "$item");
            stmt->foreach_.seq = item->spread.operand;
            stmt->foreach_.body = add_stmt(s, tree_name(s, item->loc, "$item"));
        } else {
            stmt = add_stmt(s, item);
        }
        block->block.stmts = ast_list_add(s->arena, block->block.stmts, stmt);
    }
    Ast *all = tree_name(s, loc, "$all");
    if (!cls) all = tree_call(s, loc, tree_member(s, loc, all, "ToArray"), 0);
    block->block.stmts = ast_list_add(s->arena, block->block.stmts, tree_return(s, all));
    return block;
}

static bool has_spread(const Ast *n)
{
    for (int i = 0; i < n->collection.items.len; i++)
        if (n->collection.items.data[i]->kind == AST_SPREAD) return true;
    return false;
}

static void make_by_statements(Sema *s, Ast **slot, const Type *elem, const Type *cls)
{
    Ast *n = *slot;
    if (!elem && !cls) elem = common_element(s, n);
    n->type = s->error;
    if (!elem && !cls) {
        report(s, n->loc, NEEDS_TYPE,
               "the type of this collection is not known: write that of "
               "the variable");
        return;
    }
    const Type *result = cls ? cls : decl_array(s, n->loc, elem, 1);
    if (result == s->error) return;
    Ast *call = local_block(s, "collection", statements(s, n, elem, cls), (AstList){0},
                            (AstList){0}, result);
    if (!call) return;
    *slot = call;
    check_expr(s, slot, result);
}

/* The T of a class C<T> without Add that an array of T converts to, such as Span<T>; else NULL. */
static const Type *converted_element(Sema *s, const Type *t)
{
    Class *c = t ? class_of(t) : NULL;
    const Instance *i = c ? c->sym->instance : NULL;
    if (!i || i->nparams != 1 || member_find(s, c, intern_cstr(s->names, "Add"))) return NULL;
    Ast like = {.kind = AST_BAD, .type = type_array(s->types, i->params[0]->type, 1)};
    return convert_class(s, &like, t) != CONV_NONE ? i->params[0]->type : NULL;
}

void check_collection(Sema *s, Ast **slot, const Type *hint)
{
    Ast *n = *slot;
    bool object = hint && class_of(hint) && hint->kind == TY_OBJECT;
    const Type *cls = object ? collection_class(s, n->loc, hint) : NULL;
    const Type *elem = !cls || cls == hint ? converted_element(s, hint) : NULL;
    if (elem) {
        hint = type_array(s->types, elem, 1);
        cls = NULL;
    }
    const Type *sequence = hint && type_is_functional(hint) ? hint : NULL;
    int rank = sequence ? sequence->nparams : depth_of(n);
    if (has_spread(n)) {
        if (rank > 1) {
            report(s, n->loc, INITIALISER, "rows of a '%s' are not spread",
                   type_text(s->arena, hint));
            n->type = s->error;
            return;
        }
        make_by_statements(s, slot, sequence ? sequence->result : NULL, cls);
        return;
    }
    if (cls) {
        Ast *make = empty_collection(s, n->loc, NULL, cls);
        make->new_.init = braces(s, n, 1);
        *slot = make;
    } else {
        *slot = new_array(s, n, sequence ? sequence->result : NULL, rank);
    }
    check_expr(s, slot, hint);
}
