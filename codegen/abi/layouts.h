/* layouts.def as numbers of members (ARRAY_DATA, and ARRAY_MEMBERS for how many there are), and the
 * proof that C lays the structures out as it says. LLVM lays them out as C does. */
#ifndef CS_CODEGEN_ABI_LAYOUTS_H
#define CS_CODEGEN_ABI_LAYOUTS_H

#include <stddef.h>

#include "library.h"
#include "session.h"

/* clang-format off */
#define STRUCT(id, name) enum {
#define MEMBER(name, id, type, path) id,
#define END(id, name) id##_MEMBERS };
#include "layouts.def"
#undef STRUCT
#undef MEMBER
#undef END

typedef int8_t LayoutI8;
typedef int16_t LayoutI16;
typedef int32_t LayoutI32;
typedef int64_t LayoutI64;
typedef void *LayoutPTR;
typedef CsDim LayoutDIMS[CS_MAX_RANK];
#define STRUCT(id, name) struct Layout##name {
#define MEMBER(name, id, type, path) Layout##type id;
#define END(id, name) };
#include "layouts.def"
#undef STRUCT
#undef MEMBER
#undef END

#define STRUCT(id, name)
#define MEMBER(name, id, type, path)                                                               \
    _Static_assert(offsetof(struct Layout##name, id) == offsetof(name, path), #name "." #path);
#define END(id, name) _Static_assert(sizeof(struct Layout##name) == sizeof(name), #name);
#include "layouts.def"
#undef STRUCT
#undef MEMBER
#undef END
/* clang-format on */

#endif
