/* Composing: one evaluation needs the graphs of all lazy values below it as one graph whose slots
 * are arrays and scalars. What was composed is kept under a signature (which graphs, which captures
 * coincide), so an expression evaluated again in a loop is neither composed nor looked up by key
 * again. */
#ifndef CS_RUNTIME_COMPOSE_H
#define CS_RUNTIME_COMPOSE_H

#include "../../../base/vec.h"
#include "../../reference/ref.h"
#include "../lazy/lazy.h"

typedef struct Composed {
    struct Composed *next; /* in its bucket */
    uint64_t hash, used;   /* used: when last */
    uint64_t *words;       /* the signature */
    size_t nwords;
    int busy; /* evaluations under way */

    const Graph *of; /* what it began with */
    Fd *fd;          /* its own: holds nodes, order */
    FdGraph graph;
    FdOrder order;
    FdKey key;
    bool cheap; /* no reductions, calls or transcendental functions */
    bool reduces;
    bool recurs;       /* has a recurrence */
    bool simple;       /* small.h: of operations that the interpreter does as kernels do */
    bool may_be_empty; /* has reductions without identity */
    bool steady;       /* whatever its numbers are, ranges that are known beforehand are right */
    bool *asked;       /* scalar slots on whose values ranges depend */
    double work;       /* of an element; 0: it depends on the ranges of reductions */
    FdPays pays;       /* of several results; once somebody asked */
    const FdNode *infinite; /* a reduction over all values of a type, or NULL */
    Ref *ref;               /* for interpretation, once needed */
    struct Kernel *kernel;  /* for devices, once needed */
    struct Kernel *native;  /* in the program as machine code, once looked for; NULL: not there */
    bool looked;
    bool exact;            /* computes no reals */
    struct Recalled *last; /* recall.h.. */
    uint8_t stiff;         /* ..and times in a row that other numbers launched something else.. */
    uint64_t tried;        /* ..the last at so many evaluations.. */
    bool shifts;           /* ..and arrays of many ranges come, one after the other */
    struct Repeat *repeat; /* repeat.h, once somebody asked; NULL: it is none */
    bool asked_repeat;
    uint64_t explained; /* the way in which CS_DUMP=ranks has said that it is divided; 0: none */
} Composed;

typedef VEC(RtLeaf) RtLeaves;

enum { PLAN_LINES = 256 };

/* Of CS_DUMP=plan: the lines of the statements that one launch evaluates; n 0: what it is was told. inner: bits of those
 * that have no result. */
typedef struct PlanLines {
    int n, line[PLAN_LINES];
    uint64_t inner;
} PlanLines;

/* One evaluation: the composed graph and the values of its slots. */
typedef struct Evaluation {
    Composed *composed;
    RtLeaves leaves;   /* by slot number of the composed graph; borrowed */
    int nclosures;     /* among them: only the reference executor calls these */
    VEC(Lazy *) views; /* what stands for closures instead; ours */
    Lazy *lazy;        /* what is evaluated, if that may be held back (hold.h) */
    Array *into;       /* what gets the values (FdResult.part); NULL: it has a buffer of its own */
    bool near;         /* only by kernels that keep temporaries near */
    /* Of each result that is lent an array that nobody asks for any more, whose memory it takes if the
     * kernels can do it (CgLaunch.over); NULL: of none, or none */
    Array *const *donors;
    const PlanLines *lines; /* NULL: that of its site */
} Evaluation;

enum { TURNING_MOST = 8 }; /* scalars that have another value in each turn */

/* What is composed are three turns of a loop, the second of which stands for so many (FdGraph.turns). */
typedef struct Turning {
    int64_t turns;
    int n;
    struct {
        const CsValue *captures; /* of the turn that is composed as the second.. */
        int slot;
        const FdType *type;
        int place;     /* among the scalars of a turn, as they are walked over */
        Array *values; /* ..and what is there in each turn, ours */
    } moving[TURNING_MOST];
} Turning;

/* Finds or makes the composition of `root`, a node of g. Lazy captures that are better evaluated on
 * their own are evaluated first. False with OutOfMemoryException pending: then there is nothing to
 * end. */
bool compose(Evaluation *e, Graph *g, const FdNode *root, const CsValue *captures,
             const CsSite *site);
/* As compose, of all of g, if it was composed so before and its captures are arrays and scalars, none of which is held
 * back. Else false: there is nothing to end. */
bool compose_plainly(Evaluation *e, Graph *g, const CsValue *captures);
/* Replaces e by the composition of the same, after closures got views (closure.h). */
bool compose_again(Evaluation *e, Graph *g, const CsValue *captures, const CsSite *site);
/* The same of all of g, where arrays stand for functions of the host as far as possible (views.c).
 * False with an exception pending; to be ended in any case. */
bool compose_all(Evaluation *e, Graph *g, const CsValue *captures, const CsSite *site);
/* Of all of g, by which no value below it counts as composed until plain_count is called: perhaps it is
 * evaluated otherwise. As compose. */
bool compose_trial(Evaluation *e, Graph *g, const CsValue *captures, const CsSite *site);
/* Of what was held back; several: with the steps before it (hold.h); turning: that are these, or NULL. */
bool compose_steps(Evaluation *e, const Lazy *l, bool several, const Turning *turning,
                   const CsSite *site);
/* Of a scalar with the array that it is made of and that is held back, which is a result, too. */
bool compose_kept(Evaluation *e, Graph *g, const CsValue *captures, const CsSite *site);
/* Of several functions, all of each a result; steps: of a loop; turning: as compose_steps. False with an exception
 * pending. */
bool compose_joined(Evaluation *e, int n, Lazy *const *functions, bool steps,
                    const Turning *turning, const CsSite *site);
void compose_end(Evaluation *e);
void compose_used(Composed *c); /* by an evaluation that has no Evaluation */
/* The evaluation's interpreter, with what it reads for this box (NULL: all) at hand. NULL with an
 * exception pending; to be given back. */
Ref *compose_ref(Evaluation *e, const FdBox *box, const CsSite *site);
void compose_ref_end(Evaluation *e, Ref *r);
void evals_free(void);
/* For ranks to compare (note.c). */
void note_evaluation(const Evaluation *e);

/* The value of a closed scalar node of g, interpreted. False with an exception pending. */
bool compose_scalar(Graph *g, const FdNode *n, const CsValue *captures, const CsSite *site,
                    ScalarValue *out);

/* All of a lazy value: evaluates it if that was not done. NULL with an exception pending. (eval.c)
 */
Array *eval_lazy(Lazy *l, const CsSite *site);
/* The same into n buffers, one a result, of `count` elements, by kernels alone.
 * False with an exception pending, or without one: no kernel can do it, or an interpreter better. */
bool eval_on_device(Evaluation *e, int n, Buffer *const *results, int64_t count,
                    const CsSite *site);
/* What was held back of l, into its buffer; `whole`: only by a kernel that keeps temporaries near, else
 * false without an exception; turning: as compose_steps. */
bool eval_held(const Lazy *l, Buffer *b, bool whole, const Turning *turning, const CsSite *site);
/* The value of a scalar graph; out: one value a leaf of a record. False with an exception pending.
 */
bool eval_scalar(Graph *g, const CsValue *captures, const CsSite *site, ScalarValue *out);

#endif
