/* What the files that check nests share. */
#ifndef CS_CODEGEN_NEST_VERIFY_H
#define CS_CODEGEN_NEST_VERIFY_H

#include "../nest/nest.h"

enum { VERIFY_DEEPEST = 28 }; /* loops in each other: lowering adds some of its own */

/* Checking leaves no trace: texts are the same where nothing is checked. */
typedef struct Verify {
    Unit *u;
    const Nest *n;
    const char *why;
    const NestStep *path[VERIFY_DEEPEST]; /* the loops around, outermost first */
    int npath;
    unsigned group_dims, item_dims;
    /* of the place */
    unsigned at;        /* in boxes: nest_at */
    int part, opened;   /* a box along an axis, -1: none; loops around it */
    uint32_t held;      /* holds that are there */
    uint32_t ranged;    /* axes whose ranges are worked out */
    int begun;          /* loops around START or RESUME; -1: not begun */
    bool resumed;       /* from a part */
    bool vectors, tail; /* what START made, as in nest/result.c */
    bool joined, given;
    int carried;           /* loops around where values began to be carried; -1: not yet */
    unsigned taken, whole; /* results: of which some value was taken here, of which all were */
} Verify;

void verify_fail(Verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Each kind of step at its place. A step with steps inside checks them, too (verify_steps). */
#define BIND(name, word, ...)
#define STEP(name, word, lower, verify, ...) void verify(Verify *v, const NestStep *s);
#include "../nest/steps.def"
void verify_steps(Verify *v, const NestStep *first);
void verify_inside(Verify *v,
                   const NestStep *first); /* where results that are begun around go on */

/* ---- numbers (number.c) ------------------------------------------------------------------------ */

/* Each is false where it cannot be shown. */
bool verify_same(Unit *u, Num *x, Num *y);
bool verify_multiple(Unit *u, Num *x, Num *step);
bool verify_at_least(Unit *u, Num *when, Num *x, Num *least); /* when `when` holds */

/* ---- places (place.c) -------------------------------------------------------------------------- */

const char *verify_axis_name(const Verify *v, int axis);
bool verify_is_open(const Verify *v, int axis);            /* is a loop over it around? */
bool verify_has(const Verify *v, int axis, NestBind bind); /* one of this kind? */
bool verify_is_clamped(const Verify *v, int axis);
/* A work-item that goes through its positions by a loop in steps, as a group does? */
bool verify_is_share(const NestStep *s);
bool verify_is_copy(const NestStep *s); /* copies, lanes, work-items: no loop in steps */
int verify_lanes(const Verify *v);      /* the axis in lanes here; -1: none */
/* V2, V4 or V8, 0 if the plan has no such macro: checking adds nothing to the plan. */
Num *verify_lane_count(const Verify *v);
Num *verify_span(const Verify *v, int axis); /* positions of a turn of the innermost loop over it */
const NestRegs *verify_registers(const Verify *v, int axis); /* those along it; NULL: none */
/* Do the copies, lanes and work-items around (and the registers, at a GIVE) make up what the loop
 * over the axis steps by? Fails otherwise. */
void verify_cover(Verify *v, int axis, bool registers);
/* All variables that n uses must be bound here (or `kept`: be of registers). Fails otherwise. */
void verify_bound(Verify *v, const FdNode *n, bool kept);
unsigned verify_allowed(const Verify *v); /* in lanes (LANES_..) */
/* n must be computable in lanes here, given results (or what is held). Fails otherwise. */
void verify_in_lanes(Verify *v, const FdNode *n, int axis, bool results);

/* ---- results by key (keys.c, result.c) ---------------------------------------------------------- */

/* START, JOIN and SAVE of tables in local memory. */
void verify_table(Verify *v, const NestStep *s);
/* All that is reduced is scattered, each work-item's to its part. */
void verify_scattered(Verify *v);

/* ---- values of a recurrence that are carried (carry.c): the same steps -------------------------- */

void verify_carry_head(Verify *v);
void verify_carry(Verify *v, const NestStep *s);
void verify_wave(Verify *v, const NestStep *s); /* tiles of a wavefront, also there */

/* ---- boxes (box.c) ----------------------------------------------------------------------------- */

/* The one after `before` (NULL: the first) belongs to it. */
void verify_box_order(Verify *v, const NestStep *before, const NestStep *s);
/* A loop over the axis of the part of a box that is around. */
void verify_part_loop(Verify *v, const NestStep *s, bool copies);

#endif
