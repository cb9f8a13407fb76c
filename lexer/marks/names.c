/* Sets of names: open addressing by the pointers that equal names share. */
#include "marks.h"

static size_t slot_of(const NameSet *set, const char *name)
{
    size_t i = ((uintptr_t)name >> 4) * 0x9E3779B1U & (set->size - 1);
    while (set->slots[i] && set->slots[i] != name) i = (i + 1) & (set->size - 1);
    return i;
}

void names_add(NameSet *set, const char *name)
{
    if (2 * set->used >= set->size) {
        NameSet grown = {.size = set->size ? 2 * set->size : 64, .used = set->used};
        grown.slots = mem_alloc(grown.size * sizeof *grown.slots);
        for (size_t i = 0; i < set->size; i++)
            if (set->slots[i]) grown.slots[slot_of(&grown, set->slots[i])] = set->slots[i];
        mem_free(set->slots);
        *set = grown;
    }
    size_t i = slot_of(set, name);
    set->used += !set->slots[i];
    set->slots[i] = name;
}

bool names_has(const NameSet *set, const char *name)
{
    return set && set->size > 0 && set->slots[slot_of(set, name)];
}

void names_free(NameSet *set)
{
    mem_free(set->slots);
    *set = (NameSet){0};
}
