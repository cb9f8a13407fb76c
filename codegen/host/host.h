/* Host code: the annotated AST to LLVM IR through LLVM's C API, to text, assembly or an object
 * file. */
#ifndef CS_CODEGEN_HOST_H
#define CS_CODEGEN_HOST_H

#include <stdbool.h>

#include "../../base/text.h"
#include "../../sema/sema.h"
#include "../kernel/codegen.h"

typedef struct Objects Objects; /* codegen/llvm/objects.h */

/* What the objects of a session (csc repl) have in common: numbers that go by names, which are the same
 * in each, and its variables. */
typedef struct HostSession HostSession;

HostSession *host_session_new(void);
void host_session_free(HostSession *s);

typedef struct HostVariable {
    const char *name, *type; /* the type as it is written */
} HostVariable;
int host_session_variables(const HostSession *s, const HostVariable **out);
/* What the newest module declares becomes variables of the session (in place of those of the same
 * names), or is forgotten. */
void host_session_keep(HostSession *s);
void host_session_forget(HostSession *s);
/* Variables that mention a name in their types are gone; NULL: all. */
void host_session_drop(HostSession *s, const char *type);

typedef struct HostKernel { /* an embedded kernel text */
    FdKey key;              /* cg_key */
    const char *text;
    int nfunctions; /* of these: their names by level, NULL: there is none */
    const char *const *code[CG_NATIVE_LEVELS];
} HostKernel;

typedef struct HostOptions {
    int opt_level;       /* -O0 .. -O3 */
    bool debug;          /* -g: line tables and variables */
    const char *program; /* name for messages */
    const char *library; /* what the names of a library's functions begin with; NULL: a program */
    CgOptions cg;
    const char *tuned;    /* lines for cg_tuned_find, or NULL */
    const char *compiler; /* CsProgram.compiler */
    bool stops;           /* loops look for ^C */
    HostSession *session; /* an entry of it: an object that cs_session loads; NULL: a program */
    bool process;         /* the process itself, which runs entries */
    Objects *objects;     /* the native kernels, and where objects are kept; NULL: neither */
} HostOptions;

typedef struct HostModule HostModule; /* a module made and optimised; owns its LLVM context */

/* Never fails on a unit that sema accepted: internal errors abort. */
HostModule *host_build(const SemaResult *sema, const Sources *sources, const HostKernel *kernels,
                       int nkernels, const HostOptions *options);
void host_free(HostModule *m);

void host_print_llvm(Text *out, const HostModule *m);
/* The target's assembly as text, and an object file as bytes. */
void host_print_asm(Text *out, HostModule *m);
void host_print_object(Text *out, HostModule *m);

/* library/header.c: the C header of a library. */
void host_print_header(Text *out, const HostModule *m);
/* library/python.c: its Python module, which loads the file beside it. */
void host_print_python(Text *out, const HostModule *m, const char *file);
/* Functions of overloads have numbers behind their names. */
const char *host_export_name(const HostModule *m, int function);
const char *host_library_name(const HostModule *m); /* HostOptions.library */

typedef enum HostLinked {
    HOST_LINK_PROGRAM,
    HOST_LINK_SHARED,
    HOST_LINK_ARCHIVE,
    HOST_LINK_PROCESS, /* a program whose runtime is for the entries that it loads */
    HOST_LINK_ENTRY
} HostLinked;

/* link.c. Links the module with the runtime library into a program or library; `verbose` prints the
 * command. Returns a descriptor to read it from, whose file has no name any more, or -1 with *error
 * (malloc'ed). */
int host_link(HostModule *m, HostLinked kind, const char *library, bool verbose, char **error);

#endif
