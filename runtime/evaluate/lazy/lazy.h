/* Lazy functional values: graphs with the values of their slots, their domains, and what is known
 * about a graph that decides when values are evaluated. */
#ifndef CS_RUNTIME_LAZY_H
#define CS_RUNTIME_LAZY_H

#include "../../value.h"

struct Graph {
    FdGraph *fd;
    const struct Graph *of; /* the program's, of whose function it gives a part (restrict.c) */
    uint32_t serial;        /* numbers graphs from 1 */
    bool expensive;         /* reductions, gathers, transcendental functions, calls */
    bool recurs;            /* has a recurrence */
    bool reduces;           /* fd_elements_reduce */
    bool wide; /* reduces over ranges that are no numbers: of each row it reads all others */
    bool
        neighbours; /* reads other rows than its own and those that all rows read, or asks where it is */
    int nodes;      /* how large it is */
    struct Graph *applied; /* of what it gives, its parameters as slots; NULL: not made */
    struct Domain *domain; /* domain.c: its last ones; NULL: none.. */
    uint8_t misses;        /* ..and how often in a row it was none of them */
    struct Plain *plain;   /* plain.c: how it was composed last; NULL: never so */
    uint16_t *points;      /* one a slot: at how many different points an element reads it */
    uint8_t refused; /* slice.c: times in a row that its values could not go where they belong */
    uint64_t hides_nothing; /* ahead_hidden.c, of a group: for captures with this hash */
    struct Ahead *ahead; /* ahead.c, the same: its evaluations, one at a time; NULL: none was.. */
    uint64_t dying; /* ..and slots, as bits: a variable gives its array up, and gets a result */
    /* hold.c, of what is a step of a loop */
    double work;    /* bytes that it went through */
    uint16_t most;  /* so many at a time are kernels' to do well; 0: not known */
    bool is_long;   /* its loop is */
    bool embedded;  /* csc wrote it into the program */
    bool foreseen;  /* the program has a kernel of turns of its loop.. */
    uint8_t period; /* ..that are so many arrays each; 0: csc does not know.. */
    uint8_t whole;  /* ..of which so many are more than one with some elements set.. */
    bool ends_turn; /* ..and its array is the last */
    bool apart;     /* there was no kernel of several.. */
    bool one_way;   /* ..nor one of steps and what goes back through them */
    uint16_t turns; /* at most so many by one text for any number; 0: not known.. */
    uint8_t odd;    /* ..and batches in a row that were no turns */
    uint64_t sizes; /* bits: so many that begin with it are one kernel */
    uint8_t alone;  /* evaluations that somebody looked at before there was a next */
    uint8_t told;   /* times that the next evaluation was a scalar made of it */
};

Graph *graph_of(CsGraph *g, const CsSite *site); /* parses the text once; NULL: no memory */
Graph *graph_adopt(FdGraph *fd); /* of rt_fd(), within mem_try; for graphs of the runtime itself */
/* A value of type t (of rt_fd()) as slots of g from its last on, one a scalar; there is room. */
const FdNode *graph_add_slots(FdGraph *g, const FdType *t, const char *name);
void graph_range_asks(const FdDom *d, bool *asked); /* marks the scalar slots on which it depends */
void graphs_free(void);

/* A lazy value, its domain evaluated and agreements checked. NULL with an exception pending. */
Lazy *lazy_new(Graph *g, const CsValue *captures, const CsSite *site);
/* Its domain alone, of a value that is composed but not made. */
bool lazy_range(Graph *g, const CsValue *captures, const CsSite *site, FdBox *box);
/* The checks alone, for scalar roots. */
bool lazy_check(Graph *g, const CsValue *captures, const CsSite *site);
/* The array that a captured value is: itself, or a lazy value's result; else NULL. */
static inline Array *lazy_array(void *fn)
{
    CsHead *h = fn;
    if (h->kind == CS_ARRAY) return fn;
    return h->kind == CS_LAZY ? ((Lazy *)fn)->result : NULL;
}
/* Is all of it, or of a box, an array that could be made? */
bool lazy_finite(const Lazy *l);
bool lazy_fits(const FdBox *box, int64_t *count); /* which has so many elements */

/* A native function of the program, by name; NULL if there is none. */
const CsNative *rt_native_find(const char *name);

#endif
