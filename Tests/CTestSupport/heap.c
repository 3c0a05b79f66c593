// SPDX-License-Identifier: MIT
// What Swift cannot import: the allocator's own account.
#include "CTestSupport.h"
#ifdef __linux__
#include <malloc.h>
#endif

size_t swi_heap_bytes(void) {
#ifdef __GLIBC__
    struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
#else
    return 0;
#endif
}
