// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <time.h>

int64_t swi_processor_time(void) {
    struct timespec time = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

void swi_rest(void) {
    struct timespec time = {0, 1000000};
    nanosleep(&time, NULL);
}
