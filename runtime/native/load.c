/* A linker for what kernels need (load.h): sections that are code or constants, relocations that are relative
 * to their place, functions of a closed list. Memory is filled first and made executable then. */
#include "load.h"

#include <elf.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "native.h"

enum {
    SECTIONS = 64,
    PAGE = 4096,
    STUB = 16,
    ADDRESS = sizeof(void *),
    MOST = 16 << 20 /* bytes */
};
static const size_t absent = SIZE_MAX; /* of a section that is not loaded */

typedef struct Object {
    const char *file;
    size_t size, at[SECTIONS]; /* of sections: where they go, from the base on */
    Elf64_Shdr sections[SECTIONS], *symbols, *strings;
    unsigned n;
    size_t stubs, total; /* bytes before the stubs, and in all */
    char *base;
} Object;

typedef void Function(void);
Function __extendhfsf2, __truncsfhf2, __truncdfhf2; /* of the compiler's library, for halves */
static const struct {
    const char *name;
    Function *call;   /* NULL: it is.. */
    const void *read; /* ..a variable */
} outside[] = {
#define KERNEL_CALL(name, function) {name, (Function *)function, NULL},
#define KERNEL_READ(name, variable) {name, NULL, &variable},
#include "../../codegen/abi/kernel.def"
#undef KERNEL_CALL
#undef KERNEL_READ
};
enum { NAMES = sizeof outside / sizeof *outside };

static bool holds(size_t size, uint64_t at, uint64_t bytes)
{
    return at <= size && bytes <= size - at;
}

static bool read_head(Object *o)
{
    static const char ident[] = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
    Elf64_Ehdr e;
    if (o->size < sizeof e) return false;
    memcpy(&e, o->file, sizeof e);
    o->n = e.e_shnum;
    if (memcmp(e.e_ident, ident, sizeof ident) != 0 || e.e_type != ET_REL ||
        e.e_machine != EM_X86_64 || e.e_shentsize != sizeof(Elf64_Shdr) || o->n > SECTIONS ||
        !holds(o->size, e.e_shoff, o->n * sizeof(Elf64_Shdr)))
        return false;
    memcpy(o->sections, o->file + e.e_shoff, o->n * sizeof(Elf64_Shdr));
    for (unsigned i = 0; i < o->n; i++) {
        Elf64_Shdr *s = &o->sections[i];
        if (s->sh_type != SHT_NOBITS && !holds(o->size, s->sh_offset, s->sh_size)) return false;
        if (s->sh_type == SHT_SYMTAB) o->symbols = s;
    }
    if (!o->symbols || o->symbols->sh_link >= o->n) return false;
    const Elf64_Shdr *s = o->strings = &o->sections[o->symbols->sh_link];
    return s->sh_type == SHT_STRTAB && s->sh_size && !o->file[s->sh_offset + s->sh_size - 1];
}

/* Code first, then constants, then a stub for each name outside. Tables for unwinding are for nobody. */
static bool lay_out(Object *o)
{
    const uint64_t known = SHF_ALLOC | SHF_EXECINSTR | SHF_MERGE | SHF_STRINGS;
    for (unsigned i = 0; i < o->n; i++) o->at[i] = absent;
    for (unsigned k = 0; k < 2 * o->n; k++) {
        const Elf64_Shdr *s = &o->sections[k % o->n];
        uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
        if (!(s->sh_flags & SHF_ALLOC) || s->sh_type == SHT_X86_64_UNWIND) continue;
        if (!(s->sh_flags & SHF_EXECINSTR) != (k >= o->n)) continue;
        if (s->sh_type != SHT_PROGBITS || (s->sh_flags & ~known)) return false;
        if (align > PAGE || (align & (align - 1))) return false;
        size_t at = o->at[k % o->n] = (o->total + align - 1) & ~(align - 1);
        o->total = at + s->sh_size;
        if (o->total > MOST) return false;
    }
    o->stubs = (o->total + STUB - 1) / STUB * STUB;
    o->total = (o->stubs + NAMES * STUB + PAGE - 1) & ~(size_t)(PAGE - 1);
    return true;
}

/* Its name, NULL: none, or it is in nothing that is loaded. */
static const char *read_symbol(const Object *o, uint64_t i, Elf64_Sym *y)
{
    if (i >= o->symbols->sh_size / sizeof *y) return NULL;
    memcpy(y, o->file + o->symbols->sh_offset + i * sizeof *y, sizeof *y);
    if (y->st_name >= o->strings->sh_size) return NULL;
    const char *name = o->file + o->strings->sh_offset + y->st_name;
    if (y->st_shndx == SHN_UNDEF) return name;
    bool there = y->st_shndx < o->n && o->at[y->st_shndx] != absent;
    return there && y->st_value <= o->sections[y->st_shndx].sh_size ? name : NULL;
}

/* Where the jump to a function outside is, or where the address of a variable lies; absent: there is none
 * such. */
static size_t stub_of(const Object *o, const char *name, bool jumps)
{
    static const unsigned char jump[] = {0xff, 0x25, 0xf2, 0xff, 0xff, 0xff}; /* jmp *-14(%rip) */
    for (size_t i = 0, at = o->stubs; i < NAMES; i++, at += STUB) {
        if (strcmp(outside[i].name, name) != 0) continue;
        if (jumps != (outside[i].call != NULL)) return absent;
        memcpy(o->base + at, jumps ? (const void *)&outside[i].call : &outside[i].read, ADDRESS);
        memcpy(o->base + at + ADDRESS, jump, sizeof jump);
        return at + (jumps ? ADDRESS : 0);
    }
    return absent;
}

static bool is_known(uint64_t type)
{
    return type == R_X86_64_PC32 || type == R_X86_64_PLT32 || type == R_X86_64_GOTPCREL ||
           type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
}

/* All are of 32 bits, from their place to something in the same memory: what they name, or where the address
 * of that lies. */
static bool relocate(const Object *o, unsigned section, const Elf64_Rela *r)
{
    Elf64_Sym y;
    uint64_t type = ELF64_R_TYPE(r->r_info);
    const char *name = read_symbol(o, ELF64_R_SYM(r->r_info), &y);
    if (!name || !is_known(type)) return false;
    if (!holds(o->sections[section].sh_size, r->r_offset, sizeof(int32_t))) return false;
    bool out = y.st_shndx == SHN_UNDEF, address = type != R_X86_64_PC32 && type != R_X86_64_PLT32;
    if (address && !out) return false; /* nothing of ours is asked for so */
    size_t at = out ? stub_of(o, name, !address) : o->at[y.st_shndx] + y.st_value;
    if (at == absent || r->r_addend < -MOST || r->r_addend > MOST) return false;
    int64_t to = (int64_t)at + r->r_addend, end = to + (int64_t)sizeof(int32_t);
    size_t place = o->at[section] + r->r_offset;
    int32_t v = (int32_t)(to - (int64_t)place);
    memcpy(o->base + place, &v, sizeof v);
    return end >= 0 && end <= (int64_t)o->total;
}

static bool fill(const Object *o)
{
    for (unsigned i = 0; i < o->n; i++)
        if (o->at[i] != absent)
            memcpy(o->base + o->at[i], o->file + o->sections[i].sh_offset, o->sections[i].sh_size);
    for (unsigned i = 0; i < o->n; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (s->sh_type != SHT_RELA && s->sh_type != SHT_REL) continue;
        if (s->sh_info >= o->n || o->at[s->sh_info] == absent) continue;
        for (uint64_t k = 0; k < s->sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela r;
            memcpy(&r, o->file + s->sh_offset + k * sizeof r, sizeof r);
            if (s->sh_type == SHT_REL || !relocate(o, s->sh_info, &r)) return false;
        }
    }
    return true;
}

static CsKernelCode *function_of(const Object *o, const char *wanted)
{
    Elf64_Sym y;
    CsKernelCode *code = NULL;
    for (uint64_t i = 0; i < o->symbols->sh_size / sizeof y; i++) {
        const char *name = read_symbol(o, i, &y);
        if (!name || y.st_shndx == SHN_UNDEF || strcmp(name, wanted) != 0) continue;
        const Elf64_Shdr *s = &o->sections[y.st_shndx];
        void *at = o->base + o->at[y.st_shndx] + y.st_value;
        if ((s->sh_flags & SHF_EXECINSTR) && y.st_value < s->sh_size)
            memcpy(&code, &at, sizeof code);
    }
    return code;
}

bool load_object(const void *file, size_t size, int n, const char *const *names,
                 CsKernelCode **codes, Loaded *out)
{
    Object o = {.file = file, .size = size};
    if (!read_head(&o) || !lay_out(&o)) return false;
    void *base = mmap(NULL, o.total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED) return false;
    *out = (Loaded){o.base = base, o.total};
    bool good = fill(&o);
    for (int i = 0; good && i < n; i++) {
        CsKernelCode *code = names[i] ? function_of(&o, names[i]) : NULL;
        if (code) codes[i] = code;
    }
    if (good && mprotect(base, o.total, PROT_READ | PROT_EXEC) == 0) return true;
    load_free(out);
    return false;
}

void load_free(Loaded *l)
{
    if (l->base) munmap(l->base, l->size);
    *l = (Loaded){0};
}
