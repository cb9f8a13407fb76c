/* Numbers of objects, where an address is no hash: on several ranks (number.c). */
#ifndef CS_RUNTIME_NUMBER_H
#define CS_RUNTIME_NUMBER_H

#include <stdint.h>

/* The object's number, from 1 on; the same as long as it lives. 0: there is no memory. */
uint64_t number_of(const void *object);
void number_forget(const void *object); /* it dies; only while rt.numbers.len is not 0 */
void numbers_end(void);

#endif
