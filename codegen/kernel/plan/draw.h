/* Parameters of schedules: sizes, copies, thresholds between forms (parameters.def). Each has the value that
 * its recipe gives, unless CgOptions.set or an attribute of the graph gives another. With CgOptions.seed they
 * are drawn, and so are facts about the device and which recipes are asked at all, so that tests meet every
 * form with few elements and odd sizes. The same seed draws the same for one graph; results stay as they
 * are, but for the order of sums of reals. */
#ifndef CS_CODEGEN_DRAW_H
#define CS_CODEGEN_DRAW_H

#include "number.h"

typedef enum Parameter {
#define PARAMETER(id, name, least, most, steps, attribute, argument, meaning) P_##id,
#include "parameters.def"
#undef PARAMETER
    PARAMETERS
} Parameter;

/* What is usual, or given, or drawn. */
int64_t draw(struct Unit *u, Parameter p, int64_t usual);
Num *draw_num(struct Unit *u, Parameter p, int64_t usual);
/* What is usual depends on whether vectors have 64 bytes: with these, and with shorter ones. */
void draw_widths(struct Unit *u, Parameter p, int64_t *wide, int64_t *narrow);
Num *draw_is_wide(struct Unit *u); /* have vectors 64 bytes? */
bool draw_bool(struct Unit *u, Parameter p, bool usual);
/* Is a form left out that the definition has? Not unless it is given or drawn. */
bool draw_skips(struct Unit *u, Parameter form);
/* What no schedule says, as text: a seed gives it one value, so that a schedule that is read gives the
 * kernels that its recipe gave. */
int64_t draw_same(const struct Unit *u, Parameter p, int64_t usual);
/* A fact about the device: a macro of this name that the seed gives; NULL: the device says it. */
Num *draw_fact(struct Unit *u, NumFact f);

/* What the unit's options and graph give, in its arena, for the functions above. */
void draw_begin(struct Unit *u);

#endif
