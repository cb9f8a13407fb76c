/* What the files of the device layer (device.h) share. Only they include this, and OpenCL. */
#ifndef CS_RUNTIME_DEVICE_IMPL_H
#define CS_RUNTIME_DEVICE_IMPL_H

#include "device.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "../../base/vec.h"
#include "../state.h"
#include "notice.h"
#include "open/select.h"

typedef enum Sharing { IN_PLACE, MAPPED, COPIED } Sharing;

/* An OpenCL object takes more than a small buffer itself: not many have one. */
enum { SMALL = 4096, MAX_SMALL = 4096 };
enum { MAX_PENDING = 256 };

typedef struct Launched { /* a launch that nobody waited for yet */
    cl_event event;
    uint64_t number, bytes;
    const char *kernel;
    int owner; /* the evaluation, for profile.c */
} Launched;

typedef struct Lost { /* launches that failed, or came after one that did */
    uint64_t from, to;
    cl_int code;
} Lost;

struct Device {
    struct Device *next; /* of those that are open */
    int index;           /* in the table */
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    CgDevice info;
    Sharing sharing;
    size_t max_buffer;
    char *identity;
    uint64_t launched, done; /* numbers of the newest launch, and of the newest known to be over */
    Buffer *errors, *none;   /* error words; what stands for arrays without elements */
    struct Transfer *transfer; /* transfer.h */
    bool profiling;
    int64_t building; /* ns that builds took */
    Notice notice;
    bool binaries; /* are to be kept */
    bool declares; /* we declare the builtins: the driver reads them slowly */
    bool leaving;  /* the process ends */
    bool stuck; /* launches may be running that cannot be waited for: their memory is never freed */
    VEC(Launched) pending;
    VEC(Lost) lost;
    Buffer *small[MAX_SMALL]; /* a ring of small buffers that have a device side */
    unsigned next_small;
};

/* The devices that there are, then parts of them that the program asked for. */
typedef struct DeviceTable {
    DeviceList list;
    cl_device_id ids[MAX_LISTED];
    int whole;  /* how many are no parts */
    int chosen; /* by the environment; -1: not asked yet */
} DeviceTable;

struct Device *device_opened(int index);       /* NULL: it is not open */
DeviceTable *device_table(const CsSite *site); /* NULL with an exception pending */
int device_chosen(DeviceTable *t,
                  const CsSite *site); /* by the environment; -1 with an exception */
int device_wanted(void); /* which evaluations are for; -1: device_chosen's, not yet known */
void device_table_free(void);
const char *device_error_name(cl_int code);
/* A property of 4 or 8 bytes; 0 if the device does not know it. (Hosts are little-endian.) Any
 * other error stays in *code. */
size_t device_ask(cl_device_id id, cl_device_info what, cl_int *code);
/* What the device says of itself; *out is for mem_object_free, empty after an error. */
cl_int device_text(cl_device_id id, cl_device_info what, char **out);
/* CS_BUILD_OPTIONS: what the user has the driver's compiler told besides our own options, or "". */
const char *device_build_options(void);

/* code = call, repeated once if memory or something else was short. */
#define TRY(code, call)                                                                            \
    do {                                                                                           \
        (code) = (call);                                                                           \
        if (device_is_short(code)) {                                                               \
            device_relieve();                                                                      \
            (code) = (call);                                                                       \
        }                                                                                          \
    } while (0)
/* The same of a call that stores its code itself. */
#define TRY_MAKE(object, code, call)                                                               \
    do {                                                                                           \
        (object) = (call);                                                                         \
        if (device_is_short(code)) {                                                               \
            device_relieve();                                                                      \
            (object) = (call);                                                                     \
        }                                                                                          \
    } while (0)

/* True if code is success; else an exception is pending. */
bool device_good(cl_int code, const char *what, const CsSite *site);
bool device_is_short(cl_int code); /* of memory or something else that may come back */
void device_relieve(void);         /* gives back what is kept for later */

/* Waits for a launch; of those that failed what they wrote is lost, and what later ones did. */
void device_wait(uint64_t launch);

/* The device side of b, current if a launch is to read it. */
bool device_take(Buffer *b, const CsSite *site);

#endif
