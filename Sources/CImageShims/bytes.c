#include "bytes.h"
#include <stdlib.h>
#include <string.h>

int swi_bytes_append(swi_bytes *bytes, const uint8_t *from, size_t count) {
    if (count > SIZE_MAX / 4 - bytes->count) return -1;
    if (bytes->count + count > bytes->capacity) {
        size_t capacity = (bytes->count + count) * 2;
        uint8_t *start = realloc(bytes->start, capacity);
        if (!start) return -1;
        bytes->start = start;
        bytes->capacity = capacity;
    }
    memcpy(bytes->start + bytes->count, from, count);
    bytes->count += count;
    return 0;
}

void swi_bytes_free(swi_bytes *bytes) {
    free(bytes->start);
    *bytes = (swi_bytes){0};
}
