/* The loader (runtime/native/load.h): what kernels need is loaded, what is damaged or does more is refused. Mutated
 * objects must not end the process; they are not run. tests of codegen run what it loads. */
#include "load_object.h"

START_TEST(kernels_are_loaded)
{
    ck_assert(loads(good.bytes, good.size, good.name));
    ck_assert(!loads(good.bytes, good.size, "kernel.other"));
}
END_TEST

/* What /proc/self/maps says of an address, "r-xp". */
static void rights_of(const void *p, char rights[5])
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512], *end;
    rights[0] = '\0';
    while (f && fgets(line, sizeof line, f)) {
        uintptr_t from = strtoull(line, &end, 16), to = strtoull(end + 1, &end, 16);
        ck_assert_msg(!strstr(line, " rwx"), "%s", line);
        if ((uintptr_t)p >= from && (uintptr_t)p < to) snprintf(rights, 5, "%.4s", end + 1);
    }
    if (f) fclose(f);
}

/* y(i) = (half) (x(i) + 0.1): below v3 the processor has no halves. */
static const char halves[] = "%0 = var \"i\" : int\n"
                             "%1 = const 0 : int\n"
                             "%2 = slot 0 \"n\" : int\n"
                             "%3 = slot 1 \"x\" : array half(int)\n"
                             "%4 = apply %3 (%0) : half\n"
                             "%5 = apply @convert (%4) : double\n"
                             "%6 = const 0.1 : double\n"
                             "%7 = apply @add (%5, %6) : double\n"
                             "%8 = apply @convert (%7) : half\n"
                             "%9 = let (%0 : given %1..%2) %8 : half(int)\n"
                             "result %9\n";

/* A module's kernel; of several, which quick code has together, the last. */
static const char *kernel_of(const NativeModule *m)
{
    size_t len;
    const char *name = m->kernel;
    for (LLVMValueRef f = LLVMGetFirstFunction(m->mod); f && !m->kernel; f = LLVMGetNextFunction(f))
        if (LLVMGetLinkage(f) == LLVMExternalLinkage && !LLVMIsDeclaration(f))
            name = LLVMGetValueName2(f, &len);
    return name;
}

static void load_levels(void *count, const CgCode *code)
{
    const char *error;
    CgPlan *plan = cg_plan_parse(code->text, &error);
    for (int level = 0; level < CG_NATIVE_LEVELS; level++) {
        const NativeOptions options = {.level = (CgNativeLevel)level};
        Native *n = native_new(code, plan, NULL, &options);
        for (NativeModule m; native_take(n, &m); ++*(int *)count) {
            (m.quick ? native_optimise_quickly : native_optimise)(m.mod, native_target);
            llvm_machine_module(native_target, m.mod);
            LLVMMemoryBufferRef object = llvm_machine_code(native_target, m.mod, LLVMObjectFile);
            ck_assert_msg(
                loads(LLVMGetBufferStart(object), LLVMGetBufferSize(object), kernel_of(&m)),
                "%s at level %d", kernel_of(&m), level);
            LLVMDisposeMemoryBuffer(object);
            LLVMDisposeModule(m.mod);
            LLVMContextDispose(m.context);
        }
        native_free(n);
    }
    cg_plan_free(plan);
}

START_TEST(halves_are_loaded)
{
    Fd *fd = fd_new();
    FdError error = {0};
    char *text = NULL;
    const char *why = NULL;
    int count = 0;
    const CgOptions options = {.family = CG_CPU};
    const CgAlso also = {.take = load_levels, .ctx = &count};
    FdGraph *g = fd_read(fd, halves, &why);
    ck_assert_msg(g != NULL, "%s", why);
    ck_assert_int_eq(cg_lower_also(g, &options, &also, &text, &error), CG_OK);
    ck_assert_int_ge(count, CG_NATIVE_LEVELS);
    mem_free(text);
    fd_free(fd);
}
END_TEST

START_TEST(code_is_never_writable)
{
    char rights[5];
    const char *name = good.name;
    CsKernelCode *code = NULL;
    Loaded l = {0};
    ck_assert(load_object(good.bytes, good.size, 1, &name, &code, &l));
    rights_of(l.base, rights);
    ck_assert_str_eq(rights, "r-xp");
    rights_of((char *)l.base + l.size - 1, rights);
    ck_assert_str_eq(rights, "r-xp");
    void *base = l.base;
    load_free(&l);
    rights_of(base, rights);
    ck_assert_str_ne(rights, "r-xp");
}
END_TEST

START_TEST(cut_objects_are_refused)
{
    for (size_t size = 0; size < good.size; size++) loads(good.bytes, size, good.name);
    for (size_t size = 0; size + sizeof(Elf64_Shdr) < good.size; size += 64)
        ck_assert(!loads(good.bytes, size, good.name));
}
END_TEST

START_TEST(what_kernels_do_not_need_is_refused)
{
    Changed c = begin_change();
    section(&c, SHT_PROGBITS, SHF_ALLOC)->sh_flags |= SHF_WRITE;
    end_change(&c, "what can be written");
    c = begin_change();
    section(&c, SHT_PROGBITS, SHF_ALLOC)->sh_type = SHT_INIT_ARRAY;
    end_change(&c, "a constructor");
    c = begin_change();
    section(&c, SHT_PROGBITS, SHF_ALLOC)->sh_flags |= SHF_TLS;
    end_change(&c, "a thread's own");
    c = begin_change();
    ((Elf64_Ehdr *)(void *)c.bytes)->e_machine = EM_AARCH64;
    end_change(&c, "another processor's");
    c = begin_change();
    ((Elf64_Ehdr *)(void *)c.bytes)->e_type = ET_DYN;
    end_change(&c, "a shared object");
    c = begin_change();
    memcpy(memmem(c.bytes, good.size, "cs_kernel_fail", 15), "posix_openptsx", 15);
    end_change(&c, "a foreign name");
    c = begin_change();
    memcpy(memmem(c.bytes, good.size, "cs_kernel_fail", 15), "system\0\0\0\0\0\0\0\0", 15);
    end_change(&c, "a function of the process");
}
END_TEST

START_TEST(relocations_outside_are_refused)
{
    const int types[] = {R_X86_64_64, R_X86_64_32, R_X86_64_GOTPCREL, R_X86_64_TPOFF32, 255};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        Changed c = begin_change();
        Elf64_Rela *r = relocation(&c);
        r->r_info = ELF64_R_INFO(ELF64_R_SYM(r->r_info), (unsigned)types[i]);
        end_change(&c, "a relocation of another type");
    }
    const uint64_t places[] = {1 << 20, UINT64_MAX - 2, UINT64_MAX};
    const int64_t addends[] = {1 << 22, -(1 << 22), INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        Changed c = begin_change();
        relocation(&c)->r_offset = places[i];
        end_change(&c, "a place outside its section");
    }
    for (size_t i = 0; i < sizeof addends / sizeof *addends; i++) {
        Changed c = begin_change();
        relocation(&c)->r_addend = addends[i];
        end_change(&c, "what is outside the object");
    }
    Changed c = begin_change();
    Elf64_Rela *r = relocation(&c);
    r->r_info = ELF64_R_INFO(UINT32_MAX, ELF64_R_TYPE(r->r_info));
    end_change(&c, "a symbol that is not there");
}
END_TEST

START_TEST(sections_outside_are_refused)
{
    const uint64_t numbers[] = {good.size, UINT64_MAX, UINT64_MAX - 16, (uint64_t)1 << 63};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        Changed c = begin_change();
        section(&c, SHT_PROGBITS, SHF_ALLOC)->sh_offset = numbers[i];
        end_change(&c, "a section behind the end");
        c = begin_change();
        section(&c, SHT_PROGBITS, SHF_ALLOC)->sh_size = numbers[i];
        end_change(&c, "a section too long");
        c = begin_change();
        section(&c, SHT_SYMTAB, 0)->sh_size = numbers[i];
        end_change(&c, "symbols too many");
        c = begin_change();
        section(&c, SHT_SYMTAB, 0)->sh_link = (uint32_t)numbers[i];
        end_change(&c, "names elsewhere");
        c = begin_change();
        ((Elf64_Ehdr *)(void *)c.bytes)->e_shoff = numbers[i];
        end_change(&c, "sections elsewhere");
    }
    Changed c = begin_change();
    section(&c, SHT_PROGBITS, SHF_ALLOC)->sh_addralign = 3;
    end_change(&c, "an alignment that is none");
    c = begin_change();
    section(&c, SHT_PROGBITS, SHF_ALLOC)->sh_addralign = 1 << 20;
    end_change(&c, "an alignment that pages do not have");
}
END_TEST

/* ---- what no other check would notice ----------------------------------------------------------- */

static Elf64_Sym *symbol(const Changed *c, const char *name)
{
    const Elf64_Shdr *all = section(c, SHT_SYMTAB, 0), *names = &c->sections[all->sh_link];
    Elf64_Sym *y = (void *)(c->bytes + all->sh_offset);
    for (size_t i = 0; i < all->sh_size / sizeof *y; i++)
        if (strcmp(c->bytes + names->sh_offset + y[i].st_name, name) == 0) return &y[i];
    ck_abort_msg("no symbol %s", name);
}

/* The first relocation by this symbol. */
static Elf64_Rela *relocation_by(const Changed *c, const Elf64_Sym *y)
{
    const char *all = c->bytes + section(c, SHT_SYMTAB, 0)->sh_offset;
    const size_t number = (size_t)((const char *)y - all) / sizeof *y;
    for (int i = 0; i < c->n; i++) {
        Elf64_Rela *r = (void *)(c->bytes + c->sections[i].sh_offset);
        if (c->sections[i].sh_type != SHT_RELA) continue;
        for (size_t k = 0; k < c->sections[i].sh_size / sizeof *r; k++)
            if (ELF64_R_SYM(r[k].r_info) == number) return &r[k];
    }
    ck_abort_msg("no relocation");
}

static void set_type(Elf64_Rela *r, uint32_t type)
{
    r->r_info = ELF64_R_INFO(ELF64_R_SYM(r->r_info), type);
}

static const char outside[] = "cs_kernel_fail", variable[] = "cs_stack_limit";

START_TEST(names_outside_are_used_as_what_they_are)
{
    Changed c = begin_change();
    set_type(relocation_by(&c, symbol(&c, outside)), R_X86_64_GOTPCREL);
    end_change(&c, "a function as a variable");
    for (int absolute = 0; absolute < 2; absolute++) {
        c = begin_change();
        Elf64_Rela *r = relocation_by(&c, symbol(&c, outside));
        memcpy(memmem(c.bytes, good.size, outside, sizeof outside), variable, sizeof variable);
        if (absolute) set_type(r, R_X86_64_64);
        end_change(&c, absolute ? "an absolute address" : "a variable as a function");
    }
    c = begin_change();
    relocation_by(&c, symbol(&c, outside))->r_addend = 64;
    memcpy(memmem(c.bytes, good.size, outside, sizeof outside), "posix_openptsx", 15);
    end_change(&c, "a foreign name from whose place on something is ours");
}
END_TEST

START_TEST(kernels_are_code)
{
    Changed c = begin_change();
    for (int i = 0; i < c.n; i++)
        if ((c.sections[i].sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) == SHF_ALLOC &&
            c.sections[i].sh_type == SHT_PROGBITS) {
            symbol(&c, good.name)->st_shndx = (uint16_t)i;
            symbol(&c, good.name)->st_value = 0;
        }
    end_change(&c, "a kernel among constants");
    c = begin_change();
    Elf64_Sym *y = symbol(&c, good.name);
    y->st_value = c.sections[y->st_shndx].sh_size;
    end_change(&c, "a kernel behind its section");
}
END_TEST

START_TEST(other_formats_are_refused)
{
    for (int at = 0; at <= EI_VERSION; at++) {
        Changed c = begin_change();
        c.bytes[at]++;
        end_change(&c, "another kind of file");
    }
    Changed c = begin_change();
    ((Elf64_Ehdr *)(void *)c.bytes)->e_shentsize /= 2;
    end_change(&c, "sections of another length");
    c = begin_change();
    section(&c, SHT_RELA, 0)->sh_type = SHT_REL;
    end_change(&c, "relocations without addends");
    c = begin_change();
    Elf64_Shdr *names = &c.sections[section(&c, SHT_SYMTAB, 0)->sh_link];
    names->sh_type = SHT_NOTE;
    end_change(&c, "names that are none");
    c = begin_change();
    names = &c.sections[section(&c, SHT_SYMTAB, 0)->sh_link];
    c.bytes[names->sh_offset + names->sh_size - 1] = 'x';
    end_change(&c, "names without an end");
}
END_TEST

/* The object with so many bytes more. */
static Changed begin_longer(size_t more)
{
    Changed c = {.bytes = mem_alloc(good.size + more)};
    memcpy(c.bytes, good.bytes, good.size);
    memset(c.bytes + good.size, 0, more);
    c.n = ((const Elf64_Ehdr *)(const void *)c.bytes)->e_shnum;
    c.sections = (void *)(c.bytes + ((const Elf64_Ehdr *)(const void *)c.bytes)->e_shoff);
    return c;
}

START_TEST(large_objects_are_refused)
{
    enum { SECTIONS = 4096, BYTES = 32 << 20 };
    Changed c = begin_longer(SECTIONS * sizeof *c.sections + 8);
    Elf64_Ehdr *e = (void *)c.bytes;
    size_t at = (good.size + 7) & ~(size_t)7;
    memcpy(c.bytes + at, c.sections, (size_t)c.n * sizeof *c.sections);
    e->e_shoff = at;
    e->e_shnum = SECTIONS;
    ck_assert_msg(!loads(c.bytes, at + SECTIONS * sizeof *c.sections, good.name),
                  "%d sections are loaded", SECTIONS);
    mem_free(c.bytes);
    c = begin_longer(BYTES);
    Elf64_Shdr *code = &c.sections[symbol(&c, good.name)->st_shndx];
    memcpy(c.bytes + good.size, c.bytes + code->sh_offset, code->sh_size);
    code->sh_offset = good.size;
    code->sh_size = BYTES;
    ck_assert_msg(!loads(c.bytes, good.size + BYTES, good.name), "%d bytes are loaded", BYTES);
    mem_free(c.bytes);
}
END_TEST

/* Any outcome will do, under ASan too. */
START_TEST(mutated_objects_do_no_harm)
{
    srand(1);
    char *bytes = mem_alloc(good.size);
    int taken = 0;
    for (int i = 0; i < MUTATIONS; i++) {
        memcpy(bytes, good.bytes, good.size);
        size_t size = rand() % 8 ? good.size : (size_t)rand() % good.size;
        for (int n = 1 + rand() % 4; n > 0; n--) { /* half of them where the numbers are */
            size_t at = (size_t)rand() % good.size, tail = good.size - good.size / 4;
            if (rand() % 2) at = rand() % 4 ? tail + at % (good.size - tail) : at % 64;
            bytes[at] = (char)(rand() % 2 ? bytes[at] ^ 1 << rand() % 8 : rand());
        }
        taken += loads(bytes, size, good.name);
    }
    mem_free(bytes);
    ck_assert_int_gt(taken, MUTATIONS / 100); /* code and constants may be anything */
    ck_assert_int_lt(taken, MUTATIONS);
}
END_TEST

/* Each kernel that csc is shipped with (codegen/llvm/store.c: objects begin at multiples of 16). */
START_TEST(shipped_kernels_are_loaded)
{
    const char *build = getenv("BUILD");
    char path[256];
    snprintf(path, sizeof path, "%s/csc.kept", build ? build : "build");
    FILE *f = fopen(path, "rb");
    if (!f) return; /* of a build with sanitizers */
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f), kernels = 0, refused = 0;
    char *all = mem_alloc(size);
    rewind(f);
    ck_assert_uint_eq(fread(all, 1, size, f), size);
    fclose(f);
    for (size_t at = 0, end; at + 16 <= size; at = end) {
        end = at + 16;
        if (memcmp(all + at, ELFMAG, SELFMAG) != 0) continue;
        while (end + 16 <= size && memcmp(all + end, ELFMAG, SELFMAG) != 0) end += 16;
        const char *name = memmem(all + at, end - at, "kernel.", 7);
        if (!name) continue;
        kernels++;
        refused += !loads(all + at, end - at, name);
    }
    mem_free(all);
    ck_assert_uint_gt(kernels, 100);
    ck_assert_uint_eq(refused, 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("load");
    TCase *t = tcase_create("load");
    tcase_set_timeout(t, 120);
    tcase_add_unchecked_fixture(t, make_object, NULL);
    tcase_add_test(t, kernels_are_loaded);
    tcase_add_test(t, halves_are_loaded);
    tcase_add_test(t, code_is_never_writable);
    tcase_add_test(t, cut_objects_are_refused);
    tcase_add_test(t, what_kernels_do_not_need_is_refused);
    tcase_add_test(t, relocations_outside_are_refused);
    tcase_add_test(t, sections_outside_are_refused);
    tcase_add_test(t, names_outside_are_used_as_what_they_are);
    tcase_add_test(t, kernels_are_code);
    tcase_add_test(t, other_formats_are_refused);
    tcase_add_test(t, large_objects_are_refused);
    tcase_add_test(t, mutated_objects_do_no_harm);
    tcase_add_test(t, shipped_kernels_are_loaded);
    suite_add_tcase(s, t);
    return run_suite(s);
}
