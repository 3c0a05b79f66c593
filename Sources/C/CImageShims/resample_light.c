// SPDX-License-Identifier: MIT
#include "CImageShims.h"
#include <string.h>

// The results are the same on every processor, also on one that multiplies and adds in one step.
#pragma STDC FP_CONTRACT OFF

typedef float reals __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t four __attribute__((vector_size(16)));
typedef uint8_t pixel __attribute__((vector_size(4), aligned(1), may_alias));

/// The light of premultiplied pixels, premultiplied by the same alpha, which is 0 to 1.
static void lighten(const uint8_t *rgba, size_t count, const float *curve, float *light) {
    for (size_t x = 0; x < count; x++, rgba += 4, light += 4) {
        uint32_t alpha = rgba[3];
        if (alpha == 255) {
            *(reals *)light = (reals){curve[rgba[0]], curve[rgba[1]], curve[rgba[2]], 1};
            continue;
        }
        reals share = {0};
        for (int channel = 0; channel < 3 && alpha; channel++) {
            uint32_t value = (rgba[channel] * 255u + alpha / 2) / alpha;
            share[channel] = curve[value < 255 ? value : 255];
        }
        share[3] = 1;
        *(reals *)light = share * ((float)alpha / 255);
    }
}

/// Makes the pixels of a row as wide as the result. The weights are there four times.
static void narrow(const swi_resampling *job, const float *light, float *row) {
    const swi_taps *taps = &job->across;
    float unit = 1 / (float)(1 << taps->shift);
    for (size_t x = 0; x < job->target_width; x++) {
        swi_tap tap = taps->of[x];
        const int16_t *weights = taps->weights + 8 * (size_t)tap.place;
        const reals *p = (const reals *)(light + 4 * (size_t)tap.first);
        reals sum = {0};
        for (int32_t k = 0; k < tap.pairs; k++, p += 2, weights += 8)
            sum += p[0] * (float)weights[0] + p[1] * (float)weights[1];
        *(reals *)(row + 4 * x) = sum * unit;
    }
}

/// Rounds a pixel. The filter overshoots at edges: light is clamped to its range.
static void store(reals light, const float *values, uint8_t *target) {
    float alpha = light[3] < 1 ? light[3] : 1;
    int32_t solid = alpha > 0 ? (int32_t)(alpha * 255 + 0.5f) : 0;
    if (solid == 0) {
        memset(target, 0, 4);
        return;
    }
    for (int channel = 0; channel < 3; channel++) {
        float share = light[channel] / alpha;
        share = share > 0 ? share < 1 ? share : 1 : 0;
        target[channel] = (uint8_t)(values[(int32_t)(share * 16384 + 0.5f)] * (float)solid / 255 + 0.5f);
    }
    target[3] = (uint8_t)solid;
}

int swi_resample_light(
    const swi_resampling *job, const float *tables, const uint8_t *rows, size_t capacity, size_t from, size_t to,
    float *light, size_t reach, uint8_t *target
) {
    const swi_taps *taps = &job->down;
    float *ring = light + 4 * (job->width + 2);
    size_t width = job->target_width;
    float unit = 1 / (float)(1 << taps->shift);
    for (size_t y = from; y < to; y++) {
        const swi_tap *tap = taps->of + y;
        size_t first = (size_t)tap->first, end = (size_t)tap->end;
        // A row of the source is made narrow once, for the first row of the result that needs it.
        size_t next = y > 0 && tap[-1].end > tap->first ? (size_t)tap[-1].end : first;
        if (job->should_stop && job->should_stop()) return 1;
        for (; next < end; next++) {
            if (job->should_stop && job->should_stop()) return 1;
            size_t left = job->left;
            const uint8_t *row = rows + (next % capacity * job->width + left) * 4;
            lighten(row, job->right - left, tables, light + 4 * left);
            narrow(job, light, ring + next % reach * width * 4);
        }
        const int16_t *weights = taps->weights + 2 * (size_t)tap->place;
        for (size_t x = 0; x < width; x++, target += 4) {
            reals sum = {0};
            for (size_t row = first; row < end; row++)
                sum += *(const reals *)(ring + (row % reach * width + x) * 4) * (float)weights[row - first];
            store(sum * unit, tables + 256, target);
        }
    }
    return 0;
}
