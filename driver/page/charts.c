/* The roofline and the time line, as SVG (page.h). */
#include <math.h>
#include <string.h>

#include "page.h"

/* ---- the roofline ----------------------------------------------------------------------------- */

enum { WIDE = 760, HIGH = 400, LEFT = 60, RIGHT = 20, TOP = 16, BOTTOM = 44 };

/* Both axes are logarithms of base 10. */
typedef struct Plane {
    double x0, x1, y0, y1;
} Plane;

static double across(const Plane *a, double x)
{
    return LEFT + (log10(x) - a->x0) / (a->x1 - a->x0) * (WIDE - LEFT - RIGHT);
}

static double down(const Plane *a, double y)
{
    return TOP + (a->y1 - log10(y)) / (a->y1 - a->y0) * (HIGH - TOP - BOTTOM);
}

static bool is_point(const ReportEvaluation *e)
{
    return e->operations > 0 && e->bytes > 0 && e->ns > 0;
}

static void widen(double *low, double *high, double value)
{
    double l = log10(value);
    if (l < *low) *low = l;
    if (l > *high) *high = l;
}

static Plane plane_of(const Page *p)
{
    double ridge = log10(p->peak.gflops / p->peak.gbytes), top = log10(p->peak.gflops);
    Plane a = {ridge - 1, ridge + 1, top - 1.5, top};
    for (size_t i = 0; i < p->report->evaluations.len; i++) {
        const ReportEvaluation *e = &p->report->evaluations.data[i];
        if (!is_point(e)) continue;
        widen(&a.x0, &a.x1, e->operations / e->bytes);
        widen(&a.y0, &a.y1, e->operations / e->ns);
    }
    a.x0 -= 0.2, a.x1 += 0.2, a.y0 -= 0.2, a.y1 += 0.3;
    return a;
}

static void add_grid(Text *out, const Plane *a)
{
    for (int k = (int)ceil(a->x0); k <= (int)floor(a->x1); k++) {
        double x = across(a, pow(10, k));
        text_printf(out,
                    "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>"
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g</text>\n",
                    x, TOP, x, HIGH - BOTTOM, x, HIGH - BOTTOM + 16, pow(10, k));
    }
    for (int k = (int)ceil(a->y0); k <= (int)floor(a->y1); k++) {
        double y = down(a, pow(10, k));
        text_printf(out,
                    "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>"
                    "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                    LEFT, y, WIDE - RIGHT, y, LEFT - 8, y + 4, pow(10, k));
    }
    text_printf(out,
                "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">operations a byte</text>\n"
                "<text x=\"14\" y=\"%d\" text-anchor=\"middle\" transform=\"rotate(-90 14 %d)\">"
                "GFLOP/s</text>\n",
                (LEFT + WIDE - RIGHT) / 2, HIGH - 6, (TOP + HIGH - BOTTOM) / 2,
                (TOP + HIGH - BOTTOM) / 2);
}

static void add_roof(Text *out, const Plane *a, const Peak *peak)
{
    double low = pow(10, a->x0), ridge = peak->gflops / peak->gbytes;
    double x = across(a, ridge), y = down(a, peak->gflops), floor = pow(10, a->y0);
    if (low * peak->gbytes < floor) low = floor / peak->gbytes;
    double x0 = across(a, low), y0 = down(a, low * peak->gbytes);
    text_printf(out,
                "<polyline class=\"roof\" points=\"%.1f,%.1f %.1f,%.1f %d,%.1f\"/>\n"
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.1f GFLOP/s</text>\n",
                x0, y0, x, y, WIDE - RIGHT, y, WIDE - RIGHT - 4, y - 6, peak->gflops);
    double mx = x0 + (x - x0) / 4, my = y0 + (y - y0) / 4;
    text_printf(out,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(%.1f %.1f "
                "%.1f)\">%.1f GB/s</text>\n",
                mx, my - 7, atan2(y - y0, x - x0) * 180 / 3.14159265358979, mx, my - 7,
                peak->gbytes);
}

typedef struct Label {
    double x, y;
} Label;

/* Lower than what is written there already. */
static double free_line(Label *labels, int *n, double x, double y)
{
    enum { HEIGHT = 14, WIDTH = 60 };
    for (int k = 0; k < *n; k++)
        if (fabs(labels[k].x - x) < WIDTH && fabs(labels[k].y - y) < HEIGHT)
            y = labels[k].y + HEIGHT, k = -1;
    labels[(*n)++] = (Label){x, y};
    return y;
}

/* The longest last: it is the one to be seen. */
static void add_points(Text *out, const Plane *a, const Page *p)
{
    enum { SHARED = 50 }; /* labels are for one in so many of the time or more */
    char room[8];
    Label labels[SHARED];
    int n = 0;
    for (size_t i = p->report->evaluations.len; i-- > 0;) {
        const ReportEvaluation *e = &p->report->evaluations.data[i];
        if (!is_point(e)) continue;
        double x = across(a, e->operations / e->bytes), y = down(a, e->operations / e->ns);
        double share = e->ns / p->report->ns, radius = 4 + 12 * sqrt(share);
        text_printf(out,
                    "<a href=\"#e%d\"><circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\">",
                    (int)i, page_colour(i, room), x, y, radius);
        text_add(out, "<title>");
        page_place(out, e);
        text_printf(out, ": %.2f GFLOP/s, %.2f GB/s, %.1f %% of the time</title></circle></a>\n",
                    e->operations / e->ns, e->bytes / e->ns, 100 * share);
        if (share < 1.0 / SHARED || n == SHARED) continue;
        bool left = x > WIDE - 120;
        text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">line %d</text>\n",
                    left ? x - radius - 4 : x + radius + 4, free_line(labels, &n, x, y + 4),
                    left ? "end" : "start", e->line);
    }
}

void page_roofline(Text *out, const Page *p)
{
    Plane a = plane_of(p);
    text_printf(
        out,
        "<h2>Roofline</h2>\n<p>What memory lets through on the left, what the processor "
        "computes on the right. Above the roof caches serve, or a GPU did the work. The area "
        "of a point is its share of the time.</p>\n<svg class=\"chart\" viewBox=\"0 0 %d "
        "%d\" role=\"img\" aria-label=\"roofline\">\n",
        WIDE, HIGH);
    add_grid(out, &a);
    add_roof(out, &a, &p->peak);
    add_points(out, &a, p);
    text_add(out, "</svg>\n");
}

/* ---- the time line ------------------------------------------------------------------------------ */

enum { ROW = 18, MOST_DEPTH = 4, MOST_SPANS = 20000 };

/* Spans of the host lie in each other: rows below one another. How deep this one is. */
static int depth_of(double *ends, double from, double to)
{
    int depth = 0;
    while (depth < MOST_DEPTH - 1 && ends[depth] > from) depth++;
    ends[depth] = to;
    return depth;
}

static void span_colour(const Page *p, const ReportSpan *s, char room[8], const char **colour)
{
    *colour = strstr(s->name, "build") ? "build" : strstr(s->name, "wait") ? "wait" : "grey";
    for (size_t i = 0; i < p->report->evaluations.len; i++) {
        const ReportEvaluation *e = &p->report->evaluations.data[i];
        char place[256];
        snprintf(place, sizeof place, "%s:%d:%d", e->file, e->line, e->column);
        if (strcmp(place, s->at) != 0 && strcmp(place, s->name) != 0) continue;
        *colour = page_colour(i, room);
        return;
    }
}

/* Those of a track. How many rows they take. */
static int add_spans(Text *out, const Page *p, int track, int y, double begin)
{
    double ends[MOST_DEPTH] = {0};
    int rows = 0;
    const Report *r = p->report;
    for (size_t i = 0; i < r->spans.len && i < MOST_SPANS; i++) {
        const ReportSpan *s = &r->spans.data[i];
        if (s->track != track) continue;
        double from = s->from - begin;
        int depth = depth_of(ends, from, from + s->ms);
        const char *colour;
        char room[8];
        span_colour(p, s, room, &colour);
        text_printf(out,
                    "<rect class=\"%s\" x=\"%.4f\" y=\"%d\" width=\"%.4f\" height=\"%d\"><title>",
                    colour, from, y + depth * ROW, s->ms, ROW - 2);
        page_text(out, s->name, strlen(s->name));
        if (*s->at) text_add(out, ", ");
        page_text(out, s->at, strlen(s->at));
        text_printf(out, ": %.3f ms at %.3f</title></rect>\n", s->ms, from);
        if (depth >= rows) rows = depth + 1;
    }
    return rows;
}

void page_timeline(Text *out, const Page *p)
{
    static const char *const names[] = {"host", "native kernels", "device"};
    const Report *r = p->report;
    if (!r->spans.len) return;
    double begin = r->spans.data[0].from, end = begin;
    for (size_t i = 0; i < r->spans.len; i++) {
        const ReportSpan *s = &r->spans.data[i];
        if (s->from < begin) begin = s->from;
        if (s->from + s->ms > end) end = s->from + s->ms;
    }
    Text spans = {0}, labels = {0};
    int y = 0;
    for (int t = 0; t < (int)(sizeof names / sizeof *names); t++) {
        int rows = add_spans(&spans, p, t + 1, y, begin);
        if (!rows) continue;
        text_printf(&labels, "<span style=\"top:%dpx\">%s</span>", y, names[t]);
        y += rows * ROW + 8;
    }
    text_printf(
        out,
        "<h2>Time line</h2>\n<p>Turn the wheel to come nearer, drag to move, click twice for "
        "all%s. Kernels are under the device or the program itself, what waits or is built "
        "under the host.</p>\n<div class=\"time\"><div class=\"tracks\">%s</div><div>"
        "<svg id=\"time\" viewBox=\"0 0 %.4f %d\" style=\"height:%dpx\" "
        "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"time line\">\n%s</svg>"
        "<div id=\"axis\"><span style=\"left:0\">0</span><span style=\"left:100%%\">%.3g ms"
        "</span></div></div></div>\n",
        r->spans.len > MOST_SPANS ? " (the first 20000 spans)" : "", labels.data, end - begin, y, y,
        spans.data, end - begin);
    text_free(&spans);
    text_free(&labels);
}
