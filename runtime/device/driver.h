/* What OpenCL drivers want to find before they are asked for devices. */
#ifndef CS_RUNTIME_DRIVER_H
#define CS_RUNTIME_DRIVER_H

void driver_prepare(void);

#endif
