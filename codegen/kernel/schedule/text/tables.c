/* The tables of what lines of nests say (tables.h, ../nest/steps.def). */
#include "tables.h"

#include "tables.def"

#define OF NestStep
const NestRow nest_rows[] = {
#define BIND(NAME_, word, ...) {word, NEST_FOR, NEST_##NAME_, {__VA_ARGS__}},
#define STEP(NAME_, word, lower, verify, ...) {word, NEST_##NAME_, NEST_LOOP, {__VA_ARGS__}},
#include "../nest/steps.def"
};
#undef OF

const NestRow *nest_row(const NestStep *s)
{
    return &nest_rows[s->kind == NEST_FOR ? (int)s->bind : NEST_BINDS + (int)s->kind];
}

bool nest_row_holds_steps(const NestRow *row)
{
    const NestField *f = row->fields;
    while (f->kind != FIELD_END && f->kind != FIELD_STEPS) f++;
    return f->kind == FIELD_STEPS;
}

/* ---- before the loops -------------------------------------------------------------------------- */

#define OF Nest
bool nest_has_head(const Nest *n, NestHeadKind kind)
{
    switch (kind) {
    case HEAD_PATCH: return n->patch[0] != 0;
    case HEAD_SUMS: return n->sums;
    case HEAD_WAVE: return n->wave.of != NULL;
    case HEAD_TURNS: return n->turns.axis >= 0;
    case HEAD_SCAN: return n->scan != NULL;
    case HEAD_CARRY: return !n->scan && n->carry_axis >= 0;
    case HEAD_VECTORS: return n->lanes_axis >= 0;
    case HEAD_KEYS: return n->keys.axis >= 0;
    case HEAD_BLOCK: return n->block_axis >= 0;
    }
    return false;
}

const NestHead nest_heads[] = {
    [HEAD_PATCH] = {"patch", {SMALL(NULL, patch[0], 65), SMALL("by", patch[1], 65)}},
    [HEAD_SUMS] = {"sums", {FLAG(NULL, sums)}},
    [HEAD_WAVE] = {"wave",
                   {AXIS(NULL, wave.axes[0]), NUM("by", wave.steps[0]), AXIS(",", wave.axes[1]),
                    NUM("by", wave.steps[1]), NUM("diagonal", wave.diagonal)}},
    [HEAD_TURNS] = {"turns",
                    {AXIS(NULL, turns.axis), NUM("turn", turns.turn), NUM("by", turns.step),
                     NUM("from", turns.skip), SMALL("back", turns.back, CG_TURNS_BACK),
                     MAYBE_AXIS("across", turns.across)}},
    [HEAD_SCAN] = {"scan",
                   {AXIS(NULL, carry_axis), WITH(1, NUM, "items", scan_items),
                    NUM("by", scan_each)}},
    [HEAD_CARRY] = {"carry", {AXIS(NULL, carry_axis), SMALL("times", carried, NEST_CARRIED + 1)}},
    [HEAD_VECTORS] = {"vectors", {AXIS(NULL, lanes_axis), FLAG("apart", scalar_give)}},
    [HEAD_KEYS] = {"keys",
                   {AXIS(NULL, keys.axis), MAYBE_AXIS("in", keys.tables),
                    WITH(2, NUM, "local", keys.entries), NUM("times", keys.copies),
                    FLAG("ordered", keys.ordered)}},
    [HEAD_BLOCK] = {"block", {AXIS(NULL, block_axis), NUM("by", block)}}};
#undef OF

#define OF NestHold
const NestField nest_hold_fields[NEST_FIELDS] = {NAME(name),
                                                 SPACE,
                                                 FLAG("filled", filled),
                                                 MAYBE_AXIS("batch", batch),
                                                 WITH(2, AXIS, "along", along),
                                                 NUM("times", depth),
                                                 MAYBE("of", reach),
                                                 MAYBE_AXIS("across", across),
                                                 MAYBE("times", width),
                                                 MAYBE("vectors", vectors),
                                                 FLAG("turned", turned),
                                                 TERM("=", value)};
#undef OF

#define OF NestRegs
const NestField nest_regs_fields[NEST_FIELDS] = {AXIS(NULL, axis), NUM("times", count),
                                                 ONE("by", step), MAYBE("run", run)};
#undef OF

#define OF NestBox
const NestField nest_box_fields[NEST_FIELDS] = {NAME(name), MAYBE_AXIS("along", axis),
                                                MAYBE("times", least)};
#undef OF
