/* Exceptions that go from rank to rank. What is sent has room of its own, for memory may be what is out. */
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "ranks.h"
#include "transport.h"

enum { TEXT = 1 << 14 };

typedef struct Sent {
    RtError kind;
    bool object,
        message; /* an object of the program's own; has it a message, or a number of bytes? */
    int nframes, more;
    uint64_t bytes;
    int32_t line[RT_MAX_FRAMES], col[RT_MAX_FRAMES];
    size_t len;
    char text[TEXT]; /* the message, then of each frame function and file, each with a NUL */
} Sent;

struct RankFault ranks_own_fault(void)
{
    struct RankFault f = {UINT64_MAX, UINT64_MAX, UINT64_MAX, (uint32_t)rt.ranks.rank, 0};
    if (!cs_pending) return f;
    char room[64];
    const char *type, *message;
    error_told(&type, &message, room);
    f.evaluation = rt.error.evaluation;
    f.site = rt.error.node;
    f.index = rt.error.index;
    f.hash = (uint32_t)(XXH3_64bits(type, strlen(type)) ^ XXH3_64bits(message, strlen(message)));
    return f;
}

/* False: it is full. */
static bool put(Sent *s, const char *text)
{
    size_t n = strlen(text) + 1;
    if (s->len + n > TEXT) return false;
    memcpy(s->text + s->len, text, n);
    s->len += n;
    return true;
}

static void pack(Sent *s)
{
    char room[64];
    const char *type, *message;
    error_told(&type, &message, room);
    *s = (Sent){.kind = rt.error.kind,
                .object = rt.error.object != NULL,
                .message = rt.error.message.data || rt.error.kind != RT_MEMORY,
                .more = rt.error.more,
                .bytes = rt.error.bytes};
    if (!put(s, message)) put(s, "");
    for (int i = 0; i < rt.error.nframes; i++) {
        const CsSite *f = &rt.error.frames[i];
        size_t before = s->len;
        if (!put(s, f->function) || !put(s, f->file)) {
            s->len = before;
            s->more += rt.error.nframes - i;
            break;
        }
        s->line[i] = f->line;
        s->col[i] = f->col;
        s->nframes++;
    }
}

typedef struct Name {
    const char *text, *kept;
} Name;

static void keep(void *name)
{
    Name *n = name;
    Interner *names = rt.error.names ? rt.error.names : interner_new();
    rt.error.names = names;
    n->kept = intern(names, n->text, strlen(n->text));
}

/* The text at *at, kept; *at moves behind it. */
static const char *next_name(const char **at)
{
    Name n = {*at, "?"};
    *at += strlen(*at) + 1;
    mem_try(keep, &n);
    return n.kept;
}

static void unpack(const Sent *s)
{
    const char *at = s->text;
    error_forget();
    if (s->message)
        rt_throw(s->kind, NULL, "%s", at);
    else
        rt_throw_memory(NULL, s->bytes);
    at += strlen(at) + 1;
    for (int i = 0; i < s->nframes; i++) {
        CsSite *f = &rt.error.frames[i];
        f->function = next_name(&at);
        f->file = next_name(&at);
        f->line = s->line[i];
        f->col = s->col[i];
    }
    rt.error.nframes = s->nframes;
    rt.error.more = s->more;
}

void ranks_share_fault(int from)
{
    static Sent sent;
    bool mine = rt.ranks.rank == from;
    if (mine) pack(&sent);
    rt.ranks.by->broadcast(from, &sent, offsetof(Sent, text));
    rt.ranks.by->broadcast(from, sent.text, sent.len);
    if (mine) return;
    if (!sent.object) {
        unpack(&sent);
        return;
    }
    if (rt.error.object && cs_pending) return; /* this rank has one of its own */
    fprintf(stderr, "rank %d of %d has no exception where rank %d throws: %s\n", rt.ranks.rank,
            rt.ranks.size, from, sent.text);
    rt.ranks.by->give_up(1);
}
