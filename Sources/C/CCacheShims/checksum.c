// SPDX-License-Identifier: MIT
// XXH64, by the xxHash fast digest algorithm specification 0.1.1, section "XXH64": its constants and its steps.
#include "CCacheShims.h"

static const uint64_t prime1 = 0x9E3779B185EBCA87u;
static const uint64_t prime2 = 0xC2B2AE3D27D4EB4Fu;
static const uint64_t prime3 = 0x165667B19E3779F9u;
static const uint64_t prime4 = 0x85EBCA77C2B2AE63u;
static const uint64_t prime5 = 0x27D4EB2F165667C5u;

// Macros, because a debug build calls each function.
#define ROTATED(value, bits) ((value) << (bits) | (value) >> (64 - (bits)))
#define MIX(lane, word) (lane += (word) * prime2, lane = ROTATED(lane, 31) * prime1)

// Eight and four bytes at any address, in little endian, as every platform of Swift has them.
typedef struct __attribute__((packed)) { uint64_t value; } word;
typedef struct __attribute__((packed)) { uint32_t value; } half;

static inline uint64_t merged(uint64_t hash, uint64_t lane) {
    uint64_t mixed = 0;
    MIX(mixed, lane);
    return (hash ^ mixed) * prime1 + prime4;
}

uint64_t swi_xxh64(const uint8_t *bytes, size_t count, uint64_t seed) {
    size_t left = count;
    uint64_t hash = seed + prime5;
    if (count >= 32) {
        uint64_t a = seed + prime1 + prime2, b = seed + prime2, c = seed, d = seed - prime1;
        for (; left >= 32; left -= 32, bytes += 32) {
            const word *words = (const word *)bytes;
            MIX(a, words[0].value);
            MIX(b, words[1].value);
            MIX(c, words[2].value);
            MIX(d, words[3].value);
        }
        hash = ROTATED(a, 1) + ROTATED(b, 7) + ROTATED(c, 12) + ROTATED(d, 18);
        hash = merged(merged(merged(merged(hash, a), b), c), d);
    }
    hash += count;
    for (; left >= 8; left -= 8, bytes += 8) {
        uint64_t mixed = 0;
        MIX(mixed, ((const word *)bytes)->value);
        hash ^= mixed;
        hash = ROTATED(hash, 27) * prime1 + prime4;
    }
    if (left >= 4) {
        hash ^= ((const half *)bytes)->value * prime1;
        hash = ROTATED(hash, 23) * prime2 + prime3;
        left -= 4;
        bytes += 4;
    }
    for (; left > 0; left -= 1, bytes += 1) {
        hash ^= *bytes * prime5;
        hash = ROTATED(hash, 11) * prime1;
    }
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}
