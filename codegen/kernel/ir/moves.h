/* Parts of the prelude that load, store and gather vectors. */
#ifndef CS_CODEGEN_MOVES_H
#define CS_CODEGEN_MOVES_H

extern const char prelude_ahead[], prelude_half[], prelude_memory[], prelude_run[],
    prelude_stream[], prelude_memory_half[], prelude_gather[], prelude_pick[],
    prelude_gather_half[], prelude_within[], prelude_withins[];

#endif
