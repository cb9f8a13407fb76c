/* Objects: making, asking for their class, finding methods, text and hashes. */
#include "object.h"

#include <math.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "../state.h"
#include "count.h"
#include "number.h"
#include "str.h"

/* ---- classes -------------------------------------------------------------------------- */

/* A program that declares no exceptions has these: a message and nothing else. */
static const int32_t message_only[] = {sizeof(CsObject)};
enum { EXCEPTION_SIZE = sizeof(CsObject) + sizeof(void *) };
static const CsClass plain = {
    .name = "Exception", .size = EXCEPTION_SIZE, .nrefs = 1, .refs = message_only};

static const CsClass plain_kinds[CS_NEXCEPTIONS] = {
#define EXCEPTION(id, text)                                                                        \
    [CS_EXC_##id] = {                                                                              \
        .name = #text, .base = &plain, .size = EXCEPTION_SIZE, .nrefs = 1, .refs = message_only},
#include "../../codegen/abi/exceptions.def"
#undef EXCEPTION
};

/* Exception, or what stands for it in a program without classes. */
static const CsClass *object_exception(void)
{
    return rt.program && rt.program->any_exception ? rt.program->any_exception : &plain;
}

const CsClass *object_exception_of(RtError kind)
{
    const CsClass *const *given = rt.program ? rt.program->exceptions : NULL;
    return given && given[kind] ? given[kind] : &plain_kinds[kind];
}

bool object_is(const CsClass *cls, const CsClass *base)
{
    for (const CsClass *c = cls; c; c = c->base)
        if (c == base) return true;
    for (const CsClass *c = cls; c; c = c->base)
        for (int32_t i = 0; i < c->ninterfaces; i++)
            if (c->interfaces[i] == base) return true;
    return false;
}

/* ---- objects -------------------------------------------------------------------------- */

static size_t rounded(const CsClass *cls)
{
    size_t size = (size_t)cls->size;
    return (size + sizeof(void *) - 1) & ~(sizeof(void *) - 1);
}

/* Only the base classes can say that it is an exception. */
static bool is_exception(const CsClass *cls)
{
    const CsClass *wanted = object_exception();
    while (cls && cls != wanted && cls != &plain) cls = cls->base;
    return cls != NULL;
}

size_t object_bytes(const CsClass *cls)
{
    return rounded(cls) + (is_exception(cls) ? sizeof(Trace *) : 0);
}

void object_init(CsObject *o, const CsClass *cls)
{
    o->head.colour = cls->nrefs ? RT_BLACK : RT_GREEN;
    o->cls = cls;
}

void *cs_object_new(const CsClass *cls, const CsSite *site)
{
    CsObject *o = mem_object(object_bytes(cls));
    if (!o) {
        rt_throw_memory(site, (size_t)cls->size);
        return NULL;
    }
    o->head.refs = 1;
    o->head.kind = CS_OBJECT;
    rt.value.live++;
    object_init(o, cls);
    return o;
}

void *cs_object_alone(void *object, const CsSite *site)
{
    return ((CsHead *)object)->refs == 1 ? cs_retain(object) : cs_object_copy(object, site);
}

void *cs_object_copy(void *object, const CsSite *site)
{
    const CsClass *cls = ((CsObject *)object)->cls;
    char *copy = cs_object_new(cls, site);
    if (!copy) return NULL;
    memcpy(copy + sizeof(CsObject), (char *)object + sizeof(CsObject),
           (size_t)cls->size - sizeof(CsObject));
    for (int32_t i = 0; i < cls->nrefs; i++) {
        void *ref;
        memcpy(&ref, copy + cls->refs[i], sizeof ref);
        if (ref) cs_retain(ref);
    }
    return copy;
}

Trace **object_trace(CsObject *o)
{
    return is_exception(o->cls) ? (Trace **)((char *)o + rounded(o->cls)) : NULL;
}

void object_drop_trace(CsObject *o)
{
    Trace **trace = object_trace(o);
    if (!trace) return;
    mem_object_free(*trace);
    *trace = NULL;
}

/* Null, and what is no object of a class (a string seen as an object), has none. */
static const CsClass *class_of(void *object)
{
    return object && ((CsHead *)object)->kind == CS_OBJECT ? ((CsObject *)object)->cls : NULL;
}

int32_t cs_is(void *object, const CsClass *cls)
{
    return object_is(class_of(object), cls);
}

void *cs_cast(void *object, const CsClass *cls, const CsSite *site)
{
    const CsClass *own = class_of(object);
    if (!object || object_is(own, cls)) return object;
    rt_throw(RT_CAST, site, "Unable to cast object of type '%s' to type '%s'.",
             own ? own->name : "of the library", cls->name);
    return NULL;
}

const void *cs_find_method(void *object, int64_t selector)
{
    for (const CsClass *c = class_of(object); c; c = c->base) {
        int32_t lo = 0, hi = c->nimpls;
        while (lo < hi) {
            int32_t mid = lo + (hi - lo) / 2;
            if (c->impls[mid].selector < selector)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo < c->nimpls && c->impls[lo].selector == selector) return c->impls[lo].method;
    }
    return NULL;
}

void cs_throw_null(const CsSite *site)
{
    rt_throw(RT_NULL, site, "Object reference not set to an instance of an object.");
}

void cs_throw_null_argument(const char *parameter, const CsSite *site)
{
    rt_throw(RT_ARGUMENT_NULL, site, "Value cannot be null. (Parameter '%s')", parameter);
}

/* ---- text and hashes ------------------------------------------------------------------ */

void *cs_object_to_string(void *object)
{
    const CsClass *cls = class_of(object);
    if (!object) return rt_str_new("", 0);
    if (((CsHead *)object)->kind == CS_STR) return cs_retain(object);
    if (!cls) return cs_format_fn(object, NULL, NULL);
    void *(*method)(void *) = NULL;
    if (cls->nmethods) memcpy(&method, &cls->methods[0], sizeof method);
    return method ? method(object) : rt_str_new(cls->name, (int64_t)strlen(cls->name));
}

void *cs_class_name(void *object)
{
    const CsClass *cls = class_of(object);
    return cls ? rt_str_new(cls->name, (int64_t)strlen(cls->name)) : rt_str_new("", 0);
}

int32_t cs_compare_i(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

int32_t cs_compare_f(double a, double b)
{
    if (a != a || b != b) return (b != b) - (a != a);
    return (a > b) - (a < b);
}

static int32_t mixed(uint64_t x)
{
    return (int32_t)XXH3_64bits(&x, sizeof x);
}

int32_t cs_hash_i(int64_t value)
{
    return mixed((uint64_t)value);
}

/* Equal numbers have equal hashes: both zeros, all NaNs (which Equals finds equal). */
int32_t cs_hash_f(double value)
{
    uint64_t bits = 0;
    if (isnan(value)) value = (double)NAN;
    if (value != 0) memcpy(&bits, &value, sizeof bits);
    return mixed(bits);
}

int32_t cs_float_bits(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

float cs_bits_float(int32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

int64_t cs_double_bits(double x)
{
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

double cs_bits_double(int64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

int32_t cs_hash_str(void *s)
{
    const Str *str = s;
    return str ? (int32_t)XXH3_64bits(str->bytes, (size_t)str->len) : 0;
}

int32_t cs_hash_ref(void *object)
{
    return mixed(rt.ranks.size ? number_of(object) : (uint64_t)(uintptr_t)object);
}
