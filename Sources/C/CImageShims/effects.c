// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <string.h>

// A pixel is a vector, so that a build without optimisation is not many times slower. The results are those of the same
// arithmetic in any order of rows.
#pragma STDC FP_CONTRACT OFF

typedef uint8_t pixel __attribute__((vector_size(4), aligned(1), may_alias));
typedef uint8_t bytes __attribute__((vector_size(16)));
typedef uint8_t loose __attribute__((vector_size(16), aligned(1), may_alias));
typedef int32_t four __attribute__((vector_size(16)));
typedef float reals __attribute__((vector_size(16)));
typedef double two __attribute__((vector_size(16)));
typedef uint32_t whole __attribute__((aligned(1), may_alias));

#define REALS(v) __builtin_convertvector(v, reals)
#define PIXEL(v) __builtin_convertvector(__builtin_convertvector(v, four), pixel)
#define LANE(v, n) __builtin_shufflevector(v, v, n, n, n, n)
#define MIN(a, b) __builtin_elementwise_min(a, b)
#define MAX(a, b) __builtin_elementwise_max(a, b)

void swi_color(uint8_t *rgba, size_t count, const float *matrix) {
    const reals red = {matrix[0], matrix[1], matrix[2], 0}, green = {matrix[3], matrix[4], matrix[5], 0};
    const reals blue = {matrix[6], matrix[7], matrix[8], 0}, offset = (reals){0} + matrix[9], zero = {0};
    for (size_t at = 0; at < count; at += 4) {
        pixel *p = (pixel *)(rgba + at);
        uint8_t alpha = rgba[at + 3];
        reals v = REALS(*p), most = LANE(v, 3);
        reals color = red * LANE(v, 0) + green * LANE(v, 1) + blue * LANE(v, 2) + offset * most;
        // A number that is none, from an endless amount, becomes zero.
        *p = PIXEL(MIN(MAX(color, zero), most) + 0.5f);
        rgba[at + 3] = alpha;
    }
}

void swi_sharpen(const uint8_t *rgba, size_t from, uint8_t *blurred, size_t count, float amount) {
    rgba += from;
    const reals zero = {0};
    for (size_t at = 0; at < count; at += 4) {
        pixel *p = (pixel *)(blurred + at);
        reals v = REALS(*(const pixel *)(rgba + at));
        *p = PIXEL(MIN(MAX(v + (v - REALS(*p)) * amount, zero), LANE(v, 3)) + 0.5f);
        blurred[at + 3] = rgba[at + 3];
    }
}

/// The part of a mixed colour that lies where both pixels are, by a separable mode of W3C Compositing and Blending Level 1.
static inline reals common(reals a, reals b, reals alpha, reals below, int mode) {
    switch (mode) {
    case SWI_MULTIPLY: return a * b;
    case SWI_SCREEN: return a * below + b * alpha - a * b;
    case SWI_OVERLAY: {
        four dark = b + b <= below;
        reals multiplied = a * b * 2.0f, screened = alpha * below - (below - b) * (alpha - a) * 2.0f;
        return (reals)(((four)multiplied & dark) | ((four)screened & ~dark));
    }
    case SWI_HARD_LIGHT: return common(b, a, below, alpha, SWI_OVERLAY);
    case SWI_DARKEN: return MIN(a * below, b * alpha);
    case SWI_LIGHTEN: return MAX(a * below, b * alpha);
    case SWI_DIFFERENCE: return a * below + b * alpha - MIN(a * below, b * alpha) * 2.0f;
    default: return a * below;
    }
}

void swi_overlay(const uint8_t *above, uint8_t *below, size_t count, float opacity, int mode) {
    const reals zero = {0}, one = zero + 1.0f;
    for (size_t at = 0; at < count; at += 4) {
        if (above[at + 3] == 0) continue;
        pixel *p = (pixel *)(below + at);
        reals a = REALS(*(const pixel *)(above + at)) * opacity / 255.0f, b = REALS(*p) / 255.0f;
        reals alpha = LANE(a, 3), under = LANE(b, 3);
        reals v = a + b * (one - alpha), mixed = v;
        if (mode == SWI_PLUS) {
            v = mixed = a + b;
        } else if (mode != SWI_NORMAL) {
            mixed = a * (one - under) + b * (one - alpha) + common(a, b, alpha, under, mode);
        }
        mixed = __builtin_shufflevector(mixed, v, 0, 1, 2, 7);
        *p = PIXEL(MIN(MAX(mixed, zero), one) * 255.0f + 0.5f);
    }
}

void swi_move(
    const uint8_t *rgba, size_t width, size_t from_row, size_t to_row, int64_t start, int64_t right, int64_t down,
    uint8_t *target
) {
    // Tiles keep both sides of a transposition in the cache.
    const size_t tile = 32;
    for (size_t left = 0; left < width; left += tile) {
        size_t end = left + tile < width ? left + tile : width;
        for (size_t y = from_row; y < to_row; y++) {
            const whole *from = (const whole *)rgba + y * width + left, *last = from + (end - left);
            whole *to = (whole *)target + start + (int64_t)y * down + (int64_t)left * right;
            // The step beyond the last pixel is not made, as it may lead out of the target.
            for (*to = *from; ++from < last; *to = *from) to += right;
        }
    }
}

size_t swi_first_other(const uint8_t *rgba, size_t count, const uint8_t *edge, uint8_t tolerance, int backwards) {
    bytes color, most = (bytes){0} + tolerance;
    for (size_t at = 0; at < sizeof color; at++) color[at] = edge[at % 4];
    size_t step = 0;
    // Whole vectors of pixels of the edge, then pixel by pixel.
    for (; step + sizeof color <= count; step += sizeof color) {
        bytes v = *(const loose *)(rgba + (backwards ? count - sizeof color - step : step));
        bytes is_other = (bytes)((MAX(v, color) - MIN(v, color)) > most);
        uint64_t parts[2];
        memcpy(parts, &is_other, sizeof parts);
        if (parts[0] | parts[1]) break;
    }
    for (; step < count; step += 4) {
        const uint8_t *p = rgba + (backwards ? count - 4 - step : step);
        for (int channel = 0; channel < 4; channel++) {
            int difference = p[channel] - edge[channel];
            if (difference > tolerance || -difference > tolerance) return step / 4;
        }
    }
    return count / 4;
}

void swi_turn_row(const uint8_t *rgba, const swi_turning *job, int64_t y, uint8_t *canvas) {
    uint8_t *row = canvas + y * job->canvas_width * 4;
    const reals fill = REALS(*(const pixel *)job->background);
    const pixel *source = (const pixel *)rgba;
    int64_t width = job->width, height = job->height;
    double down = (double)y + 0.5 - (double)job->canvas_height / 2;
    for (int64_t x = 0; x < job->canvas_width; x++) {
        double across = (double)x + 0.5 - (double)job->canvas_width / 2;
        double from_x = across * job->cosine + down * job->sine + (double)width / 2 - 0.5;
        double from_y = down * job->cosine - across * job->sine + (double)height / 2 - 0.5;
        int64_t column = (int64_t)from_x, line = (int64_t)from_y;
        column -= (double)column > from_x, line -= (double)line > from_y;
        float right = (float)(from_x - (double)column), bottom = (float)(from_y - (double)line);
        int has_left = column >= 0 && column < width, has_right = column >= -1 && column < width - 1;
        int has_top = line >= 0 && line < height, has_bottom = line >= -1 && line < height - 1;
        reals v = fill;
        int64_t at = line * width + column;
        if ((has_left || has_right) && (has_top || has_bottom)) {
            reals top_left = has_top && has_left ? REALS(source[at]) : fill;
            reals top_right = has_top && has_right ? REALS(source[at + 1]) : fill;
            reals low_left = has_bottom && has_left ? REALS(source[at + width]) : fill;
            reals low_right = has_bottom && has_right ? REALS(source[at + width + 1]) : fill;
            reals above = top_left * (1 - right) + top_right * right;
            v = above * (1 - bottom) + (low_left * (1 - right) + low_right * right) * bottom;
        }
        *(pixel *)(row + 4 * x) = PIXEL(v + 0.5f);
    }
}

/// The distance of a point from the edge; negative inside.
static double distance(const swi_shape *shape, double x, double y) {
    double half_width = (double)shape->width / 2, half_height = (double)shape->height / 2;
    double radius = shape->radii[(y < half_height ? 0 : 2) + (x < half_width ? 0 : 1)];
    double across = x - half_width, down = y - half_height;
    across = (across < 0 ? -across : across) - half_width + radius;
    down = (down < 0 ? -down : down) - half_height + radius;
    double a = across > 0 ? across : 0, b = down > 0 ? down : 0, most = across > down ? across : down;
    two root = __builtin_elementwise_sqrt((two){a * a + b * b, 0});
    return root[0] + (most < 0 ? most : 0) - radius;
}

static double within(double value) { return value < 0 ? 0 : value > 1 ? 1 : value; }

void swi_round_row(uint8_t *rgba, const swi_shape *shape, int64_t y, int64_t from, int64_t to) {
    uint8_t *row = rgba + y * shape->width * 4;
    for (int64_t x = from; x < to; x++) {
        double depth = 0.5 - distance(shape, (double)x + 0.5, (double)y + 0.5);
        double covered = within(depth), inside = within(depth - shape->border);
        if (inside == 1) continue;
        // The border over the picture, as far as it covers the pixel, then the shape.
        double cover = shape->border > 0 ? 1 - inside : 0, rest = 1 - cover * (double)shape->color[3] / 255;
        for (int channel = 0; channel < 4; channel++) {
            double value = ((double)shape->color[channel] * cover + (double)row[4 * x + channel] * rest) * covered + 0.5;
            row[4 * x + channel] = (uint8_t)(value > 255 ? 255 : value);
        }
    }
}
