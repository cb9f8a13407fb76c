/* Shared by the files of the reader: its state, and tokens of the text form. Errors stick:
 * after the first nothing is read, and every function gives a harmless value. */
#ifndef CS_FDAG_READER_H
#define CS_FDAG_READER_H

#include "../internal.h"

enum { MAX_NUMBER = 1 << 30 /* of a %node */ };

typedef struct Reader {
    Fd *fd;
    const char *p; /* what is left */
    int line;
    const char *error;
    FdiNodes *nodes; /* by number; of the graph, or of the user function being read */
    FdiNodes graph_nodes;
    VEC(FdSlot) slots;
    VEC(FdAgree) agrees;
    VEC(FdResult) results;
    const char *hints;
    const FdNode *turns;
    VEC(FdMoving) moving;
    bool in_user;
} Reader;

void rd_fail(Reader *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool rd_at_end(Reader *r);    /* is the rest of the line blank or a comment? */
bool rd_next_line(Reader *r); /* to the next line that holds something; false at the end */
void rd_end_line(Reader *r);  /* the line must end here */
void rd_skip_space(Reader *r);
bool rd_accept(Reader *r, const char *s); /* a word or sign, if it comes next */
bool rd_expect(Reader *r, const char *s);
long rd_number(Reader *r, long limit);       /* below limit */
const char *rd_word(Reader *r);              /* in the arena, "" after an error */
const char *rd_string(Reader *r);            /* in the arena */
FdLoc rd_loc(Reader *r);                     /* zeros if there is none */
const FdType *rd_type(Reader *r, int depth); /* depth 0; never NULL */
const FdNode *rd_ref(Reader *r);             /* NULL after an error */
FdOp rd_op_name(Reader *r);                  /* "@add" */

/* read_value.c. ": type", NULL after an error; a constant and its type behind it; a constant of a type, of
 * records its fields' in parentheses. */
const FdType *rd_typed(Reader *r);
const FdNode *rd_const(Reader *r);
const FdNode *rd_value(Reader *r, const FdType *t);

/* read_block.c. Statements up to the line that begins with "}", which stays current. */
FdStmt *rd_block(Reader *r, int depth);

#endif
