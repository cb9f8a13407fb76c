/* CS_DEVICE: which of the devices at hand is used. */
#ifndef CS_RUNTIME_SELECT_H
#define CS_RUNTIME_SELECT_H

#include "../../../base/text.h"
#include "../../../codegen/kernel/codegen.h"
#include "../../value.h"

enum { MAX_LISTED = 64 };

typedef enum ListedKind { LISTED_GPU, LISTED_CPU, LISTED_OTHER } ListedKind;

typedef struct Listed {
    ListedKind kind;
    char *name;             /* the caller's; NULL: unknown */
    char *driver, *version; /* of its platform, also the caller's; NULL: unknown, as of parts */
} Listed;

typedef struct DeviceList {
    int count;
    Listed devices[MAX_LISTED];
    int platforms;     /* drivers that are installed */
    char trouble[120]; /* what could not be listed, or empty */
    bool memory;       /*   for want of memory */
} DeviceList;

/* Index into the list, or -1 with an exception pending that lists what there is. */
int select_device(const DeviceList *list, const CsSite *site);
/* The same by what CS_DEVICE says, or a program; -1: none fits. Parts of devices are not looked at. */
int select_find(const DeviceList *list, const char *wish);
void select_name_all(Text *t, const DeviceList *list); /* for messages */
const char *select_kind(ListedKind kind);
/* What a CPU device is, which OpenCL does not tell: vectors and caches of this processor. */
void select_cpu_facts(CgDevice *d);

#endif
