/* The page as a whole: figures, the table of evaluations, and what the other files draw (page.h). */
#include "page.h"

#include <math.h>
#include <string.h>
#include <time.h>

#include "../message.h"
#include "../write.h"

const char *page_colour(size_t evaluation, char room[8])
{
    if (evaluation >= PAGE_COLOURS) return "grey";
    snprintf(room, 8, "c%d", (int)evaluation);
    return room;
}

void page_text(Text *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '<')
            text_add(out, "&lt;");
        else if (c == '>')
            text_add(out, "&gt;");
        else if (c == '&')
            text_add(out, "&amp;");
        else if (c == '"')
            text_add(out, "&quot;");
        else if (c >= ' ' || c == '\n' || c == '\t')
            text_addn(out, text + i, 1);
    }
}

void page_place(Text *out, const ReportEvaluation *e)
{
    page_text(out, e->file, strlen(e->file));
    text_printf(out, ":%d:%d", e->line, e->column);
}

static double rate(double count, double ns)
{
    return ns > 0 ? count / ns : 0;
}

static double percent(double part, double all)
{
    return all > 0 ? 100 * part / all : 0;
}

static void add_figure(Text *out, const char *what, const char *unit, double value, int digits)
{
    text_printf(out, "<div><b>%.*f<small> %s</small></b><span>%s</span></div>\n", digits, value,
                unit, what);
}

static void add_figures(Text *out, const Page *p)
{
    char builds[64];
    snprintf(builds, sizeof builds, "building %.0f program%s", p->report->builds,
             p->report->builds == 1 ? "" : "s");
    text_add(out, "<div class=\"figures\">\n");
    add_figure(out, "the program", "ms", p->ms, 0);
    add_figure(out, "in kernels", "ms", p->report->ns * 1e-6, 1);
    add_figure(out, builds, "ms", p->report->building * 1e-6, 0);
    add_figure(out, "peak of the processor, floats", "GFLOP/s", p->peak.gflops, 1);
    add_figure(out, "peak of the memory, a copy", "GB/s", p->peak.gbytes, 1);
    text_add(out, "</div>\n");
}

/* A row's numbers; operations below 0: they are not known. */
static void add_cells(Text *out, const Page *p, double calls, double ns, double operations,
                      double bytes)
{
    double share = percent(ns, p->report->ns), flops = rate(operations, ns), gb = rate(bytes, ns);
    text_printf(out,
                "<td>%.0f</td><td>%.3f</td><td class=\"share\"><i style=\"width:%.1f%%\"></i>"
                "%.1f %%</td>",
                calls, ns * 1e-6, share, share);
    if (operations < 0)
        text_add(out, "<td></td><td></td>");
    else
        text_printf(out, "<td>%.2f</td><td>%.0f %%</td>", flops, percent(flops, p->peak.gflops));
    text_printf(out, "<td>%.2f</td><td>%.0f %%</td></tr>\n", gb, percent(gb, p->peak.gbytes));
}

static void add_table(Text *out, const Page *p)
{
    const Report *r = p->report;
    text_add(out, "<h2>Evaluations and their kernels</h2>\n<table>\n<tr><th>place</th><th>calls"
                  "</th><th>ms</th><th>of all</th><th>GFLOP/s</th><th>of the peak</th>"
                  "<th>GB/s</th><th>of the peak</th></tr>\n");
    for (size_t i = 0; i < r->evaluations.len; i++) {
        const ReportEvaluation *e = &r->evaluations.data[i];
        char room[8];
        text_printf(out, "<tr class=\"evaluation\"><td><a href=\"#e%d\"><s class=\"%s\"></s>",
                    (int)i, page_colour(i, room));
        page_place(out, e);
        text_printf(out, "</a>%s</td>", e->native ? ", native" : "");
        add_cells(out, p, e->calls, e->ns, e->operations, e->bytes);
        for (size_t k = 0; k < e->kernels.len; k++) {
            const ReportKernel *n = &e->kernels.data[k];
            text_printf(out, "<tr><td><a href=\"#e%dk%d\">", (int)i, (int)k);
            page_text(out, n->name, strlen(n->name));
            text_add(out, "</a></td>");
            add_cells(out, p, n->calls, n->ns, -1, n->bytes);
        }
    }
    text_add(out, "</table>\n");
}

static void add_command(Text *out, const Options *o)
{
    text_add(out, "<h1>");
    for (char **a = o->arguments; *a; a++) {
        if (a > o->arguments) text_add(out, " ");
        page_text(out, *a, strlen(*a));
    }
    char when[64] = "";
    time_t now = time(NULL);
    struct tm local;
    if (localtime_r(&now, &local)) strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
    text_printf(out, "</h1>\n<p>csc profile, csc " VERSION ", %s</p>\n", when);
}

static void add_body(Text *out, const Page *p)
{
    add_command(out, p->options);
    add_figures(out, p);
    if (p->report->evaluations.len == 0) {
        text_add(out, "<p>No kernel ran: every evaluation was small enough to be interpreted, or "
                      "there was none.</p>\n");
        return;
    }
    add_table(out, p);
    page_roofline(out, p);
    page_timeline(out, p);
    page_listing(out, p);
}

bool page_write(const Page *p, const char *path)
{
    const char *mark = strstr(page_frame, "@@");
    Text out = {0};
    text_addn(&out, page_frame, (size_t)(mark - page_frame));
    add_body(&out, p);
    text_add(&out, mark + 2);
    bool ok = write_bytes(path, out.data, out.len, 0666);
    text_free(&out);
    return ok;
}
