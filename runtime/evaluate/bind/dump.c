/* What CS_DUMP says of kernels and their launches. */
#include "dump.h"

#include <stdio.h>
#include <string.h>

#include "../../../base/text.h"
#include "../../state.h"

static void dump_arg(Text *t, const CgArg *a)
{
    ScalarValue v = {0};
    switch (a->kind) {
    case CG_ARG_SLOT: text_printf(t, "slot %d", a->index); break;
    case CG_ARG_TEMP: text_printf(t, "temp %d", a->index); break;
    case CG_ARG_OUT: text_printf(t, a->index ? "out %d" : "out", a->index); break;
    case CG_ARG_ERROR: text_add(t, "error"); break;
    case CG_ARG_BYTES:
        memcpy(&v, a->bytes, a->size);
        text_printf(t, "0x%llx:%zu", (unsigned long long)v.i, a->size);
        break;
    }
}

static void dump_dims(Text *t, const char *what, int dims, const size_t *n)
{
    text_printf(t, " %s ", what);
    for (int d = 0; d < dims; d++) text_printf(t, "%s%zu", d ? "x" : "", n[d]);
}

void dump_launches(Kernel *k, const CgSchedule *s)
{
    if (k->nbuilds == 0 && rt_dumping(RT_DUMP_OPENCL)) fprintf(stderr, "%s", k->text);
    if (!rt_dumping(RT_DUMP_PLAN)) return;
    Text t = {0};
    text_printf(&t, "// plan %016llx%016llx: out %zu bytes\n", (unsigned long long)k->key.hi,
                (unsigned long long)k->key.lo, s->out_bytes);
    for (int i = 0; i < s->ntemps; i++)
        text_printf(&t, "temp %d: %zu bytes\n", i, s->temp_bytes[i]);
    for (int i = 0; i < s->nlaunches; i++) {
        const CgLaunch *l = &s->launches[i];
        text_printf(&t, "run %s", l->kernel);
        dump_dims(&t, "global", l->dims, l->global);
        if (l->local[0]) dump_dims(&t, "local", l->dims, l->local);
        text_add(&t, " args ");
        for (int a = 0; a < l->nargs; a++) {
            if (a) text_add(&t, ", ");
            dump_arg(&t, &l->args[a]);
        }
        text_add(&t, "\n");
    }
    if (!t.failed) fputs(t.data, stderr);
    text_free(&t);
}

void dump_over(int nslots, Buffer *const *slots, int nresults, Buffer *const *results)
{
    for (int k = 0; rt_dumping(RT_DUMP_PLAN) && k < nslots; k++)
        for (int i = 0; i < nresults; i++)
            if (slots[k] && slots[k] == results[i]) fprintf(stderr, "out %d over slot %d\n", i, k);
}
