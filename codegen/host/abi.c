/* The runtime's functions as declarations made from abi.def, calls of them, and the constants that
 * they take: sites, string literals, graphs, the program's description.
 * Requires: a throwing function takes its site last. Keeps: every such call is followed by a test.
 */
#include <string.h>

#include "value/value.h"

static const struct {
    const char *name, *result, *params; /* as C declares them */
    int throws;
} abi[ABI_COUNT] = {
#define ABI(name, throws, result, params) {#name, #result, #params, throws},
#include "../abi/abi.def"
#undef ABI
};

static LLVMValueRef site_of(HostFunc *f, Loc loc);

/* A type of C's as a letter: v void, i int32, l int64, f float, d double, p pointer. */
static char letter_of(const char *type, size_t len)
{
    if (memchr(type, '*', len)) return 'p';
    if (*type == 'u') type++; /* uint32_t */
    return strncmp(type, "int64_t", 7) == 0 ? 'l' : *type;
}

const char *host_abi_signature(HostModule *m, AbiId id)
{
    char *letters = m->abi_letters[id];
    if (*letters) return letters;
    int n = 0;
    letters[n++] = letter_of(abi[id].result, strlen(abi[id].result));
    for (const char *p = abi[id].params; *p != ')';) {
        p += strspn(p, "(, ");
        size_t len = strcspn(p, ",)");
        if (len != 4 || strncmp(p, "void", 4) != 0) letters[n++] = letter_of(p, len);
        p += len;
    }
    return letters;
}

bool host_abi_throws(AbiId id)
{
    return abi[id].throws != 0;
}

bool host_abi_takes_site(AbiId id)
{
    return abi[id].throws == 1 || abi[id].throws == 3;
}

static LLVMTypeRef letter_type(const HostModule *m, char letter)
{
    switch (letter) {
    case 'i': return m->i32;
    case 'l': return m->i64;
    case 'f': return m->f32;
    case 'd': return m->f64;
    case 'p': return m->ptr;
    default: return m->void_type;
    }
}

static void declare(HostModule *m, AbiId id)
{
    const char *s = host_abi_signature(m, id);
    LLVMTypeRef params[16];
    unsigned n = 0;
    for (const char *p = s + 1; *p; p++) params[n++] = letter_type(m, *p);
    m->abi_type[id] = LLVMFunctionType(letter_type(m, s[0]), params, n, false);
    m->abi[id] = LLVMAddFunction(m->mod, abi[id].name, m->abi_type[id]);
    host_attribute(m, m->abi[id], "nounwind");
    if ((abi[id].throws == 3 && id != ABI_cs_throw) || id == ABI_cs_frame)
        host_attribute(m, m->abi[id], "cold");
}

static LLVMValueRef call(HostModule *m, AbiId id, LLVMValueRef *args, unsigned n)
{
    if (!m->abi[id]) declare(m, id);
    return LLVMBuildCall2(m->b, m->abi_type[id], m->abi[id], args, n, "");
}

/* Without the test. */
static LLVMValueRef call_at(HostFunc *f, AbiId id, const LLVMValueRef *args, int n, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef all[16];
    for (int i = 0; i < n; i++) all[i] = args[i];
    if (host_abi_takes_site(id)) all[n++] = site_of(f, loc);
    if ((size_t)n + 1 != strlen(host_abi_signature(m, id))) host_bug(m, NULL, abi[id].name);
    return call(m, id, all, (unsigned)n);
}

LLVMValueRef host_call_runtime(HostFunc *f, AbiId id, const LLVMValueRef *args, int n, Loc loc)
{
    LLVMValueRef result = call_at(f, id, args, n, loc);
    if (abi[id].throws && abi[id].throws != 3) host_check_pending(f, loc, !host_abi_takes_site(id));
    return result;
}

LLVMValueRef host_call_on_slot(HostFunc *f, AbiId id, LLVMValueRef *args, int n, Loc loc)
{
    HostModule *m = f->m;
    LLVMValueRef slot = args[0];
    bool lend =
        host_is_local(f, slot); /* its address must not escape: every call could change it */
    if (lend) {
        if (!f->shadow) f->shadow = host_alloca(f, m->ptr, "shadow");
        LLVMBuildStore(m->b, LLVMBuildLoad2(m->b, m->ptr, slot, ""), f->shadow);
        args[0] = f->shadow;
    }
    LLVMValueRef v = call_at(f, id, args, n, loc);
    if (lend) LLVMBuildStore(m->b, LLVMBuildLoad2(m->b, m->ptr, f->shadow, ""), slot);
    if (abi[id].throws) host_check_pending(f, loc, !host_abi_takes_site(id));
    return v;
}

static LLVMValueRef is_pending(HostModule *m)
{
    LLVMValueRef pending = LLVMBuildLoad2(m->b, m->i32, m->pending, "pending");
    return LLVMBuildICmp(m->b, LLVMIntNE, pending, host_int(m, 0), "thrown");
}

LLVMBasicBlockRef host_if_pending(HostFunc *f, Loc loc)
{
    HostModule *m = f->m;
    LLVMBasicBlockRef next = host_block(f, "ok"), add = host_block(f, "frame");
    host_branch_cold(f, is_pending(m), add, next);
    host_enter(f, add);
    LLVMValueRef site = site_of(f, loc);
    call(m, ABI_cs_frame, &site, 1);
    return next;
}

void host_check_pending(HostFunc *f, Loc loc, bool frame)
{
    LLVMBasicBlockRef out = host_unwind(f), next;
    if (frame) {
        next = host_if_pending(f, loc);
        host_jump(f, out);
    } else {
        next = host_block(f, "ok");
        host_branch_cold(f, is_pending(f->m), out, next);
    }
    host_enter(f, next);
}

/* static void release(ptr frame, i64 first, i64 end): releases these slots and empties them. */
static void make_release(HostModule *m)
{
    LLVMBasicBlockRef back = LLVMGetInsertBlock(m->b);
    LLVMMetadataRef at = LLVMGetCurrentDebugLocation2(m->b);
    LLVMTypeRef params[] = {m->ptr, m->i64, m->i64};
    m->release_type = LLVMFunctionType(m->void_type, params, 3, false);
    LLVMValueRef fn = m->release = host_add_function(m, "release", m->release_type);
    host_debug_none(m);
    host_attribute(m, fn, "noinline");
    host_attribute(m, fn, "cold");
    LLVMBasicBlockRef entry = LLVMGetInsertBlock(m->b);
    LLVMBasicBlockRef test = LLVMAppendBasicBlockInContext(m->ctx, fn, "test");
    LLVMBasicBlockRef body = LLVMAppendBasicBlockInContext(m->ctx, fn, "body");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(m->ctx, fn, "done");
    LLVMBuildBr(m->b, test);
    LLVMPositionBuilderAtEnd(m->b, test);
    LLVMValueRef i = LLVMBuildPhi(m->b, m->i64, "");
    LLVMValueRef more = LLVMBuildICmp(m->b, LLVMIntSLT, i, LLVMGetParam(fn, 2), "");
    LLVMBuildCondBr(m->b, more, body, done);
    LLVMPositionBuilderAtEnd(m->b, body);
    LLVMValueRef slot = LLVMBuildInBoundsGEP2(m->b, m->ptr, LLVMGetParam(fn, 0), &i, 1, "");
    LLVMValueRef ref = LLVMBuildLoad2(m->b, m->ptr, slot, "");
    LLVMBuildStore(m->b, host_null(m), slot);
    call(m, ABI_cs_release, &ref, 1);
    LLVMValueRef next = LLVMBuildAdd(m->b, i, host_long(m, 1), "");
    LLVMBuildBr(m->b, test);
    LLVMValueRef values[] = {LLVMGetParam(fn, 1), next};
    LLVMBasicBlockRef blocks[] = {entry, body};
    LLVMAddIncoming(i, values, blocks, 2);
    LLVMPositionBuilderAtEnd(m->b, done);
    LLVMBuildRetVoid(m->b);
    LLVMPositionBuilderAtEnd(m->b, back);
    LLVMSetCurrentDebugLocation2(m->b, at);
}

void host_release_slots(HostFunc *f, int first, int end)
{
    HostModule *m = f->m;
    if (!m->release) make_release(m);
    LLVMValueRef args[] = {f->nslots ? f->frame : host_null(m), host_long(m, first),
                           host_long(m, end)};
    LLVMBuildCall2(m->b, m->release_type, m->release, args, 3, "");
}

/* ---- constants ------------------------------------------------------------------------------- */

LLVMValueRef host_constant(HostModule *m, const char *name, LLVMTypeRef type, LLVMValueRef init,
                           bool writable)
{
    LLVMValueRef g = LLVMAddGlobal(m->mod, type, name);
    LLVMSetInitializer(g, init);
    LLVMSetLinkage(g, LLVMPrivateLinkage);
    LLVMSetGlobalConstant(g, !writable);
    if (!writable) LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
    return g;
}

/* NUL-terminated. */
static LLVMValueRef text_constant(HostModule *m, const char *bytes, size_t len)
{
    for (size_t i = m->texts.len; i-- > 0;)
        if (m->texts.data[i].len == len && memcmp(m->texts.data[i].bytes, bytes, len) == 0)
            return m->texts.data[i].global;
    LLVMValueRef init = LLVMConstStringInContext(m->ctx, bytes, (unsigned)len, false);
    HostText t = {bytes, len, host_constant(m, "text", LLVMTypeOf(init), init, false)};
    LLVMSetAlignment(t.global, 1);
    vec_push(&m->texts, t);
    return t.global;
}

LLVMValueRef host_c_string(HostModule *m, const char *s)
{
    return text_constant(m, s, strlen(s));
}

LLVMValueRef host_table(HostModule *m, const char *name, LLVMTypeRef elem, LLVMValueRef *items,
                        unsigned n)
{
    if (n == 0) return host_null(m);
    return host_constant(m, name, LLVMArrayType(elem, n), LLVMConstArray(elem, items, n), false);
}

LLVMValueRef host_struct(const HostModule *m, HostStruct which, LLVMValueRef *members)
{
    LLVMTypeRef t = m->structs[which];
    return LLVMConstNamedStruct(t, members, LLVMCountStructElementTypes(t));
}

static LLVMValueRef site_of(HostFunc *f, Loc loc)
{
    HostModule *m = f->m;
    int line, col;
    sources_position(m->sources, loc.file, loc.begin, &line, &col);
    LLVMValueRef members[SITE_MEMBERS];
    members[SITE_FUNCTION] = host_c_string(m, f->name);
    members[SITE_FILE] = host_c_string(m, sources_get(m->sources, loc.file)->path);
    members[SITE_LINE] = host_int(m, line);
    members[SITE_COL] = host_int(m, col);
    return host_constant(m, "site", m->structs[HOST_SITE], host_struct(m, HOST_SITE, members),
                         false);
}

/* A CsStr as it lies in the program: never counted, and made of nothing at run time. */
static LLVMValueRef literal(HostModule *m, const char *bytes, size_t len)
{
    LLVMValueRef members[STR_MEMBERS + 1];
    members[STR_REFS] = host_int(m, -1);
    members[STR_KIND] = LLVMConstInt(m->i16, CS_STR, false);
    members[STR_COLOUR] = members[STR_BUFFERED] = LLVMConstNull(m->i8);
    members[STR_LEN] = host_long(m, (int64_t)len);
    members[STR_COUNT] = members[STR_AT_CHAR] = members[STR_AT_BYTE] = host_long(m, 0);
    members[STR_MEMBERS] = LLVMConstStringInContext(m->ctx, bytes, (unsigned)len, false);
    LLVMValueRef init = LLVMConstStructInContext(m->ctx, members, STR_MEMBERS + 1, false);
    return host_constant(m, "string", LLVMTypeOf(init), init, true);
}

LLVMValueRef host_string(HostFunc *f, AstBytes text)
{
    HostModule *m = f->m;
    const char *bytes = text.len ? text.data : "";
    LLVMValueRef cell = NULL;
    for (size_t i = m->strings.len; i-- > 0 && !cell;)
        if (m->strings.data[i].len == text.len &&
            memcmp(m->strings.data[i].bytes, bytes, text.len) == 0)
            cell = m->strings.data[i].global;
    if (cell) return cell;
    HostText t = {bytes, text.len, literal(m, bytes, text.len)};
    vec_push(&m->strings, t);
    return t.global;
}

LLVMValueRef host_graph(HostModule *m, uint64_t graph)
{
    if (graph >= (uint64_t)m->sema->ngraphs) host_bug(m, NULL, "a graph that does not exist");
    if (!m->graphs[graph]) {
        LLVMValueRef members[GRAPH_MEMBERS];
        members[GRAPH_TEXT] = host_c_string(m, m->sema->graphs[graph].text);
        members[GRAPH_PARSED] = host_null(m);
        const SemaGraph *of = &m->sema->graphs[graph];
        const int turns = of->of_turns | of->ends_turn << 1;
        const int bytes = turns | of->period << 8 | of->whole << 16;
        members[GRAPH_TURNS] = LLVMConstInt(m->i32, (unsigned)bytes, false);
        m->graphs[graph] = host_constant(m, "graph", m->structs[HOST_GRAPH],
                                         host_struct(m, HOST_GRAPH, members), true);
    }
    return m->graphs[graph];
}

/* ---- the program ----------------------------------------------------------------------------- */

/* The classes of what the runtime throws, by CsException. */
static LLVMValueRef exceptions(HostModule *m)
{
    static const char *const names[] = {
#define EXCEPTION(id, name) #name,
#include "../abi/exceptions.def"
#undef EXCEPTION
    };
    enum { COUNT = sizeof names / sizeof *names };
    LLVMValueRef items[COUNT];
    bool any = false;
    for (int i = 0; i < COUNT; i++) {
        items[i] = host_class_named(m, names[i]);
        any = any || !LLVMIsNull(items[i]);
    }
    return any ? host_table(m, "exceptions", m->ptr, items, COUNT) : host_null(m);
}

static LLVMValueRef describe(HostModule *m, const HostKernel *kernels, int nkernels)
{
    LLVMValueRef *items = arena_array(m->arena, LLVMValueRef, nkernels + 1);
    for (int i = 0; i < nkernels; i++) {
        LLVMValueRef kernel[KERNEL_MEMBERS];
        kernel[KERNEL_KEY_HI] = host_long(m, (int64_t)kernels[i].key.hi);
        kernel[KERNEL_KEY_LO] = host_long(m, (int64_t)kernels[i].key.lo);
        kernel[KERNEL_TEXT] = host_c_string(m, kernels[i].text);
        int ncodes;
        kernel[KERNEL_CODES] = host_code(m, &kernels[i], &ncodes);
        kernel[KERNEL_NCODES] = host_int(m, ncodes);
        items[i] = host_struct(m, HOST_KERNEL, kernel);
    }
    LLVMValueRef members[PROGRAM_MEMBERS];
    members[PROGRAM_KERNELS] =
        host_table(m, "kernels", m->structs[HOST_KERNEL], items, (unsigned)nkernels);
    int nnatives = m->sema->nhost_users;
    LLVMValueRef *natives = arena_array(m->arena, LLVMValueRef, nnatives + 1);
    for (int i = 0; i < nnatives; i++) natives[i] = host_native(m, m->sema->host_users[i], 0);
    const CgOptions *cg = &m->options->cg;
    members[PROGRAM_NAME] = host_c_string(m, m->options->program);
    members[PROGRAM_TILE] = host_int(m, (int64_t)cg->tile);
    members[PROGRAM_PRECISE] = host_int(m, cg->precise);
    members[PROGRAM_SEED] = host_int(m, (int64_t)cg->seed);
    const char *tuned = m->options->tuned;
    members[PROGRAM_SET] = cg->set ? host_c_string(m, cg->set) : host_null(m);
    members[PROGRAM_TUNED] = tuned && *tuned ? host_c_string(m, tuned) : host_null(m);
    const char *compiler = m->options->compiler;
    members[PROGRAM_COMPILER] = compiler ? host_c_string(m, compiler) : host_null(m);
    members[PROGRAM_NKERNELS] = host_int(m, nkernels);
    members[PROGRAM_NNATIVES] = host_int(m, nnatives);
    members[PROGRAM_NATIVES] = host_table(m, "natives", m->ptr, natives, (unsigned)nnatives);
    members[PROGRAM_NRECORDS] = host_int(m, m->nrecords);
    members[PROGRAM_RECORDS] = host_describe_records(m);
    members[PROGRAM_EXCEPTIONS] = exceptions(m);
    members[PROGRAM_ANY_EXCEPTION] = host_class_named(m, "Exception");
    return host_constant(m, "description", m->structs[HOST_PROGRAM],
                         host_struct(m, HOST_PROGRAM, members), false);
}

/* int main(int argc, char **argv), or what a library has instead */
void host_finish_module(HostModule *m, const HostKernel *kernels, int nkernels,
                        LLVMValueRef program)
{
    LLVMValueRef description = describe(m, kernels, nkernels);
    if (m->options->library) {
        host_emit_library(m, description, program);
        return;
    }
    if (m->options->session && !m->options->process) {
        host_emit_entry(m, description, program);
        return;
    }
    LLVMTypeRef params[] = {m->i32, m->ptr};
    LLVMValueRef fn = host_add_function(m, "main", LLVMFunctionType(m->i32, params, 2, false));
    LLVMSetLinkage(fn, LLVMExternalLinkage);
    host_debug_none(m);
    LLVMValueRef args[] = {LLVMGetParam(fn, 0), LLVMGetParam(fn, 1), description};
    if (m->options->process) {
        LLVMBuildRet(m->b, call(m, ABI_cs_session, args, 3));
        return;
    }
    call(m, ABI_cs_start, args, 3);
    LLVMTypeRef type = LLVMFunctionType(m->i32, NULL, 0, false);
    LLVMValueRef code = LLVMBuildCall2(m->b, type, program, NULL, 0, "");
    host_release_statics(m);
    LLVMValueRef finish = call(m, ABI_cs_finish, NULL, 0);
    LLVMValueRef failed = LLVMBuildICmp(m->b, LLVMIntNE, finish, host_int(m, 0), "");
    LLVMBuildRet(m->b, LLVMBuildSelect(m->b, failed, finish, code, ""));
}

void host_abi_init(HostModule *m)
{
    m->pending = LLVMAddGlobal(m->mod, m->i32, "cs_pending");
    m->stack_limit = LLVMAddGlobal(m->mod, m->i64, "cs_stack_limit");
    m->most_short = LLVMAddGlobal(m->mod, m->i64, "cs_short");
    if (m->options->session) return;
    LLVMSetVisibility(m->pending, LLVMHiddenVisibility); /* the runtime is part of the program */
    LLVMSetVisibility(m->stack_limit, LLVMHiddenVisibility);
    LLVMSetVisibility(m->most_short, LLVMHiddenVisibility);
}
