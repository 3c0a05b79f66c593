// SPDX-License-Identifier: MIT
#include "bytes.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

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

uint32_t swi_crc32(const uint8_t *bytes, size_t count) {
    // The remainders of all values of four bits, by the polynomial of PNG (ISO 3309), lowest bit first.
    static const uint32_t table[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
    uint32_t sum = 0xFFFFFFFF;
    for (size_t k = 0; k < count; k++) {
        sum ^= bytes[k];
        sum = sum >> 4 ^ table[sum & 15];
        sum = sum >> 4 ^ table[sum & 15];
    }
    return ~sum;
}

int swi_inflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t *output_count) {
    uLongf length = *output_count;
    int status = uncompress(output, &length, bytes, count);
    *output_count = length;
    return status == Z_OK ? 0 : -1;
}

int swi_deflate(const uint8_t *bytes, size_t count, uint8_t *output, size_t *output_count) {
    uLongf length = *output_count;
    int status = compress2(output, &length, bytes, count, Z_BEST_COMPRESSION);
    *output_count = length;
    return status == Z_OK ? 0 : -1;
}
