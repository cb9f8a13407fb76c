/* Measuring (measure.h). For a file, which csc tune or profile may read, the graph is lowered once more: to know
 * its text and the parameters that its recipes ask for. */
#include "measure.h"

#include <inttypes.h>

#include "../../device/profile.h"
#include "../../state.h"
#include "kernels.h"

typedef struct Measuring {
    const Composed *c;
    Numbers *n;
    const CgDevice *device;
    bool native;
    CsSite at;
    int row;
    double work;
} Measuring;

/* The text, to be freed, or NULL. */
static char *add_parameters(const Measuring *m, const char *set, Text *out)
{
    CgAsked *asked = mem_alloc((size_t)cg_parameters() * sizeof *asked);
    CgOptions o = {.family = m->device->family, .set = set};
    FdError error = {0};
    char *text = NULL;
    if (rt.program) o.tile = (CgTile)rt.program->tile;
    if (rt.program) o.precise = rt.program->precise != 0;
    for (int p = 0; p < cg_parameters(); p++) asked[p] = (CgAsked){0};
    cg_lower_also(&m->c->graph, &o, &(CgAlso){.asked = asked}, &text, &error);
    for (int p = 0; p < cg_parameters(); p++)
        if (asked[p].asked)
            text_printf(out, "%s%s=%" PRId64, out->len ? " " : "", cg_parameter(p)->name,
                        m->device->vector_bytes >= 64 ? asked[p].wide : asked[p].narrow);
    mem_free(asked);
    return text;
}

static void do_measure(void *measuring)
{
    Measuring *m = measuring;
    m->row = profile_find(m->c->key, m->native);
    if (m->row < 0) {
        Text set = {0}, parameters = {0};
        kernels_set(m->c->key, m->device->family, &set);
        char *text = profile_is_file() ? add_parameters(m, set.data, &parameters) : NULL;
        m->row = profile_new(&(Profiled){.key = m->c->key,
                                         .family = m->device->family,
                                         .native = m->native,
                                         .at = m->at,
                                         .hints = m->c->graph.hints,
                                         .set = set.data,
                                         .parameters = parameters.data,
                                         .text = text});
        mem_free(text);
        text_free(&set);
        text_free(&parameters);
    }
    m->work = fd_operations(&m->c->graph, &m->n->env);
}

CsSite measured_site(const Evaluation *e, const CsSite *site)
{
    const FdLoc *root = &fd_root(&e->composed->graph)->loc;
    if (site && site->line) return *site;
    /* several statements together */
    return (CsSite){"", rt.program ? rt.program->name : "", root->line, root->col};
}

void measure(const Evaluation *e, Numbers *n, const CgDevice *device, bool native, double share,
             const CsSite *site)
{
    if (!rt_profiling()) return;
    Measuring m = {.c = e->composed, .n = n, .device = device, .native = native, .row = -1};
    m.at = measured_site(e, site);
    if (!mem_try(do_measure, &m)) m.row = -1;
    profile_turn(m.row, m.work * share);
}
