/* Copies between the host and a device that has memory of its own. */
#ifndef CS_RUNTIME_TRANSFER_H
#define CS_RUNTIME_TRANSFER_H

#include "device_impl.h"

/* Bytes of the host into a device's memory. The host may change its own at once; what follows in the queue
 * finds them there. */
cl_int transfer_to_device(struct Device *d, cl_mem to, const void *from, size_t bytes);
/* Waits for what is in the queue, and for the bytes. */
cl_int transfer_to_host(struct Device *d, void *to, cl_mem from, size_t bytes);
void transfer_free(struct Device *d);

#endif
