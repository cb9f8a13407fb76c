/* What arrays are made of (scalars.c): graphs over arrays whose elements are known, lists of elements, other variables,
 * calls. */
#include "../../../fdag/scalarize.h"
#include "scalars.h"

enum { MOST_SLOTS = 24 };

/* What the slots of a graph stand for. */
typedef struct Captured {
    FdBox boxes[MOST_SLOTS];
    Ast *scalars[MOST_SLOTS]; /* a name or a constant; NULL: an array.. */
    int stands[MOST_SLOTS];   /* ..with these elements */
    const FdNode *constants[MOST_SLOTS];
} Captured;

/* ---- captures --------------------------------------------------------------------------------- */

/* An array that is captured: that of a variable, or one that gets elements here. */
static int capture_array(Scalars *s, Ast *n)
{
    int stand = scalars_named(s, n);
    FdBox box;
    Ast *values[SCALARS_MOST];
    if (stand >= 0) return stand;
    if (!scalars_suits(n->type) || !scalars_elements(s, n, &box, values)) return -1;
    scalars_declare_all(s, NULL, n->type, &box, values, n->loc);
    return (int)s->stands.len - 1;
}

static bool is_simple(const Ast *n)
{
    return n->is_const || n->kind == AST_NAME_REF;
}

/* A number that each element may ask for, so it is evaluated once; `declares`: there may be statements before. */
static Ast *capture_scalar(Scalars *s, const Ast *n, bool declares)
{
    Ast *copy = ast_clone(s->l->arena, n);
    scalars_uses(&copy, s);
    if (is_simple(copy) || !declares) return copy;
    return lower_name(s->l->arena, n->loc, scalars_declare(s, "$", n->type, copy, n->loc));
}

static bool capture(Scalars *s, const Ast *graph, bool declares, Captured *c)
{
    const AstList *list = &graph->graph.captures;
    const FdGraph *g = s->l->graphs.data[graph->graph.graph].graph;
    if (list->len > MOST_SLOTS || g->nslots != list->len) return false;
    /* names stand for what they are when the elements are computed */
    for (int i = 0; i < list->len; i++)
        if (lower_changes(list->data[i])) return false;
    for (int i = 0; i < list->len; i++) {
        Ast *n = list->data[i];
        c->boxes[i].rank = 0;
        c->scalars[i] = NULL;
        c->stands[i] = -1;
        c->constants[i] = NULL;
        if (n->type->kind == TY_SCALAR) {
            ScalarValue v;
            if (scalars_constant(s, n, &v.i))
                c->constants[i] = fd_const(s->l->fd, n->type->scalar, v);
            else
                c->scalars[i] = capture_scalar(s, n, declares);
            continue;
        }
        int stand = declares ? capture_array(s, n) : scalars_named(s, n);
        if (stand < 0) return false;
        c->stands[i] = stand;
        c->boxes[i] = s->stands.data[stand].box;
    }
    return true;
}

/* ---- graphs ----------------------------------------------------------------------------------- */

/* The scalarized graph as an expression. */
static Ast *graph_node(Scalars *s, FdGraph *g, const FdAsked *asked, const Captured *c,
                       const Type *type, Loc loc)
{
    Lower *l = s->l;
    Ast *n = ast_new(l->arena, AST_GRAPH, loc);
    n->type = type;
    n->graph.graph = l->graphs.len;
    for (int i = 0; i < g->nslots; i++) {
        const int stand = c->stands[asked[i].slot];
        Ast *value = stand < 0
                         ? ast_clone(l->arena, c->scalars[asked[i].slot])
                         : lower_name(l->arena, loc, s->stands.data[stand].elements[asked[i].at]);
        n->graph.captures = ast_list_add(l->arena, n->graph.captures, value);
    }
    SemaGraph out = {.graph = g, .arithmetic = true, .text = lower_graph_text(l, g), .loc = loc};
    vec_push(&l->graphs, out);
    return n;
}

static FdSmall small_of(const Captured *c)
{
    return (FdSmall){c->boxes, c->constants};
}

static void spared(Scalars *s, const Captured *c, int nslots)
{
    for (int i = 0; i < nslots; i++)
        if (c->stands[i] >= 0) s->stands.data[c->stands[i]].gain += scalars_weight(s);
}

static void next_index(const FdBox *box, int64_t *index)
{
    for (int d = box->rank; d-- > 0;) {
        if (++index[d] < box->dim[d].hi) return;
        index[d] = box->dim[d].lo;
    }
}

static bool graph_elements(Scalars *s, const Ast *graph, FdBox *box, Ast **out)
{
    Lower *l = s->l;
    FdGraph *g = l->graphs.data[graph->graph.graph].graph;
    Captured c;
    int64_t index[FD_MAX_RANK];
    if (!capture(s, graph, true, &c)) return false;
    const FdSmall small = small_of(&c);
    if (!fd_scalarize_box(l->fd, g, &small, box)) return false;
    const int n = (int)scalars_count(box);
    if (n < 1 || n > SCALARS_MOST || box->rank != graph->type->nparams) return false;
    for (int d = 0; d < box->rank; d++) index[d] = box->dim[d].lo;
    for (int i = 0; i < n; i++, next_index(box, index)) {
        FdAsked *asked;
        FdGraph *one = fd_scalarize(l->fd, g, &small, index, SCALARS_OPERATIONS / n, &asked);
        if (!one) return false;
        out[i] = graph_node(s, one, asked, &c, graph->type->result, graph->loc);
    }
    spared(s, &c, g->nslots);
    return true;
}

Ast *scalars_arithmetic(Scalars *s, Ast *graph)
{
    const SemaGraph *whole = &s->l->graphs.data[graph->graph.graph];
    Captured c;
    FdBox box;
    FdAsked *asked;
    bool any = false;
    if (whole->arithmetic) return NULL;
    for (int i = 0; i < graph->graph.captures.len; i++)
        any = any || scalars_named(s, graph->graph.captures.data[i]) >= 0;
    FdGraph *g = whole->graph;
    if (!any || !capture(s, graph, false, &c)) return NULL;
    const FdSmall small = small_of(&c);
    if (!fd_scalarize_box(s->l->fd, g, &small, &box)) return NULL;
    FdGraph *one = fd_scalarize(s->l->fd, g, &small, NULL, SCALARS_OPERATIONS, &asked);
    if (!one) return NULL;
    spared(s, &c, g->nslots);
    return graph_node(s, one, asked, &c, graph->type, graph->loc);
}

/* ---- lists ------------------------------------------------------------------------------------ */

/* The items of a list of this level, appended; false: it is no such list. */
static bool add_items(Scalars *s, const Ast *list, FdBox *box, int dim, Ast **out, int *n)
{
    const AstList *items = &list->init_list.items;
    if (list->kind != AST_INIT_LIST || items->len != fd_box_length(box, dim)) return false;
    for (int i = 0; i < items->len; i++) {
        if (dim + 1 < box->rank) {
            if (!add_items(s, items->data[i], box, dim + 1, out, n)) return false;
            continue;
        }
        out[*n] = ast_clone(s->l->arena, items->data[i]);
        scalars_uses(&out[(*n)++], s);
    }
    return true;
}

static bool list_elements(Scalars *s, const Ast *list, FdBox *box, Ast **out)
{
    int n = 0;
    const Ast *level = list;
    for (int d = 0; d < box->rank; d++) {
        if (level->kind != AST_INIT_LIST || !level->init_list.items.len) return false;
        box->dim[d].lo = 0;
        box->dim[d].hi = level->init_list.items.len;
        level = level->init_list.items.data[0];
    }
    return scalars_count(box) <= SCALARS_MOST && add_items(s, list, box, 0, out, &n);
}

/* new T[n], m: zeros. */
static bool zeros(Scalars *s, const Ast *n, FdBox *box, Ast **out)
{
    for (int d = 0; d < box->rank; d++) {
        int64_t size;
        if (!scalars_constant(s, n->new_array.sizes.data[d], &size)) return false;
        if (size < 1 || size > SCALARS_MOST) return false;
        box->dim[d].lo = 0;
        box->dim[d].hi = size;
    }
    if (scalars_count(box) > SCALARS_MOST) return false;
    for (int i = 0; i < scalars_count(box); i++) {
        out[i] = ast_new(s->l->arena, AST_INT_LIT, n->loc);
        out[i]->type = n->type->result;
        out[i]->is_const = true;
    }
    return true;
}

static Ast *list_of(Scalars *s, const Stand *x, int dim, int *next, const Type *type, Loc loc)
{
    Arena *arena = s->l->arena;
    Ast *list = ast_new(arena, AST_INIT_LIST, loc);
    list->type = type;
    for (int64_t i = 0; i < fd_box_length(&x->box, dim); i++) {
        Ast *item = dim + 1 < x->box.rank ? list_of(s, x, dim + 1, next, type, loc)
                                          : lower_name(arena, loc, x->elements[(*next)++]);
        list->init_list.items = ast_list_add(arena, list->init_list.items, item);
    }
    return list;
}

Ast *scalars_array(Scalars *s, int stand, const Type *type, Loc loc)
{
    Arena *arena = s->l->arena;
    const Stand *x = &s->stands.data[stand];
    int next = 0;
    const Type *array = type_array(s->l->r->types, type->result, x->box.rank);
    Ast *n = ast_new(arena, AST_NEW_ARRAY, loc);
    n->type = array;
    n->new_array.rank = (uint64_t)x->box.rank;
    for (int d = 0; d < x->box.rank; d++) {
        if (x->box.dim[d].lo) return NULL;
        Ast *size = ast_new(arena, AST_INT_LIT, loc);
        size->type = type_scalar(s->l->r->types, SC_LONG);
        size->is_const = true;
        size->value.i = x->box.dim[d].hi;
        n->new_array.sizes = ast_list_add(arena, n->new_array.sizes, size);
    }
    n->new_array.init = list_of(s, x, 0, &next, array, loc);
    if (type == array) return n;
    Ast *function = ast_new(arena, AST_CONVERT, loc);
    function->type = type;
    function->convert.operand = n;
    return function;
}

/* ---- values ----------------------------------------------------------------------------------- */

static bool variable_elements(Scalars *s, int stand, FdBox *box, Ast **out, Loc loc)
{
    const Stand *x = &s->stands.data[stand];
    *box = x->box;
    for (int i = 0; i < scalars_count(box); i++)
        out[i] = lower_name(s->l->arena, loc, x->elements[i]);
    return true;
}

bool scalars_elements(Scalars *s, Ast *n, FdBox *box, Ast **out)
{
    n = scalars_bare(n);
    int stand = scalars_named(s, n);
    if (stand >= 0) return variable_elements(s, stand, box, out, n->loc);
    if (!scalars_suits(n->type)) return false;
    box->rank = n->type->nparams;
    for (int d = 0; d < box->rank; d++) box->dim[d].full = false;
    switch (n->kind) {
    case AST_GRAPH: return graph_elements(s, n, box, out);
    case AST_INIT_LIST: return list_elements(s, n, box, out);
    case AST_NEW_ARRAY:
        if (n->new_array.init) return list_elements(s, n->new_array.init, box, out);
        return n->new_array.sizes.len == box->rank && zeros(s, n, box, out);
    case AST_CALL: return scalars_call(s, n, box, out);
    default: return false;
    }
}
