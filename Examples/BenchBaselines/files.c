// SPDX-License-Identifier: MIT
#include "CBenchBaselines.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_all(int file, char *bytes, size_t count) {
    size_t done = 0;
    while (done < count) {
        ssize_t step = read(file, bytes + done, count - done);
        if (step <= 0) return -1;
        done += (size_t)step;
    }
    return (ssize_t)done;
}

ssize_t bench_file_read(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    struct stat status;
    ssize_t result = -1;
    if (fstat(file, &status) == 0) {
        char *bytes = malloc((size_t)status.st_size + 1);
        if (bytes) result = read_all(file, bytes, (size_t)status.st_size);
        bench_black_hole(bytes);
        free(bytes);
    }
    close(file);
    return result;
}

bool bench_file_store(const char *temporary, const char *path, const void *bytes, size_t count) {
    int file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return false;
    size_t done = 0;
    while (done < count) {
        ssize_t step = write(file, (const char *)bytes + done, count - done);
        if (step <= 0) break;
        done += (size_t)step;
    }
    if (close(file) == 0 && done == count && rename(temporary, path) == 0) return true;
    unlink(temporary);
    return false;
}
