/* Recipes: what makes nests of a definition. Each emits the nests of one form and returns the
 * condition under which they compute the definition (`when` and its own); NULL, having emitted
 * nothing, if the definition does not have the form. schedule.c asks one after the other.
 */
#ifndef CS_CODEGEN_RECIPE_H
#define CS_CODEGEN_RECIPE_H

#include "../../../../fdag/index/contraction.h"
#include "../../plan/draw.h"
#include "../bands/bands.h"
#include "../nest/nest.h"

/* Recurrences: loops in the order that the pass `recur` found. For all numbers. */
bool recipe_ordered(Unit *u, const Def *d, bool checked);
/* Those whose steps are taken together: parts of lines at once, lanes side by side. */
Num *recipe_scan(Unit *u, Interior *in, Num *when);
/* What the interior leaves out of a variable: along a long scan in lanes so many that the rest begins with a
 * whole vector of the result, which then can be stored past the caches. */
Num *recipe_scan_skip(Unit *u, Interior *in, int v);
/* Borders of an interior that a form makes turn by turn: the first positions of all ordered variables but the first
 * (`ordered`), in so many of its rows from `from` to `to`. */
typedef struct Borders {
    const Def *def;
    bool checked;
    int ordered; /* the first variable in order */
} Borders;
void recipe_borders(Unit *u, const Borders *b, const Interior *in, const NestTurns *turns,
                    Num *from, Num *to, Num *when);
/* Those over two variables as a wavefront in tiles, rows in lanes. borders NULL: they are there. */
Num *recipe_wave(Unit *u, Interior *in, const Borders *borders, Num *when);
Num *recipe_wave_fits(Unit *u, const Interior *in,
                      const Wave *w); /* are there rows and columns enough? */
/* The same work as the nests before it, if one of them noted something: to report what failed. */
void recipe_again(Unit *u, const Def *d, Num *when);
/* What lanes of the nests that are being made may do. */
unsigned recipe_allowed(const Def *d);
/* Everything: one value after the other along the last dimension, in lanes where reads allow it and
 * no read is `unsafe`. For all numbers under `when`. */
void recipe_pointwise(Unit *u, const Def *d, Num *when, Num *unsafe);
Num *recipe_vectors(Unit *u, const Def *d, Num *when); /* what of it is in lanes, for a CPU */
Num *recipe_vectors_fit(Unit *u, const Def *d);        /* has it elements enough for that? */
/* Work with guards: inside of a box in lanes without them, its border one by one with checks. Under
 * `when`, and what it gives. */
Num *recipe_inside(Unit *u, const Def *d, Num *when);
/* Reductions by associative user functions, and others that cannot be in lanes: a chunk of operands
 * each, in order. */
Num *recipe_chunks(Unit *u, const Def *d, Num *when, bool checked);

/* Reductions by key: what belongs to each in one pass. `checked` where reads are `unsafe`. */
Num *recipe_keys(Unit *u, const Def *d, Num *when, Num *unsafe);
bool recipe_is_by_key(Unit *u, const Def *d); /* of long reductions, which are no rows */

/* The others (plan/parameters.def) do not check: reads are inside under `when`. */
#define PARAMETER(...)
#define RECIPE(id, name, asked, meaning) Num *recipe_##name(Unit *u, const Def *d, Num *when);
#include "../../plan/parameters.def"
#undef PARAMETER
bool recipe_rows_beside(Unit *u,
                        const Def *d); /* does `rows` store the arrays beside it, in lanes? */

/* Definition number `at` of n and temporaries that are for it alone by rows, in one kernel under `when`.
 * NULL: there is no such form. Definitions that are its stages need no other nests where it runs. */
Bands *recipe_bands(Unit *u, int n, const Def *defs, int at);
void recipe_lower_bands(Unit *u, Bands *b);
/* When a contraction has so few columns that its results, each in lanes of a long sum (by the recipe rows), are better
 * than tiles, which would be mostly empty; NULL: never. */
Num *recipe_short_rows_pay(Unit *u, const Def *d);
/* One row of a definition, of variable dim, in lanes along the last or (if that is all that there is)
 * of its reductions: can it be, when does it pay, and the nest, which is one group over the rows. */
bool recipe_is_row(Unit *u, const Def *d, int dim);
Num *recipe_row_pays(Unit *u, const Def *d, int dim);
bool recipe_is_reduced_row(Unit *u,
                           const Def *d); /* by the recipe rows: its elements have no lanes */
const Nest *recipe_reduced_row(Unit *u, const Def *d, int dim);
bool recipe_is_guarded(Unit *u, const Def *d); /* the nest checks what it reads */
/* ahead: what it reads so many rows further on is asked for; NULL: it is not */
const Nest *recipe_row(Unit *u, const Def *d, int dim, Num *ahead);

/* ---- what recipes ask -------------------------------------------------------------------------- */

Num *recipe_length(Unit *u, const FdNode *reduce); /* how many values it combines */
/* The definition's value around its reductions: can it be computed in lanes of v (LANES_..)? */
bool recipe_epilogue_lanes(const Def *d, int n, const FdNode *const *reduces, const FdNode *v,
                           unsigned allowed);
/* Is it && or || of what cannot fail, so that one value can be the last word? */
bool recipe_decides(const FdNode *reduce);
/* Of a recurrence: does every read of itself have variable dim's own value there? */
bool recipe_stays(const Def *d, int dim);
void recipe_use(Nest *n, int nreduces, const FdNode *const *reduces);
size_t recipe_widest(int n, const FdNode *const *reduces); /* bytes of the widest element */
/* Lanes of reductions along rows: those of what is converted last, if it is computed (in many rows: if it is most of
 * the work). */
int recipe_sum_lanes(const Def *d, int n, const FdNode *const *reduces);
/* How many of some lines a work-item of a CPU takes, so that it has `least` elements if they can be had
 * and every unit several work-items. */
Num *recipe_lines_each(Unit *u, Num *lines, Num *length, int64_t least);
/* Lines that are cheap and short: as many as are worth a work-item, several of which each unit has. */
Num *recipe_few_lines(Unit *u, Num *lines, Num *length);
bool recipe_is_long(const FdNode *n); /* does it loop, itself or in a function it calls? */
bool recipe_is_dear(const FdNode *n); /* has it an exp, log, tanh ..? */
int64_t recipe_work(const FdNode *n); /* its nodes, 1 at least; a dear one counts as several */
/* In how many parts to cut each of some rows, for every unit to have `each` of them. */
Num *recipe_each_unit(Unit *u, int each, Num *rows);

/* How much of a row of n positions, of which there are `rows`, a work-item of a CPU takes, in whole
 * steps: enough chunks for every unit to have several, and for each to be worth a work-item; body: what is done at each position,
 * NULL: much. */
Num *recipe_chunk(Unit *u, Num *n, Num *rows, Num *step, const FdNode *body);
Num *recipe_group(Unit *u); /* the size of a work-group of a GPU, a macro */
/* The same of two dimensions, for rows of n neighbours. */
void recipe_group_shape(Unit *u, Num *n, Num *rows, Num **width, Num **height);

/* Its contraction, if it has that form. */
bool contraction_find(Unit *u, const Def *d, FdContraction *out);
/* The same with columns of another variable (fd_contraction_turned). */
bool contraction_turned(Unit *u, const Def *d, const FdContraction *of, FdContraction *out);

#endif
