/* Faults of our own: what cannot be. The compiler says so and aborts; so does a program, unless it
 * can end what it was doing: then its runtime makes an exception of it. */
#ifndef CS_BASE_INTERNAL_H
#define CS_BASE_INTERNAL_H

/* "internal error: WHERE: WHAT". Never returns; within mem_try, in a process that takes note of it,
 * that ends as if memory had run out. */
void internal_error(const char *where, const char *what) __attribute__((noreturn));

/* From now on, `note` is told before a mem_try ends that way. NULL: none does. */
void internal_on_error(void (*note)(const char *where, const char *what));

#endif
