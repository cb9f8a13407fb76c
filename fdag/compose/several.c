/* Several graphs as one, so that they are evaluated together. Functions become results that bind the same
 * variables, scalars the fields of one record:
 *   parts:   let(i) sum(j, a(j) * w(i, j))      let(k) sum(l, b(l) * w(k, l))
 *   results: let(i) sum(j, a(j) * w(i, j)),     let(i) sum(j, b(j) * w(i, j))
 * Scalars after functions may read these anywhere, as arrays, and are the first result:
 *   parts:   let(i) r(i) - a * q(i)             sum(k, s(k) * s(k)), where s is the first part
 *   results: sum(k, s(k) * s(k)), s             s an array (FD_DOM_ARRAY)
 * A part may read what an earlier one gives, at its own point only; it then holds that one's value:
 *   parts: a = x + 1, b = a * 2               results: let(i) x(i) + 1, let(i) (x(i) + 1) * 2
 */
#include <string.h>

#include "../index/contraction.h"
#include "../index/point.h"
#include "../internal.h"

/* ---- which parts fit ------------------------------------------------------------------------- */

typedef struct Own {
    const FdNode *root;
    int slot;
} Own;

/* Does n use the slot otherwise than at the variables of the root, or for its bounds? */
static bool uses_elsewhere(const void *ctx, const FdNode *n)
{
    const Own *o = ctx;
    if (n->kind != FD_APPLY) return false;
    FdOp op = fd_op_of(n);
    if (op == FD_OP_LOWER || op == FD_OP_UPPER) return false;
    bool own = n->nargs == o->root->nvars;
    for (int i = 0; i < n->nargs; i++) {
        if (fdi_is_leaf(n->args[i], FD_LEAF_SLOT) && n->args[i]->slot == o->slot) return true;
        own = own && n->args[i] == o->root->vars[i];
    }
    return !own && fdi_is_leaf(n->fn, FD_LEAF_SLOT) && n->fn->slot == o->slot;
}

static bool is_elementwise(const FdNode *root, int slot)
{
    Own o = {root, slot};
    return !fd_any(root, uses_elsewhere, &o);
}

bool fdi_is_whole(const FdNode *root)
{
    if (!root->type->nparams) return root->kind != FD_LET;
    if (root->kind != FD_LET || root->body->type->nparams) return false;
    for (int i = 0; i < root->nvars; i++)
        if (!fdi_is_integer(root->vars[i]->type) || root->doms[i].kind == FD_DOM_FULL ||
            !fd_range_closed(&root->doms[i]))
            return false;
    return true;
}

/* No recurrence. */
static bool is_plain(const FdNode *root)
{
    return !root->self && fdi_is_whole(root);
}

/* scalar: all parts before it that are arrays may be read in any way. */
static bool fits(const FdPart *part, const FdNode *first)
{
    const FdGraph *g = part->graph;
    bool scalar = !fd_root(g)->type->nparams;
    if (!is_plain(fd_root(g)) || (!scalar && fd_root(g)->type->nparams != first->type->nparams))
        return false;
    for (int d = 0; !scalar && d < first->type->nparams; d++)
        if (fd_root(g)->vars[d]->type != first->vars[d]->type) return false;
    for (int i = 0; i < g->nslots; i++)
        if (g->slots[i].def || (part->slots[i] < 0 && !scalar && !is_elementwise(fd_root(g), i)))
            return false;
    return true;
}

/* ---- one graph ------------------------------------------------------------------------------- */

const FdType *fdi_results_type(Fd *fd, int n, const FdNode *const *values)
{
    const FdType *fields[FD_MAX_FIELDS];
    const char *names[FD_MAX_FIELDS];
    Text name = {0};
    text_add(&name, "results");
    for (int i = 0; i < n; i++) {
        fields[i] = values[i]->type;
        names[i] = "result";
        text_add(&name, "_");
        fd_type_print(&name, fields[i]);
    }
    const FdType *t = fd_type_record(fd, name.data, n, fields, names);
    text_free(&name);
    return t;
}

/* What is known of the parts so far, of functions over the variables of the first. */
typedef struct Whole {
    Fd *fd;
    int n;
    const FdNode *roots[FD_MAX_FIELDS];  /* over the new graph's slots */
    const FdNode *shapes[FD_MAX_FIELDS]; /* functions of the same types and ranges */
    const FdNode *fields[FD_MAX_FIELDS]; /* the bodies; scalars are their roots */
    const FdNode *arrays[FD_MAX_FIELDS]; /* what scalars read; NULL: none does yet */
    const FdPart *parts;
    VEC(FdAgree) agrees;
    const char *hints; /* of all parts */
} Whole;

/* n over the slots of the whole. Bounds of earlier parts are known: what binds the variables of the
 * first must not come to stand in their ranges. */
static const FdNode *renew(Fd *fd, const FdNode *n, const FdNode *const *values, int nvalues)
{
    return fd_rewrite(fd, fd_substitute(fd, n, values, nvalues), fdi_known_bound, NULL);
}

/* An earlier part applied: it is read at its own point. */
static const FdNode *earlier_value(void *ctx, Fd *fd, const FdNode *n)
{
    const Whole *w = ctx;
    for (int i = 0; n->kind == FD_APPLY && i < w->n; i++)
        if (n->fn == w->roots[i]) return fdi_rounded(fd, w->fields[i]);
    return NULL;
}

static const FdNode *over(Fd *fd, const FdNode *root, const FdNode *const *vars, const FdNode *body)
{
    return fd_let(fd, root->nvars, vars, root->doms, body, root->loc);
}

/* For agreements: the values of a function do not matter there. */
static const FdNode *shape_of(Fd *fd, const FdNode *let)
{
    ScalarValue zero = {.i = 0};
    if (let->body->type->record) return let;
    return over(fd, let, let->vars, fd_const(fd, let->body->type->scalar, zero));
}

/* What was to be checked of a part is to be checked of the whole. */
static void checks_of(Whole *w, const FdGraph *g, const FdNode *const *values)
{
    Fd *fd = w->fd;
    for (int i = 0; i < g->nagrees; i++) {
        FdAgree a = g->agrees[i];
        a.a = renew(fd, a.a, values, g->nslots);
        a.b = renew(fd, a.b, values, g->nslots);
        vec_push(&w->agrees, a);
    }
}

/* Its ranges must be those of the first. */
static void same_ranges(Whole *w)
{
    const FdNode *root = w->roots[w->n];
    for (int d = 0; w->n > 0 && root->kind == FD_LET && d < root->nvars; d++) {
        FdAgree same = {.a = w->shapes[0], .b = w->shapes[w->n], .loc = root->loc};
        same.a_dim = same.b_dim = d;
        if (same.a != same.b) vec_push(&w->agrees, same);
    }
}

/* Part k over the ranges of the first, of its own kind. */
static const FdNode *result_of(const Whole *w, int k)
{
    const FdNode *first = w->roots[0], *own = w->roots[k];
    FdDom doms[FD_MAX_RANK];
    for (int d = 0; d < first->nvars; d++)
        doms[d] = (FdDom){own->doms[d].kind, first->doms[d].lo, first->doms[d].hi};
    return fd_let(w->fd, first->nvars, first->vars, doms, w->fields[k], own->loc);
}

static const FdNode *array_of(Whole *w, int k)
{
    if (!w->arrays[k]) w->arrays[k] = fd_stored(w->fd, fdi_rounded_array(w->fd, result_of(w, k)));
    return w->arrays[k];
}

/* What the slots of a part stand for, earlier parts as arrays or as functions, and functions of the same
 * ranges. */
static void part_slots(Whole *w, const FdPart *part, const FdSlot *slots, bool arrays,
                       const FdNode ***values, const FdNode ***shapes)
{
    Fd *fd = w->fd;
    int n = part->graph->nslots;
    *values = arena_array(fd->arena, const FdNode *, n + 1);
    *shapes = arena_array(fd->arena, const FdNode *, n + 1);
    for (int i = 0; i < n; i++) {
        int at = part->slots[i];
        (*values)[i] = at >= 0  ? fd_slot(fd, at, slots[at].type, slots[at].name)
                       : arrays ? array_of(w, ~at)
                                : w->roots[~at];
        (*shapes)[i] = at < 0 ? w->shapes[~at] : (*values)[i];
    }
}

static void add_part(Whole *w, const FdPart *part, const FdSlot *slots)
{
    Fd *fd = w->fd;
    const FdGraph *g = part->graph;
    int k = w->n;
    const FdNode **values, **shapes;
    part_slots(w, part, slots, !fd_root(g)->type->nparams, &values, &shapes);
    const FdNode *root = renew(fd, fd_root(g), values, g->nslots);
    w->fields[k] = w->roots[k] = root;
    if (root->kind == FD_LET) {
        const FdNode *const *vars = k ? w->roots[0]->vars : root->vars;
        const FdNode *body = fdi_replace_vars(fd, root->body, root->nvars, root->vars, vars);
        w->fields[k] = fd_rewrite(fd, body, earlier_value, w);
        w->roots[k] = over(fd, root, vars, w->fields[k]);
        w->shapes[k] = shape_of(fd, w->roots[k]);
    }
    checks_of(w, g, shapes);
    same_ranges(w);
    w->n++;
}

/* Functions side by side; scalars as one record, before the arrays. How many; 0: they are no record. */
static int make_results(Whole *w, const FdNode **results)
{
    const FdNode *fields[FD_MAX_FIELDS];
    int arrays = 0, n = 0, side = 0;
    while (arrays < w->n && w->roots[arrays]->kind == FD_LET) arrays++;
    int scalars = w->n - arrays;
    for (int k = arrays; k < w->n; k++)
        if (w->roots[k]->kind == FD_LET) return 0;
    for (int k = 0; !scalars && k < arrays; k++)
        if (!w->parts[k].inner) fields[side++] = w->fields[k];
    const FdNode *const *values = scalars ? w->fields + arrays : fields;
    const FdType *type = fdi_results_type(w->fd, scalars ? scalars : side, values);
    if (!type) return 0;
    if (scalars)
        results[n++] =
            scalars == 1 && arrays ? values[0] : fd_make(w->fd, type, values, w->roots[0]->loc);
    for (int k = 0; k < arrays; k++)
        if (scalars || !w->parts[k].inner)
            results[n++] = scalars ? array_of(w, k) : result_of(w, k);
    return n;
}

/* Do bounds differ by a number? */
static bool differ(const FdNode *a, const FdNode *b)
{
    FdAffine d = {0};
    return fd_affine_add(&d, a, 1) && fd_affine_add(&d, b, -1) && d.nterms == 0 && d.constant != 0;
}

/* Can the newest part have the ranges of the first? Interiors are not as large as the whole. */
static bool may_agree(const Whole *w)
{
    const FdNode *a = w->roots[0], *b = w->roots[w->n - 1];
    for (int d = 0; b->kind == FD_LET && d < a->nvars; d++)
        if (differ(a->doms[d].lo, b->doms[d].lo) || differ(a->doms[d].hi, b->doms[d].hi))
            return false;
    return true;
}

static FdGraph *whole_graph(Whole *w, int n, const FdNode *const *results, int nslots,
                            const FdSlot *slots)
{
    static const FdPass passes[] = {{"share", fd_pass_share}, {0}};
    FdError error = {0};
    FdGraph *g = arena_new_of(w->fd->arena, FdGraph);
    *g = (FdGraph){.nresults = n, .nslots = nslots, .hints = w->hints};
    g->results = arena_array(w->fd->arena, FdResult, n);
    for (int k = 0; k < n; k++) g->results[k].node = results[k];
    g->slots = arena_copy(w->fd->arena, slots, sizeof *slots * (size_t)nslots);
    g->nagrees = (int)w->agrees.len;
    g->agrees = arena_copy(w->fd->arena, w->agrees.data, sizeof *w->agrees.data * w->agrees.len);
    fd_run_passes(w->fd, g, passes, &error, NULL, NULL);
    return g;
}

bool fdi_compute_alike(int n, const FdPart *parts)
{
    FdReals first = fd_hints_reals(parts[0].graph->hints);
    bool alike = true;
    for (int k = 1; k < n; k++) alike = alike && fd_hints_reals(parts[k].graph->hints) == first;
    return alike;
}

FdGraph *fd_several(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots)
{
    Whole w = {.fd = fd, .parts = parts};
    for (int k = 0; k < n; k++)
        if (k == FD_MAX_FIELDS || !fits(&parts[k], fd_root(parts[0].graph))) return NULL;
    bool agree = fdi_compute_alike(n, parts);
    for (int k = 0; k < n && agree; k++) {
        add_part(&w, &parts[k], slots);
        w.hints = fd_hints_join(fd, w.hints, parts[k].graph->hints);
        agree = may_agree(&w);
    }
    const FdNode *results[FD_MAX_FIELDS];
    int count = agree ? make_results(&w, results) : 0;
    FdGraph *g = count ? whole_graph(&w, count, results, nslots, slots) : NULL;
    vec_free(&w.agrees);
    return g;
}

/* x + more <= y */
static bool is_at_most(FdFacts *f, const FdNode *x, int64_t more, const FdNode *y)
{
    FdAffine a = {.constant = more};
    return fd_affine_add(&a, x, 1) && fd_affine_add(&a, y, -1) && fd_shown(f, &a);
}

/* Does a read go along with one of these variables, in another dimension than the last? Then rows of
 * what it reads can be made as they are needed. */
static bool is_by_rows(const FdNode *read, int nvars, const FdNode *const *vars)
{
    for (int d = 0; d + 1 < read->nargs; d++)
        for (int v = 0; v < nvars; v++) {
            FdAffine a;
            int64_t factor;
            if (fd_affine(read->args[d], &a) && fd_affine_factor(&a, vars[v], &factor) &&
                factor == 1)
                return true;
        }
    return false;
}

/* Which earlier parts are read where that is not sure to be inside their ranges? An array would say
 * if not, a function that is inlined may not. False: one is used otherwise than by reads, or would
 * be stored for nothing. */
static bool find_outside(const Whole *w, const FdNode *root, bool *outside)
{
    bool let = root->kind == FD_LET, reads = true;
    const FdNode *body = let ? root->body : root;
    FdFacts *f = fd_facts_new(w->fd, let ? root->nvars : 0, root->vars, root->doms, body);
    FdWalk walk = fd_walk(body);
    for (const FdNode *n; reads && (n = fd_walk_next(&walk));) {
        const FdNode *below[FD_MAX_CHILDREN];
        int part = -1;
        for (int k = 0; n->kind == FD_APPLY && k < w->n; k++)
            if (n->fn == w->roots[k]) part = k;
        for (int d = 0; part >= 0 && !outside[part] && d < n->nargs; d++)
            outside[part] = !is_at_most(f, n->fn->doms[d].lo, 0, n->args[d]) ||
                            !is_at_most(f, n->args[d], 1, n->fn->doms[d].hi);
        if (part >= 0 && outside[part]) reads = let && is_by_rows(n, root->nvars, root->vars);
        for (int i = fd_children(n, below); i-- > 0;) {
            if (part >= 0 && below[i] == n->fn) continue;
            for (int k = 0; k < w->n; k++) reads = reads && below[i] != w->roots[k];
            fd_walk_add(&walk, below[i]);
        }
    }
    fd_facts_free(f);
    fd_walk_end(&walk);
    return reads;
}

/* The last part over those before it, of which these are stored. Finds which have to be. */
static const FdNode *chain(Whole *w, int n, const FdPart *parts, const FdSlot *slots, bool *outside)
{
    Fd *fd = w->fd;
    bool good = true;
    w->n = 0;
    w->agrees.len = 0;
    for (int k = 0; k < n && good; k++) {
        const FdNode **values, **shapes;
        part_slots(w, &parts[k], slots, false, &values, &shapes);
        w->hints = fd_hints_join(fd, w->hints, parts[k].graph->hints);
        const FdNode *root = renew(fd, fd_root(parts[k].graph), values, parts[k].graph->nslots);
        w->shapes[k] = root->kind == FD_LET ? shape_of(fd, root) : root;
        checks_of(w, parts[k].graph, shapes);
        good = find_outside(w, root, outside);
        if (k < n - 1) root = fdi_rounded_array(fd, root);
        w->roots[w->n++] = outside[k] ? fd_stored(fd, root) : root;
    }
    return good ? w->roots[n - 1] : NULL;
}

FdGraph *fd_chained(Fd *fd, int n, const FdPart *parts, int nslots, const FdSlot *slots)
{
    Whole w = {.fd = fd};
    bool outside[FD_MAX_FIELDS] = {0}, again = true;
    const FdNode *root = NULL;
    if (n > FD_MAX_FIELDS || !fdi_compute_alike(n, parts)) return NULL;
    for (int k = 0; k < n; k++) {
        const FdGraph *g = parts[k].graph;
        if (!is_plain(fd_root(g)) || (k < n - 1 && fd_root(g)->kind != FD_LET)) return NULL;
        for (int i = 0; i < g->nslots; i++)
            if (g->slots[i].def) return NULL;
    }
    while (again) {
        bool before[FD_MAX_FIELDS];
        memcpy(before, outside, sizeof before);
        root = chain(&w, n, parts, slots, outside);
        again = root && memcmp(before, outside, sizeof before) != 0;
    }
    FdGraph *g = root ? whole_graph(&w, 1, &root, nslots, slots) : NULL;
    vec_free(&w.agrees);
    return g;
}
