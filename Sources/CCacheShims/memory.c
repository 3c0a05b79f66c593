// SPDX-License-Identifier: MIT
// Files as far as the system has them in memory: calls that Swift cannot import, and that never wait for a device.
#define _GNU_SOURCE
#include "CCacheShims.h"
#include <errno.h>
#include <fcntl.h>

#if defined(__linux__) && __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

int swi_open_in_memory(const char *path) {
    struct open_how how = {
        .flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOATIME | O_CLOEXEC,
        .resolve = RESOLVE_CACHED | RESOLVE_NO_SYMLINKS,
    };
    return (int)syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
}

ssize_t swi_read_in_memory(int descriptor, void *bytes, size_t count) {
    struct iovec part = {bytes, count};
    return preadv2(descriptor, &part, 1, -1, RWF_NOWAIT);
}
#else
int swi_open_in_memory(const char *path) {
    (void)path;
    errno = ENOSYS;
    return -1;
}

ssize_t swi_read_in_memory(int descriptor, void *bytes, size_t count) {
    (void)descriptor, (void)bytes, (void)count;
    errno = ENOSYS;
    return -1;
}
#endif
