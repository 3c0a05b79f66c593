// SPDX-License-Identifier: MIT
// XXH3 with 64 bits, for more than 240 bytes and the seed 0, by the xxHash fast digest algorithm specification 0.2.0,
// section "XXH3 algorithm (for larger inputs)".
#include "CCacheShims.h"

// Eight lanes. Vectors, so that a debug build has them too; the compiler cuts them to the width of the processor's.
typedef uint64_t lanes __attribute__((vector_size(64)));
typedef uint64_t loose_lanes __attribute__((vector_size(64), aligned(1), may_alias));
typedef struct __attribute__((packed, may_alias)) { uint64_t value; } word;

enum { stripe = 64, stripes_in_block = 16, block = stripe * stripes_in_block };

static const uint64_t prime32_1 = 0x9E3779B1u, prime32_2 = 0x85EBCA77u, prime32_3 = 0xC2B2AE3Du;
static const uint64_t prime1 = 0x9E3779B185EBCA87u, prime2 = 0xC2B2AE3D27D4EB4Fu, prime3 = 0x165667B19E3779F9u;
static const uint64_t prime4 = 0x85EBCA77C2B2AE63u, prime5 = 0x27D4EB2F165667C5u;

// The secret of the specification.
static const uint8_t secret[192] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

#define ADD_STRIPE(sums, bytes, key) \
    do { \
        lanes data = *(const loose_lanes *)(bytes), mixed = data ^ *(const loose_lanes *)(key); \
        sums += __builtin_shufflevector(data, data, 1, 0, 3, 2, 5, 4, 7, 6); \
        sums += (mixed & 0xFFFFFFFFu) * (mixed >> 32); \
    } while (0)

static inline __attribute__((always_inline)) void add_all(const uint8_t *bytes, size_t count, uint64_t *result) {
    lanes sums = {prime32_3, prime1, prime2, prime3, prime4, prime32_2, prime5, prime32_1};
    const uint8_t *last = bytes + count - stripe;
    size_t left = count - 1;
    for (; left >= block; left -= block, bytes += block) {
        for (size_t i = 0; i < stripes_in_block; i++) ADD_STRIPE(sums, bytes + i * stripe, secret + 8 * i);
        sums = (sums ^ sums >> 47 ^ *(const loose_lanes *)(secret + 128)) * prime32_1;
    }
    for (size_t i = 0; i < left / stripe; i++) ADD_STRIPE(sums, bytes + i * stripe, secret + 8 * i);
    ADD_STRIPE(sums, last, secret + 121);
    *(loose_lanes *)result = sums;
}

static void add_narrow(const uint8_t *bytes, size_t count, uint64_t *result) { add_all(bytes, count, result); }

#ifdef __x86_64__
__attribute__((target("avx2"))) static void add_wide(const uint8_t *bytes, size_t count, uint64_t *result) {
    add_all(bytes, count, result);
}
#endif

static uint64_t folded(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

uint64_t swi_content_checksum(const uint8_t *bytes, size_t count) {
    if (count <= 240) return swi_xxh64(bytes, count, 0);
    uint64_t sums[8];
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) add_wide(bytes, count, sums);
    else
#endif
        add_narrow(bytes, count, sums);
    uint64_t hash = count * prime1;
    for (size_t i = 0; i < 4; i++) {
        const word *keys = (const word *)(secret + 11 + 16 * i);
        hash += folded(sums[2 * i] ^ keys[0].value, sums[2 * i + 1] ^ keys[1].value);
    }
    hash = (hash ^ hash >> 37) * 0x165667919E3779F9u;
    return hash ^ hash >> 32;
}
