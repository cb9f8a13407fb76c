/* cases [-v] FROM COUNT               a program of so many cases, from seeds FROM .. FROM + COUNT -
 * 1 cases --choices FILE                a program of one case, from the numbers in the file cases
 * --record SEED                 the choices of one case */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

int main(int argc, char **argv)
{
    Choices c = {0};
    Text out = {0};
    bool verbose = argc > 1 && !strcmp(argv[1], "-v");
    if (verbose) argv++, argc--;
    if (argc == 5 && !strcmp(argv[1], "--reduce")) {
        int status = reduce_case(strtoull(argv[2], NULL, 10), argv[3], argv[4], &out);
        if (out.data) fputs(out.data, stdout);
        text_free(&out);
        return status;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: cases [-v] FROM COUNT | --reduce SEED COMMAND FILE\n");
        return 2;
    }
    write_prelude(&out);
    int from = atoi(argv[1]), n = atoi(argv[2]), *numbers = calloc((size_t)n + 1, sizeof *numbers);
    for (int i = 0; i < n; i++) {
        choices_seed(&c, (uint64_t)(from + i));
        write_case(&out, numbers[i] = from + i, &c);
    }
    write_main(&out, numbers, n);
    free(numbers);
    fputs(out.data, stdout);
    if (verbose) covered_print();
    text_free(&out);
    vec_free(&c);
    return 0;
}
