/* Debugging information (-g): functions, lines and variables for gdb and profilers. Without -g
 * every function here does nothing. Records show as structures, references as pointers to a type
 * named as in C$. */
#include <string.h>
#include <unistd.h>

#include <llvm/Config/llvm-config.h>

#include "impl.h"

enum { OP_PLUS_UCONST = 0x23 }; /* DWARF's */
enum {
    ENCODING_BOOL = 2,
    ENCODING_FLOAT = 4,
    ENCODING_SIGNED = 5,
    ENCODING_UNSIGNED = 7,
    ENCODING_UTF = 16
};

static void flag(HostModule *m, const char *name, unsigned value)
{
    LLVMAddModuleFlag(m->mod, LLVMModuleFlagBehaviorWarning, name, strlen(name),
                      LLVMValueAsMetadata(LLVMConstInt(m->i32, value, false)));
}

static LLVMMetadataRef file_of(const HostModule *m, uint32_t file)
{
    const char *path = sources_get(m->sources, file)->path;
    char folder[4096];
    if (!getcwd(folder, sizeof folder)) strcpy(folder, ".");
    return LLVMDIBuilderCreateFile(m->di, path, strlen(path), folder, strlen(folder));
}

void host_debug_init(HostModule *m)
{
    static const char producer[] = "csc";
    flag(m, "Debug Info Version", LLVMDebugMetadataVersion());
    flag(m, "Dwarf Version", 5);
    m->di = LLVMCreateDIBuilder(m->mod);
    m->di_file = file_of(m, m->sema->unit->loc.file);
    m->di_unit =
        LLVMDIBuilderCreateCompileUnit(m->di, LLVMDWARFSourceLanguageC99, m->di_file, producer,
                                       strlen(producer), m->options->opt_level > 0, "", 0, 0, "", 0,
                                       LLVMDWARFEmissionFull, 0, true, false, "", 0, "", 0);
    m->di_func_type = LLVMDIBuilderCreateSubroutineType(m->di, m->di_file, NULL, 0, LLVMDIFlagZero);
}

void host_debug_function(HostFunc *f, Loc loc)
{
    HostModule *m = f->m;
    if (!m->di) return;
    int line, col;
    sources_position(m->sources, loc.file, loc.begin, &line, &col);
    LLVMMetadataRef file = file_of(m, loc.file);
    f->di_scope = LLVMDIBuilderCreateFunction(
        m->di, file, f->name, strlen(f->name), "", 0, file, (unsigned)line, m->di_func_type, true,
        true, (unsigned)line, LLVMDIFlagZero, m->options->opt_level > 0);
    LLVMSetSubprogram(f->fn, f->di_scope);
}

void host_debug_at(HostFunc *f, Loc loc)
{
    HostModule *m = f->m;
    if (!f->di_scope) return;
    int line, col;
    sources_position(m->sources, loc.file, loc.begin, &line, &col);
    LLVMMetadataRef at =
        LLVMDIBuilderCreateDebugLocation(m->ctx, (unsigned)line, (unsigned)col, f->di_scope, NULL);
    LLVMSetCurrentDebugLocation2(m->b, at);
}

void host_debug_none(HostModule *m)
{
    LLVMSetCurrentDebugLocation2(m->b, NULL);
}

static LLVMMetadataRef type_of(HostModule *m, const Type *t);

/* A record: a structure of its fields. */
static LLVMMetadataRef record_type(HostModule *m, const Type *t, const char *name)
{
    const Class *c = t->decl->cls;
    LLVMTypeRef type = host_class(t)->type;
    LLVMTargetDataRef layout = LLVMGetModuleDataLayout(m->mod);
    LLVMMetadataRef *fields = arena_array(m->arena, LLVMMetadataRef, c->nfields + 1);
    uint64_t align = LLVMABIAlignmentOfType(layout, type) * UINT64_C(8);
    for (int i = 0; i < c->nfields; i++) {
        const Symbol *field = c->fields[i];
        LLVMTypeRef stored = host_stored_type(m, field->type);
        fields[i] =
            LLVMDIBuilderCreateMemberType(m->di, m->di_file, field->name, strlen(field->name),
                                          m->di_file, 0, LLVMABISizeOfType(layout, stored) * 8, 0,
                                          LLVMOffsetOfElement(layout, type, (unsigned)i) * 8,
                                          LLVMDIFlagZero, type_of(m, field->type));
    }
    return LLVMDIBuilderCreateStructType(
        m->di, m->di_file, name, strlen(name), m->di_file, 0, LLVMABISizeOfType(layout, type) * 8,
        (uint32_t)align, LLVMDIFlagZero, NULL, fields, (unsigned)c->nfields, 0, NULL, "", 0);
}

static LLVMMetadataRef type_of(HostModule *m, const Type *t)
{
    const char *name = type_text(m->arena, t);
    if (type_is_record(t)) return record_type(m, t, name);
    if (t->kind != TY_SCALAR) {
        LLVMMetadataRef object = LLVMDIBuilderCreateUnspecifiedType(m->di, name, strlen(name));
        return LLVMDIBuilderCreatePointerType(m->di, object, 64, 64, 0, name, strlen(name));
    }
    ScalarKind k = t->scalar;
    unsigned encoding = k == SC_BOOL          ? ENCODING_BOOL
                        : k == SC_CHAR        ? ENCODING_UTF
                        : scalar_is_real(k)   ? ENCODING_FLOAT
                        : scalar_is_signed(k) ? ENCODING_SIGNED
                                              : ENCODING_UNSIGNED;
    return LLVMDIBuilderCreateBasicType(m->di, name, strlen(name), scalar_bytes(k) * 8, encoding,
                                        LLVMDIFlagZero);
}

void host_debug_variable(HostFunc *f, LLVMValueRef slot, const Symbol *sym, int argument)
{
    HostModule *m = f->m;
    if (!f->di_scope || !host_is_local(f, slot)) return;
    uint64_t offset[] = {OP_PLUS_UCONST, 0};
    bool framed = !LLVMIsAAllocaInst(slot); /* a reference, in the frame */
    if (framed) {
        offset[1] = 8 * LLVMConstIntGetZExtValue(LLVMGetOperand(slot, 1));
        slot = f->frame;
    }
    int line, col;
    sources_position(m->sources, sym->loc.file, sym->loc.begin, &line, &col);
    LLVMMetadataRef type = type_of(m, sym->type), var;
    LLVMMetadataRef file = file_of(m, sym->loc.file);
    if (argument)
        var = LLVMDIBuilderCreateParameterVariable(m->di, f->di_scope, sym->name, strlen(sym->name),
                                                   (unsigned)argument, file, (unsigned)line, type,
                                                   true, LLVMDIFlagZero);
    else
        var = LLVMDIBuilderCreateAutoVariable(m->di, f->di_scope, sym->name, strlen(sym->name),
                                              file, (unsigned)line, type, true, LLVMDIFlagZero, 0);
    LLVMMetadataRef where = LLVMDIBuilderCreateExpression(m->di, offset, framed ? 2 : 0);
    LLVMMetadataRef at =
        LLVMDIBuilderCreateDebugLocation(m->ctx, (unsigned)line, (unsigned)col, f->di_scope, NULL);
    LLVMBasicBlockRef block = LLVMGetInsertBlock(m->b);
#if LLVM_VERSION_MAJOR >= 19
    LLVMDIBuilderInsertDeclareRecordAtEnd(m->di, slot, var, where, at, block);
#else
    LLVMDIBuilderInsertDeclareAtEnd(m->di, slot, var, where, at, block);
#endif
}

void host_debug_finish(HostModule *m)
{
    if (m->di) LLVMDIBuilderFinalize(m->di);
}
