/* CS_PLACES: on how many devices a program runs, with a rank for each (ranks/start.c). Asked before there are ranks, so a
 * process of its own asks the drivers: their threads and handles do not survive a fork. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../state.h"
#include "../device_impl.h"

static int count_gpus(void)
{
    DeviceTable *t = device_table(NULL);
    int n = 0;
    for (int i = 0; t && i < t->list.count; i++) n += t->list.devices[i].kind == LISTED_GPU;
    return n;
}

int device_places(const char *wish)
{
    int ends[2], n = 0;
    char *end;
    long given = strtol(wish, &end, 10);
    if (*wish >= '0' && *wish <= '9' && !*end)
        return given > 0 && given < 1 << 20 ? (int)given : -1;
    if (strcmp(wish, "all") != 0 && strcmp(wish, "gpu") != 0) return -1;
    if (pipe(ends) != 0) return 1;
    pid_t id = fork();
    if (id == 0) {
        n = count_gpus();
        _exit(write(ends[1], &n, sizeof n) != (ssize_t)sizeof n);
    }
    close(ends[1]);
    if (id < 0 || read(ends[0], &n, sizeof n) != (ssize_t)sizeof n || n < 1) n = 1;
    close(ends[0]);
    if (id > 0) waitpid(id, NULL, 0);
    return n;
}
