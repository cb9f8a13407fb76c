/* What a program that ran with CS_PROFILE=FILE tells of its evaluations. */
#ifndef CS_DRIVER_REPORT_H
#define CS_DRIVER_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "../../base/arena.h"
#include "../../base/vec.h"
#include "../run/child.h"

typedef struct ReportKernel {
    const char *name;
    double calls, ns, least, bytes; /* least: of a call */
} ReportKernel;

typedef struct ReportEvaluation {
    const char *key, *family, *file, *hints, *set, *parameters;
    int line, column;
    bool native;
    const char *opencl; /* its text */
    double calls, ns, bytes, operations;
    VEC(ReportKernel) kernels;
} ReportEvaluation;

typedef struct ReportSpan {
    const char *name, *at; /* at: of a kernel, file:line:column of its evaluation, else "" */
    int track;             /* 1: the host, 2: native kernels, 3: the device */
    double from, ms;
} ReportSpan;

typedef struct Report {
    VEC(ReportEvaluation) evaluations; /* the longest first */
    double ns, builds, building;
    VEC(ReportSpan) spans; /* by their begin */
} Report;

/* Runs a program, which writes its report, with the spans of its trace if they are asked for; texts are in the
 * arena. False: it wrote none. */
bool report_run(const Child *c, Arena *a, bool traced, ChildEnd *end, Report *r);
void report_free(Report *r);
/* The least that a call takes, of all its kernels. */
double report_least(const ReportEvaluation *e);

#endif
