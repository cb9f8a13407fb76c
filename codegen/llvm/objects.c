/* A queue of modules and threads that take them from it (objects.h). Threads call nothing but LLVM: what
 * csc allocates is the main thread's. */
#include "objects.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>

#include "../../base/arena.h"
#include "../../base/system/cache.h"
#include "../../base/vec.h"
#include "machine.h"

typedef struct Job {
    ObjectsModule of;
    LLVMMemoryBufferRef made;
    KeptName name;
    const char *kept;    /* what was found of it: nothing is to be made */
    size_t size, length; /* of what was kept; instructions */
} Job;

/* A thread's. */
typedef struct Machines {
    LLVMTargetMachineRef usual, quick; /* quick: NULL until it is needed */
} Machines;

enum { MAX_THREADS = 15, STACK = 64 << 20 /* of a thread: LLVM recurses */ };

struct Objects {
    Arena *arena;
    int level;
    ObjectsFor what;
    Store *shipped;
    VEC(char *) read;     /* from the disk cache */
    uint64_t cached;      /* cache_write */
    VEC(Job *) all, jobs; /* jobs: those that were not kept */
    VEC(Job *) found;     /* objects_has; not yet added */
    size_t next;          /* of jobs: the first that nobody has taken */
    bool complete;        /* nothing more will be added */
    pthread_mutex_t lock;
    pthread_cond_t more;
    pthread_t threads[MAX_THREADS];
    int nthreads, most;
    Machines machines; /* the main thread's */
};

/* ---- threads ------------------------------------------------------------------------------------ */

static void dispose(const Job *j)
{
    LLVMDisposeModule(j->of.mod);
    LLVMContextDispose(j->of.context);
}

static void dispose_machines(const Machines *m)
{
    LLVMDisposeTargetMachine(m->usual);
    if (m->quick) LLVMDisposeTargetMachine(m->quick);
}

static void make(const Objects *o, Job *j, Machines *machines)
{
    LLVMModuleRef mod = j->of.mod;
    if (j->of.quick && !machines->quick) machines->quick = llvm_machine(0);
    LLVMTargetMachineRef machine = j->of.quick ? machines->quick : machines->usual;
    j->of.optimise(mod, machine);
    llvm_machine_module(machine, mod);
    j->made = o->what == OBJECTS_LINKED ? LLVMWriteBitcodeToMemoryBuffer(mod)
                                        : llvm_machine_code(machine, mod, LLVMObjectFile);
    dispose(j);
}

/* The longest of those that wait, so that no thread is left with it when the others have ended. */
static Job *longest(Objects *o)
{
    size_t at = o->next;
    for (size_t i = at; i < o->jobs.len; i++)
        if (o->jobs.data[i]->length > o->jobs.data[at]->length) at = i;
    Job *j = o->jobs.data[at];
    memmove(&o->jobs.data[o->next + 1], &o->jobs.data[o->next], (at - o->next) * sizeof(Job *));
    o->jobs.data[o->next++] = j;
    return j;
}

/* NULL: there is none, and will be none. */
static Job *take(Objects *o)
{
    pthread_mutex_lock(&o->lock);
    while (o->next == o->jobs.len && !o->complete) pthread_cond_wait(&o->more, &o->lock);
    Job *j = o->next < o->jobs.len ? longest(o) : NULL;
    pthread_mutex_unlock(&o->lock);
    return j;
}

static void *work(void *objects)
{
    Objects *o = objects;
    Machines machines = {.usual = llvm_machine(o->level)};
    for (Job *j; (j = take(o));) make(o, j, &machines);
    dispose_machines(&machines);
    return NULL;
}

/* Where there can be no thread, the caller does all. Signals are the main thread's. */
static void start_thread(Objects *o)
{
    pthread_attr_t attr;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&o->threads[o->nthreads], &attr, work, o) == 0)
        o->nthreads++;
    else
        o->most = 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attr);
}

static int other_cores(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) - 1 : 0;
    return n < MAX_THREADS ? n : MAX_THREADS;
}

/* What was made, as it is kept: a function's note stands behind it. */
static const char *kept_form(const Objects *o, const Job *j, size_t *size)
{
    const uint64_t note = j->of.note;
    const char *made = LLVMGetBufferStart(j->made);
    size_t n = *size = LLVMGetBufferSize(j->made);
    if (!j->of.function) return made;
    char *both = arena_alloc(o->arena, n + sizeof note);
    memcpy(both, made, n);
    memcpy(both + n, &note, sizeof note);
    *size += sizeof note;
    return both;
}

static void finish(Objects *o, bool make_all)
{
    if (o->complete) return;
    pthread_mutex_lock(&o->lock);
    o->complete = true;
    if (!make_all) o->next = o->jobs.len;
    pthread_cond_broadcast(&o->more);
    pthread_mutex_unlock(&o->lock);
    for (Job *j; (j = take(o));) make(o, j, &o->machines);
    for (int i = 0; i < o->nthreads; i++) pthread_join(o->threads[i], NULL);
    for (size_t i = 0; make_all && i < o->jobs.len; i++) {
        const Job *j = o->jobs.data[i];
        size_t size;
        const char *bytes = kept_form(o, j, &size);
        objects_keep(o, &j->name, bytes, size);
    }
}

/* ---- for the caller ----------------------------------------------------------------------------- */

Objects *objects_new(int level, ObjectsFor what, Store *shipped)
{
    Arena *arena = arena_new();
    Objects *o = arena_new_of(arena, Objects);
    o->arena = arena;
    o->level = level;
    o->what = what;
    o->shipped = shipped;
    o->most = other_cores();
    o->machines.usual =
        llvm_machine(level); /* before threads do: the first call changes LLVM's tables */
    pthread_mutex_init(&o->lock, NULL);
    pthread_cond_init(&o->more, NULL);
    return o;
}

void objects_free(Objects *o)
{
    if (!o) return;
    finish(o, false);
    for (size_t i = 0; i < o->all.len; i++) {
        Job *j = o->all.data[i];
        if (j->made)
            LLVMDisposeMemoryBuffer(j->made);
        else if (!j->kept)
            dispose(j);
    }
    for (size_t i = 0; i < o->read.len; i++) mem_free(o->read.data[i]);
    store_close(o->shipped);
    dispose_machines(&o->machines);
    pthread_mutex_destroy(&o->lock);
    pthread_cond_destroy(&o->more);
    vec_free(&o->read);
    vec_free(&o->all);
    vec_free(&o->jobs);
    vec_free(&o->found);
    arena_free(o->arena);
}

static size_t length_of(LLVMModuleRef mod)
{
    size_t n = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
            for (LLVMValueRef x = LLVMGetFirstInstruction(b); x; x = LLVMGetNextInstruction(x)) n++;
    return n;
}

static void queue(Objects *o, Job *j)
{
    enum { QUICK = 5 }; /* times as fast */
    j->length = length_of(j->of.mod) / (j->of.quick ? QUICK : 1);
    pthread_mutex_lock(&o->lock);
    vec_push(&o->jobs, j);
    pthread_cond_signal(&o->more);
    pthread_mutex_unlock(&o->lock);
    if (o->nthreads < o->most) start_thread(o);
}

static KeptName name_of(const Objects *o, const ObjectsModule *m)
{
    const char level[] = {(char)('0' + o->level), '\0'};
    return m->function ? kept_name_of(m->function, level) : kept_name(m->mod, level);
}

bool objects_has(Objects *o, const char *function, size_t *note)
{
    if (o->what != OBJECTS_FILES) return false;
    Job found = {.of = {.function = function}};
    uint64_t number;
    found.name = name_of(o, &found.of);
    found.kept = objects_find(o, &found.name, &found.size);
    if (!found.kept || found.size < sizeof number) return false;
    found.size -= sizeof number;
    memcpy(&number, found.kept + found.size, sizeof number);
    found.of.note = *note = number;
    Job *j = arena_new_of(o->arena, Job);
    *j = found;
    vec_push(&o->found, j);
    return true;
}

void objects_add(Objects *o, const ObjectsModule *m)
{
    Job *j = NULL;
    for (size_t i = m->mod ? 0 : o->found.len; i-- > 0 && !j;)
        if (strcmp(o->found.data[i]->of.function, m->function) == 0) j = o->found.data[i];
    if (j) {
        vec_push(&o->all, j);
        return;
    }
    j = arena_new_of(o->arena, Job);
    *j = (Job){.of = *m};
    vec_push(&o->all, j);
    if (o->what != OBJECTS_LINKED) j->name = name_of(o, m);
    if (o->what != OBJECTS_LINKED && !m->function) j->kept = objects_find(o, &j->name, &j->size);
    if (j->kept)
        dispose(j);
    else
        queue(o, j);
}

ObjectsFor objects_are_for(const Objects *o)
{
    return o->what;
}

size_t objects_count(const Objects *o)
{
    return o->all.len;
}

const char *objects_bytes(Objects *o, size_t i, size_t *size)
{
    const Job *j = o->all.data[i];
    finish(o, true);
    *size = j->kept ? j->size : LLVMGetBufferSize(j->made);
    return j->kept ? j->kept : LLVMGetBufferStart(j->made);
}

void objects_print_store(Objects *o, Text *out)
{
    StoreEntry *entries = arena_array(o->arena, StoreEntry, o->all.len + 1);
    finish(o, true);
    for (size_t i = 0; i < o->all.len; i++) {
        entries[i].name = o->all.data[i]->name;
        entries[i].bytes = kept_form(o, o->all.data[i], &entries[i].size);
    }
    store_print(out, entries, o->all.len);
}

const char *objects_find(Objects *o, const KeptName *name, size_t *size)
{
    if (o->what != OBJECTS_FILES) return NULL;
    const char *shipped = store_find(o->shipped, name, size);
    if (shipped) return shipped;
    char *read = cache_read(name->text, size);
    if (read) vec_push(&o->read, read);
    return read;
}

void objects_keep(Objects *o, const KeptName *name, const char *bytes, size_t size)
{
    if (o->what == OBJECTS_FILES) cache_write(name->text, bytes, size, &o->cached);
}
