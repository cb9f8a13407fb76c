/* Functions of several texts, each once (native.h). */
#include <string.h>

#include "native.h"

NativeFound native_objects_find(void *objects, const char *name, size_t *size)
{
    NativeObjects *o = objects;
    for (size_t i = 0; i < o->functions.len; i++)
        if (strcmp(o->functions.data[i], name) == 0) return NATIVE_THERE;
    name = arena_strndup(o->arena, name, strlen(name));
    vec_push(&o->functions, name);
    return objects_has(o->objects, name, size) ? NATIVE_KEPT : NATIVE_NEW;
}

void native_objects_add(NativeObjects *o, Native *n)
{
    for (NativeModule m; native_take(n, &m);)
        objects_add(o->objects, &(ObjectsModule){.mod = m.mod,
                                                 .context = m.context,
                                                 .optimise = native_optimise,
                                                 .function = m.kernel,
                                                 .note = m.size});
}
