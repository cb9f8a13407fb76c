/* What programs and a library made by csc --lib give each other. Every function that can fail
 * returns NULL, or an error that the caller frees; then nothing else was returned. All functions may
 * be called from any thread; a library does one call at a time. */
#ifndef CS_EMBED_H
#define CS_EMBED_H

#include <stdbool.h>
#include <stdint.h>

/* A device and what the library keeps there: static fields, arrays, kernels. */
typedef struct cs_context cs_context;

/* Elements. A char is a code point, a half its bits, a string a char const * (UTF-8, or NULL); records are
 * CS_RECORD and following. A character 0 in a string is the bytes CS_TEXT_ZERO. */
#define CS_TEXT_ZERO "\xC0\x80"
typedef enum cs_type {
    CS_BOOL,
    CS_SBYTE,
    CS_BYTE,
    CS_SHORT,
    CS_USHORT,
    CS_CHAR,
    CS_INT,
    CS_UINT,
    CS_LONG,
    CS_ULONG,
    CS_HALF,
    CS_FLOAT,
    CS_DOUBLE,
    CS_STRING = 64,
    CS_RECORD = 128
} cs_type;

/* An array that is never changed: n[d] elements from index lo[d] on in each of `rank` dimensions, the
 * last index fastest. It may still be computed; who reads it waits. */
typedef struct cs_array {
    int32_t type, rank;
    int64_t n[4], lo[4];
} cs_array;

/* Codes of the exceptions that the runtime throws; a class of the program's own has that of the
 * nearest class it derives from, else CS_EXCEPTION. */
typedef enum cs_code {
    CS_DOMAIN = 1,
    CS_INDEX,
    CS_DIVIDE,
    CS_FORMAT,
    CS_IO,
    CS_MEMORY,
    CS_DEVICE,
    CS_NULL,
    CS_CAST,
    CS_KEY,
    CS_ARGUMENT,
    CS_ARGUMENT_NULL,
    CS_RANGE,
    CS_OVERFLOW,
    CS_STACK,
    CS_INTERNAL,
    CS_EXCEPTION,
    CS_INTERRUPTED /* by SIGINT, which no C$ code catches: NAME_heed_interrupts */
} cs_code;

/* type: the exception's class; stack: a line a function, the innermost first. */
typedef struct cs_error {
    int32_t code;
    const char *type, *message, *stack;
} cs_error;

#endif
