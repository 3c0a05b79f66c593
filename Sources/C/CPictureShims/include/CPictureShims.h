// SPDX-License-Identifier: MIT
// The loops over every pixel of a generated picture, and the mark that it carries. They are C because a debug build of
// Swift takes ten times as long.
//
// Additions, multiplications, divisions and square roots alone, and none of them fused: the same pixels on every machine.
#ifndef CPICTURESHIMS_H
#define CPICTURESHIMS_H

#include <stdint.h>

/// The sine of a number of turns, to a thousandth.
float swi_sine(float turns);

/// Rounds up here and down there, so that a slow change of colour has no steps.
///
/// - Source: B. E. Bayer, "An optimum method for two-level rendition of continuous-tone pictures", 1973.
static const uint8_t swi_thresholds[64] = {
    0,  32, 8,  40, 2,  34, 10, 42, 48, 16, 56, 24, 50, 18, 58, 26, 12, 44, 4,  36, 14, 46,
    6,  38, 60, 28, 52, 20, 62, 30, 54, 22, 3,  35, 11, 43, 1,  33, 9,  41, 51, 19, 59, 27,
    49, 17, 57, 25, 15, 47, 7,  39, 13, 45, 5,  37, 63, 31, 55, 23, 61, 29, 53, 21};

static inline __attribute__((always_inline)) float swi_threshold(int x, int y) {
    return ((float)swi_thresholds[(y & 7) * 8 + (x & 7)] + 0.5f) / 64;
}

// Pixels of four bytes, premultiplied.

/// Draws an opaque picture: a slow change of colours, stripes over it, and discs; what moves with `phase` repeats at 1.
void swi_plain(uint8_t *pixels, int width, int height, uint32_t seed, float phase);

// The mark: 28 waves over the whole picture, whose strengths are those of brightness or of a colour as `weights` for red,
// green and blue have it.

void swi_mark_read(const uint8_t *pixels, int width, int height, const int *weights, float *strengths);
/// Adds waves to all colours, or to blue alone, and what blue cannot take, to red and green the other way.
void swi_mark_add(uint8_t *pixels, int width, int height, const float *changes, int is_color);

#endif
