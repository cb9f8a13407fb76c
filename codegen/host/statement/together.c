/* Statements whose evaluations can be made together: before them the runtime is given a graph of all
 * their results (CsAhead), with its captures. The statements themselves are as ever. */
#include "../value/value.h"

static LLVMValueRef line_of(HostModule *m, Loc loc)
{
    int line, col;
    sources_position(m->sources, loc.file, loc.begin, &line, &col);
    return host_int(m, line);
}

static LLVMValueRef table(HostModule *m, const SemaGraph *g)
{
    LLVMValueRef *parts = arena_array(m->arena, LLVMValueRef, g->nparts);
    LLVMValueRef *lines = arena_array(m->arena, LLVMValueRef, g->nparts);
    LLVMValueRef *slots = arena_array(m->arena, LLVMValueRef, g->nmapped + 1);
    for (int i = 0; i < g->nparts; i++) parts[i] = host_graph(m, (uint64_t)g->parts[i]);
    for (int i = 0; i < g->nparts; i++) lines[i] = line_of(m, m->sema->graphs[g->parts[i]].loc);
    for (int i = 0; i < g->nmapped; i++) slots[i] = host_int(m, g->slots[i]);
    LLVMValueRef members[] = {host_graph(m, (uint64_t)(g - m->sema->graphs)),
                              host_int(m, g->nparts),
                              host_int(m, 0),
                              host_table(m, "parts", m->ptr, parts, (unsigned)g->nparts),
                              host_table(m, "slots", m->i32, slots, (unsigned)g->nmapped),
                              host_int(m, g->chained),
                              LLVMConstInt(m->i64, g->dying, false),
                              LLVMConstInt(m->i64, g->inner, false),
                              host_table(m, "lines", m->i32, lines, (unsigned)g->nparts)};
    LLVMTypeRef t = m->structs[HOST_AHEAD];
    return host_constant(m, "ahead", t, LLVMConstNamedStruct(t, members, 9), true);
}

void host_together(HostFunc *f, Ast *n)
{
    HostModule *m = f->m;
    const SemaGraph *g = &m->sema->graphs[n->together.graph->graph.graph];
    AstList captures = n->together.graph->graph.captures;
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, captures.len + 1);
    size_t mark = f->temps.len;
    host_values(f, captures.data, captures.len, values);
    LLVMValueRef args[] = {table(m, g), host_pack(f, captures.data, values, captures.len)};
    host_call_runtime(f, ABI_cs_ahead, args, 2, n->loc);
    host_release_temps(f, mark);
    host_stmts(f, n->together.stmts);
}
