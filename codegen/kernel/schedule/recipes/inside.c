/* Guarded work: definitions whose guards, clamps and checks come to nothing inside of a box, as
 * stencils' do, with a border around it.
 *
 *   CPU   a work-item takes some rows; of each the columns around the box one by one, as they are written,
 *         those inside in lanes without a test. Rows of the border in lanes, too, where only what is the
 *         same in all lanes has to be tested there. What is one by one is one loop, unless columns of rows
 *         that lie inside have much less to do than others
 *   GPU   a work-item takes some rows of a column: without a test where all of them lie inside, else one by
 *         one, as they are written. Neighbours in a row are neighbours in a group; only groups at the border
 *         do both
 *
 * Needs: closed ranges. Keeps: the order of operations within an element. */
#include "../../../../fdag/index/facts/facts.h"
#include "../../../../fdag/index/flat.h"
#include "recipe.h"

typedef struct Inside {
    const Def *d;
    bool guessed; /* that most of a row lies inside */
    int last;     /* the variable in lanes */
    int ncuts, nturns, nclosed;
    const FdNode *cuts[NEST_CONDS], *turns[NEST_CONDS]; /* along it, or of none; of those around */
    bool border, one; /* rows of the border are in lanes; one loop has the borders of all rows */
} Inside;

/* The nest without its loops. */
typedef struct Boxes {
    Nest *n;
    int group, rows, last; /* axes; -1: there is none */
    int turns, box;        /* turns -1: rows of the border have no code of their own */
    Num *ahead;            /* rows further on that are asked for; NULL: none are */
    unsigned at, border;   /* the places inside of all, and of the columns only */
} Boxes;

static void one_by_one(Unit *u, const Boxes *b, NestStep *in)
{
    nest_step(u, nest_loop(u, in, b->last, NULL, NEST_CUT), NEST_GIVE);
}

static void in_vectors(Unit *u, const Boxes *b, NestStep *in, Num *lanes, int copies)
{
    int axis = b->last;
    if (copies > 1) {
        Num *many = num_int(u, copies);
        NestStep *wide = nest_loop(u, in, axis, num_op(u, FD_OP_MUL, lanes, many), NEST_WHOLE);
        wide = nest_lanes(u, nest_unroll(u, wide, axis, lanes, many), axis);
        nest_step(u, wide, NEST_GIVE);
    }
    bool once = def_is_once(u, b->n->def);
    NestStep *some =
        nest_lanes(u, nest_loop(u, in, axis, lanes, once ? NEST_WHOLE : NEST_BACK), axis);
    if (b->ahead) nest_ahead_reads(u, some, b->group, b->ahead);
    nest_step(u, some, NEST_GIVE);
    if (once) one_by_one(u, b, in);
}

/* Indices that are the same in all lanes may be checked; where failures are noted, all may. */
static bool in_lanes(Unit *u, const Nest *n, unsigned at, const FdNode *v)
{
    const NestBody *b = nest_body(u, n, at);
    if (n->def->flat && fd_flat_apart(b->node, v)) return false;
    if (n->def->noting) return lanes_possible(b->node, v, recipe_allowed(n->def) | LANES_FAR);
    return !nest_body_fails(b, v) && lanes_possible(b->node, v, 0);
}

/* How many rows of n a work-item takes: enough for it to be worth its while, few enough for every
 * unit to have some. */
static Num *rows_each(Unit *u, Num *rows, Num *n)
{
    enum { ELEMENTS = 8192 };
    Num *one = num_int(u, 1);
    Num *full = num_op(u, FD_OP_DIV, draw_num(u, P_INSIDE_ELEMENTS, ELEMENTS),
                       num_op(u, FD_OP_MAX, n, one));
    Num *units = num_op(u, FD_OP_MUL, num_fact(u, NUM_UNITS), num_int(u, 4));
    Num *most = num_op(u, FD_OP_DIV, rows, units);
    return num_op(u, FD_OP_MAX, num_op(u, FD_OP_MIN, full, most), one);
}

/* group: a variable that is an axis of its own; -1: none. */
static Boxes boxes(Unit *u, const Inside *x, const char *name, int group, Num *when, Num *least)
{
    Boxes b = {.n = nest_new(u, name, x->d, when), .group = -1, .turns = -1};
    if (!x->d->noting) b.n->checks = GEN_CHECKED;
    if (group >= 0) b.group = nest_axis_of(u, b.n, x->d, group, group + 1);
    unsigned before = (1u << x->last) - 1;
    b.rows = nest_axis_some(u, b.n, group < 0 ? before : before & ~(1u << group));
    b.last = nest_axis_of(u, b.n, x->d, x->last, x->last + 1);
    bool apart = x->nturns && (x->border || !x->one);
    NestBox rows = {.name = "rows", .axis = -1, .nconds = x->nturns};
    rows.conds = arena_copy(u->arena, x->turns, sizeof x->turns);
    if (apart) b.turns = nest_add_box(b.n, rows);
    const FdNode **conds = arena_array(u->arena, const FdNode *, NEST_CONDS);
    NestBox middle = {.name = "middle", .axis = b.last, .least = least, .conds = conds};
    for (int i = 0; !apart && i < x->nturns; i++) conds[middle.nconds++] = x->turns[i];
    for (int i = 0; i < x->ncuts; i++) conds[middle.nconds++] = x->cuts[i];
    b.box = nest_add_box(b.n, middle);
    unsigned in = nest_at(0, NEST_IN, b.box);
    b.at = apart ? nest_at(in, NEST_WHEN, b.turns) : in;
    b.border = apart ? nest_at(in, NEST_UNLESS, b.turns) : in;
    return b;
}

/* Elements in conditions are read before a row is cut. Where only a cut says that they are inside, the condition
 * goes. */
static void drop_unread(Unit *u, Inside *x)
{
    for (int turns = 1; turns >= 0; turns--) {
        Boxes b = boxes(u, x, "inside", -1, NULL, NULL);
        const FdNode **conds = turns ? x->turns : x->cuts;
        int *n = turns ? &x->nturns : &x->ncuts, count = *n;
        *n = 0;
        for (int i = 0; i < count; i++)
            if (nest_condition_reads(u, b.n, 0, b.box, conds[i])) conds[(*n)++] = conds[i];
    }
}

/* Can the columns of a row of the border be found, and be in lanes? */
static bool has_border(Unit *u, const Inside *x)
{
    Inside apart = *x;
    apart.border = true;
    bool few = u->steps && x->d->nvars == 2; /* rows: a kernel has this once a step */
    if (few || !x->nturns) return false;
    Boxes b = boxes(u, &apart, "inside", -1, NULL, NULL);
    for (int i = 0; i < x->ncuts; i++)
        if (!nest_condition_reads(u, b.n, 0, b.box, x->cuts[i])) return false;
    return in_lanes(u, b.n, b.border, x->d->vars[x->last]);
}

static bool count(const void *sum, const FdNode *n)
{
    enum { DIVISION = 32, BY_CONSTANT = 4 };
    FdOp op = n->kind == FD_APPLY ? fd_op_of(n) : FD_OP_NONE;
    bool divides = (op == FD_OP_DIV || op == FD_OP_REM) && !scalar_is_real(n->type->scalar);
    int more = !divides ? 1 : fd_is_const(n->args[1]) ? BY_CONSTANT : DIVISION;
    **(int *const *)sum += more;
    return false;
}

/* Roughly, of one element. */
static int instructions(const NestBody *b)
{
    enum { CHECK = 3 };
    int sum = b->suspects.n * CHECK, *to = &sum;
    fd_any(b->node, count, &to);
    return sum;
}

/* Is there much less to do inside? */
static bool is_less(Unit *u, const Boxes *b)
{
    unsigned any = nest_at(0, NEST_AROUND, b->box);
    return instructions(nest_body(u, b->n, b->at)) * 2 <= instructions(nest_body(u, b->n, any));
}

/* Have columns of the border about as much to do, whatever is known of their row? */
static bool is_alike(Unit *u, const Inside *x)
{
    Inside apart = *x;
    apart.one = false;
    Boxes b = boxes(u, &apart, "inside", -1, NULL, NULL);
    if (b.turns < 0) return true;
    unsigned any = nest_at(0, NEST_AROUND, b.box), inside = nest_at(any, NEST_WHEN, b.turns);
    int most = instructions(nest_body(u, b.n, any)),
        least = instructions(nest_body(u, b.n, inside));
    return most * 10 <= least * 13;
}

/* Conditions by what they are of. */
static void find(Unit *u, const Def *d, Inside *x)
{
    const FdNode *const *conds;
    int n = nest_conditions(u, d, &conds);
    *x = (Inside){.d = d, .last = d->nvars - 1, .guessed = d->facts->guessed, .one = true};
    for (int i = 0; i < n; i++) {
        bool closed = fd_closed(conds[i]);
        if (closed && !num_of(u, conds[i])) continue; /* of an element: it stays where it is */
        if (closed) x->nclosed++;
        if (closed || fd_uses_var(conds[i], d->vars[x->last]))
            x->cuts[x->ncuts++] = conds[i];
        else
            x->turns[x->nturns++] = conds[i];
    }
    drop_unread(u, x);
    x->border = has_border(u, x);
    x->one = is_alike(u, x);
}

/* Does most of a row lie inside? Conditions that hold for all values of a reduction may leave little. */
static Num *is_most(Unit *u, const Inside *x)
{
    const FdDom *d = &x->d->doms[x->last];
    Num *low = plan_lo(u, d), *n = plan_n(u, d), *high = num_op(u, FD_OP_ADD, low, n);
    for (int i = 0; i < x->ncuts; i++) {
        bool lower;
        const FdNode *end = fd_solve(u->fd, x->cuts[i], x->d->vars[x->last], &lower);
        Num *known = end ? num_of(u, end) : NULL;
        if (known && lower) low = num_op(u, FD_OP_MAX, low, known);
        if (known && !lower) high = num_op(u, FD_OP_MIN, high, known);
    }
    Num *twice = num_op(u, FD_OP_MUL, num_op(u, FD_OP_SUB, high, low), num_int(u, 2));
    return num_op(u, FD_OP_GE, twice, n);
}

/* The vectors in which the inside can be, and rows of the border. */
static int vectors_of(Unit *u, const Inside *x, const Boxes *b)
{
    const FdNode *v = x->d->vars[x->last], *inside = nest_body(u, b->n, b->at)->node;
    int narrow = x->d->abreast ? 0 : lanes_narrow(inside, v), vector = narrow;
    if (narrow && x->border) vector = lanes_narrow(nest_body(u, b->n, b->border)->node, v);
    if (vector == KIR_V1) vector = narrow;
    return vector ? vector : nest_lanes_for(widest_bytes(inside));
}

/* A row of one kind. */
static void row(Unit *u, const Boxes *b, NestStep *in, Num *lanes, int copies)
{
    in_vectors(u, b, nest_part(u, in, NEST_IN, b->box), lanes, copies);
    one_by_one(u, b, nest_part(u, in, NEST_AROUND, b->box));
}

static void parts(Unit *u, const Inside *x, const Boxes *b, NestStep *in, Num *lanes, int copies)
{
    if (b->turns < 0) {
        row(u, b, in, lanes, copies);
    } else if (x->one) {
        NestStep *middle = nest_part(u, in, NEST_IN, b->box);
        in_vectors(u, b, nest_part(u, middle, NEST_WHEN, b->turns), lanes, copies);
        in_vectors(u, b, nest_part(u, middle, NEST_UNLESS, b->turns), lanes, 1);
        one_by_one(u, b, nest_part(u, in, NEST_AROUND, b->box));
    } else {
        row(u, b, nest_part(u, in, NEST_WHEN, b->turns), lanes, copies);
        NestStep *border = nest_part(u, in, NEST_UNLESS, b->turns);
        if (x->border)
            row(u, b, border, lanes, 1);
        else
            one_by_one(u, b, border);
    }
}

/* ---- GPU --------------------------------------------------------------------------------------- */

enum { ITEM_ROWS = 4 }; /* of a work-item: loads under way, and rows that its reads share */

/* The variable whose positions a work-item takes some of is the last but one: `middle` is along it, and
 * the columns' own conditions are of variables around. -1 for the axis of a single variable: all are. */
static Boxes boxes_of_columns(Unit *u, const Def *d, int n, const FdNode *const *conds, Num *when)
{
    Boxes b = {.n = nest_new(u, "inside", d, when), .group = -1, .rows = -1, .turns = -1};
    int last = d->nvars - 1;
    b.n->checks = GEN_CHECKED;
    if (last > 1) b.group = nest_axis_of(u, b.n, d, 0, last - 1);
    b.last = nest_axis_of(u, b.n, d, last, last + 1);
    if (last) b.rows = nest_axis_of(u, b.n, d, last - 1, last);
    NestBox box = {.name = "middle", .axis = b.rows, .nconds = n, .conds = conds};
    if (last) box.least = num_int(u, ITEM_ROWS);
    b.box = nest_add_box(b.n, box);
    b.at = nest_at(0, last ? NEST_IN : NEST_WHEN, b.box);
    return b;
}

/* Conditions that can be asked there: those of elements stay where they are. */
static int conditions_of_columns(Unit *u, const Def *d, const FdNode **out)
{
    const FdNode *const *conds;
    int n = nest_conditions(u, d, &conds), count = 0, closed = 0;
    for (int i = 0; i < n; i++) {
        bool number = fd_closed(conds[i]);
        if ((number && !num_of(u, conds[i])) || fd_effects(conds[i]) & FD_READS) continue;
        closed += number;
        out[count++] = conds[i];
    }
    return count == closed ? 0 : count; /* all lies inside or nothing */
}

/* Are its reductions over windows of known sizes? Those over rows have other forms. */
static bool has_windows_only(const Def *d)
{
    const FdNode *reduces[FD_MAX_REDUCTIONS];
    int n = fd_all_reductions(d->body, reduces);
    for (int r = 0; r < n; r++)
        for (int i = 0; i < reduces[r]->nvars; i++) {
            const FdDom *dom = &reduces[r]->doms[i];
            if (!dom->lo || !dom->hi || !fd_is_const(dom->lo) || !fd_is_const(dom->hi))
                return false;
        }
    return true;
}

static Num *inside_on_gpu(Unit *u, const Def *d, Num *when)
{
    const FdNode **conds = arena_array(u->arena, const FdNode *, NEST_CONDS);
    if (!has_windows_only(d) || def_is_once(u, d)) return NULL;
    int last = d->nvars - 1, n = conditions_of_columns(u, d, conds);
    if (!n) return NULL;
    Num *one = num_int(u, 1), *each = num_int(u, ITEM_ROWS), *most = num_int(u, 65535);
    Num *rows = last ? plan_n(u, &d->doms[last - 1]) : one, *width, *height;
    recipe_group_shape(u, plan_n(u, &d->doms[last]), num_ceildiv(u, rows, each), &width, &height);
    Num *high = num_op(u, FD_OP_MUL, height, each);
    if (last) /* what a launch may have in dimensions 1 and 2 */
        when = num_and(u, when, num_op(u, FD_OP_LE, num_ceildiv(u, rows, high), most));
    if (last > 1)
        when = num_and(u, when, num_op(u, FD_OP_LE, plan_elements(u, last - 1, d->doms), most));
    when = num_let(u, "boxed", when);
    Boxes b = boxes_of_columns(u, d, n, conds, when);
    if (nest_body(u, b.n, b.at)->suspects.calls) return NULL;
    NestStep *in = &b.n->root;
    if (b.group >= 0) in = nest_group(u, in, b.group, 2, NULL, NEST_CUT);
    in = nest_group(u, in, b.last, 0, width, NEST_CUT);
    in = nest_item(u, in, b.last, 0, NULL, width, NEST_GUARD);
    if (b.rows < 0) {
        nest_step(u, nest_part(u, in, NEST_WHEN, b.box), NEST_GIVE);
        nest_step(u, nest_part(u, in, NEST_UNLESS, b.box), NEST_GIVE);
    } else {
        in = nest_group(u, in, b.rows, 1, high, NEST_CUT);
        in = nest_item(u, in, b.rows, 1, each, height, NEST_GUARD);
        NestStep *whole = nest_loop(u, nest_part(u, in, NEST_IN, b.box), b.rows, each, NEST_BACK);
        nest_step(u, nest_unroll(u, whole, b.rows, NULL, each), NEST_GIVE);
        NestStep *around = nest_part(u, in, NEST_AROUND, b.box);
        nest_step(u, nest_loop(u, around, b.rows, NULL, NEST_CUT), NEST_GIVE);
    }
    nest_lower(u, b.n);
    return when;
}

/* ---- CPU --------------------------------------------------------------------------------------- */

static Num *inside_on_cpu(Unit *u, const Def *d, Num *when)
{
    Inside x;
    find(u, d, &x);
    if (x.ncuts + x.nturns == x.nclosed) return NULL; /* all lies inside or nothing */
    Boxes tried = boxes(u, &x, "inside", -1, when, num_int(u, 1));
    if (!in_lanes(u, tried.n, tried.at, d->vars[x.last])) return NULL;
    if (d->noting && !is_less(u, &tried)) return NULL; /* all of it can be in lanes, with checks */
    const FdNode *inside = nest_body(u, tried.n, tried.at)->node;
    int vector = vectors_of(u, &x, &tried);
    if (draw_bool(u, P_INSIDE_MOST, x.guessed || fd_effects(inside) & FD_REDUCES))
        when = num_let(u, "most", num_and(u, when, is_most(u, &x)));
    Num *lanes = nest_lane_count(u, vector);
    Num *length = num_let(u, "n", plan_n(u, &d->doms[x.last]));
    Num *count = num_let(u, "rows", plan_elements(u, x.last, d->doms));
    Num *chunk = num_let(u, "chunk", recipe_chunk(u, length, count, lanes, d->body));
    Num *share = num_let(u, "share", rows_each(u, count, length));
    Boxes b = boxes(u, &x, "inside", -1, when, lanes);
    b.n->bodies = tried.n->bodies;
    b.n->lanes = vector;
    b.n->stream = !d->abreast && draw_bool(u, P_MAP_STREAM, d->temp < 0 && !def_is_once(u, d));
    NestStep *in = &b.n->root;
    if (b.rows >= 0) in = nest_group(u, in, b.rows, 1, share, NEST_CUT);
    in = nest_group(u, in, b.last, 0, chunk, NEST_CUT);
    if (b.rows >= 0) in = nest_loop(u, in, b.rows, NULL, NEST_CUT);
    parts(u, &x, &b, in, lanes, 1);
    nest_lower(u, b.n);
    return when;
}

Num *recipe_inside(Unit *u, const Def *d, Num *when)
{
    if (u->options->tile == CG_TILE_1X1 || d->nvars == 0) return NULL;
    return (u->options->family == CG_GPU ? inside_on_gpu : inside_on_cpu)(u, d, when);
}

/* ---- one row (bands.c) ------------------------------------------------------------------------- */

bool recipe_is_guarded(Unit *u, const Def *d)
{
    if (d->nvars < 2 || recipe_is_reduced_row(u, d)) return false;
    Num *unsafe = def_unsafe(u, d);
    return !lanes_possible(d->body, d->vars[d->nvars - 1], 0) || plan_fails(u, d) != unsafe ||
           num_is(unsafe, 1);
}

/* Conditions are looked for where there are guards; else reads are known to be inside. */
static void find_row(Unit *u, const Def *d, Inside *x)
{
    if (recipe_is_guarded(u, d))
        find(u, d, x);
    else
        *x = (Inside){.d = d, .last = d->nvars - 1, .one = true};
}

bool recipe_is_row(Unit *u, const Def *d, int dim)
{
    Inside x;
    if (recipe_is_reduced_row(u, d)) return true;
    if (d->nvars == 1) return !(fd_effects(d->body) & FD_REDUCES) || sums_in_lanes(u, d->body);
    find_row(u, d, &x);
    Boxes tried = boxes(u, &x, "row", dim, NULL, num_int(u, 1));
    const FdNode *v = d->vars[x.last], *inside = nest_body(u, tried.n, tried.at)->node;
    return recipe_is_guarded(u, d) ? in_lanes(u, tried.n, tried.at, v)
                                   : lanes_possible(inside, v, 0);
}

Num *recipe_row_pays(Unit *u, const Def *d, int dim)
{
    Inside x;
    if (d->nvars == 1 || recipe_is_reduced_row(u, d)) return num_truth(u, true);
    find_row(u, d, &x);
    Boxes tried = boxes(u, &x, "row", dim, NULL, num_int(u, 1));
    const FdNode *inside = nest_body(u, tried.n, tried.at)->node;
    bool ask = x.guessed || fd_effects(inside) & FD_REDUCES;
    return ask ? is_most(u, &x) : num_truth(u, true);
}

const Nest *recipe_row(Unit *u, const Def *d, int dim, Num *ahead)
{
    Inside x;
    if (recipe_is_reduced_row(u, d)) return recipe_reduced_row(u, d, dim);
    if (d->nvars == 1) {
        Nest *n = nest_new(u, "row", d, NULL);
        n->sums = fd_effects(d->body) & FD_REDUCES;
        nest_step(u, nest_group(u, &n->root, nest_axis_of(u, n, d, 0, 1), 0, NULL, NEST_CUT),
                  NEST_GIVE);
        return n;
    }
    find_row(u, d, &x);
    Boxes tried = boxes(u, &x, "row", dim, NULL, num_int(u, 1));
    int vector = vectors_of(u, &x, &tried);
    Num *lanes = nest_lane_count(u, vector);
    Boxes b = boxes(u, &x, "row", dim, NULL, lanes);
    b.ahead = ahead;
    b.n->bodies = tried.n->bodies;
    b.n->lanes = vector;
    b.n->stream = d->temp < 0 || d->copy;
    if (!recipe_is_guarded(u, d)) b.n->checks = GEN_PROVED;
    NestStep *in = nest_group(u, &b.n->root, b.group, 0, NULL, NEST_CUT);
    if (b.rows >= 0) in = nest_loop(u, in, b.rows, NULL, NEST_CUT);
    /* reductions of one vector wait for themselves */
    bool sums = fd_effects(nest_body(u, b.n, b.at)->node) & FD_REDUCES;
    parts(u, &x, &b, in, lanes, sums ? (int)draw(u, P_BANDS_VECTORS, 4) : 1);
    return b.n;
}
