// SPDX-License-Identifier: MIT
#ifndef CTESTSUPPORT_H
#define CTESTSUPPORT_H

#include <stddef.h>

/// The bytes that the allocator has given and not taken back; 0 where it does not tell.
size_t swi_heap_bytes(void);

#endif
