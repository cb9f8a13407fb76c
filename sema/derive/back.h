/* Backward mode of the host's statements: a step (change.c), all of them (back.c). */
#ifndef CS_SEMA_DERIVE_BACK_H
#define CS_SEMA_DERIVE_BACK_H

#include "host.h"

/* ---- tape.c: what turns leave to the way back ---- */

typedef struct BackLocal { /* of a turn: a variable of the program, or what it overwrote */
    const char *name;
    const Type *type;
} BackLocal;
typedef VEC(BackLocal) BackLocals;

typedef struct Tape {
    Loc loc;
    const Step *nest;         /* the outermost loop around */
    const char *name, *count; /* an array, and of how many turns it has something */
    const char *mark;         /* how many that were before the loop; NULL: none */
    Ast *each;  /* a number, the bytes of a turn, which are known in the end; NULL: nobody asks */
    Ast *most;  /* of how many turns more there may be something; NULL: that is asked in each */
    Ast *ahead; /* the block in front of the loop, which makes room for these */
    Ast *turn;  /* the block of a turn forth */
    AstList before; /* what stands in front of the loop back */
    size_t beside;  /* tapes of the same nest, which share its room */
} Tape;

/* Can all turns of a loop, and of those in it, be left on tapes? Of numbers alone, and elements of arrays that are set. */
bool tape_can(const Step *loop);
/* Does it change numbers alone, so that no log is needed? */
bool tape_needs_no_log(const Step *loop);
/* Does a branch in there change v? */
bool tape_in_branch(const Steps *steps, const Variable *v);
Tape *tape_new(Sema *s, const Step *loop);
Ast *tape_count(Sema *s, const Tape *t);
/* while (there is more than so many) body, whose first statement counts */
Ast *tape_while(Sema *s, const Tape *t, Ast *least, AstList body);

typedef struct Back {
    Sema *s;
    Normal *n;
    bool good;
    const Step *
        nest; /* what goes forth is a turn that is left on a tape: of this loop, or in it; or NULL */
    VEC(Tape *) tapes;  /* of the loops that go forth */
    const char *room;   /* how many bytes those of the outermost may have; NULL: it has none yet */
    Variables needed;   /* whose values here the way back of what was before reads */
    AstList tapes_made; /* in front of all: a loop in another's turn takes its tape each time */
    const char *
        *kept; /* of each result, what the way back leaves alone; NULL: it leaves results alone */
} Back;

/* What the way back needs of a step that was run forth. */
typedef struct Kept {
    bool ran;
    bool stateless; /* a loop: `name` is the number of its turns */
    int64_t adds;   /* an assignment that adds this to an integer which the way back reads */
    bool both;      /* a call that gives its value when it goes back */
    const char *
        name; /* of the value that an assignment overwrote, the condition, or what keeps a loop's states */
    VEC(const char *)
    old; /* of a branch or a stateless loop, beside step->keeps; NULL: nobody reads it */
    Variables needed;  /* of a branch or loop: Back.needed before it */
    Logs logs;         /* of a loop */
    Tape *tape;        /* of a loop whose turns are left on it; or NULL */
    struct Kept *turn; /* of each step of such a turn */
    Logs taped;        /* of the outermost such loop */
} Kept;

/* The statements of a turn back, behind those that take the locals which they read; a turn forth ends with what puts them
 * there. */
void tape_take(Back *b, Tape *t, const BackLocals *all, AstList stmts, AstList *out);

/* ---- back.c: parts that taped.c asks for ---- */

/* What is active, outside of a branch or loop and comes up in it has a place before it; `inner`: other such. */
void back_give_all(Back *b, AstList *out, const Step *step, Variables *inner);
void back_end_declared(const Steps *steps); /* what is declared in these steps ends with them */
/* The turn before begins with changes as this one did; frees `inner`. */
void back_level_turn(Back *b, AstList *out, const Step *step, Variables *inner);
/* Fills in *kept, which the caller frees. needs: of a loop, what the steps behind it need. Goes on with Back.needed. */
void back_forth(Back *b, AstList *out, const Step *step, Kept *kept, const Variables *needs);
void back_free(Kept *kept);
const Type *back_old_type(Sema *s,
                          const Step *step); /* of what it overwrites, as it is kept; NULL: none */
/* Has v a value at this step when it goes back that something reads? */
bool back_needs(const Back *b, const Variable *v);
/* A log of each array that is needed where the loop changes it. */
void back_log(Back *b, AstList *out, const Step *loop, Logs *logs);
/* What is needed is this for a while; gives what back_leave puts back. */
Variables back_enter(Back *b, const Variables *needed);
void back_leave(Back *b, Variables before);
void back_step(Back *b, AstList *out, const Step *step, const Kept *kept);

/* ---- taped.c ---- */

/* The turns of a loop, as far as there is room for them; the rest goes on behind. */
void taped_nest(Back *b, AstList *out, const Step *step, Kept *kept);
void taped_nest_back(Back *b, AstList *out, const Step *step, const Kept *kept);
/* A loop in such a turn: its tape goes on. */
void taped_inner(Back *b, AstList *out, const Step *step, Kept *kept);
void taped_back(Back *b, AstList *out, const Step *step, const Kept *kept);

/* ---- change.c: statements that are added to *out ---- */

void change_set(Back *b, AstList *out, Loc loc, Variable *v, Ast *value);
void change_none(Back *b, AstList *out, Loc loc, Variable *v); /* zeros, if it has none yet */
/* The variable of the same type that an assignment gives another name; NULL: it computes something. */
Variable *change_named(const Step *step);
/* Of a step whose target has a change. */
void change_assignment(Back *b, AstList *out, const Step *step);
void change_get(Back *b, AstList *out, const Step *step);
void change_put(Back *b, AstList *out, const Step *step);
/* Goes back through a call, which gives its value, too, if `both`. */
void change_call(Back *b, AstList *out, const Step *step, bool both);

/* ---- again.c: what a turn on a tape computes again ---- */

/* Can the way back of the nest compute what the step gives its target, or whether a branch is taken, once more? */
bool again_can(const Sema *s, const Step *nest, const Step *step);
/* Does so: in the statements of a turn back, of which those of step i, back, end at ends[i]. */
void again_insert(Back *b, const Step *loop, const Kept *kept, const size_t *ends, AstList *stmts);

/* ---- tape_rows.c: rows of arrays ---- */

void tape_rows_back(Back *b, AstList *out, const Step *step);

/* ---- states.c: loops that keep states ---- */

void states_forth(Back *b, AstList *out, const Step *step, Kept *kept);
/* Takes the nearest state, and goes forth from there to the turn that is next back. */
void states_take(Back *b, AstList *out, const Step *step, const Kept *kept);
Ast *states_more(Back *b, const Step *step, const Kept *kept); /* is there such a turn? */

/* ---- recorded.c: what the way back reads ---- */

/* Of an assignment of numbers: is v, which it reads, nothing that its derivative depends on? */
bool recorded_not(const Step *step, const Variables *plain, const Variable *v);
/* Adds the variables that the expression of a step reads; false: it calls functions, which read others. */
bool recorded_of_value(const Step *step, Variables *out);
/* What has to have its value in front of the steps from number `from` on, to go there and back, and to give what
 * `needs` has before: adds it there. `runs`: all of them are run, whoever needs what they give. */
void recorded_there_and_back(Sema *s, const Steps *steps, size_t from, bool runs, Variables *needs);
/* What the way back reads of the values before this step, which was run forth; `nest`: the outermost loop whose turns are
 * left on tapes, NULL: it is in none. */
void recorded_back(Sema *s, const Step *step, const Step *nest, Variables *out);
/* Is a step run forth, if `after` is needed behind it? */
bool recorded_running(const Steps *steps, size_t at, const Variables *after);
/* Does a later step write what this one declares, or a branch read it? Then it is declared, at least. */
bool recorded_place(const Steps *steps, size_t at);

/* ---- stateless.c: loops that go back without states ---- */

/* The one place that says how a loop goes back. By numbers if its turns need counters alone: nothing is kept. On a
 * tape if what its turns make are numbers: nothing runs twice. By states: what is left. Where a tape has no more room
 * the rest of the loop goes by states, too. */
typedef enum LoopWay { LOOP_BY_NUMBER, LOOP_TAPED, LOOP_BY_STATES } LoopWay;
/* What a step adds to an integer, which is so undone; 0: it does not. */
int64_t stateless_adds(const Sema *s, const Step *step);
LoopWay stateless_way(Sema *s, const Step *loop, bool taping);

/* Does a turn need nothing of what the loop changes but counters? */
bool stateless_is(Sema *s, const Step *loop);
/* How many turns such a loop has, in front of it; NULL: it has to be run, which tells, or gives what is needed. */
Ast *stateless_turns(Sema *s, const Step *loop, const Variables *needs);
/* So many turns at most, as far as the condition tells by itself, in front of the loop; NULL: it does not. */
Ast *stateless_most(Sema *s, const Step *loop);
/* Counters at the beginning of a turn: `turns` names its number, `old` what the loop's keeps were in front of it. */
void stateless_place(Sema *s, AstList *out, const Step *loop, const char *turns,
                     const char *const *old);

#endif
