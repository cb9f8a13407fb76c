/* A csc --serve with faults, for tests/serve.sh: BADSERVE=FAULT[N] in place of CS_JIT's csc, which is BADSERVE_CSC.
 *   dieN   ends before it answers message N (0: the greeting)
 *   cutN   sends half of answer N and ends
 *   stopN  does not answer message N, and waits
 *   slowN  answers message N after two seconds
 *   flipS  changes a bit of each answer of code, by the seed S
 *   longN  says that answer N has 2^40 bytes */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../../codegen/abi/serve.h"

static void all(int fd, void *bytes, size_t n, int out)
{
    for (char *p = bytes; n > 0;) {
        ssize_t done = out ? write(fd, p, n) : read(fd, p, n);
        if (done <= 0) _exit(0);
        p += done;
        n -= (size_t)done;
    }
}

/* The real one, behind a socket. */
static int start(const char *csc)
{
    int pair[2];
    if (!csc || socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) _exit(1);
    if (fork() == 0) {
        dup2(pair[1], 0);
        close(pair[0]);
        close(pair[1]);
        execl(csc, "csc", "--serve", (char *)NULL);
        _exit(1);
    }
    close(pair[1]);
    return pair[0];
}

static char *body_of(int fd, ServeHead *head)
{
    all(fd, head, sizeof *head, 0);
    char *body = malloc(head->bytes + 1);
    if (!body) _exit(1);
    all(fd, body, head->bytes, 0);
    return body;
}

int main(void)
{
    const char *fault = getenv("BADSERVE");
    char word[8] = "", line[] = "started\n";
    unsigned number = 0;
    if (!fault || sscanf(fault, "%7[a-z]%u", word, &number) != 2) return 1;
    const char *started = getenv("BADSERVE_STARTED"); /* a file that says so, in a line each time */
    int note = started ? open(started, O_WRONLY | O_CREAT | O_APPEND, 0666) : -1;
    if (note >= 0) all(note, line, sizeof line - 1, 1);
    int csc = start(getenv("BADSERVE_CSC"));
    srand(number);
    for (unsigned message = 0;; message++) {
        ServeHead head;
        char *body = body_of(0, &head);
        all(csc, &head, sizeof head, 1);
        all(csc, body, head.bytes, 1);
        free(body);
        body = body_of(csc, &head);
        int here = message == number;
        if (here && strcmp(word, "die") == 0) return 0;
        if (here && strcmp(word, "stop") == 0) sleep(SERVE_SECONDS + 10);
        if (here && strcmp(word, "slow") == 0) sleep(2);
        size_t bytes = head.bytes;
        if (strcmp(word, "flip") == 0 && head.kind == SERVE_CODE && bytes)
            body[(size_t)rand() % bytes] ^= (char)(1 << rand() % 8);
        if (here && strcmp(word, "long") == 0) head.bytes = UINT64_C(1) << 40;
        all(0, &head, sizeof head, 1);
        if (here && strcmp(word, "cut") == 0) bytes /= 2;
        all(0, body, bytes, 1);
        if (here && strcmp(word, "cut") == 0) return 0;
        free(body);
    }
}
