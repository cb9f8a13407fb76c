/* Parts of a group that are no results: later parts have their elements as expressions, as far as they ask for them.
 * Nobody would see what such a part reports, so it has to be shown that it reports nothing. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../../fdag/index/footprint/footprint.h"
#include "../../state.h"
#include "ahead_group.h"

enum { DEPTH = 16 }; /* of lazy values in each other */

typedef struct Hidden {
    const Ahead *ahead;
    Arena *arena;
    bool fails; /* it may */
} Hidden;

typedef struct Room {
    FdBox *boxes;
    ScalarValue *scalars;
} Room;

static Room room_for(Hidden *h, const FdGraph *g)
{
    return (Room){arena_array(h->arena, FdBox, g->nslots + 1),
                  arena_array(h->arena, ScalarValue, g->nslots + 1)};
}

static bool can_fail(const FdGraph *g, const Room *r)
{
    const FdEnv env = {r->boxes, r->scalars};
    return fd_effects_called(fd_root(g)) & FD_MAY_FAIL && !fd_cannot_fail(g, &env, NULL, NULL);
}

/* What is captured, at any element; a closure is the host's. */
static bool value_can_fail(Hidden *h, void *fn, int depth)
{
    const CsHead *head = fn;
    const Lazy *l = fn;
    if (head->kind == CS_ARRAY || (head->kind == CS_LAZY && l->result)) return false;
    if (head->kind != CS_LAZY || depth == DEPTH) return true;
    const FdGraph *g = l->graph->fd;
    const Room r = room_for(h, g);
    for (int i = 0; i < g->nslots; i++) {
        void *captured = l->captures[i].ref;
        if (!g->slots[i].type->result)
            r.scalars[i].i = l->captures[i].i;
        else if (value_can_fail(h, captured, depth + 1))
            return true;
        else
            r.boxes[i] = *rt_box_of(captured, &r.boxes[i]);
    }
    return can_fail(g, &r);
}

/* Of a part whose slots are captures of the group or, negative, results of parts before it, which have these ranges. */
static Room room_of(Hidden *h, const FdGraph *g, const int32_t *at, const FdBox *made)
{
    const CsValue *captures = h->ahead->captures;
    const Room r = room_for(h, g);
    for (int i = 0; i < g->nslots; i++)
        if (at[i] < 0)
            r.boxes[i] = made[~at[i]];
        else if (g->slots[i].type->result)
            r.boxes[i] = *rt_box_of(captures[at[i]].ref, &r.boxes[i]);
        else
            r.scalars[i].i = captures[at[i]].i;
    return r;
}

typedef struct Part {
    const FdGraph *graph;
    const int32_t *at;
    Room room;
    FdBox box;      /* of an array */
    bool evaluated; /* wholly: it is a result, or others read all of it */
} Part;

/* Is it shown that nothing of a part fails? */
static bool is_shown(Hidden *h, const Part *p)
{
    for (int i = 0; i < p->graph->nslots; i++)
        if (p->at[i] >= 0 && p->graph->slots[i].type->result &&
            value_can_fail(h, h->ahead->captures[p->at[i]].ref, 0))
            return false;
    return !can_fail(p->graph, &p->room);
}

/* Does a part that is evaluated read all of number k? */
static bool is_read(const Part *parts, int n, int k)
{
    for (int j = k + 1; j < n; j++) {
        const Part *p = &parts[j];
        const FdEnv env = {p->room.boxes, p->room.scalars};
        for (int i = 0; i < p->graph->nslots && p->evaluated; i++)
            if (p->at[i] == ~k && fd_reads_whole(p->graph, i, &p->box, &env)) return true;
    }
    return false;
}

static void look(void *hidden)
{
    Hidden *h = hidden;
    const CsAhead *group = h->ahead->group;
    const int32_t *at = h->ahead->at;
    h->arena = arena_new();
    Part *parts = arena_array(h->arena, Part, group->n);
    FdBox *made = arena_array(h->arena, FdBox, group->n);
    for (int k = 0; k < group->n; k++) {
        const FdGraph *g = ((Graph *)group->parts[k]->parsed)->fd;
        Part *p = &parts[k];
        *p = (Part){.graph = g, .at = at, .room = room_of(h, g, at, made)};
        const FdEnv env = {p->room.boxes, p->room.scalars};
        if (fd_root(g)->type->nparams)
            h->fails = h->fails || fd_eval_box(rt_fd(), fd_root(g), &env, &p->box) != FD_BOUND_OK;
        made[k] = p->box;
        at += g->nslots;
    }
    for (int k = group->n; k-- > 0 && !h->fails;) {
        Part *p = &parts[k];
        p->evaluated = !(group->inner >> k & 1) || is_read(parts, group->n, k);
        h->fails = !p->evaluated && !is_shown(h, p);
    }
}

/* Of the ranges and scalars that it depends on; 0: there are others. */
static uint64_t hash_of(const Ahead *a)
{
    const FdGraph *g = a->graph->fd;
    uint64_t hash = 1;
    for (int i = 0; i < g->nslots; i++) {
        const Array *of = a->captures[i].ref;
        if (!g->slots[i].type->result) {
            hash = XXH3_64bits_withSeed(&a->captures[i].i, sizeof a->captures[i].i, hash);
        } else if (of->head.head.kind == CS_ARRAY) {
            hash = XXH3_64bits_withSeed(of->head.dim, sizeof *of->head.dim * (size_t)of->head.rank,
                                        hash);
        } else {
            return 0;
        }
    }
    return hash | 1;
}

bool ahead_hides(const Ahead *a)
{
    Hidden h = {.ahead = a};
    if (!a->group->inner) return false;
    const uint64_t hash = hash_of(a);
    if (hash && a->graph->hides_nothing == hash) return false;
    if (!mem_try(look, &h)) h.fails = true;
    if (h.arena) arena_free(h.arena);
    if (h.fails) plan_group(a->group, "what is not stored may fail");
    a->graph->hides_nothing = h.fails ? 0 : hash;
    return h.fails;
}
