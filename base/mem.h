/* The one allocator: whatever the compiler and the runtime keep comes from here, is counted here,
 * and fails here.
 *
 * Two kinds of memory. *Blocks* are what arenas, vectors, texts and tables are made of; *objects*
 * are single values that their owner counts: no header, and NULL when memory is out.
 *
 * Running out of memory while a block is made
 *   - within mem_try ends the function that mem_try runs, and frees every block and arena made
 *     since it began that is still there. What is older than the mem_try stays as it is then: so
 *     such a structure is changed only after all that the change needs was allocated. Nothing else
 *     is undone: what runs within mem_try holds no files, objects or foreign memory while it
 *     allocates;
 *   - else calls what mem_on_failure set: in the compiler that ends the process, in a program it
 *     sets the pending exception;
 *   - and then gives NULL: texts become `failed`, vec_try says false. */
#ifndef CS_BASE_MEM_H
#define CS_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* ---- blocks: zeroed, aligned to 16 ----------------------------------------------------- */

void *mem_alloc(size_t bytes);
/* Moves a block (NULL: makes one) that has `bytes` from now on; what is new is not zeroed. When
 * that fails, the block is still there. */
void *mem_grow(void *block, size_t bytes);
/* The same without unwinding or telling anybody: NULL when it fails. */
void *mem_grow_quietly(void *block, size_t bytes);
/* A block for the owner of another, older one: both stay or go with the same mem_try. */
void *mem_beside(const void *older, size_t bytes);
/* A block that no mem_try frees, because its owner does. */
void *mem_inside(size_t bytes);
/* A block (NULL is fine) that was made between mem_suspend and mem_resume: the mem_try under way
 * frees it, as if it had been made in it. */
void mem_adopt(void *block);
/* What a mem_try calls instead of freeing a block when it ends early. */
void mem_set_drop(void *block, void (*drop)(void *block));
void mem_free(void *block); /* NULL is fine */

/* ---- objects: zeroed ------------------------------------------------------------------- */

void *mem_object(size_t bytes);
void mem_object_free(void *object); /* NULL is fine */

/* ---- running out ----------------------------------------------------------------------- */

/* False if memory ran out in run(ctx). They nest. What was made in a mem_try that ends well
 * belongs to nobody but its owner. */
bool mem_try(void (*run)(void *ctx), void *ctx);
/* Between the two no mem_try is under way: around calls of functions that must return. */
typedef struct MemTry MemTry;
MemTry *mem_suspend(void);
void mem_resume(MemTry *suspended);
bool mem_trying(void); /* is a mem_try under way? */
void mem_on_failure(void (*failed)(size_t bytes));
void mem_fail(size_t bytes); /* as if memory were out; may return */

/* In a build with CS_FAULTS: of several processes, which one this is, for CS_FAULT=alloc:N@RANK. */
void mem_fault_rank(int rank);

/* ---- counting -------------------------------------------------------------------------- */

/* Bytes in use, in steps of the system's allocator, and what was counted besides. */
size_t mem_used(void);
void mem_count(ptrdiff_t bytes);
/* May so many bytes be taken from the system by other means? To be asked before each attempt. */
bool mem_permits(size_t bytes);
/* Above `limit` bytes each allocation asks `more` first; false: it fails. */
void mem_limit(size_t limit, bool (*more)(size_t bytes));

/* A number of bytes, with K, M or G behind it. */
bool mem_size_from_text(const char *text, size_t *out);

#endif
