/* csc: the compiler as a process. driver/ has the rest: options, commands, the pipeline. */
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/system/process.h"
#include "driver/command.h"

static void out_of_memory(size_t bytes)
{
    (void)bytes;
    process_remove_leftovers();
    fputs("csc: out of memory\n", stderr);
    _exit(1);
}

int main(int argc, char **argv)
{
    process_begin(NULL);
    mem_on_failure(out_of_memory);
    return command_main(argc, argv);
}
