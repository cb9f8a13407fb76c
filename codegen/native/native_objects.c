/* Functions of several texts, each once (native.h). */
#include <string.h>

#include "native.h"

static NativeFound found(NativeObjects *o, const char *name, bool to_be_made, size_t *size)
{
    for (size_t i = 0; i < o->functions.len; i++)
        if (strcmp(o->functions.data[i], name) == 0) return NATIVE_THERE;
    name = arena_strndup(o->arena, name, strlen(name));
    bool kept = objects_has(o->objects, name, size);
    if (kept || to_be_made) vec_push(&o->functions, name);
    return kept ? NATIVE_KEPT : NATIVE_NEW;
}

NativeFound native_objects_find(void *objects, const char *name, size_t *size)
{
    return found(objects, name, true, size);
}

NativeFound native_objects_kept(void *objects, const char *name, size_t *size)
{
    return found(objects, name, false, size);
}

void native_objects_add(NativeObjects *o, Native *n)
{
    for (NativeModule m; native_take(n, &m);)
        objects_add(o->objects, &(ObjectsModule){.mod = m.mod,
                                                 .context = m.context,
                                                 .optimise = m.quick ? native_optimise_quickly
                                                                     : native_optimise,
                                                 .quick = m.quick,
                                                 .function = m.kernel,
                                                 .note = m.size});
}
