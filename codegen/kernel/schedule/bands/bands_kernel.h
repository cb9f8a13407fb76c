/* The kernel of bands while it is made (bands.h). */
#ifndef CS_CODEGEN_BANDS_KERNEL_H
#define CS_CODEGEN_BANDS_KERNEL_H

#include "../nest/impl.h"
#include "bands.h"

typedef struct BandKernel {
    Unit *u;
    Arena *a;
    Gen g;
    const Bands *b;
    const KirExpr *begin, *end; /* of the band */
    UnitRing *rings;            /* of each stage; behind them those of rows that are saved */
} BandKernel;

const KirExpr *bands_number(BandKernel *k, const char *name, Num *x);
const KirExpr *bands_plus(BandKernel *k, const KirExpr *x, const KirExpr *y);
const KirExpr *bands_either(BandKernel *k, const KirExpr *cond, const KirExpr *x, const KirExpr *y);
/* The ring from so many of its stage's memory on. */
const KirExpr *bands_ring(BandKernel *k, const BandStage *s, const KirExpr *slab,
                          const KirExpr *level);
/* A stage at a row, if it is one of those from `first` to before `past`. */
void bands_stage(BandKernel *k, const BandStage *s, const KirExpr *at, const KirExpr *first,
                 const KirExpr *past);

/* ---- rows that all rows read (saved.c) ---- */
int bands_saved(const Bands *b); /* how many there are */
/* Computes them, before the first row of the band. */
void bands_save(BandKernel *k);
/* In this block stages of turn number `level` find those of the turn before. */
void bands_find_saved(BandKernel *k, const KirExpr *level);

#endif
