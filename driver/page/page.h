/* The report of csc profile --html: one file with all that it shows. Well-formed as XML, too. */
#ifndef CS_DRIVER_PAGE_H
#define CS_DRIVER_PAGE_H

#include <stdbool.h>

#include "../measure/peak.h"
#include "../measure/report.h"
#include "../options.h"

typedef struct Page {
    const Options *options;
    const Report *report;
    Peak peak;
    double ms; /* what the program took, all in all */
} Page;

bool page_write(const Page *p, const char *path); /* false after a message */

/* ---- parts of it, appended to `out` ---- */

extern const char page_frame[]; /* page.html: head, style, script; @@ where the rest is */

enum { PAGE_COLOURS = 8 }; /* of evaluations; later ones are grey */

/* The class of an evaluation's colour, "c0" .. "c7" or "grey". */
const char *page_colour(size_t evaluation, char room[8]);
void page_text(Text *out, const char *text, size_t len); /* what is special in HTML escaped */
void page_place(Text *out, const ReportEvaluation *e);   /* file:line:column */

/* charts.c: SVG. */
void page_roofline(Text *out, const Page *p);
void page_timeline(Text *out, const Page *p);

/* listing.c: the source of what was evaluated, and the kernels beside it. */
void page_listing(Text *out, const Page *p);

#endif
