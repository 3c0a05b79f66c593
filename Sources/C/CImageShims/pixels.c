// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <string.h>

// The loops are expressions of vectors, so that a build without optimisation is not many times slower.

/// Four pixels, and as many samples of twice the bits.
typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint8_t loose __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint16_t words __attribute__((vector_size(32)));
typedef uint32_t pixels __attribute__((vector_size(16)));
typedef uint8_t pixel __attribute__((vector_size(4), aligned(1), may_alias));
typedef int32_t four __attribute__((vector_size(16)));
typedef float reals __attribute__((vector_size(16)));

static const bytes alphas = {0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255};

/// The alpha of each pixel in place of each of its samples.
#define ALPHA_OF(v) __builtin_shufflevector(v, v, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15)

#define WIDE(v) __builtin_convertvector(v, words)

/// `a * b / 255`, rounded to the nearest.
static inline __attribute__((always_inline)) bytes multiply(bytes a, bytes b) {
    words product = WIDE(a) * WIDE(b) + 128;
    return __builtin_convertvector((product + (product >> 8)) >> 8, bytes);
}

static inline __attribute__((always_inline)) int is_solid(bytes v) {
    uint64_t parts[2];
    v |= ~alphas;
    memcpy(parts, &v, sizeof v);
    return (parts[0] & parts[1]) == UINT64_MAX;
}

/// Runs `body` for four pixels at `p`, at last for fewer with others behind them that are not kept.
#define FOR_EACH_FOUR(rgba, count, body) \
    for (size_t at = 0; at < (count); at += sizeof(bytes)) { \
        loose rest = alphas; \
        size_t left = (count) - at; \
        loose *p = left < sizeof rest ? &rest : (loose *)((rgba) + at); \
        if (p == &rest) memcpy(p, (rgba) + at, left); \
        body if (p == &rest) memcpy((rgba) + at, p, left); \
    }

int swi_premultiply(uint8_t *rgba, size_t count) {
    int has_alpha = 0;
    FOR_EACH_FOUR(rgba, count, {
        bytes v = *p;
        if (is_solid(v)) continue;
        has_alpha = 1;
        *p = multiply(v, ALPHA_OF(v) | alphas);
    })
    return has_alpha;
}

int swi_is_opaque(const uint8_t *rgba, size_t count) {
    bytes all = alphas;
    size_t whole = count / sizeof all * sizeof all;
    for (size_t at = 0; at < whole; at += sizeof all) all &= *(const loose *)(rgba + at);
    int is_opaque = is_solid(all);
    for (size_t at = whole; at < count; at += 4) is_opaque &= rgba[at + 3] == 255;
    return is_opaque;
}

void swi_tint(uint8_t *rgba, size_t count, const uint8_t *colour, int multiplies) {
    uint32_t one;
    memcpy(&one, colour, sizeof one);
    const bytes tint = (bytes)((pixels){0} + one), behind = ~ALPHA_OF(tint);
    FOR_EACH_FOUR(rgba, count, {
        bytes v = *p;
        bytes alpha = ALPHA_OF(v);
        if (multiplies) {
            words sum = WIDE(multiply(v, tint)) + WIDE(multiply(v, behind));
            bytes mixed = __builtin_convertvector(__builtin_elementwise_min(sum, WIDE(alpha)), bytes);
            *p = (mixed & ~alphas) | (v & alphas);
        } else {
            *p = multiply(tint, alpha);
        }
    })
}

void swi_unpremultiply(uint8_t *rgba, size_t count) {
    for (size_t at = 0; at < count; at += 4) {
        if (rgba[at + 3] == 255) continue;
        pixel *p = (pixel *)(rgba + at);
        int32_t alpha = rgba[at + 3];
        // The quotient of two numbers of 24 bits, cut off, is exact; black where alpha is 0, as the numerator is made 0.
        four value = __builtin_convertvector(*p, four) * 255 + (alpha >> 1);
        reals share = __builtin_convertvector(value, reals) / (float)(alpha ? alpha : 1 << 30);
        value = __builtin_elementwise_min(__builtin_convertvector(share, four), (four){0} + 255);
        value[3] = alpha;
        *p = __builtin_convertvector(value, pixel);
    }
}

void swi_flatten(uint8_t *rgba, size_t count, const uint8_t *colour) {
    uint32_t one;
    memcpy(&one, colour, sizeof one);
    const bytes below = (bytes)((pixels){0} + one) | alphas;
    FOR_EACH_FOUR(rgba, count, {
        bytes v = *p;
        if (is_solid(v)) continue;
        // A colour above its alpha cannot come from a coder, but a caller may have made one.
        bytes rest = multiply(below, ~ALPHA_OF(v));
        bytes sum = v + rest;
        *p = sum | (bytes)(sum < v);
    })
}

void swi_blend(const uint8_t *above, uint8_t *below, size_t count) {
    for (size_t at = 0; at < count; at += 4) {
        int32_t alpha = above[at + 3];
        if (alpha == 0) continue;
        pixel *p = (pixel *)(below + at);
        const pixel *q = (const pixel *)(above + at);
        if (alpha == 255) {
            *p = *q;
            continue;
        }
        // A premultiplied colour is at most its alpha, and the added value is at most the rest, so no sum is above 255.
        four a = __builtin_convertvector(*q, four) * (four){alpha, alpha, alpha, 255} + 128;
        four b = __builtin_convertvector(*p, four) * (255 - alpha) + 128;
        *p = __builtin_convertvector(((a + (a >> 8)) >> 8) + ((b + (b >> 8)) >> 8), pixel);
    }
}
