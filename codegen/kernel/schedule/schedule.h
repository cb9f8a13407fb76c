/* From the definitions of an evaluation to nests: by recipes, or from text. */
#ifndef CS_CODEGEN_SCHEDULE_H
#define CS_CODEGEN_SCHEDULE_H

#include "nest/nest.h"

struct FdNear;

/* What comes before the nests of a definition: reports of empty reductions, and whether reads can
 * fall outside (def_unsafe), which it gives. */
Num *schedule_begin(Unit *u, const Def *d);
/* The nests that follow are of this definition, the same one flat or as it was. */
Num *schedule_turn_to(Unit *u, const Def *d);
/* The definition over its last two variables as one (fdag/index/flat.h) and when it is that, pays and
 * cannot fail; NULL: there is no such form in lanes. when NULL: not asked. */
const Def *schedule_flat(Unit *u, const Def *d, Num **when);
bool schedule_flat_has_inside(const Def *flat); /* its lanes are the inside of a box */
/* A scalar with its reductions over whole arrays along their elements, the last two variables as one, and when that may be;
 * NULL: there is no such form. when NULL: not asked. */
const Def *schedule_joined(Unit *u, const Def *d, Num **when);
/* The definition with what it reads at a few known last indices read flat, so that its lanes are known to be so many
 * elements apart (FdNear), and when that may be; NULL: there is no such form. when NULL: not asked. */
const Def *schedule_near(Unit *u, const Def *d, Num **when);
Num *schedule_are_as_long(Unit *u, const struct FdNear *near); /* when the distances are those */
/* The definition with the elements of its last variable, of which there are `length`, side by side (Def.abreast); NULL:
 * there is no such form. out NULL: not asked. */
typedef struct Abreast {
    Num *when;    /* may it be so? */
    Num *safe;    /* do all reads stay inside, whatever guards say? */
    bool guarded; /* do guards keep some inside? */
} Abreast;
const Def *schedule_abreast(Unit *u, const Def *d, int64_t length, Abreast *out);
/* Temporaries that such rows of a definition compute themselves, as bits by number; 0: there are none. */
uint64_t schedule_abreast_inside(Unit *u, const Def *d);
/* When its rows do so, before any nest of these or of it; NULL: never. */
Num *schedule_abreast_when(Unit *u, const Def *d);
/* Its nests under `rest`; gives what is left. */
Num *schedule_abreast_nests(Unit *u, const Def *d, Num *rest);
/* The same of a definition that has none yet. Nobody says of rows of unknown length, as all matrices have, that they are
 * short: they have this form where they are not flat, and something makes it likely. */
Num *schedule_abreast_first(Unit *u, const Def *d, bool is_flat, Num *rest);
/* The result, a scalar, with the temporaries before it that are results stored where it takes their values, and
 * when that may be; NULL: it has no such form. */
const Def *schedule_beside(Unit *u, int n, const Def *defs, Num **when);
/* Is it a temporary that its readers may as well compute (FdSlot.optional), or one of the readers? */
bool schedule_is_optional(const Unit *u, const Def *d);
bool schedule_reads_optional(const Unit *u, const Def *d);
const FdNode *schedule_array(const Unit *u, const Def *d); /* what readers of a temporary apply */
/* A reader that computes what it would read of optional temporaries; NULL: it reads none. */
const Def *schedule_anew(Unit *u, const Def *d);
/* The definition with reductions over ranges that are the same for all elements, in place of ranges of their own and of
 * conditions on values (Def.within); NULL: it has no such form. */
const Def *schedule_closed(Unit *u, const Def *d);
/* The definition without conditions around its sums, where they hold for all elements (Def.plain); NULL: it has no such
 * form. */
const Def *schedule_plain(Unit *u, const Def *d);
/* The definition over quotients and remainders in place of variables that it divides (fdag/index/split.h), and when that is
 * so; NULL: there is no such form that a reduction gains by. when NULL: not asked. */
const Def *schedule_split(Unit *u, const Def *d, Num **when);
/* A recurrence whose outermost variable is its first, at one value of it: an array of its other variables, which
 * reads what is there already. turn: the number of a loop. NULL: some read of itself is not a known number of such
 * slices back, ranges differ from slice to slice, or something can fail. */
const Def *schedule_slice(Unit *u, const Def *d, Num *turn);
/* The nests of what is no recurrence, under `when`. */
void schedule_unordered(Unit *u, const Def *d, Num *when);
/* When the optional temporaries of the evaluation are stored; NULL: there are none. */
Num *schedule_keep(Unit *u);
/* Comments: which functions were inlined, fused and stored, and why. */
void schedule_say_functions(Unit *u);
/* Comments after its nests, if none of them has lanes: why not. */
void schedule_say_scalar(Unit *u, const Def *d);
void schedule_say_host(Unit *u); /* a comment: why there is no kernel */

#endif
