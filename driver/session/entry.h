/* What is typed into a session (csc repl), from text to tree. An entry sees the declarations of those
 * before it, which are kept as sources without their statements, and their variables. */
#ifndef CS_DRIVER_ENTRY_H
#define CS_DRIVER_ENTRY_H

#include "../../base/intern.h"
#include "../../codegen/host/host.h"
#include "../options.h"

typedef struct Session Session;

Session *session_new(void);
void session_free(Session *s);
HostSession *session_host(Session *s);

typedef enum EntryState {
    ENTRY_EMPTY,    /* nothing, or comments */
    ENTRY_OPEN,     /* more lines are to come */
    ENTRY_COMPLETE, /* also with errors */
} EntryState;

/* What compile() is given as Options.entry. */
typedef struct Entry {
    Session *session;
    char name[24]; /* for messages: "[3]" */
    Text text;     /* with the semicolon that was left out */
    bool shows;    /* the value of its last statement */
    bool forced;   /* which is evaluated, a function too */
    bool made;     /* the process makes the kernels that it has none of */
    Text type;     /* of that value; empty: there is none */
    /* what it declares */
    Text declarations; /* its text with blanks for the rest; empty: nothing */
    VEC(char *) names; /* of classes, enums, aliases and functions */
} Entry;

/* Begins an entry; o: for the folders of modules. */
EntryState entry_begin(Entry *e, Session *s, const char *text, const Options *o);
void entry_end(Entry *e);
/* Within compile(): the tree, with the variables that the entry may use; and what is known of it. */
Ast *entry_parse(Entry *e, const Options *o, Sources *sources, uint32_t file, Diags *diags,
                 Interner *names, Arena *arena);
void entry_checked(Entry *e, const SemaResult *r);

/* Has a file changed that entries use? Its classes may be others than the process has. Asked once. */
bool session_take_change(Session *s);

/* Its declarations and variables are the session's from now on. */
void entry_keep(Entry *e);
/* Does it declare what the type of a variable mentions? Then that variable goes. */
bool entry_hides(const Entry *e, const HostVariable *v);

/* All as one program in which `text` comes last, for who asks what could be written there. */
void session_text(const Session *s, Text *out);
/* Names of variables with their types, in order of declaration. */
int session_variables(const Session *s, const HostVariable **out);

#endif
