// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <string.h>

// Integer taps, and the rows before the columns: of all that was measured the fastest on RGBA. zimg makes as many pixels
// a second of three planes, before RGBA is taken apart for it and put together again; it mirrors pixels at edges instead
// of leaving them out, knows no blur, and asks for rows instead of taking them. Lines here hold sixteen bits a sample, so
// the result is as near to the exact one as with floating point.

typedef int32_t four __attribute__((vector_size(16)));
typedef uint8_t pixel __attribute__((vector_size(4), aligned(1), may_alias));

/// Two weights, for the two rows of a pair.
static inline __attribute__((always_inline)) int32_t two_weights(const int16_t *weights) {
    int32_t both;
    memcpy(&both, weights, sizeof both);
    return both;
}

/// Rounds a pixel. The filter overshoots at edges: channels are clamped to their range, and colours to their alpha, as
/// premultiplied pixels require.
static inline __attribute__((always_inline)) void store(four sums, int shift, uint8_t *target) {
    four value = (sums + (1 << shift >> 1)) >> shift;
    four alpha = __builtin_elementwise_min(__builtin_shufflevector(value, value, 3, 3, 3, 3), (four){0} + 255);
    value = __builtin_elementwise_max(__builtin_elementwise_min(value, alpha), (four){0});
    *(pixel *)target = __builtin_convertvector(value, pixel);
}

#define NAMED(name) name##_16
#define WIDTH 16
#define TARGET
#define UNPACK_LOW(a, b) __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define UNPACK_HIGH(a, b) __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define LOW_HALVES(a, b) (a)
#define HIGH_HALVES(a, b) (b)
#define SUM_OF_HALVES(a) (a)
#ifdef __SSE2__
#define MULTIPLY_ADD(a, b) (four) __builtin_ia32_pmaddwd128(a, b)
#else
#define HALF_OF(a, ...) __builtin_convertvector(__builtin_shufflevector(a, a, __VA_ARGS__), four)
#define MULTIPLY_ADD(a, b) \
    (HALF_OF(a, 0, 2, 4, 6) * HALF_OF(b, 0, 2, 4, 6) + HALF_OF(a, 1, 3, 5, 7) * HALF_OF(b, 1, 3, 5, 7))
#endif
#include "resample_lanes.h"

#ifdef __x86_64__
#define NAMED(name) name##_32
#define WIDTH 32
#define TARGET __attribute__((target("avx2")))
// Both work on each half of the vectors by itself, as the instructions do.
#define UNPACK_LOW(a, b) \
    __builtin_shufflevector( \
        a, b, 0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, \
        54, 23, 55)
#define UNPACK_HIGH(a, b) \
    __builtin_shufflevector( \
        a, b, 8, 40, 9, 41, 10, 42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47, 24, 56, 25, 57, 26, 58, 27, 59, 28, 60, 29, \
        61, 30, 62, 31, 63)
#define LOW_HALVES(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define HIGH_HALVES(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#define SUM_OF_HALVES(a) (__builtin_shufflevector(a, a, 0, 1, 2, 3) + __builtin_shufflevector(a, a, 4, 5, 6, 7))
#define MULTIPLY_ADD(a, b) (sums_32) __builtin_ia32_pmaddwd256(a, b)
#include "resample_lanes.h"
#endif

int swi_resample(
    const swi_resampling *job, const uint8_t *rows, size_t capacity, size_t from, size_t to, int16_t *line,
    uint8_t *target
) {
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        return resample_32(job, rows, capacity, from, to, line, target);
    }
#endif
    return resample_16(job, rows, capacity, from, to, line, target);
}
