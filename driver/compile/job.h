/* What the stages of the pipeline read and extend: one source file on its way to what is asked for. */
#ifndef CS_DRIVER_JOB_H
#define CS_DRIVER_JOB_H

#include "../../base/arena.h"
#include "../../base/intern.h"
#include "../../base/report/diag.h"
#include "../../base/report/source.h"
#include "../../base/text.h"
#include "../../base/vec.h"
#include "../../codegen/host/host.h"
#include "../../codegen/kernel/codegen.h"
#include "../../codegen/native/native.h"
#include "../../fdag/fdag.h"
#include "../../sema/sema.h"
#include "../library.h"
#include "../options.h"
#include "schedules.h"

typedef struct Made { /* a native form, and what it is of */
    const char *text;
    CgNativeLevel level;
    bool precise;
    const bool *runs; /* which kernels have code */
    int nkernels;
    Native *native;
} Made;

typedef struct Job {
    const Options *opt;
    Arena *arena;
    Interner *names;
    Sources *sources;
    Diags *diags;
    Fd *fd;
    uint32_t file;
    Ast *unit;
    SemaResult *sema;
    VEC(HostKernel) kernels;
    NativeObjects objects; /* machine code on its way; NULL: none is made */
    VEC(Made) natives;
    size_t native_size[CG_NATIVE_LEVELS]; /* of all of them */
    const char *tuned;                    /* HostOptions.tuned */
    Schedules *schedules;                 /* --schedule; NULL: none */
    HostOptions host;
    HostModule *module;
    Text out;         /* what --emit prints */
    Library *library; /* what is to be made instead of a program, or NULL */
    int *program;     /* where the linked one goes, or NULL: into a file */
} Job;

#endif
