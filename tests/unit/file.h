/* Files that tests read. */
#ifndef CS_TESTS_FILE_H
#define CS_TESTS_FILE_H

#include <check.h>
#include <stdio.h>

#include "../../base/text.h"

/* The whole file, which has to be there; the caller frees it (mem_free). */
static inline char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    ck_assert_msg(f != NULL, "%s", path);
    Text t = {0};
    int c;
    while ((c = fgetc(f)) != EOF) text_addn(&t, &(char){(char)c}, 1);
    fclose(f);
    return text_take(&t);
}

#endif
