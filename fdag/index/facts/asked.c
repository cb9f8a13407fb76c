/* Questions and what is known (asked.h): a table of lists of words. */
#include "asked.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../../internal.h"

static void grow(Fd *fd)
{
    size_t size = fd->asked_size ? fd->asked_size * 2 : 128;
    FdiKnown **bigger = mem_beside(fd->nodes, size * sizeof *bigger);
    for (size_t i = 0; i < fd->asked_size; i++) {
        if (!fd->asked[i]) continue;
        size_t at = fd->asked[i]->hash & (size - 1);
        while (bigger[at]) at = (at + 1) & (size - 1);
        bigger[at] = fd->asked[i];
    }
    mem_free(fd->asked);
    fd->asked = bigger;
    fd->asked_size = size;
}

static FdiKnown *intern(Fd *fd, const uint64_t *words, size_t len)
{
    if (fd->asked_used * 2 >= fd->asked_size) grow(fd);
    uint64_t hash = XXH3_64bits(words, len * sizeof *words);
    size_t at = hash & (fd->asked_size - 1);
    for (FdiKnown *k; (k = fd->asked[at]); at = (at + 1) & (fd->asked_size - 1))
        if (k->hash == hash && k->len == len && memcmp(k->words, words, len * sizeof *words) == 0)
            return k;
    FdiKnown *k = arena_alloc(fd->arena, sizeof *k + len * sizeof *words);
    k->hash = hash;
    k->answer = -1;
    k->len = (uint32_t)len;
    memcpy(k->words, words, len * sizeof *words);
    fd->asked[at] = k;
    fd->asked_used++;
    return k;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = (*(const FdNode *const *)a)->var, y = (*(const FdNode *const *)b)->var;
    return (x > y) - (x < y);
}

FdiKnown *fdi_known_ranges(Fd *fd, const FdiMap *doms)
{
    FdiNodes vars = {0};
    FdiWords words = {0};
    for (size_t i = 0; i < doms->size; i++) {
        const FdDom *d = doms->keys[i] ? (const FdDom *)(uintptr_t)doms->values[i] : NULL;
        if (d && d->lo) vec_push(&vars, doms->keys[i]);
    }
    if (vars.len) qsort(vars.data, vars.len, sizeof *vars.data, by_number);
    vec_push(&words, 0); /* where nothing is known */
    for (size_t i = 0; i < vars.len; i++) {
        const FdDom *d = fdi_dom_of(doms, vars.data[i]);
        vec_push(&words, (uint64_t)(uintptr_t)vars.data[i]);
        vec_push(&words, (uint64_t)(uintptr_t)d->lo);
        vec_push(&words, (uint64_t)(uintptr_t)d->hi);
    }
    FdiKnown *k = intern(fd, words.data, words.len);
    vec_free(&vars);
    vec_free(&words);
    return k;
}

FdiKnown *fdi_known_with(Fd *fd, const FdiKnown *known, const FdAffine *form)
{
    uint64_t words[2 + 2 * FD_AFFINE_TERMS];
    size_t len = 0;
    words[len++] = (uint64_t)(uintptr_t)known;
    words[len++] = (uint64_t)form->constant;
    for (int i = 0; i < form->nterms; i++) {
        words[len++] = (uint64_t)(uintptr_t)form->terms[i].atom;
        words[len++] = (uint64_t)form->terms[i].factor;
    }
    return intern(fd, words, len);
}
