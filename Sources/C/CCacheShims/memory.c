// SPDX-License-Identifier: MIT
// Files as far as the system has them in memory, where they are, their time of creation and their attributes: calls that
// Swift cannot import.
#define _GNU_SOURCE
#include "CCacheShims.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

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

ssize_t swi_read_in_memory(int descriptor, void *first, size_t first_count, void *second, size_t second_count) {
    struct iovec parts[2] = {{first, first_count}, {second, second_count}};
    return preadv2(descriptor, parts, 2, -1, RWF_NOWAIT);
}
#else
int swi_open_in_memory(const char *path) {
    (void)path;
    errno = ENOSYS;
    return -1;
}

ssize_t swi_read_in_memory(int descriptor, void *first, size_t first_count, void *second, size_t second_count) {
    (void)descriptor, (void)first, (void)first_count, (void)second, (void)second_count;
    errno = ENOSYS;
    return -1;
}
#endif

#if defined(__linux__) && defined(STATX_BTIME)
int swi_creation_time(int folder, const char *name, int64_t *seconds) {
    struct statx status;
    if (statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status) != 0) return -1;
    if ((status.stx_mask & STATX_BTIME) == 0) {
        errno = ENOTSUP;
        return -1;
    }
    *seconds = status.stx_btime.tv_sec;
    return 0;
}
#elif defined(__APPLE__)
int swi_creation_time(int folder, const char *name, int64_t *seconds) {
    struct stat status;
    if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0) return -1;
    *seconds = status.st_birthtimespec.tv_sec;
    return 0;
}
#else
int swi_creation_time(int folder, const char *name, int64_t *seconds) {
    (void)folder, (void)name, (void)seconds;
    errno = ENOSYS;
    return -1;
}
#endif

#if defined(__linux__)
#include <sys/vfs.h>

int swi_is_local(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return -1;
    // include/uapi/linux/magic.h
    switch ((uint32_t)status.f_type) {
    case 0xEF53:      // ext4
    case 0x58465342:  // XFS
    case 0x9123683E:  // btrfs
    case 0x01021994:  // tmpfs
    case 0x794C7630:  // overlayfs
    case 0xF2F52010:  // F2FS
    case 0x2FC12FC1:  // ZFS
        return 1;
    default:
        return 0;
    }
}
#elif defined(__APPLE__)
#include <sys/mount.h>

int swi_is_local(int descriptor) {
    struct statfs status;
    if (fstatfs(descriptor, &status) != 0) return -1;
    return (status.f_flags & MNT_LOCAL) != 0;
}
#else
int swi_is_local(int descriptor) {
    (void)descriptor;
    return 0;
}
#endif

#if defined(__linux__)
#include <sys/xattr.h>

ssize_t swi_get_attribute(int descriptor, const char *name, void *bytes, size_t count) {
    return fgetxattr(descriptor, name, bytes, count);
}

int swi_set_attribute(int descriptor, const char *name, const void *bytes, size_t count) {
    return bytes ? fsetxattr(descriptor, name, bytes, count, 0) : fremovexattr(descriptor, name);
}
#elif defined(__APPLE__)
#include <sys/xattr.h>

ssize_t swi_get_attribute(int descriptor, const char *name, void *bytes, size_t count) {
    return fgetxattr(descriptor, name, bytes, count, 0, 0);
}

int swi_set_attribute(int descriptor, const char *name, const void *bytes, size_t count) {
    return bytes ? fsetxattr(descriptor, name, bytes, count, 0, 0) : fremovexattr(descriptor, name, 0);
}
#else
ssize_t swi_get_attribute(int descriptor, const char *name, void *bytes, size_t count) {
    (void)descriptor, (void)name, (void)bytes, (void)count;
    errno = ENOTSUP;
    return -1;
}

int swi_set_attribute(int descriptor, const char *name, const void *bytes, size_t count) {
    (void)descriptor, (void)name, (void)bytes, (void)count;
    errno = ENOTSUP;
    return -1;
}
#endif
