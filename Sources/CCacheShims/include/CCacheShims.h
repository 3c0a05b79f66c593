// SPDX-License-Identifier: MIT
// Loops over the bytes of cache entries. In C, so that a debug build runs them as fast as a release build.
#ifndef CCACHESHIMS_H
#define CCACHESHIMS_H

#include <stddef.h>
#include <stdint.h>

// The XXH64 checksum of `count` bytes. `bytes` may be a null pointer when `count` is 0.
uint64_t swi_xxh64(const uint8_t *bytes, size_t count, uint64_t seed);

#endif
