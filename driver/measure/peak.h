/* What this processor can do at most, all its units together: measured, in some 0.2 s. */
#ifndef CS_DRIVER_PEAK_H
#define CS_DRIVER_PEAK_H

typedef struct Peak {
    double gflops; /* float, multiplications and additions in one */
    double gbytes; /* read and written by a copy of what no cache holds */
} Peak;

Peak peak_measure(void);

#endif
