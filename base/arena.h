/* Bump allocation freed all at once. Whoever makes an arena owns everything in it. Where memory is
 * out, what mem.h says happens: nothing is NULL within mem_try, nor in the compiler. */
#ifndef CS_BASE_ARENA_H
#define CS_BASE_ARENA_H

#include <stddef.h>

typedef struct Arena Arena;

Arena *arena_new(void);
void arena_free(Arena *a);
void *arena_alloc(Arena *a, size_t bytes); /* zeroed, aligned to 16 */
char *arena_strndup(Arena *a, const char *s, size_t len);
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void *arena_copy(Arena *a, const void *p, size_t bytes);
void *arena_grow(Arena *a, const void *p, size_t bytes, size_t more); /* a copy, zeros behind it */

#define arena_new_of(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

#endif
