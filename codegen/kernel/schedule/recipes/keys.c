/* Reductions by key (keys.h): histograms, sums and counts of groups, cross tables. One pass over the
 * operands, each of which goes to the part of its key; a second nest combines the parts.
 *
 *   before   h(b) = sum(i, key(i) == b ? v(i) : 0)       a pass over all i for each b
 *   after    a work-item takes a share of i:  t[copy][b] = 0 for all b;  t[copy][key(i)] += v(i)
 *            h(b) = sum over work-items and copies of t[..][b]
 *
 * Operands that follow each other go to different copies of a small table, so that no addition waits
 * for the one before it. On a GPU a group has the tables, in local memory (nest/table.c). Needs: closed ranges, an
 * associative operation with identity. Keeps: the same bits for the same device (shares depend on
 * extents and compute units only); with `--precise` the order. */
#include "keys_form.h"

enum {
    LEAST_WORK = 16384, /* operands times keys: below, a second launch costs more */
    LEAST_EACH = 16,    /* operands of a result */
    SHARE_WORK = 16384, /* of a work-item */
    MANY = 8,           /* copies of a table.. */
    SMALL_TABLE = 4096, /* ..of up to so many bytes */
    FEW = 2,
    TURN = 4, /* operands of a turn, where all go to one table */
    MIDDLE_TABLE = 65536,
    LARGE = 64 /* bytes of an entry that are too many for local memory */
};

static bool find_reductions(Unit *u, const Def *d, ByKey *x)
{
    const FdNode *always[NEST_RESULTS];
    x->nreduces = fd_all_reductions(d->body, x->reduces);
    x->lazy = fd_reductions(d->body, always) == 0;
    for (int r = 0; r < x->nreduces; r++) {
        const FdNode *reduce = x->reduces[r];
        const FdUser *user = fd_user_of(reduce);
        if (x->lazy && (fd_can_fail(reduce->body) || !fd_has_identity(reduce))) return false;
        if (user ? !user->associative : !reduction_splits(reduce)) return false;
        if (u->options->precise && !fd_has_identity(reduce)) return false;
        x->commutes = x->commutes && (!user || user->commutative);
        x->bytes += (int64_t)kir_bytes(gen_type(u, reduce->type));
    }
    for (int r = 0; r < x->nreduces; r = fd_reductions_end(x->nreduces, x->reduces, r))
        x->ngroups++;
    return x->nreduces > 0;
}

static bool find(Unit *u, const Def *d, ByKey *x)
{
    *x = (ByKey){.d = d, .commutes = true};
    if (!find_reductions(u, d, x)) return false;
    x->keys = keys_find(u, d, x->nreduces, x->reduces);
    return x->keys != 0;
}

/* Combinations of these variables of the definition. */
static Num *elements(Unit *u, const Def *d, unsigned which)
{
    Num *count = num_int(u, 1);
    for (int v = 0; v < d->nvars; v++)
        if (which >> v & 1) count = num_op(u, FD_OP_MUL, count, plan_n(u, &d->doms[v]));
    return count;
}

/* ---- nests ------------------------------------------------------------------------------------- */

static Nest *nest_by_key(Unit *u, const ByKey *x, int begin, int end, const char *name, Num *when,
                         int *rows, int *keys)
{
    Nest *n = nest_new(u, name, x->d, when);
    recipe_use(n, end - begin, x->reduces + begin);
    for (int r = begin; r < end; r++) n->part.temps[r - begin] = x->temps[r];
    *rows = nest_axis_some(u, n, ~x->keys);
    *keys = nest_axis_some(u, n, x->keys);
    return n;
}

static void add_length(Nest *n, int axis, Num *length)
{
    n->part.lengths[n->part.naxes] = length;
    n->part.axes[n->part.naxes++] = axis;
}

/* Is it worth lanes? What is read as it is, a narrow integer too, is not. */
static bool is_made(const FdNode *key, const FdNode *v)
{
    const FdNode *of = key;
    while (of->kind == FD_APPLY && fd_op_of(of) == FD_OP_CONVERT &&
           scalar_is_integer(result_kind(of->args[0])))
        of = of->args[0];
    return fd_uses_var(key, v) && !is_read(of) && !fd_can_fail(key) && lanes_possible(key, v, 0);
}

/* Keys that are computed, in vectors before the operands of some turns go to theirs one by one. */
static int hold_keys(Unit *u, const ByKey *x, Nest *n, int axis, const FdNode *v,
                     int holds[NEST_HOLDS])
{
    KeyForm form;
    int count = 0;
    for (int r = 0; r < n->nreduces; r++) {
        if (!keys_form(u, x->d, n->reduces[r], x->keys, &form)) continue;
        for (int i = 0; i < form.n; i++) {
            const FdNode *key = form.guards[i].var >= 0 ? form.guards[i].key : NULL;
            bool held = !key || !is_made(key, v) || count == NEST_HOLDS;
            for (int k = 0; k < count; k++) held = held || n->holds[holds[k]].value == key;
            if (held) continue;
            const char *name = arena_printf(u->arena, "keys%d", count);
            holds[count++] = nest_add_hold(n, (NestHold){.name = name,
                                                         .value = key,
                                                         .space = NEST_PRIVATE,
                                                         .batch = -1,
                                                         .along = -1,
                                                         .across = axis});
        }
    }
    return count;
}

/* Rows of vectors of keys, and the operands that they are of. */
static void held_loops(Unit *u, Nest *n, int copies, NestStep *in, int axis, int nholds,
                       const int *holds)
{
    size_t widest = 0;
    for (int i = 0; i < nholds; i++) {
        size_t bytes = widest_bytes(n->holds[holds[i]].value);
        if (bytes > widest) widest = bytes;
    }
    n->lanes = nest_lanes_for(widest);
    Num *vectors = num_int(u, copies > 1 ? copies : FEW),
        *width = num_op(u, FD_OP_MUL, nest_lane_count(u, n->lanes), vectors);
    NestStep *some = nest_loop(u, in, axis, width, NEST_WHOLE);
    for (int i = 0; i < nholds; i++) {
        n->holds[holds[i]].width = width;
        n->holds[holds[i]].vectors = vectors;
        nest_hold(u, some, holds[i]);
    }
    NestStep *turn = nest_loop(u, some, axis, num_int(u, copies), NEST_CUT);
    if (copies > 1) turn = nest_unroll(u, turn, axis, NULL, num_int(u, copies));
    nest_step(u, turn, NEST_SCATTER);
}

/* Each operand of what `in` leaves to the part of its key. */
static void scatter_loops(Unit *u, const ByKey *x, Nest *n, const FdNode *reduce, int copies,
                          NestStep *in, const int *axes)
{
    int last = reduce->nvars - 1, holds[NEST_HOLDS];
    for (int i = 0; i < last; i++) in = nest_loop(u, in, axes[i], NULL, NEST_CUT);
    bool lanes = n->checks == GEN_PROVED && u->options->family == CG_CPU &&
                 !draw_skips(u, P_FORM_KEYS_LANES);
    int nholds = lanes ? hold_keys(u, x, n, axes[last], reduce->vars[last], holds) : 0;
    if (nholds) held_loops(u, n, copies, in, axes[last], nholds, holds);
    bool simple = n->checks == GEN_PROVED && !recipe_is_long(reduce->body);
    int turns = copies > 1 ? copies : simple ? (int)draw(u, P_KEYS_TURN, TURN) : 1;
    if (turns > 1) {
        NestStep *turn = nest_loop(u, in, axes[last], num_int(u, turns), NEST_WHOLE);
        turn = nest_unroll(u, turn, axes[last], NULL, num_int(u, turns));
        nest_step(u, turn, NEST_SCATTER);
    }
    nest_step(u, nest_loop(u, in, axes[last], NULL, NEST_CUT), NEST_SCATTER);
}

/* The tables of each work-item from operands of the group that begins with result `begin`. Other
 * groups add to them, too: then they are cleared before. */
static void table_nest(Unit *u, const ByKey *x, int begin, int copies, Num *when, bool checked)
{
    int rows, keys, axes[FD_MAX_RANK], tables = -1;
    const FdNode *r = x->reduces[begin];
    int end = fd_reductions_end(x->nreduces, x->reduces, begin);
    Nest *n = nest_by_key(u, x, begin, end, "keys", when, &rows, &keys);
    if (checked) n->checks = GEN_CHECKED;
    for (int i = 0; i < r->nvars; i++) axes[i] = nest_axis(u, n, 1, r->vars + i, r->doms + i);
    if (copies > 1) tables = nest_axis_parts(n, "tables", num_int(u, copies));
    if (rows >= 0) add_length(n, rows, x->nrow);
    add_length(n, axes[0], x->parts);
    if (copies > 1) add_length(n, tables, num_int(u, copies));
    add_length(n, keys, x->nkey);
    n->keys = (NestKeys){.axis = keys, .tables = tables};
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    in = nest_group(u, in, axes[0], 0, x->share[begin], NEST_CUT);
    if (x->ngroups == 1) {
        NestStep *each = copies > 1 ? nest_loop(u, in, tables, NULL, NEST_CUT) : in;
        each = nest_loop(u, each, keys, NULL, NEST_CUT);
        nest_step(u, each, NEST_START);
        nest_step(u, each, NEST_SAVE);
    }
    scatter_loops(u, x, n, r, copies, in, axes);
    nest_lower(u, n);
}

static void table_nests(Unit *u, const ByKey *x, int copies, Num *when, bool checked)
{
    int begin = 0;
    if (num_is(when, 0)) return;
    for (; begin < x->nreduces; begin = fd_reductions_end(x->nreduces, x->reduces, begin))
        table_nest(u, x, begin, copies, when, checked);
}

/* Of all tables: identities to them, or what they come to. */
static void all_tables(Unit *u, const ByKey *x, bool clear, Num *when, bool checked)
{
    int rows, keys;
    const char *name = clear ? "keys_clear" : "keys_combine";
    Nest *n = nest_by_key(u, x, 0, x->nreduces, name, when, &rows, &keys);
    if (checked) n->checks = GEN_CHECKED;
    Num *count = num_let(u, "tables", num_op(u, FD_OP_MUL, x->parts, x->copies));
    int parts = nest_axis_parts(n, "parts", count);
    if (rows >= 0) add_length(n, rows, x->nrow);
    add_length(n, parts, count);
    add_length(n, keys, x->nkey);
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    Num *chunk = num_let(u, "chunk",
                         recipe_chunk(u, x->nkey, x->nrow, draw_num(u, P_KEYS_COMBINE, 256), NULL));
    if (clear) in = nest_group(u, in, parts, 2, NULL, NEST_CUT);
    in = nest_loop(u, nest_group(u, in, keys, 0, chunk, NEST_CUT), keys, NULL, NEST_CUT);
    nest_step(u, in, NEST_START);
    if (!clear) nest_step(u, nest_loop(u, in, parts, NULL, NEST_CUT), NEST_PARTS);
    nest_step(u, in, clear ? NEST_SAVE : NEST_GIVE);
    nest_lower(u, n);
}

/* ---- which ------------------------------------------------------------------------------------- */

/* Has a table of so many bytes at most? */
static Num *table_is(Unit *u, const ByKey *x, int64_t most)
{
    Num *bytes = num_op(u, FD_OP_MUL, x->nkey, num_int(u, x->bytes));
    return num_op(u, FD_OP_LE, bytes, num_int(u, most));
}

/* Temporaries for so many entries of each reduction. */
static void tables_of(Unit *u, ByKey *x, Num *count, Num *when)
{
    for (int r = 0; r < x->nreduces; r++) {
        Num *bytes = num_int(u, (int64_t)kir_bytes(gen_type(u, x->reduces[r]->type)));
        bytes = num_op(u, FD_OP_MUL, count, bytes);
        x->temps[r] = plan_temp(u, num_select(u, when, bytes, num_int(u, 0)));
    }
}

/* A few work-items for each unit (one, if each has a large table), each with as much to do at least
 * as its tables have entries. */
void keys_share_out(Unit *u, ByKey *x, Num *n, Num *when)
{
    Num *one = num_int(u, 1), *filled = num_op(u, FD_OP_MUL, x->nkey, x->copies);
    Num *each = num_op(u, FD_OP_MAX, filled, draw_num(u, P_KEYS_SHARE, SHARE_WORK));
    Num *wish = num_select(u, table_is(u, x, MIDDLE_TABLE),
                           recipe_each_unit(u, (int)draw(u, P_KEYS_ITEMS, 2), x->nrow),
                           recipe_each_unit(u, 1, x->nrow));
    wish = num_op(u, FD_OP_MIN, wish, num_op(u, FD_OP_DIV, n, each));
    wish = num_op(u, FD_OP_MAX, wish, one);
    wish = u->options->precise ? one : num_let(u, "wanted", wish);
    x->parts = NULL;
    for (int r = 0; r < x->nreduces; r = fd_reductions_end(x->nreduces, x->reduces, r)) {
        Num *n0 = num_let(u, "n", plan_n(u, &x->reduces[r]->doms[0]));
        x->share[r] = num_let(u, "share", num_op(u, FD_OP_MAX, num_ceildiv(u, n0, wish), one));
        x->shares[r] = num_let(u, "shares", num_ceildiv(u, n0, x->share[r]));
        x->parts = x->parts ? num_op(u, FD_OP_MAX, x->parts, x->shares[r]) : x->shares[r];
    }
    x->parts = num_let(u, "parts", x->parts);
    Num *count = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, x->nrow, x->parts), filled);
    tables_of(u, x, count, when);
}

/* Small tables have copies, unless filling those costs more than they gain. */
static Num *has_copies(Unit *u, const ByKey *x, Num *n, int copies, int64_t most, Num *unsafe)
{
    Num *fill = num_op(u, FD_OP_MUL, x->nkey, draw_num(u, P_KEYS_FILL, 4 * copies));
    Num *fits = table_is(u, x, most);
    bool never = u->options->precise || !x->commutes;
    fits = num_and(u, fits, num_op(u, FD_OP_GE, n, fill));
    return never ? num_truth(u, false) : num_and(u, fits, num_not(u, unsafe));
}

/* ---- a group's tables in local memory ---------------------------------------------------------- */

static void group_nest(Unit *u, const ByKey *x, Num *entries, bool ordered, bool checked, Num *when)
{
    int rows, keys;
    const FdNode *r = x->reduces[0];
    Nest *n = nest_by_key(u, x, 0, x->nreduces, "keys_local", when, &rows, &keys);
    if (checked) n->checks = GEN_CHECKED;
    int k = nest_axis(u, n, r->nvars, r->vars, r->doms);
    if (rows >= 0) add_length(n, rows, x->nrow);
    add_length(n, k, x->parts);
    add_length(n, keys, x->nkey);
    n->keys = (NestKeys){keys, -1, entries, x->copies, ordered};
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    in = nest_group(u, in, k, 0, x->share[0], NEST_CUT);
    nest_step(u, in, NEST_START);
    NestStep *turn = nest_loop(u, in, k, recipe_group(u), NEST_CUT);
    nest_step(u, nest_item(u, turn, k, 0, NULL, recipe_group(u), NEST_GUARD), NEST_SCATTER);
    if (ordered) nest_step(u, turn, NEST_JOIN);
    nest_step(u, in, NEST_SAVE);
    nest_lower(u, n);
}

/* The parts of all groups: by a tree for each key; in order by a work-item, if that is asked for. */
static void parts_nest(Unit *u, const ByKey *x, bool tree, Num *when)
{
    int rows, keys;
    Num *group = recipe_group(u);
    Nest *n = nest_by_key(u, x, 0, x->nreduces, "keys_combine", when, &rows, &keys);
    int parts = nest_axis_parts(n, "parts", x->parts);
    if (rows >= 0) add_length(n, rows, x->nrow);
    add_length(n, parts, x->parts);
    add_length(n, keys, x->nkey);
    NestStep *in = &n->root;
    if (rows >= 0) in = nest_group(u, in, rows, 1, NULL, NEST_CUT);
    in = nest_group(u, in, keys, 0, tree ? NULL : group, NEST_CUT);
    if (!tree) in = nest_item(u, in, keys, 0, NULL, group, NEST_GUARD);
    nest_step(u, in, NEST_START);
    NestStep *turn = nest_loop(u, in, parts, tree ? group : NULL, NEST_CUT);
    if (tree) turn = nest_item(u, turn, parts, 0, NULL, group, NEST_GUARD);
    nest_step(u, turn, NEST_PARTS);
    if (tree) nest_step(u, in, NEST_JOIN);
    nest_step(u, in, NEST_GIVE);
    nest_lower(u, n);
}

/* Groups that take shares, each with enough to do for its tables to be worth it. */
static void share_to_groups(Unit *u, ByKey *x, Num *n, Num *when)
{
    Num *one = num_int(u, 1), *least = draw_num(u, P_KEYS_PART, 4096);
    least = num_op(u, FD_OP_MAX, least, num_op(u, FD_OP_MUL, x->nkey, num_int(u, 4)));
    Num *wish = recipe_each_unit(u, (int)draw(u, P_KEYS_GROUPS, 8), x->nrow);
    wish = num_op(u, FD_OP_MIN, wish, num_op(u, FD_OP_DIV, n, least));
    wish = u->options->precise ? one : num_op(u, FD_OP_MAX, wish, one);
    Num *share = num_op(u, FD_OP_MAX, num_ceildiv(u, n, wish), one);
    x->share[0] = num_let(u, "share", num_roundup(u, share, recipe_group(u)));
    Num *all = num_let(u, "work", recipe_length(u, x->reduces[0]));
    x->parts = num_let(u, "parts", num_ceildiv(u, all, x->share[0])); /* none of nothing */
    Num *count = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, x->nrow, x->parts), x->nkey);
    tables_of(u, x, count, when);
}

/* Has a group tables of all keys? Of `words` words of bits for each. */
static Num *local_tables(Unit *u, ByKey *x, bool ordered, Num **entries)
{
    enum { WORDS = 8, BITS = 32, ATOMIC_COPIES = 8 };
    Num *one = num_int(u, 1), *group = recipe_group(u);
    int64_t bytes = x->bytes + (ordered ? (int64_t)x->nreduces * WORDS * 4 : 0);
    Num *fit = num_op(u, FD_OP_DIV, num_fact(u, NUM_LOCAL_BYTES), num_int(u, 2 * bytes));
    *entries = num_define(u, arena_printf(u->arena, "TABLE_%d", (int)bytes),
                          num_op(u, FD_OP_MAX, fit, one));
    Num *copies = num_op(u, FD_OP_DIV, *entries, num_op(u, FD_OP_MAX, x->nkey, one));
    Num *most = draw_num(u, P_KEYS_MANY, ATOMIC_COPIES);
    if (ordered) { /* owners of a key's values: no more than there are words, or work-items */
        Num *owners = num_op(u, FD_OP_DIV, group, num_op(u, FD_OP_MAX, x->nkey, one));
        copies = num_op(u, FD_OP_MIN, copies, owners);
        most = num_ceildiv(u, group, num_int(u, BITS));
    }
    copies = num_op(u, FD_OP_MAX, num_op(u, FD_OP_MIN, copies, most), one);
    bool single = ordered && (u->options->precise || !x->commutes);
    x->copies = single ? one : num_let(u, "copies", copies);
    return num_op(u, FD_OP_LE, x->nkey, *entries);
}

static Num *keys_on_gpu(Unit *u, ByKey *x, Num *n, Num *apply, Num *unsafe)
{
    bool ordered = false;
    Num *entries;
    for (int r = 0; r < x->nreduces; r++) {
        if (!reduction_is_closed(x->reduces[r])) return NULL;
        ordered = ordered || !nest_is_atomic(x->reduces[r]);
    }
    if (x->ngroups > 1 || x->bytes > LARGE) return NULL;
    apply = num_and(u, apply, local_tables(u, x, ordered, &entries));
    apply = num_let(u, "by_key", apply);
    if (num_is(apply, 0)) return NULL;
    share_to_groups(u, x, n, apply);
    group_nest(u, x, entries, ordered, false, num_and(u, apply, num_not(u, unsafe)));
    if (!num_is(unsafe, 0)) group_nest(u, x, entries, ordered, true, num_and(u, apply, unsafe));
    parts_nest(u, x, x->commutes && !u->options->precise, apply);
    return apply;
}

bool recipe_is_by_key(Unit *u, const Def *d)
{
    ByKey x;
    if (u->options->tile == CG_TILE_1X1 || !find(u, d, &x)) return false;
    for (int r = 0; r < x.nreduces; r++)
        if (!fd_is_long(x.reduces[r])) return false;
    return true;
}

Num *recipe_keys(Unit *u, const Def *d, Num *when, Num *unsafe)
{
    ByKey x;
    if (!find(u, d, &x)) return NULL;
    if (x.lazy) when = num_and(u, when, num_not(u, unsafe));
    if (x.lazy) unsafe = num_truth(u, false);
    Num *one = num_int(u, 1), *n = one;
    for (int r = 0; r < x.nreduces; r = fd_reductions_end(x.nreduces, x.reduces, r))
        n = num_op(u, FD_OP_MAX, n, recipe_length(u, x.reduces[r]));
    n = num_let(u, "work", n);
    x.nrow = num_let(u, "rows", elements(u, d, ~x.keys));
    x.nkey = num_let(u, "keys", elements(u, d, x.keys));
    Num *all = num_op(u, FD_OP_MUL, num_op(u, FD_OP_MUL, x.nrow, x.nkey), n);
    Num *large = num_op(u, FD_OP_GE, all, draw_num(u, P_KEYS_WORK, LEAST_WORK));
    large = num_and(u, large, num_op(u, FD_OP_GE, n, draw_num(u, P_KEYS_EACH, LEAST_EACH)));
    if (u->options->family == CG_GPU) return keys_on_gpu(u, &x, n, num_and(u, when, large), unsafe);
    Num *all_apply = num_let(u, "by_key", num_and(u, when, large)), *apply = all_apply;
    if (num_is(apply, 0)) return NULL;
    Num *rows = keys_by_rows(u, &x, n, num_and(u, apply, num_not(u, unsafe)));
    if (rows) apply = num_let(u, "by_one", num_and(u, apply, num_not(u, rows)));
    if (num_is(apply, 0)) return all_apply;
    int most = (int)draw(u, P_KEYS_MANY, MANY), some = (int)draw(u, P_KEYS_FEW, FEW);
    int64_t small = draw(u, P_KEYS_SMALL, SMALL_TABLE);
    Num *many = num_let(u, "many", has_copies(u, &x, n, most, small, unsafe));
    Num *few = num_let(u, "few", has_copies(u, &x, n, some, MIDDLE_TABLE, unsafe));
    few = num_and(u, few, num_not(u, many));
    Num *copies = num_select(u, few, num_int(u, some), one);
    x.copies = num_let(u, "copies", num_select(u, many, num_int(u, most), copies));
    bool checked = !num_is(unsafe, 0);
    keys_share_out(u, &x, n, apply);
    if (x.ngroups > 1) all_tables(u, &x, true, apply, false);
    table_nests(u, &x, most, num_and(u, apply, many), false);
    table_nests(u, &x, some, num_and(u, apply, few), false);
    Num *single = num_and(u, apply, num_op(u, FD_OP_EQ, x.copies, one));
    table_nests(u, &x, 1, num_and(u, single, num_not(u, unsafe)), false);
    if (checked) table_nests(u, &x, 1, num_and(u, single, unsafe), true);
    all_tables(u, &x, false, apply, checked);
    return all_apply;
}
