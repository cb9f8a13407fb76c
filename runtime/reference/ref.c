/* The entries of the reference executor: one value, one element, all elements; and what an evaluation
 * has of its own: rooms, errors. */
#include "ref.h"

#include <string.h>

#include "../evaluate/lazy/closure.h"
#include "../interrupt.h"
#include "../state.h"
#include "cell.h"

/* ---- rooms -------------------------------------------------------------------------- */

ScalarValue *ref_room(Ref *r, int n)
{
    enum { CHUNK = 1000 };
    size_t need = (size_t)n;
    if (!r->rooms || r->rooms->size - r->rooms->used < need) {
        size_t size = need > CHUNK ? need : CHUNK;
        Chunk *c = mem_object(sizeof *c + size * sizeof(ScalarValue));
        if (!c) mem_fail(size * sizeof(ScalarValue));
        *c = (Chunk){.below = r->rooms, .size = size};
        r->rooms = c;
    }
    ScalarValue *room = r->rooms->values + r->rooms->used;
    r->rooms->used += need;
    memset(room, 0, need * sizeof *room);
    return room;
}

RefVar *ref_vars(Ref *r, int n, RefVar *few)
{
    size_t values = (size_t)n * sizeof(RefVar) / sizeof(ScalarValue);
    return n <= FD_MAX_RANK ? few : (RefVar *)ref_room(r, (int)values);
}

void ref_release(Ref *r, Mark m)
{
    while (r->rooms && r->rooms != m.chunk && r->rooms->below) { /* the first one stays */
        Chunk *top = r->rooms;
        r->rooms = top->below;
        mem_object_free(top);
    }
    if (r->rooms) r->rooms->used = r->rooms == m.chunk ? m.used : 0;
}

/* ---- errors ------------------------------------------------------------------------- */

static const char *name_of(const Cell *f)
{
    if (f->kind == CELL_USER) return f->user->user->name;
    return f->self ? f->node->self->name : f->node->name; /* NULL: it has none */
}

void ref_fail_index(Ref *r, const Cell *f, const FdBox *box, const int64_t *index,
                    const FdNode *node)
{
    CsSite s = rt_site_of(r->site, r->root->node, node);
    rt_throw_outside(&s, name_of(f), box, index);
    rt_frame_around(&s, r->site);
    r->failed = true;
}

void ref_fail(Ref *r, RtError kind, const FdNode *node, const char *message)
{
    CsSite s = rt_site_of(r->site, r->root->node, node);
    rt_throw(kind, &s, "%s", message);
    rt_frame_around(&s, r->site);
    r->failed = true;
}

void ref_look_for_interrupt(Ref *r)
{
    if (rt.stops && !r->failed && interrupted())
        ref_fail(r, RT_STACK, r->root->node, "the evaluation is interrupted");
}

/* ---- evaluations -------------------------------------------------------------------- */

static void start(Ref *r, const RtLeaf *leaves, const CsSite *site)
{
    r->leaves = leaves;
    r->site = site;
    r->failed = false;
    r->scope = NULL;
    r->start = ++r->clock;
    for (int i = 0; i < r->nslots; i++) {
        const RtLeaf *l = &leaves[i];
        if (l->array)
            r->boxes[i] = rt_array_box(l->array);
        else if (l->closure)
            r->boxes[i] = *closure_box(l->closure);
        else
            r->scalars[i] = l->scalar;
        for (int k = 0; l->array && r->planes[i] && k < fd_type_leaves(r->slot_types[i]->result);
             k++)
            r->planes[i][k] =
                fd_plane_offset(r->slot_types[i]->result, k, rt_array_count(l->array));
    }
}

/* One evaluation. What it takes within mem_try that is no block belongs to r, which is of no more
 * use when that fails: its owner frees it. */
typedef struct Run {
    Ref *ref;
    const RtLeaf *leaves;
    const CsSite *site;
    const ScalarValue *args;
    const FdBox *box;
    void *out;
} Run;

static bool evaluate(void (*run)(void *), Run *e)
{
    if (!mem_try(run, e)) {
        e->ref->failed = e->ref->broken = true;
        rt_throw_memory(e->site, 0);
    }
    rt_site(e->site);
    return !e->ref->failed;
}

static void run_scalar(void *run)
{
    const Run *e = run;
    start(e->ref, e->leaves, e->site);
    ref_eval_all(e->ref, e->ref->root, e->out);
}

bool ref_scalar(Ref *r, const RtLeaf *leaves, const CsSite *site, ScalarValue *out)
{
    Run e = {.ref = r, .leaves = leaves, .site = site, .out = out};
    return evaluate(run_scalar, &e);
}

/* Applies the root to arguments, one value a leaf. */
static void apply_root(Ref *r, const ScalarValue *args, ScalarValue *out)
{
    const FdType *t = r->root->node->type;
    Mark mark = ref_mark(r);
    RefVar few[FD_MAX_RANK], *given = ref_vars(r, t->nparams, few);
    for (int i = 0; i < t->nparams; i++) {
        int n = fd_type_leaves(t->params[i]);
        given[i] = (RefVar){.value = *args};
        if (t->params[i]->record) {
            given[i].record = ref_room(r, n);
            for (int k = 0; k < n; k++) given[i].record[k] = args[k];
        }
        args += n;
    }
    Args a = {t->nparams, given, NULL, NULL};
    ref_call(r, r->root, &a, out);
    ref_release(r, mark);
}

static void run_point(void *run)
{
    const Run *e = run;
    ScalarValue *out = e->out;
    start(e->ref, e->leaves, e->site);
    for (int i = 0; i < e->ref->root->leaves; i++) out[i] = (ScalarValue){0};
    apply_root(e->ref, e->args, out);
}

bool ref_point(Ref *r, const RtLeaf *leaves, const CsSite *site, const ScalarValue *args,
               ScalarValue *out)
{
    Run e = {.ref = r, .leaves = leaves, .site = site, .args = args, .out = out};
    return evaluate(run_point, &e);
}

typedef struct Filler {
    const FdBox *box;
    char *out;
    int64_t at;            /* elements stored */
    const FdType *type;    /* of elements */
    const int64_t *planes; /* of a leaf: offset in out */
    ScalarValue *leaves;   /* room for one element */
    ScalarValue index[FD_MAX_RANK];
} Filler;

static void fill(Ref *r, Filler *f, int d)
{
    Cell *root = r->root;
    bool let = root->kind == CELL_LET && !root->self;
    if (d == f->box->rank) {
        if (let)
            ref_eval_all(r, root->body, f->leaves);
        else
            apply_root(r, f->index, f->leaves);
        for (int k = 0; k < root->leaves; k++) {
            ScalarKind kind = fd_type_leaf(f->type, k);
            char *to = f->out + f->planes[k] + (size_t)f->at * scalar_bytes(kind);
            scalar_store(to, kind, f->leaves[k]);
        }
        f->at++;
        return;
    }
    for (int64_t i = f->box->dim[d].lo; i < f->box->dim[d].hi && !r->failed; i++) {
        f->index[d].i = i;
        if (let) ref_set(r, root->vars[d], f->index[d]);
        fill(r, f, d + 1);
        ref_look_for_interrupt(r);
    }
}

static void run_fill(void *run)
{
    const Run *e = run;
    Ref *r = e->ref;
    start(r, e->leaves, e->site);
    int64_t count = 0;
    Filler f = {.box = e->box, .out = e->out, .planes = r->root_planes};
    f.type = r->root->node->type->result;
    rt_box_count(e->box, &count); /* the caller has made `out` of this size */
    for (int k = 0; k < r->root->leaves; k++) r->root_planes[k] = fd_plane_offset(f.type, k, count);
    Mark mark = ref_mark(r);
    f.leaves = ref_room(r, r->root->leaves);
    fill(r, &f, 0);
    ref_release(r, mark);
}

bool ref_fill(Ref *r, const RtLeaf *leaves, const CsSite *site, const FdBox *box, void *out)
{
    Run e = {.ref = r, .leaves = leaves, .site = site, .box = box, .out = out};
    return evaluate(run_fill, &e);
}

bool ref_is_broken(const Ref *r)
{
    return r->broken;
}
