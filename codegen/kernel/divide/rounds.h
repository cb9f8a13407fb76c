/* Launches of which each reads rows that the one before has written (CgTurns): shares do theirs one behind the other, in
 * pieces of columns, and hand on their last rows. In round k the share that is number o in order does piece k - o. */
#ifndef CS_CODEGEN_ROUNDS_H
#define CS_CODEGEN_ROUNDS_H

#include "division.h"

typedef struct Rounds {
    const Division *division;
    const CgSchedule *schedule;
    int first, end; /* launches */
    int64_t rounds;
    int64_t pieces; /* of columns; 0: rounds are diagonals */
    int64_t each;   /* items of a piece */
} Rounds;

/* Launches from number i on that are turns together; false: it is none, as it is divided. units: of one share. */
bool rounds_from(const Division *d, const CgSchedule *s, int i, int units, Rounds *out);

/* Do shares wait for each other anywhere in it? */
bool rounds_are_in(const Division *d);

/* What a share does in a round: calls until there is no more. `at` begins as 0. */
typedef struct RoundItems {
    int launch;
    DivisionRange range;
} RoundItems;
bool rounds_next(const Rounds *t, int share, int64_t round, int64_t *at, RoundItems *out);

/* What one share hands to the next behind a round: bytes from..from + bytes - 1 of a result. Gives how many blocks there are
 * of all shares; blocks NULL: counts them. */
typedef struct RoundBlock {
    int from, to, out;
    size_t at, bytes;
} RoundBlock;
size_t rounds_sent(const Rounds *t, int64_t round, RoundBlock *blocks);
/* Does a launch of them report errors, so that all are to be told behind the last round? */
bool rounds_tell(const Rounds *t);

#endif
