/* Libraries (csc --lib): what codegen/host describes of one, and the runtime's functions that its
 * own call (library.def). */
#ifndef CS_CODEGEN_ABI_LIBRARY_H
#define CS_CODEGEN_ABI_LIBRARY_H

#include "csrt.h"
#include "embed.h"

/* A parameter or result. elem: a ScalarKind, CS_ELEM_RECORD + i, CS_ELEM_REF of a string, or
 * CS_ELEM_NONE; rank: of an array, else 0. */
enum { CS_ELEM_NONE = -1 };
enum { CS_BY_VALUE, CS_BY_REF, CS_BY_OUT };
typedef struct CsBorder {
    int32_t elem, rank, mode;
} CsBorder;

typedef struct CsExport {
    const char *name; /* in C$ */
    void (*call)(const CsValue *env, const CsValue *args, CsValue *out);
    int32_t nparams;
    int32_t elem, rank; /* of the result */
    const CsBorder *params;
} CsExport;

typedef struct CsStatic { /* a static field */
    void *at;
    int64_t bytes;
} CsStatic;

typedef struct CsLibrary {
    const CsProgram *program;
    int32_t (*init)(void); /* of static fields; may leave an exception pending */
    void (*release)(void); /* what they refer to */
    int32_t nstatics;
    const CsStatic *statics;
} CsLibrary;

/* Calls an exported function. args: scalars and strings (char const *) as they are, records by
 * address; an array is data and as many extents, or if `handles` a cs_array. Of a parameter by reference: where its value is, a
 * scalar, a char *, a cs_array *; what comes out is new and the caller's, what was there stays his. result: where a value of
 * the result's C type goes, of an array a cs_array *, of a string a char *. */
cs_error *cs_embed_call(cs_context *context, const CsExport *function, int32_t handles,
                        const CsValue *args, void *result);

cs_error *cs_embed_open(const CsLibrary *library, const char *device, cs_context **out);
cs_error *cs_embed_open_opencl(const CsLibrary *library, void *context, void *device, void *queue,
                               cs_context **out);
void cs_embed_close(cs_context *context);
cs_error *cs_embed_array(cs_context *context, int32_t type, int32_t rank, const int64_t *n,
                         const void *data, cs_array **out);
cs_error *cs_embed_wrap(cs_context *context, int32_t type, int32_t rank, const int64_t *n,
                        const void *data, cs_array **out);
cs_error *cs_embed_buffer(cs_context *context, int32_t type, int32_t rank, const int64_t *n,
                          void *memory, cs_array **out);
cs_error *cs_embed_read(cs_array *array, const void **data);
cs_error *cs_embed_copy(cs_array *array, void *to, int64_t bytes);
void cs_embed_retain(cs_array *array);
void cs_embed_release(cs_array *array);
void cs_embed_heed_interrupts(cs_context *context, int32_t heeds);
void cs_embed_free_error(cs_error *error);
void cs_embed_free_text(char *text);

#endif
