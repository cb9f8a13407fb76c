/* csc profile: a table of evaluations with their kernels, on standard error behind what the program writes. */
#include "profile.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../base/system/process.h"
#include "../compile/compile.h"
#include "../message.h"
#include "../page/page.h"
#include "peak.h"
#include "report.h"

static int given(void *program)
{
    return *(int *)program;
}

static double rate(double count, double ns)
{
    return ns > 0 ? count / ns : 0;
}

/* Caches may serve more than memory's peak: what is at it is at it. */
static double share(double reached, double peak)
{
    return peak > 0 ? fmin(100, 100 * reached / peak) : 0;
}

static void print_evaluation(const Report *r, const ReportEvaluation *e, const Peak *peak)
{
    char place[256];
    double flops = rate(e->operations, e->ns), bytes = rate(e->bytes, e->ns);
    snprintf(place, sizeof place, "%s:%d:%d%s", e->file, e->line, e->column,
             e->native ? ", native" : "");
    fprintf(stderr, "%-44s %8.0f %11.3f %5.1f %9.2f %5.0f %9.2f %5.0f\n", place, e->calls,
            e->ns * 1e-6, r->ns > 0 ? 100 * e->ns / r->ns : 0, flops, share(flops, peak->gflops),
            bytes, share(bytes, peak->gbytes));
    for (size_t k = 0; k < e->kernels.len; k++) {
        const ReportKernel *n = &e->kernels.data[k];
        double moved = rate(n->bytes, n->ns);
        fprintf(stderr, "  %-42s %8.0f %11.3f %5.1f %9s %5s %9.2f %5.0f\n", n->name, n->calls,
                n->ns * 1e-6, r->ns > 0 ? 100 * n->ns / r->ns : 0, "", "", moved,
                share(moved, peak->gbytes));
    }
}

/* For tools: an object a line for each evaluation, and one of the whole. */
static void print_json(const Report *r, const Peak *peak, double ms)
{
    for (size_t i = 0; i < r->evaluations.len; i++) {
        const ReportEvaluation *e = &r->evaluations.data[i];
        json_t *kernels = json_array(), *line;
        for (size_t k = 0; k < e->kernels.len; k++) {
            const ReportKernel *n = &e->kernels.data[k];
            json_array_append_new(kernels,
                                  json_pack("{s:s, s:f, s:f, s:f}", "kernel", n->name, "calls",
                                            n->calls, "ns", n->ns, "bytes", n->bytes));
        }
        line = json_pack("{s:s, s:i, s:i, s:b, s:f, s:f, s:f, s:f, s:o}", "file", e->file, "line",
                         e->line, "column", e->column, "native", e->native, "calls", e->calls, "ns",
                         e->ns, "bytes", e->bytes, "operations", e->operations, "kernels", kernels);
        json_dumpf(line, stderr, JSON_REAL_PRECISION(9));
        fputc('\n', stderr);
        json_decref(line);
    }
    json_t *whole = json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "ms", ms, "kernels_ns", r->ns,
                              "builds", r->builds, "building_ns", r->building, "peak_gflops",
                              peak->gflops, "peak_gbytes", peak->gbytes);
    json_dumpf(whole, stderr, JSON_REAL_PRECISION(9));
    fputc('\n', stderr);
    json_decref(whole);
}

static void print_table(const Report *r, const Peak *peak, double ms)
{
    fprintf(stderr, "%-44s %8s %11s %5s %9s %5s %9s %5s\n", "kernel", "calls", "ms", "%", "GFLOP/s",
            "%peak", "GB/s", "%peak");
    for (size_t i = 0; i < r->evaluations.len; i++)
        print_evaluation(r, &r->evaluations.data[i], peak);
    fprintf(stderr, "%-44s %8.0f %11.3f\n", "building", r->builds, r->building * 1e-6);
    fprintf(stderr,
            "kernels %.3f ms of %.3f ms; peaks of the processor, measured: %.1f GFLOP/s (float), "
            "%.1f GB/s (copy)\n",
            r->ns * 1e-6, ms, peak->gflops, peak->gbytes);
}

int profile(const Options *o)
{
    int program;
    if (!compile(o, &program)) return 1;
    Arena *a = arena_new();
    Report r;
    ChildEnd end;
    Child c = {.program = given, .ctx = &program, .argv = o->arguments, .shows = true};
    bool told = report_run(&c, a, o->html != NULL, &end, &r);
    int code = end.started ? process_exit_code(end.status) : 1;
    if (!told) complain("the program told nothing of its kernels");
    Peak peak = told ? peak_measure() : (Peak){0};
    if (told && o->html) {
        const Page page = {.options = o, .report = &r, .peak = peak, .ms = end.ms};
        if (!page_write(&page, o->html) && code == 0) code = 1;
    } else if (told) {
        (o->json ? print_json : print_table)(&r, &peak, end.ms);
    }
    report_free(&r);
    child_end_free(&end);
    arena_free(a);
    close(program);
    return code;
}
