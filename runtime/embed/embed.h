/* The runtime as part of a process that is not ours (codegen/abi/library.h): a library's contexts,
 * the calls of its functions, handles of arrays. Whoever comes in takes the one lock, so that one
 * thread at a time is in the runtime, with the state of one context. Whatever fails is told by a
 * cs_error: nothing is printed, and the process goes on. */
#ifndef CS_RUNTIME_EMBED_H
#define CS_RUNTIME_EMBED_H

#include <pthread.h>

#include "../../codegen/abi/library.h"
#include "../objects/str.h"
#include "../state.h"

/* ---- context.c ----------------------------------------------------------------------- */

/* Takes the lock and makes c's state the runtime's. Every embed_enter has its embed_leave. */
void embed_enter(cs_context *c);
/* What is pending becomes an error, or NULL. */
cs_error *embed_leave(void);
/* Of who keeps the context: its user, each handle. Between the two above. */
void embed_use(cs_context *c);
void embed_unuse(cs_context *c); /* the last closes it */

/* ---- fork.c -------------------------------------------------------------------------- */

/* Once. lock: held by who is in the runtime. */
void embed_watch_forks(pthread_mutex_t *lock);
/* Why a process that was forked can call nothing, or NULL. Needs no lock. */
cs_error *embed_refusal(void);
bool embed_is_refused(void); /* then nothing is given back, either */

/* ---- signal.c ------------------------------------------------------------------------ */

/* Around what a call runs, of a context that heeds SIGINT. */
void embed_heed(void);
void embed_unheed(void);

/* ---- text.c -------------------------------------------------------------------------- */

Str *embed_take_text(const char *text); /* NULL with an exception pending */
size_t embed_text_bytes(const Str *s);  /* what the next writes; it returns the place behind */
char *embed_put_text(char *to, const Str *s);

/* ---- fail.c -------------------------------------------------------------------------- */

/* An error of these parts, without a stack. Needs no lock. */
cs_error *embed_fail(cs_code code, const char *type, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Takes the pending exception. */
cs_error *embed_take_error(void);

/* ---- array.c -------------------------------------------------------------------------- */

/* A handle of the array, whose reference it takes over also if it fails: NULL with an exception
 * pending. */
cs_array *embed_handle(cs_context *c, Array *a);
/* The handle's array, borrowed; NULL: it is of another context. */
Array *embed_array_of(const cs_context *c, const cs_array *handle);
/* An array of data that stays the caller's, or of records a copy. NULL with an exception pending. */
Array *embed_borrow(int32_t elem, int32_t rank, const int64_t *n, const void *data);
/* Ends that: gives up two references, and copies the elements if somebody has others. */
void embed_give_back(Array *a);

/* ---- record.c -------------------------------------------------------------------------- */

/* Bytes of an element as C lays it out; alignment, if asked. */
size_t embed_element(int32_t elem, size_t *alignment);
/* Records as C lays them out, to leaves and back; returns the leaf behind the last. */
CsValue *embed_unpack(int32_t elem, const void *record, CsValue *leaves);
const CsValue *embed_pack(int32_t elem, void *record, const CsValue *leaves);

#endif
