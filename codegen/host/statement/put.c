/* A statement that sets elements of an array: while that waits, as one of several turns of a loop, it is given the graph
 * of what the array is then (cs_put). Else the statement is as ever. */
#include "../value/value.h"

void host_put_stmt(HostFunc *f, Ast *n)
{
    HostModule *m = f->m;
    const Ast *graph = n->put.graph;
    const AstList captures = graph->graph.captures;
    LLVMValueRef *values = arena_array(m->arena, LLVMValueRef, captures.len + 1);
    LLVMBasicBlockRef waits = host_block(f, "waits"), now = host_block(f, "now"),
                      end = host_block(f, "end");
    LLVMValueRef slot = host_place_address(f, host_place(f, captures.data[0]));
    LLVMValueRef array = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    LLVMValueRef held = host_call_runtime(f, ABI_cs_waits, &array, 1, n->loc);
    LLVMValueRef none = host_int(m, 0);
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntNE, held, none, ""), waits, now);
    host_enter(f, waits);
    const size_t mark = f->temps.len;
    host_values(f, captures.data, captures.len, values);
    LLVMValueRef args[] = {slot, host_graph(m, graph->graph.graph),
                           host_pack(f, captures.data, values, captures.len)};
    LLVMValueRef done = host_call_on_slot(f, ABI_cs_put, args, 3, n->loc);
    host_release_temps(f, mark);
    LLVMBuildCondBr(m->b, LLVMBuildICmp(m->b, LLVMIntNE, done, none, ""), end, now);
    host_enter(f, now);
    host_stmt(f, n->put.stmt);
    host_jump(f, end);
    host_enter(f, end);
}
