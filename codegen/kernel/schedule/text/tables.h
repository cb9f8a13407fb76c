/* What lines of nests say, as tables that printing and reading share: a line is a word and fields, and a
 * field is a member of what the line is of. */
#ifndef CS_CODEGEN_TEXT_TABLES_H
#define CS_CODEGEN_TEXT_TABLES_H

#include <stddef.h>

#include "../nest/nest.h"

typedef enum NestFieldKind {
    FIELD_END,
    FIELD_AXIS,    /* int: number of an axis, which is named; -1: there is none */
    FIELD_NUM,     /* Num *; NULL: there is none */
    FIELD_ONE,     /* the same, 1 if it is not said */
    FIELD_FLAG,    /* bool: its word is there */
    FIELD_SMALL,   /* int, below `limit` */
    FIELD_NAME,    /* const char * */
    FIELD_TERM,    /* const FdNode *: an expression of the definition, to the end of the line */
    FIELD_SPACE,   /* of a hold: where it is, and its temporary */
    FIELD_DOWN,    /* of a loop: its axis' direction */
    FIELD_TAIL,    /* of a loop */
    FIELD_HELD,    /* of a step: what a hold is, which begins here */
    FIELD_SOON,    /* of a step: the name of a hold, or `give`, or `reads` */
    FIELD_BOX,     /* of a step: the name of a box */
    FIELD_RESULTS, /* of a step: numbers from `begin` to `end`, if there are several */
    FIELD_STEPS    /* of a step: lines that follow, one deeper, stand inside */
} NestFieldKind;

typedef struct NestField {
    NestFieldKind kind;
    bool maybe;       /* it need not be there */
    int more;         /* if it is not, neither are so many after it */
    int limit;        /* SMALL */
    const char *word; /* that stands before it; NULL: none */
    size_t at;        /* offset of the member */
} NestField;

enum { NEST_FIELDS = 14, NEST_BINDS = NEST_LANES + 1, NEST_KINDS = NEST_UNLESS + 1 };

/* Loops by NestBind, then steps by NestKind (steps.def). */
typedef struct NestRow {
    const char *word; /* NULL: it is no word of texts */
    NestKind kind;
    NestBind bind;
    NestField fields[NEST_FIELDS];
} NestRow;
extern const NestRow nest_rows[NEST_BINDS + NEST_KINDS];
const NestRow *nest_row(const NestStep *s);
bool nest_row_holds_steps(const NestRow *row);

/* Before the loops, of a Nest. Axes, results, registers, parts and boxes are lists, and stand in print.c and
 * lines.c. */
typedef enum NestHeadKind {
    HEAD_PATCH,
    HEAD_SUMS,
    HEAD_WAVE,
    HEAD_TURNS,
    HEAD_SCAN,
    HEAD_CARRY,
    HEAD_VECTORS,
    HEAD_KEYS, /* a part stands before it */
    HEAD_BLOCK
} NestHeadKind;
typedef struct NestHead {
    const char *word;
    NestField fields[NEST_FIELDS];
} NestHead;
extern const NestHead nest_heads[HEAD_BLOCK + 1];
bool nest_has_head(const Nest *n, NestHeadKind kind); /* is there such a line? */

extern const NestField nest_hold_fields[NEST_FIELDS], nest_regs_fields[NEST_FIELDS],
    nest_box_fields[NEST_FIELDS];

#endif
