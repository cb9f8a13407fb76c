/* A word to who waits at a terminal while kernels are built for more than a second. */
#ifndef CS_RUNTIME_NOTICE_H
#define CS_RUNTIME_NOTICE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Notice {
    pthread_mutex_t lock;
    pthread_cond_t over;
    pthread_t thread;
    int64_t wait; /* ns */
    bool running, done, said;
} Notice;

/* Begins to wait if standard error is a terminal. `spent`: ns that earlier builds took. */
void notice_begin(Notice *n, int64_t spent);
void notice_end(Notice *n);

#endif
