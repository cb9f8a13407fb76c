/* Tiles of a contraction (contract.c): results that stay in registers while the reduction runs, the
 * panels that operands are copied into, and how the work is cut. */
#ifndef CS_CODEGEN_TILE_H
#define CS_CODEGEN_TILE_H

#include "recipe.h"

typedef struct Tile {
    Unit *u;
    const Def *d;
    FdContraction c;
    int lanes;
    Num *m, *n, *k, *batch; /* extents; k: the longest */
    Num *ks[NEST_RESULTS];  /* of the reductions that begin a group */
    Num *mr, *nv, *nr;      /* rows, vectors and elements of a tile */
    Num *kb, *kc;           /* k of a private panel, of a block */
    Num *blocks;            /* of k; NULL: k is not cut */
    Num *high, *broad;      /* tiles of a block of rows and columns */
    Num *run, *each;        /* tiles of a chunk of rows; of the batch for each work-item */
    bool rows_packed;       /* rows of a panel's tiles are copied first */
    int temps[FD_MAX_OPERANDS];
} Tile;

typedef struct TileAxes { /* of one nest; batch -1: none */
    int row, col, batch;
    int k[NEST_RESULTS]; /* of the reductions that begin a group */
} TileAxes;

Nest *tile_nest(Tile *t, const char *name, Num *when, TileAxes *x);
NestHold tile_hold(Tile *t, int operand, const TileAxes *x, NestSpace space);

/* Columns in private panels of a work-item; direct: read in place. */
void tile_cut_rows(Tile *t);
void tile_panels(Tile *t, Num *when, bool direct);

/* All operands in panels that nests before have filled. */
void tile_cut_blocks(Tile *t);
void tile_cut_tiles(Tile *t);
void tile_pack(Tile *t, int operand, Num *when);
void tile_packed(Tile *t, Num *when);
/* Columns in private panels again, of a block of k: of many products, whose k is cut (tile_cut_blocks). */
void tile_blocks(Tile *t, Num *when);

/* On GPUs, in local memory: under `when`, and what it gives (NULL: no tile has the form). */
Num *tile_local(Tile *t, Num *when);

#endif
