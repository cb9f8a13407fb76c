/* Parts of the prelude that the functions of reals (math/) call: what is rare, lane by lane. */
#ifndef CS_CODEGEN_REALS_H
#define CS_CODEGEN_REALS_H

extern const char prelude_each_lane[], prelude_far[];
extern const char prelude_gamma_zeros_1[], prelude_gamma_zeros_2[],
    prelude_gamma_zero[]; /* in order */

#endif
