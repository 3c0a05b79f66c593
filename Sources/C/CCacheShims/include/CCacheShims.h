// SPDX-License-Identifier: MIT
// Loops over the bytes of cache entries. In C, so that a debug build runs them as fast as a release build.
#ifndef CCACHESHIMS_H
#define CCACHESHIMS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The XXH64 checksum of `count` bytes. `bytes` may be a null pointer when `count` is 0.
uint64_t swi_xxh64(const uint8_t *bytes, size_t count, uint64_t seed);

// The checksum of a content: XXH3 with 64 bits, and XXH64 of up to 240 bytes. `bytes` may be a null pointer when `count`
// is 0.
uint64_t swi_content_checksum(const uint8_t *bytes, size_t count);

// Opens a file for reading when nothing has to be read from a device for that, and no part of `path` is a link. Reading
// the file does not change its time of access.
//
// Returns -1 and sets `errno`: to EAGAIN when a device has to be asked, and to ENOSYS where the system cannot tell.
int swi_open_in_memory(const char *path);

// Reads at the place of `descriptor` what is in memory, first into one buffer and then into the other.
//
// Returns -1 and sets `errno`: to EAGAIN when a device has to be asked, and to ENOSYS or EOPNOTSUPP where the system or
// the file system cannot tell.
ssize_t swi_read_in_memory(int descriptor, void *first, size_t first_count, void *second, size_t second_count);

// Whether an open file is on a file system of this machine, as far as that is known: its status then asks no server.
//
// Returns -1 and sets `errno` where the call fails.
int swi_is_local(int descriptor);

// When the file at `name` was created, in seconds since 1970; of a link itself.
//
// Returns -1 and sets `errno`: to ENOTSUP or ENOSYS where the file system or the system does not keep it.
int swi_creation_time(int folder, const char *name, int64_t *seconds);

// Copies an extended attribute of an open file.
//
// Returns its length, also where `count` is 0; -1 and sets `errno` where there is none, or the file system has none.
ssize_t swi_get_attribute(int descriptor, const char *name, void *bytes, size_t count);

// Sets an extended attribute of an open file, or removes it where `bytes` is a null pointer.
//
// Returns -1 and sets `errno` where the file system has none, or no room for it.
int swi_set_attribute(int descriptor, const char *name, const void *bytes, size_t count);

#endif
