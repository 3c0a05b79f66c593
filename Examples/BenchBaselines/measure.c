// SPDX-License-Identifier: MIT
#include "CBenchBaselines.h"
#include <malloc.h>
#include <time.h>

static double seconds(clockid_t clock) {
    struct timespec time = {0};
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

double bench_wall_seconds(void) { return seconds(CLOCK_MONOTONIC); }
double bench_cpu_seconds(void) { return seconds(CLOCK_PROCESS_CPUTIME_ID); }

size_t bench_heap_bytes(void) {
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
}

// In a translation unit of its own, so that the optimiser cannot know that the value is not used.
void bench_black_hole(const void *value) { (void)value; }

void bench_map_large_blocks(void) {
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
}

void bench_trim(void) {
    malloc_trim(0);
}
