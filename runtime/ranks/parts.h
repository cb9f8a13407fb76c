/* Arrays of which each rank has some rows: those that it computed, and others' that came since. Every rank knows what the
 * others have, so they agree without a word on what is to be sent. */
#ifndef CS_RUNTIME_PARTS_H
#define CS_RUNTIME_PARTS_H

#include "../../codegen/kernel/divide/rows.h"
#include "../value.h"
#include "transport.h"

/* Of a buffer (Buffer.part), alike on all ranks but for its memory. */
typedef struct Part {
    RowsLayout *layout;
    int nowners;
    struct PartOwner {
        int64_t
            lo; /* from here to the next one's rows are that rank's; behind the last is the end */
        int rank;
    } * owners;
    Rows *has;     /* each rank's */
    Rows all;      /* what the host asked for: all ranks have it */
    int64_t asked; /* its bytes */
} Part;

/* Each rank r has rows own[r] to own[r + 1] - 1, which it computed. Others, if there are any, are as in `before` (NULL: all ranks
 * have them), which has the same rows. NULL: there is no memory. */
Part *part_new(const RowsLayout *l, const int64_t *own, const Part *before);
bool part_is_crowded(const Part *p); /* has it so many owners that it is better had whole? */
void part_free(Part *p);             /* NULL is fine */
void part_end(Buffer *b);            /* nobody asks for it any more */

/* What ranks need of a buffer, by rank; rows NULL: all of it. */
typedef struct PartWant {
    Buffer *buffer;
    const Rows *rows;
} PartWant;

void part_gain(Rows *has,
               const Rows *more); /* what was sent, as far as there is room to remember it */
int64_t part_row_bytes(const RowsLayout *l);
/* Appends these rows of b, from whoever computed them to all others. Ends a mem_try. */
void part_add_owned(RankBlocks *all, const Buffer *b, const Rows *of);
/* Bytes that would be sent to whoever gets most. */
int64_t part_missing(const Part *p, const Rows *want);
/* What is to be sent, so that all have what they want: alike on all ranks. What this one sends is on the host then. False with an
 * exception pending. */
bool part_list(const PartWant *wants, int n, RankBlocks *out, const CsSite *site);
/* Sends it. All ranks come here together. An exception that is pending then is this rank's own. */
void part_fetch(const PartWant *wants, int n, const RankBlocks *list, const CsSite *site);
/* These rows of b are here, on each rank; or those around the element at this offset, for the host: an array of which it
 * asks for much comes whole. All ranks come here together, and agree: false with an exception, of all. */
bool part_bring(Buffer *b, const Rows *rows, const CsSite *site);
bool part_bring_element(Buffer *b, int64_t offset, const CsSite *site);
/* A loop is about to ask for elements: is it better to have them one by one? */
bool part_is_slow(Part *p);
/* Of a buffer that a device may have (device/device_buffer.c): it has a place on the host; what this rank sends of it is
 * there, and where it gets some no kernel is at work; what it got there the device has, too. False with an exception
 * pending. */
bool rt_blocks_room(Buffer *b, const CsSite *site);
bool rt_blocks_out(Buffer *b, const RankBlock *blocks, size_t n, const CsSite *site);
bool rt_blocks_in(Buffer *b, const RankBlock *blocks, size_t n, const CsSite *site);
/* All of b is here, on each rank. All ranks come here together, and agree first: false with an exception, of all. */
bool part_complete(Buffer *b, const CsSite *site);

#endif
