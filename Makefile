# C$: compiler and runtime. `make demo` and `make check` are all that a fresh Debian machine needs.
#   make             ./csc, csrt.o and csc.kept    make check        every test, some 10 minutes
#   make quick       what a change can touch, a minute
#   make bench       ratios against peers                make bless        accept new golden outputs
#   make samples     the programs of samples/, compared with what they should print
#   make asan        ./build/asan/csc with ASan+UBSan   make check-long   the long suites too
#   make install deb dist  in place; a Debian package; the sources
#   make ulp         errors of the functions of reals, of every float (an hour)

# A plain make has as many jobs as there are cores; -j says otherwise.
ifeq ($(MAKELEVEL)$(filter-out all,$(MAKECMDGOALS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

PREFIX  ?= /usr/local
PYTHONDIR ?= $(PREFIX)/lib/python3/dist-packages
ZSHDIR    ?= zsh/site-functions
DOCDIR    ?= $(PREFIX)/share/doc/csdollar
CC      ?= cc
BUILD   ?= build
CSC     ?= ./csc
WARN    := -Wall -Wextra -Wpedantic -Wshadow -Wconversion
CFLAGS  ?= -O2 -g
BASEFLAGS = -std=c17 -D_GNU_SOURCE $(WARN) -MMD -MP -I$(BUILD) $(SAN)

# Any LLVM from 15 on; the newest found wins.
LLVM_CONFIG ?= $(firstword $(foreach v,21 20 19 18 17 16 15,$(shell command -v llvm-config-$(v) 2>/dev/null)) $(shell command -v llvm-config 2>/dev/null))
LLVM_CFLAGS  = $(shell $(LLVM_CONFIG) --cflags 2>/dev/null)
LLVM_LIBS    = $(shell $(LLVM_CONFIG) --ldflags --libs core native passes 2>/dev/null)
LLVM_INSIDE  = -no-pie -Wl,--gc-sections $(shell $(LLVM_CONFIG) --link-static --ldflags --libs core native passes 2>/dev/null) -l:libz.so.1 -l:libzstd.so.1 -l:libstdc++.so.6 -l:libgcc_s.so.1

CSC_LIBS     = -ljansson -lcmark -ledit -lm

# One line a file; V=1 shows the commands.
say = $(if $(V),,@echo "  $(1) $<";)

# ---- what is built from what ----------------------------------------------------------------
SHARED_SRC  := $(wildcard base/*.c base/*/*.c fdag/*.c fdag/*/*.c fdag/*/*/*.c codegen/kernel/*.c codegen/kernel/*/*.c codegen/kernel/*/*/*.c codegen/kernel/*/*/*/*.c)
FRONT_SRC   := $(wildcard lexer/*.c lexer/*/*.c parser/*.c parser/*/*.c sema/*.c sema/*/*.c sema/*/*/*.c)
HOST_SRC    := $(wildcard codegen/host/*.c codegen/host/*/*.c codegen/llvm/*.c codegen/native/*.c codegen/serve/*.c)
DRIVER_SRC  := $(wildcard driver/*.c driver/*/*.c format/*.c server/*.c server/*/*.c)
READING_SRC := $(patsubst %,codegen/kernel/schedule/text/%.c,lines read words) # of schedules: csc's alone
$(foreach f,$(filter-out $(SHARED_SRC),$(READING_SRC)),$(error READING_SRC: there is no $f))
RUNTIME_SRC := $(wildcard runtime/*.c runtime/*/*.c runtime/*/*/*.c)
STDLIB      := $(sort $(wildcard stdlib/*.cs$$))
GENERATED   := $(BUILD)/lexer/scanner.c $(BUILD)/parser/grammar.c $(BUILD)/parser/embedded.c $(BUILD)/codegen/texts.c $(BUILD)/driver/texts.c $(BUILD)/driver/page.c $(BUILD)/driver/mpi.c
GEN_HEADERS := $(BUILD)/lexer/scanner.h $(BUILD)/parser/grammar.h

obj = $(patsubst %.c,$(BUILD)/$(1)/%.o,$(2))
CSC_OBJ  := $(call obj,obj,$(SHARED_SRC) $(FRONT_SRC) $(HOST_SRC) $(DRIVER_SRC)) $(GENERATED:.c=.o)
RT_OBJ   := $(call obj,rt,$(filter-out $(READING_SRC),$(SHARED_SRC)) $(RUNTIME_SRC))
# For each MPI that is there, what programs open when its launcher starts them.
SHIMS    := $(foreach m,openmpi mpich,$(if $(shell command -v mpicc.$(m) 2>/dev/null),$(BUILD)/mpi/$(m).so))
UNIT_SRC := $(wildcard tests/unit/*/*.c)
UNIT     := $(patsubst %.c,$(BUILD)/unit/%,$(notdir $(filter-out %/load_test.c %/serve_test.c %/aarch64_test.c,$(UNIT_SRC)))) \
            $(patsubst %,$(BUILD)/unit/native_%test,codegen_ codegen_record_ codegen_keys_ codegen_product_ codegen_flat_ load_ serve_ aarch64_ math_)

# Nothing is committed: whoever builds has every tool, or is told which is missing.
.PHONY: FORCE all check pocl quick check-long unit golden schedules faults memory serve ranks mpi levels recursion explain robust cli generator replay examples fuzz docs products samples debugger library page bench demo bless layers format format-check asan asan-check install uninstall deb dist clean deps
all: $(CSC) $(BUILD)/csrt.o $(if $(SAN),,$(BUILD)/csc.kept) $(SHIMS)

# LLVM's archives, where there are any: with the shared library, which holds every target, csc takes 12 ms to begin instead of 3.
link_csc = $(if $(SAN),,$(CC) $(CFLAGS) -o $@ $(1) $(LLVM_INSIDE) $(CSC_LIBS) 2>/dev/null ||) $(CC) $(CFLAGS) $(SAN) -o $@ $(1) $(LLVM_LIBS) $(CSC_LIBS)
$(CSC): $(BUILD)/csc.o $(BUILD)/libcsc.a | $(BUILD)/csrt.o
	$(call say,link)$(call link_csc,$(BUILD)/csc.o $(BUILD)/libcsc.a)

$(BUILD)/libcsc.a: $(CSC_OBJ)
$(BUILD)/libcsrt.a: $(RT_OBJ)
# Quick append (q): members of the same name from different folders must not replace each other.
$(BUILD)/%.a:
	@rm -f $@
	@echo "  ar $@"
	@ar qcs $@ $^
# What programs are linked with: the runtime as one object, without debug information and in few sections, links in a third of the time.
$(BUILD)/csrt.o: $(BUILD)/libcsrt.a
	@echo "  ld $@"
	@$(CC) -r -nostdlib -Wl,-S -Wl,--whole-archive $< -o $@

$(BUILD)/mpi/%.so: codegen/abi/ranks_shim.c codegen/abi/shim.h
	@mkdir -p $(@D)
	@echo "  mpicc $@"
	@mpicc.$* -std=c17 -D_GNU_SOURCE $(WARN) $(CFLAGS) -shared -fPIC -o $@ $<

# Machine code of what many programs have in common. A csc without it compiles all of it anew.
$(BUILD)/csc.kept: $(CSC) tools/common.cs$$
	@echo "  csc $@"
	@CS_CACHE_DIR= $(CSC) --emit=kept -o $@ 'tools/common.cs$$'

# The compiler checks itself between passes; the runtime, which works while the user waits, does not. What knows of no
# difference is compiled once.
CHECKING_SRC := $(shell grep -l NDEBUG $(SHARED_SRC))
$(call obj,obj,$(filter-out $(CHECKING_SRC) $(READING_SRC),$(SHARED_SRC))): $(BUILD)/obj/%.o: $(BUILD)/rt/%.o
	@mkdir -p $(@D)
	@cp $< $@
$(BUILD)/obj/%.o: %.c | $(GEN_HEADERS)
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(BASEFLAGS) $(CFLAGS) $(if $(filter codegen/host/% codegen/llvm/% codegen/native/%,$<),$(patsubst -I%,-isystem %,$(filter -I%,$(LLVM_CFLAGS)))) -c -o $@ $<
$(BUILD)/rt/%.o: %.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(BASEFLAGS) $(CFLAGS) -DNDEBUG -fPIC -c -o $@ $<
# Part of every cache key; written anew only when a source of the generator has changed.
$(BUILD)/generator.h: FORCE
	@mkdir -p $(@D)
	@tools/generator.sh >$@.new && { cmp -s $@.new $@ && rm $@.new || mv $@.new $@; }
FORCE: ;
$(BUILD)/obj/codegen/kernel/plan/key.o $(BUILD)/rt/codegen/kernel/plan/key.o $(BUILD)/obj/codegen/llvm/kept.o $(BUILD)/obj/codegen/serve/serve.o $(BUILD)/rt/runtime/native/compiler.o $(BUILD)/rt/runtime/native/code.o: $(BUILD)/generator.h
$(BUILD)/csc.o: csc.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(BASEFLAGS) $(CFLAGS) -c -o $@ $<
$(BUILD)/%.o: $(BUILD)/%.c $(GEN_HEADERS)
	$(call say,cc)$(CC) $(BASEFLAGS) $(CFLAGS) -Iparser -Ilexer -Icodegen/host/library -Idriver/run -Idriver/page -c -o $@ $<

$(BUILD)/lexer/scanner.c: lexer/lexer.l
	@mkdir -p $(@D)
	$(call say,flex)flex -o $@ --header-file=$(BUILD)/lexer/scanner.h $<
$(BUILD)/lexer/scanner.h: $(BUILD)/lexer/scanner.c ;
$(BUILD)/parser/grammar.c: parser/grammar.y
	@mkdir -p $(@D)
	$(call say,bison)bison -Werror -o $@ --defines=$(BUILD)/parser/grammar.h $<
$(BUILD)/parser/grammar.h: $(BUILD)/parser/grammar.c ;
$(BUILD)/parser/embedded.c: tools/embed.sh $(STDLIB)
	@mkdir -p $(@D)
	$(call say,embed)tools/embed.sh $(foreach f,$(STDLIB),'$(f)') >$@

$(BUILD)/codegen/texts.c: tools/embed-texts.sh codegen/abi/embed.h codegen/host/library/module.py
	@mkdir -p $(@D)
	$(call say,embed)tools/embed-texts.sh texts.h library_embed_h=codegen/abi/embed.h library_module_py=codegen/host/library/module.py >$@
$(BUILD)/driver/texts.c: tools/embed-texts.sh driver/run/doctor.cs$$
	@mkdir -p $(@D)
	$(call say,embed)tools/embed-texts.sh doctor.h doctor_program='driver/run/doctor.cs$$' >$@
$(BUILD)/driver/mpi.c: tools/embed-texts.sh codegen/abi/ranks_shim.c codegen/abi/shim.h
	@mkdir -p $(@D)
	$(call say,embed)tools/embed-texts.sh mpi.h mpi_source=codegen/abi/ranks_shim.c mpi_header=codegen/abi/shim.h >$@

$(BUILD)/driver/page.c: tools/embed-texts.sh driver/page/page.html
	@mkdir -p $(@D)
	$(call say,embed)tools/embed-texts.sh page.h page_frame=driver/page/page.html >$@

# Unit tests see the compiler and the runtime at once; -z muldefs is not needed: the shared objects come
# from libcsc, the rest of the runtime from libcsrt.
vpath %.c $(sort $(dir $(UNIT_SRC)))
$(BUILD)/unit/%: %.c $(BUILD)/libcsc.a $(BUILD)/libcsrt.a
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(BASEFLAGS) $(CFLAGS) -O1 -o $@ $< $(BUILD)/libcsc.a $(BUILD)/libcsrt.a $(LLVM_LIBS) -lOpenCL $$(pkg-config --libs check) $(TESTLIBS) -lm

# The tests of generated texts with native kernels in place of OpenCL's.
$(BUILD)/unit/native_%: %.c $(BUILD)/libcsc.a $(BUILD)/libcsrt.a
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(BASEFLAGS) -DCODEGEN_NATIVE $(patsubst -I%,-isystem %,$(filter -I%,$(LLVM_CFLAGS))) $(CFLAGS) -O1 -o $@ $< $(BUILD)/libcsc.a $(BUILD)/libcsrt.a $(LLVM_LIBS) -lOpenCL $$(pkg-config --libs check) -lm
$(BUILD)/unit/ulp_test: TESTLIBS := -lmpfr -lgmp
$(BUILD)/unit/server_test $(BUILD)/unit/server_text_test $(BUILD)/unit/editors_test $(BUILD)/unit/search_test: TESTLIBS := -ljansson
$(BUILD)/npyprod: tests/tools/npyprod.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) -std=c17 $(WARN) -O2 -o $@ $< -lm

# ---- tests ------------------------------------------------------------------------------------
deps:
	@tools/install-deps.sh

# What has two processes of its own first, then what takes long: no core waits at the end.
check: deps
	@$(MAKE) --no-print-directory -j2 all $(BUILD)/random/cases pocl
	@OCL_ICD_VENDORS=$$(tests/tools/pocl $(BUILD)/pocl) $(MAKE) --no-print-directory -j2 -Otarget unit golden schedules random faults levels cli memory serve library page products recursion ranks mpi robust explain debugger generator replay examples layers
# POCL with less to read, for check.
pocl:
	@mkdir -p $(BUILD)
	@tests/tools/pocl $(BUILD)/pocl >$(BUILD)/pocl.log
unit: $(UNIT)
	@CSC=$(CSC) tests/run-unit $(UNIT)
golden: all $(BUILD)/unit/fdag_pass $(BUILD)/unit/nest_tool
	@CSC=$(CSC) BUILD=$(BUILD) tests/run
# What csc says of programs' kernels and launches. Apart from golden, which takes longest: no core waits for it at the end.
schedules: all
	@CSC=$(CSC) tests/schedules
	@CSC=$(CSC) tests/plans
	@CSC=$(CSC) tests/scalar
	@CSC=$(CSC) tests/foreign/run
# Part of golden: small inputs, natively and on the reference executor, against C.
samples: all
	@CSC=$(CSC) BUILD=$(BUILD) tests/run '^samples/'
# OpenCL calls that fail: a sample; tests/long has all.
faults: all
	@CSC=$(CSC) tests/faults.sh
# Programs on several ranks; tests/long has more.
ranks: all $(BUILD)/faults/mem.o
	@CSC=$(CSC) BUILD=$(BUILD) tests/ranks.sh
# Programs under the launchers of the MPIs that are there.
mpi: all
	@CSC=$(CSC) BUILD=$(BUILD) tests/mpi.sh
explain: all
	@CSC=$(CSC) tests/explain
robust: all
	@CSC=$(CSC) tests/robust
generator: all
	@BUILD=$(BUILD) tests/generator
cli: all
	@CSC=$(CSC) tests/cli
# Programs and a compiler whose allocator fails when it is told to (base/mem.c).
FAULTS_BUILT = $(BUILD)/faults/mem.o $(BUILD)/faults/allfail $(BUILD)/faults/csc
$(BUILD)/faults/mem.o: base/mem.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) $(BASEFLAGS) $(CFLAGS) -DCS_FAULTS -c -o $@ $<
$(BUILD)/faults/allfail: tests/tools/allfail.c
	@mkdir -p $(@D)
	$(call say,cc)$(CC) -std=c17 -D_GNU_SOURCE $(WARN) -O2 -o $@ $<
$(BUILD)/faults/csc: $(BUILD)/csc.o $(BUILD)/faults/mem.o $(BUILD)/libcsc.a
	$(call say,link)$(call link_csc,$(BUILD)/csc.o $(BUILD)/faults/mem.o $(BUILD)/libcsc.a)
memory: all $(FAULTS_BUILT)
	@CSC=$(CSC) BUILD=$(BUILD) tests/memory.sh
# The front end on the inputs that fuzzing has found worth keeping; make fuzz looks for more for FUZZ_TIME seconds.
FUZZ_TIME ?= 60
# Traced comparisons and libFuzzer's entropic schedule took more time than the compiler; a small quarantine spares page faults.
FUZZ = BUILD=build/fuzz CC=clang CFLAGS="-O1 -g" SAN="-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-sanitize-coverage=trace-cmp"
replay: $(BUILD)/fuzz_replay
	@$< tests/fuzz/corpus/*
$(BUILD)/fuzz_replay: tests/fuzz/front.c $(BUILD)/libcsc.a
	$(call say,cc)$(CC) $(BASEFLAGS) $(CFLAGS) -DREPLAY -o $@ $< $(BUILD)/libcsc.a $(LLVM_LIBS) -lm
$(BUILD)/fuzz_front: tests/fuzz/front.c $(BUILD)/libcsc.a
	$(call say,cc)$(CC) $(BASEFLAGS) $(CFLAGS) -fsanitize=fuzzer -o $@ $< $(BUILD)/libcsc.a $(LLVM_LIBS) -lm
fuzz:
	@$(MAKE) --no-print-directory $(FUZZ) build/fuzz/fuzz_front
	@mkdir -p build/fuzz/found
	ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=8 build/fuzz/fuzz_front -max_total_time=$(FUZZ_TIME) -max_len=2000 -timeout=10 -entropic=0 -dict=tests/fuzz/words -artifact_prefix=build/fuzz/ build/fuzz/found tests/fuzz/corpus
	@$(CSC) run 'tests/fuzz/readers.cs$$' $$(date +%s) 20000
ulp: $(BUILD)/unit/ulp_test
	@CK_FORK=no ULP_TABLE=1 ULP_COUNT=65536 ULP_WIDTHS=1 ULP_EVERY=1 $<
docs: all
	@CSC=$(CSC) tools/diagnostics.sh >docs/diagnostics.md
	@tools/foreign.sh >docs/foreign.md
	@rm -rf docs/reference && mkdir docs/reference && CSC=$(CSC) tools/reference.sh docs/reference
	@tools/files.sh >docs/files.md
	@for f in $$(grep -l '^<!-- quote: ' docs/*.md); do CSC=$(CSC) tools/quotes.sh $$f >$(BUILD)/quoted.md && cp $(BUILD)/quoted.md $$f; done
levels: all
	@CSC=$(CSC) tests/levels.sh
# Kernels that csc makes while a program runs, and a csc that fails at it.
serve: all
	@CSC=$(CSC) tests/serve.sh
recursion: all
	@CSC=$(CSC) tests/recursion.sh
examples: all
	@tools/examples.sh
	@tests/numpy/covered
	@CSC=$(CSC) tests/pages
products: all $(BUILD)/npyprod
	@CSC=$(CSC) BUILD=$(BUILD) tests/matmul.sh
.PHONY: random check-oclgrind ulp
# Random programs, the same results in every configuration; make check-long runs 10000.
$(BUILD)/random/cases: $(patsubst %.c,$(BUILD)/obj/%.o,$(wildcard tests/random/*.c tests/random/*/*.c)) $(BUILD)/libcsc.a
	@mkdir -p $(@D)
	$(call say,link)$(CC) $(CFLAGS) $(SAN) -o $@ $^ -lm
random: all $(BUILD)/random/cases
	@$(BUILD)/random/cases 1 10000 >/dev/null
	@$(BUILD)/random/cases --reduce 3 'grep -q case1' '$(BUILD)/random/least.cs$$' >/dev/null 2>&1
	@CSC=$(CSC) BUILD=$(BUILD) SHARE=. BATCH=14 tests/random/run 1 56
	@CSC=$(CSC) tests/gradients.sh 0 6
	@CSC=$(CSC) tests/turns.sh 0 1 6
	@CSC=$(CSC) LOOPS_BY=ranges PLANS=1/0 tests/turns.sh 0 1 8
	@CSC=$(CSC) LOOPS_BY=small PLANS=1/0 tests/turns.sh 0 1 8
	@CSC=$(CSC) LOOPS_BY=shorts CS_SHORT=60 PLANS=1/0 tests/turns.sh 0 1 8
	@CSC=$(CSC) LOOPS_BY=reals AGAINST=CS_PLAN=0 PLANS="1/0 greedy/0" tests/turns.sh 1 2 4
debugger: all
	@CSC=$(CSC) tests/gdb.sh
library: all
	@CSC=$(CSC) tests/library.sh
	@CSC=$(CSC) tests/jupyter.sh
page: all
	@CSC=$(CSC) tests/page.sh
check-oclgrind: all
	@CSC=$(CSC) tests/oclgrind
check-long: check $(BUILD)/npyprod $(BUILD)/random/cases $(FAULTS_BUILT)
	@CSC=$(CSC) BUILD=$(BUILD) tests/long
bless: all $(BUILD)/unit/fdag_pass $(BUILD)/unit/nest_tool
	@CSC=$(CSC) BUILD=$(BUILD) tests/run --bless
	@CSC=$(CSC) tests/scalar --bless
# What a change can touch: the inner loop.
quick:
	@CSC=$(CSC) BUILD=$(BUILD) tools/quick.sh
layers: $(BUILD)/libcsc.a $(BUILD)/libcsrt.a
	@BUILD=$(BUILD) tools/layers.sh
	@BUILD=$(BUILD) tests/layers.sh

ASAN = BUILD=build/asan CSC=build/asan/csc CFLAGS="-O1 -g" SAN="-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
asan:
	@$(MAKE) --no-print-directory $(ASAN) all
asan-check: deps
	@$(MAKE) --no-print-directory $(ASAN) all
	@CSC_SANITIZE=1 ASAN_OPTIONS=quarantine_size_mb=8 LSAN_OPTIONS=suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0 $(MAKE) --no-print-directory $(ASAN) unit golden schedules products

# ---- the rest ----------------------------------------------------------------------------------
demo: deps
	@$(MAKE) --no-print-directory -j2 all
	@tools/demo.sh
bench: all
	@bench/run
FORMATTED = $(shell git ls-files '*.c' '*.h')
format:
	clang-format -i $(FORMATTED)
format-check:
	@clang-format --dry-run -Werror $(FORMATTED)

# What csc prints of itself, and where it is looked for.
HELP = man:man/man1/csc.1 bash:bash-completion/completions/csc fish:fish/vendor_completions.d/csc.fish zsh:$(ZSHDIR)/_csc
EDITORS = $(foreach d,ftdetect ftplugin syntax,vim/$(d)/csdollar.vim:vim/vimfiles/$(d)/csdollar.vim) emacs/csdollar-mode.el:emacs/site-lisp/csdollar-mode.el
PYTHON = csdollar.py csdollar_kernel.py
install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/csc
	install csc $(DESTDIR)$(PREFIX)/bin/csc
	install -m 644 $(BUILD)/csrt.o $(BUILD)/csc.kept $(DESTDIR)$(PREFIX)/lib/csc/
	for f in $(SHIMS); do install -D -m 644 $$f $(DESTDIR)$(PREFIX)/lib/csc/mpi/$${f##*/}; done
	for f in $(HELP); do d=$${f#*:}; install -d $(DESTDIR)$(PREFIX)/share/$${d%/*}; ./csc --help=$${f%%:*} >$(DESTDIR)$(PREFIX)/share/$${f#*:}; done
	install -d $(DESTDIR)$(PREFIX)/lib/pkgconfig
	sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|'$$(sed -n 's/#define VERSION "\(.*\)"/\1/p' driver/message.h)'|' packaging/csdollar.pc.in >$(DESTDIR)$(PREFIX)/lib/pkgconfig/csdollar.pc
	install -D -m 644 packaging/csdollar-config.cmake $(DESTDIR)$(PREFIX)/lib/cmake/csdollar/csdollar-config.cmake
	for f in $(PYTHON); do install -D -m 644 python/$$f $(DESTDIR)$(PYTHONDIR)/$$f; done
	for f in $(EDITORS); do install -D -m 644 editors/$${f%%:*} $(DESTDIR)$(PREFIX)/share/$${f#*:}; done
	install -d $(DESTDIR)$(DOCDIR)
	cp -r README.md docs samples editors $(DESTDIR)$(DOCDIR)/
	chmod -R u+rwX,go+rX $(DESTDIR)$(DOCDIR)
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/csc
	rm -rf $(DESTDIR)$(PREFIX)/lib/csc $(DESTDIR)$(PREFIX)/lib/cmake/csdollar $(DESTDIR)$(DOCDIR)
	rm -f $(DESTDIR)$(PREFIX)/lib/pkgconfig/csdollar.pc $(PYTHON:%=$(DESTDIR)$(PYTHONDIR)/%)
	for f in $(HELP) $(EDITORS); do rm -f $(DESTDIR)$(PREFIX)/share/$${f#*:}; done
# A Debian package of it; the sources as they are committed.
deb: all
	@MAKE=$(MAKE) tools/deb.sh
dist:
	@mkdir -p build
	@v=csdollar-$$(sed -n 's/#define VERSION "\(.*\)"/\1/p' driver/message.h); git archive --prefix=$$v/ HEAD | gzip -9n >build/$$v.tar.gz && echo build/$$v.tar.gz
clean:
	rm -rf build csc

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.SECONDARY:
