/* Sessions (csc repl): each entry is an object of its own in one process, which cs_session loads. What
 * entries have in common (variables, static fields, descriptors of classes) they share by name. */
#ifndef CS_CODEGEN_ABI_SESSION_H
#define CS_CODEGEN_ABI_SESSION_H

#include "csrt.h"

typedef struct CsVariable {
    const char *name, *type; /* as the user writes them */
    void *at;
    int64_t bytes;
    int32_t elem; /* of a value: a ScalarKind or CS_ELEM_RECORD + i; CS_ELEM_REF: a reference */
} CsVariable;

/* The symbol cs_entry of an entry's object. */
typedef struct CsEntry {
    const CsProgram *program;
    int32_t (*run)(void);
    int32_t ncarried, nmade;
    const CsVariable *carried, *made; /* variables of earlier entries, and new ones */
} CsEntry;

#define CS_ENTRY "cs_entry"
#define CS_SHOWN "$shown" /* the variable whose value is printed */
#define CS_LAST "_"       /* the one that keeps it for later entries */

/* What csc and the process say to each other on the socket that is descriptor CS_SESSION_SOCKET of the
 * process: csc sends an object's file with a CsSessionAsk, and gets a CsSessionTell. */
enum { CS_SESSION_SOCKET = 3 };
typedef enum CsSessionAsk {
    CS_SESSION_RUN = 'r',
    CS_SESSION_TIME = 't',
    CS_SESSION_AGAIN = 'a' /* as before, without what it prints */
} CsSessionAsk;
typedef enum CsSessionTell {
    CS_SESSION_DONE = 'd',
    CS_SESSION_DONE_MAKES = 'm', /* done; kernels that an entry has none of are made when it runs */
    CS_SESSION_FAILED = 'f'      /* an exception, which has been printed */
} CsSessionTell;

#endif
