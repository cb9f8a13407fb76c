/* Parameters of schedules: sizes, copies, thresholds between forms. Each has the value that its recipe
 * gives. With CgOptions.seed they are drawn, and so are facts about the device and which recipes are
 * asked at all, so that tests meet every form with few elements and odd sizes. The same seed draws the
 * same for one graph; results stay as they are, but for the order of sums of reals. */
#ifndef CS_CODEGEN_DRAW_H
#define CS_CODEGEN_DRAW_H

#include "number.h"

/* `usual`, or from `least` to `most`, small ones more often. */
int64_t draw(struct Unit *u, int64_t usual, int64_t least, int64_t most);
Num *draw_num(struct Unit *u, int64_t usual, int64_t least, int64_t most);
/* `usual`, or now and then the other. */
bool draw_bool(struct Unit *u, bool usual);
/* Is a form left out that the definition has? Never without a seed. */
bool draw_skips(struct Unit *u);
/* What no schedule says, as text: one value of each name for a seed, so that a schedule that is read gives
 * the kernels that its recipe gave. */
int64_t draw_named(const struct Unit *u, const char *name, int64_t usual, int64_t least,
                   int64_t most);
/* A fact about the device: a macro of this name that the seed gives; NULL: the device says it. */
Num *draw_fact(struct Unit *u, NumFact f);

#endif
