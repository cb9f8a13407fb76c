/* The functions of the runtime that compiled programs call, by number: a row of abi.def each. */
#ifndef CS_CODEGEN_ABI_H
#define CS_CODEGEN_ABI_H

typedef enum AbiId {
#define ABI(name, throws, result, parameters) ABI_##name,
#include "abi.def"
#undef ABI
    ABI_COUNT,
    ABI_NONE = ABI_COUNT
} AbiId;

#endif
