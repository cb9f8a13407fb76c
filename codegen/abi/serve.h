/* What a program and the csc that makes code for it say to each other, over a socket: a head and a body each, of
 * this machine's layout. The program asks, csc answers; a request that cannot be met is answered by
 * SERVE_REFUSED without a body. Both are of one build, or have nothing to say. */
#ifndef CS_CODEGEN_SERVE_ABI_H
#define CS_CODEGEN_SERVE_ABI_H

#include <stdint.h>

enum {
    SERVE_FORMAT = 2,
    SERVE_MOST = 64 << 20, /* bytes of a body */
    SERVE_SECONDS = 20     /* for an answer: then nobody waits, and csc ends */
};

typedef enum ServeKind { SERVE_REFUSED, SERVE_HELLO, SERVE_CODE } ServeKind;

typedef struct ServeHead {
    uint32_t kind;
    uint32_t number; /* of the request, in its answer too */
    uint64_t bytes;  /* of the body */
} ServeHead;

/* SERVE_HELLO, both ways. */
typedef struct ServeHello {
    uint32_t format, generator; /* CG_GENERATOR: of graphs' and of generated text */
} ServeHello;

/* SERVE_CODE; behind it a byte for each kernel of the plan (is it wanted?), then both texts. */
typedef struct ServeCode {
    uint64_t key_hi, key_lo;   /* fd_key of the graph, which its text must give.. */
    uint64_t plan_hi, plan_lo; /* ..and XXH3 of the plan that it is lowered to */
    int32_t level;             /* CgNativeLevel */
    int32_t tile, precise;     /* CgOptions */
    int32_t stops;             /* NativeOptions */
    uint32_t seed, nkernels;
    uint32_t set_bytes, text_bytes; /* CgOptions.set (0: none), the graph */
} ServeCode;

/* Its answer; behind it a name with a NUL for each kernel (empty: none), then for each object its bytes as a
 * uint64_t and the object. */
typedef struct ServeMade {
    uint32_t nkernels, nobjects;
} ServeMade;

#endif
