/* Parts of the prelude that move lanes past each other: for scans, squares, steps. */
#ifndef CS_CODEGEN_SHUFFLES_H
#define CS_CODEGEN_SHUFFLES_H

extern const char prelude_ends[], prelude_shift[], prelude_shift_wide[], prelude_halves[],
    prelude_thirds[], prelude_turn[], prelude_square[], prelude_put[], prelude_steps[];

#endif
