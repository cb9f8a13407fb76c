/* What the driver itself has to say, on standard error: of files and options, not of programs. */
#ifndef CS_DRIVER_MESSAGE_H
#define CS_DRIVER_MESSAGE_H

#define VERSION "0.1.0"

void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
